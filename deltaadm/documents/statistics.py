"""The document of `validate --statistics`."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import COUNT, STRING, array, one_of, record
from deltaadm.validation.finding import Severity

DOCUMENT: Final = Document.of(
    "The output of `validate --statistics`",
    tables=COUNT,
    failed=COUNT,
    rules=array(
        record(
            code=STRING,
            name=STRING,
            severity=one_of(*(severity.value for severity in Severity)),
            findings=COUNT,
            tables=COUNT,
        )
    ),
)
