"""Carrying out repairs so that nothing is lost: quarantine, journal, proof, and the way back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from shutil import copyfileobj
from typing import Any, BinaryIO, Final

from deltaadm.documents import document, parse
from deltaadm.domain.snapshot import FileInfo
from deltaadm.errors import (
    CommitError,
    MissingFileError,
    RefusedError,
    StorageError,
    TableError,
    UnknownWriteError,
)
from deltaadm.json_values import elements, place
from deltaadm.plans.checkpoint import HINT, TableState, read_state, write_checkpoint
from deltaadm.plans.repair.repair import Case, RepairOutcome, RepairPlan, digest_of, sha256
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.local import unwritable
from deltaadm.storage.store import LogStore, WritableStore

QUARANTINE: Final = "_deltaadm_quarantine"
JOURNAL: Final = "journal.json"
_KIND: Final = "deltaadm-repair"


def carry_out(
    store: WritableStore, plan: RepairPlan, note: Callable[[str], None] = lambda _: None
) -> RepairOutcome:
    """
    Do what *plan* says, and prove it; *note* is told which journal says what was done.

    Raises `RefusedError` where the table could not be loaded afterwards, and `CommitError` where
    something came in between or the state is not the foreseen one: everything is back as it was
    then, but for a version that it has committed.
    """
    if plan.after is None:
        raise RefusedError(
            f"The table could still not be loaded; nothing was done: {plan.still_blocked}",
            remedy=next((repair.remedy for repair in plan.refused if repair.remedy), ""),
        )
    if store.obstacle:
        raise RefusedError(
            f"deltaadm cannot repair this table: {store.obstacle}.",
            remedy="Stop all writers, copy the table to another store, and repair it there.",
        )
    work = Work.begin(store, plan)
    note(f"a repair has begun; its journal is {work.path}")
    try:
        for repair in plan.planned:
            for name, content in repair.files.items():
                work.make(name, content)
        actual, later = _verified(store, plan.after)
    except (CommitError, TableError, RefusedError) as error:
        if not (work.files or work.commits):
            work.note(status="nothing was done", error=error.message)
            raise
        work.put_back(status="put back", error=error.message)
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
            f"done: repair --undo {work.name}.",
        ) from error
    work.note(status="done", proved=not plan.unproved)
    return RepairOutcome(work.path, actual, not plan.unproved, later, bool(work.files))


def _verified(store: WritableStore, expected: TableState) -> tuple[TableState, bool]:
    actual = read_state(store)
    if later := actual.version > expected.version:
        actual = read_state(store, expected.version)
    if differences := expected.differences(actual):
        raise CommitError(f"Read back, the {', '.join(differences)} of the table differ.")
    return actual, later


class Work:
    """
    A log that is under repair, or was: *journal* says what is changed in it, see `WritableStore`.

    `files` and `commits` are what has changed so far. Whatever changes is noted first, and copied.
    Files that are to be changed have the digests `known`; those that will not be there in the end
    are `hidden`, so that checkpoints are made from others.
    """

    def __init__(self, store: WritableStore, name: str, journal: dict[str, Any]) -> None:
        self.store, self.aside = store, store.beside(f"{QUARANTINE}/{name}")
        self.name, self.path, self.journal = name, f"{QUARANTINE}/{name}/{JOURNAL}", journal
        self.files: list[dict[str, Any]] = journal["files"]
        self.commits: list[int] = journal["commits"]
        self.known: dict[str, str | None] = {}
        self.hidden: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        """Whatever else the store has."""
        return getattr(self.store, name)

    @classmethod
    def begin(cls, store: WritableStore, plan: RepairPlan) -> Work:
        """Begin with a journal of what *plan* is about."""
        now, about = datetime.now(UTC), document(plan)
        journal = {
            "format_version": 1, "kind": _KIND, "status": "begun", "begun": now.isoformat(),
            **{key: about[key] for key in ("table", "location", "repairs", "before", "after")},
            "files": [], "commits": [],
        }  # fmt: skip
        work = cls(store, f"{now:%Y%m%dT%H%M%SZ}-{os.urandom(2).hex()}", journal)
        work.known = {**plan.digests}
        work.hidden = {name for name, what in plan.files.items() if isinstance(what, int | None)}
        if not work.aside.create(JOURNAL, _text(journal)):
            raise CommitError(f"{work.path} is there already.", remedy="Run repair again.")
        return work

    @classmethod
    def find(cls, store: WritableStore, named: str) -> Work:
        """The one with the journal *named*, by its path, URL or directory, or `RefusedError`."""
        name = named.rstrip("/").removesuffix(JOURNAL).rstrip("/").rpartition("/")[2]
        try:
            journal = parse(store.beside(f"{QUARANTINE}/{name}").read(JOURNAL))
            # Whoever has edited it: only files of the log are put back, and none beside it.
            are_ours = all(
                {*"/\\"}.isdisjoint(place(entry["file"])) and {entry["before"], entry["after"]}
                for entry in elements(journal["files"])
            )
            if are_ours and journal["kind"] == _KIND:
                return cls(store, name, journal)
        except (MissingFileError, ValueError, TypeError, LookupError, RecursionError):
            pass
        raise RefusedError(
            f"{named} is not the journal of a repair of {store.root}.",
            remedy=f"Journals are at {QUARANTINE}/TIME/{JOURNAL} in the table.",
        )

    def note(self, **changes: Any) -> None:
        """Bring the journal up to date."""
        self.journal.update(changes)
        self.aside.overwrite(JOURNAL, _text(self.journal))

    def make(self, name: str, content: bytes | str | int | None) -> None:
        """
        Make a file of the log what it is to be, see `Files`.

        Raises `CommitError` where another program came in between.
        """
        if isinstance(content, int):
            # With its state: a checksum that is wrong must not tell what the protocol is.
            write_checkpoint(self, load_snapshot(self, version=content, detail=Detail.STATE))
            # Unless it has taken its place.
            if self.known[name] and all(name != entry["file"] for entry in self.files):
                self.remove(name)
        elif content is None:
            self.remove(name)
        elif isinstance(content, str):
            with self.draft(name) as draft:
                with self.store.open(content) as file:
                    copyfileobj(file, draft)
                if digest_of(draft) != self.known[content]:
                    raise changed(name)
                self.publish(draft, name)
        elif name == HINT:
            self.overwrite(name, content)
        else:
            self.create(name, content)

    # As a store

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """The files that are there now, but those that will not be."""
        listed = self.store.list_log(start)
        return {name: listed[name] for name in listed if name not in self.hidden}

    def list_short_log(self) -> None:
        """None: the log is always listed."""

    def create(self, name: str, body: bytes) -> bool:
        """Commit a version where there is none."""
        self.commits.append(int(name[:20]))
        self.note()
        create = partial(self.store.create, name, body)
        if not self._has_made(name, None, digest_of(BytesIO(body)), create):
            self.commits.pop()
            self.note()
            raise changed(name)
        return True

    def overwrite(self, name: str, body: bytes) -> None:
        """Write a file in the place of the one that was planned to be."""
        with self.draft(name) as draft:
            draft.write(body)
            self.publish(draft, name)

    def publish(self, draft: BinaryIO, name: str) -> bool:
        """Give a draft its name, and read it back."""
        if name not in self.known:
            self.known[name] = sha256(self.store, name)
        put = self.store.publish if self.known[name] is None else self.store.replace
        written = digest_of(draft)
        self._change(name, written, partial(put, draft, name))
        if sha256(self.store, name) != written:
            raise CommitError(
                f"{name} was written, and is another when it is read.", remedy="Run repair again."
            )
        return True

    def remove(self, name: str) -> None:
        """Move a file aside."""
        self._change(name, None, partial(self.store.remove, name))

    def _change(self, name: str, after: str | None, change: Callable[[], bool | None]) -> None:
        """Have *change* make a file what it is to be, unless it is not what was planned on."""
        before = self.known[name]
        entry = next((entry for entry in self.files if entry["file"] == name), None)
        if entry is None:
            if before is not None:
                self._look_again()
                _copy(self.store, name, self.aside, name)
                if sha256(self.aside, name) != before:
                    raise changed(name)
            entry = {"file": name, "before": before}
            self.files.append(entry)
        entry["after"] = after
        self.note()
        self._look_again()
        is_planned = sha256(self.store, name) == before
        if not (is_planned and self._has_made(name, before, after, change)):
            self.files.remove(entry)  # which is not to be put back
            self.note()
            raise changed(name)
        self.known[name] = after

    def _look_again(self) -> None:
        """List the log: what others have replaced meanwhile is otherwise trouble with the store."""
        with suppress(TableError):  # of an object store where no file is left in it
            self.store.list_log()

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

    # The way back

    def way_back(self) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        """
        What of `files` is to be put back, and the names of hints that others have replaced since.

        Raises `RefusedError` where they have changed other files.
        """
        self._look_again()
        entries, foreign = [], []
        for entry in self.files:
            digest = sha256(self.store, entry["file"])
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
        return entries, tuple(foreign)

    def require_loadable(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Raise `RefusedError` where the table, loadable before the repair, would not be after."""
        if not (entries and self.journal.get("before")):
            return
        files: dict[str, bytes | None] = {}
        for entry in entries:
            files[entry["file"]] = None
            if entry["before"] is not None:
                with self.aside.open(entry["file"]) as file:
                    files[entry["file"]] = file.read()
        log = Case(self.store, 0, 0)
        log.change(files)
        now, (then, why) = log.before[0], log.newest_state()
        if now is not None and then is None:
            raise RefusedError(
                f"The table could not be loaded any more; nothing was put back: {why}",
                remedy="Commits from which the repair was made are gone. The files as they were "
                f"before it are in {QUARANTINE}/{self.name}.",
            )

    def put_back(self, **changes: Any) -> tuple[str, ...]:
        """Go the way back, and note these *changes* of the journal; the names of what is left."""
        (entries, left), store, aside = self.way_back(), self.store, self.aside
        try:
            for entry in reversed(entries):
                name, before = entry["file"], entry["before"]
                # What the repair has made may be the only source of a version by now.
                if entry["after"] is not None and sha256(aside, f"undone.{name}") is None:
                    _copy(store, name, aside, f"undone.{name}")
                if before is None:
                    store.remove(name)
                elif not _copy(aside, name, store, name) or sha256(store, name) != before:
                    raise changed(name)
        except OSError as error:
            raise unwritable(f"a draft for {store.root}", error) from error
        self.note(**changes)
        return left


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
