"""`inspect`: its output, several tables, and travelling in time."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import tables
from tests.support.program import deltaadm
from tests.support.tables import Table, add, commit, commit_info, domain, metadata, protocol

FIELDS = {
    "format_version", "tool_version", "document", "table", "location", "version", "timestamp",
    "protocol",
    "metadata", "features", "minimum_protocol", "classic_minimum_versions",
    "lowest_equivalent_protocol", "slack", "possible_slack", "column_mapping", "clustering_columns",
    "clients", "declared_clients", "writers", "readers", "files", "reference_client",
    "warnings",
}  # fmt: skip


@pytest.fixture
def rich(tmp_path: Path) -> Table:
    """Features listed out of order, some implied by nothing, one file."""
    features = ["rowTracking", "deletionVectors", "appendOnly", "domainMetadata"]
    return tables.table(
        tmp_path / "rich",
        commit(
            protocol(3, 7, ["deletionVectors"], features),
            metadata({"delta.enableRowTracking": "true", "delta.appendOnly": "false"}),
        ),
        commit(commit_info(), add("f", 700)),
    )


def inspected(*arguments: object) -> dict[str, Any]:
    result = deltaadm("inspect", *arguments, "-o", "json")
    assert (result.code, result.err) == (0, "")
    found: dict[str, Any] = result.document
    return found


def test_contract(rich: Table) -> None:
    found = inspected(rich.path)
    assert found.keys() == FIELDS
    assert found["format_version"] == 1
    assert found["table"] == str(rich.path)
    assert found["version"] == 1
    assert found["timestamp"] == (rich.log / f"{1:020d}.json").stat().st_mtime_ns // 1_000_000
    assert found["protocol"] == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["appendOnly", "deletionVectors", "domainMetadata", "rowTracking"],
    }
    assert (
        found["metadata"]
        == metadata({"delta.enableRowTracking": "true", "delta.appendOnly": "false"})["metaData"]
    )
    assert [feature["name"] for feature in found["features"]] == found["protocol"]["writerFeatures"]
    assert found["minimum_protocol"] == {
        "minReaderVersion": 1,
        "minWriterVersion": 7,
        "writerFeatures": ["domainMetadata", "rowTracking"],
    }
    assert found["lowest_equivalent_protocol"] == found["protocol"]
    assert found["classic_minimum_versions"] == {"minReaderVersion": 1, "minWriterVersion": 1}
    assert found["slack"] == ["appendOnly"]
    assert found["possible_slack"] == ["deletionVectors"]
    assert found["column_mapping"] == {
        "mode": "none", "supported": False, "max_column_id": None, "columns": None,
    }  # fmt: skip
    assert found["files"] is None
    assert found["clustering_columns"] is None
    assert found["warnings"] == []
    assert found["reference_client"] == {"reads": True, "writes": True, "delta_error_class": None}


def test_a_feature_in_full(rich: Table) -> None:
    by_name = {feature["name"]: feature for feature in inspected(rich.path)["features"]}
    assert by_name["domainMetadata"] == {
        "name": "domainMetadata", "kind": "writer", "supported": "explicit", "active": True,
        "because": ["listed in writerFeatures", "required by rowTracking"],
        "status": "stable", "requires": [],
        "undo": "DROP FEATURE domainMetadata (keeps the history; every domain is removed first)",
    }  # fmt: skip
    assert by_name["deletionVectors"]["active"] is False
    assert by_name["deletionVectors"]["because"] == ["listed in readerFeatures and writerFeatures"]
    assert by_name["rowTracking"]["because"] == [
        "listed in writerFeatures",
        "property delta.enableRowTracking is true",
    ]


@pytest.mark.parametrize(("start", "expected"), [
    pytest.param([protocol(1, 3), metadata({"delta.constraints.c": "a > 0"})],
        {"appendOnly": (None, False), "invariants": (None, False), "checkConstraints": True},
        id="implied by versions, one of them in use"),
    pytest.param([protocol(1, 2), metadata({"delta.enableDeletionVectors": "true"})],
        {"appendOnly": False, "invariants": False, "deletionVectors": None},
        id="used by the metadata, not supported"),
    pytest.param([protocol(3, 7, ["novel"], ["novel"]), metadata()], {"novel": False},
        id="nobody knows it"),
])  # fmt: skip
def test_states_of_features(tmp_path: Path, start: list[Any], expected: dict[str, Any]) -> None:
    found = inspected(tables.table(tmp_path, commit(*start)).path)["features"]
    assert sorted(expected) == sorted(feature["name"] for feature in found)
    for feature in found:
        if expected[feature["name"]] is None:
            assert (feature["supported"], feature["active"]) == (None, False)
        else:
            assert feature["supported"] in {"implicit", "explicit"}
            assert feature["active"] is (expected[feature["name"]] is True)
        assert feature["because"]


def test_files_and_columns_on_request(rich: Table) -> None:
    found = inspected(rich.path, "--files", "--columns")
    assert found["files"] == {
        "files": 1, "bytes": 700, "with_deletion_vector": 0, "bytes_with_deletion_vector": 0,
        "without_stats": 1, "without_num_records": 1, "without_base_row_id": 1,
        "partition_keys": [[]],
    }  # fmt: skip
    assert found["clustering_columns"] == []
    assert found["column_mapping"]["columns"] == [
        {"path": "a", "id": None, "physical_name": "a", "type": "integer"}
    ]


def test_clustering_is_told_with_the_files(tmp_path: Path) -> None:
    fields = [
        {"name": name, "type": "string", "nullable": True, "metadata": PHYSICAL | {key: physical}}
        for name, physical, key in [("a", "col-1", NAME_KEY), ("b.c", "col-2", NAME_KEY)]
    ]
    schema = json.dumps({"type": "struct", "fields": fields})
    by = json.dumps({"clusteringColumns": [["col-2"], ["col-1"]]})
    clustered = tables.table(
        tmp_path / "clustered",
        commit(
            protocol(2, 7, None, ["clustering", "columnMapping", "domainMetadata"]),
            metadata({"delta.columnMapping.mode": "name"}, schemaString=schema),
            domain("delta.clustering", by),
        ),
    )
    assert inspected(clustered.path, "--files")["clustering_columns"] == [["b.c"], ["a"]]
    shown = deltaadm("inspect", clustered.path, "--files").out
    assert "clustered by `b.c`, a" in " ".join(shown.split())


NAME_KEY = "delta.columnMapping.physicalName"
PHYSICAL = {"delta.columnMapping.id": 1}


def test_text_says_the_same_in_one_screen(rich: Table) -> None:
    result = deltaadm("inspect", rich.path)
    assert (result.code, result.err) == (0, "")
    for words in (
        "  protocol  reader 3, writer 7\n",
        "  appendOnly       w      unused\n",
        "  deletionVectors  r + w  inactive  perhaps not needed: --files tells\n",
        "  domainMetadata   w      active    required by rowTracking\n",
        "  rowTracking      w      active    delta.enableRowTracking is true\n",
        f"  Why a feature: deltaadm inspect {rich.path} --why deletionVectors\n",
        f"  For one client: deltaadm inspect {rich.path} --for-client daft\n",
    ):
        assert words in result.out
    assert "Warnings" not in result.out
    assert len(result.out.splitlines()) <= 24
    assert "minimum for this metadata" in deltaadm("inspect", rich.path, "-v").out


def test_what_versions_imply_and_nothing_uses_is_said_in_a_line(small: Table) -> None:
    shown = deltaadm("inspect", small.path).out
    assert "  not needed  appendOnly, invariants (implied)\n" in shown
    assert "FEATURE" not in shown


# several tables


def test_an_array_for_several_tables(small: Table, rich: Table) -> None:
    found = deltaadm("inspect", rich.path, small.path, rich.path, "-o", "json")
    assert found.code == 0
    assert [document["table"] for document in found.document] == [
        str(table.path) for table in (rich, small, rich)
    ]


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_a_failure_stands_in_its_place(small: Table, rich: Table, form: str) -> None:
    missing = small.path / "missing"
    result = deltaadm("inspect", rich.path, missing, small.path, "-o", form)
    assert (result.code, result.err) == (9, "")
    found = result.document if form == "json" else result.lines
    assert [document["table"] for document in found] == [
        str(rich.path),
        str(missing),
        str(small.path),
    ]
    assert ["error" in document for document in found] == [False, True, False]
    assert {document["format_version"] for document in found} == {1}


def test_in_text_failures_go_to_standard_error(small: Table) -> None:
    result = deltaadm("inspect", small.path / "missing", small.path)
    assert result.code == 9
    assert result.out.startswith(f"{small.path}\n  version")
    assert result.err.startswith("error: There is no Delta table at ")


def test_all_of_several_failing(tmp_path: Path) -> None:
    result = deltaadm("inspect", tmp_path, tmp_path)
    assert (result.code, result.out) == (9, "")


def test_a_single_failure_has_its_own_code(tmp_path: Path) -> None:
    assert deltaadm("inspect", tmp_path).code == 3
    result = deltaadm("inspect", tmp_path, "-o", "jsonl")
    assert result.code == 3
    assert [line["error"]["exit_code"] for line in result.lines] == [3]


def test_one_line_a_table(small: Table) -> None:
    result = deltaadm("inspect", small.path, small.path, "-o", "jsonl")
    assert len(result.out.splitlines()) == 2
    assert result.lines[0] == result.lines[1]


# time travel


@pytest.fixture
def history(tmp_path: Path) -> Table:
    """Three versions, at 1000, 2000 and 3000 milliseconds, with a property more each."""
    made = Table(tmp_path / "history")
    made.commit(0, protocol(), metadata({}), modified=1000)
    made.commit(1, metadata({"a": "1"}), modified=2000)
    made.commit(2, metadata({"a": "1", "b": "1"}), modified=3000)
    return made


@pytest.mark.parametrize(("option", "value", "version"), [
    ("--version", "0", 0),
    ("--version", "2", 2),
    ("--timestamp", "2000", 1),
    ("--timestamp", "2999", 1),
    ("--timestamp", "1970-01-01T00:00:01Z", 0),
    ("--timestamp", "1970-01-01T00:00:02.5", 1),
    ("--timestamp", "1970-01-01T02:00:02+02:00", 1),
])  # fmt: skip
def test_an_older_version(history: Table, option: str, value: str, version: int) -> None:
    found = inspected(history.path, option, value)
    assert found["version"] == version
    assert found["timestamp"] == (version + 1) * 1000
    assert len(found["metadata"]["configuration"]) == version


@pytest.mark.parametrize(("option", "value", "words"), [
    ("--version", "3", "has no version 3"),
    ("--timestamp", "999", "no version as old as"),
    ("--timestamp", "-5", "no version as old as"),
    ("--timestamp", "9999-12-31", "after the latest version"),
    ("--timestamp", "9" * 25, "after the latest version"),
    ("--timestamp", "-" + "9" * 25, "no version as old as"),
    ("--version", "9" * 25, "has no version 9999"),
])  # fmt: skip
def test_no_such_version(history: Table, option: str, value: str, words: str) -> None:
    result = deltaadm("inspect", history.path, option, value)
    assert result.code == 3
    assert words in result.err


def test_a_time_beyond_the_calendar(tmp_path: Path) -> None:
    made = tables.table(
        tmp_path,
        commit(
            commit_info(inCommitTimestamp=9 * 10**18),
            protocol(1, 7, None, ["inCommitTimestamp"]),
            metadata({"delta.enableInCommitTimestamps": "true"}),
        ),
    )
    assert "9000000000000000000 ms since 1970" in deltaadm("inspect", made.path).out


# warnings


def test_versions_among_the_properties_count_for_the_minimum(tmp_path: Path) -> None:
    """Delta reads them wherever they are, as in tables that delta-rs has created with them."""
    stored = {"delta.minReaderVersion": "2", "delta.minWriterVersion": "5"}
    made = tables.table(tmp_path, commit(protocol(2, 5), metadata(stored)))
    minimum = inspected(made.path)["minimum_protocol"]
    assert (minimum["minReaderVersion"], minimum["minWriterVersion"]) == (2, 5)


@pytest.mark.parametrize(("start", "words"), [
    pytest.param([protocol(3, 7, ["novel"], ["novel"]), metadata()], "Unknown table features novel",
        id="unknown feature"),
    pytest.param([protocol(), metadata({"delta.enableDeletionVectors": "true"})],
        "The metadata uses deletionVectors, which the protocol does not support",
        id="feature without protocol"),
    pytest.param([protocol(), metadata({"delta.minReaderVersion": "3"})],
        "The properties contain delta.minReaderVersion", id="protocol among the properties"),
    pytest.param([protocol(1, 101), metadata()], "minWriterVersion is 101",
        id="writer version 101"),
    pytest.param([protocol(), metadata({"delta.columnMapping.mode": "upside"})],
        "Unknown column mapping mode 'upside'", id="column mapping mode"),
    pytest.param([protocol(), metadata(schemaString="{")], "schema",
        id="schema that does not parse"),
    pytest.param([protocol(), metadata({"delta.appendOnly": "perhaps"})], "'perhaps'",
        id="property that is no boolean"),
])  # fmt: skip
def test_what_is_odd_is_shown_with_a_warning(tmp_path: Path, start: list[Any], words: str) -> None:
    made = tables.table(tmp_path, commit(*start))
    found = inspected(made.path, "--columns")
    assert any(words in warning for warning in found["warnings"]), found["warnings"]
    text = deltaadm("inspect", made.path, "--columns")
    assert text.code == 0
    assert words in text.out


@pytest.mark.parametrize("options", [(), ("--files",), ("--why",)], ids=" ".join)
def test_a_feature_in_another_spelling_is_no_obstacle(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    odd = protocol(3, 7, ["DeletionVectors"], ["DeletionVectors"])
    tables.table(tmp_path, commit(odd, metadata()))
    for form in ("text", "json"):
        result = deltaadm("inspect", tmp_path, *options, "-o", form)
        assert (result.code, result.err) == (0, "")
        assert "DeletionVectors" in result.out
