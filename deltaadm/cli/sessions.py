"""The Spark sessions and executors that the command line asks for."""

from __future__ import annotations

from contextlib import contextmanager

from deltaadm.cli import streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import ClassVar

    from deltaadm.cli.options import SparkOptionGroup
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.spark.executor import SparkExecutor
    from deltaadm.spark.session import SparkOptions


def session_settings(group: SparkOptionGroup) -> SessionSettings:
    """The settings that plans depend on, from the command line."""
    from deltaadm.cli.options import pairs
    from deltaadm.domain.session import SessionSettings

    return SessionSettings.from_conf(pairs(group.spark_conf, "--spark-conf"))


def executor(group: SparkOptionGroup, settings: SessionSettings, *bases: Snapshot) -> SparkExecutor:
    """
    Spark, under *settings* and whatever else the command line says.

    Those of the tables *bases* that have names in a catalog are changed by them.
    """
    from deltaadm.spark.executor import SparkExecutor

    names = {one.root: one.name for one in bases if one.name is not None}
    options = spark_options(group, _said(settings))
    return SparkExecutor(options, say=streams.say, names=names)


def spark_options(group: SparkOptionGroup, below: Mapping[str, str] | None = None) -> SparkOptions:
    """
    Where and how Spark runs, by the command line, with settings *below* those that it has.

    A session that is held open has the latter already.
    """
    from deltaadm.cli.options import pairs
    from deltaadm.spark.jars import jars_at
    from deltaadm.spark.session import SparkOptions

    said = {} if _Session.is_held else pairs(group.spark_conf, "--spark-conf")
    return SparkOptions(
        master=group.spark_master,
        remote=group.remote,
        conf={**(below or {}), **said},
        jars=tuple(jar for place in group.jars or () for jar in jars_at(str(place))),
        debug=group.debug,
    )


@contextmanager
def held(*, really: bool = True) -> Iterator[None]:
    """For the time of the block a session is open, which whoever needs Spark gets; if *really*."""
    before, _Session.is_held = _Session.is_held, really
    try:
        yield
    finally:
        _Session.is_held = before


class _Session:
    """Whether one that has the settings of the command line is open."""

    is_held: ClassVar[bool] = False


def _said(settings: SessionSettings) -> dict[str, str]:
    """Those of *settings* that are not Delta's own defaults."""
    from deltaadm.domain.session import SessionSettings

    usual = SessionSettings().to_conf()
    return {key: one for key, one in settings.to_conf().items() if usual.get(key) != one}
