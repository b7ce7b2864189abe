"""
Record what Delta Spark does with tables that have odd values of properties.

    python -m tools.record_property_effects > tests/data/property_effects.jsonl

It takes some five minutes. Each value stands alone on an empty table with a column `a INT`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from deltaadm.domain.properties import PROPERTIES
from deltaadm.spark.errors import refusal
from tests.support.spark_processes import local_session
from tests.support.tables import commit, commit_info, metadata, protocol, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MORE_VALUES = {
    "delta.appendOnly": ["TRUE", ""],
    "delta.checkpointInterval": ["0", "-1", "5.5", " 5", ""],
    "delta.checkpointPolicy": ["v2", "v3"],
    "delta.columnMapping.mode": ["NAME", "", "id"],
    "delta.dataSkippingNumIndexedCols": ["-2", "x1"],
    "delta.dataSkippingStatsColumns": ["a,,b", "nosuch", "a,", ""],
    "delta.dataSkippingStringPrefixLength": ["-1"],
    "delta.enableChangeDataFeed": ["TRUE", " true", ""],
    "delta.enableRowTracking": ["FALSE", ""],
    "delta.isolationLevel": [
        "Serializable", "serializable", "SnapshotIsolation", "WriteSerializable",
        "writeserializable", "", "snapshot",
    ],
    "delta.parquet.format.version": ["1.0.0", "2.0.0", "2.12.0", "3.0.0", ""],
    "delta.randomPrefixLength": ["0", "-1"],
    "delta.universalFormat.enabledFormats": ["iceberg", "hudi", "iceberg,hudi"],
}  # fmt: skip
"""Values besides `auto`, which hardly any property accepts."""

STATEMENTS = {
    "select": "SELECT * FROM {table}",
    "insert": "INSERT INTO {table} VALUES (1)",
    "delete": "DELETE FROM {table} WHERE a = 1",
}


def main() -> None:
    """Print a row for each protocol, property and value."""
    keys = sorted({known.key for known in PROPERTIES.values() if known.key.startswith("delta.")})
    with (
        tempfile.TemporaryDirectory() as root,
        local_session({"spark.databricks.delta.stats.collect": "true"}) as spark,
    ):
        for versions in ((1, 2), (3, 7)):
            for key in keys:
                for value in ("auto", *MORE_VALUES.get(key, ())):
                    row = {"protocol": versions, "key": key, "value": value}
                    place = Path(tempfile.mkdtemp(dir=root))
                    lists = ([], ["appendOnly", "invariants"]) if versions == (3, 7) else ()
                    actions = protocol(*versions, *lists), metadata({key: value})
                    table(place, commit(commit_info(), *actions))
                    answers = {
                        name: _answer(spark, text.format(table=f"delta.`{place}`"), root)
                        for name, text in STATEMENTS.items()
                    }
                    sys.stdout.write(json.dumps(row | answers) + "\n")


def _answer(spark: SparkSession, statement: str, root: str) -> str:
    """`ok`, or the error class and the beginning of the message."""
    try:
        spark.sql(statement).collect()
    except Exception as error:  # noqa: BLE001 -- what it is called differs by where it is raised
        found = refusal(error)
        return f"{found.delta_error_class} | {found.message[:120]}".replace(root, "")
    return "ok"


if __name__ == "__main__":
    main()
