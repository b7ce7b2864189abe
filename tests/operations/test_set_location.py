"""What `alter --set-location` plans."""

from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.snapshot import FileFacts
from deltaadm.errors import RefusedError
from deltaadm.plans.alter import TableChanges, plan_changes
from deltaadm.plans.plan import depends_on_state
from tests.support.plans import changes, snapshot

NAMED = replace(snapshot(), name="main.sales.t", files=FileFacts(files=2, bytes=10))
OTHER = replace(snapshot((2, 5), {"x": "1"}, id="other"), root="/other", version=9)


def test_another_location_is_another_table() -> None:
    plan = plan_changes(NAMED, TableChanges(location=OTHER))
    assert plan.after == replace(OTHER, name="main.sales.t")
    assert [change for change in changes(plan) if "configuration" not in change] == [
        "~ location /t -> /other",
        "~ protocol.minReaderVersion 1 -> 2",
        "~ protocol.minWriterVersion 2 -> 5",
        f"~ id {NAMED.metadata.id} -> other",
    ]
    assert "+ configuration[x] = 1" in changes(plan)
    assert [change.because for change in plan.changes][:2] == [
        "requested",
        "as in the table at the new location",
    ]
    assert {change.undo for change in plan.changes} == {"alter --set-location /t (metadata only)"}
    assert not any(stage.step.is_commit for stage in plan.stages)
    assert depends_on_state(plan)
    assert "/other (version 9); the one at /t (version 3, 2 files" in plan.notes[0]
    assert len(plan.notes) == 1


def test_what_else_is_told_and_changed() -> None:
    notes = plan_changes(NAMED, TableChanges(location=OTHER, is_managed=True)).notes
    assert notes[1].startswith("It is a managed table: DROP TABLE deletes")
    same = plan_changes(NAMED, TableChanges(location=replace(NAMED, version=9)))
    assert (same.is_noop, same.notes) == (True, ())
    copy = plan_changes(NAMED, TableChanges(location=replace(NAMED, root="/copy", version=9)))
    assert changes(copy) == ["~ location /t -> /copy"]


@pytest.mark.parametrize(
    "more", [{"set_properties": {"a": "1"}}, {"checkpoint": True}, {"unset": ["gone"]}]
)
def test_a_location_is_set_alone(more: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="cannot be changed together"):
        plan_changes(NAMED, TableChanges(location=OTHER, **more))
