"""A change of one table: plan it, show the plan, and carry it out if asked to."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from deltaadm.dataclass import replace
from deltaadm.errors import Refused, TableError, UsageError
from deltaadm.operations.reports import OutcomeReport, PlanReport
from deltaadm.runs import catalogs, sessions
from deltaadm.runs.consent import confirm, delta_consents
from deltaadm.runs.context import now
from deltaadm.runs.exit_codes import FOUND, MISMATCH, REFUSED, WAITING
from deltaadm.runs.files import save_plan
from deltaadm.runs.options import Engine
from deltaadm.runs.output import check_format, handle_errors, info, show
from deltaadm.runs.progress import phases
from deltaadm.runs.requirements import ClientRequirements
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.settings import Settings, load_settings
from deltaadm.runs.target import Target, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step
    from deltaadm.operations.carry_out import Executor, Outcome
    from deltaadm.operations.plan import Plan
    from deltaadm.operations.reports import ForeignReport
    from deltaadm.replay.engine import Detail
    from deltaadm.runs.catalogs import Entry
    from deltaadm.runs.consent import Consent
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_options import ChangeOptions, CommitOptions, PlanOptions
    from deltaadm.runs.progress import Phases

    Planner = Callable[["PlanInput"], Plan]
    """A function that makes the plan for a table."""

    PlanForeign = Callable[[RunContext, str, Entry], int]
    """A function that handles a table that Delta's catalog leaves to another, and its exit code."""

    Note = Callable[[str, Callable[[], str]], None]
    """A function that is told about commits, and one that looks up a more exact message."""


class PlanInput(NamedTuple):
    """
    What a plan is made from: a table, the state it is in, and the settings of the session.

    The `requirements` are checked afterwards, so that only a search for a plan looks at them.
    """

    context: RunContext
    target: Target
    snapshot: Snapshot
    session: SessionSettings
    requirements: ClientRequirements


def plan_and_apply(
    context: RunContext,
    table: str,
    planner: Planner,
    change: ChangeOptions,
    *,
    settings: Settings | None = None,
    plan_foreign: PlanForeign | None = None,
) -> int:
    """
    Plan with *planner*, show or save the plan, carry it out if asked to; the exit code.

    The *settings* of the project are looked for if they are not given. Where *plan_foreign* is
    given, it is asked instead about a table of another provider.
    """
    require_plan_options(change)
    context = context.with_request(change.commit.spark, change.commit.output, change.commit.access)
    session = sessions.session_settings(context.spark)

    def work() -> int:
        project = settings or load_settings(context.settings)
        chosen = with_engine_for(context, change, project)
        # Opened first, so that the commit has the session in which the name was looked up.
        names = [table] if change.planning.apply or plan_foreign is not None else []
        with log_reader(chosen, [table]) as reader, catalogs.open_catalog(reader, names) as opened:
            entry = catalogs.look_up(opened, [table]).get(table)
            if plan_foreign is not None and entry is not None and catalogs.is_foreign(entry):
                return plan_foreign(opened, table, entry)
            target = resolve(opened, table, entry)
            plan, requirements = plan_for(
                opened, target, planner, change.commit, project=project, session=session
            )
            require_reached(plan, change.planning)
            return finish_delta_plan(opened, table, plan, requirements, change)

    return handle_errors(context, table, work)


def with_engine_for(context: RunContext, change: ChangeOptions, project: Settings) -> RunContext:
    """The run that makes plans: with a commit engine if it commits, or is to say if it could."""
    chosen = with_commit_engine(context, change.commit, project)
    asked = change.planning.apply or change.commit.committing.commit_engine is not None
    return chosen if asked else context


def with_commit_engine(
    context: RunContext, request: CommitOptions, project: Settings
) -> RunContext:
    """
    The same run, with the commit engine of the command line or else of the settings.

    A usage error where Spark is to read the logs of an engine that does without.
    """
    engine = request.committing.commit_engine or project.commit_engine
    if engine is Engine.EMBEDDED and request.spark.engine is Engine.SPARK:
        raise UsageError(
            "cannot be combined with --engine spark", option="--commit-engine embedded"
        )
    return replace(context, commit_engine=engine)


def require_engine_commits(context: RunContext, plan: Plan) -> None:
    """Raise `Refused` where the commit engine of the run, if it has one, does not commit *plan*."""
    if context.commit_engine is Engine.EMBEDDED:
        from deltaadm.commit.supported import require_committable
        from deltaadm.storage.store import open_store

        root = plan.before.root
        # The bare store, as commits have it: the one of a catalog only adds to what is read.
        require_committable(plan, open_store(root, object_stores=context.object_stores))


def require_reached(plan: Plan, request: PlanOptions) -> None:
    """Raise `Refused` where *plan* is to be applied and does not reach all that is asked for."""
    if request.apply and plan.missed:
        from deltaadm.operations import reach_clients

        reach_clients.require_reached(plan)


def plan_for(
    context: RunContext,
    target: Target,
    planner: Planner,
    request: CommitOptions,
    *,
    project: Settings,
    session: SessionSettings,
) -> tuple[Plan, ClientRequirements]:
    """
    The plan of *planner* for an existing table, and the clients that must go on using it.

    Raises what the planner does, and `require_engine_commits`.
    """
    requirements = ClientRequirements.of(request, project, target.text, target.location)
    plan = make_plan(
        context,
        target,
        lambda snapshot: planner(PlanInput(context, target, snapshot, session, requirements)),
        requirements,
    )
    if context.engine is not None:
        _check_with_spark(context, plan)
    require_engine_commits(context, plan)
    return plan, requirements


def _check_with_spark(context: RunContext, plan: Plan) -> None:
    """Have Spark, which runs anyhow, check what only Spark can."""
    from deltaadm.operations.carry_out import check_steps

    with sessions.executor(context, plan.session, plan) as executor:
        check_steps(plan, executor)


def require_plan_options(change: ChangeOptions) -> None:
    """Turn away options that do not go together, and formats that show no plan."""
    check_format(change.commit.output, PlanReport)
    if change.planning.check and change.planning.apply:
        raise UsageError("cannot be combined with --apply", option="--check")


def finish_delta_plan(
    context: RunContext,
    table: str,
    plan: Plan,
    requirements: ClientRequirements,
    change: ChangeOptions,
) -> int:
    """Show or save *plan*, carry it out if asked to; the exit code."""
    if change.planning.out is not None:
        from deltaadm.documents.plan import saved_document

        # Saved before it is carried out: a run that is killed leaves its plan behind.
        save_plan(change.planning.out, json.dumps(saved_document(plan, table), indent=2))
    return finish_plan(
        context,
        PlanReport(table, plan),
        change.planning,
        "commit this",
        carry_out=lambda: carry_out_plan(context, table, plan, requirements, change.commit),
    )


def finish_plan(
    context: RunContext,
    report: PlanReport | ForeignReport,
    request: PlanOptions,
    purpose: str,
    *,
    carry_out: Callable[[], int],
) -> int:
    """
    Show the plan in *report*, or have it *carry_out* if asked to; the exit code.

    *purpose* is what --apply is for.
    """
    plan = report.plan
    if request.apply:
        return carry_out()
    show(context, [report])
    missed = isinstance(report, PlanReport) and report.plan.missed
    if context.format == "text" and not plan.is_noop:
        options = "--skip-unreachable --apply" if missed else "--apply"
        info(f"Nothing was changed. Add {options} to {purpose}.")
    if missed:
        return REFUSED
    unfixed = isinstance(report, PlanReport) and report.plan.unfixed
    return FOUND if unfixed or (request.check and not plan.is_noop) else 0


def make_plan(
    context: RunContext,
    target: Target,
    make: Callable[[Snapshot], Plan],
    requirements: ClientRequirements,
    *,
    detail: Detail | None = None,
    missing_ok: bool = False,
) -> Plan:
    """
    The plan that *make* makes for a table.

    Where the plan depends on the files or says something about them, it is made with their facts;
    likewise where *detail* asks for them from the start. With *missing_ok* there need not be a
    table yet.

    Raises `Refused` where it shuts out a client that is required or brings about an error that is
    not accepted, and `TableError` where structs in structs go deeper than Python does.
    """
    from deltaadm.operations.clients import require_clients, still_shut_out
    from deltaadm.operations.plan import depends_on_state
    from deltaadm.replay.engine import Detail

    load = partial(target.load, context, missing_ok=missing_ok)
    try:
        plan = make(load(detail=detail))
        # Facts about files take a scan of the whole state, and few plans depend on them.
        if detail is None and depends_on_state(plan):
            plan = make(load(detail=Detail.STATE))
    except RecursionError as error:
        raise TableError(
            f"The columns of the table at {target.location} are nested too deeply to plan a "
            "change.",
            remedy="Change it with Spark.",
        ) from error
    reading, writing = requirements.reading, requirements.writing
    require_clients(plan, reading=reading, writing=writing, accepted=requirements.accepted)
    if plan.findings:
        from deltaadm.operations.safeguard import require_accepted

        require_accepted(plan.findings, requirements.findings)
    left = still_shut_out(plan, reading=reading, writing=writing)
    return replace(plan, notes=(*plan.notes, *left)) if left else plan


def carry_out_plan(
    context: RunContext,
    table: str,
    plan: Plan,
    requirements: ClientRequirements,
    request: CommitOptions,
) -> int:
    """Show *plan*, ask for consent, commit and verify it, show the outcome; the exit code."""
    report = PlanReport(table, plan)
    sessions.require_commits(context, [plan])
    sessions.warn_of_other_writers(context, [plan])
    consents = needed_consents(plan, requirements, request)
    code = confirm_and_execute(context, report, consents, lambda: commit_plan(context, table, plan))
    if code:
        return code
    for stage in plan.stages:
        if stage.waits:
            info(_next_phase(context, plan.before.root, stage.step))
    if plan.waits:
        return WAITING
    return FOUND if plan.unfixed else 0


def commit_plan(context: RunContext, table: str, plan: Plan) -> OutcomeReport:
    """Commit *plan*, which has been agreed to, and verify it."""
    with (
        phases("Committing") as progress,
        sessions.executor(context, plan.session, plan, phases=progress) as executor,
    ):
        outcome = execute(context, plan, executor, context.status.set, progress)
        # Inside the block: an interrupt while Spark ends has to say what was committed.
        listed = ", ".join(map(str, outcome.versions))
        context.status.set(
            f"committed: {listed}" if listed else "everything was done, without a commit"
        )
    return OutcomeReport(table, outcome)


def confirm_and_execute(
    context: RunContext,
    report: PlanReport | ForeignReport,
    consents: Iterable[Consent],
    execute: Callable[[], OutcomeReport | ForeignReport],
) -> int:
    """
    Show the plan in *report*, ask for *consents*, *execute* it, show that; the exit code.

    Raises `Refused` for a table of another provider, which takes Spark, where another commits.
    """
    embedded = context.commit_engine is Engine.EMBEDDED
    if embedded and not isinstance(report, PlanReport):
        raise Refused(
            "The embedded commit engine changes Delta tables only.",
            remedy="Change it through Spark: --commit-engine spark.",
        )
    if context.format == "text":  # other formats are a single document, the outcome's
        show(context, [report])
    if not report.plan.is_noop:
        confirm(context, consents, [report])
    result = execute()
    show(context, [result])
    different = isinstance(result, OutcomeReport) and result.outcome.mismatches
    return MISMATCH if different else 0


def needed_consents(
    plan: Plan, requirements: ClientRequirements, request: CommitOptions
) -> Iterator[Consent]:
    """The consent that *plan* needs before it is applied, beyond that of the command line."""
    clients = (*requirements.reading, *requirements.writing)
    return delta_consents(plan, request.consent, clients, requirements.accepted)


def execute(
    context: RunContext,
    plan: Plan,
    executor: Executor,
    note: Note,
    progress: Phases | None = None,
) -> Outcome:
    """
    What *plan* came to; raises what `carry_out` does.

    *note* hears what is known of commits, and what looks that up once the executor is closed;
    *progress* shows which step it is at.
    """
    from deltaadm.operations.carry_out import Progress, carry_out, look_up, require_same_places
    from deltaadm.operations.plan import is_verified_by_state, moves
    from deltaadm.replay.engine import Detail
    from deltaadm.runs.live_log import LiveLog

    detail = Detail.STATE if is_verified_by_state(plan.steps) else Detail.PROTOCOL
    # Names may lead elsewhere since the plan was made, so the places are looked at once more.
    require_same_places(plan, lambda place: Target(place, place).load(context, detail=detail))
    log = LiveLog(context, plan.before, detail, executor.mark, by_name=moves(plan.steps))

    def on_progress(reached: Progress) -> None:
        if progress is not None:
            progress.part(
                "Committing steps", min(reached.done + 1, len(plan.stages)), len(plan.stages)
            )
        note(reached.words, partial(look_up, reached, log.without_session(), executor))

    return carry_out(plan, executor=executor, log=log, note=on_progress)


def _next_phase(context: RunContext, location: str, step: Step) -> str:
    """When the second run of *step*, whose first one has just been, can follow."""
    from deltaadm.operations.drop_feature import drop_status, next_phase

    snapshot = Target(location, location).load(context)
    name = step.dropped_feature
    history = context.history_of(snapshot, name)
    return next_phase(drop_status(snapshot, name, history, now=now()))
