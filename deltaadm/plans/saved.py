"""Plans in files, and back: they are planned again before anything is carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.documents import FORMAT_VERSION, DuplicateKeyError, is_sealed, parse, sha256
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import Cost
from deltaadm.domain.properties import Key, whole_number
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step, UnknownStepError, read_step
from deltaadm.domain.steps.table import read_state
from deltaadm.domain.wire import Metadata
from deltaadm.errors import CommitError, RefusedError
from deltaadm.json_values import place, text, text_map, version_number
from deltaadm.plans.alter import ALTER, CREATE, step_notes
from deltaadm.plans.diff import Change, diff, mismatches
from deltaadm.plans.document import BOUND, masked_document
from deltaadm.plans.features import DROP_FEATURE, ENABLE_FEATURE, SET_MAPPING_MODE, UPGRADE_PROTOCOL
from deltaadm.plans.goals import VALIDATE
from deltaadm.plans.plan import Plan, moves, propose, require_same_base
from deltaadm.plans.reversal import REFERENCE, UNDO
from deltaadm.plans.secrets import Masker, require_no_secrets
from deltaadm.plans.undo import REQUESTED

OPERATION: Final = "apply"
"""The name for a plan from a file that does not say which command has made it."""


@dataclass(frozen=True, kw_only=True)
class SavedPlan:
    """
    What a plan file says: enough to find the table, and to make the same plan again.

    `table` is what the file calls the table, which says nothing until somebody has looked at it;
    where that is, and its name in a catalog, stand in `before`. Not from the file are `is_managed`,
    whether the catalog disposes of the table's files, and `has_secrets`, whether the states have
    the secrets of the table. What is shown of the plan follows from its steps and states, but for
    the `operation`, a command that makes plans, and what was `requested`.
    """

    table: str
    before: Snapshot
    steps: tuple[Step, ...]
    session: SessionSettings
    cost: Cost
    promise: Mapping[str, Any]
    digest: str
    operation: str = OPERATION
    requested: frozenset[str] = frozenset()
    is_managed: bool = False
    has_secrets: bool = False

    @classmethod
    def of(cls, plan: Plan, table: str) -> SavedPlan:
        """*plan* for the *table* as its file would have it, but with the secrets that it sets."""
        return cls(
            table=table,
            before=plan.before,
            steps=plan.steps,
            session=plan.session,
            cost=plan.cost,
            promise=_promise(masked_document(plan, table)),
            digest="",
            operation=plan.operation,
            requested=frozenset(
                planned.change.subject for planned in plan.changes if planned.because == REQUESTED
            ),
            has_secrets=True,
        )

    def at(self, location: str) -> SavedPlan:
        """
        The same plan for its table at another *location*, such as another mount of its storage.

        That it is the same table shows when it is read. Raises `RefusedError` for a plan that
        creates or moves one.
        """
        if not self.before.exists or moves(self.steps):
            raise RefusedError(
                "Only a plan that changes an existing table can be applied at another location.",
                remedy="Plan again for that location.",
            )
        state = replace(self.before, root=location, name=None)
        moved = replace(self, table=location, before=state)
        made = moved._promise_of(moved.as_made())  # noqa: SLF001 -- the same class
        if len(made["steps"]) != len(self.promise["steps"]):
            raise _edited(_OTHER_STEPS)
        pairs = zip(self.promise["steps"], made["steps"], strict=True)
        # Of all that the file promises only the statements name the location.
        steps = [promised | {"sql": step["sql"]} for promised, step in pairs]
        return replace(moved, promise={**self.promise, "steps": steps})

    def require_location(self, location: str) -> None:
        """
        Raise `CommitError` unless the table's name still leads to where it was.

        Where the plan is carried out already, it leads to where the plan sends it.
        """
        planned = self.before.root
        if location != planned and not self._sends_to(location):
            raise CommitError(
                f"{self.before.name or planned} is now at {location}, but the plan is for "
                f"{planned}; nothing was committed.",
                remedy="Plan again.",
            )

    def _sends_to(self, location: str) -> bool:
        places = (step.touches.destination for step in self.steps)
        return any(place is not None and place.root == location for place in places)

    def as_made(self) -> Plan:
        """The plan on the state that it was made for."""
        return self._plan_on(self.before)

    def changes_since(self, current: Snapshot) -> tuple[Change, ...]:
        """The differences of *current* from the state that the plan was made for."""
        return diff(self.before, self._comparable(current))

    def _comparable(self, current: Snapshot) -> Snapshot:
        return current if self.has_secrets else Masker().mask(current)

    def left_on(self, current: Snapshot) -> Plan:
        """
        The plan for the table as it is now; without its commits if they have been made already.

        *current* is the table to which the name leads. Raises what `renewed_on` does for a table
        that has been changed, also by an interrupted run that has made some of the commits.
        """
        known = self._comparable(current)
        if self._sends_to(current.root) or self._has_made(known):
            return self._carried_out(current)
        if current.metadata.id != self.before.metadata.id or not diff(self.before, known):
            return self.renewed_on(current)
        promised = self.as_made()
        if self._promise_of(promised) != self.promise:
            raise _edited(_OTHER_STEPS)
        if not all(
            _names_later_version(change, known.version)
            for change in mismatches(promised.after, known)
        ):
            return self.renewed_on(current)
        base = replace(current, root=self.before.root, name=self.before.name)
        left = self._plan_on(base, [step for step in self.steps if not step.is_commit])
        return self._carried_out(base) if left.is_noop else left

    def _carried_out(self, current: Snapshot) -> Plan:
        return replace(self._plan_on(current, ()), notes=(CARRIED_OUT,))

    def _has_made(self, current: Snapshot) -> bool:
        """
        Whether *current* is the table that the plan creates.

        One that replaces another, or is filled by a query, counts as long as its newest commit is
        the one that created it: nothing else shows whose rows they are.
        """
        if not self.steps or not isinstance(self.steps[-1], kinds.CreateTable):
            return False
        if not current.exists or current.metadata.id == self.before.metadata.id:
            return False
        promised = self._plan_on(self.before)
        if mismatches(promised.after, current):
            return False
        if not self.before.exists and self.steps[-1].query is None:
            return True
        operation = current.commit_info.operation if current.commit_info else None
        return current.version == promised.after.version and operation in self.steps[-1].operations

    def renewed_on(self, current: Snapshot) -> Plan:
        """
        The same plan on the table as it is now.

        Raises `CommitError` where the table's identity, protocol or metadata is no longer what the
        plan rests on, and `RefusedError` where the file promises something else than its steps do.
        Appends may have moved versions that it names. What the plan costs is compared where
        *current* has facts on files.
        """
        base, different = self.before, ""
        if current.exists and not base.exists:
            different = f"A table already exists at {base.root}, but the plan creates one"
        elif current.metadata.id != base.metadata.id:
            different = (
                f"The table at {base.root} is not the one that the plan is for: its id is "
                f"{current.metadata.id}"
            )
        if different:
            raise CommitError(
                f"{different}; nothing was committed.",
                remedy="Plan again.",
                delta_error_class="DELTA_METADATA_CHANGED",
            )
        require_same_base(base, self._comparable(current))
        # At the version of the file: steps and what they predict name versions, which appends move.
        domains = base.domains if current.domains is None else current.domains
        then = replace(
            current, root=base.root, name=base.name, version=base.version, domains=domains
        )
        if self._promise_of(self._plan_on(then)) != self.promise:
            raise _edited(_OTHER_STEPS)
        plan = self._plan_on(current)
        if current.files is not None and plan.cost.rank > self.cost.rank:
            raise CommitError(
                f"The table's files have changed: the plan's cost would now be {plan.cost.value} "
                f"instead of {self.cost.value}; nothing was committed.",
                remedy="Plan again.",
            )
        return plan

    def _promise_of(self, plan: Plan) -> dict[str, Any]:
        return _promise(masked_document(plan, self.table))

    def _plan_on(self, snapshot: Snapshot, steps: Sequence[Step] | None = None) -> Plan:
        left = self.steps if steps is None else steps
        plan = propose(
            self.operation,
            snapshot,
            left,
            because=dict.fromkeys(self.requested, REQUESTED)
            | {subject: why for step in left for subject, why in step.reasons().items()},
            session=self.session,
        )
        notes = step_notes(plan, is_managed=self.is_managed)
        return replace(plan, notes=(*plan.notes, *notes))


def _names_later_version(change: Change, newest: int) -> bool:
    """Whether in *change* appends before the commit have moved the version that it names."""
    if change.subject != f"configuration[{Key.ICT_ENABLEMENT_VERSION}]":
        return False
    planned, actual = (whole_number(side or "") for side in (change.before, change.after))
    return planned is not None and actual is not None and planned < actual <= newest


CARRIED_OUT: Final = "The plan is already applied: the table is as planned."
"""The note of a plan of which nothing is left to do."""
_OTHER_STEPS: Final = "what it promises does not follow from its steps"


def read_plans(text: str) -> tuple[SavedPlan, ...]:
    """
    Read the documents that `saved_document` makes: one, an array of them, or one a line.

    Errors among them, of tables for which there is no plan, are omitted. Raises `RefusedError` for
    anything else, a newer format, an edited file or two plans for one table included.
    """
    try:
        try:
            # As a whole first: one document may be spread over lines.
            documents = parse(text)
        except DuplicateKeyError:
            raise
        except ValueError:
            documents = [parse(line) for line in text.splitlines() if line.strip()]
    except DuplicateKeyError as error:
        raise _unreadable(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise _unreadable("it is not JSON") from error
    plans: list[SavedPlan] = []
    for document in documents if isinstance(documents, list) else [documents]:
        if isinstance(document, dict) and "error" in document and "table" in document:
            continue
        saved = _read(document)
        if not BOUND.write(saved.before).items() <= document["binding"].items():
            raise _edited("the hashes of the state that it is based on do not match")
        plans.append(saved)
    if not plans:
        raise _unreadable("it contains no plan")
    # Each plan rests on the table as it was: another one would find the result of the first. The
    # same one is there twice where a table was called by two names.
    at = {plan.before.root: plan for plan in reversed(plans)}
    for plan in plans:
        first = at[plan.before.root]
        if plan.steps != first.steps or diff(first.before, plan.before):
            raise RefusedError(
                f"The file has several plans for the table at {plan.before.root}.",
                remedy="Each is based on the current table: apply one, then plan the next.",
            )
    return tuple(plan for plan in plans if at[plan.before.root] is plan)


def _read(document: Any) -> SavedPlan:
    try:
        version = document["format_version"]
    except (KeyError, TypeError) as error:
        raise _unreadable("it has no 'format_version'") from error
    if version != FORMAT_VERSION:
        raise RefusedError(
            f"The plan has format version {version}; this deltaadm reads {FORMAT_VERSION}.",
            remedy="Apply it with the deltaadm that made it, or plan again.",
        )
    try:
        if not is_sealed(document):
            raise _edited("its digest does not match")
        location = place(document["location"])
        name = None if document["name"] is None else place(document["name"])
        made_by = text(document["operation"])
        number = version_number(document["before"]["version"])
        steps = tuple(map(read_step, document["steps"]))
        session = SessionSettings.from_conf(text_map(document["session"]))
        require_no_secrets(steps, session.property_defaults)
        for key in ("before", "after"):
            metadata = Metadata.from_wire(document[key]["metadata"])
            if Masker().mask(metadata) is not metadata:
                raise RefusedError(
                    "The file has secrets of the table in it, which no plan file may hold.",
                    remedy="Save the plan with --out FILE, which masks them.",
                )
        return SavedPlan(
            table=place(document["table"]),
            before=replace(read_state(location, number, document["before"]), name=name),
            steps=steps,
            session=session,
            cost=Cost(document["cost"]),
            promise=_promise(document),
            digest=sha256(document),
            # Anything but a command that makes plans is not repeated.
            operation=made_by if made_by in _COMMANDS else OPERATION,
            # Columns with the same reason are shown as one change if they are many: of these a file
            # has no say.
            requested=frozenset(
                subject
                for subject, reason in (
                    (place(change["subject"]), change["because"]) for change in document["changes"]
                )
                if reason == REQUESTED and subject.startswith(("protocol.", "configuration["))
            ),
        )
    except KeyError as error:
        raise _unreadable(f"it has no {error}") from error
    except UnknownStepError as error:
        raise _unreadable(f"it has a step of the unknown kind {error.args[0]!r}") from error
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        raise _unreadable("it contains an unexpected value") from error


_COMMANDS: Final = frozenset({
    ALTER, CREATE, DROP_FEATURE, ENABLE_FEATURE, REFERENCE, SET_MAPPING_MODE, UNDO,
    UPGRADE_PROTOCOL, VALIDATE,
})  # fmt: skip
"""The commands that make plans."""


def _promise(document: Mapping[str, Any]) -> dict[str, Any]:
    """
    The part of a plan's document that must follow from its steps.

    Not words, which may differ from one version of deltaadm to another, nor what depends on files.
    """
    promise = {key: document[key] for key in ("after", "is_noop", "steps", "changes")}
    for key in ("steps", "changes"):
        promise[key] = [
            {name: value for name, value in entry.items() if name not in _NOT_PROMISED}
            for entry in document[key]
        ]
    return promise


_NOT_PROMISED: Final = frozenset({"because", "undo", "cost", "commits"})


def _unreadable(cause: str) -> RefusedError:
    return RefusedError(
        f"The file is not a deltaadm plan: {cause}.",
        remedy="Create one with --out FILE on any command that plans a change.",
    )


def _edited(cause: str) -> RefusedError:
    return RefusedError(
        f"The plan file was changed after it was written: {cause}.", remedy="Plan again."
    )
