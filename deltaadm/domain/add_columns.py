"""
What adding columns does.

The source in delta-io/delta is `commands/alterDeltaTableCommands.scala`; what Spark's analyzer
refuses before Delta is asked comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.alter_columns import existing_place
from deltaadm.domain.ddl import CURRENT_DEFAULT
from deltaadm.domain.reference import require_writable
from deltaadm.domain.schema import (
    PrimitiveType,
    StructType,
    all_types,
    change_type,
    folded,
    path_text,
    walk,
)
from deltaadm.domain.transaction import prepare_commit, update_metadata
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from deltaadm.domain.ddl import ColumnDefinition, Position
    from deltaadm.domain.schema import DataType, Path, StructField
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import AddColumns


def add_columns(snapshot: Snapshot, step: AddColumns, session: SessionSettings) -> Snapshot:
    """
    The state after ADD COLUMNS: rows that are there have nulls in the new columns.

    Raises `Refused` with Delta's error class where Delta or Spark would refuse.
    """
    before = snapshot.metadata.schema
    schema = before
    for one in step.columns:
        _refuse_time(one.column)
        parent = _parent(before, one)
        schema = _with(schema, parent, one)
    refuse_taken(before, step.columns)
    require_writable(snapshot)
    for one in step.columns:
        _refuse_not_null(one.column)
        _refuse_default(one.column)
    proposed = snapshot.metadata.with_schema(schema)
    return prepare_commit(snapshot, update_metadata(snapshot, proposed, session))


def _parent(schema: StructType, definition: ColumnDefinition) -> Path:
    """The path of the struct to add to, as the schema spells it."""
    if not definition.parent:
        return ()
    path, place = existing_place(schema, definition.parent)
    if not isinstance(place.type, StructType):
        raise Refused(
            f"{path_text(path)} is not a struct, so it can have no column "
            f"{definition.column.name}.",
            remedy="Into an array or a map of structs it goes by the path of the struct, such as "
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
    names = [one.name.lower() for one in fields]
    if position.after.lower() not in names:
        where = path_text(definition.parent) if definition.parent else "the table"
        raise Refused(
            f"{definition.column.name} cannot stand after {position.after}, which is no column of "
            f"{where}.",
            remedy=f"Its columns are: {', '.join(one.name for one in fields)}.",
            delta_error_class="FIELD_NOT_FOUND",
        )
    return names.index(position.after.lower()) + 1


# Refusals


def _refuse_time(column: StructField) -> None:
    times = any(
        isinstance(one, PrimitiveType) and one.name.startswith("time(")
        for one in all_types(column.type)
    )
    if times:
        raise Refused(
            f"{column.name} has the type TIME, which Spark 4.2 does not support.",
            remedy="Use TIMESTAMP, or a number of microseconds.",
            delta_error_class="UNSUPPORTED_TIME_TYPE",
        )


def refuse_taken(schema: StructType, columns: tuple[ColumnDefinition, ...]) -> None:
    """Raise `Refused` for new columns that are there already, or twice among them."""
    known = {folded(path): path for path, _ in walk(schema)}
    new: set[Path] = set()
    for one in columns:
        path = (*one.parent, one.column.name)
        if folded(path) in known:
            raise Refused(
                f"The table has a column {path_text(known[folded(path)])} already.",
                remedy="Choose another name, one that differs in more than case.",
                delta_error_class="FIELD_ALREADY_EXISTS",
            )
        if folded(path) in new:
            raise Refused(
                f"The column {path_text(path)} is added twice.",
                remedy="Choose names that differ in more than case.",
                delta_error_class="COLUMN_ALREADY_EXISTS",
            )
        new.add(folded(path))


def _refuse_not_null(column: StructField) -> None:
    strict = [path_text(path) for path, one in walk(StructType((column,))) if not one.nullable]
    if strict:
        raise Refused(
            f"{', '.join(strict)} cannot be added as NOT NULL: the rows that are there have no "
            "value for it.",
            remedy="Add it without NOT NULL; a constraint can forbid nulls once it is filled: "
            "alter --add-constraint 'NAME=COLUMN IS NOT NULL'.",
            delta_error_class="DELTA_OPERATION_NOT_ALLOWED",
        )


def _refuse_default(column: StructField) -> None:
    if CURRENT_DEFAULT in column.metadata:
        raise Refused(
            f"{column.name} cannot be added with a default, which the rows that are there would "
            "lack.",
            remedy="Add it without one, then set it for rows to come: alter --set-default "
            f"{column.name}={column.metadata[CURRENT_DEFAULT]}.",
            delta_error_class="WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
        )
