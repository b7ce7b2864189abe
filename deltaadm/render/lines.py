"""
Lines of text for people: sentences, headings and aligned columns, fitted to a terminal.

A line knows which of its parts has which style, in rich's words; only a terminal with colours
needs rich to show them.
"""

from __future__ import annotations

import re

from deltaadm.render.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.text import Text

_NARROWEST_COLUMN = 30
_INDENT_OF_NARROW_TEXT = 6


def width_of(text: str) -> int:
    """The number of columns of a terminal that *text* takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # which knows wide and combining characters

    return cell_len(text)


class Line:
    """
    A line; where the terminal is too narrow it goes on in column `hang`, if there is one.

    `styles` are the parts with a style: begin, end and the style.
    """

    __slots__ = ("hang", "styles", "text")

    def __init__(
        self, text: str, style: str = "", *, hang: int = 0, styles: Iterable[_Styled] = ()
    ) -> None:
        self.text = text
        self.hang = hang
        self.styles = [(0, len(text), style)] if style else list(styles)

    @property
    def width(self) -> int:
        """The number of columns of a terminal that it takes."""
        return width_of(self.text)

    def part(self, start: int, end: int) -> Line:
        """The characters from *start* to *end*, with their styles."""
        styles = [
            (max(a, start) - start, min(b, end) - start, style)
            for a, b, style in self.styles
            if a < end and b > start
        ]
        return Line(self.text[start:end], styles=styles)

    def stripped(self) -> Line:
        """The line without blanks at its end."""
        line = self.part(0, len(self.text.rstrip()))
        line.hang = self.hang
        return line

    def append(self, other: Line | str) -> None:
        """Add *other* at the end."""
        if isinstance(other, Line):
            place = len(self.text)
            self.styles += [(a + place, b + place, style) for a, b, style in other.styles]
            other = other.text
        self.text += other

    def styled(self) -> Text:
        """The line as rich shows it."""
        from rich.text import Text

        text = Text(self.text)
        for start, end, style in self.styles:
            text.stylize(style, start, end)
        return text

    def fitted(self, limit: int) -> Iterator[Line]:
        """The line as lines of at most *limit* columns, if it flows; no long word is broken."""
        hang = self.hang
        if not hang or self.width <= limit:
            yield self
            return
        if limit - hang < _NARROWEST_COLUMN:
            hang = min(hang, _INDENT_OF_NARROW_TEXT)
        start = 0
        for end in (*_breaks(self.text, limit, hang), len(self.text)):
            line = Line(" " * hang if start else "")
            line.append(self.part(start, end).stripped())
            yield line
            start = end


_Styled = tuple[int, int, str]


class _Row(Line):
    """
    A row of a grid that is `widest` columns wide.

    `cells` are where its cells begin and end, as far as they say something.
    """

    __slots__ = ("cells", "widest")

    cells: Sequence[tuple[int, int]]
    widest: int

    def fitted(self, limit: int) -> Iterator[Line]:
        """The row in its columns, if they fit; else its cells follow one another."""
        few = len(self.cells) <= len(("key", "value"))
        if few or self.widest <= limit or limit - self.hang >= _NARROWEST_COLUMN:
            yield from super().fitted(limit)
        else:
            for line in self._cells_in_turn(limit):
                yield from line.fitted(limit)

    def _cells_in_turn(self, limit: int) -> Iterator[Line]:
        """
        The cells in as many lines as it takes to break none.

        They keep their columns if that concerns only the last one, else they follow one another.
        """
        line, ended = Line("  "), 2
        for start, end in self.cells:
            cell = self.part(start, end)
            gap = start - ended if self.hang - 2 <= limit else min(2, start - ended)
            if line.width + gap + cell.width > limit and line.text.strip():
                yield line.stripped()
                line, gap = Line(" " * _INDENT_OF_NARROW_TEXT), 0
            line.append(" " * gap)
            line.append(cell)
            line.hang, ended = _INDENT_OF_NARROW_TEXT, end
        yield line


def _breaks(text: str, limit: int, hang: int) -> Iterator[int]:
    """The positions at which a line may be broken; never before a CI system's command."""
    column = 0
    for word in re.finditer(r"\s*\S+\s*?(?=\s|$)", text):
        shown = word[0].lstrip()
        start = column + width_of(word[0]) - width_of(shown)
        if start > hang and start + width_of(shown) > limit and not shown.startswith("::"):
            yield word.end() - len(shown)
            start = hang
        column = start + width_of(shown)


def sentence(text: str, style: str = "") -> Line:
    """A sentence, or something else that may go on in the next line."""
    return Line(visible(text), style, hang=len(text) - len(text.lstrip(" ")) + 2)


def command(text: str, style: str = "") -> Line:
    """A text to be copied, which therefore stays on one line."""
    return Line(visible(text), style)


def heading(text: str, style: str = "bold") -> Line:
    """A heading, after an empty line."""
    return Line(f"\n{visible(text)}", style, hang=2)


def grid(rows: Iterable[Sequence[str]], *, bold_first: bool = False) -> list[Line]:
    """
    Aligned columns without trailing blanks; the last one is as long as it is.

    On a terminal too narrow for them the cells of each row follow one another.
    """
    shown = [[visible(cell).rstrip() for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*shown, strict=True)]
    hang = 2 + sum(width + 2 for width in widths[:-1])
    lines = [_row(row, widths, hang, bold_first=bold_first) for row in shown]
    widest = max((line.width for line in lines), default=0)
    for line in lines:
        line.widest = widest
    return list(lines)


def _row(row: Sequence[str], widths: Sequence[int], hang: int, *, bold_first: bool) -> _Row:
    text, cells = "  ", []
    for cell, width in zip(row, widths, strict=True):
        if cell:
            cells.append((len(text), len(text) + len(cell)))
        text += cell + " " * (width + 2 - width_of(cell))
    styles = [(2, 2 + len(row[0]), "bold")] if bold_first and row[0] else []
    line = _Row(text.rstrip(), hang=hang, styles=styles)
    line.cells = cells
    return line


def headed(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Line]:
    """A grid whose first row says what stands below."""
    head, *others = grid([columns, *rows])
    head.styles = [(0, len(head.text), "dim")]
    return [head, *others]
