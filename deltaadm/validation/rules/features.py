"""DL5xx: what features demand."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.clustering import CLUSTERING_DOMAIN, physical_clustering
from deltaadm.domain.column_mapping import ColumnMappingMode, column_mapping_mode, physical_name
from deltaadm.domain.features import FEATURES, struct_fields
from deltaadm.domain.iceberg import ROW_TRACKING, allows_type, compat_key, widens_in_iceberg
from deltaadm.domain.iceberg import VERSIONS as COMPAT_VERSIONS
from deltaadm.domain.metadata_checks import CDC_COLUMNS, check_property_constraints, has_bounds
from deltaadm.domain.properties import (
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    ROW_COMMIT_VERSION_COLUMN,
    ROW_ID_COLUMN,
    switch,
)
from deltaadm.domain.protocol import unsupported_wishes
from deltaadm.domain.schema import PrimitiveType, StructType, all_types, path_text, walk
from deltaadm.domain.table_changes import UnsetProperties
from deltaadm.domain.type_widening import TYPE_CHANGES, is_widening, record_flaws, type_changes
from deltaadm.errors import DeltaadmError, Refused
from deltaadm.validation.fixes import accepted, adding
from deltaadm.validation.once import Once
from deltaadm.validation.rule import Problem, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts import CommitFacts, SnapshotFacts, State
    from deltaadm.domain.metadata import Metadata
    from deltaadm.domain.schema import DataType, StructField
    from deltaadm.domain.snapshot import Snapshot

_ROW_TRACKING_DOMAIN: Final = "delta.rowTracking"
_SYSTEM_DOMAINS: Final = frozenset({_ROW_TRACKING_DOMAIN, CLUSTERING_DOMAIN, "delta.liquid"})
_PROTECTION: Final = "delta.requireCheckpointProtectionBeforeVersion"
_GENERATION: Final = "delta.generationExpression"
_INVARIANTS: Final = "delta.invariants"
_DEFAULT: Final = "CURRENT_DEFAULT"
_IDENTITY: Final = "delta.identity."
_IDENTITY_KEYS: Final = ("start", "step", "allowExplicitInsert")

Path = tuple[str, ...]


def _fields_of(metadata: Metadata) -> tuple[tuple[Path, StructField], ...]:
    try:
        return tuple(walk(metadata.schema))
    except DeltaadmError:
        return ()


_fields: Final = Once(_fields_of)


def _top(metadata: Metadata) -> tuple[StructField, ...]:
    return tuple(one for path, one in _fields(metadata) if len(path) == 1)


def _at(path: Path) -> str:
    return f"schema[{path_text(path)}]"


def _mode(metadata: Metadata) -> ColumnMappingMode | None:
    """The column mapping mode; None where its property holds no mode."""
    try:
        return column_mapping_mode(metadata)
    except DeltaadmError:
        return None


def _is_on(snapshot: Snapshot, feature: str, key: str) -> bool:
    """Whether a feature is supported and its property on."""
    on = snapshot.protocol.supports(feature) and switch(snapshot.metadata.configuration, key)
    return bool(on)


def _tracks_rows(snapshot: Snapshot) -> bool:
    return _is_on(snapshot, "rowTracking", ROW_TRACKING)


def _compat(snapshot: Snapshot) -> Iterator[int]:
    """The versions of Iceberg compatibility that are active."""
    for one in COMPAT_VERSIONS:
        if _is_on(snapshot, f"icebergCompatV{one}", compat_key(one)):
            yield one


def _domain(snapshot: Snapshot, name: str) -> dict[str, Any]:
    """The configuration of a domain; empty where it is absent or no JSON object."""
    found = (snapshot.domains or {}).get(name)
    try:
        document = json.loads(found.configuration) if found is not None else {}
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _long(text: str | None) -> int | None:
    """The value of a property that holds a whole number."""
    if text is None or not re.fullmatch(r"[+-]?\d{1,19}", text, re.ASCII):
        return None
    return int(text)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# Row tracking


@rule("DL501", Severity.ERROR, Scope.SNAPSHOT)
def files_without_row_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on, and live files lack a base row id or a default row commit version.

    Why it matters: rows of such files have no identity, so that whoever follows changes by row
    id, such as an incremental materialised view, fails or loses them.

    What to do: find the writer that does not honour row tracking. Turning row tracking off and
    on again gives every file its ids.

    Source: PROTOCOL.md, Row Tracking.
    """
    totals = table.totals
    if totals is not None and totals.without_row_tracking.count and _tracks_rows(table.snapshot):
        lacking = totals.without_row_tracking
        yield Problem(
            f"Row tracking is on, and {lacking.count} of {totals.facts.files} files lack row "
            f"ids, such as {lacking.paths[0]!r}.",
            f"configuration[{ROW_TRACKING}]",
        )


@rule("DL502", Severity.ERROR, Scope.SNAPSHOT)
def overlapping_row_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Two live files have row ids in common.

    Why it matters: a row id stands for one row. With the same id twice, changes are applied to
    the wrong row.

    What to do: find the writer that assigned them. Turning row tracking off and on again
    assigns new ones.

    Source: PROTOCOL.md, Row IDs.
    """
    if table.totals is None or not table.state.supports("rowTracking"):
        return
    for left, right in table.totals.overlapping_row_ids:
        yield Problem(f"The files {left!r} and {right!r} have row ids in common.", left)


@rule("DL503", Severity.ERROR, Scope.SNAPSHOT)
def row_id_mark_too_low(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The high water mark of row ids is missing, or lies below a row id that is in use.

    Why it matters: the next writer gives new rows ids that others have already.

    What to do: stop writing, and find the writer that left the mark behind. Turning row tracking
    off and on again assigns new ids.

    Source: PROTOCOL.md, Row IDs (domain delta.rowTracking).
    """
    highest = None if table.totals is None else table.totals.highest_row_id
    if highest is None or not table.state.supports("rowTracking"):
        return
    mark = _whole(_domain(table.snapshot, _ROW_TRACKING_DOMAIN).get("rowIdHighWaterMark"))
    if mark is None or mark < highest:
        said = "missing" if mark is None else str(mark)
        yield Problem(
            f"The high water mark of row ids is {said}, and row id {highest} is in use.",
            f"domainMetadata[{_ROW_TRACKING_DOMAIN}]",
        )


@rule("DL504", Severity.ERROR, Scope.SNAPSHOT)
def unusable_row_tracking_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on, and the name of a column that it keeps its values in is missing or taken.

    Why it matters: rewritten rows keep their ids in these columns of the data files. Without a
    name of its own they are lost, or mixed up with the data.

    What to do: rename the column of the table that has the name. Where the name is missing,
    turning row tracking off and on again assigns it.

    Source: PROTOCOL.md, Row Tracking; Delta Spark,
    DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED.
    """
    snapshot = table.snapshot
    if not _tracks_rows(snapshot):
        return
    taken = {one.name.lower() for one in _top(snapshot.metadata)}
    taken |= {physical_name(one).lower() for one in _top(snapshot.metadata)}
    for key in (ROW_ID_COLUMN, ROW_COMMIT_VERSION_COLUMN):
        name = snapshot.metadata.configuration.get(key, "")
        if not name:
            yield Problem(f"Row tracking is on, and {key} is not set.", f"configuration[{key}]")
        elif name.lower() in taken:
            yield Problem(f"{key} is {name!r}, which is taken.", f"configuration[{key}]")
        taken.add(name.lower())


@rule("DL505", Severity.ERROR, Scope.SNAPSHOT)
def row_tracking_on_and_suspended(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on and suspended at the same time.

    Why it matters: the one promises that every file has row ids, the other that writers assign
    none. Delta refuses every change of such a table.

    What to do: set one of the two properties to false.

    Source: PROTOCOL.md, Row Tracking; Delta Spark, DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION.
    """
    configuration = table.snapshot.metadata.configuration
    if switch(configuration, ROW_TRACKING) and switch(configuration, "delta.rowTrackingSuspended"):
        yield Problem(
            "Both delta.enableRowTracking and delta.rowTrackingSuspended are true.",
            "configuration[delta.rowTrackingSuspended]",
        )


# Domains and clustering


@rule("DL506", Severity.ERROR, Scope.SNAPSHOT)
def domain_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table has domain metadata, and the protocol lacks the feature `domainMetadata`.

    Why it matters: writers that do not know domain metadata are let in, and lose it with the
    next checkpoint.

    What to do: add the feature, or find the writer that changed the protocol.

    Source: PROTOCOL.md, Domain Metadata; Delta Spark, DELTA_DOMAIN_METADATA_NOT_SUPPORTED.
    """
    names = sorted(table.snapshot.domains or ())
    if names and not table.state.supports("domainMetadata"):
        listed = ", ".join(repr(one) for one in names[:5])
        yield Problem(
            f"The table has domains ({listed}), which the protocol does not allow.",
            "protocol.writerFeatures",
            fix=adding(table.snapshot, "domainMetadata"),
        )


@rule("DL507", Severity.WARNING, Scope.SNAPSHOT)
def unknown_system_domain(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A domain's name begins with `delta.`, and the protocol knows no such domain.

    Why it matters: these names are reserved. A program that has taken one may find its entry
    used for something else, or a newer protocol is at work that this program does not know.

    What to do: find out who wrote it; programs of users must choose another name.

    Source: PROTOCOL.md, Domain Metadata (system-controlled domains).
    """
    for name in sorted(table.snapshot.domains or ()):
        if name.startswith("delta.") and name not in _SYSTEM_DOMAINS:
            yield Problem(f"The domain {name!r} is not known.", f"domainMetadata[{name}]")


@rule("DL508", Severity.ERROR, Scope.SNAPSHOT)
def clustered_and_partitioned(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table is clustered and partitioned at the same time.

    Why it matters: the protocol forbids it, and Delta refuses to write such a table.

    What to do: `deltaadm alter TABLE --no-cluster-by`, or write the table anew without partitions.

    Source: PROTOCOL.md, Clustered Table.
    """
    columns = table.snapshot.metadata.partition_columns
    if (
        columns
        and table.state.supports("clustering")
        and physical_clustering(table.snapshot.domains or {})
    ):
        listed = ", ".join(repr(one) for one in columns)
        yield Problem(f"The table is clustered, and partitioned by {listed}.", "partitionColumns")


@rule("DL509", Severity.ERROR, Scope.SNAPSHOT)
def unusable_clustering_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table is clustered by a column that does not exist, or whose type has no statistics.

    Why it matters: clustering works by the minimum and maximum of files. OPTIMIZE fails.

    What to do: choose other columns: `deltaadm alter TABLE --cluster-by COLUMN`. Under column
    mapping the domain must hold physical names.

    Source: PROTOCOL.md, Clustered Table.
    """
    for path, found in _clustered(table):
        name = ".".join(path)
        if found is None:
            yield Problem(
                f"The table is clustered by {name!r}, which it does not have.",
                f"domainMetadata[{CLUSTERING_DOMAIN}]",
            )
        elif not has_bounds(found) and not _is_variant(found):
            yield Problem(
                f"The table is clustered by {name!r}, whose type has no statistics.",
                f"domainMetadata[{CLUSTERING_DOMAIN}]",
            )


def _clustered(table: SnapshotFacts) -> Iterator[tuple[Path, DataType | None]]:
    """The columns that the table is clustered by, with their types."""
    metadata, mode = table.snapshot.metadata, _mode(table.snapshot.metadata)
    if mode is None or not _fields(metadata) or not table.state.supports("clustering"):
        return
    for path in physical_clustering(table.snapshot.domains or {}):
        found: DataType | None = metadata.schema
        for part in path:
            inner = found.fields if isinstance(found, StructType) else ()
            found = next((one.type for one in inner if _stored_name(one, mode) == part), None)
        yield path, found


def _stored_name(field: StructField, mode: ColumnMappingMode) -> str:
    return field.name if mode is ColumnMappingMode.NONE else physical_name(field)


def _is_variant(data_type: DataType | None) -> bool:
    return isinstance(data_type, PrimitiveType) and data_type.name == "variant"


# In-commit timestamps and catalogs


@rule("DL510", Severity.ERROR, Scope.SNAPSHOT)
def inconsistent_timestamp_enablement(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The properties that say since when commits carry timestamps contradict themselves or the log.

    Why it matters: readers use them to decide which of two clocks a version's time comes from.
    Time travel by timestamp then finds the wrong version.

    What to do: find the writer that set them. With both unset, every version still in the log
    must carry its timestamp.

    Source: PROTOCOL.md, In-Commit Timestamps.
    """
    snapshot = table.snapshot
    if not _is_on(snapshot, "inCommitTimestamp", "delta.enableInCommitTimestamps"):
        return
    texts = {
        key: snapshot.metadata.configuration.get(key)
        for key in (ICT_ENABLEMENT_VERSION, ICT_ENABLEMENT_TIMESTAMP)
    }
    for key, text in texts.items():
        if text is None and any(texts.values()):
            yield Problem(f"{key} is missing beside its twin.", f"configuration[{key}]")
    version, time = (_long(one) for one in texts.values())
    if version is not None and not 0 <= version <= snapshot.version:
        yield Problem(
            f"Timestamps are said to begin with version {version}; the newest is "
            f"{snapshot.version}.",
            f"configuration[{ICT_ENABLEMENT_VERSION}]",
        )
    said = table.enablement_timestamp
    if None not in (said, time) and said != time:
        yield Problem(
            f"{ICT_ENABLEMENT_TIMESTAMP} is {time}, and the commit of version {version} says "
            f"{said}.",
            f"configuration[{ICT_ENABLEMENT_TIMESTAMP}]",
        )


@rule("DL511", Severity.ERROR, Scope.SNAPSHOT)
def catalog_without_timestamps(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A catalog manages the table, and in-commit timestamps are not on.

    Why it matters: commits that a catalog takes in have no reliable file time, so the order and
    time of versions cannot be told.

    What to do: have the catalog's client turn them on; Delta does so by itself when it commits.

    Source: PROTOCOL.md, Catalog-managed Table Enablement.
    """
    snapshot = table.snapshot
    on = switch(snapshot.metadata.configuration, "delta.enableInCommitTimestamps")
    for name in ("catalogManaged", "catalogOwned-preview"):
        if snapshot.protocol.supports(name) and on is False:
            yield Problem(
                f"The table has {name}, and delta.enableInCommitTimestamps is not true.",
                "configuration[delta.enableInCommitTimestamps]",
            )


# Iceberg


@rule("DL512", Severity.ERROR, Scope.SNAPSHOT)
def iceberg_without_mapping(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on without column mapping.

    Why it matters: Iceberg finds columns by field id, which only column mapping writes. Delta
    refuses every change of such a table.

    What to do: turn column mapping on, or Iceberg compatibility off.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    if _mode(table.snapshot.metadata) is ColumnMappingMode.NONE:
        for version in _compat(table.snapshot):
            yield Problem(
                f"Iceberg compatibility V{version} is on, and column mapping is off.",
                f"configuration[{compat_key(version)}]",
            )


@rule("DL513", Severity.ERROR, Scope.SNAPSHOT)
def iceberg_forbids_type(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on, and a column has a type that it does not allow.

    Why it matters: the table cannot be read as an Iceberg table, and Delta refuses every change
    of it.

    What to do: drop the column, or choose another version of Iceberg compatibility.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2; protocol_rfcs/iceberg-compat-v3.md.
    """
    for version in _compat(table.snapshot):
        for one in _top(table.snapshot.metadata):
            if not all(allows_type(version, each) for each in all_types(one.type)):
                yield Problem(
                    f"Iceberg compatibility V{version} does not allow the type of column "
                    f"{one.name!r}.",
                    _at((one.name,)),
                )


@rule("DL514", Severity.ERROR, Scope.SNAPSHOT)
def iceberg_with_deletion_vectors(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility V1 or V2 is on, and so are deletion vectors, or files have some.

    Why it matters: Iceberg readers do not see them, and show deleted rows.

    What to do: set delta.enableDeletionVectors to false and purge the files: REORG TABLE … APPLY
    (PURGE). V1 does not even allow the feature in the protocol; choose V2, or drop it.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    snapshot = table.snapshot
    having = 0 if table.totals is None else table.totals.deletion_vectors
    enabled = _is_on(snapshot, "deletionVectors", "delta.enableDeletionVectors")
    for version in _compat(snapshot):
        if version == 1 and snapshot.protocol.supports("deletionVectors"):
            why = "the protocol supports deletion vectors"
        elif version <= 2 and enabled:  # noqa: PLR2004 -- V3 knows deletion vectors
            why = "deletion vectors are on"
        elif version <= 2 and having:  # noqa: PLR2004
            why = f"{having} files have deletion vectors"
        else:
            continue
        where = f"configuration[{compat_key(version)}]"
        yield Problem(f"Iceberg compatibility V{version} is on, and {why}.", where)


@rule("DL515", Severity.ERROR, Scope.SNAPSHOT)
def iceberg_without_counts(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on, and files do not say how many records they have.

    Why it matters: Iceberg requires the number for every file, so the table cannot be
    converted.

    What to do: rewrite those files: REORG TABLE … APPLY (UPGRADE UNIFORM …).

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    facts = None if table.totals is None else table.totals.facts
    for version in _compat(table.snapshot):
        if facts is not None and facts.without_num_records:
            yield Problem(
                f"Iceberg compatibility V{version} is on, and {facts.without_num_records} of "
                f"{facts.files} files lack numRecords.",
                f"configuration[{compat_key(version)}]",
            )


@rule("DL531", Severity.WARNING, Scope.SNAPSHOT)
def iceberg_writer_forbids_name(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's physical name is not `col-` and its id, as Iceberg writer compatibility wants it.

    Why it matters: with other names, files cannot be exchanged with writers for Iceberg. It is
    an error once the property is on.

    What to do: write the table anew; physical names never change.

    Source: protocol_rfcs/iceberg-writer-compat-v1.md; Kernel, IcebergWriterCompat.
    """
    snapshot = table.snapshot
    for version in (1, 3):
        name = f"icebergWriterCompatV{version}"
        if not snapshot.protocol.supports(name):
            continue
        text = snapshot.metadata.configuration.get(f"delta.enableIcebergWriterCompatV{version}", "")
        active = text.lower() == "true"
        for path, one in _fields(snapshot.metadata):
            expected = f"col-{one.metadata.get('delta.columnMapping.id')}"
            if physical_name(one) != expected:
                yield Problem(
                    f"{name} wants the physical name {expected!r} for column {path_text(path)!r}, "
                    f"which has {physical_name(one)!r}.",
                    _at(path),
                    severity=Severity.ERROR if active else None,
                )


@rule("DL532", Severity.ERROR, Scope.SNAPSHOT)
def adaptive_metadata_without_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table has adaptive metadata, and column mapping is not by id or deletion vectors are inline.

    Why it matters: adaptive metadata is Iceberg's, which knows columns by id and deletion vectors
    in files only.

    What to do: write the table anew; the feature can only be chosen when a table is created.

    Source: protocol_rfcs/iceberg-v4-metadata.md.
    """
    protocol = table.snapshot.protocol
    if not any(protocol.supports(f"adaptiveMetadata{one}") for one in ("", "-preview")):
        return
    mode = _mode(table.snapshot.metadata)
    if mode not in (None, ColumnMappingMode.ID):
        yield Problem(
            f"Adaptive metadata needs column mapping by id; the mode is {mode.value}.",
            "configuration[delta.columnMapping.mode]",
        )
    inline = None if table.totals is None else table.totals.inline_vectors
    if inline is not None and inline.count:
        yield Problem(
            f"{inline.count} files have an inline deletion vector, such as {inline.paths[0]!r}.",
            inline.paths[0],
        )


# Columns


@rule("DL516", Severity.ERROR, Scope.SNAPSHOT)
def illegal_type_change(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's record of type changes has one that is no widening, or that Iceberg does not know.

    Why it matters: readers must fail on a change that they do not support, since they cannot
    read the older files.

    What to do: rewrite the older files (ALTER TABLE … DROP FEATURE 'typeWidening' does), or find
    the writer that recorded the change.

    Source: PROTOCOL.md, Type Widening, and Iceberg Compatibility V2.
    """
    compat = max(_compat(table.snapshot), default=0)
    for path, one in _fields(table.snapshot.metadata):
        for _, old, new in type_changes(one):
            if not old or not new:
                continue  # DL517's
            if not is_widening(old, new):
                yield Problem(f"A change from {old} to {new} is no widening.", _at(path))
            elif compat and not widens_in_iceberg(old, new):
                yield Problem(
                    f"Iceberg compatibility V{compat} does not allow the change from {old} to "
                    f"{new}.",
                    _at(path),
                )


@rule("DL517", Severity.ERROR, Scope.SNAPSHOT)
def inconsistent_type_changes(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column records type changes without the feature, or in a way that does not lead to its type.

    Why it matters: readers decide by the record how older files are to be read.

    What to do: find the writer. A table that has left type widening must not keep the record.

    Source: PROTOCOL.md, Type Widening (Type Change Metadata).
    """
    supported = table.state.supports("typeWidening") or table.state.supports("typeWidening-preview")
    for path, one in _fields(table.snapshot.metadata):
        if TYPE_CHANGES not in one.metadata:
            continue
        if not supported:
            yield Problem(
                f"Column {path_text(path)!r} records type changes, and the protocol lacks "
                "typeWidening.",
                _at(path),
            )
        for flaw in record_flaws(one):
            yield Problem(
                f"The record of type changes of column {path_text(path)!r} is wrong: {flaw}.",
                _at(path),
            )


@rule("DL518", Severity.ERROR, Scope.SNAPSHOT)
def column_type_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's type needs a feature that the protocol lacks.

    Why it matters: clients that do not know the type are let in and fail, or take it for another
    one. Delta Spark refuses to load such a table where the protocol lists features.

    What to do: the program that wrote the protocol must add the feature; Delta can do it itself
    where the protocol lists none yet.

    Source: PROTOCOL.md, Timestamp without timezone and Variant Data Type; Delta Spark,
    DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH.
    """
    snapshot = table.snapshot
    for name, evidence in unsupported_wishes(snapshot.metadata, snapshot.protocol).items():
        if FEATURES[name].activation.by_type:
            listed = snapshot.protocol.supports_writer_features
            yield Problem(
                f"The protocol lacks {name}, and {evidence[0]}.",
                "protocol.writerFeatures",
                fix=() if listed else adding(snapshot, name),
            )


@rule("DL519", Severity.ERROR, Scope.SNAPSHOT)
def misused_variant(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A variant column is used for clustering, or has a default that is not null.

    Why it matters: values of a variant have no order and no literal; writers fail. (Variant
    partition columns have a rule of their own.)

    What to do: choose other columns for clustering; drop the default.

    Source: PROTOCOL.md, Variant Data Type (Compatibility with other Delta Features).
    """
    for path, found in _clustered(table):
        if _is_variant(found):
            yield Problem(
                f"The table is clustered by {'.'.join(path)!r}, which is a variant.",
                f"domainMetadata[{CLUSTERING_DOMAIN}]",
            )
    for path, one in _fields(table.snapshot.metadata):
        default = one.metadata.get(_DEFAULT)
        if default is not None and _is_variant(one.type) and not _is_null(default):
            yield Problem(
                f"The variant column {path_text(path)!r} has the default {default!r}.", _at(path)
            )


def _is_null(default: Any) -> bool:
    return isinstance(default, str) and default.strip().lower() == "null"


@rule("DL520", Severity.ERROR, Scope.SNAPSHOT)
def malformed_identity_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    An identity column lacks some of its settings, has step 0, is not a long, or partitions the
    table.

    Why it matters: writers cannot generate values for it, or generate the same one again and
    again.

    What to do: write the table anew with a proper identity column.

    Source: PROTOCOL.md, Identity Columns.
    """
    metadata = table.snapshot.metadata
    for one in _identities(table):
        where = _at((one.name,))
        missing = [key for key in _IDENTITY_KEYS if f"{_IDENTITY}{key}" not in one.metadata]
        if missing:
            named = ", ".join(f"{_IDENTITY}{key}" for key in missing)
            yield Problem(f"Identity column {one.name!r} lacks {named}.", where)
        for key in ("start", "step"):
            value = one.metadata.get(f"{_IDENTITY}{key}", 1)
            if _whole(value) is None or (key == "step" and value == 0):
                yield Problem(f"The {key} of identity column {one.name!r} is {value!r}.", where)
        if one.type != PrimitiveType("long"):
            yield Problem(f"Identity column {one.name!r} is not a long.", where)
        if one.name in metadata.partition_columns:
            yield Problem(f"Identity column {one.name!r} is a partition column.", where)


def _identities(table: SnapshotFacts) -> Iterator[StructField]:
    """The identity columns, whole or not, where the protocol makes their settings count."""
    if table.state.supports("identityColumns"):
        for one in _top(table.snapshot.metadata):
            if any(key.startswith(_IDENTITY) for key in one.metadata):
                yield one


@rule("DL521", Severity.WARNING, Scope.SNAPSHOT)
def identity_mark_out_of_step(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The high water mark of an identity column is not one of the values that it can have.

    Why it matters: the next values do not go on from the last ones; they may repeat some.

    What to do: ALTER TABLE … ALTER COLUMN … SYNC IDENTITY.

    Source: PROTOCOL.md, Identity Columns.
    """
    for one in _identities(table):
        start, step, mark = (
            _whole(one.metadata.get(f"{_IDENTITY}{key}"))
            for key in ("start", "step", "highWaterMark")
        )
        if start is None or mark is None or not step:
            continue
        if (mark - start) % step or (mark - start) * step < 0:
            yield Problem(
                f"The high water mark of identity column {one.name!r} is {mark}, which cannot be "
                f"reached from {start} in steps of {step}.",
                _at((one.name,)),
            )


@rule("DL522", Severity.ERROR, Scope.SNAPSHOT)
def conflicting_generation(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column is generated and an identity column at once, or is generated from a generated one.

    Why it matters: Delta refuses to write such a table, as it cannot tell which value comes
    first.

    What to do: write the table anew with expressions over plain columns only.

    Source: PROTOCOL.md, Generated Columns; Delta Spark, generated columns.
    """
    columns = _top(table.snapshot.metadata)
    if not table.state.supports("generatedColumns"):
        return
    generated = {one.name.lower() for one in columns if _GENERATION in one.metadata}
    identities = {one.name for one in _identities(table)}
    for one in columns:
        if one.name.lower() not in generated:
            continue
        if one.name in identities:
            message = f"Column {one.name!r} is generated and an identity column."
            yield Problem(message, _at((one.name,)))
        for other in sorted(_names_in(str(one.metadata[_GENERATION])) & generated):
            yield Problem(
                f"Column {one.name!r} is generated from {other!r}, which is generated.",
                _at((one.name,)),
            )


_TOKEN: Final = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(\.?)\s*(?:`([^`]+)`|(\w+))(\s*\()?"
)


def _names_in(expression: str) -> set[str]:
    """The columns that an SQL expression may name, in lower case: no functions, no inner fields."""
    return {
        (found[2] or found[3]).lower()
        for found in _TOKEN.finditer(expression)
        if (found[2] or found[3]) and not found[1] and not found[4]
    }


@rule("DL523", Severity.ERROR, Scope.SNAPSHOT)
def reserved_change_data_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The change data feed is on, and the table has a column whose name it reserves.

    Why it matters: Delta refuses to write such a table, since change data could not be told from
    data.

    What to do: rename the column, or turn the change data feed off.

    Source: PROTOCOL.md, Change Data Files; Delta Spark, RESERVED_CDC_COLUMNS_ON_WRITE.
    """
    if _is_on(table.snapshot, "changeDataFeed", "delta.enableChangeDataFeed"):
        for one in _top(table.snapshot.metadata):
            if one.name.lower() in CDC_COLUMNS:
                yield Problem(
                    f"The change data feed is on, and the table has a column {one.name!r}.",
                    _at((one.name,)),
                )


@rule("DL524", Severity.ERROR, Scope.COMMIT)
def data_removed_from_append_only_table(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit removes data although the table is append-only.

    Why it matters: whoever reads the table as a stream relies on nothing being taken away.

    What to do: find the writer that does not honour delta.appendOnly; restore the table to the
    version before, if the rows are still wanted.

    Source: PROTOCOL.md, Append-only Tables; Delta Spark, DELTA_CANNOT_MODIFY_APPEND_ONLY.
    """
    if commit.makes_table_anew or not (_only_grows(commit.before) and _only_grows(commit.after)):
        return
    removed = [one for one in commit.actions("remove") if isinstance(one, dict)]
    count = sum(one.get("dataChange", True) is True for one in removed)
    if count:
        yield Problem(
            f"The commit removes data ({count} files), and the table is append-only.",
            commit.file.path,
        )


def _only_grows(state: State) -> bool:
    if state.metadata is None or not state.supports("appendOnly"):
        return False
    return bool(switch(state.metadata.configuration, "delta.appendOnly"))


@rule("DL525", Severity.WARNING, Scope.SNAPSHOT)
def not_null_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column is NOT NULL, and the protocol's versions do not imply column invariants.

    Why it matters: writers that do not enforce NOT NULL are let in. (Where the protocol lists
    features, Delta Spark refuses to load the table; that has a rule of its own.)

    What to do: add the feature `invariants`, or make the column nullable.

    Source: PROTOCOL.md, Column Invariants; Delta Spark, which counts NOT NULL among them.
    """
    snapshot = table.snapshot
    protocol = snapshot.protocol
    if protocol.supports_writer_features or protocol.supports("invariants"):
        return
    for path, one in _plain_fields(snapshot.metadata):
        if not one.nullable:
            yield Problem(
                f"Column {path_text(path)!r} is NOT NULL, and versions {protocol.simple_string} "
                "do not imply invariants.",
                _at(path),
                fix=adding(snapshot, "invariants"),
            )


def _plain_fields(metadata: Metadata) -> tuple[tuple[Path, StructField], ...]:
    """The fields outside arrays and maps, where Delta looks for invariants."""
    return tuple(struct_fields(metadata.schema)) if _fields(metadata) else ()


@rule("DL526", Severity.ERROR, Scope.SNAPSHOT)
def unreadable_invariant(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's invariant is not the JSON that the protocol describes.

    Why it matters: writers cannot enforce it; Delta fails to write the table.

    What to do: take the invariant out of the column's metadata with the program that wrote it,
    and use a CHECK constraint.

    Source: PROTOCOL.md, Column Invariants.
    """
    for path, one in _plain_fields(table.snapshot.metadata):
        if _INVARIANTS in one.metadata and not _is_invariant(one.metadata[_INVARIANTS]):
            yield Problem(
                f"The invariant of column {path_text(path)!r} cannot be read: "
                f"{one.metadata[_INVARIANTS]!r}.",
                _at(path),
            )


def _is_invariant(text: Any) -> bool:
    try:
        document = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return False
    outer = document.get("expression") if isinstance(document, dict) else None
    return isinstance(outer, dict) and isinstance(outer.get("expression"), str)


@rule("DL527", Severity.WARNING, Scope.SNAPSHOT)
def default_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column has a default value, and the protocol lacks `allowColumnDefaults`.

    Why it matters: writers that do not know defaults write null in place of the default.

    What to do: add the feature, or drop the default.

    Source: PROTOCOL.md, Default Columns; Delta Spark,
    WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED.
    """
    if table.state.supports("allowColumnDefaults"):
        return
    for path, one in _fields(table.snapshot.metadata):
        if _DEFAULT in one.metadata:
            yield Problem(
                f"Column {path_text(path)!r} has a default, and the protocol lacks "
                "allowColumnDefaults.",
                _at(path),
                fix=adding(table.snapshot, "allowColumnDefaults"),
            )


# Checkpoint protection and deletion vectors


@rule("DL528", Severity.WARNING, Scope.SNAPSHOT)
def half_checkpoint_protection(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The feature `checkpointProtection` is there without its property, or the property without it.

    Why it matters: without the property nothing is protected and some writers are shut out for
    nothing; without the feature nobody honours the property.

    What to do: drop the feature with TRUNCATE HISTORY, or unset the property.

    Source: protocol_rfcs/checkpoint-protection.md.
    """
    snapshot = table.snapshot
    supported = snapshot.protocol.supports("checkpointProtection")
    text = snapshot.metadata.configuration.get(_PROTECTION)
    if supported and not _long(text):
        yield Problem(
            f"The protocol has checkpointProtection, and {_PROTECTION} is not set.",
            f"configuration[{_PROTECTION}]",
        )
    elif _long(text) and not supported:
        yield Problem(
            f"{_PROTECTION} is {text}, and the protocol lacks checkpointProtection.",
            f"configuration[{_PROTECTION}]",
            fix=accepted(
                snapshot,
                UnsetProperties((_PROTECTION,)),
                lambda after: _PROTECTION not in after.metadata.configuration,
            ),
        )


@rule("DL529", Severity.WARNING, Scope.SNAPSHOT)
def protected_history_cut(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A part of the history that checkpoint protection guards is gone, and a part is still there.

    Why it matters: the guard lets history go all at once only, since older commits may use
    features that have been dropped. A writer that supports all of them may cut it; any other
    leaves versions that cannot be rebuilt, or checkpoints that lack something.

    What to do: find out what cleaned up the log. With ALTER TABLE … DROP FEATURE
    checkpointProtection TRUNCATE HISTORY the rest goes as well.

    Source: protocol_rfcs/checkpoint-protection.md.
    """
    snapshot = table.snapshot
    guarded = _long(snapshot.metadata.configuration.get(_PROTECTION))
    if guarded is None or not snapshot.protocol.supports("checkpointProtection"):
        return
    first = next((one.version for one in table.listing.commits), None)
    if first is not None and 0 < first < guarded:
        yield Problem(
            f"History is guarded up to version {guarded}, and begins with version {first}.",
            "_delta_log",
        )


@rule("DL530", Severity.ERROR, Scope.SNAPSHOT)
def deletion_vectors_where_excluded(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Deletion vectors are on beside symlink manifests, or where the files are not Parquet.

    Why it matters: readers of manifests show deleted rows. Delta refuses every change of such a
    table.

    What to do: turn one of them off.

    Source: Delta Spark, DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.
    """
    try:
        check_property_constraints(table.snapshot.metadata)
    except Refused as refusal:
        if (refusal.delta_error_class or "").startswith("DELTA_VIOLATE_TABLE_PROPERTY"):
            yield Problem(refusal.message, "configuration[delta.enableDeletionVectors]")
