"""`deltaadm validate`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.errors import Refused, SettingsError, UsageError
from deltaadm.formats.formats import Style, formats_for
from deltaadm.plans.reports import PlanReport
from deltaadm.reports.statistics import StatisticsReport
from deltaadm.reports.validate import Baseline, baseline_of, read_baseline, write_baseline
from deltaadm.rules.rule import Severity, ValidationReport
from deltaadm.runs.context import do_without_numpy
from deltaadm.runs.declare import COMMON, NEVER, OWN, Parameters, argument, option
from deltaadm.runs.files import write_file
from deltaadm.runs.fleet import (
    OutputTarget,
    ResultPrinter,
    StatisticsPrinter,
    TableTask,
    collect_tables,
    table_results,
)
from deltaadm.runs.options import (
    TABLES_HELP,
    FleetOptions,
    OutputOptions,
    ReportOptions,
    read_file,
    require_streaming,
    require_tables,
)
from deltaadm.runs.output import check_format, handle_errors
from deltaadm.runs.plan_options import (
    ChangeOptions,
    ClientOptions,
    CommitOptions,
    PlanOptions,
    PlanOutputOptions,
)
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.settings import load_settings
from deltaadm.runs.status import FOUND
from deltaadm.runs.validation import ValidationRun, fixes_planner

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path

    from deltaadm.runs.context import RunContext


# Destinations


def outlets(options: ReportOptions, report: type) -> tuple[OutputTarget, ...]:
    """
    The outlets that the command line asks for; text on standard output if it asks for none.

    A format that cannot show *report*, and a place that two formats share, are usage errors.
    """
    targets = [_outlet(text, options.output_file, report) for text in options.output or ("text",)]
    if options.color not in {"auto", "always", "never"}:
        check_format(OutputOptions(color=options.color), report)
    places = [target.file for target in targets]
    for place in places:
        if places.count(place) > 1:
            raise UsageError(
                f"several formats go to {place or 'standard output'}; add a file to all but one, "
                "for example -o sarif:report.sarif",
                option="--output",
            )
    if options.output_file is not None and options.output_file not in places:
        raise UsageError("every format already has a file", option="--output-file")
    return tuple(targets)


def _outlet(text: str, default: Path | None, report: type) -> OutputTarget:
    name, colon, file = text.partition(":")
    offered = formats_for(report)
    if name not in offered:
        raise UsageError(f"{name!r} is not one of {', '.join(offered)}", option="--output")
    if colon and not file:
        raise UsageError(f"{text!r} names no file", option="--output")
    if not file:
        return OutputTarget(name, default)
    from pathlib import Path  # which takes its time

    return OutputTarget(name, Path(file))


class DepthOptions(Parameters):
    """The depth of the rules."""

    heading = "What is checked"

    history: bool = option("Also check every commit that is still in the log.")
    deep: bool = option("Also check whole checkpoints, sidecars and data files.")
    cross_check: bool = option("Compare with what deltalake reads.")


class SelectionOptions(Parameters):
    """The selection of findings, and those that count."""

    heading = "Findings"
    scope = COMMON

    # fmt: off
    select: list[str] | None = option("CODE",
        "Check only these rules: codes or families such as DL4, separated by commas.")
    ignore: list[str] | None = option("CODE", "Skip these rules, specified as for --select.")
    fail_on: Severity | None = option("SEVERITY",
        "Lowest severity that gives exit code 1: error, warning or info (default: error).")
    statistics: bool = option("Count the findings of each rule instead of listing them.")
    baseline: Path | None = option("FILE", "Known findings; only others count.", scope=OWN)
    write_baseline: Path | None = option("FILE",
        "Save all findings as known, and exit with 0.", scope=NEVER)
    # fmt: on


class UserOptions(ClientOptions):
    """The clients that must be able to use the tables; they replace those of the settings."""

    for_client: list[str] | None = option("CLIENT",
        "Require that this client can read: NAME or NAME@VERSION, such as trino@480.")  # fmt: skip
    for_client_writing: list[str] | None = option("CLIENT",
        "Require that this client can write: NAME or NAME@VERSION.")  # fmt: skip


class FixCommitOptions(CommitOptions):
    """The options for applying what fixes findings, of which some concern the check as well."""

    clients: UserOptions
    output: ReportOptions  # type: ignore[assignment]  # of which --fix takes one


class FixOptions(ChangeOptions):
    """The options of --fix, of which some concern the check as well."""

    commit: FixCommitOptions


class Validate(Parameters):
    """
    Reads only the log; needs neither Spark nor Java. With --fix, shows plans that fix the findings
    instead, which --apply carries out.

    For example:

      deltaadm validate /data/events --deep

      deltaadm validate --discover /data -o text -o sarif:tables.sarif
    """

    tables: list[str] | None = argument("TABLE...", TABLES_HELP)
    many: FleetOptions
    looking: DepthOptions
    selection: SelectionOptions
    fix: bool = option("Plan everything that deltaadm can fix, as one plan.")
    change: FixOptions

    def run(self, context: RunContext) -> int:
        """Carry out the command; the exit code."""
        require_tables(self.tables, self.many)
        if self.fix:
            return _fix(self, context)
        _refuse_plan_options(self.change.planning)
        commit = self.change.commit
        places = outlets(
            commit.output, StatisticsReport if self.selection.statistics else ValidationReport
        )
        _require_streaming(self.many, places, self.selection)
        context = context.with_request(
            commit.spark,
            OutputOptions(
                output=next((place.format for place in places if not place.file), "text")
            ),
            commit.access,
        )

        def work() -> int:
            with log_reader(context, self.tables or (), self.many, by_executors=True) as reader:
                run = _run(reader, self)
                fleet = collect_tables(reader, self.tables or (), self.many, "validate")
                do_without_numpy()
                output = self.change.commit.output
                style = Style(
                    color=output.color,
                    fail_on=run.fail_on,
                    show_secrets=output.show_secrets,
                    selection=output.selection,
                )
                styled = replace(reader, style=style)
                baseline_file = self.selection.write_baseline
                known: list[ValidationReport] = []
                printer = (
                    StatisticsPrinter(fleet, places, style)
                    if self.selection.statistics
                    else ResultPrinter(fleet, places, style)
                )
                task = TableTask(
                    styled,
                    fleet,
                    partial(run.report, styled, watched=fleet.alone),
                    run.code,
                    keep=printer.keeps or baseline_file is not None,
                    report_missing=run.report_missing,
                )
                for result in table_results(
                    task, threshold=_PARALLEL_THRESHOLD[run.depth_names != ()]
                ):
                    printer.add(result)
                    known += [result.report] if isinstance(result.report, ValidationReport) else []
                if baseline_file is None:
                    return printer.finish()
                write_file(baseline_file, write_baseline(baseline_of(known)))
                code = printer.finish()
                return 0 if code == FOUND else code

        return handle_errors(context, "", work)


def _fix(options: Validate, context: RunContext) -> int:
    """Plan what fixes the findings, as any other change; the exit code."""
    given = options.change.commit
    output = PlanOutputOptions(**{**vars(given.output), "output": _plan_format(given.output)})
    commit = given.replaced(output=output)
    change = options.change.replaced(commit=commit)
    context = context.with_request(commit.spark, commit.output, commit.access)

    def work() -> int:
        from deltaadm.runs.plan_tables import plan_tables

        run = _run(context, options)
        planner = fixes_planner(run)
        named = options.tables or ()
        return plan_tables(context, named, options.many, planner, change, settings=run.settings)

    return handle_errors(context, "", work)


_PARALLEL_THRESHOLD = {False: 16, True: 2}
"""So many tables that processes pay, by whether more than the newest version is looked at."""


def _run(context: RunContext, options: Validate) -> ValidationRun:
    looking, selection = options.looking, options.selection
    return ValidationRun.of(
        load_settings(context.settings),
        options.change.commit.clients,
        select=selection.select or (),
        ignore=selection.ignore or (),
        history=looking.history,
        deep=looking.deep,
        cross_check=looking.cross_check,
        baseline=_baseline(selection.baseline),
        fail_on=selection.fail_on,
    )


def _baseline(file: Path | None) -> Baseline:
    if file is None:
        return Baseline()
    try:
        return read_baseline(read_file(file))
    except Refused as error:
        raise SettingsError(error.message, remedy=error.remedy) from error


def _require_streaming(
    many: FleetOptions, places: Sequence[OutputTarget], selection: SelectionOptions
) -> None:
    """Turn away what the answers of an earlier run would be missing in: a usage error."""
    require_streaming(many, *(place.format for place in places))
    if many.resume is None:
        return
    if selection.write_baseline is not None or any(place.file is not None for place in places):
        raise UsageError(
            "supports only standard output: the tables of the earlier run would be missing from "
            "other files",
            option="--resume",
        )


# Fixing


def _plan_format(output: ReportOptions) -> str:
    """The format of the plans: one, on standard output."""
    [place, *others] = outlets(output, PlanReport)
    if others or place.file is not None:
        raise UsageError(
            "--fix supports a single format, on standard output; --out FILE saves the plan",
            option="--output",
        )
    return place.format


def _refuse_plan_options(planning: PlanOptions) -> None:
    for name, given in (
        ("--apply", planning.apply),
        ("--check", planning.check),
        ("--out", planning.out is not None),
    ):
        if given:
            raise UsageError("requires --fix", option=name)
