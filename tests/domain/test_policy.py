"""Requirements on the value of a property: numbers, intervals, switches, words."""

from typing import Any

import pytest

from deltaadm.facts import Requirement, effective
from tests.support.rows import with_rows


def required(given: dict[str, Any]) -> Requirement:
    return Requirement(**given | {"allowed": tuple(given.get("allowed", ()))})


@with_rows
def test_value(requirement: dict[str, Any], value: str | None, met: bool) -> None:
    assert required(requirement).met_by(value) is met


@with_rows
def test_sizes_are_compared_in_bytes(requirement: dict[str, Any], value: str, *, met: bool) -> None:
    assert required(requirement).met_by(value, "delta.targetFileSize") is met


@pytest.mark.parametrize(("least", "met"), [("7d", True), ("2w", True), ("15d", False)])
def test_durations_may_be_short(least: str, *, met: bool) -> None:
    assert Requirement(least=least).met_by("interval 2 weeks") is met


@with_rows
def test_what_would_do_is_told(requirement: dict[str, Any], nearest: str | None, text: str) -> None:
    made = required(requirement)
    assert (next(iter(made.values), None), str(made)) == (nearest, text)


@with_rows
def test_what_is_not_set_counts_with_its_default(
    configuration: dict[str, str], key: str, value: str | None
) -> None:
    assert effective(configuration, key) == value
