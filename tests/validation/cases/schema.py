"""DL3xx: metadata, schema and properties."""

import json
from pathlib import Path
from typing import Any

from tests.support.rule_cases import NOW, breaks, respects
from tests.support.schemas import (
    INFO,
    array,
    field,
    mapped,
    mapping,
    one_commit,
    schema,
    struct,
    with_columns,
    with_properties,
    with_protocol,
)
from tests.support.tables import Action, column, commit_info, drafted, metadata, protocol

MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "9"}
A = field("a")


@drafted
def with_configuration(path: Path, configuration: dict[str, Any], **meta: Any) -> None:
    with_protocol(1, 2, configuration=configuration, **meta)(path)


@drafted
def with_mapping(path: Path, *fields: Any, **meta: Any) -> None:
    with_protocol(2, 5, configuration=MAPPED, schemaString=schema(*fields), **meta)(path)


breaks("DL301", "schema string is missing", one_commit(protocol(), metadata(schemaString=...)))
breaks("DL301", "format provider is missing",
    one_commit(protocol(), metadata(format={"options": {}})))
breaks("DL301", "format is missing", one_commit(protocol(), metadata(format=None)))
breaks("DL301", "later metadata has no id",
    one_commit(protocol(), metadata()).commit(1, INFO, metadata(id=...)))
breaks("DL301", "partition columns are null",
    one_commit(protocol(), metadata(partitionColumns=None)))
breaks("DL301", "configuration is missing", one_commit(protocol(), metadata(None)))
respects("DL301", "optional fields are missing", one_commit(protocol(), metadata(name=None)))
breaks("DL301", "format options are missing",
    one_commit(protocol(), metadata(format={"provider": "parquet"})))
breaks("DL301", "later metadata replaced what lacks its columns",
    one_commit(protocol(), metadata(partitionColumns=None)).commit(1, INFO, metadata({"a": "b"})))

breaks("DL302", "schema string is cut off",
    one_commit(protocol(), metadata(schemaString='{"type":"struct"')))
breaks("DL302", "root is no struct", one_commit(protocol(), metadata(schemaString='"integer"')))
breaks("DL302", "schema string is empty", one_commit(protocol(), metadata(schemaString="")))
breaks("DL302 DL103", "schema is no string", one_commit(protocol(), metadata(schemaString=7)))
breaks("DL302", "schema whose nullable is a string",
    with_columns(column("a") | {"nullable": "false"}))
breaks("DL302", "schema whose contains null is missing",
    with_columns(column("a", {"type": "array", "elementType": "string"})))
breaks("DL302", "schema with metadata of several types", with_columns(column("a", x=[1, "2"])))
respects("DL302", "schema without columns", with_columns())
respects("DL302 DL301", "schema string is null",
    one_commit(protocol(), metadata(schemaString=None)))

breaks("DL303", "type that nobody knows", with_columns(A, ("b", array("uint128"))))
breaks("DL303", "type that delta does not support", with_columns(A, ("b", "time(6)")))


@respects("DL303")
def every_type_there_is(path: Path) -> None:
    names = "binary boolean byte date decimal(38,38) double float long short string timestamp void"
    with_columns(A, *((f"c{number}", name) for number, name in enumerate(names.split())))(path)


breaks("DL304", "names differ in case only", with_columns(A, field("A")))
breaks("DL304", "duplicate field inside an array",
    with_columns(("s", array(struct(A, ("a", "string"))))))
respects("DL304", "struct and its field share a name",
    with_columns(("a", struct(A)), ("b", struct(A))))

breaks("DL305", "partition column is missing", with_columns(A, partitionColumns=["b"]))
breaks("DL305", "partition column is nested",
    with_columns(("s", struct(A)), partitionColumns=["s.a"]))
breaks("DL305", "partition column in wrong case",
    with_columns(A, field("b"), partitionColumns=["B"]))
breaks("DL305", "partition column twice", with_columns(A, field("b"), partitionColumns=["b", "b"]))
breaks("DL305", "partition column is a number", with_columns(A, field("b"), partitionColumns=[7]))
respects("DL305", "partition column is there", with_columns(A, field("b"), partitionColumns=["b"]))

breaks("DL306", "partition column is a struct",
    with_columns(A, ("b", struct(A)), partitionColumns=["b"]))
breaks("DL306", "partition column is an array",
    with_columns(A, ("b", array("integer")), partitionColumns=["b"]))
breaks("DL306", "partition column is a variant", with_protocol(3, 7, ["variantType"],
    ["variantType"], schemaString=schema(A, ("b", "variant")), partitionColumns=["b"]))
respects("DL306", "complex column beside a partition column",
    with_columns(A, ("b", struct(A)), partitionColumns=["a"]))

breaks("DL307", "every column is a partition column",
    with_columns(A, field("b"), partitionColumns=["b", "a"]))
respects("DL307", "table without columns at all", with_columns())
respects("DL307", "one column remains", with_columns(A, field("b"), partitionColumns=["b"]))


@breaks("DL308")
def versions_among_the_properties(path: Path) -> None:
    """As delta-rs stores them."""
    with_configuration({"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"})(path)


breaks("DL308", "version that is no number", with_configuration({"delta.minReaderVersion": "x"}))
breaks("DL308", "feature among the properties",
    with_configuration({"delta.feature.deletionVectors": "supported"}))
breaks("DL308", "ignored defaults among the properties",
    with_configuration({"delta.ignoreProtocolDefaults": "true"}))
respects("DL308", "property like a protocol key", with_configuration({"feature.x": "supported"}))

breaks("DL309", "misspelled property", with_configuration({"delta.enableChangeDataFed": "true"}))
breaks("DL309", "property unlike any", with_configuration({"delta.zzz": "1"}))
respects("DL309", "properties that others know",
    with_configuration({f"delta.{key}": "1" for key in ["targetFileSize",
        "universalFormat.config.x", "rowTracking.materializedRowIdColumnName"]} | {"deltA": "1"}))
breaks("DL309", "misspelled property of another engine",
    with_configuration({"delta.targetFileSiz": "1"}))
respects("DL309", "properties in public logs of other engines",
    with_configuration(
        {f"delta.{key}": "1" for key in [*("workloadBasedColumns.optimizerStatistics",
        "workloadBasedColumns.deltaFileStatistics"), *("universalFormat.compatibility.location",
        "parquet.format.version.afe.internal"),
        *("universalFormat.compatibility.targetRefreshInterval", "parquet.vorder.enabled"),
        *("stats.extended.collect", "targetFileSize.adaptive", "liquid.clusteringColumns")]}))

breaks("DL310", "compatibility mode of databricks",
    with_configuration({"delta.universalFormat.enabledFormats": "compatibility"}))
breaks("DL310", "universal format without compatibility",
    with_configuration({"delta.universalFormat.enabledFormats": "iceberg"}))
breaks("DL310", "format of nobody",
    with_configuration({"delta.universalFormat.enabledFormats": "compatibility,paper"}))
breaks("DL310", "automatic compaction of databricks",
    with_configuration({"delta.autoOptimize.autoCompact": "auto"}))
breaks("DL310", "boolean that is none", with_properties(appendOnly="yes"))
breaks("DL310", "interval in months", with_properties(logRetentionDuration="interval 2 months"))
breaks("DL310", "interval without its word", with_properties(logRetentionDuration="400 days"))
breaks("DL310", "boolean in capitals", with_properties(appendOnly="TRUE"))
breaks("DL310", "isolation level of databricks",
    with_properties(isolationLevel="WriteSerializable"))
breaks("DL310", "isolation level of nobody", with_properties(isolationLevel="Chaos"))
respects("DL310", "values that are right",
    with_properties(appendOnly="true", logRetentionDuration="interval 30 days",
        checkpointInterval="20", isolationLevel="Serializable"))
respects("DL310 DL401", "mapping mode has its own rule",
    with_properties(columnMapping_mode="names"))
respects("DL310 DL325", "parquet version has its own rule",
    with_properties(parquet_format_version="one"))
respects("DL310 DL308", "protocol keys have their own rule",
    with_properties(minReaderVersion="seven"))

breaks("DL311", "prefix is missing",
    with_configuration({"logRetentionDuration": "interval 400 days"}))


@respects("DL311")
def prefix_is_there_as_well(path: Path) -> None:
    key = "logRetentionDuration"
    with_configuration({key: "x", f"delta.{key}": "interval 400 days", "anything": "1"})(path)


breaks("DL312", "property with other capitals", with_configuration({"delta.appendonly": "yes"}))
respects("DL312", "property with right capitals",
    with_configuration({"delta.appendOnly": "false", "delta.targetfilesize": "1"}))

breaks("DL313", "files outlive the log",
    with_properties(deletedFileRetentionDuration="interval 31 days"))
respects("DL313", "log lives as long as files",
    with_properties(deletedFileRetentionDuration="interval 30 days"))
respects("DL313 DL310", "retention that is no interval",
    with_properties(deletedFileRetentionDuration="for ever"))

breaks("DL314", "provider is not parquet",
    one_commit(protocol(), metadata(format={"provider": "orc", "options": {}})))
breaks("DL314", "format has options",
    one_commit(protocol(),
        metadata(format={"provider": "parquet", "options": {"mergeSchema": "true"}})))
respects("DL314 DL301", "plain parquet",
    one_commit(protocol(), metadata(format={"provider": "parquet", "options": None})))

breaks("DL315", "varchar column", with_columns(A, ("b", "varchar(9)")))
breaks("DL315", "char inside a map", with_columns(A, ("b", mapping("string", "char(3)"))))
respects("DL315", "varchar as delta stores it",
    with_columns(A, field("b", "string", __CHAR_VARCHAR_TYPE_STRING="varchar(9)")))

breaks("DL316", "space in a nested name", with_columns(("s", struct(field("a b")))))
breaks("DL316", "space in a partition column",
    with_columns(A, field("a b"), partitionColumns=["a b"]))
respects("DL316", "space under column mapping", with_mapping(mapped("a b", 1)))
respects("DL316", "dots and dashes", with_columns(field("a.b-c/d:e")))

breaks("DL317", "precision too high", with_columns(A, ("b", "decimal(39,0)")))
breaks("DL317", "precision of zero", with_columns(A, ("b", "decimal(0,0)")))
breaks("DL317", "scale above precision", with_columns(A, ("b", array("decimal(5,6)"))))
breaks("DL317", "negative scale", with_columns(A, ("b", "decimal(5,-2)")))
respects("DL317", "smallest and largest decimal",
    with_columns(("a", "decimal(1,1)"), ("b", "decimal(38, 38)"), ("c", "decimal")))
respects("DL317 DL303", "decimal that is no type", with_columns(A, ("b", "decimal(7)")))

breaks("DL318", "void inside an array", with_columns(A, ("b", array("void"))))
breaks("DL318", "void field inside a map",
    with_columns(A, ("b", mapping("string", array(struct(A, ("v", "void")))))))
breaks("DL318", "deep void field inside an array",
    with_columns(("b", array(struct(A, ("s", struct(A, ("v", "void"))))))))
breaks("DL318", "struct of voids", with_columns(A, ("s", struct(("v", "void"), ("w", "void")))))
breaks("DL318", "table of voids", with_columns(("v", "void")))
respects("DL318", "void beside other columns",
    with_columns(A, ("v", "void"), ("s", struct(A, ("v", "void"))), ("t", struct())))

breaks("DL319", "interval column", with_columns(A, ("b", array("interval day to second"))))
breaks("DL319", "interval without fields", with_columns(A, ("b", "interval")))
respects("DL319 DL303", "type like interval", with_columns(A, ("b", "intervals")))
respects("DL319", "column named interval", with_columns(field("interval")))


OTHER = "00000000-0000-4000-8000-000000000002"


breaks("DL320", "id changed",
    one_commit(protocol(), metadata()).commit(1, INFO, metadata(id=OTHER)))
respects("DL320", "id changed by replace", one_commit(protocol(), metadata())
    .commit(1, commit_info(operation="CREATE OR REPLACE TABLE AS SELECT"), metadata(id=OTHER)))
respects("DL320", "id stayed",
    one_commit(protocol(), metadata()).commit(1, INFO, metadata(name="n")))

breaks("DL321", "made in the future",
    one_commit(protocol(), metadata(createdTime=NOW + 2 * 86_400_000)))
breaks("DL321", "creation time is missing", one_commit(protocol(), metadata(createdTime=None)))
respects("DL321", "made by a clock that is fast",
    one_commit(protocol(), metadata(createdTime=NOW + 3_600_000)))

breaks("DL322", "statistics for an unknown column", with_properties(dataSkippingStatsColumns="a,b"))
breaks("DL322", "statistics for a column twice", with_properties(dataSkippingStatsColumns="a,a"))
respects("DL322", "statistics for columns that are there",
    with_columns(A, ("s", struct(A)), configuration={"delta.dataSkippingStatsColumns": "`a`, s.a"}))
respects("DL322 DL302", "statistics without a schema",
    with_configuration({"delta.dataSkippingStatsColumns": "a"}, schemaString="{"))


@drafted
def with_expressions(path: Path, check: str = "a > 0", **keys: Any) -> None:
    configuration = {"delta.constraints.c": check}
    columns = schema(A, ("s", struct(field("x"))), field("g", **keys))
    with_protocol(1, 4, configuration=configuration, schemaString=columns)(path)


breaks("DL323", "constraint on a dropped column", with_expressions("a > 0 AND lower(gone) = 'x'"))
breaks("DL323", "generated from a dropped column",
    with_expressions(**{"delta.generationExpression": "`gone` + 1"}))
breaks("DL323", "invariant on a dropped column",
    with_expressions(
        **{"delta.invariants": json.dumps({"expression": {"expression": "gone < 3"}})}))
respects("DL323", "constraint on columns that are there",
    with_expressions("A BETWEEN 1L AND 2 OR s.x IS NOT NULL AND date '2020-01-01' < current_date",
        **{"delta.generationExpression": "CAST(a AS bigint)"}))
respects("DL323 DL526", "constraint that is not understood",
    with_expressions("exists(array(a), gone -> gone > 0)", **{"delta.invariants": "{"}))

breaks("DL324", "constraint with capitals",
    with_protocol(1, 3, configuration={"delta.constraints.Positive": "a > 0"}))
breaks("DL324", "constraint without name",
    with_protocol(1, 3, configuration={"delta.constraints.": "a > 0"}))
breaks("DL324", "constraint without expression",
    with_protocol(1, 3, configuration={"delta.constraints.positive": " "}))
respects("DL324", "constraint as delta writes it",
    with_protocol(1, 3, configuration={"delta.constraints.positive": "a > 0", "C": ""}))

breaks("DL325", "parquet version 3", with_properties(parquet_format_version="3.0.0"))
breaks("DL325", "unknown codec", with_properties(parquet_compression_codec="rar"))
respects("DL325", "known version and codec",
    with_properties(parquet_format_version="2.12.0", parquet_compression_codec="ZSTD"))

breaks("DL326", "password among the properties",
    with_configuration({"jdbc.userPassword": "hunter2"}))
breaks("DL326", "key of amazon in a url",
    with_configuration({"source": "s3://AKIAIOSFODNN7EXAMPLE/x"}))
breaks("DL326 DL314", "token among the options",
    one_commit(protocol(),
        metadata(format={"provider": "parquet", "options": {"accessToken": "abcdef"}})))
respects("DL326", "words that only look like secrets",
    with_configuration({"token": "", "use.secret": "true", "password": "{{vault://x}}",
        "tokenizer": "simple", "secretary": "Jane", "source": "https://example.org/x?y=1"}))


@drafted
def noted_type(path: Path, noted: str, name: str) -> None:
    inner = {"name": name, "type": "string", "nullable": True, "metadata": {}}
    column = {
        "name": "s",
        "type": {"type": "struct", "fields": [inner]},
        "nullable": True,
        "metadata": {"__CHAR_VARCHAR_TYPE_STRING": noted},
    }
    schema = json.dumps({"type": "struct", "fields": [column]})
    one_commit(protocol(), metadata(schemaString=schema))(path)


breaks("DL327", "varchar beside a hyphen", noted_type("struct<a-b:varchar(5)>", "a-b"))
breaks("DL327", "varchar beside a letter beyond ascii", noted_type("struct<ä:varchar(5)>", "ä"))
breaks("DL327", "varchar that is a number",
    with_columns(column("a", "long", __CHAR_VARCHAR_TYPE_STRING="varchar(5)")))
breaks("DL327", "char in another place",
    with_columns(column("a", {"type": "array", "elementType": "string", "containsNull": True},
        __CHAR_VARCHAR_TYPE_STRING="char(5)")))
breaks("DL327", "collation of a number",
    with_columns(column("a", "long", __COLLATIONS={"a": "spark.UTF8_LCASE"})))
breaks("DL327", "collation of nobody",
    with_columns(column("a", "string", __COLLATIONS={"a": "UTF8_LCASE"})))
respects("DL327", "collation of elements",
    with_columns(column("a", {"type": "array", "elementType": "string", "containsNull": True},
        __COLLATIONS={"a.element": "icu.UNICODE", "b": "spark.X"})))
respects("DL327", "varchar in an array",
    with_columns(column("a", {"type": "array", "elementType": "string", "containsNull": True},
        __CHAR_VARCHAR_TYPE_STRING="array<varchar(5)>")))
respects("DL327", "varchar beside a keyword", noted_type("struct<select:varchar(5)>", "select"))


def hostile() -> Action:
    return metadata({"delta.\x1b[31m": "\n"})


breaks("DL309", "hostile key", one_commit(protocol(), hostile()))
