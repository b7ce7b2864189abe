"""
A rule: one small function from facts to problems, with its code, severity and documentation; and
the findings that it leads to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from deltaadm import facts
from deltaadm.dataclass import dataclass, field
from deltaadm.domain import steps as kinds
from deltaadm.domain.properties import Key, switch
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import Path, StructField, StructType, path_text
from deltaadm.domain.snapshot import LogListing, Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.transaction.update import COMPAT_KEYS
from deltaadm.domain.wire import Metadata, MetadataKey
from deltaadm.errors import DeltaadmError
from deltaadm.facts import SnapshotFacts, State
from deltaadm.json_values import Same
from deltaadm.masking import masked, secrets_among

# Findings


class Severity(Enum):
    """
    The severity of a finding.

    ERROR: the protocol forbids it or Delta refuses it; WARNING: allowed, yet likely to hurt;
    INFO: no problem, for information.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    def __init__(self, _word: str) -> None:
        self.rank = len(type(self).__members__)
        """0 for the worst."""

    @property
    def heading(self) -> str:
        """What stands above findings of it: Errors, Warnings or Info."""
        return self.value.title() + ("" if self is Severity.INFO else "s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem with the rule that found it."""

    code: str
    name: str
    severity: Severity
    message: str
    where: str = ""
    remedy: str = ""
    fix: tuple[Step, ...] = ()


class Cause(Enum):
    """Why a finding does not count."""

    BASELINE = "baseline"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that does not count, and the reason given for it."""

    finding: Finding
    by: Cause
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ValidationReport:
    """
    The findings of the rules for the table that the user calls `table`.

    `findings` are in the order of severity, code and place; `suppressed` are those that do not
    count. `more` counts, by code, the findings beyond the first `LIMIT`. `version` is None where
    no snapshot can be built; `stopped` then says why, and `versions` is the range that can be
    rebuilt, if any. `depth` names how far the rules looked beyond the newest version.
    `snapshot` is that version, where it could be built. A terminal lists findings from `least` up,
    and counts the others.
    """

    table: str
    version: int | None
    findings: tuple[Finding, ...]
    more: Mapping[str, int] = field(default_factory=dict)
    suppressed: tuple[Suppressed, ...] = ()
    stopped: str = ""
    versions: tuple[int, int] | None = None
    rules: int = 0
    depth: tuple[str, ...] = ()
    snapshot: Snapshot | None = None
    least: Severity = Severity.INFO

    document = "validate"
    blocks = "deltaadm.reports.validate.show_validation"

    @property
    def worst(self) -> Severity | None:
        """The severity of the worst finding."""
        return min(
            (finding.severity for finding in self.findings), key=lambda s: s.rank, default=None
        )

    @property
    def is_healthy(self) -> bool:
        """Whether everything was checked, and nothing was found from `least` up."""
        return not self.stopped and (self.worst is None or self.worst.rank > self.least.rank)

    def count(self, severity: Severity) -> int:
        """The number of findings of *severity*; those beyond `LIMIT` have the code's worst one."""
        listed = sum(finding.severity is severity for finding in self.findings)
        worst = {finding.code: finding.severity for finding in reversed(self.findings)}
        return listed + sum(n for code, n in self.more.items() if worst.get(code) is severity)


REPAIRED_BY_CATALOG: Final = "Have the catalog's own tools repair it, or ask its operator."
"""The advice on damage of a table whose commits a catalog manages."""
DAY: Final = 86_400_000
"""Milliseconds."""

LIMIT: Final = 20
"""The maximum number of findings of one rule that are listed individually."""


# Rules


if TYPE_CHECKING:
    Check = Callable[[Any], Iterator["Problem"]]
    Filter = Callable[[Any], Any]


class Scope(Enum):
    """
    The unit that a rule checks; the value of each member is the class of its facts.

    Two scopes split what could be one: FILE, since a table may have millions of files and what
    judges each must not hold them all, and CHECKSUM, since a checksum may belong to any version.
    """

    LOG = facts.LogFacts
    COMMIT = facts.CommitFacts
    CHECKPOINT = facts.CheckpointFacts
    COMPACTION = facts.CompactionFacts
    FILE = facts.LiveFile
    SNAPSHOT = facts.SnapshotFacts
    CHECKSUM = facts.ChecksumFacts
    DEEP = facts.DataFileFacts
    CROSS_CHECK = facts.CrossCheck
    CATALOG = facts.CatalogFacts
    POLICY = facts.PolicyFacts


@dataclass(frozen=True)
class Problem:
    """
    A problem that a rule's check yields.

    `where` names the place in the notation of plans (`schema[a.b]`, `configuration[key]`,
    `protocol.readerFeatures`) or a file, where it is not the one that was checked. `severity` and
    `remedy` are given where they differ from the rule's own. `fix` are the steps that fix it, if
    deltaadm can.
    """

    message: str
    where: str = ""
    remedy: str = ""
    severity: Severity | None = None
    fix: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Rule:
    """
    A registered check.

    `summary` is the first paragraph of its documentation, `advice` the paragraph *What to do*.
    Where there may be very many of what it checks, it says in which it can find something: `only`
    in which files, by column, and `having` in commits with an action of one of these names. Without
    it every one is checked. One on the newest version that looks at nothing but protocol, schema
    and properties is `shared`: what it finds in one table it finds in all that are like it.
    """

    code: str
    name: str
    severity: Severity
    scope: Scope
    check: Check
    only: Filter | None = None
    having: frozenset[str] = frozenset()
    shared: bool = False

    @property
    def doc(self) -> str:
        """The documentation of its function, without the indentation."""
        lines = (self.check.__doc__ or "").strip().splitlines()
        return "\n".join(line.removeprefix("    ") for line in lines)

    @property
    def summary(self) -> str:
        """The description of what the rule finds."""
        return self.doc.partition("\n\n")[0].replace("\n", " ")

    @property
    def advice(self) -> str:
        """What to do about it."""
        advice = self.section("What to do")
        return advice[:1].upper() + advice[1:]

    def section(self, title: str) -> str:
        """The paragraph of the documentation that begins with *title* and a colon."""
        for paragraph in self.doc.split("\n\n"):
            head, colon, rest = paragraph.partition(":")
            if colon and head.strip() == title:
                return " ".join(rest.split())
        return ""


RULES: Final[dict[str, Rule]] = {}
"""All rules by code; complete once `deltaadm.reports.validate` has been imported."""


def rule(
    code: str,
    severity: Severity,
    scope: Scope,
    *,
    only: Filter | None = None,
    having: Iterable[str] = (),
    shared: bool = False,
) -> Callable[[Check], Check]:
    """Register a check under *code*, see `Rule`; raises `ValueError` if the code is taken."""

    def register(check: Check) -> Check:
        if code in RULES:
            raise ValueError(f"{code} is taken")
        name = check.__name__.replace("_", "-")
        RULES[code] = Rule(code, name, severity, scope, check, only, frozenset(having), shared)
        return check

    return register


@lru_cache(maxsize=256)
def _rules_for(rules: Same, scope: Scope, names: frozenset[str] = frozenset()) -> tuple[Rule, ...]:
    """Those of *scope* that are not shared; on a commit, those that its actions call for."""
    chosen = (each for each in rules.value if each.scope is scope and not each.shared)
    return tuple(each for each in chosen if not (each.having and each.having.isdisjoint(names)))


@lru_cache(maxsize=64)
def _found_in_like_tables(
    rules: Same, limit: int, protocol: Protocol, key: MetadataKey
) -> RuleRunner:
    """What shared rules find in all tables with this protocol and metadata."""
    # Without anything of its own, such as a location.
    like = Snapshot(root="", version=0, protocol=protocol, metadata=key.metadata)
    runner = RuleRunner((), limit=limit)
    fact = SnapshotFacts(snapshot=like, listing=LogListing.of("", {}))
    runner.apply((each for each in rules.value if each.shared), fact)
    return runner


class RuleRunner:
    """
    Applies rules to facts as they come and keeps what they find.

    Holds no facts, so its memory does not grow with the table. Of each rule it keeps so many
    findings as the *limit* says, and counts the others.
    """

    def __init__(self, rules: Iterable[Rule], *, limit: int = LIMIT) -> None:
        self.rules, self._limit = tuple(rules), limit
        self._same = Same(self.rules)
        self.found: list[Finding] = []
        self.counts: Counter[str] = Counter()

    def check(self, fact: facts.Facts) -> None:
        """Apply every rule for this kind of fact."""
        if isinstance(fact, facts.CommitFacts):
            names = frozenset(fact.lines.names)
            self.apply(_rules_for(self._same, Scope.COMMIT, names), fact)
        elif isinstance(fact, facts.LiveFiles):
            columns = fact.columns
            rules = _rules_for(self._same, Scope.FILE)
            # Two steps: of a million files hardly any is looked at by itself.
            rows = [columns.every if each.only is None else each.only(columns) for each in rules]
            for file, asked in columns.files(rows):
                self.apply(compress(rules, asked), file)
        elif isinstance(fact, facts.SpreadFiles):
            rules = _rules_for(self._same, Scope.FILE)
            kept = Counter(finding.code for finding in self.found)
            for found, counts in fact.answers(partial(_found_in, rules, self._limit)):
                for finding in found:
                    kept[finding.code] += 1
                    if kept[finding.code] <= self._limit:
                        self.found.append(finding)
                self.counts.update(counts)
        elif isinstance(fact, facts.Withdrawn):
            self.found.clear()
            self.counts.clear()
        else:
            if isinstance(fact, SnapshotFacts):
                # What is odd about a table is not part of what tables are compared by.
                if fact.protocol.is_odd or fact.metadata.is_odd:
                    self.apply((each for each in self.rules if each.shared), fact)
                else:
                    key = MetadataKey.of(fact.metadata)
                    like = _found_in_like_tables(self._same, self._limit, fact.protocol, key)
                    self.found += like.found
                    self.counts += like.counts
            self.apply(_rules_for(self._same, Scope(type(fact))), fact)

    def apply(self, rules: Iterable[Rule], fact: facts.Facts) -> None:
        """Apply *rules* alone."""
        # Not by a function: of ten thousand commits a dozen rules each find nothing.
        for each in rules:
            for problem in each.check(fact):
                alike = fact.alike if isinstance(fact, facts.DataFileFacts) else 0
                self.counts[each.code] += 1 + alike
                if self.counts[each.code] <= self._limit:
                    self.found.append(finding_of(each, problem, fact))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, the most severe first."""
        return tuple(sorted(self.found, key=lambda f: (f.severity.rank, f.code)))

    @property
    def more(self) -> Mapping[str, int]:
        """The number of findings of a code beyond those in `findings`."""
        limit = self._limit
        return {code: n - limit for code, n in sorted(self.counts.items()) if n > limit}


def _found_in(
    rules: Sequence[Rule], limit: int, files: Iterable[facts.LiveFiles]
) -> tuple[list[Finding], dict[str, int]]:
    runner = RuleRunner(rules, limit=limit)
    for each in files:
        runner.check(each)
    return runner.found, dict(runner.counts)


def finding_of(rule: Rule, problem: Problem, fact: facts.Facts | None = None) -> Finding:
    """The finding that a *problem* with *fact* is, in which no secret of its table is quoted."""
    secrets: set[str] = set()
    # The attributes of facts that hold metadata, and so secrets that a rule might quote.
    for attribute in ("snapshot", "state", "before", "after"):
        metadata = getattr(getattr(fact, attribute, None), "metadata", None)
        if metadata is not None:
            secrets |= _secrets_in(Same(metadata))
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=problem.severity or rule.severity,
        # A rule quotes what it finds, which may be a password in a property.
        message=masked(problem.message, secrets),
        where=masked(problem.where or _file_of(fact)),
        remedy=masked(problem.remedy, secrets) or rule.advice,
        fix=problem.fix,
    )


@lru_cache(4)  # there may be as many findings as properties
def _secrets_in(metadata: Same) -> frozenset[str]:
    layout = metadata.value.format
    options = (layout and layout.options) or {}
    return frozenset((*secrets_among(metadata.value.configuration), *secrets_among(options)))


def _file_of(fact: facts.Facts | None) -> str:
    if isinstance(fact, (facts.LiveFile, facts.DataFileFacts)):
        return fact.add.path
    if isinstance(fact, facts.CheckpointFacts):
        return fact.files[0].path
    if isinstance(fact, (facts.CommitFacts, facts.CompactionFacts, facts.ChecksumFacts)):
        return fact.file.path
    return ""


def accepted(
    snapshot: Snapshot, step: Step, is_fixed: Callable[[Snapshot], bool]
) -> tuple[Step, ...]:
    """
    *step*, if Delta accepts it on *snapshot* and the outcome satisfies *is_fixed*; else nothing.

    Never a step that changes the schema: a repair must not decide under which names the
    columns are found in files that are already there.
    """
    try:
        after = evolve(snapshot, step)
        same = after.metadata.schema == snapshot.metadata.schema
    except DeltaadmError:
        return ()
    return (step,) if same and is_fixed(after) else ()


def adding(snapshot: Snapshot, feature: str) -> tuple[Step, ...]:
    """The step that adds *feature* to the protocol, where Delta takes it."""
    step = kinds.SetProperties({f"{Key.FEATURE_PREFIX}{feature}": "supported"})
    return accepted(snapshot, step, lambda after: after.protocol.supports(feature))


K = TypeVar("K")
V = TypeVar("V")


def remembering(function: Callable[[K], V]) -> Callable[[K], V]:
    """
    *function* with its last answer kept, for as long as it is given the same object.

    A million files share one state, and a dozen rules look at each file in turn.
    """
    last: tuple[K, V] | None = None  # no `lru_cache`: executors get it by value, lock and all

    def answer(key: K) -> V:
        nonlocal last
        known = last  # read once: another thread may replace it
        if known is None or known[0] is not key:
            last = known = (key, function(key))
        return known[1]

    return answer


# Questions that several rules ask


def refusal(check: Callable[..., object], *given: object) -> DeltaadmError | None:
    """The error that *check* raises for what it is given, if any."""
    try:
        check(*given)
    except DeltaadmError as error:
        return error
    return None


@remembering
def fields_of(metadata: Metadata) -> tuple[tuple[Path, StructField], ...]:
    """All columns with their paths; none where the schema cannot be read."""
    return tuple(schema_of(metadata).walk())


def schema_of(metadata: Metadata) -> StructType:
    """The schema; without columns where it cannot be read."""
    try:
        return metadata.schema
    except DeltaadmError:
        return StructType()


def top_fields(metadata: Metadata) -> tuple[StructField, ...]:
    """The top-level columns."""
    return tuple(field for path, field in fields_of(metadata) if len(path) == 1)


def place_of(path: Path) -> str:
    """A column as the place of a finding."""
    return f"schema[{path_text(path)}]"


def mapping_mode(metadata: Metadata) -> ColumnMappingMode | None:
    """The column mapping mode; None where its property holds no mode."""
    try:
        return column_mapping_mode(metadata)
    except DeltaadmError:
        return None


def is_on(state: Snapshot | State, feature: str, key: str) -> bool:
    """Whether a feature is supported and its property on."""
    protocol, metadata = state.protocol, state.metadata
    if protocol is None or metadata is None:
        return False
    return protocol.supports(feature) and bool(switch(metadata.configuration, key))


def active_compat_versions(snapshot: Snapshot) -> Iterator[int]:
    """The versions of Iceberg compatibility that are active."""
    for version, key in COMPAT_KEYS.items():
        if is_on(snapshot, f"icebergCompatV{version}", key):
            yield version


def has_timestamps(state: State) -> bool:
    """Whether in-commit timestamps are supported and on."""
    enabled = state.property(Key.IN_COMMIT_TIMESTAMPS).lower() == "true"
    return enabled and state.supports("inCommitTimestamp")


def needed(protocol: Protocol, subjects: Iterable[str]) -> str:
    """The features, and in words the versions of *protocol*, that a client lacks."""
    return ", ".join(protocol.versions.get(subject, subject) for subject in subjects)
