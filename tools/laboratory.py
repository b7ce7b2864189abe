"""
Try clients: what releases that are installed here do with small tables, as rows for the facts.

`python -m tools.laboratory DIRECTORY >> tests/data/tried.jsonl` runs every environment of
DIRECTORY, called `CLIENT-RELEASE`, on every table: `python -m venv DIRECTORY/duckdb-delta-1.5.5`,
then its pip installs `duckdb==1.5.5 duckdb-extension-delta==1.5.5 duckdb-extensions`.
"""

import base64
import json
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.tables import Table, add, column, metadata, protocol
from tests.support.tables import schema as schema_of

Rows = list[list[Any]]
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def inline_deletion_vector(rows: list[int]) -> dict[str, Any]:
    """PROTOCOL.md, Deletion Vector Format: one portable roaring bitmap of one array container."""
    head = struct.pack("<IQIIIHHI", 1681511377, 1, 0, 12346, 1, 0, len(rows) - 1, 16)
    body = head + b"".join(struct.pack("<H", row) for row in rows)
    padded = body + b"\0" * (-len(body) % 4)
    text = base64.b85encode(padded).decode().translate(str.maketrans(B85, Z85))
    kind = {"storageType": "i", "pathOrInlineDv": text}
    return {**kind, "sizeInBytes": len(body), "cardinality": len(rows)}


@dataclass(frozen=True)
class Case:
    """
    A table with a column `a` in two files: 1, 2 and 3, of which some are *deleted*, and 4.

    With *partitioned* it has a column `p`, too: x in the one file, y in the other.
    """

    features: tuple[str, ...] = ()
    versions: tuple[int, int] = (3, 7)
    kind: str = "long"
    column: dict[str, Any] = field(default_factory=dict)
    configuration: dict[str, str] = field(default_factory=dict)
    stored: pa.Field = field(default_factory=lambda: pa.field("a", pa.int64()))
    deleted: tuple[int, ...] = ()
    partitioned: bool = False
    checkpoint: bool = False

    @property
    def mapped(self) -> bool:
        return "delta.columnMapping.mode" in self.configuration

    @property
    def rows(self) -> Rows:
        return [
            [pa.scalar(value, self.stored.type).as_py(), partition if self.partitioned else None]
            for value, partition in ((1, "x"), (2, "x"), (3, "x"), (4, "y"))
            if value - 1 not in self.deleted
        ]

    def make(self, path: Path) -> None:
        reader, writer = self.versions
        lists = [list(self.features) if listed else None for listed in (reader == 3, writer == 7)]
        table, columns = Table(path), [column("a", self.kind, **self.column)]
        if self.partitioned:
            columns.append(column("p", "string", **(P_MAPPING if self.mapped else {})))
        key = "col-p" if self.mapped else "p"
        elsewhere = self.mapped or "delta.randomizeFilePrefixes" in self.configuration
        hive = self.partitioned and not elsewhere
        actions = []
        for name, values in (("x", [1, 2, 3]), ("y", [4])):
            data = pa.Table.from_arrays(
                [pa.array(values, self.stored.type)], schema=pa.schema([self.stored])
            )
            place = f"p={name}/{name}.parquet" if hive else f"{name}.parquet"
            (path / place).parent.mkdir(exist_ok=True)
            pq.write_table(data, path / place)
            stats = json.dumps({"numRecords": len(values)})
            file = add(place, (path / place).stat().st_size, stats=stats)
            file["add"]["partitionValues"] = {key: name} if self.partitioned else {}
            if self.deleted and name == "x":
                file["add"]["deletionVector"] = inline_deletion_vector([*self.deleted])
            actions.append(file)
        told = metadata(
            self.configuration,
            schemaString=schema_of(*columns),
            partitionColumns=["p"] if self.partitioned else [],
        )
        state = [protocol(reader, writer, *lists), told, *actions]
        table.commit(0, *state)
        if self.checkpoint:
            table.checkpoint(0, state)
            table.last_checkpoint(0)


A_MAPPING = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-a"}
P_MAPPING = {"delta.columnMapping.id": 2, "delta.columnMapping.physicalName": "col-p"}
WIDENED = {"delta.typeChanges": [{"fromType": "integer", "toType": "long", "tableVersion": 1}]}
VECTORS = {
    "features": ("deletionVectors",),
    "configuration": {"delta.enableDeletionVectors": "true"},
    "deleted": (0, 1),
}


def mapped(
    mode: str, reader: int, writer: int, *features: str, name: str = "col-a", **more: Any
) -> Case:
    return Case(
        features,
        (reader, writer),
        column=A_MAPPING,
        configuration={"delta.columnMapping.mode": mode, "delta.columnMapping.maxColumnId": "2"},
        stored=pa.field(name, pa.int64(), metadata={"PARQUET:field_id": "1"}),
        **more,
    )


CASES = {
    "no feature": Case(versions=(1, 2)),
    "partitions": Case(versions=(1, 2), partitioned=True),
    "partitions, checkpoint": Case(versions=(1, 2), partitioned=True, checkpoint=True),
    "partitions, random paths": Case(versions=(1, 2), partitioned=True,
        configuration={"delta.randomizeFilePrefixes": "true"}),
    "column mapping by name, by version": mapped("name", 2, 5),
    "column mapping by name, listed": mapped("name", 3, 7, "columnMapping"),
    "column mapping by name, checkpoint": mapped("name", 3, 7, "columnMapping", checkpoint=True),
    "column mapping by name, partitions": mapped("name", 2, 5, partitioned=True),
    "column mapping by name, partitions, checkpoint": mapped(
        "name", 3, 7, "columnMapping", partitioned=True, checkpoint=True),
    "column mapping by id": mapped("id", 3, 7, "columnMapping"),
    "column mapping by id, other names in files": mapped(
        "id", 3, 7, "columnMapping", name="other"),
    "column mapping listed, not used": Case(features=("columnMapping",)),
    "column mapping by version, not used": Case(versions=(2, 5)),
    "deletion vectors": Case(**VECTORS),
    "deletion vectors, checkpoint": Case(**VECTORS, checkpoint=True),
    "deletion vectors, property off": Case(**{**VECTORS, "configuration": {}}),
    "deletion vectors, property off, checkpoint": Case(
        **{**VECTORS, "configuration": {}}, checkpoint=True),
    "deletion vectors, partitions, checkpoint": Case(
        **VECTORS, partitioned=True, checkpoint=True),
    "widened type": Case(features=("typeWidening",), column=WIDENED,
        configuration={"delta.enableTypeWidening": "true"}, stored=pa.field("a", pa.int32())),
    "a type without its feature": Case(versions=(1, 2), kind="timestamp_ntz",
        stored=pa.field("a", pa.timestamp("us"))),
    **{f"{name} listed": Case(features=(name,)) for name in ("deletionVectors", "v2Checkpoint",
        "vacuumProtocolCheck", "variantType", "variantType-preview", "variantShredding",
        "variantShredding-preview", "typeWidening-preview", "catalogManaged",
        "catalogOwned-preview", "geospatial", "adaptiveMetadata-preview", "fromTheFuture")},
}  # fmt: skip
"""Features singly, and in pairs of which a client has got one wrong."""

_DUCKDB = """
import duckdb, duckdb_extensions
con = duckdb.connect()
duckdb_extensions.import_extension("delta", con=con)
def read(where):
    p = "p" if partitioned else "null"
    return con.execute(f"select a, {p} from delta_scan('{path}') {where}").fetchall()
"""
_DELTALAKE = """
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder
def read(where):
    p = "p" if partitioned else "null"
    builder = QueryBuilder().register("t", DeltaTable(path))
    found = builder.execute(f"select a, {p} as p from t {where}")
    batches = found.fetchall() if hasattr(found, "fetchall") else [pa.table(found.read_all())]
    return [(row["a"], row["p"]) for batch in batches for row in batch.to_pylist()]
"""
_FRAME = """
def read(where):
    frame = FRAME
    if where:
        frame = frame.filter(COL("p") != "x" if "<>" in where else COL("p") == "x")
    columns = ["a", "p"] if partitioned else ["a"]
    rows = frame.select(*columns)TO_ROWS
    return [(row["a"], row.get("p")) for row in rows]
"""
SCRIPTS = {
    "duckdb-delta": _DUCKDB,
    "delta-rs": _DELTALAKE,
    "polars": "import polars\n" + _FRAME.replace("FRAME", "polars.scan_delta(path)")
        .replace("COL", "polars.col").replace("TO_ROWS", ".collect().to_dicts()"),
    "daft": "import daft\n" + _FRAME.replace("FRAME", "daft.read_deltalake(path)")
        .replace("COL", "daft.col").replace("TO_ROWS", ".to_pylist()"),
    "clickhouse": """
import chdb, json
def read(where):
    p = "p" if partitioned else "null"
    sql = f"select a, {p} from deltaLakeLocal('{path}') {where} format JSONCompactEachRow"
    text = str(chdb.query(sql + " settings output_format_json_quote_64bit_integers=0"))
    return [json.loads(line) for line in text.splitlines()]
""",
}  # fmt: skip
"""What each client runs: `read` gives the rows of a table, with a condition on `p`."""

_ASK = """
import json, sys
for path, partitioned in json.load(sys.stdin):
    try:
        found = [read("")]
        if partitioned:
            found += [read("where p = 'x'"), read("where p <> 'x'")]
    except BaseException as error:
        found = f"{type(error).__name__}: {error}"[:120]
    print("\\n>", json.dumps(found, default=str))
    sys.stdout.flush()
"""


def outcome(case: Case, answer: Any) -> str:
    if isinstance(answer, str):
        return "fails loudly"
    rows = [case.rows]
    if case.partitioned:
        rows += [[row for row in case.rows if (row[1] == "x") is same] for same in (True, False)]
    same, right = (
        [sorted([str(value) for value in row] for row in rows) for rows in some]
        for some in (answer, rows)
    )
    return "works" if same == right else "silently wrong"


def tried(environment: Path, tables: dict[str, Path]) -> Iterator[dict[str, str]]:
    """A row for each table that the client of *environment* was tried on."""
    client, _, release = environment.name.rpartition("-")
    asked = [(str(path), CASES[name].partitioned) for name, path in tables.items()]
    done = subprocess.run(
        [environment / "bin/python", "-c", SCRIPTS[client] + _ASK],
        input=json.dumps(asked), cwd=next(iter(tables.values())).parent,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line[2:] for line in done.stdout.splitlines() if line.startswith("> ")]
    if len(lines) != len(tables):
        sys.exit(f"{environment.name} gave {len(lines)} of {len(tables)} answers: {done.stderr}")
    for name, line in zip(tables, lines, strict=True):
        answer = json.loads(line)
        found = outcome(CASES[name], answer)
        yield {
            "client": f"{client}@{release}", "table": name, "read": found,
            "date": time.strftime("%Y-%m-%d"),
            "said": answer if found == "fails loudly" else "" if found == "works" else str(answer),
        }  # fmt: skip


def main(directory: str) -> None:
    with tempfile.TemporaryDirectory() as root:
        tables = {name: Path(root, str(number)) for number, name in enumerate(CASES)}
        for name, path in tables.items():
            CASES[name].make(path)
        for environment in sorted(Path(directory).iterdir()):
            for row in tried(environment, tables):
                sys.stdout.write(f"{json.dumps(row)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
