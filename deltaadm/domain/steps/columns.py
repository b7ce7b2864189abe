"""Adding, dropping, renaming and changing columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import is_identity
from deltaadm.domain.json_values import (
    BOOLEAN,
    STRING,
    STRINGS,
    Json,
    array,
    compact,
    record,
    texts,
)
from deltaadm.domain.properties import is_true
from deltaadm.domain.schema import (
    PrimitiveType,
    StructType,
    change_type,
    find_place,
    path_text,
    walk,
)
from deltaadm.domain.sql.ddl import (
    COMMENT,
    CURRENT_DEFAULT,
    GENERATION,
    definition_sql,
    identifier,
    if_exists_sql,
    parse_definitions,
    path_sql,
    type_sql,
)
from deltaadm.domain.steps.step import COLUMN_CHANGES, ColumnChange, Operation, Step, Touches
from deltaadm.domain.transaction.checks import CHAR_TYPE, RAW_TYPE, check_names, without_char
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.transaction.columns import (
    TYPE_CHANGES,
    attribute_name,
    can_be_altered,
    check_statistics_of,
    clustering_columns,
    column_document,
    columns_with_listed_statistics,
    existing,
    existing_place,
    find_column,
    is_slot,
    is_up_cast,
    is_within,
    position_document,
    refuse_default,
    refuse_dependents,
    refuse_taken,
    refuse_time,
    renamed,
    require_found_clustering,
    require_mapping,
    with_columns,
)
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.update import prepare_commit, update_metadata
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.protocol import SessionSettings
    from deltaadm.domain.schema import DataType, Path, StructField
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.sql.ddl import ColumnDefinition, Position


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
    def touches(self) -> Touches:
        """The changes."""
        return Touches(column_changes=self.changes)

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
            (moved,) = (field for field in data_type.fields if field.name == name)
            after = None if change.position.after is None else change.position.after.lower()
            if after == name.lower():
                return data_type
            rest = [field for field in data_type.fields if field.name != name]
            index = 0 if after is None else [field.name.lower() for field in rest].index(after) + 1
            return StructType((*rest[:index], moved, *rest[index:]))
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


# Add columns


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
            strict = [
                path_text(path)
                for path, field in walk(StructType((definition.column,)))
                if not field.nullable
            ]
            if strict:
                raise Refused(
                    f"{', '.join(strict)} cannot be added as NOT NULL: existing rows have no value "
                    "for it.",
                    remedy="Add it without NOT NULL; once it is filled, a constraint can forbid "
                    "nulls: alter --add-constraint 'NAME=COLUMN IS NOT NULL'.",
                    delta_error_class="DELTA_OPERATION_NOT_ALLOWED",
                )
        for definition in self.columns:
            column = definition.column
            if CURRENT_DEFAULT in column.metadata:
                raise Refused(
                    f"{column.name} cannot be added with a default, which existing rows would "
                    "lack.",
                    remedy="Add it without a default, then set one for new rows: alter "
                    f"--set-default {column.name}={column.metadata[CURRENT_DEFAULT]}.",
                    delta_error_class="WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_"
                    "NOT_SUPPORTED",
                )
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
    def touches(self) -> Touches:
        """The new columns."""
        return Touches(new_columns=self.columns)

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


# Drop columns


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
        partitions = sorted({(name,) for name in metadata.partition_columns} & set(dropped))
        if partitions:
            raise Refused(
                f"The table is partitioned by {', '.join(map(path_text, partitions))}.",
                remedy="A partition column cannot be dropped.",
                delta_error_class="DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
            )
        clustering = sorted(set(clustering_columns(snapshot) or ()) & set(dropped))
        if clustering:
            raise Refused(
                f"The table is clustered by {', '.join(map(path_text, clustering))}.",
                remedy="Choose other columns first: alter --cluster-by COLUMN, or --no-cluster-by.",
                delta_error_class="DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
            )
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
    def touches(self) -> Touches:
        """The columns that go."""
        return Touches(drops=self.columns)

    def _clause(self) -> str:
        columns = ", ".join(map(path_sql, self.columns))
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


# Rename column


@dataclass(frozen=True, slots=True)
class RenameColumn(Step):
    """`ALTER TABLE … RENAME COLUMN`; *column* is a path of names, *name* replaces its last part."""

    column: Path
    name: str

    kind = "rename_column"
    json = record(column=STRINGS, name=STRING)
    operations = frozenset({"RENAME COLUMN"})

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state in which the column keeps its id and its name in the files."""
        metadata = snapshot.metadata
        old = existing(metadata.schema, self.column)
        if is_slot(metadata.schema, old):
            raise Refused(
                f"{path_text(old)} is part of an array or a map and has no name of its own.",
                remedy="Rename the column that contains it.",
                delta_error_class="INVALID_FIELD_NAME",
            )
        new = (*old[:-1], self.name)
        taken = find_column(metadata.schema, new)
        if taken is not None:
            raise Refused(
                f"The table already has a column {path_text(taken)}.",
                remedy="Choose a name that differs in more than case.",
                delta_error_class="FIELD_ALREADY_EXISTS",
            )
        require_writable(snapshot)
        refuse_dependents(metadata, old)
        require_mapping(metadata, "renamed", "DELTA_UNSUPPORTED_RENAME_COLUMN")
        proposed = renamed(metadata, old, self.name)
        return prepare_commit(snapshot, update_metadata(snapshot, proposed, session))

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        """The path before and after, as the schema spells it."""
        old = existing(before.metadata.schema, self.column)
        paths = {
            "oldColumnPath": attribute_name(old),
            "newColumnPath": attribute_name((*old[:-1], self.name)),
        }
        return Operation("RENAME COLUMN", paths)

    @property
    def touches(self) -> Touches:
        """The column, by both its names."""
        return Touches(renames=((self.column, (*self.column[:-1], self.name)),))

    def _clause(self) -> str:
        return f"RENAME COLUMN {path_sql(self.column)} TO {identifier(self.name)}"

    def options(self) -> Iterator[str]:
        """`--rename-column`."""
        yield from ("--rename-column", f"{path_text(self.column)}={self.name}")
