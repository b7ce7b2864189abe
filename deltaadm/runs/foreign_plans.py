"""Tables of other providers on the command line: show the statements, and carry them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.steps.create_table import no_table
from deltaadm.errors import DeltaadmError, Refused, UsageError
from deltaadm.operations.foreign import carry_out, plan_foreign_changes, plan_foreign_creation
from deltaadm.operations.reports import ForeignReport
from deltaadm.runs import catalogs
from deltaadm.runs.consent import foreign_consents
from deltaadm.runs.places import chosen_place, is_occupied_locally
from deltaadm.runs.plan_run import confirm_and_execute, finish_plan

if TYPE_CHECKING:
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import CreateTable
    from deltaadm.operations.alter import TableChanges
    from deltaadm.operations.foreign import ForeignPlan
    from deltaadm.runs.catalogs import Entry
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_options import ChangeOptions, ClientOptions


def require_name(table: str, provider: str) -> None:
    """Raise `Refused` for a place: only its log makes a directory a table, and Delta has logs."""
    if not catalogs.is_name(table):
        raise Refused(
            f"A table of provider {provider} needs a name in a catalog, but {table!r} is a path.",
            remedy="Name it schema.table, and set the location of its files with --location.",
        )


def require_no_clients(clients: ClientOptions) -> None:
    """Turn away, as a usage error, clients that are to go on using a table without a protocol."""
    if clients.for_client or clients.for_client_writing:
        raise UsageError("applies only to Delta tables", option="--for-client")


def moved_to(location: str) -> Snapshot:
    """The place to which a table of another provider is to be moved, as a step has it."""
    return no_table(chosen_place(location))


def create(
    context: RunContext, table: str, step: CreateTable, provider: str, change: ChangeOptions
) -> int:
    """Plan the table of *provider*, then show or carry it out; the exit code."""
    if context.catalog is None:
        context.locate(table)  # says that there is no catalog
    name, default = catalogs.place_in(context, table)
    location = step.location or default
    plan = plan_foreign_creation(
        table,
        name,
        step,
        provider=provider,
        location=location,
        before=catalogs.foreign_catalog(context).find(name),
        occupied=is_occupied_locally(context, location),
    )
    return _finish(context, plan, change)


def alter(
    context: RunContext, table: str, entry: Entry, changes: TableChanges, change: ChangeOptions
) -> int:
    """Plan *changes*, then show or carry them out; the exit code."""
    require_no_clients(change.commit.clients)
    if isinstance(entry, DeltaadmError):
        raise entry
    steps = changes.steps()
    places = [step.destination.root for step in steps if step.destination is not None]
    occupied = any(is_occupied_locally(context, place) for place in places)
    return _finish(context, plan_foreign_changes(table, entry, steps, occupied=occupied), change)


def _finish(context: RunContext, plan: ForeignPlan, change: ChangeOptions) -> int:
    """Show *plan*, which Spark looks at, and carry it out if asked to; the exit code."""
    if change.planning.out is not None:
        raise Refused(
            "A plan for a table of another provider is not saved: nothing would show later "
            "whether the table is still as it was.",
            remedy="Carry it out with --apply, or save its statements with -o sql.",
        )
    foreign = catalogs.foreign_catalog(context)
    foreign.check(plan)
    report = ForeignReport(plan)
    consents = foreign_consents(plan, change.commit.consent)

    def execute() -> ForeignReport:
        return ForeignReport(plan, carry_out(plan, foreign, context.status.set))

    return finish_plan(
        context,
        report,
        change.planning,
        "carry this out",
        carry_out=lambda: confirm_and_execute(context, report, consents, execute),
    )
