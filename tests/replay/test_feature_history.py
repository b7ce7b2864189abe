"""Which older versions still need a feature, told from the log."""

import json
from pathlib import Path

import pytest

from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.errors import TableError
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.timeline import feature_history
from deltaadm.storage.store import open_store
from tests.support import oracle
from tests.support.tables import Action, Table, add, deletion_vector, metadata, protocol, remove

MINUTE = 60_000
FEATURES = ["deletionVectors", "v2Checkpoint"]
START = protocol(3, 7, FEATURES, FEATURES)
ON = metadata({"delta.enableDeletionVectors": "true"})
OFF = metadata({})


def history(path: Path, name: str = "deletionVectors") -> FeatureHistory:
    store = open_store(str(path))
    return feature_history(store, load_snapshot(store), name)


def log(path: Path, *commits: list[Action], first: int = 0) -> Path:
    table = Table(path)
    for number, actions in enumerate(commits, start=first):
        table.commit(number, *actions, modified=number * MINUTE)
    return path


@pytest.mark.parametrize(("commits", "needing"), [
    pytest.param([[START, OFF], [add("a")]], None, id="never used"),
    pytest.param([[START, ON], [add("a")], [OFF]], 1, id="on until the version before"),
    pytest.param([[START, ON], [OFF], [add("a")], [OFF]], 0, id="off twice"),
    pytest.param([[START, OFF], [add("a", deletionVector=deletion_vector("v"))], [remove("a")],
        [OFF]], 1, id="a file with a vector"),
    pytest.param([[START, OFF], [remove("a", deletionVector=deletion_vector("v"))], [add("b")]], 1,
        id="a removed file with a vector"),
    pytest.param([[START, OFF], [add("a", deletionVector=None)]], None, id="a vector that is null"),
])  # fmt: skip
def test_the_newest_version_that_needs_it(
    tmp_path: Path, commits: list[list[Action]], needing: int | None
) -> None:
    found = history(log(tmp_path, *commits))
    assert found.first == 0
    assert found.needing == needing
    assert found.needing_since == (None if needing is None else needing * MINUTE)


def test_each_feature_has_its_own_traces(tmp_path: Path) -> None:
    path = log(tmp_path, [START, metadata({"delta.checkpointPolicy": "v2"})], [OFF], [add("a")])
    assert history(path, "v2Checkpoint").needing == 0
    assert history(path, "deletionVectors").needing is None
    assert history(path, "vacuumProtocolCheck").needing is None


def test_a_file_counts_on_a_line_that_is_a_list_of_actions(tmp_path: Path) -> None:
    table = Table(log(tmp_path, [START, OFF], [], [remove("a")]))
    table.write(f"{1:020d}.json", json.dumps([add("a", deletionVector=deletion_vector("v"))]))
    assert history(tmp_path).needing == 1


def test_a_line_that_is_no_json_says_so(tmp_path: Path) -> None:
    table = Table(log(tmp_path, [START, OFF], [add("a")], [add("b")]))
    table.checkpoint(1, [START, OFF, add("a")])
    table.write(f"{1:020d}.json", '{"add":{"deletionVector":\n')
    with pytest.raises(TableError, match=r"00001\.json cannot be read: .* not JSON"):
        history(tmp_path)


def test_what_only_the_oldest_checkpoint_knows_counts(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.checkpoint(4, [START, ON])
    log(tmp_path, [add("a")], [add("b")], [OFF], [add("c")], first=4)
    assert history(tmp_path).needing == 5
    assert history(tmp_path).first == 4


@pytest.mark.parametrize(
    ("limit", "needing"), [("2", 1), ("+2", 1), ("-1", None), ("9" * 5000, None)]
)
def test_protected_versions_are_those_below_the_property(
    limit: str, needing: int | None, tmp_path: Path
) -> None:
    name = "checkpointProtection"
    start = protocol(1, 7, None, [name])
    protected = metadata({"delta.requireCheckpointProtectionBeforeVersion": limit})
    path = log(tmp_path, [start, OFF], [add("a")], [protected], [add("b")])
    assert history(path, name).needing == needing


@pytest.mark.parametrize(("table", "feature", "needing"), [
    ("cm-removed", "columnMapping", 1),
    ("deletion-vectors-dropped", "checkpointProtection", 8),
    ("legacy-1-3", "columnMapping", None),
])  # fmt: skip
def test_tables_that_delta_wrote(
    tmp_path: Path, table: str, feature: str, needing: int | None
) -> None:
    assert history(oracle.table(table, tmp_path).path, feature).needing == needing
