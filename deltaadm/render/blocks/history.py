"""Blocks of what has changed in a table, from version to version."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.instants import instant
from deltaadm.operations.diff import ChangeKind
from deltaadm.render.blocks import (
    ChangeRow,
    Changes,
    Heading,
    PageOnly,
    Paragraph,
    Timeline,
    TimelineBar,
    TimelineLane,
)
from deltaadm.render.changes import change_words, value_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deltaadm.operations.diff import Change
    from deltaadm.operations.history import HistoryEntry, HistoryReport, Origin
    from deltaadm.render.blocks import Block

_COLUMNS_SHOWN_ONE_BY_ONE: Final = 8
_COLUMNS_NAMED: Final = 4


def show_history(report: HistoryReport) -> Iterator[Block]:
    """The changes of a table, by commit."""
    yield Heading(f"history: {report.table} (up to version {report.last})", level=1)
    if not report.entries and report.stopped is None:
        yield Paragraph("No changes.")
    timeline = _timeline(report)
    if timeline is not None:
        yield PageOnly((timeline,))
    for entry in report.entries:
        yield from show_entry(entry)
    if report.stopped is not None:
        yield Heading("Stopped", tone="error")
        yield Paragraph(report.stopped, tone="error", nested=True)


def _timeline(report: HistoryReport) -> Timeline | None:
    """When the protocol had which versions and features, as far as the entries tell."""
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
        points.append(_point(entry.origin))
        states.append(dict(state))
    if not any(value is not None for value in states[0].values()):
        del points[0], states[0]
    places: dict[tuple[bool, str], list[str]] = {}  # a feature may be called like a version
    for subject, lane in lanes.items():
        if lane:
            places.setdefault((subject in _VERSIONS, lane), []).append(subject)
    title = f"The protocol of {report.table} from version to version"
    shown = (TimelineLane(lane, tuple(_bars(at, states))) for (_, lane), at in places.items())
    return Timeline(title, tuple(points), tuple(lane for lane in shown if lane.bars))


def _lane_of(change: Change) -> str:
    """The version or the feature of the protocol that a change is about; empty for others."""
    if change.subject in _VERSIONS:
        return _VERSIONS[change.subject]
    if change.subject.startswith(_FEATURES):
        return str(change.before or change.after)
    return ""


_VERSIONS: Final = {
    "protocol.minReaderVersion": "reader version",
    "protocol.minWriterVersion": "writer version",
}
_FEATURES: Final = ("protocol.readerFeatures[", "protocol.writerFeatures[")


def _point(origin: Origin) -> tuple[str, str]:
    """A version as short as an axis needs it, and its day."""
    day = "" if origin.timestamp is None else instant(origin.timestamp)[:10]
    return f"{'up to ' if origin.at_or_before else ''}v{origin.version}", day


def _bars(places: Sequence[str], states: Sequence[Mapping[str, Any]]) -> Iterator[TimelineBar]:
    """The periods in which one of *places* has a value; which one matters for versions alone."""
    start = 0
    for value, group in groupby(_value(places, state) for state in states):
        end = start + len(list(group))
        if value is not None:
            yield TimelineBar(value, start, end)
        start = end


def _value(places: Sequence[str], state: Mapping[str, Any]) -> str | None:
    value = next((state[place] for place in places if state[place] is not None), None)
    return None if value is None else str(value) if places[0] in _VERSIONS else ""


def show_entry(entry: HistoryEntry) -> Iterator[Block]:
    """The changes of one commit."""
    origin = entry.origin
    yield Heading(_title(origin))
    maker = made_by(origin)
    if maker:
        yield Paragraph(maker, nested=True)
    rows = tuple(change_rows(entry.changes))
    yield Changes(rows, (rows,))


def _title(origin: Origin) -> str:
    when = moment(origin.timestamp)
    if origin.at_or_before:
        return f"At or before version {origin.version} ({when})"
    what = f": {origin.operation}" if origin.operation else ""
    return f"Version {origin.version}, {when}{what}"


def moment(timestamp: int | None) -> str:
    """A time in UTC, as people write it."""
    return "time unknown" if timestamp is None else instant(timestamp).replace("T", " ")


def made_by(origin: Origin) -> str:
    """The author of a commit and the program used, as far as it names them."""
    who = f"by {origin.user}" if origin.user else ""
    return ", ".join(filter(None, (who, origin.engine)))


def change_rows(changes: Sequence[Change]) -> Iterator[ChangeRow]:
    """A row for each change; of many columns that come or go together, one with a few names."""
    alike: dict[ChangeKind, list[Change]] = {}
    listed = [change for change in changes if not _is_default_format(change)]
    for change in listed:
        if _is_column(change) and change.kind is not ChangeKind.SET:
            alike.setdefault(change.kind, []).append(change)
    for change in listed:
        group = alike.get(change.kind, ())
        if not _is_column(change) or len(group) <= _COLUMNS_SHOWN_ONE_BY_ONE:
            yield ChangeRow(change.kind.value, _words(change))
        elif change is group[0]:
            named = [entry.subject[len("schema[") : -1] for entry in group[:_COLUMNS_NAMED]]
            names = f"{', '.join(named)} and {len(group) - len(named)} more"
            text = f"{change.kind.value} schema: {len(group)} columns: {names}"
            yield ChangeRow(change.kind.value, text)


def _is_default_format(change: Change) -> bool:
    """Whether it is the only format that Delta knows, of a table that is new."""
    plain = {"provider": "parquet", "options": {}}
    return change.subject == "format" and change.before is None and change.after == plain


def _is_column(change: Change) -> bool:
    return change.subject.startswith("schema[")


def _words(change: Change) -> str:
    if change.subject in _NAMED and change.kind is not ChangeKind.SET:
        value = change.after if change.before is None else change.before
        return f"{change.kind.value} {change.subject} = {value_words(value)}"
    return change_words(change)


_NAMED: Final = ("id", "name")
"""Places whose value tells more than that there is one."""
