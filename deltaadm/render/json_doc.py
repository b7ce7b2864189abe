"""Reports as JSON: one document, an array of them, or one a line."""

from __future__ import annotations

import json
from functools import lru_cache

from deltaadm.documents import document
from deltaadm.domain.model.json_values import Same, Shared
from deltaadm.render.visible import OLD_COMMAND_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final, TextIO

    from deltaadm.operations.reports import Report
    from deltaadm.render.selection import Selection


def write_json(reports: Sequence[Report], out: TextIO, selection: Selection | None = None) -> None:
    """One report as an object, several as an array; a text that is selected stands as it is."""
    documents = [document(report) for report in reports]
    if selection is None:
        write_value(documents[0] if len(documents) == 1 else documents, out)
        return
    value = selection.of(documents)
    if isinstance(value, str):
        from deltaadm.render.visible import visible

        out.write(f"{visible(value)}\n")
    else:
        write_value(value, out)


def write_jsonl(reports: Sequence[Report], out: TextIO, selection: Selection | None = None) -> None:
    """One report a line, in order."""
    for report in reports:
        written = document(report)
        out.write(json_line(written if selection is None else selection.of([written])))


def selected_line(document: Mapping[str, Any], selection: Selection) -> str:
    """The line for what is wanted of *document*."""
    return json_line(selection.of([dict(document)]))


def json_line(value: Any) -> str:
    """*value* as a line of JSON."""
    return _escaped(_line(value)) + "\n"


def _line(value: Any) -> str:
    """*value* on one line; what it shares with others is turned into text once."""
    if not isinstance(value, dict):
        return _compact(value)
    parts: list[str] = []
    own: dict[str, Any] = {}
    for key, item in value.items():
        if type(item) is Shared:
            parts += (_compact(own)[1:-1], f"{_compact(key)}:{_text(Same(item))}")
            own = {}
        else:
            own[key] = item
    parts.append(_compact(own)[1:-1])
    return f"{{{','.join(filter(None, parts))}}}"


_compact: Final = json.JSONEncoder(separators=(",", ":")).encode


@lru_cache(maxsize=256)
def _text(shared: Same) -> str:
    return _compact(shared.value)


def write_value(value: Any, out: TextIO) -> None:
    """*value* as JSON for people and programs, and harmless for a terminal."""
    out.write(_escaped(json.dumps(value, indent=2)) + "\n")


def _escaped(text: str) -> str:
    """JSON escapes what a terminal obeys but the delete character; nor may it tell CI anything."""
    return text.replace("\x7f", "\\u007f").replace(OLD_COMMAND_MARK, "##\\u005b")
