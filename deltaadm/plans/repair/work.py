"""A repair under way: the copies in quarantine, and the journal of what changes in the log."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from shutil import copyfileobj
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from deltaadm.errors import CommitError
from deltaadm.plans.checkpoint import HINT
from deltaadm.plans.repair.case import View, digest_of, sha256

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.snapshot import LogListing
    from deltaadm.storage.store import LogStore, WritableStore


QUARANTINE: Final = "_deltaadm_quarantine"
JOURNAL: Final = "journal.json"
KIND: Final = "deltaadm-repair"


class Work:
    """
    A repair that is under way.

    `foreseen` is the log as the whole plan will leave it. Whatever changes in the log is noted in
    the journal first, with the digests of before and after, and there is a copy of what was there.
    """

    def __init__(
        self,
        store: WritableStore,
        foreseen: View,
        digests: Mapping[str, str | None],
        about: Mapping[str, Any],
    ) -> None:
        now = datetime.now(UTC)
        self.directory = f"{QUARANTINE}/{now:%Y%m%dT%H%M%SZ}-{os.urandom(2).hex()}"
        self.store, self.aside = store, store.beside(self.directory)
        self.foreseen = foreseen
        self.commits: list[int] = []
        self._known = dict(digests)
        self.journal: dict[str, Any] = {
            "format_version": 1, "kind": KIND, "status": "begun", "begun": now.isoformat(),
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

    def take_away(self, name: str) -> None:
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

    def write_hint(self, body: bytes) -> None:
        """Write `_last_checkpoint`, which others may have written since the repair was planned."""
        if not any(entry["file"] == HINT for entry in self.journal["files"]):
            self._known[HINT] = sha256(self.store, HINT)
        self.write(HINT, body)

    def copy(self, source: str, name: str) -> None:
        """Copy a file within the log to a name that is free."""
        with self.store.draft(name) as draft, self.store.open(source) as file:
            copyfileobj(file, draft)
            if not self.publish(draft, name):
                raise changed(name)
        if sha256(self.store, name) != self._known[source]:
            raise CommitError(f"The copy {name} of {source} differs.", remedy="Run repair again.")

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
