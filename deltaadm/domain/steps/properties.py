"""Setting properties, constraints and clustering; a checkpoint; dropping a table feature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain import ddl
from deltaadm.domain.features import FEATURES, Cost, Removal, TableFeature, dependents, mapping_mode
from deltaadm.domain.properties import PROPERTIES, Key, normalized_key, unset_key, validated
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.schema import Path, path_text
from deltaadm.domain.snapshot import Snapshot, every_file, file_metadata
from deltaadm.domain.steps.step import Operation, Step, Touches
from deltaadm.domain.transaction import checks, columns, constraints, update
from deltaadm.domain.transaction.removal import CHECKPOINT_PROTECTION, PREPARED_KEYS, preparation
from deltaadm.domain.transaction.spark_support import require_queryable, require_writable
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, CommitInfo
from deltaadm.errors import RefusedError, UnknownNameError
from deltaadm.json_values import STRINGS, array, compact, mapping, record
from deltaadm.limits import load_json


@dataclass(frozen=True, slots=True)
class SetProperties(Step):
    """
    `ALTER TABLE … SET TBLPROPERTIES`: also the way to raise versions and to add features.

    *properties* may hold `delta.minReaderVersion`, `delta.minWriterVersion` and
    `delta.feature.<name>` beside ordinary properties.
    """

    properties: Mapping[str, str]

    kind = "set_properties"
    json = record(properties=mapping(str))
    operations = frozenset({"SET TBLPROPERTIES"})
    secret_fields = ("properties",)

    def require_allowed(self) -> None:
        checks.refuse_reserved(self.properties)

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """
        The state with the properties, and with the protocol that they ask for or need.

        In this order: columns are mapped, versions raised, requested features added, features
        added that the new metadata implies, the protocol's pseudo-properties dropped.
        """
        # Delta looks at those under their exact names first, and at all when it sets them.
        _require_redirections(self.properties)
        properties = validated(self.properties, allow_arbitrary=session.allow_arbitrary_properties)
        _require_redirections(properties)
        require_writable(snapshot)
        state = snapshot
        if _turns_on_row_tracking(snapshot, properties):
            state = _with_row_tracking_supported(snapshot, properties)
        if (
            properties.get(Key.COLUMN_MAPPING_MODE) == "none"
            and session.allow_column_mapping_removal
        ):
            state = update.without_mapping(state, {Key.COLUMN_MAPPING_MODE: "none"}, session)
            # Delta removes the mapping in a commit of its own; only other properties need another.
            if len(properties) == 1:
                return state
        overriding = "DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS"
        checks.refuse_for_coordinated(state.metadata, properties, overriding)
        checks.refuse_to_set(properties)
        stored = {key: value for key, value in properties.items() if key != Key.TABLE_COMMENT}
        proposed = replace(
            state.metadata.with_properties(stored),
            description=properties.get(Key.TABLE_COMMENT, state.metadata.description),
        )
        after = update.update_metadata(state, proposed, session)
        if any(key in properties for key in checks.RETENTION_KEYS):
            checks.check_retention(properties)
        update.check_row_tracking(after.metadata.configuration)
        several = SetProperties(properties).takes_several_commits(snapshot)
        return update.prepare_commit(state, after, version_known=not several)

    @property
    def touches(self) -> Touches:
        features = {f"{Key.FEATURE_PREFIX}{name}": name for name in FEATURES}
        added = tuple(features[key] for key in self.properties if key in features)
        if set(self.properties.values()) != {"supported"} or len(added) < len(self.properties):
            added = ()
        return Touches(property_values=self.properties, added_features=added)

    def cost(self, snapshot: Snapshot) -> Cost:
        if self._removes_mapping:
            return Cost.REWRITE
        return Cost.BACKFILL if self._backfills(snapshot) else Cost.METADATA

    def work(self, snapshot: Snapshot) -> str:
        if self._removes_mapping:
            return every_file(snapshot)
        return file_metadata(snapshot, lambda files: files.without_base_row_id)

    def takes_several_commits(self, snapshot: Snapshot) -> bool:
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
        # Even where the table has none.
        return self._normalized().get(Key.COLUMN_MAPPING_MODE) == "none"

    def _normalized(self) -> dict[str, str]:
        return {normalized_key(key): value for key, value in self.properties.items()}

    @property
    def words(self) -> str:
        return f"set {', '.join(f'{key} = {value}' for key, value in self.properties.items())}"

    def _clause(self) -> str:
        return f"SET TBLPROPERTIES ({ddl.pairs_sql(self.properties)})"

    def options(self) -> Iterator[str]:
        for key, value in self.properties.items():
            yield from ("--set", f"{key}={value}")

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation | None:
        """
        The properties as they are asked for, versions and features among them.

        Column mapping is removed by a statement of its own, which writes all files anew.
        """
        if self._removes_mapping:
            if mapping_mode(before.metadata) != "none":
                return None
            return Operation("REMOVE COLUMN MAPPING", {}, reads_files=True)
        # JSON within JSON: Delta writes this parameter as a text.
        return Operation("SET TBLPROPERTIES", {"properties": compact(self._normalized())})

    def is_made_by(self, commit: CommitInfo) -> bool:
        if commit.operation in update.PREPARATIONS:
            return True
        # A commit's information names the keys as Delta spells them.
        sets = commit.operation in self.operations
        return sets and commit.parameter("properties") == self._normalized()


def _require_redirections(properties: Mapping[str, str]) -> None:
    """Raise `RefusedError` for one that Delta cannot read; CREATE TABLE takes any text."""
    for key in _REDIRECTIONS & properties.keys():
        try:
            parsed = load_json(properties[key])
            spec = load_json(parsed["spec"])
            readable = parsed.keys() >= {"type", "state"} and isinstance(spec, dict)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            readable = False
        if not readable:
            raise RefusedError(
                f"The value {properties[key]!r} of {key} is not a redirection.",
                remedy="Write a JSON object with type, state and spec, which is JSON in a text.",
            )


_REDIRECTIONS: Final = {"delta.redirectReaderWriter-preview", "delta.redirectWriterOnly-preview"}


def _turns_on_row_tracking(snapshot: Snapshot, properties: Mapping[str, str]) -> bool:
    return (
        properties.get(Key.ROW_TRACKING, "").lower() == "true"
        and snapshot.metadata.configuration.get(Key.ROW_TRACKING, "").lower() != "true"
    )


def _with_row_tracking_supported(snapshot: Snapshot, properties: Mapping[str, str]) -> Snapshot:
    """The state after the upgrade and the backfill that begin row tracking, a commit each."""
    update.check_row_tracking({**snapshot.metadata.configuration, **properties})
    lacking = 0 if snapshot.files is None else snapshot.files.without_num_records
    # Row ids are given by ranges, which take the number of records of every file.
    if lacking:
        raise RefusedError(
            f"Row ids cannot be assigned to files without statistics ({lacking}).",
            remedy="Collect statistics first: ANALYZE TABLE … COMPUTE DELTA STATISTICS.",
            delta_error_class="DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS",
        )
    if snapshot.protocol.supports("rowTracking"):
        return snapshot
    # Version 3 of readers is only where it begins: merge() lowers it.
    needed = Protocol.apply().with_feature("rowTracking")
    return replace(snapshot, protocol=snapshot.protocol.merge(needed))


@dataclass(frozen=True, slots=True)
class UnsetProperties(Step):
    """`ALTER TABLE … UNSET TBLPROPERTIES`; without *if_exists* an absent key is an error."""

    keys: tuple[str, ...]
    if_exists: bool = False

    kind = "unset_properties"
    json = record(keys=STRINGS, if_exists=bool)
    operations = frozenset({"UNSET TBLPROPERTIES"})

    def require_allowed(self) -> None:
        checks.refuse_reserved(self.keys)

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state without the properties; Spark's catalog always unsets with `IF EXISTS`."""
        require_writable(snapshot)
        state = snapshot
        if Key.COLUMN_MAPPING_MODE in self.keys and session.allow_column_mapping_removal:
            state = update.without_mapping(state, {}, session)
            # As with SET, the mapping goes in a commit of its own; only other keys need another.
            if len(self.keys) == 1:
                return state
        unset = set(map(unset_key, self.keys))
        unsetting = "DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS"
        checks.refuse_for_coordinated(state.metadata, unset, unsetting)
        proposed = replace(
            state.metadata.without_properties(*unset),
            description=None if Key.TABLE_COMMENT in unset else state.metadata.description,
        )
        return update.commit_update(state, proposed, session)

    @property
    def touches(self) -> Touches:
        return Touches(property_values=dict.fromkeys(self.keys))

    def cost(self, snapshot: Snapshot) -> Cost:
        return Cost.REWRITE if self._removes_mapping(snapshot) else Cost.METADATA

    def takes_several_commits(self, snapshot: Snapshot) -> bool:
        return len(self.keys) > 1 and self._removes_mapping(snapshot)

    def _removes_mapping(self, snapshot: Snapshot) -> bool:
        return Key.COLUMN_MAPPING_MODE in self.keys and mapping_mode(snapshot.metadata) != "none"

    @property
    def words(self) -> str:
        return f"unset {', '.join(self.keys)}"

    def _clause(self) -> str:
        keys = ", ".join(map(ddl.literal, self.keys))
        return f"UNSET TBLPROPERTIES {ddl.if_exists_sql(self.if_exists)}({keys})"

    def options(self) -> Iterator[str]:
        for key in self.keys:
            yield from ("--unset", key)

    def operation(self, _before: Snapshot, _after: Snapshot) -> Operation | None:
        """The keys; column mapping is removed by a statement of its own, which reads all files."""
        if Key.COLUMN_MAPPING_MODE in self.keys:
            return None
        keys = compact([unset_key(key) for key in self.keys])
        # `ifExists` whatever was asked for: Spark's catalog knows nothing else.
        return Operation("UNSET TBLPROPERTIES", {"properties": keys, "ifExists": True})

    def is_made_by(self, commit: CommitInfo) -> bool:
        if commit.operation in update.PREPARATIONS:
            return True
        named = commit.parameter("properties")
        return (
            commit.operation in self.operations
            and isinstance(named, list)
            and sorted(map(str, named)) == sorted(map(unset_key, self.keys))
        )


@dataclass(frozen=True, slots=True)
class AddConstraint(Step):
    """`ALTER TABLE … ADD CONSTRAINT … CHECK`; existing rows are checked first."""

    name: str
    expression: str

    kind = "add_constraint"
    json = record(name=str, expression=str)
    operations = frozenset({"ADD CONSTRAINT"})
    depends_on_state = True

    def after(self, snapshot: Snapshot, _session: SessionSettings) -> Snapshot:
        """
        The state after it if all rows meet the constraint.

        Raises `RefusedError` with Delta's error class where Delta or Spark would refuse whatever
        the rows are, save for the types in the expression, which only Spark judges.
        """
        # First, as Spark parses a statement before it looks at the table.
        expression = constraints.stored_expression(self.expression)
        # What Delta calls its own check of the lengths of char and varchar.
        if self.name == "__CHAR_VARCHAR_STRING_LENGTH_CHECK__":
            raise RefusedError(
                f"Delta reserves the name {self.name}.",
                remedy="Choose another name.",
                delta_error_class="DELTA_INVALID_CONSTRAINT_NAME",
            )
        require_writable(snapshot)
        metadata, key = snapshot.metadata, constraints.constraint_key(self.name)
        if key in metadata.configuration:
            raise RefusedError(
                f"The table already has a constraint {self.name}: {metadata.configuration[key]}.",
                remedy=f"Choose another name, or drop it: alter --drop-constraint {self.name}.",
                delta_error_class="DELTA_CONSTRAINT_ALREADY_EXISTS",
            )
        # `_metadata` is what Spark knows of a row's file, in every table.
        own = {"_metadata", *(field.name.lower() for field in metadata.schema.fields)}
        unknown = [path for path in ddl.column_references(expression) if path[0].lower() not in own]
        if unknown:
            raise RefusedError(
                f"The constraint uses {path_text(unknown[0])}, which the table does not have.",
                remedy="List its columns with: `deltaadm inspect TABLE --columns`.",
                delta_error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
            )
        require_queryable(snapshot)  # Delta counts the rows that violate it, even of an empty table
        return update.commit_metadata(snapshot, metadata.with_properties({key: expression}))

    @property
    def touches(self) -> Touches:
        return Touches(new_constraint=(self.name, self.expression))

    def _clause(self) -> str:
        expression = constraints.stored_expression(self.expression)
        return f"ADD CONSTRAINT {ddl.identifier(self.name)} CHECK ({expression})"

    def options(self) -> Iterator[str]:
        yield from ("--add-constraint", f"{self.name}={self.expression}")


@dataclass(frozen=True, slots=True)
class DropConstraint(Step):
    """`ALTER TABLE … DROP CONSTRAINT`; with *if_exists* an absent one is skipped."""

    name: str
    if_exists: bool = False

    kind = "drop_constraint"
    json = record(name=str, if_exists=bool)
    operations = frozenset({"DROP CONSTRAINT"})

    def after(self, snapshot: Snapshot, _session: SessionSettings) -> Snapshot:
        require_writable(snapshot)
        metadata, key = snapshot.metadata, constraints.constraint_key(self.name)
        if key not in metadata.configuration and not self.if_exists:
            known = constraints.constraint_names(metadata.configuration)
            raise UnknownNameError(
                f"The table has no constraint {self.name}.",
                remedy=f"It has: {', '.join(known)}." if known else "It has no constraints.",
                delta_error_class="DELTA_CONSTRAINT_DOES_NOT_EXIST",
            )
        return update.commit_metadata(snapshot, metadata.without_properties(key))

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        expression = before.metadata.configuration.get(constraints.constraint_key(self.name))
        existed = {} if expression is None else {"expr": expression}
        known = {"name": self.name, **existed, "existed": "true" if existed else "false"}
        return Operation("DROP CONSTRAINT", known)

    def destroys(self, _before: Snapshot) -> tuple[str, ...]:
        return (self.name,)

    def losses(self, _before: Snapshot) -> tuple[str, ...]:
        return (f"rows are no longer checked against {self.name}",)

    @property
    def words(self) -> str:
        return f"drop constraint {self.name}"

    def _clause(self) -> str:
        return f"DROP CONSTRAINT {ddl.if_exists_sql(self.if_exists)}{ddl.identifier(self.name)}"

    def options(self) -> Iterator[str]:
        yield from ("--drop-constraint", self.name)


@dataclass(frozen=True, slots=True)
class ClusterBy(Step):
    """`CLUSTER BY`, with no columns `NONE`; a later step clusters by *restored_later* again."""

    columns: tuple[Path, ...]
    restored_later: tuple[Path, ...] = ()

    kind = "cluster_by"
    json = record(columns=array(STRINGS), restored_later=array(STRINGS))
    operations = frozenset({"CLUSTER BY"})
    depends_on_state = True
    is_in_domains = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state with other clustering columns; files stay as they are until OPTIMIZE."""
        after = columns.cluster_by(snapshot, self.columns, session)
        return replace(after, suspended_clustering=self.restored_later)

    @property
    def touches(self) -> Touches:
        return Touches(new_clustering=self.columns)

    def obstacle(self, snapshot: Snapshot) -> str:
        # It looks up the old columns for the history.
        fails = "Delta's own CLUSTER BY fails on a table whose clustering columns do not exist"
        return fails if columns.lost_clustering(snapshot) else ""

    def _clause(self) -> str:
        names = ", ".join(map(ddl.path_sql, self.columns))
        return f"CLUSTER BY ({names})" if names else "CLUSTER BY NONE"

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        old, new = columns.clustering_columns(before) or (), self.columns
        parameters = {
            "oldClusteringColumns": ",".join(map(columns.quoted_name, old)),
            "newClusteringColumns": ",".join(map(columns.quoted_name, new)),
        }
        return Operation("CLUSTER BY", parameters)

    @property
    def annotation(self) -> str:
        return columns.suspension(self.restored_later) if self.restored_later else ""

    def options(self) -> Iterator[str]:
        names = ",".join(map(path_text, self.columns))
        yield from ("--cluster-by", names) if names else ("--no-cluster-by",)


@dataclass(frozen=True, slots=True)
class WriteCheckpoint(Step):
    """A checkpoint of the version that the plan leads to, which is no commit of its own."""

    kind = "write_checkpoint"
    is_commit = False
    has_statement = False
    always_acts = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:  # noqa: ARG002
        """The same state; raises `RefusedError` where we may not write a checkpoint."""
        require_checkpointable(snapshot)
        return snapshot

    def statement(self, table: str) -> str:  # noqa: ARG002
        return "-- write a checkpoint; SQL has no statement for it"

    def options(self) -> Iterator[str]:
        yield "--checkpoint"


def require_checkpointable(snapshot: Snapshot) -> None:
    """Raise `RefusedError` for a table whose checkpoints are for other writers to write."""
    protocol = snapshot.protocol
    obstacle = next(update.obstacles_to_writing(snapshot), "")
    known = protocol.supported_for_read and protocol.supported_for_write
    if protocol.malformation is not None or not known:
        obstacle = obstacle or f"its protocol is {protocol.simple_string}"
    if obstacle:
        raise RefusedError(
            f"deltaadm cannot write a checkpoint of this table: {obstacle}.",
            remedy="Have a writer that supports all of the table's features write it. Delta Spark "
            "writes one every delta.checkpointInterval commits.",
        )


@dataclass(frozen=True, slots=True)
class DropFeature(Step):
    """
    `ALTER TABLE … DROP FEATURE`, by the name that the registry has for it.

    With *truncate_history* the statement has to be given twice where the table still has traces
    of the feature: the first run removes them, the second one, when the log's history has
    expired, the feature.
    """

    name: str
    truncate_history: bool = False

    kind = "drop_feature"
    json = record(feature=(str, attrgetter("name")), truncate_history=bool)
    operations = frozenset({
        "DROP FEATURE", "DOMAIN METADATA CLEANUP", "Deletion Vector Tombstones", "Empty Commit",
        "REMOVE COLUMN MAPPING", "REORG", "ROW TRACKING UNBACKFILL",
    })  # fmt: skip
    may_wait = True
    always_acts = True
    depends_on_state = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """
        The state after all commits of DROP FEATURE, or after its first run of two.

        Whether the history has expired is for the caller to know.
        """
        feature, removal = _droppable(snapshot, self)
        require_writable(snapshot)
        if removal.broken:
            raise RefusedError(
                f"Delta Spark 4.4 cannot drop {feature.name}: the attempt ends in an exception.",
                remedy="Copy the table without it (CREATE TABLE … AS SELECT).",
            )
        if removal.refused_in_use is not None:
            error_class, remedy = removal.refused_in_use
            if evidence := feature.activation.evidence(snapshot.metadata):
                raise RefusedError(
                    f"The table still uses {feature.name}: {'; '.join(evidence)}.",
                    remedy=remedy,
                    delta_error_class=error_class,
                )
        clean = preparation(self.name).clean(snapshot, session)
        if self.waits(snapshot):
            return clean
        proposed = clean.metadata.without_properties(*removal.properties)
        protocol = clean.protocol
        if self.protects_checkpoints:
            # A legacy protocol has no list to put it in.
            protocol = protocol.denormalized().with_feature(CHECKPOINT_PROTECTION)
            # The version of this very commit, which others may push back.
            proposed = proposed.with_properties({Key.PROTECTED_BEFORE: KNOWN_AFTER_COMMIT})
        lowered = replace(clean, protocol=protocol.without_feature(feature.name))
        after = update.update_metadata(lowered, proposed, session)
        return update.prepare_commit(clean, after)

    def cost(self, snapshot: Snapshot) -> Cost:
        return preparation(self.name).cost(snapshot)

    def work(self, snapshot: Snapshot) -> str:
        return preparation(self.name).work(snapshot)

    def takes_several_commits(self, snapshot: Snapshot) -> bool:
        return self._keeps_history_out or bool(self.traces(snapshot))

    def waits(self, snapshot: Snapshot) -> bool:
        """Whether Delta stops after the first run, as the history still needs the feature."""
        stops = self.truncate_history and self._keeps_history_out
        return stops and preparation(self.name).stops_truncation(snapshot)

    @property
    def _keeps_history_out(self) -> bool:
        feature = TableFeature.lookup(self.name)
        removal = None if feature is None else feature.removal
        return removal is not None and removal.keeps_history_out

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation | None:
        if self.takes_several_commits(before) or self.waits(before):
            return None
        parameters = {"featureName": self.name, "truncateHistory": self.truncate_history}
        return Operation("DROP FEATURE", parameters)

    @property
    def protects_checkpoints(self) -> bool:
        """Whether it adds `checkpointProtection` to the protocol."""
        return not self.truncate_history and self._keeps_history_out

    @property
    def irreversible(self) -> tuple[str, ...]:
        return (self.name,) if self.truncate_history else ()

    @property
    def dropped_feature(self) -> str:
        return self.name

    def destroys(self, before: Snapshot) -> tuple[str, ...]:
        return preparation(self.name).destroys(before)

    @property
    def is_verified_by_state(self) -> bool:
        return preparation(self.name).may_destroy

    def losses(self, before: Snapshot) -> tuple[str, ...]:
        history = (f"older versions that need {self.name}",) if self.truncate_history else ()
        return (*self.traces(before), *history)

    def traces(self, snapshot: Snapshot) -> tuple[str, ...]:
        """The traces of the feature that it removes first, in words; empty if there are none."""
        return tuple(preparation(self.name).traces(snapshot))

    @property
    def words(self) -> str:
        return f"drop {self.name}{', with history' if self.truncate_history else ''}"

    def reasons(self) -> dict[str, str]:
        prepared = PREPARED_KEYS - {Key.PROTECTED_BEFORE}
        because = {f"configuration[{key}]": "DROP FEATURE changes it first" for key in prepared}
        for side in ("reader", "writer"):
            because[f"protocol.{side}Features[{self.name}]"] = "requested"
        if self.protects_checkpoints:
            because[f"protocol.writerFeatures[{CHECKPOINT_PROTECTION}]"] = (
                f"protects the history that may need {self.name}"
            )
        return because

    def _clause(self) -> str:
        truncation = " TRUNCATE HISTORY" if self.truncate_history else ""
        return f"DROP FEATURE {ddl.identifier(self.name)}{truncation}"

    def is_made_by(self, commit: CommitInfo) -> bool:
        if commit.operation == "DROP FEATURE":
            return commit.parameter("featureName") in (self.name, None)
        if commit.operation in ("SET TBLPROPERTIES", "UNSET TBLPROPERTIES"):
            # What DROP FEATURE switches off first, it records as a commit of SET or UNSET.
            return set(commit.parameter("properties") or ()) <= PREPARED_KEYS
        return commit.operation in self.operations


def _droppable(snapshot: Snapshot, step: DropFeature) -> tuple[TableFeature, Removal]:
    feature = TableFeature.lookup(step.name)
    # In its exact spelling, unlike everywhere else: so DROP FEATURE compares.
    supported = step.name in snapshot.protocol.supported_features
    if not supported and step.name.lower() in PROPERTIES:
        raise RefusedError(
            f"{step.name} is a table property, not a table feature.",
            remedy=f"Unset it with: `deltaadm alter TABLE --unset {step.name}`.",
            delta_error_class="DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY",
        )
    if feature is None or not feature.in_delta_spark:
        raise RefusedError(
            f"Delta Spark does not know the table feature {step.name}, so it cannot drop it.",
            remedy="List the known features with: `deltaadm features`.",
            delta_error_class="DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
        )
    if not supported:
        raise RefusedError(
            f"The table does not support the table feature {step.name}.",
            remedy="Nothing needs to be done.",
            delta_error_class="DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT",
        )
    removal = feature.removal
    if removal is None:
        raise RefusedError(
            f"The table feature {step.name} cannot be dropped.",
            remedy="Copy the table without it (CREATE TABLE … AS SELECT).",
            delta_error_class="DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE",
        )
    if step.truncate_history and not (removal.keeps_history_out or removal.only_truncating):
        raise RefusedError(
            f"Dropping {feature.name} does not require truncating history.",
            remedy="Leave out --truncate-history.",
            delta_error_class="DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
        )
    if removal.only_truncating and not step.truncate_history:
        raise RefusedError(
            f"{feature.name} protects history that needs dropped features, so it can only be "
            "dropped together with that history.",
            remedy="Add --truncate-history.",
            delta_error_class="DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_"
            "TRUNCATION",
        )
    needing = dependents(feature.name, snapshot.protocol.supported_features)
    if needing:
        raise RefusedError(
            f"{feature.name} is required by {', '.join(needing)}.",
            remedy=f"Drop {', '.join(needing)} first, if that is possible.",
            delta_error_class="DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
        )
    return feature, removal
