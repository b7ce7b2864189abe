"""The JVM that runs Spark: its jars, starting, watching and ending it, and why it failed."""

from __future__ import annotations

import locale
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import is_zipfile

from deltaadm.errors import ArgumentFileError, EngineError, RefusedError
from deltaadm.storage import files

# Jars


INSTALL: Final = "pip install 'deltaadm[spark]'"
"""The command that installs the Spark packages that fit each other."""

INSTALL_CONNECT: Final = "pip install 'deltaadm[connect]'"
"""The command that installs what a client of Spark Connect needs."""

_DELTA_JAR: Final = re.compile(
    r"(?:io\.delta_)?delta-spark(?:_(?P<spark>\d+\.\d+))?_2\.\d+-(?P<delta>\d+)\.[\w.-]+\.jar"
)


def delta_jar(paths: Iterable[str]) -> str | None:
    """
    The first of *paths* that is Delta's jar, judged by its name.

    Raises `EngineError` where it was made for another Spark than the installed pyspark.
    """
    for path in paths:
        if match := _DELTA_JAR.fullmatch(path.replace("\\", "/").rpartition("/")[2]):
            installed = version("pyspark")
            # Where its name says no Spark it is one of the same major version, as all have been.
            made_for = match["spark"] or match["delta"]
            if not f"{installed}.".startswith(f"{made_for}."):
                raise EngineError(
                    f"{path} is built for Spark {made_for}, not {installed}.",
                    remedy="Use the jar for that Spark: its name says which it is built for.",
                )
            return path
    return None


def jars_at(place: str) -> list[str]:
    """
    The jars that *place* stands for: a jar, or all of a directory.

    Raises `ArgumentFileError` where there is nothing at all, and `RefusedError` where there is no
    jar.
    """
    path = Path(place)
    if not path.exists():
        raise ArgumentFileError(f"No jar was found at {place}.", remedy="Check its name.")
    jars = sorted(map(str, path.glob("*.jar"))) if path.is_dir() else [place]
    if not jars or not all(Path(path).is_file() for path in jars):
        raise RefusedError(
            f"No jar was found at {place}.", remedy="Name a jar, or a directory of jars."
        )
    return jars


def jars_of_spark() -> list[str]:
    """The jars that every session has."""
    return sorted(map(str, Path(spark_home(), "jars").glob("*.jar")))


def fetched_jars() -> list[str]:
    """The jars that Ivy has fetched for this user before."""
    return sorted(map(str, Path(os.environ.get("HOME") or Path.home()).glob(".ivy2*/jars/*.jar")))


def ivy_file(package: str) -> str:
    """The name that Ivy gives the jar of a package."""
    return f"{package}.jar".replace(":", "_", 1).replace(":", "-")


def spark_home() -> str:
    """The home of Spark: `SPARK_HOME`, or inside the pyspark package."""
    from pyspark.find_spark_home import _find_spark_home

    return str(_find_spark_home())


def require_fitting_spark() -> None:
    """Raise `EngineError` where the Spark of `SPARK_HOME` is of another release than pyspark."""
    installed, core = version("pyspark"), re.compile(r"spark-core_2\.\d+-(.+)\.jar")
    found = (core.fullmatch(Path(path).name) for path in jars_of_spark())
    release = next((match[1] for match in found if match), installed)
    if release.split(".")[:2] != installed.split(".")[:2]:
        raise EngineError(
            f"{spark_home()} has Spark {release}, while pyspark is {installed}.",
            remedy=f"Unset SPARK_HOME, or pip install pyspark=={release}.",
        )


def brings_delta(conf: Mapping[str, str]) -> bool:
    """Whether Spark settings name Delta's jars already."""
    lists = ("jars", "jars.packages", "driver.extraClassPath", "executor.extraClassPath")
    return any("delta-spark" in conf.get(f"spark.{key}", "") for key in lists)


def conf_directory() -> Path:
    """The directory with Spark's own settings; there need not be one."""
    return Path(os.environ.get("SPARK_CONF_DIR") or Path(spark_home(), "conf"))


def read_settings(file: Path) -> dict[str, str]:
    """The settings in a file of properties; none where there is no such file."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    lines = (line.strip() for line in text.splitlines())
    # As java.util.Properties reads it: a blank, = or : ends the key.
    pairs = (re.split(r"\s*[=:\s]\s*", line, maxsplit=1) for line in lines if line[:1] != "#")
    return {pair[0]: pair[1] for pair in pairs if len(pair) > 1}


def settings_at_start(conf: Mapping[str, str]) -> dict[str, str]:
    """*conf* and what `spark-defaults.conf` says besides; *conf* alone without pyspark."""
    try:
        return read_settings(conf_directory() / "spark-defaults.conf") | dict(conf)
    except ImportError:
        return dict(conf)


def settings_for_delta(conf: Mapping[str, str], jars: Sequence[str]) -> dict[str, str]:
    """
    The settings that get Delta onto the class path, given *conf* and the jars of the user.

    Nothing where it is there already: named by *conf* or `spark-defaults.conf`, or among Spark's
    own jars. The user's jars come next; else the package that fits the installed pyspark is
    fetched, or taken from where Ivy keeps what it has fetched.

    Raises `EngineError` where Spark, Delta and the installed pyspark do not fit each other.
    """
    require_fitting_spark()
    known = settings_at_start(conf)
    settings = {"spark.jars": joined(*jars, known.get("spark.jars", ""))} if jars else {}
    if delta_jar((*jars_of_spark(), *jars)) or brings_delta(known):
        return settings
    package, fetched = delta_package(), {Path(jar).name: jar for jar in fetched_jars()}
    release = package.rpartition(":")[2]
    own = [ivy_file(package), *(f"io.delta_delta-{name}-{release}.jar" for name in _BESIDES)]
    chosen = any(
        key.startswith(("spark.jars", "spark.driver.extraClassPath"))
        or (key.startswith("spark.sql.catalog.") and not value.endswith(".DeltaCatalog"))
        for key, value in known.items()
    )
    # Other jars may have classes that Delta looks for, executors elsewhere need theirs sent, and
    # for Unity Catalog Delta needs more than its own.
    if conf["spark.master"].partition("[")[0] == "local" and not (jars or chosen):
        # On Java's own class path they are loaded sooner than by Spark, and nothing is resolved.
        places = [fetched.get(name, "") for name in own]
        if all(map(is_zipfile, places)):  # a run may have been killed while it fetched them
            return settings | {"spark.driver.extraClassPath": os.pathsep.join(places)}
    return settings | {"spark.jars.packages": joined(package, known.get("spark.jars.packages", ""))}


_BESIDES: Final = ("storage", "kernel-api", "kernel-defaults", "kernel-unitycatalog")
"""The jars of a release of Delta that its Spark jar needs."""


def joined(*names: str) -> str:
    """Lists with commas as one list, in which everything stands once."""
    every = (item for items in names for item in items.split(","))
    return ",".join(dict.fromkeys(filter(None, every)))


def delta_package() -> str:
    """
    The Maven coordinates of the Delta that fits the installed pyspark.

    Raises `EngineError` where delta-spark wants another pyspark, or either is missing.
    """
    try:
        from delta import configure_spark_with_delta_pip
        from packaging.requirements import Requirement
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise missing(error.name or "delta-spark") from error
    installed = version("pyspark")
    for requirement in map(Requirement, requires("delta-spark") or ()):
        if requirement.name == "pyspark" and installed not in requirement.specifier:
            raise EngineError(
                f"delta-spark {version('delta-spark')} requires pyspark {requirement.specifier}, "
                f"not {installed}.",
                remedy=INSTALL,
            )
    # Delta's own helper knows how the package is called for this release of Spark.
    builder = configure_spark_with_delta_pip(SparkSession.builder)
    return str(builder._options["spark.jars.packages"])  # there is no public way to read it


def missing(package: str) -> EngineError:
    """The error for a package that Spark needs and that is not installed."""
    return EngineError(
        f"This needs Spark, but the package {package} is not installed.",
        remedy=f"{INSTALL}, or, for a change that touches no rows, --commit-engine embedded.",
    )


# Scratch directories


_PREFIX: Final = "deltaadm-spark-"
_LOCK: Final = "deltaadm.lock"


class Scratch(NamedTuple):
    """A directory, in use while this process, or one that inherits it, has the descriptor open."""

    path: Path
    lock: int


@contextmanager
def scratch_directory() -> Iterator[Scratch]:
    """A new directory for the time of the block; those of killed runs are removed first."""
    remove_abandoned()
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        # Another run may have taken the file for one without an owner before it was locked.
        if files.lock(lock, otherwise=True) and (path / _LOCK).exists():
            break
        os.close(lock)
    try:
        yield Scratch(path, lock)
    finally:
        shutil.rmtree(path, ignore_errors=True)
        # Closed after the removal, or another run would remove the rest at the same time.
        os.close(lock)


def remove_abandoned() -> None:
    """Remove the directories of runs, and of what they started, that have all ended."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), ExitStack() as stack:
            status = path.lstat()
            # Anybody may put a link or a directory of such a name into /tmp.
            if os.name == "nt" or not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            try:
                lock = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            except FileNotFoundError:
                # A run was killed before it made one, or while it removed the rest.
                has_ended = status.st_mtime < time.time() - 24 * 3600
            else:
                stack.callback(os.close, lock)
                has_ended = files.lock(lock)
            if has_ended:
                shutil.rmtree(path, ignore_errors=True)


# The JVM

_ANNOUNCEMENT: Final = "connection"
"""Where, in its directory, a JVM writes the port and the secret to connect with."""

_LOG: Final = "spark.log"


@contextmanager
def start_jvm(
    conf: Mapping[str, str], scratch: Scratch, java_options: Sequence[str] = (), *, show: bool
) -> Iterator[Any]:
    """
    The Py4J gateway to a new JVM that has *conf* and *java_options*, for the time of the block.

    The JVM writes to a log in *scratch*, or with *show* to standard error; never to standard
    output. It has ended when the block has, whatever ends it.
    """
    # Not `launch_gateway`, which leaves the JVM behind when it is interrupted while starting it.
    java_program()
    with _process(conf, scratch, java_options, show=show) as process:
        file = scratch.path / _ANNOUNCEMENT
        while not file.exists():
            # A JVM that has died writes no file, however long one waits.
            if process.poll() is not None:
                raise _died((scratch.path / _LOG).read_text(errors="replace"), process.returncode)
            time.sleep(0.05)
        # Py4J's own format: the port, the length of the secret, and the secret.
        written = file.read_bytes()
        connection = {
            "PYSPARK_GATEWAY_PORT": str(int.from_bytes(written[:4], "big")),
            "PYSPARK_GATEWAY_SECRET": written[8:].decode(),
        }
        with _gateway(connection, process) as gateway:
            yield gateway


@contextmanager
def environment(changes: Mapping[str, str]) -> Iterator[None]:
    """The process's environment with *changes*, for the time of the block."""
    before = {key: os.environ.get(key) for key in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


@contextmanager
def _process(
    conf: Mapping[str, str], scratch: Scratch, java_options: Sequence[str], *, show: bool
) -> Iterator[subprocess.Popen[bytes]]:
    """A JVM that ends once its standard input is closed; killed where it does not."""
    command = _command(conf, scratch.path)
    options = _words("SPARK_SUBMIT_OPTS", os.environ.get("SPARK_SUBMIT_OPTS", ""))
    # It keeps the files that it leaves when it is killed in our directory, too.
    options += [*java_options, f"-Djava.io.tmpdir={scratch.path}"]
    ours = {
        "SPARK_CONNECT_MODE": "0",
        # Hundreds of threads take memory from glibc, each few from places of their own.
        "MALLOC_ARENA_MAX": os.environ.get("MALLOC_ARENA_MAX", "1"),
        # Where PythonGatewayServer writes its port and secret; pyspark's own launcher names a file
        # in the same way.
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(scratch.path / _ANNOUNCEMENT),
        "SPARK_SUBMIT_OPTS": _java_arguments(scratch.path / "java.options", options),
    }
    # A JVM names files in the locale's encoding, so that has to be able to spell them all.
    if sys.platform == "linux" and locale.getencoding().lower().replace("-", "") != "utf8":
        ours["LC_ALL"] = "C.UTF-8"
    # With SPARK_REMOTE, spark-submit would connect to a server instead of running here.
    environment = {key: value for key, value in os.environ.items() if key != "SPARK_REMOTE"} | ours
    process = None
    try:
        with (scratch.path / _LOG).open("wb") as log, _signals_deferred():
            output = 2 if show else log  # our standard error
            process = subprocess.Popen(  # noqa: S603 -- Spark's own launcher
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env=environment,
                # With the lock, the JVM keeps its directory from being removed as abandoned.
                pass_fds=() if os.name == "nt" else (scratch.lock,),
                **_OUT_OF_REACH_OF_CTRL_C,
            )
        yield process
    finally:
        if process is not None:
            # As it ends it removes what it keeps elsewhere, such as in SPARK_LOCAL_DIRS. Only a JVM
            # that has come up listens.
            has_come_up = (scratch.path / _ANNOUNCEMENT).exists()
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=10 if has_come_up else 0)
            if process.poll() is None and sys.platform == "win32":
                command = ["taskkill", "/f", "/t", "/pid", str(process.pid)]
                subprocess.run(command, capture_output=True, check=False)  # noqa: S603
            elif process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Let an interrupt wait for the end of the block, so that what is forked in it is known."""
    # Not by a mask, which the JVM would inherit, and which other threads do not have. Handlers are
    # called in the main thread alone.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    # What is ignored has to be so in the JVM as well, and what ends this process at once may.
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    try:
        for number in handlers:
            signal.signal(number, lambda signal_number, _: arrived.append(signal_number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for arrival in arrived:
            signal.raise_signal(arrival)


# A terminal sends Ctrl-C to a whole process group, but we end the JVM ourselves, in order.
_OUT_OF_REACH_OF_CTRL_C: Final[dict[str, Any]] = (
    {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    if os.name == "nt"
    else {"process_group": 0}
)


def _command(conf: Mapping[str, str], scratch: Path) -> list[str]:
    # Anybody on this machine can see the arguments of a process, and settings may be secrets.
    settings = dict(conf)
    given = settings_at_start(settings)
    for key in _JAVA_OPTIONS:
        if options := _words(key, given.get(key, "")):
            settings[key] = _java_arguments(scratch / key, options)
    lines = (f"{key.translate(_ESCAPED)}={settings[key].translate(_ESCAPED)}" for key in settings)
    file = _written(scratch / "spark.conf", lines)
    launcher = Path(spark_home(), "bin", "spark-submit.cmd" if os.name == "nt" else "spark-submit")
    return [str(launcher), "--load-spark-defaults", f"--properties-file={file}", "pyspark-shell"]


_JAVA_OPTIONS: Final = ("spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions")
_ESCAPED: Final = str.maketrans(
    {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\f": r"\f"}
    | {sign: f"\\{sign}" for sign in ' \\"=:#!'}
)
"""What has a meaning of its own to java.util.Properties or in a file of Java's arguments."""


def _words(name: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise not_started(f"{name}: {error}") from error


def _java_arguments(file: Path, options: Sequence[str]) -> str:
    """The argument, quoted for Spark's launcher, with which Java reads *options* from *file*."""
    _written(file, (f'"{option.translate(_ESCAPED)}"' for option in options))
    return '"@' + str(file).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _written(file: Path, lines: Iterable[str]) -> Path:
    file.touch(mode=0o600)
    file.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    return file


@contextmanager
def _gateway(connection: Mapping[str, str], process: subprocess.Popen[bytes]) -> Iterator[Any]:
    """A gateway to a JVM that has been started, in the place where pyspark looks for it."""
    from pyspark import SparkContext, java_gateway

    connect: Callable[[], Any] = java_gateway.launch_gateway
    try:
        with environment(connection):
            gateway = connect()
    except Exception as error:
        ended = how_ended(process)
        raise not_started(f"its JVM {ended}" if ended else str(error)) from error
    gateway.proc = process
    # A SparkContext uses the gateway that it is given only where it has none yet.
    before = SparkContext._gateway, SparkContext._jvm
    SparkContext._gateway = SparkContext._jvm = None
    try:
        yield gateway
    finally:
        SparkContext._gateway, SparkContext._jvm = before
        with suppress(Exception):  # the JVM may have died already
            gateway.close()


def jvm_process() -> subprocess.Popen[bytes] | None:
    """The process of the JVM that this process talks to, if it has started it."""
    from pyspark import SparkContext

    return getattr(SparkContext._gateway, "proc", None)


# Why there is no JVM

JAVA_REMEDY: Final = "Install Java 17 or 21 and set JAVA_HOME or PATH to it."
"""The remedy for a Java that is missing or unsuitable."""

JVM_REMEDY: Final = (
    "Check whether memory ran out, or what killed it; --spark-conf spark.driver.memory=1g limits "
    "its memory, and --debug shows all of Spark's output."
)
"""The remedy for a JVM that was killed or has crashed."""

_REMEDY: Final = (
    "`deltaadm doctor` checks Java, jars and addresses; --debug shows all of Spark's output."
)

_NO_CAUSE: Final = re.compile(
    r"\s*$|WARNING:|OpenJDK .* warning:|:: |#|\t|Using Spark's default log4j|Setting default log"
    r"|To adjust logging|\S*spark-class: line|\d\d/\d\d/\d\d [\d:]+ (INFO|WARN)"
    r"|Error: (Could not create the Java|A fatal exception)"
)
"""Output of Java, Ivy and Spark that appears where all is well, too, or that follows the cause."""


def java_program() -> str:
    """The Java that Spark runs on, of JAVA_HOME or the PATH; raises `EngineError` without one."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if program is None:
        where = f"none was found in JAVA_HOME ({home})" if home else "none was found on the PATH"
        raise EngineError(f"Spark needs Java, but {where}.", remedy=JAVA_REMEDY)
    return program


def _died(log: str, code: int) -> EngineError:
    """Read from its output, and its exit *code*, why a JVM did not come up."""
    ending = _ending(code)
    words = [line for line in log.splitlines() if not _NO_CAUSE.match(line)]
    # A JVM that was killed has not said why, whatever its log ends with.
    if ending.startswith(_KILLED) or not words:
        return not_started(f"its JVM {ending}", JVM_REMEDY)
    exceptions = [line for line in words if line.startswith(_EXCEPTION)]
    return not_started(re.sub(rf"^({_EXCEPTION}[\w.$]+|Error): ", "", (exceptions or words)[-1]))


def how_ended(process: subprocess.Popen[bytes] | None) -> str:
    """The way in which a JVM ended; empty while it lives, and for one that is not ours."""
    try:
        # The connections of a JVM break a little before it has ended.
        return "" if process is None else _ending(process.wait(timeout=1))
    except subprocess.TimeoutExpired:
        return ""


def _ending(code: int) -> str:
    """
    How a process with an exit *code* came to its end.

    >>> _ending(-9), _ending(143), _ending(1)
    ('was killed by SIGKILL', 'was killed by SIGTERM', 'exited with code 1')
    """
    try:  # scripts, and Java itself, report a signal as 128 more
        return f"{_KILLED}{signal.Signals(-code if code < 0 else code - 128).name}"
    except ValueError:
        return f"exited with code {code}"


_KILLED: Final = "was killed by "
_EXCEPTION: Final = 'Exception in thread "main" '


def not_started(cause: str, remedy: str = _REMEDY) -> EngineError:
    """The error for a Spark that does not come up, for a reason that only Spark can explain."""
    return EngineError(f"Cannot start Spark: {cause.rstrip('.')}.", remedy=remedy)


# A faster start


SHORT_WORK: Final = (
    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmn16m", "-Xms80m", "-XX:MinHeapFreeRatio=20"
)  # fmt: skip
"""
Compile quickly rather than well, and collect garbage without threads of its own, early.

A session that commits metadata ends before the optimizing compiler pays for itself, and before it
has filled the space for new objects that Java would reserve: a third of a large machine's heap. A
session for many tables would fill the heap it begins with, a share of the machine, with garbage.
"""


def java_options(conf: Mapping[str, str]) -> tuple[str, ...]:
    """The options for a JVM that does short work under *conf*; none where the user has chosen."""
    variables = "SPARK_SUBMIT_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"
    chosen = [settings_at_start(conf).get(key, "") for key in _JAVA_OPTIONS]
    chosen += [os.environ.get(name, "") for name in variables]
    # Java does not start with two collectors, and the user may have chosen one.
    return () if any("-XX:" in text for text in chosen) else SHORT_WORK
