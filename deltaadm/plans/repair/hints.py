"""Damage of what only helps readers: `_last_checkpoint` and version checksums."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain.properties import Key, is_true
from deltaadm.domain.snapshot import FileFacts, Kind
from deltaadm.errors import TableError
from deltaadm.facts import ChecksumFacts, LogFacts, State
from deltaadm.json_values import compact
from deltaadm.plans.checkpoint import HINT, pointer_to
from deltaadm.plans.repair.repair import Repair, move_aside, point, write_file
from deltaadm.replay.commit_lines import json_object
from deltaadm.replay.embedded import live_files
from deltaadm.replay.examine import read_pointer
from deltaadm.replay.reconcile import UnreadableCheckpointError
from deltaadm.replay.totals import TotalsBuilder
from deltaadm.rules import checkpoints as checksum_rules
from deltaadm.rules import log as rules
from deltaadm.rules.rule import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.facts import FileTotals
    from deltaadm.plans.repair.case import Case
    from deltaadm.rules.rule import Problem

_LAST: Final = 100
"""Older checksums that are looked at: writers and readers use those of the newest versions."""
_POINTER_RULES: Final = {
    "DL107": rules.missing_checkpoint_pointer, "DL110": rules.broken_checkpoint_pointer,
    "DL108": rules.dangling_checkpoint_pointer, "DL109": rules.stale_checkpoint_pointer,
    "DL111": rules.wrong_pointer_checksum,
}  # fmt: skip
_CHECKSUM_RULES: Final = {
    "DL801": checksum_rules.broken_checksum, "DL802": checksum_rules.checksum_of_another_protocol,
    "DL803": checksum_rules.checksum_of_other_metadata, "DL804": checksum_rules.wrong_file_totals,
    "DL805": checksum_rules.wrong_action_count, "DL806": checksum_rules.wrong_checksum_timestamp,
    "DL807": checksum_rules.wrong_transactions_or_domains,
    "DL808": checksum_rules.inconsistent_size_histogram,
    "DL809": checksum_rules.wrong_deletion_counts, "DL812": checksum_rules.wrong_file_list,
}  # fmt: skip


def find_pointer(case: Case) -> Iterator[Repair]:
    """A pointer that is missing, cannot be read, or says what is not so."""
    checkpoints, pointer = case.listing.checkpoints, read_pointer(case.view)
    newest = max((found.version for found in checkpoints), default=-1)
    if max(case.view.rebuilt, default=-1) > newest:
        return  # who writes the newest checkpoint has the pointer follow
    log = LogFacts(
        listing=case.listing,
        pointer=pointer,
        segment=None,
        failure=None,
        versions=None,
        state=State(version=newest),
        now=case.now,
    )
    rule, wrong = next(_broken(_POINTER_RULES, log), ("", ""))
    if not wrong and pointer is not None and pointer.document:
        with suppress(UnreadableCheckpointError):  # which is the damage of the checkpoint
            right = pointer_to(case.view, checkpoints[-1])
            for key, found in (("parts", right.parts), ("numOfAddFiles", right.adds)):
                stated = pointer.document.get(key)
                if stated != found and (stated is not None or key == "parts"):
                    rule, wrong = "DL616", f"Its {key} is {stated}, but the checkpoint has {found}."
    if wrong:
        operations = (point(newest),) if checkpoints else move_aside(HINT)
        kept = "all commits and checkpoints; the file is a hint for readers"
        yield Repair("pointer", rule, wrong, operations, kept)


def find_checksums(case: Case) -> Iterator[Repair]:
    """A checksum of the newest version that is wrong, and others that cannot be read."""
    files = case.listing.of_kind(Kind.CRC)
    try:
        snapshot = case.view.snapshot if files else None
    except TableError:  # nothing tells what they should say
        return
    for file in files[-_LAST:]:
        try:
            document, error = json_object(case.view.read(file.path))
        except TableError as unread:
            document, error = None, unread.message.rstrip(".")
        checksum = ChecksumFacts(
            file=file, document=document, error=error, state=State(version=file.number)
        )
        operations = move_aside(file.path)
        if snapshot is not None and file.number == snapshot.version:
            protocol, metadata = snapshot.protocol, snapshot.metadata
            state = State(version=snapshot.version, protocol=protocol, metadata=metadata)
            totals = _totals(case, snapshot) if _COUNTED & (document or {}).keys() else None
            checksum = replace(checksum, state=state, snapshot=snapshot, totals=totals)
            what = f"what replay finds in version {snapshot.version}"
            body = compact(_right(snapshot)).encode()
            operations = (write_file(file.path, body, what),)
        elif document is not None:
            continue
        for rule, message in _broken(_CHECKSUM_RULES, checksum):
            wrong = f"The checksum {file.path} is wrong: {message[:1].lower()}{message[1:]}"
            kept = "the original, in the quarantine; readers do without"
            yield Repair("checksum", rule, wrong, operations, kept)
            break


_COUNTED: Final = {
    "allFiles", "numDeletedRecordsOpt", "numDeletionVectorsOpt", "deletedRecordCountsHistogramOpt",
}  # fmt: skip
"""What of a checksum takes a look at every file to judge."""


def _totals(case: Case, snapshot: Snapshot) -> FileTotals:
    segment = snapshot.segment
    assert segment is not None  # noqa: S101 -- a loaded snapshot has one
    builder = TotalsBuilder(snapshot.files or FileFacts(), case.view.qualifier)
    for add in live_files(case.view, segment):
        builder.add(add)
    return builder.totals(lambda: live_files(case.view, segment))


def _broken(
    checks: Mapping[str, Callable[[Any], Iterator[Problem]]], facts: LogFacts | ChecksumFacts
) -> Iterator[tuple[str, str]]:
    """The codes of *checks* that find something in a file, and what they say."""
    for code, check in checks.items():
        for problem in check(facts):
            if isinstance(facts, LogFacts) or problem.severity is not Severity.WARNING:
                yield code, problem.message


def _right(snapshot: Snapshot) -> dict[str, Any]:
    """The checksum of *snapshot*, with all that is known of it."""
    files, info = snapshot.files, snapshot.commit_info
    right: dict[str, Any] = {
        "tableSizeBytes": 0 if files is None else files.bytes,
        "numFiles": 0 if files is None else files.files,
        "numMetadata": 1,
        "numProtocol": 1,
        "setTransactions": [each.to_wire() for each in (snapshot.transactions or {}).values()],
        "domainMetadata": [each.to_wire() for each in (snapshot.domains or {}).values()],
        "metadata": snapshot.metadata.to_wire(),
        "protocol": snapshot.protocol.to_wire(),
    }
    if is_true(snapshot.metadata.configuration, Key.IN_COMMIT_TIMESTAMPS):
        stamp = None if info is None else info.in_commit_timestamp
        right |= {} if stamp is None else {"inCommitTimestampOpt": stamp}
    return right
