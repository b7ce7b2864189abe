"""A SparkSession with Delta: the one that is there, a remote one, or a new one of our own."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from deltaadm.dataclass import dataclass, field
from deltaadm.errors import EngineError, Refused
from deltaadm.spark.jars import INSTALL_CONNECT, joined, missing, settings_for_delta
from deltaadm.spark.jvm import environment, not_started, start_jvm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkOptions:
    """
    Where Spark runs and with which settings; nothing given means this machine.

    `master` is a Spark master, `remote` a Spark Connect address (`sc://host:port`). `jars` are
    files for the class path of a session that has to be started. With `debug` the JVM's own
    output appears on standard error; otherwise nobody sees it.
    """

    master: str | None = None
    jars: tuple[str, ...] = ()
    conf: Mapping[str, str] = field(default_factory=dict)
    remote: str | None = None
    debug: bool = False


@contextmanager
def open_session(options: SparkOptions, say: Callable[[str], None]) -> Iterator[SparkSession]:
    """
    A session for the time of the block; *say* is told when one has to be started.

    An active session comes first and is left as it was found. Otherwise one is started: on
    `options.remote`, `options.master`, `SPARK_REMOTE` or this machine, whichever is given
    first. What was started has stopped when the block ends, its JVM included, so nothing is
    committed after that. Nothing is written to standard output or to the working directory.

    Raises `EngineError` where there can be no session.
    """
    active = _active_session()
    target = _target(options)
    with ExitStack() as stack:
        if not options.debug:
            stack.enter_context(_quiet_loggers())
        if active is not None:
            session = active
            stack.enter_context(configured(session, options.conf))
        elif target.startswith(_CONNECT):
            say(f"Connecting to Spark at {without_secrets(target)} ...")
            session = stack.enter_context(_remote_session(target, options))
        else:
            say(f"Starting Spark on {target} ...")
            session = stack.enter_context(_own_session(target, options))
        yield session


def _target(options: SparkOptions) -> str:
    """Where Spark runs; raises `Refused` for what Spark Connect cannot be at or take along."""
    remote = options.remote or ("" if options.master else os.environ.get("SPARK_REMOTE", ""))
    target = remote or options.master or "local[*]"
    if remote and not remote.startswith((_CONNECT, "local")):
        raise Refused(
            f"{without_secrets(remote)} is no address of a Spark Connect server.",
            remedy=f"Write {_CONNECT}HOST:PORT; --spark-master is for other masters.",
        )
    if target.startswith(_CONNECT) and options.jars:
        raise Refused(
            f"The Spark Connect server at {without_secrets(target)} has its own jars, and takes "
            "none of Delta's.",
            remedy="Leave out --jars, and start the server with the jars that it needs.",
        )
    return target


_CONNECT: Final = "sc://"


@contextmanager
def configured(session: SparkSession, conf: Mapping[str, str]) -> Iterator[None]:
    """
    The session with settings changed to *conf* for the time of the block.

    Raises `EngineError` for a setting that is fixed once Spark runs.
    """
    with ExitStack() as stack:
        for key, value in conf.items():
            if _effective(session, key) == value:
                continue
            try:
                before = session.conf.get(key, None)
                session.conf.set(key, value)
            except Exception as error:
                if is_outage(error):
                    raise lost(error) from error
                raise EngineError(
                    f"The running Spark session does not let {key} be changed: "
                    f"{sentence(said(error))[0]}",
                    remedy="Give the setting where that session is started.",
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


def said(error: Exception) -> str:
    """What an exception of Spark says, without Py4J's words around it."""
    thrown = getattr(error, "java_exception", None)
    return str(error) if thrown is None else str(thrown.getMessage() or thrown.toString())


def sentence(message: str) -> tuple[str, str]:
    r"""
    The first sentence of a message of Spark, and the rest, each on one line.

    >>> sentence("[DELTA_X] Cannot do\n it. Do that. SQLSTATE: 0A000; line 1 pos 0")
    ('Cannot do it.', 'Do that.')
    >>> sentence("(java.io.IOException) No space left.")
    ('No space left.', '')
    """
    text = re.split(r"\n\nJVM stacktrace:|\n== SQL", message, maxsplit=1)[0]
    text = " ".join(text.split())
    text = re.sub(r"^(\([\w.$]+\) )?(\[[A-Z0-9_.]+\] )?", "", text)
    text = re.sub(r"\s*SQLSTATE: \w{5}\b.*$", "", text)
    first, *rest = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text, maxsplit=1)
    return first, "".join(rest)


def _active_session() -> SparkSession | None:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise missing("pyspark") from error
    return SparkSession.getActiveSession()


@contextmanager
def _quiet_loggers() -> Iterator[None]:
    """
    Silence what writes every refusal to standard error, as JSON with a stack trace.

    Likewise Py4J, which tells an interrupt so, unless the program has a handler for what is logged.
    """
    from pyspark.logger import PySparkLogger

    nowhere = logging.NullHandler()
    logging.getLogger().addHandler(nowhere)
    names = "SQLQueryContextLogger", "DataFrameQueryContextLogger"
    loggers = [PySparkLogger.getLogger(name) for name in names]
    before = [one.disabled for one in loggers]
    for one in loggers:
        one.disabled = True
    try:
        yield
    finally:
        for one, was in zip(loggers, before, strict=True):
            one.disabled = was
        logging.getLogger().removeHandler(nowhere)


# Spark Connect


@contextmanager
def _remote_session(url: str, options: SparkOptions) -> Iterator[SparkSession]:
    from pyspark.errors import PySparkImportError

    conf = dict(options.conf)
    patience = _seconds(conf.pop(_TIMEOUT, _TIME_FOR_ANSWERS))
    require_reachable(url)
    with ExitStack() as stack:
        stack.enter_context(environment({"SPARK_REMOTE": url, "SPARK_CONNECT_MODE_ENABLED": "1"}))
        if not options.debug:
            stack.enter_context(_quiet_connection())
        try:
            _require_answer(url)
            session = _new_session(url, patience)
            stack.callback(_stop, session)
            _bear_short_outages(session)
            _ = session.version  # the first thing that the server is asked
        except (PySparkImportError, ImportError) as error:
            raise EngineError(
                "Spark Connect needs packages that are not installed.", remedy=INSTALL_CONNECT
            ) from error
        except EngineError:
            raise
        except Exception as error:
            if _is_late(error):
                raise lost(error) from error
            raise not_started(sentence(said(error))[0]) from error
        stack.enter_context(configured(session, conf))
        yield session


_TIMEOUT: Final = "spark.network.timeout"
_TIME_FOR_ANSWERS: Final = "10min"
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


def _new_session(url: str, patience: float) -> Any:
    """A session of which the server knows nothing yet."""
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.session import SparkSession

    channel = DefaultChannelBuilder(url)
    channel.add_interceptor(_deadlines(patience))
    return SparkSession.builder.channelBuilder(channel).create()


def _deadlines(patience: float) -> Any:
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
            if _LOOKING_UP.get():
                return self._in_time(go_on, details, request)
            return go_on(details, request)

        def _in_time(self, go_on: Any, details: Any, request: Any) -> Any:
            call = go_on(details._replace(timeout=self._patience), request)
            call.add_done_callback(self._learn)
            return call

        def _learn(self, call: Any) -> None:
            if call.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                self._patience = _FAREWELL

    return Deadlines()


_FAREWELL: Final = 0.2


def _seconds(text: str) -> float:
    """
    A time as Spark's settings have it; raises `Refused` for anything else.

    >>> _seconds("2min"), _seconds("500ms"), _seconds("120")
    (120, 0.5, 120)
    """
    found = re.fullmatch(r"\s*(\d+)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in _UNITS:
        raise Refused(
            f"{text!r} is no time, as {_TIMEOUT} has one.", remedy="Write it like 30s or 10min."
        )
    return int(found[1]) * _UNITS[found[2]]


_UNITS: Final = {"": 1, "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


def is_outage(error: Exception) -> bool:
    """Whether a Connect server has stopped answering, or knows nothing of the session any more."""
    from pyspark.errors import PySparkException

    if not isinstance(error, PySparkException):
        return False
    return _status(error) in _NO_ANSWER or str(error.getCondition()).startswith("INVALID_HANDLE.")


_LATE: Final = "DEADLINE_EXCEEDED"
_NO_ANSWER: Final = frozenset({"UNAVAILABLE", "CANCELLED", _LATE})


def _is_late(error: Exception) -> bool:
    return _status(error) == _LATE


def _status(error: Exception) -> str:
    status = getattr(error, "getGrpcStatusCode", lambda: None)()
    return str(getattr(status, "name", ""))


def lost(error: Exception) -> EngineError:
    """The error for a Spark that has gone, or does not answer any more."""
    if _is_late(error):
        return EngineError(
            "Spark did not answer in time.",
            remedy="Look whether the server hangs or has much to do; "
            f"--spark-conf {_TIMEOUT}=30min gives it more time than the usual {_TIME_FOR_ANSWERS}.",
        )
    return EngineError(
        f"The connection to Spark broke ({_cause(error).rstrip('.')}).",
        remedy="Inspect the table before trying again: a Spark server that still runs may go on.",
        delta_error_class=getattr(error, "getCondition", lambda: None)(),
    )


def _cause(error: Exception) -> str:
    """What an exception says; of the long texts of gRPC only what they call details."""
    text = said(error)
    details = re.search(r'^\s*details = "(.*)"$', text, re.MULTILINE)
    return sentence(details[1] if details else text)[0]


@contextmanager
def _quiet_connection() -> Iterator[None]:
    """Silence what gRPC and pyspark tell standard error of a connection that does not work."""
    with environment({"GRPC_VERBOSITY": "NONE"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"pyspark\.sql\.connect")
        yield


def _require_answer(url: str) -> None:
    """A server that speaks gRPC; Spark itself would try for minutes."""
    import grpc
    from pyspark.sql.connect.client import DefaultChannelBuilder

    with DefaultChannelBuilder(url).toChannel() as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=_PATIENCE)
        except grpc.FutureTimeoutError:
            raise _unreachable(url, "what listens there does not answer as Spark Connect") from None


def _bear_short_outages(session: Any) -> None:
    """
    Let the session try again for some seconds where the server does not answer.

    Spark itself would try for ten minutes, and so once more with each question that follows.
    """
    from pyspark.sql.connect.client.retries import DefaultPolicy

    class Patience(DefaultPolicy):
        """Failures that follow each other belong to one outage, which is borne only so long."""

        def __init__(self) -> None:
            super().__init__(max_retries=None, max_backoff=_PATIENCE * 200)
            self._began = self._last = -inf

        def can_retry(self, e: BaseException) -> bool:
            now = time.monotonic()
            if now - self._last > _PATIENCE:
                self._began = now
            self._last = now
            return super().can_retry(e) and now - self._began < _PATIENCE * 2

    session.client.set_retry_policies([Patience()])


# A session, and a JVM, of our own

_DELTA: Final = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
_EVERYWHERE: Final = {
    "spark.app.name": "deltaadm",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",
}
_ON_THIS_MACHINE: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "4",
    "spark.databricks.delta.snapshotPartitions": "2",
}


@contextmanager
def _own_session(master: str, options: SparkOptions) -> Iterator[SparkSession]:
    """A session in a JVM started for it; both have ended when the block has."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        raise EngineError(
            "Spark already runs in this process, but has no session active in this thread.",
            remedy="Call SparkSession.builder.getOrCreate() in this thread first.",
        )
    require_reachable(master)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(_scratch_directory()))
        conf = _configuration(master, options.conf, options.jars, scratch)
        gateway = stack.enter_context(start_jvm(conf, scratch, show=options.debug))
        try:
            with _interrupts_as_they_are(), environment(_python(master)):
                spark_conf = SparkConf(loadDefaults=False).setAll(list(conf.items()))
                session = SparkSession(SparkContext(conf=spark_conf, gateway=gateway))
        except Exception as error:
            raise not_started(sentence(said(error))[0]) from error
        stack.callback(_stop, session)
        if master.startswith("spark://"):
            _require_executors(session, master)
        yield session


def _python(master: str) -> dict[str, str]:
    """Workers on this machine run the Python that has deltaadm, unless another one is asked for."""
    if not master.startswith("local") or "PYSPARK_PYTHON" in os.environ:
        return {}
    return {"PYSPARK_PYTHON": sys.executable}


def _require_executors(session: SparkSession, master: str) -> None:
    """
    Somebody to do the work: Spark itself would wait for them for ever.

    The patience is that of Spark's own setting, under which a cluster may take longer to begin.
    """
    context = session.sparkContext._jsc.sc()
    wait = context.conf().getTimeAsSeconds(_WAITING_TIME, f"{_TIME_FOR_EXECUTORS}s")
    on_demand = context.conf().getBoolean("spark.dynamicAllocation.enabled", False)
    end = time.monotonic() + wait
    while not on_demand and len(context.statusTracker().getExecutorInfos()) == _THE_DRIVER:
        if time.monotonic() >= end:
            raise EngineError(
                f"Spark at {master} gave deltaadm no executor within {wait} seconds.",
                remedy="Look whether the master has a worker that is alive, with cores and memory "
                "to spare. --spark-conf spark.executor.memory=512m asks for less, and "
                f"--spark-conf {_WAITING_TIME}=300s waits longer.",
            )
        time.sleep(0.1)


_WAITING_TIME: Final = "spark.scheduler.maxRegisteredResourcesWaitingTime"
_TIME_FOR_EXECUTORS: Final = 60
_THE_DRIVER: Final = 1


def _stop(session: SparkSession) -> None:
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a JVM that has died, or is busy, cannot be stopped
        session.stop()


@contextmanager
def _scratch_directory() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="deltaadm-", ignore_cleanup_errors=True) as scratch:
        yield scratch


def _configuration(
    master: str, wanted: Mapping[str, str], jars: Sequence[str], scratch: Path
) -> dict[str, str]:
    """Ours, overruled by what is wanted, except where both have to hold."""
    conf = {"spark.master": master, "spark.sql.warehouse.dir": str(scratch / "warehouse")}
    conf |= _EVERYWHERE | _DELTA
    if master.startswith("local"):
        conf |= _ON_THIS_MACHINE | {"spark.local.dir": str(scratch)}
    conf |= wanted
    extensions = "spark.sql.extensions"
    conf[extensions] = joined(_DELTA[extensions], wanted.get(extensions, ""))
    return conf | settings_for_delta(conf, jars)


@contextmanager
def _interrupts_as_they_are() -> Iterator[None]:
    """Undo that a SparkContext takes over the handling of Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def require_reachable(target: str) -> None:
    """
    Raise `EngineError` unless something listens at *target*, where Spark would try for minutes.

    Only masters of Spark's own and Connect servers are tried, the latter not behind a proxy.
    """
    scheme, _, addresses = target.partition("://")
    default_port = {"sc": 15002, "spark": 7077}.get(scheme)
    if default_port is None or (scheme == "sc" and getproxies()):
        return
    causes = []
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
        remedy="Check the address, and that Spark runs there; without one, Spark runs on this "
        "machine.",
    )
