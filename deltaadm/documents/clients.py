"""The document of `clients`."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.client import SUPPORT
from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import array, record

DOCUMENT: Final = Document.of("The output of `clients`", clients=array(record(**SUPPORT)))
