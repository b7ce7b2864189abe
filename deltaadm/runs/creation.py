"""Planning a table that is to be made or replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.operations.create import plan_create
from deltaadm.runs.places import is_occupied, table_around
from deltaadm.runs.plan_run import make_plan

if TYPE_CHECKING:
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.steps import CreateTable
    from deltaadm.operations.plan import Plan
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.requirements import ClientRequirements
    from deltaadm.runs.target import Target


def plan_creation(
    context: RunContext,
    target: Target,
    step: CreateTable,
    requirements: ClientRequirements,
    session: SessionSettings,
) -> Plan:
    """The plan of *step* for *target*, where there may be a table; raises what `make_plan` does."""
    return make_plan(
        context,
        target,
        lambda before: plan_create(
            before,
            step,
            occupied=is_occupied(context, target.location),
            inside=table_around(context, target.location),
            session=session,
        ),
        requirements,
        missing_ok=True,
    )
