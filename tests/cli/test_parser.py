"""What a command line says, and what is wrong with one."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from deltaadm.cli.app import build
from deltaadm.cli.program import parse
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.errors import UsageError
from tests.support.program import deltaadm

UNDERSTOOD: dict[str, dict[str, Any]] = {
    "inspect a b --files": {"tables": ["a", "b"], "files": True},
    "inspect --files a -- --files -h": {"tables": ["a", "--files", "-h"], "files": True},
    "inspect - --tables-from -": {"tables": ["-"], "tables_from": Path("-")},
    "inspect --discover /a --discover=/b": {"discover": ["/a", "/b"]},
    "inspect a -o json": {"tables": ["a"], "output": "json"},
    "inspect a -ojson": {"tables": ["a"], "output": "json"},
    "inspect a --output=text": {"tables": ["a"], "output": "text"},
    "inspect a --output=": {"tables": ["a"], "output": ""},
    "inspect a -qq": {"tables": ["a"], "quiet": 2},
    "inspect a -q --quiet": {"tables": ["a"], "quiet": 2},
    "inspect a -vqo json": {"tables": ["a"], "quiet": 1, "verbose": 1, "output": "json"},
    "inspect a --version 3": {"tables": ["a"], "version": 3},
    "inspect a --version x --version 3": {"tables": ["a"], "version": 3},
    "inspect a --timestamp -1": {"tables": ["a"], "timestamp": "-1"},
    "inspect a -j 2": {"tables": ["a"], "jobs": 2},
    "alter a --set k=v --set x=--y": {"tables": ["a"], "set_properties": ["k=v", "x=--y"]},
    "create a --schema 'id BIGINT, day DATE'": {"table": "a", "schema": "id BIGINT, day DATE"},
    "enable-feature a b c": {"table": "a", "features": ["b", "c"]},
    "drop-feature a b": {"table": "a", "feature": "b"},
    "features": {},
}


@pytest.mark.parametrize("line", UNDERSTOOD)
def test_what_a_command_line_says(line: str) -> None:
    name, *arguments = shlex.split(line)
    found = parse(Command(name), arguments)
    assert found == UNDERSTOOD[line]


@pytest.mark.parametrize("line", ["inspect -h", "inspect a --version x -h", "inspect -qh a"])
def test_help_is_asked_for_anywhere(line: str) -> None:
    name, *arguments = line.split()
    assert parse(Command(name), arguments) in ({"help": True}, {"short_help": True})


NOT_UNDERSTOOD = {
    "inspect --no": "There is no option --no.", "inspect -h --no": "There is no option --no.",
    "inspect -qx": "There is no option -x.", "inspect a -o": "Option '-o' requires an argument.",
    "inspect a --files=1": "Option '--files' does not take a value.",
    "inspect a --jobs 0": "--jobs / -j: 0 is less than 1.",
    "inspect a --jobs ²": "--jobs / -j: '²' is not a number.",
    "inspect a --engine x": "--engine: 'x' is not one of 'embedded', 'spark'.",
    "inspect a ''": "TABLE: is empty.",
    "completion bsh": "SHELL: 'bsh' is not one of 'bash', 'zsh', 'fish', 'powershell'.",
    "history a b c": "Unexpected argument 'b c'.", "history -q": "TABLE is missing.",
    "set-mapping-mode none t": "TABLE: the table comes first, and 'none' is a MODE.",
}  # fmt: skip


@pytest.mark.parametrize("line", NOT_UNDERSTOOD)
def test_what_is_wrong_with_a_command_line(line: str) -> None:
    name, *arguments = shlex.split(line)
    with pytest.raises(UsageError) as error:
        parse(Command(name), arguments)
    assert error.value.sentence == NOT_UNDERSTOOD[line]


def test_another_typer_application_mounts_the_commands(tmp_path: Path) -> None:
    app = typer.Typer()
    app.add_typer(build(), name="delta")
    shown = CliRunner().invoke(app, ["delta", "--help"])
    assert all(re.search(rf"\b{name}\b", shown.output) for name in COMMANDS)
    for words in (["explain", "DL101"], ["inspect", "--help"], ["inspect", str(tmp_path / "x")],
                  ["inspect", "--no"], ["explain", "--", "DL101"]):  # fmt: skip
        found, own = CliRunner().invoke(app, ["delta", *words]), deltaadm(*words)
        assert (found.exit_code, found.stdout, found.stderr) == (own.code, own.out, own.err)
