"""The progress of a long run, on standard error."""

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from deltaadm.runs.output import info, write_stderr

if TYPE_CHECKING:
    from deltaadm.domain.facts.facts import Facts

_SOON: Final = 1.0
_OFTEN: Final = 0.2
_SELDOM: Final = 10.0
_ERASE: Final = "\r\x1b[2K"


class Progress:
    """
    How far the examination of one table has come.

    On a terminal one line appears after a second and goes when the work is done; elsewhere a
    line is added every ten seconds.
    """

    def __init__(self, table: str) -> None:
        self._table = table
        self._commits = 0
        self._files = 0
        self._started = time.monotonic()
        self._done = threading.Event()

    def watched(self, facts: "Iterable[Facts]") -> "Iterator[Facts]":
        """The same facts, counted as they pass."""
        from deltaadm.domain.facts.facts import CommitFacts, LiveFile, LiveFiles

        for fact in facts:
            if isinstance(fact, LiveFile):
                self._files += 1
            elif isinstance(fact, LiveFiles):
                self._files += len(fact.columns)
            elif isinstance(fact, CommitFacts):
                self._commits += 1
            yield fact

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the progress as long as the context lasts."""
        thread = threading.Thread(target=self._show, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._done.set()
            thread.join()

    def _show(self) -> None:
        terminal = sys.stderr.isatty()
        if not terminal:
            while not self._done.wait(_SELDOM):
                info(self._sentence())
            return
        shown = False
        pause = _SOON
        while not self._done.wait(pause):
            pause, shown = _OFTEN, True
            write_stderr(_ERASE + self._fitting())
        if shown:
            write_stderr(_ERASE)

    def _sentence(self, width: int | None = None) -> str:
        """How far it has come, in *width* columns, for which the name loses its beginning."""
        from deltaadm.render.visible import visible

        passed = round(time.monotonic() - self._started)
        name, rest = (
            visible(self._table),
            f"{self._commits} commits, {self._files} files, {passed} s",
        )
        room = None if width is None else width - len(f"Checking : {rest}")
        if room is not None and len(name) > room:
            name = f"...{name[len(name) - max(room - 3, 0) :]}"
        return f"Checking {name}: {rest}"

    def _fitting(self) -> str:
        from shutil import get_terminal_size

        return self._sentence(get_terminal_size().columns - 1)
