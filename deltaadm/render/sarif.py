"""Findings in the Static Analysis Results Interchange Format, version 2.1.0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import deltaadm.validation.all_rules  # noqa: F401 -- registers every rule
from deltaadm import __version__
from deltaadm.operations.reports import Failure
from deltaadm.render.findings import advice, located, path_of, sentence, uri_of
from deltaadm.render.json_doc import write_value
from deltaadm.render.visible import visible
from deltaadm.validation.finding import ValidationReport
from deltaadm.validation.rule import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report
    from deltaadm.render.findings import Located
    from deltaadm.validation.finding import Finding

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_KINDS = (("schema", "member"), ("configuration", "property"), ("protocol", "property"))


def write_sarif(reports: Sequence[Report], out: TextIO) -> None:
    """One log with one run, which is what GitHub accepts, whatever the number of tables."""
    write_value({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(reports)]}, out)


def _run(reports: Sequence[Report]) -> dict[str, Any]:
    validated = [report for report in reports if isinstance(report, ValidationReport)]
    codes = sorted({finding.code for report in validated for finding in _all(report)})
    notifications = [notice for report in reports for notice in _notifications(report)]
    return {
        "tool": {
            "driver": {
                "name": "deltaadm",
                "semanticVersion": __version__,
                "rules": [_descriptor(code) for code in codes],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not any(
                    notice["level"] == "error" for notice in notifications
                ),
                "toolExecutionNotifications": notifications,
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(report, result, codes.index(result.finding.code))
            for report in validated
            for result in located(report, _all(report))
        ],
    }


def _all(report: ValidationReport) -> tuple[Finding, ...]:
    return (*report.findings, *(suppressed.finding for suppressed in report.suppressed))


def _descriptor(code: str) -> dict[str, Any]:
    known = RULES.get(code)
    if known is None:
        return {"id": code}
    level = _LEVELS[known.severity.value]
    return {
        "id": code,
        "name": known.name,
        "shortDescription": {"text": known.summary},
        "fullDescription": {"text": known.summary},
        "help": {"text": known.doc, "markdown": known.doc},
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": ["delta-lake", known.scope.name.lower().replace("_", "-")],
            # What GitHub filters alerts by.
            "problem.severity": "recommendation" if level == "note" else level,
        },
    }


def _result(report: ValidationReport, result: Located, rule: int) -> dict[str, Any]:
    finding = result.finding
    causes = [suppressed for suppressed in report.suppressed if suppressed.finding is finding]
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity.value],
        "message": {"text": _plain(sentence(finding), *advice(report.table, finding))},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": uri_of(result.file)}},
                "logicalLocations": [_logical(report.table, result.place)],
            }
        ],
        "partialFingerprints": {
            "deltaadmFinding/v1": result.fingerprint,
            # By this one GitHub tells whether an alert is that of an earlier run.
            "primaryLocationLineHash": f"{result.fingerprint[:16]}:1",
        },
        "suppressions": [
            {"kind": "external", "justification": visible(cause.reason or cause.by.value)}
            for cause in causes
        ],
    }


def _logical(table: str, place: str) -> dict[str, str]:
    if not place:
        return {"name": visible(table), "fullyQualifiedName": visible(table), "kind": "resource"}
    kind = next((kind for start, kind in _KINDS if place.startswith(start)), "element")
    return {
        "name": visible(place),
        "fullyQualifiedName": f"{visible(table)}#{visible(place)}",
        "kind": kind,
    }


def _notifications(report: Report) -> Iterator[dict[str, Any]]:
    if isinstance(report, Failure):
        yield _notification(report.table, "error", report.error.message, report.error.remedy)
    elif isinstance(report, ValidationReport):
        if report.stopped:
            yield _notification(report.table, "error", report.stopped)
        for code, count in report.more.items():
            yield _notification(report.table, "note", f"{count} more findings of {code}.")


def _notification(table: str, level: str, *sentences: str) -> dict[str, Any]:
    return {
        "level": level,
        "message": {"text": _plain(*map(visible, sentences))},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri_of(path_of(table))}}}],
    }


def _plain(*sentences: str) -> str:
    """One text in which nothing can pass for one of the links that the format allows."""
    return "\n".join(filter(None, sentences)).replace("](", "]\\(")
