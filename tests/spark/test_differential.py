"""Random statements on random tables lead where they are predicted to lead."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm.spark.session import LITERAL_STATEMENTS, configured
from tools.differential import differ

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.matrix
@pytest.mark.parametrize("seed", [str(number) for number in range(30)])
def test_no_state_is_wrong(spark: "SparkSession", tmp_path: Path, seed: str) -> None:
    with configured(spark, LITERAL_STATEMENTS):
        rows = list(differ(seed, spark, tmp_path))
    assert rows
    assert [row for _, how, row in rows if how in {"WRONG STATE", "DELTA WAITS"}] == []
