"""
Many tables: where they come from, the answer for each, and what is shown of them.

An answer is a JSON line, the same as that of a run with this table alone. All else is made of
lines: what `-o jsonl` writes, the brief text, the overview, and what an interrupted run leaves
for the next one.
"""

from __future__ import annotations

import json
import sys
import typing
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deltaadm.cli import catalogs, streams, wiring
from deltaadm.cli.exit_codes import FOUND, SOME_FAILED, WAITING
from deltaadm.cli.processes import WORTHWHILE, in_order
from deltaadm.errors import Bug, DeltaadmError, EngineError, TableError
from deltaadm.operations.reports import Failure
from deltaadm.render.formats import FORMATS, Style, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deltaadm.cli.options import FleetOptions, SparkOptionGroup
    from deltaadm.operations.reports import Report

    Document = Mapping[str, Any]


class Fleet(NamedTuple):
    """
    The tables of a run.

    `found` says that options named them rather than arguments, `brief` that text is to be a line
    a table. `unlisted` are places that stand among the tables because whatever is below them
    could not be found, and `answered` the lines that an earlier run has left.
    """

    tables: Sequence[str]
    found: bool = False
    brief: bool = False
    jobs: int | None = None
    unlisted: Mapping[str, DeltaadmError] = {}
    answered: Mapping[str, str] = {}

    @property
    def alone(self) -> bool:
        """Whether it is a single table, named as such."""
        return len(self.tables) == 1 and not self.found


class Answer(NamedTuple):
    """
    What came of one table.

    `line` is its JSON document, `code` the exit code that it would have alone, `report` the
    report itself where some output is made of it. An `old` answer is that of an earlier run.
    """

    table: str
    line: str
    code: int
    report: Report | None = None
    old: bool = False

    @property
    def document(self) -> Document:
        """The JSON document."""
        found: Document = json.loads(self.line)
        return found


class Outlet(NamedTuple):
    """A format, and the file that it is written to: standard output if there is none."""

    format: str
    file: Path | None = None

    @property
    def takes_errors(self) -> bool:
        """Whether errors belong into it as well."""
        return FORMATS[self.format].machine


class Sink(typing.Protocol):
    """Something else that wants to see every document."""

    def add(self, document: Document) -> None:
        """Take notice of one more."""

    def finish(self) -> None:
        """There are no more."""


# Where tables come from


def gathered(
    named: Sequence[str], options: FleetOptions, kind: str, spark: SparkOptionGroup
) -> Fleet:
    """
    The tables that arguments and options name, each once, in this order.

    *kind* is that of the documents of an earlier run to go on with. A number of jobs for Spark is a
    usage error. Raises `StorageError` for a
    root that is no directory, `Refused` for a file that cannot be read, and `TableError` where
    there is no table at all.
    """
    from deltaadm.cli.earlier import earlier_lines

    if options.jobs is not None and wiring.engine() is not None:
        import typer

        raise typer.BadParameter("is not for --engine spark", param_hint="--jobs")
    unlisted: dict[str, DeltaadmError] = {}
    tables = [*named, *(options.also or ())]
    if options.tables_from is not None:
        tables += _listed(options.tables_from)
    for root in options.discover or ():
        tables += _discovered(root, unlisted)
    for pattern in options.catalog or ():
        tables += catalogs.list_tables(pattern, spark)
    if not tables:
        places = (*(options.discover or ()), *(options.catalog or ()), options.tables_from)
        raise TableError(
            f"There is no table in {', '.join(str(one) for one in places if one is not None)}.",
            remedy="A table is a directory that contains _delta_log; a list names one a line.",
        )
    names = tuple(dict.fromkeys(tables))
    catalogs.look_up([one for one in names if catalogs.name_of(one) is None], spark)
    return Fleet(
        tables=names,
        found=options.names_tables,
        brief=options.names_tables or options.brief or options.resume is not None,
        jobs=options.jobs,
        unlisted=unlisted,
        answered={} if options.resume is None else earlier_lines(options.resume, kind),
    )


def _listed(file: Path) -> Iterator[str]:
    """The lines of *file*, without empty ones and those that begin with `#`."""
    text = sys.stdin.read() if str(file) == "-" else streams.read_file(file)
    for line in text.split("\n"):
        name = line.strip()
        if name and not name.startswith("#"):
            yield name


def _discovered(root: str, unlisted: dict[str, DeltaadmError]) -> Iterator[str]:
    troubles: list[tuple[str, DeltaadmError]] = []

    def note(error: DeltaadmError) -> None:
        troubles.append((root, error))

    yield from wiring.tables_below(root, note)
    for number, (place, error) in enumerate(troubles):
        name = place if not number else f"{place} ({number + 1})"
        unlisted[name] = error
        yield name


# The answers


def answers(
    fleet: Fleet,
    report: Callable[[str], Report],
    *,
    code: Callable[[Document], int] | None = None,
    keep: bool = False,
    worthwhile: int = WORTHWHILE,
) -> Iterator[Answer]:
    """
    The answer for each table, in order; those of an earlier run are not sought again.

    *report* makes it; its trouble is the answer, too. *code* tells the exit code for a document
    without error, where that is not always 0. With *keep* answers have their reports. While it
    goes on, an interrupt tells how far it has come.
    """

    def answer(table: str) -> Answer:
        found = _reported(fleet, table, report)
        line = line_of(found)
        own = found.error.exit_code if isinstance(found, Failure) else code_of(line)
        return Answer(table, line, own, found if keep else None)

    def code_of(line: str) -> int:
        return 0 if code is None else code(json.loads(line))

    def lost(table: str) -> Answer:
        failure = Failure(table, _LOST)
        return Answer(table, line_of(failure), _LOST.exit_code, failure if keep else None)

    fresh = [one for one in fleet.tables if one not in fleet.answered]
    if fleet.alone or wiring.engine() is None:
        stream = in_order(fresh, answer, lost=lost, jobs=fleet.jobs, worthwhile=worthwhile)
    else:
        stream = wiring.on_executors(fresh, answer, lost=lost)
    for number, table in enumerate(fleet.tables):
        if not fleet.alone:
            streams.note_commits(
                f"nothing was committed; {number} of {len(fleet.tables)} tables are answered"
            )
        line = fleet.answered.get(table)
        if line is None:
            yield next(stream)
        else:
            yield Answer(table, line, code_of(line), old=True)
    streams.note_commits("nothing was committed")


def _reported(fleet: Fleet, table: str, report: Callable[[str], Report]) -> Report:
    if table in fleet.unlisted:
        return Failure(table, fleet.unlisted[table])
    try:
        return report(table)
    except DeltaadmError as error:
        return Failure(table, error)
    except Exception as error:
        if fleet.alone:
            raise
        return Failure(table, _bug(error))


def _bug(error: Exception) -> Bug:
    return Bug(
        f"This is a bug in deltaadm: {type(error).__name__}: {error}",
        remedy="Run the command for this table alone, and report what it says.",
    )


_LOST: Final = EngineError(
    "The process that worked on the table came to a violent end, perhaps for want of memory.",
    remedy="Try again with fewer at the same time, such as --jobs 1.",
)


def line_of(report: Report) -> str:
    """The JSON line of *report*, with the end of the line."""
    out = StringIO()
    render("jsonl", [report], out, Style())
    return out.getvalue()


# What is shown


class Showing:
    """
    Shows answers: each at once where the format allows it, the others in the end.

    *also* is told of every document.
    """

    def __init__(
        self,
        fleet: Fleet,
        outlets: Sequence[Outlet],
        style: Style,
        also: Sequence[Sink] = (),
    ) -> None:
        from deltaadm.render.overview import Tally

        self._fleet = fleet
        self._style = style
        self._tally = Tally()
        self._also = also
        self._codes: list[int] = []
        self._reports: list[Report] = []
        self._at_once = [one for one in outlets if self._is_at_once(one)]
        self._later = [one for one in outlets if one not in self._at_once]

    @property
    def keeps(self) -> bool:
        """Whether answers are needed with their reports."""
        return bool(self._later)

    def _is_at_once(self, outlet: Outlet) -> bool:
        if outlet.file is not None:
            return False
        return FORMATS[outlet.format].apart or (outlet.format == "text" and self._fleet.brief)

    def add(self, answer: Answer) -> None:
        """Show one more; raises `OutputLost` where that is not possible."""
        self._codes.append(answer.code)
        if self._also or self._fleet.brief:
            document = answer.document
            self._tally.add(document)
            for sink in self._also:
                sink.add(document)
        for outlet in self._at_once:
            self._write(outlet, answer)
        if answer.report is not None and self._later:
            self._reports.append(answer.report)
            self._tell_error(answer.report)

    def _write(self, outlet: Outlet, answer: Answer) -> None:
        if outlet.format == "text":
            from deltaadm.render.overview import line

            streams.write_text(f"{line(answer.document)}\n")
        elif not answer.old:
            streams.write_text(answer.line)

    def _tell_error(self, report: Report) -> None:
        """On standard error, unless some report on standard output has it."""
        shown = any(one.file is None and one.takes_errors for one in self._later)
        if isinstance(report, Failure) and not shown and not self._at_once:
            streams.say_error(report.table, report.error)

    def finish(self) -> int:
        """
        Show what is shown in the end; the exit code of all tables together.

        Files come first: neither does the loss of standard output cost them, nor does an error
        about them follow a document there.
        """
        for sink in self._also:
            sink.finish()
        for outlet in sorted(self._later, key=lambda one: one.file is None):
            self._show(outlet)
        if self._fleet.brief:
            self._sum_up()
        return together(self._codes, alone=self._fleet.alone)

    def _show(self, outlet: Outlet) -> None:
        told = [one for one in self._reports if outlet.takes_errors or not isinstance(one, Failure)]
        if "Overview" in FORMATS[outlet.format].shows and self._fleet.brief:
            told.append(self._tally.overview)
        if told or outlet.file is not None:
            show(told, outlet, self._style)

    def _sum_up(self) -> None:
        overview = self._tally.overview
        if any(one.format == "text" for one in self._at_once):
            streams.write_text("\n")
            streams.write([overview], "text", self._style)
        elif not any("Overview" in FORMATS[one.format].shows for one in self._later):
            from deltaadm.render.wording import overview_title

            streams.say(f"{overview_title(overview)}.")


def show(reports: Sequence[Report], outlet: Outlet, style: Style) -> None:
    """Write *reports* to *outlet*; what goes to a file is not coloured unless that is asked for."""
    if outlet.file is None:
        streams.write(reports, outlet.format, style)
        return
    body = StringIO()
    render(outlet.format, reports, body, style)
    streams.write_file(outlet.file, body.getvalue())


def together(codes: Iterable[int], *, alone: bool) -> int:
    """
    The exit code of a run over tables that would end with *codes* one by one.

    A table that failed outweighs one that waits, and that one with findings or with changes.
    """
    found = set(codes)
    if alone:
        return found.pop()
    if found - {0, FOUND, WAITING}:
        return SOME_FAILED
    return max(found, default=0)


def report_all(
    fleet: Fleet,
    output: streams.Look,
    report: Callable[[str], Report],
    *,
    code: Callable[[Document], int] | None = None,
    also: Sequence[Sink] = (),
) -> int:
    """Show the *report* of each table as *output* says; the exit code."""
    showing = Showing(fleet, [Outlet(output.output)], Style(color=output.color), also)
    for one in answers(fleet, report, code=code, keep=showing.keeps):
        showing.add(one)
    return showing.finish()
