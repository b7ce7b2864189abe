"""Work on many tables at once: processes, or threads where processes cannot be forked safely."""

from __future__ import annotations

import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from math import inf
from time import process_time
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from deltaadm.replay.reconcile import can_fork, processors
from deltaadm.runs.progress import Progress
from deltaadm.storage.threads import Pending, Threads

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


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
    has more at the same time. However long one table takes and however slowly answers are taken,
    only a bounded number of them is kept. *lost* answers for a table whose process was killed. When
    the iteration is given up, work stops at once. *progress* is shown while it goes on.
    """
    if jobs is None and waiting:
        jobs = WAITING_JOBS
    if jobs is None:
        jobs = processors() if len(tables) >= threshold else 1
    jobs = min(jobs, len(tables))
    forks = jobs > 1 and can_fork() and not waiting
    with nullcontext() if progress is None else progress.shown(by_itself=not forks):
        if forks:
            yield from _from_processes(tables, answer, lost, jobs, progress)
        elif jobs > 1:
            yield from _from_threads(tables, answer, jobs)
        else:
            yield from map(answer, tables)


def _from_threads(
    tables: Sequence[str], answer: Callable[[str], Result], jobs: int
) -> Iterator[Result]:
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


def patiently(
    tables: Iterable[str],
    answer: Callable[[str], Result],
    *,
    hanging: Callable[[str], Result],
    patience: float = 300,
) -> Iterator[Result]:
    """
    The *answer* for each table, one after the other; that of *hanging* for one that hangs.

    That is one on which this process does nothing for *patience* seconds, as where a file system
    does not respond: its thread is left behind.
    """
    threads = Threads(1)
    for table in tables:
        pending = threads.submit(partial(answer, table))
        used = -inf
        while True:
            before, used = used, process_time()
            if used - before < patience * _NOTHING:
                threads = Threads(1)
                yield hanging(table)
                break
            with suppress(TimeoutError):
                yield pending.result(patience)
                break
    threads.close()


_NOTHING: Final = 0.001
"""The part of the time for which a processor is used by waiting alone, at most."""


# Processes


_LARGEST_SHARE: Final = 16
"""Tables that a worker is given at a time, at most."""

_SHARES_AHEAD: Final = 8
"""The number of shares by which a worker's results may be ahead of a slow table."""

_OFTEN: Final = 0.2
"""Seconds between two updates of the progress."""


class _Worker(Generic[Result]):
    """A forked process, and the numbers of the tables that it still owes answers for."""

    def __init__(
        self, tables: Sequence[str], answer: Callable[[str], Result], others: Sequence[Connection]
    ) -> None:
        from multiprocessing import get_context  # which a few tables do without

        fork = get_context("fork")
        self.pipe, theirs = fork.Pipe()
        self.owed: deque[int] = deque()
        work = (tables, answer, theirs, (self.pipe, *others))
        self._process = fork.Process(target=_serve, args=work, daemon=True)
        self._process.start()
        theirs.close()

    def give(self, numbers: Sequence[int]) -> None:
        """Have it answer for more tables."""
        with suppress(OSError):  # its end is found when the answer is asked for
            self.pipe.send(numbers)
        self.owed.extend(numbers)

    def received(self) -> tuple[Result] | None:
        """The next answer, or None if the process has ended; raises what the answer raised."""
        try:
            result, error = self.pipe.recv()
        except (EOFError, OSError):
            return None
        if error is not None:
            raise error
        return (result,)

    def stop(self) -> None:
        """End it, whatever it does."""
        # Killed at once: what it works on is a table of its own, and its answer is not wanted.
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(
    tables: Sequence[str],
    answer: Callable[[str], object],
    pipe: Connection,
    ours: Iterable[Connection],
) -> None:
    """
    Answer for the tables whose numbers come through *pipe*, until nobody is at the other end.

    *ours* are the parent's ends of all pipes, which have come along.
    """
    # A pipe ends for its reader only once nobody holds the end that writes.
    for end in ours:
        end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(EOFError, OSError):
        while True:
            for number in pipe.recv():
                outcome: tuple[object, Exception | None]
                try:
                    outcome = answer(tables[number]), None
                except Exception as error:  # noqa: BLE001 -- raised again in the parent
                    outcome = None, error
                pipe.send(outcome)


def _from_processes(
    tables: Sequence[str],
    answer: Callable[[str], Result],
    lost: Callable[[str], Result],
    jobs: int,
    progress: Progress | None,
) -> Iterator[Result]:
    sys.stdout.flush()  # or each process would write what is still in its copy of the buffer
    share = max(1, min(_LARGEST_SHARE, len(tables) // (4 * jobs)))
    # Answers behind a slow table wait in memory, so their number is limited.
    window = jobs * share * _SHARES_AHEAD
    workers: list[_Worker[Result]] = []

    def start() -> _Worker[Result]:
        workers.append(_Worker(tables, answer, [other.pipe for other in workers]))
        return workers[-1]

    done: dict[int, Result] = {}
    handed_out = due = 0
    try:
        for _ in range(jobs):
            start()
        while due < len(tables):
            for worker in workers:
                if not worker.owed and handed_out - due < window:
                    numbers = range(handed_out, min(handed_out + share, len(tables)))
                    worker.give(numbers)
                    handed_out = numbers.stop
            for worker in _answered(workers, progress):
                received = worker.received()
                number = worker.owed.popleft()
                if received is not None:
                    [done[number]] = received
                    continue
                done[number] = lost(tables[number])
                workers.remove(worker)
                worker.stop()
                # The table it was killed on is lost; a new process answers for the others.
                start().give(list(worker.owed))
            while due in done:
                yield done.pop(due)
                due += 1
    finally:
        for worker in workers:
            worker.stop()


def _answered(
    workers: Sequence[_Worker[Result]], progress: Progress | None
) -> list[_Worker[Result]]:
    """The workers with an answer, if there is one before long; the progress is shown."""
    from multiprocessing.connection import wait

    if progress is not None:
        progress.tick()
    # With a limit: a signal just before the wait does not end it.
    ready = wait([worker.pipe for worker in workers if worker.owed], _OFTEN)
    return [worker for worker in workers if worker.pipe in ready]
