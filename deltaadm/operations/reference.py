"""`record`: what tables are like, without secrets, for `diff` to hold them against later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, replace
from deltaadm.operations.secrets import Masker, fingerprints, revealed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True)
class RecordedTable:
    """
    The table that the user called `table`, with masks for secrets.

    `fingerprints` are what these are known by, by their places.
    """

    table: str
    snapshot: Snapshot
    fingerprints: Mapping[str, str]


@dataclass(frozen=True)
class Reference:
    """Recorded tables, for `diff` to hold them against later."""

    tables: tuple[RecordedTable, ...]

    document = "reference"
    blocks = ""  # it is written as a file alone


def record(table: str, snapshot: Snapshot) -> Reference:
    """A record of one table."""
    masked = Masker().snapshot(snapshot)
    return Reference((RecordedTable(table, masked, fingerprints(snapshot)),))


def recorded_state(recorded: RecordedTable, current: Snapshot) -> Snapshot:
    """The state that was *recorded*, with those secrets that *current* still has."""
    masked = replace(recorded.snapshot, root=current.root)
    return revealed(masked, recorded.fingerprints, current)
