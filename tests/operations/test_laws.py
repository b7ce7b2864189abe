"""What holds for every plan and every step, whatever the table."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.ddl import parse_definitions
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import AddColumns, ClusterBy, SetProperties, Step
from deltaadm.domain.steps.step import evolve
from deltaadm.errors import RefusedError
from deltaadm.plans.alter import TableChanges, plan_changes
from deltaadm.plans.diff import diff, mismatches
from deltaadm.plans.document import saved_document
from deltaadm.plans.saved import read_plans
from tests.support.wishes import MODE, PROPERTIES, carried_out, possible, tables, wishes

pytestmark = pytest.mark.slow


@given(tables(), wishes())
def test_every_plan(table: Snapshot, wish: TableChanges) -> None:
    """No feature gets lost, a file keeps it, and nothing is left of it once it is carried out."""
    plan = plan_changes(table, possible(table, wish))
    states = carried_out(table, plan.steps)
    for before, after in pairwise(states):
        assert before.protocol.supported_features <= after.protocol.supported_features
    [saved] = read_plans(json.dumps(saved_document(plan, "t")))
    again = saved.renewed_on(table)
    assert (again.steps, again.cost, again.session) == (plan.steps, plan.cost, plan.session)
    assert not mismatches(plan.after, again.after)
    assert saved.left_on(states[-1]).is_noop


STEPS = st.one_of(
    st.sampled_from([(key, value) for key, values in PROPERTIES.items() for value in values])
    .filter(lambda pair: pair[0] != MODE)
    .map(lambda pair: SetProperties(dict([pair]))),
    st.just(AddColumns(parse_definitions("n INT"))),  # the last of two would stand behind the other
    st.sampled_from([ClusterBy((("b",),)), ClusterBy(())]),
)


@given(tables(), STEPS, STEPS)
def test_steps_that_change_other_things_may_change_places(
    table: Snapshot, one: Step, two: Step
) -> None:
    try:
        first, second = evolve(table, one), evolve(table, two)
        there, back = evolve(first, two), evolve(second, one)
    except RefusedError:  # which may depend on the order
        return
    subjects = [{change.subject for change in diff(table, state)} for state in (first, second)]
    if all(subjects) and not subjects[0] & subjects[1]:
        assert not mismatches(there, back)
