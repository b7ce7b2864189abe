"""
What Delta Spark does with the invariants of columns, as recorded from Delta Spark 4.4.0.

A NOT NULL column is enforced as such, and its invariant, whatever it holds, is never looked at.
Elsewhere Delta parses it with every write and every change; where the protocol lists features it
does so even to load the table. The source in delta-io/delta is `Invariants.scala`.
"""

from __future__ import annotations

import json

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.features import struct_fields
from deltaadm.domain.model.schema import path_text
from deltaadm.errors import Refused
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.schema import Path, StructField

INVARIANTS: Final = "delta.invariants"
"""Under which a column's metadata keeps its invariant."""

_UNRECOGNIZED: Final = "DELTA_UNRECOGNIZED_INVARIANT"
_EMPTY: Final = "PARSE_EMPTY_STATEMENT"


@dataclass(frozen=True)
class Invariant:
    """
    The invariant of one column.

    `is_described` tells whether it is as PROTOCOL.md describes it. `flaw` is what keeps Delta Spark
    from reading it, empty where nothing does, and `delta_error_class` what it then reports, None
    where its exception has no class. `read` tells whether it looks at the invariant at all, and
    `fails_in_delta_rs` whether delta-rs, which looks at all of them, stops at it.
    """

    path: Path
    text: Any
    read: bool
    is_described: bool
    fails_in_delta_rs: bool
    flaw: str = ""
    delta_error_class: str | None = None

    @property
    def fails_in_delta_spark(self) -> bool:
        """Whether Delta Spark stops at it."""
        return self.read and bool(self.flaw)


def invariants(metadata: Metadata) -> Iterator[Invariant]:
    """The invariants of columns outside arrays and maps, where Delta looks for them."""
    for path, field in struct_fields(metadata.schema):
        if INVARIANTS in field.metadata:
            yield _invariant(path, field)


def refusal_of_invariants(metadata: Metadata) -> Refused | None:
    """Why Delta Spark stops at an invariant; None where it reads them all."""
    for invariant in invariants(metadata):
        if invariant.fails_in_delta_spark:
            return Refused(
                f"Delta Spark cannot read the invariant of column {path_text(invariant.path)}: "
                f"{invariant.flaw}.",
                remedy="Remove it with the client that wrote it, and use a CHECK constraint "
                "instead.",
                delta_error_class=invariant.delta_error_class,
            )
    return None


def _invariant(path: Path, field: StructField) -> Invariant:
    text = field.metadata[INVARIANTS]
    flaw, error_class = _flaw(text)
    is_json, document = _whole(text)
    inner = _inner(document)
    is_empty = isinstance(inner, str) and not inner.strip()
    return Invariant(
        path=path,
        text=text,
        # A NOT NULL column is enforced as such, and its invariant is never looked at.
        read=field.nullable,
        is_described=isinstance(inner, str) and not flaw,
        fails_in_delta_rs=isinstance(text, str) and (not is_json or is_empty),
        flaw=flaw,
        delta_error_class=error_class,
    )


def _inner(document: Any) -> Any:
    outer = document.get("expression") if isinstance(document, dict) else None
    return outer.get("expression") if isinstance(outer, dict) else None


def _whole(text: Any) -> tuple[bool, Any]:
    try:
        return True, load_json(text)
    except (ValueError, TypeError, RecursionError):
        return False, None


def _flaw(text: Any) -> tuple[str, str | None]:
    """The reason why Delta Spark rejects an invariant, and its error class."""
    if not isinstance(text, str):
        return "it is not a string", None
    try:
        # Not `loads`: Delta takes the first JSON value of the text, whatever follows it.
        document, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return "it is not JSON", None
    return _flaw_in_rule(document)


def _flaw_in_rule(document: Any) -> tuple[str, str | None]:
    if not isinstance(document, dict):
        return "it is not a JSON object", None
    if document.get("expression") is None:
        return "it has no expression", _UNRECOGNIZED
    inner = _inner(document)
    # Delta takes any scalar; whether it is SQL, only Spark's parser knows, but an empty one is not.
    if inner is None or isinstance(inner, dict | list):
        return "its expression is not an object that contains an expression", None
    if isinstance(inner, str) and not inner.strip():
        return "its expression is empty", _EMPTY
    return "", None
