"""Reading checkpoints of all formats; pyarrow is imported only when whole states are read."""

from __future__ import annotations

from itertools import accumulate, chain, repeat

from deltaadm.domain.snapshot import FileFacts
from deltaadm.errors import TableError
from deltaadm.replay import commits, parquet
from deltaadm.replay.engine import UnreadableCheckpoint
from deltaadm.replay.reconcile import NUM_RECORDS_FIRST, FactsBuilder, Fold, merge
from deltaadm.replay.scan import processors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any, Final, TypeVar

    import pyarrow as pa
    import pyarrow.parquet as pq

    from deltaadm.domain.log_segment import Checkpoint
    from deltaadm.storage.store import LogStore

    Document = dict[str, Any]
    Named = tuple[str, Document]
    Batch = TypeVar("Batch")

STATE: Final = ("protocol", "metaData")

SMALL: Final = ("protocol", "metaData", "txn", "domainMetadata", "sidecar")
"""The actions of a checkpoint that are not about files."""

_ADD_COLUMNS: Final = (
    "path",
    "partitionValues",
    "size",
    "modificationTime",
    "dataChange",
    "stats",
    "tags",
    "deletionVector",
    "baseRowId",
    "defaultRowCommitVersion",
    "clusteringProvider",
    "stats_parsed.numRecords",
)
_FACT_COLUMNS: Final = ("path", "size")
_FACT_COLUMNS_IF_FILLED: Final = (
    "partitionValues",
    "deletionVector",
    "baseRowId",
    "stats_parsed.numRecords",
)

_BATCH_ROWS: Final = 1 << 14

_READERS: Final = 4
"""Threads that read, at most: more would wait for the one that counts."""

_WHOLE: Final = slice(None)


class CheckpointReader:
    """
    One complete checkpoint, opened as needed.

    Whatever makes a file of it unreadable becomes `UnreadableCheckpoint`; trouble with the
    store stays a `StorageError`.
    """

    def __init__(self, store: LogStore, checkpoint: Checkpoint) -> None:
        self._store = store
        self._checkpoint = checkpoint
        self._sidecars: list[str] | None = None

    def small_actions(self, names: Sequence[str] = SMALL) -> list[Named]:
        """The actions called *names*, which are never in sidecars."""
        found = [named for one in self._checkpoint.files for named in self._small(one.path, names)]
        if "sidecar" in names:
            self._sidecars = [sidecar_path(one) for name, one in found if name == "sidecar"]
        return found

    def state_actions(self) -> Iterator[Named]:
        """Protocol and metaData, file by file: whoever has both need not read on."""
        for one in self._checkpoint.files:
            yield from self._small(one.path, STATE)

    def live_adds(self, fold: Fold) -> Iterator[Document]:
        """The `add` actions that nothing newer in *fold* hides, as in the log."""
        for path in self.file_paths():
            if path.endswith(".json"):
                yield from (one for one in self._json_adds(path) if fold.offer("add", one))
            else:
                yield from self._parquet_adds(path, fold)

    def facts(self, fold: Fold) -> FileFacts:
        """Facts about the files that nothing newer in *fold* hides."""
        builder = FactsBuilder()
        columnar = []
        for path in self.file_paths():
            if path.endswith(".json"):
                builder.add_all(one for one in self._json_adds(path) if fold.offer("add", one))
            else:
                columnar.append(path)
        return merge(builder.facts(), self._parquet_facts(columnar, fold))

    def file_paths(self) -> list[str]:
        """Where its `add` actions are: its own files, and sidecars."""
        if self._sidecars is None:
            self.small_actions(("sidecar",))
        return [*(one.path for one in self._checkpoint.files), *(self._sidecars or ())]

    def size(self) -> int:
        """The number of its actions, those in sidecars included."""
        return sum(map(self._rows, self.file_paths()))

    def _rows(self, path: str) -> int:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if path.endswith(".json"):
            return len(self._json(path))
        try:
            with self._store.open(path) as source, pq.ParquetFile(source) as file:
                return int(file.metadata.num_rows)
        except (pa.ArrowException, OSError, TableError) as error:
            raise self._unreadable(path, error) from error

    def _small(self, path: str, names: Sequence[str]) -> list[Named]:
        if path.endswith(".json"):
            return [named for named in self._json(path) if named[0] in names]
        return self._parquet_small(path, names)

    def _json(self, path: str) -> list[Named]:
        try:
            return commits.all_actions(self._store.read(path), path)
        except TableError as error:
            raise self._unreadable(path, error) from error

    def _json_adds(self, path: str) -> Iterator[Document]:
        return (one for name, one in self._json(path) if name == "add")

    def _parquet_adds(self, path: str, fold: Fold) -> Iterator[Document]:
        """Only files that *fold* may hide are offered to it, which remembers what it is offered."""
        import pyarrow.compute as pc

        touched = _texts(fold.touched_paths())
        for _, adds in self._add_batches(path, lambda _: _ADD_COLUMNS):
            marked = _doubtful(pc.struct_field(adds, "path"), touched)
            doubts = repeat(False) if marked is None else marked.to_pylist()
            for row, doubtful in zip(adds.to_pylist(), doubts, strict=False):
                one = _plain_fact(row)
                if not doubtful or fold.offer("add", one):
                    yield one

    def _parquet_small(self, path: str, names: Sequence[str]) -> list[Named]:
        try:
            with self._store.open(path) as source:
                return parquet.rows(source, names)
        except (parquet.Unfamiliar, OSError, TableError):  # pyarrow knows more, or what is wrong
            return self._parquet_rows(path, names)

    def _parquet_rows(self, path: str, names: Sequence[str]) -> list[Named]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with self._store.open(path) as source, pq.ParquetFile(source) as file:
                present = [name for name in names if name in file.schema_arrow.names]
                groups = _groups_with(file.metadata, present)
                if not groups:
                    return []
                table = file.read_row_groups(groups, columns=present)
                return [(name, one) for name in present for one in _rows(table.column(name))]
        except (pa.ArrowException, OSError, TableError) as error:
            raise self._unreadable(path, error) from error

    def _add_batches(
        self,
        path: str,
        columns_of: Callable[[pq.RowGroupMetaData], Sequence[str]],
        share: slice = _WHOLE,
    ) -> Iterator[tuple[Sequence[str], pa.StructArray]]:
        """
        The `add` column, row groups and batches one after the other, without null rows.

        *columns_of* chooses for a row group what is read of it, which is told with each batch. Of
        the row groups those in *share* are read.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with self._store.open(path) as source, pq.ParquetFile(source) as file:
                groups = _groups_with(file.metadata, ("add",))
                if "add" not in file.schema_arrow.names or not groups:
                    return
                for group in groups[share]:
                    columns = columns_of(file.metadata.row_group(group))
                    wanted = [f"add.{one}" for one in columns]
                    for batch in file.iter_batches(_BATCH_ROWS, row_groups=[group], columns=wanted):
                        yield columns, _without_nulls(batch.column("add"))
        except (pa.ArrowException, OSError, TableError) as error:
            raise self._unreadable(path, error) from error

    def _parquet_facts(self, paths: Sequence[str], fold: Fold) -> FileFacts:
        """Count column by column; only files that *fold* may hide are looked at one by one."""
        if not paths:
            return FileFacts()
        import pyarrow.compute as pc

        touched = _texts(fold.touched_paths())
        total = FileFacts()
        for columns, adds in _ahead(self._shares(paths)):
            counted = "stats" not in columns
            doubtful = _doubtful(pc.struct_field(adds, "path"), touched)
            if doubtful is None:
                total = merge(total, _column_facts(adds, counted=counted))
                continue
            builder = FactsBuilder()
            singly = (_plain_fact(one) for one in adds.filter(doubtful).to_pylist())
            told = ({"stats": _COUNTED} | one for one in singly) if counted else singly
            builder.add_all(one for one in told if fold.offer("add", one))
            rest = _column_facts(adds.filter(pc.invert(doubtful)), counted=counted)
            total = merge(merge(total, builder.facts()), rest)
        return total

    def _shares(self, paths: Sequence[str]) -> list[Iterator[tuple[Sequence[str], pa.StructArray]]]:
        """What facts are counted from, so that several threads have about as much to read."""
        readers = range(min(processors(), _READERS))
        shares = [slice(one, None, len(readers)) for one in readers]
        if len(paths) == 1:
            return [self._add_batches(paths[0], _fact_columns, share) for share in shares]
        return [
            chain.from_iterable(self._add_batches(one, _fact_columns) for one in paths[share])
            for share in shares
        ]

    def _unreadable(self, path: str, error: Exception) -> UnreadableCheckpoint:
        cause = str(error).strip().partition("\n")[0]
        return unreadable_checkpoint(self._checkpoint.version, f"{path}: {cause}")


def unreadable_checkpoint(version: int, cause: str) -> UnreadableCheckpoint:
    """The error for the checkpoint of *version*, of which *cause* says what is wrong where."""
    return UnreadableCheckpoint(
        f"The checkpoint of version {version} cannot be read ({cause.rstrip('.')}).",
        remedy="Restore the file from a backup, or write a new checkpoint if the table "
        "still loads without it.",
        delta_error_class="FAILED_READ_FILE.NO_HINT",
        established={"version": version},
    )


def sidecar_path(sidecar: Document) -> str:
    """A sidecar's path relative to the log: files of `_sidecars` are named without it."""
    return f"_sidecars/{str(sidecar.get('path')).rpartition('/')[2]}"


def _groups_with(metadata: pq.FileMetaData, names: Sequence[str]) -> list[int]:
    """The row groups that, by their statistics, may hold a value in one of these columns."""
    prefixes = tuple(f"{name}." for name in names)
    return [
        index
        for index in range(metadata.num_row_groups)
        if _may_hold(metadata.row_group(index), prefixes)
    ]


def _may_hold(group: pq.RowGroupMetaData, prefixes: tuple[str, ...]) -> bool:
    for index in range(group.num_columns):
        column = group.column(index)
        if not f"{column.path_in_schema}.".startswith(prefixes):
            continue
        statistics = column.statistics
        if statistics is None or not statistics.has_null_count:
            return True
        if statistics.null_count < column.num_values:
            return True
    return False


def _fact_columns(group: pq.RowGroupMetaData) -> tuple[str, ...]:
    """What facts about the files of a row group take; without `stats` if all have a count."""
    filled = (one for one in _FACT_COLUMNS_IF_FILLED if _may_hold(group, (f"add.{one}.",)))
    stats = () if _all_begin_with_count(group) else ("stats",)
    return (*_FACT_COLUMNS, *stats, *filled)


def _all_begin_with_count(group: pq.RowGroupMetaData) -> bool:
    """
    Whether all files of a row group have statistics that begin with the number of records.

    What lies between two texts begins with whatever both begin with; so the least and the
    greatest of the column speak for all, whether or not the writer has cut them short.
    """
    columns = [group.column(index) for index in range(group.num_columns)]
    held = {one.path_in_schema: one.statistics for one in columns}
    paths, stats = held.get("add.path"), held.get("add.stats")
    if paths is None or stats is None or not (paths.has_null_count and stats.has_null_count):
        return False
    if stats.null_count != paths.null_count or not stats.has_min_max:
        return False
    bounds = {bytes(one[: len(_PLAINLY_COUNTED[0])]) for one in (stats.min_raw, stats.max_raw)}
    return bounds <= set(_PLAINLY_COUNTED)


def _ahead(shares: Iterable[Iterator[Batch]]) -> Iterator[Batch]:
    """The batches of all *shares* in turns; while one is looked at, threads read the next."""
    from collections import deque
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_READERS) as readers:
        coming = deque((one, readers.submit(next, one, None)) for one in shares)
        while coming:
            share, read = coming.popleft()
            if (batch := read.result()) is not None:
                coming.append((share, readers.submit(next, share, None)))
                yield batch


def _texts(values: Collection[str]) -> pa.StringArray:
    """An array of *values*."""
    import pyarrow as pa

    return _bytes([one.encode() for one in values]).view(pa.string())


def _bytes(values: Sequence[bytes]) -> pa.BinaryArray:
    """An array of *values*; `pa.array` would import pandas wherever it is installed."""
    from array import array

    import pyarrow as pa

    offsets = array("i", accumulate(map(len, values), initial=0))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(values))]
    return pa.BinaryArray.from_buffers(pa.binary(), len(values), buffers)


def _doubtful(paths: pa.StringArray, touched: pa.StringArray) -> pa.BooleanArray | None:
    """
    Marks the paths that newer actions may hide; None if there are none.

    Those are the ones *touched*, and all that have several spellings. That no path of a batch
    has any is seen fastest by looking for the characters in all of them at once.
    """
    import pyarrow.compute as pc

    marked = pc.or_(pc.is_in(paths, touched), pc.starts_with(paths, "/"))
    body = paths.buffers()[2]
    text = b"" if body is None else body.to_pybytes()
    if b"%" in text or b":" in text:
        marked = pc.or_(marked, pc.match_substring_regex(paths, "[%:]"))
    return marked if pc.any(marked).as_py() else None


def _without_nulls(adds: pa.StructArray) -> pa.StructArray:
    import pyarrow.compute as pc

    if not pc.struct_field(adds, "path").null_count:  # to filter means to copy
        return adds
    return adds.filter(pc.is_valid(pc.struct_field(adds, "path")))


def _rows(column: pa.ChunkedArray) -> Iterator[Document]:
    """The structs of a column as JSON objects; one whose fields are all null counts as null."""
    for one in column.filter(column.is_valid()).to_pylist():
        document = _plain(one, column.type)
        if document:
            yield document


def _plain(value: Any, data_type: pa.DataType) -> Any:
    """An Arrow value as JSON has it: maps as objects, no entries for null fields of structs."""
    import pyarrow.types as pt

    if value is None:
        return None
    if pt.is_map(data_type):
        return dict(value)
    if pt.is_struct(data_type):
        fields = ((each.name, _plain(value[each.name], each.type)) for each in data_type)
        return {name: one for name, one in fields if one is not None}
    return value


def _plain_add(add: Document) -> Document:
    """An `add` row as JSON has it."""
    document = {key: value for key, value in add.items() if value is not None}
    for key in ("partitionValues", "tags"):
        if key in document:
            document[key] = dict(document[key])
    vector = {
        key: value for key, value in document.pop("deletionVector", {}).items() if value is not None
    }
    return document | {"deletionVector": vector} if vector else document


def _plain_fact(add: Document) -> Document:
    """An `add` row with statistics in either form; struct ones are told in JSON."""
    parsed = add.pop("stats_parsed", None)
    document = _plain_add(add)
    if parsed is not None and "stats" not in document:
        count = parsed.get("numRecords")
        document["stats"] = "{}" if count is None else f'{{"numRecords":{count}}}'
    return document


def _column_facts(adds: pa.StructArray, *, counted: bool) -> FileFacts:
    """Facts about *adds*; where all are *counted*, their statistics have not been read."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def column(name: str) -> Any:
        if adds.type.get_field_index(name) < 0:
            return pa.nulls(len(adds))
        return pc.struct_field(adds, name)

    vector = column("deletionVector")
    with_vector = 0
    if not pa.types.is_null(vector.type):
        with_vector = _count(pc.is_valid(pc.struct_field(vector, "storageType")))
    without_stats, without_count = 0, 0
    if not counted:
        without_stats, without_count = _lacking(column("stats"), column("stats_parsed"))
    return FileFacts(
        files=len(adds),
        bytes=pc.sum(column("size").cast(pa.int64())).as_py() or 0,
        with_deletion_vector=with_vector,
        without_stats=without_stats,
        without_num_records=without_count,
        without_base_row_id=column("baseRowId").null_count,
        partition_keys=_partition_keys(column("partitionValues")),
    )


def _lacking(stats: pa.Array, parsed: pa.Array) -> tuple[int, int]:
    """How many files have no statistics in either form, and how many no number of records."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stats = stats.cast(pa.string())
    odd = FactsBuilder()
    odd.add_all({"stats": one} for one in _not_counted(stats).to_pylist())
    in_struct = 0
    if not pa.types.is_null(parsed.type):
        numbers = pc.struct_field(parsed, "numRecords")
        in_struct = _count(pc.and_(pc.is_null(stats), pc.is_valid(numbers)))
    parsed_only = _count(pc.and_(pc.is_null(stats), pc.is_valid(parsed)))
    return (
        stats.null_count - parsed_only,
        stats.null_count - in_struct + odd.facts().without_num_records,
    )


_PLAINLY_COUNTED: Final = tuple(f'{{"numRecords":{digit}'.encode() for digit in range(10))
"""How nearly all statistics begin, which is told much faster than a pattern is found."""

_COUNTED: Final = '{"numRecords":0}'
"""Stands for statistics that are known to have a count and have not been read."""


def _not_counted(stats: pa.StringArray) -> pa.StringArray:
    """Those statistics, without nulls, that do not begin with the number of records."""
    import pyarrow as pa
    import pyarrow.compute as pc

    begins = pc.binary_slice(stats.cast(pa.binary()), 0, len(_PLAINLY_COUNTED[0]))
    rest = stats.filter(pc.invert(pc.is_in(begins, _bytes(_PLAINLY_COUNTED))))
    return rest.filter(pc.invert(pc.match_substring_regex(rest, NUM_RECORDS_FIRST)))


def _count(flags: pa.Array) -> int:
    import pyarrow.compute as pc

    return pc.sum(flags).as_py() or 0


def _partition_keys(values: pa.Array) -> frozenset[tuple[str, ...]]:
    """The sets of keys; the usual case, the same keys everywhere, is seen without a loop."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(values):
        return frozenset()
    if not pa.types.is_map(values.type):
        return frozenset({()})
    offsets = values.offsets
    lengths = pc.unique(pc.subtract(offsets.slice(1), offsets.slice(0, len(offsets) - 1)))
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    keys = pc.unique(values.keys.slice(first, last - first)).to_pylist()
    if len(lengths) == 1 and lengths[0].as_py() == len(keys):
        return frozenset({tuple(sorted(keys))})
    return frozenset(tuple(sorted(key for key, _ in one or ())) for one in values.to_pylist())
