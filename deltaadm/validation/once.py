"""Deriving something once for the many facts that share what it is derived from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")


class Once(Generic[K, V]):
    """
    A function that remembers its last answer, for as long as it is given the same object.

    A million files share one state, and a dozen rules look at each file in turn.
    """

    def __init__(self, make: Callable[[K], V]) -> None:
        self._make = make
        self._last: tuple[K, V] | None = None

    def __call__(self, key: K) -> V:
        """The answer for *key*."""
        last = self._last
        if last is not None and last[0] is key:
            return last[1]
        value = self._make(key)
        self._last = (key, value)
        return value
