"""Directories for what is needed as long as a run lasts."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from deltaadm.storage import files

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX: Final = "deltaadm-"
_LOCK: Final = "deltaadm.lock"


class Scratch(NamedTuple):
    """
    A directory, and the descriptor whose lock shows that it is in use.

    A process that inherits the descriptor keeps the directory in use until it has ended as well.
    """

    path: Path
    lock: int


@contextmanager
def scratch_directory() -> Iterator[Scratch]:
    """
    A new directory for the time of the block.

    Those that killed runs of the same user have left behind are removed first.
    """
    remove_abandoned()
    scratch = _new_directory()
    try:
        yield scratch
    finally:
        with suppress(OSError):
            _remove(scratch.path)
        # Closed after the removal, or another run would remove the rest at the same time.
        os.close(scratch.lock)


def remove_abandoned() -> None:
    """Remove the directories of runs, and of what they started, that have all ended."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            _remove_if_abandoned(path)


def _new_directory() -> Scratch:
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        # Another run may have taken the file for one without an owner before it was locked.
        if files.lock(lock, otherwise=True) and (path / _LOCK).exists():
            return Scratch(path, lock)
        os.close(lock)


def _remove_if_abandoned(path: Path) -> None:
    status = path.lstat()
    # Anybody may put a link or a directory of such a name into /tmp.
    if os.name == "nt" or not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return
    try:
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        # A run was killed before it made one, or its JVM made the directory again. The user may
        # have one of such a name, too.
        is_old = status.st_mtime < time.time() - _DAY
        if is_old and all(_OF_SPARK.match(entry.name) for entry in path.iterdir()):
            _remove(path)
        return
    try:
        if files.lock(lock):
            _remove(path)
    finally:
        os.close(lock)


_DAY: Final = 24 * 3600
_OF_SPARK: Final = re.compile(
    r"(connection.*|warehouse|(spark|blockmgr|artifacts)-[0-9a-f]{8}-.*)\Z"
)
"""What Spark makes in a directory for temporary files before it uses one."""


def _remove(path: Path) -> None:
    """Remove a directory, its lock last: what is interrupted meanwhile can be gone on with."""
    for entry in path.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name != _LOCK:
            entry.unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)
