"""Findings as workflow commands, which GitHub Actions shows as annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.operations.reports import Failure
from deltaadm.render.findings import advice, located, path_of, sentence
from deltaadm.render.visible import visible
from deltaadm.validation.finding import ValidationReport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def write_github(reports: Sequence[Report], out: TextIO) -> None:
    """One command a line for each finding, each table that failed and each that stops short."""
    for report in reports:
        if isinstance(report, ValidationReport):
            out.writelines(_findings(report))
        elif isinstance(report, Failure):
            sentences = filter(None, (report.error.message, report.error.remedy))
            message = "\n".join(map(visible, sentences))
            out.write(_command("error", path_of(report.table), "deltaadm", message))


def _findings(report: ValidationReport) -> Iterator[str]:
    for result in located(report, report.findings):
        finding = result.finding
        title = f"{finding.code} {finding.name}"
        message = "\n".join((sentence(finding), *advice(report.table, finding)))
        yield _command(_COMMANDS[finding.severity.value], result.file, title, message)
    for code, count in report.more.items():
        yield _command("notice", path_of(report.table), code, f"{count} more findings of {code}.")
    if report.stopped and not report.findings:
        yield _command("error", path_of(report.table), "deltaadm", visible(report.stopped))


def _command(name: str, file: str, title: str, message: str) -> str:
    properties = f"file={_property(visible(file))},title={_property(title)}"
    return f"::{name} {properties}::{_data(message)}\n"


def _data(text: str) -> str:
    # The escapes of GitHub's runner, the percent sign first: the others bring some along.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
