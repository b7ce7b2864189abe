"""A SparkSession with Delta: the one that is there, a remote one, or a new one of our own."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass, field
from deltaadm.errors import EngineError, Refused
from deltaadm.spark.connect import remote_session, require_reachable, stop_session, without_secrets
from deltaadm.spark.errors import error_text, sentence
from deltaadm.spark.jars import (
    default_settings,
    jars_of,
    joined,
    missing,
    settings_for_delta,
    spark_home,
)
from deltaadm.spark.jvm import died_at_start, environment, not_started, start_jvm
from deltaadm.spark.object_stores import configure, settings_for_connectors
from deltaadm.spark.scratch import scratch_directory
from deltaadm.spark.settings import configured
from deltaadm.spark.start_up import java_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession


@dataclass(frozen=True, kw_only=True)
class SparkOptions:
    """
    Where Spark runs and with which settings; nothing given means this machine.

    `master` is a Spark master, `remote` a Spark Connect address (`sc://host:port`). `jars` are
    files for the class path of a session that has to be started. With `debug` the JVM's own
    output appears on standard error; otherwise nobody sees it. With `long_work`, such as reading
    a fleet or rewriting data files, the JVM compiles as well as it can; otherwise it is set up to
    start quickly. `stores` are locations that a session which has to be started must reach, with
    what is set for each besides the environment.
    """

    master: str | None = None
    jars: tuple[str, ...] = ()
    conf: Mapping[str, str] = field(default_factory=dict)
    remote: str | None = None
    debug: bool = False
    long_work: bool = False
    stores: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    @property
    def is_connect(self) -> bool:
        """Whether a new session is one on a Spark Connect server."""
        remote = self.remote or ("" if self.master else os.environ.get("SPARK_REMOTE", ""))
        return remote.startswith(_CONNECT)


def ignore(_: str) -> None:
    """A *phase* for callers that show no progress."""


@contextmanager
def open_session(
    options: SparkOptions, announce: Callable[[str], None], phase: Callable[[str], None] = ignore
) -> Iterator[SparkSession]:
    """
    A session for the time of the block; *announce* is called when one has to be started.

    *phase* is told what the start, which takes its time, is doing.

    An active session comes first and is left as it was found. Otherwise one is started: on
    `options.remote`, `options.master`, `SPARK_REMOTE` or this machine, whichever is given
    first. What was started has stopped when the block ends, its JVM included, so nothing is
    committed after that. Nothing is written to standard output or to the working directory.

    Raises `EngineError` where there can be no session.
    """
    # An active session has the catalogs and credentials of the program that we are part of.
    active = _active_session()
    target = _target(options)
    with ExitStack() as stack:
        if not options.debug:
            stack.enter_context(_quiet_loggers())
        if active is not None:
            session = active
            stack.enter_context(configured(session, options.conf))
        elif target.startswith(_CONNECT):
            announce(f"Connecting to Spark at {without_secrets(target)} ...")
            session = stack.enter_context(remote_session(target, options.conf, debug=options.debug))
        else:
            announce(f"Starting Spark on {target} ...")
            session = stack.enter_context(_own_session(target, options, phase))
        yield session


def _target(options: SparkOptions) -> str:
    """The master or server of Spark; raises `Refused` for options that Connect does not take."""
    remote = options.remote or ("" if options.master else os.environ.get("SPARK_REMOTE", ""))
    target = remote or options.master or "local[*]"
    if remote and not remote.startswith((_CONNECT, "local")):
        raise Refused(
            f"{without_secrets(remote)} is not a Spark Connect address.",
            remedy=f"Use {_CONNECT}HOST:PORT; --spark-master is for other masters.",
        )
    if target.startswith(_CONNECT) and options.jars:
        raise Refused(
            f"The Spark Connect server at {without_secrets(target)} uses its own jars; --jars "
            "does not apply to it.",
            remedy="Leave out --jars, and start the server with the jars that it needs.",
        )
    return target


_CONNECT: Final = "sc://"


def _active_session() -> SparkSession | None:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise missing("pyspark") from error
    return SparkSession.getActiveSession()


@contextmanager
def _quiet_loggers() -> Iterator[None]:
    """Silence what pyspark and Py4J write to standard error, for the time of the block."""
    from pyspark.logger import PySparkLogger

    # Py4J logs an interrupt, which `logging.lastResort` would print if there were no handler.
    nowhere = logging.NullHandler()
    logging.getLogger().addHandler(nowhere)
    # They write every refusal as JSON with a stack trace.
    names = "SQLQueryContextLogger", "DataFrameQueryContextLogger"
    loggers = [PySparkLogger.getLogger(name) for name in names]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled
        logging.getLogger().removeHandler(nowhere)


# A session, and a JVM, of our own

_DELTA: Final = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
_EVERYWHERE: Final = {
    "spark.app.name": "deltaadm",
    # Nobody looks at it, and it would listen on a port of this machine.
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",  # `${...}` may stand in names and expressions
}
_ON_THIS_MACHINE: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    # The defaults, 200 and 50, are for clusters: here each partition is a task for a few rows.
    "spark.sql.shuffle.partitions": "4",
    "spark.databricks.delta.snapshotPartitions": "2",
}


@contextmanager
def _own_session(
    master: str, options: SparkOptions, phase: Callable[[str], None]
) -> Iterator[SparkSession]:
    """A session in a JVM started for it; both have ended when the block has."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    # pyspark refuses a second context in a process, with a message about the place of the first.
    if SparkContext._active_spark_context is not None:
        raise EngineError(
            "Spark already runs in this process, but has no session active in this thread.",
            remedy="Call SparkSession.builder.getOrCreate() in this thread first.",
        )
    # Spark itself tries an address for minutes before it gives up.
    require_reachable(master)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_directory())
        conf = _configuration(master, options, scratch.path)
        short = master.startswith("local") and not options.long_work
        java = java_options(conf) if short else ()
        fetches = conf.get("spark.jars.packages") and "resolving jars and "
        phase(f"Starting Spark: {fetches or ''}starting the JVM")
        gateway = stack.enter_context(start_jvm(conf, scratch, java, show=options.debug))
        phase("Starting Spark: opening a session")
        try:
            with _interrupts_as_they_are(), environment(_python(master, conf)):
                spark_conf = SparkConf(loadDefaults=False).setAll(list(conf.items()))
                # Not by the builder, which takes no gateway.
                session = SparkSession(SparkContext(conf=spark_conf, gateway=gateway))
        except Exception as error:
            raise died_at_start() or not_started(sentence(error_text(error))[0]) from error
        stack.callback(stop_session, session)
        # Once the session runs: as arguments, secrets would be seen in the list of processes.
        if options.stores:
            configure(session, options.stores, default_settings(spark_home()) | conf)
        # A standalone master accepts applications that it has no worker for.
        if master.startswith("spark://"):
            phase("Starting Spark: waiting for executors")
            _require_executors(session, master)
        yield session


def _python(master: str, conf: Mapping[str, str]) -> dict[str, str]:
    """Workers on this machine run the Python that has deltaadm, unless another one is asked for."""
    # Only spark-submit heeds the setting; a session that a program makes takes the variable.
    if asked := conf.get("spark.pyspark.python"):
        return {"PYSPARK_PYTHON": asked}
    if not master.startswith("local") or "PYSPARK_PYTHON" in os.environ:
        return {}
    return {"PYSPARK_PYTHON": sys.executable}


def _require_executors(session: SparkSession, master: str) -> None:
    """Wait for an executor; raises `EngineError` where none comes in time."""
    # Without one, Spark's first job would wait for ever.
    context = session.sparkContext._jsc.sc()
    # Spark's own setting, which a cluster that is slow to begin may have raised already.
    wait = context.conf().getTimeAsSeconds(_WAITING_TIME, f"{_TIME_FOR_EXECUTORS}s")
    # Dynamic allocation may have no executor until the first job asks for one.
    on_demand = context.conf().getBoolean("spark.dynamicAllocation.enabled", False)
    end = time.monotonic() + wait
    while not on_demand and len(context.statusTracker().getExecutorInfos()) == _THE_DRIVER:
        if time.monotonic() >= end:
            raise EngineError(
                f"Spark at {master} did not provide an executor within {wait} seconds.",
                remedy="Check that the master has a live worker with free cores and memory. "
                "--spark-conf spark.executor.memory=512m asks for less, and "
                f"--spark-conf {_WAITING_TIME}=300s waits longer.",
            )
        time.sleep(0.1)


_WAITING_TIME: Final = "spark.scheduler.maxRegisteredResourcesWaitingTime"
_TIME_FOR_EXECUTORS: Final = 60
# `getExecutorInfos` lists the driver as well.
_THE_DRIVER: Final = 1


def _configuration(master: str, options: SparkOptions, scratch: Path) -> dict[str, str]:
    """Ours, overruled by what is wanted, except where both have to hold."""
    given, jars = options.conf, options.jars
    conf = {"spark.master": master, "spark.sql.warehouse.dir": str(scratch / "warehouse")}
    conf |= _EVERYWHERE | _DELTA
    if master.startswith("local"):
        conf |= _ON_THIS_MACHINE | {"spark.local.dir": str(scratch)}
    conf |= given
    extensions = "spark.sql.extensions"
    # Both have to hold: Delta's, and those of the user.
    conf[extensions] = joined(_DELTA[extensions], given.get(extensions, ""))
    conf |= settings_for_delta(conf, jars)
    home = spark_home()
    known = default_settings(home) | conf
    return conf | settings_for_connectors(options.stores, known, [*jars_of(home), *jars])


@contextmanager
def _interrupts_as_they_are() -> Iterator[None]:
    """Keep the handler of Ctrl-C, which a SparkContext replaces."""
    # Python sets handlers of signals in the main thread alone, and so does pyspark.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
