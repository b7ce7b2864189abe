"""`evolve` predicts what Delta committed or refused, in every recorded case of its steps."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.protocol import Protocol, SessionSettings, for_new_table
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    DropColumns,
    DropFeature,
    RenameColumn,
    SetProperties,
    Step,
)
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.spark_support import (
    refusal_to_read,
    refusal_to_write,
    require_readable,
)
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.plans.diff import diff, mismatches
from tests.support import oracle
from tests.support.cases import each
from tests.support.statements import (
    changes_data,
    properties_of_create,
    schema_as_json,
    start_snapshot,
    step_of,
)

OTHER_STATEMENTS = {
    "create": 16, "create-cluster": 1, "create-feature": 20, "create-part": 2, "create-prop": 25,
    "create-session-default": 7, "create-versions": 18, "ctas": 1, "data": 6,
    "property-appendonly": 1, "replace": 3,
}  # fmt: skip
"""
The e2e cases, by group, in which some statement is no step of a plan.

CREATE, REPLACE and RESTORE, and those in which only data changes; of the CREATE cases the
protocol is compared here all the same.
"""

VIOLATED_BY_ROWS = {"e2e-23ab3d77", "e2e-9f94b23e"}
"""A constraint that rows violate is refused, and the log does not show the rows."""

PARTLY_COMMITTED = {"e2e-84bb2b65"}
"""
Delta upgrades the protocol for row tracking, backfills, and only then refuses the rest.

deltaadm refuses the whole step before anything is written.
"""

NOT_REPEATABLE = {
    # Delta overwrites a given enablement on turning in-commit timestamps on, not afterwards.
    "e2e-b04242fb": "configuration[delta.inCommitTimestampEnablementTimestamp]",
    "e2e-f4fccaaa": "configuration[delta.inCommitTimestampEnablementTimestamp]",
    "e2e-f5468b76": "configuration[delta.inCommitTimestampEnablementTimestamp]",
    # Reader version 3 fits writer version 7, and the result, (1, 1), no longer has that.
    "e2e-91a819a7": "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
}
"""Where the same statement a second time does something else, and the first thing it does."""

DAMAGED_LOG = {
    "DELTA_STATE_RECOVER_ERROR", "DELTA_TRUNCATED_TRANSACTION_LOG", "DELTA_VERSIONS_NOT_CONTIGUOUS",
    "FAILED_READ_FILE.NO_HINT",
}  # fmt: skip
"""Errors of replay: there is no protocol or no metadata to judge."""


def _cases() -> list[oracle.Case]:
    return [*oracle.cases("e2e"), *oracle.cases("odd-logs")]


def _steps(case: oracle.Case) -> list[Step | None]:
    return [step_of(operation) for operation in case["ops"]]


def _error(case: oracle.Case) -> Any:
    """Why the engine could not load the table; None where it could, `...` where there is none."""
    state = case["start"].get("state")
    return ... if state is None else state.get("error")


def _is_predictable(case: oracle.Case) -> bool:
    """Whether every statement is a step, or changes rows on the way from one step to another."""
    steps = _steps(case)
    return any(steps) and all(
        step is not None or changes_data(operation)
        for step, operation in zip(steps, case["ops"], strict=True)
    )


def _drops(case: oracle.Case) -> bool:
    return any(isinstance(step, DropFeature) for step in _steps(case))


PREDICTED = [
    case
    for case in _cases()
    if _is_predictable(case) and _error(case) is None and case["id"] not in VIOLATED_BY_ROWS
]
REFUSED_AT_LOAD = [
    case
    for case in _cases()
    if _error(case) not in (None, ...) and _error(case)["errorClass"] not in DAMAGED_LOG
]
LOADED = [case for case in _cases() if _error(case) is None and case["start"].get("files")]


def _named(cases: list[oracle.Case]) -> list[tuple[str, oracle.Case]]:
    return [(f"{case['group']}-{case['id']}", case) for case in cases]


def test_no_case_is_left_out_silently():
    e2e = oracle.cases("e2e")
    others = Counter(case["group"] for case in e2e if not _is_predictable(case))
    assert others == OTHER_STATEMENTS
    assert len(e2e) == 854
    odd = oracle.cases("odd-logs")
    loads = [case for case in odd if [op.get("api") for op in case["ops"]] == ["snapshot"]]
    assert len(odd) == 81
    assert len(loads) == 35
    assert sum(_is_predictable(case) for case in odd) == 81 - len(loads)
    assert len(PREDICTED) == 782


def _outcomes(case: oracle.Case) -> list[str | None]:
    """`ok`, or the error class that the equivalent ALTER statement would have."""
    return [
        "ok" if one["ok"] else _alter_class(operation, one["error"])
        for operation, one in zip(case["ops"], case["expected"]["ops"], strict=False)
    ]


def _alter_class(operation: dict[str, Any], error: dict[str, Any]) -> str | None:
    if "api" in operation and error["exception"] == "java.lang.IllegalArgumentException":
        return "UNSUPPORTED_TABLE_CHANGE"
    return error["errorClass"]


def _carried_out(case: oracle.Case) -> tuple[list[str | None], Snapshot]:
    snapshot = start_snapshot(case)
    session = SessionSettings.from_conf(case.get("conf") or {})
    outcomes: list[str | None] = []
    for step, recorded in zip(_steps(case), _outcomes(case), strict=False):
        if step is None:
            outcomes.append(recorded)
            continue
        try:
            after = evolve(snapshot, step, session)
        except DeltaadmError as error:
            outcomes.append(error.delta_error_class)
            break
        snapshot = replace(after, version=snapshot.version + 1, commit_info=None)
        outcomes.append("ok")
    return outcomes, snapshot


_CHOSEN = "(<uuid-[0-9]+>|<timestamp>|[0-9]+)"


def _agree(predicted: Any, recorded: Any) -> bool:
    """Equality of JSON, in which the marker stands for what the recorder blanked, or a number."""
    if isinstance(predicted, str) and KNOWN_AFTER_COMMIT in predicted:
        parts = map(re.escape, predicted.split(KNOWN_AFTER_COMMIT))
        return re.fullmatch(_CHOSEN.join(parts), recorded) is not None
    if isinstance(predicted, dict):
        return predicted.keys() == recorded.keys() and all(
            _agree(predicted[key], recorded[key]) for key in predicted
        )
    if isinstance(predicted, list):
        return len(predicted) == len(recorded) and all(map(_agree, predicted, recorded))
    return bool(predicted == recorded)


@each("case", _named(PREDICTED))
def test_the_prediction_equals_the_commit(case: oracle.Case):
    outcomes, after = _carried_out(case)
    assert outcomes == _outcomes(case)
    if case["id"] in PARTLY_COMMITTED:
        return
    recorded = case["expected"]["state"]
    assert after.protocol.to_wire() == recorded["protocol"]
    predicted = schema_as_json(after.metadata.to_wire())
    actual = schema_as_json(recorded["metadata"])
    assert _agree(predicted, actual), (predicted, actual)
    committed = replace(
        after,
        protocol=Protocol.from_wire(recorded["protocol"]),
        metadata=Metadata.from_wire(recorded["metadata"]),
    )
    assert mismatches(after, committed) == ()


@pytest.mark.parametrize("name", sorted(VIOLATED_BY_ROWS))
def test_a_violated_constraint_is_predicted_as_if_it_held(name: str):
    (case,) = [case for case in oracle.cases("e2e") if case["id"] == name]
    outcomes, after = _carried_out(case)
    assert _outcomes(case) == ["DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"]
    assert outcomes == ["ok"]
    assert after.metadata.configuration == {"delta.constraints.c1": "a > 1"}


def test_a_step_that_delta_commits_in_part_is_refused_whole():
    (case,) = [case for case in PREDICTED if case["id"] in PARTLY_COMMITTED]
    outcomes, after = _carried_out(case)
    assert outcomes == ["ok", "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"]
    assert after.protocol == Protocol(2, 5)
    assert [commit["version"] for commit in case["expected"]["commits"]] == [1, 2]


def test_markers_stand_only_where_delta_chooses():
    unknowns = Counter()
    for case in PREDICTED:
        _, after = _carried_out(case)
        unknowns.update(
            key
            for key, value in after.metadata.configuration.items()
            if KNOWN_AFTER_COMMIT in value
        )
        unknowns["schema"] += KNOWN_AFTER_COMMIT in (after.metadata.schema_string or "")
    assert set(+unknowns) == {
        "delta.inCommitTimestampEnablementTimestamp",
        "delta.inCommitTimestampEnablementVersion",
        "delta.requireCheckpointProtectionBeforeVersion",
        "delta.rowTracking.materializedRowCommitVersionColumnName",
        "delta.rowTracking.materializedRowIdColumnName",
        "schema",
    }
    assert unknowns["delta.inCommitTimestampEnablementVersion"] == 2


@each("case", _named([case for case in PREDICTED if not _drops(case)]))
def test_supported_features_only_grow(case: oracle.Case):
    before, (_, after) = start_snapshot(case).protocol, _carried_out(case)
    assert before.supported_features <= after.protocol.supported_features
    assert before.can_upgrade_to(after.protocol)


DROPPED = [case for case in PREDICTED if _drops(case) and case["expected"]["ops"][-1]["ok"]]


@each("case", _named(DROPPED))
def test_dropping_a_feature_takes_that_feature_alone(case: oracle.Case):
    *before, last = _steps(case)
    assert isinstance(last, DropFeature)
    _, start = _carried_out({**case, "ops": case["ops"][: len(before)]})
    _, after = _carried_out(case)
    assert start.protocol.denormalized().can_downgrade_to(after.protocol, last.name)
    assert last.name not in after.protocol.supported_features
    gained = after.protocol.supported_features - start.protocol.supported_features
    assert gained == ({"checkpointProtection"} if last.protects_checkpoints else set())


@each("case", _named([case for case in DROPPED if len(case["ops"]) == 1]))
def test_dropping_a_feature_says_whether_it_takes_several_commits(case: oracle.Case):
    (step,) = _steps(case)
    assert step is not None
    several = step.takes_several_commits(start_snapshot(case))
    assert several == (len(case["expected"]["commits"]) > 1)


def test_the_recorded_drops_cover_every_way():
    assert len(DROPPED) == 30
    steps = [step for case in DROPPED for step in _steps(case)]
    features = {step.name for step in steps if isinstance(step, DropFeature)}
    assert features == {
        "checkConstraints", "checkpointProtection", "columnMapping", "deletionVectors",
        "inCommitTimestamp", "materializePartitionColumns", "rowTracking", "typeWidening",
        "v2Checkpoint", "vacuumProtocolCheck",
    }  # fmt: skip


def _first_change_on_repeating(case: oracle.Case) -> str | None:
    """What the last step changes when it is taken once more; None for nothing."""
    outcomes, after = _carried_out(case)
    step = _steps(case)[-1]
    once = AddColumns | AddConstraint | DropFeature | RenameColumn | DropColumns
    if outcomes[-1] != "ok" or step is None or isinstance(step, once):
        return None
    session = SessionSettings.from_conf(case.get("conf") or {})
    try:
        changes = diff(after, evolve(after, step, session))
    except RefusedError as error:
        return error.delta_error_class
    return changes[0].subject if changes else None


def test_the_same_wish_a_second_time_changes_nothing():
    changed = {
        case["id"]: change for case in PREDICTED if (change := _first_change_on_repeating(case))
    }
    assert changed == NOT_REPEATABLE


@each("case", _named(REFUSED_AT_LOAD))
def test_what_delta_cannot_load_is_refused_for_the_same_reason(case: oracle.Case):
    refusal = refusal_to_read(start_snapshot(case))
    assert refusal is not None
    assert refusal.delta_error_class == _error(case)["errorClass"]
    assert refusal.message
    assert refusal.remedy
    steps = [step for step in _steps(case) if step is not None]
    for step, outcome in zip(steps, _outcomes(case), strict=False):
        with pytest.raises(DeltaadmError) as caught:
            evolve(start_snapshot(case), step)
        assert caught.value.delta_error_class == outcome


def test_every_cause_of_a_refusal_to_load_is_met():
    assert {_error(case)["errorClass"] for case in REFUSED_AT_LOAD} == {
        None, "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH", "DELTA_INVALID_PROTOCOL_VERSION",
        "DELTA_UNSUPPORTED_FEATURES_FOR_READ", "EXPRESSION_DECODING_FAILED",
    }  # fmt: skip


def test_what_delta_loads_is_not_refused():
    for case in LOADED:
        require_readable(start_snapshot(case))
    assert len(LOADED) == 819


ROW_TRACKING_ALONE = "odd-log{}:rowtracking-prop-without-feature"
"""The property without the feature, which the next ALTER adds: until then no query succeeds."""


def test_what_delta_loads_it_reads_unless_a_property_stops_queries():
    refused = {case["group"] for case in LOADED if refusal_to_read(start_snapshot(case))}
    assert refused == {
        "odd-log-write:cm-bad-mode",
        ROW_TRACKING_ALONE.format(""),
        ROW_TRACKING_ALONE.format("-write"),
    }


def test_what_delta_writes_is_not_refused():
    refused = [
        case["group"]
        for case in PREDICTED
        if _outcomes(case)[0] == "ok" and refusal_to_write(start_snapshot(case))
    ]
    assert refused == [ROW_TRACKING_ALONE.format("-write")]


@pytest.mark.parametrize(
    ("group", "refusal"),
    [
        ("odd-log-write:version-1-8", "DELTA_INVALID_PROTOCOL_VERSION"),
        ("odd-log-write:partition-col-missing", "FIELD_NOT_FOUND"),
    ],
)
def test_what_delta_loads_but_never_writes_is_refused(group: str, refusal: str):
    (case,) = [case for case in PREDICTED if case["group"] == group]
    found = refusal_to_write(start_snapshot(case))
    assert found is not None
    assert found.delta_error_class == refusal


def test_an_unknown_writer_feature_lets_delta_read_but_not_write():
    (case,) = [case for case in LOADED if case["group"] == "odd-log:unknown-writer"]
    snapshot = start_snapshot(case)
    assert refusal_to_read(snapshot) is None
    refusal = refusal_to_write(snapshot)
    assert refusal is not None
    assert refusal.delta_error_class == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"
    with pytest.raises(RefusedError) as caught:
        evolve(snapshot, SetProperties({"x": "1"}))
    assert caught.value.delta_error_class == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"


CREATED = [
    case
    for case in oracle.cases("e2e")
    if case["group"].startswith(("create", "ctas"))
    and case["group"] != "create-cluster"
    and case["expected"]["ops"][0]["ok"]
]


@each("case", _named(CREATED))
def test_a_new_table_has_the_protocol_that_delta_gives_it(case: oracle.Case):
    state = case["expected"]["state"]
    asked = properties_of_create(case["ops"][0]["sql"])
    metadata = Metadata.from_wire(state["metadata"]).with_configuration(asked)
    session = SessionSettings.from_conf(case.get("conf") or {})
    assert for_new_table(metadata, session).to_wire() == state["protocol"]


def test_there_are_recorded_new_tables():
    assert len(CREATED) == 76
