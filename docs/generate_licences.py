# ruff: noqa: INP001 -- a script, not a package
"""Print docs/licences.md: the licences of what deltaadm is installed with."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import Distribution

INTRODUCTION = """\
# Licences

<!-- Written by `python3 dev.py docs` from the metadata of installed packages; do not edit. -->

deltaadm itself is under the [Apache License 2.0](../LICENSE) and contains no code of others.
These packages are installed with it, because it needs them or because one of them does, on Linux
with Python 3.11; an extra is in brackets. The jars of Delta Lake, Spark and its connectors are no
part of the package: Spark fetches them from Maven Central when it starts, each under its own
licence.

| package | for | licence |
|---|---|---|
"""

REQUIREMENT = re.compile(r"([\w.-]+)\s*(?:\[([\w, -]*)\])?[^;]*(?:;(.*))?")
FROM_CLASSIFIERS = "License :: OSI Approved :: "


def page() -> str:
    """The whole page."""
    found: dict[str, str] = {}
    for extra in ("", "spark", "connect"):
        for name in needed("deltaadm", {extra} if extra else set(), set()):
            found.setdefault(name, f"`[{extra}]`" if extra else "always")
    rows = (f"| {name} | {use} | {licence(distribution(name))} |" for name, use in found.items())
    return INTRODUCTION + "\n".join(sorted(rows, key=str.lower)) + "\n"


def needed(name: str, extras: set[str], seen: set[str]) -> Iterator[str]:
    """What the distribution called *name* requires with *extras*, and what that does in turn."""
    for text in distribution(name).requires or ():
        match = REQUIREMENT.match(text)
        if match is None or not holds(match[3] or "", extras):
            continue
        other, more = normalized(match[1]), {each.strip() for each in (match[2] or "").split(",")}
        try:
            distribution(other)
        except PackageNotFoundError:  # needed on another system, or by another Python
            continue
        key = f"{other}[{','.join(sorted(more))}]"
        if key not in seen:
            seen.add(key)
            yield other
            yield from needed(other, more - {""}, seen)


def holds(marker: str, extras: set[str]) -> bool:
    """Whether *marker*, of a requirement, is true for one of *extras*, or without any."""
    from packaging.markers import Marker

    if not marker.strip():
        return True
    return any(Marker(marker).evaluate({"extra": extra}) for extra in extras or {""})


def normalized(name: str) -> str:
    """The name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(package: Distribution) -> str:
    """What the metadata says: an expression, or else a classifier, or else a short text."""
    data = package.metadata
    if expression := data.get("License-Expression"):
        return expression
    classifiers = [
        each.removeprefix(FROM_CLASSIFIERS)
        for each in data.get_all("Classifier") or ()
        if each.startswith(FROM_CLASSIFIERS)
    ]
    said = (data.get("License") or "").strip().splitlines()
    return ", ".join(classifiers) or (said[0] if said else "not said")


if __name__ == "__main__":
    sys.stdout.write(page())
