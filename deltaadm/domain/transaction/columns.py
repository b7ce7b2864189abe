"""Finding columns in a schema, and refusing changes of columns that others depend on."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain.model.properties import CONSTRAINT_PREFIX
from deltaadm.domain.model.schema import (
    ArrayType,
    MapType,
    PrimitiveType,
    StructType,
    all_types,
    find_place,
    folded,
    path_text,
    rewrite,
    type_name,
    walk,
)
from deltaadm.domain.sql.constants import refused_default
from deltaadm.domain.sql.sql_text import identifier
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.transaction.metadata_checks import STATISTICS_COLUMNS, column_names
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.schema import DataType, Path, StructField
    from deltaadm.domain.sql.ddl import ColumnDefinition, Position


def renamed(metadata: Metadata, old: Path, name: str) -> Metadata:
    """*metadata* with the column *old*, as the schema spells it, under another *name*."""
    new = (*old[:-1], name)
    schema = rewrite(
        metadata.schema, lambda path, field: replace(field, name=name) if path == old else field
    )
    partitions = tuple(
        name if (column,) == old else column for column in metadata.partition_columns
    )
    listed = ",".join(
        path_text((*new, *path[len(old) :]) if is_within(path, old) else path)
        for path in columns_with_listed_statistics(metadata)
    )
    return with_columns(metadata, schema, partitions, listed)


def attribute_name(path: Path) -> str:
    """
    A path as the parameters of Delta's commits spell it: backticks around what has a dot.

    >>> attribute_name(("s", "x.y"))
    's.`x.y`'
    """
    # Spark's `UnresolvedAttribute.name`, which does not double backticks within a part.
    return ".".join(f"`{part}`" if "." in part else part for part in path)


def quoted_name(path: Path) -> str:
    """
    A path as commits of clustering spell it: backticks around what is no plain identifier.

    >>> quoted_name(("s", "1st", "x`y"))
    's.`1st`.`x``y`'
    """
    plain = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
    return ".".join(part if plain.fullmatch(part) else identifier(part) for part in path)


def column_document(path: Path, field: StructField) -> dict[str, Any]:
    """A column as the parameters of Delta's commits describe it."""
    data_type = field.type
    # Spark's `typeName`, which does not say what is inside an array or a map.
    name = "array" if isinstance(data_type, ArrayType) else type_name(data_type)
    return {
        "name": attribute_name(path),
        "type": "map" if isinstance(data_type, MapType) else name,
        "nullable": field.nullable,
        "metadata": dict(field.metadata),
    }


def position_document(position: Position | None) -> dict[str, str]:
    """The position of a column as commitInfo's parameters have it; empty for the end."""
    if position is None:
        return {}
    return {"position": "FIRST" if position.after is None else f"AFTER {position.after}"}


def find_column(schema: StructType, column: Path) -> Path | None:
    """The path of *column* as the schema spells it, whatever the case; None if it is not there."""
    path, _, _ = find_place(schema, column)
    return path if len(path) == len(column) and not is_slot(schema, path) else None


def is_slot(schema: StructType, path: Path) -> bool:
    """Whether *path*, as the schema spells it, is a part of an array or a map, not a column."""
    return bool(path) and not isinstance(find_place(schema, path[:-1])[2], StructType)


def existing(schema: StructType, column: Path) -> Path:
    """Like `find_column`; raises `Refused` for a column that is not there."""
    return existing_place(schema, column)[0]


def existing_place(schema: StructType, column: Path) -> tuple[Path, StructField]:
    """
    The path of *column* as the schema spells it, and the field or the slot that is there.

    Raises `Refused` for a column that is not there, or not the only one of that name.
    """
    path, field, here = find_place(schema, column)
    same = Counter(len(other) for other, _ in walk(schema) if is_within(path, other))
    if max(same.values(), default=0) > 1:
        raise Refused(
            f"The table has several columns {path_text(path)}, ignoring case.",
            remedy="Rename or drop one of them with spark.sql.caseSensitive=true.",
            delta_error_class="AMBIGUOUS_COLUMN_OR_FIELD",
        )
    if field is not None and len(path) == len(column):
        return path, field
    # Spark answers an unknown name and a name inside what is no struct differently.
    if isinstance(here, StructType):
        raise Refused(
            f"The table has no column {path_text(column)}.",
            remedy="List its columns with: deltaadm inspect TABLE --columns.",
            delta_error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        )
    raise Refused(
        f"{path_text(column)} is not a column: {path_text(path)} is not a struct.",
        remedy="Inside arrays and maps, use element, key and value, in lower case: "
        "items.element.x, prices.value.x.",
        delta_error_class="INVALID_FIELD_NAME",
    )


def refuse_default(name: str, data_type: DataType, text: str) -> None:
    """Raise `Refused` where Spark certainly refuses *text* as the default of a column."""
    refusal = refused_default(data_type, text.strip())
    if refusal is not None:
        raise Refused(
            f"{text} cannot be the default of {name}, which has the type {type_name(data_type)}.",
            remedy="Write a constant of that type, such as 7, 'x', DATE '2026-01-31' or NULL.",
            delta_error_class=refusal,
        )


def refuse_time(column: StructField) -> None:
    """Raise `Refused` for a column with a time of day, wherever in it."""
    times = any(
        isinstance(data_type, PrimitiveType) and data_type.name.startswith("time(")
        for data_type in all_types(column.type)
    )
    if times:
        raise Refused(
            f"{column.name} has the type TIME, which Spark 4.2 does not support.",
            remedy="Use TIMESTAMP, or a number of microseconds.",
            delta_error_class="UNSUPPORTED_TIME_TYPE",
        )


_PART: Final = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")


def parse_column(text: str) -> Path:
    """
    The column that *text* names: parts with dots between them, odd ones in backticks.

    >>> parse_column("s.`a.b`")
    ('s', 'a.b')
    """
    parts: list[str] = []
    position = 0
    while match := _PART.match(text, position):
        parts.append(match[1].replace("``", "`") if match[1] else match[2])
        position = match.end()
        if position == len(text):
            return tuple(parts)
        if text[position] != ".":
            break
        position += 1
    raise Refused(
        f"{text!r} is not a column name.",
        remedy="Separate nested names with dots, and put a name that contains a dot in backticks.",
    )


def with_columns(
    metadata: Metadata, schema: StructType, partitions: tuple[str, ...], statistics: str
) -> Metadata:
    """*metadata* with other columns; the list of those with statistics only where there is one."""
    stored = metadata.configuration
    known = {STATISTICS_COLUMNS: statistics} if STATISTICS_COLUMNS in stored else {}
    return replace(
        metadata.with_schema(schema).with_configuration({**stored, **known}),
        partition_columns=partitions,
    )


def columns_with_listed_statistics(metadata: Metadata) -> tuple[Path, ...]:
    """The columns that the table property names of which statistics are collected."""
    return column_names(metadata.configuration.get(STATISTICS_COLUMNS, ""))


# Refusals


def require_mapping(metadata: Metadata, what: str, error_class: str) -> None:
    """Raise `Refused` without column mapping, under which alone columns can be *what*."""
    if column_mapping_mode(metadata) is ColumnMappingMode.NONE:
        raise Refused(
            f"A column can only be {what} with column mapping, which the table does not use.",
            remedy="Turn column mapping on first: deltaadm set-mapping-mode TABLE name.",
            delta_error_class=error_class,
        )


def refuse_taken(schema: StructType, columns: tuple[ColumnDefinition, ...]) -> None:
    """Raise `Refused` for new columns that are there already, or twice among them."""
    known = {folded(path): path for path, _ in walk(schema)}
    new: set[Path] = set()
    for definition in columns:
        path = (*definition.parent, definition.column.name)
        if folded(path) in known:
            raise Refused(
                f"The table already has a column {path_text(known[folded(path)])}.",
                remedy="Choose a name that differs in more than case.",
                delta_error_class="FIELD_ALREADY_EXISTS",
            )
        if folded(path) in new:
            raise Refused(
                f"The column {path_text(path)} is added twice.",
                remedy="Choose names that differ in more than case.",
                delta_error_class="COLUMN_ALREADY_EXISTS",
            )
        new.add(folded(path))


def refuse_dependents(metadata: Metadata, column: Path) -> None:
    """Raise `Refused` where a constraint or a generated column is computed from *column*."""
    constraints = [
        key[len(CONSTRAINT_PREFIX) :]
        for key, expression in sorted(metadata.configuration.items())
        if key.lower().startswith(CONSTRAINT_PREFIX) and _mentions(expression, column)
    ]
    if constraints:
        raise Refused(
            f"These CHECK constraints use {path_text(column)}: {', '.join(constraints)}.",
            remedy="Drop them first: alter --drop-constraint NAME.",
            delta_error_class="DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
        )
    generated = [
        field.name
        # At the top level alone, where Delta looks for generation expressions.
        for field in metadata.schema.fields
        if _mentions(str(field.metadata.get("delta.generationExpression", "")), column)
    ]
    if generated:
        raise Refused(
            f"These columns are generated from {path_text(column)}: {', '.join(generated)}.",
            remedy="Columns that others are generated from can be neither renamed nor dropped.",
            delta_error_class="DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
        )


_WORDS: Final = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?:`(?:[^`]|``)+`|\w+)(?:\s*\.\s*(?:`(?:[^`]|``)+`|\w+))*"""
)
_NAME: Final = re.compile(r"`((?:[^`]|``)+)`|(\w+)")


def _mentions(expression: str, column: Path) -> bool:
    """Whether a name in *expression* is *column*, something in it, or something around it."""
    wanted = folded(column)
    for word in _WORDS.findall(expression):
        # A text: to Spark both kinds of quotes delimit one.
        if word[0] in "'\"":
            continue
        path = tuple(
            (quoted.replace("``", "`") or plain).lower() for quoted, plain in _NAME.findall(word)
        )
        shared = min(len(path), len(wanted))
        if path[:shared] == wanted[:shared]:
            return True
    return False


def is_within(path: Path, column: Path) -> bool:
    """Whether *path* is *column* or a field in it, ignoring case."""
    return folded(path)[: len(column)] == folded(column)
