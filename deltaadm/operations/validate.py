"""`validate`: what the rules say about a table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import deltaadm.validation.rules  # noqa: F401 -- registers every rule
from deltaadm.domain.facts import LogFacts
from deltaadm.domain.properties import did_you_mean
from deltaadm.validation.finding import Finding, Severity, ValidationReport
from deltaadm.validation.rule import RULES, Judge, selected

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from deltaadm.domain.facts import Facts
    from deltaadm.errors import TableError
    from deltaadm.validation.rule import Rule

UNREADABLE: Final = "DL100"
"""The rule that speaks where no other error says why a table cannot be read."""


def choose_rules(select: Collection[str] = (), ignore: Collection[str] = ()) -> list[Rule]:
    """The rules whose code begins with one of *select*, all if empty, and with none of *ignore*."""
    return selected((RULES[code] for code in sorted(RULES)), select, ignore)


def families() -> tuple[str, ...]:
    """The families of codes, such as `DL4`."""
    return tuple(sorted({code[:3] for code in RULES}))


def code_prefix(text: str) -> str | None:
    """
    The beginning of codes that *text* names: a code, a family (`DL4`, `DL4xx`), a rule's name.

    None if no rule has it.
    """
    given = text.strip()
    named = {one.name: one.code for one in RULES.values()}
    prefix = named.get(given.lower()) or re.sub(r"X+$", "", given.upper())
    known = len(prefix) >= len("DL1") and any(code.startswith(prefix) for code in RULES)
    return prefix if known else None


def similar_code(text: str) -> str:
    """A sentence that suggests a code, a family or a rule's name like *text*; empty for none."""
    return did_you_mean(text, [*RULES, *families(), *(one.name for one in RULES.values())])


def validate(
    table: str, facts: Iterable[Facts], rules: Iterable[Rule], *, depth: tuple[str, ...] = ()
) -> ValidationReport:
    """What *rules* find in *facts*, for the table that the user calls *table*."""
    chosen = tuple(rules)
    judge = Judge(chosen)
    log: LogFacts | None = None
    for fact in facts:
        if isinstance(fact, LogFacts):
            log = fact
        judge.see(fact)
    findings = judge.findings
    if any(one.severity is Severity.ERROR and one.code != UNREADABLE for one in findings):
        findings = tuple(one for one in findings if one.code != UNREADABLE)
    failure = None if log is None else log.failure
    segment = None if log is None else log.segment
    return ValidationReport(
        table=table,
        version=None if segment is None else segment.version,
        findings=findings,
        more=judge.more,
        stopped="" if failure is None else failure.message,
        versions=None if log is None else log.versions,
        rules=len(chosen),
        depth=depth,
    )


def unreadable(table: str, error: TableError) -> ValidationReport:
    """The report on a place that has no log to look at."""
    return ValidationReport(
        table=table,
        version=None,
        findings=(
            Finding(
                code=UNREADABLE,
                name=RULES[UNREADABLE].name,
                severity=Severity.ERROR,
                message=error.message,
                remedy=error.remedy or RULES[UNREADABLE].advice,
            ),
        ),
        stopped=error.message,
    )
