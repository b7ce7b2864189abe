"""The document of `rules`."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.rule import RULE
from deltaadm.domain.model.json_values import array, record

DOCUMENT: Final = Document.of("The output of `rules`", rules=array(record(**RULE)))
