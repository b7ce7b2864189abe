"""Reading the history of a table."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from deltaadm.errors import DeltaadmError
from deltaadm.operations.history import HistoryReport, Section, entries
from deltaadm.replay.time_travel import too_early
from deltaadm.replay.timeline import timeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deltaadm.operations.history import HistoryEntry
    from deltaadm.replay.timeline import Timeline
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.points import Point
    from deltaadm.runs.target import Target


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
        stopped: DeltaadmError | None = None
        try:
            shown.extend(self.entries)
        except DeltaadmError as error:
            if not shown:
                raise
            stopped = error
        report = HistoryReport(
            table=self.target.text,
            location=self.target.location,
            last=self.last,
            sections=self.sections,
            entries=tuple(shown),
            stopped=None if stopped is None else stopped.message,
        )
        return report, 0 if stopped is None else stopped.exit_code


def read_history(
    context: RunContext, target: Target, sections: tuple[Section, ...], since: Point, until: Point
) -> History:
    """The history of *target*; damage in a commit is raised where its entry would come."""
    versions = timeline_of(context, target, since=since.version, until=until.version)
    made = entries(
        target.text,
        versions.base,
        versions.changes(),
        sections,
        with_base=since.version is None,
    )
    first, last = since.timestamp, until.timestamp
    beginning = versions.base.timestamp
    if last is not None and beginning is not None and last < beginning:
        raise too_early(target.location, last, beginning)
    if last is not None:
        made = takewhile(lambda entry: (entry.origin.timestamp or 0) <= last, made)
    if first is not None:
        made = (entry for entry in made if (entry.origin.timestamp or 0) >= first)
    return History(target, sections, versions.last, made)


def timeline_of(
    context: RunContext, target: Target, *, since: int | None = None, until: int | None = None
) -> Timeline:
    """The states of *target* between two versions; see `timeline`."""
    store = context.open_store(target.location)
    return timeline(store, context.engine, since=since, until=until)
