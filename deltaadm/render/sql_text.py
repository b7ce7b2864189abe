"""Plans as the Spark SQL statements that carry them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.operations.commands import fix_command
from deltaadm.operations.reports import (
    ForeignReport,
    OutcomeReport,
    PlanReport,
    SavedPlanReport,
)
from deltaadm.operations.sql import planned_statement
from deltaadm.render.findings import sentence
from deltaadm.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report


def write_sql(reports: Sequence[Report], out: TextIO, *, for_terminal: bool = False) -> None:
    """
    One statement a line, each ended by a semicolon; what has no statement is a comment.

    Names and expressions can hold what only escapes could hide, and SQL has none for them: they are
    written as they are, unless it is *for_terminal*.
    """
    for report in reports:
        for statements in _statements(report):
            lines = (*_warnings(report), *map(_ended, statements))
            out.writelines(f"{visible(line) if for_terminal else line}\n" for line in lines)
            if not statements:
                out.write("-- nothing to do\n")


def _warnings(report: Report) -> Iterator[str]:
    """The effect of the statements, as comments, which nothing in them can end."""
    if not isinstance(report, (PlanReport, SavedPlanReport)):
        return
    for finding in report.plan.findings:
        repair = fix_command(report.table, finding.fix) or finding.remedy
        problem = f"{finding.severity.value} {finding.code} {finding.name}: {sentence(finding)}"
        text = f"after this, {problem}"
        yield f"-- {visible(text)} {visible(repair)}".rstrip("\\ ")


def _ended(statement: str) -> str:
    return statement if statement.startswith("--") else f"{statement};"


def _statements(report: Report) -> Iterator[tuple[str, ...]]:
    """The statements of the plan in *report*, if it has a plan."""
    if isinstance(report, ForeignReport):
        yield report.plan.statements
    elif isinstance(report, (PlanReport, SavedPlanReport, OutcomeReport)):
        plan = report.outcome.plan if isinstance(report, OutcomeReport) else report.plan
        yield tuple(planned_statement(plan, stage) for stage in plan.stages)
