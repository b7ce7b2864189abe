"""
A table that Spark takes through many changes, what Spark says of it, and what we say.

    python -m tools.spark_history

records its log and Spark's answers in `tests/data/history.json.xz`, in half a minute.
"""

from __future__ import annotations

import base64
import json
import lzma
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.program import deltaadm
from tests.support.spark_processes import local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STATEMENTS = (
    "CREATE TABLE {} (id INT, name STRING) USING delta", "INSERT INTO {} VALUES (1, 'a'), (2, 'b')",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.minWriterVersion' = '3')",
    "ALTER TABLE {} ADD CONSTRAINT positive CHECK (id > 0)",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
    "DELETE FROM {} WHERE id = 1",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
    "ALTER TABLE {} RENAME COLUMN name TO title",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.feature.v2Checkpoint' = 'supported')",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
    "ALTER TABLE {} DROP FEATURE deletionVectors", "ALTER TABLE {} DROP FEATURE v2Checkpoint",
    "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
)  # fmt: skip
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

UNSHOWN = {
    "WRITE", "DELETE", "REORG", "Deletion Vector Tombstones", "ROW TRACKING BACKFILL",
    "Empty Commit",
}  # fmt: skip
"""The operations of the statements above that only write or delete rows."""

_RECORDING = Path(__file__).parent.parent / "tests" / "data" / "history.json.xz"


@dataclass(frozen=True)
class Described:
    """
    What Spark says of the table.

    Of each version the operation, the engine and the time in seconds since the epoch, as DESCRIBE
    HISTORY has them; features and protocol versions, as DESCRIBE DETAIL has them.
    """

    versions: dict[int, tuple[str, str, float]]
    features: list[str]
    reader: int
    writer: int


def make(spark: SparkSession, path: Path) -> Described:
    """Carry out the statements on a new table at *path*, and ask Spark about it."""
    table = f"delta.`{path}`"
    for statement in STATEMENTS:
        spark.sql(statement.format(table))
    versions = {
        row["version"]: (row["operation"], row["engineInfo"], row["timestamp"].timestamp())
        for row in spark.sql(f"DESCRIBE HISTORY {table}").collect()
    }
    detail: Any = spark.sql(f"DESCRIBE DETAIL {table}").first()
    return Described(
        versions,
        sorted(detail["tableFeatures"]),
        detail["minReaderVersion"],
        detail["minWriterVersion"],
    )


def save(path: Path, described: Described) -> None:
    """Record the log at *path* and what Spark says of it."""
    files = [
        {
            "path": str(file.relative_to(path)),
            "modified": file.stat().st_mtime_ns,
            "body": base64.b64encode(file.read_bytes()).decode(),
        }
        for file in sorted((path / "_delta_log").rglob("*"))
        if file.is_file()
    ]
    text = json.dumps({"files": files, "described": asdict(described)}, sort_keys=True)
    _RECORDING.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def restore(path: Path) -> Described:
    """Write the recorded log at *path*."""
    recorded = json.loads(lzma.decompress(_RECORDING.read_bytes()))
    for entry in recorded["files"]:
        file = path / entry["path"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(entry["body"]))
        os.utime(file, ns=(entry["modified"],) * 2)
    described = recorded["described"]
    versions = {int(key): tuple(value) for key, value in described.pop("versions").items()}
    return Described(versions, **described)


def check(path: Path, described: Described) -> None:
    """Compare `history` and `inspect --why` with what Spark says; takes old commits away."""
    lines = deltaadm("history", path, "-o", "jsonl").lines
    for line in lines:
        operation, engine, time = described.versions[line["version"]]
        assert (line["operation"], line["engine"]) == (operation, engine)
        assert abs(line["timestamp"] / 1000 - time) < 0.001
    operations = {operation for operation, _, _ in described.versions.values()}
    assert {line["operation"] for line in lines} == operations - UNSHOWN
    _check_reasons(path, described)
    [renamed] = [line for line in lines if line["operation"] == "RENAME COLUMN"]
    [change] = [each for each in renamed["changes"] if each["section"] == "schema"]
    assert (change["kind"], change["subject"]) == ("set", "schema[title]")
    assert (change["before"], change["after"]) == ({"column": "name"}, {"column": "title"})
    _check_what_is_left_of_a_log(path, lines)


def _check_reasons(path: Path, described: Described) -> None:
    """Each feature that Spark names, and where it comes from."""
    document = deltaadm("inspect", path, "--why", "-o", "json").document
    features = {feature["name"]: feature for feature in document["features"]}
    assert sorted(features) == described.features
    versions = {version["side"]: version["version"] for version in document["versions"]}
    assert versions == {"reader": described.reader, "writer": described.writer}
    for name, (operation, cause) in SINCE.items():
        since = features[name]["since"]
        at_version = described.versions[since["version"]][0]
        assert at_version == since["operation"] == operation, name
        assert features[name]["cause"] == cause, name
    assert features["deletionVectors"]["since"]["version"] == max(described.versions)
    (gone,) = deltaadm("inspect", path, "--why", "v2Checkpoint", "-o", "json").document["absent"]
    assert gone["since"]["operation"] == "DROP FEATURE"


def _check_what_is_left_of_a_log(path: Path, lines: list[dict[str, Any]]) -> None:
    """Without the commits before a checkpoint, as log cleanup leaves a table."""
    before = {feature["name"]: feature for feature in _reasons(path)}
    log = path / "_delta_log"
    oldest = min(int(file.name[:20]) for file in log.glob("0*.checkpoint*"))
    for version in range(oldest):
        (log / f"{version:020d}.json").unlink()
    first, *later = deltaadm("history", path, "-o", "jsonl").lines
    assert (first["version"], first["at_or_before"]) == (oldest, True)
    assert later == [line for line in lines if line["version"] > oldest]
    assert later
    for feature in _reasons(path):
        since, was = feature["since"], before[feature["name"]]["since"]
        if was["version"] > oldest:
            assert since == was
        else:
            assert (since["version"], since["at_or_before"]) == (oldest, True)


def _reasons(path: Path) -> list[dict[str, Any]]:
    features: list[dict[str, Any]] = deltaadm("inspect", path, "--why", "-o", "json").document[
        "features"
    ]
    return features


def main() -> None:
    """Make the table and record it."""
    with tempfile.TemporaryDirectory() as directory, local_session() as session:
        save(Path(directory), make(session, Path(directory)))


if __name__ == "__main__":
    main()
