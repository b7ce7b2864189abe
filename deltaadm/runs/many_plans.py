"""Plans for many tables: made at once, shown or saved as one file, and carried out from there."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from deltaadm.documents.plan import saved_document
from deltaadm.errors import UsageError
from deltaadm.operations.reports import PlanReport
from deltaadm.operations.secrets import require_no_secrets
from deltaadm.runs.apply_plans import Limits, carry_out_plans, journal_of, plans_in, require_lines
from deltaadm.runs.exit_codes import FOUND, REFUSED
from deltaadm.runs.files import announce_plans, unwritable
from deltaadm.runs.fleet import TableTask, collect_tables, table_results
from deltaadm.runs.options import require_streaming
from deltaadm.runs.output import handle_errors, info
from deltaadm.runs.plan_run import (
    plan_for,
    require_plan_options,
    require_reached,
    with_engine_for,
)
from deltaadm.runs.reading import read_file
from deltaadm.runs.results import OutputTarget, ResultPrinter, combine_exit_codes
from deltaadm.runs.sessions import log_reader, session_settings
from deltaadm.runs.settings import Settings, load_settings
from deltaadm.storage.files import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from deltaadm.operations.reports import Report
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.fleet import Fleet, TableResult
    from deltaadm.runs.options import FleetOptions
    from deltaadm.runs.plan_options import ChangeOptions, PlanOptions
    from deltaadm.runs.plan_run import Planner
    from deltaadm.runs.target import Target

    Document = Mapping[str, Any]


def plan_many(
    context: RunContext,
    named: Sequence[str],
    many: FleetOptions,
    planner: Planner,
    change: ChangeOptions,
    *,
    settings: Settings | None,
) -> int:
    """`plan_tables` for more than one table."""
    planning = change.planning
    require_plan_options(change)
    context = context.with_request(change.commit.spark, change.commit.output, change.commit.access)
    require_streaming(many, context.format)
    if planning.apply and planning.out is None:
        raise UsageError(
            "requires --out FILE for several tables, so that an interrupted run can be continued",
            option="--apply",
        )
    if planning.apply:
        require_lines(context, "--apply")
    session = session_settings(context.spark)

    def code(document: Document) -> int:
        if any(not missed["skipped"] for missed in document["unreachable"]):
            return REFUSED
        unfixed = document["unfixed"]
        return FOUND if unfixed or (planning.check and not document["is_noop"]) else 0

    def work() -> int:
        project = settings or load_settings(context.settings)
        chosen = with_engine_for(context, change, project)
        with log_reader(chosen, named, many, by_executors=not planning.apply) as reader:
            return plan_and_apply_all(reader, project)

    def plan_and_apply_all(reader: RunContext, project: Settings) -> int:
        def report(target: Target) -> PlanReport:
            plan, _ = plan_for(
                reader, target, planner, change.commit, project=project, session=session
            )
            require_reached(plan, planning)
            if planning.out is not None:
                require_no_secrets(plan.steps, plan.session.property_defaults)
            return PlanReport(target.text, plan)

        fleet = collect_tables(reader, named, many, "plan")
        exit_code, plans = _plan_all(reader, fleet, report, code, planning)
        if not planning.apply or planning.out is None or not plans:
            return exit_code
        applied = carry_out_plans(
            reader,
            # From the file, as a later run would: what is carried out is what was saved.
            plans_in(read_file(planning.out)),
            journal_of(planning.out),
            Limits(many.jobs),
            change.commit,
        )
        return combine_exit_codes([exit_code, applied], alone=False)

    return handle_errors(context, "", work)


def _plan_all(
    context: RunContext,
    fleet: Fleet,
    report: Callable[[Target], PlanReport],
    code: Callable[[Document], int],
    planning: PlanOptions,
) -> tuple[int, int]:
    """The exit code, and how many plans there are."""
    saves = planning.out is not None
    with PlanFile(planning.out) as file:
        printer = ResultPrinter(fleet, [OutputTarget(context.format)], context.style)
        # Where secrets are shown, the file has another line, which masks them.
        save = _saved if saves and context.style.show_secrets else None
        task = TableTask(context, fleet, report, code, keep=printer.keeps, save=save)
        for result in table_results(task):
            file.add(result)
            is_applied = planning.apply and "error" not in result.document
            # A table has one line, and that will be its outcome.
            if not (is_applied and context.format == "jsonl"):
                printer.add(result)
        finished = printer.finish()
    if planning.out is not None and not planning.apply:
        announce_plans(planning.out, file.plans)
    if not saves and context.format == "text" and file.to_do:
        info("Nothing was changed. Add --out FILE to save the plans for `deltaadm apply`.")
    return finished, file.plans


def _saved(report: Report) -> str:
    assert isinstance(report, PlanReport)  # noqa: S101 -- what is planned here
    return json.dumps(saved_document(report.plan, report.table), separators=(",", ":")) + "\n"


class PlanFile:
    """
    Saves plans as JSON lines, if there is a *path*; the file is there when all are in it.

    Counts them, and those that have something to do.
    """

    def __init__(self, path: Path | None) -> None:
        self.plans = 0
        self.to_do = 0
        self._path = path
        self._writing = None if path is None else replacing(path)

    def __enter__(self) -> Self:
        if self._writing is not None:
            with self._refusing():
                self._file = self._writing.__enter__()
        return self

    def add(self, result: TableResult) -> None:
        """Save one more; errors are not plans."""
        document = result.document
        if "error" in document:
            return
        self.plans += 1
        self.to_do += not document["is_noop"]
        if self._writing is not None:
            with self._refusing():
                self._file.write((result.saved or result.line).encode())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._writing is not None:
            with self._refusing():
                self._writing.__exit__(kind, error, trace)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Trouble of the file system as `Refused`."""
        try:
            yield
        except OSError as error:
            raise unwritable(self._path or Path(), error) from error
