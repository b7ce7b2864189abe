"""`deltaadm inspect`."""

from __future__ import annotations

from collections.abc import Sequence

from deltaadm.domain.features import FEATURES
from deltaadm.errors import UsageError, did_you_mean
from deltaadm.runs import questions
from deltaadm.runs.context import RunContext, do_without_numpy
from deltaadm.runs.declare import NEVER, Parameters, argument, option
from deltaadm.runs.options import (
    TABLES_HELP,
    AccessOptions,
    Engine,
    FleetOptions,
    ObservedOptions,
    SparkOptionGroup,
    TableOutputOptions,
)
from deltaadm.runs.output import show
from deltaadm.runs.target import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path

    from deltaadm.reports.inspect import TableReport
    from deltaadm.reports.why import ForClientReport, WhyReport
    from deltaadm.runs.questions import Question


class Inspect(Parameters):
    """
    Reads only the log, whatever features the table has. Needs Spark and Java only to look up names
    in Spark's catalog.

    For example:

      deltaadm inspect /data/events

      deltaadm inspect /data/events --why deletionVectors

      deltaadm inspect /data/events --for-client redshift

      deltaadm inspect --discover /data

      deltaadm inspect --discover /data --save-as delta /data/inventory

      deltaadm inspect --discover /data -o jsonl --resume run.jsonl >> run.jsonl
    """

    tables: list[str] | None = argument("TABLE...", TABLES_HELP)
    version: int | None = option("N", "Inspect version N.", minimum=0)
    # fmt: off
    timestamp: str | None = option("TIME",
        "Inspect the table as of this time: ISO 8601 or epoch milliseconds.")
    files: bool = option("Count live files and show clustering; reads the whole state.")
    columns: bool = option("List columns with their ids and physical names.")
    why: bool = option(
        "Explain each feature, or only those named after the table (also reader, writer): who "
        "added it and when, what uses it, how to drop it.")
    for_client: str | None = option("CLIENT",
        "Show only whether NAME or NAME@VERSION can use the table, why not, and how to fix that.")
    clients: bool = option("Show what every client does with each feature.")
    client_sources: bool = option("List the verdict on every client, with its sources.")
    no_advice: bool = option("Print no advice.")
    save_as: tuple[str, Path] | None = option("FORMAT PATH",
        "Also append a row per table to the Delta table at PATH; FORMAT is delta.", scope=NEVER)
    # fmt: on
    observed: ObservedOptions
    many: FleetOptions
    access: AccessOptions
    spark: SparkOptionGroup
    output: TableOutputOptions
    shows = "TableReport"
    about = "tables"

    @property
    def asked(self) -> list[str]:
        if not self.why:
            return []
        from deltaadm.reports.why import is_word

        texts = self.tables or []
        words = [text for text in texts if is_word(text)]
        for text in texts if len(texts) > 1 else ():
            hint = did_you_mean(text, FEATURES) if text.isidentifier() else ""
            if hint and text not in words:
                raise UsageError(
                    f"{text!r} is not a table feature. {hint} A table of that name is ./{text}.",
                    option="--why",
                )
        return words

    def run(self, context: RunContext) -> int:
        tables, many, words = self.tables or [], self.many, self.asked
        if self.why or self.for_client:
            chosen = "--why" if self.why else "--for-client"
            others = ["for_client"] if self.why else ["version", "timestamp"]
            for name in ("files", "columns", "clients", "client_sources", "save_as", *others):
                if getattr(self, name) not in (None, False):
                    option = f"--{name.replace('_', '-')}"
                    raise UsageError(f"cannot be combined with {option}", option=chosen)
        tables = [text for text in tables if text not in words]
        report = _question(self, words)
        many.require_any(tables)
        # What many tables need takes longer to import than one table takes to inspect.
        alone = self.save_as is None and self.spark.engine is Engine.EMBEDDED
        if alone and (table := many.only(tables)):
            target = find(context, table)
            do_without_numpy()  # not before: Spark, which knows names of tables, needs it
            return show(context, [report(context, target)])
        from deltaadm.runs.fleet import report_all

        inventory = None
        if self.save_as:
            from deltaadm.runs.inventory import Inventory

            inventory = Inventory(*self.save_as)
        return report_all(context, tables, many, report, inventory=inventory, advised=True)


def _question(
    options: Inspect, words: Sequence[str]
) -> Question[TableReport | WhyReport | ForClientReport]:
    if options.for_client:
        return questions.for_client(options.for_client)
    if options.why:
        return questions.why(*words, version=options.version, timestamp=options.timestamp)
    clients = "matrix" if options.clients else "summary"
    return questions.inspect(
        options.version,
        options.timestamp,
        files=options.files,
        columns=options.columns,
        clients="sources" if options.client_sources else clients,
        advice=not options.no_advice,
        readers=options.observed.readers,
        observed_for=options.observed.observed_for,
    )
