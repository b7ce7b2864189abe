"""A wish that is partly fulfilled is planned for the rest."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given

from deltaadm.domain.ddl import parse_columns, parse_move
from deltaadm.domain.features import Cost
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import (
    ClusterBy,
    ColumnChange,
    DropFeature,
    SetProperties,
    Step,
    UnsetProperties,
)
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.errors import RefusedError
from deltaadm.plans.alter import TableChanges, plan_changes
from deltaadm.plans.diff import diff, mismatches
from deltaadm.plans.features import plan_drop, plan_features, plan_mapping_mode
from deltaadm.plans.plan import Plan, depends_on_state, snapshot_findings
from tests.support.plans import mapped, snapshot
from tests.support.rows import with_rows
from tests.support.wishes import MODE, carried_out, filled, possible, tables, wishes

pytestmark = pytest.mark.slow

HISTORY = FeatureHistory(first=0)


@given(tables(), wishes())
def test_the_rest_of_a_wish_leads_to_the_same_end_or_is_refused(
    table: Snapshot, wish: TableChanges
) -> None:
    """Interrupted after any of its steps, and planned again by the same command."""
    wish = possible(table, wish)
    plan = plan_changes(table, wish)
    states = carried_out(table, plan.steps)
    end = states[-1]
    for taken in range(len(states)) if len(plan.steps) > 1 else ():
        try:
            rest = plan_changes(states[taken], wish)
        except RefusedError:  # what is done already is then left out by hand
            continue
        assert not diff(end, carried_out(states[taken], rest.steps)[-1]), taken


MAPPED = {MODE: "name", "team": "web"}


def plain(columns: str = "a INT, b STRING", **more: str) -> Snapshot:
    stored = {key.replace("__", "."): value for key, value in more.items()}
    made = snapshot((1, 2), stored, schemaString=parse_columns(columns).to_json())
    return replace(made, domains={})


@with_rows
def test_columns_that_move_behind_each_other_end_in_the_same_order(moves: list[str]) -> None:
    wish = TableChanges(
        change=[ColumnChange(path, position=where) for path, where in map(parse_move, moves)],
        set_properties={"team": "web"},
    )
    table = plain("a INT, b INT, c INT, d INT, e INT")
    states = carried_out(table, plan_changes(table, wish).steps)
    for state in states:
        rest = plan_changes(state, wish).steps
        assert not diff(states[-1], carried_out(state, rest)[-1])


# clustering that was taken away for some time

UNMAPPING: dict[str, Callable[[Snapshot], Plan]] = {
    "set-mapping-mode": lambda table: plan_mapping_mode(table, ColumnMappingMode.NONE),
    "drop-feature": lambda table: plan_drop(table, "columnMapping", HISTORY, now=0),
    "alter --set": lambda table: plan_changes(table,
        TableChanges(set_properties={MODE: "none", "x": "1"})),
    "alter --unset": lambda table: plan_changes(table, TableChanges(unset=[MODE])),
    "alter --rename --unset": lambda table: plan_changes(table,
        TableChanges(rename={("a",): "number"}, unset=[MODE])),
}  # fmt: skip


@pytest.mark.parametrize("command", UNMAPPING)
def test_clustering_that_was_taken_away_is_put_back(command: str) -> None:
    """By the same command, or by the fix of what rules find, after any of its steps."""
    plan_command = UNMAPPING[command]
    bare = replace(mapped(), domains={})
    table = carried_out(bare, (ClusterBy((("a",),)),))[-1]
    plan = plan_command(table)
    states = carried_out(table, plan.steps)
    taken_away = [state for state in states if state.suspended_clustering]
    assert (
        len(taken_away) == len([stage for stage in plan.stages if stage.cost is Cost.REWRITE]) + 1
    )
    for state in states:
        rest = plan_command(state)
        assert not mismatches(plan.after, carried_out(state, rest.steps)[-1])
        fixes = [finding.fix for finding in snapshot_findings(state) if finding.code == "DL535"]
        assert fixes == [(ClusterBy(state.suspended_clustering),)] * (state in taken_away)
        unread = plan_command(replace(state, domains=None, suspended_clustering=()))
        assert unread.needs_state or depends_on_state(unread)


@pytest.mark.parametrize("command", UNMAPPING)
def test_a_domain_without_the_feature_is_not_clustering(command: str) -> None:
    """Else a run that is interrupted before the last step would not be resumed with it."""
    bare = mapped()
    domain = carried_out(replace(bare, domains={}), (ClusterBy((("a",),)),))[-1].domains
    plan = UNMAPPING[command](replace(bare, domains=domain))
    assert not any(isinstance(step, ClusterBy) for step in plan.steps)
    assert not plan.after.protocol.supports("clustering")


# commands of one step that Delta commits several times


def snapshot_with_x() -> Snapshot:
    table = mapped()
    stored = {**table.metadata.configuration, "x": "1"}
    return replace(table, metadata=table.metadata.with_configuration(stored))


TRACKED = plan_features(snapshot(), ["rowTracking"]).after
BETWEEN = [
    pytest.param(snapshot(), lambda table: plan_features(table, ["rowTracking", "changeDataFeed"]),
        [SetProperties({"delta.feature.rowTracking": "supported"})],
        id="enable-feature, before the backfill"),
    pytest.param(mapped(), lambda table: plan_changes(table,
        TableChanges(set_properties={MODE: "none", "x": "1"})), [SetProperties({MODE: "none"})],
        id="alter --set, after the rewrite"),
    pytest.param(snapshot_with_x(), lambda table: plan_changes(table,
        TableChanges(unset=[MODE, "x"])), [UnsetProperties((MODE,))],
        id="alter --unset, after the rewrite"),
    pytest.param(mapped(), lambda table: plan_mapping_mode(table, ColumnMappingMode.NONE), [],
        id="set-mapping-mode"),
    pytest.param(filled(TRACKED), lambda table: plan_drop(table, "rowTracking", HISTORY, now=0),
        [SetProperties({"delta.enableRowTracking": "false", "delta.rowTrackingSuspended": "true"})],
        id="drop-feature rowTracking, before the row ids are removed"),
    pytest.param(filled(plan_features(snapshot(), ["inCommitTimestamp"]).after), lambda table:
        plan_drop(table, "inCommitTimestamp", HISTORY, now=0),
        [SetProperties({"delta.enableInCommitTimestamps": "false"})],
        id="drop-feature inCommitTimestamp"),
    pytest.param(filled(plan_features(snapshot(), ["typeWidening"]).after), lambda table:
        plan_drop(table, "typeWidening", HISTORY, now=0),
        [UnsetProperties(("delta.enableTypeWidening",))], id="drop-feature typeWidening"),
    *(pytest.param(filled(plan_features(snapshot(), [name]).after), lambda table,
        name=name: plan_drop(table, name, HISTORY, now=0),
        [DropFeature(name, truncate_history=True)],
        id=f"drop-feature {name}, after its preparation") for name in ("columnMapping",
        "deletionVectors", "v2Checkpoint")),
]  # fmt: skip


@pytest.mark.parametrize(("table", "make", "first"), BETWEEN)
def test_a_step_of_several_commits_is_planned_for_the_rest(
    table: Snapshot, make: Callable[[Snapshot], Plan], first: Sequence[Step]
) -> None:
    end = make(table).after
    begun = carried_out(table, tuple(first))[-1]
    assert not mismatches(end, carried_out(begun, make(begun).steps)[-1])
    done = carried_out(table, make(table).steps)[-1]
    assert make(done).is_noop
