"""The content of a location besides a table, or before there is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from deltaadm.domain.snapshot import LOG_DIRECTORY
from deltaadm.errors import StorageError
from deltaadm.runs.context import RunContext
from deltaadm.storage import discover
from deltaadm.storage.discover import Directories
from deltaadm.storage.store import ObjectStores, is_in_object_store, is_remote


def tables_below(
    context: RunContext, root: str, on_error: Callable[[StorageError], None]
) -> Iterator[str]:
    """
    The tables that `find_tables` finds, in object stores too, or where Spark looks if it reads.

    Raises what it does, and `StorageError` for a place that nothing here reaches.
    """
    place = context.locate(root) if is_remote(root) or root.startswith("file:") else root
    return discover.find_tables(place, on_error, _directories(context, root))


def table_around(context: RunContext, location: str) -> str | None:
    """The nearest table in whose directory *location* is; None also where nobody can tell."""
    return discover.table_around(location, _directories(context, location))


def _directories(context: RunContext, location: str) -> Directories | None:
    """The interface that lists directories there; None for this machine's own."""
    if not is_remote(location):
        return None
    if context.hadoop is None and is_in_object_store(location):
        return (context.object_stores or ObjectStores()).directories()
    return context.hadoop


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
            f"{location} cannot hold a table: {(error.strerror or str(error)).lower()}.",
            remedy="Choose a directory that is empty or does not exist.",
        ) from error


def is_occupied_locally(context: RunContext, location: str) -> bool:
    """Like `is_occupied`, but nothing is known of places that only Spark need reach."""
    return not is_remote(location) and is_occupied(context, location)


def is_writable(context: RunContext, location: str) -> bool:
    """Whether files could be created in the log of the local table at *location*."""
    path = context.open_store(location).local_path
    return path is None or os.access(
        os.path.join(path, LOG_DIRECTORY),  # noqa: PTH118 -- as the store does
        os.W_OK | os.X_OK,
    )


def chosen_place(location: str) -> str:
    """The place that the user means, the same for every process; a URL is one already."""
    from deltaadm.spark.catalog import plain_location

    place = plain_location(location)
    return place.rstrip("/") if is_remote(place) else str(Path(place).absolute())
