"""Results of many tables: each shown at once where the format allows it, or all at the end."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from deltaadm.dataclass import dataclass, replace
from deltaadm.errors import DeltaadmError
from deltaadm.operations.reports import Failure, RuleCount, StatisticsReport
from deltaadm.render.formats import FORMATS, Style
from deltaadm.render.json_doc import selected_line
from deltaadm.runs.exit_codes import FOUND, SOME_FAILED, WAITING
from deltaadm.runs.files import write_file
from deltaadm.runs.fleet import TableTask, table_results
from deltaadm.runs.messages import messages
from deltaadm.runs.output import info, rendered, show_error, write, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from deltaadm.operations.reports import Report
    from deltaadm.render.overview import Tally
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.fleet import Fleet, TableResult
    from deltaadm.runs.target import Target

    Document = Mapping[str, Any]


@dataclass(frozen=True)
class OutputTarget:
    """A format, and the file that it is written to: standard output if there is none."""

    format: str
    file: Path | None = None

    @property
    def takes_errors(self) -> bool:
        """Whether errors belong into it as well."""
        return FORMATS[self.format].machine


class Sink(Protocol):
    """Something else that wants to see every document."""

    def add(self, document: Document) -> None:
        """Take notice of one more."""

    def finish(self) -> None:
        """There are no more."""


class ResultPrinter:
    """
    Shows results: each at once where the format allows it, the others in the end.

    *sinks* see every document.
    """

    def __init__(
        self,
        fleet: Fleet,
        targets: Sequence[OutputTarget],
        style: Style,
        sinks: Sequence[Sink] = (),
    ) -> None:
        self._fleet = fleet
        self._style = style
        self._quiet = messages().is_quiet
        self._sinks = sinks
        self._codes: list[int] = []
        self._held: list[tuple[int, str]] = []
        self._uneventful: Counter[str] = Counter()
        self._healthy: list[str] = []
        self._reports: list[Report] = []
        self._at_once = [target for target in targets if self._is_at_once(target)]
        self._later = [target for target in targets if target not in self._at_once]

    @property
    def keeps(self) -> bool:
        """Whether results are needed with their reports."""
        return bool(self._later)

    @cached_property
    def _tally(self) -> Tally:
        from deltaadm.render.overview import Tally  # which a table by itself does not need

        return Tally()

    def _is_at_once(self, target: OutputTarget) -> bool:
        if target.file is not None:
            return False
        return FORMATS[target.format].is_streamable or (
            target.format == "text" and self._fleet.brief
        )

    def add(self, result: TableResult) -> None:
        """Show one more; raises `OutputLost` where that is not possible."""
        self._codes.append(result.code)
        if messages().is_silent and result.code not in {0, FOUND, WAITING}:
            self._name(result)
        if self._sinks or self._fleet.brief:
            document = result.document
            if self._fleet.brief:
                self._tally.add(document)
            for sink in self._sinks:
                sink.add(document)
        for target in self._at_once:
            if target.format != "text" or not (self._quiet and _is_clean(result.document)):
                self._write(target, result)
        if result.report is not None and self._later:
            self._reports.append(result.report)
            self._show_error(result.report)

    def _write(self, target: OutputTarget, result: TableResult) -> None:
        if target.format == "text":
            self._write_line(result.document)
        # Its line is in the file already to which the run that was interrupted has written.
        elif result.old:
            return
        elif self._style.selection:
            write_text(selected_line(result.document, self._style.selection))
        else:
            write_text(result.line)

    def _write_line(self, document: Document) -> None:
        """The line of a table: at once where it is urgent, else in the end, if at all."""
        from deltaadm.render.overview import few_listed, is_uneventful, kind_of, line, urgency

        if not is_uneventful(document):
            order = urgency(document)
            if not order:
                write_text(f"{line(document)}\n")
            else:
                self._held.append((order, line(document)))
            return
        kind = kind_of(document)
        self._uneventful[kind] += 1
        if self._fleet.every or self._uneventful[kind] <= few_listed(kind):
            self._healthy.append(line(document))

    def _name(self, result: TableResult) -> None:
        """Say on standard error what is wrong with a table of which nothing else is shown."""
        document = result.document
        error = document.get("error") or {"message": document.get("stopped")}
        if error["message"]:
            show_error(
                result.table, DeltaadmError(error["message"], remedy=error.get("remedy", ""))
            )

    def _show_error(self, report: Report) -> None:
        """On standard error, unless some report on standard output has it."""
        if messages().is_silent:
            return
        shown = any(target.file is None and target.takes_errors for target in self._later)
        if isinstance(report, Failure) and not shown and not self._at_once:
            show_error(report.table, report.error)

    def finish(self) -> int:
        """
        Show what is shown in the end; the exit code of all tables together.

        Files come first: neither does the loss of standard output cost them, nor does an error
        about them follow a document there.
        """
        for sink in self._sinks:
            sink.finish()
        for target in sorted(self._later, key=lambda target: target.file is None):
            self._show(target)
        if self._fleet.brief:
            self._sum_up()
        return combine_exit_codes(self._codes, alone=self._fleet.alone)

    def _show(self, target: OutputTarget) -> None:
        reports = [
            report
            for report in self._reports
            if target.takes_errors or not isinstance(report, Failure)
        ]
        if self._quiet and target.format == "text":
            reports = [
                each
                for each in reports
                if getattr(each, "findings", True) or getattr(each, "stopped", "")
            ]
        elif FORMATS[target.format].sums_up and self._fleet.brief:
            reports.append(self._tally.overview)
        if target.file is not None:  # no colours there unless they are asked for
            write_file(target.file, rendered(target.format, reports, self._style))
        elif reports:
            write(reports, target.format, self._style)

    def _sum_up(self) -> None:
        overview = self._tally.overview
        held = [line for _, line in sorted(self._held, key=lambda held: held[0])]
        if self._quiet:
            write_text("".join(f"{line}\n" for line in held))
        elif any(target.format == "text" for target in self._at_once):
            if len(self._healthy) == self._uneventful.total():
                held += self._healthy
            elif self._uneventful:
                from deltaadm.render.overview import unlisted

                held.append(unlisted(self._uneventful))
            write_text("".join(f"{line}\n" for line in held))
            write_text("\n")
            write([overview], "text", self._style)
        elif overview.tables and not any(
            FORMATS[target.format].sums_up for target in self._later
        ):  # there are none where all plans are still to be committed
            from deltaadm.render.wording import overview_title

            info(f"{overview_title(overview)}.")


class StatisticsPrinter:
    """Shows in the end how often each rule has found something, and errors at once."""

    keeps = True

    def __init__(self, fleet: Fleet, targets: Sequence[OutputTarget], style: Style) -> None:
        self._fleet = fleet
        self._targets = targets
        self._style = style
        self._codes: list[int] = []
        self._found: dict[str, RuleCount] = {}
        self._failed = 0

    def add(self, result: TableResult) -> None:
        """Count one more."""
        self._codes.append(result.code)
        if isinstance(result.report, Failure):
            self._failed += 1
            show_error(result.report.table, result.report.error)
            return
        counts: dict[str, int] = {}
        for finding in result.document["findings"]:
            code = finding["code"]
            if code not in self._found:
                self._found[code] = RuleCount(code, finding["name"], finding["severity"])
            counts[code] = counts.get(code, 0) + 1
        for code, more in result.document["more"].items():
            counts[code] = counts.get(code, 0) + more
        for code, count in counts.items():
            known = self._found[code]
            self._found[code] = replace(
                known, findings=known.findings + count, tables=known.tables + 1
            )

    def finish(self) -> int:
        """Show the counts; the exit code of all tables together."""
        rules = sorted(self._found.values(), key=lambda each: (-each.findings, each.code))
        report = StatisticsReport(len(self._codes), self._failed, tuple(rules))
        for target in sorted(self._targets, key=lambda target: target.file is None):
            if target.file is not None:
                write_file(target.file, rendered(target.format, [report], self._style))
            elif rules or target.format != "text" or not messages().is_quiet:
                write([report], target.format, self._style)
        return combine_exit_codes(self._codes, alone=self._fleet.alone)


def _is_clean(document: Document) -> bool:
    """Whether it says of a table that nothing was found."""
    return document.get("findings") == [] and not document.get("stopped")


def combine_exit_codes(codes: Iterable[int], *, alone: bool) -> int:
    """
    The exit code of a run over tables that would end with *codes* one by one.

    A table that failed outweighs one that waits, and that one with findings or with changes.
    """
    distinct = set(codes)
    if alone:
        return distinct.pop()
    if distinct - {0, FOUND, WAITING}:
        return SOME_FAILED
    return max(distinct, default=0)


def report_all(
    context: RunContext,
    fleet: Fleet,
    report: Callable[[Target], Report],
    *,
    code: Callable[[Document], int] | None = None,
    sinks: Sequence[Sink] = (),
) -> int:
    """Show the *report* of each table as the command line asks for it; the exit code."""
    printer = ResultPrinter(fleet, [OutputTarget(context.format)], context.style, sinks)
    for result in table_results(TableTask(context, fleet, report, code, keep=printer.keeps)):
        printer.add(result)
    return printer.finish()
