"""How actions are read from JSON and written as JSON; `metaData`, `commitInfo`, and writers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.schema import (
    EMPTY_SCHEMA,
    ArrayType,
    DataType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    primitive_types,
)
from deltaadm.json_values import compact, integer
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Final, Self

    # Further names of types, by which `CODECS` tells fields of actions apart.
    Int32 = int
    Timestamp = int
    Job = Mapping[str, Any]
    Notebook = Mapping[str, Any]

ACTION_NAMES: Final = (
    "add", "remove", "metaData", "txn", "protocol", "cdc", "commitInfo", "domainMetadata",
    "checkpointMetadata", "sidecar",
)  # fmt: skip
"""The keys of a log line; of several in one line Delta takes the first in this order."""


@dataclass(frozen=True)
class Codec:
    """A wire type: its type in the log schema, and a reader that answers None for other JSON."""

    type: DataType
    read: Callable[[Any], Any]


@dataclass(frozen=True)
class Entry:
    """
    One key of an action's JSON object and the attribute that holds it.

    `plain` is the type of JSON that is taken as it is; None where the value has to be read.
    """

    key: str
    attribute: str
    codec: Codec
    plain: type | None


class _Absent:
    """Marks, within `extra`, a key that the typed fields would write but the log left out."""

    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """
    The base of all actions: their entries, read from and written to a JSON object.

    The entries follow from the fields: the key is the name in camel case, the codec that of the
    annotation.
    """

    ENTRIES: ClassVar[Mapping[str, Entry]] = {}

    extra: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __init_subclass__(cls) -> None:
        """Make the entries of a kind of action."""
        if "ENTRIES" in cls.__dict__:  # as a class with slots is made twice
            return
        entries = {}
        for name, kind in cls.__annotations__.items():
            if not kind.startswith("ClassVar"):
                first, *others = name.split("_")
                key = first + "".join(map(str.capitalize, others))
                codec = CODECS[kind.removesuffix(" | None")]
                plain = _JSON[codec.type.name] if isinstance(codec.type, PrimitiveType) else None
                entries[key] = Entry(key, name, codec, plain)
        cls.ENTRIES = entries

    @classmethod
    def from_wire(cls, document: Mapping[str, Any]) -> Self:
        """The value that *document* says; see the module for what becomes of oddities."""
        values: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        entries = cls.ENTRIES
        for key, raw in document.items():
            entry = entries.get(key)
            if entry is None:
                extra[key] = raw
            # Not isinstance: to Python true is an int.
            elif type(raw) is entry.plain:
                values[entry.attribute] = raw
            elif raw is None or (value := entry.codec.read(raw)) is None:
                extra[key] = raw
            else:
                values[entry.attribute] = value
                if value is not raw and not _is_written_as(raw, value):
                    extra[key] = raw
        if absent := _given(cls).difference(document):  # type: ignore[arg-type]  # types have hashes
            extra |= dict.fromkeys(absent, ABSENT)
        return cls(**values, extra=extra) if extra else cls(**values)

    def to_wire(self) -> dict[str, Any]:
        """The JSON object: Delta's key names and order; None is left out."""
        written = {}
        for entry in self.ENTRIES.values():
            value = getattr(self, entry.attribute)
            if value is not None:
                written[entry.key] = value if entry.plain else _write(value)
        if not self.extra:
            return written
        defaults = type(self)()
        for key, raw in self.extra.items():
            if known := self.ENTRIES.get(key):
                read = None if raw is None or raw is ABSENT else known.codec.read(raw)
                value = getattr(defaults, known.attribute) if read is None else read
                if getattr(self, known.attribute) != value:
                    continue  # the field has changed since it was read
            if raw is ABSENT:
                written.pop(key, None)
            else:
                written[key] = raw
        return written

    @property
    def is_odd(self) -> bool:
        """Whether the log says something in it that its fields cannot express."""
        values = (getattr(self, entry.attribute) for entry in self.ENTRIES.values())
        return bool(self.extra) or any(isinstance(value, Wire) and value.is_odd for value in values)

    @property
    def unknown_keys(self) -> frozenset[str]:
        """Keys of the log's JSON object that this version does not know."""
        return frozenset(self.extra) - self.ENTRIES.keys()

    @classmethod
    def log_type(cls) -> StructType:
        """The action's struct in the log schema; fields with a number as default are not null."""
        plain = cls()
        return StructType(
            tuple(
                StructField(
                    entry.key,
                    entry.codec.type,
                    nullable=not isinstance(getattr(plain, entry.attribute), int),
                )
                for entry in cls.ENTRIES.values()
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Loggable(Wire):
    """A struct that can be a line of the log, under its `NAME`."""

    NAME: ClassVar[str]

    def wrap(self) -> dict[str, Any]:
        """The line's JSON object (Delta's `Action.wrap`)."""
        return {self.NAME: self.to_wire()}

    def to_json(self) -> str:
        """The line as Delta writes it, without a line break (Delta's `Action.json`)."""
        return compact(self.wrap())


@cache
def _given(kind: type[Wire]) -> frozenset[str]:
    """The keys that are written even where the log has said nothing of them."""
    plain, entries = kind(), kind.ENTRIES.items()
    return frozenset(key for key, entry in entries if getattr(plain, entry.attribute) is not None)


def _write(value: Any) -> Any:
    if isinstance(value, Wire):
        return value.to_wire()
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, dict) else value


def _is_written_as(raw: Any, value: Any) -> bool:
    if isinstance(value, Wire) and not value.extra:  # all is the same but the order of keys
        return [*raw] == [key for key in value.ENTRIES if key in raw]
    return _same(_write(value), raw)


def _same(left: Any, right: Any) -> bool:
    """Equality of JSON as it is written: true is not 1, and the order of keys counts."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return [*left] == [*right] and _same([*left.values()], [*right.values()])
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


def _text(raw: Any) -> str:
    # What is not a string is read as its JSON text, as Delta's reader does.
    return raw if isinstance(raw, str) else compact(raw)


def _text_list(raw: Any) -> tuple[str, ...] | None:
    return tuple(item for item in raw if isinstance(item, str)) if isinstance(raw, list) else None


def _name_set(raw: Any) -> frozenset[str] | None:
    names = _text_list(raw)
    return None if names is None else frozenset(names)


def _text_map(raw: Any) -> dict[str, str | None] | None:
    if not isinstance(raw, dict):
        return None
    for value in raw.values():
        if value is not None and type(value) is not str:
            return {key: None if item is None else _text(item) for key, item in raw.items()}
    return raw


def _settings(raw: Any) -> dict[str, str] | None:
    # A null value counts as no entry.
    values = _text_map(raw)
    return None if values is None else {k: v for k, v in values.items() if v is not None}


def _object(raw: Any) -> dict[str, Any] | None:
    return raw if isinstance(raw, dict) else None


_STRING = PrimitiveType("string")
_JSON: Final[Mapping[str, type]] = {
    "string": str, "integer": int, "long": int, "boolean": bool, "timestamp": int,
}  # fmt: skip


def json_type(data_type: DataType) -> type:
    """The Python type of the JSON that a field of the log schema holds."""
    if isinstance(data_type, PrimitiveType):
        return _JSON[data_type.name]
    return list if isinstance(data_type, ArrayType) else dict


def _texts(*keys: str) -> Codec:
    return Codec(StructType(tuple(StructField(key, _STRING) for key in keys)), _object)


def nested(kind: type[Wire]) -> Codec:
    """The codec of a struct inside an action."""

    def read(raw: Any) -> Wire | None:
        return kind.from_wire(raw) if isinstance(raw, dict) else None

    return Codec(kind.log_type(), read)


CODECS: Final = {
    "str": Codec(_STRING, _text),
    "int": Codec(PrimitiveType("long"), integer),
    "Int32": Codec(PrimitiveType("integer"), integer),
    "Timestamp": Codec(PrimitiveType("timestamp"), integer),
    "bool": Codec(PrimitiveType("boolean"), lambda raw: raw if isinstance(raw, bool) else None),
    "tuple[str, ...]": Codec(ArrayType(_STRING), _text_list),
    "frozenset[str]": Codec(ArrayType(_STRING), _name_set),
    "Mapping[str, str | None]": Codec(MapType(_STRING, _STRING), _text_map),
    "Mapping[str, str]": Codec(MapType(_STRING, _STRING), _settings),
    "Mapping[str, Any]": Codec(MapType(_STRING, _STRING), _object),
    "Job": _texts("jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType"),
    "Notebook": _texts("notebookId"),
}
"""The codecs of fields by annotation, without `| None`; a timestamp is milliseconds in JSON."""


# The commitInfo action


@dataclass(frozen=True, slots=True)
class CommitInfo(Loggable):
    """
    Provenance of a commit; any further keys are allowed and kept. Times are in milliseconds.

    A value in `operation_parameters` may be a string that holds JSON, or raw JSON.
    """

    version: int | None = None
    in_commit_timestamp: int | None = None
    timestamp: Timestamp | None = None
    user_id: str | None = None
    user_name: str | None = None
    operation: str | None = None
    operation_parameters: Mapping[str, Any] | None = None
    job: Job | None = None
    notebook: Notebook | None = None
    cluster_id: str | None = None
    read_version: int | None = None
    isolation_level: str | None = None
    is_blind_append: bool | None = None
    data_change: bool | None = None
    operation_metrics: Mapping[str, Any] | None = None
    user_metadata: str | None = None
    tags: Mapping[str, Any] | None = None
    engine_info: str | None = None
    txn_id: str | None = None

    NAME: ClassVar[str] = "commitInfo"

    def parameter(self, name: str) -> Any:
        """The value of an operation parameter, decoded where it is a string that holds JSON."""
        value = (self.operation_parameters or {}).get(name)
        try:
            return load_json(value) if isinstance(value, str) else value
        except ValueError:
            return value


# The metaData action


KNOWN_AFTER_COMMIT: Final = "<known after commit>"
"""Stands, in a predicted value, for the part that only the commit can choose."""


@dataclass(frozen=True, slots=True)
class Format(Wire):
    """The file format of the data files; Delta knows `parquet` only."""

    provider: str | None = "parquet"
    options: Mapping[str, str | None] | None = field(default_factory=dict)


CODECS["Format"] = nested(Format)


@dataclass(frozen=True, slots=True)
class Metadata(Loggable):
    """
    A table's identity, schema, partitioning and properties (PROTOCOL.md, Change Metadata).

    `created_time` is in milliseconds since the epoch. `schema_string` is None for a table
    without a schema.
    """

    id: str | None = None
    name: str | None = None
    description: str | None = None
    format: Format | None = None
    schema_string: str | None = None
    partition_columns: tuple[str, ...] = ()
    configuration: Mapping[str, str] = field(default_factory=dict)
    created_time: int | None = None

    NAME: ClassVar[str] = "metaData"

    @property
    def schema(self) -> StructType:
        """The parsed schema; raises `TableError` when `schema_string` cannot be read."""
        return StructType.parse(self.schema_string or EMPTY_SCHEMA)

    @property
    def primitive_types(self) -> tuple[PrimitiveType, ...]:
        """The types that occur in the schema, containers left out; raises as `schema` does."""
        return primitive_types(self.schema_string or EMPTY_SCHEMA)

    def may_mention(self, name: str) -> bool:
        """Whether a key or type called *name* can be in the schema, by a glance at its JSON."""
        text = self.schema_string or ""
        return name in text or "\\" in text

    def says_the_same_as(self, other: Metadata) -> bool:
        """Equality that does not look at how the schema's JSON text is spelt."""
        if replace(self, schema_string=None) != replace(other, schema_string=None):
            return False
        return bool(_decoded(self.schema_string) == _decoded(other.schema_string))

    def with_schema(self, schema: StructType) -> Metadata:
        """The same metadata with another schema; untouched, text included, when it is equal."""
        return self if schema == self.schema else replace(self, schema_string=schema.to_json())

    def with_configuration(self, configuration: Mapping[str, str]) -> Metadata:
        """The same metadata with other properties."""
        return replace(self, configuration=dict(configuration))

    def with_properties(self, properties: Mapping[str, str]) -> Metadata:
        """The same metadata with *properties* too, or in place of those of the same keys."""
        return self.with_configuration({**self.configuration, **properties})

    def without_properties(self, *keys: str) -> Metadata:
        """The same metadata without the properties of these keys."""
        kept = {key: value for key, value in self.configuration.items() if key not in keys}
        return self.with_configuration(kept)


@dataclass(frozen=True)
class MetadataKey:
    """The metadata of a table without what identifies it, as a key for tables that are alike."""

    schema_string: str | None
    document: str

    @classmethod
    def of(cls, metadata: Metadata) -> MetadataKey:
        """The key of *metadata*."""
        known = Metadata(
            format=metadata.format,
            partition_columns=metadata.partition_columns,
            configuration=metadata.configuration,
        )
        return cls(metadata.schema_string, compact(known.to_wire()))

    @property
    def metadata(self) -> Metadata:
        """Metadata that has them and nothing else."""
        known = Metadata.from_wire(load_json(self.document))
        return replace(known, schema_string=self.schema_string)


def _decoded(text: str | None) -> Any:
    try:
        return None if text is None else load_json(text)
    except (ValueError, RecursionError):
        return text


# Whose a commit is


@dataclass(frozen=True, slots=True)
class CommitMark:
    """
    The `userMetadata` that the commits of a session have.

    `user_metadata` is None where that is not known. `is_unique` says that no other session's
    commits have the same, so that it alone tells whose a commit is.
    """

    user_metadata: str | None = None
    is_unique: bool = False

    def on(self, annotation: str) -> str | None:
        """Return the `userMetadata` of a commit; *annotation* is appended to a mark of our own."""
        if self.user_metadata is None or not self.is_unique:
            return self.user_metadata
        return self.user_metadata + annotation


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Whether a commit is our own, and whether it may change protocol, metadata or clustering."""

    version: int
    is_own: bool
    changes_table: bool


@dataclass(frozen=True, slots=True)
class Writer:
    """
    What commits of one engine have in common; `engine` is what it calls itself, empty for nothing.

    `first` and `last` are in milliseconds since the epoch, None where no commit tells its time.
    `applications` are the `appId` of `txn` actions, by which streams write.
    """

    engine: str = ""
    commits: int = 0
    first: int | None = None
    last: int | None = None
    operations: tuple[str, ...] = ()
    applications: tuple[str, ...] = ()


def writer_of(actions: Sequence[tuple[str, Mapping[str, Any]]]) -> Writer:
    """
    The writer of one commit, by the commitInfo and the `txn` actions among its *actions*.

    Its time is what commitInfo says, for that of the file may be the time of a copy.
    """
    info: Mapping[str, Any] = {}
    streams = []
    for name, document in actions:
        if name == "txn":
            streams.append(str(document.get("appId")))
        elif name == "commitInfo":
            info = info or document
    at = integer(info.get("inCommitTimestamp")) or integer(info.get("timestamp"))
    operation = info.get("operation")
    operations = (operation,) if isinstance(operation, str) else ()
    return Writer(engine_of(info), 1, at, at, operations, tuple(streams))


def engine_of(info: Mapping[str, Any]) -> str:
    """
    What the program that wrote a commit calls itself in its commitInfo, empty for nothing.

    Old releases of delta-rs do so under a key of their own, and Trino in the name of its cluster.

    >>> engine_of({"clusterId": "trino-470-20a1"}), engine_of({"clusterId": "0416-131918-rebus430"})
    ('trino-470', '')
    """
    named = info.get("engineInfo") or info.get("clientVersion")
    cluster = "" if named else str(info.get("clusterId"))
    if cluster.startswith("trino-") and (trino := re.match(r"trino-\d+", cluster)):
        named = trino[0]
    return str(named or "")


def merged(writers: Iterable[Writer]) -> tuple[Writer, ...]:
    """The *writers*, those that call themselves the same as one."""
    found: dict[str, list[Writer]] = {}
    for writer in writers:
        found.setdefault(writer.engine, []).append(writer)
    return tuple(
        Writer(
            engine,
            sum(each.commits for each in alike),
            min((each.first for each in alike if each.first is not None), default=None),
            max((each.last for each in alike if each.last is not None), default=None),
            tuple(dict.fromkeys(chain(*(each.operations for each in alike)))),
            tuple(dict.fromkeys(chain(*(each.applications for each in alike)))),
        )
        for engine, alike in found.items()
    )


# Moments, which Delta's logs count in milliseconds since the epoch, as people read them


def instant(milliseconds: int, precision: str = "milliseconds") -> str:
    """
    A moment as ISO 8601 in UTC, to the millisecond; the plain number where that has no date.

    >>> instant(1_000), instant(2**63)
    ('1970-01-01T00:00:01.000Z', '9223372036854775808 ms since 1970')
    """
    from datetime import UTC, datetime, timedelta  # slow to import, and most logs are not dated

    try:
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return f"{milliseconds} ms since 1970"
    return at.replace(tzinfo=None).isoformat(timespec=precision) + "Z"


def second(milliseconds: int) -> str:
    """
    Like `instant`, to the second: for when something can be done.

    >>> second(1_000)
    '1970-01-01T00:00:01Z'
    """
    return instant(milliseconds, "seconds")


def moment(milliseconds: int | None) -> str:
    """
    Like `second`, as people write it.

    >>> moment(1_000), moment(None)
    ('1970-01-01 00:00:01 UTC', 'time unknown')
    """
    if milliseconds is None:
        return "time unknown"
    return second(milliseconds).replace("T", " ").replace("Z", " UTC")
