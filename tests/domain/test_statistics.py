"""Statistics that contradict themselves, and those that only seem to."""

import json
from typing import Any

import pytest

from deltaadm.domain.file_facts import StatisticsError, num_records, parse_statistics
from deltaadm.rules.files import contradictions
from tests.support.rows import with_rows

KINDS = {
    "i": "long", "s": "string", "d": "date", "t": "timestamp", "o": "array", "n": {"i": "long"},
}  # fmt: skip


def _found(low: Any, high: Any) -> list[str]:
    return list(contradictions({"minValues": low, "maxValues": high}, KINDS))


@with_rows
def test_a_minimum_is_above_the_maximum(low: Any, high: Any) -> None:
    assert len(_found(low, high)) == 1
    assert _found(high, low) == []


@with_rows
def test_a_minimum_is_not_known_to_be_above_the_maximum(low: Any, high: Any) -> None:
    assert _found(low, high) == []


@with_rows
def test_nulls_are_held_against_records(records: Any, nulls: Any, count: int) -> None:
    document = {"numRecords": records, "nullCount": nulls}
    assert len(list(contradictions(document, KINDS))) == count


@with_rows
def test_records_are_counted_where_the_text_says_so(text: str | None, count: int | None) -> None:
    assert num_records(text) == count


@pytest.mark.parametrize("text", ["", "[]", "3", '"x"', "{", "[" * 100_000, "9" * 5_000])
def test_other_texts_are_no_statistics(text: str) -> None:
    with pytest.raises(StatisticsError):
        parse_statistics(text)


def test_statistics_are_an_object() -> None:
    assert parse_statistics(json.dumps({"numRecords": 1})) == {"numRecords": 1}
