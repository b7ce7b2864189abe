"""Moments, which Delta's logs count in milliseconds since the epoch, as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(milliseconds: int) -> str:
    """
    A moment as ISO 8601 in UTC, to the millisecond; the plain number where that has no date.

    >>> instant(1_000), instant(2**63)
    ('1970-01-01T00:00:01.000Z', '9223372036854775808 ms since 1970')
    """
    return _iso(milliseconds, "milliseconds")


def second(milliseconds: int) -> str:
    """
    Like `instant`, to the second: for when something can be done.

    >>> second(1_000)
    '1970-01-01T00:00:01Z'
    """
    return _iso(milliseconds, "seconds")


def moment(milliseconds: int | None) -> str:
    """
    Like `second`, as people write it.

    >>> moment(1_000), moment(None)
    ('1970-01-01 00:00:01 UTC', 'time unknown')
    """
    if milliseconds is None:
        return "time unknown"
    return second(milliseconds).replace("T", " ").replace("Z", " UTC")


def _iso(milliseconds: int, precision: str) -> str:
    try:
        at = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return f"{milliseconds} ms since 1970"
    return at.replace(tzinfo=None).isoformat(timespec=precision) + "Z"
