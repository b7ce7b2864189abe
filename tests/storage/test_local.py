"""The log on the file system."""

import os
from pathlib import Path

import pytest

from deltaadm.errors import MissingFileError, StorageError, TableError
from deltaadm.storage.local import LocalStore
from tests.support.tables import START_BODY, Table


@pytest.fixture
def made(tmp_path: Path) -> Table:
    made = Table(tmp_path)
    for version in range(3):
        made.write(f"{version:020d}.json", START_BODY, modified=1000 + version)
    made.write("_last_checkpoint", "{}")
    made.write("_sidecars/x.parquet", "x")
    made.write("0.json", "")
    return made


def test_lists_files_with_size_and_time(made: Table) -> None:
    listed = LocalStore(str(made.path)).list_log()
    assert set(listed) == {
        "0.json",
        *(f"{version:020d}.json" for version in range(3)),
        "_last_checkpoint",
    }
    first = listed[f"{0:020d}.json"]
    assert (first.size, first.modified) == (len(START_BODY), 1000)


def test_lists_from_a_version(made: Table) -> None:
    listed = set(LocalStore(str(made.path)).list_log(2))
    assert listed == {f"{2:020d}.json", "_last_checkpoint"}


@pytest.mark.parametrize("size", [0, 1, 1 << 14, (1 << 14) + 1, 100_000])
def test_reads_whole_files(made: Table, size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    made.write("x", body[:size])
    assert LocalStore(str(made.path)).read("x") == body[:size]


def test_opens_files_for_reading_in_pieces(made: Table) -> None:
    made.write("x", b"0123456789")
    with LocalStore(str(made.path)).open("x") as file:
        file.seek(7)
        assert file.read() == b"789"


def test_missing_directory_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(TableError) as caught:
        LocalStore(str(tmp_path / "nowhere")).list_log()
    assert caught.value.delta_error_class == "DELTA_MISSING_DELTA_TABLE"
    assert str(tmp_path / "nowhere") in caught.value.message


def test_a_file_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(TableError):
        LocalStore(str(tmp_path / "file")).list_log()


def test_missing_file(made: Table) -> None:
    store = LocalStore(str(made.path))
    for access in (store.read, store.open):
        with pytest.raises(TableError, match="missing"):
            access("nothing")


def test_a_name_that_is_too_long_names_no_file(made: Table) -> None:
    name = "x" * 300
    with pytest.raises(MissingFileError):
        LocalStore(made.path).read(name)
    with pytest.raises(MissingFileError):
        LocalStore(made.path).open(name)
    assert LocalStore(made.path).data_size(name) is None


def test_no_permission(made: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "scandir", refuse)
    store = LocalStore(str(made.path))
    with pytest.raises(StorageError, match="permission denied"):
        store.read("x")
    with pytest.raises(StorageError, match="permission denied"):
        store.list_log()


def test_a_directory_cannot_be_read_as_a_file(made: Table) -> None:
    with pytest.raises(TableError, match="directory"):
        LocalStore(str(made.path)).read("_sidecars")


def test_dangling_links_are_listed(made: Table) -> None:
    (made.log / "zz").symlink_to(made.log / "nowhere")
    listed = LocalStore(str(made.path)).list_log()
    assert listed["zz"].size == 0
