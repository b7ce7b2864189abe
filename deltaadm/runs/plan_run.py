"""A change of one table: plan it, show the plan, and carry it out if asked to."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from deltaadm.clients import Access, parse_client
from deltaadm.dataclass import replace
from deltaadm.domain.features import Cost
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.errors import Refused, TableError, UsageError
from deltaadm.plans.reports import OutcomeReport, PlanReport
from deltaadm.reports.words import visible
from deltaadm.runs import names as table_names
from deltaadm.runs import sessions
from deltaadm.runs.context import now
from deltaadm.runs.files import save_plan
from deltaadm.runs.options import Engine
from deltaadm.runs.output import (
    check_format,
    handle_errors,
    info,
    messages,
    show,
    show_on_stderr,
    write_stderr,
)
from deltaadm.runs.progress import phases
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.settings import ClientRequirements, Settings, load_settings
from deltaadm.runs.status import FOUND, MISMATCH, REFUSED, WAITING
from deltaadm.runs.target import Target, load_at, resolve
from deltaadm.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from deltaadm.blocks import Report
    from deltaadm.clients import ClientRelease
    from deltaadm.domain.protocol import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.plans.alter import ChangeTexts
    from deltaadm.plans.carry_out import Executor, Outcome
    from deltaadm.plans.foreign import ForeignPlan
    from deltaadm.plans.plan import Plan
    from deltaadm.plans.reports import ForeignReport
    from deltaadm.replay.reconcile import Detail
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.names import Entry
    from deltaadm.runs.plan_options import ChangeOptions, CommitOptions, ConsentOptions, PlanOptions
    from deltaadm.runs.progress import Phases


# Consent


class Consent(NamedTuple):
    """Something that must be confirmed: by an option, or by the answer to a question."""

    option: str
    question: str
    answer: str


def delta_consents(
    plan: Plan,
    request: ConsentOptions,
    clients: Sequence[ClientRelease],
    accepted: frozenset[str],
) -> Iterator[Consent]:
    """The consent that *plan* needs beyond *request*; *accepted* are ids of *clients*."""
    yield from _to_go_on("Commit this?", request)
    option = _COSTS.get(plan.cost)
    if option is not None and not getattr(request, option):
        yield Consent(
            f"--{option.replace('_', '-')}",
            f"This is a {plan.cost.value} of {plan.work}. Type '{plan.cost.value}' to continue: ",
            plan.cost.value,
        )
    for name in plan.irreversible:
        yield from _to_lose(f"Dropping {name} deletes history permanently", request, name)
    for transition in plan.transitions:
        name = transition.step.dropped_feature
        if name and (domains := transition.step.destroys(transition.before)):
            # `*` stands for those of a table whose domains were not loaded.
            named = "every domain" if domains == ("*",) else f"domain {', '.join(domains)}"
            yield from _to_lose(f"Dropping {name} deletes {named} permanently", request, name)
    from deltaadm.plans.clients import needing_consent

    for verdict in needing_consent(plan, clients, accepted):
        release = verdict.after.release
        what = "; ".join(cell.note for cell in verdict.after.responsible)
        yield Consent(
            f"--accept-silently-wrong {release.client.id}",
            f"{release} {verdict.after.access.value}s wrong data silently: {what}. "
            f"Type '{release.client.id}' to continue: ",
            release.client.id,
        )


_COSTS = {Cost.BACKFILL: "allow_backfill", Cost.REWRITE: "allow_rewrite"}


def foreign_consents(plan: ForeignPlan, request: ConsentOptions) -> Iterator[Consent]:
    """The consent that *plan* needs beyond *request*."""
    yield from _to_go_on("Carry this out?", request)
    for name in plan.irreversible:
        yield from _to_lose(
            f"The table {name} will be dropped permanently", request, plan.table, name
        )


def _to_go_on(question: str, request: ConsentOptions) -> Iterator[Consent]:
    if not request.yes:
        yield Consent("--yes", f"{question} Only 'yes' is accepted: ", "yes")


def _to_lose(what: str, request: ConsentOptions, name: str, *aliases: str) -> Iterator[Consent]:
    if not {name, *aliases} & set(request.accept_irreversible or ()):
        question = f"{what}. Type '{name}' to continue: "
        yield Consent(f"--accept-irreversible {name}", question, name)


def confirm(context: RunContext, consents: Iterable[Consent], plans: Sequence[Report]) -> None:
    """Ask for *consents* at the terminal; raises `Refused` unless all are given."""
    # By option, so that many plans ask the same question once.
    missing = {consent.option: consent for consent in consents}
    if not missing:
        return
    # Both: the question is written to standard error, for standard output may go to a file.
    if not (sys.stdin.isatty() and sys.stderr.isatty() and messages().asks):
        what = "the plan" if len(plans) == 1 else f"the {len(plans)} plans"
        if "--yes" not in missing:
            raise Refused(
                f"Confirmation of {what} takes more than --yes; nothing was changed.",
                remedy=f"Pass {' '.join(missing)} to continue.",
            )
        raise Refused(
            f"Confirmation of {what} is required, but no terminal is attached; nothing was "
            "changed.",
            remedy=f"Pass {' '.join(missing)} to continue without confirmation.",
        )
    # The plan is on standard output only in this case, and whoever answers must have seen it.
    if context.format != "text" or not sys.stdout.isatty() or len(plans) > 1:
        show_on_stderr(context, plans)
    for consent in missing.values():
        write_stderr(visible(consent.question))
        if sys.stdin.readline().strip().lower() != consent.answer.lower():
            raise Refused("The plan was not confirmed; nothing was changed.", remedy="")


# One change


if TYPE_CHECKING:
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
        with (
            log_reader(chosen, [table]) as reader,
            table_names.open_catalog(reader, names) as opened,
        ):
            entry = table_names.look_up(opened, [table]).get(table)
            if plan_foreign is not None and entry is not None and table_names.is_foreign(entry):
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
        from deltaadm.plans.embedded_executor import require_committable

        root = plan.before.root
        # The bare store, as commits have it: the one of a catalog only adds to what is read.
        require_committable(plan, open_store(root, object_stores=context.object_stores))


def require_reached(plan: Plan, request: PlanOptions) -> None:
    """Raise `Refused` where *plan* is to be applied and does not reach all that is asked for."""
    if request.apply and plan.missed:
        from deltaadm.plans import reach_clients

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
        from deltaadm.plans.carry_out import check_steps

        with sessions.executor(context, plan.session, plan) as executor:
            check_steps(plan, executor)
    require_engine_commits(context, plan)
    return plan, requirements


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
        from deltaadm.plans.document import saved_document

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
    from deltaadm.plans.clients import require_clients, still_shut_out
    from deltaadm.plans.plan import depends_on_state
    from deltaadm.replay.reconcile import Detail

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
        from deltaadm.plans.plan import require_accepted

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
            from deltaadm.plans.features import drop_status, next_phase

            snapshot = Target(plan.before.root, plan.before.root).load(context)
            name = stage.step.dropped_feature
            history = context.history_of(snapshot, name)
            info(next_phase(drop_status(snapshot, name, history, now=now())))
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
    from deltaadm.plans.carry_out import Progress, carry_out, look_up, require_same_places
    from deltaadm.plans.plan import is_verified_by_state, moves
    from deltaadm.replay.reconcile import Detail
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


# Planners that ask the log


def plan_features(*features: str, support_only: bool = False) -> Planner:
    """A plan that makes table features active: `deltaadm enable-feature`."""
    from deltaadm.plans import features as enable_feature

    if not features:
        raise ValueError("Name a table feature; deltaadm.FEATURES has them all.")
    return lambda table: enable_feature.plan_features(
        table.snapshot, features, support_only=support_only, session=table.session
    )


def plan_drop(feature: str, *, truncate_history: bool = False) -> Planner:
    """A plan that drops a table feature: `deltaadm drop-feature`."""
    from deltaadm.plans import features

    def plan(table: PlanInput) -> Plan:
        name = features.official_name(feature)
        return features.plan_drop(
            table.snapshot,
            name,
            table.context.history_of(table.snapshot, name),
            truncate_history=truncate_history,
            now=now(),
            session=table.session,
        )

    return plan


def plan_upgrade(reader: int | None = None, writer: int | None = None) -> Planner:
    """
    A plan that raises the protocol: `deltaadm upgrade-protocol`.

    Without versions it plans the upgrade that the metadata needs, usually none.
    """
    from deltaadm.plans import features

    return lambda table: features.plan_upgrade(
        table.snapshot, reader=reader, writer=writer, session=table.session
    )


def plan_minimum() -> Planner:
    """A plan that lowers the protocol: `deltaadm upgrade-protocol --minimum`."""
    from deltaadm.plans import features

    return lambda table: features.plan_minimum(
        table.snapshot,
        partial(table.context.history_of, table.snapshot),
        now=now(),
        session=table.session,
    )


def plan_undo(version: int | None = None) -> Planner:
    """
    A plan that takes back what a version changed: `deltaadm undo`.

    Without `version` it is the newest that changed protocol, properties, columns or clustering.
    """
    from deltaadm.plans import reversal
    from deltaadm.plans.diff import diff
    from deltaadm.replay.reconcile import Detail
    from deltaadm.runs.history import timeline_of

    def plan(table: PlanInput) -> Plan:
        timeline = timeline_of(table.context, table.target, since=version, until=version)
        if version is not None and version > timeline.last:
            raise Refused(
                f"There is no version {version}: the newest is {timeline.last}.",
                remedy="`deltaadm history` lists what has changed, with versions.",
            )
        before = after = timeline.base
        for earlier, later in timeline.changes():
            if version is not None or diff(earlier, later):
                before, after = earlier, later
        current = table.snapshot
        if current.protocol.supports("clustering"):
            current = table.target.load(table.context, detail=Detail.STATE)
        number = after.version if version is None else version
        return reversal.plan_undo(
            before, after, current, what=f"Version {number}", session=table.session
        )

    return plan


def plan_for_clients(
    *,
    readable_by: Sequence[str] = (),
    writable_by: Sequence[str] = (),
    skip_unreachable: bool = False,
) -> Planner:
    """
    The cheapest changes after which clients work: `upgrade-protocol --readable-by`.

    Clients are NAME or NAME@VERSION, such as trino@480. A plan that does not reach all of them
    is applied only with `skip_unreachable`.
    """
    from deltaadm.plans import reach_clients
    from deltaadm.plans.features import UPGRADE_PROTOCOL
    from deltaadm.plans.plan import Goal

    if not readable_by and not writable_by:
        raise ValueError("Name a client, as in readable_by=['trino@480'].")
    goals = (
        *(Goal(parse_client(text), Access.READ) for text in readable_by),
        *(Goal(parse_client(text), Access.WRITE) for text in writable_by),
    )
    return lambda table: reach_clients.plan_for_clients(
        table.snapshot,
        partial(table.context.history_of, table.snapshot),
        goals,
        operation=UPGRADE_PROTOCOL,
        now=now(),
        keeping=table.requirements.goals(),
        skip_unreachable=skip_unreachable,
        session=table.session,
    )


def plan_mapping_mode(mode: str | ColumnMappingMode) -> Planner:
    """A plan that turns column mapping on or off: `deltaadm set-mapping-mode`."""
    from deltaadm.plans import features

    modes = {choice.value: choice for choice in ColumnMappingMode}
    chosen = modes.get(mode) if isinstance(mode, str) else mode
    if chosen is None:
        raise UsageError(f"{mode!r} is not one of {', '.join(modes)}", option="MODE")
    return lambda table: features.plan_mapping_mode(table.snapshot, chosen, session=table.session)


def plan_changes(
    *,
    set_properties: Mapping[str, str] | None = None,
    unset: Sequence[str] = (),
    add_columns: Sequence[str] = (),
    set_types: Mapping[str, str] | None = None,
    drop_not_null: Sequence[str] = (),
    set_comments: Mapping[str, str] | None = None,
    set_defaults: Mapping[str, str] | None = None,
    drop_defaults: Sequence[str] = (),
    move: Sequence[str] = (),
    rename_columns: Mapping[str, str] | None = None,
    drop_columns: Sequence[str] = (),
    add_constraints: Mapping[str, str] | None = None,
    drop_constraints: Sequence[str] = (),
    cluster_by: Sequence[str] | None = None,
    checkpoint: bool = False,
) -> Planner:
    """
    A plan of changes of columns, constraints, clustering and properties: `deltaadm alter`.

    Columns, types and positions are written as on the command line, for example
    `add_columns=["s.x INT AFTER y"]`; an empty `cluster_by` ends clustering.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    from deltaadm.plans.alter import ChangeTexts

    texts = ChangeTexts(**given)
    if texts == ChangeTexts():
        raise ValueError("Name a change, as in set_properties={'team': 'web'}.")
    return changes_planner(texts)


def changes_planner(texts: ChangeTexts) -> Planner:
    """The planner for the changes in *texts*."""
    from deltaadm.plans import alter
    from deltaadm.plans.alter import table_changes

    def plan(table: PlanInput) -> Plan:
        changes = table_changes(texts, partial(load_at, table.context))
        changes = replace(changes, is_managed=table.target.is_managed)
        return alter.plan_changes(table.snapshot, changes, session=table.session)

    return plan
