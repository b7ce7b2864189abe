"""
Looking for something in very many small files, with every processor.

A processor gets through a few hundred files in the time that it takes to start another process;
only for thousands is it worth while.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Final, Never, TypeVar

    Found = TypeVar("Found")
    Look = Callable[[str], Found]

WORTHWHILE: Final = 2_000
"""So many files that a process of its own for a share of them pays."""


def search(
    paths: Sequence[str], look: Callable[[str], Found], *, processes: int = 1
) -> Iterator[tuple[str, Found]]:
    """
    The paths of files in which *look* finds something, each with what it finds, in their order.

    Nothing is done for those that the caller does not wait for. With more *processes* than one,
    *look* is also called in copies of this one: nothing may depend on what it leaves behind. What
    it raises is raised when it is the turn of its path.
    """
    shares = _shares(paths, processes if can_fork() else 1)
    others = [_Share(share, look) for share in shares[1:]]
    try:
        yield from _looked(shares[0], look)
        for other in others:
            yield from _looked(other.promising(), look)
    finally:
        for other in others:
            other.end()


def _looked(paths: Sequence[str], look: Callable[[str], Found]) -> Iterator[tuple[str, Found]]:
    for path in paths:
        if found := look(path):
            yield path, found


def _shares(paths: Sequence[str], most: int) -> list[Sequence[str]]:
    count = max(1, min(most, len(paths) // WORTHWHILE))
    size = -(-len(paths) // count) or 1
    return [paths[start : start + size] for start in range(0, len(paths), size)] or [paths]


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether a copy of this process is sound: threads, for one, are not copied."""
    threads = sys.modules.get("threading")
    return (
        hasattr(os, "fork")
        and sys.platform != "darwin"
        and "pyarrow" not in sys.modules
        and (threads is None or threads.active_count() == 1)
    )


class _Share:
    """Some of the paths, looked at by a process of their own."""

    def __init__(self, paths: Sequence[str], look: Look[object]) -> None:
        self._paths = paths
        self._answer, tell = os.pipe()
        self._process = os.fork()
        if not self._process:
            _work(paths, look, tell)
        os.close(tell)

    def promising(self) -> Sequence[str]:
        """The paths where something was found; all of them if the process came to grief."""
        with os.fdopen(os.dup(self._answer), "rb") as answer:
            said = answer.read()
        return [self._paths[number] for number in json.loads(said)] if said else self._paths

    def end(self) -> None:
        """Stop the process if it is still at work."""
        os.close(self._answer)
        os.kill(self._process, 9)
        os.waitpid(self._process, 0)


def _work(paths: Sequence[str], look: Look[object], tell: int) -> Never:
    """Write to *tell* the numbers of the paths where something is found; nothing on an error."""
    try:
        numbers = [number for number, path in enumerate(paths) if look(path)]
        with os.fdopen(tell, "w") as out:
            json.dump(numbers, out)
    finally:
        os._exit(0)
