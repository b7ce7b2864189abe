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


def _holding(path: Path, *files: Action, start: tuple[Action, ...] = START) -> Table:
    return table(path, body(*start, *files))


def _partitioned(path: Path, kind: str, value: Any, *, nullable: bool = True, **more: Any) -> None:
    made = metadata(
        schemaString=schema(column("a"), column("p", kind, nullable=nullable)),
        partitionColumns=["p"],
        **more,
    )
    file = add("f", partitionValues={"p": value})
    _holding(path, file, start=(INFO, protocol(), made))


def _stats(**more: Any) -> dict[str, Any]:
    return {"stats": json.dumps(more)}


def _with_vector(path: Path, vector: Action, **stats: Any) -> Table:
    stats = {"numRecords": 3, "tightBounds": False} | stats
    file = add("f", deletionVector=vector, **_stats(**stats))
    return _holding(path, file, start=VECTORS)


def _described(**more: Any) -> Action:
    return deletion_vector(VECTOR) | more


# Partition values


@breaks("DL701")
def a_file_lacks_the_partition_column(path: Path) -> None:
    made = metadata(schemaString=schema(column("a"), column("p")), partitionColumns=["p"])
    _holding(path, add("f"), start=(INFO, protocol(), made))


@breaks("DL701")
def a_file_has_no_partition_values(path: Path) -> None:
    made = metadata(
        schemaString=schema(column("a"), column("p", nullable=False)), partitionColumns=["p"]
    )
    _holding(path, add("f", partitionValues=None), start=(INFO, protocol(), made))


@breaks("DL701")
def a_file_has_a_value_for_a_data_column(path: Path) -> None:
    _holding(path, add("f", partitionValues={"a": "1"}))


@breaks("DL701", "DL411")
def a_file_has_a_physical_name_without_mapping(path: Path) -> None:
    mapped = column("p", **{"delta.columnMapping.physicalName": "col-1"})
    made = metadata(schemaString=schema(column("a"), mapped), partitionColumns=["p"])
    _holding(path, add("f", partitionValues={"col-1": "1"}), start=(INFO, protocol(), made))


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


@breaks("DL701")
def a_file_has_neither_the_logical_nor_the_physical_name(path: Path) -> None:
    table(path, body(*_mapped("col-1")))


@respects("DL701")
def a_file_has_the_physical_name_under_mapping(path: Path) -> None:
    table(path, body(*_mapped("col-2")))


@respects("DL701")
def a_file_of_an_unpartitioned_table_has_no_partition_values(path: Path) -> None:
    _holding(path, add("f", partitionValues=None))


@breaks("DL702")
def a_date_is_not_on_the_calendar(path: Path) -> None:
    _partitioned(path, "date", "2020-02-30")


@breaks("DL702")
def a_number_is_too_large_for_its_type(path: Path) -> None:
    _partitioned(path, "byte", "128")


@breaks("DL702")
def a_truth_value_is_a_number(path: Path) -> None:
    _partitioned(path, "boolean", "1")


@breaks("DL702")
def a_timestamp_has_words_in_it(path: Path) -> None:
    _partitioned(path, "timestamp", "2020-01-01 at noon")


@breaks("DL702")
def a_decimal_has_too_many_digits(path: Path) -> None:
    _partitioned(path, "decimal(4,2)", "123.45")


@breaks("DL702")
def a_fraction_is_text(path: Path) -> None:
    _partitioned(path, "double", "much")


@respects("DL702")
def a_date_is_a_leap_day(path: Path) -> None:
    _partitioned(path, "date", "2020-02-29")


@respects("DL702")
def a_number_just_fits(path: Path) -> None:
    _partitioned(path, "byte", "-128")


@respects("DL702")
def a_timestamp_is_in_iso_form(path: Path) -> None:
    _partitioned(path, "timestamp", "1970-01-01T00:00:00.123456Z")


@respects("DL702")
def an_empty_text_is_null(path: Path) -> None:
    _partitioned(path, "date", "")


@respects("DL702")
def a_fraction_is_infinite(path: Path) -> None:
    _partitioned(path, "double", "-Infinity")


@breaks("DL703")
def a_required_partition_value_is_null(path: Path) -> None:
    _partitioned(path, "integer", None, nullable=False)


@breaks("DL703")
def a_required_partition_value_is_an_empty_text(path: Path) -> None:
    _partitioned(path, "string", "", nullable=False)


@respects("DL703")
def an_optional_partition_value_is_null(path: Path) -> None:
    _partitioned(path, "integer", None)


@respects("DL703")
def a_required_partition_value_is_zero(path: Path) -> None:
    _partitioned(path, "integer", "0", nullable=False)


@respects("DL703", "DL701")
def a_column_that_does_not_exist_is_null(path: Path) -> None:
    made = metadata(
        schemaString=schema(column("a"), column("p", nullable=False)), partitionColumns=["p"]
    )
    file = add("f", partitionValues={"p": "0", "q": None})
    _holding(path, file, start=(INFO, protocol(), made))


# Paths


@breaks("DL704")
def a_path_is_empty(path: Path) -> None:
    _holding(path, add(""))


@breaks("DL704")
def a_path_has_a_space(path: Path) -> None:
    _holding(path, add("a b"))


@breaks("DL704")
def a_path_has_a_percent_sign_for_itself(path: Path) -> None:
    _holding(path, add("100%"))


@breaks("DL704")
def a_path_leads_out_of_the_table(path: Path) -> None:
    _holding(path, add("x/../../y"))


@breaks("DL704")
def a_path_leads_out_of_the_table_in_disguise(path: Path) -> None:
    _holding(path, add("%2E%2e/y"))


@breaks("DL704")
def a_path_has_a_colon_in_its_first_part(path: Path) -> None:
    _holding(path, add("t=03:06/f"))


@breaks("DL704", "DL705")
def a_path_looks_like_a_url_without_a_root(path: Path) -> None:
    _holding(path, add("a:b=true/f"))


@respects("DL704")
def a_path_is_encoded(path: Path) -> None:
    _holding(path, add("a%20b/%25/é/t%3A.parquet"))


@respects("DL704")
def a_path_goes_down_and_up_again(path: Path) -> None:
    _holding(path, add("x/../y..z"), add("p/t=03:06/f"))


@breaks("DL705")
def a_file_is_named_by_its_url(path: Path) -> None:
    _holding(path, add("file:///elsewhere/f"))


@breaks("DL705")
def a_file_is_named_from_the_root(path: Path) -> None:
    _holding(path, add("/elsewhere/f"))


@respects("DL705")
def a_file_with_an_absolute_path_was_removed(path: Path) -> None:
    table(path, body(*START, add("/elsewhere/f")), body(INFO, remove("/elsewhere/f")))


# Deletion vectors


@breaks("DL706")
def a_file_is_alive_with_and_without_a_vector(path: Path) -> None:
    both = add("f", **_stats(numRecords=3)), add("f", deletionVector=_described())
    both[1]["add"] |= _stats(numRecords=3, tightBounds=False)
    _holding(path, add("e"), *both, start=VECTORS)


@respects("DL706")
def a_file_without_its_vector_was_removed(path: Path) -> None:
    made = _holding(path, add("e"), add("f"), start=VECTORS)
    stats = _stats(numRecords=3, tightBounds=False)
    made.commit(1, INFO, remove("f"), add("f", deletionVector=_described(), **stats))


@breaks("DL707")
def a_file_has_a_vector_on_an_old_protocol(path: Path) -> None:
    stats = _stats(numRecords=3, tightBounds=False)
    _holding(path, add("f", deletionVector=_described(), **stats))


@respects("DL707")
def no_file_has_a_vector_any_more_on_an_old_protocol(path: Path) -> None:
    stats = _stats(numRecords=3, tightBounds=False)
    made = _holding(path, add("f", deletionVector=_described(), **stats))
    made.commit(1, INFO, remove("f", deletionVector=_described()))


@breaks("DL708")
def a_file_with_a_vector_has_no_statistics(path: Path) -> None:
    _holding(path, add("f", deletionVector=_described()), start=VECTORS)


@breaks("DL708")
def more_records_are_deleted_than_there_are(path: Path) -> None:
    _with_vector(path, _described(cardinality=4))


@respects("DL708")
def all_records_are_deleted(path: Path) -> None:
    _with_vector(path, _described(cardinality=3))


@respects("DL708")
def a_file_without_a_vector_has_no_statistics(path: Path) -> None:
    _holding(path, add("f"), start=VECTORS)


@breaks("DL709")
def a_vector_has_an_unknown_storage(path: Path) -> None:
    _with_vector(path, _described(storageType="x"))


@breaks("DL709")
def a_vector_is_nowhere(path: Path) -> None:
    _with_vector(path, _described(pathOrInlineDv=""))


@breaks("DL709")
def a_vector_has_half_a_name(path: Path) -> None:
    _with_vector(path, _described(pathOrInlineDv="short"))


@breaks("DL709")
def a_vector_has_characters_beyond_its_alphabet(path: Path) -> None:
    _with_vector(path, _described(pathOrInlineDv="~" * 20))


@breaks("DL709")
def a_vector_begins_before_its_file(path: Path) -> None:
    _with_vector(path, _described(offset=-1))


@breaks("DL709")
def a_vector_in_a_file_has_no_offset(path: Path) -> None:
    _with_vector(path, _described(offset=None))


@breaks("DL704")
def a_path_has_brackets(path: Path) -> None:
    _holding(path, add("f[1]"))


INLINE = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
"""The deletion vector of PROTOCOL.md's third example: 40 bytes for 6 records."""


def _inline(**more: Any) -> Action:
    made = {"storageType": "i", "pathOrInlineDv": INLINE, "sizeInBytes": 40, "cardinality": 3}
    return made | more


@breaks("DL709")
def an_inline_vector_has_an_offset(path: Path) -> None:
    _with_vector(path, _inline(offset=0))


@breaks("DL709")
def an_inline_vector_has_a_letter_too_many(path: Path) -> None:
    _with_vector(path, _inline(pathOrInlineDv=INLINE + "0"))


@breaks("DL709")
def an_inline_vector_is_shorter_than_its_size(path: Path) -> None:
    _with_vector(path, _inline(sizeInBytes=41))


@respects("DL709")
def an_inline_vector_is_whole(path: Path) -> None:
    _with_vector(path, _inline())


@respects("DL709")
def a_vector_has_a_path_of_its_own(path: Path) -> None:
    _with_vector(path, _described(storageType="p", pathOrInlineDv="s3://b/v.bin", offset=0))


BOUNDS = {"minValues": {"a": 1}, "maxValues": {"a": 2}, "nullCount": {"a": 0}}


@breaks("DL710")
def bounds_are_said_to_be_tight(path: Path) -> None:
    _with_vector(path, _described(), **BOUNDS, tightBounds=True)


@breaks("DL710")
def bounds_are_tight_by_default(path: Path) -> None:
    _with_vector(path, _described(), **BOUNDS, tightBounds=None)


@respects("DL710")
def bounds_are_said_to_be_wide(path: Path) -> None:
    _with_vector(path, _described(), **BOUNDS)


@respects("DL710")
def there_are_no_bounds_to_be_tight(path: Path) -> None:
    _with_vector(path, _described(), tightBounds=None, minValues={})


@respects("DL710")
def bounds_are_tight_without_a_vector(path: Path) -> None:
    _holding(path, add("f", **_stats(numRecords=1, **BOUNDS)), start=VECTORS)


# Statistics and other fields


@breaks("DL711")
def statistics_are_cut_off(path: Path) -> None:
    _holding(path, add("f", stats='{"numRecords":'))


@breaks("DL711")
def statistics_are_a_list(path: Path) -> None:
    _holding(path, add("f", stats="[]"))


@breaks("DL711", "DL103")
def statistics_are_no_text(path: Path) -> None:
    _holding(path, add("f", stats=7))


@breaks("DL711")
def a_file_has_fewer_than_no_records(path: Path) -> None:
    _holding(path, add("f", **_stats(numRecords=-1)))


@breaks("DL711")
def a_file_has_a_truth_value_of_records(path: Path) -> None:
    _holding(path, add("f", **_stats(numRecords=True)))


@breaks("DL711")
def statistics_of_a_file_with_a_vector_are_cut_off(path: Path) -> None:
    _holding(path, add("f", deletionVector=_described(), stats="{"), start=VECTORS)


@respects("DL711")
def a_file_has_no_records(path: Path) -> None:
    _holding(path, add("f", **_stats(numRecords=0)), add("g", stats="{}"), add("h", stats=None))


@breaks("DL712")
def eleven_of_a_hundred_files_have_no_statistics(path: Path) -> None:
    _holding(path, *_files(counted=89, uncounted=11))


@breaks("DL712")
def none_of_ten_files_has_statistics(path: Path) -> None:
    _holding(path, *_files(counted=0, uncounted=10))


@respects("DL712")
def ten_of_a_hundred_files_have_no_statistics(path: Path) -> None:
    _holding(path, *_files(counted=90, uncounted=10))


@respects("DL712")
def nine_files_have_no_statistics(path: Path) -> None:
    _holding(path, *_files(counted=0, uncounted=9))


def _files(counted: int, uncounted: int) -> list[Action]:
    made = [add(f"with-{number}", **_stats(numRecords=1)) for number in range(counted)]
    return made + [add(f"without-{number}") for number in range(uncounted)]


@breaks("DL713")
def a_file_is_empty(path: Path) -> None:
    _holding(path, add("f", size=0))


@breaks("DL713")
def a_file_is_less_than_empty(path: Path) -> None:
    _holding(path, add("f", size=-1))


@respects("DL713")
def a_file_is_tiny(path: Path) -> None:
    _holding(path, add("f", size=1))


@breaks("DL714")
def a_file_is_from_next_week(path: Path) -> None:
    _holding(path, add("f", modificationTime=NOW + 7 * 86_400_000))


@breaks("DL714")
def a_file_has_its_time_in_seconds(path: Path) -> None:
    _holding(path, add("f", modificationTime=NOW // 1000))


@respects("DL714")
def a_file_is_from_a_clock_that_is_an_hour_fast(path: Path) -> None:
    _holding(path, add("f", modificationTime=NOW + 3_600_000))


@respects("DL714")
def a_file_has_no_time_worth_the_name(path: Path) -> None:
    _holding(path, add("f", modificationTime=0))


TRACKED = (
    INFO,
    protocol(1, 7, None, ["domainMetadata", "rowTracking"]),
    metadata(
        {
            "delta.enableRowTracking": "true",
            "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
            "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-version-col-1",
        }
    ),
)


@breaks("DL715")
def a_base_row_id_is_negative(path: Path) -> None:
    _holding(path, add("f", baseRowId=-1, defaultRowCommitVersion=0), start=TRACKED)


@breaks("DL715")
def a_row_commit_version_is_negative(path: Path) -> None:
    _holding(path, add("f", baseRowId=0, defaultRowCommitVersion=-1), start=TRACKED)


@breaks("DL715")
def a_row_commit_version_is_yet_to_come(path: Path) -> None:
    _holding(path, add("f", baseRowId=0, defaultRowCommitVersion=1), start=TRACKED)


@respects("DL715")
def a_row_commit_version_is_the_newest(path: Path) -> None:
    _holding(path, add("f", baseRowId=0, defaultRowCommitVersion=0), start=TRACKED)


@breaks("DL719")
def a_minimum_is_above_the_maximum(path: Path) -> None:
    _holding(path, add("f", **_stats(minValues={"a": 2}, maxValues={"a": 1})))


@breaks("DL719")
def there_are_more_nulls_than_records(path: Path) -> None:
    _holding(path, add("f", **_stats(numRecords=1, nullCount={"a": 2})))


@breaks("DL719")
def there_are_fewer_than_no_nulls(path: Path) -> None:
    _holding(path, add("f", **_stats(numRecords=1, nullCount={"a": -1})))


def _bounded(path: Path, kind: Any, least: Any, most: Any) -> None:
    made = metadata(schemaString=schema(column("c", kind)))
    file = add("f", **_stats(minValues={"c": least}, maxValues={"c": most}))
    _holding(path, file, start=(INFO, protocol(), made))


@breaks("DL719")
def bounds_of_text_are_crossed(path: Path) -> None:
    _bounded(path, "string", "b", "a")


@breaks("DL719")
def bounds_of_dates_are_crossed(path: Path) -> None:
    _bounded(path, "date", "2020-01-02", "2020-01-01")


@breaks("DL719")
def bounds_of_timestamps_are_crossed(path: Path) -> None:
    _bounded(path, "timestamp", "2020-01-02T00:00:00.000Z", "2020-01-01T00:00:00.000Z")


INNER = {"type": "struct", "fields": [column("x")]}


@breaks("DL719")
def bounds_within_a_struct_are_crossed(path: Path) -> None:
    _bounded(path, INNER, {"x": 2}, {"x": 1})


@breaks("DL719")
def there_are_more_nulls_than_records_within_a_struct(path: Path) -> None:
    made = metadata(schemaString=schema(column("c", INNER)))
    file = add("f", **_stats(numRecords=1, nullCount={"c": {"x": 2}}))
    _holding(path, file, start=(INFO, protocol(), made))


@respects("DL719")
def bounds_are_equal(path: Path) -> None:
    _bounded(path, "integer", 1, 1)


@respects("DL719")
def there_are_as_many_nulls_as_records(path: Path) -> None:
    _holding(path, add("f", **_stats(numRecords=1, nullCount={"a": 1})))


@respects("DL719")
def bounds_of_timestamps_have_different_zones(path: Path) -> None:
    least, most = "2020-11-01T01:30:00.000-07:00", "2020-11-01T01:10:00.000-08:00"
    _bounded(path, "timestamp", least, most)


@respects("DL719")
def bounds_of_decimals_are_texts(path: Path) -> None:
    _bounded(path, "decimal(4,2)", "9.5", "10.5")


@respects("DL719")
def bounds_of_text_are_in_an_order_of_their_own(path: Path) -> None:
    _bounded(path, "string", "\U0001f600", "\uffee")


@respects("DL719")
def a_column_has_only_one_bound(path: Path) -> None:
    _bounded(path, "integer", 1, None)


@respects("DL719")
def bounds_belong_to_no_column(path: Path) -> None:
    _holding(path, add("f", **_stats(minValues={"z": 2}, maxValues={"z": 1})))


# Commits


def cdc(**more: Any) -> Action:
    made = {"path": "_change_data/c", "partitionValues": {}, "size": 1, "dataChange": False}
    return {"cdc": made | more}


FEED = (INFO, protocol(1, 4), metadata({"delta.enableChangeDataFeed": "true"}))


@breaks("DL717")
def change_data_counts_as_data(path: Path) -> None:
    table(path, body(*FEED), body(INFO, add("f"), cdc(dataChange=True)))


@breaks("DL717")
def change_data_is_there_without_the_feed(path: Path) -> None:
    table(path, body(*START), body(INFO, add("f"), cdc()))


@respects("DL717")
def change_data_is_there_with_the_feed(path: Path) -> None:
    table(path, body(*FEED), body(INFO, add("f"), cdc()))


@respects("DL717")
def change_data_is_there_as_the_feed_ends(path: Path) -> None:
    table(path, body(*FEED), body(INFO, metadata(), add("f"), cdc()))


@respects("DL717")
def change_data_is_there_as_the_feed_begins(path: Path) -> None:
    table(path, body(*START), body(INFO, *FEED[1:], add("f"), cdc()))


@breaks("DL718")
def a_commit_adds_data_and_rearranges_some(path: Path) -> None:
    table(path, body(*START, add("f"), add("g", dataChange=False)))


@breaks("DL718")
def a_commit_adds_data_and_rearranges_what_it_removes(path: Path) -> None:
    table(path, body(*START, add("f")), body(INFO, add("g"), remove("f", dataChange=False)))


@respects("DL718")
def a_commit_rearranges_only(path: Path) -> None:
    moved = add("g", dataChange=False), remove("f", dataChange=False)
    table(path, body(*START, add("f")), body(INFO, *moved))


@respects("DL718")
def a_commit_says_nothing_of_some_files(path: Path) -> None:
    table(path, body(*START, add("f")), body(INFO, add("g"), remove("f", dataChange=None)))


@breaks("DL720")
def a_removal_has_no_time(path: Path) -> None:
    table(path, body(*START, add("f")), body(INFO, remove("f", deletionTimestamp=None)))


@breaks("DL720")
def a_removal_lacks_the_size_it_claims(path: Path) -> None:
    table(path, body(*START, add("f")), body(INFO, remove("f", extendedFileMetadata=True)))


@breaks("DL720")
def the_path_of_a_removal_is_no_uri(path: Path) -> None:
    table(path, body(*START, add("f")), body(INFO, remove("a b")))


@respects("DL720")
def a_removal_is_complete(path: Path) -> None:
    gone = remove("f", extendedFileMetadata=True, size=100, partitionValues={})
    table(path, body(*START, add("f")), body(INFO, gone))


@respects("DL720")
def a_removal_claims_no_size(path: Path) -> None:
    gone = remove("f", extendedFileMetadata=False)
    table(path, body(*START, add("f")), body(INFO, gone))


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
    _holding(path, _data(path), add("g"))


@breaks("DL716", depth="deep")
def a_data_file_is_a_directory(path: Path) -> None:
    (path / "g").mkdir()
    _holding(path, _data(path), add("g"))


@breaks("DL716", depth="deep")
def a_data_file_has_another_size(path: Path) -> None:
    made = _data(path)
    made["add"]["size"] += 1
    _holding(path, made)


@breaks("DL716", depth="deep")
def a_data_file_is_no_parquet_file(path: Path) -> None:
    (path / "f").write_bytes(b"x" * 100)
    _holding(path, add("f"))


@breaks("DL716", "DL705", depth="deep")
def a_data_file_is_out_of_reach(path: Path) -> None:
    _holding(path, add("s3://bucket/f"))


@respects("DL716", depth="deep")
def data_files_have_odd_names(path: Path) -> None:
    _holding(path, _data(path, "p=1/a b%20ü.parquet"))


@respects("DL716", "DL705", depth="deep")
def data_files_are_named_by_their_urls(path: Path) -> None:
    made = [_data(path, name) for name in ("f", "g", "h")]
    for action, start in zip(made, ("", "file:", "file://"), strict=True):
        action["add"]["path"] = f"{start}{path}/{action['add']['path']}"
    _holding(path, *made)


def _deleted(path: Path, vector: Action) -> None:
    whole = _data(path)
    whole["add"] |= {key: vector["add"][key] for key in ("deletionVector", "stats")}
    _holding(path, whole, start=VECTORS)


@breaks("DL721", depth="deep")
def a_vector_has_no_file(path: Path) -> None:
    vector = {"deletionVector": _described(), **_stats(numRecords=3, tightBounds=False)}
    _deleted(path, {"add": vector})


@breaks("DL721", depth="deep")
def a_vector_has_another_magic_number(path: Path) -> None:
    _deleted(path, _stored(path, damage=1))


@breaks("DL721", depth="deep")
def a_vector_has_another_checksum(path: Path) -> None:
    _deleted(path, _stored(path, damage=2))


@breaks("DL721", depth="deep")
def a_vector_has_another_size(path: Path) -> None:
    _deleted(path, _stored(path, damage=3))


@breaks("DL721", depth="deep")
def a_vector_is_cut_off(path: Path) -> None:
    _deleted(path, _stored(path, damage=4))


@breaks("DL721", depth="deep")
def a_vector_ends_before_its_last_bitmap(path: Path) -> None:
    _deleted(path, _stored(path, damage=5))


@breaks("DL721", depth="deep")
def a_vector_deletes_other_rows_than_the_log_counts(path: Path) -> None:
    made = _stored(path)
    made["add"]["deletionVector"]["cardinality"] = 2
    _deleted(path, made)


@breaks("DL721", depth="deep")
def a_vector_is_in_a_file_of_the_future(path: Path) -> None:
    _deleted(path, _stored(path, version=2))


@breaks("DL721", depth="deep")
def an_inline_vector_is_none(path: Path) -> None:
    vector = _inline(pathOrInlineDv="0" * 50)
    stats = _stats(numRecords=3, tightBounds=False)
    _deleted(path, {"add": {"deletionVector": vector, **stats}})


@respects("DL721", depth="deep")
def a_vector_is_as_it_was_written(path: Path) -> None:
    _deleted(path, _stored(path))


@respects("DL721", depth="deep")
def an_inline_vector_is_as_in_the_protocol(path: Path) -> None:
    stats = _stats(numRecords=3, tightBounds=False)
    _deleted(path, {"add": {"deletionVector": _inline(), **stats}})
