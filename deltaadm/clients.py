"""
Which reader and writer programs can use a table: sourced facts, and verdicts drawn from them.

`CLIENTS` holds the facts, one entry a program; `parse_client` finds a release of one, and
`verdict` says what becomes of a table in its hands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache, cached_property, lru_cache

from deltaadm.dataclass import dataclass, field, replace, text_beside
from deltaadm.domain.features import Kind, TableFeature, mapping_mode, with_requirements
from deltaadm.domain.properties import switch
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import FieldKey, MapType, StructType, all_types, type_name
from deltaadm.domain.transaction.spark_support import (
    Obstacle,
    invariants,
    obstacle_to_reading,
    obstacle_to_writing,
)
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, RefusedError, UnknownNameError, did_you_mean
from deltaadm.json_values import array, maybe, one_of, record
from deltaadm.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.wire import Writer
    from deltaadm.json_values import Fields


# Facts, with their sources


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

    def __init__(self, _words: str) -> None:
        self.rank = len(type(self).__members__)
        """Its place from the best, 0, to the worst."""


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

VECTORS_OFF: Final = "deletionVectors[off]"
"""Deletion vectors that files of a table have although its property is off."""
STORED_VECTORS_OFF: Final = "deletionVectors[off,checkpoint]"
"""Deletion vectors in the checkpoint of a table whose property is off."""
CHECKPOINTED: Final = "partitionColumns[checkpoint]"
"""Partition columns of a table that is read from a checkpoint."""

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
    With a `highest` it is about tables whose protocol version is above that, which its features
    say in words; 0 is that of a program that cannot read or write at all.
    """

    compatibility: Compatibility
    features: tuple[str, ...]
    source: Source
    since: str = ""
    until: str = ""
    active: bool = False
    note: str = ""
    listed: bool = False
    highest: int | None = None


@dataclass(frozen=True)
class Client:
    """
    One program, with everything known about its releases.

    `versioned_by` says what its version counts: a package, a runtime, or days for a service that
    has no releases. Nothing is known about releases before `oldest`; facts about `newest` are
    assumed for later ones, until they are checked. From release `reference_since` on it is the
    program whose answers deltaadm reproduces, so that no fact here is needed; empty for never.
    Of `reads` and `writes` those about versions come first. `checkpoints` says what is wrong with
    those that it wrote, for every reader.
    """

    id: str
    name: str
    versioned_by: str
    oldest: str
    newest: str
    reads: tuple[Fact, ...]
    writes: tuple[Fact, ...] = ()
    reference_since: str = ""
    checkpoints: tuple[Fact, ...] = ()

    def __hash__(self) -> int:
        return hash(self.id)  # which tells clients apart; a fleet asks for this all the time

    @property
    def writes_tables(self) -> bool:
        """Whether any release is known to write any table."""
        return any(fact.highest for fact in self.writes)


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

    def known(self, facts: Iterable[Fact]) -> Sequence[Fact]:
        """Those of *facts* that are about it."""
        key = version_key(self.version)
        return [
            fact
            for fact in (facts if self.is_known else ())
            if version_key(fact.since or "0") <= key
            and (not fact.until or key < version_key(fact.until))
        ]

    @cached_property  # asked for with every table
    def reads(self) -> Sequence[Fact]:
        """What is known of how it reads."""
        return self.known(self.client.reads)

    @cached_property
    def writes(self) -> Sequence[Fact]:
        """What is known of how it writes."""
        return self.known(self.client.writes)

    @property
    def is_reference(self) -> bool:
        """Whether it is the program whose answers deltaadm reproduces."""
        since = self.client.reference_since
        return bool(since) and version_key(self.version) >= version_key(since)


# The file `clients.json` has the facts, one on a line:
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


def _version_fact(  # noqa: PLR0917 -- a row
    role: str, highest: int, source: str, releases: str = "", above: str = "fails", note: str = ""
) -> Fact:
    since, _, until = releases.partition("..")
    subject = f"{role} version > {highest}" if highest else f"any {role} version"
    known = _OUTCOMES[above], (subject,), _SOURCES[source]
    return Fact(*known, since, until, False, note, False, highest)


def _fact(  # noqa: PLR0917 -- a row
    outcome: str, features: str, source: str, releases: str = "", note: str = "",
    flags: Mapping[str, bool] = {},
) -> Fact:  # fmt: skip
    since, _, until = releases.partition("..")
    active, listed = flags.get("active", outcome == "wrong"), flags.get("listed", False)
    known = _OUTCOMES[outcome], tuple(features.split()), _SOURCES[source]
    return Fact(*known, since, until, active, note, listed, None)  # all of them, which is quick


def _client(client_id: str, entry: Mapping[str, Any]) -> Client:
    oldest, _, newest = entry["releases"].partition("..")
    facts = {
        key: tuple(_fact(*row) for row in entry.get(key, ()))
        for key in ("both", "reads", "writes", "checkpoints")
    }
    readers, writers = (
        tuple(_version_fact(role, *row) for row in entry.get(key, ()))
        for role, key in (("reader", "reads_up_to"), ("writer", "writes_up_to"))
    )
    return Client(
        client_id,
        entry["name"],
        entry["versioned_by"],
        oldest,
        newest,
        reads=readers + facts["both"] + facts["reads"],
        writes=writers + facts["both"] + facts["writes"],
        reference_since=entry.get("reference_since", ""),
        checkpoints=facts["checkpoints"],
    )


_CONTENT: Final = json.loads(text_beside(__name__, "clients.json"))

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
    name, separator, version = masked(text).strip().partition("@")
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


# Whose clients matter


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
    def observed(self) -> tuple[ClientRelease, ...]:
        """Those that were seen."""
        return tuple(dict.fromkeys((*self.wrote, *self.seen.read)))

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


@lru_cache(maxsize=256)  # the tables of a fleet have few writers
def identified(engine: str) -> tuple[Client | None, str]:
    """
    The client that calls itself *engine* in what it writes or logs, None for nobody known.

    And its release, where that is told; a build before a release counts as that one.
    """
    name, _, release = engine.partition("@")
    if client := CLIENTS.get(name):
        return client, release if re.fullmatch(r"\d+([.-]\d+)*", release) else ""
    for mark, pattern, known in _WRITERS:
        if mark in engine and (found := re.match(pattern, engine)):  # few patterns are compiled
            return CLIENTS[known], found["release"] or ""
    return None, ""


@lru_cache(maxsize=256)
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
    ("Databricks", r"Databricks-Runtime/(?P<release>\d+\.\d+)?", "databricks"),
    ("Spark", rf"Apache-Spark/\S+ Delta-Lake/(?P<release>\d+\.\d+\.\d+){_END}", "delta-spark"),
    ("delta-rs", rf"delta-rs[:.](?:py-(?P<release>\d+\.\d+\.\d+){_END})?", "delta-rs"),
    ("trino-", r"trino-(?P<release>\d+)", "trino"),
    (" version ", r"(?:parquet-mr-trino|Trino) version (?P<release>\d+)", "trino"),
    ("flink", rf".*flink-delta-connector/(?P<release>\d+\.\d+\.\d+{_END})?", "flink"),
    ("Kernel", rf"Kernel-(?P<release>\d+\.\d+\.\d+){_END}", "delta-kernel-java"),
    ("DuckDB", r"(?P<release>)DuckDB$", "duckdb-delta"),
)
"""
What engines write into commitInfo and into the footers of checkpoints: a part of it, all of it with
the release, and the client.

The releases of delta-rs are those of the Python package, which the crate does not tell.
"""


# Verdicts


class Access(Enum):
    """The way a client uses a table."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True)
class Cell:
    """
    The behaviour of a release with one feature or protocol version, with its source.

    `subject` is a feature's name, or a place such as `protocol.minReaderVersion`. Without a
    source nothing is known. `depends` is set if something is known, but depends on files that have
    not been read.
    """

    subject: str
    compatibility: Compatibility
    source: Source | None = None
    note: str = ""
    depends: bool = False


@dataclass(frozen=True)
class Verdict:
    """The behaviour of a release with a table; the deciding cell comes first."""

    release: ClientRelease
    access: Access
    cells: tuple[Cell, ...]

    def __hash__(self) -> int:
        return hash((self.release.version, len(self.cells)))  # asked for with every table

    @property
    def compatibility(self) -> Compatibility:
        """The compatibility of the deciding cell."""
        return self.cells[0].compatibility

    @property
    def responsible(self) -> tuple[Cell, ...]:
        """The cells that keep the table from working; none where it works."""
        worst = self.compatibility
        if worst is Compatibility.WORKS:
            return ()
        return tuple(cell for cell in self.cells if cell.compatibility is worst)


@dataclass(frozen=True)
class Shift:
    """A verdict that gets worse from one state of a table to another."""

    before: Verdict
    after: Verdict

    @property
    def turns_silently_wrong(self) -> bool:
        """Whether the client now reads or writes wrong data silently."""
        return self.after.compatibility is Compatibility.SILENTLY_WRONG


def conditions(snapshot: Snapshot) -> frozenset[str]:
    """
    The conditions of facts that a table meets by more than its protocol and metadata.

    A `?` ends those that it meets if its checkpoint has files of some kind, which is not known.
    """
    segment, files, found = snapshot.segment, snapshot.files, set()
    if snapshot.metadata.partition_columns and (segment is None or segment.checkpoint):
        found.add(CHECKPOINTED if segment else f"{CHECKPOINTED}?")
    on = switch(snapshot.metadata.configuration, "delta.enableDeletionVectors")
    if on or not snapshot.protocol.supports("deletionVectors"):
        return frozenset(found)
    counted = None if files is None else files.with_deletion_vector
    if counted != 0:
        found.add(VECTORS_OFF if counted else f"{VECTORS_OFF}?")
    # Files that a commit has removed since are still in the checkpoint.
    if segment is None or (segment.checkpoint and (counted != 0 or segment.deltas)):
        found.add(STORED_VECTORS_OFF if counted and segment else f"{STORED_VECTORS_OFF}?")
    return frozenset(found)


def damages(snapshot: Snapshot) -> tuple[str, ...]:
    """What the client that wrote the checkpoint may have done to the table, in sentences."""
    release = release_of(snapshot.checkpoint_writer)
    if release is None or snapshot.segment is None or snapshot.segment.checkpoint is None:
        return ()
    table = _Table.of(snapshot.protocol, snapshot.metadata, conditions(snapshot))
    met = {*table.features, *table.forms, *table.perhaps}
    return tuple(
        f"{release} wrote the checkpoint of version {snapshot.segment.checkpoint.version} and may "
        f"have damaged the table for every reader: {fact.note} ({fact.source.title})."
        for fact in release.known(release.client.checkpoints)
        if not met.isdisjoint(fact.features)
    )


def verdict(
    release: ClientRelease,
    protocol: Protocol,
    metadata: Metadata,
    access: Access,
    met: frozenset[str] = frozenset(),
) -> Verdict:
    """
    Return the behaviour of *release* with a table that has *protocol* and *metadata*.

    The `conditions` that it has *met* besides are those of its snapshot.

    Readers are concerned by the reader version and by reader features; writers by both versions
    and by every feature. Reading and writing are facts of their own: of the former only a refusal
    counts for the latter, and only where nothing is known of writing. A feature that is
    supported but not in use matters to a client that checks the protocol, and is harmless where
    only using it goes wrong. What no source says is unknown.

    The reference client does what `obstacle_to_reading` and `obstacle_to_writing` say, and nothing
    else.
    """
    return _verdict(release, _Table.of(protocol, metadata, met), access)


def verdicts(
    releases: Iterable[ClientRelease],
    protocol: Protocol,
    metadata: Metadata,
    accesses: Iterable[Access] = tuple(Access),
    met: frozenset[str] = frozenset(),
) -> tuple[Verdict, ...]:
    """The verdict on every release for every access, in this order."""
    asked = tuple(releases)
    return _verdicts(asked, _Table.of(protocol, metadata, met), tuple(accesses)) if asked else ()


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _verdicts(
    releases: tuple[ClientRelease, ...], table: _Table, accesses: tuple[Access, ...]
) -> tuple[Verdict, ...]:
    return tuple(_verdict(release, table, access) for release in releases for access in accesses)


def feature_verdict(release: ClientRelease, feature: str, access: Access) -> Verdict:
    """The behaviour of *release* with a table that uses *feature*, and with it what it requires."""
    # Readers need not know a feature for writers.
    if access is Access.READ and not _is_reader(feature):
        return Verdict(release, access, (Cell(feature, Compatibility.WORKS),))
    return _verdict(release, _table_with(feature), access)


@cache  # asked for with every release
def _table_with(feature: str) -> _Table:
    names = frozenset(with_requirements([feature]))
    readers = frozenset(filter(_is_reader, names))
    protocol = Protocol(
        3 if readers else 1, 7, reader_features=readers or None, writer_features=names
    )
    return replace(
        _Table.of(protocol, Metadata(), frozenset({"deletionVectors[on]"})), in_use=names
    )


def shifts(before: Sequence[Verdict], after: Sequence[Verdict]) -> tuple[Shift, ...]:
    """The verdicts that are worse *after* than *before*, of the same releases and accesses."""
    return tuple(
        Shift(old, new)
        for old, new in zip(before, after, strict=True)
        if new.compatibility.rank > old.compatibility.rank
    )


_LASTING: Final = frozenset(
    {"deletionVectors", "typeWidening", "typeWidening-preview", "v2Checkpoint"}
)
"""Features that data written while they were active still needs once they are inactive."""


_CONDITIONS: Final = ("partitionColumns", "schema")
"""The places of conditions that are no features."""


@dataclass(frozen=True)
class _Table:
    """The parts of a table that clients look at: versions, listed features and those in use."""

    reader_version: int
    writer_version: int
    reader_features: tuple[str, ...]
    features: tuple[str, ...]
    in_use: frozenset[str]
    listed: frozenset[str]
    forms: frozenset[str]
    perhaps: frozenset[str]
    conditions: tuple[str, ...]
    obstacles: tuple[Obstacle | None, Obstacle | None]

    @classmethod
    def of(
        cls, protocol: Protocol, metadata: Metadata, met: frozenset[str] = frozenset()
    ) -> _Table:
        names = sorted(protocol.names)
        forms = met.union(form for form, test in FORMS.items() if _may_be(test, protocol, metadata))
        listed = protocol.reader_features or frozenset()
        return cls(
            reader_version=protocol.min_reader_version,
            writer_version=protocol.min_writer_version,
            reader_features=tuple(name for name in names if name in listed or _is_reader(name)),
            features=tuple(names),
            in_use=frozenset(name for name in names if _in_use(name, metadata)),
            listed=protocol.explicit_names,
            forms=forms,
            perhaps=frozenset(name.removesuffix("?") for name in met if name.endswith("?")),
            conditions=tuple(
                of for of in _CONDITIONS if any(form.startswith(of) for form in forms)
            ),
            obstacles=(
                obstacle_to_reading(protocol, metadata),
                obstacle_to_writing(protocol, metadata),
            ),
        )


def _is_reader(name: str) -> bool:
    feature = TableFeature.lookup(name)
    return feature is not None and feature.kind is Kind.READER_WRITER


_PLAIN_AS_TEXT: Final = frozenset({"byte", "short", "integer", "long", "date", "boolean"})


def _schema(metadata: Metadata, name: str) -> StructType:
    """The schema, without columns where it has no key or type called *name*."""
    schema = metadata.schema
    return schema if metadata.may_mention(name) else StructType()


def _is_encoded_in_paths(metadata: Metadata) -> bool:
    """Whether a partition column's values as text may have characters that paths encode."""
    by = frozenset(metadata.partition_columns)
    partitions = StructType(tuple(each for each in metadata.schema.fields if each.name in by))
    names = (type_name(column.type) for _, column in partitions.walk())
    return any(not (name in _PLAIN_AS_TEXT or name.startswith("decimal")) for name in names)


FORMS: Final[Mapping[str, Callable[[Protocol, Metadata], bool]]] = {
    "columnMapping[id]": lambda _, metadata: mapping_mode(metadata) == "id",
    # No list of reader features names it.
    "columnMapping[reader=2]": lambda protocol, _: protocol.min_reader_version == 2,  # noqa: PLR2004
    "columnMapping[partitioned]": lambda _, metadata: bool(metadata.partition_columns),
    "columnMapping[map]": lambda _, metadata: any(
        isinstance(kind, MapType) for kind in all_types(_schema(metadata, "map"))
    ),
    "deletionVectors[on]": lambda _, metadata: bool(
        switch(metadata.configuration, "delta.enableDeletionVectors")
    ),
    # Not only NOT NULL.
    "invariants[expression]": lambda _, metadata: any(invariants(metadata)),
    # Not JSON, or empty; Delta Spark need not look at it.
    "invariants[unreadable]": lambda _, metadata: any(
        invariant.fails_in_delta_rs for invariant in invariants(metadata)
    ),
    # Its paths do not name the values.
    "partitionColumns[random]": lambda _, metadata: bool(
        metadata.partition_columns and switch(metadata.configuration, "delta.randomizeFilePrefixes")
    ),
    "partitionColumns[text]": lambda _, metadata: _is_encoded_in_paths(metadata),
    # CHAR and VARCHAR, which to the protocol are strings.
    "schema[char]": lambda _, metadata: any(
        FieldKey.RAW_TYPE in column.metadata
        for _, column in _schema(metadata, FieldKey.RAW_TYPE).walk()
    ),
    # Without the feature.
    "schema[timestamp_ntz]": lambda protocol, metadata: (
        not protocol.supports("timestampNtz")
        and any(type_name(kind) == "timestamp_ntz" for kind in metadata.primitive_types)
    ),
}
"""The forms of features, and conditions besides features, that protocol and metadata tell."""


def _may_be(test: Callable[..., object], *given: object) -> bool:
    """Whether *test* finds something in what is *given*, or metadata that cannot be read."""
    try:
        return bool(test(*given))
    except DeltaadmError:
        return True


def _in_use(name: str, metadata: Metadata) -> bool:
    """Whether the table uses the feature, as far as its metadata tells, also one nobody knows."""
    feature = TableFeature.lookup(name)
    if feature is None or feature.activation.find is None or feature.name in _LASTING:
        return True
    return _may_be(feature.activation.evidence, metadata)


def _verdict(release: ClientRelease, table: _Table, access: Access) -> Verdict:
    worst: dict[str, Cell] = {}
    cells = _cells(release, table, access)
    for cell in sorted(cells, key=lambda cell: (-cell.compatibility.rank, cell.subject)):
        worst.setdefault(cell.subject, cell)

    def refuses_by_protocol(cell: Cell) -> bool:
        # A feature that only an old version implies is not certain to be looked at.
        seen = cell.subject in table.listed or cell.subject.startswith("protocol.")
        return seen and cell.compatibility is Compatibility.FAILS_LOUDLY

    # The worst decides, but a write that is refused because of the protocol cannot go wrong any
    # more: there the refusal does.
    deciding_first = [*worst.values()]
    if access is Access.WRITE:
        deciding_first.sort(key=refuses_by_protocol, reverse=True)
    return Verdict(release, access, tuple(deciding_first))


def _cells(release: ClientRelease, table: _Table, access: Access) -> Iterator[Cell]:
    reads = access is Access.READ
    if release.is_reference:  # whose checks deltaadm reproduces
        if obstacle := table.obstacles[not reads]:
            note = obstacle.refusal.message
            for subject in obstacle.subjects:
                yield Cell(subject, Compatibility.FAILS_LOUDLY, RECORDED, note)
        versions = ("minReaderVersion",) if reads else ("minReaderVersion", "minWriterVersion")
        features = table.reader_features if reads else table.features
        for subject in (*(f"protocol.{version}" for version in versions), *features):
            yield Cell(subject, Compatibility.WORKS, RECORDED)
        return
    place, features = "protocol.minReaderVersion", table.reader_features
    reading = [*_known_cells(place, table.reader_version, features, release.reads, table)]
    if reads:
        yield from reading
        return
    place = "protocol.minWriterVersion"
    writing = [*_known_cells(place, table.writer_version, table.features, release.writes, table)]
    known_subjects = {cell.subject for cell in writing if cell.source is not None}
    yield from writing
    for cell in reading:
        if cell.compatibility is Compatibility.FAILS_LOUDLY and cell.subject not in known_subjects:
            yield cell


def _known_cells(
    place: str, version: int, features: Iterable[str], facts: Sequence[Fact], table: _Table
) -> Iterator[Cell]:
    first = next(iter(facts), None)
    if first is None or first.highest is None:
        yield Cell(place, Compatibility.UNKNOWN)
    elif version <= first.highest:
        yield Cell(place, Compatibility.WORKS, first.source)
    else:
        yield Cell(place, first.compatibility, first.source, first.note)
    for name in features:
        yield _feature_cell(name, facts, table)
    for name in table.conditions:
        cell = _feature_cell(name, facts, table)
        if cell.source is not None:  # they matter as far as facts name them
            yield cell


def _feature_cell(name: str, facts: Sequence[Fact], table: _Table) -> Cell:
    """The worst of the *facts* that name the feature, or else what holds for every other one."""
    mine, perhaps = (
        {form for form in forms if form.startswith(f"{name}[")}
        for forms in (table.forms, table.perhaps)
    )
    names = {name, *mine, *perhaps}
    in_use = name in table.in_use or name in _CONDITIONS
    listed = name in table.listed
    holding = [
        fact for fact in facts if (in_use or not fact.active) and (listed or not fact.listed)
    ]
    matching = [fact for fact in holding if not names.isdisjoint(fact.features)]
    if not matching and name not in _CONDITIONS:
        # A fact about all others never softens one that names the feature.
        matching = [fact for fact in holding if EVERY_OTHER in fact.features]
    if not matching:
        return Cell(name, Compatibility.UNKNOWN)

    def cell(fact: Fact) -> Cell:
        if not perhaps.issuperset(fact.features):
            return Cell(name, fact.compatibility, fact.source, fact.note)
        note = f"{IF_SO[fact.features[0]]}, {fact.note}"
        return Cell(name, Compatibility.UNKNOWN, fact.source, note, depends=True)

    return max(map(cell, matching), key=lambda cell: cell.compatibility.rank)


JUDGEMENT: Final[Fields] = {
    "verdict": (one_of(Compatibility), lambda verdict: verdict.compatibility),
    "because": (
        array(
            record(
                subject=str,
                note=str,
                source=(maybe(str), lambda cell: cell.source and cell.source.title),
                date=(maybe(str), lambda cell: cell.source and cell.source.date),
            )
        ),
        lambda verdict: verdict.responsible,
    ),
}
"""The parts of a verdict."""
