"""
Adding columns.

The source in delta-io/delta is `commands/alterDeltaTableCommands.scala`; what Spark's analyzer
refuses before Delta is asked comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.json_values import STRINGS, Json, compact, record, texts
from deltaadm.domain.model.schema import (
    StructType,
    change_type,
    path_text,
    walk,
)
from deltaadm.domain.sql.ddl import CURRENT_DEFAULT, definition_sql, parse_definitions
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.clustering import require_found_clustering
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.transaction.columns import (
    column_document,
    existing_place,
    position_document,
    refuse_default,
    refuse_taken,
    refuse_time,
)
from deltaadm.domain.transaction.metadata_checks import check_names
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.transaction import prepare_commit, update_metadata
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import DataType, Path, StructField
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.sql.ddl import ColumnDefinition, Position


_DEFINITIONS: Final = Json(
    STRINGS.schema,
    lambda columns: list(map(definition_sql, columns)),
    lambda value: parse_definitions(", ".join(texts(value))),
)


@dataclass(frozen=True, slots=True)
class AddColumns(Step):
    """`ALTER TABLE … ADD COLUMNS`; a later one may stand after an earlier one."""

    columns: tuple[ColumnDefinition, ...]

    kind = "add_columns"
    json = record(columns=_DEFINITIONS)
    operations = frozenset({"ADD COLUMNS"})

    def require_allowed(self) -> None:
        """Raise `Refused` for types that Spark refuses before it loads the table."""
        for definition in self.columns:
            refuse_time(definition.column)

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state in which existing rows have nulls in the new columns."""
        before = snapshot.metadata.schema
        schema = before
        for definition in self.columns:
            # Parents are those of the table as it is; a position may name a column just added.
            schema = _with(schema, _parent(before, definition), definition)
        for definition in self.columns:
            default = definition.column.metadata.get(CURRENT_DEFAULT)
            if isinstance(default, str):
                refuse_default(definition.column.name, definition.column.type, default)
        refuse_taken(before, self.columns)
        require_writable(snapshot)
        require_found_clustering(snapshot)
        for definition in self.columns:
            _refuse_not_null(definition.column)
        for definition in self.columns:
            _refuse_default(definition.column)
        proposed = snapshot.metadata.with_schema(schema)
        if column_mapping_mode(proposed) is ColumnMappingMode.NONE:
            check_names(proposed)
        return prepare_commit(snapshot, update_metadata(snapshot, proposed, session))

    def operation(self, _before: Snapshot, _after: Snapshot) -> Operation:
        """The columns as they are asked for."""
        columns = [
            {
                "column": column_document(
                    (*definition.parent, definition.column.name), definition.column
                ),
                **position_document(definition.position),
            }
            for definition in self.columns
        ]
        return Operation("ADD COLUMNS", {"columns": compact(columns)})

    @property
    def new_columns(self) -> tuple[ColumnDefinition, ...]:
        """All of them."""
        return self.columns

    def _clause(self) -> str:
        return f"ADD COLUMNS ({', '.join(map(definition_sql, self.columns))})"

    def options(self) -> Iterator[str]:
        """`--add-column` for each column."""
        for definition in self.columns:
            yield from ("--add-column", definition_sql(definition))


def _parent(schema: StructType, definition: ColumnDefinition) -> Path:
    """The path of the struct to add to, as the schema spells it."""
    if not definition.parent:
        return ()
    path, place = existing_place(schema, definition.parent)
    if not isinstance(place.type, StructType):
        raise Refused(
            f"{path_text(path)} is not a struct, so the column {definition.column.name} cannot be "
            "added to it.",
            remedy="For structs in an array or a map, give the path of the struct, such as "
            "items.element.x or prices.value.x.",
            delta_error_class="INVALID_FIELD_NAME",
        )
    return path


def _with(schema: StructType, parent: Path, definition: ColumnDefinition) -> StructType:
    def extended(data_type: DataType) -> DataType:
        assert isinstance(data_type, StructType)  # noqa: S101 -- `_parent` has seen to it
        fields = list(data_type.fields)
        fields.insert(_index(fields, definition), definition.column)
        return StructType(tuple(fields))

    changed = change_type(schema, parent, extended)
    assert isinstance(changed, StructType)  # noqa: S101 -- a struct with another field
    return changed


def _index(fields: list[StructField], definition: ColumnDefinition) -> int:
    position: Position | None = definition.position
    if position is None:
        return len(fields)
    if position.after is None:
        return 0
    names = [field.name.lower() for field in fields]
    if position.after.lower() not in names:
        where = path_text(definition.parent) if definition.parent else "the table"
        raise Refused(
            f"{definition.column.name} cannot be placed after {position.after}, which is not a "
            f"column of {where}.",
            remedy=f"Its columns are: {', '.join(field.name for field in fields)}.",
            delta_error_class="FIELD_NOT_FOUND",
        )
    return names.index(position.after.lower()) + 1


# Refusals


def _refuse_not_null(column: StructField) -> None:
    strict = [path_text(path) for path, field in walk(StructType((column,))) if not field.nullable]
    if strict:
        raise Refused(
            f"{', '.join(strict)} cannot be added as NOT NULL: existing rows have no value for it.",
            remedy="Add it without NOT NULL; once it is filled, a constraint can forbid nulls: "
            "alter --add-constraint 'NAME=COLUMN IS NOT NULL'.",
            delta_error_class="DELTA_OPERATION_NOT_ALLOWED",
        )


def _refuse_default(column: StructField) -> None:
    if CURRENT_DEFAULT in column.metadata:
        raise Refused(
            f"{column.name} cannot be added with a default, which existing rows would lack.",
            remedy="Add it without a default, then set one for new rows: alter --set-default "
            f"{column.name}={column.metadata[CURRENT_DEFAULT]}.",
            delta_error_class="WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
        )
