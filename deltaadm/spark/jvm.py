"""A JVM that runs Spark: started, watched and ended by us; or why there is none."""

from __future__ import annotations

import locale
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from deltaadm.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_STANDARD_ERROR: Final = 2


@contextmanager
def start_jvm(conf: Mapping[str, str], scratch: Path, *, show: bool) -> Iterator[Any]:
    """
    The Py4J gateway to a new JVM that has *conf*, for the time of the block.

    The JVM writes to a log in *scratch*, or with *show* to standard error; never to standard
    output. It has ended when the block has, whatever ends it. Under spark-submit, which has
    started a JVM already, that one is used and goes on.

    pyspark can start a JVM too, but leaves it behind when it is interrupted meanwhile.
    """
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        with _gateway({}) as gateway:
            yield gateway
        return
    java_program()
    with (
        _process(conf, scratch, show=show) as process,
        _gateway(_connection(process, scratch)) as gateway,
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
    conf: Mapping[str, str], scratch: Path, *, show: bool
) -> Iterator[subprocess.Popen[bytes]]:
    """A JVM that ends by itself once its standard input does; killed where it does not."""
    with _log(scratch).open("wb") as log:
        output = _STANDARD_ERROR if show else log
        process = subprocess.Popen(  # noqa: S603 -- Spark's own launcher
            _command(conf),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=_jvm_environment(scratch),
            **_OUT_OF_REACH_OF_CTRL_C,
        )
    try:
        yield process
    finally:
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(timeout=10 if _announcement(scratch).exists() else 0)
        except subprocess.TimeoutExpired:
            _kill(process)


_OUT_OF_REACH_OF_CTRL_C: Final[dict[str, Any]] = (
    {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    if os.name == "nt"
    else {"process_group": 0}
)


def _command(conf: Mapping[str, str]) -> list[str]:
    from pyspark.find_spark_home import _find_spark_home

    find_home: Callable[[], str] = _find_spark_home
    script = "spark-submit.cmd" if os.name == "nt" else "spark-submit"
    settings = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    rest = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))
    return [str(Path(find_home(), "bin", script)), *settings, *rest]


def _jvm_environment(scratch: Path) -> dict[str, str]:
    """A JVM names files in the locale's encoding, so that has to be able to spell them all."""
    ours = {
        "SPARK_CONNECT_MODE": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(_announcement(scratch)),
    }
    if sys.platform == "linux" and locale.getencoding().lower().replace("-", "") != "utf8":
        ours["LC_ALL"] = "C.UTF-8"
    return {key: one for key, one in os.environ.items() if key != "SPARK_REMOTE"} | ours


def _connection(process: subprocess.Popen[bytes], scratch: Path) -> dict[str, str]:
    """How to connect to the JVM, as soon as it says so: a port, and a text with its length."""
    file = _announcement(scratch)
    while not file.exists():
        if process.poll() is not None:
            raise _died(_log(scratch).read_text(errors="replace"))
        time.sleep(0.05)
    said = file.read_bytes()
    return {
        "PYSPARK_GATEWAY_PORT": str(int.from_bytes(said[:4], "big")),
        "PYSPARK_GATEWAY_SECRET": said[8:].decode(),
    }


def _announcement(scratch: Path) -> Path:
    return scratch / "connection"


def _log(scratch: Path) -> Path:
    return scratch / "spark.log"


@contextmanager
def _gateway(connection: Mapping[str, str]) -> Iterator[Any]:
    """A gateway to a JVM that has been started, in the place where pyspark looks for it."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    connect: Callable[[], Any] = launch_gateway
    with environment(connection):
        gateway = connect()
    before = SparkContext._gateway, SparkContext._jvm
    SparkContext._gateway = SparkContext._jvm = None
    try:
        yield gateway
    finally:
        SparkContext._gateway, SparkContext._jvm = before
        with suppress(Exception):  # a JVM that has died cannot be told
            gateway.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The whole group: the launcher is a script, and what it runs may not be Java yet."""
    if sys.platform == "win32":
        command = ("taskkill", "/f", "/t", "/pid", str(process.pid))
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


# Why there is no JVM

JAVA_REMEDY: Final = "Install Java 17 or 21 and let JAVA_HOME or PATH lead to it."
"""What to do about a Java that is missing or of no use."""

_OLD_JAVA: Final = re.compile(r"UnsupportedClassVersionError|Unrecognized (VM )?option|--add-")
_NO_JAVA: Final = re.compile(r"Unable to locate a Java Runtime|JAVA_HOME is not set")
_NO_JARS: Final = re.compile(r"\[(?:unresolved dependency|download failed): ([^\]]*)\]")
_THROWN: Final = re.compile(r'^Exception in thread "main" [\w.$]+: (.+)$', re.MULTILINE)


def java_program() -> str:
    """
    The Java that Spark runs on: that of JAVA_HOME, or else the first on the PATH.

    Raises `EngineError` where there is none.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if found is None:
        where = f"there is none in JAVA_HOME ({home})" if home else "there is none on the PATH"
        raise EngineError(f"Spark needs Java, but {where}.", remedy=JAVA_REMEDY)
    return found


def _died(log: str) -> EngineError:
    """Read from its output why a JVM did not come up."""
    if _NO_JAVA.search(log):
        return EngineError("Spark needs Java, but finds none.", remedy=JAVA_REMEDY)
    if _OLD_JAVA.search(log):
        return EngineError(
            f"The installed Java is not one that Spark {version('pyspark')} runs on.",
            remedy=JAVA_REMEDY,
        )
    if unresolved := _NO_JARS.search(log):
        return EngineError(
            f"Spark {version('pyspark')} cannot get the jars it needs: {unresolved[1]}.",
            remedy="Check the access to Maven Central, or name a mirror's settings by "
            "--spark-conf spark.jars.ivySettings=FILE. Each pyspark needs a delta-spark that "
            "was made for it: pip install 'deltaadm[spark]'",
        )
    thrown = _THROWN.search(log)
    lines = log.strip().splitlines()
    return not_started(thrown[1] if thrown else lines[-1] if lines else "its JVM ended at once")


def not_started(cause: str) -> EngineError:
    """The error for a Spark that does not come up, for a reason that only Spark can explain."""
    return EngineError(
        f"Spark does not start: {cause.rstrip('.')}.",
        remedy="Check --spark-master and --spark-conf; --debug shows all that Spark says.",
    )
