"""Command lines that are answered without typer mean the same as with it."""

from dataclasses import fields
from typing import Any

import typer.main
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.cli.app import build
from deltaadm.cli.options import FleetOptions, SparkOptionGroup
from deltaadm.cli.quick import Inspection, understood

WORDS = st.sampled_from(
    [
        "--output",
        "-o",
        "--output=json",
        "-ojson",
        "--color",
        "--color=never",
        "--version",
        "--timestamp",
        "--files",
        "--columns",
        "--clients",
        "--help",
        "--",
        "-",
        "",
        "json",
        "text",
        "sql",
        "never",
        "blue",
        "3",
        "-3",
        "+3",
        "1e3",
        "٣",
        "/data/events",
        "a b",
        "s3://bucket/x",
    ]
)


def by_typer(arguments: list[str]) -> dict[str, Any] | None:
    """The values that typer finds; None for a usage error or help."""
    group = typer.main.get_command(build(["inspect"]))
    command = group.commands["inspect"]  # type: ignore[attr-defined]
    try:
        return command.make_context("inspect", list(arguments)).params
    except (typer.TyperException, typer.Exit):
        return None


@given(st.lists(WORDS, min_size=1, max_size=7))
def test_what_is_understood_is_what_typer_understands(arguments: list[str]) -> None:
    found = understood(["inspect", *arguments])
    if found is None:
        return
    told = by_typer(arguments)
    assert told is not None
    assert told.pop("timestamp") is None
    assert told.pop("save_as") is None
    groups = fields(SparkOptionGroup) + fields(FleetOptions)
    plain = (None, False, (), [], "embedded")
    assert all(told.pop(one.name) in plain for one in groups)
    assert found == Inspection(**{**told, "tables": list(told["tables"])})


def test_usual_command_lines_are_understood() -> None:
    assert understood(
        ["inspect", "a", "b", "-o", "json", "--files", "--version", "3"]
    ) == Inspection(tables=["a", "b"], output="json", files=True, version=3)


def test_everything_else_is_left_to_typer() -> None:
    for line in ("inspect", "inspect --help", "inspect a -o sql", "inspect a --no", "validate a"):
        assert understood(line.split()) is None
