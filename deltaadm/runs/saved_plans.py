"""Saved plans and journals: shown, and checked against the tables as they are now."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from deltaadm.errors import CommitError, DeltaadmError, Refused
from deltaadm.operations.reports import (
    Failure,
    JournalLine,
    JournalReport,
    PlanReport,
    PlanState,
    PlanStatus,
    SavedPlanReport,
)
from deltaadm.runs.apply_plans import plan_left, plans_in, saved_target
from deltaadm.runs.catalogs import look_up, open_catalog
from deltaadm.runs.exit_codes import FOUND
from deltaadm.runs.fleet import Fleet, TableResult, line_of
from deltaadm.runs.journal import read_journal
from deltaadm.runs.output import show
from deltaadm.runs.reading import read_input
from deltaadm.runs.requirements import ClientRequirements
from deltaadm.runs.results import OutputTarget, ResultPrinter
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deltaadm.documents.saved_plan import SavedPlan
    from deltaadm.operations.plan import Plan
    from deltaadm.operations.reports import Report
    from deltaadm.runs.catalogs import Entry
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_options import CommitOptions


def saved_reports(context: RunContext, file: Path) -> Sequence[Report]:
    """The content of *file*: plans with their status now, or a journal; raises as reading does."""
    body = read_input(file)
    entries = read_journal(body)
    if entries:
        newest = {entry.plan: entry for entry in entries}
        lines = (
            JournalLine(entry.plan, entry.table, entry.event, entry.line)
            for entry in newest.values()
        )
        return [JournalReport(str(file), tuple(lines))]
    plans = plans_in(body)
    with _opened(context, plans) as (opened, known):
        return [_with_status(opened, saved, known) for saved in plans]


@contextmanager
def _opened(
    context: RunContext, plans: Sequence[SavedPlan]
) -> Iterator[tuple[RunContext, Mapping[str, Entry]]]:
    """A run with what reads the tables of *plans*, and what their catalogs know of them."""
    names = [saved.name for saved in plans if saved.name and saved.before.exists]
    places = [saved.location for saved in plans]
    with log_reader(context, places) as reader, open_catalog(reader, names) as opened:
        yield opened, look_up(opened, names)


def _with_status(
    context: RunContext, saved: SavedPlan, entries: Mapping[str, Entry]
) -> SavedPlanReport:
    plan = saved.as_made()
    # Whoever carries it out says whom it may shut out and what it may bring about.
    agreed = ClientRequirements(findings=frozenset(finding.code for finding in plan.findings))
    try:
        target = saved_target(context, saved, entries)
        current = target.load(context, missing_ok=not saved.before.exists)
    except DeltaadmError as error:
        return SavedPlanReport(saved.table, plan, PlanStatus(PlanState.UNKNOWN, error=error))
    version = current.version if current.exists else None
    try:
        left = plan_left(context, saved, target, agreed)
    except DeltaadmError as error:
        changes = saved.changes_since(current) if current.exists else ()
        obsolete = isinstance(error, (CommitError, Refused))
        state = PlanState.OBSOLETE if obsolete else PlanState.UNKNOWN
        return SavedPlanReport(saved.table, plan, PlanStatus(state, version, changes, error))
    state = PlanState.DONE if left.is_noop else PlanState.READY
    return SavedPlanReport(saved.table, plan, PlanStatus(state, version))


def check_plan(context: RunContext, saved: SavedPlan, request: CommitOptions) -> int:
    """Show what is left of *saved*, and carry nothing out; the exit code is that of --check."""
    with _opened(context, [saved]) as (opened, entries):
        plan = _left(opened, saved, entries, request)
        show(opened, [PlanReport(saved.table, plan)])
    return 0 if plan.is_noop else FOUND


def check_plans(context: RunContext, plans: Sequence[SavedPlan], request: CommitOptions) -> int:
    """The same for each of *plans*."""
    fleet = Fleet([saved.table for saved in plans], found=True, brief=True)
    printer = ResultPrinter(fleet, [OutputTarget(context.format)], context.style)
    with _opened(context, plans) as (opened, entries):
        for saved in plans:
            printer.add(_check(opened, saved, entries, request))
    return printer.finish()


def _check(
    context: RunContext,
    saved: SavedPlan,
    entries: Mapping[str, Entry],
    request: CommitOptions,
) -> TableResult:
    report: Report
    try:
        plan = _left(context, saved, entries, request)
    except DeltaadmError as error:
        report, code = Failure(saved.table, error), error.exit_code
    else:
        report, code = PlanReport(saved.table, plan), 0 if plan.is_noop else FOUND
    line = line_of(report, show_secrets=context.style.show_secrets)
    return TableResult(saved.table, line, code, report)


def _left(
    context: RunContext,
    saved: SavedPlan,
    entries: Mapping[str, Entry],
    request: CommitOptions,
) -> Plan:
    target = saved_target(context, saved, entries)
    requirements = ClientRequirements.of(
        request, load_settings(context.settings), saved.table, saved.location
    )
    return plan_left(context, saved, target, requirements)
