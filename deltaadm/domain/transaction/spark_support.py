"""Tables that Delta Spark 4.4 cannot read or write, and what it does with invariants."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator

from deltaadm.dataclass import dataclass
from deltaadm.domain.features import REFERENCE, TableFeature, struct_fields
from deltaadm.domain.properties import (
    INT,
    PROPERTIES,
    Key,
    interval_microseconds,
    is_true,
    whole_number,
)
from deltaadm.domain.protocol import (
    Protocol,
    extract_automatically_enabled_features,
    supported_protocol,
    supported_reader_version_numbers,
    supported_writer_version_numbers,
)
from deltaadm.domain.schema import HIGHEST_PRECISION, Path, path_text
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, RefusedError, TableError, some_of
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    Check = Callable[[Protocol, Metadata], "Iterator[Obstacle]"]


# Invariants


INVARIANTS: Final = "delta.invariants"
"""Under which a column's metadata keeps its invariant."""


@dataclass(frozen=True)
class Invariant:
    """
    The invariant of one column.

    `expression` is None where the text is not as PROTOCOL.md says. `flaw` is what keeps Delta Spark
    from reading it, empty where nothing does, and `delta_error_class` what it then reports, None
    where its exception has no class. `read` tells whether it looks at the invariant at all, and
    `fails_in_delta_rs` whether delta-rs, which looks at all of them, stops at it.
    """

    path: Path
    text: Any
    read: bool
    expression: str | None
    fails_in_delta_rs: bool
    flaw: str = ""
    delta_error_class: str | None = None

    @property
    def fails_in_delta_spark(self) -> bool:
        """Whether Delta Spark stops at it."""
        return self.read and bool(self.flaw)


def invariants(metadata: Metadata) -> Iterator[Invariant]:
    """The invariants of columns outside arrays and maps, where Delta looks for them."""
    schema = metadata.schema
    for path, field in struct_fields(schema) if metadata.may_mention(INVARIANTS) else ():
        if INVARIANTS not in field.metadata:
            continue
        text = field.metadata[INVARIANTS]
        flaw, error_class = _flaw(text)
        try:
            is_json, inner = True, _inner(load_json(text))
        except (ValueError, TypeError, RecursionError):
            is_json, inner = False, None
        is_empty = isinstance(inner, str) and not inner.strip()
        yield Invariant(
            path=path,
            text=text,
            # A NOT NULL column is enforced as such, and its invariant is never looked at.
            read=field.nullable,
            expression=inner if isinstance(inner, str) and not flaw else None,
            fails_in_delta_rs=isinstance(text, str) and (not is_json or is_empty),
            flaw=flaw,
            delta_error_class=error_class,
        )


def _inner(document: Any) -> Any:
    outer = document.get("expression") if isinstance(document, dict) else None
    return outer.get("expression") if isinstance(outer, dict) else None


def _flaw(text: Any) -> tuple[str, str | None]:
    if not isinstance(text, str):
        return "it is not a string", None
    try:
        # Not `loads`: Delta takes the first JSON value of the text, whatever follows it.
        document, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return "it is not JSON", None
    if not isinstance(document, dict):
        return "it is not a JSON object", None
    if document.get("expression") is None:
        return "it has no expression", "DELTA_UNRECOGNIZED_INVARIANT"
    inner = _inner(document)
    # Delta takes any scalar; whether it is SQL, only Spark's parser knows, but an empty one is not.
    if inner is None or isinstance(inner, dict | list):
        return "its expression is not an object that contains an expression", None
    is_empty = isinstance(inner, str) and not inner.strip()
    return ("its expression is empty", "PARSE_EMPTY_STATEMENT") if is_empty else ("", None)


# Tables that are refused


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
    return _refusal(snapshot, (*_LOADING, _querying))


def refusal_to_write(snapshot: Snapshot) -> DeltaadmError | None:
    """Why Delta Spark would refuse any write to *snapshot*; None where it would write."""
    return _refusal(snapshot, _INSERTING)


def require_readable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on loading, if it does."""
    _require(snapshot, _LOADING)


def require_queryable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on a query of a table that it could load."""
    _require(snapshot, (_querying,))


def require_writable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on writing to a table that it could load."""
    _require(snapshot, (_writing,))


def require_changeable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on any change of a table, if it does."""
    _require(snapshot, (*_LOADING, _writing))


def _require(snapshot: Snapshot, checks: Iterable[Check]) -> None:
    refusal = _refusal(snapshot, checks)
    if refusal is not None:
        raise refusal


def _refusal(snapshot: Snapshot, checks: Iterable[Check]) -> DeltaadmError | None:
    """The first of the reasons, those left out that only stand against the table's path."""
    if snapshot.name is not None:
        checks = [check for check in checks if check is not _catalog_managed]
    obstacle = _first(checks, snapshot.protocol, snapshot.metadata)
    return None if obstacle is None else obstacle.refusal


def obstacle_to_reading(protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    """
    The first of the reasons why Delta Spark does not load a table, in its own order: a malformed
    or unsupported protocol, types that Spark does not know, or a protocol that lacks features
    which the metadata needs (`assertTableFeaturesMatchMetadata`); or why queries of it fail.
    """
    return _first((*_LOADING, _querying), protocol, metadata)


def obstacle_to_writing(protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    """The first of the reasons why Delta Spark does not insert into a table; it loads it first."""
    return _first(_INSERTING, protocol, metadata)


def _first(checks: Iterable[Check], protocol: Protocol, metadata: Metadata) -> Obstacle | None:
    for check in checks:
        try:
            obstacle = next(check(protocol, metadata), None)
        except DeltaadmError as error:
            obstacle = Obstacle(error, (_METADATA,))
        if obstacle is not None:
            return obstacle
    return None


_METADATA: Final = "metadata"


# Checks: of what each yields only the first counts, and the order is Delta's.


def _loading(protocol: Protocol, metadata: Metadata) -> Iterator[Obstacle]:
    malformation = protocol.malformation
    if malformation is not None:
        refusal = RefusedError(
            malformation.message,
            remedy="`deltaadm repair TABLE` writes a valid protocol.",
            delta_error_class="EXPRESSION_DECODING_FAILED",
        )
        yield Obstacle(refusal, ("protocol",))
    if protocol.min_reader_version not in supported_reader_version_numbers():
        yield Obstacle(_unsupported_version(protocol), ("protocol.minReaderVersion",))
    yield from _unknown(protocol.reader_features, supported_protocol().reader_features, "read")
    for data_type in metadata.primitive_types:
        name = data_type.name
        # Nine digits will do: int() refuses the thousands that a schema may have.
        is_decimal = name.startswith("decimal")
        digits = re.match(r"decimal\(\s*0*(\d{1,9})", name) if is_decimal else None
        if not is_spark_type(name):
            unknown = TableError(
                f"The table's schema has a type that Spark does not know: {name}.",
                remedy="Use the client that wrote it.",
                delta_error_class="INVALID_JSON_DATA_TYPE",
            )
            yield Obstacle(unknown, ("schema",))
        if digits and int(digits[1]) > HIGHEST_PRECISION:
            too_precise = TableError(
                f"The table's schema has {name}; the highest precision is {HIGHEST_PRECISION}.",
                remedy="Restore the version before that column was added.",
                delta_error_class="DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
            )
            yield Obstacle(too_precise, ("schema",))
    # Tried on Delta Spark 4.4: such a table answers to nothing; other durations hinder no query.
    durations = "delta.deletedFileRetentionDuration", "delta.setTransactionRetentionDuration"
    for key in filter(metadata.configuration.__contains__, durations):
        try:
            interval_microseconds(metadata.configuration[key])
        except DeltaadmError as error:
            refusal = RefusedError(
                error.message,
                remedy=f"`deltaadm repair TABLE` gives {key} its last valid value, or unsets it.",
                delta_error_class=error.delta_error_class,
            )
            yield Obstacle(refusal, (f"configuration[{key}]",))
    # It evaluates what the metadata asks for only where it has lists to compare it with.
    if protocol.supports_writer_features:
        yield from _unreadable_invariants(metadata)
        yield from _features_not_listed(protocol, metadata)


def _unsupported_version(protocol: Protocol) -> RefusedError:
    return RefusedError(
        f"Delta Spark does not know reader version {protocol.min_reader_version} with writer "
        f"version {protocol.min_writer_version}.",
        remedy="Use a newer client, or restore the version before if the number is a mistake.",
        delta_error_class="DELTA_INVALID_PROTOCOL_VERSION",
    )


def _unknown(
    listed: frozenset[str] | None, known: frozenset[str] | None, what: str
) -> Iterator[Obstacle]:
    # Letter by letter, although Delta finds features that a user names in any case.
    unknown = sorted((listed or frozenset()) - (known or frozenset()))
    if not unknown:
        return
    named = [feature for feature in map(TableFeature.lookup, unknown) if feature is not None]
    spelled = [feature.name for feature in named if feature.in_delta_spark]
    refusal = RefusedError(
        f"Delta Spark cannot {what} the table: it does not know the table "
        f"feature{'s' if len(unknown) > 1 else ''} {some_of(unknown, 20)}.",
        remedy=f"The right spelling is {', '.join(spelled)}: `deltaadm repair TABLE` writes it."
        if spelled
        else "Use a client that knows them.",
        delta_error_class=f"DELTA_UNSUPPORTED_FEATURES_FOR_{what.upper()}",
    )
    yield Obstacle(refusal, tuple(unknown))


SPARK_TYPES: Final = frozenset({
    "binary", "boolean", "byte", "date", "decimal", "double", "float", "geography", "geometry",
    "integer", "interval", "long", "null", "short", "string", "timestamp", "timestamp_ntz",
    "variant", "void",
})  # fmt: skip
_SPARK_TYPES_WITH_DETAILS = (
    r"interval .*|time\(\d\)|(var)?char\(\d+\)|decimal\(\s*\d+\s*,.*\)|"
    r"(geometry|geography)\(.*\)|string collate .*"
)


def is_spark_type(name: str) -> bool:
    """Whether Spark can read the type *name* in a schema."""
    return name in SPARK_TYPES or bool(re.fullmatch(_SPARK_TYPES_WITH_DETAILS, name))


def _unreadable_invariants(metadata: Metadata) -> Iterator[Obstacle]:
    for invariant in invariants(metadata):
        if invariant.fails_in_delta_spark:
            refusal = RefusedError(
                f"Delta Spark cannot read the invariant of column {path_text(invariant.path)}: "
                f"{invariant.flaw}.",
                remedy="Remove it with the client that wrote it; use a CHECK constraint instead.",
                delta_error_class=invariant.delta_error_class,
            )
            yield Obstacle(refusal, ("invariants",))


def _features_not_listed(protocol: Protocol, metadata: Metadata) -> Iterator[Obstacle]:
    # `assertTableFeaturesMatchMetadata`, which passes over protocols without lists.
    try:
        needed = extract_automatically_enabled_features(metadata, protocol)
    except RefusedError as error:
        names = tuple(
            feature.name
            for feature in REFERENCE.values()
            if feature.refused_when_asked and feature.refused_when_asked == error.delta_error_class
        )
        yield Obstacle(error, names or (_METADATA,))
        return
    missing = sorted(needed - (protocol.writer_features or frozenset()))
    if missing:
        refusal = RefusedError(
            "The table's protocol lacks features that its metadata uses or that others require: "
            f"{', '.join(missing)}.",
            remedy="`deltaadm repair TABLE` adds them to the protocol.",
            delta_error_class="DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH",
        )
        yield Obstacle(refusal, tuple(missing))


def _catalog_managed(protocol: Protocol, _: Metadata) -> Iterator[Obstacle]:
    if protocol.supports("catalogManaged"):
        refusal = RefusedError(
            "The table is managed by a catalog, and Delta Spark does not open it by its path.",
            remedy="Use the catalog's own tools, or the table's name in the catalog.",
            delta_error_class=PATH_OF_CATALOG_TABLE,
        )
        yield Obstacle(refusal, ("catalogManaged",))


PATH_OF_CATALOG_TABLE: Final = "DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED"
"""The error class of the one refusal to load that says nothing against the table itself."""


def _querying(protocol: Protocol, metadata: Metadata) -> Iterator[Obstacle]:
    # Delta evaluates both in any query, whatever the protocol lists.
    yield from _refused_values(metadata, (Key.COLUMN_MAPPING_MODE, Key.ROW_TRACKING))
    # `RowId.isEnabled`, without an error class; a protocol with table features is refused on
    # loading.
    if not protocol.supports("rowTracking") and is_true(metadata.configuration, Key.ROW_TRACKING):
        refusal = TableError(
            f"{Key.ROW_TRACKING} is true, but the protocol does not support row tracking.",
            remedy=f"Unset the property: deltaadm alter TABLE --unset {Key.ROW_TRACKING}",
        )
        yield Obstacle(refusal, (f"configuration[{Key.ROW_TRACKING}]",))


def _writing(protocol: Protocol, metadata: Metadata) -> Iterator[Obstacle]:
    if protocol.min_writer_version not in supported_writer_version_numbers():
        yield Obstacle(_unsupported_version(protocol), ("protocol.minWriterVersion",))
    yield from _unknown(protocol.writer_features, supported_protocol().writer_features, "write")
    yield from _unreadable_invariants(metadata)
    names = {field.name for field in metadata.schema.fields}
    missing = [column for column in metadata.partition_columns if column not in names]
    if missing:
        refusal = TableError(
            f"The table is partitioned by {', '.join(missing)}, which its schema does not have.",
            remedy="Restore the version before the schema lost the column.",
            delta_error_class="FIELD_NOT_FOUND",
        )
        yield Obstacle(refusal, ("partitionColumns",))


def _refused_values(metadata: Metadata, keys: Iterable[str]) -> Iterator[Obstacle]:
    for key in keys:
        value = metadata.configuration.get(key)
        if value is None:
            continue
        # Delta, which would not set some values, takes them where a table has them already.
        if key in _NUMBERS and whole_number(value, INT):
            continue
        if key == _ISOLATION_LEVEL and value.lower() in ("writeserializable", "snapshotisolation"):
            continue
        known = PROPERTIES[key.lower()]
        try:
            known.check(known, value)
        except DeltaadmError as error:
            yield Obstacle(error, (f"configuration[{key}]",))


def require_committable(metadata: Metadata) -> None:
    """Raise what Delta raises before it commits *metadata*, however old a wrong value in it is."""
    for obstacle in _refused_values(metadata, _EVALUATED_BY_COMMIT):
        raise obstacle.refusal


_ISOLATION_LEVEL: Final = "delta.isolationLevel"
_NUMBERS: Final = (
    "delta.checkpointInterval",
    "delta.dataSkippingNumIndexedCols",
    "delta.dataSkippingStringPrefixLength",
)
_EVALUATED_BY_COMMIT: Final = (
    "delta.compatibility.symlinkFormatManifest.enabled", _ISOLATION_LEVEL,
    "delta.coordinatedCommits.tableConf-preview",
)  # fmt: skip
"""Properties whose values keep ALTER from committing; it evaluates others once it has committed."""
_EVALUATED_BY_INSERT: Final = (
    *_NUMBERS, _ISOLATION_LEVEL,
    "delta.autoOptimize.optimizeWrite", "delta.checkpoint.writeStatsAsJson",
    "delta.compatibility.symlinkFormatManifest.enabled",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
    "delta.coordinatedCommits.tableConf-preview", "delta.dataSkippingStatsColumns",
    "delta.enableChangeDataCapture", "delta.enableChangeDataFeed",
    "delta.enableIcebergCompatV1", "delta.enableIcebergCompatV2", "delta.enableIcebergCompatV3",
    "delta.enableInCommitTimestamps", "delta.enableTypeWidening", "delta.enableVariantShredding",
    "delta.parquet.format.version", "delta.randomizeFilePrefixes",
    "delta.writePartitionColumnsToParquet",
)  # fmt: skip
"""Properties whose values an INSERT evaluates, as recorded; it ignores those of all others."""

_LOADING: Final[tuple[Check, ...]] = (_loading, _catalog_managed)
_INSERTING: Final[tuple[Check, ...]] = (
    *_LOADING,
    _writing,
    _querying,
    lambda _, metadata: _refused_values(metadata, _EVALUATED_BY_INSERT),
)
