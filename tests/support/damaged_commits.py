"""Tables at random whose commits have all kinds of damage, beside sound ones."""

import json
import random
from pathlib import Path

from tests.support.tables import (
    Action,
    Table,
    add,
    column,
    commit_info,
    deletion_vector,
    domain,
    metadata,
    protocol,
    remove,
    schema,
    txn,
)

_FEATURES = (
    *("inCommitTimestamp", "appendOnly", "columnMapping", "deletionVectors", "domainMetadata"),
    *("catalogManaged", "changeDataFeed", "invariants"),
)
_SWITCHES = (
    *("delta.enableInCommitTimestamps", "delta.appendOnly", "delta.enableChangeDataFeed"),
    "delta.columnMapping.hasDroppedOrRenamed",
)
_VALUES = (None, True, 0, -1, 1.5, 2**70, "", "x", "\ud7ff", [], [1], {}, {"x": 1})
_LINES = (
    *(b"", b"  ", b"{", b"{}", b"null", b"[]", b"1", b'{"add":null}', b'{"x":1}', b'{"x":null}'),
    *(b'[{"commitInfo":{}}]', b'{"commitInfo":{}}{"txn":{}}', b'{"commitInfo":\n{}}', b"\xff{}"),
    *(b'{"commitInfo":{"a":"\\ud800"}}', b'{"commitInfo":{"a":"\\u0041"}}', b'{"add":1}', b"\r"),
    *(b'{"txn":{"appId":"a","version":1},"add":{"path":"b"}}', b'{"add":{}}', b"\xef\xbb\xbf{}"),
    *(b'{"a":' * 600 + b"1" + b"}" * 600, b'{"x":' + b"9" * 5000 + b"}", b'{"commitInfo":NaN}'),
    *(b'{"cdc":{"path":"c","dataChange":true}}', b'{"sidecar":{"path":"s"}}', b'{"removed":{}}'),
)
_OPERATIONS = ("WRITE", "DELETE", "MERGE", "DROP FEATURE", "REPLACE TABLE", "RESTORE", "OPTIMIZE")
_METRICS = ("numAddedFiles", "numRemovedFiles", "numOutputRows", "num_added_files", "numFilesAdded")


def write_damaged_commits(path: Path, seed: int) -> None:
    """A table of some commits, perhaps with a checkpoint; the same for the same *seed*."""
    draw = random.Random(seed)  # noqa: S311 -- damage is no secret
    made = Table(path)
    state = [_protocol(draw), _metadata(draw)]
    rate = draw.choice((0.0, 0.02, 0.1))
    last = draw.randrange(1, 9)
    for version in range(last + 1):
        actions = [*(state if version == 0 else ()), *_actions(draw, version, rate)]
        lines = [_line(draw, action, rate) for action in actions]
        if draw.random() < 0.8:
            lines.insert(0, json.dumps(_info(draw, version, rate)).encode())
        lines += [draw.choice(_LINES) for _ in range(3) if draw.random() < rate]
        if draw.random() < rate:
            draw.shuffle(lines)
        body = draw.choice((*[b"\n"] * 20, b"\r\n", b"\n\n")).join(lines)
        if draw.random() < rate / 4:
            body = body[: draw.randrange(len(body) + 1)]
        if draw.random() < 0.97 or version in {0, last}:
            time = 1_700_000_000_000 + 1_000 * version - draw.choice((*[0] * 20, 100_000))
            made.write(f"{version:020d}.json", body, time)
    if draw.random() < 0.2:
        made.checkpoint(draw.randrange(last + 1), [*state, add("c.parquet")])


def _protocol(draw: random.Random) -> Action:
    if draw.random() < 0.3:
        return protocol(1, draw.choice((2, 4)))
    chosen = draw.sample(_FEATURES, draw.randrange(len(_FEATURES)))
    readers = [name for name in chosen if name in {"columnMapping", "deletionVectors"}]
    return protocol(3, 7, readers, chosen)


def _metadata(draw: random.Random) -> Action:
    found = {key: draw.choice(("true", "false")) for key in _SWITCHES if draw.random() < 0.3}
    columns = [column(name) for name in draw.sample("abcd", 3)]
    if mode := draw.choice(("", "name", "id", "odd")):
        found["delta.columnMapping.mode"] = mode
        found["delta.columnMapping.maxColumnId"] = str(draw.randrange(6))
        for definition in columns:
            definition["metadata"] = {
                "delta.columnMapping.id": draw.randrange(6),
                "delta.columnMapping.physicalName": draw.choice("abcxyz"),
            }
    changes = {"id": draw.choice("ab")} if draw.random() < 0.1 else {}
    return metadata(found, schemaString=schema(*columns), **changes)


def _info(draw: random.Random, version: int, rate: float) -> Action:
    made = commit_info(
        timestamp=1_700_000_000_000 + version - draw.choice((*[0] * 20, 10**6)),
        inCommitTimestamp=1_700_000_000_000 + version * draw.choice((*[1] * 20, -1)),
        operation=draw.choice(_OPERATIONS),
        operationMetrics={name: str(draw.randrange(3)) for name in draw.sample(_METRICS, 2)},
        txnId="t",
        engineInfo=draw.choice(("Apache-Spark/4.0", "delta-rs:py-1", "other")),
    )
    return _damaged(draw, made, rate)


def _actions(draw: random.Random, version: int, rate: float) -> list[Action]:
    """What a commit does, most often to one file."""
    names = [f"{draw.randrange(version + 2)}.parquet" for _ in range(3)]
    more = (
        lambda: add(names[0], stats=draw.choice(('{"numRecords":1}', "{", None))),
        lambda: add(names[1], deletionVector=deletion_vector("ab^-aqEH.-t@S}K{vb[*k^")),
        lambda: remove(names[2], dataChange=draw.choice((True, False)), deletionTimestamp=1),
        lambda: remove(names[0], extendedFileMetadata=True),
        lambda: txn(draw.choice("ab"), version),
        lambda: domain(draw.choice(("d", "delta.x")), removed=draw.random() < 0.3),
        lambda: {"cdc": {"path": "c", "partitionValues": {}, "size": 1, "dataChange": False}},
        lambda: _protocol(draw),
        lambda: _metadata(draw),
        lambda: {"checkpointMetadata": {"version": 1}},
        lambda: {"unheardOf": {"x": version}},
    )
    weights = (9, 2, 3, 1, 2, 2, *(max(rate, 0.05) * 10 for _ in more[6:]))
    chosen = draw.choices(more, weights, k=draw.choice((1, 1, 1, 2, 4)))
    return [_damaged(draw, make(), rate) for make in chosen]


def _damaged(draw: random.Random, action: Action, rate: float) -> Action:
    ((name, document),) = action.items()
    if draw.random() < rate:
        document[draw.choice([*document, "zz"])] = draw.choice(_VALUES)
    if draw.random() < rate / 4:
        return {name: draw.choice(_VALUES)}
    return {name: document}


def _line(draw: random.Random, action: Action, rate: float) -> bytes:
    if draw.random() < rate / 2:
        action = {**action, **draw.choice((txn("z", 1), {"add": None}, {"odd": 1}))}
    return json.dumps(action, ensure_ascii=draw.random() < 0.5).encode(errors="replace")
