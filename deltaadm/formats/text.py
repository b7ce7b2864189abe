"""Blocks as text: aligned columns, words beside every symbol, nothing interpreted."""

from __future__ import annotations

import os
import re

from deltaadm.blocks import (
    Cards,
    Changes,
    Checks,
    Command,
    Differences,
    ErrorMessage,
    Findings,
    Folded,
    Heading,
    Items,
    Matrix,
    PageOnly,
    Paragraph,
    Prose,
    Table,
    blocks,
    remedies,
)
from deltaadm.reports.words import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Final, TextIO

    from rich.console import Console
    from rich.text import Text

    from deltaadm.blocks import Block, Report


# Lines


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


def command_line(text: str, style: str = "") -> Line:
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


# Blocks


_WIDTH_WITHOUT_TERMINAL = 100
_TONES: Final = {"error": "red", "warning": "yellow", "info": "", "good": "green", "": ""}
_CHANGES: Final = {"+": "green", "-": "red", "~": "yellow"}
# Bold yellow is bright on many terminals, which a light background swallows.
_SEVERITIES: Final = {"error": "bold red", "warning": "yellow", "info": "bold"}
_HEALTH: Final = {"ok": "green", "warning": "yellow", "failed": "red"}


def write_text(
    reports: Sequence[Report], out: TextIO, *, color: str = "auto", width: int | None = None
) -> None:
    """
    Write each report, an empty line between two.

    On a terminal long lines go on where their text began; elsewhere a line stays a line, for grep.
    """
    terminal = out.isatty()
    console = _console(out, color, width) if terminal or _wants_styles(color) else None
    limit = width or (console.width if console is not None and terminal else None)
    for number, report in enumerate(reports):
        if number:
            _put(command_line(""), out, console)
        for line in _lines(report):
            for fitted in [line] if limit is None else line.fitted(limit):
                _put(fitted, out, console)


def _put(line: Line, out: TextIO, console: Console | None) -> None:
    if console is None:
        out.write(f"{line.text}\n")
    else:
        console.print(line.styled(), soft_wrap=True)  # it is fitted to the width already


def _wants_styles(color: str) -> bool:
    """Whether colours are wanted where there is no terminal; the variables are those of rich."""
    forced = ("FORCE_COLOR", "TTY_COMPATIBLE")
    return color != "never" and (_is_forced(color) or any(map(_environment(color).get, forced)))


def _environment(color: str) -> dict[str, str]:
    """
    The variables that rich looks at: without a FORCE_COLOR that is empty or 0, which counts for it.

    Where colours are asked for on the command line, no variable takes them away.
    """
    environ = dict(os.environ)
    if environ.get("FORCE_COLOR") in {"", "0"}:
        del environ["FORCE_COLOR"]
    if color == "always":
        environ.pop("NO_COLOR", None)
        if environ.get("TERM") == "dumb":
            del environ["TERM"]
    return environ


def _is_forced(color: str) -> bool:
    return color == "always" or os.environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}


def _console(out: TextIO, color: str, width: int | None) -> Console:
    from rich.console import Console  # 50 ms that only a terminal is worth

    class _Console(Console):
        """Leaves a broken pipe to whoever knows what it means for the run."""

        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 -- rich calls it where it has caught the error

    plain = color == "never" or (color == "auto" and os.environ.get("CLICOLOR") == "0")
    return _Console(
        file=out,
        width=width or (None if out.isatty() else _WIDTH_WITHOUT_TERMINAL),
        force_terminal=True if _is_forced(color) and not plain else None,
        color_system=None if plain else "auto",
        highlight=False,
        markup=False,  # names of tables may have [brackets] and :colons:
        emoji=False,
        legacy_windows=False,
        _environ=_environment(color),
    )


def _lines(report: Report) -> Iterator[Line]:
    closing: list[Paragraph] = []
    before: Block | None = None
    for block in blocks(report):
        if isinstance(block, Cards):
            continue  # a page has them; what stands below them says the same
        if isinstance(block, Paragraph) and block.closing:
            closing.append(block)
            continue
        if _stands_apart(block, before):
            yield command_line("")
        yield from _WRITERS[type(block)](block)
        before = block
    for paragraph in closing:
        yield command_line("")
        yield sentence(paragraph.text)


def _stands_apart(block: Block, before: Block | None) -> bool:
    """Whether an empty line comes before a block without a heading of its own."""
    if isinstance(block, Prose):
        return True
    title = isinstance(before, Heading) and before.level == 1
    paragraph = isinstance(before, Paragraph) and not before.nested
    return isinstance(block, Changes) and (title or paragraph)


def _heading(block: Heading) -> Iterable[Line]:
    if block.level == 1:
        return [sentence(block.text, "bold")]
    return [heading(block.text)]


def _paragraph(block: Paragraph) -> Iterable[Line]:
    indent = "  " if block.nested else ""
    return [sentence(indent + block.text, _TONES[block.tone])]


def _prose(block: Prose) -> Iterable[Line]:
    return [sentence(block.text)]


def _table(block: Table) -> Iterable[Line]:
    if block.columns and not block.plain:
        return headed(block.columns, block.rows)
    rows = grid(block.rows, bold_first=block.plain)
    for line, (first, *_) in zip(rows, block.rows, strict=True):
        style = next((style for end, style in _VERDICTS.items() if first.endswith(end)), "")
        if style:
            line.styles.append((2, 2 + len(first), style))
    return rows


_VERDICTS: Final = {
    "wrong data silently": "bold red",
    "cannot read": "red",
    "cannot write": "red",
    "reading unknown": "yellow",
    "writing unknown": "yellow",
    "can read": "green",
    "can write": "green",
}
"""The colours of what clients do, by what their words end with."""


def _matrix(block: Matrix) -> Iterator[Line]:
    """Marks in narrow columns, under numbers that stand for the names above it."""
    for number, name in enumerate(block.columns, 1):
        yield sentence(f"  {number:>2} {name}")
    widest = max(width_of(name) for name, _ in block.rows)
    # In parts, so that the narrowest terminal shows it without breaking lines.
    at_once = max(1, (_NARROWEST_TERMINAL - widest - 2) // _MARK)
    for start in range(0, len(block.columns), at_once):
        part = range(start, min(start + at_once, len(block.columns)))
        yield command_line("")
        numbers = "".join(f" {number + 1:>2}" for number in part)
        yield command_line(f"  {'':<{widest}}{numbers}", "dim")
        for name, cells in block.rows:
            yield _matrix_row(name, [cells[number] for number in part], widest)
    yield command_line("")
    yield sentence(f"  {block.legend}", "dim")


def _matrix_row(name: str, cells: Sequence[tuple[str, str]], widest: int) -> Line:
    row = command_line(f"  {name}")
    row.append(" " * (widest - width_of(name)))
    for mark, tone in cells:
        row.append(" ")
        row.append(command_line(mark, _TONES[tone]))
    return row


_MARK: Final = 3
_NARROWEST_TERMINAL: Final = 80


def _items(block: Items) -> Iterable[Line]:
    return (sentence(f"  {block.mark} {text}") for text in block.texts)


def _command(block: Command) -> Iterable[Line]:
    label = f"{block.label}: " if block.label else ""
    return [command_line(f"  {label}{block.text}")]


def _changes(block: Changes) -> Iterator[Line]:
    for group in block.groups or (block.rows,):
        for row in group:
            yield sentence(f"  {row.text}", _CHANGES[row.kind])
        if group and group[0].because:
            yield sentence(f"      {group[0].because}", "dim")
        if group and group[0].undo:
            yield sentence(f"      undo: {group[0].undo}", "dim")


def _folded(block: Folded) -> Iterable[Line]:
    return [sentence(f"  {block.summary}", "dim")]


def _findings(block: Findings) -> Iterator[Line]:
    """Under each rule what it found; what is equal once, with its places."""
    yield heading(block.title, _SEVERITIES[block.severity.value])
    for groups in block.by_rule():
        rule = groups[0].finding
        yield sentence(f"  {rule.code} {rule.name}", "bold")
        shared = remedies(groups)
        for group in groups:
            with_remedy = len(shared) > 1
            finding = group.finding
            if len(group.places) == 1:
                where = f"{finding.where}: " if finding.where else ""
                yield sentence(f"    {where}{finding.message}")
            else:
                yield sentence(f"    {finding.message}")
                yield sentence(f"      {', '.join(filter(None, group.places))}")
            if finding.remedy and with_remedy:
                yield sentence(f"      {finding.remedy}", "dim")
            for command in dict.fromkeys(filter(None, group.commands)):
                yield command_line(f"      fix: {command}", "green")
        if more := block.more.get(rule.code):
            yield sentence(f"    ... and {more} more")
        if len(shared) == 1:
            yield sentence(f"    What to do: {shared[0]}", "dim")


def _error(block: ErrorMessage) -> Iterator[Line]:
    yield sentence(f"{block.table}: {block.message}", "red")
    if block.remedy:
        yield sentence(f"  {block.remedy}")


def _checks(block: Checks) -> Iterator[Line]:
    rows = [(check.health.value, check.subject, check.detail) for check in block.checks]
    for line, check in zip(grid(rows), block.checks, strict=True):
        health = check.health.value
        line.styles.append((2, 2 + len(health), _HEALTH[health]))
        yield line
        if check.remedy:
            yield sentence(f"      {check.remedy}")


def _differences(block: Differences) -> Iterable[Line]:
    return grid(
        (place, f"planned: {planned}", f"found: {actual}") for place, planned, actual in block.rows
    )


def _nothing(_: PageOnly) -> Iterable[Line]:
    return ()


_WRITERS: Final[Mapping[type, Callable[[Any], Iterable[Line]]]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Prose: _prose,
    Table: _table,
    Items: _items,
    Folded: _folded,
    Matrix: _matrix,
    Command: _command,
    Changes: _changes,
    Findings: _findings,
    ErrorMessage: _error,
    Checks: _checks,
    Differences: _differences,
    PageOnly: _nothing,
}
