"""
What plans, and what came of them, say in words: shared by every format that people read.

Plans that are only shown need neither what carries them out nor what other providers' tables do:
that is imported by the functions that speak of it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.instants import second
from deltaadm.operations.clients import newly_shut_out
from deltaadm.operations.diff import ChangeKind
from deltaadm.operations.plan import moves
from deltaadm.render.findings import sentence
from deltaadm.render.wording import DOES, cost_text, grouped
from deltaadm.validation.finding import LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deltaadm.clients import Verdict
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.operations.carry_out import ConcurrentChange, Outcome
    from deltaadm.operations.diff import Change
    from deltaadm.operations.drop_feature import DropStatus
    from deltaadm.operations.foreign.carry_out import ForeignPlan
    from deltaadm.operations.plan import Plan


def cost_words(plan: Plan) -> str:
    """What carrying *plan* out does to the table's files and its history."""
    files = None if plan.cost is Cost.METADATA else plan.before.files
    return cost_text(plan.cost, truncates=bool(plan.irreversible), files=files)


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


PARENT_CATALOG: Final = "Statements for the parent catalog, run in this order:"


DIFFERS: Final = "The result differs from the plan:"


def outcome_sentences(outcome: Outcome) -> Iterable[str]:
    """What was committed, and on what, if all is as planned."""
    steps = outcome.plan.steps
    if outcome.plan.is_noop:
        yield "Nothing was committed: there is nothing to do."
    if outcome.versions:
        yield f"{_committed(outcome)}, as planned."
    yield from _later_changes(outcome)
    if not all(step.has_statement for step in steps):
        yield f"_last_checkpoint points to a checkpoint of version {outcome.actual.version}."
    if moves(steps):
        yield f"{outcome.actual.name} now points to {outcome.actual.root}, as planned."


def mismatch_sentences(outcome: Outcome) -> Iterable[str]:
    """What was committed, and on what, if that is not as planned."""
    if outcome.versions:
        yield f"{_committed(outcome)}."
    yield from _later_changes(outcome)


def _committed(outcome: Outcome) -> str:
    """Which versions were committed, and on top of which changes by others."""
    from deltaadm.operations.carry_out import committed_words

    words = committed_words(outcome.versions).capitalize()
    earlier = [one for one in outcome.concurrent if one.version < outcome.versions[-1]]
    return f"{words} after {_changes(earlier, 'concurrent ')}" if earlier else words


def _later_changes(outcome: Outcome) -> Iterable[str]:
    newest = outcome.versions[-1] if outcome.versions else -1
    later = [one for one in outcome.concurrent if one.version > newest]
    if later:
        yield f"Other writers have since committed {_changes(later)}."


def _changes(concurrent: Sequence[ConcurrentChange], which: str = "") -> str:
    from deltaadm.operations.carry_out import concurrent_words

    noun = f"{which}changes" if len(concurrent) > 1 else f"a {which}change"
    return f"{noun} in {concurrent_words(concurrent)}"


def unchanged(plan: Plan) -> str:
    """What a plan does that has steps and yet changes nothing in protocol and metadata."""
    if any(one.is_commit for one in plan.stages):
        return "The result is the same, but these steps are still committed."
    return "Protocol and metadata do not change."


def foreign_plan_title(plan: ForeignPlan) -> str:
    """Which table of another provider is altered, or made, and in whose place."""
    from deltaadm.operations.foreign.changes import ForeignChanges

    old = ""
    if not isinstance(plan, ForeignChanges):
        before = plan.before
        old = f", replacing a table of {before.provider}" if before else ", no table yet"
    return f"{plan.operation}: {plan.table} (provider {plan.provider}{old})"


def foreign_change_words(plan: ForeignPlan) -> tuple[str, ...]:
    """What changes, or what a new table has and what of an old one goes."""
    from deltaadm.operations.foreign.changes import ForeignChanges

    return tuple(map(change_words if isinstance(plan, ForeignChanges) else _fact, plan.changes))


def _fact(change: Change) -> str:
    told = change.after if change.before is None else change.before
    return f"{change.kind.value} {change.subject} = {value_words(told)}"


def foreign_plan_done(plan: ForeignPlan) -> str:
    """That all went well."""
    from deltaadm.operations.foreign.changes import ForeignChanges

    if plan.is_noop:
        return "Nothing was changed: there is nothing to do."
    if isinstance(plan, ForeignChanges):
        return f"{plan.name} was altered, as planned."
    filled = "" if plan.fill is None else " and filled"
    return f"{plan.name} was created{filled}, as planned."


FINDINGS: Final = "Findings after the change"


def finding_rows(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """What rules find on the table that *plan* leads to: severity, rule, and what it is."""
    shown = Counter[str]()
    for one in plan.findings:
        shown[one.code] += 1
        if shown[one.code] <= LIMIT:
            yield one.severity.value, f"{one.code} {one.name}", sentence(one)
    for code, count in shown.items():
        if count > LIMIT:
            yield "", code, f"{count - LIMIT} more"


def shut_out_rows(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Whom a plan newly shuts out, the worst first."""
    rows: dict[str, list[Verdict]] = {}
    for one in sorted(newly_shut_out(plan), key=lambda one: -one.after.compatibility.rank):
        does = DOES[one.after.compatibility.value][one.after.access.value]
        rows.setdefault(does, []).append(one.after)
    return tuple((does, grouped(some)) for does, some in rows.items())


def drop_sentences(one: DropStatus) -> Iterator[str]:
    """How far a feature is from being dropped."""
    from deltaadm.operations.drop_feature import Phase

    if one.phase is Phase.ABSENT:
        yield "The table does not support it: there is nothing to drop."
        return
    if one.refusal is not None:
        yield f"Cannot be dropped now: {one.refusal.message}"
        yield one.refusal.remedy
        return
    if one.work:
        yield f"Dropping it first changes: {'; '.join(one.work)}."
    if not one.truncates_history:
        yield "Can be dropped now; history is kept."
        return
    if one.keeps_history:
        yield "Can be dropped now while keeping history, which adds checkpointProtection."
    if one.phase is Phase.FIRST_OF_TWO:
        yield "With --truncate-history, dropping takes two runs; the first can start now."
    elif one.phase is Phase.WAITING and one.ready_at is not None:
        when = second(one.ready_at)
        yield f"With --truncate-history, it waits for history to expire: ready at {when}."
    else:
        yield "With --truncate-history, it can be dropped now."
