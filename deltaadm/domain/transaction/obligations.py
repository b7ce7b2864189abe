"""What features ask of a commit without data, and of a checkpoint, and whether we do that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from deltaadm.domain.transaction.update import COORDINATOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.protocol import Protocol
    from deltaadm.domain.wire import Metadata


class Obligation(NamedTuple):
    """
    What a feature asks of a commit without data, and of a checkpoint.

    `reason` says how it is fulfilled, or, where it is not `fulfilled`, why not.
    """

    fulfilled: bool
    reason: str


def _yes(reason: str) -> Obligation:
    return Obligation(fulfilled=True, reason=reason)


def _no(reason: str) -> Obligation:
    return Obligation(fulfilled=False, reason=reason)


_NO_ROWS: Final = "it is about rows that are written, and none are"
_NO_FILES: Final = "it is about data files, and none are added or removed"
_CATALOG: Final = "its commits are made by its catalog"
_REDIRECT: Final = "its writes may belong to another table"

OBLIGATIONS: Final[Mapping[str, Obligation]] = {
    "adaptiveMetadata-preview": _no("its commits are made of manifests of the table's files"),
    "allowColumnDefaults": _yes(_NO_ROWS),
    "appendOnly": _yes("nothing is removed"),
    "catalogManaged": _no(_CATALOG),
    "catalogOwned-preview": _no(_CATALOG),
    "changeDataFeed": _yes("no row changes, so there is no change to write"),
    "checkConstraints": _yes(_NO_ROWS),
    "checkpointProtection": _yes("nothing of the history is cleaned up"),
    "clustering": _yes("the domain names the columns; layout is about files"),
    "columnMapping": _yes("ids and physical names are in the predicted schema, and kept"),
    "coordinatedCommits-preview": _no("its commits are made by its coordinator"),
    "deletionVectors": _yes(_NO_FILES),
    "domainMetadata": _yes("domains stay as they are, but for the one that a step changes"),
    "generatedColumns": _yes(_NO_ROWS),
    "geospatial": _yes(_NO_ROWS),
    "geospatial-dev": _yes(_NO_ROWS),
    "icebergCompatV1": _yes("schema and properties are checked; statistics are about files"),
    "icebergCompatV2": _yes("schema and properties are checked; statistics are about files"),
    "icebergCompatV3": _yes("schema and properties are checked; statistics are about files"),
    "identityColumns": _yes(_NO_ROWS),
    "inCommitTimestamp": _yes("the timestamp comes first in the file, and always increases"),
    "invariants": _yes(_NO_ROWS),
    "materializePartitionColumns": _yes(_NO_FILES),
    "redirectReaderWriter-preview": _no(_REDIRECT),
    "redirectWriterOnly-preview": _no(_REDIRECT),
    "rowTracking": _yes("row ids are assigned to files that are added, and none are"),
    "timestampNtz": _yes(_NO_ROWS),
    "typeWidening": _yes("type changes are recorded in the predicted schema"),
    "typeWidening-preview": _yes("type changes are recorded in the predicted schema"),
    "v2Checkpoint": _yes("checkpoints are written as delta.checkpointPolicy asks"),
    "vacuumProtocolCheck": _yes("nothing is vacuumed"),
    "variantShredding": _yes(_NO_FILES),
    "variantShredding-preview": _yes(_NO_FILES),
    "variantType": _yes(_NO_ROWS),
    "variantType-preview": _yes(_NO_ROWS),
}
"""The features that Delta Spark knows; a table with any other is refused."""


def obstacles_in_protocol(protocol: Protocol) -> Iterator[str]:
    """Why a table with *protocol* is not written to without Delta Spark, as clauses."""
    for name in sorted(protocol.supported_features | protocol.explicit_names):
        obligations = OBLIGATIONS.get(name) or _no("it is not known what it asks of writers")
        if not obligations.fulfilled:
            yield f"the table has the feature {name}, and {obligations.reason}"


def obstacles_in_metadata(metadata: Metadata) -> Iterator[str]:
    """Likewise for *metadata*."""
    if any(metadata.configuration.get(key) for key in COORDINATOR):
        yield "the table has coordinated commits, which are made by its coordinator"
