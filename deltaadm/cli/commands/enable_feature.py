"""`deltaadm enable-feature`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import TABLE_HELP, FleetOptions
from deltaadm.runs.plan_options import ChangeOptions, split_words
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.runs.planners import plan_features

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class EnableFeature(Parameters):
    """
    A feature that no table property activates is only added to the protocol; it becomes active
    when the schema or a constraint uses it.

    For example:

      deltaadm enable-feature /data/events deletionVectors

      deltaadm enable-feature --discover /data deletionVectors --out plans.jsonl
    """

    table: str | None = argument(metavar="TABLE", help=TABLE_HELP)
    features: list[str] | None = argument(
        metavar="FEATURE...",
        help="See `deltaadm features`; if options name the tables, all arguments are features.",
    )
    support_only: bool = option(
        "--support-only", help="Add features to the protocol without enabling them."
    )
    many: FleetOptions
    change: ChangeOptions


def command(options: EnableFeature, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    tables, names = split_words([options.table, *(options.features or ())], options.many)
    if not names:
        raise UsageError("Specify a FEATURE; `deltaadm features` lists them.")
    return plan_tables(
        context,
        tables,
        options.many,
        plan_features(*names, support_only=options.support_only),
        change=options.change,
    )
