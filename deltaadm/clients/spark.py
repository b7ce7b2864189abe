"""Delta Lake's own connector for Apache Spark, and the runtimes built around it."""

from __future__ import annotations

from deltaadm.clients.facts import (
    RECORDED,
    Client,
    Compatibility,
    Gate,
    Source,
    fails,
    unknown,
    works,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_VERSIONING: Final = Source(
    "delta-io/delta docs/src/content/docs/versioning.mdx @0b65d46", "2026-11-21"
)
_VACUUM_CHECK: Final = Source("delta-io/delta#2730", "2024-03-07")
_WIDENING_PREVIEW: Final = Source("docs.delta.io 3.3.1, Delta type widening", "2026-11-21")
_RELEASE_4: Final = Source("delta-io/delta release v4.0.0-preview-rc1", "2026-11-21")
_DEFAULTS: Final = Source("docs.delta.io 3.3.0, Delta default column values", "2026-11-21")
_NOT_SAID: Final = "the first release that has it is not known"

_FOR_READERS: Final = (
    works("columnMapping", _VERSIONING),
    works("deletionVectors", _VERSIONING, since="2.3.0"),
    works("timestampNtz", _VERSIONING, since="2.4.0"),
    works("v2Checkpoint", _VERSIONING, since="3.0.0"),
    works("vacuumProtocolCheck", _VACUUM_CHECK, since="3.2.0"),
    works("typeWidening-preview", _WIDENING_PREVIEW, since="3.2.0"),
    works("typeWidening variantType", _RELEASE_4, since="4.0.0"),
    unknown(
        "catalogManaged geospatial geospatial-dev adaptiveMetadata-preview variantType-preview "
        "variantShredding variantShredding-preview",
        RECORDED,
        since="4.0.0",
        until="4.4.0",
        note=_NOT_SAID,
    ),
    fails("*", _VERSIONING),
)
_FOR_WRITERS: Final = (
    works("appendOnly invariants checkConstraints generatedColumns", _VERSIONING),
    works("changeDataFeed", _VERSIONING),
    works("domainMetadata icebergCompatV1", _VERSIONING, since="3.0.0"),
    works("clustering icebergCompatV2", _VERSIONING, since="3.1.0"),
    works("rowTracking", _VERSIONING, since="3.2.0"),
    works("identityColumns inCommitTimestamp", _VERSIONING, since="3.3.0"),
    works("allowColumnDefaults", _DEFAULTS, since="3.1.0"),
    unknown(
        "checkpointProtection coordinatedCommits-preview icebergCompatV3 "
        "materializePartitionColumns",
        RECORDED,
        since="3.0.0",
        until="4.4.0",
        note=_NOT_SAID,
    ),
)

DELTA_SPARK: Final = Client(
    id="delta-spark",
    name="Delta Lake on Apache Spark",
    versioned_by="releases of Delta Lake",
    oldest="2.0.0",
    newest="4.4.0",
    read_gates=(
        Gate(2, _VERSIONING, until="2.3.0"),
        Gate(3, _VERSIONING, since="2.3.0"),
    ),
    reads=_FOR_READERS,
    write_gates=(
        Gate(6, _VERSIONING, until="2.3.0"),
        Gate(7, _VERSIONING, since="2.3.0"),
    ),
    writes=(*_FOR_READERS, *_FOR_WRITERS),
    reference_since="4.4.0",
)

_RUNTIMES: Final = Source(
    "Azure Databricks documentation, How does Azure Databricks manage Delta Lake feature "
    "compatibility?",
    "2026-11-21",
)
_RUNTIME_WIDENING: Final = Source("docs.databricks.com, Type widening", "2026-11-21")
_RUNTIME_PREVIEW: Final = Source(
    "Azure Databricks documentation, Type widening (Public Preview)", "2026-11-21"
)
_RUNTIME_VARIANT: Final = Source(
    "Azure Databricks documentation, Variant support in Delta Lake", "2026-11-21"
)
_LOGS: Final = "logs in trinodb/trino plugin/trino-delta-lake/src/test/resources/"
_RUNTIME_13_LOGS: Final = Source(
    f"{_LOGS}databricks133: v2_checkpoint_json, uniform_iceberg_v1 (engineInfo "
    "Databricks-Runtime/13.3.x)",
    "2026-11-21",
)
_RUNTIME_14_LOGS: Final = Source(
    f"{_LOGS}databricks143: uniform_iceberg_v2 (engineInfo Databricks-Runtime/14.3.x)",
    "2026-11-21",
)
_RUNTIME_15_LOGS: Final = Source(
    f"{_LOGS}databricks154: clone_checkpoint_version_zero (engineInfo Databricks-Runtime/15.4.x)",
    "2026-11-21",
)
_RUNTIME_DEFAULTS: Final = Source(
    "databricks/databricks-sql-python#324, databricks/dbt-databricks#758: tables with defaults on "
    "Databricks",
    "2024-08-07",
)

_FOR_RUNTIME_READERS: Final = (
    works("columnMapping", _RUNTIMES),
    works("v2Checkpoint", _RUNTIME_13_LOGS, since="13.3", until="15.4"),
    works("v2Checkpoint", _RUNTIME_15_LOGS, since="15.4"),
    works("deletionVectors", _RUNTIMES, since="12.2"),
    works("timestampNtz", _RUNTIMES, since="13.3"),
    works("typeWidening-preview", _RUNTIME_PREVIEW, since="15.2"),
    works("typeWidening", _RUNTIME_WIDENING, since="15.4"),
    works("variantType-preview", _RUNTIME_VARIANT, since="15.3"),
)

DATABRICKS: Final = Client(
    id="databricks",
    name="Databricks Runtime",
    versioned_by="releases of Databricks Runtime",
    oldest="10.4",
    newest="15.4",
    read_gates=(
        Gate(2, _RUNTIMES, until="12.2"),
        Gate(3, _RUNTIMES, since="12.2"),
    ),
    reads=_FOR_RUNTIME_READERS,
    write_gates=(
        Gate(6, _RUNTIMES, until="12.2"),
        Gate(7, _RUNTIMES, since="12.2"),
    ),
    writes=(
        *_FOR_RUNTIME_READERS,
        works("appendOnly invariants checkConstraints changeDataFeed", _RUNTIMES),
        works("generatedColumns identityColumns", _RUNTIMES),
        works("clustering domainMetadata", _RUNTIMES, since="13.3"),
        works("icebergCompatV1", _RUNTIME_13_LOGS, since="13.3"),
        works("icebergCompatV2", _RUNTIME_14_LOGS, since="14.3"),
        works(
            "allowColumnDefaults",
            _RUNTIME_DEFAULTS,
            since="15.4",
            note="the runtime version is not named",
        ),
    ),
)

_FABRIC: Final = Source(
    "MicrosoftDocs/fabric-docs docs/fundamentals/delta-lake-interoperability.md @01a0bb3",
    "2026-11-21",
)
_FABRIC_SAYS_NO: Final = "not supported; the source does not say what happens"

_FABRIC_SPARK_FOR_READERS: Final = (
    works("columnMapping", _FABRIC),
    unknown("columnMapping[id]", _FABRIC, note="only the name mode is mentioned"),
    unknown("deletionVectors timestampNtz", _FABRIC, until="1.2", note=_FABRIC_SAYS_NO),
    works("deletionVectors timestampNtz", _FABRIC, since="1.2"),
)

FABRIC_SPARK: Final = Client(
    id="fabric-spark",
    name="Microsoft Fabric Spark Runtime",
    versioned_by="releases of the runtime",
    oldest="1.1",
    newest="1.3",
    read_gates=(
        Gate(2, _FABRIC, until="1.2", above=Compatibility.UNKNOWN),
        Gate(3, _FABRIC, since="1.2", above=Compatibility.UNKNOWN),
    ),
    reads=_FABRIC_SPARK_FOR_READERS,
    write_gates=(
        Gate(5, _FABRIC, until="1.2", above=Compatibility.UNKNOWN),
        Gate(7, _FABRIC, since="1.2", above=Compatibility.UNKNOWN),
    ),
    writes=(
        *_FABRIC_SPARK_FOR_READERS,
        works("clustering domainMetadata", _FABRIC, since="1.3"),
    ),
)

SPARKS: Final = (DATABRICKS, DELTA_SPARK, FABRIC_SPARK)
