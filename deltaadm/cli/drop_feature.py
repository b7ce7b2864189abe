"""`deltaadm drop-feature`."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deltaadm.cli import sessions, streams, wiring
from deltaadm.cli.exit_codes import WAITING
from deltaadm.cli.fleet import gathered, report_all
from deltaadm.cli.options import (
    ChangeOptions,
    FleetOptions,
    SparkOptionGroup,
    TableArgument,
    expanded,
    require_streaming,
    split_words,
)
from deltaadm.cli.plans import plan_tables
from deltaadm.operations.drop_feature import (
    Phase,
    drop_status,
    droppable_features,
    official_name,
    plan_drop,
)
from deltaadm.operations.reports import DropReport

if TYPE_CHECKING:
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.operations.plan import Plan


@expanded
def command(
    table: TableArgument = None,
    feature: Annotated[
        str | None,
        typer.Argument(metavar="[FEATURE]", help="The feature; without it, all are listed."),
    ] = None,
    truncate_history: Annotated[
        bool,
        typer.Option(
            "--truncate-history",
            help="Destroy history that needs the feature rather than protect checkpoints.",
        ),
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Say what dropping takes, and when it can go on.")
    ] = False,
    *,
    many: FleetOptions,
    change: ChangeOptions,
) -> int:
    """
    Take a table feature out of the protocol.

    Delta first removes what uses the feature. Where older versions need it, it then either
    keeps them and adds checkpointProtection, or with --truncate-history destroys them. That takes
    two runs of the same command, a day apart: exit code 8 says to come back.

    For example:

      deltaadm drop-feature /data/events

      deltaadm drop-feature /data/events deletionVectors --apply
    """
    tables, words = split_words([table, feature], many)
    if len(words) > 1:
        raise typer.BadParameter("takes one at a time", param_hint="FEATURE")
    wanted = next(iter(words), None)
    if status or wanted is None:
        planning, output = change.planning, change.commit.output
        if planning.apply or planning.check or planning.out:
            what = "--status" if status else "FEATURE"
            raise typer.BadParameter("cannot be combined with a plan", param_hint=what)
        streams.check_format(output, DropReport)
        require_streaming(many, output.output)

        def answer() -> int:
            with wiring.reading(change.commit.spark):
                return report_all(
                    gathered(tables, many, "drop-feature", change.commit.spark),
                    output,
                    partial(_status, feature=wanted, spark=change.commit.spark),
                    code=_waiting if wanted else _done,
                )

        return streams.failing_well("".join(tables), output, answer)

    def plan(_: str, snapshot: "Snapshot", session: "SessionSettings") -> "Plan":
        name = official_name(wanted)
        return plan_drop(
            snapshot,
            name,
            wiring.history_of(snapshot, name),
            truncate_history=truncate_history,
            now=wiring.now(),
            session=session,
        )

    return plan_tables(
        tables,
        many,
        plan,
        change=change,
    )


def _status(table: str, *, feature: str | None, spark: SparkOptionGroup) -> DropReport:
    from deltaadm.replay.engine import Detail

    snapshot = wiring.load(wiring.locate(table), detail=Detail.STATE)
    names = droppable_features(snapshot) if feature is None else (official_name(feature),)
    found = tuple(
        drop_status(
            snapshot,
            name,
            wiring.history_of(snapshot, name),
            now=wiring.now(),
            session=sessions.session_settings(spark),
        )
        for name in names
    )
    return DropReport(table, snapshot.version, found)


def _waiting(document: Mapping[str, Any]) -> int:
    return WAITING if document["features"][0]["phase"] == Phase.WAITING.value else 0


def _done(_: Mapping[str, Any]) -> int:
    return 0
