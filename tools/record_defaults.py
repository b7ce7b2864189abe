"""
Record what tables get: what releases that are installed here make of new tables, and of changes.

`python -m tools.record_defaults DIRECTORY` runs every environment of DIRECTORY, as
`tools/laboratory.py` describes them, with `spark` after it the Delta Spark of this environment as
well, and replaces their rows in `deltaadm/reports/defaults.jsonl`. The rows with documents as their
source are written by hand. A row holds for its release and for later ones, up to the next row of
the same client and action.
"""

import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from deltaadm import load_snapshot, open_store
from deltaadm.clients import version_key
from tests.support.spark_processes import local_session
from tools.laboratory import ask

DEFAULTS = Path(__file__).parents[1] / "deltaadm/reports/defaults.jsonl"
Row = dict[str, Any]

_ARROW = """
import pyarrow as pa
number = pa.array([1, 2], pa.int64())
when = pa.array([1, 2], pa.timestamp("us"))
plain = pa.table({"a": number, "b": ["x", "y"]})
stamped = pa.table({"a": number, "b": ["x", "y"], "t": when})
strict = pa.Table.from_arrays([number], schema=pa.schema([pa.field("a", pa.int64(), False)]))
"""
_DELTALAKE = (
    _ARROW
    + """
from deltalake import DeltaTable, write_deltalake
def after(change):
    def do(path):
        write_deltalake(path, plain)
        change(path)
    return do
def set_property(key, value):
    return after(lambda path: DeltaTable(path).alter.set_table_properties({key: value}))
ACTIONS = {
    "new table": lambda path: write_deltalake(path, plain),
    "new partitioned table": lambda path: write_deltalake(path, plain, partition_by=["b"]),
    "new table with timestamps without time zone": lambda path: write_deltalake(path, stamped),
    "new table with a NOT NULL column": lambda path: write_deltalake(path, strict),
    "new columns are timestamps without time zone": after(
        lambda path: write_deltalake(path, stamped, mode="append", schema_mode="merge")),
    "CHECK constraint added": after(
        lambda path: DeltaTable(path).alter.add_constraint({"c": "a > 0"})),
    "delta.enableChangeDataFeed set": set_property("delta.enableChangeDataFeed", "true"),
    "delta.columnMapping.mode=name set": set_property("delta.columnMapping.mode", "name"),
    "delta.enableDeletionVectors set": set_property("delta.enableDeletionVectors", "true"),
    "rows deleted": after(lambda path: DeltaTable(path).delete("a = 1")),
}
"""
)
SCRIPTS = {
    "delta-rs": _DELTALAKE,
    "polars": _ARROW + """
import polars
def write(frame, **options):
    return lambda path: polars.from_arrow(frame).write_delta(path, **options)
def merged(path):
    write(plain)(path)
    write(stamped, mode="append", delta_write_options={"schema_mode": "merge"})(path)
ACTIONS = {
    "new table": write(plain),
    "new partitioned table": write(plain, delta_write_options={"partition_by": ["b"]}),
    "new table with timestamps without time zone": write(stamped),
    "new columns are timestamps without time zone": merged,
}
""",
    "daft": _ARROW + """
import daft
def write(frame, **options):
    return lambda path: daft.from_arrow(frame).write_deltalake(path, **options)
ACTIONS = {
    "new table": write(plain),
    "new partitioned table": write(plain, partition_cols=["b"]),
    "new table with timestamps without time zone": write(stamped),
}
""",
}  # fmt: skip
_RUN = """
import json, sys
directory = json.load(sys.stdin)
for number, (name, do) in enumerate(ACTIONS.items()):
    try:
        do(f"{directory}/{number}")
        print("\\n>", json.dumps([name, f"{directory}/{number}"]))
    except BaseException as error:
        print("\\n>", json.dumps([name, f"{type(error).__name__}: {error}"[:100]]))
"""
_NEW = "CREATE TABLE {} (a BIGINT, b STRING) USING delta"


def _altered(*statements: str) -> tuple[str, ...]:
    return (_NEW, "INSERT INTO {} VALUES (1, 'x'), (2, 'y')", *statements)


def _set(key: str, value: str = "true") -> tuple[str, ...]:
    return _altered(f"ALTER TABLE {{}} SET TBLPROPERTIES ('{key}' = '{value}')")


STATEMENTS = {
    "new table": (_NEW,),
    "new partitioned table": (f"{_NEW} PARTITIONED BY (b)",),
    "new table with timestamps without time zone": (
        "CREATE TABLE {} (a BIGINT, t TIMESTAMP_NTZ) USING delta",),
    "new table with a NOT NULL column": ("CREATE TABLE {} (a BIGINT NOT NULL) USING delta",),
    "new table with a VARIANT column": ("CREATE TABLE {} (a BIGINT, v VARIANT) USING delta",),
    "new table with a column default": (
        f"{_NEW} TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
        "ALTER TABLE {} ALTER COLUMN a SET DEFAULT 1"),
    "new table with a generated column": (
        "CREATE TABLE {} (a BIGINT, b BIGINT GENERATED ALWAYS AS (a + 1)) USING delta",),
    "new table with an identity column": (
        "CREATE TABLE {} (a BIGINT GENERATED ALWAYS AS IDENTITY, b INT) USING delta",),
    "new clustered table": (f"{_NEW} CLUSTER BY (a)",),
    "CHECK constraint added": _altered("ALTER TABLE {} ADD CONSTRAINT c CHECK (a > 0)"),
    "clustering added": _altered("ALTER TABLE {} CLUSTER BY (a)"),
    "delta.enableChangeDataFeed set": _set("delta.enableChangeDataFeed"),
    "delta.columnMapping.mode=name set": _set("delta.columnMapping.mode", "name"),
    "delta.enableDeletionVectors set": _set("delta.enableDeletionVectors"),
    "delta.enableRowTracking set": _set("delta.enableRowTracking"),
    "delta.enableTypeWidening set": _set("delta.enableTypeWidening"),
    "delta.enableInCommitTimestamps set": _set("delta.enableInCommitTimestamps"),
    "rows deleted": _altered("DELETE FROM {} WHERE a = 1"),
}  # fmt: skip


def by_spark(directory: Path) -> Iterator[tuple[str, Path | str]]:
    with local_session(cores=1) as spark:
        for number, (action, statements) in enumerate(STATEMENTS.items()):
            path = directory / str(number)
            try:
                for statement in statements:
                    spark.sql(statement.format(f"delta.`{path}`"))
                yield action, path
            except Exception as error:  # noqa: BLE001 -- whatever Spark throws
                yield action, str(error)[:100]


def by_environment(environment: Path, directory: Path) -> Iterator[tuple[str, Path | str]]:
    client = environment.name.rpartition("-")[0]
    for action, said in ask(environment, SCRIPTS[client] + _RUN, str(directory), directory)[0]:
        yield action, Path(said) if said.startswith(str(directory)) else said


def rows_of(client: str, release: str, made: Any) -> Iterator[Row]:
    for action, answer in made:
        row = {"client": client, "release": release, "action": action}
        if isinstance(answer, Path):
            snapshot = load_snapshot(open_store(str(answer)))
            protocol, configuration = snapshot.protocol, snapshot.metadata.configuration
            row["protocol"] = [protocol.min_reader_version, protocol.min_writer_version]
            row["features"] = sorted(protocol.explicit_names)
            row["properties"] = {
                key: "" if re.search("materialized|EnablementTimestamp", key) else value  # random
                for key, value in sorted(configuration.items())
            }
            row["schema"] = snapshot.metadata.schema_string
        else:
            row["refused"] = answer
        yield row | {"source": "tried", "date": time.strftime("%Y-%m-%d")}


def merged(rows: list[Row]) -> Iterator[Row]:
    """The rows without those that say the same as the one before them, which names the release."""
    last: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: (row["client"], version_key(row["release"]))):
        key = row["client"], row["action"]
        same = {"release", "source", "date", "tried"}
        before = last.get(key)
        if before and {k: v for k, v in before.items() if k not in same} == {
            k: v for k, v in row.items() if k not in same
        }:
            before["tried"] = [*before.get("tried", [before["release"]]), row["release"]]
            continue
        last[key] = row
        yield row


def main(directory: str, *also: str) -> None:
    rows = [json.loads(line) for line in DEFAULTS.read_text().splitlines()]
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as root:
        for environment in sorted(Path(directory).iterdir()):
            client, _, release = environment.name.rpartition("-")
            if client in SCRIPTS:
                place = Path(root, environment.name)
                place.mkdir()
                found += rows_of(client, release, by_environment(environment, place))
        if "spark" in also:
            found += rows_of("delta-spark", version("delta-spark"), by_spark(Path(root, "spark")))
    again = {row["client"] for row in found}
    kept = [row for row in rows if row["client"] not in again or row["source"] != "tried"]
    DEFAULTS.write_text("".join(f"{json.dumps(row)}\n" for row in [*kept, *merged(found)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
