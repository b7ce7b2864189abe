"""Plans for many tables: made at once, shown or saved as one file, and carried out from there."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import typer

from deltaadm.cli import sessions, streams, wiring
from deltaadm.cli.carrying_out import Limits, carry_out_plans, journal_of, require_lines
from deltaadm.cli.exit_codes import FOUND
from deltaadm.cli.fleet import Fleet, Outlet, Showing, answers, gathered, together
from deltaadm.cli.options import (
    ChangeOptions,
    FleetOptions,
    OutputOptions,
    PlanOptions,
    require_streaming,
)
from deltaadm.cli.planning import (
    OfParent,
    Planner,
    plan_and_apply,
    plan_for,
    project_settings,
    require_plan_options,
)
from deltaadm.errors import Refused
from deltaadm.operations.plan_document import read_plans
from deltaadm.operations.reports import PlanReport
from deltaadm.render.formats import Style

if TYPE_CHECKING:
    from deltaadm.cli.settings import Settings

Document = Mapping[str, Any]


def plan_tables(
    named: Sequence[str],
    many: FleetOptions,
    planner: Planner,
    change: ChangeOptions,
    *,
    settings: "Settings | None" = None,
    of_parent: OfParent | None = None,
) -> int:
    """
    `plan_and_apply` for the tables that are *named* and those that options name.

    Among several tables one of another provider is an error, also with *of_parent*.
    """
    if len(named) == 1 and not (many.names_tables or many.brief or many.resume):
        return plan_and_apply(named[0], planner, change, settings=settings, of_parent=of_parent)
    planning, output, spark = change.planning, change.commit.output, change.commit.spark
    require_plan_options(change)
    require_streaming(many, output.output)
    if planning.apply and planning.out is None:
        raise typer.BadParameter(
            "of many tables needs --out FILE, so that it can be gone on with when it is "
            "interrupted",
            param_hint="--apply",
        )
    if planning.apply:
        require_lines(output, "--apply")
    session = sessions.session_settings(spark)

    def report(project: "Settings", table: str) -> PlanReport:
        plan, _ = plan_for(table, planner, change.commit, project, session)
        return PlanReport(table, plan)

    def code(document: Document) -> int:
        return FOUND if planning.check and not document["is_noop"] else 0

    def work() -> int:
        with wiring.reading(spark):
            return planned_and_applied()

    def planned_and_applied() -> int:
        project = settings or project_settings()
        fleet = gathered(named, many, "plan", spark)
        found, plans = _planned(fleet, partial(report, project), code, planning, output)
        if not planning.apply or planning.out is None or not plans:
            return found
        applied = carry_out_plans(
            read_plans(streams.read_file(planning.out)),
            journal_of(planning.out),
            Limits(many.jobs),
            change.commit,
        )
        return together([found, applied], alone=False)

    return streams.failing_well("", output, work)


def _planned(
    fleet: Fleet,
    report: Callable[[str], PlanReport],
    code: Callable[[Document], int],
    planning: PlanOptions,
    output: OutputOptions,
) -> tuple[int, int]:
    """The exit code, and how many plans there are."""
    file = PlanFile(planning.out)
    style = Style(color=output.color)
    with file:
        showing = Showing(fleet, [Outlet(output.output)], style)
        for one in answers(fleet, report, code=code, keep=showing.keeps):
            file.add(one.document)
            if not (planning.apply and output.output == "jsonl" and "error" not in one.document):
                showing.add(one)
        found = showing.finish()
    if planning.out is not None and not planning.apply:
        streams.say_saved(planning.out, file.plans)
    if planning.out is None and output.output == "text" and file.to_do:
        streams.say("Nothing was changed. Add --out FILE to save the plans for `deltaadm apply`.")
    return found, file.plans


class PlanFile:
    """
    Saves plans as JSON lines, if there is a *path*; the file is there when all are in it.

    Counts them, and those that have something to do.
    """

    def __init__(self, path: Path | None) -> None:
        self.plans = 0
        self.to_do = 0
        self._path = path
        self._begun = None if path is None else path.with_name(f".{path.name}.{os.getpid()}")

    def __enter__(self) -> Self:
        if self._begun is not None:
            try:
                self._file = self._begun.open("w", encoding="utf-8")
            except OSError as error:
                raise Refused(
                    f"The file {self._path} cannot be written: {error.strerror}.",
                    remedy="Choose another place.",
                ) from error
        return self

    def add(self, document: Document) -> None:
        """Save one more; errors are not plans."""
        if "error" in document:
            return
        self.plans += 1
        self.to_do += not document["is_noop"]
        if self._begun is not None:
            self._file.write(json.dumps(document, separators=(",", ":")) + "\n")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._path is None or self._begun is None:
            return
        self._file.close()
        if error is None:
            self._begun.replace(self._path)
        else:
            self._begun.unlink()
