"""A plan on its way through a file: unharmed, or refused."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.ddl import Position, parse_definitions
from deltaadm.domain.features import Cost
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.steps import KINDS, ColumnChange, DropFeature
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.domain.transaction.columns import with_clustering
from deltaadm.errors import CommitError, DeltaadmError, RefusedError
from deltaadm.plans.alter import TableChanges, plan_changes
from deltaadm.plans.document import saved_document
from deltaadm.plans.features import plan_features, plan_mapping_mode, plan_upgrade
from deltaadm.plans.plan import Plan, propose
from deltaadm.plans.saved import read_plans
from tests.support.plans import changes, committed, mapped, resealed, snapshot
from tests.support.rows import with_rows

Document = dict[str, Any]

TABLE = snapshot((1, 2), {"b": "1"})
COLUMNS = [
    {
        "name": name,
        "type": "integer",
        "nullable": True,
        "metadata": {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": name},
    }
    for number, name in enumerate("abc", start=1)
]
WIDE = snapshot(
    (2, 5),
    {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "3"},
    schemaString=json.dumps({"type": "struct", "fields": COLUMNS}),
)
ELSEWHERE = replace(
    snapshot((3, 7), {"b": "2"}, reader=["deletionVectors"], writer=["deletionVectors"], id="x"),
    root="/data/it's there",
    version=7,
    domains={},
)
PLANS = {
    "versions": plan_upgrade(TABLE, reader=2, writer=5),
    "features": plan_features(TABLE, ["rowTracking", "deletionVectors"]),
    "commit timestamps": plan_features(TABLE, ["inCommitTimestamp"]),
    "mapping": plan_mapping_mode(TABLE, ColumnMappingMode.NAME),
    "mapping removed": plan_mapping_mode(mapped(), ColumnMappingMode.NONE),
    "two steps": plan_changes(TABLE, TableChanges(set_properties={"a": "é\n'"}, unset=["b"])),
    "columns": plan_changes(WIDE, TableChanges(rename={("a",): "é`\n"}, drop=[("b",)])),
    "every kind of change": plan_changes(
        with_clustering(WIDE, [("b",)]),
        TableChanges(
            set_properties={"delta.feature.allowColumnDefaults": "supported"},
            add=parse_definitions("s STRUCT<`o d`: DECIMAL(5, 2) COMMENT 'it''s'> AFTER A"),
            change=[
                ColumnChange(("a",), comment="x\n"),
                ColumnChange(("b",), position=Position()),
                ColumnChange(("c",), default="array(1, 2)[0]"),
            ],
            add_constraints={"odd name": "b > 0 -- or so"},
            cluster_by=[("A",), ("c",)],
        ),
    ),
    "constraint dropped": plan_changes(
        snapshot((1, 3), {"delta.constraints.odd name": "a > 0"}),
        TableChanges(drop_constraints=["Odd Name"]),
    ),
    "checkpoint": plan_changes(TABLE, TableChanges(checkpoint=True)),
    "feature dropped": propose(
        "drop-feature",
        snapshot((3, 7), reader=["vacuumProtocolCheck"], writer=["vacuumProtocolCheck"]),
        [DropFeature("vacuumProtocolCheck")],
    ),
    "location": plan_changes(
        replace(TABLE, name="main.sales.`odd t`", domains={}), TableChanges(location=ELSEWHERE)
    ),
    "nothing": plan_upgrade(TABLE),
    "session": plan_changes(
        TABLE,
        TableChanges(set_properties={"delta.own": "1"}),
        session=SessionSettings(allow_arbitrary_properties=True),
    ),
}
each_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


def document(plan: Plan = PLANS["two steps"]) -> Document:
    return json.loads(json.dumps(saved_document(plan, "the table")))


def renewed(text: Document, table: Snapshot = TABLE) -> Plan:
    return read_plans(json.dumps(text))[0].renewed_on(table)


def test_every_kind_of_step_is_among_the_plans() -> None:
    """All but tables that are created, which other tests see to."""
    kinds = {step.kind for plan in PLANS.values() for step in plan.steps}
    assert kinds == KINDS.keys() - {"create_table"}


@each_plan
def test_the_same_plan_comes_back(plan: Plan) -> None:
    again = renewed(document(plan), plan.before)
    assert again.steps == plan.steps
    assert changes(again) == changes(plan)
    assert (again.session, again.cost) == (plan.session, plan.cost)
    assert _facts(again) == _facts(plan)


def _facts(plan: Plan) -> Document:
    """What a plan says, but for what only the command knew that has made it."""
    found = document(plan)
    for key in ("operation", "notes", "binding"):
        del found[key]
    for change in found["changes"]:
        del change["because"], change["undo"]
    return found


@each_plan
def test_harmless_appends_do_not_disturb(plan: Plan) -> None:
    later = replace(plan.before, version=plan.before.version + 5, timestamp=12345)
    assert renewed(document(plan), later).steps == plan.steps


def test_the_version_that_a_plan_names_moves_with_the_table() -> None:
    plan = PLANS["commit timestamps"]
    later = renewed(document(plan), replace(plan.before, version=9))
    assert "+ configuration[delta.inCommitTimestampEnablementVersion] = 10" in changes(later)


@with_rows
def test_edited_files_are_refused(place: list[Any], value: Any, words: str) -> None:
    text = document()
    *keys, last = place
    holder: Any = text
    for key in keys:
        holder = holder[key]
    holder[last] = value
    if value == "(gone)":
        del holder[last]
    with pytest.raises(RefusedError, match=r"digest|document_sha256|format"):
        renewed(text)
    with pytest.raises(RefusedError, match=words):
        renewed(resealed(text))


def test_a_file_without_the_digest_is_refused() -> None:
    text = document()
    del text["binding"]["document_sha256"]
    with pytest.raises(RefusedError, match="its digest does not match") as caught:
        renewed(text)
    assert caught.value.remedy == "Plan again."


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "1", '"x"', "{}", "[" * 100_000])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match="not a deltaadm plan") as caught:
        read_plans(text)[0]
    assert "--out FILE" in caught.value.remedy


@pytest.mark.parametrize(("table", "error_class"), [
    pytest.param(replace(TABLE, protocol=snapshot((1, 3)).protocol), "DELTA_PROTOCOL_CHANGED",
        id="protocol"),
    pytest.param(snapshot((1, 2), {"b": "2"}), "DELTA_METADATA_CHANGED", id="properties"),
    pytest.param(snapshot((1, 2), {"b": "1"}, id="x"), "DELTA_METADATA_CHANGED", id="table"),
    pytest.param(replace(TABLE, version=2), "DELTA_METADATA_CHANGED", id="version"),
])  # fmt: skip
def test_a_moved_base_stops_it(table: Snapshot, error_class: str) -> None:
    with pytest.raises(CommitError, match="nothing was committed") as caught:
        renewed(document(), table)
    assert caught.value.delta_error_class == error_class


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.data())
def test_any_edit_is_refused_or_harmless(data: st.DataObject) -> None:
    """Whatever stands at whatever place: the steps are those of the plan, or it is refused."""
    text = document()
    place: Any = text
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(json_values)
    try:
        plan = renewed(resealed(text) if data.draw(st.booleans()) else text)
    except DeltaadmError:
        return
    assert changes(plan) == changes(PLANS["two steps"])
    assert plan.steps == PLANS["two steps"].steps


def test_a_plan_that_moved_a_name_before_it_was_interrupted_has_nothing_left() -> None:
    [saved] = read_plans(json.dumps(document(PLANS["location"])))
    saved.require_location("/t")
    saved.require_location("/data/it's there")
    before = PLANS["location"].before
    assert saved.left_on(replace(ELSEWHERE, name=saved.before.name)).is_noop
    assert saved.left_on(before).steps == PLANS["location"].steps
    with pytest.raises(CommitError, match="is now at /elsewhere"):
        saved.require_location("/elsewhere")


@pytest.mark.parametrize(
    "plan", [plan for plan in PLANS.values() if plan.changes], ids=lambda plan: plan.operation
)
def test_a_plan_that_is_carried_out_has_nothing_left(plan: Plan) -> None:
    [saved] = read_plans(json.dumps(document(plan)))
    left = saved.left_on(committed(plan.before, plan.after))
    assert left.is_noop
    assert left.notes == ("The plan is already applied: the table is as planned.",)


@pytest.mark.parametrize(("named", "done"), [("6", True), ("3", False), ("99", False)])
def test_a_plan_that_was_carried_out_after_appends_has_nothing_left(named: str, done: bool) -> None:
    plan = PLANS["commit timestamps"]
    [saved] = read_plans(json.dumps(document(plan)))
    properties = {"delta.inCommitTimestampEnablementVersion": named}
    moved = replace(plan.after, metadata=plan.after.metadata.with_properties(properties))
    current = committed(replace(plan.before, version=7), moved)
    if done:
        assert saved.left_on(current).is_noop
    else:
        with pytest.raises(CommitError, match="The plan is stale"):
            saved.left_on(current)


def test_what_files_cost_is_judged_when_they_are_known() -> None:
    names = ["deletionVectors"]
    table = snapshot((3, 7), reader=names, writer=names)
    purged = replace(table, files=FileFacts(files=2))
    written = json.dumps(saved_document(propose("x", purged, [DropFeature(names[0])]), "t"))
    saved = read_plans(written)[0]
    assert saved.renewed_on(table).cost is Cost.REWRITE
    assert saved.renewed_on(purged).cost is Cost.METADATA
    used = replace(table, files=FileFacts(files=2, with_deletion_vector=1))
    with pytest.raises(
        CommitError, match="the plan's cost would now be rewrite instead of metadata"
    ):
        saved.renewed_on(used)
