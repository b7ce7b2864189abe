"""Every feature that Delta Spark can drop, enabled and dropped on a table with rows."""

import os
import time
from collections.abc import Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltaadm import Snapshot, load_snapshot, open_store
from deltaadm.domain.features import REFERENCE
from deltaadm.errors import NotYetError
from deltaadm.plans.carry_out import carry_out
from deltaadm.plans.features import Phase, drop_status, plan_drop, plan_minimum
from deltaadm.plans.reports import Outcome
from deltaadm.replay.reconcile import Detail
from deltaadm.replay.timeline import feature_history
from deltaadm.runs.context import RunContext
from deltaadm.runs.plan_run import LiveLog
from deltaadm.runs.status import CommitStatus
from deltaadm.spark.executor import SparkExecutor
from tests.support.cases import sampled
from tests.support.rows import grouped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaadm.plans.plan import Plan

DAY = 24 * 3600


def set_to(**properties: str) -> str:
    pairs = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
    return f"ALTER TABLE {{}} SET TBLPROPERTIES ({pairs})"


def supported(name: str) -> str:
    return f"ALTER TABLE {{}} SET TBLPROPERTIES ('delta.feature.{name}' = 'supported')"


TWO_ROWS = "INSERT INTO {} SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'x'), (2, 'y')"
WITH_ROWS = "INSERT INTO {} VALUES (7, 'later')"
USED = grouped(__file__, "USED")
"""What brings a feature into a table, and uses it."""

NOT_HERE = {"catalogManaged", "checkpointProtection", "geospatial", "geospatial-dev"}
"""Features that a property cannot bring, or that have a test of their own."""


def made(spark: "SparkSession", path: Path, name: str) -> str:
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (a INT, b STRING) USING delta")
    for statement in [TWO_ROWS, *USED[name]]:
        spark.sql(statement.format(table))
    return table


def loaded(path: Path, detail: Detail = Detail.STATE) -> Snapshot:
    return load_snapshot(open_store(str(path)), detail=detail)


def planned(path: Path, name: str, *, truncate_history: bool) -> "Plan":
    snapshot = loaded(path)
    history = feature_history(open_store(str(path)), snapshot, name)
    now = time.time_ns() // 1_000_000
    return plan_drop(snapshot, name, history, truncate_history=truncate_history, now=now)


def carried_out(executor: SparkExecutor, plan: "Plan") -> Outcome:
    context = RunContext(CommitStatus())
    log = LiveLog(context, plan.before, Detail.STATE, executor.mark, by_name=False)
    outcome = carry_out(plan, executor=executor, log=log)
    assert outcome.mismatches == ()
    made_since = range(plan.before.version + 1, outcome.actual.version + 1)
    assert outcome.versions == tuple(made_since)
    return outcome


def a_day_later(path: Path) -> None:
    for file in (path / "_delta_log").iterdir():
        written = file.stat().st_mtime - DAY - 120
        os.utime(file, (written, written))


def test_every_droppable_feature_has_a_case() -> None:
    assert {
        name for name, feature in REFERENCE.items() if feature.removal
    } == USED.keys() | NOT_HERE


IN_TWO_RUNS = {"columnMapping", "deletionVectors", "typeWidening", "v2Checkpoint"}
"""What older versions need, so that dropping it either keeps their history or waits for its end."""

ONLY_IN_MATRIX = {
    "checkConstraints", "columnMapping", "coordinatedCommits-preview", "rowTracking",
    "typeWidening", "typeWidening-preview", "v2Checkpoint", "vacuumProtocolCheck",
}  # fmt: skip
"""Those that go as another one does, or that another test of the suite drops through Spark."""


def in_matrix(names: Iterable[str], left_out: Container[str]) -> list[Any]:
    """The names as parameters, of which those *left_out* are tried in the matrix alone."""
    return sampled((name, name not in left_out, name) for name in sorted(names))


@pytest.mark.parametrize("name", in_matrix(USED.keys() - {"deletionVectors"}, ONLY_IN_MATRIX))
def test_a_feature_is_dropped_and_the_history_kept(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path, name: str
) -> None:
    make_and_drop(spark, executor, tmp_path, name)


def make_and_drop(spark: "SparkSession", executor: SparkExecutor, path: Path, name: str) -> None:
    table = made(spark, path, name)
    rows = sorted(map(tuple, spark.table(table).collect()))
    assert loaded(path).protocol.supports(name)
    plan = planned(path, name, truncate_history=False)
    outcome = carried_out(executor, plan)
    assert plan.stages[0].several_commits == (len(outcome.versions) > 1)
    assert not outcome.actual.protocol.supports(name)
    assert sorted(map(tuple, spark.table(table).collect())) == rows
    assert planned(path, name, truncate_history=False).is_noop


@pytest.mark.parametrize("name", in_matrix(IN_TWO_RUNS, IN_TWO_RUNS - {"deletionVectors"}))
def test_a_feature_is_dropped_with_its_history_in_two_runs(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path, name: str
) -> None:
    table = made(spark, tmp_path, name)
    rows = sorted(map(tuple, spark.table(table).collect()))
    first = planned(tmp_path, name, truncate_history=True)
    assert first.waits
    assert carried_out(executor, first).actual.protocol.supports(name)
    with pytest.raises(NotYetError, match=r"ready at .*Z\.$"):
        planned(tmp_path, name, truncate_history=True)
    if name == "deletionVectors":
        assert_delta_waits(executor, tmp_path, name)
    a_day_later(tmp_path)
    second = planned(tmp_path, name, truncate_history=True)
    assert not second.waits
    outcome = carried_out(executor, second)
    assert not outcome.actual.protocol.supports(name)
    assert not outcome.actual.protocol.supports("checkpointProtection")
    assert sorted(map(tuple, spark.table(table).collect())) == rows


def assert_delta_waits(executor: SparkExecutor, path: Path, name: str) -> None:
    """Delta refuses the second step of a plan that was made for a later day."""
    snapshot = loaded(path)
    history = feature_history(open_store(str(path)), snapshot, name)
    too_early = plan_drop(snapshot, name, history, truncate_history=True, now=2**45)
    with pytest.raises(NotYetError) as caught:
        carried_out(executor, too_early)
    assert caught.value.delta_error_class == "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST"
    assert caught.value.exit_code == 8


def test_the_way_down_ends_where_the_table_began(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path
) -> None:
    make_and_drop(spark, executor, tmp_path, "typeWidening")
    spark.sql(supported("vacuumProtocolCheck").format(f"delta.`{tmp_path}`"))
    a_day_later(tmp_path)
    snapshot, store = loaded(tmp_path), open_store(str(tmp_path))
    plan = plan_minimum(
        snapshot,
        lambda name: feature_history(store, snapshot, name),
        now=time.time_ns() // 1_000_000,
    )
    assert set(plan.irreversible) == {"checkpointProtection", "vacuumProtocolCheck"}
    outcome = carried_out(executor, plan)
    assert (
        outcome.actual.protocol.min_reader_version,
        outcome.actual.protocol.min_writer_version,
    ) == (1, 2)
    status = drop_status(
        loaded(tmp_path),
        "checkpointProtection",
        feature_history(store, loaded(tmp_path), "x"),
        now=0,
    )
    assert status.phase is Phase.ABSENT


MAPPED = [set_to(**{"columnMapping.mode": "name"}), "ALTER TABLE {} ADD COLUMN c INT"]
DROPPED = ["INSERT INTO {} VALUES (8, 'z', 1)", "ALTER TABLE {} DROP COLUMN c"]


@pytest.mark.parametrize(("statements", "work", "rewritten"), [
    pytest.param(USED["deletionVectors"], "1 of 3 files", 1, id="a deletion vector",
        marks=pytest.mark.matrix),
    pytest.param([*MAPPED, *DROPPED, *USED["deletionVectors"]],
        "any with columns that were dropped", 2, id="and a dropped column"),
    pytest.param([*MAPPED, *DROPPED, USED["deletionVectors"][0]],
        "any with columns that were dropped", 1, id="a dropped column alone",
        marks=pytest.mark.matrix),
    pytest.param([*MAPPED, USED["deletionVectors"][0]], "", 0, id="neither",
        marks=pytest.mark.matrix),
])  # fmt: skip
def test_only_the_files_that_a_plan_names_are_rewritten(
    spark: "SparkSession",
    executor: SparkExecutor,
    tmp_path: Path,
    *,
    statements: list[str],
    work: str,
    rewritten: int,
) -> None:
    table = f"delta.`{tmp_path}`"
    spark.sql(f"CREATE TABLE {table} (a INT, b STRING) USING delta")
    for statement in [TWO_ROWS, WITH_ROWS, WITH_ROWS, *statements]:
        spark.sql(statement.format(table))
    before = set(spark.table(table).inputFiles())
    plan = planned(tmp_path, "deletionVectors", truncate_history=False)
    assert work in plan.work
    assert bool(plan.work) == bool(rewritten)
    carried_out(executor, plan)
    assert len(before - set(spark.table(table).inputFiles())) == rewritten
