"""Delta Spark loads repaired tables, and reads the rows of before."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from deltalake import DeltaTable, TableFeatures, write_deltalake

from tests.support.program import deltaadm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_protocol_that_lacked_a_feature(spark: "SparkSession", tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    data = pa.table({"a": pa.array([1, 2, 3], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableChangeDataFeed": "true"})
    DeltaTable(path).alter.add_feature(
        TableFeatures.DomainMetadata, allow_protocol_versions_increase=True
    )
    done = deltaadm("repair", path, "--apply", "--yes")
    assert done.code == 0, done.err
    assert spark.read.format("delta").load(path).count() == 3
    spark.sql(f"ALTER TABLE delta.`{path}` UNSET TBLPROPERTIES ('delta.enableChangeDataFeed')")


@pytest.mark.parametrize("policy", ["classic", "v2"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(file.read_bytes()[:-100]),
        lambda file: file.write_bytes(b""),
    ],
    ids=["torn", "empty"],
)
def test_a_damaged_checkpoint(
    spark: "SparkSession", tmp_path: Path, policy: str, damage: Callable[[Path], object]
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
    damage(file)
    for each in (path / "_delta_log").iterdir():
        if each.is_file():
            os.utime(each, (time.time() - 3_600,) * 2)
    done = deltaadm("repair", path, "--apply", "--yes")
    assert done.code == 0, done.out + done.err
    shutil.copytree(path, tmp_path / "copy")  # of which Spark has no snapshot yet
    for version in range(2):  # the checkpoint alone has to do
        (tmp_path / "copy" / "_delta_log" / f"{version:020d}.json").unlink()
    assert spark.read.format("delta").load(str(tmp_path / "copy")).count() == 30
    assert deltaadm("validate", path, "--deep", "--fail-on", "warning").code == 0
