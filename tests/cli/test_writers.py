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
    assert "trino@470  " not in shown.out
    assert "--by-client" in shown.out


def test_what_was_read_of_the_state_is_told(events: Table) -> None:
    events.checkpoint(3, [protocol(), metadata(), txn("older", 1), txn("stream", 7)])
    for options, streams in ((["--files"], ["older", "stream"]), ([], [])):
        found = deltaadm("inspect", events.path, "-o", "json", *options).document["writers"]
        assert sorted(name for each in found for name in each["applications"]) == streams
        assert sum(each["commits"] for each in found) == 1


def test_history_by_client_reads_what_inspect_does_not(events: Table) -> None:
    events.checkpoint(3, [protocol(), metadata()])
    found = deltaadm("history", events.path, "--by-client", "-o", "json").document
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


def breaks(*arguments: object) -> str:
    """What the plan says it breaks, as one line."""
    run = deltaadm("enable-feature", *arguments, "deletionVectors")
    assert run.code == 0, run.err
    said = run.out[run.out.index("  Breaks") : run.out.index("  Cost")]
    return " ".join(said.split())


def write(events: Table, engine: str, hours: int, version: int = 4) -> None:
    info = commit_info(operation="WRITE", timestamp=NOW - hours * HOUR, engineInfo=engine)
    events.commit(version, info, add(f"f{version}"))


def test_plans_judge_who_wrote_lately_first(events: Table) -> None:
    write(events, "delta-rs:py-1.0.0", 2)
    seen = "can no longer read: delta-rs@1.0.0, which wrote 2 hours ago (deletionVectors)"
    assert breaks(events.path).startswith(f"Breaks {seen} cannot read: daft")
    # Who names clients hears of those that were seen as well.
    declared = breaks(events.path, "--for-client", "duckdb")
    assert declared.startswith(f"Breaks {seen} + ")


def test_plans_know_who_wrote_before_the_checkpoint(events: Table) -> None:
    write(events, "delta-rs:py-1.0.0", 2)
    write(events, SPARK, 1, version=5)
    events.checkpoint(5, [protocol(), metadata()])
    assert "delta-rs@1.0.0, which wrote 2 hours ago" in breaks(events.path)
    assert "which wrote" not in breaks(events.path, "--observed-for", "90m")


def test_who_wrote_long_ago_counts_only_as_the_last(events: Table) -> None:
    write(events, "delta-rs:py-1.0.0", 24 * 31)
    assert "delta-rs@1.0.0, which wrote 31 days ago" in breaks(events.path)
    write(events, SPARK, 1, version=5)
    assert "delta-rs" not in breaks(events.path)
    assert "which wrote 31 days ago" in breaks(events.path, "--observed-for", "60d")


ROWS = ("hive,3.0.0,2026-09-20", "Looker,,2026-09-20T10:00:00Z", "power-bi,,")


@pytest.mark.parametrize("text", [
    "\n".join(("client,version,last_seen", *ROWS, "polars,2.1.0,2020-01-01")),
    ('{"client": "hive", "version": "3.0.0", "last_seen": "2026-09-20"}\n\n'
    '{"client": "Looker", "last_seen": 1789898400000}\n{"client": "powerbi"}\n'
    '{"client": "polars", "version": "2.1.0", "last_seen": 0}\n'),
], ids=["CSV", "JSON lines"])  # fmt: skip
def test_readers_come_from_access_logs(events: Table, tmp_path: Path, text: str) -> None:
    file = tmp_path / "readers"
    file.write_text(text)
    found = deltaadm("inspect", events.path, "--readers", file, "-o", "json").document["readers"]
    assert [(each["engine"], each["client"], each["version"]) for each in found] == [
        ("hive@3.0.0", "hive", "3.0.0"),
        ("Looker", None, None),
        ("power-bi", "power-bi", None),
    ]
    assert found[2]["last"] is None
    assert (
        "Looker, 2026-09-20 10:00: READ" in deltaadm("inspect", events.path, "--readers", file).out
    )
    told = breaks(events.path, "--readers", file)
    assert told.startswith("Breaks can no longer read: hive, which read 1 day ago (reader version)")


@pytest.mark.parametrize(("text", "words"), [
    ("a,b\n1,2\n", "a row has no client"),
    ("client,last_seen\ntrino,soon\n", "'soon' is not a time"),
    ('{"client": "trino"\n', "does not name readers"),
    ("{}\n[]\n", "does not name readers"),
    (None, "cannot be read"),
])  # fmt: skip
def test_other_files_are_refused(
    events: Table, tmp_path: Path, text: str | None, words: str
) -> None:
    file = tmp_path / "readers"
    if text is not None:
        file.write_text(text)
    run = deltaadm("inspect", events.path, "--readers", file)
    assert run.code != 0
    assert words in " ".join(run.err.split())
    assert "Traceback" not in run.err


@pytest.mark.usefixtures("events")
def test_fleets_count_writers(tmp_path: Path) -> None:
    tables.table(tmp_path / "other").commit(
        0, commit_info(engineInfo=SPARK), protocol(), metadata()
    )
    run = deltaadm("inspect", "--discover", tmp_path)
    line = " ".join(run.out[run.out.index("written by") :].split())
    assert line.startswith("written by 2 x delta-spark@4.4.0; 1 x (not recorded); 1 x trino@470")


def test_secrets_in_names_of_writers_are_masked(events: Table) -> None:
    write(events, "https://ann:hunter2@example.com/engine", 1)
    for options in ([], ["-o", "json"]):
        for command in (["inspect"], ["history", "--by-client"]):
            assert "hunter2" not in deltaadm(*command, events.path, *options).out
