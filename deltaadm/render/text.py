"""Reports for people: aligned columns, words beside every symbol, nothing interpreted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.text import Text

from deltaadm.operations.inspect import TableReport
from deltaadm.operations.reports import (
    DoctorReport,
    ErrorClassExplanation,
    Failure,
    FeatureCatalogue,
    FeatureExplanation,
    Health,
    Overview,
    RuleCatalogue,
    RuleExplanation,
)
from deltaadm.render import lines
from deltaadm.render.wording import (
    CATALOGUE_TITLES,
    COLUMN_TITLES,
    SEVERITIES,
    catalogue_row,
    client_cells,
    client_rows,
    column_rows,
    explained,
    facts,
    feature_rows,
    file_rows,
    mapping_rows,
    overview_title,
    protocol_rows,
    recreatable,
    summary,
)
from deltaadm.validation.finding import Severity, ValidationReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report
    from deltaadm.validation.finding import Finding

_WIDTH_WITHOUT_TERMINAL = 100
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
            for line in lines.fitted(part, limit):
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
    show = _PARTS.get(type(report))
    if show is None:
        from deltaadm.render.text_plans import PARTS  # what plans are is more than most need

        show = PARTS[type(report)]
    return show(report)


# doctor

_HEALTH = {Health.OK: "green", Health.WARNING: "yellow", Health.FAILED: "red"}


def _doctor(report: DoctorReport) -> Iterable[Text]:
    rows = [(one.health.value, one.subject, one.detail) for one in report.checks]
    for line, one in zip(lines.grid(rows), report.checks, strict=True):
        line.stylize(_HEALTH[one.health], 2, 2 + len(one.health.value))
        yield line
        if one.remedy:
            yield lines.sentence(f"      {one.remedy}")


# inspect


def _table(report: TableReport) -> Iterable[Text]:
    snapshot, metadata = report.snapshot, report.snapshot.metadata
    yield lines.sentence(report.table, "bold")
    yield from lines.grid(facts(report))
    yield lines.heading("Protocol")
    yield from lines.grid(protocol_rows(report))
    if report.features:
        yield lines.heading("Features")
        yield from lines.grid(feature_rows(report), bold_first=True)
    yield lines.heading("Column mapping")
    yield from lines.grid(mapping_rows(report))
    if report.mapping.columns is not None:
        yield from lines.headed(COLUMN_TITLES, column_rows(report))
    if metadata.configuration:
        yield lines.heading("Properties")
        yield from lines.grid((key, value) for key, value in sorted(metadata.configuration.items()))
    if snapshot.files is not None:
        yield lines.heading("Files")
        yield from lines.grid(file_rows(report))
    if report.clients:
        yield lines.heading("Clients")
        yield from lines.grid(client_cells(report) if report.every_client else client_rows(report))
    if report.warnings:
        yield lines.heading("Warnings")
        yield from lines.bullets("!", report.warnings)


# plans


# findings


def _validation(report: ValidationReport) -> Iterable[Text]:
    at = "" if report.version is None else f" (version {report.version})"
    yield lines.sentence(f"{report.table}{at}", "bold")
    if report.stopped:
        yield lines.sentence(f"  Not everything could be checked: {report.stopped}", "red")
        yield lines.sentence(f"  {recreatable(report)}")
    for severity, (title, _) in SEVERITIES.items():
        found = [one for one in report.findings if one.severity is severity]
        if found:
            yield Text(f"\n{title}", style=_SEVERITY_STYLES[severity])
            yield from _findings(report, found)
    yield Text()
    yield lines.sentence(summary(report))


def _findings(report: ValidationReport, found: Sequence[Finding]) -> Iterable[Text]:
    """Under each rule what it found; what to do once, where it is the same for all."""
    for code in dict.fromkeys(one.code for one in found):
        own = [one for one in found if one.code == code]
        remedies = list(dict.fromkeys(one.remedy for one in own if one.remedy))
        yield lines.sentence(f"  {code} {own[0].name}", "bold")
        for one in own:
            yield lines.sentence(
                f"    {one.where}: {one.message}" if one.where else f"    {one.message}"
            )
            if one.remedy and len(remedies) > 1:
                yield lines.sentence(f"      {one.remedy}", "dim")
            yield from _fix(report.table, one)
        if more := report.more.get(code):
            yield lines.sentence(f"    ... and {more} more")
        if len(remedies) == 1:
            yield lines.sentence(f"    What to do: {remedies[0]}", "dim")


def _fix(table: str, one: Finding) -> Iterable[Text]:
    if not one.fix:
        return
    from deltaadm.operations.mend import fix_command

    command = fix_command(table, one.fix)
    if command:
        yield lines.command(f"      fix: {command}", "green")


# many tables


def _overview(report: Overview) -> Iterable[Text]:
    yield lines.sentence(overview_title(report), "bold")
    for heading, items in report.sections:
        yield lines.heading(heading)
        width = max(len(str(count)) for _, count in items)
        yield from lines.grid((f"{count:>{width}}", item) for item, count in items)


# the rest


def _failure(report: Failure) -> Iterable[Text]:
    yield lines.sentence(f"{report.table}: {report.error.message}", "red")
    if report.error.remedy:
        yield lines.sentence(f"  {report.error.remedy}")


def _catalogue(report: FeatureCatalogue) -> Iterable[Text]:
    yield from lines.headed(CATALOGUE_TITLES, map(catalogue_row, report.features))


def _explanation(report: FeatureExplanation) -> Iterable[Text]:
    feature = report.feature
    yield lines.sentence(feature.name, "bold")
    yield from lines.grid(explained(feature, report.required_by))


def _rules(report: RuleCatalogue) -> Iterable[Text]:
    rows = ((one.code, one.severity.value, one.name, one.summary) for one in report.rules)
    return lines.grid(rows, bold_first=True)


def _rule_explanation(report: RuleExplanation) -> Iterable[Text]:
    rule = report.rule
    yield lines.sentence(f"{rule.code} {rule.name} ({rule.severity.value})", "bold")
    for paragraph in rule.doc.split("\n\n"):
        yield Text()
        yield lines.sentence(" ".join(paragraph.split()))


def _error_class(report: ErrorClassExplanation) -> Iterable[Text]:
    one = report.error_class
    yield lines.sentence(one.name, "bold")
    yield lines.sentence(f"  {one.meaning}")
    if one.commands:
        yield lines.heading("Commands that concern it")
        yield from lines.bullets("-", (f"deltaadm {name}" for name in one.commands))
    if report.rules:
        yield lines.heading("Rules that find what leads to it")
        yield from lines.grid(((rule.code, rule.name) for rule in report.rules), bold_first=True)


_PARTS: Final[Mapping[type, Callable[[Any], Iterable[Text]]]] = {
    TableReport: _table,
    ValidationReport: _validation,
    Failure: _failure,
    FeatureCatalogue: _catalogue,
    FeatureExplanation: _explanation,
    RuleCatalogue: _rules,
    RuleExplanation: _rule_explanation,
    ErrorClassExplanation: _error_class,
    DoctorReport: _doctor,
    Overview: _overview,
}
