"""Newest wins, and when two paths are the same file."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.replay.reconcile import Reconciliation, canonical_path, count_files, has_num_records
from deltaadm.spark.store import OTHER_FORM
from tests.support.rows import with_rows
from tests.support.tables import add, deletion_vector, remove


@pytest.mark.parametrize(("left", "right", "same"), [
    ("a", "a", True),
    ("a", "b", False),
    ("a%20b", "a%20b", True),
    ("%c3%a9", "%C3%A9", True),
    ("%C3%A9", "é", False),
    ("%2F", "/", False),
    ("%41", "A", False),
    ("p=a%2520b", "p=a%20b", False),
    ("%zz", "%ZZ", False),
    ("/x/y", "file:/x/y", True),
    ("/x/y", "file:///x/y", True),
    ("file:/x/y", "file:///x/y", True),
    ("s3://b/x", "s3://b/x", True),
    ("s3://b/x", "s3:/b/x", False),
    ("x/y", "/x/y", False),
    # As Delta Spark 4.4 answers.
    ("./x", "x", True),
    ("././x", ".//x", True),
    ("y//x", "y/x", True),
    ("y/./x", "y/x", True),
    ("y/z/../../x", "x", True),
    ("y/../../x", "../x", True),
    ("./../x", "../x", True),
    ("y//", "y/", True),
    ("y/.", "y/", True),
    ("y/", "y", False),
    ("%2E/x", "x", False),
    ("y/%2E%2E/x", "x", False),
    ("y/..x", "y/x", False),
    ("./a:b", "a%3Ab", False),
    ("/x", "/y/../x", True),
    ("/a/../../b", "/b", False),
    ("//x", "/x", False),
    ("file:///a//b", "/a/b", True),
    ("s3a://b/y/..//x", "s3a://b/x", True),
    ("x?a//b", "x?a/b", False),
])  # fmt: skip
def test_paths_of_one_file(left: str, right: str, *, same: bool) -> None:
    assert (canonical_path(left, "file:") == canonical_path(right, "file:")) is same


@given(st.text("a:./%cC3\n", max_size=12))
def test_paths_that_spark_takes_as_they_are(path: str) -> None:
    assert re.search(OTHER_FORM, path) or canonical_path(path, "file:") == path


def test_files_are_told_apart_by_deletion_vector() -> None:
    reconciled = Reconciliation()
    with_vector = add("a", deletionVector=deletion_vector("v"))["add"]
    assert reconciled.offer("add", with_vector)
    assert not reconciled.offer("remove", remove("a")["remove"])
    assert not reconciled.offer("add", add("a")["add"])
    assert not reconciled.offer("add", with_vector)
    assert reconciled.offer("add", add("a", deletionVector=deletion_vector("v", None))["add"])


def test_unknown_actions_are_counted() -> None:
    reconciled = Reconciliation()
    for name in ("novel", "cdc", "commitInfo", "novel"):
        reconciled.offer(name, {})
    assert reconciled.unknown == {"novel": 2}


@with_rows
def test_number_of_records(stats: str | None, *, known: bool) -> None:
    assert has_num_records(stats) is known


def test_facts_survive_odd_values() -> None:
    odd = {"path": "x", "size": "big", "partitionValues": None, "deletionVector": None}
    facts = count_files([odd])
    assert (facts.files, facts.bytes, facts.with_deletion_vector) == (1, 0, 0)
    assert facts.partition_keys == {()}
