"""Thrift's compact protocol, of which the headers and footers of Parquet files are made."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    Struct = dict[int, Any]

_LONGEST: Final = 63
"""Bits of a number before its last byte, at most."""


def variable(body: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    number = shift = 0
    while True:
        byte = body[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 -- the last byte of it
            return number, at
        shift += 7
        # Python's integers have no end, so a damaged file could fill the memory with one.
        if shift > _LONGEST:
            raise ValueError("a number that does not end")


def _too_large(most: int) -> ValueError:
    return ValueError(f"values that take more than {most:,} bytes in memory")


class Budget:
    """The bytes of memory that values may still take, and the error for more than that."""

    def __init__(self, most: int, error: Callable[[int], Exception] = _too_large) -> None:
        self._most = self._left = most
        self._error = error

    def spend(self, size: int) -> None:
        """Raise the error where another *size* bytes are too many."""
        self._left -= size
        if self._left < 0:
            raise self._error(self._most)


_STRUCT: Final = 240
_FIELD: Final = 48
_LIST: Final = 64
_ITEM: Final = 48
"""About what a struct, a field of it, a list and an item of it take in memory, in bytes."""
_HEADER: Final = 1 << 20


def struct_at(body: bytes, at: int, budget: Budget | None = None) -> tuple[Struct, int]:
    """
    The struct that begins at *at*, by field number, and where it ends.

    Its values may take the memory of *budget*; what is not said is enough for the header of a page.
    """
    budget = budget or Budget(_HEADER)
    struct: Struct = {}
    field = 0
    while head := body[at]:
        at += 1
        if head >> 4:
            field += head >> 4
        else:
            number, at = variable(body, at)
            field = number >> 1 ^ -(number & 1)
        struct[field], at = _value(body, at, head & 15, budget)
    budget.spend(_STRUCT + _FIELD * len(struct))
    return struct, at + 1


def _value(body: bytes, at: int, kind: int, budget: Budget) -> tuple[Any, int]:
    if 4 <= kind <= 6:  # noqa: PLR2004 -- here and below Thrift's numbers: integers
        number = body[at]
        at += 1
        if number >= 0x80:  # noqa: PLR2004 -- more bytes follow
            number, at = variable(body, at - 1)
        return number >> 1 ^ -(number & 1), at
    if kind == 8:  # noqa: PLR2004
        length = body[at]
        at += 1
        if length >= 0x80:  # noqa: PLR2004 -- more bytes follow
            length, at = variable(body, at - 1)
        # A slice would be shorter without an error.
        if at + length > len(body):
            raise ValueError("a text that is cut off")
        return body[at : at + length], at + length
    if kind == 12:  # noqa: PLR2004
        return struct_at(body, at, budget)
    if kind in {9, 10}:
        return _list(body, at, budget)
    if kind in {1, 2}:
        return kind == 1, at
    if kind in {3, 7}:
        size = 1 if kind == 3 else 8  # noqa: PLR2004
        return body[at : at + size], at + size
    raise ValueError("an unknown type")


def _list(body: bytes, at: int, budget: Budget) -> tuple[list[Any], int]:
    count, kind = body[at] >> 4, body[at] & 15
    at += 1
    if count == 15:  # noqa: PLR2004 -- the number follows
        count, at = variable(body, at)
    # Before the items are made: the count in a damaged file may be anything.
    budget.spend(_LIST + _ITEM * count)
    if kind in {1, 2}:
        return [byte == 1 for byte in body[at : at + count]], at + count
    values = []
    for _ in range(count):
        value, at = _value(body, at, kind, budget)
        values.append(value)
    return values, at
