"""What findings about a policy say, and when they offer a fix."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from deltaadm.domain.steps import SetProperties
from deltaadm.facts import Ignore, Policy, Requirement
from deltaadm.reports.validate import Demands
from deltaadm.rules.rule import Finding, Severity
from tests.support.rule_cases import findings
from tests.support.tables import commit, commit_info, metadata, protocol, schema, table
from tests.validation.cases.policy import OLD_SPARK, plain, with_vectors


def only(path: Path, code: str, demands: Demands) -> Finding:
    [found] = [finding for finding in findings(path, demands=demands) if finding.code == code]
    return found


def mapped(path: Path) -> None:
    column = {"name": "a", "type": "integer", "nullable": True,
              "metadata": {"delta.columnMapping.id": 1,
                           "delta.columnMapping.physicalName": "p"}}  # fmt: skip
    configuration = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
    body = metadata(configuration, schemaString=schema(column))
    table(path, commit(commit_info(), protocol(2, 5), body))


@pytest.mark.parametrize(("make", "allowed", "offered"), [
    pytest.param(plain(), ("name",), True, id="none to name"),
    pytest.param(plain(), ("id", "name"), True, id="none to id or name"),
    pytest.param(plain(), ("id",), False, id="none to id, which is impossible"),
    pytest.param(mapped, ("none",), False, id="name to none, which rewrites every file"),
])  # fmt: skip
def test_a_mode_is_changed_only_where_that_is_cheap(
    make: Callable[[Path], None], allowed: tuple[str, ...], offered: bool, tmp_path: Path
) -> None:
    make(tmp_path)
    found = only(tmp_path, "DL905", Demands(policy=Policy(mapping_modes=allowed)))
    wanted = (SetProperties({"delta.columnMapping.mode": "name"}),)
    assert found.fix == (wanted if offered else ())


@pytest.mark.parametrize(
    ("feature", "offered"), [("rowTracking", True), ("clustering", False), ("madeUp", False)]
)
def test_a_feature_is_added_only_where_a_property_can(
    feature: str, offered: bool, tmp_path: Path
) -> None:
    plain()(tmp_path)
    found = only(tmp_path, "DL903", Demands(policy=Policy(required_features=(feature,))))
    assert bool(found.fix) is offered


@pytest.mark.parametrize(("key", "requirement", "message", "value"), [
    ("owner", Requirement(allowed=("me",)), "owner is not set, but the policy requires 'me'.",
        None),
    ("team", Requirement(allowed=("a", "b")),
        "team is not set, but the policy requires 'a' or 'b'.", "a"),
    ("delta.appendOnly", Requirement(allowed=("true",)),
        "delta.appendOnly is 'false' by default, but the policy requires 'true'.", "true"),
    ("delta.checkpointInterval", Requirement(most="5"),
        "delta.checkpointInterval is '7', but the policy requires at most '5'.", "5"),
    ("delta.columnMapping.maxColumnId", Requirement(least="5"),
        "delta.columnMapping.maxColumnId is '0' by default, but the policy requires at least '5'.",
        None),
])  # fmt: skip
def test_a_property_is_set_to_what_the_policy_names(
    key: str, requirement: Requirement, message: str, value: str | None, tmp_path: Path
) -> None:
    plain(**{"delta.checkpointInterval": "7"})(tmp_path)
    found = only(tmp_path, "DL906", Demands(policy=Policy(properties={key: requirement})))
    assert found.message == message
    assert found.fix == (() if value is None else (SetProperties({key: value}),))


def test_a_client_is_named_with_what_shuts_it_out(tmp_path: Path) -> None:
    with_vectors()(tmp_path)
    found = only(tmp_path, "DL907", Demands(readers=(OLD_SPARK,)))
    assert found.where == "client[delta-spark@2.2.0]"
    assert found.message.startswith("delta-spark@2.2.0 cannot read the table, which needs ")
    assert "`deltaadm inspect TABLE --for-client delta-spark@2.2.0`" in found.remedy
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(("reason", "shown"), [("", ""), ("in repair", " (in repair)")])
def test_an_expired_ignore_is_told_with_its_reason(reason: str, shown: str, tmp_path: Path) -> None:
    plain()(tmp_path)
    old = Ignore(code="DL4", reason=reason, until=date(2026, 1, 31))
    found = only(tmp_path, "DL950", Demands(ignores=(old,)))
    assert found.message == f"DL4 was ignored until 2026-01-31{shown}."
