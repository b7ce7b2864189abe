"""What files of the log say of data files, and the checksum of one."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from deltaadm.domain.actions import DeletionVectorDescriptor
from deltaadm.domain.schema import PrimitiveType, StructType
from deltaadm.domain.transaction.column_mapping import stored_schema
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError
from deltaadm.json_values import integer
from deltaadm.limits import load_json

Document = Mapping[str, Any]
Kinds = Mapping[str, "str | Kinds"]
Path = tuple[str, ...]


# Statistics


class StatisticsError(ValueError):
    """The text is not the JSON of an object."""


def parse_statistics(text: str) -> Document:
    """The statistics that *text* holds; raises `StatisticsError`."""
    try:
        document = load_json(text)
    except (ValueError, RecursionError) as error:
        raise StatisticsError(str(error)) from error
    if not isinstance(document, dict):
        raise StatisticsError("it is not a JSON object")
    return document


# Delta writes it first, so that the statistics of most files need not be decoded for it.
_NUM_RECORDS_FIRST: Final = re.compile(r'\s*\{\s*"numRecords"\s*:\s*(-?\d{1,18})\s*[,}]')


def num_records(text: str | None) -> int | None:
    """
    The number of records in the file, including deleted ones; None if the statistics lack it.

    >>> num_records('{"numRecords":3,"minValues":{}}'), num_records("{}"), num_records(None)
    (3, None, None)
    """
    if not text:
        return None
    if match := _NUM_RECORDS_FIRST.match(text):
        return int(match[1])
    try:
        return integer(parse_statistics(text).get("numRecords"))
    except StatisticsError:
        return None


def kinds_in(metadata: Metadata | None) -> Kinds:
    """
    The types of the columns that may have bounds, by the names that statistics use.

    A struct is a mapping in turn; arrays, maps and the like have no bounds and are left out. Empty
    where the schema or the mapping cannot be read.
    """
    with suppress(DeltaadmError):
        return {} if metadata is None else _kinds(stored_schema(metadata))
    return {}


def _kinds(schema: StructType) -> Kinds:
    kinds: dict[str, str | Kinds] = {}
    for field in schema.fields:
        if isinstance(field.type, StructType):
            kinds[field.name] = _kinds(field.type)
        elif isinstance(field.type, PrimitiveType):
            kinds[field.name] = field.type.name
    return kinds


# Deletion vectors


INLINE: Final = "i"
RELATIVE: Final = "u"
ABSOLUTE_PATH: Final = "p"

_MAGIC: Final = 1681511377
_NATIVE_MAGIC: Final = 1681511376
_FILE_FORMAT: Final = 1
_UUID_LENGTH: Final = 20
_Z85: Final = (
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
)
_TO_BASE85: Final = str.maketrans(
    _Z85,
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
)


def z85_decode(text: str) -> bytes:
    """The bytes that *text* encodes (ZeroMQ's Z85); raises `ValueError` if it is none."""
    if len(text) % 5:
        raise ValueError(f"{len(text)} characters are not a multiple of 5")
    for letter in text:
        if letter not in _Z85:
            raise ValueError(f"{letter!r} is not a character of Z85")
    from base64 import b85decode  # few logs have text in it

    try:
        return b85decode(text.translate(_TO_BASE85))
    except ValueError:
        raise ValueError("a group of five exceeds four bytes") from None


def descriptor_flaw(vector: DeletionVectorDescriptor) -> str:
    """Return the flaw of a descriptor by itself, in words; empty if it has none."""
    kind, text = vector.storage_type, vector.path_or_inline_dv
    if kind not in (INLINE, RELATIVE, ABSOLUTE_PATH):
        return f"its storage type is {kind!r}, not u, i or p"
    if not text:
        return "its path is empty"
    if (kind == INLINE) != (vector.offset is None):
        has = "no offset" if vector.offset is None else f"the offset {vector.offset}"
        return f"it is {'inline' if kind == INLINE else 'in a file'} and has {has}"
    if vector.offset is not None and vector.offset < 0:
        return f"its offset is {vector.offset}"
    try:
        if kind == RELATIVE:
            relative_path(vector)
        elif kind == INLINE and len(z85_decode(text)) < vector.size_in_bytes:
            return f"its sizeInBytes is {vector.size_in_bytes}, which is more than it contains"
    except ValueError as error:
        return f"{text!r} cannot be decoded: {error}"
    return ""


def relative_path(vector: DeletionVectorDescriptor) -> str:
    """
    The file of a vector of storage type u, relative to the table and not encoded.

    Its text ends with a UUID; what comes before that is the name of a directory. Raises
    `ValueError` if there is no UUID.
    """
    text = vector.path_or_inline_dv
    if len(text) < _UUID_LENGTH:
        raise ValueError(f"a UUID has {_UUID_LENGTH} characters")
    prefix, digits = text[:-_UUID_LENGTH], z85_decode(text[-_UUID_LENGTH:]).hex()
    uuid = "-".join(digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))
    name = f"deletion_vector_{uuid}.bin"
    return f"{prefix}/{name}" if prefix else name


def bitmap_flaw(bitmap: bytes, vector: DeletionVectorDescriptor) -> str:
    """
    Return the flaw of a vector's own bytes, in words; empty if none is found.

    The protocol has one form; its own example of an inline vector is in an older one, which
    Delta reads as well and of which only the beginning is looked at here.
    """
    magic = int.from_bytes(bitmap[:4], "little")
    if _NATIVE_MAGIC in (magic, int.from_bytes(bitmap[:4], "big")):
        return ""
    if magic != _MAGIC:
        return f"it starts with {magic} instead of {_MAGIC}"
    try:
        deleted = _count(bitmap)
    except struct.error:
        return "its bitmap is cut off"
    if deleted != vector.cardinality:
        return f"it deletes {deleted} rows, but the log says {vector.cardinality}"
    return ""


_SOME_ARE_RUNS: Final = 12347
_ALWAYS_WITH_OFFSETS: Final = 4
_MOST_IN_ARRAY: Final = 4096


def _count(bitmap: bytes) -> int:
    """
    The number of rows in a vector: bitmaps of 32 bits, each of containers of 16 bits.

    Raises `struct.error` where the bytes end too early. Source: RoaringFormatSpec.
    """
    (bitmaps,) = struct.unpack_from("<Q", bitmap, 4)
    deleted, at = 0, 12
    for _ in range(bitmaps):
        (cookie,) = struct.unpack_from("<I", bitmap, at + 4)  # after the upper half of its rows
        at += 8
        runs = b""
        if cookie & 0xFFFF == _SOME_ARE_RUNS:
            containers = (cookie >> 16) + 1
            runs = bitmap[at : at + (containers + 7) // 8]
            at += len(runs)
        else:
            (containers,) = struct.unpack_from("<I", bitmap, at)
            at += 4
        counts = [
            below + 1 for _, below in struct.iter_unpack("<HH", bitmap[at : at + 4 * containers])
        ]
        deleted += sum(counts)
        at += 4 * containers
        if not runs or containers >= _ALWAYS_WITH_OFFSETS:
            at += 4 * containers
        for number, count in enumerate(counts):
            if runs and runs[number // 8] >> number % 8 & 1:
                at += 2 + 4 * struct.unpack_from("<H", bitmap, at)[0]
            else:
                at += 2 * count if count <= _MOST_IN_ARRAY else 8192
    return deleted


def stored_flaw(head: bytes, stored: bytes, vector: DeletionVectorDescriptor) -> str:
    """
    What is wrong with a vector in a file: *head* is the file's first byte, *stored* what follows
    the vector's offset, as far as `stored_length` goes; empty if nothing is.
    """
    if head != bytes([_FILE_FORMAT]):
        return f"its file starts with {head!r} instead of format version {_FILE_FORMAT}"
    # Size and checksum are big-endian, the bitmap between them is little-endian (PROTOCOL.md).
    size = int.from_bytes(stored[:4], "big")
    if len(stored) < stored_length(vector):
        return "its file ends before the deletion vector does"
    if size != vector.size_in_bytes:
        return f"it has {size} bytes, but the log says {vector.size_in_bytes}"
    bitmap, checksum = stored[4 : 4 + size], int.from_bytes(stored[4 + size :], "big")
    if zlib.crc32(bitmap) != checksum:
        return f"its checksum is {zlib.crc32(bitmap)}, but {checksum} is stored"
    return bitmap_flaw(bitmap, vector)


def stored_length(vector: DeletionVectorDescriptor) -> int:
    """The number of bytes that a vector occupies in its file: size, bitmap, checksum."""
    return 4 + max(vector.size_in_bytes, 0) + 4


# Checksums


class _Verbatim(str):
    """A number or literal in the spelling of the text."""

    __slots__ = ()


def checksums(text: str) -> frozenset[str]:
    """
    The checksums that fit the JSON object in *text*.

    There may be two: the protocol sorts leaves by their paths, Delta Spark the finished
    `path=value`, which differ for arrays of more than ten values. Raises `ValueError` for
    anything else than a JSON object.
    """
    try:
        document = load_json(
            text, parse_int=_Verbatim, parse_float=_Verbatim, parse_constant=_Verbatim
        )
        if not isinstance(document, dict):
            raise ValueError("it is not a JSON object")  # noqa: TRY004 -- of the text, not a type
        leaves = [(path, value) for path, value in _leaves(document, ()) if path[0] != '"checksum"']
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    joined = [("+".join(path), value) for path, value in leaves]
    by_path = ",".join(f"{path}={value}" for path, value in sorted(joined))
    by_text = ",".join(sorted(f"{path}={value}" for path, value in joined))
    from hashlib import md5  # it loads OpenSSL, and few pointers have a checksum

    digests = (md5(files.encode(), usedforsecurity=False) for files in (by_path, by_text))
    return frozenset(digest.hexdigest() for digest in digests)


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, _quoted(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, str(index)))
    elif isinstance(value, _Verbatim):
        yield path, value
    else:
        yield path, _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    from urllib.parse import quote  # few pointers have a checksum

    return f'"{quote(text.encode(errors="replace"), safe="-._~")}"'
