"""Protocols and properties with which nobody can load a table are mended by one commit."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, TableFeatures, write_deltalake
from deltalake.exceptions import DeltaError

from tests.cli.test_dead_ends import KIN
from tests.support.cases import each
from tests.support.program import deltaadm
from tests.support.rows import rows_of
from tests.support.rule_cases import CASES, Make
from tests.support.schemas import mapped
from tests.support.tables import (
    Action,
    add,
    commit,
    commit_info,
    deletion_vector,
    metadata,
    protocol,
    schema,
    table,
)
from tests.validation.cases import protocol as cases

pytestmark = pytest.mark.slow

MAPPED = schema(mapped("a", 1, physical="a"))


def errors(path: Path) -> set[str]:
    found = deltaadm("validate", path, "-o", "json").document["findings"]
    return {finding["code"] for finding in found if finding["severity"] == "error"}


def newest(path: Path) -> dict[str, Action]:
    """The actions of the newest commit, by their names."""
    last = max((path / "_delta_log").glob("*.json"))
    return {name: action for line in last.read_text().splitlines()
            for name, action in json.loads(line).items()}  # fmt: skip


def dead_end(path: Path) -> None:
    """What deltalake makes in two calls, and no other tool can change."""
    data = pa.table({"a": pa.array([1, 2, 3], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableChangeDataFeed": "true"})
    DeltaTable(path).alter.add_feature(
        TableFeatures.DomainMetadata, allow_protocol_versions_increase=True
    )


def test_the_table_that_no_other_tool_can_change(tmp_path: Path) -> None:
    dead_end(tmp_path)
    with pytest.raises(DeltaError):
        DeltaTable(tmp_path).alter.add_feature(TableFeatures.ChangeDataFeed)
    for command in (["enable-feature", "changeDataFeed"], ["upgrade-protocol", "--minimum"],
                    ["alter", "--unset", "delta.enableChangeDataFeed"]):  # fmt: skip
        refused = deltaadm(command[0], tmp_path, *command[1:])
        assert (refused.code, "deltaadm repair " in refused.err) == (7, True)
    findings = deltaadm("validate", tmp_path, "-o", "json").document["findings"]
    told = {each["code"]: each["remedy"] for each in findings}
    assert all("deltaadm repair " in told[code] for code in ("DL211", "DL219"))
    assert deltaadm("repair", tmp_path, "--check").code == 1
    done = deltaadm("repair", tmp_path, "--apply", "--yes")
    assert (done.code, "Proved" in done.out) == (0, True), done.out + done.err
    written = newest(tmp_path)
    assert written.keys() == {"commitInfo", "protocol"}
    assert written["protocol"] == {
        "minReaderVersion": 1,
        "minWriterVersion": 7,
        "writerFeatures": [
            "appendOnly", "changeDataFeed", "checkConstraints", "domainMetadata",
            "generatedColumns", "invariants",
        ],
    }  # fmt: skip
    assert DeltaTable(tmp_path).to_pyarrow_table()["a"].to_pylist() == [1, 2, 3]
    found = deltaadm("validate", tmp_path, "-o", "json").document["findings"]
    assert not {"DL211", "DL219"} & {finding["code"] for finding in found}
    assert deltaadm("enable-feature", tmp_path, "deletionVectors").code == 0
    assert deltaadm("repair", tmp_path, "--check").code == 0


@each("listed, state", KIN)
def test_features_left_out_by_an_upgrade(listed: list[str], state: Action, tmp_path: Path) -> None:
    table(tmp_path / "t", commit(protocol(1, 4), state), commit(protocol(1, 7, None, listed)))
    done = deltaadm("repair", tmp_path / "t", "--apply", "--yes")
    assert done.code == 0, done.out + done.err
    assert not errors(tmp_path / "t")
    assert deltaadm("alter", tmp_path / "t", "--set", "team=web").code == 0
    assert DeltaTable(tmp_path / "t").version() == 2


MADE = {f"{case.code}-{case.name}": case.make for case in CASES} if cases else {}
PROTOCOLS = {name: row[0] for name, row in rows_of(__file__, "PROTOCOLS").items()}
"""The protocol that is committed; none where that is refused, and empty where there is no need."""


@each("made, expected", {name: (MADE[name], expected) for name, expected in PROTOCOLS.items()})
def test_the_protocol_that_is_committed(made: Make, expected: str | None, tmp_path: Path) -> None:
    made(tmp_path / "t")
    report = deltaadm("repair", tmp_path / "t", "--apply", "--yes", "-o", "json")
    if expected:
        assert report.code == 0, report.err
        shown = deltaadm("inspect", tmp_path / "t", "--query", "protocol")
        assert _simple(shown.document) == expected
        assert deltaadm("alter", tmp_path / "t", "--set", "team=web").code == 0
        DeltaTable(tmp_path / "t")
    else:
        assert report.code == (7 if expected is None else 0)
        assert report.document["is_noop"]


def _simple(document: Action) -> str:
    lists = [document.get(key) for key in ("readerFeatures", "writerFeatures")]
    versions = f"{document['minReaderVersion']},{document['minWriterVersion']}"
    shown = ",".join("None" if each is None else f"[{','.join(each)}]" for each in lists)
    return versions if lists == [None, None] else f"{versions},{shown}"


VECTOR = add("f", stats='{"numRecords":5,"tightBounds":false}',
    deletionVector=deletion_vector("ab^-aqEH.-t@S}K{vb[*k^"))  # fmt: skip
NAMED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
LISTS = protocol(1, 7, None, ["appendOnly"])
STATES: dict[str, tuple[list[bytes], dict[str, str] | None]] = {
    # the commits, and the properties afterwards; none where the repair is refused
    "a value that is no boolean": ([commit(LISTS,
        metadata({"delta.enableChangeDataFeed": "perhaps", "k": "v"}))], {"k": "v"}),
    "a value that was valid once": ([
        commit(protocol(), metadata({"delta.deletedFileRetentionDuration": "interval 3 days"})),
        commit(metadata({"delta.deletedFileRetentionDuration": "3 Tage"}))],
        {"delta.deletedFileRetentionDuration": "interval 3 days"}),
    "a mapping mode of a table without mapping": ([
        commit(protocol(), metadata({"delta.columnMapping.mode": "nam"}))], {}),
    "a mapping mode that was valid once": ([
        commit(protocol(2, 5), metadata(NAMED, schemaString=MAPPED)),
        commit(metadata(NAMED | {"delta.columnMapping.mode": "nam"}, schemaString=MAPPED))], NAMED),
    "a mapping mode that nobody can guess": ([commit(protocol(2, 5),
        metadata(NAMED | {"delta.columnMapping.mode": "nam"}, schemaString=MAPPED))], None),
    "a schema that nobody can read": ([
        commit(protocol(), metadata()), commit(metadata(schemaString='{"type":"struct"<'))], None),
    "mapping without ids": ([commit(LISTS, metadata({"delta.columnMapping.mode": "name"}))], {}),
    "row tracking without row ids": ([commit(protocol(),
        metadata({"delta.enableRowTracking": "true"}), add("f"))], {}),
    "timestamps that no commit has": ([commit(commit_info(), LISTS,
        metadata({"delta.enableInCommitTimestamps": "true"}))], {}),
    "a feature that files need was lost": ([
        commit(protocol(3, 7, ["deletionVectors"], ["deletionVectors"]), metadata(), VECTOR),
        commit(protocol())], {}),
}  # fmt: skip


@each("commits, properties", STATES)
def test_properties_and_files(
    commits: list[bytes], properties: dict[str, str] | None, tmp_path: Path
) -> None:
    table(tmp_path / "t", *commits)
    assert errors(tmp_path / "t")
    done = deltaadm("repair", tmp_path / "t", "--apply", "--yes")
    assert done.code == (7 if properties is None else 0), done.out + done.err
    if properties is not None:
        assert not errors(tmp_path / "t")
        state = deltaadm("inspect", tmp_path / "t", "--query", "metadata.configuration")
        assert state.document == properties
