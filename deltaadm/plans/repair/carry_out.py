"""Carrying out repairs so that nothing is lost: quarantine, journal, proof, and the way back."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from shutil import copyfileobj
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from deltaadm.dataclass import dataclass
from deltaadm.documents import parse
from deltaadm.domain.snapshot import commit_name
from deltaadm.errors import (
    CommitError,
    MissingFileError,
    RefusedError,
    StorageError,
    TableError,
    UnknownWriteError,
)
from deltaadm.plans.checkpoint import HINT, write_from
from deltaadm.plans.repair.case import View, digest_of, pointer_of, read_state, sha256
from deltaadm.replay.embedded import EmbeddedEngine
from deltaadm.replay.reconcile import Detail

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deltaadm.domain.snapshot import LogListing
    from deltaadm.plans.repair.case import TableState
    from deltaadm.plans.repair.repair import RepairPlan
    from deltaadm.storage.store import LogStore, WritableStore


QUARANTINE: Final = "_deltaadm_quarantine"
JOURNAL: Final = "journal.json"
_KIND: Final = "deltaadm-repair"
_ATTEMPTS: Final = 3


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

    Raises `RefusedError` where the table could not be loaded afterwards, and `CommitError` where
    something came in between or the state is not the foreseen one: everything is back as it was
    then.
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
                operation.on(work)
        actual, later = _verified(store, plan.after)
    except (CommitError, TableError, RefusedError) as error:
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


# A repair under way


class Work:
    """
    A repair that is under way.

    Whatever changes in the log is noted in the journal first, with the digests of before and after,
    and there is a copy of what was there. The methods without an underscore that operations name
    raise `CommitError` where another program came in between.
    """

    def __init__(self, store: WritableStore, plan: RepairPlan, about: Mapping[str, Any]) -> None:
        now = datetime.now(UTC)
        self.directory = f"{QUARANTINE}/{now:%Y%m%dT%H%M%SZ}-{os.urandom(2).hex()}"
        self.store, self.aside = store, store.beside(self.directory)
        self._hidden = plan.view.hidden if plan.view else ()
        self.commits: list[int] = []
        self._known = dict(plan.digests)
        self.journal: dict[str, Any] = {
            "format_version": 1, "kind": _KIND, "status": "begun", "begun": now.isoformat(),
            **about, "files": [], "commits": self.commits,
        }  # fmt: skip
        if not self.aside.create(JOURNAL, self._text()):
            raise CommitError(f"{self.directory} is there already.", remedy="Run repair again.")

    @property
    def listing(self) -> LogListing:
        """The files of the log, as they are now."""
        return View(self.store).listing

    def note(self, **changes: Any) -> None:
        """Bring the journal up to date."""
        self.journal.update(changes)
        self.aside.overwrite(JOURNAL, self._text())

    def _text(self) -> bytes:
        return json.dumps(self.journal, indent=1).encode()

    def move_aside(self, name: str) -> None:
        """Move the file *name* of the log to the quarantine."""
        self._keep(name)
        self._noted(name, None)
        if sha256(self.store, name) != self._known[name]:
            raise changed(name)
        self.store.remove(name)
        self._known[name] = None

    def write(self, name: str, body: bytes) -> None:
        """Write a whole file, in the place of the one that was planned to be there."""
        with self.store.draft(name) as draft:
            draft.write(body)
            if not self.publish(draft, name):
                raise changed(name)
        if sha256(self.store, name) != digest_of(body):
            raise CommitError(
                f"{name} was written, and is another when it is read.", remedy="Run repair again."
            )

    def rename(self, old: str, new: str) -> None:
        """Copy a file within the log to a name that is free, then move the original aside."""
        with self.store.draft(new) as draft, self.store.open(old) as file:
            copyfileobj(file, draft)
            if not self.publish(draft, new):
                raise changed(new)
        if sha256(self.store, new) != self._known[old]:
            raise CommitError(f"The copy {new} of {old} differs.", remedy="Run repair again.")
        self.move_aside(old)

    def rebuild(self, version: int, _file: str) -> None:
        """Write the checkpoint of a version, read it back, then give it its name."""
        # What was to be renamed or written before it has its name by now.
        view = View(self.store, self._hidden)
        segment = view.listing.segment(version, before=version)
        # With its state: a checksum that is wrong must not tell what the protocol is.
        snapshot = EmbeddedEngine().replay(view, segment, Detail.STATE)
        pointer = write_from(self.store, snapshot, segment, self.publish)
        if pointer is None:
            raise _came_first(f"written a checkpoint of version {version}")
        if self.listing.checkpoints[-1].version == version:
            self._write_hint(pointer.body)

    def point(self, version: int) -> None:
        """Have `_last_checkpoint` say what the newest checkpoint holds, as it is now."""
        newest = self.listing.checkpoints[-1]
        if newest.version >= version:
            self._write_hint(pointer_of(self.store, newest).body)

    def commit(self, version: int, body: bytes) -> None:
        """Commit a version where there is none."""
        name = commit_name(version)
        self.commits.append(version)
        self.note()
        for _ in range(_ATTEMPTS):
            try:
                if self.store.create(name, body):
                    return
            except UnknownWriteError:
                continue
            break
        # A store that is asked twice may find the file that it has written at first.
        if sha256(self.store, name) != digest_of(body):
            self.commits.remove(version)
            self.note()
            raise _came_first(f"committed version {version}")

    def _write_hint(self, body: bytes) -> None:
        """Write `_last_checkpoint`, which others may have written since the repair was planned."""
        if not any(entry["file"] == HINT for entry in self.journal["files"]):
            self._known[HINT] = sha256(self.store, HINT)
        self.write(HINT, body)

    def publish(self, draft: BinaryIO, name: str) -> bool:
        """Give a draft its name in the log; False where that has changed since it was planned."""
        draft.seek(0)
        after = digest_of(draft.read())
        if self._known.get(name) is None:
            self._noted(name, after)
            published = self.store.publish(draft, name)
        else:
            self._keep(name)
            self._noted(name, after)
            same = sha256(self.store, name) == self._known[name]
            published = same and self.store.replace(draft, name)
        if published:
            self._known[name] = after
        else:  # what is there is somebody else's, and not to be put back
            files = self.journal["files"]
            self.note(files=[entry for entry in files if entry["file"] != name])
        return published

    def _keep(self, name: str) -> None:
        """See to it that the quarantine has the file as it was planned to be, and can be read."""
        expected = self._known.get(name)
        if any(entry["file"] == name for entry in self.journal["files"]):
            return
        copy_file(self.store, name, self.aside, name)
        if expected is None or sha256(self.aside, name) != expected:
            raise changed(name)

    def _noted(self, name: str, after: str | None) -> None:
        files = self.journal["files"]
        entry = next((entry for entry in files if entry["file"] == name), None)
        if entry is None:
            entry = {"file": name, "before": self._known.get(name)}
            files.append(entry)
        entry["after"] = after
        self.note()


def copy_file(source: LogStore, name: str, target: WritableStore, new_name: str) -> None:
    """Copy a file from one directory of a table to another, where the name is free."""
    with target.draft(new_name) as draft, source.open(name) as file:
        copyfileobj(file, draft)
        target.publish(draft, new_name)


def changed(name: str) -> CommitError:
    """The error for a file that somebody else has changed."""
    return CommitError(
        f"Another program has changed {name} since the repair was planned.",
        remedy="Run repair again.",
    )


def _came_first(what: str) -> CommitError:
    return CommitError(f"Another program has {what} meanwhile.", remedy="Run repair again.")


# The way back


def read_journal(store: WritableStore, named: str) -> tuple[WritableStore, dict[str, Any]]:
    """
    The directory of a journal in the quarantine of the table in *store*, and its content.

    *named* is its path or URL, or the name of its directory. Raises `RefusedError` for anything
    else.
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
            remedy=f"They are {QUARANTINE}/TIME/{JOURNAL} in the table.",
        )
    return aside, journal


def undo(store: WritableStore, named: str) -> tuple[str, ...]:
    """
    Put back what the repair with the journal *named* has changed; the names of what was not.

    Raises `RefusedError` where others have changed the same files since.
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
        raise RefusedError(
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
