"""
Plans until clients can use a table, until it is as a policy demands, and of `validate --fix`.

The cheapest steps are found by a search in the order of their price, on states that `evolve`
predicts. What keeps a client from working, or breaks the policy, says which steps come into
question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial, reduce
from heapq import heappop, heappush
from typing import Final, NamedTuple, TypeVar

from deltaadm.clients import Access, ClientRelease, Compatibility, conditions, verdict, version_key
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import FEATURES, Cost, Kind, TableFeature, dependents
from deltaadm.domain.properties import Key
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.removal import CHECKPOINT_PROTECTION, FeatureHistory
from deltaadm.domain.transaction.spark_support import refusal_to_read
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.facts import Policy, PolicyFacts
from deltaadm.masking import quoted_argument
from deltaadm.plans.features import (
    UPGRADE_PROTOCOL,
    Phase,
    Waiting,
    after_all_runs,
    guards_history,
    later_notes,
    nothing_yet,
    truncates,
    truncation_phase,
)
from deltaadm.plans.impact import described
from deltaadm.plans.plan import Goal, Plan, Unreachable, propose, snapshot_findings
from deltaadm.plans.undo import REQUESTED, advice_for, alter_command, places
from deltaadm.rules.outside import fitting, setting
from deltaadm.rules.rule import RULES, Finding, Problem, Scope, Severity, ValidationReport


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
    reachable, steps, unreachable = _reach(snapshot, [*dict.fromkeys(goals)], required, session)
    if unreachable and not (reachable or skip_unreachable):
        reasons = "; ".join(reason for _, reason in unreachable)
        remedy = "Name other clients or releases; `deltaadm clients` shows what each supports."
        refusal = refusal_to_read(snapshot)  # which everything else has to wait for
        if refusal is not None and refusal.message.rstrip(".").lower() in reasons.lower():
            remedy = refusal.remedy
        raise RefusedError(f"No plan helps: {reasons}.", remedy=remedy)
    now_possible, later = _first_run(snapshot, history_of, steps, now, session)
    unread = snapshot.files is None and bool(steps)
    if later and not now_possible and not unread:
        raise nothing_yet(later)
    because = {subject: why for step in now_possible for subject, why in step.reasons().items()}
    plan = propose(UPGRADE_PROTOCOL, snapshot, now_possible, because=because, session=session)
    names = ", ".join(dict.fromkeys(goal.name for goal in reachable))
    asked = {
        planned.change.subject: f"for {names}"
        for planned in plan.changes
        if planned.because == REQUESTED
    }
    notes = [
        f"{goal} {'already' if is_reached(goal, plan.before) else 'after this'}."
        if is_reached(goal, plan.after)
        else f"{goal} only after a later run of the same command."
        for goal in reachable
    ]
    return replace(
        plan,
        because=because | asked,
        notes=(*plan.notes, *notes, *later_notes(steps, later)),
        goals=reachable,
        unreachable=tuple(Unreachable(*each, skipped=skip_unreachable) for each in unreachable),
        needs_state=plan.needs_state or unread,
    )


def is_reached(goal: AnyGoal, snapshot: Snapshot) -> bool:
    """Whether the client can use a table in the state of *snapshot*, or the policy is met by it."""
    return _obstacle(goal, snapshot) is None


# Fixing what `validate` finds


VALIDATE = "validate"


def plan_fixes(
    snapshot: Snapshot,
    report: ValidationReport,
    *,
    policy: Policy | None = None,
    clients: Sequence[Goal] = (),
    history_of: Callable[[str], FeatureHistory] = lambda _: FeatureHistory(first=0),
    now: int = 0,
    fail_on: Severity = Severity.ERROR,
    session: SessionSettings | None = None,
) -> Plan:
    """
    One plan that fixes every finding of *report* that can be fixed together with the others.

    What findings propose comes first, then the cheapest steps to what the *policy* and the
    *clients* demand besides, of several runs those of the next one at *now* (in milliseconds), and
    a checkpoint at last. No demand that is met is broken for another. The notes say which findings
    are fixed, and why others are not; those from *fail_on* up are the plan's `unfixed`.
    """
    demands = policy or Policy()
    goals = _goals(report.findings, snapshot, demands, clients)
    # What it takes to reach these depends on files and domains.
    unread = replace(propose(VALIDATE, snapshot, []), needs_state=True)
    if snapshot.files is None and any(not finding.fix for _, finding in goals):
        return unread

    def demanded(met: Snapshot) -> list[AnyGoal]:
        """Everything that is demanded and that *met* has already."""
        working = (goal for goal in clients if is_reached(goal, met))
        return [Demand(demands, broken=frozenset(_breaches(demands, met))), *working]

    def fixing(first: list[Step], on: Snapshot) -> tuple[list[Step], list[Finding], Snapshot]:
        """The steps that fix findings after the *first* ones, which lead to *on*; and the state."""
        kept, taken, done = demanded(on), list[Step](), list[Finding]()
        for finding in report.findings:
            if finding.fix and finding not in fixed:
                steps = _union([*done, finding])
                with suppress(DeltaadmError):
                    after = propose(
                        VALIDATE, snapshot, [*first, *steps], session=session, check_outcome=False
                    ).after
                    if all(is_reached(goal, after) for goal in kept):
                        done.append(finding)
                        taken, on = steps, after
        return taken, done, on

    fixed: list[Finding] = []
    fixes, fixed, base = fixing([], snapshot)
    goals = [(goal, finding) for goal, finding in goals if finding not in fixed]
    missing = [goal for goal, _ in goals if not is_reached(goal, base)]
    if snapshot.files is None and missing:
        return unread
    reached, way, unreachable = _reach(base, missing, demanded(base), session)
    possible, later = _first_run(base, history_of, way, now, session)
    # A fix may have been refused on the table as it was, and be possible once the rest is done.
    before = propose(VALIDATE, base, possible, session=session, check_outcome=False).after
    found = {(each.code, each.where): each.fix for each in snapshot_findings(before)}
    report = replace(
        report,
        findings=tuple(
            each if each.fix else replace(each, fix=found.get((each.code, each.where), ()))
            for each in report.findings
        ),
    )
    more, others, _ = fixing([*fixes, *possible], before)
    fixed += others
    left = [finding for finding in report.findings if finding not in fixed]
    goals = [(goal, finding) for goal, finding in goals if finding not in fixed]
    steps = sorted([*fixes, *possible, *more], key=lambda step: not step.has_statement)
    because = {at: why for step in possible for at, why in step.reasons().items()}
    because |= {
        place: f"fixes {each.code} {each.name}"
        for each in reversed(fixed)  # of several that fix a place, the first counts
        for step in each.fix
        for key in step.touches.property_values
        for place in places(key)
    }
    plan = propose(VALIDATE, snapshot, steps, because=because, session=session)
    purpose = ", ".join(
        dict.fromkeys(f"{each.code} {each.name}" for goal, each in goals if goal in reached)
    )
    because |= {
        planned.change.subject: f"fixes {purpose}"
        for planned in plan.changes
        if purpose and planned.because == REQUESTED
    }
    done = [*fixed, *(each for goal, each in goals if is_reached(goal, plan.after))]
    # Others are gone as well, with what the steps change.
    gone = {(each.code, each.where) for each in snapshot_findings(snapshot)}
    gone -= {(each.code, each.where) for each in snapshot_findings(plan.after)}
    done += [each for each in left if (each.code, each.where) in gone]
    rest = replace(report, findings=tuple(each for each in left if each not in done))
    later_runs = [each for goal, each in goals if goal in reached and each not in done]
    notes = [f"{each.code} {each.name}: {each.message}" for each in done]
    notes += [
        f"{of.code} {of.name}: only after a later run of the same command." for of in later_runs
    ]
    notes += [*later_notes(way, later), *_notes_on_rest(rest, goals, unreachable, fail_on)]
    return replace(
        plan,
        because=because,
        notes=(*notes, *plan.notes),
        goals=tuple(goal for goal in missing if isinstance(goal, Goal)),
        unfixed=sum(rest.count(severity) for severity in Severity if severity.rank <= fail_on.rank),
    )


def _notes_on_rest(
    rest: ValidationReport,
    goals: Sequence[tuple[AnyGoal, Finding]],
    unreachable: Sequence[tuple[AnyGoal, str]],
    fail_on: Severity,
) -> Iterator[str]:
    known = [each for _, each in goals]
    why = [(each, f": {why}.") for goal, each in goals for one, why in unreachable if one is goal]
    # Of findings that no policy leads to, the rule's advice is the same for all of a rule.
    advice = {each.code: each for each in rest.findings if each not in known}
    why += [(each, f". {advice_for(rest.table, each.remedy)}") for each in advice.values()]
    for each, words in why:
        if each.severity.rank <= fail_on.rank:
            yield f"Not fixed: {each.code} {each.name}{words}"
    if left := sum(map(rest.count, Severity)):
        words = "1 finding is" if left == 1 else f"{left} findings are"
        command = f"`deltaadm validate {quoted_argument(rest.table)} --all`"
        yield f"{words} not fixed by this plan; {command} lists them."


def _goals(
    findings: Iterable[Finding], snapshot: Snapshot, policy: Policy, clients: Iterable[Goal]
) -> list[tuple[AnyGoal, Finding]]:
    """The goals that *policy* and *clients* set, each with what is found as it is not reached."""
    goals: dict[tuple[str, str], AnyGoal] = {
        place: Demand(policy, place) for place in _breaches(policy, snapshot)
    }
    for goal in clients:
        code = "DL907" if goal.access is Access.READ else "DL908"
        goals[code, f"client[{goal.release}]"] = goal
    found = ((finding, (finding.code, finding.where)) for finding in findings)
    return [(goals[place], finding) for finding, place in found if place in goals]


def _union(findings: Iterable[Finding]) -> list[Step]:
    """The steps of all *findings* as few steps; where two disagree, the worse finding's counts."""
    properties: dict[str, str] = {}
    unset: dict[str, None] = {}
    others: dict[Step, None] = {}
    for step in (step for finding in findings for step in finding.fix):
        values = step.touches.property_values
        if not values:
            others[step] = None
        properties = {key: value for key, value in values.items() if value is not None} | properties
        unset |= dict.fromkeys(key for key, value in values.items() if value is None)
    steps: list[Step] = [kinds.SetProperties(properties)] if properties else []
    keys = tuple(key for key in unset if key not in properties)
    if keys:
        steps.append(kinds.UnsetProperties(keys, if_exists=True))
    return [*steps, *sorted(others, key=lambda step: not step.has_statement)]


# Goals


def _breaches(policy: Policy, state: Snapshot) -> Mapping[tuple[str, str], Problem]:
    """What the rules on the *policy* find in *state*, by code and place."""
    facts = PolicyFacts(snapshot=state, policy=policy)
    rules = (rule for rule in RULES.values() if rule.scope is Scope.POLICY)
    return {(rule.code, found.where): found for rule in rules for found in rule.check(facts)}


@dataclass(frozen=True)
class Demand:
    """
    The goal that the *policy* is met: at *place*, a rule's code and a place of the table.

    Without a place, it is to be met everywhere except where it was *broken* before.
    """

    policy: Policy
    place: tuple[str, str] | None = None
    broken: frozenset[tuple[str, str]] = frozenset()

    @property
    def name(self) -> str:
        """The code of the rule."""
        return self.place[0] if self.place else "the policy"

    def concerns(self, place: tuple[str, str]) -> bool:
        """Whether nothing may be found there."""
        return self.place in (place, None) and place not in self.broken

    def obstacle(self, state: Snapshot) -> _Obstacle | None:
        """What is found first."""
        for place, problem in _breaches(self.policy, state).items():
            if self.concerns(place):
                code, where = place
                values: Iterable[str] = ()
                is_version = where in (_READER_VERSION, _WRITER_VERSION)
                subject = where if is_version else where.partition("[")[2][:-1]
                # Also values that rewrite every file, and those that Delta refuses with a reason.
                if code == "DL906":
                    named = self.policy.properties[subject].values
                    values = [*fitting(subject, named, state.metadata.configuration)]
                elif code == "DL905":
                    values = self.policy.mapping_modes
                fix = tuple(setting(subject, value) for value in values) or problem.fix
                if subject == Key.COLUMN_MAPPING_MODE and "none" in values:
                    subject = "columnMapping"
                return _Obstacle(subject, problem.message, fix)
        return None


AnyGoal = Goal | Demand
G = TypeVar("G", bound=AnyGoal)


@dataclass(frozen=True)
class _Obstacle:
    """What keeps a goal from being reached: a place or a feature; in words; and what may help."""

    subject: str
    words: str
    fix: tuple[Step, ...] = ()


def _obstacle(goal: AnyGoal, state: Snapshot) -> _Obstacle | None:
    if isinstance(goal, Demand):
        return goal.obstacle(state)
    met = conditions(state)
    judged = verdict(goal.release, state.protocol, state.metadata, goal.access, met)
    if judged.compatibility is Compatibility.WORKS:
        return None
    return _Obstacle(judged.responsible[0].subject, described(judged))


def _excludes_protection(goal: AnyGoal) -> bool:
    """Whether it does not go together with `checkpointProtection`, so that history must go."""
    if isinstance(goal, Goal):
        return goal.access is not Access.READ and not is_reached(goal, _PROTECTED)
    caused = _breaches(goal.policy, _PROTECTED).keys() - _breaches(goal.policy, _PLAIN).keys()
    return any(map(goal.concerns, caused))


_PLAIN: Final = Snapshot(root="", version=0, protocol=Protocol(1, 1), metadata=Metadata())
_PROTECTED: Final = replace(
    _PLAIN, protocol=Protocol(1, 7, writer_features=frozenset({CHECKPOINT_PROTECTION}))
)


@dataclass(frozen=True)
class _DeadEnd:
    """
    The obstacle at which the search for a goal ends, and why it cannot be removed.

    `states` are those that it has led to.
    """

    obstacle: _Obstacle
    refusals: Sequence[DeltaadmError]
    states: Sequence[Snapshot]


def _search(
    snapshot: Snapshot,
    session: SessionSettings | None,
    known: dict[tuple[str, ...], Snapshot | DeltaadmError],
    *goals: AnyGoal,
) -> tuple[Step, ...] | _DeadEnd:
    """
    The cheapest steps that reach the goals, or the first thing that nothing could be done about.

    Whatever keeps the first client that does not work from working has to go: only steps that
    contribute to that are tried, so that few sets are. Other searches from the same *snapshot* have
    met some of the states already: *known*, by the texts of the steps.
    """
    truncating = any(map(_excludes_protection, goals))
    dead_end: tuple[_Obstacle, list[DeltaadmError]] | None = None
    number, seen, states = 0, set[frozenset[str]](), list[Snapshot]()
    queue: list[tuple[Price, int, tuple[Step, ...], Snapshot]] = [(Price(), number, (), snapshot)]
    while queue:
        price, _, taken, state = heappop(queue)
        states.append(state)
        obstacle = next(filter(None, (_obstacle(goal, state) for goal in goals)), None)
        if obstacle is None:
            return taken
        refusals: list[DeltaadmError] = []
        led_on = False
        for step in (*obstacle.fix, *_steps(obstacle.subject, state, truncating=truncating)):
            # By their texts: steps with properties have no hash.
            texts = tuple(map(repr, (*taken, step)))
            together = frozenset(texts)
            if together in seen:
                led_on = led_on or step not in taken
                continue
            try:
                after = known.get(texts) or after_all_runs(state, step, session)
            except DeltaadmError as refusal:
                after = refusal
            known[texts] = after
            if isinstance(after, DeltaadmError):
                refusals.append(after)
                continue
            if (after.protocol, after.metadata) == (state.protocol, state.metadata):
                continue
            seen.add(together)
            led_on = True
            number += 1
            # The number comes before what cannot be compared.
            heappush(queue, (price.plus(state, step), number, (*taken, step), after))
        if not led_on and dead_end is None:
            dead_end = obstacle, refusals
    assert dead_end is not None  # noqa: S101 -- a finite search that finds nothing has one
    return _DeadEnd(*dead_end, states)


def _steps(subject: str, state: Snapshot, *, truncating: bool) -> Iterator[Step]:
    if subject not in (_READER_VERSION, _WRITER_VERSION):
        yield from _steps_to_remove(state, subject, truncating=truncating)
        return
    # Lower versions must list no feature that came with the lists.
    known = [(name, TableFeature.lookup(name)) for name in sorted(state.protocol.names)]
    names = [
        name
        for name, feature in known
        if subject == _WRITER_VERSION or feature is None or feature.kind is Kind.READER_WRITER
    ]
    legacy = {name for name, feature in known if feature is not None and feature.legacy}
    new = [name for name in names if name not in legacy]
    # Each of the new ones has to go, so that it does not matter with which one it begins.
    for name in new[:1] or names:
        yield from _steps_to_remove(state, name, truncating=truncating)
    # Versions without lists that imply the features of the table, and perhaps more.
    if not new and state.protocol.supports_writer_features:
        implying = [feature.legacy for _, feature in known if feature and feature.legacy]
        for writer in range(2, 7):
            reader = max((reader for reader, least in implying if least <= writer), default=0)
            versions = {Key.MIN_READER_VERSION: str(reader)} if reader else {}
            yield kinds.SetProperties({**versions, Key.MIN_WRITER_VERSION: str(writer)})


def _steps_to_remove(state: Snapshot, name: str, *, truncating: bool) -> Iterator[Step]:
    feature = TableFeature.lookup(name)
    if feature is None:
        return
    # Delta drops no feature that another one requires.
    for needing in dependents(feature.name, state.protocol.names):
        yield from _steps_to_remove(state, needing, truncating=truncating)
    yield from _deactivations(state, feature.name)
    truncating = truncates(feature.name) and truncating
    yield kinds.DropFeature(feature.name, truncating or guards_history(feature.name))


_READER_VERSION: Final = "protocol.minReaderVersion"
_WRITER_VERSION: Final = "protocol.minWriterVersion"


def _deactivations(state: Snapshot, name: str) -> Iterator[Step]:
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


def _first_run(
    snapshot: Snapshot,
    history_of: Callable[[str], FeatureHistory],
    steps: Sequence[Step],
    now: int,
    session: SessionSettings | None,
) -> tuple[list[Step], Waiting]:
    """The steps that can be taken now, and those that wait."""
    possible: list[Step] = []
    later: list[tuple[Step, int | None]] = []
    state = snapshot
    for step in steps:
        phase, ready_at = truncation_phase(state, step, history_of, now)
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


def _reach(
    snapshot: Snapshot,
    goals: Sequence[G],
    required: Sequence[AnyGoal],
    session: SessionSettings | None,
) -> tuple[tuple[G, ...], tuple[Step, ...], list[tuple[G, str]]]:
    """
    The *goals* that can be reached together, the cheapest steps to them; the others, with reasons.

    Of those that exclude each other the first ones count; the *required* ones come before all.
    """
    search = partial(_search, snapshot, session, {})
    result = search(*goals, *required)
    if not isinstance(result, _DeadEnd):
        return tuple(goals), result, []
    kept: tuple[G, ...] = ()
    steps: tuple[Step, ...] = ()
    unreachable: list[tuple[G, str]] = []
    for goal in goals:
        result = search(*kept, goal, *required)
        if not isinstance(result, _DeadEnd):
            kept, steps = (*kept, goal), result
            continue
        alone = search(goal)
        if isinstance(alone, _DeadEnd):
            reason = _unreachable_reason(goal, alone)
        else:
            after = reduce(lambda at, step: after_all_runs(at, step, session), alone, snapshot)
            lost = filter(None, (_obstacle(each, after) for each in (*kept, *required)))
            words = "; ".join(obstacle.words.rstrip(".") for obstacle in lost)
            reason = f"another demand excludes it: {words[:1].lower()}{words[1:]}"
        states = result.states
        kept_states = [at for at in states if all(is_reached(each, at) for each in required)]
        refusals = alone.refusals if isinstance(alone, _DeadEnd) else []
        unreachable.append((goal, f"{reason}{_nearest(goal, kept_states, refusals)}"))
    return kept, steps, unreachable


def _unreachable_reason(goal: AnyGoal, dead_end: _DeadEnd) -> str:
    """Why the search for *goal* alone comes to nothing, and what comes nearest to it."""
    texts = [refusal.message.rstrip(".") for refusal in dead_end.refusals]
    why = ", ".join(dict.fromkeys(text[:1].lower() + text[1:] for text in texts))
    if isinstance(goal, Demand):
        return why or "Delta has no command for it"
    plain = verdict(goal.release, Protocol(1, 1), Metadata(), goal.access)
    if plain.compatibility is not Compatibility.WORKS:
        note = plain.responsible[0].note
        able = "does not" if plain.compatibility is not Compatibility.UNKNOWN else "is not known to"
        return f"{goal.release} {able} {goal.access.value} any table{f' ({note})' if note else ''}"
    words = dead_end.obstacle.words
    return f"{words}, and {why}" if why else words


def _nearest(goal: AnyGoal, states: Sequence[Snapshot], refusals: Sequence[DeltaadmError]) -> str:
    """
    What comes nearest to a *goal* that is not reached, as a clause; empty where nothing does.

    The *states*, of which the first is that of the table, are those that can be reached.
    """
    words = next((refusal.remedy.rstrip(".") for refusal in refusals), "")
    if isinstance(goal, Goal):
        client = goal.release.client
        since = {fact.since for fact in (*client.reads, *client.writes)}
        releases = sorted({client.newest, *filter(None, since)}, key=version_key)
        able = (ClientRelease(client, version) for version in releases)
        there = states[0]
        words = next((f"{r} can" for r in able if is_reached(replace(goal, release=r), there)), "")
    elif obstacle := goal.obstacle(states[0]):
        subject, protocols = obstacle.subject, [state.protocol for state in states]
        if subject == _READER_VERSION:
            words = f"version {min(each.min_reader_version for each in protocols)}"
        elif subject == _WRITER_VERSION:
            words = f"version {min(each.min_writer_version for each in protocols)}"
        elif len(states) > 1 and goal.name == "DL904":
            steps = _deactivations(states[0], subject)
            words = next((f"`{alter_command(step)}` ends its use" for step in steps), words)
    return words and f"; nearest: {words}"
