"""Tables of other projects: no false alarm on what Delta reads, an error on what it refuses."""

from typing import Any

import pytest

from deltaadm.validation.rule import Severity
from tests.support import oracle
from tests.support.rule_cases import report

_NO_SCHEMA = {"DL301": "its metaData has no schemaString, which the protocol requires"}

TRUE: dict[str, dict[str, str]] = {
    "golden/canonicalized-paths-normal-b": _NO_SCHEMA,
    "golden/corrupted-last-checkpoint": _NO_SCHEMA,
    "golden/deltalog-commit-info": _NO_SCHEMA,
    "golden/update-deleted-directory": _NO_SCHEMA,
}
"""Tables that Delta reads and that have an error all the same: by name, code and why it is true."""


def _tables() -> list[Any]:
    reason = "no corpus next to the repository: set DELTAADM_SHARED to where it is"
    return [
        pytest.param(recorded, id=recorded.name) for recorded in oracle.corpus_if_present()
    ] or [pytest.param(None, id="absent", marks=pytest.mark.skip(reason=reason))]


@pytest.mark.parametrize("table", _tables())
def test_table(table: oracle.CorpusTable) -> None:
    if table.expected.get("version") == -1:
        pytest.skip("no table: Delta finds none there either")
    found = report(table.path, "history")
    errors = {finding.code for finding in found.findings if finding.severity is Severity.ERROR}
    if "error" in table.expected:
        assert errors, "Delta refuses this table"
    else:
        assert errors == set(TRUE.get(table.name, {}))
