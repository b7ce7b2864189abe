"""What `history` and `inspect --why` say of tables that Spark has made, against its own words."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from tests.support.program import deltaadm

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CREATION = "CREATE TABLE {} (id INT, name STRING) USING delta"
STATEMENTS = (
    "INSERT INTO {} VALUES (1, 'a'), (2, 'b')",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.minWriterVersion' = '3')",
    "ALTER TABLE {} ADD CONSTRAINT positive CHECK (id > 0)",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
    "DELETE FROM {} WHERE id = 1",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
    "ALTER TABLE {} RENAME COLUMN name TO title",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.feature.v2Checkpoint' = 'supported')",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
    "ALTER TABLE {} DROP FEATURE deletionVectors",
    "ALTER TABLE {} DROP FEATURE v2Checkpoint",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
)
SINCE = {
    "checkConstraints": ("SET TBLPROPERTIES", "implied"),
    "columnMapping": ("SET TBLPROPERTIES", "activated"),
    "inCommitTimestamp": ("SET TBLPROPERTIES", "activated"),
    "domainMetadata": ("UPGRADE PROTOCOL", "required"),
    "rowTracking": ("UPGRADE PROTOCOL", "requested"),
    "checkpointProtection": ("DROP FEATURE", "dropping"),
    "deletionVectors": ("SET TBLPROPERTIES", "activated"),
}
"""By which operation the features came that are left in the end, and why."""


def described(spark: SparkSession, table: str) -> dict[int, dict[str, Any]]:
    rows = spark.sql(f"DESCRIBE HISTORY {table}").collect()
    return {row["version"]: row.asDict() for row in rows}


def test_a_table_with_several_upgrades_and_drops(spark: SparkSession, tmp_path: Path) -> None:
    table = f"delta.`{tmp_path}`"
    for statement in (CREATION, *STATEMENTS):
        spark.sql(statement.format(table))
    detail = spark.sql(f"DESCRIBE DETAIL {table}").first().asDict()
    described_rows = described(spark, table)
    lines = deltaadm("history", tmp_path, "-o", "jsonl").lines
    for line in lines:
        row = described_rows[line["version"]]
        moment = row["timestamp"].replace(tzinfo=UTC).timestamp()
        assert (line["operation"], line["engine"]) == (row["operation"], row["engineInfo"])
        assert abs(line["timestamp"] / 1000 - moment) < 0.001
    # Of the statements above only those that write or delete rows change nothing that is shown.
    shown = {line["operation"] for line in lines}
    assert shown == {row["operation"] for row in described_rows.values()} - UNSHOWN
    check_reasons(tmp_path, described_rows, detail)
    [renamed] = [line for line in lines if line["operation"] == "RENAME COLUMN"]
    [change] = [each for each in renamed["changes"] if each["section"] == "schema"]
    assert (change["kind"], change["subject"]) == ("set", "schema[title]")
    assert (change["before"], change["after"]) == ({"column": "name"}, {"column": "title"})
    check_what_is_left_of_a_log(tmp_path, lines)


def check_what_is_left_of_a_log(path: Path, lines: list[dict[str, Any]]) -> None:
    """Without the commits before a checkpoint, as log cleanup leaves a table."""
    before = {each["name"]: each for each in reasons(path)}
    log = path / "_delta_log"
    oldest = min(int(file.name[:20]) for file in log.glob("0*.checkpoint*"))
    for version in range(oldest):
        (log / f"{version:020d}.json").unlink()
    first, *later = deltaadm("history", path, "-o", "jsonl").lines
    assert (first["version"], first["at_or_before"]) == (oldest, True)
    assert later == [line for line in lines if line["version"] > oldest]
    assert later
    for feature in reasons(path):
        since, was = feature["since"], before[feature["name"]]["since"]
        if was["version"] > oldest:
            assert since == was
        else:
            assert (since["version"], since["at_or_before"]) == (oldest, True)


def reasons(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = deltaadm("inspect", path, "--why", "-o", "json").document[
        "features"
    ]
    return found


UNSHOWN = {
    "WRITE",
    "DELETE",
    "REORG",
    "Deletion Vector Tombstones",
    "ROW TRACKING BACKFILL",
    "Empty Commit",
}


def check_reasons(
    path: Path, described_rows: dict[int, dict[str, Any]], detail: dict[str, Any]
) -> None:
    """Each feature of Spark's DESCRIBE DETAIL, and where it comes from."""
    found = deltaadm("inspect", path, "--why", "-o", "json").document
    features = {feature["name"]: feature for feature in found["features"]}
    assert sorted(features) == sorted(detail["tableFeatures"])
    versions = {version["side"]: version["version"] for version in found["versions"]}
    assert versions == {"reader": detail["minReaderVersion"], "writer": detail["minWriterVersion"]}
    for name, (operation, cause) in SINCE.items():
        since = features[name]["since"]
        assert described_rows[since["version"]]["operation"] == since["operation"] == operation, (
            name
        )
        assert features[name]["cause"] == cause, name
    last = max(described_rows)
    assert features["deletionVectors"]["since"]["version"] == last
    (gone,) = deltaadm("inspect", path, "--why", "v2Checkpoint", "-o", "json").document["absent"]
    assert gone["since"]["operation"] == "DROP FEATURE"
