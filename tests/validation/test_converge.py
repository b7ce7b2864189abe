"""`validate --fix` brings tables back to their policy, and says why where that is not possible."""

import json
from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.features import FEATURES
from tests.support.clients import ACCEPT_ALL
from tests.support.drift import ALONE, LEFT, SETTINGS, drifted, fleet
from tests.support.program import LogWriter, deltaadm

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


STEPS = [
    ("a feature that is forbidden", ["deletion vectors"],
        'policy.forbidden-features = ["deletionVectors"]', ["drop_feature deletionVectors"]),
    ("one that another needs goes after it", ["row ids"],
        'policy.forbidden-features = ["domainMetadata", "rowTracking"]',
        ["drop_feature rowTracking", "drop_feature domainMetadata"]),
    ("its protection is forbidden as well: history goes", ["V2 checkpoints"],
        'policy.forbidden-features = ["v2Checkpoint", "checkpointProtection"]',
        ["drop_feature v2Checkpoint truncating, in two runs"]),
    ("versions that are too high", ["deletion vectors", "changes"],
        "policy.max-reader-version = 1", ["drop_feature deletionVectors"]),
    ("the writer's version, too: history goes", ["vectors that are off"],
        "policy.max-writer-version = 2", ["drop_feature deletionVectors truncating"]),
    ("a client that must read", ["deletion vectors"], 'clients = ["athena"]',
        ["drop_feature deletionVectors"]),
    ("a client that must write", ["row ids"], 'writers = ["delta-spark@3.1.0"]',
        ["drop_feature rowTracking"]),
    ("mapping that is not allowed, though Iceberg needs it", ["Iceberg"],
        'policy.mapping-modes = ["none"]',
        ["unset_properties", "set_properties"]),
    ("mapping that is missing", [], 'policy.mapping-modes = ["id", "name"]', ["set_properties"]),
    ("a retention above its range", ["long retention"],
        'policy.properties."delta.logRetentionDuration" = {min = "7d", max = "60d"}',
        ["set_properties interval 60 days"]),
    ("one below it, which has to be as long as deleted files are kept",
        ["short retention", "long vacuum"],
        'policy.properties."delta.logRetentionDuration" = {min = "7d", max = "60d"}',
        ["set_properties interval 60 days"]),
    ("consequences are no drift", ["row ids"], """
        policy.required-features = ["rowTracking"]
        policy.forbidden-features = ["domainMetadata"]
        policy.properties."delta.feature.rowTracking" = "supported"
        policy.properties."delta.minWriterVersion" = 7
        """, []),
]  # fmt: skip


@pytest.mark.parametrize(("drifts", "settings", "steps"), [
    pytest.param(*rest, id=name) for name, *rest in STEPS
])  # fmt: skip
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


REASONS = [
    ("a feature that Delta cannot drop", ["identity"],
        'policy.forbidden-features = ["identityColumns"]',
        ("DL904 forbidden-feature-supported: the table feature identityColumns cannot be dropped; "
        "nearest: Copy the table without it (CREATE TABLE … AS SELECT).")),
    ("one whose use can end", ["Iceberg"], 'policy.forbidden-features = ["icebergCompatV1"]',
        ("DL904 forbidden-feature-supported: the table feature icebergCompatV1 cannot be dropped; "
        "nearest: `alter --unset delta.enableIcebergCompatV1` ends its use.")),
    ("a version", ["a type", "mapping"], "policy.max-reader-version = 1",
        ("DL901 reader-version-above-policy: the table feature timestampNtz cannot be dropped; "
        "nearest: version 3.")),
    ("a client, of which a later release can", ["a type"], 'clients = ["delta-spark@2.2.0"]',
        ("DL907 client-cannot-read: delta-spark@2.2.0 cannot read the table because of "
        "protocol.minReaderVersion, timestampNtz, and the table feature timestampNtz cannot be "
        "dropped; nearest: delta-spark@2.4.0 can.")),
    ("a mode that only new tables have", [], 'policy.mapping-modes = ["id"]',
        "DL905 mapping-mode-not-allowed: "),
    ("a property that Delta keeps", ["mapping"],
        'policy.properties."delta.columnMapping.maxColumnId" = 3',
        ("DL906 property-not-as-required: the property delta.columnMapping.maxColumnId cannot be "
        "set by a user; nearest: Delta maintains it; leave it out.")),
    ("a feature that comes with columns", [], 'policy.required-features = ["clustering"]',
        "DL903 required-feature-missing: "),
    ("demands that exclude each other", [],
        'clients = ["synapse-serverless"]\npolicy.required-features = ["deletionVectors"]',
        "DL903 required-feature-missing: another demand excludes it: synapse-serverless"),
]  # fmt: skip


@pytest.mark.parametrize(("drifts", "settings", "reason"), [
    pytest.param(*rest, id=name) for name, *rest in REASONS
])  # fmt: skip
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
