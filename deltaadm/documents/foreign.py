"""A plan for a table of another provider, and what it came to."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.steps import STEP
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    STRING,
    STRINGS,
    array,
    maybe,
    record,
    within,
)

_ROW: Final = record(name=(STRING, lambda row: row[0]), value=(STRING, lambda row: row[1]))

DOCUMENT: Final = Document.of(
    "A plan to create or alter a table of another provider, and its outcome",
    **within(
        "plan",
        {
            "operation": STRING,
            "table": STRING,
            "name": STRING,
            "provider": STRING,
            "location": STRING,
            "before": maybe(record(provider=STRING, location=STRING, is_managed=BOOLEAN)),
            "steps": array(STEP),
            "statements": STRINGS,
            "irreversible": STRINGS,
            "notes": STRINGS,
        },
    ),
    outcome=maybe(record(description=(array(_ROW), lambda rows: rows))),
)
