"""The catalog to which Delta's catalog extension hands what is not Delta's, through Spark."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from deltaadm.dataclass import replace
from deltaadm.domain.model.schema import StructType, parse_schema, rewrite
from deltaadm.domain.sql.ddl import columns_sql, parse_type
from deltaadm.domain.transaction.metadata_checks import RAW_TYPE
from deltaadm.errors import CommitError, Refused, TableError
from deltaadm.operations.alter import OPERATION as ALTER
from deltaadm.operations.create import OPERATION as CREATE
from deltaadm.operations.create import schema_of_query
from deltaadm.operations.foreign.best_effort import BestEffortStagedTable
from deltaadm.operations.foreign.catalog import ForeignDefinition, ForeignTable
from deltaadm.spark.catalog import DeltaCatalog, details, plain_location
from deltaadm.spark.deadlines import looking_up
from deltaadm.spark.errors import refusal, refusals, sentence
from deltaadm.spark.settings import LITERAL_STATEMENTS, configured
from deltaadm.storage.store import table_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import SparkSession

    from deltaadm.domain.model.catalog_table import CatalogTable
    from deltaadm.domain.model.schema import Path, StructField
    from deltaadm.domain.steps import CreateTable
    from deltaadm.operations.foreign.carry_out import ForeignPlan


class SparkForeignCatalog:
    """A `StagingCatalog` of a Spark session, which Delta's extension asks on our behalf."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._catalog = DeltaCatalog(session)

    def find(self, name: str) -> ForeignTable | None:
        """The table *name*, or None; raises `TableError` for a view."""
        try:
            entry = self._catalog.load_table(table_name(name) or ())
        except TableError as error:
            if error.delta_error_class != "TABLE_OR_VIEW_NOT_FOUND":
                raise
            return None
        return self.described(entry)

    def described(self, entry: CatalogTable) -> ForeignTable:
        """All that the catalog says of a table that it has; raises `TableError` for a view."""
        if entry.is_view:
            raise TableError(
                f"{entry.name} is a view.",
                remedy="Choose another name, or drop the view first.",
                delta_error_class="EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
            )
        description = self._details(entry.name)
        return ForeignTable(
            provider=entry.provider,
            location=entry.location,
            is_managed=description.get("Type", "").upper() == "MANAGED",
            fingerprint=hashlib.sha256(
                json.dumps(sorted(description.items())).encode()
            ).hexdigest(),
        )

    def _details(self, name: str) -> Mapping[str, str]:
        """The catalog's entry for a table, without values that change as it is used."""
        described = self._rows(f"DESCRIBE TABLE EXTENDED {name}")
        rows = [(str(row[0]), str(row[1])) for row in described]
        last = details(rows)
        columns = "\n".join(map(": ".join, rows[: len(rows) - len(last)]))
        # Rows that are added are no reason to plan again.
        stable = {key: _LOADED.sub("", value) for key, value in last if key not in _IN_USE}
        return stable | {"": columns}

    def definition(self, name: str) -> ForeignDefinition:
        """The catalog's entry for the table *name*."""
        [row] = self._rows(f"DESCRIBE TABLE EXTENDED {name} AS JSON")
        described = json.loads(str(row[0]))
        with refusals():
            schema = parse_schema(self._session.table(name).schema.json())
        return ForeignDefinition(
            provider=str(described.get("provider", "")).lower(),
            location=plain_location(str(described.get("location", ""))),
            schema=rewrite(schema, _as_declared),
            partition_by=tuple(map(str, described.get("partition_columns", ()))),
            properties=self._properties(name),
            comment=described.get("comment") or None,
        )

    def _properties(self, name: str) -> dict[str, str]:
        """The properties of the table, without its options."""
        # DESCRIBE leaves out empty ones.
        rows = self._rows(f"SHOW TBLPROPERTIES {name}")
        properties = {str(key): str(value) for key, value in rows}
        return {key: value for key, value in properties.items() if not key.startswith("option.")}

    def check(self, plan: ForeignPlan) -> None:
        """Raise `Refused` for what Spark would not do, as far as it says so beforehand."""
        words = _REFUSALS[plan.operation]
        for sql in plan.trial_statements:
            self._require_taken(sql, words)
        if plan.new_columns:
            self._require_readable(plan.provider, plan.new_columns, words)
        if isinstance(plan, BestEffortStagedTable) and plan.step.query is not None:
            self.check_query(plan.name, plan.step, plan.before)

    def _require_taken(self, sql: str, words: tuple[str, str]) -> None:
        """Raise `Refused`, in such *words*, where Spark does not understand a statement."""
        try:
            explanation = self._explained(sql)
        except CommitError as error:
            raise _refused(words, error.message, error.delta_error_class) from error
        # EXPLAIN does not fail where the statement would: it answers with the error.
        if explanation.startswith(_FAILED):
            match = re.match(r"\[([\w.]+)\] ", text := explanation.removeprefix(_FAILED).strip())
            raise _refused(words, sentence(text)[0], match and match[1])

    def _require_readable(
        self, provider: str, columns: Iterable[StructField], words: tuple[str, str]
    ) -> None:
        """Raise `Refused`, in such *words*, for types that the provider does not know."""
        # To an existing table Spark would add such columns all the same, and not be able to read it
        # any more; a new one it would not make, once the old one has been dropped.
        bare = StructType(tuple(replace(column, metadata={}) for column in columns))
        try:
            reader = self._session.read.format(provider).schema(columns_sql(bare))
            # Of no file, so that only the types are looked at.
            reader.load([]).schema  # noqa: B018 -- has Spark look at it
        except Exception as error:
            refused = refusal(error)
            if refused.delta_error_class == "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE":
                raise _refused(words, refused.message, refused.delta_error_class) from error

    def check_query(self, name: str, step: CreateTable, before: ForeignTable | None) -> None:
        """Raise `Refused` where a query reads the table *before*, or gives other columns."""
        query = step.query or ""
        if schema_of_query(self._catalog.query_schema(query)) != step.schema:
            raise CommitError(
                "The query returns different columns than when it was planned; nothing was "
                "changed.",
                remedy="Plan again.",
            )
        if before is not None and self._reads(query, name, before.location):
            raise Refused(
                f"The query reads {name}, which is dropped before the query is run.",
                remedy="Create the new table under another name, then rename it.",
            )

    def _reads(self, query: str, name: str, location: str) -> bool:
        relation = rf"(SubqueryAlias|Relation) {re.escape(name)}(?![\w.`])"
        if re.search(relation, self._explained(f"EXTENDED {query}"), re.IGNORECASE):
            return True
        with refusals():
            files = self._session.sql(query).inputFiles()
        inside = location.rstrip("/") + "/"
        # The query may read the table's files by their path rather than by its name.
        return any(plain_location(unquote(file)).startswith(inside) for file in files)

    def _explained(self, what: str) -> str:
        """The output of EXPLAIN, which has a row for each line of an error."""
        return "\n".join(str(row[0]) for row in self._rows(f"EXPLAIN {what}"))

    def run(self, sql: str) -> None:
        """Carry a statement out; raises `CommitError` where Spark refuses."""
        self._carried_out(sql)

    def _rows(self, sql: str) -> list[tuple[object, ...]]:
        with looking_up():
            return self._carried_out(sql)

    def _carried_out(self, sql: str) -> list[tuple[object, ...]]:
        with configured(self._session, LITERAL_STATEMENTS), refusals():
            return [tuple(row) for row in self._session.sql(sql).collect()]


_IN_USE: Final = frozenset({"Last Access", "Statistics"})
_LOADED: Final = re.compile(r"(, )?transient_lastDdlTime=\d+")
"""A property that a Hive metastore changes whenever rows are added."""
_FAILED: Final = "Error occurred during query planning:"


def _as_declared(_: Path, column: StructField) -> StructField:
    """*column* with the type that it was declared with."""
    # A column of CHAR or VARCHAR is a string, whose metadata say what it was declared to be.
    declared = column.metadata.get(RAW_TYPE)
    return column if declared is None else replace(column, type=parse_type(str(declared)))


_REFUSALS: Final = {
    CREATE: (
        "Spark would refuse to create the table",
        "Correct what the message names; --provider sets the provider of the table.",
    ),
    ALTER: ("Spark would refuse to alter the table", "Correct what the message names."),
}
"""Message and remedy, by operation, for what Spark would refuse."""


def _refused(words: tuple[str, str], message: str, error_class: str | None) -> Refused:
    what, remedy = words
    return Refused(f"{what}: {message}", remedy=remedy, delta_error_class=error_class)
