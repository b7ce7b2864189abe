"""Tables at random whose checkpoints have files with all kinds of damage, beside sound ones."""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.support.tables import (
    Action,
    Table,
    add,
    column,
    commit_info,
    metadata,
    protocol,
    remove,
    schema,
)

_FEATURES = ["deletionVectors", "rowTracking", "domainMetadata", "columnMapping", "timestampNtz"]
_COLUMNS: Mapping[str, tuple[str, Callable[[int], Any]]] = {
    "n": ("long", lambda n: n),
    "d": ("double", lambda n: n / 4),
    "m": ("decimal(10,2)", lambda n: n / 4),
    "s": ("string", lambda n: f"text {n:03d}"),
    "t": ("timestamp", lambda n: f"2024-01-01T00:00:{n % 60:02d}.000Z"),
    "a": ("date", lambda n: f"2024-01-{n % 28 + 1:02d}"),
    "b": ("boolean", lambda n: n % 2 == 0),
}
_NESTED = {"type": "struct", "fields": [column("x", "integer"), column("y", "string")]}

_NUMBERS = (
    *(0, -1, 1, 2, 10**9, 10**10 - 1, 10**10, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 4 * 10**12),
    *(1.5, 1e300, -0.0),
)
_WORDS = (
    *("", "x", "Z", "ä", "\ud7ff", "\U0001f600", "2024-13-01", "2024-01-01", "NaN", "Inf", "null"),
    *("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z", "a\nb", '"', "\\", "__HIVE__", "true"),
)
_VALUES = (None, True, False, [], [1], {}, {"x": 1}, {"x": {"y": -1}}, *_NUMBERS, *_WORDS)
_TEXTS = (
    *("", " ", "{", "{}", "{}{}", "[]", "null", "1", '"x"', "{\n}", "{}\n", " {} ", "{}x",
        "\ufeff{}"),
    *('{"numRecords":1}', '{"numRecords":-1}', '{"numRecords":1.0}', '{"numRecords":"1"}'),
    *('{"numRecords":NaN}', '{"numRecords":Inf}', '{"numRecords":-Infinity}', '{"numRecords":1e2}'),
    *('{"numRecords":1,"numRecords":-2}', '{"numRecords":null}', '{"numRecords":true}', "{'a':1}"),
    *('{"numRecords":3,"nullCount":{"zz":4}}', '{"numRecords":3,"nullCount":{"zz":2.5}}'),
    *('{"numRecords":3,"nullCount":{"zz":{"y":-1}}}', '{"numRecords":3,"nullCount":7}'),
    *('{"minValues":{"n":NaN},"maxValues":{"n":1}}', '{"minValues":[1],"maxValues":{"n":1}}'),
    *('{"minValues":{"n":2,"n":1},"maxValues":{"n":1}}', '{"minValues":{"n":Inf}}', "{}{}}"),
    *('{"minValues":{"b":2},"maxValues":{"b":1}}', '{"minValues":{"s":2},"maxValues":{"s":1}}'),
    *('{"minValues":{"n":2.5},"maxValues":{"n":1}}',
        '{"minValues":{"n":"2"},"maxValues":{"n":"1"}}'),
    *(f'{{"numRecords":{"9" * 30}}}', f'{{"x":{"9" * 5000}}}', '{"x":1e999}', '{"x":"\\ud800"}'),
    *('{"a":' * 600 + "1" + "}" * 600, '{"a":' + "[" * 1200 + "]" * 1200 + "}", '{"x":"\\u0000"}'),
    *('{"minValues":{"m":9007199254740993},"maxValues":{"m":9007199254740992}}', '{"x":"\x7f\t"}'),
    *('{"numRecords":5,"tightBounds":false}', '{"tightBounds":"false"}',
        '{"numRecords" : 2 , "x":1}'),
)  # fmt: skip
_PATHS = (
    *("", "/a", "a b", "a%20b", "..", "../x", "x/../../y", "a..b", "%2e%2e/x", "a%", "a%zz", "a:b"),
    *("s3://bucket/a", "file:///x", "c:/x", "x/a:b", ".", "./a", "a{b}", "ä/ö", "a\x7f", "a%41.b."),
)
_VECTORS = (
    {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^"},
    {"storageType": "u", "pathOrInlineDv": "aqEH.-t@S}K{vb[*k^xy"},
    {"storageType": "u", "pathOrInlineDv": "%%%%%%%%%%%%%%%%%%%%"},
    {"storageType": "u", "pathOrInlineDv": "short"},
    {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "offset": -1},
    {"storageType": "i", "pathOrInlineDv": "00000", "sizeInBytes": 4},
    {"storageType": "i", "pathOrInlineDv": "00000", "sizeInBytes": 40},
    {"storageType": "p", "pathOrInlineDv": "/v.bin", "offset": 1},
    {"storageType": "x", "pathOrInlineDv": "y"},
    {"storageType": "p"},
    {"cardinality": 3},
)

_FEW = 40
"""Files that are written in row groups of a few rows; more take long to read."""


def write_damaged(path: Path, seed: int) -> None:
    """A table with a checkpoint and a few commits after it; the same for the same *seed*."""
    draw = random.Random(seed)  # noqa: S311 -- damage is no secret
    mapped = draw.random() < 0.3
    partitions = draw.sample(["p", "q", "r"], draw.choice((0, 0, 1, 2)))
    files = [_file(draw, number, partitions) for number in range(_count(draw))]
    if draw.random() < 0.5:
        files += [json.loads(json.dumps(file)) for file in draw.sample(files, min(2, len(files)))]
    made = Table(path)
    state = [_protocol(draw), _metadata(draw, partitions, mapped=mapped)]
    made.commit(0, commit_info(), *state)
    made.commit(1, commit_info())
    kind = draw.choice((*["one"] * 8, "parts", "v2")) if len(files) <= _FEW else "one"
    if kind == "parts":
        made.multipart(1, [*state, *files])
    elif kind == "v2":
        made.v2_checkpoint(1, [*state, *files], draw.choice(("json", "parquet")))
    else:
        made.checkpoint(1, [*state, *files], draw.choice((70, 1_000)))
    for version in range(2, draw.choice((2, 3, 5))):
        after = [_file(draw, 1000 * version + n, partitions) for n in range(draw.randrange(3))]
        gone = [
            remove(action["add"]["path"], deletionVector=action["add"].get("deletionVector"))
            for action in draw.sample(files, min(2, len(files)))
        ]
        made.commit(version, commit_info(), *after, *gone)


def _count(draw: random.Random) -> int:
    return draw.choice((1, 5, 30, 150, 150))


def _protocol(draw: random.Random) -> Action:
    if draw.random() < 0.3:
        return protocol(1, 2)
    chosen = draw.sample(_FEATURES, draw.randrange(len(_FEATURES) + 1))
    readers = [name for name in chosen if name not in {"rowTracking", "domainMetadata"}]
    return protocol(3, 7, readers, chosen)


def _metadata(draw: random.Random, partitions: list[str], *, mapped: bool) -> Action:
    columns = [column(name, kind) for name, (kind, _) in _COLUMNS.items()]
    kinds = ("string", "integer", "date", "timestamp", "decimal(3,1)", "boolean")
    columns += [
        column(name, draw.choice(kinds), nullable=draw.random() < 0.7) for name in partitions
    ]
    columns.append(column("c", _NESTED))
    if mapped:
        for number, definition in enumerate(columns, start=1):
            named = draw.choice((definition["name"], f"col-{number}"))
            definition["metadata"] = {
                "delta.columnMapping.id": number,
                "delta.columnMapping.physicalName": named,
            }
    configuration = {"delta.columnMapping.mode": "name"} if mapped else {}
    if draw.random() < 0.3:
        configuration["delta.enableRowTracking"] = "true"
    if draw.random() < 0.03:
        return metadata(configuration, schemaString="{", partitionColumns=partitions)
    return metadata(configuration, schemaString=schema(*columns), partitionColumns=partitions)


def _file(draw: random.Random, number: int, partitions: list[str]) -> Action:
    """A file that is nearly always sound, but for one thing at most times that it is not."""
    rate = 0.05
    made: Action = add(
        f"part-{number:05d}.parquet",
        modificationTime=1_700_000_000_000,
        partitionValues={name: _partition(draw, rate) for name in partitions},
        stats=_statistics(draw, number, rate),
        baseRowId=None,
    )["add"]
    damages: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("path", lambda: draw.choice(_PATHS) + draw.choice(("", str(number)))),
        ("size", lambda: draw.choice((None, 0, -1, 2**62))),
        ("modificationTime", lambda: draw.choice((None, -1, *_whole_numbers()))),
        ("stats", lambda: draw.choice((None, *_TEXTS))),
        ("partitionValues", lambda: draw.choice((None, {}, {"n": "1"}, {"p": "1", "zz": None}))),
        ("deletionVector", lambda: draw.choice(_VECTORS) | {"cardinality": draw.randrange(20)}),
        ("baseRowId", lambda: draw.choice((-1, 0, 5, number * 10, 2**63 - 1))),
        ("defaultRowCommitVersion", lambda: draw.choice((-1, 0, 1, 99))),
    )
    for key, value in damages:
        if draw.random() < rate:
            made[key] = value()
    return {"add": {key: value for key, value in made.items() if value is not None}}


def _whole_numbers() -> tuple[int, ...]:
    return tuple(number for number in _NUMBERS if isinstance(number, int))


def _partition(draw: random.Random, rate: float) -> str | None:
    if draw.random() < rate:
        return draw.choice((None, "", "x", "300", "2024-02-30", "1.5", "TRUE", "1e400"))
    return draw.choice(("1", "2"))


def _statistics(draw: random.Random, number: int, rate: float) -> str:
    def bounds(shift: int) -> dict[str, Any]:
        found: dict[str, Any] = {
            name: value(number + shift) for name, (_, value) in _COLUMNS.items()
        }
        found["c"] = {"x": number + shift, "y": f"{number + shift:05d}"}
        return found

    low, high = bounds(0), bounds(draw.choice((0, 1)))
    nulls = dict.fromkeys(_COLUMNS, 0) | {"c": {"x": 0, "y": 0}}
    found = {"numRecords": 10, "minValues": low, "maxValues": high, "nullCount": nulls}
    if draw.random() < rate:
        group = draw.choice((low, high, nulls, found))
        group[draw.choice(list(group))] = draw.choice(_VALUES)
    if draw.random() < rate:
        draw.choice((low, high, nulls))[draw.choice(("zz", "col-1"))] = draw.choice(_VALUES)
    if draw.random() < rate:
        found["tightBounds"] = draw.choice((True, False, None, 0))
    return json.dumps(found)
