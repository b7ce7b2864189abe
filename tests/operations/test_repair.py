"""Repairs: what is damaged comes back as it was, or is refused with the reason; nothing is lost."""

import hashlib
import json
import re
import resource
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier
from time import time_ns
from typing import Any
from uuid import uuid4

import obstore
import pytest

from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import LogSegment
from deltaadm.errors import (
    CommitError,
    DeltaadmError,
    RefusedError,
    StorageError,
    UnknownWriteError,
)
from deltaadm.plans.checkpoint import TableState, read_state, state_of, write_checkpoint
from deltaadm.plans.repair import plan_repairs
from deltaadm.plans.repair.carry_out import Work, carry_out
from deltaadm.plans.repair.repair import Case
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.local import LocalStore
from deltaadm.storage.store import LogStore, WritableStore, open_store
from tests.support.object_stores import PLACES, Place
from tests.support.program import deltaadm
from tests.support.repairs import (
    AS_WRITTEN,
    DAMAGED,
    HOUR,
    ONLY_RICH,
    REPAIRED,
    TABLES,
    UNCONFIRMED,
    Watched,
    aged,
    by_delta_rs,
    case_of,
    checkpoint,
    contents,
    copied,
    crc,
    edited,
    every_version,
    multipart,
    other_property,
    plain,
    planned,
    repaired,
    shortened,
    with_removed,
    without,
)
from tests.support.rows import with_rows
from tests.support.tables import (
    add,
    commit,
    commit_info,
    metadata,
    protocol,
    table,
)
from tests.support.unsteady import Unsteady

pytestmark = pytest.mark.slow


Sound = dict[str, tuple[Path, list[Any]]]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """A table of each kind, and its versions; do not write to it."""
    made = {kind: make(tmp_path_factory.mktemp(kind)).path for kind, make in TABLES.items()}
    return {kind: (path, every_version(path)) for kind, path in made.items()}


@pytest.mark.parametrize(
    ("kind", "damage"), [*DAMAGED, *(("rich", damage) for damage in ONLY_RICH)]
)
def test_damage_is_repaired(kind: str, damage: str, sound: Sound, tmp_path: Path) -> None:
    path = tmp_path / "table"
    made, whole = sound[kind]
    shutil.copytree(made, path)
    (REPAIRED | ONLY_RICH)[damage](path / "_delta_log")
    aged(path)
    damaged, at_first, at_any_moment = contents(path), by_delta_rs(path), list[Any]()
    plan = repaired(path, lambda *_: at_any_moment.append(by_delta_rs(path)))
    assert plan.planned
    # Whenever the run ends, others see the table as before or as it is in the end.
    assert all(map((at_first, by_delta_rs(path)).__contains__, at_any_moment))
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


# Kills, and others at work meanwhile


def undo(store: WritableStore, journal: str) -> tuple[str, ...]:
    return Work.find(store, journal).put_back(status="undone")


class Killed(BaseException):
    """The process ends here, as by `kill -9`: nobody handles it."""


class KillAt:
    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, operation: str, _path: str) -> None:
        self.left -= operation in Watched.WRITES  # after a write it is as before the next one
        if self.left < 0:
            raise Killed


KILLS = (
    ("classic", "checkpoint without its last part"),
    ("classic", "commit without padding"),
    ("rich", "checkpoint torn and pointer gone"),
)
"""One of each way to repair; `tools/kills.py` goes on for longer, and with more kinds of damage."""


@pytest.mark.parametrize(("kind", "damage"), KILLS)
def test_a_kill_at_any_moment_leaves_the_table_no_worse(
    kind: str, damage: str, sound: Sound, tmp_path: Path
) -> None:
    path, model = tmp_path / "table", tmp_path / "model"
    made, whole = sound[kind]
    shutil.copytree(made, path)
    REPAIRED[damage](path / "_delta_log")
    aged(path)
    damaged, seen, begun = contents(path), _seen(path), planned(path)
    path.rename(model)
    for number in range(1_000):
        shutil.copytree(model, path)
        try:
            carry_out(Watched(open_store(str(path)), KillAt(number)), begun)  # type: ignore[arg-type]
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
            carry_out(open_store(str(path)), plan)
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
    outcome = carry_out(store, carried)  # type: ignore[arg-type]
    assert outcome.proved or carried.unproved == UNCONFIRMED
    assert outcome.later
    state = read_state(open_store(str(tmp_path)))
    assert (state.version, state.counts["add"]) == (8, outcome.actual.counts["add"] + 1)


def test_no_pointer_names_a_checkpoint_that_has_moved_aside(tmp_path: Path) -> None:
    """Where deltaadm must not write checkpoints, nothing takes the place of a wrong one."""
    log = plain(tmp_path).log
    first, unknown = log / f"{0:020d}.json", json.dumps(protocol(1, 7, None, ["notYetKnown"]))
    first.write_text("\n".join([unknown, *first.read_text().splitlines()[1:]]))
    checkpoint(log, 3).unlink()
    REPAIRED["checkpoint that lacks a live file"](log)
    aged(tmp_path)

    def at_any_moment(_operation: str, _path: str) -> None:
        pointer = log / "_last_checkpoint"
        assert not pointer.exists() or checkpoint(log, json.loads(pointer.read_text())["version"])

    plan = planned(tmp_path)
    carry_out(Watched(open_store(str(tmp_path)), at_any_moment), plan)  # type: ignore[arg-type]
    assert not [*log.glob("*.parquet")]


def test_a_checkpoint_that_another_writes_meanwhile_stays(tmp_path: Path) -> None:
    made = plain(tmp_path)
    sound = checkpoint(made.log, 6).read_bytes()
    REPAIRED["torn checkpoint"](made.log)
    aged(tmp_path)
    plan = planned(tmp_path)
    made.write(f"{6:020d}.checkpoint.parquet", sound)
    with pytest.raises(CommitError, match="changed"):
        carry_out(open_store(str(tmp_path)), plan)
    assert checkpoint(made.log, 6).read_bytes() == sound


def test_a_store_that_denies_what_it_has_written_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked twice because an answer was lost, it finds the file of the first request."""
    made = plain(tmp_path)
    sound = every_version(tmp_path)
    REPAIRED["torn checkpoint"](made.log)
    aged(tmp_path)
    replace_file = LocalStore.replace
    monkeypatch.setattr(LocalStore, "replace", lambda *given: replace_file(*given) and False)
    repaired(tmp_path)
    assert every_version(tmp_path) == sound


@pytest.mark.parametrize("damage", ["torn checkpoint", "commit twice, unpadded"])
def test_a_full_disk_is_no_bug_of_ours(damage: str, tmp_path: Path) -> None:
    made = plain(tmp_path)
    made.write(f"{5:020d}.json", commit(add("f5", 105), commit_info(notes="x" * 9_000)))
    REPAIRED[damage](made.log)
    aged(tmp_path)
    plan, before = planned(tmp_path), contents(tmp_path)
    with full_disk(8_000), pytest.raises(StorageError, match="not complete: Cannot write"):
        carry_out(open_store(str(tmp_path)), plan)
    assert contents(tmp_path) == before
    # What began can be completed, and taken back on a disk that is full as well.
    outcome = carry_out(open_store(str(tmp_path)), planned(tmp_path))
    with full_disk(8_000), pytest.raises(StorageError, match="Cannot write"):
        undo(open_store(str(tmp_path)), outcome.journal)
    undo(open_store(str(tmp_path)), outcome.journal)
    assert contents(tmp_path) == before


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """No file can have more bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_cleanup_meanwhile_takes_the_repair_back(tmp_path: Path) -> None:
    made = plain(tmp_path)
    REPAIRED["checkpoint without its last part"](made.log)
    aged(tmp_path)
    plan, before = planned(tmp_path), contents(tmp_path)
    for version in range(3):
        (made.log / f"{version:020d}.json").unlink()
    (made.log / f"{3:020d}.checkpoint.parquet").unlink()
    with pytest.raises(DeltaadmError):
        carry_out(open_store(str(tmp_path)), plan)
    assert contents(tmp_path).items() <= before.items()


def test_what_does_not_come_out_as_foreseen_is_put_back(tmp_path: Path) -> None:
    made = plain(tmp_path)
    REPAIRED["checkpoint without its last part"](made.log)
    aged(tmp_path)
    plan, before = planned(tmp_path), contents(tmp_path)
    assert plan.after is not None
    wrong = replace(plan.after, digests={**plan.after.digests, "add": "another"})
    with pytest.raises(CommitError, match="taken back"):
        carry_out(open_store(str(tmp_path)), replace(plan, after=wrong))
    assert contents(tmp_path) == before


def committing(path: Path) -> None:
    """A table whose repair commits version 2."""
    feed = metadata(configuration={"delta.enableChangeDataFeed": "true"})
    table(path, commit(protocol(1, 4), feed), commit(protocol(1, 7, None, ["appendOnly"])))


def test_what_was_committed_stays_and_is_named(tmp_path: Path) -> None:
    committing(tmp_path)
    plan = planned(tmp_path)
    assert plan.after is not None
    wrong = replace(plan.after, digests={**plan.after.digests, "add": "another"})
    with pytest.raises(CommitError, match="taken back, but for version 2, which it has committed"):
        carry_out(open_store(str(tmp_path)), replace(plan, after=wrong))
    assert f"_delta_log/{2:020d}.json" in contents(tmp_path)


def test_a_checkpoint_made_from_a_wrong_one_is_judged_by_all_commits(tmp_path: Path) -> None:
    made = plain(tmp_path)
    whole, first = every_version(tmp_path), checkpoint(made.log, 6)
    sound = first.read_bytes()
    edited(first, with_removed)
    store = open_store(str(tmp_path))
    write_checkpoint(store, load_snapshot(store, version=7))
    first.write_bytes(sound)  # as a repair leaves it of which a writer knew nothing
    aged(tmp_path)
    assert every_version(tmp_path) != whole
    assert [repair.rule for repair in repaired(tmp_path).repairs] == ["DL609"]
    assert every_version(tmp_path) == whole


@pytest.mark.parametrize("damage", ["torn checkpoint", "checkpoint that lacks a live file"])
def test_a_plan_takes_the_state_of_the_same_files_once(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a table with many files, it is most of the work."""
    REPAIRED[damage](plain(tmp_path).log)
    aged(tmp_path)
    asked: list[object] = []

    def noted(store: LogStore, segment: LogSegment, take: Any) -> TableState:
        asked.append((segment.version, segment.checkpoint, segment.deltas.names))
        return state_of(store, segment, take)

    monkeypatch.setattr("deltaadm.plans.repair.repair.state_of", noted)
    planned(tmp_path)
    assert len(asked) > 4
    assert all(asked.count(each) == 1 for each in asked)


def test_tables_are_read_at_the_same_time(tmp_path: Path) -> None:
    """In 3.11, `cached_property` has a lock for all objects, and lets each wait for the others."""
    both = Barrier(2)

    class Meeting(Case):
        def read(self, path: str) -> bytes:
            if path == f"{7:020d}.json":
                both.wait(20)
            return super().read(path)

    with ThreadPoolExecutor(2) as pool:
        cases = [Meeting(open_store(str(plain(tmp_path / name).path)), 0, 0) for name in "ab"]
        assert all(pool.map(lambda case: case.loaded, cases))


@pytest.mark.parametrize("damage", ["a feature was lost", "checkpoint that lacks a live file"])
def test_what_the_store_does_not_tell_is_not_taken_for_damage(damage: str, tmp_path: Path) -> None:
    if damage in REPAIRED:
        REPAIRED[damage](plain(tmp_path).log)
    else:
        committing(tmp_path)
    aged(tmp_path)
    now, whole, raised, number = time_ns() // 1_000_000, planned(tmp_path).repairs, 0, 0
    assert whole
    while True:
        store = Unsteady(open_store(str(tmp_path)), number)
        try:
            found = plan_repairs(Case(store, now, 1)).repairs  # type: ignore[arg-type]
        except StorageError:
            raised += 1
        else:
            assert [each.wrong for each in found] == [each.wrong for each in whole]
            assert [each.unproved for each in found] == [each.unproved for each in whole]
        if store.left >= 0:
            break
        number += 1
    assert raised > 10


@with_rows
def test_a_checksum_that_only_files_contradict(rule: str, damage: str, tmp_path: Path) -> None:
    REPAIRED[damage](plain(tmp_path).log)
    aged(tmp_path)
    assert [repair.rule for repair in planned(tmp_path).repairs] == [rule]


def test_a_pointer_with_a_list_for_a_number_is_written_anew(tmp_path: Path) -> None:
    made = plain(tmp_path)
    document = json.loads((made.log / "_last_checkpoint").read_text())
    del document["checksum"]
    made.write("_last_checkpoint", json.dumps({**document, "numOfAddFiles": [5]}))
    aged(tmp_path)
    assert [repair.rule for repair in repaired(tmp_path).repairs] == ["DL616"]


@pytest.mark.parametrize("size", ["null", "1"])
def test_a_sidecar_of_another_size_is_written_anew(size: str, tmp_path: Path) -> None:
    """Which delta-rs does not find the end of."""
    actions = [
        protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"]), metadata(), add("a.parquet")
    ]  # fmt: skip
    made = table(tmp_path, commit(*actions))
    top = made.v2_checkpoint(0, actions)
    top.write_text(re.sub(r'("sizeInBytes": ?)\d+', rf"\g<1>{size}", top.read_text()))
    aged(tmp_path)
    assert [repair.rule for repair in repaired(tmp_path).repairs] == ["DL608"]


def test_an_older_commit_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (plain(tmp_path).log / f"{2:020d}.json").write_bytes(b"{torn")
    aged(tmp_path)
    plan = planned(tmp_path)
    assert (plan.is_noop, plan.refused) == (True, ())
    (note,) = plan.notes
    assert f"{2:020d}.json cannot be read" in note
    assert "checkpoint of version 3, but older versions may need it" in note


# What is refused


def only_checkpoint(log: Path) -> None:
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


def _checksum_against_the_only_checkpoint(log: Path) -> None:
    only_checkpoint(log)
    crc(numFiles=9)(log)


def _checksum_without_commit(log: Path) -> None:
    crc()(log)
    (log / f"{7:020d}.json").unlink()


def _contradicting(log: Path) -> None:
    for version in range(4):
        (log / f"{version:020d}.json").unlink(missing_ok=version < 3)
    (log / f"{3:020d}.json").write_bytes(commit(add("f3", 103)))
    edited(checkpoint(log, 6), with_removed)


def _contradicting_properties(log: Path) -> None:
    """As many files as the checksum has, in each of them."""
    for version in range(3):
        (log / f"{version:020d}.json").unlink()
    edited(checkpoint(log, 3), other_property)
    body = {"numFiles": 5, "tableSizeBytes": 519, "numMetadata": 1, "numProtocol": 1}
    (log / f"{6:020d}.crc").write_text(json.dumps(body))


def _other_content(log: Path) -> None:
    (log / f"{5:020d} (1).json").write_bytes(commit(add("other")))


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a torn checkpoint that is the only source": (_torn_only, "only source"),
    "parts that are the only source": (_part_only, "only source"),
    "a checkpoint unlike its checksum": (_wrong_by_checksum, "only source"),
    "a checksum unlike the only checkpoint": (
        _checksum_against_the_only_checkpoint, "nothing but it tells",
    ),
    "a checksum without its commit": (_checksum_without_commit, "it was committed"),
    "checkpoints that contradict each other": (_contradicting, "nothing tells"),
    "checkpoints with contradicting properties": (_contradicting_properties, "nothing tells"),
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


def test_a_lost_domain_is_taken_from_an_older_checkpoint_with_reserve(tmp_path: Path) -> None:
    log = plain(tmp_path).log
    for version in range(3):
        (log / f"{version:020d}.json").unlink()
    edited(checkpoint(log, 6), without("domainMetadata"))
    aged(tmp_path)
    (repair,) = planned(tmp_path).planned
    assert any("checkpoint of version 3 is right" in text for text in repair.unproved)


def test_what_may_still_be_written_is_left_alone(tmp_path: Path) -> None:
    shortened(checkpoint(plain(tmp_path).log, 6))
    (repair,) = planned(tmp_path).repairs
    assert "a writer may still be at work" in repair.refusal
    plan = plan_repairs(case_of(tmp_path, older_than=0))
    assert not plan.refused


def test_a_table_of_a_catalog_is_refused(tmp_path: Path) -> None:
    start = [protocol(3, 7, ["catalogManaged"], ["catalogManaged"]), metadata()]
    table(tmp_path, commit(*start))
    with pytest.raises(RefusedError, match="catalog manages"):
        planned(tmp_path)


def test_undoing_spares_what_others_have_written(tmp_path: Path) -> None:
    made = plain(tmp_path)
    REPAIRED["commit without padding"](made.log)
    aged(tmp_path)
    repaired(tmp_path)
    made.write(f"{5:020d}.json", commit(add("other")))
    (journal,) = (tmp_path / "_deltaadm_quarantine").glob("*/journal.json")
    before = contents(tmp_path)
    for more in ([], ["--apply", "--yes"]):  # what is shown is what would be done
        refused = deltaadm("repair", tmp_path, "--undo", journal, *more)
        assert (refused.code, "changed since" in refused.err) == (7, True)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("cleaned_up", [True, False])
def test_undoing_never_loses_what_the_repair_has_made(cleaned_up: bool, tmp_path: Path) -> None:
    made = plain(tmp_path)
    REPAIRED["torn checkpoint"](made.log)
    aged(tmp_path)
    repaired(tmp_path)
    new = checkpoint(made.log, 6).read_bytes()
    (journal,) = tmp_path.glob("_deltaadm_quarantine/*/journal.json")
    if cleaned_up:  # since there is a checkpoint of a later version
        for version in range(6):
            (made.log / f"{version:020d}.json").unlink()
        checkpoint(made.log, 3).unlink()
    before = contents(tmp_path)
    undone = deltaadm("repair", tmp_path, "--undo", journal, "--apply", "--yes")
    assert (undone.code, "could not be loaded any more" in undone.err) == (
        7 * cleaned_up,
        cleaned_up,
    )
    assert (contents(tmp_path) == before) is cleaned_up
    kept = (
        checkpoint(made.log, 6)
        if cleaned_up
        else journal.with_name(f"undone.{6:020d}.checkpoint.parquet")
    )
    assert kept.read_bytes() == new


@pytest.mark.parametrize(
    "entry",
    [
        {"file": "../../other", "before": "0" * 64, "after": None},
        {"file": "..\\other", "before": None, "after": None},
        {"file": "a\0", "before": None, "after": None},
        {"file": "a", "before": [], "after": None},
        {"file": "a"},
        5,
    ],
)
def test_an_edited_journal_cannot_reach_beyond_the_log(entry: Any, tmp_path: Path) -> None:
    REPAIRED["no pointer"](plain(tmp_path / "t").log)
    aged(tmp_path)
    repaired(tmp_path / "t")
    (journal,) = (tmp_path / "t/_deltaadm_quarantine").glob("*/journal.json")
    document = json.loads(journal.read_text())
    journal.write_text(json.dumps({**document, "files": [*document["files"], entry]}))
    refused = deltaadm("repair", tmp_path / "t", "--undo", journal, "--apply", "--yes")
    assert (refused.code, "is not the journal of a repair" in refused.err) == (7, True)


@pytest.mark.parametrize("arrives", [False, True])
def test_a_commit_without_an_answer_is_not_denied(arrives: bool, tmp_path: Path) -> None:
    committing(tmp_path)

    def lost(operation: str, path: str) -> None:
        if operation == ("created" if arrives else "create") and path == f"{2:020d}.json":
            raise UnknownWriteError("There was no answer.")

    store: Any = Watched(open_store(str(tmp_path)), lost)
    if not arrives:
        with pytest.raises(StorageError, match="not complete: There was no answer"):
            carry_out(store, planned(tmp_path))
        (journal,) = tmp_path.glob("_deltaadm_quarantine/*/journal.json")
        assert json.loads(journal.read_text())["commits"] == [2]
        store = open_store(str(tmp_path))
    assert carry_out(store, planned(tmp_path)).actual.version == 2


# In an object store


@pytest.fixture(
    scope="module", params=["s3", "gcs", pytest.param("azure", marks=pytest.mark.matrix)]
)
def lake(request: pytest.FixtureRequest) -> Iterator[Place]:
    with PLACES[request.param]() as place:
        yield place


@pytest.fixture
def prefix() -> str:
    return uuid4().hex


@with_rows
def test_damage_in_an_object_store_is_repaired(
    kind: str, damage: str, sound: Sound, lake: Place, prefix: str, tmp_path: Path
) -> None:
    made, whole = sound[kind]
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    REPAIRED[damage](tmp_path / "_delta_log")
    location = lake.upload(tmp_path, prefix)
    before = _objects(lake.bucket, prefix)
    plan = plan_repairs(_remote(lake, location))
    assert plan.planned
    assert not plan.refused
    outcome = carry_out(_remote(lake, location).store, plan)
    assert outcome.proved or all(text.startswith(AS_WRITTEN) for text in plan.unproved)
    store = _remote(lake, location).store
    # Versions by their digests: names of the store are part of absolute paths alone.
    assert [read_state(store, version) for version in range(8)] == whole
    assert not plan_repairs(_remote(lake, location)).repairs
    assert not undo(_remote(lake, location).store, outcome.journal)
    assert _objects(lake.bucket, prefix) == before


def _remote(lake: Place, location: str) -> Case:
    store = open_store(location, object_stores=lake.stores)
    return Case(store, time_ns() // 1_000_000, -HOUR)


def _objects(bucket: Any, prefix: str) -> dict[str, bytes]:
    names = [meta["path"] for page in obstore.list(bucket, prefix) for meta in page]
    return {
        name: bytes(obstore.get(bucket, name).bytes())
        for name in names
        if "_deltaadm_quarantine" not in name
    }


def test_an_object_that_was_replaced_meanwhile_is_not_overwritten(
    lake: Place, prefix: str, tmp_path: Path
) -> None:
    made = plain(tmp_path)
    edited(checkpoint(made.log, 6), lambda rows: rows)  # as another program writes it
    sound = checkpoint(made.log, 6).read_bytes()
    REPAIRED["torn checkpoint"](made.log)
    location = lake.upload(tmp_path, prefix)
    name = f"{prefix}/_delta_log/{6:020d}.checkpoint.parquet"
    case = _remote(lake, location)
    plan = plan_repairs(case)

    def meanwhile(operation: str, path: str) -> None:
        if operation == "replace" and path.endswith(".parquet"):
            obstore.put(lake.bucket, name, sound)

    with pytest.raises(CommitError):
        carry_out(Watched(case.store, meanwhile), plan)  # type: ignore[arg-type]
    assert bytes(obstore.get(lake.bucket, name).bytes()) == sound


def test_a_pointer_that_was_replaced_meanwhile_is_not_trouble_with_the_store(
    lake: Place, prefix: str, tmp_path: Path
) -> None:
    made, removed, hint = plain(tmp_path), set[str](), "_delta_log/_last_checkpoint"
    REPAIRED["pointer to nothing"](made.log)
    REPAIRED["commit twice, unpadded"](made.log)
    location = lake.upload(tmp_path, prefix)
    case, before = _remote(lake, location), _objects(lake.bucket, prefix)
    plan, theirs = plan_repairs(case), b'{"version":6,"size":9}'

    def meanwhile(operation: str, path: str) -> None:
        removed.update({path} if operation == "removed" else ())
        if removed and operation == "overwrite" and path == "journal.json":
            obstore.put(lake.bucket, f"{prefix}/{hint}", theirs)

    with pytest.raises(CommitError, match="Another program has changed _last_checkpoint"):
        carry_out(Watched(case.store, meanwhile), plan)  # type: ignore[arg-type]
    # What had been moved aside by then is back.
    assert removed == {"5.json"}
    assert _objects(lake.bucket, prefix) == {**before, f"{prefix}/{hint}": theirs}


def test_a_pointer_that_was_replaced_since_the_plan_is_not_trouble_with_the_store(
    lake: Place, prefix: str, tmp_path: Path
) -> None:
    REPAIRED["pointer to nothing"](plain(tmp_path).log)
    location = lake.upload(tmp_path, prefix)
    case = _remote(lake, location)
    plan = plan_repairs(case)
    obstore.put(lake.bucket, f"{prefix}/_delta_log/_last_checkpoint", b'{"version":6,"size":9}')
    with pytest.raises(CommitError, match="Another program has changed _last_checkpoint"):
        carry_out(case.store, plan)


def test_a_repair_is_taken_back_where_no_other_object_is_left_in_the_log(
    lake: Place, prefix: str, tmp_path: Path
) -> None:
    REPAIRED["commit twice, unpadded"](plain(tmp_path).log)
    location = lake.upload(tmp_path, prefix)
    case, before = _remote(lake, location), _objects(lake.bucket, prefix)
    plan, moved = plan_repairs(case), f"{prefix}/_delta_log/5.json"

    def emptied(operation: str, path: str) -> None:
        if (operation, path) == ("removed", "5.json"):
            obstore.delete(lake.bucket, [name for name in before if name != moved])

    with pytest.raises(CommitError, match="taken back"):
        carry_out(Watched(case.store, emptied), plan)  # type: ignore[arg-type]
    assert _objects(lake.bucket, prefix) == {moved: before[moved]}


@pytest.mark.parametrize("when", ["publish", "replace", "replaced"])
@pytest.mark.parametrize("damage", ["torn checkpoint", "older checkpoint torn"])
def test_what_the_store_does_not_answer_is_not_said_to_be_done(
    damage: str, when: str, lake: Place, prefix: str, tmp_path: Path
) -> None:
    made = plain(tmp_path)
    whole = read_state(open_store(str(tmp_path)))
    REPAIRED[damage](made.log)
    location = lake.upload(tmp_path, prefix)
    case = _remote(lake, location)
    plan = plan_repairs(case)

    def lost(operation: str, path: str) -> None:
        if operation == when and path.endswith(".parquet"):
            raise UnknownWriteError("There was no answer.")

    unanswered: Any = Watched(case.store, lost)
    if when != "replaced":
        with pytest.raises(StorageError, match="not complete: There was no answer"):
            carry_out(unanswered, plan)
        unanswered, plan = case.store, plan_repairs(_remote(lake, location))
        assert plan.planned
    assert carry_out(unanswered, plan).actual == whole
    assert not plan_repairs(_remote(lake, location)).repairs
