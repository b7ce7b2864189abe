"""A faster start of the JVM: options for short work, and an archive of loaded classes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from deltaadm.errors import EngineError
from deltaadm.spark.jars import default_settings, spark_home

if TYPE_CHECKING:
    from collections.abc import Mapping

SHORT_WORK: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""
Compile quickly rather than well, and collect garbage without threads of its own.

A session that commits metadata ends before the optimizing compiler pays for itself.
"""

VARIABLE: Final = "DELTAADM_CLASS_ARCHIVE"
"""Set to `off`, neither makes nor uses an archive; set to a directory, it is kept there."""


def java_options(
    conf: Mapping[str, str], environ: Mapping[str, str] = os.environ
) -> tuple[str, ...]:
    """The options for a JVM that does short work under *conf*; none where the user has chosen."""
    settings = {**default_settings(spark_home(), environ), **conf}
    java_settings = [settings.get(key, "") for key in _OPTION_SETTINGS]
    java_settings += [environ.get(name, "") for name in _OPTION_VARIABLES]
    # Java does not start with two collectors, and the user may have chosen one.
    if any("-XX:" in text for text in java_settings):
        return ()
    archive = class_archive(environ)
    used = () if archive is None or not archive.is_file() else _use(archive)
    return (*SHORT_WORK, *used)


_OPTION_SETTINGS: Final = "spark.driver.extraJavaOptions", "spark.driver.defaultJavaOptions"
_OPTION_VARIABLES: Final = "SPARK_SUBMIT_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"


def _use(archive: Path) -> tuple[str, ...]:
    """Java itself checks that an archive fits, and does without one that does not."""
    # The log is off, since Java warns of an archive that does not fit, and then goes on without.
    return f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"


def class_archive(environ: Mapping[str, str] = os.environ) -> Path | None:
    """
    Where the archive for the installed Java, Spark and Delta is kept, whether it exists or not.

    None where there can be none: it is switched off, or nobody knows where to keep it.
    """
    directory = _directory(environ)
    if directory is None or " " in str(directory):  # options are split at blanks
        return None
    try:
        releases = f"spark-{version('pyspark')}-delta-{version('delta-spark')}"
        return directory / f"{releases}-{_fingerprint()}.jsa"
    except (OSError, EngineError, ImportError):
        return None


def _directory(environ: Mapping[str, str]) -> Path | None:
    chosen = environ.get(VARIABLE, "")
    if chosen.lower() in {"off", "0", "false", "no"}:
        return None
    if chosen:
        return Path(chosen).absolute()
    if os.name == "nt":
        base = environ.get("LOCALAPPDATA", "")
    else:
        base = environ.get("XDG_CACHE_HOME") or (
            f"{environ['HOME']}/.cache" if environ.get("HOME") else ""
        )
    return Path(base, "deltaadm") if Path(base).is_absolute() else None


def _fingerprint() -> str:
    """A fingerprint that distinguishes the Javas and Sparks of one release."""
    from deltaadm.spark.jvm import java_program

    java, home = Path(java_program()).resolve(), spark_home()
    release = java.parent.parent / "release"
    file = release if release.is_file() else java
    # An archive that does not fit would be ignored, and never be made again.
    facts = (str(java), str(file.stat().st_mtime_ns), str(file.stat().st_size), home)
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:12]


def make_later(environ: Mapping[str, str] = os.environ) -> None:
    """Have a process of its own make the archive that the next run will use, if there is none."""
    archive = class_archive(environ)
    # What is made in CI is thrown away with the machine.
    if archive is None or environ.get("CI") or archive.exists():
        return
    with suppress(OSError):
        archive.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if shutil.disk_usage(archive.parent).free < _ROOM:
            return
        # Whoever creates the file makes the archive; where that fails, the file is left.
        begun = archive.with_suffix(".begun")
        if _is_abandoned(begun):
            begun.unlink(missing_ok=True)
        os.close(os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        subprocess.Popen(
            [sys.executable, "-m", "deltaadm.spark.class_archive"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=archive.parent,
            # So that Ctrl-C and the end of the terminal do not reach it.
            start_new_session=True,
        )


_ROOM: Final = 2_000_000_000


def _is_abandoned(begun: Path) -> bool:
    """Whether the process that made *begun* was killed."""
    if not begun.exists():
        return False
    status = begun.stat()
    # After a failure there is text in it, and nobody tries again.
    return not status.st_size and status.st_mtime < time.time() - _PATIENCE


_PATIENCE: Final = 3600
"""Making an archive takes about a minute."""
