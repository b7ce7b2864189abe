"""`validate --statistics`: the findings in many tables by rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deltaadm.blocks import Block, Either, Heading, Prose, Table
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.json_values import COUNT, STRING, array, one_of, record
from deltaadm.reports.words import counted
from deltaadm.rules.rule import Severity

STATISTICS_DOCUMENT: Final = Document.of(
    "The output of `validate --statistics`",
    tables=COUNT,
    failed=COUNT,
    rules=array(
        record(
            code=STRING,
            name=STRING,
            severity=one_of(*(severity.value for severity in Severity)),
            findings=COUNT,
            tables=COUNT,
        )
    ),
)


@dataclass(frozen=True)
class RuleCount:
    """The number of findings of a rule, and of tables with any; the severity of the first."""

    code: str
    name: str
    severity: str
    findings: int = 0
    tables: int = 0


@dataclass(frozen=True)
class StatisticsReport:
    """The findings in *tables* tables by rule, the most frequent first; some may have failed."""

    tables: int
    failed: int
    rules: tuple[RuleCount, ...]

    document = "statistics"
    blocks = "deltaadm.reports.statistics.show_statistics"


def show_statistics(report: StatisticsReport) -> Iterator[Block]:
    """The number of findings of each rule."""
    yield Either([Heading("Findings by rule", level=1)])
    rows = (
        (str(rule.findings), str(rule.tables), rule.code, rule.severity, rule.name)
        for rule in report.rules
    )
    if report.rules:
        columns = ("findings", "tables", "code", "severity", "name")
        yield Table("Findings by rule", columns, tuple(rows))
    count = sum(rule.findings for rule in report.rules)
    text = f"{counted(report.tables, 'table')}, {counted(count, 'finding')}"
    failed = f", {report.failed} not checked" if report.failed else ""
    yield Prose(f"{text}{failed}.")
