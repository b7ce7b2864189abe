"""The planner of `validate --fix`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from deltaadm.clients import Access
from deltaadm.dataclass import replace
from deltaadm.domain import steps as kinds
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.errors import DeltaadmError
from deltaadm.facts import Policy
from deltaadm.plans.plan import Goal, Plan, propose, snapshot_findings
from deltaadm.plans.reach_clients import (
    AnyGoal,
    Demand,
    breaches,
    first_run,
    is_reached,
    later_notes,
    reach,
)
from deltaadm.plans.undo import REQUESTED, advice_for, places, quoted
from deltaadm.rules.rule import Finding, Severity, ValidationReport

OPERATION = "validate"


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
    unread = replace(propose(OPERATION, snapshot, []), needs_state=True)
    if snapshot.files is None and any(not finding.fix for _, finding in goals):
        return unread

    def demanded(met: Snapshot) -> list[AnyGoal]:
        """Everything that is demanded and that *met* has already."""
        working = (goal for goal in clients if is_reached(goal, met))
        return [Demand(demands, broken=frozenset(breaches(demands, met))), *working]

    def fixing(first: list[Step], on: Snapshot) -> tuple[list[Step], list[Finding], Snapshot]:
        """The steps that fix findings after the *first* ones, which lead to *on*; and the state."""
        kept, taken, done = demanded(on), list[Step](), list[Finding]()
        for finding in report.findings:
            if finding.fix and finding not in fixed:
                steps = _union([*done, finding])
                with suppress(DeltaadmError):
                    after = propose(
                        OPERATION, snapshot, [*first, *steps], session=session, check_outcome=False
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
    reached, way, unreachable = reach(base, missing, demanded(base), session)
    possible, later = first_run(base, history_of, way, now, session)
    # A fix may have been refused on the table as it was, and be possible once the rest is done.
    before = propose(OPERATION, base, possible, session=session, check_outcome=False).after
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
    because |= _because(fixed)
    plan = propose(OPERATION, snapshot, steps, because=because, session=session)
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
        command = f"`deltaadm validate {quoted(rest.table)} --all`"
        yield f"{words} not fixed by this plan; {command} lists them."


def _goals(
    findings: Iterable[Finding], snapshot: Snapshot, policy: Policy, clients: Iterable[Goal]
) -> list[tuple[AnyGoal, Finding]]:
    """The goals that *policy* and *clients* set, each with what is found as it is not reached."""
    goals: dict[tuple[str, str], AnyGoal] = {
        place: Demand(policy, place) for place in breaches(policy, snapshot)
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


def _because(findings: Iterable[Finding]) -> dict[str, str]:
    because: dict[str, str] = {}
    for finding in findings:
        for step in finding.fix:
            for key in step.touches.property_values:
                for place in places(key):
                    because.setdefault(place, f"fixes {finding.code} {finding.name}")
    return because
