"""`history`: what has changed in a table, from commit to commit."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.properties import CONSTRAINT_PREFIX
from deltaadm.operations.diff import ChangeKind, diff

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from deltaadm.domain.model.commit_info import CommitInfo
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.operations.diff import Change


class Section(Enum):
    """A section of a table's definition; each change belongs to exactly one."""

    PROTOCOL = "protocol"
    FEATURES = "features"
    SCHEMA = "schema"
    MAPPING = "mapping"
    CONSTRAINTS = "constraints"
    CLUSTERING = "clustering"
    PROPERTIES = "properties"
    TABLE = "table"


_SECTIONS: Final = (
    ("protocol.min", Section.PROTOCOL),
    ("protocol.", Section.FEATURES),
    ("features[", Section.FEATURES),
    ("schema", Section.SCHEMA),
    ("partitionColumns", Section.SCHEMA),
    ("clusteringColumns", Section.CLUSTERING),
    ("configuration[delta.columnMapping.", Section.MAPPING),
    (f"configuration[{CONSTRAINT_PREFIX}", Section.CONSTRAINTS),
    ("configuration[", Section.PROPERTIES),
)
"""The prefixes of subjects, with their sections; the first match counts."""


def section_of(change: Change) -> Section:
    """Return the section of *change*: by its subject, else the table itself."""
    place = change.subject
    if place.startswith("schema[") and change.kind is ChangeKind.SET and _is_mapping(change):
        return Section.MAPPING
    return next((section for start, section in _SECTIONS if place.startswith(start)), Section.TABLE)


def _is_mapping(change: Change) -> bool:
    """Whether only ids and physical names of a column change."""
    return all(key.startswith("delta.columnMapping.") for key in {**change.before, **change.after})


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """
    The commit of a change: its version, its time, and what its commitInfo says of it.

    Where the log does not reach back to it, `at_or_before` is true, and the version is the oldest
    one that shows what it has led to. `timestamp` is in milliseconds since the epoch.
    """

    version: int
    timestamp: int | None
    at_or_before: bool = False
    operation: str | None = None
    engine: str | None = None
    user: str | None = None


def origin(snapshot: Snapshot) -> Origin:
    """The origin of *snapshot*, the state after a commit."""
    info = snapshot.commit_info
    return Origin(
        version=snapshot.version,
        timestamp=snapshot.timestamp,
        operation=None if info is None else info.operation,
        engine=None if info is None else _engine(info),
        user=None if info is None else info.user_name or info.user_id,
    )


def beginning(snapshot: Snapshot) -> Origin:
    """The origin of *snapshot*, the oldest state that the log has."""
    return Origin(version=snapshot.version, timestamp=snapshot.timestamp, at_or_before=True)


def _engine(info: CommitInfo) -> str | None:
    other = info.extra.get("clientVersion")  # of delta-rs
    return info.engine_info or (other if isinstance(other, str) else None)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """The changes that one commit made to the table that the user calls `table`."""

    table: str
    origin: Origin
    changes: tuple[Change, ...]

    document = "history_entry"
    blocks = "history.show_entry"


@dataclass(frozen=True, kw_only=True)
class HistoryReport:
    """
    The changes of a table, the oldest first, up to the version `last`.

    `sections` are what was asked for. `stopped` says why it does not go on, where a commit cannot
    be read.
    """

    table: str
    location: str
    last: int
    sections: tuple[Section, ...]
    entries: tuple[HistoryEntry, ...]
    stopped: str | None = None

    document = "history"
    blocks = "history.show_history"


def entries(
    table: str,
    base: Snapshot,
    changes: Iterable[tuple[Snapshot, Snapshot]],
    sections: Collection[Section],
    *,
    with_base: bool,
) -> Iterator[HistoryEntry]:
    """
    An entry for each commit that has changed something of *sections*.

    *changes* are the states before and after each, the first of them being *base*; with
    *with_base* what that has comes first, as what was there at the beginning.
    """
    if with_base and base.exists:
        from deltaadm.domain.steps.create_table import no_table

        first = _changes(no_table(base.root), base, sections)
        if first:
            yield HistoryEntry(table, beginning(base), first)
    for before, after in changes:
        first = _changes(before, after, sections)
        if first:
            yield HistoryEntry(table, origin(after), first)


_OF_PROTOCOL: Final = frozenset({Section.PROTOCOL, Section.FEATURES})


def _changes(
    before: Snapshot, after: Snapshot, sections: Collection[Section]
) -> tuple[Change, ...]:
    if _OF_PROTOCOL.issuperset(sections) and before.protocol == after.protocol:
        return ()  # which spares comparing schemas
    return tuple(change for change in diff(before, after) if section_of(change) in sections)
