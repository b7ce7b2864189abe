"""The Spark sessions and executors that the command line asks for."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.domain.model.session import SessionSettings
from deltaadm.runs.output import info
from deltaadm.runs.requests import Engine, pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.requests import SparkRequest
    from deltaadm.spark.executor import SparkExecutor
    from deltaadm.spark.session import SparkOptions


def session_settings(request: SparkRequest) -> SessionSettings:
    """The settings that plans depend on, from the command line."""
    return SessionSettings.from_conf(pairs(request.spark_conf, "--spark-conf"))


def executor(context: RunContext, settings: SessionSettings, *bases: Snapshot) -> SparkExecutor:
    """
    Spark, under *settings* and whatever else the command line says.

    Those of the tables *bases* that have names in a catalog are changed by them.
    """
    from deltaadm.spark.executor import SparkExecutor

    names = {base.root: base.name for base in bases if base.name is not None}
    return SparkExecutor(spark_options(context, _changed(settings)), say=info, names=names)


def spark_options(context: RunContext, below: Mapping[str, str] | None = None) -> SparkOptions:
    """
    Where and how Spark runs, by the command line, with settings *below* those that it has.

    A session that is open has the latter already.
    """
    from deltaadm.spark.jars import jars_at
    from deltaadm.spark.session import SparkOptions

    request = context.spark
    conf = {} if context.has_session else pairs(request.spark_conf, "--spark-conf")
    return SparkOptions(
        master=request.spark_master,
        remote=request.remote,
        conf={**(below or {}), **conf},
        jars=tuple(jar for place in request.jars or () for jar in jars_at(str(place))),
        debug=request.debug,
    )


def _changed(settings: SessionSettings) -> dict[str, str]:
    """Those of *settings* that are not Delta's own defaults."""
    defaults = SessionSettings().to_conf()
    return {key: value for key, value in settings.to_conf().items() if defaults.get(key) != value}


@contextmanager
def log_reader(context: RunContext) -> Iterator[RunContext]:
    """
    A context for the block in which the engine that the command line names reads logs.

    Whoever needs Spark inside the block gets the same session. Raises `EngineError` where there
    can be none.
    """
    if context.spark.engine is not Engine.SPARK or context.engine is not None:
        yield context
        return
    from deltaadm.spark.engine import SparkEngine
    from deltaadm.spark.session import open_session
    from deltaadm.spark.store import Hadoop
    from deltaadm.spark.workers import shipped

    with open_session(spark_options(context), info) as session, shipped(session):
        yield replace(context, hadoop=Hadoop(session), engine=SparkEngine(session))
