"""Points in the history of a table, as the command line names them: a version or a time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from deltaadm.errors import UsageError


class Point(NamedTuple):
    """A version, or a time in milliseconds since the epoch; neither for the newest version."""

    version: int | None = None
    timestamp: int | None = None


NEWEST = Point()


def point(text: str, option: str) -> Point:
    """The point that *text* names: digits are a version, anything else an ISO 8601 time."""
    if text.isascii() and text.isdecimal():
        return Point(version=int(text))
    time = iso_milliseconds(text)
    if time is None:
        raise UsageError(
            f"{text!r} is neither a version nor a time such as 2026-11-21T10:00:00Z", option=option
        )
    return Point(timestamp=time)


def milliseconds(text: str, option: str) -> int:
    """The time in ISO 8601, or in milliseconds since the epoch, that is the value of *option*."""
    digits = text.removeprefix("-")
    time = int(text) if digits.isascii() and digits.isdecimal() else iso_milliseconds(text)
    if time is None:
        raise UsageError(f"{text!r} is not a time such as 2026-11-21T10:00:00Z", option=option)
    return time


def iso_milliseconds(text: str) -> int | None:
    """A time in ISO 8601, UTC where it has no zone; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
