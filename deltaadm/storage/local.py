"""A table's log on the file system. Standard library only: importing this costs nothing."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from deltaadm.domain import snapshot
from deltaadm.domain.snapshot import LOG_DIRECTORY, FileInfo, Kind
from deltaadm.errors import (
    DeltaadmError,
    EngineError,
    MissingFileError,
    StorageError,
    TableError,
    TooLargeError,
)
from deltaadm.limits import LIMITS, Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import BinaryIO, Final


_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a FIFO waits for a writer otherwise
)
_PLAIN_PATH: Final = r"(?a:[\w=-][\w.=-]*/)*(?a:[\w=-][\w.=-]*)"
_PIECE: Final = 1 << 14
_FEW, _MANY_DIRECTORIES = 1_000, 10_000


class LocalStore:
    """Reads `_delta_log` below a directory; see `LogStore`."""

    qualifier = "file:"
    survives_fork = True
    obstacle = ""
    # Reading a local file takes no waiting in which others could be read.
    at_once = 1
    storage_options: Mapping[str, str] = {}
    catalog_state = None

    def __init__(
        self,
        path: str,
        root: str | None = None,
        limits: Limits = LIMITS,
        directory: str = LOG_DIRECTORY,
    ) -> None:
        self.local_path = path
        self.limits = limits
        self.root = path if root is None else root
        self._log = os.path.join(path, directory)  # noqa: PTH118 -- pathlib costs time
        self._prefix = self._log + os.sep
        self._is_log = directory == LOG_DIRECTORY
        self._roots: tuple[str, str] | None = None
        self._missing = 0
        self._names: dict[str, frozenset[str] | None] = {}

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """Names are read, sizes and times of files when they are asked for."""
        entries = _files_in(self._log)
        if entries is None:
            place, cause = self.local_path, "the directory does not exist"
            if os.path.isdir(place):  # noqa: PTH112 -- pathlib costs time
                cause = "it has no _delta_log"
            elif os.path.exists(place):  # noqa: PTH110
                cause = "it is a file"
            raise snapshot.no_table(self.root, cause)
        if start:
            first = snapshot.listing_prefix(start)
            entries = {name: entry for name, entry in entries.items() if name >= first}
        return _Listing(entries)

    def list_short_log(self) -> None:
        """None: to read `_last_checkpoint` costs less than to list a long log."""

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Nothing is: reading takes no time in which others could be read."""

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        entries = _files_in(self._prefix + name) or {}
        return _Listing({f"{name}/{file}": entry for file, entry in entries.items()})

    def list_data(self) -> Iterator[FileInfo]:
        """Links are followed, to each directory once."""
        pending, seen = [""], {os.path.realpath(self.local_path)}
        while pending:
            below = pending.pop()
            try:
                with os.scandir(os.path.join(self.local_path, below)) as entries:  # noqa: PTH118
                    for entry in entries:
                        path = below + entry.name
                        link = os.path.realpath(entry.path) if entry.is_symlink() else ""
                        if entry.is_file():
                            listed = _Listed(path, entry)
                            yield FileInfo(path, listed.size, listed.modified)
                        elif entry.is_dir() and path != LOG_DIRECTORY and link not in seen:
                            seen.update(filter(None, (link,)))
                            pending.append(f"{path}/")
            except FileNotFoundError:  # VACUUM has removed it meanwhile
                continue
            except OSError as error:
                raise _inaccessible(os.path.join(self.local_path, below), error) from error  # noqa: PTH118

    def read(self, path: str) -> bytes:
        where = self._prefix + path
        descriptor, size = _opened(where)
        try:
            # Before anything is read, so that no file can exhaust the memory.
            if size > self.limits.line:
                raise too_large(where, size, self.limits.line)
            first = os.read(descriptor, _PIECE)
            # A short read of a regular file is its end, so most files take one call.
            if len(first) < _PIECE:
                return first
            pieces = [first]
            while piece := os.read(descriptor, _PIECE):
                pieces.append(piece)
            return b"".join(pieces)
        except OSError as error:
            raise _inaccessible(where, error) from error
        finally:
            os.close(descriptor)

    def open(self, path: str) -> BinaryIO:
        descriptor, _ = _opened(self._prefix + path)
        return os.fdopen(descriptor, "rb")

    def data_size(self, path: str) -> int | None:
        """What is no regular file counts as none."""
        where = self._data_path(path)
        if self._missing > _FEW and os.sep == "/" and self._is_absent(where):
            return None
        try:
            status = os.stat(where)  # noqa: PTH116 -- pathlib costs time
        # Of the last, no file system has such a name.
        except (FileNotFoundError, NotADirectoryError, ValueError):
            self._missing += 1
            return None
        except OSError as error:
            if _is_missing(error):
                return None
            raise _inaccessible(where, error) from error
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def _is_absent(self, where: str) -> bool:
        """
        Whether no file of a small directory can be meant, which is listed once.

        To ask for a million files that are not there takes ten seconds.
        """
        directory, _, name = where.rpartition("/")
        if directory not in self._names and len(self._names) < _MANY_DIRECTORIES:
            names = None
            try:
                with os.scandir(directory) as entries:
                    some = [entry.name.casefold() for entry in islice(entries, _FEW + 1)]
                names = frozenset(some) if len(some) <= _FEW else None
            except (FileNotFoundError, NotADirectoryError):
                names = frozenset()
            except OSError:  # they are hidden
                pass
            self._names[directory] = names
        found = self._names.get(directory)
        # Letters of other alphabets may be stored otherwise than they are asked for.
        return found is not None and (
            not found or (name.isascii() and name.casefold() not in found)
        )

    def open_data(self, path: str) -> BinaryIO:
        where = self._data_path(path)
        if self.data_size(path) is None:
            raise _unreadable(where, FileNotFoundError())
        descriptor, _ = _opened(where)
        return os.fdopen(descriptor, "rb")

    def _data_path(self, path: str) -> str:
        if self._roots is None:
            # What a link to the table is called in its log is for whoever has written it to say.
            root = self.local_path
            self._roots = os.path.abspath(root), os.path.realpath(root)  # noqa: PTH100
            self._is_plain = re.compile(_PLAIN_PATH).fullmatch
        if self._is_plain(path) and os.sep == "/":  # of which a table may have millions
            return f"{self._roots[0]}/{path}"
        # It takes longer to import than all of this module.
        from urllib.parse import unquote

        from deltaadm.paths import require_inside, without_file_scheme

        plain = without_file_scheme(path)
        if plain is None:
            raise in_another_store(path)
        place = os.path.abspath(os.path.join(self._roots[0], unquote(plain)))  # noqa: PTH100, PTH118
        return require_inside(path, place, self._roots, os.sep)

    def overwrite(self, path: str, body: bytes) -> None:
        try:
            with self.draft(path) as file:
                file.write(body)
                self.replace(file, path)
        except OSError as error:
            raise unwritable(self._prefix + path, error) from error

    def create(self, path: str, body: bytes) -> bool:
        """Drafts that dead processes have left in the log are removed."""
        # Imported here and below: whoever only reads does without.
        from deltaadm.storage.files import make_directories, published

        try:
            # Only the first commit makes a log: any other would make one for a table that was just
            # dropped.
            if path == snapshot.commit_name(0):
                make_directories(self._log)
            with self.draft(path) as draft:
                draft.write(body)
                return published(draft, self._prefix + path)
        except OSError as error:
            raise unwritable(self._prefix + path, error) from error

    def draft(self, path: str) -> AbstractContextManager[BinaryIO]:
        """The draft is in the log, under a name that readers pass over."""
        from deltaadm.storage.files import drafted, make_directories

        if not self._is_log:
            make_directories(self._log)
        return drafted(self._prefix + path, self._newest())

    def publish(self, draft: BinaryIO, path: str, *, over: bool = False) -> bool:
        """The draft must still be there; *over* lets it replace a file."""
        from deltaadm.storage.files import published

        self._forget_checksum(path)
        return published(draft, self._prefix + path, over=over)

    def replace(self, draft: BinaryIO, path: str) -> bool:
        # Before and after: at no moment may there be the new file with the old checksum.
        self.publish(draft, path, over=True)
        self._forget_checksum(path)
        return True

    def beside(self, directory: str) -> LocalStore:
        return LocalStore(self.local_path, self.root, self.limits, directory)

    def _newest(self) -> os.stat_result | None:
        """The status of the newest file of a version: who can read that is to read the next too."""
        log = os.path.join(self.local_path, LOG_DIRECTORY)  # noqa: PTH118
        name = max((name for name in os.listdir(log) if name[:1].isdigit()), default=None)  # noqa: PTH208
        if name is None:
            return None
        try:
            return os.stat(os.path.join(log, name))  # noqa: PTH116, PTH118
        except FileNotFoundError:  # it is cleaned up, or a link to nowhere
            return None

    def _forget_checksum(self, path: str) -> None:
        """Remove what Hadoop's file system has noted of a file of this name that is no more."""
        # It compares, and fails to read a file that has been replaced.
        self._unlink(f".{path}.crc")

    def remove(self, path: str) -> None:
        self._forget_checksum(path)  # lest another file gets the name
        self._unlink(path)

    def _unlink(self, path: str) -> None:
        where = self._prefix + path
        try:
            os.unlink(where)  # noqa: PTH108
        except FileNotFoundError:
            return
        except OSError as error:
            raise unwritable(where, error) from error


def _files_in(directory: str) -> dict[str, os.DirEntry[str]] | None:
    """
    What is directly in a directory, by name; None if there is no such directory.

    Its directories are left out, except those that are named like a file of a log.
    """
    try:
        with os.scandir(directory) as entries:
            return {
                entry.name: entry
                for entry in entries
                if not entry.is_dir() or Kind.of(entry.name) is not Kind.UNKNOWN
            }
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _inaccessible(directory, error) from error


class _Listing(Mapping[str, FileInfo]):
    """Listed files by their paths, made of directory entries on demand: few are needed."""

    def __init__(self, entries: Mapping[str, os.DirEntry[str]]) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __getitem__(self, path: str) -> FileInfo:
        return _Listed(path, self._entries[path])


class _Listed(FileInfo):
    """A listed file whose size and time are looked up on demand, which is rare."""

    __slots__ = ("_entry",)
    _entry: os.DirEntry[str]

    def __init__(self, path: str, entry: os.DirEntry[str]) -> None:
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "_entry", entry)

    def __reduce__(self) -> tuple[type[FileInfo], tuple[str, int, int, bool]]:
        return FileInfo, (self.path, self.size, self.modified, self.regular)

    @property
    def size(self) -> int:
        """The size in bytes; 0 for a file that is missing or not regular, as a dangling link."""
        status = self._status()
        return status.st_size if status is not None and stat.S_ISREG(status.st_mode) else 0

    @property
    def regular(self) -> bool:
        """Whether it is a regular file; true for what is not there."""
        if self._entry.is_file():  # known from the listing
            return True
        status = self._status()
        return status is None or stat.S_ISREG(status.st_mode)

    @property
    def modified(self) -> int:
        """The time in ms since the epoch; 0 for a file that is not there."""
        status = self._status()
        return 0 if status is None else status.st_mtime_ns // 1_000_000

    def _status(self) -> os.stat_result | None:
        try:
            return self._entry.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _inaccessible(self._entry.path, error) from error


def too_large(where: str, size: int, most: int) -> TooLargeError:
    """The error for a file that is not read at once."""
    return TooLargeError(
        f"The file {where} has {size:,} bytes, more than the {most:,} that deltaadm reads at once.",
        remedy="Find out what wrote it; Delta writers do not create files this large.",
    )


def missing(where: str) -> MissingFileError:
    """The error for a file that is not there any more."""
    return MissingFileError(
        f"The file {where} is missing.",
        remedy="Another process may be cleaning up the log; try again.",
        delta_error_class="FAILED_READ_FILE.FILE_NOT_EXIST",
    )


def in_another_store(path: str) -> StorageError:
    """The error for a file of the table that the log has in a store of another kind."""
    return StorageError(
        f"{path} is in another store, which cannot be accessed from here.",
        remedy="Check that file with a program that can access that store.",
    )


def not_listed(place: str, why: str) -> StorageError:
    """The error for a directory that cannot be listed."""
    return StorageError(
        f"Cannot list directory {place}: {why}.",
        remedy="Tables below it were skipped; check its permissions.",
    )


def _opened(where: str) -> tuple[int, int]:
    """
    A descriptor of the regular file at *where*, and its size.

    Anything else raises `TableError`: reading a FIFO may wait forever, and a device may have
    no end.
    """
    try:
        descriptor = os.open(where, _FLAGS)
    except OSError as error:
        # A socket cannot be opened at all, and says so in the words of a missing device.
        if error.errno in {errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP}:
            raise _not_regular(where, os.stat(where).st_mode) from error  # noqa: PTH116
        raise _unreadable(where, error) from error
    status = os.fstat(descriptor)
    # By the descriptor: what the name leads to may have been replaced since it was opened.
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise _not_regular(where, status.st_mode)
    return descriptor, status.st_size


def _unreadable(where: str, error: OSError) -> DeltaadmError:
    return missing(where) if _is_missing(error) else _inaccessible(where, error)


def _is_missing(error: OSError) -> bool:
    """Whether there is no such file, nor could be with a name as long as that."""
    return isinstance(error, FileNotFoundError) or error.errno == errno.ENAMETOOLONG


def _not_regular(where: str, mode: int) -> TableError:
    from deltaadm.storage.files import file_type

    return TableError(
        f"{where} is {file_type(mode)}, not a regular file, and is not read.",
        remedy="Move it elsewhere; if it replaced a file of the log, restore that from a backup.",
        delta_error_class="FAILED_READ_FILE.NO_HINT",
    )


def _inaccessible(where: str, error: OSError) -> DeltaadmError:
    cause = (error.strerror or str(error)).lower()
    if error.errno == errno.ENOMEM:
        return EngineError(
            f"Cannot read {where}: {cause}.",
            remedy="Free some memory, or raise the limit: see ulimit -v.",
        )
    return StorageError(
        f"Cannot read {where}: {cause}.",
        remedy="Check the permissions of the file and its directories, and try again.",
    )


def unwritable(where: str, error: OSError) -> StorageError:
    """The error for a file that cannot be written."""
    return StorageError(
        f"Cannot write {where}: {(error.strerror or str(error)).lower()}.",
        remedy="Check the space there, and the permissions of the file and its directories, and "
        "try again.",
    )
