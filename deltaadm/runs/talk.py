"""How much a run says about itself, and where: standard error, and a file of messages."""

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
"""From which verbosity on a message of each level is shown."""


class Talk:
    """
    What becomes of messages.

    `verbosity` is 0, less for a quiet run and more for one that explains itself. `as_json` is for
    programs that read messages, one JSON object per line. *file* gets all of them, whatever the
    verbosity. Only a run that `asks` puts questions to whoever sits at the terminal.
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
        """Whether nothing but results and errors is shown."""
        return self.verbosity < 0

    @property
    def is_silent(self) -> bool:
        """Whether nothing is shown but errors."""
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
        """The line for *message*, without what could be taken for another one."""
        if self.as_json:
            import json

            record = {"time": _now(), "level": level, "message": message}
            return json.dumps(record) + "\n"
        # One line a message: a name with a line break could forge another.
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


_TALK: Final[ContextVar[Talk | None]] = ContextVar("talk", default=None)


def talk() -> Talk:
    """How much this run says."""
    return _TALK.get() or Talk()


def take(chosen: Talk) -> Token[Talk | None]:
    """Let the rest of this run talk like this; what is returned gives the former way back."""
    return _TALK.set(chosen)


def restore(before: Token[Talk | None]) -> None:
    """Talk as before."""
    _TALK.reset(before)


_DRAWN: Final[ContextVar[Callable[[], None] | None]] = ContextVar("drawn", default=None)


def drawn(erase: Callable[[], None]) -> Token[Callable[[], None] | None]:
    """From now on *erase* takes away what is drawn on the terminal; a token as `take` has it."""
    return _DRAWN.set(erase)


def not_drawn(before: Token[Callable[[], None] | None]) -> None:
    """Nothing more is drawn."""
    _DRAWN.reset(before)


def hide() -> None:
    """Take away what is drawn on the terminal, before something is written there."""
    erase = _DRAWN.get()
    if erase is not None:
        erase()


def is_terminal() -> bool:
    """Whether somebody watches standard error, who is not to be spared."""
    import os

    shown = talk().shows(INFO) and not talk().as_json
    # A dumb terminal cannot go back in a line.
    return shown and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
