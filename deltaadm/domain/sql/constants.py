"""Constants in SQL of which it is certain, without Spark, that a column can have them."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.schema import PrimitiveType

if TYPE_CHECKING:
    from deltaadm.domain.model.schema import DataType

_BITS: Final = {"byte": 8, "short": 16, "integer": 32, "long": 64}
_NUMBER: Final = r"[-+]?(\d+)(?:\.(\d+))?"


def is_constant_of(data_type: DataType, text: str) -> bool:
    """
    Whether *text* is certainly a constant that a column of *data_type* can have.

    >>> [is_constant_of(PrimitiveType("byte"), text) for text in ("-128", "128", "1+1", "null")]
    [True, False, False, True]
    >>> [is_constant_of(PrimitiveType(name), "'it''s'") for name in ("string", "date")]
    [True, False]
    """
    if text.upper() == "NULL":
        return True
    if not isinstance(data_type, PrimitiveType):
        return False
    name = data_type.name
    if name == "boolean":
        return text.upper() in {"TRUE", "FALSE"}
    if name == "string":
        return re.fullmatch(r"'(?:[^'\\]|'')*'", text) is not None
    if name == "date":
        return _is_date(text)
    number = re.fullmatch(_NUMBER, text, re.ASCII)
    return number is not None and _fits(name, text, *number.groups())


def _is_date(text: str) -> bool:
    found = re.fullmatch(r"DATE\s*'(\d{4}-\d\d-\d\d)'", text, re.IGNORECASE | re.ASCII)
    try:
        return found is not None and bool(date.fromisoformat(found[1]))
    except ValueError:
        return False


def _fits(name: str, text: str, whole: str, fraction: str | None) -> bool:
    if name in _BITS:
        most = 1 << (_BITS[name] - 1)
        return fraction is None and -most <= int(text) < most
    if name in {"float", "double"}:
        return len(whole) + len(fraction or "") <= _EXACT
    decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", name)
    if decimal is None:
        return False
    precision, scale = int(decimal[1]), int(decimal[2])
    return len(whole) <= precision - scale and len(fraction or "") <= scale


_EXACT: Final = 9
"""Digits of a number of which a float has a value, whatever is before and after the point."""
