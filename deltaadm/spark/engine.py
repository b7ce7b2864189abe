"""
The replay engine on Spark: for logs that one process would take too long to read.

It is the one without Spark, but that executors decode the commits, and look at the files of a
checkpoint, which Spark's own reader of Parquet gives them by column. Of a checkpoint's files only
aggregates reach the driver, and of statistics in commits only whether they have a count.
"""

from __future__ import annotations

import pickle
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

from pyspark.sql import functions as fn

from deltaadm.domain.snapshot import FileFacts, LogFiles, LogSegment, Snapshot
from deltaadm.errors import DeltaadmError
from deltaadm.limits import LIMITS, Limits
from deltaadm.replay.checkpoints import CheckpointReader, FileCounts
from deltaadm.replay.embedded import Replay, actions_if_few
from deltaadm.replay.reconcile import Detail, Reconciliation, has_num_records
from deltaadm.spark.errors import java_errors
from deltaadm.spark.fleet import require_able, unpickled
from deltaadm.spark.session import configured
from deltaadm.spark.store import HadoopStore
from deltaadm.storage.store import LogStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Answer = TypeVar("Answer")
    Named = tuple[str, dict[str, Any]]


_AT_ONCE: Final = 32
"""So many files are read one after the other sooner than Spark starts a job."""

_TURN: Final = 1 << 25
"""Bytes of the commits of a job: what is found in them waits on the driver."""

_STRICT: Final = {
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.openCostInBytes": "262144",
    "spark.sql.caseSensitive": "true",
    "parquet.page.verify-checksum.enabled": "true",
}
"""Under which reading is strict, and many small files share a task."""

_PIECES: Final = dict.fromkeys(
    ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes"), str(1 << 23)
) | {
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 15),
    # With any other bound Spark adds up all offsets of a map for each row, in 25 times the time.
    "spark.sql.execution.arrow.maxBytesPerBatch": str((1 << 31) - 1),
}
"""Under which each row group of an ordinary checkpoint is a task of its own, in large batches."""

_ADD: Final = """
    add struct<path: string, partitionValues: map<string, string>, size: long,
      modificationTime: long, dataChange: boolean, stats: string, tags: map<string, string>,
      deletionVector: struct<storageType: string, pathOrInlineDv: string, offset: int,
        sizeInBytes: int, cardinality: long, maxRowIndex: long>,
      baseRowId: long, defaultRowCommitVersion: long, clusteringProvider: string,
      stats_parsed: struct<numRecords: long>>
"""
_ANSWER: Final = "file string, start long, answer binary"


class SparkEngine:
    """A `ReplayEngine` for `HadoopStore`s; it never refuses a table for its features."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session

    def replay(self, store: LogStore, segment: LogSegment, detail: Detail) -> Snapshot:
        return _SparkReplay(self, store, segment).outcome(detail)

    def looked_at(
        self, store: LogStore, paths: Sequence[str], look: Callable[[Iterable[Any]], Answer]
    ) -> Sequence[Answer] | None:
        """See `ExaminingEngine`; a part is a piece of a file that one task reads."""
        if not paths or not isinstance(store, HadoopStore):
            return None if paths else ()
        places = _patterns(store, dict.fromkeys(paths))
        with configured(self._session, _STRICT | _PIECES):
            # With a schema, Spark starts no job to infer one, and what a checkpoint lacks is null.
            read = self._session.read.schema(_ADD).parquet(*places).where("add is not null")
            columns = ("_metadata.file_name", "_metadata.file_block_start", "add")
            answers = read.selectExpr(*columns).mapInArrow(partial(_answered, look), _ANSWER)
            try:
                rows = answers.collect()
            except java_errors() as error:
                require_able(error)
                return None
        order = {path.rpartition("/")[2]: number for number, path in enumerate(paths)}
        rows.sort(key=lambda row: (order[row["file"]], row["start"]))
        return [unpickled(row["answer"]) for row in rows]

    def looked_into(
        self, store: LogStore, names: Sequence[str], look: Callable[[LogStore, str], object]
    ) -> Mapping[str, bytes]:
        """The answers of *look* for files of JSON, packed; some, of which to ask here, are left."""
        if not isinstance(store, HadoopStore):
            return {}
        answer = fn.udf(partial(_answer, look), "binary", useArrow=False)("path", "content")
        with configured(self._session, _STRICT):
            try:
                files = self._session.read.format("binaryFile").load(_patterns(store, names))
                rows = files.select("path", answer.alias("answer")).collect()
            except java_errors() as error:
                require_able(error)
                return {}
        return {row["path"].rpartition("/")[2]: bytes(row["answer"]) for row in rows}


def _patterns(store: HadoopStore, names: Iterable[str]) -> list[str]:
    """The paths of files of the log, for where Hadoop takes them for patterns."""
    return [re.sub(r"([\\*?\[\]{}])", r"\\\1", store.path(name)) for name in names]


class _SparkReplay(Replay):
    """A `Replay` in which executors do what grows with the log."""

    def __init__(self, engine: SparkEngine, store: LogStore, segment: LogSegment) -> None:
        super().__init__(store, segment)
        self._engine = engine
        self._actions_if_few = _counted_actions

    def _looked_into(
        self, files: LogFiles, look: Callable[[LogStore, str], Answer]
    ) -> Iterator[tuple[str, Answer]]:
        if len(files) <= _AT_ONCE:
            yield from super()._looked_into(files, look)
            return
        for turn in _turns(files):
            answers = self._engine.looked_into(self._store, turn, look)
            for name in turn:
                packed = answers.get(name)
                yield name, unpickled(packed) if packed else look(self._store, name)

    def counted_in_checkpoint(self, reader: CheckpointReader) -> FileCounts:
        paths = [path for path in reader.file_paths() if path.endswith(".parquet")]
        count = partial(_counted, hiding=self._reconciled, limits=self._store.limits)
        parts = self._engine.looked_at(self._store, paths, count)
        if parts is None:
            return super().counted_in_checkpoint(reader)
        counts = FileCounts()
        for number, facts in parts:
            counts.adds_read += number
            counts.facts += facts
        deque(reader.live_batches(self._reconciled, counts, ".json"), maxlen=0)
        return counts


def _turns(files: LogFiles) -> Iterator[Sequence[str]]:
    """The names of the files for each job, from the last one back."""
    turn, left = list[str](), _TURN
    for file in files[::-1]:
        if turn and file.info.size > left:
            yield turn
            turn, left = [], _TURN
        turn.append(file.path)
        left -= file.info.size
    yield turn


# On executors


class _AtHand:
    """The part of a `LogStore` that gives the one file that an executor has read."""

    limits = LIMITS

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self, _path: str) -> bytes:
        return self._content

    def open(self, _path: str) -> BinaryIO:
        return BytesIO(self._content)


def _answer(look: Callable[[Any, str], object], path: str, content: bytes) -> bytes:
    try:
        return pickle.dumps(look(_AtHand(bytes(content)), path.rpartition("/")[2]))
    except DeltaadmError:  # which the driver finds again where it comes to it
        return b""


def _answered(look: Callable[[Iterable[Any]], Any], batches: Iterator[Any]) -> Iterator[Any]:
    first = next(batches, None)
    if first is not None:
        answer = look(batch.column("add") for batch in chain([first], batches))
        names = {"file": "file_name", "start": "file_block_start"}
        place = {name: [first.column(column)[0].as_py()] for name, column in names.items()}
        yield type(first).from_pydict(place | {"answer": [pickle.dumps(answer)]})


def _counted_actions(store: LogStore, path: str) -> list[Named] | None:
    """As `actions_if_few`, with statistics that say no more than whether they have a count."""
    actions = actions_if_few(store, path, _TURN)
    for name, document in actions or ():
        if name == "add" and isinstance(stats := document.get("stats"), str):
            document["stats"] = '{"numRecords":0}' if has_num_records(stats) else ""
    return actions


def _counted(
    batches: Iterable[Any], *, hiding: Reconciliation, limits: Limits
) -> tuple[int, FileFacts]:
    """The number of `add` actions, and the facts about those that nothing newer hides."""
    from deltaadm.replay import adds as columns  # with pyarrow, which commits do not need

    touched = columns.texts(hiding.touched_paths())
    number, facts = 0, FileFacts()
    for batch in batches:
        adds = columns.required(batch, limits)
        number += len(adds)
        facts += columns.facts_of(columns.live(adds, touched, hiding), counted=False)
    return number, facts
