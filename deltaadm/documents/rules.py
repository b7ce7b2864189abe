"""What `rules` writes."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.rule import RULE
from deltaadm.domain.model.json_values import array, record

DOCUMENT: Final = Document.of("What `rules` writes", rules=array(record(**RULE)))
