"""`deltaadm doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from deltaadm.blocks import Check, Health
from deltaadm.errors import DeltaadmError
from deltaadm.masking import masked
from deltaadm.replay.load import CATALOG_MANAGED
from deltaadm.reports.installation import DoctorReport
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.doctor import store_checks
from deltaadm.runs.names import look_up
from deltaadm.runs.options import AccessOptions, OutputOptions, SparkOptionGroup
from deltaadm.runs.output import info, show
from deltaadm.runs.places import is_writable
from deltaadm.runs.sessions import log_reader, spark_options
from deltaadm.runs.target import resolve
from deltaadm.storage.store import is_remote

if TYPE_CHECKING:
    from deltaadm.runs.names import Entry


NOT_READY = 6


class Doctor(Parameters):
    """
    Says how to install what is missing. Exits with 6 if changes cannot be committed.

    For example:

      deltaadm doctor

      deltaadm doctor --start /data/events

      deltaadm doctor --write s3://lake/events
    """

    tables: list[str] | None = argument("[TABLE...]", "Also check access to these tables.")
    start: bool = option("Also start Spark and check that Delta works.")
    write: bool = option(
        "Also check conditional writes, with a temporary object next to the log.")  # fmt: skip
    access: AccessOptions
    spark: SparkOptionGroup
    output: OutputOptions
    shows = "DoctorReport"

    def run(self, context: RunContext) -> int:
        report = DoctorReport(tuple(_checks(context, self)))
        show(context, [report])
        return NOT_READY if report.failed else 0


def _checks(context: RunContext, request: Doctor) -> Iterator[Check]:
    from deltaadm.spark import doctor

    tables = request.tables or ()
    options = spark_options(context, places=tables)
    surroundings = doctor.environment_settings()
    if surroundings is not None:
        yield surroundings
    checks = list(doctor.look(options))
    yield from checks
    if request.start and not any(check.health is Health.FAILED for check in checks):
        yield doctor.start(options, info)
    catalog = None if context.unity is None else context.unity.find()
    if catalog is not None:
        try:  # whether it answers, accepts the token and lets this user list
            yield Check(catalog.name, Health.OK, catalog.describe_access())
        except DeltaadmError as error:
            yield Check(catalog.name, Health.FAILED, error.message, error.remedy)
    for table in tables:
        yield from doctor.storage(table, options)
    if tables:
        with log_reader(context, tables) as reader:
            entries = look_up(reader, tables)
            for table in tables:
                yield from _table(reader, table, entries.get(table), writing=request.write)


def _table(
    context: RunContext, table: str, entry: Entry | None, *, writing: bool
) -> Iterator[Check]:
    """Whether its store and a table can be read, and where a commit to it would be made."""
    said = []
    try:
        target = resolve(context, table, entry)
        with suppress(DeltaadmError):  # which loading the table says again
            for check in store_checks(context, target.location, writing=writing):
                said.append(check.detail)
                yield check
        snapshot = target.load(context)
    except DeltaadmError as error:
        if error.message not in said:
            yield Check(masked(table), Health.FAILED, error.message, error.remedy)
        return
    health, remedy, begin = Health.OK, "", f"version {snapshot.version} can be read"
    if any(map(snapshot.protocol.supports, CATALOG_MANAGED)):
        detail = f"{begin}; its catalog manages the commits"
    elif is_remote(snapshot.root):
        detail = f"{begin}; that it can be written was not tried"
    elif is_writable(context, snapshot.root):
        detail = f"{begin} and written"
    else:
        health, detail = Health.WARNING, f"{begin}, but this user cannot write to its log"
        remedy = "Commits need permission to create files in _delta_log."
    yield Check(table, health, detail, remedy)
