"""Requirements on the value of a property: numbers, intervals, switches, words."""

import pytest

from deltaadm.facts import Requirement, effective
from tests.support.rows import with_rows

ONE_OF = Requirement(allowed=("classic", "v2"))
WEEK_TO_MONTH = Requirement(least="7 days", most="interval 30 days")
TENS = Requirement(least="10", most="100")


@pytest.mark.parametrize(("requirement", "value", "met"), [
    (Requirement(), "anything", True),
    (Requirement(), None, False),
    (ONE_OF, "v2", True),
    (ONE_OF, "v3", False),
    (ONE_OF, "V2", False),
    (Requirement(allowed=("true",)), "True", True),
    (Requirement(allowed=("true",)), "false", False),
    (Requirement(allowed=("10",)), "010", True),
    (Requirement(allowed=("10",)), "10 days", False),
    (Requirement(allowed=("1 week",)), "168 hours", True),
    (WEEK_TO_MONTH, "interval 1 week", True),
    (WEEK_TO_MONTH, "167 hours", False),
    (WEEK_TO_MONTH, "30 days", True),
    (WEEK_TO_MONTH, "31 days", False),
    (WEEK_TO_MONTH, "10", False),
    (WEEK_TO_MONTH, "1 month", False),
    (WEEK_TO_MONTH, "", False),
    (TENS, "9", False),
    (TENS, "10", True),
    (TENS, "100", True),
    (TENS, "101", False),
    (TENS, "20 days", False),
    (Requirement(least="10"), "1000", True),
    (Requirement(least="10"), "9", False),
    (Requirement(most="10"), "-5", True),
    (Requirement(least="b", most="d"), "c", True),
    (Requirement(least="b", most="d"), "e", False),
    (Requirement(allowed=("20", "30"), most="25"), "20", True),
    (Requirement(allowed=("20", "30"), most="25"), "30", False),
    (Requirement(allowed=("20", "30"), most="25"), "10", False),
])  # fmt: skip
def test_value(requirement: Requirement, value: str | None, met: bool) -> None:
    assert requirement.met_by(value) is met


@pytest.mark.parametrize(("requirement", "value", "met"), [
    (Requirement(allowed=("268435456",)), "256mb", True),
    (Requirement(allowed=("256 MiB",)), "268435456", True),
    (Requirement(allowed=("256mb",)), "257mb", False),
    (Requirement(least="1.5 GiB", most="2g"), "1536m", True),
    (Requirement(least="1.5 GiB", most="2g"), "1g", False),
    (Requirement(most="2g"), "auto", False),
    (Requirement(allowed=("auto",)), "auto", True),
])  # fmt: skip
def test_sizes_are_compared_in_bytes(requirement: Requirement, value: str, *, met: bool) -> None:
    assert requirement.met_by(value, "delta.targetFileSize") is met


@pytest.mark.parametrize(("least", "met"), [("7d", True), ("2w", True), ("15d", False)])
def test_durations_may_be_short(least: str, *, met: bool) -> None:
    assert Requirement(least=least).met_by("interval 2 weeks") is met


@pytest.mark.parametrize(("requirement", "nearest", "text"), [
    (ONE_OF, "classic", "'classic' or 'v2'"),
    (WEEK_TO_MONTH, "7 days", "at least '7 days', at most 'interval 30 days'"),
    (Requirement(most="5"), "5", "at most '5'"),
    (Requirement(), None, ""),
])  # fmt: skip
def test_what_would_do_is_told(requirement: Requirement, nearest: str | None, text: str) -> None:
    assert (requirement.nearest, str(requirement)) == (nearest, text)


@with_rows
def test_what_is_not_set_counts_with_its_default(
    configuration: dict[str, str], key: str, value: str | None
) -> None:
    assert effective(configuration, key) == value
