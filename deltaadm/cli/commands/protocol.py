"""The subcommands that change a table's protocol and features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.errors import UsageError
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import TABLE_HELP, TABLES_HELP, FleetOptions, require_tables
from deltaadm.runs.plan_options import ChangeOptions, split_words
from deltaadm.runs.plan_run import (
    plan_features,
    plan_for_clients,
    plan_mapping_mode,
    plan_minimum,
    plan_upgrade,
)
from deltaadm.runs.plan_tables import plan_tables

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

    tables: list[str] | None = argument("TABLE...", TABLES_HELP)
    reader: int | None = option("N", "Require at least reader version N.")
    writer: int | None = option("N", "Require at least writer version N.")
    minimum: bool = option("Lower the protocol: drop the features that the table does not need.")
    # fmt: off
    readable_by: list[str] | None = option("CLIENT",
        "Find the cheapest changes after which NAME or NAME@VERSION can read; may be given several "
        "times.")
    writable_by: list[str] | None = option("CLIENT",
        "Find the cheapest changes after which NAME or NAME@VERSION can write; may be given "
        "several times.")
    skip_unreachable: bool = option(
        "Continue with the other clients if some cannot be reached, instead of exit code 7.")
    # fmt: on
    many: FleetOptions
    change: ChangeOptions


def run_upgrade_protocol(options: UpgradeProtocol, context: RunContext) -> int:
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


# Enable feature


class EnableFeature(Parameters):
    """
    A feature that no table property activates is only added to the protocol; it becomes active
    when the schema or a constraint uses it.

    For example:

      deltaadm enable-feature /data/events deletionVectors

      deltaadm enable-feature --discover /data deletionVectors --out plans.jsonl
    """

    table: str | None = argument("TABLE", TABLE_HELP)
    features: list[str] | None = argument("FEATURE...",
        "See `deltaadm features`; if options name the tables, all arguments are "
        "features.")  # fmt: skip
    support_only: bool = option("Add features to the protocol without enabling them.")
    many: FleetOptions
    change: ChangeOptions


def run_enable_feature(options: EnableFeature, context: RunContext) -> int:
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


# Set mapping mode


class SetMappingMode(Parameters):
    """
    An existing table can be changed from none to name, which rewrites no data files, and back to
    none, which rewrites all of them. The mode id can only be set when a table is created.

    For example:

      deltaadm set-mapping-mode /data/events name

      deltaadm set-mapping-mode --discover /data name --check
    """

    table: str | None = argument("TABLE", TABLE_HELP)
    mode: ColumnMappingMode | None = argument("MODE",
        "none, name or id; the only argument if options name the tables.",
        any_case=True)  # fmt: skip
    many: FleetOptions
    change: ChangeOptions


def run_set_mapping_mode(options: SetMappingMode, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    tables, words = split_words([options.table, options.mode and options.mode.value], options.many)
    mode = _mode(words)
    return plan_tables(
        context,
        tables,
        options.many,
        plan_mapping_mode(mode),
        change=options.change,
    )


def _mode(words: list[str]) -> ColumnMappingMode:
    """The mode that the arguments beside the table name; anything else is a usage error."""
    try:
        [word] = words
        return ColumnMappingMode(word.lower())
    except ValueError:
        modes = ", ".join(mode.value for mode in ColumnMappingMode)
        if not words:
            raise UsageError(f"Specify a MODE: {modes}.") from None
        raise UsageError(f"{' '.join(words)!r} is not one of {modes}", option="MODE") from None
