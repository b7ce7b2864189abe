"""
The files of a checkpoint by column: what a rule asks about very many before it looks at any.

Statistics are JSON texts, which pyarrow decodes into columns by itself where all of them have the
same shape. Its decoder is the stricter one: what it takes, Python takes as well. Any other text is
left to whoever looks at the file.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import pairwise
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from deltaadm.domain.actions import AddFile
from deltaadm.domain.file_facts import Kinds, num_records
from deltaadm.facts import LiveFile, State
from deltaadm.paths import ABSOLUTE, PLAIN_CHARACTERS, PLAIN_PATH
from deltaadm.replay.adds import add_documents, entries, field_of, given, scalar, width_of

# Texts that are alike


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
_NULLS: Final = ',"nullCount":'
_BEYOND: Final = 1 << 31
"""Behind the end of any text."""
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
    if longest > _LONGEST:
        return _columns_of_like_ends(texts, decoded)
    if "\\" in first or _MARK in first:
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
        _repeated_column(read[name].combine_chunks(), document.get(name), values, len(texts))
        for name in read.column_names
    ]
    if values:  # one is in a list, or of another type than its text
        return None
    return pa.Table.from_arrays(columns, schema=read.schema)


def _columns_of_like_ends(
    texts: pa.StringArray, decoded: Callable[[pa.StringArray], pa.Table | None]
) -> pa.Table | None:
    """
    The columns of *texts* that end alike from the counts of nulls on, decoded once; else None.

    These are a third of the values of long texts, and the same in files without nulls.
    """
    first = texts[0].as_py()
    end = first[first.find(_NULLS) :]
    if not pc.all(pc.ends_with(texts, end)).as_py():
        return None
    ends = _parsed(pa.py_buffer(b"{" + end[1:].encode()), pa.schema([]))
    if ends is None or len(ends) != 1:  # there are none, or they are not the object's own
        return None
    # What is an object with this end is one with any other member in its place.
    bytes_, size = texts.view(pa.binary()), len(end.encode())
    fronts = pc.binary_replace_slice(bytes_, -size, _BEYOND, f"{_NULLS}0}}").view(pa.string())
    if (read := decoded(fronts)) is None or len(read) != len(texts):
        return None
    read = read.drop_columns(["nullCount"])
    if not {*ends.column_names}.isdisjoint(read.column_names):
        return None
    for name in ends.column_names:
        read = read.append_column(name, pa.repeat(ends[name][0], len(texts)))
    return read


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
        if quoted:  # as many characters as the lengths say are before a quote
            short = _sliced(rest, 0, pc.max(lengths).as_py() + 1)
            value = pc.list_element(pc.split_pattern(short, '"', max_splits=1), 0)
        else:
            value = _numbers(rest, lengths)
        if value is None:
            return None
        arrays.append(value)
        rest = after
    same = pc.and_(pc.starts_with(rest, between[-1]), pc.ends_with(rest, between[-1]))
    lengths = pc.unique(pc.binary_length(rest)).to_pylist()
    if lengths != [len(between[-1].encode())] or not pc.all(same).as_py():
        return None
    return arrays


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


def _repeated_column(
    one: pa.Array, value: Any, values: dict[str, pa.Array], count: int
) -> pa.Array:
    """A column of *count* rows like *one*, with those of the *values* that its *value* names."""
    array = values.get(value) if isinstance(value, str) else None
    if array is not None and pa.types.is_string(array.type) == pa.types.is_string(one.type):
        del values[value]
        return array.cast(one.type, safe=False)
    # An empty object has no column to tell how many rows there are.
    if not isinstance(value, dict) or not pa.types.is_struct(one.type) or not one.type.num_fields:
        return pa.repeat(one[0], count)
    inner = [
        _repeated_column(pc.struct_field(one, number), value.get(field.name), values, count)
        for number, field in enumerate(one.type)
    ]
    return pa.StructArray.from_arrays(inner, fields=list(one.type))


# File columns


class Rows:
    """Some rows, as flags without nulls."""

    __slots__ = ("flags",)

    def __init__(self, flags: pa.BooleanArray) -> None:
        self.flags = flags

    def __bool__(self) -> bool:
        return bool(pc.any(self.flags).as_py())

    def count(self) -> int:
        return pc.sum(self.flags).as_py() or 0

    def __or__(self, other: Rows) -> Rows:
        return Rows(pc.or_(self.flags, other.flags))

    def __and__(self, other: Rows) -> Rows:
        return Rows(pc.and_(self.flags, other.flags))

    def __invert__(self) -> Rows:
        return Rows(pc.invert(self.flags))


def _where(flags: pa.BooleanArray) -> Rows:
    """The rows for which a comparison is true, which a null is not."""
    return Rows(pc.fill_null(flags, scalar(False)) if flags.null_count else flags)


class ArrowFiles:
    """
    The live files in *adds*, which belong to *state* and are judged at the time *now*.

    Columns have the names of fields of `add`. An answer may contain files in which nothing is
    wrong; it never lacks one in which something is. *shape* is that of their statistics.
    """

    def __init__(
        self, adds: pa.StructArray, state: State, now: int, shape: StatisticsShape
    ) -> None:
        self._adds = adds
        self.state = state
        self.now = now
        # What takes longest is done by the thread that makes this; before Python 3.12, a cached
        # property makes all threads wait for each other.
        # Statistics that the checkpoint has as structs are read by their count alone.
        texts, structs = self._texts("stats"), self.column("stats_parsed")
        if texts.null_count and pa.types.is_struct(structs.type):
            counts = pc.struct_field(structs, "numRecords")
            counted = pc.binary_join_element_wise(
                scalar('{"numRecords":'), counts.cast(pa.string()), scalar("}"), scalar("")
            )
            empty = pc.if_else(pc.is_valid(structs), scalar("{}"), pa.nulls(1, pa.string())[0])
            texts = pc.coalesce(texts, counted, empty)
        deleted = self.vectors("cardinality").cast(pa.int64())
        self.statistics = Statistics(texts, deleted, shape)
        paths = self._texts("path")
        # To skip what the pattern accepts anyway takes a fraction of looking for it.
        rest = pc.ascii_ltrim(paths, PLAIN_CHARACTERS)
        plain = pc.match_substring_regex(rest, rf"\A(?:{PLAIN_PATH})\z")
        short = pc.less(pc.binary_length(paths), scalar(2))
        self.odd_paths = _where(pc.invert(plain)) | _where(short)
        """The files whose path may have a flaw, or be absolute without a slash; see `path_flaw`."""

    def __len__(self) -> int:
        return len(self._adds)

    @property
    def every(self) -> Rows:
        return Rows(_same(True, len(self)))

    @property
    def none(self) -> Rows:
        return Rows(_same(False, len(self)))

    def column(self, name: str) -> pa.Array:
        """A field of the actions; nulls where the checkpoint has no such column."""
        return field_of(self._adds, name)

    def vectors(self, name: str) -> pa.Array:
        """A field of the deletion vectors; nulls where the checkpoint has no such column."""
        return field_of(self.column("deletionVector"), name)

    def having(self, column: str) -> Rows:
        """The files in which *column* is not null; a struct without any field counts as null."""
        return Rows(given(self.column(column)))

    def below(self, column: str, least: int) -> Rows:
        """The files in which the number in *column* is less than *least*."""
        return _where(pc.less(self._numbers(column), scalar(least)))

    def above(self, column: str, most: int) -> Rows:
        """The files in which the number in *column* is greater than *most*."""
        return _where(pc.greater(self._numbers(column), scalar(most)))

    def _numbers(self, column: str) -> pa.Array:
        numbers = self.column(column)
        try:
            return numbers.cast(pa.int64())
        except pa.ArrowInvalid:  # numbers without a sign, of 64 bits
            return numbers.cast(pa.float64(), safe=False)

    def where(self, column: str, is_meant: Callable[[str], bool]) -> Rows:
        """The rows whose text in a column is meant."""
        return Rows(pa.array(map(is_meant, self.column(column).to_pylist()), pa.bool_()))

    def absolute_paths(self) -> Rows:
        """The files with an absolute path; one that is plain is absolute only with a slash."""
        paths = self._texts("path")
        possible = self.odd_paths | _where(pc.starts_with(paths, "/"))
        if not possible:
            return possible
        return possible & _where(pc.match_substring_regex(paths, rf"\A(?:{ABSOLUTE})"))

    def malformed_vectors(self) -> Rows:
        """The files whose deletion vector may be described wrongly."""
        present = self.having("deletionVector")
        if not present:
            return present
        usual = pc.match_substring_regex(self.vectors("pathOrInlineDv").cast(pa.string()), _VECTOR)
        kind = pc.equal(self.vectors("storageType").cast(pa.string()), scalar("u"))
        offset = pc.greater_equal(self.vectors("offset").cast(pa.int64()), scalar(0))
        plain = pc.and_(pc.and_(usual, kind), pc.fill_null(offset, scalar(False)))
        return present & ~_where(plain)

    def _texts(self, column: str) -> pa.StringArray:
        return self.column(column).cast(pa.string())

    def with_partition_keys(self, wrong: Callable[[frozenset[str]], bool]) -> Rows:
        """The files of whose set of partition columns *wrong* is true."""
        values = self.column("partitionValues")
        if not pa.types.is_map(values.type):
            return self.every if wrong(frozenset()) else self.none
        keys, _ = entries(values)
        width = width_of(values, keys)
        if width is not None:
            same = frozenset(keys.slice(0, width).to_pylist())
            return self.every if wrong(same) else self.none
        rows = [wrong(frozenset(key for key, _ in row or ())) for row in values.to_pylist()]
        return Rows(pa.array(rows, pa.bool_()))

    def with_partition_value(self, wrong: Callable[[str, str | None], bool]) -> Rows:
        """The files with a partition column of whose name and value *wrong* is true."""
        values = self.column("partitionValues")
        if not pa.types.is_map(values.type):
            return self.none
        keys, texts = entries(values)
        width = width_of(values, keys)
        if width is None:
            rows = [any(wrong(*pair) for pair in row or ()) for row in values.to_pylist()]
            return Rows(pa.array(rows, pa.bool_()))
        matching = self.none
        for number, key in enumerate(keys.slice(0, width).to_pylist()):
            column = texts
            if width > 1:
                at = array("q", range(number, number + width * len(self), width))
                places = [None, pa.py_buffer(at)]
                column = texts.take(pa.Array.from_buffers(pa.int64(), len(self), places))
            bad = [text for text in pc.unique(column).to_pylist() if wrong(key, text)]
            if bad:
                matching |= Rows(pc.is_in(column, pa.array(bad, pa.string())))
        return matching

    def files(self, rows: Sequence[Any]) -> Iterator[tuple[LiveFile, Sequence[bool]]]:
        """The files that are in any of *rows*, each with the answer in which of them it is."""
        wanted = self.none
        for flags in rows:
            wanted |= flags
        chosen, count = wanted.flags, wanted.count()
        if not count:
            return
        every = count == len(self)
        adds = self._adds if every else self._adds.filter(chosen)
        answers = [flags.flags if every else flags.flags.filter(chosen) for flags in rows]
        marks = zip(*(flags.to_pylist() for flags in answers), strict=True)
        for document, mark in zip(add_documents(adds), marks, strict=True):
            yield LiveFile(AddFile.from_wire(document), self.state, self.now), mark


_Z85_FIRST: Final = r"[0-9a-zA-Z.:+=^!/*?&<>()\[\]{}@-]"
_Z85: Final = r"[0-9a-zA-Z.:+=^!/*?&<>()\[\]{}@%$#-]"
_VECTOR: Final = rf"(?:{_Z85_FIRST}{_Z85}{{4}}){{4}}\z"
"""A text that ends with four groups of Z85, none of which can exceed four bytes."""


# Statistics

_SMALLEST_PIECE: Final = 64
_DEEPEST: Final = 400
_NUMBER: Final = "numRecords"


class Statistics:
    """
    The statistics in *texts* of files of which so many records are *deleted*.

    Those that cannot be read by column, `unread`, are in every answer. It does not know the files:
    a circle would keep all of them.
    """

    def __init__(
        self, texts: pa.StringArray, deleted: pa.Int64Array, shape: StatisticsShape
    ) -> None:
        self._texts = texts
        self._deleted = deleted
        self._kinds = shape.kinds
        odd = _odd(self._texts)
        usual = pc.fill_null(self._texts, scalar("{}")) if self._texts.null_count else self._texts
        if odd is not None:
            usual = pc.if_else(odd, scalar("{}"), usual)
        self._pieces = list(shape.decoded(usual))
        self.unread = Rows(_same(False, len(texts)) if odd is None else odd)
        self.unread = self._where(_infinite)

    @cached_property
    def records(self) -> pa.Int64Array:
        """The number of records that each file says; null where it does not or was not read."""
        return _joined(
            pa.nulls(count, pa.int64()) if read is None else read["numRecords"].combine_chunks()
            for read, count in self._pieces
        )

    def counts(self) -> list[int | None]:
        """The number of records that each file says, also where that was not read by column."""
        numbers: list[int | None] = self.records.to_pylist()
        for position in pc.indices_nonzero(self.unread.flags).to_pylist():
            numbers[position] = num_records(self._texts[position].as_py())
        return numbers

    def records_below(self, least: int) -> Rows:
        """The files that say to have fewer records than *least*."""
        return _where(pc.less(self.records, scalar(least))) | self.unread

    def fewer_records_than_deleted(self) -> Rows:
        """The files that lack the number of records, or have a smaller one than is deleted."""
        records = pc.max_element_wise(self.records, scalar(0), skip_nulls=False)
        return ~_where(pc.less_equal(self._deleted, records)) | self.unread

    def unlike(self, key: str, *, value: bool) -> Rows:
        """The files that do not say that *key* is *value*."""

        def differing(read: pa.Table) -> pa.BooleanArray | bool:
            if key not in read.column_names or not pa.types.is_boolean(read[key].type):
                return True
            differing = pc.not_equal(read[key].combine_chunks(), scalar(value))
            return pc.fill_null(differing, scalar(True))

        return self._where(differing)

    def contradictory(self) -> Rows:
        """The files with a minimum above the maximum, or more nulls than records."""

        def contradictory(read: pa.Table) -> pa.BooleanArray | bool:
            columns = {name: read[name].combine_chunks() for name in read.column_names}
            found: list[pa.BooleanArray] = []
            low, high = (columns.get(key) for key in ("minValues", "maxValues"))
            if low is not None and high is not None:
                _crossed(low, high, self._kinds, found)
            if "nullCount" in columns:
                _too_many(columns["nullCount"], columns["numRecords"], found)
            return _in_any(found)

        return self._where(contradictory)

    def named(self, names: Container[str]) -> Rows:
        """The files that have bounds or counts under any of *names*."""

        def naming(read: pa.Table) -> bool:
            groups = (read.schema.field(key).type for key in _GROUPS if key in read.column_names)
            return any(
                field.name in names for kind in groups if pa.types.is_struct(kind) for field in kind
            )

        return self._where(naming)

    def _where(self, ask: Callable[[pa.Table], pa.BooleanArray | bool]) -> Rows:
        """The rows for which the answer is true, and those that have not been read."""
        parts = (_spread(read is None or ask(read), count) for read, count in self._pieces)
        return _where(_joined(parts)) | self.unread


def _same(flag: bool, count: int) -> pa.BooleanArray:  # noqa: FBT001 -- the value itself
    return pa.repeat(scalar(flag), count)


def _spread(flags: Any, count: int) -> pa.BooleanArray:
    return _same(flags, count) if isinstance(flags, bool) else flags


def _in_any(found: Iterable[pa.BooleanArray]) -> pa.BooleanArray | bool:
    marked = [_where(flags).flags for flags in found]
    return reduce(pc.or_, marked) if marked else False


def _joined(parts: Iterable[pa.Array]) -> pa.Array:
    every = list(parts)
    return every[0] if len(every) == 1 else pa.concat_arrays(every)


_GROUPS: Final = ("minValues", "maxValues", "nullCount")


def _crossed(low: pa.Array, high: pa.Array, kinds: Kinds, violations: list[Any]) -> None:
    if not (pa.types.is_struct(low.type) and pa.types.is_struct(high.type)):
        return
    for field in low.type:
        if high.type.get_field_index(field.name) < 0:
            continue
        least, most = pc.struct_field(low, field.name), pc.struct_field(high, field.name)
        kind = kinds.get(field.name)
        if kind is not None and not isinstance(kind, str):
            _crossed(least, most, kind, violations)
        elif kind is not None and _are(least, most, _is_number):
            violations.append(_above(least, most))
        elif kind is not None and _are(least, most, pa.types.is_string):
            violations.append(pc.greater(least, most))


def _are(left: pa.Array, right: pa.Array, is_kind: Callable[[pa.DataType], bool]) -> bool:
    return is_kind(left.type) and is_kind(right.type)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _above(left: pa.Array, right: pa.Array) -> pa.Array:
    """Rows in which *left* may be greater: two whole numbers may have become the same double."""
    if _are(left, right, pa.types.is_integer):
        return pc.greater(left, right)
    left, right = left.cast(pa.float64(), safe=False), right.cast(pa.float64(), safe=False)
    # Beyond this a double stands for several whole numbers.
    large = pc.greater_equal(pc.abs(left), scalar(float(1 << 53)))
    same = pc.and_(pc.equal(left, right), large)
    return pc.or_(pc.greater(left, right), same)


def _too_many(nulls: pa.Array, records: pa.Array, violations: list[Any]) -> None:
    if not pa.types.is_struct(nulls.type):
        return
    for field in nulls.type:
        counts = pc.struct_field(nulls, field.name)
        if pa.types.is_struct(field.type):
            _too_many(counts, records, violations)
        elif pa.types.is_integer(field.type):
            violations.append(pc.or_(pc.less(counts, scalar(0)), pc.greater(counts, records)))
        elif pa.types.is_floating(field.type):  # among which there may be whole numbers
            violations.append(pc.is_valid(counts))


def _bounds(kinds: Kinds) -> pa.StructType:
    fields = []
    for name, kind in kinds.items():
        if not isinstance(kind, str):
            if (inner := _bounds(kind)).num_fields:
                fields.append((name, inner))
        elif arrow_type := _JSON_TYPES.get(kind.partition("(")[0]):
            fields.append((name, arrow_type))
    return pa.struct(fields)


_JSON_TYPES: Final = {
    **dict.fromkeys(("byte", "short", "integer", "long"), pa.int64()),
    **dict.fromkeys(("float", "double", "decimal"), pa.float64()),
    **dict.fromkeys(("string", "date", "timestamp", "timestamp_ntz"), pa.string()),
}


def _odd(texts: pa.StringArray) -> pa.BooleanArray | None:
    """Marks the texts that Python might not decode though pyarrow does; None if there are none."""
    # What is decoded is an object by its first and last character. Python gives up on deep nesting,
    # and pyarrow ends the process; of whole numbers too long for Python it makes infinite ones.
    odd = pc.invert(pc.and_(pc.starts_with(texts, "{"), pc.ends_with(texts, "}")))
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    if longest > 2 * _DEEPEST and _may_be_deep(texts, longest):  # what opens is closed
        opened = pc.add(pc.count_substring(texts, "["), pc.count_substring(texts, "{"))
        odd = pc.or_(odd, pc.greater(opened, scalar(_DEEPEST)))
    odd = _where(odd).flags  # no statistics are none to look at
    return odd if pc.any(odd).as_py() else None


def _may_be_deep(texts: pa.StringArray, longest: int) -> bool:
    """Whether any of *texts* may be nested so deeply: a quick look."""
    _, offsets, content = texts.buffers()
    body = content.to_pybytes()
    # Of an object, `{"":` and `}`.
    if longest <= 5 * _DEEPEST and b"[" not in body:
        return False
    starts = memoryview(offsets).cast("i")[texts.offset :: _TOGETHER].tolist()
    pieces = pairwise((*starts, len(body)))
    return any(body.count(b"{", *piece) + body.count(b"[", *piece) > _DEEPEST for piece in pieces)


_TOGETHER: Final = 32
"""Texts that are looked at together."""


def _infinite(read: pa.Table) -> pa.BooleanArray | bool:
    """Marks the rows with what is no finite number, which Python knows under fewer names."""
    infinite: list[pa.BooleanArray] = []
    for column in read.columns:
        for leaf in _leaves(column.combine_chunks()):
            finite = pc.is_finite(leaf)
            if pc.all(finite).as_py() is False:
                if len(leaf) != len(read):  # in a list
                    return True
                infinite.append(pc.invert(finite))
    return _in_any(infinite)


def _leaves(values: pa.Array) -> Iterator[pa.Array]:
    if pa.types.is_floating(values.type):
        yield values
    elif pa.types.is_struct(values.type):
        for number in range(values.type.num_fields):
            yield from _leaves(pc.struct_field(values, number))
    elif pa.types.is_list(values.type):
        yield from _leaves(values.flatten())


class StatisticsShape:
    """
    What the statistics of a table with columns of these *kinds* look like.

    To look for columns that no file has takes time: those that the first texts lack are left out,
    until one of them comes up.
    """

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        bounds = _bounds(kinds)
        fields: dict[str, Any] = {"numRecords": pa.int64()}
        if bounds.num_fields:
            fields |= {"minValues": bounds, "maxValues": bounds}
        self._usual = pa.schema(fields)
        self._present: pa.Schema | None = None

    def decoded(self, texts: pa.StringArray) -> Iterator[tuple[pa.Table | None, int]]:
        """The columns of *texts* piece by piece, each with its length; None for one as it is."""
        count = len(texts)
        read = columns_of_like(texts, self._read) if count > _SMALLEST_PIECE else None
        if read is None:
            read = self._read(texts)
        if read is not None and len(read) == count:
            yield read, count
        elif count <= _SMALLEST_PIECE:
            yield None, count
        else:
            yield from self.decoded(texts.slice(0, count // 2))
            yield from self.decoded(texts.slice(count // 2))

    def _read(self, texts: pa.StringArray) -> pa.Table | None:
        offsets = pa.py_buffer(array("i", [0, len(texts)]))
        ends = pa.Array.from_buffers(pa.int32(), 2, [None, offsets])
        # No JSON goes on behind a line that ends in the middle of it.
        body = pc.binary_join(pa.ListArray.from_arrays(ends, texts), scalar("\n")).buffers()[2]
        if body.size > 1 << 26:
            return None
        present = self._present
        if present is not None:
            read = _parsed(body, present)
            if read is not None and not _has_left_out(read.schema, present, self._usual):
                return read
            self._present = self._usual
        read = _parsed(body, self._usual)
        if read is not None and present is None:
            columns = {name: read[name].combine_chunks() for name in self._usual.names}
            self._present = pa.schema(_filled(self._usual, columns))
        return read


def _parsed(body: pa.Buffer, schema: pa.Schema) -> pa.Table | None:
    import pyarrow.json as pj

    try:
        return pj.read_json(
            pa.BufferReader(body),
            # One block, as pyarrow fails on a line that reaches over more; the threads are ours.
            read_options=pj.ReadOptions(use_threads=False, block_size=body.size + 1),
            parse_options=pj.ParseOptions(explicit_schema=schema),
        )
    except pa.ArrowInvalid:
        return None


def _filled(fields: Iterable[pa.Field], columns: Mapping[str, pa.Array]) -> list[pa.Field]:
    """The *fields* of which any row has a value, and the number of records."""
    filled = []
    for field in fields:
        values = columns[field.name]
        if pa.types.is_struct(field.type):
            inner = {child.name: pc.struct_field(values, child.name) for child in field.type}
            if kept := _filled(field.type, inner):
                filled.append(pa.field(field.name, pa.struct(kept)))
        elif values.null_count < len(values) or field.name == _NUMBER:
            filled.append(field)
    return filled


def _has_left_out(fields: Any, present: Any, usual: Any) -> bool:
    """Whether among the fields *found* there is a usual one that was not known to be *present*."""
    for field in fields:
        if usual.get_field_index(field.name) < 0:
            continue
        if present.get_field_index(field.name) < 0:
            return True
        kinds = (field.type, present.field(field.name).type, usual.field(field.name).type)
        if pa.types.is_struct(kinds[2]) and _has_left_out(*kinds):
            return True
    return False
