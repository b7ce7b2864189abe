"""Carrying out many plans: concurrently, with one Spark, and resumable after an interruption."""

from __future__ import annotations

import json
import os
import threading
from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from deltaadm.dataclass import replace
from deltaadm.errors import CommitError, DeltaadmError, Refused, UsageError
from deltaadm.operations.plan import Plan, is_verified_by_state
from deltaadm.operations.reports import Failure, OutcomeReport, PlanReport
from deltaadm.runs import catalogs, sessions
from deltaadm.runs.consent import confirm
from deltaadm.runs.exit_codes import MISMATCH, SOME_FAILED, WAITING
from deltaadm.runs.fleet import Fleet, TableResult, line_of
from deltaadm.runs.journal import Journal
from deltaadm.runs.output import info
from deltaadm.runs.plan_run import (
    execute,
    make_plan,
    needed_consents,
    require_engine_commits,
    with_commit_engine,
)
from deltaadm.runs.progress import phases
from deltaadm.runs.requirements import ClientRequirements
from deltaadm.runs.results import OutputTarget, ResultPrinter
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.settings import Settings, load_settings
from deltaadm.runs.target import Target, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deltaadm.documents.saved_plan import SavedPlan
    from deltaadm.operations.carry_out import Executor
    from deltaadm.runs.catalogs import Entry
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_options import CommitOptions
    from deltaadm.runs.progress import Phases

_AT_A_TIME = 4
_LOOK = 1.0
"""Seconds after which a wait for plans looks for signals again."""


class Limits(NamedTuple):
    """The number of plans that are applied at the same time, and of failures that end the run."""

    jobs: int | None = None
    failures: int | None = None


def journal_of(file: Path) -> Path:
    """The journal of the plans in *file*, unless the command line names another."""
    return file.with_name(f"{file.name}.journal")


def carry_out_plans(
    context: RunContext,
    plans: Sequence[SavedPlan],
    journal: Path,
    limits: Limits,
    request: CommitOptions,
) -> int:
    """
    Carry out *plans*, except what is done according to *journal*; show each outcome; the exit code.

    A format that does not show line by line is a usage error. No plan is begun before all that are
    left have been confirmed. Raises `Refused` where they are not, and for plans that were made
    with different Spark settings.
    """
    require_lines(context, "--output")
    # One Spark carries out all of them, under settings that are fixed once it has started.
    _require_one_session(plans)
    fleet = Fleet([saved.table for saved in plans], found=True, brief=True)
    printer = ResultPrinter(fleet, [OutputTarget(context.format)], context.style)
    with Journal(journal) as known:
        for saved in plans:
            # By its digest: the plan of another run on the same table is another plan.
            if saved.digest in known.done:
                printer.add(_of_earlier_run(saved, known.done[saved.digest]))
        left = [saved for saved in plans if saved.digest not in known.done]
        names = [saved.name for saved in left if saved.name]
        project = load_settings(context.settings)
        context = with_commit_engine(context, request, project)
        places = [saved.location for saved in left]
        with (
            log_reader(context, places) as reader,
            catalogs.open_catalog(reader, names, locations=places) as opened,
        ):
            run = _Run(opened, known, request, project)
            ready = _prepared(run, left, catalogs.look_up(opened, names), printer)
            to_do = [item for item in ready if not item.plan.is_noop]
            if to_do:
                sessions.require_commits(opened, [item.plan for item in to_do])
                sessions.warn_of_other_writers(opened, [item.plan for item in to_do])
                consents = (
                    consent
                    for item in to_do
                    for consent in needed_consents(item.plan, item.requirements, request)
                )
                reports = [PlanReport(item.saved.table, item.plan) for item in to_do]
                confirm(opened, consents, reports)
            not_begun = run.carry_out(ready, limits, printer)
    code = printer.finish()
    if not_begun:
        info(
            f"{not_begun} of {len(plans)} plans were not started because of earlier failures; run "
            "the same command again to continue with them."
        )
        return SOME_FAILED
    return code


def _prepared(
    run: _Run, plans: Sequence[SavedPlan], entries: Mapping[str, Entry], printer: ResultPrinter
) -> list[_Ready]:
    """The plans that can be carried out; those that cannot be are shown."""
    ready = []
    for saved in plans:
        prepared = run.prepared(saved, entries)
        if isinstance(prepared, _Ready):
            ready.append(prepared)
        else:
            printer.add(prepared)
    return ready


def plans_in(body: str) -> tuple[SavedPlan, ...]:
    """
    The plans in the text of a file, each called by a name that its table has.

    Raises what `read_plans` does.
    """
    from deltaadm.documents.saved_plan import read_plans

    return tuple(
        saved if _is_called(saved) else saved.called(saved.name or saved.location)
        for saved in read_plans(body)
    )


def _is_called(saved: SavedPlan) -> bool:
    """Whether what the file calls the table leads to it, from here."""
    from deltaadm.storage.store import table_name

    if saved.name is None:
        return saved.location in {saved.table.rstrip("/"), os.path.realpath(saved.table)}
    parts, whole = table_name(saved.table), table_name(saved.name)
    return parts is not None and whole is not None and whole[-len(parts) :] == parts


def require_lines(context: RunContext, option: str) -> None:
    """Turn away a format in which what an earlier run did would be missing: a usage error."""
    if context.format not in {"text", "jsonl"}:
        raise UsageError("supports only -o text and -o jsonl for several tables", option=option)


def _require_one_session(plans: Sequence[SavedPlan]) -> None:
    settings = {tuple(sorted(saved.session.to_conf().items())) for saved in plans}
    if len(settings) > 1:
        raise Refused(
            "The plans were made with different Spark settings.",
            remedy="Apply the plans of each --spark-conf separately.",
        )


class _Ready(NamedTuple):
    """A plan that can be carried out, as far as it is left."""

    saved: SavedPlan
    target: Target
    plan: Plan
    requirements: ClientRequirements


class _UnderWay(NamedTuple):
    """A plan that is being carried out, and what is known of its commits."""

    table: str
    state: str
    look_up: Callable[[], str]

    def words(self) -> str:
        """The most exact description."""
        try:
            return self.look_up()
        except DeltaadmError:
            return self.state


def _of_earlier_run(saved: SavedPlan, line: str) -> TableResult:
    """
    What a journal says of *saved*, marked as such: the table is not looked at again.

    Raises `Refused` where that is no outcome.
    """
    from deltaadm.render.json_doc import json_line
    from deltaadm.render.overview import FROM_JOURNAL, Tally
    from deltaadm.render.overview import line as brief_line

    try:
        document = {**json.loads(line), "table": saved.table, FROM_JOURNAL: True}
        result = TableResult(saved.table, json_line(document), 0, old=True)
        brief_line(document)
        Tally().add(document)
        # A plan in two runs counts as done for the journal once its first run is.
        waits = any(step.get("waits") for step in document["plan"]["steps"])
        return replace(result, code=WAITING if waits else 0)
    except (LookupError, TypeError, AttributeError, ValueError, StopIteration) as error:
        raise Refused(
            f"The journal's entry for {saved.table} cannot be understood.",
            remedy="Choose another file with --journal; tables that are already as planned count "
            "as done.",
        ) from error


class _Run:
    """The values that all plans share."""

    def __init__(
        self, context: RunContext, journal: Journal, request: CommitOptions, settings: Settings
    ) -> None:
        self._context = context
        self._journal = journal
        self._request = request
        self._settings = settings
        self._writing = threading.Lock()
        self._tables: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._done = 0
        self._under_way: dict[str, _UnderWay] = {}
        self._stopped = threading.Event()

    def prepared(self, saved: SavedPlan, entries: Mapping[str, Entry]) -> _Ready | TableResult:
        """The plan as far as it is left on the table as it is now, or why it cannot be."""
        try:
            requirements = ClientRequirements.of(
                self._request, self._settings, saved.table, saved.location
            )
            target = saved_target(self._context, saved, entries)
            plan = plan_left(self._context, saved, target, requirements)
            require_engine_commits(self._context, plan)
            return _Ready(saved, target, plan, requirements)
        except DeltaadmError as error:
            if isinstance(error, CommitError) and saved.digest in self._journal.begun:
                error.remedy = (
                    "An interrupted run has begun this plan: plan again, for what is left of it."
                )
            return _failure(saved, error)

    def carry_out(self, ready: Sequence[_Ready], limits: Limits, printer: ResultPrinter) -> int:
        """Carry out what is ready and show it as it ends; how many plans were not begun."""
        if not ready:
            return 0
        failures, total = 0, len(ready)
        waiting = list(reversed(ready))  # taken from the end
        with (
            phases("Applying plans") as progress,
            self._executor(ready, progress) as (executor, pool),
        ):
            running: set[Future[TableResult]] = set()
            while waiting or running:
                self._context.status.set(self._words(total), partial(self._looked_up, total))
                progress.part("Applying plans", self._done, total)
                while waiting and len(running) < (limits.jobs or _AT_A_TIME):
                    if limits.failures is not None and failures >= limits.failures:
                        break
                    running.add(pool.submit(self._result, waiting.pop(), executor))
                if not running:
                    break
                # With a limit, since a signal just before the wait does not end it.
                ended, running = wait(running, _LOOK, FIRST_COMPLETED)
                for future in ended:
                    result = future.result()
                    failures += result.code not in {0, WAITING}
                    printer.add(result)
        self._context.status.set(f"{self._done} of {total} plans were applied")
        return len(waiting)

    @contextmanager
    def _executor(
        self, ready: Sequence[_Ready], progress: Phases
    ) -> Iterator[tuple[Executor, ThreadPoolExecutor]]:
        """The executor of all plans, and the threads that use it."""
        # Spark ends before the threads are waited for: what they still ask of it fails at once.
        pool = ThreadPoolExecutor(len(ready))  # which starts no more threads than it needs
        try:
            plans = [item.plan for item in ready]
            with sessions.executor(
                self._context, plans[0].session, *plans, phases=progress
            ) as executor:
                if any(stage.has_statement for item in ready for stage in item.plan.stages):
                    executor.settings()  # starts Spark in this thread, to which it belongs
                try:
                    yield executor, pool
                except BaseException:
                    # Threads that still wait for their turn begin no further plan.
                    self._stopped.set()
                    raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _result(self, ready: _Ready, executor: Executor) -> TableResult:
        saved = ready.saved
        with self._writing:
            if self._stopped.is_set():
                return _failure(saved, CommitError("The run was stopped.", remedy=""))
            # Under the same lock as the question: nothing is begun after a stop.
            self._journal.begin(saved.digest, saved.table)
        note = partial(self._note, saved)
        try:
            # Commits of one run on one table are told apart by their order alone.
            with self._tables[saved.location]:
                plan = plan_left(self._context, saved, ready.target, ready.requirements)
                outcome = execute(self._context, plan, executor, note)
            code = MISMATCH if outcome.mismatches else WAITING if plan.waits else 0
            report = OutcomeReport(saved.table, outcome)
            result = TableResult(saved.table, line_of(report), code, report)
        except DeltaadmError as error:
            result = _failure(saved, error)
        with self._writing:
            # After a stop the plan stays begun: the next run looks at what is left of it.
            if not self._stopped.is_set():
                done = result.code in {0, WAITING}
                self._journal.end(saved.digest, saved.table, result.line, done=done)
                self._done += done
                self._under_way.pop(saved.digest, None)
        if self._context.style.show_secrets and result.report is not None:
            # Only after the journal has its line, which has masks.
            return replace(result, line=line_of(result.report, show_secrets=True))
        return result

    def _note(self, saved: SavedPlan, state: str, look_up: Callable[[], str]) -> None:
        self._under_way[saved.digest] = _UnderWay(saved.table, state, look_up)

    def _words(self, total: int) -> str:
        return (
            f"{self._done} of {total} plans were applied; the same command continues with the rest"
        )

    def _looked_up(self, total: int) -> str:
        """The progress of the run, with what became of the plans that were under way."""
        states = (f"{plan.table}: {plan.words()}" for plan in self._under_way.values())
        return "; ".join((self._words(total), *states))


def plan_left(
    context: RunContext,
    saved: SavedPlan,
    target: Target,
    requirements: ClientRequirements,
) -> Plan:
    """
    The plan of *saved* for the table as it is now, with nothing to do if it is carried out.

    Raises what `SavedPlan.left_on` and `SavedPlan.require_location` do.
    """
    from deltaadm.replay.engine import Detail

    saved.require_location(target.location)
    known = replace(saved, is_managed=target.is_managed)
    return make_plan(
        context,
        target,
        lambda snapshot: known.left_on(replace(snapshot, name=saved.name)),
        requirements,
        detail=Detail.STATE if is_verified_by_state(saved.steps) else None,
        missing_ok=not saved.before.exists,
    )


def saved_target(context: RunContext, saved: SavedPlan, entries: Mapping[str, Entry]) -> Target:
    """The table to which the name, or the location, in a plan leads; raises what `resolve` does."""
    # A table that is yet to be created is in no catalog.
    name = saved.name if saved.before.exists else None
    return resolve(context, name or saved.location, entries.get(name or ""))


def _failure(saved: SavedPlan, error: DeltaadmError) -> TableResult:
    failure = Failure(saved.table, error)
    return TableResult(saved.table, line_of(failure), error.exit_code, failure)
