"""Who wrote a table: in `inspect` as far as that is at hand, in `history --by-client` all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deltaadm.blocks import Heading, Paragraph, Table
from deltaadm.clients import ClientRelease, identified
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.domain.wire import second
from deltaadm.json_values import COUNT, INTEGER, STRING, STRINGS, array, maybe, record
from deltaadm.reports.words import counted, some_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from deltaadm.blocks import Block
    from deltaadm.domain.wire import Writer


@dataclass(frozen=True)
class WritersReport:
    """Who wrote a table, or those of its commits that were asked for, the newest first."""

    table: str
    location: str
    writers: tuple[Writer, ...]

    document = "writers"
    blocks = "deltaadm.reports.writers.show_writers"


def writer_name(engine: str) -> str:
    """The client that calls itself *engine*, with its release, or else what it calls itself."""
    client, version = identified(engine)
    release = ClientRelease(client, version) if client and version else None
    return str(release or engine or "(not recorded)")


WRITERS: Final = array(
    record(
        engine=(maybe(STRING), lambda writer: writer.engine or None),
        client=(maybe(STRING), lambda writer: (of := identified(writer.engine)[0]) and of.id),
        version=(maybe(STRING), lambda writer: identified(writer.engine)[1] or None),
        commits=COUNT,
        first=maybe(INTEGER),
        last=maybe(INTEGER),
        operations=STRINGS,
        applications=STRINGS,
    )
)
"""What a table's writers are in documents."""

WRITERS_DOCUMENT: Final = Document.of(
    "The output of `history --by-client`", table=STRING, location=STRING, writers=WRITERS
)


def show_writers(report: WritersReport) -> Iterator[Block]:
    """The writers of a table."""
    commits = counted(sum(writer.commits for writer in report.writers), "commit")
    yield Heading(f"history: {report.table} ({commits}, by client)", level=1)
    if report.writers:
        yield writer_table(report.writers)
    yield Paragraph("The log has no trace of clients that only read.", nested=True)


def writer_table(writers: Iterable[Writer]) -> Table:
    """A row for each of *writers*."""
    rows = ((name, str(of.commits), last, what) for of, name, last, what in _told(writers))
    return Table("Writers", ("WRITER", "COMMITS", "LAST (UTC)", "OPERATIONS"), tuple(rows))


def writers_in_brief(writers: Iterable[Writer]) -> str:
    """The *writers* in a line, each with the time at which it wrote last, and what it does."""
    shown = (f"{name}, {last}: {what or 'unknown'}" for _, name, last, what in _told(writers))
    return some_of(shown, 3, "; ")


def _told(writers: Iterable[Writer]) -> Iterator[tuple[Writer, str, str, str]]:
    for writer in writers:
        last = "unknown" if writer.last is None else second(writer.last)[:16].replace("T", " ")
        streams = f"stream {some_of(writer.applications, 2)}" if writer.applications else ""
        what = ", ".join(filter(None, (some_of(writer.operations), streams)))
        yield writer, writer_name(writer.engine), last, what
