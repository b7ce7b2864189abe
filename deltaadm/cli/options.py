"""The options that commands share, in groups; a command takes a whole group."""

from __future__ import annotations

from deltaadm.cli.declare import COMMON, NEVER, Parameters, option
from deltaadm.errors import UsageError
from deltaadm.render.formats import formats_for
from deltaadm.runs.requests import AccessRequest, Engine, FleetRequest, OutputRequest, SparkRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path

TABLE_HELP = (
    "A path, a URL such as s3://bucket/table, delta.`path`, catalog.schema.table, or @ALIAS from "
    "the settings."
)
TABLES_HELP = (
    "Paths, URLs such as s3://bucket/table, delta.`path`, catalog.schema.table, or @ALIAS from the "
    "settings; options such as --discover add more."
)


def either(names: Sequence[str]) -> str:
    """The *names*, the last two joined by "or"."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


FILE_HELP = ", optionally with a file to write instead of standard output."
FORMATS_HELP = f"{either(formats_for('TableReport'))}{FILE_HELP}"
REPORT_FORMATS_HELP = (
    f"{either(formats_for('ValidationReport'))}, each optionally with a file to write instead of "
    "standard output; may be given several times."
)


JSON_HELP = "Only these fields of the JSON, separated by commas; implies -o json."
QUERY_HELP = "JMESPath expression to apply to the JSON, as findings[].code; implies -o json."


class OutputOptions(Parameters, OutputRequest):
    """The form of the result."""

    heading = "Output"
    scope = COMMON

    output: str = option(
        "--output", "-o", metavar="FORMAT[:FILE]", help=FORMATS_HELP, default="text"
    )
    output_file: Path | None = option(
        metavar="FILE",
        help="Write the result to this file instead of standard output.",
        scope=NEVER,
    )
    json: str | None = option(metavar="FIELDS", help=JSON_HELP, scope=NEVER)
    query: str | None = option(metavar="JMESPATH", help=QUERY_HELP, scope=NEVER)
    color: str = option(metavar="WHEN", help="auto, always or never.", default="auto")


SHOW_SECRETS_HELP = "Show the values of properties that look like passwords, keys or tokens."


class TableOutputOptions(OutputOptions):
    """The form of a result about tables."""

    show_secrets: bool = option("--show-secrets", help=SHOW_SECRETS_HELP, scope=NEVER)


class ReportOptions(Parameters):
    """The formats of the result, and where it is written."""

    heading = "Output"
    scope = COMMON

    output: list[str] | None = option(
        "--output", "-o", metavar="FORMAT[:FILE]", help=REPORT_FORMATS_HELP
    )
    output_file: Path | None = option(
        metavar="FILE",
        help="File for the format without one, instead of standard output.",
        scope=NEVER,
    )
    json: str | None = option(metavar="FIELDS", help=JSON_HELP, scope=NEVER)
    query: str | None = option(metavar="JMESPATH", help=QUERY_HELP, scope=NEVER)
    color: str = option(metavar="WHEN", help="auto, always or never.", default="auto")
    show_secrets: bool = option("--show-secrets", help=SHOW_SECRETS_HELP, scope=NEVER)


class FleetOptions(Parameters, FleetRequest):
    """The tables, which may be many, and how a run over them proceeds."""

    heading = "Tables"
    scope = COMMON

    also: list[str] | None = option(
        "--table",
        metavar="TABLE",
        help="A table; may be given several times.",
        scope=NEVER,
    )
    tables_from: Path | None = option(
        metavar="FILE",
        help="A file with one table per line, - for standard input; # starts a comment.",
        scope=NEVER,
    )
    discover: list[str] | None = option(
        metavar="DIRECTORY",
        help="All tables below it, also below a URL such as s3://bucket/prefix; may be given "
        "several times.",
        scope=NEVER,
    )
    catalog: list[str] | None = option(
        metavar="PATTERN",
        help="All Delta tables in the catalog that match it, such as main.sales.*; may be given "
        "several times.",
        scope=NEVER,
    )
    jobs: int | None = option(
        "--jobs",
        "-j",
        metavar="N",
        help="Process up to N tables at the same time (default: the number of processors, or 16 "
        "where tables are in object stores).",
        minimum=1,
    )
    brief: bool = option(
        "--brief", help="One line per table and a summary; the default if options name the tables."
    )
    every: bool = option(
        "--all",
        help="In lists of one line per table, also list tables without findings or changes.",
    )
    resume: Path | None = option(
        metavar="FILE",
        help="Continue an interrupted run whose -o jsonl output is in FILE.",
        scope=NEVER,
    )


class AccessOptions(Parameters, AccessRequest):
    """Access to catalogs and object stores, and the time that the command may take."""

    heading = "Storage and time"
    scope = COMMON

    unity: str | None = option(
        metavar="URL",
        help="The Unity Catalog that knows the names of tables, asked without Spark; its token "
        "comes from UNITY_CATALOG_TOKEN or DATABRICKS_TOKEN.",
    )
    storage_option: list[str] | None = option(
        metavar="KEY=VALUE",
        help="An option of the object store, such as aws_region=eu-west-1; no secrets; may be "
        "given several times.",
    )
    storage_options_file: Path | None = option(
        metavar="FILE",
        help="A file with such options, one KEY=VALUE per line; may contain secrets.",
    )
    timeout: str | None = option(
        metavar="DURATION", help="End with exit code 4 after this time, such as 90s."
    )


class SparkOptionGroup(Parameters, SparkRequest):
    """The use of Spark, and where and how it runs."""

    heading = "Spark"
    scope = COMMON

    engine: Engine = option(
        metavar="ENGINE",
        help="Engine that reads the log: embedded, which needs no JVM, or spark, for logs that one "
        "process takes too long to read and for storage that only Spark can access.",
        default=Engine.EMBEDDED,
    )
    spark_master: str | None = option(metavar="URL", help="Spark master (default: this machine).")
    remote: str | None = option(metavar="URL", help="Spark Connect server, sc://host:port.")
    spark_conf: list[str] | None = option(
        metavar="KEY=VALUE", help="A Spark setting; may be given several times."
    )
    jars: list[Path] | None = option(
        metavar="PATH",
        help="A jar, or a directory of jars, for the Spark that is started, such as Delta's "
        "where they cannot be downloaded.",
    )
    debug: bool = option("--debug", help="Show Spark's own messages on standard error.")


def require_tables(named: Sequence[str] | None, many: FleetOptions) -> None:
    """Turn away a command line that names no table: a usage error."""
    if not named and not many.names_tables:
        raise UsageError("Specify a TABLE, or use --table, --tables-from, --discover or --catalog.")
