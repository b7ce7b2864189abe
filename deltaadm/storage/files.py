"""Files that deltaadm writes on this machine: whole or not at all, and over regular files only."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final

from deltaadm.domain.snapshot import LOG_DIRECTORY
from deltaadm.errors import UnknownWriteError

Place = str | os.PathLike[str]

_CREATE: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_APPEND: Final = (
    os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
)  # fmt: skip


@contextmanager
def replacing(path: Place) -> Iterator[BinaryIO]:
    """
    A file that takes the place of the one at *path* when the block ends without an error.

    It is on the disk by then. Until then it has a random name in the same directory, and nobody
    else can read it; after an error nothing is left of it. What was there keeps its permissions,
    and its owner where we may set it. Raises what `require_replaceable` does, and `OSError` where
    the file system does not let us write.
    """
    where = os.fspath(path)
    before = require_replaceable(where)
    # In the same directory: a rename is atomic only within one file system.
    draft, descriptor = _new_draft(where)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            usual = os.fstat(descriptor)
            # Before a byte is written: what is written may have a secret in it.
            _set_mode(descriptor, 0o600)
            yield file
            file.flush()
            mode = _inherited(descriptor, before) if before else stat.S_IMODE(usual.st_mode)
            _set_mode(descriptor, mode)
            os.fsync(descriptor)
        require_replaceable(where)
        # Looked at once more: what is there may have become a link meanwhile.
        os.replace(draft, where)  # noqa: PTH105
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(draft)  # noqa: PTH108
        raise
    _sync_directory(where)


def write_whole(path: Place, body: bytes) -> None:
    """Write *body* to *path* as `replacing` does."""
    with replacing(path) as file:
        file.write(body)


@contextmanager
def drafted(path: Place, like: os.stat_result | None = None) -> Iterator[BinaryIO]:
    """
    A new file beside *path* that is to get its name, by `published`; it is removed in the end.

    Its own name is one that readers of logs pass over. It has the permissions of the file that
    *like* is the status of, and its owner where we may set it. Drafts of dead processes are removed
    first.
    """
    where = os.fspath(path)
    # Whoever writes next cleans up, since nobody lists drafts.
    remove_dead_drafts(os.path.dirname(where))  # noqa: PTH120 -- pathlib costs start-up time
    draft, descriptor = _new_draft(where)
    try:
        if like is not None:
            _set_mode(descriptor, _inherited(descriptor, like))
        # Opened by its name, which the file object then knows.
        with open(draft, "w+b", opener=lambda *_: descriptor) as file:
            yield file
    finally:
        with suppress(OSError):
            os.unlink(draft)  # noqa: PTH108


def published(draft: BinaryIO, path: Place, *, over: bool = False) -> bool:
    """
    Give what was written to *draft* the name *path*, unless it is taken; whether this has.

    The file appears whole, and is on the disk by then. *over* replaces what has the name, also a
    link, which is not followed. Raises `OSError` where the file system does not let us write, or
    has no links, and `UnknownWriteError` where it does not say whether the name is on the disk.
    """
    draft.flush()
    os.fsync(draft.fileno())
    try:
        # A rename replaces what another process may have put there; a link does not.
        (os.replace if over else os.link)(draft.name, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno in _NO_LINKS:
            raise OSError(error.errno, "the file system has no hard links") from error
        raise
    try:
        _sync_directory(os.fspath(path))
    except OSError as error:  # others may have seen the file, so it stays
        raise UnknownWriteError(
            f"{os.fspath(path)} is written, but its directory cannot be brought to the disk "
            f"({error.strerror}): after a failure of this machine the file may be gone.",
            remedy="Check the disk and its file system.",
        ) from error
    return True


def make_directories(path: str) -> None:
    """Make the directory *path* and those that are missing above it, and bring them to the disk."""
    parent = os.path.dirname(path) or "."  # noqa: PTH120 -- pathlib costs start-up time
    if not os.path.isdir(parent):  # noqa: PTH112
        make_directories(parent)
    with suppress(FileExistsError):
        os.mkdir(path)  # noqa: PTH102
    _sync_directory(path)


def remove_dead_drafts(directory: str) -> None:
    """
    Remove the drafts of `drafted` and `replacing` in *directory* whose processes are dead.

    A process holds a lock on its draft while it lives. Without locks only a draft that is older
    than any write takes is one of a dead process.
    """
    with suppress(OSError), os.scandir(directory or ".") as entries:
        for entry in entries:
            if entry.name.endswith(_DRAFT_SUFFIX) and entry.name.startswith("."):
                with suppress(OSError):
                    _remove_if_dead(entry)


_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
_DRAFT_SUFFIX: Final = ".deltaadm.tmp"


def _new_draft(path: str) -> tuple[str, int]:
    """A new file beside *path* that this process has locked, which readers of logs pass over."""
    directory, name = os.path.split(path)
    while True:
        # No name may have more than 255 bytes.
        draft = f".{name[:32]}.{os.urandom(8).hex()}{_DRAFT_SUFFIX}"
        draft = os.path.join(directory, draft)  # noqa: PTH118
        descriptor = os.open(draft, _CREATE, 0o666)
        # Before it is locked, others may take it for a draft of a dead process, and remove it.
        if lock(descriptor, otherwise=True) and os.path.exists(draft):  # noqa: PTH110
            return draft, descriptor
        os.close(descriptor)


def lock(descriptor: int, *, otherwise: bool = False) -> bool:
    """Lock an open file for this process: False if others have, *otherwise* if nobody can."""
    try:
        import fcntl
    except ImportError:  # Windows
        return otherwise
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return otherwise
    return True


def _remove_if_dead(draft: os.DirEntry[str]) -> None:
    # Every write has ended within an hour.
    is_old = time.time() - draft.stat(follow_symlinks=False).st_mtime > 60 * 60
    descriptor = os.open(draft.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        # While it is locked: whoever has just made it waits for nobody, and looks if it is there.
        if lock(descriptor, otherwise=is_old):
            os.unlink(draft.path)  # noqa: PTH108
    finally:
        os.close(descriptor)


def require_replaceable(path: Place) -> os.stat_result | None:
    """
    The status of the regular file at *path*; None where nothing is there.

    Raises `OSError` for anything else: a link, a directory, a device, a pipe; for a file that we
    may not write; and for any in the log of a table, which is written to by commits alone.
    """
    if f"{os.sep}{LOG_DIRECTORY}{os.sep}" in os.path.realpath(path):
        raise OSError(errno.EPERM, "it is in the log of a table")
    status = _status(path)
    if status is not None:
        require_regular(status)
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return status


def require_regular(status: os.stat_result) -> None:
    """Raise `OSError`, saying what it is, for the *status* of anything but a regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, f"it is {file_type(status.st_mode)}")


def require_real_directory(path: Place) -> None:
    """Raise `OSError`, saying what it is, where *path* is there and no directory itself."""
    status = _status(path)
    if status is not None and not stat.S_ISDIR(status.st_mode):
        raise OSError(errno.ENOTDIR, f"it is {file_type(status.st_mode)}")


def open_to_append(path: Place) -> BinaryIO:
    """
    The regular file at *path*, or a new one, to be read and appended to.

    Raises `OSError` for whatever else is there: opening it neither waits nor follows a link.
    """
    require_replaceable(path)
    file = os.fdopen(os.open(path, _APPEND, 0o666), "a+b")
    try:
        # Once more by the descriptor: the name may lead to something else by now.
        require_regular(os.fstat(file.fileno()))
    except OSError:
        file.close()
        raise
    return file


_FILE_TYPES: Final[Mapping[int, str]] = {
    stat.S_IFREG: "a regular file", stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}  # fmt: skip


def file_type(mode: int) -> str:
    """What a file of this *mode* is, in words."""
    return _FILE_TYPES.get(stat.S_IFMT(mode), "a special file")


def _status(path: Place) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.EINVAL, "the name is invalid") from error


def _inherited(descriptor: int, before: os.stat_result) -> int:
    """The permissions of an older file, whose owner and group the new one gets if we may."""
    # Without set-user-ID and the like, which are not for new content.
    mode = stat.S_IMODE(before.st_mode) & 0o777
    if hasattr(os, "fchown"):
        with suppress(OSError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
        now = os.fstat(descriptor)
        if now.st_gid != before.st_gid:
            mode &= 0o707  # what its group might is not for ours
        if now.st_uid != before.st_uid:
            # We could not give the file away, so its owner is who writes it, and must be able to
            # read it.
            mode |= 0o600
    return mode


def _set_mode(descriptor: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def _sync_directory(path: str) -> None:
    try:
        descriptor = os.open(os.path.dirname(path) or ".", os.O_RDONLY)  # noqa: PTH120
    except PermissionError:  # Windows opens no directories, and one may be writable alone
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOT_SYNCHRONISED:
            raise
    finally:
        os.close(descriptor)


_NOT_SYNCHRONISED: Final = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""What file systems answer that have no way to bring a directory to the disk."""
