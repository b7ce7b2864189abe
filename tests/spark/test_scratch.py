"""Directories that last as long as a run, and those that killed runs have left."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deltaadm.spark.jvm import remove_abandoned, scratch_directory

LEAVE = """
import os, subprocess, sys
from pathlib import Path
from deltaadm.spark.jvm import scratch_directory
with scratch_directory() as scratch:
    (scratch.path / "blocks").mkdir()
    (scratch.path / "blocks" / "data").touch()
    (scratch.path / "out").symlink_to(sys.argv[1])
    if sys.argv[2:]:
        subprocess.Popen(["sleep", "600"], pass_fds=[scratch.lock], stdout=subprocess.DEVNULL)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.setenv("TMPDIR", str(made))
    monkeypatch.setattr("tempfile.tempdir", None)
    return made


def leave(kept: Path, *more: str) -> None:
    """A run that is killed, whose directory has a link to *kept*."""
    subprocess.run([sys.executable, "-c", LEAVE, str(kept), *more], check=False)


def test_it_is_there_for_the_time_of_the_block(temporary: Path) -> None:
    with scratch_directory() as first, scratch_directory() as second:
        assert sorted(temporary.iterdir()) == sorted([first.path, second.path])
        remove_abandoned()
        assert sorted(temporary.iterdir()) == sorted([first.path, second.path])
    assert list(temporary.iterdir()) == []


def test_what_a_killed_run_has_left_is_removed(temporary: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    leave(kept)
    [left] = temporary.iterdir()
    assert (left / "blocks" / "data").exists()
    with scratch_directory() as scratch:
        assert list(temporary.iterdir()) == [scratch.path]
    assert (kept / "file").exists(), "links are not followed"


def test_what_an_heir_of_a_killed_run_uses_stays(temporary: Path, tmp_path: Path) -> None:
    leave(tmp_path, "with an heir")
    remove_abandoned()
    [left] = temporary.iterdir()
    [heir] = [holder for holder in _holders(left) if holder != os.getpid()]
    os.kill(heir, 9)
    while list(temporary.iterdir()):
        remove_abandoned()


def _holders(directory: Path) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if directory in path.readlink().parents:
                found.append(int(path.parts[2]))
        except OSError:
            continue
    return found


def test_what_has_no_lock_is_removed_when_it_is_old(temporary: Path) -> None:
    """A run that was killed at its very start leaves nothing, and a JVM without one a little."""
    empty, used = temporary / "deltaadm-spark-a1b2c3d4", temporary / "deltaadm-spark-e5f6g7h8"
    empty.mkdir()
    (used / "spark-0bee661e-5e6f-4368-87b5-2e2fde3f846c" / "jars").mkdir(parents=True)
    (used / "connection").touch()
    remove_abandoned()
    assert sorted(temporary.iterdir()) == [empty, used]
    for made in (empty, used):
        os.utime(made, (0, 0))
    remove_abandoned()
    assert list(temporary.iterdir()) == []


def test_what_is_not_ours_stays(temporary: Path, tmp_path: Path) -> None:
    theirs = temporary / "deltaadm-plans"
    theirs.mkdir()
    (theirs / "plan.json").touch()
    os.utime(theirs, (0, 0))
    (temporary / "deltaadm-spark-file").touch()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "deltaadm.lock").touch()
    (temporary / "deltaadm-spark-link").symlink_to(elsewhere)
    before = sorted(temporary.rglob("*"))
    remove_abandoned()
    assert sorted(temporary.rglob("*")) == before
    assert (elsewhere / "deltaadm.lock").exists()
