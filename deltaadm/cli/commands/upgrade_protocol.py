"""`deltaadm upgrade-protocol`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deltaadm.cli.declare import Parameters, argument, option
from deltaadm.cli.options import (
    TABLES_HELP,
    ChangeOptions,
    FleetOptions,
    require_tables,
)
from deltaadm.errors import UsageError
from deltaadm.operations.upgrade_protocol import OPERATION, plan_minimum, plan_upgrade
from deltaadm.runs.context import now
from deltaadm.runs.plan_tables import plan_tables

if TYPE_CHECKING:
    from deltaadm.operations.plan import Goal, Plan
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_run import PlanInput


class UpgradeProtocol(Parameters):
    """
    Without versions, plans the upgrade that the metadata needs, usually none. Delta keeps the
    lowest versions that support the table's features; to lower them, drop features.

    For example:

      deltaadm upgrade-protocol /data/events --reader 2 --writer 5

      deltaadm upgrade-protocol /data/events --minimum

      deltaadm upgrade-protocol /data/events --readable-by athena
    """

    tables: list[str] | None = argument(metavar="TABLE...", help=TABLES_HELP)
    reader: int | None = option(metavar="N", help="Require at least reader version N.")
    writer: int | None = option(metavar="N", help="Require at least writer version N.")
    minimum: bool = option(
        "--minimum", help="Lower the protocol: drop the features that the table does not need."
    )
    readable_by: list[str] | None = option(
        metavar="CLIENT",
        help="Find the cheapest changes after which NAME or NAME@VERSION can read; may be given "
        "several times.",
    )
    writable_by: list[str] | None = option(
        metavar="CLIENT",
        help="Find the cheapest changes after which NAME or NAME@VERSION can write; may be given "
        "several times.",
    )
    many: FleetOptions
    change: ChangeOptions


def command(given: UpgradeProtocol, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    if given.minimum and (given.reader is not None or given.writer is not None):
        raise UsageError("cannot be combined with --reader or --writer", option="--minimum")

    if (given.readable_by or given.writable_by) and (
        given.minimum or given.reader is not None or given.writer is not None
    ):
        raise UsageError(
            "cannot be combined with --minimum, --reader or --writer",
            option="--readable-by" if given.readable_by else "--writable-by",
        )
    goals = _goals(given)

    def plan(table: PlanInput) -> Plan:
        snapshot, session = table.snapshot, table.session
        history_of = partial(table.context.history_of, snapshot)
        if goals:
            from deltaadm.operations.reach_clients import plan_for_clients

            return plan_for_clients(
                snapshot, history_of, goals, operation=OPERATION, now=now(), session=session
            )
        if given.minimum:
            return plan_minimum(snapshot, history_of, now=now(), session=session)
        return plan_upgrade(snapshot, reader=given.reader, writer=given.writer, session=session)

    require_tables(given.tables, given.many)
    return plan_tables(
        context,
        given.tables or (),
        given.many,
        plan,
        change=given.change,
    )


def _goals(given: UpgradeProtocol) -> tuple[Goal, ...]:
    """What the options ask for; raises `Refused` for a client that nobody knows."""
    if not (given.readable_by or given.writable_by):
        return ()
    from deltaadm.clients import Access, parse_client
    from deltaadm.operations.plan import Goal

    return (
        *(Goal(parse_client(text), Access.READ) for text in given.readable_by or ()),
        *(Goal(parse_client(text), Access.WRITE) for text in given.writable_by or ()),
    )
