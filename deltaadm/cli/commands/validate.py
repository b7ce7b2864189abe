"""`deltaadm validate`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.errors import RefusedError, SettingsError, UsageError
from deltaadm.reports.validate import Baseline, baseline_of, read_baseline, write_baseline
from deltaadm.reports.words import counted
from deltaadm.rules.rule import Severity, ValidationReport
from deltaadm.runs.context import RunContext, do_without_numpy
from deltaadm.runs.declare import COMMON, NEVER, OWN, Parameters, argument, option
from deltaadm.runs.files import write_file
from deltaadm.runs.fleet import ResultPrinter, TableTask, collect_tables, table_results
from deltaadm.runs.options import TABLES_HELP, FleetOptions, OutputTarget, ReportOptions, read_file
from deltaadm.runs.output import info
from deltaadm.runs.plan_options import ChangeOptions, CommitOptions
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.settings import load_settings
from deltaadm.runs.status import FOUND
from deltaadm.runs.validation import DepthOptions, StatisticsPrinter, ValidationRun, fixes_planner

if TYPE_CHECKING:
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path


class SelectionOptions(Parameters):
    """The selection of findings, and those that count."""

    heading = "Findings"
    scope = COMMON

    # fmt: off
    select: list[str] | None = option("CODE",
        "Check only these rules: codes or families like DL4, separated by commas.")
    ignore: list[str] | None = option("CODE", "Skip these rules, given as for --select.")
    fail_on: Severity | None = option("SEVERITY",
        "Exit with 1 from this severity on: error, warning or info (default: error).")
    statistics: bool = option("Count findings per rule instead of listing them.")
    baseline: Path | None = option("FILE", "Known findings; only others count.", scope=OWN)
    write_baseline: Path | None = option("FILE",
        "Save all findings to FILE as known, and exit with 0.", scope=NEVER)
    # fmt: on


class FixCommitOptions(CommitOptions):
    """The options for applying fixes; some concern the check as well."""

    output: ReportOptions  # type: ignore[assignment]  # of which --fix takes one


class FixOptions(ChangeOptions):
    """The options of --fix; some concern the check as well."""

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

    @property
    def shows(self) -> str:
        if self.fix:
            return "PlanReport"
        return "StatisticsReport" if self.selection.statistics else "ValidationReport"

    @property
    def about(self) -> str:
        return "tables" if self.fix else ""

    def run(self, context: RunContext) -> int:
        self.many.require_any(self.tables)
        output, selection = self.change.commit.output, self.selection
        places = output.targets
        if self.fix:
            if len(places) > 1 or places[0].file is not None:
                raise UsageError(
                    "--fix supports a single format, on standard output; --out FILE saves the plan",
                    option="--output",
                )
            from deltaadm.runs.plan_tables import plan_tables

            planner = fixes_planner(self._run(context))
            return plan_tables(context, self.tables or (), self.many, planner, self.change)
        for name in ("apply", "check", "out"):
            if getattr(self.change.planning, name):
                raise UsageError("requires --fix", option=f"--{name}")
        # Saving what is found shows it only where that is asked for.
        if selection.write_baseline and not (output.output or output.output_file):
            places = []
        to_files = selection.write_baseline or any(place.file is not None for place in places)
        if self.many.resume is not None and to_files:
            raise UsageError(
                "supports only standard output: the tables of the earlier run would be missing "
                "from other files",
                option="--resume",
            )
        return self._report(context, places)

    def _report(self, context: RunContext, places: Sequence[OutputTarget]) -> int:
        """Show the findings at their *places*; the exit code."""
        tables = self.tables or ()
        known: list[ValidationReport] = []
        with log_reader(context, tables, self.many, by_executors=True) as reader:
            run = self._run(reader)
            fleet = collect_tables(reader, tables, self.many)
            do_without_numpy()
            styled = replace(reader, style=replace(reader.style, fail_on=run.fail_on))
            baseline_file = self.selection.write_baseline
            printer_of = StatisticsPrinter if self.selection.statistics else ResultPrinter
            printer = printer_of(styled, fleet, places)
            task = TableTask(
                styled,
                fleet,
                partial(run.report, watched=fleet.alone),
                run.code,
                keep=printer.keeps or baseline_file is not None,
                report_missing=run.report_missing,
            )
            # So many tables that processes pay, by whether more than the newest version is read.
            threshold = 2 if run.depth_names else 16
            for result in table_results(task, threshold=threshold, advised=True):
                printer.add(result)
                known += [result.report] if isinstance(result.report, ValidationReport) else []
            if baseline_file is None:
                return printer.finish()
            baseline = baseline_of(known)
            write_file(baseline_file, write_baseline(baseline))
            code = printer.finish()
            number = sum(known.count for known in baseline.known)
            found, of = counted(number, "finding"), counted(len(baseline.tables), "table")
            info(f"Saved {found} of {of} to {baseline_file}.")
            return 0 if code == FOUND else code

    def _run(self, context: RunContext) -> ValidationRun:
        selection, baseline = self.selection, Baseline()
        if selection.baseline is not None:
            try:
                baseline = read_baseline(read_file(selection.baseline))
            except RefusedError as error:
                raise SettingsError(error.message, remedy=error.remedy) from error
        lists_info = self.many.every or selection.fail_on is Severity.INFO
        return ValidationRun.of(
            load_settings(context.settings),
            self.change.commit.clients,
            self.looking,
            select=selection.select or (),
            ignore=selection.ignore or (),
            baseline=baseline,
            fail_on=selection.fail_on,
            least=Severity.INFO if lists_info else Severity.WARNING,
        )
