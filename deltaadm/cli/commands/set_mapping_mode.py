"""`deltaadm set-mapping-mode`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.errors import UsageError
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import TABLE_HELP, FleetOptions
from deltaadm.runs.plan_options import ChangeOptions, split_words
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.runs.planners import plan_mapping_mode

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class SetMappingMode(Parameters):
    """
    An existing table can be changed from none to name, which rewrites no data files, and back to
    none, which rewrites all of them. The mode id can only be set when a table is created.

    For example:

      deltaadm set-mapping-mode /data/events name

      deltaadm set-mapping-mode --discover /data name --check
    """

    table: str | None = argument(metavar="TABLE", help=TABLE_HELP)
    mode: ColumnMappingMode | None = argument(
        metavar="MODE",
        help="none, name or id; the only argument if options name the tables.",
        any_case=True,
    )
    many: FleetOptions
    change: ChangeOptions


def command(options: SetMappingMode, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    tables, words = split_words([options.table, options.mode and options.mode.value], options.many)
    mode = _mode(words)
    return plan_tables(
        context,
        tables,
        options.many,
        plan_mapping_mode(mode),
        change=options.change,
    )


def _mode(words: list[str]) -> ColumnMappingMode:
    """The mode that the arguments beside the table name; anything else is a usage error."""
    try:
        [word] = words
        return ColumnMappingMode(word.lower())
    except ValueError:
        modes = ", ".join(mode.value for mode in ColumnMappingMode)
        if not words:
            raise UsageError(f"Specify a MODE: {modes}.") from None
        raise UsageError(f"{' '.join(words)!r} is not one of {modes}", option="MODE") from None
