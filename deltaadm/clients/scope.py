"""Whose clients matter for a table: the user's, those that its log shows, or all that are known."""

from __future__ import annotations

import re
from functools import cached_property

from deltaadm.clients.facts import CLIENTS, Client, ClientRelease, newest_releases
from deltaadm.dataclass import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Final

    from deltaadm.domain.wire import Writer


@dataclass(frozen=True)
class Observation:
    """The time now, since when who wrote counts, and readers that count, as who commits nothing."""

    now: int
    since: int
    readers: tuple[Writer, ...] = ()

    @cached_property  # there may be thousands, and every verdict on every table asks
    def read(self) -> Mapping[ClientRelease, int | None]:
        """Those that read, and when last."""
        return {of: each.last for each in self.readers if (of := release_of(each.engine))}


NOBODY: Final = Observation(now=0, since=1 << 63)


@dataclass(frozen=True)
class Scope:
    """
    The clients that a table is judged for.

    `declared` are those that options or settings name, and whoever names some excludes all that
    nobody saw. `wrote` are those that did, and when last; `seen` are the readers.
    """

    declared: tuple[ClientRelease, ...] = ()
    wrote: Mapping[ClientRelease, int | None] = field(default_factory=dict)
    seen: Observation = NOBODY

    @classmethod
    def of(
        cls,
        declared: Iterable[ClientRelease] = (),
        writers: Iterable[Writer] = (),
        seen: Observation = NOBODY,
    ) -> Scope:
        """
        The scope where *declared* are the user's, for a table with *writers*, the newest first.

        The writer of the newest commit counts whenever that was, others only as they were *seen*.
        """
        wrote: dict[ClientRelease, int | None] = {}
        for number, writer in enumerate(writers):
            recent = not number or (writer.last or seen.now) >= seen.since
            if recent and (release := release_of(writer.engine)):
                wrote.setdefault(release, writer.last)
        return cls(tuple(dict.fromkeys(declared)), wrote, seen)

    @property
    def read(self) -> Mapping[ClientRelease, int | None]:
        """Those that read, and when last."""
        return self.seen.read

    @property
    def observed(self) -> tuple[ClientRelease, ...]:
        """Those that were seen."""
        return tuple(dict.fromkeys((*self.wrote, *self.read)))

    @property
    def own(self) -> tuple[ClientRelease, ...]:
        """Those that certainly use the table: for them, wrong data is worth a warning."""
        return tuple(dict.fromkeys((*self.declared, *self.observed)))

    @property
    def releases(self) -> tuple[ClientRelease, ...]:
        """Those observed, and those declared or else the newest release of every client."""
        return tuple(dict.fromkeys((*self.observed, *(self.declared or newest_releases()))))

    @property
    def undeclared(self) -> int:
        """The number of known clients that the user has excluded by declaring others."""
        return len(CLIENTS.keys() - {release.client.id for release in self.releases})


EVERYONE: Final = Scope()
"""The scope where nobody has declared a client, and no commit is at hand."""


def identified(engine: str) -> tuple[Client | None, str]:
    """
    The client that calls itself *engine* in what it writes or logs, None for nobody known.

    And its release, where that is told; a build before a release counts as that one.
    """
    name, _, release = engine.partition("@")
    if client := CLIENTS.get(name):
        return client, release if re.fullmatch(r"\d+([.-]\d+)*", release) else ""
    for pattern, known in _WRITERS:
        if found := re.match(pattern, engine):
            return CLIENTS[known], found["release"] or ""
    return None, ""


def release_of(engine: str) -> ClientRelease | None:
    """The release by whose facts who calls itself *engine* is judged, None for nobody known."""
    client, version = identified(engine)
    if client is None:
        return None
    release = ClientRelease(client, version or client.newest)
    # Of a release that nothing is known about, the newest says more than nothing.
    return release if release.is_known else ClientRelease(client, client.newest)


_END: Final = r"(?![\d.])"  # a further number is of somebody's own build
_WRITERS: Final = (
    (r"Databricks-Runtime/(?P<release>\d+\.\d+)?", "databricks"),
    (rf"Apache-Spark/\S+ Delta-Lake/(?P<release>\d+\.\d+\.\d+){_END}", "delta-spark"),
    (rf"delta-rs[:.](?:py-(?P<release>\d+\.\d+\.\d+){_END})?", "delta-rs"),
    (r"trino-(?P<release>\d+)", "trino"),
    (r"(?:parquet-mr-trino|Trino) version (?P<release>\d+)", "trino"),
    (rf".*flink-delta-connector/(?P<release>\d+\.\d+\.\d+{_END})?", "flink"),
    (rf"Kernel-(?P<release>\d+\.\d+\.\d+){_END}", "delta-kernel-java"),
    (r"(?P<release>)DuckDB$", "duckdb-delta"),
)
"""
What engines write into commitInfo and into the footers of checkpoints, with their release.

The releases of delta-rs are those of the Python package, which the crate does not tell.
"""
