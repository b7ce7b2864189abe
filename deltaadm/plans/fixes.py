"""The planner of `validate --fix`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from deltaadm.dataclass import replace
from deltaadm.domain import steps as kinds
from deltaadm.domain.properties import Key
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.errors import DeltaadmError
from deltaadm.plans.plan import Plan, propose
from deltaadm.plans.undo import advice_for, quoted
from deltaadm.rules.rule import Finding, Severity, ValidationReport

OPERATION = "validate"


def plan_fixes(
    snapshot: Snapshot,
    report: ValidationReport,
    *,
    fail_on: Severity = Severity.ERROR,
    session: SessionSettings | None = None,
) -> Plan:
    """
    One plan that fixes every finding of *report* that can be fixed together with the others.

    What is set goes into one commit, what is unset and how the table is clustered into others,
    and a checkpoint comes last. The notes say which findings are fixed, and how many are not; those
    from *fail_on* up are the plan's `unfixed`.
    """
    fixed: list[Finding] = []
    for finding in report.findings:
        if finding.fix:
            steps = _union([*fixed, finding])
            with suppress(DeltaadmError):
                propose(OPERATION, snapshot, steps, session=session, check_outcome=False)
                fixed.append(finding)
    rest = replace(
        report, findings=tuple(finding for finding in report.findings if finding not in fixed)
    )
    counts = {severity: rest.count(severity) for severity in Severity}
    left = sum(counts.values())
    notes = [f"{finding.code} {finding.name}: {finding.message}" for finding in fixed]
    for code, finding in {each.code: each for each in rest.findings}.items():
        if finding.severity.rank <= fail_on.rank:
            advice = advice_for(report.table, finding.remedy)
            notes.append(f"Not fixed: {code} {finding.name}. {advice}")
    if left:
        words = "1 finding is" if left == 1 else f"{left} findings are"
        command = f"`deltaadm validate {quoted(report.table)} --all`"
        notes.append(f"{words} not fixed by this plan; {command} lists them.")
    plan = propose(
        OPERATION, snapshot, _union(fixed), because=_because(fixed), notes=notes, session=session
    )
    unfixed = sum(n for severity, n in counts.items() if severity.rank <= fail_on.rank)
    return replace(plan, unfixed=unfixed)


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
                name = key.removeprefix(Key.FEATURE_PREFIX)
                places = (
                    [f"protocol.{side}Features[{name}]" for side in ("reader", "writer")]
                    if key.startswith(Key.FEATURE_PREFIX)
                    else []
                )
                for place in (f"configuration[{key}]", *places):
                    because.setdefault(place, f"fixes {finding.code} {finding.name}")
    return because
