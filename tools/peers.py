# ruff: noqa: E501, S311, S608 -- rows; chance that is no secret; paths of our own
"""Read damaged and odd tables with other clients, and ask `validate` what it finds in them.

`python -m tools.peers DIRECTORY` tries Delta Spark and every environment of DIRECTORY, of which
`tools/laboratory.py` says how they are called and made, and prints a table in Markdown: whether a
client gives the rows from before the damage, an error, other rows, or breaks down.
"""

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake

from deltaadm.spark.errors import refusal
from tests.support.program import deltaadm
from tests.support.spark_processes import local_session
from tests.support.tables import column, schema
from tools.damage import flipped
from tools.laboratory import SCRIPTS, ask, same

Log = dict[str, Path]
Rows = list[list[Any]]
WHERE = ("", "where a >= 104", "where p = 'x'")
LAST, REMOVED, CHECKPOINT = 9, 7, 5
ASK = """
import json, sys
partitioned = True
for path in json.load(sys.stdin):
    try:
        answer = [[list(row) for row in read(where)] for where in WHERE]
    except BaseException as error:
        answer = f"{type(error).__name__}: {error}"
    print("\\n>", json.dumps(answer, default=str), flush=True)
"""


def make(table: Path) -> None:
    """Ten versions with a checkpoint among them; the last but two removes a file."""
    for number in range(LAST + 1):
        if number == REMOVED:
            DeltaTable(table).delete("a = 1")
            continue
        rows = pa.table({"a": [number, number + 100], "p": ["xy"[number % 2]] * 2})
        write_deltalake(table, rows, mode="append", partition_by=["p"])
        if number == CHECKPOINT:
            DeltaTable(table).create_checkpoint()


def edited(file: Path, change: Callable[[Any], Any]) -> None:
    """Replace the actions of a commit, or the rows of a checkpoint; None takes one out."""
    if file.suffix == ".json":
        actions = map(change, map(json.loads, file.read_text().splitlines()))
        file.write_text("".join(f"{json.dumps(action)}\n" for action in actions if action))
        return
    whole = pq.read_table(file)
    rows = [row for row in map(change, whole.to_pylist(maps_as_pydicts="strict")) if row]
    pq.write_table(pa.Table.from_pylist(rows, schema=whole.schema), file)


def field(kind: str, key: str, value: Any) -> Callable[[Any], Any]:
    """Sets a field of the actions of a kind."""
    return lambda action: (
        action | {kind: action[kind] | {key: value}} if action.get(kind) else action
    )


def without(kind: str, number: int = 1) -> Callable[[Any], Any]:
    """Takes out the first actions of a kind."""
    left = iter(range(number))
    return lambda action: None if action.get(kind) and next(left, None) is not None else action


def appended(file: Path, *actions: Any) -> None:
    """Add lines to a commit, the last of which has no end where delta-rs has written it."""
    lines = [file.read_text().rstrip("\n"), *map(json.dumps, actions)]
    file.write_text("".join(f"{line}\n" for line in lines))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def action(log: Log, kind: str, version: int = LAST) -> Any:
    lines = map(json.loads, log[str(version)].read_text().splitlines())
    return next(line for line in lines if kind in line)


def data_file(log: Log) -> Path:
    return log["9"].parent.parent / action(log, "add")["add"]["path"]


def metadata_with(log: Log, **changes: Any) -> None:
    found = action(log, "metaData", 0)["metaData"]
    appended(log["9"], {"metaData": found | changes})


def protocol_with(log: Log, **changes: Any) -> None:
    body = {"minReaderVersion": 1, "minWriterVersion": 2} | changes
    appended(log["9"], {"protocol": body})


def features(log: Log, reader: list[str], writer: list[str]) -> None:
    protocol_with(
        log, minReaderVersion=3, minWriterVersion=7, readerFeatures=reader, writerFeatures=writer
    )


TWICE = schema(column("a", "long"), column("p", "string"), column("a", "long"))
DAMAGES: dict[str, Callable[[Log], object]] = {
    "newest commit cut in half": lambda log: cut(log["9"]),
    "newest commit empty": lambda log: log["9"].write_bytes(b""),
    "newest commit missing": lambda log: log["9"].unlink(),
    "newest commit ends in zeros": lambda log: log["9"].write_bytes(log["9"].read_bytes() + bytes(512)),
    "commit 8 missing": lambda log: log["8"].unlink(),
    "commit 3 missing, before the checkpoint": lambda log: log["3"].unlink(),
    "commit 9 copied to 9.json": lambda log: shutil.copy(log["9"], log["9"].with_name("9.json")),
    "commit 8 copied to 11, 10 missing": lambda log: shutil.copy(log["8"], log["9"].with_name(f"{11:020}.json")),
    "a `remove` lost": lambda log: edited(log["7"], without("remove")),
    "a `remove` of another path": lambda log: edited(log["7"], field("remove", "path", "p=y/x.parquet")),
    "an `add` twice in a commit": lambda log: appended(log["9"], action(log, "add")),
    "two actions on a line": lambda log: log["9"].write_text(log["9"].read_text().rstrip() + json.dumps(action(log, "add", 8))),
    "an `add` again, in a later commit": lambda log: appended(log["9"], action(log, "add", 8)),
    "an `add` without a path": lambda log: edited(log["9"], field("add", "path", None)),
    "an `add` with a negative size": lambda log: edited(log["9"], field("add", "size", -1)),
    "an `add` with a wrong size": lambda log: edited(log["9"], field("add", "size", 7)),
    "an `add` without its partition value": lambda log: edited(log["9"], field("add", "partitionValues", {})),
    "statistics with wrong bounds": lambda log: edited(log["9"], field("add", "stats",
        '{"numRecords":2,"minValues":{"a":1},"maxValues":{"a":2},"nullCount":{"a":0}}')),
    "statistics that are no JSON": lambda log: edited(log["9"], field("add", "stats", "{")),
    "two protocols in a commit": lambda log: (protocol_with(log), protocol_with(log, minReaderVersion=2, minWriterVersion=5)),
    "protocol of version 9": lambda log: protocol_with(log, minReaderVersion=9, minWriterVersion=9),
    "an unknown reader feature": lambda log: features(log, ["novel"], ["novel"]),
    "a reader feature listed for writers alone": lambda log: features(log, [], ["deletionVectors"]),
    "version 3 without features": lambda log: protocol_with(log, minReaderVersion=3, minWriterVersion=7),
    "a schema that is no JSON": lambda log: metadata_with(log, schemaString="{"),
    "a schema with a column twice": lambda log: metadata_with(log, schemaString=TWICE),
    "a partition column that is no column": lambda log: metadata_with(log, partitionColumns=["nosuch"]),
    "column mapping without ids": lambda log: (metadata_with(log, configuration={"delta.columnMapping.mode": "name"}),
                                               protocol_with(log, minReaderVersion=2, minWriterVersion=5)),
    "pointer that is no JSON": lambda log: log["_last_checkpoint"].write_bytes(b"{"),
    "pointer to a version that is not there": lambda log: log["_last_checkpoint"].write_bytes(b'{"version":99,"size":1}'),
    "data file missing": lambda log: data_file(log).unlink(),
    "data file cut in half": lambda log: cut(data_file(log)),
    "data file with a flipped bit": lambda log: data_file(log).write_bytes(flipped(data_file(log).read_bytes(), random.Random(1))),
}  # fmt: skip
IN_CHECKPOINT: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": lambda file: file.write_bytes(b""),
    "cut in half": cut,
    "without an `add`": lambda file: edited(file, without("add")),
    "without its protocol": lambda file: edited(file, without("protocol")),
    "without its metadata": lambda file: edited(file, without("metaData")),
    "with an `add` twice": lambda file: pq.write_table(
        pa.concat_tables([pq.read_table(file), pq.read_table(file)]), file),
    "with wrong paths": lambda file: edited(file, field("add", "path", "nosuch.parquet")),
    **{f"with a flipped bit ({seed})": lambda file, seed=seed: file.write_bytes(
        flipped(file.read_bytes(), random.Random(seed))) for seed in range(1, 9)},
}  # fmt: skip


def damage_checkpoint(change: Callable[[Path], object], log: Log, *, bare: bool) -> None:
    """Damage the checkpoint, and remove what stands in for it if the log is to be *bare*."""
    change(log["checkpoint"])
    for version in range(CHECKPOINT + 1 if bare else 0):
        log[str(version)].unlink()


def cases() -> Iterator[tuple[str, Callable[[Log], object]]]:
    yield "none", lambda _: None
    yield from DAMAGES.items()
    for name, change in IN_CHECKPOINT.items():
        for bare in (False, True):
            words = f"checkpoint {name}{', no older commits' if bare else ''}"
            yield (
                words,
                lambda log, change=change, bare=bare: damage_checkpoint(change, log, bare=bare),
            )


def answers(environment: Path, paths: list[str]) -> Iterator[Any]:
    """What the client of *environment* reads at each of *paths*; it may break down at one."""
    script = f"WHERE = {WHERE!r}\n{SCRIPTS[environment.name.rpartition('-')[0]]}{ASK}"
    while paths:
        found, said = ask(environment, script, paths, Path(paths[0]).parent)
        yield from found
        if len(found) < len(paths):
            yield f"Panic: {said}"
        paths = paths[len(found) + 1 :]


def by_spark(paths: list[str]) -> Iterator[Any]:
    with local_session() as session:
        for path in paths:
            try:
                yield [[[*row] for row in session.sql(f"select a, p from delta.`{path}` {where}").collect()]
                       for where in WHERE]  # fmt: skip
            except Exception as error:  # noqa: BLE001 -- whatever Spark throws
                yield str(refusal(error))


def word(answer: Any, right: list[Rows]) -> str:
    if isinstance(answer, str):
        return "breaks down" if answer.startswith("Panic") else "error"
    return "as before" if all(map(same, answer, right)) else "**other rows**"


def findings(path: str) -> str:
    done = deltaadm("validate", path, "--deep", "--history", "-o", "json")
    codes = {
        each["code"] for each in done.document.get("findings", ()) if each["severity"] != "info"
    }
    return ", ".join(sorted(codes)) or "nothing"


def main(directory: str) -> None:
    environments = sorted(Path(directory).iterdir())
    with tempfile.TemporaryDirectory() as root:
        paths = []
        for number, (_, damage) in enumerate(cases()):
            path = Path(root, str(number))
            shutil.copytree(Path(root, "0"), path) if number else make(path)
            files = {file.name: file for file in (path / "_delta_log").iterdir()}
            log = {str(version): files[f"{version:020}.json"] for version in range(LAST + 1)}
            damage(log | files | {"checkpoint": files[f"{CHECKPOINT:020}.checkpoint.parquet"]})
            paths.append(str(path))
        found = [[*by_spark(paths)], *([*answers(each, [*paths])] for each in environments)]
        heads = ["damage", "Delta Spark", *(each.name for each in environments), "`validate`"]
        for line in (heads, ["---"] * len(heads)):
            print("|", " | ".join(line), "|")  # noqa: T201
        for number, (name, _) in enumerate(cases()):
            words = [word(each[number], found[0][0]) for each in found]
            print("|", " | ".join([name, *words, findings(paths[number])]), "|")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
