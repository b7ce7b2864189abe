"""Hosted services; where they have no releases, their versions are days."""

from __future__ import annotations

from deltaadm.clients.facts import Client, Compatibility, Gate, Source, fails, unknown, works

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_UNKNOWN: Final = Compatibility.UNKNOWN

_ATHENA: Final = Source(
    "Amazon Athena User Guide, Query Linux Foundation Delta Lake tables", "2026-11-21"
)

ATHENA: Final = Client(
    id="athena",
    name="Amazon Athena (engine version 3)",
    versioned_by="days",
    oldest="2026-11-21",
    newest="2026-11-21",
    read_gates=(Gate(3, _ATHENA, above=_UNKNOWN),),
    reads=(works("columnMapping timestampNtz", _ATHENA),),
    write_gates=(Gate(0, _ATHENA, note="read only"),),
)

_BIGQUERY: Final = Source("docs.delta.io, Google BigQuery connector", "2026-11-21")

BIGQUERY: Final = Client(
    id="bigquery",
    name="Google BigQuery (BigLake tables)",
    versioned_by="days",
    oldest="2026-11-21",
    newest="2026-11-21",
    read_gates=(Gate(3, _BIGQUERY, above=_UNKNOWN),),
    reads=(works("columnMapping deletionVectors", _BIGQUERY),),
)

_FABRIC: Final = Source(
    "MicrosoftDocs/fabric-docs docs/fundamentals/delta-lake-interoperability.md @01a0bb3",
    "2026-11-21",
)
_FABRIC_READS: Final = (
    works("columnMapping deletionVectors", _FABRIC),
    unknown("columnMapping[id]", _FABRIC, note="only the name mode is mentioned"),
    unknown("timestampNtz", _FABRIC, note="not supported; the source does not say what happens"),
)

FABRIC_SQL: Final = Client(
    id="fabric-sql",
    name="Microsoft Fabric SQL analytics endpoint",
    versioned_by="days",
    oldest="2026-11-21",
    newest="2026-11-21",
    read_gates=(Gate(3, _FABRIC, above=_UNKNOWN),),
    reads=_FABRIC_READS,
    write_gates=(Gate(0, _FABRIC, note="read-only"),),
)

POWER_BI: Final = Client(
    id="power-bi",
    name="Power BI (Direct Lake semantic models)",
    versioned_by="days",
    oldest="2026-11-21",
    newest="2026-11-21",
    read_gates=(Gate(3, _FABRIC, above=_UNKNOWN),),
    reads=_FABRIC_READS,
    write_gates=(Gate(0, _FABRIC, note="read-only"),),
)

_REDSHIFT: Final = Source("docs.delta.io, AWS Redshift Spectrum connector", "2026-11-21")
_MANIFEST_VECTORS: Final = Source(
    "docs.databricks.com, DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED error condition",
    "2026-11-21",
)
_MANIFEST_MAPPING: Final = Source(
    "delta-io/delta DeltaErrors.scala, DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING",
    "2026-11-21",
)
_NO_MANIFEST: Final = "its manifest cannot be generated"

REDSHIFT: Final = Client(
    id="redshift-spectrum",
    name="Amazon Redshift Spectrum (through a manifest)",
    versioned_by="days",
    oldest="2026-11-21",
    newest="2026-11-21",
    read_gates=(Gate(1, _REDSHIFT, above=_UNKNOWN),),
    reads=(
        unknown("columnMapping", _MANIFEST_MAPPING, note="not documented where it is not used"),
        fails("columnMapping", _MANIFEST_MAPPING, active=True, note=_NO_MANIFEST),
        fails("deletionVectors", _MANIFEST_VECTORS, active=True, note=_NO_MANIFEST),
    ),
)

_SNOWFLAKE: Final = Source(
    "docs.snowflake.com, Mar 02, 2026: Query Delta-based Apache Iceberg tables with deletion "
    "vectors",
    "2026-03-02",
)

SNOWFLAKE: Final = Client(
    id="snowflake",
    name="Snowflake (Iceberg tables from Delta files)",
    versioned_by="days",
    oldest="2026-01-01",
    newest="2026-03-02",
    read_gates=(
        Gate(2, _SNOWFLAKE, until="2026-03-02"),
        Gate(3, _SNOWFLAKE, since="2026-03-02", above=_UNKNOWN),
    ),
    reads=(works("deletionVectors", _SNOWFLAKE, since="2026-03-02"),),
)

_SYNAPSE: Final = Source(
    "MicrosoftDocs/azure-docs articles/synapse-analytics/sql/query-delta-lake-format.md @01cb5ec",
    "2021-04-27",
)

SYNAPSE: Final = Client(
    id="synapse-serverless",
    name="Azure Synapse serverless SQL pool",
    versioned_by="days",
    oldest="2021-04-27",
    newest="2021-04-27",
    read_gates=(Gate(1, _SYNAPSE, above=_UNKNOWN),),
    reads=(),
    write_gates=(Gate(0, _SYNAPSE, note="OPENROWSET cannot update a table"),),
)

SERVICES: Final = (ATHENA, BIGQUERY, FABRIC_SQL, POWER_BI, REDSHIFT, SNOWFLAKE, SYNAPSE)
