"""What a table's metadata must be like before and after a change, beside its protocol."""

import json
from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.protocol import DEFAULTS_PREFIX, Protocol, SessionSettings
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.steps import SetProperties, UnsetProperties
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.spark_support import refusal_to_read
from deltaadm.domain.wire import Format, Metadata
from deltaadm.errors import RefusedError, TableError


def field(name: str, type_: Any = "integer", **metadata: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "nullable": True, "metadata": metadata}


def required(name: str, type_: Any = "integer") -> dict[str, Any]:
    return field(name, type_) | {"nullable": False}


def array(of: Any, *, nulls: bool = True) -> dict[str, Any]:
    return {"type": "array", "elementType": of, "containsNull": nulls}


def map_of(key: Any, value: Any, *, nulls: bool = True) -> dict[str, Any]:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": nulls}


def struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


LEGACY = Protocol(1, 2)


def table(
    *fields: dict[str, Any],
    protocol: Protocol = LEGACY,
    partitions: tuple[str, ...] = (),
    files: FileFacts | None = None,
    file_format: Format | None = None,
    **configuration: str,
) -> Snapshot:
    metadata = Metadata(
        id="t",
        format=file_format,
        schema_string=json.dumps(struct(*fields or (field("a"),))),
        partition_columns=partitions,
        configuration={
            f"delta.{key.replace('_', '.')}": value for key, value in configuration.items()
        },
    )
    return Snapshot(root="t", version=0, protocol=protocol, metadata=metadata, files=files)


PREVIEW = "delta.coordinatedCommits.commitCoordinator-preview"
PREVIEW_CONF = "delta.coordinatedCommits.commitCoordinatorConf-preview"
PREVIEW_TABLE = "delta.coordinatedCommits.tableConf-preview"
ICT = "delta.enableInCommitTimestamps"


@pytest.mark.parametrize(("fields", "properties", "expected"), [
    pytest.param((field("a"), field("A")), {}, "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE",
        id="two names that differ in case"),
    pytest.param((field("s", struct(field("x"), field("X"))),), {},
        "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE", id="two nested names that differ in case"),
    pytest.param((field("a b"),), {}, "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
        id="a space in a name"),
    pytest.param((field("s", array(struct(field("x=y")))),), {},
        "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", id="an equals sign in a nested name"),
    pytest.param((field("a", "interval day"),), {}, "DELTA_UNSUPPORTED_DATA_TYPES",
        id="a type that Spark has and Delta has not"),
    pytest.param((field("a", map_of("string", "time(6)")),), {}, "DELTA_UNSUPPORTED_DATA_TYPES",
        id="such a type inside a map"),
    pytest.param((field("a", "string", __COLLATIONS={"a": "spark.UTF8_LCASE"}),), {},
        "DELTA_UNSUPPORTED_DATA_TYPES", id="a collation"),
    pytest.param((field("_change_type"),), {"delta.enableChangeDataFeed": "true"},
        "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
        id="a column that the change data feed reserves"),
    pytest.param((field("a"),), {"delta.logRetentionDuration": "interval 1 day"},
        "UNSUPPORTED_TABLE_CHANGE", id="a log kept shorter than deleted files"),
    pytest.param((field("a"),), {"delta.enableDeletionVectors": "true",
        "delta.compatibility.symlinkFormatManifest.enabled": "true"},
        "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED."
        "PERSISTENT_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION",
        id="deletion vectors with manifests"),
    pytest.param((field("a"),), {"delta.dataSkippingStatsColumns": "b"},
        "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", id="statistics of a column that is not there"),
    pytest.param((field("a"),), {"delta.dataSkippingStatsColumns": "a.x"},
        "DELTA_COLUMN_PATH_NOT_NESTED", id="statistics of a field in what is no struct"),
    pytest.param((field("a", "binary"),), {"delta.dataSkippingStatsColumns": "a"},
        "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE", id="statistics of a type without any"),
    pytest.param((field("s", struct(field("x"))),), {"delta.dataSkippingStatsColumns": "s,`s`.x"},
        "DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS", id="statistics of a column named twice"),
    pytest.param((field("a"),), {"delta.constraints.c": "a > 1"}, "DELTA_ADD_CONSTRAINTS",
        id="a constraint as a property"),
    pytest.param((field("a"),), {"clusteringColumns": "a"}, "DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
        id="clustering columns as a property"),
    pytest.param((field("a"),), {"provider": "x"}, "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
        id="a property that Spark reserves"),
    pytest.param((field("a"),), {"delta.enableRowTracking": "true",
        "delta.rowTrackingSuspended": "true"}, "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
        id="row tracking on and suspended"),
    pytest.param((field("a"),), {PREVIEW: "c"},
        "DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND", id="half a commit coordinator"),
    pytest.param((field("a"),), {PREVIEW: "c", PREVIEW_CONF: "{}", PREVIEW_TABLE: "{}"},
        "DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND", id="a coordinator's own configuration"),
    pytest.param((field("a"),), {PREVIEW: "c", PREVIEW_CONF: "{}", ICT: "true"},
        "DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES",
        id="a coordinator and what it brings along"),
])  # fmt: skip
def test_illegal_metadata_is_refused(
    fields: tuple[dict[str, Any], ...], properties: dict[str, str], expected: str
):
    with pytest.raises(RefusedError) as caught:
        evolve(table(*fields), SetProperties(properties or {"x": "1"}))
    assert caught.value.delta_error_class == expected
    assert caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(("fields", "properties"), [
    ((field("a.b"),), {"x": "1"}),
    ((field("a", "string", __COLLATIONS={"a": "spark.UTF8_BINARY"}),), {"x": "1"}),
    ((field("_change_type"),), {"x": "1"}),
    ((field("a"),), {"delta.logRetentionDuration": "interval 7 days"}),
    ((field("s", struct(field("x"))), field("b c")), {"delta.dataSkippingStatsColumns": "s.x,`b c`",
        "delta.columnMapping.mode": "name"}),
    ((field("a b"),), {"delta.columnMapping.mode": "name"}),
    ((field("a"),), {"delta.enableRowTracking": "false", "delta.rowTrackingSuspended": "true"}),
])  # fmt: skip
def test_legal_metadata_is_not_refused(
    fields: tuple[dict[str, Any], ...], properties: dict[str, str]
):
    after = evolve(table(*fields), SetProperties(properties))
    assert properties.items() <= after.metadata.configuration.items()


def test_a_partition_column_has_an_error_of_its_own():
    before = table(field("a b"), field("c"), partitions=("a b",))
    with pytest.raises(RefusedError) as caught:
        evolve(before, SetProperties({"x": "1"}))
    assert caught.value.delta_error_class == "DELTA_INVALID_PARTITION_COLUMN_NAME"
    with pytest.raises(RefusedError) as caught:
        evolve(
            table(field("p"), field("c"), partitions=("p",)),
            SetProperties({"delta.dataSkippingStatsColumns": "p"}),
        )
    assert caught.value.delta_error_class == (
        "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN"
    )


@pytest.mark.parametrize("data_type", [
    array(struct(required("x"))),
    array(array("integer", nulls=False)),
    map_of(struct(required("x")), "integer"),
    map_of("string", struct(required("x"))),
    map_of("string", map_of("string", "integer", nulls=False)),
], ids=json.dumps)  # fmt: skip
def test_what_nobody_enforces_is_refused_once_the_schema_changes(data_type: dict[str, Any]):
    before = table(field("a", data_type))
    with pytest.raises(RefusedError) as caught:
        evolve(before, SetProperties({"delta.columnMapping.mode": "name"}))
    assert caught.value.delta_error_class == "DELTA_NESTED_NOT_NULL_CONSTRAINT"


@pytest.mark.parametrize("data_type", [
    array("integer", nulls=False),
    map_of("string", "integer", nulls=False),
    struct(required("x")),
], ids=json.dumps)  # fmt: skip
def test_what_is_enforced_or_but_a_flag_of_the_container_may_change(data_type: dict[str, Any]):
    after = evolve(
        table(field("a", data_type)), SetProperties({"delta.columnMapping.mode": "name"})
    )
    assert after.protocol.supports("columnMapping")


def test_a_materialised_column_cannot_be_one_of_the_table():
    key = "rowTracking.materializedRowIdColumnName"
    before = table(
        field("Taken"),
        protocol=Protocol.apply(1, 7).with_feature("rowTracking"),
        **{key.replace(".", "_"): "taken"},
    )
    with pytest.raises(RefusedError) as caught:
        evolve(before, SetProperties({"x": "1"}))
    assert caught.value.delta_error_class == "DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED"


def test_deletion_vectors_need_parquet():
    before = table(file_format=Format("orc"))
    with pytest.raises(RefusedError) as caught:
        evolve(before, SetProperties({"delta.enableDeletionVectors": "true"}))
    assert (caught.value.delta_error_class or "").endswith("IN_NON_PARQUET_TABLE")


def test_char_is_written_as_string_and_remembered():
    after = evolve(table(field("c", "varchar(4)")), SetProperties({"x": "1"}))
    assert json.loads(after.metadata.schema_string or "")["fields"] == [
        field("c", "string", __CHAR_VARCHAR_TYPE_STRING="varchar(4)")
    ]


@pytest.mark.parametrize(("step", "expected"), [
    (SetProperties({PREVIEW: "d", PREVIEW_CONF: "{}"}),
        "DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS"),
    (SetProperties({ICT: "false"}), "DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES"),
    (UnsetProperties((ICT,)), "DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES"),
    (UnsetProperties((PREVIEW,)), "DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS"),
])  # fmt: skip
def test_a_coordinated_table_keeps_its_coordinator(
    step: SetProperties | UnsetProperties, expected: str
):
    before = table()
    configuration = {PREVIEW: "c", PREVIEW_CONF: "{}", ICT: "true"}
    before = replace(before, metadata=before.metadata.with_configuration(configuration))
    with pytest.raises(RefusedError) as caught:
        evolve(before, step)
    assert caught.value.delta_error_class == expected


# --- Iceberg ----------------------------------------------------------------------------------

MAPPED = {"delta.columnMapping.mode": "name"}


def iceberg(version: int) -> dict[str, str]:
    return {f"delta.enableIcebergCompatV{version}": "true"}


WIDENED = {"delta.typeChanges": [{"fromType": "short", "toType": "integer"}]}
WIDENED_ODDLY = {"delta.typeChanges": [{"fromType": "date", "toType": "timestamp_ntz"}]}
UNIFORM = {"delta.universalFormat.enabledFormats": "iceberg"}
DELETION_VECTORS = {"delta.enableDeletionVectors": "true"}


@pytest.mark.parametrize(("column", "properties", "violation"), [
    pytest.param(field("a"), iceberg(2), "WRONG_REQUIRED_TABLE_PROPERTY",
        id="without column mapping"),
    pytest.param(field("a"), {**MAPPED, **iceberg(1)}, None, id="version 1"),
    pytest.param(field("a", array("integer")), {**MAPPED, **iceberg(1)}, "UNSUPPORTED_DATA_TYPE",
        id="version 1 with an array"),
    pytest.param(field("a", array("integer")), {**MAPPED, **iceberg(2)}, None, id="version 2"),
    pytest.param(field("a", "variant"), {**MAPPED, **iceberg(2)}, "UNSUPPORTED_DATA_TYPE",
        id="version 2 with a variant"),
    pytest.param(field("a", "variant"), {**MAPPED, **iceberg(3)}, None, id="version 3"),
    pytest.param(field("a"), {**MAPPED, **iceberg(1), **iceberg(2)}, "VERSION_MUTUAL_EXCLUSIVE",
        id="two versions"),
    pytest.param(field("a"), {**MAPPED, **iceberg(2), **DELETION_VECTORS},
        "DELETION_VECTORS_SHOULD_BE_DISABLED", id="version 2 with deletion vectors"),
    pytest.param(field("a"), {**MAPPED, **iceberg(3), **DELETION_VECTORS}, None,
        id="version 3 with them"),
    pytest.param(field("a"), {**MAPPED, **iceberg(3), "delta.enableRowTracking": "false"},
        "WRONG_REQUIRED_TABLE_PROPERTY", id="version 3 without row tracking"),
    pytest.param(field("a", **WIDENED), {**MAPPED, **iceberg(2)}, None,
        id="a type widened as in Iceberg"),
    pytest.param(field("a", "timestamp", **WIDENED_ODDLY), {**MAPPED, **iceberg(2)},
        "UNSUPPORTED_TYPE_WIDENING", id="a type widened otherwise"),
    pytest.param(field("a", **{"delta.typeChanges": [1]}), {**MAPPED, **iceberg(2)}, None,
        id="changes of type that are none"),
    pytest.param(field("a", **{"delta.typeChanges": "odd"}), {**MAPPED, **iceberg(2)}, None,
        id="a change of type that is text"),
])  # fmt: skip
def test_iceberg_compatibility(
    column: dict[str, Any], properties: dict[str, str], violation: str | None
):
    before = table(column)
    if violation is None:
        after = evolve(before, SetProperties(properties))
        assert properties.items() <= after.metadata.configuration.items()
        return
    with pytest.raises(RefusedError) as caught:
        evolve(before, SetProperties(properties))
    assert caught.value.delta_error_class == f"DELTA_ICEBERG_COMPAT_VIOLATION.{violation}"


@pytest.mark.parametrize(("change", "legal"), [
    (("byte", "long"), True),
    (("float", "double"), True),
    (("decimal(10,2)", "decimal(12,2)"), True),
    (("decimal(10,2)", "decimal(12,4)"), False),
    (("integer", "double"), False),
    (("integer", "decimal(12,0)"), False),
])  # fmt: skip
def test_widening_that_iceberg_knows(change: tuple[str, str], legal: bool):
    old, new = change
    history = {"delta.typeChanges": [{"fromType": old, "toType": new}]}
    step = SetProperties({**MAPPED, **iceberg(2)})
    if legal:
        assert evolve(table(field("a", new, **history)), step).protocol.supports("icebergCompatV2")
    else:
        with pytest.raises(RefusedError):
            evolve(table(field("a", new, **history)), step)


def test_deletion_vectors_must_be_purged_for_iceberg():
    vectors = Protocol.apply().with_features(["deletionVectors"])
    step = SetProperties({**MAPPED, **iceberg(2)})
    before = table(protocol=vectors, files=FileFacts(files=2, with_deletion_vector=1))
    with pytest.raises(RefusedError) as caught:
        evolve(before, step)
    assert caught.value.delta_error_class == (
        "DELTA_ICEBERG_COMPAT_VIOLATION.DELETION_VECTORS_NOT_PURGED"
    )
    assert evolve(replace(before, files=FileFacts(files=2)), step)


def test_version_3_turns_row_tracking_on_and_cannot_be_left():
    after = evolve(table(), SetProperties({**MAPPED, **iceberg(3)}))
    assert after.metadata.configuration["delta.enableRowTracking"] == "true"
    assert after.protocol.supports("rowTracking")
    with pytest.raises(RefusedError):
        evolve(after, UnsetProperties(("delta.enableIcebergCompatV3",)))


def test_version_3_cannot_join_row_tracking():
    before = evolve(table(), SetProperties({**MAPPED, "delta.enableRowTracking": "true"}))
    with pytest.raises(RefusedError):
        evolve(before, SetProperties(iceberg(3)))


def test_universal_format_comes_and_goes_with_iceberg_compatibility():
    with pytest.raises(RefusedError) as caught:
        evolve(table(), SetProperties(UNIFORM))
    assert caught.value.delta_error_class == "DELTA_UNIVERSAL_FORMAT_VIOLATION"
    on = evolve(table(), SetProperties({**MAPPED, **iceberg(2), **UNIFORM}))
    assert UNIFORM.items() <= on.metadata.configuration.items()
    off = evolve(on, SetProperties({"delta.enableIcebergCompatV2": "false"}))
    assert not UNIFORM.keys() & off.metadata.configuration.keys()


# --- what Spark cannot read, and the session --------------------------------------------------


@pytest.mark.parametrize(("data_type", "expected"), [
    ("integer", None),
    ("decimal(38,2)", None),
    ("timestamp_ntz", None),
    ("varchar(3)", None),
    ("qubit", "INVALID_JSON_DATA_TYPE"),
    (array("qubit"), "INVALID_JSON_DATA_TYPE"),
    ("decimal(39,2)", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION"),
], ids=str)  # fmt: skip
def test_types_that_spark_cannot_read(data_type: Any, expected: str | None):
    found = refusal_to_read(table(field("a", data_type)))
    assert (found and found.delta_error_class) == expected
    assert found is None or isinstance(found, TableError)


def test_a_catalog_managed_table_is_not_opened_by_its_path():
    managed = table(protocol=Protocol.apply().with_features(["catalogManaged"]))
    found = refusal_to_read(managed)
    assert found is not None
    assert found.delta_error_class == "DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED"


SETTINGS = SessionSettings(
    property_defaults={"appendOnly": "true"},
    allow_arbitrary_properties=True,
    allow_column_mapping_removal=False,
)


def test_settings_survive_spark_configuration():
    assert SessionSettings.from_conf(SETTINGS.to_conf()) == SETTINGS
    assert SETTINGS.to_conf()[DEFAULTS_PREFIX + "appendOnly"] == "true"
    assert SessionSettings.from_conf({"spark.other": "x"}) == SessionSettings()


def test_a_setting_that_is_no_boolean_is_refused():
    with pytest.raises(RefusedError) as caught:
        SessionSettings.from_conf({"spark.databricks.delta.columnMapping.allowRemoval": "si"})
    assert "allowRemoval" in caught.value.message


def test_removal_of_mapping_may_be_forbidden_by_the_session():
    before = evolve(table(), SetProperties(MAPPED))
    for step in (
        SetProperties({"delta.columnMapping.mode": "none"}),
        UnsetProperties(("delta.columnMapping.mode",)),
    ):
        with pytest.raises(RefusedError) as caught:
            evolve(before, step, SETTINGS)
        assert caught.value.delta_error_class == "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"
        bare = evolve(before, step).metadata
        assert "delta.columnMapping.maxColumnId" not in bare.configuration
        assert bare.schema == table().metadata.schema
