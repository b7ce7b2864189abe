"""Plans for the tables that a command names, one or many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.runs.plan_run import plan_and_apply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deltaadm.runs.context import RunContext
    from deltaadm.runs.options import FleetOptions
    from deltaadm.runs.plan_options import ChangeOptions
    from deltaadm.runs.plan_run import PlanForeign, Planner
    from deltaadm.runs.settings import Settings


def plan_tables(
    context: RunContext,
    named: Sequence[str],
    many: FleetOptions,
    planner: Planner,
    change: ChangeOptions,
    *,
    settings: Settings | None = None,
    plan_foreign: PlanForeign | None = None,
) -> int:
    """
    `plan_and_apply` for the tables that are *named* and those that options name.

    Among several tables one of another provider is an error, also with *plan_foreign*.
    """
    if len(named) == 1 and not (many.names_tables or many.brief or many.resume):
        return plan_and_apply(
            context, named[0], planner, change, settings=settings, plan_foreign=plan_foreign
        )
    # What only many tables need takes longer to import than one plan takes to make.
    from deltaadm.runs.many_plans import plan_many

    return plan_many(context, named, many, planner, change, settings=settings)
