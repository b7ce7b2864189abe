"""An inventory of many tables."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.support import tables
from tests.support.program import deltaadm, untouched
from tests.support.tables import commit, commit_info, metadata, protocol


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    start = [
        protocol(3, 7, ["deletionVectors"], ["deletionVectors", "appendOnly"]),
        metadata({"delta.enableDeletionVectors": "true"}),
    ]
    tables.table(root / "new", commit(*start))
    (root / "none" / "_delta_log").mkdir(parents=True)
    return root


def rows(path: Path) -> list[dict[str, Any]]:
    return list(DeltaTable(str(path)).to_pyarrow_table().to_pylist())


def test_a_row_for_each_table_and_run(lake: Path, tmp_path: Path) -> None:
    place = tmp_path / "inventory"
    shown = deltaadm("inspect", "--discover", lake, "-o", "jsonl")
    result = deltaadm("inspect", "--discover", lake, "-o", "jsonl", "--save-as", "delta", place)
    assert result == shown
    new, none = sorted(rows(place), key=lambda row: str(row["table"]))
    assert (new["table"], new["location"]) == (str(lake / "new"), str(lake / "new"))
    assert (new["min_reader_version"], new["min_writer_version"]) == (3, 7)
    assert new["supported_features"] == ["appendOnly", "deletionVectors"]
    assert "redshift-spectrum" in {client["client"] for client in new["cannot_read"]}
    assert new["timestamp"].tzinfo is not None
    assert new["inspected_at"] == none["inspected_at"] > new["timestamp"]
    assert none["table"] == str(lake / "none")
    assert (none["error_kind"], none["exit_code"]) == ("table", 3)
    assert none["error_message"] == shown.lines[1]["error"]["message"]
    assert none["version"] is None
    deltaadm("inspect", "--discover", lake, "--save-as", "delta", place)
    assert len(rows(place)) == 4


def test_what_no_row_can_hold_does_not_cost_the_other_rows(lake: Path, tmp_path: Path) -> None:
    tables.table(lake / "odd\udcff", tables.START_BODY)
    named, late = ["inCommitTimestamp"], commit_info(inCommitTimestamp=2**63 - 1)
    on = metadata({"delta.enableInCommitTimestamps": "true"})
    tables.table(lake / "late", commit(late, protocol(1, 7, None, named), on))
    place = tmp_path / "inventory"
    result = deltaadm("inspect", "--discover", lake, "--save-as", "delta", place)
    assert (result.code, result.err) == (9, "")
    found = {row["table"]: row["timestamp"] for row in rows(place)}
    assert str(lake / r"odd\udcff") in found
    assert found[str(lake / "late")] is None


def test_a_name_that_looks_like_a_url_is_one_of_a_directory(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("memory:x", "s3:x"):
        assert deltaadm("inspect", lake / "new", "--save-as", "delta", place).code == 0
        assert len(rows(tmp_path / place)) == 1
    for url in ("s3://lake/inventory", f"file://{tmp_path}/inventory"):
        elsewhere = deltaadm("inspect", lake / "new", "--save-as", "delta", url)
        assert (elsewhere.code, "it is a URL" in elsewhere.err) == (7, True), elsewhere.err
    # On which deltalake panics.
    panicking = deltaadm("inspect", lake / "new", "--save-as", "delta", "file:[")
    assert (panicking.code, "cannot be saved" in panicking.err) == (7, True)


def test_answers_of_an_interrupted_run_have_rows_too(lake: Path, tmp_path: Path) -> None:
    given = ["inspect", "--discover", lake, "-o", "jsonl"]
    (tmp_path / "run").write_text(deltaadm(*given).out)
    deltaadm(*given, "--resume", tmp_path / "run", "--save-as", "delta", tmp_path / "i")
    assert len(rows(tmp_path / "i")) == 2


def test_what_is_there_and_no_inventory_stays(lake: Path) -> None:
    with untouched(lake):
        result = deltaadm("inspect", lake / "new", "--save-as", "delta", lake / "new", "-o", "json")
    assert result.code == 7
    assert "error" in result.document  # and nothing before it


def test_an_older_inventory_gets_the_columns_that_it_lacks(lake: Path, tmp_path: Path) -> None:
    older = {"table": ["x"], "inspected_at": pa.array([1], pa.timestamp("us", tz="UTC"))}
    write_deltalake(str(tmp_path / "inventory"), pa.table(older))
    given = ["inspect", lake / "new", "--save-as", "delta", tmp_path / "inventory"]
    assert deltaadm(*given).code == 0
    assert len(rows(tmp_path / "inventory")) == 2


def test_an_inventory_of_milliseconds_is_left_as_it_is(lake: Path, tmp_path: Path) -> None:
    write_deltalake(str(tmp_path / "i"), pa.table({"table": ["x"], "inspected_at": [1]}))
    with untouched(tmp_path / "i"):
        result = deltaadm("inspect", lake / "new", "--save-as", "delta", tmp_path / "i")
    assert result.code == 7
    assert "is not an inventory" in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [("parquet", 2, "the only format is delta"), ("delta", 7, "cannot be saved to")],
)
def test_what_cannot_be_saved(lake: Path, kind: str, code: int, words: str) -> None:
    (lake / "file").touch()
    place = lake / "file" / "place"
    result = deltaadm("inspect", lake / "new", "--save-as", kind, place)
    assert result.code == code
    assert words in " ".join(result.err.split())
