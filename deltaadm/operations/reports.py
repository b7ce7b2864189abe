"""
What a command has to say: values that renderers turn into text, JSON or SQL.

A report is any value that names where its JSON is written, and where its blocks are made. Here are
those that several operations make, or none does; the others are beside the operation.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, field
from deltaadm.masking import masked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from deltaadm.errors import DeltaadmError
    from deltaadm.operations.carry_out import Outcome
    from deltaadm.operations.diff import Change
    from deltaadm.operations.foreign import ForeignPlan
    from deltaadm.operations.plan import Plan


@dataclass(frozen=True)
class PlanReport:
    """A plan for the table that the user calls *table*."""

    table: str
    plan: Plan

    document = "plan"
    blocks = "plans.show_plan"


@dataclass(frozen=True)
class OutcomeReport:
    """The outcome of a plan for the table that the user calls *table*."""

    table: str
    outcome: Outcome

    document = "outcome"
    blocks = "plans.show_outcome"


class PlanState(Enum):
    """The status of a saved plan."""

    READY = "ready"
    DONE = "done"
    OBSOLETE = "obsolete"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class PlanStatus:
    """
    Whether a saved plan can still be carried out on the table as it is now.

    `version` is that of the table, None where it could not be read, and `changes` are what others
    have changed in it since the plan was made. `error` says why the plan cannot be carried out, or
    why that is unknown.
    """

    state: PlanState
    version: int | None = None
    changes: tuple[Change, ...] = ()
    error: DeltaadmError | None = None


@dataclass(frozen=True)
class SavedPlanReport:
    """A plan out of a file, for the table that the file calls *table*, and its status now."""

    table: str
    plan: Plan
    status: PlanStatus

    document = "shown_plan"
    blocks = "plans.show_saved_plan"


@dataclass(frozen=True, slots=True)
class JournalLine:
    """
    A journal's entry for a plan, identified by its digest: begun, done or failed.

    `result` is the document of what it came to, None where it has not ended.
    """

    plan: str
    table: str
    event: str
    result: Mapping[str, object] | None


@dataclass(frozen=True)
class JournalReport:
    """The newest line of each plan in the journal called *file*."""

    file: str
    plans: tuple[JournalLine, ...]

    document = "shown_journal"
    blocks = "plans.show_journal"


@dataclass(frozen=True)
class ForeignReport:
    """
    A plan for a table of another provider.

    `outcome` is what the catalog says of the table once it was carried out.
    """

    plan: ForeignPlan
    outcome: tuple[tuple[str, str], ...] | None = None

    document = "foreign"
    blocks = "plans.show_foreign_plan"


@dataclass(frozen=True)
class Failure:
    """Why there is no report on the table that the user calls *named*."""

    named: str
    error: DeltaadmError
    established: Mapping[str, object] | None = None

    document = "error"
    blocks = "tables.show_failure"

    @property
    def known(self) -> Mapping[str, object]:
        """What was established before the error, with secrets masked."""
        return self.error.established if self.established is None else self.established

    @property
    def table(self) -> str:
        """The table as the user calls it, with secrets masked."""
        return masked(self.named)


@dataclass(frozen=True)
class RuleCount:
    """The number of findings of a rule, and of tables with any; the severity of the first."""

    code: str
    name: str
    severity: str
    findings: int = 0
    tables: int = 0


@dataclass(frozen=True)
class StatisticsReport:
    """The findings in *tables* tables by rule, the most frequent first; some may have failed."""

    tables: int
    failed: int
    rules: tuple[RuleCount, ...]

    document = "statistics"
    blocks = "catalogues.show_statistics"


class Health(Enum):
    """Whether something will do: yes, perhaps not, no."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True)
class Check:
    """A requirement of deltaadm; `remedy` says what to do unless it is met."""

    subject: str
    health: Health
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class DoctorReport:
    """Whether this machine has what deltaadm needs."""

    checks: tuple[Check, ...]

    document = "doctor"
    blocks = "catalogues.show_doctor"

    @property
    def failed(self) -> bool:
        """Whether anything is missing."""
        return any(check.health is Health.FAILED for check in self.checks)


@dataclass(frozen=True)
class FleetSummary:
    """
    The number of tables and of failed ones, and what the tables have in common.

    Each section is a heading with items and the number of tables that each is true of; `places` are
    the first of these tables, by heading and item, where they matter.
    """

    tables: int
    failed: int
    sections: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    places: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    document = ""  # the documents of its tables say it all
    blocks = "tables.show_overview"


if TYPE_CHECKING:

    class Report(Protocol):
        """A value that a command reports."""

        @property
        def document(self) -> str:
            """The module of `deltaadm.documents` with its JSON; empty if it has none."""

        @property
        def blocks(self) -> str:
            """The function in `deltaadm.render.blocks` that shows it: MODULE.FUNCTION, or empty."""
