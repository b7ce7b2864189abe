"""Loading a table: list its log, choose the files of a version, let an engine replay them."""

from __future__ import annotations

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.schema import Path
from deltaadm.domain.snapshot import LogListing, LogSegment, Snapshot
from deltaadm.errors import DeltaadmError, MissingFileError, StorageError, TableError
from deltaadm.replay.reconcile import Detail, ReplayEngine, UnreadableCheckpointError, hint_of
from deltaadm.storage.store import LogStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


@dataclass(frozen=True)
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
    known: LogSegment | None = None,
    listing: LogListing | None = None,
) -> Snapshot:
    """
    The table at its newest version, at *version*, or as of *timestamp* (ms since the epoch).

    *known* are the files of a version that was loaded before, on whose checkpoint later ones build
    as well, and *listing* is that of the whole log, where it has been listed. Features that nobody
    supports are no obstacle. Raises `TableError` where no snapshot can be built, with `established`
    holding what could be found, and `StorageError` for trouble with the store.
    """
    if engine is None:
        from deltaadm.replay.embedded import EmbeddedEngine

        engine = EmbeddedEngine()
    if timestamp is not None:
        from deltaadm.replay.time_travel import version_at

        # The newest metadata whether time travel uses in-commit timestamps.
        version = version_at(store, load_snapshot(store, engine).metadata, timestamp)
    attempt = Attempt(store, locate(store, version, known, listing))
    # Until a checkpoint can be read, or no older one is left, for which `answer` raises.
    while True:
        outcome: Snapshot | UnreadableCheckpointError
        try:
            outcome = engine.replay(store, attempt.segment, detail)
        except UnreadableCheckpointError as error:
            outcome = error
        snapshot = attempt.answer(outcome)
        if snapshot is not None:
            return snapshot


def locate(
    store: LogStore,
    version: int | None = None,
    known: LogSegment | None = None,
    listing: LogListing | None = None,
) -> Located:
    """
    The files of *version* (default: the newest), found with `_last_checkpoint` as a hint.

    The hint may be missing, broken or out of date; it only decides where a listing starts, as does
    the checkpoint of the *known* files of another version. None is made where there is a *listing*
    of the whole log.
    """
    if known is not None and known.checkpoint is not None:
        later = _locate_after(store, known.checkpoint.version, version)
        if later is not None:
            return later
    short = store.list_short_log() if listing is None else None
    if short is not None:
        listing = LogListing.of(store.root, short, 0)
    if listing is not None:
        later = _locate_in(store, listing, version)
        if later is not None:
            return later
    hint, warnings = _read_hint(store)
    start = hint if hint is not None and (version is None or hint <= version) else 0
    listing = _list(store, start)
    try:
        segment = listing.segment(version)
    except TableError:
        if not start:
            raise
        segment = None
    if start and (segment is None or segment.checkpoint is None):
        # A log may hold older checkpoints and commits than the hint names.
        dangling = listing
        listing = _list(store, 0)
        warnings += (_dangling(start),)
        segment = _choose_without_hint(listing, version, dangling)
    assert segment is not None  # noqa: S101 -- for the type checker: either chosen or raised
    return Located(listing, segment, warnings + _oddities(listing))


def _locate_after(store: LogStore, start: int, version: int | None) -> Located | None:
    """The files of *version* from a checkpoint of the version *start* on, if they are there."""
    if version is not None and version < start:
        return None
    listing = _list(store, start)
    try:
        segment = listing.segment(version)
    except TableError:
        return None
    # Log cleanup may have removed it since.
    if segment.checkpoint is None:
        return None
    return Located(listing, segment, _oddities(listing))


def _locate_in(store: LogStore, listing: LogListing, version: int | None) -> Located | None:
    """The files of *version* in a listing of the whole log, fetched ahead; None if some are not."""
    try:
        segment = listing.segment(version)
    except TableError:
        return None
    expected = [segment.last_commit.path, *segment.deltas.names[::-1]]
    warnings: tuple[str, ...] = ()
    # The hint has nothing to tell here; it is checked only where it comes with other requests,
    # which is to say unless the version's checksum answers everything.
    if segment.crc is not None:
        store.read_ahead([*expected[:1], segment.crc.path])
    elif _HINT in listing.infos:
        store.read_ahead([_HINT, *expected])
        hint, warnings = _read_hint(store)
        if hint is not None and hint not in {found.version for found in listing.checkpoints}:
            warnings += (_dangling(hint),)
    else:
        store.read_ahead(expected)
    return Located(listing, segment, warnings + _oddities(listing))


class Attempt:
    """Loading a table, with older checkpoints where newer ones turn out to be unreadable."""

    def __init__(self, store: LogStore, located: Located) -> None:
        self.store = store
        self.segment = located.segment
        self._warnings = located.warnings
        self._first: UnreadableCheckpointError | None = None

    def answer(self, outcome: Snapshot | DeltaadmError) -> Snapshot | None:
        """The snapshot, or None where the attempt goes on with another segment."""
        if isinstance(outcome, UnreadableCheckpointError):
            self._first = self._first or outcome
            self._warnings += (outcome.message,)
            checkpoint = self.segment.checkpoint
            before = None if checkpoint is None else checkpoint.version
            try:
                # Like Delta, which goes back to older files where a checkpoint is unreadable.
                self.segment = _list(self.store, 0).segment(self.segment.version, before=before)
            except TableError:
                raise self._first from None
            return None
        if isinstance(outcome, DeltaadmError):
            raise outcome
        warnings = self._warnings
        state = self.store.catalog_state
        was_asked = state is not None and state.manages_commits
        if not was_asked and any(map(outcome.protocol.supports, CATALOG_MANAGED)):
            newest = f"there may be versions after {outcome.version}"
            unasked = f"A catalog manages the commits of this table, and was not asked: {newest}."
            warnings += (unasked,)
        suspended: tuple[Path, ...] = ()
        if outcome.domains:
            from deltaadm.replay.provenance import suspended_clustering

            suspended = suspended_clustering(self.store, outcome)
        warnings = (*warnings, *outcome.warnings)
        return replace(outcome, suspended_clustering=suspended, warnings=warnings)


def _choose_without_hint(
    listing: LogListing, version: int | None, dangling: LogListing
) -> LogSegment:
    try:
        return listing.segment(version)
    except TableError as error:
        missing = dangling.start not in {found.version for found in dangling.checkpoints}
        truncated = error.delta_error_class == "DELTA_TRUNCATED_TRANSACTION_LOG"
        if missing and truncated and dangling.commits:
            # Delta's error where the checkpoint of the hint is gone and no older one is left.
            error.delta_error_class = "DELTA_MISSING_PART_FILES"
        raise


def _list(store: LogStore, start: int) -> LogListing:
    return LogListing.of(store.root, store.list_log(start), start)


CATALOG_MANAGED: Final = ("catalogManaged", "catalogOwned-preview")
"""The features of tables whose newest commits their catalog knows alone."""


def _dangling(version: int) -> str:
    return f"_last_checkpoint points to version {version}, from which the table cannot be loaded."


_HINT: Final = "_last_checkpoint"


def _read_hint(store: LogStore) -> tuple[int | None, tuple[str, ...]]:
    try:
        body = store.read(_HINT)
    except MissingFileError:
        return None, ()
    except (TableError, StorageError) as error:
        return None, (f"_last_checkpoint was not used: {error.message}",)
    version = hint_of(body).get("version")
    # Not `isinstance`: in Python, true is an int.
    if type(version) is int and version >= 0:
        return version, ()
    return None, ("_last_checkpoint cannot be parsed and was ignored.",)


def _oddities(listing: LogListing) -> tuple[str, ...]:
    """Messages on files that were ignored when the segment was chosen."""
    complete = {file.path for checkpoint in listing.checkpoints for file in checkpoint.files}
    found, partial = [], set()
    for file in listing.checkpoint_files:
        if not file.info.size:
            what = "empty" if file.info.regular else "not a regular file"
            found.append(f"The checkpoint file {file.path} is {what} and was ignored.")
        elif file.path not in complete:
            partial.add(file.number)
    found += [
        f"The checkpoint of version {version} is missing some of its parts and was ignored."
        for version in sorted(partial)
    ]
    return tuple(found)
