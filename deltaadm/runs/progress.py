"""The progress of a long run, on standard error."""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Final, Self

from deltaadm.dataclass import dataclass
from deltaadm.facts import CommitFacts, Facts, LiveFile, LiveFiles
from deltaadm.runs.output import info, is_terminal, set_eraser

if TYPE_CHECKING:
    from deltaadm.formats.live import LiveLine


_SOON: Final = 1.0
_OFTEN: Final = 0.2
_SELDOM: Final = 10.0


@dataclass(frozen=True)
class State:
    """An activity, its object *what*, and its progress: in words, or as a part of a total."""

    doing: str
    what: str = ""
    counts: str = ""
    done: int = 0
    total: int | None = None


class Progress:
    """
    Shows how far a run has come, which *state* tells.

    On a terminal a line appears after a second and goes when the work is done, or when something
    else is written; elsewhere a line is added every ten seconds, and none in a quiet run.
    """

    def __init__(self, state: Callable[[], State]) -> None:
        self.state = state
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
                state = self.state()
                counts = state.counts
                if state.total is not None:
                    counts = f"{state.done} of {state.total} {counts}".rstrip()
                what = " ".join(filter(None, (state.doing, state.what)))
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
                state = self.state()
                self._live.show(
                    state.doing,
                    state.what,
                    state.counts,
                    done=state.done,
                    total=state.total,
                    seconds=now - self._started,
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
            reset_eraser()
            wait.release()
            self._over = True
            self.hide()


class Examination(Progress):
    """The progress of the examination of one table."""

    def __init__(self, table: str) -> None:
        self._commits = self._files = 0
        super().__init__(
            lambda: State("Checking", table, f"{self._commits} commits, {self._files} files")
        )

    def watched(self, facts: Iterable[Facts]) -> Iterator[Facts]:
        """The same facts, counted as they pass."""
        for fact in facts:
            if isinstance(fact, LiveFile):
                self._files += 1
            elif isinstance(fact, LiveFiles):
                self._files += len(fact.columns)
            elif isinstance(fact, CommitFacts):
                self._commits += 1
            yield fact


class Phases(Progress):
    """The current activity of a run, phase by phase."""

    def __init__(self, doing: str) -> None:
        super().__init__(lambda: self._phase)
        self._phase = State(doing)

    def begin(self, doing: str) -> None:
        """Start the next phase."""
        self._phase = State(doing.rstrip(". "))

    def announce(self, doing: str) -> None:
        """Start the next phase, and say so."""
        info(doing)
        self.begin(doing)

    def part(self, doing: str, done: int, total: int) -> None:
        """Start a part of a phase."""
        self._phase = State(doing, done=done, total=total) if total > 1 else State(doing)
