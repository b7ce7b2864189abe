"""
The replay engine without a JVM: JSON commits, version checksums and checkpoints of all formats.

For protocol and metadata alone it reads from the newest commit back and stops early, so damage
in older files goes unnoticed there; `Detail.STATE` reads everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from deltaadm.domain.actions import AddFile, DomainMetadata, SetTransaction
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import FileFacts, LogFile, LogFiles, LogSegment, Snapshot
from deltaadm.domain.wire import ACTION_NAMES, CommitInfo, Metadata, Writer, merged, writer_of
from deltaadm.errors import DeltaadmError, StorageError, TableError
from deltaadm.limits import load_json
from deltaadm.replay import commits
from deltaadm.replay.reconcile import STATE, Detail, Reconciliation, count_files, scan
from deltaadm.storage.store import LogStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, TypeVar

    import pyarrow as pa

    from deltaadm.domain.snapshot import Checkpoint
    from deltaadm.replay.checkpoints import CheckpointReader, FileCounts

    Document = dict[str, Any]
    Named = tuple[str, Document]
    Found = TypeVar("Found")


def live_files(store: LogStore, segment: LogSegment) -> Iterator[AddFile]:
    """
    Every file of the version, with all that its `add` action says; twice in the same order.

    Statistics that a checkpoint has as a struct alone are given by their number of records.
    """
    from deltaadm.replay.checkpoints import FileCounts

    replay = Replay(store, segment)
    yield from map(AddFile.from_wire, replay.live_in_deltas())
    for batch in replay.live_in_checkpoint(FileCounts()):
        if isinstance(batch, list):
            yield from map(AddFile.from_wire, batch)
        else:
            from deltaadm.replay.adds import add_documents

            yield from map(AddFile.from_wire, add_documents(batch))


class Replay:
    """
    One pass over a segment, and what it has found so far.

    It never refuses a table for the features or versions that it asks for.
    """

    def __init__(self, store: LogStore, segment: LogSegment, known: Snapshot | None = None) -> None:
        self._store = store
        self._segment = segment
        self._known = known
        self._reconciled = Reconciliation(store.qualifier, store.limits.state)
        self._warnings: list[str] = []
        self._commit_info: CommitInfo | None = None
        self._is_info_unread = False
        self._writers: list[Writer] = []
        self._checkpoint_writer = ""
        self._in_checkpoint: frozenset[str] = frozenset()
        self._actions_if_few: Callable[[LogStore, str], list[Named] | None] = actions_if_few

    def outcome(self, detail: Detail) -> Snapshot:
        """The snapshot; raises as `ReplayEngine` says, with what is established all the same."""
        try:
            if detail is Detail.STATE:
                return self.snapshot(self.state())
            self.protocol()
            return self.snapshot(None)
        except TableError as error:
            error.established = {**self.established(), **error.established}
            raise

    def protocol(self) -> None:
        """Find protocol and metadata, and nothing else."""
        # Before the checksum, which would do: damage in the newest commit has to show.
        for file in self._segment.deltas[-1:]:
            if file == self._segment.last_commit:
                actions = self._newest_actions(file)
                for name, document in actions:
                    if name not in ACTION_NAMES:
                        self._reconciled.offer(name, document)
            else:
                actions = commits.read_lines(self._store, file.path).state_actions()
            self._take_state(actions, file.path)
        if not self._reconciled.complete:
            checksum = self._read_checksum()
            if checksum is not None and _has_state(checksum):
                self._reconciled.offer("protocol", checksum["protocol"])
                self._reconciled.offer("metaData", checksum["metadata"])
        if not self._reconciled.complete:
            files = self._segment.deltas[:-1]
            look = partial(_state_and_writer, frozenset(files.names[-MOST_OBSERVED:]))
            for path, (actions, said) in self._looked_into(files, look):
                if said is not None:
                    self.take_provenance(path, said)
                if actions:
                    self._take_state(actions, path)
                    if self._reconciled.complete:
                        break
        if not self._reconciled.complete and self._segment.checkpoint:
            self._take_checkpoint()
        self._read_commit_info()

    def _take_checkpoint(self) -> None:
        """Find in the checkpoint what the commits after it do not say."""
        known = self._known
        lacking = self._reconciled.lacking
        if (
            known is not None
            and known.segment is not None
            and known.segment.checkpoint == self._segment.checkpoint
            # What it has from commits counts no more: the log may have gone back since.
            and lacking <= known.in_checkpoint
        ):
            self._in_checkpoint = lacking
            self._reconciled.offer("protocol", known.protocol.to_wire())
            self._reconciled.offer("metaData", known.metadata.to_wire())
            self._checkpoint_writer = known.checkpoint_writer
            return
        reader = self._checkpoint_reader()
        for name, document in reader.small_actions(STATE):
            self._reconciled.offer(name, document)
            if self._reconciled.complete:
                break
        self._checkpoint_writer = reader.writer

    def _looked_into(
        self, files: LogFiles, look: Callable[[LogStore, str], Found]
    ) -> Iterator[tuple[str, Found]]:
        """The results of *look* for each of *files*, from the last one back."""
        return scan(self._store, files.names[::-1], partial(look, self._store))

    def state(self) -> FileFacts:
        """Replay everything; answers the facts about the live files."""
        facts = count_files(self.live_in_deltas())
        if self._segment.checkpoint:
            counts = self.counted_in_checkpoint(self._open_checkpoint())
            facts = facts + counts.facts
            version = self._segment.checkpoint.version
            try:
                hint = commits.json_object(self._store.read("_last_checkpoint"))[0] or {}
            except DeltaadmError:
                hint = {}
            claimed = hint.get("numOfAddFiles") if hint.get("version") == version else None
            if type(claimed) is int and claimed != counts.adds_read:
                self._warnings.append(
                    f"_last_checkpoint says that the checkpoint of version {version} has {claimed} "
                    f"files, but it has {counts.adds_read}."
                )
        self._read_commit_info()
        self._compare_checksum(facts)
        return facts

    def counted_in_checkpoint(self, reader: CheckpointReader) -> FileCounts:
        """The counts by *reader* of the files that the deltas have not hidden."""
        return reader.count(self._reconciled)

    def live_in_checkpoint(
        self, counts: FileCounts, suffix: str = "", fields: Sequence[str] = ()
    ) -> Iterator[list[Document] | pa.StructArray]:
        """The files of the checkpoint that the deltas have not hidden; see `live_batches`."""
        if self._segment.checkpoint:
            reader = self._open_checkpoint()
            yield from reader.live_batches(self._reconciled, counts, suffix, fields)

    def checkpoint_files(self) -> tuple[Sequence[str], Reconciliation]:
        """The files of Parquet with files of the checkpoint, and what hides some of these."""
        paths = self._open_checkpoint().file_paths() if self._segment.checkpoint else ()
        return [path for path in paths if path.endswith(".parquet")], self._reconciled

    def snapshot(self, facts: FileFacts | None) -> Snapshot:
        """The result; *facts* is None where only protocol and metadata were looked for."""
        protocol, metadata = self._protocol(), self._metadata()
        if protocol is None or metadata is None:
            what = "protocol" if protocol is None else "metadata"
            raise TableError(
                f"The table at {self._store.root} cannot be loaded: none of the files for version "
                f"{self._segment.version} contains its {what}.",
                remedy="Restore the missing or edited files of _delta_log from a backup.",
                delta_error_class="DELTA_STATE_RECOVER_ERROR",
            )
        domains = transactions = None
        if facts is not None:
            found = map(DomainMetadata.from_wire, self._reconciled.domains.values())
            # Tombstones have done their work.
            domains = {domain.domain: domain for domain in found if not domain.removed}
            transactions = {
                app: SetTransaction.from_wire(document)
                for app, document in self._reconciled.transactions.items()
            }
            seen = {name for writer in self._writers for name in writer.applications}
            if earlier := tuple(name for name in transactions if name not in seen):
                self._writers.append(Writer(applications=earlier))
        return Snapshot(
            root=self._store.root,
            version=self._segment.version,
            protocol=protocol,
            metadata=metadata,
            timestamp=self._timestamp(metadata),
            domains=domains,
            transactions=transactions,
            files=facts,
            commit_info=self._commit_info,
            writers=merged(self._writers),
            checkpoint_writer=self._checkpoint_writer,
            in_checkpoint=self._in_checkpoint,
            segment=self._segment,
            warnings=(*self._warnings, *self._tolerated(protocol, metadata)),
        )

    def established(self) -> Document:
        """The facts that are established when a replay fails."""
        known: Document = {"version": self._segment.version}
        protocol, metadata = self._protocol(), self._metadata()
        if protocol is not None:
            known["protocol"] = protocol.to_wire()
        if metadata is not None:
            known["metadata"] = metadata.to_wire()
            known["timestamp"] = self._timestamp(metadata)
        return known

    def _newest_actions(self, file: LogFile) -> list[Named]:
        actions = commits.read_lines(self._store, file.path).newest_actions()
        self.take_provenance(file.path, actions)
        if said := [document for name, document in actions if name == "commitInfo"]:
            # Of several Delta takes the last one that it replays, and the first of a commit that it
            # reads for nothing else.
            is_replayed = file in self._segment.deltas[-1:]
            self._commit_info = CommitInfo.from_wire(said[-1 if is_replayed else 0])
        return actions

    def take_provenance(self, path: str, actions: Sequence[Named]) -> None:
        """Take in who wrote *path*, if that is a commit and not many are known."""
        if len(self._writers) < MOST_OBSERVED and not path.endswith(".compacted.json"):
            self._writers.append(writer_of(actions))

    def _take_state(self, actions: list[Named], path: str) -> None:
        names = [name for name, _ in actions]
        self._note_repeated(path, {name: names.count(name) for name in STATE})
        # Of several in one commit Delta takes the last one.
        for name, document in reversed(actions):
            if name in STATE:
                self._reconciled.offer(name, document)

    def _note_repeated(self, path: str, counts: Mapping[str, int]) -> None:
        self._warnings += [
            f"{path} has {count} {name} actions; the last one is used."
            for name, count in counts.items()
            if count > 1
        ]

    def _checkpoint_reader(self) -> CheckpointReader:
        assert self._segment.checkpoint is not None  # noqa: S101 -- callers have looked
        self._in_checkpoint = self._reconciled.lacking
        return self._reader_of(self._segment.checkpoint)

    def _reader_of(self, checkpoint: Checkpoint) -> CheckpointReader:
        from deltaadm.replay.checkpoints import CheckpointReader

        return CheckpointReader(self._store, checkpoint)

    def _open_checkpoint(self) -> CheckpointReader:
        reader = self._checkpoint_reader()
        for name, document in reader.small_actions():
            self._reconciled.offer(name, document)
        self._checkpoint_writer = reader.writer
        return reader

    def live_in_deltas(self) -> Iterator[Document]:
        """The `add` actions of the files that the deltas have added and not removed."""
        return (document for name, document in self.files_in_deltas() if name == "add")

    def files_in_deltas(self) -> Iterator[Named]:
        """The newest action of each file in the deltas, an `add` or a `remove`."""
        for path, few in self._looked_into(self._segment.deltas, self._actions_if_few):
            actions: Iterable[Named] = few or ()
            if few is None:
                actions = commits.read_lines(self._store, path).actions_reversed()
            said: list[Named] = []
            counts = dict.fromkeys(STATE, 0)
            for name, document in actions:
                if name in counts:
                    counts[name] += 1
                elif name in {"commitInfo", "txn"}:
                    said.append((name, document))
                if self._reconciled.survives(name, document):
                    yield name, document
            self._note_repeated(path, counts)
            self.take_provenance(path, said)
            info = next((document for name, document in said if name == "commitInfo"), None)
            if path == self._segment.last_commit.path and info is not None:
                self._commit_info = CommitInfo.from_wire(info)

    def _read_commit_info(self) -> None:
        """Read the newest commit where only a checkpoint or a compacted file was needed."""
        file = self._segment.last_commit
        if self._commit_info is not None or file in self._segment.deltas[-1:]:
            return
        try:
            self._newest_actions(file)
        except DeltaadmError as error:
            self._warnings.append(f"The newest commit's provenance is unknown: {error.message}")
            self._is_info_unread = True

    def _read_checksum(self) -> Document | None:
        file = self._segment.crc
        if file is None:
            return None
        try:
            document = load_json(self._store.read(file.path))
            protocol, metadata = document.get("protocol", {}), document.get("metadata", {})
            # As strict as with commits, since the next one repeats what is taken from here.
            parts = ("protocol", protocol), ("metaData", metadata)
            valid = not any(commits.mismatches(*part)[0] for part in parts)
            whole = metadata.get("id") and None not in map(metadata.get, _METADATA)
            if valid and ("metadata" not in document or whole):
                return dict(document)
        except StorageError as error:
            self._warnings.append(f"The checksum was ignored: {error.message}")
            return None
        except (AttributeError, ValueError, RecursionError, DeltaadmError):
            pass
        self._warnings.append(f"The checksum file {file.path} is not valid and was ignored.")
        return None

    def _compare_checksum(self, files: FileFacts) -> None:
        checksum = self._read_checksum()
        if checksum is None:
            return
        for key, number in (("numFiles", files.files), ("tableSizeBytes", files.bytes)):
            claimed = checksum.get(key)
            if type(claimed) is int and claimed != number:
                self._warnings.append(
                    f"The version checksum's {key} is {claimed}, but the log has {number}."
                )
        if not _has_state(checksum):
            return
        protocol = Protocol.from_wire(checksum["protocol"])
        metadata = Metadata.from_wire(checksum["metadata"])
        known = {"protocol": self._protocol() == protocol, "metadata": self._metadata() == metadata}
        for name, is_same in known.items():
            if not is_same:
                self._warnings.append(f"The version checksum's {name} differs from the log's.")

    def _protocol(self) -> Protocol | None:
        document = self._reconciled.protocol
        return None if document is None else Protocol.from_wire(document)

    def _metadata(self) -> Metadata | None:
        document = self._reconciled.metadata
        return None if document is None else Metadata.from_wire(document)

    def _timestamp(self, metadata: Metadata) -> int | None:
        """
        The time in ms: the in-commit timestamp where the table has them, else the file's.

        None where the commit that has it could not be read.
        """
        if self._is_info_unread and in_commit_timestamps(metadata):
            return None
        inside = None if self._commit_info is None else self._commit_info.in_commit_timestamp
        return commit_time(inside, metadata, self._segment.last_commit.info.modified)

    def _tolerated(self, protocol: Protocol, metadata: Metadata) -> Iterator[str]:
        for name, action in (("protocol", protocol), ("metaData", metadata)):
            if fields := sorted(action.unknown_keys):
                yield f"The {name} action has unknown fields, ignored: {', '.join(fields)}."
        if unknown := self._reconciled.unknown:
            counted = (f"{name} ({count})" for name, count in sorted(unknown.items()))
            yield f"The log has unknown actions, ignored: {', '.join(counted)}."


def actions_if_few(store: LogStore, path: str, most: int = 1 << 20) -> list[Named] | None:
    """The actions that apply; None for a file with more than *most* bytes of them."""
    lines = commits.read_lines(store, path)
    return [*lines.actions_reversed()] if len(lines) <= most else None


def _state_and_writer(
    observed: frozenset[str], store: LogStore, path: str
) -> tuple[list[Named], list[Named] | None]:
    """Protocol and metadata in a commit; what it says of who wrote it, if that is *observed*."""
    commit = commits.read_lines(store, path)
    return commit.state_actions(), commit.provenance() if path in observed else None


def in_commit_timestamps(metadata: Metadata) -> bool:
    """Whether the table's commits carry their own timestamps."""
    return metadata.configuration.get("delta.enableInCommitTimestamps", "").lower() == "true"


def commit_time(inside: int | None, metadata: Metadata, modified: int) -> int:
    """The time of a commit, whose own is *inside* it; that of its file where none counts."""
    return modified if inside is None or not in_commit_timestamps(metadata) else inside


MOST_OBSERVED: Final = 100
"""So many commits, the newest, say who wrote them."""


_METADATA: Final = ("format", "schemaString", "partitionColumns", "configuration")
"""Besides its id, what the metadata of a checksum must have."""


def _has_state(checksum: Document) -> bool:
    """Whether protocol and metadata are in a checksum; those of very old versions lack them."""
    return {"protocol", "metadata"} <= checksum.keys()
