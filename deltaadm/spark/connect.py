"""Sessions on a Spark Connect server, and whether anything listens where Spark should be."""

from __future__ import annotations

import socket
import time
import warnings
from concurrent.futures import wait
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from deltaadm.errors import EngineError
from deltaadm.spark.deadlines import TIME_FOR_ANSWERS, TIMEOUT, deadlines, seconds
from deltaadm.spark.errors import error_text, is_late, lost, sentence
from deltaadm.spark.jars import INSTALL_CONNECT
from deltaadm.spark.jvm import environment, not_started
from deltaadm.spark.settings import configured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession


@contextmanager
def remote_session(
    url: str, conf: Mapping[str, str], *, debug: bool = False
) -> Iterator[SparkSession]:
    """A session on the server at *url* for the time of the block; raises `EngineError`."""
    from pyspark.errors import PySparkImportError

    patience = seconds(conf.get(TIMEOUT, TIME_FOR_ANSWERS))
    require_reachable(url)
    with ExitStack() as stack:
        # pyspark decides by these whether functions such as `col` are those of Connect.
        stack.enter_context(environment({"SPARK_REMOTE": url, "SPARK_CONNECT_MODE_ENABLED": "1"}))
        if not debug:
            stack.enter_context(_quiet_connection())
        try:
            _require_answer(url)
            session = _new_session(url, patience)
            stack.callback(stop_session, session)
            _configure_retries(session)
            _ = session.version  # the first thing that the server is asked
        except (PySparkImportError, ImportError) as error:
            raise EngineError(
                "Spark Connect needs packages that are not installed.", remedy=INSTALL_CONNECT
            ) from error
        except EngineError:
            raise
        except Exception as error:
            if is_late(error):
                raise lost(error) from error
            raise not_started(sentence(error_text(error))[0]) from error
        # How long answers may take is a matter of this client, not of the server's session.
        asked = {key: value for key, value in conf.items() if key != TIMEOUT}
        stack.enter_context(configured(session, asked))
        yield session


def _new_session(url: str, patience: float) -> Any:
    """A session of which the server knows nothing yet."""
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.session import SparkSession

    channel = DefaultChannelBuilder(url)
    # `builder.remote` makes a channel of its own, to which nothing can be added.
    channel.add_interceptor(deadlines(patience))
    # Not `getOrCreate`, which might give a session that the program has made.
    return SparkSession.builder.channelBuilder(channel).create()


@contextmanager
def _quiet_connection() -> Iterator[None]:
    """Silence what gRPC and pyspark write to standard error about a failing connection."""
    with environment({"GRPC_VERBOSITY": "NONE"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"pyspark\.sql\.connect")
        yield


def _require_answer(url: str) -> None:
    """Raise `EngineError` unless a server that speaks gRPC is at *url*."""
    import grpc
    from pyspark.sql.connect.client import DefaultChannelBuilder

    # Asked for its version, Spark's client would try for minutes.
    with DefaultChannelBuilder(url).toChannel() as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=_PATIENCE)
        except grpc.FutureTimeoutError:
            raise _unreachable(url, "the server there is not a Spark Connect server") from None


def _configure_retries(session: Any) -> None:
    """Let the session try again for some seconds where the server does not answer."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    # Spark's own policy tries for ten minutes, and so once more with each question that follows.
    class Patience(DefaultPolicy):
        """Failures that follow each other are one outage, tolerated for a limited time."""

        def __init__(self) -> None:
            super().__init__(max_retries=None, max_backoff=_PATIENCE * 200)  # in ms
            self._began = self._last = -inf

        def can_retry(self, e: BaseException) -> bool:
            now = time.monotonic()
            # A pause in which nothing failed: whatever fails now is another outage.
            if now - self._last > _PATIENCE:
                self._began = now
            self._last = now
            return super().can_retry(e) and now - self._began < _PATIENCE * 2

    session.client.set_retry_policies([Patience()])


def wait_for_releases(session: SparkSession) -> None:
    """Wait, for ten seconds at most, until a Spark Connect server has released its executions."""
    if not hasattr(session, "_jvm"):
        # The client asks for that in the background. An execution that is left when its session
        # ends is written to the server's log whole, with the credentials that executors were given.
        wait(session.client._release_futures, timeout=10)


def stop_session(session: SparkSession) -> None:
    """Stop a session, as far as it still can be."""
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a JVM that has died, or is busy, cannot be stopped
        session.stop()


def require_reachable(target: str) -> None:
    """
    Raise `EngineError` unless something listens at *target*, where Spark would try for minutes.

    Only masters of Spark's own and Connect servers are tried, the latter not behind a proxy.
    """
    scheme, _, addresses = target.partition("://")
    default_port = {"sc": 15002, "spark": 7077}.get(scheme)
    # gRPC takes the proxy that the environment names; directly, the host may be out of reach.
    if default_port is None or (scheme == "sc" and getproxies()):
        return
    causes = []
    # A master of Spark's own may have standbys: spark://one:7077,two:7077.
    for address in addresses.partition("/")[0].split(","):
        parts = urlsplit(f"//{address}")
        try:
            place = (parts.hostname or "", parts.port or default_port)
            with socket.create_connection(place, timeout=_PATIENCE):
                return
        except (OSError, ValueError) as error:
            causes.append(getattr(error, "strerror", None) or str(error))
    raise _unreachable(target, "; ".join(causes).lower())


_PATIENCE: Final = 5


def without_secrets(target: str) -> str:
    """
    The part of an address that may be shown.

    >>> without_secrets("sc://spark.example.com:443/;use_ssl=true;token=abc")
    'sc://spark.example.com:443'
    """
    scheme, separator, rest = target.partition("://")
    return scheme + separator + rest.partition("/")[0].rpartition("@")[2]


def _unreachable(target: str, cause: str) -> EngineError:
    return EngineError(
        f"Cannot reach Spark at {without_secrets(target)}: {cause}.",
        remedy="Check the address and that Spark is running there; without an address, Spark "
        "runs on this machine.",
    )
