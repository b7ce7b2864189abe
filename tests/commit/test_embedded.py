"""The embedded commit engine commits what Delta has committed, and nothing else."""

from collections import Counter
from pathlib import Path

import pytest

from deltaadm.domain.features import FEATURES
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.transaction.update import OBLIGATIONS, OBSTACLES
from deltaadm.plans.embedded_executor import EmbeddedExecutor
from deltaadm.runs.context import now
from tests.support import oracle
from tests.support.executors import carry_out_case, new_commits, recorded_commits, verdict

CASES = {case["id"]: case for case in oracle.cases("e2e")}


def engine(session: SessionSettings) -> EmbeddedExecutor:
    return EmbeddedExecutor(session, now)


@pytest.mark.slow
def test_commits_are_those_of_delta_in_every_recorded_case(tmp_path: Path) -> None:
    """One test for all, since together they take seconds; it names the case that differs."""
    found = Counter()
    for name, case in CASES.items():
        outcome = verdict(case)
        if not outcome:
            outcome = carry_out_case(case, tmp_path / name, engine)
            made = new_commits(case, tmp_path / name)
            assert made == recorded_commits(case)[: len(made)], name
            assert outcome != "committed" or len(made) == len(recorded_commits(case)), name
        found[outcome] += 1
    assert dict(found.most_common()) == OUTCOMES
    assert found.total() == 854


OUTCOMES = {
    "committed": 443,
    "refused as by Delta": 263,
    "a step that changes nothing": 65,
    "a statement about rows, or RESTORE": 22,
    "it may rewrite files or history, which only Spark can do": 20,
    "a rewrite reads and writes files, which only Spark can do": 10,
    "a backfill reads and writes files, which only Spark can do": 9,
    "it needs rows or a catalog, which only Spark reads": 9,
    "the table has the feature …, and its commits are made by its coordinator": 7,
    "a table that Delta does not load": 2,
    (
        "delta.enableRowTracking becomes true, and Spark assigns row ids to the files that are "
        "there"
    ): 2,
    "only Spark can check the expression of g, a + 1": 1,
    (
        "delta.universalFormat.enabledFormats is set, and Spark writes metadata of other formats "
        "after a commit"
    ): 1,
}
"""How many of the recorded cases are committed, and why the others are not."""


def test_each_feature_of_delta_spark_has_its_obligation():
    known = {name for name, feature in FEATURES.items() if feature.in_delta_spark}
    assert OBLIGATIONS.keys() <= known <= OBLIGATIONS.keys() | OBSTACLES.keys() <= FEATURES.keys()
    assert not OBLIGATIONS.keys() & OBSTACLES.keys()
