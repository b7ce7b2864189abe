"""What finding protocol and metadata costs, counted: it does not grow with the table."""

import json
import random
import threading
import tracemalloc
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.json
import pyarrow.parquet as pq
import pytest

from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import FileInfo
from deltaadm.limits import LIMITS
from deltaadm.plans.checkpoint import State
from deltaadm.replay.adds import add_documents
from deltaadm.replay.checkpoints import readers
from deltaadm.replay.embedded import live_files
from deltaadm.replay.examine import Depth, examine
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.local import LocalStore
from tests.support.program import deltaadm
from tests.support.tables import START_BODY, Table, add, commit, metadata

pytestmark = pytest.mark.slow

VERSION = 10
FOOTER = 1 << 16
"""How much is read of a Parquet file's end to find its footer."""


class CountingStore:
    """A local store that counts requests, and the bytes read of each file."""

    qualifier = "file:"
    survives_fork = False
    at_once = 1
    storage_options: Mapping[str, str] = {}
    catalog_state = None

    def __init__(self, path: Path) -> None:
        self.limits = LIMITS
        self._store = LocalStore(str(path))
        self.root = self._store.root
        self.local_path = self._store.local_path
        self.requests: list[str] = []
        self.bytes: dict[str, int] = {}
        self.largest = 0

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        self.requests.append("list")
        return self._store.list_log(start)

    def list_short_log(self) -> None:
        """Nothing is told."""

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Nothing is fetched."""

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        self.requests.append(f"list {name}")
        return self._store.list_directory(name)

    def read(self, path: str) -> bytes:
        self.requests.append(f"read {path}")
        body = self._store.read(path)
        self.bytes[path] = len(body)
        return body

    def open(self, path: str) -> BinaryIO:
        return _Counting(self._store.read(path), path, self)


class _Counting(BytesIO):
    def __init__(self, body: bytes, path: str, store: CountingStore) -> None:
        super().__init__(body)
        self._path, self._told = path, store

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self._told.largest = max(self._told.largest, len(found))
        self._told.requests.append(f"part of {self._path}")
        self._told.bytes[self._path] = self._told.bytes.get(self._path, 0) + len(found)
        return found


def with_checkpoint(
    path: Path,
    files: int,
    stats: Callable[[int], str] = lambda number: f'{{"numRecords":{number}}}',
    group: int = 5_000,
) -> CountingStore:
    """A table whose checkpoint holds *files* files; its protocol and metadata come first."""
    made = Table(path)
    text = pa.string()
    schema = pa.schema({
        "protocol": pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())]),
        "metaData": pa.struct([("id", text), ("schemaString", text)]),
        "add": pa.struct([("path", text), ("size", pa.int64()), ("stats", text)]),
    })  # fmt: skip
    lines = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": "x", "schemaString": '{"type":"struct","fields":[]}'}},
        *(
            {"add": {"path": f"part-{number:012d}", "size": 1, "stats": stats(number)}}
            for number in range(files)
        ),
    ]
    table = pa.Table.from_pylist(lines, schema=schema)
    name = f"{VERSION:020d}.checkpoint.parquet"
    pq.write_table(table, made.log / name, row_group_size=group)
    made.write(f"{VERSION:020d}.json", commit(add("z")))
    return CountingStore(path)


def test_cost_does_not_grow_with_the_files_of_a_checkpoint(tmp_path: Path) -> None:
    small, large = with_checkpoint(tmp_path / "a", 1_000), with_checkpoint(tmp_path / "b", 100_000)
    for store in (small, large):
        assert load_snapshot(store).metadata.id == "x"
    assert large.requests == small.requests
    name = f"{VERSION:020d}.checkpoint.parquet"
    assert large.bytes.pop(name) <= small.bytes.pop(name) + FOOTER
    assert large.bytes == small.bytes


def test_tombstones_are_read_without_the_files(tmp_path: Path) -> None:
    store = with_checkpoint(tmp_path, 100_000)
    name = f"{VERSION:020d}.checkpoint.parquet"
    segment = load_snapshot(store).segment
    assert segment is not None
    before = store.bytes[name]
    assert not list(State(store, segment).tombstones())
    assert (
        store.bytes[name] - before <= 3 * FOOTER < (tmp_path / "_delta_log" / name).stat().st_size
    )


def test_an_examination_reads_a_footer_once(tmp_path: Path) -> None:
    store = with_checkpoint(tmp_path, 10)
    assert [*examine(store, Depth(), now=0)]
    name = f"{VERSION:020d}.checkpoint.parquet"
    # Small as it is, the whole file is read for its footer; pyarrow reads what it needs again.
    assert store.bytes[name] < 4 * (tmp_path / "_delta_log" / name).stat().st_size


def test_statistics_of_which_the_footer_tells_enough_are_not_read(tmp_path: Path) -> None:
    """One file without a count has the statistics of its row group read, and no others."""
    usual = with_checkpoint(tmp_path / "usual", 20_000)
    odd = with_checkpoint(
        tmp_path / "odd",
        20_000,
        lambda number: "{}" if number == 10_000 else f'{{"numRecords":{number}}}',
    )
    read = {}
    for store, without_count in ((usual, 0), (odd, 1)):
        files = load_snapshot(store, detail=Detail.STATE).files
        assert files is not None
        assert (files.files, files.without_num_records) == (20_000, without_count)
        read[store] = store.bytes[f"{VERSION:020d}.checkpoint.parquet"]
    file = pq.ParquetFile(BytesIO(odd.read(f"{VERSION:020d}.checkpoint.parquet")))
    columns = [
        file.metadata.row_group(2).column(index) for index in range(file.metadata.num_columns)
    ]
    size = next(
        column.total_compressed_size for column in columns if column.path_in_schema == "add.stats"
    )
    assert size <= read[odd] - read[usual] < 2 * size


def test_a_large_column_is_read_in_pieces(tmp_path: Path) -> None:
    draw = random.Random(0)  # noqa: S311 -- texts that cannot be compressed
    store = with_checkpoint(
        tmp_path,
        50_000,
        lambda _: f'{{"numRecords":1,"x":"{draw.randbytes(120).hex()}"}}',
        group=50_000,
    )
    store.limits = replace(LIMITS, page=2 << 20)
    segment = load_snapshot(store).segment
    assert segment is not None
    store.largest = 0
    assert sum(1 for _ in live_files(store, segment)) == 50_000
    assert store.largest <= 8 << 20 < store.bytes[f"{VERSION:020d}.checkpoint.parquet"]


def test_missing_files_are_counted_beyond_those_that_are_named(tmp_path: Path) -> None:
    with_checkpoint(tmp_path, 1_000)
    (tmp_path / "part-000000000500").touch()
    done = deltaadm("validate", "--deep", "--select", "DL716", "-o", "json", str(tmp_path))
    document = json.loads(done.out)
    named = [one for one in document["findings"] if "not exist" in one["message"]]
    assert (document["counts"]["error"], len(named)) == (1_000, 20)


def test_the_first_of_many_files_is_had_without_the_others(tmp_path: Path) -> None:
    with_checkpoint(tmp_path, 30_000, group=30_000)
    (name,) = (tmp_path / "_delta_log").glob("*.parquet")
    adds = pq.read_table(name)["add"].combine_chunks()
    tracemalloc.start()
    first = next(add_documents(adds))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert first["path"] == "part-000000000000"
    assert peak < 1 << 20


@pytest.mark.skipif(readers() == 1, reason="needs two processors")
def test_statistics_are_decoded_by_several_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_checkpoint(tmp_path, 1_000, group=250)
    two, met, decode = threading.Barrier(2), threading.Event(), pyarrow.json.read_json

    def read_json(*given: Any, **named: Any) -> pa.Table:
        if not met.is_set():
            with suppress(threading.BrokenBarrierError):
                two.wait(20)
                met.set()
        return decode(*given, **named)

    monkeypatch.setattr(pyarrow.json, "read_json", read_json)
    assert deltaadm("validate", str(tmp_path)).code == 0
    assert met.is_set()


def test_reading_stops_where_protocol_and_metadata_are_known(tmp_path: Path) -> None:
    made = Table(tmp_path)
    for version in range(50):
        made.write(
            f"{version:020d}.json", START_BODY if version == 40 else commit(add(f"{version}"))
        )
    store = CountingStore(tmp_path)
    load_snapshot(store)
    assert sorted(store.bytes) == [f"{version:020d}.json" for version in range(40, 50)]


def test_a_checkpoint_that_is_the_same_as_before_is_not_read_again(tmp_path: Path) -> None:
    store, name = with_checkpoint(tmp_path, 10), f"{VERSION:020d}.checkpoint.parquet"
    before = load_snapshot(store)
    changed = Table(tmp_path)
    changed.write(f"{VERSION + 1:020d}.json", commit(add("y")))
    store.bytes.clear()
    after = load_snapshot(store, known=before)
    assert name not in store.bytes
    assert after == load_snapshot(store)
    # What is newer counts, and what only a later version says is unknown to an earlier one.
    changed.write(f"{VERSION + 2:020d}.json", commit(metadata(id="y")))
    assert load_snapshot(store, known=after).metadata.id == "y"
    later = load_snapshot(store)
    assert load_snapshot(store, version=VERSION + 1, known=later) == after
    # So is what a commit said that is gone, as after a restore from a backup.
    changed.write(f"{VERSION + 2:020d}.json", commit(add("z")))
    assert load_snapshot(store, known=later).metadata.id == "x"
    # A checkpoint that was written anew is read.
    with_checkpoint(tmp_path, 11)
    store.bytes.clear()
    assert load_snapshot(store, version=VERSION, known=before).metadata.id == "x"
    assert name in store.bytes


@pytest.mark.parametrize("detail", Detail)
def test_sizes_of_commits_are_not_asked_for(
    tmp_path: Path, detail: Detail, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Table(tmp_path)
    for version in range(20):
        made.write(f"{version:020d}.json", commit(add(f"{version}")) if version else START_BODY)
    asked = []
    kind = type(LocalStore(str(tmp_path)).list_log()[f"{0:020d}.json"])
    status = kind._status  # type: ignore[attr-defined]  # noqa: SLF001 -- what a request is
    monkeypatch.setattr(
        kind, "_status", lambda status_: asked.append(status_.path) or status(status_)
    )
    load_snapshot(LocalStore(str(tmp_path)), detail=detail)
    assert set(asked) == {f"{19:020d}.json"}
