"""Writing a checkpoint: on real tables, with broken hints in the way, and where it must not be."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from deltaadm.commit.checkpoint import write_checkpoint
from deltaadm.documents.plan import plan_document
from deltaadm.documents.saved_plan import read_plans
from deltaadm.domain.steps import WriteCheckpoint
from deltaadm.errors import CommitError
from deltaadm.operations.plan import propose
from deltaadm.replay.engine import Detail
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.store import open_store
from tests.support.program import LogWriter, deltaadm, untouched
from tests.support.tables import START_BODY, add, commit, metadata, protocol, table

HINT = "_last_checkpoint"


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """Three versions, written by deltalake, without a checkpoint."""
    path = tmp_path / "events"
    for number in range(3):
        write_deltalake(path, pa.table({"id": [number]}), mode="append")
    return path


def log(path: Path) -> Path:
    return path / "_delta_log"


def hint(path: Path) -> dict[str, object]:
    return json.loads((log(path) / HINT).read_text())


def state(path: Path) -> object:
    found = load_snapshot(open_store(str(path)), detail=Detail.STATE)
    return (found.version, found.protocol, found.metadata, found.files, found.transactions)


def test_the_newest_version_gets_one(events: Path) -> None:
    before = state(events)
    assert write_checkpoint(str(events)) == 2
    assert hint(events)["version"] == 2
    for number in range(2):
        (log(events) / f"{number:020}.json").unlink()
    assert state(events) == before


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{", id="is broken"),
        pytest.param("", id="is empty"),
        pytest.param('{"version":1,"size":3}', id="points to what is not there"),
        pytest.param('{"version":77,"size":3}', id="points to the future"),
    ],
)
def test_a_hint_that(events: Path, text: str) -> None:
    (log(events) / HINT).write_text(text)
    write_checkpoint(str(events))
    assert hint(events)["version"] == 2
    assert DeltaTable(events).version() == 2


@pytest.mark.parametrize("text", [None, "{", '{"version":1,"size":3}'])
def test_a_checkpoint_that_is_there_is_kept(events: Path, text: str | None) -> None:
    """Deltalake then leaves everything as it is."""
    write_checkpoint(str(events))
    size = hint(events)["size"]
    (log(events) / HINT).unlink()
    if text is not None:
        (log(events) / HINT).write_text(text)
    [checkpoint] = log(events).glob("*.checkpoint.parquet")
    written = checkpoint.stat().st_mtime_ns
    write_checkpoint(str(events))
    assert checkpoint.stat().st_mtime_ns == written
    assert hint(events) == {"version": 2, "size": size}


def test_an_older_checkpoint_is_followed_by_a_new_one(events: Path) -> None:
    write_checkpoint(str(events))
    write_deltalake(events, pa.table({"id": [9]}), mode="append")
    before = state(events)
    write_checkpoint(str(events))
    assert hint(events)["version"] == 3
    assert state(events) == before


def test_a_broken_checkpoint_of_the_newest_version_is_in_the_way(events: Path) -> None:
    (log(events) / f"{2:020}.checkpoint.parquet").write_bytes(b"PAR1")
    with untouched(log(events)), pytest.raises(CommitError, match="is not a readable checkpoint"):
        write_checkpoint(str(events))


def test_a_table_that_deltalake_does_not_open_stays_as_it_is(tmp_path: Path) -> None:
    names = ["someFutureFeature"]
    table(tmp_path, commit(protocol(3, 7, names, names), metadata()), commit(add("a")))
    (log(tmp_path) / HINT).write_text("{")
    text = (log(tmp_path) / HINT).read_bytes()
    with pytest.raises(CommitError, match="someFutureFeature"):
        write_checkpoint(str(tmp_path))
    assert (log(tmp_path) / HINT).read_bytes() == text
    assert sorted(path.name for path in log(tmp_path).iterdir()) == [
        f"{0:020}.json",
        f"{1:020}.json",
        HINT,
    ]


# As a step of a plan


def test_a_checkpoint_alone_is_something_to_do_and_changes_nothing(events: Path) -> None:
    before = load_snapshot(open_store(str(events)))
    plan = propose("alter", before, [WriteCheckpoint()])
    assert not plan.is_noop
    assert (plan.after, plan.changes) == (before, ())


def test_a_plan_file_holds_it(events: Path) -> None:
    before = load_snapshot(open_store(str(events)))
    document = plan_document(propose("alter", before, [WriteCheckpoint()]), "events")
    [step] = document["steps"]
    assert (step["kind"], step["sql"], step["commits"]) == ("write_checkpoint", None, "none")
    assert read_plans(json.dumps(document))[0].steps == (WriteCheckpoint(),)


def test_the_command_needs_no_spark(events: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    done = deltaadm("alter", events, "--checkpoint", "--apply", "--yes")
    assert (done.code, done.err) == (0, "")
    assert "_last_checkpoint points to a checkpoint of version 2." in done.out
    assert hint(events)["version"] == 2


def test_the_command_shows_and_stops(events: Path) -> None:
    with untouched(events):
        done = deltaadm("alter", events, "--checkpoint")
    assert done.code == 0
    assert "write a checkpoint" in done.out


def test_after_a_commit_the_checkpoint_is_of_the_new_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = table(tmp_path / "t", START_BODY)
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
    done = deltaadm("alter", made.path, "--set", "a=b", "--checkpoint", "--apply", "--yes")
    assert done.code == 0
    assert hint(made.path)["version"] == 1


def test_a_refusal_is_one_sentence(events: Path) -> None:
    (log(events) / f"{2:020}.checkpoint.parquet").write_bytes(b"")
    done = deltaadm("alter", events, "--checkpoint", "--apply", "--yes")
    assert done.code == 5
    assert "nothing was committed" in done.err
