"""`diff REFERENCE TABLE --plan`: the way of a table to a record, or to another table."""

from pathlib import Path

import pytest

from tests.support.clients import ACCEPT_ALL
from tests.support.drift import DRIFTS, drifted
from tests.support.program import LogWriter, deltaadm, untouched
from tests.support.rows import with_rows
from tests.support.tables import Table, add, column, commit_info, metadata, protocol, schema

CONSENT = (
    "--apply", "--yes", "--allow-rewrite", "--allow-backfill", *ACCEPT_ALL,
    "--accept-irreversible", "domainMetadata",
)  # fmt: skip
NEVER = {
    "Iceberg",
    "a type",
    "identity",
    "changes",
    "clustering",
    "mapping",
    "vectors that are off",
}
STAYING = {"deletion vectors", "V2 checkpoints", "widening"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())


@pytest.fixture
def plain() -> Path:
    return drifted(Path(), 0, ())


@pytest.fixture
def reference(plain: Path) -> Path:
    assert deltaadm("record", plain, "--out", "reference.json").code == 0
    return Path("reference.json")


@pytest.mark.parametrize("drift", DRIFTS)
def test_a_table_comes_back_to_its_record(drift: str, reference: Path) -> None:
    table = drifted(Path(), 1, (drift,))
    planned = deltaadm("diff", reference, table, "--plan", *CONSENT, "-o", "json").document
    left = deltaadm("diff", reference, table, "--ignore", "schema", "-o", "json").document[
        "changes"
    ]
    plan = planned.get("plan", planned)
    assert (plan["unfixed"] == 0) == (not left), (plan["notes"], left)
    again = deltaadm("diff", reference, table, "--plan", "-o", "json").document
    assert (again["is_noop"], again["unfixed"] == 0) == (True, not left)
    if drift not in NEVER | STAYING:
        assert left == []


def test_a_record_is_brought_to_a_table_that_lacks_what_it_has(plain: Path) -> None:
    rich = drifted(Path(), 1, ("row ids", "timestamps", "owner", "mapping", "clustering"))
    assert deltaadm("diff", rich, plain, "--plan", *CONSENT).code == 0
    assert deltaadm("diff", rich, plain, "--ignore", "schema", "--ignore", "mapping").code == 0


def test_columns_change_only_if_they_are_named(plain: Path, reference: Path) -> None:
    Table(plain).commit(
        1, metadata({"team": "x"}, id="table-0", schemaString=schema(column("a"), column("b")))
    )
    plan = deltaadm("diff", reference, plain, "--plan", "-o", "json").document
    assert [change["subject"] for change in plan["changes"]] == ["configuration[team]"]
    named = deltaadm("diff", reference, plain, "--plan", "--only", "schema", "-o", "json").document
    assert (named["steps"], named["unfixed"]) == ([], 1)
    assert named["notes"][0].startswith("schema[b] stays as it is: ")


def test_columns_go_once_the_same_plan_has_turned_mapping_on() -> None:
    """In one run, which shows what is lost; the same command once more used to drop them."""
    mapping = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
    ids = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}
    mapped = metadata(mapping, schemaString=schema(column("a", **ids)))
    Table(Path("wanted")).commit(0, protocol(2, 5), mapped)
    wide = schema(column("a"), column("b"))
    Table(Path("current")).commit(0, protocol(2, 5), metadata(schemaString=wide))
    compare = ("diff", "wanted", "current", "--only", "schema", "--only", "mapping")
    planned = deltaadm(*compare, "--plan", *CONSENT, "-o", "json").document["plan"]
    lost = {each["subject"]: each["undo"] for each in planned["changes"] if not each["after"]}
    assert "never" in lost["schema[b]"]
    again = deltaadm(*compare, "--plan", "-o", "json").document
    assert (planned["unfixed"], again["is_noop"], again["notes"]) == (0, True, [])


def test_what_no_command_sets_is_not_said_to_be_set_back(plain: Path, reference: Path) -> None:
    Table(plain).commit(1, metadata(id="table-0", partitionColumns=["a"]))
    plan = deltaadm("diff", reference, plain, "--plan", "--only", "schema", "-o", "json").document
    assert plan["notes"] == ["partitionColumns stays as it is: no command sets it."]


def test_columns_become_as_wide_as_those_of_another_table() -> None:
    widening = {"delta.enableTypeWidening": "true"}
    listing = protocol(3, 7, ["typeWidening"], ["typeWidening", "invariants"])
    wide, narrow = schema(column("a", "long"), column("n")), schema(column("a", nullable=False))
    for name, columns in (("wide", wide), ("narrow", narrow)):
        made = metadata(widening, id=name, schemaString=columns)
        Table(Path(name)).commit(0, listing, made)
    compare = ("diff", "wide", "narrow", "--plan", "--only", "schema", "-o", "json")
    plan = deltaadm(*compare).document
    wanted = [step["sql"].partition("ALTER COLUMN ")[2] for step in plan["steps"]]
    assert wanted == ["`a` TYPE BIGINT", "`a` DROP NOT NULL"]
    assert plan["notes"] == [
        "schema[a] stays as it is: no command sets it.",
        "schema[n] is missing: alter --add-column adds it, without values.",
    ]


def test_what_only_follows_is_no_difference(plain: Path, reference: Path) -> None:
    """Properties that stand for the protocol, that engines keep, or that have Delta's defaults."""
    Table(plain).commit(1, metadata({
        "delta.feature.deletionVectors": "supported", "delta.lastUpdateVersion": "7",
        "delta.appendOnly": "FALSE", "delta.logRetentionDuration": "interval 720 hours",
        "delta.minReaderVersion": "1",
    }, id="table-0"))  # fmt: skip
    assert deltaadm("diff", reference).code == 0
    assert deltaadm("diff", f"{plain}@0", "@1").code == 1
    written = reference.read_text()
    properties = deltaadm("record", plain).out.replace(written, "")
    assert "delta.feature" not in properties
    assert "lastUpdateVersion" not in properties


def test_a_retention_is_set_back_together_with_the_other(plain: Path) -> None:
    """Delta compares those of a command, and its defaults for those that it does not name."""
    log, deleted = "delta.logRetentionDuration", "delta.deletedFileRetentionDuration"
    short, long = {log: "interval 3 days", deleted: "interval 1 day"}, {log: "interval 30 days"}
    Table(plain).commit(1, metadata(short, id="table-0"))
    assert deltaadm("record", plain, "--out", "short.json").code == 0
    planned = deltaadm("alter", plain, "--set", f"{log}=30 days", "-o", "json").document
    [change] = planned["changes"]
    assert change["undo"] == (
        f"alter --set '{log}=interval 3 days' --set '{deleted}=interval 1 day' (metadata only)"
    )
    Table(plain).commit(2, metadata(short | long, id="table-0"))
    for words in (("undo", plain), ("diff", "short.json", plain, "--plan")):
        done = deltaadm(*words, "-o", "json")
        assert done.code == 0, done.err
        [step] = done.document["steps"]
        assert all(f"'{key}' = '{value}'" in step["sql"] for key, value in short.items())


def test_a_record_says_the_same_whenever_it_is_written(plain: Path, reference: Path) -> None:
    Table(plain).commit(1, commit_info(), add("g"))
    assert deltaadm("record", plain).out == reference.read_text()


def test_a_secret_of_a_record_is_never_set(plain: Path) -> None:
    Table(plain).commit(1, metadata({"db.password": "hunter2"}, id="table-0"))
    assert deltaadm("record", plain, "--out", "secret.json").code == 0
    Table(plain).commit(2, metadata({"db.password": "other"}, id="table-0"))
    done = deltaadm("diff", "secret.json", plain, "--plan", "-o", "json")
    assert (done.code, done.document["steps"]) == (1, [])
    assert "fingerprint" in done.document["notes"][0]


def test_a_fleet_is_planned_as_one() -> None:
    tables = [drifted(Path("lake"), number, ("owner",)) for number in range(3)]
    assert deltaadm("record", *tables, "--out", "all.json").code == 0
    for number, table in enumerate(tables):
        Table(table).commit(1, metadata({"team": "drifted"}, id=f"table-{number}"))
    done = deltaadm("diff", "all.json", "--plan", "--out", "plans.jsonl", *CONSENT)
    assert done.code == 0, done.err
    assert deltaadm("diff", "all.json").code == 0
    assert deltaadm("diff", "all.json", "--plan", "--check").code == 0


@with_rows
def test_plan_options_need_plan(words: tuple[str, ...], message: str, plain: Path) -> None:
    with untouched(plain):
        done = deltaadm("diff", plain, f"{plain}@0", *words)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert deltaadm("diff", plain, "--plan").code == 2
