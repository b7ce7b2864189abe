"""Finding tables below a directory, and what is at a location before there is a table."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Protocol

from deltaadm.domain.snapshot import LOG_DIRECTORY
from deltaadm.errors import StorageError
from deltaadm.runs.context import RunContext
from deltaadm.storage.local import not_listed
from deltaadm.storage.store import ObjectStores, is_in_object_store, is_remote


def tables_below(
    context: RunContext, root: str, on_error: Callable[[StorageError], None]
) -> Iterator[str]:
    """What `find_tables` finds, in object stores too, or where Spark looks if it reads."""
    place = context.locate(root) if is_remote(root) or root.startswith("file:") else root
    return find_tables(place, on_error, _directories(context, root))


def table_around(context: RunContext, location: str) -> str | None:
    """The nearest table in whose directory *location* is; None also where nobody can tell."""
    return nearest_table(location, _directories(context, location))


def _directories(context: RunContext, location: str) -> Directories:
    """The interface that lists directories there."""
    if not is_remote(location):
        return LocalDirectories()
    if context.hadoop is None and is_in_object_store(location):
        return (context.object_stores or ObjectStores()).directories()
    return context.hadoop or LocalDirectories()


# Finding tables


class Directories(Protocol):
    """The directories of some kind of storage; all but the first raise what `not_listed` makes."""

    def is_directory(self, place: str) -> bool:
        """Whether there is a directory at *place*, as far as that can be determined."""

    def identity(self, place: str) -> Hashable:
        """The same for two places only if a link makes one directory of them."""

    def look(self, place: str) -> Iterable[str] | None:
        """The names of the directories right in *place*; None where that is a table."""

    def join(self, place: str, name: str) -> str:
        """The place of the directory *name* in *place*."""


def find_tables(
    root: str, on_error: Callable[[StorageError], None], directories: Directories
) -> Iterator[str]:
    """
    The directories from *root* down that contain a `_delta_log`, in the order of their paths.

    Does not descend into tables, nor into hidden directories; links are followed, each place once.
    *on_error* is called for directories that cannot be listed. Raises `StorageError` for no *root*.
    """
    if not directories.is_directory(root):
        raise StorageError(f"There is no directory {root}.", remedy="Check the path.")
    seen: set[Hashable] = set()
    pending = [root]
    while pending:
        place = pending.pop()
        try:
            identity = directories.identity(place)
            if identity in seen:
                continue
            # By device and inode, since links may make a circle.
            seen.add(identity)
            names = directories.look(place)
        except StorageError as error:
            on_error(error)
            continue
        if names is None:
            yield place
        else:
            # Reversed, since the stack is taken from its end; Spark hides names with these
            # beginnings too.
            below = sorted((name for name in names if name[0] not in "._"), reverse=True)
            pending += [directories.join(place, name) for name in below]


def nearest_table(place: str, directories: Directories) -> str | None:
    """The nearest table around *place*, an absolute path or a URL; None also if that is unknown."""
    scheme, separator, path = place.rpartition("://")
    top, *below = path.rstrip("/").split("/")
    for depth in reversed(range(len(below))):
        above = scheme + separator + "/".join([top, *below[:depth]])
        try:
            if directories.is_directory(directories.join(above or "/", LOG_DIRECTORY)):
                return above or "/"
        except StorageError:
            return None
    return None


class LocalDirectories:
    """The directories of this machine; see `Directories`."""

    def is_directory(self, place: str) -> bool:
        return os.path.isdir(place)  # noqa: PTH112 -- as the scan below

    def identity(self, place: str) -> Hashable:
        try:
            status = os.stat(place)  # noqa: PTH116 -- as the scan below
        except OSError as error:
            raise not_listed(place, _reason(error)) from error
        return status.st_dev, status.st_ino

    def look(self, place: str) -> Iterable[str] | None:
        try:
            with os.scandir(place) as entries:
                names = [entry.name for entry in entries if _is_directory(entry)]
        except OSError as error:
            raise not_listed(place, _reason(error)) from error
        return None if LOG_DIRECTORY in names else names

    def join(self, place: str, name: str) -> str:
        return os.path.join(place, name)  # noqa: PTH118


def _is_directory(entry: os.DirEntry[str]) -> bool:
    """Whether to look into it."""
    # Also into a link that cannot be followed, so that it is reported.
    try:
        return entry.is_dir()
    except OSError as error:
        return error.errno != errno.ELOOP  # which is a link that leads nowhere


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


# Whether a table can be there


def is_occupied(context: RunContext, location: str) -> bool:
    """Whether there are files already at the local place *location*."""
    path = context.open_store(location).local_path
    if path is None:
        return False
    try:
        return bool(os.listdir(path))  # noqa: PTH208 -- as the store does
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StorageError(
            f"{location} cannot hold a table: {_reason(error)}.",
            remedy="Choose a directory that is empty or does not exist.",
        ) from error


def is_writable(context: RunContext, location: str) -> bool:
    """Whether files could be created in the log of the local table at *location*."""
    path = context.open_store(location).local_path
    return path is None or os.access(
        os.path.join(path, LOG_DIRECTORY),  # noqa: PTH118 -- as the store does
        os.W_OK | os.X_OK,
    )


def chosen_place(location: str) -> str:
    """The place that the user means, the same for every process; a URL is one already."""
    from pathlib import Path  # slow to import, and `validate` does without

    from deltaadm.spark.catalog import plain_location

    place = plain_location(location)
    return place.rstrip("/") if is_remote(place) else str(Path(place).absolute())
