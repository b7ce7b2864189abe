"""Columns and types are read as Spark SQL reads them, written so, and refused with the place."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.ddl import (
    ColumnDefinition,
    Position,
    columns_sql,
    definition_sql,
    literal,
    parse_columns,
    parse_default,
    parse_definitions,
    parse_position,
    parse_type,
    position_sql,
    type_sql,
    unescaped,
)
from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT
from deltaadm.errors import RefusedError
from tests.support.rows import with_rows

INT, STRING, LONG = PrimitiveType("integer"), PrimitiveType("string"), PrimitiveType("long")


@pytest.mark.parametrize(("text", "expected"), [
    ("int", INT),
    ("INTEGER", INT),
    ("BigInt", LONG),
    ("TINYINT", PrimitiveType("byte")),
    ("REAL", PrimitiveType("float")),
    ("dec", PrimitiveType("decimal(10,0)")),
    ("NUMERIC( 38 , 38 )", PrimitiveType("decimal(38,38)")),
    ("decimal(5)", PrimitiveType("decimal(5,0)")),
    ("CHARACTER(3)", PrimitiveType("char(3)")),
    ("timestamp", PrimitiveType("timestamp")),
    ("TIMESTAMP WITHOUT TIME ZONE", PrimitiveType("timestamp_ntz")),
    ("timestamp_ltz", PrimitiveType("timestamp")),
    ("string collate utf8_binary", STRING),
    ("string collate unicode_ci", PrimitiveType("string collate UNICODE_CI")),
    ("interval year to month", PrimitiveType("interval year to month")),
    ("INTERVAL HOUR", PrimitiveType("interval hour")),
    ("time", PrimitiveType("time(6)")),
    ("array<array<int>>", ArrayType(ArrayType(INT))),
    ("map<string,map<string,int>>", MapType(STRING, MapType(STRING, INT))),
    ("STRUCT<>", StructType()),
    ("struct<a int, `b c`: STRING NOT NULL COMMENT 'it''s'>",
        StructType((StructField("a", INT), StructField("b c", STRING, nullable=False,
        metadata={"comment": "it's"})))),
])  # fmt: skip
def test_types(text: str, expected: DataType):
    assert parse_type(text) == expected


@with_rows
def test_clauses_of_a_column(clauses: str, nullable: object, metadata: dict[str, object]):
    read = parse_columns(f"first INT, /* a\nremark */ a BIGINT{clauses}, -- the end\n z INT")
    assert read.fields[1] == StructField("a", LONG, bool(nullable), metadata)
    assert [field.name for field in read.fields] == ["first", "a", "z"]


@with_rows
def test_what_is_wrong_is_told_with_its_place(text: str, position: int, expected: str):
    with pytest.raises(RefusedError) as caught:
        parse_columns(text)
    assert f": expected {expected}" in caught.value.message
    assert f" at position {position}, found " in caught.value.message
    assert caught.value.remedy


def test_a_misspelt_type_has_a_suggestion():
    with pytest.raises(RefusedError) as caught:
        parse_type("STRNG")
    assert "STRING" in caught.value.remedy


@pytest.mark.parametrize(("text", "error_class"), [
    ("a INT GENERATED ALWAYS AS IDENTITY (INCREMENT BY 0)", "IDENTITY_COLUMNS_ILLEGAL_STEP"),
    ("a DECIMAL(39)", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION"),
    ("a ARRAY<DECIMAL(39, 1)>", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION"),
    ("a DECIMAL(5, 6)", "_LEGACY_ERROR_TEMP_1228"),
    ("a DECIMAL(-1)", "PARSE_SYNTAX_ERROR"),
    ("a DECIMAL(٣)", "PARSE_SYNTAX_ERROR"),
    ("a NUMBER", "UNSUPPORTED_DATATYPE"),
    (f"a {'ARRAY<' * 100_000}", None),
])  # fmt: skip
def test_what_delta_refuses_is_refused(text: str, error_class: str | None):
    with pytest.raises(RefusedError) as caught:
        parse_columns(text)
    assert caught.value.delta_error_class == error_class


@pytest.mark.parametrize(("text", "expected"), [
    ("a INT", ColumnDefinition(StructField("a", INT))),
    ("s.`x.y` INT FIRST", ColumnDefinition(StructField("x.y", INT), ("s",), Position())),
    ("m.value.z STRING AFTER `b c` NOT NULL",
        ColumnDefinition(StructField("z", STRING, nullable=False), ("m", "value"),
        Position("b c"))),
])  # fmt: skip
def test_columns_to_add(text: str, expected: ColumnDefinition):
    assert parse_definitions(f"{text}, z INT") == (
        expected,
        ColumnDefinition(StructField("z", INT)),
    )


@pytest.mark.parametrize("position", [Position(), Position("a"), Position("odd `name`")])
def test_a_position_survives_being_written(position: Position):
    assert parse_position(position_sql(position)) == position


@pytest.mark.parametrize(
    ("text", "expected"),
    [(" f(1, 2) -- two", "f(1, 2)"), ("'a,b'", "'a,b'"), ("[1, 2][0]", "[1, 2][0]")],
)
def test_a_default_is_what_stands_between_comments(text: str, expected: str):
    assert parse_default(text) == expected


@pytest.mark.parametrize("text", ["", "1, a DROP DEFAULT", "f(1", "1) x", "-- 1"])
def test_what_could_not_stand_alone_is_no_default(text: str):
    with pytest.raises(RefusedError, match="expected"):
        parse_default(text)


def test_a_generated_column_cannot_be_added():
    with pytest.raises(RefusedError, match="expected the end of the text"):
        parse_definitions("g INT GENERATED ALWAYS AS (a + 1)")


NAMES = st.text(min_size=1).filter(
    lambda name: not any("\ud800" <= character <= "\udfff" for character in name)
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
PRIMITIVES = st.sampled_from(
    [
        *("boolean", "byte", "short", "integer", "long", "float", "double", "string", "binary"),
        *("date", "timestamp", "timestamp_ntz", "variant", "void", "decimal(38,18)", "char(7)"),
        *(
            "string collate UNICODE",
            "varchar(1)",
            "time(0)",
            "interval day to second",
            "interval month",
            "geometry(OGC:CRS84)",
            "geography(SRID:ANY)",
            "geometry(EPSG:3857)",
        ),
    ]
).map(PrimitiveType)


def _fields(types: st.SearchStrategy[DataType]) -> st.SearchStrategy[StructField]:
    comments = st.one_of(st.just({}), TEXTS.map(lambda text: {"comment": text}))
    return st.builds(StructField, NAMES, types, st.booleans(), comments)


TYPES: st.SearchStrategy[DataType] = st.recursive(
    PRIMITIVES,
    lambda inner: st.one_of(
        st.builds(ArrayType, inner),
        st.builds(MapType, inner, inner),
        st.builds(StructType, st.lists(_fields(inner), max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
SOURCES = st.sampled_from([
    {},
    {"delta.generationExpression": "concat(`a`, ')')"},
    {"CURRENT_DEFAULT": "array(1, 2)", "EXISTS_DEFAULT": KNOWN_AFTER_COMMIT},
    {"delta.identity.start": -5, "delta.identity.step": 3, "delta.identity.allowExplicitInsert":
        True},
])  # fmt: skip


@st.composite
def columns(draw: st.DrawFn) -> StructField:
    plain = draw(_fields(TYPES))
    metadata = {**plain.metadata, **draw(SOURCES)}
    data_type = PrimitiveType("long") if "delta.identity.start" in metadata else plain.type
    return StructField(plain.name, data_type, plain.nullable, metadata)


@given(TYPES)
def test_a_type_survives_being_written(data_type: DataType):
    assert parse_type(type_sql(data_type)) == data_type


@given(st.lists(columns(), min_size=1, max_size=4))
def test_columns_survive_being_written(fields: list[StructField]):
    struct = StructType(tuple(fields))
    assert parse_columns(columns_sql(struct)) == struct


@given(
    _fields(TYPES),
    st.lists(NAMES, max_size=3).map(tuple),
    st.one_of(st.none(), st.builds(Position, st.one_of(st.none(), NAMES))),
)
def test_a_column_to_add_survives_being_written(
    column: StructField, parent: tuple[str, ...], position: Position | None
):
    definition = ColumnDefinition(column, parent, position)
    assert parse_definitions(definition_sql(definition)) == (definition,)


@given(TEXTS)
def test_a_text_survives_being_written(text: str):
    assert unescaped(literal(text)) == text


@given(st.text(st.sampled_from(list("abIN T<>(),:`'\"\\.-/*1\n;")), max_size=40))
def test_any_text_is_read_or_refused(text: str):
    for parse in (parse_columns, parse_definitions, parse_type, parse_position, parse_default):
        with suppress(RefusedError):
            parse(text)
