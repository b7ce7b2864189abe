"""
Looking into very many small files, with every processor.

What takes time in a long log is Python's own work, which threads cannot share. So processes take
turns of some files each: answers come in the order of the files, and nobody gets far ahead.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Final, Never, TypeVar

    Found = TypeVar("Found")

PARALLEL_THRESHOLD: Final = 2_000
"""So many files that starting processes for them pays."""

_TURN: Final = 128
"""Files that a process looks into at a time."""

_PREFIX: Final = 8
"""Bytes that say how long an answer is."""


def parallel_scan(
    paths: Sequence[str], look: Callable[[str], Found], *, processes: int = 1
) -> Iterator[tuple[str, Found]]:
    """
    Each path with what *look* finds there, in their order, as long as the caller asks for more.

    With more *processes* than one, *look* is called in as many copies of this one, which has its
    own work with the answers: nothing may depend on what it leaves behind. Answers that cannot be
    sent between processes are found here, and so is what it raises.
    """
    turns = [paths[start : start + _TURN] for start in range(0, len(paths), _TURN)]
    if len(paths) < PARALLEL_THRESHOLD or not can_fork():
        processes = 1
    crew = range(processes if processes > 1 else 0)
    helpers = [_Helper(turns[number::processes], look) for number in crew]
    try:
        for number, turn in enumerate(turns):
            answers = helpers[number % processes].answers() if helpers else None
            yield from zip(turn, map(look, turn) if answers is None else answers, strict=True)
    finally:
        for helper in helpers:
            helper.end()


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_UNFORKABLE: Final = frozenset({"pyarrow", "deltalake", "obstore", "pyspark"})
"""Packages whose threads do not survive a fork."""


def can_fork() -> bool:
    """Whether a copy of this process is sound: threads, for one, are not copied."""
    threads = sys.modules.get("threading")
    return (
        hasattr(os, "fork")
        and sys.platform != "darwin"  # its system libraries use threads of their own
        and _UNFORKABLE.isdisjoint(sys.modules)
        and (threads is None or threads.active_count() == 1)
    )


class _Helper:
    """A process that takes some of the turns, and its answers."""

    def __init__(self, turns: Sequence[Sequence[str]], look: Callable[[str], Found]) -> None:
        answers, tell = os.pipe()
        self._process = os.fork()
        if not self._process:
            os.close(answers)
            _work(turns, look, tell)
        os.close(tell)
        self._answers = os.fdopen(answers, "rb")

    def answers(self) -> list[Any] | None:
        """The results of its next turn; None if the process failed or has ended."""
        length = int.from_bytes(self._answers.read(_PREFIX))
        body = self._answers.read(length)
        return marshal.loads(body) if length and len(body) == length else None  # noqa: S302 -- ours

    def end(self) -> None:
        """Stop the process, whatever it does."""
        self._answers.close()
        # Killed at once: a helper only reads, so there is nothing to clean up.
        os.kill(self._process, 9)
        os.waitpid(self._process, 0)


def _work(turns: Sequence[Sequence[str]], look: Callable[[str], Found], tell: int) -> Never:
    """Write what is found in each turn to *tell*; nothing where it fails."""
    try:
        with os.fdopen(tell, "wb") as out:
            for turn in turns:
                body = _answer(turn, look)
                out.write(len(body).to_bytes(_PREFIX))
                out.write(body)
                out.flush()
    finally:
        # Exit handlers and unwritten output belong to the process that was forked.
        os._exit(0)


def _answer(turn: Sequence[str], look: Callable[[str], Found]) -> bytes:
    try:
        # Faster than pickle; both ends are the same Python.
        return marshal.dumps([look(path) for path in turn])
    except Exception:  # noqa: BLE001 -- it is raised again where somebody can deal with it
        return b""
