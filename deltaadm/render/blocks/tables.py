"""What is said of a table, of many, and of a table that cannot be loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.render.blocks import (
    ErrorMessage,
    Graph,
    Heading,
    Items,
    PageOnly,
    Table,
)
from deltaadm.render.wording import (
    COLUMN_TITLES,
    client_cells,
    client_rows,
    column_rows,
    facts,
    feature_rows,
    file_rows,
    mapping_rows,
    overview_title,
    protocol_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from deltaadm.operations.inspect import TableReport
    from deltaadm.operations.reports import Failure, Overview
    from deltaadm.render.blocks import Block
    from deltaadm.validation.finding import Finding


def _table(report: TableReport) -> Iterator[Block]:
    yield Heading(report.table, level=1)
    yield Table("Table", (), tuple(facts(report)))
    yield Heading("Protocol")
    yield Table("Protocol", (), tuple(protocol_rows(report)))
    if report.features:
        yield Heading("Features")
        yield PageOnly((Graph(report),))
        yield feature_table(report)
    yield Heading("Column mapping")
    yield Table("Column mapping", (), tuple(mapping_rows(report)))
    if report.mapping.columns is not None:
        yield Table("Columns", COLUMN_TITLES, tuple(column_rows(report)))
    configuration = report.snapshot.metadata.configuration
    if configuration:
        yield Heading("Properties")
        rows = tuple(sorted(configuration.items()))
        yield Table("Properties", ("property", "value"), rows, plain=True)
    if report.snapshot.files is not None:
        yield Heading("Files")
        yield Table("Files", (), tuple(file_rows(report)))
    if report.clients:
        yield Heading("Clients")
        yield _clients(report)
    if report.warnings:
        yield Heading("Warnings", tone="warning")
        yield Items(report.warnings, mark="!")


def _clients(report: TableReport) -> Table:
    if not report.every_client:
        return Table("Clients", (), tuple(client_rows(report)))
    columns = ("client", "access", "verdict", "subject", "source")
    return Table("Clients", columns, tuple(client_cells(report)), plain=True)


def feature_table(report: TableReport) -> Table:
    """The features of a table with their state."""
    columns = ("feature", "kind", "support", "activity", "because")
    return Table("Features", columns, tuple(feature_rows(report)), plain=True)


def feature_blocks(report: TableReport, findings: tuple[Finding, ...]) -> PageOnly:
    """The features of a table that was validated, beside the *findings* about them."""
    graph = Graph(report, findings)
    shown = (Heading("Features"), graph, feature_table(report)) if report.features else ()
    return PageOnly(shown)


def _failure(report: Failure) -> Iterable[Block]:
    return [ErrorMessage(report.table, report.error.message, report.error.remedy)]


def _overview(report: Overview) -> Iterator[Block]:
    yield Heading(overview_title(report), level=1)
    for heading, items in report.sections:
        yield Heading(heading)
        rows = tuple((str(count), item) for item, count in items)
        yield Table(heading, ("tables", ""), rows, plain=True)


BLOCKS: Final[Mapping[str, Callable[[Any], Iterable[Block]]]] = {
    "TableReport": _table,
    "Failure": _failure,
    "Overview": _overview,
}
"""What makes the blocks of each kind of report that this module knows."""
