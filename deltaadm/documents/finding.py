"""A finding as JSON, with the steps that fix it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.documents.steps import STEP
from deltaadm.domain.model.json_values import STRING, array, maybe, one_of, record, within
from deltaadm.operations.commands import fix_command
from deltaadm.validation.finding import Severity

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields
    from deltaadm.validation.finding import Cause, Finding


@dataclass(frozen=True)
class Found:
    """A finding on the table that the user calls *table*."""

    table: str
    finding: Finding
    by: Cause | None = None
    reason: str = ""


FINDING: Final[Fields] = {
    "code": STRING,
    "name": STRING,
    "severity": one_of(Severity),
    "message": STRING,
    "where": STRING,
    "remedy": STRING,
}
"""The parts of a finding."""
_FIX: Final = record(
    command=(STRING, lambda found: fix_command(found.table, found.finding.fix)),
    steps=(array(STEP), lambda found: found.finding.fix),
)
FOUND: Final[Fields] = {
    **within("finding", FINDING),
    "fix": (maybe(_FIX), lambda found: found if found.finding.fix else None),
}
"""The same with what fixes it."""
