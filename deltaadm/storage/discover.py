"""Finding tables below a directory."""

from __future__ import annotations

import errno
import os
import typing
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from deltaadm.domain.snapshot import LOG_DIRECTORY
from deltaadm.errors import StorageError, did_you_mean


class Directories(typing.Protocol):
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
    root: str, on_error: Callable[[StorageError], None], directories: Directories | None = None
) -> Iterator[str]:
    """
    The directories from *root* down that contain a `_delta_log`, in the order of their paths.

    Does not descend into tables, nor into hidden directories; links are followed, each place once.
    *directories* are those of this machine unless others are given. Each is looked into once, and
    of its files nothing is kept. *on_error* is called for directories that cannot be listed. Raises
    `StorageError` if *root* is none itself.
    """
    there = LocalDirectories() if directories is None else directories
    if not there.is_directory(root):
        raise StorageError(f"Directory {root} does not exist.", remedy="Check the path.")
    seen: set[Hashable] = set()
    pending = [root]
    while pending:
        place = pending.pop()
        try:
            identity = there.identity(place)
            if identity in seen:
                continue
            # By device and inode, since links may make a circle.
            seen.add(identity)
            names = there.look(place)
        except StorageError as error:
            on_error(error)
            continue
        if names is None:
            yield place
        else:
            # Reversed, since the stack is taken from its end; Spark hides names with these
            # beginnings too.
            below = sorted((name for name in names if name[0] not in "._"), reverse=True)
            pending += [there.join(place, name) for name in below]


def table_around(place: str, directories: Directories | None = None) -> str | None:
    """
    The nearest table in whose directory *place* is; None also where that cannot be determined.

    *place* is an absolute path, or a URL of what the *directories* are of.
    """
    there = LocalDirectories() if directories is None else directories
    scheme, separator, path = place.rpartition("://")
    top, *below = path.rstrip("/").split("/")
    for depth in reversed(range(len(below))):
        above = scheme + separator + "/".join([top, *below[:depth]])
        try:
            if there.is_directory(there.join(above or "/", LOG_DIRECTORY)):
                return above or "/"
        except StorageError:
            return None
    return None


def not_listed(place: str, why: str) -> StorageError:
    """The error for a directory that cannot be listed."""
    return StorageError(
        f"Cannot list directory {place}: {why}.",
        remedy="Tables below it were skipped; check its permissions.",
    )


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


# Suggestions


_MOST_NEIGHBOURS: Final = 200


def tables_nearby(path: str) -> Iterator[str]:
    """A sentence on the table that *path* is inside, or on its neighbours with a like name."""
    place = Path(path).absolute()
    for directory in place.parents:
        if _is_table(directory):
            yield f"The path is inside the table {directory}."
            return
    try:
        # A directory such as /tmp may have any number of entries, and this is only a hint.
        neighbours = list(islice(place.parent.iterdir(), _MOST_NEIGHBOURS))
    except OSError:
        return
    sentence = did_you_mean(
        place.name, (neighbour.name for neighbour in neighbours if _is_table(neighbour))
    )
    if sentence:
        yield sentence


def _is_table(directory: Path) -> bool:
    try:
        return (directory / LOG_DIRECTORY).is_dir()
    except OSError:
        return False
