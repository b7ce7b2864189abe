"""What Spark 4.2 with Delta 4.4 has answered to statements with two faults, and to odd ones."""

from dataclasses import replace
from typing import Any

from deltaadm.domain.schema import PrimitiveType
from deltaadm.domain.sql.ddl import Position, parse_column_list, parse_definitions
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    ColumnChange,
    CreateTable,
    CreationMode,
    DropColumns,
    RenameColumn,
    SetProperties,
    Step,
    UnsetProperties,
)
from deltaadm.plans.alter import read_schema

Row = tuple[str, tuple[Step, ...], str | None]


def create(
    columns: str, cluster_by: str = "", partition_by: str = "", **properties: str
) -> CreateTable:
    """CREATE TABLE; in the names of *properties* two underscores stand for a dot."""
    given: dict[str, Any] = {f"delta.{k.replace('__', '.')}": v for k, v in properties.items()}
    return CreateTable(
        mode=CreationMode.CREATE,
        schema=read_schema(columns),
        cluster_by=tuple(parse_column_list(cluster_by)) if cluster_by else (),
        partition_by=(partition_by,) if partition_by else (),
        properties=given,
    )


def _replace(columns: str, partition_by: str, **properties: str) -> Step:
    return replace(create(columns, "", partition_by, **properties), mode=CreationMode.REPLACE)


def _set(**properties: str) -> Step:
    return SetProperties({f"delta.{k.replace('__', '.')}": v for k, v in properties.items()})


def _add(columns: str) -> Step:
    return AddColumns(parse_definitions(columns))


def _default(column: str, text: str) -> Step:
    return ChangeColumns((ColumnChange((column,), default=text),))


def _drop(*columns: str, if_exists: bool = False) -> Step:
    return DropColumns(tuple(tuple(column.split(".")) for column in columns), if_exists=if_exists)


def _change(*columns: str, **last: Any) -> Step:
    """Comments on *columns*, but for the last one, which is changed as the arguments say."""
    paths = [tuple(column.split(".")) for column in columns]
    comments = [ColumnChange(path, comment="x") for path in paths]
    return ChangeColumns(
        tuple([*comments[:-1], ColumnChange(paths[-1], **last)] if last else comments)
    )


def _again(columns: str, partition_by: str = "", cluster_by: str = "", **properties: str) -> Step:
    """CREATE OR REPLACE TABLE."""
    step = create(columns, cluster_by, partition_by, **properties)
    return replace(step, mode=CreationMode.CREATE_OR_REPLACE)


_MAPPED = {"columnMapping__mode": "name"}
_HUDI = {"universalFormat__enabledFormats": "hudi"}
_DEFAULTS = {"feature__allowColumnDefaults": "supported"}
_V3 = {**_MAPPED, **_DEFAULTS, "enableIcebergCompatV3": "true"}
_NO_HUDI = "DELTA_UNIVERSAL_FORMAT_VIOLATION"
_NO_TYPE = "DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_DATA_TYPE"
_NO_NAMES = "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"
_NO_BOUNDS = "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED"
_NO_GENERATION = "UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"
_UNRESOLVED = "UNRESOLVED_COLUMN.WITH_SUGGESTION"
_NO_DEFAULT = "INVALID_DEFAULT_VALUE.DATA_TYPE"
_NO_PARTITIONS = "DELTA_ICEBERG_COMPAT_VIOLATION.REPLACE_TABLE_CHANGE_PARTITION_NAMES"
_OTHER_TYPE = "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"
_UNORDERED = "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"
_ARGUMENT = "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
_BOTH = "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION"
_TRACKED = {"enableRowTracking": "true"}
_SUSPENDED = {"rowTrackingSuspended": "true"}
_TWICE = "NOT_SUPPORTED_CHANGE_SAME_COLUMN"
_GONE = "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"
_NO_IDENTITY = "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE"
_NESTED_CLUSTER = "UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED"
_IDENTITY = "i INT GENERATED ALWAYS AS IDENTITY"
_OF_STRUCTS = create(
    "a INT, b STRING, s STRUCT<x: INT, y: INT>, l ARRAY<STRUCT<x: INT>>", **_MAPPED
)
_PLAIN = "a INT, b STRING, ts TIMESTAMP, s STRUCT<x: INT>"

_VALUES = create(
    "i INT, s STRING, d DATE, st STRUCT<x: INT>, m MAP<STRING, INT>, ar ARRAY<SMALLINT>, "
    "ast ARRAY<STRUCT<x: INT>>, sm STRUCT<m: MAP<INT, INT>>, am ARRAY<MAP<INT, INT>>, v VARIANT, "
    "av ARRAY<VARIANT>"
)

ROWS: tuple[Row, ...] = (
    # Universal Format (Hudi)
    ("hudi, byte", (create("a TINYINT", **_HUDI),), _NO_HUDI),
    ("hudi, short in an array", (create("a ARRAY<SMALLINT>", **_HUDI),), _NO_HUDI),
    ("hudi, time without zone", (create("a TIMESTAMP_NTZ", **_HUDI),), _NO_HUDI),
    ("hudi, vectors", (create("a INT", **_HUDI, enableDeletionVectors="true"),), _NO_HUDI),
    ("hudi on a table with vectors", (create("a INT", enableDeletionVectors="true"), _set(**_HUDI)),
        _NO_HUDI),
    # Iceberg compatibility V3
    ("V3, literal default", (create("a INT DEFAULT 7", **_V3),), None),
    ("V3, text as default", (create("a STRING DEFAULT 'x'", **_V3),), None),
    ("V3, null as default", (create("a INT DEFAULT NULL", **_V3),), _NO_TYPE),
    ("V3, cast as default", (create("a INT DEFAULT cast('7' as int)", **_V3),), _NO_TYPE),
    ("V3, operation as default", (create("a INT DEFAULT 1 + 1", **_V3),), _NO_TYPE),
    ("V3, date as default", (create("a DATE DEFAULT DATE '2020-01-01'", **_V3),), _NO_TYPE),
    ("V3, text for a date", (create("a DATE DEFAULT '2020-01-01'", **_V3),), None),
    ("V3, number for a string", (create("a STRING DEFAULT 7", **_V3),), _NO_TYPE),
    ("V3, bytes", (create("a BINARY DEFAULT X'1F'", **_V3),), None),
    ("V3, long", (create("a BIGINT DEFAULT 7L", **_V3),), None),
    ("V3 on a default", (create("a INT DEFAULT NULL", **_MAPPED, **_DEFAULTS),
        _set(enableIcebergCompatV3="true")), _NO_TYPE),
    ("V3, literal default set", (create("a INT", **_V3), _default("a", "7")), None),
    # Constraints whose values do not fit together
    ("CHECK m = m", (_VALUES, AddConstraint("c", "m = m")), _UNORDERED),
    ("CHECK m <=> m", (_VALUES, AddConstraint("c", "m <=> m")), _UNORDERED),
    ("CHECK m = null", (_VALUES, AddConstraint("c", "m = null")), _UNORDERED),
    ("CHECK null = m", (_VALUES, AddConstraint("c", "null = m")), _UNORDERED),
    ("CHECK m IN (m)", (_VALUES, AddConstraint("c", "m IN (m)")), _UNORDERED),
    ("CHECK m BETWEEN m AND m", (_VALUES, AddConstraint("c", "m BETWEEN m AND m")), _UNORDERED),
    ("CHECK v = v", (_VALUES, AddConstraint("c", "v = v")), _UNORDERED),
    ("CHECK av = av", (_VALUES, AddConstraint("c", "av = av")), _UNORDERED),
    ("CHECK sm = sm", (_VALUES, AddConstraint("c", "sm = sm")), _UNORDERED),
    ("CHECK st = st", (_VALUES, AddConstraint("c", "st = st")), None),
    ("CHECK ast = ast", (_VALUES, AddConstraint("c", "ast = ast")), None),
    ("CHECK m IS NULL", (_VALUES, AddConstraint("c", "m IS NULL")), None),
    ("CHECK ar.x > 1", (_VALUES, AddConstraint("c", "ar.x > 1")), _ARGUMENT),
    ("CHECK am.x IS NULL", (_VALUES, AddConstraint("c", "am.x IS NULL")), _ARGUMENT),
    ("CHECK ast.x IS NULL", (_VALUES, AddConstraint("c", "ast.x IS NULL")), None),
    ("CHECK m.x IS NULL", (_VALUES, AddConstraint("c", "m.x IS NULL")), None),
    ("CHECK length(i) < 5", (_VALUES, AddConstraint("c", "length(i) < 5")), None),
    ("CHECK length(null) < 5", (_VALUES, AddConstraint("c", "length(null) < 5")), None),
    ("CHECK abs(s) > 1", (_VALUES, AddConstraint("c", "abs(s) > 1")), None),
    ("CHECK ar LIKE 'a'", (_VALUES, AddConstraint("c", "ar LIKE 'a'")), _ARGUMENT),
    ("CHECK -ar > 1", (_VALUES, AddConstraint("c", "-ar > 1")), _ARGUMENT),
    ("CHECK cast(ar as int) > 1", (_VALUES, AddConstraint("c", "cast(ar as int) > 1")),
        "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"),
    ("CHECK cast(m as string) > 'a'", (_VALUES, AddConstraint("c", "cast(m as string) > 'a'")),
        None),
    ("CHECK i = ar", (_VALUES, AddConstraint("c", "i = ar")),
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"),
    # Types of generated columns
    ("d DATE from substring(s, 1, 2)",
        (create("s STRING, ts TIMESTAMP, d DATE GENERATED ALWAYS AS (substring(s, 1, 2))"),),
        _NO_GENERATION),
    ("d DATE from trim(s)",
        (create("s STRING, ts TIMESTAMP, d DATE GENERATED ALWAYS AS (trim(s))"),), _NO_GENERATION),
    ("d DATE from cast(ts as string)",
        (create("s STRING, ts TIMESTAMP, d DATE GENERATED ALWAYS AS (cast(ts as string))"),),
        _NO_GENERATION),
    ("d INT from cast(s as bigint)",
        (create("s STRING, ts TIMESTAMP, d INT GENERATED ALWAYS AS (cast(s as bigint))"),),
        _NO_GENERATION),
    ("d BIGINT from cast(s as int)",
        (create("s STRING, ts TIMESTAMP, d BIGINT GENERATED ALWAYS AS (cast(s as int))"),),
        _OTHER_TYPE),
    ("d STRING from cast(ts as date)",
        (create("s STRING, ts TIMESTAMP, d STRING GENERATED ALWAYS AS (cast(ts as date))"),),
        _OTHER_TYPE),
    ("d TIMESTAMP from cast(ts as date)",
        (create("s STRING, ts TIMESTAMP, d TIMESTAMP GENERATED ALWAYS AS (cast(ts as date))"),),
        _OTHER_TYPE),
    ("d DATE from cast(ts as date)",
        (create("s STRING, ts TIMESTAMP, d DATE GENERATED ALWAYS AS (cast(ts as date))"),), None),
    ("d STRING from substr(s, 1)",
        (create("s STRING, ts TIMESTAMP, d STRING GENERATED ALWAYS AS (substr(s, 1))"),), None),
    # Iceberg compatibility and partitions
    ("V1, partitioned by nothing", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING",
        "", enableIcebergCompatV1="true", **_MAPPED)), _NO_PARTITIONS),
    ("V1, partitioned by b", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING", "b",
        enableIcebergCompatV1="true", **_MAPPED)), _NO_PARTITIONS),
    ("V1, partitioned by a", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING", "a",
        enableIcebergCompatV1="true", **_MAPPED)), None),
    ("V2, partitioned by nothing", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING",
        "", enableIcebergCompatV2="true", **_MAPPED)), _NO_PARTITIONS),
    ("V2, partitioned by b", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING", "b",
        enableIcebergCompatV2="true", **_MAPPED)), _NO_PARTITIONS),
    ("V2, partitioned by a", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING", "a",
        enableIcebergCompatV2="true", **_MAPPED)), None),
    ("V3, partitioned by nothing", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING",
        "", enableIcebergCompatV3="true", **_MAPPED)), _NO_PARTITIONS),
    ("V3, partitioned by b", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING", "b",
        enableIcebergCompatV3="true", **_MAPPED)), _NO_PARTITIONS),
    ("V3, partitioned by a", (create("a INT, b STRING", "", "a"), _replace("a INT, b STRING", "a",
        enableIcebergCompatV3="true", **_MAPPED)), None),
    # Row tracking, suspended
    ("suspended while on", (create("a INT", **_TRACKED), _set(**_SUSPENDED)), _BOTH),
    ("suspended under V3", (create("a INT", **_V3), _set(**_SUSPENDED)), _BOTH),
    ("both from the beginning", (create("a INT", **_TRACKED, **_SUSPENDED),), None),
    ("both by a replacement", (create("a INT"), _replace("a INT", "", **_TRACKED, **_SUSPENDED)),
        None),
    ("then changed", (create("a INT", **_TRACKED, **_SUSPENDED), _add("b INT")), _BOTH),
    ("then turned off", (create("a INT", **_TRACKED, **_SUSPENDED),
        _set(enableRowTracking="false")), _BOTH),
    ("then resumed", (create("a INT", **_TRACKED, **_SUSPENDED),
        UnsetProperties(("delta.rowTrackingSuspended",))), _BOTH),
    ("then replaced", (create("a INT", **_TRACKED, **_SUSPENDED), _replace("a INT", "", **_TRACKED,
        **_SUSPENDED)), _BOTH),
    # Defaults
    ("default, cast for a date", (create("a DATE", **_DEFAULTS), _default("a", "cast('7' as int)")),
        _NO_DEFAULT),
    ("default, cast for an array", (create("a ARRAY<INT>", **_DEFAULTS),
        _default("a", "cast('7' as int)")), _NO_DEFAULT),
    ("default, cast for a string", (create("a STRING", **_DEFAULTS),
        _default("a", "cast('7' as int)")), None),
    # What comes first
    ("name, then type", (create("`x y` INT, m MAP<INT, INT>", "m"),), _NO_NAMES),
    ("name, then statistics", (create("`x y` INT, a INT", "a", dataSkippingNumIndexedCols="1"),),
        _NO_NAMES),
    ("twice, then name", (create("`x y` INT, a INT", "a, a"),),
        "DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY"),
    ("type, then statistics",
        (create("m MAP<INT, INT>, b INT", "m", dataSkippingNumIndexedCols="0"),), _NO_BOUNDS),
    ("type, then Iceberg", (create("m MAP<INT, INT>, b INT", "m", enableIcebergCompatV1="true"),),
        _NO_BOUNDS),
    ("type, then default", (create("m MAP<INT, INT>, b INT DEFAULT 7", "m"),), _NO_BOUNDS),
    ("statistics, then default",
        (create("a INT, b INT DEFAULT 7", "b", dataSkippingNumIndexedCols="1"),),
        "DELTA_CLUSTERING_COLUMN_MISSING_STATS"),
    ("inside no struct", (create("a INT", "a.b"),), "INVALID_FIELD_NAME"),
    ("inside a map", (create("m MAP<INT, STRUCT<x: INT>>", "m.value.x"),), "INVALID_FIELD_NAME"),
    ("inside no struct, later", (create("a INT, b INT"), ClusterBy((("a", "x"),))),
        "DELTA_COLUMN_PATH_NOT_NESTED"),
    ("inside an array", (create("l ARRAY<STRUCT<x: INT>>"), ClusterBy((("l", "x"),))),
        "DELTA_INCORRECT_ARRAY_ACCESS_BY_NAME"),
    ("inside an array's element", (create("l ARRAY<STRUCT<x: INT>>"),
        ClusterBy((("l", "element", "x"),))), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    ("clustered by varchar", (create("a VARCHAR(3)", "a"),), None),
    ("no column, then partitions", (create("a INT, b INT", "", "a"), ClusterBy((("nosuch",),))),
        "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    ("partitions, then the inside of a map", (create("a INT, m MAP<INT, STRUCT<x: INT>>", "", "a"),
        ClusterBy((("m", "value", "x"),))),
        "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED"),
    ("redirection that is none", (create("a INT"), _set(**{"redirectWriterOnly-preview": "{}"})),
        ""),
    ("partitions, then type", (create("a INT, m MAP<INT, INT>", "", "a"), ClusterBy((("m",),))),
        "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED"),
    ("time as a number",
        (create("a TIMESTAMP"), ChangeColumns((ColumnChange(("a",), type=PrimitiveType("long")),))),
        "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
    ("added name, then feature", (create("a INT"), _add("`x y` TIMESTAMP_NTZ")), _NO_NAMES),
    ("half of since when", (create("a INT"), _set(enableInCommitTimestamps="true"),
        UnsetProperties(("delta.inCommitTimestampEnablementVersion",))), ""),
    ("dependent column, then mapping", (create("a INT, g INT GENERATED ALWAYS AS (a)"),
        RenameColumn(("a",), "b")), "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE"),
    ("type of a default, then its feature", (create("a TIMESTAMP"), _default("a", "'x'")),
        "INVALID_DEFAULT_VALUE.DATA_TYPE"),
    ("unknown feature, then versions", (create("a INT"), _set(feature__nosuch="supported",
        minReaderVersion="3")), "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"),
    # Numbers that fit into a long, and not into an int
    ("too long an interval", (create("a INT"), _set(checkpointInterval="2147483648")),
        "UNSUPPORTED_TABLE_CHANGE"),
    ("too many columns", (create("a INT"), _set(dataSkippingNumIndexedCols="2147483648")),
        "UNSUPPORTED_TABLE_CHANGE"),
    ("too long a prefix", (create("a INT"), _set(randomPrefixLength="2147483648")),
        "UNSUPPORTED_TABLE_CHANGE"),
    ("a long version",
        (create("a INT"), _set(requireCheckpointProtectionBeforeVersion="2147483648")), None),
    # Generated columns
    ("column alone", (create(f"{_PLAIN}, g INT GENERATED ALWAYS AS (A)", checkpointInterval="5"),),
        None),
    ("column of a struct", (create(f"{_PLAIN}, g INT GENERATED ALWAYS AS (s.x)"),), None),
    ("cast", (create(f"{_PLAIN}, g DATE GENERATED ALWAYS AS (CAST(ts AS DATE))"),), None),
    ("wider type", (create(f"{_PLAIN}, g BIGINT GENERATED ALWAYS AS (a)"),),
        "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"),
    ("other type", (create(f"{_PLAIN}, g INT GENERATED ALWAYS AS (b)"),), _NO_GENERATION),
    ("number for a text", (create(f"{_PLAIN}, g STRING GENERATED ALWAYS AS (a + 1)"),),
        "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"),
    ("number for a date", (create(f"{_PLAIN}, g DATE GENERATED ALWAYS AS (a + 1)"),),
        _NO_GENERATION),
    ("text", (create(f"{_PLAIN}, g STRING GENERATED ALWAYS AS (upper(a))"),), None),
    ("literal", (create(f"{_PLAIN}, g INT GENERATED ALWAYS AS (7)"),), None),
    ("itself", (create(f"{_PLAIN}, g INT GENERATED ALWAYS AS (g)"),), _NO_GENERATION),
    ("another generated column",
        (create("a INT, h INT GENERATED ALWAYS AS (a), g INT GENERATED ALWAYS AS (h)"),),
        _NO_GENERATION),
    ("no column, then property", (create(f"{_PLAIN}, g INT GENERATED ALWAYS AS (nosuch)",
        checkpointInterval="-1"),), _UNRESOLVED),
    ("default, then no column", (create("a INT DEFAULT 'x', g INT GENERATED ALWAYS AS (nosuch)"),),
        "INVALID_DEFAULT_VALUE.DATA_TYPE"),
    ("partition, then no column", (create("a INT, g INT GENERATED ALWAYS AS (nosuch)", "", "zz"),),
        "_LEGACY_ERROR_TEMP_3060"),
    # One thing twice
    ("dropped twice", (_OF_STRUCTS, _drop("b", "B")), _GONE),
    ("dropped twice, if it is there", (_OF_STRUCTS, _drop("z", "b", "b", if_exists=True)), _GONE),
    ("a struct, then a field of it", (_OF_STRUCTS, _drop("s", "s.x")), _GONE),
    ("a field, then its struct", (_OF_STRUCTS, _drop("s.x", "s")), None),
    ("a field, then the only one left", (_OF_STRUCTS, _drop("s.x", "s.y")),
        "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA"),
    ("part of an array dropped, if it is there", (_OF_STRUCTS, _drop("l.element", if_exists=True)),
        "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE"),
    ("in no struct, if it is there", (_OF_STRUCTS, _drop("a.x", if_exists=True)),
        "INVALID_FIELD_NAME"),
    ("without mapping, dropped twice", (create("a INT, b INT"), _drop("b", "b")),
        "DELTA_UNSUPPORTED_DROP_COLUMN"),
    ("changed twice", (_OF_STRUCTS, _change("a", "A", nullable=True)), _TWICE),
    ("a struct and a field of it changed", (_OF_STRUCTS, _change("s", "s.x")), _TWICE),
    ("a field and its struct changed", (_OF_STRUCTS, _change("s.x", "s")), _TWICE),
    ("two fields changed", (_OF_STRUCTS, _change("s.x", "s.y")), None),
    ("no column, changed twice", (_OF_STRUCTS, _change("z", "z")), _UNRESOLVED),
    ("changed twice, then type", (_OF_STRUCTS, _change("a", "a", type=PrimitiveType("boolean"))),
        _TWICE),
    ("changed twice, then default", (_OF_STRUCTS, _change("a", "a", "a", default="'x'")),
        _NO_DEFAULT),
    ("changed twice, then no column to stand after",
        (_OF_STRUCTS, _change("a", "a", position=Position("z"))), _UNRESOLVED),
    # The phases of a statement: parser, analyzer, catalog, command, transaction
    ("identity that is no BIGINT", (create(_IDENTITY),), _NO_IDENTITY),
    ("twice, then identity", (create(f"{_IDENTITY}, I INT"),), "COLUMN_ALREADY_EXISTS"),
    ("no such partition, then identity", (create(_IDENTITY, "", "zz"),), "_LEGACY_ERROR_TEMP_3060"),
    ("no such cluster, then identity", (create(_IDENTITY, "zz"),), _NESTED_CLUSTER),
    ("identity, then clusters", (create(f"{_IDENTITY}, b INT", "b, b"),), _NO_IDENTITY),
    ("identity, then names", (create(f"{_IDENTITY}, `x y` INT"),), _NO_IDENTITY),
    ("identity, then property", (create(_IDENTITY, nosuch="1"),), _NO_IDENTITY),
    ("partitioned by identity", (create("i BIGINT GENERATED ALWAYS AS IDENTITY, b INT", "", "i",
        nosuch="1"),), "DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED"),
    ("default, then twice", (create("a INT DEFAULT 'x', A INT"),), _NO_DEFAULT),
    ("default, then partition", (create("a INT DEFAULT 'x'", "", "zz"),), _NO_DEFAULT),
    ("default, then cluster", (create("a INT DEFAULT 'x'", "zz"),), _NO_DEFAULT),
    ("clusters, then property", (create("a INT", "a, a", nosuch="1"),),
        "DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY"),
    ("statistics, then property", (create("a INT", dataSkippingStatsColumns="z", nosuch="1"),),
        _GONE),
    ("all partitions, then property", (create("a INT", "", "a", nosuch="1"),),
        "ALL_PARTITION_COLUMNS_NOT_ALLOWED"),
    ("nulls, then property", (create("a INT, v VOID", "", "v", nosuch="1"),),
        "INVALID_PARTITION_COLUMN_DATA_TYPE"),
    ("time, then property", (create("a TIME", nosuch="1"),), "UNSUPPORTED_TIME_TYPE"),
    ("no such partition, then time", (create("a TIME", "", "zz"),), "_LEGACY_ERROR_TEMP_3060"),
    ("time, then all partitions", (create("a TIME", "", "a"),), "UNSUPPORTED_TIME_TYPE"),
    ("no such partition, then no table", (_replace("a INT", "zz"),), "_LEGACY_ERROR_TEMP_3060"),
    ("no table, then all partitions", (_replace("a INT", "a"),), "TABLE_OR_VIEW_NOT_FOUND"),
    ("no table, then property", (_replace("a INT", "", nosuch="1"),), "TABLE_OR_VIEW_NOT_FOUND"),
    ("no column, then a table", (create("a INT"), create("a INT", "zz")), _NESTED_CLUSTER),
    ("a table, then property", (create("a INT"), create("a INT", nosuch="1")),
        "TABLE_OR_VIEW_ALREADY_EXISTS"),
    ("added time, then place", (create("a INT"), _add("t TIME, b INT AFTER zz")),
        "UNSUPPORTED_TIME_TYPE"),
    ("added place, then default", (create("a INT"), _add("c INT DEFAULT 'x', b INT AFTER zz")),
        "FIELD_NOT_FOUND"),
    ("added struct, then default", (create("a INT"), _add("c INT DEFAULT 'x', z.b INT")),
        _UNRESOLVED),
    ("added default, then taken", (create("a INT"), _add("a INT, c INT DEFAULT 'x'")), _NO_DEFAULT),
    ("added NOT NULL, then default", (create("a INT"), _add("b INT DEFAULT 1, c INT NOT NULL")),
        "DELTA_OPERATION_NOT_ALLOWED"),
    ("clusters twice, then partitions", (create("a INT, b INT", "", "a"),
        ClusterBy((("a",), ("a",)))), "DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY"),
    # A table at a path is there already
    ("the same again", (create("a INT, b INT"), _again("b INT, a INT")), None),
    ("another schema", (create("a INT"), _again("a INT COMMENT 'x'")),
        "DELTA_CREATE_TABLE_SCHEME_MISMATCH"),
    ("another case", (create("a INT"), _again("A INT")), "DELTA_CREATE_TABLE_SCHEME_MISMATCH"),
    ("other partitions", (create("a INT, b INT"), _again("a INT, b INT", "a")),
        "DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING"),
    ("other clusters", (create("a INT", "a"), _again("a INT")),
        "DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING"),
    ("no clusters any more", (create("a INT", "a"), ClusterBy(()), _again("a INT")),
        "DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING"),
    ("the same clusters", (create("a INT", "a"), _again("a INT", "", "a")), None),
    ("properties left out", (create("a VARCHAR(3)", **_MAPPED), _again("a VARCHAR(3)")), None),
    ("properties said again", (create("a INT", **_MAPPED), _again("a INT", **_MAPPED)), None),
    ("other properties", (create("a INT", **_MAPPED), _again("a INT", appendOnly="false")),
        "DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY"),
    # What every table has
    ("a row's file", (_VALUES, AddConstraint("c", "_metadata.file_path IS NOT NULL")), None),
    # Digits of other scripts
    ("digits", (create("a INT"), _set(checkpointInterval="٣")), None),
    ("digits of a version", (create("a INT"), _set(minWriterVersion="٣")), None),
    ("digits beyond 16 bits", (create("a INT"), _set(checkpointInterval="\U0001d7db")),
        "UNSUPPORTED_TABLE_CHANGE"),
    ("digits of a Parquet version", (create("a INT"), _set(**{"parquet.format.version": "1.٣.0"})),
        "UNSUPPORTED_TABLE_CHANGE"),
    # char and varchar in structs
    ("varchar in a struct", (create("s STRUCT<`select`: VARCHAR(5)>", **_MAPPED),), None),
    ("varchar, hyphen", (create("s STRUCT<`a-b`: VARCHAR(5)>", **_MAPPED),), "INVALID_IDENTIFIER"),
    ("varchar, letter", (create("s STRUCT<`ä`: VARCHAR(5)>", **_MAPPED),), "INVALID_IDENTIFIER"),
    ("varchar, blank", (create("s STRUCT<`x y`: CHAR(5)>", **_MAPPED),), "PARSE_SYNTAX_ERROR"),
    ("varchar, digit", (create("s STRUCT<`1`: VARCHAR(5)>", **_MAPPED),), "PARSE_SYNTAX_ERROR"),
    ("varchar added", (create("i INT", **_MAPPED), _add("s STRUCT<`x y`: VARCHAR(5)>")), None),
)  # fmt: skip
"""
Each with a name: steps on a table that the first one makes, and the error class of the last one.

It is None where Delta commits, and empty where it refuses without a class.
"""

LEFT_TO_SPARK: tuple[Row, ...] = (
    ("CHECK length(ar) < 5", (_VALUES, AddConstraint("c", "length(ar) < 5")), _ARGUMENT),
    ("CHECK upper(m) = 'A'", (_VALUES, AddConstraint("c", "upper(m) = 'A'")), _ARGUMENT),
    ("CHECK substring(ar, 1, 2) = 'a'", (_VALUES, AddConstraint("c", "substring(ar, 1, 2) = 'a'")),
        _ARGUMENT),
    ("CHECK abs(d) > 1", (_VALUES, AddConstraint("c", "abs(d) > 1")), _ARGUMENT),
    ("CHECK year(i) > 1", (_VALUES, AddConstraint("c", "year(i) > 1")), _ARGUMENT),
    ("CHECK size(s) > 1", (_VALUES, AddConstraint("c", "size(s) > 1")), _ARGUMENT),
    ("text for a number", (create(f"{_PLAIN}, g BIGINT GENERATED ALWAYS AS (upper(b))"),),
        _NO_GENERATION),
    ("no function", (create(f"{_PLAIN}, g INT GENERATED ALWAYS AS (nofunc(a))"),), _NO_GENERATION),
)  # fmt: skip
"""The same, of which only Spark is asked: the plan says so, and Spark is before it commits."""

TYPES = (
    "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(3,1)", "STRING", "BOOLEAN", "DATE",
    "TIMESTAMP", "TIMESTAMP_NTZ", "BINARY", "ARRAY<INT>", "STRUCT<x: INT>", "MAP<INT,INT>",
    "VARIANT", "VARCHAR(3)",
)  # fmt: skip
_NESTED = "ARRAY<INT> STRUCT<x:INT> MAP<INT,INT>"
_NUMBERS = "TINYINT INT BIGINT FLOAT DOUBLE DECIMAL(3,1)"
_INTEGERS = f"BOOLEAN DATE TIMESTAMP_NTZ {_NESTED}"
_WORDS = f"{_NUMBERS} BOOLEAN DATE TIMESTAMP TIMESTAMP_NTZ {_NESTED}"
DEFAULTS = {
    "7": _INTEGERS, "-7": _INTEGERS, "7L": _INTEGERS, "300": f"TINYINT DECIMAL(3,1) {_INTEGERS}",
    "1.5": f"BINARY {_INTEGERS}", "1.5D": f"BINARY {_INTEGERS}",
    "1e3": f"TINYINT DECIMAL(3,1) BINARY {_INTEGERS}", "'x'": _WORDS, "'true'": _WORDS,
    "'7'": f"BOOLEAN DATE TIMESTAMP TIMESTAMP_NTZ {_NESTED}",
    "'2020-01-01'": f"{_NUMBERS} BOOLEAN {_NESTED}",
    "true": f"{_NUMBERS} DATE TIMESTAMP TIMESTAMP_NTZ BINARY VARIANT {_NESTED}",
    "X'1F'": f"{_NUMBERS} BOOLEAN DATE TIMESTAMP TIMESTAMP_NTZ {_NESTED}",
    "DATE '2020-01-01'": f"{_NUMBERS} BOOLEAN BINARY {_NESTED}", "NULL": "",
}  # fmt: skip
"""Literals, and the types whose columns Spark does not let have them as default."""

UNTOUCHED: dict[str, dict[str, str]] = {
    "instruction for the protocol": {"delta.minWriterVersion": "4"},
    "instruction for the defaults": {"delta.ignoreProtocolDefaults": "false"},
    "feature asked for": {"delta.feature.appendOnly": "supported"},
    "column of row tracking": {"delta.rowTracking.materializedRowIdColumnName": "q"},
    "unknown column of statistics": {"delta.dataSkippingStatsColumns": "nosuch"},
}
"""Properties that every other change carries out, removes or refuses, on a table of (1, 3)."""
