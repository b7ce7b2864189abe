"""`deltaadm upgrade-protocol`."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from deltaadm.cli import wiring
from deltaadm.cli.options import (
    ChangeOptions,
    FleetOptions,
    TableArguments,
    expanded,
    require_tables,
)
from deltaadm.cli.plans import plan_tables
from deltaadm.operations.upgrade_protocol import plan_minimum, plan_upgrade

if TYPE_CHECKING:
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.operations.plan import Plan


@expanded
def command(
    tables: TableArguments = None,
    reader: Annotated[
        int | None, typer.Option(metavar="N", help="Reader version of at least N.")
    ] = None,
    writer: Annotated[
        int | None, typer.Option(metavar="N", help="Writer version of at least N.")
    ] = None,
    minimum: Annotated[
        bool,
        typer.Option("--minimum", help="Drop the features that the table does not need instead."),
    ] = False,
    *,
    many: FleetOptions,
    change: ChangeOptions,
) -> int:
    """
    Raise the protocol, or with --minimum lower it.

    Without versions: the upgrade that the metadata needs, usually none. Delta keeps the lowest
    versions that support the table's features; dropping features is the way down.

    For example:

      deltaadm upgrade-protocol /data/events --reader 2 --writer 5

      deltaadm upgrade-protocol /data/events --minimum
    """
    if minimum and (reader is not None or writer is not None):
        raise typer.BadParameter("cannot be combined with versions", param_hint="--minimum")

    def plan(_: str, snapshot: "Snapshot", session: "SessionSettings") -> "Plan":
        if minimum:
            history_of = partial(wiring.history_of, snapshot)
            return plan_minimum(snapshot, history_of, now=wiring.now(), session=session)
        return plan_upgrade(snapshot, reader=reader, writer=writer, session=session)

    require_tables(tables, many)
    return plan_tables(
        tables or (),
        many,
        plan,
        change=change,
    )
