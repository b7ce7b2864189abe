"""The replay engine on Spark: the contract of engines, and the same answers as without Spark."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.errors import DeltaadmError, MissingFileError
from deltaadm.replay.examine import Depth
from deltaadm.replay.load import load_snapshot, locate
from deltaadm.replay.reconcile import Detail
from deltaadm.rules.rule import ValidationReport
from deltaadm.spark.engine import SparkEngine
from deltaadm.spark.store import Hadoop
from deltaadm.storage.store import LogStore, open_store
from tests.support import oracle
from tests.support.contract import EngineContract, Load
from tests.support.damaged_files import write_damaged
from tests.support.damaged_numbers import write_damaged_numbers
from tests.support.row_by_row import report
from tests.support.tables import (
    START_BODY,
    Action,
    Table,
    add,
    commit,
    commit_info,
    deletion_vector,
    domain,
    metadata,
    protocol,
    remove,
    table,
    txn,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def hadoop(spark: "SparkSession") -> Hadoop:
    return Hadoop(spark)


class TestSparkEngine(EngineContract):
    @pytest.fixture
    def load(self, spark: "SparkSession", hadoop: Hadoop) -> Load:
        engine = SparkEngine(spark)
        return lambda place, detail: load_snapshot(
            hadoop.open_store(str(place)), engine, detail=detail
        )


def on_tables(*in_matrix: str) -> pytest.MarkDecorator:
    """A test of awkward tables, and in the matrix of those that these functions make."""
    more = [pytest.param(name, marks=pytest.mark.matrix) for name in in_matrix]
    return pytest.mark.parametrize("tables", ["_awkward", *more])


@on_tables("_histories", "_recorded", "_corpus")
def test_answers_as_without_spark(
    spark: "SparkSession", hadoop: Hadoop, tmp_path: Path, tables: str
) -> None:
    """Warnings, errors and what is established in spite of them included."""
    for made in globals()[tables](tmp_path):
        alone = _loaded(open_store(str(made.path)))
        there = _loaded(hadoop.open_store(str(made.path)), SparkEngine(spark))
        assert _comparable(made.path, there) == _comparable(made.path, alone), made.path


SEEDS = range(30)


@on_tables("_histories", "_damaged", "_recorded")
def test_rules_find_what_they_find_without_spark(
    spark: "SparkSession", hadoop: Hadoop, tmp_path: Path, tables: str
) -> None:
    """In whatever is wrong with a table, and though executors look at its files."""
    looked_at: list[object] = []

    class Engine(SparkEngine):
        def looked_at(self, *arguments: Any) -> Any:
            looked_at.append(answers := super().looked_at(*arguments))
            return answers

    engine = Engine(spark)
    for made in globals()[tables](tmp_path):
        there = report(made.path, Depth(), engine, opened=hadoop.open_store)
        alone = report(made.path, Depth())
        assert _said(there) == _said(alone), made.path
    assert any(looked_at)


def _said(report: ValidationReport) -> object:
    """What a report says, without the reasons that readers of Parquet give in their own words."""
    findings = [
        replace(finding, message=finding.message.partition(" cannot be read (")[0])
        for finding in report.findings
    ]
    return findings, report.more, report.stopped.partition(" cannot be read (")[0]


def _damaged(root: Path) -> Iterator[Table]:
    for seed in SEEDS:
        for write in (write_damaged, write_damaged_numbers):
            write(root / f"{write.__name__}-{seed}", seed)
            yield Table(root / f"{write.__name__}-{seed}")


def _recorded(root: Path) -> Iterator[oracle.OracleTable]:
    return (oracle.table(name, root) for name in oracle.table_names())


def _corpus(_: Path) -> Sequence[oracle.CorpusTable]:
    return oracle.corpus_if_present()


def _loaded(store: LogStore, engine: SparkEngine | None = None) -> Snapshot | DeltaadmError:
    try:
        return load_snapshot(store, engine, detail=Detail.STATE)
    except DeltaadmError as error:
        return error


def _comparable(place: Path, outcome: Snapshot | DeltaadmError) -> object:
    """Everything but the times and sizes of files."""
    if isinstance(outcome, Snapshot):
        warnings = [warning.partition(" cannot be read (")[0] for warning in outcome.warnings]
        return replace(outcome, segment=None, warnings=tuple(warnings))
    message = outcome.message.replace(f"{place}/_delta_log/", "").partition(" cannot be read (")[0]
    return type(outcome), message, outcome.delta_error_class, outcome.established


def test_who_wrote_a_table_is_told_as_without_spark(
    spark: "SparkSession", hadoop: Hadoop, tmp_path: Path
) -> None:
    engines = [f"Engine/{number // 5}.0.0" for number in range(40)]
    bodies = [commit(commit_info(engineInfo=engine), add(f"f{engine}")) for engine in engines]
    made = table(tmp_path, START_BODY, *bodies)
    here = load_snapshot(open_store(str(made.path)), detail=Detail.STATE).writers
    store = hadoop.open_store(str(made.path))
    assert load_snapshot(store, SparkEngine(spark), detail=Detail.STATE).writers == here
    assert len(here) >= 8


def test_large_and_small_commits_are_decoded_by_executors(
    spark: "SparkSession", hadoop: Hadoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many of them make a job, and where one has more than that."""
    sizes = [200 if version % 20 == 10 else version % 7 for version in range(40)]
    bodies = [commit(*(add(f"{v}-{n}") for n in range(size))) for v, size in enumerate(sizes)]
    made = table(tmp_path, START_BODY, *bodies)
    monkeypatch.setattr("deltaadm.spark.engine._TURN", 10_000)
    assert len(bodies[10]) > 10_000 > sum(map(len, bodies[:10]))
    store = hadoop.open_store(str(made.path))
    found = load_snapshot(store, SparkEngine(spark), detail=Detail.STATE).files
    assert found == load_snapshot(open_store(str(made.path)), detail=Detail.STATE).files


def test_one_table_by_itself(spark: "SparkSession", hadoop: Hadoop, tmp_path: Path) -> None:
    made = table(tmp_path, START_BODY, commit(add("a", 5), add("b", 7)), commit(remove("a")))
    store = hadoop.open_store(str(made.path))
    snapshot = load_snapshot(store, SparkEngine(spark), detail=Detail.STATE)
    assert snapshot.files == FileFacts(
        files=1, bytes=7, without_stats=1, without_num_records=1, without_base_row_id=1,
        partition_keys=frozenset({()}),
    )  # fmt: skip


def test_protocol_far_back_in_a_long_log(
    spark: "SparkSession", hadoop: Hadoop, tmp_path: Path
) -> None:
    """A job looks for it; damage further back than the answer goes unnoticed, as without Spark."""
    made = Table(tmp_path)
    made.write(f"{0:020d}.json", b"nonsense\n")
    made.commit(1, protocol(1, 4), protocol(1, 5), metadata({"k": "1"}))
    for version in range(2, 40):
        made.commit(version, add(f"f{version}"), *[metadata({"k": "2"})] * (version == 3))
    snapshot = load_snapshot(hadoop.open_store(str(tmp_path)), SparkEngine(spark))
    assert snapshot.protocol.min_writer_version == 5
    assert snapshot.metadata.configuration == {"k": "2"}
    expected = load_snapshot(open_store(str(tmp_path)))
    assert snapshot.warnings == expected.warnings != ()


def test_a_commit_that_vanishes(spark: "SparkSession", hadoop: Hadoop, tmp_path: Path) -> None:
    made = table(tmp_path, START_BODY, commit(add("a")))
    store = hadoop.open_store(str(made.path))
    segment, _ = locate(store)
    (made.log / f"{1:020d}.json").unlink()
    with pytest.raises(MissingFileError):
        SparkEngine(spark).replay(store, segment, Detail.STATE)


def test_files_of_a_table(hadoop: Hadoop, tmp_path: Path) -> None:
    made = Table(tmp_path / "a table [1] {x} 100%")
    made.write("_sidecars/x.parquet", b"0123456789")
    made.write("00000000000000000000.json", b"")
    (made.path / "part 1%.parquet").write_bytes(b"0123456789")
    store = hadoop.open_store(str(made.path))
    local = open_store(str(made.path))
    assert {path: (info.size, info.modified) for path, info in store.list_log().items()} == {
        path: (info.size, info.modified) for path, info in local.list_log().items()
    }
    (sidecar,) = store.list_directory("_sidecars").values()
    assert (sidecar.path, sidecar.size) == ("_sidecars/x.parquet", 10)
    assert store.list_directory("_staged_commits") == {}
    with store.open("_sidecars/x.parquet") as file:
        file.seek(-3, 2)
        assert (file.read(2), file.tell(), file.read()) == (b"78", 9, b"9")
    assert store.data_size("part%201%25.parquet") == 10
    assert store.data_size("none.parquet") is store.data_size("_delta_log") is None
    with store.open_data(f"file://{made.path}/part%201%25.parquet") as file:
        assert file.read() == b"0123456789"
    with pytest.raises(DeltaadmError, match="is missing"):
        store.open_data("none.parquet")
    for path in ("../x", "%2e%2e/x", "file:///etc/passwd", f"{tmp_path}/x", "s3a://bucket/x"):
        with pytest.raises(DeltaadmError, match="outside the table"):
            store.data_size(path)


# Tables


def _awkward(root: Path) -> Iterator[Table]:
    """What Spark's own reading of files could get wrong."""
    yield _odd_paths(Table(root / "a=1" / "b%20c é [x] {y} 100%"))
    yield _damaged_pages(Table(root / "damaged-pages"))
    yield table(root / "empty-commit", START_BODY, b"", commit(add("a")))
    yield table(root / "huge", START_BODY, commit(add("a", 1 << 62), add("b", 1 << 62)))
    yield _struct_statistics(Table(root / "statistics"))
    yield _long(Table(root / "long"))
    _long(damaged := Table(root / "long-damaged")).write(f"{7:020d}.json", b"{}\nnonsense\n")
    yield damaged


def _long(made: Table) -> Table:
    """More commits than are read one after the other, and what each says of its writer."""
    made.commit(0, protocol(), metadata())
    for version in range(1, 50):
        stats = None if version % 3 else '{"numRecords":1,"minValues":{"a":1}}'
        info = commit_info(timestamp=version, engineInfo=f"engine {version % 4}")
        gone = [remove(f"f{version - 1}")] if version % 5 == 0 else []
        made.commit(version, info, add(f"f{version}", version, stats=stats), *gone)
    return made


def _odd_paths(made: Table) -> Table:
    """A file is the same where its URI is, whatever the case of its escapes."""
    spelled = [
        "a%20b", "+%2B", "/abs/x", "file:///abs/y", "file:/abs/z", "p=1/%C3%a9", "100%25", "x%2Fy",
        "%zz%", "./n/1", "n//2", "n/./3", "m/../n/4", "../n/5", "file:/abs//n/6", "n/7/", "x/./n:8",
    ]  # fmt: skip
    vector = deletion_vector("v")
    state: list[Action] = [protocol(), metadata(), txn("t", 1), domain("d"), domain("gone")]
    state += [add(path, 10) for path in spelled]
    state += [add("v", 20), add("v2", 30, deletionVector=vector), add("same", 1)]
    made.commit(0, *state)
    made.v2_checkpoint(0, state, "parquet")
    made.commit(1, remove("a b"), remove("file:/abs/x"), remove("/abs/y"), remove("p=1/%c3%A9"))
    made.commit(2, remove("v"), add("v", 25, deletionVector=vector), add("same", 2))
    made.commit(3, remove("v2"), domain("gone", removed=True), remove("100%25"), remove("x/y"))
    made.commit(4, *(remove(f"n/{number}") for number in range(8)), remove("/abs/n/6"))
    return made


def _damaged_pages(made: Table) -> Table:
    """A checkpoint of which only the pages with files cannot be read."""
    state = [protocol(), metadata(), *(add(f"file-{number}") for number in range(99))]
    made.commit(0, *state)
    path = made.checkpoint(0, state)
    body = bytearray(path.read_bytes())
    group = pq.ParquetFile(path).metadata.row_group(5)
    column = next(
        group.column(n)
        for n in range(group.num_columns)
        if group.column(n).path_in_schema == "add.path"
    )
    start = column.dictionary_page_offset or column.data_page_offset
    body[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(body)
    made.commit(1, add("new"))
    return made


def _struct_statistics(made: Table) -> Table:
    """Statistics as text, as a struct, as both and as neither."""
    made.commit(0, protocol(), metadata())
    parsed = pa.struct([("numRecords", pa.int64())])
    fields = [("path", pa.string()), ("size", pa.int64()), ("stats", pa.string())]
    rows = [
        {"path": "text", "size": 1, "stats": '{"numRecords":1}'},
        {"path": "odd", "size": 1, "stats": '{ "x":1, "numRecords": 5}'},
        {"path": "null", "size": 1, "stats": '{"numRecords":null}'},
        {"path": "none", "size": 1, "stats": "{}"},
        {"path": "no-json", "size": 1, "stats": '"numRecords": 1'},
        {"path": "struct", "size": 1, "stats_parsed": {"numRecords": 1}},
        {"path": "empty", "size": 1, "stats_parsed": {"numRecords": None}},
        {"path": "neither", "size": 1},
    ]
    states = pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())])
    metas = pa.struct([("id", pa.string()), ("schemaString", pa.string())])
    body = metadata()["metaData"]
    columns = {
        "protocol": pa.array([{"minReaderVersion": 1, "minWriterVersion": 2}], states),
        "metaData": pa.array([{"id": body["id"], "schemaString": body["schemaString"]}], metas),
        "add": pa.array(rows, pa.struct([*fields, ("stats_parsed", parsed)])),
    }
    padded = {
        name: pa.concat_arrays([value, pa.nulls(len(rows) - len(value), value.type)])
        for name, value in columns.items()
    }
    pq.write_table(pa.table(padded), made.log / f"{0:020d}.checkpoint.parquet")
    made.commit(1, add("new"))
    return made


def _histories(root: Path) -> Iterator[Table]:
    """Random histories with checkpoints of all kinds and compacted commits."""
    for number in range(24):
        yield _history(Table(root / str(number)), random.Random(number), number)  # noqa: S311 -- the same each time


def _history(made: Table, chance: random.Random, number: int) -> Table:
    state: dict[str, Action] = {}
    versions = [[protocol(), metadata()]]
    versions += [[_action(chance) for _ in range(chance.randrange(5))] for _ in range(8)]
    for version, actions in enumerate(versions):
        made.commit(version, *actions)
        for action in actions:
            state[_key(action)] = action
        kind = number % 5
        if version == 3:
            held = list(state.values())
            if kind == 1:
                made.checkpoint(version, held)
            elif kind == 2:
                made.multipart(version, held, 3)
            elif kind > 2:
                made.v2_checkpoint(version, held, ("json", "parquet")[kind - 3])
    merged: dict[str, Action] = {}
    for action in (action for actions in versions[5:7] for action in actions):
        merged[_key(action)] = action
    if number % 2:
        made.compacted(5, 6, *merged.values())
    return made


def _action(chance: random.Random) -> Action:
    path = chance.choice("abcd")
    more: Action = chance.choice(
        [{}, {"deletionVector": deletion_vector("v")}, {"deletionVector": deletion_vector("w", 7)}]
    )
    return chance.choice([
        add(path, chance.randrange(99), **more),
        add(path, 5, stats='{"numRecords":1}', partitionValues={"p": "1"}, baseRowId=4),
        remove(path, **more), txn(path, chance.randrange(9)),
        domain(path, removed=chance.random() < 0.5), metadata({"k": path}),
    ])  # fmt: skip


def _key(action: Action) -> str:
    ((name, body),) = action.items()
    if name in {"add", "remove"}:
        return json.dumps(["file", body["path"], body.get("deletionVector")])
    return json.dumps([name, body.get("appId") or body.get("domain")])
