"""`deltaadm upgrade-protocol`."""

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
)
from deltaadm.cli.planning import plan_and_apply
from deltaadm.operations.upgrade_protocol import plan_upgrade


@expanded
def command(
    table: TableArgument,
    reader: Annotated[
        int | None, typer.Option(metavar="N", help="Reader version of at least N.")
    ] = None,
    writer: Annotated[
        int | None, typer.Option(metavar="N", help="Writer version of at least N.")
    ] = None,
    *,
    planning: PlanOptions,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Raise the protocol's versions.

    Without versions: the upgrade that the metadata needs, usually none. Delta keeps the lowest
    versions that support the table's features, and never lowers them this way.
    """
    return plan_and_apply(
        table,
        lambda snapshot, session: plan_upgrade(
            snapshot, reader=reader, writer=writer, session=session
        ),
        planning=planning,
        clients=clients,
        consent=consent,
        spark=spark,
        output=output,
    )
