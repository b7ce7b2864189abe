"""Plans for tables of other providers as JSON, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass
from deltaadm.documents import document as document_of
from deltaadm.documents.change import CHANGES
from deltaadm.documents.foreign import FOREIGN_TABLE
from deltaadm.documents.saved_plan import read_document
from deltaadm.domain.model.json_values import place, text, texts
from deltaadm.domain.steps import CreateTable, read_step
from deltaadm.errors import CommitError
from deltaadm.operations.diff import Change, ChangeKind
from deltaadm.operations.foreign.best_effort import BestEffortStagedTable
from deltaadm.operations.foreign.catalog import ForeignTable
from deltaadm.operations.foreign.changes import RecordedChanges
from deltaadm.operations.reports import ForeignReport
from deltaadm.operations.secrets import require_no_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.steps import Step
    from deltaadm.operations.foreign.carry_out import ForeignPlan


def foreign_document(plan: ForeignPlan) -> dict[str, Any]:
    """
    The JSON document of *plan*, from which `read_foreign_plan` restores the request.

    Raises `Refused` for a plan that sets a secret.
    """
    require_no_secrets(plan.steps, {})
    return document_of(ForeignReport(plan))


@dataclass(frozen=True)
class SavedForeignPlan:
    """
    The content of a plan file: the request, and the document that planning it again must give.

    The request is a table to be made, or steps to be taken on one that there is.
    """

    table: str
    provider: str
    request: CreateTable | tuple[Step, ...]
    document: Mapping[str, Any]

    def as_made(self) -> BestEffortStagedTable | RecordedChanges:
        """The plan as the file has it, whatever has become of the table since."""
        document, before = self.document, None
        if document.get("before") is not None:
            before = ForeignTable(**FOREIGN_TABLE.read(document["before"]))
        if isinstance(self.request, CreateTable):
            return BestEffortStagedTable(
                table=self.table,
                name=text(document["name"]),
                provider=self.provider,
                location=text(document["location"]),
                step=self.request,
                before=before,
                notes=texts(document["notes"]),
            )
        assert before is not None  # noqa: S101 -- only a table that there is can be altered
        return RecordedChanges(
            table=self.table,
            name=text(document["name"]),
            before=before,
            steps=self.request,
            changes=tuple(
                Change(**entry | {"kind": ChangeKind[text(entry["kind"]).upper()]})
                for entry in CHANGES.read(document["changes"])
            ),
            notes=texts(document["notes"]),
        )

    def require_base(self, actual: ForeignTable) -> None:
        """Raise `CommitError` unless the table that the plan alters is as it was."""
        if FOREIGN_TABLE.write(actual) != self.document.get("before"):
            raise CommitError(
                f"The table {self.table} has changed since the plan was made; nothing was changed.",
                remedy="Plan again.",
            )

    def require_same(self, plan: ForeignPlan) -> None:
        """Raise `CommitError` unless *plan*, made anew, is what was saved."""
        now, then = foreign_document(plan), self.document
        differ = [key for key in now if key not in _PROSE and now[key] != then.get(key)]
        if differ:
            raise CommitError(
                f"The plan would now differ in {', '.join(differ)}: the table or the file has "
                "changed since it was made; nothing was changed.",
                remedy="Plan again.",
            )


_PROSE: Final = frozenset({"tool_version", "notes", "binding"})
"""Keys whose wording may differ from one version of deltaadm to another, and the digest of all."""


def read_foreign_plan(body: str) -> SavedForeignPlan | None:
    """
    The plan in the document *body*, or None for another kind of document.

    Raises `Refused` for one of another format, or one that is damaged.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not {"provider", "statements"} <= set(document):
        return None
    return read_document(document, _saved)


def _saved(document: Mapping[str, Any]) -> SavedForeignPlan:
    request = _request(document)
    require_no_secrets([request] if isinstance(request, CreateTable) else request, {})
    return SavedForeignPlan(place(document["table"]), text(document["provider"]), request, document)


def _request(document: Mapping[str, Any]) -> CreateTable | tuple[Step, ...]:
    if "step" in document:
        return CreateTable.read(document["step"])
    return tuple(map(read_step, document["steps"]))
