"""Reports as pages: headings, tables and lists, which Markdown and HTML write in their own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass
from deltaadm.operations.inspect import TableReport, describe
from deltaadm.operations.mend import fix_command
from deltaadm.operations.reports import (
    BestEffortReport,
    DoctorReport,
    DropReport,
    ErrorClassExplanation,
    Failure,
    FeatureCatalogue,
    FeatureExplanation,
    OutcomeReport,
    Overview,
    ParentChangesReport,
    PlanReport,
    RuleCatalogue,
    RuleExplanation,
)
from deltaadm.operations.sql import statement
from deltaadm.render.plan_wording import (
    DIFFERS,
    PARENT_CATALOG,
    change_words,
    cost_words,
    drop_sentences,
    outcome_sentences,
    parent_change_words,
    parent_plan_done,
    parent_plan_title,
    shut_out_rows,
    unchanged,
    value_words,
    version_words,
)
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
from deltaadm.validation.finding import ValidationReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from deltaadm.operations.diff import Change
    from deltaadm.operations.plan import PlannedChange
    from deltaadm.operations.reports import Report
    from deltaadm.validation.finding import Finding, Severity


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `level` 1 begins a report, `tone` is that of its worst news."""

    text: str
    level: int = 2
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences; `tone` is error, warning, info, good, or nothing of these."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows whose first cell names them; `columns` are empty where the rows need no headings."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """What can be pasted into a shell or sent to Spark."""

    text: str


@dataclass(frozen=True, slots=True)
class Graph:
    """The features of a table with what they require, beside the findings about them."""

    report: TableReport
    findings: tuple[Finding, ...] = ()


Block = Heading | Paragraph | Table | Items | Command | Graph


def blocks(report: Report) -> Iterator[Block]:
    """What a page says of *report*, from top to bottom."""
    return _BLOCKS[type(report)](report)


def _table(report: TableReport) -> Iterator[Block]:
    yield Heading(report.table, level=1)
    yield Table("Table", (), tuple(facts(report)))
    yield Heading("Protocol")
    yield Table("Protocol", (), tuple(protocol_rows(report)))
    yield from _features(report)
    yield Heading("Column mapping")
    yield Table("Column mapping", (), tuple(mapping_rows(report)))
    if report.mapping.columns is not None:
        yield Table("Columns", COLUMN_TITLES, tuple(column_rows(report)))
    configuration = report.snapshot.metadata.configuration
    if configuration:
        yield Heading("Properties")
        yield Table("Properties", ("property", "value"), tuple(sorted(configuration.items())))
    if report.snapshot.files is not None:
        yield Heading("Files")
        yield Table("Files", (), tuple(file_rows(report)))
    if report.clients:
        yield from _clients(report)
    if report.warnings:
        yield Heading("Warnings", tone="warning")
        yield Items(report.warnings)


def _clients(report: TableReport) -> Iterator[Block]:
    yield Heading("Clients")
    if report.every_client:
        columns = ("client", "access", "verdict", "subject", "source")
        yield Table("Clients", columns, tuple(client_cells(report)))
    else:
        yield Table("Clients", (), tuple(client_rows(report)))


def _features(report: TableReport, findings: tuple[Finding, ...] = ()) -> Iterator[Block]:
    if report.features:
        yield Heading("Features")
        yield Graph(report, findings)
        yield Table(
            "Features",
            ("feature", "kind", "support", "activity", "because"),
            tuple(feature_rows(report)),
        )


def _plan(report: PlanReport) -> Iterator[Block]:
    plan = report.plan
    yield Heading(f"{plan.operation}: {report.table} ({version_words(plan.before)})", level=1)
    if plan.is_noop:
        yield Paragraph("No changes.", "good")
    else:
        if plan.changes:
            yield Table("Changes", ("change", "because", "undo"), tuple(map(_change, plan.changes)))
        else:
            yield Paragraph(unchanged(plan))
        yield Heading(f"Cost: {cost_words(plan)}")
        for stage in plan.stages:
            if stage.waits:
                yield Paragraph("The first of two runs:")
            elif stage.several_commits:
                yield Paragraph("In several commits:")
            yield Command(statement(plan.before.root, stage.step, plan.before.name))
    if shut_out := shut_out_rows(plan):
        yield Heading("Clients from now on", tone="warning")
        yield Table("Clients from now on", (), shut_out)
    if plan.notes:
        yield Heading("Notes")
        yield Items(plan.notes)


def _parent_plan(report: BestEffortReport | ParentChangesReport) -> Iterator[Block]:
    plan, outcome = report.plan, report.outcome
    yield Heading(parent_plan_title(plan), level=1)
    if outcome is not None:
        yield from _compared(outcome.mismatches)
        if not outcome.mismatches:
            yield Paragraph(parent_plan_done(plan), "good")
        return
    if plan.is_noop:
        yield Paragraph("No changes.", "good")
        return
    yield Items(parent_change_words(plan))
    yield Paragraph(PARENT_CATALOG)
    yield from map(Command, plan.statements)
    if plan.notes:
        yield Heading("Notes")
        yield Items(plan.notes)


def _change(one: PlannedChange) -> tuple[str, ...]:
    return change_words(one.change), one.because, one.undo


def _outcome(report: OutcomeReport) -> Iterator[Block]:
    outcome = report.outcome
    yield Heading(f"{outcome.plan.operation}: {report.table}", level=1)
    if outcome.mismatches:
        yield from _compared(outcome.mismatches)
    else:
        for one in outcome_sentences(outcome):
            yield Paragraph(one, "good")


def _compared(mismatches: Sequence[Change]) -> Iterator[Block]:
    if mismatches:
        yield Paragraph(DIFFERS, "error")
        rows = (
            (one.subject, value_words(one.before), value_words(one.after)) for one in mismatches
        )
        yield Table("Differences", ("place", "planned", "found"), tuple(rows))


def _validation(report: ValidationReport) -> Iterator[Block]:
    at = "" if report.version is None else f" (version {report.version})"
    worst = report.worst
    tone = "error" if report.stopped else "good" if worst is None else worst.value
    yield Heading(f"{report.table}{at}", level=1, tone=tone)
    if report.stopped:
        yield Paragraph(f"Not everything could be checked: {report.stopped}", "error")
        yield Paragraph(recreatable(report))
    yield Paragraph(summary(report), tone)
    for severity, (title, _) in SEVERITIES.items():
        yield from _found(report, severity, title)
    for code, count in report.more.items():
        yield Paragraph(f"{count} more findings of {code} are not listed.")
    if report.suppressed:
        yield Heading("Known or ignored")
        rows = (
            (f"{one.finding.code} {one.finding.name}", one.finding.where, one.by.value, one.reason)
            for one in report.suppressed
        )
        yield Table("Known or ignored", ("rule", "where", "by", "reason"), tuple(rows))
    if report.snapshot is not None:
        yield from _features(describe(report.table, report.snapshot), report.findings)


def _found(report: ValidationReport, severity: Severity, title: str) -> Iterator[Block]:
    found = [one for one in report.findings if one.severity is severity]
    if not found:
        return
    yield Heading(title, tone=severity.value)
    rows = ((f"{one.code} {one.name}", one.where, one.message, one.remedy) for one in found)
    yield Table(title, ("rule", "where", "what", "what to do"), tuple(rows))
    fixes = (fix_command(report.table, one.fix) for one in found)
    for number, command in enumerate(dict.fromkeys(filter(None, fixes))):
        if not number:
            yield Paragraph("What deltaadm can mend:")
        yield Command(command)


def _failure(report: Failure) -> Iterator[Block]:
    yield Heading(report.table, level=1, tone="error")
    yield Paragraph(report.error.message, "error")
    if report.error.remedy:
        yield Paragraph(report.error.remedy)


def _catalogue(report: FeatureCatalogue) -> Iterator[Block]:
    yield Heading("Table features", level=1)
    yield Table("Table features", CATALOGUE_TITLES, tuple(map(catalogue_row, report.features)))


def _explanation(report: FeatureExplanation) -> Iterator[Block]:
    yield Heading(report.feature.name, level=1)
    yield Table(report.feature.name, (), tuple(explained(report.feature, report.required_by)))


def _doctor(report: DoctorReport) -> Iterator[Block]:
    yield Heading("This machine", level=1, tone="error" if report.failed else "good")
    rows = ((one.subject, one.health.value, one.detail, one.remedy) for one in report.checks)
    yield Table("Checks", ("subject", "health", "detail", "what to do"), tuple(rows))


def _drops(report: DropReport) -> Iterator[Block]:
    yield Heading(f"drop-feature: {report.table} (version {report.version})", level=1)
    if not report.features:
        yield Paragraph("No feature of the table can be dropped.")
    for one in report.features:
        yield Heading(one.name)
        yield Items(tuple(drop_sentences(one)))


def _rules(report: RuleCatalogue) -> Iterator[Block]:
    yield Heading("Rules", level=1)
    rows = ((one.code, one.severity.value, one.name, one.summary) for one in report.rules)
    yield Table("Rules", ("code", "severity", "name", "what it finds"), tuple(rows))


def _rule(report: RuleExplanation) -> Iterator[Block]:
    rule = report.rule
    yield Heading(f"{rule.code} {rule.name} ({rule.severity.value})", level=1)
    for paragraph in rule.doc.split("\n\n"):
        yield Paragraph(" ".join(paragraph.split()))


def _error_class(report: ErrorClassExplanation) -> Iterator[Block]:
    one = report.error_class
    yield Heading(one.name, level=1)
    yield Paragraph(one.meaning)
    if one.commands:
        yield Heading("Commands that concern it")
        yield Items(tuple(f"deltaadm {name}" for name in one.commands))
    if report.rules:
        rows = tuple((rule.code, rule.name) for rule in report.rules)
        yield Heading("Rules that find what leads to it")
        yield Table("Rules that find what leads to it", ("code", "name"), rows)


def _overview(report: Overview) -> Iterator[Block]:
    yield Heading(overview_title(report), level=1)
    for heading, items in report.sections:
        yield Heading(heading)
        rows = tuple((str(count), item) for item, count in items)
        yield Table(heading, ("tables", ""), rows)


_BLOCKS: Final[Mapping[type, Callable[[Any], Iterator[Block]]]] = {
    TableReport: _table,
    PlanReport: _plan,
    BestEffortReport: _parent_plan,
    ParentChangesReport: _parent_plan,
    OutcomeReport: _outcome,
    ValidationReport: _validation,
    Failure: _failure,
    FeatureCatalogue: _catalogue,
    FeatureExplanation: _explanation,
    DoctorReport: _doctor,
    DropReport: _drops,
    Overview: _overview,
    RuleCatalogue: _rules,
    RuleExplanation: _rule,
    ErrorClassExplanation: _error_class,
}
