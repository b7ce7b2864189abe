"""What must be true of all checkpoints in a log, whoever has written them."""

from dataclasses import replace

from deltaadm.domain.snapshot import LogFiles, LogListing
from deltaadm.replay.commits import json_object
from deltaadm.replay.embedded import live_files
from deltaadm.storage.store import LogStore

HINT = "_last_checkpoint"


def require_right(store: LogStore) -> dict[str, int]:
    """
    Each says what the commits say, which are all there, and `_last_checkpoint` leads to one.

    Answers the files of checkpoints with their sizes.
    """
    listing = LogListing.of(store.root, store.list_log())
    for checkpoint in listing.checkpoints:
        by_commits = listing.segment(checkpoint.version, before=0)
        none = LogFiles((), listing.infos)
        alone = replace(by_commits, checkpoint=checkpoint, commits=none, deltas=none)
        expected, found = (
            sorted((file.path, file.size, file.stats or "") for file in live_files(store, segment))
            for segment in (by_commits, alone)
        )
        assert found == expected, f"the checkpoint of version {checkpoint.version} is wrong"
    if HINT in listing.infos:
        version = (json_object(store.read(HINT))[0] or {}).get("version")
        assert version in {checkpoint.version for checkpoint in listing.checkpoints}, "dangling"
    return {file.path: file.info.size for file in listing.checkpoint_files}
