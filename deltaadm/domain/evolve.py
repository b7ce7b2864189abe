"""
What Delta Spark 4.4 will commit, told in Delta's order.

Sources in delta-io/delta: `commands/alterDeltaTableCommands.scala`,
`OptimisticTransaction.updateMetadataInternal` and `prepareCommit`, `IcebergCompat.scala`,
`UniversalFormat.scala`; checked case by case against the recorded engine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from deltaadm.domain.column_mapping import (
    ColumnMappingMode,
    column_mapping_mode,
    remove_column_mapping,
    verify_and_update_metadata_change,
)
from deltaadm.domain.cost import Cost
from deltaadm.domain.features import FEATURES, find, with_requirements
from deltaadm.domain.iceberg import enforce_iceberg_compatibility
from deltaadm.domain.metadata import KNOWN_AFTER_COMMIT
from deltaadm.domain.metadata_checks import (
    RETENTION_KEYS,
    check_metadata,
    check_retention,
    check_statistics_columns,
    fit_for_log,
)
from deltaadm.domain.properties import (
    COLUMN_MAPPING_MODE,
    CONSTRAINT_PREFIX,
    FEATURE_PREFIX,
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    ROW_COMMIT_VERSION_COLUMN,
    ROW_ID_COLUMN,
    is_protocol_property,
    is_true,
    normalized_key,
    validate_configurations,
)
from deltaadm.domain.protocol import (
    READER_FEATURES_VERSION,
    WRITER_FEATURES_VERSION,
    Protocol,
    protocol_versions,
    supported_features_from_table_configs,
    upgrade_protocol_from_metadata_for_existing_table,
)
from deltaadm.domain.reference import require_readable, require_writable
from deltaadm.domain.session import SessionSettings
from deltaadm.domain.table_changes import SetProperties, WriteCheckpoint
from deltaadm.errors import IllegalArgument, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.metadata import Metadata
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step, UnsetProperties

ROW_TRACKING: Final = "delta.enableRowTracking"
IN_COMMIT_TIMESTAMPS: Final = "delta.enableInCommitTimestamps"
COMMENT: Final = "comment"
_RESERVED: Final = ("external", "is_managed_location", "location", "owner", "provider")


def evolve(snapshot: Snapshot, step: Step, session: SessionSettings | None = None) -> Snapshot:
    """
    Predict the snapshot after *step*.

    For properties, in this order: map columns, raise versions, add requested features, add
    features that the new metadata implies, drop the protocol's pseudo-properties. Whatever only
    the commit can choose is marked `<known after commit>`. Raises `Refused` (or `TableError`)
    with Delta's error class where Delta refuses.
    """
    if isinstance(step, WriteCheckpoint):
        return snapshot
    settings = session or SessionSettings()
    _refuse_reserved_keys(step)
    require_readable(snapshot)
    try:
        if isinstance(step, SetProperties):
            return _set_properties(snapshot, step.properties, settings)
        return _unset_properties(snapshot, step.keys, settings)
    except IllegalArgument as error:
        raise Refused(
            error.message, remedy=error.remedy, delta_error_class="UNSUPPORTED_TABLE_CHANGE"
        ) from error


def step_cost(snapshot: Snapshot, step: Step) -> Cost:
    """What Delta does to the data files when it carries out *step* on *snapshot*."""
    if _removes_mapping(snapshot, step):
        return Cost.REWRITE
    if isinstance(step, SetProperties) and _turns_on_row_tracking(snapshot, step.properties):
        return Cost.BACKFILL
    return Cost.METADATA


def makes_several_commits(snapshot: Snapshot, step: Step) -> bool:
    """Whether *step* is more than one commit: a backfill first, or a rewrite and then the rest."""
    if isinstance(step, WriteCheckpoint):
        return False
    if isinstance(step, SetProperties):
        return _turns_on_row_tracking(snapshot, step.properties) or (
            _removes_mapping(snapshot, step) and len(step.properties) > 1
        )
    return _removes_mapping(snapshot, step) and len(step.keys) > 1


def _removes_mapping(snapshot: Snapshot, step: Step) -> bool:
    if isinstance(step, WriteCheckpoint):
        return False
    asked = (
        _normalized(step.properties).get(COLUMN_MAPPING_MODE) == "none"
        if isinstance(step, SetProperties)
        else COLUMN_MAPPING_MODE in step.keys
    )
    return asked and column_mapping_mode(snapshot.metadata) is not ColumnMappingMode.NONE


def _turns_on_row_tracking(snapshot: Snapshot, properties: Mapping[str, str]) -> bool:
    return (
        _normalized(properties).get(ROW_TRACKING, "").lower() == "true"
        and snapshot.metadata.configuration.get(ROW_TRACKING, "").lower() != "true"
    )


def _normalized(properties: Mapping[str, str]) -> dict[str, str]:
    return {normalized_key(key): value for key, value in properties.items()}


def _refuse_reserved_keys(step: SetProperties | UnsetProperties) -> None:
    """Spark's parser turns these away before Delta sees them."""
    keys = step.properties if isinstance(step, SetProperties) else step.keys
    for key in keys:
        if key in _RESERVED:
            raise Refused(
                f"The property {key!r} is reserved by Spark.",
                remedy="It is not a table property; leave it out.",
                delta_error_class="UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
            )


def _set_properties(
    snapshot: Snapshot, properties: Mapping[str, str], session: SessionSettings
) -> Snapshot:
    wanted = validate_configurations(properties, allow_arbitrary=session.allow_arbitrary_properties)
    require_writable(snapshot)
    state = snapshot
    if _turns_on_row_tracking(snapshot, wanted):
        state = _with_row_tracking_supported(snapshot, wanted)
    if wanted.get(COLUMN_MAPPING_MODE) == "none" and session.allow_column_mapping_removal:
        state = _without_mapping(state, {COLUMN_MAPPING_MODE: "none"}, session)
        if len(wanted) == 1:
            return state
    _refuse_other_statements(wanted)
    _check_coordinated_commits(state.metadata, wanted)
    stored = {key: value for key, value in wanted.items() if key != COMMENT}
    proposed = replace(
        state.metadata.with_configuration({**state.metadata.configuration, **stored}),
        description=wanted.get(COMMENT, state.metadata.description),
    )
    after = _update_metadata(state, proposed, session)
    if any(key in wanted for key in RETENTION_KEYS):
        check_retention(after.metadata)
    if is_true(wanted, ROW_TRACKING):
        _check_row_tracking(after.metadata.configuration)
    return _prepare_commit(
        state, after, version_known=not makes_several_commits(snapshot, SetProperties(wanted))
    )


def _unset_properties(
    snapshot: Snapshot, keys: tuple[str, ...], session: SessionSettings
) -> Snapshot:
    """Spark's catalog always unsets as if `IF EXISTS` had been said."""
    require_writable(snapshot)
    state = snapshot
    if COLUMN_MAPPING_MODE in keys and session.allow_column_mapping_removal:
        state = _without_mapping(state, {}, session)
        if len(keys) == 1:
            return state
    gone = {normalized_key(key) for key in keys}
    _check_coordinated_commits_kept(state.metadata, gone)
    kept = {key: one for key, one in state.metadata.configuration.items() if key not in gone}
    proposed = replace(
        state.metadata.with_configuration(kept),
        description=None if COMMENT in gone else state.metadata.description,
    )
    return _prepare_commit(state, _update_metadata(state, proposed, session))


def _with_row_tracking_supported(snapshot: Snapshot, wanted: Mapping[str, str]) -> Snapshot:
    """Row tracking starts with a protocol upgrade and a backfill, each a commit of its own."""
    _check_row_tracking({**snapshot.metadata.configuration, **wanted})
    files = snapshot.files
    if files is not None and files.without_num_records:
        raise Refused(
            f"Row ids cannot be given to {files.without_num_records} files without statistics.",
            remedy="Let Delta collect them first: ANALYZE TABLE … COMPUTE DELTA STATISTICS.",
            delta_error_class="DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS",
        )
    if snapshot.protocol.supports("rowTracking"):
        return snapshot
    needed = Protocol.apply().with_feature("rowTracking")
    return replace(snapshot, protocol=snapshot.protocol.merge(needed))


def _check_row_tracking(configuration: Mapping[str, str]) -> None:
    if is_true(configuration, ROW_TRACKING) and is_true(
        configuration, "delta.rowTrackingSuspended"
    ):
        raise Refused(
            f"{ROW_TRACKING} and delta.rowTrackingSuspended cannot both be true.",
            remedy="Unset delta.rowTrackingSuspended.",
            delta_error_class="DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
        )


def _without_mapping(
    snapshot: Snapshot, mode: Mapping[str, str], session: SessionSettings
) -> Snapshot:
    """The state after `REMOVE COLUMN MAPPING`, a commit of its own."""
    bare = remove_column_mapping(snapshot.metadata)
    proposed = bare.with_configuration({**bare.configuration, **mode})
    return _prepare_commit(snapshot, _update_metadata(snapshot, proposed, session))


def _refuse_other_statements(wanted: Mapping[str, str]) -> None:
    for key in wanted:
        if key.lower().startswith(CONSTRAINT_PREFIX):
            raise Refused(
                f"A CHECK constraint cannot be set as a property ({key}).",
                remedy="Use ALTER TABLE … ADD CONSTRAINT, which checks the rows that are there.",
                delta_error_class="DELTA_ADD_CONSTRAINTS",
            )
        if key == f"{FEATURE_PREFIX}clustering":
            clustering = FEATURES["clustering"]
            raise Refused(
                "The table feature clustering cannot be set as a property.",
                remedy=clustering.not_addable,
                delta_error_class=clustering.refusal,
            )
        if key == "clusteringColumns":
            raise Refused(
                "The clustering columns cannot be set as a property.",
                remedy="Use ALTER TABLE … CLUSTER BY (…).",
                delta_error_class="DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
            )


_COORDINATOR: Final = (
    "delta.coordinatedCommits.commitCoordinator-preview",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
)
_COORDINATED_TABLE: Final = "delta.coordinatedCommits.tableConf-preview"
_ICT_KEYS: Final = (IN_COMMIT_TIMESTAMPS, ICT_ENABLEMENT_VERSION, ICT_ENABLEMENT_TIMESTAMP)


def _check_coordinated_commits(metadata: Metadata, wanted: Mapping[str, str]) -> None:
    family = (*_COORDINATOR, _COORDINATED_TABLE)
    asked = [key for key in family if key in wanted]
    present = [key for key in family if key in metadata.configuration]
    touched = [key for key in _ICT_KEYS if key in wanted]
    if asked and present:
        raise _coordinated("DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS", asked)
    if asked and touched:
        raise _coordinated("DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES", touched)
    if _COORDINATED_TABLE in asked:
        raise _coordinated("DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND", asked)
    if asked and len(asked) < len(_COORDINATOR):
        raise _coordinated("DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND", asked)
    if present and touched:
        raise _coordinated("DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES", touched)


def _check_coordinated_commits_kept(metadata: Metadata, gone: set[str]) -> None:
    family = (*_COORDINATOR, _COORDINATED_TABLE)
    if any(key in metadata.configuration for key in family):
        if gone & set(family):
            raise _coordinated("DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS", sorted(gone))
        if gone & set(_ICT_KEYS):
            raise _coordinated("DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES", sorted(gone))


def _coordinated(error_class: str, keys: list[str]) -> Refused:
    return Refused(
        f"Coordinated commits do not allow this change of {', '.join(keys)}.",
        remedy="Set the coordinator's name and configuration together, on a table that has none; "
        "drop the feature coordinatedCommits-preview to be rid of them.",
        delta_error_class=error_class,
    )


def _update_metadata(snapshot: Snapshot, proposed: Metadata, session: SessionSettings) -> Snapshot:
    """`updateMetadataInternal` on an existing table."""
    before = snapshot.protocol
    check_statistics_columns(proposed)
    _refuse_adaptive_metadata(proposed)
    metadata = verify_and_update_metadata_change(
        before,
        snapshot.metadata,
        proposed,
        allow_removal=session.allow_column_mapping_removal,
        strip_metadata=session.strip_column_mapping_metadata,
    )
    metadata = fit_for_log(snapshot.metadata, metadata, before)
    protocol = _with_requested_versions(before, metadata.configuration)
    protocol = _with_requested_features(protocol, metadata.configuration)
    protocol = upgrade_protocol_from_metadata_for_existing_table(metadata, protocol) or protocol
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


def _refuse_adaptive_metadata(proposed: Metadata) -> None:
    feature = FEATURES["adaptiveMetadata-preview"]
    if f"{FEATURE_PREFIX}{feature.name.lower()}" in proposed.configuration:
        raise Refused(
            f"The table feature {feature.name} cannot be added to an existing table.",
            remedy=feature.not_addable,
            delta_error_class=feature.refusal,
        )


def _with_requested_versions(before: Protocol, configuration: Mapping[str, str]) -> Protocol:
    if MIN_READER_VERSION not in configuration and MIN_WRITER_VERSION not in configuration:
        return before
    reader, writer = protocol_versions(configuration)
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
    needs_readers = any(FEATURES[name].is_reader for name in with_requirements(requested))
    added = Protocol.apply(
        READER_FEATURES_VERSION if needs_readers else before.min_reader_version,
        WRITER_FEATURES_VERSION,
    ).with_features(requested)
    protocol = added.merge(before)
    if "catalogManaged" in protocol.explicit_names - before.explicit_names:
        raise Refused(
            "An existing table cannot become catalog-managed.",
            remedy=find("catalogManaged").not_addable,
        )
    return protocol


def _with_row_tracking_columns(protocol: Protocol, old: Metadata, new: Metadata) -> Metadata:
    """Tables that support row tracking have names for two materialised columns; others none."""
    configuration = dict(new.configuration)
    for key, prefix in (
        (ROW_ID_COLUMN, "_row-id-col-"),
        (ROW_COMMIT_VERSION_COLUMN, "_row-commit-version-col-"),
    ):
        if protocol.supports("rowTracking"):
            configuration[key] = old.configuration.get(key, prefix + KNOWN_AFTER_COMMIT)
        else:
            configuration.pop(key, None)
    return new.with_configuration(configuration)


def _prepare_commit(before: Snapshot, after: Snapshot, *, version_known: bool = True) -> Snapshot:
    """What `prepareCommit` still adds, and what it refuses."""
    metadata = _with_dependent_properties(after.protocol, after.metadata)
    metadata = enforce_iceberg_compatibility(before, after.protocol, metadata)
    metadata = _with_timestamp_provenance(before, metadata, version_known=version_known)
    return replace(after, metadata=metadata)


def _with_dependent_properties(protocol: Protocol, metadata: Metadata) -> Metadata:
    coordinated = _COORDINATOR[0] in metadata.configuration
    if not coordinated and "catalogManaged" not in protocol.explicit_names:
        return metadata
    return metadata.with_configuration({**metadata.configuration, IN_COMMIT_TIMESTAMPS: "true"})


def _with_timestamp_provenance(
    before: Snapshot, metadata: Metadata, *, version_known: bool
) -> Metadata:
    """Turning in-commit timestamps on notes since when; the commit's own time is not known yet."""
    was_on = is_true(before.metadata.configuration, IN_COMMIT_TIMESTAMPS)
    _require_commit_timestamp(before, was_on=was_on)
    if was_on or not is_true(metadata.configuration, IN_COMMIT_TIMESTAMPS):
        return metadata
    version = str(before.version + 1) if version_known else KNOWN_AFTER_COMMIT
    return metadata.with_configuration(
        {
            **metadata.configuration,
            ICT_ENABLEMENT_VERSION: version,
            ICT_ENABLEMENT_TIMESTAMP: KNOWN_AFTER_COMMIT,
        }
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
            f"Version {before.version} has no in-commit timestamp although the table has turned "
            "them on.",
            remedy="The client that wrote it ignores the feature; use another one.",
            delta_error_class="DELTA_MISSING_COMMIT_TIMESTAMP",
        )
