"""Searching many files: every number of processes gives the same answer."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.errors import TableError
from deltaadm.replay.engine import load_snapshot
from deltaadm.replay.scan import WORTHWHILE, can_fork, search
from deltaadm.storage.local import LocalStore
from tests.support.tables import Table, add, commit, metadata, protocol

LONG = 2 * WORTHWHILE + 1
PATHS = [f"{number:020d}.json" for number in range(LONG)]


@pytest.fixture(autouse=True)
def _processes_are_used(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The test run itself has threads and pyarrow, which a quick start has not."""
    monkeypatch.setattr("deltaadm.replay.scan.can_fork", lambda: hasattr(os, "fork"))
    return


@given(st.sets(st.integers(0, LONG - 1), max_size=5), st.integers(1, 3))
def test_the_order_is_that_of_the_paths(wanted: set[int], processes: int) -> None:
    found = search(
        PATHS, lambda path: int(path[:20]) in wanted and path.upper(), processes=processes
    )
    assert list(found) == [(PATHS[one], PATHS[one].upper()) for one in sorted(wanted)]


def test_what_nobody_waits_for_is_not_looked_at() -> None:
    looked: list[str] = []
    found = search(PATHS, lambda path: looked.append(path) or path, processes=2)
    assert next(found) == (PATHS[0], PATHS[0])
    found.close()  # type: ignore[attr-defined]
    assert looked == PATHS[:1]


def test_trouble_in_another_process_comes_up_in_its_turn() -> None:
    def look(path: str) -> str:
        if path == PATHS[-1]:
            raise TableError("unreadable")
        return path if path == PATHS[-2] else ""

    found = search(PATHS, look, processes=2)
    assert next(found) == (PATHS[-2], PATHS[-2])
    with pytest.raises(TableError, match="unreadable"):
        next(found)


def test_a_process_that_dies_is_made_up_for() -> None:
    parent = os.getpid()

    def look(path: str) -> str:
        if os.getpid() != parent:
            os._exit(9)
        return path if path == PATHS[-1] else ""

    assert list(search(PATHS, look, processes=2)) == [(PATHS[-1], PATHS[-1])]


def test_no_process_is_left_behind() -> None:
    list(search(PATHS, lambda _path: "", processes=3))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_nothing_to_search() -> None:
    assert list(search([], lambda path: path, processes=2)) == []


def test_a_long_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltaadm.replay.embedded.processors", lambda: 3)
    made = Table(tmp_path)
    made.write(PATHS[0], commit(protocol(1, 2), metadata({"a": "old"})))
    for path in PATHS[1:]:
        made.write(path, commit(add(path)))
    made.write(PATHS[7], commit(metadata({"a": "new"})))
    snapshot = load_snapshot(LocalStore(str(tmp_path)))
    assert snapshot.version == LONG - 1
    assert snapshot.metadata.configuration == {"a": "new"}
    made.write(PATHS[9], "no commit")
    with pytest.raises(TableError, match=PATHS[9]):
        load_snapshot(LocalStore(str(tmp_path)))


def test_threads_keep_from_copying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert not can_fork()
