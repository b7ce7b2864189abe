"""Damage of checkpoints, of the pointer to them, and of checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, Final

import deltaadm.rules.checkpoints
import deltaadm.rules.log  # noqa: F401 -- registers its rules
from deltaadm import facts
from deltaadm.dataclass import replace
from deltaadm.domain.properties import Key, is_true
from deltaadm.domain.snapshot import (
    Checkpoint,
    FileFacts,
    Kind,
    LogFile,
    LogListing,
    LogSegment,
    Snapshot,
)
from deltaadm.domain.steps.properties import require_checkpointable
from deltaadm.errors import DeltaadmError, RefusedError, TableError
from deltaadm.json_values import compact
from deltaadm.limits import load_json
from deltaadm.plans.checkpoint import (
    HINT,
    LiveRow,
    State,
    TableState,
    alone,
    has_v2_checkpoints,
    pointer_to,
)
from deltaadm.plans.repair.repair import (
    Case,
    CommitEvidence,
    Operation,
    Repair,
    View,
    move_aside,
    point,
    rebuild,
    refused,
    sha256,
    write_file,
)
from deltaadm.replay.checkpoints import CheckpointReader
from deltaadm.replay.commits import json_object
from deltaadm.replay.embedded import Replay, live_files
from deltaadm.replay.examine import Depth, examine, read_pointer
from deltaadm.replay.examine_checkpoints import CheckpointExaminer
from deltaadm.replay.reconcile import Detail, UnreadableCheckpointError, canonical_path
from deltaadm.replay.totals import TotalsBuilder
from deltaadm.rules.rule import DAY, RULES, Severity

_KIND: Final = "checkpoint"
_LARGE: Final = 1 << 24
"""Bytes of an older checkpoint of which no more than the structure is looked at."""
_NAMED: Final = 3
_LOOKED_UP: Final = 100
"""Data files that are looked up in storage when commits and a checkpoint differ in them."""
_DAMAGED_COMMITS: Final = ("DL103", "DL104", "DL114", "DL128")
"""The rules that find commits which somebody has changed or cut off."""
_KEPT: Final = "the original, in the quarantine, and all commits"
_RESTORE: Final = (
    "Restore it from a backup or, if the bucket keeps versions of objects, from its earlier "
    "version."
)


def find_checkpoints(case: Case) -> Iterator[Repair]:
    """Checkpoints that readers cannot use, or must not, from the oldest to the newest."""
    for files in case.listing.incomplete_checkpoints:
        version, parts = files[0].number, files[0].parts
        rule, wrong = "DL612", f"The checkpoint {files[0].path} is empty."
        if parts is not None:
            there = {file.part for file in files if file.info.size}
            lost = ", ".join(str(part) for part in range(1, parts + 1) if part not in there)
            rule = "DL601"
            wrong = f"The checkpoint of version {version} lacks part {lost} of {parts}."
        yield _unusable(case, rule, wrong, files)
    for checkpoint in case.listing.checkpoints:
        yield from _judged(case, checkpoint)


def _unusable(case: Case, rule: str, wrong: str, files: Sequence[LogFile]) -> Repair:
    """The repair of *files* that no reader can use as a checkpoint."""
    version, remedy = files[0].number, _RESTORE
    older = _by_older_files(case, version)
    if not isinstance(older, str) and not all(file.info.regular for file in files):
        older = "one of its files is not a regular file"
    if isinstance(older, str):
        refusal = f"it cannot be rebuilt, and is the only source of versions from {version} on"
        refusal, remedy = f"{refusal}, since {older}", f"{_RESTORE}{_right_versions(case, version)}"
    elif doubt := next(_doubts(case, older[0]), ""):
        refusal = f"the commits from which it would be rebuilt are damaged: {doubt}"
    else:
        operations = _replacement(case, older[0], [file.path for file in files])
        unproved = _unproved(case, older[0])
        return Repair(_KIND, rule, wrong, operations, _KEPT, unproved=unproved)
    return refused(_KIND, rule, wrong, refusal, remedy)


def _judged(case: Case, checkpoint: Checkpoint) -> Iterator[Repair]:
    """The repair of a whole checkpoint; none where it is right, as far as can be told."""
    version, names = checkpoint.version, [file.path for file in checkpoint.files]
    stated, files = _stated(case, version), _DifferingFiles()
    try:
        reader = CheckpointReader(case.view, checkpoint)
        is_newest = checkpoint == case.listing.checkpoints[-1]
        if not is_newest and sum(file.info.size for file in checkpoint.files) > _LARGE:
            reader.columns(names)
            return
        for name in reader.file_paths():
            reader.require_whole(name)
        if isinstance(_older_files(case, version), str):
            # To count is quicker, and exact but for what it has twice.
            counted = _snapshot(case, alone(checkpoint), Detail.STATE).files or FileFacts()
            if stated in {None, (counted.files, counted.bytes)}:
                return
        actual = case.view.state(alone(checkpoint), files.take_theirs)
    except TableError as error:
        wrong = error.message
        if not wrong.startswith("The checkpoint of"):
            wrong = f"Version {version}: {wrong}"
        yield _unusable(case, "DL612", wrong, checkpoint.files)
        return
    found = _totals(actual)
    older = _by_older_files(case, version, files.take_ours)
    if isinstance(older, str):
        if stated is not None and stated != found:
            wrong = f"The checkpoint of version {version} has {_words(found)}, but the checksum of "
            wrong += f"the version says {_words(stated)}."
            reason = f"it is the only source of the version, since {older}"
            remedy = f"{_RESTORE}{_right_versions(case, version)}"
            yield refused(_KIND, "DL609", wrong, reason, remedy)
        return
    segment, expected = older
    differing = expected.differences(actual)
    if "txn" in differing:
        stored = _snapshot(case, segment).metadata.configuration
        if "delta.setTransactionRetentionDuration" in stored:  # they may have expired
            differing = tuple(part for part in differing if part != "txn")
    if differing:
        yield _settled(
            case,
            checkpoint,
            segment,
            differing,
            files,
            confirms_older=stated == _totals(expected),
            confirms_checkpoint=stated == found,
        )


def _settled(
    case: Case,
    checkpoint: Checkpoint,
    older: LogSegment,
    differing: tuple[str, ...],
    files: _DifferingFiles,
    *,
    confirms_older: bool,
    confirms_checkpoint: bool,
) -> Repair:
    """
    The repair of a checkpoint that can be read, and differs from *older* files in these actions.

    The checksum of the version may confirm either.
    """
    version = checkpoint.version
    ours, theirs, agreed = files.ours, files.theirs(case.view, checkpoint), files.agreed
    lacking = sorted(path for path, _ in ours.keys() - theirs.keys())
    extra = sorted(path for path, _ in theirs.keys() - ours.keys())
    wrong = (
        f"The checkpoint of version {version} differs from the older files in "
        f"{', '.join(differing)}{_named('lacks', lacking)}{_named('has', extra)}."
    )
    unproved = () if confirms_older else _unproved(case, older)
    refusal = ""
    if unproved and (confirms_checkpoint or extra):
        other = "the older checkpoint from which the other state comes"
        refusal = f"nothing tells whether it is wrong or {other}"
    elif not confirms_older or confirms_checkpoint:
        # If not even a file that both have is there, storage tells nothing.
        has_files = agreed is not None and case.store.data_size(agreed) is not None
        doubts = chain(
            _doubts(case, older),
            _doubts_by_storage(case, ours.values() if has_files else ()),
            _doubts_by_removals(
                case, older, [theirs[key] for key in theirs if key not in ours], has_files=has_files
            ),
        )
        if confirms_checkpoint and not confirms_older:
            doubts = chain(("the checksum of the version agrees with the checkpoint",))
        if doubt := next(doubts, ""):
            refusal = f"perhaps it is right, and the commits are damaged: {doubt}"
        elif not (ours and has_files):
            unproved += ("That the commits are as they were written: no checksum confirms them.",)
    if refusal:
        remedy = f"Compare both with a backup. {_RESTORE}"
        return refused(_KIND, "DL609", wrong, refusal, remedy)
    newest, effect = version == case.listing.checkpoints[-1].version, ""
    if newest and (lacking or extra):
        seen = [f"{_files(len(lacking))} more"] * bool(lacking)
        seen += [f"{_files(len(extra))} fewer"] * bool(extra)
        effect = f"Readers will see {' and '.join(seen)}."
    operations = _replacement(case, older, [file.path for file in checkpoint.files])
    alters = differing if newest else ()
    return Repair(_KIND, "DL609", wrong, operations, _KEPT, alters, effect, unproved)


# Where the state comes from


def _older_files(case: Case, version: int) -> LogSegment | str:
    """The older files that make *version*; or a clause that says why none do."""
    try:
        return case.listing.segment(version, before=version)
    except TableError as error:
        return _clause(error)


def _by_older_files(
    case: Case, version: int, take: Callable[[LiveRow], object] | None = None
) -> tuple[LogSegment, TableState] | str:
    """The same with the state that they make, whose live files *take* is called with."""
    segment = _older_files(case, version)
    if isinstance(segment, str):
        return segment
    try:
        return segment, case.view.state(segment, take)
    except TableError as error:
        return _clause(error)


def _clause(error: TableError) -> str:
    return f"{error.message[:1].lower()}{error.message[1:].rstrip('.')}"


def _unproved(case: Case, segment: LogSegment) -> tuple[str, ...]:
    """What nobody can prove of *segment*: that its checkpoint is what all commits before it say."""
    base = segment.checkpoint
    if base is None:
        return ()
    older = _by_older_files(case, base.version)
    if not isinstance(older, str) and not _unproved(case, older[0]):
        with suppress(TableError):
            if not older[1].differences(case.view.state(alone(base))):
                return ()
    right = f"That the checkpoint of version {base.version} is right, from which the state comes"
    return (f"{right}: the commits before it are gone.",)


def _stated(case: Case, version: int) -> tuple[int, int] | None:
    """The numbers of live files and their bytes by the checksum of *version*, if it has them."""
    try:
        document = load_json(case.view.read(f"{version:020d}.crc"))
        numbers = document["numFiles"], document["tableSizeBytes"]
    except (DeltaadmError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return numbers if all(type(number) is int for number in numbers) else None


def _totals(state: TableState) -> tuple[int, int]:
    return state.counts.get("add", 0), state.bytes


def _words(totals: tuple[int, int]) -> str:
    return f"{totals[0]:,} live files of {totals[1]:,} bytes"


class _DifferingFiles:
    """The live files that either a checkpoint or the older files have, once both were read."""

    def __init__(self) -> None:
        self._theirs = set[int]()
        self.ours: dict[tuple[str, str | None], LiveRow] = {}
        self.agreed: str | None = None
        """The path of a file that both have."""

    def take_theirs(self, row: LiveRow) -> None:
        """A live file of the checkpoint, all of which come first."""
        self._theirs.add(hash(row.said))

    def take_ours(self, row: LiveRow) -> None:
        """One of the older files."""
        if (said := hash(row.said)) in self._theirs:
            self._theirs.discard(said)
            self.agreed = self.agreed or row.path
        else:
            self.ours[row.key] = row

    def theirs(self, view: View, checkpoint: Checkpoint) -> dict[tuple[str, str | None], LiveRow]:
        """Those of *checkpoint*, which is read again if there are any."""
        rows = State(view, alone(checkpoint)).live_files() if self._theirs else ()
        return {row.key: row for row in rows if hash(row.said) in self._theirs}


def _snapshot(case: Case, segment: LogSegment, detail: Detail = Detail.PROTOCOL) -> Snapshot:
    """Protocol and metadata, or all of the state, by the log alone."""
    return Replay(case.view, replace(segment, crc=None)).outcome(detail)


def _doubts(case: Case, segment: LogSegment) -> Iterator[str]:
    """What shows that a commit of *segment* is not as it was written."""
    doubts = _evidence(case).doubts
    for file in segment.commits:
        if file.number in doubts:
            yield f"version {file.number}: {doubts[file.number]}"


def _evidence(case: Case) -> CommitEvidence:
    """What the commits of the log tell, which are read once."""
    if case.evidence is None:
        case.evidence = found = CommitEvidence()
        added = set[int]()
        for fact in examine(case.view, Depth(history=True, files=False), now=case.now):
            if isinstance(fact, facts.CheckpointFacts):  # after all commits
                break
            if not isinstance(fact, facts.CommitFacts):
                continue
            if not fact.names:
                found.doubts[fact.version] = "the commit is empty"
            for _, message in _broken(_DAMAGED_COMMITS, fact):
                found.doubts[fact.version] = message
            added.update(_hashed(case, action) for action in fact.objects("add"))
            for action in fact.objects("remove"):
                file = _hashed(case, action)
                found.removed.setdefault(file, fact.version)
                if file not in added:
                    found.unknown.append((fact.version, file, str(action.get("path"))))
        # Of two that are the same to the letter, one has taken the place of another.
        first: dict[str | None, int] = {}
        for log_file in case.listing.commits:
            other = first.setdefault(sha256(case.view, log_file.path), log_file.number)
            if other != log_file.number:
                found.doubts[log_file.number] = f"it is a copy of version {other}"
                found.doubts[other] = f"it is a copy of version {log_file.number}"
    return case.evidence


def _hashed(case: Case, action: Mapping[str, Any]) -> int:
    return hash(canonical_path(str(action.get("path")), case.view.qualifier))


def _doubts_by_storage(case: Case, disputed: Iterable[LiveRow]) -> Iterator[str]:
    for file in islice(disputed, _LOOKED_UP):
        size = case.store.data_size(file.path)
        if size != file.size:
            has = "is not in storage" if size is None else f"has {size:,} bytes, not {file.size:,}"
            yield f"{file.path}, which they add, {has}"


def _doubts_by_removals(
    case: Case, segment: LogSegment, unknown: Sequence[LiveRow], *, has_files: bool
) -> Iterator[str]:
    """
    A file that the commits remove and nothing has added, or one of *unknown* that they do not.

    The second kind is live by the checkpoint alone, so that a commit may have lost it; unless
    storage *has_files* of the table and not that one.
    """
    while (base := segment.checkpoint) is not None:  # what it leaves out, older commits may tell
        try:
            segment = case.listing.segment(segment.version, before=base.version)
        except TableError:
            break
    found, since = _evidence(case), base.version if base else -1
    unknown_to_commits = {
        file: f"version {version} removes {path}, which nothing has added"
        for version, file, path in found.unknown
        if since < version <= segment.version
    }
    for row in State(case.view, alone(base)).live_files() if base and unknown_to_commits else ():
        unknown_to_commits.pop(hash(row.key[0]), None)
    yield from unknown_to_commits.values()
    for row in unknown[:_LOOKED_UP]:
        is_gone = has_files and case.store.data_size(row.path) is None
        removed = found.removed.get(hash(row.key[0]), segment.version + 1) <= segment.version
        if not (removed or is_gone):
            yield f"none of them adds or removes {row.path}, which the checkpoint has"


def _named(verb: str, paths: Sequence[str]) -> str:
    if not paths:
        return ""
    what = _files(len(paths)) if verb == "lacks" else f"{_files(len(paths))} too many"
    return f"; it {verb} {what}, among them {', '.join(paths[:_NAMED])}"


def _files(number: int) -> str:
    return f"{number:,} live file{'' if number == 1 else 's'}"


def _right_versions(case: Case, version: int) -> str:
    """A sentence about the versions that do not rest on the checkpoint of *version*."""
    commits = case.listing.commits.until(version - 1)
    bases = [found.version for found in case.listing.checkpoints if found.version < version]
    if commits and (bases or commits[0].number == 0):
        return f" Versions before {version} that history lists are not affected."
    return f" No version before {version} can be loaded any more."


# What is done


def _replacement(case: Case, older: LogSegment, names: Sequence[str]) -> tuple[Operation, ...]:
    snapshot, version = _snapshot(case, older), older.version
    classic = f"{version:020d}.checkpoint.parquet"
    try:
        require_checkpointable(snapshot)
    except RefusedError:  # the commits say the same without one
        return move_aside(*names)
    for found in case.listing.checkpoints:
        if found.version == version and not {file.path for file in found.files} & {*names}:
            return move_aside(*names)
    if classic in names and not has_v2_checkpoints(snapshot):
        return rebuild(version, classic), *move_aside(*[name for name in names if name != classic])
    return rebuild(version), *move_aside(*names)


_LAST: Final = 100
"""Older checksums that are looked at: writers and readers use those of the newest versions."""
_POINTER_RULES: Final = ("DL107", "DL110", "DL108", "DL109", "DL111")
_CHECKSUM_RULES: Final = (
    "DL801", "DL802", "DL803", "DL804", "DL805", "DL806", "DL807", "DL808", "DL809", "DL812",
)  # fmt: skip


# What only helps readers: `_last_checkpoint` and version checksums


def find_pointer(case: Case) -> Iterator[Repair]:
    """A pointer that is missing, cannot be read, or says what is not so."""
    checkpoints, pointer = case.listing.checkpoints, read_pointer(case.view)
    newest = max((found.version for found in checkpoints), default=-1)
    if max(case.view.rebuilt, default=-1) > newest:
        return  # who writes the newest checkpoint has the pointer follow
    log = facts.LogFacts(
        listing=case.listing,
        pointer=pointer,
        segment=None,
        failure=None,
        versions=None,
        state=facts.State(version=newest),
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


def find_orphan_sidecars(case: Case) -> Iterator[Repair]:
    """Sidecars that no checkpoint names, which are only reported."""
    infos = {**case.listing.infos, **case.store.list_directory("_sidecars")}
    listing = LogListing.of(case.view.root, infos)
    examiner = CheckpointExaminer(
        store=case.view, listing=listing, pointer=None, chosen=None, deep=False, now=case.now
    )
    orphans = examiner.orphans() or ()
    if old := sorted(file.path for file in orphans if file.info.modified < case.now - DAY):
        wrong = f"{len(old)} sidecars belong to no checkpoint, among them "
        wrong += f"{', '.join(old[:_NAMED])}. They only take up space."
        yield Repair("sidecar", "DL615", wrong)


def find_checksums(case: Case) -> Iterator[Repair]:
    """A checksum of the newest version that is wrong, and others that cannot be read."""
    files = case.listing.of_kind(Kind.CRC)
    snapshot = case.view.loaded if files else None
    for file in files[-_LAST:] if snapshot else ():  # else nothing tells what they should say
        try:
            document, error = json_object(case.view.read(file.path))
        except TableError as unread:
            document, error = None, unread.message.rstrip(".")
        checksum = facts.ChecksumFacts(
            file=file, document=document, error=error, state=facts.State(version=file.number)
        )
        operations = move_aside(file.path)
        if snapshot and file.number == snapshot.version:
            state = facts.State.of(snapshot)
            totals = _recounted(case, snapshot) if _COUNTED & (document or {}).keys() else None
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


def _recounted(case: Case, snapshot: Snapshot) -> facts.FileTotals:
    segment = snapshot.segment
    assert segment is not None  # noqa: S101 -- a loaded snapshot has one
    builder = TotalsBuilder(snapshot.files or FileFacts(), case.view.qualifier)
    for add in live_files(case.view, segment):
        builder.add(add)
    return builder.totals(lambda: live_files(case.view, segment))


def _broken(
    codes: Iterable[str], fact: facts.LogFacts | facts.CommitFacts | facts.ChecksumFacts
) -> Iterator[tuple[str, str]]:
    """The rules that find something, and what they say; of checksums, no mere warnings."""
    for code in codes:
        for problem in RULES[code].check(fact):
            if not (isinstance(fact, facts.ChecksumFacts) and problem.severity is Severity.WARNING):
                yield code, problem.message


def _right(snapshot: Snapshot) -> dict[str, Any]:
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
