"""Work on many tables at once: processes, or threads where processes cannot be forked safely."""

from __future__ import annotations

import sys
import typing
from collections import deque
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from deltaadm.replay.scan import can_fork, processors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext

    from deltaadm.runs.progress import Progress

Result = TypeVar("Result")

PARALLEL_THRESHOLD: Final = 64
"""From so many tables on, starting processes pays where each table takes a millisecond."""

WAITING_JOBS: Final = 16
"""Tables at the same time where the work is to wait for a store."""

_LARGEST_SHARE: Final = 16
"""Tables that a worker is given at a time, at most."""

_SHARES_AHEAD: Final = 8
"""How many shares a worker's answers may be ahead of a table that takes long."""


_OFTEN: Final = 0.2
"""So many seconds pass until the progress is shown anew."""


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
            tick = progress.tick if progress else None
            yield from _from_processes(tables, answer, lost, jobs, tick)
        elif jobs > 1:
            yield from _from_threads(tables, answer, jobs)
        else:
            yield from map(answer, tables)


# Processes


class _Worker(Generic[Result]):
    """A forked process, and the numbers of the tables that it still owes answers for."""

    def __init__(
        self,
        context: ForkContext,
        answer: Callable[[str], Result],
        others: Iterable[Connection],
    ) -> None:
        self.pipe, theirs = context.Pipe()
        ours = (self.pipe, *others)
        self.process = context.Process(target=_serve, args=(theirs, answer, ours), daemon=True)
        self.process.start()
        theirs.close()
        self.owed: deque[int] = deque()

    def give(self, numbers: Sequence[int], tables: Sequence[str]) -> None:
        with suppress(BrokenPipeError):  # its end is found when the answer is asked for
            self.pipe.send([tables[number] for number in numbers])
        self.owed.extend(numbers)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _from_processes(
    tables: Sequence[str],
    answer: Callable[[str], Result],
    lost: Callable[[str], Result],
    jobs: int,
    tick: Callable[[], None] | None,
) -> Iterator[Result]:
    from multiprocessing import get_context

    sys.stdout.flush()  # or each process would write what is still in its copy of the buffer
    context = get_context("fork")  # what *answer* refers to need not be pickled, nor imported again
    share = max(1, min(_LARGEST_SHARE, len(tables) // (4 * jobs)))
    window = jobs * share * _SHARES_AHEAD
    workers: dict[Connection, _Worker[Result]] = {}

    def start() -> _Worker[Result]:
        worker = _Worker(context, answer, workers)
        workers[worker.pipe] = worker
        return worker

    done: dict[int, Result] = {}
    given = due = 0
    try:
        for _ in range(jobs):
            start()
        while due < len(tables):
            for worker in workers.values():
                if not worker.owed and given - due < window:
                    numbers = range(given, min(given + share, len(tables)))
                    worker.give(numbers, tables)
                    given = numbers.stop
            for pipe in _answered(workers.values(), tick):
                worker = workers[typing.cast("Connection", pipe)]
                number = worker.owed.popleft()
                try:
                    done[number] = _received(worker)
                except (EOFError, OSError):
                    done[number] = lost(tables[number])
                    del workers[worker.pipe]
                    worker.stop()
                    start().give(list(worker.owed), tables)
            while due in done:
                yield done.pop(due)
                due += 1
    finally:
        for worker in workers.values():
            worker.stop()


def _answered(
    workers: Iterable[_Worker[Result]], tick: Callable[[], None] | None
) -> Sequence[object]:
    """The pipes in which there is an answer, if one comes before it is time to *tick*."""
    from multiprocessing.connection import wait

    if tick is not None:
        tick()
    owing = [worker.pipe for worker in workers if worker.owed]
    return wait(owing, None if tick is None else _OFTEN)


def _received(worker: _Worker[Result]) -> Result:
    outcome: tuple[Result, Exception | None] = worker.pipe.recv()
    found, error = outcome
    if error is not None:
        raise error
    return found


def _serve(pipe: Connection, answer: Callable[[str], object], ours: Iterable[Connection]) -> None:
    """
    Answer what comes through *pipe*, until nobody is at the other end.

    *ours* are the parent's ends, which have come along: none may outlive the parent here.
    """
    import signal

    for end in ours:
        end.close()

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(EOFError, BrokenPipeError):
        while True:
            for table in pipe.recv():
                pipe.send(_outcome(answer, table))


def _outcome(
    answer: Callable[[str], object], table: str
) -> tuple[object, None] | tuple[None, Exception]:
    try:
        return answer(table), None
    except Exception as error:  # noqa: BLE001 -- it is raised again in the parent
        return None, error


# Threads


def _from_threads(
    tables: Sequence[str], answer: Callable[[str], Result], jobs: int
) -> Iterator[Result]:
    from deltaadm.storage.threads import Pending, Threads

    threads = Threads(jobs)
    pending: deque[Pending[Result]] = deque()
    given_up = False

    def answer_unless_given_up(table: str) -> Result:
        if given_up:
            raise InterruptedError
        return answer(table)

    try:
        for table in tables:
            pending.append(threads.submit(partial(answer_unless_given_up, table)))
            if len(pending) >= jobs * _SHARES_AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        given_up = True
        threads.close()
