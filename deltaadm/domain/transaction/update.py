"""
What every transaction of Delta Spark 4.4 does to a table's protocol and metadata.

Sources in delta-io/delta: `OptimisticTransaction.updateMetadataInternal` and `prepareCommit`,
`IcebergCompat.scala`, `UniversalFormat.scala`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from deltaadm.dataclass import replace
from deltaadm.domain.ddl import is_iceberg_default
from deltaadm.domain.features import FEATURES, mapping_mode, with_requirements
from deltaadm.domain.properties import PROPERTIES, Key, is_protocol_property, is_true, validated
from deltaadm.domain.protocol import (
    READER_FEATURES_VERSION,
    WRITER_FEATURES_VERSION,
    Protocol,
    SessionSettings,
    default_configuration,
    for_new_table,
    protocol_versions,
    supported_features_from_table_configs,
    supported_protocol,
    upgrade_protocol_from_metadata_for_existing_table,
)
from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    FieldKey,
    MapType,
    all_types,
    decimal_digits,
    path_text,
)
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction import checks, column_mapping
from deltaadm.domain.transaction.spark_support import require_committable
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.errors import RefusedError

# Compatibility with Iceberg


_V3: Final = 3
COMPAT_KEYS: Final = {version: f"delta.enableIcebergCompatV{version}" for version in (1, 2, _V3)}
"""The properties that turn the versions of Iceberg compatibility on."""
_DELETION_VECTORS: Final = "delta.enableDeletionVectors"
_ATOMIC: Final = "delta.universalFormat.iceberg.atomicConversion.supported"
_V2_TYPES: Final = frozenset({
    "byte", "short", "integer", "long", "float", "double", "string", "binary", "boolean",
    "timestamp", "timestamp_ntz", "date",
})  # fmt: skip
_NOT_IN_HUDI: Final = frozenset({"byte", "short", "timestamp_ntz", "void"})


def enabled_versions(metadata: Metadata) -> tuple[int, ...]:
    """The versions of Iceberg compatibility that are on."""
    return tuple(v for v, key in COMPAT_KEYS.items() if is_true(metadata.configuration, key))


def required_of_new_table(old: Metadata, configuration: Mapping[str, str]) -> dict[str, str]:
    """What Delta adds to a new table, in the place of *old*, with any Iceberg compatibility on."""
    if not enabled_versions(Metadata(configuration=configuration)):
        return {}
    required = {Key.COLUMN_MAPPING_MODE: "name", _ATOMIC: old.configuration.get(_ATOMIC, "true")}
    return {key: value for key, value in required.items() if key not in configuration}


def enforce_iceberg_compatibility(
    before: Snapshot, protocol: Protocol, metadata: Metadata, *, is_creating_new_table: bool
) -> Metadata:
    """
    *metadata* with what the formats demand; raises `RefusedError` where they forbid it.

    Universal Format wants some Iceberg compatibility, and goes when that goes; each version of
    it wants column mapping, which a new table gets, and V3 row tracking, which is set.
    """
    metadata = _enforce_universal_format(before.metadata, metadata)
    # No error class: Delta throws an UnsupportedOperationException.
    if _V3 in enabled_versions(before.metadata) and _V3 not in enabled_versions(metadata):
        raise RefusedError(
            "Iceberg compatibility V3 cannot be turned off.",
            remedy="Copy the table into one without it.",
        )
    # Where the session's defaults have turned it on, nothing is mapped yet.
    required = required_of_new_table(before.metadata, metadata.configuration)
    if is_creating_new_table and required:
        metadata = metadata.with_properties(required)
        if Key.COLUMN_MAPPING_MODE in required:
            metadata = column_mapping.assign_column_id_and_physical_name(
                metadata, before.metadata, is_changing_mode_on_existing_table=False
            )
    for version in enabled_versions(metadata):
        if mapping_mode(metadata) == "none":
            raise _violation(
                "WRONG_REQUIRED_TABLE_PROPERTY",
                f"Iceberg compatibility V{version} needs column mapping.",
                f"Run `deltaadm set-mapping-mode TABLE name`, or turn {COMPAT_KEYS[version]} off.",
            )
        if version == _V3:
            # V3 turns row tracking on by itself, and only by itself.
            given = metadata.configuration
            if Key.ROW_TRACKING in given and not is_true(given, Key.ROW_TRACKING):
                raise _violation(
                    "WRONG_REQUIRED_TABLE_PROPERTY",
                    "Iceberg compatibility V3 needs row tracking.",
                    f"Do not change {Key.ROW_TRACKING}.",
                )
            old = before.metadata
            if (
                not is_creating_new_table
                and _V3 not in enabled_versions(old)
                and is_true(old.configuration, Key.ROW_TRACKING)
            ):
                raise RefusedError(
                    "Iceberg compatibility V3 cannot be turned on while row tracking is on.",
                    remedy="Create a table with both, and copy the data.",
                )
            metadata = metadata.with_properties({Key.ROW_TRACKING: "true"})
        _check_version(version, before, protocol, metadata)
    return metadata


def _enforce_universal_format(old: Metadata, new: Metadata) -> Metadata:
    formats = new.configuration.get(Key.FORMATS, "").split(",")
    if "iceberg" in formats and not enabled_versions(new):
        if not enabled_versions(old):
            raise RefusedError(
                "Universal Format (Iceberg) needs Iceberg compatibility to be turned on as well.",
                remedy=f"Set {COMPAT_KEYS[2]} to true in the same command.",
                delta_error_class="DELTA_UNIVERSAL_FORMAT_VIOLATION",
            )
        rest = ",".join(name for name in formats if name != "iceberg")
        new = new.without_properties(Key.FORMATS)
        new = new.with_properties({Key.FORMATS: rest}) if rest else new
    if "hudi" not in formats:
        return new
    vectors = is_true(new.configuration, _DELETION_VECTORS)
    unknown = [
        path_text((field.name,))
        for field in new.schema.fields
        if not _NOT_IN_HUDI.isdisjoint(part.name for part in all_types(field.type))
    ]
    if vectors or unknown:
        refused = "deletion vectors" if vectors else f"the types of: {', '.join(unknown)}"
        raise RefusedError(
            f"Universal Format (Hudi) does not allow {refused}.",
            remedy=f"Set {_DELETION_VECTORS} to false, use INT and TIMESTAMP in place of shorter "
            f"or zoneless types, or leave hudi out of {Key.FORMATS}.",
            delta_error_class="DELTA_UNIVERSAL_FORMAT_VIOLATION",
        )
    return new


def _check_version(version: int, before: Snapshot, protocol: Protocol, metadata: Metadata) -> None:
    if len(enabled_versions(metadata)) > 1:
        raise _violation(
            "VERSION_MUTUAL_EXCLUSIVE",
            "Only one version of Iceberg compatibility can be on.",
            "Turn the others off in the same command.",
        )
    for field in metadata.schema.fields:
        for data_type in all_types(field.type):
            if not allows_type(version, data_type):
                raise _violation(
                    "UNSUPPORTED_DATA_TYPE",
                    f"Iceberg compatibility V{version} forbids the type of column {field.name!r}.",
                    "Drop the column, or choose another version.",
                )
    for field in metadata.schema.fields if version > 1 else ():
        if field.name in metadata.partition_columns and field.type.name not in _V2_TYPES:
            raise _violation(
                "UNSUPPORTED_PARTITION_DATA_TYPE",
                f"Iceberg compatibility V{version} forbids the type of partition column "
                f"{field.name!r}.",
                "Partition by another column, or choose another version.",
            )
    old = before.metadata
    # Iceberg keeps the old partition specs.
    if old.partition_columns and old.partition_columns != metadata.partition_columns:
        raise _violation(
            "REPLACE_TABLE_CHANGE_PARTITION_NAMES",
            f"Iceberg compatibility V{version} does not allow other partition columns than the "
            f"table has: {', '.join(old.partition_columns)}.",
            "Keep them, or drop the table and create it anew.",
        )
    _check_columns(version, metadata)
    if version < _V3 and protocol.supports("deletionVectors"):
        if any(is_true(each.configuration, _DELETION_VECTORS) for each in (old, metadata)):
            raise _violation(
                "DELETION_VECTORS_SHOULD_BE_DISABLED",
                f"Iceberg compatibility V{version} does not allow deletion vectors.",
                f"Set {_DELETION_VECTORS} to false in a command of its own and purge them (REORG "
                f"TABLE … APPLY (PURGE)), or turn {COMPAT_KEYS[version]} and {Key.FORMATS} off.",
            )
        if before.files is not None and before.files.with_deletion_vector:
            raise _violation(
                "DELETION_VECTORS_NOT_PURGED",
                f"{before.files.with_deletion_vector} files still have deletion vectors.",
                "Purge them: REORG TABLE … APPLY (PURGE).",
            )


def _check_columns(version: int, metadata: Metadata) -> None:
    # Defaults are handed on to Iceberg, which knows literals only.
    for path, field in metadata.schema.walk() if version == _V3 else ():
        default = field.metadata.get(FieldKey.CURRENT_DEFAULT)
        if isinstance(default, str) and not is_iceberg_default(field.type, default):
            raise _violation(
                "UNSUPPORTED_DATA_TYPE",
                f"Iceberg compatibility V3 does not allow the default {default!r} of column "
                f"{path_text(path)}, which is not a plain literal of its type.",
                "Write a literal, for example 7, 1.5, true or '2026-01-31', or no default.",
            )
    for path, field in metadata.schema.walk():
        changes = field.metadata.get("delta.typeChanges")
        for change in changes if isinstance(changes, list) else ():
            # Malformed records have a rule of their own, and must not end a plan in a traceback.
            if not isinstance(change, dict):
                continue
            old, new = str(change.get("fromType")), str(change.get("toType"))
            if not widens_in_iceberg(old, new):
                raise _violation(
                    "UNSUPPORTED_TYPE_WIDENING",
                    f"Column {path_text(path)} was changed from {old} to {new}, which Iceberg "
                    f"compatibility V{version} does not allow.",
                    "Rewrite the column with its current type in a new table.",
                )


_INTEGERS: Final = ("byte", "short", "integer", "long")


def widens_in_iceberg(old: str, new: str) -> bool:
    """Whether Iceberg knows the change of a column from type *old* to *new*."""
    if old in _INTEGERS and new in _INTEGERS:
        return True
    before, after = decimal_digits(old), decimal_digits(new)
    if before and after:
        # Iceberg widens the precision of decimals alone.
        return before[1] == after[1]
    return (old, new) == ("float", "double")


def allows_type(version: int, data_type: DataType) -> bool:
    """Whether *data_type* itself, not what is inside it, goes with Iceberg compatibility."""
    name = data_type.name
    if version == 1:
        # Iceberg needs ids of elements, keys and values, which only V2 and V3 assign.
        return name != "void" and not isinstance(data_type, ArrayType | MapType)
    known = not name or name in _V2_TYPES or name.startswith("decimal")
    return known or (version == _V3 and name == "variant")


def _violation(sub_class: str, message: str, remedy: str) -> RefusedError:
    return RefusedError(
        message, remedy=remedy, delta_error_class=f"DELTA_ICEBERG_COMPAT_VIOLATION.{sub_class}"
    )


PREPARATIONS: Final = ("UPGRADE PROTOCOL", "ROW TRACKING BACKFILL", "REMOVE COLUMN MAPPING")
"""The operations of commits with which Delta prepares a change of properties."""


def update_metadata(
    snapshot: Snapshot,
    proposed: Metadata,
    session: SessionSettings,
    *,
    is_creating_new_table: bool = False,
) -> Snapshot:
    """
    The state with the metadata *proposed* and the protocol it asks for, as Delta writes them.

    With *is_creating_new_table* the metadata replaces what was there, if anything was: it gets
    the session's defaults, and column mapping starts anew.
    """
    # In the order of `updateMetadataInternal`: Delta raises the first refusal only.
    before = snapshot.protocol
    checks.check_statistics_columns(proposed)
    if is_creating_new_table:
        proposed = _with_global_defaults(proposed, session)
    if snapshot.exists and not is_creating_new_table:
        checks.refuse_keys_of_upgrade(proposed.configuration, before)
    metadata = column_mapping.verify_and_update_metadata_change(
        snapshot.metadata,
        proposed,
        is_creating_new_table=is_creating_new_table,
        allow_removal=session.allow_column_mapping_removal,
        strip_metadata=session.strip_column_mapping_metadata,
    )
    # A new table's protocol follows from this metadata, so no feature can be missing in it yet.
    read_by = supported_protocol() if is_creating_new_table else before
    metadata = checks.fit_for_log(snapshot.metadata, metadata, read_by)
    protocol = _upgraded(before, metadata) if snapshot.exists else for_new_table(metadata, session)
    # They have done their work: `assertMetadataContainsNoProtocolProps` lets none be stored.
    metadata = metadata.without_properties(*filter(is_protocol_property, metadata.configuration))
    configuration = dict(metadata.configuration)
    for key, prefix in (
        (Key.ROW_ID_COLUMN, "_row-id-col-"),
        (Key.ROW_COMMIT_VERSION_COLUMN, "_row-commit-version-col-"),
    ):
        if protocol.supports("rowTracking"):
            # Chosen once: data files have columns of these names.
            configuration[key] = snapshot.metadata.configuration.get(
                key, prefix + KNOWN_AFTER_COMMIT
            )
        else:
            configuration.pop(key, None)
    metadata = metadata.with_configuration(configuration)
    checks.check_metadata(snapshot.metadata, metadata)
    return replace(snapshot, protocol=protocol, metadata=metadata)


def commit_update(snapshot: Snapshot, proposed: Metadata, session: SessionSettings) -> Snapshot:
    """The state after a transaction of one commit that makes *proposed* the metadata."""
    return prepare_commit(snapshot, update_metadata(snapshot, proposed, session))


def commit_metadata(snapshot: Snapshot, proposed: Metadata) -> Snapshot:
    """The state after a statement that hands *proposed* to the commit itself."""
    # Delta's commands for constraints do, past `updateMetadataInternal`: the protocol follows the
    # metadata, but no instruction in it is carried out, and nothing is added to it.
    upgraded = upgrade_protocol_from_metadata_for_existing_table(proposed, snapshot.protocol)
    checks.check_metadata(snapshot.metadata, proposed)
    after = replace(snapshot, protocol=upgraded or snapshot.protocol, metadata=proposed)
    return prepare_commit(snapshot, after)


def _with_global_defaults(proposed: Metadata, session: SessionSettings) -> Metadata:
    """*proposed* on top of those of the session's defaults for new tables that Delta knows."""
    # The session's settings name them without `delta.`.
    keys = {f"delta.{key}" for key in session.property_defaults}
    known = default_configuration(session.property_defaults, proposed.configuration)
    defaults = {
        key: value
        for key, value in known.items()
        if key in keys and (key.lower() in PROPERTIES or key.startswith(Key.FEATURE_PREFIX))
    }
    return proposed.with_configuration({**validated(defaults), **proposed.configuration})


def _upgraded(before: Protocol, metadata: Metadata) -> Protocol:
    configuration = metadata.configuration
    requested = sorted(supported_features_from_table_configs(configuration))
    protocol = before
    if Key.MIN_READER_VERSION in configuration or Key.MIN_WRITER_VERSION in configuration:
        reader, writer = protocol_versions(configuration)
        # merge() ignores versions below the present ones, as Delta does without a word.
        protocol = before.merge(
            Protocol.apply(
                before.min_reader_version if reader is None else reader,
                before.min_writer_version if writer is None else writer,
            )
        )
    if not set(requested) <= protocol.explicit_names:
        # A required feature may be for readers although the one asked for is not.
        needs_readers = any(FEATURES[name].is_reader for name in with_requirements(requested))
        reader_version = READER_FEATURES_VERSION if needs_readers else protocol.min_reader_version
        # Only where it begins: merge() lowers the reader version to what the features need.
        added = Protocol.apply(reader_version, WRITER_FEATURES_VERSION).with_features(requested)
        protocol = added.merge(protocol)
    return upgrade_protocol_from_metadata_for_existing_table(metadata, protocol) or protocol


def prepare_commit(
    before: Snapshot,
    after: Snapshot,
    *,
    version_known: bool = True,
    is_creating_new_table: bool = False,
) -> Snapshot:
    """
    *after* with what `prepareCommit` still adds; raises `RefusedError` for what it refuses.

    Without *version_known* other commits of the same statement come first.
    """
    # Delta creates a table with both, and from then on refuses whatever would change it.
    check_row_tracking(before.metadata.configuration)
    metadata = after.metadata
    # PROTOCOL.md requires in-commit timestamps of such tables; Delta forces them on at the commit.
    if checks.COORDINATOR[0] in metadata.configuration or (
        "catalogManaged" in after.protocol.explicit_names
    ):
        metadata = metadata.with_properties({Key.IN_COMMIT_TIMESTAMPS: "true"})
    metadata = enforce_iceberg_compatibility(
        before, after.protocol, metadata, is_creating_new_table=is_creating_new_table
    )
    metadata = _noting_timestamps(before, metadata, version_known=version_known)
    require_committable(metadata)
    # Whatever the newest commit has, the one that turns timestamps on has one.
    turned_on = metadata.configuration.get(Key.ICT_ENABLEMENT_TIMESTAMP) == KNOWN_AFTER_COMMIT
    info = None if turned_on else after.commit_info
    return replace(after, metadata=metadata, commit_info=info)


def check_row_tracking(configuration: Mapping[str, str]) -> None:
    """Raise `RefusedError` for row tracking that is on and suspended at once, as Delta does."""
    if is_true(configuration, Key.ROW_TRACKING) and is_true(
        configuration, "delta.rowTrackingSuspended"
    ):
        raise RefusedError(
            f"{Key.ROW_TRACKING} and delta.rowTrackingSuspended cannot both be true.",
            remedy="Unset delta.rowTrackingSuspended.",
            delta_error_class="DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
        )


def _noting_timestamps(before: Snapshot, metadata: Metadata, *, version_known: bool) -> Metadata:
    """Turning in-commit timestamps on notes since when; the commit's own time is not known yet."""
    old, newest = before.metadata.configuration, before.commit_info
    was_on = is_true(old, Key.IN_COMMIT_TIMESTAMPS)
    has_none = newest is not None and newest.in_commit_timestamp is None
    if was_on and has_none and before.protocol.supports("inCommitTimestamp"):
        raise RefusedError(
            f"Version {before.version} has no in-commit timestamp although the table enables them.",
            remedy="The client that wrote it ignores the feature; use another one.",
            delta_error_class="DELTA_MISSING_COMMIT_TIMESTAMP",
        )
    # A table that has had them from version 0 on needs no note of since when.
    is_on = is_true(metadata.configuration, Key.IN_COMMIT_TIMESTAMPS)
    if was_on and is_on:
        # No error class: Delta throws an IllegalStateException.
        both = {Key.ICT_ENABLEMENT_VERSION, Key.ICT_ENABLEMENT_TIMESTAMP}
        stated, left = both & old.keys(), both & metadata.configuration.keys()
        if stated and 1 in (len(stated), len(left)):
            raise RefusedError(
                f"The table would have only one of {' and '.join(sorted(both))}: Delta commits "
                "nothing then while in-commit timestamps are on.",
                remedy="Leave both as they are; where one is missing, turn timestamps off and on "
                f"again: `deltaadm alter TABLE --set {Key.IN_COMMIT_TIMESTAMPS}=false`, and =true.",
            )
    if was_on or not (before.exists and is_on):
        return metadata
    version = str(before.version + 1) if version_known else KNOWN_AFTER_COMMIT
    return metadata.with_properties(
        {Key.ICT_ENABLEMENT_VERSION: version, Key.ICT_ENABLEMENT_TIMESTAMP: KNOWN_AFTER_COMMIT}
    )


def without_mapping(snapshot: Snapshot, mode: dict[str, str], session: SessionSettings) -> Snapshot:
    """The state after `REMOVE COLUMN MAPPING`, a commit of its own."""
    bare = column_mapping.remove_column_mapping(snapshot.metadata)
    return commit_update(snapshot, bare.with_properties(mode), session)


# What features ask of a commit


def _by_feature(by_reason: Mapping[str, str]) -> dict[str, str]:
    return {name: reason for reason, names in by_reason.items() for name in names.split()}


OBLIGATIONS: Final = _by_feature({
    "it is about rows that are written, and none are":
        "allowColumnDefaults checkConstraints generatedColumns geospatial geospatial-dev "
        "identityColumns invariants timestampNtz variantType variantType-preview",
    "it is about data files, and none are added or removed":
        "deletionVectors materializePartitionColumns variantShredding variantShredding-preview",
    "schema and properties are checked; statistics are about files":
        "icebergCompatV1 icebergCompatV2 icebergCompatV3",
    "type changes are recorded in the predicted schema": "typeWidening typeWidening-preview",
    "nothing is removed": "appendOnly",
    "no row changes, so there is no change to write": "changeDataFeed",
    "nothing of the history is cleaned up": "checkpointProtection",
    "the domain names the columns; layout is about files": "clustering",
    "ids and physical names are in the predicted schema, and kept": "columnMapping",
    "domains stay as they are, but for the one that a step changes": "domainMetadata",
    "the timestamp comes first in the file, and always increases": "inCommitTimestamp",
    "row ids are assigned to files that are added, and none are": "rowTracking",
    "checkpoints are written as delta.checkpointPolicy asks": "v2Checkpoint",
    "nothing is vacuumed": "vacuumProtocolCheck",
})  # fmt: skip
"""How a commit without data, and a checkpoint, do what a feature asks of them."""

OBSTACLES: Final = _by_feature({
    "its commits are made of manifests of the table's files": "adaptiveMetadata-preview",
    "its commits are made by its catalog": "catalogManaged catalogOwned-preview",
    "its commits are made by its coordinator": "coordinatedCommits-preview",
    "its writes may belong to another table":
        "redirectReaderWriter-preview redirectWriterOnly-preview",
})  # fmt: skip
"""Why they cannot do what a feature asks; with any that is not known a table is refused, too."""


def obstacles_to_writing(snapshot: Snapshot) -> Iterator[str]:
    """Why a table in this state is not written to without Delta Spark, as clauses."""
    protocol, configuration = snapshot.protocol, snapshot.metadata.configuration
    for name in sorted(protocol.supported_features | protocol.explicit_names):
        if name not in OBLIGATIONS:
            why = OBSTACLES.get(name, "it is not known what it asks of writers")
            yield f"the table has the feature {name}, and {why}"
    if any(map(configuration.get, checks.COORDINATOR)):
        yield "the table has coordinated commits, which are made by its coordinator"
