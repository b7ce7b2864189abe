"""Damaged checkpoints: an answer, findings or one readable error, whatever their bytes are.

`DELTAADM_DAMAGES` sets how many damages are tried, and `DELTAADM_DAMAGE_SEED` which. From a
thousand on, they are dealt out over all tables there are, the corpus included:

    DELTAADM_DAMAGES=20000 pytest -n 0 tests/cli/test_damaged_checkpoints.py -k damaged_byte
"""

import json
import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from deltaadm.replay.parquet import chunks, first_page, read_footer
from tests.support import damage, oracle
from tests.support.program import deltaadm
from tests.support.tables import (
    CHECKPOINT_SCHEMA,
    Table,
    add,
    commit_info,
    domain,
    metadata,
    protocol,
    table,
    txn,
)
from tests.support.tables import commit as body

pytestmark = pytest.mark.slow

DAMAGES = int(os.environ.get("DELTAADM_DAMAGES", "60"))
SEED = int(os.environ.get("DELTAADM_DAMAGE_SEED", "1"))
FEW = ("classic-checkpoint", "multipart-checkpoint", "v2-checkpoint-parquet", "deletion-vectors")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tables with checkpoints by Delta Spark, by delta-rs, and by pyarrow."""
    root = tmp_path_factory.mktemp("tables")
    names = FEW if DAMAGES < 1_000 else oracle.table_names()
    found = {name: oracle.table(name, root).path for name in names}
    found |= {
        recorded.name: recorded.path for recorded in oracle.corpus_if_present() if DAMAGES >= 1_000
    }
    found["delta-rs"] = by_delta_rs(root / "delta-rs")
    found["V2 in JSON"] = in_json(root / "json")
    return found


def by_delta_rs(path: Path) -> Path:
    for number in range(6):
        data = pa.table({"a": [number] * 3, "b": ["x", "y", f"z{number}"]})
        write_deltalake(str(path), data, mode="append", partition_by=["b"])
    made = DeltaTable(str(path))
    made.delete("a = 3")
    made.create_checkpoint()
    return path


def in_json(path: Path) -> Path:
    features = ["v2Checkpoint"]
    state = [protocol(3, 7, features, features), metadata()]
    made = table(path, body(commit_info(), *state), body(commit_info(), add("f1"), add("f2")))
    made.v2_checkpoint(1, [*state, add("f1"), add("f2")])
    made.last_checkpoint(1)
    return path


@pytest.mark.parametrize("kinds", [("bit",), ("cut off", "zeroed", "overwritten")], ids=len)
def test_no_damaged_byte_is_a_bug_or_hides_files(
    kinds: tuple[str, ...], tables: dict[str, Path], tmp_path: Path
) -> None:
    drawn = damage.cases(damage.subjects(tables), DAMAGES, SEED, kinds)
    found = list(damage.outcomes(drawn, tmp_path))
    assert len(found) == DAMAGES
    assert [str(result) for result in found if not (result.accepted and result.noticed)] == []


# Columns that a checkpoint cannot have

ROWS = [
    protocol(3, 7, ["deletionVectors"], ["deletionVectors", "rowTracking", "domainMetadata"]),
    metadata({"delta.appendOnly": "false"}),
    add("f1", stats='{"numRecords":1}', baseRowId=0),
    txn("app", 1),
    domain("d"),
]
TEXT, LONG = pa.string(), pa.int64()
TEXTS = pa.map_(TEXT, TEXT)
Change = Callable[[pa.Table], pa.Table]


def field(path: str, values: Any) -> Change:
    """Replaces the field at *path*, which is added where it is missing, in every row."""
    name, key = path.split(".")

    def changed(whole: pa.Table) -> pa.Table:
        column = whole.column(name).combine_chunks()
        made = dict(zip([field.name for field in column.type], column.flatten(), strict=True))
        made[key] = values
        struct = pa.StructArray.from_arrays(
            list(made.values()), names=list(made), mask=pc.is_null(column)
        )
        return whole.set_column(whole.schema.get_field_index(name), name, struct)

    return changed


def column(name: str, values: Any) -> Change:
    def changed(whole: pa.Table) -> pa.Table:
        return whole.set_column(whole.schema.get_field_index(name), name, values)

    return changed


def twice(name: str) -> Change:
    return lambda whole: whole.append_column(name, whole.column(name))


def field_twice(name: str, key: str) -> Change:
    def changed(whole: pa.Table) -> pa.Table:
        old = whole.column(name).combine_chunks()
        names = [field.name for field in old.type]
        arrays = [*old.flatten(), pc.struct_field(old, key)]
        made = pa.StructArray.from_arrays(arrays, names=[*names, key], mask=pc.is_null(old))
        return whole.set_column(whole.schema.get_field_index(name), name, made)

    return changed


def all_of(kind: pa.DataType, value: Any) -> pa.Array:
    return pa.array([value] * len(ROWS), kind)


NUMBERS, BYTES = all_of(LONG, 5), all_of(pa.binary(), b"f1")
WORDS, LISTS = all_of(TEXT, "x"), all_of(pa.list_(TEXT), ["x"])

MISFITS: dict[str, Change] = {
    "path as a number": field("add.path", NUMBERS),
    "path as bytes": field("add.path", BYTES),
    "path as a fraction": field("add.path", all_of(pa.float64(), 0.5)),
    "path as a flag": field("add.path", all_of(pa.bool_(), value=True)),
    "path as a struct": field("add.path", all_of(pa.struct([("path", TEXT)]), {"path": "f1"})),
    "path as a list": field("add.path", LISTS),
    "no path": field("add.path", all_of(TEXT, None)),
    "size as text": field("add.size", WORDS),
    "size as a fraction": field("add.size", all_of(pa.float64(), 0.5)),
    "size as a date": field("add.size", all_of(pa.date32(), 1)),
    "size as a time": field("add.size", all_of(pa.timestamp("us"), 1)),
    "partition values as text": field("add.partitionValues", WORDS),
    "partition values as a list": field("add.partitionValues", LISTS),
    "partition values as numbers": field("add.partitionValues", all_of(pa.map_(TEXT, LONG),
        [("a", 1)])),
    "partition values under numbers": field("add.partitionValues", all_of(pa.map_(LONG, TEXT),
        [(1, "a")])),
    "partition values as a struct": field("add.partitionValues", all_of(pa.struct([("a", TEXT)]),
        {"a": "x"})),
    "statistics as a struct": field("add.stats", all_of(pa.struct([("a", LONG)]), {"a": 1})),
    "statistics as bytes": field("add.stats", BYTES),
    "a deletion vector as text": field("add.deletionVector", WORDS),
    "a deletion vector with a number as its path": field("add.deletionVector",
        all_of(pa.struct([("storageType", LONG)]), {"storageType": 1})),
    "a row id as text": field("add.baseRowId", WORDS),
    "tags as text": field("add.tags", WORDS),
    "add as text": column("add", WORDS),
    "add as a list of structs": column("add", all_of(pa.list_(pa.struct([("path", TEXT)])),
        [{"path": "f1"}])),
    "add as a map": column("add", all_of(TEXTS, [("path", "f1")])),
    "protocol as text": column("protocol", WORDS),
    "protocol as a map": column("protocol", all_of(TEXTS, [("minReaderVersion", "1")])),
    "a version as text": field("protocol.minReaderVersion", WORDS),
    "a version as a fraction": field("protocol.minWriterVersion", all_of(pa.float64(), 2.0)),
    "a version that no 32 bits can hold": field("protocol.minReaderVersion", all_of(LONG, 1 << 40)),
    "features as text": field("protocol.readerFeatures", WORDS),
    "features as a map": field("protocol.writerFeatures", all_of(TEXTS, [("x", "y")])),
    "features as numbers": field("protocol.writerFeatures", all_of(pa.list_(LONG), [1])),
    "metaData as a list": column("metaData", LISTS),
    "the schema as a number": field("metaData.schemaString", NUMBERS),
    "the configuration as a list": field("metaData.configuration", LISTS),
    "the format as text": field("metaData.format", WORDS),
    "partition columns as text": field("metaData.partitionColumns", WORDS),
    "a transaction's version as text": field("txn.version", WORDS),
    "an application as a number": field("txn.appId", NUMBERS),
    "a domain as a list": field("domainMetadata.domain", LISTS),
    "removed as text": field("domainMetadata.removed", WORDS),
    "two columns add": twice("add"),
    "two columns protocol": twice("protocol"),
    "two paths": field_twice("add", "path"),
    "two schemas": field_twice("metaData", "schemaString"),
}  # fmt: skip


def checkpointed(path: Path, change: Change) -> Table:
    """A table with one file in a checkpoint that is written anew, and another in a commit."""
    made = table(path, body(commit_info(), *ROWS[:3]), body(commit_info(), *ROWS[3:]))
    file = made.checkpoint(1, ROWS)
    pq.write_table(change(pq.read_table(file, schema=CHECKPOINT_SCHEMA)), file)
    made.commit(2, commit_info(), add("f2"))
    return made


@pytest.mark.parametrize("change", MISFITS.values(), ids=MISFITS)
def test_an_unfit_checkpoint_is_passed_over_as_long_as_commits_stand_in(
    change: Change, tmp_path: Path
) -> None:
    made = checkpointed(tmp_path, change)
    result = deltaadm("inspect", made.path, "--files", "-o", "json")
    assert result.code == 0, result.err
    assert result.document["files"]["files"] == 2
    (warning,) = result.document["warnings"]
    assert warning.startswith("The checkpoint of version 1 cannot be read (")
    result = deltaadm("validate", made.path, "-o", "json")
    assert result.code == 1, result.err
    assert "DL612" in {finding["code"] for finding in result.document["findings"]}
    (made.log / f"{0:020d}.json").unlink()
    for name, option in (("inspect", "--files"), ("validate", "--deep")):
        result = deltaadm(name, made.path, option)
        assert result.code in {1, 3}, result.err
        assert "cannot be read" in result.out + result.err


FITTING: dict[str, Change] = {
    "as it is": lambda whole: whole,
    "numbers of 32 bits": field("add.size", all_of(pa.int32(), 100)),
    "values that are no text": field("add.partitionValues", pa.MapArray.from_arrays(
        range(len(ROWS) + 1), WORDS, all_of(pa.binary(), b"\xff").view(TEXT))),
    "an unknown field": field("add.more", WORDS),
    "an unknown column": lambda whole: whole.append_column("more", WORDS),
    "another type of struct statistics": field("add.stats_parsed", WORDS),
    "no fields but path and size": lambda whole:
        column("add",
        pa.StructArray.from_arrays([pc.struct_field(whole.column("add").combine_chunks(), field)
        for field in ("path", "size")], names=["path", "size"],
        mask=pc.is_null(whole.column("add").combine_chunks())))(whole),
}  # fmt: skip


@pytest.mark.parametrize("change", FITTING.values(), ids=FITTING)
def test_what_the_schema_of_the_log_does_not_forbid_is_read(change: Change, tmp_path: Path) -> None:
    made = checkpointed(tmp_path, change)
    (made.log / f"{0:020d}.json").unlink()
    result = deltaadm("inspect", made.path, "--files", "-o", "json")
    assert result.code == 0, result.err
    assert result.document["files"]["files"] == 2
    assert result.document["warnings"] == []
    assert deltaadm("validate", made.path, "--deep", "-o", "json").code in {0, 1}


def test_annotations_that_contradict_each_other_are_damage(tmp_path: Path) -> None:
    """Texts by the older kind of annotation that are none by the newer one."""
    made = checkpointed(tmp_path, lambda whole: whole)
    (file,) = made.log.glob("*.parquet")
    whole = file.read_bytes()
    text = b"\x18\x03key%\x00L\x1c\x00\x00\x00"
    assert text in whole
    file.write_bytes(whole.replace(text, text.replace(b"\x1c", b"\x9c")))
    result = deltaadm("inspect", made.path, "--files", "-o", "json")
    assert result.code == 0, result.err
    (warning,) = result.document["warnings"]
    assert "cannot be read" in warning


# What else tells how many files there are


def test_a_page_must_match_its_checksum(tmp_path: Path) -> None:
    made = checkpointed(tmp_path, lambda whole: whole)
    (file,) = made.log.glob("*.parquet")
    whole = pq.read_table(file)
    pq.write_table(whole, file, write_page_checksum=True, compression="none", use_dictionary=False)
    file.write_bytes(file.read_bytes().replace(b"\x02\x00\x00\x00f1", b"\x02\x00\x00\x00f7"))
    result = deltaadm("inspect", made.path, "--files", "-o", "json")
    assert result.document["files"]["files"] == 2
    (warning,) = result.document["warnings"]
    assert "checksum" in warning or "crc" in warning.lower()


def test_the_number_of_files_is_compared_with_the_hint(tmp_path: Path) -> None:
    made = checkpointed(tmp_path, lambda whole: whole)
    made.write("_last_checkpoint", json.dumps({"version": 1, "size": 5, "numOfAddFiles": 3}))
    result = deltaadm("inspect", made.path, "--files", "-o", "json")
    assert result.document["warnings"] == [
        "_last_checkpoint says that the checkpoint of version 1 has 3 files, but it has 1."
    ]


def test_the_number_of_files_is_compared_with_the_version_checksum(tmp_path: Path) -> None:
    made = checkpointed(tmp_path, lambda whole: whole)
    made.crc(2, ROWS[:2], numFiles=3, tableSizeBytes=200)
    result = deltaadm("inspect", made.path, "--files", "-o", "json")
    assert result.document["warnings"] == [
        "The version checksum's numFiles is 3, but the log has 2."
    ]


def test_a_damaged_table_costs_a_discovery_one_answer(tmp_path: Path) -> None:
    for name in "abc":
        made = checkpointed(tmp_path / name, lambda whole: whole)
        (made.log / f"{0:020d}.json").unlink()
    file = next((tmp_path / "b").rglob("*.parquet"))
    drawn = [
        damage.Damage("overwritten", at, 255)
        for at in range(len(file.read_bytes()) - 600, len(file.read_bytes()), 40)
    ]
    whole = file.read_bytes()
    for damaged in drawn:
        file.write_bytes(damaged.applied_to(whole))
        result = deltaadm("inspect", "--discover", tmp_path, "--files", "-o", "json")
        assert result.code in {0, 9}, result.err


def test_a_data_file_is_reported_whose_columns_are_named_by_no_text(tmp_path: Path) -> None:
    made = table(tmp_path, body(commit_info(), protocol(), metadata()))
    file = tmp_path / "f1"
    pq.write_table(pa.table({"column": [1]}), file, store_schema=False)
    file.write_bytes(file.read_bytes().replace(b"column", b"c\xfflumn"))
    made.commit(1, commit_info(), add("f1", file.stat().st_size))
    result = deltaadm("validate", made.path, "--deep", "-o", "json")
    assert result.code == 1, result.err
    assert any("utf-8" in finding["message"] for finding in result.document["findings"])


def test_a_damaged_page_of_a_column_that_only_others_read_is_found(tmp_path: Path) -> None:
    """Delta Spark reads all columns, and fails."""
    made = checkpointed(tmp_path, lambda whole: whole)
    (file,) = made.log.glob("*.parquet")
    body = bytearray(file.read_bytes())
    (group,) = read_footer(BytesIO(body)).groups
    for chunk in chunks(group, ("remove", "deletionTimestamp")):
        body[first_page(chunk)] ^= 2  # the type of the first field of the page's header
    file.write_bytes(body)
    assert deltaadm("inspect", made.path, "--files").code == 0
    result = deltaadm("validate", made.path, "--deep", "-o", "json")
    assert "DL612" in {finding["code"] for finding in result.document["findings"]}


def test_a_path_that_is_no_text_is_damage(tmp_path: Path) -> None:
    made = checkpointed(tmp_path, lambda whole: whole)
    (file,) = made.log.glob("*.parquet")
    pq.write_table(pq.read_table(file), file, compression="none", use_dictionary=False)
    file.write_bytes(file.read_bytes().replace(b"\x02\x00\x00\x00f1", b"\x02\x00\x00\x00f\xff"))
    assert "UTF8" in deltaadm("inspect", made.path, "--files").out
    result = deltaadm("validate", made.path, "--deep", "-o", "json")
    assert "DL612" in {finding["code"] for finding in result.document["findings"]}
