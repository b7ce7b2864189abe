"""A log that may be damaged; what a repair of it is: operations, and a plan of several."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, BinaryIO, Final

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import (
    FileInfo,
    LogListing,
    LogSegment,
    Snapshot,
    commit_name,
    listing_prefix,
)
from deltaadm.domain.wire import Loggable
from deltaadm.errors import MissingFileError, RefusedError, TableError
from deltaadm.json_values import compact
from deltaadm.plans.checkpoint import HINT, LiveRow, TableState, state_of
from deltaadm.plans.embedded_executor import commit_info, next_timestamp, random_id
from deltaadm.replay.embedded import in_commit_timestamps
from deltaadm.replay.load import CATALOG_MANAGED, load_snapshot, locate, replayed
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import LogStore, WritableStore

Files = Mapping[str, bytes | str | None]

# The log, as it is and as it will be once it is repaired


class View:
    """
    The log of *store*, as it was *listed* once, with other *files*; see `LogStore`.

    Those have content, or are the file in the store that they will be a copy of, or are not there.
    `rebuilt` are the versions whose checkpoints will be written.
    """

    def __init__(
        self,
        store: LogStore,
        files: Files | None = None,
        listed: Mapping[str, FileInfo] | None = None,
    ) -> None:
        self.store, self.files, self.rebuilt = store, dict(files or {}), tuple[int, ...]()
        self.listed = store.list_log() if listed is None else listed
        self.root, self.local_path, self.qualifier = store.root, store.local_path, store.qualifier
        self.limits, self.at_once = store.limits, store.at_once
        self.survives_fork, self.catalog_state = store.survives_fork, store.catalog_state
        self.storage_options = store.storage_options
        self.data_size, self.open_data = store.data_size, store.open_data
        self.list_directory, self.list_data = store.list_directory, store.list_data
        self._states: dict[tuple[Any, ...], TableState] = {}

    def after(self, operation: Operation) -> View:
        """The log once *operation* is done; of a checkpoint that it rebuilds, commits tell."""
        view = View(self.store, {**self.files, **operation.files}, self.listed)
        view.rebuilt, view._states = (*self.rebuilt, *operation.rebuilt), self._states
        return view

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """The files that will be there."""
        infos = {name: info for name, info in self.listed.items() if name not in self.files}
        for name, content in self.files.items():
            if isinstance(content, str):
                source = self.listed[content]
                infos[name] = FileInfo(name, source.size, source.modified)
            elif content is not None:
                infos[name] = FileInfo(name, len(content), 0)
        first = listing_prefix(start) if start else ""
        return {name: info for name, info in infos.items() if name >= first}

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
        source = self.files.get(path, path)
        if source is None:
            raise MissingFileError(f"The file {path} is missing.")
        return source

    @cached_property
    def listing(self) -> LogListing:
        """All files that will be there."""
        return LogListing.of(self.root, self.list_log())

    def load(self) -> Snapshot:
        """The newest version, with its state; raises what a replay does."""
        return load_snapshot(self, detail=Detail.STATE)

    @cached_property
    def loaded(self) -> Snapshot | None:
        """The same, once; None where it cannot be loaded."""
        try:
            return self.load()
        except TableError:
            return None

    def state(
        self, segment: LogSegment, take: Callable[[LiveRow], object] | None = None
    ) -> TableState:
        """The state that *segment* describes; read once, or for *take* to see its live files."""
        checkpoint = segment.checkpoint.files if segment.checkpoint else ()
        names = (*(file.path for file in checkpoint), *segment.deltas.names)
        read = segment.version, *(self.files.get(name, name) for name in names)
        if take is not None or read not in self._states:
            self._states[read] = state_of(self, segment, take)
        return self._states[read]

    def newest_state(self) -> tuple[TableState | None, str]:
        """The state that readers will see; or none, and why."""
        try:
            return replayed(self, locate(self), self.state)[0], ""
        except TableError as error:
            return None, error.message


class Case:
    """
    A log that is looked at: as it is (`found`) and once the repairs found so far are done (`view`).

    What has changed within the last *older_than* ms may still be being written. `commits` is what
    the commits tell about each other, once somebody has asked.
    """

    def __init__(
        self, store: WritableStore, now: int, older_than: int, *, remove_missing_files: bool = False
    ) -> None:
        self.store, self.now, self.older_than = store, now, older_than
        self.found = self.view = View(store)
        self.remove_missing_files = remove_missing_files
        self.commits: Any = None

    @property
    def listing(self) -> LogListing:
        """All files of `view`."""
        return self.view.listing

    def is_young(self, name: str) -> bool:
        """Whether the file *name* may still be being written."""
        info = self.view.listed.get(name)
        return info is not None and info.modified > self.now - self.older_than


def sha256(store: LogStore, name: str) -> str | None:
    """The digest of a file; None where it is not there."""
    try:
        with store.open(name) as file:
            return digest_of(file)
    except MissingFileError:
        return None


def digest_of(file: BinaryIO) -> str:
    """The digest of what is in a *file* that is open, from its beginning."""
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


@dataclass(frozen=True)
class Operation:
    """
    A part of a repair: `words` say what it does to `file`, beginning with a verb.

    `files` are those that will be in the log or not, in the order in which they change, see `View`;
    `rebuilt` the versions whose checkpoints are written.
    """

    kind: str
    file: str
    words: str
    files: Files
    rebuilt: tuple[int, ...] = ()


def move_aside(*files: str) -> tuple[Operation, ...]:
    """Moves files out of the log; the last operations of their repair."""
    return tuple(
        Operation("move_aside", name, f"move {name} to the quarantine", {name: None})
        for name in files
    )


def rename(file: str, name: str) -> Operation:
    """Gives a file its right name, which no other has."""
    return Operation("rename", file, f"rename {file} to {name}", {name: file, file: None})


def rebuild(version: int, file: str = "") -> Operation:
    """Writes the checkpoint of a version from older files; *file* is the one that it replaces."""
    words = f"write the checkpoint of version {version} anew from older files"
    return Operation("rebuild", file, words, {file: None} if file else {}, (version,))


def point(version: int) -> Operation:
    """Has `_last_checkpoint` point to the newest complete checkpoint, that of *version*."""
    words = f"write {HINT} for the checkpoint of version {version}"
    body = f'{{"version":{version},"size":0}}'.encode()
    return Operation("point", HINT, words, {HINT: body})


def commit(
    case: Case,
    base: Snapshot,
    operation: str,
    parameters: Mapping[str, Any],
    actions: Sequence[Loggable],
) -> Operation:
    """Commits *actions* on *base*, in whatever state Delta finds it."""
    is_timed = in_commit_timestamps(base.metadata)
    stamp = next_timestamp(base, case.now) if is_timed else None
    info = commit_info(base, stamp, case.now, operation, parameters)
    info = replace(info, user_metadata="deltaadm repair", txn_id=random_id())
    body = "".join(f"{compact(action.wrap())}\n" for action in (info, *actions)).encode()
    version, file = base.version + 1, commit_name(base.version + 1)
    names = ", ".join(dict.fromkeys(action.NAME for action in actions))
    words = f"commit version {version} ({names})"
    return Operation("commit", file, words, {file: body})


PARTS: Final = ("add", "domainMetadata", "txn", "protocol", "metaData")
"""The kinds of actions that make a state."""


@dataclass(frozen=True)
class Repair:
    """
    Something that is wrong, which `rule` finds, and what mends it.

    `alters` are the parts of the state that readers will see differently, by the names of `PARTS`
    or "version", and `effect` says how. `lost_files` counts the data files that the table is to do
    without. A `refusal` says why nothing is done, `remedy` what would bring back what is lost.
    """

    kind: str
    rule: str
    wrong: str
    operations: tuple[Operation, ...] = ()
    alters: tuple[str, ...] = ()
    effect: str = ""
    unproved: tuple[str, ...] = ()
    refusal: str = ""
    remedy: str = ""
    lost_files: int = 0

    @property
    def kept(self) -> str:
        """What stays as it was."""
        if any(each.kind == "commit" for each in self.operations):
            return "every commit and file"
        return "the originals, in the quarantine" if self.operations else ""


def refused(kind: str, rule: str, wrong: str, refusal: str, remedy: str) -> Repair:
    """Something that is wrong, and not repaired for this reason."""
    return Repair(kind, rule, wrong, refusal=refusal, remedy=remedy)


@dataclass(frozen=True, kw_only=True)
class RepairPlan:
    """
    The repairs of one table; those that are refused are not done.

    `blocked` says why there is no state `before`, `still` why none `after`, and `remedy` what would
    bring it back. `gone` are files that will not be there, `digests` those of what is touched.
    """

    root: str
    repairs: tuple[Repair, ...]
    before: TableState | None = None
    after: TableState | None = None
    blocked: str = ""
    still: str = ""
    remedy: str = ""
    gone: tuple[str, ...] = ()
    digests: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def planned(self) -> tuple[Repair, ...]:
        """The repairs that are done."""
        return tuple(each for each in self.repairs if each.operations and not each.refusal)

    @property
    def refused(self) -> tuple[Repair, ...]:
        """Those that are not."""
        return tuple(repair for repair in self.repairs if repair.refusal)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is only reported."""
        return tuple(each.wrong for each in self.repairs if not (each.operations or each.refusal))

    @property
    def is_noop(self) -> bool:
        """Whether there is nothing to do."""
        return not self.planned

    @property
    def unproved(self) -> tuple[str, ...]:
        """What cannot be proved."""
        return tuple(dict.fromkeys(text for repair in self.planned for text in repair.unproved))


def require_own_log(store: WritableStore) -> None:
    """Raise `RefusedError` for a table whose commits a catalog manages."""
    managed = store.catalog_state is not None and store.catalog_state.manages_commits
    try:
        protocol = load_snapshot(store).protocol
    except TableError as error:
        # What cannot be loaded shows by its files whether a catalog has a part in it.
        known: Any = error.established.get("protocol")
        protocol = Protocol.from_wire(known or {})
        managed = managed or bool(store.list_directory("_staged_commits"))
    managed = managed or any(map(protocol.supports, CATALOG_MANAGED))
    if managed:
        raise RefusedError(
            f"A catalog manages the commits of {store.root}, and it alone knows which count.",
            remedy="Have the catalog's own tools repair it, or ask its operator.",
        )
