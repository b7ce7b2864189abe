"""Live files that are not in the storage any more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from deltaadm.domain.actions import AddFile, RemoveFile
from deltaadm.domain.file_facts import (
    INLINE,
    RELATIVE,
    descriptor_flaw,
    num_records,
    relative_path,
)
from deltaadm.domain.properties import Key, switch
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.update import obstacles_in_metadata, obstacles_in_protocol
from deltaadm.errors import DeltaadmError
from deltaadm.plans.repair.repair import Case, Repair, commit, refused
from deltaadm.replay.commits import body, each_action
from deltaadm.replay.embedded import live_files
from deltaadm.storage.threads import each_ahead


def find_missing_files(case: Case) -> Iterator[Repair]:
    """Live files without their data or their deletion vector, where somebody asks for them."""
    if not case.remove_missing_files:
        return
    try:
        snapshot = case.view.snapshot
    except DeltaadmError:  # other kinds of damage, which are mended first
        return
    total, missing, without_vector = 0, list[AddFile](), list[AddFile]()
    assert snapshot.segment is not None  # noqa: S101 -- a loaded snapshot has one
    store = case.view

    def look(add: AddFile) -> tuple[AddFile, str]:
        if store.data_size(add.path) is None:
            return add, "data"
        vector = add.deletion_vector
        if vector is None or vector.storage_type == INLINE or descriptor_flaw(vector):
            return add, ""
        path = vector.path_or_inline_dv
        if vector.storage_type == RELATIVE:
            path = quote(relative_path(vector))  # encoded like the paths of `add`
        return add, "vector" if store.data_size(path) is None else ""

    for add, gone in each_ahead(look, live_files(store, snapshot.segment), store.at_once):
        total += 1
        if gone:
            (missing if gone == "data" else without_vector).append(add)
    if without_vector:
        yield refused(
            "data_files",
            "DL721",
            f"{_named(without_vector, total)} have no deletion vector in the storage.",
            "nothing else tells which of their rows are deleted",
            "Restore them from a backup, or from earlier versions of the objects if the bucket "
            "keeps those; or restore the table to a version that does not need them.",
        )
    if missing:
        yield _removal(case, snapshot, missing, total)


def _removal(case: Case, snapshot: Snapshot, missing: list[AddFile], total: int) -> Repair:
    """The commit that removes *missing* files from the table, or why there is none."""
    wrong = f"{_named(missing, total)} are not in the storage."
    configuration, version = snapshot.metadata.configuration, snapshot.version + 1
    obstacles = (
        *obstacles_in_protocol(snapshot.protocol),
        *obstacles_in_metadata(snapshot.metadata),
    )
    refusal = next(iter(obstacles), "")
    remedy = "Remove them with a client that knows the feature."
    if len(missing) == total:
        refusal = "all files are, so that the storage is more likely the wrong one than empty"
        remedy = "Look whether the table has moved, and whether you may read its files."
    elif switch(configuration, "delta.appendOnly"):
        refusal = "delta.appendOnly is true, and nobody may remove files"
        remedy = "Restore the files, or: deltaadm alter TABLE --set delta.appendOnly=false."
    if refusal:
        return refused("data_files", "DL716", wrong, refusal, remedy)
    counts = [num_records(add.stats) for add in missing]
    deleted = sum(add.deletion_vector.cardinality for add in missing if add.deletion_vector)
    rows = sum(count for count in counts if count is not None) - deleted
    unknown = f", not counting {counts.count(None)} files without" if None in counts else ""
    effect = [
        f"{rows:,} rows are lost by the statistics{unknown}.",
        _origin(case, missing),
        "Better restore the files where a backup or earlier versions of the objects have them.",
        f"Streams that read the table stop at version {version} unless they skip such changes.",
    ]
    if switch(configuration, Key.CHANGE_DATA_FEED):
        effect.append(f"The change data feed cannot be read across version {version}.")
    removals = [_tombstone(add, case.now) for add in missing]
    return Repair(
        "data_files",
        "DL716",
        wrong,
        (commit(case, snapshot, "FSCK", {"dryRun": "false"}, removals),),
        kept=f"the other {total - len(missing)} live files, and all versions before",
        alters=("version", "add"),
        effect=" ".join(effect),
        unproved=("the rows that were in the missing files",),
        lost_files=len(missing),
    )


def _named(files: list[AddFile], total: int) -> str:
    some = ", ".join(add.path for add in files[:_SHOWN])
    return f"{len(files)} of {total} live files ({some}{', …' if files[_SHOWN:] else ''})"


_SHOWN: Final = 3


def _origin(case: Case, missing: list[AddFile]) -> str:
    """Which versions have added the files, as far as the log goes back."""
    paths, added = {add.path for add in missing}, list[int]()
    for file in reversed(case.listing.commits):
        for name, document in each_action(body(case.view, file.path), file.path):
            if name == "add" and document.get("path") in paths:
                paths.discard(document["path"])
                added.append(file.number)
        if not paths:
            first, last = min(added), max(added)
            by = f"version {first}" if first == last else f"versions {first} to {last}"
            older = f"; version {first - 1} is the newest that needs none" if first else ""
            return f"They were added by {by}{older}."
    return "The log does not go back to the version that added them."


def _tombstone(add: AddFile, now: int) -> RemoveFile:
    kept = (
        "path", "partition_values", "size", "tags", "deletion_vector", "base_row_id",
        "default_row_commit_version",
    )  # fmt: skip
    return RemoveFile(
        deletion_timestamp=now,
        extended_file_metadata=True,
        **{name: getattr(add, name) for name in kept},
    )
