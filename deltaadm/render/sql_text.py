"""Plans as the Spark SQL statements that carry them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.operations.reports import BestEffortReport, OutcomeReport, PlanReport
from deltaadm.operations.sql import statement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report


def write_sql(reports: Sequence[Report], out: TextIO) -> None:
    """One statement a line, each ended by a semicolon; an empty plan is a comment."""
    for report in reports:
        if isinstance(report, BestEffortReport):
            out.writelines(f"{one};\n" for one in report.plan.statements)
            continue
        if isinstance(report, OutcomeReport):
            plan = report.outcome.plan
        elif isinstance(report, PlanReport):
            plan = report.plan
        else:
            continue
        if plan.is_noop:
            out.write("-- nothing to do\n")
        out.writelines(
            f"{statement(plan.before.root, step, plan.before.name)};\n" for step in plan.steps
        )
