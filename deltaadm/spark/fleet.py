"""Many tables as one Spark job: what one process would do with a table, executors do with all."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from deltaadm.errors import EngineError
from deltaadm.spark.errors import error_text, is_outage, lost, sentence
from deltaadm.spark.session import wait_for_releases
from deltaadm.spark.store import java_errors
from deltaadm.spark.workers import require_able

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Answer = TypeVar("Answer")
    Work = Callable[[Sequence[tuple[str, str]]], Iterable[Answer]]


def answered(
    work: Callable[[Sequence[tuple[str, str]]], Iterable[object]], batches: Iterable[Any]
) -> Iterator[Any]:
    """The batches of answers, pickled, for *batches* of numbered tables with their locations."""
    for batch in batches:
        numbers, tables, locations = (column.to_pylist() for column in batch.columns)
        results = work(list(zip(tables, locations, strict=True)))
        answers = {"number": numbers, "answer": [pickle.dumps(answer) for answer in results]}
        yield type(batch).from_pydict(answers)


_TABLES_PER_TASK: Final = 16


class Executors:
    """The executors of a session, classic or on Spark Connect."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def in_order(
        self,
        tables: Mapping[str, str],
        work: Work[Answer],
        *,
        lost: Callable[[str, str], Answer],
    ) -> Iterator[Answer]:
        """
        The answer for the name and the location of each table, in order.

        *work* answers for a few tables at a time. Answers come job by job, so that a bounded number
        of them is kept. *lost* answers for a table on which an executor was lost, or of which Spark
        says something else, its second argument. Raises `EngineError` where executors cannot run
        deltaadm at all.
        """
        slots = 16  # as assumed of a Connect server, which does not tell how many cores there are
        if hasattr(self.session, "_jvm"):
            slots = int(self.session.sparkContext.defaultParallelism)
        tasks = slots * 4
        share = tasks * _TABLES_PER_TASK
        rest = list(tables.items())
        for start in range(0, len(rest), share):
            yield from _answers(self.session, rest[start : start + share], tasks, work, lost)


def _answers(
    session: SparkSession,
    tables: Sequence[tuple[str, str]],
    tasks: int,
    work: Work[Answer],
    lost_table: Callable[[str, str], Answer],
) -> list[Answer]:
    """One job; where it fails, bisection finds the tables that fail."""
    try:
        return _collected(session, tables, tasks, work)
    except java_errors() as error:
        require_able(error)
        if is_outage(error):
            raise lost(error) from error
        text = error_text(error)
        if "PYTHON_EXCEPTION" in text:  # which *work* would raise anywhere
            raise
        if len(tables) == 1:
            said = "" if any(mark in text for mark in _LOST) else sentence(text)[0]
            return [lost_table(tables[0][0], said)]
    # A lost executor names no table: only runs of fewer tables tell which it was.
    half = len(tables) // 2
    parts = tables[:half], tables[half:]
    return [result for part in parts for result in _answers(session, part, tasks, work, lost_table)]


_LOST: Final = ("exited unexpectedly", "ExecutorLost", "OutOfMemory", "Connection reset")
"""What Spark says when an executor, or its Python, is gone."""


def _collected(
    session: SparkSession, tables: Sequence[tuple[str, str]], tasks: int, work: Work[Answer]
) -> list[Answer]:
    numbered = session.createDataFrame(
        [(number, *table) for number, table in enumerate(tables)],
        "number long, table string, location string",
    )
    parts = numbered.repartition(min(tasks, len(tables)))
    answers = parts.mapInArrow(partial(answered, work), "number long, answer binary")
    try:
        rows = answers.collect()
    finally:
        wait_for_releases(session)
    # The shuffle has lost the order.
    ordered = sorted(rows, key=lambda row: row["number"])
    return [_Unpickler(io.BytesIO(row["answer"])).load() for row in ordered]


class _Unpickler(pickle.Unpickler):
    """Makes values of deltaadm and of Python, and calls nothing else: the bytes come from afar."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        ours = module.startswith("deltaadm.")
        attribute: Any = super().find_class(module, name) if ours else None
        # What is in there touches nothing outside, whatever it is called with.
        harmless = isinstance(attribute, type) or module.startswith("deltaadm.domain.")
        if not harmless or (attribute.__module__, attribute.__qualname__) != (module, name):
            raise EngineError(
                f"Spark's executors answered with {module}.{name}, which is not a result.",
                remedy="Omit --engine spark.",
            )
        return attribute


_PLAIN: Final = frozenset({
    ("builtins", "frozenset"), ("builtins", "set"), ("builtins", "range"), ("builtins", "complex"),
    ("collections", "OrderedDict"), ("datetime", "date"), ("datetime", "datetime"),
    ("datetime", "timedelta"), ("datetime", "timezone"), ("decimal", "Decimal"),
})  # fmt: skip
