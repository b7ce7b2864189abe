"""A plan out of a file, with what has become of it."""

from __future__ import annotations

from typing import Final

from deltaadm.documents import plan
from deltaadm.documents.common import Document
from deltaadm.documents.plan_status import STATUS
from deltaadm.domain.model.json_values import STRING, Json
from deltaadm.operations.reports import PlanReport

_PLAN: Final = Json(plan.DOCUMENT.schema, plan.DOCUMENT.write)

DOCUMENT: Final = Document.of(
    "A plan out of a file, and whether it can still be carried out",
    table=STRING,
    plan=(_PLAN, lambda report: PlanReport(report.table, report.plan)),
    status=STATUS,
)
