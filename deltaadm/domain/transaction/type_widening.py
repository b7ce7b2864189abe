"""
Type widening: which changes there are, and the record of them in the schema.

Source: PROTOCOL.md, Type Widening; Delta Spark's `TypeWidening.scala`, which also takes
decimals as narrow as the integers that they come from allow.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.schema import PrimitiveType, slots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import DataType, StructField

TYPE_CHANGES: Final = "delta.typeChanges"

_INTEGERS: Final = ("byte", "short", "integer", "long")
# Spark's `DecimalType.forType`, where a long has 20 digits.
_DIGITS: Final = {"byte": 3, "short": 5, "integer": 10, "long": 20}
_OTHERS: Final = frozenset(
    {
        ("float", "double"),
        ("byte", "double"),
        ("short", "double"),
        ("integer", "double"),
        ("date", "timestamp_ntz"),
    }
)
_DECIMAL: Final = re.compile(r"decimal\((\d{1,4}),(\d{1,4})\)")


def is_widening(old: str, new: str) -> bool:
    """
    Whether values of type *old* can be read as *new*.

    >>> is_widening("byte", "long"), is_widening("long", "byte"), is_widening("date", "string")
    (True, False, False)
    """
    if old in _INTEGERS and new in _INTEGERS:
        return _INTEGERS.index(old) < _INTEGERS.index(new)
    before, after = _DECIMAL.fullmatch(old), _DECIMAL.fullmatch(new)
    if after:
        whole, scale = int(after[1]) - int(after[2]), int(after[2])
        if before:
            return whole >= int(before[1]) - int(before[2]) and scale >= int(before[2])
        return old in _DIGITS and whole >= _DIGITS[old]
    return (old, new) in _OTHERS


def can_be_altered(old: str, new: str) -> bool:
    """
    Whether Delta Spark widens *old* to *new*: only to decimals that Parquet's readers can make.

    >>> can_be_altered("byte", "decimal(10,0)"), can_be_altered("byte", "decimal(3,0)")
    (True, False)
    """
    after = _DECIMAL.fullmatch(new)
    if after and old in _DIGITS:
        # Parquet stores bytes and shorts as INT32, which Spark reads as DECIMAL(10,0) or wider.
        return int(after[1]) - int(after[2]) >= max(_DIGITS[old], _DIGITS["integer"])
    return is_widening(old, new)


def is_up_cast(old: str, new: str) -> bool:
    """
    Whether Spark casts *old* to *new* without asking (`Cast.canUpCast`), which says nothing about
    what Delta can do with it.

    >>> is_up_cast("integer", "string"), is_up_cast("string", "integer")
    (True, False)
    """
    before, after = _DECIMAL.fullmatch(old), _DECIMAL.fullmatch(new)
    if before and new in _DIGITS:
        return before[2] == "0" and int(before[1]) < _DIGITS[new]
    if new == "string":
        return old not in ("variant", "void") and not old.startswith("geo")
    if old in _NUMBERS and new in _NUMBERS:
        return _NUMBERS.index(old) <= _NUMBERS.index(new)
    wider_decimal = after is not None and is_widening(old, new)
    return old in (new, "void") or wider_decimal or (old, new) in _TIMES


_NUMBERS: Final = (*_INTEGERS, "float", "double")
_TIMES: Final = frozenset(
    {
        ("date", "timestamp"),
        ("date", "timestamp_ntz"),
        ("timestamp", "timestamp_ntz"),
        ("timestamp_ntz", "timestamp"),
        ("timestamp", "long"),
        ("long", "timestamp"),
    }
)


def type_changes(field: StructField) -> Iterator[tuple[str, str, str]]:
    """
    The recorded changes of a field: path within its type (`element.key`), old type, new type.

    An entry that is no such record has empty types.
    """
    recorded = field.metadata.get(TYPE_CHANGES)
    for entry in recorded if isinstance(recorded, list) else ():
        document = entry if isinstance(entry, dict) else {}
        path, old, new = (_text(document.get(k)) for k in ("fieldPath", "fromType", "toType"))
        yield path, old, new


def record_flaws(field: StructField) -> Iterator[str]:
    """Return how the recorded type changes of a field contradict each other or its type."""
    if not isinstance(field.metadata.get(TYPE_CHANGES, []), list):
        yield "it is not a list"
    reached: dict[str, str] = {}
    for path, old, new in type_changes(field):
        if not old or not new:
            yield "it has an entry without fromType and toType"
            continue
        if reached.get(path, old) != old:
            yield f"it changes to {reached[path]} but continues from {old}"
        reached[path] = new
    for path, last in reached.items():
        data_type = _type_at(field.type, path)
        if data_type is None:
            yield f"it names {path!r}, which the column does not have"
        elif not isinstance(data_type, PrimitiveType) or data_type.name != last:
            yield f"it ends with {last}, which is not the column's type"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _type_at(data_type: DataType, path: str) -> DataType | None:
    inner: DataType | None = data_type
    for step in path.split(".") if path else ():
        inner = None if inner is None else dict(slots(inner)).get(step)
    return inner
