"""How much a run says about itself, and where."""

import json
import re
from pathlib import Path

import pytest

from deltaadm.runs.progress import Progress
from tests.support.program import Result, deltaadm
from tests.support.tables import Table

SAID = "Nothing was changed. To apply:"


def planned(table: Table, *options: object) -> Result:
    result = deltaadm("alter", table.path, "--set", "a=b", *options)
    assert result.code == 0
    return result


def test_messages_for_programs(small: Table, tmp_path: Path) -> None:
    [message] = map(json.loads, planned(small, "--log-format", "json").err.splitlines())
    assert message["level"] == "info"
    assert message["message"].startswith(f"{SAID} deltaadm alter ")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", message["time"])
    broken = deltaadm("inspect", tmp_path / "nothing", "--log-format", "json")
    [error] = map(json.loads, broken.err.splitlines())
    assert error["level"] == "error"


def test_progress_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr("deltaadm.runs.progress.time.monotonic", lambda: clock[0])
    progress = Progress("Reading", counts="tables", total=40)
    progress.done = 3
    for clock[0] in (0, 9.9, 10, 15, 20.5):
        progress.tick()
    assert capsys.readouterr().err.splitlines() == [
        "Reading: 3 of 40 tables, 10 s",
        "Reading: 3 of 40 tables, 20 s",
    ]


def test_an_examination_counts_what_passes() -> None:
    progress = Progress("Checking", "events")
    assert not [*progress.watched(())]
    assert progress.counts() == "0 commits, 0 files"
