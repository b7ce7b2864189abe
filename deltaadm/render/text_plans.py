"""Plans, and what came of them, as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from deltaadm.operations.diff import ChangeKind
from deltaadm.operations.reports import (
    BestEffortReport,
    DropReport,
    OutcomeReport,
    ParentChangesReport,
    PlanReport,
)
from deltaadm.operations.sql import statement
from deltaadm.render import lines
from deltaadm.render.plan_wording import (
    DIFFERS,
    PARENT_CATALOG,
    change_words,
    cost_words,
    drop_sentences,
    outcome_sentences,
    parent_change_words,
    parent_plan_done,
    parent_plan_title,
    shut_out_rows,
    unchanged,
    value_words,
    version_words,
)
from deltaadm.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deltaadm.operations.diff import Change
    from deltaadm.operations.plan import Plan, PlannedChange

_COLUMNS_SHOWN_ONE_BY_ONE = 8
_STYLES = {ChangeKind.ADD: "green", ChangeKind.REMOVE: "red", ChangeKind.SET: "yellow"}


def _plan(report: PlanReport) -> Iterable[Text]:
    plan = report.plan
    yield lines.sentence(f"{plan.operation}: {report.table} ({version_words(plan.before)})", "bold")
    if plan.is_noop:
        yield lines.sentence("No changes.")
    else:
        yield Text()
        yield from _changes(plan)
        if not plan.changes:
            yield lines.sentence(f"  {unchanged(plan)}")
        yield lines.heading(f"Cost: {cost_words(plan)}")
        for stage in plan.stages:
            several = "several commits: " if stage.several_commits else ""
            several = "first of two runs: " if stage.waits else several
            yield lines.command(
                f"  {several}{statement(plan.before.root, stage.step, plan.before.name)}"
            )
    if shut_out := shut_out_rows(plan):
        yield lines.heading("Clients from now on")
        yield from lines.grid(shut_out)
    if plan.notes:
        yield lines.heading("Notes")
        yield from lines.bullets("-", plan.notes)


def _parent_plan(report: BestEffortReport | ParentChangesReport) -> Iterable[Text]:
    plan, outcome = report.plan, report.outcome
    if outcome is not None:
        yield from _compared(outcome.mismatches) or [
            lines.sentence(parent_plan_done(plan), "green")
        ]
        return
    yield lines.sentence(parent_plan_title(plan), "bold")
    if plan.is_noop:
        yield lines.sentence("No changes.")
        return
    yield Text()
    for one, words in zip(plan.changes, parent_change_words(plan), strict=True):
        yield lines.sentence(f"  {words}", _STYLES[one.kind])
    yield lines.heading(PARENT_CATALOG)
    yield from (lines.command(f"  {one}") for one in plan.statements)
    if plan.notes:
        yield lines.heading("Notes")
        yield from lines.bullets("-", plan.notes)


def _changes(plan: Plan) -> Iterable[Text]:
    alike: dict[object, list[PlannedChange]] = {}
    for one in plan.changes:
        is_column = one.change.subject.startswith("schema[")
        key = (one.change.kind, one.because, one.undo) if is_column else one.change.subject
        alike.setdefault(key, []).append(one)
    for some in alike.values():
        if len(some) > _COLUMNS_SHOWN_ONE_BY_ONE:
            yield from _column_changes(some)
        else:
            yield from (line for one in some for line in _change(one))


def _column_changes(some: Sequence[PlannedChange]) -> Iterable[Text]:
    """Many at once: no column comes or goes unnamed, but those that only change are counted."""
    kind = some[0].change.kind
    if kind is ChangeKind.SET:
        yield Text(f"  ~ schema: {len(some)} columns change", style=_STYLES[kind])
    else:
        yield from (lines.sentence(f"  {change_words(one.change)}", _STYLES[kind]) for one in some)
    yield from _reason(some[0])


def _change(one: PlannedChange) -> Iterable[Text]:
    yield lines.sentence(f"  {change_words(one.change)}", _STYLES[one.change.kind])
    yield from _reason(one)


def _reason(one: PlannedChange) -> Iterable[Text]:
    yield lines.sentence(f"      {one.because}", "dim")
    yield lines.sentence(f"      undo: {one.undo}", "dim")


def _drops(report: DropReport) -> Iterable[Text]:
    yield lines.sentence(f"drop-feature: {report.table} (version {report.version})", "bold")
    if not report.features:
        yield lines.sentence("No feature of the table can be dropped.")
    for one in report.features:
        yield lines.heading(visible(one.name))
        yield from lines.bullets("-", drop_sentences(one))


def _outcome(report: OutcomeReport) -> Iterable[Text]:
    outcome = report.outcome
    if outcome.mismatches:
        yield from _compared(outcome.mismatches)
    else:
        for one in outcome_sentences(outcome):
            yield lines.sentence(one, "green" if outcome.plan.stages else "")


def _compared(mismatches: Sequence[Change]) -> list[Text]:
    if not mismatches:
        return []
    rows = (
        (one.subject, f"planned: {value_words(one.before)}", f"found: {value_words(one.after)}")
        for one in mismatches
    )
    return [lines.sentence(DIFFERS, "bold red"), *lines.grid(rows)]


PARTS: Final[Mapping[type, Callable[[Any], Iterable[Text]]]] = {
    PlanReport: _plan,
    BestEffortReport: _parent_plan,
    ParentChangesReport: _parent_plan,
    OutcomeReport: _outcome,
    DropReport: _drops,
}
"""What shows each kind of report that this module knows."""
