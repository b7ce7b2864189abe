"""A change of one table: plan it, show the plan, and carry it out if asked to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deltaadm.clients import Access, Scope, parse_client
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import Cost
from deltaadm.domain.properties import checkpoint_interval
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.domain.wire import CommitMark, Provenance, merged
from deltaadm.errors import DeltaadmError, RefusedError, UsageError, require_one_of, some_of
from deltaadm.masking import quoted, visible
from deltaadm.plans import features as feature_plans
from deltaadm.plans import reversal
from deltaadm.plans.diff import diff
from deltaadm.plans.impact import needing_consent, require_clients, still_shut_out
from deltaadm.plans.plan import (
    Goal,
    Plan,
    depends_on_state,
    is_verified_by_state,
    moves,
    require_accepted,
    require_reached,
)
from deltaadm.plans.reports import ForeignReport, Outcome, OutcomeReport, PlanReport
from deltaadm.replay.embedded import MOST_OBSERVED
from deltaadm.replay.load import provenance
from deltaadm.replay.reconcile import Detail
from deltaadm.replay.timeline import writers
from deltaadm.runs import names as table_names
from deltaadm.runs import output, sessions
from deltaadm.runs.context import RunContext, do_without_numpy, now
from deltaadm.runs.files import announce_plans, is_standard_output, save_plan
from deltaadm.runs.options import Engine
from deltaadm.runs.plan_options import ChangeOptions, CommitOptions, ConsentOptions, PlanOptions
from deltaadm.runs.progress import Progress
from deltaadm.runs.settings import ClientRequirements, load_settings
from deltaadm.runs.status import FOUND, MISMATCH, REFUSED, WAITING
from deltaadm.runs.target import Target, load_at, resolve
from deltaadm.storage.store import open_store

if TYPE_CHECKING:
    from deltaadm.blocks import Report
    from deltaadm.plans.carry_out import Executor
    from deltaadm.plans.carry_out import Progress as Reached
    from deltaadm.plans.foreign import ForeignPlan


# Consent


class Consent(NamedTuple):
    """What must be confirmed by an option, or at the terminal; the `reason` why is a clause."""

    option: str
    reason: str = ""

    @property
    def words(self) -> list[str]:
        """The option and its value, as arguments of a command line."""
        return self.option.split(" ", 1)

    @property
    def answer(self) -> str:
        """What is typed to confirm it."""
        return self.words[-1].removeprefix("--").removeprefix("allow-")

    @property
    def question(self) -> str:
        """The question at the terminal."""
        if not self.reason:
            return f"Apply these changes? Only '{self.answer}' will be accepted: "
        return f"Type '{self.answer}' to continue although {self.reason}: "


def needed_consents(
    made: TablePlan, request: CommitOptions, *, work: str = ""
) -> Iterator[Consent]:
    """The consent that a plan lacks; *work* are the files behind its cost if it is one of many."""
    plan, given = made.plan, request.consent
    yield from _to_go_on(given)
    option = _COSTS.get(plan.cost)
    if option is not None and not getattr(given, option):
        reason = f"this change rewrites {work or plan.work}"
        yield Consent(f"--{option.replace('_', '-')}", reason)
    for name in plan.irreversible:
        yield from _to_lose(f"dropping {name} deletes history permanently", given, name)
    for stage in plan.stages:
        name = stage.step.dropped_feature
        if name and (domains := stage.step.destroys(stage.before)):
            # `*` stands for those of a table whose domains were not loaded.
            named = "every domain" if domains == ("*",) else f"domain {', '.join(domains)}"
            yield from _to_lose(f"dropping {name} deletes {named} permanently", given, name)
    accepted = made.requirements.accepted
    for after in (shift.after for shift in needing_consent(plan, made.scope, accepted)):
        what = "; ".join(cell.note for cell in after.responsible)
        does = f"would silently {after.access.value} wrong data after this change"
        option = f"--accept-silently-wrong {after.release.client.id}"
        yield Consent(option, f"{after.release} {does} ({what})")


_COSTS = {Cost.BACKFILL: "allow_backfill", Cost.REWRITE: "allow_rewrite"}


def foreign_consents(plan: ForeignPlan, request: ConsentOptions) -> Iterator[Consent]:
    """The consent that *plan* needs beyond *request*."""
    yield from _to_go_on(request)
    for name in plan.irreversible:
        what = f"the table {name} will be dropped permanently"
        yield from _to_lose(what, request, plan.table, name)


def _to_go_on(request: ConsentOptions) -> Iterator[Consent]:
    if not request.yes:
        yield Consent("--yes")


def _to_lose(reason: str, request: ConsentOptions, name: str, *aliases: str) -> Iterator[Consent]:
    if not {name, *aliases} & set(request.accept_irreversible or ()):
        yield Consent(f"--accept-irreversible {name}", reason)


def not_applied(consents: Iterable[Consent], remedy: str) -> RefusedError:
    """The refusal for want of *consents*, which says what would go wrong without."""
    reasons = "; ".join(consent.reason for consent in consents if consent.reason)
    missing = reasons or "no terminal is attached to confirm it"
    return RefusedError(f"Not applied: {missing}.", remedy=remedy)


def confirm(
    context: RunContext, consents: Iterable[Consent], shown: Sequence[Report], plans: int = 1
) -> None:
    """Show *shown*, and ask for *consents* at the terminal; raises `RefusedError` without them."""
    # By option, so that many plans ask once for the same.
    by_option: dict[str, dict[str, None]] = {}
    for consent in consents:
        by_option.setdefault(consent.option, {})[consent.reason] = None
    missing = [
        Consent(option, some_of(alike, separator="; ")) for option, alike in by_option.items()
    ]
    if not missing:
        return
    # Both: the question is written to standard error, for standard output may go to a file.
    if not (sys.stdin.isatty() and sys.stderr.isatty() and not output.messages().no_input):
        words = [word for consent in missing for word in consent.words]
        purpose = "without a prompt" if words == ["--yes"] else "anyway"
        remedy = f"Pass {' '.join(map(quoted, words))} to apply {purpose}."
        raise not_applied(missing, remedy)
    # The plan is on standard output only in this case, and whoever answers must have seen it.
    if context.format != "text" or not sys.stdout.isatty() or plans > 1:
        output.show_on_stderr(context, shown)
    for consent in missing:
        output.write_stderr(visible(consent.question))
        if sys.stdin.readline().strip().lower() != consent.answer.lower():
            raise RefusedError("Cancelled. Nothing was changed.", remedy="")


# One change


class PlanInput(NamedTuple):
    """What a plan is made from; only a search for a plan looks at the `requirements`."""

    context: RunContext
    target: Target
    snapshot: Snapshot
    session: SessionSettings
    requirements: ClientRequirements

    def history_of(self, feature: str) -> FeatureHistory:
        """The traces of *feature* in the log of the table."""
        return self.context.history_of(self.snapshot, feature)


@dataclass(frozen=True)
class TablePlan:
    """The plan for a table, and the clients that must go on using it."""

    table: str
    plan: Plan
    requirements: ClientRequirements

    @property
    def scope(self) -> Scope:
        """The clients for which the plan is judged."""
        return self.requirements.scope(self.plan.before)

    @property
    def report(self) -> PlanReport:
        """The plan as it is shown."""
        return PlanReport(self.table, self.plan, self.scope)


Planner = Callable[[PlanInput], Plan]
"""A function that makes the plan for a table."""

Note = Callable[[str, Callable[[], str]], None]
"""A function that is told about commits, and one that looks up a more exact message."""


def plan_table(context: RunContext, target: Target, planner: Planner, change: ChangeOptions) -> int:
    """Plan for one table, show or save the plan, carry it out if asked to; the exit code."""
    do_without_numpy(context, commits=change.planning.apply)
    made, planning = plan_for(context, target, planner, change.commit), change.planning
    if planning.apply:
        require_reached(made.plan)
    if is_standard_output(planning.out):
        output.show_on_stderr(context, [made.report])
        save_plan(planning.out, made.plan, made.table)
        return _exit_code(made.plan, planning)
    if planning.out is not None:
        # Saved before it is carried out: a run that is killed leaves its plan behind.
        save_plan(planning.out, made.plan, made.table)
    if planning.apply:
        return carry_out_plan(context, made, change.commit)
    return show_plan(context, made.report, planning, needed_consents(made, change.commit))


def require_plan_options(change: ChangeOptions) -> None:
    """Turn away options that do not go together."""
    if change.planning.check and change.planning.apply:
        raise UsageError("cannot be combined with --apply", option="--check")
    if is_standard_output(change.planning.out) and change.planning.apply:
        raise UsageError("cannot be combined with --out -", option="--apply")


def with_engine_for(context: RunContext, change: ChangeOptions) -> RunContext:
    """`with_commit_engine`, but without the engine unless it commits, or is to say if it could."""
    chosen = with_commit_engine(context, change.commit)
    asked = change.planning.apply or change.commit.commit_engine is not None
    return chosen if asked else context


def with_commit_engine(context: RunContext, request: CommitOptions) -> RunContext:
    """The run with the commit engine of the command line or else the settings."""
    engine = request.commit_engine or load_settings(context.settings).commit_engine
    if engine is Engine.EMBEDDED and request.spark.engine is Engine.SPARK:
        raise UsageError(
            "cannot be combined with --engine spark", option="--commit-engine embedded"
        )
    return replace(context, commit_engine=engine)


def require_engine_commits(context: RunContext, plan: Plan) -> None:
    """Raise `RefusedError` where the commit engine of the run does not commit *plan*."""
    if context.commit_engine is Engine.EMBEDDED:
        from deltaadm.plans.embedded_executor import require_committable

        root = plan.before.root
        sessions.require_commits(context, [plan])
        # The bare store, as commits have it: the one of a catalog only adds to what is read.
        require_committable(plan, open_store(root, object_stores=context.object_stores))


def plan_for(
    context: RunContext,
    target: Target,
    planner: Planner,
    request: CommitOptions,
    session: SessionSettings | None = None,
) -> TablePlan:
    """The plan for a table under the settings of its *session*; raises as `make_plan`."""
    requirements = ClientRequirements.of(request, context.settings, target.text, target.location)
    plan = make_plan(context, target, planner, requirements, session or context.session)
    if context.engine is not None and not target.may_be_missing:
        with sessions.executor(context, plan.session, plan) as executor:
            for stage in plan.stages:
                executor.check(stage.before, stage.step)
    require_engine_commits(context, plan)
    return TablePlan(target.text, plan, requirements)


def make_plan(
    context: RunContext,
    target: Target,
    planner: Planner,
    requirements: ClientRequirements,
    session: SessionSettings,
    *,
    detail: Detail | None = None,
) -> Plan:
    """
    The plan of *planner* for a table, made with the facts about files if it depends on them.

    Raises what *planner* does, and `RefusedError` where the plan shuts out a client that is
    required or brings about an error that is not accepted.
    """

    def make(detail: Detail | None) -> Plan:
        snapshot = target.load(context, detail=detail)
        return planner(PlanInput(context, target, snapshot, session, requirements))

    plan = make(detail)
    # Facts about files take a scan of the whole state, and few plans depend on them.
    if detail is None and depends_on_state(plan):
        plan = make(Detail.STATE)
    required = tuple(requirements.goals())
    require_clients(plan, required, requirements.accepted)
    if plan.findings:
        require_accepted(plan.findings, requirements.findings)
    if not plan.is_noop and plan.before.exists:
        # Who is locked out may have written any commit since the checkpoint before the last.
        before, store = plan.before, context.open_store(plan.before.root)
        interval = min(MOST_OBSERVED, checkpoint_interval(before.metadata.configuration))
        newest = before.version - sum(writer.commits for writer in before.writers)
        unread = writers(store, range(newest, max(before.version - interval, -1), -1))
        plan = replace(plan, before=replace(before, writers=merged((*before.writers, *unread))))
    left = still_shut_out(plan, required)
    return replace(plan, notes=(*plan.notes, *left)) if left else plan


def show_plan(
    context: RunContext,
    report: PlanReport | ForeignReport,
    request: PlanOptions,
    consents: Iterable[Consent],
) -> int:
    """Show the plan in *report*, and the command that applies it with *consents*; the exit code."""
    output.show(context, [report])
    agreed = [word for one in consents if one.reason for word in one.words]
    if request.out is not None:
        announce_plans(context, request.out, consents=agreed)
    elif context.format == "text" and not report.plan.is_noop:
        missed = ["--skip-unreachable"] * (
            isinstance(report.plan, Plan) and bool(report.plan.missed)
        )
        tell_to_apply(context, *missed, "--apply", *agreed)
    return _exit_code(report.plan, request)


def tell_to_apply(context: RunContext, *options: str) -> None:
    """Say that nothing was changed, and the same command with *options*, which does."""
    output.tell_command("Nothing was changed. To apply:", with_options(context, *options))


def with_options(context: RunContext, *options: str) -> str:
    """The command line as it was typed, without --check, and with *options* as well."""
    typed = [word for word in context.arguments if word != "--check"]
    end = typed.index("--") if "--" in typed else len(typed)
    return output.command_line([*typed[:end], *options, *typed[end:]])


def _exit_code(plan: Plan | ForeignPlan, request: PlanOptions) -> int:
    missed, unfixed = (plan.missed, plan.unfixed) if isinstance(plan, Plan) else ((), 0)
    return code_of_plan(request, missed=bool(missed), unfixed=unfixed, is_noop=plan.is_noop)


def code_of_plan(request: PlanOptions, *, missed: bool, unfixed: int, is_noop: bool) -> int:
    """The exit code of a plan that is shown or saved, by what itself or its document says."""
    if missed:
        return REFUSED
    return FOUND if unfixed or (request.check and not is_noop) else 0


def carry_out_plan(context: RunContext, made: TablePlan, request: CommitOptions) -> int:
    """Show a plan, ask for consent, commit and verify it, show the outcome; the exit code."""
    plan = made.plan
    sessions.prepare_commits(context, [plan])
    agree(context, made.report, needed_consents(made, request))
    outcome = commit_plan(context, made.table, plan)
    output.show(context, [outcome])
    if outcome.outcome.mismatches:
        return MISMATCH
    for stage in plan.stages:
        if stage.waits:
            snapshot = Target(plan.before.root, plan.before.root).load(context)
            name = stage.step.dropped_feature
            history = context.history_of(snapshot, name)
            status = feature_plans.drop_status(snapshot, name, history, now=now())
            output.info(feature_plans.next_phase(status))
    if plan.waits:
        return WAITING
    return FOUND if plan.unfixed else 0


def agree(
    context: RunContext, report: PlanReport | ForeignReport, consents: Iterable[Consent]
) -> None:
    """Ask for *consents* if there is something to do; show the plan in *report* to whoever is."""
    missing = () if report.plan.is_noop else tuple(consents)
    if context.format == "text":  # other formats are a single document, the outcome's
        if not missing and isinstance(report, PlanReport):
            report = replace(report, brief=True)
        output.show(context, [report])
    confirm(context, missing, [report])


def commit_plan(context: RunContext, table: str, plan: Plan) -> OutcomeReport:
    """Commit *plan*, which has been agreed to, and verify it."""
    with (
        Progress("Committing").shown() as progress,
        sessions.executor(context, plan.session, plan, phases=progress) as executor,
    ):
        outcome = execute(context, plan, executor, context.status.set, progress)
        # Inside the block: an interrupt while Spark ends has to say what was committed.
        listed = ", ".join(map(str, outcome.versions))
        context.status.set(
            f"committed: {listed}" if listed else "everything was done, without a commit"
        )
    return OutcomeReport(table, outcome)


def execute(
    context: RunContext,
    plan: Plan,
    executor: Executor,
    note: Note,
    progress: Progress | None = None,
) -> Outcome:
    """What *plan* came to; raises what `carry_out` does. *note* hears what is known of commits."""
    from deltaadm.plans.carry_out import carry_out, look_up, require_same_places

    detail = Detail.STATE if is_verified_by_state(plan.steps) else Detail.PROTOCOL
    # Names may lead elsewhere since the plan was made, so the places are looked at once more.
    require_same_places(plan, lambda place: Target(place, place).load(context, detail=detail))
    log = LiveLog(context, plan.before, detail, executor.mark, by_name=moves(plan.steps))
    total = len(plan.stages)

    def on_progress(reached: Reached) -> None:
        if progress is not None:
            progress.part("Committing steps", min(reached.done + 1, total), total)
        # Asked once the session has been closed.
        alone = replace(context, hadoop=None, engine=None, catalog=None, executors=None)
        later = replace(log, context=alone)
        note(reached.words, partial(look_up, reached, later, executor))

    return carry_out(plan, executor=executor, log=log, note=on_progress)


@dataclass(frozen=True)
class LiveLog:
    """
    The log of the table that was in the state `before`, as `carry_out` reads it.

    Our own commits are known by `mark`. `by_name` looks the table up again in the open catalog.
    """

    context: RunContext
    before: Snapshot
    detail: Detail
    mark: Callable[[], CommitMark]
    by_name: bool

    def load(self, version: int | None = None) -> Snapshot:
        """The table as it is now, or as it was at *version*; at -1 there was none."""
        name = self.before.name
        if version is None and self.by_name and name:
            # Only in catalogs that are open: after an interrupt no session is started for it.
            known_by = self.context.catalog or table_names.unity_of(self.context)
            entries = table_names.look_up(self.context, [name]) if known_by else {}
            target = resolve(self.context, name, entries.get(name))
        else:
            is_new = version is None and not self.before.exists
            target = Target(self.before.root, self._location(), may_be_missing=is_new)
        if version is not None and version < 0:
            return no_table(target.location, name)
        snapshot = target.load(self.context, detail=self.detail, version=version, known=self.before)
        return snapshot if name is None else replace(snapshot, name=name)

    def commits(self, first: int, last: int, step: Step) -> tuple[Provenance, ...]:
        """The owners of the versions *first* to *last*, inclusive; our own commits apply *step*."""
        store = self.context.open_store(self._location())
        return provenance(store, first, last, step, self.mark())

    def _location(self) -> str:
        """The location of the table: a catalog may have chosen another one for a new table."""
        name, expected = self.before.name, self.before.root
        if self.before.exists or name is None:
            return expected
        entry = table_names.entry_of_new(self.context, name, expected)
        return expected if entry is None or isinstance(entry, DeltaadmError) else entry.location


# Planners


def plan_features(*features: str, support_only: bool = False) -> Planner:
    """A plan that makes table features active: `deltaadm enable-feature`."""
    feature_plans.addable(features)  # what is wrong for any table
    return lambda table: feature_plans.plan_features(
        table.snapshot, features, support_only=support_only, session=table.session
    )


def plan_drop(feature: str, *, truncate_history: bool = False) -> Planner:
    """A plan that drops a table feature: `deltaadm drop-feature`."""
    name = feature_plans.official_name(feature)
    return lambda table: feature_plans.plan_drop(
        table.snapshot,
        name,
        table.history_of(name),
        truncate_history=truncate_history,
        now=now(),
        session=table.session,
    )


def plan_upgrade(reader: int | None = None, writer: int | None = None) -> Planner:
    """
    A plan that raises the protocol: `deltaadm upgrade-protocol`.

    Without versions it plans the upgrade that the metadata needs, usually none.
    """
    return lambda table: feature_plans.plan_upgrade(
        table.snapshot, reader=reader, writer=writer, session=table.session
    )


def plan_minimum() -> Planner:
    """A plan that lowers the protocol: `deltaadm upgrade-protocol --minimum`."""
    return lambda table: feature_plans.plan_minimum(
        table.snapshot, table.history_of, now=now(), session=table.session
    )


def plan_undo(version: int | None = None) -> Planner:
    """
    A plan that takes back what a version changed: `deltaadm undo`.

    Without `version` it is the newest that changed protocol, properties, columns or clustering.
    """
    from deltaadm.runs.history import timeline_of

    def plan(table: PlanInput) -> Plan:
        timeline = timeline_of(table.context, table.target, since=version, until=version)
        if version is not None and version > timeline.last:
            raise RefusedError(
                f"There is no version {version}: the newest is {timeline.last}.",
                remedy="`deltaadm history TABLE` lists what has changed, with versions.",
            )
        before = after = timeline.base
        for earlier, later in timeline.changes():
            if version is not None or diff(earlier, later):
                # The versions in between, left out of the timeline, may have added rows.
                before, after = replace(earlier, version=later.version - 1), later
        current = table.snapshot
        if current.domains is None and current.protocol.supports("clustering"):
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
    # The search, which no other change needs to import.
    from deltaadm.plans import goals as goal_plans

    goals = (
        *(Goal(parse_client(text), Access.READ) for text in readable_by),
        *(Goal(parse_client(text), Access.WRITE) for text in writable_by),
    )
    return lambda table: goal_plans.plan_for_clients(
        table.snapshot,
        table.history_of,
        goals,
        now=now(),
        keeping=(
            goal
            for goal in table.requirements.goals()
            if goal.release.client.id not in table.requirements.accepted
        ),
        skip_unreachable=skip_unreachable,
        session=table.session,
    )


def plan_mapping_mode(mode: str | ColumnMappingMode) -> Planner:
    """A plan that turns column mapping on or off: `deltaadm set-mapping-mode`."""
    if isinstance(mode, str):
        require_one_of(mode, (choice.value for choice in ColumnMappingMode), "MODE")
    chosen = ColumnMappingMode(mode)
    return lambda table: feature_plans.plan_mapping_mode(
        table.snapshot, chosen, session=table.session
    )


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
    return changes_planner(given)


def changes_planner(texts: Mapping[str, Any]) -> Planner:
    """The planner for the changes in *texts*, as `table_changes` takes them."""
    from deltaadm.plans import alter

    alter.table_changes(no_table, texts)  # what cannot be parsed is wrong for any table

    def plan(table: PlanInput) -> Plan:
        changes = alter.table_changes(partial(load_at, table.context), texts)
        changes = replace(changes, is_managed=table.target.is_managed)
        return alter.plan_changes(table.snapshot, changes, session=table.session)

    return plan
