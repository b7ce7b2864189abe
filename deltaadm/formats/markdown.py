"""Reports as Markdown, for the summary of a CI job or a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TextIO

from deltaadm import blocks
from deltaadm.formats import Style
from deltaadm.masking import visible

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


def write_markdown(reports: Sequence[blocks.Report], out: TextIO, _: Style) -> None:
    """Write each report under a heading of its own."""
    for number, report in enumerate(reports):
        if number:
            out.write("\n")
        out.write("\n\n".join(filter(None, map(_block, blocks.page_blocks(report)))) + "\n")


def escaped(text: str) -> str:
    r"""
    *text* so that Markdown shows it and nothing else, and that it can be copied from there.

    >>> escaped("a|b of polars@2.1.0")
    'a&#124;b of polars@2.1.0'
    >>> escaped("s3://bucket/a_b")
    '`s3://bucket/a_b`'
    """

    def shown(word: str) -> str:
        if _INTERPRETED.search(word) is None:
            return _SPECIAL.sub(_entity, word)
        fence, gap = _fence(word, 1), " " * (word[0] == "`" or word[-1] == "`")
        return f"{fence}{gap}{word}{gap}{fence}"

    words = _WORD.sub(lambda word: shown(word[0]), visible(text))
    return _LEADING.sub(_entity, words)


def _entity(special: re.Match[str]) -> str:
    return f"&#{ord(special[0])};"


def _fence(text: str, shortest: int) -> str:
    """Backticks that *text* cannot close: more than it has in a row."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    return "`" * max(shortest, longest + 1)


def _block(block: blocks.Common) -> str:
    text = ""  # what stands beside cards and drawings says the same
    match block:
        case blocks.Heading(title, level, tone):
            text = f"{'#' * (level + 1)} {_MARKS.get(tone, '')}{escaped(title)}"
        case blocks.Paragraph(words):
            text = escaped(words)
        case blocks.Items(texts):
            text = "\n".join(f"- {escaped(item)}" for item in texts)
        case blocks.Changes():
            text = "\n".join(
                f"- {escaped(': '.join(filter(None, (name, row.text))))}"
                + (f" ({escaped(row.because)})" if row.because else "")
                for name, rows in block.named
                for row in rows
            )
        case blocks.Table(_, columns, rows):
            # There is no table without a heading.
            text = "\n".join(_rows(columns or ("",) * len(rows[0]), rows))
        case blocks.Matrix(_, columns, lines, legend):
            marks = [(name, *(mark for mark, _ in cells)) for name, cells in lines]
            text = "\n".join((*_rows(("", *columns), marks), "", escaped(legend)))
        case blocks.Chips():
            text = _block(block.table)
        case blocks.Findings():
            text = "\n\n".join(map(_block, block.in_lists()))
        case blocks.Command(command, label):
            fence = _fence(command, 3)
            text = f"{fence}\n{visible(command)}\n{fence}"
            if label:
                text = f"{escaped(block.introduction)}\n\n{text}"
    return text


def _rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, row in enumerate([columns, *rows]):
        yield "".join(f"| {escaped(cell)} " for cell in row) + "|"
        if not number:
            yield "|" + " --- |" * len(columns)
