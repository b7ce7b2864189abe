"""Dropping columns, which needs column mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.json_values import BOOLEAN, STRINGS, array, compact, record
from deltaadm.domain.model.schema import StructType, change_type, find_place, path_text
from deltaadm.domain.sql.sql_text import column_sql, if_exists_sql
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.clustering import clustering_columns, require_found_clustering
from deltaadm.domain.transaction.columns import (
    attribute_name,
    columns_with_listed_statistics,
    existing,
    find_column,
    is_within,
    refuse_dependents,
    require_mapping,
    with_columns,
)
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.transaction import prepare_commit, update_metadata
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import DataType, Path
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class DropColumns(Step):
    """`ALTER TABLE … DROP COLUMNS`, by paths of names; with *if_exists* absent ones are skipped."""

    columns: tuple[Path, ...]
    if_exists: bool = False

    kind = "drop_columns"
    json = record(columns=array(STRINGS), if_exists=BOOLEAN)
    operations = frozenset({"DROP COLUMNS"})
    depends_on_state = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state in which the values are still in the files, and nothing reads them."""
        metadata = snapshot.metadata
        dropped = tuple(
            existing(metadata.schema, column)
            for column in self.columns
            if not (self.if_exists and _is_absent(metadata.schema, column))
        )
        if not dropped:
            return snapshot
        require_writable(snapshot)
        require_found_clustering(snapshot)
        require_mapping(metadata, "dropped", "DELTA_UNSUPPORTED_DROP_COLUMN")
        schema = metadata.schema
        for path in dropped:
            schema = without_column(schema, path)
        _refuse_layout_columns(snapshot, dropped)
        for path in dropped:
            refuse_dependents(metadata, path)
        # Delta writes the names without backticks, and then does not find those that need them.
        kept = [
            ".".join(path)
            for path in columns_with_listed_statistics(metadata)
            if not any(is_within(path, column) for column in dropped)
        ]
        proposed = with_columns(metadata, schema, metadata.partition_columns, ",".join(kept))
        return prepare_commit(snapshot, update_metadata(snapshot, proposed, session))

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        """The columns that are there, as the schema spells them."""
        columns = [find_column(before.metadata.schema, path) for path in self.columns]
        there = [path for path in columns if path is not None]
        return Operation("DROP COLUMNS", {"columns": compact(list(map(attribute_name, there)))})

    @property
    def drops(self) -> tuple[Path, ...]:
        """Its columns."""
        return self.columns

    def _clause(self) -> str:
        columns = ", ".join(map(column_sql, self.columns))
        return f"DROP COLUMNS {if_exists_sql(self.if_exists)}({columns})"

    def options(self) -> Iterator[str]:
        """`--drop-column` for each column."""
        for column in self.columns:
            yield from ("--drop-column", path_text(column))


def _is_absent(schema: StructType, column: Path) -> bool:
    """Whether a struct lacks *column*; a name inside what is no struct is an error instead."""
    path, _, here = find_place(schema, column)
    return len(path) < len(column) and isinstance(here, StructType)


def without_column(schema: StructType, gone: Path) -> StructType:
    """*schema* without one field, also in an array or a map; a struct keeps at least one."""

    def pruned(data_type: DataType) -> DataType:
        if not isinstance(data_type, StructType):
            raise Refused(
                f"{path_text(gone)} is part of an array or a map and cannot be dropped.",
                remedy="Drop the column that contains it.",
                delta_error_class="DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
            )
        if len(data_type.fields) == 1:
            raise Refused(
                f"{path_text(gone)} is the only column of {path_text(gone[:-1]) or 'the table'}.",
                remedy="Drop the enclosing struct instead, or keep the column.",
                delta_error_class="DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
            )
        return StructType(tuple(field for field in data_type.fields if field.name != gone[-1]))

    if _is_absent(schema, gone):
        raise Refused(
            f"{path_text(gone)} is dropped twice.",
            remedy="Name each column once.",
            delta_error_class="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
        )
    left = change_type(schema, gone[:-1], pruned)
    assert isinstance(left, StructType)  # noqa: S101 -- a struct with less inside
    return left


def _refuse_layout_columns(snapshot: Snapshot, gone: tuple[Path, ...]) -> None:
    partitions = sorted({(name,) for name in snapshot.metadata.partition_columns} & set(gone))
    if partitions:
        raise Refused(
            f"The table is partitioned by {', '.join(map(path_text, partitions))}.",
            remedy="A partition column cannot be dropped.",
            delta_error_class="DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
        )
    clustering = sorted(set(clustering_columns(snapshot) or ()) & set(gone))
    if clustering:
        raise Refused(
            f"The table is clustered by {', '.join(map(path_text, clustering))}.",
            remedy="Choose other columns first: alter --cluster-by COLUMN, or --no-cluster-by.",
            delta_error_class="DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
        )
