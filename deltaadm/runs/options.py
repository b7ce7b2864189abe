"""
The options that commands share, in groups: what a command line, settings and a program may say.

A command takes a whole group, and runs take the groups as they are.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from enum import Enum

from deltaadm.dataclass import dataclass
from deltaadm.errors import ArgumentFileError, RefusedError, UsageError
from deltaadm.formats import Selection, formats_for
from deltaadm.runs.declare import COMMON, NEVER, Parameters, option, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path
    from typing import Any, Final


TABLE_HELP = "A path, URL, catalog name or @ALIAS; see `deltaadm help storage`."
TABLES_HELP = "Paths, URLs, catalog names or @ALIAS; see `deltaadm help storage`."


def either(names: Sequence[str]) -> str:
    """The *names*, the last two joined by "or"."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


FILE_HELP = "; with :FILE, written to that file."
FORMATS_HELP = f"{either(formats_for('TableReport'))}{FILE_HELP}"
REPORT_FORMATS_HELP = f"{either(formats_for('ValidationReport'))}{FILE_HELP} Repeatable."


class Engine(Enum):
    """The engines that read logs or commit plans, by their names on the command line."""

    EMBEDDED = "embedded"
    SPARK = "spark"


@dataclass(frozen=True)
class OutputTarget:
    """A format, and the file that it is written to: standard output if there is none."""

    format: str
    file: Path | None = None


class OutputOptions(Parameters):
    """The form of the result."""

    heading = "Output"
    scope = COMMON

    output: str = option("--output", "-o", "FORMAT[:FILE]", FORMATS_HELP, default="text")
    # fmt: off
    output_file: Path | None = option("FILE", "Write the result to this file.", scope=NEVER)
    json: str | None = option("FIELDS",
        "Print only these JSON fields, separated by commas; implies -o json.", scope=NEVER)
    query: str | None = option("JMESPATH",
        "Filter the JSON, for example with 'findings[].code'; implies -o json.", scope=NEVER)
    # fmt: on
    color: str = option("WHEN", "auto, always or never.", default="auto")

    @property
    def targets(self) -> list[OutputTarget]:
        """The formats and their files; raises `UsageError` for what does not go together."""
        given: Any = self.output or "text"
        targets: list[OutputTarget] = []
        for text in given if isinstance(given, list) else [given]:
            name, colon, path = text.partition(":")
            file = self.output_file
            if colon:
                if not path:
                    raise UsageError(f"{text!r} names no file", option="--output")
                file = path_of(path)
            for field in ("json", "query"):
                if getattr(self, field) is not None and name not in {"json", "jsonl", "yaml"}:
                    message = f"requires -o json, jsonl or yaml, not {text}"
                    raise UsageError(message, option=f"--{field}")
            if any(file == target.file for target in targets):
                raise UsageError(
                    f"several formats go to {file or 'standard output'}; add a file to all but "
                    "one, for example -o sarif:report.sarif",
                    option="--output",
                )
            targets.append(OutputTarget(name, file))
        if self.output_file is not None and all(of.file != self.output_file for of in targets):
            raise UsageError("every format already has a file", option="--output-file")
        return targets

    @property
    def file(self) -> Path | None:
        """The file that standard output goes to, if any."""
        return self.targets[0].file

    @property
    def show_secrets(self) -> bool:
        """Whether secrets among properties of tables are shown, where there are any."""
        return False

    @property
    def selection(self) -> Selection | None:
        """The selection from JSON documents; None for all. Raises `UsageError`."""
        if self.json is None and self.query is None:
            return None
        query = None
        if self.query is not None:
            from deltaadm.formats.json import parse_query

            query = parse_query(self.query)
        names = tuple(name.strip() for name in (self.json or "").split(",") if name.strip())
        if self.json is not None and not names:
            raise UsageError("names no field", option="--json")
        return Selection(names, query)


class TableOutputOptions(OutputOptions):
    """The form of a result about tables."""

    show_secrets: bool = option(
        "Show property values that look like passwords, keys or tokens.", scope=NEVER
    )


class ReportOptions(TableOutputOptions):
    """The formats of the result, and where it is written."""

    output: list[str] | None = option(  # type: ignore[assignment]  # others take one
        "--output", "-o", "FORMAT[:FILE]", REPORT_FORMATS_HELP
    )
    output_file: Path | None = option("FILE",
        "File for the format without one, instead of standard output.", scope=NEVER)  # fmt: skip
    file = None  # the command itself tells several outputs apart


class FleetOptions(Parameters):
    """The tables, which may be many, and how a run over them proceeds."""

    heading = "Tables"
    scope = COMMON

    # fmt: off
    also: list[str] | None = option("--table", "TABLE",
        "Add this table. Repeatable.", scope=NEVER)
    tables_from: Path | None = option("FILE",
        "Read tables from FILE (- is standard input), one per line; # starts a comment.",
        scope=NEVER)
    discover: list[str] | None = option("DIRECTORY",
        "Find all tables below a directory or URL, for example s3://bucket/prefix. Repeatable.",
        scope=NEVER)
    catalog: list[str] | None = option("PATTERN",
        "Find all Delta tables with matching catalog names, for example main.sales.*. Repeatable.",
        scope=NEVER)
    jobs: int | None = option("--jobs", "-j", "N",
        "Process up to N tables in parallel (default: number of CPUs, or 16 in object stores).",
        minimum=1)
    brief: bool = option(
        "Print one line per table and a summary; the default if options name the tables.")
    every: bool = option("--all",
        "Also list tables without findings or changes, and findings that are info.")
    resume: Path | None = option("FILE",
        "Continue an interrupted run from its -o jsonl output in FILE.", scope=NEVER)
    # fmt: on

    @property
    def names_tables(self) -> bool:
        """Whether the options name tables, besides those that arguments do."""
        return self.tables_from is not None or bool(self.also or self.discover or self.catalog)

    def only(self, named: Sequence[str]) -> str:
        """The table of *named*, if it is one that is shown as a whole, and there is no other."""
        alone = len(named) == 1 and not (self.names_tables or self.brief or self.resume)
        return named[0] if alone else ""

    def require_any(self, named: Sequence[str] | None) -> None:
        """Turn away a command line that names no table: a usage error."""
        if not named and not self.names_tables:
            raise UsageError(
                "Name a TABLE, or use --table, --tables-from, --discover or --catalog."
            )


class ObservedOptions(Parameters):
    """The clients that were seen to use a table."""

    heading = "Clients"
    scope = COMMON

    # fmt: off
    readers: Path | None = option("FILE",
        "Readers from access logs: CSV or JSON lines with client, version and last_seen. The log "
        "has no trace of readers.")
    observed_for: str | None = option("DURATION",
        "Count clients that wrote or read within this time (default: 30d).")
    # fmt: on


class AccessOptions(Parameters):
    """Access to catalogs and object stores, and the time that the command may take."""

    heading = "Storage and time"
    scope = COMMON

    # fmt: off
    unity: str | None = option("URL",
        "Unity Catalog URL, used to resolve table names without Spark. Token: "
        "UNITY_CATALOG_TOKEN or DATABRICKS_TOKEN.")
    storage_option: list[str] | None = option("KEY=VALUE",
        "Object store option, for example aws_region=eu-west-1; no secrets. Repeatable.")
    storage_options_file: Path | None = option("FILE",
        "File of object store options, one KEY=VALUE per line; may contain secrets.")
    timeout: str | None = option("DURATION",
        "Give up after this long, for example 90s (exit code 4).")
    # fmt: on


class SparkOptionGroup(Parameters):
    """The use of Spark, and where and how it runs."""

    heading = "Spark"
    scope = COMMON

    # fmt: off
    engine: Engine = option("ENGINE",
        "Log reader: embedded (no JVM) or spark (huge logs, HDFS).", default=Engine.EMBEDDED)
    spark_master: str | None = option("URL", "Spark master (default: this machine).")
    remote: str | None = option("URL", "Spark Connect server, sc://host:port.")
    spark_conf: list[str] | None = option("KEY=VALUE", "Spark setting. Repeatable.")
    jars: list[Path] | None = option("PATH",
        "Start Spark with this jar or directory of jars, instead of downloading Delta's. "
        "Repeatable.")
    # fmt: on


def pairs(given: Sequence[str] | None, option: str, shape: str = "KEY=VALUE") -> dict[str, str]:
    """The texts of *option*, of this *shape*, as a mapping; the last of several values counts."""
    values = {}
    for text in given or ():
        key, separator, value = text.partition("=")
        while shape.startswith("COLUMN=") and separator and key.count("`") % 2:
            # Within the backticks of a column's name.
            more, separator, value = value.partition("=")
            key += f"={more}"
        if not separator or not key:
            raise UsageError(f"{text!r} does not have the form {shape}", option=option)
        values[key] = value
    return values


# Files that are named


_MOST: Final = 1 << 28  # characters of what is no regular file


def read_input(path: Path) -> str:
    """The text at *path*, or of standard input for `-`; raises what `read_file` does."""
    if str(path) != "-":
        return read_file(path)
    try:
        return sys.stdin.read().removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(
            "Standard input cannot be read as text.", remedy="Save it to a file, and name the file."
        ) from error


def read_file(path: Path) -> str:
    """
    The text of the file at *path*, BOM or not.

    Raises `ArgumentFileError` where it is not there, and `RefusedError` where it cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            # A pipe or device may have no end.
            text = file.read(-1 if is_regular else _MOST)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ArgumentFileError(
            f"The file {path} cannot be read: {error.strerror}.", remedy="Check its name."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise RefusedError(
            f"The file {path} cannot be read: {reason}.", remedy="Check its name."
        ) from error
    if len(text) == _MOST:
        raise RefusedError(f"{path} does not end.", remedy="Check its name.")
    return text
