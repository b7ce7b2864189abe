"""
Reading commits and other files of JSON lines.

Looking for protocol and metadata does not parse what cannot hold them: a commit's bytes are
searched for the two names, and for what letters of theirs begin with when they are escaped.
"""

from __future__ import annotations

import json

from deltaadm.domain.model.wire import ACTION_NAMES
from deltaadm.errors import TableError, TooLarge
from deltaadm.limits import LIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Final

    from deltaadm.storage.store import LogStore

    Document = dict[str, Any]
    Named = tuple[str, Document]

# Delta's reader passes over one at the beginning of a commit.
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
BLANKS: Final = b" \t\r\n"
"""The characters that a blank line may have; Delta's reader fails on any other."""
_ESCAPED: Final = b"\\u00"
_STATE: Final = (b'"protocol"', b'"metaData"', _ESCAPED)
_PROVENANCE: Final = (*_STATE, b'"commitInfo"')
_CHANGING: Final = (*_STATE, b'"delta.clustering"')
_CHANGES: Final = frozenset({"protocol", "metaData", "domainMetadata"})

ALWAYS_DECODED: Final = 1 << 16
"""Size in bytes up to which the newest commit is decoded whole, so that damage shows."""


class LargeFile:
    """
    A file of JSON lines that is not held in memory: it is read again whenever lines are asked for.

    Raises `TableError` for a line that is longer than the limit of *store*.
    """

    def __init__(self, store: LogStore, path: str, size: int) -> None:
        self._store = store
        self._path = path
        self._size = size

    def __len__(self) -> int:
        return self._size

    def numbered(self, *, blank: bool = False) -> Iterator[tuple[int, bytes]]:
        """The lines with their numbers from 1; only where asked for, those that are *blank* too."""
        number, size = 0, self._store.limits.piece
        with self._store.open(self._path) as source:
            rest = source.read(len(_BYTE_ORDER_MARK)).removeprefix(_BYTE_ORDER_MARK)
            while piece := source.read(size):
                whole = (rest + piece).splitlines(keepends=True)
                # A piece seldom ends where a line does.
                rest = b"" if whole[-1:] and whole[-1].endswith(b"\n") else whole.pop()
                self._check(rest)
                for number, line in enumerate(whole, number + 1):  # noqa: B020
                    if blank or line.strip(BLANKS):
                        yield number, line.rstrip(b"\r\n")
        for number, line in enumerate(rest.splitlines(), number + 1):  # noqa: B020
            if blank or line.strip(BLANKS):
                yield number, line

    def lines(self) -> Iterator[bytes]:
        """The lines that are not blank."""
        return (line for _, line in self.numbered())

    def lines_reversed(self) -> Iterator[bytes]:
        """The lines that are not blank, the last one first."""
        rest = b""
        with self._store.open(self._path) as source:
            end = source.seek(0, 2)
            while end:
                start = max(0, end - self._store.limits.piece)
                source.seek(start)
                rest, *whole = (source.read(end - start) + rest).splitlines(keepends=True)
                end = start
                self._check(rest)
                yield from (line.rstrip(b"\r\n") for line in reversed(whole) if line.strip(BLANKS))
        first = rest.removeprefix(_BYTE_ORDER_MARK).strip(b"\r\n")
        if first.strip(BLANKS):
            yield first

    def _check(self, line: bytes) -> None:
        most = self._store.limits.line
        if len(line) > most:
            raise unreadable(self._path, f"a line in it is longer than {most:,} bytes")


def body(store: LogStore, path: str) -> bytes | LargeFile:
    """The content of a file of JSON lines, in the memory if it is not large."""
    try:
        content = store.read(path)
    except TooLarge:
        with store.open(path) as source:
            return LargeFile(store, path, source.seek(0, 2))
    return LargeFile(store, path, len(content)) if len(content) > store.limits.whole else content


def all_actions(body: bytes | LargeFile, path: str) -> list[Named]:
    """Every action of a file of JSON lines, in its order; see `actions_reversed`."""
    return list(each_action(body, path))


def each_action(body: bytes | LargeFile, path: str) -> Iterator[Named]:
    """Every action of a file of JSON lines, in its order, decoded one at a time."""
    return _decoded(body.lines() if isinstance(body, LargeFile) else _lines(body), path)


def checkpoint_actions(body: bytes | LargeFile, path: str) -> Iterator[Named]:
    """Every action of a checkpoint of JSON lines, of which Delta's reader takes no blank one."""
    if isinstance(body, LargeFile):
        return _decoded((line for _, line in body.numbered(blank=True)), path)
    return _decoded(body.removeprefix(_BYTE_ORDER_MARK).splitlines(), path)


def actions_reversed(body: bytes | LargeFile, path: str) -> Iterator[Named]:
    """
    Every action from the last line to the first, decoded one at a time.

    Raises `TableError` for a line that is not a JSON object or whose action is none.
    """
    lines = body.lines_reversed() if isinstance(body, LargeFile) else reversed(_lines(body))
    return _decoded(lines, path)


def state_actions(body: bytes | LargeFile, path: str) -> list[Named]:
    """The protocol and metaData actions of a commit, in its order; other lines stay unparsed."""
    if isinstance(body, LargeFile):
        return list(_matching_large(body, path, _STATE))
    # A name may be written with escapes, which a search for its letters does not find.
    if b'"protocol"' not in body and b'"metaData"' not in body and _ESCAPED not in body:
        _check_ends(body, path)
        return []
    return _matching(body, path, _STATE)


def newest_actions(body: bytes | LargeFile, path: str) -> list[Named]:
    """Like `state_actions`, with commitInfo; a small file is decoded whole."""
    if isinstance(body, LargeFile):
        return list(_matching_large(body, path, _PROVENANCE))
    if len(body) <= ALWAYS_DECODED:
        return all_actions(body, path)
    return _matching(body, path, _PROVENANCE)


def changing_actions(body: bytes | LargeFile, path: str) -> list[Named]:
    """
    The protocol, metaData and clustering of a commit with its commitInfo, in its order.

    Empty for a commit with nothing but the latter, whose lines stay unparsed.
    """
    if isinstance(body, bytes) and not any(word in body for word in _CHANGING):
        _check_ends(body, path)
        return []
    words = (*_CHANGING, b'"commitInfo"')
    if isinstance(body, LargeFile):
        actions = list(_matching_large(body, path, words))
    else:
        actions = _matching(body, path, words)
    kept = [action for action in actions if action[0] in _CHANGES or action[0] == "commitInfo"]
    return kept if any(name in _CHANGES for name, _ in kept) else []


def unreadable(path: str, cause: str) -> TableError:
    """The error for a commit whose content Delta's reader would refuse."""
    return TableError(
        f"The log file {path} cannot be read: {cause}.",
        remedy="The file may have been cut off or edited; restore it from a backup.",
        delta_error_class="FAILED_READ_FILE.NO_HINT",
    )


def _matching(body: bytes, path: str, words: Sequence[bytes]) -> list[Named]:
    lines = _lines(body)
    kept = [line for line in lines[:-1] if any(word in line for word in words)]
    for line in lines:
        _check_ends(line, path)
    # The last line is decoded in any case: where a file was cut off, it shows there.
    return list(_decoded([*kept, *lines[-1:]], path))


def _matching_large(body: LargeFile, path: str, words: Sequence[bytes]) -> Iterator[Named]:
    """Like `_matching`, without the actions about files, of which many may have such a word."""
    last = b""
    for line in body.lines():
        _check_ends(line, path)
        last = line
        if any(word in line for word in words):
            yield from (action for action in _decoded([line], path) if action[0] not in ABOUT_FILES)
    for _ in _decoded([last] if last else [], path):  # a line that is cut off
        pass


ABOUT_FILES: Final = frozenset({"add", "remove", "cdc"})


def _lines(body: bytes) -> list[bytes]:
    """The lines that are not blank."""
    # Like in Hadoop's reader, a lone carriage return ends a line too.
    lines = body.removeprefix(_BYTE_ORDER_MARK).splitlines()
    return [line for line in lines if line.strip(BLANKS)]


def _check_ends(text: bytes, path: str) -> None:
    """Without parsing: what is not empty begins and ends like a JSON object."""
    if text.startswith(b"{") and text.endswith((b"}\n", b"}")):
        return
    text = text.removeprefix(_BYTE_ORDER_MARK).strip(BLANKS)
    if text and not (text.startswith((b"{", b"[")) and text.endswith((b"}", b"]"))):
        raise unreadable(path, "a line in it is not a JSON object")


def _decoded(lines: Iterable[bytes], path: str) -> Iterator[Named]:
    for line in lines:
        for document in _decode(line, path):
            for name, action in _actions(document):
                check_types(name, action, path)
                yield name, action


def _actions(document: Document) -> Sequence[Named]:
    """The actions that count: of several known ones, the first in Delta's order."""
    present = [pair for pair in document.items() if pair[1] is not None]
    # Several in one line are against the protocol; Delta's reader takes the first that it asks for.
    if len(present) > 1:
        known = [name for name, _ in present if name in ACTION_NAMES]
        first = next((name for name in ACTION_NAMES if name in known), None)
        return [pair for pair in present if pair[0] == first or pair[0] not in ACTION_NAMES]
    return present


def _decode(line: bytes, path: str) -> list[Document]:
    """The objects of a line: one, or those of a list."""
    try:
        value = json_value(line.decode())
        if b"\\u" in line and b"\\ud" in line.lower():  # half a surrogate pair is no text
            value = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"a line in it is not JSON ({error})") from error
    # Delta's reader accepts a list of actions on a line.
    documents = value if isinstance(value, list) else [value]
    for document in documents:
        if not isinstance(document, dict):
            raise unreadable(path, "a line in it is not a JSON object")
    return documents


_DECODER: Final = json.JSONDecoder()


def json_value(text: str) -> Any:
    """The same value as `json.loads` returns."""
    # That takes long to find out that there are no blanks around.
    try:
        value, end = _DECODER.raw_decode(text)
    except ValueError:
        end = -1
    return value if end == len(text) else json.loads(text)


_INTEGER: Final = range(-(1 << 31), 1 << 31)
_LONG: Final = range(-(1 << 63), 1 << 63)
_VECTOR: Final[Mapping[str, Any]] = {
    "offset": _INTEGER,
    "sizeInBytes": _INTEGER,
    "cardinality": _LONG,
    "maxRowIndex": _LONG,
}
_TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
    # Lists of features that are none have a rule of their own.
    "protocol": {"minReaderVersion": _INTEGER, "minWriterVersion": _INTEGER},
    "metaData": {
        "format": {"options": dict},
        "partitionColumns": list,
        "configuration": dict,
        "createdTime": _LONG,
    },
    "add": {
        "partitionValues": dict,
        "size": _LONG,
        "modificationTime": _LONG,
        "dataChange": bool,
        "tags": dict,
        "deletionVector": _VECTOR,
        "baseRowId": _LONG,
        "defaultRowCommitVersion": _LONG,
    },
    "remove": {
        "deletionTimestamp": _LONG,
        "dataChange": bool,
        "extendedFileMetadata": bool,
        "partitionValues": dict,
        "size": _LONG,
        "tags": dict,
        "deletionVector": _VECTOR,
        "baseRowId": _LONG,
        "defaultRowCommitVersion": _LONG,
    },
    # Of a cdc action Delta's reader does not ask for dataChange.
    "cdc": {"partitionValues": dict, "size": _LONG, "tags": dict},
    "txn": {"version": _LONG, "lastUpdated": _LONG},
    "domainMetadata": {"removed": bool},
    "checkpointMetadata": {"version": _LONG, "tags": dict},
    "sidecar": {"sizeInBytes": _LONG, "modificationTime": _LONG, "tags": dict},
}
"""
Fields whose value Delta's reader must be able to take; any value is a text to it.

A range stands for the whole numbers in it, a mapping for an object with such fields.
"""


def check_types(name: str, action: Any, path: str) -> None:
    """
    Raise `TableError` for an action that Delta's reader fails to decode.

    A field that is null or absent is none of those: it reads as zero or as empty.
    """
    cause = type_mismatch(name, action)
    if cause:
        raise unreadable(path, cause)


def type_mismatch(name: str, action: Any) -> str:
    """Why Delta's reader fails to decode an action, or ours stops at it; empty if neither does."""
    if not isinstance(action, dict) and name in ACTION_NAMES:
        return f"its {name} action is not a JSON object"
    if name in ABOUT_FILES and len(str(action.get("path"))) > LIMITS.path:
        return f"{name}.path is longer than {LIMITS.path:,} characters"
    types = _TYPES.get(name)
    return "" if types is None else _mismatched_field(name, action, types)


def _mismatched_field(place: str, document: Document, types: Mapping[str, Any]) -> str:
    for key, kind in types.items():
        value = document.get(key)
        if value is None:
            continue
        if isinstance(kind, range):
            # Not isinstance: to Python true is an int.
            fits = type(value) is int and value in kind
        else:
            fits = type(value) is (kind if isinstance(kind, type) else dict)
        if not fits:
            return f"{place}.{key} is {json.dumps(value)}"
        if isinstance(kind, dict) and (
            mismatch := _mismatched_field(f"{place}.{key}", value, kind)
        ):
            return mismatch
    return ""
