"""Writing a checkpoint: what is in it, when it is refused, and what is left alone."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake

from deltaadm.domain.steps import WriteCheckpoint
from deltaadm.errors import CommitError
from deltaadm.plans.checkpoint import write_checkpoint
from deltaadm.plans.document import saved_document
from deltaadm.plans.plan import propose
from deltaadm.plans.saved import read_plans
from deltaadm.replay.embedded import live_files
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.local import LocalStore
from deltaadm.storage.store import open_store
from tests.support import oracle
from tests.support.program import LogWriter, checkpoint_of, deltaadm, untouched
from tests.support.tables import (
    START_BODY,
    Table,
    add,
    column,
    commit,
    commit_info,
    deletion_vector,
    domain,
    metadata,
    protocol,
    remove,
    schema,
    table,
    txn,
)

pytestmark = pytest.mark.slow

HINT = "_last_checkpoint"
EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """Three versions, written by deltalake, without a checkpoint."""
    path = tmp_path / "events"
    for number in range(3):
        write_deltalake(path, pa.table({"id": [number]}), mode="append")
    return path


def log(path: Path) -> Path:
    return path / "_delta_log"


def hint(path: Path) -> dict[str, Any]:
    return json.loads((log(path) / HINT).read_text())


def state(path: Path) -> object:
    """All that our own replay knows of the newest version."""
    store = open_store(str(path))
    found = load_snapshot(store, detail=Detail.STATE)
    assert found.segment is not None
    files = [
        {
            key: value
            for key, value in file.to_wire().items()
            if key != "dataChange" and value is not None
        }
        for file in live_files(store, found.segment)
    ]
    return (
        *(found.version, found.protocol, found.metadata, found.files),
        *(found.domains, found.transactions),
        sorted(files, key=lambda file: (file["path"], str(file.get("deletionVector")))),
    )


def by_kernel(path: Path) -> object:
    """What deltalake, which is built on the Rust kernel, reads of it."""
    read = DeltaTable(path)
    files = pa.table(read.get_add_actions()).to_pylist()
    try:
        rows = pa.table(QueryBuilder().register("t", read).execute("select * from t").read_all())
    except Exception as error:  # noqa: BLE001 -- the same afterwards, whatever it lacks
        return str(read.protocol()), sorted(map(repr, files)), str(error)
    return str(read.protocol()), sorted(map(repr, files)), sorted(map(repr, rows.to_pylist()))


def leave_checkpoint_alone(path: Path) -> None:
    """Take away what a reader could look at instead of the newest checkpoint."""
    version = hint(path)["version"]
    for file in log(path).iterdir():
        if (file.name[:20].isdigit() and int(file.name[:20]) < version) or file.suffix == ".crc":
            file.unlink()


def written(path: Path) -> dict[str, list[Any]]:
    """The actions in the newest checkpoint, by their names."""
    file = max(log(path).glob("*.checkpoint*.parquet"))
    rows = pq.ParquetFile(file).read()
    return {
        name: [row for row in rows[name].to_pylist() if row is not None]
        for name in rows.column_names
    }


# What is in it


@pytest.mark.parametrize("name", oracle.table_names())
def test_a_table_of_delta_is_the_same_by_its_checkpoint_alone(name: str, tmp_path: Path) -> None:
    # Under a name that deltalake finds.
    path = oracle.table(name, tmp_path).path.rename(tmp_path / "plain")
    expected = state(path), by_kernel(path)
    done = deltaadm("alter", path, "--checkpoint", *EMBEDDED)
    assert done.code == 0, done.err
    leave_checkpoint_alone(path)
    assert (state(path), by_kernel(path)) == expected
    assert deltaadm("validate", path, "--deep", "--select", "DL6").code == 0


FULL = add(
    "p=a%2520b/x.parquet", partitionValues={"p": "a b", "q": None}, stats='{"numRecords":3}',
    tags={"k": "v", "empty": None},
    deletionVector=deletion_vector("ab^-aqEH.-t@S}K{vb[*k^") | {"maxRowIndex": 7},
    baseRowId=5, defaultRowCommitVersion=2, clusteringProvider="liquid",
)  # fmt: skip


def test_every_field_that_the_protocol_defines_is_kept(tmp_path: Path) -> None:
    features = ["deletionVectors", "rowTracking", "domainMetadata", "clustering"]
    made = table(
        tmp_path,
        commit(
            protocol(3, 7, features[:1], features), metadata({"a": "b"}, name="n", description="d")
        ),
        commit(add("old"), add("gone"), txn("app", 1), domain("my.app", '{"x":1}'), domain("out")),
        commit(FULL, remove("gone", deletionTimestamp=time.time_ns() // 10**6, size=7, tags={})),
        commit(txn("app", 2) | {}, domain("out", removed=True)),
        commit(remove("old", deletionTimestamp=5)),
    )
    assert checkpoint_of(made.path)
    found = written(made.path)
    assert [dict(each, partitionValues=0, tags=0) for each in found["add"]] == [
        FULL["add"] | {"partitionValues": 0, "tags": 0, "dataChange": False}
    ]
    assert found["add"][0]["partitionValues"] == [("p", "a b"), ("q", None)]
    assert found["add"][0]["tags"] == [("k", "v"), ("empty", None)]
    # The tombstone that has expired is gone, as Delta has it.
    assert [(each["path"], each["size"], each["dataChange"]) for each in found["remove"]] == [
        ("gone", 7, False)
    ]
    assert found["txn"] == [{"appId": "app", "version": 2, "lastUpdated": None}]
    assert found["domainMetadata"] == [
        {"domain": "my.app", "configuration": '{"x":1}', "removed": False}
    ]
    assert found["metaData"][0]["description"] == "d"
    assert found["protocol"][0]["writerFeatures"] == features


def test_another_checkpoint_is_the_base(tmp_path: Path) -> None:
    """Its tombstones and all fields of its files are carried on, those of sidecars too."""
    now = time.time_ns() // 10**6
    for kind in ("json", "parquet"):
        made = table(
            tmp_path / kind,
            commit(protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"]), metadata()),
            commit(add("a", stats='{"numRecords":1}')),
        )
        actions = [
            *(protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"]), metadata(), txn("t", 4)),
            *(add("a", stats='{"numRecords":1}'), add("b"), remove("r", deletionTimestamp=now)),
        ]
        made.v2_checkpoint(1, actions, kind)
        made.commit(2, remove("b", deletionTimestamp=now))
        assert checkpoint_of(made.path)
        found = written(made.path)
        assert [(each["path"], each["stats"]) for each in found["add"]] == [
            ("a", '{"numRecords":1}')
        ]
        assert {each["path"] for each in found["remove"]} == {"b", "r"}
        assert [each["appId"] for each in found["txn"]] == ["t"]


def test_the_policy_v2_is_followed(tmp_path: Path) -> None:
    features = ["v2Checkpoint"]
    made = table(
        tmp_path,
        commit(protocol(3, 7, features, features), metadata({"delta.checkpointPolicy": "v2"})),
        commit(add("a", stats='{"numRecords":1}'), txn("app", 1)),
    )
    expected = state(made.path), by_kernel(made.path)
    assert checkpoint_of(made.path)
    (file,) = made.log.glob("*.checkpoint.*")
    assert len(file.name) == len(f"{1:020d}.checkpoint.") + 36 + len(".parquet")
    assert written(made.path)["checkpointMetadata"] == [{"version": 1, "tags": None}]
    leave_checkpoint_alone(made.path)
    assert (state(made.path), by_kernel(made.path)) == expected
    assert not checkpoint_of(made.path)
    assert list(made.log.glob("*.checkpoint.*")) == [file]


TYPED = schema(
    *(column("n", "long"), column("f", "float"), column("s", "string"), column("t", "timestamp")),
    *(
        column("c", "decimal(10,2)"),
        column("inner", {"type": "struct", "fields": [column("d", "date")]}),
    ),
    *(column("day", "date"), column("at", "timestamp"), column("name", "string")),
)
STRUCT = {"delta.checkpoint.writeStatsAsStruct": "true"}
STATS = {
    "numRecords": 3,
    "minValues": {"n": -5, "f": 0.1, "s": "a", "t": "2024-01-01T00:00:00.001Z", "c": 1.50,
        "inner": {"d": "2024-02-03"}},
    "maxValues": {"n": 1 << 70, "f": "NaN", "s": None, "t": "soon", "c": 1.505, "inner": {}},
    "nullCount": {"n": 0, "t": 1, "inner": {"d": 2}},
}  # fmt: skip
PARTITION = {"day": "2024-05-06", "at": "2024-05-06T07:08:09.000010Z", "name": ""}


def typed(path: Path, configuration: Mapping[str, str], partition: Mapping[str, Any]) -> Table:
    columns = metadata(configuration, schemaString=TYPED, partitionColumns=["day", "at", "name"])
    files = add("x", partitionValues=partition, stats=json.dumps(STATS))
    return table(path, commit(protocol(1, 3), columns), commit(files))


def test_statistics_and_partition_values_have_the_forms_that_the_table_asks_for(
    tmp_path: Path,
) -> None:
    for configuration in (STRUCT, STRUCT | {"delta.checkpoint.writeStatsAsJson": "false"}):
        made = typed(tmp_path / str(len(configuration)), configuration, PARTITION)
        checkpoint_of(made.path)
        (found,) = written(made.path)["add"]
        assert found.get("stats") == (json.dumps(STATS) if len(configuration) == 1 else None)
        assert found["partitionValues_parsed"] == {
            "day": date(2024, 5, 6),
            "at": datetime(2024, 5, 6, 7, 8, 9, 10, UTC),
            "name": None,
        }
        parsed = found["stats_parsed"]
        assert parsed["minValues"] == {
            "n": -5, "f": pytest.approx(0.1), "s": "a",
            "t": datetime(2024, 1, 1, 0, 0, 0, 1000, UTC),
            "c": Decimal("1.50"), "inner": {"d": date(2024, 2, 3)},
        }  # fmt: skip
        # What is no value of the column's type is no bound, so that no file is wrongly skipped.
        assert {key: value for key, value in parsed["maxValues"].items() if value} in (
            {},
            {"f": pytest.approx(float("nan"), nan_ok=True)},
        )
        assert parsed["nullCount"]["inner"] == {"d": 2}
        assert parsed["numRecords"] == 3


def test_statistics_that_are_a_struct_alone_go_on(tmp_path: Path) -> None:
    both = {**STRUCT, "delta.checkpoint.writeStatsAsJson": "false"}
    made = typed(tmp_path, both, PARTITION)
    checkpoint_of(made.path)
    made.commit(2, commit_info())
    checkpoint_of(made.path)
    first, second = (
        pq.ParquetFile(made.log / f"{version:020d}.checkpoint.parquet").read()["add"].to_pylist()
        for version in (1, 2)
    )
    assert repr(sorted(map(str, first))) == repr(sorted(map(str, second)))
    made.commit(3, metadata({}, schemaString=TYPED, partitionColumns=["day", "at", "name"]))
    checkpoint_of(made.path)
    (found,) = written(made.path)["add"]
    stats = json.loads(found["stats"])
    assert stats["minValues"]["t"] == "2024-01-01T00:00:00.001Z"
    assert stats["minValues"]["c"] == 1.5
    assert stats["nullCount"] == STATS["nullCount"]


def test_a_partition_value_whose_instant_is_not_known_is_not_guessed(tmp_path: Path) -> None:
    made = typed(tmp_path, STRUCT, PARTITION | {"at": "2024-05-06 07:08:09"})
    with untouched(made.log):
        done = deltaadm("alter", made.path, "--checkpoint", *EMBEDDED)
    assert done.code == 7
    assert "'2024-05-06 07:08:09'" in done.err
    assert "delta.checkpoint.writeStatsAsStruct" in done.err


# What it is refused for


SUPPORTED = (protocol(1, 2), metadata())
REFUSED = {
    "an unknown writer feature": (protocol(1, 7, None, ["fooBar"]), metadata()),
    "an unknown reader feature": (protocol(3, 7, ["fooBar"], ["fooBar"]), metadata()),
    "writer version 8": (protocol(1, 8, None, []), metadata()),
    "reader version 4": (protocol(4, 7, [], []), metadata()),
    "a malformed protocol": (protocol(1, 7), metadata()),
    "coordinated commits":
        (protocol(1, 7, None, ["coordinatedCommits-preview", "inCommitTimestamp"]), metadata()),
    "a coordinator": (protocol(1, 2),
        metadata({"delta.coordinatedCommits.commitCoordinator-preview": "x"})),
    "a catalog": (protocol(3, 7, ["catalogManaged"], ["catalogManaged"]), metadata()),
    "a redirection": (protocol(1, 7, None, ["redirectWriterOnly-preview"]), metadata()),
    "an unknown action": (*SUPPORTED, {"fooAction": {"a": 1}}),
    "an unknown field of add": (*SUPPORTED, add("a", fooField=1)),
    "an unknown field of a deletion vector":
        (*SUPPORTED, add("a", deletionVector=deletion_vector("x") | {"foo": 1})),
    "an unknown field of remove": (*SUPPORTED, remove("a", foo=1)),
    "an unknown field of metaData": (protocol(1, 2), metadata(..., foo=1)),
    "an unknown field of a format": (protocol(1, 2),
        metadata(..., format={"provider": "parquet", "options": {}, "foo": 1})),
    "an unknown field of protocol": ({"protocol": protocol(1, 2)["protocol"] | {"foo": 1}},
        metadata()),
    "an unknown field of txn": (*SUPPORTED, {"txn": {"appId": "a", "version": 1, "foo": 1}}),
    "an unknown field of a domain": (protocol(1, 7, None, ["domainMetadata"]), metadata(),
        {"domainMetadata": {"domain": "d", "configuration": "", "removed": False, "foo": 1}}),
    "a partition value that is no text": (*SUPPORTED, add("a", partitionValues={"p": 1})),
    "statistics of decimals without digits": (protocol(1, 2),
        metadata(STRUCT, schemaString=schema(column("d", "decimal")))),
    "partitions of an unknown type": (protocol(1, 2),
        metadata(STRUCT, schemaString=schema(column("d", "decimalx")), partitionColumns=["d"])),
}  # fmt: skip


@pytest.mark.parametrize("engine", ["embedded", "spark"])
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_for(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    made = table(tmp_path, commit(*REFUSED[name]))
    with untouched(made.log):
        done = deltaadm(
            "alter", made.path, "--checkpoint", "--commit-engine", engine, "--apply", "--yes"
        )
    assert done.code == 7, done.err
    assert "checkpoint" in done.err


def test_unknown_columns_of_another_checkpoint_count_where_they_say_something(
    tmp_path: Path,
) -> None:
    for value, code in ((None, 0), ("x", 7)):
        made = table(tmp_path / str(code), START_BODY, commit(add("a")))
        checkpoint_of(made.path)
        file = made.log / f"{1:020d}.checkpoint.parquet"
        rows = pq.ParquetFile(file).read().to_pylist()
        known = pq.ParquetFile(file).schema_arrow
        inner = pa.struct([*known.field("add").type, ("foo", pa.string())])
        for row in rows:
            if row["add"]:
                row["add"]["foo"] = value
        wider = known.set(known.get_field_index("add"), pa.field("add", inner))
        pq.write_table(pa.Table.from_pylist(rows, schema=wider), file)
        made.commit(2, commit_info())
        done = deltaadm("alter", made.path, "--checkpoint", *EMBEDDED)
        assert done.code == code, done.err
        assert ("add.foo" in done.err) is (code == 7)


class _Disk(io.BytesIO):
    def write(self, body: Any) -> int:
        return super().write(bytes(body).replace(b'{"numRecords":1}', b'{"numRecords":2}'))


class _Damaging(LocalStore):
    """A disk that gives back another byte than was written to the file's statistics."""

    @contextmanager
    def draft(self, _path: str) -> Iterator[BinaryIO]:
        yield _Disk()


def test_what_is_read_back_otherwise_is_not_published(tmp_path: Path) -> None:
    made = table(tmp_path, START_BODY, commit(add("a", stats='{"numRecords":1}')))
    store = _Damaging(str(tmp_path))
    with untouched(made.log), pytest.raises(CommitError, match="was not published"):
        write_checkpoint(store, load_snapshot(store))


# The pointer


@pytest.mark.parametrize("text", [
    pytest.param("{", id="is broken"),
    pytest.param("", id="is empty"),
    pytest.param('{"version":1,"size":3}', id="points to what is not there"),
    pytest.param('{"version":77,"size":3}', id="points to the future"),
])  # fmt: skip
def test_a_hint_that(events: Path, text: str) -> None:
    (log(events) / HINT).write_text(text)
    checkpoint_of(events)
    assert hint(events)["version"] == 2
    assert DeltaTable(events).version() == 2


def test_the_pointer_tells_what_is_there(events: Path) -> None:
    checkpoint_of(events)
    file = log(events) / f"{2:020d}.checkpoint.parquet"
    rows = pq.ParquetFile(file).metadata.num_rows
    found = hint(events)
    assert found.pop("checksum")
    assert found == {
        "version": 2, "size": rows, "sizeInBytes": file.stat().st_size, "numOfAddFiles": 3,
    }  # fmt: skip
    assert deltaadm("validate", events, "--select", "DL1,DL6", "--deep").code == 0


def test_it_never_points_back(events: Path) -> None:
    store = open_store(str(events))
    planned = load_snapshot(store, version=1)
    checkpoint_of(events)
    before = (log(events) / HINT).read_bytes()
    assert write_checkpoint(store, planned)
    assert (log(events) / HINT).read_bytes() == before
    assert (log(events) / f"{1:020d}.checkpoint.parquet").exists()


def test_what_hadoop_noted_of_the_old_pointer_is_removed(events: Path) -> None:
    """Otherwise its local file system reads the new one with a ChecksumException."""
    noted = [log(events) / f".{name}.crc" for name in (HINT, f"{2:020d}.checkpoint.parquet")]
    for each in noted:
        each.write_bytes(b"crc\0old")
    checkpoint_of(events)
    assert not any(each.exists() for each in noted)


# What is there already


@pytest.mark.parametrize("text", [None, "{", '{"version":1,"size":3}'])
def test_a_checkpoint_that_is_there_is_kept(events: Path, text: str | None) -> None:
    DeltaTable(events).create_checkpoint()
    (log(events) / HINT).unlink()
    if text is not None:
        (log(events) / HINT).write_text(text)
    [checkpoint] = log(events).glob("*.checkpoint.parquet")
    before = checkpoint.stat()
    assert not checkpoint_of(events)
    assert checkpoint.stat().st_mtime_ns == before.st_mtime_ns
    assert (hint(events)["version"], hint(events)["sizeInBytes"]) == (2, before.st_size)
    assert hint(events)["numOfAddFiles"] == 3


def test_an_older_checkpoint_is_followed_by_a_new_one(events: Path) -> None:
    checkpoint_of(events)
    write_deltalake(events, pa.table({"id": [9]}), mode="append")
    before = state(events)
    checkpoint_of(events)
    assert hint(events)["version"] == 3
    assert state(events) == before


@pytest.mark.parametrize("body", [b"PAR1", b""])
def test_a_broken_checkpoint_of_the_version_stays(events: Path, body: bytes) -> None:
    (log(events) / f"{2:020}.checkpoint.parquet").write_bytes(body)
    with untouched(log(events)):
        done = deltaadm("alter", events, "--checkpoint", *EMBEDDED)
    assert done.code == 5
    assert "cannot be read as a checkpoint" in done.err
    assert "nothing was committed" in done.err


def test_a_wrong_checkpoint_of_the_version_stays_and_is_told(tmp_path: Path) -> None:
    made = table(tmp_path, START_BODY, commit(add("a"), add("b")))
    made.checkpoint(1, [protocol(1, 2), metadata(), add("a")])
    with untouched(made.log):
        done = deltaadm("alter", made.path, "--checkpoint", *EMBEDDED)
    assert done.code == 5
    assert "differ from those of the commits" in done.err


def test_an_unreadable_older_checkpoint_is_passed_over(events: Path) -> None:
    (log(events) / f"{1:020}.checkpoint.parquet").write_bytes(b"PAR1")
    assert checkpoint_of(events)
    leave_checkpoint_alone(events)
    assert DeltaTable(events).version() == 2


# Others at the same time


def test_commits_since_the_plan_do_not_matter(
    events: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer appends, and changes the metadata, once the change has been agreed to."""
    from deltaadm.runs import plan_run

    agreed = plan_run.confirm

    def confirm(*arguments: Any) -> None:
        agreed(*arguments)
        write_deltalake(events, pa.table({"id": [7]}), mode="append")
        DeltaTable(events).alter.set_table_properties({"delta.appendOnly": "true"})

    monkeypatch.setattr(plan_run, "confirm", confirm)
    done = deltaadm("alter", events, "--checkpoint", *EMBEDDED)
    assert done.code == 0, done.err
    assert "There is a checkpoint of version 2." in done.out
    assert [file.name for file in log(events).glob("*.checkpoint.parquet")] == [
        f"{2:020d}.checkpoint.parquet"
    ]
    assert hint(events)["version"] == 2


MANY = 3_000
CLEANS = {
    "delta.logRetentionDuration": "interval 1 second",
    "delta.enableExpiredLogCleanup": "true",
}


def test_an_interrupt_beside_a_clean_up_loses_nothing(tmp_path: Path) -> None:
    """Another job checkpoints, and cleans up on the strength of whatever checkpoint there is."""
    chance = random.Random(7)  # noqa: S311 -- for moments
    body = commit(*(add(f"f{number}", stats='{"numRecords":1}') for number in range(MANY)))
    for number in range(6):
        made = table(tmp_path / str(number), commit(protocol(1, 2), metadata(CLEANS)), body, body)
        for file in made.log.iterdir():
            os.utime(file, (1e9, 1e9))
        job = subprocess.Popen(
            [sys.executable, "-m", "deltaadm", "alter", made.path, "--checkpoint", *EMBEDDED],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.2, 1.2))
        other = DeltaTable(made.path)
        other.create_checkpoint()
        DeltaTable(made.path).cleanup_metadata()
        job.send_signal(signal.SIGINT)
        job.wait()
        assert len(DeltaTable(made.path).file_uris()) == MANY
        assert deltaadm("inspect", made.path).code == 0
        assert not [file for file in made.log.iterdir() if file.name.startswith(".")]


# When it is due


def test_an_embedded_commit_writes_one_when_it_is_due(tmp_path: Path) -> None:
    interval = {"delta.checkpointInterval": "2"}
    made = table(tmp_path, commit(protocol(1, 2), metadata(interval)))
    for number in range(4):
        done = deltaadm("alter", made.path, "--set", f"n={number}", *EMBEDDED)
        assert (done.code, done.err) == (0, "")
    assert sorted(file.name for file in made.log.glob("*.checkpoint.parquet")) == [
        f"{version:020d}.checkpoint.parquet" for version in (2, 4)
    ]
    assert hint(made.path)["version"] == 4


def test_a_commit_says_that_nobody_writes_one_where_it_cannot(tmp_path: Path) -> None:
    interval = {"delta.checkpointInterval": "1"}
    made = table(tmp_path, commit(protocol(1, 2), metadata(interval), add("a", foo=1)))
    done = deltaadm("alter", made.path, "--set", "a=b", *EMBEDDED)
    assert done.code == 0
    assert "Version 1 was committed, as planned." in done.out
    assert "Warning: version 1" in done.err
    assert "add.foo" in done.err
    assert "No other program writes it." in done.err
    assert sorted(file.name for file in made.log.iterdir()) == [
        f"{version:020d}.json" for version in range(2)
    ]


# How much it takes


def test_memory_does_not_grow_with_the_files(tmp_path: Path) -> None:
    """A process of its own, on 100,000 files and on a hundred times fewer."""
    used = []
    for count in (1_000, 100_000):
        files = (add(f"{number:064d}", stats='{"numRecords":1}') for number in range(count))
        made = table(tmp_path / str(count), START_BODY, commit(*files))
        code = (
            "import resource, sys; from deltaadm.cli.program import run; run(sys.argv[1:]); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, "alter", made.path, "--checkpoint", *EMBEDDED],
            capture_output=True,
            text=True,
            check=True,
        )
        assert hint(made.path)["numOfAddFiles"] == count
        used.append(int(done.stderr.split()[-1]) * 1024)
    # The names of the files, and a row group: a million take 400 MB.
    assert used[1] - used[0] < 150 << 20


# As a step of a plan


def test_a_checkpoint_alone_is_something_to_do_and_changes_nothing(events: Path) -> None:
    before = load_snapshot(open_store(str(events)))
    plan = propose("alter", before, [WriteCheckpoint()])
    assert not plan.is_noop
    assert (plan.after, plan.changes) == (before, ())


def test_a_plan_file_holds_it(events: Path) -> None:
    before = load_snapshot(open_store(str(events)))
    document = saved_document(propose("alter", before, [WriteCheckpoint()]), "events")
    [step] = document["steps"]
    assert (step["kind"], step["sql"], step["commits"]) == ("write_checkpoint", None, "none")
    assert read_plans(json.dumps(document))[0].steps == (WriteCheckpoint(),)


def test_the_command_needs_neither_spark_nor_deltalake(events: Path) -> None:
    code = (
        "import sys; from deltaadm.cli.program import run; code = run(sys.argv[1:]); "
        "assert not {'pyspark', 'deltalake'} & sys.modules.keys(); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "alter", events, "--checkpoint", "--apply", "--yes"],
        env={"JAVA_HOME": "/nowhere", "PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "There is a checkpoint of version 2." in done.stdout
    assert hint(events)["version"] == 2


def test_the_command_shows_and_stops(events: Path) -> None:
    with untouched(events):
        done = deltaadm("alter", events, "--checkpoint")
    assert done.code == 0
    assert "write a checkpoint" in done.out


def test_after_a_commit_the_checkpoint_is_of_the_new_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = table(tmp_path / "t", START_BODY)
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
    done = deltaadm("alter", made.path, "--set", "a=b", "--checkpoint", "--apply", "--yes")
    assert done.code == 0
    assert hint(made.path)["version"] == 1
    assert "There is a checkpoint of version 1." in done.out


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    files = (add(f"{number:064d}") for number in range(2_000))
    made = table(tmp_path, START_BODY, commit(*files))
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)); "
    ignored = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    run = "from deltaadm.cli.program import run; sys.exit(run(sys.argv[1:]))"
    arguments = ("alter", made.path, "--checkpoint", *EMBEDDED)
    with untouched(made.log):
        done = subprocess.run(
            [sys.executable, "-c", limited + ignored + run, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 4, done.stderr
    assert "Cannot write" in " ".join(done.stderr.split())  # wrapped where the path ends
