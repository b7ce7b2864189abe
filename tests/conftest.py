"""Fixtures for every test."""

import gc
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support import cases, oracle
from tests.support.examples import TIMES
from tests.support.spark_processes import IN_OTHER_PROCESSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deltaadm.blocks import Report

settings.register_profile(
    "deltaadm",
    deadline=None,  # no test depends on how fast the machine is
    max_examples=(30 if os.environ.get("CI") == "true" else 50) * TIMES,
    suppress_health_check=[HealthCheck.too_slow],
    # CI tells whether a change is sound; a developer's runs look for what nobody has thought of
    derandomize=os.environ.get("CI") == "true",
)
settings.load_profile("deltaadm")

with suppress(ImportError):  # before a command that only reads makes this process do without it
    import numpy  # noqa: F401, ICN001


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--spark-matrix", action="store_true", help="also run the cases marked matrix, on Spark"
    )
    parser.addoption(
        "--case", default="", help="where one test tries many cases, those with this in their name"
    )


def pytest_configure(config: pytest.Config) -> None:
    os.environ.pop("COLUMNS", None)  # which pytest-xdist sets for its workers; text would wrap
    config.stash[cases.ONLY] = config.getoption("--case")


SESSIONS = 1 if (os.cpu_count() or 1) < 4 else 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """
    Share the tests by module among processes, of which no more than `SESSIONS` have a session.

    A Spark session takes a minute of a processor until its code is warm, so that two cores do all
    the sooner with one. In the matrix that does not matter, and each process has one.
    """
    if config.option.dist != "loadscope" or config.getoption("--spark-matrix"):
        return None
    from xdist.scheduler import LoadScopeScheduling

    modules = sorted((config.rootpath / "tests" / "spark").glob("test_*.py"))
    names = [path.name for path in modules if path.name not in IN_OTHER_PROCESSES]
    sessions = {f"tests/spark/{name}": number % SESSIONS for number, name in enumerate(names)}

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.partition("::")[0]
            return f"session {sessions[module]}" if module in sessions else module

    return Scheduling(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that processes that share the tests end together."""
    if not config.getoption("--spark-matrix"):
        left_out = [item for item in items if item.get_closest_marker("matrix")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("matrix")]
    items.sort(
        key=lambda item: (
            item.get_closest_marker("spark") is None,
            item.path.name in IN_OTHER_PROCESSES,
            item.get_closest_marker("slow") is None,
        )
    )


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and pass over thousands of tests, which stay to the end."""
    gc.freeze()
    gc.set_threshold(10_000)  # in place of 700, as the program collects seldom, too


@pytest.fixture(scope="session", autouse=True)
def _started_programs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """
    Let the programs that tests start be interrupted, and be of this very copy of deltaadm.

    Whoever runs the tests in the background of a shell has them ignore SIGINT, and a program
    inherits that from the one that starts it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    run = tmp_path_factory.getbasetemp()
    os.environ["XDG_CONFIG_HOME"] = str(run / "no-settings")  # not the user's
    os.environ["XDG_DATA_HOME"] = str(run / "data")  # completions, man pages
    os.environ.pop("SPARK_SUBMIT_OPTS", None)
    os.environ["SHELL"] = "/bin/bash"  # CI may have none
    os.environ.pop("FORCE_COLOR", None)  # what the developer wants of pytest's own output
    os.environ["CI"] = "true"


@pytest.fixture(scope="session")
def every_report(tmp_path_factory: pytest.TempPathFactory) -> "Sequence[Report]":
    """Reports of every kind that there is."""
    from tests.support.samples import every_kind

    return list(every_kind(tmp_path_factory.mktemp("reports")))


@pytest.fixture(scope="session")
def oracle_tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, oracle.OracleTable]:
    """The recorded tables, extracted once; do not write to them."""
    root = tmp_path_factory.mktemp("oracle")
    return {table.name: table for table in oracle.tables(root)}


@pytest.fixture(scope="session")
def recorded_logs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, str], Path]:
    """The logs that recorded cases start with, by recording, group and id; do not write to them."""
    root = tmp_path_factory.mktemp("logs")
    written = {}
    for recording in ("odd-logs", "replay", "e2e"):
        for case in oracle.cases(recording):
            if case["start"].get("files") is not None:
                place = root / str(len(written))
                oracle.write_log(case["start"]["files"], place)
                written[recording, case["group"], case["id"]] = place
    return written
