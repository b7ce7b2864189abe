"""One Spark for the whole run; without Java or pyspark these tests are skipped."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm.spark.executor import SparkExecutor
from deltaadm.spark.session import SparkOptions, open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAST = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lacking = "" if os.environ.get("DELTAADM_REQUIRE_SPARK") == "1" else _lacking()
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.spark)
            if lacking:
                item.add_marker(pytest.mark.skip(reason=f"needs {lacking}"))


def _lacking() -> str:
    if importlib.util.find_spec("pyspark") is None or importlib.util.find_spec("delta") is None:
        return "pip install 'deltaadm[spark]'"
    home = os.environ.get("JAVA_HOME")
    return "" if shutil.which("java", path=home and f"{home}/bin") else "Java"


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    """The active session, which every executor of the run finds and leaves alone."""
    options = SparkOptions(master="local[2]", conf=FAST)
    with open_session(options, lambda _: None) as session:
        yield session


@pytest.fixture
def executor(spark: "SparkSession") -> Iterator[SparkExecutor]:  # noqa: ARG001
    with SparkExecutor(SparkOptions(), say=lambda _: None) as one:
        yield one
