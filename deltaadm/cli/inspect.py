"""`deltaadm inspect`."""

from datetime import UTC
from pathlib import Path
from typing import Annotated

import typer

from deltaadm.cli import streams, wiring
from deltaadm.cli.fleet import gathered, report_all
from deltaadm.cli.inventory import Inventory
from deltaadm.cli.options import (
    FleetOptions,
    OutputOptions,
    SparkOptionGroup,
    TableArguments,
    expanded,
    require_streaming,
    require_tables,
)
from deltaadm.cli.quick import Inspection, reporter


@expanded
def command(  # noqa: PLR0917 -- in the order of the command line
    tables: TableArguments = None,
    version: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="The table as it was at version N.")
    ] = None,
    timestamp: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="As of a time: ISO 8601, or milliseconds since 1970."),
    ] = None,
    files: Annotated[
        bool,
        typer.Option(
            "--files", help="Count the live files, tell the clustering; reads the whole state."
        ),
    ] = False,
    columns: Annotated[
        bool, typer.Option("--columns", help="List columns with their ids and physical names.")
    ] = False,
    clients: Annotated[
        bool,
        typer.Option("--clients", help="List every client with its verdict and the sources."),
    ] = False,
    save_as: Annotated[
        tuple[str, Path] | None,
        typer.Option(
            metavar="FORMAT PATH",
            help="Save a row for each table as well: delta, parquet or csv, and where.",
        ),
    ] = None,
    *,
    many: FleetOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Show what a table's protocol is, and why it is so.

    Reads the log alone, whatever features the table has; needs neither Spark nor Java, except to
    look up the name of a table in a catalog.

    For example:

      deltaadm inspect /data/events

      deltaadm inspect --discover /data

      deltaadm inspect --discover /data --save-as delta /data/inventory

      deltaadm inspect --discover /data -o jsonl --resume run.jsonl >> run.jsonl
    """
    from deltaadm.operations.inspect import TableReport

    streams.check_format(output, TableReport)
    if version is not None and timestamp is not None:
        raise typer.BadParameter("cannot be combined with --version", param_hint="--timestamp")
    require_tables(tables, many)
    require_streaming(many, output.output)
    wanted = Inspection(
        tables=tables or (),
        version=version,
        timestamp=None if timestamp is None else _milliseconds(timestamp),
        files=files,
        columns=columns,
        clients=clients,
        output=output.output,
        color=output.color,
    )

    def answer() -> int:
        inventories = [Inventory(*save_as)] if save_as else []
        with wiring.reading(spark):
            fleet = gathered(wanted.tables, many, "inspect", spark)
            return report_all(fleet, output, reporter(wanted), also=inventories)

    return streams.failing_well("", output, answer)


def _milliseconds(text: str) -> int:
    """A time without zone is UTC."""
    from datetime import datetime

    try:
        if text.removeprefix("-").isdecimal():
            return int(text)
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a time such as 2026-11-21T10:00:00Z", param_hint="--timestamp"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
