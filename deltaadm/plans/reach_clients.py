"""
`upgrade-protocol --readable-by … --writable-by …`: what it takes until clients can use a table.

The cheapest steps are found by a search in the order of their price, on states that `evolve`
predicts. What keeps a client from working says which steps come into question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Final, NamedTuple

from deltaadm.clients import Access, Compatibility, Verdict, conditions, verdict
from deltaadm.dataclass import replace
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import FEATURES, Cost, Kind, TableFeature, dependents
from deltaadm.domain.instants import second
from deltaadm.domain.properties import Key
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.removal import CHECKPOINT_PROTECTION, FeatureHistory
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.plans.clients import described
from deltaadm.plans.features import (
    Phase,
    after_all_runs,
    guards_history,
    not_yet,
    truncates,
    truncation_phase,
)
from deltaadm.plans.plan import Goal, Plan, Unreachable, propose


class Price(NamedTuple):
    """
    The price of steps, the worst first: what cannot be undone, then work, then their number.

    `history` says whether older versions are lost; `losses` counts constraints and domains that
    go. `features` counts those that the protocol no longer has.
    """

    history: bool = False
    losses: int = 0
    rewrites: int = 0
    backfills: int = 0
    steps: int = 0
    features: int = 0

    def plus(self, before: Snapshot, step: Step) -> Price:
        """Return the price with one more *step* on the state *before* it."""
        cost = step.cost(before)
        return Price(
            self.history or bool(step.irreversible),
            self.losses + bool(step.destroys(before)),
            self.rewrites + (cost is Cost.REWRITE),
            self.backfills + (cost is Cost.BACKFILL),
            self.steps + 1,
            self.features + bool(step.dropped_feature),
        )


def plan_for_clients(
    snapshot: Snapshot,
    history_of: Callable[[str], FeatureHistory],
    goals: Iterable[Goal],
    *,
    operation: str,
    now: int,
    keeping: Iterable[Goal] = (),
    skip_unreachable: bool = False,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The cheapest plan after which the *goals* are reached; of several runs, the next one.

    Goals that cannot be reached are left out and named, and may be all with *skip_unreachable*.
    What is reached already of those in *keeping* stays so. Raises `RefusedError` where nothing can
    be reached, with the reason for each client, and `NotYetError` where everything that is left
    waits for history to expire at *now* (in milliseconds).
    """
    required = tuple(goal for goal in keeping if is_reached(goal, snapshot))
    reachable, steps, unreachable = _reachable(
        snapshot, tuple(dict.fromkeys(goals)), required, session
    )
    if unreachable and not (reachable or skip_unreachable):
        raise RefusedError(
            "Removing features does not make the table work for "
            f"{_releases(target.goal for target in unreachable)}: "
            f"{'; '.join(target.reason for target in unreachable)}.",
            remedy="Name other clients or releases; `deltaadm clients` shows what each supports.",
        )
    now_possible, later = _first_run(snapshot, history_of, steps, now, session)
    unread = snapshot.files is None and bool(steps)
    if later and not now_possible and not unread:
        moments = [ready_at for _, ready_at in later if ready_at is not None]
        listed = ", ".join(_subject(step) for step, _ in later)
        raise not_yet(
            f"Nothing can be done yet: older versions need {listed}; ready at "
            f"{second(min(moments, default=0))}."
        )
    because = {subject: why for step in now_possible for subject, why in step.reasons().items()}
    plan = propose(operation, snapshot, now_possible, because=because, session=session)
    asked = {
        planned.change.subject: f"for {_releases(reachable)}"
        for planned in plan.changes
        if planned.because == "requested"
    }
    return replace(
        plan,
        because=because | asked,
        notes=(*plan.notes, *_notes(plan, reachable, steps, later)),
        goals=reachable,
        unreachable=tuple(replace(target, skipped=skip_unreachable) for target in unreachable),
        needs_state=plan.needs_state or unread,
    )


def require_reached(plan: Plan) -> None:
    """Raise `RefusedError` where *plan* misses goals that were not to be skipped."""
    if plan.missed:
        raise RefusedError(
            f"{_releases(target.goal for target in plan.missed)} cannot be reached: "
            f"{'; '.join(target.reason for target in plan.missed)}. Nothing was changed.",
            remedy="Go on without them: --skip-unreachable, or leave them out.",
        )


def is_reached(goal: Goal, snapshot: Snapshot) -> bool:
    """Whether the client can use a table in the state of *snapshot*."""
    return _judged(goal, snapshot).compatibility is Compatibility.WORKS


# The search


class _DeadEnd(NamedTuple):
    """The obstacle at which the search for a client ends, and why it cannot be removed."""

    verdict: Verdict
    refusals: tuple[str, ...]


class _Search:
    """
    Sets of steps in the order of their price, until one reaches the goals.

    Whatever keeps the first client that does not work from working has to go: only steps that
    contribute to that are tried, so that few sets are.
    """

    def __init__(
        self, snapshot: Snapshot, goals: Sequence[Goal], session: SessionSettings | None
    ) -> None:
        self._start, self._goals, self._session = snapshot, goals, session
        # Where a writer does not support `checkpointProtection`, history must go.
        protected = Protocol(1, 7, writer_features=frozenset({CHECKPOINT_PROTECTION}))
        writers = [goal.release for goal in goals if goal.access is not Access.READ]
        self._truncating = any(
            verdict(release, protected, Metadata(), Access.WRITE).compatibility
            is not Compatibility.WORKS
            for release in writers
        )

    def run(self) -> tuple[Step, ...] | _DeadEnd:
        """The steps, or the first thing that nothing could be done about."""
        dead_end: _DeadEnd | None = None
        number, seen = 0, set[frozenset[str]]()
        queue: list[tuple[Price, int, tuple[Step, ...], Snapshot]] = [
            (Price(), number, (), self._start)
        ]
        while queue:
            price, _, taken, state = heappop(queue)
            missed = next((goal for goal in self._goals if not is_reached(goal, state)), None)
            if missed is None:
                return taken
            refusals: list[str] = []
            judged, led_on = _judged(missed, state), False
            for step in self._steps(judged, state):
                # By their texts: steps with properties have no hash.
                together = frozenset(map(repr, (*taken, step)))
                if together in seen:
                    led_on = led_on or step not in taken
                    continue
                try:
                    after = after_all_runs(state, step, self._session)
                except DeltaadmError as refusal:
                    refusals.append(refusal.message)
                    continue
                if (after.protocol, after.metadata) == (state.protocol, state.metadata):
                    continue
                seen.add(together)
                led_on = True
                number += 1
                # The number comes before what cannot be compared.
                heappush(queue, (price.plus(state, step), number, (*taken, step), after))
            if not led_on and dead_end is None:
                dead_end = _DeadEnd(judged, tuple(dict.fromkeys(refusals)))
        assert dead_end is not None  # noqa: S101 -- a finite search that finds nothing has one
        return dead_end

    def _steps(self, judged: Verdict, state: Snapshot) -> Iterator[Step]:
        """Yield the steps that may improve the verdict *judged*."""
        subject = judged.responsible[0].subject
        if subject not in (_READER_VERSION, _WRITER_VERSION):
            yield from self._steps_to_remove(state, subject)
            return
        # Lower versions must list no feature that came with the lists.
        known = [(name, TableFeature.lookup(name)) for name in sorted(_names(state))]
        names = [
            name
            for name, feature in known
            if subject == _WRITER_VERSION or feature is None or feature.kind is Kind.READER_WRITER
        ]
        legacy = {name for name, feature in known if feature is not None and feature.legacy}
        new = [name for name in names if name not in legacy]
        # Each of the new ones has to go, so that it does not matter with which one it begins.
        for name in new[:1] or names:
            yield from self._steps_to_remove(state, name)
        if not new:
            yield from _lists_to_versions(state)

    def _steps_to_remove(self, state: Snapshot, name: str) -> Iterator[Step]:
        """Steps that drop the feature, stop its use, or drop what depends on it."""
        feature = TableFeature.lookup(name)
        if feature is None:
            return
        # Delta drops no feature that another one requires.
        for needing in dependents(feature.name, _names(state)):
            yield from self._steps_to_remove(state, needing)
        yield from _deactivations(state, feature.name)
        truncating = truncates(feature.name) and self._truncating
        yield kinds.DropFeature(feature.name, truncating or guards_history(feature.name))


_READER_VERSION: Final = "protocol.minReaderVersion"
_WRITER_VERSION: Final = "protocol.minWriterVersion"


def _names(state: Snapshot) -> frozenset[str]:
    return state.protocol.explicit_names | state.protocol.implicit_features


def _judged(goal: Goal, state: Snapshot) -> Verdict:
    return verdict(goal.release, state.protocol, state.metadata, goal.access, conditions(state))


def _deactivations(state: Snapshot, name: str) -> Iterator[Step]:
    """Steps after which the metadata no longer uses the feature."""
    configuration = state.metadata.configuration
    activation = FEATURES[name].activation
    if activation.by_constraint:
        for key in sorted(configuration):
            if key.startswith(Key.CONSTRAINT_PREFIX):
                # One at a time: the search comes back for the others.
                yield kinds.DropConstraint(key.removeprefix(Key.CONSTRAINT_PREFIX))
                return
    for key in sorted(activation.properties):
        if key == Key.COLUMN_MAPPING_MODE and configuration.get(key, "none") != "none":
            yield kinds.SetProperties({key: "none"})
        elif key in configuration:
            yield kinds.UnsetProperties((key,))


def _lists_to_versions(state: Snapshot) -> Iterator[Step]:
    """Versions without lists that imply the features of the table, and perhaps more."""
    if not state.protocol.supports_writer_features:
        return
    features = map(TableFeature.lookup, _names(state))
    implying = [feature.legacy for feature in features if feature and feature.legacy]
    for writer in range(2, 7):
        reader = max((reader for reader, least in implying if least <= writer), default=0)
        versions = {Key.MIN_READER_VERSION: str(reader)} if reader else {}
        yield kinds.SetProperties({**versions, Key.MIN_WRITER_VERSION: str(writer)})


# What can be done now


def _first_run(
    snapshot: Snapshot,
    history_of: Callable[[str], FeatureHistory],
    steps: Sequence[Step],
    now: int,
    session: SessionSettings | None,
) -> tuple[list[Step], list[tuple[Step, int | None]]]:
    """The steps that can be taken now, and those that wait: for a moment, in ms, or for others."""
    possible: list[Step] = []
    later: list[tuple[Step, int | None]] = []
    state = snapshot
    for step in steps:
        if step.irreversible:
            history = history_of(step.dropped_feature)
            phase, ready_at = truncation_phase(state, step, history, now)
            if phase is Phase.WAITING:
                later.append((step, ready_at))
                continue
        try:
            state = evolve(state, step, session)
        except RefusedError:
            if not (later or any(waiting.waits(snapshot) for waiting in possible)):
                raise
            later.append((step, None))
            continue
        possible.append(step)
    return possible, later


def _subject(step: Step) -> str:
    return step.dropped_feature or step.kind


# What it says


def _releases(goals: Iterable[Goal]) -> str:
    return ", ".join(dict.fromkeys(str(goal.release) for goal in goals))


def _notes(
    plan: Plan,
    goals: Sequence[Goal],
    steps: Sequence[Step],
    later: Sequence[tuple[Step, int | None]],
) -> Iterator[str]:
    for goal in goals:
        if not is_reached(goal, plan.after):
            yield f"{goal} only after a later run of the same command."
        else:
            yield f"{goal} {'already' if is_reached(goal, plan.before) else 'after this'}."
    for step, ready_at in later:
        when = "" if ready_at is None else f"; ready at {second(ready_at)}"
        yield f"{_subject(step)} stays for now: older versions need it{when}."
    if any(step.irreversible for step in steps):
        yield "History is lost: older versions that need dropped features can no longer be read."


def _reachable(
    snapshot: Snapshot,
    goals: tuple[Goal, ...],
    required: tuple[Goal, ...],
    session: SessionSettings | None,
) -> tuple[tuple[Goal, ...], tuple[Step, ...], tuple[Unreachable, ...]]:
    """
    The *goals* that can be reached together, the cheapest steps to them, and the other goals.

    Of those that exclude each other the first ones count; the *required* ones come before all.
    """

    def search(*some: Goal) -> tuple[Step, ...] | _DeadEnd:
        return _Search(snapshot, some, session).run()

    result = search(*goals, *required)
    if not isinstance(result, _DeadEnd):
        return goals, result, ()
    kept: tuple[Goal, ...] = ()
    steps: tuple[Step, ...] = ()
    unreachable: list[Unreachable] = []
    for goal in goals:
        result = search(*kept, goal, *required)
        if not isinstance(result, _DeadEnd):
            kept, steps = (*kept, goal), result
            continue
        alone = search(goal)
        if isinstance(alone, _DeadEnd):
            reason = _unreachable_reason(goal, alone)
        elif isinstance(search(goal, *required), _DeadEnd):
            reason = f"what {goal.release} takes shuts out {_releases(required)}"
        else:
            reason = f"{goal.release} can be reached without {_releases(kept)}, but not with it"
        unreachable.append(Unreachable(goal, reason))
    return kept, steps, tuple(unreachable)


def _unreachable_reason(goal: Goal, dead_end: _DeadEnd) -> str:
    plain = verdict(goal.release, Protocol(1, 1), Metadata(), goal.access)
    if plain.compatibility is not Compatibility.WORKS:
        note = plain.responsible[0].note
        able = "does not" if plain.compatibility is not Compatibility.UNKNOWN else "is not known to"
        return f"{goal.release} {able} {goal.access.value} any table{f' ({note})' if note else ''}"
    if not dead_end.refusals:
        return described(dead_end.verdict)
    texts = [text.rstrip(".") for text in dead_end.refusals]
    refused = ", ".join(text[:1].lower() + text[1:] for text in texts)
    return f"{described(dead_end.verdict)}, and {refused}"
