"""Requests: the arguments of a run, in groups that are those of the command line's options."""

from __future__ import annotations

from enum import Enum

from deltaadm.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deltaadm.render.selection import Selection


class Engine(Enum):
    """The engines that read logs or commit plans, by their names on the command line."""

    EMBEDDED = "embedded"
    SPARK = "spark"


class OutputRequest:
    """The form of the result."""

    output: str = "text"
    color: str = "auto"
    json: str | None = None
    query: str | None = None

    @property
    def show_secrets(self) -> bool:
        """Whether secrets among properties of tables are shown, where there are any."""
        return False

    @property
    def selection(self) -> Selection | None:
        """The selection from JSON documents; None for all."""
        return selection_of(self.json, self.query)


def selection_of(fields: str | None, query: str | None) -> Selection | None:
    """The selection by *fields*, separated by commas, and *query*; raises `UsageError`."""
    if fields is None and query is None:
        return None
    from deltaadm.render.selection import Selection, require_query

    if query is not None:
        require_query(query)
    names = tuple(name.strip() for name in (fields or "").split(",") if name.strip())
    if fields is not None and not names:
        raise UsageError("names no field", option="--json")
    return Selection(names, query or "")


class FleetRequest:
    """The tables, which may be many, and how a run over them proceeds."""

    also: list[str] | None = None
    tables_from: Path | None = None
    discover: list[str] | None = None
    catalog: list[str] | None = None
    jobs: int | None = None
    brief: bool = False
    every: bool = False
    resume: Path | None = None

    @property
    def names_tables(self) -> bool:
        """Whether the options name tables, besides those that arguments do."""
        return self.tables_from is not None or bool(self.also or self.discover or self.catalog)


class AccessRequest:
    """Access to catalogs and object stores, and the time that the command may take."""

    unity: str | None = None
    storage_option: list[str] | None = None
    storage_options_file: Path | None = None
    timeout: str | None = None


class SparkRequest:
    """The use of Spark, and where and how it runs."""

    engine: Engine = Engine.EMBEDDED
    spark_master: str | None = None
    remote: str | None = None
    spark_conf: list[str] | None = None
    jars: list[Path] | None = None
    debug: bool = False


def require_streaming(many: FleetRequest, *formats: str) -> None:
    """Turn away a format in which the answers of an earlier run cannot stand: a usage error."""
    if many.resume is not None and not set(formats) <= {"text", "jsonl"}:
        raise UsageError("supports only -o jsonl and -o text", option="--resume")


def pairs(given: Sequence[str] | None, option: str, shape: str = "KEY=VALUE") -> dict[str, str]:
    """The texts of *option*, of this *shape*, as a mapping; the last of several values counts."""
    values = {}
    for text in given or ():
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise UsageError(f"{text!r} is not of the form {shape}", option=option)
        values[key] = value
    return values
