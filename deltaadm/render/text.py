"""Reports for people: aligned columns, words beside every symbol, nothing interpreted."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from deltaadm.operations.diff import ChangeKind
from deltaadm.operations.inspect import TableReport
from deltaadm.operations.mend import fix_command
from deltaadm.operations.reports import (
    BestEffortReport,
    DoctorReport,
    DropReport,
    ErrorClassExplanation,
    Failure,
    FeatureCatalogue,
    FeatureExplanation,
    Health,
    OutcomeReport,
    Overview,
    ParentChangesReport,
    PlanReport,
    RuleCatalogue,
    RuleExplanation,
)
from deltaadm.operations.sql import statement
from deltaadm.render.visible import visible
from deltaadm.render.wording import (
    CATALOGUE_TITLES,
    COLUMN_TITLES,
    DIFFERS,
    PARENT_CATALOG,
    SEVERITIES,
    catalogue_row,
    change_words,
    client_cells,
    client_rows,
    column_rows,
    cost_words,
    drop_sentences,
    explained,
    facts,
    feature_rows,
    file_rows,
    mapping_rows,
    outcome_sentences,
    overview_title,
    parent_change_words,
    parent_plan_done,
    parent_plan_title,
    protocol_rows,
    recreatable,
    shut_out_rows,
    summary,
    unchanged,
    value_words,
    version_words,
)
from deltaadm.validation.finding import Severity, ValidationReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TextIO

    from deltaadm.operations.diff import Change
    from deltaadm.operations.plan import Plan, PlannedChange
    from deltaadm.operations.reports import Report
    from deltaadm.validation.finding import Finding

_WIDTH_WITHOUT_TERMINAL = 100
_NARROWEST_COLUMN = 30
_INDENT_OF_NARROW_TEXT = 6
_COLUMNS_SHOWN_ONE_BY_ONE = 8
_STYLES = {ChangeKind.ADD: "green", ChangeKind.REMOVE: "red", ChangeKind.SET: "yellow"}
_SEVERITY_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFO: "bold",
}


def write_text(
    reports: Sequence[Report], out: TextIO, *, color: str = "auto", width: int | None = None
) -> None:
    """
    Write each report, an empty line between two.

    On a terminal long lines go on where their text began; elsewhere a line stays a line, for grep.
    """
    console = _console(out, color, width)
    limit = width or (console.width if out.isatty() else None)
    for number, report in enumerate(reports):
        if number:
            console.print()
        for part in _parts(report):
            for line in _fitted(part, limit):
                console.print(line, soft_wrap=True)


class _Console(Console):
    """Leaves a broken pipe to whoever knows what it means for the run."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 -- rich calls it where it has caught the error


def _console(out: TextIO, color: str, width: int | None) -> Console:
    forced = color == "always" or os.environ.get("CLICOLOR_FORCE", "0") != "0"
    plain = color == "never" or (color == "auto" and os.environ.get("CLICOLOR") == "0")
    terminal = out.isatty()
    return _Console(
        file=out,
        width=width or (None if terminal else _WIDTH_WITHOUT_TERMINAL),
        force_terminal=True if forced and not plain else None,
        color_system=None if plain else "auto",
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _parts(report: Report) -> Iterable[Text]:
    return _PARTS[type(report)](report)


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


def _fitted(text: Text, limit: int | None) -> Iterable[Text]:
    """*text* as lines of at most *limit* columns, if it flows; a long word is never broken."""
    if limit is None or not isinstance(text, _Flowing):
        return [text]
    if isinstance(text, _Row) and not text.suits(limit):
        return [line for one in _cells_in_turn(text, limit) for line in _fitted(one, limit)]
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


def _line(text: str, style: str = "") -> Text:
    """A sentence, or something else that may go on in the next line."""
    line = _Flowing(visible(text), style=style)
    line.hang = len(text) - len(text.lstrip(" ")) + 2
    return line


def _command(text: str, style: str = "") -> Text:
    """What is to be copied, and therefore stays a line."""
    return Text(visible(text), style=style)


def _heading(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _grid(rows: Iterable[Sequence[str]], *, bold_first: bool = False) -> Iterable[Text]:
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


def _headed(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[Text]:
    """A grid whose first row says what stands below."""
    head, *others = _grid([columns, *rows])
    head.stylize("dim")
    return [head, *others]


def _bullets(mark: str, sentences: Iterable[str]) -> Iterable[Text]:
    return (_line(f"  {mark} {one}") for one in sentences)


# doctor

_HEALTH = {Health.OK: "green", Health.WARNING: "yellow", Health.FAILED: "red"}


def _doctor(report: DoctorReport) -> Iterable[Text]:
    rows = [(one.health.value, one.subject, one.detail) for one in report.checks]
    for line, one in zip(_grid(rows), report.checks, strict=True):
        line.stylize(_HEALTH[one.health], 2, 2 + len(one.health.value))
        yield line
        if one.remedy:
            yield _line(f"      {one.remedy}")


# inspect


def _table(report: TableReport) -> Iterable[Text]:
    snapshot, metadata = report.snapshot, report.snapshot.metadata
    yield _line(report.table, "bold")
    yield from _grid(facts(report))
    yield _heading("Protocol")
    yield from _grid(protocol_rows(report))
    if report.features:
        yield _heading("Features")
        yield from _grid(feature_rows(report), bold_first=True)
    yield _heading("Column mapping")
    yield from _grid(mapping_rows(report))
    if report.mapping.columns is not None:
        yield from _headed(COLUMN_TITLES, column_rows(report))
    if metadata.configuration:
        yield _heading("Properties")
        yield from _grid((key, value) for key, value in sorted(metadata.configuration.items()))
    if snapshot.files is not None:
        yield _heading("Files")
        yield from _grid(file_rows(report))
    if report.clients:
        yield _heading("Clients")
        yield from _grid(client_cells(report) if report.every_client else client_rows(report))
    if report.warnings:
        yield _heading("Warnings")
        yield from _bullets("!", report.warnings)


# plans


def _plan(report: PlanReport) -> Iterable[Text]:
    plan = report.plan
    yield _line(f"{plan.operation}: {report.table} ({version_words(plan.before)})", "bold")
    if plan.is_noop:
        yield _line("No changes.")
    else:
        yield Text()
        yield from _changes(plan)
        if not plan.changes:
            yield _line(f"  {unchanged(plan)}")
        yield _heading(f"Cost: {cost_words(plan)}")
        for stage in plan.stages:
            several = "several commits: " if stage.several_commits else ""
            several = "first of two runs: " if stage.waits else several
            yield _command(
                f"  {several}{statement(plan.before.root, stage.step, plan.before.name)}"
            )
    if shut_out := shut_out_rows(plan):
        yield _heading("Clients from now on")
        yield from _grid(shut_out)
    if plan.notes:
        yield _heading("Notes")
        yield from _bullets("-", plan.notes)


def _parent_plan(report: BestEffortReport | ParentChangesReport) -> Iterable[Text]:
    plan, outcome = report.plan, report.outcome
    if outcome is not None:
        yield from _compared(outcome.mismatches) or [_line(parent_plan_done(plan), "green")]
        return
    yield _line(parent_plan_title(plan), "bold")
    if plan.is_noop:
        yield _line("No changes.")
        return
    yield Text()
    for one, words in zip(plan.changes, parent_change_words(plan), strict=True):
        yield _line(f"  {words}", _STYLES[one.kind])
    yield _heading(PARENT_CATALOG)
    yield from (_command(f"  {one}") for one in plan.statements)
    if plan.notes:
        yield _heading("Notes")
        yield from _bullets("-", plan.notes)


def _changes(plan: Plan) -> Iterable[Text]:
    alike: dict[object, list[PlannedChange]] = {}
    for one in plan.changes:
        is_column = one.change.subject.startswith("schema[")
        key = (one.change.kind, one.because, one.undo) if is_column else one.change.subject
        alike.setdefault(key, []).append(one)
    for some in alike.values():
        if len(some) > _COLUMNS_SHOWN_ONE_BY_ONE:
            yield from _column_changes(some)
        else:
            yield from (line for one in some for line in _change(one))


def _column_changes(some: Sequence[PlannedChange]) -> Iterable[Text]:
    """Many at once: no column comes or goes unnamed, but those that only change are counted."""
    kind = some[0].change.kind
    if kind is ChangeKind.SET:
        yield Text(f"  ~ schema: {len(some)} columns change", style=_STYLES[kind])
    else:
        yield from (_line(f"  {change_words(one.change)}", _STYLES[kind]) for one in some)
    yield from _reason(some[0])


def _change(one: PlannedChange) -> Iterable[Text]:
    yield _line(f"  {change_words(one.change)}", _STYLES[one.change.kind])
    yield from _reason(one)


def _reason(one: PlannedChange) -> Iterable[Text]:
    yield _line(f"      {one.because}", "dim")
    yield _line(f"      undo: {one.undo}", "dim")


def _drops(report: DropReport) -> Iterable[Text]:
    yield _line(f"drop-feature: {report.table} (version {report.version})", "bold")
    if not report.features:
        yield _line("No feature of the table can be dropped.")
    for one in report.features:
        yield _heading(visible(one.name))
        yield from _bullets("-", drop_sentences(one))


def _outcome(report: OutcomeReport) -> Iterable[Text]:
    outcome = report.outcome
    if outcome.mismatches:
        yield from _compared(outcome.mismatches)
    else:
        for one in outcome_sentences(outcome):
            yield _line(one, "green" if outcome.plan.stages else "")


def _compared(mismatches: Sequence[Change]) -> list[Text]:
    if not mismatches:
        return []
    rows = (
        (one.subject, f"planned: {value_words(one.before)}", f"found: {value_words(one.after)}")
        for one in mismatches
    )
    return [_line(DIFFERS, "bold red"), *_grid(rows)]


# findings


def _validation(report: ValidationReport) -> Iterable[Text]:
    at = "" if report.version is None else f" (version {report.version})"
    yield _line(f"{report.table}{at}", "bold")
    if report.stopped:
        yield _line(f"  Not everything could be checked: {report.stopped}", "red")
        yield _line(f"  {recreatable(report)}")
    for severity, (title, _) in SEVERITIES.items():
        found = [one for one in report.findings if one.severity is severity]
        if found:
            yield Text(f"\n{title}", style=_SEVERITY_STYLES[severity])
            yield from _findings(report, found)
    yield Text()
    yield _line(summary(report))


def _findings(report: ValidationReport, found: Sequence[Finding]) -> Iterable[Text]:
    """Under each rule what it found; what to do once, where it is the same for all."""
    for code in dict.fromkeys(one.code for one in found):
        own = [one for one in found if one.code == code]
        remedies = list(dict.fromkeys(one.remedy for one in own if one.remedy))
        yield _line(f"  {code} {own[0].name}", "bold")
        for one in own:
            yield _line(f"    {one.where}: {one.message}" if one.where else f"    {one.message}")
            if one.remedy and len(remedies) > 1:
                yield _line(f"      {one.remedy}", "dim")
            yield from _fix(report.table, one)
        if more := report.more.get(code):
            yield _line(f"    ... and {more} more")
        if len(remedies) == 1:
            yield _line(f"    What to do: {remedies[0]}", "dim")


def _fix(table: str, one: Finding) -> Iterable[Text]:
    command = fix_command(table, one.fix)
    if command:
        yield _command(f"      fix: {command}", "green")


# many tables


def _overview(report: Overview) -> Iterable[Text]:
    yield _line(overview_title(report), "bold")
    for heading, items in report.sections:
        yield _heading(heading)
        width = max(len(str(count)) for _, count in items)
        yield from _grid((f"{count:>{width}}", item) for item, count in items)


# the rest


def _failure(report: Failure) -> Iterable[Text]:
    yield _line(f"{report.table}: {report.error.message}", "red")
    if report.error.remedy:
        yield _line(f"  {report.error.remedy}")


def _catalogue(report: FeatureCatalogue) -> Iterable[Text]:
    yield from _headed(CATALOGUE_TITLES, map(catalogue_row, report.features))


def _explanation(report: FeatureExplanation) -> Iterable[Text]:
    feature = report.feature
    yield _line(feature.name, "bold")
    yield from _grid(explained(feature, report.required_by))


def _rules(report: RuleCatalogue) -> Iterable[Text]:
    rows = ((one.code, one.severity.value, one.name, one.summary) for one in report.rules)
    return _grid(rows, bold_first=True)


def _rule_explanation(report: RuleExplanation) -> Iterable[Text]:
    rule = report.rule
    yield _line(f"{rule.code} {rule.name} ({rule.severity.value})", "bold")
    for paragraph in rule.doc.split("\n\n"):
        yield Text()
        yield _line(" ".join(paragraph.split()))


def _error_class(report: ErrorClassExplanation) -> Iterable[Text]:
    one = report.error_class
    yield _line(one.name, "bold")
    yield _line(f"  {one.meaning}")
    if one.commands:
        yield _heading("Commands that concern it")
        yield from _bullets("-", (f"deltaadm {name}" for name in one.commands))
    if report.rules:
        yield _heading("Rules that find what leads to it")
        yield from _grid(((rule.code, rule.name) for rule in report.rules), bold_first=True)


_PARTS: Final[Mapping[type, Callable[[Any], Iterable[Text]]]] = {
    TableReport: _table,
    PlanReport: _plan,
    BestEffortReport: _parent_plan,
    ParentChangesReport: _parent_plan,
    OutcomeReport: _outcome,
    ValidationReport: _validation,
    Failure: _failure,
    FeatureCatalogue: _catalogue,
    FeatureExplanation: _explanation,
    RuleCatalogue: _rules,
    RuleExplanation: _rule_explanation,
    ErrorClassExplanation: _error_class,
    DoctorReport: _doctor,
    DropReport: _drops,
    Overview: _overview,
}
