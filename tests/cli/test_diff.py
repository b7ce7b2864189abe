"""`diff` and `record`: versions, tables and reference files, and what does not count."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from deltaadm.reports.schemas import SCHEMAS
from tests.support import tables
from tests.support.program import deltaadm
from tests.support.tables import Table, add, commit_info, domain, metadata, protocol

DAY = 86_400_000
FIELDS = ("table", "protocol", "metadata", "schema", "clustering_columns", "fingerprints")
WRONG_TYPES = {name: number for number, name in enumerate(FIELDS)}
LISTED = protocol(3, 7, ["deletionVectors"], ["deletionVectors"])


@pytest.fixture
def events(tmp_path: Path) -> Table:
    """Four versions: created, upgraded, written to, given a secret."""
    made = tables.table(tmp_path / "events")
    made.commit(0, commit_info(), protocol(), metadata(), modified=0)
    made.commit(1, commit_info(), LISTED, metadata({"team": "a"}), modified=DAY)
    made.commit(2, commit_info(), add("f"), modified=2 * DAY)
    made.commit(3, metadata({"team": "a", "db.password": "hunter2"}), modified=3 * DAY)
    return made


def found(*arguments: object) -> list[str]:
    """The places that differ; the exit code fits."""
    result = deltaadm("diff", *arguments, "-o", "json")
    places = [change["subject"] for change in result.document["changes"]]
    assert (result.code, result.err) == (1 if places else 0, "")
    assert result.document["equal"] == (not places)
    return places


UPGRADE = [
    "protocol.minReaderVersion", "protocol.minWriterVersion", "features[appendOnly]",
    "features[invariants]", "protocol.readerFeatures[deletionVectors]",
    "protocol.writerFeatures[deletionVectors]", "configuration[team]",
]  # fmt: skip


def test_two_versions(events: Table) -> None:
    path = events.path
    assert found(f"{path}@0", f"{path}@1") == UPGRADE
    assert found(f"{path}@0", "@2") == UPGRADE
    assert found(f"{path}@1") == ["configuration[db.password]"]
    assert found(f"{path}@1970-01-01T12:00", "@1970-01-03") == UPGRADE
    assert not found(f"{path}@1", f"{path}@2")
    assert not found(path, path)


def test_a_difference_has_a_direction(events: Table) -> None:
    result = deltaadm("diff", f"{events.path}@1", "@0", "--only", "properties", "-o", "json")
    (change,) = result.document["changes"]
    assert (change["kind"], change["before"], change["after"]) == ("remove", "a", None)


def test_sections_and_places_can_be_chosen(events: Table) -> None:
    versions = f"{events.path}@0", "@1"
    assert found(*versions, "--only", "protocol") == UPGRADE[:2]
    assert found(*versions, "--only", "features", "--only", "properties") == UPGRADE[2:]
    assert found(*versions, "--ignore", "features", "--ignore", "protocol") == UPGRADE[-1:]
    assert found(*versions, "--ignore", "protocol.*", "--ignore", "features[*]") == UPGRADE[-1:]
    assert not found(*versions, "--only", "properties", "--ignore", "configuration[te*]")
    assert not found(*versions, "--only", "clustering")


def mapped(path: Path, name: str, **more: Any) -> Path:
    known = {"delta.columnMapping.id": len(name), "delta.columnMapping.physicalName": name}
    column = tables.column("a", **known, **more)
    properties = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": name}
    changes = {"id": name, "schemaString": tables.schema(column)}
    made = tables.commit(protocol(2, 5), metadata(properties, **changes))
    return tables.table(path / name, made).path


def test_what_a_table_chooses_for_itself_is_not_compared_with_another(tmp_path: Path) -> None:
    one, other = mapped(tmp_path, "x"), mapped(tmp_path, "longer")
    assert not found(one, other)
    result = deltaadm("diff", one, mapped(tmp_path, "commented", comment="new"), "-o", "json")
    (change,) = result.document["changes"]
    assert (change["subject"], change["after"]) == ("schema[a]", {"comment": "new"})


def test_clustering_is_compared_by_the_names_of_columns(tmp_path: Path) -> None:
    def clustered(name: str, column: str) -> Path:
        text = json.dumps({"clusteringColumns": [[column]], "domainName": "delta.clustering"})
        listed = protocol(1, 7, None, ["clustering", "domainMetadata"])
        actions = listed, metadata(), domain("delta.clustering", text)
        return tables.table(tmp_path / name, tables.commit(*actions)).path

    assert not found(clustered("x", "a"), clustered("y", "a"))
    assert found(clustered("z", "b"), tmp_path / "x") == ["clusteringColumns"]
    reference = tmp_path / "reference.json"
    assert deltaadm("record", tmp_path / "x", "--out", reference).code == 0
    assert found(reference, tmp_path / "z") == ["clusteringColumns"]


# reference files


@pytest.fixture
def reference(events: Table, tmp_path: Path) -> Path:
    file = tmp_path / "reference.json"
    result = deltaadm("record", events.path, "--out", file)
    assert (result.code, result.out) == (0, "")
    assert "Recorded 1 table in" in result.err
    return file


def test_a_table_is_as_it_was_recorded(events: Table, reference: Path) -> None:
    assert not found(reference)
    assert not found(reference, events.path)
    assert not found(events.path, reference)
    assert found(reference, f"{events.path}@1") == ["configuration[db.password]"]
    assert found(f"{events.path}@1", reference) == ["configuration[db.password]"]


def test_a_record_says_the_same_whenever_it_is_written(events: Table, reference: Path) -> None:
    written = reference.read_text()
    Draft202012Validator(SCHEMAS["reference"]).validate(json.loads(written))
    events.commit(4, commit_info(), add("g"))
    assert deltaadm("record", events.path).out == written
    assert "hunter2" not in written
    assert "***" in written


def test_another_secret_is_a_difference_and_is_not_told(events: Table, reference: Path) -> None:
    events.commit(4, metadata({"team": "a", "db.password": "correct horse"}))
    assert found(reference) == ["configuration[db.password]"]
    for form in ("text", "json", "jsonl", "markdown", "html"):
        shown = deltaadm("diff", reference, "-o", form)
        assert shown.code == 1
        assert "hunter2" not in shown.out
        assert "correct horse" not in shown.out


def test_a_new_table_in_the_place_of_the_recorded_one_shows(events: Table, reference: Path) -> None:
    events.commit(4, metadata({"team": "a", "db.password": "hunter2"}, id="another"))
    assert found(reference) == ["id"]


def test_a_single_record_is_that_of_any_table(events: Table, reference: Path) -> None:
    other = tables.table(events.path.with_name("other"))
    other.commit(0, LISTED, metadata({"team": "b", "db.password": "hunter2"}, id="other"))
    assert found(reference, other.path) == ["configuration[team]"]


def test_many_tables(tmp_path: Path) -> None:
    lake, file = tables.lake(tmp_path / "lake"), tmp_path / "all.json"
    assert deltaadm("record", "--discover", lake, "--out", file).code == 9
    (lake / "empty" / "_delta_log").rmdir()
    assert deltaadm("record", "--discover", lake, "--out", file).code == 0
    same = deltaadm("diff", file, "-o", "jsonl")
    assert (same.code, [line["equal"] for line in same.lines]) == (0, [True, True, True])
    Table(lake / "a" / "mapped").commit(1, metadata({"x": "y"}))
    changed = deltaadm("diff", file, "-o", "jsonl")
    assert (changed.code, [line["equal"] for line in changed.lines]) == (1, [False, True, True])
    some = deltaadm("diff", file, lake / "b" / "new", lake / "a" / "old")
    assert some.code == 0
    assert some.out.count("No differences.") == 2
    unknown = deltaadm("diff", file, tmp_path, lake / "b" / "new")
    assert unknown.code == 9
    assert "has no record of" in unknown.err


def test_a_fleet_is_compared_with_its_record(tmp_path: Path) -> None:
    """The gate for drift: tables that change, that are new, and that are gone."""
    lake, file = tables.lake(tmp_path / "lake"), tmp_path / "all.json"
    (lake / "empty" / "_delta_log").rmdir()
    assert deltaadm("record", "--discover", lake, "--out", file).code == 0
    gate = ("diff", file, "--discover", lake)
    same = deltaadm(*gate)
    assert (same.code, same.err) == (0, "")
    assert same.out.startswith("3 tables without differences; --all lists them\n")
    Table(lake / "a" / "mapped").commit(1, metadata({"x": "y"}))
    shutil.move(lake / "b" / "new", lake / "b" / "moved")
    drift = deltaadm(*gate)
    assert drift.code == 9
    assert f"differs     {lake}/a/mapped  " in drift.out
    assert f"{file} has no record of {lake}/b/moved." in drift.out
    assert f"failed      {lake}/b/new  There is no Delta table" in drift.out
    assert "\n1 table without differences; --all lists them\n" in drift.out
    lines = deltaadm(*gate, "-o", "jsonl").lines
    assert [line.get("equal") for line in lines] == [False, True, None, None]
    listed = tmp_path / "tables.txt"
    listed.write_text(f"{lake}/a/old\n")
    assert deltaadm("diff", file, "--tables-from", listed).code == 9, "the others are gone"


def test_only_a_record_is_compared_with_many_tables(tmp_path: Path) -> None:
    lake = tables.lake(tmp_path / "lake")
    result = deltaadm("diff", lake / "a" / "old", "--discover", lake)
    assert result.code == 2
    assert "must be a reference file" in result.err


def test_a_schema_that_cannot_be_read_is_recorded_as_it_is(tmp_path: Path) -> None:
    broken = metadata(schemaString="{nonsense")
    made = tables.table(tmp_path / "broken", tables.commit(protocol(), broken))
    file = tmp_path / "reference.json"
    assert deltaadm("record", made.path, "--out", file).code == 0
    assert not found(file)
    made.commit(1, metadata())
    assert found(file) == ["schema"]


def test_nothing_is_recorded_where_a_table_cannot_be_read(events: Table, tmp_path: Path) -> None:
    file = tmp_path / "reference.json"
    result = deltaadm("record", events.path, tmp_path / "nothing", "--out", file)
    assert (result.code, result.out, file.exists()) == (9, "", False)
    assert "There is no Delta table" in result.err
    assert deltaadm("record", tmp_path / "nothing", "--out", file).code == 3


@pytest.mark.parametrize("text", [
    "",
    "[]",
    '{"kind": "other"}',
    '{"kind": "deltaadm-reference", "format_version": 2, "tables": []}',
    '{"kind": "deltaadm-reference", "format_version": 1}',
    '{"kind": "deltaadm-reference", "format_version": 1, "tables": [{"table": "t"}]}',
    '{"kind": "deltaadm-reference", "format_version": 1, "tables": [3]}',
    json.dumps({"kind": "deltaadm-reference", "format_version": 1, "tables": [WRONG_TYPES]}),
])  # fmt: skip
def test_a_file_that_is_no_reference_is_an_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "reference"
    file.write_text(text)
    result = deltaadm("diff", file)
    assert (result.code, result.out) == (2, "")
    assert "not a reference of deltaadm" in result.err


@pytest.mark.parametrize(("arguments", "message"), [
    (("T",), "compare T with another table or version"),
    (("T", "U", "V"), "only a reference file can be compared with several tables"),
    (("T", "U", "--only", "columns"), "'columns' is not one of"),
    (("T", "U", "-o", "sarif"), "is not one of"),
])  # fmt: skip
def test_odd_requests_are_usage_errors(arguments: tuple[str, ...], message: str) -> None:
    result = deltaadm("diff", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.split())


def test_what_cannot_be_compared_is_an_error(events: Table, tmp_path: Path) -> None:
    assert deltaadm("diff", f"{events.path}@0", "@9").code == 3
    assert deltaadm("diff", events.path, tmp_path / "nothing").code == 3
    assert deltaadm("diff", tmp_path / "nothing.json").code == 2
    assert deltaadm("record").code == 2
