"""Steps as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.json_values import Json, constant, record
from deltaadm.domain.steps import KINDS, step_document, step_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.domain.model.json_values import Schema
    from deltaadm.domain.steps import Step

_NOTHING: Final = record()


def schema_of(step: type[Step], more: Json = _NOTHING) -> Schema:
    """The schema of one kind of steps, and of what there is *more* in the object."""
    parts = [record(kind=constant(step.kind)).schema, step.json.schema, more.schema]
    return {
        "type": "object",
        "properties": {key: schema for part in parts for key, schema in part["properties"].items()},
        "required": [key for part in parts for key in part["required"]],
    }


def any_step(schema: Callable[[type[Step]], Schema]) -> Schema:
    """The schema of whatever kind of step, of which *schema* makes that of one kind."""
    return {"anyOf": [schema(step_type(kind)) for kind in KINDS]}


STEP: Final = Json(lambda: any_step(schema_of), step_document)
