"""
Many tables: where they come from, and the result for each.

A result is a JSON line, the same as that of a run with this table alone. All else is made of
lines: what `-o jsonl` writes, the brief text, the overview, and what an interrupted run leaves
for the next one.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass, field
from deltaadm.errors import (
    Bug,
    DeltaadmError,
    EngineError,
    StorageError,
    TableError,
    UsageError,
)
from deltaadm.operations.reports import Failure
from deltaadm.render.formats import Style
from deltaadm.runs import catalogs
from deltaadm.runs.output import rendered
from deltaadm.runs.reading import read_file
from deltaadm.runs.status import NOTHING
from deltaadm.runs.target import Target, resolve
from deltaadm.runs.workers import PARALLEL_THRESHOLD, in_order
from deltaadm.storage.store import is_in_object_store, is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deltaadm.operations.reports import Report
    from deltaadm.runs.catalogs import Entry
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.options import FleetOptions
    from deltaadm.runs.progress import Progress

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
    from deltaadm.runs.resume import resume_lines

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
        listed = catalogs.list_tables(context, pattern)
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
    entries |= catalogs.look_up(context, [name for name in names if name not in entries])
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
            from deltaadm.runs.shortage import shortage

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
    work = _ExecutorTask(task, _credentials() if stores else {})
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


def _credentials() -> Mapping[str, str]:
    """The variables that say how object stores are reached."""
    # Secrets, so no row of a DataFrame may have them.
    return {key: value for key, value in os.environ.items() if key.startswith(_CLOUDS)}


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
