"""A plan to alter a table of another provider, and what it came to."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.foreign import FOREIGN_TABLE, foreign_plan
from deltaadm.documents.steps import STEP
from deltaadm.domain.model.json_values import BOOLEAN, array

DOCUMENT: Final = foreign_plan(
    "A plan to alter a table of another provider, and its outcome",
    before=FOREIGN_TABLE,
    steps=array(STEP),
    is_noop=BOOLEAN,
)
