"""`record`: what tables are like, without secrets, for `diff` to hold them against later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.operations.reports import RecordedTable, Reference
from deltaadm.operations.secrets import Masker, fingerprints, revealed

if TYPE_CHECKING:
    from deltaadm.domain.model.snapshot import Snapshot


def record(table: str, snapshot: Snapshot) -> Reference:
    """A record of one table."""
    masked = Masker().snapshot(snapshot)
    return Reference((RecordedTable(table, masked, fingerprints(snapshot)),))


def recorded_state(recorded: RecordedTable, current: Snapshot) -> Snapshot:
    """The state that was *recorded*, with those secrets that *current* still has."""
    masked = replace(recorded.snapshot, root=current.root)
    return revealed(masked, recorded.fingerprints, current)
