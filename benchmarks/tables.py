"""
Spec-valid logs of any size, and what a reader must find in them.

Only the logs are written; the data files that they name do not exist, since nothing here reads
data. Every table says by `Expected` what its log replays to.
"""

from __future__ import annotations

import json
import sys
import uuid
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    Action = dict[str, Any]

_START: Final = 1_700_000_000_000
_ROW_GROUP: Final = 1 << 18
_FILE_BYTES: Final = 1_000_000
_ROWS: Final = 10_000
_FEW_COLUMNS: Final = 4
_SECOND: Final = 1_000_000
_NAMESPACE: Final = uuid.UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")

PROTOCOL: Final = {"minReaderVersion": 1, "minWriterVersion": 2}
V2_PROTOCOL: Final = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": ["v2Checkpoint"],
    "writerFeatures": ["appendOnly", "invariants", "v2Checkpoint"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """
    What a table's log looks like.

    `commits` come after the checkpoint, one added file each; with `removes` every second of
    them removes its predecessor's file. The names of columns begin with `prefix`. `checkpoint` is
    "", "classic", "multi-part" or "v2", and holds `files` files in `parts` files or sidecars, with
    statistics of the first `measured` columns, and so many in a row `group`.
    """

    name: str
    commits: int
    checkpoint: str = ""
    files: int = 0
    parts: int = 1
    columns: int = _FEW_COLUMNS
    prefix: str = ""
    measured: int = 1
    group: int = _ROW_GROUP
    removes: bool = False
    crc: bool = False

    @property
    def description(self) -> str:
        """What makes this table another than the rest, in a few words."""
        parts = [f"{self.commits:,} commits"]
        if self.removes:
            parts.append("every second one removes a file")
        if self.checkpoint:
            spread = f" in {self.parts} parts" if self.parts > 1 else ""
            parts.append(f"after a {self.checkpoint} checkpoint of {self.files:,} files{spread}")
        if self.group != _ROW_GROUP:
            groups = -(-self.files // self.group)
            parts.append(f"{groups} row group{'s' if groups > 1 else ''}")
        if self.measured > 1:
            parts.append(f"statistics of {self.measured} columns")
        if self.columns > self.measured and self.columns > _FEW_COLUMNS:
            parts.append(f"{self.columns:,} columns")
        if self.crc:
            parts.append("with a version checksum")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a log replays to."""

    version: int
    files: int
    bytes: int
    metadata_id: str
    protocol: dict[str, Any]


def write(root: Path, shape: Shape) -> Expected:
    """Write the log of a table at *root*."""
    log = root / "_delta_log"
    log.mkdir(parents=True)
    protocol = V2_PROTOCOL if shape.checkpoint == "v2" else PROTOCOL
    metadata = _metadata(shape)
    state: list[Action] = [{"protocol": protocol}, {"metaData": metadata}]
    base = -1
    if shape.checkpoint:
        base = 10
        _write_commit(log, base, [_info(base)])
        _write_checkpoint(log, base, shape, state)
        hint = {"version": base, "size": shape.files + len(state)}
        if shape.checkpoint == "multi-part":
            hint["parts"] = shape.parts
        (log / "_last_checkpoint").write_text(json.dumps(hint))
    files = shape.files
    for version in range(base + 1, base + 1 + shape.commits):
        actions = [_info(version), *(state if version == 0 else ()), _add(_added(version))]
        files += 1
        if shape.removes and version % 2 and version > base + 1:
            actions.append(_remove(_added(version - 1)))
            files -= 1
        _write_commit(log, version, actions)
    expected = Expected(
        base + shape.commits, files, files * _FILE_BYTES, str(metadata["id"]), protocol
    )
    if shape.crc:
        _write_checksum(log, expected, metadata)
    return expected


def write_fleet(root: Path, shape: Shape, tables: int, *, like: bool = True) -> list[Expected]:
    """
    Write *tables* tables of one shape, each with its own id, in directories with numbers.

    Either they are *like* each other, or each has a schema of its own.
    """
    shapes = (replace(shape, name=f"{shape.name} {number}") for number in range(tables))
    return [
        write(root / f"{n:06d}", one if like else replace(one, prefix=f"t{n}_"))
        for n, one in enumerate(shapes)
    ]


def _metadata(shape: Shape) -> dict[str, Any]:
    fields = [
        {"name": f"{shape.prefix}column_{number}", "type": kind, "nullable": True, "metadata": {}}
        for number, kind in zip(
            range(shape.columns), _cycle(("long", "string", "double", "timestamp")), strict=False
        )
    ]
    schema = json.dumps({"type": "struct", "fields": fields}, separators=(",", ":"))
    return {
        "id": str(uuid.uuid5(_NAMESPACE, shape.name)),
        "format": {"provider": "parquet", "options": {}},
        "schemaString": schema,
        "partitionColumns": [],
        "configuration": {"delta.appendOnly": "false"},
        "createdTime": _START,
    }


def _cycle(values: Sequence[str]) -> Iterator[str]:
    while True:
        yield from values


def _added(version: int) -> str:
    """The path of the file that a commit adds."""
    return f"part-00000-{uuid.uuid5(_NAMESPACE, f'commit {version}')}-c000.snappy.parquet"


def _statistics(number: int, columns: int = 1) -> str:
    low, high = number * _ROWS, number * _ROWS + _ROWS - 1
    return _statistics_form(columns).format(low, high, low % _SECOND, high % _SECOND)


@cache
def _statistics_form(columns: int) -> str:
    """Where the least and greatest value come, and both as a fraction of a second."""
    named = [f'"column_{column}":' for column in range(columns)]
    forms = ("{N}", '"customer {N:016d}"', "{N}.25", '"2026-01-05T10:00:00.{M:06d}Z"')
    bounds = ",".join(name + form for name, form in zip(named, _cycle(forms), strict=False))
    low, high = (bounds.replace("N", n).replace("M", m) for n, m in ("02", "13"))
    nulls = ",".join(f"{name}0" for name in named)
    return (
        f'{{{{"numRecords":{_ROWS},"minValues":{{{{{low}}}}},'
        f'"maxValues":{{{{{high}}}}},"nullCount":{{{{{nulls}}}}}}}}}'
    )


def _info(version: int) -> Action:
    return {
        "commitInfo": {
            "timestamp": _START + version,
            "operation": "WRITE",
            "operationParameters": {"mode": "Append", "partitionBy": "[]"},
            "readVersion": version - 1,
            "isolationLevel": "Serializable",
            "isBlindAppend": True,
            "operationMetrics": {
                "numFiles": "1",
                "numOutputRows": str(_ROWS),
                "numOutputBytes": str(_FILE_BYTES),
            },
            "engineInfo": "Apache-Spark/4.0.0 Delta-Lake/4.0.0",
            "txnId": str(uuid.uuid5(_NAMESPACE, f"transaction {version}")),
        }
    }


def _add(path: str) -> Action:
    return {
        "add": {
            "path": path,
            "partitionValues": {},
            "size": _FILE_BYTES,
            "modificationTime": _START,
            "dataChange": True,
            "stats": _statistics(0),
        }
    }


def _remove(path: str) -> Action:
    return {
        "remove": {
            "path": path,
            "deletionTimestamp": _START,
            "dataChange": True,
            "extendedFileMetadata": True,
            "partitionValues": {},
            "size": _FILE_BYTES,
        }
    }


def _write_commit(log: Path, version: int, actions: Iterable[Action]) -> None:
    lines = (json.dumps(action, separators=(",", ":")) + "\n" for action in actions)
    (log / f"{version:020d}.json").write_text("".join(lines))


def _write_checksum(log: Path, expected: Expected, metadata: dict[str, Any]) -> None:
    document = {
        "tableSizeBytes": expected.bytes,
        "numFiles": expected.files,
        "numMetadata": 1,
        "numProtocol": 1,
        "setTransactions": [],
        "domainMetadata": [],
        "metadata": metadata,
        "protocol": expected.protocol,
    }
    (log / f"{expected.version:020d}.crc").write_text(json.dumps(document))


def _write_checkpoint(log: Path, version: int, shape: Shape, state: list[Action]) -> None:
    stem = f"{version:020d}.checkpoint"
    if shape.checkpoint == "classic":
        _write_parquet(log / f"{stem}.parquet", state, range(shape.files), shape)
    elif shape.checkpoint == "multi-part":
        for part, files in enumerate(_dealt(shape.files, shape.parts)):
            name = f"{stem}.{part + 1:010d}.{shape.parts:010d}.parquet"
            _write_parquet(log / name, [] if part else state, files, shape)
    else:
        _write_v2(log, version, shape, state)


def _write_v2(log: Path, version: int, shape: Shape, state: list[Action]) -> None:
    (log / "_sidecars").mkdir()
    top = [*state, {"checkpointMetadata": {"version": version}}]
    for part, files in enumerate(_dealt(shape.files, shape.parts)):
        path = log / "_sidecars" / f"{uuid.uuid5(_NAMESPACE, f'sidecar {part}')}.parquet"
        _write_parquet(path, [], files, shape)
        size = path.stat().st_size
        sidecar = {"path": path.name, "sizeInBytes": size, "modificationTime": _START}
        top.append({"sidecar": sidecar})
    name = f"{version:020d}.checkpoint.{uuid.uuid5(_NAMESPACE, 'v2')}.parquet"
    _write_parquet(log / name, top, range(0), shape)


def _dealt(files: int, parts: int) -> list[range]:
    """Whole numbers below *files*, in *parts* runs of about the same length."""
    edges = [files * part // parts for part in range(parts + 1)]
    return [range(*edge) for edge in pairwise(edges)]


def _write_parquet(path: Path, state: list[Action], files: range, shape: Shape) -> None:
    """A file of a checkpoint: first the actions of *state*, then the adds of *files*."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tests.support.tables import CHECKPOINT_SCHEMA as schema  # noqa: N811
    from tests.support.tables import checkpoint_rows

    with pq.ParquetWriter(path, schema) as writer:
        pending = [checkpoint_rows(state)]
        for start in range(files.start, files.stop, shape.group):
            stop = min(start + shape.group, files.stop)
            pending.append(_add_rows(range(start, stop), schema, shape.measured))
            writer.write_table(pa.concat_tables(pending), row_group_size=shape.group << 1)
            pending = []
        if pending:
            writer.write_table(pa.concat_tables(pending))


def _add_rows(files: range, schema: pa.Schema, measured: int) -> pa.Table:
    import pyarrow as pa

    kind = schema.field("add").type
    count = len(files)
    columns: dict[str, pa.Array] = {
        "path": pa.array(
            [
                f"part-{n:05d}-{n * 2654435761 % (1 << 32):08x}-5b1d-4c2e-9f3a-"
                f"{n * 1099511628211 % (1 << 48):012x}-c000.snappy.parquet"
                for n in files
            ]
        ),
        "partitionValues": pa.array([[]] * count, kind.field("partitionValues").type),
        "size": pa.array([_FILE_BYTES] * count, pa.int64()),
        "modificationTime": pa.array([_START] * count, pa.int64()),
        "dataChange": pa.array([False] * count),
        "stats": pa.array([_statistics(n, measured) for n in files]),
    }
    children = [columns.get(each.name, pa.nulls(count, each.type)) for each in kind]
    adds = pa.StructArray.from_arrays(children, fields=list(kind))
    rows = [adds if one.name == "add" else pa.nulls(count, one.type) for one in schema]
    return pa.Table.from_arrays(rows, schema=schema)


def scaled(count: int, scale: float) -> int:
    """*count* for a run of another size; never less than ten."""
    return max(10, round(count * scale))


def standard(scale: float = 1.0) -> dict[str, Shape]:
    """The tables of the report by name; *scale* below 1 makes the large ones smaller."""
    million, commits = scaled(1_000_000, scale), scaled(10_000, scale)
    wide = Shape(name="", commits=20, checkpoint="classic", files=million, columns=12, measured=12)
    shapes = (
        Shape(name="S1", commits=10),
        Shape(name="S2", commits=commits),
        Shape(name="S2 crc", commits=commits, crc=True),
        Shape(name="S2 removes", commits=commits, removes=True),
        Shape(name="S3", commits=20, checkpoint="classic", files=million),
        Shape(name="S3 crc", commits=20, checkpoint="classic", files=million, crc=True),
        Shape(name="S4", commits=20, checkpoint="multi-part", files=2 * million, parts=10),
        Shape(name="S5", commits=20, checkpoint="v2", files=million, parts=10),
        Shape(name="S6", commits=10, columns=scaled(2_000, scale)),
        Shape(name="S7", commits=20, checkpoint="classic", files=10 * million),
        Shape(name="S8", commits=20, checkpoint="classic", files=million, group=million),
        replace(wide, name="S9", group=million // 10),
        replace(wide, name="S10", group=million),
    )
    return {shape.name: shape for shape in shapes}


def growing(scale: float = 1.0) -> dict[str, list[tuple[int, Shape]]]:
    """For each dimension, tables of which only that one grows, with its value."""
    steps = {
        "commits": [10, 100, 1_000, 3_000, 10_000],
        "files": [1_000, 10_000, 100_000, 300_000, 1_000_000, 10_000_000],
        "columns": [10, 100, 500, 1_000, 2_000],
    }
    found: dict[str, list[tuple[int, Shape]]] = {}
    for dimension, values in steps.items():
        sizes = sorted({scaled(value, scale) for value in values})
        found[dimension] = [(size, _grown(dimension, size)) for size in sizes]
    return found


def _grown(dimension: str, size: int) -> Shape:
    name = f"{dimension} {size}"
    if dimension == "commits":
        return Shape(name=name, commits=size)
    if dimension == "files":
        return Shape(name=name, commits=20, checkpoint="classic", files=size)
    return Shape(name=name, commits=10, columns=size)


def main() -> None:
    """
    Write what the arguments ask for.

    They are `DIRECTORY SCALE FLEET ALL [quick]`: of ALL small tables, FLEET are one.
    """
    directory, scale, fleet, every, *more = sys.argv[1:]
    root, factor = Path(directory), float(scale)
    if "quick" in more:
        shapes = [standard(factor)[name] for name in ("S1", "S2", "S3")]
    else:
        shapes = [*standard(factor).values()]
        shapes += [shape for steps in growing(factor).values() for _, shape in steps]
    expected = {
        shape.name: asdict(write(root / shape.name.replace(" ", "-"), shape)) for shape in shapes
    }
    write_fleet(root / "fleet", Shape(name="fleet", commits=10), int(fleet))
    write_fleet(root / "schemas", Shape(name="schemas", commits=10), int(fleet), like=False)
    if "quick" not in more:
        write_fleet(root / "all-tables", Shape(name="fleet", commits=10), int(every))
    (root / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main()
