"""`deltaadm history`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.operations.history import HistoryReport
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.history import HistoryRequest, read_history, shown_sections
from deltaadm.runs.options import TABLE_HELP, AccessOptions, SparkOptionGroup, TableOutputOptions
from deltaadm.runs.output import check_format, handle_errors, show
from deltaadm.runs.points import NEWEST, point
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.target import find

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class History(Parameters):
    """
    One entry for each commit that changed the protocol, the schema, constraints, clustering or
    properties: its version, time, operation, engine and user, and what it changed. Other commits
    are omitted. Where log cleanup has removed the oldest commits, the first entry is the state
    in the oldest checkpoint. -o jsonl writes each entry as soon as it is found.

    For example:

      deltaadm history /data/events

      deltaadm history /data/events --protocol

      deltaadm history /data/events --schema --since 2026-11-01 -o jsonl
    """

    table: str = argument(metavar="TABLE", help=TABLE_HELP)
    protocol: bool = option("--protocol", help="Show changes of versions and table features.")
    schema: bool = option(
        "--schema", help="Show changes of columns, column mapping, constraints and clustering."
    )
    properties: bool = option(
        "--properties", help="Show changes of properties, constraints, name and comment."
    )
    since: str | None = option(
        metavar="VERSION|TIME", help="The first version to show, or an ISO 8601 time."
    )
    until: str | None = option(
        metavar="VERSION|TIME", help="The last version to show, or an ISO 8601 time."
    )
    access: AccessOptions
    spark: SparkOptionGroup
    output: TableOutputOptions


def command(options: History, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    check_format(options.output, HistoryReport)
    request = _request(options)
    context = context.with_request(options.spark, options.output, options.access)

    def answer() -> int:
        with log_reader(context, [options.table]) as reader:
            history = read_history(reader, find(reader, options.table), request)
            if context.format != "jsonl":
                report, code = history.report()
                show(context, [report])
                return code
            for entry in history.entries:
                show(context, [entry])
            return 0

    return handle_errors(context, options.table, answer)


def _request(options: History) -> HistoryRequest:
    switches = ("protocol", "schema", "properties")
    request = HistoryRequest(
        sections=shown_sections(name for name in switches if getattr(options, name)),
        since=NEWEST if options.since is None else point(options.since, "--since"),
        until=NEWEST if options.until is None else point(options.until, "--until"),
    )
    for first, last in zip(request.since, request.until, strict=True):
        if first is not None and last is not None and first > last:
            raise UsageError("is before --since", option="--until")
    return request
