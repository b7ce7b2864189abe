"""The progress of a long run, on standard error."""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Final, Self

from deltaadm.facts import CommitFacts, Facts, LiveFile, LiveFiles
from deltaadm.runs.output import info, is_terminal, set_eraser

if TYPE_CHECKING:
    from deltaadm.formats.live import LiveLine


_SOON: Final = 1.0
_OFTEN: Final = 0.2
_SELDOM: Final = 10.0


class Progress:
    """
    Shows how far a run has come: what it is *doing*, with *what*, and how much is `done` of it.

    That is a part of a `total`, or what `counts` says in words. On a terminal a line appears after
    a second and goes when the work is done, or when something else is written; elsewhere a line is
    added every ten seconds, and none in a quiet run.
    """

    def __init__(
        self, doing: str, what: str = "", counts: str = "", total: int | None = None
    ) -> None:
        self.doing, self.what, self.done, self.total = doing, what, 0, total
        self.counts: Callable[[], str] = lambda: counts
        self._started = self._shown = time.monotonic()
        self._live: LiveLine | None = None
        self._lock = _thread.allocate_lock()
        self._over = False

    def tick(self) -> None:
        """Show the present state, if it is time to."""
        now = time.monotonic()
        if not is_terminal():
            if now - self._shown >= _SELDOM:
                self._shown = now
                counts = self.counts()
                if self.total is not None:
                    counts = f"{self.done} of {self.total} {counts}".rstrip()
                what = " ".join(filter(None, (self.doing, self.what)))
                passed = f"{round(now - self._started)} s"
                info(f"{what}: {', '.join(filter(None, (counts, passed)))}")
        elif now - self._shown >= (_OFTEN if self._live else _SOON):
            self._shown = now
            with self._lock:
                if self._over:
                    return
                if self._live is None:
                    from deltaadm.formats.live import LiveLine

                    self._live = LiveLine()
                seconds, counts = now - self._started, self.counts()
                self._live.show(
                    self.doing, self.what, counts, done=self.done, total=self.total, seconds=seconds
                )

    def hide(self) -> None:
        """Let the line go, until the next tick in a second."""
        with self._lock:
            live, self._live = self._live, None
            if live is not None:
                live.hide()

    @contextmanager
    def shown(self, *, by_itself: bool = True) -> Iterator[Self]:
        """Show the progress in the block; unless *by_itself*, no thread does: forks allow none."""
        wait = _thread.allocate_lock()
        wait.acquire()

        def tick_until_it_is_free() -> None:
            with suppress(MemoryError):
                while not wait.acquire(timeout=_OFTEN):
                    self.tick()

        if by_itself:
            # Without one where memory is short. `threading` waits for a new thread to begin: for
            # ever, where memory is so short that it cannot.
            with suppress(RuntimeError, MemoryError):
                _thread.start_new_thread(copy_context().run, (tick_until_it_is_free,))
        reset_eraser = set_eraser(self.hide)
        try:
            yield self
        finally:
            with suppress(ValueError):  # one that is collected later ends in another context
                reset_eraser()
            wait.release()
            self._over = True
            self.hide()

    def watched(self, facts: Iterable[Facts]) -> Iterator[Facts]:
        """The same facts of one table, counted as they pass."""
        commits = files = 0
        self.counts = lambda: f"{commits} commits, {files} files"
        for fact in facts:
            if isinstance(fact, LiveFile):
                files += 1
            elif isinstance(fact, LiveFiles):
                files += len(fact.columns)
            elif isinstance(fact, CommitFacts):
                commits += 1
            yield fact

    # Phase by phase

    def begin(self, doing: str) -> None:
        """Start the next phase."""
        self.part(doing.rstrip(". "), 0, 0)

    def announce(self, doing: str) -> None:
        """Start the next phase, and say so."""
        info(doing)
        self.begin(doing)

    def part(self, doing: str, done: int, total: int) -> None:
        """Start a part of a phase."""
        self.doing, self.done, self.total = doing, done, total if total > 1 else None
