"""Partition values: texts in `add.partitionValues` (PROTOCOL.md, Partition Value Serialization)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_BITS: Final = {"byte": 7, "short": 15, "integer": 31, "long": 63}
_WHOLE: Final = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_DATE: Final = r"[+-]?\d{4,7}(-\d{1,2}(-\d{1,2})?)?"
_ONLY_DATE: Final = re.compile(_DATE, re.ASCII)
_TIMESTAMP: Final = re.compile(
    _DATE + r"([ T]\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{0,9})?)?(?P<zone>.*))?", re.ASCII
)
_ZONE: Final = re.compile(r"\s*(Z|UTC|GMT|UT|[A-Za-z_/+-]{2,40}|(UTC|GMT|UT)?[+-]\d{1,2}(:?\d\d)*)")
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,5})?[dDfF]?", re.ASCII)
_FLOATS: Final = frozenset({"nan", "infinity", "inf", "+infinity", "+inf", "-infinity", "-inf"})
_DECIMAL: Final = re.compile(r"decimal\((\d{1,2}),\s*(\d{1,2})\)")


@lru_cache(maxsize=1 << 14)
def is_partition_value(text: str, type_name: str) -> bool:
    """
    Whether *text*, which is not empty, can be read as a value of a type.

    As lenient as Delta Spark, which casts the text, except that true and false are the only
    booleans, since other readers take `yes` for false. A type that no partition column can have,
    or that nobody knows, accepts anything.

    >>> is_partition_value("300", "byte"), is_partition_value("2020-1-1", "date")
    (False, True)
    """
    check = _CHECKS.get(type_name.partition("(")[0])
    return check is None or check(text.strip(), type_name)


def _whole(text: str, type_name: str) -> bool:
    bound = 1 << _BITS[type_name]
    return bool(_WHOLE.fullmatch(text)) and -bound <= int(text) < bound


def _float(text: str, _type_name: str) -> bool:
    return bool(_NUMBER.fullmatch(text)) or text.lower() in _FLOATS


def _decimal(text: str, type_name: str) -> bool:
    from decimal import Decimal, InvalidOperation  # which few tables need

    shape = _DECIMAL.fullmatch(type_name)
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    if not number.is_finite():
        return False
    return shape is None or number.is_zero() or number.adjusted() < int(shape[1]) - int(shape[2])


def _boolean(text: str, _type_name: str) -> bool:
    return text.lower() in ("true", "false")


def _date(text: str, _type_name: str) -> bool:
    date = re.split("[ T]", text, maxsplit=1)[0]
    return bool(_ONLY_DATE.fullmatch(date)) and _is_on_calendar(date)


def _timestamp(text: str, _type_name: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    if match is None or not _is_on_calendar(re.split("[ T]", text, maxsplit=1)[0]):
        return False
    return not match["zone"] or bool(_ZONE.fullmatch(match["zone"]))


_LAST_DAYS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _is_on_calendar(date: str) -> bool:
    month, day = (*(int(part) for part in date.lstrip("+-").split("-")[1:]), 1, 1)[:2]
    return 1 <= month <= len(_LAST_DAYS) and 1 <= day <= _LAST_DAYS[month - 1]


_CHECKS: Final[dict[str, Callable[[str, str], bool]]] = {
    **dict.fromkeys(_BITS, _whole),
    "float": _float,
    "double": _float,
    "decimal": _decimal,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _timestamp,
}
