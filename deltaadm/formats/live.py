"""A line at the bottom of the terminal that shows how far a run has come."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from deltaadm.masking import visible

_SHORTEST: Final = 12
"""So much of a name is shown on the narrowest terminal."""


class LiveLine:
    """A spinner, what is done, and a bar where it is known how much there is to do."""

    def __init__(self) -> None:
        console = Console(file=sys.stderr, markup=False, highlight=False, emoji=False)
        self._width = console.width
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            console=console,
            auto_refresh=False,
            transient=True,
            # What is written elsewhere hides the line first; rich would replace the streams of the
            # process.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._with_bar = False
        self._task = self._progress.add_task("")
        self._progress.start()

    def show(
        self, doing: str, what: str, counts: str, *, done: int, total: int | None, seconds: float
    ) -> None:
        """Draw it anew."""
        if total is not None and not self._with_bar:
            self._with_bar = True
            columns = (BarColumn(bar_width=20), MofNCompleteColumn())
            self._progress.columns = (*self._progress.columns, *columns)
        parts = [counts, f"{round(seconds)} s"]
        if total and done:
            parts.append(f"{round(seconds / done * (total - done))} s left")
        before, after = f"{doing} ", f": {', '.join(filter(None, parts))}"
        room = max(self._width - len(before + after) - (40 if self._with_bar else 4), _SHORTEST)
        name = visible(what)
        if len(name) > room:
            name = f"...{name[len(name) - room + 3 :]}"
        text = "".join((before if name else before.rstrip(), name, after))
        self._progress.update(self._task, description=text, completed=done, total=total)
        self._progress.refresh()

    def hide(self) -> None:
        """Erase it."""
        self._progress.stop()
