"""How much it matters that a file's partition values are not those that the table asks for."""

from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from deltaadm.rules.rule import Severity
from tests.support.rule_cases import report


def severities(path: Path) -> list[Severity]:
    return [one.severity for one in report(path).findings if one.code == "DL701"]


def test_deltalake_leaves_nulls_out_when_it_compacts_the_log(tmp_path: Path) -> None:
    """Delta Spark reads them as nulls; it also updates, merges and optimizes such a table."""
    path = tmp_path / "table"
    for _ in range(2):
        rows = pa.table({"a": [1, 2], "p": ["x", None]})
        write_deltalake(path, rows, partition_by=["p"], mode="append")
    assert not severities(path)
    DeltaTable(path).compact_logs(0, 1)
    assert set(severities(path)) == {Severity.WARNING}
