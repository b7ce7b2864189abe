"""The Spark sessions and executors that the command line asks for."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import replace
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.session import SessionSettings
from deltaadm.runs.output import info
from deltaadm.runs.requests import Engine, pairs
from deltaadm.storage.store import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deltaadm.operations.plan import Plan
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.requests import FleetRequest, SparkRequest
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
    places = [plan.before.root for plan in plans]
    options = spark_options(context, _changed(settings), places=places, long_work=long_work)
    return SparkExecutor(options, say=info, names=names, object_stores=context.object_stores)


def warn_of_other_writers(context: RunContext, plans: Iterable[Plan]) -> None:
    """Say where Delta Spark would not notice that others commit at the same time."""
    from deltaadm.spark.jars import settings_at_start
    from deltaadm.spark.log_stores import log_store, single_driver_schemes

    options = spark_options(context)
    if options.is_connect:
        return  # whose server has settings of its own
    places = [plan.before.root for plan in plans if not plan.is_noop]
    places = [place for place in places if is_remote(place)]
    if not places:
        return
    for scheme in single_driver_schemes(places, settings_at_start(options.conf)):
        info(
            f"Warning: Spark commits to {scheme}:// with {log_store(scheme).name}, which is safe "
            "only while no other program writes to the table: it puts commits without a condition, "
            "so it can replace one that another driver, or a writer with conditional puts, makes "
            "at the same time."
        )


_FEW: Final = 20
"""How many commits of metadata end before the JVM's optimizing compiler pays for itself."""


def spark_options(
    context: RunContext,
    below: Mapping[str, str] | None = None,
    *,
    places: Iterable[str] = (),
    long_work: bool = False,
) -> SparkOptions:
    """
    Where and how Spark runs, by the command line, with settings *below* those that it has.

    A session that is open has the latter already. Those of *places* that are in object stores are
    what it has to reach. `long_work` is what `SparkOptions` says.
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
        stores={place: _storage_options(context, place) for place in places if is_remote(place)},
    )


def _storage_options(context: RunContext, place: str) -> Mapping[str, str]:
    stores = context.object_stores
    return {} if stores is None else stores.options_for(place)


def _changed(settings: SessionSettings) -> dict[str, str]:
    """Those of *settings* that are not Delta's own defaults."""
    defaults = SessionSettings().to_conf()
    return {key: value for key, value in settings.to_conf().items() if defaults.get(key) != value}


@contextmanager
def log_reader(
    context: RunContext, tables: Iterable[str] = (), many: FleetRequest | None = None
) -> Iterator[RunContext]:
    """
    A context for the block in which the engine that the command line names reads logs.

    Those are the logs of *tables*, and of what the options *many* name. Whoever needs Spark inside
    the block gets the same session. Raises `EngineError` where there can be none.
    """
    if context.spark.engine is not Engine.SPARK or context.engine is not None:
        yield context
        return
    from deltaadm.spark.engine import SparkEngine
    from deltaadm.spark.session import open_session
    from deltaadm.spark.store import Hadoop
    from deltaadm.spark.workers import shipped

    places = [*tables, *(_places(many) if many else ())]
    options = spark_options(context, places=places, long_work=True)
    with open_session(options, info) as session, shipped(session):
        yield replace(context, hadoop=Hadoop(session), engine=SparkEngine(session))


def _places(many: FleetRequest) -> Iterator[str]:
    """What the options of a fleet name that may be a URL."""
    yield from many.also or ()
    yield from many.discover or ()
    if many.tables_from is not None and str(many.tables_from) != "-":
        from deltaadm.runs.reading import read_file

        yield from map(str.strip, read_file(many.tables_from).splitlines())
