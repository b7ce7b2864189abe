"""
Command lines that are answered without typer.

Importing typer takes longer than inspecting a table. So the plain forms of `inspect` are
understood here, and everything else is left to typer: help, usage errors, rare spellings.
"""

from __future__ import annotations

from deltaadm.dataclass import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

    from deltaadm.operations.inspect import TableReport


@dataclass(frozen=True, slots=True)
class Inspection:
    """What `inspect` is asked for; `output` and `color` as in `OutputOptions`."""

    tables: Sequence[str]
    version: int | None = None
    timestamp: int | None = None
    files: bool = False
    columns: bool = False
    clients: bool = False
    output: str = "text"
    color: str = "auto"


_SWITCHES: Final = {"--files": "files", "--columns": "columns", "--clients": "clients"}
_CHOICES: Final = {"--output": "output", "-o": "output", "--color": "color"}
_COLORS: Final = frozenset({"auto", "always", "never"})


def understood(arguments: Sequence[str]) -> Inspection | None:
    """What the command line asks for; None for whatever typer should look at."""
    if arguments[:1] != ["inspect"]:
        return None
    tables: list[str] = []
    options: dict[str, Any] = {}
    rest = iter(arguments[1:])
    for word in rest:
        if not word.startswith("-"):
            tables.append(word)
        elif word in _SWITCHES:
            options[_SWITCHES[word]] = True
        else:
            name, value = _option(word, next(rest, ""))
            if name is None or name in options:
                return None
            options[name] = value
    if not all(tables) or not tables or options.get("color", "auto") not in _COLORS:
        return None
    from deltaadm.operations.inspect import TableReport
    from deltaadm.render.formats import formats_for

    if options.get("output", "text") not in formats_for(TableReport):
        return None
    return Inspection(tables=tables, **options)


def _option(word: str, value: str) -> tuple[str | None, str | int]:
    """An option that takes a value; None for one that is not known here, or has none."""
    if word in _CHOICES and value and not value.startswith("-"):
        return _CHOICES[word], value
    if word == "--version" and value.isascii() and value.isdecimal():
        return "version", int(value)
    return None, value


def inspect(wanted: Inspection) -> int:
    """Carry out `inspect`; the exit code."""
    from deltaadm.cli import catalogs, streams, wiring

    catalogs.look_up(wanted.tables)
    wiring.do_without_numpy()
    if len(wanted.tables) == 1:
        return streams.reporting(wanted.tables[0], wanted, reporter(wanted))
    from deltaadm.cli.fleet import Fleet, report_all

    return report_all(Fleet(wanted.tables), wanted, reporter(wanted))


def reporter(wanted: Inspection) -> Callable[[str], TableReport]:
    """What makes the report on a table that `inspect` shows."""
    from deltaadm.cli import catalogs, wiring
    from deltaadm.operations.inspect import describe
    from deltaadm.replay.engine import Detail

    detail = Detail.STATE if wanted.files else Detail.PROTOCOL

    def report(table: str) -> TableReport:
        snapshot = wiring.load(
            wiring.locate(table),
            detail=detail,
            version=wanted.version,
            timestamp=wanted.timestamp,
            name=catalogs.name_of(table),
        )
        return describe(table, snapshot, columns=wanted.columns, clients=wanted.clients)

    return report
