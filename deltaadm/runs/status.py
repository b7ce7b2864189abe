"""How a run ends: what it has committed, and the exit codes of runs that end well."""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


NOTHING: Final = "nothing was committed"


class CommitStatus:
    """A clause about commits, as far as this run knows, and what can look up a more exact one."""

    def __init__(self) -> None:
        self.clause = NOTHING
        self._look_up: Callable[[], str] | None = None

    def set(self, clause: str, look_up: Callable[[], str] | None = None) -> None:
        """Remember *clause* for an interrupt; *look_up* finds a better one once all is closed."""
        self.clause, self._look_up = clause, look_up

    def describe(self) -> str:
        """Whether anything was committed so far, as far as this run knows or can look up."""
        look_up, self._look_up = self._look_up, None
        if look_up is not None:
            # A second interrupt ends the looking, not the message.
            try:
                return look_up()
            except BaseException:  # noqa: BLE001, S110 -- importing `suppress` costs every command
                pass
        return self.clause


class DeadlineReached(BaseException):
    """The time of the command is over; like an interrupt, nothing on the way catches it."""


FOUND = 1  # there are findings or differences, or the plan that --check asks for is not empty
MISMATCH = 5  # the commit is not what had been planned
REFUSED = 7  # some of the request is impossible; the rest was only planned
WAITING = 8  # the rest can be done when some time has passed
SOME_FAILED = 9  # some of several tables failed, and not all alike
INTERRUPTED = 130  # Ctrl-C ended the run
