"""The Spark SQL statement that carries out a step, quoted so that nothing can break out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.constraints import stored_expression
from deltaadm.domain.ddl import definition_sql, position_sql, type_sql
from deltaadm.domain.sql_text import identifier, is_hidden, literal
from deltaadm.domain.table_changes import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    DropColumns,
    DropConstraint,
    DropFeature,
    RenameColumn,
    SetProperties,
    UnsetProperties,
    WriteCheckpoint,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deltaadm.domain.table_changes import ColumnChange, Step


def statement(path: str, step: Step, name: str | None = None) -> str:
    r"""
    One `ALTER TABLE` for the table at *path* (absolute path or URL), or a comment for a step
    that SQL has no statement for. A table that has a *name* in a catalog is addressed by that.

    >>> statement("/data/it's", SetProperties({"owner": "O'Hara"}))
    "ALTER TABLE delta.`/data/it's` SET TBLPROPERTIES ('owner' = 'O\\\\'Hara')"
    """
    if isinstance(step, WriteCheckpoint):
        return "-- write a checkpoint; SQL has no statement for it"
    return f"ALTER TABLE {name or _table(path)} {_CLAUSES[type(step)](step)}"


def _set(step: SetProperties) -> str:
    pairs = ", ".join(f"{literal(k)} = {literal(v)}" for k, v in step.properties.items())
    return f"SET TBLPROPERTIES ({pairs})"


def _unset(step: UnsetProperties) -> str:
    return f"UNSET TBLPROPERTIES {_if_exists(step)}({', '.join(map(literal, step.keys))})"


def _drop_feature(step: DropFeature) -> str:
    truncation = " TRUNCATE HISTORY" if step.truncate_history else ""
    return f"DROP FEATURE {identifier(step.name)}{truncation}"


def _rename(step: RenameColumn) -> str:
    return f"RENAME COLUMN {_column(step.column)} TO {identifier(step.name)}"


def _drop(step: DropColumns) -> str:
    return f"DROP COLUMNS {_if_exists(step)}({', '.join(map(_column, step.columns))})"


def _add(step: AddColumns) -> str:
    return f"ADD COLUMNS ({', '.join(map(definition_sql, step.columns))})"


def _change(step: ChangeColumns) -> str:
    return "ALTER COLUMN " + ", ".join(
        f"{_column(one.column)} {_changed_to(one)}" for one in step.changes
    )


def _changed_to(change: ColumnChange) -> str:
    if change.type is not None:
        return f"TYPE {type_sql(change.type)}"
    if change.nullable is not None:
        return f"{'DROP' if change.nullable else 'SET'} NOT NULL"
    if change.comment is not None:
        return f"COMMENT {literal(change.comment)}"
    if change.position is not None:
        return position_sql(change.position)
    return f"SET DEFAULT {change.default}" if change.default else "DROP DEFAULT"


def _add_constraint(step: AddConstraint) -> str:
    return f"ADD CONSTRAINT {identifier(step.name)} CHECK ({stored_expression(step.expression)})"


def _drop_constraint(step: DropConstraint) -> str:
    return f"DROP CONSTRAINT {_if_exists(step)}{identifier(step.name)}"


def _cluster(step: ClusterBy) -> str:
    listed = ", ".join(map(_column, step.columns))
    return f"CLUSTER BY ({listed})" if step.columns else "CLUSTER BY NONE"


_CLAUSES: Final[Mapping[type, Callable[[Any], str]]] = {
    AddColumns: _add,
    AddConstraint: _add_constraint,
    ChangeColumns: _change,
    ClusterBy: _cluster,
    DropColumns: _drop,
    DropConstraint: _drop_constraint,
    DropFeature: _drop_feature,
    RenameColumn: _rename,
    SetProperties: _set,
    UnsetProperties: _unset,
}


def _if_exists(step: UnsetProperties | DropColumns | DropConstraint) -> str:
    return "IF EXISTS " if step.if_exists else ""


def _column(path: tuple[str, ...]) -> str:
    return ".".join(map(identifier, path))


def _table(path: str) -> str:
    """The table at *path*; in backticks nothing can be escaped, in a literal everything can."""
    name = f"delta.{identifier(path)}"
    return f"IDENTIFIER({literal(name)})" if any(map(is_hidden, name)) else name
