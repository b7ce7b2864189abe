"""
The states of a table from version to version, in one pass over its commits.

Only commits that change protocol, metadata or clustering are parsed, and make a state. The pass
begins where the table was created or, where log cleanup has removed that, with the oldest
checkpoint from which it can be rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.actions import CLUSTERING_DOMAIN, DomainMetadata
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import LogFile, LogFiles, LogListing, Snapshot, commit_name
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.transaction.removal import (
    CHECKPOINT_PROTECTION,
    FeatureHistory,
    preparation,
    protected_before,
)
from deltaadm.domain.wire import CommitInfo, Metadata, Writer, writer_of
from deltaadm.errors import MissingFileError
from deltaadm.replay import commits
from deltaadm.replay.embedded import commit_time
from deltaadm.replay.load import load_snapshot, raised_times
from deltaadm.replay.reconcile import Detail, ReplayEngine, UnreadableCheckpointError, scan
from deltaadm.storage.store import LogStore

if TYPE_CHECKING:
    Named = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Timeline:
    """
    The table from a version to another.

    `base` is the state before them all: that of no table where its creation is in the log.
    `states` are the states after each commit that may have changed something, to be gone through
    once. `last` is the version with which it ends.
    """

    base: Snapshot
    states: Iterator[Snapshot]
    last: int

    def changes(self) -> Iterator[tuple[Snapshot, Snapshot]]:
        """Before and after each of these commits, in their order."""
        return pairwise(chain((self.base,), self.states))


def timeline(
    store: LogStore,
    engine: ReplayEngine | None = None,
    *,
    since: int | None = None,
    until: int | None = None,
) -> Timeline:
    """
    The states of the table after the commits *since* to *until*, ends included.

    Each commit is read once, while the states are gone through; only then damage shows. There are
    none after the newest version. Raises `TableError` where no version can be rebuilt, or not the
    one before *since*.
    """
    listing = LogListing.of(store.root, store.list_log(0))
    available = listing.commits.unbroken
    if not available:
        listing.segment()
    if until is not None and until < available.versions[0]:
        raise listing.version_not_found(until)
    if since is not None:
        since = min(since, available.versions[-1] + 1)
    base = _base(store, engine, listing, available, since)
    later = available.after(base.version)
    until = available.versions[-1] if until is None else min(until, available.versions[-1])
    # The times of all commits count, since each may raise those that follow.
    times = raised_times(listing.infos[name].modified for name in available.names)
    times = islice(times, len(available) - len(later), None)
    return Timeline(base, _states(store, base, times, later.until(until)), until)


def _base(
    store: LogStore,
    engine: ReplayEngine | None,
    listing: LogListing,
    available: LogFiles,
    since: int | None,
) -> Snapshot:
    if since is not None and since > 0:
        return _loaded(store, engine, since - 1)
    first, last = available.versions[0], available.versions[-1]
    if first == 0:
        return no_table(store.root)
    failure: UnreadableCheckpointError | None = None
    versions = {checkpoint.version for checkpoint in listing.checkpoints}
    for version in sorted(versions):
        if first - 1 <= version <= last:
            try:
                return _loaded(store, engine, max(version, first))
            except UnreadableCheckpointError as error:
                failure = failure or error
    if failure is not None:
        raise failure
    listing.segment()  # which says what is missing
    raise listing.version_not_found(first)


def _loaded(store: LogStore, engine: ReplayEngine | None, version: int) -> Snapshot:
    """The state of *version* with its clustering, for which few tables need more to be read."""
    snapshot = load_snapshot(store, engine, version=version)
    if snapshot.protocol.supports("clustering"):
        return load_snapshot(store, engine, version=version, detail=Detail.STATE)
    return replace(snapshot, domains={})


def _states(
    store: LogStore, base: Snapshot, times: Iterable[int], files: LogFiles
) -> Iterator[Snapshot]:
    def look(path: str) -> list[Named]:
        return commits.read_lines(store, path).changing_actions()

    read = scan(store, files.names, look)
    protocol = base.protocol if base.exists else None
    metadata = base.metadata if base.exists else None
    domains = (base.domains or {}).items()
    clustering = {name: domain for name, domain in domains if name == CLUSTERING_DOMAIN}
    # There are times of more commits than are asked for.
    for version, time, (_, actions) in zip(files.versions, times, read, strict=False):
        info = None
        for name, document in actions:
            if name == Protocol.NAME:
                protocol = Protocol.from_wire(document)
            elif name == Metadata.NAME and document.get("id") is not None:
                metadata = Metadata.from_wire(document)
            elif name == DomainMetadata.NAME and document.get("domain") == CLUSTERING_DOMAIN:
                domain = DomainMetadata.from_wire(document)
                clustering = {} if domain.removed else {CLUSTERING_DOMAIN: domain}
            elif name == CommitInfo.NAME and info is None:  # DESCRIBE HISTORY shows the first
                info = CommitInfo.from_wire(document)
        if actions and protocol is not None and metadata is not None:
            inside = info.in_commit_timestamp if info else None
            yield Snapshot(
                root=base.root,
                name=base.name,
                version=version,
                protocol=protocol,
                metadata=metadata,
                domains=clustering,
                timestamp=commit_time(inside, metadata, time),
                commit_info=info,
            )
    if protocol is None or metadata is None:
        load_snapshot(store)  # which says what no file of the log has


# Writers


def writers(store: LogStore, versions: Sequence[int]) -> Iterator[Writer]:
    """Who wrote each of *versions* of which there is a commit."""

    def look(path: str) -> list[Named] | None:
        try:
            commit = commits.read_lines(store, path)
        except MissingFileError:
            return None
        said = commit.provenance()
        return commit.newest_actions() if said is None else said

    found = scan(store, [*map(commit_name, versions)], look)
    return (writer_of(actions) for _, actions in found if actions is not None)


# Feature history


def feature_history(store: LogStore, snapshot: Snapshot, name: str) -> FeatureHistory:
    """
    Which older versions still need the feature *name*, as Delta looks for them.

    Reads commits from the newest back to the first one that tells.
    """
    listing = LogListing.of(store.root, store.list_log(0))
    files = [commit for commit in listing.commits if commit.number <= snapshot.version]
    newest = _newest_needing(store, listing, files, snapshot, name)
    origin = next((commit for commit in files if commit.number == newest), None)
    return FeatureHistory(
        first=files[0].number if files else snapshot.version,
        needing=newest,
        needing_since=origin.info.modified if origin else None,
    )


def _newest_needing(
    store: LogStore, listing: LogListing, files: Sequence[LogFile], snapshot: Snapshot, name: str
) -> int | None:
    if name == CHECKPOINT_PROTECTION:
        limit = protected_before(snapshot.metadata)
        return max((file.number for file in files if file.number < limit), default=None)
    prepared = preparation(name)
    needs, key = prepared.uses, prepared.in_files
    if not prepared.is_in_history:
        return None
    clean_from = snapshot.version + 1
    for file in reversed(files):
        commit = commits.read_lines(store, file.path)
        if key is not None and any(
            isinstance(action, dict) and action.get(key) is not None
            for _, action in commit.actions(f'"{key}"'.encode())
        ):
            return file.number
        metadata = [document for key, document in commit.state_actions() if key == Metadata.NAME]
        if metadata:
            if needs(Metadata.from_wire(metadata[-1])):
                # Metadata holds until the next one: later versions without any need it too.
                return max(file.number, clean_from - 1)
            clean_from = file.number
    versions = listing.recreatable_versions
    if versions is None or not 0 < versions[0] < clean_from:
        return None
    oldest = load_snapshot(store, version=versions[0])
    return clean_from - 1 if needs(oldest.metadata) else None
