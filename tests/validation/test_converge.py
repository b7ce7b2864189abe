"""`validate --fix` brings tables back to their policy, and says why where that is not possible."""

import json
from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.features import FEATURES
from tests.support.clients import ACCEPT_ALL
from tests.support.drift import ALONE, LEFT, SETTINGS, drifted, fleet
from tests.support.program import LogWriter, deltaadm
from tests.support.rows import with_rows

CONSENT = (
    "--yes", "--allow-rewrite", "--allow-backfill", *ACCEPT_ALL,
    *(word for name in FEATURES for word in ("--accept-irreversible", name)),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())


RULES = ("--select", "DL9", "-o", "json")


def planned(settings: str, *drifts: str) -> Any:
    Path("deltaadm.toml").write_text(settings)
    return deltaadm("validate", drifted(Path(), 0, drifts), "--fix", *RULES).document


@with_rows
def test_what_is_planned(drifts: list[str], settings: str, steps: list[str]) -> None:
    found = planned(settings, *drifts)
    words = [
        " ".join(filter(None, (
            step["kind"], step.get("feature"), step.get("truncate_history") and "truncating",
            *(value for key, value in step.get("properties", {}).items() if "Retention" in key),
        ))) + ", in two runs" * step.get("waits", False)
        for step in found["steps"]
    ]  # fmt: skip
    assert words == steps
    assert found["unfixed"] == sum(step.get("waits", False) for step in found["steps"])
    assert sum("Not fixed" in note for note in found["notes"]) == 0


@with_rows
def test_what_cannot_be_reached_says_why_and_what_is_nearest(
    drifts: list[str], settings: str, reason: str
) -> None:
    found = planned(settings, *drifts)
    notes = [note for note in found["notes"] if note.startswith(f"Not fixed: {reason}")]
    assert len(notes) == 1, found["notes"]
    assert found["is_noop"]
    assert found["unfixed"] == 1


def converge(tmp_path: Path, size: int) -> None:
    """Tables with drift of every kind: one run, and nothing is left that can be reached."""
    fleet(tmp_path / "lake", size)
    Path("deltaadm.toml").write_text(SETTINGS)
    given = ("validate", "--discover", tmp_path / "lake", "-o", "jsonl")
    before = {code for line in deltaadm(*given).lines for code in _codes(line)}
    assert before >= {f"DL90{number}" for number in range(1, 9)}
    done = deltaadm(*given, "--fix", "--out", "plans.jsonl", "--apply", *CONSENT)
    assert [line for line in done.lines if "error" in line or line["outcome"]["mismatches"]] == []
    plans = [json.loads(line) for line in Path("plans.jsonl").read_text().splitlines()]
    notes = {plan["table"]: plan["notes"] for plan in plans}
    left = {line["table"]: _codes(line) for line in deltaadm(*given).lines}
    for name, codes in left.items():
        later = {note[:5] for note in notes[name] if "only after a later run" in note}
        missed = {note.split()[2] for note in notes[name] if note.startswith("Not fixed:")}
        assert codes == later | missed
    by_number = {int(name[-4:]): codes for name, codes in left.items()}
    assert {kind: by_number[n] for n, kind in enumerate(ALONE) if by_number[n]} == LEFT
    again = deltaadm(*given, "--fix").lines
    assert [line["table"] for line in again if not line["is_noop"]] == []
    assert len(again) == size


def _codes(line: Any) -> set[str]:
    return {found["code"] for found in line["findings"] if found["severity"] == "error"}


@pytest.mark.slow
def test_a_fleet_is_back_at_its_policy_after_one_run(tmp_path: Path) -> None:
    converge(tmp_path, len(ALONE) + 8)


@pytest.mark.matrix
def test_a_large_fleet_is_back_at_its_policy_after_one_run(tmp_path: Path) -> None:
    converge(tmp_path, 2000)
