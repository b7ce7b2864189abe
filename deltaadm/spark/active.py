"""Letting the session of a program be the one that is found."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from deltaadm.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Iterator


def has_ended(session: Any) -> bool:
    """Whether *session* has been stopped."""
    if hasattr(session, "is_stopped"):  # on Spark Connect
        return bool(session.is_stopped)
    return session.sparkContext._jsc is None


@contextmanager
def activated(session: Any) -> Iterator[None]:
    """
    Make *session* the active one of this thread for the block, as `open_session` looks for it.

    A session on Spark Connect is so since it was made, and stays that. Raises `EngineError` for one
    that has ended.
    """
    if has_ended(session):
        raise EngineError(
            "The Spark session that was given for this table has ended.",
            remedy="Start another one, and open the table with it.",
        )
    jvm = getattr(session, "_jvm", None)
    if jvm is None:
        yield
        return
    sessions = type(session)._get_j_spark_session_class(jvm)
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()
