"""Setting and unsetting properties."""

import json

import pytest

from deltaadm.domain.cost import Cost
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.table_changes import DropColumns, RenameColumn, SetProperties, UnsetProperties
from deltaadm.errors import Refused
from deltaadm.operations.alter import plan_changes
from tests.support.plans import changes, mapped, snapshot

MODE = "delta.columnMapping.mode"


def test_what_is_set_is_one_step_and_what_is_unset_another() -> None:
    plan = plan_changes(snapshot((1, 2), {"b": "1"}), set_properties={"a": "1"}, unset=["b"])
    assert plan.steps == (SetProperties({"a": "1"}), UnsetProperties(("b",), if_exists=True))
    assert changes(plan) == ["+ configuration[a] = 1", "- configuration[b] = 1"]
    assert {one.because for one in plan.changes} == {"asked for"}


@pytest.mark.parametrize(
    ("table", "wanted", "unset"),
    [
        pytest.param(snapshot((1, 2), {"a": "1"}), {"a": "1"}, [], id="the value it has"),
        pytest.param(snapshot(), {}, ["a"], id="no such property"),
    ],
)
def test_nothing_to_do(table: Snapshot, wanted: dict[str, str], unset: list[str]) -> None:
    assert plan_changes(table, set_properties=wanted, unset=unset).is_noop


def test_steps_without_effect_are_left_out() -> None:
    plan = plan_changes(snapshot(), set_properties={"a": "1"}, unset=["b"])
    assert plan.steps == (SetProperties({"a": "1"}),)


def test_delta_s_own_spelling_of_a_key_is_stored() -> None:
    plan = plan_changes(snapshot(), set_properties={"DELTA.appendonly": "true"})
    assert changes(plan) == ["+ configuration[delta.appendOnly] = true"]


def test_activating_a_feature_brings_its_protocol() -> None:
    wish = {"delta.enableDeletionVectors": "true"}
    plan = plan_changes(snapshot((3, 7), reader=[], writer=[]), set_properties=wish)
    assert changes(plan) == [
        "+ protocol.readerFeatures[deletionVectors]",
        "+ protocol.writerFeatures[deletionVectors]",
        "+ configuration[delta.enableDeletionVectors] = true",
    ]


@pytest.mark.parametrize(("key", "value"), [(MODE, "NONE"), (MODE.lower(), "none")])
def test_unsafe_spellings_of_the_mode_are_refused(key: str, value: str) -> None:
    with pytest.raises(Refused, match="without rewriting the files"):
        plan_changes(mapped(), set_properties={key: value})


def test_unsetting_the_mode_is_a_rewrite_under_its_own_spelling_only() -> None:
    assert plan_changes(mapped(), unset=[MODE]).cost is Cost.REWRITE
    with pytest.raises(Refused, match="without rewriting the files"):
        plan_changes(mapped(), unset=[MODE.upper()])


@pytest.mark.parametrize(
    ("key", "error_class"),
    [
        ("provider", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"),
        ("location", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"),
        ("owner", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"),
        ("external", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"),
        ("delta.constraints.positive", "DELTA_ADD_CONSTRAINTS"),
        ("delta.feature.clustering", "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED"),
        ("clusteringColumns", "DELTA_CANNOT_MODIFY_TABLE_PROPERTY"),
        ("delta.bogus", "DELTA_UNKNOWN_CONFIGURATION"),
        ("delta.feature.rowTracking", "DELTA_UNSUPPORTED_FEATURE_STATUS"),
        ("delta.minWriterVersion", "UNSUPPORTED_TABLE_CHANGE"),
    ],
)
def test_keys_and_values_that_delta_refuses(key: str, error_class: str) -> None:
    with pytest.raises(Refused) as caught:
        plan_changes(snapshot(), set_properties={key: "a > 0"})
    assert caught.value.delta_error_class == error_class
    assert caught.value.remedy


def test_a_refused_second_step_refuses_the_whole() -> None:
    with pytest.raises(Refused, match="reserved"):
        plan_changes(snapshot(), set_properties={"a": "1"}, unset=["provider"])


def test_columns_are_dropped_and_then_renamed_from_the_inside() -> None:
    fields = [
        {"name": name, "type": types, "nullable": True, "metadata": _mapping(number)}
        for number, (name, types) in enumerate(
            [
                ("a", "integer"),
                ("b", "integer"),
                (
                    "s",
                    {
                        "type": "struct",
                        "fields": [
                            {"name": "x", "type": "long", "nullable": True, "metadata": _mapping(9)}
                        ],
                    },
                ),
            ],
            start=1,
        )
    ]
    table = snapshot(
        (2, 5),
        {MODE: "name", "delta.columnMapping.maxColumnId": "9"},
        schemaString=json.dumps({"type": "struct", "fields": fields}),
    )
    plan = plan_changes(table, rename={("s",): "t", ("s", "x"): "y"}, drop=[("a",)])
    assert plan.steps == (
        DropColumns((("a",),)),
        RenameColumn(("s", "x"), "y"),
        RenameColumn(("s",), "t"),
    )
    assert changes(plan) == [
        "+ schema[t]",
        "+ schema[t.y]",
        "- schema[a]",
        "- schema[s]",
        "- schema[s.x]",
    ]
    undo = {one.change.subject: one.undo for one in plan.changes}
    assert undo["schema[a]"] == "never: only older versions still have it"
    assert undo["schema[t]"] == undo["schema[s]"] == "alter --rename-column t=s"
    assert plan.cost is Cost.METADATA


def _mapping(number: int) -> dict[str, object]:
    return {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"p{number}"}


def test_a_column_of_an_unmapped_table_needs_column_mapping_first() -> None:
    with pytest.raises(Refused) as caught:
        plan_changes(snapshot(), drop=[("a",)])
    assert "set-mapping-mode TABLE name" in caught.value.remedy


def test_undoing_a_renaming_names_the_column_as_the_option_takes_it() -> None:
    column = {"name": "a.b c", "type": "long", "nullable": True, "metadata": _mapping(1)}
    table = snapshot(
        (2, 5),
        {MODE: "name", "delta.columnMapping.maxColumnId": "1"},
        schemaString=json.dumps({"type": "struct", "fields": [column]}),
    )
    plan = plan_changes(table, rename={("a.b c",): "x.y"})
    assert {one.undo for one in plan.changes} == {"alter --rename-column `x.y`=a.b c"}
