"""How much a run says about itself, and where."""

import json
import re
from pathlib import Path

import pytest

from deltaadm.runs.progress import Examination, Progress, State
from tests.support import tables
from tests.support.program import Result, deltaadm
from tests.support.tables import Table, commit, metadata, protocol

SAID = "Nothing was changed. To apply:"


def planned(table: Table, *options: object) -> Result:
    result = deltaadm("alter", table.path, "--set", "a=b", *options)
    assert result.code == 0
    return result


def test_a_quiet_run_says_nothing_about_itself(small: Table) -> None:
    assert SAID in planned(small).err
    quiet = planned(small, "-q")
    assert "+ a = b" in quiet.out
    assert quiet.err == ""


@pytest.mark.parametrize("option", [["-qq"], ["-q", "-q"], ["--quiet", "--quiet"]])
def test_errors_and_an_exit_code_only(small: Table, option: list[str], tmp_path: Path) -> None:
    assert planned(small, *option) == Result(0, "", "")
    for words in (["inspect"], ["inspect", "-o", "json"], ["validate"], ["inspect", small.path]):
        missing = deltaadm(*words, tmp_path / "nothing", *option)
        assert (missing.code, missing.out) == (9 if len(words) == 2 and words[1] != "-o" else 3, "")
        assert missing.err.startswith("error: There is no Delta table at ")


def test_files_are_written_by_a_silent_run_too(small: Table, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert deltaadm("validate", small.path, "-qq", "-o", f"json:{report}") == Result(0, "", "")
    assert json.loads(report.read_text())["version"] == 0


def test_a_quiet_check_shows_findings_alone(small: Table, tmp_path: Path) -> None:
    select = ("-q", "--select", "DL1")
    assert deltaadm("validate", small.path, *select) == Result(0, "", "")
    odd = tables.table(tmp_path / "odd", commit(protocol(1, 2), protocol(1, 3), metadata()))
    found = deltaadm("validate", "--table", odd.path, "--table", small.path, *select)
    assert "odd" in found.out
    assert str(small.path) not in found.out
    assert "tables" not in found.out


def test_a_run_that_says_more(small: Table) -> None:
    found = deltaadm("inspect", small.path, "-v")
    assert found.err == f"Read version 0 of {small.path} at {small.path}\n"


def test_errors_of_a_quiet_run(tmp_path: Path) -> None:
    assert deltaadm("inspect", tmp_path, "-q").err.startswith("error: ")


def test_messages_for_programs(small: Table, tmp_path: Path) -> None:
    [message] = map(json.loads, planned(small, "--log-format", "json").err.splitlines())
    assert message["level"] == "info"
    assert message["message"].startswith(f"{SAID} deltaadm alter ")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", message["time"])
    broken = deltaadm("inspect", tmp_path / "nothing", "--log-format", "json")
    [error] = map(json.loads, broken.err.splitlines())
    assert error["level"] == "error"


def test_messages_in_a_file(small: Table, tmp_path: Path) -> None:
    log = tmp_path / "log"
    planned(small, "-q", "--log-file", log)
    planned(small, "--log-file", log)
    deltaadm("inspect", tmp_path / "nothing", "-qq", "--log-file", log)
    read, first, _, second, third = log.read_text().splitlines()
    assert " DEBUG Read version 0 of " in read
    assert f"Z INFO {SAID} deltaadm alter " in first
    assert SAID in second
    assert "Z ERROR " in third


def test_one_run_does_not_quieten_the_next(small: Table) -> None:
    planned(small, "-qq")
    assert SAID in planned(small).err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-q", "-v"], "cannot be combined"),
        (["--log-format", "xml"], "'xml' is not one of text, json"),
    ],
)
def test_odd_wishes(small: Table, options: list[str], words: str) -> None:
    result = deltaadm("inspect", small.path, *options)
    assert result.code == 2
    assert words in result.err


def test_progress_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr("deltaadm.runs.progress.time.monotonic", lambda: clock[0])
    progress = Progress(lambda: State("Reading", counts="tables", done=3, total=40))
    for clock[0] in (0, 9.9, 10, 15, 20.5):
        progress.tick()
    assert capsys.readouterr().err.splitlines() == [
        "Reading: 3 of 40 tables, 10 s",
        "Reading: 3 of 40 tables, 20 s",
    ]


def test_an_examination_counts_what_passes() -> None:
    assert Examination("events").state() == State("Checking", "events", "0 commits, 0 files")
