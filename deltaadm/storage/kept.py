"""A cache of the files of logs in object stores, for the duration of one run."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable

    Span = tuple[int, int] | None
    """The range of bytes that was read; None for the whole file."""


class KeptFile(NamedTuple):
    """A file as it was listed, and what is kept of it."""

    listed: Hashable
    spans: dict[Span, bytes]


class Kept:
    """
    At most so many bytes of the logs that were opened last, of files that never change.

    Of a single log that has more, what was read first is kept. What was read of a file counts as
    long as it is listed in the same way; whoever has not listed it has what was listed last.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._lock = Lock()
        self._logs: dict[str, dict[str, KeptFile]] = {}

    def opened(self, log: str) -> None:
        """Prefer a *log* to those that were opened before."""
        with self._lock:
            self._logs[log] = self._logs.pop(log, {})

    def find(self, log: str, path: str, listed: Hashable, span: Span = None) -> bytes | None:
        """These bytes of a file, if they are kept."""
        file = self._logs.get(log, {}).get(path)
        if file is None or (listed is not None and listed != file.listed):
            return None
        return file.spans.get(span)

    def keep(self, log: str, path: str, listed: Hashable, body: bytes, span: Span = None) -> None:
        """Keep these bytes of a file, if there is room for them and it was listed."""
        if listed is None:
            return
        with self._lock:
            mine = self._logs.setdefault(log, {})
            if path in mine and mine[path].listed != listed:
                self._size -= _size(mine.pop(path))
            while self._size + len(body) > self._most:
                oldest = next(iter(self._logs))
                # The log that is read now keeps what it has.
                if oldest == log:
                    return
                self._size -= sum(map(_size, self._logs.pop(oldest).values()))
            spans = mine.setdefault(path, KeptFile(listed, {})).spans
            self._size += len(body) - len(spans.get(span, b""))
            spans[span] = body


def _size(file: KeptFile) -> int:
    return sum(map(len, file.spans.values()))
