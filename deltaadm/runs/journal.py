"""The journal of a run that carries out many plans, from which the next run can continue."""

import json
import os
from pathlib import Path
from typing import Final, Self

from deltaadm.documents.journal import Entry, read_entry, write_entry
from deltaadm.errors import Refused, StorageError
from deltaadm.storage.files import open_to_append

_HEAD: Final = b'{"format_version":'
"""The beginning of every line: a last line that was cut off is recognized by it."""


def read_journal(body: str) -> tuple[Entry, ...]:
    """The entries of a journal, in order; none where *body* is something else."""
    entries = []
    for line in body.splitlines():
        try:
            entries.append(read_entry(line.encode()))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            break
    return tuple(entries)


class Journal:
    """
    A file to which a line is added when work on a plan begins, and when it ends.

    Plans are known by their digests, so that lines about others mean nothing. `begun` are those
    on which work has begun, `done` those that need no more work, with the JSON line of what they
    came to. A last line that was cut off is taken out. While a run has the journal no other can:
    raises `Refused` then, and where the file cannot be written or is something else.
    """

    def __init__(self, path: Path) -> None:
        self.begun: set[str] = set()
        self.done: dict[str, str] = {}
        self._path = path

    def __enter__(self) -> Self:
        try:
            self._file = open_to_append(self._path)
        except OSError as error:
            raise Refused(
                f"The journal {self._path} cannot be written: {error.strerror or error}.",
                remedy="Choose another file with --journal.",
            ) from error
        try:
            # Before it is read: the run that holds it may be writing the last line.
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def begin(self, digest: str, table: str) -> None:
        """Work on a plan begins; whoever reads the file from now on knows."""
        self._add(Entry(digest, table, "begun"))

    def end(self, digest: str, table: str, line: str, *, done: bool) -> None:
        """It has come to what *line* says, and is *done* unless it is to be tried again."""
        self._add(Entry(digest, table, "done" if done else "failed", json.loads(line)))

    def _add(self, entry: Entry) -> None:
        try:
            self._file.write(write_entry(entry).encode())
            self._file.flush()
            # On disk before the first commit: a run after a power failure must know what has begun.
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StorageError(
                f"The journal {self._path} cannot be written: {error.strerror or error}.",
                remedy="Free some space; the same command then continues from the journal.",
            ) from error

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(
                f"Another run is using the journal {self._path}.",
                remedy="Wait until it has finished; both would change the same tables.",
            ) from None

    def _read(self) -> None:
        # Opened for appending, it stands at its end.
        self._file.seek(0)
        body = self._file.read()
        whole = body.rfind(b"\n") + 1
        # The end may be a line of ours that was cut off, of which less than its head may be there.
        if not _HEAD.startswith(body[whole:][: len(_HEAD)]):
            raise self._not_a_line(body.count(b"\n") + 1)
        for number, line in enumerate(body[:whole].splitlines(), 1):
            try:
                self._note(read_entry(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                raise self._not_a_line(number) from None
        if whole < len(body):
            # Or the next line would be written behind the half one.
            self._file.truncate(whole)

    def _not_a_line(self, number: int) -> Refused:
        return Refused(
            f"Line {number} of {self._path} is not a journal entry, was changed, or was written by "
            "an earlier deltaadm.",
            remedy="Choose another file with --journal; tables that are already as planned count "
            "as done.",
        )

    def _note(self, entry: Entry) -> None:
        self.begun.add(entry.plan)
        if entry.event == "done":
            self.done[entry.plan] = json.dumps(entry.line, separators=(",", ":")) + "\n"
