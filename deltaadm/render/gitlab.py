"""Findings as GitLab's code quality report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaadm.operations.reports import Failure
from deltaadm.render.findings import advice, fingerprint, located, path_of, sentence
from deltaadm.render.json_doc import write_value
from deltaadm.render.visible import visible
from deltaadm.validation.finding import ValidationReport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report

_SEVERITIES = {"error": "critical", "warning": "minor", "info": "info"}


def write_gitlab(reports: Sequence[Report], out: TextIO) -> None:
    """One array, whatever the number of tables."""
    issues = [issue for report in reports for issue in _issues(report)]
    write_value(issues, out)


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    if isinstance(report, ValidationReport):
        for result in located(report, report.findings):
            yield _issue(
                result.finding.code,
                sentence(result.finding),
                result.fingerprint,
                _SEVERITIES[result.finding.severity.value],
                result.file,
            ) | {"content": {"body": "\n".join(advice(report.table, result.finding))}}
        if report.stopped and not report.findings:
            yield _failure(report.table, "table", report.stopped)
    elif isinstance(report, Failure):
        yield _failure(report.table, report.error.kind, report.error.message)


def _failure(table: str, kind: str, message: str) -> dict[str, Any]:
    # By the kind of error: its words may name what differs from run to run, such as a time.
    mark = fingerprint(table, kind)
    return _issue(f"{kind}-error", visible(message), mark, "blocker", path_of(table))


def _issue(check: str, text: str, mark: str, severity: str, path: str) -> dict[str, Any]:
    return {
        "type": "issue",
        "check_name": check,
        "description": text,
        "fingerprint": mark,
        "severity": severity,
        # GitLab wants a line; a finding about a table has none.
        "location": {"path": visible(path), "lines": {"begin": 1}},
    }
