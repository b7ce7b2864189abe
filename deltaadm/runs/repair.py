"""Repairing a table, or undoing a repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.errors import Refused, UsageError
from deltaadm.json_values import text
from deltaadm.plans.repair.carry_out import carry_out, changed_since, read_journal, undo
from deltaadm.plans.repair.case import Case, sha256
from deltaadm.plans.repair.kinds import KINDS
from deltaadm.plans.repair.repair import plan_repairs, require_own_log
from deltaadm.reports.repair import REPAIR_DOCUMENT, RepairReport, UndoReport
from deltaadm.runs import names as table_names
from deltaadm.runs.context import now
from deltaadm.runs.deadline import seconds_of
from deltaadm.runs.declare import NEVER, Parameters, option
from deltaadm.runs.output import handle_errors, show
from deltaadm.runs.plan_run import Consent, confirm, tell_to_apply
from deltaadm.runs.status import FOUND, REFUSED
from deltaadm.runs.target import resolve
from deltaadm.storage.store import open_store

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext
    from deltaadm.storage.store import WritableStore


class RepairOptions(Parameters):
    """The use of the repairs."""

    heading = "Repair"
    scope = NEVER

    # fmt: off
    apply: bool = option("Repair the log; without it, the repairs are only shown.")
    check: bool = option("Exit with 1 if there is something to repair.")
    yes: bool = option("--yes", "-y", "Do not ask before the repair.")
    older_than: str = option("DURATION",
        "Leave files alone that changed within this time: they may still be being written.",
        default="10m")
    remove_missing_files: bool = option(
        "Look for every data file, and remove those from the table that are not in the storage.")
    accept_lost_files: int | None = option("NUMBER",
        "Accept that the rows of so many missing data files are lost.")
    undo: str | None = option("JOURNAL",
        "Put back what the repair with this journal changed.")
    # fmt: on


def repair_table(context: RunContext, table: str, options: RepairOptions) -> int:
    """Plan the repairs of *table*, and do them if asked to; the exit code."""
    if options.check and (options.apply or options.undo):
        raise UsageError("cannot be combined with --apply or --undo", option="--check")
    age = options.older_than
    try:
        older_than = 0 if age in {"0", "0s"} else round(seconds_of(age) * 1000)
    except UsageError as error:
        raise UsageError(error.message, option="--older-than") from error

    def work() -> int:
        with table_names.opened(context, [table], [table]) as opened:
            target = resolve(opened, table, table_names.look_up(opened, [table]).get(table))
            if opened.unity is not None:
                opened.unity.allow_writing(target.location)
            store = open_store(target.location, object_stores=opened.object_stores)
            if options.undo is not None:
                return _undo(opened, table, store, options)
            case = Case(store, now(), older_than, remove_missing_files=options.remove_missing_files)
            return _repair(opened, table, case, options)

    return handle_errors(context, table, work)


def _repair(context: RunContext, table: str, case: Case, options: RepairOptions) -> int:
    plan = plan_repairs(case, KINDS)
    report = RepairReport(table, plan)
    if plan.is_noop or not options.apply:
        show(context, [report])
        if not plan.is_noop and context.format == "text":
            tell_to_apply(context, "--apply")
        if options.check and not plan.is_noop:
            return FOUND
        return REFUSED if plan.refused or (plan.is_noop and plan.blocked) else 0
    if context.format == "text":
        show(context, [RepairReport(table, plan, brief=options.yes)])
    consents = _consents("Repair this?", options)
    lost = sum(repair.lost_files for repair in plan.planned)
    if lost and options.accept_lost_files != lost:
        question = f"The rows of {lost} data files are lost. Type '{lost}' to continue: "
        consents.append(Consent(f"--accept-lost-files {lost}", question, str(lost)))
    confirm(context, consents, [report])
    about = REPAIR_DOCUMENT.write(report)
    about = {key: about[key] for key in ("table", "location", "repairs", "before", "after")}
    outcome = carry_out(case.store, plan, about, context.status.set)
    context.status.set(f"repaired; the journal is {outcome.journal}")
    show(context, [RepairReport(table, plan, outcome)])
    return REFUSED if plan.refused else 0


def _undo(context: RunContext, table: str, store: WritableStore, options: RepairOptions) -> int:
    named = text(options.undo)
    require_own_log(store)
    _, journal = read_journal(store, named)
    changed = changed_since(store, journal)
    files = tuple(
        entry["file"]
        for entry in journal["files"]
        if entry["file"] not in changed and sha256(store, entry["file"]) != entry["before"]
    )
    report = UndoReport(table, named, files, tuple(changed), done=False)
    if not options.apply or not files:
        show(context, [report])
        if files and context.format == "text":
            tell_to_apply(context, "--apply")
        return 0
    if store.obstacle:
        raise Refused(f"deltaadm cannot write to this table: {store.obstacle}.")
    if context.format == "text":
        show(context, [report])
    confirm(context, _consents("Put this back?", options), [report])
    left = undo(store, named)
    show(context, [UndoReport(table, named, files, left, done=True)])
    return 0


def _consents(question: str, options: RepairOptions) -> list[Consent]:
    return [] if options.yes else [Consent("--yes", f"{question} Only 'yes' is accepted: ", "yes")]
