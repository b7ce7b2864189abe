"""What examining a log brings to light, and what an organisation demands, for rules to judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deltaadm.catalog_table import CatalogState
from deltaadm.dataclass import dataclass, field
from deltaadm.domain.actions import AddFile
from deltaadm.domain.properties import (
    PROPERTIES,
    interval_microseconds,
    size_in_bytes,
    spark_interval,
)
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import Path
from deltaadm.domain.snapshot import Checkpoint, FileFacts, LogFile, LogListing, Snapshot
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, TableError
from deltaadm.json_values import integer

if TYPE_CHECKING:
    from deltaadm.clients import ClientRelease, Verdict
    from deltaadm.domain.snapshot import LogSegment

Document = Mapping[str, Any]


# What an organisation demands


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """
    A requirement for the value of a property: one of `allowed`, from `least` up to `most`.

    Values are compared as what they are: numbers, intervals (`7 days` is `1 week`), booleans in
    any case, sizes (`1 GiB` is `1024mb`) where the property is one, or else as texts. What is empty
    or None demands nothing.

    >>> Requirement(least="7d").met_by("interval 2 weeks")
    True
    >>> Requirement(most="1 GiB").met_by("268435456", "delta.targetFileSize")
    True
    """

    allowed: tuple[str, ...] = ()
    least: str | None = None
    most: str | None = None

    def met_by(self, value: str | None, key: str = "") -> bool:
        """Whether *value* of the property *key* meets the requirement; None if it is not set."""
        if value is None:
            return False
        measured = _measured(key, value)
        if self.allowed and measured not in (_measured(key, each) for each in self.allowed):
            return False
        low = measured if self.least is None else _measured(key, self.least)
        high = measured if self.most is None else _measured(key, self.most)
        comparable = type(low) is type(measured) is type(high)
        return comparable and bool(low <= measured <= high)

    @property
    def values(self) -> tuple[str, ...]:
        """The values that it names: those that are allowed, and its bounds."""
        return tuple(filter(None, (*self.allowed, self.least, self.most)))

    def __str__(self) -> str:
        parts = [" or ".join(map(repr, self.allowed))] if self.allowed else []
        parts += [f"at least {self.least!r}"] if self.least is not None else []
        parts += [f"at most {self.most!r}"] if self.most is not None else []
        return ", ".join(parts)


@lru_cache(maxsize=1024)  # a policy is held against many states of many tables
def _measure(value: str) -> Any:
    """*value* so that equal values are equal and values of one kind can be ordered."""
    text = value.strip()
    if re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        return int(text)
    if text.lower() in {"true", "false"}:
        return text.lower()
    try:
        length = interval_microseconds(spark_interval(text))
    except DeltaadmError:
        return text
    return text if length is None else timedelta(microseconds=length)


def _measured(key: str, value: str) -> Any:
    """*value* in bytes where the property *key* is a size, or else as what it is."""
    size = size_in_bytes(key, value)
    return _measure(value) if size is None else size


def effective(configuration: Mapping[str, str], key: str) -> str | None:
    """The value that counts for the property *key*: as set, or else Delta's default."""
    if key in configuration:
        return configuration[key]
    known = PROPERTIES.get(key.lower())
    if known is None:
        return None
    values = [configuration[name] for name in known.alternates if name in configuration]
    return values[0] if values else known.default


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Demands on a table's protocol and metadata; what is empty or None demands nothing."""

    max_reader_version: int | None = None
    max_writer_version: int | None = None
    required_features: tuple[str, ...] = ()
    forbidden_features: tuple[str, ...] = ()
    mapping_modes: tuple[str, ...] = ()
    properties: Mapping[str, Requirement] = field(default_factory=dict)
    recovery: str | None = None


@dataclass(frozen=True, kw_only=True)
class Ignore:
    """Findings of the rules `code` (or its family) that somebody lives with, and until when."""

    code: str
    reason: str = ""
    until: date | None = None


# Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Protocol and metadata in effect after `version`; None where the log has none yet."""

    version: int
    protocol: Protocol | None = None
    metadata: Metadata | None = None

    @classmethod
    def of(cls, snapshot: Snapshot) -> State:
        """The state that *snapshot* has."""
        return cls(version=snapshot.version, protocol=snapshot.protocol, metadata=snapshot.metadata)

    def supports(self, feature: str) -> bool:
        """Whether the protocol is known and has *feature*, listed or implied."""
        return self.protocol is not None and self.protocol.supports(feature)

    def property(self, key: str, default: str = "") -> str:
        """The value of a table property."""
        return default if self.metadata is None else self.metadata.configuration.get(key, default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """
    `_last_checkpoint`.

    `document` is None if it is not a JSON object with a version, and `error` then says why;
    `text` is its content, for what decoding loses (duplicate keys, the spelling of numbers).
    """

    text: str
    document: Document | None
    error: str = ""

    @property
    def version(self) -> int | None:
        """The version that it points to."""
        return None if self.document is None else int(self.document["version"])


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFacts:
    """
    The log as a whole: what was listed, which files make the newest version, or why none do.

    `listing` is complete: it has every file directly in the log and in `_sidecars` and
    `_staged_commits`. `failure` is why there is no snapshot, if there is none; `versions` is
    the first and last version that can be rebuilt. `state` is the newest one known. `orphans`
    are sidecars that no checkpoint names; it is None where not all checkpoints were asked.
    `catalog` is what the catalog says that was asked for the table, if one was.
    """

    listing: LogListing
    pointer: Pointer | None
    segment: LogSegment | None = None
    failure: TableError | None = None
    versions: tuple[int, int] | None = None
    state: State
    now: int
    orphans: tuple[LogFile, ...] | None = None
    catalog: CatalogState | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """
    One line of a commit that is not blank; `number` counts from 1.

    `document` is None for a line that is not a JSON object. `error` says why it is none, or
    why Delta's reader cannot decode an action on it; `odd` what is not of its type, though the
    reader takes it. `spread` marks the one line that stands for a whole file whose objects go over
    several lines.
    """

    number: int
    document: Document | None
    error: str = ""
    odd: str = ""
    spread: bool = False

    @property
    def actions(self) -> tuple[tuple[str, Any], ...]:
        """The actions on it by name; the protocol allows exactly one."""
        return tuple([(k, v) for k, v in (self.document or {}).items() if v is not None])


class Lines:
    """
    The lines of a commit, with what most rules ask for.

    `named` are all actions in their order, `names` their names. `plain` says that each line is one
    action, and all its fields are of their types; `has_errors` that there is a line that cannot be
    used. `last` is the last line, and `info` the first commitInfo, empty if there is none.
    """

    last: Line | None

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._lines = tuple(lines)
        by_name: dict[str, list[Any]] = {}
        named: list[tuple[str, Any]] = []
        has_errors, plain = False, True
        # One loop over local variables, as a long log has very many short commits.
        for line in self._lines:
            entries = line.document or {}
            has_errors = has_errors or line.error != ""
            plain = plain and not line.odd and len(entries) == 1
            for name, value in entries.items():
                if value is None:
                    plain = False
                else:
                    named.append((name, value))
                    by_name.setdefault(name, []).append(value)
        self.named, self.names, self._by_name = named, [name for name, _ in named], by_name
        self.has_errors, self.plain = has_errors, plain and not has_errors
        self.last = self._lines[-1] if self._lines else None
        self.info = first_object(by_name.get("commitInfo", ()))

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines)

    def actions(self, name: str) -> Collection[Any]:
        """The JSON values of all actions *name*."""
        return self._by_name.get(name, ())


@dataclass(frozen=True, slots=True)
class CommitTimes:
    """When a commit says it was made, and when its file was written."""

    version: int
    in_commit: int | None
    timestamp: int | None
    modified: int

    @classmethod
    def of(cls, file: LogFile, lines: Lines) -> CommitTimes:
        """The times of the commit in *file* with such *lines*."""
        info = lines.info
        return cls(
            file.number,
            integer(info.get("inCommitTimestamp")),
            integer(info.get("timestamp")),
            file.info.modified,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFacts:
    """
    One commit with the states before and after it.

    `times` are its own, and `previous` those of the commit before it, if that was read as well.
    `columns` maps every column id seen in an earlier state to the physical name it had then, as far
    back as the table has been mapped without being made anew. `newest` marks the last commit of the
    log, and
    `in_effect` is the state of the newest version, as far as it is known.
    """

    file: LogFile
    version: int
    lines: Lines
    before: State
    after: State
    times: CommitTimes
    previous: CommitTimes | None = None
    columns: Mapping[int, str] = field(default_factory=dict)
    newest: bool = False
    in_effect: State | None = None

    def actions(self, name: str) -> Collection[Any]:
        """The JSON values of all actions *name*, in the order of the commit."""
        return self.lines.actions(name)

    def objects(self, name: str) -> Iterator[dict[str, Any]]:
        """Those of them that are JSON objects, as all must be."""
        return (action for action in self.actions(name) if isinstance(action, dict))

    @property
    def info(self) -> Document:
        """The first commitInfo; empty if there is none."""
        return self.lines.info

    @property
    def operation(self) -> str:
        """The operation that the commit names; empty if it names none."""
        value = self.info.get("operation")
        return value if isinstance(value, str) else ""

    @property
    def replaces_table(self) -> bool:
        """Whether the commit replaces the table as a whole, so that nothing old need remain."""
        # Parts of names: there is "CREATE OR REPLACE TABLE AS SELECT" as well.
        operation = self.operation
        return "REPLACE TABLE" in operation or "CLONE" in operation or "RESTORE" in operation


def first_object(values: Iterable[Any]) -> Document:
    """The first JSON object among *values*; empty if there is none."""
    # Not by a generator, which takes ten times as long where the first value is one.
    for value in values:
        if isinstance(value, dict):
            return value
    return {}


@dataclass(frozen=True, slots=True)
class LiveFile:
    """One file of the snapshot, with the state that it belongs to."""

    add: AddFile
    state: State
    now: int = 0


@dataclass(frozen=True, slots=True)
class LiveFiles:
    """Many live files at once; `columns` are an `ArrowFiles`, which replay makes."""

    columns: Any


@dataclass(frozen=True, slots=True)
class SpreadFiles:
    """
    Many live files that other processes read, each of them a part.

    `answers` takes a function of the files of a part, and returns its answers in their order.
    """

    answers: Callable[[Callable[[Iterable[LiveFiles]], Any]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The facts so far do not count: what they are about cannot be read to its end."""


@dataclass(frozen=True, slots=True)
class Some:
    """The number of files that share something, and the paths of the first few."""

    count: int = 0
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTotals:
    """
    Facts about all live files that no single one shows.

    `facts` are the usual aggregates. `highest_row_id` is the largest `baseRowId + numRecords
    - 1`; `overlapping_row_ids` are pairs of paths whose row ids overlap, `with_two_vectors`
    paths that are alive with several deletion vectors: the first few of each. `absolute` are
    the files whose path is not relative to the table, `without_row_tracking` those that lack a
    base row id or a default row commit version, `inline_vectors` those whose deletion vector
    stands in the log itself. `deletion_vectors` counts the files that have
    one and `deleted_records` the rows in them; `deleted_record_counts` counts all files by how
    many rows each has deleted, in the bins of version checksums. `adds` are the actions
    themselves, without statistics, tags and partition values, where there are few enough to hold.
    """

    facts: FileFacts
    highest_row_id: int | None = None
    overlapping_row_ids: tuple[tuple[str, str], ...] = ()
    with_two_vectors: tuple[str, ...] = ()
    absolute: Some = field(default_factory=Some)
    without_row_tracking: Some = field(default_factory=Some)
    inline_vectors: Some = field(default_factory=Some)
    deletion_vectors: int = 0
    deleted_records: int = 0
    deleted_record_counts: tuple[int, ...] = (0,) * 10
    adds: tuple[AddFile, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFacts:
    """
    The newest version.

    `totals` is None where the files were not looked at. `enablement_timestamp` is the in-commit
    timestamp of the commit that the table's properties name as the one that enabled them, if
    that commit is still there. `earlier_names` says what columns were called, by physical paths
    that clustering names and no column has any more.
    """

    snapshot: Snapshot
    totals: FileTotals | None = None
    listing: LogListing
    enablement_timestamp: int | None = None
    earlier_names: Mapping[Path, Path] = field(default_factory=dict)
    now: int = 0

    @property
    def protocol(self) -> Protocol:
        """The protocol of the snapshot."""
        return self.snapshot.protocol

    @property
    def metadata(self) -> Metadata:
        """The metadata of the snapshot."""
        return self.snapshot.metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksumFacts:
    """
    A version checksum beside the state that it describes.

    `document` is None if the file is not one JSON object, and `error` then says why. What of
    the state is not known is None. `commit` is the commit of the same version, if it was read.
    """

    file: LogFile
    document: Document | None
    error: str
    state: State
    snapshot: Snapshot | None = None
    totals: FileTotals | None = None
    commit: CommitTimes | None = None


@dataclass(frozen=True, slots=True)
class SidecarFacts:
    """A sidecar as its checkpoint names it; `size` is that of the file, None if it is missing."""

    path: str
    size_in_bytes: int | None
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Differences between a checkpoint and the commits, in these kinds of actions; a few paths."""

    parts: tuple[str, ...] = ()
    only_in_checkpoint: int = 0
    only_in_commits: int = 0
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFacts:
    """
    One checkpoint, complete or not.

    `files` are those that are there; `checkpoint` is None for an incomplete or empty one.
    `opened` tells whether it was read at all; if so, `small` are its actions that are not about
    files, by name, in order, and `columns` the names of its Parquet columns and of its first
    sidecar's, nested ones with dots. `counts` are the numbers of its actions by name, sidecars'
    contents included under `sidecar.add` and so on; it is None, and so is `difference`, where
    the checkpoint was not read completely or no replay reaches its version without it. `error`
    says why it cannot be read. `chosen` marks the one that the newest version is built on.
    `state` is what the checkpoint itself says.
    """

    version: int
    files: tuple[LogFile, ...]
    checkpoint: Checkpoint | None
    opened: bool = False
    small: tuple[tuple[str, Document], ...] = ()
    columns: frozenset[str] = frozenset()
    counts: Mapping[str, int] | None = None
    sidecars: tuple[SidecarFacts, ...] = ()
    difference: Difference | None = None
    error: str = ""
    chosen: bool = False
    pointer: Pointer | None = None
    listing: LogListing
    state: State

    def actions(self, name: str) -> tuple[Document, ...]:
        """The actions *name* that are not about files."""
        return tuple(value for key, value in self.small if key == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFileFacts:
    """
    What the storage reports about a live file.

    `size` is None if there is no such file; `out_of_reach` says why the storage did not answer,
    so that nothing else is known, and `unreadable` why the file's footer cannot be read.
    `without_field_id` are the columns of the footer that lack one, parts joined by dots.
    `vector_problem` says what is wrong with its deletion vector, empty if nothing is. Of so many
    other files, as `alike` says, all is the same but their paths.
    """

    add: AddFile
    state: State
    size: int | None
    out_of_reach: str = ""
    unreadable: str = ""
    without_field_id: tuple[str, ...] = ()
    vector_problem: str = ""
    alike: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionFacts:
    """
    A file of compacted commits.

    `difference` says how it differs from them, if it does, and `error` why it cannot be read.
    Both are looked for in a deep examination, where the table cannot be loaded, and in the files
    that the newest version was built from.
    """

    file: LogFile
    listing: LogListing
    difference: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheck:
    """
    The state that another implementation reads from the same table.

    `differences` maps what differs to our value and theirs, as texts; `refusal` is why it did
    not open the table, empty if it did.
    """

    program: str
    refusal: str = ""
    differences: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFacts:
    """
    A table as its catalog describes it (`state`) and as its log does (`snapshot`).

    `unpublished` are the versions whose commits are in the catalog's hands alone, `differing` those
    whose published commits are not what the catalog has ratified.
    """

    state: CatalogState
    snapshot: Snapshot
    unpublished: tuple[int, ...] = ()
    differing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFacts:
    """
    The requirements for the newest version, and which clients can use it.

    `verdicts` are on the clients that must be able to use the table, for what they must be able
    to do; `others` on the clients that may use it, for reading and for writing, and `used` are
    those of them that are known to. `expired` are ignores of the settings that no longer count.
    """

    snapshot: Snapshot
    policy: Policy
    verdicts: tuple[Verdict, ...] = ()
    others: tuple[Verdict, ...] = ()
    used: frozenset[ClientRelease] = frozenset()
    expired: tuple[Ignore, ...] = ()


Facts = (
    LogFacts | CommitFacts | CheckpointFacts | CompactionFacts | LiveFile | LiveFiles | SpreadFiles
    | Withdrawn | SnapshotFacts | ChecksumFacts | DataFileFacts | CrossCheck | CatalogFacts
    | PolicyFacts
)  # fmt: skip
