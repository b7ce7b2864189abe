"""`deltaadm drop-feature`."""

from typing import TYPE_CHECKING, Annotated

import typer

from deltaadm.cli import wiring
from deltaadm.cli.options import (
    ClientOptions,
    ConsentOptions,
    OutputOptions,
    PlanOptions,
    SparkOptionGroup,
    TableArgument,
    expanded,
)
from deltaadm.cli.planning import WAITING, failing_well, plan_and_apply
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
    table: TableArgument,
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
    planning: PlanOptions,
    clients: ClientOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Take a table feature out of the protocol.

    Delta first removes what uses the feature. Where older versions need it, it then either
    keeps them and adds checkpointProtection, or with --truncate-history destroys them. That takes
    two runs of the same command, a day apart: exit code 8 says to come back.
    """
    if status or feature is None:
        if planning.apply or planning.check or planning.out:
            what = "--status" if status else "FEATURE"
            raise typer.BadParameter("cannot be combined with a plan", param_hint=what)
        wiring.check_format(output, DropReport)

        def answer() -> int:
            with wiring.reading(spark):
                return _status(table, feature, spark, output)

        return failing_well(table, output, answer)

    def plan(snapshot: "Snapshot", session: "SessionSettings") -> "Plan":
        name = official_name(feature)
        return plan_drop(
            snapshot,
            name,
            wiring.history_of(snapshot, name),
            truncate_history=truncate_history,
            now=wiring.now(),
            session=session,
        )

    return plan_and_apply(
        table,
        plan,
        planning=planning,
        clients=clients,
        consent=consent,
        spark=spark,
        output=output,
    )


def _status(table: str, feature: str | None, spark: SparkOptionGroup, output: OutputOptions) -> int:
    from deltaadm.replay.engine import Detail

    wiring.look_up([table], spark)
    snapshot = wiring.load(wiring.locate(table), detail=Detail.STATE)
    names = droppable_features(snapshot) if feature is None else (official_name(feature),)
    found = tuple(
        drop_status(
            snapshot,
            name,
            wiring.history_of(snapshot, name),
            now=wiring.now(),
            session=wiring.session_settings(spark),
        )
        for name in names
    )
    wiring.show([DropReport(table, snapshot.version, found)], output)
    waiting = feature is not None and found[0].phase is Phase.WAITING
    return WAITING if waiting else 0
