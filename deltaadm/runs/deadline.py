"""The time that a whole command may take."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, Never

from deltaadm.errors import UsageError
from deltaadm.runs.status import DeadlineReached

_OPTION: Final = "--timeout"


@contextmanager
def deadline(duration: str) -> Iterator[None]:
    """
    Raise `DeadlineReached` in the block once *duration* is over, unless a deadline is set already.

    Raises `UsageError` for what is no duration.
    """
    seconds = seconds_of(duration)
    if not seconds:
        raise UsageError(f"{duration!r} is not longer than zero", option=_OPTION)
    if not hasattr(signal, "setitimer"):
        raise UsageError("is not available on this system", option=_OPTION)
    # A process has one such timer; setting it would take away the deadline of the whole command.
    if signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> Never:
        raise DeadlineReached(duration)

    # An exception from a signal also ends waits for servers, which no check between steps would.
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, _LONGEST))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


_LONGEST: Final = 1 << 31
"""More seconds than this may not fit into a timer."""


def seconds_of(duration: str, option: str = _OPTION) -> float:
    """
    The seconds of a duration, which is a number of them or has units; the value of *option*.

    >>> seconds_of("90"), seconds_of("1.5m"), seconds_of("1h30m"), seconds_of("250ms")
    (90.0, 90.0, 5400.0, 0.25)
    >>> seconds_of("10 min"), seconds_of("2hours")
    (600.0, 7200.0)
    """
    parts = re.findall(_PART, duration)
    units = [unit if unit in _SECONDS else unit.removesuffix("s") for _, unit in parts]
    mixed = len(units) > 1 and "" in units  # is 1h30 half an hour more, or half a minute?
    known = parts and _SECONDS.keys() >= set(units)
    if not known or mixed or re.sub(_PART, "", duration).strip():
        raise UsageError(f"{duration!r} is not a duration, for example 30s or 5m", option=option)
    amounts = zip(parts, units, strict=True)
    return sum(float(number) * _SECONDS[unit] for (number, _), unit in amounts)


_PART: Final = r"(\d+(?:\.\d+)?)\s*([a-z]+|\Z)"
_SECONDS: Final = {
    "ms": 0.001, "millisecond": 0.001, "": 1, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60,
    "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "d": 86_400, "day": 86_400,
}  # fmt: skip
