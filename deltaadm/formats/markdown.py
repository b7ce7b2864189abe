"""Reports as Markdown, for the summary of a CI job or a comment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from deltaadm.blocks import (
    Cards,
    Command,
    Folded,
    Graph,
    Heading,
    Items,
    Matrix,
    Paragraph,
    Prose,
    Table,
    Timeline,
    page_blocks,
)
from deltaadm.reports.words import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TextIO

    from deltaadm.blocks import Report


_MARKS = {"error": "❌ ", "warning": "⚠️ ", "info": "ℹ️ ", "good": "✅ "}  # noqa: RUF001
_WORD = re.compile(r"[^\s|]+|\|")
"""A bar stands by itself: no code span can hold one in a table."""

_INTERPRETED = re.compile(
    r"""@(?!(?<=\w@)[\d.]*\d(?![\w-]|\.\w))  # mentions and addresses, unlike polars@2.1.0
    | :(?=\S)(?!(?<=\d:)\d\d(?!\d))         # addresses and emoji, unlike 12:30:00
    | \# | www\.                            # references, addresses
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Characters that GitHub and GitLab turn into links, mentions and pictures outside of code."""

_SPECIAL = re.compile(r"[]\\`*_{}[<>|~!$^&]")
"""Characters that make emphasis, links, HTML, tables and formulas."""

_LEADING = re.compile(r"^[0-9](?=[0-9]*[.)])|^[-+=]")
"""Beginnings of texts that make lists and headings."""


def write_markdown(reports: Sequence[Report], out: TextIO) -> None:
    """Write each report under a heading of its own."""
    for number, report in enumerate(reports):
        if number:
            out.write("\n")
        out.write("\n\n".join(filter(None, map(_block, page_blocks(report)))) + "\n")


def escaped(text: str) -> str:
    r"""
    *text* so that Markdown shows it and nothing else, and that it can be copied from there.

    >>> escaped("a|b of polars@2.1.0")
    'a&#124;b of polars@2.1.0'
    >>> escaped("s3://bucket/a_b")
    '`s3://bucket/a_b`'
    """
    words = _WORD.sub(lambda word: _escaped_word(word[0]), visible(text))
    return _LEADING.sub(_entity, words)


def _escaped_word(word: str) -> str:
    if _INTERPRETED.search(word) is None:
        return _SPECIAL.sub(_entity, word)
    fence = _fence(word, 1)
    gap = " " * (word[0] == "`" or word[-1] == "`")
    return f"{fence}{gap}{word}{gap}{fence}"


def _entity(special: re.Match[str]) -> str:
    return f"&#{ord(special[0])};"


def _fence(text: str, shortest: int) -> str:
    """Backticks that *text* cannot close: more than it has in a row."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    return "`" * max(shortest, longest + 1)


def _heading(block: Heading) -> str:
    return f"{'#' * (block.level + 1)} {_MARKS.get(block.tone, '')}{escaped(block.text)}"


def _paragraph(block: Paragraph | Prose) -> str:
    return escaped(block.text)


def _folded(block: Folded) -> str:
    return escaped(block.summary)


def _items(block: Items) -> str:
    return "\n".join(f"- {escaped(text)}" for text in block.texts)


def _table(block: Table) -> str:
    columns = block.columns or ("",) * len(block.rows[0])  # there is no table without a heading
    return "\n".join(_rows(columns, block.rows))


def _rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(columns)
    yield "|" + " --- |" * len(columns)
    yield from map(_row, rows)


def _matrix(block: Matrix) -> str:
    rows = [(name, *(mark for mark, _ in cells)) for name, cells in block.rows]
    return "\n".join((*_rows(("", *block.columns), rows), "", escaped(block.legend)))


def _row(cells: Sequence[str]) -> str:
    return "".join(f"| {escaped(cell)} " for cell in cells) + "|"


def _command(block: Command) -> str:
    fence = _fence(block.text, 3)
    label = f"{escaped(block.introduction)}\n\n" if block.label else ""
    return f"{label}{fence}\n{visible(block.text)}\n{fence}"


def _cards(_: Cards) -> str:
    """What stands below them says the same."""
    return ""


def _drawing(_: Graph | Timeline) -> str:
    """The table or the list beside it says the same."""
    return ""


_BLOCKS: Final[Mapping[type, Callable[[Any], str]]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Prose: _paragraph,
    Items: _items,
    Matrix: _matrix,
    Table: _table,
    Command: _command,
    Graph: _drawing,
    Timeline: _drawing,
    Cards: _cards,
    Folded: _folded,
}


def _block(block: object) -> str:
    return _BLOCKS[type(block)](block)
