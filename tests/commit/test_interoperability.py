"""deltalake goes on with tables that the embedded commit engine has changed, and they are valid."""

from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.steps import SetProperties
from deltaadm.plans.embedded_executor import EmbeddedExecutor
from deltaadm.runs.context import now
from tests.spark.test_embedded_commits import changes, is_appended, metadata_for
from tests.support.executors import state
from tests.support.program import deltaadm
from tests.support.tables import Table


def _some() -> list[Any]:
    """Every feature on every start; outside the matrix one case of so many."""
    return [
        pytest.param(*case.values, id=case.id, marks=() if number % 16 == 0 else pytest.mark.matrix)
        for number, case in enumerate(changes())
    ]


@pytest.mark.parametrize(("step", "protocol"), _some())
def test_a_table_stays_valid_for_deltalake(
    tmp_path: Path, step: SetProperties, protocol: Protocol
) -> None:
    path = tmp_path / "t"
    Table(path).commit(0, {"protocol": protocol.to_wire()}, metadata_for(protocol))
    versions = 1 + is_appended(path, 1)
    engine = EmbeddedExecutor(SessionSettings(), now)
    for each in (step, SetProperties({"team": "web"})):
        engine.apply(str(path), each, state(path))
    versions += 2 + is_appended(path, 2)
    engine.apply(str(path), SetProperties({"team": "mobile"}), state(path))
    assert state(path).version == versions
    result = deltaadm("validate", path, "--deep", "--history", "--cross-check")
    assert result.code == 0, result.out
