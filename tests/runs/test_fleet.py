"""The result for one table of many, worked out here or in another process."""

from pathlib import Path
from typing import Any

import pytest

from deltaadm.cli.program import run
from deltaadm.dataclass import replace
from deltaadm.runs import fleet, many_plans
from deltaadm.runs.fleet import TableResult, TableTask
from tests.support import tables


@pytest.mark.parametrize("command", [
    pytest.param("inspect TABLE --brief", id="report"),
    pytest.param("alter TABLE --brief --set a=b", id="plan"),
    pytest.param("drop-feature TABLE --brief", id="features"),
])  # fmt: skip
def test_a_pickled_task_gives_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """As Spark's executors get it, which have no session, and are told where the table is."""
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    place = str(tables.table(tmp_path / "table", tables.START_BODY).path)
    found: list[TableResult] = []

    results_of = fleet.table_results

    def also_pickled(task: TableTask) -> Any:
        session: Any = iter(())  # which cannot be pickled, as sessions cannot
        context = replace(task.context, hadoop=session, engine=session)
        pickled = cloudpickle.dumps(replace(task, context=context).run)
        found.extend((task.run(place), cloudpickle.loads(pickled)(place, place)))
        return results_of(task)

    for module in (fleet, many_plans):
        monkeypatch.setattr(module, "table_results", also_pickled)
    assert run([place if word == "TABLE" else word for word in command.split()]) == 0
    here, there = found
    assert here.line == there.line
    assert here.code == there.code == 0
