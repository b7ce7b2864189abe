"""
What executors do with the rows of a DataFrame of tables.

Executors import this: no more than they need may come along.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ANSWERS: Final = "number long, answer binary"
"""The columns of answers."""


def answered(
    work: Callable[[Sequence[tuple[str, str]]], Iterable[object]], batches: Iterable[Any]
) -> Iterator[Any]:
    """The batches of answers, pickled, for *batches* of numbered tables with their locations."""
    for batch in batches:
        numbers, tables, locations = (column.to_pylist() for column in batch.columns)
        results = work(list(zip(tables, locations, strict=True)))
        answers = {"number": numbers, "answer": [pickle.dumps(answer) for answer in results]}
        yield type(batch).from_pydict(answers)
