"""The document of `diff`: the differences between two states of tables."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.history_entry import SECTIONED_CHANGES
from deltaadm.domain.model.json_values import BOOLEAN, COUNT, STRING, array, maybe, one_of, record
from deltaadm.operations.history import Section

_STATE: Final = record(table=STRING, version=maybe(COUNT), file=maybe(STRING))
DOCUMENT: Final = Document.of(
    "The output of `diff` for a table",
    table=STRING,
    before=_STATE,
    after=_STATE,
    sections=array(one_of(Section)),
    equal=BOOLEAN,
    changes=SECTIONED_CHANGES,
)
