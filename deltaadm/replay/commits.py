"""
Reading commits and other files of JSON lines.

Looking for protocol and metadata does not parse what cannot hold them: a commit's bytes are
searched for the two names, and for what letters of theirs begin with when they are escaped.
"""

from __future__ import annotations

import json

from deltaadm.domain.wire import ACTION_NAMES
from deltaadm.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Final

    Document = dict[str, Any]
    Named = tuple[str, Document]

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_ESCAPED: Final = b"\\u00"
_STATE: Final = (b'"protocol"', b'"metaData"', _ESCAPED)
_PROVENANCE: Final = (*_STATE, b'"commitInfo"')

ALWAYS_DECODED: Final = 1 << 16
"""Size in bytes up to which the newest commit is decoded whole, so that damage shows."""


def all_actions(body: bytes, path: str) -> list[Named]:
    """Every action of a file of JSON lines, in its order; see `actions_reversed`."""
    return list(_decoded(_lines(body), path))


def actions_reversed(body: bytes, path: str) -> Iterator[Named]:
    """
    Every action from the last line to the first, decoded one at a time.

    Raises `TableError` for a line that is not a JSON object or whose action is none.
    """
    return _decoded(reversed(_lines(body)), path)


def state_actions(body: bytes, path: str) -> list[Named]:
    """The protocol and metaData actions of a commit, in its order; other lines stay unparsed."""
    if b'"protocol"' not in body and b'"metaData"' not in body and _ESCAPED not in body:
        _check_ends(body, path)
        return []
    return _matching(body, path, _STATE)


def newest_actions(body: bytes, path: str) -> list[Named]:
    """Like `state_actions`, with commitInfo; a small file is decoded whole."""
    if len(body) <= ALWAYS_DECODED:
        return all_actions(body, path)
    return _matching(body, path, _PROVENANCE)


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
    return list(_decoded([*kept, *lines[-1:]], path))


def _lines(body: bytes) -> list[bytes]:
    """The lines that are not blank; like Hadoop's reader, a lone carriage return ends one too."""
    lines = body.removeprefix(_BYTE_ORDER_MARK).splitlines()
    return [line for line in lines if line and not line.isspace()]


def _check_ends(text: bytes, path: str) -> None:
    """Without parsing: what is not empty begins and ends like a JSON object."""
    if text.startswith(b"{") and text.endswith((b"}\n", b"}")):
        return
    text = text.removeprefix(_BYTE_ORDER_MARK).strip()
    if text and not (text.startswith((b"{", b"[")) and text.endswith((b"}", b"]"))):
        raise unreadable(path, "a line in it is not a JSON object")


def _decoded(lines: Iterable[bytes], path: str) -> Iterator[Named]:
    for line in lines:
        for document in _decode(line, path):
            for name, action in _actions(document):
                check_types(name, action, path)
                yield name, action


def _actions(document: Document) -> Sequence[Named]:
    """The actions that count: of several known ones, the first in the log schema's order."""
    present = [pair for pair in document.items() if pair[1] is not None]
    if len(present) > 1:
        known = [name for name, _ in present if name in ACTION_NAMES]
        first = next((name for name in ACTION_NAMES if name in known), None)
        return [pair for pair in present if pair[0] == first or pair[0] not in ACTION_NAMES]
    return present


def _decode(line: bytes, path: str) -> list[Document]:
    """The objects of a line: one, or those of a list, which Delta's reader accepts."""
    try:
        found = _value(line.decode())
        if b"\\u" in line and b"\\ud" in line.lower():  # half a surrogate pair is no text
            found = json.loads(json.dumps(found, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"a line in it is not JSON ({error})") from error
    documents = found if isinstance(found, list) else [found]
    for one in documents:
        if not isinstance(one, dict):
            raise unreadable(path, "a line in it is not a JSON object")
    return documents


_DECODER: Final = json.JSONDecoder()


def _value(text: str) -> Any:
    """What `json.loads` answers; it takes long to find out that there are no blanks around."""
    try:
        found, end = _DECODER.raw_decode(text)
    except ValueError:
        end = -1
    return found if end == len(text) else json.loads(text)


_TYPES: Final[Mapping[str, Mapping[str, type]]] = {
    "protocol": {"minReaderVersion": int, "minWriterVersion": int},
    "metaData": {
        "format": dict,
        "partitionColumns": list,
        "configuration": dict,
        "createdTime": int,
    },
    "add": {"partitionValues": dict, "size": int, "deletionVector": dict, "baseRowId": int},
    "remove": {"deletionVector": dict},
    "txn": {"version": int},
    "domainMetadata": {"removed": bool},
}
"""Fields whose value Delta's reader must be able to take, since the state depends on them."""

_INT_32: Final = range(-(1 << 31), 1 << 31)


def check_types(name: str, action: Any, path: str) -> None:
    """
    Raise `TableError` for an action that Delta's reader fails to decode.

    A field that is null or absent is none of those: it reads as zero or as empty.
    """
    cause = misfit(name, action)
    if cause:
        raise unreadable(path, cause)


def misfit(name: str, action: Any) -> str:
    """Why Delta's reader fails to decode an action; empty if it does not."""
    if not isinstance(action, dict) and name in ACTION_NAMES:
        return f"its {name} action is not a JSON object"
    for key, kind in _TYPES.get(name, {}).items():
        value = action.get(key)
        if value is not None and not (type(value) is kind and _is_in_range(name, value)):
            return f"{name}.{key} is {json.dumps(value)}"
    return ""


def _is_in_range(name: str, value: Any) -> bool:
    return name != "protocol" or value in _INT_32
