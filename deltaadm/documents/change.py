"""A difference between two states of a table as JSON; what is not there before or after is null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.json_values import ANY, STRING, array, name_of, record
from deltaadm.operations.diff import ChangeKind

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields

CHANGE: Final[Fields] = {
    "kind": name_of(ChangeKind),
    "subject": STRING,
    "before": ANY,
    "after": ANY,
}
"""The parts of a change."""
CHANGES: Final = array(record(**CHANGE))
