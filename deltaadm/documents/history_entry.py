"""The changes of one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.documents.change import CHANGE
from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    COUNT,
    INTEGER,
    STRING,
    array,
    maybe,
    one_of,
    record,
    within,
)
from deltaadm.operations.history import Section, section_of

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields

ORIGIN: Final[Fields] = {
    "version": COUNT,
    "at_or_before": BOOLEAN,
    "timestamp": maybe(INTEGER),
    "operation": maybe(STRING),
    "engine": maybe(STRING),
    "user": maybe(STRING),
}
"""The parts of where a change comes from."""

SECTIONED_CHANGES: Final = array(record(section=(one_of(Section), section_of), **CHANGE))
"""Changes, each with what it is about."""

ENTRY: Final[Fields] = {**within("origin", ORIGIN), "changes": SECTIONED_CHANGES}
"""The parts of an entry."""

DOCUMENT: Final = Document.of("A line of `history -o jsonl`", table=STRING, **ENTRY)
