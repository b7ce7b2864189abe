"""The document of `features`."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.feature import FEATURE
from deltaadm.domain.model.json_values import array, record

DOCUMENT: Final = Document.of("The output of `features`", features=array(record(**FEATURE)))
