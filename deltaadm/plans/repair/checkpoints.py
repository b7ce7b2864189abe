"""Damage of checkpoints, of the pointer to them, and of checksums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import deltaadm.rules.checkpoints
import deltaadm.rules.log  # noqa: F401 -- registers its rules
from deltaadm.dataclass import replace
from deltaadm.domain.actions import AddFile
from deltaadm.domain.properties import Key, is_true
from deltaadm.domain.snapshot import Checkpoint, FileFacts, Kind, LogFile, LogSegment, Snapshot
from deltaadm.domain.steps.properties import require_checkpointable
from deltaadm.errors import DeltaadmError, RefusedError, TableError
from deltaadm.facts import ChecksumFacts, CommitFacts, FileTotals, LogFacts, State
from deltaadm.json_values import compact
from deltaadm.limits import load_json
from deltaadm.plans.checkpoint import (
    HINT,
    TableState,
    alone,
    has_v2_checkpoints,
    pointer_to,
    state_of,
)
from deltaadm.plans.repair.repair import (
    Case,
    Operation,
    Repair,
    move_aside,
    point,
    rebuild,
    refused,
    sha256,
    write_file,
)
from deltaadm.replay.checkpoints import CheckpointReader, sidecar_path
from deltaadm.replay.commit_lines import CommitLines, json_object
from deltaadm.replay.embedded import Replay, live_files
from deltaadm.replay.examine import Depth, examine, read_pointer
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
    complete = case.listing.checkpoints
    for files in case.listing.incomplete_checkpoints:
        version, parts = files[0].number, files[0].parts
        rule, wrong = "DL612", f"The checkpoint {files[0].path} is empty."
        if parts is not None:
            there = {file.part for file in files if file.info.size}
            lost = ", ".join(str(part) for part in range(1, parts + 1) if part not in there)
            rule, wrong = (
                "DL601",
                f"The checkpoint of version {version} lacks part {lost} of {parts}.",
            )
        yield _unusable(case, rule, wrong, files)
    for checkpoint in complete:
        yield from _judged(case, checkpoint, newest=checkpoint is complete[-1])


def _unusable(
    case: Case, rule: str, wrong: str, files: Sequence[LogFile], older: LogSegment | None = None
) -> Repair:
    """The repair of *files* that no reader can use as a checkpoint; *older* ones give its state."""
    version = files[0].number
    is_regular = all(file.info.regular for file in files)
    try:
        older = older or _by_older_files(case, version)[0]
        why = "" if is_regular else "one of its files is not a regular file"
    except TableError as error:
        why = _clause(error)
    if why or older is None:
        since = f"is the only source of versions from {version} on, since {why}"
        remedy = f"{_RESTORE}{_right_versions(case, version)}"
        return refused(_KIND, rule, wrong, f"it cannot be rebuilt, and {since}", remedy)
    if doubt := _doubt(case, older):
        refusal = f"the commits from which it would be rebuilt are damaged: {doubt}"
        return refused(_KIND, rule, wrong, refusal, _RESTORE)
    operations = _replacement(case, older, [file.path for file in files])
    return Repair(_KIND, rule, wrong, operations, _KEPT, unproved=_unproved(case, older))


def _unreadable(
    case: Case, checkpoint: Checkpoint, error: TableError, older: LogSegment | None = None
) -> Repair:
    wrong = error.message
    if not wrong.startswith("The checkpoint of"):
        wrong = f"Version {checkpoint.version}: {wrong}"
    return _unusable(case, "DL612", wrong, checkpoint.files, older)


def _judged(case: Case, checkpoint: Checkpoint, *, newest: bool) -> Iterator[Repair]:
    """The repair of a whole checkpoint; none where it is right, as far as can be told."""
    version, names = checkpoint.version, [file.path for file in checkpoint.files]
    try:
        reader = CheckpointReader(case.view, checkpoint)
        if not newest and sum(file.info.size for file in checkpoint.files) > _LARGE:
            reader.columns(names)
            return
        for name in reader.file_paths():
            reader.require_whole(name)
    except TableError as error:
        yield _unreadable(case, checkpoint, error)
        return
    try:
        older, expected = _by_older_files(case, version)
    except TableError as error:
        yield from _judged_alone(case, checkpoint, _clause(error))
        return
    try:
        actual = state_of(case.view, alone(checkpoint))
    except TableError as error:
        yield _unreadable(case, checkpoint, error, older)
        return
    stated, differing = _stated(case, version), expected.differences(actual)
    if "txn" in differing:
        stored = _snapshot(case, older).metadata.configuration
        if "delta.setTransactionRetentionDuration" in stored:  # they may have expired
            differing = tuple(part for part in differing if part != "txn")
    if differing:
        yield _settled(
            case,
            checkpoint,
            older,
            differing,
            confirms_older=stated == _totals(expected),
            confirms_checkpoint=stated == _totals(actual),
        )


def _judged_alone(case: Case, checkpoint: Checkpoint, since: str) -> Iterator[Repair]:
    """The repair of a checkpoint about which, for the reason *since*, no older files tell."""
    version = checkpoint.version
    try:
        counted = _snapshot(case, alone(checkpoint), Detail.STATE).files or FileFacts()
    except TableError as error:
        yield _unreadable(case, checkpoint, error)
        return
    # The counts are exact, but for files that it has twice.
    if (stated := _stated(case, version)) in {None, (counted.files, counted.bytes)}:
        return
    found = _totals(state_of(case.view, alone(checkpoint)))
    if stated is not None and stated != found:
        wrong = (
            f"The checkpoint of version {version} has {_words(found)}, but the checksum of the "
            f"version says {_words(stated)}."
        )
        reason = f"it is the only source of the version, since {since}"
        yield refused(_KIND, "DL609", wrong, reason, f"{_RESTORE}{_right_versions(case, version)}")


def _settled(
    case: Case,
    checkpoint: Checkpoint,
    older: LogSegment,
    differing: tuple[str, ...],
    *,
    confirms_older: bool,
    confirms_checkpoint: bool,
) -> Repair:
    """
    The repair of a checkpoint that can be read, and differs from *older* files in these actions.

    The checksum of the version may confirm either.
    """
    version = checkpoint.version
    ours, theirs = _live(case, older), _live(case, alone(checkpoint))
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
        disputed = [file for key, file in ours.items() if theirs.get(key) != file]
        agreed = next((file for key, file in ours.items() if theirs.get(key) == file), None)
        # If even this one is not there, storage tells nothing.
        has_files = agreed is not None and case.store.data_size(agreed.path) is not None
        unknown = [file for key, file in theirs.items() if key not in ours]
        doubt = _doubt(case, older)
        if confirms_checkpoint and not confirms_older:
            doubt = "the checksum of the version agrees with the checkpoint"
        if has_files and not doubt:
            doubt = _doubt_in_storage(case, disputed)
        if doubt := doubt or _doubt_in_removals(case, older, unknown, has_files=has_files):
            refusal = f"perhaps it is right, and the commits are damaged: {doubt}"
        elif not (disputed and has_files):
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


def _by_older_files(case: Case, version: int) -> tuple[LogSegment, TableState]:
    segment = case.listing.segment(version, before=version)
    return segment, state_of(case.view, segment)


def _clause(error: TableError) -> str:
    return f"{error.message[:1].lower()}{error.message[1:].rstrip('.')}"


def _unproved(case: Case, segment: LogSegment) -> tuple[str, ...]:
    base = segment.checkpoint
    if base is None or _is_proven(case, base):
        return ()
    right = f"That the checkpoint of version {base.version} is right, from which the state comes"
    return (f"{right}: the commits before it are gone.",)


def _is_proven(case: Case, checkpoint: Checkpoint) -> bool:
    """Whether the commits from 0 on, with checkpoints in between or not, give the same state."""
    known, version = case.proven, checkpoint.version
    if version not in known:
        known[version] = False
        with suppress(TableError):
            older, expected = _by_older_files(case, version)
            is_same = not expected.differences(state_of(case.view, alone(checkpoint)))
            known[version] = is_same and not _unproved(case, older)
    return known[version]


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


def _live(case: Case, segment: LogSegment) -> dict[tuple[str, str], AddFile]:
    return {
        (
            canonical_path(add.path, case.view.qualifier),
            add.deletion_vector.unique_id if add.deletion_vector else "",
        ): add
        for add in live_files(case.view, segment)
    }


def _snapshot(case: Case, segment: LogSegment, detail: Detail = Detail.PROTOCOL) -> Snapshot:
    """Protocol and metadata, or all of the state, by the log alone."""
    return Replay(case.view, replace(segment, crc=None)).outcome(detail)


def _doubt(case: Case, segment: LogSegment) -> str:
    """What shows that a commit of *segment* is not as it was written; empty if nothing does."""
    if case.doubts is None:
        doubts: dict[int, str] = {}
        for fact in examine(case.view, Depth(history=True, files=False), now=case.now):
            if isinstance(fact, CommitFacts):
                if not fact.names:
                    doubts[fact.version] = "the commit is empty"
                for _, message in _broken(_DAMAGED_COMMITS, fact):
                    doubts[fact.version] = message
        # Of two that are the same to the letter, one has taken the place of another.
        first: dict[str | None, int] = {}
        for file in case.listing.commits:
            other = first.setdefault(sha256(case.view, file.path), file.number)
            if other != file.number:
                doubts[file.number] = f"it is a copy of version {other}"
                doubts[other] = f"it is a copy of version {file.number}"
        case.doubts = doubts
    doubtful = (file.number for file in segment.commits if file.number in case.doubts)
    return next((f"version {version}: {case.doubts[version]}" for version in doubtful), "")


def _doubt_in_removals(
    case: Case, segment: LogSegment, unknown: Sequence[AddFile], *, has_files: bool
) -> str:
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
    qualifier = case.view.qualifier
    known = {path for path, _ in _live(case, alone(base))} if base else set()
    lines, removed = CommitLines(case.view), set()
    for file in segment.commits:
        commit = lines.of(file.path)
        known.update(canonical_path(str(of["path"]), qualifier) for of in commit.actions("add"))
        for remove in commit.actions("remove"):
            path = canonical_path(str(remove["path"]), qualifier)
            if path not in known:
                return f"version {file.number} removes {remove['path']}, which nothing has added"
            removed.add(path)
    for add in unknown[:_LOOKED_UP]:
        is_gone = has_files and case.store.data_size(add.path) is None
        if canonical_path(add.path, qualifier) not in removed and not is_gone:
            return f"none of them adds or removes {add.path}, which the checkpoint has"
    return ""


def _doubt_in_storage(case: Case, disputed: Sequence[AddFile]) -> str:
    for file in disputed[:_LOOKED_UP]:
        size = case.store.data_size(file.path)
        if size != file.size:
            has = "is not in storage" if size is None else f"has {size:,} bytes, not {file.size:,}"
            return f"{file.path}, which they add, {has}"
    return ""


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
    has_other = any(
        found.version == version and not {file.path for file in found.files} & {*names}
        for found in case.listing.checkpoints
    )
    try:
        require_checkpointable(snapshot)
    except RefusedError:  # the commits say the same without one
        has_other = True
    if has_other:
        return move_aside(*names)
    if classic in names and not has_v2_checkpoints(snapshot):
        others = [name for name in names if name != classic]
        return rebuild(version, classic), *move_aside(*others)
    return rebuild(version), *move_aside(*names)


def find_orphan_sidecars(case: Case) -> Iterator[Repair]:
    """Sidecars that no checkpoint names, which are only reported."""
    sidecars = case.store.list_directory("_sidecars")
    old = {name for name, info in sidecars.items() if info.modified < case.now - DAY}
    for checkpoint in case.listing.checkpoints if old else ():
        try:
            small = CheckpointReader(case.view, checkpoint).small_actions(("sidecar",))
        except TableError:  # it may name any
            return
        old -= {sidecar_path(document) for _, document in small}
    if old:
        wrong = f"{len(old)} sidecars belong to no checkpoint, among them "
        wrong += f"{', '.join(sorted(old)[:_NAMED])}. They only take up space."
        yield Repair("sidecar", "DL615", wrong)


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


def _recounted(case: Case, snapshot: Snapshot) -> FileTotals:
    segment = snapshot.segment
    assert segment is not None  # noqa: S101 -- a loaded snapshot has one
    builder = TotalsBuilder(snapshot.files or FileFacts(), case.view.qualifier)
    for add in live_files(case.view, segment):
        builder.add(add)
    return builder.totals(lambda: live_files(case.view, segment))


def _broken(
    codes: Iterable[str], facts: LogFacts | CommitFacts | ChecksumFacts
) -> Iterator[tuple[str, str]]:
    """The rules that find something, and what they say; of checksums, no mere warnings."""
    for code in codes:
        for problem in RULES[code].check(facts):
            if not (isinstance(facts, ChecksumFacts) and problem.severity is Severity.WARNING):
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
