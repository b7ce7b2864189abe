"""A table at one version: what replay produces and everything else consumes."""

from __future__ import annotations

from deltaadm.dataclass import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deltaadm.domain.model.actions import CommitInfo, DomainMetadata, SetTransaction
    from deltaadm.domain.model.log_segment import LogSegment
    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.protocol import Protocol
    from deltaadm.domain.model.schema import Path


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

    def some(self, files: int, size: int | None = None) -> str:
        """*files* of them, with *size* bytes together, in words."""
        every = f"{self.files} file{'' if self.files == 1 else 's'}"
        number = every if files == self.files else f"{files} of {every}"
        return number if size is None else f"{number}, {size} bytes"


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """
    The state of a table at `version`.

    `root` is the location as the user gave it, and `name` the table's name in the catalog, as SQL
    spells it, where it was found by that; `timestamp` is in milliseconds since the epoch
    (the in-commit timestamp where the table has them, else the commit file's modification
    time) and None where it is not known. `domains`, `transactions` and `files` are None where
    they were not asked for. `commit_info` is that of the newest commit, when it was read.
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
