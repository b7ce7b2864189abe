"""Every change of the column mapping mode."""

import pytest

from deltaadm.domain.features import Cost
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.errors import RefusedError
from deltaadm.plans.features import plan_mapping_mode
from tests.support.plans import changes, mapped, reasons, snapshot

NONE, NAME, ID = ColumnMappingMode.NONE, ColumnMappingMode.NAME, ColumnMappingMode.ID
IDS = '{"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": '
ON = [
    "+ configuration[delta.columnMapping.maxColumnId] = 1",
    "+ configuration[delta.columnMapping.mode] = name",
    f'~ schema[a] {{}} -> {IDS}"a"}}',
]
LEGACY_NOTE = "upgrade-protocol TABLE --reader 2 --writer 5"


@pytest.mark.parametrize(
    ("table", "mode"), [(snapshot(), NONE), (mapped("name"), NAME), (mapped("id"), ID)]
)
def test_the_mode_it_has(table: Snapshot, mode: ColumnMappingMode) -> None:
    plan = plan_mapping_mode(table, mode)
    assert plan.is_noop
    assert plan.notes == (f"The column mapping mode is already '{mode.value}'.",)


@pytest.mark.parametrize(("table", "expected"), [
    pytest.param(snapshot(), ["~ protocol.minReaderVersion 1 -> 2",
        "~ protocol.minWriterVersion 2 -> 7", "+ protocol.writerFeatures[appendOnly]",
        "+ protocol.writerFeatures[columnMapping]", "+ protocol.writerFeatures[invariants]", *ON],
        id="with the protocol it needs"),
    pytest.param(snapshot((2, 5)), ON, id="with old versions that imply it"),
    pytest.param(snapshot((2, 7), writer=["columnMapping"]), ON, id="supported already"),
])  # fmt: skip
def test_turning_it_on(table: Snapshot, expected: list[str]) -> None:
    plan = plan_mapping_mode(table, NAME)
    assert changes(plan) == expected
    assert plan.cost is Cost.METADATA
    assert reasons(plan)["configuration[delta.columnMapping.mode]"] == "requested"


@pytest.mark.parametrize("mode", ["name", "id"])
def test_turning_it_off_rewrites_the_files(mode: str) -> None:
    plan = plan_mapping_mode(mapped(mode), NONE)
    assert changes(plan) == [
        "- configuration[delta.columnMapping.maxColumnId] = 1",
        f"~ configuration[delta.columnMapping.mode] {mode} -> none",
        f'~ schema[a] {IDS}"p"}} -> {{}}',
    ]
    assert plan.cost is Cost.REWRITE
    assert {change.undo for change in plan.changes} == {
        "set-mapping-mode name (metadata only), which gives new ids",
        "rewritten when it is needed again",
    }


@pytest.mark.parametrize(
    ("table", "mode"), [(snapshot(), ID), (mapped("name"), ID), (mapped("id"), NAME)]
)
def test_refused_changes(table: Snapshot, mode: ColumnMappingMode) -> None:
    with pytest.raises(RefusedError) as caught:
        plan_mapping_mode(table, mode)
    assert caught.value.delta_error_class == "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"
    assert "only go from 'none' to 'name'" in caught.value.remedy


@pytest.mark.parametrize(("table", "offered"), [
    pytest.param(snapshot((1, 2)), True, id="old versions can still imply it"),
    pytest.param(snapshot((2, 5)), False, id="they do already"),
    pytest.param(snapshot((1, 7), writer=["appendOnly"]), False, id="features are listed"),
])  # fmt: skip
def test_old_versions_are_offered_where_they_help(table: Snapshot, *, offered: bool) -> None:
    notes = " ".join(plan_mapping_mode(table, NAME).notes)
    assert (LEGACY_NOTE in notes) is offered
