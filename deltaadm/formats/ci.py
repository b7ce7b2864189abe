"""Findings and plans for other programs: SARIF, GitHub, GitLab, JUnit, SQL."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import deltaadm.rules.all_rules  # noqa: F401 -- registers every rule
from deltaadm import __version__
from deltaadm.dataclass import dataclass
from deltaadm.documents import Failure
from deltaadm.formats.json import write_value
from deltaadm.plans.plan import planned_statement
from deltaadm.plans.reports import ForeignReport, OutcomeReport, PlanReport, SavedPlanReport
from deltaadm.plans.undo import fix_command
from deltaadm.reports.words import visible
from deltaadm.rules.rule import RULES, Severity, ValidationReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from deltaadm.blocks import Report
    from deltaadm.rules.rule import Finding


LOG = "_delta_log"

_PLACE = re.compile(
    r"(protocol|configuration|schema|id|name|description|format|partitionColumns|createdTime"
    r"|metaData|domainMetadata|txn|commitInfo)(?![^\s.\[])"
)
_LOG_FILE = re.compile(r"[0-9]{20}\.|_last_checkpoint|_sidecars/|_staged_commits/")
_ENDINGS = (".parquet", ".json", ".crc")
_QUOTED = re.compile(r"delta\.`(.+)`", re.DOTALL)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


@dataclass(frozen=True)
class Located:
    """
    A finding, the file that it is about, and the place within the table if it names one.

    `file` begins with the table as the user wrote it. `fingerprint` is the same in every run
    that finds the same thing at the same place, and differs from all others of its report.
    """

    finding: Finding
    file: str
    place: str
    fingerprint: str


def located(report: ValidationReport, findings: Iterable[Finding]) -> Iterator[Located]:
    """*findings*, which are some of *report*, in their order."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = (finding.code, finding.where)
        seen[key] += 1
        file = _file(finding.where)
        yield Located(
            finding=finding,
            file=path_of(report.table, file or LOG),
            place="" if file else finding.where,
            fingerprint=fingerprint(report.table, *key, str(seen[key])),
        )


def _file(where: str) -> str:
    """The file that *where* names, as seen from the table; empty if it is a place in the table."""
    if _LOG_FILE.match(where):
        return f"{LOG}/{where}"
    return "" if _PLACE.match(where) and not where.endswith(_ENDINGS) else where


def fingerprint(*parts: str) -> str:
    """A hash of *parts*, whose boundaries count."""
    joined = "\0".join(part.replace("\\", "\\\\").replace("\0", "\\0") for part in parts)
    from hashlib import sha256

    return sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def path_of(table: str, file: str = "") -> str:
    """The path of *file*, which is one of the table's or absolute, as seen from the user."""
    if file.startswith("/") or _SCHEME.match(file):
        return file
    quoted = _QUOTED.fullmatch(table)
    named = quoted[1] if quoted else table
    root = named.removeprefix("./").rstrip("/") or ("" if named.startswith("/") else ".")
    return f"{root}/{file}" if file else root or "/"


def uri_of(path: str) -> str:
    """
    *path* as a URI, or as a relative reference if it is relative.

    >>> uri_of("/data/my events")
    'file:///data/my%20events'
    >>> uri_of("a:b/c")
    'a:b/c'
    >>> uri_of("data/50%")
    'data/50%25'
    """
    scheme = _SCHEME.match(path)
    if scheme is not None:
        return _quoted(path, "/:@!$&'()*+,;=~%")
    encoded = _quoted(path, "/@!$&'()*+,;=~")
    return f"file://{encoded}" if path.startswith("/") else encoded


def _quoted(text: str, safe: str) -> str:
    # Names of files may hold bytes that are no UTF-8, which Python has as surrogates.
    from urllib.parse import quote

    return quote(text.encode("utf-8", "surrogatepass"), safe=safe)


def sentence(finding: Finding) -> str:
    """The message of a finding, with its place if the message does not name it."""
    known = not finding.where or finding.where in finding.message
    return visible(finding.message if known else f"{finding.where}: {finding.message}")


def advice(table: str, finding: Finding) -> tuple[str, ...]:
    """The remedy, and the command that applies it if there is one."""
    command = fix_command(table, finding.fix)
    return tuple(filter(None, (visible(finding.remedy), command and f"Fix: {visible(command)}")))


# SARIF


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


# GitHub


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


# GitLab


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


# JUnit


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


# SQL


def write_sql(reports: Sequence[Report], out: TextIO, *, for_terminal: bool = False) -> None:
    """
    One statement a line, each ended by a semicolon; what has no statement is a comment.

    Names and expressions can hold what only escapes could hide, and SQL has none for them: they are
    written as they are, unless it is *for_terminal*.
    """
    for report in reports:
        for statements in _statements(report):
            lines = (*_warnings(report), *map(_ended, statements))
            out.writelines(f"{visible(line) if for_terminal else line}\n" for line in lines)
            if not statements:
                out.write("-- nothing to do\n")


def _warnings(report: Report) -> Iterator[str]:
    """The effect of the statements, as comments, which nothing in them can end."""
    if not isinstance(report, (PlanReport, SavedPlanReport)):
        return
    for finding in report.plan.findings:
        repair = fix_command(report.table, finding.fix) or finding.remedy
        problem = f"{finding.severity.value} {finding.code} {finding.name}: {sentence(finding)}"
        text = f"after this, {problem}"
        yield f"-- {visible(text)} {visible(repair)}".rstrip("\\ ")


def _ended(statement: str) -> str:
    return statement if statement.startswith("--") else f"{statement};"


def _statements(report: Report) -> Iterator[tuple[str, ...]]:
    """The statements of the plan in *report*, if it has a plan."""
    if isinstance(report, ForeignReport):
        yield report.plan.statements
    elif isinstance(report, (PlanReport, SavedPlanReport, OutcomeReport)):
        plan = report.outcome.plan if isinstance(report, OutcomeReport) else report.plan
        yield tuple(planned_statement(plan, stage) for stage in plan.stages)
