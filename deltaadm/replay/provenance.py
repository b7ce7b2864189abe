"""The writers of a table's versions, according to their commitInfo."""

from __future__ import annotations

from typing import Final

from deltaadm.domain.schema import Path
from deltaadm.domain.snapshot import Snapshot, commit_name
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction.columns import (
    CLUSTERING_DOMAIN,
    physical_clustering,
    suspended_columns,
)
from deltaadm.domain.wire import CommitInfo, CommitMark, Provenance
from deltaadm.errors import TableError
from deltaadm.replay.commits import LargeFile, body, newest_actions
from deltaadm.replay.reconcile import STATE
from deltaadm.storage.store import LogStore


def provenance(
    store: LogStore, first: int, last: int, step: Step, mark: CommitMark
) -> tuple[Provenance, ...]:
    """
    Whose the versions *first* to *last*, ends included, are, where *step* is what we carry out.

    A version is our own when its commitInfo has our *mark*. Where the mark tells nothing, or is
    one that others have as well, the version must also be the step's own statement, or one of the
    commits with which Delta prepares such a statement. A damaged commit is left out; trouble with
    the store is raised.
    """
    if step.user_metadata is not None:
        mark = CommitMark(step.user_metadata)
    annotated = mark.on(step.annotation)
    found = []
    for version in range(first, last + 1):
        info, actions, clusters = _read(store, version)
        # Whether it may change what a plan is about.
        changes = clusters or any(key in STATE for key in actions)
        if info is not None or changes:
            own = (
                info is not None
                and (annotated is None or info.user_metadata == annotated)
                and (mark.is_unique or step.is_made_by(info))
            )
            found.append(Provenance(version=version, is_own=own, changes_table=changes))
    return tuple(found)


def _read(store: LogStore, version: int) -> tuple[CommitInfo | None, list[str], bool]:
    """Its commitInfo, the names of its actions, and whether it is about clustering."""
    name = commit_name(version)
    try:
        content = body(store, name)
        actions = newest_actions(content, name)
        # The name alone: parsing every action of each commit would take too long.
        lines = content.lines() if isinstance(content, LargeFile) else [content]
        clusters = any(CLUSTERING_DOMAIN.encode() in line for line in lines)
    except TableError:
        return None, [], False
    documents = [document for key, document in actions if key == CommitInfo.NAME]
    info = CommitInfo.from_wire(documents[0]) if documents else None
    return info, [key for key, _ in actions], clusters


def suspended_clustering(store: LogStore, snapshot: Snapshot) -> tuple[Path, ...]:
    """
    The columns by which a run that has not gone on yet is to cluster the table of *snapshot* again.

    The newest commit that is about clustering says so. It is looked for only where a table was
    clustered once and is no more, and not further back than that.
    """
    domains = snapshot.domains or {}
    if CLUSTERING_DOMAIN not in domains or physical_clustering(domains):
        return ()
    for version in range(snapshot.version, max(snapshot.version - _SEARCHED, -1), -1):
        info, _, clusters = _read(store, version)
        if clusters:
            return suspended_columns(info.user_metadata or "") if info else ()
    return ()


_SEARCHED: Final = 1000
"""The number of versions that are searched for the one that removed the clustering."""
