"""Settings of a session that runs, changed for some time."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Final

from deltaadm.errors import EngineError
from deltaadm.spark.errors import error_text, is_lost, lost, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession


@contextmanager
def configured(session: SparkSession, conf: Mapping[str, str]) -> Iterator[None]:
    """
    The session with settings changed to *conf* for the time of the block.

    Raises `EngineError` for a setting that is fixed once Spark runs.
    """
    with ExitStack() as stack:
        for key, value in conf.items():
            try:
                # Not set again: a session that does not let it be changed may have it already.
                if _effective(session, key) == value:
                    continue
                before = session.conf.get(key, None)
                session.conf.set(key, value)
            except Exception as error:
                if is_lost(error):
                    raise lost(error) from error
                raise EngineError(
                    f"The running Spark session does not allow {key} to be changed: "
                    f"{sentence(error_text(error))[0]}",
                    remedy="Set it where that session is started.",
                ) from error
            stack.callback(_reset, session, key, before)
        yield


def _reset(session: SparkSession, key: str, before: str | None) -> None:
    with suppress(Exception):  # a session that is gone has no settings
        if before is None:
            session.conf.unset(key)
        else:
            session.conf.set(key, before)


def _effective(session: SparkSession, key: str) -> str | None:
    """The value of a setting, which may be Spark's default; None where there is neither."""
    from pyspark.errors import PySparkException

    try:
        return session.conf.get(key)
    except PySparkException:
        return None


LITERAL_STATEMENTS: Final = {
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.variable.substitute": "false",
}
"""Settings under which a statement means what it says."""
