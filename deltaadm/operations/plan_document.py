"""A plan as versioned JSON, and back: what `--out` writes and `apply` reads."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from deltaadm import __version__
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.session import SessionSettings
from deltaadm.domain.table_changes import DropFeature, SetLocation
from deltaadm.errors import CommitError, DeltaadmError, Refused
from deltaadm.operations.diff import diff, mismatches
from deltaadm.operations.document import FORMAT_VERSION, protocol_document, verdict_document
from deltaadm.operations.plan import Plan, Stage, depends_on_state, propose, require_same_base
from deltaadm.operations.sql import statement
from deltaadm.operations.state_document import read_state, state_document
from deltaadm.operations.steps import UnknownStep, read_step, step_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deltaadm.clients import Shift
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step
    from deltaadm.operations.diff import Change


def plan_document(plan: Plan, table: str) -> dict[str, Any]:
    """
    The JSON document of *plan* for the table that the user called *table*.

    The table's absolute location is that of the plan's snapshot.
    """
    from deltaadm.operations.clients import newly_shut_out

    return {
        "format_version": FORMAT_VERSION,
        "tool_version": __version__,
        "operation": plan.operation,
        "table": table,
        "location": plan.before.root,
        "name": plan.before.name,
        "before": state_document(plan.before),
        "after": {
            "protocol": protocol_document(plan.after.protocol),
            "metadata": plan.after.metadata.to_wire(),
        },
        "steps": [
            {
                **step_document(stage.step),
                "sql": statement(plan.before.root, stage.step, plan.before.name)
                if stage.has_statement
                else None,
                "cost": stage.cost.value,
                "commits": _commits(stage),
                **({"waits": stage.waits} if isinstance(stage.step, DropFeature) else {}),
            }
            for stage in plan.stages
        ],
        "changes": [
            {
                **change_document(one.change),
                "because": one.because,
                "undo": one.undo,
                "cost": one.cost.value,
            }
            for one in plan.changes
        ],
        "cost": plan.cost.value,
        "size": _size(plan.before),
        "is_noop": plan.is_noop,
        "irreversible": list(plan.irreversible),
        "notes": list(plan.notes),
        "clients": [_shift_document(one) for one in newly_shut_out(plan)],
        "session": plan.session.to_conf(),
        "binding": _binding(plan.before),
    }


def _size(snapshot: Snapshot) -> dict[str, int] | None:
    files = snapshot.files
    return None if files is None else {"files": files.files, "bytes": files.bytes}


def _commits(stage: Stage) -> str:
    if not stage.is_commit:
        return "none"
    return "several" if stage.several_commits else "one"


def change_document(change: Change) -> dict[str, Any]:
    """One difference; what is not there before or after is null."""
    return {
        "kind": change.kind.name.lower(),
        "subject": change.subject,
        "before": change.before,
        "after": change.after,
    }


def _shift_document(shift: Shift) -> dict[str, Any]:
    release = shift.after.release
    return {
        "client": release.client.id,
        "version": release.version,
        "access": shift.after.access.value,
        "before": shift.before.compatibility.value,
        **verdict_document(shift.after),
    }


def _binding(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "table_id": snapshot.metadata.id,
        "version": snapshot.version,
        "protocol_sha256": _digest(protocol_document(snapshot.protocol)),
        "metadata_sha256": _digest(snapshot.metadata.to_wire()),
    }


def _digest(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPlan:
    """What a plan file says: enough to find the table, and to make the same plan again."""

    operation: str
    table: str
    location: str
    name: str | None
    before: Snapshot
    steps: tuple[Step, ...]
    because: Mapping[str, str]
    notes: tuple[str, ...]
    session: SessionSettings
    promise: Mapping[str, Any]
    digest: str

    @property
    def after(self) -> Snapshot:
        """The state that the plan promises."""
        return read_state(self.location, self.before.version, self.promise["after"])

    def require_location(self, location: str, *, begun: bool = False) -> None:
        """
        Raise `CommitError` unless the table's name still leads to where it was.

        Where the plan has *begun* to be carried out it may lead to where the plan sends it.
        """
        if location != self.location and not (begun and self._sends_to(location)):
            raise CommitError(
                f"{self.name} is at {location} now, and the plan is for {self.location}; nothing "
                "was committed.",
                remedy="Plan again.",
            )

    def _sends_to(self, location: str) -> bool:
        return any(
            isinstance(one, SetLocation) and one.there.root == location for one in self.steps
        )

    def left_on(self, current: Snapshot, *, begun: bool) -> Plan:
        """
        What is left to do on the table as it is now; nothing if it already is as promised.

        Where the plan has *begun* to be carried out, by a run that was interrupted, these are its
        last steps: those after the one whose result the table shows, or from the one on that takes
        several commits and was interrupted between them. *current* is the table to which the name
        leads. Raises what `renewed_on` does for a table that something else has changed.
        """
        if begun and self._sends_to(current.root):
            return self._plan_on(current, ())
        if current.metadata.id != self.before.metadata.id or not diff(self.before, current):
            return self.renewed_on(current)
        promised = self._plan_on(self.before)
        if _without_costs(_promise(plan_document(promised, self.table))) != _without_costs(
            self.promise
        ):
            raise _edited(_OTHER_STEPS)
        base = replace(current, root=self.location, name=self.name)
        stages = promised.stages
        ended = [number for number, one in enumerate(stages, 1) if one.is_commit]
        for taken in reversed(ended if begun else ended[-1:]):
            if not mismatches(stages[taken - 1].after, current):
                return self._plan_on(base, self.steps[taken:])
        for taken, stage in enumerate(stages):
            if begun and stage.several_commits and self._leads_on(base, taken):
                return self._plan_on(base, self.steps[taken:])
        return self.renewed_on(current)

    def _leads_on(self, base: Snapshot, taken: int) -> bool:
        """Whether the steps that are not yet *taken* lead from *base* to what is promised."""
        try:
            plan = self._plan_on(base, self.steps[taken:])
        except DeltaadmError:
            return False
        return not mismatches(self.after, plan.after)

    def renewed_on(self, current: Snapshot) -> Plan:
        """
        The same plan on the table as it is now.

        Raises `CommitError` when the table's identity, protocol or metadata is no longer what
        the plan rests on, and `Refused` when the file promises something else than its steps do:
        harmless appends since then may move a version that the plan names, nothing else. What a
        step costs is compared where it does not depend on files, or *current* has facts on them.
        """
        if current.exists and not self.before.exists:
            raise CommitError(
                f"There is a table at {self.location} by now, and the plan makes one; nothing was "
                "committed.",
                remedy="Plan again.",
                delta_error_class="DELTA_METADATA_CHANGED",
            )
        if current.metadata.id != self.before.metadata.id:
            raise CommitError(
                f"The table at {self.location} is not the one that was planned for: its id is "
                f"{current.metadata.id}; nothing was committed.",
                remedy="Plan again.",
                delta_error_class="DELTA_METADATA_CHANGED",
            )
        require_same_base(self.before, current)
        then = self._plan_on(
            replace(
                current,
                root=self.location,
                name=self.name,
                version=self.before.version,
                domains=self.before.domains if current.domains is None else current.domains,
            )
        )
        promise = _promise(plan_document(then, self.table))
        if promise == self.promise:
            return self._plan_on(current)
        state_matters = any(depends_on_state(one) for one in (then, self._plan_on(self.before)))
        if not state_matters or _without_costs(promise) != _without_costs(self.promise):
            raise _edited(_OTHER_STEPS)
        if current.files is not None:
            raise CommitError(
                f"The table's files have changed: the plan's cost would be {promise['cost']}, "
                f"and {self.promise['cost']} was planned; nothing was committed.",
                remedy="Plan again.",
            )
        return self._plan_on(current)

    def _plan_on(self, snapshot: Snapshot, steps: Sequence[Step] | None = None) -> Plan:
        return propose(
            self.operation,
            snapshot,
            self.steps if steps is None else steps,
            because=self.because,
            notes=self.notes,
            session=self.session,
        )


_OTHER_STEPS: Final = "it promises something else than its steps do"


def read_plans(text: str) -> tuple[SavedPlan, ...]:
    """
    Read the documents that `plan_document` makes: one, an array of them, or one a line.

    Errors among them, of tables for which there is no plan, are passed over. Raises `Refused` for
    anything else, a newer format, an edited file or two plans for one table included.
    """
    documents = _documents(text)
    plans = tuple(_read(one) for one in documents if not _is_error(one))
    if not plans:
        raise _unreadable("it has no plan")
    places = Counter(one.location for one in plans)
    for place, count in places.items():
        if count > 1:
            raise Refused(
                f"The file has {count} plans for the table at {place}.",
                remedy="Each rests on the table as it is now, so carry them out one after the "
                "other, planning in between.",
            )
    return plans


def _documents(text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise _unreadable("it is not JSON") from error
    except ValueError:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError) as error:
            raise _unreadable("it is not JSON") from error
    return found if isinstance(found, list) else [found]


def require_format(version: object) -> None:
    """Raise `Refused` for a plan of another format *version* than this deltaadm reads."""
    if version != FORMAT_VERSION:
        raise Refused(
            f"The plan has format version {version}; this deltaadm reads {FORMAT_VERSION}.",
            remedy="Apply it with the deltaadm that made it, or plan again.",
        )


def _is_error(document: Any) -> bool:
    return isinstance(document, dict) and "error" in document and "table" in document


def _read(document: Any) -> SavedPlan:
    try:
        version = document["format_version"]
    except (KeyError, TypeError) as error:
        raise _unreadable("it has no 'format_version'") from error
    require_format(version)
    try:
        saved = _saved(document)
    except KeyError as error:
        raise _unreadable(f"it has no {error}") from error
    except UnknownStep as error:
        raise _unreadable(f"it has a step of the unknown kind {error.args[0]!r}") from error
    except (TypeError, AttributeError, ValueError) as error:
        raise _unreadable("it holds something unexpected") from error
    if document.get("binding") != _binding(saved.before):
        raise _edited("the state it starts from does not have the hashes that it names")
    return saved


def _saved(document: Mapping[str, Any]) -> SavedPlan:
    location = str(document["location"])
    version = int(document["before"]["version"])
    return SavedPlan(
        operation=str(document["operation"]),
        table=str(document["table"]),
        location=location,
        name=document.get("name"),
        before=replace(
            read_state(location, version, document["before"]), name=document.get("name")
        ),
        steps=tuple(read_step(one) for one in document["steps"]),
        because={str(one["subject"]): str(one["because"]) for one in document["changes"]},
        notes=tuple(map(str, document["notes"])),
        session=SessionSettings.from_conf(document["session"]),
        promise=_promise(document),
        digest=_digest(document),
    )


_PROSE: Final = frozenset({"because", "undo"})
"""Keys of a change whose wording may differ from one version of deltaadm to another."""


def _promise(document: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a plan's document that must follow from its steps."""
    return {
        **{key: document[key] for key in ("after", "steps", "cost", "is_noop")},
        "changes": [
            {key: value for key, value in one.items() if key not in _PROSE}
            for one in document["changes"]
        ],
    }


def _without_costs(promise: Mapping[str, Any]) -> dict[str, Any]:
    bare = {key: value for key, value in promise.items() if key != "cost"}
    for entries in ("steps", "changes"):
        bare[entries] = [
            {key: value for key, value in one.items() if key != "cost"} for one in promise[entries]
        ]
    return bare


def _unreadable(cause: str) -> Refused:
    return Refused(
        f"The file is not a plan of deltaadm: {cause}.",
        remedy="Make one with --out FILE on any command that plans.",
    )


def _edited(cause: str) -> Refused:
    return Refused(f"The plan file was changed after it was made: {cause}.", remedy="Plan again.")
