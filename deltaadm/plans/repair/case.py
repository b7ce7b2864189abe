"""A log that may be damaged: what is in it, and what will be once it is repaired."""

from __future__ import annotations

import hashlib
import io
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import FileInfo, LogListing, commit_name, listing_prefix
from deltaadm.domain.wire import Metadata
from deltaadm.errors import MissingFileError
from deltaadm.plans.checkpoint import HINT, Digest, State, pointer_to
from deltaadm.replay.checkpoints import CheckpointReader
from deltaadm.replay.embedded import live_files
from deltaadm.replay.load import Attempt, load_snapshot, locate
from deltaadm.replay.reconcile import (
    Detail,
    Reconciliation,
    UnreadableCheckpointError,
    canonical_path,
    vector_id,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import BinaryIO

    from deltaadm.domain.actions import AddFile
    from deltaadm.domain.snapshot import Checkpoint, LogSegment, Snapshot
    from deltaadm.plans.checkpoint import Pointer
    from deltaadm.storage.store import LogStore, WritableStore


class View:
    """
    The log of *store* without the *hidden* files, and with other *files*; see `LogStore`.

    Those have content, or are the file in the store that they will be a copy of. `rebuilt` are the
    versions whose checkpoints will be written.
    """

    def __init__(
        self,
        store: LogStore,
        hidden: Collection[str] = (),
        files: Mapping[str, bytes | str] | None = None,
        rebuilt: Collection[int] = (),
    ) -> None:
        self.rebuilt = frozenset(rebuilt)
        self.store, self.hidden, self.files = store, frozenset(hidden), dict(files or {})
        self.root, self.local_path, self.qualifier = store.root, store.local_path, store.qualifier
        self.limits, self.at_once = store.limits, store.at_once
        self.survives_fork, self.catalog_state = store.survives_fork, store.catalog_state
        self.data_size, self.open_data = store.data_size, store.open_data
        self.list_directory = store.list_directory

    def move_aside(self, name: str) -> View:
        """The same without the file *name*."""
        files = {key: content for key, content in self.files.items() if key != name}
        return View(self.store, self.hidden | {name}, files, self.rebuilt)

    def write(self, name: str, content: bytes | str) -> View:
        """The same with another file *name*: its content, or the name of the file it is made of."""
        files = {**self.files, name: content}
        return View(self.store, self.hidden - {name}, files, self.rebuilt)

    def rename(self, old: str, new: str) -> View:
        """The same with the file *old* under another name."""
        return self.write(new, old).move_aside(old)

    def rebuild(self, version: int, name: str) -> View:
        """The same without the checkpoint *name*: the commits say what the new one will."""
        rest = self.move_aside(name) if name else self
        return View(rest.store, rest.hidden, rest.files, rest.rebuilt | {version})

    def point(self, version: int) -> View:
        """The same with a pointer that says no more than the version."""
        return self.write(HINT, f'{{"version":{version},"size":0}}'.encode())

    def commit(self, version: int, body: bytes) -> View:
        """The same with a further version."""
        return self.write(commit_name(version), body)

    @property
    def storage_options(self) -> Mapping[str, str]:
        """Those of the store."""
        return self.store.storage_options

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """The files that will be there."""
        listed = self.store.list_log(start)
        known = self.store.list_log() if any(type(of) is str for of in self.files.values()) else {}
        infos = {name: listed[name] for name in listed if name not in self.hidden}
        for name, content in self.files.items():
            if not start or name >= listing_prefix(start):
                source = known.get(content) if isinstance(content, str) else None
                size = len(content) if source is None else source.size
                infos[name] = FileInfo(name, size, 0 if source is None else source.modified)
        return infos

    def list_short_log(self) -> None:
        """None: the files are listed as they will be."""

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Nothing is."""

    def read(self, path: str) -> bytes:
        """The content that the file will have."""
        content = self._source(path)
        return content if isinstance(content, bytes) else self.store.read(content)

    def open(self, path: str) -> BinaryIO:
        """The same, in pieces."""
        content = self._source(path)
        return io.BytesIO(content) if isinstance(content, bytes) else self.store.open(content)

    def _source(self, path: str) -> bytes | str:
        if path in self.hidden:
            raise MissingFileError(f"The file {path} is missing.")
        return self.files.get(path, path)

    @cached_property
    def listing(self) -> LogListing:
        """All files that will be there."""
        return LogListing.of(self.root, self.list_log())

    @cached_property
    def snapshot(self) -> Snapshot:
        """The newest version, with its state; raises what a replay does."""
        return load_snapshot(self, detail=Detail.STATE)


@dataclass(frozen=True)
class TableState:
    """
    The state of a version, as what can be compared: digests of multisets, by the kind of action.

    `counts` are the actions of each kind, `bytes` those of the live files.
    """

    version: int
    digests: Mapping[str, str]
    counts: Mapping[str, int]
    bytes: int

    def differences(self, other: TableState) -> tuple[str, ...]:
        """The kinds of actions in which *other* differs, and whether it is another version."""
        names = sorted({*self.digests, *other.digests})
        found = [name for name in names if self.digests.get(name) != other.digests.get(name)]
        return (*found, *(["version"] if self.version != other.version else []))


PARTS: Final = ("add", "domainMetadata", "txn", "protocol", "metaData")
"""The kinds of actions that make a state."""


_FIELDS: Final = (
    "path", "deletionVector", "size", "partitionValues", "baseRowId", "defaultRowCommitVersion",
)  # fmt: skip
"""What tells of a live file, whoever has written it."""


def essence(name: str, document: Mapping[str, Any]) -> Any:
    """What an action says about the state of the table, however its writer spells it."""
    if name == "protocol":
        return Protocol.from_wire(dict(document)).to_wire()
    if name == "metaData":
        # Writers leave out what is null, or do not, and checkpoints cannot tell these apart.
        known = {key: value for key, value in document.items() if value is not None}
        wire = Metadata.from_wire(known).to_wire()
        try:
            return {**wire, "schemaString": json.loads(wire.get("schemaString") or "null")}
        except ValueError:
            return wire
    keys = ("appId", "version") if name == "txn" else ("domain", "configuration")
    return [document.get(key) for key in keys]


def state_of(store: LogStore, segment: LogSegment) -> TableState:
    """The state that *segment* describes; raises what a replay does."""
    state, digest, total, seen = State(store, segment), Digest(), 0, set[int]()
    for path, vector, size, values, *rows in state.live_rows(_FIELDS):
        # A struct whose fields are all null is none.
        known = vector if vector and vector.get("storageType") is not None else None
        key = canonical_path(str(path), store.qualifier), vector_id(known)
        if (hashed := hash(key)) not in seen:  # what a checkpoint has twice, readers have once
            seen.add(hashed)
            pairs = sorted((name, value or None) for name, value in dict(values or ()).items())
            digest.add("add", repr((key, size, pairs, rows)))
            total += size if isinstance(size, int) else 0
    for name, document in state.other_actions():
        digest.take(name, essence(name, document))
    return TableState(segment.version, digest.sums, dict(digest.counts), total)


def read_state(store: LogStore, version: int | None = None) -> TableState:
    """The state that readers see, the newest or that of *version*; raises what a replay does."""
    attempt = Attempt(store, locate(store, version))
    while True:
        try:
            return state_of(store, attempt.segment)
        except UnreadableCheckpointError as error:
            attempt.answer(error)  # goes back to an older one, or raises


def files_of(store: LogStore, segment: LogSegment) -> dict[tuple[str, str], AddFile]:
    """The live files, by what tells them apart; for the few cases in which states differ."""
    return {
        (
            canonical_path(add.path, store.qualifier),
            add.deletion_vector.unique_id if add.deletion_vector else "",
        ): add
        for add in live_files(store, segment)
    }


def sha256(store: LogStore, name: str) -> str | None:
    """The digest of a file; None where it is not there."""
    try:
        with store.open(name) as file:
            digest = hashlib.sha256()
            while piece := file.read(1 << 20):
                digest.update(piece)
            return digest.hexdigest()
    except MissingFileError:
        return None


def digest_of(body: bytes) -> str:
    """The digest of a file with this content."""
    return hashlib.sha256(body).hexdigest()


def pointer_of(store: LogStore, checkpoint: Checkpoint) -> Pointer:
    """What `_last_checkpoint` is to say of *checkpoint*; raises `UnreadableCheckpointError`."""
    reader = CheckpointReader(store, checkpoint)
    reader.small_actions()
    reconciled = Reconciliation(store.qualifier, store.limits.state)
    return pointer_to(store, checkpoint, reader.count(reconciled).adds_read)


class Case:
    """
    A log that is looked at.

    `view` is the log as it will be once the repairs that were found so far are done. What has
    changed within the last *older_than* ms may still be being written. With `remove_missing_files`
    data files that are gone are to be removed from the table. `proven` tells of checkpoints whether
    the commits from 0 on confirm them, `doubts` what shows of commits that somebody changed them.
    """

    def __init__(
        self, store: WritableStore, now: int, older_than: int, *, remove_missing_files: bool = False
    ) -> None:
        self.store, self.now = store, now
        self.view = View(store)
        self.remove_missing_files = remove_missing_files
        self.proven: dict[int, bool] = {}
        self.doubts: dict[int, str] | None = None
        self._youngest = now - older_than
        self._infos = store.list_log()

    @property
    def listing(self) -> LogListing:
        """All files of `view`."""
        return self.view.listing

    @property
    def snapshot(self) -> Snapshot:
        """The newest version of `view`, with its state; raises what a replay does."""
        return self.view.snapshot

    def is_young(self, name: str) -> bool:
        """Whether the file *name* may still be being written."""
        info = self._infos.get(name)
        return info is not None and info.modified > self._youngest
