"""
How actions are written as JSON: one table of entries per action.

Reading must never lose what a log says, however odd: whatever the typed fields cannot express
(unknown keys, explicit nulls, values of a wrong type, lists with duplicates) is kept beside
them in `extra`, and writing puts it back.
"""

from __future__ import annotations

import json
from functools import cache

from deltaadm.dataclass import dataclass, field
from deltaadm.domain.model.schema import (
    ArrayType,
    DataType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, ClassVar, Final, Self


ACTION_NAMES: Final = (
    "add",
    "remove",
    "metaData",
    "txn",
    "protocol",
    "cdc",
    "commitInfo",
    "domainMetadata",
    "checkpointMetadata",
    "sidecar",
)
"""The keys of a log line; of several in one line Delta takes the first in this order."""


@dataclass(frozen=True)
class Codec:
    """A wire type: its type in the log schema, and a reader that answers None for other JSON."""

    type: DataType
    read: Callable[[Any], Any]


@dataclass(frozen=True)
class Entry:
    """One key of an action's JSON object and the attribute that holds it."""

    key: str
    attribute: str
    codec: Codec


class _Absent:
    """Marks, within `extra`, a key that the typed fields would write but the log left out."""

    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """The base of all actions: their entries, read from and written to a JSON object."""

    ENTRIES: ClassVar[tuple[Entry, ...]] = ()

    extra: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def from_wire(cls, document: Mapping[str, Any]) -> Self:
        """The value that *document* says; see the module for what becomes of oddities."""
        values: dict[str, Any] = {}
        odd = len(document)
        for entry in cls.ENTRIES:
            raw = document.get(entry.key)
            value = None if raw is None else entry.codec.read(raw)
            if value is not None:
                values[entry.attribute] = value
                odd -= value is raw or _same(_write(value), raw)
        plain = cls(**values)
        if not odd and values.keys() >= _given(cls):  # type: ignore[arg-type]  # every type can be hashed
            return plain
        written = plain.to_wire()
        extra: dict[str, Any] = {
            key: raw
            for key, raw in document.items()
            if key not in written or not _same(written[key], raw)
        }
        extra |= {key: ABSENT for key in written if key not in document}
        return cls(**values, extra=extra) if extra else plain

    def to_wire(self) -> dict[str, Any]:
        """The JSON object: Delta's key names and order; None is left out."""
        written = {}
        for entry in self.ENTRIES:
            value = getattr(self, entry.attribute)
            if value is not None:
                written[entry.key] = _write(value)
        for key, raw in self._log_spellings():
            if raw is ABSENT:
                written.pop(key, None)
            else:
                written[key] = raw
        return written

    def _log_spellings(self) -> Iterator[tuple[str, Any]]:
        """The entries of `extra`, but for those whose field has changed since they were read."""
        if not self.extra:
            return
        entries = {entry.key: entry for entry in self.ENTRIES}
        defaults = type(self)()
        for key, raw in self.extra.items():
            if key in entries:
                attribute = entries[key].attribute
                read = None if raw is None or raw is ABSENT else entries[key].codec.read(raw)
                value = getattr(defaults, attribute) if read is None else read
                if getattr(self, attribute) != value:
                    continue
            yield key, raw

    @property
    def is_odd(self) -> bool:
        """Whether the log says something in it that its fields cannot express."""
        values = map(self.__getattribute__, (entry.attribute for entry in self.ENTRIES))
        return bool(self.extra) or any(isinstance(value, Wire) and value.is_odd for value in values)

    @property
    def unknown_keys(self) -> frozenset[str]:
        """Keys of the log's JSON object that this version does not know."""
        return frozenset(self.extra) - {entry.key for entry in self.ENTRIES}

    @classmethod
    def log_type(cls) -> StructType:
        """The action's struct in the log schema; fields with a number as default are not null."""
        plain = cls()
        return StructType(
            tuple(
                StructField(
                    entry.key,
                    entry.codec.type,
                    nullable=not isinstance(getattr(plain, entry.attribute), int),
                )
                for entry in cls.ENTRIES
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Loggable(Wire):
    """A struct that can be a line of the log, under its `NAME`."""

    NAME: ClassVar[str]

    def wrap(self) -> dict[str, Any]:
        """The line's JSON object (Delta's `Action.wrap`)."""
        return {self.NAME: self.to_wire()}

    def to_json(self) -> str:
        """The line as Delta writes it, without a line break (Delta's `Action.json`)."""
        return json.dumps(self.wrap(), ensure_ascii=False, separators=(",", ":"))


@cache
def _given(kind: type[Wire]) -> frozenset[str]:
    """The attributes that are written even where the log has said nothing of them."""
    plain = kind()
    attributes = [entry.attribute for entry in kind.ENTRIES]
    return frozenset(name for name in attributes if getattr(plain, name) is not None)


def _write(value: Any) -> Any:
    if isinstance(value, Wire):
        return value.to_wire()
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, dict) else value


def _same(left: Any, right: Any) -> bool:
    """Equality of JSON as it is written: true is not 1, and the order of keys counts."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return [*left] == [*right] and _same([*left.values()], [*right.values()])
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


def _text(raw: Any) -> str:
    # What is not a string is read as its JSON text, as Delta's reader does.
    if isinstance(raw, str):
        return raw
    return json.dumps(raw, ensure_ascii=False, separators=(",", ":"))


def integer(value: Any) -> int | None:
    """*value* where it is a whole number, which true and false are not."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _boolean(raw: Any) -> bool | None:
    return raw if isinstance(raw, bool) else None


def _text_list(raw: Any) -> tuple[str, ...] | None:
    return tuple(item for item in raw if isinstance(item, str)) if isinstance(raw, list) else None


def _name_set(raw: Any) -> frozenset[str] | None:
    names = _text_list(raw)
    return None if names is None else frozenset(names)


def _text_map(raw: Any) -> dict[str, str | None] | None:
    if not isinstance(raw, dict):
        return None
    return {key: None if value is None else _text(value) for key, value in raw.items()}


def _settings(raw: Any) -> dict[str, str] | None:
    """A map of strings in which a null value counts as no entry."""
    values = _text_map(raw)
    return (
        None
        if values is None
        else {key: value for key, value in values.items() if value is not None}
    )


def _object(raw: Any) -> dict[str, Any] | None:
    return dict(raw) if isinstance(raw, dict) else None


_STRING = PrimitiveType("string")
TEXT: Final = Codec(_STRING, _text)
INTEGER: Final = Codec(PrimitiveType("integer"), integer)
LONG: Final = Codec(PrimitiveType("long"), integer)
BOOLEAN: Final = Codec(PrimitiveType("boolean"), _boolean)
TEXT_LIST: Final = Codec(ArrayType(_STRING), _text_list)
NAME_SET: Final = Codec(ArrayType(_STRING), _name_set)
TEXT_MAP: Final = Codec(MapType(_STRING, _STRING), _text_map)
SETTINGS: Final = Codec(MapType(_STRING, _STRING), _settings)
OBJECT: Final = Codec(MapType(_STRING, _STRING), _object)
TIMESTAMP: Final = Codec(PrimitiveType("timestamp"), integer)
"""Milliseconds in JSON, a timestamp in the log schema."""


_JSON: Final[Mapping[str, type]] = {
    "string": str, "integer": int, "long": int, "boolean": bool, "timestamp": int,
}  # fmt: skip


def json_type(data_type: DataType) -> type:
    """The Python type of the JSON that a field of the log schema holds."""
    if isinstance(data_type, PrimitiveType):
        return _JSON[data_type.name]
    return list if isinstance(data_type, ArrayType) else dict


def texts(*keys: str) -> Codec:
    """The codec of a struct of strings that nobody looks into."""
    return Codec(StructType(tuple(StructField(key, _STRING) for key in keys)), _object)


def nested(kind: type[Wire]) -> Codec:
    """The codec of a struct inside an action."""

    def read(raw: Any) -> Wire | None:
        return kind.from_wire(raw) if isinstance(raw, dict) else None

    return Codec(kind.log_type(), read)
