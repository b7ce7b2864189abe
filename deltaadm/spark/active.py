"""Letting the session of a program be the one that is found."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def activated(session: Any) -> Iterator[None]:
    """
    Make *session* the active one of this thread for the block, as `open_session` looks for it.

    A session on Spark Connect is so since it was made, and stays that.
    """
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
