"""Column mapping: who gets which id and name, and what is refused."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.described import (
    MIN_PROTOCOL_VERSION,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    assign_physical_names,
    change_column_mapping_mode_on_old_protocol,
    create_physical_attributes,
    requires_new_protocol,
    satisfies_column_mapping_protocol,
    supported_modes,
)
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    FieldKey,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    path_text,
)
from deltaadm.domain.transaction.column_mapping import (
    COLUMN_MAPPING_KEYS,
    ColumnMappingMode,
    assign_column_id_and_physical_name,
    check_column_id_and_physical_name_assignments,
    column_id,
    column_mapping_mode,
    create_physical_schema,
    drop_column_mapping_metadata,
    find_max_column_id,
    has_column_mapping_metadata,
    max_column_id,
    physical_name,
    remove_column_mapping,
    rename_columns,
    verify_and_update_metadata_change,
)
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError

NONE, NAME, ID = ColumnMappingMode.NONE, ColumnMappingMode.NAME, ColumnMappingMode.ID
INT = PrimitiveType("integer")
MODE = "delta.columnMapping.mode"
MAX_ID = "delta.columnMapping.maxColumnId"
NEW = "col-<known after commit>"


def column(name: str, type_: DataType = INT, **metadata: Any) -> StructField:
    return StructField(name, type_, metadata=metadata)


def mapped(name: str, number: int, physical: str, type_: DataType = INT) -> StructField:
    return column(name, type_, **{FieldKey.COLUMN_ID: number, FieldKey.PHYSICAL_NAME: physical})


def struct(*fields: StructField) -> StructType:
    return StructType(fields)


def table(*fields: StructField, mode: str | None = None, **configuration: str) -> Metadata:
    properties = {"delta." + key.replace("_", "."): value for key, value in configuration.items()}
    if mode is not None:
        properties[MODE] = mode
    return Metadata(id="t", schema_string=struct(*fields).to_json(), configuration=properties)


def identities(metadata: Metadata) -> dict[str, tuple[Any, Any]]:
    return {
        path_text(path): (
            field.metadata.get(FieldKey.COLUMN_ID),
            field.metadata.get(FieldKey.PHYSICAL_NAME),
        )
        for path, field in metadata.schema.walk()
    }


def turned_on(before: Metadata, mode: str = "name") -> Metadata:
    wish = before.with_configuration({**before.configuration, MODE: mode})
    return verify_and_update_metadata_change(before, wish)


def test_constants():
    assert (MIN_READER_VERSION, MIN_WRITER_VERSION) == (2, 5)
    assert Protocol(2, 5) == MIN_PROTOCOL_VERSION
    assert supported_modes() == {NONE, NAME, ID}
    assert len(COLUMN_MAPPING_KEYS) == 5


@pytest.mark.parametrize(
    ("mode", "read"),
    [(None, NONE), ("none", NONE), ("NONE", NONE), ("name", NAME), ("Name", NAME), ("ID", ID)],
)
def test_the_mode_is_read_in_any_case(mode: str | None, read: ColumnMappingMode):
    metadata = table(mode=mode)
    assert column_mapping_mode(metadata) is read
    assert requires_new_protocol(metadata) is (read is not NONE)


def test_a_mode_that_does_not_exist_is_refused():
    with pytest.raises(RefusedError) as caught:
        column_mapping_mode(table(mode="names"))
    assert caught.value.delta_error_class is None


@pytest.mark.parametrize(("protocol", "satisfied"), [
    (Protocol(1, 2), False),
    (Protocol(1, 5), False),
    (Protocol(2, 4), False),
    (Protocol(2, 5), True),
    (Protocol(2, 6), True),
    (Protocol(2, 7, None, frozenset()), False),
    (Protocol(2, 7, None, frozenset({"columnMapping"})), True),
    (Protocol(3, 7, frozenset(), frozenset()), False),
    (Protocol(3, 7, frozenset({"columnMapping"}), frozenset({"columnMapping"})), True),
], ids=str)  # fmt: skip
def test_which_protocols_have_column_mapping(protocol: Protocol, satisfied: bool):
    assert satisfies_column_mapping_protocol(protocol) is satisfied


@pytest.mark.parametrize(
    ("old", "new"), [("none", "id"), ("name", "id"), ("id", "name"), (None, "id")]
)
def test_an_illegal_change_of_mode_is_refused_on_an_existing_table(old: str | None, new: str):
    before = table(column("a"), mode=old)
    with pytest.raises(RefusedError) as caught:
        turned_on(before, new)
    assert caught.value.delta_error_class == "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"
    created = verify_and_update_metadata_change(
        before, table(column("a"), mode=new), is_creating_new_table=True
    )
    assert identities(created) == {"a": (1, NEW)}


def test_an_old_protocol_has_an_error_of_its_own():
    error = change_column_mapping_mode_on_old_protocol(Protocol(1, 2))
    assert error.delta_error_class == "DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL"
    assert "1,2" in error.message
    assert "2,5" in error.message


# --- assignment -------------------------------------------------------------------------------


def test_physical_names_can_be_assigned_alone():
    schema = struct(column("a"), mapped("b", 1, "p"), column("s", struct(column("x"))))
    fresh = assign_physical_names(schema)
    assert [physical_name(field) for _, field in fresh.walk()] == [NEW, "p", NEW, NEW]
    reused = assign_physical_names(schema, reuse_logical_name=True)
    assert [physical_name(field) for _, field in reused.walk()] == ["a", "p", "s", "x"]


@pytest.mark.parametrize(
    ("text", "number"), [(None, None), ("0", 0), ("12", 12), ("", None), ("x", None), ("-1", None)]
)
def test_the_counter_is_read(text: str | None, number: int | None):
    assert max_column_id(Metadata(configuration={} if text is None else {MAX_ID: text})) == number


# --- what is refused or removed ---------------------------------------------------------------


def test_incoming_mapping_metadata_is_stripped_unless_the_table_has_some():
    clean, odd = table(column("a")), table(mapped("a", 1, "p"))
    strip = verify_and_update_metadata_change
    assert strip(clean, odd).schema == clean.schema
    assert strip(odd, odd) == odd
    assert strip(clean, odd, strip_metadata=False) == odd


@pytest.mark.parametrize(("fields", "configuration", "refusal", "words"), [
    pytest.param((mapped("a", 1, "a"),), {MAX_ID: "1"}, ..., "", id="all is well"),
    pytest.param((column("a"),), {MAX_ID: "1"}, None, "no column id", id="no id"),
    pytest.param((column("a", **{FieldKey.COLUMN_ID: 1}),), {MAX_ID: "1"}, None, "no physical name",
        id="no name"),
    pytest.param((mapped("l", 1, "l", ArrayType(struct(column("x")))),), {MAX_ID: "1"}, None,
        "no column id", id="no id inside an array"),
    pytest.param((mapped("a", 1, "a"), mapped("s", 2, "s", struct(mapped("x", 1, "x")))),
        {MAX_ID: "2"}, None, "share the column id 1", id="an id twice"),
    pytest.param((mapped("a", 1, "p"), mapped("b", 2, "p")), {MAX_ID: "2"}, None,
        "share the physical name p", id="a physical name twice"),
    pytest.param((mapped("a", 1, "p"), mapped("s", 2, "s", struct(mapped("x", 3, "p")))),
        {MAX_ID: "3"},..., "", id="a physical name twice under different parents"),
    pytest.param((mapped("a", 1, "x.y"), mapped("s", 2, "x", struct(mapped("y", 3, "y")))),
        {MAX_ID: "3"},..., "", id="a dot is no path"),
    pytest.param((mapped("a", 1, NEW), mapped("b", 2, NEW)), {MAX_ID: "2"}, ..., "",
        id="two new names"),
    pytest.param((mapped("a", 1, NEW, struct(mapped("x", 2, "x"))),
        mapped("b", 3, NEW, struct(mapped("x", 4, "x")))), {MAX_ID: "4"},..., "",
        id="the same name below two new names"),
    pytest.param((mapped("a", 1, "a"),), {}, "DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET", "has no",
        id="no counter"),
    pytest.param((mapped("a", 2, "a"),), {MAX_ID: "1"},
        "DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY", "column id 2",
        id="a counter that is too low"),
    pytest.param((replace(mapped("l", 1, "l"), metadata={
        FieldKey.COLUMN_ID: 1, FieldKey.PHYSICAL_NAME: "l", FieldKey.NESTED_IDS: {"l.element": 9},
        }),), {MAX_ID: "1"},
        "DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY", "column id 9",
        id="a counter below a nested id"),
    pytest.param((column("_change_type"),), {MAX_ID: "0"}, ..., "", id="an internal column"),
    pytest.param((column("_change_type"), mapped("a", 1, "a"), mapped("b", 1, "b")), {MAX_ID: "1"},
        None, "share the column id 1", id="an id twice after an internal column"),
])  # fmt: skip
def test_assignments_are_checked(
    fields: tuple[StructField, ...], configuration: dict[str, str], refusal: Any, words: str
):
    metadata = table(*fields).with_configuration({MODE: "name", **configuration})
    if refusal is ...:
        check_column_id_and_physical_name_assignments(metadata)
        return
    with pytest.raises(RefusedError) as caught:
        check_column_id_and_physical_name_assignments(metadata)
    assert caught.value.delta_error_class == refusal
    assert words in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(("identity", "mode", "fields", "highest", "first"), [
    pytest.param("new", "name", (column("a"),), "0", (1, "p"), id="a table is replaced"),
    pytest.param("new", "name", (column("A"),), "0", (1, "p"), id="a name in other letters"),
    pytest.param("new", "name", (column("a", **{FieldKey.PHYSICAL_NAME: "mine"}),), "0",
        (1, "mine"), id="a name of its own"),
    pytest.param("t", "name", (column("a"),), "0", (6, NEW), id="the same table"),
    pytest.param("new", "id", (column("a"),), "0", (6, NEW), id="another mode"),
    pytest.param("new", "name", (column("a", PrimitiveType("string")),), "0", (6, NEW),
        id="another type"),
    pytest.param("t", "name", (column("a"),), "8", (9, NEW), id="a higher id was given"),
    pytest.param("t", "name", (column("a"), mapped("b", 12, "q")), "0", (13, NEW),
        id="a higher id is in use"),
])  # fmt: skip
def test_ids_and_names_are_reused_where_a_table_is_replaced_and_else_new(
    identity: str, mode: str, fields: tuple[StructField, ...], highest: str, first: tuple[int, str]
):
    old = table(mapped("A", 1, "p"), mode="name").with_properties({MAX_ID: "5"})
    new = replace(table(*fields, mode=mode).with_properties({MAX_ID: highest}), id=identity)
    after = assign_column_id_and_physical_name(new, old, is_changing_mode_on_existing_table=False)
    assert next(iter(identities(after).values())) == first
    assert max_column_id(after) == max(5, first[0])


def test_slots_of_containers_keep_the_ids_that_they_have():
    known = {FieldKey.NESTED_IDS: {"l.element": 7}}
    field = mapped("l", 1, "l", ArrayType(ArrayType(INT)))
    field = replace(field, metadata={**field.metadata, **known})
    new = table(field, mode="name", enableIcebergCompatV2="true")
    after = assign_column_id_and_physical_name(new, new, is_changing_mode_on_existing_table=False)
    (one,) = after.schema.fields
    assert one.metadata[FieldKey.NESTED_IDS] == {"l.element": 7, "l.element.element": 8}


def test_a_table_that_turns_mapping_on_keeps_the_spelling_that_its_files_have():
    old, new = table(column("A")), table(column("a"), mode="name")
    after = assign_column_id_and_physical_name(new, old, is_changing_mode_on_existing_table=True)
    assert identities(after) == {"a": (1, "A")}


@pytest.mark.parametrize(
    "name", ["a b", "a,b", "a;b", "{a", "a}", "(a", "a)", "a\nb", "a\tb", "a=b"]
)
def test_mapping_cannot_be_removed_from_names_that_files_cannot_have(name: str):
    metadata = table(column("s", struct(column(name))), mode="name")
    with pytest.raises(RefusedError) as caught:
        remove_column_mapping(metadata)
    assert caught.value.delta_error_class == (
        "DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING"
    )


# --- physical schemas -------------------------------------------------------------------------

REFERENCE = struct(
    mapped("a", 1, "p1"),
    mapped("s", 2, "p2", struct(mapped("x", 3, "p3"))),
    mapped("l", 4, "p4", ArrayType(struct(mapped("e", 5, "p5")))),
)


def test_a_physical_schema_has_physical_names_and_field_ids_in_both_modes():
    logical = struct(column("S", struct(column("X"))), column("l", ArrayType(struct(column("e")))))
    for mode in (NAME, ID):
        physical = create_physical_schema(logical, REFERENCE, mode)
        assert {
            path_text(path): field.metadata[FieldKey.PARQUET_FIELD_ID]
            for path, field in physical.walk()
        } == {"p2": 2, "p2.p3": 3, "p4": 4, "p4.element.p5": 5}
    assert create_physical_schema(logical, REFERENCE, NONE) is logical


def test_physical_attributes_are_those_of_the_physical_schema():
    assert create_physical_attributes((column("A"),), REFERENCE, NAME) == (
        column(
            "p1",
            **{FieldKey.COLUMN_ID: 1, FieldKey.PHYSICAL_NAME: "p1", FieldKey.PARQUET_FIELD_ID: 1},
        ),
    )


# --- laws -------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c d", "é", "x.y", "element", "KEY", "`"])


def _structs(types: st.SearchStrategy[DataType]) -> st.SearchStrategy[StructType]:
    fields = st.builds(
        StructField, NAMES, types, st.booleans(),
        st.dictionaries(st.sampled_from(["comment", "other"]), st.text(max_size=3), max_size=1),
    )  # fmt: skip
    return st.lists(fields, min_size=1, max_size=4, unique_by=lambda field: field.name.lower()).map(
        lambda found: StructType(tuple(found))
    )


TYPES: st.SearchStrategy[DataType] = st.recursive(
    st.sampled_from([INT, PrimitiveType("string"), PrimitiveType("decimal(10,2)")]),
    lambda inner: (
        st.builds(ArrayType, inner, st.booleans())
        | st.builds(MapType, inner, inner, st.booleans())
        | _structs(inner)
    ),
    max_leaves=6,
)
SCHEMAS = _structs(TYPES)


@given(SCHEMAS)
def test_ids_are_dense_and_unique_and_names_stay(schema: StructType):
    after = turned_on(Metadata(schema_string=schema.to_json()))
    count = len(list(schema.walk()))
    assert [column_id(field) for _, field in after.schema.walk()] == list(range(1, count + 1))
    assert all(physical_name(one) == one.name for _, one in after.schema.walk())
    assert [path for path, _ in after.schema.walk()] == [path for path, _ in schema.walk()]
    assert max_column_id(after) == count == find_max_column_id(after.schema)
    check_column_id_and_physical_name_assignments(after)


@given(SCHEMAS, st.booleans())
def test_assigning_twice_is_assigning_once(schema: StructType, iceberg: bool):
    configuration = {"delta.enableIcebergCompatV2": "true"} if iceberg else {}
    once = turned_on(Metadata(schema_string=schema.to_json(), configuration=configuration))
    check_column_id_and_physical_name_assignments(once)
    assert verify_and_update_metadata_change(once, once) == once
    ids = [column_id(one) for _, one in once.schema.walk()]
    slots = [
        number
        for _, one in once.schema.walk()
        for number in one.metadata.get(FieldKey.NESTED_IDS, {}).values()
    ]
    assert sorted([*ids, *slots]) == list(range(1, len(ids) + len(slots) + 1))


@given(SCHEMAS, st.booleans())
def test_dropping_undoes_assigning(schema: StructType, iceberg: bool):
    configuration = {"delta.enableIcebergCompatV3": "true"} if iceberg else {}
    after = turned_on(Metadata(schema_string=schema.to_json(), configuration=configuration))
    assert has_column_mapping_metadata(after.schema)
    assert drop_column_mapping_metadata(after.schema) == schema
    assert drop_column_mapping_metadata(schema) == schema
    assert not has_column_mapping_metadata(schema)


@given(SCHEMAS)
def test_a_schema_is_written_as_it_is_read(schema: StructType):
    assert StructType.parse(schema.to_json()) == schema
    assert StructType.parse(schema.to_json()).to_json() == schema.to_json()


@given(SCHEMAS)
def test_a_table_with_its_own_names_has_itself_as_physical_schema(schema: StructType):
    after = turned_on(Metadata(schema_string=schema.to_json())).schema
    physical = create_physical_schema(schema, after, NAME)
    assert [path for path, _ in physical.walk()] == [path for path, _ in schema.walk()]
    assert drop_column_mapping_metadata(physical) == drop_column_mapping_metadata(after)
    assert rename_columns(after) == after
