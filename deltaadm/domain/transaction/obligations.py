"""What features ask of a commit without data, and of a checkpoint, and whether we do that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from deltaadm.domain.protocol import Protocol
from deltaadm.domain.transaction.update import COORDINATOR
from deltaadm.domain.wire import Metadata


class Obligation(NamedTuple):
    """
    What a feature asks of a commit without data, and of a checkpoint.

    `reason` says how it is fulfilled, or, where it is not `fulfilled`, why not.
    """

    reason: str
    fulfilled: bool = True


_NO_ROWS: Final = Obligation("it is about rows that are written, and none are")
_NO_FILES: Final = Obligation("it is about data files, and none are added or removed")
_CATALOG: Final = Obligation("its commits are made by its catalog", fulfilled=False)
_REDIRECT: Final = Obligation("its writes may belong to another table", fulfilled=False)
_ICEBERG: Final = Obligation("schema and properties are checked; statistics are about files")
_WIDENED: Final = Obligation("type changes are recorded in the predicted schema")

OBLIGATIONS: Final[Mapping[str, Obligation]] = {
    "adaptiveMetadata-preview": Obligation(
        "its commits are made of manifests of the table's files", fulfilled=False
    ),
    "allowColumnDefaults": _NO_ROWS,
    "appendOnly": Obligation("nothing is removed"),
    "catalogManaged": _CATALOG,
    "catalogOwned-preview": _CATALOG,
    "changeDataFeed": Obligation("no row changes, so there is no change to write"),
    "checkConstraints": _NO_ROWS,
    "checkpointProtection": Obligation("nothing of the history is cleaned up"),
    "clustering": Obligation("the domain names the columns; layout is about files"),
    "columnMapping": Obligation("ids and physical names are in the predicted schema, and kept"),
    "coordinatedCommits-preview": Obligation(
        "its commits are made by its coordinator", fulfilled=False
    ),
    "deletionVectors": _NO_FILES,
    "domainMetadata": Obligation("domains stay as they are, but for the one that a step changes"),
    "generatedColumns": _NO_ROWS,
    "geospatial": _NO_ROWS,
    "geospatial-dev": _NO_ROWS,
    "icebergCompatV1": _ICEBERG,
    "icebergCompatV2": _ICEBERG,
    "icebergCompatV3": _ICEBERG,
    "identityColumns": _NO_ROWS,
    "inCommitTimestamp": Obligation("the timestamp comes first in the file, and always increases"),
    "invariants": _NO_ROWS,
    "materializePartitionColumns": _NO_FILES,
    "redirectReaderWriter-preview": _REDIRECT,
    "redirectWriterOnly-preview": _REDIRECT,
    "rowTracking": Obligation("row ids are assigned to files that are added, and none are"),
    "timestampNtz": _NO_ROWS,
    "typeWidening": _WIDENED,
    "typeWidening-preview": _WIDENED,
    "v2Checkpoint": Obligation("checkpoints are written as delta.checkpointPolicy asks"),
    "vacuumProtocolCheck": Obligation("nothing is vacuumed"),
    "variantShredding": _NO_FILES,
    "variantShredding-preview": _NO_FILES,
    "variantType": _NO_ROWS,
    "variantType-preview": _NO_ROWS,
}
"""The features that Delta Spark knows; a table with any other is refused."""


def obstacles_in_protocol(protocol: Protocol) -> Iterator[str]:
    """Why a table with *protocol* is not written to without Delta Spark, as clauses."""
    for name in sorted(protocol.supported_features | protocol.explicit_names):
        obligations = OBLIGATIONS.get(name) or Obligation(
            "it is not known what it asks of writers", fulfilled=False
        )
        if not obligations.fulfilled:
            yield f"the table has the feature {name}, and {obligations.reason}"


def obstacles_in_metadata(metadata: Metadata) -> Iterator[str]:
    """Likewise for *metadata*."""
    if any(metadata.configuration.get(key) for key in COORDINATOR):
        yield "the table has coordinated commits, which are made by its coordinator"
