"""Work on many tables at once: processes, or threads where processes cannot be forked safely."""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from deltaadm.replay.scan import can_fork, processors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deltaadm.runs.progress import Progress

Result = TypeVar("Result")

PARALLEL_THRESHOLD: Final = 64
"""The number of tables from which starting processes pays where each takes a millisecond."""

WAITING_JOBS: Final = 16
"""Tables at the same time where the work is to wait for a store."""

_AHEAD: Final = 8
"""The number of results of each thread that may wait for a slow table."""


def in_order(
    tables: Sequence[str],
    answer: Callable[[str], Result],
    *,
    lost: Callable[[str], Result],
    jobs: int | None = None,
    threshold: int = PARALLEL_THRESHOLD,
    waiting: bool = False,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """
    The *answer* for each table, in the order of the tables.

    Answers must be something that can be pickled. *jobs* work at the same time: if None, as many
    as there are processors, from *threshold* tables on; work that is mostly *waiting* for others
    has more at the same time. However long one table takes and
    however slowly answers are taken, only a bounded number of them is kept. *lost* answers for a
    table whose process was killed. When the iteration is given up, work stops at once. *progress*
    is shown while it goes on.
    """
    if jobs is None and waiting:
        jobs = WAITING_JOBS
    if jobs is None:
        jobs = processors() if len(tables) >= threshold else 1
    jobs = min(jobs, len(tables))
    forks = jobs > 1 and can_fork() and not waiting
    with nullcontext() if progress is None else progress.shown(by_itself=not forks):
        if forks:
            from deltaadm.runs.processes import from_processes

            tick = progress.tick if progress else None
            yield from from_processes(tables, answer, lost, jobs, tick)
        elif jobs > 1:
            yield from _from_threads(tables, answer, jobs)
        else:
            yield from map(answer, tables)


def _from_threads(
    tables: Sequence[str], answer: Callable[[str], Result], jobs: int
) -> Iterator[Result]:
    from deltaadm.storage.threads import Pending, Threads

    threads = Threads(jobs)
    pending: deque[Pending[Result]] = deque()
    given_up = False

    def answer_unless_given_up(table: str) -> Result:
        if given_up:
            # Threads cannot be ended from outside: works that have not begun end here.
            raise InterruptedError
        return answer(table)

    try:
        for table in tables:
            pending.append(threads.submit(partial(answer_unless_given_up, table)))
            if len(pending) >= jobs * _AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        given_up = True
        threads.close()
