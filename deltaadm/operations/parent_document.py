"""Plans for tables of other providers as JSON, and back: what `--out` writes and `apply` reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from deltaadm import __version__
from deltaadm.dataclass import dataclass
from deltaadm.errors import CommitError, Refused
from deltaadm.operations.alter import OPERATION as ALTER
from deltaadm.operations.best_effort import BestEffortStagedTable
from deltaadm.operations.create import OPERATION as CREATE
from deltaadm.operations.create import create_document, read_create
from deltaadm.operations.document import FORMAT_VERSION
from deltaadm.operations.plan_document import change_document, require_format
from deltaadm.operations.steps import UnknownStep, read_step, step_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.table_changes import CreateTable, Step
    from deltaadm.operations.parent_catalog import ParentOutcome, ParentTable
    from deltaadm.operations.parent_changes import ParentChanges

    ParentPlan = BestEffortStagedTable | ParentChanges


def parent_document(plan: ParentPlan, outcome: ParentOutcome | None = None) -> dict[str, Any]:
    """The JSON document of *plan*, from which `read_parent_plan` knows the wish again."""
    operation, own = (
        (CREATE, _of_creation(plan))
        if isinstance(plan, BestEffortStagedTable)
        else (ALTER, _of_changes(plan))
    )
    return {
        "format_version": FORMAT_VERSION,
        "tool_version": __version__,
        "operation": operation,
        "table": plan.table,
        "name": plan.name,
        "provider": plan.provider,
        **own,
        "statements": list(plan.statements),
        "changes": [change_document(one) for one in plan.changes],
        "irreversible": list(plan.irreversible),
        "notes": list(plan.notes),
        "outcome": outcome and {"mismatches": [change_document(one) for one in outcome.mismatches]},
    }


def _of_creation(plan: BestEffortStagedTable) -> dict[str, Any]:
    return {
        "location": plan.location,
        "before": plan.before and _table(plan.before),
        "step": create_document(plan.step),
    }


def _of_changes(plan: ParentChanges) -> dict[str, Any]:
    return {
        "before": _table(plan.before),
        "steps": [step_document(one) for one in plan.steps],
        "is_noop": plan.is_noop,
    }


def _table(table: ParentTable) -> dict[str, Any]:
    return {
        "provider": table.provider,
        "location": table.location,
        "is_managed": table.is_managed,
        "fingerprint": table.fingerprint,
    }


@dataclass(frozen=True, slots=True)
class SavedParentPlan:
    """
    What a plan file says: the wish, and the document that planning it again must give.

    The wish is a table to be made, or steps to be taken on one that there is.
    """

    table: str
    provider: str
    wish: CreateTable | tuple[Step, ...]
    document: Mapping[str, Any]

    def require_base(self, found: ParentTable) -> None:
        """Raise `CommitError` unless the table that the plan alters is as it was."""
        if _table(found) != self.document.get("before"):
            raise CommitError(
                f"The table {self.table} has changed since it was planned; nothing was changed.",
                remedy="Plan again.",
            )

    def require_same(self, plan: ParentPlan) -> None:
        """Raise `CommitError` unless *plan*, made anew, is what was saved."""
        now, then = parent_document(plan), self.document
        differ = [key for key in now if key not in _PROSE and now[key] != then.get(key)]
        if differ:
            raise CommitError(
                f"The plan would be another one now, in {', '.join(differ)}: the table has "
                "changed since then, or the file; nothing was changed.",
                remedy="Plan again.",
            )


_PROSE: Final = frozenset({"tool_version", "notes"})
"""Keys whose wording may differ from one version of deltaadm to another."""


def read_parent_plan(text: str) -> SavedParentPlan | None:
    """
    The plan in the document *text*, or None for another kind of document.

    Raises `Refused` for one of another format, or one that is damaged.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not {"provider", "statements"} <= set(document):
        return None
    require_format(document.get("format_version"))
    try:
        return SavedParentPlan(
            str(document["table"]), str(document["provider"]), _wish(document), document
        )
    except (KeyError, TypeError, AttributeError, ValueError, UnknownStep) as error:
        raise Refused(
            "The file is not a plan of deltaadm: it holds something unexpected.",
            remedy="Make one with --out FILE.",
        ) from error


def _wish(document: Mapping[str, Any]) -> CreateTable | tuple[Step, ...]:
    if "step" in document:
        return read_create(document["step"])
    return tuple(read_step(one) for one in document["steps"])
