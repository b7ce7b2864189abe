"""Tables by their names in Spark's catalogs, Delta's and those of other providers."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from deltaadm.catalog_table import (
    DELTA,
    SESSION_CATALOG,
    CatalogTable,
    is_name_pattern,
    matches_name,
    pattern_parts,
)
from deltaadm.domain import ddl
from deltaadm.domain.schema import path_text
from deltaadm.domain.transaction.columns import parse_column
from deltaadm.errors import (
    CommitError,
    DeltaadmError,
    RefusedError,
    StorageError,
    TableError,
    did_you_mean,
)
from deltaadm.spark.errors import error_text, refusal, refusals
from deltaadm.spark.jvm import conf_directory, settings_at_start
from deltaadm.spark.session import LITERAL_STATEMENTS, SparkOptions, configured, open_session

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


DEFAULT_PROVIDER: Final = "spark.sql.sources.default"
_CATALOG_SETTINGS: Final = "spark.sql.catalog"


class DeltaCatalog:
    """The catalogs of a Spark session: the tables they have, and which of them are Delta's."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def load_table(self, name: Sequence[str]) -> CatalogTable:
        """
        The table with the parts *name*: schema and table, or catalog, schema and table.

        Raises `TableError` where there is none, with names that are alike, and `StorageError` where
        the catalog does not let us look.
        """
        *namespace, table = name
        listed = self._tables(namespace, table)
        same = (entry for listed_name, entry in listed if listed_name.lower() == table.lower())
        if exact := next(same, None):
            return exact
        names = (listed_name for listed_name, _ in self._tables(namespace, "*"))
        remedy = did_you_mean(table, names) or "SHOW TABLES in Spark lists the tables that exist."
        raise TableError(
            f"Table {path_text(tuple(name))} does not exist.",
            remedy=remedy,
            delta_error_class=_NO_TABLE,
        )

    def list_tables(self, pattern: str) -> tuple[CatalogTable, ...]:
        """
        The Delta tables whose names match *pattern*, in the order of their names.

        *pattern* is `catalog.schema.table` or `schema.table`, with `*` for any text and `?` for
        one character in the last two parts; letters may be in any case. Views and tables of other
        providers are left out. Raises `RefusedError` for another pattern, `TableError` where a
        catalog or schema that is named does not exist, and `StorageError` where the catalog does
        not let us look.
        """
        *catalog, schema, table = pattern_parts(pattern, "catalog.schema.table", "schema.table")
        schemas = self._schemas(catalog, schema) if is_name_pattern(schema) else [schema]
        tables = [
            entry
            for schema_name in schemas
            for listed_name, entry in self._tables([*catalog, schema_name], table)
            if entry.is_delta and matches_name(listed_name, table)
        ]
        return tuple(sorted(tables, key=lambda entry: entry.name))

    def place_of(self, name: Sequence[str], location: str | None = None) -> CatalogTable:
        """
        The Delta table with the parts *name*, or the one that would be if it were created.

        Its place is then *location*, or the one below its schema. Raises what `find` and
        `require_delta` do.
        """
        whole = path_text(tuple(name))
        if entry := self.find(whole):
            return entry.require_delta()
        return CatalogTable(whole, DELTA, location or self.default_place(name))

    def whole_name(self, name: Sequence[str]) -> str:
        """The name with the parts *name* as SQL spells it, with that of the catalog it is in."""
        if len(name) > 2:  # noqa: PLR2004 -- schema and table
            return path_text(tuple(name))
        [[catalog]] = self._answer("SELECT current_catalog()", ())
        return path_text((str(catalog), *name))

    def default_place(self, name: Sequence[str]) -> str:
        """The default location of a new table with the parts *name*."""
        *namespace, table = name
        place = ".".join(map(ddl.identifier, namespace))
        rows = self._answer(f"DESCRIBE NAMESPACE EXTENDED {place}", namespace)
        below = next((str(row[1]) for row in rows if row[0] == "Location"), "")
        return f"{plain_location(below)}/{table.lower()}"

    def query_schema(self, query: str) -> str:
        """The schema of *query*, which is not run, as JSON; `RefusedError` for what is no query."""
        try:
            # On lines of its own: it may end with a comment.
            asked = f"SELECT * FROM (\n{query}\n)"  # noqa: S608 -- the user's own, and only read
            return self.session.sql(asked).schema.json()
        except Exception as error:
            refused = refusal(error)
            raise RefusedError(
                f"Spark cannot analyze the query: {refused.message}",
                remedy="Use a SELECT statement.",
                delta_error_class=refused.delta_error_class,
            ) from error

    def get_provider(self, properties: Mapping[str, str]) -> str:
        """The `provider` among *properties*, or else what the session takes by default."""
        return properties.get("provider") or str(self.session.conf.get(DEFAULT_PROVIDER))

    # Tables of other providers, which Delta's catalog hands to its parent

    def find(self, name: str) -> CatalogTable | None:
        """The table *name*, or None; raises `TableError` for a view."""
        try:
            entry = self.load_table(parse_column(name))
        except TableError as error:
            if error.delta_error_class != _NO_TABLE:
                raise
            return None
        if entry.is_view:
            raise TableError(
                f"{entry.name} is a view.",
                remedy="Choose another name, or drop the view first.",
                delta_error_class="EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
            )
        return entry

    def description(self, name: str) -> tuple[tuple[str, str], ...]:
        """What DESCRIBE TABLE EXTENDED says of the table *name*."""
        rows = self.run(f"DESCRIBE TABLE EXTENDED {name}")
        return tuple((str(key), f"{value or ''} {more or ''}".strip()) for key, value, more in rows)

    def run(self, sql: str) -> list[tuple[object, ...]]:
        """Carry a statement out; raises `CommitError` where Spark refuses."""
        with configured(self.session, LITERAL_STATEMENTS), refusals():
            return [tuple(row) for row in self.session.sql(sql).collect()]

    # What Spark answers

    def _tables(self, namespace: Sequence[str], pattern: str) -> Iterator[tuple[str, CatalogTable]]:
        """The tables in *namespace* with names like *pattern*, and perhaps a few more."""
        # Spark's own patterns give other characters a meaning, of which there is no escape.
        like = ddl.literal(re.sub(r"[^\w*]", "*", pattern))
        place = ".".join(map(ddl.identifier, namespace))
        for row in self._answer(f"SHOW TABLE EXTENDED IN {place} LIKE {like}", namespace):
            # Temporary views are listed in every schema.
            if not row["isTemporary"]:
                # One statement for all tables of a schema; DESCRIBE would be one for each.
                yield row["tableName"], self._described(row["information"])

    def _schemas(self, catalog: Sequence[str], pattern: str) -> list[str]:
        place = f" IN {ddl.identifier(catalog[0])}" if catalog else ""
        names = [str(row[0]) for row in self._answer(f"SHOW SCHEMAS{place}", catalog)]
        return [name for name in names if matches_name(name, pattern)]

    def _described(self, information: str) -> CatalogTable:
        """The entry that Spark prints: comments and properties come before the location."""
        described = information.split("\nSchema: ", maxsplit=1)[0].splitlines()
        lines = [line.partition(": ") for line in described]
        # A comment or a property may contain lines that look like these: what Spark says first, or
        # last, is its own.
        last = {key: value for key, _, value in lines}
        first = {key: value for key, _, value in reversed(lines)}
        namespace = first.get("Database") or first.get("Namespace", "")
        parts = (first.get("Catalog", ""), namespace, first.get("Table", ""))
        is_view = first.get("Type", "").endswith("VIEW")
        provider = first.get("Provider", "")
        # Other catalogs have tables that are no files at all.
        if parts[0] == SESSION_CATALOG:
            provider = self.get_provider({"provider": provider})
        return CatalogTable(
            name=path_text(tuple(filter(None, parts))),
            provider="" if is_view else provider.lower(),
            location=plain_location(last.get("Location", "")),
            is_view=is_view,
            is_managed=first.get("Type", "").upper() == "MANAGED",
        )

    def _answer(self, sql: str, namespace: Sequence[str]) -> list[Row]:
        try:
            return self.session.sql(sql).collect()
        except Exception as error:
            raise self._refused(error, namespace) from error

    def _refused(self, error: Exception, namespace: Sequence[str]) -> DeltaadmError:
        refused = refusal(error)
        condition = refused.delta_error_class
        place = path_text(tuple(namespace)) or "the catalog"
        kind: type[DeltaadmError] = TableError
        # Each catalog has an error of its own for this, and most have no error class.
        if _FORBIDDEN.search(error_text(error)):
            kind = StorageError
            message = f"The catalog denies this user access to {place}: {refused.message}"
            remedy = "Ask its administrator for permission to list its tables."
        elif condition in _NO_CATALOG:
            message = f"Catalog {namespace[0]} does not exist."
            remedy = f"Configure it with --spark-conf {_CATALOG_SETTINGS}.{namespace[0]}=CLASS."
        elif condition == "SCHEMA_NOT_FOUND":
            message = f"Schema {place} does not exist."
            remedy = "SHOW SCHEMAS in Spark lists the schemas that exist."
        elif isinstance(refused, CommitError):
            kind = StorageError
            message = f"The catalog failed to look up {place}: {refused.message}"
            remedy = "Check its settings, spark.sql.catalog.*; --debug shows Spark's output."
        else:
            return refused
        return kind(message, remedy=remedy, delta_error_class=condition)


_NO_TABLE: Final = "TABLE_OR_VIEW_NOT_FOUND"
_NO_CATALOG: Final = frozenset(
    {"_LEGACY_ERROR_TEMP_1126", "REQUIRES_SINGLE_PART_NAMESPACE", "CATALOG_NOT_FOUND"}
)
_FORBIDDEN: Final = re.compile(
    r"permission|access ?(is )?denied|not authorized|unauthorized|forbidden|privilege",
    re.IGNORECASE,
)


@contextmanager
def open_catalog(
    options: SparkOptions, announce: Callable[[str], None], *, always: bool = False
) -> Iterator[DeltaCatalog | None]:
    """
    The catalogs of the session that `open_session` gives; None where they can know no table.

    With *always* they are opened all the same. In the block others get the same session.
    """
    # A session on this machine that no setting tells of a catalog would start with an empty one.
    known = always or _is_elsewhere(options)
    if not known and find_spec("pyspark") is not None:
        # Not that of `Path`, which fails where the directory may not be looked into.
        known = os.path.isfile(conf_directory() / "hive-site.xml")  # noqa: PTH113
    settings = settings_at_start(options.conf)
    if not known and not any(key.startswith(_CATALOG_SETTINGS) for key in settings):
        yield None
        return
    with open_session(options, announce) as session:
        yield DeltaCatalog(session)


def _is_elsewhere(options: SparkOptions) -> bool:
    if options.remote or os.environ.get("SPARK_REMOTE"):
        return True
    if "pyspark" in sys.modules:
        from pyspark.sql import SparkSession

        if SparkSession.getActiveSession() is not None:
            return True
    return not (options.master or "local").startswith("local")


def may_know_catalog(options: SparkOptions, catalog: str) -> bool:
    """Whether the session of *options* is, or may be, told of a catalog of this name."""
    known = settings_at_start(options.conf)
    return _is_elsewhere(options) or f"{_CATALOG_SETTINGS}.{catalog}" in known


def plain_location(location: str) -> str:
    """A location that a catalog prints as a path, where it is one."""
    # Not decoded: a catalog does not encode what it prints, and a path may have a `%`.
    return re.sub("^file:(//)?(?=/)", "", location)
