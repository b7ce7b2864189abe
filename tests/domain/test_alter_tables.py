"""Adding and changing columns, constraints, clustering: what comes out, and what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.schema import PrimitiveType, StructField, StructType, path_text
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.sql.ddl import (
    Position,
    columns_sql,
    parse_columns,
    parse_definitions,
    parse_type,
)
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    ColumnChange,
    DropConstraint,
    Step,
)
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.columns import (
    CLUSTERING_DOMAIN,
    clustering_columns,
    columns_with_statistics,
    parse_column,
    with_clustering,
)
from deltaadm.domain.transaction.constraints import stored_expression
from deltaadm.errors import RefusedError
from tests.support.plans import snapshot
from tests.support.rows import with_rows

FIRST = Position()
RESERVED = "__CHAR_VARCHAR_STRING_LENGTH_CHECK__"
COLUMNS = (
    "a INT NOT NULL, b STRING, s STRUCT<x: INT, y: STRUCT<z: STRING>>, "
    "arr ARRAY<STRUCT<p: BIGINT>>, m MAP<STRING, INT>"
)


def table(
    columns: str = COLUMNS, *features: str, partitions: Any = (), **properties: str
) -> Snapshot:
    configuration = {f"delta.{key.replace('__', '.')}": value for key, value in properties.items()}
    readers = sorted({"typeWidening", "columnMapping"} & set(features))
    made = snapshot(
        (3 if readers else 1, 7),
        configuration,
        reader=readers or None,
        writer=sorted({"appendOnly", "invariants", *features}),
        schemaString=parse_columns(columns).to_json(),
        partitionColumns=list(partitions),
    )
    return replace(made, domains={})


def widening(columns: str) -> Snapshot:
    return table(columns, "typeWidening", enableTypeWidening="true")


def add(text: str) -> AddColumns:
    return AddColumns(parse_definitions(text))


def change(column: str, **what: Any) -> ChangeColumns:
    return ChangeColumns((ColumnChange(parse_column(column), **what),))


def widen(column: str, text: str) -> ChangeColumns:
    return change(column, type=parse_type(text))


def cluster(*columns: str) -> ClusterBy:
    return ClusterBy(tuple(map(parse_column, columns)))


def schema_of(after: Snapshot) -> str:
    return columns_sql(after.metadata.schema).replace("`", "")


@pytest.mark.parametrize(("columns", "step", "expected"), [
    ("a INT", add("b INT"), "a INT, b INT"),
    ("a INT", add("b INT FIRST, c INT AFTER B"), "b INT, c INT, a INT"),
    ("a INT", add("b INT COMMENT 'x' FIRST"), "b INT COMMENT 'x', a INT"),
    ("s STRUCT<x: INT>", add("S.y INT FIRST"), "s STRUCT<y: INT, x: INT>"),
    ("v ARRAY<STRUCT<x: INT>>", add("v.element.y INT"), "v ARRAY<STRUCT<x: INT, y: INT>>"),
    ("m MAP<INT, STRUCT<x: INT>>", add("m.value.y INT AFTER x"),
        "m MAP<INT, STRUCT<x: INT, y: INT>>"),
    ("a INT NOT NULL", change("A", nullable=True), "a INT"),
    ("a INT", change("a", comment="x"), "a INT COMMENT 'x'"),
    ("a INT COMMENT 'x'", change("a", comment=""), "a INT COMMENT ''"),
    ("a INT, b INT, c INT", change("c", position=FIRST), "c INT, a INT, b INT"),
    ("a INT, b INT, c INT", change("a", position=Position("B")), "b INT, a INT, c INT"),
    ("a INT, b INT", change("a", position=Position("A")), "a INT, b INT"),
    ("s STRUCT<x: INT, y: INT>", change("s.y", position=FIRST), "s STRUCT<y: INT, x: INT>"),
])  # fmt: skip
def test_columns_afterwards(columns: str, step: Step, expected: str):
    assert schema_of(evolve(table(columns), step)) == expected


@with_rows
def test_a_widened_column_notes_what_it_was(
    columns: str, column: str, to: str, expected: str | None, recorded: dict[str, str] | None
):
    before = widening(columns)
    if expected is None:
        with pytest.raises(RefusedError) as caught:
            evolve(before, widen(column, to))
        assert caught.value.delta_error_class == "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT"
        return
    after = evolve(before, widen(column, to))
    assert schema_of(after) == expected
    found = [
        one.metadata["delta.typeChanges"] for _, one in after.metadata.schema.walk() if one.metadata
    ]
    assert found == [[recorded]]


def test_widening_twice_keeps_both_records():
    once = evolve(widening("a TINYINT"), widen("a", "INT"))
    (column,) = evolve(once, widen("a", "BIGINT")).metadata.schema.fields
    assert [change["toType"] for change in column.metadata["delta.typeChanges"]] == [
        "integer",
        "long",
    ]


def test_a_longer_varchar_needs_no_widening():
    stored = evolve(table("k INT"), add("v VARCHAR(3), w STRUCT<c: CHAR(2)>"))
    longer = evolve(stored, widen("v", "VARCHAR(9)"))
    assert [field.metadata for field in longer.metadata.schema.fields] == [
        {},
        {"__CHAR_VARCHAR_TYPE_STRING": "varchar(9)"},
        {"__CHAR_VARCHAR_TYPE_STRING": "struct<c:char(2)>"},
    ]
    assert schema_of(longer) == "k INT, v STRING, w STRUCT<c: STRING>"
    assert evolve(longer, widen("v", "STRING")).metadata.schema.fields[1].metadata == {}


def test_defaults_are_for_tables_with_the_feature():
    before = table("a INT", "allowColumnDefaults")
    after = evolve(before, change("a", default="1 + 1"))
    assert after.metadata.schema.fields[0].metadata == {"CURRENT_DEFAULT": "1 + 1"}
    assert evolve(after, change("a", default="")).metadata.schema == before.metadata.schema


@pytest.mark.parametrize(("step", "error_class"), [
    (add("n INT NOT NULL"), "DELTA_OPERATION_NOT_ALLOWED"),
    (add("n ARRAY<STRUCT<q: INT NOT NULL>>"), "DELTA_OPERATION_NOT_ALLOWED"),
    (add("n INT DEFAULT 5"),
        "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED"),
    (add("nope.x INT"), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    (add("a.x INT"), "INVALID_FIELD_NAME"),
    (add("arr.x INT"), "INVALID_FIELD_NAME"),
    (add("s.nope.x INT"), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    (add("a.b.x INT"), "INVALID_FIELD_NAME"),
    (add("arr.ELEMENT.x INT"), "INVALID_FIELD_NAME"),
    (add("s.X INT"), "FIELD_ALREADY_EXISTS"),
    (add("n INT AFTER nope"), "FIELD_NOT_FOUND"),
    (add("s.n INT AFTER a"), "FIELD_NOT_FOUND"),
    (add("n INT, N INT"), "COLUMN_ALREADY_EXISTS"),
    (add("`x y` INT"), "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"),
    (add("n INTERVAL DAY"), "DELTA_UNSUPPORTED_DATA_TYPES"),
    (add("n STRING COLLATE UNICODE"), "DELTA_UNSUPPORTED_DATA_TYPES"),
    (add("n ARRAY<TIME>"), "UNSUPPORTED_TIME_TYPE"),
    (add("n TIMESTAMP_NTZ"), "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT"),
    (change("nope", comment="x"), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    (change("b", nullable=False), "_LEGACY_ERROR_TEMP_2330"),
    (change("b", position=Position("nope")), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    (change("s.x", position=Position("a")), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    (change("arr.element", comment="x"), "DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY"),
    (change("m.key", nullable=True), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
    (change("a", default="1"), "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED"),
    (widen("a", "BIGINT"), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
    (widen("a", "STRING"), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
    (widen("a", "SMALLINT"), "NOT_SUPPORTED_CHANGE_COLUMN"),
    (widen("b", "VARCHAR(3)"), "NOT_SUPPORTED_CHANGE_COLUMN"),
    (widen("s", "STRUCT<x: INT>"), "CANNOT_UPDATE_FIELD.STRUCT_TYPE"),
    (widen("a", "ARRAY<INT>"), "CANNOT_UPDATE_FIELD.ARRAY_TYPE"),
    (widen("m", "MAP<INT, INT>"), "CANNOT_UPDATE_FIELD.MAP_TYPE"),
    (AddConstraint("c", "nope > 0"), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    (AddConstraint("c", "a > 0)"), "PARSE_SYNTAX_ERROR"),
    (AddConstraint("c", "(a > 0"), "PARSE_SYNTAX_ERROR"),
    (AddConstraint("c", "b = 'x"), "PARSE_SYNTAX_ERROR"),
    (AddConstraint("c", " -- nothing"), "PARSE_SYNTAX_ERROR"),
    (AddConstraint("c", "exists(arr, one -> one.p > 0)"), "PARSE_SYNTAX_ERROR"),
    (AddConstraint("__CHAR_VARCHAR_STRING_LENGTH_CHECK__", "true"),
        "DELTA_INVALID_CONSTRAINT_NAME"),
    (DropConstraint("nope"), "DELTA_CONSTRAINT_DOES_NOT_EXIST"),
    (cluster("nope"), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    (cluster("arr.element.p"), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    (cluster("a", "A"), "DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY"),
    (cluster("a", "b", "s.x", "s.y.z", "m"), "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS"),
    (cluster("s"), "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED"),
], ids=str)  # fmt: skip
def test_refusals(step: Step, error_class: str):
    with pytest.raises(RefusedError) as caught:
        evolve(table(), step)
    assert caught.value.delta_error_class == error_class
    assert caught.value.message
    assert caught.value.remedy


COMPUTED = "b INT, g INT GENERATED ALWAYS AS (b + 1), i BIGINT GENERATED ALWAYS AS IDENTITY"


@pytest.mark.parametrize(("step", "error_class"), [
    (widen("b", "BIGINT"), "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE"),
    (widen("g", "BIGINT"), "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"),
    (widen("i", "DECIMAL(20, 0)"), "DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED"),
    (change("i", nullable=True), "DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED"),
], ids=str)  # fmt: skip
def test_computed_columns_are_held_fast(step: Step, error_class: str):
    features = ("typeWidening", "generatedColumns", "identityColumns")
    before = table(COMPUTED, *features, enableTypeWidening="true")
    with pytest.raises(RefusedError) as caught:
        evolve(before, step)
    assert caught.value.delta_error_class == error_class
    assert evolve(before, change("i", comment="x")).metadata.schema != before.metadata.schema


def test_a_constraint_in_use_holds_its_columns_fast():
    after = evolve(widening("a INT, b INT"), AddConstraint("Positive", "b>0"))
    assert after.metadata.configuration["delta.constraints.positive"] == "b > 0"
    assert after.protocol.supports("checkConstraints")
    assert evolve(after, widen("a", "BIGINT"))
    with pytest.raises(RefusedError) as caught:
        evolve(after, widen("b", "BIGINT"))
    assert caught.value.delta_error_class == "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"
    with pytest.raises(RefusedError) as caught:
        evolve(after, AddConstraint("POSITIVE", "true"))
    assert caught.value.delta_error_class == "DELTA_CONSTRAINT_ALREADY_EXISTS"
    gone = evolve(after, DropConstraint("POSITIVE"))
    assert "delta.constraints.positive" not in gone.metadata.configuration


@with_rows
def test_expressions_are_stored_as_tokens(text: str, stored: str):
    assert stored_expression(text) == stored
    assert stored_expression(stored) == stored


INT = PrimitiveType("integer")
MAPPING = {"columnMapping__mode": "name", "columnMapping__maxColumnId": "9"}


def mapped(number: int) -> dict[str, Any]:
    return {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"p{number}"}


def test_clustering_brings_its_feature_and_keeps_physical_names():
    columns = [
        StructField("a", INT, metadata=mapped(1)),
        StructField(
            "s", StructType((StructField("x", INT, metadata=mapped(3)),)), metadata=mapped(2)
        ),
    ]
    bare = table("k INT", "columnMapping", **MAPPING)
    before = replace(bare, metadata=bare.metadata.with_schema(StructType(tuple(columns))))
    after = evolve(before, cluster("S.X", "a"))
    assert clustering_columns(after) == (("s", "x"), ("a",))
    assert after.protocol.supports("clustering")
    assert after.protocol.supports("domainMetadata")
    assert after.domains is not None
    assert after.domains[CLUSTERING_DOMAIN].configuration == (
        '{"clusteringColumns":[["p2","p3"],["p1"]],"domainName":"delta.clustering"}'
    )


def test_clustering_by_a_column_whose_name_is_not_known_yet_waits():
    before = table(
        "a INT", "columnMapping", columnMapping__mode="name", columnMapping__maxColumnId="0"
    )
    with pytest.raises(RefusedError, match="known only after it is added"):
        evolve(evolve(before, add("n INT")), cluster("n"))


def test_no_clustering_where_there_is_none_changes_nothing():
    assert evolve(table(), cluster()) == table()
    clustered = evolve(table(), cluster("a"))
    assert clustering_columns(evolve(clustered, cluster())) == ()


def test_a_partitioned_table_is_not_clustered():
    with pytest.raises(RefusedError) as caught:
        evolve(table(partitions=["a"]), cluster("b"))
    assert caught.value.delta_error_class == (
        "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED"
    )


@with_rows
def test_columns_that_files_have_statistics_of(properties: dict[str, str], expected: list[str]):
    found = columns_with_statistics(table(**properties).metadata)
    assert [path_text(path) for path in found] == expected


def test_a_clustered_column_without_statistics_holds_the_order_fast():
    before = table("a INT, b INT", "clustering", "domainMetadata", dataSkippingNumIndexedCols="1")
    with pytest.raises(RefusedError) as caught:
        evolve(with_clustering(before, [("b",)]), change("a", position=Position("b")))
    assert caught.value.delta_error_class == "DELTA_CLUSTERING_COLUMN_MISSING_STATS"
    assert evolve(with_clustering(before, [("a",)]), change("a", position=Position("b")))
