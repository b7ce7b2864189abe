"""Many tables: where they come from, and the results for each and for all."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.documents import Failure
from deltaadm.errors import Bug, DeltaadmError, EngineError, StorageError, TableError, UsageError
from deltaadm.formats.formats import FORMATS, Style
from deltaadm.formats.json import selected_line
from deltaadm.reports.overview import (
    brief_line,
    few_listed,
    is_uneventful,
    kind_of,
    overview_title,
    urgency,
)
from deltaadm.reports.statistics import RuleCount, StatisticsReport
from deltaadm.runs import names as table_names
from deltaadm.runs.files import resume_lines, write_file
from deltaadm.runs.options import read_file
from deltaadm.runs.output import info, messages, rendered, shortage, show_error, write, write_text
from deltaadm.runs.status import FOUND, NOTHING, SOME_FAILED, WAITING
from deltaadm.runs.target import Target, resolve
from deltaadm.runs.workers import PARALLEL_THRESHOLD, in_order
from deltaadm.storage.store import is_in_object_store, is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deltaadm.blocks import Report
    from deltaadm.reports.overview import Tally
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.names import Entry
    from deltaadm.runs.options import FleetOptions
    from deltaadm.runs.progress import Progress


if TYPE_CHECKING:
    Document = Mapping[str, Any]


@dataclass(frozen=True)
class Fleet:
    """
    The tables of a run.

    `entries` are those of tables with names in a catalog. `found` says that options named the
    tables rather than arguments, `brief` that text is to be a line a table, `every` that this
    includes tables of which there is nothing to say. `unlisted` are places
    that stand among the tables because whatever is below them could not be found, and `answered`
    the lines that an earlier run has left.
    """

    tables: Sequence[str]
    entries: Mapping[str, Entry] = field(default_factory=dict)
    found: bool = False
    brief: bool = False
    every: bool = False
    jobs: int | None = None
    unlisted: Mapping[str, DeltaadmError] = field(default_factory=dict)
    answered: Mapping[str, str] = field(default_factory=dict)

    def location(self, table: str) -> str:
        """The location of *table* as far as its name, or its entry in a catalog, says."""
        entry = self.entries.get(table)
        if entry is None or isinstance(entry, DeltaadmError):
            return table
        return entry.location or table

    @property
    def alone(self) -> bool:
        """Whether it is a single table, named as such."""
        return len(self.tables) == 1 and not self.found


@dataclass(frozen=True)
class TableResult:
    """
    What came of one table.

    `line` is its JSON document, `code` the exit code that it would have alone, `report` the
    report itself where some output is made of it. An `old` result is that of an earlier run.
    `saved` is what goes into a file of plans, where that is another line.
    """

    table: str
    line: str
    code: int
    report: Report | None = None
    old: bool = False
    saved: str | None = None

    @property
    def document(self) -> Document:
        """The JSON document."""
        document: Document = json.loads(self.line)
        return document


# Where tables come from


def collect_tables(
    context: RunContext, named: Sequence[str], request: FleetOptions, kind: str
) -> Fleet:
    """
    The tables that arguments and options name, in this order; where options do, each once.

    *kind* is that of the documents of an earlier run to go on with. A number of jobs for Spark is a
    usage error. Raises `StorageError` for a root that is no directory, `MissingFile` and `Refused`
    for a file that cannot be read, and `TableError` where there is no table at all.
    """
    if request.jobs is not None and context.executors is not None:
        raise UsageError("cannot be combined with --engine spark", option="--jobs")
    unlisted: dict[str, DeltaadmError] = {}
    entries: dict[str, Entry] = {}
    tables = [*named, *(request.also or ())]
    if request.tables_from is not None:
        tables += map(context.settings.table, _listed(request.tables_from))
    for root in request.discover or ():
        tables += _discovered(context, root, unlisted)
    for pattern in request.catalog or ():
        listed = table_names.list_tables(context, pattern)
        entries |= listed
        tables += listed
    if not tables:
        places = (*(request.discover or ()), *(request.catalog or ()), request.tables_from)
        named_places = ", ".join(str(place) for place in places if place is not None)
        raise TableError(
            f"There is no table in {named_places}.",
            remedy="A table is a directory that contains _delta_log; a list names one per line.",
        )
    names = tuple(dict.fromkeys(tables) if request.names_tables else tables)
    # All names at once: each may take a request.
    entries |= table_names.look_up(context, [name for name in names if name not in entries])
    return Fleet(
        tables=names,
        entries=entries,
        found=request.names_tables,
        brief=request.names_tables or request.brief or request.resume is not None,
        every=request.every,
        jobs=request.jobs,
        unlisted=unlisted,
        answered={} if request.resume is None else resume_lines(request.resume, kind),
    )


def _listed(file: Path) -> Iterator[str]:
    """The lines of *file*, without empty ones and those that begin with `#`."""
    text = sys.stdin.read() if str(file) == "-" else read_file(file)
    # Not `splitlines`, which also ends lines where names may have odd characters.
    for line in text.split("\n"):
        name = line.strip()
        if name and not name.startswith("#"):
            yield name


def _discovered(
    context: RunContext, root: str, unlisted: dict[str, DeltaadmError]
) -> Iterator[str]:
    from deltaadm.runs.places import tables_below

    errors: list[DeltaadmError] = []
    yield from tables_below(context, root, errors.append)
    for number, error in enumerate(errors):
        name = root if not number else f"{root} ({number + 1})"
        unlisted[name] = error
        yield name


# The results


@dataclass(frozen=True)
class TableTask:
    """
    What makes the result for a table, here or in another process, which gets it pickled.

    *report* makes it; its error is a result, too. *code* tells the exit code for a document
    without error, where that is not always 0. With *keep* results have their reports, and *save*
    makes of a report the line that is saved of it, if that is another one. *report_missing* makes
    the report for a name that leads to no Delta table.
    """

    context: RunContext
    fleet: Fleet
    report: Callable[[Target], Report]
    code: Callable[[Document], int] | None = None
    keep: bool = False
    save: Callable[[Report], str] | None = None
    report_missing: Callable[[str, TableError], Report] = Failure

    def run(self, table: str, location: str | None = None) -> TableResult:
        """The result for *table*, at the *location* that another process has found if any."""
        report = self._report(table, location)
        line = line_of(report, show_secrets=self.context.style.show_secrets)
        kept = report if self.keep else None
        if isinstance(report, Failure):
            return TableResult(table, line, report.error.exit_code, kept)
        saved = None if self.save is None else self.save(report)
        return TableResult(table, line, self.code_of(line), kept, saved=saved)

    def lost(self, table: str) -> TableResult:
        """The result for a table whose process was killed."""
        return self._lost(table, _LOST)

    def lost_there(self, table: str, said: str) -> TableResult:
        """The result for a table whose executor was lost, or of which Spark *said* otherwise."""
        otherwise = EngineError(
            f"Spark's executors cannot process the table: {said}", remedy="Omit --engine spark."
        )
        return self._lost(table, otherwise if said else _LOST_THERE)

    def _lost(self, table: str, error: EngineError) -> TableResult:
        failure = Failure(table, error)
        kept = failure if self.keep else None
        return TableResult(table, line_of(failure), error.exit_code, kept)

    def code_of(self, line: str) -> int:
        """The exit code for the document in *line*."""
        return 0 if self.code is None else self.code(json.loads(line))

    def _report(self, table: str, location: str | None) -> Report:
        if table in self.fleet.unlisted:
            return Failure(table, self.fleet.unlisted[table])
        try:
            try:
                target = self._target(table, location)
            except TableError as error:
                return self.report_missing(table, error)
            return self.report(target)
        except DeltaadmError as error:
            return Failure(table, error)
        except ModuleNotFoundError:
            raise  # which befalls all tables
        except Exception as error:
            if self.fleet.alone:
                raise
            return Failure(table, shortage(error) or _bug(error))

    def _target(self, table: str, location: str | None) -> Target:
        entry = self.fleet.entries.get(table)
        if location is None or isinstance(entry, DeltaadmError):
            return resolve(self.context, table, entry)
        return Target(table, location, entry)


def table_results(task: TableTask, *, threshold: int = PARALLEL_THRESHOLD) -> Iterator[TableResult]:
    """
    The result for each table, in order; those of an earlier run are not sought again.

    Several processes work from *threshold* tables on. While it goes on, an interrupt tells how far
    it has come.
    """
    context, fleet = task.context, task.fleet
    fresh = [table for table in fleet.tables if table not in fleet.answered]
    done = 0
    if context.executors is None or (fleet.alone and context.hadoop is not None):
        stream = in_order(
            fresh,
            task.run,
            lost=task.lost,
            jobs=fleet.jobs,
            threshold=threshold,
            waiting=any(is_remote(fleet.location(table)) for table in fresh),
            progress=None if fleet.alone else _progress(lambda: (done, len(fleet.tables))),
        )
    else:
        stream = _map_on_executors(task, fresh)
    for number, table in enumerate(fleet.tables):
        if not fleet.alone:
            # What an interrupt says, of a run that commits nothing.
            context.status.set(f"{NOTHING}; {number} of {len(fleet.tables)} tables were processed")
        line = fleet.answered.get(table)
        if line is None:
            yield next(stream)
        else:
            yield TableResult(table, line, task.code_of(line), old=True)
        done = number + 1
    context.status.set(NOTHING)


def _progress(count: Callable[[], tuple[int, int]]) -> Progress:
    from deltaadm.runs.progress import Progress, State

    def state() -> State:
        done, total = count()
        return State("Reading", counts="tables", done=done, total=total)

    return Progress(state)


def _map_on_executors(task: TableTask, tables: Sequence[str]) -> Iterator[TableResult]:
    """
    The results in order, from the executors of the Spark that reads logs.

    They read without a JVM, at the location that is found here. Tables that only Spark's file
    systems reach are read here, if it has any.
    """
    context = task.context
    assert context.executors is not None  # noqa: S101 -- callers have asked for the engine
    located = {table: _location_for_executors(task, table) for table in tables}
    near = {table: location for table, location in located.items() if location}
    stores = any(map(is_remote, near.values()))
    # Secrets, so no row of a DataFrame may have them.
    work = _ExecutorTask(
        task,
        {key: value for key, value in os.environ.items() if key.startswith(_CLOUDS)}
        if stores
        else {},
    )
    stream: Iterator[TableResult | None] = context.executors.in_order(
        near, work, lost=task.lost_there
    )
    for table in tables:
        result = next(stream) if table in near else None
        if result is None and table in near and context.hadoop is None:
            raise EngineError(
                "Spark's executors lack the package obstore, which reads object stores.",
                remedy="Install deltaadm where the executors run, or omit --engine spark.",
            )
        failed = result is not None and result.code == StorageError.exit_code
        if result is None or (failed and context.hadoop is not None and is_remote(near[table])):
            result = task.run(table)  # Spark's settings may have what executors lack
        yield result


@dataclass(frozen=True)
class _ExecutorTask:
    """
    What an executor does with its share of tables, under the variables `environ`.

    The answer for a table in an object store is None where nothing can read it.
    """

    task: TableTask
    environ: Mapping[str, str]

    def __call__(self, tables: Sequence[tuple[str, str]]) -> Iterator[TableResult | None]:
        from importlib.util import find_spec

        from deltaadm.spark.jvm import environment

        located = dict(tables)
        stores = any(map(is_remote, located.values()))
        readable = not stores or find_spec("obstore") is not None

        def answer(table: str) -> TableResult | None:
            if not readable and is_remote(located[table]):
                return None
            return self.task.run(table, located[table])

        with environment(self.environ if stores else {}):
            jobs = None if stores else 1
            yield from in_order(list(located), answer, lost=self.task.lost, jobs=jobs, waiting=True)


_CLOUDS: Final = ("AWS_", "AZURE_", "GOOGLE_")


def _location_for_executors(task: TableTask, table: str) -> str:
    """The path at which executors find a table, given the same disks; empty if that is unknown."""
    if not table:
        return ""
    try:
        table.encode()  # a name that is no Unicode cannot be sent to executors
        location = resolve(task.context, table, task.fleet.entries.get(table)).location
    except (UnicodeEncodeError, DeltaadmError):
        return ""
    return location if not is_remote(location) or is_in_object_store(location) else ""


def _bug(error: Exception) -> Bug:
    return Bug(
        f"This is a bug in deltaadm: {type(error).__name__}: {error}",
        remedy="Run the command for this table alone, and report what it says.",
    )


_LOST: Final = EngineError(
    "The process that worked on the table was killed, possibly out of memory.",
    remedy="Try again with fewer jobs, for example --jobs 1.",
)

_LOST_THERE: Final = EngineError(
    "The executor that worked on the table was lost, possibly out of memory.",
    remedy="Give executors more memory. A log that is too long for one process is read by all of "
    "them where the table is the only one of the run and Spark is not reached by Spark Connect: "
    "--engine spark --spark-master.",
)


def line_of(report: Report, *, show_secrets: bool = False) -> str:
    """The JSON line of *report*, with the end of the line."""
    return rendered("jsonl", [report], Style(show_secrets=show_secrets))


# Results


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
        from deltaadm.reports.overview import (  # which a table by itself does not need
            Tally,
        )

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
            if target.format != "text" or not (
                self._quiet
                and (result.document.get("findings") == [] and not result.document.get("stopped"))
            ):
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
        if not is_uneventful(document):
            order = urgency(document)
            if not order:
                write_text(f"{brief_line(document)}\n")
            else:
                self._held.append((order, brief_line(document)))
            return
        kind = kind_of(document)
        self._uneventful[kind] += 1
        if self._fleet.every or self._uneventful[kind] <= few_listed(kind):
            self._healthy.append(brief_line(document))

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
        if self._fleet.brief:
            self._sum_up()
        return combine_exit_codes(self._codes, alone=self._fleet.alone)

    def _sum_up(self) -> None:
        overview = self._tally.overview
        held = [line for _, line in sorted(self._held, key=lambda held: held[0])]
        if self._quiet:
            write_text("".join(f"{line}\n" for line in held))
        elif any(target.format == "text" for target in self._at_once):
            if len(self._healthy) == self._uneventful.total():
                held += self._healthy
            elif self._uneventful:
                from deltaadm.reports.overview import unlisted

                held.append(unlisted(self._uneventful))
            write_text("".join(f"{line}\n" for line in held))
            write_text("\n")
            write([overview], "text", self._style)
        elif overview.tables and not any(
            FORMATS[target.format].sums_up for target in self._later
        ):  # there are none where all plans are still to be committed
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
