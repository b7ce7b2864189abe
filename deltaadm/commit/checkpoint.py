"""Writing a checkpoint of the newest version, through deltalake."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.log_segment import LOG_DIRECTORY, LogListing
from deltaadm.errors import CommitError, TableError
from deltaadm.replay.checkpoints import CheckpointReader
from deltaadm.replay.engine import Detail, UnreadableCheckpoint
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.log_segment import Checkpoint
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.storage.store import ObjectStores, WritableStore

HINT: Final = "_last_checkpoint"


def write_checkpoint(root: str, object_stores: ObjectStores | None = None) -> int:
    """
    Write a checkpoint of the newest version of the table at *root*; that version.

    *object_stores* say how those are reached, deltalake as well; otherwise the environment does.
    `_last_checkpoint` points to it afterwards. A checkpoint that is already there is kept.
    Raises `CommitError` where deltalake cannot write one, or where the table read from it would
    differ from before; the log then is as it was.
    """
    store = open_store(root, object_stores=object_stores)
    # deltalake writes nothing where a checkpoint of the version is already there, and opens no
    # table whose `_last_checkpoint` leads nowhere: so that file is looked after here.
    before = load_snapshot(store, detail=Detail.STATE)
    with _restored_on_failure(store, before.version):
        existing = _checkpoint(store, before.version)
        checkpoint = existing or _written(store, before)
        # Also where it names the version already: what else it says of it may be wrong.
        if existing or _pointed_to(store) != before.version:
            store.overwrite(HINT, _hint(store, checkpoint).encode())
        # Read back: a checkpoint that says something else would replace the commits for every
        # reader.
        _compare(before, load_snapshot(store, version=before.version, detail=Detail.STATE))
    return before.version


def _checkpoint(store: WritableStore, version: int) -> Checkpoint | None:
    """The complete and readable checkpoint of *version*, if there is one."""
    listing = LogListing.of(store.root, store.list_log(version), version)
    for checkpoint in listing.checkpoints:
        if checkpoint.version == version:
            try:
                CheckpointReader(store, checkpoint).small_actions()
            except UnreadableCheckpoint:
                continue
            return checkpoint
    return None


def _written(store: WritableStore, before: Snapshot) -> Checkpoint:
    # deltalake writes nothing where there is such a file.
    if name := _in_the_way(store, before.version):
        raise CommitError(
            f"{name} already exists and is not a readable checkpoint.",
            remedy="Remove the file, then plan again.",
        )
    # deltalake may have failed on a `_last_checkpoint` that leads nowhere, and not on the table.
    failure = _create(store) and _create_without_hint(store)
    checkpoint = _checkpoint(store, before.version)
    if failure and store.local_path is None:
        from deltaadm.storage.object_errors import known_failure

        log = f"{store.root}/{LOG_DIRECTORY}/"
        known = known_failure(f"{log}{before.version:020d}.checkpoint.parquet", failure, "write")
        if known is not None:
            raise known
    if failure or checkpoint is None:
        raise CommitError(
            f"deltalake could not write a checkpoint of version {before.version}: "
            f"{failure or 'no checkpoint was written, and no reason was given'}.",
            remedy="Use another writer that supports the table's features; Delta Spark writes a "
            "checkpoint every delta.checkpointInterval commits.",
        )
    return checkpoint


def _in_the_way(store: WritableStore, version: int) -> str:
    name = f"{version:020d}.checkpoint.parquet"
    return name if name in store.list_log(version) else ""


def _create(store: WritableStore) -> str:
    """Let deltalake write the checkpoint; why it does not, if so."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError, DeltaProtocolError, TableNotFoundError

    try:
        place = store.root if store.local_path is None else store.local_path
        options = dict(store.storage_options) or None
        DeltaTable(place, storage_options=options).create_checkpoint()
    except (DeltaError, DeltaProtocolError, TableNotFoundError, OSError, ValueError) as error:
        return str(error).strip().rstrip(".").partition("\n")[0] or type(error).__name__
    return ""


def _create_without_hint(store: WritableStore) -> str:
    store.remove(HINT)
    return _create(store)


def _hint(store: WritableStore, checkpoint: Checkpoint) -> str:
    document = {
        "version": checkpoint.version,
        "size": CheckpointReader(store, checkpoint).size(),
    }
    if len(checkpoint.files) > 1:
        document["parts"] = len(checkpoint.files)
    return json.dumps(document)


def _pointed_to(store: WritableStore) -> int | None:
    try:
        document = json.loads(store.read(HINT))
    except (TableError, ValueError, RecursionError):
        return None
    version = document.get("version") if isinstance(document, dict) else None
    return version if isinstance(version, int) else None


def _compare(before: Snapshot, after: Snapshot) -> None:
    for what in ("protocol", "metadata", "domains", "transactions", "files"):
        if getattr(before, what) != getattr(after, what):
            raise CommitError(
                f"The checkpoint that deltalake wrote does not match the {what} of the table, so "
                "it was removed.",
                remedy="Let Delta Spark write the checkpoint.",
            )


@contextmanager
def _restored_on_failure(store: WritableStore, version: int) -> Iterator[None]:
    """Restore the log's former files where the block fails or is interrupted."""
    before = store.list_log(version)
    try:
        hint: bytes | None = store.read(HINT)
    except TableError:
        hint = None
    try:
        yield
    # Ctrl-C as well.
    except BaseException:
        for name in store.list_log(version):
            # Nothing but what this run has written: others may commit and write checkpoints
            # meanwhile.
            if name not in before and name == f"{version:020d}.checkpoint.parquet":
                store.remove(name)
        if hint is None:
            store.remove(HINT)
        else:
            store.overwrite(HINT, hint)
        raise
