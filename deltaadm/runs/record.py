"""Recording what tables are like."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deltaadm.documents.reference import write_reference
from deltaadm.operations.reference import record
from deltaadm.operations.reports import Failure
from deltaadm.runs.compare import comparable
from deltaadm.runs.files import write_file
from deltaadm.runs.fleet import TableTask, collect_tables, table_results
from deltaadm.runs.output import info, show_error, write_text
from deltaadm.runs.results import combine_exit_codes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deltaadm.operations.reference import Reference
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.options import FleetOptions
    from deltaadm.runs.target import Target


def record_tables(
    context: RunContext, named: Sequence[str], request: FleetOptions, file: Path | None
) -> int:
    """
    Write a reference with all tables to *file*, or to standard output; the exit code.

    Nothing is written where one of them cannot be read: what is missing would never be compared.
    """
    fleet = collect_tables(context, named, request, "record")
    results = [*table_results(TableTask(context, fleet, partial(_record, context), keep=True))]
    for result in results:
        if isinstance(result.report, Failure):
            show_error(result.report.table, result.report.error)
    code = combine_exit_codes((result.code for result in results), alone=fleet.alone)
    if code:
        info("Nothing was recorded.")
        return code
    text = write_reference(result.document for result in results)
    if file is None:
        write_text(text)
    else:
        write_file(file, text)
        info(f"Recorded {len(results)} table{'' if len(results) == 1 else 's'} in {file}.")
    return 0


def _record(context: RunContext, target: Target) -> Reference:
    return record(target.text, comparable(context, target))
