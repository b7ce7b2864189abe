"""What Delta on Spark refuses to read has an error that says why."""

from pathlib import Path
from typing import Any

import pytest

from deltaadm.errors import TableError
from deltaadm.rules.rule import Severity
from tests.support import oracle
from tests.support.rule_cases import report

REFUSED = [
    case
    for case in oracle.cases("odd-logs")
    if case["start"].get("kind") == "log"
    and "api" in case["ops"][0]
    and not case["expected"]["ops"][0]["ok"]
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda one: f"{one['group']}-{one['id']}")
def test_refused_log_has_an_error(case: dict[str, Any], tmp_path: Path) -> None:
    path = oracle.write_log(case["start"]["files"], tmp_path)
    try:
        found = report(path, "history").findings
    except TableError:
        return
    assert [finding for finding in found if finding.severity is Severity.ERROR]
