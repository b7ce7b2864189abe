"""Many tables: where they come from, work on them at once, and the results for each and for all."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from importlib.util import find_spec
from math import inf
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.documents import FORMAT_VERSION, REQUEST, Failure
from deltaadm.errors import (
    DeltaadmError,
    EngineError,
    InternalError,
    RefusedError,
    StorageError,
    TableError,
    UsageError,
)
from deltaadm.formats import FORMATS, Style, width_for
from deltaadm.formats.json import selected_line
from deltaadm.formats.text import Line
from deltaadm.plans.undo import advice_for
from deltaadm.replay.reconcile import can_fork, processors
from deltaadm.reports.overview import (
    STATUS_WIDTH,
    FleetCounts,
    FleetSummary,
    few_listed,
    kind_of,
    overview_title,
    told_of,
    unlisted,
)
from deltaadm.runs import names as table_names
from deltaadm.runs.context import RunContext, do_without_numpy
from deltaadm.runs.files import write_answer
from deltaadm.runs.names import Entry
from deltaadm.runs.options import FleetOptions, OutputTarget, read_file, read_input
from deltaadm.runs.output import info, messages, rendered, shortage, show, show_error, write_text
from deltaadm.runs.places import tables_below
from deltaadm.runs.progress import Progress
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.status import FOUND, REFUSED, SOME_FAILED, WAITING
from deltaadm.runs.target import Target, resolve
from deltaadm.storage.store import is_in_object_store, is_remote
from deltaadm.storage.threads import Threads, each_ahead

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from deltaadm.blocks import Report
    from deltaadm.reports.plans import PlanGroups
    from deltaadm.runs.inventory import Inventory
    from deltaadm.runs.questions import Question


# Work on many tables: processes, or threads where processes cannot be forked safely


Result = TypeVar("Result")

PARALLEL_THRESHOLD: Final = 64
"""The number of tables from which starting processes pays where each takes a millisecond."""

_WAITING_JOBS: Final = 16  # tables at the same time where the work is to wait for a store
_AHEAD: Final = 8  # results of each thread that may wait for a slow table


def in_order(
    tables: Sequence[str],
    answer: Callable[[str], Result],
    *,
    lost: Callable[[str], Result],
    jobs: int | None = None,
    threshold: int = PARALLEL_THRESHOLD,
    waiting: bool = False,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """
    The *answer* for each table, which can be pickled, in the order of the tables.

    *jobs* work at the same time: if None, as many as there are processors, from *threshold* tables
    on; more if the work is mostly *waiting* for others. Only a bounded number of answers is kept,
    however long one table takes. *lost* answers for a table whose process was killed. When the
    iteration is given up, work stops at once. *progress* is shown while it goes on.
    """
    if jobs is None and waiting:
        jobs = _WAITING_JOBS
    if jobs is None:
        jobs = processors() if len(tables) >= threshold else 1
    jobs = min(jobs, len(tables))
    forks = jobs > 1 and can_fork() and not waiting
    with nullcontext() if progress is None else progress.shown(by_itself=not forks):
        if forks:
            yield from _from_processes(tables, answer, lost, jobs, progress)
        elif jobs > 1:
            yield from each_ahead(answer, tables, jobs, waiting=jobs * _AHEAD)
        else:
            yield from map(answer, tables)


def patiently(
    tables: Iterable[str],
    answer: Callable[[str], Result],
    *,
    hanging: Callable[[str], Result],
    patience: float = 300,
) -> Iterator[Result]:
    """
    The *answer* for each table, one after the other; that of *hanging* for one that hangs.

    That is one on which this process does nothing for *patience* seconds, as where a file system
    does not respond: its thread is left behind.
    """
    threads = Threads(1)
    for table in tables:
        pending = threads.submit(partial(answer, table))
        used = -inf
        while True:
            before, used = used, process_time()
            if used - before < patience / 1000:  # waiting alone takes no more of a processor
                threads = Threads(1)
                yield hanging(table)
                break
            with suppress(TimeoutError):
                yield pending.result(patience)
                break
    threads.close()


# Processes


_LARGEST_SHARE: Final = 16  # tables that a worker is given at a time, at most
_SHARES_AHEAD: Final = 8  # shares by which a worker's results may be ahead of a slow table
_OFTEN: Final = 0.2  # seconds between two updates of the progress


def _serve(
    tables: Sequence[str],
    answer: Callable[[str], object],
    pipe: Connection,
    others: Iterable[Connection],
) -> None:
    """Answer for the tables whose numbers come through *pipe*, as long as the parent is there."""
    # The parent's ends have come along, and a pipe ends once nobody holds the end that writes.
    for end in others:
        end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(EOFError, OSError):
        while True:
            for number in pipe.recv():
                outcome: tuple[object, Exception | None]
                try:
                    outcome = answer(tables[number]), None
                except Exception as error:  # noqa: BLE001 -- raised again in the parent
                    outcome = None, error
                pipe.send(outcome)


def _from_processes(
    tables: Sequence[str],
    answer: Callable[[str], Result],
    lost: Callable[[str], Result],
    jobs: int,
    progress: Progress | None,
) -> Iterator[Result]:
    from multiprocessing import get_context  # which a few tables do without
    from multiprocessing.connection import wait

    sys.stdout.flush()  # or each process would write what is still in its copy of the buffer
    share = max(1, min(_LARGEST_SHARE, len(tables) // (4 * jobs)))
    # Answers behind a slow table wait in memory, so their number is limited.
    window = jobs * share * _SHARES_AHEAD
    fork, processes = get_context("fork"), dict[Any, Any]()
    # The numbers of the tables that each process was given and has not answered for, by its pipe.
    owed: dict[Any, deque[int]] = {}

    def start() -> Connection:
        ours, theirs = fork.Pipe()
        work = (tables, answer, theirs, (ours, *owed))
        processes[ours] = fork.Process(target=_serve, args=work, daemon=True)
        processes[ours].start()
        theirs.close()
        owed[ours] = deque()
        return ours

    def give(pipe: Connection, numbers: Sequence[int]) -> None:
        owed[pipe].extend(numbers)
        with suppress(OSError):  # its end is found when the answer is asked for
            pipe.send(numbers)

    def stop(pipe: Connection) -> None:
        # Killed at once: what it works on is a table of its own, and its answer is not wanted.
        processes[pipe].kill()
        processes.pop(pipe).join()
        pipe.close()

    done: dict[int, Result] = {}
    handed_out = due = 0
    try:
        for _ in range(jobs):
            start()
        while due < len(tables):
            for pipe, numbers in owed.items():
                if not numbers and handed_out < min(due + window, len(tables)):
                    begin, handed_out = handed_out, min(handed_out + share, len(tables))
                    give(pipe, range(begin, handed_out))
            if progress is not None:
                progress.tick()
            # With a limit: a signal just before the wait does not end it.
            ready: list[Any] = wait([pipe for pipe, numbers in owed.items() if numbers], _OFTEN)
            for pipe in ready:
                number = owed[pipe].popleft()
                try:
                    done[number], error = pipe.recv()
                except (EOFError, OSError):
                    # The table it was killed on is lost; a new process answers for the others.
                    done[number], error = lost(tables[number]), None
                    stop(pipe)
                    give(start(), list(owed.pop(pipe)))
                if error is not None:
                    raise error
            while due in done:
                yield done.pop(due)
                due += 1
    finally:
        for pipe in [*processes]:
            stop(pipe)


Document = Mapping[str, Any]


@dataclass(frozen=True)
class Fleet:
    """
    The tables of a run.

    `entries` are those of catalogs, and the errors of places that could not be searched. `found`
    says that options named the tables rather than arguments, `brief` that text is a line a table,
    `every` that tables of which there is nothing to say have one, too. `answered` are the lines
    that an earlier run has left.
    """

    tables: Sequence[str]
    entries: Mapping[str, Entry] = field(default_factory=dict)
    found: bool = False
    brief: bool = False
    every: bool = False
    jobs: int | None = None
    answered: Mapping[str, str] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """Whether it is a single table, named as such."""
        return len(self.tables) == 1 and not self.found


@dataclass(frozen=True)
class TableResult:
    """
    What came of one table.

    `line` is its JSON document, which `is_error` where there is no other, `code` the exit code that
    it would have alone, `report` the report itself where some output is made of it. An `old` result
    is that of an earlier run.
    """

    table: str
    line: str
    code: int
    report: Report | None = None
    old: bool = False
    is_error: bool = False

    @classmethod
    def of(
        cls, table: str, report: Report, code: int = 0, style: Style | None = None
    ) -> TableResult:
        """That of a *report* with this exit *code*, unless it has an error's."""
        if isinstance(report, Failure):
            report.error.remedy = advice_for(table, report.error.remedy)
        line = rendered("jsonl", [report], replace(style or Style(), selection=None))
        if isinstance(report, Failure):
            return cls(table, line, report.error.exit_code, report, is_error=True)
        return cls(table, line, code, report)

    @classmethod
    def failed(cls, error: DeltaadmError, table: str) -> TableResult:
        """That of a table for which there is nothing but this *error*."""
        return cls.of(table, Failure(table, error))

    @property
    def document(self) -> Document:
        """The JSON document."""
        document: Document = json.loads(self.line)
        return document


# Where tables come from


def collect_tables(context: RunContext, named: Sequence[str], request: FleetOptions) -> Fleet:
    """
    The tables that arguments and options name, in this order; where options do, each once.

    Raises `UsageError` for a number of jobs for Spark, `StorageError` for a root that is no
    directory, what `resume_lines` and `read_file` do, and `TableError` where there is no table.
    """
    if request.jobs is not None and context.executors is not None:
        raise UsageError("cannot be combined with --engine spark", option="--jobs")
    entries: dict[str, Entry] = {}
    tables = [*named, *(request.also or ())]
    if request.tables_from is not None:
        # Not `splitlines`, which also ends lines where names may have odd characters.
        lines = map(str.strip, read_input(request.tables_from).split("\n"))
        listed_there = (line for line in lines if line and not line.startswith("#"))
        tables += map(context.settings.table, listed_there)
    for root in request.discover or ():
        errors: list[DeltaadmError] = []
        tables += tables_below(context, root, errors.append)
        # Whatever is below a place that cannot be listed stands among the tables under its name.
        for number, error in enumerate(errors):
            name = root if not number else f"{root} ({number + 1})"
            entries[name] = error
            tables.append(name)
    for pattern in request.catalog or ():
        listed = table_names.list_tables(context, pattern)
        entries |= listed
        tables += listed
    if not tables:
        places = (*(request.discover or ()), *(request.catalog or ()), request.tables_from)
        named_places = ", ".join(str(place) for place in places if place is not None)
        raise TableError(
            f"There is no table in {named_places}.",
            remedy="A table is a directory with _delta_log in it; a list names one table per line.",
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
        answered=resume_lines(request.resume, context.style.request) if request.resume else {},
    )


def resume_lines(file: Path, asked: str) -> dict[str, str]:
    """
    The lines in *file* by table, the newest of several, without those that are errors.

    A last line that was cut off counts as not written, and is taken out if standard output appends
    to *file*. One that is not there has none. Raises `RefusedError` for other content, and for
    answers to something else than what is *asked*.
    """
    if not file.exists():
        return {}
    text = read_file(file)
    whole, _, cut = text.rpartition("\n")
    if cut:
        output = None
        with suppress(OSError, ValueError):
            output = os.fstat(sys.stdout.fileno())
        # The shell has opened the file for appending (`>> FILE`), maybe under another name.
        if output is not None and os.path.samestat(output, file.stat()):
            os.truncate(file, output.st_size - len(cut.encode()))
    lines: dict[str, str] = {}
    for number, line in enumerate(whole.split("\n") if whole else (), 1):
        try:
            document = json.loads(line)
            known = document["format_version"] == FORMAT_VERSION
            ours = known and isinstance(document["table"], str)
            ours = ours and (kind_of(document) == "error" or document[REQUEST] == asked)
            # Which fail on what lacks something.
            told_of(document).line(document["table"])
            FleetCounts().add(document)
        except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
            ours = False
        if not ours:
            raise RefusedError(
                f"Line {number} of {file} is not the answer to this request for a table.",
                remedy="Name the -o jsonl output of the same command with the same options.",
            )
        # An error in a later line does away with an older answer: the table is read again.
        lines.pop(document["table"], None)
        if "error" not in document:
            lines[document["table"]] = f"{line}\n"
    return lines


# The results


@dataclass(frozen=True)
class TableTask:
    """
    What makes the result for a table, here or in another process, which gets it pickled.

    `report` makes it; its error is a result, too. `code` tells the exit code for a document
    without error, if that is not always 0. With `keep` results have their reports. `report_missing`
    makes the report for a name that leads to no Delta table.
    """

    context: RunContext
    fleet: Fleet
    report: Question[Report]
    code: Callable[[Document], int] | None = None
    keep: bool = False
    report_missing: Callable[[str, TableError], Report] = Failure

    def run(self, table: str, target: Target | None = None) -> TableResult:
        """The result for *table*, as the *target* that another process has found if any."""
        try:
            report: Report
            try:
                target = target or resolve(self.context, table, self.fleet.entries.get(table))
            except TableError as error:
                report = self.report_missing(table, error)
            else:
                report = self.report(self.context, target)
        except DeltaadmError as error:
            report = Failure(table, error)
        except ModuleNotFoundError:
            raise  # which befalls all tables
        except Exception as error:
            if self.fleet.alone:
                raise
            bug = InternalError(
                f"This is a bug in deltaadm: {type(error).__name__}: {error}",
                remedy="Run the command for this table alone, and report what it says.",
            )
            report = Failure(table, shortage(error) or bug)
        made = TableResult.of(table, report, style=self.context.style)
        code = made.code if isinstance(report, Failure) else self.code_of(made.line)
        return replace(made, code=code, report=report if self.keep else None)

    def code_of(self, line: str) -> int:
        """The exit code for the document in *line*."""
        return 0 if self.code is None else self.code(json.loads(line))


_LOST: Final = EngineError(
    "The process that worked on the table was killed, possibly out of memory.",
    remedy="Try again with fewer jobs, for example --jobs 1.",
)

_HANGING: Final = StorageError(
    "Reading the table came to a standstill for 5 minutes, and was given up.",
    remedy="Check that the file system responds where Spark's executors run.",
)

_LOST_THERE: Final = EngineError(
    "The executor that worked on the table was lost, possibly out of memory.",
    remedy="Give executors more memory, or inspect this table alone, so that all executors share "
    "its log: --engine spark --spark-master URL (not --remote).",
)


def table_results(
    task: TableTask, *, threshold: int = PARALLEL_THRESHOLD, advised: bool = False
) -> Iterator[TableResult]:
    """
    The result for each table, in order; those of an earlier run are not sought again.

    Several processes work from *threshold* tables on. An interrupt tells how far it has come. A run
    that is *advised* says once if Spark would save minutes.
    """
    context, fleet = task.context, task.fleet
    waiting = False
    fresh = [table for table in fleet.tables if table not in fleet.answered]
    total, said = len(fleet.tables), context.status.clause
    progress = Progress("Reading", counts="tables", total=total)
    if context.executors is None or (fleet.alone and context.hadoop is not None):
        known = {table: getattr(of, "location", None) for table, of in fleet.entries.items()}
        waiting = any(is_remote(known.get(table) or table) for table in fresh)
        stream = in_order(
            fresh,
            task.run,
            lost=partial(TableResult.failed, _LOST),
            jobs=fleet.jobs,
            threshold=threshold,
            waiting=waiting,
            progress=None if fleet.alone else progress,
        )
    else:
        stream, advised = _map_on_executors(task, fresh), False
    began, old = monotonic(), total - len(fresh)
    for table in fleet.tables:
        if not fleet.alone:
            context.status.set(f"{said}; {progress.done} of {total} tables were processed")
        line = fleet.answered.get(table)
        if line is None:
            yield next(stream)
        else:
            yield TableResult(table, line, task.code_of(line), old=True)
        progress.done += 1
        if advised and (passed := monotonic() - began) > _SAMPLE and progress.done > old:
            advised = False
            at_once = 1 if waiting else fleet.jobs or processors()
            if advice := advice_on_spark(progress.done - old, len(fresh), passed, at_once):
                info(advice)
    context.status.set(said)


def advice_on_spark(done: int, total: int, seconds: float, at_once: int) -> str:
    """
    What there is to say of a run that took *seconds* for *done* of *total* tables, if anything.

    Executors are as fast with a table as one of the processes that work *at_once* here, and the
    driver takes its time for each of them.
    """
    left = seconds / done * (total - done)
    there = _START_OF_SPARK + max(left * at_once / _CORES, (total - done) * _OF_THE_DRIVER)
    if left < _LONG or there > left / 2:
        return ""
    return (
        f"At this rate, the other {total - done} tables take {left / 60:.0f} minutes. Spark would "
        f"take {max(1, there / 60):.0f} on {_CORES} cores: --engine spark --spark-master URL."
    )


_SAMPLE: Final = 15  # seconds after which a run knows how fast it is
_LONG: Final = 180  # seconds that nobody likes to wait for
_START_OF_SPARK: Final = 20  # seconds, on a standalone cluster, see docs/performance.md
_OF_THE_DRIVER: Final = 0.0005  # seconds a table
_CORES: Final = 16  # those of a small cluster


def _map_on_executors(task: TableTask, tables: Sequence[str]) -> Iterator[TableResult]:
    """
    The results in order, from the executors of the Spark that reads logs.

    They read without a JVM, at the location that is found here. Tables that only Spark's file
    systems reach are read here, if it has any.
    """
    context, fleet = task.context, task.fleet
    assert context.executors is not None  # noqa: S101 -- callers have asked for the engine
    targets = [_target_for_executors(task, table) for table in tables]
    near = [(target.text, target) for target in targets if target]
    environ = {}
    if any(is_remote(target.location) for _, target in near):
        # Secrets, so no row of a DataFrame may have them.
        environ = {key: value for key, value in os.environ.items() if key.startswith(_CLOUDS)}
    # Each task gets it: without all tables, of which it knows only whether there are several.
    there = replace(task, fleet=Fleet(fleet.tables[:2], found=fleet.found))

    def lost(table: str, said: str) -> TableResult:
        otherwise = EngineError(
            f"Spark's executors cannot process the table: {said}", remedy="Omit --engine spark."
        )
        return TableResult.failed(otherwise if said else _LOST_THERE, table)

    work = partial(_run_on_executor, there, environ)
    stream = context.executors.in_order(near, work, lost=lost)
    for table, target in zip(tables, targets, strict=True):
        result = next(stream) if target else None
        if result is None and target and context.hadoop is None:
            raise EngineError(
                "Spark's executors lack the package obstore, which reads object stores.",
                remedy="Install deltaadm where the executors run, or omit --engine spark.",
            )
        failed = result is not None and result.code == StorageError.exit_code
        if result is None or (
            failed and context.hadoop is not None and target and is_remote(target.location)
        ):
            result = task.run(table)  # Spark's settings may have what executors lack
        yield result


_CLOUDS: Final = ("AWS_", "AZURE_", "GOOGLE_")


def _target_for_executors(task: TableTask, table: str) -> Target | None:
    """The table at the path at which executors find it, given the same disks; None if unknown."""
    try:
        table.encode()  # a name that is no Unicode cannot be sent to executors
        target = resolve(task.context, table, task.fleet.entries.get(table))
    except (UnicodeEncodeError, DeltaadmError):
        return None
    location = target.location
    return target if not is_remote(location) or is_in_object_store(location) else None


def _run_on_executor(
    task: TableTask, environ: Mapping[str, str], tables: Sequence[tuple[str, Target]]
) -> Iterator[TableResult | None]:
    """
    What an executor does with its share of tables, under the variables *environ*.

    The answer for a table in an object store is None where nothing can read it.
    """
    from deltaadm.spark.jvm import environment

    targets = dict(tables)
    stores = any(is_remote(target.location) for target in targets.values())
    readable = not stores or find_spec("obstore") is not None

    def answer(table: str) -> TableResult | None:
        if not readable and is_remote(targets[table].location):
            return None
        return task.run(table, targets[table])

    names = [name for name, _ in tables]
    if not stores:
        yield from patiently(names, answer, hanging=partial(TableResult.failed, _HANGING))
        return
    with environment(environ):  # stores time out by themselves
        yield from in_order(names, answer, lost=partial(TableResult.failed, _LOST), waiting=True)


# Results


class ResultPrinter:
    """
    Shows results: each at once where the format allows it, the others in the end.

    They go to *targets*, else to standard output as the command line asks for it. *groups* of plans
    stand in text for a line each, unless more or less than that is asked for.
    """

    def __init__(
        self,
        context: RunContext,
        fleet: Fleet,
        targets: Sequence[OutputTarget] | None = None,
        groups: PlanGroups | None = None,
    ) -> None:
        self._context, self._fleet, self._style = context, fleet, context.style
        self._groups = groups
        self._quiet = messages().is_quiet
        self._codes: list[int] = []
        self._held: list[tuple[int, str]] = []
        self._uneventful: Counter[str] = Counter()
        self._healthy: list[str] = []
        self._reports: list[Report] = []
        self._counts = FleetCounts()
        self._later = [OutputTarget(context.format)] if targets is None else [*targets]
        shown = next((target for target in self._later if target.file is None), None)
        self._at_once = ""  # the format of standard output if it has each result at once
        if shown and (
            FORMATS[shown.format].is_streamable or (shown.format == "text" and fleet.brief)
        ):
            self._at_once = shown.format
            self._later.remove(shown)
        formats = (self._at_once, *(target.format for target in self._later))
        self._sums_up = fleet.brief and any(FORMATS[of].sums_up for of in formats if of)

    @property
    def keeps(self) -> bool:
        """Whether results are needed with their reports."""
        return bool(self._later)

    def add(self, result: TableResult) -> None:
        """Show one more; raises `OutputLostError` where that is not possible."""
        self._codes.append(result.code)
        self._say_error(result)
        # Reading all documents again takes a tenth of a run, so only what shows counts does it.
        document = result.document if self._sums_up else {}
        if self._sums_up:
            self._counts.add(document)
        else:
            self._counts.add_table(is_error=result.is_error)
        if self._at_once == "text":
            self._write_line(document, result.code)
        # Of an old one the line is in the file to which the interrupted run has written.
        elif self._at_once and not result.old:
            selection = self._style.selection
            write_text(selected_line(result.document, selection) if selection else result.line)
        if result.report is not None and self._later:
            self._reports.append(result.report)

    def _say_error(self, result: TableResult) -> None:
        """On standard error, what is wrong with a table if nothing that is shown has it."""
        if messages().is_silent or not (self._at_once or self._later):
            document = {} if result.code in {0, FOUND, WAITING} else result.document
            error = document.get("error") or {"message": document.get("stopped")}
            if error["message"]:
                known = DeltaadmError(error["message"], remedy=error.get("remedy", ""))
                show_error(result.table, known)
        elif isinstance(result.report, Failure) and not (
            self._at_once
            or any(each.file is None and FORMATS[each.format].machine for each in self._later)
        ):
            show_error(result.report.table, result.report.error)

    def _write_line(self, document: Document, code: int) -> None:
        """The line of a table: at once where it is urgent, else in the end, if at all."""
        told, kind = told_of(document), kind_of(document)
        line = told.line(document["table"])
        if code or not told.is_uneventful:
            missed = code == REFUSED and kind == "plan"
            if self._groups is not None and not missed and not messages().verbosity:
                return
            if not told.urgency:
                _write_lines([line])
            else:
                self._held.append((told.urgency, line))
            return
        self._uneventful[kind] += 1
        if self._fleet.every or self._uneventful[kind] <= few_listed(kind):
            self._healthy.append(line)

    def finish(self) -> int:
        """Show what is shown in the end; the exit code of all tables together."""
        code = combine_exit_codes(self._codes, alone=self._fleet.alone)
        # Files come first: neither does the loss of standard output cost them, nor does an error
        # about them follow a document there.
        for target in sorted(self._later, key=lambda target: target.file is None):
            errors = FORMATS[target.format].machine
            reports = [each for each in self._reports if errors or not isinstance(each, Failure)]
            if self._quiet and target.format == "text":
                reports = [each for each in reports if not getattr(each, "is_healthy", False)]
            elif FORMATS[target.format].sums_up and self._fleet.brief:
                reports.append(self._overview)
            if target.file is not None:  # no colours there unless they are asked for
                write_answer(target.file, rendered(target.format, reports, self._style), code)
            elif reports:
                show(replace(self._context, format=target.format), reports)
        if self._fleet.brief:
            self._sum_up()
        return code

    @property
    def _overview(self) -> FleetSummary:
        overview = self._counts.overview
        return overview if self._groups is None else self._groups.summary(overview)

    def _sum_up(self) -> None:
        overview = self._overview
        if not overview.tables:  # as where all plans are still to be committed, or were before
            return
        held = [line for _, line in sorted(self._held, key=lambda held: held[0])]
        if self._quiet:
            _write_lines(held)
            return
        if self._at_once == "text":
            if len(self._healthy) == self._uneventful.total():
                held += self._healthy
            elif self._uneventful and self._groups is None:
                held.append(unlisted(self._uneventful))
            if held or self._groups is None:
                held.append("")
            _write_lines(held)
            show(replace(self._context, format="text"), [overview])
        elif not self._sums_up:
            info(f"{overview_title(overview)}.")


def _write_lines(lines: Iterable[str]) -> None:
    """Write the lines of tables, which go on below the tables' names where there is a width."""
    limit, rows = width_for(sys.stdout), [Line(line, hang=STATUS_WIDTH + 2) for line in lines]
    fitted = rows if limit is None else [part for row in rows for part in row.fitted(limit)]
    write_text("".join(f"{row.text}\n" for row in fitted))


def combine_exit_codes(codes: Iterable[int], *, alone: bool) -> int:
    """The code of a run: failed tables outweigh waiting ones, and those findings and changes."""
    distinct = set(codes)
    if alone:
        return distinct.pop()
    if distinct - {0, FOUND, WAITING}:
        return SOME_FAILED
    return max(distinct, default=0)


def report_all(
    context: RunContext,
    named: Sequence[str],
    many: FleetOptions,
    report: Question[Report],
    *,
    code: Callable[[Document], int] | None = None,
    inventory: Inventory | None = None,
    advised: bool = False,
) -> int:
    """Show the *report* of each table that `collect_tables` finds; the exit code."""
    with log_reader(context, named, many, by_executors=True) as reader:
        fleet = collect_tables(reader, named, many)
        if inventory is None:
            do_without_numpy()  # not before: Spark, which knows names of tables, needs it
        printer = ResultPrinter(reader, fleet)
        task = TableTask(reader, fleet, report, code, keep=printer.keeps)
        for result in table_results(task, advised=advised):
            printer.add(result)
            if inventory is not None:
                inventory.add(result.document)
        if inventory is not None:
            inventory.finish()
        return printer.finish()
