"""`deltaadm upgrade-protocol`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import TABLES_HELP, FleetOptions, require_tables
from deltaadm.runs.plan_options import ChangeOptions
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.runs.planners import plan_for_clients, plan_minimum, plan_upgrade

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


def command(options: UpgradeProtocol, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    if options.minimum and (options.reader is not None or options.writer is not None):
        raise UsageError("cannot be combined with --reader or --writer", option="--minimum")

    if (options.readable_by or options.writable_by) and (
        options.minimum or options.reader is not None or options.writer is not None
    ):
        raise UsageError(
            "cannot be combined with --minimum, --reader or --writer",
            option="--readable-by" if options.readable_by else "--writable-by",
        )
    if options.skip_unreachable and not (options.readable_by or options.writable_by):
        raise UsageError("requires --readable-by or --writable-by", option="--skip-unreachable")
    planner = _planner(options)
    require_tables(options.tables, options.many)
    return plan_tables(
        context,
        options.tables or (),
        options.many,
        planner,
        change=options.change,
    )


def _planner(options: UpgradeProtocol) -> Planner:
    """The planner for the options; raises `Refused` for an unknown client."""
    if options.readable_by or options.writable_by:
        return plan_for_clients(
            readable_by=options.readable_by or (),
            writable_by=options.writable_by or (),
            skip_unreachable=options.skip_unreachable,
        )
    if options.minimum:
        return plan_minimum()
    return plan_upgrade(options.reader, options.writer)
