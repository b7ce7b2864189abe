"""The cheapest way to a table that clients can use, held against all sets of drops."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.clients import CLIENTS, Access, newest_releases, parse_client
from deltaadm.domain.features import FEATURES, Kind
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.steps import DropConstraint, DropFeature, Step, UnsetProperties
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.errors import DeltaadmError, NotYetError, RefusedError
from deltaadm.plans.features import after_all_runs, droppable_features
from deltaadm.plans.goals import Price, is_reached, plan_for_clients
from deltaadm.plans.plan import Goal, Plan
from tests.support.plans import snapshot

HOUR = 3_600_000
NOW = 1000 * HOUR
DROPPABLE = sorted(
    name
    for name, feature in FEATURES.items()
    if feature.removal is not None and not feature.removal.broken
)
PROPERTIES = (
    {},
    {"delta.enableDeletionVectors": "true"},
    {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"},
    {"delta.enableInCommitTimestamps": "true"},
    {"delta.enableChangeDataFeed": "true", "delta.constraints.positive": "a > 0"},
)


def table_with(names: set[str], configuration: dict[str, str]) -> Snapshot:
    """A table of which protocol and files are known, and that needs no feature's files."""
    every = set(names)
    while more := {needed for name in every for needed in FEATURES[name].requires} - every:
        every |= more
    reader = sorted(name for name in every if FEATURES[name].kind is Kind.READER_WRITER)
    found = snapshot(
        (3 if reader else 1, 7), configuration, reader=reader or None, writer=sorted(every)
    )
    return replace(found, files=FileFacts(), domains={})


def plan(
    table: Snapshot,
    *goals: Goal,
    history: int | None = None,
    keeping: Iterable[Goal] = (),
    skip_unreachable: bool = False,
) -> Plan:
    old = FeatureHistory(first=0, needing=None if history is None else 1, needing_since=history)
    return plan_for_clients(
        table, lambda _: old, goals, now=NOW, keeping=keeping,
        skip_unreachable=skip_unreachable,
    )  # fmt: skip


def reading(name: str) -> Goal:
    return Goal(parse_client(name), Access.READ)


def writing(name: str) -> Goal:
    return Goal(parse_client(name), Access.WRITE)


def sets_of_drops(table: Snapshot, most: int) -> Iterator[tuple[Price, Snapshot]]:
    """What up to *most* drops lead to, in every order that Delta allows, and what it costs."""
    layer = {(): (Price(), table)}
    yield Price(), table
    for _ in range(most):
        found: dict[frozenset[Step], list[tuple[tuple[Step, ...], Price, Snapshot]]] = {}
        for taken, (price, state) in layer.items():
            for name in droppable_features(table):
                for truncating in (False, True):
                    step = DropFeature(name, truncating)
                    if any(isinstance(step, DropFeature) and step.name == name for step in taken):
                        continue
                    try:
                        after = after_all_runs(state, step)
                    except DeltaadmError:
                        continue
                    known = found.setdefault(frozenset((*taken, step)), [])
                    total = price.plus(state, step)
                    if all((total, after) != (other, seen) for _, other, seen in known):
                        known.append(((*taken, step), total, after))
        layer = {steps: (price, state) for every in found.values() for steps, price, state in every}
        yield from layer.values()


def cheapest_steps(table: Snapshot, goals: list[Goal]) -> list[Step] | None:
    """Those of all runs that it takes; None where no change reaches all the goals."""
    taken: list[Step] = []
    while not all(is_reached(goal, table) for goal in goals):
        try:
            planned = plan(table, *goals)
        except RefusedError:
            return None
        if planned.unreachable:
            return None
        for step in planned.steps:
            table = after_all_runs(table, step)
        taken += planned.steps
    return taken


def check_against_brute_force(table: Snapshot, goals: list[Goal], most: int) -> None:
    steps = cheapest_steps(table, goals)
    reached = [
        price
        for price, state in sets_of_drops(table, most)
        if all(is_reached(goal, state) for goal in goals)
    ]
    if steps is None:
        assert not reached
        return
    price, state = Price(), table
    for step in steps:
        price, state = price.plus(state, step), after_all_runs(state, step)
    assert all(is_reached(goal, state) for goal in goals)
    assert price <= min(reached, default=price)


@st.composite
def wishes(draw: st.DrawFn, features: int) -> tuple[Snapshot, list[Goal]]:
    names = draw(st.sets(st.sampled_from(sorted(FEATURES)), max_size=2))
    names |= draw(st.sets(st.sampled_from(DROPPABLE), max_size=features))
    table = table_with(names, dict(draw(st.sampled_from(PROPERTIES))))
    if draw(st.booleans()):
        table = replace(table, files=FileFacts(files=2, with_deletion_vector=1))
    clients = st.sampled_from(newest_releases())
    pairs = st.builds(Goal, clients, st.sampled_from(Access))
    return table, draw(st.lists(pairs, min_size=1, max_size=3, unique=True))


@settings(max_examples=60, deadline=None)
@given(wishes(4))
def test_no_set_of_drops_is_cheaper(wish: tuple[Snapshot, list[Goal]]) -> None:
    check_against_brute_force(*wish, most=3)


@pytest.mark.matrix
@settings(max_examples=1500, deadline=None)
@given(wishes(8))
def test_no_set_of_four_drops_is_cheaper(wish: tuple[Snapshot, list[Goal]]) -> None:
    check_against_brute_force(*wish, most=4)


@pytest.mark.matrix
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("access", Access)
def test_each_client_on_every_pair_of_features(client: str, access: Access) -> None:
    goal = Goal(parse_client(client), access)
    for number, first in enumerate(DROPPABLE):
        for second in DROPPABLE[number:]:
            check_against_brute_force(table_with({first, second}, {}), [goal], most=4)


VECTORS = table_with(
    {"deletionVectors", "appendOnly", "invariants"}, {"delta.enableDeletionVectors": "true"}
)


def test_a_reader_leaves_history_alone() -> None:
    found = plan(VECTORS, reading("athena"))
    assert found.steps == (DropFeature("deletionVectors"),)
    assert found.irreversible == ()
    assert "athena can read the table after this." in found.notes


V2 = table_with({"v2Checkpoint", "appendOnly"}, {"delta.checkpointPolicy": "v2"})


def test_a_writer_that_cannot_bear_protection_needs_history_truncated() -> None:
    found = plan(V2, writing("trino"))
    assert found.steps == (DropFeature("v2Checkpoint", truncate_history=True),)
    assert found.waits
    assert "trino@480 can write the table only after a later run of the same command." in (
        found.notes
    )
    assert any(note.startswith("History is lost") for note in found.notes)


def test_the_second_run_waits_for_history() -> None:
    done = plan(V2, writing("trino")).after
    with pytest.raises(NotYetError, match="older versions need v2Checkpoint; ready at"):
        plan(done, writing("trino"), history=NOW)
    last = plan(done, writing("trino"), history=0)
    assert last.steps == (DropFeature("v2Checkpoint", truncate_history=True),)
    assert "trino@480 can write the table after this." in last.notes


def test_what_is_reached_already_needs_no_step() -> None:
    found = plan(VECTORS, reading("trino"))
    assert found.is_noop
    assert found.notes == ("trino@480 can read the table already.",)


def test_several_clients_at_once() -> None:
    table = table_with(
        {"deletionVectors", "rowTracking", "checkConstraints"},
        {"delta.constraints.positive": "a > 0"},
    )
    found = plan(table, reading("daft"), writing("delta-kernel-rs"))
    assert DropConstraint("positive") in found.steps
    assert all(is_reached(goal, found.after) for goal in found.goals)


def test_use_is_ended_where_that_is_enough() -> None:
    table = table_with({"deletionVectors"}, {"delta.enableDeletionVectors": "true"})
    found = plan(table, reading("daft"))
    assert found.steps == (UnsetProperties(("delta.enableDeletionVectors",)),)


def test_who_cannot_be_reached_is_named_with_the_reason() -> None:
    table = table_with({"timestampNtz", "typeWidening"}, {})
    found = plan(table, reading("hive"), reading("polars"), writing("athena"))
    assert found.goals == (reading("polars"),)
    assert found.steps == (DropFeature("typeWidening"),)
    hive, athena = found.unreachable
    assert hive.reason.startswith(
        "hive@3.0.0 cannot read the table because of protocol.minReaderVersion"
    )
    assert "the table feature timestampNtz cannot be dropped" in hive.reason
    assert (athena.goal, athena.reason) == (
        writing("athena"),
        "athena does not write any table (read only)",
    )
    assert found.missed == found.unreachable


def test_nothing_is_planned_where_nothing_can_be_reached_unless_that_is_skipped() -> None:
    table = table_with({"timestampNtz", "deletionVectors"}, {})
    with pytest.raises(
        RefusedError, match=r"No plan helps: hive@3.0.0 .*; athena does not write any"
    ):
        plan(table, reading("hive"), writing("athena"))
    found = plan(table, reading("hive"), writing("athena"), skip_unreachable=True)
    assert found.is_noop
    assert [each.goal for each in found.unreachable] == [reading("hive"), writing("athena")]
    assert not found.missed


def test_the_cheapest_plan_keeps_the_clients_that_must_go_on() -> None:
    """Dropping a feature protects history, which Trino does not write; truncating it does not."""
    table = table_with({"v2Checkpoint"}, {"delta.checkpointPolicy": "v2"})
    wanted = reading("redshift-spectrum")
    assert plan(table, wanted).steps == (DropFeature("v2Checkpoint"),)
    keeping = plan(table, wanted, keeping=[writing("delta-rs"), writing("hive")])
    assert keeping.steps == (DropFeature("v2Checkpoint", truncate_history=True),)
    assert keeping.goals == (wanted,)


def test_legacy_versions_are_reached_by_adding_features() -> None:
    table = replace(snapshot((1, 7), {}, writer=["appendOnly"]), files=FileFacts(), domains={})
    found = plan(table, writing("flink"))
    assert found.after.protocol.min_writer_version < 7
