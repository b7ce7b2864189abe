"""Loading a table: list its log, choose the files of a version, let an engine replay them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from deltaadm.dataclass import replace
from deltaadm.domain.actions import CLUSTERING_DOMAIN
from deltaadm.domain.properties import whole_number
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
from deltaadm.errors import MissingFileError, StorageError, TableError
from deltaadm.replay.commits import json_object, read_lines
from deltaadm.replay.embedded import Replay, in_commit_timestamps
from deltaadm.replay.reconcile import STATE, Detail, ReplayEngine, UnreadableCheckpointError
from deltaadm.storage.store import LogStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, TypeVar

    from deltaadm.domain.steps import Step

    Found = TypeVar("Found")
    Located = tuple[LogSegment, tuple[str, ...]]
    """The files of a version, and what had to be tolerated to find them."""


def load_snapshot(
    store: LogStore,
    engine: ReplayEngine | None = None,
    *,
    version: int | None = None,
    timestamp: int | None = None,
    detail: Detail = Detail.PROTOCOL,
    known: Snapshot | None = None,
    listing: LogListing | None = None,
) -> Snapshot:
    """
    The table at its newest version, at *version*, or as of *timestamp* (ms since the epoch).

    *known* is a version that was loaded before, on whose checkpoint later ones build as well, and
    *listing* is that of the whole log, where it has been listed. Features that nobody
    supports are no obstacle. Raises `TableError` where no snapshot can be built, with `established`
    holding what could be found, and `StorageError` for trouble with the store.
    """
    if timestamp is not None:
        # The newest metadata whether time travel uses in-commit timestamps.
        version = version_at(store, load_snapshot(store, engine).metadata, timestamp)

    def replay(segment: LogSegment) -> Snapshot:
        if engine is not None:
            return engine.replay(store, segment, detail)
        return Replay(store, segment, known).outcome(detail)

    located = locate(store, version, None if known is None else known.segment, listing)
    snapshot, warnings = replayed(store, located, replay)
    state = store.catalog_state
    was_asked = state is not None and state.manages_commits
    if not was_asked and snapshot.protocol.is_catalog_managed:
        newest = f"there may be versions after {snapshot.version}"
        unasked = f"A catalog manages the commits of this table, and was not asked: {newest}."
        warnings += (unasked,)
    suspended = suspended_clustering(store, snapshot) if snapshot.domains else ()
    warnings = (*warnings, *snapshot.warnings)
    return replace(snapshot, suspended_clustering=suspended, warnings=warnings)


def replayed(
    store: LogStore, located: Located, replay: Callable[[LogSegment], Found]
) -> tuple[Found, tuple[str, ...]]:
    """
    What *replay* makes of the files *located*, and what had to be tolerated.

    Like Delta, it goes back to older files where a checkpoint turns out to be unreadable.
    """
    segment, warnings = located
    first: UnreadableCheckpointError | None = None
    while True:
        try:
            return replay(segment), warnings
        except UnreadableCheckpointError as error:
            # Without what would keep all that was read so far in memory.
            first = first or error.with_traceback(None)
            error.__cause__ = error.__context__ = None
            warnings += (error.message,)
            before = None if segment.checkpoint is None else segment.checkpoint.version
            try:
                segment = _list(store, 0).segment(segment.version, before=before)
            except TableError:
                raise first from None


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
    base = None if known is None or known.checkpoint is None else known.checkpoint.version
    if base is not None and (version is None or base <= version):
        later, segment = _from_checkpoint(store, base, version)
        if segment is not None:
            return segment, _oddities(later)
    short = store.list_short_log() if listing is None else None
    if short is not None:
        listing = LogListing.of(store.root, short)
    warnings: tuple[str, ...] = ()
    if listing is not None and (segment := _segment(listing, version)) is not None:
        expected = [segment.last_commit.path, *segment.deltas.names[::-1]]
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
        return segment, warnings + _oddities(listing)
    hint, warnings = _read_hint(store)
    hinted = None
    if hint and (version is None or hint <= version):
        hinted, segment = _from_checkpoint(store, hint, version)
        if segment is not None:
            return segment, warnings + _oddities(hinted)
        # A log may hold older checkpoints and commits than the hint names.
        warnings += (_dangling(hint),)
    listing = _list(store, 0)
    try:
        segment = listing.segment(version)
    except TableError as error:
        truncated = error.delta_error_class == "DELTA_TRUNCATED_TRANSACTION_LOG"
        is_there = hinted and hint in {each.version for each in hinted.checkpoints}
        if truncated and hinted and hinted.commits and not is_there:
            # Delta's error where the checkpoint of the hint is gone and no older one is left.
            error.delta_error_class = "DELTA_MISSING_PART_FILES"
        raise
    return segment, warnings + _oddities(listing)


def _segment(listing: LogListing, version: int | None) -> LogSegment | None:
    try:
        return listing.segment(version)
    except TableError:
        return None


def _from_checkpoint(
    store: LogStore, start: int, version: int | None
) -> tuple[LogListing, LogSegment | None]:
    """The log from *start* on, and the files of *version* in it; None unless with a checkpoint."""
    listing = _list(store, start)
    segment = _segment(listing, version)
    # Log cleanup may have removed it since.
    return listing, segment if segment is not None and segment.checkpoint is not None else None


def _list(store: LogStore, start: int) -> LogListing:
    return LogListing.of(store.root, store.list_log(start))


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
    version = (json_object(body)[0] or {}).get("version")
    # Not `isinstance`: in Python, true is an int.
    if type(version) is int and version >= 0:
        return version, ()
    return None, ("_last_checkpoint cannot be parsed and was ignored.",)


def _oddities(listing: LogListing) -> tuple[str, ...]:
    found, partial = [], set()
    for file in chain.from_iterable(listing.incomplete_checkpoints):
        if file.info.size:
            partial.add(file.number)
        else:
            what = "empty" if file.info.regular else "not a regular file"
            found.append(f"The checkpoint file {file.path} is {what} and was ignored.")
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
    actions = read_lines(store, file.path).newest_actions()
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
    return whole_number(metadata.configuration.get(key, ""))


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
    try:
        commit = read_lines(store, commit_name(version))
        actions = commit.newest_actions()
        # The name alone: parsing every action of each commit would take too long.
        clusters = any(CLUSTERING_DOMAIN.encode() in line for line in commit.lines())
    except TableError:
        return None, [], False
    documents = [document for key, document in actions if key == CommitInfo.NAME]
    info = CommitInfo.from_wire(documents[0]) if documents else None
    return info, [key for key, _ in actions], clusters


def suspended_clustering(store: LogStore, snapshot: Snapshot) -> tuple[Path, ...]:
    """
    The columns by which a run that has not gone on yet is to cluster the table of *snapshot* again.

    The newest commit that is about clustering says so. It is looked for only where a table was
    clustered once and is no more, and not further back than a thousand versions.
    """
    domains = snapshot.domains or {}
    if CLUSTERING_DOMAIN not in domains:
        return ()
    from deltaadm.domain.transaction.columns import physical_clustering, suspended_columns

    if physical_clustering(domains):
        return ()
    for version in range(snapshot.version, max(snapshot.version - 1000, -1), -1):
        info, _, clusters = _read(store, version)
        if clusters:
            return suspended_columns(info.user_metadata or "") if info else ()
    return ()
