"""`history --restorable`: which versions can still be read and restored, and until when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from deltaadm.blocks import Block, Command, Heading, Paragraph, Table
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.domain.snapshot import FileFacts
from deltaadm.domain.wire import moment
from deltaadm.json_values import BOOLEAN, COUNT, INTEGER, STRING, STRINGS, array, maybe, record
from deltaadm.plans.plan import at_path
from deltaadm.plans.undo import quoted
from deltaadm.reports.words import counted, some_of


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
    blocks = "deltaadm.reports.restorable.show_restorable"

    @property
    def restore(self) -> str | None:
        """The statement that restores the newest version that can be, besides the last one."""
        last = self.spans[-1].last
        found = [min(of.last, last - 1) for of in self.spans if of.restorable and of.first < last]
        name = self.name or at_path(self.location)
        return f"RESTORE TABLE {name} TO VERSION AS OF {found[-1]}" if found else None


_FILES: Final = record(files=COUNT, bytes=COUNT)
_SPAN: Final = record(
    first=COUNT,
    last=COUNT,
    restorable=maybe(BOOLEAN),
    opened=maybe(BOOLEAN),
    allowed=BOOLEAN,
    ending=BOOLEAN,
)
RESTORABLE_DOCUMENT: Final = Document.of(
    "The output of `history --restorable`",
    table=STRING,
    location=STRING,
    versions=(array(_SPAN), lambda report: report.spans),
    live=_FILES,
    history=_FILES,
    vacuum=_FILES,
    missing=COUNT,
    outside=COUNT,
    cleaned_at=maybe(INTEGER),
    cleaned_to=maybe(COUNT),
    allowed_until=maybe(INTEGER),
    vacuum_at=maybe(INTEGER),
    clones=maybe(array(record(table=STRING, files=COUNT, ending=COUNT))),
    unread=STRINGS,
    restore=maybe(STRING),
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
        yield Paragraph("No version but the newest one is known to be restorable.", tone="warning")
        return
    yield Paragraph(
        "RESTORE brings back rows, schema and properties, but the protocol keeps its features; "
        f"deltaadm undo {quoted(report.table)} plans the inverse of such a change."
    )
    yield Command(report.restore, "to restore")


def _versions(spans: Iterable[Span]) -> str:
    """The versions in words, those that follow each other together."""
    joined: list[tuple[int, int]] = []
    for of in spans:
        first = joined.pop()[0] if joined and joined[-1][1] == of.first - 1 else of.first
        joined.append((first, of.last))
    return some_of(f"{a}" if a == b else f"{a} to {b}" for a, b in joined)
