"""Many tables: where they come from, what is shown of them, and going on after an interruption."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from deltaadm.documents import schemas
from deltaadm.runs import fleet
from deltaadm.runs.context import RunContext
from deltaadm.runs.target import Target
from tests.support import tables
from tests.support.oracle import OracleTable
from tests.support.program import deltaadm, process
from tests.support.tables import commit, metadata, protocol

pytestmark = pytest.mark.slow

READING = {
    "inspect": ["inspect"],
    "inspect with files": ["inspect", "--files", "--columns"],
    "validate": ["validate"],
    "validate --deep": ["validate", "--history", "--deep"],
}
each_command = pytest.mark.parametrize("command", READING.values(), ids=READING)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tables.lake(tmp_path / "lake")


# where tables come from


def test_tables_from_standard_input(lake: Path) -> None:
    listed = "\n".join(str(lake / name) for name in ("b/new", "a/old"))
    for text in (listed, f"\ufeff{listed}"):  # as other programs write it, with a mark in front
        result = process("validate", "--tables-from", "-", "-o", "jsonl", stdin=None, input=text)
        assert [line["table"] for line in result.lines] == listed.split("\n")


def test_a_directory_that_cannot_be_listed_is_a_line_of_its_own(lake: Path) -> None:
    (lake / "a" / "closed").mkdir(mode=0)
    if os.access(lake / "a" / "closed", os.R_OK):
        pytest.skip("this user may read everything")
    result = deltaadm("inspect", "--discover", lake / "a", "-o", "jsonl")
    assert [line["error"]["kind"] for line in result.lines if "error" in line] == ["storage"]
    assert (len(result.lines), result.code) == (3, 9)


# the same as one by one


@each_command
@pytest.mark.parametrize("forked", [True, False], ids=["processes", "threads"])
def test_lines_are_those_of_single_runs(
    oracle_tables: dict[str, OracleTable],
    command: list[str],
    forked: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Every recorded table, a stranger among them, and all that is wrong with some."""
    chosen = [str(table.path) for table in oracle_tables.values()]
    chosen = chosen[:: 1 if command[0] == "inspect" else 5]
    chosen.insert(7, str(tmp_path / "nowhere"))
    (tmp_path / "list").write_text("\n".join(chosen))
    monkeypatch.setattr(fleet, "can_fork", lambda: forked)
    alone = [deltaadm(*command, table, "-o", "jsonl", *_isolated(command)) for table in chosen]
    together = deltaadm(
        *command, "--tables-from", tmp_path / "list", "-o", "jsonl", "-j", "3", *_isolated(command)
    )
    assert together.out == "".join(result.out for result in alone)
    assert together.code == 9


def _isolated(command: list[str]) -> list[str]:
    return ["--isolated"] if command[0] == "validate" else []


@pytest.mark.parametrize("form", ["json", "markdown", "html", "text"])
def test_reports_are_the_same_from_processes(
    lake: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Reports come from processes whole, features and files of the log included."""
    given = [lake / "a/old", lake / "b/new", "--jobs"]
    alone = deltaadm("validate", *given, "1", "-o", form)
    looked = deltaadm("inspect", *given, "1", "-o", form)
    monkeypatch.setattr(fleet, "can_fork", lambda: True)
    assert deltaadm("validate", *given, "2", "-o", form) == alone
    assert deltaadm("inspect", *given, "2", "-o", form) == looked


# what is shown


def test_many_healthy_tables_are_counted(tmp_path: Path) -> None:
    for number in range(21):
        tables.table(tmp_path / f"t{number:02}", commit(protocol(), metadata()))
    tables.table(tmp_path / "warned", commit(protocol(9, 9), metadata()))
    tables.table(tmp_path / "x", commit(protocol()))
    result = deltaadm("inspect", "--discover", tmp_path)
    failed, warned, counted, _ = result.out.split("\n", maxsplit=3)
    assert failed.startswith(f"failed      {tmp_path}/x  ")
    assert warned.startswith(f"(9, 9)      {tmp_path}/warned  ")
    assert warned.endswith("! 1 warning")
    assert counted == "21 tables without warnings; --all lists them"
    every = deltaadm("inspect", "--discover", tmp_path, "--all").out.split("\n")
    assert every[:2] == [failed, warned]
    assert every[22].startswith(f"(1, 2)      {tmp_path}/t20")


def test_a_bug_is_the_line_of_its_table(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(target: Target, _: RunContext, **__: Any) -> None:
        raise ZeroDivisionError(target.location)

    monkeypatch.setattr("deltaadm.runs.target.Target.load", load)
    result = deltaadm("inspect", lake / "a/old", lake / "b/new", "-o", "jsonl")
    assert [line["error"]["kind"] for line in result.lines] == ["bug", "bug"]
    assert [line["error"]["exit_code"] for line in result.lines] == [70, 70]
    assert result.code == 9
    assert deltaadm("inspect", lake / "a/old", "-o", "jsonl").code == 70


def test_files_and_standard_output_at_once(lake: Path, tmp_path: Path) -> None:
    files = [f"-o{form}:{tmp_path}/report.{form}" for form in ("json", "sarif")]
    result = deltaadm("validate", "--discover", lake, "--isolated", "-ojsonl", *files)
    saved = json.loads((tmp_path / "report.json").read_text())
    assert saved == [
        {name: line[name] for name in line if name != "request"} for line in result.lines
    ]
    assert (tmp_path / "report.sarif").stat().st_size > 0


# going on


def test_what_is_answered_is_not_asked_again(lake: Path, tmp_path: Path) -> None:
    whole = deltaadm("inspect", "--discover", lake, "-o", "jsonl").out
    lines = whole.splitlines(keepends=True)
    earlier = tmp_path / "run.jsonl"
    earlier.write_text(lines[1] + lines[3] + lines[0][:100])
    more = ["inspect", "--discover", lake, "--resume", earlier]
    result = deltaadm(*more, "-o", "jsonl")
    assert result.out == lines[0] + lines[2] + lines[3], "what failed is tried again"
    assert result.code == 9
    text = deltaadm(*more)
    assert text.out == deltaadm("inspect", "--discover", lake).out


@pytest.mark.parametrize("asked", [["--why"], ["--for-client", "trino"]], ids=str)
def test_each_question_is_gone_on_with(lake: Path, tmp_path: Path, asked: list[str]) -> None:
    given = ["inspect", "--discover", lake, *asked]
    (tmp_path / "run").write_text(deltaadm(*given, "-o", "jsonl").out)
    assert deltaadm(*given, "--resume", tmp_path / "run") == deltaadm(*given)


@pytest.mark.parametrize(("earlier", "now"), [
    (["alter", "--set", "a=b"], ["alter", "--set", "a=c"]),
    (["alter", "--set", "a=b"], ["upgrade-protocol", "--reader", "3"]),
    (["validate"], ["validate", "--history"]),
    (["validate", "--select", "DL1"], ["validate"]),
    (["inspect", "--for-client", "trino"], ["inspect", "--for-client", "hive"]),
    (["inspect"], ["inspect", "--files"]),
    (["inspect", "--version", "0"], ["inspect"]),
    (["inspect", "--why", "clustering"], ["inspect", "--why", "rowTracking"]),
    (["drop-feature", "clustering"], ["drop-feature", "clustering", "--status"]),
    (["drop-feature", "clustering", "--status"], ["drop-feature", "rowTracking", "--status"]),
    (["validate", "--select", "DL101"], ["validate", "--select", "DL102"]),
    (["repair"], ["repair", "--remove-missing-files"]),
], ids=str)  # fmt: skip
def test_answers_to_another_request_are_not_taken(
    lake: Path, tmp_path: Path, earlier: list[str], now: list[str]
) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text(deltaadm(*earlier, "--discover", lake, "-o", "jsonl").out)
    given = ("--discover", lake, "--resume", run)
    assert deltaadm(*earlier, *given, "-o", "jsonl").code != 7
    refused = deltaadm(*now, *given)
    assert (refused.code, refused.out) == (7, "")
    assert "is not the answer to this request" in refused.err


def test_a_run_that_is_killed_again_and_again_comes_to_its_end(tmp_path: Path) -> None:
    """Killed whenever some bytes more are written, wherever in a line that is."""
    start = tables.table(tmp_path / "start", tables.START_BODY)
    names = [tmp_path / "lake" / f"t{number:03}" for number in range(300)]
    (tmp_path / "lake").mkdir()
    for name in names:
        name.symlink_to(start.path)
    (tmp_path / "list").write_text("\n".join(map(str, names)))
    given = ["inspect", "--tables-from", str(tmp_path / "list"), "--jobs", "2", "-o", "jsonl"]
    expected = process(*given).out
    run = tmp_path / "run.jsonl"
    moments = random.Random(4)  # noqa: S311 -- moments, not secrets
    code, kills = -9, 0
    while code < 0:
        code = _killed_after(
            [*given, "--resume", str(run)], run, moments.randrange(len(expected) // 2)
        )
        kills += code < 0
    assert code == 0
    assert kills >= 2
    assert run.read_text() == expected


def _killed_after(arguments: list[str], output: Path, size: int) -> int:
    """Run with *output* appended to, until it is longer by *size* bytes; the exit code."""
    with output.open("ab") as file:
        enough = file.tell() + size
        command = [sys.executable, "-m", "deltaadm", *arguments]
        with subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL) as program:
            while program.poll() is None:
                if output.stat().st_size > enough:
                    program.kill()
                time.sleep(0.001)
    return program.returncode


def test_lines_are_as_their_schema_says(lake: Path) -> None:
    validator = Draft202012Validator(schemas()["line"])
    for command in READING.values():
        for line in deltaadm(*command, "--discover", lake, "-o", "jsonl").lines:
            validator.validate(line)
    with pytest.raises(ValidationError):
        validator.validate({"table": "t"})
