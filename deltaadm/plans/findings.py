"""The parts of a finding and of a step in JSON documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.steps import Step, step_document, step_types
from deltaadm.json_values import STRING, Json, array, constant, maybe, one_of, record, within
from deltaadm.plans.undo import fix_command
from deltaadm.rules.rule import Cause, Finding, Severity

if TYPE_CHECKING:
    from deltaadm.json_values import Fields, Schema


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
    return {"anyOf": [schema(kind) for kind in step_types().values()]}


STEP: Final = Json(lambda: any_step(schema_of), step_document)


@dataclass(frozen=True)
class Found:
    """A finding on the table that the user calls *table*."""

    table: str
    finding: Finding
    by: Cause | None = None
    reason: str = ""


FINDING: Final[Fields] = {
    "code": STRING,
    "name": STRING,
    "severity": one_of(Severity),
    "message": STRING,
    "where": STRING,
    "remedy": STRING,
}
"""The parts of a finding."""
_FIX: Final = record(
    command=(STRING, lambda found: fix_command(found.table, found.finding.fix)),
    steps=(array(STEP), lambda found: found.finding.fix),
)
FOUND: Final[Fields] = {
    **within("finding", FINDING),
    "fix": (maybe(_FIX), lambda found: found if found.finding.fix else None),
}
"""The same with what fixes it."""
