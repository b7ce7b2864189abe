"""Which version a point in time means."""

from pathlib import Path

import pytest

from deltaadm.errors import TableError
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.store import open_store
from tests.support.rows import with_rows
from tests.support.tables import Table, add, commit_info, metadata, protocol


def at(made: Table, timestamp: int) -> int:
    return load_snapshot(open_store(str(made.path)), timestamp=timestamp).version


def by_file_times(path: Path, times: list[int], first: int = 0) -> Table:
    made = Table(path)
    for version, modified in enumerate(times, first):
        start = [protocol(), metadata()] if version == 0 else [add(f"f{version}")]
        made.commit(version, *start, modified=modified)
    return made


@pytest.mark.parametrize(
    ("timestamp", "version"), [(1000, 0), (1999, 0), (2000, 1), (2999, 1), (3000, 2)]
)
def test_last_version_up_to_the_time(tmp_path: Path, timestamp: int, version: int) -> None:
    assert at(by_file_times(tmp_path, [1000, 2000, 3000]), timestamp) == version


@pytest.mark.parametrize(("timestamp", "version"), [(3000, 0), (3001, 1), (3002, 2), (9000, 3)])
def test_file_times_that_go_back_are_raised(tmp_path: Path, timestamp: int, version: int) -> None:
    assert at(by_file_times(tmp_path, [3000, 1000, 2000, 9000]), timestamp) == version


@with_rows
def test_times_outside(tmp_path: Path, timestamp: int, error: str) -> None:
    with pytest.raises(TableError) as caught:
        at(by_file_times(tmp_path, [1000, 2000, 3000]), timestamp)
    assert caught.value.delta_error_class == error
    assert "1970-01-01T00:00:0" in caught.value.message


def test_versions_that_cannot_be_rebuilt_do_not_count(tmp_path: Path) -> None:
    made = by_file_times(tmp_path, [3000, 4000, 5000], first=3)
    made.checkpoint(4, [protocol(), metadata()])
    assert at(made, 4000) == 4
    with pytest.raises(TableError) as caught:
        at(made, 3500)
    assert caught.value.delta_error_class == "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"


def with_own_times(path: Path, enabled_at: int = 0) -> Table:
    """Files of 100, 200, ...; in-commit timestamps of 1000, 2000, ... from *enabled_at* on."""
    made = Table(path)
    enabled = {"delta.enableInCommitTimestamps": "true"}
    if enabled_at:
        enabled["delta.inCommitTimestampEnablementVersion"] = str(enabled_at)
        enabled["delta.inCommitTimestampEnablementTimestamp"] = str((enabled_at + 1) * 1000)
    for version in range(5):
        inside = version >= enabled_at
        info = commit_info(inCommitTimestamp=(version + 1) * 1000) if inside else commit_info()
        actions = [info]
        if version == 0:
            actions.append(protocol(1, 7, None, ["inCommitTimestamp"]))
        if version in {0, enabled_at}:
            actions.append(metadata(enabled if inside else {}))
        made.commit(version, *actions, modified=(version + 1) * 100)
    return made


@with_rows
def test_commits_own_times_count_from_where_they_were_enabled(
    tmp_path: Path, enabled_at: int, timestamp: int, version: int
) -> None:
    assert at(with_own_times(tmp_path, enabled_at), timestamp) == version


@with_rows
def test_times_outside_of_the_commits_own(
    tmp_path: Path, enabled_at: int, timestamp: int, error: str
) -> None:
    with pytest.raises(TableError) as caught:
        at(with_own_times(tmp_path, enabled_at), timestamp)
    assert caught.value.delta_error_class == error


@pytest.mark.parametrize(
    ("info", "error"),
    [
        ([commit_info()], "DELTA_MISSING_COMMIT_TIMESTAMP"),
        ([add("a")], "DELTA_MISSING_COMMIT_INFO"),
    ],
)
def test_a_commit_without_its_time(tmp_path: Path, info: list[dict], error: str) -> None:
    made = with_own_times(tmp_path)
    made.commit(4, *info)
    with pytest.raises(TableError) as caught:
        at(made, 3000)
    assert caught.value.delta_error_class == error


def test_by_version(tmp_path: Path) -> None:
    made = by_file_times(tmp_path, [1000, 2000, 3000])
    store = open_store(str(made.path))
    snapshot = load_snapshot(store, version=1)
    assert (snapshot.version, snapshot.timestamp) == (1, 2000)
    made.checkpoint(2, [protocol(), metadata()])
    made.last_checkpoint(2)
    assert load_snapshot(store, version=1).version == 1
    assert load_snapshot(store, version=2).version == 2
    with pytest.raises(TableError, match="0 to 2 are available") as caught:
        load_snapshot(store, version=3)
    assert caught.value.delta_error_class == "DELTA_VERSION_NOT_FOUND"
