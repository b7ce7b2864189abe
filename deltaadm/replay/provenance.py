"""Whose the versions of a table are, told from their commitInfo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.actions import CommitInfo
from deltaadm.domain.model.log_segment import commit_name
from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.model.protocol import Protocol
from deltaadm.domain.model.provenance import CommitMark, Provenance
from deltaadm.domain.transaction.clustering import CLUSTERING_DOMAIN
from deltaadm.errors import DeltaadmError
from deltaadm.replay.commits import LargeFile, body, newest_actions

if TYPE_CHECKING:
    from deltaadm.domain.steps import Step
    from deltaadm.storage.store import LogStore


def provenance(
    store: LogStore, first: int, last: int, step: Step, mark: CommitMark
) -> tuple[Provenance, ...]:
    """
    Whose the versions *first* to *last*, ends included, are, where *step* is what we carry out.

    A version is our own when its commitInfo has our *mark*. Where the mark tells nothing, or is
    one that others have as well, the version must also be the step's own statement, or one of the
    commits with which Delta prepares such a statement. A commit that cannot be read is left out.
    """
    read = ((version, _commit(store, version)) for version in range(first, last + 1))
    return tuple(
        Provenance(
            version=version,
            is_own=info is not None and _is_own(step, info, mark),
            changes_table=changes,
        )
        for version, (info, changes) in read
        if info is not None or changes
    )


def _commit(store: LogStore, version: int) -> tuple[CommitInfo | None, bool]:
    """Its commitInfo, and whether it may change what a plan is about."""
    name = commit_name(version)
    try:
        content = body(store, name)
        actions = newest_actions(content, name)
        lines = content.lines() if isinstance(content, LargeFile) else [content]
        clusters = any(CLUSTERING_DOMAIN.encode() in line for line in lines)
    except DeltaadmError:
        return None, False
    found = [document for key, document in actions if key == CommitInfo.NAME]
    changes = clusters or any(key in _STATE for key, _ in actions)
    return CommitInfo.from_wire(found[0]) if found else None, changes


_STATE: Final = frozenset({Protocol.NAME, Metadata.NAME})


def _is_own(step: Step, info: CommitInfo, mark: CommitMark) -> bool:
    if step.user_metadata is not None:
        mark = CommitMark(step.user_metadata)
    if mark.user_metadata is not None and info.user_metadata != mark.user_metadata:
        return False
    return mark.is_unique or step.is_made_by(info)
