"""A plan: the state before, the steps, the predicted state; its SQL, and what would prevent it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import count
from typing import Final

from deltaadm.clients import Access, ClientRelease
from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain import ddl
from deltaadm.domain import steps as kinds
from deltaadm.domain.actions import CLUSTERING_DOMAIN
from deltaadm.domain.features import Cost, TableFeature
from deltaadm.domain.properties import Key, kept_for, switch
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.schema import FieldKey, Path, StructField, path_text
from deltaadm.domain.snapshot import LogListing, Snapshot, commit_name
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.columns import (
    INDEXED_COLUMNS,
    clustering_columns,
    earlier_names,
    lost_clustering,
    physical_clustering,
    restored_clustering,
    with_clustering,
)
from deltaadm.domain.transaction.update import enabled_versions
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT
from deltaadm.errors import CommitError, DeltaadmError, RefusedError, some_of
from deltaadm.facts import SnapshotFacts
from deltaadm.masking import quoted
from deltaadm.plans.diff import Change, diff, relocation
from deltaadm.plans.undo import UNDONE_TOGETHER, Stage, fix_command, reason, undo_words
from deltaadm.rules.rule import RULES, Finding, Rule, RuleRunner, Scope, Severity

# Plans that cannot work


def new_findings(stages: Sequence[Stage]) -> tuple[Finding, ...]:
    """
    The errors and warnings on the state after the *stages* that the one before them lacks.

    What says the same in other words at the same place, or on a column that is renamed, is not new.
    """
    before, after = stages[0].before, stages[-1].after
    names: Mapping[Path, Path] = {}
    with suppress(DeltaadmError):  # a schema that cannot be understood is a finding itself
        names = earlier_names(
            state.metadata for state in (before, *(each.after for each in stages))
        )
    renames = [
        (path_text(old), path_text(new))
        for stage in stages
        for old, new in stage.step.touches.renames
    ]
    old = snapshot_findings(before) if before.exists else ()
    said = {(*_place(each), each.message) for each in old}
    known = Counter(_place(replace(each, where=_renamed(each.where, renames))) for each in old)
    found = snapshot_findings(after, names)
    new = []
    # What is said in the same words first: of several at a place, the others are the new ones.
    for each in sorted(found, key=lambda found: (*_place(found), found.message) not in said):
        known[_place(each)] -= 1
        if known[_place(each)] < 0 and each.severity is not Severity.INFO:
            new.append(each)
    return tuple(new)


def _place(finding: Finding) -> tuple[str, Severity, str]:
    return finding.code, finding.severity, finding.where


def _renamed(where: str, renames: Iterable[tuple[str, str]]) -> str:
    for old, new in renames:
        for end in "].":
            start = f"schema[{old}{end}"
            if where.startswith(start):
                where = f"schema[{new}{end}{where.removeprefix(start)}"
                break
    return where


def require_accepted(findings: Iterable[Finding], accepted: Collection[str] = ()) -> None:
    """Raise `RefusedError` for errors among *findings* whose codes are not *accepted*."""
    errors = [
        finding
        for finding in findings
        if finding.severity is Severity.ERROR and finding.code not in accepted
    ]
    if errors:
        texts = (f"{each.code} {each.name}: {each.message.rstrip('.')}" for each in errors)
        codes = sorted({each.code for each in errors})
        options = " ".join(f"--accept-finding {code}" for code in codes)
        raise RefusedError(
            f"The plan would introduce errors: {some_of(texts, 3, '; ')}.",
            remedy=f"Change the plan, or pass {options} to proceed anyway.",
        )


def require_reached(plan: Plan) -> None:
    """Raise `RefusedError` where *plan* misses goals that were not to be skipped."""
    if plan.missed:
        names = dict.fromkeys(target.goal.name for target in plan.missed)
        raise RefusedError(
            f"{', '.join(names)} cannot be reached: "
            f"{'; '.join(target.reason for target in plan.missed)}. Nothing was changed.",
            remedy="Go on without them: --skip-unreachable, or leave them out.",
        )


@dataclass(frozen=True)
class Goal:
    """A goal of a plan: that a release of a client can read, or write, the table."""

    release: ClientRelease
    access: Access

    def __str__(self) -> str:
        return f"{self.release} can {self.access.value} the table"

    @property
    def name(self) -> str:
        """The release."""
        return str(self.release)

    @property
    def option(self) -> str:
        """The option that asks for it."""
        able = "readable" if self.access.value == "read" else "writable"
        return f"--{able}-by {self.release}"


@dataclass(frozen=True)
class Unreachable:
    """A goal that no plan reaches, and why; one that is `skipped` may be left aside."""

    goal: Goal
    reason: str
    skipped: bool = False


@dataclass(frozen=True, kw_only=True)
class PlannedChange:
    """A line of a plan: the difference, why it comes about, what undoes it, what it costs."""

    change: Change
    because: str
    undo: str
    cost: Cost


@dataclass(frozen=True, kw_only=True)
class Plan:
    """
    The whole truth about what will happen: the state before, the stages that do something, and why.

    `because` maps subjects to the reasons that the request itself gives. `findings` are those of
    rules on the state after it that the one before lacks. `needs_state` says that domains and
    files, which were not read, could change it. `goals` are the clients for which it was made, and
    `unreachable` those for which nothing can be done. `unfixed` findings that count are left by one
    that is to fix them.
    """

    operation: str
    before: Snapshot
    stages: tuple[Stage, ...] = ()
    findings: tuple[Finding, ...] = ()
    because: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    session: SessionSettings = field(default_factory=SessionSettings)
    needs_state: bool = False
    goals: tuple[Goal, ...] = ()
    unreachable: tuple[Unreachable, ...] = ()
    unfixed: int = 0

    @property
    def after(self) -> Snapshot:
        """The state predicted after the last stage."""
        return self.stages[-1].after if self.stages else self.before

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that the executor carries out, in order."""
        return tuple(stage.step for stage in self.stages)

    @cached_property
    def cost(self) -> Cost:
        """The highest of the stages."""
        return Cost.highest(*(stage.cost for stage in self.stages))

    @property
    def work(self) -> str:
        """The files that are behind that cost, in words; empty where it is but metadata."""
        costly = [stage for stage in self.stages if stage.cost is self.cost is not Cost.METADATA]
        return "; ".join(dict.fromkeys(stage.step.work(stage.before) for stage in costly))

    @property
    def is_noop(self) -> bool:
        """Whether applying it would change nothing."""
        return not self.stages

    @property
    def has_statements(self) -> bool:
        """Whether Spark carries out any of its steps."""
        return any(step.has_statement for step in self.steps)

    @property
    def missed(self) -> tuple[Unreachable, ...]:
        """The goals that are not reached and that were not to be skipped."""
        return tuple(target for target in self.unreachable if not target.skipped)

    @property
    def waits(self) -> bool:
        """Whether completing the change takes a second plan, after some time."""
        return any(stage.waits for stage in self.stages)

    @property
    def irreversible(self) -> tuple[str, ...]:
        """The features whose removal destroys history, which needs a consent of its own."""
        return tuple(name for step in self.steps for name in step.irreversible)

    @cached_property
    def changes(self) -> tuple[PlannedChange, ...]:
        """Every difference between before and after, explained."""
        undo, cost = undo_words(self.stages), self.cost
        changes = (*relocation(self.before, self.after), *diff(self.before, self.after))
        known = {(change.kind, change.subject) for change in changes}
        return tuple(
            PlannedChange(
                change=change,
                because=self.because.get(change.subject)
                or reason(change, known, self.before, self.after),
                undo=undo.get(change.subject, UNDONE_TOGETHER),
                cost=cost,
            )
            for change in changes
        )


def propose(
    operation: str,
    before: Snapshot,
    steps: Sequence[Step],
    *,
    because: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    session: SessionSettings | None = None,
    resumes: bool = False,
    check_outcome: bool = True,
) -> Plan:
    """
    The plan that carries out *steps* in order, with what rules find on its outcome.

    Where a step would break the table's clustering, further steps keep it whole. One that *resumes*
    clusters the table again, where a run was interrupted before it came to that. Rules are not
    asked without *check_outcome*. Raises `RefusedError` where Delta would refuse a step, where
    nobody could load the table after a commit, and for a new location among other steps.
    """
    require_moves_alone(steps)
    settings = session or SessionSettings()
    suspended = before.suspended_clustering if resumes else ()
    last = [kinds.ClusterBy(suspended)] if suspended else []
    state, stages = before, list[Stage]()
    for step in (*steps, *last):
        for taken in _keeping_clustering(state, step, settings):
            after = evolve(state, taken, settings)
            if does_something(state, taken, after):
                if taken.is_commit:
                    after = replace(after, version=state.version + 1)
                stages.append(Stage(state, taken, after))
                state = after
    # Of which *before* may have another version: a saved plan is for the one that it was made on.
    segment = before.segment
    if stages and segment and segment.last_commit.path > commit_name(segment.version + 1):
        raise RefusedError(
            f"Nobody could load the table after a commit: {segment.last_commit.path} is not "
            "padded, and stands behind all later versions in the log.",
            remedy=f"Rename the commits first: `deltaadm repair {quoted(before.root)}`.",
        )
    obstacles = dict.fromkeys(stage.obstacle for stage in stages if stage.obstacle)
    again = any(stage.after.suspended_clustering for stage in stages[:-1])
    plan = Plan(
        operation=operation,
        before=before,
        stages=tuple(stages),
        because=because or {},
        notes=(
            *notes,
            *_cautions(before, stages),
            *(f"{obstacle}: {_BY_TRANSACTION}" for obstacle in obstacles),
            *([_CLUSTERED_AGAIN] if again else []),
            *([_RESUMED] if any(stage.step in last for stage in stages) else []),
        ),
        session=settings,
        needs_state=resumes and before.domains is None and before.protocol.supports("clustering"),
    )
    if plan.is_noop or not check_outcome:
        return plan
    return replace(plan, findings=new_findings(plan.stages))


def _cautions(before: Snapshot, stages: Sequence[Stage]) -> Iterator[str]:
    if not stages or not before.exists:
        return
    after = stages[-1].after
    costs = any(stage.cost is not Cost.METADATA for stage in stages)
    for name in sorted(after.protocol.supported_features):
        feature = TableFeature.lookup(name)
        if (
            feature is not None
            and feature.caution
            and (costs or feature.cost is Cost.METADATA)
            and _is_active(feature, after)
            and not _is_active(feature, before)
        ):
            yield feature.warning
    old, new = before.metadata.configuration, after.metadata.configuration
    if switch(old, Key.CHANGE_DATA_FEED) and not switch(new, Key.CHANGE_DATA_FEED):
        yield "Changes that are made while change data feed is off are never recorded."
    for key, consequence in _SHORT_RETENTION.items():
        stored = new.get(key)
        if stored and stored != old.get(key) and kept_for(stored) < _DAY:
            yield f"With {key} = {stored}, {consequence}"


_DAY: Final = 24 * 3600 * 1_000_000
_SHORT_RETENTION: Final[Mapping[str, str]] = {
    "delta.deletedFileRetentionDuration": "VACUUM deletes files that running readers and time "
    "travel to versions of the last day still need.",
    "delta.logRetentionDuration": "the next checkpoint lets Delta delete the history of the last "
    "day.",
    "delta.setTransactionRetentionDuration": "Delta forgets what streams have written within the "
    "last day, and may write it twice.",
}


def _is_active(feature: TableFeature, state: Snapshot) -> bool:
    if not state.protocol.supports(feature.name):
        return False
    try:
        find = feature.activation.find
        return find is None or any(feature.activation.evidence(state.metadata))
    except DeltaadmError:  # metadata that cannot be understood, which is a finding itself
        return True


_BY_TRANSACTION: Final = (
    "deltaadm commits the same change through Delta's transaction API, which is not available over "
    "Spark Connect."
)
_CLUSTERED_AGAIN: Final = (
    "Clustering is removed, then set to the same columns again: Delta would leave the table "
    "clustered by names that no longer exist, on which CLUSTER BY and OPTIMIZE fail."
)
_RESUMED: Final = (
    "An interrupted run removed the table's clustering and did not restore it; this plan restores "
    "it as its last step."
)


def _keeping_clustering(state: Snapshot, step: Step, settings: SessionSettings) -> tuple[Step, ...]:
    """*step*, between steps that take the clustering away and put it back if it would break it."""
    # A table with the domain but without the feature is not clustered, and does not become so.
    if CLUSTERING_DOMAIN not in (state.domains or {}) or not state.protocol.supports("clustering"):
        return (step,)
    after = evolve(state, step, settings)
    # Delta leaves the physical names in the domain when column mapping is removed.
    if not lost_clustering(after) or lost_clustering(state):
        return (step,)
    columns = restored_clustering(after, earlier_names([state.metadata]))
    if not columns:
        return (step,)
    steps = (kinds.ClusterBy((), restored_later=columns), step, kinds.ClusterBy(columns))
    try:
        for taken in steps:
            state = evolve(state, taken, settings)
    except DeltaadmError:
        return (step,)
    return steps


def does_something(before: Snapshot, step: Step, after: Snapshot) -> bool:
    """Whether *step* has any effect."""
    # Delta commits some steps that change nothing.
    if step.always_acts:
        return True
    if step.touches.destination is not None:
        return bool(relocation(before, after))
    # `diff` says nothing of clustering where domains were not read.
    if step.is_in_domains and before.domains is None:
        return before != after
    return bool(diff(before, after))


def depends_on_state(plan: Plan) -> bool:
    """Whether the plan could be refused, or would say more, if files and domains were known."""
    if plan.needs_state or plan.cost is not Cost.METADATA:
        return True
    if any(step.depends_on_state for step in plan.steps):
        return True
    protocol, old, new = plan.before.protocol, plan.before.metadata, plan.after.metadata
    # Of a clustered table Delta wants statistics on the columns that it is clustered by.
    may_harm_clustering = protocol.supports("clustering") and (
        old.schema_string != new.schema_string
        or any(
            old.configuration.get(key) != new.configuration.get(key)
            for key in (Key.STATISTICS_COLUMNS, INDEXED_COLUMNS)
        )
    )
    # V1 and V2 of Iceberg compatibility are refused as long as files have deletion vectors. With
    # the property off, some clients ignore those that there are.
    was_on, is_on = (switch(of.configuration, "delta.enableDeletionVectors") for of in (old, new))
    return may_harm_clustering or (
        protocol.supports("deletionVectors")
        and (bool(enabled_versions(new)) or (bool(was_on) and not is_on))
    )


def moves(steps: Iterable[Step]) -> bool:
    """Whether a name in a catalog leads to another table after *steps*."""
    return any(step.touches.destination is not None for step in steps)


def require_moves_alone(steps: Sequence[Step]) -> None:
    """Raise `RefusedError` for a new location among other steps: which table would they change?"""
    if len(steps) > 1 and moves(steps):
        raise RefusedError(
            "A table's location cannot be changed together with anything else.",
            remedy="Plan the other changes separately, before or after it.",
        )


def is_verified_by_state(steps: Iterable[Step]) -> bool:
    """Whether the protocol and the metadata do not show all that *steps* change."""
    return any(step.is_verified_by_state for step in steps)


def require_same_base(base: Snapshot, current: Snapshot, *, what: str = "") -> None:
    """Raise `CommitError` unless *current* has the protocol and metadata that *base* has."""
    changed = diff(base, current)
    # A lower version means that the log went back, as after a restore from a backup.
    if not changed and current.version >= base.version:
        return
    subjects = ", ".join(change.subject for change in changed[:5])
    version = f"in version {current.version}"
    if current.version > base.version + 1:
        version = f"between versions {base.version} and {current.version}"
    differs = f"{subjects}{what} changed {version}" if changed else f"the log{what} went back"
    raise CommitError(
        f"The plan is stale: {differs}; nothing was committed.",
        remedy="Run the original command again.",
        delta_error_class="DELTA_PROTOCOL_CHANGED"
        if any(change.subject.startswith("protocol") for change in changed)
        else "DELTA_METADATA_CHANGED",
    )


def with_state(error: DeltaadmError, state: str, remedy: str) -> DeltaadmError:
    """The same error, saying in what *state* it has left the table."""
    return type(error)(
        f"{error.message.rstrip('.')}; {state}.",
        remedy=error.remedy or remedy,
        delta_error_class=error.delta_error_class,
    )


def statement(path: str, step: Step, name: str | None = None) -> str:
    r"""
    The statement for the table at *path* (absolute path or URL), or a comment for a step
    that SQL has no statement for. A table that has a *name* in a catalog is addressed by that.

    >>> from deltaadm.domain.steps import SetProperties
    >>> statement("/data/it's", SetProperties({"owner": "O'Hara"}))
    "ALTER TABLE delta.`/data/it's` SET TBLPROPERTIES ('owner' = 'O\\'Hara')"
    """
    return step.statement(name or at_path(path))


def at_path(path: str) -> str:
    """The table at *path* as SQL names it."""
    # In backticks nothing can be escaped, in a literal everything can.
    name = f"delta.{ddl.identifier(path)}"
    return f"IDENTIFIER({ddl.literal(name)})" if any(map(ddl.is_hidden, name)) else name


def planned_statement(stage: Stage) -> str:
    """
    The statement for *stage*, or a comment where none can carry it out.

    A comment never ends with a backslash, which would make the next line part of it.
    """
    before = stage.before
    if not stage.obstacle:
        return statement(before.root, stage.step, before.name)
    return f"-- {stage.obstacle}; run: {fix_command(before.name or before.root, [stage.step])}"


# Findings on a state alone: without its log, its files and the clock


def snapshot_findings(
    snapshot: Snapshot, earlier_names: Mapping[Path, Path] | None = None
) -> tuple[Finding, ...]:
    """
    Return the findings on protocol, metadata and domains of *snapshot*, which may be predicted.

    What only the commit can choose counts as well chosen. *earlier_names* are those of columns by
    physical paths, as in `SnapshotFacts`.
    """
    # Numbered, since two columns of one physical name would be a finding.
    names = (f"chosen-by-the-commit-{number}" for number in count())
    runner = RuleRunner(_rules(), limit=sys.maxsize)
    runner.check(
        SnapshotFacts(
            snapshot=with_chosen_values(snapshot, names.__next__, timestamp=0, now=0),
            listing=LogListing.of(snapshot.root, {}),
            earlier_names=earlier_names or {},
            # No clock: nothing of a predicted state may count as in the future.
            now=sys.maxsize,
        )
    )
    return runner.findings


@lru_cache(maxsize=1)
def _rules() -> tuple[Rule, ...]:
    """The rules on the newest version, but for those on its files and its log."""
    from deltaadm.rules import column_mapping, features, metadata, protocol

    modules = (column_mapping, features, metadata, protocol)
    topics = {module.__name__ for module in modules}
    return tuple(
        rule
        for rule in RULES.values()
        if rule.scope is Scope.SNAPSHOT and rule.check.__module__ in topics
    )


def with_chosen_values(
    snapshot: Snapshot, choose: Callable[[], str], *, timestamp: int, now: int
) -> Snapshot:
    """
    *snapshot* with values in place of those that are known only after the commit.

    *choose* makes ids and random names, *timestamp* is the commit's own, *now* when a table is
    created; both are in milliseconds.
    """
    metadata = snapshot.metadata
    has_open_names = KNOWN_AFTER_COMMIT in (metadata.schema_string or "")
    if has_open_names:
        named = metadata.schema.rewrite(lambda _, column: _with_physical_name(column, choose))
        metadata = metadata.with_schema(named)
    chosen = {
        Key.ICT_ENABLEMENT_TIMESTAMP: str(timestamp),
        Key.ICT_ENABLEMENT_VERSION: str(snapshot.version),
        Key.PROTECTED_BEFORE: str(snapshot.version),
    }
    if pending := {
        key: value.replace(KNOWN_AFTER_COMMIT, chosen.get(key) or choose())
        for key, value in metadata.configuration.items()
        if KNOWN_AFTER_COMMIT in value
    }:
        metadata = metadata.with_properties(pending)
    if metadata.id == KNOWN_AFTER_COMMIT:
        metadata = replace(metadata, id=choose(), created_time=now)
    if metadata is snapshot.metadata:
        return snapshot
    settled = replace(snapshot, metadata=metadata)
    columns = clustering_columns(snapshot) if has_open_names else None
    if not columns:
        return settled
    # Clustered by the physical names that it has in place of those that were open.
    clustered = with_clustering(settled, columns)
    was, is_now = (physical_clustering(state.domains or {}) for state in (settled, clustered))
    return settled if was == is_now else clustered


def _with_physical_name(field: StructField, choose: Callable[[], str]) -> StructField:
    """*field* with a name of its own, which those of the parts of an array or a map begin with."""
    open_name = field.metadata.get(FieldKey.PHYSICAL_NAME)
    if not isinstance(open_name, str) or KNOWN_AFTER_COMMIT not in open_name:
        return field
    name = open_name.replace(KNOWN_AFTER_COMMIT, choose())
    nested = field.metadata.get(FieldKey.NESTED_IDS)
    metadata = {**field.metadata, FieldKey.PHYSICAL_NAME: name}
    if isinstance(nested, dict):
        metadata[FieldKey.NESTED_IDS] = {
            name + key[len(open_name) :] if key.startswith(open_name) else key: number
            for key, number in nested.items()
        }
    return replace(field, metadata=metadata)
