"""`deltaadm doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.blocks import Check, Health
from deltaadm.errors import DeltaadmError
from deltaadm.masking import masked
from deltaadm.replay.load import CATALOG_MANAGED
from deltaadm.reports.doctor import DoctorReport
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.doctor import store_checks
from deltaadm.runs.names import look_up
from deltaadm.runs.options import AccessOptions, OutputOptions, SparkOptionGroup
from deltaadm.runs.output import check_format, handle_errors, info, show
from deltaadm.runs.places import is_writable
from deltaadm.runs.sessions import log_reader, spark_options
from deltaadm.runs.target import resolve
from deltaadm.storage.store import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.runs.context import RunContext
    from deltaadm.runs.names import Entry
    from deltaadm.storage.unity import UnityCatalog


NOT_READY = 6


class Doctor(Parameters):
    """
    Says how to fix what is missing. Exit code 6 if changes cannot be committed.

    For example:

      deltaadm doctor

      deltaadm doctor --start /data/events

      deltaadm doctor --write s3://lake/events
    """

    tables: list[str] | None = argument("[TABLE]...", "Tables to check access to.")
    start: bool = option("Also start Spark, and check that Delta works.")
    write: bool = option(
        "Also check conditional writes to object stores, with a temporary object next to the "
        "log.")  # fmt: skip
    access: AccessOptions
    spark: SparkOptionGroup
    output: OutputOptions

    def run(self, context: RunContext) -> int:
        """Carry out the command; the exit code."""
        check_format(self.output, DoctorReport)
        context = context.with_request(self.spark, self.output, self.access)

        def answer() -> int:
            report = DoctorReport(tuple(_checks(context, self)))
            show(context, [report])
            return NOT_READY if report.failed else 0

        return handle_errors(context, "", answer)


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
        yield _catalog(catalog)
    for table in tables:
        yield from doctor.storage(table, options)
    if tables:
        with log_reader(context, tables) as reader:
            entries = look_up(reader, tables)
            for table in tables:
                entry = entries.get(table)
                yield from _store(reader, table, entry, writing=request.write)
                yield _table(reader, table, entry)


def _store(
    context: RunContext, table: str, entry: Entry | None, *, writing: bool
) -> Iterator[Check]:
    """The checks on the object store that a table is in."""
    try:
        location = resolve(context, table, entry).location
        yield from store_checks(context, location, writing=writing)
    except DeltaadmError:
        return  # which the table's own check says


def _catalog(catalog: UnityCatalog) -> Check:
    """Whether the catalog answers, accepts the token and lets this user list."""
    try:
        return Check(catalog.name, Health.OK, catalog.describe_access())
    except DeltaadmError as error:
        return Check(catalog.name, Health.FAILED, error.message, error.remedy)


def _table(context: RunContext, table: str, entry: Entry | None) -> Check:
    """Whether a table can be read, and where a commit to it would be made."""
    try:
        snapshot = resolve(context, table, entry).load(context)
    except DeltaadmError as error:
        return Check(masked(table), Health.FAILED, error.message, error.remedy)
    if any(map(snapshot.protocol.supports, CATALOG_MANAGED)):
        detail = f"version {snapshot.version} can be read; its catalog manages the commits"
        return Check(table, Health.OK, detail)
    if is_remote(snapshot.root):
        detail = f"version {snapshot.version} can be read; that it can be written was not tried"
        return Check(table, Health.OK, detail)
    if not is_writable(context, snapshot.root):
        return Check(
            table,
            Health.WARNING,
            f"version {snapshot.version} can be read, but this user cannot write to its log",
            "Commits need permission to create files in _delta_log.",
        )
    return Check(table, Health.OK, f"version {snapshot.version} can be read and written")
