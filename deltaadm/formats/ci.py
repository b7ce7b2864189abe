"""Findings and plans for other programs: SARIF, GitHub, GitLab, JUnit, SQL."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, TextIO
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import deltaadm.reports.validate  # noqa: F401 -- registers every rule
from deltaadm import __version__
from deltaadm.dataclass import dataclass
from deltaadm.documents import Failure
from deltaadm.domain.snapshot import LOG_DIRECTORY
from deltaadm.formats import Style
from deltaadm.formats.json import write_value
from deltaadm.masking import visible
from deltaadm.plans.plan import planned_statement
from deltaadm.plans.reports import ForeignReport, OutcomeReport, PlanReport, SavedPlanReport
from deltaadm.plans.undo import advice_for, fix_command
from deltaadm.rules.rule import RULES, Finding, Severity, ValidationReport

_PLACE = re.compile(
    r"(protocol|configuration|schema|id|name|description|format|partitionColumns|createdTime"
    r"|metaData|domainMetadata|txn|commitInfo|client|settings)(?![^\s.\[])"
)
_LOG_FILE = re.compile(r"[0-9]{20}\.|_last_checkpoint|_sidecars/|_staged_commits/")
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


def located(report: Checked, findings: Iterable[Finding]) -> Iterator[Located]:
    """*findings*, which are some of *report*, in their order."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = (finding.code, finding.where)
        seen[key] += 1
        # The file that it names, as seen from the table; empty if that is a place in the table.
        file = where = finding.where
        if _LOG_FILE.match(where):
            file = f"{LOG_DIRECTORY}/{where}"
        elif _PLACE.match(where) and not where.endswith((".parquet", ".json", ".crc")):
            file = ""
        yield Located(
            finding=finding,
            file=path_of(report.table, file or LOG_DIRECTORY),
            place="" if file else finding.where,
            fingerprint=fingerprint(report.table, *key, str(seen[key])),
        )


def fingerprint(*parts: str) -> str:
    """A hash of *parts*, whose boundaries count."""
    joined = "\0".join(part.replace("\\", "\\\\").replace("\0", "\\0") for part in parts)
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
    safe = "/@!$&'()*+,;=~" + (":%" if _SCHEME.match(path) else "")
    # Names of files may hold bytes that are no UTF-8, which Python has as surrogates.
    encoded = quote(path.encode("utf-8", "surrogatepass"), safe=safe)
    return f"file://{encoded}" if path.startswith("/") else encoded


def sentence(finding: Finding) -> str:
    """The message of a finding, with its place if the message does not name it."""
    known = not finding.where or finding.where in finding.message
    return visible(finding.message if known else f"{finding.where}: {finding.message}")


def advice(table: str, finding: Finding) -> tuple[str, ...]:
    """The remedy, and the command that applies it if there is one."""
    command = fix_command(table, finding.fix)
    lines = visible(advice_for(table, finding.remedy)), command and f"Fix: {visible(command)}"
    return tuple(filter(None, lines))


Checked = ValidationReport | Failure
"""What of a run over tables the formats below are about, all but SQL."""


def _failure(report: Checked) -> tuple[str, ...]:
    """Kind, message and remedy of what kept a table from being checked completely, if anything."""
    if isinstance(report, Failure):
        return report.error.kind, report.error.message, report.error.remedy
    return ("table", report.stopped, "") if report.stopped else ()


def _findings(report: Checked) -> tuple[Finding, ...]:
    return () if isinstance(report, Failure) else report.findings


def _more(report: Checked) -> Iterable[tuple[str, str]]:
    more = {} if isinstance(report, Failure) else report.more
    return ((code, f"{count} more findings of {code}.") for code, count in more.items())


# SARIF


_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_KINDS = (("schema", "member"), ("configuration", "property"), ("protocol", "property"))


def write_sarif(reports: Sequence[Checked], out: TextIO, _: Style) -> None:
    """One log with one run, which is what GitHub accepts, whatever the number of tables."""
    found = [
        (report, (*report.findings, *(known.finding for known in report.suppressed)))
        for report in reports
        if isinstance(report, ValidationReport)
    ]
    codes = sorted({finding.code for _, findings in found for finding in findings})
    notices = []
    for report in reports:
        if failure := _failure(report):
            notices.append(_notice(report, "error", *failure[1:]))
        notices += [_notice(report, "note", text) for _, text in _more(report)]
    rules: list[dict[str, Any]] = []
    for code in codes:
        known = RULES.get(code)
        if known is None:
            rules.append({"id": code})
            continue
        level = _LEVELS[known.severity.value]
        rules.append(
            {
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
        )
    driver = {"name": "deltaadm", "semanticVersion": __version__, "rules": rules}
    invocation = {
        "executionSuccessful": not any(notice["level"] == "error" for notice in notices),
        "toolExecutionNotifications": notices,
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(report, result, codes.index(result.finding.code))
            for report, findings in found
            for result in located(report, findings)
        ],
    }
    write_value({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, out)


def _result(report: ValidationReport, result: Located, rule: int) -> dict[str, Any]:
    finding, place, table = result.finding, visible(result.place), visible(report.table)
    logical = {"name": table, "fullyQualifiedName": table, "kind": "resource"}
    if place:
        kind = next((kind for start, kind in _KINDS if place.startswith(start)), "element")
        logical = {"name": place, "fullyQualifiedName": f"{table}#{place}", "kind": kind}
    physical = {"artifactLocation": {"uri": uri_of(result.file)}}
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity.value],
        "message": {"text": _plain(sentence(finding), *advice(report.table, finding))},
        "locations": [{"physicalLocation": physical, "logicalLocations": [logical]}],
        "partialFingerprints": {
            "deltaadmFinding/v1": result.fingerprint,
            # By this one GitHub tells whether an alert is that of an earlier run.
            "primaryLocationLineHash": f"{result.fingerprint[:16]}:1",
        },
        "suppressions": [
            {"kind": "external", "justification": visible(known.reason or known.by.value)}
            for known in report.suppressed
            if known.finding is finding
        ],
    }


def _notice(report: Checked, level: str, *sentences: str) -> dict[str, Any]:
    physical = {"artifactLocation": {"uri": uri_of(path_of(report.table))}}
    text = _plain(*map(visible, sentences))
    return {
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": physical}],
    }


def _plain(*sentences: str) -> str:
    """One text in which nothing can pass for one of the links that the format allows."""
    return "\n".join(filter(None, sentences)).replace("](", "]\\(")


# GitHub


_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def write_github(reports: Sequence[Checked], out: TextIO, _: Style) -> None:
    """One command a line for each finding, each table that failed and each that stops short."""
    for report in reports:
        for result in located(report, _findings(report)):
            finding = result.finding
            title = f"{finding.code} {finding.name}"
            text = "\n".join((sentence(finding), *advice(report.table, finding)))
            out.write(_command(_COMMANDS[finding.severity.value], result.file, title, text))
        for code, text in _more(report):
            out.write(_command("notice", path_of(report.table), code, text))
        if (failure := _failure(report)) and not _findings(report):
            text = "\n".join(map(visible, filter(None, failure[1:])))
            out.write(_command("error", path_of(report.table), "deltaadm", text))


def _command(name: str, file: str, title: str, message: str) -> str:
    # The escapes of GitHub's runner, the percent sign first: the others bring some along.
    file, title, message = (
        text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        for text in (visible(file), title, message)
    )
    file, title = (text.replace(":", "%3A").replace(",", "%2C") for text in (file, title))
    return f"::{name} file={file},title={title}::{message}\n"


# GitLab


_SEVERITIES = {"error": "critical", "warning": "minor", "info": "info"}


def write_gitlab(reports: Sequence[Checked], out: TextIO, _: Style) -> None:
    """One array, whatever the number of tables."""
    issues = []
    for report in reports:
        for result in located(report, _findings(report)):
            finding, mark = result.finding, result.fingerprint
            severity = _SEVERITIES[finding.severity.value]
            issue = _issue(finding.code, sentence(finding), mark, severity, result.file)
            body = "\n".join(advice(report.table, finding))
            issues.append({**issue, "content": {"body": body}})
        if (failure := _failure(report)) and not _findings(report):
            kind, message = failure[:2]
            # By the kind of error: its words may name what differs from run to run, such as a time.
            mark, path = fingerprint(report.table, kind), path_of(report.table)
            issues.append(_issue(f"{kind}-error", visible(message), mark, "blocker", path))
    write_value(issues, out)


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


def write_junit(reports: Sequence[Checked], out: TextIO, style: Style) -> None:
    """
    One document; findings at or above `fail_on`, or errors, are failures, others tests that pass.

    A table that cannot be read is an error, and a table without findings one test that passes.
    """
    root = Element("testsuites", name="deltaadm")
    limit = (style.fail_on or Severity.ERROR).rank
    for report in reports:
        table = visible(report.table)
        suite = SubElement(root, "testsuite", name=table)
        names: Counter[str] = Counter()
        for finding in _findings(report):
            name = " ".join(filter(None, (finding.code, finding.name, finding.where)))
            names[name] += 1
            number = f" ({names[name]})" if names[name] > 1 else ""
            case = _case(suite, table, name + number)
            severity = finding.severity.value
            if finding.severity.rank <= limit:
                shown = SubElement(case, "failure", message=sentence(finding), type=severity)
            else:
                shown = SubElement(case, "system-out")
            where = [f"where: {visible(finding.where)}"] if finding.where else []
            lines = (
                f"{severity}: {visible(finding.message)}",
                *where,
                *advice(report.table, finding),
            )
            shown.text = "\n".join(lines)
        if failure := _failure(report):
            kind, message, remedy = failure
            case = _case(suite, table, "the table can be read")
            SubElement(case, "error", message=visible(message), type=kind).text = visible(remedy)
        elif isinstance(report, ValidationReport) and not report.findings:
            _case(suite, table, f"no findings from {report.rules} rules")
    for element in (*root, root):
        for name, kind in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            element.set(name, str(sum(1 for _ in element.iter(kind))))
        element.set("skipped", "0")
        element.set("time", "0")
    indent(root)
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    # Letters beyond ASCII as references, so that the encoding of the output does not matter.
    out.write(tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii") + "\n")


def _case(suite: Element, table: str, name: str) -> Element:
    return SubElement(suite, "testcase", classname=table, name=visible(name), time="0")


# SQL


Planned = PlanReport | SavedPlanReport | OutcomeReport | ForeignReport


def write_sql(reports: Sequence[Planned], out: TextIO, style: Style) -> None:
    """
    One statement a line, each ended by a semicolon; what has no statement is a comment.

    Names and expressions can hold what only escapes could hide, and SQL has none for them: they are
    written as they are, unless it is for a terminal.
    """
    for report in reports:
        lines = []
        if isinstance(report, ForeignReport):
            statements = report.plan.statements
        else:
            plan = report.outcome.plan if isinstance(report, OutcomeReport) else report.plan
            statements = tuple(planned_statement(stage) for stage in plan.stages)
        if isinstance(report, PlanReport | SavedPlanReport):
            # The effect of the statements, as comments, which nothing in them can end.
            for finding in report.plan.findings:
                rule = f"{finding.severity.value} {finding.code} {finding.name}"
                repair = fix_command(report.table, finding.fix) or finding.remedy
                text = visible(f"after this, {rule}: {sentence(finding)}")
                lines.append(f"-- {text} {visible(repair)}".rstrip("\\ "))
        lines += [line if line.startswith("--") else f"{line};" for line in statements]
        out.writelines(f"{visible(line) if style.for_terminal else line}\n" for line in lines)
        if not statements:
            out.write("-- nothing to do\n")
