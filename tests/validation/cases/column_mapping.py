"""DL4xx: column mapping."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.rule_cases import breaks, respects
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
    with_protocol,
)
from tests.support.tables import Action, Table, add, commit_info, metadata, protocol

MODE, MAX = "delta.columnMapping.mode", "delta.columnMapping.maxColumnId"
ID, PHYSICAL = "delta.columnMapping.id", "delta.columnMapping.physicalName"
NESTED = "delta.columnMapping.nested.ids"
A, B = mapped("a", 1), mapped("b", 2)


def body(*fields: Any, mode: str = "name", highest: Any = 9, **more: Any) -> Action:
    """The metaData action of a table with column mapping."""
    configuration = {MODE: mode} | ({} if highest is None else {MAX: str(highest)})
    configuration |= more.pop("properties", {})
    return metadata(configuration, schemaString=schema(*fields), **more)


def with_mapping(path: Path, *fields: Any, **more: Any) -> Table:
    return one_commit(path, protocol(2, 5), body(*fields, **more))


def then(path: Path, *actions: Action, operation: str = "WRITE") -> None:
    """A table with columns `a` and `b`, and a commit after it."""
    with_mapping(path, A, B).commit(1, INFO | commit_info(operation=operation), *actions)


@breaks("DL401")
def mode_that_does_not_exist(path: Path) -> None:
    with_mapping(path, A, mode="names")


@respects("DL401")
def mode_in_capitals(path: Path) -> None:
    with_mapping(path, A, mode="NAME")


@breaks("DL402")
def name_mode_at_legacy_versions(path: Path) -> None:
    one_commit(path, protocol(1, 2), body(A))


@breaks("DL402")
def id_mode_with_lists_that_lack_it(path: Path) -> None:
    one_commit(path, protocol(1, 7, None, ["domainMetadata"]), body(A, mode="id"))


@breaks("DL402", "DL403", "DL404")
def name_mode_without_support_or_names(path: Path) -> None:
    one_commit(path, protocol(1, 2), body(field("a")))


@respects("DL402")
def name_mode_with_lists(path: Path) -> None:
    one_commit(path, protocol(2, 7, None, ["columnMapping"]), body(A))


@respects("DL402")
def no_mapping_at_legacy_versions(path: Path) -> None:
    with_protocol(path, 1, 2, configuration={MODE: "none"})


@breaks("DL403")
def id_is_missing(path: Path) -> None:
    with_mapping(path, A, field("b", **{PHYSICAL: "b"}))


@breaks("DL403")
def id_is_missing_inside_a_map(path: Path) -> None:
    with_mapping(path, mapped("m", 1, mapping("string", struct(field("x", **{PHYSICAL: "x"})))))


@respects("DL403")
def internal_column_without_id(path: Path) -> None:
    with_mapping(path, A, field("_Change_Type", "string"))


@breaks("DL404")
def physical_name_is_missing(path: Path) -> None:
    with_mapping(path, A, field("b", **{ID: 2}))


@breaks("DL404")
def physical_name_is_a_number(path: Path) -> None:
    with_mapping(path, A, field("b", **{ID: 2, PHYSICAL: 2}))


@breaks("DL404")
def physical_name_is_empty(path: Path) -> None:
    with_mapping(path, A, field("b", **{ID: 2, PHYSICAL: ""}))


@respects("DL404")
def physical_name_is_the_displayed_one(path: Path) -> None:
    with_mapping(path, A, mapped("b", 2, physical="b"))


@breaks("DL405")
def two_columns_share_an_id(path: Path) -> None:
    with_mapping(path, A, mapped("b", 1, physical="other"))


@breaks("DL405")
def nested_map_value_repeats_an_id(path: Path) -> None:
    inner = mapping("string", array(struct(mapped("x", 1, physical="x"))))
    with_mapping(path, A, mapped("m", 2, inner))


@respects("DL405")
def every_column_has_its_own_id(path: Path) -> None:
    with_mapping(path, A, B)


@respects("DL405", "DL411")
def duplicate_ids_without_mapping(path: Path) -> None:
    with_columns(path, A, mapped("b", 1, physical="other"))


@breaks("DL406")
def two_columns_share_a_physical_name(path: Path) -> None:
    with_mapping(path, A, mapped("b", 2, physical="col-1"))


@breaks("DL406")
def two_fields_of_a_struct_share_a_physical_name(path: Path) -> None:
    inner = struct(mapped("x", 2, physical="p"), mapped("y", 3, physical="p"))
    with_mapping(path, mapped("s", 1, array(inner)))


@respects("DL406")
def struct_and_child_share_a_physical_name(path: Path) -> None:
    with_mapping(path, mapped("s", 1, struct(mapped("x", 2, physical="p")), physical="p"))


@respects("DL406")
def fields_of_two_structs_share_a_physical_name(path: Path) -> None:
    left, right = struct(mapped("x", 3, physical="p")), struct(mapped("x", 4, physical="p"))
    with_mapping(path, mapped("s", 1, left), mapped("t", 2, right))


@respects("DL406", "DL411")
def shared_physical_name_without_mapping(path: Path) -> None:
    with_columns(path, A, mapped("b", 2, physical="col-1"))


@breaks("DL407")
def maximum_is_missing(path: Path) -> None:
    with_mapping(path, A, highest=None)


@respects("DL407")
def maximum_is_not_needed(path: Path) -> None:
    with_columns(path, field("a"))


@breaks("DL408")
def maximum_is_too_low(path: Path) -> None:
    with_mapping(path, A, B, highest=1)


@breaks("DL408")
def maximum_is_below_a_nested_id(path: Path) -> None:
    with_mapping(
        path, mapped("a", 1, array("integer"), **{NESTED: {"col-1.element": 5}}), highest=4
    )


@respects("DL408")
def maximum_is_the_highest_id(path: Path) -> None:
    with_mapping(path, A, B, highest=2)


@respects("DL408", "DL310")
def maximum_is_no_number(path: Path) -> None:
    with_mapping(path, A, highest="many")


@respects("DL408", "DL411")
def maximum_without_mapping(path: Path) -> None:
    with_columns(path, B, configuration={MAX: "1"})


@breaks("DL409")
def maximum_was_lowered(path: Path) -> None:
    then(path, body(A, B, highest=2))


@breaks("DL409")
def id_of_a_dropped_column_came_back(path: Path) -> None:
    made = with_mapping(path, A, B)
    made.commit(1, INFO, body(A))
    made.commit(2, INFO, body(A, mapped("c", 2, physical="other")))


@respects("DL409")
def dropped_column_came_back_with_its_own_name(path: Path) -> None:
    made = with_mapping(path, A, B)
    made.commit(1, INFO, body(A))
    made.commit(2, INFO, body(A, B))


@respects("DL409", "DL407")
def maximum_went_missing(path: Path) -> None:
    then(path, body(A, B, highest=None))


@respects("DL409")
def maximum_was_missing(path: Path) -> None:
    with_mapping(path, A, highest=None).commit(1, INFO, body(A))


@respects("DL409")
def maximum_was_raised(path: Path) -> None:
    then(path, body(A, B, mapped("c", 10), highest=10))


@respects("DL409")
def ids_start_again_after_a_replacement(path: Path) -> None:
    made = with_mapping(path, A, B)
    new = mapped("c", 1, physical="other")
    made.commit(1, INFO | commit_info(operation="REPLACE TABLE"), body(new, highest=1))
    made.commit(2, INFO, body(new, mapped("d", 2, physical="another"), highest=2))


@respects("DL409")
def ids_start_again_after_mapping_was_off(path: Path) -> None:
    made = with_mapping(path, A, B)
    made.commit(1, INFO, metadata())
    made.commit(2, INFO, body(mapped("a", 1, physical="a"), highest=1))
    made.commit(3, INFO, body(mapped("a", 1, physical="a"), mapped("c", 2, physical="c")))


@breaks("DL410")
def id_is_a_string(path: Path) -> None:
    with_mapping(path, mapped("a", 1, **{ID: "1"}))


@breaks("DL410")
def id_is_negative(path: Path) -> None:
    with_mapping(path, mapped("a", -1))


@breaks("DL410")
def id_has_more_than_32_bits(path: Path) -> None:
    with_mapping(path, mapped("a", 2**31), highest=2**31)


@breaks("DL410")
def id_is_true(path: Path) -> None:
    with_mapping(path, mapped("a", 1, **{ID: True}))


@respects("DL410")
def lowest_and_highest_id(path: Path) -> None:
    with_mapping(path, mapped("a", 0), mapped("b", 2**31 - 1), highest=2**31 - 1)


@breaks("DL411")
def leftovers_without_mapping(path: Path) -> None:
    with_columns(path, *(mapped(f"c{number}", number) for number in range(8)))


@breaks("DL411")
def nested_leftover_in_mode_none(path: Path) -> None:
    inner = struct(field("x", **{PHYSICAL: "x"}))
    with_columns(path, field("m", array(inner)), configuration={MODE: "none"})


@respects("DL411")
def mapping_is_on(path: Path) -> None:
    with_mapping(path, A)


def compatible(path: Path, *fields: Any, on: str = "true") -> None:
    properties = {"delta.enableIcebergCompatV2": on}
    names = ["columnMapping", "icebergCompatV2"]
    one_commit(path, protocol(2, 7, None, names), body(*fields, properties=properties))


@breaks("DL412")
def key_with_another_prefix(path: Path) -> None:
    with_mapping(path, mapped("a", 1, array("integer"), **{NESTED: {"a.element": 2}}))


@breaks("DL412")
def key_of_another_part(path: Path) -> None:
    with_mapping(path, mapped("a", 1, array("integer"), **{NESTED: {"col-1.value": 2}}))


@breaks("DL412")
def nested_id_is_a_string(path: Path) -> None:
    with_mapping(path, mapped("a", 1, array("integer"), **{NESTED: {"col-1.element": "2"}}))


@breaks("DL412")
def nested_ids_are_a_list(path: Path) -> None:
    with_mapping(path, mapped("a", 1, array("integer"), **{NESTED: [2]}))


@respects("DL412")
def nested_ids_of_a_map_of_arrays(path: Path) -> None:
    ids = {"col-1.key": 2, "col-1.value": 3, "col-1.value.element": 4}
    with_mapping(path, mapped("a", 1, mapping("string", array("integer")), **{NESTED: ids}))


@breaks("DL413")
def part_without_id_under_iceberg_compatibility(path: Path) -> None:
    compatible(path, mapped("a", 1, mapping("string", "string"), **{NESTED: {"col-1.key": 2}}))


@breaks("DL413")
def nested_id_of_a_column(path: Path) -> None:
    with_mapping(path, mapped("a", 1, array("integer"), **{NESTED: {"col-1.element": 2}}), B)


@breaks("DL413")
def nested_id_twice(path: Path) -> None:
    ids = {"col-1.key": 2, "col-1.value": 2}
    with_mapping(path, mapped("a", 1, mapping("string", "string"), **{NESTED: ids}))


@respects("DL413")
def every_part_has_an_id(path: Path) -> None:
    compatible(path, mapped("a", 1, array("integer"), **{NESTED: {"col-1.element": 2}}))


@respects("DL413")
def iceberg_compatibility_is_off(path: Path) -> None:
    compatible(path, mapped("a", 1, array("integer")), on="false")


@respects("DL413")
def iceberg_compatibility_v1_needs_no_nested_ids(path: Path) -> None:
    properties = {"delta.enableIcebergCompatV1": "true"}
    names = ["columnMapping", "icebergCompatV1"]
    one_commit(path, protocol(2, 7, None, names), body(A, properties=properties))


@breaks("DL414")
def name_to_id(path: Path) -> None:
    then(path, body(A, B, mode="id"))


@breaks("DL414")
def none_to_id(path: Path) -> None:
    made = one_commit(path, protocol(2, 5), metadata())
    made.commit(1, INFO, body(A, mode="id"))


@respects("DL414")
def none_to_name(path: Path) -> None:
    made = one_commit(path, protocol(2, 5), metadata())
    made.commit(1, INFO, body(mapped("a", 1, physical="a")))


@respects("DL414")
def name_to_none(path: Path) -> None:
    then(path, metadata())


@respects("DL414")
def name_to_id_by_replacement(path: Path) -> None:
    then(path, body(A, B, mode="id"), operation="CREATE OR REPLACE TABLE")


@respects("DL414", "DL401")
def name_to_nonsense(path: Path) -> None:
    then(path, body(A, B, mode="names"))


@breaks("DL415")
def physical_name_changed(path: Path) -> None:
    then(path, body(A, mapped("b", 2, physical="other")))


@breaks("DL415")
def id_changed(path: Path) -> None:
    then(path, body(A, mapped("b", 3, physical="col-2")))


@respects("DL415")
def mapping_was_off_before(path: Path) -> None:
    made = one_commit(path, protocol(2, 5), metadata(schemaString=schema(A, B)))
    made.commit(1, INFO, body(mapped("a", 7, physical="a"), mapped("b", 2, physical="b")))


@respects("DL415")
def column_renamed(path: Path) -> None:
    then(path, body(A, mapped("renamed", 2)))


@respects("DL415")
def names_changed_by_replacement(path: Path) -> None:
    new = mapped("b", 2, physical="other")
    then(path, body(A, new), operation="CREATE OR REPLACE TABLE AS SELECT")


@respects("DL415")
def equal_names_in_different_structs(path: Path) -> None:
    left, right = struct(mapped("x", 3, physical="p")), struct(mapped("x", 4, physical="p"))
    made = with_mapping(path, mapped("s", 1, left), mapped("t", 2, right))
    made.commit(1, INFO, body(mapped("s", 1, left), mapped("t2", 2, right)))


@breaks("DL416")
def physical_name_with_a_space(path: Path) -> None:
    with_mapping(path, mapped("a", 1, physical="a b"))


@respects("DL416")
def displayed_name_with_a_space(path: Path) -> None:
    with_mapping(path, mapped("a b", 1))


@breaks("DL417")
def field_id_of_parquet_in_the_schema(path: Path) -> None:
    with_mapping(path, mapped("a", 1, **{"parquet.field.id": 1}))


@breaks("DL417")
def nested_field_ids_of_parquet_without_mapping(path: Path) -> None:
    with_columns(path, field("a", **{"parquet.field.nested.ids": {}}))


@respects("DL417")
def key_like_that_of_parquet(path: Path) -> None:
    with_columns(path, field("a", **{"PARQUET:field_id": "1"}))


ROW_ID = "delta.rowTracking.materializedRowIdColumnName"


def with_data(path: Path, ids: dict[str, int | None], mode: str = "id") -> None:
    """A table with columns `a` and `b`, and a Parquet file that has columns with these ids."""
    columns = [
        pa.field(
            name, pa.int32(), metadata=None if value is None else {"PARQUET:field_id": str(value)}
        )
        for name, value in ids.items()
    ]
    data = pa.Table.from_pylist([dict.fromkeys(ids, 1)], schema=pa.schema(columns))
    pq.write_table(data, path / "f")
    size = (path / "f").stat().st_size
    meta = body(A, B, mode=mode, properties={ROW_ID: "_row-id-col-1"})
    one_commit(path, protocol(2, 5), meta, add("f", size=size, stats=stats()))


@breaks("DL418", depth="deep")
def columns_of_a_file_have_no_ids(path: Path) -> None:
    with_data(path, {"col-1": 1, "col-2": None})


@respects("DL418", depth="deep")
def columns_of_a_file_have_ids(path: Path) -> None:
    with_data(path, {"col-1": 1, "col-2": 2, "_row-id-col-1": None})


@respects("DL418", depth="deep")
def names_find_columns_without_ids(path: Path) -> None:
    with_data(path, {"col-1": None, "col-2": None}, mode="name")


def stats(**values: Any) -> str:
    return json.dumps({"numRecords": 1, "minValues": values, "maxValues": values})


def with_file(path: Path, mode: str = "name", **file: Any) -> None:
    """A table that is partitioned by `b`, with one file."""
    file = {"partitionValues": {"col-2": "1"}, "stats": stats()} | file
    meta = body(A, B, mapped("c", 3, physical="a"), mode=mode, partitionColumns=["b"])
    one_commit(path, protocol(2, 5), meta, add("f", **file))


@breaks("DL419")
def partition_value_by_displayed_name(path: Path) -> None:
    with_file(path, partitionValues={"b": "1"})


@breaks("DL419")
def statistics_by_displayed_name(path: Path) -> None:
    with_file(path, stats=stats(c=1))


@breaks("DL419")
def null_count_by_displayed_name(path: Path) -> None:
    with_file(path, stats=json.dumps({"numRecords": 1, "nullCount": {"c": 0}}))


@respects("DL419")
def values_by_physical_names(path: Path) -> None:
    with_file(path, stats=stats(**{"col-1": 1, "a": 1}))


@respects("DL419", "DL701")
def file_without_partition_values(path: Path) -> None:
    with_file(path, partitionValues=None)


@respects("DL419", "DL711")
def statistics_that_are_no_json(path: Path) -> None:
    with_file(path, stats="{")


@respects("DL419", "DL411")
def displayed_names_without_mapping(path: Path) -> None:
    file = add("f", partitionValues={"b": "1"}, stats=stats(a=1))
    one_commit(path, protocol(), metadata(schemaString=schema(A, B), partitionColumns=["b"]), file)


DROPPED = "delta.columnMapping.hasDroppedOrRenamed"


def dropped(value: str) -> Action:
    return body(A, B, properties={DROPPED: value})


@breaks("DL420")
def mark_became_false(path: Path) -> None:
    one_commit(path, protocol(2, 5), dropped("true")).commit(1, INFO, dropped("false"))


@breaks("DL420")
def mark_was_unset(path: Path) -> None:
    one_commit(path, protocol(2, 5), dropped("true")).commit(1, INFO, body(A, B))


@respects("DL420")
def mark_stayed_true(path: Path) -> None:
    made = one_commit(path, protocol(2, 5), dropped("true"))
    made.commit(1, INFO, body(A, properties={DROPPED: "true"}))


@respects("DL420")
def mark_became_true(path: Path) -> None:
    one_commit(path, protocol(2, 5), dropped("false")).commit(1, INFO, dropped("true"))


@respects("DL420")
def mark_went_with_the_mapping(path: Path) -> None:
    one_commit(path, protocol(2, 5), dropped("true")).commit(1, INFO, metadata())
