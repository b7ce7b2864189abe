"""The composition root: which store, engine, executor and format a command gets."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from functools import partial

from deltaadm.dataclass import replace
from deltaadm.errors import DeltaadmError, Refused, StorageError
from deltaadm.render.formats import FORMATS, Style, formats_for, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Any, ClassVar, Protocol, Self, TypeVar

    from deltaadm.cli.options import SparkOptionGroup
    from deltaadm.domain.drop_feature import FeatureHistory
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step
    from deltaadm.operations.reports import Report
    from deltaadm.replay.engine import Detail
    from deltaadm.spark.catalog import CatalogTable, DeltaCatalog
    from deltaadm.spark.engine import SparkEngine
    from deltaadm.spark.executor import SparkExecutor
    from deltaadm.spark.parent_catalog import SparkParentCatalog
    from deltaadm.spark.session import SparkOptions
    from deltaadm.spark.store import Hadoop
    from deltaadm.storage.store import LogStore

    Answer = TypeVar("Answer")
else:
    Protocol = object


SOME_FAILED = 9


class Look(Protocol):
    """How an answer is to be shown: a format's name, and auto, always or never."""

    @property
    def output(self) -> str:
        """The format."""

    @property
    def color(self) -> str:
        """When to use colours."""


class OutputLost(StorageError):  # noqa: N818 -- reads as what happened
    """Standard output takes no more, so that errors can only be told elsewhere."""


def check_format(output: Look, report: type) -> None:
    """Turn away a format that there is not, or that cannot show *report*: a usage error."""
    import typer

    offered = formats_for(report)
    if output.output not in offered:
        raise typer.BadParameter(
            f"{output.output!r} is not one of {', '.join(offered)}", param_hint="--output"
        )
    if output.color not in {"auto", "always", "never"}:
        raise typer.BadParameter(
            f"{output.color!r} is not one of auto, always, never", param_hint="--color"
        )


def show(reports: Sequence[Report], output: Look) -> None:
    """Write *reports* to standard output, as *output* says."""
    write(reports, output.output, Style(color=output.color))


def write(reports: Sequence[Report], format_name: str, style: Style) -> None:
    """Write *reports* to standard output; raises `OutputLost` where it takes no more."""
    _write(partial(render, format_name, reports, sys.stdout, style))


def _write(put: Callable[[], object]) -> None:
    _survive_odd_names(sys.stdout)
    try:
        put()
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise OutputLost(
            f"The output cannot be written: {(error.strerror or str(error)).lower()}.",
            remedy="Make room, or send it elsewhere.",
        ) from error


def discard_output() -> None:
    """Let everything that is still written to standard output vanish."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_to_user(reports: Sequence[Report], output: Look) -> None:
    """Write *reports* to standard error, as text: for whoever is about to be asked."""
    _survive_odd_names(sys.stderr)
    render("text", reports, sys.stderr, Style(color=output.color))
    sys.stderr.flush()


def write_text(text: str) -> None:
    """Write *text* to standard output as it is; raises `OutputLost` where it takes no more."""
    _write(partial(sys.stdout.write, text))


def reporting(table: str, output: Look, report: Callable[[str], Report]) -> int:
    """
    Show the *report* of *table*; the exit code.

    An error stands in the report's place where errors belong into the output, elsewhere on
    standard error.
    """
    try:
        show([report(table)], output)
    except OutputLost:
        raise
    except DeltaadmError as error:
        if FORMATS[output.output].machine:
            from deltaadm.operations.reports import Failure

            show([Failure(table, error)], output)
        else:
            say_error(table, error)
        return error.exit_code
    return 0


def say_error(table: str, error: DeltaadmError) -> None:
    """One sentence and what to do about it, on standard error."""
    from deltaadm.render.visible import visible

    _survive_odd_names(sys.stderr)
    named = "" if not table or table in error.message else f"{visible(table)}: "
    sys.stderr.write(f"error: {named}{visible(error.message)}\n")
    if error.remedy:
        sys.stderr.write(f"  {visible(error.remedy)}\n")


def say(message: str) -> None:
    """Something about the run, on standard error."""
    from deltaadm.render.visible import visible

    _survive_odd_names(sys.stderr)
    sys.stderr.write(f"{visible(message)}\n")
    sys.stderr.flush()


def _survive_odd_names(stream: object) -> None:
    """A name that the stream's encoding lacks is shown escaped rather than ending the run."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def locate(table: str) -> str:
    """
    The absolute location of what the user calls *table*, as `open_store` takes it.

    A name in a catalog must have been looked up. An empty one, most often a variable that is not
    set, is a usage error.
    """
    if not table:
        import typer

        raise typer.BadParameter("is empty", param_hint="TABLE")
    from deltaadm.storage.local import LocalStore
    from deltaadm.storage.store import is_remote, open_store

    if table in _Reading.located:
        return _Reading.located[table]
    found = _Catalog.found.get(table)
    if isinstance(found, DeltaadmError):
        raise found
    place = table if found is None else found.location
    if _Reading.hadoop is not None and is_remote(place):
        return place.rstrip("/")
    store = open_store(place)
    return os.path.realpath(store.path) if isinstance(store, LocalStore) else store.root


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
    from deltaadm.spark.engine import SparkEngine
    from deltaadm.spark.session import open_session
    from deltaadm.spark.store import Hadoop
    from deltaadm.spark.workers import shipped

    with (
        open_session(spark_options(group, _conf(group)), say) as session,
        shipped(session),
    ):
        was_open, _Catalog.is_open = _Catalog.is_open, True
        _Reading.hadoop, _Reading.engine = Hadoop(session), SparkEngine(session)
        try:
            yield
        finally:
            _Reading.hadoop = _Reading.engine = None
            _Catalog.is_open = was_open


def store_at(location: str) -> LogStore:
    """The store for a location that `locate` has told."""
    from deltaadm.storage.store import open_store

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
        self._found = _Catalog.found

    def __call__(self, table: str, location: str) -> Any:
        _Reading.located = {table: location}
        _Catalog.found = self._found
        return self._answer(table)


class _Catalog:
    """What the table names of the command line have turned out to be."""

    found: ClassVar[dict[str, CatalogTable | DeltaadmError]] = {}
    is_open: ClassVar[bool] = False
    open: ClassVar[DeltaCatalog | None] = None


def look_up(tables: Sequence[str], group: SparkOptionGroup | None = None) -> None:
    """Find those of *tables* that are names in Spark's catalogs, for `locate` to know."""
    from deltaadm.storage.store import table_name

    parsed = {table: table_name(table) for table in tables}
    names = {table: parts for table, parts in parsed.items() if parts}
    if not names:
        return
    try:
        with catalog(tuple(names), group) as there:
            if there is not None:
                for table, parts in names.items():
                    _Catalog.found[table] = _or_error(partial(there.load_delta_table, parts))
    except DeltaadmError as error:
        _Catalog.found |= dict.fromkeys(names, error)


def _or_error(look: Callable[[], CatalogTable]) -> CatalogTable | DeltaadmError:
    try:
        return look()
    except DeltaadmError as error:
        return error


def list_tables(pattern: str, group: SparkOptionGroup) -> list[str]:
    """
    The names of the Delta tables that match *pattern* in Spark's catalogs, for `locate` to know.

    Raises what `DeltaCatalog.list_tables` does, and `Refused` where there is no catalog.
    """
    with _open_catalog(group) as there:
        if there is None:
            raise Refused(
                "There is no catalog to look for tables in.",
                remedy="Say where Spark's catalog is, by --remote, --spark-master or --spark-conf.",
            )
        found = {one.name: one for one in there.list_tables(pattern)}
    _Catalog.found |= found
    return list(found)


@contextmanager
def catalog(
    tables: Sequence[str], group: SparkOptionGroup | None = None, *, always: bool = False
) -> Iterator[DeltaCatalog | None]:
    """
    Spark's catalogs for the block, if there are names among *tables* and catalogs to know them.

    With *always* they are there in any case. Whoever needs Spark inside the block gets the same
    session.
    """
    if not (always or any(map(is_name, tables))):
        yield None
        return
    from deltaadm.cli.options import SparkOptionGroup

    with _open_catalog(group or SparkOptionGroup(), always=always) as found:
        yield found


@contextmanager
def _open_catalog(
    group: SparkOptionGroup, *, always: bool = False
) -> Iterator[DeltaCatalog | None]:
    from deltaadm.spark.catalog import open_catalog

    with open_catalog(spark_options(group, _conf(group)), say, always=always) as found:
        before = _Catalog.is_open, _Catalog.open
        _Catalog.is_open, _Catalog.open = found is not None, found
        try:
            yield found
        finally:
            _Catalog.is_open, _Catalog.open = before


def _conf(group: SparkOptionGroup) -> dict[str, str]:
    """The settings that the command line gives a session, unless one is open that has them."""
    from deltaadm.cli.options import pairs

    return {} if _Catalog.is_open else pairs(group.spark_conf, "--spark-conf")


def is_name(table: str) -> bool:
    """Whether *table* is the name of a table in a catalog, rather than a place."""
    from deltaadm.storage.store import table_name

    return table_name(table) is not None


def new_place(table: str, location: str | None, there: DeltaCatalog | None) -> str:
    """
    Where what the user calls *table* is, or will be once it is created.

    *location* is what the user chose for a table with a name. Raises what `locate` does, and
    `TableError` for a name that belongs to a view or to a table of another provider.
    """
    from deltaadm.storage.store import table_name

    parts = table_name(table)
    if parts is not None and there is not None:
        _Catalog.found[table] = _or_error(partial(there.place_of, parts, location))
    return locate(table)


def place_in(there: DeltaCatalog | None, table: str) -> tuple[str, str]:
    """The whole name of a table, there or not, and where a new one would have its files."""
    from deltaadm.storage.store import table_name

    assert there is not None  # noqa: S101 -- who needs a name has a catalog
    parts = table_name(table) or ()
    return there.whole_name(parts), there.default_place(parts)


def parent_catalog(there: DeltaCatalog | None) -> SparkParentCatalog:
    """The catalog to which *there* hands tables of other providers."""
    from deltaadm.spark.parent_catalog import SparkParentCatalog

    assert there is not None  # noqa: S101 -- who needs a name has a catalog
    return SparkParentCatalog(there.session)


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


def load_now(before: Snapshot, detail: Detail | None = None, *, by_name: bool = False) -> Snapshot:
    """
    The table that was in the state *before*, as it is now.

    With *by_name* it is the one to which its name in the open catalog leads by now.
    """
    place = _look_again(before.name) if by_name and before.name else place_now(before)
    return load(place, detail=detail, name=before.name, may_lack=not before.exists)


def _look_again(name: str) -> str:
    """Where the table with this *name* is now."""
    from deltaadm.storage.store import table_name

    parts = table_name(name)
    if parts is not None and _Catalog.open is not None:
        _Catalog.found[name] = _or_error(partial(_Catalog.open.load_delta_table, parts))
    return locate(name)


def place_now(before: Snapshot) -> str:
    """Where that table is: a catalog may have chosen another place for a new one than foreseen."""
    if before.exists or before.name is None or _Catalog.open is None:
        return before.root
    new_place(before.name, before.root, _Catalog.open)
    found = _Catalog.found.get(before.name)
    return before.root if isinstance(found, DeltaadmError) or found is None else found.location


def name_of(table: str) -> str | None:
    """The name, as SQL spells it, under which *table* was found in a catalog."""
    found = _Catalog.found.get(table)
    return None if found is None or isinstance(found, DeltaadmError) else found.name


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


def session_settings(group: SparkOptionGroup) -> SessionSettings:
    """The settings that plans depend on, from the command line."""
    from deltaadm.cli.options import pairs
    from deltaadm.domain.session import SessionSettings

    return SessionSettings.from_conf(pairs(group.spark_conf, "--spark-conf"))


class _Hands:
    """An `Executor` that writes checkpoints without a JVM and leaves all else to Spark."""

    def __init__(self, spark: SparkExecutor) -> None:
        self._spark = spark

    def __enter__(self) -> Self:
        self._spark.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._spark.__exit__(kind, error, trace)

    def settings(self) -> SessionSettings:
        return self._spark.settings()

    def apply(self, root: str, step: Step) -> None:
        from deltaadm.domain.table_changes import WriteCheckpoint

        if isinstance(step, WriteCheckpoint):
            from deltaadm.commit.checkpoint import write_checkpoint

            write_checkpoint(root)
        else:
            self._spark.apply(root, step)


def executor(group: SparkOptionGroup, settings: SessionSettings, *bases: Snapshot) -> _Hands:
    """
    Spark, under *settings* and whatever else the command line says.

    Those of the tables *bases* that have names in a catalog are changed by them.
    """
    from deltaadm.spark.executor import SparkExecutor

    conf = {**_said(settings), **_conf(group)}
    names = {one.root: one.name for one in bases if one.name is not None}
    return _Hands(SparkExecutor(spark_options(group, conf), say=say, names=names))


def spark_options(group: SparkOptionGroup, conf: Mapping[str, str]) -> SparkOptions:
    """Where and how Spark runs, by the command line, with the settings *conf*."""
    from deltaadm.spark.jars import jars_at
    from deltaadm.spark.session import SparkOptions

    return SparkOptions(
        master=group.spark_master,
        remote=group.remote,
        conf=conf,
        jars=tuple(jar for place in group.jars or () for jar in jars_at(str(place))),
        debug=group.debug,
    )


def _said(settings: SessionSettings) -> dict[str, str]:
    """Those of *settings* that are not Delta's own defaults."""
    from deltaadm.domain.session import SessionSettings

    usual = SessionSettings().to_conf()
    return {key: one for key, one in settings.to_conf().items() if usual.get(key) != one}


def save_plan(path: Path, text: str) -> None:
    """Write the document of a plan, and say how it is carried out."""
    write_file(path, text + "\n")
    say(f"The plan is in {path}; carry it out with: deltaadm apply {path}")


def write_file(path: Path, text: str) -> None:
    """Write *text*; raises `Refused` where the file system does not let us."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(
            f"The file {path} cannot be written: {error.strerror}.",
            remedy="Choose another place.",
        ) from error


def read_file(path: Path) -> str:
    """The text of the file at *path*; raises `Refused` where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Refused(
            f"The file {path} cannot be read: {reason}.", remedy="Check its name."
        ) from error


class _Progress:
    """What an interrupted run has to say about commits."""

    state = "nothing was committed"


def note_commits(state: str) -> None:
    """Remember *state*, a clause, for the case that the run is interrupted."""
    _Progress.state = state


def commit_state() -> str:
    """Whether anything was committed so far, as far as this run knows."""
    return _Progress.state
