"""The kinds of steps: the table of them, and how they are written and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import named
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
    "set_properties": "properties.SetProperties",
    "unset_properties": "properties.UnsetProperties",
    "write_checkpoint": "properties.WriteCheckpoint",
    "rename_column": "columns.RenameColumn",
    "drop_columns": "columns.DropColumns",
    "add_columns": "columns.AddColumns",
    "change_columns": "columns.ChangeColumns",
    "add_constraint": "properties.AddConstraint",
    "drop_constraint": "properties.DropConstraint",
    "set_location": "table.SetLocation",
    "cluster_by": "properties.ClusterBy",
    "create_table": "table.CreateTable",
    "drop_feature": "properties.DropFeature",
}
"""The classes of steps, with their modules, by kind, which is also the `kind` in JSON."""

_PLACES: Final = {
    place.partition(".")[2]: f"{__name__}.{place}"
    for place in (*KINDS.values(), "step.ColumnChange", "step.Step", "table.CreationMode")
}


def __getattr__(name: str) -> Any:
    """The kinds of steps, imported when they are first used: most plans need one or two."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return named(_PLACES[name])


def step_types() -> dict[str, type[Step]]:
    """The classes of all steps, by kind."""
    return {kind: named(f"{__name__}.{place}") for kind, place in KINDS.items()}


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
    kind_type: type[Step] = named(f"{__name__}.{KINDS[kind]}")
    return kind_type.read(document)
