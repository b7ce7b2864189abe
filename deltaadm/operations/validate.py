"""`validate`: what the rules say about a table."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import deltaadm.validation.all_rules  # noqa: F401 -- registers every rule
from deltaadm.clients import Access, newest_releases, verdicts
from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.facts.facts import LogFacts, PolicyFacts, SnapshotFacts
from deltaadm.domain.facts.policy import ClientVerdict, Obstacle, Policy
from deltaadm.domain.model.metadata import Traits
from deltaadm.domain.model.properties import did_you_mean
from deltaadm.domain.transaction.spark_support import require_changeable
from deltaadm.errors import DeltaadmError
from deltaadm.operations.plan import propose
from deltaadm.validation.finding import (
    Cause,
    Finding,
    Severity,
    Suppressed,
    ValidationReport,
)
from deltaadm.validation.rule import RULES, Judge, Scope, selected

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from deltaadm.clients import ClientRelease
    from deltaadm.domain.facts.facts import Facts
    from deltaadm.domain.facts.policy import Ignore
    from deltaadm.domain.model.protocol import Protocol
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step
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
    named = {rule.name: rule.code for rule in RULES.values()}
    prefix = named.get(given.lower()) or re.sub(r"X+$", "", given.upper())
    known = len(prefix) >= len("DL1") and any(code.startswith(prefix) for code in RULES)
    return prefix if known else None


def code_of(text: str) -> str | None:
    """The code of the one rule that *text* names by its code or its name; None for any other."""
    prefix = code_prefix(text)
    return prefix if prefix in RULES else None


def similar_code(text: str) -> str:
    """A sentence that suggests a code, a family or a rule's name like *text*; empty for none."""
    code = text.strip().upper()
    family = code[: len("DL1")]
    if family in families() and len(code) == len("DL123"):  # no other is nearer in meaning
        return f"`deltaadm rules {family}` lists those of its family."
    return did_you_mean(text, [*RULES, *families(), *(rule.name for rule in RULES.values())])


@dataclass(frozen=True, kw_only=True)
class Demands:
    """
    The requirements for one table besides the protocol, and the accepted exceptions.

    `readers` and `writers` are clients that must be able to read or to write it.
    """

    policy: Policy = field(default_factory=Policy)
    readers: tuple[ClientRelease, ...] = ()
    writers: tuple[ClientRelease, ...] = ()
    ignores: tuple[Ignore, ...] = ()


def validate(
    table: str,
    facts: Iterable[Facts],
    rules: Iterable[Rule],
    *,
    demands: Demands | None = None,
    depth: tuple[str, ...] = (),
) -> ValidationReport:
    """
    Apply *rules* to *facts* of the table that the user calls *table*.

    Findings keep only those fixes that Delta would accept on this table.
    """
    asked = demands or Demands()
    judge = Judge(rules)
    log: LogFacts | None = None
    snapshot: Snapshot | None = None
    for fact in facts:
        if isinstance(fact, LogFacts):
            log = fact
        judge.see(fact)
        if isinstance(fact, SnapshotFacts):
            snapshot = fact.snapshot
            if Scope.POLICY in judge.scopes:
                judge.see(_policy_facts(fact, asked))
    findings = judge.findings
    if any(
        finding.severity is Severity.ERROR and finding.code != UNREADABLE for finding in findings
    ):
        findings = tuple(finding for finding in findings if finding.code != UNREADABLE)
    failure = None if log is None else log.failure
    report = ValidationReport(
        table=table,
        version=None if snapshot is None else snapshot.version,
        findings=tuple(_with_possible_changes(finding, snapshot) for finding in findings),
        more=judge.more,
        stopped="" if failure is None else failure.message,
        versions=None if log is None else log.versions,
        rules=len(judge.rules),
        depth=depth,
        snapshot=snapshot,
    )
    return _without_ignored(report, asked.ignores, 0 if log is None else log.now)


_BY_A_CHANGE: Final = re.compile(
    "`(deltaadm )?(alter|enable-feature|drop-feature|set-mapping-mode|validate --fix)[ `]"
    r"|ALTER TABLE …|[Tt]he fix\b|[Ss]et the (\w+ )*key|through Delta Spark"
)
"""What advice has in it that takes a change of the table by deltaadm or Delta."""


def _with_possible_changes(finding: Finding, snapshot: Snapshot | None) -> Finding:
    """The same without a fix that Delta refuses; where it refuses all, the advice says so."""
    if finding.fix:
        if _is_possible(finding.fix, snapshot):
            return finding
        finding = replace(finding, fix=())
    if snapshot is not None and _BY_A_CHANGE.search(finding.remedy):
        try:
            require_changeable(snapshot)
        except DeltaadmError:
            advice = f"{finding.remedy[:1].lower()}{finding.remedy[1:]}"
            return replace(finding, remedy=f"Once Delta Spark can change the table again: {advice}")
    return finding


def _is_possible(fix: Sequence[Step], snapshot: Snapshot | None) -> bool:
    try:
        return (
            snapshot is not None
            and not propose("validate", snapshot, fix, check_outcome=False).is_noop
        )
    except DeltaadmError:
        return False


# What is demanded


def _policy_facts(fact: SnapshotFacts, demands: Demands) -> PolicyFacts:
    snapshot = fact.snapshot
    return PolicyFacts(
        snapshot=snapshot,
        policy=demands.policy,
        verdicts=(
            *_verdicts(snapshot, demands.readers, Access.READ),
            *_verdicts(snapshot, demands.writers, Access.WRITE),
        ),
        others=_verdicts(snapshot, newest_releases(), *Access),
        expired=tuple(ignore for ignore in demands.ignores if _has_expired(ignore, fact.now)),
    )


def _verdicts(
    snapshot: Snapshot, releases: Iterable[ClientRelease], *accesses: Access
) -> tuple[ClientVerdict, ...]:
    traits = Traits.of(snapshot.metadata)
    return _client_verdicts(tuple(releases), accesses, snapshot.protocol, traits)


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _client_verdicts(
    releases: tuple[ClientRelease, ...],
    accesses: tuple[Access, ...],
    protocol: Protocol,
    traits: Traits,
) -> tuple[ClientVerdict, ...]:
    try:
        results = verdicts(releases, protocol, traits.metadata, accesses)
    except DeltaadmError:  # metadata that cannot be understood, which other rules tell
        return ()
    return tuple(
        ClientVerdict(
            client=str(verdict.release),
            access=verdict.access.value,
            outcome=verdict.compatibility.value,
            obstacles=tuple(
                Obstacle(
                    subject=cell.subject,
                    note=cell.note,
                    source=""
                    if cell.source is None
                    else f"{cell.source.title}, {cell.source.date}",
                )
                for cell in verdict.responsible
            ),
        )
        for verdict in results
    )


# What is lived with


def _has_expired(ignore: Ignore, now: int) -> bool:
    today = datetime.fromtimestamp(now / 1000, UTC).date()
    return ignore.until is not None and ignore.until < today


def _without_ignored(
    report: ValidationReport, ignores: Iterable[Ignore], now: int
) -> ValidationReport:
    """The same report, in which what is ignored and has not expired does not count."""
    valid = [entry for entry in ignores if not _has_expired(entry, now)]
    kept: list[Finding] = []
    gone: list[Suppressed] = []
    for finding in report.findings:
        ignore = next(
            (candidate for candidate in valid if finding.code.startswith(candidate.code)), None
        )
        if ignore is None:
            kept.append(finding)
        else:
            gone.append(Suppressed(finding, Cause.SETTINGS, ignore.reason))
    codes = tuple(entry.code for entry in valid)
    return replace(
        report,
        findings=tuple(kept),
        suppressed=(*report.suppressed, *gone),
        more={code: n for code, n in report.more.items() if not code.startswith(codes)},
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
