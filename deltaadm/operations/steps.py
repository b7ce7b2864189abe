"""Steps as JSON and back: the same kinds in plan files, plans and fixes of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deltaadm.domain.ddl import (
    definition_sql,
    parse_definitions,
    parse_position,
    parse_type,
    position_sql,
    type_sql,
)
from deltaadm.domain.table_changes import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    ColumnChange,
    CreateTable,
    DropColumns,
    DropConstraint,
    DropFeature,
    RenameColumn,
    SetLocation,
    SetProperties,
    UnsetProperties,
    WriteCheckpoint,
)
from deltaadm.operations.create import create_document, read_create
from deltaadm.operations.state_document import read_state, state_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deltaadm.domain.schema import Path
    from deltaadm.domain.table_changes import Step

    Document = Mapping[str, Any]


class UnknownStep(ValueError):  # noqa: N818 -- reads as the finding it is
    """A document with a `kind` that this deltaadm does not know."""


def step_document(step: Step) -> dict[str, Any]:
    """One step as JSON values, so that `read_step` understands it."""
    kind = next(name for name, one in _KINDS.items() if isinstance(step, one.type))
    return {"kind": kind, **_KINDS[kind].write(step)}


def read_step(document: Document) -> Step:
    """
    The step that `step_document` has written.

    Raises `UnknownStep`, `Refused` for columns and types that cannot be read, and what Python
    raises for parts that are missing or of another type.
    """
    if document["kind"] not in _KINDS:
        raise UnknownStep(document["kind"])
    return _KINDS[document["kind"]].read(document)


class _Kind(NamedTuple):
    type: type
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Document], Step]


def _paths(document: Document) -> tuple[Path, ...]:
    return tuple(_path(one) for one in document["columns"])


def _path(parts: Any) -> Path:
    return tuple(map(str, parts))


def _change_document(one: ColumnChange) -> dict[str, Any]:
    return {
        "column": list(one.column),
        "type": None if one.type is None else type_sql(one.type),
        "nullable": one.nullable,
        "comment": one.comment,
        "position": None if one.position is None else position_sql(one.position),
        "default": one.default,
    }


def _read_change(document: Document) -> ColumnChange:
    data_type, position = document["type"], document["position"]
    return ColumnChange(
        _path(document["column"]),
        type=None if data_type is None else parse_type(str(data_type)),
        nullable=document["nullable"]
        if document["nullable"] is None
        else bool(document["nullable"]),
        comment=_text(document["comment"]),
        position=None if position is None else parse_position(str(position)),
        default=_text(document["default"]),
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


_KINDS: Final[Mapping[str, _Kind]] = {
    "set_properties": _Kind(
        SetProperties,
        lambda step: {"properties": dict(step.properties)},
        lambda one: SetProperties({str(k): str(v) for k, v in one["properties"].items()}),
    ),
    "unset_properties": _Kind(
        UnsetProperties,
        lambda step: {"keys": list(step.keys), "if_exists": step.if_exists},
        lambda one: UnsetProperties(tuple(map(str, one["keys"])), bool(one["if_exists"])),
    ),
    "write_checkpoint": _Kind(WriteCheckpoint, lambda _: {}, lambda _: WriteCheckpoint()),
    "drop_feature": _Kind(
        DropFeature,
        lambda step: {"feature": step.name, "truncate_history": step.truncate_history},
        lambda one: DropFeature(str(one["feature"]), bool(one["truncate_history"])),
    ),
    "rename_column": _Kind(
        RenameColumn,
        lambda step: {"column": list(step.column), "name": step.name},
        lambda one: RenameColumn(_path(one["column"]), str(one["name"])),
    ),
    "drop_columns": _Kind(
        DropColumns,
        lambda step: {"columns": [list(one) for one in step.columns], "if_exists": step.if_exists},
        lambda one: DropColumns(_paths(one), bool(one["if_exists"])),
    ),
    "add_columns": _Kind(
        AddColumns,
        lambda step: {"columns": [definition_sql(one) for one in step.columns]},
        lambda one: AddColumns(parse_definitions(", ".join(map(str, one["columns"])))),
    ),
    "change_columns": _Kind(
        ChangeColumns,
        lambda step: {"changes": [_change_document(one) for one in step.changes]},
        lambda one: ChangeColumns(tuple(map(_read_change, one["changes"]))),
    ),
    "add_constraint": _Kind(
        AddConstraint,
        lambda step: {"name": step.name, "expression": step.expression},
        lambda one: AddConstraint(str(one["name"]), str(one["expression"])),
    ),
    "drop_constraint": _Kind(
        DropConstraint,
        lambda step: {"name": step.name, "if_exists": step.if_exists},
        lambda one: DropConstraint(str(one["name"]), bool(one["if_exists"])),
    ),
    "create_table": _Kind(CreateTable, create_document, read_create),
    "set_location": _Kind(
        SetLocation,
        lambda step: {"location": step.there.root, **state_document(step.there)},
        lambda one: SetLocation(read_state(str(one["location"]), int(one["version"]), one)),
    ),
    "cluster_by": _Kind(
        ClusterBy,
        lambda step: {"columns": [list(one) for one in step.columns]},
        lambda one: ClusterBy(_paths(one)),
    ),
}
