"""`--commit-engine embedded`: what is committed and refused, and where it is set."""

import json
from pathlib import Path

import pytest
from deltalake import DeltaTable

from tests.support.program import deltaadm
from tests.support.tables import Table, commit, commit_info, metadata, protocol, table

EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")


def test_in_commit_timestamps_increase_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = 4_000_000_000_000
    on = {"delta.enableInCommitTimestamps": "true"}
    path = table(
        tmp_path / "t",
        commit(
            commit_info(inCommitTimestamp=ahead),
            protocol(1, 7, None, ["inCommitTimestamp"]),
            metadata(on),
        ),
    ).path
    monkeypatch.setattr("deltaadm.runs.sessions.now", lambda: 5)
    for version in (1, 2):
        assert deltaadm("alter", path, "--set", f"v={version}", *EMBEDDED).code == 0
        first = (path / "_delta_log" / f"{version:020d}.json").read_text()
        assert first.startswith(f'{{"commitInfo":{{"inCommitTimestamp":{ahead + version},')


def test_a_table_is_created_without_spark(tmp_path: Path) -> None:
    place, schema = tmp_path / "new", "id BIGINT, day DATE"
    result = deltaadm("create", place, "--schema", schema, "--partition-by", "day", *EMBEDDED)
    assert result.code == 0, result.err
    lines = (place / "_delta_log" / f"{0:020d}.json").read_text().splitlines()
    info, made, _ = map(json.loads, lines)
    assert info["commitInfo"]["operation"] == "CREATE TABLE"
    assert made["metaData"]["partitionColumns"] == ["day"]
    assert made["metaData"]["createdTime"] > 1_700_000_000_000
    assert DeltaTable(place).schema().fields[0].name == "id"
    (tmp_path / "link").symlink_to(place)
    inside = deltaadm("create", tmp_path / "link/new", "--schema", schema, "-o", "json").document
    assert f"inside another table, {place}, whose VACUUM" in inside["notes"][0]


def test_the_engine_of_the_settings_commits(
    small: Table, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    change = ("alter", small.path, "--apply", "--yes", "--set")
    monkeypatch.setenv("DELTAADM_COMMIT_ENGINE", "embedded")
    assert deltaadm("enable-feature", small.path, "rowTracking", "--apply", "--yes").code == 7
    assert deltaadm(*change, "a=1").code == 0
    monkeypatch.delenv("DELTAADM_COMMIT_ENGINE")
    (tmp_path / "mine.toml").write_text('commit-engine = "embedded"\n')
    monkeypatch.setenv("DELTAADM_CONFIG", str(tmp_path / "mine.toml"))
    assert deltaadm(*change, "a=2").code == 0
