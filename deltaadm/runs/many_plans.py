"""Plans for many tables, and saved plans: made at once, shown, and carried out."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice, pairwise
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from deltaadm.dataclass import dataclass, replace
from deltaadm.errors import CommitError, DeltaadmError, RefusedError, StorageError, UsageError
from deltaadm.plans.carry_out import Executor
from deltaadm.plans.document import read_entry, write_entry
from deltaadm.plans.plan import Plan, is_verified_by_state, require_reached
from deltaadm.plans.reports import (
    Entry,
    JournalReport,
    OutcomeReport,
    PlanReport,
    PlanState,
    PlanStatus,
    SavedPlanReport,
)
from deltaadm.plans.reversal import plan_undo
from deltaadm.plans.saved import SavedPlan, read_plans
from deltaadm.plans.secrets import require_no_secrets
from deltaadm.plans.undo import advice_for
from deltaadm.replay.reconcile import Detail
from deltaadm.reports.overview import FleetSummary
from deltaadm.reports.plans import PlanGroups
from deltaadm.reports.validate import baseline_of
from deltaadm.reports.words import counted
from deltaadm.runs import plan_run, sessions
from deltaadm.runs.context import RunContext, do_without_numpy
from deltaadm.runs.files import announce_plans, is_standard_output
from deltaadm.runs.fleet import (
    Document,
    Fleet,
    ResultPrinter,
    TableResult,
    TableTask,
    collect_tables,
    combine_exit_codes,
    table_results,
)
from deltaadm.runs.names import look_up, opened
from deltaadm.runs.options import FleetOptions, read_file, read_input
from deltaadm.runs.output import handle_errors, info, show_error, tell_command, unwritable
from deltaadm.runs.plan_options import ChangeOptions, CommitOptions
from deltaadm.runs.progress import Progress
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.settings import ClientRequirements, load_settings, rule_settings
from deltaadm.runs.status import FOUND, MISMATCH, SOME_FAILED, WAITING
from deltaadm.runs.target import Target, resolve
from deltaadm.runs.validation import DepthOptions, ValidationRun
from deltaadm.storage.files import lock, open_to_append, replacing

if TYPE_CHECKING:
    from deltaadm.blocks import Report

    FindTable = Callable[[SavedPlan], Target]
    """A function that finds the table to which the name, or the location, in a plan leads."""


# The journal of many plans


_HEAD: Final = b'{"format_version":'
"""The beginning of every line: a last line that was cut off is recognized by it."""

_NO_ENTRY: Final = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
_OTHER_JOURNAL: Final = (
    "Choose another file with --journal; tables that are already as planned count as done."
)


class Journal:
    """
    A file to which a line is added when work on a plan begins, and when it ends.

    `begun` are the digests of plans on which work has begun, `done` those that need no more, with
    whether a second run is to follow; what was undone is in neither. A last line that was cut off
    is taken out. Raises `RefusedError` while another run has the journal, and where the file
    cannot be written or is something else.
    """

    def __init__(self, path: Path) -> None:
        self.begun: set[str] = set()
        self.done: dict[str, bool] = {}
        self._path = path

    def __enter__(self) -> Self:
        try:
            self._file = open_to_append(self._path)
        except OSError as error:
            raise RefusedError(
                f"The journal {self._path} cannot be written: {error.strerror or error}.",
                remedy="Choose another file with --journal.",
            ) from error
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # of what could not be written, `add` has told
            self._file.close()

    def add(self, entry: Entry) -> None:
        """Add a line: whoever reads the file from now on knows what has begun, and what is done."""
        try:
            self._file.write(write_entry(entry).encode())
            self._file.flush()
            # On disk before the first commit: a run after a power failure must know what has begun.
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StorageError(
                f"The journal {self._path} cannot be written: {error.strerror or error}.",
                remedy="Free some space; the same command then continues from the journal.",
            ) from error

    def _read(self) -> None:
        # Before it is read: the run that holds it may be writing the last line.
        if not lock(self._file.fileno(), otherwise=os.name == "nt"):
            raise RefusedError(
                f"Another run is using the journal {self._path}.",
                remedy="Wait until it has finished; both would change the same tables.",
            )
        # Opened for appending, it stands at its end.
        self._file.seek(0)
        body = self._file.read()
        whole = body.rfind(b"\n") + 1
        number = body.count(b"\n") + 1
        try:
            # The end may be a line of ours that was cut off, maybe within its head.
            if not _HEAD.startswith(body[whole:][: len(_HEAD)]):
                raise ValueError
            for number, line in enumerate(body[:whole].splitlines(), 1):  # noqa: B007 -- shown below
                entry = read_entry(line)
                self.begun.add(entry.plan)
                if entry.event == "undone":
                    self.begun.discard(entry.plan)
                    self.done.pop(entry.plan, None)
                elif entry.event == "done":
                    result: Any = entry.result
                    steps = result["plan"]["steps"]
                    self.done[entry.plan] = any(step.get("waits") for step in steps)
        except _NO_ENTRY:
            raise RefusedError(
                f"Line {number} of {self._path} is not a journal entry, was changed, or was "
                "written by an earlier deltaadm.",
                remedy=_OTHER_JOURNAL,
            ) from None
        if whole < len(body):
            # Or the next line would be written behind the half one.
            self._file.truncate(whole)


# Saved plans


def plans_in(body: str) -> tuple[SavedPlan, ...]:
    """The plans in a file, each called by a name that its table has; raises as `read_plans`."""
    plans = []
    for saved in read_plans(body):
        # What the file calls the table need not lead to it from here.
        names = {saved.table.rstrip("/"), os.path.realpath(saved.table)}
        name, location = saved.before.name, saved.before.root
        table = saved.table if name is None and location in names else name or location
        plans.append(replace(saved, table=table))
    return tuple(plans)


def plan_left(
    context: RunContext,
    saved: SavedPlan,
    target: Target,
    requirements: ClientRequirements,
    *,
    undo: bool = False,
) -> Plan:
    """
    The plan of *saved* for the table as it is now, with nothing to do if it is carried out.

    With *undo* it is the one that takes *saved* back. Raises what `SavedPlan.require_location`,
    `SavedPlan.left_on` and `plan_undo` do.
    """
    saved.require_location(target.location)
    made = saved.as_made() if undo else None
    known = replace(saved, is_managed=target.is_managed)
    target = replace(target, may_be_missing=not (undo or saved.before.exists))
    # What files decide was known when the plan was made.
    by_files = any(step.depends_on_state for step in saved.steps)
    needs_state = undo or by_files or is_verified_by_state(saved.steps)

    def planner(table: plan_run.PlanInput) -> Plan:
        if made is None:
            return known.left_on(replace(table.snapshot, name=saved.before.name))
        sides = made.before, made.after, table.snapshot
        return plan_undo(*sides, what="The plan", session=saved.session)

    return plan_run.make_plan(
        context,
        target,
        planner,
        requirements,
        saved.session,
        detail=Detail.STATE if needs_state else None,
    )


@dataclass(frozen=True)
class ReadyPlan(plan_run.TablePlan):
    """What is left of a plan that was saved, or what takes it back."""

    saved: SavedPlan
    target: Target
    undo: bool

    def again(self, context: RunContext) -> Plan:
        """The same plan, for the table as it is by now."""
        return plan_left(context, self.saved, self.target, self.requirements, undo=self.undo)


@contextmanager
def _opened(
    context: RunContext, plans: Sequence[SavedPlan], *, commits: bool = False
) -> Iterator[tuple[RunContext, FindTable]]:
    """A run that reaches the tables of *plans*, and what finds them there, raising as `resolve`."""
    # A table that is yet to be created is in no catalog.
    known = [saved.before.name for saved in plans if saved.before.name and saved.before.exists]
    names = [saved.before.name for saved in plans if saved.before.name] if commits else known
    with opened(context, names, [saved.before.root for saved in plans]) as with_catalog:
        entries = look_up(with_catalog, known)
        do_without_numpy(context, commits=commits)

        def find(saved: SavedPlan) -> Target:
            name = saved.before.name if saved.before.exists else None
            target = resolve(with_catalog, name or saved.before.root, entries.get(name or ""))
            return replace(target, may_be_missing=not saved.before.exists)

        yield with_catalog, find


def ready(
    context: RunContext,
    saved: SavedPlan,
    target: Target,
    request: CommitOptions,
    *,
    undo: bool = False,
) -> ReadyPlan:
    """The plan as far as it is left on the table as it is now; raises why it cannot be."""
    requirements = ClientRequirements.of(request, context.settings, saved.table, saved.before.root)
    plan = plan_left(context, saved, target, requirements, undo=undo)
    plan_run.require_engine_commits(context, plan)
    return ReadyPlan(saved.table, plan, requirements, saved, target, undo)


def saved_reports(context: RunContext, file: Path) -> Sequence[Report]:
    """The content of *file*: plans with their status now, or a journal; raises as reading does."""
    body = read_input(file)
    newest: dict[str, Entry] = {}
    with suppress(*_NO_ENTRY):  # which is not from a journal
        for line in body.splitlines():
            entry = read_entry(line.encode())
            newest[entry.plan] = entry
    if newest:
        return [JournalReport(str(file), tuple(newest.values()))]
    plans = plans_in(body)
    with _opened(context, plans) as (reader, find):
        return [
            SavedPlanReport(saved.table, plan, _status(reader, saved, plan, find))
            for saved in plans
            for plan in [saved.as_made()]
        ]


def _status(context: RunContext, saved: SavedPlan, made: Plan, find: FindTable) -> PlanStatus:
    """Whether *saved*, which was *made* like this, can still be carried out."""
    # Whoever carries it out says whom it may shut out and what it may bring about.
    agreed = ClientRequirements(findings=frozenset(finding.code for finding in made.findings))
    current = version = None
    try:
        target = find(saved)
        current = target.load(context)
        version = current.version if current.exists else None
        left = plan_left(context, saved, target, agreed)
    except DeltaadmError as error:
        error.remedy = advice_for(saved.table, error.remedy)
        changes = saved.changes_since(current) if current and current.exists else ()
        obsolete = current and isinstance(error, (CommitError, RefusedError))
        state = PlanState.OBSOLETE if obsolete else PlanState.UNKNOWN
        return PlanStatus(state, version, changes, error)
    return PlanStatus(PlanState.DONE if left.is_noop else PlanState.READY, version)


def _checked(context: RunContext, request: CommitOptions) -> RunContext:
    """The same run, where *request* names nothing that is wrong for any table; none is read yet."""
    ClientRequirements.of(request, context.settings, "", "")
    return context


def check_plans(
    context: RunContext, plans: Sequence[SavedPlan], request: CommitOptions, *, alone: bool
) -> int:
    """
    Show what is left of *plans*, and carry nothing out; the exit code is that of --check.

    A single plan that is *alone* is shown as a whole.
    """
    chosen = plan_run.with_commit_engine(_checked(context, request), request)
    fleet = Fleet([saved.table for saved in plans], found=not alone, brief=not alone)
    printer = ResultPrinter(context, fleet)
    with _opened(chosen, plans) as (reader, find):
        for saved in plans:
            try:
                left = ready(reader, saved, find(saved), request)
            except DeltaadmError as error:
                printer.add(TableResult.failed(error, saved.table))
            else:
                code = 0 if left.plan.is_noop else FOUND
                printer.add(TableResult.of(saved.table, left.report, code, context.style))
    return printer.finish()


# Applying


def apply_plan(
    context: RunContext, saved: SavedPlan, request: CommitOptions, *, undo: bool = False
) -> int:
    """Carry out what is left of *saved*, or take it back with *undo*; the exit code."""

    def work() -> int:
        chosen = plan_run.with_commit_engine(context, request)
        with _opened(chosen, [saved], commits=True) as (reader, find):
            left = ready(reader, saved, find(saved), request, undo=undo)
            return plan_run.carry_out_plan(reader, left, request)

    return handle_errors(context, saved.table, work)


_AT_A_TIME: Final = 4
_LOOK: Final = 1.0  # seconds after which a wait for plans looks for signals again


def journal_of(file: Path) -> Path:
    """The journal of the plans in *file*, unless the command line names another."""
    return file.with_name(f"{file.name}.journal")


def _require_lines(context: RunContext, option: str) -> None:
    """Turn away a format in which what an earlier run did would be missing: a usage error."""
    if context.format not in {"text", "jsonl"}:
        raise UsageError("supports only -o text and -o jsonl for several tables", option=option)


def carry_out_plans(
    context: RunContext,
    plans: Sequence[SavedPlan],
    journal: Path,
    request: CommitOptions,
    *,
    jobs: int | None = None,
    max_failures: int | None = None,
    waves: Sequence[int] | None = None,
    undo_line: str = "",
    undo: bool = False,
    seen: bool = False,
) -> int:
    """
    Carry out *plans*, except what is done according to *journal*; show each outcome; the exit code.

    *jobs* are carried out at the same time, and none is begun after *max_failures*, or after one of
    the *waves*, of so many plans each, that failed: then *undo_line* is shown, the command that
    takes them back. With *undo*, what was begun according to *journal* is taken back. All that are
    left are confirmed before any is begun, and shown to whoever has not *seen* them.
    Raises `UsageError` for a format that does not show line by line, and `RefusedError` without
    consent, for plans with different Spark settings, and where there is nothing to take back.
    """
    _require_lines(context, "--output")
    chosen = plan_run.with_commit_engine(_checked(context, request), request)
    # One Spark carries out all of them, under settings that are fixed once it has started.
    if len({tuple(sorted(saved.session.to_conf().items())) for saved in plans}) > 1:
        raise RefusedError(
            "The plans were made with different Spark settings.",
            remedy="Apply the plans of each --spark-conf separately.",
        )
    fleet = Fleet([saved.table for saved in plans], found=True, brief=True)
    printer = ResultPrinter(context, fleet)
    with Journal(journal) as known:
        if undo:  # the last one first
            begun = [saved for saved in plans if saved.digest in known.begun]
            left = [saved for saved in reversed(begun) if saved.steps]
        else:
            left = [saved for saved in plans if saved.digest not in known.done]
        if undo and not left:
            raise RefusedError(
                f"The journal {journal} has no plan of this file that was applied.",
                remedy="`deltaadm undo` takes back the newest change of a table that it is given.",
            )
        waits = not undo and any(known.done.get(saved.digest) for saved in plans)
        if not undo and len(left) < len(plans):
            done = f"{len(plans) - len(left)} of {len(plans)} plans were applied by an earlier run"
            later = " Plan again later for the second of two runs." if waits else ""
            info(f"{done}, according to {journal}.{later}")
        with _opened(chosen, left, commits=True) as (reader, find):
            made: list[ReadyPlan] = []
            for saved in left:
                try:
                    made.append(ready(reader, saved, find(saved), request, undo=undo))
                except DeltaadmError as error:
                    printer.add(TableResult.failed(error, saved.table))
            to_do = [item for item in made if not item.plan.is_noop]
            if to_do:
                sessions.prepare_commits(reader, [item.plan for item in to_do])
                groups = PlanGroups(show_secrets=context.style.show_secrets)
                for item in to_do:
                    groups.add(item.report)
                shown = groups.summary(FleetSummary(len(to_do), 0, {}))
                # Of each plan: tables whose plans look alike may lose different things.
                consents = _consents(to_do, groups, request)
                plan_run.confirm(reader, consents, [] if seen else [shown], len(to_do))
            run = _Run(reader, known, printer, max_failures or inf)
            parts = [made]
            if waves is not None:
                settings, rules = context.settings, rule_settings(context.settings.of("validate"))
                run.validation = ValidationRun.of(
                    load_settings(settings), request.clients, DepthOptions(), **rules
                )
                left_of = {item.saved.digest: item for item in made}
                every = iter([left_of.get(saved.digest) for saved in plans])
                parts = [[item for item in islice(every, size) if item] for size in waves]
            not_begun = run.carry_out(parts, jobs or _AT_A_TIME)
    code = combine_exit_codes([printer.finish(), WAITING if waits else 0], alone=False)
    if not_begun:
        info(
            f"{not_begun} of {len(plans)} plans were not started because of earlier failures; run "
            "the same command again to continue with them."
        )
    if waves is not None and run.failures:
        tell_command("To undo what was applied:", undo_line)
    return SOME_FAILED if not_begun else code


def wave_sizes(text: str, number: int) -> list[int]:
    """
    How many of a *number* of plans each wave has that *text* asks for, as 1%,10%,100%.

    The shares grow, and the first wave has at least one plan.
    """
    try:
        shares = [float(word.strip().removesuffix("%")) for word in text.split(",")]
    except ValueError:
        shares = []
    steps = list(pairwise((0, *shares)))
    if not all(low < high for low, high in steps) or max(shares, default=0) != 100:  # noqa: PLR2004
        raise UsageError("requires growing percentages, for example 1%,10%,100%", option="--waves")
    ends = [ceil(number * share / 100) for share in shares]
    return [end - begin for begin, end in pairwise((0, *ends))]


class _Run:
    """
    Plans that are carried out at the same time, and what is known of each one's commits.

    None is begun after *most* failures. With a `validation`, a table fails also if its plan brings
    about findings that fail it.
    """

    def __init__(
        self, context: RunContext, journal: Journal, printer: ResultPrinter, most: float
    ) -> None:
        self._context, self._journal, self._printer = context, journal, printer
        self._most = most
        self._writing = threading.Lock()
        self._tables: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._total = self._left = self._done = 0
        self._under_way: dict[str, tuple[str, str, Callable[[], str]]] = {}
        self._stopped = False
        self._broken: list[tuple[str, DeltaadmError]] = []
        self.validation: ValidationRun | None = None
        self.failures = 0

    def carry_out(self, waves: Sequence[Sequence[ReadyPlan]], jobs: int) -> int:
        """Carry out each of *waves* unless one has failed; how many plans were not begun."""
        plans = [item.plan for wave in waves for item in wave]
        self._total = self._left = len(plans)
        if not plans:
            return 0
        session, pool = plans[0].session, ThreadPoolExecutor(jobs)
        try:
            # Spark ends before the threads are waited for: what they still ask of it fails at once.
            with (
                Progress("Applying plans").shown() as progress,
                sessions.executor(self._context, session, *plans, phases=progress) as executor,
            ):
                if any(plan.has_statements for plan in plans):
                    executor.settings()  # starts Spark in this thread, to which it belongs
                try:
                    for number, wave in enumerate(waves, 1):
                        # First: an interrupt while plans are handed out has to say what they did.
                        self._context.status.set(self._words(), self._looked_up)
                        running = {pool.submit(self._result, item, executor) for item in wave}
                        self._show(running, progress)
                        if self.validation is not None and wave:
                            done = f"{counted(len(wave), 'plan')}, {self.failures or 'none'} failed"
                            info(f"Wave {number} of {len(waves)}: {done}.")
                            for table, error in self._broken:
                                show_error(table, error)
                        if self.failures:
                            break
                finally:
                    self._stopped = True
        finally:
            pool.shutdown(cancel_futures=True)
        self._context.status.set(f"{self._done} of {self._total} plans were applied")
        return self._left

    def _show(self, running: set[Future[TableResult | None]], progress: Progress) -> None:
        """Show results as they come."""
        while running:
            self._context.status.set(self._words(), self._looked_up)
            progress.part("Applying plans", self._done, self._total)
            # With a limit, since a signal just before the wait does not end it.
            ended, running = wait(running, _LOOK, FIRST_COMPLETED)
            for result in (future.result() for future in ended):
                if result is not None:
                    self._printer.add(result)

    def _result(self, ready: ReadyPlan, executor: Executor) -> TableResult | None:
        """What came of a plan; None if it was not begun."""
        saved = ready.saved
        with self._writing:
            # Under the same lock as the journal: nothing is begun after a stop.
            if self._stopped or self.failures >= self._most:
                return None
            self._journal.add(Entry(saved.digest, saved.table, "begun"))
            self._left -= 1

        def note(state: str, look_up: Callable[[], str]) -> None:
            self._under_way[saved.digest] = saved.table, state, look_up

        broken: list[DeltaadmError] = []
        try:
            # Commits of one run on one table are told apart by their order alone.
            with self._tables[saved.before.root]:
                after = self.validation
                if after is not None:  # to which what it finds in the table now is known
                    found = after.report(self._context, ready.target, watched=False)
                    after = replace(after, baseline=baseline_of([found]))
                plan = ready.again(self._context)
                outcome = plan_run.execute(self._context, plan, executor, note)
                broken = [] if after is None else self._fails(after, ready)
            waits = WAITING if plan.waits else 0
            code = MISMATCH if outcome.mismatches else FOUND if broken else waits
            result = TableResult.of(saved.table, OutcomeReport(saved.table, outcome), code)
        except DeltaadmError as error:
            result = TableResult.failed(error, saved.table)
        except BaseException:
            self._stopped = True  # here already: this thread would begin the next plan
            raise
        with self._writing:
            # After a stop the plan stays begun: the next run looks at what is left of it.
            if not self._stopped:
                done = result.code in {0, WAITING, FOUND}
                event = "failed" if not done else "undone" if ready.undo else "done"
                outcome_line = json.loads(result.line)
                self._journal.add(Entry(saved.digest, saved.table, event, outcome_line))
                self._done += done
                self._under_way.pop(saved.digest, None)
            self.failures += result.code not in {0, WAITING}
            self._broken += [(saved.table, error) for error in broken]
        if self._context.style.show_secrets and result.report is not None:
            # Only after the journal has its line, which has masks.
            return TableResult.of(saved.table, result.report, result.code, self._context.style)
        return result

    def _fails(self, validation: ValidationRun, ready: ReadyPlan) -> list[DeltaadmError]:
        """What makes the changed table fail the *validation*."""
        try:
            report = validation.report(self._context, ready.target, watched=False)
        except DeltaadmError as error:
            return [error]
        return [
            DeltaadmError(
                f"The change causes {finding.code}: {finding.message}",
                remedy=advice_for(ready.saved.table, finding.remedy),
            )
            for finding in report.findings
            if finding.severity.rank <= validation.fail_on.rank
        ]

    def _words(self) -> str:
        return (
            f"{self._done} of {self._total} plans were applied; the same command continues with "
            "the rest"
        )

    def _looked_up(self) -> str:
        """The progress of the run, with what became of the plans that were under way."""
        states = [self._words()]
        for table, known, ask in self._under_way.values():
            state = known
            with suppress(DeltaadmError):
                state = ask()
            states.append(f"{table}: {state}")
        return "; ".join(states)


# Planning


def plan_many(
    context: RunContext,
    named: Sequence[str],
    many: FleetOptions,
    planner: plan_run.Planner,
    change: ChangeOptions,
) -> int:
    """`plan_tables` for more than one table."""
    planning = change.planning
    if is_standard_output(planning.out):
        raise UsageError(
            "- can only save the plan of one table; use -o jsonl for several", option="--out"
        )
    if planning.apply:
        # What would leave an interrupted run nothing to continue with.
        if planning.out is None:
            raise UsageError(
                "requires --out FILE for several tables, so that an interrupted run can be "
                "continued",
                option="--apply",
                remedy=f"Use `{plan_run.with_options(context, '--out', 'plans.jsonl')}`.",
            )
        _require_lines(context, "--apply")
    chosen = plan_run.with_engine_for(_checked(context, change.commit), change)

    def code(document: Document) -> int:
        return plan_run.code_of_plan(
            planning,
            missed=any(not missed["skipped"] for missed in document["unreachable"]),
            unfixed=document["unfixed"],
            is_noop=document["is_noop"],
        )

    def report(reader: RunContext, target: Target) -> PlanReport:
        made = plan_run.plan_for(reader, target, planner, change.commit)
        if planning.apply:
            require_reached(made.plan)
        if planning.out is not None:
            require_no_secrets(made.plan.steps, made.plan.session.property_defaults)
        return made.report

    with log_reader(chosen, named, many, by_executors=not planning.apply) as reader:
        fleet = collect_tables(reader, named, many)
        do_without_numpy(chosen, commits=planning.apply)
        if context.format == "text":  # for which a line does not say enough
            fleet = replace(fleet, brief=True, answered={})
        task = TableTask(reader, fleet, report, code, keep=True)
        exit_code, plans = _plan_all(task, change)
        if not planning.apply or planning.out is None or not plans:
            return exit_code
        # From the file, as a later run would: what is carried out is what was saved.
        saved, journal = plans_in(read_file(planning.out)), journal_of(planning.out)
        seen = context.format == "text" and sys.stdout.isatty()
        applied = carry_out_plans(reader, saved, journal, change.commit, jobs=many.jobs, seen=seen)
        return combine_exit_codes([exit_code, applied], alone=False)


def _plan_all(task: TableTask, change: ChangeOptions) -> tuple[int, int]:
    """Show and save the plans of *task*: the exit code, and how many plans there are."""
    context, planning, path = task.context, change.planning, change.planning.out

    def as_made(table: str, plan: Plan) -> plan_run.TablePlan:
        root = plan.before.root
        of = ClientRequirements.of(change.commit, context.settings, table, root)
        return plan_run.TablePlan(table, plan, of)

    plans, missed = 0, False
    groups = PlanGroups(show_secrets=context.style.show_secrets)
    printer = ResultPrinter(context, task.fleet, groups=groups)
    with ExitStack() as stack:
        with _refusing(path):
            file = None if path is None else stack.enter_context(replacing(path))
        for result in table_results(task):
            is_plan = not result.is_error
            if is_plan:
                plans += 1
                known = result.report
                if not isinstance(known, PlanReport):  # that of an interrupted run
                    known = as_made(result.table, read_plans(result.line)[0].as_made()).report
                groups.add(known)
                missed = missed or bool(known.plan.missed)
            if is_plan and file is not None:
                line = result.line
                if context.style.show_secrets and result.report is not None:
                    # The file has another line, which masks them.
                    line = TableResult.of(result.table, result.report).line
                with _refusing(path):
                    file.write(line.encode())
            # A table has one line, and that will be its outcome.
            if not (planning.apply and is_plan and context.format == "jsonl"):
                printer.add(result)
        code = printer.finish()
        with _refusing(path):
            stack.close()
    if planning.apply:
        return code, plans
    each = (as_made(group.report.table, group.report.plan) for group in groups)
    consents = {one.option: one for one in _consents(each, groups, change.commit)}
    agreed = [word for one in consents.values() if one.reason for word in one.words]
    if path is not None and plans:
        announce_plans(context, path, plans, agreed)
    elif context.format == "text" and any(groups):
        skip = ["--skip-unreachable"] * missed
        plan_run.tell_to_apply(context, *skip, "--out", "plans.jsonl", "--apply", *agreed)
    return code, plans


def _consents(
    plans: Iterable[plan_run.TablePlan], groups: PlanGroups, request: CommitOptions
) -> Iterator[plan_run.Consent]:
    """The consent that each of *plans* needs, to all of the files that *groups* go through."""
    for made in plans:
        yield from plan_run.needed_consents(made, request, work=groups.work(made.plan.cost))


@contextmanager
def _refusing(path: Path | None) -> Iterator[None]:
    """Trouble of the file system as `RefusedError`."""
    try:
        yield
    except OSError as error:
        raise unwritable(path or Path(), error) from error
