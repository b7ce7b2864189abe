"""What each format for CI systems promises beyond being harmless."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from deltaadm.formats import FORMATS, Style, render
from deltaadm.formats.ci import path_of, uri_of
from deltaadm.reports.explain import explain, list_rules
from deltaadm.reports.validate import choose_rules
from deltaadm.rules.rule import Severity, ValidationReport
from tests.support.rows import with_rows
from tests.support.samples import FINDINGS, events, finding, validations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deltaadm.blocks import Report


def shown(name: str, *reports: Report, fail_on: Severity = Severity.ERROR) -> str:
    out = StringIO()
    render(name, reports, out, Style(fail_on=fail_on))
    return out.getvalue()


def report(*findings: Any, **more: Any) -> ValidationReport:
    return ValidationReport(**({"table": "events", "version": 3, "findings": findings} | more))


@pytest.fixture
def samples(tmp_path: Path) -> Sequence[Report]:
    return validations(tmp_path)


@pytest.mark.parametrize("name", FORMATS)
def test_every_report_that_a_format_claims_is_shown(
    name: str, every_report: Sequence[Report]
) -> None:
    for sample in every_report:
        if FORMATS[name].shows(type(sample).__name__):
            output = shown(name, sample)
            assert output or not getattr(sample, "findings", ())


# SARIF


def test_sarif_is_valid(samples: Sequence[Report], sarif_validator: Any) -> None:
    sarif_validator.validate(json.loads(shown("sarif", *samples)))
    sarif_validator.validate(json.loads(shown("sarif")))


def test_sarif_of_every_rule_is_valid_and_has_its_help(sarif_validator: Any) -> None:
    rules = choose_rules()
    found = [replace(finding(1, rule.severity, "Found."), code=rule.code) for rule in rules]
    log = json.loads(shown("sarif", report(*found)))
    sarif_validator.validate(log)
    listed = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in listed] == [rule.code for rule in rules]
    assert all("What to do" in rule["help"]["text"] for rule in listed)
    assert all(len(rule["shortDescription"]["text"]) <= 1024 for rule in listed)


def test_sarif_has_one_run_for_all_tables(samples: Sequence[Report]) -> None:
    [run] = json.loads(shown("sarif", *samples))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert {result["level"] for result in run["results"]} == {"error", "warning", "note"}
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert run["invocations"][0]["executionSuccessful"] is False


def test_sarif_says_where(samples: Sequence[Report]) -> None:
    [run] = json.loads(shown("sarif", *samples))["runs"]
    places = [result["locations"][0] for result in run["results"]]
    uris = [place["physicalLocation"]["artifactLocation"]["uri"] for place in places]
    assert uris[:3] == [
        "events/_delta_log",
        "events/_delta_log/00000000000000000002.json",
        "events/day=1/a.parquet",
    ]
    assert places[0]["logicalLocations"][0] == {
        "name": "protocol.writerFeatures[domainMetadata]",
        "fullyQualifiedName": "events#protocol.writerFeatures[domainMetadata]",
        "kind": "property",
    }


def test_sarif_marks_what_does_not_count(samples: Sequence[Report]) -> None:
    [run] = json.loads(shown("sarif", *samples))["runs"]
    suppressed = [result for result in run["results"] if result["suppressions"]]
    assert [result["ruleId"] for result in suppressed] == ["DL995", "DL995"]
    reasons = [result["suppressions"][0]["justification"] for result in suppressed]
    assert reasons == ["baseline", "Told to the owner."]


@with_rows
def test_paths_become_uris(path: str, uri: str) -> None:
    assert uri_of(path) == uri


@with_rows
def test_files_are_named_as_seen_from_the_user(table: str, file: str, path: str) -> None:
    assert path_of(table, file) == path


@with_rows
def test_findings_are_put_into_the_file_they_are_about(where: str, file: str) -> None:
    [one] = json.loads(shown("gitlab", report(finding(1, Severity.INFO, "Odd.", where=where))))
    assert one["location"]["path"] == file


# fingerprints


def fingerprints(*findings: Any, **more: Any) -> list[str]:
    return [
        issue["fingerprint"] for issue in json.loads(shown("gitlab", report(*findings, **more)))
    ]


def test_fingerprints_are_the_same_in_every_run() -> None:
    assert fingerprints(*FINDINGS) == fingerprints(*FINDINGS)
    assert len(set(fingerprints(*FINDINGS))) == len(FINDINGS)
    assert fingerprints(FINDINGS[0]) == ["22676f5612e77fe4c7dd30a7cbe8881e"]


def test_fingerprints_survive_other_versions_and_messages() -> None:
    reworded = replace(FINDINGS[0], message="Version 9 lacks it.", remedy="")
    assert fingerprints(reworded, version=9) == fingerprints(FINDINGS[0])


def test_fingerprints_differ_by_table_code_and_place() -> None:
    one = FINDINGS[0]
    others = (replace(one, code="DL998"), replace(one, where="id"))
    assert len({*fingerprints(one), *fingerprints(*others), *fingerprints(one, table="b")}) == 4


def test_sarif_and_gitlab_agree_on_fingerprints(samples: Sequence[Report]) -> None:
    [run] = json.loads(shown("sarif", samples[0]))["runs"]
    marks = [result["partialFingerprints"]["deltaadmFinding/v1"] for result in run["results"]]
    issues = json.loads(shown("gitlab", samples[0]))
    assert marks[: len(issues)] == [issue["fingerprint"] for issue in issues]


# GitLab


def test_gitlab_has_what_its_documentation_demands(samples: Sequence[Report]) -> None:
    for issue in json.loads(shown("gitlab", *samples)):
        assert issue["description"]
        assert issue["check_name"]
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["lines"]["begin"] == 1
        assert not issue["location"]["path"].startswith("./")
    assert json.loads(shown("gitlab")) == []


# JUnit


@pytest.mark.parametrize(
    ("fail_on", "failures"),
    [(Severity.ERROR, 2), (Severity.WARNING, 5), (Severity.INFO, 6)],
    ids=lambda value: getattr(value, "value", ""),
)
def test_junit_fails_what_the_exit_code_fails(fail_on: Severity, failures: int) -> None:
    root = ET.fromstring(shown("junit", report(*FINDINGS), fail_on=fail_on))  # noqa: S314
    assert len(root.findall(".//failure")) == failures
    assert len(root.findall(".//testcase")) == len(FINDINGS)


def test_junit_counts_what_it_lists(samples: Sequence[Report]) -> None:
    root = ET.fromstring(shown("junit", *samples))  # noqa: S314 -- our own output
    for suite in (root, *root):
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert suite.get(name) == str(len(suite.findall(f".//{tag}")))
    assert [element.get("name") for element in root] == [
        "events", "orders", "/data/broken", "s3://bucket/none",
    ]  # fmt: skip
    assert root.get("errors") == "2"


def test_junit_names_no_test_twice() -> None:
    root = ET.fromstring(shown("junit", report(*FINDINGS)))  # noqa: S314 -- our own output
    names = [case.get("name") for case in root.iter("testcase")]
    assert len(set(names)) == len(names)


def test_junit_has_a_test_for_a_table_without_findings() -> None:
    [suite] = ET.fromstring(shown("junit", report()))  # noqa: S314 -- our own output
    assert [element.tag for element in suite] == ["testcase"]


# GitHub


def test_github_escapes_as_its_runner_reads(samples: Sequence[Report]) -> None:
    odd = finding(1, Severity.WARNING, "50% of a:b, c", where="day=1,2/x:y.parquet", remedy="")
    assert shown("github", report(odd, table="my:table")) == (
        "::warning file=my%3Atable/day=1%2C2/x%3Ay.parquet,title=DL991 sample-rule"
        "::day=1,2/x:y.parquet: 50%25 of a:b, c\n"
    )
    assert all(re.match(r"::\w+ file=", line) for line in shown("github", *samples).splitlines())


@pytest.mark.parametrize("place", ["protocol", "client[redshift-spectrum]", "settings[DL101]"])
def test_a_place_that_is_not_a_file_is_none_for_github(place: str) -> None:
    found = finding(1, Severity.WARNING, "Odd.", where=place, remedy="")
    line = f"::warning file=t/_delta_log,title=DL991 sample-rule::{place}: Odd.\n"
    assert shown("github", report(found, table="t")) == line


def test_github_says_nothing_of_a_table_without_findings() -> None:
    assert shown("github", report()) == ""


def test_fixes_stand_beside_their_findings(samples: Sequence[Report]) -> None:
    command = "deltaadm enable-feature events domainMetadata --support-only --apply"
    for name in ("sarif", "junit", "github", "gitlab", "markdown", "html", "json", "text"):
        assert command in shown(name, samples[0]), name


@pytest.mark.parametrize("name", ["text", "json", "jsonl", "markdown", "html"])
@pytest.mark.parametrize("word", ["DL101", "rowTracking", "DELTA_VERSIONS_NOT_CONTIGUOUS"])
def test_explanations_have_pages(name: str, word: str) -> None:
    assert word in shown(name, explain(word)).replace("&#95;", "_")


def test_every_rule_is_on_the_page_of_rules() -> None:
    rules = list_rules()
    for name in ("markdown", "html"):
        page = shown(name, rules)
        assert all(rule.code in page for rule in rules.rules)


# the features that require each other


def required(page: str) -> list[str]:
    """What features require on *page*, as a reader sees it."""
    lists = "".join(re.findall(r'<ul class="changes">(.*?)</ul>', page))
    return [unescape(re.sub("<.*?>", "", row)) for row in re.findall("<li.*?>(.*?)</li>", lists)]


def test_page_shows_what_is_required_and_missing(tmp_path: Path) -> None:
    rows = required(shown("html", report(*FINDINGS, snapshot=events(tmp_path))))
    assert "rowTracking → domainMetadata (missing: domainMetadata) (error)" in rows
    assert "icebergCompatV1 → columnMapping (info)" in rows


def test_page_lists_its_reports(samples: Sequence[Report]) -> None:
    page = shown("html", *samples)
    anchors = set(re.findall(r'href="#([^"]*)"', page))
    assert len([anchor for anchor in anchors if anchor.startswith("report-")]) == len(samples)
    assert anchors <= set(re.findall(r' id="([^"]*)"', page))


def test_page_repeats_no_id(samples: Sequence[Report]) -> None:
    ids = re.findall(r' id="([^"]*)"', shown("html", *samples, *samples))
    assert len(set(ids)) == len(ids)


def test_pages_refer_to_what_they_have(samples: Sequence[Report]) -> None:
    page = shown("html", *samples)
    ids = set(re.findall(r' id="([^"]*)"', page))
    labels = {name for found in re.findall(r'labelledby="([^"]*)"', page) for name in found.split()}
    assert labels <= ids
