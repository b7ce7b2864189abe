"""
Changing columns: types, nulls, comments, defaults and the order of columns.

The source in delta-io/delta is `commands/alterDeltaTableCommands.scala`; what Spark's analyzer
refuses before Delta is asked comes first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.features import is_identity
from deltaadm.domain.model.json_values import compact, record
from deltaadm.domain.model.properties import is_true
from deltaadm.domain.model.schema import (
    PrimitiveType,
    StructType,
    change_type,
    path_text,
    walk,
)
from deltaadm.domain.sql.ddl import COMMENT, CURRENT_DEFAULT, GENERATION, type_sql
from deltaadm.domain.steps.column_change import COLUMN_CHANGES, ColumnChange
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.clustering import (
    check_statistics_of,
    clustering_columns,
    require_found_clustering,
)
from deltaadm.domain.transaction.columns import (
    column_document,
    existing_place,
    is_slot,
    position_document,
    refuse_default,
    refuse_dependents,
)
from deltaadm.domain.transaction.metadata_checks import CHAR_TYPE, RAW_TYPE, without_char
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.transaction import prepare_commit, update_metadata
from deltaadm.domain.transaction.type_widening import TYPE_CHANGES, can_be_altered, is_up_cast
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.model.schema import DataType, Path, StructField
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.sql.ddl import Position

_TYPE_WIDENING: Final = "delta.enableTypeWidening"


@dataclass(frozen=True, slots=True)
class ChangeColumns(Step):
    """
    `ALTER TABLE … ALTER COLUMN` for one or several columns.

    One at most changes its position: Spark carries out changes in no certain order.
    """

    changes: tuple[ColumnChange, ...]

    kind = "change_columns"
    json = record(changes=COLUMN_CHANGES)
    operations = frozenset({"CHANGE COLUMN", "CHANGE COLUMNS"})
    depends_on_state = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state with the columns changed; no data file is touched."""
        spelled = [_spelled(snapshot.metadata.schema, change) for change in self.changes]
        for change, place in spelled:
            if change.default:
                refuse_default(path_text(change.column), place.type, change.default)
        _refuse_repeated([change.column for change, _ in spelled])
        for change, place in spelled:
            _refuse_as_spark_does(change, place)
        effective = _effective(spelled)
        if not effective:
            return snapshot
        for change, place in effective:
            _refuse_on_identity(change, place)
        require_writable(snapshot)
        require_found_clustering(snapshot)
        schema = snapshot.metadata.schema
        for change, place in effective:
            _refuse_as_delta_does(snapshot, change, place)
            schema = _changed(schema, change, place, snapshot)
        # A move may take a column out of the first ones, of which alone statistics are collected.
        if any(change.position for change, _ in effective):
            check_statistics_of(snapshot.metadata, clustering_columns(snapshot) or ())
        for change, place in effective:
            _refuse_after_the_change(change, place)
        proposed = snapshot.metadata.with_schema(schema)
        after = prepare_commit(snapshot, update_metadata(snapshot, proposed, session))
        for change, _ in effective:
            _require_defaults_supported(snapshot, change)
        return after

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        """The columns as they are to be."""
        columns: list[dict[str, Any]] = []
        spelled = [_spelled(before.metadata.schema, change) for change in self.changes]
        for change, place in _effective(spelled):
            column = _edited(place, change)
            if change.type is not None:
                kept = {key: value for key, value in column.metadata.items() if key != RAW_TYPE}
                column = without_char(replace(column, type=change.type, metadata=kept))
            columns.append(
                {
                    "column": column_document(change.column, column),
                    **position_document(change.position),
                }
            )
        if len(columns) > 1:
            # Here the column's parts stand beside the position, unlike where one is changed.
            flat = [{**entry.pop("column"), **entry} for entry in columns]
            return Operation("CHANGE COLUMNS", {"columns": compact(flat)})
        return Operation(
            "CHANGE COLUMN",
            {
                key: value if isinstance(value, str) else compact(value)
                for key, value in columns[0].items()
            },
        )

    @property
    def column_changes(self) -> tuple[ColumnChange, ...]:
        """All of them."""
        return self.changes

    def split_by_column(self) -> Iterator[ChangeColumns]:
        """A step for each change."""
        for change in self.changes:
            yield ChangeColumns((change,))

    def _clause(self) -> str:
        return "ALTER COLUMN " + ", ".join(change.clause() for change in self.changes)

    def options(self) -> Iterator[str]:
        """An option for each change."""
        for change in self.changes:
            yield from change.options()


def _spelled(schema: StructType, change: ColumnChange) -> tuple[ColumnChange, StructField]:
    """*change* with its column as the schema spells it, and what is in that place."""
    path, place = existing_place(schema, change.column)
    if change.position is not None and change.position.after is not None:
        existing_place(schema, (*path[:-1], change.position.after))
    return replace(change, column=path), place


def _effective(
    changes: list[tuple[ColumnChange, StructField]],
) -> list[tuple[ColumnChange, StructField]]:
    """Return the changes among *found* that change something."""
    # Spark leaves out a type that is there already: Hive's syntax names it even where it stays.
    return [(change, place) for change, place in changes if not _keeps_type(change, place)]


def _keeps_type(change: ColumnChange, place: StructField) -> bool:
    return change.type is not None and change.type == _raw_type(place)


def _raw_type(place: StructField) -> DataType:
    """The type as it was declared: for char and varchar not the string that is stored."""
    raw = place.metadata.get(RAW_TYPE)
    return PrimitiveType(raw) if isinstance(raw, str) and CHAR_TYPE.fullmatch(raw) else place.type


# The change itself


def _changed(
    schema: StructType, change: ColumnChange, place: StructField, snapshot: Snapshot
) -> StructType:
    if change.type is not None:
        return _retyped(schema, change.column, change.type, place, snapshot)
    *parents, name = change.column

    def edited(data_type: DataType) -> DataType:
        if not isinstance(data_type, StructType):
            return data_type
        if change.position is not None:
            return _moved(data_type, name, change.position)
        return _with_field(data_type, name, _edited(place, change))

    return _struct(change_type(schema, tuple(parents), edited))


def _edited(field: StructField, change: ColumnChange) -> StructField:
    metadata: dict[str, Any] = dict(field.metadata)
    if change.comment is not None:
        metadata[COMMENT] = change.comment
    if change.default:
        metadata[CURRENT_DEFAULT] = change.default
    elif change.default is not None:
        metadata.pop(CURRENT_DEFAULT, None)
    nullable = field.nullable if change.nullable is None else change.nullable
    return replace(field, nullable=nullable, metadata=metadata)


def _with_field(struct: StructType, name: str, new: StructField) -> StructType:
    return StructType(tuple(new if field.name == name else field for field in struct.fields))


def _moved(struct: StructType, name: str, position: Position) -> StructType:
    (moved,) = (field for field in struct.fields if field.name == name)
    after = None if position.after is None else position.after.lower()
    if after == name.lower():
        return struct
    rest = [field for field in struct.fields if field.name != name]
    index = 0 if after is None else [field.name.lower() for field in rest].index(after) + 1
    return StructType((*rest[:index], moved, *rest[index:]))


def _stored_type(data_type: DataType) -> DataType:
    is_char = isinstance(data_type, PrimitiveType) and CHAR_TYPE.fullmatch(data_type.name)
    return PrimitiveType("string") if is_char else data_type


def _retyped(
    schema: StructType,
    column: Path,
    new: DataType,
    place: StructField,
    snapshot: Snapshot,
) -> StructType:
    """The new type in its place; the column that the place is in notes what it was widened from."""
    changed = _struct(change_type(schema, column, lambda _: new))
    owner = max((path for path, _ in walk(changed) if column[: len(path)] == path), key=len)
    inside = column[len(owner) :]

    def noted(data_type: DataType) -> DataType:
        struct = _struct(data_type)
        (field,) = (candidate for candidate in struct.fields if candidate.name == owner[-1])
        metadata = dict(field.metadata)
        if not inside:
            # Where the new type has a length, `fit_for_log` notes it anew.
            metadata.pop(RAW_TYPE, None)
        if _widens(snapshot) and _is_recorded(place.type, new):
            recorded = metadata.get(TYPE_CHANGES, [])
            metadata[TYPE_CHANGES] = [*recorded, _record(place.type, new, inside, snapshot)]
        return _with_field(struct, field.name, replace(field, metadata=metadata))

    return _struct(change_type(changed, owner[:-1], noted))


def _struct(data_type: DataType) -> StructType:
    assert isinstance(data_type, StructType)  # noqa: S101 -- what holds a column is one
    return data_type


def _is_recorded(old: DataType, new: DataType) -> bool:
    return (
        isinstance(old, PrimitiveType)
        and isinstance(new, PrimitiveType)
        and old != _stored_type(new)
        and can_be_altered(old.name, new.name)
    )


def _record(old: DataType, new: DataType, inside: Path, snapshot: Snapshot) -> Mapping[str, Any]:
    """The entry of `delta.typeChanges`; clients of the preview also want the version."""
    assert isinstance(old, PrimitiveType)  # noqa: S101 -- only such are widened
    assert isinstance(new, PrimitiveType)  # noqa: S101 -- only such are widened
    preview = snapshot.protocol.supports("typeWidening-preview")
    return {
        **({"tableVersion": snapshot.version + 1} if preview else {}),
        "toType": new.name,
        "fromType": old.name,
        **({"fieldPath": ".".join(inside)} if inside else {}),
    }


def _widens(snapshot: Snapshot) -> bool:
    return is_true(snapshot.metadata.configuration, _TYPE_WIDENING)


# Refusals, in the order of Spark and Delta


def _refuse_repeated(columns: list[Path]) -> None:
    for place, column in enumerate(columns):
        others = columns[:place] + columns[place + 1 :]
        if any(column == other[: len(column)] for other in others):
            raise Refused(
                f"{path_text(column)}, or what is in it, is changed twice.",
                remedy="Make one change of it, then the other: ALTER COLUMN twice.",
                delta_error_class="NOT_SUPPORTED_CHANGE_SAME_COLUMN",
            )


def _refuse_as_spark_does(change: ColumnChange, place: StructField) -> None:
    name = path_text(change.column)
    if change.nullable is False and place.nullable:
        raise Refused(
            f"{name} cannot become NOT NULL: existing rows may contain nulls.",
            remedy="Forbid nulls with a constraint, which Delta checks against existing rows: "
            f"alter --add-constraint 'NAME={name} IS NOT NULL'.",
            delta_error_class="_LEGACY_ERROR_TEMP_2330",
        )
    if change.type is None or _keeps_type(change, place):
        return
    word = re.split(r"\W", type_sql(change.type))[0]
    if word in _OF_PARTS:
        raise Refused(
            f"The type of {name} cannot be changed to {type_sql(change.type)} as a whole.",
            remedy=_OF_PARTS[word],
            delta_error_class=f"CANNOT_UPDATE_FIELD.{word}_TYPE",
        )
    old, new = _raw_type(place), change.type
    if not _spark_casts(old, new):
        raise Refused(
            f"{name} has the type {type_sql(old)}, whose values do not all fit into "
            f"{type_sql(new)}.",
            remedy=_widening_remedy(old),
            delta_error_class="NOT_SUPPORTED_CHANGE_COLUMN",
        )


_OF_PARTS: Final = {
    "STRUCT": "Change its fields one by one: s.x for the field x.",
    "ARRAY": "Change the type of its elements: column.element.",
    "MAP": "Change the type of its keys or values: column.key, column.value.",
    "INTERVAL": "Add a column of the new type and fill it.",
}
_LENGTH: Final = re.compile(r"(?:(var)?char\((\d+)\))")


def _spark_casts(old: DataType, new: DataType) -> bool:
    if not isinstance(old, PrimitiveType) or not isinstance(new, PrimitiveType):
        return False
    before, after = _LENGTH.fullmatch(old.name), _LENGTH.fullmatch(new.name)
    if after:
        if not before or (before[1] and not after[1]):
            return False
        same = before[1] == after[1] is None
        # CHAR pads its values, so that only the same length keeps them.
        return int(before[2]) == int(after[2]) if same else int(before[2]) <= int(after[2])
    return is_up_cast("string" if before else old.name, new.name)


def _widening_remedy(old: DataType) -> str:
    wider = [
        name for name in _WIDER if isinstance(old, PrimitiveType) and can_be_altered(old.name, name)
    ]
    listed = ", ".join(type_sql(PrimitiveType(name)) for name in wider)
    return f"It can become: {listed}." if listed else "Add a column of the new type and fill it."


_WIDER: Final = ("short", "integer", "long", "double", "decimal(38,18)", "timestamp_ntz")


def _refuse_on_identity(change: ColumnChange, place: StructField) -> None:
    harmless = change.comment is not None or change.position is not None
    if is_identity(place) and not harmless:
        raise Refused(
            f"{path_text(change.column)} is an identity column; only its comment and position can "
            "be changed.",
            remedy="Leave the column unchanged.",
            delta_error_class="DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED",
        )


def _refuse_as_delta_does(snapshot: Snapshot, change: ColumnChange, place: StructField) -> None:
    name = path_text(change.column)
    if is_slot(snapshot.metadata.schema, change.column):
        if change.comment is not None:
            raise Refused(
                f"{name} is part of an array or a map and cannot have a comment of its own.",
                remedy=f"Put the comment on {path_text(change.column[:-1])}.",
                delta_error_class="DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY",
            )
        if change.nullable is not None and change.nullable != place.nullable:
            raise _unsupported(f"The nullability of {name} cannot be changed.", "")
    if change.type is None:
        return
    old, new = place.type, _stored_type(change.type)
    # No file has values of it, so Delta lets it become anything.
    if old == PrimitiveType("void"):
        return
    widening = _is_recorded(old, new)
    if old != new and not (widening and _widens(snapshot)):
        raise _unsupported(
            f"The type of {name} cannot be changed from {type_sql(old)} to {type_sql(new)}"
            + (" while type widening is off." if widening else "."),
            "Turn it on first: deltaadm enable-feature TABLE typeWidening."
            if widening
            else _widening_remedy(old),
        )
    if old != new:
        refuse_dependents(snapshot.metadata, change.column)


def _unsupported(message: str, remedy: str) -> Refused:
    return Refused(
        message,
        remedy=remedy or "Copy the column into a new one.",
        delta_error_class="DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    )


def _refuse_after_the_change(change: ColumnChange, place: StructField) -> None:
    name = path_text(change.column)
    if change.type is not None and GENERATION in place.metadata:
        raise Refused(
            f"{name} is generated from {place.metadata[GENERATION]!r}, whose type would no longer "
            "match.",
            remedy="The type of a generated column cannot be changed.",
            delta_error_class="DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
        )


def _require_defaults_supported(snapshot: Snapshot, change: ColumnChange) -> None:
    if change.default and not snapshot.protocol.supports("allowColumnDefaults"):
        raise Refused(
            f"{path_text(change.column)} cannot have a default: the table does not support the "
            "feature "
            "allowColumnDefaults.",
            remedy="Add it first: deltaadm enable-feature TABLE allowColumnDefaults.",
            delta_error_class="WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED",
        )
