"""Validating tables, and planning what fixes the findings."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from deltaadm.dataclass import dataclass
from deltaadm.errors import TableError
from deltaadm.operations.baseline import Baseline, without_known
from deltaadm.operations.validate import unreadable, validate
from deltaadm.runs.context import answer_time
from deltaadm.runs.progress import Examination, Progress
from deltaadm.validation.finding import Severity, ValidationReport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deltaadm.clients import ClientRelease
    from deltaadm.operations.plan import Plan
    from deltaadm.replay.examine import Depth
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_run import PlanInput, Planner
    from deltaadm.runs.settings import Settings
    from deltaadm.runs.target import Target
    from deltaadm.validation.rule import Rule


@dataclass(frozen=True)
class ValidationRun:
    """The values that validations of all tables share."""

    depth: Depth
    depth_names: tuple[str, ...]
    rules: Sequence[Rule]
    settings: Settings
    readers: tuple[ClientRelease, ...]
    writers: tuple[ClientRelease, ...]
    baseline: Baseline
    fail_on: Severity

    def report(
        self, context: RunContext, target: Target, *, watched: bool = True
    ) -> ValidationReport:
        """The findings in *target*; *watched* says whether progress is shown."""
        from deltaadm.replay.examine import examine

        progress = Examination(target.text)
        try:
            with Progress(progress.state).shown() if watched else nullcontext():
                store = context.open_store(target.location)
                facts = examine(store, self.depth, now=answer_time(), engine=context.engine)
                findings_report = validate(
                    target.text,
                    progress.watched(facts),
                    self.rules,
                    demands=self.settings.demands(
                        target.text, target.location, readers=self.readers, writers=self.writers
                    ),
                    depth=self.depth_names,
                )
        except TableError as error:
            return self.report_missing(target.text, error)
        return without_known(findings_report, self.baseline)

    def report_missing(self, table: str, error: TableError) -> ValidationReport:
        """The same for a table that cannot be loaded."""
        return without_known(unreadable(table, error), self.baseline)

    def code(self, document: Mapping[str, Any]) -> int:
        """The exit code of a table with this report."""
        if document["stopped"]:
            return TableError.exit_code
        counted = (severity for severity in Severity if document["counts"][severity.value])
        return int(any(severity.rank <= self.fail_on.rank for severity in counted))


def depth_of(
    rules: Sequence[Rule], *, history: bool = False, deep: bool = False, cross_check: bool = False
) -> tuple[Depth, tuple[str, ...]]:
    """The depth to which *rules* need to read, and its name in reports."""
    from deltaadm.replay.examine import Depth
    from deltaadm.validation.rule import Scope

    chosen = {"history": history, "deep": deep, "cross-check": cross_check}
    depth = Depth(
        history=history,
        deep=deep,
        cross_check=cross_check,
        data_files=any(rule.scope is Scope.DEEP for rule in rules),
    )
    return depth, tuple(name for name, is_chosen in chosen.items() if is_chosen)


def fixes_planner(run: ValidationRun) -> Planner:
    """The planner of all fixes for the findings of *run*."""
    from deltaadm.operations.fixes import plan_fixes

    reports: dict[str, ValidationReport] = {}

    def plan(table: PlanInput) -> Plan:
        name = table.target.text
        if name not in reports:  # a table may be planned twice, with more detail
            reports.clear()  # a report of a large table is large, and the next table needs another
            reports[name] = run.report(table.context, table.target)
        return plan_fixes(table.snapshot, reports[name], session=table.session)

    return plan
