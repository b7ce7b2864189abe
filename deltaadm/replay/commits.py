"""
Reading commits and other files of JSON lines.

Looking for protocol and metadata does not parse what cannot hold them: a commit's bytes are
searched for the two names, and for what letters of theirs begin with when they are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from deltaadm.domain import wire
from deltaadm.domain.actions import ACTIONS
from deltaadm.domain.schema import StructType
from deltaadm.domain.wire import ACTION_NAMES
from deltaadm.errors import TableError, TooLargeError
from deltaadm.limits import LIMITS, require_few_values
from deltaadm.storage.store import LogStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    Document = dict[str, Any]
    Named = tuple[str, Document]
    Types = Mapping[str, tuple[type[Any], range | None, "Types | None"]]

# Delta's reader passes over one at the beginning of a commit.
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
BLANKS: Final = b" \t\r\n"
"""The characters that a blank line may have; Delta's reader fails on any other."""
_ESCAPED: Final = b"\\u00"
_STATE: Final = (b'"protocol"', b'"metaData"', _ESCAPED)
_PROVENANCE: Final = (*_STATE, b'"commitInfo"', b'"txn"')
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
    except TooLargeError:
        with store.open(path) as source:
            return LargeFile(store, path, source.seek(0, 2))
    return LargeFile(store, path, len(content)) if len(content) > store.limits.whole else content


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
    # A name may be written with escapes, which a search for its letters does not find.
    if not isinstance(body, LargeFile) and (
        b'"protocol"' not in body and b'"metaData"' not in body and _ESCAPED not in body
    ):
        _check_ends(body, path)
        return []
    return _matching(body, path, _STATE)


def newest_actions(body: bytes | LargeFile, path: str) -> list[Named]:
    """Like `state_actions`, with commitInfo and txn; a small file is decoded whole."""
    if not isinstance(body, LargeFile) and len(body) <= ALWAYS_DECODED:
        return list(each_action(body, path))
    return _matching(body, path, _PROVENANCE)


def provenance(body: bytes | LargeFile) -> list[Named] | None:
    """
    The commitInfo and txn actions of a commit, but for unreadable ones, on which nothing depends.

    None for a large file, which is not searched for them.
    """
    if isinstance(body, LargeFile):
        return None
    found: list[Named] = []
    for line in body.removeprefix(_BYTE_ORDER_MARK).splitlines():
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


def changing_actions(body: bytes | LargeFile, path: str) -> list[Named]:
    """
    The protocol, metaData and clustering of a commit with its commitInfo, in its order.

    Empty for a commit with nothing but the latter, whose lines stay unparsed.
    """
    if isinstance(body, bytes) and not any(word in body for word in _CHANGING):
        _check_ends(body, path)
        return []
    actions = _matching(body, path, (*_CHANGING, b'"commitInfo"'))
    kept = [action for action in actions if action[0] in _CHANGES or action[0] == "commitInfo"]
    return kept if any(name in _CHANGES for name, _ in kept) else []


def unreadable(path: str, cause: str) -> TableError:
    """The error for a commit whose content Delta's reader would refuse."""
    return TableError(
        f"The log file {path} cannot be read: {cause}.",
        remedy="Restore it from a backup; `deltaadm repair TABLE` says what else can be done.",
        delta_error_class="FAILED_READ_FILE.NO_HINT",
    )


def _matching(body: bytes | LargeFile, path: str, words: Sequence[bytes]) -> list[Named]:
    if isinstance(body, LargeFile):
        # Without the actions about files, of which many may have such a word.
        found: list[Named] = []
        last = b""
        for last in body.lines():
            _check_ends(last, path)
            if any(word in last for word in words):
                found += (named for named in _decoded([last], path) if named[0] not in ABOUT_FILES)
        for _ in _decoded([last] if last else [], path):  # a line that is cut off
            pass
        return found
    lines = _lines(body)
    kept = [line for line in lines[:-1] if any(word in line for word in words)]
    for line in lines:
        _check_ends(line, path)
    # The last line is decoded in any case: where a file was cut off, it shows there.
    return list(_decoded([*kept, *lines[-1:]], path))


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
        try:
            value = _value_of(line)
        except (ValueError, RecursionError) as error:
            raise unreadable(path, f"a line in it is not JSON ({error})") from error
        # Delta's reader accepts a list of actions on a line.
        documents = value if isinstance(value, list) else [value]
        for document in documents:
            if not isinstance(document, dict):
                raise unreadable(path, "a line in it is not a JSON object")
        for document in documents:
            for name, action in _actions(document):
                if cause := mismatches(name, action)[0]:
                    raise unreadable(path, cause)
                yield name, action


def _value_of(line: bytes) -> Any:
    value = json_value(line.decode())
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


_DECODER: Final = json.JSONDecoder()


def json_value(text: str) -> Any:
    """The same value as `load_json` returns."""
    require_few_values(text)
    # That takes long to find out that there are no blanks around.
    try:
        value, end = _DECODER.raw_decode(text)
    except ValueError:
        end = -1
    return value if end == len(text) else json.loads(text)


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
    return _mismatched_fields(name, action, _types_of(name))


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
def _types_of(name: str) -> Types:
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
