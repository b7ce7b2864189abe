"""Deadlines for the responses of a Spark Connect server."""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator


TIMEOUT: Final = "spark.network.timeout"
TIME_FOR_ANSWERS: Final = "10min"
"""A server may be one that has to be started first, or have a large catalog to look through."""


@contextmanager
def looking_up() -> Iterator[None]:
    """
    For the time of the block, statements only ask: a server that hangs is not waited for.

    Others may be commits, for which no time is too long.
    """
    before = _LOOKING_UP.set(True)
    try:
        yield
    finally:
        _LOOKING_UP.reset(before)


_LOOKING_UP: Final = ContextVar("looking_up", default=False)


def deadlines(patience: float) -> Any:
    """
    What ends calls, but no statements except those that look up, without an answer in time.

    *patience* is in seconds. Once it has been in vain, what is said in leaving is not waited for.
    """
    import grpc

    class Deadlines(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):  # type: ignore[misc]
        """All calls of a session, of which those for statements have a stream of answers."""

        def __init__(self) -> None:
            self._patience = patience

        def intercept_unary_unary(self, go_on: Any, details: Any, request: Any) -> Any:
            return self._in_time(go_on, details, request)

        def intercept_unary_stream(self, go_on: Any, details: Any, request: Any) -> Any:
            # A commit that is given up after some time may be made all the same.
            if _LOOKING_UP.get():
                return self._in_time(go_on, details, request)
            return go_on(details, request)

        def _in_time(self, go_on: Any, details: Any, request: Any) -> Any:
            call = go_on(details._replace(timeout=self._patience), request)
            call.add_done_callback(self._learn)
            return call

        def _learn(self, call: Any) -> None:
            if call.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                # A server that hangs would keep the release of the session waiting as long again.
                self._patience = _FAREWELL

    return Deadlines()


_FAREWELL: Final = 0.2


def seconds(text: str) -> float:
    """
    A time as Spark's settings have it; raises `Refused` for anything else.

    >>> seconds("2min"), seconds("500ms"), seconds("120")
    (120, 0.5, 120)
    """
    match = re.fullmatch(r"\s*(\d+)\s*([a-z]*)\s*", text.lower())
    if match is None or match[2] not in _UNITS:
        raise Refused(
            f"{text!r} is not a duration, which {TIMEOUT} requires.",
            remedy="Use a duration such as 30s or 10min.",
        )
    return int(match[1]) * _UNITS[match[2]]


_UNITS: Final = {"": 1, "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
