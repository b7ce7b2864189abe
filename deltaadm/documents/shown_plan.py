"""A plan out of a file, with what has become of it."""

from __future__ import annotations

from typing import Final

from deltaadm.documents import plan
from deltaadm.documents.change import CHANGES
from deltaadm.documents.common import Document
from deltaadm.documents.error import ERROR
from deltaadm.domain.model.json_values import COUNT, STRING, Json, maybe, one_of, record
from deltaadm.operations.reports import PlanReport, PlanState

_PLAN: Final = Json(plan.DOCUMENT.schema, plan.DOCUMENT.write)
_STATUS: Final = record(
    state=one_of(PlanState), version=maybe(COUNT), changes=CHANGES, error=maybe(ERROR)
)

DOCUMENT: Final = Document.of(
    "A plan out of a file, and whether it can still be carried out",
    table=STRING,
    plan=(_PLAN, lambda report: PlanReport(report.table, report.plan)),
    status=_STATUS,
)
