"""Whose commits are, by what their commitInfo says."""

import json
from pathlib import Path

import pytest

from deltaadm.domain.schema import StructType
from deltaadm.domain.steps import ClusterBy, CreateTable, CreationMode, SetProperties, Step
from deltaadm.domain.wire import CommitMark
from deltaadm.errors import StorageError
from deltaadm.replay.load import provenance
from deltaadm.storage.store import open_store
from tests.support.tables import Action, Table, add, commit_info, metadata, protocol

STEP = SetProperties({"a": "1"})
FILLED = CreateTable(
    mode=CreationMode.REPLACE,
    schema=StructType(()),
    write_options={"USERMetadata": "option"},
    query="SELECT 1",
)
UNIQUE = CommitMark("ours", is_unique=True)
CHOSEN = CommitMark("nightly")


def statement(user_metadata: str | None, operation: str = "SET TBLPROPERTIES") -> Action:
    more = {} if user_metadata is None else {"userMetadata": user_metadata}
    asked = {"properties": json.dumps({"a": "1"})}
    return commit_info(operation=operation, operationParameters=asked, **more)


AWAY = ClusterBy((), restored_later=(("day",),))
SUSPENDED = ' suspends {"clusteringColumns":[["day"]]}'


@pytest.mark.parametrize(("mark", "found", "is_own"), [
    (UNIQUE, f"ours{SUSPENDED}", True),
    (UNIQUE, "ours", False),
    (UNIQUE, f"theirs{SUSPENDED}", False),
    (CHOSEN, "nightly", True),
    (CHOSEN, f"nightly{SUSPENDED}", False),
])  # fmt: skip
def test_an_annotation_follows_our_own_mark(
    mark: CommitMark, found: str, *, is_own: bool, tmp_path: Path
) -> None:
    table = Table(tmp_path)
    table.commit(1, commit_info(operation="CLUSTER BY", userMetadata=found))
    [commit] = provenance(open_store(str(tmp_path)), 1, 1, AWAY, mark)
    assert commit.is_own is is_own


@pytest.mark.parametrize(("mark", "info", "is_own"), [
    pytest.param(UNIQUE, statement("ours"), True, id="our mark"),
    pytest.param(UNIQUE, statement("ours", "REORG"), True, id="our mark, whatever it does"),
    pytest.param(UNIQUE, statement("theirs"), False, id="the same by others"),
    pytest.param(UNIQUE, statement(None), False, id="the same without a mark"),
    pytest.param(CHOSEN, statement("nightly"), True, id="what the user has chosen"),
    pytest.param(CHOSEN, statement("nightly", "WRITE"), False, id="another job's with that"),
    pytest.param(CHOSEN, statement("theirs"), False, id="the same with something else"),
    pytest.param(CommitMark(), statement("theirs"), True, id="no mark to tell them apart"),
    pytest.param(CommitMark(), statement(None, "WRITE"), False, id="no mark, not ours"),
])  # fmt: skip
def test_a_commit_is_told_by_its_mark(
    tmp_path: Path, mark: CommitMark, info: Action, *, is_own: bool
) -> None:
    assert [own for own, _ in found(tmp_path, STEP, mark, info)] == [is_own]


@pytest.mark.parametrize(("user_metadata", "is_own"), [("option", True), ("ours", False)])
def test_an_option_of_the_step_goes_before_the_mark(
    tmp_path: Path, user_metadata: str, *, is_own: bool
) -> None:
    info = statement(user_metadata, "REPLACE TABLE AS SELECT")
    assert [own for own, _ in found(tmp_path, FILLED, UNIQUE, info)] == [is_own]


CLUSTERING = {"domainMetadata": {"domain": "delta.clustering", "configuration": "{}"}}
ROW_IDS = {"domainMetadata": {"domain": "delta.rowTracking", "configuration": "{}"}}


@pytest.mark.parametrize(("action", "changes"), [
    pytest.param(metadata(), True, id="metadata"),
    pytest.param(protocol(), True, id="protocol"),
    pytest.param(CLUSTERING, True, id="clustering"),
    pytest.param(add("f"), False, id="a file"),
    pytest.param(ROW_IDS, False, id="row ids of new files"),
])  # fmt: skip
@pytest.mark.parametrize("size", [1, 2000], ids=["small", "large"])
def test_what_may_change_the_table(
    tmp_path: Path, action: Action, size: int, *, changes: bool
) -> None:
    files = [add(f"{number}" * 20) for number in range(size)]
    made = found(tmp_path, STEP, UNIQUE, statement("theirs"), *files, action, *files)
    assert made == [(False, changes)]


def test_a_commit_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    Table(tmp_path).write(f"{1:020d}.json", b"nonsense")
    assert provenance(open_store(str(tmp_path)), 1, 2, STEP, UNIQUE) == ()


def found(path: Path, step: Step, mark: CommitMark, *actions: Action) -> list[tuple[bool, bool]]:
    Table(path).commit(1, *actions)
    commits = provenance(open_store(str(path)), 1, 1, step, mark)
    return [(commit.is_own, commit.changes_table) for commit in commits]


def test_a_commit_that_the_store_does_not_give_is_not_somebody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an interrupted run would say that it has committed nothing."""
    Table(tmp_path).commit(1, commit_info(userMetadata="ours"))
    store = open_store(str(tmp_path))
    (tmp_path / "_delta_log" / f"{1:020d}.json").unlink()
    assert provenance(store, 1, 1, STEP, UNIQUE) == ()

    def fail(*_: object) -> bytes:
        raise StorageError("It does not answer.")

    monkeypatch.setattr("deltaadm.replay.load.read_lines", fail)
    with pytest.raises(StorageError):
        provenance(store, 1, 1, STEP, UNIQUE)
