"""Reading the history of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import takewhile
from math import inf
from typing import Final, NamedTuple

from deltaadm.domain.properties import whole_number
from deltaadm.domain.snapshot import LogListing
from deltaadm.domain.wire import merged
from deltaadm.errors import DeltaadmError, TableError, UsageError
from deltaadm.replay.load import too_early
from deltaadm.replay.timeline import Timeline, timeline, writers
from deltaadm.reports.history import HistoryEntry, HistoryReport, Section, WritersReport, entries
from deltaadm.runs.context import RunContext
from deltaadm.runs.target import Target


class Point(NamedTuple):
    """A version, or a time in milliseconds since the epoch; neither for the newest version."""

    version: int | None = None
    timestamp: int | None = None


NEWEST: Point = Point()


def state_at(version: int | None, timestamp: str | datetime | None) -> Point:
    """
    The point of a version or of a time, which is in ISO 8601 or in milliseconds since the epoch.

    Raises `UsageError` for both of them, and for what is neither.
    """
    if version is not None and timestamp is not None:
        raise UsageError("cannot be combined with --version", option="--timestamp")
    if version is not None:
        return point(version, "--version")
    digits = timestamp.removeprefix("-") if isinstance(timestamp, str) else ""
    if digits.isascii() and digits.isdecimal():
        with suppress(ValueError):  # of thousands of digits Python makes no number
            return Point(timestamp=int(str(timestamp)))
    return _time(timestamp, "--timestamp", "not a time")


def point(given: int | str | datetime | None, option: str) -> Point:
    """The point that *given* names for *option*: digits are a version, anything else a time."""
    if isinstance(given, str) and given.isascii() and given.isdecimal():
        number = whole_number(given)
        given = given if number is None else number
    if isinstance(given, int):
        if given < 0:
            raise UsageError(f"There is no version {given}: versions start at 0.")
        return Point(version=given)
    return _time(given, option, "neither a version nor a time")


def span(
    since: int | str | datetime | None, until: int | str | datetime | None
) -> tuple[Point, Point]:
    """The points of these two options; raises `UsageError` where the second comes first."""
    first, last = point(since, "--since"), point(until, "--until")
    for beginning, end in zip(first, last, strict=True):
        if beginning is not None and end is not None and beginning > end:
            raise UsageError("is before --since", option="--until")
    return first, last


def _time(given: str | datetime | None, option: str, fault: str) -> Point:
    time = iso_milliseconds(given)
    if given is not None and time is None:
        raise UsageError(f"{given!r} is {fault}, for example 2026-11-21T10:00:00Z", option=option)
    return Point(timestamp=time)


def iso_milliseconds(given: str | datetime | None) -> int | None:
    """A time, in ISO 8601 if it is text, UTC where it has no zone; None for anything else."""
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        return None
    if not isinstance(moment, datetime):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


_SHOWN: Final = {
    "protocol": (Section.PROTOCOL, Section.FEATURES),
    "schema": (Section.SCHEMA, Section.MAPPING, Section.CONSTRAINTS, Section.CLUSTERING),
    "properties": (Section.PROPERTIES, Section.MAPPING, Section.CONSTRAINTS, Section.TABLE),
}
"""The section that each switch shows."""


def shown_sections(switches: Iterable[str]) -> tuple[Section, ...]:
    """The sections that *switches* choose; all of them without any."""
    chosen = {section for name in switches for section in _SHOWN[name]}
    return tuple(section for section in Section if section in chosen or not chosen)


class History(NamedTuple):
    """The entries of a table's history, read while they are gone through, and where it ends."""

    target: Target
    sections: tuple[Section, ...]
    last: int
    entries: Iterator[HistoryEntry]

    def report(self) -> tuple[HistoryReport, int]:
        """All of it, as far as it can be read, and the exit code."""
        shown: list[HistoryEntry] = []
        stopped, code = None, 0
        try:
            shown.extend(self.entries)
        except DeltaadmError as error:
            if not shown:
                raise
            stopped, code = error.message, error.exit_code
        report = HistoryReport(
            table=self.target.text,
            location=self.target.location,
            last=self.last,
            sections=self.sections,
            entries=tuple(shown),
            stopped=stopped,
        )
        return report, code


def read_history(
    context: RunContext, target: Target, sections: tuple[Section, ...], since: Point, until: Point
) -> History:
    """The history of *target*; damage in a commit is raised where its entry would come."""
    try:
        versions = timeline_of(context, target, since=since.version, until=until.version)
    except TableError:
        versions = timeline_of(context, target, until=until.version)
        if since.version is None or versions.base.version < since.version:
            raise  # else log cleanup has left nothing older
    base = versions.base
    with_base = since.version is None or base.version >= since.version
    made = entries(target.text, base, versions.changes(), sections, with_base=with_base)
    first, last = since.timestamp, until.timestamp
    beginning = base.timestamp
    if last is not None and beginning is not None and last < beginning:
        raise too_early(target.location, last, beginning)
    if last is not None:
        made = takewhile(lambda entry: (entry.origin.timestamp or 0) <= last, made)
    if first is not None:
        made = (entry for entry in made if (entry.origin.timestamp or 0) >= first)
    return History(target, sections, versions.last, made)


def read_writers(context: RunContext, target: Target, since: Point, until: Point) -> WritersReport:
    """Who wrote *target*; between times, the commits that tell theirs."""
    store = context.open_store(target.location)
    listing = LogListing.of(store.root, store.list_log(0))
    commits = listing.commits or listing.segment().commits  # which raises without any
    commits = commits.after((since.version or 0) - 1)
    commits = commits if until.version is None else commits.until(until.version)
    found = writers(store, [*commits.versions[::-1]] if commits else [])
    low, high = since.timestamp, until.timestamp
    if low is not None or high is not None:
        dated = (writer for writer in found if writer.last is not None)
        to = inf if high is None else high
        found = (writer for writer in dated if (low or 0) <= (writer.last or 0) <= to)
    return WritersReport(target.text, target.location, merged(found))


def timeline_of(
    context: RunContext, target: Target, *, since: int | None = None, until: int | None = None
) -> Timeline:
    """The states of *target* between two versions; see `timeline`."""
    store = context.open_store(target.location)
    return timeline(store, context.engine, since=since, until=until)
