"""The Spark sessions and executors that the command line asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import replace
from deltaadm.domain.features import Cost
from deltaadm.domain.protocol import SessionSettings
from deltaadm.errors import RefusedError
from deltaadm.runs.context import RunContext, now
from deltaadm.runs.options import Engine, FleetOptions, pairs, read_file
from deltaadm.runs.output import detail, info, messages
from deltaadm.runs.progress import Progress
from deltaadm.storage.store import is_remote, scheme_of

if TYPE_CHECKING:
    from deltaadm.plans.carry_out import Executor
    from deltaadm.plans.plan import Plan
    from deltaadm.spark.session import SparkOptions


def executor(
    context: RunContext, settings: SessionSettings, *plans: Plan, phases: Progress | None = None
) -> AbstractContextManager[Executor]:
    """What carries out *plans*, and tells *phases* what it does; raises as `require_commits`."""
    if context.commit_engine is Engine.EMBEDDED:
        from deltaadm.plans.embedded_executor import EmbeddedExecutor

        if context.unity is not None:
            for plan in plans:
                context.unity.allow_writing(plan.before.root)
        warn = info if phases is None else phases.announce
        return EmbeddedExecutor(settings, now, context.object_stores, warn)
    from deltaadm.spark.executor import SparkExecutor

    by_place = require_commits(context, plans)
    names = {
        plan.before.root: plan.before.name
        for plan in plans
        if plan.before.name is not None and plan.before.root not in by_place
    }
    long_work = len(plans) > _FEW or any(plan.cost is not Cost.METADATA for plan in plans)
    places = [plan.before.root for plan in plans]
    defaults = SessionSettings().to_conf()
    # Those that are not Delta's own defaults.
    conf = {key: value for key, value in settings.to_conf().items() if defaults.get(key) != value}
    options = spark_options(context, conf, places=places, long_work=long_work)
    return SparkExecutor(
        options,
        announce=info if phases is None else phases.announce,
        phase=detail if phases is None else phases.begin,
        names=names,
        object_stores=context.object_stores,
    )


def require_commits(context: RunContext, plans: Sequence[Plan]) -> set[str]:
    """
    Raise `RefusedError` for a change of a table that is read by HTTP, to which nothing commits, or
    whose commits only its catalog can make.

    Returns the locations of tables in Unity Catalog that Spark does not know by their names.
    """
    for root in (plan.before.root for plan in plans if not plan.is_noop):
        if scheme_of(root) in {"http", "https"}:
            raise RefusedError(
                f"Nothing can be committed to {root}: by HTTP tables are only read.",
                remedy="Name the location to which its writers commit.",
            )
    unity = context.unity
    by_place: set[str] = set()
    if unity is None or context.commit_engine is Engine.EMBEDDED:  # which has its own reasons
        return by_place
    for plan in plans:
        before = plan.before
        catalog = unity.catalog_of(before.root)
        if catalog is None:
            continue
        unity.allow_writing(before.root)
        from deltaadm.spark.catalog import may_know_catalog

        if may_know_catalog(spark_options(context), catalog):
            continue
        if before.protocol.is_catalog_managed and not plan.is_noop:
            raise RefusedError(
                f"The commits of {before.name} are managed by its catalog, and Spark, which "
                f"commits, is not connected to {catalog}.",
                remedy="Connect it: --spark-conf "
                f"spark.sql.catalog.{catalog}=io.unitycatalog.spark.UCSingleCatalog, with "
                f"spark.sql.catalog.{catalog}.uri, its token in spark-defaults.conf, and the "
                "package io.unitycatalog:unitycatalog-spark.",
            )
        by_place.add(before.root)
    return by_place


def prepare_commits(context: RunContext, plans: Sequence[Plan]) -> None:
    """
    Do what `require_commits` does, and warn where others could commit at the same time.

    Delta Spark, if it commits, would not notice that.
    """
    require_commits(context, plans)
    if context.commit_engine is Engine.EMBEDDED:
        return
    from deltaadm.spark import jvm, store

    options = spark_options(context)
    places = [plan.before.root for plan in plans if plan.has_statements]
    places = [place for place in places if is_remote(place)]
    # A Connect server has settings of its own.
    if options.is_connect or not places:
        return
    for scheme in store.single_driver_schemes(places, jvm.settings_at_start(options.conf)):
        info(
            f"Warning: Spark commits to {scheme}:// with {store.log_store(scheme).name}, which is "
            "safe only while no other program writes to the table: it puts commits without a "
            "condition, so it can replace one that another driver, or a writer with conditional "
            "puts, makes at the same time. --commit-engine embedded puts them with a condition."
        )


_FEW: Final = 20
"""The number of metadata commits for which the JVM's optimizing compiler does not pay off."""


def spark_options(
    context: RunContext,
    below: Mapping[str, str] | None = None,
    *,
    places: Iterable[str] = (),
    long_work: bool = False,
) -> SparkOptions:
    """Where and how Spark runs, which may have to reach *places*; *below* are other settings."""
    from deltaadm.spark import jvm, session

    request = context.spark
    # A session that is open has the settings of the command line.
    is_open = context.executors is not None or context.catalog is not None
    conf = {} if is_open else pairs(request.spark_conf, "--spark-conf")
    stores: dict[str, Mapping[str, str]] = {}
    for place in filter(is_remote, places):
        options = {} if context.object_stores is None else context.object_stores.options_for(place)
        credentials = None if context.unity is None else context.unity.credentials(place)
        stores[place] = options if credentials is None else {**options, **credentials.options}
    return session.SparkOptions(
        master=request.spark_master,
        remote=request.remote,
        conf={**(below or {}), **conf},
        jars=tuple(jar for place in request.jars or () for jar in jvm.jars_at(str(place))),
        debug=messages().debug or messages().verbosity > 1,
        long_work=long_work,
        stores=stores,
    )


@contextmanager
def log_reader(
    context: RunContext,
    tables: Iterable[str] = (),
    many: FleetOptions | None = None,
    *,
    by_executors: bool = False,
) -> Iterator[RunContext]:
    """
    A context for the block in which the engine that the command line names reads logs.

    Those are the logs of *tables*, and of what the options *many* name. Whoever needs Spark inside
    the block gets the same session. Raises `EngineError` where there can be none, and for one on
    Spark Connect, unless logs are read *by_executors*.
    """
    if context.spark.engine is not Engine.SPARK or context.engine is not None:
        yield context
        return
    from deltaadm.spark import fleet, session, store

    if context.executors is not None:
        if not by_executors:
            store.Hadoop(context.executors.session)  # which one on Spark Connect has not got
        yield context
        return

    places = [*tables]
    if many is not None:  # whose arguments may be URLs
        places += [*(many.also or ()), *(many.discover or ())]
        # Standard input can be read only once, which is done where its tables are used.
        if many.tables_from is not None and str(many.tables_from) != "-":
            places += map(str.strip, read_file(many.tables_from).splitlines())
    # On a cluster, the JVM that is started here has little to do.
    is_here = (context.spark.spark_master or "local").startswith("local")
    options = spark_options(context, places=places, long_work=is_here)
    with ExitStack() as stack:
        with Progress("Starting Spark").shown() as progress:
            opened = session.open_session(options, progress.announce, progress.begin)
            spark = stack.enter_context(opened)
        fleet.ship(spark)
        if by_executors and not hasattr(spark, "_jvm"):
            yield replace(context, executors=fleet.Executors(spark))
            return
        from deltaadm.spark.engine import SparkEngine  # which imports pyspark: it is there by now

        hadoop, engine = store.Hadoop(spark), SparkEngine(spark)
        yield replace(context, executors=fleet.Executors(spark), hadoop=hadoop, engine=engine)
