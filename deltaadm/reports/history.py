"""`history`: what has changed in a table, which versions can be restored, and who wrote them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain, groupby
from typing import Final, NamedTuple

from deltaadm.blocks import Block, ChangeRow, Changes, Command, Heading, Paragraph, Table, Timeline
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.domain.properties import Key
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.wire import CommitInfo, Writer, engine_of, instant, moment
from deltaadm.errors import some_of
from deltaadm.json_values import COUNT, STRINGS, Fields, array, maybe, one_of, record, within
from deltaadm.masking import masked, quoted_argument
from deltaadm.plans.diff import CHANGE, Change, ChangeKind, change_words, diff, value_words
from deltaadm.plans.plan import at_path
from deltaadm.reports.words import COLUMNS_SHOWN, WRITERS, counted, writer_table


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


def origin(snapshot: Snapshot, *, is_oldest: bool = False) -> Origin:
    """The origin of *snapshot*, the state after a commit, or the oldest one that the log has."""
    info = (None if is_oldest else snapshot.commit_info) or CommitInfo()
    return Origin(
        version=snapshot.version,
        timestamp=snapshot.timestamp,
        at_or_before=is_oldest,
        operation=info.operation,
        engine=engine_of(info.to_wire()) or None,
        user=info.user_name or info.user_id,
    )


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """
    The changes that one commit made to the table that the user calls `table`.

    `before` and `after` are the protocols, the first None where there was no table.
    """

    table: str
    origin: Origin
    changes: tuple[Change, ...]
    before: Protocol | None
    after: Protocol

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
            old = before.protocol if before.exists else None
            since = origin(after, is_oldest=after is base)
            yield HistoryEntry(table, since, found, old, after.protocol)


ORIGIN: Final[Fields] = {
    "version": COUNT,
    "at_or_before": bool,
    "timestamp": maybe(int),
    "operation": maybe(str),
    "engine": maybe(str),
    "user": maybe(str),
}
"""The parts of where a change comes from."""

SECTIONED_CHANGES: Final = array(record(section=(one_of(Section), section_of), **CHANGE))
"""Changes, each with what it is about."""

ENTRY: Final[Fields] = {**within("origin", ORIGIN), "changes": SECTIONED_CHANGES}
"""The parts of an entry."""

HISTORY_ENTRY_DOCUMENT: Final = Document.of("A line of `history -o jsonl`", table=str, **ENTRY)


HISTORY_DOCUMENT: Final = Document.of(
    "The output of `history`",
    table=str,
    location=str,
    last_version=(COUNT, lambda report: report.last),
    sections=array(one_of(Section)),
    entries=array(record(**ENTRY)),
    stopped=maybe(str),
)


def show_history(report: HistoryReport) -> Iterator[Block]:
    """The changes of a table, by commit."""
    yield Heading(f"history: {report.table} (up to version {report.last})", level=1)
    if not report.entries and report.stopped is None:
        yield Paragraph("No changes.")
    timeline = _timeline(report)
    if timeline is not None:
        yield timeline
    for entry in report.entries:
        yield from show_entry(entry)
    if report.stopped is not None:
        yield Heading("Stopped", tone="error")
        yield Paragraph(report.stopped, tone="error", nested=True)


def _timeline(report: HistoryReport) -> Timeline | None:
    """What held when; None where changes of the protocol were not asked for, or there are none."""
    changed = [entry for entry in report.entries if entry.before != entry.after]
    if not changed or not {Section.PROTOCOL, Section.FEATURES}.issubset(report.sections):
        return None
    points, states = [("earlier", "")], [changed[0].before]
    for entry in changed:
        at, stamp = entry.origin, entry.origin.timestamp
        # A version as short as an axis needs it, and its day.
        version = f"{'up to ' if at.at_or_before else ''}v{at.version}"
        points.append((version, "" if stamp is None else instant(stamp)[:10]))
        states.append(entry.after)
    shown = [(point, of) for point, of in zip(points, states, strict=True) if of is not None]
    known = [protocol.names for _, protocol in shown]
    lanes: dict[str, list[str | None]] = {
        "reader version": [str(protocol.min_reader_version) for _, protocol in shown],
        "writer version": [str(protocol.min_writer_version) for _, protocol in shown],
    }
    for name in sorted(frozenset().union(*known)):
        lanes[masked(name)] = ["" if name in names else None for names in known]
    title = f"The protocol of {report.table} from version to version"
    drawn = tuple((lane, tuple(_bars(values))) for lane, values in lanes.items())
    return Timeline(title, tuple(point for point, _ in shown), drawn)


def _bars(values: Iterable[str | None]) -> Iterator[tuple[str, int, int]]:
    """The periods with the same value, of which there is one at each point."""
    start = 0
    for value, group in groupby(values):
        end = start + len(list(group))
        if value is not None:
            yield value, start, end
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
            named = some_of(entry.name for entry in group)
            text = f"{kind.value} schema: {counted(len(group), 'column')}: {named}"
        elif change.subject in ("id", "name") and kind is not ChangeKind.SET:
            # Their value tells more than that there is one.
            value = change.after if change.before is None else change.before
            text = f"{kind.value} {change.subject} = {value_words(value)}"
        else:
            text = change_words(change)
        yield ChangeRow(kind.value, text)


# `--restorable`: which versions can still be read and restored, and until when


class Span(NamedTuple):
    """
    Versions from `first` to `last` of which the same is true.

    `opened` says whether all their files are there, None where some are outside the table and
    nobody looked; `allowed` whether they are newer than the retention of deleted files, `ending`
    whether VACUUM would take files that they need.
    """

    first: int
    last: int
    opened: bool | None
    allowed: bool
    ending: bool

    @property
    def restorable(self) -> bool | None:
        """Whether Delta Spark reads and restores these versions; None where nobody knows."""
        return self.opened if self.allowed else False


class Clone(NamedTuple):
    """A table that needs so many files of this one, and how many of them VACUUM would take."""

    table: str
    files: int
    ending: int


@dataclass(frozen=True, kw_only=True)
class RestorableReport:
    """
    The versions of a table that its log can rebuild, and what is left of their files.

    `live` are the files of the newest version that are there, `history` those that only older
    versions need, `vacuum` those that VACUUM would take. In milliseconds since the epoch,
    `cleaned_at` is when a checkpoint may first end versions before `cleaned_to`, `allowed_until`
    when the oldest allowed version ceases to be that, `vacuum_at` when VACUUM can take more; None
    for never. `outside` counts files outside the table, `missing` those that are not where they
    should be. `unread` says why tables in which clones were looked for could not be read.
    """

    table: str
    location: str
    name: str | None
    spans: tuple[Span, ...]
    live: FileFacts
    history: FileFacts
    vacuum: FileFacts
    missing: int
    outside: int
    cleaned_at: int | None
    cleaned_to: int | None
    allowed_until: int | None
    vacuum_at: int | None
    clones: tuple[Clone, ...] | None
    unread: tuple[str, ...]

    document = "restorable"
    blocks = "deltaadm.reports.history.show_restorable"

    @property
    def restore(self) -> str | None:
        """The statement that restores the newest version that can be, besides the last one."""
        last = self.spans[-1].last
        found = [min(of.last, last - 1) for of in self.spans if of.restorable and of.first < last]
        name = self.name or at_path(self.location)
        return f"RESTORE TABLE {name} TO VERSION AS OF {found[-1]}" if found else None


_FILES: Final = record(files=COUNT, bytes=COUNT)
_SPAN: Final = record(
    first=COUNT, last=COUNT, restorable=maybe(bool), opened=maybe(bool), allowed=bool, ending=bool
)
RESTORABLE_DOCUMENT: Final = Document.of(
    "The output of `history --restorable`",
    table=str,
    location=str,
    versions=(array(_SPAN), lambda report: report.spans),
    live=_FILES,
    history=_FILES,
    vacuum=_FILES,
    missing=COUNT,
    outside=COUNT,
    cleaned_at=maybe(int),
    cleaned_to=maybe(COUNT),
    allowed_until=maybe(int),
    vacuum_at=maybe(int),
    clones=maybe(array(record(table=str, files=COUNT, ending=COUNT))),
    unread=STRINGS,
    restore=maybe(str),
)


def show_restorable(report: RestorableReport) -> Iterator[Block]:
    """Which versions can be restored, what limits them, and the statement."""
    spans, vacuum = report.spans, report.vacuum

    def those(test: Callable[[Span], object]) -> str:
        return _versions(of for of in spans if test(of)) or "none"

    rows = [("restorable", those(lambda of: of.restorable))]
    if any(of.restorable is None for of in spans):
        where = f"{counted(report.outside, 'file')} outside the table"
        unknown = those(lambda of: of.restorable is None)
        rows.append(("not known", f"{unknown}; {where}, where --discover DIRECTORY looks"))
    cleaned = ""
    if report.cleaned_at is not None and report.cleaned_to is not None:
        ended = _versions([Span(spans[0].first, report.cleaned_to - 1, True, True, True)])
        cleaned = f"; log cleanup can end {ended} from {moment(report.cleaned_at)} on"
    rows.append(("described", f"{those(lambda _: True)}{cleaned}"))
    gone = f"; {counted(report.missing, 'file')} missing" if report.missing else ""
    rows.append(("opened", f"{those(lambda of: of.opened)}{gone}"))
    until = ""
    if report.allowed_until is not None:
        oldest = next(of for of in spans if of.allowed).first
        until = f", {oldest} until {moment(report.allowed_until)}"
    rows.append(("allowed", f"{those(lambda of: of.allowed)}, by Delta Spark 4.1 or newer{until}"))
    rows.append(("files", f"{report.live}; history holds {report.history} more"))
    ends = _versions(of for of in spans if of.ending)
    effect = f", which ends {ends}" if ends else ""
    later = f"; more from {moment(report.vacuum_at)} on" if report.vacuum_at is not None else ""
    rows.append(("VACUUM", f"takes {vacuum if vacuum.files else 'nothing'} now{effect}{later}"))
    for clone in report.clones or ():
        takes = f"; VACUUM takes {clone.ending}" if clone.ending else ""
        rows.append(
            ("clone", f"{clone.table} needs {counted(clone.files, 'file')} of this table{takes}")
        )
    if report.clones == ():
        rows.append(("clone", "none among the tables looked into"))
    yield Heading(f"restorable: {report.table} (newest version {spans[-1].last})", level=1)
    yield Table("Versions", (), tuple(rows), plain=True)
    for reason in report.unread:
        yield Paragraph(f"Not looked into: {reason}", tone="warning")
    if report.restore is None:
        yield Paragraph("No older version is known to be restorable.", tone="warning")
        return
    yield Paragraph(
        "RESTORE brings back rows, schema and properties, but the protocol keeps its features; "
        f"deltaadm undo {quoted_argument(report.table)} plans the inverse of such a change."
    )
    yield Command(report.restore, "to restore")


def _versions(spans: Iterable[Span]) -> str:
    """The versions in words, those that follow each other together."""
    joined: list[tuple[int, int]] = []
    for of in spans:
        first = joined.pop()[0] if joined and joined[-1][1] == of.first - 1 else of.first
        joined.append((first, of.last))
    return some_of(f"{a}" if a == b else f"{a} to {b}" for a, b in joined)


# `--by-client`: who wrote the table


@dataclass(frozen=True)
class WritersReport:
    """Who wrote a table, or those of its commits that were asked for, the newest first."""

    table: str
    location: str
    writers: tuple[Writer, ...]

    document = "writers"
    blocks = "deltaadm.reports.history.show_writers"


WRITERS_DOCUMENT: Final = Document.of(
    "The output of `history --by-client`", table=str, location=str, writers=WRITERS
)


def show_writers(report: WritersReport) -> Iterator[Block]:
    """The writers of a table."""
    commits = counted(sum(writer.commits for writer in report.writers), "commit")
    yield Heading(f"history: {report.table} ({commits}, by client)", level=1)
    if report.writers:
        yield writer_table(report.writers)
    yield Paragraph("The log has no trace of clients that only read.", nested=True)
