"""Reading checkpoints of all formats; pyarrow is imported only when whole states are read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice

from deltaadm.dataclass import dataclass, field
from deltaadm.domain.actions import ACTIONS
from deltaadm.domain.schema import ArrayType, DataType, MapType, PrimitiveType, StructType
from deltaadm.domain.snapshot import Checkpoint, FileFacts, Kind
from deltaadm.domain.wire import ACTION_NAMES
from deltaadm.errors import EngineError, StorageError, TableError
from deltaadm.limits import Limits
from deltaadm.replay import commits, parquet
from deltaadm.replay.parquet import (
    DamagedFooterError,
    Field,
    Footer,
    Pages,
    chunks,
    may_hold_any,
    null_count,
    read_footer,
)
from deltaadm.replay.reconcile import (
    PLAINLY_COUNTED,
    STATE,
    Reconciliation,
    UnreadableCheckpointError,
    count_files,
    processors,
)
from deltaadm.storage.store import LogStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO, Final, TypeVar

    import pyarrow as pa
    import pyarrow.parquet as pq

    from deltaadm.domain.snapshot import LogFile, LogListing
    from deltaadm.replay.parquet import Struct

    Document = dict[str, Any]
    Named = tuple[str, Document]
    Batch = TypeVar("Batch")
    Adds = tuple[str, bool, pa.StructArray]
    """A batch of `add` actions: their file, whether all are known to have a count, the actions."""


# Its schema


_TYPE, _CONVERTED, _LOGICAL = 1, 6, 10
"""The entries of Parquet's schema that say what a field is: by its bytes, and by annotations."""

_TYPES: Final = {0: "boolean", 1: "number", 2: "number", 6: "string"}
_CONVERTED_TYPES: Final = {
    0: "string", 1: "map", 2: "map", 3: "list", **dict.fromkeys(range(11, 19), "number")
}  # fmt: skip
_LOGICAL_TYPES: Final = {1: "string", 2: "map", 3: "list", 10: "number"}
"""Their numbers, by what the log has in such fields; logical types replace the converted ones."""


def type_mismatch(footer: Footer, names: Iterable[str]) -> str:
    """
    What is wrong with the types of the columns called *names*; empty if nothing is.

    Columns and fields that the log's schema does not know may be anything.
    """
    for name in names:
        column = footer.columns.get(name)
        # Of commitInfo nothing is read.
        if column is None or name not in ACTION_NAMES or name == "commitInfo":
            continue
        wrong = _mismatched_field(column, ACTIONS[name].log_type())
        if wrong is not None:
            return f"its column {'.'.join(wrong.path)} has a different type than in Delta's log"
    return ""


def _mismatched_field(field: Field, expected: DataType) -> Field | None:
    kind = expected.name if isinstance(expected, PrimitiveType) else type(expected)
    if field.repeated or _kind(field) != _KINDS.get(kind):
        return field
    wanted = expected.fields if isinstance(expected, StructType) else ()
    inner = ((field.child(each.name), each.type) for each in wanted)
    mismatches = (_mismatched_field(child, kind) for child, kind in inner if child is not None)
    return next((mismatch for mismatch in mismatches if mismatch is not None), None)


_KINDS: Final[Mapping[object, str]] = {
    StructType: "struct", MapType: "map", ArrayType: "list", "boolean": "boolean",
    "integer": "number", "long": "number", "string": "string",
}  # fmt: skip


def _kind(field: Field) -> str:
    """What such a field is in the log, whose maps and lists are of texts; empty if nothing."""
    element, inner = field.element, field.children
    annotated = {_CONVERTED_TYPES.get(element[_CONVERTED])} if _CONVERTED in element else set()
    annotated |= {_LOGICAL_TYPES.get(number) for number in element.get(_LOGICAL, ())}
    if not inner:
        kind = _TYPES.get(element.get(_TYPE, -1), "")
        is_plain = kind == "boolean" or (kind == "number" and not annotated)
        return kind if is_plain or annotated == {kind} else ""
    if not annotated:
        return "struct"
    values = inner[0].children or inner
    is_map = len(values) > 1
    kind = "map" if is_map else "list"
    fits = len(inner) == 1 and inner[0].repeated and annotated == {kind}
    # Parquet requires the keys of maps.
    fits = fits and len(values) == 1 + is_map and not (is_map and values[0].optional)
    return kind if fits and {*map(_kind, values)} == {"string"} else ""


# Checkpoints


SMALL: Final = (*STATE, "txn", "domainMetadata", "sidecar")
"""The actions of a checkpoint that are not about files."""

_BATCH_ROWS: Final = 1 << 14

_READERS: Final = 4
"""Threads that read, at most: more would wait for the one that counts."""


_MEANINGLESS: Final = (LookupError, TypeError, AttributeError, StopIteration, MemoryError)
"""Errors whose text alone means nothing to a reader."""


@dataclass(slots=True)
class FileCounts:
    """The counts of the `add` actions of a checkpoint, made while they were looked at."""

    facts: FileFacts = field(default_factory=FileFacts)
    adds_read: int = 0
    """The number of `add` actions, including those that are hidden."""


class CheckpointReader:
    """
    One complete checkpoint, opened as needed.

    Whatever makes a file of it unreadable becomes `UnreadableCheckpointError`; trouble with the
    store stays a `StorageError`.
    """

    def __init__(self, store: LogStore, checkpoint: Checkpoint) -> None:
        self._store = store
        self._checkpoint = checkpoint
        self._sidecars: list[str] | None = None
        self._footers: dict[str, Footer] = {}

    def small_actions(self, names: Sequence[str] = SMALL) -> Iterator[Named]:
        """
        The actions called *names*, which are never in sidecars, file by file.

        Those of a file come from the last back: of several for one key Delta takes the last.
        """
        sidecars = []
        for file in self._checkpoint.files:
            for name, document in reversed(self._small(file.path, names)):
                if name == "sidecar":
                    sidecars.append(sidecar_path(document))
                yield name, document
        if "sidecar" in names:
            self._sidecars = sidecars[::-1]

    @property
    def writer(self) -> str:
        """The program that wrote the first of the files read, as its footer says."""
        return next((footer.writer for footer in self._footers.values()), "")

    def live_batches(
        self,
        reconciled: Reconciliation,
        counts: FileCounts,
        suffix: str = "",
        fields: Sequence[str] = (),
    ) -> Iterator[list[Document] | pa.StructArray]:
        """
        The `add` actions that nothing newer in *reconciled* hides, by the batch.

        *counts* adds them up. Those of JSON are as in the log, those of Parquet by column, of which
        *fields* may name those that are wanted. With a *suffix* only files with such a name are
        read.
        """
        for path in self.file_paths():
            if not path.endswith(suffix):
                continue
            if path.endswith(".json"):
                yield from self._json_batches(path, reconciled, counts)
            else:
                yield from ahead([self._parquet_batches(path, reconciled, counts, fields)])

    def count(self, reconciled: Reconciliation) -> FileCounts:
        """Count the files that nothing newer in *reconciled* hides."""
        counts = FileCounts()
        deque(self.live_batches(reconciled, counts, ".json"), maxlen=0)
        columnar = [path for path in self.file_paths() if not path.endswith(".json")]
        if columnar:
            require_address_space(self._store.limits)
            from deltaadm.replay import adds as columns

            touched = columns.texts(reconciled.touched_paths())
            # Split so that the threads have about equal work.
            most = readers()
            parts = [slice(reader, None, most) for reader in range(most)]
            if len(columnar) == 1:
                shares = [self.add_batches(columnar[0], _fact_columns, part) for part in parts]
            else:
                read = partial(self.add_batches, columns_of=_fact_columns)
                shares = [chain.from_iterable(map(read, columnar[part])) for part in parts]
            for path, counted, adds in ahead(shares):
                counts.adds_read += len(adds)
                with self.decoding(path):
                    live = columns.live(adds, touched, reconciled)
                    counts.facts += columns.facts_of(live, counted=counted)
        return counts

    def file_paths(self) -> list[str]:
        """The files with its `add` actions: its own files, and sidecars."""
        if self._sidecars is None:
            deque(self.small_actions(("sidecar",)), maxlen=0)
        return [*(file.path for file in self._checkpoint.files), *(self._sidecars or ())]

    def size(self) -> int:
        """The number of its actions, those in sidecars included."""
        return sum(
            sum(1 for _ in self.json_actions(path))
            if path.endswith(".json")
            else self._footer(path).rows
            for path in self.file_paths()
        )

    def adds(self) -> int | None:
        """The number of its `add` actions, by the footers; None where they do not say."""
        total = 0
        for path in self.file_paths():
            if path.endswith(".json"):
                total += sum(name == "add" for name, _ in self.json_actions(path))
                continue
            for group in self._footer(path).groups:
                for chunk in parquet.chunks(group, ("add", "path")):
                    nulls = parquet.null_count(chunk)
                    if nulls is None:
                        return None
                    total += chunk[5] - nulls
        return total

    def columns(self, paths: Iterable[str]) -> frozenset[str]:
        """
        The names of the columns of those of *paths* that have any, nested ones with dots.

        All columns that the log's schema knows must have the right types.
        """
        footers = [self._footer(path) for path in paths if not path.endswith(".json")]
        return frozenset().union(*(footer.names() for footer in footers))

    def check_pages(self, path: str) -> None:
        """Look at every page of a Parquet file, also of columns that nobody here reads."""
        with self.decoding(path), self._store.open(path) as source:
            self._checked(path, source).check_headers()

    def require_whole(self, path: str) -> None:
        """Read all of a file; raises `UnreadableCheckpointError` where that fails."""
        # No part of JSON is passed over by whoever reads any.
        deque(() if path.endswith(".json") else self.batches(path, {}), maxlen=0)

    def batches(self, path: str, columns: Mapping[str, Sequence[str]]) -> Iterator[pa.RecordBatch]:
        """
        The rows of a Parquet file; of each column that *columns* names, only those of its fields.

        Fields and columns that the file does not have are left out.
        """
        with self.decoding(path), self._store.open(path) as source:
            pages, file = self._parquet(path, source, columns)
            footer = pages.footer
            present = footer.names()
            wanted = [
                name
                for column in footer.columns
                for name in columns.get(column, (column,))
                if name in present
            ]
            most = pages.batch_rows(wanted, footer.groups, _BATCH_ROWS)
            for batch in file.iter_batches(most, columns=wanted):
                batch.validate(full=True)
                yield batch

    def add_batches(
        self,
        path: str,
        columns_of: Callable[[Footer, Struct], Sequence[str]],
        share: slice = slice(None),
        *,
        rows: int = _BATCH_ROWS,
        threads: bool = True,
    ) -> Iterator[Adds]:
        """
        The `add` column, row groups and batches one after the other, without null rows.

        *columns_of* chooses what is read of a row group, so many *rows* at once at most. Of the row
        groups those in *share* are read, with pyarrow's own *threads* or without.
        """
        with self.decoding(path), self._store.open(path) as source:
            pages, file = self._parquet(path, source, ("add",))
            from deltaadm.replay.adds import required

            footer = pages.footer
            if "add" not in footer.columns:
                return
            for number in footer.groups_with("add")[share]:
                group = footer.groups[number]
                counted = _all_begin_with_count(group)
                wanted = [f"add.{column}" for column in columns_of(footer, group)]
                most = pages.batch_rows(wanted, [group], rows)
                for batch in file.iter_batches(
                    most, row_groups=[number], columns=wanted, use_threads=threads
                ):
                    yield path, counted, required(batch.column("add"), self._store.limits)

    def file_actions(self, path: str) -> Iterator[Named]:
        """
        The actions about files in a file of the checkpoint, and those that are not known, whole.

        Statistics that are a struct alone are converted to JSON.
        """
        if path.endswith(".json"):
            yield from (named for named in self.json_actions(path) if named[0] not in SMALL)
            return
        from deltaadm.replay.adds import add_documents, documents

        footer = self._footer(path)
        left_out = {"partitionValues_parsed"}
        if all(map(_all_begin_with_count, footer.groups)):
            left_out.add("stats_parsed")
        add = footer.columns.get("add")
        children = [] if add is None else [child.name for child in add.children]
        wanted = dict.fromkeys((*SMALL, "checkpointMetadata", "commitInfo"), ())
        fields = [f"add.{name}" for name in children if name not in left_out]
        for batch in self.batches(path, {**wanted, "add": fields, "remove": ("remove",)}):
            with self.decoding(path):
                for name, column in zip(batch.schema.names, batch.columns, strict=True):
                    rows = (add_documents if name == "add" else documents)(column)
                    yield from ((name, document) for document in rows)

    def json_actions(self, path: str) -> Iterator[Named]:
        with self.decoding(path):
            yield from commits.read_lines(self._store, path).checkpoint_actions()

    def _small(self, path: str, names: Sequence[str]) -> list[Named]:
        if path.endswith(".json"):
            return [named for named in self.json_actions(path) if named[0] in names]
        with self.decoding(path):
            with self._store.open(path) as source:
                footer = self._checked(path, source, names).footer
                try:
                    actions = parquet.rows(source, footer, names, self._store.limits.state)
                except parquet.UnsupportedFileError:  # pyarrow knows more, or what is wrong
                    actions = [*self._parquet_rows(path, names)]
            for named in actions:
                if cause := commits.mismatches(*named)[0]:
                    raise ValueError(cause)
            return actions

    def _json_batches(
        self, path: str, reconciled: Reconciliation, counts: FileCounts
    ) -> Iterator[list[Document]]:
        def alive() -> Iterator[Document]:
            for name, action in self.json_actions(path):
                if name == "add":
                    counts.adds_read += 1
                    if reconciled.offer("add", action):
                        yield action

        live = alive()
        while batch := list(islice(live, 100)):
            counts.facts += count_files(batch)
            yield batch

    def _parquet_batches(
        self, path: str, reconciled: Reconciliation, counts: FileCounts, fields: Sequence[str]
    ) -> Iterator[pa.StructArray]:
        from deltaadm.replay import adds as columns

        def read(footer: Footer, _group: Struct) -> Sequence[str]:
            known = (field.name for field in ACTIONS["add"].log_type().fields)
            return fields or (*known, *_counts_in(footer))

        touched = columns.texts(reconciled.touched_paths())
        with self.decoding(path):
            # More rows than are counted at once, since there is more to do with each.
            batches = self.add_batches(path, read, rows=2 * _BATCH_ROWS, threads=False)
            for _, counted, adds in batches:
                adds.validate(full=True)
                live = columns.live(adds, touched, reconciled)
                counts.adds_read += len(adds)
                counts.facts += columns.facts_of(live, counted=counted)
                if len(live):
                    yield live

    def _parquet_rows(self, path: str, names: Sequence[str]) -> Iterator[Named]:
        with self.decoding(path), self._store.open(path) as source:
            pages, file = self._parquet(path, source, names)
            from deltaadm.replay.adds import documents

            footer, left = pages.footer, self._store.limits.state
            for name in [name for name in names if name in footer.columns]:
                groups = footer.groups_with(name)
                most = pages.batch_rows([name], footer.groups, _BATCH_ROWS)
                for batch in file.iter_batches(most, row_groups=groups, columns=[name]):
                    left -= batch.nbytes
                    if left < 0:
                        raise ValueError(
                            "its actions that are not about files take more than the "
                            f"{self._store.limits.state:,} bytes that deltaadm reads of them"
                        )
                    yield from ((name, row) for row in documents(batch.column(name)))

    # One file

    def _parquet(
        self, path: str, source: BinaryIO, names: Collection[str]
    ) -> tuple[Pages, pq.ParquetFile]:
        """A Parquet file; its columns called *names* have the right types."""
        require_address_space(self._store.limits)
        import pyarrow.parquet as pq

        pages = self._checked(path, source, names)
        buffer = pages.buffer_size()
        return pages, pq.ParquetFile(
            source,
            page_checksum_verification=True,  # by itself pyarrow compares none
            buffer_size=buffer,
            pre_buffer=not buffer,  # which would hold all of what is read
        )

    def _footer(self, path: str) -> Footer:
        with self.decoding(path), self._store.open(path) as source:
            return self._checked(path, source).footer

    def _checked(self, path: str, source: BinaryIO, names: Collection[str] | None = None) -> Pages:
        """
        The pages of a file, whose footer is read once.

        The columns called *names*, by default all of them, have the right types.
        """
        if path not in self._footers:
            self._footers[path] = read_footer(source, self._store.limits)
        footer = self._footers[path]
        columns = footer.columns if names is None else names
        cause = type_mismatch(footer, columns)
        if cause:
            raise DamagedFooterError(cause)
        pages = Pages(source, footer, self._store.limits)
        pages.check(columns)
        return pages

    def decoding(self, path: str) -> _Decoding:
        """Whatever is raised over the content of a file makes the checkpoint unreadable."""
        return _Decoding(self._checkpoint.version, path)


class _Decoding:
    def __init__(self, version: int, path: str) -> None:
        self._version = version
        self._path = path

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, _NO_CONTENT):
            cause = str(error).strip().partition("\n")[0]
            if isinstance(error, _MEANINGLESS):
                cause = f"its content is damaged, {type(error).__name__} {cause}".rstrip()
            raise unreadable_checkpoint(self._version, f"{self._path}: {cause}") from error


_NO_CONTENT: Final = (
    EngineError, ImportError, MemoryError, StorageError, UnreadableCheckpointError
)  # fmt: skip
"""Exceptions that do not concern the content of a file, or already say what is wrong with it."""


def require_address_space(limits: Limits) -> None:
    """Raise `EngineError` where there is not enough address space for pyarrow's threads."""
    # Where pyarrow cannot start one, it ends the process.
    try:
        import resource
    except ImportError:  # Windows knows no such limit
        return
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < limits.address_space:
        raise EngineError(
            f"Reading this checkpoint takes {limits.address_space:,} bytes of address space, but "
            f"only {allowed:,} are allowed.",
            remedy="Raise the limit: ulimit -v shows the shell's limit in kilobytes.",
        )


def unreadable_checkpoint(version: int, cause: str) -> UnreadableCheckpointError:
    """The error for the checkpoint of *version*, of which *cause* says what is wrong where."""
    return UnreadableCheckpointError(
        f"The checkpoint of version {version} cannot be read ({cause.rstrip('.')}).",
        remedy="Restore the file from a backup, or run `deltaadm repair TABLE`, which writes the "
        "checkpoint again while the commits are there.",
        delta_error_class="FAILED_READ_FILE.NO_HINT",
        established={"version": version},
    )


def orphan_sidecars(store: LogStore, listing: LogListing) -> tuple[LogFile, ...] | None:
    """The sidecars that no checkpoint names; None if one of the checkpoints cannot be read."""
    sidecars = listing.of_kind(Kind.SIDECAR)
    named: set[str] = set()
    for checkpoint in listing.checkpoints if sidecars else ():
        try:
            small = [*CheckpointReader(store, checkpoint).small_actions(("sidecar",))]
        except TableError:
            return None
        named.update(sidecar_path(document) for _, document in small)
    return tuple(sidecar for sidecar in sidecars if sidecar.path not in named)


def sidecar_path(sidecar: Document) -> str:
    """A sidecar's path relative to the log: files of `_sidecars` are named without it."""
    return f"_sidecars/{str(sidecar.get('path')).rpartition('/')[2]}"


def _counts_in(footer: Footer) -> tuple[str, ...]:
    """The column with the number of records in statistics as a struct, if there is one."""
    statistics = footer.columns["add"].child("stats_parsed")
    number = None if statistics is None else statistics.child("numRecords")
    is_count = number is not None and not number.repeated and _kind(number) == "number"
    return ("stats_parsed.numRecords",) if is_count else ()


def _fact_columns(footer: Footer, group: Struct) -> tuple[str, ...]:
    """The columns to count the files of a row group by; without `stats` if all have a count."""
    optional = ("partitionValues", "deletionVector", "baseRowId", *_counts_in(footer))
    filled = (column for column in optional if may_hold_any(group, ("add", *column.split("."))))
    stats = () if _all_begin_with_count(group) else ("stats",)
    return ("path", "size", *stats, *filled)


def _all_begin_with_count(group: Struct) -> bool:
    # What lies between two texts begins with whatever both begin with; so the least and the
    # greatest of the column speak for all, whether or not the writer has cut them short.
    paths, stats = (next(chunks(group, ("add", name)), None) for name in ("path", "stats"))
    if paths is None or stats is None or null_count(stats) is None:
        return False
    if null_count(stats) != null_count(paths):
        return False
    bounds = (stats[_STATISTICS].get(bound, b"") for bound in _BOUNDS)
    return all(bound[: len(PLAINLY_COUNTED[0])] in PLAINLY_COUNTED for bound in bounds)


_STATISTICS, _BOUNDS = 12, (6, 5)
"""Parquet's numbers of a chunk's statistics, and of the least and greatest value in them."""


def readers() -> int:
    """The number of threads that look at columns at the same time."""
    return min(processors(), _READERS)


def ahead(shares: Iterable[Iterator[Batch]]) -> Iterator[Batch]:
    """The batches of all *shares* in turns; while one is looked at, threads read the next."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_READERS) as threads:
        coming = deque((pieces, threads.submit(next, pieces, None)) for pieces in shares)
        while coming:
            share, read = coming.popleft()
            if (batch := read.result()) is not None:
                coming.append((share, threads.submit(next, share, None)))
                yield batch
