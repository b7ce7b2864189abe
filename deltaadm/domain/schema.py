"""Delta's schema JSON as frozen types, and ways to walk and rewrite the fields in it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.errors import TableError
from deltaadm.json_values import compact
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Final

    Change = Callable[["Path", "StructField"], "StructField"]


class FieldKey:
    """The keys of a field's metadata that Delta and Spark know."""

    TYPE_CHANGES: Final = "delta.typeChanges"
    """Not a property of the table but of a field: what it was widened from."""
    COMMENT: Final = "comment"
    GENERATION: Final = "delta.generationExpression"
    CURRENT_DEFAULT: Final = "CURRENT_DEFAULT"
    EXISTS_DEFAULT: Final = "EXISTS_DEFAULT"
    IDENTITY_START: Final = "delta.identity.start"
    IDENTITY_STEP: Final = "delta.identity.step"
    IDENTITY_EXPLICIT: Final = "delta.identity.allowExplicitInsert"
    COLLATIONS: Final = "__COLLATIONS"
    RAW_TYPE: Final = "__CHAR_VARCHAR_TYPE_STRING"
    """Under which a column of strings notes that it was declared with char or varchar."""
    COLUMN_ID: Final = "delta.columnMapping.id"
    PHYSICAL_NAME: Final = "delta.columnMapping.physicalName"
    NESTED_IDS: Final = "delta.columnMapping.nested.ids"
    PARQUET_FIELD_ID: Final = "parquet.field.id"
    PARQUET_NESTED_IDS: Final = "parquet.field.nested.ids"


ELEMENT, KEY, VALUE = "element", "key", "value"


SCHEMAS_REMEMBERED: Final = 64
"""The number of parsed schemas to cache: each is used several times, and tables are alike."""


@dataclass(frozen=True, slots=True)
class PrimitiveType:
    """
    A type written as one name, known or not: `integer`, `decimal(10,2)`, `timestamp_ntz`.

    The `name` of all other types is empty.
    """

    name: str


HIGHEST_PRECISION: Final = 38
"""The most digits that Spark takes in a decimal."""


def decimal_digits(name: str) -> tuple[int, int] | None:
    """The digits of the decimals called *name*, all and those after the point; None for others."""
    match = re.fullmatch(r"decimal\((\d{1,4}),(\d{1,4})\)", name) if name[:1] == "d" else None
    return (int(match[1]), int(match[2])) if match else None


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A list of elements of one type."""

    element: DataType
    contains_null: bool = True

    name: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class MapType:
    """A map from keys of one type to values of one type."""

    key: DataType
    value: DataType
    value_contains_null: bool = True

    name: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class StructField:
    """One named field; `metadata` is its free-form JSON object, kept entry for entry."""

    name: str
    type: DataType
    nullable: bool = True
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def without(self, *keys: str) -> StructField:
        """The same field without these keys in its metadata."""
        kept = {key: value for key, value in self.metadata.items() if key not in keys}
        return replace(self, metadata=kept) if len(kept) < len(self.metadata) else self


@dataclass(frozen=True, slots=True)
class StructType:
    """An ordered list of fields; the root of every schema."""

    fields: tuple[StructField, ...] = ()

    name: ClassVar[str] = ""

    def to_json(self) -> str:
        """The schema as Delta writes it into `metaData.schemaString`: compact, fixed key order."""
        return compact(_encode(self))

    @staticmethod
    @lru_cache(maxsize=SCHEMAS_REMEMBERED)
    def parse(schema_string: str) -> StructType:
        """
        Read `metaData.schemaString`.

        Raises `TableError` when it is not the JSON of a struct type, and when it is nested more
        deeply than Delta's JSON reader or Python's stack allows.
        """
        try:
            parsed = _decode(load_json(schema_string), 1)
        except RecursionError as error:
            raise _unreadable(f"it is nested more than {_deepest()} levels deep") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _unreadable(f"{type(error).__name__}: {error}") from error
        if not isinstance(parsed, StructType):
            raise _unreadable("its root is not a struct")
        return parsed

    def walk(self, path: Path = ()) -> Iterator[tuple[Path, StructField]]:
        """Every struct field at every depth, each before its descendants (pre-order)."""
        for column in self.fields:
            here = (*path, column.name)
            yield here, column
            if not isinstance(column.type, PrimitiveType):
                for place, inner in slot_types(column.type, here):
                    if isinstance(inner, StructType):
                        yield from inner.walk(place)

    def find_place(self, path: Path) -> tuple[Path, StructField | None, DataType]:
        """
        Follow *path* as far as it exists: the part found, as the schema spells it, and its place.

        Names are compared without regard to case, the slots of containers with it. A slot counts
        as a field without metadata; there is None for the field where the path does not begin.
        """
        existing: Path = ()
        column: StructField | None = None
        here: DataType = self
        for name in path:
            folds = isinstance(here, StructType)
            for part in parts(here):
                if part.name == name or (folds and part.name.lower() == name.lower()):
                    existing, column, here = (*existing, part.name), part, part.type
                    break
            else:
                break
        return existing, column, here

    def rewrite(self, change: Change, path: Path = ()) -> StructType:
        """
        A copy with every field passed through *change*, each before its descendants.

        *change* sees the path of names as they were, and may change name, nullability and
        metadata; the type of what it returns is rewritten in turn.
        """

        def rewritten(child: StructField) -> StructField:
            here = (*path, child.name)
            changed = change(here, child)
            return replace(changed, type=_rewrite_type(changed.type, change, here))

        return StructType(tuple(map(rewritten, self.fields)))


DataType = PrimitiveType | ArrayType | MapType | StructType

Path = tuple[str, ...]
"""The steps from the root to a field; containers add `element`, `key` and `value`."""


EMPTY_SCHEMA: Final = '{"type":"struct","fields":[]}'
"""The schema of a table without columns."""


def _unreadable(cause: str) -> TableError:
    return TableError(
        f"The table's schema cannot be read: {cause}.",
        remedy="Restore the version before the commit that brought this schemaString.",
    )


def parts(data_type: DataType) -> tuple[StructField, ...]:
    """The fields of a struct; the slots of a container as fields, `element`, `key` and `value`."""
    if isinstance(data_type, StructType):
        return data_type.fields
    if isinstance(data_type, ArrayType):
        return (StructField(ELEMENT, data_type.element, data_type.contains_null),)
    if isinstance(data_type, MapType):
        value = StructField(VALUE, data_type.value, data_type.value_contains_null)
        return StructField(KEY, data_type.key, nullable=False), value
    return ()


def with_types(data_type: DataType, types: list[DataType]) -> DataType:
    """*data_type* with other *types* of its `parts`."""
    # Not made by a function that is handed in: with one, deep types would take too many frames.
    if isinstance(data_type, StructType):
        changed = zip(data_type.fields, types, strict=True)
        return StructType(tuple(replace(part, type=kind) for part, kind in changed))
    slots: dict[str, Any] = dict(zip((part.name for part in parts(data_type)), types, strict=True))
    return replace(data_type, **slots) if slots else data_type


def _rewrite_type(data_type: DataType, change: Change, path: Path) -> DataType:
    if isinstance(data_type, StructType):
        return data_type.rewrite(change, path)
    types = [_rewrite_type(slot.type, change, (*path, slot.name)) for slot in parts(data_type)]
    return with_types(data_type, types)


def change_type(whole: DataType, path: Path, change: Callable[[DataType], DataType]) -> DataType:
    """*whole* with the type at *path*, spelled as it is there, passed through *change*."""
    if not path:
        return change(whole)
    types = [
        change_type(part.type, path[1:], change) if part.name == path[0] else part.type
        for part in parts(whole)
    ]
    return with_types(whole, types)


def slot_types(data_type: DataType, path: Path = ()) -> Iterator[tuple[Path, DataType]]:
    """*data_type* and those in its slots at any depth, by their paths; not those in structs."""
    yield path, data_type
    for part in () if isinstance(data_type, StructType) else parts(data_type):
        yield from slot_types(part.type, (*path, part.name))


def all_types(data_type: DataType) -> Iterator[DataType]:
    """*data_type* and every type inside it, containers' slots included."""
    yield data_type
    for part in parts(data_type):
        yield from all_types(part.type)


@lru_cache(maxsize=SCHEMAS_REMEMBERED)
def primitive_types(schema_string: str) -> tuple[PrimitiveType, ...]:
    """The types that are not containers in the schema that `StructType.parse` reads, each once."""
    found = all_types(StructType.parse(schema_string))
    return tuple({each.name: each for each in found if isinstance(each, PrimitiveType)}.values())


def folded(path: Path) -> Path:
    """*path* as Delta compares names: without regard to case."""
    return tuple(part.lower() for part in path)


def path_text(path: Path) -> str:
    """
    A path as users write it: dots between the parts, backticks around a part that needs them.

    >>> path_text(("s", "a.b", "2026"))
    's.`a.b`.`2026`'
    """
    # To Spark `.2026` is a number.
    return ".".join(
        part
        if part.replace("_", "a").isalnum() and not part[0].isdigit()
        else "`" + part.replace("`", "``") + "`"
        for part in path
    )


DEEPEST_JSON: Final = 1_000
"""
How deep objects and lists of a schema's JSON may be nested: Delta's reader, Jackson, takes no more.

A struct is three levels, an array or a map one; tried with Delta Spark 4.4, which reads 333
structs in one another, the table's own included, but not 334, and 997 arrays, but not 998.
"""

_LEVELS_PER_FRAMES: Final = 0.3
"""
How many levels may be nested for each frame that Python's stack has room for.

What walks, compares and rewrites a schema takes up to seven frames for a struct.
"""


def _deepest() -> int:
    return min(DEEPEST_JSON, int(sys.getrecursionlimit() * _LEVELS_PER_FRAMES))


def _decode(document: Any, level: int) -> DataType:
    if isinstance(document, str):
        return PrimitiveType(document)
    if level > _deepest() - _LEVELS_OF_A_STRUCT:
        # Only this near to the limit is it worth looking at what is inside: fields and their
        # metadata, which are levels of JSON below a struct's own.
        fields = document["fields"] if document["type"] == "struct" else None
        levels = (2 + ("metadata" in field) for field in fields or ())
        if level + (0 if fields is None else max(levels, default=1)) > _deepest():
            raise RecursionError
    kind = document["type"]
    if kind not in _KEYS or document.keys() != _KEYS[kind]:
        raise ValueError(f"the type {kind!r} with {', '.join(sorted(document))}")
    if kind == "struct":
        columns = []
        for column in document["fields"]:
            if column.keys() not in _FIELD_KEYS:
                raise ValueError(f"a field with {', '.join(sorted(column))}")
            name, metadata = column["name"], column.get("metadata", {})
            if not isinstance(name, str):
                raise TypeError(f"a field's name is {name!r}")
            if not isinstance(metadata, dict) or not _is_metadata(metadata):
                raise TypeError(f"the metadata of {name!r} is {metadata!r:.80}")
            nullable = _boolean(column, "nullable") if "nullable" in column else True
            data_type = _decode(column["type"], level + 3)
            columns.append(StructField(name, data_type, nullable, metadata))
        return StructType(tuple(columns))
    if kind == "array":
        element = _decode(document["elementType"], level + 1)
        return ArrayType(element, _boolean(document, "containsNull"))
    return MapType(
        _decode(document["keyType"], level + 1),
        _decode(document["valueType"], level + 1),
        _boolean(document, "valueContainsNull"),
    )


# Spark takes a type or a field with these keys, and no others.
_KEYS: Final = {
    "struct": {"type", "fields"},
    "array": {"type", "elementType", "containsNull"},
    "map": {"type", "keyType", "valueType", "valueContainsNull"},
}
_FIELD_KEYS: Final = (
    {"name", "type", "nullable", "metadata"},
    {"name", "type", "nullable"},
    {"name", "type"},
)
_LEVELS_OF_A_STRUCT: Final = 3


def _boolean(document: Mapping[str, Any], key: str) -> bool:
    value = document[key]
    if not isinstance(value, bool):
        raise TypeError(f"{key} is {value!r}")
    return value


def _is_metadata(value: Any) -> bool:
    """Whether Spark takes *value* into a field's metadata; its lists are of one kind each."""
    if isinstance(value, dict):
        return all(map(_is_metadata, value.values()))
    if isinstance(value, list):
        kinds = set(map(type, value))
        return (
            len(kinds) <= 1
            and kinds.isdisjoint((list, type(None)))
            and all(map(_is_metadata, value))
        )
    return True


def _encode(data_type: DataType) -> Any:
    if isinstance(data_type, PrimitiveType):
        return data_type.name
    if isinstance(data_type, ArrayType):
        return {
            "type": "array",
            "elementType": _encode(data_type.element),
            "containsNull": data_type.contains_null,
        }
    if isinstance(data_type, MapType):
        return {
            "type": "map",
            "keyType": _encode(data_type.key),
            "valueType": _encode(data_type.value),
            "valueContainsNull": data_type.value_contains_null,
        }
    fields = [
        {
            "name": column.name,
            "type": _encode(column.type),
            "nullable": column.nullable,
            "metadata": dict(column.metadata),
        }
        for column in data_type.fields
    ]
    return {"type": "struct", "fields": fields}


def type_name(data_type: DataType) -> str:
    """The type without the fields inside it, which have subjects of their own."""
    if isinstance(data_type, StructType):
        return "struct"
    if isinstance(data_type, ArrayType):
        null = "" if data_type.contains_null else " not null"
        return f"array<{type_name(data_type.element)}{null}>"
    if isinstance(data_type, MapType):
        null = "" if data_type.value_contains_null else " not null"
        return f"map<{type_name(data_type.key)},{type_name(data_type.value)}{null}>"
    return data_type.name
