"""What a plan would leave behind stands in it, errors refuse it, and clustering is kept whole."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.actions import CLUSTERING_DOMAIN
from deltaadm.domain.ddl import Position, parse_definitions
from deltaadm.domain.properties import Key
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.schema import Path as Column
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    ColumnChange,
    DropColumns,
    DropFeature,
    RenameColumn,
    SetProperties,
    Step,
    UnsetProperties,
)
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.domain.transaction.columns import clustering_columns, clustering_domain, parse_column
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.plans.alter import TableChanges, plan_changes
from deltaadm.plans.document import saved_document
from deltaadm.plans.features import plan_drop, plan_mapping_mode
from deltaadm.plans.plan import Plan, propose, require_accepted, snapshot_findings
from deltaadm.plans.saved import read_plans
from deltaadm.replay.examine import Depth, examine
from deltaadm.reports.validate import choose_rules, validate
from deltaadm.rules.rule import Scope, Severity
from deltaadm.storage.store import open_store
from tests.domain.test_evolve import PREDICTED
from tests.support import oracle, schemas, tables
from tests.support.plans import snapshot
from tests.support.rule_cases import NOW
from tests.support.statements import start_snapshot, step_of

pytestmark = pytest.mark.slow


FEATURES = ("appendOnly", "clustering", "columnMapping", "domainMetadata", "invariants")
MODE = "delta.columnMapping.mode"


def field(name: str, number: int, kind: Any = "integer") -> dict[str, Any]:
    keys = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{number}"}
    return {"name": name, "type": kind, "nullable": True, "metadata": keys}


def clustered(*columns: str, mode: str = "name") -> Snapshot:
    """A table with the columns day, id, s (with s.x and s.y) and v, clustered by *columns*."""
    inner = {"type": "struct", "fields": [field("x", 4), field("y", 5, "string")]}
    fields = [field("day", 1), field("id", 2), field("s", 3, inner), field("v", 6, "string")]
    physical = {
        "day": "col-1", "id": "col-2", "s": "col-3", "x": "col-4", "y": "col-5", "v": "col-6",
    }  # fmt: skip
    made = snapshot(
        (3, 7),
        {MODE: mode, "delta.columnMapping.maxColumnId": "6"},
        reader=["columnMapping"],
        writer=FEATURES,
        schemaString=json.dumps({"type": "struct", "fields": fields}),
    )
    paths = [tuple(physical.get(part, part) for part in column.split(".")) for column in columns]
    return replace(made, domains={CLUSTERING_DOMAIN: clustering_domain(paths)}, files=FileFacts())


def errors(plan: Plan) -> list[str]:
    return [finding.code for finding in plan.findings if finding.severity is Severity.ERROR]


def paths(*columns: str) -> tuple[Column, ...]:
    return tuple(map(parse_column, columns))


# Clustering by columns that lose their physical names

WITHOUT_MAPPING = {
    "set-mapping-mode none": lambda table: plan_mapping_mode(table, ColumnMappingMode.NONE),
    "drop-feature": lambda table: plan_drop(table, "columnMapping", FeatureHistory(first=0), now=0),
    "drop-feature --truncate-history": lambda table: plan_drop(table, "columnMapping",
        FeatureHistory(first=0), truncate_history=True, now=0),
    "alter --set": lambda table: plan_changes(table, TableChanges(set_properties={MODE: "none"})),
    "alter --unset": lambda table: plan_changes(table, TableChanges(unset=[MODE])),
    "alter --set --add-property": lambda table: plan_changes(table,
        TableChanges(set_properties={MODE: "none", "delta.appendOnly": "true"})),
}  # fmt: skip


@pytest.mark.parametrize("columns", [("day", "id"), ("s.x",), ("v", "s.y", "day")])
@pytest.mark.parametrize("way", WITHOUT_MAPPING)
def test_the_table_stays_clustered_by_the_same_columns(way: str, columns: tuple[str, ...]):
    plan = WITHOUT_MAPPING[way](clustered(*columns))
    first, *_, last = plan.steps
    away = ClusterBy((), restored_later=paths(*columns))
    assert (first, last) == (away, ClusterBy(paths(*columns)))
    assert clustering_columns(plan.after) == paths(*columns)
    assert not errors(plan)
    assert any("Clustering is removed, then set" in note for note in plan.notes)


def test_a_renamed_column_is_clustered_by_under_its_new_name():
    wanted = TableChanges(rename={("id",): "number"}, unset=[MODE])
    plan = plan_changes(clustered("day", "id"), wanted)
    assert plan.steps[-1] == ClusterBy(paths("day", "number"))
    assert not errors(plan)


def test_columns_asked_for_come_after_those_that_were_there():
    wanted = TableChanges(set_properties={MODE: "none"}, cluster_by=paths("v"))
    plan = plan_changes(clustered("day"), wanted)
    assert clustering_columns(plan.after) == paths("v")
    assert not errors(plan)


@pytest.mark.parametrize("columns", [(), ("day", "id")])
def test_a_table_that_loses_nothing_is_left_alone(columns: tuple[str, ...]):
    wanted = TableChanges(rename={("v",): "w"}, set_properties={"delta.appendOnly": "true"})
    plan = plan_changes(clustered(*columns), wanted)
    assert not any(isinstance(step, ClusterBy) for step in plan.steps)


def test_a_new_column_is_not_confused_with_one_that_another_writer_has_named() -> None:
    """Delta's random names are none of the table's, however simple these are."""
    columns = schemas.schema(schemas.mapped("a", 1), schemas.mapped("b", 2))
    properties = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}
    table = snapshot((2, 5), properties, schemaString=columns)
    plan = plan_changes(table, TableChanges(add=parse_definitions("c INT, d INT")))
    assert plan.findings == ()


def test_a_saved_plan_is_made_again_with_the_same_steps():
    plan = plan_mapping_mode(clustered("day", "s.x"), ColumnMappingMode.NONE)
    [saved] = read_plans(json.dumps(saved_document(plan, "t")))
    again = saved.renewed_on(plan.before)
    assert (again.steps, again.findings) == (plan.steps, plan.findings)
    assert set(again.notes) <= set(plan.notes)


# What cannot be fixed

BREAKING: dict[str, tuple[Snapshot, Step, str]] = {
    "a struct with a clustering column is dropped": (
        clustered("s.x"),
        DropColumns(paths("s")),
        "DL509",
    ),
    "timestamps begin with a version that there is not": (
        snapshot((1, 7), {"delta.enableInCommitTimestamps": "true"}, writer=["inCommitTimestamp"]),
        SetProperties({"delta.inCommitTimestampEnablementVersion": "99"}),
        "DL510",
    ),
}
"""Steps that Delta takes, after which it cannot write or optimize the table any more."""


@pytest.mark.parametrize("name", BREAKING)
def test_an_error_refuses_the_plan_unless_its_code_is_accepted(name: str):
    table, step, code = BREAKING[name]
    plan = propose("alter", table, [step])
    assert set(errors(plan)) == {code}
    with pytest.raises(RefusedError, match=f"{code} .*") as caught:
        require_accepted(plan.findings, {"DL101"})
    assert f"--accept-finding {code}" in caught.value.remedy
    require_accepted(plan.findings, {code})
    documents = saved_document(plan, "t")["findings"]
    assert [
        (document["code"], document["severity"])
        for document in documents
        if document["severity"] == "error"
    ] == [(code, "error")] * len(errors(plan))


def test_what_a_plan_file_says_of_findings_is_not_believed():
    table, step, code = BREAKING["a struct with a clustering column is dropped"]
    document = saved_document(propose("alter", table, [step]), "t")
    [saved] = read_plans(json.dumps(document))
    assert errors(saved.renewed_on(table)) == [code]
    with pytest.raises(RefusedError, match="changed after it was written"):
        read_plans(json.dumps(document | {"findings": []}))


def test_a_table_that_is_broken_already_is_clustered_without_a_statement():
    broken = propose("alter", clustered("s.x"), [DropColumns(paths("s"))]).after
    plan = propose("alter", broken, [ClusterBy(paths("day"))])
    assert clustering_columns(plan.after) == paths("day")
    assert any("own CLUSTER BY fails" in note for note in plan.notes)


LOST = propose("alter", clustered("day", "s.x"), [DropColumns(paths("s"))]).after
"""A table on which Delta 4.4 was seen to fail, for looking up clustering columns that are gone."""


@pytest.mark.parametrize("step", [
    AddColumns(tuple(parse_definitions("n INT"))),
    DropColumns(paths("v")),
    DropColumns(paths("day")),
    ChangeColumns((ColumnChange(("v",), comment="why"),)),
    ChangeColumns((ColumnChange(("v",), position=Position()),)),
], ids=str)  # fmt: skip
def test_columns_are_left_alone_while_the_clustering_is_lost(step: Step):
    with pytest.raises(RefusedError, match=r"clustered by .*col-3") as caught:
        propose("alter", LOST, [step])
    assert "--cluster-by" in caught.value.remedy
    assert propose("alter", LOST, [ClusterBy(()), step]).steps[-1] == step


@pytest.mark.parametrize("step", [
    SetProperties({"a": "1"}),
    SetProperties({"delta.dataSkippingNumIndexedCols": "0"}),
    SetProperties({MODE: "none"}),
    RenameColumn(("v",), "vv"),
    RenameColumn(("day",), "dd"),
    AddConstraint("c", "id > 0"),
], ids=str)  # fmt: skip
def test_what_else_delta_does_with_such_a_table_is_planned(step: Step):
    assert propose("alter", LOST, [step]).steps == (step,)


# What is new and what is not


@pytest.mark.parametrize(("step", "found"), [
    (SetProperties({"delta.appendOnly": "true"}), []),
    (RenameColumn(("odd name",), "odder name"), []),
    (RenameColumn(("plain",), "odd"), []),
])  # fmt: skip
def test_what_was_found_before_is_not_new(step: Step, found: list[str]):
    odd = field("odd name", 1)
    odd["metadata"]["delta.columnMapping.physicalName"] = "odd name"
    table = snapshot(
        (2, 5),
        {MODE: "name", "delta.columnMapping.maxColumnId": "2"},
        schemaString=json.dumps({"type": "struct", "fields": [odd, field("plain", 2)]}),
    )
    assert "DL416" in {finding.code for finding in snapshot_findings(table)}
    assert [finding.code for finding in propose("alter", table, [step]).findings] == found


def test_what_only_the_commit_can_choose_is_no_finding():
    table = snapshot(
        (2, 7),
        {MODE: "name", "delta.columnMapping.maxColumnId": "1"},
        writer=["columnMapping"],
        schemaString=json.dumps({"type": "struct", "fields": [field("a", 1)]}),
    )
    wanted = TableChanges(
        set_properties={"delta.enableInCommitTimestamps": "true", "delta.enableRowTracking": "true"}
    )
    assert not errors(plan_changes(replace(table, files=FileFacts()), wanted))
    assert not errors(plan_drop(table, "columnMapping", FeatureHistory(first=0), now=0))


# Reality


def _recorded(case: oracle.Case) -> Snapshot | None:
    """The state that Delta came to, if it took every step."""
    expected = case["expected"]
    if not all(operation["ok"] for operation in expected["ops"]) or "metadata" not in (
        expected["state"] or {}
    ):
        return None
    state = json.loads(json.dumps(expected["state"]).replace("<timestamp>", "1"))
    return Snapshot(
        root="table",
        version=state["version"],
        protocol=Protocol.from_wire(state["protocol"]),
        metadata=Metadata.from_wire(state["metadata"]),
    )


def _kinds(snapshot: Snapshot) -> Counter[tuple[str, str]]:
    found = snapshot_findings(snapshot)
    return Counter(
        (finding.code, finding.where) for finding in found if finding.severity is not Severity.INFO
    )


def test_what_recorded_changes_left_behind_stands_in_their_plans():
    tried = 0
    for case in PREDICTED:
        after = _recorded(case)
        if after is None:
            continue
        before = replace(start_snapshot(case), commit_info=None)
        steps = [step for step in map(step_of, case["ops"]) if step]
        session = SessionSettings.from_conf(case.get("conf") or {})
        plan = propose("alter", before, steps, session=session)
        new = _kinds(after) - _kinds(before)
        planned = Counter((finding.code, finding.where) for finding in plan.findings)
        assert not new - planned, case["id"]
        assert not errors(plan), case["id"]
        tried += 1
    assert tried > 400


# Random plans, held against `validate` on the table that they lead to

COLUMNS = ("day", "id", "s", "s.x", "s.y", "v")
STEPS = st.one_of(
    st.sampled_from(["none", "name", "id"]).map(lambda mode: SetProperties({MODE: mode})),
    st.just(UnsetProperties((MODE,), if_exists=True)),
    st.sampled_from(
        ["columnMapping", "domainMetadata", "clustering", "inCommitTimestamp", "rowTracking"]
    ).map(DropFeature),
    st.sampled_from(COLUMNS).map(lambda names: DropColumns(paths(names))),
    st.tuples(st.sampled_from(COLUMNS), st.sampled_from(["w", "Day", "a b"])).map(
        lambda pair: RenameColumn(parse_column(pair[0]), pair[1])
    ),
    st.lists(st.sampled_from(COLUMNS), max_size=2, unique=True).map(
        lambda some: ClusterBy(paths(*some))
    ),
    st.sampled_from(
        [
            {"delta.enableInCommitTimestamps": "true"},
            {"delta.inCommitTimestampEnablementVersion": "99"},
            {"delta.inCommitTimestampEnablementVersion": "2"},
            {"delta.enableRowTracking": "true"},
            {"delta.enableChangeDataFeed": "TRUE"},
            {"delta.dataSkippingStatsColumns": "v"},
            {"delta.dataSkippingNumIndexedCols": "0"},
        ]
    ).map(SetProperties),
)


SNAPSHOT_RULES = [
    rule for rule in choose_rules(("DL2", "DL3", "DL4", "DL5")) if rule.scope is Scope.SNAPSHOT
]


def errors_on(state: Snapshot, root: Path) -> set[str]:
    """The errors that `validate` finds on a table that is in this *state* since its beginning."""
    numbers = map(str, count(1))
    text = json.dumps(list(_actions(state)))
    chosen = json.loads(re.sub(KNOWN_AFTER_COMMIT, lambda _: next(numbers), text))
    table = tables.table(root, tables.commit(tables.commit_info(inCommitTimestamp=1), *chosen))
    for number in range(1, state.version + 1):
        table.commit(number, tables.commit_info(inCommitTimestamp=number + 1))
    facts = examine(open_store(str(root)), Depth(), now=NOW)
    found = validate(str(root), facts, SNAPSHOT_RULES).findings
    return {finding.code for finding in found if finding.severity is Severity.ERROR}


def _actions(state: Snapshot) -> Iterator[tables.Action]:
    stored = dict(state.metadata.configuration)
    since = stored.get(Key.ICT_ENABLEMENT_VERSION, "").replace(
        KNOWN_AFTER_COMMIT, str(state.version)
    )
    if KNOWN_AFTER_COMMIT in stored.get(Key.ICT_ENABLEMENT_TIMESTAMP, ""):
        stored |= {
            Key.ICT_ENABLEMENT_VERSION: since,
            Key.ICT_ENABLEMENT_TIMESTAMP: str(int(since) + 1),
        }
    yield {"protocol": state.protocol.to_wire()}
    yield {"metaData": state.metadata.with_configuration(stored).to_wire()}
    for domain in (state.domains or {}).values():
        yield tables.domain(domain.domain, domain.configuration)


@given(
    st.lists(st.sampled_from(["day", "id", "s.x", "v"]), max_size=3, unique=True),
    st.lists(STEPS, min_size=1, max_size=3),
)
def test_a_plan_has_the_errors_that_validate_finds_afterwards(
    columns: list[str], steps: list[Step]
) -> None:
    table = clustered(*columns)
    try:
        plan = propose("alter", table, steps)
    except DeltaadmError:
        return
    with TemporaryDirectory() as root:
        found = errors_on(plan.after, Path(root))
    assert set(errors(plan)) == found
