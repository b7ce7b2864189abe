"""`repair`: what is wrong with a log, what mends it, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.blocks import (
    Cards,
    ChangeRow,
    Changes,
    Command,
    Either,
    Heading,
    Items,
    Paragraph,
    Table,
)
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.json_values import COUNT, STRINGS, array, mapping, maybe, record
from deltaadm.masking import quoted_argument
from deltaadm.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.blocks import Block
    from deltaadm.plans.checkpoint import TableState
    from deltaadm.plans.repair.repair import RepairOutcome, RepairPlan

_STATE: Final = record(version=COUNT, bytes=COUNT, counts=mapping(COUNT), digests=mapping(str))
_REPAIR: Final = record(
    kind=str,
    rule=maybe(str),
    wrong=str,
    operations=array(record(kind=str, file=str, words=str)),
    kept=str,
    effect=str,
    alters=STRINGS,
    unproved=STRINGS,
    refusal=(maybe(str), lambda repair: repair.refusal or None),
    remedy=str,
    lost_files=COUNT,
)
REPAIR_DOCUMENT: Final = Document.of(
    "The repairs of a table, and what came of them",
    table=str,
    location=str,
    repairs=array(_REPAIR),
    is_noop=bool,
    before=maybe(_STATE),
    after=maybe(_STATE),
    blocked=str,
    still_blocked=str,
    notes=STRINGS,
    remedy=str,
    outcome=maybe(record(journal=str, proved=bool, later=bool, can_be_undone=bool, actual=_STATE)),
)
UNDO_DOCUMENT: Final = Document.of(
    "What undoing a repair puts back", table=str, journal=str, files=STRINGS, left=STRINGS,
    done=bool,
)  # fmt: skip


@dataclass(frozen=True)
class UndoReport:
    """The *files* of the log that go back to what they were, and those that are *left* alone."""

    table: str
    journal: str
    files: tuple[str, ...]
    left: tuple[str, ...]
    done: bool

    document = "undo_repair"
    blocks = "deltaadm.reports.repair.show_undo"


def show_repair(plan: RepairPlan) -> Iterator[Block]:
    """What is wrong, what is done about it, and the proof."""
    tone = "error" if plan.refused else "warning" if plan.planned else "good"
    heading = Heading(f"repair: {plan.table}", level=1, tone=tone)
    if plan.outcome is not None:
        yield Either([heading])
        yield from _result(plan, plan.outcome)
        return
    yield heading
    if plan.is_noop and plan.blocked and not plan.refused:
        why = f"The table cannot be loaded, and there is no repair: {plan.blocked}"
        yield Paragraph(why, "error")
        yield Paragraph(plan.remedy)
    elif not plan.repairs:
        yield Paragraph("Nothing to repair in the log.", "good")
    else:
        counts = (("to repair", plan.planned, "warning"), ("refused", plan.refused, "error"))
        yield Either([Cards(tuple((what, str(len(of)), tone) for what, of, tone in counts if of))])
    for repair in plan.planned:
        yield Heading(f"{repair.rule} {repair.kind}", tone="warning")
        yield Paragraph(repair.wrong)
        yield Changes(tuple(ChangeRow("~", each.words) for each in repair.operations))
        yield Paragraph(f"{repair.effect} Kept: {repair.kept}.".strip(), "info")
    for repair in plan.refused:
        yield Heading(f"{repair.rule} {repair.kind}: not repaired", tone="error")
        yield Paragraph(repair.wrong)
        yield Paragraph(f"Refused: {repair.refusal}.", "error")
        yield Paragraph(repair.remedy)
    if plan.planned:
        yield from _proof(plan)
    if plan.notes:
        yield Heading("Notes")
        yield Items(plan.notes)


def _proof(plan: RepairPlan) -> Iterator[Block]:
    yield Heading("State of the table")
    if plan.blocked:
        yield Paragraph(f"Now it cannot be loaded: {plan.blocked}", "error")
    if still := plan.still_blocked:
        yield Paragraph(f"It still cannot be loaded after these repairs: {still}", "error")
    before, after = plan.before, plan.after
    if after is not None:
        rows = [("version", "-" if before is None else str(before.version), str(after.version))]
        for part, name in _NAMES.items():
            now, then = _amount(before, part), _amount(after, part)
            if before is not None:
                same = before.digests.get(part) == after.digests.get(part)
                then = "the same" if same else f"{then}, changed"
            rows.append((name, now, then))
        yield Table("State of the table", ("", "now", "after"), tuple(rows))
    if plan.unproved:
        yield Heading("What cannot be proved", tone="warning")
        yield Items(plan.unproved)


_NAMES: Final = {
    "add": "live files", "domainMetadata": "domains", "txn": "transactions",
    "protocol": "protocol", "metaData": "metadata",
}  # fmt: skip


def _amount(state: TableState | None, part: str) -> str:
    if state is None:
        return "-"
    size = f" ({state.bytes:,} bytes)" if part == "add" else ""
    return f"{state.counts.get(part, 0):,}{size}"


def _result(plan: RepairPlan, outcome: RepairOutcome) -> Iterator[Block]:
    state = outcome.actual
    done = f"{counted(len(plan.planned), 'repair')} done, and version {state.version} was read back"
    done += f" as foreseen. Live files: {_amount(state, 'add')}."
    if outcome.proved:
        yield Paragraph(f"Proved: {done}", "good")
    else:
        yield Paragraph(f"{done} Not everything can be proved:", "warning")
        yield Items(plan.unproved)
    if plan.refused:
        yield Paragraph(f"{len(plan.refused)} refused: see the plan.", "error")
    if outcome.can_be_undone:
        name = outcome.journal.split("/")[-2]
        yield Command(
            f"deltaadm repair {quoted_argument(plan.table)} --undo {name} --apply", label="undo"
        )


def show_undo(report: UndoReport) -> Iterator[Block]:
    """What goes back, or is back."""
    heading = Heading(f"repair --undo: {report.table}", level=1)
    changes = Changes(tuple(ChangeRow("~", name) for name in report.files))
    if report.done:
        yield Either([heading, changes])
        yield Paragraph("The log is as it was before the repair.", "good")
    else:
        yield heading
        yield changes if report.files else Paragraph("Nothing to put back.", "good")
    for name in report.left:
        yield Paragraph(f"{name} was changed since, and stays as it is.")
