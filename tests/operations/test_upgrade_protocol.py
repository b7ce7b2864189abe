"""What a wish for versions comes to."""

from typing import Any

import pytest

from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import RefusedError
from deltaadm.plans.features import plan_upgrade
from tests.support.plans import changes, reasons, snapshot

CDF = {"delta.enableChangeDataFeed": "true"}
VECTORS = {"reader": ["deletionVectors"], "writer": ["deletionVectors"]}


def row(name: str, table: Snapshot, wish: dict[str, int], *expected: str) -> Any:
    return pytest.param(table, wish, list(expected), id=name)


@pytest.mark.parametrize(("table", "wish", "expected"), [
    row("nothing is needed", snapshot(), {}),
    row("lower versions change nothing", snapshot((1, 4)), {"reader": 1, "writer": 2}),
    row("the same versions change nothing", snapshot((2, 5)), {"reader": 2, "writer": 5}),
    row("features of old versions stay old", snapshot(), {"reader": 3, "writer": 7}),
    row("writer 7 alone stays old as well", snapshot(), {"writer": 7}),
    row("column mapping by versions", snapshot(), {"reader": 2, "writer": 5},
        "~ protocol.minReaderVersion 1 -> 2", "~ protocol.minWriterVersion 2 -> 5"),
    row("one version of two", snapshot((2, 5)), {"writer": 6},
        "~ protocol.minWriterVersion 5 -> 6"),
    row("what the metadata needs", snapshot((1, 2), CDF), {}, "~ protocol.minWriterVersion 2 -> 7",
        "+ protocol.writerFeatures[appendOnly]", "+ protocol.writerFeatures[changeDataFeed]",
        "+ protocol.writerFeatures[invariants]"),
    row("old versions are listed where there are lists", snapshot((3, 7), **VECTORS),
        {"reader": 1, "writer": 3}, "+ protocol.writerFeatures[appendOnly]",
        "+ protocol.writerFeatures[checkConstraints]", "+ protocol.writerFeatures[invariants]"),
])  # fmt: skip
def test_plans(table: Snapshot, wish: dict[str, int], expected: list[str]) -> None:
    plan = plan_upgrade(table, **wish)
    assert changes(plan) == expected
    assert plan.is_noop is (not expected)


@pytest.mark.parametrize(("table", "wish", "note"), [
    (snapshot(), {}, "The protocol (1, 2) supports everything that the metadata needs."),
    (snapshot((1, 2), CDF), {}, "The metadata needs more than the protocol supports."),
    (snapshot((1, 4)), {"writer": 2}, "The table already supports everything that (1, 2)"),
    (snapshot(), {"reader": 3, "writer": 7}, "requesting (3, 7) changes nothing."),
    (snapshot((1, 2), CDF), {"reader": 3, "writer": 7}, "requesting (3, 7) gives (1, 7)."),
])  # fmt: skip
def test_what_surprises_is_explained(table: Snapshot, wish: dict[str, int], note: str) -> None:
    assert note in " ".join(plan_upgrade(table, **wish).notes)


@pytest.mark.parametrize(("table", "wish", "error_class"), [
    pytest.param(snapshot(), {"reader": 3}, "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
        id="reader 3 needs writer 7"),
    pytest.param(snapshot(), {"reader": 9}, "UNSUPPORTED_TABLE_CHANGE", id="no such reader"),
    pytest.param(snapshot(), {"writer": 0}, "UNSUPPORTED_TABLE_CHANGE", id="no such writer"),
    pytest.param(snapshot((1, 101)), {"writer": 7}, "EXPRESSION_DECODING_FAILED",
        id="broken versions"),
    pytest.param(snapshot((3, 7), reader=["novel"], writer=["novel"]), {"writer": 7},
        "DELTA_UNSUPPORTED_FEATURES_FOR_READ", id="a feature nobody knows"),
])  # fmt: skip
def test_refusals(table: Snapshot, wish: dict[str, int], error_class: str) -> None:
    with pytest.raises(RefusedError) as caught:
        plan_upgrade(table, **wish)
    assert caught.value.delta_error_class == error_class
    assert caught.value.remedy


def test_implied_features_are_said_to_stay() -> None:
    found = reasons(plan_upgrade(snapshot((1, 2), CDF)))
    assert found["protocol.minWriterVersion"] == "needed by changeDataFeed"
    assert found["protocol.writerFeatures[appendOnly]"].startswith("implied so far")
    assert found["protocol.writerFeatures[changeDataFeed]"] == (
        "needed: property delta.enableChangeDataFeed is true"
    )


def test_the_same_wish_again_is_empty() -> None:
    after = plan_upgrade(snapshot(), reader=2, writer=5).after
    assert plan_upgrade(after, reader=2, writer=5).is_noop
