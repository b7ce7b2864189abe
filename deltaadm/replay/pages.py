"""
The pages of a Parquet file, looked at before they are decompressed.

A few bytes can stand for gigabytes: a page says how long it becomes, a column how many values it
has, and a text in a dictionary is repeated by each row that refers to it. What is beyond `Limits`
is refused, and batches are made as small as the texts in dictionaries ask for.
"""

from __future__ import annotations

from deltaadm.replay.footer import DAMAGE, DamagedFooter, chunks, first_page
from deltaadm.replay.thrift import struct_at, variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import BinaryIO, Final

    from deltaadm.limits import Limits
    from deltaadm.replay.footer import Footer
    from deltaadm.replay.thrift import Struct

_HEADER: Final = 1 << 16
"""Bytes in which a page's header ends; it may have the least and greatest value in it."""

_USUAL_HEADER: Final = 1 << 9

_LARGEST_RATIO: Final[Mapping[int, int]] = {0: 1, 1: 64, 2: 1_032}
"""The highest compression ratio of each codec, by Parquet's number for it."""

_CODECS: Final[Mapping[int, str]] = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_DECODED: Final = frozenset({0, *_CODECS})
_DICTIONARY_PAGE: Final = 2
_BYTES: Final = 6


def check(source: BinaryIO, footer: Footer, names: Collection[str], limits: Limits) -> None:
    """Raise `DamagedFooter` if a page or a number of values of the columns *names* is too large."""
    for chunk in _chunks(footer, names):
        if chunk[5] > limits.values:
            raise DamagedFooter(
                f"a column of a row group has {chunk[5]:,} values, more than the "
                f"{limits.values:,} that deltaadm reads at once"
            )
        if _is_small(chunk, limits):
            continue
        for header, _ in _pages(source, chunk):
            if max(header[2], header[3]) > limits.page:
                raise DamagedFooter(
                    f"a page of it has {header[2]:,} bytes, more than the {limits.page:,} that "
                    "deltaadm reads at once"
                )


def batch_rows(
    source: BinaryIO, footer: Footer, columns: Iterable[str], limits: Limits, most: int
) -> int:
    """
    How many rows of *columns*, *most* at most, can be read at once, whichever they are.

    *footer* has the row groups that are to be read. Raises `DamagedFooter` if one row may be
    larger than a page.
    """
    paths = [tuple(column.split(".")) for column in columns]
    largest = 0
    for group in footer.groups:
        column_chunks = (chunk for path in paths for chunk in chunks(group, path))
        row = sum(
            _bytes_per_row(source, footer, chunk, group[3], limits) for chunk in column_chunks
        )
        largest = max(largest, row)
    return max(1, min(most, limits.batch // max(1, largest)))


def buffer_size(footer: Footer, limits: Limits) -> int:
    """The batch size with which pyarrow reads a column: 0 for all of it, where that is little."""
    largest = max((chunk[3][7] for group in footer.groups for chunk in group[1]), default=0)
    return _BUFFER if largest > limits.page else 0


_BUFFER: Final = 1 << 20


def _bytes_per_row(
    source: BinaryIO, footer: Footer, chunk: Struct, rows: int, limits: Limits
) -> int:
    """The memory that a row of a column takes: its text, or the entries of its map or list."""
    text = _bytes_per_value(source, chunk, limits) if chunk[1] == _BYTES else 0
    values: int = chunk[5]
    if values <= rows:
        return text
    entry = text + _ENTRY
    if values * entry <= limits.batch:
        return -(-values // max(1, rows)) * entry
    entries = values - rows + 1
    if footer.repetition(chunk) == 1 and chunk[4] in _DECODED:
        entries = _most_in_a_row(source, chunk, entries)
    if entries * entry > limits.page:
        raise DamagedFooter(
            f"a row of it may have {entries * entry:,} bytes, more than the {limits.page:,} that "
            "deltaadm reads at once"
        )
    return entries * entry


_ENTRY: Final = 64
"""Bytes that an entry of a map or list takes beside its text."""


def _most_in_a_row(source: BinaryIO, chunk: Struct, bound: int) -> int:
    """The largest number of values that a row has in a column: a power of two, or *bound*."""
    try:
        starts = "".join(_row_starts(source, chunk))
    except DAMAGE as error:
        raise DamagedFooter(f"a page of it is damaged ({error})") from error
    most = 1
    while most < bound and _FURTHER * most in starts:
        most *= 2
    return min(most, bound)


_FURTHER: Final = "1"
"""The repetition level of a value that belongs to the row of the value before it."""


def _row_starts(source: BinaryIO, chunk: Struct) -> Iterator[str]:
    """The repetition level of each value of a column, a digit each, page by page."""
    left: int = chunk[5]
    for header, at in _pages(source, chunk):
        if header[1] == _DICTIONARY_PAGE:
            continue
        head = header.get(5) or header[8]
        left -= head[1]
        if left < 0:
            raise DamagedFooter("its pages have more values than it states")
        source.seek(at)
        if 5 in header:  # noqa: PLR2004 -- Parquet's number of the older kind of page
            body = _decompressed(source.read(header[3]), header[2], chunk[4])
            # The repetition levels come first, behind their length.
            body = body[4 : 4 + int.from_bytes(body[:4], "little")]
        else:
            body = source.read(head[6])
        yield _levels(body, head[1])


def _levels(body: bytes, count: int) -> str:
    """*count* levels of one bit each: Parquet's mixture of run lengths and packed bits."""
    levels = []
    at = done = 0
    while done < count:
        head, at = variable(body, at)
        if head & 1:
            packed = body[at : at + (head >> 1)]
            levels.append(f"{int.from_bytes(packed, 'little'):0{max(1, 8 * len(packed))}b}"[::-1])
            at += head >> 1
            done += 8 * (head >> 1)
        else:
            levels.append(str(body[at] & 1) * min(head >> 1, count - done))
            at += 1
            done += head >> 1
    return "".join(levels)[:count]


def _chunks(footer: Footer, names: Collection[str]) -> Iterator[Struct]:
    return (chunk for group in footer.groups for name in names for chunk in chunks(group, (name,)))


def _is_small(chunk: Struct, limits: Limits) -> bool:
    """Whether all pages of a column together are no larger than one may be."""
    ratio = _LARGEST_RATIO.get(chunk[4])
    return ratio is not None and chunk[7] * ratio <= limits.page


def _bytes_per_value(source: BinaryIO, chunk: Struct, limits: Limits) -> int:
    """The most memory that a value takes: a dictionary's text, or its share of the densest page."""
    longest = _longest_text(source, chunk)
    if _is_small(chunk, limits):
        return longest
    counted = (
        (header[2], (header.get(5) or header[8])[1])
        for header, _ in _pages(source, chunk)
        if header[1] != _DICTIONARY_PAGE
    )
    densest: int = max((size // max(1, count) for size, count in counted), default=0)
    return max(longest, densest)


def _pages(source: BinaryIO, chunk: Struct) -> Iterator[tuple[Struct, int]]:
    """The header of each page of a column, and where its bytes begin; of none without values."""
    if not chunk[5]:
        return
    at = first_page(chunk)
    end = at + chunk[7]
    while at < end:
        try:
            header, length = _header(source, at, end)
            if header[3] < 0 or header[2] < 0:
                raise DamagedFooter("a page of it has a negative length")
        except DAMAGE as error:
            raise DamagedFooter(f"a page of it is damaged ({error})") from error
        yield header, at + length
        at += length + header[3]


def _header(source: BinaryIO, at: int, end: int) -> tuple[Struct, int]:
    """A page's header and its length; most are short, and a retry costs less than reading on."""
    source.seek(at)
    try:
        return struct_at(source.read(min(_USUAL_HEADER, end - at)), 0)
    except DAMAGE:
        source.seek(at)
        return struct_at(source.read(min(_HEADER, end - at)), 0)


def _longest_text(source: BinaryIO, chunk: Struct) -> int:
    """The length of the longest text in a column's dictionary; 0 if it has none."""
    header, at = next(_pages(source, chunk), ({}, 0))
    if header.get(1) != _DICTIONARY_PAGE:
        return 0
    size: int = header[2]
    if chunk[4] not in _DECODED:
        return size
    source.seek(at)
    return _longest(_decompressed(source.read(header[3]), size, chunk[4]))


def _decompressed(body: bytes, size: int, codec: int) -> bytes:
    """The content of a page, which has *size* bytes."""
    if not codec:
        return body
    import pyarrow as pa

    data: bytes = pa.decompress(body, size, codec=_CODECS[codec], asbytes=True)
    return data


def _longest(texts: bytes) -> int:
    """The longest of texts that are written one after the other, each with its length."""
    longest = at = 0
    while at < len(texts):
        length = int.from_bytes(texts[at : at + 4], "little")
        longest = max(longest, length)
        at += 4 + length
    return longest
