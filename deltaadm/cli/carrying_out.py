"""Carrying out many plans: at the same time, with one Spark, and so that it can be gone on with."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from deltaadm.cli import catalogs, sessions, streams, wiring
from deltaadm.cli.exit_codes import MISMATCH, SOME_FAILED, WAITING
from deltaadm.cli.fleet import Answer, Fleet, Outlet, Showing, line_of
from deltaadm.cli.journal import Journal
from deltaadm.cli.options import CommitOptions, OutputOptions
from deltaadm.cli.planning import (
    Wanted,
    committed,
    planned,
    project_settings,
    require_consent,
)
from deltaadm.errors import CommitError, DeltaadmError, Refused
from deltaadm.operations.plan import Plan
from deltaadm.operations.reports import Failure, OutcomeReport, PlanReport
from deltaadm.render.formats import Style

if TYPE_CHECKING:
    from deltaadm.operations.plan import Executor
    from deltaadm.operations.plan_document import SavedPlan

_AT_A_TIME = 4


class Limits(NamedTuple):
    """How many plans are carried out at the same time, and how many failures end the run."""

    jobs: int | None = None
    failures: int | None = None


def journal_of(file: Path) -> Path:
    """The journal of the plans in *file*, unless the command line names another."""
    return file.with_name(f"{file.name}.journal")


def carry_out_plans(
    plans: "Sequence[SavedPlan]",
    journal: Path,
    limits: Limits,
    options: CommitOptions,
) -> int:
    """
    Carry out *plans*, except what is done according to *journal*; show each outcome; the exit code.

    A format that does not show line by line is a usage error. No plan is begun before all that are
    left have been agreed to. Raises `Refused` where they are not, and for plans that were made
    under different settings of Spark.
    """
    require_lines(options.output, "--output")
    _require_one_session(plans)
    fleet = Fleet([one.table for one in plans], found=True, brief=True)
    showing = Showing(fleet, [Outlet(options.output.output)], Style(color=options.output.color))
    with Journal(journal) as known:
        for one in plans:
            if one.digest in known.done:
                showing.add(_of_earlier_run(one, known.done[one.digest]))
        run = _Run(known, options)
        names = [one.name for one in plans if one.name and one.digest not in known.done]
        with wiring.reading(options.spark), catalogs.catalog(names, options.spark):
            catalogs.look_up(names, options.spark)
            ready = []
            for one in plans:
                if one.digest not in known.done:
                    found = run.prepared(one)
                    ready += [found] if isinstance(found, _Ready) else []
                    if isinstance(found, Answer):
                        showing.add(found)
            to_do = [one for one in ready if not one.plan.is_noop]
            if to_do:
                reports = [(PlanReport(one.saved.table, one.plan), one.wanted) for one in to_do]
                require_consent(reports, options)
            left = run.carry_out(ready, limits, showing)
    code = showing.finish()
    if left:
        streams.say(
            f"{left} of {len(plans)} plans were not begun, after so many failures; the same "
            "command goes on with them."
        )
        return SOME_FAILED
    return code


def require_lines(output: OutputOptions, option: str) -> None:
    """Turn away a format in which what an earlier run did would be missing: a usage error."""
    if output.output not in {"text", "jsonl"}:
        raise typer.BadParameter("of many tables goes with -o text and -o jsonl", param_hint=option)


def _require_one_session(plans: "Sequence[SavedPlan]") -> None:
    settings = {tuple(sorted(one.session.to_conf().items())) for one in plans}
    if len(settings) > 1:
        raise Refused(
            "The plans were made under different settings of Spark.",
            remedy="Carry out those of each --spark-conf by themselves.",
        )


class _Ready(NamedTuple):
    """A plan that can be carried out, as far as it is left."""

    saved: "SavedPlan"
    plan: Plan
    wanted: Wanted


def _of_earlier_run(saved: "SavedPlan", line: str) -> Answer:
    answer = Answer(saved.table, line, 0, old=True)
    return answer._replace(code=WAITING if _waits(answer.document) else 0)


def _waits(document: Mapping[str, Any]) -> bool:
    return any(one.get("waits") for one in document["plan"]["steps"])


class _Run:
    """What is the same for all plans."""

    def __init__(self, journal: Journal, options: CommitOptions) -> None:
        self._journal = journal
        self._options = options
        self._settings = project_settings()
        self._writing = threading.Lock()
        self._stopped = threading.Event()

    def prepared(self, saved: "SavedPlan") -> _Ready | Answer:
        """The plan as far as it is left on the table as it is now, or why it cannot be."""
        try:
            wanted = Wanted.of(self._options, self._settings, saved.table, saved.location)
            saved.require_location(_place(saved), begun=saved.digest in self._journal.begun)
            return _Ready(saved, self._left(saved, wanted), wanted)
        except DeltaadmError as error:
            return _failure(saved, error)

    def _left(self, saved: "SavedPlan", wanted: Wanted) -> Plan:
        begun = saved.digest in self._journal.begun
        return planned(
            _place(saved),
            partial(saved.left_on, begun=begun),
            wanted,
            name=saved.name,
            may_lack=not saved.before.exists,
        )

    def carry_out(self, ready: Sequence[_Ready], limits: Limits, showing: Showing) -> int:
        """Carry out what is ready and show it as it ends; how many plans were not begun."""
        if not ready:
            return 0
        failures = done = 0
        waiting = list(reversed(ready))
        with self._executor(ready) as (executor, pool):
            running: set[Future[Answer]] = set()
            while waiting or running:
                while waiting and len(running) < (limits.jobs or _AT_A_TIME):
                    if limits.failures is not None and failures >= limits.failures:
                        break
                    running.add(pool.submit(self._answer, waiting.pop(), executor))
                if not running:
                    break
                streams.note_commits(
                    f"{done} of {len(ready)} plans are carried out; the same command goes on"
                )
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                for one in ended:
                    answer = one.result()
                    done += 1
                    failures += answer.code not in {0, WAITING}
                    showing.add(answer)
        streams.note_commits(f"{done} of {len(ready)} plans are carried out")
        return len(waiting)

    @contextmanager
    def _executor(self, ready: Sequence[_Ready]) -> "Iterator[tuple[Executor, ThreadPoolExecutor]]":
        """Spark, which has ended before anybody waits for what it was working on."""
        pool = ThreadPoolExecutor(len(ready))  # which starts no more threads than it needs
        try:
            bases = [one.plan.before for one in ready]
            with sessions.executor(self._options.spark, ready[0].plan.session, *bases) as executor:
                if any(stage.has_statement for one in ready for stage in one.plan.stages):
                    executor.settings()  # starts Spark in this thread, to which it belongs
                try:
                    yield executor, pool
                except BaseException:
                    self._stopped.set()
                    raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _answer(self, ready: _Ready, executor: "Executor") -> Answer:
        saved = ready.saved
        with self._writing:
            if self._stopped.is_set():
                return _failure(saved, CommitError("The run was stopped.", remedy=""))
            self._journal.begin(saved.digest, saved.table)
        try:
            plan = self._left(saved, ready.wanted)
            outcome = committed(plan, executor)
            code = MISMATCH if outcome.mismatches else WAITING if plan.waits else 0
            answer = Answer(
                saved.table, line_of(report := OutcomeReport(saved.table, outcome)), code, report
            )
        except DeltaadmError as error:
            answer = _failure(saved, error)
        with self._writing:
            if not self._stopped.is_set():
                self._journal.end(
                    saved.digest, saved.table, answer.line, done=answer.code in {0, WAITING}
                )
        return answer


def _place(saved: "SavedPlan") -> str:
    """Where the table is to which the name in a plan leads."""
    return wiring.locate(saved.name) if saved.name and saved.before.exists else saved.location


def _failure(saved: "SavedPlan", error: DeltaadmError) -> Answer:
    failure = Failure(saved.table, error)
    return Answer(saved.table, line_of(failure), error.exit_code, failure)
