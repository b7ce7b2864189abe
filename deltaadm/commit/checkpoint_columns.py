"""The columns of a checkpoint: which there are, and how actions of the log become rows."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from decimal import Context, Decimal, InvalidOperation
from struct import pack, unpack
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.actions import ACTIONS
from deltaadm.domain.model.properties import column_list, whole_number
from deltaadm.domain.model.schema import ArrayType, MapType, PrimitiveType, StructField, StructType
from deltaadm.domain.transaction.column_mapping import physical_name
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deltaadm.domain.model.schema import DataType, Path
    from deltaadm.domain.model.snapshot import Snapshot

    Action = dict[str, Any]
    Named = tuple[str, Action]

_V1: Final = ("txn", "add", "remove", "metaData", "protocol", "domainMetadata")
_V2: Final = (*_V1, "checkpointMetadata", "sidecar")
_ONLY_IN_COMMITS: Final = {"remove": ("stats", "tags")}
_SCALARS: Final[Mapping[str, tuple[type, pa.DataType]]] = {
    "string": (str, pa.string()),
    "integer": (int, pa.int32()),
    "long": (int, pa.int64()),
    "boolean": (bool, pa.bool_()),
}
_MAPS: Final = ("partitionValues", "tags", "configuration")


def exact(name: str, document: Mapping[str, Any]) -> Action:
    """
    An action with all that it says, without nulls.

    Raises `Refused` for a field that the protocol does not define, or whose value is of another
    type than it defines: a checkpoint would not hold it.
    """
    try:
        return _exact(document, _FORMS[name], name) or {}
    except ValueError as error:
        raise Refused(
            f"A checkpoint would lose what the log says: {error}.",
            remedy="Have the writer that knows it write the checkpoint, or use a newer deltaadm.",
        ) from error


def _exact(value: Any, form: Any, place: str) -> Any:
    if isinstance(form, dict) and isinstance(value, dict):
        inner = {}
        for key, item in value.items():
            if item is not None and key not in form:
                msg = f"it has a field {place}.{key}, which deltaadm does not know"
                raise ValueError(msg)
            plain = None if item is None else _exact(item, form[key], f"{place}.{key}")
            if plain is not None:
                inner[key] = plain
        return inner or None  # to Delta an object without fields is none
    fits = type(value) is form and (
        (form is not dict or all(type(item) in _TEXTS for item in value.values()))
        and (form is not list or all(type(item) is str for item in value))
    )
    if not fits:
        msg = f"{place} is {json.dumps(value, default=str)[:100]}, which is not of its type"
        raise ValueError(msg)
    return value


_TEXTS: Final = {str, type(None)}


def _form(kind: DataType) -> Any:
    """The forms of the fields of a struct, or the Python type of any other value."""
    if isinstance(kind, StructType):
        return {field.name: _form(field.type) for field in kind.fields}
    if isinstance(kind, PrimitiveType):
        return _SCALARS[kind.name][0]
    return dict if isinstance(kind, MapType) else list


_FORMS: Final = {name: _form(ACTIONS[name].log_type()) for name in _V2}


@dataclass(frozen=True)
class Columns:
    """
    The columns of a checkpoint, which follow from the table's protocol, schema and properties.

    `repetitive` are those whose values repeat. `partitions` and `statistics` are what
    `partitionValues_parsed` and the values of `stats_parsed` hold, None where they are not written.
    """

    schema: pa.Schema
    is_v2: bool
    repetitive: Sequence[str]
    has_json: bool
    partitions: StructType | None
    statistics: StructType | None

    @classmethod
    def of(cls, snapshot: Snapshot) -> Columns:
        """The columns of a checkpoint of *snapshot*."""
        stored = snapshot.metadata.configuration
        is_v2 = stored.get(_POLICY) == "v2" and snapshot.protocol.supports("v2Checkpoint")
        has_json = stored.get(_AS_JSON, "true").lower() != "false"
        # Where nothing is said of either form, the protocol wants text alone. Where there is no
        # text, Delta's own default keeps the statistics.
        as_struct = stored.get(_AS_STRUCT, str(not has_json)).lower() == "true"
        partitions = _partitions(snapshot) if as_struct else None
        statistics = _statistics(snapshot) if as_struct else None
        fields = {name: _arrow_fields(name) for name in (_V2 if is_v2 else _V1)}
        if not has_json:
            fields["add"] = [field for field in fields["add"] if field.name != "stats"]
        if partitions is not None and partitions.fields:
            fields["add"].append(pa.field("partitionValues_parsed", _arrow(partitions)))
        if statistics is not None:
            fields["add"].append(pa.field("stats_parsed", _arrow(statistics)))
        maps = [f"{name}.{key}" for name in ("add", "remove") for key in _MAPS]
        return cls(
            pa.schema([(name, pa.struct(inner)) for name, inner in fields.items()]),
            is_v2,
            [f"{name}.key_value.{part}" for name in maps for part in ("key", "value")],
            has_json,
            partitions,
            statistics,
        )

    def with_statistics(self, add: Action) -> Action:
        """An `add` action with statistics and partition values in the forms that there are."""
        if self.statistics is not None and "stats" in add:
            try:
                values = json.loads(add["stats"], parse_float=Decimal)
            except (ValueError, RecursionError):
                values = None
            parsed = _parsed(values, self.statistics)
            if parsed:
                add["stats_parsed"] = parsed
        if self.partitions is not None and self.partitions.fields:
            texts = add.get("partitionValues", {})
            typed = {
                field.name: _partition_value(texts[field.name], field)
                for field in self.partitions.fields
                if texts.get(field.name)  # an empty text is a null as well
            }
            if typed:
                add["partitionValues_parsed"] = typed
        if not self.has_json:
            add.pop("stats", None)
        return add

    def batch(self, actions: Sequence[Named]) -> pa.RecordBatch:
        """The rows of *actions*, one each."""
        arrays = []
        for field in self.schema:
            rows = [_row(action) if name == field.name else None for name, action in actions]
            arrays.append(pa.array(rows, field.type))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


_POLICY: Final = "delta.checkpointPolicy"
_AS_JSON: Final = "delta.checkpoint.writeStatsAsJson"
_AS_STRUCT: Final = "delta.checkpoint.writeStatsAsStruct"


def _row(action: Action) -> Action:
    """The action as Arrow takes it, maps as lists of pairs."""
    row: Action = {
        key: [*value.items()] if key in _MAPS and isinstance(value, dict) else value
        for key, value in action.items()
    }
    options = action.get("format", {}).get("options")
    if options is not None:
        row["format"] = {**action["format"], "options": [*options.items()]}
    return row


def _arrow_fields(name: str) -> list[pa.Field]:
    left_out = _ONLY_IN_COMMITS.get(name, ())
    fields = ACTIONS[name].log_type().fields
    return [pa.field(one.name, _arrow(one.type)) for one in fields if one.name not in left_out]


def _arrow(kind: DataType) -> pa.DataType:
    """The Arrow type of a field of an action, or of a column of the table."""
    if isinstance(kind, StructType):
        return pa.struct([pa.field(field.name, _arrow(field.type)) for field in kind.fields])
    if isinstance(kind, MapType):
        return pa.map_(_arrow(kind.key), _arrow(kind.value))
    if isinstance(kind, ArrayType):
        return pa.list_(_arrow(kind.element))
    name = _plain_name(kind)
    if name == "decimal":
        return pa.decimal128(*_decimal(kind))
    return _SCALARS[name][1] if name in _SCALARS else _TYPES[name]


_TYPES: Final[Mapping[str, pa.DataType]] = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "float": pa.float32(),
    "double": pa.float64(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_RANGES: Final = {"byte": 7, "short": 15, "integer": 31, "long": 63}


def _plain_name(kind: DataType) -> str:
    """The name of a type without its details; empty for one without values of its own."""
    name = re.split(r"[( ]", kind.name)[0] if isinstance(kind, PrimitiveType) else ""
    return {"char": "string", "varchar": "string"}.get(name, name)


def _decimal(kind: DataType) -> tuple[int, int]:
    precision, scale = re.findall(r"\d+", getattr(kind, "name", ""))
    return int(precision), int(scale)


# Statistics


def _statistics(snapshot: Snapshot) -> StructType:
    """The type of statistics: what Delta collects of the columns that it indexes."""
    metadata = snapshot.metadata
    columns = StructType(
        tuple(one for one in metadata.schema.fields if one.name not in metadata.partition_columns)
    )
    paths, _ = column_list(metadata.configuration.get("delta.dataSkippingStatsColumns", ""))
    stored = metadata.configuration.get("delta.dataSkippingNumIndexedCols", "32")
    most = whole_number(stored)
    named = {tuple(part.lower() for part in path) for path in paths}
    leaves = list(_leaves(columns, (), ()))
    if named:
        chosen = [
            leaf
            for leaf in leaves
            if any(leaf[0][: end + 1] in named for end in range(len(leaf[0])))
        ]
    else:
        chosen = leaves if most is not None and most < 0 else leaves[: 32 if most is None else most]
    values = _nested([(path, kind) for _, path, kind in chosen if _has_bounds(kind)])
    counts = _nested([(path, PrimitiveType("long")) for _, path, _ in chosen])
    parts = [
        StructField("numRecords", PrimitiveType("long")),
        StructField("minValues", values),
        StructField("maxValues", values),
        StructField("nullCount", counts),
        StructField("tightBounds", PrimitiveType("boolean")),
    ]
    # Parquet has no struct without fields.
    return StructType(tuple(part for part in parts if part.type != StructType()))


_Leaf = tuple["Path", "Path", "DataType"]
"""A column's path in lower case, its path in data files, and its type."""


def _leaves(struct: StructType, logical: Path, physical: Path) -> Iterator[_Leaf]:
    for field in struct.fields:
        names = (*logical, field.name.lower()), (*physical, physical_name(field))
        if isinstance(field.type, StructType):
            yield from _leaves(field.type, *names)
        else:
            yield (*names, field.type)


def _has_bounds(kind: DataType) -> bool:
    """Whether Delta collects the least and the greatest value of such a column."""
    name = _plain_name(kind)
    return name == "decimal" or (name in {*_TYPES, *_SCALARS} and name not in {"binary", "boolean"})


def _nested(leaves: Sequence[tuple[Path, DataType]]) -> StructType:
    """The struct that has values of these types at these paths."""
    fields = []
    for name in dict.fromkeys(path[0] for path, _ in leaves):
        inner = [(path[1:], kind) for path, kind in leaves if path[0] == name]
        whole = next((kind for path, kind in inner if not path), None)
        fields.append(StructField(name, _nested(inner) if whole is None else whole))
    return StructType(tuple(fields))


def _parsed(value: Any, kind: DataType) -> Any:
    """A value of statistics in JSON as one of this type; None where it is none."""
    if isinstance(kind, StructType):
        if not isinstance(value, dict):
            return None
        inner = {field.name: _parsed(value.get(field.name), field.type) for field in kind.fields}
        return {name: item for name, item in inner.items() if item is not None} or None
    name = _plain_name(kind)
    if name in {"string", "boolean"}:
        return value if type(value) is _SCALARS[name][0] else None
    if name in _RANGES:
        return (
            value
            if type(value) is int and -1 << _RANGES[name] <= value < 1 << _RANGES[name]
            else None
        )
    # A bound that cannot be told is none: files are then read that might have been skipped.
    return None if isinstance(value, bool | dict | list) else _value_of_text(str(value), kind)


def _partition_value(text: str, field: StructField) -> Any:
    """
    The value that the text of a partition stands for.

    Raises `Refused` where it stands for none: a null in its place would be another partition.
    """
    name = _plain_name(field.type)
    value: Any = None
    if name in {"string", "binary"}:
        value = text if name == "string" else text.encode()
    elif name == "boolean":
        value = {"true": True, "false": False}.get(text.lower())
    elif name in _RANGES:
        # Spark casts ASCII digits alone.
        number = whole_number(text) if text.isascii() else None
        value = None if number is None else _parsed(number, field.type)
    else:
        value = _value_of_text(text, field.type)
    if value is None:
        raise Refused(
            f"A checkpoint cannot hold the partition value {text!r} of {field.name} as a "
            f"{field.type.name if isinstance(field.type, PrimitiveType) else name}, which "
            f"{_AS_STRUCT} asks for.",
            remedy=f"Have Delta Spark write the checkpoint, or unset {_AS_STRUCT}.",
        )
    return value


def _value_of_text(text: str, kind: DataType) -> Any:
    """A number, date or time; None for what is none, or a time of which the zone is not known."""
    name = _plain_name(kind)
    try:
        if name in {"double", "float"}:
            number = float(text)
            return number if name == "double" else unpack("f", pack("f", number))[0]
        if name == "decimal":
            return _decimal_of(Decimal(text), *_decimal(kind))
        if name == "date":
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError, InvalidOperation):
        return None
    if (name == "timestamp") != (moment.tzinfo is not None):
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment


def _decimal_of(number: Decimal, precision: int, scale: int) -> Decimal | None:
    rounded = number.quantize(Decimal(1).scaleb(-scale), context=_WIDE)
    fits = rounded == number and len(rounded.as_tuple().digits) <= precision
    return rounded if fits else None


_WIDE: Final = Context(prec=76)


def _partitions(snapshot: Snapshot) -> StructType:
    """The partition columns, under the names that they have in the log."""
    by_name = {field.name: field for field in snapshot.metadata.schema.fields}
    columns = [by_name[name] for name in snapshot.metadata.partition_columns if name in by_name]
    return StructType(tuple(StructField(physical_name(one), one.type) for one in columns))
