"""Points in the history of a table: a version or a time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from deltaadm.errors import UsageError


class Point(NamedTuple):
    """A version, or a time in milliseconds since the epoch; neither for the newest version."""

    version: int | None = None
    timestamp: int | None = None


NEWEST = Point()


def state_at(version: int | None, timestamp: str | datetime | None) -> Point:
    """
    The point of a version or of a time, which is in ISO 8601 or in milliseconds since the epoch.

    Raises `UsageError` for both of them, and for what is neither.
    """
    if version is not None and timestamp is not None:
        raise UsageError("cannot be combined with --version", option="--timestamp")
    if version is not None:
        return point(version, "--version")
    digits = timestamp.removeprefix("-") if isinstance(timestamp, str) else ""
    if isinstance(timestamp, str) and digits.isascii() and digits.isdecimal():
        return Point(timestamp=int(timestamp))
    time = iso_milliseconds(timestamp)
    if timestamp is not None and time is None:
        raise UsageError(
            f"{timestamp!r} is not a time such as 2026-11-21T10:00:00Z", option="--timestamp"
        )
    return Point(timestamp=time)


def point(given: int | str | datetime | None, option: str) -> Point:
    """The point that *given* names for *option*: digits are a version, anything else a time."""
    if isinstance(given, str) and given.isascii() and given.isdecimal():
        given = int(given)
    if isinstance(given, int):
        if given < 0:
            raise UsageError(f"There is no version {given}: versions begin with 0.")
        return Point(version=given)
    time = iso_milliseconds(given)
    if given is not None and time is None:
        raise UsageError(
            f"{given!r} is neither a version nor a time such as 2026-11-21T10:00:00Z",
            option=option,
        )
    return Point(timestamp=time)


def iso_milliseconds(given: str | datetime | None) -> int | None:
    """A time, in ISO 8601 if it is text, UTC where it has no zone; None for anything else."""
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        return None
    if moment is None:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
