"""`deltaadm history`."""

from __future__ import annotations

from deltaadm.errors import UsageError
from deltaadm.runs import questions
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import NEVER, Parameters, argument, option
from deltaadm.runs.options import TABLE_HELP, AccessOptions, SparkOptionGroup, TableOutputOptions
from deltaadm.runs.output import show
from deltaadm.runs.sessions import log_reader
from deltaadm.runs.target import find


class History(Parameters):
    """
    Shows each commit that changed the protocol, schema, constraints, clustering or properties: its
    version, time, operation, engine and user, and what it changed. If log cleanup has removed the
    oldest commits, the first entry is the state in the oldest checkpoint. -o jsonl prints each
    entry as soon as it is found.

    For example:

      deltaadm history /data/events

      deltaadm history /data/events --protocol

      deltaadm history /data/events --schema --since 2026-11-01 -o jsonl

      deltaadm history /data/events --by-client --since 2026-11-01

      deltaadm history /data/events --restorable --discover /data
    """

    table: str = argument("TABLE", TABLE_HELP)
    protocol: bool = option("Show changes to protocol versions and table features.")
    schema: bool = option("Show changes to columns, column mapping, constraints and clustering.")
    properties: bool = option("Show changes to properties, constraints, name and comment.")
    by_client: bool = option("Show who wrote, by client and release, instead of the changes.")
    since: str | None = option("VERSION|TIME", "Start at this version or ISO 8601 time.")
    until: str | None = option("VERSION|TIME", "Stop at this version or ISO 8601 time.")
    restorable: bool = option("Show which versions can still be read and restored, and until when.")
    discover: list[str] | None = option(
        "DIRECTORY",
        "With --restorable, find the clones that need this table's files among the tables below a "
        "directory or URL. Repeatable.",
        scope=NEVER,
    )
    access: AccessOptions
    spark: SparkOptionGroup
    output: TableOutputOptions
    shows = "HistoryReport"
    about = "table"

    def run(self, context: RunContext) -> int:
        if self.discover and not self.restorable:
            raise UsageError("needs --restorable", option="--discover")
        if self.restorable:
            chosen = self.protocol or self.schema or self.properties or self.by_client
            if chosen or self.since or self.until:
                raise UsageError("shows all versions, and nothing else", option="--restorable")
            horizon = questions.restorable(discover=self.discover)
            with log_reader(context, [self.table, *(self.discover or ())]) as reader:
                return show(context, [horizon(reader, find(reader, self.table))])
        if self.by_client:
            if self.protocol or self.schema or self.properties:
                raise UsageError("shows no changes", option="--by-client")
            writers = questions.writers(self.since, self.until)
            with log_reader(context, [self.table]) as reader:
                return show(context, [writers(reader, find(reader, self.table))])
        ask = questions.history(
            protocol=self.protocol,
            schema=self.schema,
            properties=self.properties,
            since=self.since,
            until=self.until,
        )
        with log_reader(context, [self.table]) as reader:
            history = ask(reader, find(reader, self.table))
            if context.format != "jsonl":
                report, code = history.report()
                return show(context, [report]) or code
            for entry in history.entries:
                show(context, [entry])
            return 0
