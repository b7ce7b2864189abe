"""
Plans, outcomes and journals as JSON.

The document of a plan is what `--out` writes and `apply` reads.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from deltaadm import documents
from deltaadm.clients import JUDGEMENT, Access, Compatibility
from deltaadm.documents import ERROR, HEAD, Document, parse, sha256
from deltaadm.domain.features import Cost
from deltaadm.domain.protocol import PROTOCOL
from deltaadm.domain.steps.table import STATE
from deltaadm.domain.wire import second
from deltaadm.json_values import (
    COUNT,
    OPEN,
    STRING,
    STRINGS,
    Fields,
    Json,
    array,
    constant,
    mapping,
    maybe,
    one_of,
    record,
    text,
    within,
)
from deltaadm.plans.diff import CHANGE, CHANGES
from deltaadm.plans.features import Phase
from deltaadm.plans.goals import is_reached
from deltaadm.plans.impact import Consequence, interruptions, newly_shut_out
from deltaadm.plans.plan import Goal, Plan, planned_statement
from deltaadm.plans.reports import (
    FOUND,
    STEP,
    Entry,
    Found,
    PlanReport,
    PlanState,
    any_step,
    schema_of,
)
from deltaadm.plans.secrets import Masker, require_no_secrets

_STAGE_FIELDS: Final[Fields] = {
    "sql": (
        maybe(str),
        lambda stage: (
            None if stage.obstacle or not stage.step.has_statement else planned_statement(stage)
        ),
    ),
    "cost": one_of(Cost),
    "commits": (
        one_of("none", "one", "several"),
        lambda stage: (
            ("several" if stage.several_commits else "one") if stage.step.is_commit else "none"
        ),
    ),
}
_STAGE: Final = {
    False: record(**_STAGE_FIELDS),
    True: record(**_STAGE_FIELDS, waits=bool),
}
"""A stage without its step, by whether the step may wait."""
_STAGES: Final = array(
    Json(
        lambda: any_step(lambda step: schema_of(step, _STAGE[step.may_wait])),
        lambda stage: STEP.write(stage.step) | _STAGE[stage.step.may_wait].write(stage),
    )
)
_CLIENT: Final[Fields] = {
    "client": (str, lambda of: of.release.client.id),
    "version": (str, lambda of: of.release.version),
    "access": one_of(Access),
}
_SHIFT: Final = record(
    **within("after", _CLIENT),
    before=(one_of(Compatibility), lambda shift: shift.before.compatibility),
    **within("after", JUDGEMENT),
)


class _Judged(NamedTuple):
    goal: Goal
    reached: bool


_GOAL: Final = record(**within("goal", _CLIENT), reached=bool)
_UNREACHABLE: Final = record(**within("goal", _CLIENT), reason=str, skipped=bool)
_INTERRUPTION: Final = record(
    **dict.fromkeys(("work", "when"), str),
    consequence=one_of(Consequence),
    **dict.fromkeys(("error_class", "remedy"), str),
    source=(maybe(str), lambda row: row.source and f"{row.source.title}, {row.source.date}"),
)
_LOSS: Final = record(step=(COUNT, lambda loss: loss[0]), what=(str, lambda loss: loss[1]))


_BINDING: Final[Fields] = {
    "table_id": (maybe(str), lambda snapshot: snapshot.metadata.id),
    "version": int,
    "protocol_sha256": (str, lambda snapshot: sha256(PROTOCOL.write(snapshot.protocol))),
    "metadata_sha256": (
        str,
        lambda snapshot: sha256(Masker().mask(snapshot.metadata).to_wire()),
    ),
}
BOUND: Final = record(**_BINDING)
"""The state on which a plan rests, by hashes."""
PLAN_DOCUMENT: Final = Document.sealed(
    "A plan, shown or saved to a file",
    _BINDING,
    lambda report: report.plan.before,
    operation=(str, lambda report: report.plan.operation),
    table=str,
    location=(str, lambda report: report.plan.before.root),
    name=(maybe(str), lambda report: report.plan.before.name),
    **within(
        "plan",
        {
            "before": STATE,
            "after": record(
                protocol=PROTOCOL, metadata=(OPEN, lambda snapshot: snapshot.metadata.to_wire())
            ),
            "steps": (_STAGES, lambda plan: plan.stages),
            "changes": array(
                record(**within("change", CHANGE), because=str, undo=str, cost=one_of(Cost))
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
            "is_noop": bool,
            "irreversible": STRINGS,
            "notes": STRINGS,
            "clients": (array(_SHIFT), newly_shut_out),
            "interrupts": (array(_INTERRUPTION), interruptions),
            "applications": (
                maybe(STRINGS),
                lambda plan: (
                    None if plan.before.transactions is None else sorted(plan.before.transactions)
                ),
            ),
            "goals": (
                array(_GOAL),
                lambda plan: [_Judged(goal, is_reached(goal, plan.after)) for goal in plan.goals],
            ),
            "unreachable": array(_UNREACHABLE),
            "unfixed": COUNT,
            # By the numbers of the steps that cause them.
            "losses": (
                array(_LOSS),
                lambda plan: [
                    (number, what)
                    for number, stage in enumerate(plan.stages if plan.goals else (), 1)
                    for what in stage.step.losses(stage.before)
                ],
            ),
            "session": (mapping(str), lambda plan: plan.session.to_conf()),
        },
    ),
)


def saved_document(plan: Plan, table: str) -> dict[str, Any]:
    """
    The JSON document of *plan*, for a file from which it is carried out.

    The secrets that the table has are masked. `binding.document_sha256` is the digest of all the
    rest. Raises `RefusedError` for a plan that sets a secret.
    """
    require_no_secrets(plan.steps, plan.session.property_defaults)
    return masked_document(plan, table)


def masked_document(plan: Plan, table: str) -> dict[str, Any]:
    """The same with a mask for whatever secret the plan sets."""
    return PLAN_DOCUMENT.write(PlanReport(table, Masker().mask(plan)))


DROPPING: Final[Json] = record(
    name=str,
    phase=one_of(Phase),
    keeps_history=bool,
    truncates_history=bool,
    ready_at=maybe(Json(STRING.schema, second)),
    work=STRINGS,
    refusal=maybe(ERROR),
)
"""The progress of one feature."""

DROP_FEATURE_DOCUMENT: Final = Document.of(
    "What dropping features of a table requires",
    table=str,
    version=COUNT,
    features=array(DROPPING),
)


_ROW: Final = record(name=(str, lambda row: row[0]), value=(str, lambda row: row[1]))

FOREIGN_DOCUMENT: Final = Document.of(
    "A plan to create or alter a table of another provider, and its outcome",
    **within(
        "plan",
        {
            **dict.fromkeys(("operation", "table", "name", "provider", "location"), str),
            "before": maybe(record(provider=str, location=str, is_managed=bool)),
            "steps": array(STEP),
            **dict.fromkeys(("statements", "irreversible", "notes"), STRINGS),
        },
    ),
    outcome=maybe(record(description=(array(_ROW), lambda rows: rows))),
)


PLAN_STATUS: Final = record(
    state=one_of(PlanState), version=maybe(COUNT), changes=CHANGES, error=maybe(ERROR)
)


_CONCURRENT: Final = record(version=COUNT, changes=CHANGES)
_OUTCOME: Final = record(
    version=(COUNT, lambda outcome: outcome.actual.version),
    versions=array(COUNT),
    mismatches=CHANGES,
    concurrent_changes=(array(_CONCURRENT), lambda outcome: outcome.concurrent),
)
OUTCOME_DOCUMENT: Final = Document.of(
    "The outcome of a plan",
    table=str,
    plan=(PLAN_DOCUMENT.json, lambda report: PlanReport(report.table, report.outcome.plan)),
    outcome=_OUTCOME,
)


SHOWN_PLAN_DOCUMENT: Final = Document.of(
    "A plan out of a file, and whether it can still be carried out",
    table=str,
    plan=(PLAN_DOCUMENT.json, lambda report: PlanReport(report.table, report.plan)),
    status=PLAN_STATUS,
)


_SEAL: Final = "sha256"
"""The key of a line's digest, which covers all its other keys."""
_BEGUN: Final = "begun"
_ENDED: Final = ("done", "failed", "undone")


_NOTED: Final[Fields] = {**HEAD, "plan": str, "table": str}
_ENTRY: Final = record(**_NOTED, event=str)


def _write(entry: Entry) -> dict[str, Any]:
    body = _ENTRY.write(entry)
    if entry.result is not None:
        body["line"] = entry.result
    return {**body, _SEAL: sha256(body)}


def write_entry(entry: Entry) -> str:
    """The line of *entry*."""
    return json.dumps(_write(entry), separators=(",", ":")) + "\n"


def read_entry(line: bytes) -> Entry:
    """The entry that `write_entry` has written; raises Python's exceptions for anything else."""
    body = parse(line)
    seal = body.pop(_SEAL)
    event = text(body["event"])
    if sha256(body) != seal or event not in {_BEGUN, *_ENDED}:
        raise ValueError(line)
    return Entry(
        text(body["plan"]), body["table"], event, None if event == _BEGUN else body["line"]
    )


_SEALED: Final[Fields] = {**_NOTED, _SEAL: str}
_LINE: Final = Json(lambda: {"anyOf": [OUTCOME_DOCUMENT.schema, documents.ERROR_DOCUMENT.schema]})


JOURNAL_DOCUMENT: Final = Document(
    "A line of the journal of `apply`",
    Json(
        lambda: {
            "anyOf": [
                record(**_SEALED, event=constant(_BEGUN)).schema,
                record(**_SEALED, event=one_of(*_ENDED), line=_LINE).schema,
            ]
        },
        _write,
    ),
)


SHOWN_JOURNAL_DOCUMENT: Final = Document.of(
    "What a journal of `apply` says of its plans",
    file=str,
    plans=array(record(plan=str, table=str, event=one_of(_BEGUN, *_ENDED), result=maybe(OPEN))),
)
