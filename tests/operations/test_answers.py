"""What the program answers to a command on a log, as rows of text; and laws for every feature."""

from pathlib import Path

import pytest

from deltaadm.domain.features import FEATURES, TableFeature
from deltaadm.domain.snapshot import Snapshot
from deltaadm.plans.features import plan_features
from tests.support import answers
from tests.support.cases import each
from tests.support.plans import mapped, snapshot

pytestmark = pytest.mark.slow

ANSWERS = sorted((Path(__file__).parent / "answers").glob("*.txt"))


@each("block", [case for file in ANSWERS for case in answers.cases(file)])
def test_the_answer_is_what_the_row_says(block: answers.Block, tmp_path: Path) -> None:
    answers.check(block, tmp_path)


ADDABLE = {
    name: feature
    for name, feature in FEATURES.items()
    if feature.in_delta_spark and not feature.not_addable
}
TABLES = {
    "(1, 2)": snapshot(),
    "(2, 5)": snapshot((2, 5)),
    "(1, 7)": snapshot((1, 7), writer=[]),
    "(3, 7)": snapshot((3, 7), reader=[], writer=[]),
    "mapped": mapped(),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@each("feature", ADDABLE)
def test_every_feature_becomes_active_with_all_that_it_requires(
    feature: TableFeature, table: Snapshot
) -> None:
    after = plan_features(table, [feature.name]).after
    assert after.protocol.supported_features >= {feature.name, *feature.requires}
    for name in (feature.name, *feature.requires_active):
        activation = FEATURES[name].activation
        assert activation.evidence(after.metadata) or not activation.properties
    assert plan_features(after, [feature.name]).is_noop


@each("feature", ADDABLE)
def test_every_feature_can_be_supported_and_then_is(feature: TableFeature) -> None:
    plan = plan_features(snapshot(), [feature.name], support_only=True)
    after = plan.after.protocol
    assert after.supports(feature.name)
    assert after.supported_features >= {"appendOnly", "invariants", *feature.requires}
    assert plan_features(plan.after, [feature.name], support_only=True).is_noop
