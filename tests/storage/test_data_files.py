"""Files of the table outside its log, under the names that the log has for them."""

import os
from pathlib import Path

import pytest

from deltaadm.errors import StorageError, TableError
from deltaadm.storage.store import LogStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> LogStore:
    (tmp_path / "p=a b").mkdir()
    (tmp_path / "p=a b" / "ü%.parquet").write_bytes(b"four")
    return open_store(str(tmp_path))


ENCODED = "p=a%20b/%C3%BC%25.parquet"


@pytest.mark.parametrize("start", ["", "{}/", "file:{}/", "file://{}/", "file://localhost{}/"])
def test_a_path_is_decoded_and_may_be_absolute(store: LogStore, tmp_path: Path, start: str) -> None:
    path = start.format(tmp_path) + ENCODED
    assert store.data_size(path) == 4
    with store.open_data(path) as file:
        assert file.read() == b"four"


@pytest.mark.parametrize(
    "path", ["", "gone", "p=a%20b", "p=a%20b/x/y", "a%00b", "\ud800", 300 * "x"]
)
def test_what_is_no_file_has_no_size(store: LogStore, path: str) -> None:
    try:
        assert store.data_size(path) is None
    except StorageError:  # a name too long for the file system
        assert len(path) > 255
    with pytest.raises((TableError, StorageError)):
        store.open_data(path)


def test_what_is_there_has_a_size_among_very_many_that_are_not(
    store: LogStore, tmp_path: Path
) -> None:
    (tmp_path / "q=1").mkdir()
    (tmp_path / "q=1" / "there").write_bytes(b"four")
    for number in range(2_000):
        assert store.data_size(f"q=1/{number}") is None
        assert store.data_size(f"q={number + 2}/f") is None
    assert store.data_size("q=1/there") == 4
    assert store.data_size(ENCODED) == 4
    assert store.data_size("q=0/f") is None
    (tmp_path / "large").mkdir()
    for number in range(1_100):
        (tmp_path / "large" / str(number)).touch()
    assert [store.data_size(f"large/{number}") for number in range(1_101)] == [0] * 1_100 + [None]


def test_all_files_but_those_of_the_log_are_listed_once(store: LogStore, tmp_path: Path) -> None:
    for place in ("_delta_log", "elsewhere"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "x").write_bytes(b"three")
    for link, target in {"p=b": "elsewhere", "again": "elsewhere", "loop": "."}.items():
        (tmp_path / link).symlink_to(tmp_path / target)
    os.mkfifo(tmp_path / "pipe")
    os.utime(tmp_path / "elsewhere" / "x", ns=(0, 7_000_000))
    found = {info.path: (info.size, info.modified) for info in store.list_data()}
    assert found.pop("p=a b/ü%.parquet")[0] == 4
    assert found.pop("elsewhere/x") == (5, 7)
    assert list(found.values()) == [(5, 7)]
    assert found.keys() < {"p=b/x", "again/x"}


def test_nobody_waits_for_a_pipe(store: LogStore, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert store.data_size("pipe") is None
    with pytest.raises(TableError):
        store.open_data("pipe")


@pytest.mark.parametrize("path", ["s3://bucket/f", "file://elsewhere/f", "hdfs:/f"])
def test_another_store_is_out_of_reach(store: LogStore, path: str) -> None:
    with pytest.raises(StorageError, match="another store"):
        store.data_size(path)
    with pytest.raises(StorageError, match="another store"):
        store.open_data(path)


@pytest.mark.parametrize("path", [
    "../secret", "..%2Fsecret", "p=a%20b/../../secret", "p=a%20b/%2e%2e/%2e%2e/secret", "{}/secret",
    "file:{}/secret", "file://{}/table/../secret", "{}/table-of-others/secret", "/etc/passwd",
    "file:///etc/passwd",
])  # fmt: skip
def test_nothing_outside_the_table_is_looked_at(tmp_path: Path, path: str) -> None:
    (tmp_path / "table-of-others").mkdir(parents=True)
    (tmp_path / "table").mkdir()
    for place in (tmp_path, tmp_path / "table-of-others"):
        (place / "secret").write_bytes(b"four")
    store = open_store(str(tmp_path / "table"))
    for look in (store.data_size, store.open_data):
        with pytest.raises(StorageError, match="outside the table"):
            look(path.format(tmp_path))


@pytest.mark.parametrize("location", ["memory://lake", "memory://lake/t"])
def test_a_table_may_be_a_whole_bucket(location: str) -> None:
    store = open_store(location)
    for path in ("f", f"{location}/f"):
        assert store.data_size(path) is None


def test_a_table_may_be_a_link(tmp_path: Path) -> None:
    """Its log has the paths of either name."""
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "f").write_bytes(b"four")
    (tmp_path / "link").symlink_to("table")
    store = open_store(str(tmp_path / "link"))
    for path in ("f", f"{tmp_path}/link/f", f"file:{tmp_path}/table/f"):
        assert store.data_size(path) == 4


def test_what_must_not_be_read_is_no_traceback(store: LogStore, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "f").write_bytes(b"")
    closed.chmod(0)
    try:
        if os.access(closed, os.R_OK):
            pytest.skip("root may read everything")
        with pytest.raises(StorageError):
            store.data_size("closed/f")
    finally:
        closed.chmod(0o700)
