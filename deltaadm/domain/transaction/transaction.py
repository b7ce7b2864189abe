"""
What every transaction of Delta Spark 4.4 does to a table's protocol and metadata.

Sources in delta-io/delta: `OptimisticTransaction.updateMetadataInternal` and `prepareCommit`,
`IcebergCompat.scala`, `UniversalFormat.scala`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import replace
from deltaadm.domain.model.features import FEATURES, with_requirements
from deltaadm.domain.model.metadata import KNOWN_AFTER_COMMIT
from deltaadm.domain.model.properties import (
    FEATURE_PREFIX,
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    PROPERTIES,
    ROW_COMMIT_VERSION_COLUMN,
    ROW_ID_COLUMN,
    is_protocol_property,
    is_true,
    validate_configurations,
)
from deltaadm.domain.model.protocol import (
    READER_FEATURES_VERSION,
    WRITER_FEATURES_VERSION,
    Protocol,
    default_configuration,
    for_new_table,
    protocol_versions,
    supported_features_from_table_configs,
    supported_protocol,
    upgrade_protocol_from_metadata_for_existing_table,
)
from deltaadm.domain.transaction.column_mapping import (
    remove_column_mapping,
    verify_and_update_metadata_change,
)
from deltaadm.domain.transaction.iceberg import ROW_TRACKING, enforce_iceberg_compatibility
from deltaadm.domain.transaction.metadata_checks import (
    check_metadata,
    check_statistics_columns,
    fit_for_log,
)
from deltaadm.domain.transaction.reserved_keys import refuse_keys_of_upgrade
from deltaadm.domain.transaction.spark_support import require_committable
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot

IN_COMMIT_TIMESTAMPS: Final = "delta.enableInCommitTimestamps"
PREPARATIONS: Final = frozenset(
    {"UPGRADE PROTOCOL", "ROW TRACKING BACKFILL", "REMOVE COLUMN MAPPING"}
)
"""The operations of commits with which Delta prepares a change of properties."""
COORDINATOR: Final = (
    "delta.coordinatedCommits.commitCoordinator-preview",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
)


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
    check_statistics_columns(proposed)
    if is_creating_new_table:
        proposed = _with_global_defaults(proposed, session)
    if snapshot.exists and not is_creating_new_table:
        refuse_keys_of_upgrade(proposed.configuration, before)
    metadata = verify_and_update_metadata_change(
        before,
        snapshot.metadata,
        proposed,
        is_creating_new_table=is_creating_new_table,
        allow_removal=session.allow_column_mapping_removal,
        strip_metadata=session.strip_column_mapping_metadata,
    )
    # A new table's protocol follows from this metadata, so no feature can be missing in it yet.
    read_by = supported_protocol() if is_creating_new_table else before
    metadata = fit_for_log(snapshot.metadata, metadata, read_by)
    protocol = _upgraded(before, metadata) if snapshot.exists else for_new_table(metadata, session)
    # They have done their work: `assertMetadataContainsNoProtocolProps` lets none be stored.
    metadata = metadata.with_configuration(
        {
            key: value
            for key, value in metadata.configuration.items()
            if not is_protocol_property(key)
        }
    )
    metadata = _with_row_tracking_columns(protocol, snapshot.metadata, metadata)
    check_metadata(snapshot.metadata, metadata)
    return replace(snapshot, protocol=protocol, metadata=metadata)


def commit_metadata(snapshot: Snapshot, proposed: Metadata) -> Snapshot:
    """The state after a statement that hands *proposed* to the commit itself."""
    # Delta's commands for constraints do, past `updateMetadataInternal`: the protocol follows the
    # metadata, but no instruction in it is carried out, and nothing is added to it.
    upgraded = upgrade_protocol_from_metadata_for_existing_table(proposed, snapshot.protocol)
    check_metadata(snapshot.metadata, proposed)
    after = replace(snapshot, protocol=upgraded or snapshot.protocol, metadata=proposed)
    return prepare_commit(snapshot, after)


def _with_global_defaults(proposed: Metadata, session: SessionSettings) -> Metadata:
    """*proposed* on top of those of the session's defaults for new tables that Delta knows."""
    # The session's settings name them without `delta.`.
    keys = {f"delta.{key}" for key in session.property_defaults}
    defaults = {
        key: value
        for key, value in default_configuration(
            session.property_defaults, proposed.configuration
        ).items()
        if key in keys and (key.lower() in PROPERTIES or key.startswith(FEATURE_PREFIX))
    }
    return proposed.with_configuration(
        {**validate_configurations(defaults), **proposed.configuration}
    )


def _upgraded(before: Protocol, metadata: Metadata) -> Protocol:
    supported_features_from_table_configs(metadata.configuration)  # refuses unknown ones first
    protocol = _with_requested_versions(before, metadata.configuration)
    protocol = _with_requested_features(protocol, metadata.configuration)
    return upgrade_protocol_from_metadata_for_existing_table(metadata, protocol) or protocol


def _with_requested_versions(before: Protocol, configuration: Mapping[str, str]) -> Protocol:
    if MIN_READER_VERSION not in configuration and MIN_WRITER_VERSION not in configuration:
        return before
    reader, writer = protocol_versions(configuration)
    # merge() ignores versions below the present ones, as Delta does without a word.
    return before.merge(
        Protocol.apply(
            before.min_reader_version if reader is None else reader,
            before.min_writer_version if writer is None else writer,
        )
    )


def _with_requested_features(before: Protocol, configuration: Mapping[str, str]) -> Protocol:
    requested = sorted(supported_features_from_table_configs(configuration))
    if set(requested) <= before.explicit_names:
        return before
    # A required feature may be for readers although the one asked for is not.
    needs_readers = any(FEATURES[name].is_reader for name in with_requirements(requested))
    # Only where it begins: merge() lowers the reader version to what the features need.
    added = Protocol.apply(
        READER_FEATURES_VERSION if needs_readers else before.min_reader_version,
        WRITER_FEATURES_VERSION,
    ).with_features(requested)
    return added.merge(before)


def _with_row_tracking_columns(protocol: Protocol, old: Metadata, new: Metadata) -> Metadata:
    """Tables that support row tracking have names for two materialised columns; others none."""
    configuration = dict(new.configuration)
    for key, prefix in (
        (ROW_ID_COLUMN, "_row-id-col-"),
        (ROW_COMMIT_VERSION_COLUMN, "_row-commit-version-col-"),
    ):
        if protocol.supports("rowTracking"):
            # Chosen once: data files have columns of these names.
            configuration[key] = old.configuration.get(key, prefix + KNOWN_AFTER_COMMIT)
        else:
            configuration.pop(key, None)
    return new.with_configuration(configuration)


def prepare_commit(
    before: Snapshot,
    after: Snapshot,
    *,
    version_known: bool = True,
    is_creating_new_table: bool = False,
) -> Snapshot:
    """
    *after* with what `prepareCommit` still adds; raises `Refused` for what it refuses.

    Without *version_known* other commits of the same statement come first.
    """
    # Delta creates a table with both, and from then on refuses whatever would change it.
    check_row_tracking(before.metadata.configuration)
    metadata = _with_dependent_properties(after.protocol, after.metadata)
    metadata = enforce_iceberg_compatibility(
        before, after.protocol, metadata, is_creating_new_table=is_creating_new_table
    )
    metadata = _with_timestamp_provenance(before, metadata, version_known=version_known)
    require_committable(metadata)
    return replace(after, metadata=metadata)


def check_row_tracking(configuration: Mapping[str, str]) -> None:
    """Raise `Refused` for row tracking that is on and suspended at once, as Delta does."""
    if is_true(configuration, ROW_TRACKING) and is_true(
        configuration, "delta.rowTrackingSuspended"
    ):
        raise Refused(
            f"{ROW_TRACKING} and delta.rowTrackingSuspended cannot both be true.",
            remedy="Unset delta.rowTrackingSuspended.",
            delta_error_class="DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
        )


def _with_dependent_properties(protocol: Protocol, metadata: Metadata) -> Metadata:
    coordinated = COORDINATOR[0] in metadata.configuration
    if not coordinated and "catalogManaged" not in protocol.explicit_names:
        return metadata
    # PROTOCOL.md requires in-commit timestamps of such tables; Delta forces them on at the commit.
    return metadata.with_configuration({**metadata.configuration, IN_COMMIT_TIMESTAMPS: "true"})


def _with_timestamp_provenance(
    before: Snapshot, metadata: Metadata, *, version_known: bool
) -> Metadata:
    """Turning in-commit timestamps on notes since when; the commit's own time is not known yet."""
    was_on = is_true(before.metadata.configuration, IN_COMMIT_TIMESTAMPS)
    _require_commit_timestamp(before, was_on=was_on)
    # A table that has had them from version 0 on needs no note of since when.
    is_on = is_true(metadata.configuration, IN_COMMIT_TIMESTAMPS)
    if was_on and is_on:
        _require_whole_provenance(before.metadata, metadata)
    if was_on or not (before.exists and is_on):
        return metadata
    version = str(before.version + 1) if version_known else KNOWN_AFTER_COMMIT
    return metadata.with_configuration(
        {
            **metadata.configuration,
            ICT_ENABLEMENT_VERSION: version,
            ICT_ENABLEMENT_TIMESTAMP: KNOWN_AFTER_COMMIT,
        }
    )


def _require_whole_provenance(old: Metadata, new: Metadata) -> None:
    both = {ICT_ENABLEMENT_VERSION, ICT_ENABLEMENT_TIMESTAMP}
    if both <= old.configuration.keys() and len(both & new.configuration.keys()) == 1:
        # No error class: Delta throws an IllegalStateException.
        raise Refused(
            f"Of {ICT_ENABLEMENT_VERSION} and {ICT_ENABLEMENT_TIMESTAMP} only one would be left.",
            remedy="Delta maintains both; leave them as they are.",
        )


def _require_commit_timestamp(before: Snapshot, *, was_on: bool) -> None:
    newest = before.commit_info
    if (
        was_on
        and before.protocol.supports("inCommitTimestamp")
        and newest is not None
        and newest.in_commit_timestamp is None
    ):
        raise Refused(
            f"Version {before.version} has no in-commit timestamp although the table has them "
            "enabled.",
            remedy="The client that wrote it ignores the feature; use another one.",
            delta_error_class="DELTA_MISSING_COMMIT_TIMESTAMP",
        )


def without_mapping(
    snapshot: Snapshot, mode: Mapping[str, str], session: SessionSettings
) -> Snapshot:
    """The state after `REMOVE COLUMN MAPPING`, a commit of its own."""
    bare = remove_column_mapping(snapshot.metadata)
    proposed = bare.with_configuration({**bare.configuration, **mode})
    return prepare_commit(snapshot, update_metadata(snapshot, proposed, session))
