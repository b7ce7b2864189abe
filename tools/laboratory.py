"""
Try clients: what releases that are installed here do with small tables, as rows for the facts.

`python -m tools.laboratory DIRECTORY` runs every environment of DIRECTORY, called `CLIENT-RELEASE`,
on every table, and replaces its rows in `tests/data/tried.jsonl`. To make one:
`python -m venv DIRECTORY/duckdb-delta-1.5.5`, then its pip installs
`duckdb==1.5.5 duckdb-extension-delta==1.5.5 duckdb-extensions pyarrow`.

Each client reads each table, and appends a row to a copy of it if it can write. The append went
wrong if Delta Spark then reads other rows, or does not read the table any more, or if `validate`
finds errors that were not there before.
"""

import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deltaadm.spark.errors import refusal
from tests.support.program import deltaadm
from tests.support.spark_processes import local_session
from tests.support.tables import Table, add, column, commit_info, domain, metadata, protocol
from tests.support.tables import schema as schema_of

Rows = list[list[Any]]
TRIED = Path(__file__).parents[1] / "tests/data/tried.jsonl"
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def bitmap(rows: Sequence[int]) -> bytes:
    """PROTOCOL.md, Deletion Vector Format: one portable roaring bitmap of one array container."""
    head = struct.pack("<IQIIIHHI", 1681511377, 1, 0, 12346, 1, 0, len(rows) - 1, 16)
    return head + b"".join(struct.pack("<H", row) for row in rows)


def z85(body: bytes) -> str:
    return base64.b85encode(body).decode().translate(str.maketrans(B85, Z85))


def inline_deletion_vector(rows: Sequence[int]) -> dict[str, Any]:
    body = bitmap(rows)
    kind = {"storageType": "i", "pathOrInlineDv": z85(body + b"\0" * (-len(body) % 4))}
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
    nullable: bool = True

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
        table = Table(path)
        columns = [column("a", self.kind, nullable=self.nullable, **self.column)]
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
                file["add"]["deletionVector"] = inline_deletion_vector(self.deleted)
            if "rowTracking" in self.features:
                file["add"] |= {"baseRowId": 3 if name == "y" else 0, "defaultRowCommitVersion": 0}
            actions.append(file)
        if "rowTracking" in self.features:
            actions.append(domain("delta.rowTracking", '{"rowIdHighWaterMark":3}'))
        told = metadata(
            self.configuration,
            schemaString=schema_of(*columns),
            partitionColumns=["p"] if self.partitioned else [],
        )
        state = [protocol(reader, writer, *lists), told, *actions]
        table.commit(0, commit_info(inCommitTimestamp=1), *state)
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
    **{f"{name} listed, for writers": Case(features=(name,), versions=(1, 7)) for name in (
        "appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns",
        "identityColumns", "allowColumnDefaults", "domainMetadata",
        "inCommitTimestamp", "icebergCompatV1", "icebergCompatV2", "icebergCompatV3",
        "checkpointProtection", "materializePartitionColumns", "collations", "fromTheFuture")},
    **{f"{name} in use": Case(features=(*more, name), versions=(1, 7), configuration={key: value})
        for name, key, value, *more in (
            ("appendOnly", "delta.appendOnly", "true"),
            ("changeDataFeed", "delta.enableChangeDataFeed", "true"),
            ("checkConstraints", "delta.constraints.c", "a < 9"),
            ("inCommitTimestamp", "delta.enableInCommitTimestamps", "true"),
            ("rowTracking", "delta.rowTrackingSuspended", "false", "domainMetadata"))},
    "invariants in use": Case(features=("invariants",), versions=(1, 7), nullable=False),
}  # fmt: skip
"""Features singly, and in pairs of which a client has got one wrong."""

_DUCKDB = """
import duckdb, duckdb_extensions
con = duckdb.connect()
duckdb_extensions.import_extension("delta", con=con)
def read(where):
    p = "p" if partitioned else "null"
    return con.execute(f"select a, {p} from delta_scan('{path}') {where}").fetchall()
def append(row):
    con.register("appended", row)
    con.execute(f"attach '{path}' as t (type delta)")
    try:
        con.execute("insert into t select * from appended")
    finally:
        con.execute("detach t")
"""
_DELTALAKE = """
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake
def append(row):
    write_deltalake(path, row, mode="append")
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
        .replace("COL", "polars.col").replace("TO_ROWS", ".collect().to_dicts()") + """
def append(row):
    polars.from_arrow(row).write_delta(path, mode="append")
""",
    "daft": "import daft\n" + _FRAME.replace("FRAME", "daft.read_deltalake(path)")
        .replace("COL", "daft.col").replace("TO_ROWS", ".to_pylist()") + """
def append(row):
    daft.from_arrow(row).write_deltalake(path, mode="append")
""",
    "sail": """
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession
server = SparkConnectServer()
server.start(background=True)
spark = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
def read(where):
    frame = spark.read.format("delta").load(path)
    frame = frame.where(where.removeprefix("where ")) if where else frame
    rows = frame.select(*(["a", "p"] if partitioned else ["a"])).collect()
    return [(row["a"], row["p"] if partitioned else None) for row in rows]
def append(row):
    spark.createDataFrame(row.to_pandas()).write.format("delta").mode("append").save(path)
""",
    "delta-sharing": """
import delta_kernel_rust_sharing_wrapper as kernel
import pyarrow as pa
def read(where):
    url = f"file://{path}/"
    interface, table = kernel.PythonInterface(url), kernel.Table(url)
    scan = kernel.ScanBuilder(table.snapshot(interface)).build()
    rows = pa.Table.from_batches(scan.execute(interface)).to_pylist()
    wanted = {"": "xy", "where p = 'x'": "x", "where p <> 'x'": "y"}[where]
    return [(row["a"], row.get("p")) for row in rows if not where or row["p"] in wanted]
""",
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
def said(do):
    try:
        return do()
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:120]
def all_rows():
    wheres = ["", "where p = 'x'", "where p <> 'x'"] if partitioned else [""]
    return [read(where) for where in wheres]
def appended():
    import pyarrow as pa
    row = {"a": pa.array([5], pa.timestamp("us") if kind == "timestamp_ntz" else pa.int64())}
    return append(pa.table({**row, "p": ["y"]} if partitioned else row)) and None
for original, copy, partitioned, kind in json.load(sys.stdin):
    path = original
    answers = [said(all_rows)]
    path = copy
    answers += [said(appended)] if "append" in globals() else []
    print("\\n>", json.dumps(answers, default=str))
    sys.stdout.flush()
"""


def ask(environment: Path, script: str, asked: Any, directory: Path) -> tuple[list[Any], str]:
    """
    What a *script*, in the Python of *environment*, answers to the JSON that it is given.

    Answers are the lines that it prints after `> `; beside them is what it says of its end.
    """
    file = directory / "try.py"  # without a file, Sail's own Spark does not start
    file.write_text(script)
    done = subprocess.run(
        [environment / "bin/python", file],
        input=json.dumps(asked), cwd=directory, capture_output=True, text=True, check=False,
        timeout=1_800, env={name: text for name, text in os.environ.items() if "SPARK" not in name},
    )  # fmt: skip
    lines = [line[2:] for line in done.stdout.splitlines() if line.startswith("> ")]
    return [*map(json.loads, lines)], f"it ended with {done.returncode}, {done.stderr}"


Judge = Callable[[Path], Rows | str]


def same(some: Rows, others: Rows) -> bool:
    first, second = (
        sorted([str(value) for value in row] for row in rows) for rows in (some, others)
    )
    return first == second


def outcome(case: Case, answer: Any) -> str:
    if isinstance(answer, str):
        return "fails loudly"
    rows = [case.rows]
    if case.partitioned:
        rows += [[row for row in case.rows if (row[1] == "x") is one] for one in (True, False)]
    return "works" if all(map(same, answer, rows)) else "silently wrong"


def errors(path: Path) -> Counter[str]:
    findings = deltaadm("validate", path, "--deep", "-o", "json").document["findings"]
    return Counter(each["code"] for each in findings if each["severity"] == "error")


def written(case: Case, path: Path, copy: Path, judge: Judge) -> str | None:
    """
    What is wrong with the table that a row was appended to; empty if nothing is.

    None if Delta Spark cannot read the table's checkpoint, so that it cannot tell.
    """
    new = datetime(1970, 1, 1, microsecond=5) if case.kind == "timestamp_ntz" else 5  # noqa: DTZ001
    rows = judge(copy)
    if case.checkpoint and isinstance(rows, str) and rows.startswith("FAILED_READ_FILE"):
        return None
    right = [*case.rows, [new, "y" if case.partitioned else None]]
    if isinstance(rows, str) or not same(rows, right):
        return f"Delta Spark: {rows}"[:120]
    return ", ".join(errors(copy) - errors(path))


def tried(environment: Path, tables: dict[str, Path], judge: Judge) -> Iterator[dict[str, str]]:
    """A row for each table that the client of *environment* was tried on."""
    client, _, release = environment.name.rpartition("-")
    asked, copies = [], Path(next(iter(tables.values())).parent, environment.name)
    for name, path in tables.items():
        shutil.copytree(path, copies / path.name)
        case = CASES[name]
        asked.append((str(path), str(copies / path.name), case.partitioned, case.kind))
    answers, said = ask(environment, SCRIPTS[client] + _ASK, asked, copies)
    if len(answers) != len(tables):
        sys.exit(f"{environment.name} gave {len(answers)} of {len(tables)} answers: {said}")
    for (name, path), (answer, *more) in zip(tables.items(), answers, strict=True):
        found = outcome(CASES[name], answer)
        row = {
            "client": f"{client}@{release}", "table": name, "read": found,
            "date": time.strftime("%Y-%m-%d"),
            "said": answer if found == "fails loudly" else "" if found == "works" else str(answer),
        }  # fmt: skip
        for refused in more:
            wrong = "" if refused else written(CASES[name], path, copies / path.name, judge)
            if wrong is not None:
                row["write"] = "fails loudly" if refused else "silently wrong" if wrong else "works"
                row["said_writing"] = refused or wrong
        yield row


def main(directory: str) -> None:
    environments = sorted(Path(directory).iterdir())
    rows = [json.loads(line) for line in TRIED.read_text().splitlines()]
    with (
        tempfile.TemporaryDirectory() as root,
        local_session(cores=1) as spark,
    ):

        def judge(path: Path) -> Rows | str:
            try:
                frame = spark.read.format("delta").load(str(path))
                return [[row["a"], row.asDict().get("p")] for row in frame.collect()]
            except Exception as error:  # noqa: BLE001 -- whatever Spark throws
                found = refusal(error)
                return found.delta_error_class or found.message

        tables = {name: Path(root, str(number)) for number, name in enumerate(CASES)}
        for name, path in tables.items():
            CASES[name].make(path)
        for environment in environments:
            client = environment.name[::-1].replace("-", "@", 1)[::-1]
            rows = [row for row in rows if row["client"] != client]
            rows += tried(environment, tables, judge)
            rows.sort(key=lambda row: row["client"])
            TRIED.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


if __name__ == "__main__":
    main(sys.argv[1])
