"""`validate`: what the rules say about a table, and baselines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from operator import methodcaller
from typing import Final

import deltaadm.rules.checkpoints
import deltaadm.rules.column_mapping
import deltaadm.rules.features
import deltaadm.rules.files
import deltaadm.rules.log
import deltaadm.rules.metadata
import deltaadm.rules.outside
import deltaadm.rules.protocol  # noqa: F401 -- registers its rules
from deltaadm.blocks import Block, Cards, Either, Findings, Graph, Heading, Paragraph, Prose, Table
from deltaadm.clients import Access, ClientRelease, Verdict, conditions, verdicts
from deltaadm.clients import Scope as ClientScope
from deltaadm.dataclass import dataclass, field, replace
from deltaadm.documents import Document, read_kind
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.spark_support import require_changeable
from deltaadm.domain.wire import MetadataKey
from deltaadm.errors import DeltaadmError, SettingsError, TableError, UnknownNameError, did_you_mean
from deltaadm.facts import Facts, Ignore, LogFacts, Policy, PolicyFacts, SnapshotFacts
from deltaadm.json_values import COUNT, array, constant, mapping, maybe, one_of, record
from deltaadm.plans.plan import propose
from deltaadm.plans.reports import FOUND, Found
from deltaadm.plans.undo import advice_for, fix_command
from deltaadm.reports.inspect import describe, feature_table
from deltaadm.reports.words import counted
from deltaadm.rules.rule import (
    REPAIRED_BY_CATALOG,
    RULES,
    Cause,
    Finding,
    Problem,
    Rule,
    RuleRunner,
    Scope,
    Severity,
    Suppressed,
    ValidationReport,
    finding_of,
    refusal,
)

UNREADABLE: Final = "DL100"
"""The rule that speaks where no other error says why a table cannot be read."""


def choose_rules(select: Collection[str] = (), ignore: Collection[str] = ()) -> list[Rule]:
    """The rules whose code begins with one of *select*, all if empty, and with none of *ignore*."""
    chosen, ignored = tuple(select) or ("",), tuple(ignore)
    codes = (code for code in sorted(RULES) if code.startswith(chosen))
    return [RULES[code] for code in codes if not code.startswith(ignored)]


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


def require_prefix(text: str, *, whole: bool = False) -> str:
    """What `code_prefix` says, of one rule if *whole*; raises `UnknownNameError` for no rule."""
    prefix = code_prefix(text)
    if prefix is None or (whole and prefix not in RULES):
        remedy = similar_code(text) or "`deltaadm rules` lists them all."
        raise UnknownNameError(f"There is no rule {text.strip()!r}.", remedy=remedy)
    return prefix


def similar_code(text: str) -> str:
    """A sentence that suggests a code, a family or a rule's name like *text*; empty for none."""
    code = text.strip().upper()
    family = code[: len("DL1")]
    if family in families() and len(code) in {len("DL1"), len("DL123")}:  # none is nearer
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

    Findings keep only those fixes that Delta would accept on this table. Those that the settings
    ignore until a date count again once it has passed.
    """
    asked = demands or Demands()
    runner = RuleRunner(rules)
    log: LogFacts | None = None
    snapshot: Snapshot | None = None
    for fact in facts:
        if isinstance(fact, LogFacts):
            log = fact
        runner.check(fact)
        if isinstance(fact, SnapshotFacts):
            snapshot = fact.snapshot
            if any(rule.scope is Scope.POLICY for rule in runner.rules):
                runner.check(_policy_facts(fact, asked))
    findings = runner.findings
    others = [finding for finding in findings if finding.code != UNREADABLE]
    if any(finding.severity is Severity.ERROR for finding in others):
        findings = tuple(others)
    failure, now = (None, 0) if log is None else (log.failure, log.now)
    ignores = [entry for entry in asked.ignores if not _has_expired(entry, now)]

    def ignore_of(code: str) -> Ignore | None:
        return next((entry for entry in ignores if code.startswith(entry.code)), None)

    findings = tuple(_with_possible_changes(finding, snapshot) for finding in findings)
    return ValidationReport(
        table=table,
        version=None if snapshot is None else snapshot.version,
        findings=tuple(finding for finding in findings if not ignore_of(finding.code)),
        more={code: n for code, n in runner.more.items() if not ignore_of(code)},
        suppressed=tuple(
            Suppressed(finding, Cause.SETTINGS, ignore.reason)
            for finding in findings
            if (ignore := ignore_of(finding.code))
        ),
        stopped="" if failure is None else failure.message,
        versions=None if log is None else log.versions,
        rules=len(runner.rules),
        depth=depth,
        snapshot=snapshot,
    )


_BY_A_CHANGE: Final = (
    "`(deltaadm )?(alter|enable-feature|drop-feature|set-mapping-mode|validate TABLE --fix)[ `]"
    r"|ALTER TABLE …|[Tt]he fix\b|[Ss]et the (\w+ )*key|through Delta Spark"
)
"""What advice has in it that requires a change of the table by deltaadm or Delta."""


def _with_possible_changes(finding: Finding, snapshot: Snapshot | None) -> Finding:
    """The same without a fix that Delta refuses, and without advice that is refused."""
    is_managed = snapshot is not None and snapshot.protocol.is_catalog_managed
    if is_managed and "deltaadm repair" in finding.remedy:
        finding = replace(finding, remedy=REPAIRED_BY_CATALOG)
    if snapshot is not None and finding.fix:
        with suppress(DeltaadmError):
            plan = propose("validate", snapshot, finding.fix, check_outcome=False)
            if not plan.is_noop:
                return finding
    finding = replace(finding, fix=()) if finding.fix else finding
    by_change = snapshot is not None and re.search(_BY_A_CHANGE, finding.remedy)
    if by_change and refusal(require_changeable, snapshot):
        advice = f"{finding.remedy[:1].lower()}{finding.remedy[1:]}"
        return replace(finding, remedy=f"Once Delta Spark can change the table again: {advice}")
    return finding


# What is demanded, and what is lived with


def _policy_facts(fact: SnapshotFacts, demands: Demands) -> PolicyFacts:
    snapshot = fact.snapshot
    key = MetadataKey.of(snapshot.metadata)

    def of(releases: tuple[ClientRelease, ...], *accesses: Access) -> tuple[Verdict, ...]:
        return _verdicts(releases, accesses, snapshot.protocol, key, conditions(snapshot))

    scope = ClientScope.of((*demands.readers, *demands.writers), snapshot.writers)
    demanded = (*of(demands.readers, Access.READ), *of(demands.writers, Access.WRITE))
    return PolicyFacts(
        snapshot=snapshot,
        policy=demands.policy,
        verdicts=demanded,
        others=tuple(each for each in of(scope.releases, *Access) if each not in demanded),
        used=frozenset(scope.own),
        expired=tuple(ignore for ignore in demands.ignores if _has_expired(ignore, fact.now)),
    )


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _verdicts(
    releases: tuple[ClientRelease, ...],
    accesses: tuple[Access, ...],
    protocol: Protocol,
    key: MetadataKey,
    met: frozenset[str],
) -> tuple[Verdict, ...]:
    try:
        return verdicts(releases, protocol, key.metadata, accesses, met)
    except DeltaadmError:  # metadata that cannot be understood, which other rules tell
        return ()


def _has_expired(ignore: Ignore, now: int) -> bool:
    today = datetime.fromtimestamp(now / 1000, UTC).date()
    return ignore.until is not None and ignore.until < today


def unreadable(table: str, error: TableError) -> ValidationReport:
    """The report on a place that has no log to look at."""
    finding = finding_of(RULES[UNREADABLE], Problem(error.message, remedy=error.remedy))
    return ValidationReport(table=table, version=None, findings=(finding,), stopped=error.message)


# Baselines


@dataclass(frozen=True, slots=True)
class Known:
    """
    The number of findings of a rule at a place in a table, and their highest severity.

    Without a place it is the number of those that a report counts beyond the listed ones.
    """

    table: str
    table_id: str
    code: str
    count: int
    where: str | None = None
    severity: Severity = Severity.INFO


KnownTable = Mapping[tuple[str, str | None], Known]
"""What is known of one table, by code and place."""


@dataclass(frozen=True)
class Baseline:
    """The findings that are known, in the order of tables, codes and places."""

    known: tuple[Known, ...] = ()

    @cached_property
    def tables(self) -> Mapping[str, KnownTable]:
        """What is known of each table, by its name."""
        tables: dict[str, dict[tuple[str, str | None], Known]] = {}
        for known in self.known:
            tables.setdefault(known.table, {})[known.code, known.where] = known
        return tables

    @cached_property
    def _by_id(self) -> Mapping[str, KnownTable]:
        return {known.table_id: self.tables[known.table] for known in self.known if known.table_id}

    def of_table(self, report: ValidationReport) -> KnownTable:
        """What is known of a table, whatever its path is called now, unless it has another id."""
        name, table_id = _name_and_id(report)
        table = self.tables.get(name, {})
        if table_id and not any(known.table_id in ("", table_id) for known in table.values()):
            return self._by_id.get(table_id, {})
        return table


def baseline_of(reports: Iterable[ValidationReport]) -> Baseline:
    """Everything that is found now, whether or not an older baseline knows it."""
    tables: dict[str, list[Known]] = {}
    for report in reports:
        name, table_id = _name_and_id(report)
        known = [entry.finding for entry in report.suppressed if entry.by is Cause.BASELINE]
        found: dict[tuple[str, str], list[Severity]] = {}
        for finding in (*report.findings, *known):
            found.setdefault((finding.code, finding.where), []).append(finding.severity)
        if found:
            tables[name] = [
                Known(name, table_id, code, len(each), where, min(each, key=lambda s: s.rank))
                for (code, where), each in sorted(found.items())
            ]
            more = sorted(report.more.items())
            tables[name] += [Known(name, table_id, code, count) for code, count in more]
    return Baseline(tuple(known for _, table in sorted(tables.items()) for known in table))


def without_known(report: ValidationReport, baseline: Baseline) -> ValidationReport:
    """The same report, in which what *baseline* knows does not count."""
    table = baseline.of_table(report)
    used: Counter[tuple[str, str]] = Counter()
    new: list[Finding] = []
    known: list[Suppressed] = []
    for finding in report.findings:
        key = (finding.code, finding.where)
        entry = table.get(key)
        if entry and used[key] < entry.count and finding.severity.rank >= entry.severity.rank:
            used[key] += 1
            known.append(Suppressed(finding, Cause.BASELINE))
        else:
            new.append(finding)
    more = {entry.code: entry.count for entry in table.values() if entry.where is None}
    left = {code: n - more.get(code, 0) for code, n in report.more.items()}
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


def _name_and_id(report: ValidationReport) -> tuple[str, str]:
    table_id = report.snapshot and report.snapshot.metadata.id
    return report.table.rstrip("/").removeprefix("./") or report.table, table_id or ""


FORMAT_VERSION: Final = 1
_KIND: Final = "deltaadm-baseline"


_ROW: Final = {"table": str, "table_id": str, "code": str}
_BASELINE: Final = record(
    kind=constant(_KIND),
    format_version=constant(FORMAT_VERSION),
    findings=(
        array(record(**_ROW, where=str, severity=one_of(Severity), count=COUNT)),
        lambda of: [known for known in of.known if known.where is not None],
    ),
    more=(
        array(record(**_ROW, count=COUNT)),
        lambda of: [known for known in of.known if known.where is None],
    ),
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
        read = _BASELINE.read(document)
        known = [
            Known(**row | {"count": int(row["count"]), "severity": Severity(row["severity"])})
            for row in read["findings"]
        ]
        known += [Known(**row | {"count": int(row["count"])}) for row in read["more"]]
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable("it has an invalid entry") from error
    return Baseline(tuple(known))


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
    table=str,
    version=maybe(COUNT),
    stopped=(maybe(str), lambda report: report.stopped or None),
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
        array(record(**FOUND, by=one_of(Cause), reason=str)),
        lambda report: [
            Found(report.table, known.finding, known.by, known.reason)
            for known in report.suppressed
        ],
    ),
)


def show_validation(report: ValidationReport) -> Iterator[Block]:
    """The findings in a table: a page has all of them, a terminal those from `least` up."""
    at = "" if report.version is None else f" (version {report.version})"
    tone = "error" if report.stopped else report.worst.value if report.worst else "good"
    title, counts = f"{report.table}{at}", {each: report.count(each) for each in Severity}
    causes = Counter(known.by for known in report.suppressed)
    hidden = [(n, each) for each, n in counts.items() if n and each.rank > report.least.rank]
    asides = [f"{n} {each.value} hidden; --all" for n, each in hidden]
    asides += [f"{causes[Cause.BASELINE]} in the baseline"] if causes[Cause.BASELINE] else []
    asides += [f"{causes[Cause.SETTINGS]} ignored by settings"] if causes[Cause.SETTINGS] else []
    aside = f" ({', '.join(asides)})" if asides else ""
    rules = counted(report.rules, "rule")
    if report.is_healthy:
        line = f"{title}: no problems found by {rules}{aside}."
        yield Either([Heading(title, level=1, tone=tone)], [Paragraph(line, "good")])
    else:
        yield Heading(title, level=1, tone=tone)
    cards = (
        (each.heading.lower(), str(n), each.value if n else "good") for each, n in counts.items()
    )
    yield Either([Cards(tuple(cards))])
    if report.stopped:
        first, last = report.versions or (None, None)
        span = f"version {first}" if first == last else f"versions {first} to {last}"
        why = f"{'no version' if first is None else f'only {span}'} can be rebuilt from the log."
        if report.stopped not in {finding.message for finding in report.findings}:
            why = f"{report.stopped} {why.capitalize()}"
        yield Paragraph(f"Not everything could be checked: {why}", "error", nested=True)
    found = [counted(n, each.value) for each, n in counts.items() if n]
    checked = f" {rules} checked." if report.rules else ""
    yield Either([Paragraph(f"{', '.join(found) or 'No findings'}.{checked}", tone)])
    for severity in Severity:
        listed = tuple(
            replace(finding, remedy=advice_for(report.table, finding.remedy))
            for finding in report.findings
            if finding.severity is severity
        )
        codes = {finding.code for finding in listed}
        commands = tuple(fix_command(report.table, finding.fix) for finding in listed)
        more = {code: count for code, count in report.more.items() if code in codes}
        block = Findings(severity.heading, severity, listed, commands, more)
        if listed:
            yield Either([block]) if severity.rank > report.least.rank else block
    shown = ", ".join(found[: len(found) - len(hidden)])
    more_help = f" `deltaadm explain {report.findings[0].code}` tells more." if shown else ""
    summary = f"{shown or 'No findings'}{aside}.{checked}{more_help}"
    yield Either(_page_details(report), [] if report.is_healthy else [Prose(summary)])


def _page_details(report: ValidationReport) -> Iterator[Heading | Table | Graph]:
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
            if (table := feature_table(described)).rows:
                yield table


STATISTICS_DOCUMENT: Final = Document.of(
    "The output of `validate --statistics`",
    tables=COUNT,
    failed=COUNT,
    rules=array(
        record(
            code=str,
            name=str,
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
    findings: int
    tables: int


@dataclass(frozen=True)
class StatisticsReport:
    """The findings in *tables* tables by rule, the most frequent first; some may have failed."""

    tables: int
    failed: int
    rules: tuple[RuleCount, ...]

    document = "statistics"
    blocks = "deltaadm.reports.validate.show_statistics"


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
