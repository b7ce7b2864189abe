"""Facts that depend on the state of a table, as its reports show them."""

import re
from pathlib import Path

import pytest

import deltaadm
from deltaadm.clients import CLIENTS
from tools.laboratory import CASES, VECTORS, Case

OFF = {**VECTORS, "configuration": {}}
WORKS, WRONG, UNKNOWN = "works", "silently wrong", "unknown"


def made(case: Case, path: Path, writer: bytes = b"") -> deltaadm.Table:
    """The table; its checkpoint calls itself that of *writer*."""
    case.make(path)
    if writer:
        file = next(path.glob("_delta_log/*.checkpoint.parquet"))
        body = file.read_bytes()
        (own,) = re.findall(rb"parquet-cpp-arrow version [0-9.]+", body)
        file.write_bytes(body.replace(own, writer.ljust(len(own))))
    return deltaadm.table(path)


def reads(table: deltaadm.Table, client: str, *, files: bool) -> str:
    clients = table.inspect(files=files).to_dict()["clients"]
    return str(next(each["read"]["verdict"] for each in clients if each["client"] == client))


@pytest.mark.parametrize(("client", "case", "counted", "uncounted"), [
    pytest.param("trino", Case(**OFF, checkpoint=True), WRONG, UNKNOWN, id="in a checkpoint"),
    pytest.param("trino", Case(**OFF), WORKS, WORKS, id="only in commits"),
    pytest.param("trino", Case(**VECTORS, checkpoint=True), WORKS, WORKS, id="property on"),
    pytest.param("trino", Case(**{**OFF, "deleted": ()}, checkpoint=True), WORKS, UNKNOWN,
        id="no file has any"),
    pytest.param("daft", Case(**OFF), WRONG, UNKNOWN, id="property alone is looked at"),
    pytest.param("duckdb-delta", CASES["column mapping by name, partitions"], WRONG, WRONG,
        id="mapping and partitions"),
    pytest.param("polars", CASES["partitions, random paths"], WRONG, WRONG, id="random paths"),
    pytest.param("polars", CASES["partitions, checkpoint"], WORKS, WORKS, id="partitions"),
])  # fmt: skip
def test_what_is_not_counted_is_not_none(
    client: str, case: Case, counted: str, uncounted: str, tmp_path: Path
) -> None:
    table = made(case, tmp_path / "t")
    assert reads(table, client, files=True) == counted
    assert reads(table, client, files=False) == uncounted


@pytest.mark.parametrize(
    ("deleted", "breaks"), [((), set()), (VECTORS["deleted"], {"daft", "trino"})]
)
def test_a_plan_that_turns_the_property_off_counts_the_vectors(
    deleted: object, breaks: set[str], tmp_path: Path
) -> None:
    table = made(Case(**{**VECTORS, "deleted": deleted}), tmp_path / "t")
    plan = table.plan_changes(set_properties={"delta.enableDeletionVectors": "false"}).to_dict()
    assert {each["client"] for each in plan["clients"] if each["verdict"] == WRONG} == breaks


def test_vectors_of_files_removed_since_may_still_be_in_the_checkpoint(tmp_path: Path) -> None:
    table = made(Case(**{**OFF, "deleted": ()}, checkpoint=True), tmp_path / "t")
    log = tmp_path / "t/_delta_log"
    (log / f"{1:020d}.json").write_text('{"txn":{"appId":"a","version":1}}\n')
    assert reads(table, "trino", files=True) == UNKNOWN


@pytest.mark.parametrize(("writer", "case", "damaged"), [
    pytest.param(b"parquet-mr-trino version 480", Case(**VECTORS, checkpoint=True), 1, id="trino"),
    pytest.param(b"Trino version 470 (build n/a)"[:24], Case(**OFF, checkpoint=True), 2, id="off"),
    pytest.param(b"parquet-mr-trino version 420", Case(**VECTORS, checkpoint=True), 0, id="older"),
    pytest.param(b"", Case(**VECTORS, checkpoint=True), 0, id="another writer"),
    pytest.param(b"parquet-mr-trino version 480", CASES["partitions, checkpoint"], 0, id="none"),
])  # fmt: skip
def test_damage_by_a_writer_concerns_every_reader(
    writer: bytes, case: Case, damaged: int, tmp_path: Path
) -> None:
    table = made(case, tmp_path / "t", writer)
    told = table.for_client("polars").to_dict()["damage"]
    assert len(told) == damaged
    assert [text for text in table.inspect().to_dict()["warnings"] if "damaged" in text] == told
    assert all("for every reader" in text for text in told)


def test_only_what_the_client_itself_wrote_is_its_damage() -> None:
    assert [client.id for client in CLIENTS.values() if client.checkpoints] == ["trino"]
