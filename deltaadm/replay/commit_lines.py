"""
The lines of commits as rules see them, each decoded once.

Replay stops at the first line that it cannot use; here each line is kept with what is wrong with
it. What a replay wants of a commit without fault is taken from the same lines.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, Final

from deltaadm.domain.snapshot import Checkpoint, LogFiles, LogSegment
from deltaadm.errors import TableError
from deltaadm.facts import Line, Lines, first_object
from deltaadm.replay import commits
from deltaadm.replay.checkpoints import CheckpointReader, FileCounts
from deltaadm.replay.commits import ABOUT_FILES, JsonLines, LargeFile
from deltaadm.replay.embedded import Replay, actions_if_few
from deltaadm.storage.store import LogStore

Named = tuple[str, dict[str, Any]]


# Large commits


class StoredLines(Lines):
    """
    The lines of a large *file*, read again by each iteration; *read* makes one of number and bytes.

    One pass finds what is asked for most often: names, errors, and the actions that are not about
    files, as long as there are few of them. Raises what reading the file raises.
    """

    def __init__(self, file: LargeFile, read: Callable[[int, bytes], Line], most: int) -> None:
        self._file = file
        self._read = read
        self._count = 0
        self.last = None
        self.names = []
        self._counts: Counter[str] = Counter()
        self._kept: dict[str, list[Any]] | None = {}
        self.has_errors = False
        self.plain = True
        kept = 0
        for number, text in file.numbered():
            line = read(number, text)
            self._count += 1
            self.last = line
            self.has_errors = self.has_errors or bool(line.error)
            self.plain = self.plain and not (line.error or line.odd) and len(line.actions) == 1
            for name, value in line.actions:
                # One text for all actions of the name: the file may have millions of them.
                self.names.append(sys.intern(name))
                self._counts[name] += 1
                if self._kept is not None and name not in ABOUT_FILES:
                    self._kept.setdefault(name, []).append(value)
            if any(name not in ABOUT_FILES for name, _ in line.actions):
                kept += len(text)
            if kept > most:
                self._kept = None
        self.info = first_object(self.actions("commitInfo"))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Line]:
        return (self._read(number, text) for number, text in self._file.numbered())

    def actions(self, name: str) -> Collection[Any]:
        if self._kept is not None and name not in ABOUT_FILES:
            return tuple(self._kept.get(name, ()))
        return _Actions(self, name, self._counts[name])


class _Actions(Collection[Any]):
    """The actions of one name, read from the file whenever somebody iterates."""

    def __init__(self, lines: Iterable[Line], name: str, count: int) -> None:
        self._lines = lines
        self._name = name
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __contains__(self, value: object) -> bool:
        return any(value == action for action in self)

    def __iter__(self) -> Iterator[Any]:
        lines = self._lines if self._count else ()
        return (value for line in lines for name, value in line.actions if name == self._name)


# Commit lines


_MOST: Final = 1 << 24
"""Bytes of commits that are kept decoded, which takes four or five times as many."""
_ESCAPED: Final = b"\\u"
"""The beginning of an escape for half a character, which a replay replaces."""


_MOST_READERS: Final = 8


class CommitLines:
    """
    The lines of the commits in *store*; those that were read first are kept.

    So are the readers of some of its checkpoints, which know their footers.
    """

    def __init__(self, store: LogStore) -> None:
        self._store = store
        self.reader = lru_cache(_MOST_READERS)(partial(CheckpointReader, store))
        self._left = _MOST
        self._kept: dict[str, tuple[Lines, bool]] = {}
        self.live: tuple[LogSegment, list[dict[str, Any]]] | None = None
        """A segment whose live files are all from lines that are kept, and these files."""

    def __contains__(self, path: str) -> bool:
        return path in self._kept

    def has_room(self, files: LogFiles) -> bool:
        """Whether all of *files* would be kept, including those that already are."""
        return files.estimated_size <= _MOST

    def of(self, path: str) -> Lines:
        """The lines of the commit at *path*; an unreadable file is one bad line."""
        return self._read(path)[0]

    def actions(self, path: str) -> list[Named] | None:
        """The actions that apply, from the last one back; None if that takes a closer look."""
        lines, is_odd = self._read(path)
        return None if is_odd or not lines.plain else lines.named[::-1]

    def _read(self, path: str) -> tuple[Lines, bool]:
        """The lines, and whether a replay may make something else of them."""
        if path in self._kept:
            return self._kept[path]
        try:
            file = commits.read_lines(self._store, path)
            if isinstance(file, LargeFile):
                return StoredLines(file, _line, self._store.limits.whole), True
        except TableError as error:
            return Lines([Line(0, None, error.message)]), False
        lines = _lines(file), _ESCAPED in file.body
        self._left -= len(file)
        if self._left >= 0:
            self._kept[path] = lines
        return lines


class SharingReplay(Replay):
    """
    A replay that takes from *lines* what a commit says, and leaves there what it decodes.

    What the checkpoint's files were *counted* to be, if they have been, it does not count again.
    """

    def __init__(
        self,
        store: LogStore,
        segment: LogSegment,
        lines: CommitLines,
        counted: FileCounts | None = None,
    ) -> None:
        super().__init__(store, segment)
        self._counted = counted
        self._lines = lines
        self._sharing = self._all_kept = lines.has_room(segment.deltas)

    def _looked_into(
        self, files: LogFiles, look: Callable[[LogStore, str], Any]
    ) -> Iterator[tuple[str, Any]]:
        if not self._sharing:
            return super()._looked_into(files, look)
        self._store.read_ahead(path for path in files.names[::-1] if path not in self._lines)
        if look is actions_if_few:
            # Not in a field of this replay, which would hold itself, and all its lines, in memory.
            look = self._shared_actions
        return ((path, look(self._store, path)) for path in files.names[::-1])

    def _reader_of(self, checkpoint: Checkpoint) -> CheckpointReader:
        return self._lines.reader(checkpoint)

    def counted_in_checkpoint(self, reader: CheckpointReader) -> FileCounts:
        return self._counted or super().counted_in_checkpoint(reader)

    def live_in_deltas(self) -> Iterator[dict[str, Any]]:
        """They are found once, unless they hide some of a checkpoint's as well."""
        known = self._lines.live
        if known is not None and known[0] is self._segment:
            yield from known[1]
            return
        live: list[dict[str, Any]] = []
        for document in super().live_in_deltas():
            if self._all_kept:
                live.append(document)
            else:
                live.clear()
            yield document
        if self._all_kept and self._segment.checkpoint is None:
            self._lines.live = self._segment, live

    def _shared_actions(self, store: LogStore, path: str) -> list[Named] | None:
        actions = self._lines.actions(path) if self._sharing else None
        self._all_kept = self._all_kept and actions is not None and path in self._lines
        if actions is None:
            return actions_if_few(store, path)
        return actions


def _lines(file: JsonLines) -> Lines:
    lines = Lines([_line(number, text) for number, text in file.numbered()])
    undecoded = lines.has_errors and any(line.document is None for line in lines)
    values = json_values(file.body) if undecoded else None
    if values and all(isinstance(value, dict) for value in values):
        first = next(iter(lines))
        spread = Line(first.number, None, "its JSON is spread over several lines", spread=True)
        return Lines([spread])
    return lines


def json_values(body: bytes) -> list[Any] | None:
    """The JSON values in *body*, however they are spread over lines; None if it is not JSON."""
    decoder, position, values = json.JSONDecoder(), 0, list[Any]()
    try:
        text = body.decode("utf-8-sig").strip()
        while position < len(text):
            value, position = decoder.raw_decode(text, position)
            values.append(value)
            while position < len(text) and text[position].isspace():
                position += 1
    except (ValueError, RecursionError):
        return None
    return values


_REQUIRED: Final = {
    "add": ("path", "partitionValues", "modificationTime", "dataChange"),
    "remove": ("path", "dataChange"),
    "cdc": ("path",),
}


def _line(number: int, text: bytes) -> Line:
    document, error = commits.json_object(text)
    odd = ""
    for name, value in (document or {}).items():
        if value is not None and not error:
            error, oddity = commits.mismatches(name, value)
            odd = odd or oddity
            required = () if error else _REQUIRED.get(name, ())
            lacking = next((key for key in required if value.get(key) is None), None)
            if lacking == "path":  # to Delta such a line has no action
                error = f"its {name} action has no path"
            elif lacking is not None and not odd:
                odd = f"its {name} action has no {lacking}, without which delta-rs fails"
    return Line(number, document, error, odd)
