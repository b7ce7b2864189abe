"""`create` on the command line: what it understands, shows, saves and carries out."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from deltaadm.reports.schemas import SCHEMAS
from tests.support import tables
from tests.support.program import LogWriter, deltaadm, untouched
from tests.support.rows import with_rows
from tests.support.tables import Table

SCHEMA = "id BIGINT NOT NULL, day DATE"
CREATED = "CREATE TABLE delta.`{}` (`id` BIGINT NOT NULL, `day` DATE) USING delta"


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> LogWriter:
    made = LogWriter()
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: made)
    return made


def test_the_plan_shows_the_protocol_before_anything_exists(tmp_path: Path) -> None:
    wish = ("--schema", SCHEMA, "--property", "delta.enableDeletionVectors=true")
    with untouched(tmp_path):
        result = deltaadm("create", tmp_path / "new", *wish, "--partition-by", "DAY", "--check")
    assert result.code == 1
    assert result.out.startswith(f"create: {tmp_path}/new (no table yet)\n")
    assert "  protocol    reader version 3, writer version 7\n" in result.out
    assert "+ deletionVectors " in result.out
    document = deltaadm("create", tmp_path / "new", *wish, "-o", "json").document
    assert document["before"]["version"] == -1
    assert document["after"]["protocol"]["readerFeatures"] == ["deletionVectors"]
    assert document["after"]["metadata"]["id"] == "<known after commit>"


@pytest.mark.parametrize(("arguments", "statement"), [
    ([], f"{CREATED};"),
    (["--mode", "create-or-replace", "--comment", "it's"], f"{CREATED} COMMENT 'it\\'s';"),
    (["--cluster-by", "DAY,id"], f"{CREATED} CLUSTER BY (`day`, `id`);"),
])  # fmt: skip
def test_the_statement(tmp_path: Path, arguments: list[str], statement: str) -> None:
    result = deltaadm("create", tmp_path / "new", "--schema", SCHEMA, *arguments, "-o", "sql")
    assert result.out == statement.format(tmp_path / "new") + "\n"


def test_a_place_inside_another_table_is_warned_of(tmp_path: Path) -> None:
    outer = tables.table(tmp_path / "outer", tables.START_BODY)
    (tmp_path / "link").symlink_to(outer.path)
    for place in ("outer/new", "outer/a/b", "link/new"):
        plan = deltaadm("create", tmp_path / place, "--schema", SCHEMA, "-o", "json").document
        [note] = plan["notes"]
        assert f"inside another table, {outer.path}, whose VACUUM" in note
    beside = deltaadm("create", tmp_path / "new", "--schema", SCHEMA, "-o", "json")
    assert beside.document["notes"] == []


def test_every_column_is_named_however_many_there_are(tmp_path: Path) -> None:
    columns = [f"c{number} INT" for number in range(20)]
    shown = deltaadm("create", tmp_path / "new", "--schema", ", ".join(columns)).out
    assert f"  + 20 columns: {', '.join(f'c{number}' for number in range(20))}\n" in shown


@pytest.mark.parametrize("mode", ["create", "create-or-replace"])
def test_the_creation_time_is_not_missed_before_the_commit(tmp_path: Path, mode: str) -> None:
    table = tables.table(tmp_path / "old", tables.START_BODY)
    place = tmp_path / "new" if mode == "create" else table.path
    plan = deltaadm("create", place, "--schema", SCHEMA, "--mode", mode, "-o", "json").document
    assert plan["findings"] == []


def test_a_schema_comes_from_a_file(tmp_path: Path) -> None:
    ddl, as_json = tmp_path / "columns.sql", tmp_path / "schema.json"
    ddl.write_text("-- all there is\nid BIGINT NOT NULL,\nday DATE\n")
    plan = deltaadm("create", tmp_path / "new", "--schema", ddl, "-o", "json").document
    Draft202012Validator(SCHEMAS["plan"]).validate(plan)
    as_json.write_text(plan["after"]["metadata"]["schemaString"])
    other = deltaadm("create", tmp_path / "new", "--schema", as_json, "-o", "json").document
    assert other == plan


def test_a_plan_is_saved_and_carried_out_once(tmp_path: Path, writer: LogWriter) -> None:
    plan, place = tmp_path / "plan.json", tmp_path / "new"
    wish = ("create", place, "--schema", SCHEMA, "--property", "x=1")
    planned = deltaadm(*wish, "--out", plan, "-o", "json").document
    done = deltaadm("apply", plan, "--yes", "-o", "json")
    assert done.code == 0, done.err
    assert done.document["outcome"]["versions"] == [0]
    assert _of_steps(done.document["plan"]) == _of_steps(planned)
    assert len(writer.steps) == 1
    with untouched(place):
        again = deltaadm("apply", plan)
    assert again.code == 0
    assert "The plan is already applied" in again.out
    report = deltaadm("inspect", place, "-o", "json").document
    assert report["protocol"] == planned["after"]["protocol"]


def _of_steps(plan: dict[str, Any]) -> dict[str, Any]:
    """*plan* without its command, reasons and digest: `apply` takes none of them from a file."""
    changes = [{**change, "because": None} for change in plan["changes"]]
    binding = {**plan["binding"], "document_sha256": ""}
    return {**plan, "operation": "", "changes": changes, "binding": binding}


def test_an_edited_plan_is_refused(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    deltaadm("create", tmp_path / "new", "--schema", SCHEMA, "--out", plan)
    document = json.loads(plan.read_text())
    document["steps"][0]["properties"]["delta.appendOnly"] = "true"
    plan.write_text(json.dumps(document))
    result = deltaadm("apply", plan, "--yes")
    assert result.code == 7
    assert "changed after it was written" in result.err


def test_replacing(small: Table, writer: LogWriter) -> None:
    wish = ("create", small.path, "--schema", SCHEMA)
    refused = deltaadm(*wish)
    assert refused.code == 7
    assert "already exists (version" in refused.err
    for mode in ("replace", "create-or-replace"):
        result = deltaadm(*wish, "--mode", mode, "--apply", "--yes", "-o", "json")
        assert result.code == 0, result.out
        assert result.document["plan"]["steps"][0]["sql"].startswith("REPLACE TABLE delta.`")
        assert any("older versions keep them" in note for note in result.document["plan"]["notes"])
    assert [step.mode.name for step in writer.steps if hasattr(step, "mode")] == ["REPLACE"] * 2


@with_rows
def test_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    (tmp_path / "something").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    with untouched(tmp_path):
        result = deltaadm("create", *arguments)
    assert result.code == code, result.err
    assert words in result.err
