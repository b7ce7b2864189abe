"""
Who writes a version, when many want to, and what is left of processes that are killed.

The rounds are those of the scripts in `tests.support`, which go on for hundreds when they are run
by themselves; here a few of them are played, in processes that have no threads to inherit.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from deltaadm.errors import StorageError
from deltaadm.storage.files import drafted, published, remove_dead_drafts
from deltaadm.storage.store import open_store

CREATES = 64


def test_one_of_many_creates_a_file(tmp_path: Path) -> None:
    """As `test_stores.py` has it for object stores."""
    (tmp_path / "_delta_log").mkdir()

    def create(number: int) -> bool:
        return open_store(str(tmp_path)).create("x.json", b"%d\n" % number)

    with ThreadPoolExecutor(CREATES) as pool:
        won = list(pool.map(create, range(CREATES)))
    winners = [number for number, mine in enumerate(won) if mine]
    assert [open_store(str(tmp_path)).read("x.json")] == [b"%d\n" % winner for winner in winners]
    assert [file.name for file in (tmp_path / "_delta_log").iterdir()] == ["x.json"]


def test_nothing_is_created_where_a_store_has_no_conditions() -> None:
    assert "only where there is none" in open_store("https://example.com/t").obstacle
    assert open_store("s3://bucket/t").obstacle == ""


@pytest.mark.slow
def test_a_draft_is_removed_once_its_process_is_dead(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom deltaadm.storage import files\n"
        "with files.drafted(sys.argv[1]):\n print(flush=True); time.sleep(60)"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "x.json")], stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    other.stdout.readline()
    remove_dead_drafts(str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1
    other.kill()
    other.wait()
    other.stdout.close()
    remove_dead_drafts(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_no_draft_is_taken_for_one_of_a_dead_process_while_it_is_made(tmp_path: Path) -> None:
    done = Event()

    def remove() -> None:
        while not done.is_set():
            remove_dead_drafts(str(tmp_path))

    with ThreadPoolExecutor(4) as pool:
        removing = [pool.submit(remove) for _ in range(4)]
        try:
            for number in range(100):
                with drafted(tmp_path / "x.json") as draft:
                    assert published(draft, tmp_path / f"{number}.json")
        finally:
            done.set()
    assert not any(each.exception() for each in removing)
    assert len(list(tmp_path.iterdir())) == 100


def test_drafts_of_other_programs_stay(tmp_path: Path) -> None:
    name = ".00000000000000000007.json.4f6d1a3e.tmp"
    (tmp_path / name).write_text("")
    remove_dead_drafts(str(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_draft_that_is_taken_away_is_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    (tmp_path / "_delta_log").mkdir()
    link = os.link

    def linked(draft: str, path: str) -> None:
        Path(draft).unlink()
        link(draft, path)

    monkeypatch.setattr(os, "link", linked)
    with pytest.raises(StorageError, match="no such file"):
        open_store(str(tmp_path)).create("x.json", b"whole")
    assert not list((tmp_path / "_delta_log").iterdir())


def test_a_file_system_without_links_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno
    import os

    (tmp_path / "_delta_log").mkdir()

    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    with pytest.raises(StorageError, match="no hard links"):
        open_store(str(tmp_path)).create("x.json", b"whole")
    assert list((tmp_path / "_delta_log").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(("script", "arguments"), [
    pytest.param("races", ["1"], id="races on a disk"),
    pytest.param("races", ["1", "s3"], id="races on S3"),
    pytest.param("kills", ["10"], id="kills on a disk"),
    pytest.param("kills", ["3", "programs"], id="kills of checkpoints"),
    pytest.param("kills", ["2", "s3"], id="kills on S3"),
    pytest.param("kills", ["2", "repair", "--seed", "1"], id="kills of repairs"),
    pytest.param("kills", ["1", "repair-s3", "--seed", "2"], id="kills of repairs on S3",
        marks=pytest.mark.matrix),  # both stores are told apart by what is killed above
])  # fmt: skip
def test_nothing_is_lost_or_there_twice(script: str, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"tools.{script}", *arguments],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
