"""A test of many cases fails where one of them does, and says which."""

import pytest

from tests.support.cases import each


@each("number, word", {"good": (1, "a"), "bad": (2, "b"), "worse": (3, "c")})
def only_one(number: int, word: str) -> None:
    assert (number, word) == (1, "a")


def test_every_case_is_tried_and_each_failure_named(request: pytest.FixtureRequest) -> None:
    with pytest.raises(ExceptionGroup, match="2 of 3 cases fail") as caught:
        only_one(request=request)
    notes = [error.__notes__ for error in caught.value.exceptions]
    assert notes == [["in case 'bad'"], ["in case 'worse'"]]


@each("number", {"skipped": 1})
def left_out(number: int) -> None:
    pytest.skip(f"{number}")


def test_no_case_is_skipped(request: pytest.FixtureRequest) -> None:
    with pytest.raises(BaseExceptionGroup, match="1 of 1 cases fail"):
        left_out(request=request)


def test_two_cases_have_two_names() -> None:
    with pytest.raises(AssertionError, match="two cases have one name"):
        each("number", [("a", 1), ("a", 2)])
