"""Plans that drop features, and how far a feature is from being dropped."""

from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.features import Cost
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.errors import NotYetError, RefusedError
from deltaadm.plans.document import saved_document
from deltaadm.plans.features import (
    DropStatus,
    Phase,
    drop_status,
    droppable_features,
    official_name,
    plan_drop,
    plan_minimum,
)
from deltaadm.plans.plan import Plan
from tests.support.plans import changes, mapped, reasons, snapshot

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


def drop(table: Snapshot, name: str, history: FeatureHistory = CLEAN, **more: Any) -> Plan:
    return plan_drop(table, name, history, now=NOW, **more)


def status(table: Snapshot, name: str, history: FeatureHistory = CLEAN) -> DropStatus:
    return drop_status(table, name, history, now=NOW)


def test_keeping_the_history_takes_a_feature_that_protects_it() -> None:
    plan = drop(VECTORS, "deletionVectors")
    assert changes(plan) == [
        "~ protocol.minReaderVersion 3 -> 1",
        "- protocol.readerFeatures[deletionVectors]",
        "+ protocol.writerFeatures[checkpointProtection]",
        "- protocol.writerFeatures[deletionVectors]",
        "- configuration[delta.enableDeletionVectors] = true",
        "+ configuration[delta.requireCheckpointProtectionBeforeVersion] = <known after commit>",
    ]
    why = reasons(plan)
    assert why["protocol.writerFeatures[deletionVectors]"] == "requested"
    assert "deletionVectors" in why["protocol.writerFeatures[checkpointProtection]"]
    assert any("History is kept, which adds checkpointProtection." in note for note in plan.notes)
    assert plan.irreversible == ()
    assert not plan.waits


def test_the_first_of_two_runs_leaves_the_feature() -> None:
    plan = drop(VECTORS, "deletionVectors", truncate_history=True)
    assert changes(plan) == ["- configuration[delta.enableDeletionVectors] = true"]
    assert plan.waits
    assert plan.irreversible == ("deletionVectors",)
    assert any("first of two runs. 24 hours after it" in note for note in plan.notes)


def test_the_second_run_lowers_the_protocol_and_protects_nothing() -> None:
    plan = drop(PURGED, "deletionVectors", truncate_history=True)
    assert changes(plan)[:2] == [
        "~ protocol.minReaderVersion 3 -> 1",
        "~ protocol.minWriterVersion 7 -> 2",
    ]
    assert plan.after.protocol.supported_features == {"appendOnly", "invariants"}
    assert not plan.waits
    assert any(note.startswith("History is lost") for note in plan.notes)


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
    if ready:
        assert not drop(PURGED, "deletionVectors", history, truncate_history=True).is_noop
        return
    with pytest.raises(NotYetError) as caught:
        drop(PURGED, "deletionVectors", history, truncate_history=True)
    assert "version 5 needs it" in caught.value.message
    assert caught.value.exit_code == 8


def test_waiting_says_until_when_in_whole_minutes() -> None:
    history = FeatureHistory(first=0, needing=5, needing_since=NOW + 1)
    with pytest.raises(NotYetError, match=r"ready at 1970-01-06T04:01:00Z\.$"):
        drop(PURGED, "deletionVectors", history, truncate_history=True)


def test_the_table_says_how_long_history_is_kept() -> None:
    hour = {"delta.dropFeatureTruncateHistory.retentionDuration": "interval 1 hour"}
    table = replace(PURGED, metadata=PURGED.metadata.with_configuration(hour))
    history = FeatureHistory(first=0, needing=5, needing_since=NOW - 2 * HOUR)
    assert status(table, "deletionVectors", history).phase is Phase.READY


def test_keeping_the_history_never_waits() -> None:
    history = FeatureHistory(first=0, needing=5, needing_since=NOW)
    assert not drop(PURGED, "deletionVectors", history).is_noop


@pytest.mark.parametrize(("table", "name", "cost"), [
    (VECTORS, "deletionVectors", Cost.REWRITE),
    (replace(VECTORS, files=FileFacts(files=2)), "deletionVectors", Cost.METADATA),
    (replace(VECTORS, files=FileFacts(files=2, with_deletion_vector=1)), "deletionVectors",
        Cost.REWRITE),
    (mapped(), "columnMapping", Cost.REWRITE),
    (snapshot((2, 5)), "columnMapping", Cost.METADATA),
    (snapshot((1, 7), writer=["domainMetadata", "rowTracking"]), "rowTracking", Cost.BACKFILL),
    (replace(snapshot((1, 7), writer=["domainMetadata", "rowTracking"]), files=FileFacts(files=2,
        without_base_row_id=2)), "rowTracking", Cost.METADATA),
    (snapshot((3, 7), reader=["v2Checkpoint"], writer=["v2Checkpoint"]), "v2Checkpoint",
        Cost.METADATA),
])  # fmt: skip
def test_the_cost_is_that_of_what_comes_first(table: Snapshot, name: str, cost: Cost) -> None:
    assert drop(table, name).cost is cost


def test_a_feature_that_is_gone_needs_no_plan() -> None:
    plan = drop(snapshot(), "deletionVectors")
    assert plan.is_noop
    assert plan.notes == (
        "The table does not support deletionVectors, so there is nothing to drop.",
    )
    assert status(snapshot(), "deletionVectors").phase is Phase.ABSENT


@pytest.mark.parametrize(("table", "name", "words"), [
    (snapshot(), "appendOnly", "cannot be dropped"),
    (snapshot((1, 7), writer=["domainMetadata", "rowTracking"]), "domainMetadata",
        "required by rowTracking"),
    (snapshot((1, 3), {"delta.constraints.c": "a > 0"}), "checkConstraints", "CHECK constraint c"),
])  # fmt: skip
def test_what_stands_in_the_way_is_named(table: Snapshot, name: str, words: str) -> None:
    with pytest.raises(RefusedError, match=words) as caught:
        drop(table, name)
    assert caught.value.remedy
    found = status(table, name)
    assert found.phase is Phase.BLOCKED
    assert found.refusal is not None
    assert words in found.refusal.message


def test_checkpoint_protection_goes_only_with_its_history() -> None:
    table = snapshot(
        (1, 7),
        {"delta.requireCheckpointProtectionBeforeVersion": "2"},
        writer=["checkpointProtection"],
    )
    with pytest.raises(RefusedError, match="together with that history"):
        drop(table, "checkpointProtection")
    plan = drop(table, "checkpointProtection", truncate_history=True)
    assert plan.after.protocol.supported_features == frozenset()
    assert not status(table, "checkpointProtection").keeps_history


@pytest.mark.parametrize(
    ("given", "name"),
    [("DELETIONVECTORS", "deletionVectors"), ("delta.appendOnly", "delta.appendOnly")],
)
def test_names_are_taken_in_any_case(given: str, name: str) -> None:
    assert official_name(given) == name


def test_a_name_that_nobody_knows_is_refused_with_a_suggestion() -> None:
    with pytest.raises(RefusedError) as caught:
        official_name("deletionVektors")
    assert "deletionVectors" in caught.value.remedy


def test_a_property_is_told_from_a_feature() -> None:
    with pytest.raises(RefusedError) as caught:
        drop(snapshot(), "delta.appendOnly")
    assert caught.value.delta_error_class == "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY"


def test_only_what_delta_can_drop_is_offered() -> None:
    assert droppable_features(VECTORS) == ("deletionVectors",)
    assert droppable_features(snapshot((2, 5))) == ("checkConstraints", "columnMapping")


def test_the_document_tells_phases_and_what_is_lost() -> None:
    document = saved_document(drop(VECTORS, "deletionVectors", truncate_history=True), "t")
    assert document["irreversible"] == ["deletionVectors"]
    (step,) = document["steps"]
    assert step["kind"] == "drop_feature"
    assert step["waits"] is True
    assert step["sql"].endswith("DROP FEATURE `deletionVectors` TRUNCATE HISTORY")


# The way down


def lowest(table: Snapshot, **histories: FeatureHistory) -> Plan:
    return plan_minimum(table, lambda name: histories.get(name, CLEAN), now=NOW)


def test_the_way_down_drops_dependents_first() -> None:
    table = replace(
        snapshot(
            (3, 7),
            reader=["vacuumProtocolCheck"],
            writer=["domainMetadata", "rowTracking", "vacuumProtocolCheck"],
        ),
        files=FileFacts(files=1, without_base_row_id=1),
        domains={},
    )
    plan = lowest(table)
    assert [getattr(step, "name", "") for step in plan.steps] == [
        "rowTracking",
        "domainMetadata",
        "vacuumProtocolCheck",
    ]
    assert changes(plan)[:2] == [
        "~ protocol.minReaderVersion 3 -> 1",
        "~ protocol.minWriterVersion 7 -> 1",
    ]
    assert plan.irreversible == ("vacuumProtocolCheck",)
    assert reasons(plan)["protocol.writerFeatures[rowTracking]"] == "nothing in the table needs it"


def test_the_way_down_takes_the_protected_history_with_it() -> None:
    table = snapshot(
        (1, 7),
        {"delta.requireCheckpointProtectionBeforeVersion": "2"},
        writer=["checkpointProtection"],
    )
    plan = lowest(table)
    assert plan.irreversible == ("checkpointProtection",)
    removed = reasons(plan)["protocol.writerFeatures[checkpointProtection]"]
    assert removed == "only older versions need it"
    assert plan.after.protocol.supported_features == frozenset()
    with pytest.raises(NotYetError):
        lowest(table, checkpointProtection=FeatureHistory(first=0, needing=1, needing_since=NOW))


def test_the_way_down_leaves_what_files_use() -> None:
    files = FileFacts(files=3, with_deletion_vector=1)
    plan = lowest(replace(PURGED, files=files))
    assert plan.is_noop
    assert any("deletionVectors stays: the table's files" in note for note in plan.notes)


def test_the_way_down_leaves_what_the_metadata_needs() -> None:
    assert lowest(VECTORS).is_noop


def test_the_way_down_never_leads_up() -> None:
    plan = lowest(snapshot((2, 5)))
    assert plan.after.protocol.simple_string == snapshot((1, 4)).protocol.simple_string
    assert any(note.startswith("checkConstraints stays") for note in plan.notes)


def test_the_way_down_waits_for_history_when_nothing_else_is_left() -> None:
    history = FeatureHistory(first=0, needing=1, needing_since=NOW)
    with pytest.raises(NotYetError, match="older versions need deletionVectors; ready at"):
        lowest(PURGED, deletionVectors=history)


def test_the_way_down_goes_on_without_what_waits() -> None:
    history = FeatureHistory(first=0, needing=1, needing_since=NOW)
    names = ["deletionVectors", "vacuumProtocolCheck"]
    table = replace(snapshot((3, 7), reader=names, writer=names), files=FileFacts())
    plan = lowest(table, deletionVectors=history)
    assert plan.irreversible == ("vacuumProtocolCheck",)
    assert any("deletionVectors stays for now" in note for note in plan.notes)
