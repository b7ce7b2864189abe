"""`deltaadm apply`."""

from pathlib import Path
from typing import Annotated

import typer

from deltaadm.cli import catalogs, streams, wiring
from deltaadm.cli.carrying_out import Limits, carry_out_plans, journal_of
from deltaadm.cli.options import CommitOptions, expanded
from deltaadm.cli.parent_plans import apply_saved
from deltaadm.cli.planning import (
    Wanted,
    carry_out_plan,
    planned,
    project_settings,
)
from deltaadm.operations.parent_document import read_parent_plan
from deltaadm.operations.plan_document import SavedPlan, read_plans
from deltaadm.operations.reports import OutcomeReport


@expanded
def command(
    file: Annotated[Path, typer.Argument(metavar="PLAN", help="A file made with --out.")],
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            help="So many of several plans at the same time; 4 if left out.",
        ),
    ] = None,
    max_failures: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Begin no more of several plans after so many failures."
        ),
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal",
            "--resume",
            metavar="FILE",
            help="Where several plans are noted when they are begun and done, to go on from; the "
            "name of the plan file with .journal if left out.",
        ),
    ] = None,
    *,
    options: CommitOptions,
) -> int:
    """
    Carry out exactly the plan, or the plans, in a file.

    Each table must still have the protocol and the metadata that its plan starts from; files
    added since then do not matter. Several plans are noted in a journal when they are begun and
    when they are done: after an interruption the same command goes on with the rest.

    For example:

      deltaadm apply plan.json

      deltaadm apply plans.jsonl --yes --jobs 8 --max-failures 5
    """
    streams.check_format(options.output, OutcomeReport)

    def work() -> int:
        text = streams.read_file(file)
        other = read_parent_plan(text)
        if other is not None:
            return apply_saved(other, options)
        plans = read_plans(text)
        if len(plans) == 1 and journal is None:
            return _apply(plans[0], options)
        return carry_out_plans(
            plans,
            journal or journal_of(file),
            Limits(jobs, max_failures),
            options,
        )

    return streams.failing_well(str(file), options.output, work)


def _apply(saved: SavedPlan, options: CommitOptions) -> int:
    def carry_out() -> int:
        named = [saved.name] if saved.name else []
        with wiring.reading(options.spark), catalogs.catalog(named, options.spark):
            catalogs.look_up(named if saved.before.exists else [], options.spark)
            for name in named if saved.before.exists else []:
                saved.require_location(wiring.locate(name))
            return carry_out_here()

    def carry_out_here() -> int:
        wanted = Wanted.of(options, project_settings(), saved.table, saved.location)
        return carry_out_plan(
            saved.table,
            planned(
                saved.location,
                saved.renewed_on,
                wanted,
                name=saved.name,
                may_lack=not saved.before.exists,
            ),
            wanted,
            options,
        )

    return streams.failing_well(saved.table, options.output, carry_out)
