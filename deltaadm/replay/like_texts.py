"""
Texts that differ in whole numbers and plain words alone, as the statistics of most tables do.

Its JSON decoder takes pyarrow half of the time that a large checkpoint takes. To take the values
out of what lies between them, which is the same in all texts, takes a third of that.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LONGEST: Final = 512
"""Bytes beyond which the decoder is faster: what follows a number is copied for each of them."""
_MOST_DIGITS: Final = 18
"""All numbers with so many fit into 64 bits."""
_VALUE: Final = re.compile(
    rf'(?<=:)(?:0|[1-9][0-9]{{0,{_MOST_DIGITS - 1}}})(?=[,}}])|(?<=:")[^"\\]*(?="[,}}])'
)
"""A whole number, or what is between quotes; what is within a text is found out, see `_MARK`."""
_MARK: Final = "#value "
"""The prefix of the names of values: without its quotes no text goes on behind it."""
_DIGITS: Final = "0123456789"
_NO_DIGITS: Final = "".join(set(map(chr, range(128))) - set(_DIGITS))
_PLAIN: Final = "".join(set(map(chr, range(0x20, 0x7F))) - set('"\\'))


def columns_of_like(
    texts: pa.StringArray, decoded: Callable[[pa.StringArray], pa.Table | None]
) -> pa.Table | None:
    """
    The columns of *texts*, all of them JSON objects that differ in such values alone; else None.

    *decoded* decodes the first, which has all that they share.
    """
    first = texts[0].as_py()
    longest = pc.max(pc.binary_length(texts)).as_py()
    if longest > _LONGEST or "\\" in first or _MARK in first:
        return None
    between = _VALUE.split(first)
    arrays = _values(texts, between)
    if arrays is None:
        return None
    marked = between[0]
    for number, text in enumerate(between[1:]):
        marked += f"{_MARK}{number}{text}" if text[0] == '"' else f'"{_MARK}{number}"{text}'
    try:
        document = json.loads(marked)
    except ValueError:  # a value within a text
        return None
    read = decoded(texts.slice(0, 1))
    if read is None or len(read) != 1:
        return None
    values = {f"{_MARK}{number}": value for number, value in enumerate(arrays)}
    columns = [
        _repeated(read[name].combine_chunks(), document.get(name), values, len(texts))
        for name in read.column_names
    ]
    if values:  # one is in a list, or of another type than its text
        return None
    return pa.Table.from_arrays(columns, schema=read.schema)


def _values(texts: pa.StringArray, between: Sequence[str]) -> list[pa.Array] | None:
    """The values of all *texts* in the order in which they have them, if that is all they have."""
    arrays, rest = [], texts
    for before, behind in pairwise(between):
        if not pc.all(pc.starts_with(rest, before)).as_py():
            return None
        rest = _sliced(rest, len(before.encode()))
        quoted = behind[0] == '"'
        after = pc.ascii_ltrim(rest, _PLAIN if quoted else _DIGITS)
        lengths = pc.subtract(pc.binary_length(rest), pc.binary_length(after))
        value = _words(rest, lengths) if quoted else _numbers(rest, lengths)
        if value is None:
            return None
        arrays.append(value)
        rest = after
    same = pc.and_(pc.starts_with(rest, between[-1]), pc.ends_with(rest, between[-1]))
    lengths = pc.unique(pc.binary_length(rest)).to_pylist()
    if lengths != [len(between[-1].encode())] or not pc.all(same).as_py():
        return None
    return arrays


def _words(texts: pa.StringArray, lengths: pa.Int32Array) -> pa.StringArray:
    """The first characters of *texts*, as many of each as *lengths* say, before a quote."""
    short = _sliced(texts, 0, pc.max(lengths).as_py() + 1)
    return pc.list_element(pc.split_pattern(short, '"', max_splits=1), 0)


def _numbers(texts: pa.StringArray, lengths: pa.Int32Array) -> pa.Int64Array | None:
    """The digits with which *texts* begin, so many of each, if JSON has them as one number."""
    bounds = pc.min_max(lengths).as_py()
    if not 0 < bounds["min"] <= bounds["max"] <= _MOST_DIGITS:
        return None
    digits = pc.ascii_rtrim(_sliced(texts, 0, bounds["max"]), _NO_DIGITS)
    if not pc.binary_length(digits).equals(lengths):  # more digits follow nearby
        return None
    zeros = digits.filter(pc.starts_with(digits, "0"))
    if pc.max(pc.binary_length(zeros)).as_py() not in {None, 1}:
        return None
    return digits.cast(pa.int64())


def _sliced(texts: pa.StringArray, start: int, stop: int = _LONGEST) -> pa.StringArray:
    """*texts* by their bytes; the view takes no second look at whether they are Unicode."""
    return pc.binary_slice(texts.view(pa.binary()), start, stop).view(pa.string())


def _repeated(one: pa.Array, value: Any, values: dict[str, pa.Array], count: int) -> pa.Array:
    """A column of *count* rows like *one*, with those of the *values* that its *value* names."""
    array = values.get(value) if isinstance(value, str) else None
    if array is not None and pa.types.is_string(array.type) == pa.types.is_string(one.type):
        del values[value]
        return array.cast(one.type, safe=False)
    if not isinstance(value, dict) or not pa.types.is_struct(one.type):
        return pa.repeat(one[0], count)
    inner = [
        _repeated(pc.struct_field(one, number), value.get(field.name), values, count)
        for number, field in enumerate(one.type)
    ]
    return pa.StructArray.from_arrays(inner, fields=list(one.type))
