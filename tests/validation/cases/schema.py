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
from tests.support.tables import Action, column, commit_info, metadata, protocol

MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "9"}
A = field("a")


def with_configuration(path: Path, configuration: dict[str, Any], **meta: Any) -> None:
    with_protocol(path, 1, 2, configuration=configuration, **meta)


def with_mapping(path: Path, *fields: Any, **meta: Any) -> None:
    with_protocol(path, 2, 5, configuration=MAPPED, schemaString=schema(*fields), **meta)


@breaks("DL301")
def schema_string_is_missing(path: Path) -> None:
    one_commit(path, protocol(), metadata(schemaString=...))


@breaks("DL301")
def format_provider_is_missing(path: Path) -> None:
    one_commit(path, protocol(), metadata(format={"options": {}}))


@breaks("DL301")
def format_is_missing(path: Path) -> None:
    one_commit(path, protocol(), metadata(format=None))


@breaks("DL301")
def later_metadata_has_no_id(path: Path) -> None:
    made = one_commit(path, protocol(), metadata())
    made.commit(1, INFO, metadata(id=...))


@breaks("DL301")
def partition_columns_are_null(path: Path) -> None:
    one_commit(path, protocol(), metadata(partitionColumns=None))


@breaks("DL301")
def configuration_is_missing(path: Path) -> None:
    one_commit(path, protocol(), metadata(None))


@respects("DL301")
def optional_fields_are_missing(path: Path) -> None:
    one_commit(path, protocol(), metadata(name=None))


@breaks("DL301")
def format_options_are_missing(path: Path) -> None:
    one_commit(path, protocol(), metadata(format={"provider": "parquet"}))


@breaks("DL301")
def later_metadata_replaced_what_lacks_its_columns(path: Path) -> None:
    made = one_commit(path, protocol(), metadata(partitionColumns=None))
    made.commit(1, INFO, metadata({"a": "b"}))


@breaks("DL302")
def schema_string_is_cut_off(path: Path) -> None:
    one_commit(path, protocol(), metadata(schemaString='{"type":"struct"'))


@breaks("DL302")
def root_is_no_struct(path: Path) -> None:
    one_commit(path, protocol(), metadata(schemaString='"integer"'))


@breaks("DL302")
def schema_string_is_empty(path: Path) -> None:
    one_commit(path, protocol(), metadata(schemaString=""))


@breaks("DL302", "DL103")
def schema_is_no_string(path: Path) -> None:
    one_commit(path, protocol(), metadata(schemaString=7))


@breaks("DL302")
def schema_whose_nullable_is_a_string(path: Path) -> None:
    with_columns(path, column("a") | {"nullable": "false"})


@breaks("DL302")
def schema_whose_contains_null_is_missing(path: Path) -> None:
    with_columns(path, column("a", {"type": "array", "elementType": "string"}))


@breaks("DL302")
def schema_with_metadata_of_several_types(path: Path) -> None:
    with_columns(path, column("a", x=[1, "2"]))


@respects("DL302")
def schema_without_columns(path: Path) -> None:
    with_columns(path)


@respects("DL302", "DL301")
def schema_string_is_null(path: Path) -> None:
    one_commit(path, protocol(), metadata(schemaString=None))


@breaks("DL303")
def type_that_nobody_knows(path: Path) -> None:
    with_columns(path, A, ("b", array("uint128")))


@breaks("DL303")
def type_that_delta_does_not_support(path: Path) -> None:
    with_columns(path, A, ("b", "time(6)"))


@respects("DL303")
def every_type_there_is(path: Path) -> None:
    names = "binary boolean byte date decimal(38,38) double float long short string timestamp void"
    with_columns(path, A, *((f"c{number}", name) for number, name in enumerate(names.split())))


@breaks("DL304")
def names_differ_in_case_only(path: Path) -> None:
    with_columns(path, A, field("A"))


@breaks("DL304")
def duplicate_field_inside_an_array(path: Path) -> None:
    with_columns(path, ("s", array(struct(A, ("a", "string")))))


@respects("DL304")
def struct_and_its_field_share_a_name(path: Path) -> None:
    with_columns(path, ("a", struct(A)), ("b", struct(A)))


@breaks("DL305")
def partition_column_is_missing(path: Path) -> None:
    with_columns(path, A, partitionColumns=["b"])


@breaks("DL305")
def partition_column_is_nested(path: Path) -> None:
    with_columns(path, ("s", struct(A)), partitionColumns=["s.a"])


@breaks("DL305")
def partition_column_in_wrong_case(path: Path) -> None:
    with_columns(path, A, field("b"), partitionColumns=["B"])


@breaks("DL305")
def partition_column_twice(path: Path) -> None:
    with_columns(path, A, field("b"), partitionColumns=["b", "b"])


@breaks("DL305")
def partition_column_is_a_number(path: Path) -> None:
    with_columns(path, A, field("b"), partitionColumns=[7])


@respects("DL305")
def partition_column_is_there(path: Path) -> None:
    with_columns(path, A, field("b"), partitionColumns=["b"])


@breaks("DL306")
def partition_column_is_a_struct(path: Path) -> None:
    with_columns(path, A, ("b", struct(A)), partitionColumns=["b"])


@breaks("DL306")
def partition_column_is_an_array(path: Path) -> None:
    with_columns(path, A, ("b", array("integer")), partitionColumns=["b"])


@breaks("DL306")
def partition_column_is_a_variant(path: Path) -> None:
    columns = schema(A, ("b", "variant"))
    both = ["variantType"]
    with_protocol(path, 3, 7, both, both, schemaString=columns, partitionColumns=["b"])


@respects("DL306")
def complex_column_beside_a_partition_column(path: Path) -> None:
    with_columns(path, A, ("b", struct(A)), partitionColumns=["a"])


@breaks("DL307")
def every_column_is_a_partition_column(path: Path) -> None:
    with_columns(path, A, field("b"), partitionColumns=["b", "a"])


@respects("DL307")
def table_without_columns_at_all(path: Path) -> None:
    with_columns(path)


@respects("DL307")
def one_column_remains(path: Path) -> None:
    with_columns(path, A, field("b"), partitionColumns=["b"])


@breaks("DL308")
def versions_among_the_properties(path: Path) -> None:
    """As delta-rs stores them."""
    with_configuration(path, {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"})


@breaks("DL308")
def version_that_is_no_number(path: Path) -> None:
    with_configuration(path, {"delta.minReaderVersion": "x"})


@breaks("DL308")
def feature_among_the_properties(path: Path) -> None:
    with_configuration(path, {"delta.feature.deletionVectors": "supported"})


@breaks("DL308")
def ignored_defaults_among_the_properties(path: Path) -> None:
    with_configuration(path, {"delta.ignoreProtocolDefaults": "true"})


@respects("DL308")
def property_like_a_protocol_key(path: Path) -> None:
    with_configuration(path, {"feature.x": "supported"})


@breaks("DL309")
def misspelled_property(path: Path) -> None:
    with_configuration(path, {"delta.enableChangeDataFed": "true"})


@breaks("DL309")
def property_unlike_any(path: Path) -> None:
    with_configuration(path, {"delta.zzz": "1"})


@respects("DL309")
def properties_that_others_know(path: Path) -> None:
    keys = ["targetFileSize", "universalFormat.config.x", "rowTracking.materializedRowIdColumnName"]
    with_configuration(path, {f"delta.{key}": "1" for key in keys} | {"deltA": "1"})


@breaks("DL309")
def misspelled_property_of_another_engine(path: Path) -> None:
    with_configuration(path, {"delta.targetFileSiz": "1"})


@respects("DL309")
def properties_in_public_logs_of_other_engines(path: Path) -> None:
    keys = [
        *("workloadBasedColumns.optimizerStatistics", "workloadBasedColumns.deltaFileStatistics"),
        *("universalFormat.compatibility.location", "parquet.format.version.afe.internal"),
        *("universalFormat.compatibility.targetRefreshInterval", "parquet.vorder.enabled"),
        *("stats.extended.collect", "targetFileSize.adaptive", "liquid.clusteringColumns"),
    ]
    with_configuration(path, {f"delta.{key}": "1" for key in keys})


@breaks("DL310")
def compatibility_mode_of_databricks(path: Path) -> None:
    key = "delta.universalFormat.enabledFormats"
    with_configuration(path, {key: "compatibility"})


@breaks("DL310")
def universal_format_without_compatibility(path: Path) -> None:
    with_configuration(path, {"delta.universalFormat.enabledFormats": "iceberg"})


@breaks("DL310")
def format_of_nobody(path: Path) -> None:
    with_configuration(path, {"delta.universalFormat.enabledFormats": "compatibility,paper"})


@breaks("DL310")
def automatic_compaction_of_databricks(path: Path) -> None:
    with_configuration(path, {"delta.autoOptimize.autoCompact": "auto"})


@breaks("DL310")
def boolean_that_is_none(path: Path) -> None:
    with_properties(path, appendOnly="yes")


@breaks("DL310")
def interval_in_months(path: Path) -> None:
    with_properties(path, logRetentionDuration="interval 2 months")


@breaks("DL310")
def interval_without_its_word(path: Path) -> None:
    with_properties(path, logRetentionDuration="400 days")


@breaks("DL310")
def boolean_in_capitals(path: Path) -> None:
    with_properties(path, appendOnly="TRUE")


@breaks("DL310")
def isolation_level_of_databricks(path: Path) -> None:
    with_properties(path, isolationLevel="WriteSerializable")


@breaks("DL310")
def isolation_level_of_nobody(path: Path) -> None:
    with_properties(path, isolationLevel="Chaos")


@respects("DL310")
def values_that_are_right(path: Path) -> None:
    with_properties(
        path,
        appendOnly="true",
        logRetentionDuration="interval 30 days",
        checkpointInterval="20",
        isolationLevel="Serializable",
    )


@respects("DL310", "DL401")
def mapping_mode_has_its_own_rule(path: Path) -> None:
    with_properties(path, columnMapping_mode="names")


@respects("DL310", "DL325")
def parquet_version_has_its_own_rule(path: Path) -> None:
    with_properties(path, parquet_format_version="one")


@respects("DL310", "DL308")
def protocol_keys_have_their_own_rule(path: Path) -> None:
    with_properties(path, minReaderVersion="seven")


@breaks("DL311")
def prefix_is_missing(path: Path) -> None:
    with_configuration(path, {"logRetentionDuration": "interval 400 days"})


@respects("DL311")
def prefix_is_there_as_well(path: Path) -> None:
    key = "logRetentionDuration"
    with_configuration(path, {key: "x", f"delta.{key}": "interval 400 days", "anything": "1"})


@breaks("DL312")
def property_with_other_capitals(path: Path) -> None:
    with_configuration(path, {"delta.appendonly": "yes"})


@respects("DL312")
def property_with_right_capitals(path: Path) -> None:
    with_configuration(path, {"delta.appendOnly": "false", "delta.targetfilesize": "1"})


@breaks("DL313")
def files_outlive_the_log(path: Path) -> None:
    with_properties(path, deletedFileRetentionDuration="interval 31 days")


@respects("DL313")
def log_lives_as_long_as_files(path: Path) -> None:
    with_properties(path, deletedFileRetentionDuration="interval 30 days")


@respects("DL313", "DL310")
def retention_that_is_no_interval(path: Path) -> None:
    with_properties(path, deletedFileRetentionDuration="for ever")


@breaks("DL314")
def provider_is_not_parquet(path: Path) -> None:
    one_commit(path, protocol(), metadata(format={"provider": "orc", "options": {}}))


@breaks("DL314")
def format_has_options(path: Path) -> None:
    options = {"mergeSchema": "true"}
    one_commit(path, protocol(), metadata(format={"provider": "parquet", "options": options}))


@respects("DL314", "DL301")
def plain_parquet(path: Path) -> None:
    one_commit(path, protocol(), metadata(format={"provider": "parquet", "options": None}))


@breaks("DL315")
def varchar_column(path: Path) -> None:
    with_columns(path, A, ("b", "varchar(9)"))


@breaks("DL315")
def char_inside_a_map(path: Path) -> None:
    with_columns(path, A, ("b", mapping("string", "char(3)")))


@respects("DL315")
def varchar_as_delta_stores_it(path: Path) -> None:
    with_columns(path, A, field("b", "string", __CHAR_VARCHAR_TYPE_STRING="varchar(9)"))


@breaks("DL316")
def space_in_a_nested_name(path: Path) -> None:
    with_columns(path, ("s", struct(field("a b"))))


@breaks("DL316")
def space_in_a_partition_column(path: Path) -> None:
    with_columns(path, A, field("a b"), partitionColumns=["a b"])


@respects("DL316")
def space_under_column_mapping(path: Path) -> None:
    with_mapping(path, mapped("a b", 1))


@respects("DL316")
def dots_and_dashes(path: Path) -> None:
    with_columns(path, field("a.b-c/d:e"))


@breaks("DL317")
def precision_too_high(path: Path) -> None:
    with_columns(path, A, ("b", "decimal(39,0)"))


@breaks("DL317")
def precision_of_zero(path: Path) -> None:
    with_columns(path, A, ("b", "decimal(0,0)"))


@breaks("DL317")
def scale_above_precision(path: Path) -> None:
    with_columns(path, A, ("b", array("decimal(5,6)")))


@breaks("DL317")
def negative_scale(path: Path) -> None:
    with_columns(path, A, ("b", "decimal(5,-2)"))


@respects("DL317")
def smallest_and_largest_decimal(path: Path) -> None:
    with_columns(path, ("a", "decimal(1,1)"), ("b", "decimal(38, 38)"), ("c", "decimal"))


@respects("DL317", "DL303")
def decimal_that_is_no_type(path: Path) -> None:
    with_columns(path, A, ("b", "decimal(7)"))


@breaks("DL318")
def void_inside_an_array(path: Path) -> None:
    with_columns(path, A, ("b", array("void")))


@breaks("DL318")
def void_field_inside_a_map(path: Path) -> None:
    with_columns(path, A, ("b", mapping("string", array(struct(A, ("v", "void"))))))


@breaks("DL318")
def deep_void_field_inside_an_array(path: Path) -> None:
    with_columns(path, ("b", array(struct(A, ("s", struct(A, ("v", "void")))))))


@breaks("DL318")
def struct_of_voids(path: Path) -> None:
    with_columns(path, A, ("s", struct(("v", "void"), ("w", "void"))))


@breaks("DL318")
def table_of_voids(path: Path) -> None:
    with_columns(path, ("v", "void"))


@respects("DL318")
def void_beside_other_columns(path: Path) -> None:
    with_columns(path, A, ("v", "void"), ("s", struct(A, ("v", "void"))), ("t", struct()))


@breaks("DL319")
def interval_column(path: Path) -> None:
    with_columns(path, A, ("b", array("interval day to second")))


@breaks("DL319")
def interval_without_fields(path: Path) -> None:
    with_columns(path, A, ("b", "interval"))


@respects("DL319", "DL303")
def type_like_interval(path: Path) -> None:
    with_columns(path, A, ("b", "intervals"))


@respects("DL319")
def column_named_interval(path: Path) -> None:
    with_columns(path, field("interval"))


OTHER = "00000000-0000-4000-8000-000000000002"


@breaks("DL320")
def id_changed(path: Path) -> None:
    one_commit(path, protocol(), metadata()).commit(1, INFO, metadata(id=OTHER))


@respects("DL320")
def id_changed_by_replace(path: Path) -> None:
    info = commit_info(operation="CREATE OR REPLACE TABLE AS SELECT")
    one_commit(path, protocol(), metadata()).commit(1, info, metadata(id=OTHER))


@respects("DL320")
def id_stayed(path: Path) -> None:
    one_commit(path, protocol(), metadata()).commit(1, INFO, metadata(name="n"))


@breaks("DL321")
def made_in_the_future(path: Path) -> None:
    one_commit(path, protocol(), metadata(createdTime=NOW + 2 * 86_400_000))


@breaks("DL321")
def creation_time_is_missing(path: Path) -> None:
    one_commit(path, protocol(), metadata(createdTime=None))


@respects("DL321")
def made_by_a_clock_that_is_fast(path: Path) -> None:
    one_commit(path, protocol(), metadata(createdTime=NOW + 3_600_000))


@breaks("DL322")
def statistics_for_an_unknown_column(path: Path) -> None:
    with_properties(path, dataSkippingStatsColumns="a,b")


@breaks("DL322")
def statistics_for_a_column_twice(path: Path) -> None:
    with_properties(path, dataSkippingStatsColumns="a,a")


@respects("DL322")
def statistics_for_columns_that_are_there(path: Path) -> None:
    with_columns(
        path, A, ("s", struct(A)), configuration={"delta.dataSkippingStatsColumns": "`a`, s.a"}
    )


@respects("DL322", "DL302")
def statistics_without_a_schema(path: Path) -> None:
    configuration = {"delta.dataSkippingStatsColumns": "a"}
    with_configuration(path, configuration, schemaString="{")


def with_expressions(path: Path, check: str = "a > 0", **keys: Any) -> None:
    configuration = {"delta.constraints.c": check}
    columns = schema(A, ("s", struct(field("x"))), field("g", **keys))
    with_protocol(path, 1, 4, configuration=configuration, schemaString=columns)


@breaks("DL323")
def constraint_on_a_dropped_column(path: Path) -> None:
    with_expressions(path, "a > 0 AND lower(gone) = 'x'")


@breaks("DL323")
def generated_from_a_dropped_column(path: Path) -> None:
    with_expressions(path, **{"delta.generationExpression": "`gone` + 1"})


@breaks("DL323")
def invariant_on_a_dropped_column(path: Path) -> None:
    invariant = json.dumps({"expression": {"expression": "gone < 3"}})
    with_expressions(path, **{"delta.invariants": invariant})


@respects("DL323")
def constraint_on_columns_that_are_there(path: Path) -> None:
    check = "A BETWEEN 1L AND 2 OR s.x IS NOT NULL AND date '2020-01-01' < current_date"
    with_expressions(path, check, **{"delta.generationExpression": "CAST(a AS bigint)"})


@respects("DL323", "DL526")
def constraint_that_is_not_understood(path: Path) -> None:
    with_expressions(path, "exists(array(a), gone -> gone > 0)", **{"delta.invariants": "{"})


@breaks("DL324")
def constraint_with_capitals(path: Path) -> None:
    with_protocol(path, 1, 3, configuration={"delta.constraints.Positive": "a > 0"})


@breaks("DL324")
def constraint_without_name(path: Path) -> None:
    with_protocol(path, 1, 3, configuration={"delta.constraints.": "a > 0"})


@breaks("DL324")
def constraint_without_expression(path: Path) -> None:
    with_protocol(path, 1, 3, configuration={"delta.constraints.positive": " "})


@respects("DL324")
def constraint_as_delta_writes_it(path: Path) -> None:
    with_protocol(path, 1, 3, configuration={"delta.constraints.positive": "a > 0", "C": ""})


@breaks("DL325")
def parquet_version_3(path: Path) -> None:
    with_properties(path, parquet_format_version="3.0.0")


@breaks("DL325")
def unknown_codec(path: Path) -> None:
    with_properties(path, parquet_compression_codec="rar")


@respects("DL325")
def known_version_and_codec(path: Path) -> None:
    with_properties(path, parquet_format_version="2.12.0", parquet_compression_codec="ZSTD")


@breaks("DL326")
def password_among_the_properties(path: Path) -> None:
    with_configuration(path, {"jdbc.userPassword": "hunter2"})


@breaks("DL326")
def key_of_amazon_in_a_url(path: Path) -> None:
    with_configuration(path, {"source": "s3://AKIAIOSFODNN7EXAMPLE/x"})


@breaks("DL326", "DL314")
def token_among_the_options(path: Path) -> None:
    options = {"accessToken": "abcdef"}
    one_commit(path, protocol(), metadata(format={"provider": "parquet", "options": options}))


@respects("DL326")
def words_that_only_look_like_secrets(path: Path) -> None:
    with_configuration(
        path,
        {
            "token": "",
            "use.secret": "true",
            "password": "{{vault://x}}",
            "tokenizer": "simple",
            "secretary": "Jane",
            "source": "https://example.org/x?y=1",
        },
    )


def noted_type(path: Path, noted: str, name: str) -> None:
    inner = {"name": name, "type": "string", "nullable": True, "metadata": {}}
    column = {
        "name": "s",
        "type": {"type": "struct", "fields": [inner]},
        "nullable": True,
        "metadata": {"__CHAR_VARCHAR_TYPE_STRING": noted},
    }
    schema = json.dumps({"type": "struct", "fields": [column]})
    one_commit(path, protocol(), metadata(schemaString=schema))


@breaks("DL327")
def varchar_beside_a_hyphen(path: Path) -> None:
    noted_type(path, "struct<a-b:varchar(5)>", "a-b")


@breaks("DL327")
def varchar_beside_a_letter_beyond_ascii(path: Path) -> None:
    noted_type(path, "struct<ä:varchar(5)>", "ä")


@breaks("DL327")
def varchar_that_is_a_number(path: Path) -> None:
    with_columns(path, column("a", "long", __CHAR_VARCHAR_TYPE_STRING="varchar(5)"))


@breaks("DL327")
def char_in_another_place(path: Path) -> None:
    kind = {"type": "array", "elementType": "string", "containsNull": True}
    with_columns(path, column("a", kind, __CHAR_VARCHAR_TYPE_STRING="char(5)"))


@breaks("DL327")
def collation_of_a_number(path: Path) -> None:
    with_columns(path, column("a", "long", __COLLATIONS={"a": "spark.UTF8_LCASE"}))


@breaks("DL327")
def collation_of_nobody(path: Path) -> None:
    with_columns(path, column("a", "string", __COLLATIONS={"a": "UTF8_LCASE"}))


@respects("DL327")
def collation_of_elements(path: Path) -> None:
    kind = {"type": "array", "elementType": "string", "containsNull": True}
    with_columns(path, column("a", kind, __COLLATIONS={"a.element": "icu.UNICODE", "b": "spark.X"}))


@respects("DL327")
def varchar_in_an_array(path: Path) -> None:
    kind = {"type": "array", "elementType": "string", "containsNull": True}
    with_columns(path, column("a", kind, __CHAR_VARCHAR_TYPE_STRING="array<varchar(5)>"))


@respects("DL327")
def varchar_beside_a_keyword(path: Path) -> None:
    noted_type(path, "struct<select:varchar(5)>", "select")


def hostile() -> Action:
    return metadata({"delta.\x1b[31m": "\n"})


@breaks("DL309")
def hostile_key(path: Path) -> None:
    one_commit(path, protocol(), hostile())
