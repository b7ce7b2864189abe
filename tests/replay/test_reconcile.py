"""Newest wins, and when two paths are the same file."""

from deltaadm.replay.reconcile import Reconciliation, canonical_path, count_files, has_num_records
from tests.support.rows import with_rows
from tests.support.tables import add, deletion_vector, remove


@with_rows
def test_paths_of_one_file(left: str, right: str, *, same: bool) -> None:
    assert (canonical_path(left, "file:") == canonical_path(right, "file:")) is same


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
