"""What steps do to programs that work meanwhile: all that is recorded, tried again."""

import json
import subprocess
import sys

import pytest

from tests.support.cases import ONLY
from tests.support.oracle import REPOSITORY
from tools.record_impact import CASES, recorded


@pytest.mark.matrix
def test_spark_answers_as_recorded(
    request: pytest.FixtureRequest, subtests: pytest.Subtests
) -> None:
    names = [name for name in CASES if request.config.stash[ONLY] in name]
    command = [sys.executable, "-m", "tools.record_impact", *names]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["step"] for row in rows] == names
    for row in rows:
        name = row.pop("step")
        with subtests.test(name):
            assert row == recorded()[name]
