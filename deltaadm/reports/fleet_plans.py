"""Plans for many tables: those that change the same are one, with the tables that it is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from deltaadm.blocks import ChangeRow, Changes, Either, Heading, Table
from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.features import Cost
from deltaadm.plans.reports import PlanReport
from deltaadm.reports.overview import FleetSummary, overview_title, show_overview, some
from deltaadm.reports.plans import chips, sections, shut_out, undo_words
from deltaadm.reports.words import cost_text, counted

if TYPE_CHECKING:
    from deltaadm.blocks import Block, Chips, PageBlock, TextBlock
    from deltaadm.clients import Verdict
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.steps import Step


@dataclass(frozen=True)
class PlanGroup:
    """Equal plans: one of them, and the tables that they are for."""

    report: PlanReport
    tables: list[str]
    shut_out: tuple[Verdict, ...]

    @property
    def rows(self) -> tuple[tuple[str, tuple[ChangeRow, ...]], ...]:
        """The changes, in sections."""
        return _rows(self.report)


class PlanGroups:
    """Groups plans as they come, and adds up the files behind their costs."""

    def __init__(self) -> None:
        self._groups: dict[object, PlanGroup] = {}
        self._costly: dict[tuple[Cost, object], tuple[Step, Snapshot]] = {}

    def add(self, report: PlanReport) -> None:
        """Take in one more plan."""
        plan, breaks = report.plan, shut_out(report)
        if plan.is_noop:
            return
        steps = tuple((type(step), step.irreversible) for step in plan.steps)
        key = (_rows(report), breaks, plan.cost, steps)
        self._groups.setdefault(key, PlanGroup(report, [], breaks)).tables.append(report.table)
        for before, stage in zip(plan.states, plan.stages, strict=False):
            if stage.cost is plan.cost is not Cost.METADATA:
                kind = (stage.cost, (type(stage.step), stage.step.dropped_feature))
                _, known = self._costly.get(kind, (None, None))
                files = None if known is None else known.files
                both = files + before.files if files and before.files else before.files
                self._costly[kind] = stage.step, replace(before, files=both)

    def work(self, cost: Cost) -> str:
        """The files that are behind *cost*, of all plans together, in words."""
        works = (step.work(at) for (which, _), (step, at) in self._costly.items() if which is cost)
        return "; ".join(dict.fromkeys(works))

    def __iter__(self) -> Iterator[PlanGroup]:
        """The groups, the largest first."""
        return iter(sorted(self._groups.values(), key=lambda group: -len(group.tables)))

    def summary(self, overview: FleetSummary) -> PlansSummary:
        """The plans with what *overview* says of their tables."""
        groups = tuple(self)
        works = {cost: self.work(cost) for cost in {group.report.plan.cost for group in groups}}
        return PlansSummary(
            overview.tables, overview.failed, overview.sections, overview.places, groups, works
        )


def _rows(report: PlanReport) -> tuple[tuple[str, tuple[ChangeRow, ...]], ...]:
    """The changes of a plan, as they are the same for other tables with other columns."""
    return tuple(
        (
            name,
            tuple(
                dict.fromkeys(
                    ChangeRow("~", "~ columns", row.because)
                    if name == "columns" and row.kind == "~" and row.because
                    else row
                    for row in rows
                )
            ),
        )
        for name, rows in sections(report.plan, full=False)
        if rows
    )


@dataclass(frozen=True)
class PlansSummary(FleetSummary):
    """What the plans for many tables have in common; `works` are files by the cost they cause."""

    groups: tuple[PlanGroup, ...] = ()
    works: Mapping[Cost, str] = field(default_factory=dict)

    blocks = "deltaadm.reports.fleet_plans.show_plans"


def show_plans(report: PlansSummary) -> Iterator[Block]:
    """The plans for many tables, equal ones once, and what they break and cost together."""
    breaks = chips(verdict for group in report.groups for verdict in group.shut_out)
    yield Either(
        _on_page(report, breaks),
        _in_terminal(report, breaks, full=False),
        _in_terminal(report, breaks, full=True),
    )


def _on_page(report: PlansSummary, breaks: Chips) -> Iterator[PageBlock]:
    for block in show_overview(report):
        yield from block.page if isinstance(block, Either) else ()
    for group in report.groups:
        yield Heading(f"{counted(len(group.tables), 'table')}: {some(group.tables)}")
        rows = ((name, "; ".join(row.text for row in rows)) for name, rows in group.rows)
        yield Table("Changes", (), tuple(rows))
    if breaks.groups:
        yield Heading(breaks.caption, tone="warning")
        yield breaks


def _in_terminal(report: PlansSummary, breaks: Chips, *, full: bool) -> Iterator[TextBlock]:
    groups = report.groups
    operation = f"{groups[0].report.plan.operation}: " if groups else ""
    yield Heading(f"{operation}{overview_title(report)}", level=1)
    if full or len(groups) == 1:
        for group in groups:
            names = ", ".join(group.tables) if full else some(group.tables)
            yield Heading(f"{counted(len(group.tables), 'table')}: {names}")
            yield Changes((), group.rows)
    elif groups:
        shown: list[tuple[str, tuple[ChangeRow, ...]]] = [
            (
                counted(len(group.tables), "table"),
                (
                    ChangeRow("=", "; ".join(row.text for _, rows in group.rows for row in rows)),
                    ChangeRow("=", "", some(group.tables)),
                ),
            )
            for group in groups[:_SHOWN]
        ]
        if more := groups[_SHOWN:]:
            tables = counted(sum(len(group.tables) for group in more), "table")
            text = f"change in {len(more)} other ways; -v shows each"
            shown.append((tables, (ChangeRow("=", text),)))
        yield Changes((), tuple(shown))
    rows = [("Breaks", f"{does}: {names}") for does, names in breaks.table.rows]
    undeclared = {group.report.scope.undeclared for group in groups}
    if breaks.groups and any(undeclared):
        rows.append(("Breaks", f"+ {max(undeclared)} clients not declared"))
    for cost, work in sorted(report.works.items(), key=lambda item: item[0].rank):
        alike = [group for group in groups if group.report.plan.cost is cost]
        truncates = any(group.report.plan.irreversible for group in alike)
        tables = counted(sum(len(group.tables) for group in alike), "table")
        of = f"{tables}: " if len(report.works) > 1 else ""
        rows.append(("Cost", f"{of}{cost_text(cost, truncates=truncates, work=work)}"))
    undone = dict.fromkeys(undo_words(replace(group.report, table="TABLE")) for group in groups)
    rows += [("Undo", words) for words in undone if words and len(undone) == 1]
    yield Table("Effects", (), tuple(rows), plain=True)


_SHOWN: Final = 4
"""So many groups are shown in text, unless details are asked for."""
