"""Facts about programs that read or write Delta tables, with their sources."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache

from deltaadm.dataclass import dataclass
from deltaadm.errors import RefusedError, UnknownNameError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


Version = tuple[int, ...]


class Compatibility(Enum):
    """
    The possible behaviour of a client with a table, from the best to the worst.

    Silently wrong is worse than failing loudly, and that is worse than not knowing.
    """

    WORKS = "works"
    UNKNOWN = "unknown"
    FAILS_LOUDLY = "fails loudly"
    SILENTLY_WRONG = "silently wrong"

    @property
    def rank(self) -> int:
        """Its place from the best, 0, to the worst."""
        return _RANKS[self]


_RANKS: Final = {member: rank for rank, member in enumerate(Compatibility)}


@cache
def version_key(text: str) -> Version:
    """
    A release as numbers that can be compared; raises `ValueError` for what is not a release.

    Numbers are separated by dots or, in dates, by hyphens; 4 is 4.0.0.
    """
    parts = text.replace("-", ".").split(".")
    for part in parts:
        if not (part.isascii() and part.isdecimal()):
            raise ValueError(f"{part!r} is not a number")
    numbers = tuple(map(int, parts))
    while numbers and not numbers[-1]:
        # So that 4, 4.0 and 4.0.0 are one release.
        numbers = numbers[:-1]
    return numbers


def _spans(since: str, until: str, version: Version) -> bool:
    return version_key(since or "0") <= version and (not until or version < version_key(until))


@dataclass(frozen=True)
class Source:
    """
    The source of a fact: a document's title, `owner/repo#number`, or a path in a repository.

    `date` is the day on which the source said so: its own date, or else the day it was read.
    """

    title: str
    date: str

    @property
    def is_tried(self) -> bool:
        """Whether the program itself was run to find out."""
        return "tried with " in self.title or self == RECORDED


RECORDED: Final = Source("recorded from Delta Spark 4.4.0", "2026-11-21")
"""The source of recorded behaviour: what the engine did with constructed tables."""

EVERY_OTHER: Final = "*"
"""Stands for each feature that no other fact names."""

ID_MODE: Final = "columnMapping[id]"
"""Column mapping in `id` mode; applies in addition to the facts about column mapping."""
READER_2: Final = "columnMapping[reader=2]"
"""Column mapping by reader version 2, where no list of reader features names it."""
PARTITIONED: Final = "columnMapping[partitioned]"
"""Column mapping of a table with partition columns."""
MAPS: Final = "columnMapping[map]"
"""Column mapping of a table with a column, or a part of one, that is a map."""
UNREADABLE: Final = "invariants[unreadable]"
"""Invariants of which some is not JSON, or is empty; Delta Spark need not look at it."""
EXPRESSIONS: Final = "invariants[expression]"
"""Invariants that are expressions, not only NOT NULL."""

VECTORS_ON: Final = "deletionVectors[on]"
"""Deletion vectors of a table whose property asks for more of them."""
VECTORS_OFF: Final = "deletionVectors[off]"
"""Deletion vectors that files of a table have although its property is off."""
STORED_VECTORS_OFF: Final = "deletionVectors[off,checkpoint]"
"""Deletion vectors in the checkpoint of a table whose property is off."""

# Conditions of a table that are no features.
RANDOM_PATHS: Final = "partitionColumns[random]"
"""Partition columns of a table whose property asks for paths that do not name their values."""
CHECKPOINTED: Final = "partitionColumns[checkpoint]"
"""Partition columns of a table that is read from a checkpoint."""
TEXT_PARTITIONS: Final = "partitionColumns[text]"
"""A partition column whose values as text may have characters that paths encode."""
CHAR: Final = "schema[char]"
"""A column whose texts CHAR or VARCHAR limits; to the protocol it is a string."""
TIMESTAMP_NTZ: Final = "schema[timestamp_ntz]"
"""A column of this type under a protocol without its feature."""

IF_SO: Final = {
    CHECKPOINTED: "if there is a checkpoint",
    VECTORS_OFF: "if files have deletion vectors",
    STORED_VECTORS_OFF: "if files in the checkpoint have deletion vectors",
}
"""The conditions that only reading all files tells, as clauses."""


@dataclass(frozen=True)
class Fact:
    """
    The behaviour of some releases with tables that support certain features.

    It holds from release `since` up to, and without, `until`; empty texts leave it open. With
    `active` it holds only where the feature is in use, not where the protocol merely has it;
    with `listed` only where a list names the feature, not where an old version implies it.
    """

    compatibility: Compatibility
    features: tuple[str, ...]
    source: Source
    since: str = ""
    until: str = ""
    active: bool = False
    note: str = ""
    listed: bool = False

    def holds_for(self, version: Version) -> bool:
        """Whether it is about this release."""
        return _spans(self.since, self.until, version)


@dataclass(frozen=True)
class Gate:
    """
    The highest protocol version that some releases accept, and what they do with a higher one.

    A program that cannot read or write at all has a `highest` of 0.
    """

    highest: int
    source: Source
    since: str = ""
    until: str = ""
    above: Compatibility = Compatibility.FAILS_LOUDLY
    note: str = ""

    def holds_for(self, version: Version) -> bool:
        """Whether it is about this release."""
        return _spans(self.since, self.until, version)


@dataclass(frozen=True)
class Client:
    """
    One program, with everything known about its releases.

    `versioned_by` says what its version counts: a package, a runtime, or days for a service that
    has no releases. Nothing is known about releases before `oldest`; facts about `newest` are
    assumed for later ones, until they are checked. From release `reference_since` on it is the
    program whose answers deltaadm reproduces, so that no fact here is needed; empty for never.
    `checkpoints` says what is wrong with those that it wrote, for every reader.
    """

    id: str
    name: str
    versioned_by: str
    oldest: str
    newest: str
    read_gates: tuple[Gate, ...]
    reads: tuple[Fact, ...]
    write_gates: tuple[Gate, ...] = ()
    writes: tuple[Fact, ...] = ()
    reference_since: str = ""
    checkpoints: tuple[Fact, ...] = ()

    def __hash__(self) -> int:
        return hash(self.id)  # which tells clients apart; a fleet asks for this all the time

    @property
    def writes_tables(self) -> bool:
        """Whether any release is known to write any table."""
        return any(gate.highest for gate in self.write_gates)


@dataclass(frozen=True)
class ClientRelease:
    """
    One release of a program, written `trino@480`.

    A service has no releases: it is called by its name alone, unless another day is meant.
    """

    client: Client
    version: str

    def __hash__(self) -> int:
        return hash((self.client.id, self.version))

    def __str__(self) -> str:
        has_releases = self.client.versioned_by != "days"
        is_newest = self.version == self.client.newest
        return (
            f"{self.client.id}@{self.version}" if has_releases or not is_newest else self.client.id
        )

    @property
    def short(self) -> str:
        """The name alone if it is the newest release known, of which most facts are."""
        return self.client.id if self.version == self.client.newest else str(self)

    @property
    def is_known(self) -> bool:
        """Whether the release is not older than anything known."""
        return version_key(self.version) >= version_key(self.client.oldest)

    @property
    def is_reference(self) -> bool:
        """Whether it is the program whose answers deltaadm reproduces."""
        since = self.client.reference_since
        return bool(since) and version_key(self.version) >= version_key(since)


# The file `facts.json` has the facts, one on a line:
# outcome, features, source, releases, note, and flags; or, of the protocol versions that releases
# accept, the highest, source, releases, what they do with a higher one, and note. Features are
# separated by blanks; releases are written as `1.3..1.5`, without the last. What stands at the end
# of a line can be omitted. Facts below `both` are about reading and writing.

_OUTCOMES: Final = {
    "works": Compatibility.WORKS,  # handled as the protocol asks
    "unknown": Compatibility.UNKNOWN,  # the source leaves open what happens, as the note says
    "fails": Compatibility.FAILS_LOUDLY,  # refused with an error
    "wrong": Compatibility.SILENTLY_WRONG,  # without an error, see the note; only where it is used
}


def _filled(row: Sequence[Any], defaults: Sequence[Any]) -> Sequence[Any]:
    return *row, *defaults[len(row) :]


def _client(client_id: str, entry: Mapping[str, Any]) -> Client:
    oldest, _, newest = entry["releases"].partition("..")

    def gates(key: str) -> Iterable[Gate]:
        for row in entry.get(key, ()):
            highest, source, releases, above, note = _filled(row, (0, "", "", "fails", ""))
            since, _, until = releases.partition("..")
            yield Gate(highest, _SOURCES[source], since, until, _OUTCOMES[above], note)

    def facts(key: str) -> Iterable[Fact]:
        for row in entry.get(key, ()):
            outcome, features, source, releases, note, flags = _filled(
                row, ("", "", "", "", "", {})
            )
            since, _, until = releases.partition("..")
            active = flags.get("active", outcome == "wrong")
            yield Fact(
                _OUTCOMES[outcome], tuple(features.split()), _SOURCES[source], since, until,
                active, note, flags.get("listed", False),
            )  # fmt: skip

    both = tuple(facts("both"))
    return Client(
        client_id,
        entry["name"],
        entry["versioned_by"],
        oldest,
        newest,
        read_gates=tuple(gates("reads_up_to")),
        reads=(*both, *facts("reads")),
        write_gates=tuple(gates("writes_up_to")),
        writes=(*both, *facts("writes")),
        reference_since=entry.get("reference_since", ""),
        checkpoints=tuple(facts("checkpoints")),
    )


# Spark's executors import deltaadm from an archive, which only its loader can read.
_LOADER: Final[Any] = globals()["__loader__"]
_CONTENT: Final = json.loads(_LOADER.get_data(f"{__file__.rpartition('.')[0]}.json"))

_SOURCES: Final = {name: Source(*row) for name, row in _CONTENT["sources"].items()} | {
    "recorded": RECORDED
}

CLIENTS: Final[Mapping[str, Client]] = {
    name: _client(name, entry) for name, entry in _CONTENT["clients"].items()
}
"""Every client by its id, in alphabetical order."""

ALIASES: Final[Mapping[str, str]] = _CONTENT["aliases"]
"""Other names by which people know a client."""


@cache
def newest_releases() -> tuple[ClientRelease, ...]:
    """The newest known release of every client."""
    return tuple(ClientRelease(client, client.newest) for client in CLIENTS.values())


def parse_client(text: str) -> ClientRelease:
    """
    The release that *text* names: `trino@480`, or `trino` for the newest one known.

    Raises `RefusedError` for an unknown client and for what is not a release of it.
    """
    name, separator, version = text.strip().partition("@")
    known = name.strip().lower()
    client = CLIENTS.get(ALIASES.get(known, known))
    if client is None:
        raise UnknownNameError(
            f"There is no client named {name!r}.",
            remedy=did_you_mean(name, (*CLIENTS, *ALIASES))
            or f"Known clients are {', '.join(CLIENTS)}.",
        )
    if not separator:
        return ClientRelease(client, client.newest)
    version = version.strip()
    try:
        version_key(version)
    except ValueError:
        raise RefusedError(
            f"{version!r} is not a version of {client.name}.",
            remedy=f"Write it as in {client.id}@{client.newest} ({client.versioned_by}).",
        ) from None
    return ClientRelease(client, version)
