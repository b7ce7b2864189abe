"""DL1xx: the structure of the log, and what a commit may hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain import steps as kinds
from deltaadm.domain.actions import ACTIONS, DeletionVectorDescriptor
from deltaadm.domain.file_facts import checksums, num_records
from deltaadm.domain.properties import Key, checkpoint_interval, whole_number
from deltaadm.domain.protocol import CATALOG_MANAGED
from deltaadm.domain.snapshot import Kind
from deltaadm.domain.steps import Step
from deltaadm.facts import CommitFacts, CompactionFacts, Line, LogFacts
from deltaadm.json_values import integer
from deltaadm.limits import load_json
from deltaadm.paths import with_upper_escapes
from deltaadm.rules.rule import Problem, Scope, Severity, has_timestamps, rule

if TYPE_CHECKING:
    Actions = list[dict[str, Any]]
    Count = Callable[[Actions, Actions, Actions], tuple[int, ...]]

LOG: Final = "_delta_log"
POINTER: Final = "_last_checkpoint"
_VACUUMED: Final = "_last_vacuum_info"
"""Where Delta Spark notes how far VACUUM LITE has come, which cannot do without it."""

_SKEW: Final = 60_000
"""How far, in ms, a time may go back without a finding: writers' clocks differ."""
_PATIENCE: Final = 10
"""After how many checkpoint intervals a new checkpoint is overdue."""
_COORDINATED: Final = (*CATALOG_MANAGED, "coordinatedCommits-preview")
"""The feature, its name in the preview, and its predecessor."""


@rule("DL100", Severity.ERROR, Scope.LOG)
def unreadable_table(log: LogFacts) -> Iterator[Problem]:
    """
    The newest version cannot be rebuilt from the log, and no other rule names the cause.

    Why it matters: no client can read the table, and the rules about its state cannot run.

    What to do: `deltaadm repair TABLE` says whether it can mend the log, and what it would lose.
    Otherwise restore what is missing from a backup, or load one of the versions that can still be
    rebuilt. If there is no log at all, check the table's location.

    Source: PROTOCOL.md, Reader Requirements; Delta Spark's own refusals.
    """
    if log.failure is not None:
        yield Problem(log.failure.message, remedy=log.failure.remedy)


@rule("DL101", Severity.ERROR, Scope.LOG)
def gap_in_commits(log: LogFacts) -> Iterator[Problem]:
    """
    A commit between the newest checkpoint and the newest version is missing, or the newest one, if
    the log still has its checksum.

    Why it matters: each version is built from all commits before it. Without one of them, the live
    files cannot be determined, and Delta refuses to load the table. Without the newest one, Delta
    shows an older version, and delta-rs refuses to load the table.

    What to do: restore the missing file from a backup, or from where `deltaadm repair TABLE` says
    that its content still is; or go back to an earlier version that can still be rebuilt.

    Source: PROTOCOL.md, Delta Log Entries; Delta Spark, DELTA_VERSIONS_NOT_CONTIGUOUS.
    """
    for file in log.listing.checksums_ahead:
        yield Problem(f"Version {file.number} has a checksum, but no commit.", file.path)
    # A table that loads has no gap that matters: log cleanup removes commits before a checkpoint.
    if log.segment is not None:
        return
    base = _newest_checkpoint(log)
    after = [version for version in log.listing.commits.versions if version > base]
    start = [base] if log.listing.checkpoints else []
    for left, right in pairwise([*start, *after]):
        if right == left:
            yield Problem(f"Two files have the version of commit {left}.", LOG)
        elif right != left + 1:
            yield Problem(f"The log skips from version {left} to {right}.", LOG)


@rule("DL102", Severity.ERROR, Scope.LOG)
def no_beginning(log: LogFacts) -> Iterator[Problem]:
    """
    The log has neither commit 0 nor a complete checkpoint to start from.

    Why it matters: no version can be rebuilt, however many later commits exist.

    What to do: restore the first commits or a checkpoint from a backup. Failing that, create a new
    table from the data files; rows that were deleted may come back.

    Source: Delta Spark, DELTA_TRUNCATED_TRANSACTION_LOG; PROTOCOL.md, Delta Log Entries.
    """
    if log.listing.checkpoints:
        return
    first = next(iter(log.listing.commits.versions), None)
    # A gap behind commit 0 is DL101's.
    if first is None:
        yield Problem("The log has neither a commit nor a complete checkpoint.", LOG)
    elif first > 0:
        yield Problem(
            f"The oldest commit is {first}, and there is no complete checkpoint to start from.", LOG
        )


@rule("DL103", Severity.ERROR, Scope.COMMIT)
def unreadable_line(commit: CommitFacts) -> Iterator[Problem]:
    """
    A line of a commit is not one JSON object with one action, a field is missing or wrong, or there
    is no line at all.

    Why it matters: Delta Spark refuses the whole table if one line is not JSON, one field has the
    wrong type, or one protocol contradicts itself, even if a later one replaces it. It reads one of
    several actions on a line, and skips an action without a path. It is a warning if Delta Spark
    accepts the value, as it does in every field that holds text: other clients may not.

    What to do: compare the file with a backup or the store's older object versions and restore it;
    `deltaadm repair TABLE` moves the newest commit aside if it is torn, and says what would bring
    an older one back. Find the writer, or the interrupted copy, that caused it.

    Source: PROTOCOL.md, Delta Log Entries and Actions.
    """
    protocol, newest = commit.after.protocol, commit.in_effect and commit.in_effect.protocol
    changes = protocol is not commit.before.protocol
    if not commit.lines and not commit.newest:  # that one is DL104's
        yield Problem("The file is empty, which readers take for a commit without actions.")
    if commit.lines.plain and not changes:
        return
    cut_off = _cut_off(commit)
    # That in effect is judged by rules of its own.
    is_replaced = changes and newest not in (None, protocol)
    if is_replaced and protocol and (flaw := protocol.malformation):
        yield Problem(f"Its protocol cannot be decoded: {flaw.message}")
    for line in commit.lines:
        known = [name for name, _ in line.actions if name in ACTIONS]
        if line.spread:
            yield Problem(
                "The JSON of its actions is spread over several lines (pretty-printed).",
                remedy="Restore the file as the writer wrote it. Otherwise, write each of its "
                "actions on its own line (`jq -c . FILE`); nothing else needs to change.",
            )
        elif line.error and line != cut_off:
            place = f"Line {line.number}" if line.number else "The file"
            yield Problem(f"{place} is invalid: {line.error.rstrip('.')}.")
        elif len(known) > 1:
            yield Problem(f"Line {line.number} has several actions: {', '.join(known)}.")
        elif not line.error and (line.odd or not line.actions):
            oddity = f": {line.odd}" if line.odd else " has no action"
            yield Problem(f"Line {line.number}{oddity}.", severity=Severity.WARNING)


@rule("DL104", Severity.ERROR, Scope.COMMIT)
def truncated_newest_commit(commit: CommitFacts) -> Iterator[Problem]:
    """
    The newest commit is empty, or its last line is cut off.

    Why it matters: a commit must appear all at once: the store cannot do that, or a writer or a
    copy was interrupted. The commit is lost, and readers may have seen another state.

    What to do: restore the file if its content is known; otherwise `deltaadm repair TABLE` moves it
    aside. Check that the writer uses the right LogStore for this storage.

    Source: Delta Spark, FAILED_READ_FILE; PROTOCOL.md, Delta Log Entries.
    """
    if commit.newest and not commit.lines:
        yield Problem("The newest commit is empty.")
    elif (last := _cut_off(commit)) is not None:
        yield Problem(f"The newest commit is truncated in line {last.number}: {last.error}.")


@rule("DL105", Severity.ERROR, Scope.LOG)
def unpadded_version(log: LogFacts) -> Iterator[Problem]:
    """
    A file's name has a version without twenty digits, or a part number without ten.

    Why it matters: readers list the log in the order of names, and misplace or skip such a file.
    Delta Spark accepts some of these names, which others ignore: they read different tables.

    What to do: `deltaadm repair TABLE` gives commits their right names where no other file has
    them; rename other files to the padded form, after making sure that they belong to the table.

    Source: PROTOCOL.md, File Types; delta-kernel-rs, path.rs.
    """
    usual = re.compile(r"\d{20}\.(?:json|crc|checkpoint\.parquet)", re.ASCII).fullmatch
    for file in log.listing.named(name for name in log.listing.infos if not usual(name)):
        start = "" if file.version is None else f"{file.version:020d}."
        if file.end is not None:
            start = f"{start}{file.end:020d}."
        elif file.part is not None:
            start = f"{start}checkpoint.{file.part:010d}.{file.parts:010d}."
        name = file.path.rpartition("/")[2]
        if file.version is not None and not name.startswith(start):
            yield Problem(f"The name of this {file.kind.value} is not padded.", file.path)


@rule("DL106", Severity.ERROR, Scope.LOG)
def checkpoint_without_commit(log: LogFacts) -> Iterator[Problem]:
    """
    The newest checkpoint's own commit is missing.

    Why it matters: only the commit says when the version was written and by whom; the checkpoint
    does not. If no later commit exists either, Delta refuses to load the table.

    What to do: restore the commit. If later ones exist, a new commit and a checkpoint will do.

    Source: PROTOCOL.md, Metadata Cleanup; Delta Spark, SnapshotManagement.
    """
    versions = log.listing.commits.versions
    for checkpoint in log.listing.checkpoints[-1:]:
        version = checkpoint.version
        if version not in versions:
            severity = Severity.WARNING if max(versions, default=-1) > version else None
            message = f"The checkpoint is of version {version}, whose commit is missing."
            yield Problem(message, checkpoint.files[0].path, severity=severity)


@rule("DL107", Severity.WARNING, Scope.LOG)
def missing_checkpoint_pointer(log: LogFacts) -> Iterator[Problem]:
    """
    The table has checkpoints, but `_last_checkpoint` is missing.

    Why it matters: readers that look for the newest checkpoint have to list the whole log.

    What to do: `deltaadm repair TABLE` writes the file.

    Source: PROTOCOL.md, Last Checkpoint File.
    """
    if log.pointer is None and log.listing.checkpoints:
        version = _newest_checkpoint(log)
        yield _of_pointer(log, f"It is missing, although version {version} has a checkpoint.")


@rule("DL108", Severity.ERROR, Scope.LOG)
def dangling_checkpoint_pointer(log: LogFacts) -> Iterator[Problem]:
    """
    `_last_checkpoint` points to a checkpoint that is missing or incomplete.

    Why it matters: delta-rs and the Rust kernel look for checkpoints only from that version on, and
    cannot open the table if they find none. Others list the whole log, which is slow. It is a
    warning if a later version has a complete checkpoint.

    What to do: `deltaadm repair TABLE` has the file point to the newest complete checkpoint. If a
    checkpoint was deleted by hand, check that the versions you need can still be rebuilt.

    Source: Delta Spark, SnapshotManagement; delta-kernel-rs, log_segment.rs; PROTOCOL.md, Last
    Checkpoint File.
    """
    version = None if log.pointer is None else log.pointer.version
    if version is not None and version not in _checkpointed(log):
        later = _newest_checkpoint(log) > version
        message = f"It points to version {version}, which has no complete checkpoint."
        yield _of_pointer(log, message, Severity.WARNING if later else None)


@rule("DL109", Severity.WARNING, Scope.LOG)
def stale_checkpoint_pointer(log: LogFacts) -> Iterator[Problem]:
    """
    `_last_checkpoint` points to an older checkpoint than the newest complete one.

    Why it matters: readers that trust the file replay more commits than they need to.

    What to do: `deltaadm repair TABLE` brings the file up to date.

    Source: PROTOCOL.md, Last Checkpoint File.
    """
    version, newest = log.pointer and log.pointer.version, _newest_checkpoint(log)
    if version != newest and version in _checkpointed(log):
        message = f"It points to version {version}, but version {newest} has a checkpoint."
        yield _of_pointer(log, message)


@rule("DL110", Severity.WARNING, Scope.LOG)
def broken_checkpoint_pointer(log: LogFacts) -> Iterator[Problem]:
    """
    `_last_checkpoint` is not a JSON object with a version, or it has a key twice.

    Why it matters: Delta Spark lists the whole log instead, which is slow; some other readers fail.

    What to do: `deltaadm repair TABLE` writes the file again.

    Source: PROTOCOL.md, Last Checkpoint File and JSON checksum.
    """
    if log.pointer is None:
        return
    twice = duplicate_key(log.pointer.text)
    if log.pointer.document is None:
        yield _of_pointer(log, f"It is invalid: {log.pointer.error}.")
    elif twice is not None:
        yield _of_pointer(log, f"It has the key {twice!r} twice.")
    elif integer(log.pointer.document.get("size")) is None:
        yield _of_pointer(log, "It lacks the number of actions in the checkpoint, size.")


@rule("DL111", Severity.WARNING, Scope.LOG)
def wrong_pointer_checksum(log: LogFacts) -> Iterator[Problem]:
    """
    The checksum in `_last_checkpoint` does not match its content.

    Why it matters: the file was edited, or written twice at once. Readers that check it ignore it.

    What to do: `deltaadm repair TABLE` writes the file again.

    Source: PROTOCOL.md, JSON checksum.
    """
    if log.pointer is None or log.pointer.document is None:
        return
    checksum = log.pointer.document.get("checksum")
    if checksum is None or duplicate_key(log.pointer.text) is not None:
        return
    with suppress(ValueError):
        right = checksums(log.pointer.text)
        if not isinstance(checksum, str) or checksum not in right:
            yield _of_pointer(log, f"Its checksum {checksum!r} does not match its content.")


@rule("DL112", Severity.ERROR, Scope.COMMIT, having=["protocol", "metaData"])
def several_protocols_or_metadata(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit holds more than one protocol, or more than one metaData action.

    Why it matters: the protocol allows one of each. Readers disagree about which one is valid.

    What to do: find and fix the writer. Do not edit the commit: another commit with the right
    values makes the newest version unambiguous again.

    Source: PROTOCOL.md, Delta Log Entries.
    """
    for name in ("protocol", "metaData"):
        count = len(commit.actions(name))
        if count > 1:
            yield Problem(f"The commit has {count} {name} actions.")


@rule("DL113", Severity.ERROR, Scope.COMMIT)
def incomplete_first_commit(commit: CommitFacts) -> Iterator[Problem]:
    """
    The first commit lacks the protocol or the metaData action.

    Why it matters: Delta refuses to load the table unless a later commit has what is missing.

    What to do: restore the commit from a backup, or recreate the table.

    Source: PROTOCOL.md, Change Metadata and Protocol Evolution; DELTA_STATE_RECOVER_ERROR.
    """
    if commit.version != 0 or commit.lines.has_errors:
        return
    for name, value in (("protocol", commit.after.protocol), ("metaData", commit.after.metadata)):
        if value is None:
            yield Problem(f"The first commit has no usable {name} action.")


@rule("DL114", Severity.ERROR, Scope.COMMIT, having=["add", "remove"])
def repeated_file_action(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit adds or removes the same file twice, or does both.

    Why it matters: actions of a commit have no order: readers disagree whether the file is live.

    What to do: find and fix the writer. Rewriting the files (OPTIMIZE) settles it.

    Source: PROTOCOL.md, Add File and Remove File; Delta Spark, DELTA_DUPLICATE_ACTIONS_FOUND.
    """
    if len(commit.actions("add")) + len(commit.actions("remove")) == 1:
        return
    files: Counter[tuple[str, str]] = Counter()
    for action in chain(commit.objects("add"), commit.objects("remove")):
        stored, vector = action.get("deletionVector"), ""
        if isinstance(stored, dict) and stored:
            vector = DeletionVectorDescriptor.from_wire(stored).unique_id
        # %2f and %2F are the same character, so the paths name the same file.
        files[with_upper_escapes(str(action.get("path"))), vector] += 1
    for (path, _), count in files.items():
        if count > 1:
            yield Problem(f"The commit has {count} actions for the file {path!r}.")


@rule("DL115", Severity.ERROR, Scope.COMMIT, having=["txn"])
def repeated_transaction(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit has two txn actions of the same application.

    Why it matters: a stream learns from it what it has written, and may repeat or lose a batch.

    What to do: find and fix the writer; check the stream's last batch.

    Source: PROTOCOL.md, Transaction Identifiers.
    """
    yield from _repeated(commit, "txn", "appId")


@rule("DL116", Severity.ERROR, Scope.COMMIT, having=["domainMetadata"])
def repeated_domain(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit has two domainMetadata actions of the same domain.

    Why it matters: readers disagree about which one is valid. Delta refuses to write such a commit.

    What to do: find and fix the writer; another commit with the right value settles it.

    Source: PROTOCOL.md, Domain Metadata; DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR.
    """
    yield from _repeated(commit, "domainMetadata", "domain")


@rule("DL117", Severity.ERROR, Scope.COMMIT, having=["sidecar", "checkpointMetadata"])
def checkpoint_action_in_commit(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit has an action that only checkpoints may have: sidecar or checkpointMetadata.

    Why it matters: readers ignore it or refuse the commit; its information is lost.

    What to do: find and fix the writer.

    Source: PROTOCOL.md, Sidecar File Information and Checkpoint Metadata.
    """
    for name in ("sidecar", "checkpointMetadata"):
        if commit.actions(name):
            yield Problem(f"The commit has {name} actions.")


@rule("DL118", Severity.WARNING, Scope.COMPACTION)
def unfit_compaction(compaction: CompactionFacts) -> Iterator[Problem]:
    """
    A log compaction file has an impossible range, goes beyond the newest commit, cannot be read, or
    differs from the commits that it replaces.

    Why it matters: readers may use it instead of those commits, and fail or see a different table.

    What to do: `deltaadm repair TABLE` moves a wrong one aside. One that goes beyond the newest
    commit may be all that is left of a lost one: look for that first. Any other can be deleted.

    Source: PROTOCOL.md, Log Compaction Files.
    """
    start, end = compaction.file.version or 0, compaction.file.end or 0
    newest = max(compaction.listing.commits.versions, default=-1)
    if compaction.error:
        yield Problem(compaction.error, severity=Severity.ERROR)
    elif compaction.difference:
        message = f"It differs from commits {start} to {end}: {compaction.difference}."
        yield Problem(message, severity=Severity.ERROR)
    elif end <= start:
        # Delta reads one that ends before it starts in addition to the commits.
        severity = Severity.ERROR if end < start else None
        yield Problem(f"It claims to replace commits {start} to {end}.", severity=severity)
    elif end > newest:
        yield Problem(f"It reaches version {end}, but the newest version is {newest}.")


@rule("DL119", Severity.WARNING, Scope.LOG)
def checkpoint_overdue(log: LogFacts) -> Iterator[Problem]:
    """
    Far more commits have piled up since the last checkpoint than the table's interval allows.

    Why it matters: every reader replays all of them, and old log files cannot be cleaned up.

    What to do: write a checkpoint, and find out why the writers do not.

    Source: Delta Spark, delta.checkpointInterval.
    """
    base = _newest_checkpoint(log)
    count = sum(version > base for version in log.listing.commits.versions)
    # A value that is no positive number is DL310's.
    interval = checkpoint_interval(log.state.metadata.configuration if log.state.metadata else {})
    if count > _PATIENCE * interval:
        message = f"{count} commits have no checkpoint after them; the interval is {interval}."
        place = f"configuration[{Key.CHECKPOINT_INTERVAL}]"
        yield Problem(message, place, fix=_write_checkpoint_step(log))


@rule("DL120", Severity.INFO, Scope.LOG)
def stray_staged_commits(log: LogFacts) -> Iterator[Problem]:
    """
    The log has staged commits, but no catalog manages the table's commits.

    Why it matters: nobody will ever publish them. A catalog may have managed the table once.

    What to do: check whether one of them should have been committed; if not, delete them.

    Source: PROTOCOL.md, Catalog-managed tables.
    """
    staged, protocol = log.listing.of_kind(Kind.STAGED), log.state.protocol
    if staged and protocol and not any(map(protocol.supports, _COORDINATED)):
        yield Problem("No catalog publishes the table's staged commits.", staged[0].path)


@rule("DL121", Severity.WARNING, Scope.COMMIT)
def unknown_action(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit has an action that the protocol does not know.

    Why it matters: readers ignore it. A newer writer wrote it, or the name is misspelled.

    What to do: find out which writer wrote it and what it means.

    Source: PROTOCOL.md, Protocol Evolution.
    """
    for name in sorted({*commit.lines.names} - ACTIONS.keys()):
        yield Problem(f"The commit has an action called {name!r}.")


@rule("DL122", Severity.INFO, Scope.LOG)
def unrecognised_file(log: LogFacts) -> Iterator[Problem]:
    """
    The log has a file that does not belong there.

    Why it matters: no client reads it or cleans it up. It may be a log file with the wrong name.

    What to do: delete it if nothing needs it.

    Source: PROTOCOL.md, File Types; Delta Spark, VacuumCommand.scala.
    """
    for file in log.listing.of_kind(Kind.UNKNOWN):
        # Hadoop's checksums of local files begin with a dot, as do other hidden files.
        if not file.path.rpartition("/")[2].startswith(".") and file.path != _VACUUMED:
            yield Problem("This is not a Delta log file.", file.path)


@rule("DL123", Severity.ERROR, Scope.COMMIT)
def missing_in_commit_timestamp(commit: CommitFacts) -> Iterator[Problem]:
    """
    The table has in-commit timestamps, but the commit does not begin with one in a commitInfo.

    Why it matters: Delta fails when it writes the next commit and when it travels in time.

    What to do: stop using the writer. A new commit by another makes the newest version valid.

    Source: PROTOCOL.md, In-Commit Timestamps; Delta Spark, DELTA_MISSING_COMMIT_INFO and
    DELTA_MISSING_COMMIT_TIMESTAMP.
    """
    if not has_timestamps(commit.after):
        return
    if commit.times.in_commit is None:
        yield Problem("The commit has no commitInfo with an inCommitTimestamp.")
    elif commit.lines.names[0] != "commitInfo":
        yield Problem("The commit does not begin with its commitInfo.")


@rule("DL124", Severity.ERROR, Scope.COMMIT)
def timestamp_not_increasing(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit's in-commit timestamp is not later than that of the commit before it.

    Why it matters: time travel searches them as a sorted list, and finds wrong versions.

    What to do: stop using the writer. Commits above the highest timestamp are valid again.

    Source: PROTOCOL.md, In-Commit Timestamps.
    """
    # The commit that turns them on follows one that has none.
    if commit.previous is None or not has_timestamps(commit.before):
        return
    earlier, later = commit.previous.in_commit, commit.times.in_commit
    if earlier is not None and later is not None and later <= earlier:
        yield Problem(f"Its timestamp {later} is not later than {earlier}, the previous one.")


@rule("DL125", Severity.WARNING, Scope.COMMIT)
def time_goes_back(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit is more than a minute older than the commit before it, by its commitInfo or by its
    file's modification time.

    Why it matters: time travel by timestamp goes by the modification times of the files, which
    copying changes, and finds the wrong version. History shows wrong times.

    What to do: synchronize the writers' clocks, and enable in-commit timestamps, which survive
    copying: `deltaadm enable-feature TABLE inCommitTimestamp`.

    Source: Delta Spark, DeltaHistoryManager; PROTOCOL.md, In-Commit Timestamps.
    """
    if commit.previous is None:
        return
    earlier, later = commit.previous, commit.times
    for name, left, right in (
        ("timestamp", earlier.timestamp, later.timestamp),
        ("modification time", earlier.modified, later.modified),
    ):
        if left is None or right is None or left - right <= _SKEW:
            continue
        if not has_timestamps(commit.after):  # asked last: of a long log, hardly ever
            gap = f"{left - right} ms earlier than that of version {earlier.version}"
            yield Problem(f"Its {name} is {gap}.")


@rule("DL126", Severity.ERROR, Scope.COMMIT)
def missing_transaction_id(commit: CommitFacts) -> Iterator[Problem]:
    """
    A catalog manages the table's commits, but the commit has no txnId.

    Why it matters: a writer recognises its own commit by this id; without it, it may commit twice.

    What to do: report it to the provider of the catalog's client.

    Source: PROTOCOL.md, Catalog-managed tables.
    """
    managed = commit.after.supports("catalogManaged")
    if managed and not isinstance(commit.info.get("txnId"), str):
        yield Problem("Its commitInfo has no txnId.")


@rule("DL127", Severity.INFO, Scope.COMMIT)
def missing_commit_info(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit has no commitInfo.

    Why it matters: history cannot say who changed the table, when and how.

    What to do: nothing, or configure the writer to write it.

    Source: PROTOCOL.md, Commit Provenance Information.
    """
    if commit.actions("commitInfo") or not commit.lines or commit.lines.has_errors:
        return
    if not has_timestamps(commit.after):
        yield Problem("The commit does not say who made it, when or how.")


def _of_pointer(log: LogFacts, message: str, severity: Severity | None = None) -> Problem:
    return Problem(message, POINTER, severity=severity, fix=_write_checkpoint_step(log))


def _write_checkpoint_step(log: LogFacts) -> tuple[Step, ...]:
    return () if log.segment is None else (kinds.WriteCheckpoint(),)


def duplicate_key(text: str) -> str | None:
    """A key that an object in the JSON *text* has twice, if any; None if it is no JSON."""
    twice: list[str] = []

    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.append(Counter(key for key, _ in pairs).most_common(1)[0][0])
        return found

    with suppress(ValueError, RecursionError):
        load_json(text, object_pairs_hook=check)
        return next(iter(twice), None)
    return None


def _cut_off(commit: CommitFacts) -> Line | None:
    """The last line of the newest commit, a file that was read, if it is not JSON."""
    last = commit.lines.last if commit.newest else None
    is_cut = last and last.number and last.document is None and not last.spread
    return last if is_cut else None


def _repeated(commit: CommitFacts, name: str, key: str) -> Iterator[Problem]:
    counted = Counter(str(action.get(key)) for action in commit.objects(name))
    for value, count in counted.items():
        if count > 1:
            yield Problem(f"The commit has {count} {name} actions of {value!r}.")


def _checkpointed(log: LogFacts) -> set[int]:
    return {checkpoint.version for checkpoint in log.listing.checkpoints}


def _newest_checkpoint(log: LogFacts) -> int:
    return max(_checkpointed(log), default=-1)


# Operation metrics


ENGINES: Final = ("Apache-Spark/", "Databricks-Runtime/", "delta-rs:")
"""Writers whose metrics are known to count what is compared here; Delta before 1.2 has no name."""

OPERATIONS: Final = frozenset({
    "CONVERT", "CREATE OR REPLACE TABLE AS SELECT", "CREATE TABLE AS SELECT", "DELETE", "MERGE",
    "OPTIMIZE", "REORG", "REPLACE TABLE AS SELECT", "RESTORE", "STREAMING UPDATE", "TRUNCATE",
    "UPDATE", "WRITE",
})  # fmt: skip
"""A CLONE counts the files that it copies, which are not those that it adds."""


@rule("DL128", Severity.WARNING, Scope.COMMIT)
def operation_metrics_mismatch(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit has more or fewer files or rows than its writer counted.

    Why it matters: the file was changed since it was written: rows are lost, or have come back.

    What to do: compare the file with a backup or the store's older object versions, and with the
    data files in storage; restore it if it was changed.

    Source: Delta Spark, DeltaOperations (operationMetrics); delta-rs, operations. Tried with both.
    """
    metrics = commit.info.get("operationMetrics")
    if not isinstance(metrics, dict) or commit.operation not in OPERATIONS:
        return
    engine = commit.info.get("engineInfo", ENGINES[0])
    if not isinstance(engine, str) or not engine.startswith(ENGINES):
        return
    files = [[*commit.objects(each)] for each in ("add", "remove", "cdc")]
    for name in [name for name in _METRICS if name in metrics]:
        # Delta writes it as text, delta-rs as a number.
        value = metrics[name]
        claimed = whole_number(value) if isinstance(value, str) else integer(value)
        noun, count = _METRICS[name]
        counts = count(*files)
        if claimed is None or not counts or claimed in counts:
            continue
        # Delta counts the rows that a replaceWhere copies, delta-rs does not, and Delta counts
        # the empty files that a stream writes and does not commit. Asked last: of a long log,
        # hardly ever.
        parameters = commit.info.get("operationParameters")
        copies = isinstance(parameters, dict) and bool(parameters.get("predicate"))
        has_other_meaning = {
            "numOutputRows": copies or commit.operation == "MERGE",
            "num_added_rows": copies,
            "numAddedFiles": commit.operation == "STREAMING UPDATE",
        }
        if not has_other_meaning.get(name):
            yield Problem(f"{name} is {claimed}, but the commit has {counts[0]} {noun}.")


def _rows(adds: Actions) -> tuple[int, ...]:
    """The rows in the files that a commit adds; empty where a file's statistics do not tell."""
    texts = [action.get("stats") for action in adds]
    counts = [num_records(text if isinstance(text, str) else None) for text in texts]
    known = [count for count in counts if count is not None]
    return (sum(known),) if len(known) == len(counts) else ()


def _new(actions: Actions, others: Actions) -> int:
    """How many files *actions* name that *others* do not."""
    named, elsewhere = ({str(action.get("path")) for action in of} for of in (actions, others))
    return len(named - elsewhere)


def _vectors(actions: Actions) -> tuple[int, ...]:
    return (sum(bool(action.get("deletionVector")) for action in actions),)


_COUNTED: Final[tuple[tuple[str, Count, str], ...]] = (
    ("add actions", lambda adds, _, __: (len(adds),),
     "numConvertedFiles numRestoredFiles numRestoredFile numFilesAdded"),
    # Alone or, as delta-rs counts them, with change data files.
    ("add actions", lambda adds, _, changes: (len(adds), len(adds) + len(changes)),
     "num_added_files num_target_files_added"),
    # Without those that only get another deletion vector.
    ("new files", lambda adds, removes, _: (_new(adds, removes),),
     "numTargetFilesAdded numAddedFiles"),
    # DELETE and MERGE leave out files that get another deletion vector, UPDATE does not.
    ("remove actions", lambda adds, removes, _: (len(removes), _new(removes, adds)),
     ("numTargetFilesRemoved numRemovedFiles numRemovedFile numFilesRemoved num_removed_files "
      "num_target_files_removed")),
    ("add actions with a deletion vector", lambda adds, _, __: _vectors(adds),
     "numDeletionVectorsAdded numTargetDeletionVectorsAdded"),
    ("remove actions with a deletion vector", lambda _, removes, __: _vectors(removes),
     "numDeletionVectorsRemoved numTargetDeletionVectorsRemoved"),
    ("rows in the files that it adds", lambda adds, _, __: _rows(adds),
     "numOutputRows num_added_rows"),
)  # fmt: skip
"""What is counted, the values allowed for it, and the metrics of Delta Spark and delta-rs."""

_METRICS: Final = {name: (noun, count) for noun, count, names in _COUNTED for name in names.split()}
