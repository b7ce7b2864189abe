"""From facts to verdicts: what a release does with a table that has this protocol and metadata."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from deltaadm.clients.facts import (
    EVERY_OTHER,
    ID_MODE,
    READER_2,
    ClientRelease,
    Compatibility,
    Fact,
    Gate,
    Source,
    Version,
    version_key,
)
from deltaadm.dataclass import dataclass
from deltaadm.domain.features import Kind, lookup, mapping_mode
from deltaadm.errors import DeltaadmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Final

    from deltaadm.domain.metadata import Metadata
    from deltaadm.domain.protocol import Protocol


class Access(Enum):
    """What a program is wanted for."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Cell:
    """
    What a release does with one feature, or with the protocol's version, and who says so.

    `subject` is a feature's name, or a place such as `protocol.minReaderVersion`. Without a
    source nothing is known.
    """

    subject: str
    compatibility: Compatibility
    source: Source | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a table in the hands of a release; the worst cell comes first."""

    release: ClientRelease
    access: Access
    cells: tuple[Cell, ...]

    def __hash__(self) -> int:
        return hash((self.release.version, len(self.cells)))  # asked for with every table

    @property
    def compatibility(self) -> Compatibility:
        """That of the worst cell."""
        return self.cells[0].compatibility

    @property
    def responsible(self) -> tuple[Cell, ...]:
        """The cells that keep the table from working; none where it works."""
        worst = self.compatibility
        if worst is Compatibility.WORKS:
            return ()
        return tuple(one for one in self.cells if one.compatibility is worst)


@dataclass(frozen=True, slots=True)
class Shift:
    """A verdict that gets worse from one state of a table to another."""

    before: Verdict
    after: Verdict

    @property
    def turns_silently_wrong(self) -> bool:
        """Whether the client goes on without an error, and is wrong from now on."""
        return self.after.compatibility is Compatibility.SILENTLY_WRONG


def verdict(
    release: ClientRelease, protocol: Protocol, metadata: Metadata, access: Access
) -> Verdict:
    """
    What becomes of a table with *protocol* and *metadata* in the hands of *release*.

    Readers are concerned by the reader version and by reader features; writers by both versions
    and by every feature, since whoever writes a table must be able to read it. A feature that is
    supported but not in use matters to a client that checks the protocol, and is harmless where
    only using it goes wrong. What no source tells is unknown.
    """
    return _verdict(release, _Table.of(protocol, metadata), access)


def verdicts(
    releases: Iterable[ClientRelease],
    protocol: Protocol,
    metadata: Metadata,
    accesses: Iterable[Access] = tuple(Access),
) -> tuple[Verdict, ...]:
    """The verdict on every release for every access, in this order."""
    return _verdicts(tuple(releases), _Table.of(protocol, metadata), tuple(accesses))


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _verdicts(
    releases: tuple[ClientRelease, ...], table: _Table, accesses: tuple[Access, ...]
) -> tuple[Verdict, ...]:
    return tuple(_verdict(release, table, access) for release in releases for access in accesses)


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
"""What was written while one of these was active still needs it after its property is off."""


@dataclass(frozen=True, slots=True)
class _Table:
    """What clients look at: versions, features for readers and for all, and those in use."""

    reader_version: int
    writer_version: int
    reader_features: tuple[str, ...]
    features: tuple[str, ...]
    in_use: frozenset[str]
    listed: frozenset[str]
    forms: frozenset[str]

    @classmethod
    def of(cls, protocol: Protocol, metadata: Metadata) -> _Table:
        names = sorted(protocol.explicit_names | protocol.implicit_features)
        listed = protocol.reader_features or frozenset()
        return cls(
            reader_version=protocol.min_reader_version,
            writer_version=protocol.min_writer_version,
            reader_features=tuple(one for one in names if one in listed or _is_reader(one)),
            features=tuple(names),
            in_use=frozenset(one for one in names if _in_use(one, metadata)),
            listed=protocol.explicit_names,
            forms=frozenset(_mapping_forms(protocol, metadata)),
        )


def _is_reader(name: str) -> bool:
    feature = lookup(name)
    return feature is not None and feature.kind is Kind.READER_WRITER


def _mapping_forms(protocol: Protocol, metadata: Metadata) -> Iterator[str]:
    """The forms of column mapping that facts tell apart."""
    if protocol.min_reader_version == 2:  # noqa: PLR2004 -- PROTOCOL.md, Column Mapping
        yield READER_2
    try:
        if mapping_mode(metadata) == "id":
            yield ID_MODE
    except DeltaadmError:
        yield ID_MODE


def _in_use(name: str, metadata: Metadata) -> bool:
    """In doubt yes: of a feature that nobody knows, and of metadata that cannot be read."""
    feature = lookup(name)
    if feature is None or feature.activation.find is None or feature.name in _LASTING:
        return True
    try:
        return bool(feature.activation.evidence(metadata))
    except DeltaadmError:
        return True


def _verdict(release: ClientRelease, table: _Table, access: Access) -> Verdict:
    if access is Access.READ:
        return Verdict(release, access, _sorted(_read_cells(release, table)))
    return Verdict(
        release, access, _sorted((*_read_cells(release, table), *_write_cells(release, table)))
    )


def _sorted(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """One cell a subject, the worst; the worst first, then by name."""
    worst: dict[str, Cell] = {}
    for one in cells:
        known = worst.get(one.subject)
        if known is None or one.compatibility.rank > known.compatibility.rank:
            worst[one.subject] = one
    return tuple(sorted(worst.values(), key=lambda one: (-one.compatibility.rank, one.subject)))


def _read_cells(release: ClientRelease, table: _Table) -> Iterator[Cell]:
    client = release.client
    version = table.reader_version
    yield _gate_cell("protocol.minReaderVersion", version, client.read_gates, release)
    for name in table.reader_features:
        yield _feature_cell(name, client.reads, release, table)


def _write_cells(release: ClientRelease, table: _Table) -> Iterator[Cell]:
    client = release.client
    version = table.writer_version
    yield _gate_cell("protocol.minWriterVersion", version, client.write_gates, release)
    for name in table.features:
        yield _feature_cell(name, client.writes, release, table)


def _gate_cell(subject: str, version: int, gates: Iterable[Gate], release: ClientRelease) -> Cell:
    key = _key(release)
    for one in gates if release.is_known else ():
        if one.holds_for(key):
            passed = version <= one.highest
            found = Compatibility.WORKS if passed else one.above
            return Cell(subject, found, one.source, "" if passed else one.note)
    return Cell(subject, Compatibility.UNKNOWN)


def _feature_cell(name: str, facts: Sequence[Fact], release: ClientRelease, table: _Table) -> Cell:
    """The worst of the facts that name the feature, or else what holds for every other one."""
    names = {name} | (table.forms if name == "columnMapping" else frozenset())
    in_use, listed = name in table.in_use, name in table.listed
    key = _key(release)
    holding = [
        one
        for one in (facts if release.is_known else ())
        if one.holds_for(key) and (in_use or not one.active) and (listed or not one.listed)
    ]
    found = [one for one in holding if not names.isdisjoint(one.features)]
    found = found or [one for one in holding if EVERY_OTHER in one.features]
    if not found:
        return Cell(name, Compatibility.UNKNOWN)
    worst = max(found, key=lambda one: one.compatibility.rank)
    return Cell(name, worst.compatibility, worst.source, worst.note)


def _key(release: ClientRelease) -> Version:
    return version_key(release.version)
