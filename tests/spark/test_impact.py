"""What steps do to programs that work meanwhile: all that is recorded, tried again."""

import json
import subprocess
import sys

import pytest

from tests.support.cases import ONLY
from tests.support.oracle import REPOSITORY
from tools.record_impact import recorded


@pytest.mark.matrix
def test_spark_answers_as_recorded(
    request: pytest.FixtureRequest, subtests: pytest.Subtests
) -> None:
    rows = recorded()
    names = [name for name in rows if request.config.stash[ONLY] in name]
    command = [sys.executable, "-m", "tools.record_impact", *names]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["step"] for row in found] == names
    for row in found:
        name = row["step"]
        with subtests.test(name):
            assert {work: row[work] for work in rows[name]} == rows[name]
