"""Findings on the state that a plan predicts, and the consent that they need."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deltaadm.domain.model.schema import path_text
from deltaadm.domain.transaction.clustering import earlier_names
from deltaadm.errors import DeltaadmError, Refused
from deltaadm.validation.finding import Severity
from deltaadm.validation.snapshots import snapshot_findings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from deltaadm.domain.model.schema import Path
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step
    from deltaadm.validation.finding import Finding


def new_findings(states: Sequence[Snapshot], steps: Iterable[Step]) -> tuple[Finding, ...]:
    """
    Return the findings on the last of *states* that the first lacks; *steps* lie between.

    Only errors and warnings: a plan breaks nothing with what is said for information alone, such
    as that no column uses a feature whose property is unset.
    What they find in other words at the same place, or on a column that is renamed, is not new.
    """
    before, after = states[0], states[-1]
    names = _names(states)
    known = Counter(
        (finding.code, finding.severity, finding.where, finding.message)
        for finding in (snapshot_findings(before) if before.exists else ())
    )
    different = []
    for finding in snapshot_findings(after, names):
        if finding.severity is Severity.INFO:
            continue
        key = (finding.code, finding.severity, finding.where, finding.message)
        if known[key]:
            # Counted, since a rule may find the same in the same words several times.
            known[key] -= 1
        else:
            different.append(finding)
    renamed = _renames(steps)
    left = Counter(
        (code, severity, _renamed(where, renamed)) for code, severity, where, _ in known.elements()
    )
    new = []
    for finding in different:
        place = (finding.code, finding.severity, finding.where)
        if left[place]:
            left[place] -= 1
        else:
            new.append(finding)
    return tuple(new)


def _names(states: Iterable[Snapshot]) -> Mapping[Path, Path]:
    try:
        return earlier_names(state.metadata for state in states)
    except DeltaadmError:  # a schema that cannot be understood, which is a finding itself
        return {}


def _renames(steps: Iterable[Step]) -> list[tuple[str, str]]:
    return [(path_text(old), path_text(new)) for step in steps for old, new in step.renames]


def _renamed(where: str, renames: Iterable[tuple[str, str]]) -> str:
    """A place in the schema, as it is called once columns have other names."""
    for old, new in renames:
        for end in "].":
            start = f"schema[{old}{end}"
            if where.startswith(start):
                where = f"schema[{new}{end}{where.removeprefix(start)}"
                break
    return where


def require_accepted(findings: Iterable[Finding], accepted: Collection[str] = ()) -> None:
    """Raise `Refused` for errors among *findings* whose codes are not *accepted*."""
    errors = [
        finding
        for finding in findings
        if finding.severity is Severity.ERROR and finding.code not in accepted
    ]
    if not errors:
        return
    shown = "; ".join(
        f"{finding.code} {finding.name}: {finding.message.rstrip('.')}"
        for finding in errors[:_SHOWN]
    )
    more = f"; and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
    options = " ".join(
        f"--accept-finding {code}" for code in sorted({finding.code for finding in errors})
    )
    raise Refused(
        f"The plan would introduce errors: {shown}{more}.",
        remedy=f"Change the plan, or pass {options} to proceed anyway.",
    )


_SHOWN = 3
