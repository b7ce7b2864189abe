"""The document of `explain` for an error class of Delta."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.rule import RULE
from deltaadm.domain.model.json_values import STRING, STRINGS, array, record

DOCUMENT: Final = Document.of(
    "The output of `explain` for a Delta error class",
    delta_error_class=(STRING, lambda report: report.error_class.name),
    meaning=(STRING, lambda report: report.error_class.meaning),
    commands=(STRINGS, lambda report: report.error_class.commands),
    rules=array(record(**RULE)),
)
