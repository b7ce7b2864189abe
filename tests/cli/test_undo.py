"""`deltaadm undo` and `apply --undo`: planned from the log, refused with a reason, carried out."""

import sys
from pathlib import Path

import pytest

from deltaadm.plans.reversal import plan_undo
from tests.support import plans, tables
from tests.support.program import deltaadm, untouched
from tests.support.tables import Table, commit, metadata, protocol

EMBEDDED = ["--apply", "--yes", "--commit-engine", "embedded"]


@pytest.fixture
def changed(tmp_path: Path) -> Table:
    """Version 1 sets properties, version 2 adds a feature, version 3 changes a property again."""
    made = tables.table(tmp_path / "t", commit(protocol(1, 2), metadata()))
    for wish in (
        ["alter", made.path, "--set", "a.b=c", "--set", "delta.appendOnly=true"],
        ["enable-feature", made.path, "deletionVectors"],
        ["alter", made.path, "--set", "a.b=d"],
    ):
        assert deltaadm(*wish, *EMBEDDED).code == 0
    return made


def properties(table: Table) -> dict[str, str]:
    shown = deltaadm("inspect", table.path, "-o", "json").document["metadata"]["configuration"]
    return dict(shown)


def test_the_newest_change_is_the_default(changed: Table) -> None:
    with untouched(changed.path):
        plan = deltaadm("undo", changed.path)
    assert plan.code == 0
    assert "~ a.b: d -> c  as before version 3\n" in plan.out
    assert deltaadm("undo", changed.path, *EMBEDDED).code == 0
    assert properties(changed)["a.b"] == "c"


def test_a_later_change_of_the_same_is_undone_first(changed: Table) -> None:
    refused = deltaadm("undo", changed.path, "1")
    assert refused.code == 7
    assert "configuration[a.b] changed again after version 1." in refused.err
    assert deltaadm("undo", changed.path, "3", *EMBEDDED).code == 0
    assert deltaadm("undo", changed.path, "1", *EMBEDDED).code == 0
    assert deltaadm("undo", changed.path, "1", "--check").code == 0  # nothing is left of it


def test_features_are_dropped_and_what_others_changed_stays(changed: Table) -> None:
    plan = deltaadm("undo", changed.path, "2")
    assert "- delta.enableDeletionVectors = true" in plan.out
    assert "- deletionVectors " in plan.out
    assert "a.b" not in plan.out


@pytest.mark.parametrize(("version", "code", "reason"), [
    ("0", 7, "Version 0 created the table."),
    ("9", 7, "There is no version 9: the newest is 3."),
    ("x", 2, "x"),
])  # fmt: skip
def test_what_cannot_be_undone_is_refused_with_the_reason(
    changed: Table, version: str, code: int, reason: str
) -> None:
    refused = deltaadm("undo", changed.path, version)
    assert refused.code == code
    assert reason in refused.err


def test_a_version_with_data_alone_changed_nothing_to_undo(changed: Table) -> None:
    changed.write(f"{4:020d}.json", commit(tables.add("part-1.parquet")))
    assert "Version 4 changed no protocol, property or column." in (
        deltaadm("undo", changed.path, "4").err
    )
    assert "as before version 3" in deltaadm("undo", changed.path).out


def test_a_saved_plan_is_taken_back(changed: Table, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert (
        deltaadm("alter", changed.path, "--set", "a.b=e", "--unset", "x", "--out", plan).code == 0
    )
    taken = ["apply", plan, "--undo", "--yes", "--commit-engine", "embedded"]
    assert "The plan is undone already." in deltaadm(*taken).out
    assert deltaadm("apply", plan, "--yes", "--commit-engine", "embedded").code == 0
    assert properties(changed)["a.b"] == "e"
    assert deltaadm(*taken).code == 0
    assert properties(changed)["a.b"] == "d"


def test_columns_that_changed_together_are_undone_together(tmp_path: Path) -> None:
    made = tables.table(
        tmp_path / "t",
        commit(protocol(2, 5), metadata({"delta.columnMapping.mode": "name"})),
    )
    names = ["n0", "n1", "n2"]
    columns = [f"--add-column={name} INT" for name in names]
    assert deltaadm("alter", made.path, *EMBEDDED, *columns).code == 0
    [step] = deltaadm("undo", made.path, "-o", "json").document["steps"]
    assert step["columns"] == [[name] for name in names]
    comments = [f"--set-comment={name}=x" for name in names]
    assert deltaadm("alter", made.path, *EMBEDDED, *comments).code == 0
    assert len(deltaadm("undo", made.path, "-o", "json").document["steps"]) == 1


def test_a_column_that_changed_in_two_ways_at_once_is_undone_in_both(tmp_path: Path) -> None:
    mapped = {
        "comment": "new",
        "delta.columnMapping.id": 1,
        "delta.columnMapping.physicalName": "a",
    }
    mode = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
    old, new = (
        tables.schema(tables.column("a", **entries)) for entries in ({"comment": "old"}, mapped)
    )
    made = tables.table(
        tmp_path / "t",
        commit(protocol(2, 5), metadata(schemaString=old)),
        commit(metadata(mode, schemaString=new)),
    )
    kinds = [each["kind"] for each in deltaadm("undo", made.path, "-o", "json").document["steps"]]
    assert kinds[0] == "change_columns"
    assert len(kinds) > 1


def test_undoing_changes_of_many_columns_does_not_look_at_all_for_each() -> None:
    """Of all calls in Python, 30 times as many for ten times the columns are allowed."""

    def calls(number: int) -> int:
        names = [f"c{index}" for index in range(number)]
        before = plans.snapshot(schemaString=plans.schema(*names))
        after = plans.snapshot(version=4, schemaString=plans.schema(*names, comment="x"))
        counted = 0

        def count(_frame: object, event: str, _of: object) -> None:
            nonlocal counted
            counted += event == "call"

        sys.setprofile(count)
        try:
            plan_undo(before, after, after, what="Version 4")
        finally:
            sys.setprofile(None)
        return counted

    calls(2)
    assert calls(200) < 30 * calls(20)
