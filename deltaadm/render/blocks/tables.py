"""Blocks of the report on a table, of the overview of many, and of a failure."""

from __future__ import annotations

from deltaadm.domain.model.instants import instant
from deltaadm.domain.model.schema import path_text
from deltaadm.render.blocks import (
    Cards,
    Command,
    ErrorMessage,
    Graph,
    Heading,
    Items,
    PageOnly,
    Table,
)
from deltaadm.render.wording import DOES, grouped, overview_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Final

    from deltaadm.clients import ClientRelease
    from deltaadm.domain.model.protocol import Protocol
    from deltaadm.operations.inspect import TableReport
    from deltaadm.operations.reports import Failure, FleetSummary
    from deltaadm.render.blocks import Block
    from deltaadm.validation.finding import Finding


def show_table(report: TableReport) -> Iterator[Block]:
    """The description of a table."""
    yield Heading(report.table, level=1)
    yield Cards(tuple(_cards(report)))
    yield Table("Table", (), tuple(_facts(report)))
    yield Heading("Protocol")
    yield Table("Protocol", (), tuple(_protocol_rows(report)))
    if report.features:
        yield Heading("Features")
        yield PageOnly((Graph(report),))
        yield feature_table(report)
    yield Heading("Column mapping")
    yield Table("Column mapping", (), tuple(_mapping_rows(report)))
    if report.mapping.columns is not None:
        yield Table("Columns", _COLUMN_TITLES, tuple(_column_rows(report)))
    configuration = report.snapshot.metadata.configuration
    if configuration:
        yield Heading("Properties")
        rows = tuple(sorted(configuration.items()))
        yield Table("Properties", ("property", "value"), rows, plain=True)
    if report.snapshot.files is not None:
        yield Heading("Files")
        yield Table("Files", (), tuple(_file_rows(report)))
    if report.clients:
        yield Heading("Clients")
        yield _clients(report)
    if report.warnings:
        yield Heading("Warnings", tone="warning")
        yield Items(report.warnings, mark="!")
    if report.advises:
        yield from _advice(report)


def _cards(report: TableReport) -> Iterator[tuple[str, str, str]]:
    protocol = report.snapshot.protocol
    versions = f"reader {protocol.min_reader_version}, writer {protocol.min_writer_version}"
    yield "protocol", versions, ""
    active = sum(feature.active for feature in report.features)
    yield "features", f"{len(report.features)}, {active} active", ""
    reading = [
        verdict.compatibility.value for verdict in report.clients if verdict.access.value == "read"
    ]
    if reading:
        wrong = reading.count("silently wrong")
        words = f"{reading.count('works')} of {len(reading)} can read"
        yield "clients", f"{words}, {wrong} wrong" if wrong else words, "error" if wrong else ""
    if report.warnings:
        yield "warnings", str(len(report.warnings)), "warning"


def _advice(report: TableReport) -> Iterator[Block]:
    from deltaadm.operations.advice import advice_on

    given = advice_on(report)
    if given:
        yield Heading("Advice")
    for advice in given:
        yield Items((advice.text,))
        yield Command(advice.command)


def _clients(report: TableReport) -> Block:
    if report.client_view.value == "matrix":
        from deltaadm.render.blocks.clients import table_matrix

        return table_matrix(report)
    if report.client_view.value == "summary":
        return Table("Clients", (), tuple(_client_rows(report)))
    columns = ("client", "access", "verdict", "subject", "source")
    return Table("Clients", columns, tuple(_client_cells(report)), plain=True)


def feature_table(report: TableReport) -> Table:
    """The features of a table with their state."""
    columns = ("feature", "kind", "support", "activity", "because")
    return Table("Features", columns, tuple(_feature_rows(report)), plain=True)


def feature_blocks(report: TableReport, findings: tuple[Finding, ...]) -> PageOnly:
    """The features of a table that was validated, beside the *findings* about them."""
    graph = Graph(report, findings)
    shown = (Heading("Features"), graph, feature_table(report)) if report.features else ()
    return PageOnly(shown)


def show_failure(report: Failure) -> Iterable[Block]:
    """The error in the place of a report."""
    return [ErrorMessage(report.table, report.error.message, report.error.remedy)]


def show_overview(report: FleetSummary) -> Iterator[Block]:
    """The summary of the tables of a run."""
    yield Heading(overview_title(report), level=1)
    for heading, items in report.sections:
        yield Heading(heading)
        if any((heading, item) in report.places for item, _ in items):
            cells = ((str(count), item, _places(report, heading, item)) for item, count in items)
            yield Table(heading, ("tables", "", "which"), tuple(cells), plain=True)
        else:
            rows = tuple((str(count), item) for item, count in items)
            yield Table(heading, ("tables", ""), rows, plain=True)


def _places(report: FleetSummary, heading: str, item: str) -> str:
    """The first tables that an item is true of, and how many more there are."""
    named = report.places.get((heading, item), ())
    count = dict(dict(report.sections)[heading])[item]
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return f"{', '.join(named)}{more}"


# What it says in words


def _moment(timestamp: int | None) -> str:
    """A time in UTC, as people write it."""
    return "unknown" if timestamp is None else instant(timestamp).replace("T", " ")


def _facts(report: TableReport) -> Iterable[tuple[str, str]]:
    """The name of the table."""
    snapshot, metadata = report.snapshot, report.snapshot.metadata
    yield "location", snapshot.root
    yield "id", metadata.id or "none"
    if metadata.name:
        yield "name", metadata.name
    if metadata.description:
        yield "comment", metadata.description
    yield "version", str(snapshot.version)
    yield "time", _moment(snapshot.timestamp)
    if metadata.partition_columns:
        yield "partitioned by", ", ".join(metadata.partition_columns)
    if report.clustering_columns:
        yield "clustered by", ", ".join(map(path_text, report.clustering_columns))


def _protocol_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """The protocol, and how much of it is needed."""
    protocol = report.snapshot.protocol
    yield "as written", _protocol_words(protocol)
    if report.minimum_protocol is not None:
        yield "minimum for this metadata", _protocol_words(report.minimum_protocol)
    if report.classic_minimum_versions is not None:
        reader, writer = report.classic_minimum_versions
        yield "legacy minimum (no table features)", f"reader {reader}, writer {writer}"
    if report.lowest_equivalent_protocol is not None:
        yield "lowest equivalent", _protocol_words(report.lowest_equivalent_protocol)
    yield "not needed", _not_needed(report)
    reads = "yes" if report.refused_to_read is None else "no"
    writes = "yes" if report.refused_to_write is None else "no"
    yield "Delta Spark 4.4", f"reads: {reads}, writes: {writes}"


def _not_needed(report: TableReport) -> str:
    """The features that nothing uses, and those of which that is not known."""
    text = ", ".join(report.slack) or "nothing"
    if not report.possible_slack:
        return text
    where = "without --files" if report.snapshot.files is None else "from the log"
    return f"{text}; not known {where}: {', '.join(report.possible_slack)}"


def _protocol_words(protocol: Protocol) -> str:
    """Versions and features in a line."""
    text = f"reader {protocol.min_reader_version}, writer {protocol.min_writer_version}"
    for what, names in (
        ("reader features", protocol.reader_features),
        ("writer features", protocol.writer_features),
    ):
        if names is not None:
            text += f", {what}: {', '.join(sorted(names)) or 'none'}"
    return text


def _feature_rows(report: TableReport) -> Iterable[tuple[str, ...]]:
    """Name, kind, support, activity and reasons of each feature."""
    words = {"explicit": "listed", "implicit": "implied", None: "NOT SUPPORTED"}
    for feature in report.features:
        yield (
            feature.name,
            feature.feature.kind.value if feature.feature else "unknown",
            words[feature.supported],
            "active" if feature.active else "not active",
            "; ".join(feature.because),
        )


def _mapping_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """The mapping of columns."""
    mapping = report.mapping
    yield "mode", mapping.mode
    yield "supported", "yes" if mapping.supported else "no"
    if mapping.max_column_id is not None:
        yield "highest column id", str(mapping.max_column_id)


_COLUMN_TITLES: Final = ("id", "column", "type", "physical name")


def _column_rows(report: TableReport) -> Iterable[tuple[str, ...]]:
    """Id, path, type and physical name of each column, if they were asked for."""
    for column in report.mapping.columns or ():
        number = "" if column.id is None else str(column.id)
        yield (number, column.path, column.type, column.physical_name)


def _file_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """The number of live files; nothing if they were not counted."""
    files = report.snapshot.files
    if files is not None:
        yield "files", f"{files.files} ({files.bytes} bytes)"
        yield "with deletion vectors", str(files.with_deletion_vector)
        yield "without statistics", str(files.without_stats)
        if report.snapshot.protocol.supports("rowTracking"):
            yield "without row ids", str(files.without_base_row_id)


def _client_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """The clients that can and that cannot, with causes; no client twice for the same cause."""
    listed: set[tuple[ClientRelease, str]] = set()
    for access in ("read", "write"):
        for kind, does in DOES.items():
            verdicts = [
                verdict
                for verdict in report.clients
                if (verdict.access.value, verdict.compatibility.value) == (access, kind)
                and (kind == "works" or (verdict.release, kind) not in listed)
            ]
            listed |= {(verdict.release, kind) for verdict in verdicts}
            if verdicts:
                yield does[access], grouped(verdicts)


def _client_cells(report: TableReport) -> Iterable[tuple[str, ...]]:
    """Client, access, verdict, subject and source of everything that decided."""
    for verdict in report.clients:
        shown = verdict.responsible or verdict.cells
        for cell in shown:
            notes = [cell.note] if cell.note else []
            notes += [f"{cell.source.title}, {cell.source.date}"] if cell.source else []
            yield (
                str(verdict.release),
                verdict.access.value,
                DOES[verdict.compatibility.value][verdict.access.value],
                cell.subject,
                "; ".join(notes),
            )
