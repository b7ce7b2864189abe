"""`deltaadm apply`."""

from pathlib import Path
from typing import Annotated

import typer

from deltaadm.cli import wiring
from deltaadm.cli.best_effort import apply_saved
from deltaadm.cli.carrying_out import Limits, carry_out_plans, journal_of
from deltaadm.cli.options import (
    ClientOptions,
    ConsentOptions,
    OutputOptions,
    SparkOptionGroup,
    expanded,
)
from deltaadm.cli.planning import Wanted, carry_out_plan, failing_well, planned
from deltaadm.operations.best_effort import read_best_effort
from deltaadm.operations.plan_document import SavedPlan, read_plans
from deltaadm.operations.reports import OutcomeReport


@expanded
def command(
    file: Annotated[Path, typer.Argument(metavar="PLAN", help="A file made with --out.")],
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            help="So many of several plans at the same time; 4 if left out.",
        ),
    ] = None,
    max_failures: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Begin no more of several plans after so many failures."
        ),
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal",
            "--resume",
            metavar="FILE",
            help="Where several plans are noted when they are begun and done, to go on from; the "
            "name of the plan file with .journal if left out.",
        ),
    ] = None,
    *,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Carry out exactly the plan in a file, or refuse; or the plans, if there are several.

    Each table must still have the protocol and the metadata that its plan starts from; files
    added since then do not matter. Several plans are noted in a journal when they are begun and
    when they are done: after an interruption the same command goes on with the rest.

    For example:

      deltaadm apply plan.json

      deltaadm apply plans.jsonl --yes --jobs 8 --max-failures 5
    """
    wiring.check_format(output, OutcomeReport)

    def work() -> int:
        text = wiring.read_file(file)
        other = read_best_effort(text)
        if other is not None:
            return apply_saved(other, consent, spark, output)
        plans = read_plans(text)
        if len(plans) == 1 and journal is None:
            return _apply(plans[0], clients, consent, spark, output)
        return carry_out_plans(
            plans,
            journal or journal_of(file),
            Limits(jobs, max_failures),
            clients=clients,
            consent=consent,
            spark=spark,
            output=output,
        )

    return failing_well(str(file), output, work)


def _apply(
    saved: SavedPlan,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    def carry_out() -> int:
        named = [saved.name] if saved.name else []
        with wiring.reading(spark), wiring.catalog(named, spark):
            wiring.look_up(named if saved.before.exists else [], spark)
            for name in named if saved.before.exists else []:
                saved.require_location(wiring.locate(name))
            return carry_out_here()

    def carry_out_here() -> int:
        wanted = Wanted.of(clients, consent, saved.table, saved.location)
        return carry_out_plan(
            saved.table,
            planned(
                saved.location,
                saved.renewed_on,
                wanted,
                name=saved.name,
                may_lack=not saved.before.exists,
            ),
            wanted=wanted,
            consent=consent,
            spark=spark,
            output=output,
        )

    return failing_well(saved.table, output, carry_out)
