"""Tables of eight versions, damage of their logs that repair mends, and what is compared."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from time import time_ns
from typing import Any

import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from deltaadm.errors import DeltaadmError
from deltaadm.plans.checkpoint import TableState, read_state, write_checkpoint
from deltaadm.plans.repair import plan_repairs
from deltaadm.plans.repair.carry_out import carry_out
from deltaadm.plans.repair.repair import Case, RepairPlan
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.store import open_store
from tests.support.tables import (
    Table,
    add,
    column,
    commit,
    deletion_vector,
    domain,
    metadata,
    protocol,
    remove,
    schema,
    table,
    txn,
)

AS_WRITTEN = "That the commits are as they were written: "
UNCONFIRMED = (f"{AS_WRITTEN}no checksum confirms them.",)
HOUR = 3_600_000
_FEATURES = ["columnMapping", "deletionVectors"]
_MAPPED = schema(
    column("a", **{"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-a"})
)
_RICH = {
    "delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1",
    "delta.enableDeletionVectors": "true", "delta.enableRowTracking": "true",
    "delta.rowTracking.materializedRowIdColumnName": "_row-id",
    "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-version",
}  # fmt: skip


def plain(path: Path) -> Table:
    return _with_history(path, [protocol(1, 2), metadata()], {})


def v2(path: Path) -> Table:
    start = [
        protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"]),
        metadata({"delta.checkpointPolicy": "v2"}),
    ]
    return _with_history(path, start, {})


def rich(path: Path) -> Table:
    """Deletion vectors, column mapping, row tracking."""
    writing = [*_FEATURES, "domainMetadata", "rowTracking"]
    start = [protocol(3, 7, _FEATURES, writing), metadata(_RICH, schemaString=_MAPPED)]
    vector = {"deletionVector": deletion_vector("u")}
    return _with_history(path, start, {"baseRowId": 5, "defaultRowCommitVersion": 1}, vector)


def _with_history(
    path: Path, start: list[Any], more: dict[str, Any], vector: dict[str, Any] | None = None
) -> Table:
    """Eight versions, checkpoints of versions 3 and 6, and a checksum of the newest."""
    commits = [commit(*start, domain("delta.rowTracking" if vector else "mine"), txn("app", 1))]
    for version in range(1, 8):
        actions = [add(f"f{version}", 100 + version, **more), txn("app", version + 1)]
        if version == 5:
            actions.append(remove("f2"))
        if vector is not None and version in {4, 7}:
            actions += [remove(f"f{version - 1}"), add(f"f{version - 1}", 50, **more, **vector)]
        commits.append(commit(*actions))
    made = table(path, *commits)
    store = open_store(str(path))
    for version in (3, 6):
        write_checkpoint(store, load_snapshot(store, version=version))
    return made


TABLES = {"classic": plain, "v2": v2, "rich": rich}


def checkpoint(log: Path, version: int) -> Path:
    return next(iter(log.glob(f"{version:020d}.checkpoint.*")))


def shortened(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def edited(file: Path, change: Callable[[list[Any]], list[Any]]) -> None:
    """A checkpoint with other rows."""
    whole = pq.read_table(file)
    rows = change(whole.to_pylist())
    pq.write_table(type(whole).from_pylist(rows, schema=whole.schema), file)


def without(name: str, number: int = 1) -> Callable[[list[Any]], list[Any]]:
    def change(rows: list[Any]) -> list[Any]:
        found = [place for place, row in enumerate(rows) if row.get(name)][:number]
        assert len(found) == number
        return [row for place, row in enumerate(rows) if place not in found]

    return change


def with_removed(rows: list[Any]) -> list[Any]:
    """A file that was removed is back."""
    model = next(row for row in rows if row.get("add"))
    return [*rows, {**model, "add": {**model["add"], "path": "f2", "size": 102}}]


def without_vectors(rows: list[Any]) -> list[Any]:
    assert any(row["add"] and row["add"]["deletionVector"] for row in rows)
    return [
        {**row, "add": {**row["add"], "deletionVector": None}} if row["add"] else row
        for row in rows
    ]


def other_property(rows: list[Any]) -> list[Any]:
    return [
        {**row, "metaData": {**row["metaData"], "configuration": [("delta.appendOnly", "true")]}}
        if row["metaData"]
        else row
        for row in rows
    ]


def other_version_of_txn(rows: list[Any]) -> list[Any]:
    return [{**row, "txn": {**row["txn"], "version": 99}} if row["txn"] else row for row in rows]


def twice(name: str) -> Callable[[list[Any]], list[Any]]:
    return lambda rows: [*rows, next(row for row in rows if row[name])]


def pointer(body: Any) -> Callable[[Path], object]:
    text = body if isinstance(body, str) else json.dumps(body)
    return lambda log: (log / "_last_checkpoint").write_text(text)


def on_checkpoint(
    version: int, change: Callable[[list[Any]], list[Any]]
) -> Callable[[Path], object]:
    return lambda log: edited(checkpoint(log, version), change)


def multipart(lost: int) -> Callable[[Path], object]:
    """The newest checkpoint in two parts, of which one is not there, or is empty."""

    def damage(log: Path) -> None:
        made = checkpoint(log, 6)
        rows = pq.read_table(made)
        for part in (1, 2):
            name = log / f"{6:020d}.checkpoint.{part:010d}.{2:010d}.parquet"
            pq.write_table(rows[(part - 1) * 3 : 3 if part == 1 else None], name)
            if part == lost:
                name.unlink()
        made.unlink()

    return damage


def crc(**changes: Any) -> Callable[[Path], object]:
    def damage(log: Path) -> None:
        right = {"numFiles": 6, "tableSizeBytes": 0, "numMetadata": 1, "numProtocol": 1}
        (log / f"{7:020d}.crc").write_text(json.dumps(right | changes))

    return damage


def renamed(old: str, new: str) -> Callable[[Path], object]:
    return lambda log: (log / old).rename(log / new)


def copied(old: str, new: str) -> Callable[[Path], object]:
    return lambda log: shutil.copy(log / old, log / new)


_5 = f"{5:020d}.json"
REPAIRED: dict[str, Callable[[Path], object]] = {
    "no pointer": lambda log: (log / "_last_checkpoint").unlink(),
    "pointer to nothing": pointer({"version": 5, "size": 3}),
    "pointer to the future": pointer({"version": 60, "size": 3}),
    "pointer to an older checkpoint": pointer({"version": 3, "size": 3}),
    "empty pointer": pointer(""),
    "torn pointer": pointer('{"version":6,"si'),
    "pointer that is a list": pointer([6]),
    "pointer with a negative version": pointer({"version": -6, "size": 3}),
    "pointer with parts that are not there": pointer({"version": 6, "size": 3, "parts": 2}),
    "pointer with another number of files": pointer({"version": 6, "size": 3, "numOfAddFiles": 1}),
    "pointer with a wrong checksum": pointer({"version": 6, "size": 3, "checksum": "0" * 32}),
    "empty checkpoint": lambda log: checkpoint(log, 6).write_bytes(b""),
    "torn checkpoint": lambda log: shortened(checkpoint(log, 6)),
    "checkpoint of zeros": lambda log: checkpoint(log, 6).write_bytes(b"\0" * 500),
    "checkpoint that is no Parquet": lambda log: checkpoint(log, 6).write_text("oops"),
    "older checkpoint torn": lambda log: shortened(checkpoint(log, 3)),
    "both checkpoints torn": lambda log: [shortened(checkpoint(log, of)) for of in (3, 6)],
    "checkpoint without its last part": multipart(2),
    "checkpoint without its first part": multipart(1),
    "checkpoint that lacks a live file": on_checkpoint(6, without("add")),
    "checkpoint that lacks all live files": on_checkpoint(6, without("add", 5)),
    "checkpoint with a live file twice": on_checkpoint(6, twice("add")),
    "checkpoint with its metadata twice": on_checkpoint(6, twice("metaData")),
    "checkpoint with a removed file": on_checkpoint(6, with_removed),
    "checkpoint without its domain": on_checkpoint(6, without("domainMetadata")),
    "checkpoint without its transaction": on_checkpoint(6, without("txn")),
    "checkpoint with another transaction": on_checkpoint(6, other_version_of_txn),
    "checkpoint without a protocol": on_checkpoint(6, without("protocol")),
    "checkpoint without metadata": on_checkpoint(6, without("metaData")),
    "checkpoint with another property": on_checkpoint(6, other_property),
    "older checkpoint lacks a live file": on_checkpoint(3, without("add")),
    "checkpoint torn and pointer gone": lambda log: [
        shortened(checkpoint(log, 6)), (log / "_last_checkpoint").unlink()
    ],
    "checksum with another number of files": crc(numFiles=9),
    "checksum with other bytes": crc(tableSizeBytes=1),
    "checksum with another number of vectors": crc(tableSizeBytes=626, numDeletionVectorsOpt=3),
    "checksum with a list of other files": crc(tableSizeBytes=626, allFiles=[]),
    "checksum with a time that the table lacks": crc(inCommitTimestampOpt=1),
    "checksum with a torn histogram": crc(histogramOpt={"fileCounts": []}),
    "checksum that is torn": lambda log: (log / f"{7:020d}.crc").write_text('{"numFi'),
    "older checksum that is torn": lambda log: (log / f"{4:020d}.crc").write_text(""),
    "commit twice, unpadded": copied(_5, "5.json"),
    "commit twice, by a copy tool": copied(_5, f"{5:020d} (1).json"),
    "commit with a name of a copy": renamed(_5, f"{5:020d} - Copy.json"),
    "commit without padding": renamed(_5, "5.json"),
    "commit in capitals": renamed(_5, f"{5:020d}.JSON"),
    "commit with too much padding": renamed(_5, f"{5:025d}.json"),
    "all commits without padding": lambda log: [
        (log / f"{of:020d}.json").rename(log / f"{of}.json") for of in range(1, 8)
    ],
}  # fmt: skip
DAMAGED = [
    (kind, damage)
    for kind in TABLES
    for damage in REPAIRED
    if kind == "classic" or "checkpoint" in damage or damage == "no pointer"
]
"""Kinds of tables with their damage, of which that of commits and checksums knows no kinds."""
ONLY_RICH: dict[str, Callable[[Path], object]] = {
    "checkpoint without deletion vectors": on_checkpoint(6, without_vectors),
}


def aged(path: Path) -> None:
    """Let nothing be so young that a writer may be at it."""
    for file in path.rglob("*"):
        stamp = file.stat().st_mtime_ns - HOUR * 1_000_000
        os.utime(file, ns=(stamp, stamp))


def planned(path: Path) -> RepairPlan:
    return plan_repairs(case_of(path))


def case_of(path: Path, older_than: int = 600_000) -> Case:
    return Case(open_store(str(path)), time_ns() // 1_000_000, older_than)


def repaired(path: Path, hook: Callable[[str, str], None] = lambda *_: None) -> RepairPlan:
    plan = planned(path)
    assert not plan.refused, plan.refused
    outcome = carry_out(Watched(open_store(str(path)), hook), plan)  # type: ignore[arg-type]
    # The data files of these tables are not there to confirm what commits say.
    assert outcome.proved or all(text.startswith(AS_WRITTEN) for text in plan.unproved)
    return plan


def contents(path: Path) -> dict[str, str]:
    """The digests of all files of the table but those in quarantine."""
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(path.rglob("*"))
        if file.is_file() and "_deltaadm_quarantine" not in str(file)
    }


def every_version(path: Path | str) -> list[TableState | str]:
    store, states = open_store(str(path)), []
    for version in range(8):
        try:
            states.append(read_state(store, version))
        except DeltaadmError as error:
            states.append(type(error).__name__)
    return states


def by_delta_rs(path: Path) -> Any:
    """What delta-rs sees; None if it cannot load the table."""
    try:
        found = DeltaTable(path)
    except (DeltaError, OSError):
        return None
    return found.version(), sorted(Path(uri).name for uri in found.file_uris())


class Watched:
    """A store with a hook before and after each of its writes, those beside the log included."""

    WRITES = ("create", "publish", "replace", "overwrite", "remove")

    def __init__(self, store: Any, hook: Callable[[str, str], None]) -> None:
        self._store, self._hook = store, hook

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if name not in self.WRITES:
            return found

        def watched(*given: Any) -> Any:
            path = next(each for each in given if isinstance(each, str))
            self._hook(name, path)
            answer = found(*given)
            self._hook(f"{name}d", path)
            return answer

        return watched

    def beside(self, directory: str) -> "Watched":
        return Watched(self._store.beside(directory), self._hook)
