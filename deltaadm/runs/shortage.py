"""What the machine did not let a run have: memory, open files, threads, stack, a file."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from deltaadm.errors import DeltaadmError, EngineError, StorageError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

_NO_MEMORY: Final = ("failed to map segment", "annot allocate memory")
"""The dynamic linker's message about a library that Python is about to import."""

_NO_THREAD: Final = "can't start new thread"


def shortage(error: BaseException) -> DeltaadmError | None:
    """What the run lacked when it ended in *error*; None for other causes."""
    for cause in _chain(error):
        if isinstance(cause, MemoryError) or _is_unmapped(cause):
            return EngineError(
                "There is not enough memory for this command.",
                remedy="Free some, or allow more: ulimit -v shows the limit of a shell.",
            )
        if isinstance(cause, OSError) and cause.errno in {errno.EMFILE, errno.ENFILE}:
            return StorageError(
                "Too many files are open.",
                remedy="Allow more: ulimit -n shows the limit of a shell.",
            )
        if isinstance(cause, RuntimeError) and _NO_THREAD in str(cause):
            return EngineError(
                "No more threads or processes can be started.",
                remedy="Raise the limits of processes and of memory: see ulimit -u and ulimit -v.",
            )
        if isinstance(cause, RecursionError):
            return TableError(
                "Something in the table's log is nested too deeply.",
                remedy="Find the commit that added the nested value or column, and restore the "
                "version before it.",
            )
    if isinstance(error, OSError) and error.filename:
        return StorageError(
            f"Cannot access {os.fsdecode(error.filename)}: {error.strerror}.",
            remedy="Check its name, and the permissions on it.",
        )
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and those in whose wake it happened."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _is_unmapped(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno in {errno.ENOMEM, errno.EAGAIN}:
        return True
    return isinstance(error, ImportError) and any(text in str(error) for text in _NO_MEMORY)
