"""Columns, constraints and clustering: Delta commits or refuses what is predicted."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm import Detail, Snapshot, evolve, load_snapshot, open_store
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    Step,
    read_step,
)
from deltaadm.errors import CommitError, DeltaadmError
from deltaadm.plans.diff import diff, mismatches
from deltaadm.spark.executor import SparkExecutor
from tests.support import oracle
from tests.support.cases import sampled
from tests.support.provenance import versions_made_by
from tests.support.rows import grouped, rows_of
from tests.support.statements import step_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


VIOLATION = "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"


def carry_out(executor: SparkExecutor, path: Path, step: Step) -> Snapshot:
    """Predict *step*, carry it out, and hold one against the other; the state afterwards."""
    store = open_store(str(path))
    before = load_snapshot(store, detail=Detail.STATE)
    predicted: Snapshot | str | None
    try:
        predicted = evolve(before, step)
    except DeltaadmError as error:
        predicted = error.delta_error_class
    refused: object = False
    try:
        executor.apply(str(path), step)
    except CommitError as error:
        refused = error.delta_error_class
    after = load_snapshot(store, detail=Detail.STATE)
    if isinstance(predicted, Snapshot):
        assert refused is False, f"{step}: predicted a commit; Delta refused with {refused}"
        assert mismatches(predicted, after) == (), step
        made = versions_made_by(store, before.version + 1, after.version, step)
        assert made == tuple(range(before.version + 1, after.version + 1)), step
        assert not diff(before, after) or len(made) == 1, step
    else:
        assert refused == predicted, step
        assert after.version == before.version
    return after


TABLES = rows_of(__file__, "TABLES")
STEPS = grouped(__file__, "STEPS")


IN_MATRIX = {"added columns", "widened columns", "clustering"}
"""Most of what Delta says to these is recorded, and compared in `tests/domain`."""


@pytest.mark.parametrize("name", sampled((name, name not in IN_MATRIX, name) for name in TABLES))
def test_changes_and_refusals_are_predicted(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path, name: str
) -> None:
    (columns,) = TABLES[name]
    table, _, rest = columns.partition(") ")
    spark.sql(f"CREATE TABLE delta.`{tmp_path}` {table}{')' if rest else ''} USING delta {rest}")
    for step in map(read_step, STEPS[name]):
        carry_out(executor, tmp_path, step)


def test_a_constraint_that_rows_violate_is_refused(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path
) -> None:
    spark.sql(f"CREATE TABLE delta.`{tmp_path}` USING delta AS SELECT 1 AS a UNION SELECT null")
    step = AddConstraint("positive", "a > 0")
    before = load_snapshot(open_store(str(tmp_path)))
    assert evolve(before, step).metadata.configuration["delta.constraints.positive"] == "a > 0"
    with pytest.raises(CommitError) as caught:
        executor.apply(str(tmp_path), step)
    assert caught.value.delta_error_class == VIOLATION
    carry_out(executor, tmp_path, AddConstraint("any", "a > 0 or a is null"))


def _recorded() -> Iterator[oracle.Case]:
    """The recorded cases that only change columns, constraints or clustering."""
    kinds = (AddColumns, AddConstraint, ChangeColumns, ClusterBy)
    for case in oracle.cases("e2e"):
        steps = [step_of(operation) for operation in case["ops"]]
        if all(steps) and any(isinstance(step, kinds) for step in steps):
            yield case


RECORDED = list(_recorded())


@pytest.mark.matrix
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in RECORDED])
def test_recorded_cases_are_committed_again(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path, case: oracle.Case
) -> None:
    steps = [step_of(operation) for operation in case["ops"]]
    if case["start"]["kind"] == "sql" and any(isinstance(step, AddConstraint) for step in steps):
        for operation in case["start"]["ops"]:  # the rows will be read
            spark.sql(operation["sql"].replace("{table}", f"delta.`{tmp_path}`"))
    else:
        oracle.write_log(case["start"]["files"], tmp_path)
    for step, recorded in zip(steps, case["expected"]["ops"], strict=False):
        assert step is not None
        if recorded["ok"] or recorded["error"]["errorClass"] != VIOLATION:
            carry_out(executor, tmp_path, step)
            continue
        with pytest.raises(CommitError) as caught:
            executor.apply(str(tmp_path), step)
        assert caught.value.delta_error_class == VIOLATION
