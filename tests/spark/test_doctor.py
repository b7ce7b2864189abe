"""`doctor --start` where Spark runs already."""

import pytest

from tests.support.program import deltaadm


@pytest.mark.usefixtures("spark")
def test_delta_answers() -> None:
    done = deltaadm("doctor", "--start")
    assert done.code == 0
    assert "and Delta responds" in done.out
