"""Differences between two states, and what a prediction accepts."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.plans.diff import diff, mismatches
from tests.support.plans import schema, snapshot, written
from tests.support.rows import with_rows

names = st.sampled_from(["appendOnly", "rowTracking", "deletionVectors", "novel"])
feature_lists = st.none() | st.frozensets(names)
words = st.text(max_size=6)
protocols = st.builds(
    Protocol, min_reader_version=st.integers(0, 4), min_writer_version=st.integers(0, 8),
    reader_features=feature_lists, writer_features=feature_lists,
)  # fmt: skip
metadatas = st.builds(
    Metadata, id=st.none() | words, name=st.none() | words, description=st.none() | words,
    schema_string=st.none() | words | st.builds(schema, words, types=words),
    partition_columns=st.lists(words, max_size=2).map(tuple),
    configuration=st.dictionaries(words, words, max_size=3),
)  # fmt: skip
snapshots = st.builds(
    Snapshot, root=st.just("/t"), version=st.just(0), protocol=protocols, metadata=metadatas
)


@given(snapshots)
def test_nothing_differs_from_itself(one: Snapshot) -> None:
    assert diff(one, one) == ()
    assert mismatches(one, one) == ()


@given(snapshots, snapshots)
def test_both_directions_have_the_same_subjects(left: Snapshot, right: Snapshot) -> None:
    forth = [change.subject for change in diff(left, right)]
    back = [change.subject for change in diff(right, left)]
    assert sorted(forth) == sorted(back)


@given(snapshots, snapshots)
def test_only_equal_states_have_no_difference(left: Snapshot, right: Snapshot) -> None:
    same = left.protocol == right.protocol and left.metadata == right.metadata
    if diff(left, right) == ():
        # texts of schemas may differ in spelling alone
        spelled_like = replace(left.metadata, schema_string=right.metadata.schema_string)
        assert left.protocol == right.protocol
        assert spelled_like == right.metadata
    else:
        assert not same


@given(snapshots, snapshots)
def test_without_markers_a_mismatch_is_a_difference(left: Snapshot, right: Snapshot) -> None:
    assert mismatches(left, right) == diff(left, right)


@given(st.text(min_size=1))
def test_a_marker_alone_accepts_any_text(found: str) -> None:
    assert not mismatches(configured(KNOWN_AFTER_COMMIT), configured(found))


@given(words, st.text(min_size=1, max_size=6), words)
def test_a_marker_accepts_only_its_own_part(before: str, found: str, after: str) -> None:
    predicted = configured(f"{before}{KNOWN_AFTER_COMMIT}{after}")
    assert not mismatches(predicted, configured(before + found + after))
    assert mismatches(predicted, configured(f"{before}{after}"))
    assert mismatches(predicted, configured(f"x{before}{found}{after}y")) or not (before and after)


@with_rows
def test_rows_of_acceptance(predicted: str, found: str, *, accepted: bool) -> None:
    assert (not mismatches(configured(predicted), configured(found))) is accepted


def test_a_marker_does_not_excuse_absence() -> None:
    subjects = [
        mismatch.subject for mismatch in mismatches(configured(KNOWN_AFTER_COMMIT), snapshot())
    ]
    assert subjects == ["configuration[key]"]


def test_a_marker_in_the_schema_accepts_any_name_and_nothing_else() -> None:
    def column(name: Any, number: int = 1) -> Snapshot:
        keys = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": name}
        return snapshot(schemaString=schema("a", **keys))

    predicted = column(f"col-{KNOWN_AFTER_COMMIT}")
    assert not mismatches(predicted, column("col-1"))
    assert mismatches(predicted, column("a"))
    assert mismatches(predicted, column("col-1", 2))


def test_a_marker_in_a_key_accepts_any_name_and_nothing_else() -> None:
    """Nested ids are kept by physical names, which only the commit knows."""

    def column(**ids: int) -> Snapshot:
        names = {key.replace("_", "."): number for key, number in ids.items()}
        return snapshot(schemaString=schema("a", **{"delta.columnMapping.nested.ids": names}))

    predicted = column(**{f"{KNOWN_AFTER_COMMIT}_key": 2, f"{KNOWN_AFTER_COMMIT}_value": 3})
    assert not mismatches(predicted, column(x_value=3, x_key=2))
    assert mismatches(predicted, column(x_value=2, x_key=3))
    assert mismatches(predicted, column(x_value=3))
    assert mismatches(predicted, column(x_value=3, x_key=2, x_element=4))


def configured(value: str) -> Snapshot:
    return snapshot(configuration={"key": value})


def test_schemas_are_compared_by_their_columns_unless_they_cannot_be_read() -> None:
    spaced, nonsense = schema("a"), snapshot(schemaString="nonsense")
    assert not diff(snapshot(schemaString=spaced), snapshot(schemaString=spaced.replace(" ", "")))
    [change] = diff(nonsense, snapshot())
    assert written(change) == f"~ schema nonsense -> {snapshot().metadata.schema_string}"
    [absent] = diff(snapshot((1, 7), writer=[]), snapshot((1, 7)))
    assert written(absent) == "- protocol.writerFeatures"
