"""Delta Spark loads repaired tables, and reads the rows of before."""

import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from deltalake import DeltaTable, TableFeatures, write_deltalake

from deltaadm.plans.checkpoint import write_checkpoint
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.store import open_store
from tests.support.program import deltaadm, succeeds
from tests.support.repairs import ONLY_RICH, REPAIRED, aged, by_delta_rs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_protocol_that_lacked_a_feature(spark: "SparkSession", tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    data = pa.table({"a": pa.array([1, 2, 3], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableChangeDataFeed": "true"})
    DeltaTable(path).alter.add_feature(
        TableFeatures.DomainMetadata, allow_protocol_versions_increase=True
    )
    succeeds("repair", path, "--apply", "--yes")
    assert spark.read.format("delta").load(path).count() == 3
    spark.sql(f"ALTER TABLE delta.`{path}` UNSET TBLPROPERTIES ('delta.enableChangeDataFeed')")


@pytest.mark.parametrize(("policy", "kept"), [
    ("classic", slice(-100)),
    pytest.param("classic", slice(0), marks=pytest.mark.matrix),
    pytest.param("v2", slice(-100), marks=pytest.mark.matrix),
    ("v2", slice(0)),
], ids=["classic-torn", "classic-empty", "v2-torn", "v2-empty"])  # fmt: skip
def test_a_damaged_checkpoint(
    spark: "SparkSession", tmp_path: Path, policy: str, kept: slice
) -> None:
    path = tmp_path / "t"
    for statement in (
        (
            "CREATE TABLE {} (id BIGINT) USING delta TBLPROPERTIES "
            "('delta.checkpointPolicy' = '{}', 'delta.enableDeletionVectors' = 'true')"
        ),
        "INSERT INTO {} SELECT /*+ REPARTITION(1) */ id FROM range(40)",
        "DELETE FROM {} WHERE id % 4 = 0",
    ):
        spark.sql(statement.format(f"delta.`{path}`", policy))
    assert deltaadm("alter", path, "--checkpoint", "--commit-engine", "embedded", "--apply",
                    "--yes").code == 0  # fmt: skip
    (file,) = (path / "_delta_log").glob("*2.checkpoint*.parquet")
    file.write_bytes(file.read_bytes()[kept])
    for each in (path / "_delta_log").iterdir():
        if each.is_file():
            os.utime(each, (time.time() - 3_600,) * 2)
    succeeds("repair", path, "--apply", "--yes")
    shutil.copytree(path, tmp_path / "copy")  # of which Spark has no snapshot yet
    for version in range(2):  # the checkpoint alone has to do
        (tmp_path / "copy" / "_delta_log" / f"{version:020d}.json").unlink()
    assert spark.read.format("delta").load(str(tmp_path / "copy")).count() == 30
    assert deltaadm("validate", path, "--deep", "--fail-on", "warning").code == 0


PROPERTIES = {
    "classic": {},
    "v2": {"checkpointPolicy": "v2"},
    "rich": {"enableDeletionVectors": "true", "columnMapping.mode": "name",
             "enableRowTracking": "true"},
}  # fmt: skip


@pytest.fixture(scope="module")
def models(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tables of eight versions by Spark, with data, and checkpoints of versions 3 and 6."""
    made = {kind: tmp_path_factory.mktemp("models") / kind for kind in PROPERTIES}
    for kind, path in made.items():
        properties = {"checkpointInterval": "100"} | PROPERTIES[kind]
        told = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
        spark.sql(
            f"CREATE TABLE delta.`{path}` (id BIGINT, b STRING) USING delta TBLPROPERTIES ({told})"
        )
        for version in range(1, 8):
            if version == 5 or (kind == "rich" and version in {4, 7}):
                gone = "BETWEEN 20 AND 29" if version == 5 else f"= {version - 1}2"
                spark.sql(f"DELETE FROM delta.`{path}` WHERE id {gone}")  # noqa: S608 -- ours
                continue
            rows = spark.range(10 * version, 10 * version + 5, 1, 3 if version == 1 else 1)
            writer = rows.selectExpr("id", "concat('b', id) AS b").write.format("delta")
            of = {"txnAppId": "app", "txnVersion": str(version)}
            writer.mode("append").options(**of).save(str(path))
        for file in (path / "_delta_log").glob(".*.crc"):  # Hadoop's, of files that will be others
            file.unlink()
        store = open_store(str(path))
        for version in (3, 6):
            write_checkpoint(store, load_snapshot(store, version=version))
    return made


@pytest.mark.matrix  # those below are damaged and read again by Spark in every run
@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        (kind, of)
        for kind in PROPERTIES
        for of in (REPAIRED if kind != "rich" else REPAIRED | ONLY_RICH)
        if kind == "rich" or of != "checkpoint without its domain"
    ],
)  # fmt: skip
def test_readers_see_the_same_as_before_the_damage(
    kind: str,
    damage: str,
    spark: "SparkSession",
    models: dict[str, Path],
    tmp_path: Path,
) -> None:
    whole, path = models[kind], tmp_path / "table"
    shutil.copytree(whole, path)
    (REPAIRED | ONLY_RICH)[damage](path / "_delta_log")
    aged(path)
    done = succeeds("repair", path, "--apply", "--yes")
    assert "repair" in done.out
    assert by_delta_rs(path) == by_delta_rs(whole) is not None
    rows, expected = (spark.read.format("delta").load(str(of)).collect() for of in (path, whole))
    assert sorted(rows) == sorted(expected)
    assert len(expected) == (13 if kind == "rich" else 25)
