"""What all commands that change a table share: show the plan, and carry it out if told to."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import typer

from deltaadm.cli import catalogs, sessions, streams, wiring
from deltaadm.cli.exit_codes import FOUND, MISMATCH, WAITING
from deltaadm.cli.options import ChangeOptions, CommitOptions, ConsentOptions, OutputOptions
from deltaadm.domain.cost import Cost
from deltaadm.errors import Refused, TableError
from deltaadm.operations.reports import OutcomeReport, PlanReport

if TYPE_CHECKING:
    from deltaadm.cli.settings import Settings
    from deltaadm.clients import ClientRelease
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.operations.plan import Executor, Outcome, Plan
    from deltaadm.operations.reports import Report
    from deltaadm.replay.engine import Detail
    from deltaadm.spark.catalog import DeltaCatalog

Planner = Callable[[str, "Snapshot", "SessionSettings"], "Plan"]
"""What makes the plan for a table, given also what the user calls it."""

OfParent = Callable[[str, "DeltaCatalog | None"], int]
"""What is done, with an exit code, about a table that Delta's catalog leaves to its parent's."""

_CONSENT_TO = {Cost.BACKFILL: "--allow-backfill", Cost.REWRITE: "--allow-rewrite"}


class Wanted(NamedTuple):
    """The clients that must go on reading and writing, and those that may go silently wrong."""

    reading: "tuple[ClientRelease, ...]" = ()
    writing: "tuple[ClientRelease, ...]" = ()
    accepted: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, options: CommitOptions, settings: "Settings", table: str, location: str
    ) -> "Wanted":
        """
        What the command line says, or else the *settings*.

        Raises `Refused` for a client that nobody knows.
        """
        from deltaadm.clients import parse_client

        accepted = map(parse_client, options.consent.accept_silently_wrong or ())
        demands = settings.demands(
            table,
            location,
            readers=tuple(map(parse_client, options.clients.for_client or ())),
            writers=tuple(map(parse_client, options.clients.for_client_writing or ())),
        )
        return cls(
            reading=demands.readers,
            writing=demands.writers,
            accepted=frozenset(one.client.id for one in accepted),
        )


def plan_and_apply(
    table: str,
    planner: Planner,
    change: ChangeOptions,
    *,
    settings: "Settings | None" = None,
    of_parent: OfParent | None = None,
) -> int:
    """
    Plan with *planner*, show or save the plan, carry it out if asked to; the exit code.

    The *settings* of the project are looked for if they are not given. Where *of_parent* is given,
    it is asked instead about a table of another provider.
    """
    require_plan_options(change)
    spark = change.commit.spark
    session = sessions.session_settings(spark)

    def work() -> int:
        named = [table] if change.planning.apply or of_parent is not None else []
        with wiring.reading(spark), catalogs.catalog(named, spark) as catalog:
            catalogs.look_up([table], spark)
            if of_parent is not None and catalogs.is_of_parent(table):
                return of_parent(table, catalog)
            project = settings or project_settings()
            plan, wanted = plan_for(table, planner, change.commit, project, session)
            return conclude(table, plan, wanted, change)

    return streams.failing_well(table, change.commit.output, work)


def plan_for(
    table: str,
    planner: Planner,
    options: CommitOptions,
    project: "Settings",
    session: "SessionSettings",
) -> "tuple[Plan, Wanted]":
    """The plan of *planner* for a table that there is, and the clients that must go on using it."""
    location = wiring.locate(table)
    wanted = Wanted.of(options, project, table, location)
    plan = planned(
        location,
        lambda snapshot: planner(table, snapshot, session),
        wanted,
        name=catalogs.name_of(table),
    )
    return plan, wanted


def project_settings() -> "Settings":
    """The settings around the working directory; raises `SettingsError`."""
    from deltaadm.cli.settings import load_settings

    return load_settings()


def require_plan_options(change: ChangeOptions) -> None:
    """Turn away options that do not go together, and formats that show no plan."""
    streams.check_format(change.commit.output, PlanReport)
    if change.planning.check and change.planning.apply:
        raise typer.BadParameter("cannot be combined with --apply", param_hint="--check")


def conclude(table: str, plan: "Plan", wanted: Wanted, change: ChangeOptions) -> int:
    """Show or save *plan*, carry it out if asked to; the exit code."""
    planning, output = change.planning, change.commit.output
    if planning.out is not None:
        from deltaadm.operations.plan_document import plan_document

        streams.save_plan(planning.out, json.dumps(plan_document(plan, table), indent=2))
    if not planning.apply:
        streams.show([PlanReport(table, plan)], output)
        if output.output == "text" and not plan.is_noop:
            streams.say("Nothing was changed. Add --apply to commit this.")
        return FOUND if planning.check and not plan.is_noop else 0
    return carry_out_plan(table, plan, wanted, change.commit)


def planned(
    location: str,
    make: Callable[["Snapshot"], "Plan"],
    wanted: Wanted,
    *,
    name: str | None = None,
    detail: "Detail | None" = None,
    may_lack: bool = False,
) -> "Plan":
    """
    The plan for the table at *location*, whose *name* in the catalog is known if it was used.

    Where the plan depends on the files or says something about them, it is made with their facts;
    likewise where *detail* asks for them from the start. With *may_lack* there need not be a table
    yet.

    Raises `Refused` where it shuts out a client that is *wanted*, and `TableError` where structs in
    structs go deeper than Python does.
    """
    from deltaadm.operations.clients import require_clients
    from deltaadm.operations.plan import depends_on_state
    from deltaadm.replay.engine import Detail

    try:
        plan = make(wiring.load(location, detail=detail, name=name, may_lack=may_lack))
        if detail is None and depends_on_state(plan):
            plan = make(wiring.load(location, detail=Detail.STATE, name=name, may_lack=may_lack))
    except RecursionError as error:
        raise TableError(
            f"The columns of the table at {location} are nested too deeply to plan a change.",
            remedy="Change it with Spark.",
        ) from error
    require_clients(plan, reading=wanted.reading, writing=wanted.writing, accepted=wanted.accepted)
    return plan


def carry_out_plan(table: str, plan: "Plan", wanted: Wanted, options: CommitOptions) -> int:
    """Show *plan*, ask for consent, commit and verify it, show the outcome; the exit code."""
    output = options.output
    if output.output == "text":
        streams.show([PlanReport(table, plan)], output)
    if not plan.is_noop:
        require_consent([(PlanReport(table, plan), wanted)], options)
    with sessions.executor(options.spark, plan.session, plan.before) as executor:
        streams.note_commits("it is unknown whether the change was committed: inspect the table")
        outcome = committed(plan, executor)
        listed = ", ".join(map(str, outcome.versions))
        streams.note_commits(f"committed: {listed}" if listed else "all is done, without a commit")
    streams.show([OutcomeReport(table, outcome)], output)
    if outcome.mismatches:
        return MISMATCH
    for stage in plan.stages:
        if stage.waits:
            streams.say(wiring.next_phase(plan.before.root, stage.step))
    return WAITING if plan.waits else 0


def committed(plan: "Plan", executor: "Executor") -> "Outcome":
    """What *plan* came to; raises what `carry_out` does."""
    from deltaadm.operations.plan import (
        carry_out,
        is_verified_by_state,
        moves,
        require_same_places,
    )
    from deltaadm.replay.engine import Detail

    detail = Detail.STATE if is_verified_by_state(plan.steps) else Detail.PROTOCOL
    by_name = moves(plan.steps)
    require_same_places(plan, lambda place: wiring.load(place, detail=detail))
    return carry_out(
        plan,
        executor=executor,
        load=lambda: wiring.load_now(plan.before, detail, by_name=by_name),
        committed=wiring.versions_made(plan.before),
    )


class Consent(NamedTuple):
    """Something that must be agreed to: the option that does, or the answer to a question."""

    option: str
    question: str
    answer: str


def require_consent(plans: Sequence[tuple[PlanReport, Wanted]], options: CommitOptions) -> None:
    """Let the plans pass if the command line, or whoever sits at the terminal, agrees to all."""
    missing = {
        one.option: one
        for report, wanted in plans
        for one in (
            *_costs_to_agree_to(report.plan, options.consent),
            *_harm_to_agree_to(report.plan, wanted),
        )
    }
    agree(missing.values(), [report for report, _ in plans], options.output)


def agree(asked: Iterable[Consent], plans: "Sequence[Report]", output: OutputOptions) -> None:
    """Have whoever sits at the terminal agree to all that is *asked* about the reported *plans*."""
    missing = {one.option: one for one in asked}
    if not missing:
        return
    if not _has_terminal():
        what = "the plan" if len(plans) == 1 else f"the {len(plans)} plans"
        raise Refused(
            f"Nobody is there to confirm {what}, so nothing was changed.",
            remedy=f"Pass {' '.join(missing)} to go on without being asked.",
        )
    if output.output != "text" or not sys.stdout.isatty() or len(plans) > 1:
        streams.show_to_user(plans, output)
    for one in missing.values():
        _ask(one.question, one.answer)


def _costs_to_agree_to(plan: "Plan", consent: ConsentOptions) -> Iterator[Consent]:
    given = {
        "--yes": consent.yes,
        "--allow-backfill": consent.allow_backfill,
        "--allow-rewrite": consent.allow_rewrite,
    }
    if not given["--yes"]:
        yield Consent("--yes", "Commit this? Only 'yes' is accepted: ", "yes")
    cost = plan.cost
    option = _CONSENT_TO.get(cost)
    if option is not None and not given[option]:
        yield Consent(
            option,
            f"This is a {cost.value}, and costs as much as the table is large. "
            f"Type '{cost.value}' to go on: ",
            cost.value,
        )
    for name in plan.irreversible:
        if name not in (consent.accept_irreversible or ()):
            yield Consent(
                f"--accept-irreversible {name}",
                f"Dropping {name} destroys history for good. Type '{name}' to go on: ",
                name,
            )


def _harm_to_agree_to(plan: "Plan", wanted: Wanted) -> Iterator[Consent]:
    from deltaadm.operations.clients import needing_consent

    for one in needing_consent(plan, (*wanted.reading, *wanted.writing), wanted.accepted):
        release = one.after.release
        what = "; ".join(cell.note for cell in one.after.responsible)
        yield Consent(
            f"--accept-silently-wrong {release.client.id}",
            f"{release} goes wrong without an error: {what}. Type '{release.client.id}' to go on: ",
            release.client.id,
        )


def _has_terminal() -> bool:
    from os import environ

    return sys.stdin.isatty() and sys.stderr.isatty() and not environ.get("DELTAADM_NO_INPUT")


def _ask(question: str, expected: str) -> None:
    streams.tell(question)
    if sys.stdin.readline().strip().lower() != expected.lower():
        raise Refused("The plan was not confirmed, so nothing was changed.", remedy="")
