"""Losing a race: what others may have committed, what follows theirs, and what gives up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.ddl import parse_definitions
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import AddColumns, ClusterBy, SetProperties, Step
from deltaadm.errors import CommitError
from deltaadm.plans.embedded_executor import EmbeddedExecutor
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import ObjectStores, open_store
from tests.support import oracle
from tests.support.program import deltaadm
from tests.support.tables import (
    Action,
    Table,
    add,
    commit,
    commit_info,
    domain,
    metadata,
    protocol,
    remove,
    table,
    txn,
)

SET = SetProperties({"team": "web"})
HARMLESS: list[list[Action]] = [
    [commit_info(), add("b")],
    [commit_info(isBlindAppend=False), remove("a"), add("c")],
    [commit_info(), txn("stream", 7)],
    [commit_info()],
    [commit_info(), domain("my.own")],
]


def base(path: Path, detail: Detail = Detail.PROTOCOL) -> Snapshot:
    return load_snapshot(open_store(str(path)), detail=detail)


def engine(clock: Callable[[], int] = lambda: 1_800_000_000_000) -> EmbeddedExecutor:
    return EmbeddedExecutor(SessionSettings(), clock)


def actions(made: Table, version: int) -> list[dict[str, Any]]:
    text = (made.path / "_delta_log" / f"{version:020d}.json").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def events(tmp_path: Path) -> Table:
    features = ["appendOnly", "domainMetadata", "clustering"]
    return table(
        tmp_path / "t", commit(protocol(1, 7, None, features), metadata()), commit(add("a"))
    )


def test_a_commit_follows_what_does_not_matter_to_it(events: Table) -> None:
    before = base(events.path)
    for version, found in enumerate(HARMLESS, 2):
        events.commit(version, *found)
    engine().apply(str(events.path), SET, before)
    info, changed = actions(events, 2 + len(HARMLESS))
    assert info["commitInfo"]["readVersion"] == 1 + len(HARMLESS)
    assert changed["metaData"]["configuration"] == {"team": "web"}


@pytest.mark.parametrize(("found", "what", "error_class"), [
    pytest.param([metadata({"x": "1"})], "the metadata", "DELTA_METADATA_CHANGED", id="other"),
    pytest.param([metadata()], "the metadata", "DELTA_METADATA_CHANGED", id="the same again"),
    pytest.param([protocol(1, 7, None, ["appendOnly"])], "the protocol", "DELTA_PROTOCOL_CHANGED",
        id="protocol"),
    pytest.param([{"fromTheFuture": {}}], "is not known", "DELTA_METADATA_CHANGED", id="unknown"),
])  # fmt: skip
def test_nothing_is_committed_after_what_matters(
    events: Table, found: list[Action], what: str, error_class: str
) -> None:
    before = base(events.path)
    events.commit(2, commit_info(), add("b"))
    events.commit(3, commit_info(), *found)
    with pytest.raises(CommitError, match=what) as raised:
        engine().apply(str(events.path), SET, before)
    assert raised.value.delta_error_class == error_class
    assert "Version 3" in raised.value.message
    assert not (events.path / "_delta_log" / f"{4:020d}.json").exists()


def test_a_version_that_cannot_be_read_is_no_reason_to_go_on(events: Table) -> None:
    before = base(events.path)
    (events.path / "_delta_log" / f"{2:020d}.json").write_text("{")
    with pytest.raises(CommitError, match="cannot be read"):
        engine().apply(str(events.path), SET, before)
    assert not (events.path / "_delta_log" / f"{3:020d}.json").exists()


def test_clustering_that_others_change_as_well_is_a_conflict(events: Table) -> None:
    before = base(events.path, Detail.STATE)
    there = '{"clusteringColumns":[],"domainName":"delta.clustering"}'
    events.commit(2, commit_info(), domain("delta.clustering", there))
    step: Step = ClusterBy((("a",),))
    with pytest.raises(CommitError, match=r"domain delta\.clustering"):
        engine().apply(str(events.path), step, before)


def test_what_rests_on_versions_and_times_is_made_anew(events: Table) -> None:
    """The version that enabled in-commit timestamps, and a timestamp later than the winner's."""
    before = base(events.path)
    events.commit(2, commit_info(), add("b"))
    turned_on = SetProperties({"delta.enableInCommitTimestamps": "true"})
    engine().apply(str(events.path), turned_on, before)
    info, changed, _ = actions(events, 3)
    configuration = changed["metaData"]["configuration"]
    stamp = info["commitInfo"]["inCommitTimestamp"]
    assert configuration["delta.inCommitTimestampEnablementVersion"] == "3"
    assert configuration["delta.inCommitTimestampEnablementTimestamp"] == str(stamp)
    before = base(events.path)
    later = stamp + 10**9
    events.commit(4, commit_info(inCommitTimestamp=later), add("c"))
    engine().apply(str(events.path), SET, before)
    assert actions(events, 5)[0]["commitInfo"]["inCommitTimestamp"] == later + 1


def test_columns_of_a_mapped_table_get_names_of_their_own(tmp_path: Path) -> None:
    made = oracle.table("cm-name", tmp_path).path
    step = AddColumns(parse_definitions("x INT, s STRUCT<y: INT>"))
    engine().apply(str(made), step, base(made))
    after = base(made)
    names = [
        field.metadata["delta.columnMapping.physicalName"] for field in after.metadata.schema.fields
    ]
    assert len(set(names)) == len(names)
    assert not [name for name in names if "known" in name]


@pytest.mark.parametrize("name", ["ict", "row-tracking", "check-constraints"])
def test_a_checksum_follows_a_checksum(tmp_path: Path, name: str) -> None:
    """`validate` compares all of its numbers with the log."""
    made = oracle.table(name, tmp_path).path
    before = base(made)
    engine().apply(str(made), SET, before)
    crc = made / "_delta_log" / f"{before.version + 1:020d}.crc"
    found = json.loads(crc.read_text())
    assert found["metadata"]["configuration"]["team"] == "web"
    assert found["txnId"] == base(made).commit_info.txn_id  # type: ignore[union-attr]
    result = deltaadm("validate", made, "--deep", "--history", "--cross-check", "-o", "json")
    assert [
        finding for finding in result.document["findings"] if finding["code"].startswith("DL8")
    ] == []


def test_no_checksum_is_made_up(events: Table) -> None:
    engine().apply(str(events.path), SET, base(events.path))
    assert not list((events.path / "_delta_log").glob("*.crc"))


@pytest.mark.parametrize("damage", [{"numFiles": None}, *[{"domainMetadata": of}
    for of in ([None], ["x"], "x", [{"domain": {}}], [{}])]])  # fmt: skip
def test_a_checksum_that_does_not_fit_is_not_gone_on_with(tmp_path: Path, damage: Any) -> None:
    made = oracle.table("ict", tmp_path).path
    before = base(made)
    crc = made / "_delta_log" / f"{before.version:020d}.crc"
    crc.write_text(json.dumps(json.loads(crc.read_text()) | damage))
    engine().apply(str(made), SET, base(made))
    assert not crc.with_name(f"{before.version + 1:020d}.crc").exists()


@pytest.mark.parametrize("damage", [{"id": ""}, {"format": "parquet"}, {"partitionColumns": None},
    {"schemaString": None}, {"configuration": 1}])  # fmt: skip
def test_metadata_of_a_damaged_checksum_is_not_committed(tmp_path: Path, damage: Any) -> None:
    made = table(tmp_path / "t", commit(protocol(), metadata()), commit(add("a")))
    made.crc(1, [protocol()], metadata=metadata()["metaData"] | damage)
    set_team = ("--set", "team=web", "--apply", "--yes", "--commit-engine", "embedded")
    assert deltaadm("alter", made.path, *set_team).code == 0
    written = actions(made, 2)[1]["metaData"]
    given = metadata()["metaData"] | {"configuration": {"team": "web"}}
    assert {**written, "id": ""} == {**given, "id": ""}


def test_a_table_in_memory_is_changed(tmp_path: Path) -> None:
    import obstore

    made = table(tmp_path / "t", commit(protocol(1, 2), metadata()))
    stores = ObjectStores()
    store = open_store("memory://m/t", object_stores=stores)
    bucket = stores.connections.bucket("memory://m/t")
    body = (made.path / "_delta_log" / f"{0:020d}.json").read_bytes()
    obstore.put(bucket.backend, f"t/_delta_log/{0:020d}.json", body)
    executor = EmbeddedExecutor(SessionSettings(), lambda: 1, stores)
    executor.apply("memory://m/t", SET, load_snapshot(store))
    after = load_snapshot(open_store("memory://m/t", object_stores=stores))
    assert after.version == 1
    assert after.metadata.configuration == {"team": "web"}
