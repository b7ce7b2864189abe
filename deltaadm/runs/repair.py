"""Repairing tables, one or many, or undoing a repair."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from deltaadm.dataclass import replace
from deltaadm.documents import document
from deltaadm.errors import RefusedError, UsageError
from deltaadm.plans.repair import plan_repairs
from deltaadm.plans.repair.carry_out import Work, carry_out
from deltaadm.plans.repair.repair import Case, RepairPlan, require_own_log
from deltaadm.reports.repair import UndoReport
from deltaadm.reports.words import counted
from deltaadm.runs.context import RunContext, now
from deltaadm.runs.deadline import seconds_of
from deltaadm.runs.fleet import ResultPrinter, TableTask, collect_tables, table_results
from deltaadm.runs.options import FleetOptions
from deltaadm.runs.output import info, show
from deltaadm.runs.plan_options import RepairOptions
from deltaadm.runs.plan_run import Consent, confirm, tell_to_apply
from deltaadm.runs.status import FOUND, REFUSED
from deltaadm.runs.target import Target, find
from deltaadm.storage.store import WritableStore, open_store


def repair_tables(
    context: RunContext, named: Sequence[str], many: FleetOptions, options: RepairOptions
) -> int:
    """Plan the repairs of tables, and do them if asked to; the exit code."""
    if options.check and (options.apply or options.undo):
        raise UsageError("cannot be combined with --apply or --undo", option="--check")
    seconds_of(options.older_than, "--older-than")  # before anything is read
    if len(named) != 1 or many.names_tables or many.brief or many.resume:
        return _repair_many(context, named, many, options)
    target = find(context, named[0])
    if options.undo is not None:
        return _undo(context, target, options.undo, options)
    store, plan = _planned(context, target, options)
    lost = sum(repair.lost_files for repair in plan.planned)
    is_text, is_applied = context.format == "text", options.apply and not plan.is_noop
    if is_text or not is_applied:
        show(context, [plan])
    if is_applied:
        consents = _consents(options)
        if lost and options.accept_lost_files != lost:
            reason = f"the rows of {counted(lost, 'data file')} are lost"
            consents.append(Consent(f"--accept-lost-files {lost}", reason))
        confirm(context, consents, [plan])
        outcome = carry_out(store, plan, context.status.set)
        context.status.set(f"repaired; the journal is {outcome.journal}")
        show(context, [replace(plan, outcome=outcome)])
    elif is_text and plan.after is not None:
        agreed = ["--accept-lost-files", str(lost)] if lost else []
        tell_to_apply(context, "--apply", *agreed)
    return _code(options, document(plan))


def _repair_many(
    context: RunContext, named: Sequence[str], many: FleetOptions, options: RepairOptions
) -> int:
    for option, is_given in (
        ("--undo", options.undo is not None),
        ("--accept-lost-files", options.accept_lost_files is not None),
        ("--remove-missing-files", options.remove_missing_files and options.apply),
    ):
        if is_given:  # lost rows need consent of their own
            raise UsageError("requires a single TABLE", option=option)
    if options.apply and not options.yes:
        raise UsageError(
            "requires --yes for several tables: look at the plans first", option="--apply"
        )
    fleet = collect_tables(context, named, many)
    if options.apply:  # a table of which the earlier run has shown the plan alone is not repaired
        earlier = {table: json.loads(line) for table, line in fleet.answered.items()}
        ended = {table for table, of in earlier.items() if of["is_noop"] or of["outcome"]}
        fleet = replace(fleet, answered={table: fleet.answered[table] for table in ended})

    def report(context: RunContext, target: Target) -> RepairPlan:
        store, plan = _planned(context, target, options)
        if plan.is_noop or plan.after is None or not options.apply:
            return plan
        return replace(plan, outcome=carry_out(store, plan))

    printer = ResultPrinter(context, fleet)
    task = TableTask(context, fleet, report, partial(_code, options), keep=printer.keeps)
    if options.apply:
        context.status.set("every repair that was done has a journal")
    to_do = False
    for result in table_results(task):
        printer.add(result)
        to_do = to_do or result.document.get("after") is not None
    code = printer.finish()
    if to_do and not options.apply and context.format == "text":
        if options.remove_missing_files:
            info("Nothing was changed. Remove missing files of one table at a time.")
        else:
            tell_to_apply(context, "--apply", "--yes")
    return code


def _store(context: RunContext, target: Target) -> WritableStore:
    if context.unity is not None:
        context.unity.allow_writing(target.location)
    return open_store(target.location, object_stores=context.object_stores)


def _planned(
    context: RunContext, target: Target, options: RepairOptions
) -> tuple[WritableStore, RepairPlan]:
    store, older_than = _store(context, target), seconds_of(options.older_than, "--older-than")
    case = Case(store, now(), round(older_than * 1000), table=target.text)
    case.remove_missing_files = options.remove_missing_files
    return store, plan_repairs(case)


def _code(options: RepairOptions, document: Mapping[str, Any]) -> int:
    """The exit code of a table with this report."""
    if options.check and not document["is_noop"]:
        return FOUND
    is_refused = any(repair["refusal"] for repair in document["repairs"])
    stays = document["blocked"] if document["is_noop"] else document["still_blocked"]
    return REFUSED if is_refused or stays else 0


def _undo(context: RunContext, target: Target, named: str, options: RepairOptions) -> int:
    require_own_log(store := _store(context, target))
    work = Work.find(store, named)
    entries, left = work.way_back()
    work.require_loadable(entries)
    files = tuple(entry["file"] for entry in entries)
    report = UndoReport(target.text, named, files, left, done=False)
    is_text, is_applied = context.format == "text", options.apply and files
    if is_applied and store.obstacle:
        raise RefusedError(f"deltaadm cannot write to this table: {store.obstacle}.")
    if is_text or not is_applied:
        show(context, [report])
    if is_applied:
        confirm(context, _consents(options), [report])
        left = work.put_back(status="undone")
        show(context, [replace(report, left=left, done=True)])
    elif is_text and files:
        tell_to_apply(context, "--apply")
    return 0


def _consents(options: RepairOptions) -> list[Consent]:
    return [] if options.yes else [Consent("--yes")]
