"""The Spark SQL statement that carries out a step, quoted so that nothing can break out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.constraints import stored_expression
from deltaadm.domain.ddl import columns_sql, definition_sql, position_sql, type_sql
from deltaadm.domain.sql_text import identifier, is_hidden, literal
from deltaadm.domain.table_changes import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    CreateTable,
    CreationMode,
    DropColumns,
    DropConstraint,
    DropFeature,
    RenameColumn,
    SetLocation,
    SetProperties,
    UnsetProperties,
    WriteCheckpoint,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from deltaadm.domain.schema import Path
    from deltaadm.domain.table_changes import ColumnChange, Step


def statement(path: str, step: Step, name: str | None = None) -> str:
    r"""
    One `ALTER TABLE` for the table at *path* (absolute path or URL), or a comment for a step
    that SQL has no statement for. A table that has a *name* in a catalog is addressed by that.

    >>> statement("/data/it's", SetProperties({"owner": "O'Hara"}))
    "ALTER TABLE delta.`/data/it's` SET TBLPROPERTIES ('owner' = 'O\\'Hara')"
    """
    if isinstance(step, WriteCheckpoint):
        return "-- write a checkpoint; SQL has no statement for it"
    table = name or _table(path)
    if isinstance(step, CreateTable):
        return creation(table, step)
    return f"ALTER TABLE {table} {_CLAUSES[type(step)](step)}"


def creation(table: str, step: CreateTable, provider: str = "delta") -> str:
    """The statement that makes *table*, as SQL spells its name, a table of *provider*."""
    return " ".join(_creation(table, step, provider))


_VERBS: Final = {
    CreationMode.CREATE: "CREATE TABLE",
    CreationMode.CREATE_OR_REPLACE: "CREATE OR REPLACE TABLE",
    CreationMode.REPLACE: "REPLACE TABLE",
}


def _creation(table: str, step: CreateTable, provider: str) -> Iterator[str]:
    columns = "" if step.query is not None else f" ({columns_sql(step.schema)})"
    yield f"{_VERBS[step.mode]} {table}{columns} USING {_provider(provider)}"
    if step.write_options:
        yield f"OPTIONS ({_pairs(step.write_options)})"
    if step.partition_by:
        yield f"PARTITIONED BY ({', '.join(map(identifier, step.partition_by))})"
    if step.cluster_by:
        yield _cluster(step.cluster_by)
    if step.location is not None:
        yield f"LOCATION {literal(step.location)}"
    if step.comment is not None:
        yield f"COMMENT {literal(step.comment)}"
    if step.properties:
        yield f"TBLPROPERTIES ({_pairs(step.properties)})"
    if step.query is not None:
        yield f"AS {step.query}"


def _provider(provider: str) -> str:
    """The name of a class has dots in it."""
    return ".".join(
        one if one.isascii() and one.isidentifier() else identifier(one)
        for one in provider.split(".")
    )


def _pairs(properties: Mapping[str, str]) -> str:
    return ", ".join(f"{literal(key)} = {literal(value)}" for key, value in properties.items())


def _set(step: SetProperties) -> str:
    return f"SET TBLPROPERTIES ({_pairs(step.properties)})"


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


def _cluster(columns: Sequence[Path]) -> str:
    return f"CLUSTER BY ({', '.join(map(_column, columns))})" if columns else "CLUSTER BY NONE"


_CLAUSES: Final[Mapping[type, Callable[[Any], str]]] = {
    AddColumns: _add,
    AddConstraint: _add_constraint,
    ChangeColumns: _change,
    ClusterBy: lambda step: _cluster(step.columns),
    DropColumns: _drop,
    DropConstraint: _drop_constraint,
    DropFeature: _drop_feature,
    RenameColumn: _rename,
    SetLocation: lambda step: f"SET LOCATION {literal(step.there.root)}",
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
