"""
The files of `_delta_log`, known by their names, the choice of those that make a version, and the
state of the table at it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import compress

from deltaadm.dataclass import dataclass, field
from deltaadm.domain.schema import Path
from deltaadm.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, overload

    from deltaadm.domain.actions import DomainMetadata, SetTransaction
    from deltaadm.domain.protocol import Protocol
    from deltaadm.domain.wire import CommitInfo, Metadata, Writer


LOG_DIRECTORY: Final = "_delta_log"


class Kind(Enum):
    """The kind of a log file, determined by its name alone."""

    COMMIT = "commit"
    CHECKPOINT = "checkpoint"
    MULTIPART = "multi-part checkpoint"
    V2_CHECKPOINT = "V2 checkpoint"
    SIDECAR = "sidecar"
    COMPACTED = "compacted commits"
    CRC = "version checksum"
    LAST_CHECKPOINT = "checkpoint pointer"
    STAGED = "staged commit"
    UNKNOWN = "unknown"

    @classmethod
    def of(cls, name: str) -> Kind:
        """The kind of the file called *name*; `UNKNOWN` if the protocol does not define it."""
        return LogFile.of(FileInfo(name)).kind


@dataclass(frozen=True, slots=True)
class FileInfo:
    """
    A listed file: `path` is relative to `_delta_log`, `size` in bytes, `modified` in ms.

    `regular` is false for what has the name of a file and is none, such as a directory or FIFO.
    """

    path: str
    size: int = 0
    modified: int = 0
    regular: bool = True


@dataclass(frozen=True, slots=True)
class LogFile:
    """
    A file and what its name says.

    A file of kind UNKNOWN, SIDECAR or LAST_CHECKPOINT has no version. `end` is the last version
    that a compacted file holds; `part`, from 1, and `parts` are those of a multi-part checkpoint.
    """

    info: FileInfo
    kind: Kind
    version: int | None = None
    end: int | None = None
    part: int | None = None
    parts: int | None = None

    @classmethod
    def of(cls, info: FileInfo) -> LogFile:
        """Tell what *info* is from its path alone."""
        name = info.path
        if name[_DIGITS:] in _USUAL and _are_digits(name[:_DIGITS]):
            return LogFile(info, _USUAL[name[_DIGITS:]], int(name[:_DIGITS]))
        for kind, pattern in _NAMES.items() if "." in name else ():
            if match := re.fullmatch(pattern, name, re.ASCII):
                numbers = {key: int(digits) for key, digits in match.groupdict().items()}
                return LogFile(info, kind, **numbers)
        return LogFile(info, Kind.LAST_CHECKPOINT if name == "_last_checkpoint" else Kind.UNKNOWN)

    @property
    def path(self) -> str:
        """The file's path relative to `_delta_log`."""
        return self.info.path

    @property
    def number(self) -> int:
        """Its version; -1 where it has none."""
        return -1 if self.version is None else self.version


_NAMES: Final[Mapping[Kind, str]] = {
    Kind.COMMIT: r"(?P<version>\d+)\.json",
    Kind.CRC: r"(?P<version>\d+)\.crc",
    Kind.CHECKPOINT: r"(?P<version>\d+)\.checkpoint\.parquet",
    # As many digits as there are, like Spark; delta-kernel-rs wants twenty, see DL105.
    Kind.MULTIPART: r"(?P<version>\d+)\.checkpoint\.(?P<part>\d+)\.(?P<parts>\d+)\.parquet",
    Kind.V2_CHECKPOINT: r"(?P<version>\d+)\.checkpoint\.[^./]+\.(?:json|parquet)",
    Kind.COMPACTED: r"(?P<version>\d+)\.(?P<end>\d+)\.compacted\.json",
    Kind.SIDECAR: r"_sidecars/[^/]+\.parquet",
    Kind.STAGED: r"_staged_commits/(?P<version>\d+)\.[^./]+\.json",
}
"""One line a kind; named groups are the numbers that a name says, as `LogFile` calls them."""


_DIGITS: Final = 20
_USUAL: Final = {".json": Kind.COMMIT, ".crc": Kind.CRC, ".checkpoint.parquet": Kind.CHECKPOINT}
"""The kinds of nearly all files of a log, recognized without compiling a pattern, which is slow."""


def _are_digits(text: str) -> bool:
    return text.isdecimal() and text.isascii()


def _leading_number(name: str) -> int:
    return int(name.partition(".")[0])


def listing_prefix(version: int) -> str:
    """The smallest name a file of *version* can have; listings start here."""
    return f"{version:020d}."


def commit_name(version: int) -> str:
    """The name of the commit that makes *version*."""
    return f"{version:020d}.json"


_ASKED: Final = 100


class LogFiles(Sequence[LogFile]):
    """The files called *names*, that *infos* knows; a name is parsed when its file is looked at."""

    __slots__ = ("_infos", "names")

    def __init__(self, names: Sequence[str], infos: Mapping[str, FileInfo]) -> None:
        self.names = names
        self._infos = infos

    def __len__(self) -> int:
        return len(self.names)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> LogFile: ...
        @overload
        def __getitem__(self, index: slice) -> LogFiles: ...

    def __getitem__(self, index: int | slice) -> LogFile | LogFiles:
        if isinstance(index, slice):
            return LogFiles(self.names[index], self._infos)
        return LogFile.of(self._infos[self.names[index]])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogFiles) and [*self] == [*other]

    def __hash__(self) -> int:
        return hash((*self.names,))

    def __reduce__(self) -> tuple[type[LogFiles], tuple[Sequence[str], Mapping[str, FileInfo]]]:
        return LogFiles, (self.names, {name: self._infos[name] for name in self.names})

    @property
    def versions(self) -> Sequence[int]:
        """
        The versions with which the names of these files, of one kind and in order, begin.

        Between names of one length whose versions are as far apart as there are names, none is
        missing.
        """
        if len({*map(len, self.names)}) == 1:
            first, last = map(_leading_number, (self.names[0], self.names[-1]))
            if last - first + 1 == len(self.names):
                return range(first, last + 1)
        return [*map(_leading_number, self.names)]

    @property
    def estimated_size(self) -> int:
        """About how many bytes all have, by some of them: to ask for a size takes time."""
        some = self.names[:: len(self.names) // _ASKED + 1]
        known = sum(self._infos[name].size for name in some)
        return known * len(self.names) // max(1, len(some))

    @property
    def unbroken(self) -> LogFiles:
        """The last of them, as far back as no version is missing."""
        versions = self.versions
        later = range(len(versions) - 1, 0, -1)
        return self[next((at for at in later if versions[at - 1] != versions[at] - 1), 0) :]

    def after(self, version: int) -> LogFiles:
        """Return the files of later versions."""
        return self._chosen(map(version.__lt__, self.versions))

    def until(self, version: int) -> LogFiles:
        """Return the files of *version* and earlier versions."""
        return self._chosen(map(version.__ge__, self.versions))

    def _chosen(self, flags: Iterable[bool]) -> LogFiles:
        return LogFiles([*compress(self.names, flags)], self._infos)


@dataclass(frozen=True)
class LogListing:
    """
    Everything that was seen in the log of the table at `root`, oddities included.

    `infos` are all files by their names, `by_kind` these names in order.
    """

    root: str
    infos: Mapping[str, FileInfo]
    by_kind: Mapping[Kind, Sequence[str]]

    @classmethod
    def of(cls, root: str, infos: Mapping[str, FileInfo]) -> LogListing:
        """Tell apart and sort what a store listed."""
        by_end: dict[str, list[str]] = defaultdict(list)
        for name in infos:
            by_end[name[_DIGITS:]].append(name)
        by_kind: dict[Kind, list[str]] = defaultdict(list)
        for end, names in by_end.items():
            digits = "".join(names).replace(end, "") if end in _USUAL else ""
            # Joined, thousands of names are told to be digits by a single call.
            if len(digits) == _DIGITS * len(names) and _are_digits(digits):
                by_kind[_USUAL[end]] += names
            else:
                for name in names:
                    by_kind[Kind.of(name)].append(name)
        return cls(root, infos, {kind: sorted(names) for kind, names in by_kind.items()})

    def named(self, names: Iterable[str]) -> LogFiles:
        """Return the files called *names*, sorted by name."""
        return LogFiles(sorted(names), self.infos)

    def of_kind(self, kind: Kind) -> LogFiles:
        """The files of one kind, by name."""
        return LogFiles(self.by_kind.get(kind, ()), self.infos)

    @property
    def commits(self) -> LogFiles:
        """
        The commits that readers see, by name.

        They list names from the padded version 0 on, which a name like `0.json` precedes.
        """
        first = listing_prefix(0)
        names = [name for name in self.by_kind.get(Kind.COMMIT, ()) if name >= first]
        return LogFiles(names, self.infos)

    @property
    def checkpoint_files(self) -> LogFiles:
        """Whatever is named like a checkpoint or a part of one, by name."""
        return self.named(name for kind in CHECKPOINTS for name in self.by_kind.get(kind, ()))

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The complete checkpoints, the most preferable last; empty files count as absent."""
        complete = [checkpoint for checkpoint, _ in self._checkpoint_sets() if checkpoint]
        return tuple(sorted(complete, key=lambda checkpoint: checkpoint.rank))

    @property
    def incomplete_checkpoints(self) -> tuple[tuple[LogFile, ...], ...]:
        """The files that look like checkpoints and are none, by what would be one of them."""
        return tuple(rest for _, rest in self._checkpoint_sets() if rest)

    def _checkpoint_sets(self) -> Iterator[tuple[Checkpoint | None, tuple[LogFile, ...]]]:
        """What could be a checkpoint each: the checkpoint, if it is one, and what is left over."""
        sets: dict[tuple[int, int, str], list[LogFile]] = defaultdict(list)
        for file in self.checkpoint_files:
            # Parts count by their total too: two attempts with other numbers of parts do not mix.
            name = "" if file.kind is Kind.MULTIPART else file.path
            sets[file.number, file.parts or 0, name].append(file)
        for (version, parts, name), files in sets.items():
            # Spark would read an empty file as one without actions, so Delta passes it over.
            present = {file.part: file for file in files if file.info.size}
            needed: Sequence[int | None] = [None] if name else range(1, parts + 1)
            used = {}
            if all(part in present for part in needed):  # of which a name may claim any number
                used = {present[part].path: present[part] for part in needed}
            checkpoint = Checkpoint(version, files[0].kind, (*used.values(),)) if used else None
            yield checkpoint, tuple(file for file in files if file.path not in used)

    def segment(self, version: int | None = None, *, before: int | None = None) -> LogSegment:
        """
        The files that make *version*, or the newest version there is.

        *before* leaves out checkpoints from that version on, for a caller that found them
        unreadable. Raises `TableError` where the listing does not hold what is needed.
        """
        commits = self.commits if version is None else self.commits.until(version)
        fitting = [
            checkpoint
            for checkpoint in self.checkpoints
            if (version is None or checkpoint.version <= version)
            and (before is None or checkpoint.version < before)
        ]
        checkpoint = fitting[-1] if fitting else None
        base = -1 if checkpoint is None else checkpoint.version
        after = commits.after(base)
        versions = after.versions
        reached = versions[-1] if versions else base
        headless = bool(versions) and versions[0] != base + 1
        if version is not None and self.commits and (reached != version or headless):
            raise self.version_not_found(version)
        # A checkpoint alone will not do: Delta wants the commit of its version or a later one.
        if not commits or commits[-1].number < reached:
            if checkpoint is None:
                raise no_table(self.root)
            raise TableError(
                f"The table at {self.root} has a checkpoint of version {checkpoint.version}, but "
                "neither the commit of that version nor a later one.",
                remedy="Restore the missing files of _delta_log from a backup.",
                established={"version": checkpoint.version},
            )
        # Before compacted files take the place of commits: they repair no gap.
        _check_contiguous(self.root, versions, base)
        return LogSegment(
            version=reached,
            checkpoint=checkpoint,
            commits=after,
            deltas=_with_compactions(self, after, base, reached),
            last_commit=commits[-1],
            crc=next(iter(self.of_kind(Kind.CRC).until(reached).after(reached - 1)), None),
        )

    @property
    def recreatable_versions(self) -> tuple[int, int] | None:
        """
        The first and last version that can be rebuilt from a full listing; None if there is none.

        As Delta's time travel sees it: all versions since commit 0, or else since the oldest
        checkpoint beside which its commit still stands.
        """
        versions = self.commits.unbroken.versions
        bases = {checkpoint.version for checkpoint in self.checkpoints} | {0}
        oldest = next((version for version in versions if version in bases), None)
        return None if oldest is None else (oldest, versions[-1])

    @property
    def checksums_ahead(self) -> Sequence[LogFile]:
        """The checksums of versions that have no commit, later than all that have one."""
        newest = self.commits.versions[-1:]
        ahead = self.of_kind(Kind.CRC).after(newest[0]) if newest else ()
        staged = {file.number for file in self.of_kind(Kind.STAGED)}
        return [file for file in ahead if file.number not in staged]

    def version_not_found(self, version: int) -> TableError:
        """The error for a version that cannot be loaded, in the words of Delta's time travel."""
        versions = self.recreatable_versions
        span = (
            f"{versions[0]} to {versions[1]} are available" if versions else "none can be rebuilt"
        )
        return TableError(
            f"The table at {self.root} has no version {version}: {span}.",
            remedy="Choose an available version; log cleanup removes older ones.",
            delta_error_class="DELTA_VERSION_NOT_FOUND",
        )


@dataclass(frozen=True)
class Checkpoint:
    """A complete checkpoint: one file, or all parts of one set in their order."""

    version: int
    kind: Kind
    files: tuple[LogFile, ...]

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """The higher, the more preferable."""
        kind = CHECKPOINTS.index(self.kind)
        return self.version, kind, len(self.files), self.files[0].path


@dataclass(frozen=True)
class LogSegment:
    """
    The files that make one version. Made by `LogListing.segment`, which guarantees:

    `checkpoint`, if any, is complete and not newer than `version`; `commits` are exactly those
    after the checkpoint (or from 0) up to `version`; `deltas` cover the same versions and are
    what a replay reads, with compacted files in the place of what they replace. `last_commit`
    and `crc` are the commit and, if there is one, the checksum of exactly `version`.
    """

    version: int
    checkpoint: Checkpoint | None
    commits: LogFiles
    deltas: LogFiles
    last_commit: LogFile
    crc: LogFile | None = None


CHECKPOINTS: Final = (Kind.CHECKPOINT, Kind.MULTIPART, Kind.V2_CHECKPOINT)
"""The kinds of checkpoint files, the most preferable last."""


def no_table(root: str, cause: str = "") -> TableError:
    """The error for a place without a Delta log, by its *cause*, or with an empty one."""
    remedy = (
        "Check the path; it should be the directory that contains _delta_log. For a directory of "
        "tables, there is `--discover DIRECTORY`."
    )
    if not cause:
        cause = "it has no commits in _delta_log"
        remedy = "Check the path, or restore the files of _delta_log from a backup."
    return TableError(
        f"There is no Delta table at {root}: {cause}.",
        remedy=remedy,
        delta_error_class="DELTA_MISSING_DELTA_TABLE",
    )


def _check_contiguous(root: str, versions: Sequence[int], base: int) -> None:
    first = base + 1
    if versions == range(first, first + len(versions)):  # as `LogFiles.versions` mostly are
        return
    for expected, version in enumerate(versions, first):
        if version != expected:
            name = "DELTA_VERSIONS_NOT_CONTIGUOUS"
            message = (
                f"The log at {root} has a gap: commit {version} follows commit {expected - 1}."
            )
            if expected == first:
                name = "DELTA_TRUNCATED_TRANSACTION_LOG"
                since = f"the checkpoint ends at {base}" if first else "no checkpoint replaces it"
                message = (
                    f"Version {versions[-1]} of the table at {root} cannot be rebuilt: "
                    f"commit {expected} is missing and {since}."
                )
            raise TableError(
                message,
                remedy="Restore it from a backup; `deltaadm repair TABLE` says what else can be "
                "done.",
                delta_error_class=name,
                established={"version": versions[-1]},
            )


def _with_compactions(listing: LogListing, after: LogFiles, base: int, reached: int) -> LogFiles:
    """Replace runs of commits by compacted files, greedily in the order of names as Delta does."""
    compacted = listing.of_kind(Kind.COMPACTED)
    if not compacted:
        return after
    chosen: list[str] = []
    versions: list[int] = []
    covered = base
    for file in sorted((*compacted, *after), key=lambda file: file.path):
        start = file.number
        end = start if file.end is None else file.end
        # Delta takes a file whose range ends before it starts too, and then goes on from its end.
        if covered < start and end <= reached:
            chosen.append(file.path)
            versions += range(start, end + 1)
            covered = end
    # Like Delta: a set that does not cover every version once is given up altogether.
    complete = versions == [*range(base + 1, reached + 1)]
    return LogFiles(chosen, listing.infos) if complete else after


# The state


@dataclass(frozen=True, kw_only=True)
class FileFacts:
    """
    Aggregates over the live files; every engine computes the same ones.

    Sizes are in bytes. `without_num_records` counts the files whose statistics lack
    `numRecords`, or that have none; `partition_keys` are the sets of keys found in
    `partitionValues`.
    """

    files: int = 0
    bytes: int = 0
    with_deletion_vector: int = 0
    bytes_with_deletion_vector: int = 0
    without_stats: int = 0
    without_num_records: int = 0
    without_base_row_id: int = 0
    partition_keys: frozenset[tuple[str, ...]] = frozenset()

    def __str__(self) -> str:
        """The amount of data, in words."""
        return self.some(self.files, self.bytes)

    def __add__(self, other: FileFacts) -> FileFacts:
        """Those of both."""
        names = (name for name in FileFacts.__annotations__ if name != "partition_keys")
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return FileFacts(**sums, partition_keys=self.partition_keys | other.partition_keys)

    def some(self, files: int, size: int | None = None) -> str:
        """*files* of them, with *size* bytes together, in words."""
        every = f"{self.files:,} file{'' if self.files == 1 else 's'}"
        number = every if files == self.files else f"{files:,} of {every}"
        told = size if size is None or size < 10**4 else f"{size:,}"  # four digits can be read
        return number if size is None else f"{number}, {told} bytes"


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """
    The state of a table at `version`.

    `root` is the location as the user gave it, and `name` the table's name in the catalog, as SQL
    spells it, where it was found by that; `timestamp` is in milliseconds since the epoch
    (the in-commit timestamp where the table has them, else the commit file's modification
    time) and None where it is not known. `domains`, `transactions` and `files` are None where
    they were not asked for. `commit_info` is that of the newest commit, and `checkpoint_writer` the
    program that wrote the checkpoint by its own account, when they were read; `in_checkpoint` names
    the actions among protocol and metaData that were taken from there. `writers` are those of the
    commits after the checkpoint that were read, of the newest commit first.
    `suspended_clustering` are the columns by which the table is to be clustered again once the run
    goes on that took its clustering away for some time; found where domains were asked for.
    """

    root: str
    version: int
    protocol: Protocol
    metadata: Metadata
    timestamp: int | None = None
    domains: Mapping[str, DomainMetadata] | None = None
    transactions: Mapping[str, SetTransaction] | None = None
    files: FileFacts | None = None
    commit_info: CommitInfo | None = None
    writers: tuple[Writer, ...] = field(default=(), compare=False)
    checkpoint_writer: str = ""
    in_checkpoint: frozenset[str] = field(default=frozenset(), compare=False)
    segment: LogSegment | None = None
    suspended_clustering: tuple[Path, ...] = ()
    name: str | None = None
    warnings: tuple[str, ...] = field(default=())

    @property
    def exists(self) -> bool:
        """Whether the table exists; if not, the version is -1, as in Delta."""
        return self.version >= 0


def every_file(snapshot: Snapshot) -> str:
    """All data files, in words."""
    return f"every data file{f' ({snapshot.files})' if snapshot.files else ''}"


def file_metadata(snapshot: Snapshot, number: Callable[[FileFacts], int]) -> str:
    """The metadata of some of the files, in words; *number* says of how many."""
    files = snapshot.files
    return f"file metadata in the log{f' ({files.some(number(files))})' if files else ''}"
