"""
Reading the few rows of a Parquet file in which some columns are not null, without pyarrow.

Protocol and metadata are two rows of a checkpoint, and importing pyarrow takes longer than
reading them. What checkpoints are usually made of is understood here: strings, numbers and flags
in structs, lists and maps, plain or in dictionaries, uncompressed or in Snappy or gzip. Anything
else, damage included, is `Unfamiliar` and left to pyarrow.
"""

from __future__ import annotations

import struct
import zlib
from itertools import islice, repeat

from deltaadm.limits import LIMITS
from deltaadm.replay.footer import DAMAGE, DamagedFooter, chunks, first_page, may_hold, null_count
from deltaadm.replay.thrift import Budget, struct_at, variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, BinaryIO, Final

    from deltaadm.replay.footer import Field, Footer
    from deltaadm.replay.thrift import Struct

    Entry = tuple[int, int, Any]
    Named = tuple[str, dict[str, Any]]


class Unfamiliar(Exception):  # noqa: N818 -- reads as what it is
    """The file has something that this reader does not know, or is damaged."""


_MOST: Final = 5_000
"""Beyond this many values of a column, pyarrow is the faster one."""

_LARGEST_GAP: Final = 1 << 16

_LARGEST_READ: Final = 1 << 25
"""Beyond so many bytes of a column, pyarrow reads it piece by piece."""


def too_much_state(most: int) -> DamagedFooter:
    """The error for rows that would take more than *most* bytes."""
    return DamagedFooter(
        "its actions that are not about files take more than the "
        f"{most:,} bytes that deltaadm reads of them"
    )


_VALUE: Final = 64
"""Bytes that a value takes beside its text."""


def rows(
    source: BinaryIO, footer: Footer, names: Sequence[str], most: int = LIMITS.state
) -> list[Named]:
    """
    The rows of *source* in which the columns called *names* are not null, column by column.

    Structs are objects without their null fields, maps are objects. Raises `Unfamiliar`,
    `DamagedFooter` if they take more than *most* bytes, and whatever *source* raises.
    """
    try:
        columns = footer.columns
        budget = Budget(most, too_much_state)
        actions: list[Named] = []
        for name in names:
            if name in columns:
                actions += [(name, row) for row in _column(source, footer, columns[name], budget)]
    except DAMAGE as error:
        raise Unfamiliar(str(error)) from error
    return actions


# One column


def _column(
    source: BinaryIO, footer: Footer, column: Field, budget: Budget
) -> Iterator[dict[str, Any]]:
    if not column.optional or not column.children:
        raise Unfamiliar("a required or plain column")
    for group in footer.groups:
        wanted = list(zip(column.leaves(), chunks(group, column.path), strict=True))
        if not any(may_hold(chunk) for _, chunk in wanted):
            continue
        if any(chunk[5] > group[3] + _MOST for _, chunk in wanted) or any(
            chunk[5] - nulls > _MOST
            for _, chunk in wanted
            if (nulls := null_count(chunk)) is not None
        ):
            raise Unfamiliar("many rows")
        if sum(chunk[7] for _, chunk in wanted) > _LARGEST_READ:
            raise Unfamiliar("many bytes")
        parts = _parts(source, [chunk for _, chunk in wanted])
        records = [
            _records(leaf, _levels(column, leaf), chunk, parts[leaf.path], budget)
            for leaf, chunk in wanted
        ]
        for row in zip(*records, strict=True):
            entries = {leaf.path: entry for (leaf, _), entry in zip(wanted, row, strict=True)}
            document = _plain(_built(column, entries, 0, 0), column)
            if document:
                yield document


def _parts(source: BinaryIO, held: Sequence[Struct]) -> dict[tuple[str, ...], bytes]:
    """The bytes of each chunk; those that are neighbours are read at once."""
    spans = sorted(
        ((first_page(chunk), chunk[7], chunk) for chunk in held), key=lambda span: span[:2]
    )
    parts: dict[tuple[str, ...], bytes] = {}
    pending: list[tuple[int, int, Struct]] = []
    for span in [*spans, None]:
        # To read on over a small gap costs less than another request.
        if pending and (span is None or span[0] - sum(pending[-1][:2]) > _LARGEST_GAP):
            first = pending[0][0]
            source.seek(first)
            body = source.read(sum(pending[-1][:2]) - first)
            for start, length, chunk in pending:
                path = tuple(part.decode() for part in chunk[3])
                parts[path] = body[start - first : start - first + length]
            pending = []
        if span is not None:
            pending.append(span)
    return parts


def _levels(column: Field, leaf: Field) -> tuple[int, int]:
    """The highest repetition and definition level of *leaf*."""
    node, repetition, definition = column, 0, 0
    for depth in range(1, len(leaf.path) + 1):
        if depth > 1:
            fields = [child for child in node.children if child.path == leaf.path[:depth]]
            if len(fields) != 1:
                raise Unfamiliar("two columns of one name")
            node = fields[0]
        repetition += node.repeated
        definition += node.repeated or node.optional
    return repetition, definition


def _records(
    leaf: Field, levels: tuple[int, int], chunk: Struct, body: bytes, budget: Budget
) -> Iterator[list[Entry]]:
    """The entries of one leaf, for each row in which the column is not null."""
    record: list[Entry] = []
    for entry in _entries(leaf, levels, chunk, body):
        budget.spend(_VALUE + (len(entry[2]) if isinstance(entry[2], str) else 0))
        if entry[0] == 0 and record:
            yield record
            record = []
        record.append(entry)
    if record:
        yield record


def _entries(leaf: Field, levels: tuple[int, int], chunk: Struct, body: bytes) -> Iterator[Entry]:
    """Repetition level, definition level and value wherever the column is not null."""
    read = _READERS[chunk[1]]
    _require_plain_type(leaf.element)
    dictionary: Sequence[Any] = ()
    at, seen, count, empty = 0, 0, 0, b""
    while seen < chunk[5]:
        if empty and body.startswith(empty, at):  # as most pages are, byte for byte
            at, seen = at + len(empty), seen + count
            continue
        begin = at
        header, start = struct_at(body, at)
        page = _page(body, header, start)
        at = start + len(page)
        if header[1] == _DICTIONARY_PAGE:
            plain = _unpacked(page, header[2], chunk[4])
            dictionary = list(islice(read(plain), header[7][1]))
            continue
        if not 0 <= (header.get(5) or header[8])[1] <= chunk[5] - seen:
            raise Unfamiliar("a page with more values than its column")
        parts = _data_page(page, header, chunk[4], levels)
        count, encoding, repetitions, definitions, values = parts
        seen += count
        if len(definitions) != count:
            raise Unfamiliar("another number of values than it says")
        if definitions == bytes(len(definitions)):
            empty = body[begin:at]
            continue
        filled = definitions.count(levels[1])
        decoded = iter(_values(encoding, values, filled, read, dictionary))
        for index in _not_null(definitions):
            level = definitions[index]
            value = next(decoded, None) if level == levels[1] else None
            if value is None and level == levels[1]:
                raise Unfamiliar("fewer values than it says")
            if isinstance(value, bytes):
                value = value.decode()
            yield repetitions[index] if repetitions else 0, level, value


def _page(body: bytes, header: Struct, start: int) -> bytes:
    """The bytes of a page, which are those that were written if they have a checksum."""
    page = body[start : start + max(0, header[3])]
    if len(page) != header[3]:
        raise Unfamiliar("a page that is cut off")
    # The checksum is written as a number with a sign.
    if 4 in header and zlib.crc32(page) != header[4] & _CRC:  # noqa: PLR2004 -- Parquet's number
        raise Unfamiliar("a page that does not match its checksum")
    return page


_CRC: Final = (1 << 32) - 1


def _not_null(levels: bytes) -> Iterator[int]:
    """The positions of levels above 0: few, in a column that few rows have."""
    flags = levels.translate(_FLAGGED)
    index = flags.find(1)
    while index >= 0:
        yield index
        index = flags.find(1, index + 1)


_FLAGGED: Final = bytes([0, *[1] * 255])
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 0, 2, 3
_PLAIN, _DICTIONARIES = 0, (2, 8)
_TEXT, _INTEGERS = 0, (17, 18)


def _require_plain_type(element: Struct) -> None:
    """Strings, numbers and flags, and nothing that only looks like them."""
    kind, converted, logical = element[1], element.get(6), set(element.get(10, ()))
    if kind == _BYTES:
        if converted != _TEXT and logical != {1}:
            raise Unfamiliar("bytes that are no text")
    elif converted not in {None, *_INTEGERS} or not logical <= {10}:
        raise Unfamiliar("numbers that mean something else")


def _data_page(
    page: bytes, header: Struct, codec: int, levels: tuple[int, int]
) -> tuple[int, int, bytes, bytes, bytes]:
    """The number of entries, the encoding, both kinds of levels, and the values' bytes."""
    repetition, definition = levels
    if header[1] == _DATA_PAGE_2:
        # In pages of the second kind the levels come first, and are never compressed.
        head = header[8]
        first, second = head[6], head[6] + head[5]
        rest = page[second:]
        if head.get(7, True):
            rest = _unpacked(rest, header[2] - second, codec)
        return (
            head[1],
            head[4],
            _hybrid(page[:first], repetition.bit_length(), head[1]) if repetition else b"",
            _hybrid(page[first:second], definition.bit_length(), head[1]),
            rest,
        )
    if header[1] != _DATA_PAGE:
        raise Unfamiliar("an unknown kind of page")
    head = header[5]
    if (definition and head[3] != _RLE) or (repetition and head[4] != _RLE):
        raise Unfamiliar("levels in another encoding")
    rest = _unpacked(page, header[2], codec)
    pieces = []
    for highest in (repetition, definition):
        if not highest:
            pieces.append(b"")
            continue
        end = 4 + int.from_bytes(rest[:4], "little")
        pieces.append(_hybrid(rest[4:end], highest.bit_length(), head[1]))
        rest = rest[end:]
    return head[1], head[2], pieces[0], pieces[1], rest


def _values(
    encoding: int, body: bytes, count: int, read: Any, dictionary: Sequence[Any]
) -> Iterator[Any]:
    if encoding in _DICTIONARIES:
        # The width of the indices is in the first byte.
        width = body[0] if count else 0
        return (dictionary[number] for number in _numbers(body[1:], width, count))
    if encoding == _RLE and read is _flags:
        # Behind four bytes with the length, which dictionary indices do not have.
        return (bool(number) for number in _numbers(body[4:], 1, count))
    if encoding != _PLAIN:
        raise Unfamiliar("values in another encoding")
    return islice(read(body), count)


# Values and levels as they are encoded

_RLE: Final = 3
_BYTES: Final = 6


def _flags(body: bytes) -> Iterator[bool]:
    return (bool(byte >> bit & 1) for byte in body for bit in range(8))


def _fixed(code: str, size: int) -> Any:
    def read(body: bytes) -> Iterator[int]:
        return (struct.unpack_from(code, body, at)[0] for at in range(0, len(body), size))

    return read


def _texts(body: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(body):
        length = int.from_bytes(body[at : at + 4], "little")
        at += 4 + length
        if at > len(body):
            raise Unfamiliar("a text that is cut off")
        yield body[at - length : at]


_READERS: Final[Mapping[int, Any]] = {
    0: _flags,
    1: _fixed("<i", 4),
    2: _fixed("<q", 8),
    _BYTES: _texts,
}


def _hybrid(body: bytes, width: int, count: int) -> bytes:
    """Levels, a byte each."""
    return b"".join(_runs(body, width, count))[:count]


def _runs(body: bytes, width: int, count: int) -> Iterator[bytes]:
    for number, times in _encoded(body, width, count):
        yield bytes([number]) * times


def _numbers(body: bytes, width: int, count: int) -> Iterator[int]:
    """Indices into a dictionary."""
    numbers = (number for number, times in _encoded(body, width, count) for _ in range(times))
    return islice(numbers, count)


def _encoded(body: bytes, width: int, count: int) -> Iterator[tuple[int, int]]:
    """Parquet's mixture of run lengths and packed bits: numbers, and how often in a row."""
    at, done, mask = 0, 0, (1 << width) - 1
    while done < count:
        head, at = variable(body, at)
        if head & 1:
            size = (head >> 1) * width
            if at + size > len(body):
                raise Unfamiliar("packed bits that are cut off")
            # Indices into a dictionary of one entry have no bits at all.
            for start in range(at, at + size, width) if width else repeat(at, head >> 1):
                packed = int.from_bytes(body[start : start + width], "little")
                for index in range(min(8, count - done)):
                    yield packed >> index * width & mask, 1
                done += 8
                if done >= count:
                    break
        else:
            size = (width + 7) // 8
            number = int.from_bytes(body[at : at + size], "little")
            yield number, min(head >> 1, count - done)
            done += head >> 1
        at += size


# From entries to values


def _built(node: Field, entries: Mapping[tuple[str, ...], list[Entry]], rl: int, dl: int) -> Any:
    """The value of *node* from the entries of its leaves, at repetition and definition levels."""
    mine = {leaf.path: entries[leaf.path] for leaf in node.leaves()}
    first = next(iter(mine.values()))[0]
    if node.optional:
        dl += 1
        if first[1] < dl:
            return None
    if not node.children:
        return first[2]
    kind = node.element.get(6)
    logical = set(node.element.get(10, ()))
    if kind in _MAPS or logical == {2}:
        pairs = _repeated(node.children, mine, rl, dl)
        return [(pair[0], pair[1]) for pair in map(_fields, pairs)]
    if kind == _LIST or logical == {3}:
        return _repeated(node.children, mine, rl, dl, element=True)
    if kind is not None or logical or any(child.repeated for child in node.children):
        raise Unfamiliar("a group of another kind")
    return {child.name: _built(child, mine, rl, dl) for child in node.children}


_MAPS: Final = (1, 2)
_LIST: Final = 3


def _repeated(
    children: Sequence[Field],
    entries: Mapping[tuple[str, ...], list[Entry]],
    rl: int,
    dl: int,
    *,
    element: bool = False,
) -> list[Any]:
    (inner,) = children
    if not inner.repeated:
        raise Unfamiliar("a list or map of another shape")
    rl, dl = rl + 1, dl + 1
    if next(iter(entries.values()))[0][1] < dl:
        return []
    # Parquet's rules for lists of older writers, whose groups of these names are the elements.
    wrapped = len(inner.children) == 1 and inner.name not in {"array", f"{inner.path[-2]}_tuple"}
    if element and inner.children and not wrapped:
        raise Unfamiliar("a list of the old shape")
    split = {path: list(_split(entry, rl)) for path, entry in entries.items()}
    count = len(next(iter(split.values())))
    repeated = []
    for index in range(count):
        part = {path: pieces[index] for path, pieces in split.items()}
        if inner.children:
            values = {child.name: _built(child, part, rl, dl) for child in inner.children}
            repeated.append(next(iter(values.values())) if element else values)
        else:
            repeated.append(next(iter(part.values()))[0][2])
    return repeated


def _fields(pair: dict[str, Any]) -> tuple[Any, Any]:
    key, value = pair.values()
    return key, value


def _split(entries: Sequence[Entry], level: int) -> Iterator[list[Entry]]:
    """The entries of each element of a list at repetition *level*."""
    part: list[Entry] = []
    for entry in entries:
        if part and entry[0] <= level:
            yield part
            part = []
        part.append(entry)
    yield part


def _plain(value: Any, node: Field) -> Any:
    """The value as JSON has it: maps as objects, no entries for null fields of structs."""
    if isinstance(value, dict):
        fields = ((child.name, _plain(value[child.name], child)) for child in node.children)
        return {name: item for name, item in fields if item is not None}
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return dict(value)
    is_map = node.element.get(6) in _MAPS or set(node.element.get(10, ())) == {2}
    return {} if is_map and value == [] else value


# Compression


def _unpacked(body: bytes, size: int, codec: int) -> bytes:
    if codec == 0:
        return body
    if codec == 1:
        data = _snappy(body)
    elif codec == 2:  # noqa: PLR2004 -- Parquet's number of gzip
        # 31 expects the header of gzip; a byte more than there should be shows a wrong size.
        data = zlib.decompressobj(31).decompress(body, size + 1)
    else:
        raise Unfamiliar("another compression")
    if len(data) != size:
        raise Unfamiliar("a page of another length")
    return data


def _snappy(body: bytes) -> bytes:
    """Undo Snappy: literal runs, and copies of what came before."""
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
        _copy(out, offset, length)
    if len(out) != size:
        raise Unfamiliar("a damaged page")
    return bytes(out)


def _copy(out: bytearray, offset: int, length: int) -> None:
    start = len(out) - offset
    if offset < 1 or start < 0:
        raise Unfamiliar("a damaged page")
    piece = bytes(out[start : start + length])
    if len(piece) < length:  # the copy overlaps what it makes
        piece = (piece * (length // len(piece) + 1))[:length]
    out += piece
