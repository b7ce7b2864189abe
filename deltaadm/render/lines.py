"""What text for people is made of: sentences, headings and aligned columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from deltaadm.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NARROWEST_COLUMN = 30
_INDENT_OF_NARROW_TEXT = 6


class _Flowing(Text):
    """A line that goes on in column `hang` where the terminal is too narrow for it."""

    hang = 0


class _Row(_Flowing):
    """
    A row of a grid that is `widest` columns wide.

    `cells` are where its cells begin and end, as far as they say something.
    """

    widest = 0
    cells: Sequence[tuple[int, int]] = ()

    def suits(self, limit: int) -> bool:
        """Whether the grid keeps its columns at *limit*: the last one goes on, if it has room."""
        few = len(self.cells) <= len(("key", "value"))
        return few or self.widest <= limit or limit - self.hang >= _NARROWEST_COLUMN


def fitted(text: Text, limit: int | None) -> Iterable[Text]:
    """*text* as lines of at most *limit* columns, if it flows; a long word is never broken."""
    if limit is None or not isinstance(text, _Flowing):
        return [text]
    if isinstance(text, _Row) and not text.suits(limit):
        return [line for one in _cells_in_turn(text, limit) for line in fitted(one, limit)]
    hang = text.hang
    if not hang or text.cell_len <= limit:
        return [text]
    if limit - hang < _NARROWEST_COLUMN:
        hang = min(hang, _INDENT_OF_NARROW_TEXT)
    first, *others = text.divide(list(_breaks(text.plain, limit, hang)))
    first.rstrip()
    lines = [first]
    for one in others:
        one.rstrip()
        lines.append(Text(" " * hang).append_text(one))
    return lines


def _cells_in_turn(row: _Row, limit: int) -> Iterable[_Flowing]:
    """
    The cells in as many lines as it takes to break none.

    They keep their columns if that concerns only the last one, else they follow one another.
    """
    line, ended = _Flowing("  "), 2
    for start, end in row.cells:
        cell = row[start:end]
        gap = start - ended if row.hang - 2 <= limit else min(2, start - ended)
        if line.cell_len + gap + cell.cell_len > limit and line.plain.strip():
            line.rstrip()
            yield line
            line, gap = _Flowing(" " * _INDENT_OF_NARROW_TEXT), 0
        line.append(" " * gap).append_text(cell)
        line.hang, ended = _INDENT_OF_NARROW_TEXT, end
    yield line


def _breaks(text: str, limit: int, hang: int) -> Iterable[int]:
    """Where a new line begins; never before what a CI system would take for a command."""
    column = 0
    for word in re.finditer(r"\s*\S+\s*?(?=\s|$)", text):
        shown = word[0].lstrip()
        start = column + cell_len(word[0]) - cell_len(shown)
        if start > hang and start + cell_len(shown) > limit and not shown.startswith("::"):
            yield word.end() - len(shown)
            start = hang
        column = start + cell_len(shown)


def sentence(text: str, style: str = "") -> Text:
    """A sentence, or something else that may go on in the next line."""
    line = _Flowing(visible(text), style=style)
    line.hang = len(text) - len(text.lstrip(" ")) + 2
    return line


def command(text: str, style: str = "") -> Text:
    """What is to be copied, and therefore stays a line."""
    return Text(visible(text), style=style)


def heading(text: str) -> Text:
    """What stands over a part, after an empty line."""
    return Text(f"\n{text}", style="bold")


def grid(rows: Iterable[Sequence[str]], *, bold_first: bool = False) -> Iterable[Text]:
    """
    Aligned columns without trailing blanks; the last one is as long as it is.

    On a terminal too narrow for them the cells of each row follow one another.
    """
    shown = [[visible(cell).rstrip() for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    lines = []
    for row in shown:
        line, cells = _Row("  "), []
        for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
            start = len(line)
            line.append(cell, style="bold" if bold_first and not number else "")
            if cell:
                cells.append((start, len(line)))
            line.append(" " * (width + 2 - cell_len(cell)))
        line.hang = 2 + sum(width + 2 for width in widths[:-1])
        line.cells = cells
        line.rstrip()
        lines.append(line)
    for line in lines:
        line.widest = max(one.cell_len for one in lines)
    return lines


def headed(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[Text]:
    """A grid whose first row says what stands below."""
    head, *others = grid([columns, *rows])
    head.stylize("dim")
    return [head, *others]


def bullets(mark: str, sentences: Iterable[str]) -> Iterable[Text]:
    """Each of *sentences* behind a *mark*."""
    return (sentence(f"  {mark} {one}") for one in sentences)
