"""The JVM that runs Spark: starting, watching and ending it, and why it failed."""

from __future__ import annotations

import locale
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from deltaadm.errors import EngineError
from deltaadm.spark.jars import default_settings, read_settings, spark_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from deltaadm.spark.scratch import Scratch

_STANDARD_ERROR: Final = 2


@contextmanager
def start_jvm(
    conf: Mapping[str, str], scratch: Scratch, java_options: Sequence[str] = (), *, show: bool
) -> Iterator[Any]:
    """
    The Py4J gateway to a new JVM that has *conf* and *java_options*, for the time of the block.

    The JVM writes to a log in *scratch*, or with *show* to standard error; never to standard
    output. It has ended when the block has, whatever ends it. Under spark-submit, which has
    started a JVM already, that one is used and goes on.
    """
    # Not `launch_gateway`, which leaves the JVM behind when it is interrupted while starting it.
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        with _gateway({}) as gateway:
            yield gateway
        return
    java_program()
    with (
        _process(conf, scratch, java_options, show=show) as process,
        _gateway(_connection(process, scratch.path), process) as gateway,
    ):
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
    environment = _jvm_environment(scratch.path, java_options)
    process = None
    try:
        with _log(scratch.path).open("wb") as log, _signals_deferred():
            output = _STANDARD_ERROR if show else log
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
            if process.stdin is not None:
                process.stdin.close()
            # Only a JVM that has come up listens to its standard input.
            patience = 10 if _announcement(scratch.path).exists() else 0
            try:
                process.wait(timeout=patience)
            except subprocess.TimeoutExpired:
                _kill(process)


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
    """
    Spark's launcher, with the settings of the session in files.

    Anybody on this machine can see the arguments of a process, and settings may be secrets.
    """
    settings, rest = dict(conf), []
    words = iter(_words("PYSPARK_SUBMIT_ARGS", os.environ.get("PYSPARK_SUBMIT_ARGS", _SHELL)))
    for word in words:
        option, _, value = word.partition("=")
        if option in {"--conf", "-c"}:
            key, _, setting = (value or next(words, "")).partition("=")
            settings[key] = setting
        elif option == "--driver-java-options":
            settings[_JAVA_OPTIONS[-1]] = value or next(words, "")
        elif option == "--properties-file":
            settings = read_settings(Path(value or next(words, ""))) | settings
        else:
            rest.append(word)
    given = default_settings(spark_home()) | settings
    for key in _JAVA_OPTIONS:
        if options := _words(key, given.get(key, "")):
            settings[key] = _java_arguments(scratch / key, options)
    lines = (f"{key.translate(_ESCAPED)}={settings[key].translate(_ESCAPED)}" for key in settings)
    file = _written(scratch / "spark.conf", lines)
    launcher = Path(spark_home(), "bin", "spark-submit.cmd" if os.name == "nt" else "spark-submit")
    return [str(launcher), "--load-spark-defaults", "--properties-file", str(file), *rest]


_SHELL: Final = "pyspark-shell"
_JAVA_OPTIONS: Final = ("spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions")
_ESCAPED: Final = str.maketrans(
    {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\f": r"\f"}
    | {sign: f"\\{sign}" for sign in ' \\"=:#!'}
)
"""What has a meaning of its own to java.util.Properties or in a file of Java's arguments."""


def _words(name: str, text: str) -> list[str]:
    """The arguments in *text*, which is what *name* is set to."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise not_started(f"{name} has a quotation mark too many") from error


def _java_arguments(file: Path, options: Sequence[str]) -> str:
    """The argument, quoted for Spark's launcher, with which Java reads *options* from *file*."""
    _written(file, (f'"{option.translate(_ESCAPED)}"' for option in options))
    return '"@' + str(file).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _written(file: Path, lines: Iterable[str]) -> Path:
    """The new *file* with *lines*, which nobody else can read."""
    file.touch(mode=0o600)
    file.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    return file


def _jvm_environment(scratch: Path, java_options: Sequence[str]) -> dict[str, str]:
    """The environment in which the JVM is started."""
    options = _words("SPARK_SUBMIT_OPTS", os.environ.get("SPARK_SUBMIT_OPTS", ""))
    # It keeps the files that it leaves when it is killed in our directory, too.
    options += [*java_options, f"-Djava.io.tmpdir={scratch}"]
    ours = {
        "SPARK_CONNECT_MODE": "0",
        # Where PythonGatewayServer writes its port and secret; pyspark's own launcher names a file
        # in the same way.
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(_announcement(scratch)),
        "SPARK_SUBMIT_OPTS": _java_arguments(scratch / "java.options", options),
    }
    # A JVM names files in the locale's encoding, so that has to be able to spell them all.
    if sys.platform == "linux" and locale.getencoding().lower().replace("-", "") != "utf8":
        ours["LC_ALL"] = "C.UTF-8"
    # With SPARK_REMOTE, spark-submit would connect to a server instead of running here.
    return {key: value for key, value in os.environ.items() if key != "SPARK_REMOTE"} | ours


def _connection(process: subprocess.Popen[bytes], scratch: Path) -> dict[str, str]:
    """The connection data of the JVM, once it writes them: a port, and a text with its length."""
    file = _announcement(scratch)
    while not file.exists():
        # A JVM that has died writes no file, however long one waits.
        if process.poll() is not None:
            raise _died(_log(scratch).read_text(errors="replace"), process.returncode)
        time.sleep(0.05)
    # Py4J's own format: the port, the length of the secret, and the secret.
    written = file.read_bytes()
    return {
        "PYSPARK_GATEWAY_PORT": str(int.from_bytes(written[:4], "big")),
        "PYSPARK_GATEWAY_SECRET": written[8:].decode(),
    }


def _announcement(scratch: Path) -> Path:
    return scratch / "connection"


def _log(scratch: Path) -> Path:
    return scratch / "spark.log"


@contextmanager
def _gateway(
    connection: Mapping[str, str], process: subprocess.Popen[bytes] | None = None
) -> Iterator[Any]:
    """A gateway to a JVM that has been started, in the place where pyspark looks for it."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    connect: Callable[[], Any] = launch_gateway
    try:
        with environment(connection):
            gateway = connect()
    except Exception as error:
        ended = _how_ended(process)
        raise not_started(f"its JVM {ended}" if ended else str(error)) from error
    if process is not None:
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


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and whatever it has started."""
    # The launcher is a script, and what it runs may not be Java yet.
    if sys.platform == "win32":
        command = ("taskkill", "/f", "/t", "/pid", str(process.pid))
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


# Why there is no JVM

JAVA_REMEDY: Final = "Install Java 17 or 21 and set JAVA_HOME or PATH to it."
"""The remedy for a Java that is missing or unsuitable."""

JVM_REMEDY: Final = (
    "Check whether memory ran out, or what killed it; --spark-conf spark.driver.memory=1g limits "
    "its memory, and --debug shows all of Spark's output."
)
"""The remedy for a JVM that was killed or has crashed."""

_OLD_JAVA: Final = re.compile(r"UnsupportedClassVersionError|Unrecognized (VM )?option|--add-")
_NO_JAVA: Final = re.compile(r"Unable to locate a Java Runtime|JAVA_HOME is not set")
# Java takes the home directory of the system's list of users, whatever HOME says.
_NO_HOME: Final = re.compile(
    r"^Exception in thread \"main\" [\w.$]+: (.*\.ivy2\b.*)$", re.MULTILINE
)
_NO_JARS: Final = re.compile(r"\[(?:unresolved dependency|download failed): ([^\]]*)\]")
_CAUSES: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r'^Exception in thread "main" [\w.$]+: (.+)$',
        r"^# (There is insufficient memory .+)$",
        r"^Error occurred during initialization of VM\n(.+)$",
        r"^Error: (.+)$",
    )
)
_NO_CAUSE: Final = re.compile(
    r"\s*$|WARNING:|OpenJDK .* warning:|:: |#|\t|Using Spark's default log4j|Setting default log"
    r"|To adjust logging|\d\d/\d\d/\d\d [\d:]+ (INFO|WARN)"
)
"""Output of Java, Ivy and Spark that appears where all is well, too."""


def java_program() -> str:
    """
    The Java that Spark runs on: that of JAVA_HOME, or else the first on the PATH.

    Raises `EngineError` where there is none.
    """
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if program is None:
        where = f"none was found in JAVA_HOME ({home})" if home else "none was found on the PATH"
        raise EngineError(f"Spark needs Java, but {where}.", remedy=JAVA_REMEDY)
    return program


def _died(log: str, code: int) -> EngineError:
    """Read from its output, and its exit *code*, why a JVM did not come up."""
    if _NO_JAVA.search(log):
        return EngineError("Spark needs Java, but none was found.", remedy=JAVA_REMEDY)
    if _OLD_JAVA.search(log):
        return EngineError(
            f"Spark {version('pyspark')} does not run on the installed Java.",
            remedy=JAVA_REMEDY,
        )
    if lacking := _lacking_jars(log):
        return lacking
    # A JVM that was killed has not said why, whatever its log ends with.
    if _killed_by(code) is not None:
        return _jvm_ended(code)
    for pattern in _CAUSES:
        if match := pattern.search(log):
            return not_started(match[1])
    words = [line for line in log.strip().splitlines() if not _NO_CAUSE.match(line)]
    return not_started(words[-1]) if words else _jvm_ended(code)


def _lacking_jars(log: str) -> EngineError | None:
    """Why a JVM that did not come up has no jars, if that is what its output says."""
    if unresolved := _NO_JARS.search(log):
        return EngineError(
            f"Spark {version('pyspark')} cannot download the jars it needs: {unresolved[1]}.",
            remedy="Check the access to Maven Central, or configure a mirror with --spark-conf "
            "spark.jars.ivySettings=FILE. Each pyspark release needs the matching delta-spark: "
            "pip install 'deltaadm[spark]'",
        )
    if unwritable := _NO_HOME.search(log):
        return EngineError(
            "Spark cannot keep the jars it needs in the home directory of this user: "
            f"{unwritable[1].strip()}.",
            remedy="Name a directory that can be written: --spark-conf spark.jars.ivy=DIRECTORY. "
            "Or pass jars that are there already: --jars.",
        )
    return None


def died_at_start() -> EngineError | None:
    """The error for a JVM of ours that has died while Spark was started in it."""
    ended = how_jvm_ended()
    return not_started(f"its JVM {ended}", JVM_REMEDY) if ended else None


def _jvm_ended(code: int) -> EngineError:
    return not_started(f"its JVM {_ending(code)}", JVM_REMEDY)


def how_jvm_ended() -> str:
    """The way in which the JVM of this process ended; empty while it lives."""
    return _how_ended(jvm_process())


def _how_ended(process: subprocess.Popen[bytes] | None) -> str:
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
    killed_by = _killed_by(code)
    return f"exited with code {code}" if killed_by is None else f"was killed by {killed_by}"


def _killed_by(code: int) -> str | None:
    """The name of the signal that has killed a process."""
    # Scripts, and Java itself, report one as 128 more.
    try:
        return signal.Signals(-code if code < 0 else code - 128).name
    except ValueError:
        return None


_ALL_THAT_SPARK_SAYS: Final = (
    "Check --spark-master and --spark-conf; --debug shows all of Spark's output."
)


def not_started(cause: str, remedy: str = _ALL_THAT_SPARK_SAYS) -> EngineError:
    """The error for a Spark that does not come up, for a reason that only Spark can explain."""
    return EngineError(f"Cannot start Spark: {cause.rstrip('.')}.", remedy=remedy)
