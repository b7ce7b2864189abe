"""DL8xx: version checksums."""

from pathlib import Path
from typing import Any

from tests.support.rule_cases import breaks, respects
from tests.support.tables import (
    Action,
    Table,
    add,
    commit_info,
    deletion_vector,
    domain,
    metadata,
    protocol,
    table,
    txn,
)
from tests.support.tables import commit as body

INFO = commit_info()
PLAIN = (protocol(), metadata())


def checked(
    path: Path, *more: Action, state: tuple[Action, Action] = PLAIN, **recorded: Any
) -> Table:
    """A table of one commit with a checksum that is right, but for what is *said*."""
    sizes = [action["add"]["size"] for action in more if "add" in action]
    made = table(path, body(INFO, *state, *more))
    right = {"protocol": state[0]["protocol"], "metadata": state[1]["metaData"]}
    totals = {"numFiles": len(sizes), "tableSizeBytes": sum(sizes)}
    made.crc(0, [right, totals], **recorded)
    return made


FILES = (add("a", 5), add("b", 7))


@breaks("DL801")
def a_checksum_is_empty(path: Path) -> None:
    checked(path).write(f"{0:020d}.crc", b"")


@breaks("DL801")
def a_checksum_is_a_list(path: Path) -> None:
    checked(path).write(f"{0:020d}.crc", b"[]")


@breaks("DL801")
def a_checksum_has_two_objects(path: Path) -> None:
    made = checked(path)
    file = made.log / f"{0:020d}.crc"
    file.write_text(file.read_text() + "\n" + file.read_text())


@breaks("DL801")
def a_checksum_lacks_the_number_of_files(path: Path) -> None:
    checked(path, numFiles=None)


@breaks("DL801")
def a_checksum_has_a_text_for_a_size(path: Path) -> None:
    checked(path, tableSizeBytes="0")


@breaks("DL801")
def a_checksum_of_an_old_writer_has_no_protocol(path: Path) -> None:
    checked(path, protocol=None, metadata=None)


@breaks("DL801")
def a_checksum_has_a_list_for_metadata(path: Path) -> None:
    checked(path, metadata=[])


@respects("DL801")
def a_checksum_has_fields_from_the_future(path: Path) -> None:
    checked(path, *FILES, novel={"x": 1})


@respects("DL801")
def only_an_older_checksum_is_broken(path: Path) -> None:
    made = table(path, body(INFO, *PLAIN), body(INFO))
    made.write(f"{0:020d}.crc", b"")
    made.crc(1, [{"protocol": PLAIN[0]["protocol"], "metadata": PLAIN[1]["metaData"]}])


@breaks("DL801", depth="history")
def an_older_checksum_is_broken(path: Path) -> None:
    only_an_older_checksum_is_broken(path)


@breaks("DL802")
def a_checksum_has_another_version(path: Path) -> None:
    checked(path, protocol=protocol(1, 3)["protocol"])


@breaks("DL802")
def a_checksum_has_empty_lists_of_features(path: Path) -> None:
    checked(path, protocol=protocol(1, 2, [], [])["protocol"])


@breaks("DL802", depth="history")
def an_older_checksum_has_the_protocol_of_later(path: Path) -> None:
    made = table(path, body(INFO, *PLAIN), body(INFO, protocol(1, 3)))
    for version in (0, 1):
        right = {"protocol": protocol(1, 3)["protocol"], "metadata": PLAIN[1]["metaData"]}
        made.crc(version, [right])


@respects("DL802")
def a_checksum_lists_features_in_another_order(path: Path) -> None:
    used = protocol(1, 7, None, ["appendOnly", "changeDataFeed"])
    on = metadata({"delta.appendOnly": "true", "delta.enableChangeDataFeed": "true"})
    recorded = protocol(1, 7, None, ["changeDataFeed", "appendOnly"])["protocol"]
    checked(path, state=(used, on), protocol=recorded)


@respects("DL802", depth="history")
def an_older_checksum_has_the_protocol_of_its_version(path: Path) -> None:
    made = table(path, body(INFO, *PLAIN), body(INFO, protocol(1, 3)))
    for version, writer in ((0, 2), (1, 3)):
        right = {"protocol": protocol(1, writer)["protocol"], "metadata": PLAIN[1]["metaData"]}
        made.crc(version, [right])


@breaks("DL803")
def a_checksum_lacks_a_property(path: Path) -> None:
    checked(path, metadata=metadata({"k": "v"})["metaData"])


@breaks("DL803")
def a_checksum_has_another_schema(path: Path) -> None:
    checked(path, metadata=metadata(schemaString='{"type":"struct","fields":[]}')["metaData"])


@respects("DL803")
def a_checksum_spells_the_schema_with_blanks(path: Path) -> None:
    spaced = PLAIN[1]["metaData"]["schemaString"].replace(":", ": ")
    checked(path, metadata=metadata(schemaString=spaced)["metaData"])


@breaks("DL804")
def a_checksum_counts_too_many_files(path: Path) -> None:
    checked(path, *FILES, numFiles=3)


@breaks("DL804")
def a_checksum_counts_too_few_bytes(path: Path) -> None:
    checked(path, *FILES, tableSizeBytes=11)


@respects("DL804")
def a_checksum_counts_right(path: Path) -> None:
    checked(path, *FILES)


@breaks("DL805")
def a_checksum_counts_two_protocols(path: Path) -> None:
    checked(path, numProtocol=2)


@breaks("DL805")
def a_checksum_counts_no_metadata(path: Path) -> None:
    checked(path, numMetadata=0)


@respects("DL805")
def a_checksum_counts_one_of_each(path: Path) -> None:
    checked(path)


TIMED = (
    protocol(1, 7, None, ["inCommitTimestamp"]),
    metadata({"delta.enableInCommitTimestamps": "true"}),
)


def timed(path: Path, timestamp: int | None) -> None:
    made = checked(path, state=TIMED, inCommitTimestampOpt=timestamp)
    made.commit(0, commit_info(inCommitTimestamp=5), *TIMED)


@breaks("DL806")
def a_checksum_says_another_time(path: Path) -> None:
    timed(path, 6)


@breaks("DL806")
def a_checksum_lacks_the_time(path: Path) -> None:
    timed(path, None)


@breaks("DL806")
def a_checksum_has_a_time_that_the_table_has_not(path: Path) -> None:
    checked(path, inCommitTimestampOpt=5)


@breaks("DL806", "DL217")
def a_checksum_has_a_time_though_timestamps_are_off(path: Path) -> None:
    checked(path, state=(TIMED[0], metadata()), inCommitTimestampOpt=5)


@respects("DL806")
def a_checksum_says_the_commits_time(path: Path) -> None:
    timed(path, 5)


@respects("DL806")
def a_checksum_needs_no_time(path: Path) -> None:
    checked(path)


APP = txn("x", 7)
DOMAINS = (protocol(1, 7, None, ["domainMetadata"]), metadata())


@breaks("DL807")
def a_checksum_has_an_older_transaction(path: Path) -> None:
    checked(path, APP, setTransactions=[{"appId": "x", "version": 6}])


@breaks("DL807")
def a_checksum_lacks_a_transaction(path: Path) -> None:
    checked(path, APP, setTransactions=[])


@breaks("DL807")
def a_checksum_has_a_transaction_too_many(path: Path) -> None:
    checked(path, setTransactions=[{"appId": "x", "version": 7}])


@breaks("DL807")
def a_checksum_has_another_value_of_a_domain(path: Path) -> None:
    recorded = [domain("d", "2")["domainMetadata"]]
    checked(path, domain("d", "1"), state=DOMAINS, domainMetadata=recorded)


@breaks("DL807")
def a_checksum_has_a_removed_domain(path: Path) -> None:
    recorded = [domain("d", removed=True)["domainMetadata"]]
    checked(path, domain("d", removed=True), state=DOMAINS, domainMetadata=recorded)


@respects("DL807")
def a_checksum_has_all_transactions_and_domains(path: Path) -> None:
    made = [domain("d", "1"), txn("y", 1), APP]
    recorded = [txn("x", 7)["txn"], txn("y", 1)["txn"]]
    domains = [domain("d", "1")["domainMetadata"]]
    checked(path, *made, state=DOMAINS, setTransactions=recorded, domainMetadata=domains)


@respects("DL807")
def a_checksum_does_not_speak_of_transactions(path: Path) -> None:
    checked(path, APP)


@respects("DL807")
def a_checksum_leaves_out_expired_transactions(path: Path) -> None:
    expiring = metadata({"delta.setTransactionRetentionDuration": "interval 1 days"})
    checked(path, APP, state=(protocol(), expiring), setTransactions=[])


def histogram(*columns: list[int]) -> Action:
    return dict(zip(("sortedBinBoundaries", "fileCounts", "totalBytes"), columns, strict=False))


@breaks("DL808")
def a_histogram_has_lists_of_different_lengths(path: Path) -> None:
    checked(path, *FILES, fileSizeHistogram=histogram([0, 6], [2], [5, 7]))


@breaks("DL808")
def a_histogram_begins_above_zero(path: Path) -> None:
    checked(path, *FILES, fileSizeHistogram=histogram([1, 6], [1, 1], [5, 7]))


@breaks("DL808")
def a_histogram_counts_other_files(path: Path) -> None:
    checked(path, *FILES, fileSizeHistogram=histogram([0, 6], [1, 2], [5, 7]))


@breaks("DL808", "DL811")
def a_histogram_counts_other_bytes(path: Path) -> None:
    checked(path, *FILES, histogramOpt=histogram([0, 6], [1, 1], [5, 8]))


@breaks("DL808")
def a_histogram_lacks_a_list(path: Path) -> None:
    checked(path, *FILES, fileSizeHistogram=histogram([0], [2]))


@breaks("DL808")
def a_histogram_has_texts(path: Path) -> None:
    checked(path, *FILES, fileSizeHistogram=histogram([0], [2], ["12"]))  # type: ignore[list-item]


@breaks("DL808")
def a_histogram_has_boundaries_out_of_order(path: Path) -> None:
    checked(path, *FILES, fileSizeHistogram=histogram([0, 9, 6], [1, 0, 1], [5, 0, 7]))


@respects("DL808")
def a_histogram_is_right(path: Path) -> None:
    checked(path, *FILES, fileSizeHistogram=histogram([0, 6], [1, 1], [5, 7]))


WITH_VECTORS = (
    protocol(3, 7, ["deletionVectors"], ["deletionVectors"]),
    metadata({"delta.enableDeletionVectors": "true"}),
)
DELETED = add(
    "a",
    5,
    stats='{"numRecords":9,"tightBounds":false}',
    deletionVector=deletion_vector("ab^-aqEH.-t@S}K{vb[*k^"),
)
NONE_DELETED = {"deletedRecordCounts": [2, *[0] * 9]}


@breaks("DL809")
def a_checksum_counts_no_deletion_vector(path: Path) -> None:
    checked(path, DELETED, state=WITH_VECTORS, numDeletionVectorsOpt=0)


@breaks("DL809")
def a_checksum_counts_too_many_deleted_rows(path: Path) -> None:
    checked(path, DELETED, state=WITH_VECTORS, numDeletedRecordsOpt=2)


@breaks("DL809")
def a_histogram_of_deleted_rows_has_nine_bins(path: Path) -> None:
    short = {"deletedRecordCounts": [2, *[0] * 8]}
    checked(path, *FILES, deletedRecordCountsHistogramOpt=short)


@breaks("DL809")
def a_histogram_of_deleted_rows_has_a_text(path: Path) -> None:
    odd = {"deletedRecordCounts": [2, *[0] * 8, "0"]}
    checked(path, *FILES, deletedRecordCountsHistogramOpt=odd)


@breaks("DL809")
def a_histogram_of_deleted_rows_lacks_a_file(path: Path) -> None:
    odd = {"deletedRecordCounts": [1, *[0] * 9]}
    checked(path, *FILES, deletedRecordCountsHistogramOpt=odd)


@breaks("DL809")
def a_histogram_of_deleted_rows_has_a_file_in_the_wrong_bin(path: Path) -> None:
    odd = {"deletedRecordCounts": [1, 1, *[0] * 8]}
    checked(path, *FILES, deletedRecordCountsHistogramOpt=odd)


@breaks("DL809")
def a_histogram_of_deleted_rows_has_no_counts(path: Path) -> None:
    checked(path, *FILES, deletedRecordCountsHistogramOpt={})


@respects("DL809")
def deleted_rows_are_counted_right(path: Path) -> None:
    counts = {"numDeletionVectorsOpt": 1, "numDeletedRecordsOpt": 1}
    bins = {"deletedRecordCounts": [0, 1, *[0] * 8]}
    checked(path, DELETED, state=WITH_VECTORS, deletedRecordCountsHistogramOpt=bins, **counts)


@respects("DL809")
def no_rows_are_deleted(path: Path) -> None:
    counts = {"numDeletionVectorsOpt": 0, "numDeletedRecordsOpt": 0}
    checked(path, *FILES, deletedRecordCountsHistogramOpt=NONE_DELETED, **counts)


@breaks("DL810")
def no_version_has_a_checksum(path: Path) -> None:
    table(path, body(INFO, *PLAIN))


@breaks("DL810")
def only_an_older_version_has_a_checksum(path: Path) -> None:
    checked(path).commit(1, INFO)


@respects("DL810")
def the_newest_version_has_a_checksum(path: Path) -> None:
    checked(path)


@breaks("DL811")
def a_histogram_has_its_older_name(path: Path) -> None:
    checked(path, *FILES, histogramOpt=histogram([0, 6], [1, 1], [5, 7]))


@respects("DL811")
def a_histogram_has_both_names(path: Path) -> None:
    right = histogram([0, 6], [1, 1], [5, 7])
    checked(path, *FILES, histogramOpt=right, fileSizeHistogram=right)


@breaks("DL812")
def a_list_of_files_lacks_one(path: Path) -> None:
    checked(path, *FILES, allFiles=[FILES[0]["add"]])


@breaks("DL812")
def a_list_of_files_has_one_too_many(path: Path) -> None:
    checked(path, FILES[0], allFiles=[file["add"] for file in FILES])


@breaks("DL812")
def a_list_of_files_has_another_size(path: Path) -> None:
    checked(path, FILES[0], allFiles=[add("a", 6)["add"]])


@breaks("DL812")
def a_list_of_files_lacks_a_deletion_vector(path: Path) -> None:
    checked(path, DELETED, state=WITH_VECTORS, allFiles=[add("a", 5)["add"]])


@respects("DL812")
def a_list_of_files_is_in_another_order(path: Path) -> None:
    checked(path, *FILES, allFiles=[file["add"] for file in reversed(FILES)])


@respects("DL812")
def there_is_no_list_of_files(path: Path) -> None:
    checked(path, *FILES)


@breaks("DL801")
def a_checksum_has_true_for_a_number(path: Path) -> None:
    checked(path, numFiles=True)


def of_unknown_state(path: Path) -> None:
    """A log cleaned up to version 3, whose state only the checkpoint of 5 tells."""
    made = Table(path)
    for version in (3, 4, 5):
        made.commit(version, INFO)
    made.checkpoint(5, PLAIN)
    made.last_checkpoint(5)
    for version in (3, 5):
        right = {"protocol": PLAIN[0]["protocol"], "metadata": PLAIN[1]["metaData"]}
        made.crc(version, [right], inCommitTimestampOpt=5 if version == 3 else None)


@respects("DL802", depth="history")
def nobody_knows_the_protocol_of_a_checksums_version(path: Path) -> None:
    of_unknown_state(path)


@respects("DL803", depth="history")
def nobody_knows_the_metadata_of_a_checksums_version(path: Path) -> None:
    of_unknown_state(path)


@respects("DL806", depth="history")
def nobody_knows_whether_a_checksums_version_has_timestamps(path: Path) -> None:
    of_unknown_state(path)


@respects("DL806", "DL212")
def timestamps_are_asked_for_but_not_supported(path: Path) -> None:
    checked(path, state=(protocol(), TIMED[1]))


@respects("DL806", "DL123")
def the_commit_itself_has_no_time(path: Path) -> None:
    checked(path, state=TIMED, inCommitTimestampOpt=5)


@breaks("DL808")
def a_histogram_is_empty(path: Path) -> None:
    checked(path, fileSizeHistogram=histogram([], [], []))


@breaks("DL808")
def a_histogram_counts_with_true(path: Path) -> None:
    checked(path, add("a", 5), fileSizeHistogram=histogram([0], [True], [5]))


@respects("DL808", "DL801")
def a_histogram_stands_beside_no_totals(path: Path) -> None:
    right = histogram([0, 6], [1, 1], [5, 7])
    checked(path, *FILES, numFiles=None, tableSizeBytes=None, fileSizeHistogram=right)


@respects("DL809", depth="history")
def an_older_histogram_of_deleted_rows_is_right(path: Path) -> None:
    made = checked(path, *FILES, deletedRecordCountsHistogramOpt=NONE_DELETED)
    made.commit(1, INFO)
    right = {"protocol": PLAIN[0]["protocol"], "metadata": PLAIN[1]["metaData"]}
    made.crc(1, [right], numFiles=2, tableSizeBytes=12)


@respects("DL812", depth="history")
def an_older_list_of_files_is_not_compared(path: Path) -> None:
    made = checked(path, *FILES, allFiles=[])
    made.commit(1, INFO)
    right = {"protocol": PLAIN[0]["protocol"], "metadata": PLAIN[1]["metaData"]}
    made.crc(1, [right], numFiles=2, tableSizeBytes=12)


@respects("DL812")
def a_list_of_more_files_than_are_held_is_not_compared(path: Path) -> None:
    stats = '{"numRecords":1}'
    checked(path, *(add(f"f{number}", 1, stats=stats) for number in range(101)), allFiles=[])
