"""Carrying out a plan for a table of another provider, one statement after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.errors import CommitError
from deltaadm.operations.foreign.catalog import ForeignOutcome
from deltaadm.operations.stage_run import StageRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.errors import DeltaadmError
    from deltaadm.operations.diff import Change
    from deltaadm.operations.foreign.best_effort import BestEffortStagedTable
    from deltaadm.operations.foreign.catalog import ForeignCatalog
    from deltaadm.operations.foreign.changes import ForeignChanges

    ForeignPlan = BestEffortStagedTable | ForeignChanges


def carry_out(
    plan: ForeignPlan, catalog: ForeignCatalog, note: Callable[[str], None]
) -> ForeignOutcome:
    """
    Run the statements of *plan*, and compare what the catalog then says.

    *note* hears before each statement what will be true if the run is interrupted in it. Raises
    `CommitError` where the catalog no longer has what the plan rests on, or the result of a
    statement differs and others remain, and what a statement raises, saying what is done and what
    is not.
    """
    if plan.is_noop:
        return ForeignOutcome()
    plan.require_base(catalog)
    run = _Run(plan, catalog, note)
    run.take_stages(len(run.statements))
    note(plan.completed)
    return ForeignOutcome(mismatches=run.mismatches)


class _Run(StageRun):
    """Statements on a table: what they have come to, and how the last result differs."""

    remedy = "Check the table with DESCRIBE TABLE EXTENDED, then plan again."

    def __init__(
        self, plan: ForeignPlan, catalog: ForeignCatalog, note: Callable[[str], None]
    ) -> None:
        self._plan, self._catalog, self._note = plan, catalog, note
        self.statements = plan.to_run
        self.mismatches: tuple[Change, ...] = ()
        self._state = ""

    def _require_as_planned(self) -> None:
        if self.mismatches:  # Spark ignores some of what it accepts
            raise CommitError(
                f"After a statement {self.mismatches[0].subject} differs from the plan; "
                f"{self._state}.",
                remedy=self.remedy,
            )

    def _take(self, number: int) -> None:
        self._note(self.statements[number].pending)
        self._catalog.run(self.statements[number].sql)

    def _after_failure(self, number: int, _error: DeltaadmError) -> str:
        return self.statements[number].after_failure(self._catalog)

    def _compare(self, number: int) -> None:
        statement = self.statements[number]
        self._state = statement.done
        if statement.planned is not None:
            actual = self._catalog.definition(self._plan.name)
            self.mismatches = self._plan.mismatches(statement.planned, actual)

    def _not_compared(self, number: int) -> str:
        return self.statements[number].done
