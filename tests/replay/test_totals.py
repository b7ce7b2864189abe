"""What all live files together say, added up without keeping them."""

from itertools import pairwise

import pytest

from deltaadm.domain.actions import AddFile, DeletionVectorDescriptor
from deltaadm.domain.snapshot import FileFacts
from deltaadm.facts import FileTotals
from deltaadm.replay.totals import TotalsBuilder
from tests.support.rows import with_rows


def totals(*files: AddFile) -> FileTotals:
    vectors = sum(file.deletion_vector is not None for file in files)
    builder = TotalsBuilder(FileFacts(with_deletion_vector=vectors), "file:")
    for file in files:
        builder.add(file)
    return builder.totals(lambda: files)


def numbered(path: str, first: int | None, count: int | None = 10) -> AddFile:
    stats = None if count is None else f'{{"numRecords":{count}}}'
    return AddFile(path=path, base_row_id=first, default_row_commit_version=0, stats=stats)


def deleted(path: str, cardinality: int, name: str = "v", kind: str = "p") -> AddFile:
    vector = DeletionVectorDescriptor(kind, name, 1, 40, cardinality)
    return AddFile(path=path, deletion_vector=vector)


@with_rows
def test_row_ids(starts: list[int | None], highest: int | None, pairs: list[list[str]]) -> None:
    found = totals(*(numbered(f"f{n}", start) for n, start in enumerate(starts)))
    assert found.highest_row_id == highest
    assert [list(pair) for pair in found.overlapping_row_ids] == pairs


def test_a_file_overlaps_with_one_that_reaches_far() -> None:
    found = totals(numbered("wide", 0, 100), numbered("f", 10), numbered("g", 50))
    assert found.overlapping_row_ids == (("wide", "f"), ("wide", "g"))


@pytest.mark.parametrize("count", [None, 0, -1])
def test_a_file_without_records_has_no_row_ids(count: int | None) -> None:
    found = totals(numbered("f", 0), numbered("g", 5, count))
    assert (found.highest_row_id, found.overlapping_row_ids) == (9, ())


def test_row_ids_that_no_reader_can_hold_are_passed_over() -> None:
    found = totals(numbered("f", 2**63 - 5), numbered("g", -(2**70)), numbered("h", 2**63 - 10))
    assert found.highest_row_id == 2**63 - 1


def test_only_the_first_overlaps_are_named() -> None:
    assert len(totals(*(numbered(f"f{n}", 0) for n in range(20))).overlapping_row_ids) == 5


def test_a_path_is_alive_with_two_vectors() -> None:
    found = totals(
        deleted("%c3%a9", 1), AddFile(path="c"), deleted("%C3%A9", 2, "w"), deleted("d", 1)
    )
    assert found.with_two_vectors == ("%c3%a9",)


def test_paths_with_a_vector_each_are_not_the_same() -> None:
    assert totals(*(deleted(f"f{n}", 1) for n in range(50))).with_two_vectors == ()


BOUNDS = (0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 2**31 - 1, 2**63)


@pytest.mark.parametrize(("index", "bounds"), list(enumerate(pairwise(BOUNDS))))
def test_deleted_records_are_counted_in_bins(index: int, bounds: tuple[int, int]) -> None:
    first, beyond = bounds
    expected = [0] * 10
    expected[index] += 2
    expected[0] += 1
    found = totals(deleted("f", first), deleted("g", beyond - 1), AddFile(path="h"))
    assert found.deleted_record_counts == tuple(expected)
    assert (found.deletion_vectors, found.deleted_records) == (2, first + beyond - 1)


def test_the_first_of_many_are_named() -> None:
    found = totals(*(AddFile(path=f"/f{n}") for n in range(7)), deleted("g", 1, kind="i"))
    first = tuple(f"/f{n}" for n in range(5))
    assert (found.absolute.count, found.absolute.paths) == (7, first)
    assert (found.without_row_tracking.count, found.without_row_tracking.paths) == (8, first)
    assert (found.inline_vectors.count, found.inline_vectors.paths) == (1, ("g",))


@pytest.mark.parametrize(("count", "held"), [(100, True), (101, False)])
def test_a_hundred_files_are_held(count: int, *, held: bool) -> None:
    files = tuple(AddFile(path=str(n)) for n in range(count))
    assert totals(*files).adds == (files if held else None)
