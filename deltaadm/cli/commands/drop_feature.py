"""`deltaadm drop-feature`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from deltaadm.errors import UsageError
from deltaadm.plans.features import (
    DropReport,
    Phase,
    drop_status,
    droppable_features,
    official_name,
)
from deltaadm.replay.reconcile import Detail
from deltaadm.runs.context import RunContext, now
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.fleet import collect_tables, report_all
from deltaadm.runs.options import TABLE_HELP, FleetOptions, require_streaming
from deltaadm.runs.output import check_format, handle_errors
from deltaadm.runs.plan_options import ChangeOptions, split_words
from deltaadm.runs.plan_run import plan_drop
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.runs.sessions import log_reader, session_settings
from deltaadm.runs.status import WAITING
from deltaadm.runs.target import Target


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

    def run(self, context: RunContext) -> int:
        tables, words = split_words([self.table, self.feature], self.many)
        if len(words) > 1:
            raise UsageError("only one feature can be dropped at a time", option="FEATURE")
        feature = next(iter(words), None)
        if self.status or feature is None:
            planning, output = self.change.planning, self.change.commit.output
            if planning.apply or planning.check or planning.out:
                plan_options = "--apply, --check or --out"
                if self.status:
                    raise UsageError(f"cannot be combined with {plan_options}", option="--status")
                raise UsageError(f"is required for {plan_options}", option="FEATURE")
            check_format(output, DropReport)
            require_streaming(self.many, output.output)
            commit = self.change.commit
            context = context.with_request(commit.spark, output, commit.access)

            def answer() -> int:
                with log_reader(context, tables, self.many, by_executors=True) as reader:
                    fleet = collect_tables(reader, tables, self.many, "drop-feature")
                    report = partial(_status, reader, feature=feature)
                    return report_all(reader, fleet, report, code=_waiting if feature else None)

            return handle_errors(context, "".join(tables), answer)

        planner = plan_drop(feature, truncate_history=self.truncate_history)
        return plan_tables(context, tables, self.many, planner, self.change)


def _status(context: RunContext, target: Target, *, feature: str | None) -> DropReport:
    snapshot = target.load(context, detail=Detail.STATE)
    session = session_settings(context.spark)
    drops = (
        drop_status(snapshot, name, context.history_of(snapshot, name), now=now(), session=session)
        for name in (droppable_features(snapshot) if feature is None else [official_name(feature)])
    )
    return DropReport(target.text, snapshot.version, tuple(drops))


def _waiting(document: Mapping[str, Any]) -> int:
    return WAITING if document["features"][0]["phase"] == Phase.WAITING.value else 0
