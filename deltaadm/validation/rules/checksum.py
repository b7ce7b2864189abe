"""DL8xx: version checksums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.actions import AddFile
from deltaadm.domain.model.log_segment import Kind
from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.model.protocol import Protocol
from deltaadm.domain.model.wire import integer
from deltaadm.validation.rule import Problem, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.facts.facts import ChecksumFacts, Document, SnapshotFacts

_NUMBERS: Final = ("tableSizeBytes", "numFiles", "numMetadata", "numProtocol")
_ACTIONS: Final = ("metadata", "protocol")
# The name in PROTOCOL.md, and an older one (DL811).
_HISTOGRAMS: Final = ("fileSizeHistogram", "histogramOpt")
_BINS: Final = 10


@rule("DL801", Severity.ERROR, Scope.CHECKSUM)
def broken_checksum(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum is not one JSON object with all required fields.

    Why it matters: readers that trust it fail, or take defaults for what is missing. Very old
    writers left out metadata and protocol, which readers then look for in the log.

    What to do: delete the file; readers work without it. Then update the writer.

    Source: PROTOCOL.md, Version Checksum File.
    """
    where = checksum.file.path
    if checksum.document is None:
        yield Problem(f"It is invalid: {checksum.error}.", where)
        return
    for key in _NUMBERS:
        if _integer(checksum.document, key) is None:
            yield Problem(f"It has no number {key}.", where)
    for key in _ACTIONS:
        value = checksum.document.get(key)
        if value is None:
            yield Problem(f"It has no {key}.", where, severity=Severity.WARNING)
        elif not isinstance(value, dict):
            yield Problem(f"Its {key} is not a JSON object.", where)


@rule("DL802", Severity.ERROR, Scope.CHECKSUM)
def checksum_of_another_protocol(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The protocol in a version checksum is not that of the log.

    Why it matters: Delta Spark takes the protocol from the checksum where there is one. Readers
    disagree on which features the table has.

    What to do: delete the file; readers work without it. Find the writer that wrote it.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, DELTA_TXN_LOG_FAILED_INTEGRITY.
    """
    stated = (checksum.document or {}).get("protocol")
    known = checksum.state.protocol
    if isinstance(stated, dict) and known is not None and Protocol.from_wire(stated) != known:
        yield Problem("Its protocol is not that of the log.", checksum.file.path)


@rule("DL803", Severity.ERROR, Scope.CHECKSUM)
def checksum_of_other_metadata(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The metadata in a version checksum is not that of the log.

    Why it matters: Delta Spark takes the metadata from the checksum where there is one. Readers
    disagree on the table's schema or properties.

    What to do: delete the file; readers work without it. Find the writer that wrote it.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, DELTA_TXN_LOG_FAILED_INTEGRITY.
    """
    stated = (checksum.document or {}).get("metadata")
    known = checksum.state.metadata
    if not isinstance(stated, dict) or known is None:
        return
    if not Metadata.from_wire(stated).says_the_same_as(known):
        yield Problem("Its metadata is not that of the log.", checksum.file.path)


@rule("DL804", Severity.ERROR, Scope.CHECKSUM)
def wrong_file_totals(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum has a different number of files or bytes than the log.

    Why it matters: that is what checksums are for. Either the checksum is wrong, or actions of
    the log were lost or doubled; Delta Spark refuses the version where it checks.

    What to do: compare with a backup before anything else: files may be missing from the table.
    If the log is right, delete the checksum.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, DELTA_TXN_LOG_FAILED_INTEGRITY.
    """
    files = None if checksum.snapshot is None else checksum.snapshot.files
    if files is None or checksum.document is None:
        return
    for key, actual in (("numFiles", files.files), ("tableSizeBytes", files.bytes)):
        stated = _integer(checksum.document, key)
        if stated is not None and stated != actual:
            yield Problem(f"Its {key} is {stated}, but the log has {actual}.", checksum.file.path)


@rule("DL805", Severity.ERROR, Scope.CHECKSUM)
def wrong_action_count(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum counts more or fewer than one protocol or one metaData action.

    Why it matters: every version has exactly one of each. The writer that wrote it saw an
    impossible state.

    What to do: delete the file; readers work without it. Find the writer that wrote it.

    Source: PROTOCOL.md, Version Checksum File.
    """
    for key in ("numMetadata", "numProtocol"):
        stated = _integer(checksum.document or {}, key)
        if stated not in (None, 1):
            yield Problem(f"Its {key} is {stated} instead of 1.", checksum.file.path)


@rule("DL806", Severity.ERROR, Scope.CHECKSUM)
def wrong_checksum_timestamp(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The in-commit timestamp in a version checksum is missing, unneeded or not the commit's.

    Why it matters: readers use it instead of the commit's, and time travel finds a different
    version.

    What to do: delete the file; readers work without it. Find the writer that wrote it.

    Source: PROTOCOL.md, Version Checksum File and In-Commit Timestamps.
    """
    if checksum.document is None or checksum.state.metadata is None:
        return
    stated = checksum.document.get("inCommitTimestampOpt")
    state = checksum.state
    enabled = state.property("delta.enableInCommitTimestamps").lower() == "true"
    inside = None if checksum.commit is None else checksum.commit.in_commit
    where = checksum.file.path
    if not (enabled and state.supports("inCommitTimestamp")):
        if stated is not None:
            yield Problem(f"It has {stated!r}, but the table has no in-commit timestamps.", where)
    elif stated is None:
        yield Problem("It lacks inCommitTimestampOpt.", where)
    elif inside is not None and stated != inside:
        yield Problem(f"It has {stated!r}, but the commit has {inside}.", where)


@rule("DL807", Severity.ERROR, Scope.CHECKSUM)
def wrong_transactions_or_domains(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum has other transactions or domains than the log, or a removed domain.

    Why it matters: a stream may write a batch twice or skip one; a domain's setting comes back
    or is lost.

    What to do: delete the file; readers work without it. Find the writer that wrote it.

    Source: PROTOCOL.md, Version Checksum File.
    """
    document, snapshot, where = checksum.document or {}, checksum.snapshot, checksum.file.path
    for domain in _objects(document, "domainMetadata"):
        if domain.get("removed") is True:
            yield Problem(f"It has the removed domain {domain.get('domain')!r}.", where)
    if snapshot is None or snapshot.transactions is None or snapshot.domains is None:
        return
    # Delta leaves out transactions that are older than this.
    may_expire = checksum.state.property("delta.setTransactionRetentionDuration") != ""
    versions = {app: transaction.version for app, transaction in snapshot.transactions.items()}
    values = {name: domain.configuration for name, domain in snapshot.domains.items()}
    for key, name, value, known, partial in (
        ("setTransactions", "appId", "version", versions, may_expire),
        ("domainMetadata", "domain", "configuration", values, False),
    ):
        if isinstance(document.get(key), list):
            kept = (entry for entry in _objects(document, key) if entry.get("removed") is not True)
            stated = {str(entry.get(name)): entry.get(value) for entry in kept}
            for odd in _different(stated, known, partial=partial):
                yield Problem(f"Its {key} and the log disagree on {odd!r}.", where)


@rule("DL808", Severity.WARNING, Scope.CHECKSUM)
def inconsistent_size_histogram(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The histogram of file sizes in a version checksum contradicts itself or the totals.

    Why it matters: it is only used for statistics, but shows that the checksum was written wrongly.

    What to do: delete the file; readers work without it. Find the writer that wrote it.

    Source: PROTOCOL.md, File Size Histogram Schema.
    """
    document = checksum.document or {}
    for name in _HISTOGRAMS:
        histogram = document.get(name)
        if histogram is not None:
            for message in _histogram_problems(document, histogram):
                yield Problem(f"Its {name} {message}.", checksum.file.path)


@rule("DL809", Severity.WARNING, Scope.CHECKSUM)
def wrong_deletion_counts(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum counts deletion vectors or deleted rows wrongly.

    Why it matters: it is only used for statistics, but shows that the checksum was written wrongly.

    What to do: delete the file; readers work without it. Find the writer that wrote it.

    Source: PROTOCOL.md, Version Checksum File and Deleted Record Counts Histogram Schema.
    """
    document, totals, where = checksum.document or {}, checksum.totals, checksum.file.path
    bins = _bins(document)
    if bins is not None and (len(bins) != _BINS or not _all_integers(bins)):
        yield Problem(f"Its histogram of deleted rows does not have {_BINS} numbers.", where)
    elif bins is not None and sum(bins) != _integer(document, "numFiles"):
        yield Problem(f"Its histogram of deleted rows counts {sum(bins)} files.", where)
    elif bins is not None and totals is not None and tuple(bins) != totals.deleted_record_counts:
        yield Problem("Its histogram of deleted rows has files in the wrong bins.", where)
    if totals is None:
        return
    for key, actual in (
        ("numDeletionVectorsOpt", totals.deletion_vectors),
        ("numDeletedRecordsOpt", totals.deleted_records),
    ):
        stated = _integer(document, key)
        if stated is not None and stated != actual:
            yield Problem(f"Its {key} is {stated}, but the log has {actual}.", where)


@rule("DL810", Severity.WARNING, Scope.SNAPSHOT)
def missing_checksum(facts: SnapshotFacts) -> Iterator[Problem]:
    """
    The newest version has no checksum.

    Why it matters: lost actions of the log go unnoticed, and readers look for protocol and
    metadata in older files. Many writers write none, which the protocol permits; one that used to
    write them and no longer does should be checked.

    What to do: nothing is broken. Prefer writers that write checksums.

    Source: PROTOCOL.md, Version Checksum File.
    """
    versions = [file.version for file in facts.listing.of_kind(Kind.CRC)]
    if facts.snapshot.version not in versions:
        severity = Severity.WARNING if versions else Severity.INFO
        message = f"Version {facts.snapshot.version} has no checksum."
        yield Problem(message, "_delta_log", severity=severity)


@rule("DL811", Severity.INFO, Scope.CHECKSUM)
def old_histogram_name(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum has its histogram of file sizes under an older name, histogramOpt.

    Why it matters: Delta Spark reads either name, but readers that follow the protocol know
    fileSizeHistogram only and do not see this one.

    What to do: nothing.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, Checksum.scala.
    """
    document = checksum.document or {}
    if document.get("histogramOpt") is not None and document.get("fileSizeHistogram") is None:
        yield Problem("It has histogramOpt instead of fileSizeHistogram.", checksum.file.path)


@rule("DL812", Severity.ERROR, Scope.CHECKSUM)
def wrong_file_list(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The list of all files in a version checksum is not that of the log.

    Why it matters: a reader that uses it instead of replaying the log sees a different table.

    What to do: compare with a backup; if the log is right, delete the checksum.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, DELTA_TXN_LOG_FAILED_INTEGRITY.
    """
    adds = None if checksum.totals is None else checksum.totals.adds
    document = checksum.document or {}
    if adds is None or not isinstance(document.get("allFiles"), list):
        return
    listed = map(AddFile.from_wire, _objects(document, "allFiles"))
    stated, known = ({_file_key(file): file.size for file in listing} for listing in (listed, adds))
    for path, _ in _different(stated, known):
        yield Problem(f"Its allFiles and the log disagree on {path!r}.", checksum.file.path)


def _different(
    stated: Mapping[Any, Any], known: Mapping[Any, Any], *, partial: bool = False
) -> list[Any]:
    """The keys that only one side has or that differ; *stated* may lack some if *partial*."""
    # With an expiry, transactions may be missing from the checksum, but must not differ.
    keys = stated.keys() if partial else stated.keys() | known.keys()
    return sorted(key for key in keys if key not in stated or stated[key] != known.get(key, ...))


def _file_key(file: AddFile) -> tuple[str, str]:
    return file.path, "" if file.deletion_vector is None else file.deletion_vector.unique_id


def _histogram_problems(document: Document, histogram: Any) -> Iterator[str]:
    parts = histogram if isinstance(histogram, dict) else {}
    keys = ("sortedBinBoundaries", "fileCounts", "totalBytes")
    lists = [
        part for key in keys if isinstance(part := parts.get(key), list) and _all_integers(part)
    ]
    if len(lists) != len(keys):
        yield "does not consist of three lists of numbers"
        return
    boundaries, counts, sizes = lists
    if not len(boundaries) == len(counts) == len(sizes):
        yield "has lists of different lengths"
    if not boundaries or boundaries[0] != 0 or boundaries != sorted(boundaries):
        yield "has boundaries that do not increase from 0"
    for name, key, numbers in (("files", "numFiles", counts), ("bytes", "tableSizeBytes", sizes)):
        stated = _integer(document, key)
        if stated is not None and sum(numbers) != stated:
            yield f"counts {sum(numbers)} {name}, not {stated}"


def _bins(document: Document) -> list[Any] | None:
    bins = document.get("deletedRecordCountsHistogramOpt")
    if bins is None:
        return None
    counts = bins.get("deletedRecordCounts") if isinstance(bins, dict) else None
    return counts if isinstance(counts, list) else []


def _objects(document: Document, key: str) -> list[Document]:
    values = document.get(key)
    return (
        [entry for entry in values if isinstance(entry, dict)] if isinstance(values, list) else []
    )


def _all_integers(values: list[Any]) -> bool:
    return all(integer(value) is not None for value in values)


def _integer(document: Document, key: str) -> int | None:
    return integer(document.get(key))
