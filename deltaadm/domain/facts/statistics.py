"""Per-file statistics: the JSON text in `add.stats` (PROTOCOL.md, Per-file Statistics)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.schema import PrimitiveType, StructType
from deltaadm.domain.model.wire import integer
from deltaadm.domain.transaction.column_mapping import (
    ColumnMappingMode,
    column_mapping_mode,
    physical_name,
)
from deltaadm.errors import DeltaadmError
from deltaadm.limits import load_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.model.metadata import Metadata

    Document = Mapping[str, Any]
    Kinds = Mapping[str, "str | Kinds"]


class NotStatistics(ValueError):  # noqa: N818 -- reads as the finding it is
    """The text is not the JSON of an object."""


def parse_statistics(text: str) -> Document:
    """The statistics that *text* holds; raises `NotStatistics`."""
    try:
        document = load_json(text)
    except (ValueError, RecursionError) as error:
        raise NotStatistics(str(error)) from error
    if not isinstance(document, dict):
        raise NotStatistics("it is not a JSON object")
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
    except NotStatistics:
        return None


def kinds_in(metadata: Metadata | None) -> Kinds:
    """`column_kinds` of a table; empty where its schema or mapping cannot be read."""
    try:
        if metadata is not None:
            return column_kinds(metadata.schema, column_mapping_mode(metadata))
    except DeltaadmError:
        pass
    return {}


def column_kinds(schema: StructType, mode: ColumnMappingMode) -> Kinds:
    """
    The types of the columns that may have bounds, by the names that statistics use.

    A struct is a mapping in turn; arrays, maps and the like have no bounds and are left out.
    """
    kinds: dict[str, str | Kinds] = {}
    for field in schema.fields:
        name = field.name if mode is ColumnMappingMode.NONE else physical_name(field)
        if isinstance(field.type, StructType):
            kinds[name] = column_kinds(field.type, mode)
        elif isinstance(field.type, PrimitiveType):
            kinds[name] = field.type.name
    return kinds


def contradictions(statistics: Document, kinds: Kinds) -> Iterator[str]:
    """
    Return the contradictions in *statistics*, in words: what cannot be true of any file.

    A lower bound above the upper one, and more nulls than records. Values are compared only
    where every writer orders and spells them the same.
    """
    low, high = statistics.get("minValues"), statistics.get("maxValues")
    if isinstance(low, dict) and isinstance(high, dict):
        yield from _crossed(low, high, kinds, "")
    nulls, records = statistics.get("nullCount"), integer(statistics.get("numRecords"))
    if isinstance(nulls, dict) and records is not None:
        yield from _too_many_nulls(nulls, records, "")


_NUMBERS: Final = frozenset({int, float})


def _crossed(low: Document, high: Document, kinds: Kinds, within: str) -> Iterator[str]:
    """Tables have millions of files with dozens of bounds: the usual case does the least."""
    for name, least in low.items():
        most: Any = high.get(name)
        first, second = type(least), type(most)
        if first in _NUMBERS and second in _NUMBERS:
            crossed = least > most and isinstance(kinds.get(name), str)
        elif first is str and second is str:
            crossed = least > most and _is_ordered_as_text(least, most, kinds.get(name))
        else:
            inner = kinds.get(name)
            if first is dict and second is dict and isinstance(inner, dict):
                yield from _crossed(least, most, inner, f"{within}{name}.")
            continue
        if crossed:
            yield f"the minimum of {within + name!r} is {least!r}, its maximum {most!r}"


_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?", re.ASCII)


def _is_ordered_as_text(least: str, most: str, kind: str | Kinds | None) -> bool:
    """Whether its bounds can be compared as text."""
    # Text beyond ASCII is left alone, since writers order it by bytes or by UTF-16 units.
    if kind == "string":
        return least.isascii() and most.isascii()
    if kind == "date":
        return bool(_DATE.fullmatch(least) and _DATE.fullmatch(most))
    if kind in ("timestamp", "timestamp_ntz"):
        # With and without the Z, equal instants would differ as text.
        same = least.endswith("Z") == most.endswith("Z")
        return bool(same and _UTC.fullmatch(least) and _UTC.fullmatch(most))
    return False


def _too_many_nulls(nulls: Document, records: int, within: str) -> Iterator[str]:
    for name, count in nulls.items():
        if isinstance(count, dict):
            yield from _too_many_nulls(count, records, f"{within}{name}.")
        elif type(count) is int and not 0 <= count <= records:
            yield f"{within + name!r} has {count} nulls in {records} records"
