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
from tests.support.tables import Action, Table, add, commit_info, drafted, metadata, protocol

MODE, MAX = "delta.columnMapping.mode", "delta.columnMapping.maxColumnId"
ID, PHYSICAL = "delta.columnMapping.id", "delta.columnMapping.physicalName"
NESTED = "delta.columnMapping.nested.ids"
A, B = mapped("a", 1), mapped("b", 2)


def body(*fields: Any, mode: str = "name", highest: Any = 9, **more: Any) -> Action:
    """The metaData action of a table with column mapping."""
    configuration = {MODE: mode} | ({} if highest is None else {MAX: str(highest)})
    configuration |= more.pop("properties", {})
    return metadata(configuration, schemaString=schema(*fields), **more)


@drafted
def with_mapping(path: Path, *fields: Any, **more: Any) -> Table:
    return one_commit(protocol(2, 5), body(*fields, **more))(path)


@drafted
def then(path: Path, *actions: Action, operation: str = "WRITE") -> None:
    """A table with columns `a` and `b`, and a commit after it."""
    with_mapping(A, B)(path).commit(1, INFO | commit_info(operation=operation), *actions)


breaks("DL401", "mode that does not exist", with_mapping(A, mode="names"))
respects("DL401", "mode in capitals", with_mapping(A, mode="NAME"))

breaks("DL402", "name mode at legacy versions", one_commit(protocol(1, 2), body(A)))
breaks("DL402", "id mode with lists that lack it",
    one_commit(protocol(1, 7, None, ["domainMetadata"]), body(A, mode="id")))
breaks("DL402 DL403 DL404", "name mode without support or names",
    one_commit(protocol(1, 2), body(field("a"))))
respects("DL402", "name mode with lists",
    one_commit(protocol(2, 7, None, ["columnMapping"]), body(A)))
respects("DL402", "no mapping at legacy versions",
    with_protocol(1, 2, configuration={MODE: "none"}))

breaks("DL403", "id is missing", with_mapping(A, field("b", **{PHYSICAL: "b"})))
breaks("DL403", "id is missing inside a map",
    with_mapping(mapped("m", 1, mapping("string", struct(field("x", **{PHYSICAL: "x"}))))))
respects("DL403", "internal column without id", with_mapping(A, field("_Change_Type", "string")))

breaks("DL404", "physical name is missing", with_mapping(A, field("b", **{ID: 2})))
breaks("DL404", "physical name is a number", with_mapping(A, field("b", **{ID: 2, PHYSICAL: 2})))
breaks("DL404", "physical name is empty", with_mapping(A, field("b", **{ID: 2, PHYSICAL: ""})))
respects("DL404", "physical name is the displayed one",
    with_mapping(A, mapped("b", 2, physical="b")))

breaks("DL405", "two columns share an id", with_mapping(A, mapped("b", 1, physical="other")))
breaks("DL405", "nested map value repeats an id",
    with_mapping(A, mapped("m", 2, mapping("string", array(struct(mapped("x", 1, physical="x")))))))
respects("DL405", "every column has its own id", with_mapping(A, B))
respects("DL405 DL411", "duplicate ids without mapping",
    with_columns(A, mapped("b", 1, physical="other")))

breaks("DL406", "two columns share a physical name",
    with_mapping(A, mapped("b", 2, physical="col-1")))
breaks("DL406", "two fields of a struct share a physical name",
    with_mapping(mapped("s", 1,
        array(struct(mapped("x", 2, physical="p"), mapped("y", 3, physical="p"))))))
respects("DL406", "struct and child share a physical name",
    with_mapping(mapped("s", 1, struct(mapped("x", 2, physical="p")), physical="p")))


@respects("DL406")
def fields_of_two_structs_share_a_physical_name(path: Path) -> None:
    left, right = struct(mapped("x", 3, physical="p")), struct(mapped("x", 4, physical="p"))
    with_mapping(mapped("s", 1, left), mapped("t", 2, right))(path)


respects("DL406 DL411", "shared physical name without mapping",
    with_columns(A, mapped("b", 2, physical="col-1")))

breaks("DL407", "maximum is missing", with_mapping(A, highest=None))
respects("DL407", "maximum is not needed", with_columns(field("a")))

breaks("DL408", "maximum is too low", with_mapping(A, B, highest=1))
breaks("DL408", "maximum is below a nested id",
    with_mapping(mapped("a", 1, array("integer"), **{NESTED: {"col-1.element": 5}}), highest=4))
respects("DL408", "maximum is the highest id", with_mapping(A, B, highest=2))
respects("DL408 DL310", "maximum is no number", with_mapping(A, highest="many"))
respects("DL408 DL411", "maximum without mapping", with_columns(B, configuration={MAX: "1"}))

breaks("DL409", "maximum was lowered", then(body(A, B, highest=2)))
breaks("DL409", "id of a dropped column came back", with_mapping(A, B).commit(1, INFO, body(A))
    .commit(2, INFO, body(A, mapped("c", 2, physical="other"))))
respects("DL409", "dropped column came back with its own name",
    with_mapping(A, B).commit(1, INFO, body(A)).commit(2, INFO, body(A, B)))
respects("DL409 DL407", "maximum went missing", then(body(A, B, highest=None)))
respects("DL409", "maximum was missing", with_mapping(A, highest=None).commit(1, INFO, body(A)))
respects("DL409", "maximum was raised", then(body(A, B, mapped("c", 10), highest=10)))


@respects("DL409")
def ids_start_again_after_a_replacement(path: Path) -> None:
    made = with_mapping(A, B)(path)
    new = mapped("c", 1, physical="other")
    made.commit(1, INFO | commit_info(operation="REPLACE TABLE"), body(new, highest=1))
    made.commit(2, INFO, body(new, mapped("d", 2, physical="another"), highest=2))


respects("DL409", "ids start again after mapping was off", with_mapping(A, B)
    .commit(1, INFO, metadata()).commit(2, INFO, body(mapped("a", 1, physical="a"), highest=1))
    .commit(3, INFO, body(mapped("a", 1, physical="a"), mapped("c", 2, physical="c"))))

breaks("DL410", "id is a string", with_mapping(mapped("a", 1, **{ID: "1"})))
breaks("DL410", "id is negative", with_mapping(mapped("a", -1)))
breaks("DL410", "id has more than 32 bits", with_mapping(mapped("a", 2**31), highest=2**31))
breaks("DL410", "id is true", with_mapping(mapped("a", 1, **{ID: True})))
respects("DL410", "lowest and highest id",
    with_mapping(mapped("a", 0), mapped("b", 2**31 - 1), highest=2**31 - 1))

breaks("DL411", "leftovers without mapping",
    with_columns(*(mapped(f"c{number}", number) for number in range(8))))
breaks("DL411", "nested leftover in mode none",
    with_columns(field("m", array(struct(field("x", **{PHYSICAL: "x"})))),
        configuration={MODE: "none"}))
respects("DL411", "mapping is on", with_mapping(A))


@drafted
def compatible(path: Path, *fields: Any, on: str = "true") -> None:
    properties = {"delta.enableIcebergCompatV2": on}
    names = ["columnMapping", "icebergCompatV2"]
    one_commit(protocol(2, 7, None, names), body(*fields, properties=properties))(path)


breaks("DL412", "key with another prefix",
    with_mapping(mapped("a", 1, array("integer"), **{NESTED: {"a.element": 2}})))
breaks("DL412", "key of another part",
    with_mapping(mapped("a", 1, array("integer"), **{NESTED: {"col-1.value": 2}})))
breaks("DL412", "nested id is a string",
    with_mapping(mapped("a", 1, array("integer"), **{NESTED: {"col-1.element": "2"}})))
breaks("DL412", "nested ids are a list",
    with_mapping(mapped("a", 1, array("integer"), **{NESTED: [2]})))
respects("DL412", "nested ids of a map of arrays",
    with_mapping(mapped("a", 1, mapping("string", array("integer")),
        **{NESTED: {"col-1.key": 2, "col-1.value": 3, "col-1.value.element": 4}})))

breaks("DL413", "part without id under iceberg compatibility",
    compatible(mapped("a", 1, mapping("string", "string"), **{NESTED: {"col-1.key": 2}})))
breaks("DL413", "nested id of a column",
    with_mapping(mapped("a", 1, array("integer"), **{NESTED: {"col-1.element": 2}}), B))
breaks("DL413", "nested id twice", with_mapping(mapped("a", 1, mapping("string", "string"),
    **{NESTED: {"col-1.key": 2, "col-1.value": 2}})))
respects("DL413", "every part has an id",
    compatible(mapped("a", 1, array("integer"), **{NESTED: {"col-1.element": 2}})))
respects("DL413", "iceberg compatibility is off",
    compatible(mapped("a", 1, array("integer")), on="false"))
respects("DL413", "iceberg compatibility v1 needs no nested ids",
    one_commit(protocol(2, 7, None, ["columnMapping", "icebergCompatV1"]),
        body(A, properties={"delta.enableIcebergCompatV1": "true"})))

breaks("DL414", "name to id", then(body(A, B, mode="id")))
breaks("DL414", "none to id",
    one_commit(protocol(2, 5), metadata()).commit(1, INFO, body(A, mode="id")))
respects("DL414", "none to name",
    one_commit(protocol(2, 5), metadata()).commit(1, INFO, body(mapped("a", 1, physical="a"))))
respects("DL414", "name to none", then(metadata()))
respects("DL414", "name to id by replacement",
    then(body(A, B, mode="id"), operation="CREATE OR REPLACE TABLE"))
respects("DL414 DL401", "name to nonsense", then(body(A, B, mode="names")))

breaks("DL415", "physical name changed", then(body(A, mapped("b", 2, physical="other"))))
breaks("DL415", "id changed", then(body(A, mapped("b", 3, physical="col-2"))))
respects("DL415", "mapping was off before",
    one_commit(protocol(2, 5), metadata(schemaString=schema(A, B)))
        .commit(1, INFO, body(mapped("a", 7, physical="a"), mapped("b", 2, physical="b"))))
respects("DL415", "column renamed", then(body(A, mapped("renamed", 2))))
respects("DL415", "names changed by replacement",
    then(body(A, mapped("b", 2, physical="other")), operation="CREATE OR REPLACE TABLE AS SELECT"))


@respects("DL415")
def equal_names_in_different_structs(path: Path) -> None:
    left, right = struct(mapped("x", 3, physical="p")), struct(mapped("x", 4, physical="p"))
    made = with_mapping(mapped("s", 1, left), mapped("t", 2, right))(path)
    made.commit(1, INFO, body(mapped("s", 1, left), mapped("t2", 2, right)))


breaks("DL416", "physical name with a space", with_mapping(mapped("a", 1, physical="a b")))
respects("DL416", "displayed name with a space", with_mapping(mapped("a b", 1)))

breaks("DL417", "field id of parquet in the schema",
    with_mapping(mapped("a", 1, **{"parquet.field.id": 1})))
breaks("DL417", "nested field ids of parquet without mapping",
    with_columns(field("a", **{"parquet.field.nested.ids": {}})))
respects("DL417", "key like that of parquet", with_columns(field("a", **{"PARQUET:field_id": "1"})))


ROW_ID = "delta.rowTracking.materializedRowIdColumnName"


@drafted
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
    one_commit(protocol(2, 5), meta, add("f", size=size, stats=stats()))(path)


breaks("DL418", "columns of a file have no ids",
    with_data({"col-1": 1, "col-2": None}), depth="deep")
respects("DL418", "columns of a file have ids",
    with_data({"col-1": 1, "col-2": 2, "_row-id-col-1": None}), depth="deep")
respects("DL418", "names find columns without ids",
    with_data({"col-1": None, "col-2": None}, mode="name"), depth="deep")


def stats(**values: Any) -> str:
    return json.dumps({"numRecords": 1, "minValues": values, "maxValues": values})


@drafted
def with_file(path: Path, mode: str = "name", **file: Any) -> None:
    """A table that is partitioned by `b`, with one file."""
    file = {"partitionValues": {"col-2": "1"}, "stats": stats()} | file
    meta = body(A, B, mapped("c", 3, physical="a"), mode=mode, partitionColumns=["b"])
    one_commit(protocol(2, 5), meta, add("f", **file))(path)


breaks("DL419", "partition value by displayed name", with_file(partitionValues={"b": "1"}))
breaks("DL419", "statistics by displayed name", with_file(stats=stats(c=1)))
breaks("DL419", "null count by displayed name",
    with_file(stats=json.dumps({"numRecords": 1, "nullCount": {"c": 0}})))
respects("DL419", "values by physical names", with_file(stats=stats(**{"col-1": 1, "a": 1})))
respects("DL419 DL701", "file without partition values", with_file(partitionValues=None))
respects("DL419 DL711", "statistics that are no json", with_file(stats="{"))
respects("DL419 DL411", "displayed names without mapping",
    one_commit(protocol(), metadata(schemaString=schema(A, B), partitionColumns=["b"]),
        add("f", partitionValues={"b": "1"}, stats=stats(a=1))))


DROPPED = "delta.columnMapping.hasDroppedOrRenamed"


def dropped(value: str) -> Action:
    return body(A, B, properties={DROPPED: value})


breaks("DL420", "mark became false",
    one_commit(protocol(2, 5), dropped("true")).commit(1, INFO, dropped("false")))
breaks("DL420", "mark was unset",
    one_commit(protocol(2, 5), dropped("true")).commit(1, INFO, body(A, B)))
respects("DL420", "mark stayed true", one_commit(protocol(2, 5), dropped("true"))
    .commit(1, INFO, body(A, properties={DROPPED: "true"})))
respects("DL420", "mark became true",
    one_commit(protocol(2, 5), dropped("false")).commit(1, INFO, dropped("true")))
respects("DL420", "mark went with the mapping",
    one_commit(protocol(2, 5), dropped("true")).commit(1, INFO, metadata()))
