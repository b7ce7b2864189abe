"""
A rule: one small function from facts to problems, with its code, severity and documentation.

The decorator `rule` registers a function. Its name says what is found; its docstring is the
documentation that users read: what is found, *Why it matters*, *What to do*, *Source*.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from functools import cached_property, lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.facts import facts
from deltaadm.domain.model.log_segment import LogListing
from deltaadm.domain.model.metadata import Traits
from deltaadm.domain.model.snapshot import Snapshot
from deltaadm.masking import masked, secrets_among
from deltaadm.validation.among import ByNames, ByStates
from deltaadm.validation.finding import LIMIT, Finding, Severity, ValidationReport

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from deltaadm.domain.facts.facts import FileColumns
    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.protocol import Protocol
    from deltaadm.domain.steps import Step

    Check = Callable[[Any], Iterator["Problem"]]
    Among = Callable[[Any], Any]

__all__ = [
    "LIMIT",
    "RULES",
    "Finding",
    "Judge",
    "Problem",
    "Rule",
    "RuleSet",
    "Scope",
    "Severity",
    "ValidationReport",
    "rule",
    "selected",
]


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
    `protocol.readerFeatures`) or a file of the log. `severity` and `remedy` are given where
    they differ from the rule's own. `fix` are the steps that fix it, if deltaadm can.
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
    `among` says what the check can find something in, where there may be very many: of files, which
    ones, by column; of a commit, whether. Without it every one is checked. One on the newest
    version that looks at nothing but protocol, schema and properties is `shared`: what it finds in
    one table it finds in all that are like it.
    """

    code: str
    name: str
    severity: Severity
    scope: Scope
    check: Check
    among: Among | None = None
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
"""All rules by code; complete once `deltaadm.validation.all_rules` has been imported."""


def rule(
    code: str,
    severity: Severity,
    scope: Scope,
    *,
    among: Among | None = None,
    shared: bool = False,
) -> Callable[[Check], Check]:
    """
    Register a check under *code*; one on files or commits may look *among* many, and one on the
    newest version be *shared* by tables, see `Rule`.

    Raises `ValueError` if the code is taken or the documentation lacks one of its paragraphs.
    """

    def register(check: Check) -> Check:
        registered = Rule(
            code=code,
            name=check.__name__.replace("_", "-"),
            severity=severity,
            scope=scope,
            check=check,
            among=among,
            shared=shared,
        )
        paragraphs = (
            paragraph.strip().partition(":") for paragraph in (check.__doc__ or "").split("\n\n")
        )
        present = {title for title, _, text in paragraphs if text.strip()}
        missing = [paragraph for paragraph in PARAGRAPHS if paragraph not in present]
        if code in RULES or missing:
            raise ValueError(f"{code}: taken, or lacks {missing}")
        RULES[code] = registered
        return check

    return register


PARAGRAPHS: Final = ("Why it matters", "What to do", "Source")


class RuleSet(tuple["Rule", ...]):  # noqa: SLOT001 -- it keeps what has been found
    """The rules of a run, with what the shared ones have found in the tables so far."""

    @cached_property
    def by_scope(self) -> Mapping[type, Sequence[Rule]]:
        """The rules by the class of their facts; shared ones are not among them."""
        rules: dict[type, list[Rule]] = {}
        for each in self:
            if not each.shared:
                rules.setdefault(each.scope.value, []).append(each)
        return rules

    @cached_property
    def scopes(self) -> frozenset[Scope]:
        """The scopes of all the rules."""
        return frozenset(each.scope for each in self)

    @cached_property
    def shared(self) -> Sequence[Rule]:
        """The rules whose findings tables share."""
        return [each for each in self if each.shared]

    def on_commit(self, commit: facts.CommitFacts) -> list[Rule]:
        """The rules that can find something in *commit*."""
        # What most commits of a long log have in common is asked once for all of them.
        applicable = [*self._by_names(frozenset(commit.names)), *self._by_states(commit)]
        for among, rules in self._by_commit:
            if among(commit):
                applicable += rules
        return applicable

    @cached_property
    def _by_names(self) -> Callable[[frozenset[str]], Sequence[Rule]]:
        """The rules that look at every commit, and at those with such names of actions."""

        def find(names: frozenset[str]) -> Sequence[Rule]:
            return [
                each
                for each in self.by_scope.get(facts.CommitFacts, ())
                if each.among is None
                or (isinstance(each.among, ByNames) and each.among.test(names))
            ]

        return lru_cache(maxsize=64)(find)

    _last_states: tuple[Protocol | None, Metadata | None, Sequence[Rule]] | None = None
    """Protocol and metadata that the last commit has left as they were, and the rules on it."""

    def _by_states(self, commit: facts.CommitFacts) -> Sequence[Rule]:
        """The rules that look at a commit between such states."""
        after, last = commit.after, self._last_states
        changes = commit.changes_protocol or commit.changes_metadata
        if (
            last is not None
            and not changes
            and last[0] is after.protocol
            and last[1] is after.metadata
        ):
            return last[2]
        rules = [
            each
            for each in self.by_scope.get(facts.CommitFacts, ())
            if isinstance(each.among, ByStates) and each.among.test(commit.before, after)
        ]
        if not changes:
            self._last_states = after.protocol, after.metadata, rules
        return rules

    @cached_property
    def _by_commit(self) -> Sequence[tuple[Among, Sequence[Rule]]]:
        """The rules that look at a commit by what else is known of it, under what they ask."""
        asked: dict[Among, list[Rule]] = {}
        for each in self.by_scope.get(facts.CommitFacts, ()):
            if each.among is not None and not isinstance(each.among, ByNames | ByStates):
                asked.setdefault(each.among, []).append(each)
        return [*asked.items()]

    @cached_property
    def found_in_like_tables(self) -> Callable[[int | None, Protocol, Traits], Judge]:
        """Findings of the shared rules for a protocol and metadata, cached for like tables."""
        return lru_cache(maxsize=64)(self._find_in_like_tables)

    def _find_in_like_tables(self, limit: int | None, protocol: Protocol, traits: Traits) -> Judge:
        # Without anything of its own, such as a location: the findings must hold for all that are
        # like it.
        like = Snapshot(root="", version=0, protocol=protocol, metadata=traits.metadata)
        judge = Judge((), limit=limit)
        fact = facts.SnapshotFacts(snapshot=like, totals=None, listing=LogListing.of("", {}))
        judge.apply(self.shared, fact)
        return judge

    def __reduce__(self) -> tuple[type[RuleSet], tuple[tuple[Rule, ...]]]:
        # What was found stays behind: another process gets the rules alone.
        return RuleSet, (tuple(self),)


class Judge:
    """
    Applies rules to facts as they come and keeps what they find.

    Holds no facts, so its memory does not grow with the table. Of each rule it keeps so many
    findings as the *limit* says, and counts the others.
    """

    def __init__(self, rules: Iterable[Rule], *, limit: int | None = LIMIT) -> None:
        self._limit = limit
        self.rules = rules if isinstance(rules, RuleSet) else RuleSet(rules)
        self._by_scope = self.rules.by_scope
        self.found: list[Finding] = []
        self.counts: Counter[str] = Counter()

    @property
    def scopes(self) -> frozenset[Scope]:
        """The scopes that any of the rules looks at."""
        return self.rules.scopes

    def see(self, fact: facts.Facts) -> None:
        """Apply every rule for this kind of fact."""
        if isinstance(fact, facts.LiveFiles):
            self._check_files(fact.columns)
            return
        if isinstance(fact, facts.Withdrawn):
            self.found.clear()
            self.counts.clear()
            return
        if isinstance(fact, facts.SnapshotFacts) and self.rules.shared:
            self._check_shared_rules(fact)
        if isinstance(fact, facts.CommitFacts):
            self.apply(self.rules.on_commit(fact), fact)
        else:
            self.apply(self._by_scope.get(type(fact), ()), fact)

    def apply(self, rules: Iterable[Rule], fact: facts.Facts) -> None:
        """Apply *rules* alone."""
        # Not by a function: of ten thousand commits a dozen rules each find nothing.
        for each in rules:
            for problem in each.check(fact):
                self._keep(each, problem, fact)

    def _check_shared_rules(self, fact: facts.SnapshotFacts) -> None:
        """Take over what the shared rules find in such a table, and in this one if it is odd."""
        protocol, metadata = fact.snapshot.protocol, fact.snapshot.metadata
        # What is odd about it is not part of what tables are compared by.
        if protocol.is_odd or metadata.is_odd:
            self.apply(self.rules.shared, fact)
            return
        judge = self.rules.found_in_like_tables(self._limit, protocol, Traits.of(metadata))
        self.found += judge.found
        self.counts += judge.counts

    def _check_files(self, columns: FileColumns) -> None:
        """Look by column for the files that a rule may find something in, and at those alone."""
        rules = self._by_scope.get(facts.LiveFile, ())
        # Two steps: of a million files hardly any is looked at by itself.
        rows = [columns.every if each.among is None else each.among(columns) for each in rules]
        for file, asked in columns.files(rows):
            self.apply(compress(rules, asked), file)

    def _keep(self, rule: Rule, problem: Problem, fact: facts.Facts) -> None:
        self.counts[rule.code] += 1
        if self._limit is None or self.counts[rule.code] <= self._limit:
            self.found.append(_finding(rule, problem, fact))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, the most severe first."""
        return tuple(sorted(self.found, key=lambda f: (f.severity.rank, f.code)))

    @property
    def more(self) -> Mapping[str, int]:
        """The number of findings of a code beyond those in `findings`."""
        limit = self._limit
        if limit is None:
            return {}
        return {code: n - limit for code, n in sorted(self.counts.items()) if n > limit}


def _finding(rule: Rule, problem: Problem, fact: facts.Facts) -> Finding:
    secrets = _secrets_of(fact)
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=problem.severity or rule.severity,
        # A rule quotes what it finds, which may be a password in a property.
        message=masked(problem.message, secrets),
        where=masked(problem.where),
        remedy=masked(problem.remedy, secrets) or rule.advice,
        fix=problem.fix,
    )


_STATES = ("snapshot", "state", "before", "after")
"""The attributes of facts that hold metadata, and so secrets that a rule might quote."""


def _secrets_of(fact: facts.Facts) -> set[str]:
    secrets: set[str] = set()
    for attribute in _STATES:
        metadata = getattr(getattr(fact, attribute, None), "metadata", None)
        if metadata is not None:
            secrets.update(secrets_among(metadata.configuration))
            secrets.update(secrets_among((metadata.format and metadata.format.options) or {}))
    return secrets


def selected(rules: Iterable[Rule], select: Collection[str], ignore: Collection[str]) -> list[Rule]:
    """The rules whose code begins with one of *select* (all if empty) and with none of *ignore*."""
    return [
        rule
        for rule in rules
        if (not select or rule.code.startswith(tuple(select)))
        and not rule.code.startswith(tuple(ignore))
    ]
