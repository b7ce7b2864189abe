"""Renaming and dropping columns: Delta commits or refuses what is predicted."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm import load_snapshot, open_store
from deltaadm.domain.steps import Step, read_step
from deltaadm.domain.steps.step import evolve
from deltaadm.errors import CommitError, RefusedError
from deltaadm.plans.diff import mismatches
from deltaadm.replay.reconcile import Detail
from deltaadm.spark.executor import SparkExecutor
from tests.support.provenance import versions_made_by
from tests.support.rows import grouped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = (
    "q INT, a INT, b STRING, `c.d` INT, s STRUCT<x: INT, `y z`: STRING>, only STRUCT<one: INT>, "
    "p INT"
)


@pytest.fixture(scope="module")
def table(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One table for all that is refused or leaves the other columns alone."""
    path = tmp_path_factory.mktemp("columns")
    spark.sql(
        f"CREATE TABLE delta.`{path}` ({COLUMNS}) USING delta PARTITIONED BY (p) TBLPROPERTIES "
        "('delta.columnMapping.mode' = 'name', 'delta.dataSkippingStatsColumns' = 'q,s.x,b')"
    )
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT small CHECK (length(b) < 9)")
    return path


STEPS = {name: list(map(read_step, steps)) for name, steps in grouped(__file__, "STEPS").items()}


def test_changes_are_predicted(executor: SparkExecutor, table: Path) -> None:
    store = open_store(str(table))
    for step in STEPS["changes"]:
        before = load_snapshot(store, detail=Detail.STATE)
        predicted = evolve(before, step)
        executor.apply(str(table), step)
        after = load_snapshot(store)
        assert mismatches(predicted, after) == (), step
        last = after.version
        assert versions_made_by(store, before.version + 1, last, step) == (last,)


@pytest.mark.parametrize("step", STEPS["refusals"], ids=str)
def test_refusals_are_predicted(executor: SparkExecutor, table: Path, step: Step) -> None:
    before = load_snapshot(open_store(str(table)), detail=Detail.STATE)
    with pytest.raises(RefusedError) as predicted:
        evolve(before, step)
    with pytest.raises(CommitError) as caught:
        executor.apply(str(table), step)
    assert predicted.value.delta_error_class == caught.value.delta_error_class
    assert load_snapshot(open_store(str(table))).version == before.version
