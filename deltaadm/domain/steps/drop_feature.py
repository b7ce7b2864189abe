"""
Dropping a table feature.

Sources in delta-io/delta: `commands/alterDeltaTableCommands.scala` and
`PreDowngradeTableFeatureCommand.scala`; checked case by case against the recorded engine.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.features import FEATURES, dependents, lookup
from deltaadm.domain.model.json_values import BOOLEAN, STRING, record
from deltaadm.domain.model.metadata import KNOWN_AFTER_COMMIT
from deltaadm.domain.model.properties import PROPERTIES, PROTECTED_BEFORE
from deltaadm.domain.sql.sql_text import identifier
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.feature_removal import (
    CHECKPOINT_PROTECTION,
    PREPARED_KEYS,
    can_truncate,
    destroyed_with,
    destroys_domains,
    preparation,
    traces,
)
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.transaction import prepare_commit, update_metadata
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from deltaadm.domain.model.commit_info import CommitInfo
    from deltaadm.domain.model.features import TableFeature
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


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
    json = record(feature=(STRING, attrgetter("name")), truncate_history=BOOLEAN)
    operations = frozenset(
        {
            "DROP FEATURE",
            "DOMAIN METADATA CLEANUP",
            "Deletion Vector Tombstones",
            "Empty Commit",
            "REMOVE COLUMN MAPPING",
            "REORG",
            "ROW TRACKING UNBACKFILL",
        }
    )
    may_wait = True
    always_acts = True
    depends_on_state = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """
        The state after all commits of DROP FEATURE, or after its first run of two.

        Whether the history has expired is for the caller to know.
        """
        feature = _droppable(snapshot, self)
        require_writable(snapshot)
        _refuse_obstacles(snapshot, feature)
        clean = preparation(feature).clean(snapshot, session)
        if self.waits(snapshot):
            return clean
        return _without_feature(clean, feature, session, protect=self.protects_checkpoints)

    def cost(self, snapshot: Snapshot) -> Cost:
        """The cost of removing the traces of the feature."""
        feature = lookup(self.name)
        return Cost.METADATA if feature is None else preparation(feature).cost(snapshot)

    def work(self, snapshot: Snapshot) -> str:
        """The files from which the traces of the feature are removed."""
        feature = lookup(self.name)
        return "" if feature is None else preparation(feature).work(snapshot)

    def takes_several_commits(self, snapshot: Snapshot) -> bool:
        """Whether anything is committed before the commit that takes the feature away."""
        feature = lookup(self.name)
        if feature is None:
            return False
        return _keeps_history_out(feature) or bool(traces(snapshot, feature.name))

    def waits(self, snapshot: Snapshot) -> bool:
        """Whether Delta stops after the first run, as the history still needs the feature."""
        feature = lookup(self.name)
        return (
            self.truncate_history
            and feature is not None
            and _keeps_history_out(feature)
            and preparation(feature).stops_truncation(snapshot)
        )

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation | None:
        """The feature, where nothing has to be prepared first."""
        if self.takes_several_commits(before) or self.waits(before):
            return None
        parameters = {"featureName": self.name, "truncateHistory": self.truncate_history}
        return Operation("DROP FEATURE", parameters)

    @property
    def protects_checkpoints(self) -> bool:
        """Whether it adds `checkpointProtection` to the protocol."""
        feature = lookup(self.name)
        return not self.truncate_history and feature is not None and _keeps_history_out(feature)

    @property
    def irreversible(self) -> tuple[str, ...]:
        """The feature, where the history that needs it is destroyed."""
        return (self.name,) if self.truncate_history else ()

    @property
    def dropped_feature(self) -> str:
        """The feature."""
        return self.name

    def destroys(self, before: Snapshot) -> tuple[str, ...]:
        """The domains that go with the feature."""
        return destroyed_with(before, self.name)

    @property
    def is_verified_by_state(self) -> bool:
        """Whether it may remove domains."""
        return destroys_domains(self.name)

    def losses(self, before: Snapshot) -> tuple[str, ...]:
        """The uses of the feature, and the versions that need it."""
        history = (f"older versions that need {self.name}",) if self.truncate_history else ()
        return (*traces(before, self.name), *history)

    @property
    def words(self) -> str:
        """The feature, and whether its history goes."""
        return f"drop {self.name}{', with history' if self.truncate_history else ''}"

    def reasons(self) -> dict[str, str]:
        """Why the protocol changes, and the properties that are changed first."""
        prepared = PREPARED_KEYS - {PROTECTED_BEFORE}
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
        return f"DROP FEATURE {identifier(self.name)}{truncation}"

    def is_made_by(self, commit: CommitInfo) -> bool:
        """Whether *commit* drops the feature, or removes traces of it first."""
        if commit.operation == "DROP FEATURE":
            return commit.parameter("featureName") in (self.name, None)
        if commit.operation in ("SET TBLPROPERTIES", "UNSET TBLPROPERTIES"):
            # What DROP FEATURE switches off first, it records as a commit of SET or UNSET.
            return set(commit.parameter("properties") or ()) <= PREPARED_KEYS
        return commit.operation in self.operations


def _keeps_history_out(feature: TableFeature) -> bool:
    return feature.removal is not None and feature.removal.keeps_history_out


# Refusals, in Delta's order


def _droppable(snapshot: Snapshot, step: DropFeature) -> TableFeature:
    feature = lookup(step.name)
    # In its exact spelling, unlike everywhere else: so DROP FEATURE compares.
    supported = step.name in snapshot.protocol.supported_features
    if not supported and step.name.lower() in PROPERTIES:
        raise Refused(
            f"{step.name} is a table property, not a table feature.",
            remedy=f"Unset it with: deltaadm alter TABLE --unset {step.name}.",
            delta_error_class="DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY",
        )
    if feature is None or not feature.in_delta_spark:
        raise Refused(
            f"Delta Spark does not know the table feature {step.name}, so it cannot drop it.",
            remedy="List the known features with: deltaadm features.",
            delta_error_class="DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
        )
    if not supported:
        raise Refused(
            f"The table does not support the table feature {step.name}.",
            remedy="Nothing needs to be done.",
            delta_error_class="DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT",
        )
    if feature.removal is None:
        raise Refused(
            f"The table feature {step.name} cannot be dropped.",
            remedy="Copy the table without it (CREATE TABLE … AS SELECT).",
            delta_error_class="DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE",
        )
    _refuse_wrong_truncation(feature, step)
    _refuse_needed(snapshot, feature)
    return feature


def _refuse_wrong_truncation(feature: TableFeature, step: DropFeature) -> None:
    only_truncating = feature.removal is not None and feature.removal.only_truncating
    if step.truncate_history and not can_truncate(feature):
        raise Refused(
            f"Dropping {feature.name} does not require truncating history.",
            remedy="Leave out --truncate-history.",
            delta_error_class="DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
        )
    if only_truncating and not step.truncate_history:
        raise Refused(
            f"{feature.name} protects history that needs dropped features, so it can only be "
            "dropped together with that history.",
            remedy="Add --truncate-history.",
            delta_error_class=(
                "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION"
            ),
        )


def _refuse_needed(snapshot: Snapshot, feature: TableFeature) -> None:
    needing = dependents(feature.name, snapshot.protocol.supported_features)
    if needing:
        stuck = [name for name in needing if FEATURES[name].removal is None]
        raise Refused(
            f"{feature.name} is required by {', '.join(needing)}.",
            remedy=f"{', '.join(stuck)} cannot be dropped, so {feature.name} must stay."
            if stuck
            else f"Drop {', '.join(needing)} first.",
            delta_error_class="DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
        )


def _refuse_obstacles(snapshot: Snapshot, feature: TableFeature) -> None:
    removal = feature.removal
    if removal is not None and removal.broken:
        raise Refused(
            f"Delta Spark 4.4 cannot drop {feature.name}: the attempt ends in an exception.",
            remedy="Copy the table without it (CREATE TABLE … AS SELECT).",
        )
    if removal is None or removal.refused_in_use is None:
        return
    error_class, remedy = removal.refused_in_use
    evidence = feature.activation.evidence(snapshot.metadata)
    if evidence:
        raise Refused(
            f"The table still uses {feature.name}: {'; '.join(evidence)}.",
            remedy=remedy,
            delta_error_class=error_class,
        )


# The commit that takes the feature away


def _without_feature(
    clean: Snapshot, feature: TableFeature, session: SessionSettings, *, protect: bool
) -> Snapshot:
    gone = feature.removal.properties if feature.removal else ()
    configuration = {
        key: value for key, value in clean.metadata.configuration.items() if key not in gone
    }
    protocol = clean.protocol
    if protect:
        # A legacy protocol has no list to put it in.
        protocol = protocol.denormalized().with_feature(CHECKPOINT_PROTECTION)
        # The version of this very commit, which others may push back.
        configuration[PROTECTED_BEFORE] = KNOWN_AFTER_COMMIT
    lowered = replace(clean, protocol=protocol.without_feature(feature.name))
    proposed = clean.metadata.with_configuration(configuration)
    return prepare_commit(clean, update_metadata(lowered, proposed, session))
