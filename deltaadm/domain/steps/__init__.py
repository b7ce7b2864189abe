"""The kinds of steps: a module each, and the table of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.json_values import text
from deltaadm.imports import import_module

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.steps.add_columns import AddColumns as AddColumns
    from deltaadm.domain.steps.add_constraint import AddConstraint as AddConstraint
    from deltaadm.domain.steps.change_columns import ChangeColumns as ChangeColumns
    from deltaadm.domain.steps.cluster_by import ClusterBy as ClusterBy
    from deltaadm.domain.steps.column_change import ColumnChange as ColumnChange
    from deltaadm.domain.steps.create_table import CreateTable as CreateTable
    from deltaadm.domain.steps.create_table import CreationMode as CreationMode
    from deltaadm.domain.steps.drop_columns import DropColumns as DropColumns
    from deltaadm.domain.steps.drop_constraint import DropConstraint as DropConstraint
    from deltaadm.domain.steps.drop_feature import DropFeature as DropFeature
    from deltaadm.domain.steps.rename_column import RenameColumn as RenameColumn
    from deltaadm.domain.steps.set_location import SetLocation as SetLocation
    from deltaadm.domain.steps.set_properties import SetProperties as SetProperties
    from deltaadm.domain.steps.step import Step as Step
    from deltaadm.domain.steps.unset_properties import UnsetProperties as UnsetProperties
    from deltaadm.domain.steps.write_checkpoint import WriteCheckpoint as WriteCheckpoint

KINDS: Final = {
    "set_properties": "SetProperties",
    "unset_properties": "UnsetProperties",
    "write_checkpoint": "WriteCheckpoint",
    "rename_column": "RenameColumn",
    "drop_columns": "DropColumns",
    "add_columns": "AddColumns",
    "change_columns": "ChangeColumns",
    "add_constraint": "AddConstraint",
    "drop_constraint": "DropConstraint",
    "set_location": "SetLocation",
    "cluster_by": "ClusterBy",
    "create_table": "CreateTable",
    "drop_feature": "DropFeature",
}
"""The classes of steps by kind, which is also the name of the module and the `kind` in JSON."""

_MODULES: Final = {name: kind for kind, name in KINDS.items()} | {
    "ColumnChange": "column_change",
    "CreationMode": "create_table",
    "Step": "step",
}


def __getattr__(name: str) -> Any:
    """The kinds of steps, imported when they are first used: most plans need one or two."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def step_type(kind: str) -> type[Step]:
    """The class of the steps of *kind*."""
    kind_type: type[Step] = __getattr__(KINDS[kind])
    return kind_type


class UnknownStep(ValueError):  # noqa: N818 -- reads as the finding it is
    """A document with a `kind` that this deltaadm does not know."""


def step_document(step: Step) -> dict[str, Any]:
    """*step* as JSON values, so that `read_step` understands it."""
    return {"kind": step.kind, **step.json.write(step)}


def read_step(document: Mapping[str, Any]) -> Step:
    """
    The step that `step_document` has written.

    Raises `UnknownStep`, `Refused` for columns and types that cannot be read, and what Python
    raises for parts that are missing or of another type.
    """
    kind = text(document["kind"])
    if kind not in KINDS:
        raise UnknownStep(kind)
    return step_type(kind).read(document)
