"""Traces of a table feature in the log's history, which decide when it can be dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.model.log_segment import LogListing, recreatable_versions
from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.transaction.feature_removal import (
    CHECKPOINT_PROTECTION,
    FeatureHistory,
    protected_before,
    searches_history,
    used_by,
    used_by_files,
)
from deltaadm.limits import load_json
from deltaadm.replay.commits import LargeFile, state_actions
from deltaadm.replay.commits import body as commits_body
from deltaadm.replay.load import load_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deltaadm.domain.model.log_segment import LogFile
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.storage.store import LogStore


def feature_history(store: LogStore, snapshot: Snapshot, name: str) -> FeatureHistory:
    """
    Which older versions still need the feature *name*, as Delta looks for them.

    Reads commits from the newest back to the first one that tells.
    """
    listing = LogListing.of(store.root, store.list_log(0))
    commits = [commit for commit in listing.commits if commit.number <= snapshot.version]
    newest = _newest_needing(store, listing, commits, snapshot, name)
    origin = next((commit for commit in commits if commit.number == newest), None)
    return FeatureHistory(
        first=commits[0].number if commits else snapshot.version,
        needing=newest,
        needing_since=origin.info.modified if origin else None,
    )


def _newest_needing(
    store: LogStore,
    listing: LogListing,
    commits: Sequence[LogFile],
    snapshot: Snapshot,
    name: str,
) -> int | None:
    if name == CHECKPOINT_PROTECTION:
        limit = protected_before(snapshot.metadata)
        return max((commit.number for commit in commits if commit.number < limit), default=None)
    if not searches_history(name):
        return None
    key = used_by_files(name)
    clean_from = snapshot.version + 1
    for file in reversed(commits):
        body = commits_body(store, file.path)
        if key is not None and _has_file_with(key, body):
            return file.number
        actions = [
            action for action in state_actions(body, file.path) if action[0] == Metadata.NAME
        ]
        if actions:
            if used_by(Metadata.from_wire(actions[-1][1]), name):
                # Metadata holds until the next one: later versions without any need it too.
                return max(file.number, clean_from - 1)
            clean_from = file.number
    return _needed_at_the_start(store, listing, name, clean_from)


def _needed_at_the_start(
    store: LogStore, listing: LogListing, name: str, clean_from: int
) -> int | None:
    """The state before the oldest commit that is left is in the oldest checkpoint."""
    versions = recreatable_versions(listing)
    if versions is None or not 0 < versions[0] < clean_from:
        return None
    oldest = load_snapshot(store, version=versions[0])
    return clean_from - 1 if used_by(oldest.metadata, name) else None


def _has_file_with(key: str, body: bytes | LargeFile) -> bool:
    word = f'"{key}"'.encode()
    return any(
        action.get(key) is not None
        for line in (body.splitlines() if isinstance(body, bytes) else body.lines())
        if word in line
        for action in load_json(line).values()
        if isinstance(action, dict)
    )
