"""
What DROP FEATURE does before the commit that takes the feature away.

Sources in delta-io/delta: `commands/alterDeltaTableCommands.scala` and
`PreDowngradeTableFeatureCommand.scala`; checked case by case against the recorded engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import Cost, lookup, mapping_mode
from deltaadm.domain.properties import (
    COLUMN_MAPPING_MODE,
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    PROTECTED_BEFORE,
    TYPE_CHANGES,
    interval_microseconds,
    is_true,
)
from deltaadm.domain.schema import path_text, rewrite, walk
from deltaadm.domain.snapshot import Kind, every_file, file_metadata
from deltaadm.domain.transaction.column_mapping import has_column_mapping_metadata, has_lost_columns
from deltaadm.domain.transaction.update import (
    COORDINATED_KEYS,
    IN_COMMIT_TIMESTAMPS,
    ROW_TRACKING,
    commit_update,
    without_mapping,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from deltaadm.domain.protocol import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.wire import Metadata


CHECKPOINT_PROTECTION: Final = "checkpointProtection"
_DELETION_VECTORS: Final = "delta.enableDeletionVectors"
_TYPE_WIDENING: Final = "delta.enableTypeWidening"
_CHECKPOINT_POLICY: Final = "delta.checkpointPolicy"
ROW_TRACKING_DOMAIN: Final = "delta.rowTracking"
_ROW_TRACKING_SUSPENDED: Final = "delta.rowTrackingSuspended"
_ICT_PROVENANCE: Final = (ICT_ENABLEMENT_TIMESTAMP, ICT_ENABLEMENT_VERSION)

# fmt: off
PREPARED_KEYS: Final = frozenset({
    *COORDINATED_KEYS, *_ICT_PROVENANCE, COLUMN_MAPPING_MODE, IN_COMMIT_TIMESTAMPS,
    PROTECTED_BEFORE, _CHECKPOINT_POLICY, _DELETION_VECTORS, ROW_TRACKING, _ROW_TRACKING_SUSPENDED,
    _TYPE_WIDENING,
})
"""The properties that DROP FEATURE may set or unset in commits of their own."""
# fmt: on

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
        """
        From when on Delta can truncate what needs the feature; 0 for at any time.

        Delta cuts at whole minutes. *retention* and the result are in milliseconds.
        """
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
    stored = metadata.configuration.get(PROTECTED_BEFORE, "0")
    return int(stored) if stored.isdecimal() else 0


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """
    The preparation that DROP FEATURE makes for a feature.

    `traces` are what it finds to remove, in words, `clean` is the state without them, `work` the
    files that it goes through for that, where its `cost` is that. `stops_truncation` says that the
    history needs the feature because of them; `in_history` is what Delta looks for in the metadata
    of older versions, None where it looks for nothing; `in_files` is the key of file actions that
    it looks for. `destroys` are the domains that go with the feature, `*` where they were not
    loaded; None where none can.
    """

    traces: Callable[[Snapshot], Iterator[str]] = lambda _: iter(())
    clean: Callable[[Snapshot, SessionSettings], Snapshot] = lambda snapshot, _: snapshot
    cost: Callable[[Snapshot], Cost] = lambda _: Cost.METADATA
    work: Callable[[Snapshot], str] = every_file
    stops_truncation: Callable[[Snapshot], bool] = lambda _: False
    in_history: Callable[[Metadata], bool] | None = None
    in_files: str | None = None
    destroys: Callable[[Snapshot], tuple[str, ...]] | None = None


def preparation(name: str) -> Preparation:
    """The preparation for the feature *name*, which may be none."""
    feature = lookup(name)
    return _PREPARATIONS.get(feature.name if feature else name, _NO_PREPARATION)


def _unset(*keys: str) -> Callable[[Snapshot, SessionSettings], Snapshot]:
    return lambda snapshot, session: commit_update(
        snapshot, snapshot.metadata.without_properties(*keys), session
    )


def _stored(*keys: str) -> Callable[[Snapshot], Iterator[str]]:
    return lambda snapshot: (
        f"property {key} is unset" for key in keys if key in snapshot.metadata.configuration
    )


def _mapped(metadata: Metadata) -> bool:
    # Delta looks for both, since ids and physical names can be left where the mode is none already.
    return mapping_mode(metadata) != "none" or has_column_mapping_metadata(metadata.schema)


def _mapping(snapshot: Snapshot) -> Iterator[str]:
    if _mapped(snapshot.metadata):
        yield "every data file is rewritten under its columns' own names"


def _remove_mapping(snapshot: Snapshot, session: SessionSettings) -> Snapshot:
    return without_mapping(snapshot, {}, session) if _mapped(snapshot.metadata) else snapshot


def _vectors(snapshot: Snapshot) -> Iterator[str]:
    if is_true(snapshot.metadata.configuration, _DELETION_VECTORS):
        yield f"property {_DELETION_VECTORS} is unset"
    files = snapshot.files
    if files is not None and files.with_deletion_vector:
        yield f"files with deletion vectors are rewritten ({files.with_deletion_vector})"


def _purge(snapshot: Snapshot, session: SessionSettings) -> Snapshot:
    has_vectors = any(_vectors(snapshot))
    return _unset(_DELETION_VECTORS)(snapshot, session) if has_vectors else snapshot


def _purge_cost(snapshot: Snapshot) -> Cost:
    known = snapshot.files is not None and not snapshot.files.with_deletion_vector
    return Cost.METADATA if known and not _lost(snapshot) else Cost.REWRITE


def _purged(snapshot: Snapshot) -> str:
    files, words = snapshot.files, "the data files with deletion vectors"
    if files is not None:
        size = files.some(files.with_deletion_vector, files.bytes_with_deletion_vector)
        words = f"{words} ({size})"
    return f"{words} and of any with columns that were dropped" if _lost(snapshot) else words


def _lost(snapshot: Snapshot) -> bool:
    # REORG … APPLY (PURGE) also takes columns out of files that the schema no longer has.
    return _mapped(snapshot.metadata) and has_lost_columns(snapshot.metadata)


def _rows(snapshot: Snapshot) -> Iterator[str]:
    configuration = snapshot.metadata.configuration
    if configuration.get(ROW_TRACKING) != "false":
        yield f"property {ROW_TRACKING} is set to false"
    if configuration.get(_ROW_TRACKING_SUSPENDED) != "true":
        yield f"property {_ROW_TRACKING_SUSPENDED} is set to true"
    files = snapshot.files
    if files is not None and files.files > files.without_base_row_id:
        yield f"files lose their row ids ({files.files - files.without_base_row_id})"


def _suspend_row_tracking(snapshot: Snapshot, session: SessionSettings) -> Snapshot:
    # Suspended, so that no concurrent write gives new files row ids while they are removed.
    switched = {ROW_TRACKING: "false", _ROW_TRACKING_SUSPENDED: "true"}
    suspended = commit_update(snapshot, snapshot.metadata.with_properties(switched), session)
    return _without_domains(suspended, [ROW_TRACKING_DOMAIN])


def _unbackfill_cost(snapshot: Snapshot) -> Cost:
    files = snapshot.files
    known = files is not None and files.files == files.without_base_row_id
    return Cost.METADATA if known else Cost.BACKFILL


def _timestamps(snapshot: Snapshot) -> Iterator[str]:
    if is_true(snapshot.metadata.configuration, IN_COMMIT_TIMESTAMPS):
        yield f"property {IN_COMMIT_TIMESTAMPS} is set to false"
    yield from _stored(*_ICT_PROVENANCE)(snapshot)


def _stop_timestamps(snapshot: Snapshot, session: SessionSettings) -> Snapshot:
    if not any(_timestamps(snapshot)):
        return snapshot
    proposed = snapshot.metadata.without_properties(*_ICT_PROVENANCE)
    if is_true(proposed.configuration, IN_COMMIT_TIMESTAMPS):
        proposed = proposed.with_properties({IN_COMMIT_TIMESTAMPS: "false"})
    return commit_update(snapshot, proposed, session)


def _v2_checkpoints(snapshot: Snapshot) -> Iterator[str]:
    if _writes_v2(snapshot.metadata):
        yield f"property {_CHECKPOINT_POLICY} is set to classic"
    base = snapshot.segment.checkpoint if snapshot.segment else None
    if base is not None and base.kind is Kind.V2_CHECKPOINT:
        yield f"the V2 checkpoint of version {base.version} is followed by a classic one"


def _writes_v2(metadata: Metadata) -> bool:
    return metadata.configuration.get(_CHECKPOINT_POLICY) == "v2"


def _classic(snapshot: Snapshot, session: SessionSettings) -> Snapshot:
    if not any(_v2_checkpoints(snapshot)):
        return snapshot
    proposed = snapshot.metadata.with_properties({_CHECKPOINT_POLICY: "classic"})
    return commit_update(snapshot, proposed, session)


def _widened(metadata: Metadata) -> list[str]:
    fields = walk(metadata.schema)
    return [path_text(path) for path, field in fields if TYPE_CHANGES in field.metadata]


def _type_changes(snapshot: Snapshot) -> Iterator[str]:
    if is_true(snapshot.metadata.configuration, _TYPE_WIDENING):
        yield f"property {_TYPE_WIDENING} is unset"
    changed = _widened(snapshot.metadata)
    if changed:
        yield f"files with older types of {', '.join(changed)} are rewritten"


def _remove_type_widening(snapshot: Snapshot, session: SessionSettings) -> Snapshot:
    if not any(_type_changes(snapshot)):
        return snapshot
    # Two commits, as Delta makes them: the property first, then files and schema.
    unset = _unset(_TYPE_WIDENING)(snapshot, session)
    if not _widened(unset.metadata):
        return unset
    schema = rewrite(unset.metadata.schema, lambda _, field: field.without(TYPE_CHANGES))
    return commit_update(unset, unset.metadata.with_schema(schema), session)


def _with_older_types(snapshot: Snapshot) -> str:
    size = f" (some of {snapshot.files})" if snapshot.files else ""
    return f"the data files with older types{size}"


def _domains(snapshot: Snapshot) -> Iterator[str]:
    for name in _every_domain(snapshot):
        yield "every domain is removed" if name == "*" else f"domain {name} is removed"


def _every_domain(snapshot: Snapshot) -> tuple[str, ...]:
    return ("*",) if snapshot.domains is None else tuple(sorted(snapshot.domains))


def _without_domains(snapshot: Snapshot, gone: Collection[str]) -> Snapshot:
    if snapshot.domains is None:
        return snapshot
    kept = {name: domain for name, domain in snapshot.domains.items() if name not in gone}
    return replace(snapshot, domains=kept)


def _rewrite_if(needed: Callable[[Metadata], object]) -> Callable[[Snapshot], Cost]:
    return lambda snapshot: Cost.REWRITE if needed(snapshot.metadata) else Cost.METADATA


_NO_PREPARATION: Final = Preparation()
_SETTLE_TYPES: Final = Preparation(
    traces=_type_changes,
    clean=_remove_type_widening,
    cost=_rewrite_if(_widened),
    work=_with_older_types,
    stops_truncation=lambda snapshot: bool(_widened(snapshot.metadata)),
    in_history=lambda metadata: bool(_widened(metadata)),
)
_PREPARATIONS: Final[Mapping[str, Preparation]] = {
    "checkpointProtection": Preparation(
        traces=lambda _: iter((f"property {PROTECTED_BEFORE} is unset",)),
        clean=_unset(PROTECTED_BEFORE),
    ),
    "columnMapping": Preparation(
        traces=_mapping,
        clean=_remove_mapping,
        cost=_rewrite_if(_mapped),
        stops_truncation=lambda snapshot: _mapped(snapshot.metadata),
        in_history=_mapped,
    ),
    "coordinatedCommits-preview": Preparation(
        traces=_stored(*COORDINATED_KEYS), clean=_unset(*COORDINATED_KEYS)
    ),
    "deletionVectors": Preparation(
        traces=_vectors,
        clean=_purge,
        cost=_purge_cost,
        work=_purged,
        stops_truncation=lambda snapshot: any(_vectors(snapshot)),
        in_history=lambda metadata: is_true(metadata.configuration, _DELETION_VECTORS),
        in_files="deletionVector",
    ),
    "domainMetadata": Preparation(
        traces=_domains,
        # Users may have domains of their own, and Delta removes all.
        clean=lambda snapshot, _: _without_domains(snapshot, tuple(snapshot.domains or ())),
        destroys=_every_domain,
    ),
    "inCommitTimestamp": Preparation(traces=_timestamps, clean=_stop_timestamps),
    "rowTracking": Preparation(
        traces=_rows,
        clean=_suspend_row_tracking,
        cost=_unbackfill_cost,
        work=lambda snapshot: file_metadata(
            snapshot, lambda files: files.files - files.without_base_row_id
        ),
    ),
    "typeWidening": _SETTLE_TYPES,
    "typeWidening-preview": _SETTLE_TYPES,
    "v2Checkpoint": Preparation(
        traces=_v2_checkpoints,
        clean=_classic,
        stops_truncation=lambda snapshot: any(_v2_checkpoints(snapshot)),
        in_history=_writes_v2,
    ),
}
