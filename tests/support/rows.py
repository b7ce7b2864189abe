"""Rows of facts that stand beside a test module, in a file of its name."""

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Test = Callable[..., None]


def with_rows(test: Test) -> Test:
    """
    Give *test* the rows that the file beside its module has under its name, as `parametrize` would.

    `## NAME ARGUMENT ...` begins a test. A row is a line: a JSON array, or `ID: ARRAY`.
    """
    module = str(sys.modules[test.__module__].__file__)
    arguments, given = _tables(Path(module).with_suffix(".txt"))[test.__name__]
    return pytest.mark.parametrize(arguments, given)(test)


def rows_of(module: str, name: str) -> dict[str, list[Any]]:
    """The rows that the file beside the *module* at this path has under *name*, by their ids."""
    _, given = _tables(Path(module).with_suffix(".txt"))[name]
    return {str(row.id): list(row.values) for row in given}


def grouped(module: str, name: str) -> dict[str, list[Any]]:
    """The second value of each row under *name*, by the first one, which several may share."""
    _, given = _tables(Path(module).with_suffix(".txt"))[name]
    found: dict[str, list[Any]] = {}
    for row in given:
        found.setdefault(row.values[0], []).append(row.values[1])
    return found


@functools.cache
def _tables(file: Path) -> dict[str, tuple[list[str], list[Any]]]:
    found: dict[str, tuple[list[str], list[Any]]] = {}
    given: list[Any] = []
    for line in filter(None, file.read_text(encoding="utf-8").split("\n")):
        if line.startswith("## "):
            name, *arguments = line.split()[1:]
            given = []
            found[name] = arguments, given
        else:
            name, start, row = ("", "", line) if line[0] == "[" else line.partition(": [")
            values = json.loads(f"{start[2:]}{row}")
            given.append(pytest.param(*values, id=name or None))
    return found
