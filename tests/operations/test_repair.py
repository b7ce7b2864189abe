"""Repairs: what is damaged comes back as it was, or is refused with the reason; nothing is lost."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from time import time_ns
from typing import Any

import obstore
import pyarrow.parquet as pq
import pytest

from deltaadm.dataclass import replace
from deltaadm.errors import CommitError, DeltaadmError, Refused
from deltaadm.plans.checkpoint import write_checkpoint
from deltaadm.plans.repair.carry_out import carry_out, undo
from deltaadm.plans.repair.case import Case, TableState, read_state
from deltaadm.plans.repair.kinds import KINDS
from deltaadm.plans.repair.repair import RepairPlan, plan_repairs
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.store import ObjectStores, open_store
from tests.support.s3 import S3Server, s3_server
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

UNCONFIRMED = ("That the commits are as they were written: no checksum confirms them.",)
_HOUR = 3_600_000
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
ONLY_RICH: dict[str, Callable[[Path], object]] = {
    "checkpoint without deletion vectors": on_checkpoint(6, without_vectors),
}


def aged(path: Path) -> None:
    """Let nothing be so young that a writer may be at it."""
    for file in path.rglob("*"):
        stamp = file.stat().st_mtime_ns - _HOUR * 1_000_000
        os.utime(file, ns=(stamp, stamp))


def planned(path: Path) -> RepairPlan:
    return plan_repairs(_case(path), KINDS)


def _case(path: Path, older_than: int = 600_000) -> Case:
    return Case(open_store(str(path)), time_ns() // 1_000_000, older_than)


def repaired(path: Path) -> RepairPlan:
    plan = planned(path)
    assert not plan.refused, plan.refused
    outcome = carry_out(open_store(str(path)), plan, {})
    # The data files of these tables are not there to confirm what commits say.
    assert outcome.proved or plan.unproved == UNCONFIRMED
    return plan


def contents(path: Path) -> dict[str, str]:
    """The digests of all files of the table but those in quarantine."""
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(path.rglob("*"))
        if file.is_file() and "_deltaadm_quarantine" not in str(file)
    }


def every_version(path: Path) -> list[TableState | str]:
    store, states = open_store(str(path)), []
    for version in range(8):
        try:
            states.append(read_state(store, version))
        except DeltaadmError as error:
            states.append(type(error).__name__)
    return states


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        *(("classic", damage) for damage in REPAIRED),
        *(
            pytest.param(kind, damage, marks=pytest.mark.slow)
            for kind in ("v2", "rich")
            for damage in REPAIRED
            if "checkpoint" in damage or damage == "no pointer"  # the rest knows no kinds of tables
        ),
        *(("rich", damage) for damage in ONLY_RICH),
    ],
)
def test_damage_is_repaired(kind: str, damage: str, tmp_path: Path) -> None:
    path = tmp_path / "table"
    log = TABLES[kind](path).log
    whole = every_version(path)
    (REPAIRED | ONLY_RICH)[damage](log)
    aged(path)
    damaged = contents(path)
    plan = repaired(path)
    assert plan.planned
    # All of history, by a reader that knows nothing of repairs.
    assert every_version(path) == whole
    assert read_state(open_store(str(path))) == whole[7]
    # Nothing is lost: what is no longer in the log is in quarantine, byte by byte.
    kept = {
        hashlib.sha256(file.read_bytes()).hexdigest()
        for file in (path / "_deltaadm_quarantine").rglob("*")
        if file.is_file()
    }
    assert {*damaged.values()} <= {*contents(path).values(), *kept}
    # A second run has nothing to do, and the way back leads where we came from.
    aged(path)
    assert not planned(path).repairs
    (journal,) = (path / "_deltaadm_quarantine").glob("*/journal.json")
    assert not undo(open_store(str(path)), str(journal))
    assert contents(path) == damaged


@pytest.mark.parametrize("kind", TABLES)
def test_a_sound_table_is_left_alone(kind: str, tmp_path: Path) -> None:
    TABLES[kind](tmp_path)
    aged(tmp_path)
    plan = planned(tmp_path)
    assert not plan.repairs
    assert not (tmp_path / "_deltaadm_quarantine").exists()


# Kills, and others at work meanwhile


class Killed(BaseException):
    """The process ends here, as by `kill -9`: nobody handles it."""


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


class KillAt:
    """A hook that ends the process at its so many-th call."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, _operation: str, _path: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed


KILLS = (
    ("classic", "checkpoint without its last part"),
    ("classic", "commit without padding"),
    ("rich", "checkpoint torn and pointer gone"),
)
"""One of each way to repair; `tools/kills.py` goes on for longer, and with more kinds of damage."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "damage"), KILLS)
def test_a_kill_at_any_moment_leaves_the_table_no_worse(
    kind: str, damage: str, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    log = TABLES[kind](model).log
    whole = every_version(model)
    REPAIRED[damage](log)
    aged(model)
    damaged, seen = contents(model), _seen(model)
    for number in range(1_000):
        path = tmp_path / "table"
        shutil.copytree(model, path)
        plan = planned(path)
        try:
            carry_out(Watched(open_store(str(path)), KillAt(number)), plan, {})  # type: ignore[arg-type]
            break
        except Killed:
            pass
        assert _seen(path) in (seen, whole[7])
        # Back to where we were, or on to the end: both are possible from there.
        again = tmp_path / "again"
        shutil.copytree(path, again)
        for journal in (again / "_deltaadm_quarantine").glob("*/journal.json"):
            if journal.read_bytes():
                undo(open_store(str(again)), str(journal))
                assert contents(again) == damaged
        aged(path)
        plan = planned(path)
        assert not plan.refused
        if plan.planned:
            carry_out(open_store(str(path)), plan, {})
        assert every_version(path) == whole
        shutil.rmtree(path)
        shutil.rmtree(again)
    assert number > 5, "the repair was never killed"


def _seen(path: Path) -> TableState | None:
    try:
        return read_state(open_store(str(path)))
    except DeltaadmError:
        return None


def test_a_commit_meanwhile_stays(tmp_path: Path) -> None:
    made = plain(tmp_path)
    REPAIRED["checkpoint that lacks a live file"](made.log)
    aged(tmp_path)

    def meanwhile(operation: str, path: str) -> None:
        if operation == "replaced" and path.endswith(".parquet"):
            made.commit(8, add("f8", 108))

    store = Watched(open_store(str(tmp_path)), meanwhile)
    carried = planned(tmp_path)
    outcome = carry_out(store, carried, {})  # type: ignore[arg-type]
    assert outcome.proved or carried.unproved == UNCONFIRMED
    assert outcome.later
    state = read_state(open_store(str(tmp_path)))
    assert (state.version, state.counts["add"]) == (8, outcome.actual.counts["add"] + 1)


def test_a_checkpoint_that_another_writes_meanwhile_stays(tmp_path: Path) -> None:
    made = plain(tmp_path)
    sound = checkpoint(made.log, 6).read_bytes()
    REPAIRED["torn checkpoint"](made.log)
    aged(tmp_path)
    plan = planned(tmp_path)
    made.write(f"{6:020d}.checkpoint.parquet", sound)
    with pytest.raises(CommitError, match="changed"):
        carry_out(open_store(str(tmp_path)), plan, {})
    assert checkpoint(made.log, 6).read_bytes() == sound


def test_cleanup_meanwhile_takes_the_repair_back(tmp_path: Path) -> None:
    made = plain(tmp_path)
    REPAIRED["checkpoint without its last part"](made.log)
    aged(tmp_path)
    plan, before = planned(tmp_path), contents(tmp_path)
    for version in range(3):
        (made.log / f"{version:020d}.json").unlink()
    (made.log / f"{3:020d}.checkpoint.parquet").unlink()
    with pytest.raises(DeltaadmError):
        carry_out(open_store(str(tmp_path)), plan, {})
    assert contents(tmp_path).items() <= before.items()


def test_what_does_not_come_out_as_foreseen_is_put_back(tmp_path: Path) -> None:
    made = plain(tmp_path)
    REPAIRED["checkpoint without its last part"](made.log)
    aged(tmp_path)
    plan, before = planned(tmp_path), contents(tmp_path)
    assert plan.after is not None
    wrong = replace(plan.after, digests={**plan.after.digests, "add": "another"})
    with pytest.raises(CommitError, match="taken back"):
        carry_out(open_store(str(tmp_path)), replace(plan, after=wrong), {})
    assert contents(tmp_path) == before


# What is refused


def only_checkpoint(log: Path) -> None:
    """Nothing older than the checkpoint of version 6."""
    for version in range(6):
        (log / f"{version:020d}.json").unlink()
    checkpoint(log, 3).unlink()


def _torn_only(log: Path) -> None:
    only_checkpoint(log)
    shortened(checkpoint(log, 6))


def _part_only(log: Path) -> None:
    multipart(1)(log)
    only_checkpoint(log)


def _wrong_by_checksum(log: Path) -> None:
    only_checkpoint(log)
    body = {"numFiles": 9, "tableSizeBytes": 900, "numMetadata": 1, "numProtocol": 1}
    (log / f"{6:020d}.crc").write_text(json.dumps(body))


def _contradicting(log: Path) -> None:
    for version in range(4):
        (log / f"{version:020d}.json").unlink(missing_ok=version < 3)
    (log / f"{3:020d}.json").write_bytes(commit(add("f3", 103)))
    edited(checkpoint(log, 6), with_removed)


def _other_content(log: Path) -> None:
    (log / f"{5:020d} (1).json").write_bytes(commit(add("other")))


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a torn checkpoint that is the only source": (_torn_only, "only source"),
    "parts that are the only source": (_part_only, "cannot be rebuilt"),
    "a checkpoint unlike its checksum": (_wrong_by_checksum, "only source"),
    "checkpoints that contradict each other": (_contradicting, "nothing tells"),
    "two commits of a version": (_other_content, "other content"),
    "a copy that would be the newest version": (
        copied(f"{7:020d}.json", f"{8:020d} (1).json"), "would make a version 8",
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", REFUSED)
def test_what_cannot_be_told_is_refused(damage: str, tmp_path: Path) -> None:
    log = plain(tmp_path).log
    make, reason = REFUSED[damage]
    make(log)
    aged(tmp_path)
    before = contents(tmp_path)
    plan = planned(tmp_path)
    assert [reason in repair.refusal for repair in plan.refused] == [True]
    assert all(repair.remedy for repair in plan.refused)
    assert contents(tmp_path) == before


def test_what_may_still_be_written_is_left_alone(tmp_path: Path) -> None:
    shortened(checkpoint(plain(tmp_path).log, 6))
    (repair,) = planned(tmp_path).repairs
    assert "may still be being written" in repair.refusal
    plan = plan_repairs(_case(tmp_path, older_than=0), KINDS)
    assert not plan.refused


def test_a_table_of_a_catalog_is_refused(tmp_path: Path) -> None:
    start = [protocol(3, 7, ["catalogManaged"], ["catalogManaged"]), metadata()]
    table(tmp_path, commit(*start))
    with pytest.raises(Refused, match="catalog manages"):
        planned(tmp_path)


def test_undoing_spares_what_others_have_written(tmp_path: Path) -> None:
    made = plain(tmp_path)
    REPAIRED["commit without padding"](made.log)
    aged(tmp_path)
    repaired(tmp_path)
    made.write(f"{5:020d}.json", commit(add("other")))
    (journal,) = (tmp_path / "_deltaadm_quarantine").glob("*/journal.json")
    before = contents(tmp_path)
    with pytest.raises(Refused, match="changed since"):
        undo(open_store(str(tmp_path)), str(journal))
    assert contents(tmp_path) == before


# In an object store


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("classic", "pointer to nothing"), ("v2", "torn checkpoint"),
        ("rich", "checkpoint that lacks a live file"), ("v2", "checkpoint that lacks a live file"),
        ("classic", "checkpoint without its last part"), ("classic", "commit without padding"),
        ("rich", "commit twice, unpadded"), ("classic", "checksum with another number of files"),
    ],
)  # fmt: skip
def test_damage_in_an_object_store_is_repaired(
    kind: str, damage: str, s3: S3Server, tmp_path: Path
) -> None:
    made = TABLES[kind](tmp_path)
    whole = every_version(tmp_path)
    REPAIRED[damage](made.log)
    bucket = s3.bucket
    location = s3.upload(tmp_path, f"{kind}/{damage}")
    before = _objects(bucket, f"{kind}/{damage}")
    plan = plan_repairs(_remote(s3, location), KINDS)
    assert plan.planned
    assert not plan.refused
    outcome = carry_out(_remote(s3, location).store, plan, {})
    assert outcome.proved or plan.unproved == UNCONFIRMED
    store = _remote(s3, location).store
    # Versions by their digests: names of the store are part of absolute paths alone.
    assert [read_state(store, version) for version in range(8)] == whole
    assert not plan_repairs(_remote(s3, location), KINDS).repairs
    assert not undo(_remote(s3, location).store, outcome.journal)
    assert _objects(bucket, f"{kind}/{damage}") == before


def _remote(s3: S3Server, location: str) -> Case:
    options = {name.lower(): text for name, text in s3.environment.items()}
    store = open_store(location, object_stores=ObjectStores(lambda: lambda _: options))
    return Case(store, time_ns() // 1_000_000, -_HOUR)


def _objects(bucket: Any, prefix: str) -> dict[str, bytes]:
    names = [meta["path"] for page in obstore.list(bucket, prefix) for meta in page]
    return {
        name: bytes(obstore.get(bucket, name).bytes())
        for name in names
        if "_deltaadm_quarantine" not in name
    }


def test_an_object_that_was_replaced_meanwhile_is_not_overwritten(
    s3: S3Server, tmp_path: Path
) -> None:
    made = plain(tmp_path)
    sound = checkpoint(made.log, 6).read_bytes()
    REPAIRED["torn checkpoint"](made.log)
    location = s3.upload(tmp_path, "raced")
    name = f"raced/_delta_log/{6:020d}.checkpoint.parquet"
    case = _remote(s3, location)
    plan = plan_repairs(case, KINDS)

    def meanwhile(operation: str, path: str) -> None:
        if operation == "replace" and path.endswith(".parquet"):
            obstore.put(s3.bucket, name, sound)

    with pytest.raises(CommitError):
        carry_out(Watched(case.store, meanwhile), plan, {})  # type: ignore[arg-type]
    assert bytes(obstore.get(s3.bucket, name).bytes()) == sound
