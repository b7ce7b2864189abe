"""
Reading the few rows of a Parquet file in which some columns are not null, without pyarrow.

Protocol and metadata are two rows of a checkpoint, and importing pyarrow takes longer than
reading them. What checkpoints are usually made of is understood here: strings, numbers and flags
in structs, and in lists and maps there, plain or in dictionaries, uncompressed or in Snappy.
Anything else, damage included, is `UnsupportedFileError` and left to pyarrow.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from deltaadm.dataclass import dataclass
from deltaadm.limits import LIMITS, Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO, Final

    Struct = dict[int, Any]
    Entry = tuple[int, int, Any]
    Named = tuple[str, dict[str, Any]]


# Thrift


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


class Budget:
    """The bytes of memory that values may still take."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most

    def spend(self, size: int) -> None:
        """Raise `ValueError` where another *size* bytes are too many."""
        self._left -= size
        if self._left < 0:
            raise ValueError(f"values that take more than {self._most:,} bytes in memory")


def struct_at(body: bytes, at: int, budget: Budget | None = None) -> tuple[Struct, int]:
    """
    The struct that begins at *at*, by field number, and where it ends.

    Its values may take the memory of *budget*; what is not said is enough for the header of a page.
    """
    budget = budget or Budget(1 << 20)
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
    budget.spend(240 + 48 * len(struct))  # about what it and each of its fields take in memory
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
    budget.spend(64 + 48 * count)
    if kind in {1, 2}:
        return [byte == 1 for byte in body[at : at + count]], at + count
    values = []
    for _ in range(count):
        value, at = _value(body, at, kind, budget)
        values.append(value)
    return values, at


# The footer


_MAGIC: Final = b"PAR1"

_OPTIONAL, _REPEATED = 1, 2

DAMAGE: Final = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError,
    MemoryError, StopIteration, struct.error, zlib.error,
)  # fmt: skip
"""Exceptions raised by unexpected bytes; each has been seen with some damaged file."""


class DamagedFooterError(Exception):
    """The file is no Parquet file, or its footer contradicts itself."""


@dataclass(slots=True)
class Field:
    """A field of the schema; `optional` and `repeated` as the file says."""

    name: str
    path: tuple[str, ...]
    element: Struct
    levels: tuple[int, int]
    """The highest repetition and definition level; a row has one value if the first is 0."""
    children: list[Field]

    @property
    def optional(self) -> bool:
        return self.element.get(3) == _OPTIONAL

    @property
    def repeated(self) -> bool:
        return self.element.get(3) == _REPEATED

    def child(self, name: str) -> Field | None:
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
    """
    A footer without contradictions: `columns` by name, and `groups` as the file has them.

    `writer` is the program that calls itself the file's.
    """

    columns: Mapping[str, Field]
    groups: Sequence[Struct]
    rows: int
    writer: str = ""

    def names(self) -> frozenset[str]:
        """The names of all columns, nested ones with dots."""
        return frozenset(name for column in self.columns.values() for name in column.names())

    def groups_with(self, name: str) -> list[int]:
        """The row groups that, by their statistics, may hold a value in the column."""
        return [index for index, group in enumerate(self.groups) if may_hold_any(group, (name,))]


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

    Raises `DamagedFooterError`, and whatever *source* raises.
    """
    size = source.seek(0, 2)
    # One read for the length and, unless it is long, the footer as well.
    source.seek(max(0, size - (1 << 16)))
    tail = source.read()
    if size < 12 or tail[-4:] != _MAGIC:  # noqa: PLR2004 -- two magics and a length
        raise DamagedFooterError("it is not a Parquet file, or is truncated")
    length = int.from_bytes(tail[-8:-4], "little")
    if length > min(size - 12, limits.footer):
        raise DamagedFooterError(f"it has a footer of {length} bytes")
    if length + 8 > len(tail):
        source.seek(size - length - 8)
        tail = source.read(length + 8)
    body, end = tail[-8 - length : -8], size - length - 8
    try:
        document = struct_at(body, 0, Budget(limits.state))[0]
        columns = _columns(document[2])
        _check(document, [leaf for column in columns.values() for leaf in column.leaves()], end)
        return Footer(columns, document[4], document[3], document.get(6, b"").decode())
    except DAMAGE as error:
        raise DamagedFooterError(f"its footer is damaged: {error}") from error


def _columns(elements: Sequence[Struct]) -> dict[str, Field]:
    rest = iter(elements)

    def fields(path: tuple[str, ...], count: int, levels: tuple[int, int]) -> list[Field]:
        found = []
        for _ in range(count):
            element = next(rest)
            name, kind = element[4].decode(), element.get(3)
            inner = levels[0] + (kind == _REPEATED), levels[1] + (kind in {_OPTIONAL, _REPEATED})
            children = fields((*path, name), element.get(5, 0), inner)
            found.append(Field(name, (*path, name), element, inner, children))
        if len({child.name for child in found}) != len(found):
            raise ValueError("two of its columns have the same name")
        return found

    root = next(rest)
    columns = fields((), root.get(5, 0), (0, 0))
    if next(rest, None) is not None:
        raise ValueError("its schema has too many fields")
    return {child.name: child for child in columns}


# Whether its numbers fit together


def _check(document: Struct, leaves: Sequence[Field], end: int) -> None:
    """Raise `ValueError` for what contradicts itself; the pages of the file end before *end*."""
    paths = [[part.encode() for part in leaf.path] for leaf in leaves]
    for group in document[4]:
        if len(group[1]) != len(leaves):
            raise ValueError("a row group lacks some columns")
        rows = group[3]
        for place, leaf, path in zip(group[1], leaves, paths, strict=True):
            chunk = place[3]
            first, values = first_page(chunk), chunk[5]
            if (
                chunk[1] != leaf.element[1]
                or chunk[3] != path
                or not _ENCODINGS.issuperset(chunk[2])  # at others the Rust kernel stops
                or not isinstance(chunk[4], int)  # its compression
                or values < rows
                or (values != rows and not leaf.levels[0])
                or (values and not (len(_MAGIC) <= first <= first + chunk[7] <= end))
            ):
                raise ValueError(f"a row group contradicts the schema in {'.'.join(leaf.path)}")
    if sum(group[3] for group in document[4]) != document[3]:
        raise ValueError("its row groups do not have the number of rows that it states")


# Parquet


class UnsupportedFileError(Exception):
    """The file has something that this reader does not know, or is damaged."""


_MOST: Final = 5_000
"""Beyond this many values of a column, pyarrow is the faster one."""


def rows(
    source: BinaryIO, footer: Footer, names: Sequence[str], most: int = LIMITS.state
) -> list[Named]:
    """
    The rows of *source* in which the columns called *names* are not null, column by column.

    Structs are objects without their null fields, maps are objects. Raises `UnsupportedFileError`,
    also if they take more than *most* bytes, and whatever *source* raises.
    """
    try:
        columns = footer.columns
        budget = Budget(most)
        return [
            (name, row)
            for name in names
            if name in columns
            for row in _column(source, footer, columns[name], budget)
        ]
    except DAMAGE as error:
        raise UnsupportedFileError(str(error)) from error


# One column


def _column(
    source: BinaryIO, footer: Footer, column: Field, budget: Budget
) -> Iterator[dict[str, Any]]:
    if not column.optional or not column.children:
        raise UnsupportedFileError("a required or plain column")
    for group in footer.groups:
        wanted = list(zip(column.leaves(), chunks(group, column.path), strict=True))
        if not any(may_hold(chunk) for _, chunk in wanted):
            continue
        if any(chunk[5] > group[3] + _MOST for _, chunk in wanted) or any(
            chunk[5] - nulls > _MOST
            for _, chunk in wanted
            if (nulls := null_count(chunk)) is not None
        ):
            raise UnsupportedFileError("many rows")
        # Beyond so many bytes of a column, pyarrow reads it piece by piece.
        if sum(chunk[7] for _, chunk in wanted) > 1 << 25:
            raise UnsupportedFileError("many bytes")
        parts = _parts(source, [chunk for _, chunk in wanted])
        records = [
            _records(_entries(leaf, chunk, part, budget))
            for (leaf, chunk), part in zip(wanted, parts, strict=True)
        ]
        for row in zip(*records, strict=True):
            entries = {leaf.path: entry for (leaf, _), entry in zip(wanted, row, strict=True)}
            if document := _built(column, entries):
                yield document


def _parts(source: BinaryIO, held: Sequence[Struct]) -> list[bytes]:
    """The bytes of each chunk; those of a column are neighbours, and read at once."""
    spans = [(first_page(chunk), first_page(chunk) + chunk[7]) for chunk in held]
    begin, end = min(start for start, _ in spans), max(end for _, end in spans)
    if end - begin > sum(chunk[7] for chunk in held) + (1 << 16):
        raise UnsupportedFileError("a column that is scattered")
    source.seek(begin)
    body = source.read(end - begin)
    return [body[start - begin : end - begin] for start, end in spans]


def _records(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The entries of each row in which the column is not null."""
    part: list[Entry] = []
    for entry in entries:
        if part and not entry[0]:
            yield part
            part = []
        part.append(entry)
    if part:
        yield part


def _entries(leaf: Field, chunk: Struct, body: bytes, budget: Budget) -> Iterator[Entry]:
    """Repetition level, definition level and value wherever the column is not null."""
    read, full = _reader_of(leaf.element), leaf.levels[1]
    dictionary: Sequence[Any] = ()
    at, seen, count, empty = 0, 0, 0, b""
    while seen < chunk[5]:
        if empty and body.startswith(empty, at):  # as most pages are, byte for byte
            at, seen = at + len(empty), seen + count
            continue
        begin = at
        header, start = struct_at(body, at)
        at = start + max(0, header[3])
        page = body[start:at]
        if len(page) != header[3]:
            raise UnsupportedFileError("a page that is cut off")
        # The checksum is written as a number with a sign.
        if 4 in header and zlib.crc32(page) != header[4] % (1 << 32):  # noqa: PLR2004 -- its number
            raise UnsupportedFileError("a page that does not match its checksum")
        page = _unpacked(page, header[2], chunk[4])
        if header[1] == _DICTIONARY:
            dictionary = list(islice(read(page), header[7][1]))
            continue
        if header[1] != _DATA_PAGE:
            raise UnsupportedFileError("another kind of page")
        count, encoding, *encodings = (header[5][number] for number in (1, 2, 4, 3))
        if not 0 <= count <= chunk[5] - seen:
            raise UnsupportedFileError("a page with more values than its column")
        seen += count
        levels = []
        for highest, kind in zip(leaf.levels, encodings, strict=True):
            if highest and kind != 3:  # noqa: PLR2004 -- Parquet's number of run lengths
                raise UnsupportedFileError("levels in another encoding")
            end = 4 + int.from_bytes(page[:4], "little") if highest else 0
            levels.append(_hybrid(page[4:end], highest.bit_length(), count))
            page = page[end:]
        repetitions, definitions = levels
        if len(definitions) != count:
            raise UnsupportedFileError("another number of values than it says")
        if definitions == bytes(count):
            empty = body[begin:at]
            continue
        decoded = _values(encoding, page, definitions.count(full), read, dictionary)
        # Few of them, in a column that few rows have.
        for filled in re.finditer(rb"[^\0]", definitions):
            index = filled.start()
            level = definitions[index]
            value = next(decoded, None) if level == full else None
            if value is None and level == full:
                raise UnsupportedFileError("fewer values than it says")
            if isinstance(value, bytes):
                value = value.decode()
            # What a value takes beside its text.
            budget.spend(64 + (len(value) if isinstance(value, str) else 0))
            yield repetitions[index], level, value


def _reader_of(element: Struct) -> Any:
    """What reads values of a field: strings, numbers and flags, and nothing that only looks so."""
    converted, logical = element.get(6), set(element.get(10, ()))
    if element[1] == _BYTES:
        if converted != _TEXT and logical != {1}:
            raise UnsupportedFileError("bytes that are not text")
    elif converted not in {None, *_INTEGERS} or not logical <= {10}:
        raise UnsupportedFileError("numbers that mean something else")
    return _READERS[element[1]]


_DATA_PAGE, _DICTIONARY = 0, 2
_PLAIN, _DICTIONARIES = 0, (2, 8)
_ENCODINGS: Final = frozenset({_PLAIN, *range(2, 10)})
_TEXT, _INTEGERS = 0, (17, 18)


def _values(
    encoding: int, body: bytes, count: int, read: Any, dictionary: Sequence[Any]
) -> Iterator[Any]:
    if encoding == _PLAIN:
        return islice(read(body), count)
    if encoding not in _DICTIONARIES:
        raise UnsupportedFileError("values in another encoding")
    # The width of the indices is in the first byte.
    runs = _encoded(body[1:], body[0] if count else 0, count)
    numbers = (number for run, times in runs for _ in range(times) for number in run)
    return (dictionary[number] for number in islice(numbers, count))


# Values and levels as they are encoded

_BYTES: Final = 6


def _flags(body: bytes) -> Iterator[bool]:
    return (bool(byte >> bit & 1) for byte in body for bit in range(8))


def _fixed(code: str) -> Any:
    return lambda body: (number for (number,) in struct.iter_unpack(code, body))


def _texts(body: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(body):
        length = int.from_bytes(body[at : at + 4], "little")
        at += 4 + length
        if at > len(body):
            raise UnsupportedFileError("a text that is cut off")
        yield body[at - length : at]


_READERS: Final[Mapping[int, Any]] = {
    0: _flags,
    1: _fixed("<i"),
    2: _fixed("<q"),
    _BYTES: _texts,
}


def _hybrid(body: bytes, width: int, count: int) -> bytes:
    """Levels, a byte each; of no width, they are 0."""
    if not width:
        return bytes(count)
    runs = (bytes(numbers) * times for numbers, times in _encoded(body, width, count))
    return b"".join(runs)[:count]


def _encoded(body: bytes, width: int, count: int) -> Iterator[tuple[Sequence[int], int]]:
    """
    Parquet's mixture of run lengths and packed bits: numbers, and how often they are repeated.

    There are at least *count* of them, and some more where packed bits are padded.
    """
    at, done, mask = 0, 0, (1 << width) - 1
    while done < count:
        head, at = variable(body, at)
        if head & 1:
            size = (head >> 1) * width
            if at + size > len(body):
                raise UnsupportedFileError("packed bits that are cut off")
            if width == 1 and size:  # as levels have, of which there are millions
                bits = f"{int.from_bytes(body[at : at + size], 'little'):0{8 * size}b}"
                yield bits[::-1].encode().translate(_BITS), 1
            elif not width:  # as indices into a dictionary of one entry have
                yield (0,), min(8 * (head >> 1), count - done)
            else:
                for start in range(at, at + size, width):
                    packed = int.from_bytes(body[start : start + width], "little")
                    yield [packed >> index * width & mask for index in range(8)], 1
            done += 8 * (head >> 1)
        else:
            size = (width + 7) // 8
            number = int.from_bytes(body[at : at + size], "little")
            yield (number,), min(head >> 1, count - done)
            done += head >> 1
        at += size


_BITS: Final = bytes(range(256)).replace(b"01", b"\0\1")
"""The numbers in place of the digits 0 and 1."""

# From entries to values


def _built(node: Field, entries: Mapping[tuple[str, ...], list[Entry]]) -> Any:
    """The value of *node* in one row, from the entries of its leaves."""
    leaves = [entries[leaf.path] for leaf in node.leaves()]
    _, level, value = leaves[0][0]
    if node.optional and level < node.levels[1]:
        return None
    if not node.children:
        return value
    kind, logical = node.element.get(6), set(node.element.get(10, ()))
    is_map = kind in _MAPS or logical == {2}
    if is_map or kind == _LIST or logical == {3}:
        (inner,) = node.children
        # Parquet's rules for lists of older writers, whose groups of these names are the elements.
        is_old = inner.children and inner.name in {"array", f"{node.name}_tuple"}
        if (
            not inner.repeated
            or len(leaves) != 1 + is_map
            or (is_old and not is_map)
            or any(child.children or child.repeated for child in inner.children)
        ):
            raise UnsupportedFileError("a list or map of another shape")
        is_filled = level >= inner.levels[1]
        columns = ([value for _, _, value in leaf if is_filled] for leaf in leaves)
        return dict(zip(*columns, strict=True)) if is_map else next(columns)
    if kind is not None or logical or any(child.repeated for child in node.children):
        raise UnsupportedFileError("a group of another kind")
    built = ((child.name, _built(child, entries)) for child in node.children)
    return {name: value for name, value in built if value is not None}


_MAPS: Final = (1, 2)
_LIST: Final = 3


# Compression


def _unpacked(body: bytes, size: int, codec: int) -> bytes:
    if codec > 1:
        raise UnsupportedFileError("another compression")
    data = _snappy(body) if codec else body
    if len(data) != size:
        raise UnsupportedFileError("a page of another length")
    return data


def _snappy(body: bytes) -> bytes:
    size, at = variable(body, 0)
    out = bytearray()
    while at < len(body):
        tag = body[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:  # noqa: PLR2004 -- so many bytes hold the length
                wide = length - 59
                length = int.from_bytes(body[at : at + wide], "little")
                at += wide
            out += body[at : at + length + 1]
            at += length + 1
            continue
        if kind == 1:
            length, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | body[at]
            at += 1
        else:
            wide = 2 if kind == 2 else 4  # noqa: PLR2004 -- Snappy's numbers
            length, offset = (tag >> 2) + 1, int.from_bytes(body[at : at + wide], "little")
            at += wide
        start = len(out) - offset
        if offset < 1 or start < 0:
            raise UnsupportedFileError("a damaged page")
        piece = bytes(out[start : start + length])
        if len(piece) < length:  # the copy overlaps what it makes
            piece = (piece * (length // len(piece) + 1))[:length]
        out += piece
    if len(out) != size:
        raise UnsupportedFileError("a damaged page")
    return bytes(out)


# Pages


_CODECS: Final[Mapping[int, str]] = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_DECODED: Final = frozenset({0, *_CODECS})


class Pages:
    """
    The pages of a Parquet file with this *footer*, before any is read as a whole.

    Raises `DamagedFooterError` for those that cannot be read, or not within *limits*.
    """

    def __init__(self, source: BinaryIO, footer: Footer, limits: Limits) -> None:
        self._source = source
        self.footer = footer
        self._limits = limits

    def check(self, names: Collection[str]) -> None:
        """Raise the error if a page or a column among *names* is too large."""
        groups = self.footer.groups
        for chunk in (
            each for group in groups for name in names for each in chunks(group, (name,))
        ):
            _require("a column of a row group has", chunk[5], "values", self._limits.values)
            for header, _ in () if self._is_small(chunk) else self._headers(chunk):
                size = max(header[2], header[3])
                _require("a page of it has", size, "bytes", self._limits.page)

    def check_headers(self) -> None:
        """Raise the error if the header of a page cannot be read, whichever its column."""
        for group in self.footer.groups:
            for chunk in group[1]:
                deque(self._headers(chunk[3]), maxlen=0)

    def batch_rows(self, columns: Iterable[str], groups: Iterable[Struct], most: int) -> int:
        """
        How many rows of *columns*, *most* at most, can be read at once from one of *groups*.

        Raises the error if one row may be larger than a page.
        """
        paths = [tuple(column.split(".")) for column in columns]
        sizes = (
            sum(self._row_size(chunk, group[3]) for path in paths for chunk in chunks(group, path))
            for group in groups
        )
        return max(1, min(most, self._limits.batch // max(1, max(sizes, default=1))))

    def buffer_size(self) -> int:
        """The batch size with which pyarrow reads a column: 0 for all of it, if that is little."""
        sizes = (chunk[3][7] for group in self.footer.groups for chunk in group[1])
        return 1 << 23 if max(sizes, default=0) > self._limits.page else 0

    def _row_size(self, chunk: Struct, rows: int) -> int:
        """The most memory that a row of a column takes."""
        text = self._value_size(chunk) if chunk[1] == _BYTES else 0
        values: int = chunk[5]
        if values <= rows:
            return text
        entry = text + 64  # what an entry of a map or list takes beside its text
        if values * entry <= self._limits.batch:
            return -(-values // max(1, rows)) * entry
        entries = values - rows + 1
        path = tuple(part.decode() for part in chunk[3])
        leaves = self.footer.columns[path[0]].leaves()
        # The values are in one list or map, and not in several within each other.
        is_flat = any(leaf.levels[0] == 1 for leaf in leaves if leaf.path == path)
        if is_flat and chunk[4] in _DECODED:
            try:
                levels = b"".join(self._row_levels(chunk))
            except (*DAMAGE, UnsupportedFileError) as error:
                raise DamagedFooterError(f"a page of it is damaged ({error})") from error
            most = 1
            # The level 1 is that of a value in the row of the value before it.
            while most < entries and b"\1" * most in levels:
                most *= 2
            entries = min(most, entries)
        _require("a row of it may have", entries * entry, "bytes", self._limits.page)
        return entries * entry

    def _row_levels(self, chunk: Struct) -> Iterator[bytes]:
        """The repetition level of each value of a column, 0 or 1, page by page."""
        left: int = chunk[5]
        for header, at in self._headers(chunk):
            if header[1] == _DICTIONARY:
                continue
            head = header.get(5) or header[8]
            left -= head[1]
            if left < 0:
                raise DamagedFooterError("its pages have more values than it states")
            self._source.seek(at)
            if 5 in header:  # noqa: PLR2004 -- Parquet's number of the older kind of page
                body = _decompressed(self._source.read(header[3]), header[2], chunk[4])
                # The repetition levels come first, behind their length.
                body = body[4 : 4 + int.from_bytes(body[:4], "little")]
            else:
                body = self._source.read(head[6])
            yield _hybrid(body, 1, head[1])

    def _is_small(self, chunk: Struct) -> bool:
        # The highest compression ratio of each codec, by Parquet's number for it.
        ratio = {0: 1, 1: 64, 2: 1_032}.get(chunk[4])
        return ratio is not None and chunk[7] * ratio <= self._limits.page

    def _value_size(self, chunk: Struct) -> int:
        """The most memory a value takes: a dictionary's text, or its share of the densest page."""
        longest = 0
        header, at = next(self._headers(chunk), ({}, 0))
        if header.get(1) == _DICTIONARY:
            longest = header[2]
            if chunk[4] in _DECODED:
                self._source.seek(at)
                body = _decompressed(self._source.read(header[3]), longest, chunk[4])
                longest = max(map(len, _texts(body)), default=0)
        if self._is_small(chunk):
            return longest
        shares: Iterator[int] = (
            header[2] // max(1, (header.get(5) or header[8])[1])
            for header, _ in self._headers(chunk)
            if header[1] != _DICTIONARY
        )
        return max(longest, max(shares, default=0))

    def _headers(self, chunk: Struct) -> Iterator[tuple[Struct, int]]:
        """The header of each page of a column, and where its bytes begin; none without values."""
        at = first_page(chunk)
        end = at + chunk[7] if chunk[5] else at
        while at < end:
            try:
                header, length = self._header(at, end)
                if header[3] < 0 or header[2] < 0:
                    raise DamagedFooterError("a page of it has a negative length")
            except DAMAGE as error:
                raise DamagedFooterError(f"a page of it is damaged ({error})") from error
            yield header, at + length
            at += length + header[3]

    def _header(self, at: int, end: int) -> tuple[Struct, int]:
        """A page's header and its length; most are short, and a retry costs less than reading."""
        self._source.seek(at)
        try:
            return struct_at(self._source.read(min(1 << 9, end - at)), 0)
        except DAMAGE:
            self._source.seek(at)
            # It may have the least and greatest value of the page.
            return struct_at(self._source.read(min(1 << 16, end - at)), 0)


def _require(what: str, count: int, unit: str, most: int) -> None:
    if count > most:
        raise DamagedFooterError(
            f"{what} {count:,} {unit}, more than the {most:,} that deltaadm reads at once"
        )


def _decompressed(body: bytes, size: int, codec: int) -> bytes:
    if not codec:
        return body
    import pyarrow as pa

    try:
        data: bytes = pa.decompress(body, size, codec=_CODECS[codec], asbytes=True)
    except (pa.ArrowException, OSError) as error:
        raise DamagedFooterError(f"a page of it cannot be decompressed ({error})") from error
    return data
