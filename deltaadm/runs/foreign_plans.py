"""Tables of other providers than Delta on the command line: show the plan, and carry it out."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.documents.saved_foreign_plan import SavedForeignPlan, foreign_document
from deltaadm.documents.saved_plan import CARRIED_OUT
from deltaadm.domain.steps import CreateTable
from deltaadm.domain.steps.create_table import no_table
from deltaadm.errors import CommitError, DeltaadmError, Refused, UsageError
from deltaadm.operations.foreign.best_effort import BestEffortStagedTable, plan_best_effort
from deltaadm.operations.foreign.carry_out import carry_out
from deltaadm.operations.foreign.changes import ForeignChanges, plan_foreign_changes
from deltaadm.operations.reports import ForeignReport, PlanState, PlanStatus
from deltaadm.runs import catalogs
from deltaadm.runs.consent import foreign_consents
from deltaadm.runs.output import handle_errors
from deltaadm.runs.places import chosen_place, is_occupied_locally
from deltaadm.runs.plan_run import confirm_and_execute, finish_plan
from deltaadm.runs.sessions import log_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step
    from deltaadm.operations.alter import TableChanges
    from deltaadm.operations.foreign.carry_out import ForeignPlan
    from deltaadm.operations.foreign.catalog import ForeignTable
    from deltaadm.runs.catalogs import Entry
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_requests import ChangeRequest, ClientRequest, CommitRequest


def require_name(table: str, provider: str) -> None:
    """Raise `Refused` for a place: only its log makes a directory a table, and Delta has logs."""
    if not catalogs.is_name(table):
        raise Refused(
            f"A table of provider {provider} needs a name in a catalog, but {table!r} is a path.",
            remedy="Name it schema.table, and set the location of its files with --location.",
        )


def require_no_clients(clients: ClientRequest) -> None:
    """Turn away, as a usage error, clients that are to go on using a table without a protocol."""
    if clients.for_client or clients.for_client_writing:
        raise UsageError("applies only to Delta tables", option="--for-client")


def moved_to(location: str) -> Snapshot:
    """The place to which a table of another provider is to be moved, as a step has it."""
    return no_table(chosen_place(location))


def _plan_creation(
    context: RunContext, table: str, step: CreateTable, provider: str
) -> BestEffortStagedTable:
    """The plan for *table*, which Spark has looked at; raises `Refused` where it would refuse."""
    if context.catalog is None:
        context.locate(table)  # says that there is no catalog
    foreign = catalogs.foreign_catalog(context)
    name, default = catalogs.place_in(context, table)
    before = foreign.find(name)
    location = step.location or default
    plan = plan_best_effort(
        table,
        name,
        step,
        provider=provider,
        location=location,
        before=before,
        occupied=is_occupied_locally(context, location),
    )
    foreign.check(plan)
    return plan


def create(
    context: RunContext, table: str, step: CreateTable, provider: str, change: ChangeRequest
) -> int:
    """Plan the table of *provider*, then show or carry it out; the exit code."""
    plan = _plan_creation(context, table, step, provider)
    return _finish(context, plan, change)


def alter(
    context: RunContext, table: str, entry: Entry, changes: TableChanges, change: ChangeRequest
) -> int:
    """Plan *changes*, then show or carry it out; the exit code."""
    require_no_clients(change.commit.clients)
    plan = _plan_changes(context, table, entry, changes.steps())
    return _finish(context, plan, change)


def _plan_changes(
    context: RunContext,
    table: str,
    entry: Entry,
    steps: Sequence[Step],
    require: Callable[[ForeignTable], None] = lambda _: None,
) -> ForeignChanges:
    """
    The plan that takes *steps* on the *table* of a catalog's *entry*, which Spark has looked at.

    Raises `Refused` where Spark would refuse or ignore a step, `TableError` for no table, and what
    *require* does for the one that is found.
    """
    foreign = catalogs.foreign_catalog(context)
    name, before = catalogs.foreign_table(context, entry)
    require(before)
    places = [step.destination.root for step in steps if step.destination is not None]
    plan = plan_foreign_changes(
        table,
        name,
        steps,
        before=before,
        definition=foreign.definition(name),
        occupied=any(is_occupied_locally(context, place) for place in places),
    )
    foreign.check(plan)
    return plan


def _finish(context: RunContext, plan: ForeignPlan, change: ChangeRequest) -> int:
    """Show or save *plan*, carry it out if asked to; the exit code."""
    return finish_plan(
        context,
        ForeignReport(plan),
        change.planning,
        "carry this out",
        document=lambda: foreign_document(plan),
        carry_out=lambda: _carry_out(context, plan, change.commit),
    )


@contextmanager
def _opened(context: RunContext, saved: SavedForeignPlan) -> Iterator[RunContext]:
    """A run with the catalog that has the table of *saved*; raises what `require_name` does."""
    require_name(saved.table, saved.provider)
    names = [saved.table]
    with log_reader(context) as reader, catalogs.open_catalog(reader, names) as opened:
        yield opened


def apply_saved(context: RunContext, saved: SavedForeignPlan, request: CommitRequest) -> int:
    """Carry out exactly the plan that was saved, or refuse; the exit code."""

    def work() -> int:
        with _opened(context, saved) as opened:
            return _carry_out(opened, _plan_again(opened, saved), request)

    return handle_errors(context, saved.table, work)


def plan_saved_again(context: RunContext, saved: SavedForeignPlan) -> ForeignReport:
    """The plan that was saved, on the catalog as it is now; raises what `apply_saved` ends with."""
    with _opened(context, saved) as opened:
        return ForeignReport(_plan_again(opened, saved))


def saved_report(context: RunContext, saved: SavedForeignPlan) -> ForeignReport:
    """The plan as it was saved, and whether it can be carried out on the catalog as it is now."""
    require_name(saved.table, saved.provider)
    try:
        with _opened(context, saved) as opened:
            status = _status(opened, saved)
    except DeltaadmError as error:
        status = PlanStatus(PlanState.UNKNOWN, error=error)
    return ForeignReport(saved.as_made(), status=status)


def _status(context: RunContext, saved: SavedForeignPlan) -> PlanStatus:
    if context.catalog is None:
        context.locate(saved.table)  # says that there is no catalog
    try:
        left = _plan_again(context, saved)
    except (CommitError, Refused) as error:
        return PlanStatus(PlanState.OBSOLETE, error=error)
    return PlanStatus(PlanState.DONE if left.is_noop else PlanState.READY)


def _plan_again(context: RunContext, saved: SavedForeignPlan) -> ForeignPlan:
    """
    The plan that was saved, or one with nothing to do if it is carried out already.

    Raises `CommitError` where it would be another one.
    """
    if isinstance(saved.request, CreateTable):
        creation = _plan_creation(context, saved.table, saved.request, saved.provider)
        saved.require_same(creation)
        return creation
    if context.catalog is None:
        context.locate(saved.table)  # says that there is no catalog
    [entry] = catalogs.look_up(context, [saved.table]).values()
    try:
        plan = _plan_changes(context, saved.table, entry, saved.request, saved.require_base)
        saved.require_same(plan)
    except CommitError:
        rest = _without_base(context, saved, entry, saved.request)
        if rest is None or not rest.is_noop or rest.provider != saved.provider:
            raise
        return replace(rest, notes=(CARRIED_OUT,))
    return plan


def _without_base(
    context: RunContext, saved: SavedForeignPlan, entry: Entry, steps: Sequence[Step]
) -> ForeignChanges | None:
    """The plan that takes *steps* on the table as it is now, if Spark would take them."""
    try:
        return _plan_changes(context, saved.table, entry, steps)
    except Refused:
        return None


def _carry_out(context: RunContext, plan: ForeignPlan, request: CommitRequest) -> int:
    def execute() -> ForeignReport:
        foreign = catalogs.foreign_catalog(context)
        return ForeignReport(plan, carry_out(plan, foreign, context.status.set))

    consents = foreign_consents(plan, request.consent)
    return confirm_and_execute(context, ForeignReport(plan), consents, execute)
