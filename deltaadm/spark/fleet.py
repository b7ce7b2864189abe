"""Many tables as one Spark job: what one process would do with a table, executors do with all."""

from __future__ import annotations

import gc
import pickle
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

from deltaadm.errors import EngineError
from deltaadm.spark.errors import error_text, is_outage, lost, sentence
from deltaadm.spark.session import wait_for_releases
from deltaadm.spark.store import java_errors
from deltaadm.spark.workers import require_able
from deltaadm.storage.threads import Threads

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Place = TypeVar("Place")
    Answer = TypeVar("Answer")
    Share = Sequence[tuple[str, Place]]
    Work = Callable[[Share[Place]], Iterable[Answer]]


def answered(
    work: Work[Place, object], shares: Sequence[Share[Place]], batches: Iterable[Any]
) -> Iterator[Any]:
    """The answers for those of the *shares* whose numbers are in *batches*, packed."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            packed = zlib.compress(pickle.dumps(list(work(shares[number]))), 1)
            # Spark's workers collect garbage after each task, and most of what there is are
            # modules.
            if not gc.get_freeze_count():
                gc.freeze()
            yield type(batch).from_pydict({"number": [number], "answers": [packed]})


_SHARE: Final = 128
"""Tables for a task at most: starting one costs as much as some tables."""

_LAST_SHARE: Final = 4
"""The same towards the end of a run, so that executors have all done at about the same time."""

_JOBS: Final = 16
"""Jobs at the same time, at most: where there are more processors, each has several tasks."""

_AHEAD: Final = 20_000
"""Tables whose answers may wait for a slow one: of `inspect` about 20 MB."""


class Executors:
    """The executors of a session, classic or on Spark Connect."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def in_order(
        self,
        tables: Share[Place],
        work: Work[Place, Answer],
        *,
        lost: Callable[[str, str], Answer],
    ) -> Iterator[Answer]:
        """
        The answer for the name and the place of each table, in order.

        *work* answers for a few tables at a time, in jobs of which several run at once. However
        long one table takes, a bounded number of answers is kept. *lost* answers for a table on
        which an executor was lost, or of which Spark says something else, its second argument.
        Raises `EngineError` where executors cannot run deltaadm at all.
        """
        slots = 16  # as assumed of a Connect server, which does not tell how many cores there are
        if hasattr(self.session, "_jvm"):
            slots = int(self.session.sparkContext.defaultParallelism)
        tasks = -(-slots // _JOBS)
        jobs = -(-slots // tasks) + 1  # one more, whose tasks are ready when those of another end
        threads, given_up = Threads(jobs), False

        def run(shares: Sequence[Share[Place]]) -> list[bytes]:
            return [] if given_up else _collected(self.session, shares, work)

        pending: deque[tuple[Share[Place], Callable[[], list[bytes]]]] = deque()
        try:
            for shares in _dealt(tables, slots, tasks):
                result = threads.submit(partial(run, shares)).result
                pending.append((list(chain(*shares)), result))
                if len(pending) > max(jobs, _AHEAD // (tasks * _SHARE)):
                    yield from _answers(*pending.popleft(), run, lost)
            while pending:
                yield from _answers(*pending.popleft(), run, lost)
        finally:
            given_up = True
            threads.close()
            wait_for_releases(self.session)


def _dealt(tables: Share[Place], slots: int, tasks: int) -> Iterator[list[Share[Place]]]:
    """The tables by task and by job; shares become smaller towards the end."""
    start, least = 0, max(1, min(_LAST_SHARE, len(tables) // slots))
    while start < len(tables):
        size = max(least, min(_SHARE, (len(tables) - start) // (2 * slots)))
        stop = min(start + size * tasks, len(tables))
        yield [tables[at : min(at + size, stop)] for at in range(start, stop, size)]
        start = stop


def _answers(
    tables: Share[Place],
    result: Callable[[], list[bytes]],
    run: Callable[[Sequence[Share[Place]]], list[bytes]],
    lost_table: Callable[[str, str], Answer],
) -> Iterator[Answer]:
    """The *result* of a job; where it fails, bisection finds the tables that fail."""
    try:
        packed = result()
    except java_errors() as error:
        require_able(error)
        if is_outage(error):
            raise lost(error) from error
        text = error_text(error)
        if "PYTHON_EXCEPTION" in text:  # which *work* would raise anywhere
            raise
        if len(tables) == 1:
            said = "" if any(mark in text for mark in _LOST) else sentence(text)[0]
            yield lost_table(tables[0][0], said)
            return
        # A lost executor names no table: only runs of fewer tables tell which it was.
        half = len(tables) // 2
        for part in (tables[:half], tables[half:]):
            yield from _answers(part, partial(run, [part]), run, lost_table)
        return
    for answers in packed:
        yield from unpickled(zlib.decompress(answers))


_LOST: Final = ("exited unexpectedly", "ExecutorLost", "OutOfMemory", "Connection reset")
"""What Spark says when an executor, or its Python, is gone."""


def _collected(
    session: SparkSession, shares: Sequence[Share[Place]], work: Work[Place, Any]
) -> list[bytes]:
    """One job with a task for each of the *shares*, and what came of them."""
    numbers = session.range(0, len(shares), 1, len(shares))
    # Shares go with the code, not into rows: plans and pages of Spark show those.
    job = numbers.mapInArrow(partial(answered, work, shares), "number long, answers binary")
    return [bytes(row["answers"]) for row in sorted(job.collect(), key=lambda row: row["number"])]


def unpickled(answer: bytes) -> Any:
    """The value that an executor answers."""
    return _Unpickler(BytesIO(answer)).load()


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
    ("array", "_array_reconstructor"), ("array", "array"),
    ("builtins", "frozenset"), ("builtins", "set"), ("builtins", "range"), ("builtins", "complex"),
    ("collections", "OrderedDict"), ("datetime", "date"), ("datetime", "datetime"),
    ("datetime", "timedelta"), ("datetime", "timezone"), ("decimal", "Decimal"),
})  # fmt: skip
