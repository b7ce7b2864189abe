"""Changes of the tables that a command names, one or many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deltaadm.catalog_table import CatalogTable
from deltaadm.runs.context import RunContext
from deltaadm.runs.names import Entry, look_up, opened
from deltaadm.runs.options import FleetOptions
from deltaadm.runs.plan_options import ChangeOptions
from deltaadm.runs.plan_run import Planner, plan_table, require_plan_options, with_engine_for
from deltaadm.runs.target import resolve

PlanForeign = Callable[[RunContext, str, Entry], int]
"""A function that handles a table that Delta's catalog leaves to another, and its exit code."""


def plan_tables(
    context: RunContext,
    named: Sequence[str],
    many: FleetOptions,
    planner: Planner,
    change: ChangeOptions,
    *,
    plan_foreign: PlanForeign | None = None,
) -> int:
    """
    Plan with *planner*, show or save the plans, carry them out if asked to; the exit code.

    The tables are those that are *named* and those that options name. *plan_foreign* handles a
    table of another provider, which is an error without it and among several tables.
    """
    require_plan_options(change)
    table = many.only(named)
    if not table:
        # What only many tables need takes longer to import than one plan takes to make.
        from deltaadm.runs.many_plans import plan_many

        return plan_many(context, named, many, planner, change)
    # Opened first, so that the commit has the session in which the name was looked up.
    names = [table] if change.planning.apply or plan_foreign is not None else []
    with opened(with_engine_for(context, change), names, [table]) as reader:
        entry = look_up(reader, [table]).get(table)
        if plan_foreign is not None and isinstance(entry, CatalogTable) and entry.is_foreign:
            return plan_foreign(reader, table, entry)
        return plan_table(reader, resolve(reader, table, entry), planner, change)
