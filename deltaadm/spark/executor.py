"""Carrying out steps as SQL statements on Spark."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import PurePath
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from deltaadm.commit.checkpoint import write_checkpoint
from deltaadm.dataclass import replace
from deltaadm.domain.drop_feature import WAITING_CLASSES
from deltaadm.domain.session import SessionSettings
from deltaadm.domain.table_changes import CreateTable, SetLocation, WriteCheckpoint
from deltaadm.errors import CommitError, DeltaadmError, EngineError, NotYet
from deltaadm.operations.create import schema_of_query
from deltaadm.operations.sql import statement
from deltaadm.spark.session import (
    SparkOptions,
    configured,
    is_outage,
    lost,
    open_session,
    said,
    sentence,
)
from deltaadm.storage.local import LocalStore
from deltaadm.storage.store import is_remote, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from pyspark.sql import SparkSession

    from deltaadm.domain.schema import StructType
    from deltaadm.domain.table_changes import Step


class SparkExecutor:
    """
    An `Executor` on Spark, to be used as a context manager.

    Spark starts with the first call that needs it and stops with the context, as
    `open_session` says: also after an interrupt no commit can follow the end of the context.
    *names* has the names of tables that are to be addressed by their catalog, by location. Once
    `settings` has been asked, steps on different tables may be applied in different threads.
    """

    def __init__(
        self,
        options: SparkOptions,
        *,
        say: Callable[[str], None],
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._options = options
        self._say = say
        self._names = names or {}
        self._stack = ExitStack()
        self._session: SparkSession | None = None
        self._running = 0
        self._restore = ExitStack()
        self._settings = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop what was started; may be called again."""
        self._session = None
        self._stack.close()

    def settings(self) -> SessionSettings:
        """Those of the live session; starts one if there is none."""
        session = self._live()
        try:
            return SessionSettings.from_conf(session.conf.getAll)
        except DeltaadmError:
            raise
        except Exception as error:
            raise lost(error) from error

    def apply(self, root: str, step: Step) -> None:
        """
        Run the statement of *step* on the table at *root*, a location as `open_store` takes it.

        A checkpoint, for which there is no statement, is written without Spark.
        Raises `CommitError` with the error class where Delta or Spark refuses, `NotYet` where
        Delta wants to be asked again later, and `EngineError` where Spark breaks down.
        """
        if isinstance(step, WriteCheckpoint):
            write_checkpoint(root)
            return
        sql = statement(address(root), _addressed(step), self._names.get(root))
        _require_unicode(root, sql)
        session = self._live()
        with self._literal(session):
            if isinstance(step, CreateTable) and step.query is not None:
                _require_same_columns(session, step.query, step.schema)
            try:
                session.sql(sql)
            except Exception as error:
                found = refusal(error)
                raise _misled(root, found, named=root in self._names) or found from error

    @contextmanager
    def _literal(self, session: SparkSession) -> Iterator[None]:
        """The session with settings under which statements mean what they say."""
        with self._settings:
            if not self._running:
                self._restore.enter_context(configured(session, LITERAL_STATEMENTS))
            self._running += 1
        try:
            yield
        finally:
            with self._settings:
                self._running -= 1
                if not self._running:
                    self._restore.close()

    def _live(self) -> SparkSession:
        if self._session is None:
            self._session = self._stack.enter_context(open_session(self._options, self._say))
        return self._session


LITERAL_STATEMENTS: Final = {
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.variable.substitute": "false",
}
"""Settings under which a statement means what it says."""


def _require_same_columns(session: SparkSession, query: str, planned: StructType) -> None:
    from deltaadm.spark.catalog import DeltaCatalog

    if schema_of_query(DeltaCatalog(session).query_schema(query)) != planned:
        raise CommitError(
            "The query gives other columns than when it was planned.", remedy="Plan again."
        )


def address(root: str) -> str:
    """
    A table's location as Spark has to be told it.

    Spark takes a path literally, without decoding `%20`; a path without scheme would belong to
    the cluster's default file system, and `..` would not follow links.

    >>> address("file:///data/a%20b")
    'file:/data/a b'
    """
    store = None if is_remote(root) else open_store(root)
    if not isinstance(store, LocalStore):
        return root.rstrip("/")
    path = PurePath(os.path.realpath(store.path)).as_posix()
    return store.qualifier + (path if path.startswith("/") else f"/{path}")


def _addressed(step: Step) -> Step:
    """The same step, with the location in it as Spark has to be told it."""
    if not isinstance(step, SetLocation):
        return step
    return SetLocation(replace(step.there, root=address(step.there.root)))


def _require_unicode(root: str, sql: str) -> None:
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise CommitError(
            f"Spark cannot be told about {root!r} or this change to it: a name in it is not "
            "valid Unicode.",
            remedy="Rename what is concerned, or reach it by a link with another name.",
        ) from None


# Delta's refusals


def refusal(error: Exception) -> DeltaadmError:
    """The error that an exception of Spark amounts to; one that is not Spark's is raised again."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    if is_outage(error):
        return lost(error)
    if isinstance(error, (Py4JJavaError, PySparkException)):
        thrown = getattr(error, "java_exception", getattr(error, "_origin", None))
        if unfit := next((one for one in _causes(thrown) if _is(one, *_UNFIT)), None):
            return _no_class(unfit)
        own = error.getCondition() if isinstance(error, PySparkException) else None
        return _refusal(error, chain(filter(None, [own]), _conditions(thrown)))
    if isinstance(error, (Py4JError, OSError)):
        return lost(error)
    raise error


def _refusal(error: Exception, conditions: Iterator[str]) -> CommitError | NotYet:
    condition = next(conditions, None)
    message, advice = sentence(said(error))
    if advice and condition and "." in condition:  # a sub-class's own words follow its class's
        detail, advice = sentence(advice)
        message = f"{message.rstrip('.:')}: {detail}"
    kind = NotYet if condition in WAITING_CLASSES else CommitError
    return kind(
        message,
        remedy=advice or "Inspect the table, then plan again.",
        delta_error_class=condition,
    )


_UNFIT: Final = ("java.lang.LinkageError", "java.lang.ClassNotFoundException")
"""How a JVM says that classes are missing, or of versions that do not belong together."""


def _no_class(thrown: Any) -> EngineError:
    return EngineError(
        "Spark lacks a class that this needs, or has another version of it "
        f"({sentence(thrown.toString())[0]}).",
        remedy="The jars of Spark, Delta and Hadoop have to be made for each other, and all be "
        "there; `deltaadm doctor` looks at them.",
    )


def _conditions(thrown: Any) -> Iterator[str]:
    """The error classes of a Java exception and of what caused it, outermost first."""
    for one in _causes(thrown):
        if _is(one, "org.apache.spark.SparkThrowable") and one.getCondition():
            yield one.getCondition()


def _causes(thrown: Any) -> Iterator[Any]:
    """A Java exception and what caused it, outermost first."""
    while thrown is not None:
        yield thrown
        thrown = thrown.getCause()


def _is(thrown: Any, *classes: str) -> bool:
    """Whether a Java exception is of one of *classes*; nothing is where the JVM is gone."""
    from py4j.java_gateway import is_instance_of
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    return gateway is not None and any(is_instance_of(gateway, thrown, one) for one in classes)


# A Spark that is not the right one


def _misled(root: str, found: DeltaadmError, *, named: bool) -> DeltaadmError | None:
    """The error for a Spark that lacks Delta, or the table at *root*."""
    condition = found.delta_error_class
    if condition == "DATA_SOURCE_NOT_FOUND" or (
        condition == "TABLE_OR_VIEW_NOT_FOUND" and not named
    ):
        return EngineError(
            "This Spark does not know Delta.",
            remedy="It needs Delta's jars, io.delta.sql.DeltaSparkSessionExtension among "
            "spark.sql.extensions and Delta's catalog; `deltaadm doctor --start` looks for them.",
            delta_error_class=condition,
        )
    if condition == "DELTA_MISSING_DELTA_TABLE" and not named:
        return CommitError(
            f"Spark finds no Delta table at {root}.",
            remedy="If this machine has one there, Spark runs on other disks; give a place that "
            "both reach.",
            delta_error_class=condition,
        )
    return None
