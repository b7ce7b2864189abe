"""Tables by their names in Unity Catalog, or in Spark's catalogs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from deltaadm.catalog_table import SESSION_CATALOG, CatalogTable
from deltaadm.dataclass import replace
from deltaadm.errors import DeltaadmError, RefusedError, UsageError
from deltaadm.runs.context import RunContext
from deltaadm.runs.options import Engine
from deltaadm.runs.output import info
from deltaadm.runs.sessions import log_reader, spark_options
from deltaadm.storage.store import table_name

if TYPE_CHECKING:
    from deltaadm.runs.unity import Unity
    from deltaadm.spark.catalog import DeltaCatalog

Entry = CatalogTable | DeltaadmError
"""The catalog's entry for a name, or the reason why there is none."""


# Catalogs


@contextmanager
def opened(
    context: RunContext, names: Sequence[str], places: Sequence[str], *, always: bool = False
) -> Iterator[RunContext]:
    """
    A context for the block, in which logs at *places* are read and *names* can be looked up.

    With *always* Spark's catalogs are open in any case, else only for names that they may know.
    """
    with log_reader(context, places) as reader:
        parts = filter(None, map(table_name, names))
        if always or any(unity_of(reader) is None or not _is_of_unity(name) for name in parts):
            with _with_spark(reader, (*names, *places), always=always) as with_catalog:
                yield with_catalog
        else:
            yield reader


@contextmanager
def _with_spark(
    context: RunContext, places: Sequence[str] = (), *, always: bool = False
) -> Iterator[RunContext]:
    if context.catalog is not None:
        yield context
        return
    if context.commit_engine is Engine.EMBEDDED:
        name = next(filter(table_name, places), "")
        what = (
            f"The name {name} would have to be looked up" if name else "The query would be analysed"
        )
        raise UsageError(
            f"{what} by Spark, which this engine does without",
            option="--commit-engine embedded",
            remedy="Use the table's location, or --unity URL for Unity Catalog; or commit "
            "through Spark: --commit-engine spark.",
        )
    from deltaadm.spark import catalog

    options = spark_options(context, places=places)
    with catalog.open_catalog(options, info, always=always) as with_catalog:
        yield replace(context, catalog=with_catalog)


def unity_of(context: RunContext) -> Unity | None:
    """The Unity Catalog that knows names, unless Spark reads logs; raises as its `catalog` does."""
    unity = context.unity
    if unity is None or unity.catalog is None:
        return None
    return unity if context.executors is None else None


def _is_of_unity(parts: Sequence[str]) -> bool:
    """Whether a name can be one in Unity Catalog, if there is one: not in Spark's own catalog."""
    *catalog, _, _ = parts
    return bool(catalog) and catalog != [SESSION_CATALOG]


# Looking up


def look_up(context: RunContext, tables: Sequence[str]) -> dict[str, Entry]:
    """The entries in the catalog of those of *tables* that are names."""
    names = {table: parts for table in tables if (parts := table_name(table))}
    if not names:
        return {}
    unity = unity_of(context)
    if unity is None:
        return _in_spark(context, names)
    others = {table: parts for table, parts in names.items() if not _is_of_unity(parts)}
    entries = _in_spark(context, others) if others else {}
    from deltaadm.storage.threads import each_ahead

    # A name of two parts may be in either; Spark, if it has a catalog, is asked first.
    left = [table for table in names if table not in entries]
    loads = (partial(unity.load, names[table]) for table in left)
    return {**entries, **dict(zip(left, each_ahead(_or_error, loads, at_once=16), strict=True))}


def _in_spark(context: RunContext, names: dict[str, tuple[str, ...]]) -> dict[str, Entry]:
    try:
        with _with_spark(context, tuple(names)) as with_catalog:
            catalog = with_catalog.catalog
            if catalog is None:
                return {}
            loads = {table: partial(catalog.load_table, parts) for table, parts in names.items()}
            return {table: _or_error(load) for table, load in loads.items()}
    except DeltaadmError as error:
        return dict.fromkeys(names, error)  # which is then the result of each of the tables


def _or_error(load: Callable[[], CatalogTable]) -> Entry:
    try:
        return load()
    except DeltaadmError as error:
        return error


def list_tables(context: RunContext, pattern: str) -> dict[str, CatalogTable]:
    """The Delta tables that match *pattern*; raises as catalogs do, and `RefusedError` for none."""
    unity = unity_of(context)
    if unity is not None and not pattern.startswith(f"{SESSION_CATALOG}."):
        return unity.list_tables(pattern)
    with _with_spark(context) as with_catalog:
        if with_catalog.catalog is None:
            raise RefusedError(
                "No catalog is configured.",
                remedy="Use --unity URL for Unity Catalog; for Spark's catalog, use --remote, "
                "--spark-master or --spark-conf.",
            )
        return {entry.name: entry for entry in with_catalog.catalog.list_tables(pattern)}


# New tables, and tables of other providers


def entry_of_new(context: RunContext, table: str, location: str | None) -> Entry | None:
    """The entry that a new table has once created, at *location* or where its catalog says."""
    parts = table_name(table)
    if parts is None or context.catalog is None:
        return None
    return _or_error(partial(context.catalog.place_of, parts, location))


def catalog_of(context: RunContext, table: str) -> DeltaCatalog:
    """Spark's catalogs, for the name of a *table*; raises as `locate` where there are none."""
    if context.catalog is None:
        context.locate(table)
    assert context.catalog is not None  # noqa: S101 -- a name is no location
    return context.catalog
