"""`deltaadm enable-feature`."""

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
from deltaadm.operations.enable_feature import plan_features


@expanded
def command(
    table: TableArgument,
    features: Annotated[
        list[str], typer.Argument(metavar="FEATURE...", help="See `deltaadm features`.")
    ],
    support_only: Annotated[
        bool,
        typer.Option("--support-only", help="Add to the protocol without making it active."),
    ] = False,
    *,
    planning: PlanOptions,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Make table features active, with all that they require.

    A feature that no property activates is added to the protocol, and becomes active when the
    schema or a constraint uses it.
    """
    return plan_and_apply(
        table,
        lambda snapshot, session: plan_features(
            snapshot, features, support_only=support_only, session=session
        ),
        planning=planning,
        clients=clients,
        consent=consent,
        spark=spark,
        output=output,
    )
