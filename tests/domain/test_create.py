"""Creating and replacing tables: what Delta committed or refused, in every recorded case."""

from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.actions import DomainMetadata
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.steps import ClusterBy, CreateTable, CreationMode
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.steps.table import no_table, partition_columns
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.plans.alter import read_schema, schema_of_query
from deltaadm.plans.diff import diff, mismatches
from tests.support import oracle
from tests.support.cases import each
from tests.support.statements import creation_of, start_snapshot

NOT_SAID = {"e2e-102b7cf2": "REPLACE TABLE … AS SELECT with columns is no statement"}


def _cases() -> dict[str, oracle.Case]:
    return {
        f"{case['group']}-{case['id']}": case
        for case in oracle.cases("e2e")
        if case["ops"][0].get("sql", "").startswith(("CREATE", "REPLACE"))
        and case["id"] not in NOT_SAID
    }


def _before(case: oracle.Case) -> Snapshot:
    return no_table("table") if case["start"]["kind"] == "none" else start_snapshot(case)


def _outcome(case: oracle.Case) -> str | None:
    outcome = case["expected"]["ops"][0]
    return "ok" if outcome["ok"] else outcome["error"]["errorClass"]


def test_no_case_is_left_out() -> None:
    assert len(_cases()) == 92
    assert {case["group"] for case in _cases().values()} >= {"create", "create-cluster", "ctas"}


@each("case", _cases())
def test_the_prediction_equals_the_commit(case: oracle.Case) -> None:
    session = SessionSettings.from_conf(case.get("conf") or {})
    if _outcome(case) != "ok":
        with pytest.raises(DeltaadmError) as refused:
            evolve(_before(case), creation_of(case["ops"][0]["sql"]), session)
        assert refused.value.delta_error_class == _outcome(case)
        assert refused.value.message
        assert refused.value.remedy
        return
    after = evolve(_before(case), creation_of(case["ops"][0]["sql"]), session)
    state = case["expected"]["state"]
    committed = replace(
        after,
        protocol=Protocol.from_wire(state["protocol"]),
        metadata=Metadata.from_wire(state["metadata"]),
    )
    assert after.version == state["version"]
    assert mismatches(after, committed) == ()


ARRAY_WITHOUT_NULLS = (
    '{"type":"struct","fields":[{"name":"a","type":'
    '{"type":"array","elementType":"integer","containsNull":false}}]}'
)
AB = read_schema("a INT, b STRING, s STRUCT<x: INT>, `c.d` INT")


def _step(mode: CreationMode = CreationMode.CREATE, **more: Any) -> CreateTable:
    return CreateTable(mode=mode, schema=AB, **more)


def test_a_new_table_is_clustered_as_asked() -> None:
    columns = (("a",), ("s", "x"), ("c.d",))
    mapped = {"delta.columnMapping.mode": "name"}
    for properties in ({}, mapped):
        after = evolve(no_table("t"), _step(cluster_by=columns, properties=properties))
        assert after.protocol.supports("clustering")
        (change,) = [
            change for change in diff(no_table("t"), after) if change.subject == "clusteringColumns"
        ]
        assert change.after == ["a", "s.x", "`c.d`"]


@pytest.mark.parametrize("column", [("A",), ("s", "X"), ("z",)])
def test_spark_minds_the_case_of_the_columns_that_a_new_table_is_clustered_by(
    column: tuple[str, ...],
) -> None:
    with pytest.raises(RefusedError) as refused:
        evolve(no_table("t"), _step(cluster_by=(column,), properties={"delta.x": "1"}))
    nested = "UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED"
    assert refused.value.delta_error_class == nested


@pytest.mark.parametrize(("schema", "columns", "configuration", "refusal"), [
    ("a INT", ("z",), {}, "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    ("a INT", ("a", "A"), {}, "DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY"),
    ("a INT, b INT, c INT, d INT, e INT", "abcde", {}, "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS"),
    ("a BOOLEAN", ("a",), {}, "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED"),
    ("a INT, b INT", ("b",), {"delta.dataSkippingNumIndexedCols": "1"},
        "DELTA_CLUSTERING_COLUMN_MISSING_STATS"),
    ("a INT, b INT", ("b",), {"delta.dataSkippingStatsColumns": "a"},
        "DELTA_CLUSTERING_COLUMN_MISSING_STATS"),
])  # fmt: skip
def test_what_no_table_can_be_clustered_by(
    schema: str, columns: tuple[str, ...], configuration: dict[str, str], refusal: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        evolve(
            evolve(
                no_table("t"), replace(_step(properties=configuration), schema=read_schema(schema))
            ),
            ClusterBy(tuple((column,) for column in columns)),
        )
    assert caught.value.delta_error_class == refusal


def test_partition_columns_are_spelled_as_in_the_schema() -> None:
    assert partition_columns(AB, ["B", "C.D"]) == ("b", "c.d")


@pytest.mark.parametrize("mode", [CreationMode.REPLACE, CreationMode.CREATE_OR_REPLACE])
def test_replacing_never_lowers_the_protocol(mode: CreationMode) -> None:
    old = replace(
        evolve(no_table("t", "c.t"), _step(properties={"delta.enableDeletionVectors": "true"})),
        version=7,
        metadata=replace(Metadata(id="old"), configuration={"delta.enableDeletionVectors": "true"}),
    )
    after = evolve(old, _step(mode))
    assert after.version == 8
    assert old.protocol.can_upgrade_to(after.protocol)
    assert after.metadata.configuration == {"delta.enableDeletionVectors": "true"}
    off = evolve(old, _step(mode, properties={"delta.enableDeletionVectors": "false"}))
    assert off.metadata.configuration == {"delta.enableDeletionVectors": "false"}


def test_replacing_keeps_three_properties_that_neither_statement_nor_session_has() -> None:
    kept = {
        "delta.checkpointPolicy": "v2",
        "delta.enableDeletionVectors": "true",
        "delta.enableRowTracking": "true",
    }
    old = evolve(no_table("t"), _step(properties={**kept, "delta.appendOnly": "true", "x": "1"}))
    after = evolve(old, _step(CreationMode.REPLACE))
    assert kept.items() <= after.metadata.configuration.items()
    assert not {"delta.appendOnly", "x"} & after.metadata.configuration.keys()
    session = SessionSettings(property_defaults={"checkpointPolicy": "classic"})
    after = evolve(old, _step(CreationMode.REPLACE), session)
    assert after.metadata.configuration["delta.checkpointPolicy"] == "classic"


def test_replacing_keeps_what_coordinates_commits() -> None:
    coordinator = {
        "delta.coordinatedCommits.commitCoordinator-preview": "c",
        "delta.coordinatedCommits.commitCoordinatorConf-preview": "{}",
    }
    times = {"delta.inCommitTimestampEnablementVersion": "1"}
    old = evolve(no_table("t"), _step())
    old = replace(old, metadata=old.metadata.with_configuration(coordinator | times))
    session = SessionSettings(
        property_defaults={"coordinatedCommits.commitCoordinator-preview": "another"}
    )
    after = evolve(old, _step(CreationMode.REPLACE), session).metadata.configuration
    assert (coordinator | times).items() <= after.items()


def test_the_domain_of_clustering_stays_when_a_table_is_replaced_by_one_without() -> None:
    clustered = evolve(no_table("t"), _step(cluster_by=(("a",),)))
    tracked = DomainMetadata("delta.rowTracking", '{"rowIdHighWaterMark":7}')
    old = replace(clustered, domains={**(clustered.domains or {}), tracked.domain: tracked})
    after = evolve(old, _step(CreationMode.REPLACE)).domains or {}
    assert after.keys() == {"delta.clustering", "delta.rowTracking"}
    assert after["delta.clustering"].configuration == (
        '{"clusteringColumns":[],"domainName":"delta.clustering"}'
    )
    assert evolve(evolve(no_table("t"), _step()), _step(CreationMode.REPLACE)).domains == {}


@pytest.mark.parametrize(("files", "refused"), [(0, False), (1, True)])
def test_files_of_an_append_only_table_are_not_replaced(files: int, refused: bool) -> None:
    old = evolve(no_table("t"), _step(properties={"delta.appendOnly": "true"}))
    old = replace(old, files=FileFacts(files=files))
    if not refused:
        assert evolve(old, _step(CreationMode.REPLACE)).metadata.configuration == {}
        return
    with pytest.raises(RefusedError) as caught:
        evolve(old, _step(CreationMode.REPLACE))
    assert caught.value.delta_error_class == "DELTA_CANNOT_MODIFY_APPEND_ONLY"


def test_an_empty_comment_is_an_empty_description() -> None:
    after = evolve(no_table("t"), _step(comment="", properties={"comment": "c"}))
    assert after.metadata.description == ""


def test_replacing_keeps_the_ids_of_columns_that_stay() -> None:
    mapped = {"delta.columnMapping.mode": "name"}
    old = evolve(no_table("t"), _step(properties=mapped))
    old = replace(old, metadata=replace(old.metadata, id="old"))
    schema = read_schema("b STRING, n INT, A INT, s STRUCT<x: INT, y: INT>")
    step = CreateTable(mode=CreationMode.REPLACE, schema=schema, properties=mapped)
    after = evolve(old, step)
    ids = {
        field.name: field.metadata["delta.columnMapping.id"]
        for field in after.metadata.schema.fields
    }
    assert ids == {"b": 2, "n": 6, "A": 1, "s": 7}
    assert after.metadata.configuration["delta.columnMapping.maxColumnId"] == "8"


@pytest.mark.parametrize(("version", "first"), [(1, 6), (2, 9), (3, 9)])
def test_ids_go_on_behind_those_that_the_replaced_columns_would_have(
    version: int, first: int
) -> None:
    """Under V2 and V3 the slots of arrays and maps would have had some as well."""
    old = evolve(
        no_table("t"),
        CreateTable(
            mode=CreationMode.CREATE,
            schema=read_schema("a INT, l ARRAY<INT>, m MAP<INT, INT>, b INT, c INT"),
        ),
    )
    old = replace(old, metadata=replace(old.metadata, id="old"))
    wanted = {f"delta.enableIcebergCompatV{version}": "true"}
    step = CreateTable(mode=CreationMode.REPLACE, schema=read_schema("n INT"), properties=wanted)
    (field,) = evolve(old, step).metadata.schema.fields
    assert field.metadata["delta.columnMapping.id"] == first


def test_the_defaults_of_the_session_count_for_new_tables() -> None:
    defaults = {"appendOnly": "true", "unknown": "1", "dataSkippingStatsColumns": "nosuch"}
    after = evolve(no_table("t"), _step(), SessionSettings(property_defaults=defaults))
    assert after.metadata.configuration == {
        "delta.appendOnly": "true",
        # Delta does not look whether the columns are there until a statement names some.
        "delta.dataSkippingStatsColumns": "nosuch",
    }


@pytest.mark.parametrize("version", [1, 2, 3])
def test_iceberg_compatibility_by_the_session_maps_the_columns(version: int) -> None:
    session = SessionSettings(property_defaults={f"enableIcebergCompatV{version}": "true"})
    after = evolve(no_table("t"), _step(), session)
    assert after.protocol.supports("columnMapping")
    assert after.metadata.configuration["delta.columnMapping.mode"] == "name"
    assert after.metadata.configuration["delta.columnMapping.maxColumnId"] == "5"
    ids = [field.metadata["delta.columnMapping.id"] for field in after.metadata.schema.fields]
    assert ids == [1, 2, 3, 5]
    unmapped = _step(properties={"delta.columnMapping.mode": "none"})
    with pytest.raises(RefusedError) as refused:
        evolve(no_table("t"), unmapped, session)
    assert refused.value.delta_error_class == (
        "DELTA_ICEBERG_COMPAT_VIOLATION.WRONG_REQUIRED_TABLE_PROPERTY"
    )


def test_the_columns_of_a_query_may_all_be_null() -> None:
    strict = read_schema("a INT NOT NULL, s STRUCT<x: INT NOT NULL>, m MAP<INT, ARRAY<INT>>")
    assert schema_of_query(strict.to_json()) == read_schema(
        "a INT, s STRUCT<x: INT>, m MAP<INT, ARRAY<INT>>"
    )


@pytest.mark.parametrize("text", [
    "{", '{"type":"array"}',
    '{"type":"struct","fields":[{"name":"a","type":"nope","nullable":true,"metadata":{}}]}',
    '{"type":"struct","fields":[{"name":"a","type":"integer","metadata":{"x":1}}]}',
    ARRAY_WITHOUT_NULLS, "a INTT", "",
])  # fmt: skip
def test_what_is_no_schema_that_sql_can_say(text: str) -> None:
    with pytest.raises(RefusedError):
        read_schema(text)


def test_a_schema_in_json_or_ddl() -> None:
    ddl = "a INT NOT NULL COMMENT 'it''s', d INT DEFAULT 3, g INT GENERATED ALWAYS AS (a + 1)"
    schema = read_schema(ddl)
    assert read_schema(schema.to_json()) == schema


@pytest.mark.parametrize("mode", [CreationMode.CREATE, CreationMode.CREATE_OR_REPLACE])
@pytest.mark.parametrize("key", ["delta.feature.clustering", "delta.FEATURE.Clustering"])
def test_clustering_is_no_property_of_a_new_table(mode: CreationMode, key: str) -> None:
    for clusters in ((), (("a",),)):
        with pytest.raises(RefusedError) as refused:
            evolve(no_table("t"), _step(mode, properties={key: "supported"}, cluster_by=clusters))
        assert refused.value.delta_error_class == (
            "DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED"
        )
