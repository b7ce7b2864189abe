"""Libraries that programs without Spark read and write Delta tables with."""

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

_KERNEL_RS: Final = Source(
    "delta-io/delta-kernel-rs kernel/src/table_features/mod.rs, in the crates 0.20.0, 0.22.1, "
    "0.24.0, 0.26.0, 0.28.0 and 0.30.1",
    "2026-11-21",
)

_KERNEL_RS_ELSEWHERE: Final = Source(
    "tried with deltalake 1.6.6 and DuckDB 1.5.5, which read by the kernel", "2026-11-24"
)
_WITHOUT_FEATURE: Final = "timestamp_ntz takes the feature timestampNtz"

DELTA_KERNEL_RS: Final = Client(
    id="delta-kernel-rs",
    name="Delta Kernel for Rust",
    versioned_by="releases of the crate delta_kernel",
    oldest="0.20.0",
    newest="0.30.1",
    read_gates=(Gate(3, _KERNEL_RS),),
    reads=(
        works("columnMapping deletionVectors timestampNtz timestampWithoutTimezone", _KERNEL_RS),
        works("typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck", _KERNEL_RS),
        works("variantType variantType-preview variantShredding-preview", _KERNEL_RS),
        works("variantShredding", _KERNEL_RS, since="0.24.0"),
        works("catalogManaged catalogOwned-preview", _KERNEL_RS, since="0.22.1"),
        fails("schema[timestamp_ntz]", _KERNEL_RS_ELSEWHERE, since="0.21.0", note=_WITHOUT_FEATURE),
        fails("*", _KERNEL_RS),
    ),
    write_gates=(Gate(7, _KERNEL_RS),),
    writes=(
        works("appendOnly invariants changeDataFeed columnMapping deletionVectors", _KERNEL_RS),
        fails("invariants", _KERNEL_RS, active=True, note="only tables without invariants"),
        works("timestampNtz timestampWithoutTimezone v2Checkpoint", _KERNEL_RS),
        works("vacuumProtocolCheck variantType variantType-preview", _KERNEL_RS),
        works("variantShredding-preview inCommitTimestamp rowTracking domainMetadata", _KERNEL_RS),
        works("materializePartitionColumns", _KERNEL_RS),
        works("clustering catalogManaged catalogOwned-preview", _KERNEL_RS, since="0.22.1"),
        works("variantShredding icebergCompatV3", _KERNEL_RS, since="0.24.0"),
        works("typeWidening typeWidening-preview", _KERNEL_RS, since="0.28.0"),
        works("allowColumnDefaults", _KERNEL_RS, since="0.28.0"),
        works("icebergCompatV2", _KERNEL_RS, since="0.30.1"),
        fails("*", _KERNEL_RS),
    ),
)

_KERNEL_JAVA: Final = Source(
    "recorded from Delta Kernel for Java 4.4.0 (TableFeatures.TABLE_FEATURES)", "2026-11-21"
)
_KERNEL_JAVA_FOR_READERS: Final = (
    works("catalogManaged v2Checkpoint columnMapping deletionVectors timestampNtz", _KERNEL_JAVA),
    works("typeWidening typeWidening-preview vacuumProtocolCheck geospatial", _KERNEL_JAVA),
    works("variantType variantType-preview", _KERNEL_JAVA),
    works("variantShredding variantShredding-preview", _KERNEL_JAVA),
    fails("*", _KERNEL_JAVA),
)
_ONLY_WITHOUT: Final = "only tables that do not use it"

DELTA_KERNEL_JAVA: Final = Client(
    id="delta-kernel-java",
    name="Delta Kernel for Java",
    versioned_by="releases of Delta Lake",
    oldest="4.4.0",
    newest="4.4.0",
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
        fails(
            "invariants checkConstraints generatedColumns identityColumns",
            _KERNEL_JAVA,
            active=True,
            note=_ONLY_WITHOUT,
        ),
    ),
)

_DELTA_RS: Final = Source(
    "tried with deltalake 0.22.3, 0.23.2, 0.24.0, 0.25.1, 0.25.5, 1.0.0, 1.0.2, 1.1.0, 1.3.0, "
    "1.4.0, 1.5.0, 1.6.0, 1.6.1, 1.6.2, 1.6.3 and 1.6.6",
    "2026-11-21",
)
_DELTA_RS_CHECKER: Final = Source(
    "delta-io/delta-rs crates/core/src/kernel/transaction/protocol.rs @00cd0c9", "2026-11-21"
)
_DELTA_RS_WRITES: Final = Source(
    "tried with deltalake 1.6.6: append, overwrite, delete, update, merge and optimize",
    "2026-11-21",
)
_TOO_LONG: Final = "values that are too long for CHAR and VARCHAR are written"
_NOT_TRIED: Final = "not tried"
_DELTA_RS_1_6_6: Final = Source("tried with deltalake 1.6.6", "2026-11-24")
_BY_QUERY: Final = "with QueryBuilder; to_pyarrow_table cannot read it"
_BY_NAME: Final = "columns are matched by name; files with other column names give nulls"

DELTA_RS: Final = Client(
    id="delta-rs",
    name="delta-rs (deltalake)",
    versioned_by="releases of the Python package deltalake",
    oldest="0.22.3",
    newest="1.6.6",
    read_gates=(
        Gate(
            3,
            _DELTA_RS,
            until="1.3.0",
            above=Compatibility.SILENTLY_WRONG,
            note="QueryBuilder ignores the reader version",
        ),
        Gate(3, _DELTA_RS, since="1.3.0"),
    ),
    reads=(
        works("timestampNtz", _DELTA_RS),
        fails("schema[timestamp_ntz]", _DELTA_RS_1_6_6, since="1.6.6", note=_WITHOUT_FEATURE),
        fails("columnMapping", _DELTA_RS, until="1.4.0"),
        works("columnMapping", _DELTA_RS, since="1.4.0", note=_BY_QUERY),
        wrong("columnMapping[id]", _DELTA_RS, since="1.4.0", note=_BY_NAME),
        wrong(
            "columnMapping[reader=2]",
            _DELTA_RS,
            since="1.6.6",
            note="to_pyarrow_table and to_pandas give nulls where the reader version is 2",
        ),
        wrong(
            "deletionVectors",
            _DELTA_RS,
            until="1.0.0",
            note="QueryBuilder returns deleted rows",
        ),
        fails("deletionVectors", _DELTA_RS, since="1.0.0", until="1.4.0"),
        works("deletionVectors", _DELTA_RS, since="1.4.0", note=_BY_QUERY),
        unknown(
            "typeWidening typeWidening-preview",
            _DELTA_RS,
            until="1.0.0",
            note="QueryBuilder ignores the feature",
        ),
        works("vacuumProtocolCheck", _DELTA_RS, until="1.0.0", note=_BY_QUERY),
        fails(
            "typeWidening typeWidening-preview vacuumProtocolCheck",
            _DELTA_RS,
            since="1.0.0",
            until="1.4.0",
        ),
        works(
            "typeWidening typeWidening-preview vacuumProtocolCheck",
            _DELTA_RS,
            since="1.4.0",
            until="1.6.0",
            note=_BY_QUERY,
        ),
        fails("typeWidening typeWidening-preview vacuumProtocolCheck", _DELTA_RS, since="1.6.0"),
        fails("variantType variantType-preview", _DELTA_RS, until="1.4.0"),
        works("variantType variantType-preview", _DELTA_RS, since="1.4.0", note="as bytes"),
        fails("variantShredding", _DELTA_RS, since="1.0.0"),
        fails("variantShredding-preview", _DELTA_RS, since="1.0.0", until="1.4.0"),
        unknown(
            "variantShredding-preview", _DELTA_RS, since="1.4.0", until="1.6.0", note="not tried"
        ),
        fails("variantShredding-preview", _DELTA_RS, since="1.6.0"),
        fails("v2Checkpoint", _DELTA_RS, until="1.4.0"),
        works("v2Checkpoint", _DELTA_RS, since="1.4.0", until="1.6.0", note=_BY_QUERY),
        fails("v2Checkpoint", _DELTA_RS, since="1.6.0", until="1.6.3"),
        works("v2Checkpoint", _DELTA_RS, since="1.6.3", note=_BY_QUERY),
        wrong("*", _DELTA_RS, until="1.0.0", note="QueryBuilder ignores reader features"),
        fails("*", _DELTA_RS, since="1.0.0"),
    ),
    write_gates=(Gate(7, _DELTA_RS_CHECKER, above=Compatibility.UNKNOWN),),
    writes=(
        works("appendOnly invariants checkConstraints changeDataFeed", _DELTA_RS),
        works("generatedColumns timestampNtz", _DELTA_RS),
        unknown("schema[char]", _DELTA_RS_1_6_6, until="1.6.6", note=_NOT_TRIED),
        wrong("schema[char]", _DELTA_RS_1_6_6, since="1.6.6", note=_TOO_LONG),
        fails(
            "invariants[unreadable]",
            _DELTA_RS_WRITES,
            since="1.6.6",
            note="it cannot parse the invariant of a column",
        ),
        fails("identityColumns domainMetadata rowTracking", _DELTA_RS),
        fails("icebergCompatV1 icebergCompatV2", _DELTA_RS, until="1.6.6"),
        fails(
            "icebergCompatV1 icebergCompatV2",
            _DELTA_RS_WRITES,
            since="1.6.6",
            note="Unsupported table features required",
        ),
        fails("typeWidening typeWidening-preview vacuumProtocolCheck", _DELTA_RS),
        fails("columnMapping", _DELTA_RS, until="1.6.1"),
        works("columnMapping", _DELTA_RS, since="1.6.1", until="1.6.6"),
        works("columnMapping", _DELTA_RS_WRITES, since="1.6.6", note="optimize fails"),
        wrong(
            "columnMapping[id]",
            _DELTA_RS_WRITES,
            since="1.6.1",
            note="update and merge match file columns by name; others become nulls",
        ),
        fails("deletionVectors", _DELTA_RS, until="1.4.0"),
        works("deletionVectors", _DELTA_RS, since="1.4.0"),
        fails("v2Checkpoint", _DELTA_RS, until="1.6.3"),
        works("v2Checkpoint", _DELTA_RS, since="1.6.3"),
        works("variantType variantType-preview", _DELTA_RS, since="1.6.0"),
        fails("*", _DELTA_RS, until="0.24.0"),
        wrong(
            "*",
            _DELTA_RS,
            since="0.24.0",
            until="1.0.0",
            active=False,
            note="writes as if the feature were not there",
        ),
        fails("*", _DELTA_RS, since="1.0.0"),
    ),
)

_POLARS: Final = Source("tried with polars 2.1.0 and deltalake 1.6.6", "2026-11-24")

POLARS: Final = Client(
    id="polars",
    name="polars (scan_delta, write_delta)",
    versioned_by="releases of the Python package polars",
    oldest="2.1.0",
    newest="2.1.0",
    read_gates=(Gate(3, _POLARS),),
    reads=(
        works("deletionVectors timestampNtz variantType variantType-preview", _POLARS),
        fails("schema[timestamp_ntz]", _POLARS, note=_WITHOUT_FEATURE),
        fails(
            "variantType variantType-preview",
            _POLARS,
            active=True,
            note="files that Spark 4.2 writes have a type that it does not know",
        ),
        fails("*", _POLARS),
    ),
    write_gates=(Gate(7, _POLARS, above=Compatibility.UNKNOWN),),
    writes=(
        works("appendOnly invariants checkConstraints changeDataFeed", _POLARS),
        works("generatedColumns deletionVectors timestampNtz v2Checkpoint", _POLARS),
        works("variantType variantType-preview columnMapping", _POLARS),
        wrong(
            "columnMapping[id]",
            _POLARS,
            note="merge matches file columns by name; others become nulls",
        ),
        wrong("schema[char]", _POLARS, note=_TOO_LONG),
        fails("*", _POLARS),
    ),
)

_DAFT: Final = Source("tried with daft 0.7.26 and deltalake 1.6.6", "2026-11-24")

DAFT: Final = Client(
    id="daft",
    name="Daft",
    versioned_by="releases of the Python package daft",
    oldest="0.7.26",
    newest="0.7.26",
    read_gates=(Gate(3, _DAFT),),
    reads=(
        works("columnMapping timestampNtz v2Checkpoint vacuumProtocolCheck", _DAFT),
        fails("columnMapping[map]", _DAFT, active=True, note="it takes the files to be corrupt"),
        fails("schema[timestamp_ntz]", _DAFT, note=_WITHOUT_FEATURE),
        works("typeWidening typeWidening-preview", _DAFT),
        works("variantType variantType-preview", _DAFT, note="as bytes"),
        unknown("variantShredding variantShredding-preview", _DAFT, note="not tried"),
        fails("*", _DAFT),
    ),
)

_STANDALONE: Final = Source(
    "delta-io/delta connectors/standalone/src/main/scala/io/delta/standalone/internal/"
    "DeltaLogImpl.scala @0550b39, actions/actions.scala @72eaaf0",
    "2026-11-21",
)

FLINK: Final = Client(
    id="flink",
    name="Delta connector for Apache Flink (on Delta Standalone)",
    versioned_by="releases of Delta Lake",
    oldest="3.0.0",
    newest="3.0.0",
    read_gates=(Gate(1, _STANDALONE),),
    reads=(),
    write_gates=(Gate(2, _STANDALONE),),
    writes=(works("appendOnly invariants", _STANDALONE),),
)

LIBRARIES: Final = (DAFT, DELTA_KERNEL_JAVA, DELTA_KERNEL_RS, DELTA_RS, FLINK, POLARS)
