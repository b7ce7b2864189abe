"""Blocks as text: aligned columns, words beside every symbol, nothing interpreted."""

from __future__ import annotations

import os

from deltaadm.render import lines
from deltaadm.render.blocks import (
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
    PlannedFeatures,
    Prose,
    Table,
    blocks,
    remedies,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Final, TextIO

    from rich.console import Console

    from deltaadm.operations.reports import Report
    from deltaadm.render.blocks import Block, EqualFindings
    from deltaadm.render.lines import Line

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
            _put(lines.command(""), out, console)
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
            yield lines.command("")
        yield from _WRITERS[type(block)](block)
        before = block
    for paragraph in closing:
        yield lines.command("")
        yield lines.sentence(paragraph.text)


def _stands_apart(block: Block, before: Block | None) -> bool:
    """Whether an empty line comes before a block without a heading of its own."""
    if isinstance(block, Prose):
        return True
    title = isinstance(before, Heading) and before.level == 1
    paragraph = isinstance(before, Paragraph) and not before.nested
    return isinstance(block, Changes) and (title or paragraph)


def _heading(block: Heading) -> Iterable[Line]:
    if block.page_only:
        return []
    if block.level == 1:
        return [lines.sentence(block.text, "bold")]
    return [lines.heading(block.text)]


def _paragraph(block: Paragraph) -> Iterable[Line]:
    indent = "  " if block.nested else ""
    return [lines.sentence(indent + block.text, _TONES[block.tone])]


def _prose(block: Prose) -> Iterable[Line]:
    return [lines.sentence(block.text)]


def _table(block: Table) -> Iterable[Line]:
    if block.columns and not block.plain:
        return lines.headed(block.columns, block.rows)
    rows = lines.grid(block.rows, bold_first=block.plain)
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
        yield lines.sentence(f"  {number:>2} {name}")
    widest = max(lines.width_of(name) for name, _ in block.rows)
    # In parts, so that the narrowest terminal shows it without breaking lines.
    at_once = max(1, (_NARROWEST_TERMINAL - widest - 2) // _MARK)
    for start in range(0, len(block.columns), at_once):
        part = range(start, min(start + at_once, len(block.columns)))
        yield lines.command("")
        numbers = "".join(f" {number + 1:>2}" for number in part)
        yield lines.command(f"  {'':<{widest}}{numbers}", "dim")
        for name, cells in block.rows:
            yield _matrix_row(name, [cells[number] for number in part], widest)
    yield lines.command("")
    yield lines.sentence(f"  {block.legend}", "dim")


def _matrix_row(name: str, cells: Sequence[tuple[str, str]], widest: int) -> Line:
    row = lines.command(f"  {name}")
    row.append(" " * (widest - lines.width_of(name)))
    for mark, tone in cells:
        row.append(" ")
        row.append(lines.command(mark, _TONES[tone]))
    return row


_MARK: Final = 3
_NARROWEST_TERMINAL: Final = 80


def _items(block: Items) -> Iterable[Line]:
    return (lines.sentence(f"  {block.mark} {text}") for text in block.texts)


def _command(block: Command) -> Iterable[Line]:
    label = f"{block.label}: " if block.label else ""
    return [lines.command(f"  {label}{block.text}")]


def _changes(block: Changes) -> Iterator[Line]:
    for group in block.groups:
        for row in group:
            yield lines.sentence(f"  {row.text}", _CHANGES[row.kind])
        if group and group[0].because:
            yield lines.sentence(f"      {group[0].because}", "dim")
        if group and group[0].undo:
            yield lines.sentence(f"      undo: {group[0].undo}", "dim")


def _folded(block: Folded) -> Iterable[Line]:
    return [lines.sentence(f"  {block.summary}", "dim")]


def _findings(block: Findings) -> Iterator[Line]:
    """Under each rule what it found; what is equal once, with its places."""
    yield lines.heading(block.title, _SEVERITIES[block.severity.value])
    for groups in block.by_rule():
        rule = groups[0].finding
        yield lines.sentence(f"  {rule.code} {rule.name}", "bold")
        shared = remedies(groups)
        for group in groups:
            yield from _group_lines(group, with_remedy=len(shared) > 1)
        if more := block.more.get(rule.code):
            yield lines.sentence(f"    ... and {more} more")
        if len(shared) == 1:
            yield lines.sentence(f"    What to do: {shared[0]}", "dim")


def _group_lines(group: EqualFindings, *, with_remedy: bool) -> Iterator[Line]:
    finding = group.finding
    if len(group.places) == 1:
        where = f"{finding.where}: " if finding.where else ""
        yield lines.sentence(f"    {where}{finding.message}")
    else:
        yield lines.sentence(f"    {finding.message}")
        yield lines.sentence(f"      {', '.join(filter(None, group.places))}")
    if finding.remedy and with_remedy:
        yield lines.sentence(f"      {finding.remedy}", "dim")
    for command in dict.fromkeys(filter(None, group.commands)):
        yield lines.command(f"      fix: {command}", "green")


def _error(block: ErrorMessage) -> Iterator[Line]:
    yield lines.sentence(f"{block.table}: {block.message}", "red")
    if block.remedy:
        yield lines.sentence(f"  {block.remedy}")


def _checks(block: Checks) -> Iterator[Line]:
    rows = [(check.health.value, check.subject, check.detail) for check in block.checks]
    for line, check in zip(lines.grid(rows), block.checks, strict=True):
        health = check.health.value
        line.styles.append((2, 2 + len(health), _HEALTH[health]))
        yield line
        if check.remedy:
            yield lines.sentence(f"      {check.remedy}")


def _differences(block: Differences) -> Iterable[Line]:
    return lines.grid(
        (place, f"planned: {planned}", f"found: {actual}") for place, planned, actual in block.rows
    )


def _nothing(_: PageOnly | PlannedFeatures) -> Iterable[Line]:
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
    PlannedFeatures: _nothing,
}
