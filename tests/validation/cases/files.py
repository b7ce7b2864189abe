"""DL7xx: files that the table names."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.rule_cases import NOW, breaks, respects
from tests.support.tables import (
    Action,
    Table,
    add,
    column,
    commit_info,
    deletion_vector,
    draft,
    drafted,
    metadata,
    protocol,
    remove,
    schema,
    table,
)
from tests.support.tables import commit as body

INFO = commit_info()
START = (INFO, protocol(), metadata())
VECTOR = "ab^-aqEH.-t@S}K{vb[*k^"
VECTORS = (
    INFO,
    protocol(3, 7, ["deletionVectors"], ["deletionVectors"]),
    metadata({"delta.enableDeletionVectors": "true"}),
)


@drafted
def _holding(path: Path, *files: Action, start: tuple[Action, ...] = START) -> Table:
    return table(path, body(*start, *files))


@drafted
def _partitioned(path: Path, kind: str, value: Any, *, nullable: bool = True, **more: Any) -> None:
    made = metadata(
        schemaString=schema(column("a"), column("p", kind, nullable=nullable)),
        partitionColumns=["p"],
        **more,
    )
    file = add("f", partitionValues={"p": value})
    _holding(file, start=(INFO, protocol(), made))(path)


def _stats(**more: Any) -> dict[str, Any]:
    return {"stats": json.dumps(more)}


@drafted
def _with_vector(path: Path, vector: Action, **stats: Any) -> Table:
    stats = {"numRecords": 3, "tightBounds": False} | stats
    file = add("f", deletionVector=vector, **_stats(**stats))
    return _holding(file, start=VECTORS)(path)


def _described(**more: Any) -> Action:
    return deletion_vector(VECTOR) | more


# Partition values


breaks("DL701", "a file lacks the partition column",
    _holding(add("f"),
        start=(INFO, protocol(), metadata(schemaString=schema(column("a"), column("p")),
        partitionColumns=["p"]))))
breaks("DL701", "a file has no partition values", _holding(add("f", partitionValues=None),
    start=(INFO, protocol(), metadata(schemaString=schema(column("a"), column("p", nullable=False)),
    partitionColumns=["p"]))))
breaks("DL701", "a file has a value for a data column",
    _holding(add("f", partitionValues={"a": "1"})))
breaks("DL701 DL411", "a file has a physical name without mapping",
    _holding(add("f", partitionValues={"col-1": "1"}),
        start=(INFO, protocol(),
        metadata(schemaString=schema(column("a"),
        column("p", **{"delta.columnMapping.physicalName": "col-1"})), partitionColumns=["p"]))))


def _mapped(key: str) -> tuple[Action, ...]:
    def numbered(name: str, number: int) -> Action:
        keys = {
            "delta.columnMapping.id": number,
            "delta.columnMapping.physicalName": f"col-{number}",
        }
        return column(name, **keys)

    settings = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}
    made = metadata(
        settings, schemaString=schema(numbered("a", 1), numbered("p", 2)), partitionColumns=["p"]
    )
    return INFO, protocol(2, 5), made, add("f", partitionValues={key: "1"})


breaks("DL701", "a file has neither the logical nor the physical name",
    draft(body(*_mapped("col-1"))))
respects("DL701", "a file has the physical name under mapping", draft(body(*_mapped("col-2"))))
respects("DL701", "a file of an unpartitioned table has no partition values",
    _holding(add("f", partitionValues=None)))

breaks("DL702", "a date is not on the calendar", _partitioned("date", "2020-02-30"))
breaks("DL702", "a number is too large for its type", _partitioned("byte", "128"))
breaks("DL702", "a truth value is a number", _partitioned("boolean", "1"))
breaks("DL702", "a timestamp has words in it", _partitioned("timestamp", "2020-01-01 at noon"))
breaks("DL702", "a decimal has too many digits", _partitioned("decimal(4,2)", "123.45"))
breaks("DL702", "a fraction is text", _partitioned("double", "much"))
respects("DL702", "a date is a leap day", _partitioned("date", "2020-02-29"))
respects("DL702", "a number just fits", _partitioned("byte", "-128"))
respects("DL702", "a timestamp is in iso form",
    _partitioned("timestamp", "1970-01-01T00:00:00.123456Z"))
respects("DL702", "an empty text is null", _partitioned("date", ""))
respects("DL702", "a fraction is infinite", _partitioned("double", "-Infinity"))

breaks("DL703", "a required partition value is null", _partitioned("integer", None, nullable=False))
breaks("DL703", "a required partition value is an empty text",
    _partitioned("string", "", nullable=False))
respects("DL703", "an optional partition value is null", _partitioned("integer", None))
respects("DL703", "a required partition value is zero",
    _partitioned("integer", "0", nullable=False))
respects("DL703 DL701", "a column that does not exist is null",
    _holding(add("f", partitionValues={"p": "0", "q": None}),
    start=(INFO, protocol(), metadata(schemaString=schema(column("a"), column("p", nullable=False)),
    partitionColumns=["p"]))))


# Paths


breaks("DL704", "a path is empty", _holding(add("")))
breaks("DL704", "a path has a space", _holding(add("a b")))
breaks("DL704", "a path has a percent sign for itself", _holding(add("100%")))
breaks("DL704", "a path leads out of the table", _holding(add("x/../../y")))
breaks("DL704", "a path leads out of the table in disguise", _holding(add("%2E%2e/y")))
breaks("DL704", "a path has a colon in its first part", _holding(add("t=03:06/f")))
breaks("DL704 DL705", "a path looks like a url without a root", _holding(add("a:b=true/f")))
respects("DL704", "a path is encoded", _holding(add("a%20b/%25/é/t%3A.parquet")))
respects("DL704", "a path goes down and up again", _holding(add("x/../y..z"), add("p/t=03:06/f")))

breaks("DL705", "a file is named by its url", _holding(add("file:///elsewhere/f")))
breaks("DL705", "a file is named from the root", _holding(add("/elsewhere/f")))
respects("DL705", "a file with an absolute path was removed",
    draft(body(*START, add("/elsewhere/f")), body(INFO, remove("/elsewhere/f"))))


# Deletion vectors


@breaks("DL706")
def a_file_is_alive_with_and_without_a_vector(path: Path) -> None:
    both = add("f", **_stats(numRecords=3)), add("f", deletionVector=_described())
    both[1]["add"] |= _stats(numRecords=3, tightBounds=False)
    _holding(add("e"), *both, start=VECTORS)(path)


respects("DL706", "a file without its vector was removed",
    _holding(add("e"), add("f"), start=VECTORS).commit(1, INFO, remove("f"),
        add("f", deletionVector=_described(), **_stats(numRecords=3, tightBounds=False))))

breaks("DL707", "a file has a vector on an old protocol",
    _holding(add("f", deletionVector=_described(), **_stats(numRecords=3, tightBounds=False))))
respects("DL707", "no file has a vector any more on an old protocol",
    _holding(add("f", deletionVector=_described(), **_stats(numRecords=3, tightBounds=False)))
        .commit(1, INFO, remove("f", deletionVector=_described())))

breaks("DL708", "a file with a vector has no statistics",
    _holding(add("f", deletionVector=_described()), start=VECTORS))
breaks("DL708", "more records are deleted than there are", _with_vector(_described(cardinality=4)))
respects("DL708", "all records are deleted", _with_vector(_described(cardinality=3)))
respects("DL708", "a file without a vector has no statistics", _holding(add("f"), start=VECTORS))

breaks("DL709", "a vector has an unknown storage", _with_vector(_described(storageType="x")))
breaks("DL709", "a vector is nowhere", _with_vector(_described(pathOrInlineDv="")))
breaks("DL709", "a vector has half a name", _with_vector(_described(pathOrInlineDv="short")))
breaks("DL709", "a vector has characters beyond its alphabet",
    _with_vector(_described(pathOrInlineDv="~" * 20)))
breaks("DL709", "a vector begins before its file", _with_vector(_described(offset=-1)))
breaks("DL709", "a vector in a file has no offset", _with_vector(_described(offset=None)))

breaks("DL704", "a path has brackets", _holding(add("f[1]")))


INLINE = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
"""The deletion vector of PROTOCOL.md's third example: 40 bytes for 6 records."""


def _inline(**more: Any) -> Action:
    made = {"storageType": "i", "pathOrInlineDv": INLINE, "sizeInBytes": 40, "cardinality": 3}
    return made | more


breaks("DL709", "an inline vector has an offset", _with_vector(_inline(offset=0)))
breaks("DL709", "an inline vector has a letter too many",
    _with_vector(_inline(pathOrInlineDv=INLINE + "0")))
breaks("DL709", "an inline vector is shorter than its size", _with_vector(_inline(sizeInBytes=41)))
respects("DL709", "an inline vector is whole", _with_vector(_inline()))
respects("DL709", "a vector has a path of its own",
    _with_vector(_described(storageType="p", pathOrInlineDv="s3://b/v.bin", offset=0)))


BOUNDS = {"minValues": {"a": 1}, "maxValues": {"a": 2}, "nullCount": {"a": 0}}


breaks("DL710", "bounds are said to be tight",
    _with_vector(_described(), **BOUNDS, tightBounds=True))
breaks("DL710", "bounds are tight by default",
    _with_vector(_described(), **BOUNDS, tightBounds=None))
respects("DL710", "bounds are said to be wide", _with_vector(_described(), **BOUNDS))
respects("DL710", "there are no bounds to be tight",
    _with_vector(_described(), tightBounds=None, minValues={}))
respects("DL710", "bounds are tight without a vector",
    _holding(add("f", **_stats(numRecords=1, **BOUNDS)), start=VECTORS))


# Statistics and other fields


breaks("DL711", "statistics are cut off", _holding(add("f", stats='{"numRecords":')))
breaks("DL711", "statistics are a list", _holding(add("f", stats="[]")))
breaks("DL711 DL103", "statistics are no text", _holding(add("f", stats=7)))
breaks("DL711", "a file has fewer than no records", _holding(add("f", **_stats(numRecords=-1))))
breaks("DL711", "a file has a truth value of records",
    _holding(add("f", **_stats(numRecords=True))))
breaks("DL711", "statistics of a file with a vector are cut off",
    _holding(add("f", deletionVector=_described(), stats="{"), start=VECTORS))
respects("DL711", "a file has no records",
    _holding(add("f", **_stats(numRecords=0)), add("g", stats="{}"), add("h", stats=None)))


@breaks("DL712")
def eleven_of_a_hundred_files_have_no_statistics(path: Path) -> None:
    _holding(*_files(counted=89, uncounted=11))(path)


@breaks("DL712")
def none_of_ten_files_has_statistics(path: Path) -> None:
    _holding(*_files(counted=0, uncounted=10))(path)


@respects("DL712")
def ten_of_a_hundred_files_have_no_statistics(path: Path) -> None:
    _holding(*_files(counted=90, uncounted=10))(path)


@respects("DL712")
def nine_files_have_no_statistics(path: Path) -> None:
    _holding(*_files(counted=0, uncounted=9))(path)


def _files(counted: int, uncounted: int) -> list[Action]:
    made = [add(f"with-{number}", **_stats(numRecords=1)) for number in range(counted)]
    return made + [add(f"without-{number}") for number in range(uncounted)]


breaks("DL713", "a file is empty", _holding(add("f", size=0)))
breaks("DL713", "a file is less than empty", _holding(add("f", size=-1)))
respects("DL713", "a file is tiny", _holding(add("f", size=1)))

breaks("DL714", "a file is from next week",
    _holding(add("f", modificationTime=NOW + 7 * 86_400_000)))
breaks("DL714", "a file has its time in seconds", _holding(add("f", modificationTime=NOW // 1000)))
respects("DL714", "a file is from a clock that is an hour fast",
    _holding(add("f", modificationTime=NOW + 3_600_000)))
respects("DL714", "a file has no time worth the name", _holding(add("f", modificationTime=0)))


TRACKED = (
    INFO,
    protocol(1, 7, None, ["domainMetadata", "rowTracking"]),
    metadata({"delta.enableRowTracking": "true",
        "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
        "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-version-col-1"}),
)


breaks("DL715", "a base row id is negative",
    _holding(add("f", baseRowId=-1, defaultRowCommitVersion=0), start=TRACKED))
breaks("DL715", "a row commit version is negative",
    _holding(add("f", baseRowId=0, defaultRowCommitVersion=-1), start=TRACKED))
breaks("DL715", "a row commit version is yet to come",
    _holding(add("f", baseRowId=0, defaultRowCommitVersion=1), start=TRACKED))
respects("DL715", "a row commit version is the newest",
    _holding(add("f", baseRowId=0, defaultRowCommitVersion=0), start=TRACKED))

breaks("DL719", "a minimum is above the maximum",
    _holding(add("f", **_stats(minValues={"a": 2}, maxValues={"a": 1}))))
breaks("DL719", "there are more nulls than records",
    _holding(add("f", **_stats(numRecords=1, nullCount={"a": 2}))))
breaks("DL719", "there are fewer than no nulls",
    _holding(add("f", **_stats(numRecords=1, nullCount={"a": -1}))))


@drafted
def _bounded(path: Path, kind: Any, least: Any, most: Any) -> None:
    made = metadata(schemaString=schema(column("c", kind)))
    file = add("f", **_stats(minValues={"c": least}, maxValues={"c": most}))
    _holding(file, start=(INFO, protocol(), made))(path)


breaks("DL719", "bounds of text are crossed", _bounded("string", "b", "a"))
breaks("DL719", "bounds of dates are crossed", _bounded("date", "2020-01-02", "2020-01-01"))
breaks("DL719", "bounds of timestamps are crossed",
    _bounded("timestamp", "2020-01-02T00:00:00.000Z", "2020-01-01T00:00:00.000Z"))


INNER = {"type": "struct", "fields": [column("x")]}


breaks("DL719", "bounds within a struct are crossed", _bounded(INNER, {"x": 2}, {"x": 1}))
breaks("DL719", "there are more nulls than records within a struct",
    _holding(add("f", **_stats(numRecords=1, nullCount={"c": {"x": 2}})),
        start=(INFO, protocol(), metadata(schemaString=schema(column("c", INNER))))))
respects("DL719", "bounds are equal", _bounded("integer", 1, 1))
respects("DL719", "there are as many nulls as records",
    _holding(add("f", **_stats(numRecords=1, nullCount={"a": 1}))))


@respects("DL719")
def bounds_of_timestamps_have_different_zones(path: Path) -> None:
    least, most = "2020-11-01T01:30:00.000-07:00", "2020-11-01T01:10:00.000-08:00"
    _bounded("timestamp", least, most)(path)


respects("DL719", "bounds of decimals are texts", _bounded("decimal(4,2)", "9.5", "10.5"))
respects("DL719", "bounds of text are in an order of their own",
    _bounded("string", "\U0001f600", "\uffee"))
respects("DL719", "a column has only one bound", _bounded("integer", 1, None))
respects("DL719", "bounds belong to no column",
    _holding(add("f", **_stats(minValues={"z": 2}, maxValues={"z": 1}))))


# Commits


def cdc(**more: Any) -> Action:
    made = {"path": "_change_data/c", "partitionValues": {}, "size": 1, "dataChange": False}
    return {"cdc": made | more}


FEED = (INFO, protocol(1, 4), metadata({"delta.enableChangeDataFeed": "true"}))


breaks("DL717", "change data counts as data",
    draft(body(*FEED), body(INFO, add("f"), cdc(dataChange=True))))
breaks("DL717", "change data is there without the feed",
    draft(body(*START), body(INFO, add("f"), cdc())))
respects("DL717", "change data is there with the feed",
    draft(body(*FEED), body(INFO, add("f"), cdc())))
respects("DL717", "change data is there as the feed ends",
    draft(body(*FEED), body(INFO, metadata(), add("f"), cdc())))
respects("DL717", "change data is there as the feed begins",
    draft(body(*START), body(INFO, *FEED[1:], add("f"), cdc())))

breaks("DL718", "a commit adds data and rearranges some",
    draft(body(*START, add("f"), add("g", dataChange=False))))
breaks("DL718", "a commit adds data and rearranges what it removes",
    draft(body(*START, add("f")), body(INFO, add("g"), remove("f", dataChange=False))))
respects("DL718", "a commit rearranges only", draft(body(*START, add("f")),
    body(INFO, *(add("g", dataChange=False), remove("f", dataChange=False)))))
respects("DL718", "a commit says nothing of some files",
    draft(body(*START, add("f")), body(INFO, add("g"), remove("f", dataChange=None))))

breaks("DL720", "a removal has no time",
    draft(body(*START, add("f")), body(INFO, remove("f", deletionTimestamp=None))))
breaks("DL720", "a removal lacks the size it claims",
    draft(body(*START, add("f")), body(INFO, remove("f", extendedFileMetadata=True))))
breaks("DL720", "the path of a removal is no uri",
    draft(body(*START, add("f")), body(INFO, remove("a b"))))
respects("DL720", "a removal is complete", draft(body(*START, add("f")),
    body(INFO, remove("f", extendedFileMetadata=True, size=100, partitionValues={}))))
respects("DL720", "a removal claims no size",
    draft(body(*START, add("f")), body(INFO, remove("f", extendedFileMetadata=False))))


# Data files


def _stored(path: Path, name: str = "f", *, version: int = 1, damage: int = 0) -> Action:
    """A deletion vector of a file of its own, written as PROTOCOL.md describes it."""
    # A bitmap of rows below 2^32 with one container, an array of row 1.
    bitmap = bytearray(struct.pack("<IQIIIHHIH", 1681511377, 1, 0, 12346, 1, 0, 0, 16, 1))
    if damage == 1:
        bitmap[0] ^= 2
    if damage == 5:
        bitmap[4] = 2
    sum_of_all = zlib.crc32(bitmap) ^ (damage == 2)
    size = len(bitmap) - (damage == 3)
    made = bytes([version]) + size.to_bytes(4, "big") + bitmap + sum_of_all.to_bytes(4, "big")
    target = path / "ab" / "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
    target.parent.mkdir()
    target.write_bytes(made[: len(made) - (damage == 4)])
    vector = deletion_vector("ab^-aqEH.-t@S}K{vb[*k^") | {"sizeInBytes": 34}
    stats = _stats(numRecords=3, tightBounds=False)
    return add(name, deletionVector=vector, **stats)


def _data(path: Path, name: str = "f") -> Action:
    """A data file, and the action that adds it."""
    target = path / name
    target.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"a": [1, 2, 3]}), target)
    return add(quote(name), size=target.stat().st_size, **_stats(numRecords=3))


@breaks("DL716", depth="deep")
def a_data_file_is_missing(path: Path) -> None:
    _holding(_data(path), add("g"))(path)


@breaks("DL716", depth="deep")
def a_data_file_is_a_directory(path: Path) -> None:
    (path / "g").mkdir()
    _holding(_data(path), add("g"))(path)


@breaks("DL716", depth="deep")
def a_data_file_has_another_size(path: Path) -> None:
    made = _data(path)
    made["add"]["size"] += 1
    _holding(made)(path)


@breaks("DL716", depth="deep")
def a_data_file_is_no_parquet_file(path: Path) -> None:
    (path / "f").write_bytes(b"x" * 100)
    _holding(add("f"))(path)


breaks("DL716 DL705", "a data file is out of reach", _holding(add("s3://bucket/f")), depth="deep")


@respects("DL716", depth="deep")
def data_files_have_odd_names(path: Path) -> None:
    _holding(_data(path, "p=1/a b%20ü.parquet"))(path)


@respects("DL716 DL705", depth="deep")
def data_files_are_named_by_their_urls(path: Path) -> None:
    made = [_data(path, name) for name in ("f", "g", "h")]
    for action, start in zip(made, ("", "file:", "file://"), strict=True):
        action["add"]["path"] = f"{start}{path}/{action['add']['path']}"
    _holding(*made)(path)


@drafted
def _deleted(path: Path, vector: Action) -> None:
    whole = _data(path)
    whole["add"] |= {key: vector["add"][key] for key in ("deletionVector", "stats")}
    _holding(whole, start=VECTORS)(path)


breaks("DL721", "a vector has no file",
    _deleted({"add": {"deletionVector": _described(), **_stats(numRecords=3, tightBounds=False)}}),
        depth="deep")


@breaks("DL721", depth="deep")
def a_vector_has_another_magic_number(path: Path) -> None:
    _deleted(_stored(path, damage=1))(path)


@breaks("DL721", depth="deep")
def a_vector_has_another_checksum(path: Path) -> None:
    _deleted(_stored(path, damage=2))(path)


@breaks("DL721", depth="deep")
def a_vector_has_another_size(path: Path) -> None:
    _deleted(_stored(path, damage=3))(path)


@breaks("DL721", depth="deep")
def a_vector_is_cut_off(path: Path) -> None:
    _deleted(_stored(path, damage=4))(path)


@breaks("DL721", depth="deep")
def a_vector_ends_before_its_last_bitmap(path: Path) -> None:
    _deleted(_stored(path, damage=5))(path)


@breaks("DL721", depth="deep")
def a_vector_deletes_other_rows_than_the_log_counts(path: Path) -> None:
    made = _stored(path)
    made["add"]["deletionVector"]["cardinality"] = 2
    _deleted(made)(path)


@breaks("DL721", depth="deep")
def a_vector_is_in_a_file_of_the_future(path: Path) -> None:
    _deleted(_stored(path, version=2))(path)


breaks("DL721", "an inline vector is none",
    _deleted({"add": {"deletionVector": _inline(pathOrInlineDv="0" * 50),
        **_stats(numRecords=3, tightBounds=False)}}), depth="deep")


@respects("DL721", depth="deep")
def a_vector_is_as_it_was_written(path: Path) -> None:
    _deleted(_stored(path))(path)


respects("DL721", "an inline vector is as in the protocol",
    _deleted({"add": {"deletionVector": _inline(), **_stats(numRecords=3, tightBounds=False)}}),
        depth="deep")
