"""Tables in one line: `table(tmp_path, commit(protocol(1, 2), metadata()), commit(add("a")))`.

The builder knows the format, so that a test states only what matters to it.
"""

import json
import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import pyarrow as pa
import pyarrow.parquet as pq

Action = dict[str, Any]

SCHEMA = json.dumps(
    {
        "type": "struct",
        "fields": [{"name": "a", "type": "integer", "nullable": True, "metadata": {}}],
    },
    separators=(",", ":"),
)


def column(name: str, kind: Any = "integer", *, nullable: bool = True, **metadata: Any) -> Action:
    return {"name": name, "type": kind, "nullable": nullable, "metadata": metadata}


def schema(*columns: Action) -> str:
    return json.dumps({"type": "struct", "fields": columns}, separators=(",", ":"))


def protocol(
    reader: int = 1,
    writer: int = 2,
    reader_features: Sequence[str] | None = None,
    writer_features: Sequence[str] | None = None,
) -> Action:
    body: Action = {"minReaderVersion": reader, "minWriterVersion": writer}
    if reader_features is not None:
        body["readerFeatures"] = list(reader_features)
    if writer_features is not None:
        body["writerFeatures"] = list(writer_features)
    return {"protocol": body}


def metadata(configuration: Any = ..., **changes: Any) -> Action:
    body: Action = {
        "id": "00000000-0000-4000-8000-000000000001",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": SCHEMA,
        "partitionColumns": [],
        "configuration": {} if configuration is ... else configuration,
        "createdTime": 1700000000000,
    }
    return {"metaData": {key: value for key, value in (body | changes).items() if value is not ...}}


def add(path: str, size: Any = 100, **more: Any) -> Action:
    body = {"path": path, "partitionValues": {}, "size": size, "modificationTime": 1}
    return {"add": body | {"dataChange": True} | more}


def remove(path: str, **more: Any) -> Action:
    return {"remove": {"path": path, "deletionTimestamp": 1, "dataChange": True} | more}


def deletion_vector(name: str, offset: int | None = 1) -> Action:
    body = {"storageType": "u", "pathOrInlineDv": name, "sizeInBytes": 36, "cardinality": 1}
    return body if offset is None else body | {"offset": offset}


def txn(app: str, version: int) -> Action:
    return {"txn": {"appId": app, "version": version}}


def domain(name: str, configuration: str = "{}", *, removed: bool = False) -> Action:
    return {"domainMetadata": {"domain": name, "configuration": configuration, "removed": removed}}


def commit_info(**more: Any) -> Action:
    return {"commitInfo": {"timestamp": 1, "operation": "WRITE"} | more}


def commit(*actions: Action) -> bytes:
    lines = [json.dumps(action, separators=(",", ":"), ensure_ascii=False) for action in actions]
    return "".join(f"{line}\n" for line in lines).encode()


_DOTS_OF_A_PART = 4


@dataclass(frozen=True)
class Table:
    """A directory with a log that tests extend."""

    path: Path
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "log", self.path / "_delta_log")
        self.log.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, body: bytes | str, modified: int | None = None) -> Path:
        """Write a file of the log, which is there as a whole or not at all, as commits are."""
        target = self.log / name
        target.parent.mkdir(exist_ok=True)
        draft = target.with_name(".draft")
        draft.write_bytes(body.encode() if isinstance(body, str) else body)
        draft.replace(target)
        if modified is not None:
            os.utime(target, ns=(modified * 1_000_000, modified * 1_000_000))
        return target

    def commit(self, version: int, *actions: Action, modified: int | None = None) -> Path:
        return self.write(f"{version:020d}.json", commit(*actions), modified)

    def compacted(self, start: int, end: int, *actions: Action) -> Path:
        return self.write(f"{start:020d}.{end:020d}.compacted.json", commit(*actions))

    def last_checkpoint(self, version: int) -> Path:
        """A pointer that tells the truth about the checkpoint of *version*, if there is one."""
        files = sorted(self.log.glob(f"{version:020d}.checkpoint.*"))
        parts = [file for file in files if file.name.count(".") == _DOTS_OF_A_PART]
        size = sum(self._actions(part) for part in parts or files[-1:])
        more = {"parts": len(parts)} if parts else {}
        body = {"version": version, "size": size or 1} | more
        return self.write("_last_checkpoint", json.dumps(body))

    def _actions(self, file: Path) -> int:
        """How many actions a file of a checkpoint has, those of its sidecars included."""
        try:
            if file.suffix == ".json":
                rows = [json.loads(line) for line in file.read_bytes().splitlines()]
            else:
                rows = pq.ParquetFile(file).read(["sidecar"]).to_pylist()
        except ValueError:  # a damaged file
            return 0
        named = [Path(row["sidecar"]["path"]).name for row in rows if row.get("sidecar")]
        return len(rows) + sum(self._actions(self.log / "_sidecars" / name) for name in named)

    def crc(self, version: int, actions: Sequence[Action], **more: Any) -> Path:
        body: Action = {"tableSizeBytes": 0, "numFiles": 0, "numMetadata": 1, "numProtocol": 1}
        for action in actions:
            body |= action
        return self.write(f"{version:020d}.crc", json.dumps(body | more))

    def checkpoint(self, version: int, actions: Sequence[Action], group: int = 4) -> Path:
        """One file with row groups of so many rows."""
        return self._parquet(f"{version:020d}.checkpoint.parquet", actions, group)

    def multipart(self, version: int, actions: Sequence[Action], parts: int = 2) -> list[Path]:
        """The state first, files dealt out over the parts."""
        return [
            self._parquet(
                f"{version:020d}.checkpoint.{part + 1:010d}.{parts:010d}.parquet",
                actions[part::parts],
            )
            for part in range(parts)
        ]

    def v2_checkpoint(
        self, version: int, actions: Sequence[Action], kind: str = "json", sidecars: int = 2
    ) -> Path:
        """Files go to sidecars; everything else into the top-level file of *kind*."""
        files = [action for action in actions if "add" in action or "remove" in action]
        rest = [action for action in actions if action not in files]
        rest.append({"checkpointMetadata": {"version": version}})
        for part in range(sidecars):
            name = f"{uuid.uuid5(uuid.NAMESPACE_OID, f'{version}-{part}')}.parquet"
            made = self._parquet(f"_sidecars/{name}", files[part::sidecars])
            size = made.stat().st_size
            rest.append({"sidecar": {"path": name, "sizeInBytes": size, "modificationTime": 1}})
        name = f"{version:020d}.checkpoint.{uuid.uuid5(uuid.NAMESPACE_OID, str(version))}.{kind}"
        return self.write(name, commit(*rest)) if kind == "json" else self._parquet(name, rest)

    def _parquet(self, name: str, actions: Sequence[Action], group: int = 4) -> Path:
        target = self.log / name
        target.parent.mkdir(exist_ok=True)
        write_parquet(target, actions, group)
        return target


def write_parquet(target: Any, actions: Sequence[Action], group: int = 4) -> None:
    """A file of a checkpoint, at a path or into something that is open."""
    pq.write_table(checkpoint_rows(actions), target, row_group_size=group)


def checkpoint_rows(actions: Sequence[Action]) -> pa.Table:
    """The rows of a checkpoint with *actions*."""
    rows = [{key: _maps(action.get(key)) for key in CHECKPOINT_SCHEMA.names} for action in actions]
    return pa.Table.from_pylist(rows, schema=CHECKPOINT_SCHEMA)


def table(path: Path, *commits: bytes) -> Table:
    """A table at *path* with these commits from version 0 on."""
    made = Table(path)
    for version, body in enumerate(commits):
        made.write(f"{version:020d}.json", body)
    return made


_P = ParamSpec("_P")


def _later(
    step: Callable[Concatenate[Table, _P], Any],
) -> "Callable[Concatenate[Draft, _P], Draft]":
    def add(draft: "Draft", *given: _P.args, **named: _P.kwargs) -> "Draft":
        return draft.then(lambda made: step(made, *given, **named))

    return add


@dataclass(frozen=True)
class Draft:
    """A table yet to be made, at the path that it is called with; methods say what goes on."""

    make: Callable[[Path], Any]

    def __call__(self, path: Path) -> Any:
        return self.make(path)

    def then(self, step: Callable[[Table], object]) -> "Draft":
        def make(path: Path) -> Table:
            made: Table = self.make(path)
            step(made)
            return made

        return Draft(make)

    write = _later(Table.write)
    commit = _later(Table.commit)
    crc = _later(Table.crc)
    compacted = _later(Table.compacted)
    checkpoint = _later(Table.checkpoint)
    multipart = _later(Table.multipart)
    v2_checkpoint = _later(Table.v2_checkpoint)
    last_checkpoint = _later(Table.last_checkpoint)


def drafted(make: Callable[Concatenate[Path, _P], Any]) -> Callable[_P, Draft]:
    """*make* without the path, which the draft is given later."""

    def draft(*given: _P.args, **named: _P.kwargs) -> Draft:
        return Draft(lambda path: make(path, *given, **named))

    return draft


draft = drafted(table)
"""As `table`, but at a path that is given later."""


def lake(root: Path) -> Path:
    """Three tables of different protocols below *root*, and one without commits."""
    starts = {
        "a/old": [protocol(1, 2), metadata()],
        "a/mapped": [protocol(2, 5), metadata({"delta.columnMapping.mode": "name"})],
        "b/new": [
            protocol(3, 7, ["deletionVectors"], ["deletionVectors", "appendOnly"]),
            metadata({"delta.enableDeletionVectors": "true"}),
        ],
    }
    for name, actions in starts.items():
        table(root / name, commit(commit_info(), *actions))
    (root / "empty" / "_delta_log").mkdir(parents=True)
    return root


def _maps(action: Action | None) -> Action | None:
    """Arrow takes maps as lists of pairs."""
    if action is None:
        return None
    return {
        key: list(value.items())
        if key in {"partitionValues", "configuration", "tags"} and isinstance(value, dict)
        else value | {"options": list(value.get("options", {}).items())}
        if key == "format"
        else value
        for key, value in action.items()
    }


_MAP = pa.map_(pa.string(), pa.string())
_NAMES = pa.list_(pa.string())
_DELETION_VECTOR = pa.struct([
    ("storageType", pa.string()), ("pathOrInlineDv", pa.string()), ("offset", pa.int32()),
    ("sizeInBytes", pa.int32()), ("cardinality", pa.int64()), ("maxRowIndex", pa.int64()),
])  # fmt: skip

CHECKPOINT_SCHEMA = pa.schema([
    ("txn", pa.struct([("appId", pa.string()), ("version", pa.int64()),
        ("lastUpdated", pa.int64())])),
    ("add", pa.struct([("path", pa.string()), ("partitionValues", _MAP), ("size", pa.int64()),
        ("modificationTime", pa.int64()), ("dataChange", pa.bool_()), ("tags", _MAP),
        ("deletionVector", _DELETION_VECTOR), ("baseRowId", pa.int64()),
        ("defaultRowCommitVersion", pa.int64()), ("clusteringProvider", pa.string()),
        ("stats", pa.string())])),
    ("remove", pa.struct([("path", pa.string()), ("deletionTimestamp", pa.int64()),
        ("dataChange", pa.bool_()), ("extendedFileMetadata", pa.bool_()),
        ("partitionValues", _MAP), ("size", pa.int64()), ("deletionVector", _DELETION_VECTOR),
        ("baseRowId", pa.int64()), ("defaultRowCommitVersion", pa.int64())])),
    ("metaData", pa.struct([("id", pa.string()), ("name", pa.string()),
        ("description", pa.string()),
        ("format", pa.struct([("provider", pa.string()), ("options", _MAP)])),
        ("schemaString", pa.string()), ("partitionColumns", _NAMES), ("configuration", _MAP),
        ("createdTime", pa.int64())])),
    ("protocol", pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32()),
        ("readerFeatures", _NAMES), ("writerFeatures", _NAMES)])),
    ("domainMetadata", pa.struct([("domain", pa.string()), ("configuration", pa.string()),
        ("removed", pa.bool_())])),
    ("checkpointMetadata", pa.struct([("version", pa.int64()), ("tags", _MAP)])),
    ("sidecar", pa.struct([("path", pa.string()), ("sizeInBytes", pa.int64()),
        ("modificationTime", pa.int64()), ("tags", _MAP)])),
])  # fmt: skip
"""A checkpoint's columns as Spark writes them."""

START_BODY = commit(protocol(), metadata())
"""The smallest commit that makes a table."""
