"""Reports as YAML: the documents of JSON, one after the other."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.documents import document
from deltaadm.render.visible import OLD_COMMAND_MARK, is_hidden

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report
    from deltaadm.render.selection import Selection

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
"""Strings that need no quotes, unless they are one of the words that mean something else."""

# YAML 1.1, which many parsers still follow, takes more words for booleans than 1.2 does.
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def write_yaml(reports: Sequence[Report], out: TextIO, selection: Selection | None = None) -> None:
    """Each report as a document."""
    for report in reports:
        written = document(report)
        out.write("---\n")
        value = written if selection is None else selection.of([written])
        out.writelines(f"{line}\n" for line in _lines(value))


def _lines(value: Any) -> Iterator[str]:
    """The lines of *value*, whose children are indented."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            name = _string(key)
            if len(name) <= _LONGEST_KEY:
                yield from _entry(f"{name}:", item)
            else:
                yield f"? {name}"
                yield from _entry(":", item)
    elif isinstance(value, list | tuple) and value:
        for item in value:
            first, *rest = _lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _scalar(value)


_LONGEST_KEY: Final = 1024
"""Characters of a key, as it is written, after which YAML expects no colon any more."""


def _entry(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict | list | tuple) and value:
        yield key
        yield from (f"  {line}" for line in _lines(value))
    else:
        yield f"{key} {_scalar(value)}"


def _scalar(value: Any) -> str:
    return _string(value) if isinstance(value, str) else json.dumps(value)


def _string(text: str) -> str:
    """
    *text* as a string and nothing else, harmless for a terminal.

    >>> _string("deletionVectors"), _string("no"), _string("a: b"), _string("1")
    ('deletionVectors', '"no"', '"a: b"', '"1"')
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    shown = "".join(
        _escaped(character) if is_hidden(character) else character for character in quoted
    )
    return shown.replace(OLD_COMMAND_MARK, "##\\u005b")


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number <= _LAST_SHORT else f"\\U{number:08x}"


_LAST_SHORT: Final = 0xFFFF
