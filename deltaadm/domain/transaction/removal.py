"""
What DROP FEATURE does before the commit that takes the feature away.

Sources in delta-io/delta: `commands/alterDeltaTableCommands.scala` and
`PreDowngradeTableFeatureCommand.scala`; checked case by case against the recorded engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import Cost, TableFeature, mapping_mode
from deltaadm.domain.properties import Key, interval_microseconds, is_true, whole_number
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.schema import FieldKey, path_text
from deltaadm.domain.snapshot import Kind, Snapshot, every_file, file_metadata
from deltaadm.domain.transaction.checks import COORDINATED_KEYS
from deltaadm.domain.transaction.column_mapping import has_column_mapping_metadata, lost_columns
from deltaadm.domain.transaction.update import commit_update, without_mapping
from deltaadm.domain.wire import Metadata

CHECKPOINT_PROTECTION: Final = "checkpointProtection"
_DELETION_VECTORS: Final = "delta.enableDeletionVectors"
_TYPE_WIDENING: Final = "delta.enableTypeWidening"
_CHECKPOINT_POLICY: Final = "delta.checkpointPolicy"
ROW_TRACKING_DOMAIN: Final = "delta.rowTracking"
# Suspended, so that no concurrent write gives new files row ids while they are removed.
_ROW_TRACKING_OFF: Final[Mapping[str, str | None]] = {
    Key.ROW_TRACKING: "false",
    "delta.rowTrackingSuspended": "true",
}

PREPARED_KEYS: Final = frozenset({
    *COORDINATED_KEYS, Key.ICT_ENABLEMENT_TIMESTAMP, Key.ICT_ENABLEMENT_VERSION,
    Key.COLUMN_MAPPING_MODE, Key.IN_COMMIT_TIMESTAMPS, Key.PROTECTED_BEFORE, _CHECKPOINT_POLICY,
    _DELETION_VECTORS, *_ROW_TRACKING_OFF, _TYPE_WIDENING,
})  # fmt: skip
"""The properties that DROP FEATURE may set or unset in commits of their own."""

WAITING_CLASSES: Final = frozenset(
    {
        "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
        "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
        "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD",
    }
)
"""The error classes with which Delta says that the history has to expire first."""


@dataclass(frozen=True, kw_only=True)
class FeatureHistory:
    """
    The history of a feature in the log.

    `first` is the oldest commit in the log. `needing` is the newest version that needs the
    feature although the current one does not, and `needing_since` when its commit was written,
    in milliseconds since the epoch; both None where there is no such version.
    """

    first: int
    needing: int | None = None
    needing_since: int | None = None

    def ready_at(self, retention: int) -> int:
        """When Delta can truncate what needs the feature, 0 for always; in ms, like *retention*."""
        if self.needing_since is None:
            return 0
        # Rounded up: Delta cuts the history at whole minutes.
        return -(-self.needing_since // _MINUTE) * _MINUTE + retention


_MINUTE: Final = 60_000


def truncation_retention(metadata: Metadata) -> int:
    """The age from which TRUNCATE HISTORY removes versions, in milliseconds."""
    key = "delta.dropFeatureTruncateHistory.retentionDuration"
    stored = metadata.configuration.get(key, "interval 24 hours")
    return (interval_microseconds(stored) or 0) // 1000


def protected_before(metadata: Metadata) -> int:
    """The version below which checkpoints are protected; 0 for none."""
    stored = metadata.configuration.get(Key.PROTECTED_BEFORE, "0")
    return whole_number(stored) or 0


class Preparation:
    """
    The preparation that DROP FEATURE makes for a feature: by default there is none.

    `properties` are those that it sets, or unsets where their value is None. `is_in_history` says
    whether Delta looks for the feature in older versions, `in_files` is the key of file actions
    that it looks for there. `may_destroy` says whether the table can lose domains with the feature,
    `rewrites` whether data files are rewritten where the table uses it.
    """

    properties: ClassVar[Mapping[str, str | None]] = {}
    is_in_history: ClassVar[bool] = False
    in_files: ClassVar[str | None] = None
    may_destroy: ClassVar[bool] = False
    rewrites: ClassVar[bool] = False

    def traces(self, snapshot: Snapshot) -> Iterator[str]:
        """What it finds to remove, in words."""
        stored = snapshot.metadata.configuration
        return (f"property {key} is unset" for key in self.properties if key in stored)

    def clean(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state without the traces."""
        if not any(self.traces(snapshot)):
            return snapshot
        given = {key: value for key, value in self.properties.items() if value is not None}
        kept = snapshot.metadata.without_properties(*(self.properties.keys() - given))
        return commit_update(snapshot, kept.with_properties(given), session)

    def cost(self, snapshot: Snapshot) -> Cost:
        """What removing the traces does to the data files."""
        return Cost.REWRITE if self.rewrites and self.uses(snapshot.metadata) else Cost.METADATA

    def work(self, snapshot: Snapshot) -> str:
        """The files that it goes through, where its cost is that."""
        return every_file(snapshot)

    def stops_truncation(self, snapshot: Snapshot) -> bool:
        """Whether the history needs the feature because of the traces."""
        return any(self.traces(snapshot))

    def uses(self, _metadata: Metadata) -> bool:
        """Whether a version with this metadata needs the feature, as Delta searches the history."""
        return False

    def destroys(self, _snapshot: Snapshot) -> tuple[str, ...]:
        """The domains that go with the feature; `*` where they were not loaded."""
        return ()


def preparation(name: str) -> Preparation:
    """The preparation for the feature *name*, which may be none."""
    feature = TableFeature.lookup(name)
    return _PREPARATIONS.get(feature.name if feature else name, Preparation)()


class _CoordinatedCommits(Preparation):
    properties = dict.fromkeys(COORDINATED_KEYS)


class _CheckpointProtection(Preparation):
    properties = dict.fromkeys((Key.PROTECTED_BEFORE,))

    def traces(self, _snapshot: Snapshot) -> Iterator[str]:
        return iter((f"property {Key.PROTECTED_BEFORE} is unset",))


class _ColumnMapping(Preparation):
    is_in_history = True
    rewrites = True

    def traces(self, snapshot: Snapshot) -> Iterator[str]:
        if self.uses(snapshot.metadata):
            yield "every data file is rewritten under its columns' own names"

    def clean(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        used = self.uses(snapshot.metadata)
        return without_mapping(snapshot, {}, session) if used else snapshot

    def uses(self, metadata: Metadata) -> bool:
        # Delta looks for both: ids and physical names can be left where the mode is none already.
        return mapping_mode(metadata) != "none" or has_column_mapping_metadata(metadata.schema)


class _DeletionVectors(Preparation):
    properties = dict.fromkeys((_DELETION_VECTORS,))
    is_in_history = True
    in_files = "deletionVector"

    def traces(self, snapshot: Snapshot) -> Iterator[str]:
        if self.uses(snapshot.metadata):
            yield f"property {_DELETION_VECTORS} is unset"
        files = snapshot.files
        if files is not None and files.with_deletion_vector:
            yield f"files with deletion vectors are rewritten ({files.with_deletion_vector})"

    def cost(self, snapshot: Snapshot) -> Cost:
        known = snapshot.files is not None and not snapshot.files.with_deletion_vector
        return Cost.METADATA if known and not _has_lost_columns(snapshot) else Cost.REWRITE

    def work(self, snapshot: Snapshot) -> str:
        files, words = snapshot.files, "the data files with deletion vectors"
        if files is not None:
            size = files.some(files.with_deletion_vector, files.bytes_with_deletion_vector)
            words = f"{words} ({size})"
        lost = _has_lost_columns(snapshot)
        return f"{words} and of any with columns that were dropped" if lost else words

    def uses(self, metadata: Metadata) -> bool:
        return is_true(metadata.configuration, _DELETION_VECTORS)


def _has_lost_columns(snapshot: Snapshot) -> bool:
    # REORG … APPLY (PURGE) also takes columns out of files that the schema no longer has.
    return _ColumnMapping().uses(snapshot.metadata) and lost_columns(snapshot.metadata) > 0


class _DomainMetadata(Preparation):
    may_destroy = True

    def traces(self, snapshot: Snapshot) -> Iterator[str]:
        for name in self.destroys(snapshot):
            yield "every domain is removed" if name == "*" else f"domain {name} is removed"

    def clean(self, snapshot: Snapshot, _session: SessionSettings) -> Snapshot:
        return snapshot if snapshot.domains is None else replace(snapshot, domains={})

    def destroys(self, snapshot: Snapshot) -> tuple[str, ...]:
        # Users may have domains of their own, and Delta removes all.
        return ("*",) if snapshot.domains is None else tuple(sorted(snapshot.domains))


class _InCommitTimestamp(Preparation):
    properties = dict.fromkeys((Key.ICT_ENABLEMENT_TIMESTAMP, Key.ICT_ENABLEMENT_VERSION))

    def traces(self, snapshot: Snapshot) -> Iterator[str]:
        if is_true(snapshot.metadata.configuration, Key.IN_COMMIT_TIMESTAMPS):
            yield f"property {Key.IN_COMMIT_TIMESTAMPS} is set to false"
        yield from super().traces(snapshot)

    def clean(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        metadata = snapshot.metadata
        if is_true(metadata.configuration, Key.IN_COMMIT_TIMESTAMPS):
            off = {Key.IN_COMMIT_TIMESTAMPS: "false"}
            proposed = metadata.without_properties(*self.properties).with_properties(off)
            return commit_update(snapshot, proposed, session)
        return super().clean(snapshot, session)


class _RowTracking(Preparation):
    properties = _ROW_TRACKING_OFF

    def traces(self, snapshot: Snapshot) -> Iterator[str]:
        for key, value in _ROW_TRACKING_OFF.items():
            if snapshot.metadata.configuration.get(key) != value:
                yield f"property {key} is set to {value}"
        files = snapshot.files
        if files is not None and files.files > files.without_base_row_id:
            yield f"files lose their row ids ({files.files - files.without_base_row_id})"

    def clean(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        after = super().clean(snapshot, session)
        if after.domains is None:
            return after
        kept = {k: domain for k, domain in after.domains.items() if k != ROW_TRACKING_DOMAIN}
        return replace(after, domains=kept)

    def cost(self, snapshot: Snapshot) -> Cost:
        files = snapshot.files
        known = files is not None and files.files == files.without_base_row_id
        return Cost.METADATA if known else Cost.BACKFILL

    def work(self, snapshot: Snapshot) -> str:
        return file_metadata(snapshot, lambda files: files.files - files.without_base_row_id)


class _TypeWidening(Preparation):
    properties = dict.fromkeys((_TYPE_WIDENING,))
    is_in_history = True
    rewrites = True

    def traces(self, snapshot: Snapshot) -> Iterator[str]:
        if is_true(snapshot.metadata.configuration, _TYPE_WIDENING):
            yield f"property {_TYPE_WIDENING} is unset"
        changed = ", ".join(self._changed(snapshot.metadata))
        if changed:
            yield f"files with older types of {changed} are rewritten"

    def clean(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        # Two commits, as Delta makes them: the property first, then files and schema.
        unset = super().clean(snapshot, session)
        if not self.uses(unset.metadata):
            return unset
        bare = unset.metadata.schema.rewrite(lambda _, field: field.without(FieldKey.TYPE_CHANGES))
        return commit_update(unset, unset.metadata.with_schema(bare), session)

    def stops_truncation(self, snapshot: Snapshot) -> bool:
        return self.uses(snapshot.metadata)

    def work(self, snapshot: Snapshot) -> str:
        size = f" (some of {snapshot.files})" if snapshot.files else ""
        return f"the data files with older types{size}"

    def uses(self, metadata: Metadata) -> bool:
        return bool(self._changed(metadata))

    def _changed(self, metadata: Metadata) -> list[str]:
        fields, key = metadata.schema.walk(), FieldKey.TYPE_CHANGES
        return [path_text(path) for path, field in fields if key in field.metadata]


class _V2Checkpoint(Preparation):
    properties = dict.fromkeys((_CHECKPOINT_POLICY,), "classic")
    is_in_history = True

    def traces(self, snapshot: Snapshot) -> Iterator[str]:
        if self.uses(snapshot.metadata):
            yield f"property {_CHECKPOINT_POLICY} is set to classic"
        base = snapshot.segment.checkpoint if snapshot.segment else None
        if base is not None and base.kind is Kind.V2_CHECKPOINT:
            yield f"the V2 checkpoint of version {base.version} is followed by a classic one"

    def uses(self, metadata: Metadata) -> bool:
        return metadata.configuration.get(_CHECKPOINT_POLICY) == "v2"


_PREPARATIONS: Final[Mapping[str, type[Preparation]]] = {
    CHECKPOINT_PROTECTION: _CheckpointProtection,
    "columnMapping": _ColumnMapping,
    "coordinatedCommits-preview": _CoordinatedCommits,
    "deletionVectors": _DeletionVectors,
    "domainMetadata": _DomainMetadata,
    "inCommitTimestamp": _InCommitTimestamp,
    "rowTracking": _RowTracking,
    "typeWidening": _TypeWidening,
    "typeWidening-preview": _TypeWidening,
    "v2Checkpoint": _V2Checkpoint,
}
