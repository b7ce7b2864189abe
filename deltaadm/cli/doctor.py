"""`deltaadm doctor`."""

from collections.abc import Iterator
from typing import Annotated

import typer

from deltaadm.cli import catalogs, sessions, streams, wiring
from deltaadm.cli.options import OutputOptions, SparkOptionGroup, expanded
from deltaadm.errors import DeltaadmError
from deltaadm.masking import masked
from deltaadm.operations.reports import Check, DoctorReport, Health

NOT_READY = 6


@expanded
def command(
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TABLE]...", help="Tables that should be within reach."),
    ] = None,
    start: Annotated[
        bool, typer.Option("--start", help="Also start Spark, and see whether Delta answers.")
    ] = False,
    *,
    spark: SparkOptionGroup,
    output: OutputOptions,
) -> int:
    """
    Check this machine: Java, Spark, Delta's jars, tables.

    Says what to do about whatever is missing. Exit code 6 if a change could not be committed.

    For example:

      deltaadm doctor

      deltaadm doctor --start /data/events
    """
    streams.check_format(output, DoctorReport)

    def answer() -> int:
        found = DoctorReport(tuple(_checks(tables or (), spark, start=start)))
        streams.show([found], output)
        return NOT_READY if found.failed else 0

    return streams.failing_well("", output, answer)


def _checks(
    tables: "list[str] | tuple[()]", spark: SparkOptionGroup, *, start: bool
) -> Iterator[Check]:
    from deltaadm.spark import doctor

    options = sessions.spark_options(spark)
    surroundings = doctor.environment_settings()
    if surroundings is not None:
        yield surroundings
    found = list(doctor.look(options))
    yield from found
    if start and not any(one.health is Health.FAILED for one in found):
        yield doctor.start(options, streams.say)
    for table in tables:
        yield from doctor.storage(table, options)
    with wiring.reading(spark if tables else None):
        catalogs.look_up(tables, spark)
        yield from map(_table, tables)


def _table(table: str) -> Check:
    """Whether a table can be read, and where a commit to it would be made."""
    try:
        snapshot = wiring.load(wiring.locate(table))
    except DeltaadmError as error:
        return Check(masked(table), Health.FAILED, error.message, error.remedy)
    if not wiring.is_writable(snapshot.root):
        return Check(
            table,
            Health.WARNING,
            f"version {snapshot.version} can be read, but this user may not write to its log",
            "Commits need the right to create files in _delta_log.",
        )
    return Check(table, Health.OK, f"version {snapshot.version} can be read and written")
