"""The messages of a run: their levels, and where they go: standard error, and a file."""

from __future__ import annotations

import sys
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token
    from pathlib import Path
    from typing import Final

ERROR: Final = "error"
WARNING: Final = "warning"
INFO: Final = "info"
DEBUG: Final = "debug"

_NEEDED: Final = {ERROR: -2, WARNING: -1, INFO: 0, DEBUG: 1}
"""The lowest verbosity at which messages of each level are shown."""


class Messages:
    """
    Which messages a run shows, in what form, and where it keeps them.

    `verbosity` is 0, less for a quiet run and more for a verbose one. `as_json` is for programs
    that read messages, one JSON object per line. *file* gets all of them, whatever the verbosity.
    Only a run that `asks` prompts the user at the terminal.
    """

    def __init__(
        self,
        verbosity: int = 0,
        *,
        as_json: bool = False,
        file: Path | None = None,
        asks: bool = True,
    ) -> None:
        self.verbosity = verbosity
        self.as_json = as_json
        self.asks = asks
        self._file = file
        if file is not None:
            _append(file, "")

    @property
    def is_quiet(self) -> bool:
        """Whether only results and errors are shown."""
        return self.verbosity < 0

    @property
    def is_silent(self) -> bool:
        """Whether only errors are shown."""
        return self.verbosity < -1

    def shows(self, level: str) -> bool:
        """Whether messages of *level* are shown on standard error."""
        return self.verbosity >= _NEEDED[level]

    def wants(self, level: str) -> bool:
        """Whether messages of *level* are shown or kept anywhere."""
        return self._file is not None or self.shows(level)

    def note(self, level: str, message: str) -> None:
        """Add *message* to the file."""
        if self._file is not None:
            _append(self._file, self.line(level, message, timed=True))

    def line(self, level: str, message: str, *, timed: bool = False) -> str:
        """The line for *message*, which has no line break that could forge another."""
        if self.as_json:
            import json

            record = {"time": _now(), "level": level, "message": message}
            return json.dumps(record) + "\n"
        text = " ".join(message.split("\n"))
        return f"{_now()} {level.upper()} {text}\n" if timed else f"{text}\n"


def _append(file: Path, text: str) -> None:
    from deltaadm.errors import Refused

    try:
        # Opened for each message: several runs may add to one file.
        with file.open("a", encoding="utf-8", errors="backslashreplace") as opened:
            opened.write(text)
    except OSError as error:
        raise Refused(
            f"The file {file} cannot be written: {error.strerror or error}.",
            remedy="Choose another path.",
        ) from error


def _now() -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())


_MESSAGES: Final[ContextVar[Messages | None]] = ContextVar("messages", default=None)


def messages() -> Messages:
    """The messages of this run."""
    return _MESSAGES.get() or Messages()


def use_messages(chosen: Messages) -> Token[Messages | None]:
    """Use *chosen* for the rest of this run; the token restores the former ones."""
    return _MESSAGES.set(chosen)


def restore_messages(before: Token[Messages | None]) -> None:
    """Use the former messages again."""
    _MESSAGES.reset(before)


_ERASER: Final[ContextVar[Callable[[], None] | None]] = ContextVar("eraser", default=None)


def set_eraser(erase: Callable[[], None]) -> Token[Callable[[], None] | None]:
    """Have *erase* remove what is drawn on the terminal; the token restores the former one."""
    return _ERASER.set(erase)


def reset_eraser(before: Token[Callable[[], None] | None]) -> None:
    """Use the former eraser again."""
    _ERASER.reset(before)


def erase_drawn() -> None:
    """Erase what is drawn on the terminal, before something is written there."""
    erase = _ERASER.get()
    if erase is not None:
        erase()


def is_terminal() -> bool:
    """Whether standard error is a terminal on which progress may be drawn."""
    import os

    shown = messages().shows(INFO) and not messages().as_json
    # A dumb terminal cannot go back in a line.
    return shown and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
