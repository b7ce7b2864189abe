"""What `history --restorable` says of tables, and what Spark answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.program import deltaadm
from tools import spark_restorable
from tools.spark_restorable import VARIANTS

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.matrix  # `tests/cli/test_restorable.py` has it recorded
@pytest.mark.parametrize("first", range(0, 8 * VARIANTS, VARIANTS))
def test_every_version_of_generated_tables(
    spark: SparkSession, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = range(first, first + VARIANTS)
    for row, place in spark_restorable.record(spark.newSession(), seeds):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(row["now"]))
        assert spark_restorable.check(row, place)


def test_restore_brings_back_properties_but_no_protocol(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The statement that is printed for it works."""
    name = f"delta.`{tmp_path}`"
    spark.sql(f"CREATE TABLE {name} (a INT) USING delta TBLPROPERTIES ('team' = 'x')")
    spark.sql(
        f"ALTER TABLE {name} SET TBLPROPERTIES ('team' = 'y', 'delta.feature.v2Checkpoint' = "
        "'supported')"
    )
    shown = " ".join(deltaadm("history", tmp_path, "--restorable").out.split())
    statement = re.search(r"RESTORE TABLE \S+ TO VERSION AS OF 0", shown)
    assert statement
    spark.sql(statement[0])
    now = deltaadm("inspect", tmp_path, "-o", "json").document
    assert now["metadata"]["configuration"]["team"] == "x"
    assert "v2Checkpoint" in now["protocol"]["writerFeatures"]
