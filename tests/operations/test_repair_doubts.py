"""A right checkpoint beside a damaged commit: repair must not believe the commit."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from deltaadm.plans.repair import plan_repairs
from deltaadm.plans.repair.repair import Case, RepairPlan
from deltaadm.storage.store import open_store
from tests.support.repairs import AS_WRITTEN, UNCONFIRMED
from tests.support.tables import add, commit, metadata, protocol
from tests.support.tables import table as made_table

FAR_FUTURE = 4_000_000_000_000


def planned(path: Path) -> RepairPlan:
    return plan_repairs(Case(open_store(str(path)), FAR_FUTURE, 1))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Rows of versions 0 to 3, of which version 4 has deleted those of one file; a checkpoint."""
    for number in range(4):
        write_deltalake(str(tmp_path), pa.table({"a": [number, number]}), mode="append")
    DeltaTable(str(tmp_path)).delete("a = 2")
    DeltaTable(str(tmp_path)).create_checkpoint()
    write_deltalake(str(tmp_path), pa.table({"a": [9]}), mode="append")
    assert not planned(tmp_path).repairs
    return tmp_path


def _emptied(_: str) -> str:
    return ""


def _another_added_path(commit: str) -> str:
    return re.sub(r'("add":\{"path":"part-)0', r"\g<1>1", commit)


def _another_removed_path(commit: str) -> str:
    return re.sub(r'("remove":\{"path":"part-)0', r"\g<1>1", commit)


def _without_removal(commit: str) -> str:
    return "".join(line for line in commit.splitlines(keepends=True) if '"remove"' not in line)


def _unmeasured_without_removal(commit: str) -> str:
    return re.sub(r'("operationMetrics":\{)[^}]*', r"\g<1>", _without_removal(commit))


def _unmeasured_without_addition(commit: str) -> str:
    return _unmeasured_without_removal(commit).replace('"add"', '"notYetKnown"')


def _another_size(commit: str) -> str:
    return re.sub(r'"size":(\d)', r'"size":1\1', commit)


def _without_size(commit: str) -> str:
    return re.sub(r'"size":\d+,', "", commit)


def _blank_line(commit: str) -> str:
    without_metrics = re.sub(r'("operationMetrics":\{)[^}]*', r"\g<1>", commit)
    return re.sub(r'^\{"add".*$', "{}", without_metrics, flags=re.MULTILINE)


def _of_a_checkpoint(_: str) -> str:
    return '{"checkpointMetadata":{"version":4}}\n'


def test_a_commit_that_was_replaced_by_another_is_not_believed(table: Path) -> None:
    log = table / "_delta_log"
    (log / f"{3:020d}.json").write_bytes((log / f"{1:020d}.json").read_bytes())
    (refused,) = planned(table).repairs
    assert "version 1: it is a copy of version 3" in refused.refusal


def test_a_commit_of_properties_that_was_replaced_is_not_believed(table: Path) -> None:
    """Its checkpoint alone has them, and must not be made anew from the commits."""
    DeltaTable(table).alter.set_table_properties({"delta.logRetentionDuration": "interval 9 days"})
    DeltaTable(table).create_checkpoint()
    log, newest = table / "_delta_log", DeltaTable(table).version()
    (log / f"{newest:020d}.json").write_bytes((log / f"{1:020d}.json").read_bytes())
    (refused,) = planned(table).repairs
    assert "it is a copy of version" in refused.refusal


@pytest.mark.parametrize(
    ("version", "damage", "reason"),
    [
        (4, _emptied, "version 4: the commit is empty"),
        (1, _emptied, "version 1: the commit is empty"),
        (1, _another_added_path, "is not in storage"),
        (4, _another_removed_path, "which nothing has added"),
        (4, _without_removal, "version 4: "),
        (4, _unmeasured_without_removal, "is removed by it"),
        (1, _blank_line, "has no action"),
        (1, _of_a_checkpoint, "has checkpointMetadata actions"),
        (3, _another_size, "is not in storage with"),
        (3, _without_size, "is not in storage with"),
    ],
)
def test_a_damaged_commit_is_not_believed(
    table: Path, version: int, damage: Callable[[str], str], reason: str
) -> None:
    commit = table / "_delta_log" / f"{version:020d}.json"
    before = commit.read_text()
    commit.write_text(damage(before))
    assert commit.read_text() != before
    plan = planned(table)
    assert not plan.planned
    assert any(reason in repair.refusal for repair in plan.refused), plan.refused


def _broken_schema(commit: str) -> str:
    return commit.replace('{\\"type\\":\\"struct\\"', '{\\"type\\"', 1)


def test_a_commit_whose_schema_cannot_be_read_is_not_believed(table: Path) -> None:
    commit = table / "_delta_log" / f"{0:020d}.json"
    commit.write_text(_broken_schema(commit.read_text()))
    refused = planned(table).refused
    assert any("schema" in repair.refusal for repair in refused), refused


def test_a_checkpoint_with_the_metadata_of_the_checksum_is_believed(table: Path) -> None:
    log = table / "_delta_log"
    documents = map(json.loads, (log / f"{0:020d}.json").read_text().splitlines())
    said = {name: value for document in documents for name, value in document.items()}
    names = {"metadata": said["metaData"], "protocol": said["protocol"]}
    (log / f"{4:020d}.crc").write_text(json.dumps({**names, "numFiles": 3}))
    commit = log / f"{0:020d}.json"
    commit.write_text(commit.read_text().replace('"configuration":{}', '"configuration":{"a":"b"}'))
    (refused,) = planned(table).repairs
    assert "the checksum of version 4 agrees" in refused.refusal


def test_files_outside_of_a_clone_are_not_looked_up(tmp_path: Path) -> None:
    clone = made_table(
        tmp_path, commit(protocol(), metadata(), add("s3://bucket/f0")), commit(add("f1"))
    )
    clone.checkpoint(1, [protocol(), metadata(), add("s3://bucket/f0")])
    clone.crc(1, [protocol(), metadata()], numFiles=7)
    assert [repair.rule for repair in planned(tmp_path).planned][:1] == ["DL609"]
    (tmp_path / "_delta_log" / f"{1:020d}.checkpoint.parquet").unlink()
    (tmp_path / "f1").touch()
    assert [repair.rule for repair in planned(tmp_path).refused] == ["DL804"]


BOTH = [add("f0")["add"], add("f1")["add"]]
STATED = {"metadata": metadata()["metaData"], "numFiles": 2, "tableSizeBytes": 200}


@pytest.mark.parametrize(
    ("stated", "effect", "unproved"),
    [
        ({**STATED, "allFiles": BOTH}, "The checksum of version 1 confirms it.", ()),
        (STATED, "", UNCONFIRMED),
        ({**STATED, "allFiles": [{**BOTH[0], "partitionValues": {"p": "x"}}, BOTH[1]]}, "",
            (f"{AS_WRITTEN}the checksum of version 1 says otherwise.",)),
        ({**STATED, "allFiles": BOTH, "setTransactions": [{"appId": "a", "version": 1}]}, "",
            (f"{AS_WRITTEN}the checksum of version 1 says otherwise.",)),
        ({**STATED, "allFiles": [{"path": "f0", "size": "1"}]}, "", UNCONFIRMED),
    ],
)  # fmt: skip
def test_a_checksum_that_says_everything_proves_a_checkpoint_that_is_made_anew(
    stated: dict[str, Any], effect: str, unproved: tuple[str, ...], tmp_path: Path
) -> None:
    made = made_table(tmp_path, commit(protocol(), metadata(), add("f0")), commit(add("f1")))
    made.write(f"{1:020d}.checkpoint.parquet", "torn")
    made.crc(1, [protocol()], **stated)
    repair = planned(tmp_path).planned[0]
    assert (repair.rule, repair.effect, repair.unproved) == ("DL612", effect, unproved)


def test_a_checkpoint_that_lists_fewer_adds_than_it_has_is_not_said_to_have_files_twice(
    tmp_path: Path,
) -> None:
    state = [protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"]), metadata(), add("f0")]
    made = made_table(tmp_path, commit(*state))
    made.v2_checkpoint(0, state)
    assert not [repair for repair in planned(tmp_path).planned if repair.kind == "checkpoint"]


def test_what_a_torn_compacted_file_leaves_to_commits_is_proved_by_a_checksum(
    tmp_path: Path,
) -> None:
    made = made_table(tmp_path, commit(protocol(), metadata(), add("f0")), commit(add("f1")))
    made.write(f"{0:020d}.{1:020d}.compacted.json", "{")
    assert [repair.unproved for repair in planned(tmp_path).planned] == [UNCONFIRMED]
    made.crc(1, [protocol()], **STATED, allFiles=BOTH)
    assert [repair.unproved for repair in planned(tmp_path).planned] == [()]


def test_a_checksum_that_lists_a_file_which_no_commit_names_stays(tmp_path: Path) -> None:
    made = made_table(tmp_path, commit(protocol(), metadata(), add("f0")), commit(add("f2")))
    made.crc(1, [protocol()], **STATED, allFiles=BOTH)
    (refused,) = planned(tmp_path).repairs
    assert "none of them adds or removes f1, which the other has" in refused.refusal


def test_what_storage_cannot_tell_of_a_file_is_not_believed(table: Path) -> None:
    commit = table / "_delta_log" / f"{0:020d}.json"
    commit.write_text(
        commit.read_text().replace('"partitionValues":{}', '"partitionValues":{"x":"1"}')
    )
    (refused,) = planned(table).repairs
    assert "nothing tells which is right about part-" in refused.refusal


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (_another_size, "is not in storage with"),
        (_unmeasured_without_addition, ""),
    ],
)
def test_a_checksum_beside_a_damaged_commit(
    damage: Callable[[str], str], reason: str, table: Path
) -> None:
    commit = table / "_delta_log" / f"{5:020d}.json"
    commit.write_text(damage(commit.read_text()))
    body = {"numFiles": 4, "tableSizeBytes": 2_000, "numMetadata": 1, "numProtocol": 1}
    commit.with_suffix(".crc").write_text(json.dumps(body))
    (repair,) = planned(table).repairs
    assert reason in repair.refusal
    # It may be the last that tells of a loss, which is said when it moves aside.
    lost = f"{AS_WRITTEN}{commit.stem}.crc says otherwise (its numFiles is 4, but the log has 3)."
    assert repair.unproved == (() if reason else (lost,))


def test_without_the_checkpoint_nothing_is_built_on_an_empty_commit(table: Path) -> None:
    (table / "_delta_log" / f"{2:020d}.json").write_text("")
    (table / "_delta_log" / f"{4:020d}.checkpoint.parquet").write_bytes(b"PAR1")
    (refused,) = (repair for repair in planned(table).refused if repair.rule == "DL612")
    assert "version 2: the commit is empty" in refused.refusal
