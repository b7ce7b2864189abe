"""The reasons for the changes in a plan."""

from __future__ import annotations

from deltaadm.domain.model.features import FEATURES, dependents
from deltaadm.domain.model.properties import (
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    MAX_COLUMN_ID,
    PROTECTED_BEFORE,
    ROW_COMMIT_VERSION_COLUMN,
    ROW_ID_COLUMN,
    TYPE_CHANGES,
)
from deltaadm.domain.transaction.column_mapping import COLUMN_MAPPING_KEYS
from deltaadm.operations.diff import ChangeKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.operations.diff import Change

KEPT_BY_DELTA = {
    MAX_COLUMN_ID: "highest column id assigned so far",
    ROW_ID_COLUMN: "name of the column in which rewritten files store their row ids",
    ROW_COMMIT_VERSION_COLUMN: (
        "name of the column in which rewritten files store row commit versions"
    ),
    ICT_ENABLEMENT_VERSION: "version that enabled in-commit timestamps",
    ICT_ENABLEMENT_TIMESTAMP: "time at which in-commit timestamps were enabled",
    PROTECTED_BEFORE: "version before which checkpoints are protected",
}
"""The properties that Delta writes by itself, each with what for."""


def reason(
    change: Change, changes: Collection[tuple[ChangeKind, str]], before: Snapshot, after: Snapshot
) -> str:
    """Return the cause of *change*, one of *changes* by kind and subject, as a clause."""
    if before.root != after.root:
        return "as in the table at the new location"
    place, _, name = change.subject.partition("[")
    name = name.removesuffix("]")
    if before.metadata.id != after.metadata.id and not place.startswith("protocol."):
        return _reason_in_new_table(place, name)
    if place.startswith("protocol."):
        of_feature = place in ("protocol.readerFeatures", "protocol.writerFeatures")
        return (
            _feature_reason(change, name, before, after)
            if of_feature
            else _version_reason(change, before, after)
        )
    if place == "configuration":
        removed = change.kind is ChangeKind.REMOVE and name in KEPT_BY_DELTA
        return (
            "removed together with the features that needed it"
            if removed
            else KEPT_BY_DELTA.get(name, "requested")
        )
    if place == "schema":
        return _column_reason(change, changes)
    # Besides a request, only a column that is renamed changes the clustering columns.
    renamed = any(kind is ChangeKind.SET and at.startswith("schema[") for kind, at in changes)
    follows = renamed and place == "clusteringColumns"
    return "follows the columns' names" if follows else "requested"


_OF_A_NEW_TABLE = {
    "id": "unique to each table",
    "format": "the only supported value",
    "schema": "defined by the new table",
    "partitionColumns": "defined by the new table",
    "description": "defined by the new table",
}


def _reason_in_new_table(place: str, name: str) -> str:
    if place == "configuration":
        return KEPT_BY_DELTA.get(name, "default of new tables, or defined by the new table")
    return _OF_A_NEW_TABLE.get(place, "requested")


def _column_reason(change: Change, changes: Collection[tuple[ChangeKind, str]]) -> str:
    if change.kind is not ChangeKind.SET:
        parts = change.subject.split(".")
        outer = (".".join(parts[:length]) + "]" for length in range(1, len(parts)))
        if any((change.kind, subject) in changes for subject in outer):
            return f"{_DONE[change.kind]} with the enclosing column"
        return "requested"
    if _forgets_types(change):
        return "no file has the older type any longer"
    if not _is_about_mapping(change):
        return "requested"
    return (
        "column mapping gives every column an id and a physical name"
        if change.after
        else "column mapping no longer needs it"
    )


_DONE = {ChangeKind.ADD: "added", ChangeKind.REMOVE: "removed"}


def _forgets_types(change: Change) -> bool:
    return (
        isinstance(change.before, dict)
        and TYPE_CHANGES in change.before
        and TYPE_CHANGES not in change.after
    )


def _is_about_mapping(change: Change) -> bool:
    return any(
        isinstance(value, dict) and COLUMN_MAPPING_KEYS & value.keys()
        for value in (change.before, change.after)
    )


def _feature_reason(change: Change, name: str, before: Snapshot, after: Snapshot) -> str:
    if change.kind is ChangeKind.REMOVE:
        implied = after.protocol.supports(name)
        return "implied by the new versions" if implied else "no longer supported"
    if name in before.protocol.implicit_features:
        return "implied by the old versions; now listed, so that it is kept"
    if before.protocol.supports(name):
        return "supported already; now listed for readers as well"
    feature = FEATURES.get(name)
    evidence = feature.activation.evidence(after.metadata) if feature else ()
    return _need(name, evidence, before, after) or (
        "requested" if before.exists else "default of new tables"
    )


def _need(name: str, evidence: tuple[str, ...], before: Snapshot, after: Snapshot) -> str:
    """What in the table after the change needs a feature; empty if nothing does."""
    if evidence:
        return f"needed: {evidence[0]}"
    asking = [
        other
        for other in dependents(name, after.protocol.supported_features)
        if not before.protocol.supports(other)
    ]
    if asking:
        return f"required by {', '.join(asking)}"
    from deltaadm.domain.facts.usage import usages  # which most plans do not need

    usage = usages(after).get(name)
    return f"needed: {usage.evidence[0]}" if usage and usage.evidence else ""


def _version_reason(change: Change, before: Snapshot, after: Snapshot) -> str:
    if not before.exists:
        return "the lowest that supports the features of the new table"
    if isinstance(change.after, int) and isinstance(change.before, int):
        if change.after < change.before:
            return "the lowest version that supports the features"
        reader = change.subject.endswith("minReaderVersion")
        new = after.protocol.supported_features - before.protocol.supported_features
        needing = sorted(
            name
            for name in new
            if (FEATURES[name].versions[0] if reader else FEATURES[name].versions[1])
            > change.before
        )
        if needing:
            return f"needed by {', '.join(needing)}"
    return "required for feature lists"
