"""`validate`: what the rules say about a table, and baselines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter, methodcaller
from typing import TYPE_CHECKING, Final

import deltaadm.rules.all_rules  # noqa: F401 -- registers every rule
from deltaadm.blocks import Cards, Either, Findings, Graph, Heading, Paragraph, Prose, Table
from deltaadm.clients import Access, ClientRelease, newest_releases, verdicts
from deltaadm.dataclass import dataclass, field, replace
from deltaadm.documents import Document, read_kind
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.spark_support import require_changeable
from deltaadm.domain.wire import Traits
from deltaadm.errors import DeltaadmError, SettingsError, TableError, did_you_mean
from deltaadm.facts import (
    ClientVerdict,
    Facts,
    Ignore,
    LogFacts,
    Obstacle,
    Policy,
    PolicyFacts,
    SnapshotFacts,
)
from deltaadm.json_values import (
    COUNT,
    STRING,
    array,
    constant,
    mapping,
    maybe,
    one_of,
    record,
)
from deltaadm.plans.findings import FOUND, Found
from deltaadm.plans.plan import propose
from deltaadm.plans.undo import fix_command
from deltaadm.reports.inspect import describe, feature_table
from deltaadm.reports.words import counted
from deltaadm.rules.rule import (
    RULES,
    Cause,
    Finding,
    Judge,
    Rule,
    Scope,
    Severity,
    Suppressed,
    ValidationReport,
    selected,
)

if TYPE_CHECKING:
    from deltaadm.blocks import Block, PageBlock


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
    others = [finding for finding in findings if finding.code != UNREADABLE]
    if any(finding.severity is Severity.ERROR for finding in others):
        findings = tuple(others)
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
            if (
                snapshot
                and not propose("validate", snapshot, finding.fix, check_outcome=False).is_noop
            ):
                return finding
        except DeltaadmError:
            pass
        finding = replace(finding, fix=())
    if snapshot is not None and _BY_A_CHANGE.search(finding.remedy):
        try:
            require_changeable(snapshot)
        except DeltaadmError:
            advice = f"{finding.remedy[:1].lower()}{finding.remedy[1:]}"
            return replace(finding, remedy=f"Once Delta Spark can change the table again: {advice}")
    return finding


# What is demanded, and what is lived with


def _policy_facts(fact: SnapshotFacts, demands: Demands) -> PolicyFacts:
    snapshot = fact.snapshot
    traits = Traits.of(snapshot.metadata)

    def of(releases: tuple[ClientRelease, ...], *accesses: Access) -> tuple[ClientVerdict, ...]:
        return _client_verdicts(releases, accesses, snapshot.protocol, traits)

    return PolicyFacts(
        snapshot=snapshot,
        policy=demands.policy,
        verdicts=(*of(demands.readers, Access.READ), *of(demands.writers, Access.WRITE)),
        others=of(tuple(newest_releases()), *Access),
        expired=tuple(ignore for ignore in demands.ignores if _has_expired(ignore, fact.now)),
    )


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
    found = []
    for verdict in results:
        obstacles = []
        for cell in verdict.responsible:
            source = f"{cell.source.title}, {cell.source.date}" if cell.source else ""
            obstacles.append(Obstacle(subject=cell.subject, note=cell.note, source=source))
        found.append(
            ClientVerdict(
                client=str(verdict.release),
                access=verdict.access.value,
                outcome=verdict.compatibility.value,
                obstacles=tuple(obstacles),
            )
        )
    return tuple(found)


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
        ignore = next((entry for entry in valid if finding.code.startswith(entry.code)), None)
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
    rule = RULES[UNREADABLE]
    finding = Finding(
        code=UNREADABLE,
        name=rule.name,
        severity=Severity.ERROR,
        message=error.message,
        remedy=error.remedy or rule.advice,
    )
    return ValidationReport(table=table, version=None, findings=(finding,), stopped=error.message)


# Baselines


Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Known:
    """The number of findings of a rule at a place, and their highest severity."""

    count: int
    severity: Severity


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """The known findings by table, code and place, and how many more by table and code."""

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
    findings=(array(_FINDING), lambda of: sorted(of.findings.items(), key=itemgetter(0))),
    more=(array(_MORE), lambda of: sorted(of.more.items(), key=itemgetter(0))),
)
BASELINE_DOCUMENT: Final = Document("A baseline: the findings that are known", _BASELINE)


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
        found = [
            (
                (str(entry["table"]), str(entry["code"]), str(entry["where"])),
                Known(int(entry["count"]), Severity(entry["severity"])),
            )
            for entry in document["findings"]
        ]
        more = {
            (str(entry["table"]), str(entry["code"])): int(entry["count"])
            for entry in document["more"]
        }
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable("it has an invalid entry") from error
    return Baseline(findings=dict(found), more=more)


def _unreadable(cause: str) -> SettingsError:
    return SettingsError(
        f"The file is not a deltaadm baseline: {cause}.",
        remedy="Write one with --write-baseline FILE.",
    )


_VERSIONS: Final = record(
    first=(COUNT, lambda versions: versions[0]), last=(COUNT, lambda versions: versions[1])
)
_COUNTS: Final = record(
    **{severity.value: (COUNT, methodcaller("count", severity)) for severity in Severity}
)
VALIDATE_DOCUMENT: Final = Document.of(
    "The output of `validate` for a table",
    table=STRING,
    version=maybe(COUNT),
    stopped=(maybe(STRING), lambda report: report.stopped or None),
    recreatable_versions=(maybe(_VERSIONS), lambda report: report.versions),
    depth=array(one_of("history", "deep", "cross-check")),
    rules=COUNT,
    counts=(_COUNTS, lambda report: report),
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
    tone = "error" if report.stopped else report.worst.value if report.worst else "good"
    yield Heading(f"{report.table}{at}", level=1, tone=tone)
    counts = {severity: report.count(severity) for severity in _SEVERITIES}
    cards = (
        (_SEVERITIES[severity][0].lower(), str(count), severity.value if count else "good")
        for severity, count in counts.items()
    )
    yield Either([Cards(tuple(cards))])
    if report.stopped:
        text = f"Not everything could be checked: {report.stopped}"
        yield Paragraph(text, "error", nested=True)
        first, last = report.versions or (None, None)
        span = f"version {first}" if first == last else f"versions {first} to {last}"
        what = "No version" if first is None else f"Only {span}"
        yield Paragraph(f"{what} can be reconstructed from the log.", nested=True)
    parts = [counted(n, _SEVERITIES[severity][1]) for severity, n in counts.items() if n]
    causes = [known.by for known in report.suppressed]
    known, ignored = causes.count(Cause.BASELINE), causes.count(Cause.SETTINGS)
    parts = parts or ["no findings"]
    parts += [f"{known} in the baseline"] if known else []
    parts += [f"{ignored} ignored by settings"] if ignored else []
    summary = f"{', '.join(parts)}."
    if report.rules:
        summary = f"{counted(report.rules, 'rule')} checked: {summary}"
    summary = f"{summary[0].upper()}{summary[1:]}"
    yield Either([Paragraph(summary, tone)])
    for severity, (title, _) in _SEVERITIES.items():
        found = tuple(finding for finding in report.findings if finding.severity is severity)
        if found:
            codes = {finding.code for finding in found}
            commands = tuple(fix_command(report.table, finding.fix) for finding in found)
            more = {code: count for code, count in report.more.items() if code in codes}
            yield Findings(title, severity, found, commands, more)
    yield Either(_page_details(report), [Prose(summary)])


def _page_details(report: ValidationReport) -> Iterator[PageBlock]:
    if report.suppressed:
        rows = tuple(
            (f"{of.finding.code} {of.finding.name}", of.finding.where, of.by.value, of.reason)
            for of in report.suppressed
        )
        yield Heading("Known or ignored")
        yield Table("Known or ignored", ("rule", "where", "by", "reason"), rows)
    if report.snapshot is not None:
        described = describe(report.table, report.snapshot)
        if described.features:
            yield Heading("Features")
            yield Graph(described.features, report.findings)
            yield feature_table(described)
