"""Plans for many tables: those that change the same are one, with the tables that it is for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os.path import commonprefix
from typing import TYPE_CHECKING, Final

from deltaadm.blocks import ChangeRow, Changes, Chips, Either, Heading, Table
from deltaadm.clients import Compatibility
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import Cost
from deltaadm.plans.reports import PlanReport
from deltaadm.reports.overview import FleetSummary, overview_title, show_overview
from deltaadm.reports.plans import (
    breaks,
    chips,
    effects,
    interrupts,
    notes,
    sections,
    shut_out,
    undo_words,
)
from deltaadm.reports.words import cost_text, counted, some_of

if TYPE_CHECKING:
    from deltaadm.blocks import Block, PageBlock, TextBlock
    from deltaadm.clients import Verdict
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.steps import Step


@dataclass(frozen=True)
class PlanGroup:
    """Plans that change the same: one of them, its changes in sections, and their tables."""

    report: PlanReport
    sections: tuple[tuple[str, tuple[ChangeRow, ...]], ...]
    tables: list[str]


class PlanGroups:
    """Groups plans as they come, with what they break and cost together."""

    def __init__(self) -> None:
        self._groups: dict[object, PlanGroup] = {}
        self._shut_out: dict[Verdict, None] = {}
        self._costly: dict[tuple[Cost, type, str], tuple[Step, Snapshot]] = {}

    def add(self, report: PlanReport) -> None:
        """Take in one more plan."""
        plan = report.plan
        if plan.is_noop:
            return
        shown = tuple(
            (name, _alike(rows) if name == "columns" else tuple(rows))
            for name, rows in sections(plan, full=False)
            if rows
        )
        worse = dict.fromkeys(shut_out(report))
        self._shut_out |= worse
        # What needs consent differs from group to group only.
        wrong = tuple(each for each in worse if each.compatibility is Compatibility.SILENTLY_WRONG)
        lost = tuple(each.step.destroys(each.before) for each in plan.transitions)
        forever = tuple(step.words for step in plan.steps if step.irreversible)
        key = shown, wrong, plan.cost, forever, lost
        self._groups.setdefault(key, PlanGroup(report, shown, [])).tables.append(report.table)
        for before, stage in zip(plan.states, plan.stages, strict=False):
            if stage.cost is plan.cost is not Cost.METADATA:
                kind = stage.cost, type(stage.step), stage.step.dropped_feature
                known = self._costly[kind][1].files if kind in self._costly else None
                files = known + before.files if known and before.files else before.files
                self._costly[kind] = stage.step, replace(before, files=files)

    def __iter__(self) -> Iterator[PlanGroup]:
        """The groups, the largest first."""
        return iter(sorted(self._groups.values(), key=lambda group: -len(group.tables)))

    def work(self, cost: Cost) -> str:
        """The files that are behind *cost*, of all plans together, in words."""
        works = (step.work(at) for (of, *_), (step, at) in self._costly.items() if of is cost)
        return "; ".join(dict.fromkeys(works))

    def summary(self, overview: FleetSummary) -> PlansSummary:
        """The plans, with what *overview* says of their tables."""
        costs: dict[Cost, list[PlanGroup]] = {}
        for group in self:
            costs.setdefault(group.report.plan.cost, []).append(group)
        told = []
        for cost in sorted(costs, key=lambda cost: -cost.rank):
            truncates = any(group.report.plan.irreversible for group in costs[cost])
            number = sum(len(group.tables) for group in costs[cost])
            text = cost_text(cost, truncates=truncates, work=self.work(cost))
            told.append(text if len(costs) == 1 else f"{counted(number, 'table')}: {text}")
        return PlansSummary(
            overview.tables,
            overview.failed,
            overview.sections,
            overview.places,
            groups=tuple(self),
            clients=chips(self._shut_out),
            costs=tuple(told),
        )


def _alike(rows: Iterable[ChangeRow]) -> tuple[ChangeRow, ...]:
    """Changes of columns in the words for any table, as far as nobody has asked for them."""
    columns = ChangeRow("~", "~ columns")
    same = (columns if row.kind == "~" and row.because else row for row in rows)
    return tuple(dict.fromkeys(same))


@dataclass(frozen=True)
class PlansSummary(FleetSummary):
    """What the plans for many tables are, whom they break, and what they cost together."""

    groups: tuple[PlanGroup, ...] = ()
    clients: Chips = Chips("", ())
    costs: tuple[str, ...] = ()

    blocks = "deltaadm.reports.fleet_plans.show_plans"


def show_plans(report: PlansSummary) -> Iterator[Block]:
    """The plans for many tables, those that are alike once."""
    names = [table for group in report.groups for table in group.tables]
    place = commonprefix(names).rpartition("/")[0] if len(names) > 1 else ""  # noqa: RUF071 -- of names, too
    yield Either(
        _on_page(report),
        _in_terminal(report, place, full=False),
        _in_terminal(report, place, full=True),
    )


def _on_page(report: PlansSummary) -> Iterator[PageBlock]:
    for block in show_overview(report):
        yield from block.page if isinstance(block, Either) else ()
    for group in report.groups:
        yield Heading(f"{counted(len(group.tables), 'table')}: {some_of(group.tables)}")
        rows = ((name, "; ".join(row.text for row in rows)) for name, rows in group.sections)
        yield Table("Changes", (), tuple(rows))
    if report.clients.groups:
        yield Heading(report.clients.caption, tone="warning")
        yield report.clients


def _in_terminal(report: PlansSummary, place: str, *, full: bool) -> Iterator[TextBlock]:
    """The plans in at most a screen, with the names of tables below *place*; or in *full*."""
    groups = report.groups
    operation = f"{groups[0].report.plan.operation}: " if groups else ""
    all_tables, _, failed = overview_title(report).partition(", ")
    below, prefix = (f" in {place}", f"{place}/") if place else ("", "")
    title = f"{operation}{all_tables}{below}"
    yield Heading(f"{title}, {failed}" if failed else title, level=1)

    def named(tables: Sequence[str], number: int) -> ChangeRow:
        names = (each.removeprefix(prefix) for each in tables)
        return ChangeRow("=", some_of(names, of=number))

    shown: list[tuple[str, tuple[ChangeRow, ...]]] = []
    failures = () if full else dict(report.sections).get("Failures", ())
    for reason, number in failures[:_SHOWN]:
        which = named(report.places["Failures", reason], number)
        shown.append((f"{number} failed", (which, ChangeRow("-", reason))))
    if hidden := failures[_SHOWN:]:
        number = sum(count for _, count in hidden)
        text = f"for {counted(len(hidden), 'other reason')}; -v lists them"
        shown.append((f"{number} failed", (ChangeRow("-", text),)))
    is_long = full or len(groups) == 1
    for group in () if is_long else groups[:_SHOWN]:
        number = len(group.tables)
        text = "; ".join(row.text for _, rows in group.sections for row in rows)
        rows = named(group.tables, number), ChangeRow("=", text)
        shown.append((counted(number, "table"), rows))
    if hidden_groups := () if is_long else groups[_SHOWN:]:
        number = sum(len(group.tables) for group in hidden_groups)
        text = f"in {counted(len(hidden_groups), 'other way')}; -v shows each"
        shown.append((counted(number, "table"), (ChangeRow("=", text),)))
    if shown:
        yield Changes((), tuple(shown))
    for group in groups if is_long else ():
        names = ", ".join(group.tables) if full else named(group.tables, len(group.tables)).text
        yield Heading(f"{counted(len(group.tables), 'table')}: {names}")
        yield Changes((), group.sections)
        if full and len(groups) > 1:
            interrupted = interrupts([group.report.plan], full=True)
            undone = ("Undo", undo_words(group.report))
            yield from effects([*interrupted, undone, *notes(group.report)])
    told = breaks(report.clients, max((each.report.scope.undeclared for each in groups), default=0))
    told += interrupts(group.report.plan for group in groups)
    missed = dict(report.sections).get("Clients that cannot be reached", ())
    told += [("Missed", f"{counted(count, 'table')}: {goal}") for goal, count in missed]
    told += [("Cost", text) for text in report.costs]
    anyone = [replace(group.report, table="TABLE") for group in groups]
    undos = dict.fromkeys(map(undo_words, anyone))
    told += [("Undo", words) for words in undos if len(undos) == 1]
    said = [dict.fromkeys(notes(each)) for each in anyone]
    told += [note for note in (said[0] if said else ()) if all(note in known for known in said)]
    yield from effects(told)


_SHOWN: Final = 3
"""So many groups of plans, and of failures, are shown unless details are asked for."""
