"""Creating and replacing tables: what Delta committed or refused, in every recorded case."""

from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.actions import DomainMetadata
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import CreateTable, CreationMode
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.plans.alter import read_schema, schema_of_query
from deltaadm.plans.diff import mismatches
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


@pytest.mark.parametrize("column", [("A",), ("s", "X"), ("z",)])
def test_spark_minds_the_case_of_the_columns_that_a_new_table_is_clustered_by(
    column: tuple[str, ...],
) -> None:
    with pytest.raises(RefusedError) as refused:
        evolve(no_table("t"), _step(cluster_by=(column,), properties={"delta.x": "1"}))
    nested = "UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED"
    assert refused.value.delta_error_class == nested


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
