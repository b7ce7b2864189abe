"""Comparing states of tables, and recording what they are like."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deltaadm.dataclass import replace
from deltaadm.documents import Failure
from deltaadm.domain.properties import whole_number
from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import RefusedError, SettingsError, UsageError, require_one_of
from deltaadm.replay.reconcile import Detail
from deltaadm.reports import diff as reports
from deltaadm.reports.history import Section
from deltaadm.reports.words import counted
from deltaadm.runs.context import RunContext
from deltaadm.runs.files import write_file
from deltaadm.runs.fleet import (
    TableTask,
    collect_tables,
    combine_exit_codes,
    report_all,
    table_results,
)
from deltaadm.runs.history import NEWEST, Point, iso_milliseconds
from deltaadm.runs.options import FleetOptions, read_file
from deltaadm.runs.output import info, show_error, write_text
from deltaadm.runs.status import FOUND
from deltaadm.runs.target import Target, find

if TYPE_CHECKING:
    from deltaadm.plans.diff import Change
    from deltaadm.plans.plan import Plan
    from deltaadm.runs.plan_run import PlanInput, Planner


class ComparisonRequest(NamedTuple):
    """The sections that are compared, and whether the location is left out."""

    sections: tuple[Section, ...]
    ignored: Callable[[str], bool]


def comparison(only: Sequence[str] = (), ignore: Sequence[str] = ()) -> ComparisonRequest:
    """The request to compare sections, *only* these if any, but not what is to be *ignored*."""
    names = {section.value: section for section in Section}
    for name in only:
        require_one_of(name, names, "--only")
    chosen = (name for name in names if name in (only or names) and name not in ignore)
    places = [place for place in ignore if place not in names]
    return ComparisonRequest(tuple(names[name] for name in chosen), reports.ignoring(places))


class Place(NamedTuple):
    """A table at a point in its history."""

    table: str
    point: Point = NEWEST


def place(text: str) -> Place:
    """
    What `TABLE@VERSION` or `TABLE@TIME` stands for; without either it is a whole name.

    >>> place("events@3"), place("me@host/events")
    (Place(table='events', point=Point(version=3, timestamp=None)), \
Place(table='me@host/events', point=Point(version=None, timestamp=None)))
    """
    table, at, rest = text.rpartition("@")
    version = whole_number(rest) if at and rest.isascii() and rest.isdecimal() else None
    if version is not None:
        return Place(table, Point(version=version))
    timestamp = iso_milliseconds(rest) if at else None
    return Place(text) if timestamp is None else Place(table, Point(timestamp=timestamp))


def is_reference(text: str) -> bool:
    """Whether *text* names a file, which a table is not."""
    return os.path.isfile(text) or (text.endswith(".json") and not os.path.isdir(text))  # noqa: PTH112, PTH113


def comparable(context: RunContext, target: Target, point: Point = NEWEST) -> Snapshot:
    """The table at a point, with its clustering, for which few tables need more to be read."""
    load = partial(target.load, context, version=point.version, timestamp=point.timestamp)
    snapshot = load()
    if snapshot.protocol.supports("clustering"):
        return load(detail=Detail.STATE)
    # Not None, for which the comparison leaves clustering out.
    return replace(snapshot, domains={})


def compared(
    context: RunContext,
    first: tuple[Target, Point],
    second: tuple[Target, Point],
    request: ComparisonRequest,
) -> reports.DiffReport:
    """The differences between two tables, or two versions of one."""
    (old, _), (new, _) = first, second
    before, after = (comparable(context, *side) for side in (first, second))
    same = old.location == new.location
    return reports.DiffReport(
        before=reports.ComparedState(old.text, before.version),
        after=reports.ComparedState(new.text, after.version),
        sections=request.sections,
        changes=reports.compare(before, after, *request, same_table=same, history=same),
    )


def compare_with_reference(
    context: RunContext,
    file: str,
    named: Sequence[Place],
    request: ComparisonRequest,
    many: FleetOptions | None = None,
    *,
    reference_last: bool = False,
) -> int:
    """
    Show in what the tables that are *named*, or all recorded ones, differ from their records.

    Those of *many* are compared as well; without, a single record is that of any table.
    """
    many = many or FleetOptions()
    by_name = _recorded(file)
    places = {each.table: each.point for each in named} or dict.fromkeys(by_name, NEWEST)
    twice = [table for table, count in Counter(each.table for each in named).items() if count > 1]
    if twice:
        raise UsageError(f"{twice[0]} appears twice", option="TABLE")
    if not places:
        raise RefusedError(
            f"{file} contains no tables.", remedy="Record some: `deltaadm record TABLE`."
        )

    def report(context: RunContext, target: Target) -> reports.DiffReport:
        entry = _entry(file, by_name, target.text, alone=not many.names_tables)
        current = comparable(context, target, places.get(target.text, NEWEST))
        sides = [
            (reports.recorded_state(entry, current), reports.ComparedState(entry.table, file=file)),
            (current, reports.ComparedState(target.text, current.version)),
        ]
        (old, before), (new, after) = sides[::-1] if reference_last else sides
        changes = reports.compare(old, new, *request, same_table=target.text == entry.table)
        return reports.DiffReport(
            before=before, after=after, sections=request.sections, changes=changes
        )

    def code(document: Mapping[str, Any]) -> int:
        return 0 if document["equal"] else FOUND

    return report_all(context, [*places], many, report, code=code)


def _recorded(file: str) -> dict[str, reports.RecordedTable]:
    try:
        recorded = reports.read_reference(read_file(Path(file))).tables
    except SettingsError as error:
        raise SettingsError(f"{file}: {error.message}", remedy=error.remedy) from error
    return {each.table: each for each in recorded}


def _entry(
    file: str, by_name: Mapping[str, reports.RecordedTable], table: str, *, alone: bool
) -> reports.RecordedTable:
    """The record of *table* in *file*; one that is *alone* is that of any table."""
    if table in by_name:
        return by_name[table]
    if not alone or len(by_name) != 1:
        raise RefusedError(
            f"{file} has no record of {table}.",
            remedy="Name the table as it was recorded, or record it with `deltaadm record`.",
        )
    return next(iter(by_name.values()))


def reference_planner(
    reference: str, request: ComparisonRequest, *, alone: bool
) -> tuple[Planner, list[str]]:
    """
    The planner of what makes tables like the *reference*, and the tables that are recorded in it.

    That is a file, or another table at some point; a record that is *alone* is that of any table.
    """
    from deltaadm.plans import reversal

    by_name = _recorded(reference) if is_reference(reference) else {}
    side = place(reference)

    def plan(table: PlanInput) -> Plan:
        current, unknown = table.target.load(table.context, detail=Detail.STATE), frozenset[str]()
        if by_name:
            entry = _entry(reference, by_name, table.target.text, alone=alone)
            wanted, unknown = reports.recorded_state(entry, current), frozenset(entry.fingerprints)
        else:
            wanted = comparable(table.context, find(table.context, side.table), side.point)

        def differences(state: Snapshot) -> tuple[Change, ...]:
            return reports.compare(wanted, state, *request, same_table=False)

        return reversal.plan_reference(
            wanted, current, differences, unknown=unknown, session=table.session
        )

    return plan, [*by_name]


# Recording


def record_tables(
    context: RunContext, named: Sequence[str], request: FleetOptions, file: Path | None
) -> int:
    """Write a reference with all tables, or nothing if one cannot be read; the exit code."""
    fleet = collect_tables(context, named, request)
    task = TableTask(
        context,
        fleet,
        lambda reader, target: reports.record(target.text, comparable(reader, target)),
        keep=True,
    )
    results = [*table_results(task)]
    for result in results:
        if isinstance(result.report, Failure):
            show_error(result.report.table, result.report.error)
    code = combine_exit_codes((result.code for result in results), alone=fleet.alone)
    if code:
        info("Nothing was recorded.")
        return code
    text = reports.write_reference(result.document for result in results)
    if file is None:
        write_text(text)
    else:
        write_file(file, text)
        info(f"Recorded {counted(len(results), 'table')} in {file}.")
    return 0
