"""DL7xx: files that the table names."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.rule_cases import breaks, respects
from tests.support.tables import (
    Action,
    Table,
    add,
    commit_info,
    deletion_vector,
    drafted,
    metadata,
    protocol,
    table,
)
from tests.support.tables import commit as body

INFO = commit_info()
START = (INFO, protocol(), metadata())
VECTOR = "ab^-aqEH.-t@S}K{vb[*k^"
VECTORS = (
    INFO,
    protocol(3, 7, ["deletionVectors"], ["deletionVectors"]),
    metadata({"delta.enableDeletionVectors": "true"}),
)


@drafted
def _holding(path: Path, *files: Action, start: tuple[Action, ...] = START) -> Table:
    return table(path, body(*start, *files))


def _stats(**more: Any) -> dict[str, Any]:
    return {"stats": json.dumps(more)}


def _described(**more: Any) -> Action:
    return deletion_vector(VECTOR) | more


# Deletion vectors


INLINE = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
"""The deletion vector of PROTOCOL.md's third example: 40 bytes for 6 records."""


def _inline(**more: Any) -> Action:
    made = {"storageType": "i", "pathOrInlineDv": INLINE, "sizeInBytes": 40, "cardinality": 3}
    return made | more


# Statistics and other fields


@breaks("DL712")
def eleven_of_a_hundred_files_have_no_statistics(path: Path) -> None:
    _holding(*_files(counted=89, uncounted=11))(path)


@respects("DL712")
def ten_of_a_hundred_files_have_no_statistics(path: Path) -> None:
    _holding(*_files(counted=90, uncounted=10))(path)


def _files(counted: int, uncounted: int) -> list[Action]:
    made = [add(f"with-{number}", **_stats(numRecords=1)) for number in range(counted)]
    return made + [add(f"without-{number}") for number in range(uncounted)]


# Data files


def _stored(path: Path, name: str = "f", *, version: int = 1, damage: int = 0) -> Action:
    """A deletion vector of a file of its own, written as PROTOCOL.md describes it."""
    # A bitmap of rows below 2^32 with one container, an array of row 1.
    bitmap = bytearray(struct.pack("<IQIIIHHIH", 1681511377, 1, 0, 12346, 1, 0, 0, 16, 1))
    if damage == 1:
        bitmap[0] ^= 2
    if damage == 5:
        bitmap[4] = 2
    sum_of_all = zlib.crc32(bitmap) ^ (damage == 2)
    size = len(bitmap) - (damage == 3)
    made = bytes([version]) + size.to_bytes(4, "big") + bitmap + sum_of_all.to_bytes(4, "big")
    target = path / "ab" / "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
    target.parent.mkdir()
    target.write_bytes(made[: len(made) - (damage == 4)])
    vector = deletion_vector("ab^-aqEH.-t@S}K{vb[*k^") | {"sizeInBytes": 34}
    stats = _stats(numRecords=3, tightBounds=False)
    return add(name, deletionVector=vector, **stats)


def _data(path: Path, name: str = "f") -> Action:
    """A data file, and the action that adds it."""
    target = path / name
    target.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"a": [1, 2, 3]}), target)
    return add(quote(name), size=target.stat().st_size, **_stats(numRecords=3))


@breaks("DL716", depth="deep")
def a_data_file_is_missing(path: Path) -> None:
    _holding(_data(path), add("g"))(path)


@breaks("DL716", depth="deep")
def a_data_file_is_a_directory(path: Path) -> None:
    (path / "g").mkdir()
    _holding(_data(path), add("g"))(path)


@breaks("DL716", depth="deep")
def a_data_file_has_another_size(path: Path) -> None:
    made = _data(path)
    made["add"]["size"] += 1
    _holding(made)(path)


@breaks("DL716", depth="deep")
def a_data_file_is_no_parquet_file(path: Path) -> None:
    (path / "f").write_bytes(b"x" * 100)
    _holding(add("f"))(path)


@respects("DL716", depth="deep")
def data_files_have_odd_names(path: Path) -> None:
    _holding(_data(path, "p=1/a b%20ü.parquet"))(path)


@respects("DL716 DL705", depth="deep")
def data_files_are_named_by_their_urls(path: Path) -> None:
    made = [_data(path, name) for name in ("f", "g", "h")]
    for action, start in zip(made, ("", "file:", "file://"), strict=True):
        action["add"]["path"] = f"{start}{path}/{action['add']['path']}"
    _holding(*made)(path)


@drafted
def _deleted(path: Path, vector: Action) -> None:
    whole = _data(path)
    whole["add"] |= {key: vector["add"][key] for key in ("deletionVector", "stats")}
    _holding(whole, start=VECTORS)(path)


breaks("DL721", "a vector has no file",
    _deleted({"add": {"deletionVector": _described(), **_stats(numRecords=3, tightBounds=False)}}),
        depth="deep")


@breaks("DL721", depth="deep")
def a_vector_has_another_magic_number(path: Path) -> None:
    _deleted(_stored(path, damage=1))(path)


@breaks("DL721", depth="deep")
def a_vector_has_another_checksum(path: Path) -> None:
    _deleted(_stored(path, damage=2))(path)


@breaks("DL721", depth="deep")
def a_vector_has_another_size(path: Path) -> None:
    _deleted(_stored(path, damage=3))(path)


@breaks("DL721", depth="deep")
def a_vector_is_cut_off(path: Path) -> None:
    _deleted(_stored(path, damage=4))(path)


@breaks("DL721", depth="deep")
def a_vector_ends_before_its_last_bitmap(path: Path) -> None:
    _deleted(_stored(path, damage=5))(path)


@breaks("DL721", depth="deep")
def a_vector_deletes_other_rows_than_the_log_counts(path: Path) -> None:
    made = _stored(path)
    made["add"]["deletionVector"]["cardinality"] = 2
    _deleted(made)(path)


@breaks("DL721", depth="deep")
def a_vector_is_in_a_file_of_the_future(path: Path) -> None:
    _deleted(_stored(path, version=2))(path)


breaks("DL721", "an inline vector is none",
    _deleted({"add": {"deletionVector": _inline(pathOrInlineDv="0" * 50),
        **_stats(numRecords=3, tightBounds=False)}}), depth="deep")


@respects("DL721", depth="deep")
def a_vector_is_as_it_was_written(path: Path) -> None:
    _deleted(_stored(path))(path)


respects("DL721", "an inline vector is as in the protocol",
    _deleted({"add": {"deletionVector": _inline(), **_stats(numRecords=3, tightBounds=False)}}),
        depth="deep")
