"""One Spark for each process of the run; without Java or pyspark these tests are skipped."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from deltaadm.spark.executor import SparkExecutor
from deltaadm.spark.session import SparkOptions, open_session
from tests.support.spark_processes import FEW_TASKS, SMALL_JVM

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAST = FEW_TASKS | {
    "spark.driver.extraJavaOptions": (
        f"{SMALL_JVM} -XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m -Xmn200m"
    ),
}
"""Those of a session for hundreds of tests, with room for their code, classes and garbage."""


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


@pytest.fixture(scope="session", autouse=True)
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """
    The active session, which every executor of the process finds and leaves alone.

    It comes before all else that starts Spark, and one at a time among processes that share the
    tests: Ivy is not made for two that fetch the same jars.
    """
    with ExitStack() as stack:
        with FileLock(tmp_path_factory.getbasetemp().parent / "spark.lock"):
            options = SparkOptions(master="local[2]", conf=FAST)
            session = stack.enter_context(open_session(options, lambda _: None))
        yield session


@pytest.fixture
def executor(spark: "SparkSession") -> Iterator[SparkExecutor]:  # noqa: ARG001
    with SparkExecutor(SparkOptions(), announce=lambda _: None) as one:
        yield one
