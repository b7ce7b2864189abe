"""`deltaadm apply`."""

from pathlib import Path
from typing import Annotated

import typer

from deltaadm.cli import wiring
from deltaadm.cli.options import (
    ClientOptions,
    ConsentOptions,
    OutputOptions,
    SparkOptionGroup,
    expanded,
)
from deltaadm.cli.planning import Wanted, carry_out_plan, failing_well, planned
from deltaadm.operations.plan_document import read_plan
from deltaadm.operations.reports import OutcomeReport


@expanded
def command(
    file: Annotated[Path, typer.Argument(metavar="PLAN", help="A file made with --out.")],
    *,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Carry out exactly the plan in a file, or refuse.

    The table must still have the protocol and the metadata that the plan starts from; files
    added since then do not matter.
    """
    wiring.check_format(output, OutcomeReport)
    return failing_well(
        str(file),
        output,
        lambda: _apply(file, clients, consent, spark, output),
    )


def _apply(
    file: Path,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    saved = read_plan(wiring.read_file(file))

    def carry_out() -> int:
        named = [saved.name] if saved.name else []
        with wiring.reading(spark), wiring.catalog(named, spark):
            wiring.look_up(named, spark)
            for name in named:
                saved.require_location(wiring.locate(name))
            return carry_out_here()

    def carry_out_here() -> int:
        wanted = Wanted.of(clients, consent, saved.table, saved.location)
        return carry_out_plan(
            saved.table,
            planned(saved.location, saved.renewed_on, wanted, name=saved.name),
            wanted=wanted,
            consent=consent,
            spark=spark,
            output=output,
        )

    return failing_well(saved.table, output, carry_out)
