"""What every run of the program finds around it."""

import sys
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import LogWriter
from tests.support.tables import Table


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    if "pyspark" in sys.modules:  # another test of this process may have a session
        monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setenv("DELTAADM_NO_INPUT", "1")


@pytest.fixture
def small(tmp_path: Path) -> Table:
    """One version, (1, 2), one column."""
    return tables.table(tmp_path / "small", tables.START_BODY)


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> LogWriter:
    """Commits go to the log directly; without this, they need Spark."""
    made = LogWriter()
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: made)
    return made
