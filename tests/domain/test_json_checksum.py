"""The checksum of `_last_checkpoint`."""

import pytest

from deltaadm.domain.file_facts import checksums
from deltaadm.rules.log import duplicate_key
from tests.support.rows import with_rows

SAMPLE = (
    """{"k0":"'v 0'", "checksum": "adsaskfljadfkjadfkj", "k1":{"k2": 2, "k3": """
    """["v3", [1, 2], {"k4": "v4", "k5": ["v5", "v6", "v7"]}]}}"""
)


def test_the_sample_of_the_protocol() -> None:
    assert checksums(SAMPLE) == {"6a92d155a59bf2eecbd4b4ec7fd1f875"}


@with_rows
def test_what_counts(text: str, other: str, request: pytest.FixtureRequest) -> None:
    equal = "do not" in request.node.callspec.id or "does not" in request.node.callspec.id
    assert (checksums(text) == checksums(other)) is equal


def test_two_orders_of_long_arrays_are_accepted() -> None:
    assert len(checksums('{"a":[0,1,2,3,4,5,6,7,8,9]}')) == 1
    assert len(checksums('{"a":[0,1,2,3,4,5,6,7,8,9,10]}')) == 2


@pytest.mark.parametrize("text", ["", "[]", "5", "{"])
def test_anything_but_an_object_has_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|Expecting"):
        checksums(text)


@with_rows
def test_duplicate_keys(text: str, key: str | None) -> None:
    assert duplicate_key(text) == key
