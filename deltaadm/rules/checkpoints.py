"""DL6xx and DL8xx: checkpoints, their sidecars, and version checksums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain import steps as kinds
from deltaadm.domain.actions import AddFile
from deltaadm.domain.protocol import READER_FEATURES_VERSION, WRITER_FEATURES_VERSION, Protocol
from deltaadm.domain.snapshot import Kind
from deltaadm.domain.wire import Metadata
from deltaadm.facts import CheckpointFacts, ChecksumFacts, LogFacts, SnapshotFacts
from deltaadm.json_values import integer
from deltaadm.paths import is_absolute
from deltaadm.rules import rule as rules
from deltaadm.rules.log import LOG, POINTER
from deltaadm.rules.rule import DAY, Problem, Scope, Severity, refusal, rule

if TYPE_CHECKING:
    from deltaadm.facts import Document


V2: Final = "v2Checkpoint"
_BINS: Final = 10
"""The length of a histogram of deleted rows."""
_LONG: Final = 100
"""The number of versions without a classic-named checkpoint that is reported."""


@rule("DL601", Severity.ERROR, Scope.CHECKPOINT)
def incomplete_checkpoint(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A multi-part checkpoint lacks some of its parts.

    Why it matters: readers skip it, and are slower for it. Without another checkpoint or the
    earlier commits, nobody can load the table. delta-rs and the Rust kernel cannot open the table
    if `_last_checkpoint` points to it. It is a warning if all clients can load the table.

    What to do: restore the missing parts, or let `deltaadm repair TABLE` move the others aside and
    write the checkpoint again. A writer may still be writing it: check again in a minute.

    Source: PROTOCOL.md, Multi-part checkpoint; delta-kernel-rs, log_segment.rs.
    """
    # An empty part is DL612's.
    if checkpoint.checkpoint is not None or any(not file.info.size for file in checkpoint.files):
        return
    parts, present = checkpoint.files[0].parts, {file.part for file in checkpoint.files}
    pointer, listing = checkpoint.pointer, checkpoint.listing
    covered = any(each.version >= checkpoint.version for each in listing.checkpoints[-1:])
    pointed = pointer is not None and pointer.version == checkpoint.version
    is_needed = refusal(listing.segment) or (pointed and not covered)
    message = f"It has {len(present)} of the {parts} parts that their names announce."
    yield Problem(message, severity=None if is_needed else Severity.WARNING)


@rule("DL602", Severity.ERROR, Scope.CHECKPOINT)
def multipart_checkpoint_despite_v2(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A table with the feature v2Checkpoint has a multi-part checkpoint.

    Why it matters: the feature forbids them, so readers need not look for them.

    What to do: stop using the writer that ignores the feature, and write a checkpoint.

    Source: PROTOCOL.md, V2 Checkpoint Table Feature.
    """
    if _kind(checkpoint) is Kind.MULTIPART and checkpoint.state.supports(V2):
        yield Problem("It is in several parts, which the feature forbids.")


@rule("DL603", Severity.ERROR, Scope.CHECKPOINT)
def v2_checkpoint_without_feature(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    The table has a V2 checkpoint, but does not support the feature v2Checkpoint.

    Why it matters: readers that do not support the feature silently miss the files in its sidecars.

    What to do: write a classic checkpoint, or let `deltaadm repair TABLE` add the feature.

    Source: PROTOCOL.md, V2 Checkpoint Table Feature.
    """
    protocol, signs = checkpoint.state.protocol, ", ".join(_signs_of_v2(checkpoint))
    if signs and protocol and not protocol.supports(V2):
        yield Problem(f"The protocol lacks v2Checkpoint, but the checkpoint has {signs}.")


@rule("DL604", Severity.ERROR, Scope.CHECKPOINT)
def wrong_checkpoint_metadata(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A V2 checkpoint does not have exactly one checkpointMetadata action with its own version.

    Why it matters: readers recognise a V2 checkpoint by it, and reject this one or its sidecars.

    What to do: `deltaadm repair TABLE`. Then find the writer that wrote this one.

    Source: PROTOCOL.md, V2 Spec and Checkpoint Metadata.
    """
    if not checkpoint.opened or not any(_signs_of_v2(checkpoint)):
        return
    documents = checkpoint.actions("checkpointMetadata")
    if len(documents) != 1:
        yield Problem(f"It has {len(documents)} checkpointMetadata actions instead of one.")
    elif documents[0].get("version") != checkpoint.version:
        yield Problem(f"Its checkpointMetadata says version {documents[0].get('version')!r}.")


@rule("DL605", Severity.ERROR, Scope.CHECKPOINT)
def incomplete_checkpoint_state(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A checkpoint does not have exactly one protocol and one metaData action.

    Why it matters: once earlier commits are gone, nothing else has them: no client loads the table.

    What to do: `deltaadm repair TABLE`, while the commits are still there; or restore a backup.

    Source: PROTOCOL.md, Checkpoints; Delta Spark, DELTA_STATE_RECOVER_ERROR.
    """
    for name in ("protocol", "metaData") if checkpoint.opened else ():
        count = len(checkpoint.actions(name))
        if count != 1:
            yield Problem(f"It has {count} {name} actions instead of one.")


@rule("DL606", Severity.ERROR, Scope.CHECKPOINT)
def feature_lists_unlike_versions(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A checkpoint's protocol lacks a list of features that its versions require, or has a wrong one.

    Why it matters: Delta Spark and Trino fail on such a protocol. A missing list also makes the
    table lose its features for every reader that starts from the checkpoint.

    What to do: `deltaadm repair TABLE`, while the commits are still there. Then update the writer.

    Source: PROTOCOL.md, Checkpoint Schema and Protocol Evolution.
    """
    sides = (("Reader", READER_FEATURES_VERSION), ("Writer", WRITER_FEATURES_VERSION))
    for action in checkpoint.actions("protocol"):
        for side, lists_from in sides:
            version, key = action.get(f"min{side}Version"), f"{side.lower()}Features"
            listed = action.get(key) is not None
            if isinstance(version, int) and listed != (version >= lists_from):
                flaw = "has" if listed else "lacks"
                yield Problem(f"Its protocol {flaw} {key} at version {version}.")


@rule("DL607", Severity.ERROR, Scope.CHECKPOINT)
def files_inline_and_in_sidecars(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A V2 checkpoint has file actions of its own in addition to those in its sidecars.

    Why it matters: the protocol allows one or the other; readers may read only one of them.

    What to do: write a checkpoint with another writer.

    Source: PROTOCOL.md, V2 Spec.
    """
    counts = checkpoint.counts or {}
    inline = sum(counts.get(name, 0) for name in ("add", "remove"))
    apart = sum(counts.get(f"sidecar.{name}", 0) for name in ("add", "remove"))
    if inline and apart:
        yield Problem(f"It has {inline} file actions of its own and {apart} in sidecars.")


@rule("DL608", Severity.ERROR, Scope.CHECKPOINT)
def unfit_sidecar(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A sidecar that a checkpoint names is missing, has another size, or is not in `_sidecars`.

    Why it matters: its files belong to the table, and nobody can read the checkpoint without it.

    What to do: restore it, or let `deltaadm repair TABLE` write the checkpoint from the commits.

    Source: PROTOCOL.md, Sidecar File Information and Sidecar Files.
    """
    for sidecar in checkpoint.sidecars:
        name, directory = f"The sidecar {sidecar.path!r}", sidecar.path.rpartition("/")[0]
        inside = directory.endswith("/_sidecars")
        if not is_absolute(sidecar.path):  # to Delta it starts in _sidecars
            inside = normpath(f"/_sidecars/{directory}") == "/_sidecars"
        if not inside:
            yield Problem(f"{name} is not directly in _sidecars.")
        elif sidecar.size is None:
            yield Problem(f"{name} is missing.")
        elif sidecar.size_in_bytes != sidecar.size:
            yield Problem(f"{name} has {sidecar.size} bytes, not {sidecar.size_in_bytes}.")


@rule("DL609", Severity.ERROR, Scope.CHECKPOINT)
def checkpoint_unlike_commits(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A checkpoint differs from the commits up to its version.

    Why it matters: readers that start from the checkpoint see another table than those that
    read the commits: files, transactions or properties come back or vanish. Without `--deep`
    only the newest checkpoint is looked at, and only where the number of its files cannot be right.

    What to do: `deltaadm repair TABLE`, while the commits are still there: it writes the checkpoint
    again. Then report the bug to the maintainers of the writer that wrote it.

    Source: PROTOCOL.md, Checkpoints and Action Reconciliation; trinodb/trino#31252.
    """
    difference = checkpoint.difference
    if difference is None:
        return
    if difference.parts:
        yield Problem(f"It and the commits differ in {', '.join(difference.parts)}.")
    extra, lacking = difference.only_in_checkpoint, difference.only_in_commits
    if extra or lacking:
        some = ", ".join(map(repr, difference.paths))
        yield Problem(f"It has {extra} extra files and lacks {lacking}, among them {some}.")


@rule("DL610", Severity.WARNING, Scope.CHECKPOINT)
def needless_checkpoint_action(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A checkpoint has actions that do not belong there: commitInfo, cdc, or removed domains.

    Why it matters: they are not part of the table's state. Some readers fail on them.

    What to do: update the writer, and write a checkpoint.

    Source: PROTOCOL.md, Checkpoints and Action Reconciliation.
    """
    for name in ("commitInfo", "cdc"):
        if checkpoint.actions(name):
            yield Problem(f"It has {name} actions.")
    yield from _removed_domains(checkpoint.actions("domainMetadata"))


def _removed_domains(actions: Iterable[Document]) -> Iterator[Problem]:
    for action in actions:
        if action.get("removed") is True:
            yield Problem(f"It has the removed domain {action.get('domain')!r}.")


@rule("DL611", Severity.WARNING, Scope.CHECKPOINT)
def older_checkpoint_without_commit(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    An older checkpoint exists, but not the commit of its version.

    Why it matters: time travel refuses a version that looks as if it could be rebuilt.

    What to do: delete the checkpoint, or restore the commit.

    Source: PROTOCOL.md, Metadata Cleanup.
    """
    listing = checkpoint.listing
    # The newest one is DL106's.
    is_older = checkpoint.checkpoint not in (None, *listing.checkpoints[-1:])
    if is_older and checkpoint.version not in listing.commits.versions:
        yield Problem(f"Commit {checkpoint.version}, which it belongs to, is missing.")


@rule("DL612", Severity.ERROR, Scope.CHECKPOINT)
def unreadable_checkpoint(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A checkpoint's file is empty or cannot be read: it is cut off or damaged, a page does not match
    its checksum, or a column has another type than in Delta's log.

    Why it matters: Delta skips an empty file and falls back to older ones if it can. Other readers
    fail, and so does Delta once the older files are cleaned up.

    What to do: restore it, or let `deltaadm repair TABLE` write the checkpoint from the commits.

    Source: PROTOCOL.md, Checkpoints; Delta Spark, FAILED_READ_FILE.
    """
    for file in checkpoint.files:
        if file.info.regular and not file.info.size:
            yield Problem("The file is empty.", file.path)
    if checkpoint.error:
        yield Problem(checkpoint.error)


@rule("DL613", Severity.WARNING, Scope.CHECKPOINT)
def missing_statistics_columns(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    A checkpoint lacks the statistics that the table's properties ask for.

    Why it matters: queries that start from it cannot skip files.

    What to do: write a checkpoint with a writer that honours the properties
    delta.checkpoint.writeStatsAsJson and writeStatsAsStruct, or change the properties.

    Source: PROTOCOL.md, Checkpoint Schema and Table Properties.
    """
    columns, metadata = checkpoint.columns, checkpoint.state.metadata
    if "add.path" not in columns or metadata is None or _adds(checkpoint) == 0:
        return
    for key, column, default in (
        ("delta.checkpoint.writeStatsAsJson", "add.stats", "true"),
        # The default of PROTOCOL.md; Delta Spark's is true, and other writers need not follow it.
        ("delta.checkpoint.writeStatsAsStruct", "add.stats_parsed", "false"),
    ):
        enabled = checkpoint.state.property(key, default).lower() == "true"
        has_data = len(rules.schema_of(metadata).fields) > len(metadata.partition_columns)
        if enabled and has_data and column not in columns:
            yield Problem(f"It has no column {column}.")


@rule("DL614", Severity.INFO, Scope.LOG)
def only_v2_checkpoint_names(log: LogFacts) -> Iterator[Problem]:
    """
    None of the recent checkpoints has a classic name.

    Why it matters: a reader that does not support V2 checkpoints finds none. If one had a classic
    name, the reader would at least see the protocol, and fail with a clear message.

    What to do: nothing, unless old readers use the table; for them, write a classic checkpoint.

    Source: PROTOCOL.md, V2 Checkpoint Table Feature.
    """
    known = log.listing.checkpoints
    named = [each.version for each in known if each.kind is Kind.V2_CHECKPOINT]
    classic = [each.version for each in known if each.version not in named]
    count = max(named, default=0) - max(classic, default=min(named, default=0))
    if count >= _LONG:
        yield Problem(f"The last {count} versions have V2 checkpoint names only.", LOG)


@rule("DL615", Severity.WARNING, Scope.LOG)
def orphan_sidecar(log: LogFacts) -> Iterator[Problem]:
    """
    A sidecar that is older than a day belongs to no checkpoint.

    Why it matters: it wastes space. A checkpoint was interrupted, or nobody cleans up the log.

    What to do: delete it.

    Source: PROTOCOL.md, Metadata Cleanup.
    """
    for orphan in log.orphans or ():
        # A younger one may belong to a checkpoint that is being written: sidecars come first.
        if log.now - orphan.info.modified > DAY:
            yield Problem("No checkpoint references this sidecar.", orphan.path)


@rule("DL616", Severity.WARNING, Scope.CHECKPOINT)
def pointer_unlike_checkpoint(checkpoint: CheckpointFacts) -> Iterator[Problem]:
    """
    `_last_checkpoint` has the wrong size, number of parts or number of files of the checkpoint.

    Why it matters: with a wrong number of parts, readers do not find the checkpoint.

    What to do: `deltaadm alter TABLE --checkpoint` rewrites it, and so does the next checkpoint.

    Source: PROTOCOL.md, Last Checkpoint File.
    """
    pointer, version = checkpoint.pointer, checkpoint.version
    # A version may have several: each writer of a V2 checkpoint gives its own a unique name.
    named = [each.version for each in checkpoint.listing.checkpoints].count(version)
    if not checkpoint.opened or named > 1 or pointer is None or pointer.version != version:
        return
    document, counts = pointer.document or {}, checkpoint.counts
    sizes = [sidecar.size for sidecar in checkpoint.sidecars]
    known = [size for size in sizes if size is not None]
    size = sum(known, sum(file.info.size for file in checkpoint.files))
    # `parts` is only written for a checkpoint in several parts.
    parts = len(checkpoint.files) if _kind(checkpoint) is Kind.MULTIPART else 1
    for key, stated, actual in (
        ("parts", document.get("parts") or 1, parts),
        ("sizeInBytes", document.get("sizeInBytes"), size if known == sizes else None),
        ("size", document.get("size"), None if counts is None else sum(counts.values())),
        ("numOfAddFiles", document.get("numOfAddFiles"), _adds(checkpoint)),
    ):
        if stated is not None and actual is not None and stated != actual:
            fix = (kinds.WriteCheckpoint(),) if checkpoint.chosen else ()
            message = f"It states {key} {stated!r} for version {version}, which has {actual}."
            yield Problem(message, POINTER, fix=fix)


def _adds(checkpoint: CheckpointFacts) -> int | None:
    if checkpoint.counts is None:
        return None
    return checkpoint.counts.get("add", 0) + checkpoint.counts.get("sidecar.add", 0)


def _kind(checkpoint: CheckpointFacts) -> Kind | None:
    return None if checkpoint.checkpoint is None else checkpoint.checkpoint.kind


def _signs_of_v2(checkpoint: CheckpointFacts) -> Iterator[str]:
    if _kind(checkpoint) is Kind.V2_CHECKPOINT:
        yield "a V2 name"
    for name in ("checkpointMetadata", "sidecar"):
        if checkpoint.actions(name):
            yield name


# Version checksums


@rule("DL801", Severity.ERROR, Scope.CHECKSUM)
def broken_checksum(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum is not one JSON object with all required fields.

    Why it matters: readers that trust it fail, or use defaults for what is missing. Very old
    writers left out metadata and protocol; readers then look for them in the log.

    What to do: `deltaadm repair TABLE` moves it aside. Then update the writer.

    Source: PROTOCOL.md, Version Checksum File.
    """
    if checksum.document is None:
        yield Problem(f"It is invalid: {checksum.error}.")
        return
    for key in ("tableSizeBytes", "numFiles", "numMetadata", "numProtocol"):
        if integer(checksum.document.get(key)) is None:
            yield Problem(f"It has no number {key}.")
    for key in ("metadata", "protocol"):
        value = checksum.document.get(key)
        if value is None:
            yield Problem(f"It has no {key}.", severity=Severity.WARNING)
        elif not isinstance(value, dict):
            yield Problem(f"Its {key} is not a JSON object.")


@rule("DL802", Severity.ERROR, Scope.CHECKSUM)
def checksum_of_another_protocol(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The protocol in a version checksum is not that of the log.

    Why it matters: Delta Spark uses this one, so readers disagree about the table's features.

    What to do: `deltaadm repair TABLE` moves that of the newest version aside; others can be
    deleted. Readers work without them.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, DELTA_TXN_LOG_FAILED_INTEGRITY.
    """
    stated, known = (checksum.document or {}).get("protocol"), checksum.state.protocol
    if isinstance(stated, dict) and known is not None and Protocol.from_wire(stated) != known:
        yield Problem("Its protocol is not that of the log.")


@rule("DL803", Severity.ERROR, Scope.CHECKSUM)
def checksum_of_other_metadata(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The metadata in a version checksum is not that of the log.

    Why it matters: Delta Spark uses this one, so readers disagree about schema or properties.

    What to do: `deltaadm repair TABLE` moves that of the newest version aside; others can be
    deleted. Readers work without them.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, DELTA_TXN_LOG_FAILED_INTEGRITY.
    """
    stated, known = (checksum.document or {}).get("metadata"), checksum.state.metadata
    if not isinstance(stated, dict) or known is None:
        return
    if not Metadata.from_wire(stated).says_the_same_as(known):
        yield Problem("Its metadata is not that of the log.")


@rule("DL804", Severity.ERROR, Scope.CHECKSUM)
def wrong_file_totals(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum has a different number of files or bytes than the log.

    Why it matters: either the checksum is wrong, or actions of the log were lost or doubled.

    What to do: compare with a backup before anything else: files may be missing from the table. If
    the log is right, `deltaadm repair TABLE` moves the checksum aside.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, DELTA_TXN_LOG_FAILED_INTEGRITY.
    """
    files = None if checksum.snapshot is None else checksum.snapshot.files
    if files is not None:
        yield from _miscounted(checksum, numFiles=files.files, tableSizeBytes=files.bytes)


@rule("DL805", Severity.ERROR, Scope.CHECKSUM)
def wrong_action_count(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum does not count exactly one protocol and one metaData action.

    Why it matters: every version has exactly one of each, so its writer saw an impossible state.

    What to do: `deltaadm repair TABLE` moves it aside. Find the writer that wrote it.

    Source: PROTOCOL.md, Version Checksum File.
    """
    for key in ("numMetadata", "numProtocol"):
        stated = integer((checksum.document or {}).get(key))
        if stated not in (None, 1):
            yield Problem(f"Its {key} is {stated} instead of 1.")


@rule("DL806", Severity.ERROR, Scope.CHECKSUM)
def wrong_checksum_timestamp(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The in-commit timestamp in a version checksum is missing, unneeded or not the commit's.

    Why it matters: readers use it instead of the commit's, and time travel finds other versions.

    What to do: `deltaadm repair TABLE` moves that of the newest version aside; others can be
    deleted. Readers work without them.

    Source: PROTOCOL.md, Version Checksum File and In-Commit Timestamps.
    """
    if checksum.document is None or checksum.state.metadata is None:
        return
    stated = checksum.document.get("inCommitTimestampOpt")
    inside = None if checksum.commit is None else checksum.commit.in_commit
    if not rules.has_timestamps(checksum.state):
        if stated is not None:
            yield Problem(f"It has {stated!r}, but the table has no in-commit timestamps.")
    elif stated is None:
        yield Problem("It lacks inCommitTimestampOpt.")
    elif inside is not None and stated != inside:
        yield Problem(f"It has {stated!r}, but the commit has {inside}.")


@rule("DL807", Severity.ERROR, Scope.CHECKSUM)
def wrong_transactions_or_domains(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum has other transactions or domains than the log, or a removed domain.

    Why it matters: a stream may repeat or skip a batch; a domain's setting comes back or is lost.

    What to do: `deltaadm repair TABLE` moves that of the newest version aside; others can be
    deleted. Readers work without them.

    Source: PROTOCOL.md, Version Checksum File.
    """
    document, snapshot = checksum.document or {}, checksum.snapshot
    yield from _removed_domains(_objects(document, "domainMetadata"))
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
                yield Problem(f"Its {key} and the log disagree on {odd!r}.")


@rule("DL808", Severity.WARNING, Scope.CHECKSUM)
def inconsistent_size_histogram(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The histogram of file sizes in a version checksum contradicts itself or the totals.

    Why it matters: only statistics use it, but the rest of the checksum may be wrong as well.

    What to do: `deltaadm repair TABLE` moves that of the newest version aside; others can be
    deleted. Readers work without them.

    Source: PROTOCOL.md, File Size Histogram Schema.
    """
    document = checksum.document or {}
    # The name in PROTOCOL.md, and an older one (DL811).
    names = ("fileSizeHistogram", "histogramOpt")
    keys = ("sortedBinBoundaries", "fileCounts", "totalBytes")
    for name in (name for name in names if document.get(name) is not None):
        parts: Any = document[name] if isinstance(document[name], dict) else {}
        boundaries, counts, sizes = lists = [parts.get(key) for key in keys]
        if not all(map(_are_integers, lists)):
            yield Problem(f"Its {name} does not consist of three lists of numbers.")
            continue
        if not len(boundaries) == len(counts) == len(sizes):
            yield Problem(f"Its {name} has lists of different lengths.")
        if boundaries[:1] != [0] or boundaries != sorted(boundaries):
            yield Problem(f"Its {name} has boundaries that do not increase from 0.")
        totals = (("files", "numFiles", counts), ("bytes", "tableSizeBytes", sizes))
        for noun, key, numbers in totals:
            stated = integer(document.get(key))
            if stated is not None and sum(numbers) != stated:
                yield Problem(f"Its {name} counts {sum(numbers)} {noun}, not {stated}.")


@rule("DL809", Severity.WARNING, Scope.CHECKSUM)
def wrong_deletion_counts(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum counts deletion vectors or deleted rows wrongly.

    Why it matters: only statistics use it, but the rest of the checksum may be wrong as well.

    What to do: `deltaadm repair TABLE` moves that of the newest version aside; others can be
    deleted. Readers work without them.

    Source: PROTOCOL.md, Version Checksum File and Deleted Record Counts Histogram Schema.
    """
    document, totals = checksum.document or {}, checksum.totals
    histogram = document.get("deletedRecordCountsHistogramOpt")
    if histogram is not None:
        bins: Any = histogram.get("deletedRecordCounts") if isinstance(histogram, dict) else None
        if not _are_integers(bins) or len(bins) != _BINS:
            yield Problem(f"Its histogram of deleted rows does not have {_BINS} numbers.")
        elif sum(bins) != integer(document.get("numFiles")):
            yield Problem(f"Its histogram of deleted rows counts {sum(bins)} files.")
        elif totals is not None and tuple(bins) != totals.deleted_record_counts:
            yield Problem("Its histogram of deleted rows has files in the wrong bins.")
    if totals is not None:
        vectors, rows = totals.deletion_vectors, totals.deleted_records
        yield from _miscounted(checksum, numDeletionVectorsOpt=vectors, numDeletedRecordsOpt=rows)


def _miscounted(checksum: ChecksumFacts, **actual: int | None) -> Iterator[Problem]:
    for key, number in actual.items():
        stated = integer((checksum.document or {}).get(key))
        if stated is not None and stated != number:
            yield Problem(f"Its {key} is {stated}, but the log has {number}.")


@rule("DL810", Severity.INFO, Scope.SNAPSHOT)
def missing_checksum(facts: SnapshotFacts) -> Iterator[Problem]:
    """
    The newest version has no checksum, although older versions have one.

    Why it matters: without a checksum nobody notices when actions of the log are lost. Checksums
    are optional, but here a writer has stopped writing them, or another one has joined in.

    What to do: nothing, if you know what wrote the newest version (`deltaadm history TABLE`).

    Source: PROTOCOL.md, Version Checksum File.
    """
    newest = facts.snapshot.version
    versions = [file.version or 0 for file in facts.listing.of_kind(Kind.CRC)]
    if versions and newest not in versions:
        message = f"Version {newest} has no checksum; version {max(versions)} has one."
        yield Problem(message, LOG)


@rule("DL811", Severity.INFO, Scope.CHECKSUM)
def old_histogram_name(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    A version checksum has its histogram of file sizes under the older name histogramOpt.

    Why it matters: readers that follow the protocol know only fileSizeHistogram; Delta reads both.

    What to do: nothing.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, Checksum.scala.
    """
    document = checksum.document or {}
    if document.get("histogramOpt") is not None and document.get("fileSizeHistogram") is None:
        yield Problem("It has histogramOpt instead of fileSizeHistogram.")


@rule("DL812", Severity.ERROR, Scope.CHECKSUM)
def wrong_file_list(checksum: ChecksumFacts) -> Iterator[Problem]:
    """
    The list of all files in a version checksum is not that of the log.

    Why it matters: a reader that uses it instead of replaying the log sees a different table.

    What to do: compare with a backup; if the log is right, `deltaadm repair TABLE` moves the
    checksum of the newest version aside. Others can be deleted, readers work without them.

    Source: PROTOCOL.md, Version Checksum File; Delta Spark, DELTA_TXN_LOG_FAILED_INTEGRITY.
    """
    document, totals = checksum.document or {}, checksum.totals
    if totals is None or totals.adds is None or not isinstance(document.get("allFiles"), list):
        return
    listed = map(AddFile.from_wire, _objects(document, "allFiles"))
    for path, _ in _different(_sizes(listed), _sizes(totals.adds)):
        yield Problem(f"Its allFiles and the log disagree on {path!r}.")


def _sizes(files: Iterable[AddFile]) -> Mapping[tuple[str, str], int]:
    """The sizes of *files* by their paths and deletion vectors."""
    vectors = ((file, file.deletion_vector) for file in files)
    return {(file.path, vector.unique_id if vector else ""): file.size for file, vector in vectors}


def _different(
    stated: Mapping[Any, Any], known: Mapping[Any, Any], *, partial: bool = False
) -> list[Any]:
    """The keys that only one side has or that differ; *stated* may lack some if *partial*."""
    # With an expiry, transactions may be missing from the checksum, but must not differ.
    keys = stated.keys() if partial else stated.keys() | known.keys()
    return sorted(key for key in keys if key not in stated or stated[key] != known.get(key, ...))


def _objects(document: Document, key: str) -> list[Document]:
    values = document.get(key)
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def _are_integers(values: Any) -> bool:
    return isinstance(values, list) and all(integer(value) is not None for value in values)
