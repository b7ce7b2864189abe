"""
The footer of a Parquet file, read and checked without pyarrow.

pyarrow ends the whole process over some numbers that contradict each other, so none of its
readers sees a file before its footer has been checked here.
"""

from __future__ import annotations

import struct
import zlib

from deltaadm.dataclass import dataclass
from deltaadm.limits import LIMITS
from deltaadm.replay.thrift import Budget, struct_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO, Final

    from deltaadm.limits import Limits
    from deltaadm.replay.thrift import Struct

_MAGIC: Final = b"PAR1"
_TAIL: Final = 1 << 16

_OPTIONAL, _REPEATED = 1, 2

DAMAGE: Final = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    StopIteration,
    struct.error,
    zlib.error,
)
"""Exceptions raised by unexpected bytes; each has been seen with some damaged file."""


class DamagedFooter(Exception):  # noqa: N818 -- reads as what it is
    """The file is no Parquet file, or its footer contradicts itself."""


@dataclass(slots=True)
class Field:
    """A field of the schema; `optional` and `repeated` as the file says."""

    name: str
    path: tuple[str, ...]
    element: Struct
    in_repeated: bool
    """Whether a row may have several values, because of it or of a field that it is in."""
    children: list[Field]

    @property
    def optional(self) -> bool:
        """Whether a value may be null."""
        return self.element.get(3) == _OPTIONAL

    @property
    def repeated(self) -> bool:
        """Whether there may be several values."""
        return self.element.get(3) == _REPEATED

    def child(self, name: str) -> Field | None:
        """The field called *name* in this one."""
        return next((child for child in self.children if child.name == name), None)

    def leaves(self) -> Iterator[Field]:
        """The fields with values of their own, in the order of their chunks."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()

    def names(self) -> Iterator[str]:
        """Its own path and those of the structs and values in it, parts joined by dots."""
        yield ".".join(self.path)
        if not self.element.get(6) and 10 not in self.element:  # noqa: PLR2004 -- annotations
            for child in self.children:
                yield from child.names()


@dataclass(frozen=True, slots=True)
class Footer:
    """A footer without contradictions: `columns` by name, and `groups` as the file has them."""

    columns: Mapping[str, Field]
    groups: Sequence[Struct]
    rows: int

    def names(self) -> frozenset[str]:
        """The names of all columns, nested ones with dots."""
        return frozenset(name for column in self.columns.values() for name in column.names())

    def repetition(self, chunk: Struct) -> int:
        """The highest repetition level in *chunk*: how many lists and maps its values are in."""
        first, *rest = (part.decode() for part in chunk[3])
        fields = [self.columns[first]]
        for name in rest:
            fields.append(next(child for child in fields[-1].children if child.name == name))
        return sum(field.repeated for field in fields)

    def groups_with(self, names: Sequence[str]) -> list[int]:
        """The row groups that, by their statistics, may hold a value in one of these columns."""
        paths = [tuple(name.split(".")) for name in names]
        return [
            index
            for index, group in enumerate(self.groups)
            if any(may_hold_any(group, path) for path in paths)
        ]


def chunks(group: Struct, path: tuple[str, ...]) -> Iterator[Struct]:
    """The chunks of *group* for the columns at *path* and below it."""
    wanted = [part.encode() for part in path]
    depth = len(wanted)
    return (chunk[3] for chunk in group[1] if chunk[3][3][:depth] == wanted)


def may_hold_any(group: Struct, path: tuple[str, ...]) -> bool:
    """Whether, by its statistics, *group* may hold a value in the column at *path*."""
    return any(map(may_hold, chunks(group, path)))


def may_hold(chunk: Struct) -> bool:
    """Whether a chunk may have other values than nulls."""
    return bool(null_count(chunk) != chunk[5])


def null_count(chunk: Struct) -> int | None:
    """The number of nulls in a chunk, if it is known and can be."""
    count = chunk.get(12, {}).get(3)
    return count if count is not None and 0 <= count <= chunk[5] else None


def first_page(chunk: Struct) -> int:
    """The offset of the first page of a chunk."""
    first: int = chunk.get(11) or chunk[9]
    second: int = chunk[9]
    # As Arrow does: a dictionary that is said to be at 0 or behind the data does not count.
    return min(first, second)


def read_footer(source: BinaryIO, limits: Limits = LIMITS) -> Footer:
    """
    The footer of *source*, within *limits*.

    Raises `DamagedFooter`, and whatever *source* raises.
    """
    body, end = _footer_bytes(source, limits.footer)
    try:
        document = struct_at(body, 0, Budget(limits.state))[0]
        columns = _columns(document[2])
        _check(document, [leaf for column in columns.values() for leaf in column.leaves()], end)
        return Footer(columns, document[4], document[3])
    except DAMAGE as error:
        raise DamagedFooter(f"its footer is damaged: {error}") from error


def _footer_bytes(source: BinaryIO, most: int) -> tuple[bytes, int]:
    """The bytes of the footer, and where it begins."""
    size = source.seek(0, 2)
    # One read for the length and, unless it is long, the footer as well.
    source.seek(max(0, size - _TAIL))
    tail = source.read()
    if size < 12 or tail[-4:] != _MAGIC:  # noqa: PLR2004 -- two magics and a length
        raise DamagedFooter("it is not a Parquet file, or is truncated")
    length = int.from_bytes(tail[-8:-4], "little")
    if length > min(size - 12, most):
        raise DamagedFooter(f"it has a footer of {length} bytes")
    if length + 8 > len(tail):
        source.seek(size - length - 8)
        tail = source.read(length + 8)
    return tail[-8 - length : -8], size - length - 8


def _columns(elements: Sequence[Struct]) -> dict[str, Field]:
    """The columns by name, from the list of all fields in which children follow their parent."""
    rest = iter(elements)

    def field(path: tuple[str, ...], *, repeated: bool) -> Field:
        element = next(rest)
        name = element[4].decode()
        repeated = repeated or element.get(3) == _REPEATED
        inner = children((*path, name), element.get(5, 0), repeated=repeated)
        return Field(name, (*path, name), element, repeated, inner)

    def children(path: tuple[str, ...], count: int, *, repeated: bool) -> list[Field]:
        fields = [field(path, repeated=repeated) for _ in range(count)]
        if len({child.name for child in fields}) != len(fields):
            raise ValueError("two of its columns have the same name")
        return fields

    root = next(rest)
    columns = children((), root.get(5, 0), repeated=False)
    if next(rest, None) is not None:
        raise ValueError("its schema has too many fields")
    return {child.name: child for child in columns}


# Whether its numbers fit together


def _check(document: Struct, leaves: Sequence[Field], end: int) -> None:
    """Raise `ValueError` for what contradicts itself; the pages of the file end before *end*."""
    for group in document[4]:
        if len(group[1]) != len(leaves):
            raise ValueError("a row group lacks some columns")
        for chunk, leaf in zip(group[1], leaves, strict=True):
            cause = _contradiction(chunk[3], leaf, group[3], end)
            if cause:
                raise ValueError(f"{cause} in {'.'.join(leaf.path)}")
    if sum(group[3] for group in document[4]) != document[3]:
        raise ValueError("its row groups do not have the number of rows that it states")


def _contradiction(chunk: Struct, leaf: Field, rows: int, end: int) -> str:
    """The fault of the chunk of *leaf* in a row group of *rows* rows; empty if there is none."""
    if chunk[1] != leaf.element[1]:
        return "two types"
    if [part.decode() for part in chunk[3]] != list(leaf.path):
        return "two names"
    values: int = chunk[5]
    if values < rows or (values != rows and not leaf.in_repeated):
        return f"{values} values for {rows} rows"
    first, length = first_page(chunk), chunk[7]
    if values and not (len(_MAGIC) <= first <= first + length <= end):
        return "pages outside the file"
    return ""
