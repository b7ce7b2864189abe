"""Tables by their names in Spark's catalogs."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

from deltaadm.errors import DeltaadmError, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import ClassVar

    from deltaadm.cli.options import SparkOptionGroup
    from deltaadm.operations.parent_catalog import ParentTable
    from deltaadm.spark.catalog import CatalogTable, DeltaCatalog
    from deltaadm.spark.parent_catalog import SparkParentCatalog


class Names:
    """What the table names of the command line have turned out to be, and who knows of others."""

    found: ClassVar[dict[str, CatalogTable | DeltaadmError]] = {}
    catalog: ClassVar[DeltaCatalog | None] = None


def look_up(tables: Sequence[str], group: SparkOptionGroup | None = None) -> None:
    """Find those of *tables* that are names in Spark's catalogs, for `locate` to know."""
    from deltaadm.storage.store import table_name

    parsed = {table: table_name(table) for table in tables}
    names = {table: parts for table, parts in parsed.items() if parts}
    if not names:
        return
    try:
        with catalog(tuple(names), group) as there:
            if there is not None:
                for table, parts in names.items():
                    Names.found[table] = _or_error(partial(there.load_table, parts))
    except DeltaadmError as error:
        Names.found |= dict.fromkeys(names, error)


def _or_error(look: Callable[[], CatalogTable]) -> CatalogTable | DeltaadmError:
    try:
        return look()
    except DeltaadmError as error:
        return error


def list_tables(pattern: str, group: SparkOptionGroup) -> list[str]:
    """
    The names of the Delta tables that match *pattern* in Spark's catalogs, for `locate` to know.

    Raises what `DeltaCatalog.list_tables` does, and `Refused` where there is no catalog.
    """
    with _open_catalog(group) as there:
        if there is None:
            raise Refused(
                "There is no catalog to look for tables in.",
                remedy="Say where Spark's catalog is, by --remote, --spark-master or --spark-conf.",
            )
        found = {one.name: one for one in there.list_tables(pattern)}
    Names.found |= found
    return list(found)


@contextmanager
def catalog(
    tables: Sequence[str], group: SparkOptionGroup | None = None, *, always: bool = False
) -> Iterator[DeltaCatalog | None]:
    """
    Spark's catalogs for the block, if there are names among *tables* and catalogs to know them.

    With *always* they are there in any case. Whoever needs Spark inside the block gets the same
    session.
    """
    if not (always or any(map(is_name, tables))):
        yield None
        return
    from deltaadm.cli.options import SparkOptionGroup

    with _open_catalog(group or SparkOptionGroup(), always=always) as found:
        yield found


@contextmanager
def _open_catalog(
    group: SparkOptionGroup, *, always: bool = False
) -> Iterator[DeltaCatalog | None]:
    from deltaadm.cli import sessions, streams
    from deltaadm.spark.catalog import open_catalog

    with open_catalog(sessions.spark_options(group), streams.say, always=always) as found:
        before, Names.catalog = Names.catalog, found
        try:
            with sessions.held(really=found is not None):
                yield found
        finally:
            Names.catalog = before


def is_name(table: str) -> bool:
    """Whether *table* is the name of a table in a catalog, rather than a place."""
    from deltaadm.storage.store import table_name

    return table_name(table) is not None


def place_in(there: DeltaCatalog | None, table: str) -> tuple[str, str]:
    """The whole name of a table, there or not, and where a new one would have its files."""
    from deltaadm.storage.store import table_name

    assert there is not None  # noqa: S101 -- who needs a name has a catalog
    parts = table_name(table) or ()
    return there.whole_name(parts), there.default_place(parts)


def parent_table(there: DeltaCatalog | None, table: str) -> tuple[str, ParentTable]:
    """The whole name of a table that was looked up, of whatever provider, and what it is."""
    found = Names.found[table]
    if isinstance(found, DeltaadmError):
        raise found
    return found.name, parent_catalog(there).described(found)


def parent_catalog(there: DeltaCatalog | None) -> SparkParentCatalog:
    """The catalog to which *there* hands tables of other providers."""
    from deltaadm.spark.parent_catalog import SparkParentCatalog

    assert there is not None  # noqa: S101 -- who needs a name has a catalog
    return SparkParentCatalog(there.session)


def name_of(table: str) -> str | None:
    """The name, as SQL spells it, under which *table* was found in a catalog."""
    found = _found(table)
    return None if found is None else found.name


def is_of_parent(table: str) -> bool:
    """Whether *table* was found to be one that Delta's catalog leaves to its parent catalog."""
    found = _found(table)
    return found is not None and found.is_of_parent


def is_managed(table: str) -> bool:
    """Whether *table* was found to be one that its catalog manages."""
    found = _found(table)
    return found is not None and found.is_managed


def place_of(table: str) -> str | None:
    """
    The place of the Delta table *table*, if it was looked up as a name.

    Raises why the name does not lead to one.
    """
    found = Names.found.get(table)
    if isinstance(found, DeltaadmError):
        raise found
    return None if found is None else found.require_delta().location


def look_again(name: str) -> None:
    """Find out where *name* leads by now, as far as there is an open catalog to be asked."""
    from deltaadm.storage.store import table_name

    parts = table_name(name)
    if parts is not None and Names.catalog is not None:
        Names.found[name] = _or_error(partial(Names.catalog.load_delta_table, parts))


def foresee(table: str, location: str | None, there: DeltaCatalog | None) -> None:
    """
    Find out where the name *table* leads, or will lead once the table is created.

    *location* is what the user chose. A name that belongs to a view or to a table of another
    provider leads nowhere.
    """
    from deltaadm.storage.store import table_name

    parts = table_name(table)
    if parts is not None and there is not None:
        Names.found[table] = _or_error(partial(there.place_of, parts, location))


def place_created(name: str | None, foreseen: str) -> str:
    """Where a new table is: the catalog may have chosen another place than the one *foreseen*."""
    if name is None or Names.catalog is None:
        return foreseen
    foresee(name, foreseen, Names.catalog)
    found = _found(name)
    return foreseen if found is None else found.location


def _found(table: str) -> CatalogTable | None:
    found = Names.found.get(table)
    return None if isinstance(found, DeltaadmError) else found
