"""The subcommands `diff` and `record`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deltaadm.errors import UsageError
from deltaadm.reports.history import Section
from deltaadm.runs.compare import (
    Place,
    compare_with_reference,
    compared,
    comparison,
    is_reference,
    place,
    record_tables,
    reference_planner,
)
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import TABLES_HELP, AccessOptions, FleetOptions, SparkOptionGroup
from deltaadm.runs.output import show
from deltaadm.runs.plan_options import ChangeOptions
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.status import FOUND
from deltaadm.runs.target import find


class Diff(Parameters):
    """
    Compares two versions of a table, two tables, or tables with a reference file written by
    `record`: protocol, features, schema, column mapping, constraints, clustering and properties.
    TABLE@VERSION and TABLE@TIME (ISO 8601) name a state of a table, @VERSION one of the same table.
    A reference file alone is compared with all tables in it. If options name tables, those are
    compared as well, and a table that the file lacks is an error. Exits with 1 if anything differs.
    With --plan, shows the changes that make the tables like the first side; --apply carries them
    out. Columns change only with --only schema, the table's comment with --only table.

    For example:

      deltaadm diff /data/events@3 /data/events@10

      deltaadm diff /data/events@2026-11-01

      deltaadm diff /data/staging/events /data/events --only schema

      deltaadm diff reference.json --ignore 'configuration[team.*]'

      deltaadm diff reference.json --discover /data

      deltaadm diff reference.json /data/events --plan
    """

    # fmt: off
    sides: list[str] = argument("TABLE|FILE...",
        "Two of TABLE, TABLE@VERSION, TABLE@TIME and a reference file; or a reference file and "
        "tables.")
    only: list[str] | None = option("SECTION",
        f"Compare only {', '.join(section.value for section in Section)}. Repeatable.")
    ignore: list[str] | None = option("SECTION|PLACE",
        "Ignore a section, or a place like 'configuration[owner]'; * matches anything. Repeatable.")
    # fmt: on
    plan: bool = option("Plan the changes that make the table like the first side.")
    many: FleetOptions
    change: ChangeOptions

    @property
    def shows(self) -> str:
        return "PlanReport" if self.plan else "DiffReport"

    @property
    def about(self) -> str:
        return "changed" if self.plan else ""

    @property
    def changed(self) -> list[str]:
        """The tables that --plan changes, as far as they are named."""
        return self.sides[1:]

    def run(self, context: RunContext) -> int:
        if self.plan:
            from deltaadm.runs.plan_tables import plan_tables  # which comparing does without

            first, *tables = self.sides
            if not (tables or self.many.names_tables or is_reference(first)):
                raise UsageError("name the table that is to change", option="TABLE|FILE...")
            changeable = [
                each.value for each in Section if each not in (Section.SCHEMA, Section.TABLE)
            ]
            request = comparison(self.only or changeable, self.ignore or ())
            named = self.many.names_tables
            planner, recorded = reference_planner(first, request, alone=not named)
            tables = tables or ([] if named else recorded)
            return plan_tables(context, tables, self.many, planner, self.change)
        for name in ("apply", "check", "out"):
            if getattr(self.change.planning, name):
                raise UsageError("requires --plan", option=f"--{name}")
        request = comparison(self.only or (), self.ignore or ())
        first, *rest = self.sides
        if self.many.names_tables and not is_reference(first):
            raise UsageError(
                "must be a reference file if options name the tables", option="TABLE|FILE..."
            )
        with log_reader(context, self.sides, self.many) as reader:
            if is_reference(first):
                places = [*map(place, rest)]
                return compare_with_reference(reader, first, places, request, self.many)
            before, second = _two(self.sides)
            if isinstance(second, str):
                sides = [before]
                return compare_with_reference(reader, second, sides, request, reference_last=True)
            old, new = ((find(reader, side.table), side.point) for side in (before, second))
            report = compared(reader, old, new, request)
            return show(context, [report]) or (0 if report.equal else FOUND)


def _two(sides: Sequence[str]) -> tuple[Place, Place | str]:
    """The table, and what it is compared with: another place, or a reference file."""
    first = place(sides[0])
    if len(sides) == 1 and first == Place(sides[0]):
        raise UsageError(
            f"compare {sides[0]} with another table or version, or with a reference file, for "
            f"example {sides[0]}@0",
            option="TABLE|FILE...",
        )
    if len(sides) == 1:
        return first, Place(first.table)
    if len(sides) > len(("before", "after")):
        raise UsageError(
            "only a reference file can be compared with several tables", option="TABLE|FILE..."
        )
    if is_reference(sides[1]):
        return first, sides[1]
    second = place(sides[1])
    return first, second if second.table else Place(first.table, second.point)


class Record(Parameters):
    """
    Writes a reference file for `diff` to compare tables with later: protocol, schema, clustering
    and properties, but no secrets and no times, so unchanged tables give the same file again.

    For example:

      deltaadm record /data/events --out events.json

      deltaadm record --discover /data --out reference.json
    """

    tables: list[str] | None = argument("TABLE...", TABLES_HELP)
    out: Path | None = option("FILE", "Write to FILE instead of standard output.")
    many: FleetOptions
    access: AccessOptions
    spark: SparkOptionGroup

    def run(self, context: RunContext) -> int:
        named, many = self.tables or [], self.many
        many.require_any(named)
        for name in ("brief", "resume"):
            if getattr(many, name):
                raise UsageError("does not apply to `record`", option=f"--{name}")
        with log_reader(context, named, many) as reader:
            return record_tables(reader, named, many, self.out)
