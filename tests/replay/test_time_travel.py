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


def test_a_note_of_where_they_were_enabled_that_is_no_long_is_none(tmp_path: Path) -> None:
    made, endless = with_own_times(tmp_path), "9" * 5000
    noted = {f"delta.inCommitTimestampEnablement{of}": endless for of in ("Version", "Timestamp")}
    info = commit_info(inCommitTimestamp=6000)
    made.commit(5, info, metadata({"delta.enableInCommitTimestamps": "true", **noted}))
    assert at(made, 3500) == 2


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
