"""The result for one table of many, worked out here or in another process."""

from pathlib import Path
from typing import Any

import pytest

from deltaadm.cli.program import run
from deltaadm.dataclass import replace
from deltaadm.runs import fleet, many_plans
from deltaadm.runs.fleet import TableResult, TableTask, advice_on_spark
from deltaadm.runs.target import Target
from tests.support import tables
from tests.support.program import deltaadm
from tests.support.rows import with_rows


@with_rows
def test_a_pickled_task_gives_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """As Spark's executors get it, which have no session, and are told where the table is."""
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    place = str(tables.table(tmp_path / "table", tables.START_BODY).path)
    found: list[TableResult] = []

    results_of = fleet.table_results

    def also_pickled(task: TableTask, **chosen: Any) -> Any:
        session: Any = iter(())  # which cannot be pickled, as sessions cannot
        context = replace(task.context, hadoop=session, engine=session)
        pickled = cloudpickle.dumps(replace(task, context=context).run)
        found.extend((task.run(place), cloudpickle.loads(pickled)(place, Target(place, place))))
        return results_of(task, **chosen)

    for module in (fleet, many_plans):
        monkeypatch.setattr(module, "table_results", also_pickled)
    assert run([place if word == "TABLE" else word for word in command.split()]) == 0
    here, there = found
    assert here.line == there.line
    assert here.code == there.code == 0


@with_rows
def test_spark_is_advised_where_it_saves_minutes(
    done: int, total: int, seconds: float, at_once: int, said: str
) -> None:
    advice = advice_on_spark(done, total, seconds, at_once)
    assert said in advice
    assert bool(said) == bool(advice)


@pytest.mark.parametrize("command", ["inspect", "validate", "repair"])
def test_a_run_says_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    for name in "abc":
        tables.table(tmp_path / name, tables.START_BODY)
    monkeypatch.setattr(fleet, "_SAMPLE", 0)
    monkeypatch.setattr(fleet, "advice_on_spark", lambda *_: "Spark is faster.")
    run = deltaadm(command, "--discover", tmp_path, "-o", "jsonl")
    assert run.err.count("Spark is faster.") == (command != "repair"), run
    assert len(run.lines) == 3
