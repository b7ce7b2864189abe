"""Tables of other providers than Delta on the command line: show the plan, and carry it out."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from deltaadm.cli import catalogs, streams, wiring
from deltaadm.cli.exit_codes import FOUND, MISMATCH
from deltaadm.cli.options import ChangeOptions, CommitOptions, ConsentOptions
from deltaadm.cli.planning import Consent, agree, failing_well
from deltaadm.errors import Refused
from deltaadm.operations.best_effort import (
    BestEffortStagedTable,
    SavedBestEffort,
    best_effort_document,
    carry_out,
    plan_best_effort,
)
from deltaadm.operations.reports import BestEffortReport

if TYPE_CHECKING:
    from deltaadm.domain.table_changes import CreateTable
    from deltaadm.spark.catalog import DeltaCatalog


def require_name(table: str, provider: str) -> None:
    """Raise `Refused` for a place: only its log makes a directory a table, and Delta has logs."""
    if not catalogs.is_name(table):
        raise Refused(
            f"A table of the provider {provider} is made by its name in a catalog, and {table!r} "
            "is a place.",
            remedy="Name it schema.table, and say where its files are with --location.",
        )


def planned(
    table: str, step: "CreateTable", provider: str, catalog: "DeltaCatalog | None"
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


def conclude(
    plan: BestEffortStagedTable,
    catalog: "DeltaCatalog | None",
    change: ChangeOptions,
) -> int:
    """Show or save *plan*, carry it out if asked to; the exit code."""
    planning, output = change.planning, change.commit.output
    if planning.out is not None:
        streams.save_plan(planning.out, json.dumps(best_effort_document(plan), indent=2))
    if not planning.apply:
        streams.show([BestEffortReport(plan)], output)
        if output.output == "text":
            streams.say("Nothing was changed. Add --apply to carry this out.")
        return FOUND if planning.check else 0
    return _carried_out(plan, catalog, change.commit)


def apply_saved(saved: SavedBestEffort, options: CommitOptions) -> int:
    """Carry out exactly the plan that was saved, or refuse; the exit code."""

    def work() -> int:
        require_name(saved.table, saved.provider)
        with (
            wiring.reading(options.spark),
            catalogs.catalog([saved.table], options.spark) as catalog,
        ):
            plan = planned(saved.table, saved.step, saved.provider, catalog)
            saved.require_same(plan)
            return _carried_out(plan, catalog, options)

    return failing_well(saved.table, options.output, work)


def _carried_out(
    plan: BestEffortStagedTable, catalog: "DeltaCatalog | None", options: CommitOptions
) -> int:
    report, output = BestEffortReport(plan), options.output
    if output.output == "text":
        streams.show([report], output)
    agree(_to_agree_to(plan, options.consent), [report], output)
    outcome = carry_out(plan, catalogs.parent_catalog(catalog), streams.note_commits)
    streams.show([BestEffortReport(plan, outcome)], output)
    return MISMATCH if outcome.mismatches else 0


def _to_agree_to(plan: BestEffortStagedTable, consent: ConsentOptions) -> Iterator[Consent]:
    if not consent.yes:
        yield Consent("--yes", "Carry this out? Only 'yes' is accepted: ", "yes")
    for name in plan.irreversible:
        if not {name, plan.table} & set(consent.accept_irreversible or ()):
            yield Consent(
                f"--accept-irreversible {plan.table}",
                f"The table {name} is dropped for good. Type '{plan.table}' to go on: ",
                plan.table,
            )
