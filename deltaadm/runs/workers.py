"""Work on many tables at once: processes, or threads where processes cannot be forked safely."""

from __future__ import annotations

import os
import pickle  # between copies of this process
import select
import signal
import sys
from collections import deque
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from deltaadm.replay.reconcile import can_fork, processors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Never

    from deltaadm.runs.progress import Progress


# Processes


Result = TypeVar("Result")

_LARGEST_SHARE: Final = 16
"""Tables that a worker is given at a time, at most."""

_SHARES_AHEAD: Final = 8
"""The number of shares by which a worker's results may be ahead of a slow table."""

_OFTEN: Final = 0.2
"""Seconds between two updates of the progress."""


class _Worker(Generic[Result]):
    """
    A forked process, and the numbers of the tables that it still owes answers for.

    *others* are still there; none of their pipes may be held open by this one.
    """

    def __init__(
        self,
        tables: Sequence[str],
        answer: Callable[[str], Result],
        others: Iterable[_Worker[Result]],
    ) -> None:
        orders, self._orders = os.pipe()
        self.answers, answers = os.pipe()
        self.ends = (self._orders, self.answers)
        ours = (*self.ends, *(end for other in others for end in other.ends))
        self._process = os.fork()
        if not self._process:
            _serve(tables, answer, orders, answers, ours)
        os.close(orders)
        os.close(answers)
        self.owed: deque[int] = deque()
        self._received = bytearray()

    def give(self, numbers: Sequence[int]) -> None:
        """Have it answer for more tables."""
        orders = b"".join(number.to_bytes(_NUMBER) for number in numbers)
        with suppress(BrokenPipeError):  # its end is found when the answer is asked for
            os.write(self._orders, orders)
        self.owed.extend(numbers)

    def received(self) -> Iterator[tuple[int, Result]]:
        """The answers that have come, with their numbers; raises `EOFError` if it has ended."""
        piece = os.read(self.answers, _PIECE)
        if not piece:
            raise EOFError
        received = self._received
        received += piece
        while len(received) >= _NUMBER:
            # A pipe has no messages: a read may end in the middle of an answer.
            end = _NUMBER + int.from_bytes(received[:_NUMBER])
            if len(received) < end:
                return
            outcome: tuple[Result, Exception | None] = pickle.loads(received[_NUMBER:end])  # noqa: S301 -- ours
            del received[:end]
            result, error = outcome
            if error is not None:
                raise error
            yield self.owed.popleft(), result

    def stop(self) -> None:
        """End it, whatever it does."""
        for end in self.ends:
            os.close(end)
        # Killed at once: what it works on is a table of its own, and its answer is not wanted.
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


_NUMBER: Final = 8
"""Bytes of the number of a table, and of the length of an answer."""

_PIECE: Final = 1 << 16
"""Bytes of answers that are read at a time: as many as a pipe holds."""


def from_processes(
    tables: Sequence[str],
    answer: Callable[[str], Result],
    lost: Callable[[str], Result],
    jobs: int,
    tick: Callable[[], None] | None,
) -> Iterator[Result]:
    """The *answer* for each table, in order, by *jobs* processes; see `in_order`."""
    sys.stdout.flush()  # or each process would write what is still in its copy of the buffer
    share = max(1, min(_LARGEST_SHARE, len(tables) // (4 * jobs)))
    # Answers behind a slow table wait in memory, so their number is limited.
    window = jobs * share * _SHARES_AHEAD
    workers: dict[int, _Worker[Result]] = {}

    def start() -> _Worker[Result]:
        worker = _Worker(tables, answer, workers.values())
        workers[worker.answers] = worker
        return worker

    done: dict[int, Result] = {}
    handed_out = due = 0
    try:
        for _ in range(jobs):
            start()
        while due < len(tables):
            for worker in workers.values():
                if not worker.owed and handed_out - due < window:
                    numbers = range(handed_out, min(handed_out + share, len(tables)))
                    worker.give(numbers)
                    handed_out = numbers.stop
            for worker in _answered(workers, tick):
                try:
                    done.update(worker.received())
                except EOFError:
                    number = worker.owed.popleft()
                    done[number] = lost(tables[number])
                    # Before the next one is started, which may get the same number for its pipe.
                    del workers[worker.answers]
                    worker.stop()
                    # The table it was killed on is lost; a new process answers for the others.
                    start().give(list(worker.owed))
            while due in done:
                yield done.pop(due)
                due += 1
    finally:
        for worker in workers.values():
            worker.stop()


def _answered(
    workers: Mapping[int, _Worker[Result]], tick: Callable[[], None] | None
) -> list[_Worker[Result]]:
    """The workers with a result, if there is one before long; the progress shown is up to date."""
    if tick is not None:
        tick()
    asked = select.poll()
    for worker in workers.values():
        if worker.owed:
            asked.register(worker.answers, select.POLLIN)
    # Without a limit, an interrupt between Python's last look for signals and the wait would wait.
    events = asked.poll(_OFTEN * 1000)
    return [workers[answers] for answers, _ in events]


def _serve(
    tables: Sequence[str],
    answer: Callable[[str], object],
    orders: int,
    answers: int,
    ours: Iterable[int],
) -> Never:
    """
    Answer for the tables whose numbers come through *orders*, until nobody is at the other end.

    *ours* are the parent's ends, which have come along: none may outlive the parent here.
    """
    try:
        # A pipe ends for its reader only once nobody holds the end that writes.
        for end in ours:
            os.close(end)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        given, out = os.fdopen(orders, "rb"), os.fdopen(answers, "wb")
        while number := given.read(_NUMBER):
            body = _message(answer, tables[int.from_bytes(number)])
            out.write(len(body).to_bytes(_NUMBER))
            out.write(body)
            out.flush()
    finally:
        # Exit handlers and unwritten output belong to the process that was forked.
        os._exit(0)


def _message(answer: Callable[[str], object], table: str) -> bytes:
    """The answer for *table*, or the error in its place, which is raised again in the parent."""
    try:
        return pickle.dumps((answer(table), None))
    except Exception as error:  # noqa: BLE001 -- as said above
        return pickle.dumps((None, error))


# Workers


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
