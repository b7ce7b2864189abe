"""Many tables as one Spark job: what one process would do with a table, executors do with all."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Final, TypeVar

from deltaadm.spark.errors import error_text
from deltaadm.spark.store import java_errors
from deltaadm.spark.workers import require_able

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    Answer = TypeVar("Answer")

_TABLES_PER_TASK: Final = 16
_TASKS_PER_SLOT: Final = 4


def in_order(
    session: SparkSession,
    tables: Mapping[str, str],
    answer: Callable[[str, str], Answer],
    *,
    lost: Callable[[str], Answer],
) -> Iterator[Answer]:
    """
    The *answer* for the name and the location of each table, worked out by executors, in order.

    Answers come job by job, so that a bounded number of them is kept. *lost* answers for a table
    on which an executor was lost. Raises `EngineError` where executors cannot run
    deltaadm at all.
    """
    tasks = _slots(session) * _TASKS_PER_SLOT
    share = tasks * _TABLES_PER_TASK
    rest = list(tables.items())
    for start in range(0, len(rest), share):
        yield from _answers(session, rest[start : start + share], tasks, answer, lost)


def _slots(session: SparkSession) -> int:
    """How many tasks run at the same time, as far as Spark says."""
    context = getattr(session, "sparkContext", None)
    return 1 if context is None else int(context.defaultParallelism)


def _answers(
    session: SparkSession,
    tables: Sequence[tuple[str, str]],
    tasks: int,
    answer: Callable[[str, str], Answer],
    lost: Callable[[str], Answer],
) -> list[Answer]:
    """One job; where it fails, bisection finds the tables that fail."""
    try:
        return _collected(session, tables, tasks, answer)
    except java_errors() as error:
        require_able(error)
        if "PYTHON_EXCEPTION" in error_text(error):  # which *answer* would raise anywhere
            raise
        if len(tables) == 1:
            return [lost(tables[0][0])]
    half = len(tables) // 2
    parts = tables[:half], tables[half:]
    return [result for part in parts for result in _answers(session, part, tasks, answer, lost)]


def _collected(
    session: SparkSession,
    tables: Sequence[tuple[str, str]],
    tasks: int,
    answer: Callable[[str, str], Answer],
) -> list[Answer]:
    from pyspark.sql import functions as fn

    def pickled(table: str, location: str) -> bytes:
        return pickle.dumps(answer(table, location))

    numbered = session.createDataFrame(
        [(number, *table) for number, table in enumerate(tables)],
        "number int, table string, location string",
    )
    work = fn.udf(pickled, "binary", useArrow=False)
    rows = (
        numbered.repartition(min(tasks, len(tables)))
        .select("number", work("table", "location").alias("answer"))
        .collect()
    )
    ordered = sorted(rows, key=lambda row: row["number"])
    return [pickle.loads(row["answer"]) for row in ordered]  # noqa: S301 -- of our own making
