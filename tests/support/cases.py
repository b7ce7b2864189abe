"""Very many small cases as subtests of one test."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

Test = Callable[..., None]

ONLY = pytest.StashKey[str]()
"""What `pytest --case` was given: a part of the names of the cases to try."""


def each(
    names: str, cases: Mapping[str, Any] | Iterable[tuple[str, Any]] | Iterable[str]
) -> Callable[[Test], Test]:
    """
    Give a test each of *cases*, which have names or are names, as `parametrize` would.

    All are tried, and those that fail are reported by name, as subtests; to report the others would
    take as long as to try them. With more than one of *names*, separated by commas, a case is a
    tuple. Each case has a `tmp_path` of its own; the other fixtures serve all.
    """
    arguments = [name.strip() for name in names.split(",")]
    pairs = cases.items() if isinstance(cases, Mapping) else cases
    named = [(pair, pair) if isinstance(pair, str) else pair for pair in pairs]
    table = dict(named)
    assert len(table) == len(named), "two cases have one name"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def try_all(
            *this: Any, request: pytest.FixtureRequest, subtests: pytest.Subtests, **fixtures: Any
        ) -> None:
            only = request.config.stash.get(ONLY, "")
            assert table, "there are no cases"
            for number, name in enumerate(name for name in table if only in name):
                case = table[name] if arguments[1:] else (table[name],)
                given = dict(zip(arguments, case, strict=True))
                if "tmp_path" in fixtures:
                    given["tmp_path"] = fixtures["tmp_path"] / str(number)
                    given["tmp_path"].mkdir()
                try:
                    test(*this, **fixtures | given)
                except BaseException:
                    with subtests.test(name):
                        raise

        own = {*arguments, "request", "subtests"}
        asked = [one for name, one in inspect.signature(test).parameters.items() if name not in own]
        asked += [_fixture("request"), _fixture("subtests")]
        try_all.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
        return try_all

    return decorate


def sampled(rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """
    *rows* as `parametrize` takes them: an id, whether the suite tries it, and the values.

    What the suite does not try is for the matrix alone.
    """
    return [
        pytest.param(*values, id=name, marks=() if live else pytest.mark.matrix)
        for name, live, *values in rows
    ]


def _fixture(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
