"""Baselines: what makes a finding the same, and what makes it new."""

import json

import pytest

from deltaadm.errors import SettingsError
from deltaadm.reports.validate import (
    Baseline,
    baseline_of,
    read_baseline,
    without_known,
    write_baseline,
)
from deltaadm.rules.rule import Cause, Finding, Severity, Suppressed, ValidationReport
from tests.support.rows import with_rows


def finding(
    code: str = "DL101", where: str = "w", message: str = "1 of 5", **more: object
) -> Finding:
    severity = more.get("severity", Severity.WARNING)
    assert isinstance(severity, Severity)
    return Finding(code=code, name="rule", severity=severity, message=message, where=where)


def report(*findings: Finding, table: str = "t", **more: int) -> ValidationReport:
    return ValidationReport(table=table, version=1, findings=findings, more=more)


def new(base: ValidationReport, now: ValidationReport) -> tuple[Finding, ...]:
    return without_known(now, read_baseline(write_baseline(baseline_of([base])))).findings


SAME = (
    pytest.param(report(finding()), report(finding()), id="nothing changed"),
    pytest.param(report(finding()), report(finding(message="9 of 7")), id="other counts"),
    pytest.param(report(finding()), report(), id="it is gone"),
    pytest.param(report(finding(), finding()), report(finding()), id="one of two is gone"),
    pytest.param(report(finding()), report(finding(severity=Severity.INFO)), id="less severe"),
    pytest.param(report(finding(), table="t/"), report(finding(), table="./t"), id="same table"),
    pytest.param(report(finding(), DL101=5), report(finding(), DL101=5), id="as many more"),
    pytest.param(report(finding(), DL101=5), report(finding()), id="fewer more"),
)


@pytest.mark.parametrize(("base", "now"), SAME)
def test_known(base: ValidationReport, now: ValidationReport) -> None:
    assert new(base, now) == ()


NEW = (
    pytest.param(report(), report(finding()), id="none before"),
    pytest.param(report(finding()), report(finding(), finding()), id="one more at a place"),
    pytest.param(report(finding()), report(finding(where="v")), id="other place"),
    pytest.param(report(finding()), report(finding("DL102")), id="other rule"),
    pytest.param(report(finding()), report(finding(), table="u"), id="other table"),
    pytest.param(report(finding()), report(finding(severity=Severity.ERROR)), id="more severe"),
    pytest.param(report(finding(), DL101=5), report(finding(), DL101=6), id="more than before"),
)


@pytest.mark.parametrize(("base", "now"), NEW)
def test_new(base: ValidationReport, now: ValidationReport) -> None:
    assert len(new(base, now)) == 1


def test_what_is_known_is_kept_as_suppressed() -> None:
    known = without_known(report(finding()), baseline_of([report(finding())]))
    assert known.suppressed == (Suppressed(finding(), Cause.BASELINE),)
    assert baseline_of([known]) == baseline_of([report(finding())])


def test_what_the_settings_ignore_is_not_known_to_a_baseline() -> None:
    ignored = ValidationReport(
        table="t", version=1, findings=(), suppressed=(Suppressed(finding(), Cause.SETTINGS),)
    )
    assert baseline_of([ignored]) == Baseline()


def test_the_file_is_sorted_and_holds_no_message() -> None:
    one, other = finding("DL102", "b"), finding("DL101", "a")
    text = write_baseline(baseline_of([report(one, other), report(one, table="a")]))
    assert text == write_baseline(baseline_of([report(one, table="a"), report(other, one)]))
    document = json.loads(text)
    assert document["format_version"] == 1
    assert [(each["table"], each["code"]) for each in document["findings"]] == [
        ("a", "DL102"),
        ("t", "DL101"),
        ("t", "DL102"),
    ]
    assert "of 5" not in text


@with_rows
def test_anything_else_is_refused(text: str, cause: str) -> None:
    with pytest.raises(SettingsError, match=cause):
        read_baseline(text)
