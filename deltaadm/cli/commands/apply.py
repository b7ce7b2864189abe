"""`deltaadm apply`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.operations.reports import OutcomeReport
from deltaadm.runs.apply_plans import (
    Limits,
    carry_out_plans,
    journal_of,
    plan_left,
    plans_in,
    saved_target,
)
from deltaadm.runs.catalogs import look_up, open_catalog
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.output import check_format, handle_errors
from deltaadm.runs.plan_options import CommitOptions
from deltaadm.runs.plan_run import (
    carry_out_plan,
    require_engine_commits,
    with_commit_engine,
)
from deltaadm.runs.reading import read_input
from deltaadm.runs.requirements import ClientRequirements
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deltaadm.documents.saved_plan import SavedPlan
    from deltaadm.runs.context import RunContext


class Apply(Parameters):
    """
    Each table must still have the protocol and metadata that its plan is based on; files added
    since then do not matter. A table to which its plan is already applied is left unchanged,
    which is not an error. Several plans are recorded in a journal when they start and finish:
    after an interruption, the same command continues with the rest.

    For example:

      deltaadm apply plan.json

      deltaadm apply plans.jsonl --yes --jobs 8 --max-failures 5

      deltaadm apply plan.json --check

      deltaadm apply plan.json --commit-engine embedded
    """

    file: Path = argument(
        metavar="PLAN", help="A plan file written by --out, or - for standard input."
    )
    check: bool = option(
        "--check",
        help="Change nothing: show what is left to do, and exit with 1 if that can be applied.",
    )
    jobs: int | None = option(
        "--jobs",
        "-j",
        metavar="N",
        help="Apply up to N plans at the same time (default: 4).",
        minimum=1,
    )
    max_failures: int | None = option(
        metavar="N", help="Start no more plans after N failures.", minimum=1
    )
    journal: Path | None = option(
        "--journal",
        "--resume",
        metavar="FILE",
        help="Journal of several plans, from which an interrupted run continues (default: the"
        " name of the plan file with .journal).",
    )
    options: CommitOptions


def command(options: Apply, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    check_format(options.options.output, OutcomeReport)
    context = context.with_request(
        options.options.spark, options.options.output, options.options.access
    )

    def work() -> int:
        text = read_input(options.file)
        plans = plans_in(text)
        if options.check:
            return _check(context, options, plans)
        if len(plans) == 1 and options.journal is None:
            return _apply(context, plans[0], options.options)
        return carry_out_plans(
            context,
            plans,
            _journal(options),
            Limits(options.jobs, options.max_failures),
            options.options,
        )

    return handle_errors(context, str(options.file), work)


def _journal(options: Apply) -> Path:
    """The journal, in which the progress of several plans is recorded."""
    if options.journal is None and str(options.file) == "-":
        raise UsageError("is required for several plans from standard input", option="--journal")
    return options.journal or journal_of(options.file)


def _check(context: RunContext, options: Apply, plans: Sequence[SavedPlan]) -> int:
    from deltaadm.runs import saved_plans

    if len(plans) == 1 and options.journal is None:
        [saved] = plans
        return handle_errors(
            context,
            saved.table,
            lambda: saved_plans.check_plan(context, saved, options.options),
        )
    return saved_plans.check_plans(context, plans, options.options)


def _apply(context: RunContext, saved: SavedPlan, options: CommitOptions) -> int:
    def carry_out() -> int:
        names = [saved.name] if saved.name else []
        project = load_settings(context.settings)
        chosen = with_commit_engine(context, options, project)
        places = [saved.location]
        with (
            log_reader(chosen, places) as reader,
            open_catalog(reader, names, locations=places) as opened,
        ):
            entries = look_up(opened, names if saved.before.exists else [])
            target = saved_target(opened, saved, entries)
            requirements = ClientRequirements.of(options, project, saved.table, saved.location)
            plan = plan_left(opened, saved, target, requirements)
            require_engine_commits(opened, plan)
            return carry_out_plan(opened, saved.table, plan, requirements, options)

    return handle_errors(context, saved.table, carry_out)
