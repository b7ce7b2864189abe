"""`deltaadm set-mapping-mode`."""

from typing import Annotated

import typer

from deltaadm.cli.options import (
    ChangeOptions,
    FleetOptions,
    NotEnough,
    TableArgument,
    expanded,
    split_words,
)
from deltaadm.cli.plans import plan_tables
from deltaadm.domain.column_mapping import ColumnMappingMode
from deltaadm.operations.set_mapping_mode import plan_mapping_mode


@expanded
def command(
    table: TableArgument = None,
    mode: Annotated[
        ColumnMappingMode | None,
        typer.Argument(
            metavar="MODE",
            help="none, name or id; the only argument where options name the tables.",
            case_sensitive=False,
            show_default=False,
        ),
    ] = None,
    *,
    many: FleetOptions,
    change: ChangeOptions,
) -> int:
    """
    Turn column mapping on, or off by rewriting the table.

    An existing table can go from none to name, which touches no data file, and back to none,
    which rewrites all of them. The mode id can only be chosen when a table is created.

    For example:

      deltaadm set-mapping-mode /data/events name

      deltaadm set-mapping-mode --discover /data name --check
    """
    tables, words = split_words([table, mode and mode.value], many)
    wanted = _mode(words)
    return plan_tables(
        tables,
        many,
        lambda _, snapshot, session: plan_mapping_mode(snapshot, wanted, session=session),
        change=change,
    )


def _mode(words: list[str]) -> ColumnMappingMode:
    """The mode that the arguments beside the table name; anything else is a usage error."""
    try:
        [word] = words
        return ColumnMappingMode(word.lower())
    except ValueError:
        modes = ", ".join(one.value for one in ColumnMappingMode)
        if not words:
            raise NotEnough(f"Name a MODE: {modes}.") from None
        raise typer.BadParameter(
            f"{' '.join(words)!r} is not one of {modes}", param_hint="MODE"
        ) from None
