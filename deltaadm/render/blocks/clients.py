"""Blocks of what clients support: a matrix of all, or the facts about one."""

from __future__ import annotations

from deltaadm.render.blocks import Heading, Items, Matrix, Paragraph, Table
from deltaadm.render.wording import DOES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Final

    from deltaadm.clients import Verdict
    from deltaadm.operations.client_catalogue import (
        ClientCatalogue,
        ClientExplanation,
        ClientFact,
        Support,
    )
    from deltaadm.operations.inspect import TableReport
    from deltaadm.render.blocks import Block

_MARKS: Final = {
    "works": ("r", "w"),
    "fails loudly": ("-", "-"),
    "silently wrong": ("!", "!"),
    "unknown": ("?", "?"),
}
_TONES: Final = {
    "works": "good",
    "unknown": "info",
    "fails loudly": "warning",
    "silently wrong": "error",
}
_ORDER: Final = tuple(_TONES)
"""The kinds of verdicts, the worst last."""
LEGEND: Final = (
    "r reads, w writes, - cannot, ! wrong data silently, ? unknown, . not concerned; the first "
    "mark is for reading, the second for writing."
)


def _cell(read: str | None, write: str | None) -> tuple[str, str]:
    """The marks of two kinds of verdicts, None where one is not concerned, and their tone."""
    kinds = [kind for kind in (read, write) if kind is not None]
    tone = _TONES[max(kinds, key=_ORDER.index)] if kinds else ""
    marks = (
        "." if read is None else _MARKS[read][0],
        "." if write is None else _MARKS[write][1],
    )
    return "".join(marks), tone


def _kind(verdict: Verdict | None) -> str | None:
    return None if verdict is None else verdict.compatibility.value


def table_matrix(report: TableReport) -> Matrix:
    """A matrix of clients by the versions and features of a table."""
    by_client: dict[str, dict[str, dict[str, str]]] = {}
    subjects: dict[str, None] = {}
    for verdict in report.clients:
        cells = by_client.setdefault(str(verdict.release), {}).setdefault(verdict.access.value, {})
        cells[_ALL] = verdict.compatibility.value
        for cell in verdict.cells:
            subject = "versions" if cell.subject.startswith("protocol.") else cell.subject
            subjects[subject] = None
            # Both versions share a column, which shows the worse of them.
            worst = cells.get(subject, "works")
            cells[subject] = max(worst, cell.compatibility.value, key=_ORDER.index)
    columns = (_ALL, *sorted(subjects, key=lambda name: (name != "versions", name)))
    rows = tuple(
        (
            client,
            tuple(
                _cell(cells.get("read", {}).get(column), cells.get("write", {}).get(column))
                for column in columns
            ),
        )
        for client, cells in by_client.items()
    )
    return Matrix("Clients", columns, rows, LEGEND)


_ALL: Final = "table"


def show_clients(report: ClientCatalogue) -> Iterator[Block]:
    """A matrix of clients by features."""
    yield Heading("Clients", level=1, page_only=True)
    yield _feature_matrix(report.clients)


def _feature_matrix(clients: Iterable[Support]) -> Matrix:
    # Features stand below one another: there are more of them than a terminal is wide.
    shown = tuple(clients)
    rows = tuple(
        (
            name,
            tuple(
                _cell(_kind(support.reads.get(name)), _kind(support.writes.get(name)))
                for support in shown
            ),
        )
        for name in shown[0].writes
    )
    return Matrix("Clients", tuple(str(support.release) for support in shown), rows, LEGEND)


def show_client(report: ClientExplanation) -> Iterator[Block]:
    """The facts about a client."""
    release = report.support.release
    client = release.client
    yield Heading(f"{client.name} ({client.id if report.every_release else release})", level=1)
    yield Table(client.name, (), tuple(_releases(report)))
    if client.reference_since:
        yield Paragraph(
            f"From release {client.reference_since} on, deltaadm reproduces what the program "
            "itself refuses, and needs no facts.",
        )
    if report.facts:
        yield Heading("Facts")
        columns = ("to", "protocol", "does", "releases", "note", "source")
        sources = tuple(dict.fromkeys(map(_source, report.facts)))
        rows = (
            (*_fact_cells(fact), f"[{sources.index(_source(fact)) + 1}]") for fact in report.facts
        )
        yield Table("Facts", columns, tuple(rows))
        yield Heading("Sources")
        yield Items(tuple(f"[{number}] {source}" for number, source in enumerate(sources, 1)))
    yield Heading("Table features")
    groups = tuple(_groups(report.support))
    yield Table("Table features", (), groups)


def _releases(report: ClientExplanation) -> Iterator[tuple[str, str]]:
    client = report.support.release.client
    if client.versioned_by == "days":
        yield "releases", "none: a service"
        yield "facts of", client.newest
    else:
        yield "versions are", client.versioned_by
        yield "known", f"{client.oldest} to {client.newest}"


def _source(entry: ClientFact) -> str:
    source = entry.fact.source
    return f"{source.title} ({source.date})"


def _fact_cells(entry: ClientFact) -> tuple[str, ...]:
    access, fact = entry.access.value, entry.fact
    subjects = ", ".join(entry.subjects)
    subjects = "every other feature" if subjects == "*" else subjects
    subjects += " in use" if getattr(fact, "active", False) else ""
    subjects += " in a list" if getattr(fact, "listed", False) else ""
    return (
        access,
        subjects,
        DOES[entry.compatibility.value][access],
        _span(fact.since, fact.until),
        fact.note,
    )


def _span(since: str, until: str) -> str:
    if since and until:
        return f"{since} up to, without, {until}"
    return f"since {since}" if since else f"before {until}" if until else "all"


def _groups(support: Support) -> Iterator[tuple[str, str]]:
    """The features by what the client does with them, the best first."""
    for access, verdicts in (("read", support.reads), ("write", support.writes)):
        for kind, does in DOES.items():
            names = [
                name for name, verdict in verdicts.items() if verdict.compatibility.value == kind
            ]
            if names:
                yield does[access], ", ".join(names)
