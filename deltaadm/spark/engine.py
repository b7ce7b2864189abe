"""
The replay engine on Spark: for logs that one process would take too long to read.

Commits are decoded in Spark's Python workers, by the code that decodes them without Spark; the
files that a checkpoint lists are read by Spark's own reader of Parquet. In the commits the newest
action on a file wins by aggregation, and an anti-join takes out of the checkpoint whatever the
commits say something newer about. Of the files only aggregates reach the driver.
"""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyspark.sql import functions as fn

from deltaadm.domain.snapshot import FileFacts, FileInfo, LogFile, LogFiles, LogSegment, Snapshot
from deltaadm.domain.wire import ACTION_NAMES, CommitInfo
from deltaadm.errors import TableError
from deltaadm.replay import commits, reconcile
from deltaadm.replay.checkpoints import CheckpointReader, sidecar_path, unreadable_checkpoint
from deltaadm.replay.embedded import Replay, repeated_action
from deltaadm.spark.errors import error_text, java_errors, sentence
from deltaadm.spark.fleet import require_able, unpickled
from deltaadm.spark.session import configured
from deltaadm.spark.store import HadoopStore, failure
from deltaadm.storage.store import LogStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Answer = TypeVar("Answer")
    Document = dict[str, Any]
    Row = tuple[Any, ...]


# What workers decode


_ROW: Final = (
    "kind string, name string, key string, vector string, age string, line int, document string, "
    "high long, low long, with_vector boolean, without_stats boolean, without_records boolean, "
    "without_row_id boolean, partition_keys array<string>"
)
"""
The columns of one action: by `kind`, `name`, `key` and `vector` it replaces older ones.

The higher its `age` the newer is its file, and the lower its `line` the newer it is in there. An
action on a file has no `document`, and all others nothing after it: what `FileFacts` counts of one
file. Its size is in two columns, since a log may claim one that no long holds, and a sum of longs
would overflow.
"""

_FILE, _ACTION, _WARNING, _FAILURE = "file", "action", "warning", "failure"

_CHECKPOINTED: Final = ""
"""The age of what a checkpoint says: below that of every commit."""

_MOST: Final = (1 << 94) - 1
"""Bytes beyond which Spark cannot hold what a log claims."""
_NO_FACTS: Final = (None,) * 7
_LAST: Final = (1 << 31) - 1
_PASSED_OVER: Final = frozenset({"cdc", "checkpointMetadata"})
_IN_CHECKPOINTS: Final = frozenset({"add", *reconcile.STATE, "txn", "domainMetadata", "sidecar"})
_KEYS: Final = {"txn": "appId", "domainMetadata": "domain", "sidecar": "path"}
_DOCUMENTED: Final = frozenset({*reconcile.STATE, "commitInfo", *_KEYS})

OTHER_FORM: Final = r"^/|//|\./|/\.|%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])"
"""What is in each path that `canonical_path` changes, for Python and for Java."""


def _decoded(path: str, content: bytes, *, qualifier: str, state: bool) -> list[Row]:
    """
    The rows of a JSON file of a log; where it cannot be read on, the last one says why.

    Of a commit whose *state* is looked for, only protocol and metaData; other lines stay unparsed.
    """
    return list(_rows(path.rpartition("/")[2], content, qualifier, state=state))


def _rows(source: str, content: bytes, qualifier: str, *, state: bool) -> Iterator[Row]:
    file, counts = LogFile.of(FileInfo(source)), Counter[str]()
    age = _age(file.version if file.end is None else file.end)
    if file.kind.is_checkpoint:
        age = _CHECKPOINTED

    def row(kind: str, name: str, key: str, line: int, document: str) -> Row:
        return (kind, name, key, "", age, line, document, *_NO_FACTS)

    try:
        newest_first: Iterable[tuple[str, Document]]
        lines = commits.JsonLines(source, content)
        if state:
            newest_first = reversed(lines.state_actions())
        elif file.kind.is_checkpoint:
            actions = list(lines.checkpoint_actions())
            newest_first = (each for each in actions[::-1] if each[0] in _IN_CHECKPOINTS)
        else:
            newest_first = lines.actions_reversed()
        for name, document in newest_first:
            line = counts.total()
            counts[name] += 1
            if name in {"add", "remove"}:
                if document.get("path") is not None:
                    # Without its name: an `add` and a `remove` of a file replace each other.
                    key = reconcile.canonical_path(str(document["path"]), qualifier)
                    vector = reconcile.vector_id(document.get("deletionVector")) or ""
                    facts = _NO_FACTS if name == "remove" else _facts(document)
                    yield (_FILE, "", key, vector, age, line, None, *facts)
            # Delta passes over metadata without an id.
            elif name not in _PASSED_OVER and (name != "metaData" or document.get("id")):
                key = str(document.get(_KEYS[name])) if name in _KEYS else ""
                text = json.dumps(document) if name in _DOCUMENTED else "null"
                yield row(_ACTION, name, key, line, text)
    except TableError as error:
        text = json.dumps([error.message, error.remedy, error.delta_error_class])
        yield row(_FAILURE, "", source, counts.total(), text)
        return
    # Behind all actions of the file: rows of a file are taken in the order of their lines.
    for place, name in enumerate(reconcile.STATE, start=-len(reconcile.STATE)):
        if counts[name] > 1 and not file.kind.is_checkpoint:
            text = json.dumps(repeated_action(source, counts[name], name))
            yield row(_WARNING, name, source, _LAST + place, text)


def _facts(add: Document) -> Row:
    stats, size = add.get("stats"), add.get("size")
    return (
        *divmod(max(-_MOST, min(size, _MOST)) if isinstance(size, int) else 0, 1 << 32),
        bool(add.get("deletionVector")),
        stats is None,
        not reconcile.has_num_records(stats),
        add.get("baseRowId") is None,
        sorted(add.get("partitionValues") or ()),
    )


def _age(version: int | None) -> str:
    """The age of a commit, comparable as text, whatever the number of digits."""
    return f"{version or 0:040d}"


# The engine


_AT_ONCE: Final = 32
"""So many files are read one after the other sooner than Spark starts a job."""

_SETTINGS: Final = {
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.openCostInBytes": "262144",
    "spark.sql.caseSensitive": "true",
    "parquet.page.verify-checksum.enabled": "true",
}
"""Under which reading is strict, and many small files share a task."""


class SparkEngine:
    """A `ReplayEngine` for `HadoopStore`s; it never refuses a table for its features."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session

    def replay(self, store: LogStore, segment: LogSegment, detail: reconcile.Detail) -> Snapshot:
        # A task of a shuffle for each core: most of Spark's 200 would have nothing to do.
        cores = str(self._session.sparkContext.defaultParallelism)
        with configured(self._session, {**_SETTINGS, "spark.sql.shuffle.partitions": cores}):
            return _SparkReplay(self._session, store, segment).outcome(detail)

    def looked_at(
        self, store: LogStore, paths: Sequence[str], look: Callable[[Iterable[Any]], Answer]
    ) -> Sequence[Answer] | None:
        """See `ExaminingEngine`; a part is a piece of a file that one task reads."""
        if not paths or not isinstance(store, HadoopStore):
            return None if paths else ()
        places = [_pattern(store.path(path)) for path in dict.fromkeys(paths)]
        with configured(self._session, _SETTINGS | _PIECES):
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


def _answered(look: Callable[[Iterable[Any]], Any], batches: Iterator[Any]) -> Iterator[Any]:
    first = next(batches, None)
    if first is not None:
        answer = look(batch.column("add") for batch in chain([first], batches))
        names = {"file": "file_name", "start": "file_block_start"}
        place = {name: [first.column(column)[0].as_py()] for name, column in names.items()}
        yield type(first).from_pydict(place | {"answer": [pickle.dumps(answer)]})


_ANSWER: Final = "file string, start long, answer binary"
_PIECES: Final = dict.fromkeys(
    ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes"), str(1 << 23)
) | {
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 15),
    # With any other bound Spark adds up all offsets of a map for each row, in 25 times the time.
    "spark.sql.execution.arrow.maxBytesPerBatch": str((1 << 31) - 1),
}
"""Under which each row group of an ordinary checkpoint is a task of its own, in large batches."""


class _SparkReplay(Replay):
    """A `Replay` in which Spark does what grows with the log."""

    def __init__(self, session: SparkSession, store: LogStore, segment: LogSegment) -> None:
        if not isinstance(store, HadoopStore):
            raise TypeError("Spark reads logs by way of a HadoopStore")
        super().__init__(store, segment)
        self._hadoop = store
        self._session = session

    def state(self) -> FileFacts:
        files = [*self._segment.deltas, *self._checkpoint_files(".json")]
        # Read twice: for the actions that are folded here, and for the files that Spark counts.
        with self._failures():
            newest = self._newest([file.path for file in files if file.info.size]).persist()
        try:
            with self._failures():
                add_files = self._fold(newest.where(f"kind != '{_FILE}'").collect())
            with self._failures(in_checkpoint=True):
                facts = self._count(newest.where(f"kind = '{_FILE}'"), add_files)
        finally:
            newest.unpersist()
        self._read_commit_info()
        self._compare_checksum(facts)
        return facts

    def search_deltas(self, files: LogFiles) -> None:
        # A job takes longer to start than a few files to read.
        if len(files) <= _AT_ONCE:
            super().search_deltas(files)
            return
        with self._failures():
            rows = self._newest(files.names, state=True).collect()
        for made_by_one_file in _newest_first(rows):
            self._take(made_by_one_file)
            if self._reconciled.complete:
                return

    def _fold(self, rows: Iterable[Any]) -> list[str]:
        """
        Fold in the newest row of each key; answers the files of Parquet with `add` actions.

        Raises what makes the log unreadable.
        """
        add_files: list[str] = []
        for made_by_one_file in _newest_first(rows):
            add_files += self._take(made_by_one_file)
        if self._segment.checkpoint is not None and self._checkpoint_files(".parquet"):
            reader = CheckpointReader(self._store, self._segment.checkpoint)
            for name, document in reader.small_actions():
                self._reconciled.offer(name, document)
            self._checkpoint_writer = reader.writer
            add_files = reader.file_paths()
        return [path for path in dict.fromkeys(add_files) if path.endswith(".parquet")]

    def _count(self, on_files: DataFrame, add_files: Sequence[str]) -> FileFacts:
        """The facts about the live files, given the newest rows of files in JSON."""
        key = ["key", "vector"]
        live = on_files.where("high is not null").selectExpr(*_COUNTED, "false as odd")
        adds = None
        if add_files:
            adds = _adds(self._session, [self._hadoop.path(path) for path in add_files])
            kept = adds.join(on_files.select(key), key, "left_anti")
            live = live.unionByName(kept.select(*_COUNTED, "odd"))
        rows = _totals(live).collect()
        if adds is not None and any(row["odd"] for row in rows):
            # In another form than their own: to look for that in all paths would take most time.
            canonical = partial(reconcile.canonical_path, qualifier=self._store.qualifier)
            odd = adds.where("odd").withColumn("key", fn.udf(canonical, useArrow=False)("key"))
            kept = odd.join(on_files.select(key), key, "left_anti")
            others = _totals(kept.withColumn("odd", fn.lit(False))).collect()
            rows = [row for row in rows if not row["odd"]] + others
        facts = FileFacts()
        for row in rows:
            facts += FileFacts(
                files=row["files"],
                bytes=(row["high"] << 32) + row["low"],
                with_deletion_vector=row["with_vector"],
                bytes_with_deletion_vector=(row["high_purged"] << 32) + row["low_purged"],
                without_stats=row["without_stats"],
                without_num_records=row["without_records"],
                without_base_row_id=row["without_row_id"],
                partition_keys=frozenset({tuple(row["partition_keys"])}),
            )
        return facts

    def _newest(self, paths: Sequence[str], *, state: bool = False) -> DataFrame:
        """The newest of the actions in JSON files, by key; see `_ROW`."""
        key = ["kind", "name", "key", "vector"]
        if not paths:
            return self._session.createDataFrame([], _ROW).withColumn("count", fn.lit(0))
        patterns = [_pattern(self._hadoop.path(path)) for path in paths]
        files = self._session.read.format("binaryFile").load(patterns)
        decoder = partial(_decoded, qualifier=self._store.qualifier, state=state)
        decoded = fn.udf(decoder, f"array<struct<{_ROW}>>", useArrow=False)("path", "content")
        rows = files.select(fn.explode(decoded).alias("row")).select("row.*")
        others = [column for column in rows.columns if column not in key]
        # Lines are numbered from the end of a file, so that of one age the smaller number is newer.
        newest = fn.max_by(fn.struct(*others), fn.struct("age", -fn.col("line")))
        grouped = rows.groupBy(*key).agg(newest.alias("newest"), fn.count("*").alias("count"))
        return grouped.select(*key, "newest.*", "count")

    @contextmanager
    def _failures(self, *, in_checkpoint: bool = False) -> Iterator[None]:
        try:
            yield
        except java_errors() as error:
            text = error_text(error)
            if in_checkpoint and "FAILED_READ_FILE" in text and "FILE_NOT_EXIST" not in text:
                raise self._unreadable(sentence(text)[0]) from error
            require_able(error)
            raise failure(self._hadoop.log, error) from error

    def _unreadable(self, cause: str) -> reconcile.UnreadableCheckpointError:
        """The error for a checkpoint in whose files Spark finds something wrong."""
        holder = self._segment.checkpoint or self._segment
        return unreadable_checkpoint(holder.version, cause)

    def _take(self, rows: Iterable[Any]) -> list[str]:
        """Fold in the rows of one file, the newest first; answers the sidecars it names."""
        sidecars: list[str] = []
        for row in rows:
            document = json.loads(row["document"])
            if row["kind"] == _FAILURE:
                message, remedy, error_class = document
                if row["age"] == _CHECKPOINTED:
                    raise self._unreadable(message)
                raise TableError(message, remedy=remedy, delta_error_class=error_class)
            if row["kind"] == _WARNING:
                self._warnings.append(document)
            elif row["name"] == "sidecar":
                sidecars.append(sidecar_path(document))
            elif row["name"] == "commitInfo":
                is_newest = self._segment.last_commit in self._segment.deltas[-1:]
                if is_newest and row["age"] == _age(self._segment.version):
                    self._commit_info = CommitInfo.from_wire(document)
                    said = [(row["name"], document)]
                    self.take_provenance(self._segment.last_commit.path, said)
            elif row["name"] in ACTION_NAMES:
                self._reconciled.offer(row["name"], document)
            else:
                self._reconciled.unknown[row["name"]] = row["count"]
        return sidecars

    def _checkpoint_files(self, suffix: str) -> list[LogFile]:
        checkpoint = self._segment.checkpoint
        files = () if checkpoint is None else checkpoint.files
        return [file for file in files if file.path.endswith(suffix)]


# Queries


def _pattern(path: str) -> str:
    """A path for where Hadoop takes it for a pattern."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def _newest_first(rows: Iterable[Any]) -> Iterator[list[Any]]:
    """The rows of each file, the newest file and in it the newest row first."""
    by_line = sorted(rows, key=lambda row: row["line"])
    by_age = sorted(by_line, key=lambda row: row["age"], reverse=True)
    for _, made_by_one_file in groupby(by_age, key=lambda row: row["age"]):
        yield list(made_by_one_file)


_ADD: Final = """
    add struct<path: string, partitionValues: map<string, string>, size: long,
      modificationTime: long, dataChange: boolean, stats: string, tags: map<string, string>,
      deletionVector: struct<storageType: string, pathOrInlineDv: string, offset: int,
        sizeInBytes: int, cardinality: long, maxRowIndex: long>,
      baseRowId: long, defaultRowCommitVersion: long, clusteringProvider: string,
      stats_parsed: struct<numRecords: long>>
"""
_VECTOR_ID: Final = (
    "if(deletionVector.storageType is null, '', concat(deletionVector.storageType, "
    "coalesce(deletionVector.pathOrInlineDv, 'None'), "
    "coalesce(concat('@', deletionVector.offset), '')))"
)
_FACTS: Final = {
    "high": "shiftright(coalesce(size, 0), 32)",
    "low": "coalesce(size, 0) & 4294967295",
    "with_vector": "deletionVector.storageType is not null",
    "without_stats": "stats is null and stats_parsed is null",
    "without_records": (
        "case when stats is null then stats_parsed.numRecords is null "
        f"when left(stats, {len(reconcile.PLAINLY_COUNTED[0])}) in "
        f"({', '.join(repr(text.decode()) for text in reconcile.PLAINLY_COUNTED)}) then false "
        "else get_json_object(stats, '$.numRecords') is null end"
    ),
    "without_row_id": "baseRowId is null",
    "partition_keys": "sort_array(coalesce(map_keys(partitionValues), array()))",
}
"""The result of `_facts` for an `add` action of JSON, as expressions on one of Parquet."""

# Texts that hardly any path contains are looked for first: a pattern takes ten times as long.
_ODD: Final = (
    "(contains(path, '%') or contains(path, './') or contains(path, '/') and "
    "(path like '/%' or contains(path, '//') or contains(path, '/.')))"
)
_COUNTED: Final = tuple(_FACTS)


def _adds(session: SparkSession, paths: Sequence[str]) -> DataFrame:
    """
    The files that a checkpoint lists, by their paths, in the columns of `_ROW`.

    The `key` of those that are `odd` is not in its canonical form.
    """
    # With a schema, Spark starts no job to infer one, and columns that a checkpoint lacks are null.
    read = session.read.schema(_ADD).parquet(*map(_pattern, paths))
    return (
        read.select("add.*")
        .where("path is not null")
        .select(
            fn.col("path").alias("key"),
            fn.expr(_VECTOR_ID).alias("vector"),
            *(fn.expr(text).alias(name) for name, text in _FACTS.items()),
            (fn.expr(_ODD) & fn.col("path").rlike(OTHER_FORM)).alias("odd"),
        )
    )


def _totals(live: DataFrame) -> DataFrame:
    sizes = ("high", "low")
    # Not by collecting the sets, for which Spark has no fast way.
    return live.groupBy("partition_keys", "odd").agg(
        fn.count("*").alias("files"),
        *(fn.sum(name).alias(name) for name in sizes),
        *(fn.expr(f"sum(if(with_vector, {name}, 0))").alias(f"{name}_purged") for name in sizes),
        *(fn.count_if(name).alias(name) for name in _COUNTED[len(sizes) : -1]),
    )
