"""Carrying out repairs so that nothing is lost: quarantine, journal, proof, and the way back."""

from __future__ import annotations

import json
from shutil import copyfileobj
from typing import TYPE_CHECKING, Any

from deltaadm.dataclass import dataclass
from deltaadm.documents import parse
from deltaadm.errors import CommitError, FileMissing, Refused, StorageError, TableError
from deltaadm.plans.repair.case import View, read_state, sha256
from deltaadm.plans.repair.work import JOURNAL, KIND, QUARANTINE, Work, changed, copy_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.plans.repair.case import TableState
    from deltaadm.plans.repair.repair import RepairPlan
    from deltaadm.storage.store import WritableStore


@dataclass(frozen=True)
class RepairOutcome:
    """
    What came of a plan: its journal, the state that was read afterwards, and whether it is proved.

    `later` is whether other writers have committed since, `can_be_undone` whether files of the log
    have changed, for which the journal is the way back.
    """

    journal: str
    actual: TableState
    proved: bool
    later: bool = False
    can_be_undone: bool = True


def carry_out(
    store: WritableStore,
    plan: RepairPlan,
    about: dict[str, Any],
    note: Callable[[str], None] = lambda _: None,
) -> RepairOutcome:
    """
    Do what *plan* says, and prove it; *about* goes into the journal.

    Raises `Refused` where the table could not be loaded afterwards, and `CommitError` where
    something came in between or the state is not the foreseen one: everything is back as it was
    then.
    """
    if plan.after is None:
        raise Refused(
            f"The table could still not be loaded; nothing was done: {plan.still}",
            remedy=next((repair.remedy for repair in plan.refused if repair.remedy), ""),
        )
    if store.obstacle:
        raise Refused(
            f"deltaadm cannot repair this table: {store.obstacle}.",
            remedy="Stop all writers, copy the table to another store, and repair it there.",
        )
    work = Work(store, plan.view or View(store), dict(plan.digests), about)
    note(f"a repair has begun; its journal is {work.directory}/{JOURNAL}")
    try:
        for repair in plan.planned:
            for operation in repair.operations:
                operation.carry_out(work)
        actual, later = _verified(store, plan.after)
    except (CommitError, TableError, Refused) as error:
        if not work.journal["files"] and not work.commits:
            work.note(status="nothing was done", error=error.message)
            raise
        _put_back(store, work.aside, work.journal, unsure=[])
        work.note(status="put back", error=error.message)
        raise CommitError(
            f"The repair was taken back, since it did not come out as planned: {error.message}",
            remedy=error.remedy or "Run repair again; the journal says what was tried.",
        ) from error
    except StorageError as error:
        raise StorageError(
            f"The repair is not complete: {error.message}",
            remedy="The table is not worse than before. Run repair again, or put back what was "
            f"done: repair --undo {work.directory.rpartition('/')[2]}.",
        ) from error
    proved = not plan.unproved
    work.note(status="done", proved=proved)
    undoable = bool(work.journal["files"])
    return RepairOutcome(f"{work.directory}/{JOURNAL}", actual, proved, later, undoable)


def _verified(store: WritableStore, expected: TableState) -> tuple[TableState, bool]:
    """The state that was *expected*, as it is read, and whether there are later versions."""
    actual = read_state(store)
    later = actual.version > expected.version
    if later:
        actual = read_state(store, expected.version)
    differences = expected.differences(actual)
    if differences:
        raise CommitError(f"Read back, the {', '.join(differences)} of the table differ.")
    return actual, later


# The way back


def read_journal(store: WritableStore, named: str) -> tuple[WritableStore, dict[str, Any]]:
    """
    The directory of a journal in the quarantine of the table in *store*, and its content.

    *named* is its path or URL, or the name of its directory. Raises `Refused` for anything else.
    """
    directory = named.rstrip("/").removesuffix(JOURNAL).rstrip("/").rpartition("/")[2]
    aside = store.beside(f"{QUARANTINE}/{directory}")
    try:
        journal = parse(aside.read(JOURNAL))
        is_one = journal["kind"] == KIND and isinstance(journal["files"], list)
    except (FileMissing, ValueError, TypeError, LookupError):
        is_one = False
    if not is_one:
        raise Refused(
            f"{named} is not the journal of a repair of {store.root}.",
            remedy=f"They are {QUARANTINE}/TIME/{JOURNAL} in the table.",
        )
    return aside, journal


def undo(store: WritableStore, named: str) -> tuple[str, ...]:
    """
    Put back what the repair with the journal *named* has changed; the names of what was not.

    Raises `Refused` where others have changed the same files since.
    """
    aside, journal = read_journal(store, named)
    unsure: list[str] = []
    _put_back(store, aside, journal, unsure)
    journal["status"] = "undone"
    aside.overwrite(JOURNAL, json.dumps(journal, indent=1).encode())
    return tuple(unsure)


def changed_since(store: WritableStore, journal: dict[str, Any]) -> list[str]:
    """The files of a journal that are neither as before nor as after the repair."""
    return [
        entry["file"]
        for entry in journal["files"]
        if sha256(store, entry["file"]) not in {entry["before"], entry["after"]}
    ]


def _put_back(
    store: WritableStore, aside: WritableStore, journal: dict[str, Any], unsure: list[str]
) -> None:
    foreign = changed_since(store, journal)
    hints = [
        name for name in foreign if not name[:1].isdigit()
    ]  # which writers replace at any time
    unsure += hints
    if len(foreign) > len(hints):
        raise Refused(
            f"{', '.join(foreign)} changed since the repair; nothing was put back.",
            remedy="Compare the files with those in the quarantine, and copy what is missing.",
        )
    for entry in reversed(journal["files"]):
        name, before = entry["file"], entry["before"]
        if name in hints or sha256(store, name) == before:
            continue
        if before is None:
            if sha256(aside, f"undone.{name}") is None:
                copy_file(store, name, aside, f"undone.{name}")
            store.remove(name)
            continue
        with store.draft(name) as draft, aside.open(name) as file:
            copyfileobj(file, draft)
            put = store.replace if sha256(store, name) is not None else store.publish
            if not put(draft, name) or sha256(store, name) != before:
                raise changed(name)
