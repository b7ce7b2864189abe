"""`diff`: in what two versions, two tables, or a table and its record differ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.properties import (
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    PROTECTED_BEFORE,
)
from deltaadm.operations.diff import Change, ChangeKind, diff
from deltaadm.operations.history import Section, section_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True)
class ComparedState:
    """
    One of two states that are compared: a version of the table that the user calls `table`.

    In a reference `file` there are no versions.
    """

    table: str
    version: int | None = None
    file: str | None = None

    @property
    def label(self) -> str:
        """The state of the table, in words."""
        return f"version {self.version}" if self.file is None else self.file


@dataclass(frozen=True, kw_only=True)
class DiffReport:
    """In which of `sections` the state `after` differs from the one `before`."""

    before: ComparedState
    after: ComparedState
    sections: tuple[Section, ...]
    changes: tuple[Change, ...]

    document = "diff"
    blocks = "differences.show_differences"

    @property
    def table(self) -> str:
        """The table that is judged: the one that is no record, or the second of two."""
        return self.before.table if self.after.file is not None else self.after.table

    @property
    def title(self) -> str:
        """The two states that are compared."""
        old, new = self.before, self.after
        if old.table == new.table:
            return f"{old.table} ({old.label} -> {new.label})"
        return f"{old.table} ({old.label}) -> {new.table} ({new.label})"

    @property
    def equal(self) -> bool:
        """Whether there are no differences."""
        return not self.changes


def compare(
    before: Snapshot,
    after: Snapshot,
    sections: Collection[Section],
    ignored: Callable[[str], bool] = lambda _: False,
    *,
    same_table: bool,
) -> tuple[Change, ...]:
    """
    In what of *sections* the states differ, without the places that are *ignored*.

    Of states that are not of the *same table*, nothing is compared that Delta chooses at random or
    that depends on a table's history: its id, physical names and ids of columns, and the like.
    """
    changes = [*_implied_changes(before, after), *diff(before, after)]
    if not same_table:
        changes = [shared for change in changes for shared in _shared(change)]
    return tuple(
        change
        for section in Section
        if section in sections
        for change in changes
        if section_of(change) is section and not ignored(change.subject)
    )


def _implied_changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """The features that come or go with the versions, of which no list says so."""
    old, new = before.protocol, after.protocol
    had = old.implicit_features | old.explicit_names
    has = new.implicit_features | new.explicit_names
    for name in sorted(new.implicit_features - had):
        yield Change(ChangeKind.ADD, f"features[{name}]", None, "implied")
    for name in sorted(old.implicit_features - has):
        yield Change(ChangeKind.REMOVE, f"features[{name}]", "implied", None)


_OF_ONE_TABLE: Final = frozenset(
    {
        "id",
        "configuration[delta.columnMapping.maxColumnId]",
        "configuration[delta.rowTracking.materializedRowIdColumnName]",
        "configuration[delta.rowTracking.materializedRowCommitVersionColumnName]",
        f"configuration[{ICT_ENABLEMENT_TIMESTAMP}]",
        f"configuration[{ICT_ENABLEMENT_VERSION}]",
        f"configuration[{PROTECTED_BEFORE}]",
    }
)
_OF_ONE_COLUMN: Final = "delta.columnMapping."
"""Properties and field metadata that Delta generates for each table."""


def _shared(change: Change) -> Iterator[Change]:
    """*change* without what two tables never share; nothing where that is all."""
    if change.subject in _OF_ONE_TABLE:
        return
    if not change.subject.startswith("schema["):
        yield change
        return
    before, after = (
        _without_mapping_metadata(change.before),
        _without_mapping_metadata(change.after),
    )
    if before or after:
        yield replace(change, before=before, after=after)


def _without_mapping_metadata(column: Any) -> Any:
    if not isinstance(column, dict):
        return column
    return {key: value for key, value in column.items() if not key.startswith(_OF_ONE_COLUMN)}


def ignoring(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a place is one of *patterns*, in which `*` stands for anything."""
    parts = (".*".join(map(re.escape, pattern.split("*"))) for pattern in patterns)
    matches = re.compile("|".join(f"(?:{part})" for part in parts) or r"(?!)", re.DOTALL).fullmatch
    return lambda place: matches(place) is not None
