"""A plan as versioned JSON: what `--out` writes and `apply` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.clients import Access, Compatibility
from deltaadm.documents.change import CHANGE
from deltaadm.documents.common import Document, sha256
from deltaadm.documents.finding import FOUND, Found
from deltaadm.documents.steps import STEP, any_step, schema_of
from deltaadm.documents.verdict import JUDGEMENT
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    COUNT,
    INTEGER,
    OPEN,
    STRING,
    STRINGS,
    Json,
    array,
    mapping,
    maybe,
    one_of,
    record,
    within,
)
from deltaadm.domain.model.protocol import PROTOCOL
from deltaadm.domain.transaction.state_document import STATE
from deltaadm.operations.clients import newly_shut_out
from deltaadm.operations.reports import PlanReport
from deltaadm.operations.secrets import Masker, require_no_secrets
from deltaadm.operations.sql import planned_statement

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields, Schema
    from deltaadm.domain.steps import Step
    from deltaadm.operations.plan import Goal, Plan, Stage


def _sql(staged: tuple[Plan, Stage]) -> str | None:
    plan, stage = staged
    if stage.obstacle or not stage.has_statement:
        return None
    return planned_statement(plan, stage)


def _commits(staged: tuple[Plan, Stage]) -> str:
    _, stage = staged
    if not stage.is_commit:
        return "none"
    return "several" if stage.several_commits else "one"


_STAGE_FIELDS: Final[Fields] = {
    "sql": (maybe(STRING), _sql),
    "cost": (one_of(Cost), lambda staged: staged[1].cost),
    "commits": (one_of("none", "one", "several"), _commits),
}
_STAGE: Final = record(**_STAGE_FIELDS)
_WITH_WAITS: Final = record(**_STAGE_FIELDS, waits=(BOOLEAN, lambda staged: staged[1].waits))


def _stage_of(step: Step | type[Step]) -> Json:
    return _WITH_WAITS if step.may_wait else _STAGE


def _schema_of_stage(step: type[Step]) -> Schema:
    return schema_of(step, _stage_of(step))


def _write_stage(staged: tuple[Plan, Stage]) -> Any:
    step = staged[1].step
    return STEP.write(step) | _stage_of(step).write(staged)


_STAGES: Final = array(Json(lambda: any_step(_schema_of_stage), _write_stage))
_SHIFT: Final = record(
    client=(STRING, lambda shift: shift.after.release.client.id),
    version=(STRING, lambda shift: shift.after.release.version),
    access=(one_of(Access), lambda shift: shift.after.access),
    before=(one_of(Compatibility), lambda shift: shift.before.compatibility),
    **within("after", JUDGEMENT),
)
_GOAL: Final = record(
    client=(STRING, lambda reached: reached[0].release.client.id),
    version=(STRING, lambda reached: reached[0].release.version),
    access=(one_of(Access), lambda reached: reached[0].access),
    reached=(BOOLEAN, lambda reached: reached[1]),
)
_UNREACHABLE: Final = record(
    client=(STRING, lambda found: found.goal.release.client.id),
    version=(STRING, lambda found: found.goal.release.version),
    access=(one_of(Access), lambda found: found.goal.access),
    reason=STRING,
    skipped=BOOLEAN,
)
_LOSS: Final = record(step=(COUNT, lambda loss: loss[0]), what=(STRING, lambda loss: loss[1]))


def _goals(plan: Plan) -> list[tuple[Goal, bool]]:
    """The clients that the plan is made for, and whether they work after it."""
    if not plan.goals:
        return []
    from deltaadm.operations.reach_clients import is_reached

    return [(goal, is_reached(goal, plan.after)) for goal in plan.goals]


def _losses(plan: Plan) -> list[tuple[int, str]]:
    """The losses that each step causes, by its number from 1 on."""
    if not plan.goals:
        return []
    return [
        (number, what)
        for number, transition in enumerate(plan.transitions, 1)
        for what in transition.step.losses(transition.before)
    ]


_BINDING: Final[Fields] = {
    "table_id": (maybe(STRING), lambda snapshot: snapshot.metadata.id),
    "version": INTEGER,
    "protocol_sha256": (STRING, lambda snapshot: sha256(PROTOCOL.write(snapshot.protocol))),
    "metadata_sha256": (
        STRING,
        lambda snapshot: sha256(Masker().metadata(snapshot.metadata).to_wire()),
    ),
}
BOUND: Final = record(**_BINDING)
"""The state on which a plan rests, by hashes."""
DOCUMENT: Final = Document.sealed(
    "A plan, shown or saved to a file",
    _BINDING,
    lambda report: report.plan.before,
    operation=(STRING, lambda report: report.plan.operation),
    table=STRING,
    location=(STRING, lambda report: report.plan.before.root),
    name=(maybe(STRING), lambda report: report.plan.before.name),
    **within(
        "plan",
        {
            "before": STATE,
            "after": record(
                protocol=PROTOCOL, metadata=(OPEN, lambda snapshot: snapshot.metadata.to_wire())
            ),
            "steps": (_STAGES, lambda plan: [(plan, stage) for stage in plan.stages]),
            "changes": array(
                record(**within("change", CHANGE), because=STRING, undo=STRING, cost=one_of(Cost))
            ),
        },
    ),
    findings=(
        array(record(**FOUND)),
        lambda report: [Found(report.table, found) for found in report.plan.findings],
    ),
    **within(
        "plan",
        {
            "cost": one_of(Cost),
            "size": (maybe(record(files=COUNT, bytes=COUNT)), lambda plan: plan.before.files),
            "is_noop": BOOLEAN,
            "irreversible": STRINGS,
            "notes": STRINGS,
            "clients": (array(_SHIFT), newly_shut_out),
            "goals": (array(_GOAL), _goals),
            "unreachable": array(_UNREACHABLE),
            "unfixed": COUNT,
            "losses": (array(_LOSS), _losses),
            "session": (mapping(STRING), lambda plan: plan.session.to_conf()),
        },
    ),
)


def saved_document(plan: Plan, table: str) -> dict[str, Any]:
    """
    The JSON document of *plan*, for a file from which it is carried out.

    The secrets that the table has are masked. `binding.document_sha256` is the digest of all the
    rest. Raises `Refused` for a plan that sets a secret.
    """
    require_no_secrets(plan.steps, plan.session.property_defaults)
    return masked_document(plan, table)


def masked_document(plan: Plan, table: str) -> dict[str, Any]:
    """The same with a mask for whatever secret the plan sets."""
    return DOCUMENT.write(PlanReport(table, Masker().plan(plan)))
