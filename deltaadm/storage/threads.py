"""Threads that wait for others' answers, and are not waited for themselves."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from math import inf
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Make a `RuntimeError` of a panic of a library in Rust, which is no `Exception`."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise RuntimeError(f"panic: {error}") from error


class Pending(Generic[Result]):
    """Work that was given to a thread; `result` waits for it, and an interrupt ends the wait."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work: Callable[[], Result] | None = work
        self._done = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Do the work, here and now; what it raises is raised by `result`."""
        work, self._work = self._work, None
        try:
            assert work is not None  # noqa: S101 -- each work is done once
            self._result = work()
        except BaseException as error:  # noqa: BLE001 -- raised again where it is asked for
            self._error = error
        self._done.set()

    def result(self, seconds: float = inf) -> Result:
        """The result of the work; raises what it raised, or `TimeoutError` after *seconds*."""
        end = time.monotonic() + seconds
        # An interrupt between Python's last look for signals and the wait would not end the wait.
        while not self._done.wait(0.5):
            if time.monotonic() > end:
                raise TimeoutError
        if self._error is not None:
            raise self._error
        result: Result = self._result
        return result


def in_time(work: Callable[[], Result], seconds: float) -> Result:
    """The result of *work* in a thread of its own; raises `TimeoutError` after *seconds*."""
    pending = Pending(work)
    threading.Thread(target=pending.run, daemon=True).start()
    return pending.result(seconds)


class Threads:
    """At most so many daemon threads, started as they are needed. Works must not submit others."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._queue: SimpleQueue[Pending[Any] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._started = self._idle = 0

    def submit(self, work: Callable[[], Result]) -> Pending[Result]:
        """Have *work* done by a thread, after what was submitted before."""
        pending = Pending(work)
        with self._lock:
            if self._idle:
                self._idle -= 1
            elif self._started < self._most:
                self._started += 1
                # Not of `concurrent.futures`, which joins its threads when the program ends: an
                # interrupt would wait for a server that does not answer.
                threading.Thread(target=self._serve, daemon=True).start()
        self._queue.put(pending)
        return pending

    def close(self) -> None:
        """Let the threads end once they have nothing left to do."""
        for _ in range(self._started):
            self._queue.put(None)

    def _serve(self) -> None:
        while (pending := self._queue.get()) is not None:
            pending.run()
            with self._lock:
                self._idle += 1


def each_ahead(
    work: Callable[[Item], Result], items: Iterable[Item], at_once: int, waiting: int = 0
) -> Generator[Result, None, None]:
    """
    What *work* makes of each of *items*, in order, with so many under way *at_once*.

    So many results may be *waiting* for a slow one. Once the iteration is given up, none begins.
    """
    pending, given_up = deque[Pending[Result]](), False

    def unless_given_up(item: Item) -> Result:
        if given_up:
            raise InterruptedError
        return work(item)

    try:
        with closing(Threads(at_once)) as threads:
            for item in items:
                pending.append(threads.submit(partial(unless_given_up, item)))
                if len(pending) > max(at_once, waiting):
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
    finally:
        given_up = True
