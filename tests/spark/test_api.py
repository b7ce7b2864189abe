"""Tables for programs that have a Spark session of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from delta.tables import DeltaTable as SparkTable
from deltalake import write_deltalake

import deltaadm

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession


def test_a_session_reads_knows_names_and_commits(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    write_deltalake(tmp_path / "events", pa.table({"id": [1]}))
    spark.sql(f"CREATE TABLE api_events USING delta LOCATION '{tmp_path / 'events'}'")
    try:
        by_path = deltaadm.table(SparkTable.forPath(spark, str(tmp_path / "events")))
        assert by_path.name == str(tmp_path / "events")
        by_name = deltaadm.table(SparkTable.forName(spark, "api_events"))
        assert by_name.name == "spark_catalog.default.api_events"
        table = deltaadm.table("default.api_events", spark=spark)
        plan = table.plan_features("deletionVectors")
        assert plan.plan.session == deltaadm.SessionSettings.from_conf(spark.conf.getAll)
        outcome = table.apply(plan)
        assert (outcome.versions, outcome.mismatches) == ((1,), ())
        for each in (table, by_path, by_name, deltaadm.table(tmp_path / "events")):
            assert each.snapshot().protocol.supports("deletionVectors")
        assert spark.range(1).count() == 1  # which is still there
    finally:
        spark.sql("DROP TABLE api_events")
