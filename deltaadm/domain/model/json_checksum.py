"""
The checksum of a JSON document, as `_last_checkpoint` carries one (PROTOCOL.md, JSON checksum).

It is taken over a canonical form: one `path=value` for each leaf, sorted. Numbers keep the
spelling that they have in the text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from deltaadm.limits import load_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[str, ...]

_IGNORED: Final = '"checksum"'


class _Verbatim(str):
    """A number or literal in the spelling of the text."""

    __slots__ = ()


def checksums(text: str) -> frozenset[str]:
    """
    The checksums that fit the JSON object in *text*.

    There may be two: the protocol sorts leaves by their paths, Delta Spark the finished
    `path=value`, which differ for arrays of more than ten values. Raises `ValueError` for
    anything else than a JSON object.
    """
    document = load_json(text, parse_int=_Verbatim, parse_float=_Verbatim, parse_constant=_Verbatim)
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 -- of the text, not a type
    try:
        leaves = [(path, value) for path, value in _leaves(document, ()) if path[0] != _IGNORED]
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    joined = [("+".join(path), value) for path, value in leaves]
    by_path = ",".join(f"{path}={value}" for path, value in sorted(joined))
    by_text = ",".join(sorted(f"{path}={value}" for path, value in joined))
    return frozenset(_digest(files) for files in (by_path, by_text))


def duplicate_key(text: str) -> str | None:
    """A key that an object in the JSON *text* has twice, if any; None if it is no JSON."""
    duplicates: list[str] = []

    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                duplicates.append(key)
            seen.add(key)
        return dict(pairs)

    try:
        load_json(text, object_pairs_hook=check)
    except (ValueError, RecursionError):
        return None
    return duplicates[0] if duplicates else None


def _digest(text: str) -> str:
    from hashlib import md5  # it loads OpenSSL, and few pointers have a checksum

    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, _quoted(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, str(index)))
    elif isinstance(value, _Verbatim):
        yield path, value
    else:
        yield path, _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    from urllib.parse import quote  # few pointers have a checksum

    return f'"{quote(text.encode(errors="replace"), safe="-._~")}"'
