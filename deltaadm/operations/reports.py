"""What a command has to say: values that renderers turn into text, JSON or SQL."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.masking import masked

if TYPE_CHECKING:
    from deltaadm.domain.features import TableFeature
    from deltaadm.errors import DeltaadmError
    from deltaadm.operations.best_effort import BestEffortStagedTable
    from deltaadm.operations.drop_feature import DropStatus
    from deltaadm.operations.error_classes import ErrorClass
    from deltaadm.operations.inspect import TableReport
    from deltaadm.operations.parent_catalog import ParentOutcome
    from deltaadm.operations.parent_changes import ParentChanges
    from deltaadm.operations.plan import Outcome, Plan
    from deltaadm.validation.finding import ValidationReport
    from deltaadm.validation.rule import Rule


@dataclass(frozen=True, slots=True)
class PlanReport:
    """A plan for the table that the user calls *table*."""

    table: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class OutcomeReport:
    """What a plan came to, for the table that the user calls *table*."""

    table: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class BestEffortReport:
    """A plan to make a table of another provider, and what it came to if it was carried out."""

    plan: BestEffortStagedTable
    outcome: ParentOutcome | None = None


@dataclass(frozen=True, slots=True)
class ParentChangesReport:
    """A plan to alter a table of another provider, and what it came to if it was carried out."""

    plan: ParentChanges
    outcome: ParentOutcome | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no report on the table that the user calls *named*."""

    named: str
    error: DeltaadmError

    @property
    def table(self) -> str:
        """That name as it may be shown; where there is a report, it has no secret in it."""
        return masked(self.named)


@dataclass(frozen=True, slots=True)
class FeatureCatalogue:
    """All features of the registry."""

    features: tuple[TableFeature, ...]


@dataclass(frozen=True, slots=True)
class FeatureExplanation:
    """One feature of the registry, with those that require it."""

    feature: TableFeature
    required_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleCatalogue:
    """Rules of `validate`, in the order of their codes."""

    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class RuleExplanation:
    """One rule with its documentation."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class ErrorClassExplanation:
    """An error class of Delta, with the rules that find what leads to it."""

    error_class: ErrorClass
    rules: tuple[Rule, ...]


class Health(Enum):
    """Whether something will do: yes, perhaps not, no."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that deltaadm depends on; `remedy` says what to do unless it is ok."""

    subject: str
    health: Health
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Whether this machine has what deltaadm needs."""

    checks: tuple[Check, ...]

    @property
    def failed(self) -> bool:
        """Whether anything is missing."""
        return any(one.health is Health.FAILED for one in self.checks)


@dataclass(frozen=True, slots=True)
class DropReport:
    """How far features of the table, at *version*, are from being dropped."""

    table: str
    version: int
    features: tuple[DropStatus, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """
    How many tables there are, how many of them failed, and what they have in common.

    Each section is a heading with items and the number of tables that each is true of.
    """

    tables: int
    failed: int
    sections: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


if TYPE_CHECKING:
    Report = (
        TableReport
        | PlanReport
        | OutcomeReport
        | BestEffortReport
        | ParentChangesReport
        | ValidationReport
        | Failure
        | FeatureCatalogue
        | FeatureExplanation
        | RuleCatalogue
        | RuleExplanation
        | ErrorClassExplanation
        | DoctorReport
        | DropReport
        | Overview
    )
