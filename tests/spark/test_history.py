"""What `history` and `inspect --why` say of a table that Spark has just made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools import spark_history

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.matrix  # `tests/cli/test_history.py` has it recorded
def test_a_table_with_several_upgrades_and_drops(spark: SparkSession, tmp_path: Path) -> None:
    spark_history.check(tmp_path, spark_history.make(spark, tmp_path))
