"""Delta Lake's own connector for Apache Spark, and the runtimes built around it."""

from __future__ import annotations

from typing import Final

from deltaadm.clients.facts import Client, Gate, Source, fails, works

_DELTA_VERSIONING: Final = Source(
    "docs.delta.io, How does Delta Lake manage feature compatibility?", "2026-11-21"
)
_DELTA_440: Final = Source(
    "delta-io/delta spark/src/main/scala/org/apache/spark/sql/delta/TableFeature.scala, "
    "recorded from Delta Spark 4.4.0",
    "2026-11-21",
)

_FOR_READERS: Final = (
    works("columnMapping", _DELTA_VERSIONING),
    works("deletionVectors", _DELTA_VERSIONING, since="2.3.0"),
    works("timestampNtz", _DELTA_VERSIONING, since="2.4.0"),
    works("v2Checkpoint", _DELTA_VERSIONING, since="3.0.0"),
    works("vacuumProtocolCheck", _DELTA_VERSIONING, since="3.1.0"),
    works("typeWidening-preview", _DELTA_VERSIONING, since="3.2.0"),
    works("typeWidening variantType", _DELTA_VERSIONING, since="4.0.0"),
    works(
        "catalogManaged geospatial geospatial-dev adaptiveMetadata-preview variantType-preview "
        "variantShredding variantShredding-preview",
        _DELTA_440,
        since="4.4.0",
    ),
    fails("*", _DELTA_VERSIONING),
)
_FOR_WRITERS: Final = (
    works("appendOnly invariants checkConstraints generatedColumns", _DELTA_VERSIONING),
    works("changeDataFeed", _DELTA_VERSIONING),
    works("domainMetadata icebergCompatV1", _DELTA_VERSIONING, since="3.0.0"),
    works("clustering icebergCompatV2", _DELTA_VERSIONING, since="3.1.0"),
    works("rowTracking", _DELTA_VERSIONING, since="3.2.0"),
    works("identityColumns inCommitTimestamp", _DELTA_VERSIONING, since="3.3.0"),
    works("checkpointProtection", _DELTA_VERSIONING, since="4.0.0"),
    works(
        "allowColumnDefaults coordinatedCommits-preview icebergCompatV3 "
        "materializePartitionColumns",
        _DELTA_440,
        since="4.4.0",
    ),
)

DELTA_SPARK: Final = Client(
    id="delta-spark",
    name="Delta Lake on Apache Spark",
    versioned_by="releases of Delta Lake",
    oldest="2.0.0",
    newest="4.4.0",
    read_gates=(
        Gate(2, _DELTA_VERSIONING, until="2.3.0"),
        Gate(3, _DELTA_VERSIONING, since="2.3.0"),
    ),
    reads=_FOR_READERS,
    write_gates=(
        Gate(6, _DELTA_VERSIONING, until="2.3.0"),
        Gate(7, _DELTA_VERSIONING, since="2.3.0"),
    ),
    writes=(*_FOR_READERS, *_FOR_WRITERS),
)

SPARKS: Final = (DELTA_SPARK,)
