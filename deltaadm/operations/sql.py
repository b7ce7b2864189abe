"""The Spark SQL statement that carries out a step, quoted so that nothing can break out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.sql_text import identifier, is_hidden, literal
from deltaadm.domain.table_changes import (
    DropColumns,
    DropFeature,
    RenameColumn,
    SetProperties,
    WriteCheckpoint,
)

if TYPE_CHECKING:
    from deltaadm.domain.table_changes import Step


def statement(path: str, step: Step, name: str | None = None) -> str:
    r"""
    One `ALTER TABLE` for the table at *path* (absolute path or URL), or a comment for a step
    that SQL has no statement for. A table that has a *name* in a catalog is addressed by that.

    >>> statement("/data/it's", SetProperties({"owner": "O'Hara"}))
    "ALTER TABLE delta.`/data/it's` SET TBLPROPERTIES ('owner' = 'O\\\\'Hara')"
    """
    if isinstance(step, WriteCheckpoint):
        return "-- write a checkpoint; SQL has no statement for it"
    table = name or _table(path)
    if isinstance(step, SetProperties):
        pairs = ", ".join(f"{literal(k)} = {literal(v)}" for k, v in step.properties.items())
        return f"ALTER TABLE {table} SET TBLPROPERTIES ({pairs})"
    if isinstance(step, DropFeature):
        truncation = " TRUNCATE HISTORY" if step.truncate_history else ""
        return f"ALTER TABLE {table} DROP FEATURE {identifier(step.name)}{truncation}"
    if isinstance(step, (RenameColumn, DropColumns)):
        return f"ALTER TABLE {table} {_column_clause(step)}"
    condition = "IF EXISTS " if step.if_exists else ""
    return (
        f"ALTER TABLE {table} UNSET TBLPROPERTIES {condition}({', '.join(map(literal, step.keys))})"
    )


def _column_clause(step: RenameColumn | DropColumns) -> str:
    if isinstance(step, RenameColumn):
        return f"RENAME COLUMN {_column(step.column)} TO {identifier(step.name)}"
    condition = "IF EXISTS " if step.if_exists else ""
    return f"DROP COLUMNS {condition}({', '.join(map(_column, step.columns))})"


def _column(path: tuple[str, ...]) -> str:
    return ".".join(map(identifier, path))


def _table(path: str) -> str:
    """The table at *path*; in backticks nothing can be escaped, in a literal everything can."""
    name = f"delta.{identifier(path)}"
    return f"IDENTIFIER({literal(name)})" if any(map(is_hidden, name)) else name
