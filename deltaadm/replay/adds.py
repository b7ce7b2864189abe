"""Checkpoints by column, as pyarrow reads them: which `add` actions count, and rows as JSON."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import reduce
from itertools import repeat
from math import isfinite, isnan
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from deltaadm.domain.snapshot import FileFacts
from deltaadm.limits import Limits
from deltaadm.replay.reconcile import (
    LONG,
    NUM_RECORDS_FIRST,
    PLAINLY_COUNTED,
    Reconciliation,
    canonical_path,
    count_files,
    vector_id,
)

Document = dict[str, Any]

_TOGETHER: Final = 500
"""Rows that are made values of Python together."""


def scalar(value: bool | float | str) -> pa.Scalar:  # noqa: FBT001 -- the value itself
    """*value* for a kernel; `pa.scalar` would import pandas wherever it is installed."""
    if isinstance(value, str):
        body = value.encode()
        buffers = [pa.py_buffer(array("i", [0, len(body)])), pa.py_buffer(body)]
        return pa.Array.from_buffers(pa.string(), 1, [None, *buffers])[0]
    if isinstance(value, bool):
        return pa.Array.from_buffers(pa.bool_(), 1, [None, pa.py_buffer(bytes([value]))])[0]
    kind, form = (pa.int64(), "q") if isinstance(value, int) else (pa.float64(), "d")
    return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(array(form, [value]))])[0]


def field_of(structs: pa.Array, name: str) -> pa.Array:
    """A field of *structs*; nulls where the checkpoint has no such column."""
    if not pt.is_struct(structs.type) or structs.type.get_field_index(name) < 0:
        return pa.nulls(len(structs))
    return pc.struct_field(structs, name)


def values_of(structs: pa.Array, name: str) -> Iterator[Any]:
    """The values of a field of *structs*; without looking at each where none has anything."""
    values = field_of(structs, name)
    if values.null_count == len(values):
        return repeat(None, len(values))
    if pt.is_map(values.type) and not len(entries(values)[0]):
        return repeat((), len(values))
    return iter(values.to_pylist())


def given(values: pa.Array) -> pa.BooleanArray:
    """Whether there is a value; a struct whose fields are all null is none, as in the log."""
    if not pt.is_struct(values.type):
        return pc.is_valid(values)
    fields = (pc.struct_field(values, number) for number in range(values.type.num_fields))
    return reduce(pc.or_, map(pc.is_valid, fields))


def entries(values: pa.MapArray) -> tuple[pa.StringArray, pa.StringArray]:
    """The keys and values of all rows one after the other."""
    if not len(values):
        return values.keys.slice(0, 0), values.items.slice(0, 0)
    first, last = values.offsets[0].as_py(), values.offsets[-1].as_py()
    return values.keys.slice(first, last - first), values.items.slice(first, last - first)


def width_of(values: pa.MapArray, keys: pa.StringArray) -> int | None:
    """The number of entries of each row; None unless all have the same keys in one order."""
    if not len(values) or values.null_count:
        return None
    count, rest = divmod(len(keys), len(values))
    offsets = values.offsets
    lengths = pc.unique(pc.subtract(offsets.slice(1), offsets.slice(0, len(offsets) - 1)))
    if rest or lengths.to_pylist() != [count]:
        return None
    again = pc.equal(keys.slice(count), keys.slice(0, len(keys) - count))
    if count and not pc.all(again).as_py() and len(again):
        return None
    return count if len(pc.unique(keys.slice(0, count))) == count else None


def required(column: pa.StructArray, limits: Limits) -> pa.StructArray:
    """
    The actions in a column of a checkpoint, without nulls, whose own columns are null as well.

    Raises `ValueError` for actions that cannot be used.
    """
    paths = pc.struct_field(column, "path")
    adds = column
    if paths.null_count:  # to filter means to copy
        if column.type.get_field_index("size") >= 0:
            sizes = pc.struct_field(column, "size")
            if pc.any(pc.and_(pc.is_null(paths), pc.is_valid(sizes))).as_py():
                raise ValueError("it has a file without a path")
        adds = column.filter(pc.is_valid(paths))
    require_short_paths(adds, limits)
    return adds


def require_short_paths(files: pa.StructArray, limits: Limits) -> None:
    """Raise `ValueError` if a path of *files* is longer than a path may be."""
    if _longest(pc.struct_field(files, "path")) > limits.path:
        raise ValueError(f"a path in it is longer than {limits.path:,} characters")


def _longest(texts: pa.StringArray) -> int:
    return pc.max(pc.binary_length(texts)).as_py() or 0


def texts(values: Iterable[str]) -> pa.StringArray:
    """*values* for a kernel, likewise without pandas."""
    return _bytes(value.encode() for value in values).view(pa.string())


def _bytes(values: Iterable[bytes]) -> pa.BinaryArray:
    # By hand: `pa.array` would import pandas wherever it is installed.
    offsets, body = array("i", [0]), bytearray()
    for value in values:
        body += value
        offsets.append(len(body))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(body)]
    return pa.BinaryArray.from_buffers(pa.binary(), len(offsets) - 1, buffers)


def live(
    adds: pa.StructArray, touched: pa.StringArray, reconciled: Reconciliation
) -> pa.StructArray:
    """Those of *adds* that *reconciled* does not hide; raises `ValueError` for a damaged path."""
    # Only those are offered to *reconciled*, which remembers what it is offered, that newer actions
    # may hide: the ones *touched*, the long ones, and all that have several spellings.
    paths = pc.struct_field(adds, "path")
    doubtful = pc.or_(pc.is_in(paths, touched), pc.starts_with(paths, "/"))
    body = paths.buffers()[2]
    text = b"" if body is None else body.to_pybytes()
    if not text.isascii():
        paths.validate(full=True)
    if _longest(paths) > LONG:
        doubtful = pc.or_(doubtful, pc.greater(pc.binary_length(paths), LONG))
    # That no path of a batch has them is seen fastest by looking at all of them at once; for single
    # characters, that takes a twentieth of the time.
    pairs = (b"//", b"./", b"/.") if b"/" in text else ()
    if any(sign in text for sign in (b"%", b":", *pairs)):
        doubtful = pc.or_(doubtful, pc.match_substring_regex(paths, r"[%:]|//|\./|/\."))
    if not pc.any(doubtful).as_py():
        return adds
    offered = (reconciled.offer("add", add) for add in add_documents(adds.filter(doubtful)))
    marks = bytes(not doubt or next(offered) for doubt in doubtful.to_pylist())
    kept = pa.Array.from_buffers(pa.uint8(), len(marks), [None, pa.py_buffer(marks)])
    return adds.filter(kept.cast(pa.bool_()))


def documents(column: pa.ChunkedArray) -> Iterator[Document]:
    """The structs of a column as JSON objects; one whose fields are all null counts as null."""
    plain = _plain_value(column.type)
    valid = column.filter(column.is_valid())
    for start in range(0, len(valid), _TOGETHER):  # a caller may want the first of very many
        for struct in valid.slice(start, _TOGETHER).to_pylist():
            document = struct if plain is None else plain(struct)
            if document:
                yield document


def _plain_value(data_type: pa.DataType) -> Callable[[Any], Any] | None:
    """
    What makes of an Arrow value what JSON has; None where they are the same.

    That is maps as objects, and no entries for null fields of structs.
    """
    if pt.is_map(data_type):
        return dict
    if not pt.is_struct(data_type):
        return None
    fields = [(child.name, _plain_value(child.type)) for child in data_type]

    def document(struct: Document) -> Document:
        return {
            name: value if plain is None else plain(value)
            for name, plain in fields
            if (value := struct[name]) is not None
        }

    return document


def add_documents(adds: pa.Array) -> Iterator[Document]:
    """The same for `add` actions; statistics that are a struct alone are converted to JSON."""
    for document in documents(adds):
        parsed = document.pop("stats_parsed", None)
        if parsed is not None and "stats" not in document:
            document["stats"] = _json_of(parsed, adds.type.field("stats_parsed").type)
        if document.get("deletionVector") == {}:
            del document["deletionVector"]
        yield document


def _json_of(value: Any, kind: pa.DataType) -> str:
    """A value of statistics as the JSON text that Delta would have for it."""
    if pt.is_struct(kind) and isinstance(value, dict):
        inner = ((key, _json_of(child, kind.field(key).type)) for key, child in value.items())
        return "{" + ",".join(f"{json.dumps(key)}:{text}" for key, text in inner) + "}"
    if isinstance(value, datetime):
        # INT96, of which Arrow makes nanoseconds, has no zone and is in UTC.
        zoned = value.tzinfo is not None or kind.unit == "ns"
        moment = value.astimezone(UTC) if value.tzinfo else value
        text = moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
        return json.dumps(f"{text}Z" if zoned else text)
    if isinstance(value, date):
        return json.dumps(value.isoformat())
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float) and not isfinite(value):
        return '"NaN"' if isnan(value) else f'"{"-" if value < 0 else ""}Infinity"'
    if isinstance(value, bool | int | float | str):
        return json.dumps(value)
    raise ValueError(f"its stats_parsed has a {kind}, which has no form in JSON")


def facts_of(adds: pa.StructArray, *, counted: bool) -> FileFacts:
    """Facts about *adds*; where all are *counted*, their statistics need not have been read."""
    sizes = field_of(adds, "size").cast(pa.int64())
    has_vector = given(field_of(adds, "deletionVector"))
    without_stats, without_count = 0, 0
    if not counted:
        stats, parsed = field_of(adds, "stats").cast(pa.string()), field_of(adds, "stats_parsed")
        # Those, without nulls, that do not begin with the number of records.
        begins = pc.binary_slice(stats.cast(pa.binary()), 0, len(PLAINLY_COUNTED[0]))
        rest = stats.filter(pc.invert(pc.is_in(begins, _bytes(PLAINLY_COUNTED))))
        rest = rest.filter(pc.invert(pc.match_substring_regex(rest, NUM_RECORDS_FIRST)))
        odd = count_files({"stats": text} for text in rest.to_pylist())
        numbers, lacking = field_of(parsed, "numRecords"), pc.is_null(stats)
        without_stats = stats.null_count - _count(pc.and_(lacking, pc.is_valid(parsed)))
        without_count = stats.null_count - _count(pc.and_(lacking, pc.is_valid(numbers)))
        without_count += odd.without_num_records
    return FileFacts(
        files=len(adds),
        bytes=pc.sum(sizes).as_py() or 0,
        with_deletion_vector=_count(has_vector),
        bytes_with_deletion_vector=pc.sum(sizes.filter(has_vector)).as_py() or 0,
        without_stats=without_stats,
        without_num_records=without_count,
        without_base_row_id=field_of(adds, "baseRowId").null_count,
        partition_keys=_partition_keys(field_of(adds, "partitionValues")),
    )


def _count(flags: pa.Array) -> int:
    return pc.sum(flags).as_py() or 0


def _partition_keys(values: pa.Array) -> frozenset[tuple[str, ...]]:
    """The sets of keys; the usual case, the same keys everywhere, is seen without a loop."""
    if not pt.is_map(values.type):
        return frozenset({()} if len(values) else ())
    keys, _ = entries(values)
    same = width_of(values, keys)
    if same is not None:
        return frozenset({tuple(sorted(keys.slice(0, same).to_pylist()))})
    return frozenset(tuple(sorted(key for key, _ in pairs or ())) for pairs in values.to_pylist())


def hashed_rows(adds: pa.StructArray, qualifier: str) -> Iterator[tuple[int, str]]:
    """The hash and path of each file, by which two sets of them are compared."""
    adds = adds.filter(pc.is_valid(field_of(adds, "path")))
    paths, column = field_of(adds, "path").to_pylist(), field_of(adds, "deletionVector")
    vectors: Iterable[Document | None] = [None] * len(paths)
    if valid_rows(column, "storageType"):
        vectors = column.to_pylist()
    for path, vector in zip(paths, vectors, strict=True):
        yield hash((canonical_path(path, qualifier), vector_id(vector))), path


def valid_rows(column: pa.Array, key: str | None) -> int:
    """The number of rows with a value in a column; a struct counts by its field *key*."""
    if pt.is_struct(column.type) and key is not None:
        column = field_of(column, key)
    return len(column) - int(column.null_count)
