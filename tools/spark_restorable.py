"""
Tables with vacuums, log cleanups, lost files and shallow clones, and what Spark reads of them.

    python -m tools.spark_restorable 0 56

grows a table for each of these seeds, compares what Spark answers with `history --restorable`, and
records a row of `tests/data/restorable.jsonl.xz` for each.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import struct
import sys
import tempfile
import time
import uuid
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from deltaadm.domain.file_facts import num_records
from deltaadm.plans.checkpoint import State, write_checkpoint
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.store import open_store
from tests.support import tables
from tests.support.oracle import record_rows, recorded
from tests.support.program import deltaadm
from tests.support.spark_processes import local_session
from tests.support.tables import Table
from tools.laboratory import bitmap, z85

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession

    Row = dict[str, Any]

DAY = 86_400
_ROWS = Path(__file__).parent.parent / "tests/data/restorable.jsonl.xz"
ENFORCED = "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration"
CHECKED = "spark.databricks.delta.retentionDurationCheck.enabled"
LISTED_BY = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
"""So many tasks list the files for VACUUM: ten thousand by default."""
_REASONS = {
    "allowed": "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION",
    "described": "DELTA_VERSION_NOT_FOUND|DELTA_NO_RECREATABLE_HISTORY",
    "opened": "FILE_NOT_EXIST|FileNotFound|DELTA_FILE_NOT_FOUND",
}


# Growing a table

VARIANTS = 7
"""So many seeds begin with the same past, since most of the time is spent in it."""


def grow(spark: SparkSession, place: Path, seed: int) -> Path:
    """A table with a past below *place*, which seeds of the same number of `VARIANTS` share."""
    chance, events = random.Random(seed // VARIANTS), place / "events"  # noqa: S311 -- of no secret
    properties = {
        "delta.enableDeletionVectors": chance.choice(["true", "true", "false"]),
        "delta.checkpointInterval": chance.choice(["3", "4", "5", "100"]),
        "delta.enableInCommitTimestamps": chance.choice(["true", "false", "false", "false"]),
        "delta.enableChangeDataFeed": chance.choice(["true", "false", "false"]),
        "delta.columnMapping.mode": chance.choice(["name", "none", "none"]),
        "delta.checkpointPolicy": chance.choice(["v2", "classic", "classic"]),
    }
    days = chance.choice([None, 2, 2, 7, 0])
    if days is not None:
        properties["delta.deletedFileRetentionDuration"] = f"interval {days} days"
        properties["delta.logRetentionDuration"] = f"interval {days + chance.choice([0, 3])} days"
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    parts = "PARTITIONED BY (p)" if chance.random() < 0.4 else ""
    name = f"delta.`{events}`"
    spark.sql(f"CREATE TABLE {name} (a INT, p INT) USING delta {parts} TBLPROPERTIES ({listed})")
    for number in range(6):
        _change(spark, name, chance, number)
    return events


def vary(spark: SparkSession, events: Path, seed: int) -> list[Path]:
    """One fate of the table: a clone of it, vacuums, age, log cleanup and losses."""
    chance, made, name = random.Random(seed), [events], f"delta.`{events}`"  # noqa: S311
    spark.conf.set(CHECKED, "false")
    spark.conf.set(LISTED_BY, "2")
    for _ in range(chance.randint(1, 4)):
        _commit(events, chance)
    if seed % 3 == 0:
        _forget(spark)
        made.append(events.parent / "clone")
        spark.sql(f"CREATE TABLE delta.`{made[1]}` SHALLOW CLONE {name}")
    if chance.random() < 0.4:
        _forget(spark)
        spark.sql(f"VACUUM {name} RETAIN 0 HOURS")
    for _ in range(chance.randint(1, 4)):
        for table in made:
            _commit(table, chance)
    if chance.random() < 0.4:
        store = open_store(str(events))
        write_checkpoint(store, load_snapshot(store))
    _age(events, chance)
    _forget(spark)
    _clean(spark, events, chance)
    _lose(events, chance)
    _forget(spark)
    return made


def _change(spark: SparkSession, name: str, chance: random.Random, number: int) -> None:
    rows = f"SELECT CAST(id AS INT), CAST(id % 2 AS INT) FROM range({number}0, {number}9, 1, 2)"  # noqa: S608
    key = chance.randrange(number * 10 + 9)
    statement = chance.choice([
        "INSERT INTO {name} {rows}", "INSERT INTO {name} {rows}", "INSERT INTO {name} {rows}",
        "DELETE FROM {name} WHERE a % 7 = {key} % 7", "DELETE FROM {name} WHERE a = {key}",
        "UPDATE {name} SET a = a + 1 WHERE a % 5 = 0", "OPTIMIZE {name}",
        "INSERT OVERWRITE {name} {rows}", "ALTER TABLE {name} SET TBLPROPERTIES ('n' = '{key}')",
        "RESTORE TABLE {name} TO VERSION AS OF 1", "REORG TABLE {name} APPLY (PURGE)",
    ])  # fmt: skip
    with suppress(Exception):  # what needs files that VACUUM has taken, or the version that it is
        spark.sql(statement.format(name=name, rows=rows, key=key))


def _commit(table: Path, chance: random.Random) -> None:
    """
    What Delta would commit for a change, without the time that Spark takes: files of the newest
    version are copied under other names, removed, and given deletion vectors.
    """
    store = open_store(str(table))
    snapshot = load_snapshot(store)
    assert snapshot.segment is not None
    adds = [add for add in State(store, snapshot.segment).file_actions() if add[0] == "add"]
    now = int(time.time() * 1000)
    actions: list[Row] = [tables.commit_info(timestamp=now, inCommitTimestamp=now)]
    for _, add in chance.sample(adds, min(len(adds), chance.randint(1, 3))):
        how, new = chance.choice(["copy", "remove", "delete"]), dict(add)
        source = table / unquote(add["path"])
        if how == "copy" and source.is_file() and ":" not in add["path"]:
            new["path"] = f"{add['path'].rpartition('.')[0]}-{chance.randrange(10**9)}.parquet"
            shutil.copy(source, table / unquote(new["path"]))
            actions.append({"add": new})
        elif how == "delete" and snapshot.protocol.supports("deletionVectors"):
            new["deletionVector"] = _vector(table, uuid.UUID(int=chance.getrandbits(128)))
            new["stats"] = json.dumps({"numRecords": num_records(add.get("stats")) or 9})
            actions.append({"add": new})
        if how != "copy":
            kept = {key: add[key] for key in ("path", "deletionVector") if key in add}
            more = {"partitionValues": add["partitionValues"], "size": add["size"]}
            actions.append({"remove": kept | {
                "deletionTimestamp": now, "dataChange": True, "extendedFileMetadata": True, **more,
            }})  # fmt: skip
    chance.shuffle(actions[1:])
    Table(table).commit(snapshot.version + 1, *actions)


def _vector(table: Path, name: uuid.UUID) -> Row:
    """The descriptor of a vector, in a new file, that deletes the first row."""
    deleted = bitmap([0])
    body = struct.pack(">I", len(deleted)) + deleted + struct.pack(">I", zlib.crc32(deleted))
    (table / f"deletion_vector_{name}.bin").write_bytes(b"\x01" + body)
    return tables.deletion_vector(z85(name.bytes)) | {"sizeInBytes": len(deleted)}


def _age(table: Path, chance: random.Random) -> None:
    """Make the log and the files older than they are."""
    has_checkpoints = any((table / "_delta_log").glob("*.checkpoint*"))
    log, step, now = table / "_delta_log", chance.choice([0, 0.4, 1, 3]), time.time()
    commits = sorted(log.glob("*.json"))
    last = max(int(file.name[:20]) for file in commits)
    for file in sorted(log.glob("0*")):
        old = now - (last - int(file.name[:20])) * step * DAY
        if not has_checkpoints and file in commits:
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            for line in lines:
                if "remove" in line:
                    line["remove"]["deletionTimestamp"] = int(old * 1000)
            file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
            (log / f".{file.name}.crc").unlink(missing_ok=True)
        os.utime(file, (old, old))
    for file in _data(table):
        old = now - chance.choice([0, 0, 1, 5, 40]) * DAY
        os.utime(file, (old, old))


def _data(table: Path) -> list[Path]:
    found = (file for file in table.rglob("*") if file.is_file() and file.suffix != ".crc")
    return sorted(file for file in found if "_delta_log" not in file.relative_to(table).parts)


def _clean(spark: SparkSession, table: Path, chance: random.Random) -> None:
    """Remove old files of the log as Delta does, or by hand."""
    how = chance.choice(["never", "never", "Delta", "Delta", "commits", "all"])
    log = table / "_delta_log"
    if how == "Delta":
        delta = _jvm(spark).DeltaLog.forTable(spark._jsparkSession, str(table))  # noqa: SLF001
        delta.doLogCleanup(delta.unsafeVolatileSnapshot(), spark._jvm.scala.Option.empty())  # noqa: SLF001
    checkpoints = sorted({int(file.name[:20]) for file in log.glob("0*.checkpoint*.parquet")})
    if how in {"commits", "all"} and checkpoints:
        before = chance.choice(checkpoints) - chance.choice([0, 0, 1])
        for file in log.glob("0*"):
            if int(file.name[:20]) < before and (how == "all" or file.suffix == ".json"):
                file.unlink()


def _lose(table: Path, chance: random.Random) -> None:
    """Lose some files, and leave some that are nobody's."""
    files = _data(table)
    if chance.random() < 0.5:
        for file in chance.sample(files, min(len(files), chance.randint(1, 2))):
            file.unlink()
    for name in chance.sample(["orphan.parquet", "p=1/orphan.parquet", "_hidden/x", ".y"], 2):
        orphan = table / name
        orphan.parent.mkdir(exist_ok=True)
        orphan.write_bytes(b"12345")
        os.utime(orphan, (time.time() - 50 * DAY,) * 2)


def _jvm(spark: SparkSession) -> Any:
    return spark._jvm.org.apache.spark.sql.delta  # noqa: SLF001


def _forget(spark: SparkSession) -> None:
    """What Delta has cached of logs that have been changed behind its back."""
    _jvm(spark).DeltaLog.clearCache()


# What Spark says


def ask(spark: SparkSession, table: Path) -> tuple[list[str], list[str]]:
    """Why Spark does not read each version: with the limit of its time travel, and without."""
    last = max(int(file.name[:20]) for file in (table / "_delta_log").glob("0*.json"))
    limited = [reason(spark, table, version, limited=True) for version in range(last + 1)]
    by_files = [
        reason(spark, table, version, limited=False) if why == "allowed" else why
        for version, why in enumerate(limited)
    ]
    return limited, by_files


def reason(spark: SparkSession, table: Path, version: int, *, limited: bool) -> str:
    """Why Spark does not read a version; empty if it does."""
    spark.conf.set(ENFORCED, str(limited).lower())
    try:
        spark.sql(f"SELECT * FROM delta.`{table}` VERSION AS OF {version}").collect()  # noqa: S608
    except Exception as error:
        found = [why for why, words in _REASONS.items() if re.search(words, str(error))]
        if not found:
            raise
        return found[0]
    return ""


def row(spark: SparkSession, events: Path, seed: int) -> Row:
    """All that Spark says of what becomes of the table *events*, and what is there of it."""
    made = vary(spark, events, seed)
    place, now = events.parent, int(time.time()) + 2
    found: Row = {"seed": seed, "now": now, "tables": {}}
    for table in made:
        limited, by_files = ask(spark, table)
        dry = spark.sql(f"VACUUM delta.`{table}` DRY RUN").collect()
        taken = [Path(path.removeprefix("file:")) for (path,) in dry]
        taken = [path for path in taken if path.is_file()]
        found["tables"][table.name] = pack(table, place) | {
            "limited": limited,
            "by_files": by_files,
            "vacuum": [len(taken), sum(path.stat().st_size for path in taken)],
        }
    if seed % 4:  # to ask again takes much of the time
        return found
    kept = place.with_name(f"{place.name}-before")
    shutil.copytree(place, kept, copy_function=shutil.copy2)
    spark.sql(f"VACUUM delta.`{events}`")
    for table in made:
        answers = found["tables"][table.name]
        answers["after"] = [
            why or reason(spark, table, version, limited=False)
            for version, why in enumerate(answers["by_files"])
        ]
    shutil.rmtree(place)
    kept.rename(place)
    _forget(spark)
    return found


# Rows, and tables made of them


def pack(table: Path, place: Path) -> Row:
    """The parts of a table that tell what can be restored."""
    log, commits, checkpoints = table / "_delta_log", {}, {}
    for file in sorted(log.glob("0*.json")):
        if file.name.count(".") == 1:
            lines = map(json.loads, file.read_text().splitlines())
            commits[int(file.name[:20])] = [
                round(file.stat().st_mtime * 1000), [*filter(None, map(_trimmed, lines))],
            ]  # fmt: skip
    for version in sorted({int(file.name[:20]) for file in log.glob("0*.checkpoint*")}):
        checkpoints[version] = []
    base = next((version for version in checkpoints if version in commits), None)
    if base is not None and (base == 0 or 0 not in commits):
        checkpoints[base] = [*filter(None, map(_trimmed, _state(table, base)))]
    files = {
        str(file.relative_to(table)): [file.stat().st_size, file.stat().st_mtime_ns // 1_000_000]
        for file in _data(table)
    }
    text = json.dumps({"commits": commits, "checkpoints": checkpoints, "files": files})
    packed: Row = json.loads(text.replace(str(place), "~"))
    return packed


def _state(table: Path, version: int) -> Iterator[Row]:
    """All actions of the checkpoint of *version*."""
    store = open_store(str(table))
    segment = load_snapshot(store, version=version).segment
    assert segment is not None
    state = State(store, segment)
    yield from ({name: dict(document)} for name, document in state.file_actions())
    yield from ({name: dict(document)} for name, document in state.other_actions())


_KEPT = {
    "add": ("path", "deletionVector"),
    "remove": ("path", "deletionVector", "deletionTimestamp"),
    "metaData": ("configuration", "partitionColumns"),
    "protocol": ("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures"),
    "commitInfo": ("inCommitTimestamp",),
}


def _trimmed(action: Row) -> Row | None:
    for name, keys in _KEPT.items():
        if name in action:
            return {name: {key: action[name][key] for key in keys if key in action[name]}}
    return None


def unpack(packed: Row, table: Path) -> None:
    """The table that `pack` has had, with empty files, at *table*."""
    made = Table(table)
    for version, (modified, actions) in packed["commits"].items():
        made.commit(int(version), *_whole(actions, table.parent), modified=modified)
    for version, actions in packed["checkpoints"].items():
        made.checkpoint(int(version), _whole(actions, table.parent) or [tables.protocol()])
    for path, (size, modified) in packed["files"].items():
        file = table / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.truncate(file, size)
        os.utime(file, ns=(modified * 1_000_000,) * 2)


def _whole(actions: list[Row], place: Path) -> list[Row]:
    """The actions with the fields that were trimmed."""
    again: list[Row] = json.loads(json.dumps(actions).replace("~", str(place)))
    for action in again:
        for name, document in action.items():
            if name == "add":
                document.update(tables.add("")["add"] | document)
            elif name == "metaData":
                document.update(tables.metadata()["metaData"] | document)
    return again


# What deltaadm says


def check(found: Row, place: Path) -> int:
    """Compare with what `history --restorable` says of the tables at *place*; how many versions."""
    total = 0
    for name, answers in found["tables"].items():
        os.environ["SOURCE_DATE_EPOCH"] = str(found["now"])
        result = deltaadm(
            "history", place / name, "--restorable", "--discover", place, "-o", "json"
        )
        assert result.code == 0, result.err
        document = result.document
        limited, by_files, after = predicted(document, len(answers["limited"]))
        assert limited == answers["limited"], (found["seed"], name, limited, answers["limited"])
        assert by_files == answers["by_files"], (found["seed"], name, by_files, answers["by_files"])
        if "after" in answers and name == "events":
            assert after == answers["after"], (found["seed"], name, after, answers["after"])
        vacuum = [document["vacuum"]["files"], document["vacuum"]["bytes"]]
        assert vacuum == answers["vacuum"], (found["seed"], name, vacuum, answers["vacuum"])
        total += len(limited)
    return total


def predicted(document: Row, versions: int) -> tuple[list[str], list[str], list[str]]:
    """The same reasons as `ask` gives, and those after VACUUM."""
    limited, by_files, after = (["described"] * versions for _ in range(3))
    for span in document["versions"]:
        for version in range(span["first"], span["last"] + 1):
            by_files[version] = {True: "", False: "opened", None: "unknown"}[span["opened"]]
            after[version] = "opened" if span["ending"] else by_files[version]
            limited[version] = by_files[version] if span["allowed"] else "allowed"
    return limited, by_files, after


def rows() -> list[Row]:
    """Those that were recorded."""
    return recorded(_ROWS)


def record(spark: SparkSession, seeds: Iterable[int]) -> Iterator[tuple[Row, Path]]:
    """The rows of *seeds*, of which some share their past, each with the place of its tables."""
    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory).resolve()
        for seed in seeds:
            past, place = top / f"past{seed // VARIANTS}", top / str(seed)
            if not past.exists():
                grow(spark, past, seed)
            shutil.copytree(past, place, copy_function=shutil.copy2)
            yield row(spark, place / "events", seed), place


def main(first: int, end: int) -> None:
    """Record the rows of the seeds from *first* on."""
    with local_session() as spark:
        found = [check(row, place) and row for row, place in record(spark, range(first, end))]
    record_rows(_ROWS, found)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
