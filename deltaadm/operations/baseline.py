"""
Baselines: the findings that are there already, so that only new ones count.

A finding is known by its table as the user calls it, its code and its place; not by its message,
which changes with every count and every release of deltaadm. Several findings of one rule at one
place count one by one, so that one more is new, and one that has become worse is new as well.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.errors import SettingsError
from deltaadm.validation.finding import Cause, Severity, Suppressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deltaadm.validation.finding import Finding, ValidationReport

FORMAT_VERSION: Final = 1
_KIND: Final = "deltaadm-baseline"

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Known:
    """How many findings there are of a rule at a place, and how bad the worst of them is."""

    count: int
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """
    What is known: findings by table, code and place, and, by table and code, how many findings
    there are that were not listed.
    """

    findings: Mapping[Key, Known] = field(default_factory=dict)
    more: Mapping[tuple[str, str], int] = field(default_factory=dict)


def baseline_of(reports: Iterable[ValidationReport]) -> Baseline:
    """Everything that is found now, whether or not an older baseline knows it."""
    found: dict[Key, Known] = {}
    more: dict[tuple[str, str], int] = {}
    for report in reports:
        table = _table(report)
        known = [one.finding for one in report.suppressed if one.by is Cause.BASELINE]
        for one in (*report.findings, *known):
            key = (table, one.code, one.where)
            before = found.get(key, Known(0, one.severity))
            worst = min(before.severity, one.severity, key=lambda each: each.rank)
            found[key] = Known(before.count + 1, worst)
        more |= {(table, code): count for code, count in report.more.items()}
    return Baseline(findings=found, more=more)


def without_known(report: ValidationReport, baseline: Baseline) -> ValidationReport:
    """The same report, in which what *baseline* knows does not count."""
    table = _table(report)
    used: Counter[Key] = Counter()
    new: list[Finding] = []
    known: list[Suppressed] = []
    for one in report.findings:
        key = (table, one.code, one.where)
        entry = baseline.findings.get(key)
        if entry and used[key] < entry.count and one.severity.rank >= entry.severity.rank:
            used[key] += 1
            known.append(Suppressed(one, Cause.BASELINE))
        else:
            new.append(one)
    left = {code: n - baseline.more.get((table, code), 0) for code, n in report.more.items()}
    for code, count in left.items():  # one more than known, and nobody can tell which
        if count > 0 and not any(one.code == code for one in new):
            last = max(n for n, one in enumerate(known) if one.finding.code == code)
            new.append(known.pop(last).finding)
    new.sort(key=lambda one: (one.severity.rank, one.code))
    return replace(
        report,
        findings=tuple(new),
        suppressed=(*report.suppressed, *known),
        more={code: n for code, n in left.items() if n > 0},
    )


def _table(report: ValidationReport) -> str:
    return report.table.rstrip("/").removeprefix("./") or report.table


def write_baseline(baseline: Baseline) -> str:
    """The file of *baseline*: sorted, and the same wherever and whenever it is written."""
    document = {
        "kind": _KIND,
        "format_version": FORMAT_VERSION,
        "findings": [
            {
                "table": table,
                "code": code,
                "where": where,
                "severity": one.severity.value,
                "count": one.count,
            }
            for (table, code, where), one in sorted(
                baseline.findings.items(), key=lambda item: item[0]
            )
        ],
        "more": [
            {"table": table, "code": code, "count": count}
            for (table, code), count in sorted(baseline.more.items())
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def read_baseline(text: str) -> Baseline:
    """
    The baseline in *text*.

    Raises `SettingsError` for anything else, a newer format included.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable("it is not JSON") from error
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        raise _unreadable("it does not say that it is one")
    if document.get("format_version") != FORMAT_VERSION:
        raise _unreadable(
            f"its format version is {document.get('format_version')!r}, not {FORMAT_VERSION}"
        )
    try:
        return Baseline(
            findings=dict(map(_known, document["findings"])),
            more={
                (str(one["table"]), str(one["code"])): int(one["count"]) for one in document["more"]
            },
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable("it has an entry that cannot be understood") from error


def _known(entry: Mapping[str, Any]) -> tuple[Key, Known]:
    key = (str(entry["table"]), str(entry["code"]), str(entry["where"]))
    return key, Known(int(entry["count"]), Severity(entry["severity"]))


def _unreadable(cause: str) -> SettingsError:
    return SettingsError(
        f"The file is not a baseline of deltaadm: {cause}.",
        remedy="Write one with --write-baseline FILE.",
    )
