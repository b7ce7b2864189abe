"""`history`: what has changed in a table, from commit to commit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain, groupby
from typing import Any, Final

from deltaadm.blocks import (
    Block,
    ChangeRow,
    Changes,
    Either,
    Heading,
    Paragraph,
    Timeline,
    TimelineBar,
    TimelineLane,
)
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.domain.properties import Key
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.wire import engine_of, instant, moment
from deltaadm.json_values import (
    BOOLEAN,
    COUNT,
    INTEGER,
    STRING,
    Fields,
    array,
    maybe,
    one_of,
    record,
    within,
)
from deltaadm.plans.diff import CHANGE, Change, ChangeKind, change_words, diff, value_words
from deltaadm.reports.words import COLUMNS_SHOWN, VERSIONS, counted, some_of


class Section(Enum):
    """A section of a table's definition; each change belongs to exactly one."""

    PROTOCOL = "protocol"
    FEATURES = "features"
    SCHEMA = "schema"
    MAPPING = "mapping"
    CONSTRAINTS = "constraints"
    CLUSTERING = "clustering"
    PROPERTIES = "properties"
    TABLE = "table"


_SECTIONS: Final = (
    ("protocol.min", Section.PROTOCOL),
    ("protocol.", Section.FEATURES),
    ("features[", Section.FEATURES),
    ("schema", Section.SCHEMA),
    ("partitionColumns", Section.SCHEMA),
    ("clusteringColumns", Section.CLUSTERING),
    ("configuration[delta.columnMapping.", Section.MAPPING),
    (f"configuration[{Key.CONSTRAINT_PREFIX}", Section.CONSTRAINTS),
    ("configuration[", Section.PROPERTIES),
)
"""The prefixes of subjects, with their sections; the first match counts."""


def section_of(change: Change) -> Section:
    """Return the section of *change*: by its subject, else the table itself."""
    place = change.subject
    if (
        place.startswith("schema[")
        and change.kind is ChangeKind.SET
        and all(key.startswith("delta.columnMapping.") for key in {**change.before, **change.after})
    ):
        return Section.MAPPING
    return next((section for start, section in _SECTIONS if place.startswith(start)), Section.TABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """
    The commit of a change: its version, its time, and what its commitInfo says of it.

    Where the log does not reach back to it, `at_or_before` is true, and the version is the oldest
    one that shows what it has led to. `timestamp` is in milliseconds since the epoch.
    """

    version: int
    timestamp: int | None
    at_or_before: bool = False
    operation: str | None = None
    engine: str | None = None
    user: str | None = None


def origin(snapshot: Snapshot) -> Origin:
    """The origin of *snapshot*, the state after a commit."""
    version, timestamp, info = snapshot.version, snapshot.timestamp, snapshot.commit_info
    if info is None:
        return Origin(version=version, timestamp=timestamp)
    return Origin(
        version=version,
        timestamp=timestamp,
        operation=info.operation,
        engine=engine_of(info.to_wire()) or None,
        user=info.user_name or info.user_id,
    )


def beginning(snapshot: Snapshot) -> Origin:
    """The origin of *snapshot*, the oldest state that the log has."""
    return Origin(version=snapshot.version, timestamp=snapshot.timestamp, at_or_before=True)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """The changes that one commit made to the table that the user calls `table`."""

    table: str
    origin: Origin
    changes: tuple[Change, ...]

    document = "history_entry"
    blocks = "deltaadm.reports.history.show_entry"


@dataclass(frozen=True, kw_only=True)
class HistoryReport:
    """
    The changes of a table, the oldest first, up to the version `last`.

    `sections` are what was asked for. `stopped` says why it does not go on, where a commit cannot
    be read.
    """

    table: str
    location: str
    last: int
    sections: tuple[Section, ...]
    entries: tuple[HistoryEntry, ...]
    stopped: str | None = None

    document = "history"
    blocks = "deltaadm.reports.history.show_history"


def entries(
    table: str,
    base: Snapshot,
    changes: Iterable[tuple[Snapshot, Snapshot]],
    sections: Collection[Section],
    *,
    with_base: bool,
) -> Iterator[HistoryEntry]:
    """
    An entry for each commit that has changed something of *sections*.

    *changes* are the states before and after each, the first of them being *base*; with
    *with_base* what that has comes first, as what was there at the beginning.
    """
    if with_base and base.exists:
        changes = chain([(no_table(base.root), base)], changes)
    # What concerns the protocol alone spares comparing schemas.
    of_protocol = {Section.PROTOCOL, Section.FEATURES}.issuperset(sections)
    for before, after in changes:
        if of_protocol and before.protocol == after.protocol:
            continue
        found = tuple(change for change in diff(before, after) if section_of(change) in sections)
        if found:
            yield HistoryEntry(table, beginning(after) if after is base else origin(after), found)


ORIGIN: Final[Fields] = {
    "version": COUNT,
    "at_or_before": BOOLEAN,
    "timestamp": maybe(INTEGER),
    "operation": maybe(STRING),
    "engine": maybe(STRING),
    "user": maybe(STRING),
}
"""The parts of where a change comes from."""

SECTIONED_CHANGES: Final = array(record(section=(one_of(Section), section_of), **CHANGE))
"""Changes, each with what it is about."""

ENTRY: Final[Fields] = {**within("origin", ORIGIN), "changes": SECTIONED_CHANGES}
"""The parts of an entry."""

HISTORY_ENTRY_DOCUMENT: Final = Document.of("A line of `history -o jsonl`", table=STRING, **ENTRY)


HISTORY_DOCUMENT: Final = Document.of(
    "The output of `history`",
    table=STRING,
    location=STRING,
    last_version=(COUNT, lambda report: report.last),
    sections=array(one_of(Section)),
    entries=array(record(**ENTRY)),
    stopped=maybe(STRING),
)


def show_history(report: HistoryReport) -> Iterator[Block]:
    """The changes of a table, by commit."""
    yield Heading(f"history: {report.table} (up to version {report.last})", level=1)
    if not report.entries and report.stopped is None:
        yield Paragraph("No changes.")
    timeline = _timeline(report)
    if timeline is not None:
        yield Either([timeline])
    for entry in report.entries:
        yield from show_entry(entry)
    if report.stopped is not None:
        yield Heading("Stopped", tone="error")
        yield Paragraph(report.stopped, tone="error", nested=True)


def _timeline(report: HistoryReport) -> Timeline | None:
    entries = [entry for entry in report.entries if any(map(_lane_of, entry.changes))]
    if not entries:
        return None
    state: dict[str, Any] = {}  # what was there before is what the first change of it replaces
    for change in (change for entry in reversed(entries) for change in entry.changes):
        if _lane_of(change):
            state[change.subject] = change.before
    lanes = {change.subject: _lane_of(change) for entry in entries for change in entry.changes}
    points, states = [("earlier", "")], [dict(state)]
    for entry in entries:
        state |= {change.subject: change.after for change in entry.changes if _lane_of(change)}
        at, stamp = entry.origin, entry.origin.timestamp
        # A version as short as an axis needs it, and its day.
        version = f"{'up to ' if at.at_or_before else ''}v{at.version}"
        points.append((version, "" if stamp is None else instant(stamp)[:10]))
        states.append(dict(state))
    if not any(value is not None for value in states[0].values()):
        del points[0], states[0]
    places: dict[tuple[bool, str], list[str]] = {}  # a feature may be called like a version
    for subject, lane in lanes.items():
        if lane:
            places.setdefault((subject in VERSIONS, lane), []).append(subject)
    title = f"The protocol of {report.table} from version to version"
    shown = (TimelineLane(lane, tuple(_bars(lane, at, states))) for (_, lane), at in places.items())
    return Timeline(title, tuple(points), tuple(lane for lane in shown if lane.bars))


def _lane_of(change: Change) -> str:
    """The version or the feature of the protocol that a change is about; empty for others."""
    if change.subject in VERSIONS:
        return VERSIONS[change.subject]
    if change.subject.startswith(("protocol.readerFeatures[", "protocol.writerFeatures[")):
        return str(change.before or change.after)
    return ""


def _bars(
    lane: str, places: Sequence[str], states: Sequence[Mapping[str, Any]]
) -> Iterator[TimelineBar]:
    """
    The periods in which one of *places* has a value; which one matters for versions alone.

    A feature is supported as well while the versions imply it.
    """
    start, is_version = 0, places[0] in VERSIONS
    values: list[str | None] = []
    for state in states:
        value = next((state[place] for place in places if state[place] is not None), None)
        reader, writer = (state.get(place) for place in VERSIONS)
        implied = Protocol(reader or 1, writer or 1).implicit_features
        if is_version:
            values.append(None if value is None else str(value))
        else:
            values.append("" if value is not None or lane in implied else None)
    for value, group in groupby(values):
        end = start + len(list(group))
        if value is not None:
            yield TimelineBar(value, start, end)
        start = end


def show_entry(entry: HistoryEntry) -> Iterator[Block]:
    """The changes of one commit."""
    origin = entry.origin
    when = moment(origin.timestamp)
    title = f"At or before version {origin.version} ({when})"
    if not origin.at_or_before:
        what = f": {origin.operation}" if origin.operation else ""
        title = f"Version {origin.version}, {when}{what}"
    yield Heading(title)
    user = f"by {origin.user}" if origin.user else ""
    maker = ", ".join(filter(None, (user, origin.engine)))
    if maker:
        yield Paragraph(maker, nested=True)
    yield Changes(tuple(change_rows(entry.changes)))


def change_rows(changes: Sequence[Change]) -> Iterator[ChangeRow]:
    """
    A row for each change; of many columns that come or go together, one with a few names.

    Of a new table, all columns share a row.
    """
    # The only format that Delta knows goes without saying, in a table that is new.
    plain = ("format", None, {"provider": "parquet", "options": {}})
    listed = [of for of in changes if (of.subject, of.before, of.after) != plain]
    is_new = any(of.subject == "id" and of.before is None for of in changes)
    most = 0 if is_new else COLUMNS_SHOWN
    alike: dict[ChangeKind, list[Change]] = {}
    for change in listed:
        if change.subject.startswith("schema[") and change.kind is not ChangeKind.SET:
            alike.setdefault(change.kind, []).append(change)
    for change in listed:
        kind = change.kind
        group = alike.get(kind, [])
        if change.subject.startswith("schema[") and len(group) > most:
            if change is not group[0]:
                continue
            named = some_of(entry.subject[len("schema[") : -1] for entry in group)
            text = f"{kind.value} schema: {counted(len(group), 'column')}: {named}"
        elif change.subject in ("id", "name") and kind is not ChangeKind.SET:
            # Their value tells more than that there is one.
            value = change.after if change.before is None else change.before
            text = f"{kind.value} {change.subject} = {value_words(value)}"
        else:
            text = change_words(change)
        yield ChangeRow(kind.value, text)
