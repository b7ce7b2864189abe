"""Files are written whole, and in the place of nothing but a regular file."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from deltaadm.storage.files import open_to_append, replacing, write_whole
from tests.support.places import ODD_PLACES, contents


@pytest.fixture(params=ODD_PLACES)
def odd(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, str]:
    make, words = ODD_PLACES[request.param]
    make(tmp_path / "place")
    return tmp_path / "place", words


@pytest.mark.parametrize("write", [lambda path: write_whole(path, b"new"), open_to_append])
def test_what_is_no_regular_file_stays(
    odd: tuple[Path, str], write: Callable[[Path], object]
) -> None:
    path, words = odd
    before = contents(path.parent)
    with pytest.raises(OSError, match=words):
        write(path)
    assert contents(path.parent) == before


def test_what_becomes_a_link_meanwhile_is_not_followed(tmp_path: Path) -> None:
    path, other = tmp_path / "place", tmp_path / "other"
    other.write_bytes(b"other")

    def write() -> None:
        with replacing(path):
            path.symlink_to(other)

    with pytest.raises(OSError, match="link"):
        write()
    assert {path.name for path in tmp_path.iterdir()} == {"place", "other"}
    assert other.read_bytes() == b"other"


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
@pytest.mark.parametrize("before", [None, b"old"])
def test_after_an_error_all_is_as_before(
    tmp_path: Path, before: bytes | None, error: BaseException
) -> None:
    path = tmp_path / "place"
    if before is not None:
        path.write_bytes(before)

    def write() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(type(error)):
        write()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([before] if before else [])


def test_nobody_knows_the_name_of_the_draft_before(tmp_path: Path) -> None:
    names = []
    for _ in range(2):
        with replacing(tmp_path / ("n" * 255)):
            names += [path.name for path in tmp_path.iterdir() if path.name.endswith(".tmp")]
    assert len(set(names)) == 2


@pytest.mark.parametrize(
    ("before", "after"), [(None, 0o640), (0o604, 0o604), (0o664, 0o664), (0o4755, 0o755)]
)
def test_permissions(tmp_path: Path, before: int | None, after: int) -> None:
    path = tmp_path / "place"
    if before is not None:
        path.touch()
        path.chmod(before)
    mask = os.umask(0o027)
    try:
        write_whole(path, b"new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == after
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write every file")
def test_a_file_that_may_not_be_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "place"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


def test_appending_keeps_what_is_there(tmp_path: Path) -> None:
    for part in (b"one", b"two"):
        with open_to_append(tmp_path / "place") as file:
            file.write(part)
            file.seek(0)
            assert file.read().endswith(part)
    assert (tmp_path / "place").read_bytes() == b"onetwo"
