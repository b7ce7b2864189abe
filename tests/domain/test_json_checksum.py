"""The checksum of `_last_checkpoint`."""

import pytest

from deltaadm.domain.file_facts import checksums
from deltaadm.rules.log import duplicate_key

SAMPLE = (
    """{"k0":"'v 0'", "checksum": "adsaskfljadfkjadfkj", "k1":{"k2": 2, "k3": """
    """["v3", [1, 2], {"k4": "v4", "k5": ["v5", "v6", "v7"]}]}}"""
)


def test_the_sample_of_the_protocol() -> None:
    assert checksums(SAMPLE) == {"6a92d155a59bf2eecbd4b4ec7fd1f875"}


@pytest.mark.parametrize(("text", "other"), [
    pytest.param('{"a":1,"b":2}', '{ "b": 2, "a": 1 }', id="order and blanks do not count"),
    pytest.param('{"a":1}', '{"a":1,"checksum":"x"}', id="the checksum itself does not"),
    pytest.param('{"a":"x"}', '{"\\u0061":"\\u0078"}', id="escapes do not"),
    pytest.param('{"a":[1]}', '{"a":{"b":1}}', id="positions and names differ"),
    pytest.param('{"a":1}', '{"a":"1"}', id="numbers and texts differ"),
    pytest.param('{"a":1.0}', '{"a":1}', id="the spelling of numbers counts"),
    pytest.param('{"a":null}', '{"a":"null"}', id="literals and texts differ"),
    pytest.param('{"a":true}', '{"a":false}', id="literals differ"),
    pytest.param('{"a":{"checksum":1}}', '{"a":{"checksum":2}}', id="a nested one counts"),
])  # fmt: skip
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


@pytest.mark.parametrize(("text", "key"), [
    ('{"a":1,"a":1}', "a"),
    ('{"a":{"b":1,"b":2}}', "b"),
    ('{"a":1,"b":{"a":1}}', None),
    ("{", None),
])  # fmt: skip
def test_duplicate_keys(text: str, key: str | None) -> None:
    assert duplicate_key(text) == key
