"""The kinds of steps: the table of them, and how they are written and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import import_module
from deltaadm.json_values import text

if TYPE_CHECKING:
    from deltaadm.domain.steps.columns import AddColumns as AddColumns
    from deltaadm.domain.steps.columns import ChangeColumns as ChangeColumns
    from deltaadm.domain.steps.columns import DropColumns as DropColumns
    from deltaadm.domain.steps.columns import RenameColumn as RenameColumn
    from deltaadm.domain.steps.properties import AddConstraint as AddConstraint
    from deltaadm.domain.steps.properties import ClusterBy as ClusterBy
    from deltaadm.domain.steps.properties import DropConstraint as DropConstraint
    from deltaadm.domain.steps.properties import DropFeature as DropFeature
    from deltaadm.domain.steps.properties import SetProperties as SetProperties
    from deltaadm.domain.steps.properties import UnsetProperties as UnsetProperties
    from deltaadm.domain.steps.properties import WriteCheckpoint as WriteCheckpoint
    from deltaadm.domain.steps.step import ColumnChange as ColumnChange
    from deltaadm.domain.steps.step import Step as Step
    from deltaadm.domain.steps.table import CreateTable as CreateTable
    from deltaadm.domain.steps.table import CreationMode as CreationMode
    from deltaadm.domain.steps.table import SetLocation as SetLocation


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
"""The classes of steps by kind, which is also the `kind` in JSON."""

_MODULES: Final = {
    "columns": ("AddColumns", "ChangeColumns", "DropColumns", "RenameColumn"),
    "step": ("ColumnChange", "Step"),
    "table": ("CreateTable", "CreationMode", "SetLocation"),
}
"""Where the names are that are not in `properties`."""


def __getattr__(name: str) -> Any:
    """The kinds of steps, imported when they are first used: most plans need one or two."""
    module = next((module for module, names in _MODULES.items() if name in names), "properties")
    if module == "properties" and name not in KINDS.values():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)


def step_types() -> dict[str, type[Step]]:
    """The classes of all steps, by kind."""
    return {kind: __getattr__(name) for kind, name in KINDS.items()}


class UnknownStepError(ValueError):
    """A document with a `kind` that this deltaadm does not know."""


def step_document(step: Step) -> dict[str, Any]:
    """*step* as JSON values, so that `read_step` understands it."""
    return {"kind": step.kind, **step.json.write(step)}


def read_step(document: Mapping[str, Any]) -> Step:
    """
    The step that `step_document` has written.

    Raises `UnknownStepError`, `RefusedError` for columns and types that cannot be read, and what
    Python raises for parts that are missing or of another type.
    """
    kind = text(document["kind"])
    if kind not in KINDS:
        raise UnknownStepError(kind)
    kind_type: type[Step] = __getattr__(KINDS[kind])
    return kind_type.read(document)
