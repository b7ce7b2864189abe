"""Why a line stands in a plan, and what would undo it."""

from __future__ import annotations

from deltaadm.domain.column_mapping import COLUMN_MAPPING_KEYS
from deltaadm.domain.ddl import COMMENT, CURRENT_DEFAULT
from deltaadm.domain.features import FEATURES, lookup, mapping_mode, undo_feature
from deltaadm.domain.properties import (
    COLUMN_MAPPING_MODE,
    CONSTRAINT_PREFIX,
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    MAX_COLUMN_ID,
    PROTECTED_BEFORE,
    ROW_COMMIT_VERSION_COLUMN,
    ROW_ID_COLUMN,
    TYPE_CHANGES,
)
from deltaadm.domain.schema import path_text, walk
from deltaadm.operations.diff import ChangeKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deltaadm.domain.schema import StructField
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.operations.diff import Change

_KEPT_BY_DELTA = {
    MAX_COLUMN_ID: "counts the column ids given so far",
    ROW_ID_COLUMN: "names the column in which rewritten files keep their row ids",
    ROW_COMMIT_VERSION_COLUMN: "names the column in which rewritten files keep row versions",
    ICT_ENABLEMENT_VERSION: "notes since which version commits carry their time",
    ICT_ENABLEMENT_TIMESTAMP: "notes since when commits carry their time",
    PROTECTED_BEFORE: "notes up to where checkpoints are protected",
}


_UNDO_MAPPING = "set-mapping-mode none, which rewrites every file"
_UNDO_UNMAPPING = "set-mapping-mode name (metadata only), which gives new ids"


def reason(change: Change, before: Snapshot, after: Snapshot) -> str:
    """One sentence part that says what brings *change* about."""
    if before.root != after.root:
        return "as the table at the new place has it"
    return _reason_in_place(change, before, after)


def _reason_in_place(change: Change, before: Snapshot, after: Snapshot) -> str:
    place, _, name = change.subject.partition("[")
    name = name.removesuffix("]")
    if before.metadata.id != after.metadata.id and not place.startswith("protocol."):
        return _reason_in_new_table(place, name)
    if place in ("protocol.readerFeatures", "protocol.writerFeatures"):
        return _feature_reason(change, name, before, after)
    if place.startswith("protocol."):
        return _version_reason(change, before, after)
    if place == "configuration":
        removed = change.kind is ChangeKind.REMOVE and name in _KEPT_BY_DELTA
        return "goes with what needed it" if removed else _KEPT_BY_DELTA.get(name, "requested")
    if place == "clusteringColumns":
        return "follows the columns' names"
    return _column_reason(change) if place == "schema" else "requested"


_OF_A_NEW_TABLE = {
    "id": "every table has its own",
    "format": "the only one there is",
    "schema": "as the new table has it",
    "partitionColumns": "as the new table has it",
    "description": "as the new table has it",
}


def _reason_in_new_table(place: str, name: str) -> str:
    if place == "configuration":
        return _KEPT_BY_DELTA.get(name, "a default of new tables, or what the new table has")
    return _OF_A_NEW_TABLE.get(place, "requested")


def _column_reason(change: Change) -> str:
    if _forgets_types(change):
        return "no file has an older type any more"
    if change.kind is not ChangeKind.SET:
        return "goes with the struct around it"
    if not _is_about_mapping(change):
        return "requested"
    return (
        "column mapping gives every column an id and a physical name"
        if change.after
        else "column mapping no longer needs it"
    )


def _forgets_types(change: Change) -> bool:
    return (
        isinstance(change.before, dict)
        and TYPE_CHANGES in change.before
        and TYPE_CHANGES not in change.after
    )


def _is_about_mapping(change: Change) -> bool:
    return any(
        isinstance(one, dict) and COLUMN_MAPPING_KEYS & one.keys()
        for one in (change.before, change.after)
    )


def _feature_reason(change: Change, name: str, before: Snapshot, after: Snapshot) -> str:
    if change.kind is ChangeKind.REMOVE:
        implied = after.protocol.supports(name)
        return "implied by the versions from now on" if implied else "no longer supported"
    if name in before.protocol.implicit_features:
        return "implied by the old versions; listed from now on, so that it is not lost"
    if before.protocol.supports(name):
        return "supported already; now listed for readers as well"
    feature = FEATURES.get(name)
    evidence = feature.activation.evidence(after.metadata) if feature else ()
    if evidence:
        return f"needed: {evidence[0]}"
    asking = sorted(
        one
        for one in after.protocol.supported_features
        if name in FEATURES[one].requires and not before.protocol.supports(one)
    )
    if asking:
        return f"required by {', '.join(asking)}"
    return "requested" if before.exists else "a new table has it unless defaults are ignored"


def _version_reason(change: Change, before: Snapshot, after: Snapshot) -> str:
    if not before.exists:
        return "the lowest that has the features of the new table"
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
    return "a list of features needs it"


def undo(change: Change, before: Snapshot, after: Snapshot) -> str:
    """What would take *change* back, and at what price."""
    if not before.exists:
        return "drop the table"
    if before.root != after.root:
        return f"alter --set-location {before.root} (metadata only)"
    if before.metadata.id != after.metadata.id and not change.subject.startswith("protocol."):
        return f"RESTORE TABLE … TO VERSION AS OF {before.version}"
    return _undo_change(change, before, after)


def _undo_change(change: Change, before: Snapshot, after: Snapshot) -> str:
    place, _, name = change.subject.partition("[")
    name = name.removesuffix("]")
    if place in ("protocol.readerFeatures", "protocol.writerFeatures"):
        return _undo_listing(change, name, before, after)
    if place.startswith("protocol."):
        return "goes with the features that need it"
    if place == "configuration":
        return _undo_property(change, name)
    if place == "clusteringColumns":
        return f"alter {_clustering_option(change.before)} (metadata only)"
    if place == "schema" and not _forgets_types(change):
        return _undo_column(change, name, before, after)
    return _NOTHING_LOST if place == "schema" else "set it back (metadata only)"


def _undo_column(change: Change, name: str, before: Snapshot, after: Snapshot) -> str:
    if change.kind is ChangeKind.SET and _is_about_mapping(change):
        return _UNDO_MAPPING if change.after else _UNDO_UNMAPPING
    if change.kind is ChangeKind.SET:
        return _undo_edit(change, name) if name else "alter --move (metadata only)"
    removed = change.kind is ChangeKind.REMOVE
    shape = change.before if removed else change.after
    other = (after if removed else before).metadata.schema
    twin = next((path for path, one in walk(other) if _same_column(one, shape)), None)
    if twin is None:
        return "never: only older versions still have it" if removed else _undo_adding(name, after)
    if not removed:
        return f"alter --rename-column {name}={twin[-1]}"
    own = (path for path, _ in walk(before.metadata.schema) if path_text(path) == name)
    return f"alter --rename-column {path_text(twin)}={next(own, twin)[-1]}"


def _undo_adding(name: str, after: Snapshot) -> str:
    mapped = mapping_mode(after.metadata) != "none"
    return f"alter --drop-column {name}" + ("" if mapped else ", which needs column mapping")


def _undo_edit(change: Change, name: str) -> str:
    """What takes back a change of a column's type, nullability, comment or default."""
    before: dict[str, Any] = change.before
    if "type" in before or TYPE_CHANGES in change.after:
        return "never: a type cannot be narrowed again"
    if "nullable" in before:
        return "never: Delta adds no NOT NULL to a column that may hold nulls"
    if COMMENT in {**before, **change.after}:
        return f"alter --set-comment {name}={before.get(COMMENT, '')} (metadata only)"
    if CURRENT_DEFAULT in before:
        return f"alter --set-default {name}={before[CURRENT_DEFAULT]} (metadata only)"
    return f"alter --drop-default {name} (metadata only)"


def _clustering_option(columns: list[str]) -> str:
    return f"--cluster-by {','.join(columns)}" if columns else "--no-cluster-by"


def _same_column(one: StructField, shape: Any) -> bool:
    key = "delta.columnMapping.physicalName"
    return isinstance(shape, dict) and key in shape and one.metadata.get(key) == shape[key]


_NOTHING_LOST = "nothing is lost, so nothing need be undone"


def _undo_listing(change: Change, name: str, before: Snapshot, after: Snapshot) -> str:
    if not after.protocol.supports(name):
        return f"enable-feature {name}"
    if change.kind is ChangeKind.REMOVE or before.protocol.supports(name):
        return _NOTHING_LOST
    return undo_feature(lookup(name))


def _undo_property(change: Change, name: str) -> str:
    if name == COLUMN_MAPPING_MODE:
        return _UNDO_MAPPING if change.before in (None, "none") else _UNDO_UNMAPPING
    if name in _KEPT_BY_DELTA:
        return "kept by Delta; harmless" if change.after else "written anew when it is needed again"
    if name == "delta.enableIcebergCompatV3":
        return "never"
    if name.lower().startswith(CONSTRAINT_PREFIX):
        return _undo_constraint(name[len(CONSTRAINT_PREFIX) :], change.before)
    option = f"--unset {name}" if change.before is None else f"--set {name}={change.before}"
    return f"alter {option} (metadata only)"


def _undo_constraint(name: str, before: str | None) -> str:
    if before is None:
        return f"alter --drop-constraint {name} (metadata only)"
    return f"alter --add-constraint {name}={before}, which reads every row"
