"""Blocks of plans, and of their outcomes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from deltaadm.blocks import (
    Cards,
    ChangeRow,
    Changes,
    Command,
    Either,
    Findings,
    Folded,
    Graph,
    Heading,
    Items,
    Paragraph,
    Table,
)
from deltaadm.clients import Access
from deltaadm.dataclass import replace
from deltaadm.domain.features import Cost
from deltaadm.domain.instants import second
from deltaadm.domain.schema import path_text, type_name, walk
from deltaadm.errors import TableError
from deltaadm.plans.clients import newly_shut_out
from deltaadm.plans.diff import ChangeKind, change_words, value_words
from deltaadm.plans.features import Phase
from deltaadm.plans.plan import moves, planned_statement
from deltaadm.plans.reports import PlanReport, PlanState, committed_words, concurrent_words
from deltaadm.plans.undo import fix_command
from deltaadm.reports.words import COST_NAMES, DOES, cost_text, grouped
from deltaadm.rules.rule import LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deltaadm.blocks import Block, PageBlock
    from deltaadm.clients import Verdict
    from deltaadm.plans.features import DropReport, DropStatus
    from deltaadm.plans.plan import Plan, PlannedChange
    from deltaadm.plans.reports import (
        ConcurrentChange,
        ForeignReport,
        JournalReport,
        Outcome,
        OutcomeReport,
        PlanStatus,
        SavedPlanReport,
    )
    from deltaadm.rules.rule import Finding, Severity


_COLUMNS_SHOWN_ONE_BY_ONE: Final = 8


def show_plan(report: PlanReport) -> Iterator[Block]:
    """The changes of a plan, their reasons, and their cost."""
    plan = report.plan
    version = f"version {plan.before.version}" if plan.before.exists else "no table yet"
    yield Heading(f"{plan.operation}: {report.table} ({version})", level=1)
    if not plan.is_noop:
        yield Either([Cards(tuple(_cards(plan)))])
    yield from _unreachable(plan)
    if plan.is_noop:
        yield Paragraph("No changes.", "good")
    else:
        yield from _findings(report)
        if plan.findings or plan.unreachable:
            yield Heading("Changes")
        if plan.changes:
            yield _changes(plan)
        else:
            yield Paragraph(_unchanged(plan), nested=True)
        yield from _rest(plan)
        if plan.findings or plan.before.protocol != plan.after.protocol:
            yield Either(_planned_features(plan))
        if plan.goals:
            yield Heading("Steps")
            yield Table("Steps", ("step", "cost", "what is lost"), tuple(_step_rows(plan)))
        yield Heading(
            f"Cost: {cost_text(plan.cost, truncates=bool(plan.irreversible), work=plan.work)}"
        )
        for stage in plan.stages:
            times = "several commits" if stage.several_commits else ""
            label = "first of two runs" if stage.waits else times
            yield Command(planned_statement(plan, stage), label=label)
    if shut_out := _shut_out_rows(plan):
        yield Heading("Clients after the change", tone="warning")
        yield Table("Clients after the change", (), shut_out)
    if plan.notes:
        yield Heading("Notes")
        yield Items(plan.notes)


def _unreachable(plan: Plan) -> Iterator[Block]:
    """Clients that were asked for in vain, and why."""
    if plan.unreachable:
        yield Heading("Clients that cannot be reached", tone="error")
        yield Items(tuple(target.reason for target in plan.unreachable))


_SEVERITIES: Final = {"error": "Errors", "warning": "Warnings", "info": "Info"}


def _findings(report: PlanReport) -> Iterator[Block]:
    """The findings in the table that a plan leads to, and their remedies."""
    groups: dict[Severity, dict[str, list[Finding]]] = {}
    for finding in report.plan.findings:
        groups.setdefault(finding.severity, {}).setdefault(finding.code, []).append(finding)
    for severity in sorted(groups, key=lambda severity: severity.rank):
        by_code = groups[severity]
        shown = tuple(finding for findings in by_code.values() for finding in findings[:LIMIT])
        yield Findings(
            f"{_SEVERITIES[severity.value]} after the change",
            severity,
            shown,
            tuple(fix_command(report.table, finding.fix) for finding in shown),
            {
                code: len(findings) - LIMIT
                for code, findings in by_code.items()
                if len(findings) > LIMIT
            },
        )


def show_saved_plan(report: SavedPlanReport) -> Iterator[Block]:
    """A plan out of a file, and whether it can still be applied."""
    title, *rest = show_plan(PlanReport(report.table, report.plan))
    yield title
    yield from _status(report.status)
    yield from rest


def _status(status: PlanStatus) -> Iterator[Block]:
    """The status of a plan since it was saved."""
    now = "" if status.version is None else f" at version {status.version}"
    if status.state is PlanState.READY:
        yield Paragraph(f"It can be applied: the table{now} is as the plan expects it.", "good")
    elif status.state is PlanState.DONE:
        yield Paragraph(f"It is already applied: the table{now} is as planned.", "good")
    elif status.error is not None:
        words = "It can no longer be applied" if status.state is PlanState.OBSOLETE else "Unknown"
        tone = "error" if status.state is PlanState.OBSOLETE else "warning"
        yield Paragraph(f"{words}: {status.error.message}", tone)
        if status.error.remedy:
            yield Paragraph(status.error.remedy)
    if status.changes:
        yield Heading("Changed since the plan was made", tone="warning")
        rows = tuple(
            ChangeRow(change.kind.value, change_words(change)) for change in status.changes
        )
        yield Changes(rows)
        yield Heading("The plan as it was made")


def show_journal(report: JournalReport) -> Iterator[Block]:
    """The status of each plan in a journal."""
    from deltaadm.reports.overview import status_and_details

    events = Counter(line.event for line in report.plans)
    counts = (f"{events[event]} {event}" for event in ("done", "failed", "begun") if events[event])
    yield Heading(f"{report.file}: {', '.join(counts)}", level=1)
    rows = (
        (
            line.event,
            line.table,
            "interrupted, or still being applied"
            if line.result is None
            else "  ".join(filter(None, status_and_details(line.result))),
        )
        for line in report.plans
    )
    yield Table("Plans", ("event", "table", "result"), tuple(rows))


def _planned_features(plan: Plan) -> Iterator[PageBlock]:
    """The graph of the features after a plan; found out only where a page shows it."""
    from deltaadm.reports.inspect import describe

    before, after = (describe("", state) for state in (plan.before, plan.after))
    if after.features:
        yield Graph(after.features, plan.findings, before.features)


def _rest(plan: Plan) -> Iterator[Block]:
    """The unchanged parts: counted where they are many, and collapsed on a page."""
    tables = tuple(table for table in _unchanged_tables(plan) if table.rows)
    if not (tables and plan.before.exists):
        return
    counts = (
        f"{len(table.rows)} {_ONE[table.caption] if len(table.rows) == 1 else table.caption}"
        for table in tables
    )
    folded = Folded(f"Unchanged: {', '.join(counts)}.", tables)
    much = sum(len(table.rows) for table in tables) > _ROWS_THAT_ARE_FEW
    yield folded if much else Either([folded])


_ROWS_THAT_ARE_FEW: Final = 8
_ONE: Final = {"features": "feature", "properties": "property", "columns": "column"}


def _unchanged_tables(plan: Plan) -> Iterator[Table]:
    before, after = plan.before, plan.after
    kept = before.protocol.supported_features & after.protocol.supported_features
    yield Table("features", ("feature",), tuple((name,) for name in sorted(kept)))
    changed = {planned.change.subject for planned in plan.changes}
    rows = (
        (key, value)
        for key, value in sorted(after.metadata.configuration.items())
        if f"configuration[{key}]" not in changed
    )
    yield Table("properties", ("property", "value"), tuple(rows))
    try:
        columns = [(path_text(path), field) for path, field in walk(after.metadata.schema)]
    except TableError:  # a schema that cannot be read has no columns to list
        return
    cells = (
        (name, type_name(field.type)) for name, field in columns if f"schema[{name}]" not in changed
    )
    yield Table("columns", ("column", "type"), tuple(cells))


def _cards(plan: Plan) -> Iterator[tuple[str, str, str]]:
    yield "changes", str(len(plan.changes)), ""
    costly = plan.cost is not Cost.METADATA or bool(plan.irreversible)
    lost = ", history is lost" if plan.irreversible else ""
    yield "cost", f"{COST_NAMES[plan.cost]}{lost}", "warning" if costly else "good"
    worst = min(
        (finding.severity for finding in plan.findings),
        key=lambda finding: finding.rank,
        default=None,
    )
    yield "findings after it", str(len(plan.findings)), worst.value if worst else "good"
    shut_out = newly_shut_out(plan)
    wrong = any(shift.turns_silently_wrong for shift in shut_out)
    clients = len({shift.after.release for shift in shut_out})
    yield "clients shut out", str(clients), "error" if wrong else "warning" if clients else "good"


def _step_rows(plan: Plan) -> Iterator[tuple[str, ...]]:
    """Each step with its own cost and with what the table loses by it."""
    for transition, stage in zip(plan.transitions, plan.stages, strict=True):
        runs = ", in two runs" if stage.waits else ""
        lost = "; ".join(transition.step.losses(transition.before)) or "nothing"
        yield transition.step.words, f"{COST_NAMES[stage.cost]}{runs}", lost


def _changes(plan: Plan) -> Changes:
    alike: dict[object, list[PlannedChange]] = {}
    for planned in plan.changes:
        change = planned.change
        is_column = change.subject.startswith("schema[")
        key = (change.kind, planned.because, planned.undo) if is_column else change.subject
        alike.setdefault(key, []).append(planned)
    # Every added and removed column is named; of many, those that only change are counted.
    groups: list[tuple[ChangeRow, ...]] = []
    for changes in alike.values():
        rows = tuple(map(_row, changes))
        if len(rows) <= _COLUMNS_SHOWN_ONE_BY_ONE:
            groups += [(row,) for row in rows]
        elif changes[0].change.kind is ChangeKind.SET:
            groups.append((replace(rows[0], text=f"~ schema: {len(rows)} columns change"),))
        else:
            groups.append(rows)
    return Changes(tuple(map(_row, plan.changes)), tuple(groups))


def _row(planned: PlannedChange) -> ChangeRow:
    change = planned.change
    return ChangeRow(change.kind.value, change_words(change), planned.because, planned.undo)


def show_foreign_plan(report: ForeignReport) -> Iterator[Block]:
    """A plan for a table of another provider, or what the catalog says once it is carried out."""
    plan, before = report.plan, report.plan.before
    old = ""
    if plan.creation is not None:
        old = f", replacing a table of {before.provider}" if before else ", no table yet"
    title = f"{plan.operation}: {plan.table} (provider {plan.provider}{old})"
    heading = Heading(title, level=1)
    yield heading if report.outcome is None else Either([heading])
    if report.outcome is not None:
        yield Paragraph("All statements were carried out. The catalog now says:", "good")
        yield Table("", ("name", "value"), report.outcome, plain=True)
        return
    yield Heading("Statements for the parent catalog, run in this order:")
    yield from map(Command, plan.statements)
    if plan.notes:
        yield Heading("Notes")
        yield Items(plan.notes)


def show_outcome(report: OutcomeReport) -> Iterator[Block]:
    """The outcome of a plan."""
    outcome = report.outcome
    yield Either([Heading(f"{outcome.plan.operation}: {report.table}", level=1)])
    if outcome.mismatches:
        yield Paragraph("The result differs from the plan:", "error")
        rows = tuple(
            (change.subject, value_words(change.before), value_words(change.after))
            for change in outcome.mismatches
        )
        told = tuple((place, f"planned: {old}", f"found: {new}") for place, old, new in rows)
        yield Either(
            [Table("Differences", ("place", "planned", "found"), rows)],
            [Table("Differences", (), told)],
        )
        if outcome.versions:
            yield Paragraph(f"{_committed(outcome)}.")
        yield from map(Paragraph, _later_changes(outcome))
    else:
        for sentence in _outcome_sentences(outcome):
            yield Paragraph(sentence, "good")


def show_drops(report: DropReport) -> Iterator[Block]:
    """The progress of dropping features."""
    yield Heading(f"drop-feature: {report.table} (version {report.version})", level=1)
    if not report.features:
        yield Paragraph("No feature of the table can be dropped.")
    for status in report.features:
        yield Heading(status.name)
        yield Items(tuple(drop_sentences(status)))


# What it says in words


def _outcome_sentences(outcome: Outcome) -> Iterable[str]:
    """The committed versions, and the version before them, if all is as planned."""
    steps = outcome.plan.steps
    if outcome.plan.is_noop:
        yield "Nothing was committed: there is nothing to do."
    if outcome.versions:
        yield f"{_committed(outcome)}, as planned."
    yield from _later_changes(outcome)
    if not all(step.has_statement for step in steps):
        version = (outcome.plan.before.version, *outcome.versions)[-1]
        yield f"There is a checkpoint of version {version}."
    if moves(steps):
        yield f"{outcome.actual.name} now points to {outcome.actual.root}, as planned."


def _committed(outcome: Outcome) -> str:
    """The committed versions, and the changes by others that came before them."""
    words = committed_words(outcome.versions).capitalize()
    earlier = [change for change in outcome.concurrent if change.version < outcome.versions[-1]]
    return f"{words} after {_concurrent(earlier, 'concurrent ')}" if earlier else words


def _later_changes(outcome: Outcome) -> Iterable[str]:
    newest = outcome.versions[-1] if outcome.versions else -1
    later = [change for change in outcome.concurrent if change.version > newest]
    if later:
        yield f"Other writers have since committed {_concurrent(later)}."


def _concurrent(concurrent: Sequence[ConcurrentChange], which: str = "") -> str:
    noun = f"{which}changes" if len(concurrent) > 1 else f"a {which}change"
    return f"{noun} in {concurrent_words(concurrent)}"


def _unchanged(plan: Plan) -> str:
    """The effect of a plan that has steps and yet changes nothing in protocol and metadata."""
    if any(stage.is_commit for stage in plan.stages):
        return "The result is the same, but these steps are still committed."
    return "Protocol and metadata do not change."


def _shut_out_rows(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Whom a plan newly shuts out, the worst first, and of the same kind readers first."""
    rows: dict[str, list[Verdict]] = {}
    for shift in sorted(
        newly_shut_out(plan),
        key=lambda shift: (-shift.after.compatibility.rank, shift.after.access is Access.WRITE),
    ):
        does = DOES[shift.after.compatibility.value][shift.after.access.value]
        rows.setdefault(does, []).append(shift.after)
    return tuple((does, grouped(verdicts)) for does, verdicts in rows.items())


def drop_sentences(status: DropStatus) -> Iterator[str]:
    """The progress of dropping a feature."""
    if status.phase is Phase.ABSENT:
        yield "The table does not support it: there is nothing to drop."
        return
    if status.refusal is not None:
        yield f"Cannot be dropped now: {status.refusal.message}"
        yield status.refusal.remedy
        return
    if status.work:
        yield f"Dropping it first changes: {'; '.join(status.work)}."
    if not status.truncates_history:
        yield "Can be dropped now; history is kept."
        return
    if status.keeps_history:
        yield "Can be dropped now while keeping history, which adds checkpointProtection."
    if status.phase is Phase.FIRST_OF_TWO:
        yield "With --truncate-history, dropping takes two runs; the first can start now."
    elif status.phase is Phase.WAITING and status.ready_at is not None:
        when = second(status.ready_at)
        yield f"With --truncate-history, it waits for history to expire: ready at {when}."
    else:
        yield "With --truncate-history, it can be dropped now."
