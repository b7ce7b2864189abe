"""Query engines that users run themselves."""

from __future__ import annotations

from deltaadm.clients.facts import (
    Client,
    Compatibility,
    Gate,
    Source,
    fails,
    unknown,
    works,
    wrong,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_TRINO_FEATURES: Final = Source(
    "trinodb/trino plugin/trino-delta-lake/src/main/java/io/trino/plugin/deltalake/"
    "transactionlog/DeltaLakeTableFeatures.java @4695f88",
    "2026-11-21",
)
_TRINO_METADATA: Final = Source(
    "trinodb/trino plugin/trino-delta-lake/src/main/java/io/trino/plugin/deltalake/"
    "DeltaLakeMetadata.java",
    "2026-11-21",
)
_HIDDEN: Final = "the table is not found"

_TRINO_414: Final = Source("Trino release notes, Release 414", "2023-04-19")
_TRINO_427: Final = Source("Trino release notes, Release 427", "2023-09-26")
_TRINO_449: Final = Source("Trino release notes, Release 449", "2024-05-31")
_TRINO_454: Final = Source("Trino release notes, Release 454", "2024-08-15")
_TRINO_471: Final = Source("Trino release notes, Release 471", "2025-02-19")

TRINO: Final = Client(
    id="trino",
    name="Trino",
    versioned_by="releases of Trino",
    oldest="413",
    newest="480",
    read_gates=(
        Gate(3, _TRINO_427, until="480", above=Compatibility.UNKNOWN),
        Gate(3, _TRINO_METADATA, since="480", note=_HIDDEN),
    ),
    reads=(
        works("columnMapping", _TRINO_414, since="414", until="480"),
        unknown("columnMapping[id]", _TRINO_414, until="480", note="only names are mentioned"),
        works("columnMapping", _TRINO_FEATURES, since="480"),
        wrong(
            "deletionVectors",
            _TRINO_414,
            until="414",
            active=False,
            note="deleted rows are returned",
        ),
        fails("deletionVectors", _TRINO_414, since="414", until="427"),
        works("deletionVectors", _TRINO_427, since="427"),
        works("vacuumProtocolCheck", _TRINO_449, since="449"),
        works("variantType variantType-preview", _TRINO_471, since="471"),
        works("timestampNtz v2Checkpoint", _TRINO_FEATURES, since="480"),
        works("typeWidening typeWidening-preview", _TRINO_FEATURES, since="480"),
        fails("*", _TRINO_METADATA, since="480", note=_HIDDEN),
    ),
    write_gates=(
        Gate(6, _TRINO_427, until="427", above=Compatibility.UNKNOWN),
        Gate(7, _TRINO_427, since="427", until="480", above=Compatibility.UNKNOWN),
        Gate(7, _TRINO_METADATA, since="480"),
    ),
    writes=(
        works("columnMapping", _TRINO_414, since="414"),
        fails("deletionVectors", _TRINO_414, since="414", until="427"),
        works("deletionVectors", _TRINO_454, since="454"),
        works("vacuumProtocolCheck", _TRINO_449, since="449"),
        works("appendOnly invariants checkConstraints", _TRINO_FEATURES, since="480"),
        works("changeDataFeed timestampNtz", _TRINO_FEATURES, since="480"),
        works("generatedColumns", _TRINO_METADATA, since="480"),
        fails("generatedColumns", _TRINO_METADATA, since="480", active=True),
        unknown("identityColumns", _TRINO_METADATA, since="480", note="not checked by version"),
        fails("generatedColumns identityColumns", _TRINO_FEATURES, since="480", listed=True),
        fails("*", _TRINO_FEATURES, since="480"),
    ),
)

_PRESTO: Final = Source(
    "prestodb/presto presto-docs/src/main/sphinx/connector/deltalake.rst @0127d90", "2026-11-21"
)
_STANDALONE: Final = Source(
    "delta-io/delta connectors/standalone/src/main/scala/io/delta/standalone/internal/"
    "DeltaLogImpl.scala @0550b39, actions/actions.scala @72eaaf0",
    "2026-11-21",
)

PRESTO: Final = Client(
    id="presto",
    name="Presto (on Delta Standalone)",
    versioned_by="days",
    oldest="2026-11-21",
    newest="2026-11-21",
    read_gates=(Gate(1, _STANDALONE),),
    reads=(),
    write_gates=(Gate(0, _PRESTO, above=Compatibility.UNKNOWN, note="only reading is mentioned"),),
)

HIVE: Final = Client(
    id="hive",
    name="Delta connector for Apache Hive (on Delta Standalone)",
    versioned_by="releases of Delta Lake",
    oldest="3.0.0",
    newest="3.0.0",
    read_gates=(Gate(1, _STANDALONE),),
    reads=(),
)

_DUCKDB: Final = Source(
    "tried with DuckDB 1.2.1, 1.3.0, 1.3.2, 1.4.0, 1.4.4, 1.5.0 and 1.5.5 and their delta "
    "extensions",
    "2026-11-21",
)
_DUCKDB_1_5_5: Final = Source("tried with DuckDB 1.5.5 and its delta extension", "2026-11-24")
_NOT_TRIED: Final = "not tried"
_BY_NAME: Final = "columns are matched by name; files with other column names give nulls"

DUCKDB: Final = Client(
    id="duckdb-delta",
    name="DuckDB with its delta extension",
    versioned_by="releases of DuckDB",
    oldest="1.2.1",
    newest="1.5.5",
    read_gates=(Gate(3, _DUCKDB),),
    reads=(
        works("deletionVectors timestampNtz vacuumProtocolCheck", _DUCKDB),
        works("typeWidening typeWidening-preview", _DUCKDB),
        works("columnMapping", _DUCKDB, since="1.3.0"),
        unknown("columnMapping", _DUCKDB, until="1.3.0", note="not tried where it is not used"),
        wrong("columnMapping", _DUCKDB, until="1.3.0", note="mapped columns give nulls"),
        unknown("columnMapping[partitioned]", _DUCKDB_1_5_5, until="1.5.5", note=_NOT_TRIED),
        wrong(
            "columnMapping[partitioned]",
            _DUCKDB_1_5_5,
            since="1.5.5",
            note="partition columns are read as null",
        ),
        fails(
            "schema[timestamp_ntz]",
            _DUCKDB_1_5_5,
            since="1.5.5",
            note="timestamp_ntz takes the feature timestampNtz",
        ),
        fails("columnMapping[id]", _DUCKDB, until="1.4.1"),
        unknown("columnMapping[id]", _DUCKDB, since="1.4.1", until="1.4.4", note=_NOT_TRIED),
        wrong("columnMapping[id]", _DUCKDB, since="1.4.4", note=_BY_NAME),
        fails("v2Checkpoint", _DUCKDB, until="1.3.2"),
        works("v2Checkpoint", _DUCKDB, since="1.3.2"),
        fails("variantType variantType-preview", _DUCKDB, until="1.4.0"),
        works("variantType variantType-preview", _DUCKDB, since="1.4.0"),
        fails("catalogManaged", _DUCKDB, until="1.4.1"),
        unknown("catalogManaged", _DUCKDB, since="1.4.1", until="1.4.4", note=_NOT_TRIED),
        wrong(
            "catalogManaged",
            _DUCKDB,
            since="1.4.4",
            until="1.5.1",
            note="delta_scan shows what is published, without asking the catalog",
        ),
        unknown("catalogManaged", _DUCKDB, since="1.5.1", until="1.5.5", note=_NOT_TRIED),
        fails("catalogManaged", _DUCKDB, since="1.5.5"),
        unknown("catalogOwned-preview geospatial geospatial-dev", _DUCKDB, note=_NOT_TRIED),
        unknown("variantShredding variantShredding-preview", _DUCKDB, note=_NOT_TRIED),
        fails("*", _DUCKDB),
    ),
    write_gates=(
        Gate(0, _DUCKDB, until="1.4.0", note="INSERT is not implemented"),
        Gate(7, _DUCKDB, since="1.4.0", above=Compatibility.UNKNOWN),
    ),
    writes=(
        works("appendOnly invariants changeDataFeed domainMetadata", _DUCKDB, since="1.4.0"),
        works("deletionVectors rowTracking inCommitTimestamp", _DUCKDB, since="1.4.0"),
        unknown("variantType variantType-preview", _DUCKDB, note=_NOT_TRIED),
        unknown("timestampNtz", _DUCKDB, until="1.5.5", note=_NOT_TRIED),
        works("timestampNtz", _DUCKDB_1_5_5, since="1.5.5"),
        fails("invariants inCommitTimestamp", _DUCKDB, since="1.4.0", until="1.5.5", active=True),
        fails(
            "invariants[expression]",
            _DUCKDB_1_5_5,
            since="1.5.5",
            active=True,
            note="of invariants it supports NOT NULL alone",
        ),
        unknown(
            "schema[char] partitionColumns[text]", _DUCKDB_1_5_5, until="1.5.5", note=_NOT_TRIED
        ),
        wrong(
            "schema[char]",
            _DUCKDB_1_5_5,
            since="1.5.5",
            note="values that are too long for CHAR and VARCHAR are written",
        ),
        wrong(
            "partitionColumns[text]",
            _DUCKDB_1_5_5,
            since="1.5.5",
            note="timestamps and values that paths encode, such as those with a space, %, :, = or "
            "letters beyond ASCII, make the table unreadable for everybody",
        ),
        fails("changeDataFeed", _DUCKDB, since="1.4.0", until="1.5.0", active=True),
        unknown("changeDataFeed", _DUCKDB, since="1.5.0", until="1.5.5", note=_NOT_TRIED),
        fails("v2Checkpoint vacuumProtocolCheck", _DUCKDB, since="1.4.0", until="1.5.0"),
        works("v2Checkpoint", _DUCKDB, since="1.5.0"),
        fails("clustering materializePartitionColumns", _DUCKDB, since="1.4.0", until="1.5.0"),
        unknown(
            "vacuumProtocolCheck clustering materializePartitionColumns",
            _DUCKDB,
            since="1.5.0",
            until="1.5.5",
            note=_NOT_TRIED,
        ),
        works("vacuumProtocolCheck clustering materializePartitionColumns", _DUCKDB, since="1.5.5"),
        fails("columnMapping", _DUCKDB, since="1.4.0", until="1.5.1"),
        unknown("columnMapping", _DUCKDB, since="1.5.1", until="1.5.5", note=_NOT_TRIED),
        works("columnMapping", _DUCKDB, since="1.5.5"),
        wrong(
            "columnMapping",
            _DUCKDB,
            since="1.5.5",
            note="INSERT writes files that read as nulls",
        ),
        unknown(
            "variantShredding-preview",
            _DUCKDB,
            note=_NOT_TRIED,
        ),
        fails("*", _DUCKDB, since="1.4.0"),
    ),
)

_CLICKHOUSE: Final = Source("tried with chdb 4.4.0 (ClickHouse 26.9.2)", "2026-11-21")

CLICKHOUSE: Final = Client(
    id="clickhouse",
    name="ClickHouse (deltaLake table function)",
    versioned_by="releases of ClickHouse",
    oldest="26.9",
    newest="26.9",
    read_gates=(Gate(3, _CLICKHOUSE),),
    reads=(
        works(
            "deletionVectors",
            _CLICKHOUSE,
            note="with allow_delta_kernel_rs=0 deleted rows are returned",
        ),
        works("columnMapping timestampNtz vacuumProtocolCheck", _CLICKHOUSE),
        wrong("columnMapping[id]", _CLICKHOUSE, note=_BY_NAME),
        works("typeWidening typeWidening-preview", _CLICKHOUSE),
        works(
            "v2Checkpoint",
            _CLICKHOUSE,
            note="with allow_delta_kernel_rs=0 the table may look empty",
        ),
        unknown("variantType variantType-preview", _CLICKHOUSE, note="not tried where unused"),
        fails("variantType variantType-preview", _CLICKHOUSE, active=True),
        unknown("variantShredding variantShredding-preview", _CLICKHOUSE, note=_NOT_TRIED),
        fails("*", _CLICKHOUSE),
    ),
)

_STARROCKS: Final = Source(
    "StarRocks/starrocks fe/fe-core/src/main/java/com/starrocks/connector/delta/DeltaUtils.java "
    "@039e00c",
    "2026-11-21",
)

STARROCKS: Final = Client(
    id="starrocks",
    name="StarRocks",
    versioned_by="days",
    oldest="2026-11-21",
    newest="2026-11-21",
    read_gates=(Gate(3, _STARROCKS, above=Compatibility.UNKNOWN),),
    reads=(works("columnMapping", _STARROCKS),),
)

ENGINES: Final = (CLICKHOUSE, DUCKDB, HIVE, PRESTO, STARROCKS, TRINO)
