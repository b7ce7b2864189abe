"""Tables of other providers than Delta on the command line: show the plan, and carry it out."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from deltaadm.cli import wiring
from deltaadm.cli.options import ConsentOptions, OutputOptions, PlanOptions, SparkOptionGroup
from deltaadm.cli.planning import MISMATCH, NOT_EMPTY, Consent, agree, failing_well
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
    if not wiring.is_name(table):
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
    parent = wiring.parent_catalog(catalog)
    name, default = wiring.place_in(catalog, table)
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
    planning: PlanOptions,
    consent: ConsentOptions,
    output: OutputOptions,
) -> int:
    """Show or save *plan*, carry it out if asked to; the exit code."""
    if planning.out is not None:
        wiring.save_plan(planning.out, json.dumps(best_effort_document(plan), indent=2))
    if not planning.apply:
        wiring.show([BestEffortReport(plan)], output)
        if output.output == "text":
            wiring.say("Nothing was changed. Add --apply to carry this out.")
        return NOT_EMPTY if planning.check else 0
    return _carried_out(plan, catalog, consent, output)


def apply_saved(
    saved: SavedBestEffort, consent: ConsentOptions, spark: SparkOptionGroup, output: OutputOptions
) -> int:
    """Carry out exactly the plan that was saved, or refuse; the exit code."""

    def work() -> int:
        require_name(saved.table, saved.provider)
        with wiring.reading(spark), wiring.catalog([saved.table], spark) as catalog:
            plan = planned(saved.table, saved.step, saved.provider, catalog)
            saved.require_same(plan)
            return _carried_out(plan, catalog, consent, output)

    return failing_well(saved.table, output, work)


def _carried_out(
    plan: BestEffortStagedTable,
    catalog: "DeltaCatalog | None",
    consent: ConsentOptions,
    output: OutputOptions,
) -> int:
    report = BestEffortReport(plan)
    if output.output == "text":
        wiring.show([report], output)
    agree(_to_agree_to(plan, consent), [report], output)
    outcome = carry_out(plan, wiring.parent_catalog(catalog), wiring.note_commits)
    wiring.show([BestEffortReport(plan, outcome)], output)
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
