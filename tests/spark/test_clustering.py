"""Tables whose clustering columns lose their physical names: kept whole, and fixed."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm.rules.rule import Severity
from tests.support.clients import ACCEPT_ALL
from tests.support.program import deltaadm, succeeds
from tests.support.rule_cases import findings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONSENT = ("--apply", "--yes", "--allow-rewrite", *ACCEPT_ALL)
MODE = "delta.columnMapping.mode"


def made(spark: "SparkSession", path: Path) -> str:
    table = f"delta.`{path}`"
    spark.sql(
        f"CREATE TABLE {table} (day INT, s STRUCT<x: INT, y: STRING>, v STRING) USING delta "
        f"CLUSTER BY (day, s.x) TBLPROPERTIES ('{MODE}' = 'name')"
    )
    row = "(1, named_struct('x', 3, 'y', 'q'), 'v')"
    spark.sql(f"INSERT INTO {table} VALUES {row}")  # noqa: S608 -- our own names
    return table


def clustered_by(spark: "SparkSession", table: str) -> list[str]:
    spark.sql(f"OPTIMIZE {table}")
    return list(spark.sql(f"DESCRIBE DETAIL {table}").first()["clusteringColumns"])


def errors(path: Path) -> list[str]:
    return [finding.code for finding in findings(path) if finding.severity is Severity.ERROR]


@pytest.mark.parametrize(
    "command",
    [
        ("drop-feature", "columnMapping"),
        # as a table of `test_clusters.py` goes
        pytest.param(("set-mapping-mode", "none"), marks=pytest.mark.matrix),
    ],
    ids=" ".join,
)
def test_a_table_without_mapping_stays_clustered(
    command: tuple[str, str], spark: "SparkSession", tmp_path: Path
) -> None:
    table = made(spark, tmp_path)
    name, word = command
    succeeds(name, str(tmp_path), word, *CONSENT)
    assert clustered_by(spark, table) == ["day", "s.x"]
    assert not errors(tmp_path)


def test_a_table_that_is_broken_already_is_fixed(spark: "SparkSession", tmp_path: Path) -> None:
    table = made(spark, tmp_path)
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('{MODE}' = 'none')")
    assert errors(tmp_path) == ["DL509", "DL509"]
    succeeds("validate", str(tmp_path), "--fix", *CONSENT)
    assert spark.sql(f"DESCRIBE HISTORY {table}").first()["operation"] == "CLUSTER BY"
    assert clustered_by(spark, table) == ["day", "s.x"]
    assert not errors(tmp_path)


def test_a_struct_with_a_clustering_column_goes_only_with_consent(
    spark: "SparkSession", tmp_path: Path
) -> None:
    table = made(spark, tmp_path)
    wish = ("alter", str(tmp_path), "--drop-column", "s", *CONSENT)
    assert deltaadm(*wish).code == 7
    succeeds(*wish, "--accept-finding", "DL509")
    assert errors(tmp_path) == ["DL509"]
    succeeds("alter", str(tmp_path), "--cluster-by", "day", *CONSENT)
    assert clustered_by(spark, table) == ["day"]
    assert not errors(tmp_path)
