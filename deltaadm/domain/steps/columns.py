"""Adding, dropping, renaming and changing columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain import ddl
from deltaadm.domain.features import is_identity, mapping_mode
from deltaadm.domain.properties import Key, column_list, is_true
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.schema import (
    DataType,
    FieldKey,
    Path,
    PrimitiveType,
    StructField,
    StructType,
    change_type,
    folded,
    path_text,
    type_name,
)
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps.step import COLUMN_CHANGES, ColumnChange, Operation, Step, Touches
from deltaadm.domain.transaction import checks, columns
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.update import commit_update
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError, UnknownNameError, did_you_mean
from deltaadm.json_values import STRINGS, Json, array, compact, record, texts


def find_column(schema: StructType, column: Path) -> Path | None:
    """The path of *column* as the schema spells it, whatever the case; None if it is not there."""
    path, _, _ = schema.find_place(column)
    return path if len(path) == len(column) and not _is_slot(schema, path) else None


def _is_slot(schema: StructType, path: Path) -> bool:
    """Whether *path*, as the schema spells it, is a part of an array or a map, not a column."""
    return bool(path) and not isinstance(schema.find_place(path[:-1])[2], StructType)


def _existing(schema: StructType, column: Path) -> tuple[Path, StructField]:
    """The path of *column* as the schema spells it, and what is there; raises unless it is one."""
    path, field, here = schema.find_place(column)
    for depth, part in enumerate(path):
        around = schema.find_place(path[:depth])[2]
        fields = around.fields if isinstance(around, StructType) else ()
        if [inner.name.lower() for inner in fields].count(part.lower()) > 1:
            raise RefusedError(
                f"The table has several columns {path_text(path)}, ignoring case.",
                remedy="Rename or drop one of them with spark.sql.caseSensitive=true.",
                delta_error_class="AMBIGUOUS_COLUMN_OR_FIELD",
            )
    if field is not None and len(path) == len(column):
        return path, field
    # Spark answers an unknown name and a name inside what is no struct differently.
    if isinstance(here, StructType):
        raise UnknownNameError(
            f"The table has no column {path_text(column)}.",
            remedy=did_you_mean(path_text(column), (path_text(other) for other, _ in schema.walk()))
            or "List its columns with: `deltaadm inspect TABLE --columns`.",
            delta_error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        )
    raise RefusedError(
        f"{path_text(column)} is not a column: {path_text(path)} is not a struct.",
        remedy="Inside arrays and maps, use element, key and value, in lower case: "
        "items.element.x, prices.value.x.",
        delta_error_class="INVALID_FIELD_NAME",
    )


def _is_within(path: Path, column: Path) -> bool:
    # Delta minds the case here, and does not find what is listed in another.
    return path[: len(column)] == column


def _with_struct(
    schema: StructType, path: Path, change: Callable[[StructType], DataType]
) -> StructType:
    changed = change_type(
        schema, path, lambda place: change(place) if isinstance(place, StructType) else place
    )
    assert isinstance(changed, StructType)  # noqa: S101 -- what holds a column is one
    return changed


def _with_field(schema: StructType, path: Path, new: StructField) -> StructType:
    return _with_struct(
        schema,
        path[:-1],
        lambda struct: StructType(
            tuple(new if field.name == path[-1] else field for field in struct.fields)
        ),
    )


def _attribute_name(path: Path) -> str:
    """A path as the parameters of Delta's commits spell it: backticks around what has a dot."""
    # Spark's `UnresolvedAttribute.name`, which does not double backticks within a part.
    return ".".join(f"`{part}`" if "." in part else part for part in path)


def _column_entry(path: Path, field: StructField, position: ddl.Position | None) -> dict[str, Any]:
    column = {
        "name": _attribute_name(path),
        # Spark's `typeName`, which does not say what is inside an array or a map.
        "type": type_name(field.type).partition("<")[0],
        "nullable": field.nullable,
        "metadata": dict(field.metadata),
    }
    if position is None:
        return {"column": column}
    place = "FIRST" if position.after is None else f"AFTER {position.after}"
    return {"column": column, "position": place}


def _refuse_dependents(metadata: Metadata, column: Path) -> None:
    constraints = [
        key[len(Key.CONSTRAINT_PREFIX) :]
        for key, expression in sorted(metadata.configuration.items())
        if key.lower().startswith(Key.CONSTRAINT_PREFIX)
        and ddl.mentions(expression, column, metadata.schema)
    ]
    if constraints:
        raise RefusedError(
            f"These CHECK constraints use {path_text(column)}: {', '.join(constraints)}.",
            remedy="Drop them first: alter --drop-constraint NAME.",
            delta_error_class="DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
        )
    generated = [
        field.name
        # At the top level alone, where Delta looks for generation expressions.
        for field in metadata.schema.fields
        if FieldKey.GENERATION in field.metadata
        and ddl.mentions(str(field.metadata[FieldKey.GENERATION]), column, metadata.schema)
    ]
    if generated:
        raise RefusedError(
            f"These columns are generated from {path_text(column)}: {', '.join(generated)}.",
            remedy="Columns that others are generated from can be neither renamed nor dropped.",
            delta_error_class="DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
        )


def _require_mapping(metadata: Metadata, what: str, error_class: str) -> None:
    if mapping_mode(metadata) == "none":
        raise RefusedError(
            f"A column can only be {what} with column mapping, which the table does not use.",
            remedy="Turn column mapping on first: `deltaadm set-mapping-mode TABLE name`.",
            delta_error_class=error_class,
        )


def _with_statistics_of(metadata: Metadata, names: str) -> Metadata:
    listed = Key.STATISTICS_COLUMNS in metadata.configuration
    return metadata.with_properties({Key.STATISTICS_COLUMNS: names}) if listed else metadata


def _listed_for_statistics(metadata: Metadata) -> tuple[Path, ...]:
    return column_list(metadata.configuration.get(Key.STATISTICS_COLUMNS, ""))[0]


_Changes = list[tuple[ColumnChange, StructField]]
"""Changes with the columns as they are, spelled as in the schema."""


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
        metadata = snapshot.metadata
        spelled = self._spelled(metadata.schema)
        columns.require_found_clustering(snapshot)
        effective = _effective(spelled)
        _refuse_as_spark_does(spelled, effective)
        if not effective:
            return snapshot
        require_writable(snapshot)
        schema = metadata.schema
        for change, place in effective:
            _refuse_as_delta_does(snapshot, change, place)
            schema = _changed(schema, change, place, snapshot)
        # A move may take a column out of the first ones, of which alone statistics are collected.
        if any(change.position for change, _ in effective):
            columns.check_statistics_of(metadata, columns.clustering_columns(snapshot) or ())
        for change, place in effective:
            if change.type is not None and FieldKey.GENERATION in place.metadata:
                raise RefusedError(
                    f"{path_text(change.column)} is generated from "
                    f"{place.metadata[FieldKey.GENERATION]!r}, whose type would no longer match.",
                    remedy="The type of a generated column cannot be changed.",
                    delta_error_class="DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
                )
        after = commit_update(snapshot, metadata.with_schema(schema), session)
        defaults = [change.column for change, _ in effective if change.default]
        remedy = "Add the feature: `deltaadm enable-feature TABLE allowColumnDefaults`."
        columns.require_allowed_defaults(defaults, snapshot.protocol, remedy)
        return after

    def _spelled(self, schema: StructType) -> _Changes:
        spelled = []
        for change in self.changes:
            path, place = _existing(schema, change.column)
            if change.position is not None and change.position.after is not None:
                _existing(schema, (*path[:-1], change.position.after))
            spelled.append((replace(change, column=path), place))
        return spelled

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        documents: list[dict[str, Any]] = []
        for change, place in _effective(self._spelled(before.metadata.schema)):
            column = _edited(place, change)
            if change.type is not None:
                bare = column.without(FieldKey.RAW_TYPE)
                column = checks.without_char(replace(bare, type=change.type))
            documents.append(_column_entry(change.column, column, change.position))
        if len(documents) > 1:
            # Here the column's parts stand beside the position, unlike where one is changed.
            flat = [{**entry.pop("column"), **entry} for entry in documents]
            return Operation("CHANGE COLUMNS", {"columns": compact(flat)})
        (only,) = documents
        parts = {k: v if isinstance(v, str) else compact(v) for k, v in only.items()}
        return Operation("CHANGE COLUMN", parts)

    @property
    def touches(self) -> Touches:
        return Touches(column_changes=self.changes)

    def _clause(self) -> str:
        return "ALTER COLUMN " + ", ".join(change.clause() for change in self.changes)

    def options(self) -> Iterator[str]:
        return (option for change in self.changes for option in change.options())


def _effective(changes: _Changes) -> _Changes:
    # Spark leaves out a type that is there already: Hive's syntax names it even where it stays.
    return [
        (change, place)
        for change, place in changes
        if change.type is None or change.type != _declared_type(place)
    ]


def _declared_type(place: StructField) -> DataType:
    """The type as it was declared: for char and varchar not the string that is stored."""
    raw = place.metadata.get(FieldKey.RAW_TYPE)
    noted = PrimitiveType(raw if isinstance(raw, str) else "")
    return noted if checks.is_char(noted) else place.type


def _changed(
    schema: StructType, change: ColumnChange, place: StructField, snapshot: Snapshot
) -> StructType:
    path, new = change.column, change.type
    if new is not None:
        # The column that the place is in notes what it was widened from.
        fields = dict(schema.walk())
        owner = max((column for column in fields if path[: len(column)] == column), key=len)
        field, inside = fields[owner], path[len(owner) :]
        metadata = dict(field.metadata)
        if not inside:
            # Where the new type has a length, `fit_for_log` notes it anew.
            metadata.pop(FieldKey.RAW_TYPE, None)
        if _widens(snapshot) and _is_recorded(place.type, new):
            # Clients of the preview also want the version.
            preview = snapshot.protocol.supports("typeWidening-preview")
            widening = {
                **({"tableVersion": snapshot.version + 1} if preview else {}),
                "toType": type_name(new),
                "fromType": type_name(place.type),
                **({"fieldPath": ".".join(inside)} if inside else {}),
            }
            metadata[FieldKey.TYPE_CHANGES] = [*metadata.get(FieldKey.TYPE_CHANGES, []), widening]
        data_type = change_type(field.type, inside, lambda _: new)
        return _with_field(schema, owner, replace(field, type=data_type, metadata=metadata))
    if change.position is None:
        return _with_field(schema, path, _edited(place, change))
    position = change.position

    def moved(struct: StructType) -> StructType:
        if position.after is not None and position.after.lower() == path[-1].lower():
            return struct
        (own,) = (field for field in struct.fields if field.name == path[-1])
        return _placed(own, position, [field for field in struct.fields if field is not own])

    return _with_struct(schema, path[:-1], moved)


def _placed(new: StructField, position: ddl.Position, others: Sequence[StructField]) -> StructType:
    names = [field.name.lower() for field in others]
    index = 0 if position.after is None else names.index(position.after.lower()) + 1
    return StructType((*others[:index], new, *others[index:]))


def _edited(field: StructField, change: ColumnChange) -> StructField:
    metadata: dict[str, Any] = dict(field.metadata)
    if change.comment is not None:
        metadata[FieldKey.COMMENT] = change.comment
    if change.default:
        metadata[FieldKey.CURRENT_DEFAULT] = change.default
    elif change.default is not None:
        metadata.pop(FieldKey.CURRENT_DEFAULT, None)
    nullable = field.nullable if change.nullable is None else change.nullable
    return replace(field, nullable=nullable, metadata=metadata)


def _stored_type(data_type: DataType) -> DataType:
    return PrimitiveType("string") if checks.is_char(data_type) else data_type


def _is_recorded(old: DataType, new: DataType) -> bool:
    return old != _stored_type(new) and columns.can_be_altered(old.name, new.name)


def _widens(snapshot: Snapshot) -> bool:
    return is_true(snapshot.metadata.configuration, "delta.enableTypeWidening")


def _refuse_as_spark_does(changes: _Changes, effective: _Changes) -> None:
    # In Spark's order: of several mistakes the first names the error class.
    for change, place in changes:
        columns.refuse_default(path_text(change.column), place.type, change.default)
    changed = [change.column for change, _ in changes]
    within = Counter(path[:depth] for path in changed for depth in range(1, len(path) + 1))
    for column in changed:
        if within[column] > 1:
            raise RefusedError(
                f"{path_text(column)}, or what is in it, is changed twice.",
                remedy="Make one change of it, then the other: ALTER COLUMN twice.",
                delta_error_class="NOT_SUPPORTED_CHANGE_SAME_COLUMN",
            )
    for change, place in changes:
        name, new, old = path_text(change.column), change.type, _declared_type(place)
        if change.nullable is False and place.nullable:
            raise RefusedError(
                f"{name} cannot become NOT NULL: existing rows may contain nulls.",
                remedy="Forbid nulls with a constraint, which Delta checks against existing rows: "
                f"alter --add-constraint 'NAME={name} IS NOT NULL'.",
                delta_error_class="_LEGACY_ERROR_TEMP_2330",
            )
        if new is None or new == old:
            continue
        word = re.split(r"\W", ddl.type_sql(new))[0]
        if word in ("STRUCT", "ARRAY", "MAP", "INTERVAL"):
            raise RefusedError(
                f"The type of {name} cannot be changed to {ddl.type_sql(new)} as a whole.",
                remedy="Change its parts one by one, for example s.x or column.element; "
                "or add a column of the new type and fill it.",
                delta_error_class=f"CANNOT_UPDATE_FIELD.{word}_TYPE",
            )
        if not _spark_casts(old, new):
            narrows = _spark_casts(new, old)
            words = "Not all values of {} fit into {}." if narrows else "{} cannot become {}."
            raise RefusedError(
                words.format(f"{name} ({ddl.type_sql(old)})", ddl.type_sql(new)),
                remedy=_widening_remedy(old),
                delta_error_class="NOT_SUPPORTED_CHANGE_COLUMN",
            )
    for change, place in effective:
        if is_identity(place) and change.comment is None and change.position is None:
            raise RefusedError(
                f"{path_text(change.column)} is an identity column; only its comment and position "
                "can be changed.",
                remedy="Leave the column unchanged.",
                delta_error_class="DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED",
            )


def _spark_casts(old: DataType, new: DataType) -> bool:
    if not old.name:
        return False
    before, after = (re.fullmatch(checks.CHAR_TYPE, each.name) for each in (old, new))
    if after:
        if not before or (before[1] and not after[1]):
            return False
        same = before[1] == after[1] is None
        # CHAR pads its values, so that only the same length keeps them.
        return int(before[2]) == int(after[2]) if same else int(before[2]) <= int(after[2])
    return columns.is_up_cast("string" if before else old.name, new.name)


def _widening_remedy(old: DataType) -> str:
    types = ("short", "integer", "long", "double", "decimal(38,18)", "timestamp_ntz")
    wider = [name for name in types if columns.can_be_altered(old.name, name)]
    listed = ", ".join(ddl.type_sql(PrimitiveType(name)) for name in wider)
    return f"It can become: {listed}." if listed else "Add a column of the new type and fill it."


def _refuse_as_delta_does(snapshot: Snapshot, change: ColumnChange, place: StructField) -> None:
    name = path_text(change.column)
    if _is_slot(snapshot.metadata.schema, change.column):
        if change.comment is not None:
            raise RefusedError(
                f"{name} is part of an array or a map and cannot have a comment of its own.",
                remedy=f"Put the comment on {path_text(change.column[:-1])}.",
                delta_error_class="DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY",
            )
        if change.nullable is not None and change.nullable != place.nullable:
            raise RefusedError(
                f"The nullability of {name} cannot be changed.",
                remedy="Copy the column into a new one.",
                delta_error_class="DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
            )
    if change.type is None:
        return
    old, new = place.type, _stored_type(change.type)
    if old == new:
        return
    widening = _is_recorded(old, new)
    # No file has values of void, so Delta lets it become anything.
    if old != PrimitiveType("void") and not (widening and _widens(snapshot)):
        raise RefusedError(
            f"The type of {name} cannot be changed from {ddl.type_sql(old)} to {ddl.type_sql(new)}"
            + (" while type widening is off." if widening else "."),
            remedy="Turn it on first: `deltaadm enable-feature TABLE typeWidening`."
            if widening
            else _widening_remedy(old),
            delta_error_class="DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
        )
    _refuse_dependents(snapshot.metadata, change.column)


_DEFINITIONS: Final = Json(
    STRINGS.schema,
    lambda definitions: list(map(ddl.definition_sql, definitions)),
    lambda value: ddl.parse_definitions(", ".join(texts(value))),
)


@dataclass(frozen=True, slots=True)
class AddColumns(Step):
    """`ALTER TABLE … ADD COLUMNS`; a later one may stand after an earlier one."""

    columns: tuple[ddl.ColumnDefinition, ...]

    kind = "add_columns"
    json = record(columns=_DEFINITIONS)
    operations = frozenset({"ADD COLUMNS"})

    def require_allowed(self) -> None:
        """Raise `RefusedError` for types that Spark refuses before it loads the table."""
        for definition in self.columns:
            columns.refuse_time(definition.column)

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state in which existing rows have nulls in the new columns."""
        before = schema = snapshot.metadata.schema
        for definition in self.columns:
            # Parents are those of the table as it is; a position may name a column just added.
            schema = _with_column(schema, before, definition)
        columns.require_found_clustering(snapshot)
        for definition in self.columns:
            column, key = definition.column, FieldKey.CURRENT_DEFAULT
            columns.refuse_default(column.name, column.type, column.metadata.get(key))
        known = {folded(path): path for path, _ in before.walk()}
        added = [(*definition.parent, definition.column.name) for definition in self.columns]
        for path in added:
            if folded(path) in known:
                raise _taken(known[folded(path)])
        new: set[Path] = set()
        for path in added:
            if folded(path) in new:
                raise RefusedError(
                    f"The column {path_text(path)} is added twice.",
                    remedy="Choose names that differ in more than case.",
                    delta_error_class="COLUMN_ALREADY_EXISTS",
                )
            new.add(folded(path))
        require_writable(snapshot)
        for definition in self.columns:
            fields = StructType((definition.column,)).walk()
            strict = [path_text(path) for path, field in fields if not field.nullable]
            if strict:
                raise RefusedError(
                    f"{', '.join(strict)} cannot be added as NOT NULL: existing rows lack it.",
                    remedy="Add it without NOT NULL; once it is filled, a constraint can forbid "
                    "nulls: alter --add-constraint 'NAME=COLUMN IS NOT NULL'.",
                    delta_error_class="DELTA_OPERATION_NOT_ALLOWED",
                )
        for definition in self.columns:
            column = definition.column
            if FieldKey.CURRENT_DEFAULT in column.metadata:
                raise RefusedError(
                    f"{column.name} cannot be added with a default: existing rows would lack it.",
                    remedy="Add it without a default, then set one for new rows: alter "
                    f"--set-default {column.name}={column.metadata[FieldKey.CURRENT_DEFAULT]}.",
                    delta_error_class="WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_"
                    "NOT_SUPPORTED",
                )
        proposed = snapshot.metadata.with_schema(schema)
        if mapping_mode(proposed) == "none":
            checks.check_names(proposed)
        return commit_update(snapshot, proposed, session)

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        find = before.metadata.schema.find_place
        documents = [
            _column_entry((*find(new.parent)[0], new.column.name), new.column, new.position)
            for new in self.columns
        ]
        return Operation("ADD COLUMNS", {"columns": compact(documents)})

    @property
    def touches(self) -> Touches:
        return Touches(new_columns=self.columns)

    def _clause(self) -> str:
        return f"ADD COLUMNS ({', '.join(map(ddl.definition_sql, self.columns))})"

    def options(self) -> Iterator[str]:
        for definition in self.columns:
            yield from ("--add-column", ddl.definition_sql(definition))


def _taken(column: Path) -> RefusedError:
    return RefusedError(
        f"The table already has a column {path_text(column)}.",
        remedy="Choose a name that differs in more than case.",
        delta_error_class="FIELD_ALREADY_EXISTS",
    )


def _with_column(schema: StructType, before: StructType, new: ddl.ColumnDefinition) -> StructType:
    parent: Path = ()
    if new.parent:
        parent, place = _existing(before, new.parent)
        if not isinstance(place.type, StructType):
            raise RefusedError(
                f"{path_text(parent)} is not a struct, so {new.column.name} cannot be added to it.",
                remedy="For structs in an array or a map, give the path of the struct, for example "
                "items.element.x or prices.value.x.",
                delta_error_class="INVALID_FIELD_NAME",
            )
    position = new.position

    def extended(struct: StructType) -> StructType:
        if position is None:
            return StructType((*struct.fields, new.column))
        names = [field.name for field in struct.fields]
        after = position.after
        if after is not None and after.lower() not in [name.lower() for name in names]:
            where = path_text(new.parent) if new.parent else "the table"
            raise RefusedError(
                f"{new.column.name} cannot be placed after {after}, which is not in {where}.",
                remedy=f"Its columns are: {', '.join(names)}.",
                delta_error_class="FIELD_NOT_FOUND",
            )
        return _placed(new.column, position, struct.fields)

    return _with_struct(schema, parent, extended)


@dataclass(frozen=True, slots=True)
class DropColumns(Step):
    """`ALTER TABLE … DROP COLUMNS`, by paths of names; with *if_exists* absent ones are skipped."""

    columns: tuple[Path, ...]
    if_exists: bool = False

    kind = "drop_columns"
    json = record(columns=array(STRINGS), if_exists=bool)
    operations = frozenset({"DROP COLUMNS"})
    depends_on_state = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state in which the values are still in the files, and nothing reads them."""
        metadata = snapshot.metadata
        dropped = tuple(
            _existing(metadata.schema, column)[0]
            for column in self.columns
            if not (self.if_exists and _is_absent(metadata.schema, column))
        )
        if not dropped:
            return snapshot
        require_writable(snapshot)
        _require_mapping(metadata, "dropped", "DELTA_UNSUPPORTED_DROP_COLUMN")
        columns.require_found_clustering(snapshot)
        schema = metadata.schema
        for path in dropped:
            schema = without_column(schema, path)
        partitions = sorted({(name,) for name in metadata.partition_columns} & set(dropped))
        if partitions:
            raise RefusedError(
                f"The table is partitioned by {', '.join(map(path_text, partitions))}.",
                remedy="A partition column cannot be dropped.",
                delta_error_class="DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
            )
        clustering = sorted(set(columns.clustering_columns(snapshot) or ()) & set(dropped))
        if clustering:
            raise RefusedError(
                f"The table is clustered by {', '.join(map(path_text, clustering))}.",
                remedy="First run `deltaadm alter TABLE --cluster-by COLUMN`, or --no-cluster-by.",
                delta_error_class="DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
            )
        for path in dropped:
            _refuse_dependents(metadata, path)
        # Delta puts no backticks around other odd names, and then does not find them.
        kept = [
            _attribute_name(path)
            for path in _listed_for_statistics(metadata)
            if not any(_is_within(path, column) for column in dropped)
        ]
        proposed = _with_statistics_of(metadata.with_schema(schema), ",".join(kept))
        return commit_update(snapshot, proposed, session)

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        found = [find_column(before.metadata.schema, path) for path in self.columns]
        names = [_attribute_name(path) for path in found if path is not None]
        return Operation("DROP COLUMNS", {"columns": compact(names)})

    @property
    def touches(self) -> Touches:
        return Touches(drops=self.columns)

    def _clause(self) -> str:
        names = ", ".join(map(ddl.path_sql, self.columns))
        return f"DROP COLUMNS {ddl.if_exists_sql(self.if_exists)}({names})"

    def options(self) -> Iterator[str]:
        for column in self.columns:
            yield from ("--drop-column", path_text(column))


def _is_absent(schema: StructType, column: Path) -> bool:
    """Whether a struct lacks *column*; a name inside what is no struct is an error instead."""
    path, _, here = schema.find_place(column)
    return len(path) < len(column) and isinstance(here, StructType)


def without_column(schema: StructType, gone: Path) -> StructType:
    """*schema* without one field, also in an array or a map; a struct keeps at least one."""
    gone = find_column(schema, gone) or gone
    if _is_absent(schema, gone):
        raise RefusedError(
            f"{path_text(gone)} is dropped twice.",
            remedy="Name each column once.",
            delta_error_class="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
        )
    if _is_slot(schema, gone):
        raise RefusedError(
            f"{path_text(gone)} is part of an array or a map and cannot be dropped.",
            remedy="Drop the column that contains it.",
            delta_error_class="DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
        )

    def pruned(struct: StructType) -> StructType:
        if len(struct.fields) == 1:
            raise RefusedError(
                f"{path_text(gone)} is the only column of {path_text(gone[:-1]) or 'the table'}.",
                remedy="Drop the enclosing struct instead, or keep the column.",
                delta_error_class="DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
            )
        return StructType(tuple(field for field in struct.fields if field.name != gone[-1]))

    return _with_struct(schema, gone[:-1], pruned)


@dataclass(frozen=True, slots=True)
class RenameColumn(Step):
    """`ALTER TABLE … RENAME COLUMN`; *column* is a path of names, *name* replaces its last part."""

    column: Path
    name: str

    kind = "rename_column"
    json = record(column=STRINGS, name=str)
    operations = frozenset({"RENAME COLUMN"})

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state in which the column keeps its id and its name in the files."""
        metadata = snapshot.metadata
        old, _ = _existing(metadata.schema, self.column)
        if _is_slot(metadata.schema, old):
            raise RefusedError(
                f"{path_text(old)} is part of an array or a map and has no name of its own.",
                remedy="Rename the column that contains it.",
                delta_error_class="INVALID_FIELD_NAME",
            )
        taken = find_column(metadata.schema, (*old[:-1], self.name))
        if taken is not None:
            raise _taken(taken)
        require_writable(snapshot)
        _refuse_dependents(metadata, old)
        _require_mapping(metadata, "renamed", "DELTA_UNSUPPORTED_RENAME_COLUMN")
        return commit_update(snapshot, renamed(metadata, old, self.name), session)

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        old, _ = _existing(before.metadata.schema, self.column)
        new = (*old[:-1], self.name)
        paths = {"oldColumnPath": _attribute_name(old), "newColumnPath": _attribute_name(new)}
        return Operation("RENAME COLUMN", paths)

    @property
    def touches(self) -> Touches:
        return Touches(renames=((self.column, (*self.column[:-1], self.name)),))

    def _clause(self) -> str:
        return f"RENAME COLUMN {ddl.path_sql(self.column)} TO {ddl.identifier(self.name)}"

    def options(self) -> Iterator[str]:
        yield from ("--rename-column", f"{path_text(self.column)}={self.name}")


def renamed(metadata: Metadata, old: Path, name: str) -> Metadata:
    """*metadata* with the column *old*, as the schema spells it, under another *name*."""
    schema = metadata.schema.rewrite(
        lambda path, field: replace(field, name=name) if path == old else field
    )
    partitions = tuple(
        name if (column,) == old else column for column in metadata.partition_columns
    )
    listed = [
        (*old[:-1], name, *path[len(old) :]) if _is_within(path, old) else path
        for path in _listed_for_statistics(metadata)
    ]
    changed = replace(metadata.with_schema(schema), partition_columns=partitions)
    return _with_statistics_of(changed, ",".join(map(columns.quoted_name, listed)))
