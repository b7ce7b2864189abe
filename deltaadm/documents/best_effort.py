"""A plan to make a table of another provider, and what it came to."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.foreign import FOREIGN_TABLE, foreign_plan
from deltaadm.domain.model.json_values import STRING, maybe
from deltaadm.domain.steps import CreateTable

DOCUMENT: Final = foreign_plan(
    "A plan to create a table of another provider, and its outcome",
    location=STRING,
    before=maybe(FOREIGN_TABLE),
    step=CreateTable.json,
)
