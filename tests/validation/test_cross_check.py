"""How bad it is that another implementation does not open a table."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from deltaadm.rules.rule import Severity
from tests.support.rule_cases import findings
from tests.support.tables import Action, commit, commit_info, metadata, protocol, table

FUTURE = protocol(3, 7, ["aFutureFeature"], ["aFutureFeature"])


@pytest.mark.parametrize(
    ("actions", "severity"),
    [
        pytest.param((FUTURE, metadata()), Severity.INFO, id="for a feature"),
        pytest.param(
            (protocol(), metadata({"owner": None})), Severity.WARNING, id="for what the log holds"
        ),
    ],
)
def test_a_refusal(actions: Sequence[Action], severity: Severity, tmp_path: Path) -> None:
    table(tmp_path, commit(commit_info(), *actions))
    [found] = [finding for finding in findings(tmp_path, "cross-check") if finding.code == "DL985"]
    assert found.severity is severity
    assert found.message.startswith("deltalake ")
