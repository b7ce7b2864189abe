"""Renaming a column, which needs column mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.json_values import STRING, STRINGS, record
from deltaadm.domain.model.schema import path_text
from deltaadm.domain.sql.sql_text import column_sql, identifier
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.columns import (
    attribute_name,
    existing,
    find_column,
    is_slot,
    refuse_dependents,
    renamed,
    require_mapping,
)
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.transaction import prepare_commit, update_metadata
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import Path, StructType
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class RenameColumn(Step):
    """`ALTER TABLE … RENAME COLUMN`; *column* is a path of names, *name* replaces its last part."""

    column: Path
    name: str

    kind = "rename_column"
    json = record(column=STRINGS, name=STRING)
    operations = frozenset({"RENAME COLUMN"})

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state in which the column keeps its id and its name in the files."""
        metadata = snapshot.metadata
        old = existing(metadata.schema, self.column)
        if is_slot(metadata.schema, old):
            raise Refused(
                f"{path_text(old)} is part of an array or a map and has no name of its own.",
                remedy="Rename the column that contains it.",
                delta_error_class="INVALID_FIELD_NAME",
            )
        _refuse_taken(metadata.schema, (*old[:-1], self.name))
        require_writable(snapshot)
        refuse_dependents(metadata, old)
        require_mapping(metadata, "renamed", "DELTA_UNSUPPORTED_RENAME_COLUMN")
        proposed = renamed(metadata, old, self.name)
        return prepare_commit(snapshot, update_metadata(snapshot, proposed, session))

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        """The path before and after, as the schema spells it."""
        old = existing(before.metadata.schema, self.column)
        paths = {
            "oldColumnPath": attribute_name(old),
            "newColumnPath": attribute_name((*old[:-1], self.name)),
        }
        return Operation("RENAME COLUMN", paths)

    @property
    def renames(self) -> tuple[tuple[Path, Path], ...]:
        """The column, by both its names."""
        return ((self.column, (*self.column[:-1], self.name)),)

    def _clause(self) -> str:
        return f"RENAME COLUMN {column_sql(self.column)} TO {identifier(self.name)}"

    def options(self) -> Iterator[str]:
        """`--rename-column`."""
        yield from ("--rename-column", f"{path_text(self.column)}={self.name}")


def _refuse_taken(schema: StructType, new: Path) -> None:
    taken = find_column(schema, new)
    if taken is not None:
        raise Refused(
            f"The table already has a column {path_text(taken)}.",
            remedy="Choose a name that differs in more than case.",
            delta_error_class="FIELD_ALREADY_EXISTS",
        )
