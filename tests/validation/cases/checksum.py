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
    draft,
    drafted,
    metadata,
    protocol,
    table,
    txn,
)
from tests.support.tables import commit as body

INFO = commit_info()
PLAIN = (protocol(), metadata())


@drafted
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


breaks("DL801", "a checksum is empty", checked().write(f"{0:020d}.crc", b""))
breaks("DL801", "a checksum is a list", checked().write(f"{0:020d}.crc", b"[]"))


@breaks("DL801")
def a_checksum_has_two_objects(path: Path) -> None:
    made = checked()(path)
    file = made.log / f"{0:020d}.crc"
    file.write_text(file.read_text() + "\n" + file.read_text())


breaks("DL801", "a checksum lacks the number of files", checked(numFiles=None))
breaks("DL801", "a checksum has a text for a size", checked(tableSizeBytes="0"))
breaks("DL801", "a checksum of an old writer has no protocol",
    checked(protocol=None, metadata=None))
breaks("DL801", "a checksum has a list for metadata", checked(metadata=[]))
respects("DL801", "a checksum has fields from the future", checked(*FILES, novel={"x": 1}))


@respects("DL801")
def only_an_older_checksum_is_broken(path: Path) -> None:
    made = table(path, body(INFO, *PLAIN), body(INFO))
    made.write(f"{0:020d}.crc", b"")
    made.crc(1, [{"protocol": PLAIN[0]["protocol"], "metadata": PLAIN[1]["metaData"]}])


@breaks("DL801", depth="history")
def an_older_checksum_is_broken(path: Path) -> None:
    only_an_older_checksum_is_broken(path)


breaks("DL802", "a checksum has another version", checked(protocol=protocol(1, 3)["protocol"]))
breaks("DL802", "a checksum has empty lists of features",
    checked(protocol=protocol(1, 2, [], [])["protocol"]))


@breaks("DL802", depth="history")
def an_older_checksum_has_the_protocol_of_later(path: Path) -> None:
    made = table(path, body(INFO, *PLAIN), body(INFO, protocol(1, 3)))
    for version in (0, 1):
        right = {"protocol": protocol(1, 3)["protocol"], "metadata": PLAIN[1]["metaData"]}
        made.crc(version, [right])


respects("DL802", "a checksum lists features in another order",
    checked(state=(protocol(1, 7, None, ["appendOnly", "changeDataFeed"]),
        metadata({"delta.appendOnly": "true", "delta.enableChangeDataFeed": "true"})),
        protocol=protocol(1, 7, None, ["changeDataFeed", "appendOnly"])["protocol"]))


@respects("DL802", depth="history")
def an_older_checksum_has_the_protocol_of_its_version(path: Path) -> None:
    made = table(path, body(INFO, *PLAIN), body(INFO, protocol(1, 3)))
    for version, writer in ((0, 2), (1, 3)):
        right = {"protocol": protocol(1, writer)["protocol"], "metadata": PLAIN[1]["metaData"]}
        made.crc(version, [right])


breaks("DL803", "a checksum lacks a property", checked(metadata=metadata({"k": "v"})["metaData"]))
breaks("DL803", "a checksum has another schema",
    checked(metadata=metadata(schemaString='{"type":"struct","fields":[]}')["metaData"]))
respects("DL803", "a checksum spells the schema with blanks",
    checked(metadata=metadata(schemaString=PLAIN[1]["metaData"]["schemaString"].replace(":", ": "))[
        "metaData"]))

breaks("DL804", "a checksum counts too many files", checked(*FILES, numFiles=3))
breaks("DL804", "a checksum counts too few bytes", checked(*FILES, tableSizeBytes=11))
respects("DL804", "a checksum counts right", checked(*FILES))

breaks("DL805", "a checksum counts two protocols", checked(numProtocol=2))
breaks("DL805", "a checksum counts no metadata", checked(numMetadata=0))
respects("DL805", "a checksum counts one of each", checked())


TIMED = (
    protocol(1, 7, None, ["inCommitTimestamp"]),
    metadata({"delta.enableInCommitTimestamps": "true"}),
)


@drafted
def timed(path: Path, timestamp: int | None) -> None:
    made = checked(state=TIMED, inCommitTimestampOpt=timestamp)(path)
    made.commit(0, commit_info(inCommitTimestamp=5), *TIMED)


breaks("DL806", "a checksum says another time", timed(6))
breaks("DL806", "a checksum lacks the time", timed(None))
breaks("DL806", "a checksum has a time that the table has not", checked(inCommitTimestampOpt=5))
breaks("DL806 DL217", "a checksum has a time though timestamps are off",
    checked(state=(TIMED[0], metadata()), inCommitTimestampOpt=5))
respects("DL806", "a checksum says the commits time", timed(5))
respects("DL806", "a checksum needs no time", checked())


APP = txn("x", 7)
DOMAINS = (protocol(1, 7, None, ["domainMetadata"]), metadata())


breaks("DL807", "a checksum has an older transaction",
    checked(APP, setTransactions=[{"appId": "x", "version": 6}]))
breaks("DL807", "a checksum lacks a transaction", checked(APP, setTransactions=[]))
breaks("DL807", "a checksum has a transaction too many",
    checked(setTransactions=[{"appId": "x", "version": 7}]))
breaks("DL807", "a checksum has another value of a domain",
    checked(domain("d", "1"), state=DOMAINS, domainMetadata=[domain("d", "2")["domainMetadata"]]))
breaks("DL807", "a checksum has a removed domain", checked(domain("d", removed=True), state=DOMAINS,
    domainMetadata=[domain("d", removed=True)["domainMetadata"]]))
respects("DL807", "a checksum has all transactions and domains",
    checked(domain("d", "1"), txn("y", 1), APP, state=DOMAINS, setTransactions=[txn("x", 7)["txn"],
        txn("y", 1)["txn"]], domainMetadata=[domain("d", "1")["domainMetadata"]]))
respects("DL807", "a checksum does not speak of transactions", checked(APP))
respects("DL807", "a checksum leaves out expired transactions",
    checked(APP,
        state=(protocol(), metadata({"delta.setTransactionRetentionDuration": "interval 1 days"})),
        setTransactions=[]))


def histogram(*columns: list[int]) -> Action:
    return dict(zip(("sortedBinBoundaries", "fileCounts", "totalBytes"), columns, strict=False))


breaks("DL808", "a histogram has lists of different lengths",
    checked(*FILES, fileSizeHistogram=histogram([0, 6], [2], [5, 7])))
breaks("DL808", "a histogram begins above zero",
    checked(*FILES, fileSizeHistogram=histogram([1, 6], [1, 1], [5, 7])))
breaks("DL808", "a histogram counts other files",
    checked(*FILES, fileSizeHistogram=histogram([0, 6], [1, 2], [5, 7])))
breaks("DL808 DL811", "a histogram counts other bytes",
    checked(*FILES, histogramOpt=histogram([0, 6], [1, 1], [5, 8])))
breaks("DL808", "a histogram lacks a list", checked(*FILES, fileSizeHistogram=histogram([0], [2])))
breaks("DL808", "a histogram has texts",
    checked(*FILES, fileSizeHistogram=histogram([0], [2], ["12"])))  # type: ignore[list-item]


breaks("DL808", "a histogram has boundaries out of order",
    checked(*FILES, fileSizeHistogram=histogram([0, 9, 6], [1, 0, 1], [5, 0, 7])))
respects("DL808", "a histogram is right",
    checked(*FILES, fileSizeHistogram=histogram([0, 6], [1, 1], [5, 7])))


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


breaks("DL809", "a checksum counts no deletion vector",
    checked(DELETED, state=WITH_VECTORS, numDeletionVectorsOpt=0))
breaks("DL809", "a checksum counts too many deleted rows",
    checked(DELETED, state=WITH_VECTORS, numDeletedRecordsOpt=2))
breaks("DL809", "a histogram of deleted rows has nine bins",
    checked(*FILES, deletedRecordCountsHistogramOpt={"deletedRecordCounts": [2, *[0] * 8]}))
breaks("DL809", "a histogram of deleted rows has a text",
    checked(*FILES, deletedRecordCountsHistogramOpt={"deletedRecordCounts": [2, *[0] * 8, "0"]}))
breaks("DL809", "a histogram of deleted rows lacks a file",
    checked(*FILES, deletedRecordCountsHistogramOpt={"deletedRecordCounts": [1, *[0] * 9]}))
breaks("DL809", "a histogram of deleted rows has a file in the wrong bin",
    checked(*FILES, deletedRecordCountsHistogramOpt={"deletedRecordCounts": [1, 1, *[0] * 8]}))
breaks("DL809", "a histogram of deleted rows has no counts",
    checked(*FILES, deletedRecordCountsHistogramOpt={}))
respects("DL809", "deleted rows are counted right",
    checked(DELETED, state=WITH_VECTORS, deletedRecordCountsHistogramOpt={"deletedRecordCounts": [0,
        1, *[0] * 8]}, numDeletionVectorsOpt=1, numDeletedRecordsOpt=1))
respects("DL809", "no rows are deleted",
    checked(*FILES, deletedRecordCountsHistogramOpt=NONE_DELETED,
        numDeletionVectorsOpt=0, numDeletedRecordsOpt=0))

respects("DL810", "no version has a checksum", draft(body(INFO, *PLAIN)))
breaks("DL810", "only an older version has a checksum", checked().commit(1, INFO))
respects("DL810", "the newest version has a checksum", checked())

breaks("DL811", "a histogram has its older name",
    checked(*FILES, histogramOpt=histogram([0, 6], [1, 1], [5, 7])))


@respects("DL811")
def a_histogram_has_both_names(path: Path) -> None:
    right = histogram([0, 6], [1, 1], [5, 7])
    checked(*FILES, histogramOpt=right, fileSizeHistogram=right)(path)


breaks("DL812", "a list of files lacks one", checked(*FILES, allFiles=[FILES[0]["add"]]))
breaks("DL812", "a list of files has one too many",
    checked(FILES[0], allFiles=[file["add"] for file in FILES]))
breaks("DL812", "a list of files has another size",
    checked(FILES[0], allFiles=[add("a", 6)["add"]]))
breaks("DL812", "a list of files lacks a deletion vector",
    checked(DELETED, state=WITH_VECTORS, allFiles=[add("a", 5)["add"]]))
respects("DL812", "a list of files is in another order",
    checked(*FILES, allFiles=[file["add"] for file in reversed(FILES)]))
respects("DL812", "there is no list of files", checked(*FILES))

breaks("DL801", "a checksum has true for a number", checked(numFiles=True))


@drafted
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


respects("DL802", "nobody knows the protocol of a checksums version",
    of_unknown_state(), depth="history")

respects("DL803", "nobody knows the metadata of a checksums version",
    of_unknown_state(), depth="history")

respects("DL806", "nobody knows whether a checksums version has timestamps",
    of_unknown_state(), depth="history")
respects("DL806 DL212", "timestamps are asked for but not supported",
    checked(state=(protocol(), TIMED[1])))
respects("DL806 DL123", "the commit itself has no time",
    checked(state=TIMED, inCommitTimestampOpt=5))

breaks("DL808", "a histogram is empty", checked(fileSizeHistogram=histogram([], [], [])))
breaks("DL808", "a histogram counts with true",
    checked(add("a", 5), fileSizeHistogram=histogram([0], [True], [5])))
respects("DL808 DL801", "a histogram stands beside no totals", checked(*FILES, numFiles=None,
    tableSizeBytes=None, fileSizeHistogram=histogram([0, 6], [1, 1], [5, 7])))

respects("DL809", "an older histogram of deleted rows is right",
    checked(*FILES, deletedRecordCountsHistogramOpt=NONE_DELETED).commit(1, INFO)
        .crc(1, [{"protocol": PLAIN[0]["protocol"], "metadata": PLAIN[1]["metaData"]}], numFiles=2,
        tableSizeBytes=12), depth="history")

respects("DL812", "an older list of files is not compared", checked(*FILES, allFiles=[])
    .commit(1, INFO).crc(1, [{"protocol": PLAIN[0]["protocol"], "metadata": PLAIN[1]["metaData"]}],
    numFiles=2, tableSizeBytes=12), depth="history")
respects("DL812", "a list of more files than are held is not compared",
    checked(*(add(f"f{number}", 1, stats='{"numRecords":1}') for number in range(101)),
        allFiles=[]))
