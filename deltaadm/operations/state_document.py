"""The state of a table as JSON values, and back, as far as plans rest on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaadm.domain.clustering import clustering_columns, with_clustering
from deltaadm.domain.metadata import Metadata
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.operations.document import protocol_document

if TYPE_CHECKING:
    from collections.abc import Mapping


def state_document(snapshot: Snapshot) -> dict[str, Any]:
    """Version, protocol, metadata and, where they are known, the clustering columns."""
    columns = clustering_columns(snapshot)
    return {
        "version": snapshot.version,
        "protocol": protocol_document(snapshot.protocol),
        "metadata": snapshot.metadata.to_wire(),
        "clustering_columns": None if columns is None else [list(one) for one in columns],
    }


def read_state(location: str, version: int, document: Mapping[str, Any]) -> Snapshot:
    """The state at *version* that `state_document` has written, of the table at *location*."""
    bare = Snapshot(
        root=location,
        version=version,
        protocol=Protocol.from_wire(document["protocol"]),
        metadata=Metadata.from_wire(document["metadata"]),
    )
    columns = document.get("clustering_columns")
    if columns is None:
        return bare
    return with_clustering(bare, [tuple(map(str, one)) for one in columns])
