"""`deltaadm upgrade-protocol`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.cli.declare import Parameters, argument, option
from deltaadm.cli.options import TABLES_HELP, FleetOptions, require_tables
from deltaadm.cli.plan_options import ChangeOptions
from deltaadm.errors import UsageError
from deltaadm.operations.upgrade_protocol import plan_upgrade
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.runs.planners import clients_planner, minimum_planner

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_run import Planner


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
    skip_unreachable: bool = option(
        "--skip-unreachable",
        help="Continue with the other clients if some cannot be reached, instead of exit code 7.",
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
    if given.skip_unreachable and not (given.readable_by or given.writable_by):
        raise UsageError("requires --readable-by or --writable-by", option="--skip-unreachable")
    planner = _planner(given)
    require_tables(given.tables, given.many)
    return plan_tables(
        context,
        given.tables or (),
        given.many,
        planner,
        change=given.change,
    )


def _planner(given: UpgradeProtocol) -> Planner:
    """The planner for the options; raises `Refused` for an unknown client."""
    if given.readable_by or given.writable_by:
        return clients_planner(
            readable_by=given.readable_by or (),
            writable_by=given.writable_by or (),
            skip_unreachable=given.skip_unreachable,
        )
    if given.minimum:
        return minimum_planner()
    return lambda table: plan_upgrade(
        table.snapshot, reader=given.reader, writer=given.writer, session=table.session
    )
