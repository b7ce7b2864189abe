"""
What Delta Spark 4.4 will commit, told in Delta's order.

The source in delta-io/delta is `commands/alterDeltaTableCommands.scala`; checked case by case
against the recorded engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain.add_columns import add_columns
from deltaadm.domain.alter_columns import drop_columns, rename_column
from deltaadm.domain.change_columns import change_columns
from deltaadm.domain.clustering import cluster_by
from deltaadm.domain.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.constraints import add_constraint, drop_constraint
from deltaadm.domain.cost import Cost
from deltaadm.domain.create import create_table
from deltaadm.domain.drop_feature import cost_of_drop, drop_feature, drops_in_several_commits
from deltaadm.domain.features import FEATURES
from deltaadm.domain.location import set_location
from deltaadm.domain.metadata_checks import RETENTION_KEYS, check_retention
from deltaadm.domain.properties import (
    COLUMN_MAPPING_MODE,
    CONSTRAINT_PREFIX,
    FEATURE_PREFIX,
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    TABLE_COMMENT,
    is_true,
    normalized_key,
    refuse_reserved,
    validate_configurations,
)
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.reference import require_readable, require_writable
from deltaadm.domain.session import SessionSettings
from deltaadm.domain.table_changes import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    CreateTable,
    DropColumns,
    DropConstraint,
    DropFeature,
    RenameColumn,
    SetLocation,
    SetProperties,
    UnsetProperties,
    WriteCheckpoint,
)
from deltaadm.domain.transaction import (
    COORDINATOR,
    IN_COMMIT_TIMESTAMPS,
    prepare_commit,
    update_metadata,
    without_mapping,
)
from deltaadm.errors import IllegalArgument, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deltaadm.domain.metadata import Metadata
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step

ROW_TRACKING: Final = "delta.enableRowTracking"


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
    if isinstance(step, CreateTable):
        if snapshot.exists:
            require_readable(snapshot)
        return create_table(snapshot, step, settings)
    if isinstance(step, (SetProperties, UnsetProperties)):
        refuse_reserved(step.properties if isinstance(step, SetProperties) else step.keys)
    require_readable(snapshot)
    try:
        return _after(snapshot, step, settings)
    except IllegalArgument as error:
        raise Refused(
            error.message, remedy=error.remedy, delta_error_class="UNSUPPORTED_TABLE_CHANGE"
        ) from error


def _after(snapshot: Snapshot, step: Step, session: SessionSettings) -> Snapshot:
    if isinstance(step, SetProperties):
        return _set_properties(snapshot, step.properties, session)
    if isinstance(step, UnsetProperties):
        return _unset_properties(snapshot, step.keys, session)
    return _TELLERS[type(step)](snapshot, step, session)


_TELLERS: Final[Mapping[type, Callable[[Snapshot, Any, SessionSettings], Snapshot]]] = {
    AddColumns: add_columns,
    AddConstraint: add_constraint,
    ChangeColumns: change_columns,
    ClusterBy: cluster_by,
    DropColumns: drop_columns,
    DropConstraint: drop_constraint,
    DropFeature: drop_feature,
    RenameColumn: rename_column,
    SetLocation: set_location,
}


def step_cost(snapshot: Snapshot, step: Step) -> Cost:
    """What Delta does to the data files when it carries out *step* on *snapshot*."""
    if isinstance(step, DropFeature):
        return cost_of_drop(snapshot, step)
    if _removes_mapping(snapshot, step):
        return Cost.REWRITE
    if isinstance(step, SetProperties) and _turns_on_row_tracking(snapshot, step.properties):
        return Cost.BACKFILL
    return Cost.METADATA


def makes_several_commits(snapshot: Snapshot, step: Step) -> bool:
    """Whether *step* is more than one commit: a backfill first, or a rewrite and then the rest."""
    if isinstance(step, DropFeature):
        return drops_in_several_commits(snapshot, step)
    if isinstance(step, SetProperties):
        return _turns_on_row_tracking(snapshot, step.properties) or (
            _removes_mapping(snapshot, step) and len(step.properties) > 1
        )
    if isinstance(step, UnsetProperties):
        return _removes_mapping(snapshot, step) and len(step.keys) > 1
    return False


def _removes_mapping(snapshot: Snapshot, step: Step) -> bool:
    if not isinstance(step, (SetProperties, UnsetProperties)):
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


def _set_properties(
    snapshot: Snapshot, properties: Mapping[str, str], session: SessionSettings
) -> Snapshot:
    wanted = validate_configurations(properties, allow_arbitrary=session.allow_arbitrary_properties)
    require_writable(snapshot)
    state = snapshot
    if _turns_on_row_tracking(snapshot, wanted):
        state = _with_row_tracking_supported(snapshot, wanted)
    if wanted.get(COLUMN_MAPPING_MODE) == "none" and session.allow_column_mapping_removal:
        state = without_mapping(state, {COLUMN_MAPPING_MODE: "none"}, session)
        if len(wanted) == 1:
            return state
    _refuse_other_statements(wanted)
    _check_coordinated_commits(state.metadata, wanted)
    stored = {key: value for key, value in wanted.items() if key != TABLE_COMMENT}
    proposed = replace(
        state.metadata.with_configuration({**state.metadata.configuration, **stored}),
        description=wanted.get(TABLE_COMMENT, state.metadata.description),
    )
    after = update_metadata(state, proposed, session)
    if any(key in wanted for key in RETENTION_KEYS):
        check_retention(after.metadata)
    if is_true(wanted, ROW_TRACKING):
        _check_row_tracking(after.metadata.configuration)
    return prepare_commit(
        state, after, version_known=not makes_several_commits(snapshot, SetProperties(wanted))
    )


def _unset_properties(
    snapshot: Snapshot, keys: tuple[str, ...], session: SessionSettings
) -> Snapshot:
    """Spark's catalog always unsets as if `IF EXISTS` had been said."""
    require_writable(snapshot)
    state = snapshot
    if COLUMN_MAPPING_MODE in keys and session.allow_column_mapping_removal:
        state = without_mapping(state, {}, session)
        if len(keys) == 1:
            return state
    gone = {normalized_key(key) for key in keys}
    _check_coordinated_commits_kept(state.metadata, gone)
    kept = {key: one for key, one in state.metadata.configuration.items() if key not in gone}
    proposed = replace(
        state.metadata.with_configuration(kept),
        description=None if TABLE_COMMENT in gone else state.metadata.description,
    )
    return prepare_commit(state, update_metadata(state, proposed, session))


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


def _refuse_other_statements(wanted: Mapping[str, str]) -> None:
    for key in wanted:
        if key.lower().startswith(CONSTRAINT_PREFIX):
            raise Refused(
                f"A CHECK constraint cannot be set as a property ({key}).",
                remedy="Use alter --add-constraint NAME=EXPRESSION, which checks the rows.",
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
                remedy="Use alter --cluster-by COLUMN.",
                delta_error_class="DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
            )


_COORDINATED_TABLE: Final = "delta.coordinatedCommits.tableConf-preview"
_ICT_KEYS: Final = (IN_COMMIT_TIMESTAMPS, ICT_ENABLEMENT_VERSION, ICT_ENABLEMENT_TIMESTAMP)


def _check_coordinated_commits(metadata: Metadata, wanted: Mapping[str, str]) -> None:
    family = (*COORDINATOR, _COORDINATED_TABLE)
    asked = [key for key in family if key in wanted]
    present = [key for key in family if key in metadata.configuration]
    touched = [key for key in _ICT_KEYS if key in wanted]
    if asked and present:
        raise _coordinated("DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS", asked)
    if asked and touched:
        raise _coordinated("DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES", touched)
    if _COORDINATED_TABLE in asked:
        raise _coordinated("DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND", asked)
    if asked and len(asked) < len(COORDINATOR):
        raise _coordinated("DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND", asked)
    if present and touched:
        raise _coordinated("DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES", touched)


def _check_coordinated_commits_kept(metadata: Metadata, gone: set[str]) -> None:
    family = (*COORDINATOR, _COORDINATED_TABLE)
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
