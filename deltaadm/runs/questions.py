"""
What can be asked about a table: a function for each question, whose answer makes the report.

Their arguments are those of the methods of `Table`, and the commands make them of their options.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from deltaadm.clients import parse_client
from deltaadm.errors import UsageError, require_one_of
from deltaadm.replay.reconcile import Detail
from deltaadm.runs.context import RunContext, answer_time, now
from deltaadm.runs.observed import observation
from deltaadm.runs.target import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import TypeVar

    from deltaadm.clients import ClientRelease
    from deltaadm.reports.history import RestorableReport, WritersReport
    from deltaadm.reports.inspect import TableReport
    from deltaadm.reports.why import ForClientReport, WhyReport
    from deltaadm.runs.history import History

    R = TypeVar("R")
    Question = Callable[[RunContext, Target], R]
    """A function that reports on a table."""


def inspect(
    version: int | None = None,
    timestamp: str | datetime | None = None,
    *,
    files: bool = False,
    columns: bool = False,
    clients: str = "summary",
    advice: bool = True,
    readers: Path | None = None,
    observed_for: str | None = None,
) -> Question[TableReport]:
    """
    What the protocol of the table is, why, and who can use it: `deltaadm inspect`.

    `files` counts the live files, `columns` lists columns; `clients` is summary, matrix or
    sources. `readers` is a file of clients from access logs, and who was seen in the time of
    `observed_for` counts as a user, by default in 30 days.
    """
    from deltaadm.reports.inspect import ClientView, describe  # which other questions do without

    views = {view.name.lower(): view for view in ClientView}
    require_one_of(clients, views, "--clients")
    at: tuple[int | None, int | None] = (None, None)
    if version is not None or timestamp is not None:
        from deltaadm.runs.history import state_at

        at = state_at(version, timestamp)
    detail = Detail.STATE if files else Detail.PROTOCOL
    seen = observation(readers, observed_for)

    def report(context: RunContext, target: Target) -> TableReport:
        declared: tuple[ClientRelease, ...] = ()
        general = context.settings.of("")  # `clients` in the section of a command is another thing
        if any(map(general.find, ("clients", "writers", "tables"))):
            from deltaadm.runs.settings import load_settings  # which most runs do without

            of = load_settings(general).of_table(target.text, target.location)
            declared = (*(of.clients or ()), *(of.writers or ()))
        return describe(
            target.text,
            target.load(context, detail=detail, version=at[0], timestamp=at[1]),
            columns=columns,
            clients=views[clients],
            declared=declared,
            seen=seen,
            advice=advice and at == (None, None),
        )

    return report


def for_client(client: str) -> Question[ForClientReport]:
    """
    Whether one client can use the table, why not, and what would change that: `deltaadm inspect
    --for-client`.

    *client* is NAME or NAME@VERSION.
    """
    from deltaadm.reports import why as reports

    release = parse_client(client)

    def report(context: RunContext, target: Target) -> ForClientReport:
        snapshot = target.load(context, detail=Detail.PROTOCOL)
        # Only a plan is priced by the files, and a client that can use the table needs none.
        if not reports.can_use(release, snapshot):
            snapshot = target.load(context, detail=Detail.STATE)
        return reports.for_client(
            target.text,
            snapshot,
            release,
            partial(context.history_of, snapshot),
            now=now(),
            session=context.session,
        )

    return report


def why(
    *words: str, version: int | None = None, timestamp: str | datetime | None = None
) -> Question[WhyReport]:
    """
    Since when and why the table has its features: `deltaadm inspect --why`.

    *words* choose: features, `reader` or `writer`.
    """
    from deltaadm.reports.why import explain_protocol, is_word
    from deltaadm.runs.history import state_at, timeline_of

    unknown = [word for word in words if not is_word(word)]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is neither a table feature nor reader or writer.")
    point = state_at(version, timestamp)

    def report(context: RunContext, target: Target) -> WhyReport:
        snapshot = target.load(context, detail=Detail.STATE, **point._asdict())
        timeline = timeline_of(context, target, until=snapshot.version)
        return explain_protocol(
            target.text,
            snapshot,
            timeline.base,
            timeline.changes(),
            partial(context.history_of, snapshot),
            words=words,
            now=answer_time(),
            session=context.session,
        )

    return report


def history(
    *,
    protocol: bool = False,
    schema: bool = False,
    properties: bool = False,
    since: int | str | datetime | None = None,
    until: int | str | datetime | None = None,
) -> Question[History]:
    """
    What changed in the table, when, and by which operation: `deltaadm history`.

    `protocol`, `schema` and `properties` choose; without them everything is there. `since` and
    `until` are versions or times.
    """
    from deltaadm.runs.history import read_history, shown_sections, span

    chosen = {"protocol": protocol, "schema": schema, "properties": properties}
    sections = shown_sections(name for name, is_chosen in chosen.items() if is_chosen)
    points = span(since, until)
    return lambda context, target: read_history(context, target, sections, *points)


def writers(
    since: int | str | datetime | None = None, until: int | str | datetime | None = None
) -> Question[WritersReport]:
    """
    Who wrote the table, by client and release: `deltaadm history --by-client`.

    `since` and `until` are versions or times.
    """
    from deltaadm.runs.history import read_writers, span

    points = span(since, until)
    return lambda context, target: read_writers(context, target, *points)


def restorable(*, discover: Sequence[str] | None = None) -> Question[RestorableReport]:
    """
    Which versions can still be read and restored, and until when: `deltaadm history --restorable`.

    In `discover`, directories, it looks for shallow clones that need files of the table.
    """
    from deltaadm.runs.restorable import read_restorable

    return lambda context, target: read_restorable(context, target, discover)
