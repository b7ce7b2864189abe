"""The subcommands for saved plans: `apply` and `show`."""

from __future__ import annotations

from pathlib import Path

from deltaadm.errors import UsageError
from deltaadm.reports.words import counted
from deltaadm.runs import many_plans
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import NEVER, Parameters, argument, option
from deltaadm.runs.files import apply_command
from deltaadm.runs.options import AccessOptions, SparkOptionGroup, read_input
from deltaadm.runs.output import info, show
from deltaadm.runs.plan_options import CommitOptions, PlanOutputOptions


class Apply(Parameters):
    """
    Each table must still have the protocol and metadata that its plan was made for; new files do
    not matter. Applying a plan again changes nothing, and is not an error. If the file has several
    plans, a journal records which have started and finished: after an interruption, run the same
    command again to continue.

    For example:

      deltaadm apply plan.json

      deltaadm apply plans.jsonl --yes --jobs 8 --max-failures 5

      deltaadm apply plan.json --check

      deltaadm apply plan.json --commit-engine embedded

      deltaadm apply plan.json --undo

      deltaadm apply plans.jsonl --waves 1%,10%,100%
    """

    file: Path = argument("PLAN", "A plan file written by --out, or - for standard input.")
    # fmt: off
    check: bool = option(
        "Change nothing; show what is left to do, and exit with 1 if it can be applied.")
    location: str | None = option("LOCATION",
        "Apply the plan to its table at LOCATION, for example on another mount; one plan only.",
        scope=NEVER)
    undo: bool = option(
        "Undo what the plans changed, as far as Delta allows; of several plans, those that the "
        "journal says were applied.", scope=NEVER)
    jobs: int | None = option("--jobs", "-j", "N",
        "Apply up to N plans in parallel (default: 4).", minimum=1)
    max_failures: int | None = option("N", "Stop after N failures.", minimum=1)
    waves: str | None = option("PERCENTAGES",
        "Apply a share of the plans, then more, for example 1%,10%,100%; stop if a wave has a "
        "failure or a new finding of `validate`.", scope=NEVER)
    journal: Path | None = option("--journal", "--resume", "FILE",
        "Journal of several plans; an interrupted run continues from it (default: "
        "PLAN.journal).")
    # fmt: on
    options: CommitOptions
    about = "file"

    def run(self, context: RunContext) -> int:
        plans = many_plans.plans_in(read_input(self.file))
        if self.undo and (self.check or self.waves):
            other = "--check" if self.check else "--waves"
            raise UsageError(f"cannot be combined with {other}", option="--undo")
        waves = None if self.waves is None else many_plans.wave_sizes(self.waves, len(plans))
        if self.location is not None:
            if len(plans) > 1:
                raise UsageError("requires a file with one plan", option="--location")
            plans = (plans[0].at(context.locate(self.location)),)
        alone = len(plans) == 1 and self.journal is None and waves is None
        if self.check:
            for number, size in enumerate(waves or (), 1):
                info(f"Wave {number}: {counted(size, 'plan')}.")
            return many_plans.check_plans(context, plans, self.options, alone=alone)
        if alone:
            return many_plans.apply_plan(context, plans[0], self.options, undo=self.undo)
        if self.journal is None and str(self.file) == "-":
            why = "is required for several plans from standard input"
            raise UsageError(why, option="--journal")
        journal = () if self.journal is None else ("--journal", str(self.journal))
        return many_plans.carry_out_plans(
            context,
            plans,
            self.journal or many_plans.journal_of(self.file),
            self.options,
            jobs=self.jobs,
            max_failures=self.max_failures,
            waves=waves,
            undo_line=apply_command(context, self.file, "--undo", *journal),
            undo=self.undo,
        )


class Show(Parameters):
    """
    Shows saved plans, and for each whether it can still be applied, has been applied, or what has
    changed in the table since. For a journal, shows the result of each plan. Changes nothing, and
    exits with 0 even if a plan is stale; use `deltaadm apply --check` in scripts.

    For example:

      deltaadm show plan.json

      deltaadm show plan.json -o markdown > comment.md

      deltaadm show plans.jsonl.journal
    """

    file: Path = argument("FILE",
        "A plan file written by --out, or a journal; - for standard input.")  # fmt: skip
    access: AccessOptions
    spark: SparkOptionGroup
    output: PlanOutputOptions
    about = "file"

    def run(self, context: RunContext) -> int:
        return show(context, many_plans.saved_reports(context, self.file))
