"""What Delta Spark makes of new and altered tables, against what was recorded."""

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm import load_snapshot, open_store
from deltaadm.clients import parse_client
from deltaadm.reports.defaults import defaults_of
from tools.record_defaults import STATEMENTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED = defaults_of(parse_client(f"delta-spark@{version('delta-spark')}"))
LIVE = ("new table", "new clustered table")
"""Tried in every run; the others are repeated in the matrix."""


@pytest.mark.parametrize("action", [
    pytest.param(name, marks=() if name in LIVE else pytest.mark.matrix) for name in STATEMENTS
])  # fmt: skip
def test_delta_spark_makes_what_is_recorded(
    spark: "SparkSession", action: str, tmp_path: Path
) -> None:
    path = tmp_path / "t"
    for statement in STATEMENTS[action]:
        spark.sql(statement.format(f"delta.`{path}`"))
    snapshot = load_snapshot(open_store(str(path)))
    recorded = RECORDED[action]
    assert snapshot.protocol == recorded.protocol
    assert snapshot.metadata.configuration.keys() == recorded.metadata.configuration.keys()
