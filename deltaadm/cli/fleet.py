"""Many tables at once: several processes, and the answers in the order of the tables."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Answer = TypeVar("Answer")

WORTHWHILE: Final = 64
"""So many tables that starting processes for them pays."""

_SHARE: Final = 16
"""Tables that a process takes at a time."""


def in_order(tables: Sequence[str], answer: Callable[[str], Answer]) -> Iterator[Answer]:
    """
    The *answer* for each table, from as many processes as there are processors.

    An answer must be something that can be pickled. With few tables or processors, and where
    processes cannot be forked safely, they come from this process, one after the other.
    """
    processes = _processors()
    if len(tables) < WORTHWHILE or processes == 1 or not _can_fork():
        yield from map(answer, tables)
        return
    yield answer(tables[0])  # after which whatever an answer needs is loaded, for all to share
    if "pyarrow" in sys.modules:  # its threads do not survive a fork
        yield from map(answer, tables[1:])
        return
    from multiprocessing import get_context

    sys.stdout.flush()
    context = get_context("fork")
    with context.Pool(processes, _Worker.begin, (answer,)) as pool:
        yield from pool.imap(_Worker.work, tables[1:], chunksize=_SHARE)


class _Worker:
    """What a process of the pool remembers; it is forked, so that nothing need be pickled."""

    answer: Callable[[str], object]

    @classmethod
    def begin(cls, answer: Callable[[str], object]) -> None:
        import signal

        cls.answer = staticmethod(answer)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    @classmethod
    def work(cls, table: str) -> object:
        return cls.answer(table)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_fork() -> bool:
    return hasattr(os, "fork") and sys.platform != "darwin"
