"""Writing a checkpoint of a version from our own replay; deltalake and Spark have no part in it."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Context, Decimal, InvalidOperation
from hashlib import blake2b
from itertools import islice
from math import inf
from struct import pack, unpack
from typing import Any, BinaryIO, Final, NamedTuple
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from deltaadm.dataclass import dataclass
from deltaadm.domain.actions import ACTIONS
from deltaadm.domain.file_facts import checksums
from deltaadm.domain.properties import kept_for, whole_number
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    MapType,
    Path,
    PrimitiveType,
    StructField,
    StructType,
    type_name,
)
from deltaadm.domain.snapshot import Checkpoint, Kind, LogFiles, LogListing, LogSegment, Snapshot
from deltaadm.domain.steps.properties import require_checkpointable
from deltaadm.domain.transaction import column_mapping
from deltaadm.domain.transaction.columns import indexed_columns, physical_paths
from deltaadm.domain.wire import Metadata
from deltaadm.errors import (
    CommitError,
    DeltaadmError,
    RefusedError,
    StorageError,
    TableError,
    UnknownWriteError,
)
from deltaadm.json_values import compact
from deltaadm.replay.adds import documents, values_of
from deltaadm.replay.checkpoints import CheckpointReader, FileCounts
from deltaadm.replay.commits import json_object, mismatches, types_of
from deltaadm.replay.embedded import Replay
from deltaadm.replay.examine_checkpoints import FIELDS, LiveRow, essence, live_row
from deltaadm.replay.load import locate, replayed
from deltaadm.replay.reconcile import Reconciliation, UnreadableCheckpointError
from deltaadm.storage.local import unwritable
from deltaadm.storage.store import LogStore, WritableStore

Action = dict[str, Any]
NamedDocument = tuple[str, Action]

_V1: Final = ("txn", "add", "remove", "metaData", "protocol", "domainMetadata")
_V2: Final = (*_V1, "checkpointMetadata", "sidecar")
_ONLY_IN_COMMITS: Final = {"remove": ("stats", "tags")}


def _lost(what: str) -> RefusedError:
    return RefusedError(
        f"A checkpoint would lose what the log says: {what}.",
        remedy="Have the writer that knows it write the checkpoint, or use a newer deltaadm.",
    )


def _exact(document: Mapping[str, Any], types: Mapping[str, Any], place: str) -> Action:
    """
    What an action, or an object in it, says in fields of these *types*, without nulls.

    Raises `RefusedError` for a field that the protocol does not define, or whose value is of
    another type than it defines: a checkpoint would not hold it.
    """
    exact: Action = {}
    for key, value in document.items():
        if value is None:
            continue
        if key not in types:
            raise _lost(f"it has a field {place}.{key}, which deltaadm does not know")
        json_type, _, inner = types[key]
        fits = type(value) is json_type
        if fits and inner is None and json_type in _PARTS:
            parts = value.values() if json_type is dict else value
            fits = _PARTS[json_type].issuperset(map(type, parts))
        if not fits:
            shown = json.dumps(value, default=str)[:100]
            raise _lost(f"{place}.{key} is {shown}, which is not of its type")
        plain = value if inner is None else _exact(value, inner, f"{place}.{key}")
        if plain or inner is None:  # to Delta an object without fields is none
            exact[key] = plain
    return exact


_PARTS: Final[Mapping[type, frozenset[type]]] = {
    dict: frozenset({str, type(None)}),
    list: frozenset({str}),
}


@dataclass(frozen=True)
class Columns:
    """
    The columns of a checkpoint, which follow from the table's protocol, schema and properties.

    `partitions` and `statistics` are what `partitionValues_parsed` and `stats_parsed` hold, without
    fields where they are not written.
    """

    schema: pa.Schema
    is_v2: bool
    has_json: bool
    partitions: StructType
    statistics: StructType

    @classmethod
    def of(cls, snapshot: Snapshot) -> Columns:
        """The columns of a checkpoint of *snapshot*."""
        stored = snapshot.metadata.configuration
        is_v2 = has_v2_checkpoints(snapshot)
        has_json = stored.get(_AS_JSON, "true").lower() != "false"
        # Where nothing is said of either form, the protocol wants text alone. Where there is no
        # text, Delta's own default keeps the statistics.
        as_struct = stored.get(_AS_STRUCT, str(not has_json)).lower() == "true"
        by_name = {field.name: field for field in snapshot.metadata.schema.fields}
        divided = [by_name[n] for n in snapshot.metadata.partition_columns if n in by_name]
        # Under the names that they have in the log.
        named = column_mapping.rename_columns(StructType(tuple(divided)))
        partitions = named if as_struct else StructType()
        statistics = _statistics(snapshot) if as_struct else StructType()
        fields = {
            name: [
                pa.field(one.name, _arrow(one.type))
                for one in ACTIONS[name].log_type().fields
                if one.name not in _ONLY_IN_COMMITS.get(name, ())
            ]
            for name in (_V2 if is_v2 else _V1)
        }
        if not has_json:
            fields["add"] = [field for field in fields["add"] if field.name != "stats"]
        for key, parsed in (("partitionValues_parsed", partitions), ("stats_parsed", statistics)):
            if parsed.fields:
                fields["add"].append(pa.field(key, _arrow(parsed)))
        schema = pa.schema([(name, pa.struct(inner)) for name, inner in fields.items()])
        return cls(schema, is_v2, has_json, partitions, statistics)

    def with_statistics(self, add: Action) -> Action:
        """
        An `add` action with statistics and partition values in the forms that there are.

        Raises `RefusedError` for a partition whose text stands for no value of its type.
        """
        if self.statistics.fields and "stats" in add:
            try:
                values = json.loads(add["stats"], parse_float=Decimal)
            except (ValueError, RecursionError):
                values = None
            parsed = _parsed(values, self.statistics)
            if parsed:
                add["stats_parsed"] = parsed
        typed = {}
        for field in self.partitions.fields:
            text = add.get("partitionValues", {}).get(field.name)
            if not text:  # an empty one is a null as well
                continue
            typed[field.name] = _value_of_text(text, field.type)
            if typed[field.name] is None:  # in its place, this would be another partition
                kind = type_name(field.type)
                raise _refused(f"the partition value {text!r} of {field.name} as a {kind}")
        if typed:
            add["partitionValues_parsed"] = typed
        if not self.has_json:
            add.pop("stats", None)
        return add


def has_v2_checkpoints(snapshot: Snapshot) -> bool:
    """Whether checkpoints of the table are to be V2."""
    is_asked_for = snapshot.metadata.configuration.get("delta.checkpointPolicy") == "v2"
    return is_asked_for and snapshot.protocol.supports("v2Checkpoint")


_AS_JSON: Final = "delta.checkpoint.writeStatsAsJson"
_AS_STRUCT: Final = "delta.checkpoint.writeStatsAsStruct"


def _refused(what: str) -> RefusedError:
    return RefusedError(
        f"A checkpoint cannot hold {what}, which {_AS_STRUCT} asks for.",
        remedy=f"Have Delta Spark write the checkpoint, or unset {_AS_STRUCT}.",
    )


def _arrow(kind: DataType) -> pa.DataType:
    if isinstance(kind, StructType):
        return pa.struct([pa.field(field.name, _arrow(field.type)) for field in kind.fields])
    if isinstance(kind, MapType):
        return pa.map_(_arrow(kind.key), _arrow(kind.value))
    if isinstance(kind, ArrayType):
        return pa.list_(_arrow(kind.element))
    name = _plain_name(kind)
    try:
        return pa.decimal128(*_decimal(kind)) if name == "decimal" else _TYPES[name]
    except (LookupError, ValueError, OverflowError):  # as of numbers without, or with many, digits
        raise _refused(f"values of the type {type_name(kind)}") from None


_TYPES: Final[Mapping[str, pa.DataType]] = {
    "string": pa.string(),
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_RANGES: Final = {"byte": 7, "short": 15, "integer": 31, "long": 63}
_IN_JSON: Final = {"string": str, "boolean": bool, **dict.fromkeys(_RANGES, int)}


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
    physical = physical_paths(snapshot.metadata.schema)
    chosen = [(physical[path], kind) for path, kind in indexed_columns(snapshot.metadata)]
    # Of these types Delta collects the least and the greatest value.
    bounded = {*_TYPES, "decimal"} - {"binary", "boolean"}
    values = _nested([(path, kind) for path, kind in chosen if _plain_name(kind) in bounded])
    counts = _nested([(path, PrimitiveType("long")) for path, _ in chosen])
    parts = [
        StructField("numRecords", PrimitiveType("long")),
        StructField("minValues", values),
        StructField("maxValues", values),
        StructField("nullCount", counts),
        StructField("tightBounds", PrimitiveType("boolean")),
    ]
    # Parquet has no struct without fields.
    return StructType(tuple(part for part in parts if part.type != StructType()))


def _nested(leaves: Sequence[tuple[Path, DataType]]) -> StructType:
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
    known = _IN_JSON.get(_plain_name(kind))
    fits = not isinstance(value, bool | dict | list) if known is None else type(value) is known
    # A bound that cannot be told is none: files are then read that might have been skipped.
    return _value_of_text(str(value), kind) if fits else None


def _value_of_text(text: str, kind: DataType) -> Any:
    """What a text stands for; None where that is nothing, or a time of an unknown zone."""
    name = _plain_name(kind)
    if name in _RANGES:
        # Spark casts ASCII digits alone.
        return whole_number(text, 1 << _RANGES[name]) if text.isascii() else None
    if name in {"string", "binary"}:
        return text if name == "string" else text.encode()
    try:
        if name == "boolean":
            return {"true": True, "false": False}.get(text.lower())
        if name in {"double", "float"}:
            number = float(text)
            return number if name == "double" else unpack("f", pack("f", number))[0]
        if name == "decimal":
            precision, scale = _decimal(kind)
            exact_one = Decimal(text)
            rounded = exact_one.quantize(Decimal(1).scaleb(-scale), context=_WIDE)
            fits = rounded == exact_one and len(rounded.as_tuple().digits) <= precision
            return rounded if fits else None
        if name == "date":
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError, InvalidOperation):
        return None
    zoned = moment.astimezone(UTC) if moment.tzinfo else moment
    return zoned if (name == "timestamp") == (moment.tzinfo is not None) else None


_WIDE: Final = Context(prec=76)


# Writing


HINT: Final = "_last_checkpoint"

_MAPS: Final = ("add.partitionValues", "add.tags", "remove.partitionValues")
_REPETITIVE: Final = [f"{name}.key_value.{part}" for name in _MAPS for part in ("key", "value")]
"""The columns whose values repeat."""
_GROUP: Final = 1 << 14
"""Actions that are held at a time, and make up a row group of the file."""
_GROUP_TEXT: Final = 1 << 24
"""Characters of their paths and statistics, at most about."""


def write_checkpoint(store: WritableStore, snapshot: Snapshot) -> bool:
    """
    See to it that there is a checkpoint of the version of *snapshot*; whether this call wrote it.

    It is read back and compared before anybody else can see it. One that is there is kept: nothing
    that others can see is removed or replaced, but `_last_checkpoint`, which is moved forward.

    Raises `RefusedError` for what a checkpoint would lose, `CommitError` where a file is in the way
    or the version is not the one that was planned, `TableError`, and `StorageError`.
    """
    require_checkpointable(snapshot)
    if store.obstacle:
        raise RefusedError(
            f"deltaadm cannot write a checkpoint of this table: {store.obstacle}.",
            remedy="Have a writer that is made for this store write it.",
        )
    for _ in range(2):  # somebody may write one meanwhile
        existing = _existing(store, snapshot)
        pointer = existing or _written(store, snapshot)
        if pointer is not None:
            _move_pointer(store, pointer)
            return existing is None
    raise StorageError(
        f"The store of {store.root} says that there is a checkpoint of version "
        f"{snapshot.version}, and does not find it.",
        remedy="Try again.",
    )


class Pointer(NamedTuple):
    """What `_last_checkpoint` says of a checkpoint."""

    version: int
    size: int
    total: int
    adds: int
    parts: int | None = None

    @property
    def body(self) -> bytes:
        """The file."""
        document = {
            "version": self.version,
            "size": self.size,
            **({} if self.parts is None else {"parts": self.parts}),
            "sizeInBytes": self.total,
            "numOfAddFiles": self.adds,
        }
        (checksum,) = checksums(compact(document))
        return compact({**document, "checksum": checksum}).encode()


def _written(store: WritableStore, snapshot: Snapshot) -> Pointer | None:
    """What is to be said of a new checkpoint; None where another has its name."""
    located = locate(store, snapshot.version)
    try:
        return replayed(store, located, lambda segment: _write_from(store, snapshot, segment))[0]
    except OSError as error:
        raise unwritable(f"the checkpoint of version {snapshot.version}", error) from error


def _write_from(store: WritableStore, snapshot: Snapshot, segment: LogSegment) -> Pointer | None:
    version, columns = snapshot.version, Columns.of(snapshot)
    # A V2 checkpoint without sidecars: a single file, which is there whole or not at all.
    unique = f"{uuid4()}." if columns.is_v2 else ""
    name = f"{version:020d}.checkpoint.{unique}parquet"
    with store.draft(name) as draft:
        expected = Digest()
        with pq.ParquetWriter(
            draft,
            columns.schema,
            compression="snappy",
            use_dictionary=_REPETITIVE,
            write_page_checksum=True,
            store_schema=False,
        ) as writer:
            actions = _actions(State(store, segment), snapshot, columns)
            for group in _groups(actions):
                for action, document in group:
                    expected.take(action, document)
                rows = [{action: document} for action, document in group]
                writer.write_batch(pa.RecordBatch.from_pylist(rows, columns.schema))
        _require_same(draft, version, expected)
        size = draft.seek(0, 2)
        try:
            is_new = store.publish(draft, name)
        except UnknownWriteError as error:
            if store.local_path is not None or name not in store.list_log(version):
                raise StorageError(error.message, remedy=error.remedy) from error
            is_new = True
    counts = expected.counts
    return Pointer(version, counts.total(), size, counts["add"]) if is_new else None


def _actions(state: State, snapshot: Snapshot, columns: Columns) -> Iterator[NamedDocument]:
    """The actions of the checkpoint; raises `RefusedError` where it cannot hold the whole state."""
    # By the newest commit, unless this machine's clock is behind: one that is ahead must not take
    # the tombstones of files that VACUUM has to spare.
    oldest = -inf
    if snapshot.timestamp is not None:
        stored = snapshot.metadata.configuration.get(_RETENTION, "interval 1 week")
        oldest = min(time.time_ns() // 1_000_000, snapshot.timestamp) - kept_for(stored) / 1_000
    for name, document in state.file_actions():
        action = _exact(document, types_of(name), name)
        # What Delta writes: a checkpoint is no commit, in which data would have changed.
        action["dataChange"] = False
        if name == "add":
            yield name, columns.with_statistics(action)
        elif action.get("deletionTimestamp", 0) > oldest:
            for key in ("stats", "tags"):  # which tombstones of checkpoints do not have
                action.pop(key, None)
            yield name, action
    for name in sorted(state.unknown):
        raise _lost(f"it has an action {name}, which deltaadm does not know")
    for name, document in state.other_actions():
        yield name, _exact(document, types_of(name), name)
        if (name == "protocol" and Protocol.from_wire(document) != snapshot.protocol) or (
            name == "metaData"
            and not Metadata.from_wire(document).says_the_same_as(snapshot.metadata)
        ):
            raise CommitError(
                f"Version {snapshot.version} of the table has a different {name} than when the "
                "checkpoint was planned.",
                remedy="Plan again on the current table.",
            )
    if columns.is_v2:
        yield "checkpointMetadata", {"version": snapshot.version}


_RETENTION: Final = "delta.deletedFileRetentionDuration"


def _groups(actions: Iterator[NamedDocument]) -> Iterator[list[NamedDocument]]:
    for first in actions:
        group, left = [first], _GROUP_TEXT
        for named in islice(actions, _GROUP - 1):
            group.append(named)
            left -= len(named[1].get("path", "")) + len(named[1].get("stats", ""))
            if left < 0:
                break
        yield group


class Digest:
    """What a number of actions say, in whatever order they come."""

    def __init__(self) -> None:
        self.counts = Counter({"add": 0})  # also of a table without files
        self._sums: Counter[str] = Counter()

    def take(self, name: str, document: Any) -> None:
        """Take in an action, of which every field counts."""
        self.add(name, _CANONICAL.encode(document))

    def add(self, name: str, text: str) -> None:
        """Take in an action by a text that says what it says."""
        hashed = blake2b(text.encode(errors="surrogatepass"), digest_size=_HASH).digest()
        # A sum does not depend on the order, and unlike an exclusive or not on pairs either.
        self._sums[name] += int.from_bytes(hashed)
        self.counts[name] += 1

    @property
    def sums(self) -> dict[str, str]:
        """The sum of each kind of action, as a text."""
        return {
            name: f"{self.counts[name]}:{self._sums[name] % (1 << 8 * _HASH):x}"
            for name in sorted(self.counts)
        }


_HASH: Final = 32
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, default=str)


def _differing(some: Mapping[str, str], others: Mapping[str, str]) -> list[str]:
    return [name for name in sorted({*some, *others}) if some.get(name) != others.get(name)]


def _require_same(draft: BinaryIO, version: int, expected: Digest) -> None:
    found = Digest()
    try:
        file = pq.ParquetFile(draft, page_checksum_verification=True)
        for index in range(file.num_row_groups):
            group = file.read_row_group(index)
            for name, column in zip(group.column_names, group.columns, strict=True):
                for document in documents(column):
                    found.take(name, document)
        differences = _differing(expected.sums, found.sums)
    except (pa.ArrowException, OSError) as error:
        differences = [str(error)]
    if differences:
        raise CommitError(
            f"The checkpoint of version {version} was not published: read back, it "
            f"differs from the table in {', '.join(differences)}.",
            remedy="Check the memory and the disk of this machine, then try again. If it happens "
            "again, report it, and have Delta Spark write the checkpoint.",
        )


def _existing(store: WritableStore, snapshot: Snapshot) -> Pointer | None:
    """
    What is to be said of the checkpoint of the version, if there is one.

    Raises `CommitError` for a file that is in the way, and for a checkpoint that is wrong.
    """
    version = snapshot.version
    listing = LogListing.of(store.root, store.list_log(version))
    present = [found for found in listing.checkpoints if found.version == version]
    if not present:
        name = f"{version:020d}.checkpoint.parquet"
        if name in listing.infos and not Columns.of(snapshot).is_v2:
            raise _in_the_way(name, "it is not a regular file with content")
        return None
    checkpoint = present[-1]
    last = checkpoint.files[-1].path
    whole = LogListing.of(store.root, store.list_log())
    try:
        found = state_of(store, alone(checkpoint))
    except UnreadableCheckpointError as error:
        raise _in_the_way(last, error.message.rstrip(".")) from error
    try:
        expected = state_of(store, whole.segment(version, before=version))
    except TableError:  # older files are gone or unreadable: nothing but the checkpoint tells
        expected = found
    # Transactions may have expired for one writer and not for the other.
    if wrong := [name for name in expected.differences(found) if name != "txn"]:
        raise CommitError(
            f"There is a checkpoint of version {version} already, {last}, and its "
            f"{', '.join(wrong)} differ from those of the commits. It was left as it is.",
            remedy="Find out which is wrong: `deltaadm repair TABLE`.",
        )
    return pointer_to(store, checkpoint)


def _in_the_way(name: str, cause: str) -> CommitError:
    return CommitError(
        f"{name} already exists and cannot be read as a checkpoint: {cause}. It was left as it is.",
        remedy="Move the file out of the log, then plan again.",
    )


def pointer_to(store: LogStore, checkpoint: Checkpoint) -> Pointer:
    """What is to be said of a *checkpoint*; raises `UnreadableCheckpointError`."""
    reader = CheckpointReader(store, checkpoint)
    sizes = [file.info.size for file in checkpoint.files]
    sizes += [
        document.get("sizeInBytes") or 0 for _, document in reader.small_actions(("sidecar",))
    ]
    adds = reader.adds()
    if adds is None:
        adds = reader.count(Reconciliation(store.qualifier, store.limits.state)).adds_read
    parts = len(checkpoint.files) if checkpoint.kind is Kind.MULTIPART else None
    return Pointer(checkpoint.version, reader.size(), sum(sizes), adds, parts)


def _move_pointer(store: WritableStore, pointer: Pointer) -> None:
    """Point `_last_checkpoint` to a checkpoint, unless there is a newer one."""
    if _newer(store, pointer.version) is None:
        store.overwrite(HINT, pointer.body)
    # Another writer may have moved it forward in between.
    newer = _newer(store, pointer.version)
    try:
        pointed = newer and (json_object(store.read(HINT))[0] or {}).get("version")
    except DeltaadmError:
        return
    if newer is not None and pointed == pointer.version:
        store.overwrite(HINT, pointer_to(store, newer).body)


def _newer(store: WritableStore, version: int) -> Checkpoint | None:
    listing = LogListing.of(store.root, store.list_log(version + 1))
    return listing.checkpoints[-1] if listing.checkpoints else None


class State(Replay):
    """
    The state that a segment describes, action by action, as in the log.

    Ask for the actions about files first: the others are known once those have been read. Raises
    as `ReplayEngine` says.
    """

    def file_actions(self) -> Iterator[NamedDocument]:
        """The newest action of each file, an `add` or a `remove`, in any order."""
        yield from self.files_in_deltas()
        if self._segment.checkpoint is None:
            return
        reader = self._open_checkpoint()
        for path in reader.file_paths():
            for name, document in reader.file_actions(path):
                if self._reconciled.survives(name, document):
                    yield name, document

    def live_rows(self, fields: Sequence[str]) -> Iterator[Sequence[Any]]:
        """These *fields* of the live files, those of a checkpoint by column; nothing else of it."""
        for document in self.live_in_deltas():
            yield [document.get(field) for field in fields]
        for batch in self.live_in_checkpoint(FileCounts(), fields=fields):
            if isinstance(batch, list):
                yield from ([document.get(field) for field in fields] for document in batch)
            else:
                yield from zip(*(values_of(batch, field) for field in fields), strict=True)

    def live_files(self) -> Iterator[LiveRow]:
        """The live files; what a checkpoint has twice, readers have once."""
        seen = set[int]()
        for row in self.live_rows(FIELDS):
            found = live_row(row, self._store.qualifier)
            if (hashed := hash(found[1])) not in seen:
                seen.add(hashed)
                yield found

    def tombstones(self) -> Iterator[Mapping[str, Any]]:
        """The `remove` actions of the checkpoint, with what VACUUM goes by."""
        fields = [f"remove.{name}" for name in ("path", "deletionTimestamp", "deletionVector")]
        reader = self._checkpoint_reader()
        for path in reader.file_paths():
            if path.endswith(".json"):
                yield from (what for name, what in reader.json_actions(path) if name == "remove")
                continue
            for batch in reader.batches(path, {"add": (), "remove": fields}):
                if "remove" in batch.schema.names:
                    with reader.decoding(path):
                        yield from documents(batch.column("remove"))

    def other_actions(self) -> Iterator[NamedDocument]:
        """The protocol, the metadata, the domains that there are, and the transactions."""
        self.snapshot(None)  # raises where protocol or metadata is missing
        yield "protocol", dict(self._reconciled.protocol or {})
        yield "metaData", dict(self._reconciled.metadata or {})
        for domain in self._reconciled.domains.values():
            if domain.get("removed") is not True:
                yield "domainMetadata", dict(domain)
        for transaction in self._reconciled.transactions.values():
            yield "txn", dict(transaction)

    @property
    def unknown(self) -> Mapping[str, int]:
        """How many actions there are that the protocol does not define, by their names."""
        return self._reconciled.unknown


# States that are compared


@dataclass(frozen=True)
class TableState:
    """
    The state of a version, as what can be compared: digests of multisets, by the kind of action.

    `counts` are the actions of each kind, `bytes` those of the live files.
    """

    version: int
    digests: Mapping[str, str]
    counts: Mapping[str, int]
    bytes: int

    def differences(self, other: TableState) -> tuple[str, ...]:
        """The kinds of actions in which *other* differs, and whether it is another version."""
        found = _differing(self.digests, other.digests)
        return (*found, *(["version"] if self.version != other.version else []))


def state_of(
    store: LogStore, segment: LogSegment, take: Callable[[LiveRow], object] | None = None
) -> TableState:
    """
    The state that *segment* describes, whoever has written it; raises what a replay does.

    It is what live files, domains, transactions, protocol and metadata say, however it is spelt.
    *take* is called with each live file.
    """
    state, digest, total = State(store, segment), Digest(), 0
    for row in state.live_files():
        _, _, size, said = row
        digest.add("add", said)
        total += size if isinstance(size, int) else 0
        if take is not None:
            take(row)
    for name, document in state.other_actions():
        digest.take(name, essence(name, document))
    return TableState(segment.version, digest.sums, dict(digest.counts), total)


def alone(checkpoint: Checkpoint) -> LogSegment:
    """What a *checkpoint* says, and nothing else."""
    none, last = LogFiles((), {}), checkpoint.files[-1]
    return LogSegment(checkpoint.version, checkpoint, none, none, last)


def digests_of(
    checksum: Mapping[str, Any], qualifier: str, take: Callable[[LiveRow], object]
) -> Mapping[str, str | None]:
    """The digests, as of a `TableState`, of the kinds of actions that a version *checksum* has."""
    digest, stated = Digest(), set[str]()
    for name in ("add", "domainMetadata", "metaData", "protocol", "txn"):
        said = checksum.get(_STATED.get(name, name))
        documents: list[Any] = said if isinstance(said, list) else [said]
        if said is not None and not any(mismatches(name, document)[0] for document in documents):
            stated.add(name)
            for document in documents if name != "add" else ():
                if document.get("removed") is not True:
                    digest.take(name, essence(name, document))
            for document in documents if name == "add" else ():
                take(row := live_row([document.get(field) for field in FIELDS], qualifier))
                digest.add(name, row[3])
    return {name: digest.sums.get(name) for name in stated}


_STATED: Final = {"add": "allFiles", "metaData": "metadata", "txn": "setTransactions"}
"""The fields of a version checksum that are not called as the actions in them."""


def read_state(store: LogStore, version: int | None = None) -> TableState:
    """The state that readers see, the newest or that of *version*; raises what a replay does."""
    return replayed(store, locate(store, version), lambda segment: state_of(store, segment))[0]
