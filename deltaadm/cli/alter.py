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
from deltaadm.domain.alter_columns import parse_column
from deltaadm.operations.alter import plan_changes


@expanded
def command(  # noqa: PLR0917 -- in the order of the command line
    table: TableArgument,
    rename: Annotated[
        list[str] | None,
        typer.Option(
            "--rename-column", metavar="COLUMN=NAME", help="Rename a column; the rows stay."
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop-column", metavar="COLUMN", help="Drop a column."),
    ] = None,
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
    Drop and rename columns, set and unset table properties, or write a checkpoint.

    All that is dropped goes into one commit, each renaming into one, all that is set into one
    and all that is unset into one; the checkpoint comes last. Columns are named as they are
    before: s.x is x in the struct s, and backticks go around what has dots in its name.
    """
    wanted = pairs(to_set, "--set")
    renamed = pairs(rename, "--rename-column")
    if not (renamed or drop or wanted or to_unset or checkpoint):
        options = "--drop-column, --rename-column, --set, --unset or --checkpoint"
        raise typer.BadParameter(f"give at least one {options}", param_hint="--set")
    return plan_and_apply(
        table,
        lambda snapshot, session: plan_changes(
            snapshot,
            rename={parse_column(column): name for column, name in renamed.items()},
            drop=[parse_column(column) for column in drop or ()],
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
