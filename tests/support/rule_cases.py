"""Cases for validation rules: a table that breaks a rule, or one that nearly does."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deltaadm.errors import TableError
from deltaadm.replay.examine import Depth, examine
from deltaadm.reports.validate import Demands, choose_rules, unreadable, validate
from deltaadm.rules.rule import Finding, ValidationReport
from deltaadm.storage.store import LogStore, open_store
from deltaadm.storage.unity import RatifiedStore, table_for_delta

NOW: Final = 4_000_000_000_000
"""The time at which all cases are judged, in milliseconds: later than any that a writer notes."""

DEPTHS: Final = {
    "default": Depth(),
    "history": Depth(history=True),
    "deep": Depth(history=True, deep=True),
    "cross-check": Depth(cross_check=True),
}

Make = Callable[[Path], None]


@dataclass(frozen=True)
class Case:
    """A table made below an empty directory; `companions` are other rules that it breaks too."""

    code: str
    name: str
    make: Make
    breaks: bool
    companions: frozenset[str]
    depth: str
    demands: Demands


CASES: Final[list[Case]] = []


def named(cases: Iterable[Case]) -> Iterator[tuple[str, Case]]:
    """*cases* with their names."""
    return ((f"{case.code}-{case.name}", case) for case in cases)


CATALOG: Final = "catalog.json"
"""The file with what a catalog answers about the table, if one was asked."""

UNREMARKABLE: Final = frozenset({"DL223", "DL716", "DL721", "DL810", "DL978"})
"""What hardly any test table bothers about: clients, data files, a checksum, and a catalog."""


NOTHING: Final = Demands()


def breaks(
    codes: str,
    name: str = "",
    make: Make | None = None,
    *,
    depth: str = "default",
    demands: Demands = NOTHING,
) -> Callable[[Make], Make]:
    """
    A table breaks the first of *codes*, and beside it exactly the others.

    A case is a line with its name and how the table is made, or decorates a function that has the
    name and makes the table. *demands* are what the settings and the command line ask of it.
    """
    return _case(codes, name, make, depth, demands, breaks=True)


def respects(
    codes: str,
    name: str = "",
    make: Make | None = None,
    *,
    depth: str = "default",
    demands: Demands = NOTHING,
) -> Callable[[Make], Make]:
    """A table nearly breaks the first of *codes* but is right; it breaks exactly the others."""
    return _case(codes, name, make, depth, demands, breaks=False)


def _case(
    codes: str, name: str, make: Make | None, depth: str, demands: Demands, *, breaks: bool
) -> Callable[[Make], Make]:
    code, *companions = codes.split()

    def register(make: Make) -> Make:
        called = name.replace(" ", "_") or make.__name__
        CASES.append(Case(code, called, make, breaks, frozenset(companions), depth, demands))
        return make

    if make:
        register(make)
    return register


def report(path: Path, depth: str = "default", demands: Demands = NOTHING) -> ValidationReport:
    """What all rules say about the table at *path*, and beside it of what a catalog says."""
    file = path / CATALOG
    try:
        store: LogStore = open_store(str(path))
        if file.exists():
            said = json.loads(file.read_text())
            _, state = table_for_delta(said, ("main", "a", "b"), "The catalog")
            store = RatifiedStore(open_store(str(path)), state)
        facts = examine(store, DEPTHS[depth], now=NOW)
    except TableError as error:
        return unreadable(str(path), error)
    return validate(str(path), facts, choose_rules(), demands=demands)


def findings(path: Path, depth: str = "default", demands: Demands = NOTHING) -> tuple[Finding, ...]:
    """The findings of all rules on the table at *path*."""
    return report(path, depth, demands).findings
