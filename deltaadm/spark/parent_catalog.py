"""The catalog to which Delta's catalog extension hands what is not Delta's, through Spark."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from deltaadm.dataclass import replace
from deltaadm.domain.ddl import columns_sql, parse_type
from deltaadm.domain.metadata_checks import RAW_TYPE
from deltaadm.domain.schema import StructType, parse_schema, rewrite
from deltaadm.domain.table_changes import AddColumns
from deltaadm.errors import CommitError, DeltaadmError, Refused, TableError
from deltaadm.operations.create import schema_of_query
from deltaadm.operations.parent_catalog import ParentDefinition, ParentTable
from deltaadm.spark.catalog import DeltaCatalog, details, plain_location
from deltaadm.spark.executor import LITERAL_STATEMENTS, refusal
from deltaadm.spark.session import configured, looking_up, sentence
from deltaadm.storage.store import table_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import SparkSession

    from deltaadm.domain.schema import Path, StructField
    from deltaadm.operations.best_effort import BestEffortStagedTable
    from deltaadm.operations.parent_changes import ParentChanges
    from deltaadm.spark.catalog import CatalogTable


class SparkParentCatalog:
    """A `StagingCatalog` of a Spark session, which Delta's extension asks on our behalf."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._catalog = DeltaCatalog(session)

    def find(self, name: str) -> ParentTable | None:
        """The table *name*, or None; raises `TableError` for a view."""
        try:
            found = self._catalog.load_table(table_name(name) or ())
        except TableError as error:
            if error.delta_error_class != "TABLE_OR_VIEW_NOT_FOUND":
                raise
            return None
        return self.described(found)

    def described(self, found: CatalogTable) -> ParentTable:
        """All that the catalog says of a table that it has; raises `TableError` for a view."""
        if found.is_view:
            raise TableError(
                f"{found.name} is a view.",
                remedy="Choose another name, or drop the view first.",
                delta_error_class="EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
            )
        told = self._details(found.name)
        return ParentTable(
            provider=found.provider,
            location=found.location,
            is_managed=told.get("Type", "").upper() == "MANAGED",
            fingerprint=hashlib.sha256(json.dumps(sorted(told.items())).encode()).hexdigest(),
        )

    def _details(self, name: str) -> Mapping[str, str]:
        """What the catalog says of a table, without what changes as it is used."""
        rows = [(str(one[0]), str(one[1])) for one in self._rows(f"DESCRIBE TABLE EXTENDED {name}")]
        last = details(rows)
        columns = "\n".join(map(": ".join, rows[: len(rows) - len(last)]))
        told = {key: _LOADED.sub("", one) for key, one in last}
        return {key: one for key, one in told.items() if key not in _IN_USE} | {"": columns}

    def definition(self, name: str) -> ParentDefinition:
        """What the catalog says of the table *name*."""
        [row] = self._rows(f"DESCRIBE TABLE EXTENDED {name} AS JSON")
        told = json.loads(str(row[0]))
        try:
            schema = parse_schema(self._session.table(name).schema.json())
        except DeltaadmError:
            raise
        except Exception as error:
            raise refusal(error) from error
        return ParentDefinition(
            provider=str(told.get("provider", "")).lower(),
            location=plain_location(str(told.get("location", ""))),
            schema=rewrite(schema, _as_declared),
            partition_by=tuple(map(str, told.get("partition_columns", ()))),
            properties=self._properties(name),
            comment=told.get("comment") or None,
        )

    def _properties(self, name: str) -> dict[str, str]:
        """Empty ones too, which DESCRIBE leaves out; options of the table are not among them."""
        told = {str(key): str(one) for key, one in self._rows(f"SHOW TBLPROPERTIES {name}")}
        return {key: one for key, one in told.items() if not key.startswith("option.")}

    def check(self, plan: BestEffortStagedTable) -> None:
        """Raise `Refused` for a table that Spark would not make, as far as it tells beforehand."""
        free = plan if plan.before is None else replace(plan, name=_other(plan.name))
        self._require_taken(free.create, _UNMADE)
        self._require_readable(plan.provider, plan.step.schema.fields, _UNMADE)
        if plan.step.query is not None:
            self.check_query(plan)

    def check_changes(self, plan: ParentChanges) -> None:
        """Raise `Refused` for what Spark would not alter, as far as it tells beforehand."""
        for sql in plan.statements:
            self._require_taken(sql, _UNALTERED)
        for step in plan.steps:
            if isinstance(step, AddColumns):
                columns = [one.column for one in step.columns]
                self._require_readable(plan.provider, columns, _UNALTERED)

    def _require_taken(self, sql: str, words: tuple[str, str]) -> None:
        """Raise `Refused`, in such *words*, where Spark does not understand a statement."""
        try:
            told = self._explained(sql)
        except CommitError as error:
            raise _refused(words, error.message, error.delta_error_class) from error
        if told.startswith(_FAILED):
            found = re.match(r"\[([\w.]+)\] ", text := told.removeprefix(_FAILED).strip())
            raise _refused(words, sentence(text)[0], found and found[1])

    def _require_readable(
        self, provider: str, columns: Iterable[StructField], words: tuple[str, str]
    ) -> None:
        """
        Raise `Refused`, in such *words*, for types that the provider does not know.

        To a table that there is Spark would add such columns all the same, and not be able to read
        it any more; a new one it would not make, once the old one has been dropped.
        """
        bare = StructType(tuple(replace(one, metadata={}) for one in columns))
        try:
            reader = self._session.read.format(provider).schema(columns_sql(bare))
            reader.load([]).schema  # noqa: B018 -- has Spark look at it
        except Exception as error:
            found = refusal(error)
            if found.delta_error_class == "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE":
                raise _refused(words, found.message, found.delta_error_class) from error

    def check_query(self, plan: BestEffortStagedTable) -> None:
        """Raise `Refused` where the query reads the old table, or gives other columns."""
        query = plan.step.query or ""
        if schema_of_query(self._catalog.query_schema(query)) != plan.step.schema:
            raise CommitError(
                "The query gives other columns than when it was planned; nothing was changed.",
                remedy="Plan again.",
            )
        if plan.before is not None and self._reads(query, plan.name, plan.before.location):
            raise Refused(
                f"The query reads {plan.name}, which is dropped before the query is run.",
                remedy="Make the new table under another name, then rename it.",
            )

    def _reads(self, query: str, name: str, location: str) -> bool:
        relation = rf"(SubqueryAlias|Relation) {re.escape(name)}(?![\w.`])"
        if re.search(relation, self._explained(f"EXTENDED {query}"), re.IGNORECASE):
            return True
        try:
            files = self._session.sql(query).inputFiles()
        except Exception as error:
            raise refusal(error) from error
        inside = location.rstrip("/") + "/"
        return any(plain_location(unquote(one)).startswith(inside) for one in files)

    def _explained(self, what: str) -> str:
        """What EXPLAIN says, which has a row for each line of an error."""
        return "\n".join(str(row[0]) for row in self._rows(f"EXPLAIN {what}"))

    def run(self, sql: str) -> None:
        """Carry a statement out; raises `CommitError` where Spark refuses."""
        self._carried_out(sql)

    def _rows(self, sql: str) -> list[tuple[object, ...]]:
        with looking_up():
            return self._carried_out(sql)

    def _carried_out(self, sql: str) -> list[tuple[object, ...]]:
        with configured(self._session, LITERAL_STATEMENTS):
            try:
                return [tuple(row) for row in self._session.sql(sql).collect()]
            except Exception as error:
                raise refusal(error) from error


_IN_USE: Final = frozenset({"Last Access", "Statistics"})
_LOADED: Final = re.compile(r"(, )?transient_lastDdlTime=\d+")
"""A property that a Hive metastore changes whenever rows are added."""
_FAILED: Final = "Error occurred during query planning:"


def _as_declared(_: Path, column: StructField) -> StructField:
    """A column of CHAR or VARCHAR is a string, whose metadata say what it was declared to be."""
    declared = column.metadata.get(RAW_TYPE)
    return column if declared is None else replace(column, type=parse_type(str(declared)))


def _other(name: str) -> str:
    return f"{name[:-1]}__new`" if name.endswith("`") else f"{name}__new"


_UNMADE: Final = (
    "Spark would not make the table",
    "Change what the message is about; --provider names what knows the files.",
)
_UNALTERED: Final = ("Spark would not alter the table", "Change what the message is about.")


def _refused(words: tuple[str, str], message: str, error_class: str | None) -> Refused:
    what, remedy = words
    return Refused(f"{what}: {message}", remedy=remedy, delta_error_class=error_class)
