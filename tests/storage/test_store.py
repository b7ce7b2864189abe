"""Which store a location means."""

from pathlib import Path

import pytest

from deltaadm.errors import DeltaadmError, RefusedError, StorageError
from deltaadm.storage.local import LocalStore
from deltaadm.storage.store import open_store
from tests.support.rows import with_rows


@with_rows
def test_local_places(location: str, path: str) -> None:
    store = open_store(location)
    assert isinstance(store, LocalStore)
    assert store.local_path == path
    assert store.qualifier == "file:"


@with_rows
def test_object_stores(location: str, qualifier: str) -> None:
    store = open_store(location)
    assert store.local_path is None
    assert store.qualifier == qualifier
    assert store.root == location.removeprefix("delta.").strip("`").rstrip("/")


def test_root_is_what_the_user_gave() -> None:
    assert open_store("file:///a%20b").root == "file:///a%20b"
    assert open_store("/a").root == "/a"


@pytest.mark.parametrize(("location", "error", "message"), [
    ("hdfs://h/x", StorageError, "hdfs://"),
    ("delta.`dbfs:/x`", StorageError, "dbfs:/x"),
    ("s3://", StorageError, "no bucket"),
    ("file://host/x", StorageError, "host"),
    ("main.sales.orders", RefusedError, "table name"),
    ("sales.orders", RefusedError, "table name"),
    ("`my-cat`.`s`", RefusedError, "table name"),
    ("main.`a``b.c`.orders", RefusedError, "table name"),
    ("my-cat.s", None, ""),
    ("a.b.c.d", None, ""),
    ("sales.", None, ""),
    ("sales..orders", None, ""),
])  # fmt: skip
def test_other_places(location: str, error: type[DeltaadmError] | None, message: str) -> None:
    if error is None:
        assert isinstance(open_store(location), LocalStore)
        return
    with pytest.raises(error, match=message) as caught:
        open_store(location)
    assert caught.value.remedy


def test_a_directory_that_looks_like_a_name_is_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sales.orders").mkdir()
    monkeypatch.chdir(tmp_path)
    assert isinstance(open_store("sales.orders"), LocalStore)
