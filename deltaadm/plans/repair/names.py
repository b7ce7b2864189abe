"""Files of the log whose names are not what they should be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf
from typing import Final

from deltaadm.domain.snapshot import Kind, LogFile
from deltaadm.plans.repair.case import Case, sha256
from deltaadm.plans.repair.repair import PARTS, Repair, move_aside, refused, rename

_UNPADDED: Final = r"(?P<version>\d+)(?P<rest>\.json|\.crc|\.checkpoint\.parquet)"
_COPY: Final = (
    r"(?P<version>\d{20})(?P<mid>(?:\.checkpoint)?)"
    r"(?: ?\(\d+\)| - copy(?: \(\d+\))?|[ _.-]copy[ _-]?\d*|_\d)"
    r"(?P<rest>\.json|\.crc|\.parquet)"
)
"""What copy tools make of names of the log."""


def find_names(case: Case) -> Iterator[Repair]:
    """Commits, checkpoints and checksums with wrong padding or case, and duplicates of them."""
    listing = case.listing
    commits = listing.by_kind.get(Kind.COMMIT, ())
    proper = [int(name[:20]) for name in commits if right_name(name) is None]
    newest = max(proper, default=inf)
    taken = {name for name in listing.infos if right_name(name) is None}
    for name in sorted(listing.infos):
        right = right_name(name)
        if right is not None:
            yield _repair(case, name, right, taken, newest)
            taken.add(right)


def right_name(name: str) -> str | None:
    """
    The name that a file of the log should have; None where that is its own, or unknown.

    >>> right_name("5.json"), right_name("00000000000000000005 (1).JSON")
    ('00000000000000000005.json', '00000000000000000005.json')
    """
    lower = name.lower()
    copied = re.fullmatch(_COPY, lower, re.ASCII)
    plain = re.fullmatch(_UNPADDED, lower, re.ASCII)
    if copied is not None:
        return f"{copied['version']}{copied['mid']}{copied['rest']}"
    if plain is None:
        return None
    right = f"{int(plain['version']):020d}{plain['rest']}"
    return right if right != name else None


def _repair(case: Case, name: str, right: str, taken: set[str], newest: float) -> Repair:
    """The repair of the file *name*."""
    file, version = LogFile.of(case.listing.infos[name]), int(right[:20])
    rule = "DL122" if file.kind is Kind.UNKNOWN else "DL105"
    wrong = f"{name} is not called {right}."
    # What readers that take the wrong name for a version may have seen differently.
    alters = () if file.kind is Kind.UNKNOWN else ("version", *PARTS)
    if right in taken:
        if sha256(case.view, name) == sha256(case.view, right):
            wrong, kept = f"{name} is a copy of {right}.", f"{right}, which has the same content"
            return Repair("name", rule, wrong, move_aside(name), kept, alters)
        refusal = f"{right} is there as well, and has other content"
        remedy = "Find out which of the two was committed, from a backup or the writer's log."
        return refused("name", rule, wrong, refusal, remedy)
    if file.kind is not Kind.COMMIT and right.endswith(".json") and version > newest:
        refusal = f"it would make a version {version}, and nothing tells that it was committed"
        remedy = f"If it was, rename it to {right}; otherwise move it out of the log."
        return refused("name", rule, wrong, refusal, remedy)
    return Repair("name", rule, wrong, (rename(name, right),), "its content", alters)
