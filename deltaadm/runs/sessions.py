"""The Spark sessions and executors that the command line asks for."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import replace
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.session import SessionSettings
from deltaadm.runs.output import info
from deltaadm.runs.requests import Engine, pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.operations.plan import Plan
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.requests import SparkRequest
    from deltaadm.spark.executor import SparkExecutor
    from deltaadm.spark.session import SparkOptions


def session_settings(request: SparkRequest) -> SessionSettings:
    """The settings that plans depend on, from the command line."""
    return SessionSettings.from_conf(pairs(request.spark_conf, "--spark-conf"))


def executor(context: RunContext, settings: SessionSettings, *plans: Plan) -> SparkExecutor:
    """
    Spark for carrying out *plans*, under *settings* and whatever else the command line says.

    Tables that have names in a catalog are changed by them.
    """
    from deltaadm.spark.executor import SparkExecutor

    names = {plan.before.root: plan.before.name for plan in plans if plan.before.name is not None}
    long_work = len(plans) > _FEW or any(plan.cost is not Cost.METADATA for plan in plans)
    options = spark_options(context, _changed(settings), long_work=long_work)
    return SparkExecutor(options, say=info, names=names, object_stores=context.object_stores)


_FEW: Final = 20
"""How many commits of metadata end before the JVM's optimizing compiler pays for itself."""


def spark_options(
    context: RunContext, below: Mapping[str, str] | None = None, *, long_work: bool = False
) -> SparkOptions:
    """
    Where and how Spark runs, by the command line, with settings *below* those that it has.

    A session that is open has the latter already. `long_work` is what `SparkOptions` says.
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
        long_work=long_work,
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

    options = spark_options(context, long_work=True)
    with open_session(options, info) as session, shipped(session):
        yield replace(context, hadoop=Hadoop(session), engine=SparkEngine(session))
