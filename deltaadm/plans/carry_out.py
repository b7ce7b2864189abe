"""Carrying out a plan, and comparing the versions that it has committed with the prediction."""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.wire import CommitMark, Provenance
from deltaadm.errors import (
    CommitError,
    DeltaadmError,
    EngineLostError,
    NotYetError,
    TableError,
    UnknownWriteError,
)
from deltaadm.plans.diff import Change, diff, mismatches, relocation
from deltaadm.plans.plan import Plan, require_same_base, with_state
from deltaadm.plans.reports import ConcurrentChange, Outcome, committed_words, concurrent_words
from deltaadm.plans.undo import Stage


class Executor(typing.Protocol):
    """Carries out steps on a table; the only part of a plan that writes."""

    def settings(self) -> SessionSettings:
        """The settings under which steps will be carried out; starts what has to be started."""

    def check(self, before: Snapshot, step: Step) -> None:
        """Commit nothing; raises `CommitError` if it is certain that *step* would be refused."""

    def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
        """
        Commit *step* on the table at *root*; raises `CommitError` when Delta refuses.

        *base* is the state in which the table is thought to be.
        """

    def mark(self) -> CommitMark:
        """By what its commits are known, once it has applied a step."""

    def may_still_commit(self, root: str) -> bool:
        """Whether a step on the table at *root* that was interrupted may be committed later on."""


class TableLog(typing.Protocol):
    """The log of the table on which a plan is carried out."""

    def load(self, version: int | None = None) -> Snapshot:
        """The table as it is now, or as it was at *version*; at -1 there was none."""

    def commits(self, first: int, last: int, step: Step) -> Sequence[Provenance]:
        """Whose the versions *first* to *last*, ends included, are; our own carry out *step*."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """
    The progress of a plan: the stages that are done, and what they committed.

    `base` is the version on which the next stage was begun, None where it was not begun yet.
    """

    plan: Plan
    done: int = 0
    versions: tuple[int, ...] = ()
    base: int | None = None

    @property
    def words(self) -> str:
        """What is known about commits without reading the table, as a clause."""
        known = committed_words(self.versions)
        if self.base is None:
            return known + _not_completed(self.plan, self.done) if self.versions else known
        total = len(self.plan.stages)
        pending = "the change" if total == 1 else f"step {self.done + 1} of {total}"
        unknown = f"it is unknown whether {pending} was committed: inspect the table"
        return f"{known}; {unknown}" if self.versions else unknown


def carry_out(
    plan: Plan,
    *,
    executor: Executor,
    log: TableLog,
    note: Callable[[Progress], None] = lambda _: None,
) -> Outcome:
    """
    Commit exactly *plan*, stage by stage, and compare each with the prediction.

    What is compared is the state at the version that the stage committed, without what others
    change before and after it. *note* hears how far the plan has come. Raises `CommitError`, which
    names the versions that were committed, where the table is no longer what the plan started from,
    where Delta refuses, and before further stages where the result differs or others have changed
    the table.
    """
    outcome = Outcome(plan=plan, actual=plan.before, versions=())
    if plan.is_noop:
        return outcome
    # To a checkpoint of the version that was planned it does not matter what others commit.
    if plan.has_statements:
        require_same_settings(plan, executor.settings())
        outcome = replace(outcome, actual=log.load())
        require_same_base(plan.before, outcome.actual)
        _require_agreed_losses(plan, outcome.actual)
    # All of them before the first: a step that fails halfway leaves a table that nobody planned.
    for stage in plan.stages:
        executor.check(stage.before, stage.step)
    progress = Progress(plan=plan)
    for number, stage in enumerate(plan.stages, 1):
        _require_as_planned(outcome)
        base = outcome.actual
        begun = replace(progress, base=base.version)
        try:
            if stage.step.has_statement:
                # Before the statement: an interrupt may come at any moment from now on.
                note(begun)
            elif outcome.versions:
                base = log.load(outcome.versions[-1])  # nor what they have committed since
            # Of two phases, Delta refuses after it has done the first.
            with suppress(*[NotYetError] * stage.waits):
                executor.apply(base.root, stage.step, base)
        except DeltaadmError as error:
            raise with_state(
                error, _after_failure(begun, error, log, executor), _INSPECT
            ) from error
        try:
            result = _result(plan, stage, outcome.actual, log)
        except DeltaadmError as error:
            earlier = f"{committed_words(progress.versions)}; " if progress.versions else ""
            state = f"{earlier}step {number} was carried out, but not compared with the plan"
            raise with_state(error, state, _INSPECT) from error
        same = result.actual.version == outcome.actual.version
        if same and result.mismatches and stage.step.is_commit and not stage.waits:
            # As where a store lists a new commit late.
            raise CommitError(
                f"The log shows no version after {result.actual.version}; {begun.words}.",
                remedy=_INSPECT,
            )
        outcome = replace(result, versions=outcome.versions + result.versions)
        progress = Progress(plan=plan, done=number, versions=outcome.versions)
        note(progress)
    return outcome


def _require_agreed_losses(plan: Plan, current: Snapshot) -> None:
    for step in plan.steps:
        agreed = step.destroys(plan.before)
        new = [name for name in step.destroys(current) if name not in agreed and "*" not in agreed]
        if new:
            raise CommitError(
                f"The plan would delete {', '.join(new)}, which the table has only got since "
                f"version {plan.before.version}; nothing was committed.",
                remedy="Plan again on the current table.",
                delta_error_class="DELTA_METADATA_CHANGED",
            )


def _require_as_planned(outcome: Outcome) -> None:
    committed = committed_words(outcome.versions)
    if outcome.mismatches:
        raise CommitError(
            "A step's result differs from the plan, so the remaining steps were not carried "
            f"out; {committed}.",
            remedy=_INSPECT,
        )
    if outcome.concurrent:
        raise CommitError(
            "Another writer changed the table in the meantime, in "
            f"{concurrent_words(outcome.concurrent)}, so the remaining steps were not "
            f"carried out; {committed}.",
            remedy="Plan again on the current table.",
        )


def _after_failure(begun: Progress, error: DeltaadmError, log: TableLog, executor: Executor) -> str:
    try:
        # What was lost may still commit, so the log is asked again once the executor is closed.
        if isinstance(error, EngineLostError | UnknownWriteError):
            return look_up(begun, log, executor)
        return committed_words(begun.versions + _own(begun, log))
    except DeltaadmError:
        return begun.words


_INSPECT: Final = "Inspect the table, then plan again."


# What a stage came to


def _result(plan: Plan, stage: Stage, base: Snapshot, log: TableLog) -> Outcome:
    """What *stage* has come to: its own versions, and how the newest state differs from it."""
    newest = log.load()
    if stage.step.touches.destination is not None:
        # No commit to look for: the catalog's entry has changed, and the log is another table's.
        moved = (*relocation(stage.after, newest), *mismatches(stage.after, newest))
        return Outcome(plan=plan, actual=newest, versions=(), mismatches=moved)
    commits = log.commits(base.version + 1, newest.version, stage.step)
    is_commit = stage.step.is_commit
    own = tuple(commit.version for commit in commits if commit.is_own and is_commit)
    # Appends do not matter, only what may change protocol, metadata or clustering.
    others = [
        commit.version for commit in commits if commit.changes_table and commit.version not in own
    ]
    found: tuple[ConcurrentChange, ...] = ()
    met, result, more = base, newest, list[Change]()
    try:
        changed = ((version, diff(log.load(version - 1), log.load(version))) for version in others)
        found = tuple(ConcurrentChange(version, changes) for version, changes in changed if changes)
        if found and own:
            # The statement must have done what it does on the state that it met, and what that
            # changes must be in the plan: on top of others' changes it could mean more.
            met, result = log.load(own[-1] - 1), log.load(own[-1])
            planned = {change.subject for change in diff(base, stage.after)}
            firsts = (version for version in own if version - 1 not in own)
            lasts = (version for version in own if version + 1 not in own)
            for first, last in zip(firsts, lasts, strict=True):
                done = diff(log.load(first - 1), log.load(last))
                more += (change for change in done if change.subject not in planned)
    except TableError:  # the log does not lead to versions before it any more
        found, met, more = (), base, []
        result = log.load(own[-1]) if own else newest
    differences: tuple[Change, ...] = ()
    if is_commit or not others:  # what differs after no commit of ours is what others changed
        differences = mismatches(_expected(plan, stage, met, own), result) or tuple(more)
    return Outcome(plan=plan, actual=newest, versions=own, mismatches=differences, concurrent=found)


def _expected(plan: Plan, stage: Stage, base: Snapshot, versions: tuple[int, ...]) -> Snapshot:
    """The prediction for the version that the step came to, which others' may have moved."""
    if not versions:
        return stage.after
    known = replace(
        base,
        version=versions[-1] - 1,
        files=base.files or plan.before.files,
        domains=plan.before.domains if base.domains is None else base.domains,
    )
    return evolve(known, stage.step, plan.session)


def _own(begun: Progress, log: TableLog) -> tuple[int, ...]:
    base, step = begun.base or 0, begun.plan.stages[begun.done].step
    commits = log.commits(base + 1, log.load().version, step)
    return tuple(commit.version for commit in commits if commit.is_own)


# Saying what was committed


def look_up(progress: Progress, log: TableLog, executor: Executor) -> str:
    """What is known about commits after an interruption, once the executor is closed."""
    # The stage that was under way may have been committed or not; its own commits tell.
    plan, done, base = progress.plan, progress.done, progress.base
    if base is None or not plan.stages[done].step.is_commit:
        return progress.words
    stage, own = plan.stages[done], _own(progress, log)
    versions = progress.versions + own
    complete = bool(own)
    if own and stage.several_commits:
        expected = _expected(plan, stage, log.load(own[-1] - 1), own)
        complete = not mismatches(expected, log.load(own[-1]))
    if complete or not executor.may_still_commit(plan.before.root):
        left = _not_completed(plan, done + complete) if versions else ""
        return committed_words(versions) + left
    if not own:
        return progress.words
    return f"{committed_words(versions)}; it is unknown whether the rest was: inspect the table"


def _not_completed(plan: Plan, done: int) -> str:
    total = len(plan.stages)
    left = total - done
    if not left:
        return ", which completes the plan"
    if total == 1:
        return "; the change was not completed"
    return f"; {left} of {total} steps {'was' if left == 1 else 'were'} not completed"


# What must be as it was when the plan was made


def require_same_places(plan: Plan, load_at: Callable[[str], Snapshot]) -> None:
    """Raise `CommitError` unless tables to which *plan* leads a name are as they were."""
    for step in plan.steps:
        if step.touches.destination is not None:
            there = load_at(step.touches.destination.root)
            require_same_base(
                step.touches.destination, there, what=f" of the table at {there.root}"
            )


def require_same_settings(plan: Plan, live: SessionSettings) -> None:
    """Raise `CommitError` where the live session would commit something else than planned."""
    if live == plan.session:
        return
    # Most settings make no difference to most plans: only what they lead to counts.
    for stage in plan.stages:
        try:
            leads_there = not diff(stage.after, evolve(stage.before, stage.step, live))
        except DeltaadmError:
            leads_there = False
        if not leads_there:
            raise CommitError(
                "With the Spark session's settings, Delta would refuse or commit something other "
                "than planned; nothing was committed.",
                remedy="Plan again with the session's settings: --spark-conf KEY=VALUE.",
            )
