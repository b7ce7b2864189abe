"""`deltaadm repair`: what it shows, asks for and answers, by whole runs of the program."""

import json
from pathlib import Path

import pytest

from tests.support.program import deltaadm, untouched
from tests.support.tables import Table, add, commit, metadata, protocol, table

NOW = ("--older-than", "0s")


@pytest.fixture
def damaged(tmp_path: Path) -> Table:
    """A table whose pointer leads nowhere."""
    start = [protocol(1, 2), metadata()]
    made = table(tmp_path / "t", commit(*start), commit(add("a")))
    made.checkpoint(1, [*start, add("a")])
    made.write("_last_checkpoint", '{"version":7,"size":1}')
    return made


def pointer(made: Table) -> int:
    version = json.loads((made.log / "_last_checkpoint").read_text())["version"]
    assert isinstance(version, int)
    return version


def test_what_is_done_can_be_undone(damaged: Table) -> None:
    result = deltaadm("repair", damaged.path, *NOW, "--apply", "--yes", "-o", "json")
    outcome = result.document["outcome"]
    assert outcome["proved"]
    assert outcome["actual"]["counts"]["add"] == 1
    journal = json.loads((damaged.path / outcome["journal"]).read_text())
    assert journal["status"] == "done"
    assert [entry["file"] for entry in journal["files"]] == ["_last_checkpoint"]
    shown = deltaadm("repair", damaged.path, "--undo", outcome["journal"])
    assert (shown.code, pointer(damaged)) == (0, 1)
    undone = deltaadm("repair", damaged.path, "--undo", outcome["journal"], "--apply", "--yes")
    assert (undone.code, pointer(damaged)) == (0, 7)
    assert undone.out.count("repair --undo") == 1


@pytest.fixture
def fleet(damaged: Table) -> Path:
    """The directory of that table, of a sound one, and of one that nobody can repair."""
    table(damaged.path.parent / "lost", commit(protocol(1, 2)))
    table(damaged.path.parent / "sound", commit(protocol(1, 2), metadata()))
    return damaged.path.parent


def test_many_tables_are_repaired_whatever_befalls_one(fleet: Path) -> None:
    where = ("repair", "--discover", fleet, *NOW)
    planned = deltaadm(*where)
    assert planned.code == 9
    assert [line.split()[0] for line in planned.out.splitlines()[:2]] == ["broken", "damaged"]
    assert "--apply --yes" in planned.err
    assert pointer(Table(fleet / "t")) == 7
    assert deltaadm(*where, "--apply").code == 2
    done = deltaadm(*where, "--apply", "--yes", "-o", "jsonl")
    assert (done.code, pointer(Table(fleet / "t"))) == (9, 1)
    outcomes = [json.loads(line)["outcome"] for line in done.out.splitlines()]
    assert [outcome and outcome["proved"] for outcome in outcomes] == [None, None, True]


def test_an_interrupted_run_goes_on_with_the_tables_that_are_left(fleet: Path) -> None:
    where = ("repair", "--discover", fleet, *NOW, "-o", "jsonl")
    run = fleet / "run.jsonl"
    run.write_text(deltaadm(*where).out)
    # The earlier run has only planned, so that nothing is done yet.
    done = deltaadm(*where, "--apply", "--yes", "--resume", run)
    assert [json.loads(line)["table"] for line in done.out.splitlines()] == [str(fleet / "t")]
    assert pointer(Table(fleet / "t")) == 1
    with run.open("a") as file:
        file.write(done.out)
    assert not deltaadm(*where, "--apply", "--yes", "--resume", run).out


def test_lost_rows_need_consent_for_each_table(tmp_path: Path) -> None:
    for name in "ab":
        files = add("gone.parquet", 5), add("here.parquet", 5)
        made = table(tmp_path / name, commit(protocol(1, 2), metadata(), *files))
        (made.path / "here.parquet").write_bytes(b"12345")
    many = ("repair", "--discover", tmp_path, "--remove-missing-files")
    assert "one table at a time" in deltaadm(*many).err
    with untouched(tmp_path):
        refused = deltaadm(*many, "--apply", "--yes")
    assert (refused.code, "single TABLE" in refused.err) == (2, True)
    one = ("repair", made.path, "--remove-missing-files")
    assert "--apply --accept-lost-files 1\n" in deltaadm(*one).err
    assert deltaadm(*one, "--apply", "--yes").code == 7
    assert deltaadm(*one, "--apply", "--yes", "--accept-lost-files", "1").code == 0
