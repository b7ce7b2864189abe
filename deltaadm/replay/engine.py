"""Loading a table: list its log, choose the files of a version, let an engine replay them."""

from __future__ import annotations

import json
from enum import Enum

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.log_segment import LogListing, LogSegment, choose
from deltaadm.errors import DeltaadmError, StorageError, TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.storage.store import LogStore
else:
    Protocol = object


class Detail(Enum):
    """How much of a snapshot is wanted; what is more costs more."""

    PROTOCOL = "protocol"
    """Protocol and metadata; reading stops when both are known."""
    STATE = "state"
    """Also transactions, domains and facts about the live files; reads the whole segment."""


class ReplayEngine(Protocol):
    """Whatever can turn a segment into a snapshot."""

    def replay(self, store: LogStore, segment: LogSegment, detail: Detail) -> Snapshot:
        """
        The state that *segment* describes, whether or not its features are supported.

        Raises `UnreadableCheckpoint` if only the segment's checkpoint is at fault, and
        `TableError` where no snapshot can be built.
        """


class BatchEngine(ReplayEngine, Protocol):
    """An engine to which several tables are one piece of work."""

    def replay_all(
        self, tables: Sequence[tuple[LogStore, LogSegment]], detail: Detail
    ) -> Sequence[Snapshot | DeltaadmError]:
        """What `replay` answers or raises, for each of *tables* in their order."""


class UnreadableCheckpoint(TableError):  # noqa: N818 -- reads as the finding it is
    """A checkpoint that cannot be used; the table may still load from older files."""


@dataclass(frozen=True, slots=True)
class Located:
    """A segment, the listing it was chosen from, and what had to be tolerated on the way."""

    listing: LogListing
    segment: LogSegment
    warnings: tuple[str, ...] = ()


def load_snapshot(
    store: LogStore,
    engine: ReplayEngine | None = None,
    *,
    version: int | None = None,
    timestamp: int | None = None,
    detail: Detail = Detail.PROTOCOL,
) -> Snapshot:
    """
    The table at its newest version, at *version*, or as of *timestamp* (ms since the epoch).

    Features that nobody supports are no obstacle. Raises `TableError` where no snapshot can be
    built, with `established` holding what could be found, and `StorageError` for trouble with
    the store.
    """
    engine = _embedded() if engine is None else engine
    if timestamp is not None:
        from deltaadm.replay.time_travel import version_at

        version = version_at(store, engine, timestamp)
    attempt = _Attempt(store, locate(store, version))
    while True:
        outcome: Snapshot | UnreadableCheckpoint
        try:
            outcome = engine.replay(store, attempt.segment, detail)
        except UnreadableCheckpoint as error:
            outcome = error
        snapshot = attempt.answer(outcome)
        if snapshot is not None:
            return snapshot


def locate(store: LogStore, version: int | None = None) -> Located:
    """
    The files of *version* (default: the newest), found with `_last_checkpoint` as a hint.

    The hint may be missing, broken or out of date; it only decides where a listing starts.
    """
    hint, warnings = _read_hint(store)
    start = hint if hint is not None and (version is None or hint <= version) else 0
    listing = _list(store, start)
    try:
        segment = choose(listing, version)
    except TableError:
        if not start:
            raise
        segment = None
    if start and (segment is None or segment.checkpoint is None):
        dangling = listing
        listing = _list(store, 0)
        warnings += (
            f"_last_checkpoint points to version {start}, from which the table cannot be loaded.",
        )
        segment = _choose_without_hint(listing, version, dangling)
    assert segment is not None  # noqa: S101 -- for the type checker: either chosen or raised
    return Located(listing, segment, warnings + _oddities(listing))


def load_snapshots(
    stores: Sequence[LogStore], engine: BatchEngine, *, detail: Detail = Detail.PROTOCOL
) -> list[Snapshot | DeltaadmError]:
    """What `load_snapshot` answers or raises, for each of *stores* in their order."""
    outcomes: dict[int, Snapshot | DeltaadmError] = {}
    pending: dict[int, _Attempt] = {}
    for position, store in enumerate(stores):
        try:
            pending[position] = _Attempt(store, locate(store))
        except DeltaadmError as error:
            outcomes[position] = error
    while pending:
        tables = [(one.store, one.segment) for one in pending.values()]
        found = dict(zip(list(pending), engine.replay_all(tables, detail), strict=True))
        for position, outcome in found.items():
            answer: Snapshot | DeltaadmError | None
            try:
                answer = pending[position].answer(outcome)
            except DeltaadmError as error:
                answer = error
            if answer is not None:
                outcomes[position] = answer
                del pending[position]
    return [outcomes[position] for position in range(len(stores))]


class _Attempt:
    """Loading a table, with older checkpoints where newer ones turn out to be unreadable."""

    def __init__(self, store: LogStore, located: Located) -> None:
        self.store = store
        self.segment = located.segment
        self._warnings = located.warnings
        self._first: UnreadableCheckpoint | None = None

    def answer(self, outcome: Snapshot | DeltaadmError) -> Snapshot | None:
        """The snapshot, or None where the attempt goes on with another segment."""
        if isinstance(outcome, UnreadableCheckpoint):
            self._step_back(outcome)
            return None
        if isinstance(outcome, DeltaadmError):
            raise outcome
        return replace(outcome, warnings=(*self._warnings, *outcome.warnings))

    def _step_back(self, error: UnreadableCheckpoint) -> None:
        self._first = self._first or error
        self._warnings += (error.message,)
        checkpoint = self.segment.checkpoint
        before = None if checkpoint is None else checkpoint.version
        try:
            self.segment = choose(_list(self.store, 0), self.segment.version, before=before)
        except TableError:
            raise self._first from None


def _choose_without_hint(
    listing: LogListing, version: int | None, dangling: LogListing
) -> LogSegment:
    try:
        return choose(listing, version)
    except TableError as error:
        missing = not any(one.version == dangling.start for one in dangling.checkpoints)
        truncated = error.delta_error_class == "DELTA_TRUNCATED_TRANSACTION_LOG"
        if missing and truncated and dangling.commits:
            error.delta_error_class = "DELTA_MISSING_PART_FILES"
        raise


def _list(store: LogStore, start: int) -> LogListing:
    return LogListing.of(store.root, store.list_log(start), start)


def _read_hint(store: LogStore) -> tuple[int | None, tuple[str, ...]]:
    try:
        body = store.read("_last_checkpoint")
    except TableError:
        return None, ()
    except StorageError as error:
        return None, (f"_last_checkpoint was not used: {error.message}",)
    try:
        version = json.loads(body)["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        version = None
    if isinstance(version, int) and not isinstance(version, bool) and version >= 0:
        return version, ()
    return None, ("_last_checkpoint cannot be understood and was ignored.",)


def _oddities(listing: LogListing) -> tuple[str, ...]:
    """What the choice of files passed over in silence."""
    found = listing.checkpoint_files
    empty = [one for one in found if not one.info.size]
    complete = {file.path for checkpoint in listing.checkpoints for file in checkpoint.files}
    partial = {one.version for one in found if one.info.size and one.path not in complete}
    return (
        *(f"The checkpoint file {one.path} is empty and was ignored." for one in empty),
        *(
            f"The checkpoint of version {version} lacks some of its parts and was ignored."
            for version in sorted(version for version in partial if version is not None)
        ),
    )


def _embedded() -> ReplayEngine:
    from deltaadm.replay.embedded import EmbeddedEngine

    return EmbeddedEngine()
