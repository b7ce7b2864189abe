"""The document of `doctor`."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import STRING, array, one_of, record
from deltaadm.operations.reports import Health

DOCUMENT: Final = Document.of(
    "The output of `doctor`",
    checks=array(record(subject=STRING, health=one_of(Health), detail=STRING, remedy=STRING)),
)
