"""Command lines that are understood without typer mean the same as with it."""

import shlex
from typing import Any
from unittest.mock import patch

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.cli.app import typer_command
from deltaadm.cli.declare import Declared, Parameters
from deltaadm.cli.parser import parse
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.runs.context import RunContext
from deltaadm.runs.status import CommitStatus

VALUES = (
    "json", "sql", "never", "3", "0", "-3", "+3", "1e3", "٣", "/data/events", "a b", "s3://b/x",
    "", "-", "--", "k=v", "name", "NAME", "error", "spark", "delta", "zsh", "replace", "DL4",
)  # fmt: skip


def _spellings(declared: Declared) -> list[list[str]]:
    """How an option can stand on a command line, as words."""
    texts = [*VALUES, *(member.value for member in _members(declared))]
    return [
        *([name] for name in declared.names),
        *([name, text] for name in declared.names for text in texts),
        *([f"{name}={text}"] for name in declared.names for text in texts),
        *([f"{name}{text}"] for name in declared.names for text in ("json", "4")),
        *([name, text, text] for name in declared.names for text in texts if declared.is_pair),
    ]


def _members(declared: Declared) -> list[Any]:
    simple = declared.type_name in {"str", "int", "bool", "Path"} or declared.is_pair
    return [] if simple else list(declared.enumeration)


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A command and words for it, most of which it knows."""
    name = draw(st.sampled_from(sorted(COMMANDS)))
    spellings = [words for declared in Command(name).declared() for words in _spellings(declared)]
    words = st.sampled_from([[text] for text in VALUES]) | st.sampled_from([["--no"], ["-h"]])
    if spellings:
        words = words | st.sampled_from(spellings)
    parts = draw(st.lists(words, max_size=6))
    return name, [word for part in parts for word in part]


def by_typer(name: str, arguments: list[str]) -> Parameters | None:
    """What typer gives the command; None for a usage error or help."""
    command, found = Command(name), []

    def execute(_: Command, values: dict[str, Any], __: RunContext) -> int:
        found.append(command.parameters.of(values))
        return 0

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name)(typer_command(command, RunContext(CommitStatus())))
    app.callback()(lambda: None)
    try:
        with patch("deltaadm.cli.app.execute", execute):
            app(args=[name, *arguments], standalone_mode=False)
    except typer.TyperException:
        return None
    return next(iter(found), None)


@given(command_lines())
def test_what_is_understood_is_what_typer_understands(line: tuple[str, list[str]]) -> None:
    name, arguments = line
    found = parse(Command(name), arguments)
    if found is not None:
        assert Command(name).parameters.of(found) == by_typer(name, arguments)


@pytest.mark.parametrize(
    "line",
    [
        "inspect a b -o json --files --version 3",
        "inspect --discover /data --discover=/more --jobs 4 --save-as delta /data/inventory",
        "validate a --deep --fail-on warning -o text -o sarif:x.sarif --for-client trino@480",
        "enable-feature a deletionVectors rowTracking --apply --yes --spark-conf a.b=c=d",
        "set-mapping-mode a name --check",
        "create a --schema 'id BIGINT, day DATE' --cluster-by day --mode replace",
        "alter a --set k=v --set x=y --add-column 'c INT' --checkpoint --engine spark",
        "drop-feature a deletionVectors --truncate-history --accept-irreversible deletionVectors",
        "apply plan.json -j 2 --journal j.jsonl",
        "features",
        "doctor --start",
        "completion zsh -qq --log-format json",
    ],
)
def test_usual_command_lines_are_understood(line: str) -> None:
    name, *arguments = shlex.split(line)
    found = parse(Command(name), arguments)
    assert found is not None
    assert Command(name).parameters.of(found) == by_typer(name, arguments)


@pytest.mark.parametrize(
    "line",
    ["inspect --help", "inspect a --no", "inspect a -ojson", "inspect a --version -1", "create"],
)
def test_everything_else_is_left_to_typer(line: str) -> None:
    name, *arguments = shlex.split(line)
    assert parse(Command(name), arguments) is None
