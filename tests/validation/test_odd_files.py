"""Whatever the log says about files, the rules answer, and with findings on one line each."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm.dataclass import replace
from deltaadm.domain.actions import ACTIONS, DeletionVectorDescriptor
from deltaadm.domain.file_facts import descriptor_flaw, kinds_in, num_records, z85_decode
from deltaadm.domain.wire import Metadata
from deltaadm.errors import StorageError
from deltaadm.facts import LiveFile, LiveFiles, SnapshotFacts
from deltaadm.paths import is_absolute, path_flaw
from deltaadm.plans.checkpoint import write_checkpoint
from deltaadm.replay.commits import mismatches
from deltaadm.replay.examine import Depth, examine
from deltaadm.replay.load import load_snapshot
from deltaadm.reports.validate import choose_rules, validate
from deltaadm.rules.files import contradictions, is_partition_value
from deltaadm.rules.rule import Severity
from deltaadm.storage.store import open_store
from tests.support.cases import each
from tests.support.rows import with_rows
from tests.support.rule_cases import CASES, DEPTHS, NOW, Case, named, report
from tests.support.tables import (
    add,
    column,
    commit,
    commit_info,
    metadata,
    protocol,
    remove,
    schema,
    table,
)
from tests.support.unsteady import Unsteady

pytestmark = pytest.mark.slow

ODD = (None, True, 1.5, -1, 10**30, "", "\x1b[2J\n", [], [1], {}, {"a": None}, {"a": {"b": [1]}})
"""JSON values that hardly any field expects."""

FIELDS = ("path", "modificationTime", "dataChange", "stats", "tags", "defaultRowCommitVersion")

VECTOR = ("storageType", "pathOrInlineDv", "offset", "sizeInBytes", "cardinality", "maxRowIndex")
STATISTICS = ("numRecords", "minValues", "maxValues", "nullCount", "tightBounds")
VECTORED = protocol(3, 7, ["deletionVectors"], ["deletionVectors"])


def _is_told(path: Path) -> bool:
    found = report(path, "deep")
    is_refused = any(
        (finding.code, finding.severity) == ("DL103", Severity.ERROR)
        and "has no path" not in finding.message  # which Delta passes over
        for finding in found.findings
    )
    assert is_refused == (found.version is None)
    return all("\n" not in finding.message for finding in found.findings)


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_an_odd_field(tmp_path: Path, value: Any) -> None:
    files = [add(f"{key}-f") for key in FIELDS]
    for key, file in zip(FIELDS, files, strict=True):
        file["add"][key] = value
    table(tmp_path, commit(protocol(), metadata(), *files))
    assert _is_told(tmp_path)


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_an_odd_statistic(tmp_path: Path, value: Any) -> None:
    whole = {"numRecords": 1, "minValues": {"a": 1}, "maxValues": {"a": 2}, "nullCount": {"a": 0}}
    files = [add(key, stats=json.dumps(whole | {key: value})) for key in STATISTICS]
    table(tmp_path, commit(protocol(), metadata(), *files))
    assert _is_told(tmp_path)


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_an_odd_deletion_vector(tmp_path: Path, value: Any) -> None:
    whole = {"storageType": "i", "pathOrInlineDv": "00000", "sizeInBytes": 4, "cardinality": 1}
    files = [add(key, deletionVector=whole | {key: value}) for key in VECTOR]
    table(tmp_path, commit(VECTORED, metadata(), *files))
    assert _is_told(tmp_path)


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_an_odd_partition_value(tmp_path: Path, value: Any) -> None:
    made = metadata(
        schemaString=schema(column("a"), column("p", nullable=False)), partitionColumns=["p"]
    )
    table(tmp_path, commit(protocol(), made, add("f", partitionValues={"p": value})))
    assert _is_told(tmp_path)


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_an_odd_schema(tmp_path: Path, value: Any) -> None:
    made = metadata(schemaString=json.dumps(value), partitionColumns=["p"])
    table(tmp_path, commit(protocol(), made, add("f", partitionValues={"p": "1"})))
    assert _is_told(tmp_path)


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_an_odd_action_of_a_commit(tmp_path: Path, value: Any) -> None:
    keys = ("path", "size", "dataChange", "deletionTimestamp", "extendedFileMetadata")
    removed = [{"remove": remove("f")["remove"] | {key: value}} for key in keys]
    table(tmp_path, commit(protocol(), metadata(), {"cdc": {"dataChange": value}}, *removed))
    assert _is_told(tmp_path)


JSON_TYPES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "json_types.jsonl")
    .read_text()
    .splitlines()
]
"""
What Delta Spark 4.4.0 decodes by its log schema and what not, by field and JSON value.

Recorded of every field of every action: Spark's JSON reader was given lines with these values.
"""


@pytest.mark.parametrize("row", JSON_TYPES, ids=lambda row: row["fields"][0])
def test_errors_are_exactly_the_values_that_spark_cannot_decode(row: dict[str, Any]) -> None:
    for field in row["fields"]:
        name, *inner = field.split(".")
        for value in (*row["reads"], *row["refuses"]):
            document = json.loads(value)
            for key in reversed(inner):
                document = {key: document}
            if document is not None:
                error, _ = mismatches(name, document)
                assert bool(error) == (value in row["refuses"]), (field, value)


def test_every_field_is_recorded() -> None:
    recorded = {field for row in JSON_TYPES for field in row["fields"]}
    assert recorded >= {f"{kind.NAME}.{key}" for kind in ACTIONS.values() for key in kind.ENTRIES}


@with_rows
def test_a_warning_is_what_only_the_specification_forbids(
    tmp_path: Path, name: str, document: dict[str, Any], odd: str
) -> None:
    actions = [commit_info(), {name: document}] if name != "commitInfo" else [{name: document}]
    table(tmp_path, commit(protocol(), metadata(), *actions))
    found = [finding for finding in report(tmp_path).findings if finding.code == "DL103"]
    line = 2 + len(actions)
    assert [(finding.severity, finding.message) for finding in found] == (
        [(Severity.WARNING, f"Line {line}: {odd}.")] if odd else []
    )


@pytest.mark.parametrize("blank", [b"\f", b"\v", b" \f"], ids=repr)
@pytest.mark.parametrize("depth", ["default", "history"])
def test_blanks_that_json_does_not_know(tmp_path: Path, blank: bytes, depth: str) -> None:
    table(tmp_path, commit(protocol(), metadata()) + blank + b"\n" + commit(add("a")))
    found = report(tmp_path, depth)
    assert found.version is None
    assert [finding.code for finding in found.findings] == ["DL103"]


def test_what_the_store_does_not_tell_is_no_finding(tmp_path: Path) -> None:
    table(tmp_path, commit(protocol(), metadata()), commit(add("a")), commit(remove("a")))
    store = open_store(str(tmp_path))
    write_checkpoint(store, load_snapshot(store))
    sound, raised = report(tmp_path, "history").findings, 0
    for number in count():
        unsteady = Unsteady(open_store(str(tmp_path)), number)
        try:
            facts = examine(unsteady, DEPTHS["history"], now=NOW)  # type: ignore[arg-type]
            found = validate(str(tmp_path), facts, choose_rules()).findings
        except StorageError:
            raised += 1
        else:
            assert found == sound
        if unsteady.left >= 0:
            break
    assert raised > 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(STATISTICS), st.dictionaries(st.just("a"), JSON) | JSON))
def test_any_statistics(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    assert num_records(text) in (None, document.get("numRecords"))
    for kinds in ({}, {"a": "integer"}, {"a": "string"}, {"a": {"a": "date"}}):
        assert all("\n" not in contradiction for contradiction in contradictions(document, kinds))


TYPES = ("byte", "long", "double", "decimal(3,1)", "boolean", "date", "timestamp", "string", "odd")


@given(st.text(min_size=1), st.sampled_from(TYPES))
def test_any_partition_value(text: str, type_name: str) -> None:
    assert is_partition_value(text, type_name) or type_name not in ("string", "odd")


@given(st.text(), st.text(), st.integers() | st.none())
def test_any_path_and_deletion_vector(path: str, kind: str, offset: int | None) -> None:
    assert isinstance(path_flaw(path), str)
    assert isinstance(is_absolute(path), bool)
    vector = DeletionVectorDescriptor(kind, path, offset)
    assert descriptor_flaw(vector) or kind in "uip"


@with_rows
def test_a_text_fits_its_type(text: str, type_name: str) -> None:
    assert is_partition_value(text, type_name)


@with_rows
def test_a_text_does_not_fit_its_type(text: str, type_name: str) -> None:
    assert not is_partition_value(text, type_name)


def test_z85_is_that_of_its_specification() -> None:
    assert z85_decode("HelloWorld").hex().upper() == "864FD26FB559F75B"


@pytest.mark.parametrize("text", ["1234", "1234~", "#####"])
def test_z85_refuses_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match=r"character|multiple|exceeds"):
        z85_decode(text)


def test_nested_columns_are_told_by_their_names_in_statistics() -> None:
    inner = {"type": "struct", "fields": [column("x", **{"delta.columnMapping.physicalName": "p"})]}
    made = schema(
        column("c", inner),
        column("m", {"type": "array", "elementType": "long", "containsNull": True}),
    )
    for mode, name in (("none", "x"), ("name", "p")):
        configuration = {"delta.columnMapping.mode": mode}
        table = Metadata.from_wire({"schemaString": made, "configuration": configuration})
        assert kinds_in(table) == {"c": {name: "integer"}}


MINE = [case for case in CASES if case.code.startswith(("DL5", "DL7"))]


@each("case", named(MINE))
def test_rules_do_without_a_look_at_files(case: Case, tmp_path: Path) -> None:
    case.make(tmp_path)
    facts = (
        replace(fact, totals=None) if isinstance(fact, SnapshotFacts) else fact
        for fact in examine(open_store(str(tmp_path)), Depth(), now=NOW)
        if not isinstance(fact, LiveFile | LiveFiles)
    )
    found = validate(str(tmp_path), facts, choose_rules(["DL5", "DL7"])).findings
    assert {finding.code for finding in found} <= case.companions | {case.code}


FIXABLE = {
    "a_run_has_taken_clustering_away_and_did_not_go_on",
    "others_have_written_since_clustering_was_taken_away", "a_domain_is_there_without_the_feature",
    "a_type_is_there_without_its_feature", "a_required_column_is_not_enforced",
    "a_default_is_there_without_the_feature", "protection_is_asked_for_without_the_feature",
    "a_file_has_a_vector_on_an_old_protocol",
}  # fmt: skip


def test_a_fix_is_proposed_where_there_is_one(tmp_path: Path) -> None:
    fixed = set()
    for case in MINE:
        path = tmp_path / f"{case.code}-{case.name}"
        path.mkdir()
        case.make(path)
        mine = [finding for finding in report(path).findings if finding.code == case.code]
        if mine and all(finding.fix for finding in mine):
            fixed.add(case.name)
    assert fixed == FIXABLE
