"""Findings as test results, which most CI systems can show: a suite for each table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from deltaadm.operations.reports import Failure
from deltaadm.render.findings import advice, sentence
from deltaadm.render.visible import visible
from deltaadm.validation.finding import Severity, ValidationReport

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report
    from deltaadm.validation.finding import Finding


def write_junit(
    reports: Sequence[Report], out: TextIO, *, fail_on: Severity = Severity.ERROR
) -> None:
    """
    One document; findings at or above *fail_on* are failures, the others are tests that pass.

    A table that cannot be read is an error, and a table without findings one test that passes.
    """
    root = Element("testsuites", name="deltaadm")
    for report in reports:
        if isinstance(report, ValidationReport):
            _validated(root, report, fail_on)
        elif isinstance(report, Failure):
            suite = _suite(root, report.table)
            error = report.error
            _error(suite, report.table, error.kind, error.message, error.remedy)
    for suite in root:
        _count(suite, suite)
    _count(root, root)
    indent(root)
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    # Letters beyond ASCII as references, so that the encoding of the output does not matter.
    out.write(tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii") + "\n")


def _validated(root: Element, report: ValidationReport, fail_on: Severity) -> None:
    suite = _suite(root, report.table)
    names: Counter[str] = Counter()
    for finding in report.findings:
        name = f"{finding.code} {finding.name}" + (f" {finding.where}" if finding.where else "")
        names[name] += 1
        number = f" ({names[name]})" if names[name] > 1 else ""
        case = _case(suite, report.table, name + number)
        if finding.severity.rank <= fail_on.rank:
            failure = SubElement(
                case, "failure", message=sentence(finding), type=finding.severity.value
            )
            failure.text = _text(report.table, finding)
        else:
            SubElement(case, "system-out").text = _text(report.table, finding)
    if report.stopped:
        _error(suite, report.table, "table", report.stopped, "")
    elif not report.findings:
        _case(suite, report.table, f"no findings from {report.rules} rules")


def _text(table: str, finding: Finding) -> str:
    lines = [f"{finding.severity.value}: {visible(finding.message)}"]
    if finding.where:
        lines.append(f"where: {visible(finding.where)}")
    return "\n".join((*lines, *advice(table, finding)))


def _suite(root: Element, table: str) -> Element:
    return SubElement(root, "testsuite", name=visible(table))


def _case(suite: Element, table: str, name: str) -> Element:
    return SubElement(suite, "testcase", classname=visible(table), name=visible(name), time="0")


def _error(suite: Element, table: str, kind: str, message: str, remedy: str) -> None:
    case = _case(suite, table, "the table can be read")
    error = SubElement(case, "error", message=visible(message), type=kind)
    error.text = visible(remedy)


def _count(element: Element, within: Element) -> None:
    for name, kind in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        element.set(name, str(sum(1 for _ in within.iter(kind))))
    element.set("skipped", "0")
    element.set("time", "0")
