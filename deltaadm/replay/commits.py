"""
Reading commits and other files of JSON lines.

Looking for protocol and metadata does not parse what cannot hold them: a commit's bytes are
searched for the two names, and for what letters of theirs begin with when they are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from io import BufferedReader

from deltaadm.domain import wire
from deltaadm.domain.actions import ACTIONS
from deltaadm.domain.schema import StructType
from deltaadm.domain.wire import ACTION_NAMES
from deltaadm.errors import TableError, TooLargeError
from deltaadm.limits import LIMITS, load_json
from deltaadm.storage.store import LogStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    Document = dict[str, Any]
    Named = tuple[str, Document]
    Types = Mapping[str, tuple[type[Any], range | None, "Types | None"]]

# Delta's reader passes over one at the beginning of a commit.
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_BLANKS: Final = b" \t\r\n"
"""The characters that a blank line may have; Delta's reader fails on any other."""
_ESCAPED: Final = b"\\u00"
_STATE: Final = (b'"protocol"', b'"metaData"', _ESCAPED)
_PROVENANCE: Final = (*_STATE, b'"commitInfo"', b'"txn"')
_CHANGING: Final = (*_STATE, b'"delta.clustering"')
_CHANGES: Final = frozenset({"protocol", "metaData", "domainMetadata"})

ALWAYS_DECODED: Final = 1 << 16
"""Size in bytes up to which the newest commit is decoded whole, so that damage shows."""


class JsonLines:
    """The lines of a file of the log, which is held in memory; of a commit, its actions."""

    def __init__(self, path: str, body: bytes) -> None:
        self._path = path
        self.body = body

    def __len__(self) -> int:
        """The size of the file in bytes."""
        return len(self.body)

    def numbered(self, *, blank: bool = False) -> Iterator[tuple[int, bytes]]:
        """The lines with their numbers from 1; only where asked for, those that are *blank* too."""
        lines = enumerate(self.lines(blank=True), 1)
        return ((number, line) for number, line in lines if blank or line.strip(_BLANKS))

    def lines(self, *, blank: bool = False) -> Iterable[bytes]:
        # Like in Hadoop's reader, a lone carriage return ends a line too.
        lines = self.body.removeprefix(_BYTE_ORDER_MARK).splitlines()
        return lines if blank else [line for line in lines if line.strip(_BLANKS)]

    def lines_reversed(self) -> Iterator[bytes]:
        """The lines that are not blank, the last one first."""
        return reversed([*self.lines()])

    def actions(self, word: bytes = b"") -> Iterator[Named]:
        """Every action on a line of a commit with *word*, in its order, decoded one at a time."""
        return self._decoded(line for line in self.lines() if word in line)

    def actions_reversed(self) -> Iterator[Named]:
        """
        Every action from the last line to the first, decoded one at a time.

        Raises `TableError` for a line that is not a JSON object or whose action is none.
        """
        return self._decoded(self.lines_reversed())

    def checkpoint_actions(self) -> Iterator[Named]:
        """Every action of a checkpoint, of which Delta's reader takes no blank line."""
        return self._decoded(self.lines(blank=True))

    def state_actions(self) -> list[Named]:
        """The protocol and metaData actions, in their order; other lines stay unparsed."""
        return [] if self._lacks(_STATE) else self._matching(_STATE)

    def newest_actions(self) -> list[Named]:
        """Like `state_actions`, with commitInfo and txn; a small file is decoded whole."""
        return [*self.actions()] if len(self) <= ALWAYS_DECODED else self._matching(_PROVENANCE)

    def changing_actions(self) -> list[Named]:
        """
        The protocol, metaData and clustering of a commit with its commitInfo, in its order.

        Empty for a commit with nothing but the latter, whose lines stay unparsed.
        """
        if self._lacks(_CHANGING):
            return []
        actions = self._matching((*_CHANGING, b'"commitInfo"'))
        kept = [action for action in actions if action[0] in _CHANGES or action[0] == "commitInfo"]
        return kept if any(name in _CHANGES for name, _ in kept) else []

    def provenance(self) -> list[Named] | None:
        """
        The commitInfo and txn actions, but for unreadable ones, on which nothing depends.

        None for a large file, which is not searched for them.
        """
        found: list[Named] = []
        for line in self.lines():
            if b'"commitInfo"' not in line and b'"txn"' not in line:
                continue
            try:
                value = _value_of(line)
            except (ValueError, RecursionError):  # importing `suppress` costs every inspect
                continue
            for document in value if isinstance(value, list) else [value]:
                for name, action in _actions(document) if isinstance(document, dict) else ():
                    if name in {"commitInfo", "txn"} and isinstance(action, dict):
                        found.append((name, action))
        return found

    def _lacks(self, words: Sequence[bytes]) -> bool:
        """Whether it is seen without parsing that no line has any of *words*."""
        # A name may be written with escapes, which a search for its letters does not find.
        for word in words:
            if word in self.body:
                return False
        self._check_ends(self.body)
        return True

    def _matching(self, words: Sequence[bytes]) -> list[Named]:
        """The actions on lines with any of *words*, and on the last one, but those about files."""
        found: list[Named] = []
        line, is_read = b"", True
        for line in self.lines():
            self._check_ends(line)
            is_read = any(word in line for word in words)
            if is_read:
                found += self._decoded([line])
        # The last line is decoded in any case: where a file was cut off, it shows there.
        found += self._decoded([] if is_read else [line])
        return [named for named in found if named[0] not in ABOUT_FILES]

    def _check_ends(self, text: bytes) -> None:
        """Without parsing: what is not empty begins and ends like a JSON object."""
        if text.startswith(b"{") and text.endswith((b"}\n", b"}")):
            return
        text = text.removeprefix(_BYTE_ORDER_MARK).strip(_BLANKS)
        if text and not (text.startswith((b"{", b"[")) and text.endswith((b"}", b"]"))):
            raise self._unreadable("a line in it is not a JSON object")

    def _decoded(self, lines: Iterable[bytes]) -> Iterator[Named]:
        for line in lines:
            try:
                value = _value_of(line)
            except (ValueError, RecursionError) as error:
                raise self._unreadable(f"a line in it is not JSON ({error})") from error
            # Delta's reader accepts a list of actions on a line.
            documents = value if isinstance(value, list) else [value]
            for document in documents:
                if not isinstance(document, dict):
                    raise self._unreadable("a line in it is not a JSON object")
            for document in documents:
                for name, action in _actions(document):
                    if cause := mismatches(name, action)[0]:
                        raise self._unreadable(cause)
                    yield name, action

    def _unreadable(self, cause: str) -> TableError:
        """The error for content that Delta's reader would refuse."""
        return TableError(
            f"The log file {self._path} cannot be read: {cause}.",
            remedy="Restore it from a backup; `deltaadm repair TABLE` says what else can be done.",
            delta_error_class="FAILED_READ_FILE.NO_HINT",
        )


class LargeFile(JsonLines):
    """
    A file of JSON lines that is not held in memory: it is read again whenever lines are asked for.

    Raises `TableError` for a line that is longer than the limit of *store*.
    """

    def __init__(self, store: LogStore, path: str, size: int) -> None:
        super().__init__(path, b"")
        self._store = store
        self._size = size

    def __len__(self) -> int:
        return self._size

    def numbered(self, *, blank: bool = False) -> Iterator[tuple[int, bytes]]:
        number = 0
        source: Any = self._store.open(self._path)
        with BufferedReader(source, self._store.limits.piece) as buffered:
            while text := buffered.readline(self._store.limits.line + 1):
                self._check(text)
                text = text if number else text.removeprefix(_BYTE_ORDER_MARK)
                for number, line in enumerate(text.splitlines(), number + 1):  # noqa: B020
                    if blank or line.strip(_BLANKS):
                        yield number, line

    def lines(self, *, blank: bool = False) -> Iterator[bytes]:
        return (line for _, line in self.numbered(blank=blank))

    def lines_reversed(self) -> Iterator[bytes]:
        rest = b""
        with self._store.open(self._path) as source:
            end = source.seek(0, 2)
            while end:
                start = max(0, end - self._store.limits.piece)
                source.seek(start)
                rest, *whole = (source.read(end - start) + rest).splitlines(keepends=True)
                end = start
                self._check(rest)
                yield from (line.rstrip(b"\r\n") for line in reversed(whole) if line.strip(_BLANKS))
        first = rest.removeprefix(_BYTE_ORDER_MARK).strip(b"\r\n")
        if first.strip(_BLANKS):
            yield first

    def provenance(self) -> None:
        return None

    def _lacks(self, _words: Sequence[bytes]) -> bool:
        return False

    def _check(self, line: bytes) -> None:
        most = self._store.limits.line
        if len(line) > most:
            raise self._unreadable(f"a line in it is longer than {most:,} bytes")


def read_lines(store: LogStore, path: str) -> JsonLines:
    """A file of JSON lines, in memory if it is not large."""
    try:
        content = store.read(path)
    except TooLargeError:
        with store.open(path) as source:
            return LargeFile(store, path, source.seek(0, 2))
    if len(content) > store.limits.whole:
        return LargeFile(store, path, len(content))
    return JsonLines(path, content)


ABOUT_FILES: Final = frozenset({"add", "remove", "cdc"})


def _value_of(line: bytes) -> Any:
    value = load_json(line.decode())
    if b"\\u" in line and b"\\ud" in line.lower():  # half a surrogate pair is no text
        return json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    return value


def _actions(document: Document) -> Sequence[Named]:
    """The actions that count: of several known ones, the first in Delta's order."""
    present = [pair for pair in document.items() if pair[1] is not None]
    # Several in one line are against the protocol; Delta's reader takes the first that it asks for.
    if len(present) > 1:
        known = [name for name, _ in present if name in ACTION_NAMES]
        first = next((name for name in ACTION_NAMES if name in known), None)
        return [pair for pair in present if pair[0] == first or pair[0] not in ACTION_NAMES]
    return present


def json_object(body: bytes) -> tuple[Document | None, str]:
    """The one JSON object of a file, or why it is not one."""
    try:
        document = load_json(body.decode())
    except (ValueError, RecursionError) as error:
        return None, f"it is not JSON ({error})"
    return (document, "") if isinstance(document, dict) else (None, "it is not a JSON object")


def mismatches(name: str, action: Any) -> tuple[str, str]:
    """
    Why Delta's reader fails to decode an action, or ours stops at it; and what is wrong with a
    field that the reader takes all the same, as it takes any value for a text. Empty if nothing is.

    A field that is null or absent reads as zero or as empty.
    """
    if name not in ACTION_NAMES:
        return "", ""
    if not isinstance(action, dict):
        return f"its {name} action is not a JSON object", ""
    if name in ABOUT_FILES and len(str(action.get("path"))) > LIMITS.path:
        return f"{name}.path is longer than {LIMITS.path:,} characters", ""
    return _mismatched_fields(name, action, types_of(name))


def _mismatched_fields(place: str, document: Document, types: Types) -> tuple[str, str]:
    odd = ""
    for key, value in document.items():
        if value is None or key not in types:
            continue
        json_type, fitting, inner = types[key]
        # Not isinstance: to Python true is an int.
        if type(value) is not json_type or (fitting is not None and value not in fitting):
            flaw = f"{place}.{key} is {json.dumps(value)}"
            lenient = json_type is str or f"{place}.{key}" in _UNREAD
            if not lenient and not (fitting is _TIME and _is_time(value)):
                return flaw, odd
            odd = odd or f"{flaw}, which is not of its type"
        elif inner is not None:
            error, flaw = _mismatched_fields(f"{place}.{key}", value, inner)
            if error:
                return error, odd
            odd = odd or flaw
        elif json_type is dict and not _is_map_of_texts(f"{place}.{key}", value):
            odd = odd or f"{place}.{key} is {json.dumps(value)}, which is not a map of strings"
    return "", odd


def _is_map_of_texts(place: str, document: Document) -> bool:
    if all(type(value) in _TEXTS for value in document.values()):
        return True
    # The maps of commitInfo may have any JSON; but to Delta nothing nested in metrics and tags.
    if not place.startswith("commitInfo"):
        return False
    nested = any(isinstance(value, (dict, list)) for value in document.values())
    return place == "commitInfo.operationParameters" or not nested


_INTEGER: Final = range(-(1 << 31), 1 << 31)
_LONG: Final = range(-(1 << 63), 1 << 63)
_TIME: Final = range(-(1 << 63), 1 << 63)
_TEXTS: Final = (str, type(None))
_UNREAD: Final = frozenset({"cdc.dataChange", "commitInfo.dataChange"})
"""Fields that Delta's own classes lack, so that its reader does not ask for them."""


def _is_time(value: Any) -> bool:
    from datetime import datetime

    try:
        return bool(datetime.fromisoformat(value))
    except (TypeError, ValueError):
        return False


@cache
def types_of(name: str) -> Types:
    """What the protocol says of each field of the action *name*, as `_types` has it."""
    return _types(ACTIONS[name].log_type())


def _types(struct: StructType) -> Types:
    """The JSON of each field: its type in Python, the numbers that fit, and the fields in it."""
    fitting = {"integer": _INTEGER, "long": _LONG, "timestamp": _TIME}
    return {
        field.name: (
            wire.json_type(field.type),
            fitting.get(getattr(field.type, "name", "")),
            _types(field.type) if isinstance(field.type, StructType) else None,
        )
        for field in struct.fields
    }
