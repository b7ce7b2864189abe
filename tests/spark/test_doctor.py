"""`doctor --start`, and Delta from jars of the user's own."""

import shutil
from pathlib import Path

import pytest

from deltaadm.spark.jars import fetched_jars
from tests.support.program import deltaadm, process
from tests.support.tables import START_BODY, table


@pytest.mark.usefixtures("spark")
def test_delta_answers() -> None:
    done = deltaadm("doctor", "--start")
    assert done.code == 0
    assert "and Delta answers" in done.out


@pytest.mark.usefixtures("spark")  # which has fetched the jars
def test_delta_from_a_directory(tmp_path: Path) -> None:
    jars = tmp_path / "jars"
    jars.mkdir()
    for one in fetched_jars():
        if "io.delta_" in one:
            shutil.copy(one, jars)
    made = table(tmp_path / "table", START_BODY)
    done = process(
        *("alter", made.path, "--set", "a=b", "--apply", "--yes", "--jars", jars),
        *("--spark-conf", f"spark.jars.ivy={tmp_path / 'empty'}"),
    )
    assert (done.code, done.err.count("error")) == (0, 0)
    assert "Version 1 was committed" in done.out
    assert not (tmp_path / "empty").exists()
