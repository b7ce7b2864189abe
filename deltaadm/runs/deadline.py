"""The time that a whole command may take."""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager

from deltaadm.errors import UsageError
from deltaadm.runs.status import DeadlineReached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Final, Never

_OPTION: Final = "--timeout"


@contextmanager
def deadline(duration: str | None) -> Iterator[None]:
    """
    Raise `DeadlineReached` in the block once the time that *duration* tells is over.

    A deadline that is set already stays. Raises `UsageError` for what is no duration.
    """
    if duration is None:
        yield
        return
    seconds = seconds_of(duration)
    if not hasattr(signal, "setitimer"):
        raise UsageError("is not available on this system", option=_OPTION)
    # A process has one such timer; setting it would take away the deadline of the whole command.
    if signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def seconds_of(duration: str) -> float:
    """
    The seconds of a duration, which is a number of them or has units.

    >>> seconds_of("90"), seconds_of("1.5m"), seconds_of("1h30m"), seconds_of("250ms")
    (90.0, 90.0, 5400.0, 0.25)
    """
    parts = re.findall(_PART, duration)
    if "".join(number + unit for number, unit in parts) != duration or not parts:
        raise UsageError(f"{duration!r} is not a duration such as 30s or 5m", option=_OPTION)
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if not seconds:
        raise UsageError(f"{duration!r} is no time at all", option=_OPTION)
    return float(seconds)


_PART: Final = r"(\d+(?:\.\d+)?)(ms|s|m|h|d|\Z)"
_SECONDS: Final = {"ms": 0.001, "s": 1, "": 1, "m": 60, "h": 3600, "d": 86_400}


def _stop(_number: int, _frame: FrameType | None) -> Never:
    raise DeadlineReached
