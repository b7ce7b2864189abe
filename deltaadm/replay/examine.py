"""
Examining a log: everything that validation rules want to know, one fact at a time.

Replay asks for as little as it can and stops at the first thing that makes a table unreadable;
an examination reads on and tells what it saw. Facts are made as they are asked for, so memory
does not grow with the number of commits or files.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from deltaadm import facts
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain import file_facts
from deltaadm.domain.actions import AddFile, DeletionVectorDescriptor
from deltaadm.domain.features import mapping_mode
from deltaadm.domain.file_facts import kinds_in
from deltaadm.domain.properties import whole_number
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import Path
from deltaadm.domain.snapshot import FileFacts, Kind, LogFile, LogListing, Snapshot
from deltaadm.domain.transaction.column_mapping import column_id, physical_name
from deltaadm.domain.transaction.columns import earlier_names, lost_clustering
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, MissingFileError, StorageError, TableError
from deltaadm.facts import State
from deltaadm.limits import Limits
from deltaadm.replay.checkpoints import FileCounts, orphan_sidecars, readers
from deltaadm.replay.commit_lines import CommitLines, SharingReplay
from deltaadm.replay.commits import json_object
from deltaadm.replay.embedded import live_files
from deltaadm.replay.examine_checkpoints import CheckpointExaminer, compaction_facts, state_after
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import STATE, Detail, UnreadableCheckpointError
from deltaadm.replay.totals import TotalsBuilder
from deltaadm.storage.store import LogStore
from deltaadm.storage.threads import each_ahead, panics_as_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

    from deltaadm.domain.snapshot import Checkpoint, LogSegment
    from deltaadm.replay.file_columns import ArrowFiles
    from deltaadm.replay.reconcile import ExaminingEngine, Reconciliation


# Cross check


_LONGEST: Final = 200


def cross_check(store: LogStore, snapshot: Snapshot) -> facts.CrossCheck:
    """The differences of deltalake's reading from *snapshot*, in which the files are counted."""
    from urllib.parse import quote

    import deltalake

    program = f"deltalake {deltalake.__version__}"
    # Of what is not local deltalake takes URLs, which are encoded.
    location = store.local_path or quote(store.root, safe=":/@")
    try:
        options = dict(store.storage_options) or None
        with panics_as_errors():
            theirs = deltalake.DeltaTable(location, storage_options=options)
            differences = dict(_differences(snapshot, theirs))
    except Exception as error:  # noqa: BLE001 -- a refusal, in whatever class it comes
        lines = str(error).strip().splitlines()
        refusal = lines[0][:_LONGEST] if lines else type(error).__name__
        return facts.CrossCheck(program=program, refusal=refusal)
    return facts.CrossCheck(program=program, differences=differences)


def _differences(ours: Snapshot, theirs: DeltaTable) -> Iterator[tuple[str, tuple[str, str]]]:
    if ours.version != theirs.version():
        yield "version", (str(ours.version), str(theirs.version()))
        return  # the rest belongs to another version
    mine, other = ours.protocol, theirs.protocol()
    for key, left, right in (
        ("minReaderVersion", mine.min_reader_version, other.min_reader_version),
        ("minWriterVersion", mine.min_writer_version, other.min_writer_version),
        # A missing list and an empty one look alike to deltalake's users.
        ("readerFeatures", sorted(mine.reader_features or ()), sorted(other.reader_features or ())),
        ("writerFeatures", sorted(mine.writer_features or ()), sorted(other.writer_features or ())),
    ):
        if left != right:
            yield f"protocol.{key}", (str(left), str(right))
    table, read = ours.metadata, theirs.metadata()
    schema = json.loads(theirs.schema().to_json())
    for key, value, seen in (
        ("id", table.id, str(read.id)),
        ("name", table.name, read.name),
        ("description", table.description, read.description),
        ("partitionColumns", list(table.partition_columns), list(read.partition_columns)),
        ("configuration", dict(table.configuration), dict(read.configuration)),
        # As values, since the order of keys and the blanks of JSON mean nothing.
        ("schema", json.loads(table.schema_string or "null"), schema),
    ):
        if value != seen:
            yield f"metadata.{key}", (_shortened(value), _shortened(seen))
    if ours.files is not None and ours.files.files != (count := len(theirs.file_uris())):
        yield "files", (str(ours.files.files), str(count))


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


# Files of the table


def data_file_facts(store: LogStore, add: AddFile, state: State) -> facts.DataFileFacts:
    """
    Look at the files of *add*: their sizes, the Parquet footer, the bytes of the deletion vector.

    Trouble with any of them is a fact as well; nothing is raised.
    """
    try:
        size = store.data_size(add.path) if add.path else None
    except StorageError as error:
        return facts.DataFileFacts(add=add, state=state, size=None, out_of_reach=error.message)
    bare: tuple[str, ...] = ()
    unreadable = ""
    if size is not None:
        from pyarrow import parquet, struct

        try:
            with store.open_data(add.path) as source:
                bare = tuple(_without_field_id(struct(list(parquet.read_schema(source)))))
        except DeltaadmError as error:
            unreadable = error.message.rstrip(".")
        except Exception as error:  # noqa: BLE001 -- damaged bytes end in nearly anything
            unreadable = str(error).strip().rstrip(".").partition("\n")[0]
    vector = add.deletion_vector
    return facts.DataFileFacts(
        add=add,
        state=state,
        size=size,
        unreadable=unreadable,
        without_field_id=bare,
        vector_problem="" if vector is None else _vector_problem(store, vector),
    )


def _without_field_id(data_type: pa.DataType, within: str = "") -> Iterator[str]:
    """The fields of structs at any depth; elements, keys and values themselves need no id."""
    import pyarrow.types as pt

    if pt.is_struct(data_type):
        for field in data_type:
            if b"PARQUET:field_id" not in (field.metadata or {}):
                yield f"{within}{field.name}"
            yield from _without_field_id(field.type, f"{within}{field.name}.")
    elif pt.is_map(data_type):
        yield from _without_field_id(data_type.key_type, within)
        yield from _without_field_id(data_type.item_type, within)
    elif pt.is_list(data_type) or pt.is_large_list(data_type):
        yield from _without_field_id(data_type.value_type, within)


def _vector_problem(store: LogStore, vector: DeletionVectorDescriptor) -> str:
    if file_facts.descriptor_flaw(vector):
        return ""  # there is nothing to look at
    if vector.storage_type == file_facts.INLINE:
        decoded = file_facts.z85_decode(vector.path_or_inline_dv)
        return file_facts.bitmap_flaw(decoded[: vector.size_in_bytes], vector)
    try:
        with store.open_data(vector_path(vector)) as source:
            head = source.read(1)
            source.seek(vector.offset or 0)
            stored = source.read(file_facts.stored_length(vector))
    except DeltaadmError as error:
        return error.message.rstrip(".")
    except OSError as error:
        return str(error)
    return file_facts.stored_flaw(head, stored, vector)


def vector_path(vector: DeletionVectorDescriptor) -> str:
    """The path of the file with *vector*, encoded like those of `add`, which stores decode."""
    if vector.storage_type != file_facts.RELATIVE:
        return vector.path_or_inline_dv
    from urllib.parse import quote

    return quote(file_facts.relative_path(vector))


# Examine


@dataclass(frozen=True, kw_only=True)
class Depth:
    """
    How far an examination goes beyond the newest version and the log files that make it.

    `history`: every commit still in the log. `deep`: whole checkpoints, sidecars and data
    files. `cross_check`: what another implementation reads. `data_files`: whether `deep` looks for
    the data files in the storage.
    """

    history: bool = False
    deep: bool = False
    cross_check: bool = False
    data_files: bool = True


def examine(
    store: LogStore, depth: Depth, *, now: int, engine: ExaminingEngine | None = None
) -> Iterator[facts.Facts]:
    """
    The facts about the table in *store*; *now* is in milliseconds since the epoch.

    *engine* replays the newest version, and may look at the files of its checkpoint; what rules
    see one by one is read without it.

    The first is about the log as a whole. Raises `TableError` only where there is no log, and
    `StorageError` for trouble with the store.
    """
    return _FactCollector(store, depth, now, engine).found()


class _FactCollector:
    def __init__(
        self, store: LogStore, depth: Depth, now: int, engine: ExaminingEngine | None
    ) -> None:
        self._store = store
        self._engine = engine
        self._depth = depth
        self._now = now
        self._listing = _listed(store)
        if self._listing.checksums_ahead:  # whose commits may have come while it was made
            self._listing = _listed(store)
        self._pointer = read_pointer(store)
        self._failure: TableError | None = None
        self._unreadable: dict[Checkpoint, str] = {}
        self._counted: tuple[LogSegment, FileCounts] | None = None
        self._lines = CommitLines(store)
        self._snapshot: Snapshot | None = None
        self._newest: facts.CommitTimes | None = None
        self._missing = 0

    def found(self) -> Iterator[facts.Facts]:
        totals = yield from self._load()
        deep, snapshot = self._depth.deep, self._snapshot
        segment = None if snapshot is None else snapshot.segment
        in_effect = self._newest_state()
        yield facts.LogFacts(
            listing=self._listing,
            pointer=self._pointer,
            segment=segment,
            failure=self._failure,
            versions=self._recreatable_versions(),
            state=in_effect,
            now=self._now,
            orphans=orphan_sidecars(self._store, self._listing) if deep else None,
            catalog=self._store.catalog_state,
        )
        yield from self._commits(in_effect)
        # Delta reads those of its segment instead of the commits, which then say nothing about the
        # table.
        compared: Collection[LogFile] = self._listing.of_kind(Kind.COMPACTED)
        if segment is not None and not deep:
            compared = [file for file in compared if file.path in segment.deltas.names]
        yield from compaction_facts(self._store, self._listing, compared=compared)
        examiner = CheckpointExaminer(
            store=self._store,
            reader=self._lines.reader,
            listing=self._listing,
            pointer=self._pointer,
            chosen=None if segment is None else segment.checkpoint,
            unreadable=self._unreadable,
            deep=deep,
        )
        yield from examiner.facts()
        if snapshot is not None:
            yield from self._state(snapshot, totals)
            yield from self._catalog(snapshot)
            if self._depth.cross_check:
                yield cross_check(self._store, snapshot)

    def _catalog(self, snapshot: Snapshot) -> Iterator[facts.Facts]:
        if self._store.catalog_state is None:
            return
        from deltaadm.storage.unity import RatifiedStore

        if isinstance(self._store, RatifiedStore):
            yield facts.CatalogFacts(
                state=self._store.catalog_state,
                snapshot=snapshot,
                unpublished=self._store.unpublished(),
                differing=self._store.differing(),
            )

    def _load(self) -> Generator[facts.Facts, None, facts.FileTotals | None]:
        """
        Load the newest version, and look at its files, which the totals are of.

        The files of a checkpoint are counted while they are judged: to count them beforehand reads
        most of a large one twice, a tenth of the time. What was said of files is withdrawn where it
        turns out that the version has to be loaded in another way: from other files, or with other
        protocol and metadata.
        """
        early, counts, totals = self._early_state(), FileCounts(), None
        if early is not None and early.segment is not None:
            with suppress(TableError):
                totals = yield from self._files(early, counts)
                self._counted = early.segment, counts
        try:
            self._snapshot = load_snapshot(
                self._store, self, detail=Detail.STATE, listing=self._listing
            )
        except TableError as error:
            self._failure = error
        loaded = self._snapshot
        # Whether what was said of the files of one holds for those of the other.
        if (
            early is not None
            and loaded is not None
            and loaded.files is not None
            and totals is not None
            and early.segment == loaded.segment
            and early.protocol == loaded.protocol
            and early.metadata == loaded.metadata
            and not loaded.files.with_deletion_vector
        ):
            return replace(totals, facts=loaded.files)
        if early is not None:
            yield facts.Withdrawn()
        if loaded is None or loaded.segment is None:
            return None
        try:
            return (yield from self._files(loaded, FileCounts()))
        except UnreadableCheckpointError as error:
            if loaded.segment.checkpoint is not None:
                self._unreadable[loaded.segment.checkpoint] = error.message
            return None

    def _early_state(self) -> Snapshot | None:
        """
        The newest version as far as it takes to judge the files of its checkpoint.

        None where the files are judged after they were counted.
        """
        if self._engine is not None or not self._listing.checkpoints:
            return None
        with suppress(TableError):
            early = load_snapshot(self._store, self, listing=self._listing)
            # Large commits would be decoded once more; with deletion vectors, `TotalsBuilder` takes
            # memory for each file.
            if (
                early.segment is not None
                and early.segment.checkpoint is not None
                and self._lines.has_room(early.segment.deltas)
                and not early.protocol.supports("deletionVectors")
            ):
                return early
        return None

    def replay(self, store: LogStore, segment: LogSegment, detail: Detail) -> Snapshot:
        """A `ReplayEngine` that keeps the lines it decodes and notes unreadable checkpoints."""
        try:
            if self._engine is not None:
                return self._engine.replay(store, segment, detail)
            known = self._counted
            counts = known[1] if known is not None and known[0] == segment else None
            return SharingReplay(store, segment, self._lines, counts).outcome(detail)
        except UnreadableCheckpointError as error:
            if segment.checkpoint is not None:
                self._unreadable[segment.checkpoint] = error.message
            raise

    def _recreatable_versions(self) -> tuple[int, int] | None:
        """
        The first and last version that can be rebuilt.

        File names tell where the newest version can be read. Otherwise something unreadable makes
        all versions from some on unreadable, of which the first is sought by halves.
        """
        named = self._listing.recreatable_versions
        if named is None or self._failure is None:
            return named
        first, last = named

        def is_unreadable(version: int) -> bool:
            try:
                load_snapshot(self._store, self._engine, detail=Detail.STATE, version=version)
            except TableError:
                return True
            return False

        readable = bisect_left(range(first, last + 1), x=True, key=is_unreadable)
        return (first, first + readable - 1) if readable else None

    def _newest_state(self) -> State:
        if self._snapshot is not None:
            return State.of(self._snapshot)
        known = {} if self._failure is None else dict(self._failure.established)
        protocol, metadata = known.get("protocol"), known.get("metadata")
        version = known.get("version")
        return State(
            version=version if isinstance(version, int) else -1,
            protocol=Protocol.from_wire(protocol) if isinstance(protocol, dict) else None,
            metadata=Metadata.from_wire(metadata) if isinstance(metadata, dict) else None,
        )

    # Commits

    def _commits(self, in_effect: State) -> Iterator[facts.Facts]:
        """
        The commits in their order, each with the state before and after it.

        Among all commits of the log, each is followed by the checksum of its version; that of
        the newest one waits for the snapshot.
        """
        state, previous = State(version=-1), None
        columns: Mapping[int, str] = {}
        newest = [file.path for file in self._listing.commits[-1:]]
        snapshot = self._snapshot
        segment = None if snapshot is None else snapshot.segment
        chosen: Iterable[LogFile] = self._listing.commits
        if segment is not None and not self._depth.history:
            chosen = segment.commits or (segment.last_commit,)
        checksums = {
            crc.version: crc
            for crc in self._listing.of_kind(Kind.CRC)
            if (self._depth.history or self._depth.deep)
            and (snapshot is None or crc.version != snapshot.version)
        }
        self._store.read_ahead(file.path for file in chosen if file.path not in self._lines)
        for file in chosen:
            version = file.number
            if previous is None or previous.version != version - 1:
                previous, state = None, self._checkpointed(version - 1)
            lines = self._lines.of(file.path)
            after = state_after(state, version, _state_actions(lines))
            if after.protocol is None or after.metadata is None:
                other = self._checkpointed(version)
                protocol = after.protocol or other.protocol
                after = replace(after, protocol=protocol, metadata=after.metadata or other.metadata)
            commit = facts.CommitFacts(
                file=file,
                version=version,
                lines=lines,
                before=state,
                after=after,
                times=facts.CommitTimes.of(file, lines),
                previous=previous,
                columns=columns,
                newest=file.path in newest,
                in_effect=in_effect,
            )
            yield commit
            if version in checksums:
                yield checksum_facts(self._store, checksums[version], after, commit.times)
            if after.metadata is not state.metadata:
                columns = _columns_after(columns, commit)
            state, previous = after, commit.times
            self._newest = previous

    def _checkpointed(self, version: int) -> State:
        """The state that a checkpoint of *version* holds; unknown if there is none to read."""
        for checkpoint in reversed(self._listing.checkpoints):
            if checkpoint.version == version:
                try:
                    actions = [*self._lines.reader(checkpoint).small_actions(STATE)][::-1]
                except TableError:
                    continue
                return state_after(State(version=version), version, actions)
        return State(version=version)

    # State

    def _state(self, snapshot: Snapshot, totals: facts.FileTotals | None) -> Iterator[facts.Facts]:
        """The newest version, and its checksum."""
        configuration = snapshot.metadata.configuration
        first = whole_number(configuration.get("delta.inCommitTimestampEnablementVersion", ""))
        enabling = (
            facts.CommitTimes.of(file, self._lines.of(file.path)).in_commit
            for file in (() if first is None else self._listing.commits)
            if file.version == first
        )
        yield facts.SnapshotFacts(
            snapshot=snapshot,
            totals=totals,
            listing=self._listing,
            enablement_timestamp=next(enabling, None),
            earlier_names=self._earlier_names(snapshot),
            now=self._now,
        )
        newest = self._newest
        known = newest if newest is not None and newest.version == snapshot.version else None
        for file in self._listing.of_kind(Kind.CRC):
            if file.version == snapshot.version:
                checksum = checksum_facts(self._store, file, State.of(snapshot), known)
                yield replace(checksum, snapshot=snapshot, totals=totals)

    def _files(
        self, snapshot: Snapshot, counts: FileCounts
    ) -> Generator[facts.Facts, None, facts.FileTotals]:
        """Look at the live files one by one, and add them up; *counts* has a checkpoint's."""
        assert snapshot.segment is not None  # noqa: S101 -- a loaded snapshot has one
        segment, state = snapshot.segment, State.of(snapshot)
        builder = TotalsBuilder(
            snapshot.files or FileFacts(), self._store.qualifier, spread=self._engine is not None
        )
        for batch in self._batches(segment, state, counts, builder):
            if isinstance(batch, facts.SpreadFiles):
                yield batch
            elif isinstance(batch, list):
                adds = [AddFile.from_wire(document) for document in batch]
                for add in adds:
                    builder.add(add)
                    yield facts.LiveFile(add, state, self._now)
                if self._needs_data:
                    yield from self._data_files(adds, state)
            else:
                builder.add_all(batch)
                yield facts.LiveFiles(batch)
                if self._needs_data:
                    yield from self._data_by_column(batch, state)
        return builder.totals(lambda: live_files(self._store, segment))

    @property
    def _needs_data(self) -> bool:
        return self._depth.deep and self._depth.data_files

    def _batches(
        self, segment: LogSegment, state: State, counts: FileCounts, builder: TotalsBuilder
    ) -> Iterator[list[dict[str, Any]] | ArrowFiles | facts.SpreadFiles]:
        """The live files: actions of commits as in the log, those of a checkpoint by column."""
        replay = SharingReplay(self._store, segment, self._lines)
        alive = replay.live_in_deltas()
        yield from iter(lambda: list(islice(alive, 100)), [])
        if segment.checkpoint is None:
            return
        from deltaadm.replay.file_columns import ArrowFiles, StatisticsShape

        shape = StatisticsShape(kinds_in(state.metadata))
        columns_of = partial(ArrowFiles, state=state, now=self._now, shape=shape)

        def prepared(
            batch: list[dict[str, Any]] | pa.StructArray,
        ) -> list[dict[str, Any]] | ArrowFiles:
            return batch if isinstance(batch, list) else columns_of(batch)

        engine = self._engine
        if engine is None or self._needs_data:
            yield from each_ahead(prepared, replay.live_in_checkpoint(counts), readers())
            return
        yield from map(prepared, replay.live_in_checkpoint(counts, ".json"))
        paths, hiding = replay.checkpoint_files()
        look = partial(
            _looked_at,
            builder=builder.empty(),
            hiding=hiding,
            limits=self._store.limits,
            columns_of=columns_of,
        )
        is_done = False

        def answers(ask: Callable[[Iterable[facts.LiveFiles]], Any]) -> list[Any]:
            nonlocal is_done
            parts = engine.looked_at(self._store, paths, partial(look, ask))
            is_done = parts is not None
            for part, _ in parts or ():
                builder.extend(part)
            return [answer for _, answer in parts or ()]

        yield facts.SpreadFiles(answers)
        if not is_done:
            left = replay.live_in_checkpoint(counts, ".parquet")
            yield from each_ahead(prepared, left, readers())

    def _data_files(self, adds: Iterable[AddFile], state: State) -> Iterator[facts.DataFileFacts]:
        store = self._store
        if store.at_once == 1:
            yield from (data_file_facts(store, add, state) for add in adds)
            return
        yield from each_ahead(lambda add: data_file_facts(store, add, state), adds, store.at_once)

    def _data_by_column(self, files: ArrowFiles, state: State) -> Iterator[facts.DataFileFacts]:
        """The same, but for many missing files, of which only their number is told."""

        def is_one_more(path: str) -> bool:
            try:
                is_missing = self._store.data_size(path) is None
            except StorageError:
                return False
            self._missing += is_missing
            return is_missing and self._missing > 100  # noqa: PLR2004 -- more than reports name

        many = files.none
        # To look costs a request where the storage is not this machine's.
        if self._store.at_once <= 1:
            many = files.where("path", is_one_more) & ~files.having("deletionVector")
        yield from self._data_files((file.add for file, _ in files.files([~many])), state)
        if alike := many.count():  # behind those that are named
            one = next(file.add for file, _ in files.files([many]))
            yield facts.DataFileFacts(add=one, state=state, size=None, alike=alike - 1)

    def _earlier_names(self, snapshot: Snapshot) -> Mapping[Path, Path]:
        """
        What columns were called that clustering names and the table no longer has.

        Earlier versions are read only where there are such columns, and no more than it takes.
        """
        known: dict[Path, Path] = {}
        try:
            lost = set(lost_clustering(snapshot))
        except DeltaadmError:  # a schema that cannot be understood, which has a rule of its own
            return known
        of_commits = (
            state_after(State(version=-1), file.number, _state_actions(self._lines.of(file.path)))
            for file in reversed(self._listing.commits)
        )
        of_checkpoints = (
            self._checkpointed(checkpoint.version)
            for checkpoint in reversed(self._listing.checkpoints)
        )
        states = chain(of_commits, of_checkpoints)
        while not lost <= known.keys() and (state := next(states, None)) is not None:
            if state.metadata is not None:
                with suppress(DeltaadmError):
                    named = earlier_names([state.metadata])
                    known = {path: named[path] for path in lost & named.keys()} | known
        return known


def _listed(store: LogStore) -> LogListing:
    listed = dict(store.list_log())
    for directory in ("_sidecars", "_staged_commits"):
        listed |= store.list_directory(directory)
    return LogListing.of(store.root, listed)


def _looked_at(
    ask: Callable[[Iterable[facts.LiveFiles]], Any],
    batches: Iterable[pa.StructArray],
    *,
    builder: TotalsBuilder,
    hiding: Reconciliation,
    limits: Limits,
    columns_of: Callable[[pa.StructArray], ArrowFiles],
) -> tuple[TotalsBuilder, Any]:
    """What *builder* and *ask* make of `add` actions; raises `ValueError` for damaged ones."""
    from deltaadm.replay import adds as columns

    touched = columns.texts(hiding.touched_paths())

    def each() -> Iterator[facts.LiveFiles]:
        for batch in batches:
            (adds := columns.required(batch, limits)).validate(full=True)
            if len(live := columns.live(adds, touched, hiding)):
                builder.add_all(files := columns_of(live))
                yield facts.LiveFiles(files)

    return builder, ask(each())


def checksum_facts(
    store: LogStore, file: LogFile, state: State, commit: facts.CommitTimes | None = None
) -> facts.ChecksumFacts:
    """What the version checksum in *file* says, beside a *state* and the times of its *commit*."""
    try:
        document, error = json_object(store.read(file.path))
    except TableError as unread:
        document, error = None, unread.message.rstrip(".")
    return facts.ChecksumFacts(
        file=file, document=document, error=error, state=state, commit=commit
    )


def read_pointer(store: LogStore) -> facts.Pointer | None:
    """`_last_checkpoint`, if there is one."""
    try:
        body = store.read("_last_checkpoint")
    except MissingFileError:
        return None
    except TableError as unread:
        return facts.Pointer(text="", document=None, error=unread.message.rstrip("."))
    text = body.decode(errors="replace")
    document, error = json_object(body)
    version = None if document is None else document.get("version")
    # Not `isinstance`: in Python, true is an int.
    if document is not None and not (type(version) is int and version >= 0):
        return facts.Pointer(text=text, document=None, error="it does not name a version")
    return facts.Pointer(text=text, document=document, error=error)


def _state_actions(lines: facts.Lines) -> Iterator[tuple[str, Any]]:
    return ((name, document) for name in STATE for document in lines.actions(name))


def _columns_after(earlier: Mapping[int, str], commit: facts.CommitFacts) -> Mapping[int, str]:
    """The column ids given so far; they start again when a table is replaced or unmapped."""
    metadata = commit.after.metadata
    try:
        if metadata is None or mapping_mode(metadata) == "none":
            return {}
        fields = [field for _, field in metadata.schema.walk()]
    except DeltaadmError:
        return earlier
    ids = {
        number: physical_name(field) for field in fields if (number := column_id(field)) is not None
    }
    return ids if commit.replaces_table else {**earlier, **ids}
