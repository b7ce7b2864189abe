"""A table's log on the file system. Standard library only: importing this costs nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from deltaadm.domain.log_segment import FileInfo, listing_prefix, no_table
from deltaadm.errors import DeltaadmError, StorageError, TableError
from deltaadm.storage.store import LOG_DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_PIECE = 1 << 14

_NANOSECONDS_PER_MILLISECOND = 1_000_000


class LocalStore:
    """Reads `_delta_log` below a directory; see `LogStore`."""

    qualifier = "file:"
    survives_fork = True

    def __init__(self, path: str, root: str | None = None) -> None:
        self.path = path
        self.root = path if root is None else root
        self._log = os.path.join(path, LOG_DIRECTORY)  # noqa: PTH118 -- pathlib costs time
        self._prefix = self._log + os.sep

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """See `LogStore`; reads names; sizes and times of files when they are asked for."""
        found = _files_in(self._log)
        if found is None:
            raise no_table(self.root, _instead_of_table(self.path))
        if start:
            first = listing_prefix(start)
            found = {name: one for name, one in found.items() if name >= first}
        return _Listing(found)

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        """See `LogStore`."""
        found = _files_in(self._prefix + name) or {}
        return _Listing({f"{name}/{file}": one for file, one in found.items()})

    def read(self, path: str) -> bytes:
        """See `LogStore`."""
        where = self._prefix + path
        try:
            descriptor = os.open(where, _FLAGS)
        except OSError as error:
            raise _unreadable(where, error) from error
        try:
            return _read_all(descriptor)
        except OSError as error:
            raise _inaccessible(where, error) from error
        finally:
            os.close(descriptor)

    def open(self, path: str) -> BinaryIO:
        """See `LogStore`."""
        where = self._prefix + path
        try:
            return open(where, "rb")  # noqa: PTH123 -- handed to the caller
        except OSError as error:
            raise _unreadable(where, error) from error

    def data_size(self, path: str) -> int | None:
        """See `LogStore`; what is no regular file counts as none."""
        where = self._data_path(path)
        try:
            status = os.stat(where)  # noqa: PTH116 -- pathlib costs time
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: no such name
            return None
        except OSError as error:
            raise _inaccessible(where, error) from error
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def open_data(self, path: str) -> BinaryIO:
        """See `LogStore`; never waits for what is no regular file, such as a pipe."""
        where = self._data_path(path)
        if self.data_size(path) is None:
            raise _unreadable(where, FileNotFoundError())
        try:
            return open(where, "rb")  # noqa: PTH123 -- handed to the caller
        except OSError as error:
            raise _unreadable(where, error) from error

    def _data_path(self, path: str) -> str:
        from urllib.parse import unquote

        from deltaadm.domain.data_paths import without_file_scheme

        plain = without_file_scheme(path)
        if plain is None:
            raise StorageError(
                f"{path} is in another store, which is out of reach from here.",
                remedy="Check that file with a program that reaches its store.",
            )
        return os.path.join(self.path, unquote(plain))  # noqa: PTH118

    def overwrite(self, path: str, body: bytes) -> None:
        """Write a whole file; whoever reads it meanwhile sees the old or the new one."""
        where = self._prefix + path
        draft = f"{where}.{os.getpid()}.tmp"
        try:
            with open(draft, "wb") as file:  # noqa: PTH123 -- pathlib costs start-up time
                file.write(body)
            os.replace(draft, where)  # noqa: PTH105
        except OSError as error:
            raise _unwritable(where, error) from error

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        where = self._prefix + path
        try:
            os.unlink(where)  # noqa: PTH108
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unwritable(where, error) from error


def _instead_of_table(path: str) -> str:
    if os.path.isdir(path):  # noqa: PTH112 -- pathlib costs time
        return "it has no _delta_log"
    exists = os.path.exists(path)  # noqa: PTH110
    return "it is no directory" if exists else "there is no such directory"


def _files_in(directory: str) -> dict[str, os.DirEntry[str]] | None:
    """What is directly in a directory and is none, by name; None if there is no such directory."""
    try:
        with os.scandir(directory) as entries:
            return {one.name: one for one in entries if not one.is_dir()}
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _inaccessible(directory, error) from error


class _Listing(Mapping[str, FileInfo]):
    """Listed files by their paths, made of directory entries when somebody asks: few are."""

    def __init__(self, entries: Mapping[str, os.DirEntry[str]]) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __getitem__(self, path: str) -> FileInfo:
        return _Listed(path, self._entries[path])


class _Listed(FileInfo):
    """A listed file whose size and time are looked up when somebody asks: nearly nobody does."""

    __slots__ = ("_entry",)
    _entry: os.DirEntry[str]

    def __init__(self, path: str, entry: os.DirEntry[str]) -> None:
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "_entry", entry)

    def __reduce__(self) -> tuple[type[FileInfo], tuple[str, int, int]]:
        return FileInfo, (self.path, self.size, self.modified)

    @property
    def size(self) -> int:
        """In bytes; 0 for a file that is not there, a dangling link or deleted since."""
        status = self._status()
        return 0 if status is None else status.st_size

    @property
    def modified(self) -> int:
        """In ms since the epoch; 0 for a file that is not there."""
        status = self._status()
        return 0 if status is None else status.st_mtime_ns // _NANOSECONDS_PER_MILLISECOND

    def _status(self) -> os.stat_result | None:
        try:
            return self._entry.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _inaccessible(self._entry.path, error) from error


def _read_all(descriptor: int) -> bytes:
    """All bytes of an open file; most files of a log fit into the first piece."""
    first = os.read(descriptor, _PIECE)
    if len(first) < _PIECE:
        return first
    pieces = [first]
    while piece := os.read(descriptor, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)


def _unreadable(where: str, error: OSError) -> DeltaadmError:
    if not isinstance(error, FileNotFoundError):
        return _inaccessible(where, error)
    return TableError(
        f"The file {where} is missing.",
        remedy="Another process may be cleaning up the log; try again.",
        delta_error_class="FAILED_READ_FILE.FILE_NOT_EXIST",
    )


def _inaccessible(where: str, error: OSError) -> StorageError:
    cause = (error.strerror or str(error)).lower()
    return StorageError(
        f"Cannot read {where}: {cause}.",
        remedy="Check the permissions of the file and its directories, and try again.",
    )


def _unwritable(where: str, error: OSError) -> StorageError:
    cause = (error.strerror or str(error)).lower()
    return StorageError(
        f"Cannot write {where}: {cause}.",
        remedy="Check the permissions of the file and its directories, and try again.",
    )
