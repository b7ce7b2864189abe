"""`validate`: what the rules say about a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import deltaadm.validation.rules  # noqa: F401 -- registers every rule
from deltaadm.domain.facts import LogFacts
from deltaadm.validation.rule import RULES, Judge, ValidationReport, selected

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from deltaadm.domain.facts import Facts
    from deltaadm.validation.rule import Rule


def choose_rules(select: Collection[str] = (), ignore: Collection[str] = ()) -> list[Rule]:
    """The rules whose code begins with one of *select*, all if empty, and with none of *ignore*."""
    return selected((RULES[code] for code in sorted(RULES)), select, ignore)


def validate(table: str, facts: Iterable[Facts], rules: Iterable[Rule]) -> ValidationReport:
    """What *rules* find in *facts*, for the table that the user calls *table*."""
    chosen = tuple(rules)
    judge = Judge(chosen)
    log: LogFacts | None = None
    for fact in facts:
        if isinstance(fact, LogFacts):
            log = fact
        judge.see(fact)
    failure = None if log is None else log.failure
    segment = None if log is None else log.segment
    return ValidationReport(
        table=table,
        version=None if segment is None else segment.version,
        findings=judge.findings,
        more=judge.more,
        stopped="" if failure is None else failure.message,
        versions=None if log is None else log.versions,
        rules=len(chosen),
    )
