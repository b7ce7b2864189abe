"""Looking into many files: every number of processes gives the same answer."""

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.errors import TableError
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import PARALLEL_THRESHOLD, Detail, can_fork, scan
from deltaadm.storage.local import LocalStore
from tests.support.tables import Table, add, commit, metadata, protocol, remove

pytestmark = pytest.mark.slow

LONG = 2 * PARALLEL_THRESHOLD + 1
STORE = LocalStore("")
PATHS = [f"{number:020d}.json" for number in range(LONG)]


@pytest.fixture(autouse=True)
def _processes_are_used(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The test run itself has threads and pyarrow, which a quick start has not."""
    monkeypatch.setattr("deltaadm.replay.reconcile.can_fork", lambda: hasattr(os, "fork"))
    monkeypatch.setattr("deltaadm.replay.reconcile.processors", lambda: 2)
    return


@settings(max_examples=15)
@given(st.sets(st.integers(0, LONG - 1), max_size=5), st.integers(1, 4))
def test_answers_come_in_the_order_of_the_paths(wanted: set[int], processes: int) -> None:
    with patch("deltaadm.replay.reconcile.processors", return_value=processes):
        found = list(scan(STORE, PATHS, lambda path: int(path[:20]) in wanted))
    assert found == [(path, number in wanted) for number, path in enumerate(PATHS)]


def test_what_nobody_waits_for_is_not_looked_into_here() -> None:
    looked: list[str] = []
    found = scan(STORE, PATHS, lambda path: looked.append(path) or path)
    assert next(found) == (PATHS[0], PATHS[0])
    found.close()  # type: ignore[attr-defined]
    assert looked == []


@pytest.mark.parametrize("number", [0, 200, LONG - 1])
def test_trouble_comes_up_in_its_turn(number: int) -> None:
    def look(path: str) -> str:
        if path == PATHS[number]:
            raise TableError("unreadable")
        return path

    found = scan(STORE, PATHS, look)
    assert [next(found)[0] for _ in range(number)] == PATHS[:number]
    with pytest.raises(TableError, match="unreadable"):
        next(found)


def test_a_process_that_dies_is_made_up_for() -> None:
    parent = os.getpid()

    def look(path: str) -> str:
        if os.getpid() != parent and path > PATHS[1000]:
            os._exit(9)
        return path

    assert [found for _, found in scan(STORE, PATHS, look)] == PATHS


def test_what_cannot_be_sent_is_found_here() -> None:
    found = scan(STORE, PATHS, TableError)
    assert [finding.message for _, finding in found] == PATHS


def test_no_process_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    processes: list[int] = []
    fork = os.fork

    def counted() -> int:
        process = fork()
        processes.append(process)
        return process

    monkeypatch.setattr(os, "fork", counted)
    list(scan(STORE, PATHS, lambda _path: ""))
    assert len(processes) == 2
    for process in processes:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


def test_nothing_to_look_into() -> None:
    assert list(scan(STORE, [], lambda path: path)) == []


def test_a_long_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltaadm.replay.reconcile.processors", lambda: 3)
    made = Table(tmp_path)
    made.write(PATHS[0], commit(protocol(1, 2), metadata({"a": "old"})))
    for path in PATHS[1:]:
        made.write(path, commit(add(path)))
    made.write(PATHS[7], commit(metadata({"a": "new"})))
    made.write(PATHS[1800], commit(add(PATHS[5], size=70), add("b", size=7), remove("b")))
    store = LocalStore(str(tmp_path))
    for detail in Detail:
        snapshot = load_snapshot(store, detail=detail)
        assert snapshot.version == LONG - 1
        assert snapshot.metadata.configuration == {"a": "new"}
    assert snapshot.files
    assert (snapshot.files.files, snapshot.files.bytes) == (LONG - 3, (LONG - 4) * 100 + 70)
    made.write(PATHS[9], "no commit")
    for detail in Detail:
        with pytest.raises(TableError, match=PATHS[9]):
            load_snapshot(store, detail=detail)


def test_threads_keep_from_copying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert not can_fork()
