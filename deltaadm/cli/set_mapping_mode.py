"""`deltaadm set-mapping-mode`."""

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
from deltaadm.domain.column_mapping import ColumnMappingMode
from deltaadm.operations.set_mapping_mode import plan_mapping_mode


@expanded
def command(
    table: TableArgument,
    mode: Annotated[
        ColumnMappingMode,
        typer.Argument(metavar="MODE", help="none, name or id.", case_sensitive=False),
    ],
    *,
    planning: PlanOptions,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Turn column mapping on, or off by rewriting the table.

    An existing table can go from none to name, which touches no data file, and back to none,
    which rewrites all of them. The mode id can only be chosen when a table is created.
    """
    return plan_and_apply(
        table,
        lambda snapshot, session: plan_mapping_mode(snapshot, mode, session=session),
        planning=planning,
        clients=clients,
        consent=consent,
        spark=spark,
        output=output,
    )
