"""Reports as JSON and YAML: one document, an array of them, or one a line, whole or in part."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from deltaadm.documents import REQUEST, document
from deltaadm.errors import UsageError
from deltaadm.formats import Selection, Style
from deltaadm.json_values import Same, Shared
from deltaadm.masking import OLD_COMMAND_MARK, is_hidden, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, TextIO

    from deltaadm.blocks import Report


def parse_query(query: str) -> Any:
    """The expression of JMESPath that *query* is; raises `UsageError` for anything else."""
    import jmespath  # whose errors are all value errors

    try:
        return jmespath.compile(query)
    except ValueError as error:
        reason = str(error).partition("\n")[0].rstrip(".:")
        raise UsageError(
            f"{query!r} is not JMESPath: {reason}",
            option="--query",
            remedy="https://jmespath.org describes it; for example findings[].code.",
        ) from error


def write_json(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    """One report as an object, several as an array; a text that is selected stands as it is."""
    value = _selected([document(report) for report in reports], style)
    if isinstance(value, str):
        out.write(f"{visible(value)}\n")
    else:
        write_value(value, out)


def write_jsonl(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    """One report a line, in order."""
    for report in reports:
        whole = document(report) | ({REQUEST: style.request} if style.request else {})
        out.write(json_line(_selected([whole], style)))


def _selected(documents: Sequence[dict[str, Any]], style: Style) -> Any:
    return (style.selection or Selection()).of(documents)


def selected_line(document: Mapping[str, Any], selection: Selection) -> str:
    """The line for what is wanted of *document*."""
    return json_line(selection.of([dict(document)]))


def json_line(value: Any) -> str:
    """*value* as a line of JSON; what it shares with others is turned into text once."""
    if not isinstance(value, dict):
        return _escaped(_compact(value)) + "\n"
    parts: list[str] = []
    own: dict[str, Any] = {}
    for key, item in value.items():
        if type(item) is Shared:
            parts += (_compact(own)[1:-1], f"{_compact(key)}:{_text(Same(item))}")
            own = {}
        else:
            own[key] = item
    parts.append(_compact(own)[1:-1])
    return _escaped(f"{{{','.join(filter(None, parts))}}}") + "\n"


_compact: Final = json.JSONEncoder(separators=(",", ":")).encode
_text: Final = lru_cache(maxsize=256)(lambda same: _compact(same.value))


def write_value(value: Any, out: TextIO) -> None:
    """*value* as JSON for people and programs, and harmless for a terminal."""
    out.write(_escaped(json.dumps(value, indent=2)) + "\n")


def _escaped(text: str) -> str:
    """JSON escapes what a terminal obeys but the delete character; nor may it tell CI anything."""
    return text.replace("\x7f", "\\u007f").replace(OLD_COMMAND_MARK, "##\\u005b")


# YAML


_PLAIN: Final = r"[A-Za-z_][A-Za-z0-9_./-]*"
"""Strings that need no quotes, unless they are one of the words that mean something else."""

# YAML 1.1, which many parsers still follow, takes more words for booleans than 1.2 does.
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def write_yaml(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    """Each report as a document."""
    for report in reports:
        value = _selected([document(report)], style)
        out.writelines(f"{line}\n" for line in ("---", *_lines(value)))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            name = _string(key)
            if len(name) > _LONGEST_KEY:
                yield f"? {name}"
                name = ""
            first, *rest = _lines(item)
            if isinstance(item, dict | list | tuple) and item:
                yield f"{name}:"
                yield from (f"  {line}" for line in (first, *rest))
            else:
                yield f"{name}: {first}"
    elif isinstance(value, list | tuple) and value:
        for item in value:
            first, *rest = _lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _string(value) if isinstance(value, str) else json.dumps(value)


_LONGEST_KEY: Final = 1024
"""Characters of a key, as it is written, after which YAML expects no colon any more."""


def _string(text: str) -> str:
    """
    *text* as a string and nothing else, harmless for a terminal.

    >>> _string("deletionVectors"), _string("no"), _string("a: b"), _string("1")
    ('deletionVectors', '"no"', '"a: b"', '"1"')
    """
    if re.fullmatch(_PLAIN, text) and text.lower() not in _WORDS:
        return text
    shown = "".join(
        f"\\U{ord(character):08x}" if is_hidden(character) else character
        for character in json.dumps(text, ensure_ascii=False)
    )
    return shown.replace(OLD_COMMAND_MARK, "##\\u005b")
