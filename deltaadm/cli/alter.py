"""`deltaadm alter`."""

from typing import Annotated

import typer

from deltaadm.cli.options import (
    ClientOptions,
    ConsentOptions,
    OutputOptions,
    PlanOptions,
    SparkOptionGroup,
    TableArgument,
    expanded,
    pairs,
)
from deltaadm.cli.planning import plan_and_apply
from deltaadm.operations.alter import plan_properties


@expanded
def command(
    table: TableArgument,
    to_set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a property.")
    ] = None,
    to_unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="KEY", help="Remove a property.")
    ] = None,
    checkpoint: Annotated[
        bool,
        typer.Option("--checkpoint", help="Write a checkpoint of the newest version; no Spark."),
    ] = False,
    *,
    planning: PlanOptions,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Set and unset table properties, or write a checkpoint.

    All that is set goes into one commit, all that is unset into another after it, and the
    checkpoint comes last.
    """
    wanted = pairs(to_set, "--set")
    if not wanted and not to_unset and not checkpoint:
        raise typer.BadParameter(
            "give at least one --set, --unset or --checkpoint", param_hint="--set"
        )
    return plan_and_apply(
        table,
        lambda snapshot, session: plan_properties(
            snapshot,
            set_properties=wanted,
            unset=to_unset or (),
            checkpoint=checkpoint,
            session=session,
        ),
        planning=planning,
        clients=clients,
        consent=consent,
        spark=spark,
        output=output,
    )
