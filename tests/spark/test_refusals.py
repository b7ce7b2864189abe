"""The recorded answers to statements with two faults, and to odd ones, asked for again."""

from pathlib import Path

import pytest

from deltaadm.domain.steps import Step
from deltaadm.errors import DeltaadmError
from deltaadm.spark.executor import SparkExecutor
from tests.support.refusals import LEFT_TO_SPARK, ROWS

RECORDED = (*ROWS, *LEFT_TO_SPARK)


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("steps", "error_class"), [row[1:] for row in RECORDED], ids=[row[0] for row in RECORDED]
)
def test_delta_answers_as_recorded(
    executor: SparkExecutor, tmp_path: Path, steps: tuple[Step, ...], error_class: str | None
) -> None:
    root = str(tmp_path / "table")
    for step in steps[:-1]:
        executor.apply(root, step)
    answer = None
    try:
        executor.apply(root, steps[-1])
    except DeltaadmError as error:
        answer = error.delta_error_class or ""
    assert answer == error_class
