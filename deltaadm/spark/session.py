"""A SparkSession with Delta: the one that is there, a remote one, or a new one of our own."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import wait
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies
from weakref import WeakSet

from deltaadm.blocks import Check, Health
from deltaadm.dataclass import dataclass, field
from deltaadm.errors import DeltaadmError, EngineError, RefusedError
from deltaadm.spark import errors, jvm, store
from deltaadm.storage.store import is_remote, scheme_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# Settings of a session that runs


@contextmanager
def configured(session: SparkSession, conf: Mapping[str, str]) -> Iterator[None]:
    """The session with *conf* for the block; `EngineError` for what is fixed once Spark runs."""
    before: dict[str, str | None] = {}
    try:
        for key, value in conf.items():
            try:
                old = session.conf.get(key, None)
                session.conf.set(key, value)
                before[key] = old
            except Exception as error:
                if errors.is_lost(error):
                    raise errors.lost(error) from error
                raise EngineError(
                    f"The running Spark session does not allow {key} to be changed: "
                    f"{errors.sentence(errors.error_text(error))[0]}",
                    remedy="Set it where that session is started.",
                ) from error
        yield
    finally:
        for key, old in before.items():
            with suppress(Exception):  # a session that is gone has no settings
                if old is None:
                    session.conf.unset(key)
                else:
                    session.conf.set(key, old)


LITERAL_STATEMENTS: Final = {
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.variable.substitute": "false",
}
"""Settings under which a statement means what it says."""


# Spark Connect


@contextmanager
def remote_session(
    url: str, conf: Mapping[str, str], *, debug: bool = False
) -> Iterator[SparkSession]:
    """A session on the server at *url* for the time of the block; raises `EngineError`."""
    require_reachable(url)
    with ExitStack() as stack:
        # pyspark decides by these whether functions such as `col` are those of Connect.
        variables = {"SPARK_REMOTE": url, "SPARK_CONNECT_MODE_ENABLED": "1"}
        stack.enter_context(jvm.environment(variables))
        if not debug:
            # What gRPC and pyspark write to standard error about a failing connection.
            stack.enter_context(jvm.environment({"GRPC_VERBOSITY": "NONE"}))
            stack.enter_context(warnings.catch_warnings())
            warnings.filterwarnings("ignore", module=r"pyspark\.sql\.connect")
        try:
            import grpc
            from pyspark.sql.connect import client
            from pyspark.sql.connect import session as connect
            from pyspark.sql.connect.client.retries import DefaultPolicy

            # A server that hangs answers no pings; more of them it might take for an attack.
            channel = client.DefaultChannelBuilder(url, [("grpc.keepalive_time_ms", 300_000)])
            # Asked for its version, Spark's client would try for minutes.
            with channel.toChannel() as first:
                try:
                    grpc.channel_ready_future(first).result(timeout=_PATIENCE)
                except grpc.FutureTimeoutError:
                    cause = "the server there is not a Spark Connect server"
                    raise _unreachable(url, cause) from None
            farewell = _brief_farewell()
            channel.add_interceptor(farewell)
            # Not `getOrCreate`, which might give a session that the program has made.
            session: Any = connect.SparkSession.builder.channelBuilder(channel).create()
            # Where the release is broken off; to close it would crash threads that still use it.
            stack.callback(setattr, session.client, "_closed", True)
            stack.callback(stop_session, session)
            stack.callback(farewell.begin)
            # Some seconds in place of ten minutes, which each question that follows takes again.
            session.client.set_retry_policies([DefaultPolicy(max_retries=4)])
            _ = session.version  # the first thing that the server is asked
        except ImportError as error:
            raise EngineError(
                "Spark Connect needs packages that are not installed.", remedy=jvm.INSTALL_CONNECT
            ) from error
        except EngineError:
            raise
        except Exception as error:
            raise jvm.not_started(errors.sentence(errors.error_text(error))[0]) from error
        stack.enter_context(configured(session, conf))
        yield session


def _brief_farewell() -> Any:
    """What gives up a server that does not answer once Ctrl-C or a deadline ends the run."""
    import grpc

    class BriefFarewell(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):  # type: ignore[misc]
        """Settings are restored, and a session is released, while the interrupt is handled."""

        def __init__(self) -> None:
            self.patience, self.begun = 2.0, False
            self.statements: WeakSet[Any] = WeakSet()

        def begin(self) -> None:
            """End what other threads are waiting for."""
            self.begun = _interrupt() is not None
            for call in list(self.statements):
                call.cancel()

        def intercept_unary_stream(self, go_on: Any, details: Any, request: Any) -> Any:
            call = go_on(details, request)
            self.statements.add(call)
            return call

        def intercept_unary_unary(self, go_on: Any, details: Any, request: Any) -> Any:
            interrupt = _interrupt()
            if interrupt or self.begun:
                details = details._replace(timeout=self.patience)
            elif details.method.endswith("/ReleaseExecute"):
                # It is asked for in threads, which the end of the process waits for.
                details = details._replace(timeout=_PATIENCE)
            call = go_on(details, request)
            if interrupt and call.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                self.patience = 0.1
                raise interrupt
            return call

    return BriefFarewell()


def _interrupt() -> BaseException | None:
    """The interrupt, such as Ctrl-C, that this thread is handling."""
    error = sys.exception()
    return None if isinstance(error, (Exception, GeneratorExit)) else error


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
        remedy="Check the address, and that Spark is running there. Without an address, deltaadm "
        "starts Spark on this machine.",
    )


# Sessions


@dataclass(frozen=True, kw_only=True)
class SparkOptions:
    """
    Where Spark runs and with which settings; nothing given means this machine.

    `master` is a Spark master, `remote` a Spark Connect address (`sc://host:port`). `jars` are
    files for the class path of a session that has to be started. With `debug` the JVM's own
    output appears on standard error; otherwise nobody sees it. With `long_work`, such as reading
    a fleet on this machine or rewriting data files, the JVM compiles as well as it can; otherwise
    it is set up to start quickly. `stores` are locations that a session which has to be started
    must reach, with what is set for each besides the environment.
    """

    master: str | None = None
    jars: tuple[str, ...] = ()
    conf: Mapping[str, str] = field(default_factory=dict)
    remote: str | None = None
    debug: bool = False
    long_work: bool = False
    stores: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    @property
    def target(self) -> str:
        """The server or the master of a new session."""
        return self.remote or self.master or os.environ.get("SPARK_REMOTE") or "local[*]"

    @property
    def is_connect(self) -> bool:
        """Whether a new session is one on a Spark Connect server."""
        return self.target.startswith(CONNECT)


CONNECT: Final = "sc://"


def ignore(_: str) -> None:
    """A *phase* for callers that show no progress."""


@contextmanager
def open_session(
    options: SparkOptions, announce: Callable[[str], None], phase: Callable[[str], None] = ignore
) -> Iterator[SparkSession]:
    """
    A session for the time of the block; *announce* is called when one has to be started.

    *phase* is told what the start, which takes its time, is doing. An active session comes first
    and is left as it was found. Otherwise one is started: on `options.remote`, `options.master`,
    `SPARK_REMOTE` or this machine, whichever is given first. What was started has stopped when
    the block ends, its JVM included, so nothing is committed after that. Nothing is written to
    standard output or to the working directory.

    Raises `EngineError` where there can be no session.
    """
    # An active session has the catalogs and credentials of the program that we are part of.
    try:
        from pyspark import SparkContext, sql
    except ImportError as error:
        raise jvm.missing("pyspark") from error
    active, context = sql.SparkSession.getActiveSession(), SparkContext._active_spark_context
    if active is None and context is not None and not options.is_connect:
        # Another thread's, which may end it at any moment.
        raise EngineError(
            "Spark already runs in this process, but has no session active in this thread.",
            remedy="Call SparkSession.builder.getOrCreate() in this thread first.",
        )
    target, shown = options.target, without_secrets(options.target)
    if options.remote and not options.is_connect:
        raise RefusedError(
            f"{shown} is not a Spark Connect address.",
            remedy=f"Use {CONNECT}HOST:PORT; --spark-master is for other masters.",
        )
    if options.is_connect and options.jars:
        raise RefusedError(
            f"The Spark Connect server at {shown} uses its own jars; --jars does not apply to it.",
            remedy="Leave out --jars, and start the server with the jars that it needs.",
        )
    with ExitStack() as stack:
        if not options.debug:
            stack.enter_context(_quiet_loggers())
        if active is not None:
            session = active
            stack.enter_context(configured(session, options.conf))
        elif options.is_connect:
            announce(f"Connecting to Spark at {shown} ...")
            session = stack.enter_context(remote_session(target, options.conf, debug=options.debug))
        else:
            if os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell") != "pyspark-shell":
                announce("Warning: PYSPARK_SUBMIT_ARGS is not read; use --spark-conf and --jars.")
            announce(f"Starting Spark on {target} ...")
            session = stack.enter_context(_own_session(target, options, phase))
        yield session


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
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger in loggers:
            logger.disabled = False
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
    # What it could show of jobs that have ended: of a thousand each, by default, kept in memory.
    "spark.ui.retainedJobs": "16",
    "spark.ui.retainedStages": "16",
    "spark.sql.ui.retainedExecutions": "16",
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
    from pyspark import SparkConf, SparkContext, sql

    # Spark itself tries an address for minutes before it gives up.
    require_reachable(master)
    with ExitStack() as stack:
        scratch = stack.enter_context(jvm.scratch_directory())
        conf = _configuration(master, options, scratch.path)
        java = () if options.long_work else jvm.java_options(conf)
        fetches = conf.get("spark.jars.packages") and "resolving jars and "
        phase(f"Starting Spark: {fetches or ''}starting the JVM")
        gateway = stack.enter_context(jvm.start_jvm(conf, scratch, java, show=options.debug))
        phase("Starting Spark: opening a session")
        # Workers on this machine run the Python that has deltaadm, unless another one is asked for.
        # Only spark-submit heeds the setting; a session that a program makes takes the variable.
        own = sys.executable if master.startswith("local") else ""
        worker = conf.get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON", own)
        python = {"PYSPARK_PYTHON": worker} if worker else {}
        before = signal.getsignal(signal.SIGINT)
        try:
            with jvm.environment(python):
                spark_conf = SparkConf(loadDefaults=False).setAll(list(conf.items()))
                # Not by the builder, which takes no gateway.
                session = sql.SparkSession(SparkContext(conf=spark_conf, gateway=gateway))
        except Exception as error:
            if ended := jvm.how_ended(jvm.jvm_process()):
                raise jvm.not_started(f"its JVM {ended}", jvm.JVM_REMEDY) from error
            raise jvm.not_started(errors.sentence(errors.error_text(error))[0]) from error
        finally:
            # A SparkContext replaces the handler of Ctrl-C, as only the main thread can.
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, before)
        stack.callback(stop_session, session)
        # Once the session runs: as arguments, secrets would be seen in the list of processes.
        if options.stores:
            store.configure(session, options.stores, jvm.settings_at_start(conf))
        # A standalone master accepts applications that it has no worker for.
        if master.startswith("spark://"):
            phase("Starting Spark: waiting for executors")
            _require_executors(session, master)
        yield session


def _require_executors(session: SparkSession, master: str) -> None:
    """Wait for an executor; raises `EngineError` where none comes in time."""
    # Without one, Spark's first job would wait for ever.
    context = session.sparkContext._jsc.sc()
    # Spark's own setting, which a cluster that is slow to begin may have raised already.
    waiting_time = "spark.scheduler.maxRegisteredResourcesWaitingTime"
    wait = context.conf().getTimeAsSeconds(waiting_time, "60s")
    # Dynamic allocation may have no executor until the first job asks for one.
    on_demand = context.conf().getBoolean("spark.dynamicAllocation.enabled", False)
    end = time.monotonic() + wait
    # The driver is listed as well.
    while not on_demand and len(context.statusTracker().getExecutorInfos()) == 1:
        if time.monotonic() >= end:
            raise EngineError(
                f"Spark at {master} did not provide an executor within {wait} seconds.",
                remedy="Check that the master has a live worker with free cores and memory. "
                "--spark-conf spark.executor.memory=512m asks for less, and "
                f"--spark-conf {waiting_time}=300s waits longer.",
            )
        time.sleep(0.1)


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
    conf[extensions] = jvm.joined(_DELTA[extensions], given.get(extensions, ""))
    known, every = jvm.settings_at_start(conf), [*jvm.jars_of_spark(), *jars]
    conf |= store.settings_for_connectors(options.stores, known, every)
    return conf | jvm.settings_for_delta(conf, jars)


@contextmanager
def activated(session: Any) -> Iterator[None]:
    """
    Make *session* the active one of this thread for the block, as `open_session` looks for it.

    A session on Spark Connect is so since it was made, and stays that. Raises `EngineError` for one
    that has ended.
    """
    on_connect = hasattr(session, "is_stopped")
    ended = session.is_stopped if on_connect else session.sparkContext._jsc is None
    if ended:
        raise EngineError(
            "The Spark session that was given for this table has ended.",
            remedy="Start another one, and open the table with it.",
        )
    java = getattr(session, "_jvm", None)
    if java is None:
        yield
        return
    sessions = type(session)._get_j_spark_session_class(java)
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


# What `doctor` looks at: whether Spark could start here, and with which Delta


def spark_checks(options: SparkOptions) -> Iterator[Check]:
    """The checks of a session with *options*; nothing is started and nothing fetched."""
    target = options.target
    shown = without_secrets(target)
    if options.is_connect:
        yield _package("pyspark")
        modules = ("grpc", "grpc_status", "pandas", "pyarrow", "zstandard")
        if lacking := [module for module in modules if find_spec(module) is None]:
            detail = f"not installed: {', '.join(lacking)}"
            yield Check("packages", Health.FAILED, detail, jvm.INSTALL_CONNECT)
        where = f"Spark Connect at {shown}: it has its own Java and jars"
        yield Check.of("Spark", lambda: require_reachable(target), where)
        return
    packages = [_package("pyspark"), _package("delta-spark")]
    yield from packages
    try:
        java = jvm.java_program()
    except EngineError as error:
        yield Check("Java", Health.FAILED, error.message, error.remedy)
    else:
        done = subprocess.run(  # noqa: S603 -- the Java that Spark would run
            [java, "-version"], capture_output=True, text=True, check=False, timeout=60
        )
        # Java answers `-version` on standard error.
        yield java_check(java, done.stderr + done.stdout)
    if all(check.health is Health.OK for check in packages):
        home = f"{jvm.spark_home()} (SPARK_HOME)"
        own = home if os.environ.get("SPARK_HOME") else "that of pyspark"
        yield Check.of("Spark", jvm.require_fitting_spark, own)
        yield Check.of("master", lambda: require_reachable(target), shown)
        yield _delta(options)


def start_check(options: SparkOptions, announce: Callable[[str], None]) -> Check:
    """Start a session and ask it for its version and whether Delta answers."""

    def started() -> str:
        with open_session(options, announce) as session:
            release = session.version
            try:
                # A statement that only Delta's extension parses, on a table that cannot be there.
                session.sql("DESCRIBE HISTORY delta.`/deltaadm-doctor/no/such/table`")
            except Exception as error:
                refused = errors.refusal(error)
                if not str(refused.delta_error_class).startswith("DELTA_"):
                    raise EngineError(
                        f"Spark {release} starts, but Delta does not respond: {refused.message}",
                        remedy="Check --spark-conf and the jars on the class path.",
                    ) from error
        return f"Spark {release} starts, and Delta responds"

    return Check.of("session", started)


def _package(name: str) -> Check:
    try:
        return Check(name, Health.OK, version(name))
    except PackageNotFoundError:
        lacking = "not installed; commits need --commit-engine embedded"
        return Check(name, Health.FAILED, lacking, jvm.INSTALL)


def java_check(where: str, output: str) -> Check:
    """
    The check on the Java at *where* that answers *output* when asked for its version.

    >>> java_check("/bin/java", 'openjdk version "1.8.0_392"').health.value
    'failed'
    """
    match = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', output)
    if match and int(match[2]) >= 17:  # noqa: PLR2004 -- the first that Spark 4 runs on
        return Check("Java", Health.OK, f"{match[1]} at {where}")
    found = f"{match[1] if match else 'one that does not say its version'} at {where}"
    return Check("Java", Health.FAILED, found, jvm.JAVA_REMEDY)


def _delta(options: SparkOptions) -> Check:
    """The sources of Delta's classes, in the order in which a session looks."""
    try:
        if jar := jvm.delta_jar((*jvm.jars_of_spark(), *options.jars)):
            return Check("Delta jars", Health.OK, jar)
        if jvm.brings_delta(jvm.settings_at_start(options.conf)):
            return Check("Delta jars", Health.OK, "configured in Spark's settings")
        return _fetched("Delta jars", jvm.delta_package())
    except DeltaadmError as error:
        return Check("Delta jars", Health.FAILED, error.message, error.remedy)


def _fetched(subject: str, package: str, first: str = "") -> Check:
    """Whether Ivy has *package*, or will fetch it the *first* time that it is needed."""
    if any(Path(path).name == jvm.ivy_file(package) for path in jvm.fetched_jars()):
        return Check(subject, Health.OK, f"{package}, already downloaded")
    found = f"{package} will be downloaded when Spark first starts{first}"
    remedy = (
        "Without access to Maven Central, provide the jars with --jars PATH, or a mirror with "
        "--spark-conf spark.jars.ivySettings=FILE; spark.jars.ivy=DIRECTORY keeps them elsewhere "
        "than in your home directory."
    )
    return Check(subject, Health.WARNING, found, remedy)


def storage_checks(location: str, options: SparkOptions) -> Iterator[Check]:
    """
    How Spark would commit to a table at *location*: the LogStore and the file system for it.

    Nothing is said of this machine's own files, nor where a Connect server would commit.
    """
    if options.is_connect or not is_remote(location) or find_spec("pyspark") is None:
        return
    scheme = scheme_of(location)
    facts, conf = store.log_store(scheme), jvm.settings_at_start(options.conf)
    chosen = store.chosen_log_store(scheme, conf)
    if facts.alone and chosen is None:
        yield Check(
            f"LogStore for {scheme}",
            Health.WARNING,
            f"{facts.name}, which loses commits when several drivers write at once",
            "Make sure that no other Spark writes at the same time, or let all of them use a "
            "LogStore that coordinates writers: --spark-conf "
            f"{store.setting(scheme)}=io.delta.storage.S3DynamoDBLogStore",
        )
    else:
        yield Check(f"LogStore for {scheme}", Health.OK, chosen or facts.name)
    if connector := facts.connector:
        subject, paths = f"file system for {scheme}", [*jvm.jars_of_spark(), *options.jars]
        jar = next((path for path in paths if connector in Path(path).name), None)
        if package := store.missing_connector(location, conf, paths):
            yield _fetched(subject, package, " for such a table")
        else:
            found = jar or f"{connector}, configured in Spark's settings"
            yield Check(subject, Health.OK, found)
        settings = store.hadoop_settings(options.stores, os.environ, conf)
        # Of keys the names alone are shown: some of the values are secret.
        keys = sorted(key for key in settings if not key.endswith(".impl"))
        named = f"from the environment and options: {', '.join(keys)}"
        nothing = "none in the environment; Hadoop looks for credentials by itself"
        yield Check(f"Hadoop's settings for {scheme}", Health.OK, named if keys else nothing)
