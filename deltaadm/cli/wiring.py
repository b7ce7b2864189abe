"""The composition root: which store and engine a table is read with."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from deltaadm.cli import catalogs
from deltaadm.dataclass import replace
from deltaadm.errors import DeltaadmError, StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar, Protocol, TypeVar

    from deltaadm.cli.options import SparkOptionGroup
    from deltaadm.domain.drop_feature import FeatureHistory
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step
    from deltaadm.replay.engine import Detail
    from deltaadm.spark.catalog import DeltaCatalog
    from deltaadm.spark.engine import SparkEngine
    from deltaadm.spark.store import Hadoop
    from deltaadm.storage.store import LogStore

    Answer = TypeVar("Answer")
else:
    Protocol = object


def locate(table: str) -> str:
    """
    The absolute location of what the user calls *table*, as `open_store` takes it.

    A name in a catalog must have been looked up. An empty one, most often a variable that is not
    set, is a usage error. Raises what `open_store` does, and `Refused` for one with a secret in it.
    """
    if not table:
        import typer

        raise typer.BadParameter("is empty", param_hint="TABLE")
    from deltaadm.storage.local import LocalStore
    from deltaadm.storage.store import is_remote, open_store, require_no_secret

    if table in _Reading.located:
        return _Reading.located[table]
    place = catalogs.place_of(table) or table
    require_no_secret(place)
    if _Reading.hadoop is not None and is_remote(place):
        return place.rstrip("/")
    store = open_store(place)
    return os.path.realpath(store.path) if isinstance(store, LocalStore) else store.root


def tables_below(root: str, on_error: Callable[[StorageError], None]) -> Iterator[str]:
    """
    The tables that `find_tables` finds, on this machine or where the Spark that reads logs looks.

    Raises what it does, and `StorageError` for a place that nothing here reaches.
    """
    from deltaadm.storage.discover import find_tables
    from deltaadm.storage.store import is_remote

    if not is_remote(root):
        return find_tables(locate(root) if root.startswith("file:") else root, on_error)
    return find_tables(locate(root), on_error, _Reading.hadoop)


class _Reading:
    """What reads logs: the first two where Spark does; and where tables are, if that is known."""

    hadoop: ClassVar[Hadoop | None] = None
    engine: ClassVar[SparkEngine | None] = None
    located: ClassVar[Mapping[str, str]] = {}


@contextmanager
def reading(group: SparkOptionGroup | None) -> Iterator[None]:
    """
    Let the engine that the command line names read logs for the time of the block.

    Whoever needs Spark inside the block gets the same session. Raises `EngineError` where there
    can be none.
    """
    from deltaadm.cli.options import Engine

    if group is None or group.engine is not Engine.SPARK:
        yield
        return
    from deltaadm.cli import sessions, streams
    from deltaadm.spark.engine import SparkEngine
    from deltaadm.spark.session import open_session
    from deltaadm.spark.store import Hadoop
    from deltaadm.spark.workers import shipped

    with (
        open_session(sessions.spark_options(group), streams.say) as session,
        shipped(session),
        sessions.held(),
    ):
        _Reading.hadoop, _Reading.engine = Hadoop(session), SparkEngine(session)
        try:
            yield
        finally:
            _Reading.hadoop = _Reading.engine = None


def do_without_numpy() -> None:
    """
    Let pyarrow be imported without numpy from now on, which takes half the time.

    For runs that only read, at the end of which the process ends too: nothing of ours needs numpy,
    but pyspark does, and what pyarrow has found when it was imported is what it stays with.
    """
    if sys.modules.keys().isdisjoint(("numpy", "pyarrow", "pyspark")):
        sys.modules["numpy"] = None  # type: ignore[assignment]


def store_at(location: str) -> LogStore:
    """The store for a location that `locate` has told."""
    from deltaadm.storage.store import open_store, require_no_secret

    require_no_secret(location)
    return open_store(location) if _Reading.hadoop is None else _Reading.hadoop.open_store(location)


def engine() -> SparkEngine | None:
    """What replays logs; None for the one without a JVM."""
    return _Reading.engine


def on_executors(
    tables: Sequence[str], answer: Callable[[str], Answer], *, lost: Callable[[str], Answer]
) -> Iterator[Answer]:
    """
    The *answer* for each table, in order, from the executors of the Spark that reads logs.

    They read without a JVM; what only Spark's file systems reach is answered here. *lost* answers
    for a table on which an executor came to a violent end.
    """
    from deltaadm.spark.fleet import in_order

    assert _Reading.hadoop is not None  # noqa: S101 -- callers have asked for the engine
    near = {one: place for one in tables if (place := _place_for_executors(one))}
    stream = in_order(_Reading.hadoop.session, near, _Elsewhere(answer), lost=lost)
    for table in tables:
        yield next(stream) if table in near else answer(table)


def _place_for_executors(table: str) -> str:
    """Where executors find a table, given the same disks; empty if they cannot be told."""
    from deltaadm.storage.store import is_remote

    try:
        table.encode()
        place = locate(table) if table else ""
    except (UnicodeEncodeError, DeltaadmError):
        return ""
    return "" if is_remote(place) else place


class _Elsewhere:
    """An answer that is worked out by another process, which it tells what this one knows."""

    def __init__(self, answer: Callable[[str], Any]) -> None:
        self._answer = answer
        self._names = catalogs.Names.found

    def __call__(self, table: str, location: str) -> Any:
        _Reading.located = {table: location}
        catalogs.Names.found = self._names
        return self._answer(table)


def new_place(table: str, location: str | None, there: DeltaCatalog | None) -> str:
    """
    Where what the user calls *table* is, or will be once it is created.

    *location* is what the user chose for a table with a name. Raises what `locate` does, and
    `TableError` for a name that belongs to a view or to a table of another provider.
    """
    catalogs.foresee(table, location, there)
    return locate(table)


def is_occupied_here(location: str) -> bool:
    """Like `is_occupied`, but nothing is known of places that only Spark need reach."""
    from deltaadm.storage.store import is_remote

    return not is_remote(location) and is_occupied(location)


def is_occupied(location: str) -> bool:
    """Whether there are files already at the local place *location*."""
    from deltaadm.storage.local import LocalStore

    store = store_at(location)
    if not isinstance(store, LocalStore):
        return False
    try:
        return bool(os.listdir(store.path))  # noqa: PTH208 -- as the store does
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StorageError(
            f"{location} is no place for a table: {(error.strerror or str(error)).lower()}.",
            remedy="Choose a directory that is empty, or not there yet.",
        ) from error


def table_around(location: str) -> str | None:
    """The nearest table in whose directory *location* is; None also where nobody can tell."""
    from deltaadm.storage import discover
    from deltaadm.storage.store import is_remote

    return discover.table_around(location, _Reading.hadoop if is_remote(location) else None)


def load_now(before: Snapshot, detail: Detail | None = None, *, by_name: bool = False) -> Snapshot:
    """
    The table that was in the state *before*, as it is now.

    With *by_name* it is the one to which its name in the open catalog leads by now.
    """
    if by_name and before.name:
        catalogs.look_again(before.name)
        place = locate(before.name)
    else:
        place = place_now(before)
    return load(place, detail=detail, name=before.name, may_lack=not before.exists)


def place_now(before: Snapshot) -> str:
    """Where that table is: a catalog may have chosen another place for a new one than foreseen."""
    return before.root if before.exists else catalogs.place_created(before.name, before.root)


def is_writable(location: str) -> bool:
    """Whether files could be created in the log of the local table at *location*."""
    from deltaadm.storage.local import LocalStore
    from deltaadm.storage.store import LOG_DIRECTORY

    store = store_at(location)
    return not isinstance(store, LocalStore) or os.access(
        os.path.join(store.path, LOG_DIRECTORY),  # noqa: PTH118 -- as the store does
        os.W_OK | os.X_OK,
    )


def load(
    location: str,
    *,
    detail: Detail | None = None,
    version: int | None = None,
    timestamp: int | None = None,
    name: str | None = None,
    may_lack: bool = False,
) -> Snapshot:
    """
    The table at *location*; protocol and metadata alone unless *detail* says more.

    *name* is that of the table in the catalog, where it was found by it. With *may_lack* there
    need not be a table.
    """
    from deltaadm.errors import TableError
    from deltaadm.replay.engine import Detail, load_snapshot

    try:
        snapshot = load_snapshot(
            store_at(location),
            _Reading.engine,
            detail=detail or Detail.PROTOCOL,
            version=version,
            timestamp=timestamp,
        )
    except TableError as error:
        if may_lack and error.delta_error_class == "DELTA_MISSING_DELTA_TABLE":
            from deltaadm.domain.create import no_table

            return no_table(location, name)
        raise
    return snapshot if name is None else replace(snapshot, name=name)


def load_there(place: str) -> Snapshot:
    """The whole state of the table at *place*, which is none that was looked up by a name."""
    from deltaadm.replay.engine import Detail

    location = locate(place)
    return replace(load(location, detail=Detail.STATE), root=location)


def versions_made(before: Snapshot) -> Callable[[int, int, Step], tuple[int, ...]]:
    """A function that tells which versions of the table that was in *before* a step has made."""
    from deltaadm.replay.provenance import versions_made_by

    return lambda first, last, step: versions_made_by(
        store_at(place_now(before)), first, last, step
    )


def history_of(snapshot: Snapshot, feature: str) -> FeatureHistory:
    """What the log of the table in *snapshot* still has of *feature*."""
    from deltaadm.replay.feature_history import feature_history

    return feature_history(store_at(snapshot.root), snapshot, feature)


def next_phase(location: str, step: Step) -> str:
    """When the second run of *step*, whose first one has just been, can follow."""
    from deltaadm.domain.table_changes import DropFeature
    from deltaadm.operations import drop_feature

    snapshot = load(location)
    name = step.name if isinstance(step, DropFeature) else ""
    status = drop_feature.drop_status(snapshot, name, history_of(snapshot, name), now=now())
    return drop_feature.next_phase(status)


def now() -> int:
    """The time of day, in milliseconds since the epoch."""
    from time import time_ns

    return time_ns() // 1_000_000
