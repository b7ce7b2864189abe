"""What plans, and what came of them, say in words: shared by every format that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.cost import Cost
from deltaadm.domain.instants import second
from deltaadm.domain.table_changes import WriteCheckpoint
from deltaadm.operations.alter import OPERATION as ALTER
from deltaadm.operations.clients import newly_shut_out
from deltaadm.operations.create import OPERATION as CREATE
from deltaadm.operations.diff import ChangeKind
from deltaadm.operations.drop_feature import Phase
from deltaadm.operations.parent_changes import ParentChanges
from deltaadm.operations.plan import moves
from deltaadm.render.wording import COSTS, DOES, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deltaadm.clients import Verdict
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.operations.best_effort import BestEffortStagedTable
    from deltaadm.operations.diff import Change
    from deltaadm.operations.drop_feature import DropStatus
    from deltaadm.operations.plan import Outcome, Plan


def cost_words(plan: Plan) -> str:
    """What carrying *plan* out does to the table's files, and how much there is of them."""
    words, files = COSTS[plan.cost], plan.before.files
    return words if plan.cost is Cost.METADATA or files is None else f"{words} ({files})"


def version_words(snapshot: Snapshot) -> str:
    """Which version, or that there is no table yet."""
    return f"version {snapshot.version}" if snapshot.exists else "no table yet"


def value_words(value: Any) -> str:
    """The value of a change, as people write it."""
    if isinstance(value, dict):
        return (
            ", ".join(f"{key.rpartition('.')[2]} {_word(one)}" for key, one in value.items())
            or "none"
        )
    if isinstance(value, list):
        return ", ".join(map(_word, value)) or "none"
    return _word(value)


def _word(value: Any) -> str:
    if value is None:
        return "nothing"
    return str(value).lower() if isinstance(value, bool) else str(value)


def change_words(change: Change) -> str:
    """What changes, to what and from what."""
    head = f"{change.kind.value} {change.subject}"
    if change.kind is ChangeKind.SET:
        return f"{head}: {value_words(change.before)} -> {value_words(change.after)}"
    value = change.after if change.before is None else change.before
    if change.subject.startswith(("configuration[", "protocol.min", "description")):
        return f"{head} = {value_words(value)}"
    return f"{head}: {value_words(value)}" if change.subject.startswith("schema[") else head


PARENT_CATALOG: Final = "Handed to the parent catalog, one after the other:"


DIFFERS: Final = "The result differs from the plan:"


def outcome_sentences(outcome: Outcome) -> Iterable[str]:
    """What was committed, if all is as planned."""
    listed = ", ".join(map(str, outcome.versions))
    steps = outcome.plan.steps
    if outcome.plan.is_noop:
        yield "Nothing was committed: there is nothing to do."
    if len(outcome.versions) == 1:
        yield f"Version {listed} was committed, and is what was planned."
    elif outcome.versions:
        yield f"Versions {listed} were committed, and are what was planned."
    if any(isinstance(one, WriteCheckpoint) for one in steps):
        yield f"_last_checkpoint points to a checkpoint of version {outcome.actual.version}."
    if moves(steps):
        yield f"{outcome.actual.name} leads to {outcome.actual.root} now, as was planned."


def unchanged(plan: Plan) -> str:
    """What a plan does that has steps and yet changes nothing in protocol and metadata."""
    if any(one.is_commit for one in plan.stages):
        return "No difference in the end, but these steps are committed all the same."
    return "Protocol and metadata stay as they are."


def parent_plan_title(plan: BestEffortStagedTable | ParentChanges) -> str:
    """Which table of another provider is altered, or made, and in whose place."""
    if isinstance(plan, ParentChanges):
        return f"{ALTER}: {plan.table} (provider {plan.provider})"
    before = plan.before
    old = "no table yet" if before is None else f"in the place of a table of {before.provider}"
    return f"{CREATE}: {plan.table} (provider {plan.provider}, {old})"


def parent_change_words(plan: BestEffortStagedTable | ParentChanges) -> tuple[str, ...]:
    """What changes, or what a new table has and what of an old one goes."""
    return tuple(map(change_words if isinstance(plan, ParentChanges) else _fact, plan.changes))


def _fact(change: Change) -> str:
    told = change.after if change.before is None else change.before
    return f"{change.kind.value} {change.subject} = {value_words(told)}"


def parent_plan_done(plan: BestEffortStagedTable | ParentChanges) -> str:
    """That all went well."""
    if plan.is_noop:
        return "Nothing was changed: there is nothing to do."
    if isinstance(plan, ParentChanges):
        return f"{plan.name} was altered, and is what was planned."
    filled = "" if plan.fill is None else " and filled"
    return f"{plan.name} was made{filled}, and is what was planned."


def shut_out_rows(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Whom a plan newly shuts out, the worst first."""
    rows: dict[str, list[Verdict]] = {}
    for one in sorted(newly_shut_out(plan), key=lambda one: -one.after.compatibility.rank):
        does = DOES[one.after.compatibility.value][one.after.access.value]
        rows.setdefault(does, []).append(one.after)
    return tuple((does, grouped(some)) for does, some in rows.items())


def drop_sentences(one: DropStatus) -> Iterator[str]:
    """How far a feature is from being dropped."""
    if one.phase is Phase.ABSENT:
        yield "The table does not support it: there is nothing to drop."
        return
    if one.refusal is not None:
        yield f"Cannot be dropped now: {one.refusal.message}"
        yield one.refusal.remedy
        return
    if one.work:
        yield f"Dropping it first changes this: {'; '.join(one.work)}."
    if not one.truncates_history:
        yield "Can be dropped now, and the history stays."
        return
    if one.keeps_history:
        yield "Can be dropped now with the history kept, which adds checkpointProtection."
    if one.phase is Phase.FIRST_OF_TWO:
        yield "With --truncate-history it takes two runs: the first one can start now."
    elif one.phase is Phase.WAITING and one.ready_at is not None:
        when = second(one.ready_at)
        yield f"With --truncate-history it waits for history to expire: ready at {when}."
    else:
        yield "With --truncate-history it can be dropped now."
