"""Whether a saved plan can still be carried out, as JSON."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.change import CHANGES
from deltaadm.documents.error import ERROR
from deltaadm.domain.model.json_values import COUNT, maybe, one_of, record
from deltaadm.operations.reports import PlanState

STATUS: Final = record(
    state=one_of(PlanState), version=maybe(COUNT), changes=CHANGES, error=maybe(ERROR)
)
