"""The facts about delta-rs, held against the release of it that is installed."""

import base64
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, QueryBuilder

from deltaadm import load_snapshot, open_store
from deltaadm.clients import Access, Compatibility, parse_client, verdict
from deltaadm.clients.facts import version_key
from tests.support import tables
from tests.support.tables import add, commit, metadata, protocol

RELEASE = parse_client(f"delta-rs@{deltalake.__version__}")
ROWS = [1, 2, 3]
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

pytestmark = pytest.mark.skipif(
    version_key(RELEASE.version) > version_key(RELEASE.client.newest) or not RELEASE.is_known,
    reason=f"nothing is known about {RELEASE}: look, and add to deltaadm/clients/catalogue.py",
)


def inline_deletion_vector(rows: list[int]) -> dict[str, Any]:
    """PROTOCOL.md, Deletion Vector Format: one portable roaring bitmap of one array container."""
    head = struct.pack("<IQIIIHHI", 1681511377, 1, 0, 12346, 1, 0, len(rows) - 1, 16)
    body = head + b"".join(struct.pack("<H", row) for row in rows)
    padded = body + b"\0" * (-len(body) % 4)
    text = base64.b85encode(padded).decode().translate(str.maketrans(B85, Z85))
    return {
        "storageType": "i",
        "pathOrInlineDv": text,
        "sizeInBytes": len(body),
        "cardinality": len(rows),
    }


def schema(of: str = "long", **field_metadata: Any) -> str:
    column = {"name": "a", "type": of, "nullable": True, "metadata": field_metadata}
    return json.dumps({"type": "struct", "fields": [column]})


MAPPING = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-x"}
WIDENED = {"delta.typeChanges": [{"fromType": "integer", "toType": "long", "tableVersion": 1}]}


@dataclass(frozen=True)
class Case:
    """A table with one file that holds 1, 2 and 3, and the rows that it must show."""

    features: tuple[str, ...] = ()
    versions: tuple[int, int] = (3, 7)
    schema: str = field(default_factory=schema)
    configuration: dict[str, str] = field(default_factory=dict)
    column: pa.Field = field(default_factory=lambda: pa.field("a", pa.int64()))
    deleted: tuple[int, ...] = ()

    @property
    def expected(self) -> list[int]:
        return [row for number, row in enumerate(ROWS) if number not in self.deleted]

    def make(self, path: Path) -> None:
        reader, writer = self.versions
        lists = [list(self.features) if listed else None for listed in (reader == 3, writer == 7)]
        path.mkdir(parents=True)
        data = pa.Table.from_arrays(
            [pa.array(ROWS, self.column.type)], schema=pa.schema([self.column])
        )
        pq.write_table(data, path / "f.parquet")
        vector = {"deletionVector": inline_deletion_vector([*self.deleted])} if self.deleted else {}
        file = add("f.parquet", (path / "f.parquet").stat().st_size, stats='{"numRecords":3}')
        file["add"] |= vector
        tables.table(
            path,
            commit(
                protocol(reader, writer, *lists),
                metadata(self.configuration, schemaString=self.schema),
                file,
            ),
        )


def mapped(
    mode: str, *versions: int, features: tuple[str, ...] = (), column: str = "col-x"
) -> Case:
    return Case(
        features=features,
        versions=(versions[0], versions[1]),
        schema=schema(**MAPPING),
        configuration={"delta.columnMapping.mode": mode, "delta.columnMapping.maxColumnId": "1"},
        column=pa.field(column, pa.int64(), metadata={"PARQUET:field_id": "1"}),
    )


CASES = {
    "no feature": Case(versions=(1, 2)),
    "column mapping by name, by version": mapped("name", 2, 5),
    "column mapping by name, listed": mapped("name", 3, 7, features=("columnMapping",)),
    "column mapping by id, other names in files": mapped("id", 3, 7, features=("columnMapping",),
        column="other"),
    "column mapping listed, not used": Case(features=("columnMapping",)),
    "column mapping by version, not used": Case(versions=(2, 5)),
    "deletion vectors": Case(features=("deletionVectors",),
        configuration={"delta.enableDeletionVectors": "true"}, deleted=(0, 1)),
    "widened type": Case(features=("typeWidening",), schema=schema(**WIDENED),
        configuration={"delta.enableTypeWidening": "true"}, column=pa.field("a", pa.int32())),
    "a type without its feature": Case(versions=(1, 2), schema=schema("timestamp_ntz"),
        column=pa.field("a", pa.timestamp("us"))),
    **{f"{name} listed": Case(features=(name,)) for name in ("deletionVectors", "v2Checkpoint",
        "vacuumProtocolCheck", "variantType", "variantType-preview", "variantShredding",
        "variantShredding-preview", "typeWidening-preview", "catalogManaged",
        "catalogOwned-preview", "geospatial", "adaptiveMetadata-preview", "fromTheFuture")},
}  # fmt: skip


def rows_by_arrow(path: Path) -> list[int | None]:
    found: list[int | None] = DeltaTable(path).to_pyarrow_table()["a"].to_pylist()
    return found


def rows_by_query(path: Path) -> list[int | None]:
    answer = QueryBuilder().register("t", DeltaTable(path)).execute("select a from t")
    found: list[int | None] = pa.table(answer.read_all()).column(0).to_pylist()
    return found


def observed(path: Path, expected: list[int]) -> Compatibility:
    """The worst of both ways to read that gives rows at all; loud where none does."""
    answers = []
    for read in (rows_by_arrow, rows_by_query):
        try:
            answers.append(read(path) == expected)
        except Exception:  # noqa: BLE001, S112 -- any error is loud
            continue
    if not answers:
        return Compatibility.FAILS_LOUDLY
    return Compatibility.WORKS if all(answers) else Compatibility.SILENTLY_WRONG


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_reading_is_as_the_facts_say(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "t"
    case.make(path)
    snapshot = load_snapshot(open_store(str(path)))
    found = verdict(RELEASE, snapshot.protocol, snapshot.metadata, Access.READ)
    assert found.compatibility is observed(path, case.expected)


WRITER_FEATURES = (
    *("appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns"),
    *("identityColumns", "allowColumnDefaults", "domainMetadata", "rowTracking", "clustering"),
    *("inCommitTimestamp", "icebergCompatV1", "icebergCompatV2", "icebergCompatV3"),
    *("checkpointProtection", "materializePartitionColumns", "collations", "fromTheFuture"),
)


def appended(path: Path) -> Compatibility:
    rows = pa.table({"a": pa.array([9], pa.int64())})
    try:
        deltalake.write_deltalake(path, rows, mode="append")
    except Exception:  # noqa: BLE001 -- any error is loud
        return Compatibility.FAILS_LOUDLY
    return Compatibility.WORKS


@pytest.mark.parametrize("feature", WRITER_FEATURES)
def test_writing_is_as_the_facts_say(feature: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    Case(features=(feature,), versions=(1, 7)).make(path)
    snapshot = load_snapshot(open_store(str(path)))
    found = verdict(RELEASE, snapshot.protocol, snapshot.metadata, Access.WRITE)
    assert found.compatibility is appended(path)


@pytest.mark.parametrize("kind", ["varchar(5)", "char(5)"])
def test_texts_that_are_too_long_are_written_as_the_facts_say(kind: str, tmp_path: Path) -> None:
    limited = schema("string", __CHAR_VARCHAR_TYPE_STRING=kind)
    made = tables.table(tmp_path, commit(protocol(1, 2), metadata(schemaString=limited)))
    deltalake.write_deltalake(made.path, pa.table({"a": ["x" * 20]}), mode="append")
    assert rows_by_query(made.path) == ["x" * 20]
    snapshot = load_snapshot(open_store(str(made.path)))
    found = verdict(RELEASE, snapshot.protocol, snapshot.metadata, Access.WRITE)
    assert found.compatibility is Compatibility.SILENTLY_WRONG
