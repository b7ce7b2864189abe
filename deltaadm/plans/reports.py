"""What is reported of plans, of their steps and of findings that they fix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Final

from deltaadm.clients import EVERYONE, Scope
from deltaadm.dataclass import dataclass
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step, step_document, step_types
from deltaadm.errors import DeltaadmError
from deltaadm.json_values import Json, array, constant, maybe, one_of, record, within
from deltaadm.plans.diff import Change
from deltaadm.plans.plan import Plan
from deltaadm.plans.undo import fix_command
from deltaadm.rules.rule import Cause, Finding, Severity

if TYPE_CHECKING:
    from deltaadm.json_values import Fields, Schema
    from deltaadm.plans.foreign import ForeignPlan


_NOTHING: Final = record()


def schema_of(step: type[Step], more: Json = _NOTHING) -> Schema:
    """The schema of one kind of steps, and of what there is *more* in the object."""
    parts = [record(kind=constant(step.kind)).schema, step.json.schema, more.schema]
    return {
        "type": "object",
        "properties": {key: schema for part in parts for key, schema in part["properties"].items()},
        "required": [key for part in parts for key in part["required"]],
    }


def any_step(schema: Callable[[type[Step]], Schema]) -> Schema:
    """The schema of whatever kind of step, of which *schema* makes that of one kind."""
    return {"anyOf": [schema(kind) for kind in step_types().values()]}


STEP: Final = Json(lambda: any_step(schema_of), step_document)


@dataclass(frozen=True)
class Found:
    """A finding on the table that the user calls *table*."""

    table: str
    finding: Finding
    by: Cause | None = None
    reason: str = ""


FINDING: Final[Fields] = {
    "code": str,
    "name": str,
    "severity": one_of(Severity),
    "message": str,
    "where": str,
    "remedy": str,
}
"""The parts of a finding."""
_FIX: Final = record(
    command=(str, lambda found: fix_command(found.table, found.finding.fix)),
    steps=(array(STEP), lambda found: found.finding.fix),
)
FOUND: Final[Fields] = {
    **within("finding", FINDING),
    "fix": (maybe(_FIX), lambda found: found if found.finding.fix else None),
}
"""The same with what fixes it."""


@dataclass(frozen=True)
class PlanReport:
    """
    A plan for the table that the user calls *table*.

    It is shown for the clients in *scope*. One that is *brief* is shown in two lines, to whoever
    has agreed to it already.
    """

    table: str
    plan: Plan
    scope: Scope = EVERYONE
    brief: bool = False

    document = "plan"
    blocks = "deltaadm.reports.plans.show_plan"


@dataclass(frozen=True)
class ConcurrentChange:
    """The changes in a version that another writer committed while the plan was applied."""

    version: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """
    The outcome of a plan: the versions it committed, and where they differ from the plan.

    `actual` is the newest state; `concurrent` is what others have changed on the way to it.
    """

    plan: Plan
    actual: Snapshot
    versions: tuple[int, ...]
    mismatches: tuple[Change, ...] = ()
    concurrent: tuple[ConcurrentChange, ...] = ()


@dataclass(frozen=True)
class OutcomeReport:
    """The outcome of a plan for the table that the user calls *table*."""

    table: str
    outcome: Outcome

    document = "outcome"
    blocks = "deltaadm.reports.plans.show_outcome"


def committed_words(versions: tuple[int, ...]) -> str:
    """The committed *versions*, as a clause."""
    if not versions:
        return "nothing was committed"
    listed = ", ".join(map(str, versions))
    return (
        f"version {listed} was committed"
        if len(versions) == 1
        else f"versions {listed} were committed"
    )


def concurrent_words(concurrent: Sequence[ConcurrentChange]) -> str:
    """In which versions others have changed what: `version 4 (configuration[a])`."""
    return ", ".join(
        f"version {commit.version} ({', '.join(change.subject for change in commit.changes[:5])})"
        for commit in concurrent
    )


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
    blocks = "deltaadm.reports.plans.show_saved_plan"


@dataclass(frozen=True)
class Entry:
    """
    A journal's entry for a plan, identified by its digest: begun, done, failed or undone.

    `result` is the document of what it came to, None where it has not ended.
    """

    plan: str
    table: str
    event: str
    result: Mapping[str, object] | None = None

    document = "journal"


@dataclass(frozen=True)
class JournalReport:
    """The newest line of each plan in the journal called *file*."""

    file: str
    plans: tuple[Entry, ...]

    document = "shown_journal"
    blocks = "deltaadm.reports.plans.show_journal"


@dataclass(frozen=True)
class ForeignReport:
    """
    A plan for a table of another provider.

    `outcome` is what the catalog says of the table once it was carried out.
    """

    plan: ForeignPlan
    outcome: tuple[tuple[str, str], ...] | None = None

    document = "foreign"
    blocks = "deltaadm.reports.plans.show_foreign_plan"
