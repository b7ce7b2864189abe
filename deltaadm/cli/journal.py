"""What a run that carries out many plans writes down, so that the next one can go on."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deltaadm import __version__
from deltaadm.errors import Refused
from deltaadm.operations.document import FORMAT_VERSION


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
            self._file = self._path.open("a+b")
        except OSError as error:
            raise Refused(
                f"The journal {self._path} cannot be written: {error.strerror}.",
                remedy="Choose another place by --journal.",
            ) from error
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def begin(self, digest: str, table: str) -> None:
        """Work on a plan begins; whoever reads the file from now on knows."""
        self._add({"plan": digest, "table": table, "event": "begun"})
        os.fsync(self._file.fileno())

    def end(self, digest: str, table: str, line: str, *, done: bool) -> None:
        """It has come to what *line* says, and is *done* unless it is to be tried again."""
        event = "done" if done else "failed"
        self._add({"plan": digest, "table": table, "event": event, "line": json.loads(line)})

    def _add(self, entry: dict[str, Any]) -> None:
        head = {"format_version": FORMAT_VERSION, "tool_version": __version__}
        text = json.dumps(head | entry, separators=(",", ":"))
        self._file.write(f"{text}\n".encode())
        self._file.flush()

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(
                f"Another run has the journal {self._path}.",
                remedy="Wait for its end; both would change the same tables.",
            ) from None

    def _read(self) -> None:
        self._file.seek(0)
        body = self._file.read()
        whole = body.rfind(b"\n") + 1
        if whole < len(body):
            self._file.truncate(whole)
        for number, line in enumerate(body[:whole].splitlines(), 1):
            try:
                self._note(json.loads(line))
            except (ValueError, KeyError, TypeError):
                raise Refused(
                    f"Line {number} of {self._path} is not one of a journal.",
                    remedy="Choose another place by --journal.",
                ) from None

    def _note(self, entry: dict[str, Any]) -> None:
        self.begun.add(entry["plan"])
        if entry["event"] == "done":
            self.done[entry["plan"]] = json.dumps(entry["line"], separators=(",", ":")) + "\n"
        elif entry["event"] not in {"begun", "failed"}:
            raise ValueError(entry["event"])
