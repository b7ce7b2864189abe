"""Which versions of a table a step has made, told from their commitInfo."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.actions import CommitInfo
from deltaadm.domain.drop_feature import PREPARED_KEYS
from deltaadm.domain.log_segment import commit_name
from deltaadm.domain.properties import normalized_key
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
    SetProperties,
    UnsetProperties,
)
from deltaadm.errors import DeltaadmError
from deltaadm.replay.commits import newest_actions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.table_changes import Step
    from deltaadm.storage.store import LogStore

_PREPARATIONS = ("UPGRADE PROTOCOL", "ROW TRACKING BACKFILL", "REMOVE COLUMN MAPPING")
_CREATING: Final = frozenset(
    f"{how} TABLE{filled}"
    for how in ("CREATE", "REPLACE", "CREATE OR REPLACE")
    for filled in ("", " AS SELECT")
)
_OF_THEIR_OWN: Final[Mapping[type, frozenset[str]]] = {
    AddColumns: frozenset({"ADD COLUMNS"}),
    AddConstraint: frozenset({"ADD CONSTRAINT"}),
    ChangeColumns: frozenset({"CHANGE COLUMN", "CHANGE COLUMNS"}),
    ClusterBy: frozenset({"CLUSTER BY"}),
    CreateTable: _CREATING,
    DropColumns: frozenset({"DROP COLUMNS"}),
    DropConstraint: frozenset({"DROP CONSTRAINT"}),
    RenameColumn: frozenset({"RENAME COLUMN"}),
}
"""Steps that are told by the name of their operation alone."""
_BEFORE_DROPPING = (
    "DOMAIN METADATA CLEANUP",
    "Deletion Vector Tombstones",
    "Empty Commit",
    "REMOVE COLUMN MAPPING",
    "REORG",
    "ROW TRACKING UNBACKFILL",
)


def versions_made_by(store: LogStore, first: int, last: int, step: Step) -> tuple[int, ...]:
    """
    Those of the versions *first* to *last*, ends included, that carry out *step*.

    A version counts when it is the step's own statement, or one of the commits with which Delta
    prepares such a statement. A commit that cannot be read does not count.
    """
    return tuple(
        version
        for version in range(first, last + 1)
        if (info := _commit_info(store, version)) is not None and _is_part_of(step, info)
    )


def _commit_info(store: LogStore, version: int) -> CommitInfo | None:
    name = commit_name(version)
    try:
        actions = newest_actions(store.read(name), name)
    except DeltaadmError:
        return None
    found = [document for key, document in actions if key == CommitInfo.NAME]
    return CommitInfo.from_wire(found[0]) if found else None


def _is_part_of(step: Step, info: CommitInfo) -> bool:
    if not isinstance(step, (SetProperties, UnsetProperties, DropFeature)):
        return info.operation in _OF_THEIR_OWN.get(type(step), ())
    if isinstance(step, DropFeature):
        return _is_part_of_drop(step, info)
    if info.operation in _PREPARATIONS:
        return True
    asked = _parameter(info, "properties")
    if isinstance(step, SetProperties):
        wanted = {normalized_key(key): value for key, value in step.properties.items()}
        return info.operation == "SET TBLPROPERTIES" and asked == wanted
    keys = sorted(map(normalized_key, step.keys))
    return (
        info.operation == "UNSET TBLPROPERTIES"
        and isinstance(asked, list)
        and sorted(map(str, asked)) == keys
    )


def _is_part_of_drop(step: DropFeature, info: CommitInfo) -> bool:
    if info.operation == "DROP FEATURE":
        return _parameter(info, "featureName") in (step.name, None)
    if info.operation in ("SET TBLPROPERTIES", "UNSET TBLPROPERTIES"):
        return set(_parameter(info, "properties") or ()) <= PREPARED_KEYS
    return info.operation in _BEFORE_DROPPING


def _parameter(info: CommitInfo, name: str) -> Any:
    value = (info.operation_parameters or {}).get(name)
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
