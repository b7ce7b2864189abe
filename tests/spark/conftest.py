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
from deltaadm.spark.jvm import fetched_jars
from deltaadm.spark.session import SparkOptions, open_session
from tests.support.spark_processes import FEW_TASKS, IN_OTHER_PROCESSES, small_jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOM = "-XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m -Xmn200m"
"""For the code, the classes and the garbage of hundreds of tests."""

OPTIMIZED_LATE = (
    "-XX:TieredStopAtLevel=4 -XX:Tier4InvocationThreshold=100000 -XX:Tier4BackEdgeThreshold=800000 "
    "-XX:Tier4MinInvocationThreshold=12000 -XX:Tier4CompileThreshold=300000"
)
"""
Twenty times what Java takes for much: the optimizing compiler is for what minutes are spent in.

Without it a session takes a sixth more processor time, and with Java's own thresholds a quarter.
"""

QUICK_STARTS = "-Djdk.lang.Process.launchMechanism=VFORK"
"""For the `readlink` and `chmod` that Hadoop runs ten times for each commit."""


_ONE_JOB_FOR_EACH_TABLE = {"test_real_tables[protocol]", "test_foreign_tables[protocol]"}
"""Of engines' contract: random histories and odd logs are loaded like this in the suite."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lacking = "" if os.environ.get("DELTAADM_REQUIRE_SPARK") == "1" else _lacking()
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker(pytest.mark.spark)
            if item.name in _ONE_JOB_FOR_EACH_TABLE:
                item.add_marker(pytest.mark.matrix)
            if lacking:
                item.add_marker(pytest.mark.skip(reason=f"needs {lacking}"))


def _lacking() -> str:
    if importlib.util.find_spec("pyspark") is None or importlib.util.find_spec("delta") is None:
        return "pip install 'deltaadm[spark]'"
    home = os.environ.get("JAVA_HOME")
    return "" if shutil.which("java", path=home and f"{home}/bin") else "Java"


@pytest.fixture(scope="session")
def fetching(tmp_path_factory: pytest.TempPathFactory) -> FileLock:
    """Held while jars are fetched: Ivy is not made for two processes that do so together."""
    return FileLock(tmp_path_factory.getbasetemp().parent / "spark.lock")


@pytest.fixture(scope="session")
def spark(fetching: FileLock) -> Iterator["SparkSession"]:
    """The active session, which every executor of the process finds and leaves alone."""
    with ExitStack() as stack:
        with fetching:
            java = f"{small_jvm()} {ROOM} {OPTIMIZED_LATE} {QUICK_STARTS}"
            options = SparkOptions(
                master="local[2]", conf=FEW_TASKS | {"spark.driver.extraJavaOptions": java}
            )
            session = stack.enter_context(open_session(options, lambda _: None))
        yield session


@pytest.fixture(scope="module", autouse=True)
def _session_or_jars(request: pytest.FixtureRequest, fetching: FileLock) -> None:
    """The session; only the jars that it fetches for modules that need no more."""
    with fetching:
        complete = bool(fetched_jars())
    if request.path.name not in IN_OTHER_PROCESSES or not complete:
        request.getfixturevalue("spark")


@pytest.fixture
def executor(spark: "SparkSession") -> Iterator[SparkExecutor]:  # noqa: ARG001
    with SparkExecutor(SparkOptions(), announce=lambda _: None) as one:
        yield one
