"""Who wrote a table, as `inspect`, `history --by-client` and plans say it."""

from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import deltaadm
from tests.support.tables import Table, add, commit_info, metadata, protocol, txn

HOUR = 3_600_000
NOW = 1_790_000_000_000
TRINO, SPARK = "trino-470-20a1", "Apache-Spark/4.2.0 Delta-Lake/4.4.0"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(NOW // 1000))


@pytest.fixture
def events(tmp_path: Path) -> Table:
    """Created by Spark, appended to by a stream, then by Trino three hours ago, last by nobody."""
    made = tables.table(tmp_path / "events")
    names = [{"engineInfo": SPARK}, {"engineInfo": SPARK}, {"clusterId": TRINO}, {}]
    for version, name in enumerate(names):
        info = commit_info(operation="WRITE", timestamp=NOW - (5 - version) * HOUR, **name)
        actions = [protocol(), metadata()] if not version else [add(f"f{version}")]
        actions += [txn("stream", 7)] if version == 1 else []
        made.commit(version, info, *actions)
    return made


def test_inspect_shows_the_writers_since_the_checkpoint(events: Table) -> None:
    found = deltaadm("inspect", events.path, "-o", "json").document["writers"]
    assert [(each["client"], each["version"], each["commits"]) for each in found] == [
        (None, None, 1),
        ("trino", "470", 1),
        ("delta-spark", "4.4.0", 2),
    ]
    assert found[2]["applications"] == ["stream"]
    assert found[1]["first"] == found[1]["last"] == NOW - 3 * HOUR
    events.checkpoint(2, [protocol(), metadata()])
    shown = deltaadm("inspect", events.path)
    assert "(not told)" in shown.out
    assert "trino@470  " not in shown.out
    assert "--by-client" in shown.out


def test_what_was_read_of_the_state_is_told(events: Table) -> None:
    run = deltaadm("inspect", events.path, "--files", "-o", "json")
    assert run.document["streams"] == [
        {"application": "stream", "version": 7, "last_updated": None}
    ]
    assert deltaadm("inspect", events.path, "-o", "json").document["streams"] is None


def test_history_by_client_reads_what_inspect_does_not(events: Table) -> None:
    events.checkpoint(3, [protocol(), metadata()])
    found = deltaadm("history", events.path, "--by-client", "-o", "json").document
    assert (found["first_version"], found["last_version"]) == (0, 3)
    assert sum(each["commits"] for each in found["writers"]) == 4
    later = deltaadm("history", events.path, "--by-client", "--since", "2", "-o", "json").document
    assert [each["client"] for each in later["writers"]] == [None, "trino"]
    text = deltaadm("history", events.path, "--by-client", "--until", "2026-09-21T10:30:00Z").out
    assert "delta-spark@4.4.0  2 " in text
    assert "trino" not in text
    assert "no trace of clients that only read" in text


def test_history_by_client_shows_no_changes(events: Table) -> None:
    run = deltaadm("history", events.path, "--by-client", "--schema")
    assert (run.code, "--by-client" in run.err) == (2, True)


def test_damage_in_what_only_says_who_wrote_does_no_harm(events: Table) -> None:
    path = events.log / f"{1:020d}.json"
    path.write_bytes(b'{"commitInfo": 7, "txn": "x"}\n{"commitInfo":\n}\n')
    run = deltaadm("inspect", events.path, "-o", "json")
    assert run.code == 0
    assert sum(each["commits"] for each in run.document["writers"]) == 4
