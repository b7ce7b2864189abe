"""Tables of other projects: no false alarm on what Delta reads, an error on what it refuses."""

from deltaadm.rules.rule import Severity
from tests.support import oracle
from tests.support.cases import each
from tests.support.rule_cases import report

_NO_SCHEMA = {"DL301": "its metaData has no schemaString, which the protocol requires"}

TRUE: dict[str, dict[str, str]] = {
    "golden/canonicalized-paths-normal-b": _NO_SCHEMA,
    "golden/corrupted-last-checkpoint": _NO_SCHEMA,
    "golden/deltalog-commit-info": _NO_SCHEMA,
    "golden/update-deleted-directory": _NO_SCHEMA,
}
"""Tables that Delta reads and that have an error all the same: by name, code and why it is true."""


@oracle.NEEDS_CORPUS
@each("table", oracle.corpus_by_name())
def test_table(table: oracle.CorpusTable) -> None:
    if table.expected.get("version") == -1:
        return  # no table: Delta finds none there either
    found = report(table.path, "history")
    errors = {finding.code for finding in found.findings if finding.severity is Severity.ERROR}
    if "error" in table.expected:
        assert errors, "Delta refuses this table"
    else:
        assert errors == set(TRUE.get(table.name, {}))
