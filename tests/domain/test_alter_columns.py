"""What renaming and dropping columns comes to, and what stands in the way."""

import json
from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.actions import DomainMetadata
from deltaadm.domain.schema import path_text
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import DropColumns, RenameColumn, Step
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.columns import parse_column
from deltaadm.errors import RefusedError
from tests.support.plans import snapshot


def field(name: str, number: int, types: Any = "integer", **metadata: Any) -> dict[str, Any]:
    mapping = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"p{number}"}
    return {"name": name, "type": types, "nullable": True, "metadata": mapping | metadata}


def struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def table(*fields: dict[str, Any], partitions: tuple[str, ...] = (), **properties: str) -> Snapshot:
    mapping = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "9"}
    given = {f"delta.{key.replace('__', '.')}": value for key, value in properties.items()}
    return snapshot(
        (2, 7),
        {**mapping, **given},
        writer=["checkConstraints", "columnMapping", "domainMetadata", "generatedColumns"],
        schemaString=json.dumps(struct(*fields)),
        partitionColumns=list(partitions),
    )


NESTED = field("s", 3, struct(field("x", 4), field("y", 5)))
PLAIN = (field("a", 1), field("b", 2), NESTED)


def columns(table: Snapshot) -> list[str]:
    return [path_text(path) for path, _ in table.metadata.schema.walk()]


ARRAY = field(
    "v",
    6,
    {"type": "array", "elementType": struct(field("p", 7), field("q", 8)), "containsNull": True},
)


@pytest.mark.parametrize(
    ("step", "left"),
    [
        (DropColumns((("V", "element", "P"),)), ["a", "v", "v.element.q"]),
        (RenameColumn(("v", "element", "p"), "z"), ["a", "v", "v.element.z", "v.element.q"]),
    ],
)
def test_columns_inside_an_array(step: Step, left: list[str]):
    assert columns(evolve(table(field("a", 1), ARRAY), step)) == left


@pytest.mark.parametrize(("step", "error_class"), [
    (DropColumns((("v", "element"),)), "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE"),
    (RenameColumn(("v", "element"), "x"), "INVALID_FIELD_NAME"),
    (DropColumns((("v", "ELEMENT", "p"),)), "INVALID_FIELD_NAME"),
    (DropColumns((("a", "x"),)), "INVALID_FIELD_NAME"),
    (DropColumns((("v", "element", "x"),)), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
], ids=str)  # fmt: skip
def test_what_is_no_column_inside_an_array(step: Step, error_class: str):
    with pytest.raises(RefusedError) as caught:
        evolve(table(field("a", 1), ARRAY), step)
    assert caught.value.delta_error_class == error_class
    assert caught.value.remedy


@pytest.mark.parametrize(
    "step", [DropColumns((("A",),)), RenameColumn(("a",), "z"), DropColumns((("s", "x"),))], ids=str
)
def test_a_name_that_several_columns_have_is_ambiguous(step: Step):
    inner = field("s", 3, struct(field("x", 4), field("X", 5)))
    with pytest.raises(RefusedError) as caught:
        evolve(table(field("a", 1), field("A", 2), inner), step)
    assert caught.value.delta_error_class == "AMBIGUOUS_COLUMN_OR_FIELD"


@pytest.mark.parametrize(("step", "left"), [
    (RenameColumn(("a",), "z"), ["z", "b", "s", "s.x", "s.y"]),
    (RenameColumn(("A",), "z"), ["z", "b", "s", "s.x", "s.y"]),
    (RenameColumn(("s", "x"), "a"), ["a", "b", "s", "s.a", "s.y"]),
    (RenameColumn(("s",), "t"), ["a", "b", "t", "t.x", "t.y"]),
    (RenameColumn(("a",), "o d,d"), ["`o d,d`", "b", "s", "s.x", "s.y"]),
    (DropColumns((("b",),)), ["a", "s", "s.x", "s.y"]),
    (DropColumns((("s",),)), ["a", "b"]),
    (DropColumns((("s", "x"), ("a",))), ["b", "s", "s.y"]),
    (DropColumns((("nope",), ("a",)), if_exists=True), ["b", "s", "s.x", "s.y"]),
])  # fmt: skip
def test_the_columns_that_are_left(step: Step, left: list[str]) -> None:
    before = table(*PLAIN)
    after = evolve(before, step)
    assert columns(after) == left
    assert after.protocol == before.protocol
    kept = {one.metadata["delta.columnMapping.id"] for _, one in after.metadata.schema.walk()}
    assert kept <= {1, 2, 3, 4, 5}
    assert after.metadata.configuration["delta.columnMapping.maxColumnId"] == "9"


def test_a_partition_column_is_renamed_everywhere() -> None:
    after = evolve(table(*PLAIN, partitions=("b",)), RenameColumn(("b",), "day"))
    assert after.metadata.partition_columns == ("day",)


@pytest.mark.parametrize(("step", "listed"), [
    (RenameColumn(("s",), "t"), "a,t.x,b"),
    (RenameColumn(("s", "x"), "o d"), "a,s.`o d`,b"),
    (RenameColumn(("s", "y"), "z"), "a,s.x,b"),
    (DropColumns((("s",),)), "a,b"),
    (DropColumns((("b",), ("a",))), "s.x"),
])  # fmt: skip
def test_the_columns_with_statistics_follow(step: Step, listed: str) -> None:
    after = evolve(table(*PLAIN, dataSkippingStatsColumns="a,s.x,b"), step)
    assert after.metadata.configuration["delta.dataSkippingStatsColumns"] == listed


CLUSTERED = replace(
    table(*PLAIN),
    domains={
        "delta.clustering": DomainMetadata(
            domain="delta.clustering", configuration='{"clusteringColumns":[["p3","p4"],["p1"]]}'
        )
    },
)
GENERATED = field("g", 6, **{"delta.generationExpression": "s.x + 1"})


@pytest.mark.parametrize(("start", "step", "error_class"), [
    (table(*PLAIN), RenameColumn(("nope",), "z"), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    (table(*PLAIN), DropColumns((("s", "nope"),)), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    (table(*PLAIN), RenameColumn(("a",), "B"), "FIELD_ALREADY_EXISTS"),
    (table(*PLAIN), RenameColumn(("a",), "A"), "FIELD_ALREADY_EXISTS"),
    (table(*PLAIN, field("x y", 6), dataSkippingStatsColumns="a,`x y`"), DropColumns((("b",),)),
        "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    (snapshot(), RenameColumn(("a",), "z"), "DELTA_UNSUPPORTED_RENAME_COLUMN"),
    (snapshot(), DropColumns((("a",),)), "DELTA_UNSUPPORTED_DROP_COLUMN"),
    (table(*PLAIN), DropColumns((("s", "x"), ("s", "y"))),
        "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA"),
    (table(*PLAIN, partitions=("b",)), DropColumns((("b",),)),
        "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN"),
    (CLUSTERED, DropColumns((("s", "x"),)), "DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN"),
    (table(*PLAIN, constraints__c="length('b') > A"), RenameColumn(("a",), "z"),
        "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"),
    (table(*PLAIN, constraints__c="s . x > 0"), DropColumns((("s",),)),
        "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"),
    (table(*PLAIN, GENERATED), RenameColumn(("s", "x"), "z"),
        "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE"),
])  # fmt: skip
def test_what_stands_in_the_way(start: Snapshot, step: Step, error_class: str) -> None:
    with pytest.raises(RefusedError) as caught:
        evolve(start, step)
    assert caught.value.delta_error_class == error_class
    assert caught.value.remedy


@pytest.mark.parametrize(
    "step", [RenameColumn(("b",), "z"), RenameColumn(("s", "y"), "z"), DropColumns((("b",),))]
)
def test_what_only_looks_like_a_use_is_no_obstacle(step: Step) -> None:
    start = table(*PLAIN, constraints__c="a <> 'b' AND `s`.x > 0")
    assert evolve(start, step) != start


def test_dropping_a_clustered_table_s_other_columns() -> None:
    assert columns(evolve(CLUSTERED, DropColumns((("b",),)))) == ["a", "s", "s.x", "s.y"]


@pytest.mark.parametrize(
    ("text", "path"),
    [("a", ("a",)), ("s.x", ("s", "x")), ("`s.x`.y z", ("s.x", "y z")), ("`a``b`", ("a`b",))],
)
def test_names_of_columns(text: str, path: tuple[str, ...]) -> None:
    assert parse_column(text) == path


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", "`a", "`a`b", "a`b"])
def test_what_is_no_name_of_a_column(text: str) -> None:
    with pytest.raises(RefusedError, match="is not a column name"):
        parse_column(text)
