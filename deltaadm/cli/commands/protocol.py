"""The subcommands that change a table's protocol and features, or undo such a change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.errors import UsageError
from deltaadm.plans.features import (
    DropReport,
    Phase,
    drop_status,
    droppable_features,
    official_name,
)
from deltaadm.replay.reconcile import Detail
from deltaadm.runs import plan_run
from deltaadm.runs.context import RunContext, now
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import TABLE_HELP, TABLES_HELP, FleetOptions
from deltaadm.runs.plan_options import ChangeOptions, split_words
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.runs.status import WAITING
from deltaadm.runs.target import Target


class UpgradeProtocol(Parameters):
    """
    Without options, plans the upgrade that the table's metadata requires, usually none. Delta uses
    the lowest versions that support the table's features; to lower them, drop features.

    For example:

      deltaadm upgrade-protocol /data/events --reader 2 --writer 5

      deltaadm upgrade-protocol /data/events --minimum

      deltaadm upgrade-protocol /data/events --readable-by athena
    """

    tables: list[str] | None = argument("TABLE...", TABLES_HELP)
    reader: int | None = option("N", "Raise the reader version to at least N.")
    writer: int | None = option("N", "Raise the writer version to at least N.")
    minimum: bool = option("Lower the protocol by dropping features that the table does not need.")
    # fmt: off
    readable_by: list[str] | None = option("CLIENT",
        "Find the cheapest changes that let NAME or NAME@VERSION read. Repeatable.")
    writable_by: list[str] | None = option("CLIENT",
        "Find the cheapest changes that let NAME or NAME@VERSION write. Repeatable.")
    skip_unreachable: bool = option(
        "If nothing helps some of these clients, plan for the others (otherwise exit code 7).")
    # fmt: on
    many: FleetOptions
    change: ChangeOptions
    about = "tables"

    def run(self, context: RunContext) -> int:
        has_versions = self.reader is not None or self.writer is not None
        if self.minimum and has_versions:
            raise UsageError("cannot be combined with --reader or --writer", option="--minimum")
        for_clients = self.readable_by or self.writable_by
        if for_clients and (self.minimum or has_versions):
            raise UsageError(
                "cannot be combined with --minimum, --reader or --writer",
                option="--readable-by" if self.readable_by else "--writable-by",
            )
        if self.skip_unreachable and not for_clients:
            raise UsageError("requires --readable-by or --writable-by", option="--skip-unreachable")
        if for_clients:
            planner = plan_run.plan_for_clients(
                readable_by=self.readable_by or (),
                writable_by=self.writable_by or (),
                skip_unreachable=self.skip_unreachable,
            )
        elif self.minimum:
            planner = plan_run.plan_minimum()
        else:
            planner = plan_run.plan_upgrade(self.reader, self.writer)
        self.many.require_any(self.tables)
        return plan_tables(context, self.tables or (), self.many, planner, self.change)


class EnableFeature(Parameters):
    """
    A feature without a table property is only added to the protocol; it becomes active when the
    schema or a constraint uses it. `deltaadm features` lists all features.

    For example:

      deltaadm enable-feature /data/events deletionVectors

      deltaadm enable-feature --discover /data deletionVectors --out plans.jsonl
    """

    table: str | None = argument("TABLE", TABLE_HELP)
    features: list[str] | None = argument("FEATURE...",
        "Features to enable; if options name the tables, all arguments are features.")  # fmt: skip
    support_only: bool = option("Add the features to the protocol without activating them.")
    many: FleetOptions
    change: ChangeOptions
    about = "table"

    def run(self, context: RunContext) -> int:
        tables, names = split_words([self.table, *(self.features or ())], self.many)
        if not names:
            raise UsageError("FEATURE is missing; `deltaadm features` lists them.")
        planner = plan_run.plan_features(*names, support_only=self.support_only)
        return plan_tables(context, tables, self.many, planner, self.change)


class SetMappingMode(Parameters):
    """
    An existing table can change from none to name, which rewrites no data files, and back to none,
    which rewrites all of them. Mode id can only be set when a table is created.

    For example:

      deltaadm set-mapping-mode /data/events name

      deltaadm set-mapping-mode --discover /data name --check
    """

    table: str | None = argument("TABLE", TABLE_HELP)
    mode: ColumnMappingMode | None = argument("MODE",
        "none, name or id; the only argument if options name the tables.")  # fmt: skip
    many: FleetOptions
    change: ChangeOptions
    about = "table"

    def run(self, context: RunContext) -> int:
        tables, words = split_words([self.table, self.mode and self.mode.value], self.many)
        if not words:
            modes = ", ".join(mode.value for mode in ColumnMappingMode)
            raise UsageError(f"MODE is missing: {modes}.")
        planner = plan_run.plan_mapping_mode(" ".join(words))
        return plan_tables(context, tables, self.many, planner, self.change)


class DropFeature(Parameters):
    """
    Delta first removes everything that uses the feature. If older versions need it, Delta keeps
    them and adds checkpointProtection. With --truncate-history it deletes them instead: run the
    same command twice, a day apart. Exit code 8 means that the second run is still to come.

    For example:

      deltaadm drop-feature /data/events

      deltaadm drop-feature /data/events deletionVectors --apply
    """

    table: str | None = argument("TABLE", TABLE_HELP)
    feature: str | None = argument(
        "[FEATURE]", "Feature to drop; without it, all that can be dropped are listed."
    )
    truncate_history: bool = option(
        "Delete history that needs the feature; adds no checkpointProtection.")  # fmt: skip
    status: bool = option("Show what dropping requires, and when it can continue.")
    many: FleetOptions
    change: ChangeOptions
    about = "table"

    @property
    def shows(self) -> str:
        # The only argument is the feature where options name the tables.
        lists = self.feature is None and (self.table is None) == self.many.names_tables
        return "DropReport" if self.status or lists else "PlanReport"

    def run(self, context: RunContext) -> int:
        tables, words = split_words([self.table, self.feature], self.many)
        if len(words) > 1:
            raise UsageError("only one feature can be dropped at a time", option="FEATURE")
        feature = next(iter(words), None)
        if self.status or feature is None:
            planning = self.change.planning
            if planning.apply or planning.check or planning.out:
                plan_options = "--apply, --check or --out"
                if self.status:
                    raise UsageError(f"cannot be combined with {plan_options}", option="--status")
                raise UsageError(f"is required for {plan_options}", option="FEATURE")

            def waiting(document: Mapping[str, Any]) -> int:
                return WAITING if document["features"][0]["phase"] == Phase.WAITING.value else 0

            from deltaadm.runs.fleet import report_all  # which one change does without

            name = None if feature is None else official_name(feature)
            report, code = partial(_status, feature=name), waiting if feature else None
            return report_all(context, tables, self.many, report, code=code)
        planner = plan_run.plan_drop(feature, truncate_history=self.truncate_history)
        return plan_tables(context, tables, self.many, planner, self.change)


def _status(context: RunContext, target: Target, *, feature: str | None) -> DropReport:
    snapshot = target.load(context, detail=Detail.STATE)
    session = context.session
    drops = (
        drop_status(snapshot, name, context.history_of(snapshot, name), now=now(), session=session)
        for name in (droppable_features(snapshot) if feature is None else [feature])
    )
    return DropReport(target.text, snapshot.version, tuple(drops))


class Undo(Parameters):
    """
    Plans the inverse of what one version changed in protocol, properties, columns and clustering;
    data stays as it is. Refused if the same was changed again later, or if nothing can be undone.

    For example:

      deltaadm undo /data/events

      deltaadm undo /data/events 17 --apply
    """

    # fmt: off
    table: str = argument("TABLE", TABLE_HELP)
    version: int | None = argument("[VERSION]",
        "Version to undo (default: the newest that changed more than data).")
    # fmt: on
    change: ChangeOptions
    about = "table"

    def run(self, context: RunContext) -> int:
        planner = plan_run.plan_undo(self.version)
        return plan_tables(context, [self.table], FleetOptions(), planner, self.change)
