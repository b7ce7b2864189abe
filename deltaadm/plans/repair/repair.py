"""What a repair is: what is wrong, the operations that mend it, and a plan of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.protocol import Protocol as LogProtocol
from deltaadm.errors import CommitError, DeltaadmError, Refused, TableError
from deltaadm.plans.checkpoint import HINT, pointer_to, write_from
from deltaadm.plans.repair.case import Case, TableState, View, read_state, sha256
from deltaadm.replay.checkpoints import CheckpointReader
from deltaadm.replay.embedded import EmbeddedEngine
from deltaadm.replay.load import CATALOG_MANAGED, load_snapshot
from deltaadm.replay.reconcile import Detail, Reconciliation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deltaadm.domain.snapshot import Checkpoint
    from deltaadm.plans.checkpoint import Pointer
    from deltaadm.plans.repair.work import Work
    from deltaadm.storage.store import LogStore, WritableStore


# Operations


class Operation(Protocol):
    """A part of a repair, which `file` of the log it is about, and what it does, in `words`."""

    @property
    def kind(self) -> str:
        """Its kind, for programs."""

    @property
    def file(self) -> str:
        """The file that it changes, creates or moves."""

    @property
    def words(self) -> str:
        """What it does, as a clause that begins with a verb."""

    def foresee(self, view: View) -> View:
        """The log after it."""

    def carry_out(self, work: Work) -> None:
        """Do it; raises `DeltaadmError` where nothing was done."""


@dataclass(frozen=True)
class MoveAside:
    """Moves a file out of the log; the last operation of its repair."""

    file: str

    kind = "move_aside"

    @property
    def words(self) -> str:
        """What it does."""
        return f"move {self.file} to the quarantine"

    def foresee(self, view: View) -> View:
        """The log without it."""
        return view.without(self.file)

    def carry_out(self, work: Work) -> None:
        """Copy, verify, remove."""
        work.take_away(self.file)


@dataclass(frozen=True)
class WriteFile:
    """Writes a small file, in the place of what has its name."""

    file: str
    body: bytes
    what: str

    kind = "write"

    @property
    def words(self) -> str:
        """What it does."""
        return f"write {self.file}: {self.what}"

    def foresee(self, view: View) -> View:
        """The log with it."""
        return view.having(self.file, self.body)

    def carry_out(self, work: Work) -> None:
        """Write it, and read it back."""
        work.write(self.file, self.body)


@dataclass(frozen=True)
class Rename:
    """Gives a file its right name, which no other has."""

    file: str
    name: str

    kind = "rename"

    @property
    def words(self) -> str:
        """What it does."""
        return f"rename {self.file} to {self.name}"

    def foresee(self, view: View) -> View:
        """The log with the right name."""
        return view.having(self.name, self.file).without(self.file)

    def carry_out(self, work: Work) -> None:
        """Copy it within the log, then move the original aside."""
        work.copy(self.file, self.name)
        work.take_away(self.file)


@dataclass(frozen=True)
class Rebuild:
    """
    Writes the checkpoint of a version from the commits and the newest older checkpoint that is
    right.

    `file` is the one in whose place it comes, or empty for one with a name of its own.
    """

    version: int
    file: str

    kind = "rebuild"

    @property
    def words(self) -> str:
        """What it does."""
        return f"write the checkpoint of version {self.version} anew from older files"

    def foresee(self, view: View) -> View:
        """The log without the wrong one: the commits say the same as the new one will."""
        without = view.without(self.file) if self.file else view
        return without.expecting(self.version)

    def carry_out(self, work: Work) -> None:
        """Write it, read it back, then give it its name."""
        # What was to be renamed or written before it has its name by now.
        view = View(work.store, work.foreseen.hidden)
        segment = view.listing.segment(self.version, before=self.version)
        # With its state: a checksum that is wrong must not tell what the protocol is.
        snapshot = EmbeddedEngine().replay(view, segment, Detail.STATE)
        pointer = write_from(work.store, snapshot, segment, work.publish)
        if pointer is None:
            raise CommitError(
                f"Another program has written a checkpoint of version {self.version} meanwhile.",
                remedy="Run repair again.",
            )
        if work.listing.checkpoints[-1].version == self.version:
            work.write_hint(pointer.body)


@dataclass(frozen=True)
class Point:
    """Has `_last_checkpoint` point to the newest complete checkpoint."""

    version: int

    kind = "point"
    file = HINT

    @property
    def words(self) -> str:
        """What it does."""
        return f"write {HINT} for the checkpoint of version {self.version}"

    def foresee(self, view: View) -> View:
        """The log with a pointer that says no more than the version."""
        return view.having(HINT, f'{{"version":{self.version},"size":0}}'.encode())

    def carry_out(self, work: Work) -> None:
        """Write what the checkpoint holds, as it is now."""
        newest = work.listing.checkpoints[-1]
        if newest.version >= self.version:
            work.write_hint(pointer_of(work.store, newest).body)


def pointer_of(store: LogStore, checkpoint: Checkpoint) -> Pointer:
    """What `_last_checkpoint` is to say of *checkpoint*; raises `UnreadableCheckpointError`."""
    reader = CheckpointReader(store, checkpoint)
    reader.small_actions()
    reconciled = Reconciliation(store.qualifier, store.limits.state)
    return pointer_to(store, checkpoint, reader.count(reconciled).adds_read)


# Repairs


@dataclass(frozen=True, kw_only=True)
class Repair:
    """
    Something that is wrong, and what mends it.

    `kind` is that of the damage, `rule` the one that finds it, `wrong` a sentence, `kept` what
    stays as it was. `alters` are the parts of the state that readers will see differently, by the
    names of `PARTS` or "version", and `effect` says how. `unproved` is what nobody can prove, and
    `lost_files` the number of data files that the table is to do without. A repair that is refused
    has a `refusal`, and in `remedy` what would bring back what is lost.
    """

    kind: str
    rule: str
    wrong: str
    operations: tuple[Operation, ...] = ()
    kept: str = ""
    alters: tuple[str, ...] = ()
    effect: str = ""
    unproved: tuple[str, ...] = ()
    refusal: str = ""
    remedy: str = ""
    lost_files: int = 0


@dataclass(frozen=True, kw_only=True)
class RepairPlan:
    """
    The repairs of one table; those that are refused are not done.

    `before` is the state that readers see now and `after` the one that they will see, or in
    `blocked` and `still` why there is none, and in `remedy` what would bring it back. `digests` are
    those of the files that are touched, as they are now.
    """

    root: str
    repairs: tuple[Repair, ...]
    before: TableState | None = None
    after: TableState | None = None
    blocked: str = ""
    still: str = ""
    remedy: str = ""
    view: View | None = None
    digests: tuple[tuple[str, str | None], ...] = ()

    @property
    def planned(self) -> tuple[Repair, ...]:
        """The repairs that are done."""
        return tuple(each for each in self.repairs if each.operations and not each.refusal)

    @property
    def refused(self) -> tuple[Repair, ...]:
        """Those that are not."""
        return tuple(repair for repair in self.repairs if repair.refusal)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is only reported."""
        return tuple(each.wrong for each in self.repairs if not (each.operations or each.refusal))

    @property
    def is_noop(self) -> bool:
        """Whether there is nothing to do."""
        return not self.planned

    @property
    def alters(self) -> frozenset[str]:
        """The parts of the state that the repairs mean to change."""
        return frozenset(part for repair in self.planned for part in repair.alters)

    @property
    def unproved(self) -> tuple[str, ...]:
        """What cannot be proved."""
        return tuple(dict.fromkeys(text for repair in self.planned for text in repair.unproved))


def plan_repairs(case: Case, kinds: Iterable[Callable[[Case], Iterator[Repair]]]) -> RepairPlan:
    """
    What the *kinds* find in the log of *case*, and what mends it.

    Raises `Refused` for a table whose catalog manages its commits, and for one that the repairs
    would change without saying so.
    """
    require_own_log(case.store)
    repairs: list[Repair] = []
    digests: dict[str, str | None] = {}
    for find in kinds:
        for repair in find(case):
            judged = _left_alone(case, repair)
            repairs.append(judged)
            for operation in () if judged.refusal else judged.operations:
                for name in (operation.file, getattr(operation, "name", "")):
                    if name and name not in digests:
                        digests[name] = sha256(case.store, name)
                case.view = operation.foresee(case.view)
    plan = RepairPlan(
        root=case.store.root,
        repairs=tuple(repairs),
        view=case.view,
        digests=tuple(digests.items()),
    )
    if plan.is_noop:
        try:
            load_snapshot(case.store, detail=Detail.STATE)
        except TableError as error:  # for which there is no repair
            return replace(plan, blocked=error.message, remedy=error.remedy)
        return plan
    before, blocked = _state_or_error(case.store)
    after, still = _state_or_error(case.view)
    if before is not None and after is not None:
        unannounced = {*before.differences(after)} - plan.alters
        if unannounced:
            raise Refused(
                f"The repairs would change the {', '.join(sorted(unannounced))} of the table, and "
                "must not; nothing was done.",
                remedy="Report this, with the list of _delta_log and what validate --deep says.",
            )
    return replace(plan, before=before, after=after, blocked=blocked, still=still)


def require_own_log(store: WritableStore) -> None:
    """Raise `Refused` for a table whose commits a catalog manages."""
    managed = store.catalog_state is not None and store.catalog_state.manages_commits
    try:
        protocol = load_snapshot(store).protocol
    except TableError as error:
        # What cannot be loaded shows by its files whether a catalog has a part in it.
        known: Any = error.established.get("protocol")
        protocol = LogProtocol.from_wire(known) if known else LogProtocol(1, 1)
        managed = managed or bool(store.list_directory("_staged_commits"))
    managed = managed or any(map(protocol.supports, CATALOG_MANAGED))
    if managed:
        raise Refused(
            f"A catalog manages the commits of {store.root}, and it alone knows which count.",
            remedy="Have the catalog's own tools repair it, or ask its operator.",
        )


def _left_alone(case: Case, repair: Repair) -> Repair:
    """*repair*, refused where it touches what may still be being written."""
    young = next((each.file for each in repair.operations if case.is_young(each.file)), None)
    if repair.refusal or young is None:
        return repair
    return replace(
        repair,
        refusal=f"{young} changed a short time ago, and may still be being written",
        remedy="Run repair again later, or with a shorter --older-than once no writer runs.",
    )


def _state_or_error(store: LogStore) -> tuple[TableState | None, str]:
    try:
        return read_state(store), ""
    except DeltaadmError as error:
        if error.exit_code != 3:  # noqa: PLR2004 -- trouble with the store tells nothing about the table
            raise
        return None, error.message
