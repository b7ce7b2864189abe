"""Commands that change tables: shown, checked, saved, agreed to, and carried out."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from tests.support import tables
from tests.support.clients import ACCEPT_ALL
from tests.support.plans import schema
from tests.support.program import LogWriter, deltaadm, process, untouched
from tests.support.rows import with_rows
from tests.support.tables import Table, commit, commit_info, metadata, protocol

COMMANDS = {
    "upgrade-protocol": (["--reader", "2", "--writer", "5"], "metadata"),
    "enable-feature": (["deletionVectors"], "metadata"),
    "enable-feature backfill": (["rowTracking"], "backfill"),
    "set-mapping-mode": (["name"], "metadata"),
    "alter": (["--set", "a=b"], "metadata"),
}


COMMITTED = {"version": 1, "versions": [1], "mismatches": [], "concurrent_changes": []}
STATISTICS = '{"numRecords":1}'
EVERY_FILE = "rewrite of every data file (2 files, 123 bytes)"
BACKFILLED = "rewrites file metadata in the log (1 of 2 files); no data files are rewritten"
PURGED = "rewrite of the data files with deletion vectors (1 of 2 files, 23 bytes)"
MAPPED = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}
WIDENED = {"delta.typeChanges": [{"fromType": "short", "toType": "integer"}]}
COSTLY: dict[str, tuple[list[str], list[str], dict[str, str], dict[str, Any]]] = {
    "small": ([], ["appendOnly"], {}, {}),
    "mapped": (["columnMapping"], [], {"delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "1"}, MAPPED),
    "widened": (["typeWidening"], [], {}, WIDENED),
    "vectors": (["deletionVectors"], [], {"delta.enableDeletionVectors": "true"}, {}),
    "vectors and a dropped column": (["deletionVectors", "columnMapping"], [],
        {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}, MAPPED),
}  # fmt: skip
"""Tables whose files something goes through: features, further ones, properties, a column."""


@pytest.fixture
def mapped(tmp_path: Path) -> Table:
    """A table in mapping mode name, which only a rewrite takes back."""
    made = tables.table(tmp_path / "mapped", commit(protocol(2, 5), metadata()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
        wish = ["set-mapping-mode", made.path, "name", "--apply", "--yes", *ACCEPT_ALL]
        assert deltaadm(*wish).code == 0
    return made


each_command = pytest.mark.parametrize("command", COMMANDS)


def arguments(command: str, table: Table) -> list[object]:
    return [command.split(maxsplit=1)[0], table.path, *COMMANDS[command][0]]


def test_a_plan_names_readers_before_writers_and_no_empty_ids(small: Table) -> None:
    shown = deltaadm("enable-feature", small.path, "icebergCompatV2").out
    assert 0 < shown.index("cannot read") < shown.index("cannot write")
    assert "physicalName a  " in shown


def test_a_saved_plan_warns_as_the_command_did_that_made_it(small: Table, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    shown = deltaadm("enable-feature", small.path, "icebergCompatV2", "--out", plan).out
    note = shown.partition("  Note ")[2]
    assert "icebergCompatV2: Requires column mapping" in note
    assert deltaadm("apply", plan).out.partition("  Note ")[2] == note


@each_command
def test_looking_is_the_default(small: Table, command: str) -> None:
    with untouched(small.path):
        result = deltaadm(*arguments(command, small))
    assert result.code == 0
    assert result.out.startswith(f"{command.split(maxsplit=1)[0]}: {small.path} (version 0)\n")
    assert "Nothing was changed. To apply:" in result.err


@each_command
def test_contract(small: Table, command: str) -> None:
    result = deltaadm(*arguments(command, small), "-o", "json")
    assert (result.code, result.err) == (0, "")
    plan = result.document
    assert plan["format_version"] == 1
    assert plan["operation"] == command.split(maxsplit=1)[0]
    assert plan["table"] == plan["location"] == str(small.path)
    assert plan["before"] == {
        "version": 0,
        "protocol": {"minReaderVersion": 1, "minWriterVersion": 2},
        "metadata": metadata()["metaData"],
        "clustering_columns": [] if plan["cost"] == "backfill" else None,
    }
    assert plan["after"].keys() == {"protocol", "metadata"}
    assert plan["cost"] == COMMANDS[command][1]
    assert plan["is_noop"] is False
    for change in plan["changes"]:
        assert change.keys() == {"kind", "subject", "before", "after", "because", "undo", "cost"}
    for step in plan["steps"]:
        assert step["sql"].startswith(f"ALTER TABLE delta.`{small.path}` ")
    for names in ("readerFeatures", "writerFeatures"):
        listed = plan["after"]["protocol"].get(names, [])
        assert listed == sorted(listed)


def test_unknown_parts_are_literal(small: Table) -> None:
    plan = deltaadm("enable-feature", small.path, "rowTracking", "-o", "json").document
    found = plan["after"]["metadata"]["configuration"]
    assert found["delta.rowTracking.materializedRowIdColumnName"] == (
        "_row-id-col-<known after commit>"
    )
    plan = deltaadm("enable-feature", small.path, "inCommitTimestamp", "-o", "json").document
    found = plan["after"]["metadata"]["configuration"]
    assert found["delta.inCommitTimestampEnablementTimestamp"] == "<known after commit>"


@each_command
def test_the_statement(small: Table, command: str) -> None:
    result = deltaadm(*arguments(command, small), "-o", "sql")
    assert (result.code, result.err) == (0, "")
    (line,) = result.out.splitlines()
    assert line.startswith(f"ALTER TABLE delta.`{small.path}` SET TBLPROPERTIES (")
    assert line.endswith(");")


@pytest.mark.parametrize(("name", "wish", "cost"), [
    ("mapped", ["set-mapping-mode", "none"], EVERY_FILE),
    ("mapped", ["alter", "--unset", "delta.columnMapping.mode"], EVERY_FILE),
    ("mapped", ["drop-feature", "columnMapping"], EVERY_FILE),
    ("small", ["enable-feature", "rowTracking"], f"backfill: {BACKFILLED}"),
    ("widened", ["drop-feature", "typeWidening"],
        "rewrite of the data files with older types (some of 2 files, 123 bytes)"),
    ("vectors", ["drop-feature", "deletionVectors"], PURGED),
    ("vectors and a dropped column", ["drop-feature", "deletionVectors"],
        f"{PURGED} and of any with columns that were dropped"),
], ids=str)  # fmt: skip
def test_the_size_of_what_is_gone_through_is_said(
    tmp_path: Path, name: str, wish: list[str], cost: str
) -> None:
    names, extra, configuration, about = COSTLY[name]
    columns = tables.schema(tables.column("a", **about))
    start = protocol(3, 7, names, [*names, *extra])
    table = tables.table(
        tmp_path,
        commit(start, metadata(configuration, schemaString=columns)),
        commit(
            tables.add("a", 100, stats=STATISTICS, baseRowId=0),
            tables.add("b", 23, stats=STATISTICS, deletionVector=tables.deletion_vector("v"))
            if "vectors" in name
            else tables.add("b", 23, stats=STATISTICS),
        ),
    )
    command, *rest = wish
    shown = deltaadm(command, table.path, *rest).out
    assert re.search(rf"\n  Cost +{re.escape(cost)}[;\n]", shown)
    plan = deltaadm(command, table.path, *rest, "-o", "json").document
    assert plan["size"] == {"files": 2, "bytes": 123}
    assert f"Cost: {cost}" in deltaadm(command, table.path, *rest, "-o", "html").out


def test_the_size_is_not_asked_for_where_it_does_not_matter(small: Table) -> None:
    plan = deltaadm("alter", small.path, "--set", "a=b", "-o", "json").document
    assert plan["size"] is None


@pytest.mark.parametrize(("wish", "sql"), [
    (["--add-column", "n INT COMMENT 'it''s' FIRST, o DATE"],
        "ADD COLUMNS (`n` INT COMMENT 'it\\'s' FIRST, `o` DATE)"),
    (["--set-comment", "a=x=y"], "ALTER COLUMN `a` COMMENT 'x=y'"),
    (["--move", "B FIRST"], "ALTER COLUMN `B` FIRST"),
    (["--add-constraint", "odd name=a>0"], "ADD CONSTRAINT `odd name` CHECK (a > 0)"),
    (["--cluster-by", "b, A"], "CLUSTER BY (`b`, `A`)"),
    (["--cluster-by", "b", "--cluster-by", "a"], "CLUSTER BY (`b`, `a`)"),
], ids=lambda value: value[0] if isinstance(value, list) else "")  # fmt: skip
def test_the_options_of_alter(tmp_path: Path, wish: list[str], sql: str) -> None:
    columns = metadata(schemaString=schema("a", "b"))
    wide = tables.table(tmp_path / "wide", commit(protocol(), columns))
    result = deltaadm("alter", wide.path, *wish, "-o", "sql")
    assert (result.code, result.err) == (0, "")
    assert result.out == f"ALTER TABLE delta.`{wide.path}` {sql};\n"


@pytest.mark.parametrize(("wish", "words"), [
    (["--set-type", "a=BIGITN"], "Did you mean BIGINT?"),
    (["--set-type", "a=BIGINT"], "small typeWidening"),
    (["--set-default", "a=1"], "small allowColumnDefaults"),
    (["--drop-default", "nope"], "small --columns"),
    (["--drop-not-null", "a."], "Separate nested names with dots"),
    (["--move", "a BEFORE b"], "expected FIRST or AFTER"),
    (["--cluster-by", "a,,b"], "expected a column name"),
    (["--drop-constraint", "c"], "It has no constraints."),
    (["--drop-column", "a"], "small name"),
], ids=lambda one: " ".join(one) if isinstance(one, list) else "")  # fmt: skip
def test_what_alter_refuses(small: Table, wish: list[str], words: str) -> None:
    result = deltaadm("alter", small.path, *wish)
    assert result.code == (2 if "The table has no" in result.err else 7)
    assert words in result.err
    assert "TABLE" not in result.err


def test_no_statement_where_there_is_nothing_to_do(small: Table) -> None:
    assert deltaadm("upgrade-protocol", small.path, "-o", "sql").out == "-- nothing to do\n"


@each_command
def test_check(small: Table, command: str) -> None:
    with untouched(small.path):
        assert deltaadm(*arguments(command, small), "--check").code == 1
    assert deltaadm(*arguments(command, small), "--check", "-o", "json").document["steps"]


def test_check_of_nothing(small: Table) -> None:
    result = deltaadm("upgrade-protocol", small.path, "--check")
    assert (result.code, result.err) == (0, "")
    assert "No changes." in result.out


def test_steps_that_undo_each_other_are_not_taken(small: Table) -> None:
    result = deltaadm("alter", small.path, "--set", "a=b", "--unset", "a")
    assert "No changes." in result.out
    assert "so they are skipped: --set a=b --unset a." in result.out


# consent


@with_rows
@pytest.mark.parametrize("form", ["text", "json"])
def test_without_consent_nothing_happens(
    small: Table, writer: LogWriter, wish: list[str], given: list[str], missing: str, form: str
) -> None:
    with untouched(small.path):
        result = deltaadm("enable-feature", small.path, *wish, "--apply", *given, "-o", form)
    assert result.code == 7
    assert writer.steps == []
    words = f"Pass {missing} to "
    if form == "json":
        assert result.err == ""
        assert result.document["error"]["remedy"].startswith(words)
    else:
        assert words in result.err


@pytest.mark.parametrize(
    ("given", "missing"), [([], "--yes --allow-rewrite"), (["-y"], "--allow-rewrite")]
)
def test_a_rewrite_needs_its_own_consent(
    mapped: Table, writer: LogWriter, given: list[str], missing: str
) -> None:
    with untouched(mapped.path):
        result = deltaadm("set-mapping-mode", mapped.path, "none", "--apply", *given)
    assert result.code == 7
    assert f"Pass {missing} to " in result.err
    assert writer.steps == []


def test_nothing_to_do_needs_no_consent(small: Table, writer: LogWriter) -> None:
    result = deltaadm("upgrade-protocol", small.path, "--apply", "-o", "json")
    assert result.code == 0
    assert result.document["outcome"]["versions"] == []
    assert writer.steps == []


# carrying out


@each_command
def test_apply(small: Table, writer: LogWriter, command: str) -> None:
    consent = ["-y", "--allow-backfill", *ACCEPT_ALL]
    result = deltaadm(*arguments(command, small), "--apply", *consent)
    assert result.code == 0, result.err
    assert "Version 1 was committed, as planned." in result.out
    assert len(writer.steps) == 1
    again = deltaadm(*arguments(command, small), "-o", "json")
    assert again.document["is_noop"] is True


def test_contract_of_an_outcome(small: Table, writer: LogWriter) -> None:
    wish = ["alter", small.path, "--set", "a=b", "--unset", "c"]
    planned = deltaadm(*wish, "-o", "json").document
    result = deltaadm(*wish, "--apply", "--yes", "-o", "json")
    assert (result.code, result.err) == (0, "")
    assert len(writer.steps) == 1
    found = result.document
    assert {*found} == {"format_version", "tool_version", "document", "table", "plan", "outcome"}
    assert found["format_version"] == 1
    assert found["plan"] == planned
    assert found["outcome"] == COMMITTED


def test_two_steps(tmp_path: Path, writer: LogWriter) -> None:
    made = tables.table(tmp_path, commit(protocol(), metadata({"c": "1"})))
    result = deltaadm(
        "alter", made.path, "--set", "a=b", "--unset", "c", "--apply", "--yes", "-o", "json"
    )
    assert result.document["outcome"]["versions"] == [1, 2]
    assert len(writer.steps) == 2


@pytest.mark.parametrize("taken", [1, 2, 3])
def test_a_command_that_is_interrupted_after_a_step_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    @dataclass
    class Interrupted(LogWriter):
        def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
            super().apply(root, step, base)
            if len(self.steps) == taken:
                raise KeyboardInterrupt

    made = tables.table(tmp_path, commit(protocol(), metadata({"c": "1"})))
    wish = ["alter", made.path, "--set", "delta.columnMapping.mode=name", "--unset", "c"]
    wish += ["--rename-column", "a=b", "--apply", "--yes", *ACCEPT_ALL]
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: Interrupted())
    assert deltaadm(*wish).code == 130
    writer = LogWriter()
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: writer)
    again = deltaadm(*wish, "-o", "json")
    assert (again.code, len(writer.steps)) == (0, 3 - taken)
    assert again.document["outcome"]["versions"] == list(range(taken + 1, 4))
    left_out = [note for note in again.document["plan"]["notes"] if "so they are skipped" in note]
    assert len(left_out) == (taken > 1)


def test_another_result_than_planned(small: Table, writer: LogWriter) -> None:
    writer.foreign = (metadata({"a": "other"}),)
    result = deltaadm("alter", small.path, "--set", "a=b", "--apply", "--yes", "-o", "json")
    assert result.code == 5
    (mismatch,) = result.document["outcome"]["mismatches"]
    assert mismatch == {
        "kind": "set", "subject": "configuration[a]", "before": "b", "after": "other",
    }  # fmt: skip


def test_another_result_in_words(small: Table, writer: LogWriter) -> None:
    writer.foreign = (metadata({}),)
    result = deltaadm("alter", small.path, "--set", "a=b", "--apply", "--yes")
    assert result.code == 5
    assert "The result differs from the plan:" in result.out
    assert "configuration[a]  planned: b  found: nothing" in result.out


def test_settings_that_differ(small: Table, writer: LogWriter) -> None:
    writer.live = SessionSettings()
    with untouched(small.path):
        result = deltaadm(
            "alter", small.path, "--set", "delta.own=1", "--spark-conf",
            "spark.databricks.delta.allowArbitraryProperties.enabled=true", "--apply", "--yes",
        )  # fmt: skip
    assert result.code == 5
    assert "--spark-conf" in result.err


def test_columns_are_told_together_only_where_they_stay(tmp_path: Path, writer: LogWriter) -> None:
    columns = tables.schema(*map(tables.column, "abcdefghijkl"))
    start = commit(protocol(1, 2), metadata(schemaString=columns))
    table = tables.table(tmp_path / "t", start)
    assert "  ~ 12 columns change  " in deltaadm("set-mapping-mode", table.path, "name").out
    mapping = deltaadm("set-mapping-mode", table.path, "name", "--apply", "--yes", *ACCEPT_ALL)
    assert "Version 1 was committed, as planned." in mapping.out
    assert len(mapping.out.splitlines()) == 3
    wish = [f"--drop-column={name}" for name in "abcdefghijk"]
    dropping = deltaadm("alter", table.path, *wish).out
    assert "  - 11 columns: a, b, c, d, e, f, g, h, i, j, k" in dropping
    assert len(writer.steps) == 1


# plan files


@pytest.fixture
def saved(small: Table, tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    result = deltaadm("enable-feature", small.path, "inCommitTimestamp", "--out", file)
    assert result.code == 0
    assert f"deltaadm apply {file}" in result.err
    return file


@pytest.mark.parametrize(("name", "word"), [("a b", "'a b'"), ("-x", "./-x")])
def test_the_command_that_applies_a_file_can_be_pasted(
    small: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for named in ([small.path], ["--table", small.path]):
        result = deltaadm("alter", "--set", "a=b", f"--out={name}", *named)
        assert f"To apply:\n  deltaadm apply {word}\n" in result.err


def test_a_file_with_a_key_twice_is_none(small: Table, saved: Path, writer: LogWriter) -> None:
    """A person may read the one, and the program the other."""
    text = saved.read_text()
    for key in ("location", "minWriterVersion"):
        name = f'"{key}": '
        saved.write_text(text.replace(name, f'{name}"/etc", {name}', 1))
        for command in (["apply", saved, "--yes"], ["show", saved]):
            with untouched(small.path):
                result = deltaadm(*command)
            assert (result.code, f"has the key '{key}' twice" in result.err) == (7, True)
    assert not writer.steps


def test_the_file_is_the_plan(small: Table, saved: Path) -> None:
    shown = deltaadm("enable-feature", small.path, "inCommitTimestamp", "-o", "json").document
    assert json.loads(saved.read_text()) == shown


def test_apply_a_file(small: Table, saved: Path, writer: LogWriter) -> None:
    result = deltaadm("apply", saved, "--yes", "-o", "json")
    assert result.code == 0, result.out
    assert result.document["outcome"] == COMMITTED
    assert result.document["table"] == str(small.path)
    assert len(writer.steps) == 1
    with untouched(small.path):
        second = deltaadm("apply", saved)
    assert (second.code, second.err) == (0, "")
    assert "The plan is already applied: the table is as planned." in second.out
    assert "Nothing was committed: there is nothing to do." in second.out


def test_appends_since_do_not_disturb(small: Table, saved: Path, writer: LogWriter) -> None:
    small.commit(1, commit_info(), tables.add("f"))
    result = deltaadm("apply", saved, "--yes", "-o", "json")
    assert result.code == 0, result.out
    assert result.document["outcome"]["versions"] == [2]
    assert writer.steps


@pytest.mark.parametrize(("action", "error_class"), [
    (metadata({"x": "y"}), "DELTA_METADATA_CHANGED"),
    (metadata(id="other"), "DELTA_METADATA_CHANGED"),
    (protocol(1, 3), "DELTA_PROTOCOL_CHANGED"),
], ids=["properties", "another table", "protocol"])  # fmt: skip
def test_a_moved_base(
    small: Table, saved: Path, writer: LogWriter, action: Any, error_class: str
) -> None:
    small.commit(1, commit_info(), action)
    with untouched(small.path):
        result = deltaadm("apply", saved, "--yes", "-o", "json")
    assert result.code == 5
    assert result.document["error"]["delta_error_class"] == error_class
    assert result.document["error"]["kind"] == "commit"
    assert writer.steps == []


def test_a_file_needs_consent_too(small: Table, saved: Path) -> None:
    with untouched(small.path):
        result = deltaadm("apply", saved)
    assert result.code == 7
    assert "Pass --yes" in result.err


def _gone(file: Path) -> None:
    file.unlink()


def _cut(file: Path) -> None:
    file.write_text(file.read_text()[:200])


def _binary(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")


def _directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _edited(file: Path) -> None:
    file.write_text(file.read_text().replace("enableInCommitTimestamps", "enableChangeDataFeed"))


@pytest.mark.parametrize(("damage", "code", "words"), [
    (_gone, 2, "cannot be read: No such file"),
    (_directory, 7, "cannot be read: Is a directory"),
    (_binary, 7, "cannot be read: it is not text"),
    (_cut, 7, "not a deltaadm plan: it is not JSON"),
    (_edited, 7, "was changed after it was written"),
])  # fmt: skip
def test_files_that_are_no_plan(
    small: Table,
    saved: Path,
    writer: LogWriter,
    damage: Callable[[Path], None],
    code: int,
    words: str,
) -> None:
    damage(saved)
    with untouched(small.path):
        result = deltaadm("apply", saved, "--yes")
    assert result.code == code
    assert words in result.err
    assert writer.steps == []


def test_a_table_that_is_gone(small: Table, saved: Path) -> None:
    small.path.rename(small.path.with_name("elsewhere"))
    assert deltaadm("apply", saved, "--yes").code == 3


def test_a_place_where_no_plan_can_be_saved(small: Table, tmp_path: Path) -> None:
    result = deltaadm("upgrade-protocol", small.path, "--out", tmp_path / "no" / "plan.json")
    assert result.code == 7
    assert "cannot be written: No such file or directory" in result.err


# errors


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "sql"])
def test_a_refusal(small: Table, form: str) -> None:
    with untouched(small.path):
        result = deltaadm("set-mapping-mode", small.path, "id", "-o", form)
    assert result.code == 7
    if form in {"json", "jsonl"}:
        assert result.err == ""
        assert result.document == {
            "format_version": 1,
            "tool_version": result.document["tool_version"],
            "document": "error",
            "table": str(small.path),
            "error": {
                "kind": "refused",
                "exit_code": 7,
                "message": "The column mapping mode cannot go from 'none' to 'id'.",
                "remedy": "An existing table can only go from 'none' to 'name', or back to 'none' "
                "by rewriting its files.",
                "delta_error_class": "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
            },
        }
    else:
        assert result.out == ""
        assert result.err.startswith(f"error: {small.path}: The column mapping mode cannot go")


@with_rows
def test_wishes_that_are_refused(small: Table, arguments: str, words: str) -> None:
    key = "spark.databricks.delta.columnMapping.allowRemoval"
    given = [
        small.path if word == "T" else word.replace("K=", f"{key}=") for word in arguments.split()
    ]
    with untouched(small.path):
        result = deltaadm(*given)
    assert result.code == (2 if "There is no" in result.err else 7)
    assert words in result.err
    assert result.out == ""


def test_an_error_of_delta_while_committing(
    small: Table, writer: LogWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deltaadm.errors import CommitError

    def refuse(*_: object) -> None:
        raise CommitError("Delta refuses.", delta_error_class="DELTA_X")

    monkeypatch.setattr(writer, "apply", refuse)
    result = deltaadm("alter", small.path, "--set", "a=b", "--apply", "--yes", "-o", "json")
    assert result.code == 5
    assert result.document["error"]["message"] == "Delta refuses; nothing was committed."
    assert result.document["error"]["delta_error_class"] == "DELTA_X"


@pytest.mark.slow
def test_no_java(small: Table, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    nowhere = {"PATH": str(tmp_path), "JAVA_HOME": str(tmp_path)}
    with untouched(small.path):
        result = process(
            "alter", small.path, "--set", "a=b", "--apply", "-y", "-o", "json", env=nowhere
        )
    assert result.code == 6
    assert result.document["error"]["kind"] == "engine"
    assert "Java" in result.document["error"]["message"]


def test_a_bug_keeps_its_traceback(small: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(f"with {os.environ['MY_TOKEN']}")

    monkeypatch.setenv("MY_TOKEN", "quoted-by-a-library")
    monkeypatch.setattr("deltaadm.runs.target.Target.load", broken)
    result = deltaadm("inspect", small.path)
    assert result.code == 70
    assert "Traceback" in result.err
    assert "This is a bug in deltaadm" in result.err
    assert "with ***" in result.err


# features


def test_the_catalogue() -> None:
    result = deltaadm("features", "-o", "json")
    names = [feature["name"] for feature in result.document["features"]]
    assert result.code == 0
    assert names == sorted(names, key=str.lower)
    assert len(deltaadm("features").out.splitlines()) == 1 + len(names)


def test_one_feature() -> None:
    found = deltaadm("features", "ROWTRACKING", "-o", "json").document
    assert found["name"] == "rowTracking"
    assert found["requires"] == ["domainMetadata"]
    assert "icebergCompatV3" in found["required_by"]
    text = deltaadm("features", "rowTracking").out
    assert "  activated by      delta.enableRowTracking = true\n" in text


def test_a_feature_that_is_none() -> None:
    result = deltaadm("features", "rowtrakcing")
    assert result.code == 2
    assert result.err == (
        "error: There is no table feature named 'rowtrakcing'.\n  Did you mean rowTracking?\n"
    )


def test_a_location_is_set_for_one_name_in_a_catalog(tmp_path: Path) -> None:
    places = [Table(tmp_path / name) for name in ("here", "there")]
    for place in places:
        place.commit(0, protocol(), metadata())
    here, there = (str(place.path) for place in places)
    by_path = deltaadm("alter", here, "--set-location", there, "-o", "json")
    assert by_path.code == 7
    found = by_path.document["error"]["delta_error_class"]
    assert found == "DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER"
    for more, code, words in (
        ([there], 2, "can only change one table at a time"),
        (["--table", here], 2, "can only change one table at a time"),
        (["--set", "a=b"], 7, "cannot be changed together"),
    ):
        result = deltaadm("alter", here, *more, "--set-location", there)
        assert result.code == code
        assert words in " ".join(result.err.split())
    nowhere = deltaadm("alter", here, "--set-location", tmp_path / "nowhere", "-o", "json")
    assert nowhere.code == 3
    assert nowhere.document["error"]["delta_error_class"] == "DELTA_MISSING_DELTA_TABLE"


# what a plan ends with


def test_the_command_that_a_plan_ends_with_applies_it(
    tmp_path: Path, small: Table, writer: LogWriter
) -> None:
    """Whatever was typed, quoted, with the consents that the plan needs; from the file if saved."""
    file = tmp_path / "a plan.json"
    wishes = (
        ["alter", small.path, "--set", "note=it's $HOME", "-v"],
        ["enable-feature", small.path, "rowTracking", "--check"],
        ["set-mapping-mode", small.path, "name", "--out", str(file)],
    )
    for wish in wishes:
        told = deltaadm(*wish).err
        words = shlex.split(told.partition("To apply:\n")[2])
        assert words[0] == "deltaadm"
        assert ("--allow-backfill" in words) == ("rowTracking" in wish)
        assert ("--accept-silently-wrong" in words) == ("name" in wish)
        done = deltaadm(*words[1:], "--yes")
        assert (done.code, "as planned" in done.out) == (0, True), done.err
    assert words[:3] == ["deltaadm", "apply", str(file)]
    assert len(writer.steps) == len(wishes)


def test_an_approved_plan_is_told_in_two_lines(small: Table, writer: LogWriter) -> None:
    done = deltaadm("alter", small.path, "--set", "a=b", "--apply", "--yes")
    title, changes, outcome = done.out.splitlines()
    assert title == f"alter: {small.path} (version 0)"
    assert changes == "  + a = b (metadata only)"
    assert outcome == "Version 1 was committed, as planned."
    assert len(writer.steps) == 1


def test_a_saved_plan_keeps_its_command_and_its_reasons(tmp_path: Path, small: Table) -> None:
    file = tmp_path / "plan.json"
    assert deltaadm("enable-feature", small.path, "deletionVectors", "--out", file).code == 0
    shown = deltaadm("show", file).out
    assert shown.startswith(f"enable-feature: {small.path} (version 0)\n")
    assert re.search(r"\+ deletionVectors +requested\n", shown)


def test_a_plan_is_applied_where_its_table_is_mounted(
    tmp_path: Path, small: Table, writer: LogWriter
) -> None:
    file, other = tmp_path / "plan.json", tmp_path / "mount" / "small"
    assert deltaadm("enable-feature", small.path, "deletionVectors", "--out", file).code == 0
    shutil.copytree(small.path, other)
    stranger = tables.table(tmp_path / "stranger", commit(protocol(), metadata(id="another")))
    wrong = deltaadm("apply", file, "--location", stranger.path, "--yes")
    assert (wrong.code, "is not the one that the plan is for" in wrong.err) == (5, True)
    with untouched(small.path):
        done = deltaadm("apply", file, "--location", other, "--yes")
    assert (done.code, "Version 1 was committed, as planned." in done.out) == (0, True), done.err
    assert deltaadm("apply", file, "--location", other, "--yes").code == 0
    assert len(writer.steps) == 1
    creating = tmp_path / "creating.json"
    wish = ["create", tmp_path / "new", "--schema", "a INT", "--out", creating]
    assert deltaadm(*wish).code == 0
    refused = deltaadm("apply", creating, "--location", other, "--yes")
    assert (refused.code, "existing table" in refused.err) == (7, True)
