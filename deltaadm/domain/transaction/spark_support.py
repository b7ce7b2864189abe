"""Tables that Delta Spark 4.4 cannot read or write, and what it does with invariants."""

from __future__ import annotations

import json
import re

from deltaadm.dataclass import dataclass
from deltaadm.domain.features import REFERENCE, lookup, mapping_mode, struct_fields
from deltaadm.domain.properties import (
    COLUMN_MAPPING_MODE,
    INT,
    PROPERTIES,
    interval_microseconds,
    is_true,
    whole_number,
)
from deltaadm.domain.protocol import (
    extract_automatically_enabled_features,
    supported_protocol,
    supported_reader_version_numbers,
    supported_writer_version_numbers,
)
from deltaadm.domain.schema import path_text
from deltaadm.errors import DeltaadmError, Refused, TableError
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Final

    from deltaadm.domain.protocol import Protocol
    from deltaadm.domain.schema import Path, StructField
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.wire import Metadata


# Invariants


INVARIANTS: Final = "delta.invariants"
"""Under which a column's metadata keeps its invariant."""

_UNRECOGNIZED: Final = "DELTA_UNRECOGNIZED_INVARIANT"
_EMPTY: Final = "PARSE_EMPTY_STATEMENT"


@dataclass(frozen=True)
class Invariant:
    """
    The invariant of one column.

    `is_described` tells whether it is as PROTOCOL.md describes it. `flaw` is what keeps Delta Spark
    from reading it, empty where nothing does, and `delta_error_class` what it then reports, None
    where its exception has no class. `read` tells whether it looks at the invariant at all, and
    `fails_in_delta_rs` whether delta-rs, which looks at all of them, stops at it.
    """

    path: Path
    text: Any
    read: bool
    is_described: bool
    fails_in_delta_rs: bool
    flaw: str = ""
    delta_error_class: str | None = None

    @property
    def fails_in_delta_spark(self) -> bool:
        """Whether Delta Spark stops at it."""
        return self.read and bool(self.flaw)


def invariants(metadata: Metadata) -> Iterator[Invariant]:
    """The invariants of columns outside arrays and maps, where Delta looks for them."""
    for path, field in struct_fields(metadata.schema):
        if INVARIANTS in field.metadata:
            yield _invariant(path, field)


def refusal_of_invariants(metadata: Metadata) -> Refused | None:
    """Why Delta Spark stops at an invariant; None where it reads them all."""
    for invariant in invariants(metadata):
        if invariant.fails_in_delta_spark:
            return Refused(
                f"Delta Spark cannot read the invariant of column {path_text(invariant.path)}: "
                f"{invariant.flaw}.",
                remedy="Remove it with the client that wrote it, and use a CHECK constraint "
                "instead.",
                delta_error_class=invariant.delta_error_class,
            )
    return None


def _invariant(path: Path, field: StructField) -> Invariant:
    text = field.metadata[INVARIANTS]
    flaw, error_class = _flaw(text)
    is_json, document = _whole(text)
    inner = _inner(document)
    is_empty = isinstance(inner, str) and not inner.strip()
    return Invariant(
        path=path,
        text=text,
        # A NOT NULL column is enforced as such, and its invariant is never looked at.
        read=field.nullable,
        is_described=isinstance(inner, str) and not flaw,
        fails_in_delta_rs=isinstance(text, str) and (not is_json or is_empty),
        flaw=flaw,
        delta_error_class=error_class,
    )


def _inner(document: Any) -> Any:
    outer = document.get("expression") if isinstance(document, dict) else None
    return outer.get("expression") if isinstance(outer, dict) else None


def _whole(text: Any) -> tuple[bool, Any]:
    try:
        return True, load_json(text)
    except (ValueError, TypeError, RecursionError):
        return False, None


def _flaw(text: Any) -> tuple[str, str | None]:
    """The reason why Delta Spark rejects an invariant, and its error class."""
    if not isinstance(text, str):
        return "it is not a string", None
    try:
        # Not `loads`: Delta takes the first JSON value of the text, whatever follows it.
        document, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return "it is not JSON", None
    return _flaw_in_rule(document)


def _flaw_in_rule(document: Any) -> tuple[str, str | None]:
    if not isinstance(document, dict):
        return "it is not a JSON object", None
    if document.get("expression") is None:
        return "it has no expression", _UNRECOGNIZED
    inner = _inner(document)
    # Delta takes any scalar; whether it is SQL, only Spark's parser knows, but an empty one is not.
    if inner is None or isinstance(inner, dict | list):
        return "its expression is not an object that contains an expression", None
    if isinstance(inner, str) and not inner.strip():
        return "its expression is empty", _EMPTY
    return "", None


# Tables that are refused


if TYPE_CHECKING:
    Check = Callable[[Protocol, Metadata], "Obstacle | None"]


@dataclass(frozen=True)
class Obstacle:
    """
    Why Delta Spark does not read or does not write a table.

    `subjects` are what the refusal is about: features, or places such as
    `protocol.minReaderVersion`.
    """

    refusal: DeltaadmError
    subjects: tuple[str, ...]


def refusal_to_read(snapshot: Snapshot) -> DeltaadmError | None:
    """Why Delta Spark would not load or query *snapshot*; None where it does both."""
    obstacle = _first_for(snapshot, (*_LOADING, *_QUERYING))
    return None if obstacle is None else obstacle.refusal


def refusal_to_write(snapshot: Snapshot) -> DeltaadmError | None:
    """Why Delta Spark would refuse any write to *snapshot*; None where it would write."""
    obstacle = _first_for(snapshot, _INSERTING)
    return None if obstacle is None else obstacle.refusal


def require_readable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on loading, if it does."""
    _raise(_first_for(snapshot, _LOADING))


def require_queryable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on a query of a table that it could load."""
    _raise(_first(_QUERYING, snapshot.protocol, snapshot.metadata))


def require_writable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on writing to a table that it could load."""
    _raise(_first(_WRITING, snapshot.protocol, snapshot.metadata))


def require_changeable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on any change of a table, if it does."""
    _raise(_first_for(snapshot, (*_LOADING, *_WRITING)))


def obstacle_to_reading(protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    """
    The first of the reasons why Delta Spark does not load a table, in its own order: a malformed
    or unsupported protocol, types that Spark does not know, or a protocol that lacks features
    which the metadata needs (`assertTableFeaturesMatchMetadata`); or why queries of it fail.
    """
    return _first((*_LOADING, *_QUERYING), protocol, metadata)


def obstacle_to_writing(protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    """The first of the reasons why Delta Spark does not insert into a table; it loads it first."""
    return _first(_INSERTING, protocol, metadata)


def _first_for(snapshot: Snapshot, checks: Iterable[Check]) -> Obstacle | None:
    """The first of the reasons, those left out that only stand against the table's path."""
    if snapshot.name is not None:
        checks = [check for check in checks if check is not _catalog_managed]
    return _first(checks, snapshot.protocol, snapshot.metadata)


def _first(checks: Iterable[Check], protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    for check in checks:
        try:
            obstacle = check(protocol, metadata)
        except DeltaadmError as error:
            obstacle = Obstacle(error, (_METADATA,))
        if obstacle is not None:
            return obstacle
    return None


_METADATA: Final = "metadata"


def _raise(obstacle: Obstacle | None) -> None:
    if obstacle is not None:
        raise obstacle.refusal


def _malformed_protocol(protocol: Protocol, _: Metadata) -> Obstacle | None:
    malformation = protocol.malformation
    if malformation is None:
        return None
    refusal = Refused(
        malformation.message,
        remedy=malformation.remedy,
        delta_error_class="EXPRESSION_DECODING_FAILED",
    )
    return Obstacle(refusal, ("protocol",))


def _unsupported_reader_version(protocol: Protocol, _: Metadata) -> Obstacle | None:
    if protocol.min_reader_version in supported_reader_version_numbers():
        return None
    return Obstacle(_unsupported_version(protocol), ("protocol.minReaderVersion",))


def _unsupported_writer_version(protocol: Protocol, _: Metadata) -> Obstacle | None:
    if protocol.min_writer_version in supported_writer_version_numbers():
        return None
    return Obstacle(_unsupported_version(protocol), ("protocol.minWriterVersion",))


def _unknown_reader_features(protocol: Protocol, _: Metadata) -> Obstacle | None:
    return _unknown(protocol.reader_features, supported_protocol().reader_features, "read")


def _unknown_writer_features(protocol: Protocol, _: Metadata) -> Obstacle | None:
    return _unknown(protocol.writer_features, supported_protocol().writer_features, "write")


def _catalog_managed(protocol: Protocol, _: Metadata) -> Obstacle | None:
    if not protocol.supports("catalogManaged"):
        return None
    refusal = Refused(
        "The table is managed by a catalog, and Delta Spark does not open it by its path.",
        remedy="Use the catalog's own tools, or the table's name in the catalog.",
        delta_error_class=PATH_OF_CATALOG_TABLE,
    )
    return Obstacle(refusal, ("catalogManaged",))


PATH_OF_CATALOG_TABLE: Final = "DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED"
"""The error class of the one refusal to load that says nothing against the table itself."""


def _missing_partition_columns(_: Protocol, metadata: Metadata) -> Obstacle | None:
    names = {field.name for field in metadata.schema.fields}
    missing = [column for column in metadata.partition_columns if column not in names]
    if not missing:
        return None
    refusal = TableError(
        f"The table is partitioned by {', '.join(missing)}, which its schema does not have.",
        remedy="Restore the version before the schema lost the column.",
        delta_error_class="FIELD_NOT_FOUND",
    )
    return Obstacle(refusal, ("partitionColumns",))


def _unsupported_version(protocol: Protocol) -> Refused:
    return Refused(
        f"Delta Spark does not know reader version {protocol.min_reader_version} with writer "
        f"version {protocol.min_writer_version}.",
        remedy="Use a newer client, or repair the protocol if the versions are a mistake.",
        delta_error_class="DELTA_INVALID_PROTOCOL_VERSION",
    )


def _unknown(
    listed: frozenset[str] | None, known: frozenset[str] | None, what: str
) -> Obstacle | None:
    # Letter by letter, although Delta finds features that a user names in any case.
    unknown = sorted((listed or frozenset()) - (known or frozenset()))
    if not unknown:
        return None
    spelled = [
        feature.name
        for feature in map(lookup, unknown)
        if feature is not None and feature.in_delta_spark
    ]
    refusal = Refused(
        f"Delta Spark cannot {what} the table: it does not know the table "
        f"feature{'s' if len(unknown) > 1 else ''} {', '.join(unknown)}.",
        remedy=f"The right spelling is {', '.join(spelled)}."
        if spelled
        else "Use a client that knows them.",
        delta_error_class=f"DELTA_UNSUPPORTED_FEATURES_FOR_{what.upper()}",
    )
    return Obstacle(refusal, tuple(unknown))


_MAX_PRECISION = 38
_SPARK_TYPES = frozenset(
    {
        *("binary", "boolean", "byte", "date", "decimal", "double", "float", "geography"),
        *("geometry", "integer", "interval", "long", "null", "short", "string", "timestamp"),
        *("timestamp_ntz", "variant", "void"),
    }
)
_SPARK_TYPES_WITH_DETAILS = (
    r"interval .*|time\(\d\)|(var)?char\(\d+\)|decimal\(\s*\d+\s*,.*\)|"
    r"(geometry|geography)\(.*\)|string collate .*"
)


def is_spark_type(name: str) -> bool:
    """Whether Spark can read the type *name* in a schema."""
    return name in _SPARK_TYPES or bool(re.fullmatch(_SPARK_TYPES_WITH_DETAILS, name))


def _unknown_type(_: Protocol, metadata: Metadata) -> Obstacle | None:
    """The first type in the schema that Spark cannot read."""
    for data_type in metadata.primitive_types:
        if not is_spark_type(data_type.name):
            refusal = TableError(
                f"The table's schema has a type that Spark does not know: {data_type.name}.",
                remedy="Use the client that wrote it.",
                delta_error_class="INVALID_JSON_DATA_TYPE",
            )
            return Obstacle(refusal, ("schema",))
        if _precision(data_type.name) > _MAX_PRECISION:
            refusal = TableError(
                f"The table's schema has {data_type.name}; the highest precision is "
                f"{_MAX_PRECISION}.",
                remedy="Restore the version before that column was added.",
                delta_error_class="DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
            )
            return Obstacle(refusal, ("schema",))
    return None


def _precision(type_name: str) -> int:
    """The number of digits of a decimal type; 0 for other types."""
    if not type_name.startswith("decimal("):
        return 0
    # Nine digits will do: int() refuses the thousands that a schema may have.
    digits = re.match(r"decimal\(\s*0*(\d{1,9})", type_name)
    return int(digits[1]) if digits else 0


def _unreadable_duration(_: Protocol, metadata: Metadata) -> Obstacle | None:
    """The first of the durations, evaluated whenever Delta loads a table, that it cannot read."""
    # Tried on Delta Spark 4.4: such a table answers to nothing; other durations hinder no query.
    for key in ("delta.deletedFileRetentionDuration", "delta.setTransactionRetentionDuration"):
        value = metadata.configuration.get(key)
        try:
            if value is not None:
                interval_microseconds(value)
        except DeltaadmError as error:
            return Obstacle(error, (f"configuration[{key}]",))
    return None


def _unreadable_mapping_mode(_: Protocol, metadata: Metadata) -> Obstacle | None:
    """A mapping mode that does not exist."""
    # Delta evaluates it in any query, whatever the protocol lists.
    try:
        mapping_mode(metadata)
    except DeltaadmError as error:
        return Obstacle(error, (f"configuration[{COLUMN_MAPPING_MODE}]",))
    return None


def _row_tracking(protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    """Row tracking by a value that is none, or that the protocol does not support."""
    refused = _refused_value(metadata, (_ROW_TRACKING,))
    if refused is not None:
        return refused
    if protocol.supports("rowTracking") or not is_true(metadata.configuration, _ROW_TRACKING):
        return None
    # `RowId.isEnabled`, without an error class; a protocol with table features is refused on
    # loading.
    refusal = TableError(
        f"{_ROW_TRACKING} is true, but the protocol does not support row tracking.",
        remedy=f"Unset the property: deltaadm alter TABLE --unset {_ROW_TRACKING}",
    )
    return Obstacle(refusal, (f"configuration[{_ROW_TRACKING}]",))


def _value_failing_inserts(_: Protocol, metadata: Metadata) -> Obstacle | None:
    return _refused_value(metadata, _EVALUATED_BY_INSERT)


def _refused_value(metadata: Metadata, keys: Iterable[str]) -> Obstacle | None:
    for key in keys:
        value = metadata.configuration.get(key)
        if value is None or _only_refused_when_set(key, value):
            continue
        known = PROPERTIES[key.lower()]
        try:
            known.check(known, value)
        except DeltaadmError as error:
            return Obstacle(error, (f"configuration[{key}]",))
    return None


def require_committable(metadata: Metadata) -> None:
    """Raise what Delta raises before it commits *metadata*, however old a wrong value in it is."""
    _raise(_refused_value(metadata, _EVALUATED_BY_COMMIT))


def _only_refused_when_set(key: str, value: str) -> bool:
    """Whether Delta, which would not set *value*, takes it where a table has it already."""
    if key in _NUMBERS:
        return (whole_number(value, INT) or 0) != 0
    return key == _ISOLATION_LEVEL and value.lower() in ("writeserializable", "snapshotisolation")


_ROW_TRACKING: Final = "delta.enableRowTracking"
_ISOLATION_LEVEL: Final = "delta.isolationLevel"
_NUMBERS: Final = (
    "delta.checkpointInterval",
    "delta.dataSkippingNumIndexedCols",
    "delta.dataSkippingStringPrefixLength",
)
_EVALUATED_BY_COMMIT: Final = (
    "delta.compatibility.symlinkFormatManifest.enabled",
    _ISOLATION_LEVEL,
    "delta.coordinatedCommits.tableConf-preview",
)
"""Properties whose values keep ALTER from committing; it evaluates others once it has committed."""
_EVALUATED_BY_INSERT: Final = (
    *_NUMBERS,
    _ISOLATION_LEVEL,
    "delta.autoOptimize.optimizeWrite",
    "delta.checkpoint.writeStatsAsJson",
    "delta.compatibility.symlinkFormatManifest.enabled",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
    "delta.coordinatedCommits.tableConf-preview",
    "delta.dataSkippingStatsColumns",
    "delta.enableChangeDataCapture",
    "delta.enableChangeDataFeed",
    "delta.enableIcebergCompatV1",
    "delta.enableIcebergCompatV2",
    "delta.enableIcebergCompatV3",
    "delta.enableInCommitTimestamps",
    "delta.enableTypeWidening",
    "delta.enableVariantShredding",
    "delta.parquet.format.version",
    "delta.randomizeFilePrefixes",
    "delta.writePartitionColumnsToParquet",
)
"""Properties whose values an INSERT evaluates, as recorded; it ignores those of all others."""


def _invariant_read_on_loading(protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    """An invariant that Delta cannot read, where it reads them on loading."""
    # It evaluates what the metadata asks for only where it has lists to compare it with.
    return _unreadable_invariant(protocol, metadata) if protocol.supports_writer_features else None


def _unreadable_invariant(_: Protocol, metadata: Metadata) -> Obstacle | None:
    refusal = refusal_of_invariants(metadata)
    return None if refusal is None else Obstacle(refusal, ("invariants",))


def _features_not_listed(protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    """Features that the metadata needs, or that others require, and no list has."""
    # `assertTableFeaturesMatchMetadata` passes over protocols without lists.
    if not protocol.supports_writer_features:
        return None
    try:
        needed = extract_automatically_enabled_features(metadata, protocol)
    except Refused as error:
        names = tuple(
            feature.name
            for feature in REFERENCE.values()
            if feature.refused_when_asked and feature.refused_when_asked == error.delta_error_class
        )
        return Obstacle(error, names or (_METADATA,))
    missing = sorted(needed - (protocol.writer_features or frozenset()))
    if not missing:
        return None
    refusal = Refused(
        "The table's protocol lacks features that its metadata uses or that others require: "
        f"{', '.join(missing)}.",
        remedy="Neither Delta Spark nor deltaadm can change such a table. If `deltaadm inspect` "
        "lists delta-rs among the clients that can write, have it add all of them in one call of "
        "`alter.add_feature`; otherwise copy the data into a new table with a client that can "
        "read it.",
        delta_error_class="DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH",
    )
    return Obstacle(refusal, tuple(missing))


# The order is Delta's: of several reasons the first names the error class.
_LOADING: Final[tuple[Check, ...]] = (
    _malformed_protocol,
    _unsupported_reader_version,
    _unknown_reader_features,
    _unknown_type,
    _unreadable_duration,
    _invariant_read_on_loading,
    _features_not_listed,
    _catalog_managed,
)
_QUERYING: Final[tuple[Check, ...]] = (_unreadable_mapping_mode, _row_tracking)
_WRITING: Final[tuple[Check, ...]] = (
    _unsupported_writer_version,
    _unknown_writer_features,
    _unreadable_invariant,
    _missing_partition_columns,
)
_INSERTING: Final[tuple[Check, ...]] = (
    *_LOADING,
    *_WRITING,
    *_QUERYING,
    _value_failing_inserts,
)
