"""Loading a table: list its log, choose the files of a version, let an engine replay them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.actions import CLUSTERING_DOMAIN
from deltaadm.domain.schema import Path
from deltaadm.domain.snapshot import (
    LogFile,
    LogListing,
    LogSegment,
    Snapshot,
    commit_name,
    no_table,
)
from deltaadm.domain.wire import CommitInfo, CommitMark, Metadata, Provenance, instant
from deltaadm.errors import DeltaadmError, MissingFileError, StorageError, TableError
from deltaadm.replay import commits
from deltaadm.replay.commits import LargeFile, body, newest_actions
from deltaadm.replay.embedded import in_commit_timestamps
from deltaadm.replay.reconcile import (
    STATE,
    Detail,
    ReplayEngine,
    UnreadableCheckpointError,
    hint_of,
)
from deltaadm.storage.store import LogStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from deltaadm.domain.steps import Step


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
        try:
            segment = listing.segment(version)
        except TableError as error:
            missing = dangling.start not in {found.version for found in dangling.checkpoints}
            truncated = error.delta_error_class == "DELTA_TRUNCATED_TRANSACTION_LOG"
            if missing and truncated and dangling.commits:
                # Delta's error where the checkpoint of the hint is gone and no older one is left.
                error.delta_error_class = "DELTA_MISSING_PART_FILES"
            raise
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
            suspended = suspended_clustering(self.store, outcome)
        warnings = (*warnings, *outcome.warnings)
        return replace(outcome, suspended_clustering=suspended, warnings=warnings)


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


# Which version a table had at a point in time, as Delta's history manager tells it: the commits of
# a table with in-commit timestamps count by these, from the version on that enabled them. Before,
# the modification times of commit files count, each raised above its predecessor's where needed.


def version_at(store: LogStore, metadata: Metadata, timestamp: int) -> int:
    """
    The last version committed at or before *timestamp* (ms since the epoch).

    *metadata* is that of the newest version.
    Raises `TableError` for a time before the first or after the last version available.
    """
    listing = LogListing.of(store.root, store.list_log())
    span = listing.recreatable_versions
    if span is None:
        error = no_table(listing.root)
        error.delta_error_class = "DELTA_NO_RECREATABLE_HISTORY_FOUND"
        raise error
    available = [commit for commit in listing.commits if span[0] <= commit.number <= span[1]]
    first_inside = 1 << 63  # beyond all versions
    if in_commit_timestamps(metadata):
        # Without the note the table has had them from version 0 on.
        first_inside = _setting(metadata, "delta.inCommitTimestampEnablementVersion") or 0
    outside = [commit for commit in available if commit.number < first_inside]
    inside = [commit for commit in available if commit.number >= first_inside]
    # Earlier commits have file times, later ones their own: the two are never mixed.
    if inside:
        enabled = _setting(metadata, "delta.inCommitTimestampEnablementTimestamp")
        enabled = _time_inside(store, inside[0]) if outside and enabled is None else enabled
        if not outside or enabled is None or timestamp >= enabled:
            last = _time_inside(store, inside[-1])
            if timestamp > last:
                raise _too_late(store.root, timestamp, last)
            # Binary search, since every probe reads a commit.
            index = bisect_right(inside, timestamp, key=lambda file: _time_inside(store, file)) - 1
            if index < 0:
                raise too_early(store.root, timestamp, _time_inside(store, inside[0]))
            return inside[index].number
    times = [*raised_times(commit.info.modified for commit in outside)]
    index = bisect_right(times, timestamp) - 1
    if index < 0:
        raise too_early(store.root, timestamp, times[0])
    if not inside and timestamp > times[-1]:
        raise _too_late(store.root, timestamp, times[-1])
    return outside[index].number


def raised_times(modified: Iterable[int]) -> Iterator[int]:
    """
    When commits were made whose files were *modified* at these times, in their order.

    Each is raised above its predecessor's where needed, as Delta does.
    """
    time: int | None = None
    for written in modified:
        time = written if time is None else max(written, time + 1)
        yield time


def _time_inside(store: LogStore, file: LogFile) -> int:
    """A commit's own timestamp; raises `TableError` for a commit that should have one."""
    actions = commits.newest_actions(commits.body(store, file.path), file.path)
    info = next((document for name, document in actions if name == "commitInfo"), None)
    time = None if info is None else info.get("inCommitTimestamp")
    if isinstance(time, int):
        return time
    raise TableError(
        f"{file.path} has no in-commit timestamp, which this table requires.",
        remedy="A writer ignored the table's inCommitTimestamp feature; specify a version instead.",
        delta_error_class=f"DELTA_MISSING_COMMIT_{'INFO' if info is None else 'TIMESTAMP'}",
    )


def _setting(metadata: Metadata, key: str) -> int | None:
    text = metadata.configuration.get(key, "")
    return int(text) if text.isdecimal() else None


def too_early(root: str, timestamp: int, first: int) -> TableError:
    """The error for a time before the first version available, which is from *first*."""
    return TableError(
        f"The table at {root} has no version as old as {instant(timestamp)}: the earliest "
        f"available version is from {instant(first)}.",
        remedy="Choose a later time; log cleanup removes older versions.",
        delta_error_class="DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
    )


def _too_late(root: str, timestamp: int, last: int) -> TableError:
    return TableError(
        f"{instant(timestamp)} is after the latest version of the table at {root}, which is from "
        f"{instant(last)}.",
        remedy="Choose an earlier time, or leave it out to see the latest version.",
        delta_error_class="DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
    )


# Whose versions are, according to their commitInfo


def provenance(
    store: LogStore, first: int, last: int, step: Step, mark: CommitMark
) -> tuple[Provenance, ...]:
    """
    Whose the versions *first* to *last*, ends included, are, where *step* is what we carry out.

    A version is our own when its commitInfo has our *mark*. Where the mark tells nothing, or is
    one that others have as well, the version must also be the step's own statement, or one of the
    commits with which Delta prepares such a statement. A damaged commit is left out; trouble with
    the store is raised.
    """
    if step.user_metadata is not None:
        mark = CommitMark(step.user_metadata)
    annotated = mark.on(step.annotation)
    found = []
    for version in range(first, last + 1):
        info, actions, clusters = _read(store, version)
        # Whether it may change what a plan is about.
        changes = clusters or any(key in STATE for key in actions)
        if info is not None or changes:
            own = (
                info is not None
                and (annotated is None or info.user_metadata == annotated)
                and (mark.is_unique or step.is_made_by(info))
            )
            found.append(Provenance(version=version, is_own=own, changes_table=changes))
    return tuple(found)


def _read(store: LogStore, version: int) -> tuple[CommitInfo | None, list[str], bool]:
    """Its commitInfo, the names of its actions, and whether it is about clustering."""
    name = commit_name(version)
    try:
        content = body(store, name)
        actions = newest_actions(content, name)
        # The name alone: parsing every action of each commit would take too long.
        lines = content.lines() if isinstance(content, LargeFile) else [content]
        clusters = any(CLUSTERING_DOMAIN.encode() in line for line in lines)
    except TableError:
        return None, [], False
    documents = [document for key, document in actions if key == CommitInfo.NAME]
    info = CommitInfo.from_wire(documents[0]) if documents else None
    return info, [key for key, _ in actions], clusters


def suspended_clustering(store: LogStore, snapshot: Snapshot) -> tuple[Path, ...]:
    """
    The columns by which a run that has not gone on yet is to cluster the table of *snapshot* again.

    The newest commit that is about clustering says so. It is looked for only where a table was
    clustered once and is no more, and not further back than that.
    """
    domains = snapshot.domains or {}
    if CLUSTERING_DOMAIN not in domains:
        return ()
    from deltaadm.domain.transaction.columns import physical_clustering, suspended_columns

    if physical_clustering(domains):
        return ()
    for version in range(snapshot.version, max(snapshot.version - _SEARCHED, -1), -1):
        info, _, clusters = _read(store, version)
        if clusters:
            return suspended_columns(info.user_metadata or "") if info else ()
    return ()


_SEARCHED: Final = 1000
"""The number of versions that are searched for the one that removed the clustering."""
