"""Carrying out repairs so that nothing is lost: quarantine, journal, proof, and the way back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from shutil import copyfileobj
from typing import Any, BinaryIO, Final, NamedTuple

from deltaadm.dataclass import dataclass
from deltaadm.documents import parse
from deltaadm.errors import (
    CommitError,
    MissingFileError,
    RefusedError,
    StorageError,
    TableError,
    UnknownWriteError,
)
from deltaadm.plans.checkpoint import HINT, Pointer, TableState, pointer_to, read_state, write_from
from deltaadm.plans.repair.repair import Operation, RepairPlan, View, digest_of, sha256
from deltaadm.replay.embedded import Replay
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.local import unwritable
from deltaadm.storage.store import LogStore, WritableStore

QUARANTINE: Final = "_deltaadm_quarantine"
JOURNAL: Final = "journal.json"
_KIND: Final = "deltaadm-repair"


@dataclass(frozen=True)
class RepairOutcome:
    """
    What came of a plan: its journal, the state that was read afterwards, whether it is proved.

    `later`: others have committed since. `can_be_undone`: files of the log have changed.
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

    Raises `RefusedError` where the table could not be loaded afterwards, and `CommitError` where
    something came in between or the state is not the foreseen one: everything is back as it was
    then, but for a version that it has committed.
    """
    if plan.after is None:
        raise RefusedError(
            f"The table could still not be loaded; nothing was done: {plan.still}",
            remedy=next((repair.remedy for repair in plan.refused if repair.remedy), ""),
        )
    if store.obstacle:
        raise RefusedError(
            f"deltaadm cannot repair this table: {store.obstacle}.",
            remedy="Stop all writers, copy the table to another store, and repair it there.",
        )
    work = Work(store, plan, about)
    note(f"a repair has begun; its journal is {work.directory}/{JOURNAL}")
    try:
        for repair in plan.planned:
            for operation in repair.operations:
                work.do(operation)
        actual, later = _verified(store, plan.after)
    except (CommitError, TableError, RefusedError) as error:
        if not (work.files or work.commits):
            work.note(status="nothing was done", error=error.message)
            raise
        _put_back(store, _undo_of(store, work.aside, work.journal))
        work.note(status="put back", error=error.message)
        commits = work.commits
        stays = f", but for version {commits[-1]}, which it has committed" if commits else ""
        raise CommitError(
            f"The repair was taken back{stays}, since it did not come out as planned: "
            f"{error.message}",
            remedy=error.remedy or "Run repair again; the journal says what was tried.",
        ) from error
    except (StorageError, OSError) as error:
        draft = f"a draft for {store.root}"
        cause = unwritable(draft, error) if isinstance(error, OSError) else error
        raise StorageError(
            f"The repair is not complete: {cause.message}",
            remedy="The table is not worse than before. Run repair again, or put back what was "
            f"done: repair --undo {work.directory.rpartition('/')[2]}.",
        ) from error
    work.note(status="done", proved=not plan.unproved)
    journal = f"{work.directory}/{JOURNAL}"
    return RepairOutcome(journal, actual, not plan.unproved, later, bool(work.files))


def _verified(store: WritableStore, expected: TableState) -> tuple[TableState, bool]:
    actual = read_state(store)
    if later := actual.version > expected.version:
        actual = read_state(store, expected.version)
    if differences := expected.differences(actual):
        raise CommitError(f"Read back, the {', '.join(differences)} of the table differ.")
    return actual, later


class Work:
    """
    A repair that is under way; `files` and `commits` are what has changed so far.

    Whatever changes in the log is noted in the journal first, and copied.
    """

    def __init__(self, store: WritableStore, plan: RepairPlan, about: Mapping[str, Any]) -> None:
        now = datetime.now(UTC)
        self.directory = f"{QUARANTINE}/{now:%Y%m%dT%H%M%SZ}-{os.urandom(2).hex()}"
        self.store, self.aside = store, store.beside(self.directory)
        self._gone, self._known = plan.gone, dict(plan.digests)
        self.files: list[dict[str, Any]] = []
        self.commits: list[int] = []
        self.journal: dict[str, Any] = {
            "format_version": 1, "kind": _KIND, "status": "begun", "begun": now.isoformat(),
            **about, "files": self.files, "commits": self.commits,
        }  # fmt: skip
        if not self.aside.create(JOURNAL, _text(self.journal)):
            raise CommitError(f"{self.directory} is there already.", remedy="Run repair again.")

    def note(self, **changes: Any) -> None:
        """Bring the journal up to date."""
        self.journal.update(changes)
        self.aside.overwrite(JOURNAL, _text(self.journal))

    def do(self, operation: Operation) -> None:
        """Do a part of a repair; raises `CommitError` where another program came in between."""
        if operation.kind == "point":
            newest = View(self.store).listing.checkpoints[-1]
            self._point(pointer_to(self.store, newest))
        elif operation.rebuilt:
            self._rebuild(*operation.rebuilt)
        else:
            for name, content in operation.files.items():
                if isinstance(content, bytes):
                    self._commit(name, content)
                elif content is not None:
                    self._write(name, content)
                else:
                    self._change(name, None, partial(self.store.remove, name))

    def _write(self, name: str, content: bytes | str) -> None:
        """Write a file, or a copy of another, in the place of the one that was planned to be."""
        with self.store.draft(name) as draft:
            if isinstance(content, bytes):
                draft.write(content)
            else:
                with self.store.open(content) as file:
                    copyfileobj(file, draft)
            written = digest_of(draft)
            if isinstance(content, str) and written != self._known[content]:
                raise changed(name)
            self._publish(draft, name)
        if sha256(self.store, name) != written:
            raise CommitError(
                f"{name} was written, and is another when it is read.", remedy="Run repair again."
            )

    def _rebuild(self, version: int) -> None:
        """Write the checkpoint of a version, read it back, then give it its name."""
        # What was to be renamed or written before it has its name by now.
        view = View(self.store, dict.fromkeys(self._gone))
        segment = view.listing.segment(version, before=version)
        # With its state: a checksum that is wrong must not tell what the protocol is.
        snapshot = Replay(view, segment).outcome(Detail.STATE)
        pointer = write_from(self.store, snapshot, segment, self._publish)
        # A damaged one of the same version may still be there.
        if pointer and View(self.store).listing.checkpoints[-1].version == version:
            self._point(pointer)

    def _point(self, pointer: Pointer) -> None:
        """Write `_last_checkpoint`, which others may have written since the repair was planned."""
        if not any(entry["file"] == HINT for entry in self.files):
            self._known[HINT] = sha256(self.store, HINT)
        self._write(HINT, pointer.body)

    def _commit(self, name: str, body: bytes) -> None:
        """Commit a version where there is none."""
        self.commits.append(int(name[:20]))
        self.note()
        create = partial(self.store.create, name, body)
        if not self._has_made(name, None, digest_of(BytesIO(body)), create):
            self.commits.pop()
            self.note()
            raise changed(name)

    def _publish(self, draft: BinaryIO, name: str) -> bool:
        """Give a draft its name in the log, as `write_from` asks."""
        put = self.store.publish if self._known.get(name) is None else self.store.replace
        self._change(name, digest_of(draft), partial(put, draft, name))
        return True

    def _change(self, name: str, after: str | None, change: Callable[[], bool | None]) -> None:
        """Have *change* make a file what it is to be, unless it is not what was planned on."""
        before = self._known.get(name)
        entry = next((entry for entry in self.files if entry["file"] == name), None)
        if entry is None:
            if before is not None:
                _copy(self.store, name, self.aside, name)
                if sha256(self.aside, name) != before:
                    raise changed(name)
            entry = {"file": name, "before": before}
            self.files.append(entry)
        entry["after"] = after
        self.note()
        # Afresh: what others have replaced meanwhile is otherwise trouble with the store.
        self.store.list_log()
        is_planned = sha256(self.store, name) == before
        if not (is_planned and self._has_made(name, before, after, change)):
            self.files.remove(entry)  # which is not to be put back
            self.note()
            raise changed(name)
        self._known[name] = after

    def _has_made(
        self, name: str, before: str | None, after: str | None, change: Callable[[], bool | None]
    ) -> bool:
        """Whether *change* made a file what it is to be, whatever the store answers."""
        lost = None
        try:
            if change() is not False:
                return True
        except UnknownWriteError as error:
            lost = error
        # A store that does not answer, or is asked twice, may have written the file at first.
        found = sha256(self.store, name)
        if lost is not None and found == before:
            raise lost  # since it may still be written
        return found == after


def _text(journal: Mapping[str, Any]) -> bytes:
    return json.dumps(journal, indent=1).encode()


def _copy(source: LogStore, name: str, target: WritableStore, new_name: str) -> bool:
    with target.draft(new_name) as draft, source.open(name) as file:
        copyfileobj(file, draft)
        put = target.publish if sha256(target, new_name) is None else target.replace
        return put(draft, new_name)


def changed(name: str) -> CommitError:
    """The error for a file that somebody else has changed."""
    return CommitError(
        f"Another program has changed {name} since the repair was planned.",
        remedy="Run repair again.",
    )


# The way back


class Undo(NamedTuple):
    """The way back of a repair: its journal, *aside*, the entries to put back, and what stays."""

    aside: WritableStore
    journal: dict[str, Any]
    entries: list[dict[str, Any]]
    left: list[str]


def plan_undo(store: WritableStore, named: str) -> Undo:
    """
    What the repair with the journal *named*, by its path, URL or directory, has changed.

    Raises `RefusedError` for anything else, and where others have changed the same files since.
    """
    directory = named.rstrip("/").removesuffix(JOURNAL).rstrip("/").rpartition("/")[2]
    aside = store.beside(f"{QUARANTINE}/{directory}")
    try:
        journal = parse(aside.read(JOURNAL))
        is_one = journal["kind"] == _KIND and isinstance(journal["files"], list)
    except (MissingFileError, ValueError, TypeError, LookupError):
        is_one = False
    if not is_one:
        raise RefusedError(
            f"{named} is not the journal of a repair of {store.root}.",
            remedy=f"Journals are at {QUARANTINE}/TIME/{JOURNAL} in the table.",
        )
    return _undo_of(store, aside, journal)


def undo(store: WritableStore, named: str) -> tuple[str, ...]:
    """Do what `plan_undo` says; the names of what was left as others have it."""
    planned = plan_undo(store, named)
    try:
        _put_back(store, planned)
    except OSError as error:
        raise unwritable(f"a draft for {store.root}", error) from error
    planned.aside.overwrite(JOURNAL, _text({**planned.journal, "status": "undone"}))
    return tuple(planned.left)


def _undo_of(store: WritableStore, aside: WritableStore, journal: dict[str, Any]) -> Undo:
    store.list_log()  # as it is now
    entries, foreign = [], []
    for entry in journal["files"]:
        digest = sha256(store, entry["file"])
        if digest not in {entry["before"], entry["after"]}:
            foreign.append(entry["file"])
        elif digest != entry["before"]:
            entries.append(entry)
    # Others than hints, which writers replace at any time.
    if any(name[:1].isdigit() for name in foreign):
        raise RefusedError(
            f"{', '.join(foreign)} changed since the repair; nothing was put back.",
            remedy="Compare the files with those in the quarantine, and copy what is missing.",
        )
    return Undo(aside, journal, entries, foreign)


def _put_back(store: WritableStore, undoing: Undo) -> None:
    for entry in reversed(undoing.entries):
        name, before, aside = entry["file"], entry["before"], undoing.aside
        if before is None:
            if sha256(aside, f"undone.{name}") is None:
                _copy(store, name, aside, f"undone.{name}")
            store.remove(name)
        elif not _copy(aside, name, store, name) or sha256(store, name) != before:
            raise changed(name)
