"""
The options that commands share, in groups.

A command takes a whole group as one parameter; `expanded` turns it into the options that the
command line shows.
"""

import inspect
from collections.abc import Callable, Sequence
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from deltaadm.dataclass import dataclass
from deltaadm.operations.inspect import TableReport
from deltaadm.operations.reports import PlanReport
from deltaadm.render.formats import formats_for
from deltaadm.validation.finding import ValidationReport

TableArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="TABLE",
        help="A path, a file: URL, delta.`path`, or catalog.schema.table.",
        show_default=False,
    ),
]
TableArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TABLE...",
        help="Paths, file: URLs, delta.`path`, or catalog.schema.table; options such as "
        "--discover name more.",
        show_default=False,
    ),
]


def _either(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_ALWAYS = formats_for(TableReport)
_FOR_PLANS = tuple(name for name in formats_for(PlanReport) if name not in _ALWAYS)

FORMATS_HELP = f"{_either(_ALWAYS)}; for plans also {_either(_FOR_PLANS)}."
REPORT_FORMATS_HELP = (
    f"{_either(formats_for(ValidationReport))}, each with the file it goes to if that is not "
    "standard output; may be given several times."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """How the answer is shown."""

    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FORMAT",
            help=FORMATS_HELP,
        ),
    ] = "text"
    color: Annotated[
        str,
        typer.Option(metavar="WHEN", help="auto, always or never."),
    ] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """In which formats the answer is written, and where."""

    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FORMAT[:FILE]",
            help=REPORT_FORMATS_HELP,
        ),
    ] = None
    output_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where the format without a file goes, not standard output."
        ),
    ] = None
    color: Annotated[
        str,
        typer.Option(metavar="WHEN", help="auto, always or never."),
    ] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetOptions:
    """Which tables there are, many of them perhaps, and how a run over them goes."""

    also: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="TABLE", help="A table; may be given several times."),
    ] = None
    tables_from: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file with a table a line, - for standard input; # begins a comment.",
        ),
    ] = None
    discover: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIRECTORY",
            help="All tables below it, also below a URL that --engine spark reaches; may be given "
            "several times.",
        ),
    ] = None
    catalog: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="All Delta tables with such names in Spark's catalogs, as main.sales.*; may be "
            "given several times.",
        ),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            help="So many tables at the same time; as many as there are processors if left out.",
        ),
    ] = None
    brief: Annotated[
        bool,
        typer.Option(
            "--brief",
            help="A line for each table and an overview, as for tables that options name.",
        ),
    ] = False
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Go on with an interrupted run, whose -o jsonl went to FILE.",
        ),
    ] = None

    @property
    def names_tables(self) -> bool:
        """Whether the options name tables, besides those that arguments do."""
        return self.tables_from is not None or bool(self.also or self.discover or self.catalog)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsOptions:
    """Where settings come from."""

    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings; deltaadm.toml or pyproject.toml otherwise."),
    ] = None
    isolated: Annotated[
        bool, typer.Option("--isolated", help="Look for no file with settings.")
    ] = False


class Engine(Enum):
    """What reads a log; the value is its name on the command line."""

    EMBEDDED = "embedded"
    SPARK = "spark"


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkOptionGroup:
    """What Spark is used for, and where and how it runs."""

    engine: Annotated[
        Engine,
        typer.Option(
            metavar="ENGINE",
            help="What reads the log: embedded, which needs no JVM, or spark, for logs that one "
            "process takes too long to read and for places that only Spark reaches.",
        ),
    ] = Engine.EMBEDDED
    spark_master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Spark master; this machine if left out."),
    ] = None
    remote: Annotated[
        str | None, typer.Option(metavar="URL", help="Spark Connect server, sc://host:port.")
    ] = None
    spark_conf: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A Spark setting; may be given several times."),
    ] = None
    jars: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PLACE",
            help="A jar, or a directory of jars, for the Spark that is started: Delta's own, where "
            "they cannot be fetched.",
        ),
    ] = None
    debug: Annotated[
        bool, typer.Option("--debug", help="Show Spark's own messages on standard error.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What becomes of a plan."""

    apply: Annotated[
        bool, typer.Option("--apply", help="Commit the plan; without it, it is only shown.")
    ] = False
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if the plan is not empty.")
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save the plan, for `deltaadm apply FILE`."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOptions:
    """Which programs must go on working."""

    for_client: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLIENT",
            help="Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.",
        ),
    ] = None
    for_client_writing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLIENT",
            help="Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentOptions:
    """What may be committed without asking."""

    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before a metadata-only change.")
    ] = False
    allow_backfill: Annotated[
        bool, typer.Option("--allow-backfill", help="Do not ask before listing every file anew.")
    ] = False
    allow_rewrite: Annotated[
        bool,
        typer.Option("--allow-rewrite", help="Do not ask before rewriting every data file."),
    ] = False
    accept_irreversible: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FEATURE|TABLE",
            help="Do not ask before destroying history to drop this feature, or before dropping "
            "this table that is not Delta's to replace it; may be given several times.",
        ),
    ] = None
    accept_silently_wrong: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLIENT",
            help="Do not ask before this client gets wrong data; may be given several times.",
        ),
    ] = None


class NotEnough(typer.BadParameter):
    """A command line that leaves something out: a usage error that is a sentence of its own."""

    def format_message(self) -> str:
        """The sentence."""
        return self.message


def require_tables(named: Sequence[str] | None, many: FleetOptions) -> None:
    """Turn away a command line that names no table: a usage error."""
    if not named and not many.names_tables:
        raise NotEnough("Name a TABLE, or give --table, --tables-from, --discover or --catalog.")


def split_words(words: Sequence[str | None], many: FleetOptions) -> tuple[list[str], list[str]]:
    """
    The table and what else the arguments say; all is something else where options name tables.

    A command line without any table is a usage error.
    """
    given = [one for one in words if one is not None]
    if many.names_tables:
        return [], given
    require_tables(given, many)
    return given[:1], given[1:]


def require_streaming(many: FleetOptions, *formats: str) -> None:
    """Turn away a format in which the answers of an earlier run cannot stand: a usage error."""
    if many.resume is not None and not set(formats) <= {"text", "jsonl"}:
        raise typer.BadParameter("goes with -o jsonl and -o text", param_hint="--resume")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitOptions:
    """What goes with carrying out plans."""

    clients: ClientOptions
    consent: ConsentOptions
    spark: SparkOptionGroup
    output: OutputOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOptions:
    """What all commands have that plan changes."""

    planning: PlanOptions
    commit: CommitOptions


def expanded(command: Callable[..., int]) -> Callable[..., None]:
    """
    *command* for the command line: option groups become options, the result the exit code.

    The order is that of the parameters, a group's options in its place; groups may hold groups.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters = [
        each
        for one in inspect.signature(command).parameters.values()
        for each in _options(one.replace(annotation=hints[one.name]))
    ]

    @wraps(command)
    def called(**given: Any) -> None:
        raise typer.Exit(command(**{name: _value(name, hints[name], given) for name in names}))

    names = inspect.signature(command).parameters
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


def _options(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """What the command line has for *parameter*: itself, or all that is in the group."""
    group = parameter.annotation
    if not _is_group(group):
        return [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    hints = get_type_hints(group, include_extras=True)
    return [
        each
        for one in group.__fields__
        for each in _options(
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=one.default if one.optional else inspect.Parameter.empty,
                annotation=hints[one.name],
            )
        )
    ]


def _value(name: str, hint: Any, given: dict[str, Any]) -> Any:
    """What was *given* for a parameter, or for all that is in a group."""
    if not _is_group(hint):
        return given.pop(name)
    hints = get_type_hints(hint, include_extras=True)
    return hint(**{one.name: _value(one.name, hints[one.name], given) for one in hint.__fields__})


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and hasattr(hint, "__fields__")


def pairs(given: list[str] | None, option: str, shape: str = "KEY=VALUE") -> dict[str, str]:
    """The texts of *option*, of this *shape*, as a mapping; the last of several values counts."""
    found = {}
    for text in given or ():
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise typer.BadParameter(f"{text!r} is not {shape}", param_hint=option)
        found[key] = value
    return found
