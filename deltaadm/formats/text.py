"""Blocks as text: aligned columns, words beside every symbol, nothing interpreted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from deltaadm import blocks
from deltaadm.dataclass import dataclass, field
from deltaadm.formats import Style, width_for
from deltaadm.masking import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, TextIO


_NARROWEST_COLUMN, _INDENT_OF_NARROW_TEXT = 30, 6
_WIDTH_WITHOUT_TERMINAL, _NARROWEST_TERMINAL = 100, 80


def write_text(reports: Sequence[blocks.Report], out: TextIO, style: Style) -> None:
    """
    Write each report, an empty line between two.

    If there is a width, long lines go on where their text began; else lines stay whole, for grep.
    """
    limit = style.width or width_for(out)
    write = _writer(out, style.color, limit)
    for number, report in enumerate(reports):
        for line in (*([_EMPTY] if number else []), *_lines(report, style)):
            for fitted in [line] if limit is None else line.fitted(limit):
                write(fitted)


def _writer(out: TextIO, color: str, width: int | None) -> Callable[[Line], object]:
    environ = dict(os.environ)
    if environ.get("FORCE_COLOR") in {"", "0"}:
        del environ["FORCE_COLOR"]  # which rich takes for a wish
    if color == "always":  # no variable takes away what the command line asks for
        environ.pop("NO_COLOR", None)
        if environ.get("TERM") == "dumb":
            del environ["TERM"]
    plain = color == "never" or (color == "auto" and environ.get("CLICOLOR") == "0")
    forced = color == "always" or environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}
    wanted = forced or environ.get("FORCE_COLOR") or environ.get("TTY_COMPATIBLE")
    if not out.isatty() and (color == "never" or not wanted):
        return lambda line: out.write(f"{line.text}\n")
    from rich import console, text  # 50 ms that only a terminal is worth

    class _Console(console.Console):
        """Leaves a broken pipe to whoever knows what it means for the run."""

        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 -- rich calls it where it has caught the error

    terminal = _Console(
        file=out,
        width=width or _WIDTH_WITHOUT_TERMINAL,
        force_terminal=True if forced and not plain else None,
        color_system=None if plain else "auto",
        highlight=False,
        markup=False,  # names of tables may have [brackets] and :colons:
        emoji=False,
        legacy_windows=False,
        _environ=environ,
    )

    def write(line: Line) -> None:
        styled = text.Text(line.text)
        for start, end, style in line.styles:
            styled.stylize(style, start, end)
        terminal.print(styled, soft_wrap=True)  # it is fitted to the width already

    return write


# Lines


def width_of(text: str) -> int:
    """The number of columns of a terminal that *text* takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # which knows wide and combining characters

    return cell_len(text)


@dataclass()
class Line:
    """
    A line; where the terminal is too narrow it goes on in column `hang`, if there is one.

    `styles` are the parts with a style: begin, end and the style.
    """

    text: str
    styles: list[tuple[int, int, str]] = field(default_factory=list)
    hang: int = 0

    def part(self, start: int, end: int) -> Line:
        """The characters from *start* to *end*, without blanks at their end, with their styles."""
        end = start + len(self.text[start:end].rstrip())
        styles = [
            (max(a, start) - start, min(b, end) - start, style)
            for a, b, style in self.styles
            if a < end and b > start
        ]
        return Line(self.text[start:end], styles, self.hang)

    def append(self, other: Line) -> None:
        """Add *other* at the end."""
        place = len(self.text)
        self.styles += [(a + place, b + place, style) for a, b, style in other.styles]
        self.text += other.text

    def fitted(self, limit: int) -> Iterator[Line]:
        """
        The line as lines of at most *limit* columns, if it flows; no long word is broken.

        Where the last column is too narrow to go on in, its text goes on near the margin.
        """
        hang = self.hang
        if not hang or width_of(self.text) <= limit:
            yield self
            return
        if limit - hang < _NARROWEST_COLUMN:
            hang = min(hang, _INDENT_OF_NARROW_TEXT)
        ends, column = [], 0
        for word in re.finditer(r"\s*\S+", self.text.rstrip()):
            shown = word[0].lstrip()
            place, width = column + width_of(word[0]) - width_of(shown), width_of(shown)
            # A line never begins with a CI system's command.
            if place > hang and place + width > limit and not shown.startswith("::"):
                ends.append(word.end() - len(shown))
                place = hang
            column = place + width
        start = 0
        for end in (*ends, len(self.text)):
            line = Line(" " * hang if start else "")
            line.append(self.part(start, end))
            yield line
            start = end


_EMPTY: Final = Line("")


def sentence(text: str, style: str = "", hang: int = 0) -> Line:
    """A sentence, or something else that may go on in the next line: in column *hang*, if given."""
    line = command_line(text, style)
    line.hang = hang or len(text) - len(text.lstrip(" ")) + 2
    return line


def command_line(text: str, style: str = "") -> Line:
    """A text to be copied, which therefore stays on one line."""
    shown = visible(text)
    return Line(shown, [(0, len(shown), style)] if style else [])


def grid(rows: Iterable[Sequence[str]]) -> list[Line]:
    """Aligned columns without trailing blanks; the last one is as long as it is."""
    shown = [[visible(cell).rstrip() for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*shown, strict=True)]
    hang = 2 + sum(width + 2 for width in widths[:-1])
    lines = []
    for row in shown:
        padded = (
            cell + " " * (width + 2 - width_of(cell))
            for cell, width in zip(row, widths, strict=True)
        )
        lines.append(Line(f"  {''.join(padded)}".rstrip(), hang=hang))
    return lines


# Blocks


_TONES: Final = {"error": "red", "warning": "yellow", "info": "", "good": "green", "": ""}
_CHANGES: Final = {"+": "green", "-": "red", "~": "yellow", "=": ""}
# Bold yellow is bright on many terminals, which a light background swallows.
_SEVERITIES: Final = {"error": "bold red", "warning": "yellow", "info": "bold"}
_VERDICTS: Final = {
    "wrong data silently": "bold red",
    "wrong data": "bold red",
    "cannot read": "red",
    "cannot write": "red",
    "reading unknown": "yellow",
    "writing unknown": "yellow",
    "no source": "yellow",
    "read, write": "green",
    "read only": "green",
    "can read": "green",
    "can write": "green",
    "ok": "green",
    "warning": "yellow",
    "failed": "red",
}
"""The colours of what clients do and of checks, by what their words end with."""


def _lines(report: blocks.Report, style: Style) -> Iterator[Line]:
    before: blocks.Common | None = None
    for block in blocks.text_blocks(report, verbose=style.verbose):
        if isinstance(before, blocks.Heading):
            is_free = before.level == 1
        else:
            is_free = isinstance(before, blocks.Paragraph) and not before.nested
        # An empty line comes before a heading, and before what has none of its own.
        stands_apart = isinstance(block, blocks.Prose)
        if isinstance(block, blocks.Heading):
            stands_apart = block.level > 1
        elif isinstance(block, blocks.Changes | blocks.Findings):
            stands_apart = is_free
        elif isinstance(block, blocks.Table | blocks.Chips | blocks.Matrix):
            stands_apart = isinstance(before, blocks.Table | blocks.Changes)
        elif isinstance(block, blocks.Command) and block.label:
            listed = blocks.Table | blocks.Chips | blocks.Matrix | blocks.Items
            stands_apart = isinstance(before, listed) or (
                isinstance(before, blocks.Command) and not before.label
            )
        if stands_apart:
            yield _EMPTY
        yield from _ARRANGED[type(block)](block)
        before = block


def _table(block: blocks.Table) -> Iterable[Line]:
    if block.columns and not block.plain:
        lines = grid([block.columns, *block.rows])
        lines[0].styles = [(0, len(lines[0].text), "dim")]
        return lines
    lines = grid(block.rows)
    for line, (first, *rest) in zip(lines, block.rows, strict=True):
        if block.plain and first:
            line.styles.append((2, 2 + len(visible(first).rstrip()), "bold"))
        # A client's verdict names the row, or begins the text of a row that has another name.
        verdict = rest[-1].partition(":")[0] if block.plain and rest else ""
        for words, start in ((first, 2), (verdict, line.hang)):
            style = next((style for end, style in _VERDICTS.items() if words.endswith(end)), "")
            if style:
                line.styles.append((start, start + len(words), style))
    return lines


def _matrix(block: blocks.Matrix) -> Iterator[Line]:
    yield sentence(f"  {block.legend}", "dim")
    widest = max(width_of(name) for name, _ in block.rows)
    start = 0
    while start < len(block.columns):  # in parts that the narrowest terminal shows unbroken
        end = start + 1
        while end < len(block.columns):
            begin = widest + 2 + len("rw ") * (end - start + 1)
            if begin + width_of(block.columns[end]) > _NARROWEST_TERMINAL:
                break
            end += 1
        yield _EMPTY
        for place, name in enumerate(block.columns[start:end]):
            yield command_line(f"  {'':<{widest}} {'|  ' * place}{name}", "dim")
        for name, cells in block.rows:
            row = command_line(f"  {name}")
            row.text += " " * (widest - width_of(name))
            for mark, tone in cells[start:end]:
                row.text += " "
                row.append(command_line(mark, _TONES[tone]))
            yield row
        start = end


def _changes(block: blocks.Changes) -> Iterator[Line]:
    names = max(len(name) for name, _ in block.named)
    margin = names + 4 if names else 2
    for name, rows in block.named:
        widths = [width_of(visible(row.text)) for row in rows if row.because]
        widest = max((width for width in widths if width <= _WIDEST_CHANGE), default=0)
        for number, row in enumerate(rows):
            start = f"  {name if number == 0 else ''}".ljust(margin)
            line = sentence(start, "bold", margin + 2)
            line.append(command_line(row.text, _CHANGES[row.kind]))
            if row.because:
                gap = " " * max(2, widest + 2 - width_of(visible(row.text)))
                line.append(command_line(f"{gap}{row.because}", "dim"))
            yield line


_WIDEST_CHANGE: Final = 34


def _findings(block: blocks.Findings) -> Iterator[Line]:
    for groups, remedies in block.by_rule():
        rule, severity = groups[0].finding, block.severity.value
        shared = {place for group in groups for place in group.places}
        alone = shared.pop() if len(shared) == 1 else ""
        head = sentence(f"{severity:<9}{rule.code} {rule.name}{alone and f'   {alone}'}", hang=9)
        head.styles = [(0, len(severity), _SEVERITIES[severity])]
        head.styles.append((9, 10 + len(f"{rule.code}{rule.name}"), "bold"))
        yield head
        for group in groups:
            finding, places = group.finding, list(filter(None, group.places))
            one = places if len(places) == 1 and not alone else []
            yield _below(": ".join((*one, finding.message)))
            if len(places) > 1 and not alone:
                yield _below(f"  {', '.join(places)}")
            commands = dict.fromkeys(filter(None, group.commands))
            for command in commands:
                yield command_line(f"{'':9}fix: {command}", "green")
            if finding.remedy and len(remedies) > 1 and not commands:
                yield _below(f"  {finding.remedy}", "dim")
        if more := block.more.get(rule.code):
            yield _below(f"... and {more} more")
        if len(remedies) == 1 and not all(all(group.commands) for group in groups):
            yield _below(f"What to do: {remedies[0]}", "dim")


def _below(text: str, style: str = "") -> Line:
    return sentence(f"{'':9}{text}", style, 9)


_ARRANGED: Final[Mapping[type, Callable[[Any], Iterable[Line]]]] = {
    blocks.Heading: lambda block: [sentence(block.text, "bold")],
    blocks.Paragraph: lambda block: [
        sentence(f"  {block.text}" if block.nested else block.text, _TONES[block.tone])
    ],
    blocks.Prose: lambda block: [sentence(block.text)],
    blocks.Items: lambda block: [sentence(f"  {block.mark} {text}") for text in block.texts],
    blocks.Command: lambda block: [
        command_line(f"  {block.label}: {block.text}" if block.label else f"  {block.text}")
    ],
    blocks.Table: _table,
    blocks.Chips: lambda block: _table(block.table),
    blocks.Matrix: _matrix,
    blocks.Changes: _changes,
    blocks.Findings: _findings,
}
