"""Carrying out steps as SQL statements on Spark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from subprocess import Popen
from threading import Condition
from typing import TYPE_CHECKING, Any, Final, Self
from uuid import uuid4

from deltaadm import __version__
from deltaadm.dataclass import replace
from deltaadm.domain import steps as kinds
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.schema import path_text
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction.constraints import stored_expression
from deltaadm.domain.wire import CommitMark
from deltaadm.errors import CommitError, DeltaadmError, EngineError
from deltaadm.plans.alter import schema_of_query
from deltaadm.plans.checkpoint import write_checkpoint
from deltaadm.plans.plan import statement
from deltaadm.replay.load import load_snapshot
from deltaadm.spark import errors
from deltaadm.spark.catalog import DeltaCatalog
from deltaadm.spark.jvm import jvm_process
from deltaadm.spark.session import (
    LITERAL_STATEMENTS,
    SparkOptions,
    configured,
    ignore,
    open_session,
)
from deltaadm.spark.store import address
from deltaadm.storage.store import ObjectStores, is_remote, open_store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# Clustering


def recluster(session: SparkSession, path: str, step: kinds.ClusterBy) -> None:
    """Commit what CLUSTER BY would on the table at *path*; `CommitError` over Spark Connect."""
    jvm: Any = getattr(session, "_jvm", None)
    if jvm is None:
        raise CommitError(
            "The table is clustered by columns that it does not have, and Spark Connect cannot "
            "fix that; nothing was committed.",
            remedy="Run the command without --remote.",
        )
    delta = jvm.org.apache.spark.sql.delta
    nothing = jvm.scala.Option.empty()
    # Classes of Delta's own: there is no public API for a commit of domain metadata.
    log = delta.DeltaLog.forTable(session._jsparkSession, path)
    transaction = log.startTransaction(nothing, nothing)
    clustering = delta.skipping.clustering
    schema = transaction.metadata().schema()
    names = list(map(path_text, step.columns))
    columns = _sequence(jvm, [clustering.ClusteringColumn.apply(schema, name) for name in names])
    domain = clustering.ClusteredTableUtils.createDomainMetadata(columns)
    # `$` is in no name that Python can spell.
    operation = getattr(delta, "DeltaOperations$ClusterBy")("", ",".join(names))
    transaction.commit(_sequence(jvm, [domain]), operation)


def _sequence(jvm: Any, items: list[Any]) -> Any:
    listed = jvm.java.util.ArrayList()
    for item in items:
        listed.add(item)
    # Py4J turns a Python list into a java.util.List, and Scala's methods take Seq.
    return jvm.org.apache.spark.api.python.PythonUtils.toSeq(listed)


# Executor


class SparkExecutor:
    """
    An `Executor` on Spark, to be used as a context manager.

    Spark starts with the first call that needs it and stops with the context, as
    `open_session` says: also after an interrupt no commit can follow the end of the context.
    *names* has the names of tables that are to be addressed by their catalog, by location;
    *object_stores* say how those are reached where it takes no Spark. Once
    `settings` has been asked, steps on different tables may be applied in different threads.
    """

    def __init__(
        self,
        options: SparkOptions,
        *,
        announce: Callable[[str], None],
        phase: Callable[[str], None] = ignore,
        names: Mapping[str, str] | None = None,
        object_stores: ObjectStores | None = None,
    ) -> None:
        self._options, self._announce, self._phase = options, announce, phase
        self._names, self._object_stores = names or {}, object_stores
        self._session: SparkSession | None = None
        self._jvm: Popen[bytes] | None = None
        self._own, self._mark = f"deltaadm/{__version__} {uuid4()}", CommitMark()
        self._stack, self._restore = ExitStack(), ExitStack()
        self._running, self._settings = 0, Condition()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session = None
        self._stack.close()

    def settings(self) -> SessionSettings:
        """The settings of the live session; starts one if needed."""
        session = self._live()
        with errors.refusals():
            return SessionSettings.from_conf(session.conf.getAll)

    def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
        """
        Run the statement of *step* on the table at *root*, a location as `open_store` takes it.

        A checkpoint, for which there is no statement, is written without Spark.
        Raises `CommitError` with the error class where Delta or Spark refuses, `NotYetError` where
        Delta wants to be asked again later, and `EngineError` where Spark breaks down.
        """
        if not step.has_statement:
            store = open_store(root, object_stores=self._object_stores)
            write_checkpoint(store, base or load_snapshot(store))
            return
        there = step.touches.destination
        addressed = (
            step if there is None else kinds.SetLocation(replace(there, root=address(there.root)))
        )
        sql = statement(address(root), addressed, self._names.get(root))
        try:  # as Py4J does, which raises where nothing says which name is wrong
            sql.encode()
        except UnicodeEncodeError:
            raise CommitError(
                f"Cannot pass {root!r} or this change to Spark: a name in it is not valid Unicode.",
                remedy="Rename it, or use a link with another name.",
            ) from None
        session = self._live()
        with self._prepared(session, step.annotation):
            if (
                isinstance(step, kinds.CreateTable)
                and step.query is not None
                and schema_of_query(DeltaCatalog(session).query_schema(step.query)) != step.schema
            ):
                raise CommitError(
                    "The query returns different columns than when it was planned.",
                    remedy="Plan again.",
                )
            try:
                session.sql(sql)
            except Exception as error:
                # Where a column that the table is clustered by is not there, Delta fails before it
                # commits anything: it looks for the old columns to note them in the history.
                marks = ("NoSuchElementException", "ClusteringColumnInfo")
                if isinstance(step, kinds.ClusterBy) and all(mark in str(error) for mark in marks):
                    with errors.refusals():
                        recluster(session, address(root), step)
                    return
                refused = errors.refusal(error)
                raise _misconfigured(root, refused, named=root in self._names) or refused from error

    def check(self, before: Snapshot, step: Step) -> None:
        """
        Have Spark analyze the expression of a constraint on the columns of *before*.

        Delta itself analyzes it when the constraint is added, after the steps that come first.
        Raises `CommitError` with Delta's or Spark's error class for an expression that will not do.
        """
        if step.touches.new_constraint is None:
            return
        session = self._live()
        from pyspark.sql.types import StructType

        name, text = step.touches.new_constraint
        schema, expression = before.metadata.schema, stored_expression(text)
        with self._prepared(session), errors.refusals():
            try:
                columns = StructType.fromJson(json.loads(schema.to_json()))
                table = session.createDataFrame([], columns)
            except Exception:  # noqa: BLE001 -- a type that this pyspark does not know; Delta will tell
                return
            try:
                fields = table.selectExpr(expression).schema.fields
            except Exception:  # noqa: BLE001 -- asked again: some subqueries are for conditions only
                table.where(expression).schema  # noqa: B018
                return
            found = fields[0].dataType.simpleString()
            if len(fields) == 1 and found != "boolean":
                raise CommitError(
                    f"The constraint {name} is not a Boolean expression: its type is {found}.",
                    remedy="Write an expression that is true for every row, like amount > 0.",
                    delta_error_class="DELTA_NON_BOOLEAN_CHECK_CONSTRAINT",
                )

    def mark(self) -> CommitMark:
        """The mark of its commits, once it has applied a step."""
        return self._mark

    def may_still_commit(self, _root: str) -> bool:
        """Whether a statement that was interrupted may be committed yet: its JVM may live."""
        return self._jvm is None or self._jvm.poll() is None

    @contextmanager
    def _prepared(self, session: SparkSession, annotation: str = "") -> Iterator[None]:
        """
        The session with settings under which statements mean what they say, and a mark.

        Statements share the settings, except for one with an *annotation*, which runs alone.
        """
        if annotation:
            with self._settings:
                self._settings.wait_for(lambda: not self._running)
                with (
                    configured(session, LITERAL_STATEMENTS),
                    marked(session, self._own, annotation) as self._mark,
                ):
                    yield
            return
        with self._settings:
            if not self._running:
                self._restore.enter_context(configured(session, LITERAL_STATEMENTS))
                self._mark = self._restore.enter_context(marked(session, self._own))
            self._running += 1
        try:
            yield
        finally:
            with self._settings:
                self._running -= 1
                if not self._running:
                    self._restore.close()
                    self._settings.notify_all()

    def _live(self) -> SparkSession:
        if self._session is None:
            self._session = self._stack.enter_context(
                open_session(self._options, self._announce, self._phase)
            )
            self._jvm = jvm_process()
        return self._session


@contextmanager
def marked(session: SparkSession, own: str, annotation: str = "") -> Iterator[CommitMark]:
    """
    The session with a mark of our *own* for what it commits, for the time of the block.

    An *annotation* follows the mark in the commits. What the user has chosen as `userMetadata`
    stays as it is and is the mark.
    """
    with errors.refusals():
        chosen = session.conf.get(USER_METADATA, None)
    if chosen is not None:
        yield CommitMark(chosen)
        return
    with configured(session, {USER_METADATA: own + annotation}):
        yield CommitMark(own, is_unique=True)


USER_METADATA: Final = "spark.databricks.delta.commitInfo.userMetadata"
"""The setting from which Delta takes what commits have as `userMetadata`."""


def _misconfigured(root: str, refused: DeltaadmError, *, named: bool) -> DeltaadmError | None:
    """The error for a Spark that lacks Delta, or the file system of the table at *root*."""
    condition = refused.delta_error_class
    if is_remote(root) and any(word in refused.message for word in errors.NO_FILE_SYSTEM):
        message = f"Spark has no file system for {root}: {refused.message.rstrip('.')}."
        return EngineError(message, remedy=errors.FILE_SYSTEM_REMEDY)
    not_found = condition == "TABLE_OR_VIEW_NOT_FOUND" and not named
    if condition == "DATA_SOURCE_NOT_FOUND" or not_found:
        return EngineError(
            "This Spark does not support Delta.",
            remedy="Add Delta's jars, io.delta.sql.DeltaSparkSessionExtension to "
            "spark.sql.extensions, and Delta's catalog; `deltaadm doctor --start` checks them.",
            delta_error_class=condition,
        )
    return None
