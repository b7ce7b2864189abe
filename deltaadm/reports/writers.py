"""Who wrote a table: in `inspect` as far as that is at hand, in `history --by-client` all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deltaadm.blocks import Heading, Paragraph, Table
from deltaadm.clients import ClientRelease, identified
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.json_values import COUNT, INTEGER, STRING, STRINGS, array, maybe, record
from deltaadm.reports.words import some_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from deltaadm.blocks import Block
    from deltaadm.domain.writers import Writer


@dataclass(frozen=True, kw_only=True)
class WritersReport:
    """The writers of the commits from version `first` to `last`, None where there are none."""

    table: str
    location: str
    first: int | None
    last: int | None
    writers: tuple[Writer, ...]

    document = "writers"
    blocks = "deltaadm.reports.writers.show_writers"


def writer_name(writer: Writer) -> str:
    """The client and its release, or else what the writer calls itself."""
    client, version = identified(writer.engine)
    return (
        str(ClientRelease(client, version)) if client and version else writer.engine or "(not told)"
    )


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
    "The output of `history --by-client`",
    table=STRING,
    location=STRING,
    first_version=(maybe(COUNT), lambda report: report.first),
    last_version=(maybe(COUNT), lambda report: report.last),
    writers=WRITERS,
)


def show_writers(report: WritersReport) -> Iterator[Block]:
    """The writers of a table."""
    which = f"version {report.first} to {report.last}" if report.writers else "no commits"
    yield Heading(f"history: {report.table} ({which}, by client)", level=1)
    if report.writers:
        yield writer_table(report.writers)
    yield Paragraph("The log has no trace of clients that only read.", nested=True)


def writer_table(writers: Iterable[Writer], others: Iterable[str] = ()) -> Table:
    """A row for each of *writers*, and one for the *others* among the streams that have written."""
    from deltaadm.domain.instants import second  # slow to import

    rows = []
    for writer in writers:
        last = "unknown" if writer.last is None else second(writer.last)[:16].replace("T", " ")
        streams = f"stream {some_of(writer.applications, 2)}" if writer.applications else ""
        what = "; ".join(filter(None, (some_of(writer.operations), streams)))
        rows.append((writer_name(writer), str(writer.commits), last, what))
    seen = {name for writer in writers for name in writer.applications}
    if earlier := [name for name in others if name not in seen]:
        rows.append(("(earlier)", "", "", f"stream {some_of(earlier, 2)}"))
    return Table("Writers", ("WRITER", "COMMITS", "LAST (UTC)", "OPERATIONS"), tuple(rows))
