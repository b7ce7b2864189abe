"""
What a command has to say: values that renderers turn into text, JSON or SQL.

The `document` of each names the module in `deltaadm.documents` that writes it.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, field
from deltaadm.masking import masked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.clients import Access, ClientRelease, Compatibility, Fact, Verdict
    from deltaadm.clients.facts import Gate
    from deltaadm.domain.model.features import TableFeature
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.errors import DeltaadmError
    from deltaadm.operations.carry_out import Outcome
    from deltaadm.operations.compare import DiffReport
    from deltaadm.operations.diff import Change
    from deltaadm.operations.drop_feature import DropStatus
    from deltaadm.operations.error_classes import ErrorClass
    from deltaadm.operations.foreign.carry_out import ForeignPlan
    from deltaadm.operations.foreign.catalog import ForeignOutcome
    from deltaadm.operations.foreign.changes import RecordedChanges
    from deltaadm.operations.history import HistoryEntry, HistoryReport
    from deltaadm.operations.inspect import TableReport
    from deltaadm.operations.plan import Plan
    from deltaadm.operations.why import WhyReport
    from deltaadm.validation.finding import ValidationReport
    from deltaadm.validation.rule import Rule


@dataclass(frozen=True, slots=True)
class PlanReport:
    """A plan for the table that the user calls *table*."""

    table: str
    plan: Plan

    document = "plan"


@dataclass(frozen=True, slots=True)
class OutcomeReport:
    """What a plan came to, for the table that the user calls *table*."""

    table: str
    outcome: Outcome

    document = "outcome"


class PlanState(Enum):
    """What has become of a saved plan."""

    READY = "ready"
    DONE = "done"
    OBSOLETE = "obsolete"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class SavedPlanReport:
    """A plan out of a file, for the table that the file calls *table*, and its status now."""

    table: str
    plan: Plan
    status: PlanStatus

    document = "shown_plan"


@dataclass(frozen=True, slots=True)
class JournalLine:
    """
    What a journal says of a plan, known by its digest: begun, done or failed.

    `result` is the document of what it came to, None where it has not ended.
    """

    plan: str
    table: str
    event: str
    result: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class JournalReport:
    """The newest line of each plan in the journal called *file*."""

    file: str
    plans: tuple[JournalLine, ...]

    document = "shown_journal"


@dataclass(frozen=True, slots=True)
class ForeignReport:
    """
    A plan for a table of another provider, and what it came to if it was carried out.

    One out of a file has a `status` that says whether it still can be.
    """

    plan: ForeignPlan | RecordedChanges
    outcome: ForeignOutcome | None = None
    status: PlanStatus | None = None

    @property
    def document(self) -> str:
        """The module of its document, which the kind of plan names."""
        return self.plan.document


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no report on the table that the user calls *named*."""

    named: str
    error: DeltaadmError
    established: Mapping[str, object] | None = None

    document = "error"

    @property
    def known(self) -> Mapping[str, object]:
        """What was established before the trouble, as it may be shown."""
        return self.error.established if self.established is None else self.established

    @property
    def table(self) -> str:
        """That name as it may be shown; where there is a report, it has no secret in it."""
        return masked(self.named)


@dataclass(frozen=True, slots=True)
class FeatureCatalogue:
    """All features of the registry."""

    features: tuple[TableFeature, ...]

    document = "features"


@dataclass(frozen=True, slots=True)
class FeatureExplanation:
    """One feature of the registry, with those that require it."""

    feature: TableFeature
    required_by: tuple[str, ...]

    document = "feature"


@dataclass(frozen=True, slots=True)
class Support:
    """
    What a release of a client does with tables that have one feature, by the feature's name.

    Features for writers only do not concern readers, and are left out of `reads`.
    """

    release: ClientRelease
    reads: Mapping[str, Verdict]
    writes: Mapping[str, Verdict]


@dataclass(frozen=True, slots=True)
class ClientCatalogue:
    """All clients, each in its newest release."""

    clients: tuple[Support, ...]

    document = "clients"


@dataclass(frozen=True, slots=True)
class ClientFact:
    """One fact about a client: what it concerns, and what the client does then."""

    access: Access
    subjects: tuple[str, ...]
    compatibility: Compatibility
    fact: Fact | Gate

    def holds_for(self, version: tuple[int, ...]) -> bool:
        """Whether it is about this release."""
        return self.fact.holds_for(version)


@dataclass(frozen=True, slots=True)
class ClientExplanation:
    """One client with the facts about it: about `every_release`, or about one."""

    support: Support
    facts: tuple[ClientFact, ...]
    every_release: bool

    document = "client"


@dataclass(frozen=True, slots=True)
class RuleCatalogue:
    """Rules of `validate`, in the order of their codes."""

    rules: tuple[Rule, ...]

    document = "rules"


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often a rule has found something, and in how many tables; its severity as first found."""

    code: str
    name: str
    severity: str
    findings: int = 0
    tables: int = 0


@dataclass(frozen=True, slots=True)
class StatisticsReport:
    """The findings in *tables* tables by rule, the most frequent first; some may have failed."""

    tables: int
    failed: int
    rules: tuple[RuleCount, ...]

    document = "statistics"


@dataclass(frozen=True, slots=True)
class RuleExplanation:
    """One rule with its documentation."""

    rule: Rule

    document = "rule"


@dataclass(frozen=True, slots=True)
class ErrorClassExplanation:
    """An error class of Delta, with the rules that find what leads to it."""

    error_class: ErrorClass
    rules: tuple[Rule, ...]

    document = "error_class"


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

    document = "doctor"

    @property
    def failed(self) -> bool:
        """Whether anything is missing."""
        return any(check.health is Health.FAILED for check in self.checks)


@dataclass(frozen=True, slots=True)
class SettingValue:
    """
    A setting as TOML spells its value, with where that comes from, and the variable that sets it.

    `place` is the file, the variable or the option; it is empty for a default. There is no value
    where nothing sets what has no default, and no variable for what takes a file.
    """

    key: str
    value: str | None
    origin: str
    place: str = ""
    variable: str | None = None
    help: str = ""


@dataclass(frozen=True, slots=True)
class SettingsReport:
    """Every setting; `with_origins` says whether text shows where each comes from."""

    settings: tuple[SettingValue, ...]
    with_origins: bool = False

    document = "config"


@dataclass(frozen=True, slots=True)
class DropReport:
    """How far features of the table, at *version*, are from being dropped."""

    table: str
    version: int
    features: tuple[DropStatus, ...]

    document = "drop_feature"


@dataclass(frozen=True, slots=True)
class RecordedTable:
    """
    The table that the user called `table`, with masks for secrets.

    `fingerprints` are what these are known by, by their places.
    """

    table: str
    snapshot: Snapshot
    fingerprints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reference:
    """Recorded tables, for `diff` to hold them against later."""

    tables: tuple[RecordedTable, ...]

    document = "reference"


@dataclass(frozen=True, slots=True)
class FleetSummary:
    """
    How many tables there are, how many of them failed, and what they have in common.

    Each section is a heading with items and the number of tables that each is true of; `places` are
    the first of these tables, by heading and item, where they matter.
    """

    tables: int
    failed: int
    sections: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    places: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)


if TYPE_CHECKING:
    Report = (
        TableReport
        | HistoryReport
        | HistoryEntry
        | WhyReport
        | DiffReport
        | Reference
        | PlanReport
        | OutcomeReport
        | ForeignReport
        | SavedPlanReport
        | JournalReport
        | ValidationReport
        | Failure
        | FeatureCatalogue
        | FeatureExplanation
        | ClientCatalogue
        | ClientExplanation
        | RuleCatalogue
        | RuleExplanation
        | ErrorClassExplanation
        | DoctorReport
        | SettingsReport
        | StatisticsReport
        | DropReport
        | FleetSummary
    )
