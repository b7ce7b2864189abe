"""A plan, how it is proposed, and how it is carried out."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.cost import Cost, dearest
from deltaadm.domain.drop_feature import drop_waits
from deltaadm.domain.evolve import evolve, makes_several_commits, step_cost
from deltaadm.domain.iceberg import enabled_versions
from deltaadm.domain.session import SessionSettings
from deltaadm.domain.table_changes import (
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    CreateTable,
    DropColumns,
    DropFeature,
    SetLocation,
    WriteCheckpoint,
)
from deltaadm.errors import CommitError, DeltaadmError, NotYet, Refused
from deltaadm.operations.diff import Change, diff, mismatches, relocation
from deltaadm.operations.reasons import reason, undo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """
    One step and the state predicted after it.

    `waits` says that this is the first of two phases: Delta does its part and then refuses.
    """

    step: Step
    after: Snapshot
    cost: Cost
    several_commits: bool
    waits: bool = False

    @property
    def is_commit(self) -> bool:
        """Whether it makes a new version."""
        return not isinstance(self.step, (WriteCheckpoint, SetLocation))

    @property
    def has_statement(self) -> bool:
        """Whether Spark carries it out, by a statement."""
        return not isinstance(self.step, WriteCheckpoint)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """A line of a plan: the difference, why it comes about, what undoes it, what it costs."""

    change: Change
    because: str
    undo: str
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """
    The whole truth about what will happen: the state before, the stages, and why.

    Only stages that do something are kept, so a plan without stages changes nothing.
    `because` maps subjects to the reasons that the wish itself gives; `notes` are sentences
    about the plan as a whole.
    """

    operation: str
    before: Snapshot
    stages: tuple[Stage, ...] = ()
    because: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    session: SessionSettings = field(default_factory=SessionSettings)

    @property
    def after(self) -> Snapshot:
        """The state predicted after the last stage."""
        return self.stages[-1].after if self.stages else self.before

    @property
    def steps(self) -> tuple[Step, ...]:
        """What the executor is given, in order."""
        return tuple(stage.step for stage in self.stages)

    @property
    def cost(self) -> Cost:
        """That of the dearest stage."""
        return dearest(*(stage.cost for stage in self.stages))

    @property
    def is_noop(self) -> bool:
        """Whether carrying it out would leave everything as it is."""
        return not self.stages

    @property
    def waits(self) -> bool:
        """Whether the wish is fulfilled only by planning again, after some time."""
        return any(stage.waits for stage in self.stages)

    @property
    def irreversible(self) -> tuple[str, ...]:
        """The features whose removal destroys history, which needs a consent of its own."""
        return tuple(
            step.name
            for step in self.steps
            if isinstance(step, DropFeature) and step.truncate_history
        )

    @property
    def changes(self) -> tuple[PlannedChange, ...]:
        """Every difference between before and after, explained."""
        return tuple(
            PlannedChange(
                change=one,
                because=self.because.get(one.subject) or reason(one, self.before, self.after),
                undo=undo(one, self.before, self.after),
                cost=self.cost,
            )
            for one in (*relocation(self.before, self.after), *diff(self.before, self.after))
        )


def propose(
    operation: str,
    before: Snapshot,
    steps: Sequence[Step],
    *,
    because: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that carries out *steps* in order.

    Raises `Refused` where Delta would refuse a step, and for a new location among other steps: it
    would not be plain which of the two tables they change.
    """
    require_moves_alone(steps)
    settings = session or SessionSettings()
    stages = []
    state = before
    for step in steps:
        after = evolve(state, step, settings)
        if not _does_something(state, step, after):
            continue
        stage = Stage(
            step=step,
            after=after,
            cost=step_cost(state, step),
            several_commits=makes_several_commits(state, step),
            waits=isinstance(step, DropFeature) and drop_waits(state, step),
        )
        if stage.is_commit:
            stage = replace(stage, after=replace(after, version=state.version + 1))
        stages.append(stage)
        state = stage.after
    return Plan(
        operation=operation,
        before=before,
        stages=tuple(stages),
        because=because or {},
        notes=tuple(notes),
        session=settings,
    )


def _does_something(before: Snapshot, step: Step, after: Snapshot) -> bool:
    """Whether *step* is worth taking: Delta commits some that change nothing."""
    if isinstance(step, WriteCheckpoint):
        return True
    if isinstance(step, SetLocation):
        return bool(relocation(before, after))
    if isinstance(step, ClusterBy) and before.domains is None:
        return before != after
    return isinstance(step, DropFeature) or bool(diff(before, after))


def depends_on_state(plan: Plan) -> bool:
    """Whether the plan could be refused, or would say more, if files and domains were known."""
    return (
        plan.cost is not Cost.METADATA
        or any(isinstance(one, _LOOKING_AT_STATE) for one in plan.steps)
        or (
            plan.before.protocol.supports("deletionVectors")
            and bool(enabled_versions(plan.after.metadata))
        )
    )


_LOOKING_AT_STATE = (
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    CreateTable,
    DropColumns,
    SetLocation,
)


def moves(steps: Iterable[Step]) -> bool:
    """Whether a name in a catalog leads to another table after *steps*."""
    return any(isinstance(one, SetLocation) for one in steps)


def require_moves_alone(steps: Sequence[Step]) -> None:
    """Raise `Refused` for a new location among other steps: which table would they change?"""
    if len(steps) > 1 and moves(steps):
        raise Refused(
            "A table's location is set by itself, without other changes.",
            remedy="Plan the other changes by themselves, before or after that.",
        )


def is_verified_by_state(steps: Iterable[Step]) -> bool:
    """Whether the protocol and the metadata do not show all that *steps* change."""
    return any(
        isinstance(one, (ClusterBy, SetLocation))
        or (isinstance(one, CreateTable) and bool(one.cluster_by))
        for one in steps
    )


class Executor(typing.Protocol):
    """Carries out steps on a table; the only part of a plan that writes."""

    def settings(self) -> SessionSettings:
        """The settings under which steps will be carried out; starts what has to be started."""

    def apply(self, root: str, step: Step) -> None:
        """Commit *step* on the table at *root*; raises `CommitError` when Delta refuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a plan came to: the versions it committed, and where they differ from the plan."""

    plan: Plan
    actual: Snapshot
    versions: tuple[int, ...]
    mismatches: tuple[Change, ...] = ()


def carry_out(
    plan: Plan,
    *,
    executor: Executor,
    load: Callable[[], Snapshot],
    committed: Callable[[int, int, Step], tuple[int, ...]],
) -> Outcome:
    """
    Commit exactly *plan*, stage by stage, and compare each result with the prediction.

    *load* replays the table as it is now; *committed(first, last, step)* tells which of those
    versions, ends included, *step* made. Harmless appends in between change nothing. Raises
    `CommitError` when the table's protocol or metadata is no longer what the plan started from,
    when Delta refuses, or when a stage's result differs and stages remain; it names the versions
    that were committed.
    """
    if plan.is_noop:
        return Outcome(plan=plan, actual=plan.before, versions=())
    if any(stage.has_statement for stage in plan.stages):
        require_same_settings(plan, executor.settings())
    current = load()
    require_same_base(plan.before, current)
    versions: tuple[int, ...] = ()
    found: tuple[Change, ...] = ()
    for stage in plan.stages:
        if found:
            raise CommitError(
                "A step's result differs from the plan, so the steps after it were not taken; "
                f"{_committed(versions)}.",
                remedy="Inspect the table, then plan again.",
            )
        try:
            _apply(executor, current.root, stage)
        except DeltaadmError as error:
            partly = committed(current.version + 1, load().version, stage.step)
            raise _interrupted(error, versions, partly) from error
        actual = load()
        own = committed(current.version + 1, actual.version, stage.step) if stage.is_commit else ()
        expected = _expected(plan, stage, current, own)
        found = (
            *(relocation(expected, actual) if moves([stage.step]) else ()),
            *mismatches(expected, actual),
        )
        versions += own
        current = actual
    return Outcome(plan=plan, actual=current, versions=versions, mismatches=found)


def _apply(executor: Executor, root: str, stage: Stage) -> None:
    try:
        executor.apply(root, stage.step)
    except NotYet:
        if not stage.waits:
            raise


def _expected(plan: Plan, stage: Stage, base: Snapshot, versions: tuple[int, ...]) -> Snapshot:
    """The prediction for the version that the step came to, which appends may have moved."""
    if not versions:
        return stage.after
    known = replace(
        base,
        version=versions[-1] - 1,
        files=base.files or plan.before.files,
        domains=plan.before.domains if base.domains is None else base.domains,
    )
    return evolve(known, stage.step, plan.session)


def _interrupted(
    error: DeltaadmError, versions: tuple[int, ...], partly: tuple[int, ...]
) -> DeltaadmError:
    """The same error, saying what was committed before it, by this step or an earlier one."""
    return type(error)(
        f"{error.message.rstrip('.')}; {_committed(versions + partly)}.",
        remedy=error.remedy or "Inspect the table, then plan again.",
        delta_error_class=error.delta_error_class,
    )


def _committed(versions: tuple[int, ...]) -> str:
    if not versions:
        return "nothing was committed"
    listed = ", ".join(map(str, versions))
    return (
        f"version {listed} was committed"
        if len(versions) == 1
        else f"versions {listed} were committed"
    )


def require_same_places(plan: Plan, load_at: Callable[[str], Snapshot]) -> None:
    """Raise `CommitError` unless tables to which *plan* leads a name are as they were."""
    for step in plan.steps:
        if isinstance(step, SetLocation):
            there = load_at(step.there.root)
            require_same_base(step.there, there, what=f"The table at {there.root}")


def require_same_base(base: Snapshot, current: Snapshot, *, what: str = "The table") -> None:
    """Raise `CommitError` unless *current* has the protocol and metadata that *base* has."""
    changed = diff(base, current)
    if not changed and current.version >= base.version:
        return
    subjects = ", ".join(one.subject for one in changed[:5]) or "its version went back"
    raise CommitError(
        f"{what} has changed since version {base.version}, on which the plan rests: "
        f"at version {current.version} {subjects} differs; nothing was committed.",
        remedy="Plan again on the table as it is now.",
        delta_error_class="DELTA_PROTOCOL_CHANGED"
        if any(one.subject.startswith("protocol") for one in changed)
        else "DELTA_METADATA_CHANGED",
    )


def require_same_settings(plan: Plan, live: SessionSettings) -> None:
    """Raise `CommitError` where the live session would commit something else than planned."""
    if live == plan.session:
        return
    state = plan.before
    for stage in plan.stages:
        if not _leads_to(stage.after, state, stage.step, live):
            raise CommitError(
                "The Spark session's settings would make Delta refuse, or commit something else "
                "than planned; nothing was committed.",
                remedy="Plan again with the session's settings, by --spark-conf KEY=VALUE.",
            )
        state = stage.after


def _leads_to(after: Snapshot, before: Snapshot, step: Step, settings: SessionSettings) -> bool:
    try:
        return not diff(after, evolve(before, step, settings))
    except DeltaadmError:
        return False
