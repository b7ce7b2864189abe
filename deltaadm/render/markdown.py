"""Reports as Markdown, for the summary of a CI job or a comment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from deltaadm.render.blocks import (
    Command,
    Graph,
    Heading,
    Items,
    Paragraph,
    Prose,
    Table,
    page_blocks,
)
from deltaadm.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TextIO

    from deltaadm.operations.reports import Report

_MARKS = {"error": "❌ ", "warning": "⚠️ ", "info": "ℹ️ ", "good": "✅ "}  # noqa: RUF001
_JOINER = "&#8288;"
"""Not to be seen, but what stands on both sides of it makes no address and no mention."""
_SPECIAL = re.compile(
    r"""[]\\`*_{}[<>|~#!$^@&]   # emphasis, links, HTML, tables, mentions, references, formulas
    | :(?=\S)                   # addresses, emoji
    | (?<=www)\.                # addresses
    | ^[0-9](?=[0-9]*[.)]) | ^[-+=]   # lists, headings
    """,
    re.VERBOSE | re.IGNORECASE,
)


def write_markdown(reports: Sequence[Report], out: TextIO) -> None:
    """Write each report under a heading of its own."""
    for number, report in enumerate(reports):
        if number:
            out.write("\n")
        out.write("\n\n".join(filter(None, map(_block, page_blocks(report)))) + "\n")


def escaped(text: str) -> str:
    r"""
    *text* so that Markdown shows it and nothing else.

    >>> escaped("a|b")
    'a&#124;b'
    """
    return _SPECIAL.sub(_entity, visible(text))


def _entity(found: re.Match[str]) -> str:
    entity = f"&#{ord(found[0])};"
    return _JOINER + entity if found[0] == "." else entity + _JOINER * (found[0] in "@:#")


def _heading(one: Heading) -> str:
    return f"{'#' * (one.level + 1)} {_MARKS.get(one.tone, '')}{escaped(one.text)}"


def _paragraph(one: Paragraph | Prose) -> str:
    return escaped(one.text)


def _items(one: Items) -> str:
    return "\n".join(f"- {escaped(text)}" for text in one.texts)


def _table(one: Table) -> str:
    columns = one.columns or ("",) * len(one.rows[0])
    return "\n".join(_rows(columns, one.rows))


def _rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(columns)
    yield "|" + " --- |" * len(columns)
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return "".join(f"| {escaped(cell)} " for cell in cells) + "|"


def _command(one: Command) -> str:
    """A fence that the text cannot close: it is one line, and the fence is longer than its own."""
    longest = max(map(len, re.findall(r"`+", one.text)), default=0)
    fence = "`" * max(3, longest + 1)
    label = f"{escaped(one.introduction)}\n\n" if one.label else ""
    return f"{label}{fence}\n{visible(one.text)}\n{fence}"


def _graph(_: Graph) -> str:
    """The table of features beside it says the same."""
    return ""


_BLOCKS: Final[Mapping[type, Callable[[Any], str]]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Prose: _paragraph,
    Items: _items,
    Table: _table,
    Command: _command,
    Graph: _graph,
}


def _block(one: object) -> str:
    return _BLOCKS[type(one)](one)
