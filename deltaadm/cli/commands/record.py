"""`deltaadm record`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import (
    TABLES_HELP,
    AccessOptions,
    FleetOptions,
    OutputOptions,
    SparkOptionGroup,
    require_tables,
)
from deltaadm.runs.output import handle_errors
from deltaadm.runs.record import record_tables
from deltaadm.runs.sessions import log_reader

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Record(Parameters):
    """
    Writes a reference file, with which `diff` compares the tables later: protocol, schema,
    clustering and properties, no secrets and no times, so that the same tables give the same file.

    For example:

      deltaadm record /data/events --out events.json

      deltaadm record --discover /data --out reference.json
    """

    tables: list[str] | None = argument(metavar="TABLE...", help=TABLES_HELP)
    out: Path | None = option(metavar="FILE", help="The file, instead of standard output.")
    many: FleetOptions
    access: AccessOptions
    spark: SparkOptionGroup


def command(options: Record, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    named, many = options.tables or [], options.many
    require_tables(named, many)
    for name in ("brief", "resume"):
        if getattr(many, name):
            raise UsageError("is not for record", option=f"--{name}")
    context = context.with_request(options.spark, OutputOptions(), options.access)

    def answer() -> int:
        with log_reader(context, named, many) as reader:
            return record_tables(reader, named, many, options.out)

    return handle_errors(context, "", answer)
