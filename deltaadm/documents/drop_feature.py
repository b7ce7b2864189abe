"""The document of `drop-feature --status`: the progress of dropping features of a table."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.error import ERROR
from deltaadm.domain.model.instants import second
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    COUNT,
    STRING,
    STRINGS,
    Json,
    array,
    maybe,
    one_of,
    record,
)
from deltaadm.operations.drop_feature import Phase

STATUS: Final = record(
    name=STRING,
    phase=one_of(Phase),
    keeps_history=BOOLEAN,
    truncates_history=BOOLEAN,
    ready_at=maybe(Json(STRING.schema, second)),
    work=STRINGS,
    refusal=maybe(ERROR),
)
"""The progress of one feature."""

DOCUMENT: Final = Document.of(
    "What dropping features of a table requires",
    table=STRING,
    version=COUNT,
    features=array(STATUS),
)
