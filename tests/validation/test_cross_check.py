"""How bad it is that another implementation does not open a table."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deltaadm.rules.rule import Severity
from tests.support.rule_cases import findings
from tests.support.tables import commit, commit_info, metadata, protocol, table
from tests.validation.cases.cross_check import a_property_is_null


def with_a_future_feature(path: Path) -> None:
    names = ["aFutureFeature"]
    table(path, commit(commit_info(), protocol(3, 7, names, names), metadata()))


@pytest.mark.parametrize(
    ("make", "severity"),
    [
        pytest.param(with_a_future_feature, Severity.INFO, id="for a feature"),
        pytest.param(a_property_is_null, Severity.WARNING, id="for what the log holds"),
    ],
)
def test_a_refusal(make: Callable[[Path], None], severity: Severity, tmp_path: Path) -> None:
    make(tmp_path)
    [found] = [finding for finding in findings(tmp_path, "cross-check") if finding.code == "DL985"]
    assert found.severity is severity
    assert found.message.startswith("deltalake ")
