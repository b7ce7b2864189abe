"""All client programs: what is known about each release, with source and day."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from deltaadm.clients.facts import (
    RECORDED,
    Client,
    ClientRelease,
    Compatibility,
    Gate,
    Source,
    fails,
    unknown,
    version_key,
    works,
    wrong,
)
from deltaadm.errors import RefusedError, UnknownNameError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


_UNKNOWN: Final = Compatibility.UNKNOWN
_NOT_TRIED: Final = "not tried"
_SAYS_NO: Final = "not supported; the source does not say what happens"
_NOT_TRIED_IN_USE: Final = "not tried on tables that use it"

# One or two lines for each fact.
# fmt: off


# Query engines that users run themselves


_TRINO_FEATURES: Final = Source(
    "trinodb/trino plugin/trino-delta-lake/src/main/java/io/trino/plugin/deltalake/transactionlog/"
    "DeltaLakeTableFeatures.java @4695f88", "2026-11-21")
_TRINO_METADATA: Final = Source(
    "trinodb/trino plugin/trino-delta-lake/src/main/java/io/trino/plugin/deltalake/"
    "DeltaLakeMetadata.java", "2026-11-21")
_HIDDEN: Final = "the table is not found"

_TRINO_414: Final = Source("Trino release notes, Release 414", "2023-04-19")
_TRINO_427: Final = Source("Trino release notes, Release 427", "2023-09-26")
_TRINO_449: Final = Source("Trino release notes, Release 449", "2024-05-31")
_TRINO_454: Final = Source("Trino release notes, Release 454", "2024-08-15")
_TRINO_471: Final = Source("Trino release notes, Release 471", "2025-02-19")
_TRINO_VECTORS_OFF: Final = Source("trinodb/trino#30685", "2026-08-12")
_TRINO_CHECKPOINTS: Final = Source("trinodb/trino#31252", "2026-09-21")
_TRINO_CHECKPOINT_WRITER: Final = Source(
    "trinodb/trino plugin/trino-delta-lake/src/main/java/io/trino/plugin/deltalake/transactionlog/"
    "checkpoint/CheckpointWriter.java @04d803c", "2026-11-24")

TRINO: Final = Client(
    id="trino", name="Trino", versioned_by="releases of Trino", oldest="413", newest="480",
    read_gates=(
        Gate(3, _TRINO_427, until="480", above=_UNKNOWN),
        Gate(3, _TRINO_METADATA, since="480", note=_HIDDEN),
    ),
    reads=(
        works("columnMapping", _TRINO_414, "414..480"),
        unknown("columnMapping[id]", _TRINO_414, "..480", "only names are mentioned"),
        works("columnMapping", _TRINO_FEATURES, "480.."),
        wrong("deletionVectors", _TRINO_414, "..414", "deleted rows are returned", active=False),
        fails("deletionVectors", _TRINO_414, "414..427"),
        works("deletionVectors", _TRINO_427, "427.."),
        unknown("deletionVectors[off,checkpoint]", _TRINO_VECTORS_OFF, "427..470", _NOT_TRIED),
        wrong("deletionVectors[off,checkpoint]", _TRINO_VECTORS_OFF, "470..",
            "while delta.enableDeletionVectors is off, those of the checkpoint are ignored: "
            "deleted rows are returned"),
        works("vacuumProtocolCheck", _TRINO_449, "449.."),
        works("variantType variantType-preview", _TRINO_471, "471.."),
        works("timestampNtz v2Checkpoint", _TRINO_FEATURES, "480.."),
        works("typeWidening typeWidening-preview", _TRINO_FEATURES, "480.."),
        fails("*", _TRINO_METADATA, "480..", _HIDDEN),
    ),
    write_gates=(
        Gate(6, _TRINO_427, until="427", above=_UNKNOWN),
        Gate(7, _TRINO_427, since="427", until="480", above=_UNKNOWN),
        Gate(7, _TRINO_METADATA, since="480"),
    ),
    writes=(
        works("columnMapping", _TRINO_414, "414.."),
        fails("deletionVectors", _TRINO_414, "414..427"),
        works("deletionVectors", _TRINO_454, "454.."),
        works("vacuumProtocolCheck", _TRINO_449, "449.."),
        works("appendOnly invariants checkConstraints", _TRINO_FEATURES, "480.."),
        works("changeDataFeed timestampNtz", _TRINO_FEATURES, "480.."),
        works("generatedColumns", _TRINO_METADATA, "480.."),
        fails("generatedColumns", _TRINO_METADATA, "480..", active=True),
        unknown("identityColumns", _TRINO_METADATA, "480..", "not checked by version"),
        fails("generatedColumns identityColumns", _TRINO_FEATURES, "480..", listed=True),
        fails("*", _TRINO_FEATURES, "480.."),
    ),
    checkpoints=(
        wrong("deletionVectors", _TRINO_CHECKPOINTS, "454..",
            "it can lack live files whose deletion vector was added in the same commit in which "
            "the file without it was removed, as Spark does"),
        wrong("deletionVectors[off,checkpoint]", _TRINO_CHECKPOINT_WRITER, "454..",
            "while delta.enableDeletionVectors is off it lacks deletion vectors, so that deleted "
            "rows are back"),
    ),
)

_PRESTO: Final = Source(
    "prestodb/presto presto-docs/src/main/sphinx/connector/deltalake.rst @0127d90", "2026-11-21")
_PRESTO_VECTORS: Final = Source("prestodb/presto#27435 and #26964", "2026-03-25")
_PRESTO_KERNEL: Final = Source("prestodb/presto#27434: the connector reads by Delta Kernel",
    "2026-11-27")
_STANDALONE: Final = Source(
    "delta-io/delta connectors/standalone/src/main/scala/io/delta/standalone/internal/"
    "DeltaLogImpl.scala @0550b39, actions/actions.scala @72eaaf0", "2026-11-21")

PRESTO: Final = Client(
    id="presto", name="PrestoDB (on Delta Kernel for Java)", versioned_by="days",
    oldest="2026-11-21", newest="2026-11-27",
    read_gates=(Gate(3, _PRESTO_KERNEL, above=_UNKNOWN),),
    reads=(
        unknown("deletionVectors", _PRESTO_VECTORS,
            note="returned deleted rows in March 2026; it is not known which releases do"),
        unknown("columnMapping", _PRESTO_KERNEL, note="it reads files by itself; not tried"),
    ),
    write_gates=(Gate(0, _PRESTO, above=_UNKNOWN, note="only reading is mentioned"),),
)

HIVE: Final = Client(
    id="hive", name="Delta connector for Apache Hive (on Delta Standalone)",
    versioned_by="releases of Delta Lake", oldest="3.0.0", newest="3.0.0",
    read_gates=(Gate(1, _STANDALONE),),
    reads=(),
)

_DUCKDB: Final = Source(
    "tried with DuckDB 1.2.1, 1.3.0, 1.3.2, 1.4.0, 1.4.4, 1.5.0 and 1.5.5 and their delta "
    "extensions", "2026-11-21")
_DUCKDB_LABORATORY: Final = Source(
    "tried with DuckDB 1.3.2, 1.4.4, 1.5.0, 1.5.1, 1.5.2, 1.5.3 and 1.5.5 and their delta "
    "extensions", "2026-11-25")
_DUCKDB_PARTITIONS: Final = Source(
    "duckdb/duckdb-delta#343 and #50; tried with DuckDB 1.4.4 to 1.5.5", "2026-11-25")
_DUCKDB_PRUNING: Final = Source("duckdb/duckdb-delta#303 and #304", "2026-04-17")
_DUCKDB_1_4: Final = Source(
    "tried with DuckDB 1.4.0 and 1.4.4, whose tables Delta Spark then cannot read", "2026-11-27")
_DUCKDB_1_5_5: Final = Source("tried with DuckDB 1.5.5 and its delta extension", "2026-11-24")
_BY_NAME: Final = "columns are matched by name; files with other column names give nulls"

DUCKDB: Final = Client(
    id="duckdb-delta", name="DuckDB with its delta extension", versioned_by="releases of DuckDB",
    oldest="1.2.1", newest="1.5.5",
    read_gates=(Gate(3, _DUCKDB),),
    reads=(
        works("deletionVectors timestampNtz vacuumProtocolCheck", _DUCKDB),
        works("typeWidening typeWidening-preview", _DUCKDB),
        works("columnMapping", _DUCKDB, "1.3.0.."),
        unknown("columnMapping", _DUCKDB, "..1.3.0", "not tried where it is not used"),
        wrong("columnMapping", _DUCKDB, "..1.3.0", "mapped columns give nulls"),
        unknown("columnMapping[partitioned]", _DUCKDB_LABORATORY, "..1.3.2", _NOT_TRIED),
        unknown("columnMapping[partitioned]", _DUCKDB_LABORATORY, "1.4.0..1.4.4", _NOT_TRIED),
        wrong("columnMapping[partitioned]", _DUCKDB_PARTITIONS, "1.4.4..",
            "partition columns are read as null"),
        wrong("partitionColumns[checkpoint]", _DUCKDB_PRUNING, "1.5.1..1.5.3",
            "conditions on partition columns lose rows of a checkpoint"),
        unknown("schema[timestamp_ntz]", _DUCKDB_LABORATORY, "..1.3.2", _NOT_TRIED),
        fails("schema[timestamp_ntz]", _DUCKDB_LABORATORY, "1.3.2..",
            "timestamp_ntz requires the feature timestampNtz"),
        fails("columnMapping[id]", _DUCKDB, "..1.4.1"),
        unknown("columnMapping[id]", _DUCKDB, "1.4.1..1.4.4", _NOT_TRIED),
        wrong("columnMapping[id]", _DUCKDB, "1.4.4..", _BY_NAME),
        fails("v2Checkpoint", _DUCKDB, "..1.3.2"),
        works("v2Checkpoint", _DUCKDB, "1.3.2.."),
        fails("variantType variantType-preview", _DUCKDB, "..1.4.0"),
        works("variantType variantType-preview", _DUCKDB, "1.4.0.."),
        fails("catalogManaged", _DUCKDB, "..1.4.1"),
        unknown("catalogManaged", _DUCKDB, "1.4.1..1.4.4", _NOT_TRIED),
        wrong("catalogManaged catalogOwned-preview", _DUCKDB_LABORATORY, "1.4.4..1.5.2",
            "delta_scan shows what is published, without asking the catalog"),
        fails("catalogManaged", _DUCKDB_LABORATORY, "1.5.2.."),
        unknown("catalogOwned-preview", _DUCKDB, "..1.4.4", note=_NOT_TRIED),
        unknown("geospatial geospatial-dev variantShredding", _DUCKDB, "..1.3.2", _NOT_TRIED),
        unknown("variantShredding-preview", _DUCKDB_LABORATORY, "..1.4.4", _NOT_TRIED),
        works("variantShredding-preview", _DUCKDB_LABORATORY, "1.4.4.."),
        fails("*", _DUCKDB),
    ),
    write_gates=(
        Gate(0, _DUCKDB, until="1.4.0", note="INSERT is not implemented"),
        Gate(0, _DUCKDB_1_4, since="1.4.0", until="1.5.0", above=Compatibility.SILENTLY_WRONG,
            note="it writes paths that begin with a slash, so that nobody finds the new files"),
        Gate(7, _DUCKDB, since="1.5.0", above=_UNKNOWN),
    ),
    writes=(
        works("appendOnly invariants changeDataFeed domainMetadata", _DUCKDB, "1.4.0.."),
        works("deletionVectors rowTracking inCommitTimestamp", _DUCKDB, "1.4.0.."),
        unknown("variantType variantType-preview", _DUCKDB, note=_NOT_TRIED),
        unknown("timestampNtz", _DUCKDB, "..1.5.5", _NOT_TRIED),
        works("timestampNtz", _DUCKDB_1_5_5, "1.5.5.."),
        fails("invariants inCommitTimestamp", _DUCKDB, "1.5.0..1.5.5", active=True),
        fails("invariants[expression]", _DUCKDB_1_5_5, "1.5.5..",
            "it supports no invariants but NOT NULL", active=True),
        unknown("schema[char] partitionColumns[text]", _DUCKDB_1_5_5, "..1.5.5", _NOT_TRIED),
        wrong("schema[char]", _DUCKDB_1_5_5, "1.5.5..",
            "values that are too long for CHAR and VARCHAR are written"),
        wrong("partitionColumns[text]", _DUCKDB_1_5_5, "1.5.5..",
            "timestamps and values that paths encode, for example with a space, %, :, = or "
            "letters beyond ASCII, make the table unreadable for everybody"),
        fails("changeDataFeed", _DUCKDB, "1.4.0..1.5.0", active=True),
        unknown("changeDataFeed", _DUCKDB, "1.5.0..1.5.5", _NOT_TRIED),
        fails("v2Checkpoint vacuumProtocolCheck", _DUCKDB, "1.4.0..1.5.0"),
        works("v2Checkpoint", _DUCKDB, "1.5.0.."),
        fails("clustering materializePartitionColumns", _DUCKDB, "1.4.0..1.5.0"),
        unknown("vacuumProtocolCheck clustering materializePartitionColumns", _DUCKDB,
            "1.5.0..1.5.5", _NOT_TRIED),
        works("vacuumProtocolCheck clustering materializePartitionColumns", _DUCKDB, "1.5.5.."),
        fails("columnMapping", _DUCKDB, "1.4.0..1.5.1"),
        unknown("columnMapping", _DUCKDB, "1.5.1..1.5.5", _NOT_TRIED),
        works("columnMapping", _DUCKDB, "1.5.5.."),
        wrong("columnMapping", _DUCKDB, "1.5.5..", "INSERT writes files that read as nulls"),
        unknown("variantShredding-preview", _DUCKDB, note=_NOT_TRIED),
        fails("*", _DUCKDB, "1.4.0.."),
    ),
)

_CLICKHOUSE: Final = Source("tried with chdb 4.4.0 (ClickHouse 26.9.2)", "2026-11-21")
_CLICKHOUSE_TABLES: Final = Source("tried with chdb 4.4.0 (ClickHouse 26.9.2)", "2026-11-25")

CLICKHOUSE: Final = Client(
    id="clickhouse", name="ClickHouse (deltaLake table function)",
    versioned_by="releases of ClickHouse", oldest="26.9", newest="26.9",
    read_gates=(Gate(3, _CLICKHOUSE),),
    reads=(
        works("deletionVectors", _CLICKHOUSE,
            note="with allow_delta_kernel_rs=0 deleted rows are returned"),
        works("columnMapping timestampNtz vacuumProtocolCheck", _CLICKHOUSE),
        wrong("columnMapping[id]", _CLICKHOUSE, note=_BY_NAME),
        works("typeWidening typeWidening-preview", _CLICKHOUSE),
        works("v2Checkpoint", _CLICKHOUSE,
            note="with allow_delta_kernel_rs=0 the table may look empty"),
        works("variantType variantType-preview", _CLICKHOUSE_TABLES),
        fails("variantType variantType-preview", _CLICKHOUSE, active=True),
        unknown("variantShredding-preview", _CLICKHOUSE_TABLES, note=_NOT_TRIED_IN_USE),
        fails("schema[timestamp_ntz]", _CLICKHOUSE_TABLES,
            note="timestamp_ntz requires the feature timestampNtz"),
        fails("*", _CLICKHOUSE),
    ),
)

_STARROCKS: Final = Source(
    "StarRocks/starrocks fe/fe-core/src/main/java/com/starrocks/connector/delta/DeltaUtils.java "
    "@039e00c", "2026-11-21")

STARROCKS: Final = Client(
    id="starrocks", name="StarRocks", versioned_by="days", oldest="2026-11-21", newest="2026-11-21",
    read_gates=(Gate(3, _STARROCKS, above=_UNKNOWN),),
    reads=(works("columnMapping", _STARROCKS),),
)

_DORIS: Final = Source(
    "apache/doris-website versioned_docs/version-3.0/lakehouse/catalogs/delta-lake-catalog.md "
    "@84fc56d: by the connector of Trino 435", "2026-11-27")
_TRINO_PARTITIONED: Final = Source("trinodb/trino#21737, after Trino 435", "2024-04-29")

DORIS: Final = Client(
    id="doris", name="Apache Doris (by a connector of Trino)",
    versioned_by="releases of Doris", oldest="3.0.1", newest="3.0.1",
    read_gates=(Gate(3, _DORIS, above=_UNKNOWN),),
    reads=(
        works("columnMapping", _DORIS),
        unknown("columnMapping[id]", _TRINO_414, note="only names are mentioned"),
        unknown("deletionVectors", _TRINO_PARTITIONED,
            note="later releases of the connector no longer lose rows of partitioned tables"),
    ),
    write_gates=(Gate(0, _DORIS, note="it writes no Delta table"),),
)

_FELDERA: Final = Source(
    "feldera/feldera docs.feldera.com/docs/connectors/sources/delta.md @0dd6850", "2026-11-27")
_FELDERA_SINK: Final = Source("docs.feldera.com, Delta Lake output connector", "2026-11-27")

FELDERA: Final = Client(
    id="feldera", name="Feldera (Delta Lake connectors)", versioned_by="days",
    oldest="2026-11-27", newest="2026-11-27",
    read_gates=(Gate(3, _FELDERA, above=_UNKNOWN),),
    reads=(
        works("columnMapping deletionVectors timestampNtz", _FELDERA),
        works("variantType variantType-preview", _FELDERA),
        unknown("columnMapping[map]", _FELDERA,
            note="structs in arrays and maps are read by position, which renaming may break"),
        unknown("variantShredding variantShredding-preview", _FELDERA,
            note=_SAYS_NO),
    ),
    write_gates=(Gate(2, _FELDERA_SINK, above=_UNKNOWN),),
)

_HEATWAVE: Final = Source(
    "dev.mysql.com, HeatWave User Guide, Limitations for Delta Lake Tables", "2026-11-27")

HEATWAVE: Final = Client(
    id="heatwave", name="MySQL HeatWave Lakehouse", versioned_by="days", oldest="2026-11-27",
    newest="2026-11-27",
    read_gates=(Gate(1, _HEATWAVE, above=_UNKNOWN),),
    reads=(
        unknown("columnMapping deletionVectors variantType", _HEATWAVE,
            note=_SAYS_NO),
    ),
    write_gates=(Gate(0, _HEATWAVE, note="it only loads tables, without partition columns"),),
)

_SAIL: Final = Source("tried with pysail 0.7.2", "2026-11-27")
_BY_PATH: Final = "by its path; not tried with a catalog"
_SAIL_FOR_READERS: Final = (
    works("timestampNtz columnMapping deletionVectors v2Checkpoint typeWidening", _SAIL),
    works("typeWidening-preview vacuumProtocolCheck", _SAIL),
    unknown("variantType variantType-preview variantShredding-preview", _SAIL,
        note=_NOT_TRIED_IN_USE),
    unknown("variantShredding", _SAIL, note="refused without variantType; not tried with it"),
    fails("schema[timestamp_ntz]", _SAIL, note="timestamp_ntz requires the feature timestampNtz"),
    fails("catalogManaged", _SAIL, note=_BY_PATH),
)

SAIL: Final = Client(
    id="sail", name="Sail (LakeSail)", versioned_by="releases of the Python package pysail",
    oldest="0.7.2", newest="0.7.2",
    read_gates=(Gate(3, _SAIL),),
    reads=(*_SAIL_FOR_READERS, fails("*", _SAIL)),
    write_gates=(Gate(7, _SAIL),),
    writes=(
        *_SAIL_FOR_READERS,
        works("appendOnly inCommitTimestamp checkConstraints generatedColumns invariants", _SAIL,
            note="not tried with rows that a constraint forbids"),
        unknown("invariants[expression]", _SAIL, note=_NOT_TRIED),
        unknown("allowColumnDefaults identityColumns", _SAIL, note=_NOT_TRIED_IN_USE),
        fails("*", _SAIL, listed=True),
    ),
)

ENGINES: Final = (
    CLICKHOUSE, DORIS, DUCKDB, FELDERA, HEATWAVE, HIVE, PRESTO, SAIL, STARROCKS, TRINO,
)


# Libraries of programs without Spark


_KERNEL_RS: Final = Source(
    "delta-io/delta-kernel-rs kernel/src/table_features/mod.rs, in the crates 0.20.0, 0.22.1, "
    "0.24.0, 0.26.0, 0.28.0 and 0.30.1", "2026-11-21")

_KERNEL_RS_ELSEWHERE: Final = Source(
    "tried with deltalake 1.6.6 and DuckDB 1.5.5, which read by the kernel", "2026-11-24")
_WITHOUT_FEATURE: Final = "timestamp_ntz requires the feature timestampNtz"

DELTA_KERNEL_RS: Final = Client(
    id="delta-kernel-rs", name="Delta Kernel for Rust",
    versioned_by="releases of the crate delta_kernel", oldest="0.20.0", newest="0.30.1",
    read_gates=(Gate(3, _KERNEL_RS),),
    reads=(
        works("columnMapping deletionVectors timestampNtz timestampWithoutTimezone", _KERNEL_RS),
        works("typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck", _KERNEL_RS),
        works("variantType variantType-preview variantShredding-preview", _KERNEL_RS),
        works("variantShredding", _KERNEL_RS, "0.24.0.."),
        works("catalogManaged catalogOwned-preview", _KERNEL_RS, "0.22.1.."),
        fails("schema[timestamp_ntz]", _KERNEL_RS_ELSEWHERE, "0.21.0..", _WITHOUT_FEATURE),
        fails("*", _KERNEL_RS),
    ),
    write_gates=(Gate(7, _KERNEL_RS),),
    writes=(
        works("appendOnly invariants changeDataFeed columnMapping deletionVectors", _KERNEL_RS),
        fails("invariants", _KERNEL_RS, note="only tables without invariants", active=True),
        works("timestampNtz timestampWithoutTimezone v2Checkpoint", _KERNEL_RS),
        works("vacuumProtocolCheck variantType variantType-preview", _KERNEL_RS),
        works("variantShredding-preview inCommitTimestamp rowTracking domainMetadata", _KERNEL_RS),
        works("materializePartitionColumns", _KERNEL_RS),
        works("clustering catalogManaged catalogOwned-preview", _KERNEL_RS, "0.22.1.."),
        works("variantShredding icebergCompatV3", _KERNEL_RS, "0.24.0.."),
        works("typeWidening typeWidening-preview", _KERNEL_RS, "0.28.0.."),
        works("allowColumnDefaults", _KERNEL_RS, "0.28.0.."),
        works("icebergCompatV2", _KERNEL_RS, "0.30.1.."),
        fails("*", _KERNEL_RS),
    ),
)

_KERNEL_JAVA: Final = Source(
    "recorded from Delta Kernel for Java 4.4.0 (TableFeatures.TABLE_FEATURES)", "2026-11-21")
_KERNEL_JAVA_FOR_READERS: Final = (
    works("catalogManaged v2Checkpoint columnMapping deletionVectors timestampNtz", _KERNEL_JAVA),
    works("typeWidening typeWidening-preview vacuumProtocolCheck geospatial", _KERNEL_JAVA),
    works("variantType variantType-preview", _KERNEL_JAVA),
    works("variantShredding variantShredding-preview", _KERNEL_JAVA),
    fails("*", _KERNEL_JAVA),
)
_ONLY_WITHOUT: Final = "only tables that do not use it"

DELTA_KERNEL_JAVA: Final = Client(
    id="delta-kernel-java", name="Delta Kernel for Java", versioned_by="releases of Delta Lake",
    oldest="4.4.0", newest="4.4.0",
    read_gates=(Gate(3, _KERNEL_JAVA),),
    reads=_KERNEL_JAVA_FOR_READERS,
    write_gates=(Gate(7, _KERNEL_JAVA),),
    writes=(
        *_KERNEL_JAVA_FOR_READERS,
        works("allowColumnDefaults appendOnly checkpointProtection changeDataFeed", _KERNEL_JAVA),
        works("clustering domainMetadata icebergCompatV2 icebergCompatV3", _KERNEL_JAVA),
        works("inCommitTimestamp materializePartitionColumns rowTracking", _KERNEL_JAVA),
        works("icebergWriterCompatV1 icebergWriterCompatV3", _KERNEL_JAVA),
        works("collations collations-preview", _KERNEL_JAVA),
        works("invariants checkConstraints generatedColumns identityColumns", _KERNEL_JAVA),
        fails("invariants checkConstraints generatedColumns identityColumns", _KERNEL_JAVA,
            note=_ONLY_WITHOUT, active=True),
    ),
)

_DELTA_RS: Final = Source(
    "tried with deltalake 0.22.3, 0.23.2, 0.24.0, 0.25.1, 0.25.5, 1.0.0, 1.0.2, 1.1.0, 1.3.0, "
    "1.4.0, 1.5.0, 1.6.0, 1.6.1, 1.6.2, 1.6.3 and 1.6.6", "2026-11-21")
_DELTA_RS_CHECKER: Final = Source(
    "delta-io/delta-rs crates/core/src/kernel/transaction/protocol.rs @00cd0c9", "2026-11-21")
_DELTA_RS_WRITES: Final = Source(
    "tried with deltalake 1.6.6: append, overwrite, delete, update, merge and optimize",
    "2026-11-21")
_TOO_LONG: Final = "values that are too long for CHAR and VARCHAR are written"
_DELTA_RS_1_6_6: Final = Source("tried with deltalake 1.6.6", "2026-11-24")
_DELTA_RS_LABORATORY: Final = Source("tried with deltalake 1.4.0 and 1.6.6", "2026-11-25")
_BY_QUERY: Final = "with QueryBuilder; to_pyarrow_table cannot read it"

DELTA_RS: Final = Client(
    id="delta-rs", name="delta-rs (deltalake)",
    versioned_by="releases of the Python package deltalake", oldest="0.22.3", newest="1.6.6",
    read_gates=(
        Gate(3, _DELTA_RS, until="1.3.0", above=Compatibility.SILENTLY_WRONG,
            note="QueryBuilder ignores the reader version"),
        Gate(3, _DELTA_RS, since="1.3.0"),
    ),
    reads=(
        works("timestampNtz", _DELTA_RS),
        fails("schema[timestamp_ntz]", _DELTA_RS_LABORATORY, "1.4.0..", _WITHOUT_FEATURE),
        fails("columnMapping", _DELTA_RS, "..1.4.0"),
        works("columnMapping", _DELTA_RS, "1.4.0..", _BY_QUERY),
        wrong("columnMapping[id]", _DELTA_RS, "1.4.0..", _BY_NAME),
        wrong("columnMapping[reader=2]", _DELTA_RS, "1.6.6..",
            "to_pyarrow_table and to_pandas give nulls if the reader version is 2"),
        wrong("deletionVectors", _DELTA_RS, "..1.0.0", "QueryBuilder returns deleted rows"),
        fails("deletionVectors", _DELTA_RS, "1.0.0..1.4.0"),
        works("deletionVectors", _DELTA_RS, "1.4.0..", _BY_QUERY),
        unknown("typeWidening typeWidening-preview", _DELTA_RS, "..1.0.0",
            "QueryBuilder ignores the feature"),
        works("vacuumProtocolCheck", _DELTA_RS, "..1.0.0", _BY_QUERY),
        fails("typeWidening typeWidening-preview vacuumProtocolCheck", _DELTA_RS, "1.0.0..1.4.0"),
        works("typeWidening typeWidening-preview vacuumProtocolCheck", _DELTA_RS, "1.4.0..1.6.0",
            _BY_QUERY),
        fails("typeWidening typeWidening-preview vacuumProtocolCheck", _DELTA_RS, "1.6.0.."),
        fails("variantType variantType-preview", _DELTA_RS, "..1.4.0"),
        works("variantType variantType-preview", _DELTA_RS, "1.4.0..", "as bytes"),
        fails("variantShredding", _DELTA_RS, "1.0.0.."),
        fails("variantShredding-preview", _DELTA_RS, "1.0.0..1.4.0"),
        unknown("variantShredding-preview", _DELTA_RS, "1.4.0..1.6.0", "not tried"),
        fails("variantShredding-preview", _DELTA_RS, "1.6.0.."),
        fails("v2Checkpoint", _DELTA_RS, "..1.4.0"),
        works("v2Checkpoint", _DELTA_RS, "1.4.0..1.6.0", _BY_QUERY),
        fails("v2Checkpoint", _DELTA_RS, "1.6.0..1.6.3"),
        works("v2Checkpoint", _DELTA_RS, "1.6.3..", _BY_QUERY),
        wrong("*", _DELTA_RS, "..1.0.0", "QueryBuilder ignores reader features"),
        fails("*", _DELTA_RS, "1.0.0.."),
    ),
    write_gates=(Gate(7, _DELTA_RS_CHECKER, above=_UNKNOWN),),
    writes=(
        works("appendOnly invariants checkConstraints changeDataFeed", _DELTA_RS),
        works("generatedColumns timestampNtz", _DELTA_RS),
        unknown("schema[char]", _DELTA_RS_1_6_6, "..1.6.6", _NOT_TRIED),
        wrong("schema[char]", _DELTA_RS_1_6_6, "1.6.6..", _TOO_LONG),
        fails("invariants[unreadable]", _DELTA_RS_WRITES, "1.6.6..",
            "it cannot parse the invariant of a column"),
        fails("identityColumns domainMetadata rowTracking", _DELTA_RS),
        fails("icebergCompatV1 icebergCompatV2", _DELTA_RS, "..1.6.6"),
        fails("icebergCompatV1 icebergCompatV2", _DELTA_RS_WRITES, "1.6.6..",
            "Unsupported table features required"),
        fails("typeWidening typeWidening-preview vacuumProtocolCheck", _DELTA_RS),
        fails("columnMapping", _DELTA_RS, "..1.6.1"),
        works("columnMapping", _DELTA_RS, "1.6.1..1.6.6"),
        works("columnMapping", _DELTA_RS_WRITES, "1.6.6..", "optimize fails"),
        wrong("columnMapping[id]", _DELTA_RS_WRITES, "1.6.1..",
            "update and merge match file columns by name; others become nulls"),
        fails("deletionVectors", _DELTA_RS, "..1.4.0"),
        works("deletionVectors", _DELTA_RS, "1.4.0.."),
        fails("v2Checkpoint", _DELTA_RS, "..1.6.3"),
        works("v2Checkpoint", _DELTA_RS, "1.6.3.."),
        works("variantType variantType-preview", _DELTA_RS, "1.6.0.."),
        fails("*", _DELTA_RS, "..0.24.0"),
        wrong("*", _DELTA_RS, "0.24.0..1.0.0", "writes as if the feature were not there",
            active=False),
        fails("*", _DELTA_RS, "1.0.0.."),
    ),
)

_POLARS: Final = Source("tried with polars 2.1.0 and deltalake 1.6.6", "2026-11-24")
_POLARS_PATHS: Final = Source("tried with polars 2.1.0 and deltalake 1.6.6", "2026-11-25")

POLARS: Final = Client(
    id="polars", name="polars (scan_delta, write_delta)",
    versioned_by="releases of the Python package polars", oldest="2.1.0", newest="2.1.0",
    read_gates=(Gate(3, _POLARS),),
    reads=(
        works("deletionVectors timestampNtz variantType variantType-preview", _POLARS),
        fails("schema[timestamp_ntz]", _POLARS, note=_WITHOUT_FEATURE),
        fails("variantType variantType-preview", _POLARS,
            note="files that Spark 4.2 writes have a type that it does not know", active=True),
        wrong("partitionColumns[random]", _POLARS_PATHS,
            note="values of partition columns are taken from paths: others than PARTITION=VALUE/ "
            "give nulls"),
        fails("*", _POLARS),
    ),
    write_gates=(Gate(7, _POLARS, above=_UNKNOWN),),
    writes=(
        works("appendOnly invariants checkConstraints changeDataFeed", _POLARS),
        works("generatedColumns deletionVectors timestampNtz v2Checkpoint", _POLARS),
        works("variantType variantType-preview columnMapping", _POLARS),
        wrong("columnMapping[id]", _POLARS,
            note="merge matches file columns by name; others become nulls"),
        wrong("schema[char]", _POLARS, note=_TOO_LONG),
        fails("*", _POLARS),
    ),
)

_DAFT: Final = Source("tried with daft 0.7.26 and deltalake 1.6.6", "2026-11-24")
_DAFT_VECTORS: Final = Source("tried with daft 0.7.26 and deltalake 1.6.6", "2026-11-25")

DAFT: Final = Client(
    id="daft", name="Daft", versioned_by="releases of the Python package daft", oldest="0.7.26",
    newest="0.7.26",
    read_gates=(Gate(3, _DAFT),),
    reads=(
        works("columnMapping timestampNtz v2Checkpoint vacuumProtocolCheck", _DAFT),
        fails("columnMapping[map]", _DAFT, note="it reports the files as corrupt", active=True),
        fails("schema[timestamp_ntz]", _DAFT, note=_WITHOUT_FEATURE),
        works("typeWidening typeWidening-preview", _DAFT),
        works("variantType variantType-preview", _DAFT, note="as bytes"),
        unknown("variantShredding variantShredding-preview", _DAFT, note=_NOT_TRIED_IN_USE),
        works("deletionVectors", _DAFT_VECTORS),
        fails("deletionVectors[on]", _DAFT_VECTORS, note="it cannot apply them"),
        wrong("deletionVectors[off]", _DAFT_VECTORS,
            note="it goes by delta.enableDeletionVectors alone: while that is off, deleted rows "
            "are returned"),
        fails("*", _DAFT),
    ),
)

FLINK: Final = Client(
    id="flink", name="Delta connector for Apache Flink (on Delta Standalone)",
    versioned_by="releases of Delta Lake", oldest="3.0.0", newest="3.0.0",
    read_gates=(Gate(1, _STANDALONE),),
    reads=(),
    write_gates=(Gate(2, _STANDALONE),),
    writes=(works("appendOnly invariants", _STANDALONE),),
)

_SHARING_SERVER: Final = Source(
    "delta-io/delta-sharing v1.4.1 server, on Delta Kernel for Java 3.2.0 (TableFeatures.java)",
    "2026-07-22")
_SHARED: Final = "recipients whose program does not ask for it are refused"

DELTA_SHARING_SERVER: Final = Client(
    id="delta-sharing-server", name="Delta Sharing reference server",
    versioned_by="releases of Delta Sharing", oldest="1.4.1", newest="1.4.1",
    read_gates=(Gate(3, _SHARING_SERVER),),
    reads=(
        works("columnMapping deletionVectors", _SHARING_SERVER, note=_SHARED),
        works("timestampNtz vacuumProtocolCheck v2Checkpoint", _SHARING_SERVER),
        fails("*", _SHARING_SERVER),
    ),
    write_gates=(Gate(0, _SHARING_SERVER, note="it only reads"),),
)

_SHARING_READER: Final = Source(
    "tried with the kernel of delta-sharing 1.4.2, without a server", "2026-11-27")

DELTA_SHARING: Final = Client(
    id="delta-sharing", name="Delta Sharing recipient (Python connector)",
    versioned_by="releases of the Python package delta-sharing", oldest="1.4.2", newest="1.4.2",
    read_gates=(Gate(3, _SHARING_READER),),
    reads=(
        works("columnMapping deletionVectors timestampNtz typeWidening", _SHARING_READER),
        works("typeWidening-preview v2Checkpoint vacuumProtocolCheck", _SHARING_READER),
        unknown("variantType variantType-preview variantShredding-preview", _SHARING_READER,
            note=_NOT_TRIED_IN_USE),
        fails("schema[timestamp_ntz]", _SHARING_READER, note=_WITHOUT_FEATURE),
        fails("*", _SHARING_READER),
    ),
    write_gates=(Gate(0, _SHARING_READER, note="recipients only read"),),
)

_XTABLE: Final = Source(
    "apache/incubator-xtable website/docs/features-and-limitations.md @54b58df", "2026-08-08")
_XTABLE_DELTA: Final = Source(
    "apache/incubator-xtable pom.xml @54b58df: Delta Lake 2.4.0 (versioning.mdx)", "2026-08-08")

XTABLE: Final = Client(
    id="xtable", name="Apache XTable (Delta as the source)", versioned_by="days",
    oldest="2026-08-08", newest="2026-08-08",
    read_gates=(Gate(3, _XTABLE_DELTA),),
    reads=(
        works("columnMapping timestampNtz", _XTABLE_DELTA),
        unknown("deletionVectors", _XTABLE,
            note="they are not carried over, so that tables made of it may have the deleted rows"),
        fails("*", _XTABLE_DELTA),
    ),
)

LIBRARIES: Final = (
    DAFT, DELTA_KERNEL_JAVA, DELTA_KERNEL_RS, DELTA_RS, DELTA_SHARING, DELTA_SHARING_SERVER, FLINK,
    POLARS, XTABLE,
)


# Hosted services


_ATHENA: Final = Source(
    "Amazon Athena User Guide, Query Linux Foundation Delta Lake tables", "2026-11-21")

_ATHENA_VECTORS: Final = Source(
    "Amazon Athena User Guide, Query Linux Foundation Delta Lake tables, in the editions of AWS "
    "and of its regions in China", "2026-11-27")

ATHENA: Final = Client(
    id="athena", name="Amazon Athena (engine version 3)", versioned_by="days", oldest="2026-11-21",
    newest="2026-11-27",
    read_gates=(Gate(3, _ATHENA, above=_UNKNOWN),),
    reads=(
        works("columnMapping timestampNtz", _ATHENA),
        unknown("deletionVectors", _ATHENA_VECTORS,
            note="sources disagree: AWS says that it reads them, the edition for China names other "
            "features alone; deltaadm assumes neither before you have tried"),
    ),
    write_gates=(Gate(0, _ATHENA, note="read only"),),
)

_BIGQUERY: Final = Source("docs.delta.io, Google BigQuery connector", "2026-11-21")

BIGQUERY: Final = Client(
    id="bigquery", name="Google BigQuery (BigLake tables)", versioned_by="days",
    oldest="2026-11-21", newest="2026-11-21",
    read_gates=(Gate(3, _BIGQUERY, above=_UNKNOWN),),
    reads=(works("columnMapping deletionVectors", _BIGQUERY),),
)

_FABRIC: Final = Source(
    "MicrosoftDocs/fabric-docs docs/fundamentals/delta-lake-interoperability.md @01a0bb3",
    "2026-11-21")
_FABRIC_MATRIX: Final = Source(
    "learn.microsoft.com, Delta Lake table format interoperability (Fabric)", "2026-11-27")
_FABRIC_TYPES: Final = Source(
    "MicrosoftDocs/fabric-docs docs/data-warehouse/data-types.md @021aec2: autogenerated types",
    "2025-11-06")
_LEFT_OUT: Final = "columns of this type are left out of the table"
_FABRIC_READS: Final = (
    works("columnMapping deletionVectors", _FABRIC),
    unknown("columnMapping[id]", _FABRIC_MATRIX,
        note=_SAYS_NO),
)

FABRIC_SQL: Final = Client(
    id="fabric-sql", name="Microsoft Fabric SQL analytics endpoint", versioned_by="days",
    oldest="2026-11-21", newest="2026-11-27",
    read_gates=(Gate(3, _FABRIC, above=_UNKNOWN),),
    reads=(
        *_FABRIC_READS,
        unknown("timestampNtz", _FABRIC_MATRIX, note="not supported; not tried without a column"),
        wrong("timestampNtz variantType variantType-preview", _FABRIC_TYPES, note=_LEFT_OUT),
        wrong("schema[timestamp_ntz]", _FABRIC_TYPES, note=_LEFT_OUT),
    ),
    write_gates=(Gate(0, _FABRIC, note="read-only"),),
)

POWER_BI: Final = Client(
    id="power-bi", name="Power BI (Direct Lake semantic models)", versioned_by="days",
    oldest="2026-11-21", newest="2026-11-21",
    read_gates=(Gate(3, _FABRIC, above=_UNKNOWN),),
    reads=(
        *_FABRIC_READS,
        unknown("timestampNtz", _FABRIC, note=_SAYS_NO),
    ),
    write_gates=(Gate(0, _FABRIC, note="read-only"),),
)

_ORACLE: Final = Source(
    "docs.oracle.com, Data Share Limitations on Autonomous AI Database", "2026-11-27")

ORACLE: Final = Client(
    id="oracle-adb", name="Oracle Autonomous AI Database (by Delta Sharing)", versioned_by="days",
    oldest="2026-11-27", newest="2026-11-27",
    read_gates=(Gate(1, _ORACLE, above=_UNKNOWN),),
    reads=(fails("deletionVectors", _ORACLE, note="recipients cannot query such a table"),),
    write_gates=(Gate(0, _ORACLE, note="recipients only read"),),
)

_REDSHIFT: Final = Source("docs.delta.io, AWS Redshift Spectrum connector", "2026-11-21")
_MANIFEST_VECTORS: Final = Source(
    "docs.databricks.com, DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED error condition",
    "2026-11-21")
_MANIFEST_MAPPING: Final = Source(
    "delta-io/delta DeltaErrors.scala, DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING",
    "2026-11-21")
_NO_MANIFEST: Final = "it reads a manifest, which Delta cannot write for such a table"

REDSHIFT: Final = Client(
    id="redshift-spectrum", name="Amazon Redshift Spectrum (through a manifest)",
    versioned_by="days", oldest="2026-11-21", newest="2026-11-21",
    read_gates=(Gate(1, _REDSHIFT, above=_UNKNOWN),),
    reads=(
        unknown("columnMapping", _MANIFEST_MAPPING, note="not documented for tables without it"),
        fails("columnMapping", _MANIFEST_MAPPING, note=_NO_MANIFEST, active=True),
        fails("deletionVectors", _MANIFEST_VECTORS, note=_NO_MANIFEST, active=True),
    ),
)

_SNOWFLAKE: Final = Source(
    "docs.snowflake.com, Mar 02, 2026: Query Delta-based Apache Iceberg tables with deletion "
    "vectors", "2026-03-02")

SNOWFLAKE: Final = Client(
    id="snowflake", name="Snowflake (Iceberg tables from Delta files)", versioned_by="days",
    oldest="2026-01-01", newest="2026-03-02",
    read_gates=(
        Gate(2, _SNOWFLAKE, until="2026-03-02"),
        Gate(3, _SNOWFLAKE, since="2026-03-02", above=_UNKNOWN),
    ),
    reads=(works("deletionVectors", _SNOWFLAKE, "2026-03-02.."),),
)

_SYNAPSE: Final = Source(
    "learn.microsoft.com, Query Delta Lake (v1) files using serverless SQL pool: Delta Lake 1.0",
    "2026-11-27")
_SYNAPSE_NULLS: Final = Source(
    "learn.microsoft.com, Troubleshoot serverless SQL pool: The value of a column in the Delta "
    "table is NULL", "2026-11-27")
_SYNAPSE_VECTORS: Final = Source(
    "www.sqltechnet.com, From Synapse Serverless to Microsoft Fabric (Msg 19726)", "2026-06-18")

SYNAPSE: Final = Client(
    id="synapse-serverless", name="Azure Synapse serverless SQL pool", versioned_by="days",
    oldest="2021-04-27", newest="2026-11-27",
    read_gates=(Gate(1, _SYNAPSE, above=_UNKNOWN, note="it reads tables as of Delta Lake 1.0"),),
    reads=(
        fails("deletionVectors", _SYNAPSE_VECTORS,
            note="Feature 'Deletion Vectors' is not supported"),
        unknown("columnMapping", _SYNAPSE_NULLS,
            note="not supported; columns that were renamed may be shown as null"),
        unknown("v2Checkpoint", _SYNAPSE, note="not supported; the source does not say more"),
    ),
    write_gates=(Gate(0, _SYNAPSE, note="OPENROWSET cannot update a table"),),
)

SERVICES: Final = (ATHENA, BIGQUERY, FABRIC_SQL, ORACLE, POWER_BI, REDSHIFT, SNOWFLAKE, SYNAPSE)


# Delta Spark, and the runtimes built around it


_VERSIONING: Final = Source(
    "delta-io/delta docs/src/content/docs/versioning.mdx @0b65d46", "2026-11-21")
_VACUUM_CHECK: Final = Source("delta-io/delta#2730", "2024-03-07")
_WIDENING_PREVIEW: Final = Source("docs.delta.io 3.3.1, Delta type widening", "2026-11-21")
_RELEASE_4: Final = Source("delta-io/delta release v4.0.0-preview-rc1", "2026-11-21")
_DEFAULTS: Final = Source("docs.delta.io 3.3.0, Delta default column values", "2026-11-21")
_NOT_SAID: Final = "the first release that has it is not known"

_FOR_READERS: Final = (
    works("columnMapping", _VERSIONING),
    works("deletionVectors", _VERSIONING, "2.3.0.."),
    works("timestampNtz", _VERSIONING, "2.4.0.."),
    works("v2Checkpoint", _VERSIONING, "3.0.0.."),
    works("vacuumProtocolCheck", _VACUUM_CHECK, "3.2.0.."),
    works("typeWidening-preview", _WIDENING_PREVIEW, "3.2.0.."),
    works("typeWidening variantType", _RELEASE_4, "4.0.0.."),
    unknown(
        "catalogManaged geospatial geospatial-dev adaptiveMetadata-preview variantType-preview "
        "variantShredding variantShredding-preview", RECORDED, "4.0.0..4.4.0", _NOT_SAID),
    fails("*", _VERSIONING),
)
_FOR_WRITERS: Final = (
    works("appendOnly invariants checkConstraints generatedColumns", _VERSIONING),
    works("changeDataFeed", _VERSIONING),
    works("domainMetadata icebergCompatV1", _VERSIONING, "3.0.0.."),
    works("clustering icebergCompatV2", _VERSIONING, "3.1.0.."),
    works("rowTracking", _VERSIONING, "3.2.0.."),
    works("identityColumns inCommitTimestamp", _VERSIONING, "3.3.0.."),
    works("allowColumnDefaults", _DEFAULTS, "3.1.0.."),
    unknown(
        "checkpointProtection coordinatedCommits-preview icebergCompatV3 "
        "materializePartitionColumns", RECORDED, "3.0.0..4.4.0", _NOT_SAID),
)

DELTA_SPARK: Final = Client(
    id="delta-spark", name="Delta Lake on Apache Spark", versioned_by="releases of Delta Lake",
    oldest="2.0.0", newest="4.4.0",
    read_gates=(Gate(2, _VERSIONING, until="2.3.0"), Gate(3, _VERSIONING, since="2.3.0")),
    reads=_FOR_READERS,
    write_gates=(Gate(6, _VERSIONING, until="2.3.0"), Gate(7, _VERSIONING, since="2.3.0")),
    writes=(*_FOR_READERS, *_FOR_WRITERS),
    reference_since="4.4.0",
)

_RUNTIMES: Final = Source(
    "Azure Databricks documentation, How does Azure Databricks manage Delta Lake feature "
    "compatibility?", "2026-11-21")
_RUNTIME_WIDENING: Final = Source("docs.databricks.com, Type widening", "2026-11-21")
_RUNTIME_PREVIEW: Final = Source(
    "Azure Databricks documentation, Type widening (Public Preview)", "2026-11-21")
_RUNTIME_VARIANT: Final = Source(
    "Azure Databricks documentation, Variant support in Delta Lake", "2026-11-21")
_LOGS: Final = "logs in trinodb/trino plugin/trino-delta-lake/src/test/resources/"
_RUNTIME_13_LOGS: Final = Source(
    f"{_LOGS}databricks133: v2_checkpoint_json, uniform_iceberg_v1 (engineInfo Databricks-Runtime/"
    f"13.3.x)", "2026-11-21")
_RUNTIME_14_LOGS: Final = Source(
    f"{_LOGS}databricks143: uniform_iceberg_v2 (engineInfo Databricks-Runtime/14.3.x)",
    "2026-11-21")
_RUNTIME_15_LOGS: Final = Source(
    f"{_LOGS}databricks154: clone_checkpoint_version_zero (engineInfo Databricks-Runtime/15.4.x)",
    "2026-11-21")
_RUNTIME_DEFAULTS: Final = Source(
    "databricks/databricks-sql-python#324, databricks/dbt-databricks#758: tables with defaults on "
    "Databricks", "2024-08-07")

_RUNTIME_CATALOG: Final = Source(
    "docs.databricks.com, Catalog-managed commits", "2026-11-27")
_BY_CATALOG: Final = "by the name in Unity Catalog; with 18.0 on existing tables, too"

_FOR_RUNTIME_READERS: Final = (
    works("catalogManaged", _RUNTIME_CATALOG, "16.4..", _BY_CATALOG),
    works("vacuumProtocolCheck", _RUNTIME_CATALOG, "16.4..", "with catalogManaged"),
    works("columnMapping", _RUNTIMES),
    works("v2Checkpoint", _RUNTIME_13_LOGS, "13.3..15.4"),
    works("v2Checkpoint", _RUNTIME_15_LOGS, "15.4.."),
    works("deletionVectors", _RUNTIMES, "12.2.."),
    works("timestampNtz", _RUNTIMES, "13.3.."),
    works("typeWidening-preview", _RUNTIME_PREVIEW, "15.2.."),
    works("typeWidening", _RUNTIME_WIDENING, "15.4.."),
    works("variantType-preview", _RUNTIME_VARIANT, "15.3.."),
)

DATABRICKS: Final = Client(
    id="databricks", name="Databricks Runtime", versioned_by="releases of Databricks Runtime",
    oldest="10.4", newest="18.0",
    read_gates=(Gate(2, _RUNTIMES, until="12.2"), Gate(3, _RUNTIMES, since="12.2")),
    reads=_FOR_RUNTIME_READERS,
    write_gates=(Gate(6, _RUNTIMES, until="12.2"), Gate(7, _RUNTIMES, since="12.2")),
    writes=(
        *_FOR_RUNTIME_READERS,
        works("appendOnly invariants checkConstraints changeDataFeed", _RUNTIMES),
        works("generatedColumns identityColumns", _RUNTIMES),
        works("clustering domainMetadata", _RUNTIMES, "13.3.."),
        works("icebergCompatV1", _RUNTIME_13_LOGS, "13.3.."),
        works("icebergCompatV2", _RUNTIME_14_LOGS, "14.3.."),
        works("inCommitTimestamp", _RUNTIME_CATALOG, "16.4..", "with catalogManaged"),
        works("allowColumnDefaults", _RUNTIME_DEFAULTS, "15.4..",
            "the runtime version is not named"),
    ),
)
_FABRIC_SPARK_FOR_READERS: Final = (
    works("columnMapping", _FABRIC),
    unknown("columnMapping[id]", _FABRIC, "..1.3", "only the name mode is mentioned"),
    unknown("deletionVectors timestampNtz", _FABRIC, "..1.2", _SAYS_NO),
    works("deletionVectors timestampNtz", _FABRIC, "1.2.."),
)

FABRIC_SPARK: Final = Client(
    id="fabric-spark", name="Microsoft Fabric Spark Runtime",
    versioned_by="releases of the runtime", oldest="1.1", newest="1.3",
    read_gates=(
        Gate(2, _FABRIC, until="1.2", above=_UNKNOWN),
        Gate(3, _FABRIC, since="1.2", above=_UNKNOWN),
    ),
    reads=_FABRIC_SPARK_FOR_READERS,
    write_gates=(
        Gate(5, _FABRIC, until="1.2", above=_UNKNOWN),
        Gate(7, _FABRIC, since="1.2", above=_UNKNOWN),
    ),
    writes=(*_FABRIC_SPARK_FOR_READERS, works("clustering domainMetadata", _FABRIC, "1.3..")),
)

SPARKS: Final = (DATABRICKS, DELTA_SPARK, FABRIC_SPARK)


# All of them


# fmt: on
CLIENTS: Final[Mapping[str, Client]] = {
    client.id: client
    for client in sorted((*SPARKS, *LIBRARIES, *ENGINES, *SERVICES), key=lambda one: one.id)
}
"""Every client by its id, in alphabetical order."""


@cache
def newest_releases() -> tuple[ClientRelease, ...]:
    """The newest known release of every client."""
    return tuple(ClientRelease(client, client.newest) for client in CLIENTS.values())


ALIASES: Final[Mapping[str, str]] = {
    "adb": "oracle-adb", "deltalake": "delta-rs", "duckdb": "duckdb-delta", "emr": "delta-spark",
    "fabric": "fabric-sql", "kernel": "delta-kernel-java", "lakesail": "sail",
    "mysql": "heatwave", "oracle": "oracle-adb", "powerbi": "power-bi", "prestodb": "presto",
    "pysail": "sail", "redshift": "redshift-spectrum", "sharing": "delta-sharing",
    "spark": "delta-spark", "spectrum": "redshift-spectrum", "sqlpool": "synapse-serverless",
    "synapse": "synapse-serverless",
}  # fmt: skip
"""Other names by which people know a client."""


def parse_client(text: str) -> ClientRelease:
    """
    The release that *text* names: `trino@480`, or `trino` for the newest one known.

    Raises `RefusedError` for an unknown client and for what is not a release of it.
    """
    name, separator, version = text.strip().partition("@")
    known = name.strip().lower()
    client = CLIENTS.get(ALIASES.get(known, known))
    if client is None:
        raise UnknownNameError(
            f"There is no client named {name!r}.",
            remedy=did_you_mean(name, (*CLIENTS, *ALIASES))
            or f"Known clients are {', '.join(CLIENTS)}.",
        )
    if not separator:
        return ClientRelease(client, client.newest)
    version = version.strip()
    try:
        version_key(version)
    except ValueError:
        raise RefusedError(
            f"{version!r} is not a version of {client.name}.",
            remedy=f"Write it as in {client.id}@{client.newest} ({client.versioned_by}).",
        ) from None
    return ClientRelease(client, version)
