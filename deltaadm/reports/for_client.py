"""`inspect --for-client`: whether a client can use a table, why not, and what would change that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from deltaadm.blocks import Block, Command, Heading, Table
from deltaadm.clients import (
    Access,
    ClientRelease,
    Compatibility,
    Verdict,
    conditions,
    damages,
    verdict,
    verdicts,
)
from deltaadm.clients.verdicts import JUDGEMENT
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.domain.features import Cost
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.errors import DeltaadmError
from deltaadm.json_values import COUNT, STRING, STRINGS, maybe, one_of, record, within
from deltaadm.plans.plan import Goal, Plan
from deltaadm.plans.reach_clients import plan_for_clients
from deltaadm.plans.undo import quoted
from deltaadm.reports.words import cost_text


@dataclass(frozen=True)
class Use:
    """What the client does with the table, and the plan after which it works, or why none does."""

    verdict: Verdict
    command: str = ""
    way: Plan | None = None
    dead_end: str = ""


@dataclass(frozen=True, kw_only=True)
class ForClientReport:
    """The result of `inspect --for-client` for the table that the user calls `table`."""

    table: str
    version: int
    release: ClientRelease
    read: Use
    write: Use
    damage: tuple[str, ...] = ()

    document = "for_client"
    blocks = "deltaadm.reports.for_client.show_for_client"


def can_use(release: ClientRelease, snapshot: Snapshot) -> bool:
    """Whether *release* both reads and writes the table rightly."""
    judged = verdicts((release,), snapshot.protocol, snapshot.metadata, met=conditions(snapshot))
    return all(each.compatibility is Compatibility.WORKS for each in judged)


def for_client(
    table: str,
    snapshot: Snapshot,
    release: ClientRelease,
    history_of: Callable[[str], FeatureHistory],
    *,
    now: int,
    session: SessionSettings | None = None,
) -> ForClientReport:
    """The report on *snapshot*, whose files price the plans, at *now* in milliseconds."""

    def use(access: Access) -> Use:
        met = conditions(snapshot)
        judged = verdict(release, snapshot.protocol, snapshot.metadata, access, met)
        if judged.compatibility is Compatibility.WORKS:
            return Use(judged)
        goal = Goal(release, access)
        try:
            way = plan_for_clients(
                snapshot,
                history_of,
                [goal],
                operation="",
                now=now,
                skip_unreachable=True,
                session=session,
            )
        except DeltaadmError as error:
            return Use(judged, dead_end=error.message.rstrip("."))
        if way.unreachable:
            return Use(judged, dead_end=way.unreachable[0].reason)
        return Use(judged, f"deltaadm upgrade-protocol {quoted(table)} {goal.option}", way)

    read, write = use(Access.READ), use(Access.WRITE)
    return ForClientReport(
        table=table,
        version=snapshot.version,
        release=release,
        read=read,
        write=write,
        damage=damages(snapshot),
    )


_USE: Final = record(
    **within("verdict", JUDGEMENT),
    command=(maybe(STRING), lambda use: use.command or None),
    cost=(maybe(one_of(Cost)), lambda use: use.way and use.way.cost),
    obstacle=(maybe(STRING), lambda use: use.dead_end or None),
)
FOR_CLIENT_DOCUMENT: Final = Document.of(
    "The output of `inspect --for-client` for a table",
    table=STRING,
    version=COUNT,
    client=(STRING, lambda report: report.release.client.id),
    release=(STRING, lambda report: report.release.version),
    read=_USE,
    write=_USE,
    damage=STRINGS,
)


def show_for_client(report: ForClientReport) -> Iterator[Block]:
    """The verdict, the reason, the command that changes it and its price, in a few lines."""
    tone = "good" if report.read.verdict.compatibility is Compatibility.WORKS else "error"
    title = f"{report.release}: {report.table} (version {report.version})"
    yield Heading(title, level=1, tone=tone)
    reading, writing = [*_rows("read", report.read)], [*_rows("write", report.write)]
    # What makes it readable mostly makes it writable, too: one command is enough.
    shows_writing = report.read.verdict.compatibility is Compatibility.WORKS
    if not shows_writing or report.write.dead_end:
        writing = writing[:1]
    rows = [*reading, *writing]
    sources = dict.fromkeys(
        f"{cell.source.title}, {cell.source.date}"
        for use in (report.read, report.write)
        for cell in use.verdict.responsible
        if cell.source is not None
    )
    if sources:
        rows.append(("source", next(iter(sources))))
    rows += [("damage", sentence) for sentence in report.damage]
    yield Table("", (), tuple(rows))
    commands = (report.read.command, report.write.command if shows_writing else "")
    for command in dict.fromkeys(filter(None, commands)):
        yield Command(command, label="To do")


def _rows(access: str, use: Use) -> Iterator[tuple[str, str]]:
    answer = _ANSWERS[use.verdict.compatibility]
    reasons = "; ".join(
        f"{cell.subject} ({cell.note.rstrip('.')})" if cell.note else cell.subject
        for cell in use.verdict.responsible
    )
    yield access, f"{answer}{': ' if reasons else ''}{reasons}"
    if use.dead_end:
        yield "to do", f"nothing that deltaadm can plan: {use.dead_end}"
    if use.way is None:
        return
    price = cost_text(use.way.cost, truncates=bool(use.way.irreversible), work=use.way.work)
    before, after = (
        state.protocol.supported_features | state.protocol.explicit_names
        for state in (use.way.before, use.way.after)
    )
    changes = (("drops", before - after), ("adds", after - before))
    words = (f"{verb} {', '.join(sorted(names))}" for verb, names in changes if names)
    yield "price", "; ".join((price, *words))


_ANSWERS: Final = {
    Compatibility.WORKS: "yes",
    Compatibility.FAILS_LOUDLY: "no",
    Compatibility.SILENTLY_WRONG: "yes, with wrong data and without an error",
    Compatibility.UNKNOWN: "no source says; assume that it cannot",
}
