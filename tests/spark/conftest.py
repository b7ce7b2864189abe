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
from deltaadm.spark.session import SparkOptions
from tests.support.spark_processes import IN_OTHER_PROCESSES, MANY_STATEMENTS, local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JOBS_FOR_EACH_TABLE = {
    *(f"{name}[{detail}]" for name in ("test_real_tables", "test_foreign_tables")
      for detail in ("protocol", "state")),
    "test_odd_logs[state]", "test_random_histories", "test_starts_of_recorded_operations",
}  # fmt: skip
"""Of engines' contract: a few logs, and awkward ones, are loaded by Spark in the suite as well."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lacking = "" if os.environ.get("DELTAADM_REQUIRE_SPARK") == "1" else _lacking()
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker(pytest.mark.spark)
            if item.name in _JOBS_FOR_EACH_TABLE:
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
            session = stack.enter_context(local_session(MANY_STATEMENTS))
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
