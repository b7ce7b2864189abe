"""The catalog to which Delta's catalog extension hands what is not Delta's, through Spark."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from deltaadm.dataclass import replace
from deltaadm.domain.ddl import parse_type
from deltaadm.domain.metadata_checks import RAW_TYPE
from deltaadm.domain.schema import parse_schema, rewrite
from deltaadm.errors import CommitError, DeltaadmError, Refused, TableError
from deltaadm.operations.best_effort import ParentDefinition, ParentTable
from deltaadm.operations.create import schema_of_query
from deltaadm.spark.catalog import DeltaCatalog, plain_location
from deltaadm.spark.executor import LITERAL_STATEMENTS, refusal
from deltaadm.spark.session import configured, sentence
from deltaadm.storage.store import table_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from deltaadm.domain.schema import Path, StructField
    from deltaadm.operations.best_effort import BestEffortStagedTable


class SparkParentCatalog:
    """A `ParentCatalog` of a Spark session, which Delta's extension asks on our behalf."""

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
        columns = "\n".join(map(": ".join, rows[: _heading(rows)]))
        told = dict(rows[_heading(rows) :])
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
            properties={
                str(key): str(one) for key, one in told.get("table_properties", {}).items()
            },
            comment=told.get("comment"),
        )

    def check(self, plan: BestEffortStagedTable) -> None:
        """Raise `Refused` for a table that Spark would not make, as far as it tells beforehand."""
        free = plan if plan.before is None else replace(plan, name=_other(plan.name))
        try:
            told = self._explained(free.create)
        except CommitError as error:
            raise _refused(error.message, error.delta_error_class) from error
        if told.startswith(_FAILED):
            found = re.match(r"\[([\w.]+)\] ", text := told.removeprefix(_FAILED).strip())
            raise _refused(sentence(text)[0], found and found[1])
        if plan.step.query is not None:
            self.check_query(plan)

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
        self._rows(sql)

    def _rows(self, sql: str) -> list[tuple[object, ...]]:
        with configured(self._session, LITERAL_STATEMENTS):
            try:
                return [tuple(row) for row in self._session.sql(sql).collect()]
            except Exception as error:
                raise refusal(error) from error


_IN_USE: Final = frozenset({"Last Access", "Statistics"})
_FAILED: Final = "Error occurred during query planning:"


def _heading(rows: list[tuple[str, str]]) -> int:
    """Where the last heading over details is; what comes before are columns and partitions."""
    found = [number for number, (key, _) in enumerate(rows) if key == _DETAILS]
    return found[-1] if found else len(rows)


_DETAILS: Final = "# Detailed Table Information"


def _as_declared(_: Path, column: StructField) -> StructField:
    """A column of CHAR or VARCHAR is a string, whose metadata say what it was declared to be."""
    declared = column.metadata.get(RAW_TYPE)
    return column if declared is None else replace(column, type=parse_type(str(declared)))


def _other(name: str) -> str:
    return f"{name[:-1]}__new`" if name.endswith("`") else f"{name}__new"


def _refused(message: str, error_class: str | None) -> Refused:
    return Refused(
        f"Spark would not make the table: {message}",
        remedy="Change what the message is about; --provider names what knows the files.",
        delta_error_class=error_class,
    )
