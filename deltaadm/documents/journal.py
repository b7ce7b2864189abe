"""A line of the journal of `apply`, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass
from deltaadm.documents import error, outcome
from deltaadm.documents.common import HEAD, Document, parse, sha256
from deltaadm.domain.model.json_values import STRING, Json, constant, one_of, record, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.model.json_values import Fields, Schema

_SEAL: Final = "sha256"
"""The key of a line's digest, which covers all its other keys."""
_BEGUN: Final = "begun"
_ENDED: Final = ("done", "failed")


@dataclass(frozen=True)
class Entry:
    """An event of the plan with a digest; the last one has the line of its result."""

    plan: str
    table: str
    event: str
    line: Mapping[str, Any] | None = None


_NOTED: Final[Fields] = {**HEAD, "plan": STRING, "table": STRING}
_ENTRY: Final = record(**_NOTED, event=STRING)


def _write(entry: Entry) -> dict[str, Any]:
    body = _ENTRY.write(entry)
    if entry.line is not None:
        body["line"] = entry.line
    return {**body, _SEAL: sha256(body)}


def write_entry(entry: Entry) -> str:
    """The line of *entry*."""
    return json.dumps(_write(entry), separators=(",", ":")) + "\n"


def read_entry(line: bytes) -> Entry:
    """The entry that `write_entry` has written; raises Python's exceptions for anything else."""
    body = parse(line)
    seal = body.pop(_SEAL)
    event = text(body["event"])
    if sha256(body) != seal or event not in {_BEGUN, *_ENDED}:
        raise ValueError(line)
    return Entry(
        text(body["plan"]), body["table"], event, None if event == _BEGUN else body["line"]
    )


_SEALED: Final[Fields] = {**_NOTED, _SEAL: STRING}
_LINE: Final = Json(lambda: {"anyOf": [outcome.DOCUMENT.schema, error.DOCUMENT.schema]})


def _schema() -> Schema:
    return {
        "anyOf": [
            record(**_SEALED, event=constant(_BEGUN)).schema,
            record(**_SEALED, event=one_of(*_ENDED), line=_LINE).schema,
        ]
    }


DOCUMENT: Final = Document("A line of the journal of `apply`", Json(_schema, _write))
