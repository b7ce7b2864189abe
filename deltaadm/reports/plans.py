"""Plans, of one table and of many, and their outcomes, as blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from deltaadm.blocks import (
    Block,
    Cards,
    ChangeRow,
    Changes,
    Command,
    Common,
    Details,
    Either,
    Findings,
    Graph,
    Heading,
    Items,
    Paragraph,
    Reasons,
    Table,
    in_words,
    page_blocks,
)
from deltaadm.clients import EVERYONE, Access, Compatibility, Scope, Verdict
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import FEATURES, Cost
from deltaadm.domain.schema import path_text
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.wire import second
from deltaadm.errors import RefusedError, some_of
from deltaadm.masking import quoted_argument
from deltaadm.plans.diff import ChangeKind, change_words, value_words
from deltaadm.plans.features import DropReport, DropStatus, Phase
from deltaadm.plans.impact import interruptions, newly_shut_out
from deltaadm.plans.plan import Plan, PlannedChange, moves, planned_statement
from deltaadm.plans.reports import (
    ForeignReport,
    JournalReport,
    OutcomeReport,
    PlanReport,
    PlanState,
    SavedPlanReport,
    committed_words,
    concurrent_words,
)
from deltaadm.plans.reversal import plan_undo
from deltaadm.plans.secrets import Masker
from deltaadm.plans.undo import KEPT_BY_DELTA, REQUESTED, WITHOUT_COMMAND, advice_for, fix_command
from deltaadm.reports.overview import FleetSummary, overview_title, status_and_details
from deltaadm.reports.words import (
    COLUMNS_SHOWN,
    COST_NAMES,
    DOES,
    cost_text,
    counted,
    grouped,
    last_seen,
)
from deltaadm.rules.rule import LIMIT, Finding, Severity


def show_plan(report: PlanReport) -> Iterator[Block]:
    """The changes of a plan with their reasons, whom it breaks, what it costs, and its undo."""
    plan = report.plan
    version = f"version {plan.before.version}" if plan.before.exists else "no table yet"
    yield Heading(f"{plan.operation}: {report.table} ({version})", level=1)
    if report.brief and not plan.is_noop:
        texts = [row.text for _, rows in sections(plan, full=False) for row in rows]
        changes = some_of(texts, 3, "; ") or "; ".join(step.words for step in plan.steps)
        yield Paragraph(f"{changes} ({_cost(plan)})", nested=True)
        return
    if not plan.is_noop:
        costly = plan.cost is not Cost.METADATA or bool(plan.irreversible)
        lost = ", history is lost" if plan.irreversible else ""
        severities = (finding.severity for finding in plan.findings)
        worst = min(severities, key=lambda severity: severity.rank, default=None)
        shifts = newly_shut_out(plan, report.scope)
        wrong = any(shift.turns_silently_wrong for shift in shifts)
        clients = len({shift.after.release for shift in shifts})
        tone = "error" if wrong else "warning" if clients else "good"
        cards = (
            ("changes", str(len(plan.changes)), ""),
            ("cost", f"{COST_NAMES[plan.cost]}{lost}", "warning" if costly else "good"),
            ("findings after it", str(len(plan.findings)), worst.value if worst else "good"),
            ("clients shut out", str(clients), tone),
        )
        yield Cards(cards)
    if plan.unreachable:
        yield Heading("Clients that cannot be reached", tone="error")
        yield Items(tuple(target.reason for target in plan.unreachable))
    if plan.is_noop:
        if plan.unfixed:
            yield Paragraph("Nothing that this command can fix.", "warning")
        else:
            yield Paragraph("No changes.", "good")
    else:
        yield from _findings(report)
        if plan.findings or plan.unreachable:
            yield Heading("Changes")
    yield Details(_changes_and_effects(report, full=True), _changes_and_effects(report, full=False))


def shut_out(report: PlanReport) -> Iterator[Verdict]:
    """What clients in the scope of a plan do after it, as far as they are newly shut out."""
    for shift in newly_shut_out(report.plan, report.scope):
        yield replace(shift.after, cells=shift.after.responsible)


def by_what_they_do(
    found: Iterable[Verdict], scope: Scope = EVERYONE
) -> Iterator[tuple[str, Reasons]]:
    """
    Clients that are shut out, with the reasons: those that *scope* has seen first, then the worst.

    Of the same kind, readers come first.
    """
    kinds: dict[tuple[bool, str], list[Verdict]] = {}
    order: dict[object, Verdict] = {}
    for verdict in found:  # of many tables, each for reasons of its own
        key = verdict.release, verdict.access, verdict.compatibility
        cells = (*order[key].cells, *verdict.cells) if key in order else verdict.cells
        order[key] = replace(verdict, cells=tuple(dict.fromkeys(cells)))

    def rank(told: tuple[bool, Verdict]) -> tuple[bool, int, bool]:
        seen, after = told
        return not seen, -after.compatibility.rank, after.access is Access.WRITE

    known = [(bool(last_seen(verdict, scope)), verdict) for verdict in order.values()]
    for seen, verdict in sorted(known, key=rank):
        does = DOES[verdict.compatibility.value][verdict.access.value]
        does = does.replace("cannot", "can no longer") if seen else does
        kinds.setdefault((seen, does), []).append(verdict)
    return ((does, grouped(verdicts, scope)) for (_, does), verdicts in kinds.items())


def _changes_and_effects(report: PlanReport, *, full: bool) -> Iterator[Common]:
    """At most a screen: what changes, then its price; with details if it is to be *full*."""
    plan = report.plan
    costs = []
    if not plan.is_noop:
        shown_rows = [(name, tuple(rows)) for name, rows in sections(plan, full=full) if rows]
        if shown_rows:
            yield Changes((), tuple(shown_rows))
        else:
            yield Paragraph(_SAME, nested=True)
            yield from () if full else _statements(plan)
        if plan.goals and len(plan.stages) > 1:
            yield Heading("Steps")
            rows = (
                (
                    stage.step.words,
                    COST_NAMES[stage.cost] + (", in two runs" if stage.waits else ""),
                    "; ".join(stage.step.losses(stage.before)) or "nothing",
                )
                for stage in plan.stages
            )
            yield Table("Steps", ("step", "cost", "what is lost"), tuple(rows))
        if full and (plan.findings or plan.before.protocol != plan.after.protocol):
            from deltaadm.reports.inspect import describe  # found out only where a page shows it

            before, after = (describe("", state) for state in (plan.before, plan.after))
            if after.features:
                yield Graph(after.features, plan.findings, before.features)
        runs = "; this is the first of two runs" if plan.waits else ""
        costs = [("Cost", f"{_cost(plan)}{runs}")]
    clients = by_what_they_do(shut_out(report), report.scope)
    yield from effects([report], clients, costs, full=full)
    if full and not plan.is_noop:
        yield Heading("SQL")
        yield from _statements(plan)


def effects(
    reports: Sequence[PlanReport],
    clients: Iterable[tuple[str, Reasons]],
    costs: Iterable[tuple[str, str]],
    *,
    full: bool = False,
    most: int | None = None,
) -> Iterator[Table]:
    """
    What plans bring about: whom they break and interrupt, their *costs*, and what is true of all.

    Of the clients that are shut out only *most* are named if there is a number, without reasons.
    In *full* there is advice on what is interrupted.
    """
    told = []
    for does, parts in clients:
        names = dict.fromkeys(name for _, several in parts for name in several)
        told.append(("Breaks", f"{does}: {some_of(names, most) if most else in_words(parts)}"))
    undeclared = max((report.scope.undeclared for report in reports), default=0)
    if undeclared and told:
        told.append(("Breaks", f"+ {undeclared} clients not declared"))
    groups: dict[str, list[str]] = {}
    for row in dict.fromkeys(row for report in reports for row in interruptions(report.plan)):
        if full:
            told.append(("Interrupts", f"{row.work}: {row.consequence.value}; {row.advice}"))
        elif row.source is None:
            groups.setdefault(row.consequence.value, []).append(row.work)
    told += [("Interrupts", f"{how}: {', '.join(works)}") for how, works in groups.items()]
    written = reports[0].plan.before.transactions if len(reports) == 1 else None
    if written and interruptions(reports[0].plan):
        last = sorted(written.values(), key=lambda txn: -(txn.last_updated or 0))
        ids = some_of((txn.app_id for txn in last), len(last) if full else 3)
        told.append(("Interrupts", f"streams that have written to it, by their ids: {ids}"))
    told += costs
    undos = dict.fromkeys(map(undo_words, reports))
    told += [("Undo", words) for words in undos if len(undos) == 1]
    known = {FEATURES[name].warning for name in _SHOWN_ANYWAY}
    said = [
        dict.fromkeys(advice_for(of.table, note) for note in of.plan.notes if note not in known)
        for of in reports
    ]
    told += [("Note", note) for note in (said[0] if said else ()) if all(note in of for of in said)]
    yield from _labelled(told)


def _labelled(rows: Iterable[tuple[str, str]]) -> Iterator[Table]:
    told = [row for row in rows if row[1]]
    again = zip(["", *(label for label, _ in told)], told, strict=False)
    shown = tuple(("" if label == last else label, text) for last, (label, text) in again)
    if shown:
        yield Table("Effects", (), shown, plain=True)


_SHOWN_ANYWAY: Final = ("columnMapping", "deletionVectors", "rowTracking", "checkpointProtection")
"""Features whose cautions are about cost and clients, which have lines of their own."""


def _cost(plan: Plan) -> str:
    return cost_text(plan.cost, truncates=bool(plan.irreversible), work=plan.work)


_SAME: Final = "Protocol and metadata do not change, but these steps are carried out."


def _statements(plan: Plan) -> Iterator[Command]:
    for stage in plan.stages:
        times = "several commits" if stage.several_commits else ""
        label = "first of two runs" if stage.waits else times
        yield Command(planned_statement(stage), label=label)


def undo_words(report: PlanReport) -> str:
    """How a plan is undone, in a line; empty if there is nothing to undo."""
    plan = report.plan
    phrases = {change.undo: 0 for change in plan.changes if change.undo not in WITHOUT_COMMAND}
    gained = plan.after.protocol.supported_features - plan.before.protocol.supported_features
    if not (phrases or gained) or not plan.before.exists or moves(plan.steps):
        return "; ".join(phrases)
    # Its own commits have what the checks of the next one want to see, such as a timestamp.
    after = replace(plan.after, commit_info=None)
    try:
        inverse = plan_undo(
            plan.before, after, after, what="The plan", session=plan.session, check_outcome=False
        )
    except RefusedError as refused:
        reason = next(iter(phrases)).removeprefix("never: ")
        return f"not possible: {reason}" if len(phrases) == 1 else refused.message
    words = ", then ".join(dict.fromkeys(step.words for step in inverse.steps))
    if len(plan.stages) == 1 and not plan.stages[0].several_commits:
        words = f"deltaadm undo {quoted_argument(report.table)}"
    prices = {Cost.BACKFILL: "rewrites the log", Cost.REWRITE: "rewrites data files"}
    price = [prices[inverse.cost]] if inverse.cost in prices else []
    added = inverse.after.protocol.supported_features - plan.before.protocol.supported_features
    left = sorted(added & plan.after.protocol.supported_features)
    price += [f"adds {name}" for name in sorted(added - set(left))]
    old, new = (of.metadata.schema.walk() for of in (plan.before, inverse.after))
    known = {path for path, _ in old}
    left += [path_text(path) for path, _ in new if path not in known]
    lost = dict.fromkeys(filter(None, (words.partition("never: ")[2] for words in phrases)))
    price += [f"{some_of(left)} {'stays' if len(left) == 1 else 'stay'}"] if left else lost
    return f"{words} ({'; '.join(price)})" if price else words


def _findings(report: PlanReport) -> Iterator[Block]:
    groups: dict[Severity, dict[str, list[Finding]]] = {}
    for finding in report.plan.findings:
        groups.setdefault(finding.severity, {}).setdefault(finding.code, []).append(finding)
    for severity in sorted(groups, key=lambda severity: severity.rank):
        by_code = groups[severity]
        shown = tuple(
            replace(finding, remedy=advice_for(report.table, finding.remedy))
            for findings in by_code.values()
            for finding in findings[:LIMIT]
        )
        commands = tuple(fix_command(report.table, finding.fix) for finding in shown)
        counts = {code: len(findings) - LIMIT for code, findings in by_code.items()}
        more = {code: count for code, count in counts.items() if count > 0}
        title = f"{severity.heading} after the change"
        yield Either([], [Heading(title)])
        yield Findings(title, severity, shown, commands, more)


def show_saved_plan(report: SavedPlanReport) -> Iterator[Block]:
    """A plan out of a file, and whether it can still be applied."""
    title, *rest = show_plan(PlanReport(report.table, report.plan))
    yield title
    status = report.status
    now = "" if status.version is None else f" at version {status.version}"
    if status.state is PlanState.READY:
        yield Paragraph(f"It can be applied: the table{now} is as the plan expects it.", "good")
    elif status.state is PlanState.DONE:
        yield Paragraph(f"It is already applied: the table{now} is as planned.", "good")
    elif status.error is not None:
        obsolete = status.state is PlanState.OBSOLETE
        words = "Cannot be applied" if obsolete else "Unknown"
        yield Paragraph(f"{words}: {status.error.message}", "error" if obsolete else "warning")
        if status.error.remedy:
            yield Paragraph(status.error.remedy)
    if status.changes:
        yield Heading("Changed since the plan was made", tone="warning")
        yield Changes(tuple(ChangeRow(of.kind.value, change_words(of)) for of in status.changes))
        yield Heading("The plan as it was made")
    yield from rest


def show_journal(report: JournalReport) -> Iterator[Block]:
    """The status of each plan in a journal."""
    events = Counter(line.event for line in report.plans)
    kinds = ("done", "undone", "failed", "begun")
    counts = (f"{events[event]} {event}" for event in kinds if events[event])
    yield Heading(f"{report.file}: {', '.join(counts)}", level=1)
    rows = []
    for line in report.plans:
        result = "interrupted, or still being applied"
        if line.result is not None:
            result = "  ".join(filter(None, status_and_details(line.result)))
        rows.append((line.event, line.table, result))
    yield Table("Plans", ("event", "table", "result"), tuple(rows))


def _changes(plan: Plan) -> Iterator[tuple[PlannedChange, str]]:
    """Each change in words; many columns that change alike are one, with the words for all."""
    alike: dict[object, list[PlannedChange]] = {}
    for planned in plan.changes:
        change = planned.change
        is_column = change.subject.startswith("schema[")
        key = (change.kind, planned.because, planned.undo) if is_column else change.subject
        alike.setdefault(key, []).append(planned)
    for changes in alike.values():
        kind, is_asked = changes[0].change.kind, changes[0].because == REQUESTED
        if len(changes) <= (COLUMNS_SHOWN if is_asked or kind is not ChangeKind.SET else 1):
            yield from ((planned, change_words(planned.change)) for planned in changes)
        elif kind is ChangeKind.SET:
            yield changes[0], f"~ schema: {len(changes)} columns change"
        else:
            # Every column that comes or goes is named.
            names = ", ".join(planned.change.name for planned in changes)
            yield changes[0], f"{kind.value} schema: {len(changes)} columns: {names}"


def sections(plan: Plan, *, full: bool) -> Iterator[tuple[str, Sequence[ChangeRow]]]:
    """The changes for a terminal: of versions, features, properties, columns and the rest."""
    before, old, new = plan.before, plan.before.protocol, plan.after.protocol
    versions: list[str] = []
    features: dict[tuple[str, str], dict[str, None]] = {}
    rows: dict[str, list[ChangeRow]] = {"configuration": [], "schema": [], "": []}
    internal, why = 0, ""
    for planned, text in _changes(plan):
        change, because = planned.change, planned.because
        place, name = change.place, change.name
        if place.startswith("protocol.min"):
            side = "reader" if "Reader" in place else "writer"
            was = "" if change.before is None else f"{change.before} -> "
            versions.append(f"{side} version {was}{change.after}")
            why = because
        elif place.startswith("protocol."):
            kept = old.supports(name) and new.supports(name)
            listed = features.setdefault(("=" if kept else change.kind.value, because), {})
            if not any(name in names for names in features.values()):
                listed[name] = None
        elif place == "configuration" and name in KEPT_BY_DELTA and not full:
            internal += 1
        elif before.exists or full or place not in {"id", "format"}:
            short = text.replace(f"{place}[{name}]", name, 1) if name else text
            short = short.replace("schema: ", "", 1) if place == "schema" else short
            said = because == REQUESTED or not before.exists
            group = rows.get(place, rows[""])
            group.append(ChangeRow(change.kind.value, short, "" if said else because))
    implied = (
        ("+", "implied by the versions", new.implicit_features - old.supported_features),
        ("-", "no longer implied", old.implicit_features - new.supported_features),
    )
    for mark, because, names in implied:
        features |= {(mark, because): dict.fromkeys(sorted(names))} if names else {}
    listed_features = [
        ChangeRow(mark, f"{mark} {', '.join(names)}", because)
        for (mark, because), names in sorted(features.items(), key=lambda entry: entry[0][0] == "=")
        if names
    ]
    if internal:
        rows["configuration"].append(ChangeRow("=", f"(+ {internal} internal; -v shows them)"))
    why = "" if listed_features else why
    yield "protocol", [ChangeRow("~", ", ".join(versions), why)] if versions else []
    yield "features", listed_features
    yield "properties", rows["configuration"]
    yield "columns", rows["schema"]
    yield "table", rows[""]


def show_foreign_plan(report: ForeignReport) -> Iterator[Block]:
    """A plan for a table of another provider, or what the catalog says once it is carried out."""
    plan, before = report.plan, report.plan.before
    old = ""
    if plan.creation is not None:
        old = f", replacing a table of {before.provider}" if before else ", no table yet"
    title = f"{plan.operation}: {plan.table} (provider {plan.provider}{old})"
    heading = Heading(title, level=1)
    yield heading if report.outcome is None else Either([heading])
    if report.outcome is not None:
        yield Paragraph("All statements were carried out. The catalog now says:", "good")
        yield Table("", ("name", "value"), report.outcome, plain=True)
        return
    kinds = {"CREATE": "+", "INSERT": "+", "DROP": "-"}
    rows = [ChangeRow(kinds.get(sql.split(" ")[0], "~"), sql) for sql in plan.statements]
    in_text = Changes((), (("statements", tuple(rows)),))
    yield Either([Heading("SQL"), *map(Command, plan.statements)], [in_text])
    yield from _labelled(("Note", note) for note in plan.notes)


def show_outcome(report: OutcomeReport) -> Iterator[Block]:
    """The outcome of a plan."""
    outcome = report.outcome
    plan, versions = outcome.plan, outcome.versions
    yield Either([Heading(f"{plan.operation}: {report.table}", level=1)])
    newest = versions[-1] if versions else -1
    committed = committed_words(versions).capitalize() if versions else ""
    earlier = [change for change in outcome.concurrent if change.version < newest]
    if earlier:
        committed += f" after concurrent changes in {concurrent_words(earlier)}"
    later = [change for change in outcome.concurrent if change.version > newest]
    since = [f"Other writers have since committed {concurrent_words(later)}."] if later else []
    if outcome.mismatches:
        yield Paragraph("The result differs from the plan:", "error")
        rows = tuple(
            (change.subject, value_words(change.before), value_words(change.after))
            for change in outcome.mismatches
        )
        yield Table("Differences", ("place", "planned", "found"), rows)
        yield from map(Paragraph, (*([f"{committed}."] if committed else []), *since))
        return
    if plan.is_noop:
        yield Paragraph("Nothing was committed: there is nothing to do.", "good")
    if committed:
        yield Paragraph(f"{committed}, as planned.", "good")
    for sentence in since:
        yield Paragraph(sentence, "good")
    if not all(step.has_statement for step in plan.steps):
        version = (plan.before.version, *versions)[-1]
        yield Paragraph(f"There is a checkpoint of version {version}.", "good")
    if moves(plan.steps):
        actual = outcome.actual
        yield Paragraph(f"{actual.name} now points to {actual.root}, as planned.", "good")


def show_drops(report: DropReport) -> Iterator[Block]:
    """The progress of dropping features."""
    yield Heading(f"drop-feature: {report.table} (version {report.version})", level=1)
    if not report.features:
        yield Paragraph("No feature of the table can be dropped.")
    for status in report.features:
        yield Heading(status.name)
        yield Items(tuple(drop_sentences(status, report.table)))


def drop_sentences(status: DropStatus, table: str) -> Iterator[str]:
    """The progress of dropping a feature of the *table*."""
    if status.phase is Phase.ABSENT:
        yield "The table does not support it: there is nothing to drop."
        return
    if status.refusal is not None:
        yield f"Cannot be dropped now: {status.refusal.message}"
        yield advice_for(table, status.refusal.remedy)
        return
    if status.work:
        yield f"Before it is dropped: {'; '.join(status.work)}."
    if not status.truncates_history:
        yield "Drop it now: history is kept."
        return
    if status.keeps_history:
        yield "Drop it now and keep history: adds checkpointProtection."
    if status.phase is Phase.FIRST_OF_TWO:
        yield "With --truncate-history, it needs two runs; the first can start now."
    elif status.phase is Phase.WAITING and status.ready_at is not None:
        when = second(status.ready_at)
        yield f"With --truncate-history, it waits for history to expire: ready at {when}."
    else:
        yield "With --truncate-history, it can be dropped now."


# Plans for many tables: those that change the same are one, with the tables that it is for


@dataclass(frozen=True)
class PlanGroup:
    """Plans that change the same: one of them, its changes in sections, and their tables."""

    report: PlanReport
    sections: tuple[tuple[str, tuple[ChangeRow, ...]], ...]
    tables: list[str]


class PlanGroups:
    """Groups plans as they come, with what they break and cost together, and maybe secrets."""

    def __init__(self, *, show_secrets: bool = False) -> None:
        self._show_secrets = show_secrets
        self._groups: dict[object, PlanGroup] = {}
        self._shut_out: dict[Verdict, None] = {}
        self._costly: dict[tuple[Cost, type, str], tuple[Step, Snapshot]] = {}

    def add(self, report: PlanReport) -> None:
        """Take in one more plan."""
        report = report if self._show_secrets else Masker().mask(report)
        plan = report.plan
        if plan.is_noop:
            return
        # Without properties that are Delta's own, whose values differ from table to table.
        told = (
            (of, [row for row in rows if (of, row.kind) != ("properties", "=")])
            for of, rows in sections(plan, full=False)
        )
        changes = {name: tuple(rows) for name, rows in told if rows}
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
            groups=tuple(self),
            clients=tuple(by_what_they_do(self._shut_out)),
            costs=tuple(told),
        )


@dataclass(frozen=True)
class PlansSummary(FleetSummary):
    """What the plans for many tables are, whom they break, and what they cost together."""

    groups: tuple[PlanGroup, ...] = ()
    clients: tuple[tuple[str, Reasons], ...] = ()
    costs: tuple[str, ...] = ()

    blocks = "deltaadm.reports.plans.show_plans"


def show_plans(report: PlansSummary) -> Iterator[Block]:
    """The plans for many tables, those that are alike once."""
    title = overview_title(report)
    if report.groups:
        title = f"{report.groups[0].report.plan.operation}: {title}"
    overview = FleetSummary(report.tables, report.failed, report.sections)
    yield Either(page_blocks(overview), [Heading(title, level=1)])
    yield Details(_groups_and_effects(report, full=True), _groups_and_effects(report, full=False))


def _groups_and_effects(report: PlansSummary, *, full: bool) -> Iterator[Common]:
    groups, found = report.groups, report.sections
    rows: list[tuple[str, str, str]] = []
    failures = () if full else found.get("Failures", ())
    for item in failures[:_MOST]:
        text = f"{some_of(item.tables, 1, of=item.count)}: {item.text}"
        rows.append((f"{item.count} failed", "-", text))
    if hidden := sum(item.count for item in failures[_MOST:]):
        rows.append((f"{hidden} failed", "-", "for other reasons; -v lists them"))
    rows += [
        (counted(item.count, "table"), "=", f"{item.text}; {listing} lists them")
        for item in found.get("Plans", ())
        if (listing := {"no changes": "--all", "not fixed": "-v"}.get(item.text))
    ]
    is_long = full or len(groups) == 1
    for group in () if is_long else groups[:_MOST]:
        texts = (
            row.text
            for name, several in group.sections
            for row in several
            if row.kind != "=" and not (row.because and name == "properties")
        )
        text = f"{some_of(group.tables, 1)}: {'; '.join(dict.fromkeys(texts))}"
        rows.append((counted(len(group.tables), "table"), "=", text))
    if not is_long and (hidden := sum(len(group.tables) for group in groups[_MOST:])):
        rows.append((counted(hidden, "table"), "=", "in other ways; -v shows each"))
    if rows:
        yield Changes((), tuple((label, (ChangeRow(*row),)) for label, *row in rows))
    for group in groups if is_long else ():
        listed = ", ".join(group.tables) if full else some_of(group.tables)
        yield Heading(f"{counted(len(group.tables), 'table')}: {listed}")
        yield Changes((), group.sections)
    missed = found.get("Clients that cannot be reached", ())
    costs = [("Missed", f"{counted(item.count, 'table')}: {item.text}") for item in missed]
    costs += [("Cost", text) for text in report.costs]
    reports = [replace(group.report, table="TABLE") for group in groups]
    yield from effects(reports, report.clients, costs, full=full, most=None if is_long else _MOST)


_MOST: Final = 2
"""So many failures, kinds of plans and clients are named unless details are asked for."""
