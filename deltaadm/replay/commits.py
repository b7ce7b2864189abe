"""
Reading commits and other files of JSON lines.

Looking for protocol and metadata does not parse what cannot hold them: a commit's bytes are
searched for the two names, and for backslash-u, since keys may be escaped.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.actions import ACTIONS
from deltaadm.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Document = dict[str, Any]
    Named = tuple[str, Document]

_STATE: Final = (b'"protocol"', b'"metaData"', b"\\u")
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
    if b'"protocol"' not in body and b'"metaData"' not in body and b"\\u" not in body:
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
    return [line for line in body.splitlines() if line and not line.isspace()]


def _check_ends(text: bytes, path: str) -> None:
    """Without parsing: what is not empty begins and ends like a JSON object."""
    if text.startswith(b"{") and text.endswith((b"}\n", b"}")):
        return
    text = text.strip()
    if text and not (text.startswith(b"{") and text.endswith(b"}")):
        raise unreadable(path, "a line in it is not a JSON object")


def _decoded(lines: Sequence[bytes] | Iterator[bytes], path: str) -> Iterator[Named]:
    for line in lines:
        document = _decode(line, path)
        for name, action in document.items():
            if action is None:
                continue
            if name in ACTIONS and not isinstance(action, dict):
                raise unreadable(path, f"its {name} action is not a JSON object")
            yield name, action


def _decode(line: bytes, path: str) -> Document:
    try:
        document = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"a line in it is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise unreadable(path, "a line in it is not a JSON object")
    return document
