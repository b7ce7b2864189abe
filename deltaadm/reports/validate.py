"""`validate`: what the rules say about a table, and baselines."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter, methodcaller
from typing import TYPE_CHECKING, Any, Final

import deltaadm.rules.all_rules  # noqa: F401 -- registers every rule
from deltaadm.blocks import Cards, Either, Findings, Heading, Paragraph, Prose, Table
from deltaadm.clients import Access, newest_releases, verdicts
from deltaadm.dataclass import dataclass, field, replace
from deltaadm.documents import Document, read_kind
from deltaadm.domain.facts import (
    ClientVerdict,
    LogFacts,
    Obstacle,
    Policy,
    PolicyFacts,
    SnapshotFacts,
)
from deltaadm.domain.json_values import (
    COUNT,
    STRING,
    array,
    constant,
    mapping,
    maybe,
    one_of,
    record,
)
from deltaadm.domain.properties import did_you_mean
from deltaadm.domain.transaction.spark_support import require_changeable
from deltaadm.domain.wire import Traits
from deltaadm.errors import DeltaadmError, SettingsError
from deltaadm.plans.findings import FOUND, Found
from deltaadm.plans.plan import propose
from deltaadm.plans.undo import fix_command
from deltaadm.reports.inspect import describe, feature_blocks
from deltaadm.reports.words import counted
from deltaadm.rules.rule import (
    RULES,
    Cause,
    Finding,
    Judge,
    Scope,
    Severity,
    Suppressed,
    ValidationReport,
    selected,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from deltaadm.blocks import Block
    from deltaadm.clients import ClientRelease
    from deltaadm.domain.facts import Facts, Ignore
    from deltaadm.domain.protocol import Protocol
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.errors import TableError
    from deltaadm.rules.rule import Rule


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
            if Scope.POLICY in judge.rules.scopes:
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
        try:
            is_possible = (
                snapshot is not None
                and not propose("validate", snapshot, finding.fix, check_outcome=False).is_noop
            )
        except DeltaadmError:
            is_possible = False
        if is_possible:
            return finding
        finding = replace(finding, fix=())
    if snapshot is not None and _BY_A_CHANGE.search(finding.remedy):
        try:
            require_changeable(snapshot)
        except DeltaadmError:
            advice = f"{finding.remedy[:1].lower()}{finding.remedy[1:]}"
            return replace(finding, remedy=f"Once Delta Spark can change the table again: {advice}")
    return finding


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


# Baselines


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


# As JSON


FORMAT_VERSION: Final = 1
_KIND: Final = "deltaadm-baseline"


_FINDING: Final = record(
    table=(STRING, lambda item: item[0][0]),
    code=(STRING, lambda item: item[0][1]),
    where=(STRING, lambda item: item[0][2]),
    severity=(one_of(Severity), lambda item: item[1].severity),
    count=(COUNT, lambda item: item[1].count),
)
_MORE: Final = record(
    table=(STRING, lambda item: item[0][0]),
    code=(STRING, lambda item: item[0][1]),
    count=(COUNT, lambda item: item[1]),
)
_BASELINE: Final = record(
    kind=constant(_KIND),
    format_version=constant(FORMAT_VERSION),
    findings=(array(_FINDING), lambda baseline: _sorted(baseline.findings)),
    more=(array(_MORE), lambda baseline: _sorted(baseline.more)),
)
BASELINE_DOCUMENT: Final = Document("A baseline: the findings that are known", _BASELINE)


def _sorted(entries: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return sorted(entries.items(), key=itemgetter(0))


def write_baseline(baseline: Baseline) -> str:
    """The file of *baseline*: sorted, and the same wherever and whenever it is written."""
    return json.dumps(BASELINE_DOCUMENT.write(baseline), indent=2) + "\n"


def read_baseline(text: str) -> Baseline:
    """
    The baseline in *text*.

    Raises `SettingsError` for anything else, a newer format included.
    """
    document = read_kind(text, _KIND, FORMAT_VERSION, _unreadable)
    try:
        return Baseline(
            findings={
                (str(entry["table"]), str(entry["code"]), str(entry["where"])): Known(
                    int(entry["count"]), Severity(entry["severity"])
                )
                for entry in document["findings"]
            },
            more={
                (str(entry["table"]), str(entry["code"])): int(entry["count"])
                for entry in document["more"]
            },
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable("it has an invalid entry") from error


def _unreadable(cause: str) -> SettingsError:
    return SettingsError(
        f"The file is not a deltaadm baseline: {cause}.",
        remedy="Write one with --write-baseline FILE.",
    )


VALIDATE_DOCUMENT: Final = Document.of(
    "The output of `validate` for a table",
    table=STRING,
    version=maybe(COUNT),
    stopped=(maybe(STRING), lambda report: report.stopped or None),
    recreatable_versions=(
        maybe(
            record(
                first=(COUNT, lambda versions: versions[0]),
                last=(COUNT, lambda versions: versions[1]),
            )
        ),
        lambda report: report.versions,
    ),
    depth=array(one_of("history", "deep", "cross-check")),
    rules=COUNT,
    counts=(
        record(
            **{severity.value: (COUNT, methodcaller("count", severity)) for severity in Severity}
        ),
        lambda report: report,
    ),
    findings=(
        array(record(**FOUND)),
        lambda report: [Found(report.table, finding) for finding in report.findings],
    ),
    more=mapping(COUNT),
    suppressed=(
        array(record(**FOUND, by=one_of(Cause), reason=STRING)),
        lambda report: [
            Found(report.table, known.finding, known.by, known.reason)
            for known in report.suppressed
        ],
    ),
)


# As blocks


_SEVERITIES: Final = {
    Severity.ERROR: ("Errors", "error"),
    Severity.WARNING: ("Warnings", "warning"),
    Severity.INFO: ("Info", "info"),
}
"""The heading over findings of a severity, and what one of them is called."""


def show_validation(report: ValidationReport) -> Iterator[Block]:
    """The findings in a table."""
    at = "" if report.version is None else f" (version {report.version})"
    worst = report.worst
    tone = "error" if report.stopped else "good" if worst is None else worst.value
    yield Heading(f"{report.table}{at}", level=1, tone=tone)
    cards = (
        (word.lower(), str(count), severity.value if count else "good")
        for severity, (word, _) in _SEVERITIES.items()
        for count in [report.count(severity)]
    )
    yield Either([Cards(tuple(cards))])
    if report.stopped:
        text = f"Not everything could be checked: {report.stopped}"
        yield Paragraph(text, "error", nested=True)
        yield Paragraph(_recreatable(report), nested=True)
    summary = _summary(report)
    yield Either([Paragraph(summary, tone)])
    for severity, (title, _) in _SEVERITIES.items():
        yield from _of_severity(report, severity, title)
    if report.suppressed:
        rows = (
            (
                f"{known.finding.code} {known.finding.name}",
                known.finding.where,
                known.by.value,
                known.reason,
            )
            for known in report.suppressed
        )
        title = "Known or ignored"
        table = Table(title, ("rule", "where", "by", "reason"), tuple(rows))
        yield Either((Heading(title), table))
    if report.snapshot is not None:
        yield feature_blocks(describe(report.table, report.snapshot), report.findings)
    yield Either(text=[Prose(summary)])


def _of_severity(report: ValidationReport, severity: Severity, title: str) -> Iterator[Block]:
    findings = tuple(finding for finding in report.findings if finding.severity is severity)
    if findings:
        codes = {finding.code for finding in findings}
        yield Findings(
            title,
            severity,
            findings,
            tuple(fix_command(report.table, finding.fix) for finding in findings),
            {code: count for code, count in report.more.items() if code in codes},
        )


def _recreatable(report: ValidationReport) -> str:
    """The versions that can be rebuilt, in a sentence."""
    if report.versions is None:
        return "No version can be reconstructed from the log."
    first, last = report.versions
    return (
        f"Only version {first} can be reconstructed from the log."
        if first == last
        else f"Only versions {first} to {last} can be reconstructed from the log."
    )


def _summary(report: ValidationReport) -> str:
    """The number of findings, in a sentence."""
    counts = [(report.count(severity), word) for severity, (_, word) in _SEVERITIES.items()]
    parts = [counted(number, word) for number, word in counts if number] or ["no findings"]
    causes = [suppressed.by for suppressed in report.suppressed]
    known, ignored = causes.count(Cause.BASELINE), causes.count(Cause.SETTINGS)
    parts += [f"{known} in the baseline"] if known else []
    parts += [f"{ignored} ignored by settings"] if ignored else []
    text = ", ".join(parts)
    if not report.rules:
        return f"{text[0].upper()}{text[1:]}."
    return f"{counted(report.rules, 'rule')} checked: {text}."
