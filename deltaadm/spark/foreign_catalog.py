"""The catalog to which Delta's catalog extension hands what is not Delta's, through Spark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from deltaadm.dataclass import replace
from deltaadm.domain.model.schema import StructType
from deltaadm.domain.sql.ddl import columns_sql
from deltaadm.errors import CommitError, Refused, TableError
from deltaadm.spark.catalog import DeltaCatalog, plain_location
from deltaadm.spark.deadlines import looking_up
from deltaadm.spark.errors import refusal, refusals, sentence
from deltaadm.spark.settings import LITERAL_STATEMENTS, configured
from deltaadm.storage.store import table_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaadm.domain.model.catalog_table import CatalogTable
    from deltaadm.operations.foreign import ForeignPlan


class SparkForeignCatalog:
    """A `StagingCatalog` of a Spark session, which Delta's extension asks on our behalf."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._catalog = DeltaCatalog(session)

    def find(self, name: str) -> CatalogTable | None:
        """The table *name*, or None; raises `TableError` for a view."""
        try:
            entry = self._catalog.load_table(table_name(name) or ())
        except TableError as error:
            if error.delta_error_class != "TABLE_OR_VIEW_NOT_FOUND":
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
        rows = self._rows(f"DESCRIBE TABLE EXTENDED {name}")
        return tuple((str(key), f"{value or ''} {more or ''}".strip()) for key, value, more in rows)

    def run(self, sql: str) -> None:
        """Carry a statement out; raises `CommitError` where Spark refuses."""
        self._carried_out(sql)

    def check(self, plan: ForeignPlan) -> None:
        """Raise `Refused` for what Spark would not do, as far as it says so beforehand."""
        for sql in plan.trials:
            try:
                explanation = self._explained(sql)
            except CommitError as error:
                raise _refused(plan, error.message, error.delta_error_class) from error
            # EXPLAIN does not fail where the statement would: it answers with the error.
            if explanation.startswith(_FAILED):
                text = explanation.removeprefix(_FAILED).strip()
                match = re.match(r"\[([\w.]+)\] ", text)
                raise _refused(plan, sentence(text)[0], match and match[1])
        if plan.new_columns:
            self._require_readable(plan)
        query = None if plan.creation is None else plan.creation.query
        if query is not None and plan.before is not None and self._reads(query, plan.before):
            raise Refused(
                f"The query reads {plan.name}, which is dropped before the query is run.",
                remedy="Create the new table under another name, then rename it.",
            )

    def _require_readable(self, plan: ForeignPlan) -> None:
        """Raise `Refused` for types that the provider does not know."""
        # To an existing table Spark would add such columns all the same, and not be able to read it
        # any more; a new one it would not make, once the old one has been dropped.
        bare = StructType(tuple(replace(column, metadata={}) for column in plan.new_columns))
        try:
            reader = self._session.read.format(plan.provider).schema(columns_sql(bare))
            # Of no file, so that only the types are looked at.
            reader.load([]).schema  # noqa: B018 -- has Spark look at it
        except Exception as error:
            refused = refusal(error)
            if refused.delta_error_class == "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE":
                raise _refused(plan, refused.message, refused.delta_error_class) from error

    def _reads(self, query: str, table: CatalogTable) -> bool:
        relation = rf"(SubqueryAlias|Relation) {re.escape(table.name)}(?![\w.`])"
        if re.search(relation, self._explained(f"EXTENDED {query}"), re.IGNORECASE):
            return True
        with refusals():
            files = self._session.sql(query).inputFiles()
        inside = table.location.rstrip("/") + "/"
        # The query may read the table's files by their path rather than by its name.
        return any(plain_location(unquote(file)).startswith(inside) for file in files)

    def _explained(self, what: str) -> str:
        """The output of EXPLAIN, which has a row for each line of an error."""
        return "\n".join(str(row[0]) for row in self._rows(f"EXPLAIN {what}"))

    def _rows(self, sql: str) -> list[tuple[object, ...]]:
        with looking_up():
            return self._carried_out(sql)

    def _carried_out(self, sql: str) -> list[tuple[object, ...]]:
        with configured(self._session, LITERAL_STATEMENTS), refusals():
            return [tuple(row) for row in self._session.sql(sql).collect()]


_FAILED: Final = "Error occurred during query planning:"


def _refused(plan: ForeignPlan, message: str, error_class: str | None) -> Refused:
    remedy = "Correct what the message names."
    if plan.creation is not None:
        remedy = f"{remedy[:-1]}; --provider sets the provider of the table."
    return Refused(
        f"Spark would refuse to {plan.operation} the table: {message}",
        remedy=remedy,
        delta_error_class=error_class,
    )
