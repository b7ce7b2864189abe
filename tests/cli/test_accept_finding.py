"""`--accept-finding`: a plan that brings an error about is refused unless its code is named."""

import json
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import deltaadm
from tests.support.tables import Table

FEATURES = ["clustering", "columnMapping", "domainMetadata"]
MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "3"}


def _field(name: str, number: int, kind: object = "integer") -> tables.Action:
    keys = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{number}"}
    return {"name": name, "type": kind, "nullable": True, "metadata": keys}


@pytest.fixture
def clustered(tmp_path: Path) -> Table:
    """A table with the columns a and s, clustered by s.x."""
    columns = {"clusteringColumns": [["col-2", "col-3"]], "domainName": "delta.clustering"}
    return _mapped(tmp_path / "clustered", tables.domain("delta.clustering", json.dumps(columns)))


def _mapped(path: Path, *more: tables.Action) -> Table:
    inner = {"type": "struct", "fields": [_field("x", 3)]}
    text = json.dumps({"type": "struct", "fields": [_field("a", 1), _field("s", 2, inner)]})
    return tables.table(
        path,
        tables.commit(
            tables.commit_info(),
            tables.protocol(3, 7, ["columnMapping"], FEATURES),
            tables.metadata(MAPPED, schemaString=text),
            *more,
        ),
    )


def test_the_plan_is_refused_until_its_error_is_accepted(clustered: Table) -> None:
    wish = ("alter", str(clustered.path), "--drop-column", "s")
    refused = deltaadm(*wish)
    assert refused.code == 7
    assert "DL509 unusable-clustering-column" in refused.err
    assert "--accept-finding DL509" in refused.err
    assert deltaadm(*wish, "--accept-finding", "DL216").code == 7
    for name in ("DL509", "dl509", "unusable-clustering-column"):
        shown = deltaadm(*wish, "--accept-finding", name)
        assert shown.code == 0
        assert shown.out.index("DL509") < shown.out.index("- s: ")


@pytest.mark.parametrize("word", ["DL5", "DL999", "nonsense"])
def test_one_rule_is_accepted_at_a_time(clustered: Table, word: str) -> None:
    wish = ("alter", str(clustered.path), "--drop-column", "s", "--accept-finding", word)
    assert deltaadm(*wish).code == 2


@pytest.mark.usefixtures("writer")
def test_a_saved_plan_needs_consent_of_its_own(clustered: Table, tmp_path: Path) -> None:
    file = str(tmp_path / "plan.json")
    wish = ("alter", str(clustered.path), "--drop-column", "s", "--out", file)
    assert deltaadm(*wish).code == 7
    assert deltaadm(*wish, "--accept-finding", "DL509").code == 0
    assert deltaadm("apply", file, "--yes").code == 7
    done = deltaadm("apply", file, "--yes", "--accept-finding", "DL509")
    assert done.code == 0, done.err


def test_in_a_fleet_only_the_table_that_would_break_fails(clustered: Table, tmp_path: Path) -> None:
    other = _mapped(tmp_path / "other")
    tables_ = ("--table", str(clustered.path), "--table", str(other.path))
    wish = ("alter", "--drop-column", "s", *tables_, "-o", "jsonl")
    found = {entry["table"]: entry for entry in map(json.loads, deltaadm(*wish).out.splitlines())}
    assert "DL509" in found[str(clustered.path)]["error"]["message"]
    assert found[str(other.path)]["findings"] == []
