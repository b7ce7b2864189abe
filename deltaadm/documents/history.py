"""The document of `history`: the changes of a table from version to version."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.history_entry import ENTRY
from deltaadm.domain.model.json_values import COUNT, STRING, array, maybe, one_of, record
from deltaadm.operations.history import Section

DOCUMENT: Final = Document.of(
    "The output of `history`",
    table=STRING,
    location=STRING,
    last_version=(COUNT, lambda report: report.last),
    sections=array(one_of(Section)),
    entries=array(record(**ENTRY)),
    stopped=maybe(STRING),
)
