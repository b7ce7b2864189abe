"""
Which version a table had at a point in time, as Delta's history manager tells it.

The commits of a table with in-commit timestamps count by these, from the version on that
enabled them. Before, the commit files' modification times count, each raised above its
predecessor's where needed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from deltaadm.domain.instants import instant
from deltaadm.domain.snapshot import LogFile, LogListing, no_table
from deltaadm.domain.wire import Metadata
from deltaadm.errors import TableError
from deltaadm.replay import commits
from deltaadm.replay.embedded import in_commit_timestamps
from deltaadm.storage.store import LogStore


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
