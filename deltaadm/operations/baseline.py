"""
Baselines: the findings that are there already, so that only new ones count.

A finding is known by its table as the user calls it, its code and its place; not by its message,
which changes with every count and every release of deltaadm. Several findings of one rule at one
place count one by one, so that one more is new, and one that has become worse is new as well.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.validation.finding import Cause, Severity, Suppressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deltaadm.validation.finding import Finding, ValidationReport

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Known:
    """The number of findings of a rule at a place, and their highest severity."""

    count: int
    severity: Severity


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """
    What is known: findings by table, code and place, and, by table and code, how many findings
    there are that were not listed.
    """

    findings: Mapping[Key, Known] = field(default_factory=dict)
    more: Mapping[tuple[str, str], int] = field(default_factory=dict)


def baseline_of(reports: Iterable[ValidationReport]) -> Baseline:
    """Everything that is found now, whether or not an older baseline knows it."""
    accepted: dict[Key, Known] = {}
    more: dict[tuple[str, str], int] = {}
    for report in reports:
        table = _table(report)
        known = [entry.finding for entry in report.suppressed if entry.by is Cause.BASELINE]
        for finding in (*report.findings, *known):
            key = (table, finding.code, finding.where)
            before = accepted.get(key, Known(0, finding.severity))
            worst = min(before.severity, finding.severity, key=lambda each: each.rank)
            accepted[key] = Known(before.count + 1, worst)
        more |= {(table, code): count for code, count in report.more.items()}
    return Baseline(findings=accepted, more=more)


def without_known(report: ValidationReport, baseline: Baseline) -> ValidationReport:
    """The same report, in which what *baseline* knows does not count."""
    table = _table(report)
    used: Counter[Key] = Counter()
    new: list[Finding] = []
    known: list[Suppressed] = []
    for finding in report.findings:
        key = (table, finding.code, finding.where)
        entry = baseline.findings.get(key)
        if entry and used[key] < entry.count and finding.severity.rank >= entry.severity.rank:
            used[key] += 1
            known.append(Suppressed(finding, Cause.BASELINE))
        else:
            new.append(finding)
    left = {code: n - baseline.more.get((table, code), 0) for code, n in report.more.items()}
    for code, count in left.items():  # one more than known, and nobody can tell which
        if count > 0 and not any(finding.code == code for finding in new):
            last = max(n for n, row in enumerate(known) if row.finding.code == code)
            new.append(known.pop(last).finding)
    new.sort(key=lambda finding: (finding.severity.rank, finding.code))
    return replace(
        report,
        findings=tuple(new),
        suppressed=(*report.suppressed, *known),
        more={code: n for code, n in left.items() if n > 0},
    )


def _table(report: ValidationReport) -> str:
    return report.table.rstrip("/").removeprefix("./") or report.table
