"""Differences between two states, and what a prediction accepts."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.plans.diff import change_words, diff, mismatches
from tests.support.plans import mapped, schema, snapshot, written

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


@pytest.mark.parametrize(("predicted", "found", "accepted"), [
    ("col-<known after commit>", "col-7f", True),
    ("col-<known after commit>", "col-", False),
    ("col-<known after commit>", "other-7f", False),
    ("7", "<known after commit>", False),
    ("a.c", "abc", False),
    ("<known after commit>", "two\nlines", True),
])  # fmt: skip
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


def state(**changes: Any) -> Snapshot:
    return snapshot(**changes)


NESTED = (
    '{"type":"struct","fields":[{"name":"s","type":{"type":"struct","fields":[{"name":"x.y",'
    '"type":"integer","nullable":true,"metadata":{}}]},"nullable":true,"metadata":{}}]}'
)


@pytest.mark.parametrize(("before", "after", "expected"), [
    pytest.param(state(versions=(2, 5)), state(versions=(1, 6)),
        ["~ protocol.minReaderVersion 2 -> 1", "~ protocol.minWriterVersion 5 -> 6"],
        id="versions"),
    pytest.param(state(versions=(1, 7), writer=["b", "a"]),
        state(versions=(1, 7), writer=["c", "b"]), ["+ protocol.writerFeatures[c]",
        "- protocol.writerFeatures[a]"], id="features"),
    pytest.param(state(versions=(1, 7), writer=[]), state(versions=(1, 7)),
        ["- protocol.writerFeatures"], id="an empty list is not a missing one"),
    pytest.param(state(configuration={"a": "1", "b": "1"}),
        state(configuration={"b": "2", "c": "1"}), ["- configuration[a] = 1",
        "~ configuration[b] 1 -> 2", "+ configuration[c] = 1"], id="properties"),
    pytest.param(state(name="x", partitionColumns=["a"], description="d"),
        state(name="y", id="other"), ["~ id 00000000-0000-4000-8000-000000000001 -> other",
        "~ name x -> y", "- description", '~ partitionColumns ["a"] -> []'],
        id="the rest of the metadata"),
    pytest.param(state(schemaString=schema("a", "b")), state(schemaString=schema("b", "c")),
        ["+ schema[c]", "- schema[a]"], id="columns come and go"),
    pytest.param(state(schemaString=schema("a", "b")), state(schemaString=schema("b", "a")),
        ['~ schema ["a", "b"] -> ["b", "a"]'], id="the order of columns"),
    pytest.param(state(schemaString=NESTED), state(schemaString=NESTED.replace("integer", "long")),
        ['~ schema[s.`x.y`] {"type": "integer"} -> {"type": "long"}'], id="a nested column"),
    pytest.param(state(schemaString="nonsense"), state(),
        [f"~ schema nonsense -> {snapshot().metadata.schema_string}"],
        id="a schema that cannot be read is one piece"),
    pytest.param(state(schemaString=schema("a")), state(schemaString=schema("a").replace(" ", "")),
        [], id="spacing is no difference"),
    pytest.param(state(createdTime=1), state(createdTime=2), [], id="nor is its age"),
])  # fmt: skip
def test_changes(before: Snapshot, after: Snapshot, expected: list[str]) -> None:
    assert [written(change) for change in diff(before, after)] == expected


def test_mapping_of_a_column_is_told_by_its_keys() -> None:
    (*_, change) = diff(snapshot((2, 5)), mapped())
    assert change.subject == "schema[a]"
    assert change.before == {}
    assert change.after == {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "p"}


def configured(value: str) -> Snapshot:
    return snapshot(configuration={"key": value})


def column(name: str, number: int, types: Any = "integer", physical: str = "") -> dict[str, Any]:
    mapping = {
        "delta.columnMapping.id": number,
        "delta.columnMapping.physicalName": physical or f"p{number}",
    }
    return {"name": name, "type": types, "nullable": True, "metadata": mapping}


def having(*columns: dict[str, Any], mode: str = "name") -> Snapshot:
    text = json.dumps({"type": "struct", "fields": columns})
    properties = {} if mode == "none" else {"delta.columnMapping.mode": mode}
    return snapshot((2, 5), properties, schemaString=text)


def struct(*columns: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": columns}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([column("a", 1)], [column("b", 1)], ["~ schema[b]: renamed from a"]),
        (
            [column("a", 1)],
            [column("b", 1, "long")],
            ["~ schema[b]: renamed from a, type integer -> type long"],
        ),
        (  # swapped, which is no change of their order
            [column("a", 1), column("b", 2)],
            [column("b", 1), column("a", 2)],
            ["~ schema[b]: renamed from a", "~ schema[a]: renamed from b"],
        ),
        (  # the name of one that goes
            [column("a", 1), column("b", 2, "long")],
            [column("b", 1)],
            [
                "~ schema[b]: renamed from a",
                "- schema[b]: type long, nullable true, id 2, physicalName p2",
            ],
        ),
        (  # what is inside follows
            [column("s", 1, struct(column("x", 2), column("y", 3)))],
            [column("t", 1, struct(column("x", 2), column("z", 3)))],
            ["~ schema[t]: renamed from s", "~ schema[t.z]: renamed from s.y"],
        ),
        (
            [column("l", 1, {"type": "array", "containsNull": True,
                             "elementType": struct(column("x", 2))})],
            [column("l", 1, {"type": "array", "containsNull": True,
                             "elementType": struct(column("y", 2))})],
            ["~ schema[l.element.y]: renamed from l.element.x"],
        ),
        (  # another column of the same name, as REPLACE TABLE makes it
            [column("a", 1)],
            [column("a", 2)],
            ["~ schema[a]: id 1, physicalName p1 -> id 2, physicalName p2"],
        ),
        (  # renamed and moved
            [column("a", 1), column("b", 2)],
            [column("b", 2), column("c", 1)],
            ["~ schema[c]: renamed from a", "~ schema: a, b -> b, c"],
        ),
    ],
)  # fmt: skip
def test_column_mapping_tells_what_is_renamed(
    before: list[Any], after: list[Any], found: list[str]
) -> None:
    assert [change_words(each) for each in diff(having(*before), having(*after))] == found


def test_a_column_that_is_mapped_and_renamed_had_its_physical_name_before() -> None:
    plain = {"name": "a", "type": "integer", "nullable": True, "metadata": {}}
    changes = diff(having(plain, mode="none"), having(column("b", 1, physical="a")))
    assert [change_words(each) for each in changes] == [
        "+ configuration[delta.columnMapping.mode] = name",
        "~ schema[b]: renamed from a, none -> id 1, physicalName a",
    ]


def test_ids_of_other_tables_and_without_column_mapping_say_nothing() -> None:
    for mode in ("none", "name"):
        before, after = having(column("a", 1), mode=mode), having(column("b", 1), mode="none")
        assert {change.subject for change in diff(before, after)} >= {"schema[a]", "schema[b]"}
    other = having(column("b", 1))
    other = replace(other, metadata=replace(other.metadata, id="another"))
    kinds = [change.kind.value for change in diff(having(column("a", 1)), other)]
    assert kinds == ["~", "+", "-"]
