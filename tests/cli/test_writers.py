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


def test_whoever_ends_lines_otherwise_or_wrote_half_of_one_is_found(events: Table) -> None:
    for file in events.log.glob("*.json"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r"))
    newest = events.log / f"{3:020}.json"
    newest.write_bytes(b'{"commitInfo":{"engineInfo":\r' + newest.read_bytes())
    found = deltaadm("history", events.path, "--by-client", "-o", "json").document["writers"]
    assert [each["client"] for each in found] == [None, "trino", "delta-spark"]
    assert found[2]["applications"] == ["stream"]


def breaks(*arguments: object) -> str:
    """What the plan says it breaks, as one line."""
    run = deltaadm("enable-feature", *arguments, "deletionVectors")
    assert run.code == 0, run.err
    said = run.out[run.out.index("  Breaks") : run.out.index("  Cost")]
    return " ".join(said.split())


def write(events: Table, engine: str, hours: int, version: int = 4) -> None:
    info = commit_info(operation="WRITE", timestamp=NOW - hours * HOUR, engineInfo=engine)
    events.commit(version, info, add(f"f{version}"))


ROWS = ("hive,3.0.0,2026-09-20", "Looker,,2026-09-20T10:00:00Z", "power-bi,,")
