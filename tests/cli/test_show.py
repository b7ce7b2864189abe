"""Saved plans and journals: shown with what has changed since, and checked."""

import json
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import LogWriter, deltaadm, untouched
from tests.support.tables import (
    Action,
    Table,
    column,
    commit,
    domain,
    metadata,
    protocol,
    schema,
    table,
)


@pytest.fixture
def plan(small: Table, tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    assert deltaadm("alter", small.path, "--set", "team=data", "--out", file).code == 0
    return file


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for name in ("t1", "t2"):
        tables.table(tmp_path / "lake" / name, tables.START_BODY)
    return tmp_path / "lake"


@pytest.fixture
def plans(lake: Path, tmp_path: Path) -> Path:
    file = tmp_path / "plans.jsonl"
    assert deltaadm("alter", "--discover", lake, "--set", "team=data", "--out", file).code == 0
    return file


def change(table: Table | Path, version: int) -> None:
    log = Path(getattr(table, "path", table)) / "_delta_log"
    body = commit(metadata({"owner": "somebody else"}))
    (log / f"{version:020}.json").write_bytes(body)


def test_a_plan_that_can_be_applied(plan: Path, small: Table) -> None:
    with untouched(small.path):
        shown, checked = deltaadm("show", plan), deltaadm("apply", plan, "--check")
    assert shown.code == 0
    assert "It can be applied: the table at version 0 is as the plan expects it." in shown.out
    assert checked.code == 1
    assert "+ team = data" in shown.out
    assert "+ team = data" in checked.out


@pytest.mark.usefixtures("writer")
def test_a_plan_that_is_applied_already(plan: Path) -> None:
    assert deltaadm("apply", plan, "--yes").code == 0
    again = deltaadm("apply", plan, "--yes")
    assert (again.code, "The plan is already applied" in again.out) == (0, True)
    assert (
        "It is already applied: the table at version 1 is as planned." in deltaadm("show", plan).out
    )
    checked = deltaadm("apply", plan, "--check")
    assert (checked.code, "The plan is already applied" in checked.out) == (0, True)


def test_a_plan_for_a_table_that_others_have_changed(plan: Path, small: Table) -> None:
    change(small, 1)
    shown = deltaadm("show", plan)
    assert shown.code == 0
    assert "Cannot be applied: The plan is stale: configuration" in shown.out
    assert "Changed since the plan was made\n  + configuration[owner] = somebody else" in shown.out
    status = deltaadm("show", plan, "-o", "json").document["status"]
    assert (status["state"], status["version"], len(status["changes"])) == ("obsolete", 1, 1)
    assert deltaadm("apply", plan, "--check").code == deltaadm("apply", plan, "--yes").code == 5


def test_a_plan_whose_table_is_gone(plan: Path, small: Table) -> None:
    for file in (Path(small.path) / "_delta_log").iterdir():
        file.unlink()
    shown = deltaadm("show", plan, "-o", "json").document
    assert (shown["status"]["state"], shown["status"]["version"]) == ("unknown", None)
    assert deltaadm("apply", plan, "--check").code == 3


@pytest.mark.parametrize("form", ["markdown", "html", "sql", "jsonl"])
def test_every_format_shows_the_plan(plan: Path, form: str) -> None:
    assert "TBLPROPERTIES" in deltaadm("show", plan, "-o", form).out


def test_an_edited_plan_is_refused(plan: Path) -> None:
    plan.write_text(plan.read_text().replace("team", "crew"))
    assert deltaadm("show", plan).code == 7
    assert deltaadm("apply", plan, "--check").code == 7


def test_many_plans_are_checked_one_by_one(plans: Path, lake: Path) -> None:
    assert deltaadm("apply", plans, "--check").code == 1
    change(lake / "t1", 1)
    result = deltaadm("apply", plans, "--check", "-o", "jsonl")
    first, second = (json.loads(line) for line in result.out.splitlines())
    assert result.code == 9
    assert first["error"]["exit_code"] == 5
    assert second["is_noop"] is False
    assert not plans.with_name("plans.jsonl.journal").exists()


def test_a_journal_says_what_became_of_each_plan(
    plans: Path, lake: Path, writer: LogWriter
) -> None:
    change(lake / "t2", 1)
    assert deltaadm("apply", plans, "--yes").code == 9
    assert len(writer.steps) == 1
    journal = plans.with_name("plans.jsonl.journal")
    shown = deltaadm("show", journal)
    assert shown.out.splitlines()[0] == f"{journal}: 1 done"
    assert "committed  version 1" in shown.out
    [line] = deltaadm("show", journal, "-o", "json").document["plans"]
    assert (line["event"], line["result"]["outcome"]["versions"]) == ("done", [1])


MAPPED = {
    "delta.columnMapping.mode": "name",
    "delta.columnMapping.maxColumnId": "6",
    "delta.enableTypeWidening": "true",
}
WIDENED = {"fromType": "integer", "toType": "long"}


def mapped(name: str, number: int, kind: object = "integer", **more: object) -> Action:
    identity = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": name}
    return column(name, kind, **identity, **more)


@pytest.mark.parametrize(("wish", "expected"), [
    (["--add-column", "z INT", "--add-column", "s.q STRUCT<u: INT>"],
        {"z": "requested", "s.q": "requested", "s.q.u": "added with the enclosing column"}),
    (["--add-column", "l ARRAY<STRUCT<u: INT>>"],
        {"l": "requested", "l.element.u": "added with the enclosing column"}),
    (["--drop-column", "s", "--drop-column", "wide"],
        {"s": "requested", "s.x": "removed with the enclosing column", "wide": "requested"}),
    (["--drop-column", "s.x", "--rename-column", "a=b"], {"s.x": "requested", "b": "requested"}),
    (["--cluster-by", "wide"], {"": "requested"}),
], ids=["columns", "an array", "dropped", "within a struct", "clustering"])  # fmt: skip
def test_a_saved_plan_has_the_reasons_of_the_plan(
    tmp_path: Path, wish: list[str], expected: dict[str, str]
) -> None:
    fields = schema(
        mapped("a", 1),
        mapped("s", 2, {"type": "struct", "fields": [mapped("x", 3), mapped("y", 4)]}),
        mapped("wide", 5, "long", **{"delta.typeChanges": [WIDENED]}),
    )
    both = ["columnMapping", "typeWidening"]
    more = ["appendOnly", "clustering", "domainMetadata", "invariants"]
    made = table(
        tmp_path / "t",
        commit(
            protocol(3, 7, both, [*both, *more]),
            metadata(MAPPED, schemaString=fields),
            domain("delta.clustering", '{"clusteringColumns": [["a"]]}'),
        ),
    )
    file = tmp_path / "plan.json"
    planned = deltaadm("alter", made.path, *wish, "--out", file, "-o", "json").document
    saved = deltaadm("show", file, "-o", "json").document["plan"]
    for document in (planned, saved):
        reasons = {change["subject"]: change["because"] for change in document["changes"]}
        places = {name: f"schema[{name}]" if name else "clusteringColumns" for name in expected}
        assert {name: reasons[place] for name, place in places.items()} == expected
