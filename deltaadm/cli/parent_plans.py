"""Tables of other providers than Delta on the command line: show the plan, and carry it out."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from deltaadm.cli import catalogs, streams, wiring
from deltaadm.cli.exit_codes import FOUND, MISMATCH
from deltaadm.cli.options import ChangeOptions, ClientOptions, CommitOptions, ConsentOptions
from deltaadm.cli.planning import Consent, agree
from deltaadm.domain.create import no_table
from deltaadm.domain.table_changes import CreateTable, SetLocation
from deltaadm.errors import Refused
from deltaadm.operations import best_effort, parent_changes
from deltaadm.operations.best_effort import BestEffortStagedTable, plan_best_effort
from deltaadm.operations.parent_changes import ParentChanges, plan_parent_changes
from deltaadm.operations.parent_document import SavedParentPlan, parent_document
from deltaadm.operations.reports import BestEffortReport, ParentChangesReport

if TYPE_CHECKING:
    from deltaadm.cli.options import SparkOptionGroup
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step
    from deltaadm.operations.alter import TableChanges
    from deltaadm.operations.parent_catalog import ParentTable
    from deltaadm.operations.parent_document import ParentPlan
    from deltaadm.spark.catalog import DeltaCatalog


class _Kind(NamedTuple):
    """What shows a plan, and what carries it out."""

    report: Callable[..., Any]
    carry_out: Callable[..., Any]


_KINDS = {
    BestEffortStagedTable: _Kind(BestEffortReport, best_effort.carry_out),
    ParentChanges: _Kind(ParentChangesReport, parent_changes.carry_out),
}


def require_name(table: str, provider: str) -> None:
    """Raise `Refused` for a place: only its log makes a directory a table, and Delta has logs."""
    if not catalogs.is_name(table):
        raise Refused(
            f"A table of the provider {provider} is made by its name in a catalog, and {table!r} "
            "is a place.",
            remedy="Name it schema.table, and say where its files are with --location.",
        )


def require_no_clients(clients: ClientOptions) -> None:
    """Turn away, as a usage error, clients that are to go on using a table without a protocol."""
    if clients.for_client or clients.for_client_writing:
        raise typer.BadParameter("is for Delta tables", param_hint="--for-client")


def chosen_place(location: str) -> str:
    """The place that the user means, the same for every process; a URL is one already."""
    from deltaadm.spark.catalog import plain_location
    from deltaadm.storage.store import is_remote

    place = plain_location(location)
    return place.rstrip("/") if is_remote(place) else str(Path(place).absolute())


def moved_to(location: str) -> "Snapshot":
    """The place to which a table of another provider is to be moved, as a step has it."""
    return no_table(chosen_place(location))


def planned(
    table: str, step: CreateTable, provider: str, catalog: "DeltaCatalog | None"
) -> BestEffortStagedTable:
    """The plan for *table*, which Spark has looked at; raises `Refused` where it would refuse."""
    if catalog is None:
        wiring.locate(table)  # says that there is no catalog
    parent = catalogs.parent_catalog(catalog)
    name, default = catalogs.place_in(catalog, table)
    before = parent.find(name)
    location = step.location or default
    plan = plan_best_effort(
        table,
        name,
        step,
        provider=provider,
        location=location,
        before=before,
        occupied=wiring.is_occupied_here(location),
    )
    parent.check(plan)
    return plan


def alter(
    table: str, wanted: "TableChanges", catalog: "DeltaCatalog | None", change: ChangeOptions
) -> int:
    """Plan the changes that are *wanted*, then `conclude`; the exit code."""
    require_no_clients(change.commit.clients)
    return conclude(planned_changes(table, wanted.steps(), catalog), catalog, change)


def planned_changes(
    table: str,
    steps: "Sequence[Step]",
    catalog: "DeltaCatalog | None",
    require: Callable[["ParentTable"], None] = lambda _: None,
) -> ParentChanges:
    """
    The plan that takes *steps* on the *table* that was looked up, which Spark has looked at.

    Raises `Refused` where Spark would refuse or ignore a step, `TableError` for no table, and what
    *require* does for the one that is found.
    """
    if catalog is None:
        wiring.locate(table)  # says that there is no catalog
    parent = catalogs.parent_catalog(catalog)
    name, before = catalogs.parent_table(catalog, table)
    require(before)
    places = [one.there.root for one in steps if isinstance(one, SetLocation)]
    plan = plan_parent_changes(
        table,
        name,
        steps,
        before=before,
        definition=parent.definition(name),
        occupied=any(map(wiring.is_occupied_here, places)),
    )
    parent.check_changes(plan)
    return plan


def conclude(plan: "ParentPlan", catalog: "DeltaCatalog | None", change: ChangeOptions) -> int:
    """Show or save *plan*, carry it out if asked to; the exit code."""
    planning, output = change.planning, change.commit.output
    if planning.out is not None:
        streams.save_plan(planning.out, json.dumps(parent_document(plan), indent=2))
    if not planning.apply:
        streams.show([_KINDS[type(plan)].report(plan)], output)
        if output.output == "text" and not plan.is_noop:
            streams.say("Nothing was changed. Add --apply to carry this out.")
        return FOUND if planning.check and not plan.is_noop else 0
    return _carried_out(plan, catalog, change.commit)


def apply_saved(saved: SavedParentPlan, options: CommitOptions) -> int:
    """Carry out exactly the plan that was saved, or refuse; the exit code."""

    def work() -> int:
        require_name(saved.table, saved.provider)
        with (
            wiring.reading(options.spark),
            catalogs.catalog([saved.table], options.spark) as catalog,
        ):
            plan = _planned_again(saved, catalog, options.spark)
            saved.require_same(plan)
            return _carried_out(plan, catalog, options)

    return streams.failing_well(saved.table, options.output, work)


def _planned_again(
    saved: SavedParentPlan, catalog: "DeltaCatalog | None", spark: "SparkOptionGroup"
) -> "ParentPlan":
    if isinstance(saved.wish, CreateTable):
        return planned(saved.table, saved.wish, saved.provider, catalog)
    catalogs.look_up([saved.table], spark)
    return planned_changes(saved.table, saved.wish, catalog, saved.require_base)


def _carried_out(plan: "ParentPlan", catalog: "DeltaCatalog | None", options: CommitOptions) -> int:
    kind, output = _KINDS[type(plan)], options.output
    report = kind.report(plan)
    if output.output == "text":
        streams.show([report], output)
    if not plan.is_noop:
        agree(_to_agree_to(plan, options.consent), [report], output)
    outcome = kind.carry_out(plan, catalogs.parent_catalog(catalog), streams.note_commits)
    streams.show([kind.report(plan, outcome)], output)
    return MISMATCH if outcome.mismatches else 0


def _to_agree_to(plan: "ParentPlan", consent: ConsentOptions) -> Iterator[Consent]:
    if not consent.yes:
        yield Consent("--yes", "Carry this out? Only 'yes' is accepted: ", "yes")
    for name in plan.irreversible:
        if not {name, plan.table} & set(consent.accept_irreversible or ()):
            yield Consent(
                f"--accept-irreversible {plan.table}",
                f"The table {name} is dropped for good. Type '{plan.table}' to go on: ",
                plan.table,
            )
