"""Schemas are read or refused, and walked and named as users write them."""

import json
import sys
from collections.abc import Callable

import pytest

from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    all_types,
    change_type,
    path_text,
    slot_types,
)
from deltaadm.domain.transaction.checks import without_char
from deltaadm.domain.transaction.column_mapping import fits_into
from deltaadm.errors import TableError
from tests.support.rows import with_rows

INT = PrimitiveType("integer")


@pytest.mark.parametrize("text", [
    "not json",
    "{",
    "[]",
    "1",
    "null",
    '"integer"',
    "{}",
    '{"type":"struct"}',
    '{"type":"struct","fields":{}}x',
    '{"type":"struct","fields":[{"name":"a"}]}',
    '{"type":"struct","fields":[{"name":1,"type":"integer"}]}',
    '{"type":"struct","fields":[{"name":"a","type":{"type":"list"}}]}',
    '{"type":"struct","fields":[{"name":"a","type":{"type":"array"}}]}',
    '{"type":"struct","fields":[{"name":"a","type":7}]}',
    '{"type":"array","elementType":"integer","containsNull":true}',
    "[" * 100_000,
    '{"type":"struct","fields":' + "[" * 100_000,
], ids=lambda text: repr(text[:60]))  # fmt: skip
def test_what_is_no_schema_is_a_readable_error(text: str):
    with pytest.raises(TableError) as caught:
        StructType.parse(text)
    assert caught.value.message.startswith("The table's schema cannot be read")
    assert caught.value.delta_error_class is None


def test_a_type_from_the_future_is_kept():
    text = '{"type":"struct","fields":[{"name":"a","type":"qubit","nullable":true,"metadata":{}}]}'
    assert StructType.parse(text).to_json() == text


def test_a_schema_is_written_as_delta_writes_it():
    schema = StructType(
        (
            StructField("a", INT, nullable=False, metadata={"comment": "é"}),
            StructField("m", MapType(INT, ArrayType(INT, contains_null=False))),
        )
    )
    assert schema.to_json() == (
        '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":false,'
        '"metadata":{"comment":"é"}},{"name":"m","type":{"type":"map","keyType":"integer",'
        '"valueType":{"type":"array","elementType":"integer","containsNull":false},'
        '"valueContainsNull":true},"nullable":true,"metadata":{}}]}'
    )
    assert StructType.parse(schema.to_json()) == schema
    assert StructType.parse(json.dumps(json.loads(schema.to_json()), indent=2)) == schema


NESTED = StructType((
    StructField("a", INT),
    StructField("s", StructType((StructField("x", INT),))),
    StructField("m", MapType(StructType((StructField("k", INT),)), ArrayType(INT))),
))  # fmt: skip


def test_fields_are_walked_in_pre_order():
    assert [path for path, _ in NESTED.walk()] == [
        ("a",), ("s",), ("s", "x"), ("m",), ("m", "key", "k"),
    ]  # fmt: skip


def test_types_are_found_in_every_slot():
    names = [type(kind).__name__ for kind in all_types(NESTED)]
    assert names.count("PrimitiveType") == 4
    assert names.count("ArrayType") == names.count("MapType") == 1


def test_rewriting_sees_the_names_as_they_were():
    seen = []

    def shout(path: tuple[str, ...], one: StructField) -> StructField:
        seen.append(path)
        return StructField(one.name.upper(), one.type)

    after = NESTED.rewrite(shout)
    assert seen == [path for path, _ in NESTED.walk()]
    assert [path for path, _ in after.walk()][-1] == ("M", "key", "K")


@pytest.mark.parametrize(
    "made", [ArrayType, lambda inner: MapType(INT, inner)], ids=["array", "map"]
)
def test_what_can_be_read_can_be_rewritten(made: Callable[[DataType], DataType]):
    """The deepest type that Python's stack lets a schema have, which other code runs above."""
    kind: DataType = PrimitiveType("varchar(3)")
    levels = int(sys.getrecursionlimit() * 0.3)
    for _ in range(levels):
        kind = made(kind)
    schema = StructType((StructField("a", kind),))
    *_, (place, _) = slot_types(kind)
    assert len(place) == levels
    assert schema.rewrite(lambda _, one: one) == schema
    (plain,) = StructType((without_char(schema.fields[0]),)).fields
    assert change_type(kind, place, lambda _: PrimitiveType("string")) == plain.type
    assert fits_into(plain.type, plain.type)


@with_rows
def test_paths_are_written_as_users_write_them(path: tuple[str, ...], text: str):
    assert path_text(path) == text
