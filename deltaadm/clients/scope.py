"""Whose clients matter for a table: the user's, those that its log shows, or all that are known."""

from __future__ import annotations

import re

from deltaadm.clients.catalogue import CLIENTS, newest_releases
from deltaadm.clients.facts import ClientRelease
from deltaadm.dataclass import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from deltaadm.domain.wire import CommitInfo


@dataclass(frozen=True)
class Scope:
    """
    The clients that a table is judged for.

    `declared` are those that options or settings name, and whoever names some excludes all others;
    `observed` are those that have written the commits at hand.
    """

    declared: tuple[ClientRelease, ...] = ()
    observed: tuple[ClientRelease, ...] = ()

    @classmethod
    def of(
        cls, declared: Iterable[ClientRelease] = (), commits: Iterable[CommitInfo | None] = ()
    ) -> Scope:
        """The scope where *declared* are the user's, for a table with *commits*."""
        writers = map(writer_of, filter(None, commits))
        return cls(tuple(dict.fromkeys(declared)), tuple(dict.fromkeys(filter(None, writers))))

    @property
    def own(self) -> tuple[ClientRelease, ...]:
        """Those that certainly use the table: for them, wrong data is worth a warning."""
        return tuple(dict.fromkeys((*self.declared, *self.observed)))

    @property
    def releases(self) -> tuple[ClientRelease, ...]:
        """Those declared; or else those observed, and then the newest release of every client."""
        return self.declared or tuple(dict.fromkeys((*self.observed, *newest_releases())))

    @property
    def undeclared(self) -> int:
        """The number of known clients that the user has excluded by declaring others."""
        return len(CLIENTS.keys() - {release.client.id for release in self.releases})


EVERYONE: Final = Scope()
"""The scope where nobody has declared a client, and no commit is at hand."""


def writer_of(commit: CommitInfo) -> ClientRelease | None:
    """The client that has written a commit, None where that is nobody known."""
    names = filter(None, (commit.engine_info, commit.extra.get("clientVersion"), commit.cluster_id))
    return next(filter(None, map(release_of, map(str, names))), None)


def release_of(name: str) -> ClientRelease | None:
    """The client that calls itself *name* in what it writes, None for nobody known."""
    for pattern, client in _WRITERS:
        if found := re.match(pattern, name):
            newest = CLIENTS[client].newest
            release = ClientRelease(CLIENTS[client], found[1] or newest)
            # Of a release that nothing is known about, the newest says more than nothing.
            return release if release.is_known else ClientRelease(CLIENTS[client], newest)
    return None


_WRITERS: Final = (
    (r"Databricks-Runtime/(\d+\.\d+)?", "databricks"),
    (r"Apache-Spark/\S+ Delta-Lake/(\d+\.\d+\.\d+)?", "delta-spark"),
    (r"delta-rs[:.](?:py-(\d+\.\d+\.\d+))?", "delta-rs"),
    (r"trino-(\d+)-", "trino"),
    (r"(?:parquet-mr-trino|Trino) version (\d+)", "trino"),
    (r".*flink-delta-connector/(\d+\.\d+\.\d+)?", "flink"),
    (r"Kernel-(\d+\.\d+\.\d+)?", "delta-kernel-java"),
)
"""What engines write into commitInfo and into the footers of checkpoints, with their release."""
