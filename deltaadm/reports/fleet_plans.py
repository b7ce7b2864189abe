"""Plans for many tables: those that change the same are one, with the tables that it is for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from os.path import commonprefix
from typing import TYPE_CHECKING, Final, TypeVar

from deltaadm.blocks import ChangeRow, Changes, Chips, Either, Heading, Table
from deltaadm.clients import Compatibility
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import Cost
from deltaadm.plans.reports import PlanReport
from deltaadm.reports.overview import FleetSummary, overview_title, show_overview
from deltaadm.reports.plans import chips, effects, sections, shut_out
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
        changes = {name: tuple(rows) for name, rows in sections(plan, full=False) if rows}
        if "columns" in changes:  # in words for any table, unless somebody asked for them
            columns = ChangeRow("~", "~ columns")
            same = (columns if of.kind == "~" and of.because else of for of in changes["columns"])
            changes["columns"] = tuple(dict.fromkeys(same))
        shown = tuple(changes.items())
        worse = dict.fromkeys(shut_out(report))
        self._shut_out |= worse
        # What needs consent differs from group to group only.
        wrong = tuple(each for each in worse if each.compatibility is Compatibility.SILENTLY_WRONG)
        lost = tuple(each.step.destroys(each.before) for each in plan.stages)
        forever = tuple(step.words for step in plan.steps if step.irreversible)
        texts = tuple(row.text for _, rows in shown for row in rows)
        key = texts, wrong, plan.cost, forever, lost
        self._groups.setdefault(key, PlanGroup(report, shown, [])).tables.append(report.table)
        for stage in plan.stages:
            if stage.cost is plan.cost is not Cost.METADATA:
                kind = stage.cost, type(stage.step), stage.step.dropped_feature
                known = self._costly[kind][1].files if kind in self._costly else None
                files = stage.before.files
                files = known + files if known and files else files
                self._costly[kind] = stage.step, replace(stage.before, files=files)

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


@dataclass(frozen=True)
class PlansSummary(FleetSummary):
    """What the plans for many tables are, whom they break, and what they cost together."""

    groups: tuple[PlanGroup, ...] = ()
    clients: Chips = Chips("", ())
    costs: tuple[str, ...] = ()

    blocks = "deltaadm.reports.fleet_plans.show_plans"


def show_plans(report: PlansSummary) -> Iterator[Block]:
    """The plans for many tables, those that are alike once."""
    yield Either(
        _on_page(report), _in_terminal(report, full=False), _in_terminal(report, full=True)
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


def _in_terminal(report: PlansSummary, *, full: bool) -> Iterator[TextBlock]:
    groups, found = report.groups, dict(report.sections)
    paths = [table for group in groups for table in group.tables]
    place = commonprefix(paths).rpartition("/")[0] if len(paths) > 1 else ""  # noqa: RUF071 -- of names, too
    operation = f"{groups[0].report.plan.operation}: " if groups else ""
    all_tables, _, failed = overview_title(report).partition(", ")
    title = f"{operation}{all_tables}{f' in {place}' if place else ''}"
    yield Heading(f"{title}, {failed}" if failed else title, level=1)

    def names(tables: Iterable[str], number: int, most: int = 0) -> str:
        named = (table.removeprefix(f"{place}/") for table in tables)
        return some_of(named, most or (2 if number in {1, 2} else 1), of=number)

    rows: list[tuple[str, str, str]] = []
    failures = () if full else found.get("Failures", ())
    named_failures = _first(failures, _FAILURES)
    for reason, number in named_failures:
        # What to do about each of several takes more than a screen.
        what = reason if len(failures) == 1 else reason.partition(". ")[0].rstrip(".")
        which = names(report.places["Failures", reason], number)
        rows.append((f"{number} failed", "-", f"{which}: {what}"))
    if hidden := failures[len(named_failures) :]:
        text = f"for {len(hidden)} other reasons; -v lists them"
        rows.append((f"{sum(number for _, number in hidden)} failed", "-", text))
    if same := dict(found.get("Plans", ())).get("no changes"):
        rows.append((counted(same, "table"), "=", "no changes; --all lists them"))
    is_long = full or len(groups) == 1
    if not is_long:
        rows += _in_brief(groups, names)
    if rows:
        yield Changes((), tuple((label, (ChangeRow(*row),)) for label, *row in rows))
    for group in groups if is_long else ():
        number = len(group.tables)
        listed = ", ".join(group.tables) if full else names(group.tables, number, 4)
        yield Heading(f"{counted(number, 'table')}: {listed}")
        yield Changes((), group.sections)
        if full and len(groups) > 1:
            yield from effects([group.report], Chips("", ()), (), full=True)
    missed = found.get("Clients that cannot be reached", ())
    costs = [("Missed", f"{counted(count, 'table')}: {goal}") for goal, count in missed]
    costs += [("Cost", text) for text in report.costs]
    reports = [replace(group.report, table="TABLE") for group in groups]
    yield from effects(reports, report.clients, costs, most=None if is_long else _CLIENTS)


def _in_brief(
    groups: Sequence[PlanGroup], names: Callable[[Sequence[str], int], str]
) -> Iterator[tuple[str, str, str]]:
    """A row for what all of *groups* change, and rows for what else the largest do."""
    # Without features that are only listed from now on, and properties that follow from others.
    texts = [
        dict.fromkeys(
            row.text
            for name, rows in group.sections
            for row in rows
            if row.kind != "=" and not (row.because and name == "properties")
        )
        for group in groups
    ]
    shared = [text for text in (texts[0] if texts else ()) if all(text in each for each in texts)]
    if shared:
        yield "all plans", "=", "; ".join(shared)
    shown = len(_first(groups, _GROUPS))
    for group, each in list(zip(groups, texts, strict=True))[:shown]:
        number, rest = len(group.tables), "; ".join(text for text in each if text not in shared)
        which = names(group.tables, number)
        yield counted(number, "table"), "=", f"{which}: {rest}" if rest else which
    if hidden := groups[shown:]:
        text = f"in {len(hidden)} other ways; -v shows each"
        yield counted(sum(len(group.tables) for group in hidden), "table"), "=", text


T = TypeVar("T")


def _first(items: Sequence[T], most: int) -> Sequence[T]:
    """At most so many of *items*, and the last one as well where it alone would be left out."""
    return items if len(items) == most + 1 else items[:most]


_FAILURES: Final = 2
_GROUPS: Final = 3
_CLIENTS: Final = 3
"""So many of each are shown unless details are asked for."""
