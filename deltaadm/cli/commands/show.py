"""`deltaadm show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deltaadm.operations.reports import PlanReport
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import AccessOptions, SparkOptionGroup
from deltaadm.runs.output import check_format, handle_errors, show
from deltaadm.runs.plan_options import PlanOutputOptions
from deltaadm.runs.saved_plans import saved_reports

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Show(Parameters):
    """
    Shows a plan or several as they were made, and what has happened to each table since: whether
    the plan can still be applied, is applied already, or what has changed. Of a journal, it shows
    what became of each plan. Nothing is changed, and the exit code is 0 also for a plan that can no
    longer be applied; `deltaadm apply --check` has an exit code for that.

    For example:

      deltaadm show plan.json

      deltaadm show plan.json -o markdown > comment.md

      deltaadm show plans.jsonl.journal
    """

    file: Path = argument(
        metavar="FILE", help="A plan file written by --out, or a journal; - for standard input."
    )
    access: AccessOptions
    spark: SparkOptionGroup
    output: PlanOutputOptions


def command(options: Show, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    check_format(options.output, PlanReport)
    context = context.with_request(options.spark, options.output, options.access)

    def work() -> int:
        show(context, saved_reports(context, options.file))
        return 0

    return handle_errors(context, str(options.file), work)
