"""How much it matters that a file's partition values are not those that the table asks for."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from deltaadm.rules.rule import Severity
from tests.support.rule_cases import report
from tests.support.tables import add, column, commit, metadata, protocol, schema, table


def severities(path: Path) -> list[Severity]:
    return [one.severity for one in report(path).findings if one.code == "DL701"]


@pytest.mark.parametrize(("values", "severity"), [
    ({"p": "1", "q": None}, None),
    ({"p": "1"}, Severity.WARNING),
    ({"q": "1"}, Severity.ERROR),
    ({}, Severity.ERROR),
    ({"p": "1", "other": None}, Severity.ERROR),
], ids=["complete", "q, which can be null", "p, which cannot", "both", "another"])  # fmt: skip
def test_a_value_is_missing(
    values: dict[str, Any], severity: Severity | None, tmp_path: Path
) -> None:
    columns = column("a"), column("p", nullable=False), column("q")
    made = metadata(schemaString=schema(*columns), partitionColumns=["p", "q"])
    table(tmp_path, commit(protocol(), made, add("f", partitionValues=values)))
    assert severities(tmp_path) == [severity] * (severity is not None)


def test_deltalake_leaves_nulls_out_when_it_compacts_the_log(tmp_path: Path) -> None:
    """Delta Spark reads them as nulls; it also updates, merges and optimizes such a table."""
    path = tmp_path / "table"
    for _ in range(2):
        rows = pa.table({"a": [1, 2], "p": ["x", None]})
        write_deltalake(path, rows, partition_by=["p"], mode="append")
    assert not severities(path)
    DeltaTable(path).compact_logs(0, 1)
    assert set(severities(path)) == {Severity.WARNING}
