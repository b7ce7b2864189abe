"""Delta Spark goes on from a checkpoint that deltaadm has written, and from that alone."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.cases import sampled
from tests.support.program import deltaadm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")
COLUMNS = (
    "id BIGINT, day DATE, at TIMESTAMP, price DECIMAL(12, 2), text STRING, "
    "inner STRUCT<x: INT, y: STRING>, ratio DOUBLE, raw BINARY"
)
ROWS = (
    "SELECT id, date_add(DATE'2024-02-28', CAST(id % 3 AS INT)), "
    "TIMESTAMP'2024-02-28 01:02:03.456789' + make_interval(0, 0, 0, CAST(id AS INT)), "
    "CAST(id AS DECIMAL(12, 2)) / 4, IF(id % 3 = 0, NULL, concat('é', id % 2)), "
    "named_struct('x', CAST(id AS INT), 'y', 'z'), id / 3, CAST(CAST(id AS STRING) AS BINARY) "
    "FROM range({}, {})"
)
PROPERTIES = {
    "classic": {"delta.checkpointPolicy": "classic"},
    "v2": {"delta.checkpointPolicy": "v2"},
    "statistics as a struct": {"delta.checkpoint.writeStatsAsStruct": "true",
        "delta.checkpoint.writeStatsAsJson": "false"},
    "v2 on a checkpoint of Spark": {"delta.checkpointPolicy": "v2", "delta.checkpointInterval": "2",
        "delta.checkpoint.writeStatsAsStruct": "true"},
}  # fmt: skip
QUERIES = ("1 = 1", "day = DATE'2024-02-29'", "price > 4.25", "inner.x < 3", "text IS NULL")


IN_MATRIX = ("classic", "v2", "statistics as a struct")


@pytest.mark.parametrize(
    "name", sampled((name, name not in IN_MATRIX, name) for name in PROPERTIES)
)
def test_delta_reads_and_changes_the_table_by_its_checkpoint(
    spark: "SparkSession", tmp_path: Path, name: str
) -> None:
    first, alone = tmp_path / "first", tmp_path / "alone"
    features = {
        "delta.enableDeletionVectors": "true",
        "delta.columnMapping.mode": "name",
        "delta.enableRowTracking": "true",
        "delta.enableInCommitTimestamps": "true",
    }
    properties = ", ".join(f"'{k}' = '{v}'" for k, v in (features | PROPERTIES[name]).items())
    table, other = f"delta.`{first}`", f"delta.`{alone}`"
    spark.sql(
        f"CREATE TABLE {table} ({COLUMNS}) USING delta PARTITIONED BY (day, text) "
        f"TBLPROPERTIES ({properties})"
    )
    for statement in (ROWS.format(0, 12), ROWS.format(12, 20)):
        spark.sql(f"INSERT INTO {table} {statement}")
    spark.sql(f"DELETE FROM {table} WHERE id IN (3, 14)")  # noqa: S608
    assert '"deletionVector":{' in (first / "_delta_log" / f"{3:020d}.json").read_text()
    expected = answers(spark, first, *QUERIES)

    assert deltaadm("alter", first, "--checkpoint", *EMBEDDED).code == 0
    shutil.copytree(first, alone)
    log = alone / "_delta_log"
    version = json.loads((log / "_last_checkpoint").read_text())["version"]
    assert version == 3
    for file in log.iterdir():
        older = file.name[:20].isdigit() and int(file.name[:20]) < version
        if older or file.name == "_sidecars" or file.suffix == ".crc":
            shutil.rmtree(file) if file.is_dir() else file.unlink()

    assert answers(spark, alone, *QUERIES) == expected
    for place in (table, other):
        spark.sql(f"UPDATE {place} SET price = 7 WHERE id = 5")  # noqa: S608
    assert answers(spark, alone, "1 = 1") == answers(spark, first, "1 = 1")
    assert deltaadm("validate", alone, "--deep", "--history").code == 0


def answers(spark: "SparkSession", path: Path, *queries: str) -> list[list[str]]:
    """The rows of some questions, with the row ids that Delta knows."""
    table = f"delta.`{path}`"
    return [
        sorted(
            repr(row)
            for row in spark.sql(
                f"SELECT *, _metadata.row_id FROM {table} WHERE {query}"  # noqa: S608
            ).collect()
        )
        for query in queries
    ]
