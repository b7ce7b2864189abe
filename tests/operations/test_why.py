"""`inspect --why`: since when and why, on histories that real writers have made."""

from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pytest

from tests.support import tables
from tests.support.oracle import OracleTable
from tests.support.program import deltaadm
from tests.support.rows import with_rows
from tests.support.tables import Action, add, commit_info, metadata, protocol


def why(path: Path, *words: str) -> dict[str, Any]:
    result = deltaadm("inspect", path, "--why", *words, "-o", "json")
    assert (result.code, result.err) == (0, "")
    found: dict[str, Any] = result.document
    return found


def feature(path: Path, name: str) -> dict[str, Any]:
    (found,) = why(path, name)["features"]
    assert found["name"] == name
    return dict(found)


@with_rows
def test_recorded_histories(
    oracle_tables: dict[str, OracleTable], table: str, name: str, version: int, cause: str
) -> None:
    found = feature(oracle_tables[table].path, name)
    assert (found["since"]["version"], found["cause"]) == (version, cause)
    assert found["since"]["operation"]


@with_rows
def test_versions_of_recorded_histories(
    oracle_tables: dict[str, OracleTable], table: str, side: str, expected: list[Any]
) -> None:
    (found,) = why(oracle_tables[table].path, side)["versions"]
    assert [found["version"], found["since"]["version"], found["cause"]] == expected


def test_a_reader_version_is_needed_by_what_is_listed_for_writers_alone(
    oracle_tables: dict[str, OracleTable],
) -> None:
    (found,) = why(oracle_tables["cm-removed"].path, "reader")["versions"]
    assert (found["version"], found["needed_by"]) == (2, ["columnMapping"])


def test_the_log_does_not_reach_back(oracle_tables: dict[str, OracleTable]) -> None:
    found = why(oracle_tables["checkpoint-truncated-log"].path)
    for item in (*found["versions"], *found["features"]):
        assert (item["since"]["version"], item["since"]["at_or_before"]) == (3, True)
        assert item["since"]["operation"] is None
        assert item["cause"] in {"implied", "unknown"}
    shown = deltaadm("inspect", oracle_tables["checkpoint-truncated-log"].path, "--why").out
    assert "at or before version 3" in shown


def test_a_dropped_feature_says_so(oracle_tables: dict[str, OracleTable]) -> None:
    found = why(oracle_tables["deletion-vectors-dropped"].path, "deletionvectors", "rowTracking")
    dropped, never = found["absent"]
    assert (dropped["name"], dropped["since"]["operation"]) == ("deletionVectors", "DROP FEATURE")
    assert (never["name"], never["since"]) == ("rowTracking", None)


def test_a_history_made_by_deltalake(tmp_path: Path) -> None:
    deltalake.write_deltalake(str(tmp_path), pa.table({"a": [1, 2]}))
    table = deltalake.DeltaTable(str(tmp_path))
    table.alter.set_table_properties({"delta.enableChangeDataFeed": "true"})
    feature_of_deltalake = deltalake.TableFeatures.DeletionVectors
    table.alter.add_feature(feature_of_deltalake, allow_protocol_versions_increase=True)
    table.alter.add_constraint({"positive": "a > 0"})
    operations = {row["version"]: row["operation"] for row in table.history()}
    found = why(tmp_path)["features"]
    assert {feature["name"] for feature in found} == {
        *(table.protocol().reader_features or ()),
        *(table.protocol().writer_features or ()),
    }
    for feature in found:
        assert feature["since"]["operation"] == operations[feature["since"]["version"]]
        assert feature["since"]["engine"].startswith("delta-rs")
    reasons = {
        feature["name"]: (feature["since"]["version"], feature["cause"]) for feature in found
    }
    assert reasons["deletionVectors"] == (2, "requested")
    assert reasons["checkConstraints"] == (3, "activated")
    lines = deltaadm("history", tmp_path, "-o", "jsonl").lines
    assert {line["version"]: line["operation"] for line in lines} == operations


def upgraded(path: Path, *actions: Action, reader: int = 1, writer: int = 2) -> Path:
    """A table that *actions* change after its creation."""
    first = tables.commit(protocol(reader, writer), metadata())
    return tables.table(path, first, tables.commit(*actions)).path


def test_who_could_read_the_table_without_a_feature(tmp_path: Path) -> None:
    listed = protocol(3, 7, ["deletionVectors"], ["deletionVectors"])
    vector = tables.deletion_vector("x")
    actions = [listed, metadata(), add("f", deletionVector=vector)]
    found = feature(upgraded(tmp_path, commit_info(), *actions), "deletionVectors")
    readers = [gain["client"] for gain in found["gains"] if gain["access"] == "read"]
    assert "daft" in readers or "delta-rs" in readers


def test_several_tables_are_explained_like_one(tmp_path: Path) -> None:
    first, second = (upgraded(tmp_path / name, commit_info(), add("f")) for name in "ab")
    result = deltaadm("inspect", first, second, "--why", "appendOnly", "-o", "jsonl")
    assert result.code == 0
    assert [line["table"] for line in result.lines] == [str(first), str(second)]


@pytest.mark.parametrize(("arguments", "message"), [
    (("T", "--why", "--files"), "cannot be combined with --files"),
    (("T", "--why", "--columns"), "cannot be combined with --columns"),
    (("T", "--why", "deletionVector"), "Did you mean deletionVectors?"),
    (("--why", "reader"), "Name a TABLE"),
])  # fmt: skip
def test_odd_requests_are_usage_errors(arguments: tuple[str, ...], message: str) -> None:
    result = deltaadm("inspect", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.split())
