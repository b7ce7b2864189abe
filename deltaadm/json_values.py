"""Values as JSON, each declared once: how it is written and read back, and its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from operator import attrgetter

from deltaadm.dataclass import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

Schema = dict[str, "Any"]


def compact(value: Any) -> str:
    """*value* as JSON text without spaces, as Delta writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# What reads a value raises `TypeError` or `ValueError` for one that is not of the type.


def text(value: Any) -> str:
    """*value*, a string; raises `TypeError`."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def place(value: Any) -> str:
    """*value*, which can be the name of a file or a table; raises `TypeError` or `ValueError`."""
    named = text(value)
    if not named or "\0" in named:
        raise ValueError(value)
    named.encode("utf-8", "surrogateescape")
    return named


def elements(value: Any) -> list[Any]:
    """*value*, an array; raises `TypeError`."""
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def texts(value: Any) -> tuple[str, ...]:
    """*value*, an array of strings; raises `TypeError`."""
    return tuple(map(text, elements(value)))


def text_map(value: Any) -> dict[str, str]:
    """*value*, an object whose values are strings; raises `TypeError`."""
    if not isinstance(value, dict):
        raise TypeError(value)
    return {text(key): text(item) for key, item in value.items()}


def flag(value: Any) -> bool:
    """*value*, true or false; raises `TypeError`."""
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def version_number(value: Any) -> int:
    """*value*, a version of a table, -1 before there is one; raises `TypeError` or `ValueError`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(value)
    if not -1 <= value < 2**63:
        raise ValueError(value)
    return value


def integer(value: Any) -> int | None:
    """*value* where it is a whole number, which true and false are not."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# Types


def _identity(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Json:
    """
    A type of values: how they are written and read back, and their schema.

    What is made of other types makes its schema when it is asked for, which writing never does.
    """

    described: Schema | Callable[[], Schema]
    write: Callable[[Any], Any] = _identity
    read: Callable[[Any], Any] = _identity

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the values."""
        described = self.described
        return described() if callable(described) else described


Values = Json | type["Any"]
"""A type of values; Python's own ones for strings, integers and booleans."""
Field = Values | tuple[Values, "Callable[[Any], Any]"]
"""A part of an object: of the attribute that has its name, or of what a function gives."""
Fields = Mapping[str, Field]

STRING: Final = Json({"type": "string"}, read=text)
INTEGER: Final = Json({"type": "integer"})
COUNT: Final = Json({"type": "integer", "minimum": 0})
BOOLEAN: Final = Json({"type": "boolean"}, read=flag)
OPEN: Final = Json({"type": "object"})
ANY: Final = Json({})


def _json(values: Values) -> Json:
    return values if isinstance(values, Json) else _PLAIN[values]


_PLAIN: Final[Mapping[type, Json]] = {str: STRING, int: INTEGER, bool: BOOLEAN}


def array(values: Values) -> Json:
    """An array, whatever kind of collection it is written from."""
    items = _json(values)
    write = items.write
    return Json(
        lambda: {"type": "array", "items": items.schema},
        list if write is _identity else lambda values: [write(value) for value in values],
        lambda values: tuple(map(items.read, elements(values))),
    )


STRINGS: Final = array(STRING)


def shared(json: Json) -> Json:
    """An object that many values share: it is written once and the result is reused."""
    return Json(lambda: json.schema, lambda value: _written(json.write, Same(value)))


class Same:
    """A value as a key, which only the same object equals."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


class Shared(list["Any"]):
    """An array that is in many documents."""

    __slots__ = ()


@lru_cache(maxsize=256)
def _written(write: Callable[[Any], list[Any]], value: Same) -> Shared:
    return Shared(write(value.value))


def mapping(values: Values) -> Json:
    """An object whose keys are data; one with strings can be read."""
    items = _json(values)
    return Json(lambda: {"type": "object", "additionalProperties": items.schema}, dict, text_map)


def maybe(values: Values) -> Json:
    """A value, or null for None."""
    value = _json(values)
    write = value.write
    return Json(
        lambda: {"anyOf": [value.schema, {"type": "null"}]},
        lambda given: None if given is None else write(given),
        lambda given: None if given is None else value.read(given),
    )


def one_of(*values: str | type[Enum]) -> Json:
    """A string out of a fixed set; enumeration members are written as their values."""
    words = [
        word
        for value in values
        for word in ([value] if isinstance(value, str) else [member.value for member in value])
    ]
    return Json({"enum": words}, lambda value: value if isinstance(value, str) else value.value)


def name_of(members: type[Enum]) -> Json:
    """A member of an enumeration, by its name in lower case."""
    names = [member.name.lower() for member in members]
    return Json({"enum": names}, lambda member: member.name.lower())


def constant(value: object) -> Field:
    """A part that always is *value*."""
    return Json({"const": value}), lambda _: value


def within(attribute: str, fields: Fields) -> Fields:
    """The same *fields*, of an attribute of the value."""
    outer = attrgetter(attribute)

    def inside(name: str, field: Field) -> Field:
        json, inner = field if isinstance(field, tuple) else (field, attrgetter(name))
        return json, lambda value: inner(outer(value))

    return {name: inside(name, field) for name, field in fields.items()}


def record(optional: tuple[str, ...] = (), /, **fields: Field) -> Json:
    """
    An object with *fields*.

    All that is promised is required, except *optional* ones, which something else writes. More is
    not forbidden: fields may be added at any time. Read back, it is a mapping.
    """
    parts = {}
    for name, field in fields.items():
        of, value_of = field if isinstance(field, tuple) else (field, attrgetter(name))
        parts[name] = _json(of), value_of

    def schema() -> Schema:
        return {
            "type": "object",
            "properties": {name: json.schema for name, (json, _) in parts.items()},
            "required": [name for name in parts if name not in optional],
        }

    writers = tuple((name, json.write, value_of) for name, (json, value_of) in parts.items())

    def write(value: Any) -> dict[str, Any]:
        return {
            name: value_of(value) if write is _identity else write(value_of(value))
            for name, write, value_of in writers
        }

    def read(document: Any) -> dict[str, Any]:
        return {name: json.read(document[name]) for name, (json, _) in parts.items()}

    return Json(schema, write, read)
