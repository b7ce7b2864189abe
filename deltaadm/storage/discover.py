"""Finding tables below a directory."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from deltaadm.errors import StorageError
from deltaadm.storage.store import LOG_DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def find_tables(root: str, on_error: Callable[[StorageError], None]) -> Iterator[str]:
    """
    The directories from *root* down that contain a `_delta_log`, in the order of their paths.

    Does not descend into tables, nor into hidden directories; links are followed, each place once.
    *on_error* is told of directories that cannot be listed. Raises `StorageError` if *root* is
    none itself.
    """
    if not os.path.isdir(root):  # noqa: PTH112 -- as the scan below
        raise StorageError(
            f"There is no directory {root} to look for tables in.", remedy="Check the path."
        )
    seen: set[tuple[int, int]] = set()
    pending = [root]
    while pending:
        place = pending.pop()
        try:
            status = os.stat(place)  # noqa: PTH116 -- as the scan below
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(place) as entries:
                names = [one.name for one in entries if _is_directory(one)]
        except OSError as error:
            on_error(_not_listed(place, error))
            continue
        if LOG_DIRECTORY in names:
            yield place
        else:
            below = sorted((one for one in names if one[0] not in "._"), reverse=True)
            pending += [os.path.join(place, one) for one in below]  # noqa: PTH118


def _is_directory(entry: os.DirEntry[str]) -> bool:
    """Whether it is worth looking into; a link that leads out of reach is, to be told of."""
    try:
        return entry.is_dir()
    except OSError as error:
        return error.errno != errno.ELOOP  # which is a link that leads nowhere


def _not_listed(place: str, error: OSError) -> StorageError:
    return StorageError(
        f"The directory {place} cannot be listed: {(error.strerror or str(error)).lower()}.",
        remedy="Tables below it were not looked for; check its permissions.",
    )
