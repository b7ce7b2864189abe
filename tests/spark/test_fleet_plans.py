"""Plans for many tables through one Spark: together, and with the driver killed in between."""

import json
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.support.clients import ACCEPT_ALL
from tests.support.program import deltaadm, started, succeeds, wait_until
from tests.support.spark_processes import FEW_TASKS, processes_that_mention, spark_conf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", "b", "c"]})
MATRIX = pytest.mark.matrix
CONSENT = ("--yes", "--allow-backfill", *ACCEPT_ALL)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    for number in range(5):
        write_deltalake(root / f"t{number}", ROWS, configuration={"delta.appendOnly": "true"})
    return root


def names(lake: Path) -> list[Path]:
    return sorted(lake.iterdir())


def inspected(table: Path) -> dict[str, Any]:
    return dict(deltaadm("inspect", table, "-o", "json").document)


def rows(spark: "SparkSession", table: Path) -> list[tuple[int, str]]:
    return sorted(map(tuple, spark.read.format("delta").load(str(table)).collect()))


def test_plans_are_committed_at_the_same_time(
    spark: "SparkSession", lake: Path, tmp_path: Path
) -> None:
    """Changes of several commits and of several steps, a refusal by Delta, and a stranger."""
    file = tmp_path / "plans.jsonl"
    wish = ["--set", "team=data", "--add-constraint", "small=id < 3", "--unset", "delta.appendOnly"]
    few = [argument for name in names(lake)[:2] for argument in ("--table", name)]
    deltaadm("alter", *few, *wish, "--out", file)
    refused = deltaadm("apply", file, *CONSENT, "-o", "jsonl")
    assert refused.code == 9
    assert {line["error"]["delta_error_class"] for line in refused.lines} == {
        "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    }
    deltaadm("enable-feature", "--discover", lake, "rowTracking", "--out", file)
    write_deltalake(lake / "t4", ROWS, mode="append")
    spark.sql(f"ALTER TABLE delta.`{lake}/t3` SET TBLPROPERTIES ('team' = 'other')")
    done = deltaadm("apply", file, *CONSENT, "--jobs", "4", "-o", "jsonl")
    assert done.code == 9
    by_table = {Path(line["table"]).name: line for line in done.lines}
    assert by_table.pop("t3")["error"]["kind"] == "commit"
    assert all(document["outcome"]["mismatches"] == [] for document in by_table.values())
    assert len(by_table) == 4
    for name in names(lake):
        found = {each["name"]: each["active"] for each in inspected(name)["features"]}
        assert found.get("rowTracking", False) == (name.name != "t3")
        assert len(rows(spark, name)) == (6 if name.name == "t4" else 3)


@MATRIX  # killed without Spark in `tests/cli/test_fleet_plans.py`, one by one in `test_session.py`
@pytest.mark.parametrize("lives", [pytest.param((3,), id="once"), pytest.param((1, 4), id="twice")])
def test_a_driver_that_is_killed_leaves_nothing_half_changed(
    spark: "SparkSession", lake: Path, tmp_path: Path, lives: tuple[int, ...]
) -> None:
    """
    Killed once its journal has so many new lines in each of its *lives*, and carried on.

    The wish takes two steps; each table must be in one of the states that its plan names.
    """
    file, journal = tmp_path / "plans.jsonl", tmp_path / "plans.jsonl.journal"
    wish = ["--set", "delta.enableDeletionVectors=true", "--unset", "delta.appendOnly"]
    deltaadm("alter", "--discover", lake, *wish, "--out", file)
    plans = {entry["location"]: entry for entry in map(json.loads, file.read_text().splitlines())}
    moments = random.Random(3)  # noqa: S311 -- moments, not secrets
    for lines in lives:
        _killed_after(file, journal, lines, moments.random() / 2)
        for name in names(lake):
            _assert_whole(inspected(name), plans[str(name)])
    succeeds("apply", file, *CONSENT, "-o", "jsonl")
    for name in names(lake):
        found, plan = inspected(name), plans[str(name)]
        assert found["protocol"] == plan["after"]["protocol"]
        properties = plan["after"]["metadata"]["configuration"]
        assert found["metadata"]["configuration"] == properties
        last, *others = [each["operation"] for each in DeltaTable(name).history()]
        assert last == "UNSET TBLPROPERTIES"
        assert "SET TBLPROPERTIES" in others
    assert rows(spark, lake / "t0") == [(1, "a"), (2, "b"), (3, "c")]
    last = {
        entry["table"]: entry["event"]
        for entry in map(json.loads, journal.read_text().splitlines())
    }
    assert set(last.values()) == {"done"}
    assert len(last) == 5


def _assert_whole(found: dict[str, Any], plan: dict[str, Any]) -> None:
    """As before, as between the steps, or as promised: protocol and properties together."""
    properties = found["metadata"]["configuration"]
    on, kept = "delta.enableDeletionVectors" in properties, "delta.appendOnly" in properties
    assert (on, kept) in {(False, True), (True, True), (True, False)}
    assert found["protocol"] == plan["after" if on else "before"]["protocol"]


def _killed_after(file: Path, journal: Path, lines: int, more: float) -> None:
    """Apply in a process of its own, and kill it when its journal has so many new lines."""
    enough = _lines(journal) + lines
    scratch = file.with_name("scratch")
    scratch.mkdir(exist_ok=True)
    command = ["apply", file, *CONSENT, *spark_conf(FEW_TASKS), "--jobs", "2"]
    with started(*command, env={"TMPDIR": str(scratch)}) as program:
        while program.poll() is None and _lines(journal) < enough:
            time.sleep(0.01)
        time.sleep(more)
        program.kill()
    # The JVM, whose input has ended, ends as well.
    wait_until(lambda: not processes_that_mention(str(scratch)))


def _lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0
