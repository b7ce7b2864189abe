"""Reports as JSON: one document, an array of them, or one a line."""

from __future__ import annotations

import json

from deltaadm.documents import document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

    from deltaadm.operations.reports import Report


def write_json(reports: Sequence[Report], out: TextIO) -> None:
    """One report as an object, several as an array."""
    documents = [document(report) for report in reports]
    write_value(documents[0] if len(documents) == 1 else documents, out)


def write_jsonl(reports: Sequence[Report], out: TextIO) -> None:
    """One report a line, in order."""
    out.writelines(json_line(document(report)) for report in reports)


def json_line(value: Any) -> str:
    """*value* as a line of JSON."""
    return _escaped(json.dumps(value, separators=(",", ":"))) + "\n"


def write_value(value: Any, out: TextIO) -> None:
    """*value* as JSON for people and programs, and harmless for a terminal."""
    out.write(_escaped(json.dumps(value, indent=2)) + "\n")


def _escaped(text: str) -> str:
    """JSON escapes what a terminal obeys, all but the delete character."""
    return text.replace("\x7f", "\\u007f")
