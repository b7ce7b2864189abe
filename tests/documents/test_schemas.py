"""The published schemas: valid themselves, true of what is written, and complete."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from deltaadm.documents import document, schemas
from deltaadm.plans.document import saved_document
from deltaadm.reports.validate import baseline_of, write_baseline
from deltaadm.rules.rule import ValidationReport
from tests.support import samples
from tests.support.program import deltaadm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deltaadm.blocks import Report
    from tests.support.oracle import OracleTable

NOT_OF_REPORTS = {"baseline", "journal", "line", "reference"}
"""Files, and lines of runs over many tables; the other documents are each written of a report."""


def name_of(report: Report) -> str:
    return report.document.replace("_", "-")


def closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(made.get("properties"), dict) and made.get("type") == "object":
        made["additionalProperties"] = False
    return made


@pytest.mark.parametrize("name", schemas())
def test_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schemas()[name])


def test_every_kind_of_report_has_a_schema(every_report: Sequence[Report]) -> None:
    assert set(map(name_of, every_report)) == set(schemas()) - NOT_OF_REPORTS


def test_what_is_written_is_what_the_schemas_say_and_no_more(
    every_report: Sequence[Report],
) -> None:
    for report in every_report:
        written = json.loads(json.dumps(document(report)))
        Draft202012Validator(closed(schemas()[name_of(report)])).validate(written)
        assert written.get("document", written.get("kind")) in {
            name_of(report),
            f"deltaadm-{name_of(report)}",
        }


def test_schemas_hold_for_recorded_tables(oracle_tables: dict[str, OracleTable]) -> None:
    from deltaadm.plans.features import plan_features
    from deltaadm.replay.load import load_snapshot
    from deltaadm.replay.reconcile import Detail
    from deltaadm.reports.inspect import describe
    from deltaadm.storage.store import open_store

    inspect, plan = (Draft202012Validator(closed(schemas()[name])) for name in ("inspect", "plan"))
    for table in list(oracle_tables.values())[::7]:
        snapshot = load_snapshot(open_store(str(table.path)), detail=Detail.STATE)
        inspect.validate(document(describe(table.name, snapshot, columns=True)))
        if not snapshot.protocol.supports("rowTracking"):
            planned = plan_features(snapshot, ["domainMetadata"])
            plan.validate(saved_document(planned, table.name))


def test_baseline_file_is_what_its_schema_says(tmp_path: Path) -> None:
    reports = [
        validation
        for validation in samples.validations(tmp_path)
        if isinstance(validation, ValidationReport)
    ]
    written = json.loads(write_baseline(baseline_of(reports)))
    assert written["findings"]
    assert written["more"]
    Draft202012Validator(closed(schemas()["baseline"])).validate(written)


@pytest.mark.parametrize("name", sorted(schemas().keys() - NOT_OF_REPORTS))
def test_schemas_let_fields_be_added_but_not_left_out(
    name: str, every_report: Sequence[Report]
) -> None:
    report = next(report for report in every_report if name_of(report) == name)
    written = json.loads(json.dumps(document(report)))
    validator = Draft202012Validator(schemas()[name])
    validator.validate(written | {"some_new_field": 1})
    for key in schemas()[name]["properties"]:
        with pytest.raises(ValidationError):
            validator.validate({other: value for other, value in written.items() if other != key})


@pytest.mark.parametrize("name", schemas())
def test_schemas_are_printed(name: str) -> None:
    assert deltaadm("schema", name).document == schemas()[name]


def test_schemas_are_listed() -> None:
    listed = [line.split(maxsplit=1) for line in deltaadm("schema").out.splitlines()]
    assert listed == [[name, schema["title"]] for name, schema in schemas().items()]


def test_unknown_schema_is_a_usage_error() -> None:
    result = deltaadm("schema", "nothing")
    assert (result.code, result.out) == (2, "")
    assert "inspect" in result.err
