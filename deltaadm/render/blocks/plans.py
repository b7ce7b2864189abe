"""What is said of plans, and of what they came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.operations.diff import ChangeKind
from deltaadm.operations.sql import planned_statement
from deltaadm.render.blocks import (
    ChangeRow,
    Changes,
    Command,
    Differences,
    Heading,
    Items,
    Paragraph,
    Table,
)
from deltaadm.render.plan_wording import (
    DIFFERS,
    FINDINGS,
    PARENT_CATALOG,
    change_words,
    cost_words,
    drop_sentences,
    finding_rows,
    foreign_change_words,
    foreign_plan_done,
    foreign_plan_title,
    mismatch_sentences,
    outcome_sentences,
    shut_out_rows,
    unchanged,
    value_words,
    version_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from deltaadm.operations.diff import Change
    from deltaadm.operations.plan import Plan, PlannedChange, Stage
    from deltaadm.operations.reports import (
        DropReport,
        ForeignReport,
        OutcomeReport,
        PlanReport,
    )
    from deltaadm.render.blocks import Block

_COLUMNS_SHOWN_ONE_BY_ONE: Final = 8


def _plan(report: PlanReport) -> Iterator[Block]:
    plan = report.plan
    yield Heading(f"{plan.operation}: {report.table} ({version_words(plan.before)})", level=1)
    if plan.is_noop:
        yield Paragraph("No changes.", "good")
    else:
        if plan.findings:
            yield Heading(FINDINGS, tone=plan.findings[0].severity.value)
            yield Table(
                FINDINGS, ("severity", "rule", "what"), tuple(finding_rows(plan)), plain=True
            )
            yield Heading("Changes")
        if plan.changes:
            yield _changes(plan)
        else:
            yield Paragraph(unchanged(plan), nested=True)
        yield Heading(f"Cost: {cost_words(plan)}")
        for stage in plan.stages:
            yield Command(planned_statement(plan, stage), label=_label(stage))
    if shut_out := shut_out_rows(plan):
        yield Heading("Clients after the change", tone="warning")
        yield Table("Clients after the change", (), shut_out)
    if plan.notes:
        yield Heading("Notes")
        yield Items(plan.notes)


def _label(stage: Stage) -> str:
    if stage.waits:
        return "first of two runs"
    return "several commits" if stage.several_commits else ""


def _changes(plan: Plan) -> Changes:
    alike: dict[object, list[PlannedChange]] = {}
    for planned in plan.changes:
        change = planned.change
        is_column = change.subject.startswith("schema[")
        key = (change.kind, planned.because, planned.undo) if is_column else change.subject
        alike.setdefault(key, []).append(planned)
    return Changes(
        tuple(map(_row, plan.changes)),
        tuple(group for some in alike.values() for group in _groups(some)),
    )


def _groups(alike: Sequence[PlannedChange]) -> Iterator[tuple[ChangeRow, ...]]:
    """Of many no column comes or goes unnamed, but those that only change are counted."""
    if len(alike) <= _COLUMNS_SHOWN_ONE_BY_ONE:
        yield from ((_row(planned),) for planned in alike)
    elif alike[0].change.kind is ChangeKind.SET:
        text = f"~ schema: {len(alike)} columns change"
        yield (ChangeRow(ChangeKind.SET.value, text, alike[0].because, alike[0].undo),)
    else:
        yield tuple(map(_row, alike))


def _row(planned: PlannedChange) -> ChangeRow:
    change = planned.change
    return ChangeRow(change.kind.value, change_words(change), planned.because, planned.undo)


def _foreign_plan(report: ForeignReport) -> Iterator[Block]:
    plan, outcome = report.plan, report.outcome
    yield Heading(foreign_plan_title(plan), level=1, page_only=outcome is not None)
    if outcome is not None:
        yield from _compared(outcome.mismatches)
        if not outcome.mismatches:
            yield Paragraph(foreign_plan_done(plan), "good")
        return
    if plan.is_noop:
        yield Paragraph("No changes.", "good")
    else:
        words = zip(plan.changes, foreign_change_words(plan), strict=True)
        rows = tuple(ChangeRow(change.kind.value, text) for change, text in words)
        yield Changes(rows, (rows,))
        yield Heading(PARENT_CATALOG)
        yield from map(Command, plan.statements)
    if plan.notes:
        yield Heading("Notes")
        yield Items(plan.notes)


def _outcome(report: OutcomeReport) -> Iterator[Block]:
    outcome = report.outcome
    yield Heading(f"{outcome.plan.operation}: {report.table}", level=1, page_only=True)
    yield from _compared(outcome.mismatches)
    if outcome.mismatches:
        yield from map(Paragraph, mismatch_sentences(outcome))
    else:
        for sentence in outcome_sentences(outcome):
            yield Paragraph(sentence, "good")


def _compared(mismatches: Sequence[Change]) -> Iterator[Block]:
    if mismatches:
        yield Paragraph(DIFFERS, "error")
        rows = (
            (change.subject, value_words(change.before), value_words(change.after))
            for change in mismatches
        )
        yield Differences(tuple(rows))


def _drops(report: DropReport) -> Iterator[Block]:
    yield Heading(f"drop-feature: {report.table} (version {report.version})", level=1)
    if not report.features:
        yield Paragraph("No feature of the table can be dropped.")
    for status in report.features:
        yield Heading(status.name)
        yield Items(tuple(drop_sentences(status)))


BLOCKS: Final[Mapping[str, Callable[[Any], Iterable[Block]]]] = {
    "PlanReport": _plan,
    "ForeignReport": _foreign_plan,
    "OutcomeReport": _outcome,
    "DropReport": _drops,
}
"""What makes the blocks of each kind of report that this module knows."""
