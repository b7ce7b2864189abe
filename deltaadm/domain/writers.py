"""Who wrote commits, as the commits say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from deltaadm.dataclass import dataclass
from deltaadm.json_values import integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class Writer:
    """
    What commits of one engine have in common; `engine` is what it calls itself, empty for nothing.

    `first` and `last` are in milliseconds since the epoch, None where no commit tells its time.
    `applications` are the `appId` of `txn` actions, by which streams write.
    """

    engine: str = ""
    commits: int = 0
    first: int | None = None
    last: int | None = None
    operations: tuple[str, ...] = ()
    applications: tuple[str, ...] = ()


def writer_of(actions: Sequence[tuple[str, Mapping[str, Any]]]) -> Writer:
    """
    The writer of one commit, by the commitInfo and the `txn` actions among its *actions*.

    Its time is what commitInfo says, for that of the file may be the time of a copy.
    """
    info: Mapping[str, Any] = next((info for name, info in actions if name == "commitInfo"), {})
    at = integer(info.get("inCommitTimestamp")) or integer(info.get("timestamp"))
    operations = tuple(text for text in (info.get("operation"),) if isinstance(text, str))
    streams = tuple(str(txn.get("appId")) for name, txn in actions if name == "txn")
    return Writer(engine_of(info), 1, at, at, operations, streams)


def engine_of(info: Mapping[str, Any]) -> str:
    """
    What the program that wrote a commit calls itself in its commitInfo, empty for nothing.

    Old releases of delta-rs do so under a key of their own, and Trino in the name of its cluster.

    >>> engine_of({"clusterId": "trino-470-20a1"}), engine_of({"clusterId": "0416-131918-rebus430"})
    ('trino-470', '')
    """
    trino = re.match(r"trino-\d+", str(info.get("clusterId")))
    return str(info.get("engineInfo") or info.get("clientVersion") or (trino[0] if trino else ""))


def merged(writers: Iterable[Writer]) -> tuple[Writer, ...]:
    """The *writers*, those that call themselves the same as one."""
    found: dict[str, list[Writer]] = {}
    for writer in writers:
        found.setdefault(writer.engine, []).append(writer)
    return tuple(
        Writer(
            engine,
            sum(each.commits for each in alike),
            min((each.first for each in alike if each.first is not None), default=None),
            max((each.last for each in alike if each.last is not None), default=None),
            tuple(dict.fromkeys(chain(*(each.operations for each in alike)))),
            tuple(dict.fromkeys(chain(*(each.applications for each in alike)))),
        )
        for engine, alike in found.items()
    )
