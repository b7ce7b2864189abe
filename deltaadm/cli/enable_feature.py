"""`deltaadm enable-feature`."""

from typing import Annotated

import typer

from deltaadm.cli.options import (
    ChangeOptions,
    FleetOptions,
    NotEnough,
    TableArgument,
    expanded,
    split_words,
)
from deltaadm.cli.plans import plan_tables
from deltaadm.operations.enable_feature import plan_features


@expanded
def command(
    table: TableArgument = None,
    features: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FEATURE...",
            help="See `deltaadm features`; where options name the tables, all arguments are "
            "features.",
            show_default=False,
        ),
    ] = None,
    support_only: Annotated[
        bool,
        typer.Option("--support-only", help="Add to the protocol without making it active."),
    ] = False,
    *,
    many: FleetOptions,
    change: ChangeOptions,
) -> int:
    """
    Make table features active, with all that they require.

    A feature that no property activates is added to the protocol, and becomes active when the
    schema or a constraint uses it.

    For example:

      deltaadm enable-feature /data/events deletionVectors

      deltaadm enable-feature --discover /data deletionVectors --out plans.jsonl
    """
    tables, names = split_words([table, *(features or ())], many)
    if not names:
        raise NotEnough("Name a FEATURE; `deltaadm features` lists what there is.")
    return plan_tables(
        tables,
        many,
        lambda _, snapshot, session: plan_features(
            snapshot, names, support_only=support_only, session=session
        ),
        change=change,
    )
