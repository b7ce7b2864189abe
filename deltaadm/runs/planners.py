"""Planners for which the log is asked for more than a snapshot, or the time of day matters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.runs.context import now
from deltaadm.runs.target import load_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deltaadm.operations.change_texts import ChangeTexts
    from deltaadm.operations.plan import Plan
    from deltaadm.runs.plan_run import PlanInput, Planner


def changes_planner(texts: ChangeTexts) -> Planner:
    """The planner for the changes in *texts*."""
    from deltaadm.operations.alter import plan_changes
    from deltaadm.operations.change_texts import table_changes

    def plan(table: PlanInput) -> Plan:
        changes = table_changes(texts, partial(load_at, table.context))
        return plan_changes(
            table.snapshot,
            replace(changes, is_managed=table.target.is_managed),
            session=table.session,
        )

    return plan


def drop_planner(feature: str, *, truncate_history: bool) -> Planner:
    """The planner that drops *feature*."""
    from deltaadm.operations.drop_feature import official_name, plan_drop

    def plan(table: PlanInput) -> Plan:
        name = official_name(feature)
        return plan_drop(
            table.snapshot,
            name,
            table.context.history_of(table.snapshot, name),
            truncate_history=truncate_history,
            now=now(),
            session=table.session,
        )

    return plan


def minimum_planner() -> Planner:
    """The planner that lowers the protocol as far as the table allows."""
    from deltaadm.operations.upgrade_protocol import plan_minimum

    def plan(table: PlanInput) -> Plan:
        history_of = partial(table.context.history_of, table.snapshot)
        return plan_minimum(table.snapshot, history_of, now=now(), session=table.session)

    return plan


def clients_planner(
    *, readable_by: Sequence[str], writable_by: Sequence[str], skip_unreachable: bool
) -> Planner:
    """The planner of the cheapest changes after which clients can read, or write, a table."""
    from deltaadm.clients import Access, parse_client
    from deltaadm.operations.plan import Goal
    from deltaadm.operations.reach_clients import plan_for_clients
    from deltaadm.operations.upgrade_protocol import OPERATION

    goals = (
        *(Goal(parse_client(text), Access.READ) for text in readable_by),
        *(Goal(parse_client(text), Access.WRITE) for text in writable_by),
    )

    def plan(table: PlanInput) -> Plan:
        snapshot = table.snapshot
        history_of = partial(table.context.history_of, snapshot)
        return plan_for_clients(
            snapshot,
            history_of,
            goals,
            operation=OPERATION,
            now=now(),
            keeping=table.requirements.goals(),
            skip_unreachable=skip_unreachable,
            session=table.session,
        )

    return plan
