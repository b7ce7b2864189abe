"""The outcome of a plan."""

from __future__ import annotations

from typing import Final

from deltaadm.documents import plan
from deltaadm.documents.change import CHANGES
from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import COUNT, STRING, array, record
from deltaadm.operations.reports import PlanReport

_CONCURRENT: Final = record(version=COUNT, changes=CHANGES)
_OUTCOME: Final = record(
    version=(COUNT, lambda outcome: outcome.actual.version),
    versions=array(COUNT),
    mismatches=CHANGES,
    concurrent_changes=(array(_CONCURRENT), lambda outcome: outcome.concurrent),
)
DOCUMENT: Final = Document.of(
    "The outcome of a plan",
    table=STRING,
    plan=(plan.DOCUMENT.json, lambda report: PlanReport(report.table, report.outcome.plan)),
    outcome=_OUTCOME,
)
