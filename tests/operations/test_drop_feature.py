"""How far a feature is from being dropped."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.errors import NotYetError
from deltaadm.plans.features import DropStatus, Phase, drop_status, droppable_features, plan_drop
from tests.support.plans import snapshot

HOUR = 3_600_000
CLEAN = FeatureHistory(first=0)
NOW = 100 * HOUR
VECTORS = snapshot(
    (3, 7),
    {"delta.enableDeletionVectors": "true"},
    reader=["deletionVectors"],
    writer=["appendOnly", "deletionVectors", "invariants"],
)
PURGED = replace(VECTORS, metadata=VECTORS.metadata.with_configuration({}), files=FileFacts())


def status(table: Snapshot, name: str, history: FeatureHistory = CLEAN) -> DropStatus:
    return drop_status(table, name, history, now=NOW)


@pytest.mark.parametrize(("written", "ready"), [
    (NOW - 24 * HOUR - 60_000, True),
    (NOW - 24 * HOUR, True),
    (NOW - 24 * HOUR + 1, False),
    (NOW, False),
])  # fmt: skip
def test_the_second_run_waits_until_history_has_expired(written: int, ready: bool) -> None:
    history = FeatureHistory(first=0, needing=5, needing_since=written)
    assert status(PURGED, "deletionVectors", history).phase is (
        Phase.READY if ready else Phase.WAITING
    )
    with nullcontext() if ready else pytest.raises(NotYetError, match="version 5 needs it"):
        plan_drop(PURGED, "deletionVectors", history, now=NOW, truncate_history=True)


def test_the_table_says_how_long_history_is_kept() -> None:
    hour = {"delta.dropFeatureTruncateHistory.retentionDuration": "interval 1 hour"}
    table = replace(PURGED, metadata=PURGED.metadata.with_configuration(hour))
    history = FeatureHistory(first=0, needing=5, needing_since=NOW - 2 * HOUR)
    assert status(table, "deletionVectors", history).phase is Phase.READY


@pytest.mark.parametrize(("table", "name", "words"), [
    (snapshot(), "appendOnly", "cannot be dropped"),
    (snapshot((1, 7), writer=["domainMetadata", "rowTracking"]), "domainMetadata",
        "required by rowTracking"),
    (snapshot((1, 3), {"delta.constraints.c": "a > 0"}), "checkConstraints", "CHECK constraint c"),
])  # fmt: skip
def test_what_stands_in_the_way_is_named(table: Snapshot, name: str, words: str) -> None:
    found = status(table, name)
    assert found.phase is Phase.BLOCKED
    assert found.refusal is not None
    assert words in found.refusal.message


def test_only_what_delta_can_drop_is_offered() -> None:
    assert droppable_features(VECTORS) == ("deletionVectors",)
    assert droppable_features(snapshot((2, 5))) == ("checkConstraints", "columnMapping")
    assert status(snapshot(), "deletionVectors").phase is Phase.ABSENT
