"""What a command line says, and what is wrong with one."""

import json
import re
import shlex
import sys
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
from tests.support.rows import with_rows


@with_rows
def test_what_a_command_line_says(line: str, expected: dict[str, Any]) -> None:
    name, *arguments = shlex.split(line)
    found = parse(Command(name), arguments)
    assert json.loads(json.dumps(found, default=str)) == expected


@pytest.mark.parametrize("line", ["inspect -h", "inspect a --version x -h", "inspect -qh a"])
def test_help_is_asked_for_anywhere(line: str) -> None:
    name, *arguments = line.split()
    assert parse(Command(name), arguments) in ({"help": True}, {"short_help": True})


@with_rows
def test_what_is_wrong_with_a_command_line(line: str, sentence: str) -> None:
    name, *arguments = shlex.split(line)
    with pytest.raises(UsageError) as error:
        parse(Command(name), arguments)
    assert error.value.sentence == sentence


def test_another_typer_application_mounts_the_commands(tmp_path: Path) -> None:
    app = typer.Typer()
    app.add_typer(build(), name="delta")
    shown = CliRunner().invoke(app, ["delta", "--help"])
    assert all(re.search(rf"\b{name}\b", shown.output) for name in COMMANDS)
    for words in (["explain", "DL101"], ["inspect", "--help"], ["inspect", str(tmp_path / "x")],
                  ["inspect", "--no"], ["explain", "--", "DL101"]):  # fmt: skip
        found, own = CliRunner().invoke(app, ["delta", *words]), deltaadm(*words)
        assert (found.exit_code, found.stdout, found.stderr) == (own.code, own.out, own.err)


def test_a_run_leaves_the_stack_of_its_process_as_it_was() -> None:
    before = sys.getrecursionlimit()
    assert deltaadm("--version").code == 0
    assert sys.getrecursionlimit() == before
