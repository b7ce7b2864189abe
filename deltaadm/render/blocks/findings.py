"""Blocks of the report of `validate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.operations.commands import fix_command
from deltaadm.operations.inspect import describe
from deltaadm.render.blocks import Cards, Findings, Heading, PageOnly, Paragraph, Table
from deltaadm.render.blocks.tables import feature_blocks
from deltaadm.render.wording import counted
from deltaadm.validation.finding import Cause, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.render.blocks import Block
    from deltaadm.validation.finding import ValidationReport


_SEVERITIES: Final = {
    Severity.ERROR: ("Errors", "error"),
    Severity.WARNING: ("Warnings", "warning"),
    Severity.INFO: ("Info", "info"),
}
"""The heading over findings of a severity, and what one of them is called."""


def show_validation(report: ValidationReport) -> Iterator[Block]:
    """The findings in a table."""
    at = "" if report.version is None else f" (version {report.version})"
    worst = report.worst
    tone = "error" if report.stopped else "good" if worst is None else worst.value
    yield Heading(f"{report.table}{at}", level=1, tone=tone)
    counts = ((word, report.count(severity)) for severity, (word, _) in _SEVERITIES.items())
    yield Cards(
        tuple(
            (word.lower(), str(count), tone if count else "good")
            for (word, count), tone in zip(counts, ("error", "warning", "info"), strict=True)
        )
    )
    if report.stopped:
        text = f"Not everything could be checked: {report.stopped}"
        yield Paragraph(text, "error", nested=True)
        yield Paragraph(_recreatable(report), nested=True)
    yield Paragraph(_summary(report), tone, closing=True)
    for severity, (title, _) in _SEVERITIES.items():
        yield from _of_severity(report, severity, title)
    if report.suppressed:
        rows = (
            (
                f"{known.finding.code} {known.finding.name}",
                known.finding.where,
                known.by.value,
                known.reason,
            )
            for known in report.suppressed
        )
        title = "Known or ignored"
        table = Table(title, ("rule", "where", "by", "reason"), tuple(rows))
        yield PageOnly((Heading(title), table))
    if report.snapshot is not None:
        yield feature_blocks(describe(report.table, report.snapshot), report.findings)


def _of_severity(report: ValidationReport, severity: Severity, title: str) -> Iterator[Block]:
    findings = tuple(finding for finding in report.findings if finding.severity is severity)
    if findings:
        codes = {finding.code for finding in findings}
        yield Findings(
            title,
            severity,
            findings,
            tuple(fix_command(report.table, finding.fix) for finding in findings),
            {code: count for code, count in report.more.items() if code in codes},
        )


def _recreatable(report: ValidationReport) -> str:
    """The versions that can be rebuilt, in a sentence."""
    if report.versions is None:
        return "No version can be reconstructed from the log."
    first, last = report.versions
    return (
        f"Only version {first} can be reconstructed from the log."
        if first == last
        else f"Only versions {first} to {last} can be reconstructed from the log."
    )


def _summary(report: ValidationReport) -> str:
    """The number of findings, in a sentence."""
    counts = [(report.count(severity), word) for severity, (_, word) in _SEVERITIES.items()]
    parts = [counted(number, word) for number, word in counts if number] or ["no findings"]
    causes = [suppressed.by for suppressed in report.suppressed]
    known, ignored = causes.count(Cause.BASELINE), causes.count(Cause.SETTINGS)
    parts += [f"{known} in the baseline"] if known else []
    parts += [f"{ignored} ignored by settings"] if ignored else []
    text = ", ".join(parts)
    if not report.rules:
        return f"{text[0].upper()}{text[1:]}."
    return f"{counted(report.rules, 'rule')} checked: {text}."
