"""The state of a table as JSON values, and back, as far as plans depend on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.json_values import INTEGER, OPEN, STRINGS, array, maybe, record
from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.model.protocol import PROTOCOL, Protocol
from deltaadm.domain.model.snapshot import Snapshot
from deltaadm.domain.transaction.clustering import clustering_columns, with_clustering

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.model.json_values import Fields

_PATHS: Final = array(STRINGS)
STATE_FIELDS: Final[Fields] = {
    "version": INTEGER,
    "protocol": PROTOCOL,
    "metadata": (OPEN, lambda snapshot: snapshot.metadata.to_wire()),
    "clustering_columns": (maybe(_PATHS), clustering_columns),
}
STATE: Final = record(**STATE_FIELDS)
"""Version, protocol, metadata and, where they are known, the clustering columns."""


def read_state(location: str, version: int, document: Mapping[str, Any]) -> Snapshot:
    """The state at *version* that `STATE` has written, of the table at *location*."""
    bare = Snapshot(
        root=location,
        version=version,
        protocol=Protocol.from_wire(document["protocol"]),
        metadata=Metadata.from_wire(document["metadata"]),
    )
    columns = document.get("clustering_columns")
    return bare if columns is None else with_clustering(bare, _PATHS.read(columns))
