"""The actions with which a commit without data takes a table from one state to the next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from deltaadm import __version__
from deltaadm.dataclass import replace
from deltaadm.domain.model.commit_info import CommitInfo
from deltaadm.domain.model.json_values import compact
from deltaadm.domain.model.metadata import KNOWN_AFTER_COMMIT
from deltaadm.domain.model.properties import ICT_ENABLEMENT_TIMESTAMP, is_true
from deltaadm.domain.model.schema import rewrite
from deltaadm.domain.transaction.clustering import (
    clustering_columns,
    physical_clustering,
    with_clustering,
)
from deltaadm.domain.transaction.column_mapping import NESTED_IDS, PHYSICAL_NAME
from deltaadm.domain.transaction.transaction import IN_COMMIT_TIMESTAMPS
from deltaadm.errors import CommitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.schema import Path, StructField
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.model.wire import Loggable
    from deltaadm.domain.steps import Step


def commit_timestamp(before: Snapshot, after: Snapshot, now: int) -> int | None:
    """
    The in-commit timestamp of the commit that makes *after*, where it has one.

    It is later than that of *before* whatever the clock says; *now* is in ms since the epoch.
    """
    if not is_true(after.metadata.configuration, IN_COMMIT_TIMESTAMPS):
        return None
    # As PROTOCOL.md demands of in-commit timestamps: strictly increasing, whatever the clocks do.
    return max(now, _timestamp(before) + 1) if before.exists else now


def commit_info(
    before: Snapshot,
    after: Snapshot,
    step: Step,
    *,
    timestamp: int | None,
    now: int,
    txn_id: str,
    mark: str,
) -> CommitInfo:
    """The commitInfo of *step*, with its in-commit *timestamp*."""
    operation = step.operation(before, after)
    if operation is None:
        raise CommitError(f"Only Delta Spark commits the step {step.kind}.")
    return CommitInfo(
        in_commit_timestamp=timestamp,
        timestamp=now,
        operation=operation.name,
        operation_parameters=operation.parameters,
        read_version=before.version if before.exists else None,
        # Delta lowers the level only for commits without metadata.
        isolation_level="Serializable",
        # So Delta calls whatever reads no file and removes none, also without an append.
        is_blind_append=not operation.reads_files,
        operation_metrics={},
        user_metadata=mark,
        engine_info=f"deltaadm/{__version__}",
        txn_id=txn_id,
    )


def _timestamp(before: Snapshot) -> int:
    if before.timestamp is None:
        raise CommitError(
            f"The timestamp of version {before.version} is not known, and the next one must be "
            "later.",
            remedy="Commit it through Spark: --commit-engine spark.",
        )
    return before.timestamp


def with_committed_values(after: Snapshot, timestamp: int | None, now: int) -> Snapshot:
    """*after* with everything in place that only a commit can choose, with its *timestamp*."""
    metadata = _with_physical_names(after.metadata)
    configuration = {
        key: value.replace(
            KNOWN_AFTER_COMMIT,
            str(timestamp) if key == ICT_ENABLEMENT_TIMESTAMP else random_id(),
        )
        if KNOWN_AFTER_COMMIT in value
        else value
        for key, value in metadata.configuration.items()
    }
    metadata = metadata.with_configuration(configuration)
    if metadata.id == KNOWN_AFTER_COMMIT:
        metadata = replace(metadata, id=random_id(), created_time=now)
    return _with_named_clusters(after, replace(after, metadata=metadata))


def _with_named_clusters(after: Snapshot, actual: Snapshot) -> Snapshot:
    """*actual*, clustered by the physical names that it has in place of those open in *after*."""
    columns = clustering_columns(after)
    named = with_clustering(actual, columns) if columns else actual
    before, now = (physical_clustering(snapshot.domains or {}) for snapshot in (actual, named))
    return actual if before == now else named


def _with_physical_names(metadata: Metadata) -> Metadata:
    if KNOWN_AFTER_COMMIT not in (metadata.schema_string or ""):
        return metadata
    return metadata.with_schema(rewrite(metadata.schema, _with_physical_name))


def _with_physical_name(_: Path, field: StructField) -> StructField:
    """*field* with a name of its own, which those of the parts of an array or a map begin with."""
    open_name = field.metadata.get(PHYSICAL_NAME)
    if not isinstance(open_name, str) or KNOWN_AFTER_COMMIT not in open_name:
        return field
    name = open_name.replace(KNOWN_AFTER_COMMIT, random_id())
    nested = field.metadata.get(NESTED_IDS)
    metadata = {**field.metadata, PHYSICAL_NAME: name}
    if isinstance(nested, dict):
        metadata[NESTED_IDS] = {
            name + key[len(open_name) :] if key.startswith(open_name) else key: number
            for key, number in nested.items()
        }
    return replace(field, metadata=metadata)


def random_id() -> str:
    """A random UUID, as Java writes it."""
    # By hand: the module `uuid` takes longer to import.
    bits = bytearray(os.urandom(16))
    bits[6] = bits[6] & 0x0F | 0x40
    bits[8] = bits[8] & 0x3F | 0x80
    text = bits.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def actions(before: Snapshot, after: Snapshot, info: CommitInfo) -> Sequence[Loggable]:
    """
    The actions that make *after* of *before*, in Delta's order, *info* first.

    As Delta does, the metadata is written whether it differs or not.
    """
    domains = before.domains or {}
    return (
        info,
        after.metadata,
        *((after.protocol,) if after.protocol != before.protocol else ()),
        *(domain for name, domain in (after.domains or {}).items() if domain != domains.get(name)),
    )


def commit_body(found: Sequence[Loggable]) -> bytes:
    """The file of a commit with these actions."""
    text = "".join(f"{compact(action.wrap())}\n" for action in found)
    if KNOWN_AFTER_COMMIT in text:
        raise CommitError(
            "The plan leaves something open that only Delta Spark can choose.",
            remedy="Commit it through Spark: --commit-engine spark.",
        )
    return text.encode()
