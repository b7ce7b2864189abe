"""Values of properties that stop Delta Spark: some recorded answers, asked again."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.tables import commit, commit_info, metadata, protocol, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED = Path(__file__).parent.parent / "data" / "property_effects.jsonl"
ASKED = (
    ("delta.columnMapping.mode", "auto"),
    ("delta.enableRowTracking", "auto"),
    ("delta.isolationLevel", "auto"),
    ("delta.isolationLevel", "WriteSerializable"),
    ("delta.checkpointInterval", "auto"),
    ("delta.checkpointInterval", "-1"),
    ("delta.logRetentionDuration", "auto"),
)


def _recorded(key: str, value: str) -> dict[str, Any]:
    rows = map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())
    wanted = [1, 2], key, value
    return next(row for row in rows if (row["protocol"], row["key"], row["value"]) == wanted)


def _succeeds(spark: "SparkSession", statement: str) -> bool:
    try:
        spark.sql(statement).collect()
    except Exception:  # noqa: BLE001 -- what it is called differs by where Spark raises it
        return False
    return True


@pytest.mark.parametrize(("key", "value"), ASKED)
def test_spark_answers_as_recorded(
    spark: "SparkSession", tmp_path: Path, key: str, value: str
) -> None:
    table(tmp_path / "t", commit(commit_info(), protocol(1, 2), metadata({key: value})))
    name = f"delta.`{tmp_path / 't'}`"
    answers = {
        "select": _succeeds(spark, "SELECT * FROM <table>".replace("<table>", name)),
        "insert": _succeeds(spark, "INSERT INTO <table> VALUES (1)".replace("<table>", name)),
    }
    assert answers == {answer: _recorded(key, value)[answer] == "ok" for answer in answers}
