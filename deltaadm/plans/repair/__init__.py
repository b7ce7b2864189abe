"""
Repairs of damaged logs: diagnosis, plan, carrying out and undoing.

A kind of damage is a function in `KINDS`, which looks at the log as it will be once the repairs
before it are done. That nothing is lost is the task of `carry_out`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from deltaadm.dataclass import replace
from deltaadm.errors import RefusedError
from deltaadm.plans.repair.checkpoints import (
    find_checkpoints,
    find_checksums,
    find_pointer,
)
from deltaadm.plans.repair.commits import find_commits, find_compactions, find_names
from deltaadm.plans.repair.protocol import find_missing_files, find_protocol
from deltaadm.plans.repair.repair import Case, Repair, RepairPlan, require_own_log, sha256

KINDS: Final[tuple[Callable[[Case], Iterator[Repair]], ...]] = (
    find_names,
    find_commits,
    find_compactions,
    find_checkpoints,
    find_protocol,
    find_missing_files,
    find_pointer,
    find_checksums,
)
"""What makes the table loadable comes first, what hints at it last."""


def plan_repairs(case: Case) -> RepairPlan:
    """
    What is wrong with the log of *case*, and what mends it.

    Raises `RefusedError` for a table whose catalog manages its commits, and for one that the
    repairs would change without saying so; `StorageError` where the store did not answer.
    """
    require_own_log(case.store)
    repairs: list[Repair] = []
    digests: dict[str, str | None] = {}
    for find in KINDS:
        for repair in find(case):
            if young := next(filter(case.is_young, repair.files), ""):
                refusal = f"{young} changed a short time ago, and a writer may still be at work"
                remedy = "Run repair later, or with a shorter --older-than if nobody writes."
                repairs.append(replace(repair, refusal=refusal, remedy=remedy))
                continue
            repairs.append(repair)
            if repair.files:
                new = [name for name in repair.files if name not in digests]
                digests |= {name: sha256(case.store, name) for name in new}
                case.change(repair.files)
    plan = RepairPlan(table=case.table, location=case.store.root, repairs=tuple(repairs))
    if plan.is_noop:
        if case.loaded is None and case.failure:  # for which there is no repair
            return replace(plan, blocked=case.failure.message, remedy=case.failure.remedy)
        return plan
    plan = replace(plan, files=case.files, digests=digests)
    (before, blocked), (after, still) = case.before, case.newest_state()
    if before is not None and after is not None:
        announced = {part for repair in plan.planned for part in repair.alters}
        if unannounced := sorted({*before.differences(after)} - announced):
            raise RefusedError(
                f"The repairs would change the {', '.join(unannounced)} of the table, and must "
                "not; nothing was done.",
                remedy="Report this, with the list of _delta_log and what validate --deep says.",
            )
    return replace(plan, before=before, after=after, blocked=blocked, still_blocked=still)
