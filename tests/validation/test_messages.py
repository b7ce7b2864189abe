"""What the findings say, and where."""

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm.rules.rule import RULES, Finding
from tests.support.rule_cases import CASES, Case, findings

FAMILIES = ("DL2", "DL3", "DL4")
ENGINE = re.compile(r"'delta-rs:[^']*'")


@pytest.mark.parametrize("family", FAMILIES)
def test_findings(family: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """One line a finding: case, severity, place, message, and a remedy of its own."""
    lines = []
    for case in (case_ for case_ in CASES if case_.breaks and case_.code.startswith(family)):
        path = tmp_path / case.code / case.name
        path.mkdir(parents=True)
        case.make(path)
        lines += [_line(case, finding) for finding in findings(path, case.depth, case.demands)]
    assert "\n".join(filter(None, lines)) == snapshot


def _line(case: Case, found: Finding) -> str:
    """Empty for other rules, and for DL223, which changes with every release of a client."""
    if found.code != case.code or found.code == "DL223":
        return ""
    remedy = "" if found.remedy == RULES[found.code].advice else f" => {found.remedy}"
    text = ENGINE.sub("'delta-rs'", f"{found.message}{remedy}")
    return f"{found.code} {case.name} {found.severity.value} {found.where!r}: {text!r}"
