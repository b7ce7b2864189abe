"""What is committed is on the disk, and can be read by whoever reads the table."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.program import deltaadm
from tests.support.tables import START_BODY, table

EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")
ALTER = ("--set", "team=web", "--set", "delta.checkpointInterval=1")


@pytest.fixture
def closed_mask() -> Iterator[None]:
    mask = os.umask(0o077)
    yield
    os.umask(mask)


@pytest.mark.usefixtures("closed_mask")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o600])
def test_new_files_of_a_log_have_the_permissions_of_those_before(tmp_path: Path, mode: int) -> None:
    log = table(tmp_path, START_BODY).log
    (log / f"{0:020d}.json").chmod(mode)
    assert deltaadm("alter", str(tmp_path), *ALTER, *EMBEDDED).code == 0
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in log.iterdir()}
    assert {"_last_checkpoint", f"{1:020d}.json", f"{1:020d}.checkpoint.parquet"} < modes.keys()
    assert set(modes.values()) == {mode}


@pytest.fixture
def synchronised(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[Path]]:
    """The directories that are brought to the disk from now on, which fails with an error."""

    def begin(error: int) -> list[Path]:
        real, found = os.fsync, []

        def fsync(descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                found.append(Path(f"/proc/self/fd/{descriptor}").readlink())
                if error:
                    raise OSError(error, os.strerror(error))
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)
        return found

    return begin


def test_the_parents_of_a_new_log_are_on_the_disk(
    tmp_path: Path, synchronised: Callable[[int], list[Path]]
) -> None:
    found, place = synchronised(0), tmp_path / "a" / "b"
    assert deltaadm("create", str(place), "--schema", "id BIGINT", *EMBEDDED).code == 0
    assert found == [tmp_path, tmp_path / "a", place, place / "_delta_log"]


def test_a_commit_of_which_the_disk_may_know_nothing_is_no_success(
    tmp_path: Path, synchronised: Callable[[int], list[Path]]
) -> None:
    log = table(tmp_path, START_BODY).log
    synchronised(errno.EIO)
    done = deltaadm("alter", str(tmp_path), *ALTER, *EMBEDDED)
    assert done.code == 4
    assert f"{1:020d}.json is written, but its directory cannot be brought to the disk" in done.err
    assert "version 1 was committed" in done.err
    assert len(list(log.glob("*.json"))) == 2


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_synchronises_no_directories_will_do(
    tmp_path: Path, error: int, synchronised: Callable[[int], list[Path]]
) -> None:
    table(tmp_path, START_BODY)
    synchronised(error)
    assert deltaadm("alter", str(tmp_path), *ALTER, *EMBEDDED).code == 0
