"""A line of a run over many tables: one of the documents that are about a table."""

from __future__ import annotations

from typing import Final

from deltaadm.documents import (
    diff,
    document,
    drop_feature,
    error,
    inspect,
    outcome,
    plan,
    validate,
    why,
)
from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import Json

_KINDS: Final = (inspect, why, diff, validate, plan, outcome, drop_feature, error)

DOCUMENT: Final = Document(
    "A line of a run over many tables",
    Json(lambda: {"anyOf": [kind.DOCUMENT.schema for kind in _KINDS]}, document),
)
