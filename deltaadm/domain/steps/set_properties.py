"""Setting table properties, which also raises versions and adds features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.features import FEATURES
from deltaadm.domain.model.json_values import STRING, compact, mapping, record
from deltaadm.domain.model.properties import (
    COLUMN_MAPPING_MODE,
    FEATURE_PREFIX,
    TABLE_COMMENT,
    normalized_key,
    validate_configurations,
)
from deltaadm.domain.model.protocol import Protocol
from deltaadm.domain.model.snapshot import every_file, file_metadata
from deltaadm.domain.sql.sql_text import pairs_sql
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.transaction.coordinated_commits import check_set
from deltaadm.domain.transaction.iceberg import ROW_TRACKING
from deltaadm.domain.transaction.metadata_checks import RETENTION_KEYS, check_retention
from deltaadm.domain.transaction.reserved_keys import refuse_keys_to_set, refuse_reserved
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.transaction import (
    PREPARATIONS,
    check_row_tracking,
    prepare_commit,
    update_metadata,
    without_mapping,
)
from deltaadm.errors import Refused
from deltaadm.limits import load_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.model.commit_info import CommitInfo
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class SetProperties(Step):
    """
    `ALTER TABLE … SET TBLPROPERTIES`: also the way to raise versions and to add features.

    *properties* may hold `delta.minReaderVersion`, `delta.minWriterVersion` and
    `delta.feature.<name>` beside ordinary properties.
    """

    properties: Mapping[str, str]

    kind = "set_properties"
    json = record(properties=mapping(STRING))
    operations = frozenset({"SET TBLPROPERTIES"})
    secret_fields = ("properties",)

    def require_allowed(self) -> None:
        """Raise `Refused` for properties that Delta keeps for itself."""
        refuse_reserved(self.properties)

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """
        The state with the properties, and with the protocol that they ask for or need.

        In this order: columns are mapped, versions raised, requested features added, features
        added that the new metadata implies, the protocol's pseudo-properties dropped.
        """
        properties = validate_configurations(
            self.properties, allow_arbitrary=session.allow_arbitrary_properties
        )
        _refuse_malformed_redirects(properties)
        require_writable(snapshot)
        state = snapshot
        if _turns_on_row_tracking(snapshot, properties):
            state = _with_row_tracking_supported(snapshot, properties)
        if properties.get(COLUMN_MAPPING_MODE) == "none" and session.allow_column_mapping_removal:
            state = without_mapping(state, {COLUMN_MAPPING_MODE: "none"}, session)
            # Delta removes the mapping in a commit of its own; only other properties need another.
            if len(properties) == 1:
                return state
        refuse_keys_to_set(properties)
        check_set(state.metadata, properties)
        stored = {key: value for key, value in properties.items() if key != TABLE_COMMENT}
        proposed = replace(
            state.metadata.with_configuration({**state.metadata.configuration, **stored}),
            description=properties.get(TABLE_COMMENT, state.metadata.description),
        )
        after = update_metadata(state, proposed, session)
        if any(key in properties for key in RETENTION_KEYS):
            check_retention(after.metadata)
        check_row_tracking(after.metadata.configuration)
        several = SetProperties(properties).takes_several_commits(snapshot)
        return prepare_commit(state, after, version_known=not several)

    @property
    def property_values(self) -> Mapping[str, str]:
        """The properties, with keys in the spelling of the request."""
        return self.properties

    def cost(self, snapshot: Snapshot) -> Cost:
        """A rewrite where column mapping is removed, a backfill where row tracking begins."""
        if self._removes_mapping:
            return Cost.REWRITE
        return Cost.BACKFILL if self._backfills(snapshot) else Cost.METADATA

    def work(self, snapshot: Snapshot) -> str:
        """All data files, or the metadata of those without row ids."""
        if self._removes_mapping:
            return every_file(snapshot)
        return file_metadata(snapshot, lambda files: files.without_base_row_id)

    def takes_several_commits(self, snapshot: Snapshot) -> bool:
        """Whether row tracking begins, or column mapping is removed beside other changes."""
        several = len(self.properties) > 1
        return self._backfills(snapshot) or (several and self._removes_mapping)

    def _backfills(self, snapshot: Snapshot) -> bool:
        files = snapshot.files
        # Where the feature is supported already, files may all have row ids, or there are none.
        is_done = files is not None and not files.without_base_row_id
        return _turns_on_row_tracking(snapshot, self._normalized()) and not (
            is_done and snapshot.protocol.supports("rowTracking")
        )

    @property
    def _removes_mapping(self) -> bool:
        """Whether Delta writes all files without column mapping."""
        # Even where the table has none.
        return self._normalized().get(COLUMN_MAPPING_MODE) == "none"

    def _normalized(self) -> dict[str, str]:
        return {normalized_key(key): value for key, value in self.properties.items()}

    @property
    def added_features(self) -> tuple[str, ...]:
        """The features set to `supported`, unless something else is set as well."""
        names = tuple(key.removeprefix(FEATURE_PREFIX) for key in self.properties)
        asks_for_features = all(
            key.startswith(FEATURE_PREFIX) and value == "supported"
            for key, value in self.properties.items()
        )
        return names if asks_for_features and set(names) <= set(FEATURES) else ()

    @property
    def words(self) -> str:
        """The keys and values."""
        return f"set {', '.join(f'{key} = {value}' for key, value in self.properties.items())}"

    def _clause(self) -> str:
        return f"SET TBLPROPERTIES ({pairs_sql(self.properties)})"

    def options(self) -> Iterator[str]:
        """`--set` for each property."""
        for key, value in self.properties.items():
            yield from ("--set", f"{key}={value}")

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation | None:
        """
        The properties as they are asked for, versions and features among them.

        Column mapping is removed by a statement of its own, which writes all files anew.
        """
        if self._removes_mapping:
            if column_mapping_mode(before.metadata) is not ColumnMappingMode.NONE:
                return None
            return Operation("REMOVE COLUMN MAPPING", {}, reads_files=True)
        # JSON within JSON: Delta writes this parameter as a text.
        return Operation("SET TBLPROPERTIES", {"properties": compact(self._normalized())})

    def is_made_by(self, commit: CommitInfo) -> bool:
        """Whether *commit* sets just these properties, or prepares that."""
        if commit.operation in PREPARATIONS:
            return True
        # A commit's information names the keys as Delta spells them.
        sets = commit.operation in self.operations
        return sets and commit.parameter("properties") == self._normalized()


def _refuse_malformed_redirects(properties: Mapping[str, str]) -> None:
    """Raise `Refused` for redirections that Delta cannot read."""
    # It reads them when they are set, and only then: CREATE TABLE takes any text.
    for key in _REDIRECTIONS & properties.keys():
        try:
            parsed = load_json(properties[key])
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict) or not parsed.keys() >= {"type", "state", "spec"}:
            raise Refused(
                f"The value {properties[key]!r} of {key} is not a redirection.",
                remedy="Write a JSON object with type, state and spec.",
            )


_REDIRECTIONS: Final = frozenset(
    {"delta.redirectReaderWriter-preview", "delta.redirectWriterOnly-preview"}
)


def _turns_on_row_tracking(snapshot: Snapshot, properties: Mapping[str, str]) -> bool:
    return (
        properties.get(ROW_TRACKING, "").lower() == "true"
        and snapshot.metadata.configuration.get(ROW_TRACKING, "").lower() != "true"
    )


def _with_row_tracking_supported(snapshot: Snapshot, properties: Mapping[str, str]) -> Snapshot:
    """The state after the upgrade and the backfill that begin row tracking, a commit each."""
    check_row_tracking({**snapshot.metadata.configuration, **properties})
    files = snapshot.files
    # Row ids are given by ranges, which take the number of records of every file.
    if files is not None and files.without_num_records:
        raise Refused(
            f"Row ids cannot be assigned to {files.without_num_records} files without statistics.",
            remedy="Collect statistics first: ANALYZE TABLE … COMPUTE DELTA STATISTICS.",
            delta_error_class="DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS",
        )
    if snapshot.protocol.supports("rowTracking"):
        return snapshot
    # Version 3 of readers is only where it begins: merge() lowers it.
    needed = Protocol.apply().with_feature("rowTracking")
    return replace(snapshot, protocol=snapshot.protocol.merge(needed))
