"""A log that may be damaged; what a repair of it is: changes of files, and a plan of several."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import cached_property
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

from deltaadm.dataclass import dataclass, field
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import (
    FileInfo,
    LogFile,
    LogListing,
    LogSegment,
    Snapshot,
    listing_prefix,
)
from deltaadm.domain.steps.properties import require_checkpointable
from deltaadm.errors import MissingFileError, RefusedError, TableError
from deltaadm.plans.checkpoint import HINT, TableState, state_of
from deltaadm.replay.examine_checkpoints import LiveRow
from deltaadm.replay.load import load_snapshot, locate, replayed
from deltaadm.replay.reconcile import Detail
from deltaadm.rules.rule import REPAIRED_BY_CATALOG
from deltaadm.storage.store import LogStore, WritableStore

Files = Mapping[str, bytes | str | int | None]
"""
What files of the log are to be, in the order in which they change: these bytes, a copy of that
file, or not there; a number is the version whose checkpoint, made anew, takes the file's place.
"""

Found = TypeVar("Found")


class computed_once(cached_property[Found]):  # noqa: N801 -- as what it is
    """Without the lock of Python 3.11, under which only one of several tables would be read."""

    def __init__(self, compute: Callable[[Any], Found]) -> None:
        super().__init__(compute)
        self.lock = nullcontext()


# The log, as it is and as it will be once it is repaired


class Case:
    """
    The log of *table* as it was `listed` once, with the `files` that repairs so far make of it.

    It can be read like a store, see `LogStore`: a checkpoint that is yet to be made is not there,
    since what it is made of tells the same. `before` is the state without repairs, or why there is
    none. What has changed within the last *older_than* ms may still be being written. `commits` is
    what the commits tell about each other, once somebody has asked. A refusal goes by the checksums
    of the versions in `witnesses`.
    """

    def __init__(self, store: WritableStore, now: int, older_than: int, table: str = "") -> None:
        self.store, self.now, self.older_than, self.table = store, now, older_than, table
        self.qualifier, self.limits = store.qualifier, store.limits  # asked for with each file
        self.remove_missing_files = False
        self.listed, self.files = store.list_log(), dict[str, bytes | str | int | None]()
        self.before: tuple[TableState | None, str] = None, ""
        self.states: dict[tuple[Any, ...], TableState] = {}
        self.failure: TableError | None = None
        self.commits: Any = None
        self.witnesses = set[int]()

    def __getattr__(self, name: str) -> Any:
        """Whatever else the store has."""
        return getattr(self.store, name)

    def is_young(self, name: str) -> bool:
        """Whether the file *name* may still be being written."""
        info = self.listed.get(name)
        return info is not None and info.modified > self.now - self.older_than

    def change(self, files: Files) -> None:
        """Let a repair make these *files*, too."""
        self.before = self.before if self.files else self.newest_state()
        self.files |= files
        self.__dict__.pop("listing", None)
        self.__dict__.pop("loaded", None)

    # As a store

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """The files that will be there."""
        infos = {name: info for name, info in self.listed.items() if name not in self.files}
        for name, content in self.files.items():
            if isinstance(content, str):
                source = self.listed[content]
                infos[name] = FileInfo(name, source.size, source.modified)
            elif isinstance(content, bytes):
                infos[name] = FileInfo(name, len(content), 0)
        # From a checkpoint on, readers do without a compacted file that begins before it.
        made = [version for version in self.files.values() if isinstance(version, int)]
        for file in map(LogFile.of, [*infos.values()] if made else ()):
            if any((file.version or 0) <= version < (file.end or 0) for version in made):
                del infos[file.path]
        first = listing_prefix(start) if start else ""
        return {name: info for name, info in infos.items() if name >= first}

    def list_short_log(self) -> None:
        """None: the files are listed as they will be."""

    def read_ahead(self, _: object) -> None:
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
        if source is None or isinstance(source, int):
            raise MissingFileError(f"The file {path} is missing.")
        return source

    @computed_once
    def sidecars(self) -> Mapping[str, FileInfo]:
        """The files beside the log that checkpoints may name; no repair changes them."""
        return self.store.list_directory("_sidecars")

    @computed_once
    def listing(self) -> LogListing:
        """All files that will be there."""
        return LogListing.of(self.store.root, self.list_log())

    @computed_once
    def loaded(self) -> Snapshot | None:
        """The newest version, with its state; None where `failure` keeps it from being loaded."""
        try:
            return load_snapshot(self, detail=Detail.STATE)
        except TableError as error:
            self.failure = error.with_traceback(None)
            return None

    def state(
        self, segment: LogSegment, take: Callable[[LiveRow], object] | None = None
    ) -> TableState:
        """The state that *segment* describes; read once, or for *take* to see its live files."""
        checkpoint = segment.checkpoint.files if segment.checkpoint else ()
        names = (*(file.path for file in checkpoint), *segment.deltas.names)
        read = segment.version, *(self.files.get(name, name) for name in names)
        if take is not None or read not in self.states:
            self.states[read] = state_of(self, segment, take)
        return self.states[read]

    def newest_state(self) -> tuple[TableState | None, str]:
        """The state that readers will see; or none, and why."""
        try:
            return replayed(self, locate(self), self.state)[0], ""
        except TableError as error:
            return None, error.message


def sha256(store: LogStore, name: str) -> str | None:
    """The digest of a file; None where it is not there."""
    try:
        with store.open(name) as file:
            return digest_of(file)
    except MissingFileError:
        return None


def digest_of(file: Any) -> str:
    """The digest of what is in a binary *file* that is open, from its beginning."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()


PARTS: Final = ("add", "domainMetadata", "txn", "protocol", "metaData")
"""The kinds of actions that make a state."""


class Operation(NamedTuple):
    """A part of a repair: `words` say what it does to `file`, beginning with a verb."""

    kind: str
    file: str
    words: str


@dataclass(frozen=True)
class Repair:
    """
    Something that is wrong, which `rule` finds, and the `files` that mend it.

    `alters` are the parts of the state that readers will see differently, by the names of `PARTS`
    or "version", and `effect` says how. `lost_files` counts the data files that the table is to do
    without. A `refusal` says why nothing is done, `remedy` what would bring back what is lost.
    """

    kind: str
    rule: str
    wrong: str
    files: Files = field(default_factory=dict)
    alters: tuple[str, ...] = ()
    effect: str = ""
    unproved: tuple[str, ...] = ()
    refusal: str = ""
    remedy: str = ""
    lost_files: int = 0

    @property
    def operations(self) -> Iterator[Operation]:
        """What is done, step by step."""
        renamed = {*self.files.values()}
        for name, content in self.files.items():
            if isinstance(content, int):
                words = f"write the checkpoint of version {content} anew from older files"
                yield Operation("rebuild", name, words)
            elif isinstance(content, str):
                yield Operation("rename", content, f"rename {content} to {name}")
            elif name == HINT and content:
                yield Operation("point", name, f"write {name} for the newest checkpoint")
            elif content:
                yield Operation("commit", name, f"commit version {int(name[:20])}")
            elif name not in renamed:
                yield Operation("move_aside", name, f"move {name} to the quarantine")

    @property
    def kept(self) -> str:
        """What stays as it was."""
        if any(each.kind == "commit" for each in self.operations):
            return "every commit and file"
        return "the originals, in the quarantine" if self.files else ""


def rebuilt(version: int) -> Files:
    """A checkpoint of a version that has none."""
    return {f"{version:020d}.checkpoint.parquet": version}


def spared(kind: str, rule: str, wrong: str, snapshot: Snapshot) -> Repair:
    """Something wrong that a checkpoint of *snapshot* spares readers, if deltaadm may write it."""
    try:
        require_checkpointable(snapshot)
    except RefusedError as error:
        return refused(kind, rule, wrong, error.message.rstrip("."), error.remedy)
    return Repair(kind, rule, wrong, rebuilt(snapshot.version))


def refused(kind: str, rule: str, wrong: str, refusal: str, remedy: str) -> Repair:
    """Something that is wrong, and not repaired for this reason."""
    return Repair(kind, rule, wrong, refusal=refusal, remedy=remedy)


@dataclass(frozen=True)
class RepairOutcome:
    """
    What came of a plan: its journal, the state that was read afterwards, whether it is proved.

    `later`: others have committed since. `can_be_undone`: files of the log have changed.
    """

    journal: str
    actual: TableState
    proved: bool
    later: bool = False
    can_be_undone: bool = True


@dataclass(frozen=True, kw_only=True)
class RepairPlan:
    """
    The repairs of the table that the user calls *table*; those that are refused are not done.

    `blocked` says why there is no state `before`, `still_blocked` why none `after`, and `remedy`
    what would bring it back. `files` are what all repairs make of the log, `digests` those of now.
    """

    table: str = ""
    location: str
    repairs: tuple[Repair, ...]
    before: TableState | None = None
    after: TableState | None = None
    blocked: str = ""
    still_blocked: str = ""
    remedy: str = ""
    files: Files = field(default_factory=dict)
    digests: Mapping[str, str | None] = field(default_factory=dict)
    outcome: RepairOutcome | None = None

    document = "repair"
    blocks = "deltaadm.reports.repair.show_repair"

    @property
    def planned(self) -> tuple[Repair, ...]:
        """The repairs that are done."""
        return tuple(each for each in self.repairs if each.files and not each.refusal)

    @property
    def refused(self) -> tuple[Repair, ...]:
        """Those that are not."""
        return tuple(repair for repair in self.repairs if repair.refusal)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is only reported."""
        return tuple(each.wrong for each in self.repairs if not (each.files or each.refusal))

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
    if managed or protocol.is_catalog_managed:
        raise RefusedError(
            f"A catalog manages the commits of {store.root}, and it alone knows which count.",
            remedy=REPAIRED_BY_CATALOG,
        )
