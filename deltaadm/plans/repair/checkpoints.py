"""Damage of checkpoints, of the pointer to them, and of checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

import deltaadm.rules.checkpoints
import deltaadm.rules.log  # noqa: F401 -- registers its rules
from deltaadm import facts
from deltaadm.dataclass import replace
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
from deltaadm.errors import RefusedError, TableError, some_of
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
    Operation,
    Repair,
    View,
    move_aside,
    point,
    rebuild,
    refused,
    sha256,
)
from deltaadm.replay.checkpoints import CheckpointReader, orphan_sidecars
from deltaadm.replay.commit_lines import CommitLines
from deltaadm.replay.commits import json_object
from deltaadm.replay.embedded import Replay, live_files
from deltaadm.replay.examine import read_pointer
from deltaadm.replay.reconcile import Detail, UnreadableCheckpointError, canonical_path
from deltaadm.replay.totals import TotalsBuilder
from deltaadm.rules.rule import DAY, RULES, Severity

_LARGE: Final = 1 << 24
"""Bytes of an older checkpoint of which no more than the structure is looked at."""
_LOOKED_UP: Final = 100
"""Data files that are looked up in storage when commits and a checkpoint differ in them."""
_RESTORE: Final = (
    "Restore it from a backup or, if the bucket keeps versions of objects, from its earlier "
    "version."
)


def find_checkpoints(case: Case) -> Iterator[Repair]:
    """Checkpoints that readers cannot use, or must not, from the oldest to the newest."""
    for files in case.listing.incomplete_checkpoints:
        rule = "DL601" if all(file.info.size for file in files) else "DL612"
        wrong = f"The checkpoint of version {files[0].number} is empty, or lacks a part."
        yield _unusable(case, rule, wrong, files)
    for checkpoint in case.listing.checkpoints:
        yield from _judged(case, checkpoint)


def _unusable(case: Case, rule: str, wrong: str, files: Sequence[LogFile]) -> Repair:
    """The repair of *files* that no reader can use as a checkpoint."""
    older = _by_older_files(case, files[0].number)
    if isinstance(older, str):
        return _only_source(case, rule, wrong, files[0].number, older)
    if doubt := next(_damaged_commits(case, older[0]), ""):
        refusal = f"the commits from which it would be rebuilt are damaged: {doubt}"
        return refused("checkpoint", rule, wrong, refusal, _RESTORE)
    operations, unproved = _replacement(case, older[0], files), _unproved(case, older[0])
    return Repair("checkpoint", rule, wrong, operations, unproved=unproved)


def _only_source(case: Case, rule: str, wrong: str, version: int, why: str) -> Repair:
    commits = case.listing.commits.until(version - 1)
    bases = [found for found in case.listing.checkpoints if found.version < version]
    right = f"No version before {version} can be loaded any more."
    if commits and (bases or commits[0].number == 0):
        right = f"Versions before {version} that history lists are not affected."
    refusal = f"it is the only source of version {version}, since {why}"
    return refused("checkpoint", rule, wrong, refusal, f"{_RESTORE} {right}")


def _judged(case: Case, checkpoint: Checkpoint) -> Iterator[Repair]:
    """The repair of a whole checkpoint; none where it is right, as far as can be told."""
    version, files, actual = checkpoint.version, _DifferingFiles(), None
    try:
        reader = CheckpointReader(case.view, checkpoint)
        size = sum(file.info.size for file in checkpoint.files)
        if size > _LARGE and checkpoint != case.listing.checkpoints[-1]:
            reader.columns([file.path for file in checkpoint.files])
            return
        for name in reader.file_paths():
            reader.require_whole(name)
        if isinstance(_older_files(case, version), str):  # to count is quicker than to compare
            counted = _snapshot(case, alone(checkpoint), Detail.STATE).files or FileFacts()
            found = counted.files, counted.bytes
        else:
            actual = case.view.state(alone(checkpoint), files.take_theirs)
            found = _totals(actual)
    except TableError as error:
        wrong = f"The checkpoint of version {version} cannot be read: {error.message}"
        yield _unusable(case, "DL612", wrong, checkpoint.files)
        return
    stated, older = _stated(case, version), _by_older_files(case, version, files.take_ours)
    if isinstance(older, str) or actual is None:
        if stated not in {None, found}:
            wrong = f"The checkpoint of version {version} has {found[0]:,} live files of "
            wrong += f"{found[1]:,} bytes, but the checksum of the version has other numbers."
            yield _only_source(case, "DL609", wrong, version, str(older))
        return
    segment, expected = older
    differing = expected.differences(actual)
    if "txn" in differing:
        stored = _snapshot(case, segment).metadata.configuration
        if "delta.setTransactionRetentionDuration" in stored:  # they may have expired
            differing = tuple(part for part in differing if part != "txn")
    if differing:
        confirmed = stated == _totals(expected), stated == found
        yield _settled(case, checkpoint, segment, differing, files, confirmed=confirmed)


def _settled(
    case: Case,
    checkpoint: Checkpoint,
    older: LogSegment,
    differing: tuple[str, ...],
    files: _DifferingFiles,
    *,
    confirmed: tuple[bool, bool],
) -> Repair:
    """
    The repair of a checkpoint that can be read, and differs from *older* files in these actions.

    The checksum of the version may have *confirmed* the totals of older files and checkpoint.
    """
    version, (older_confirmed, checkpoint_confirmed) = checkpoint.version, confirmed
    ours, theirs = files.ours, files.theirs(case.view, checkpoint)
    lacking, extra = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
    wrong = f"The checkpoint of version {version} differs from the older files in "
    wrong += f"{', '.join(differing)}."
    if lacking or extra:
        paths = sorted(path for path, _ in lacking | extra)
        wrong += f" Of live files, it lacks {len(lacking):,} and has {len(extra):,} too many: "
        wrong += f"{some_of(paths)}."
    unproved = () if older_confirmed else _unproved(case, older)
    doubts: Iterable[str] = ()
    # If not even a file that both have is there, storage tells nothing.
    has_files = files.agreed is not None and case.store.data_size(files.agreed) is not None
    if checkpoint_confirmed and not older_confirmed:
        doubts = ("the checksum of the version agrees with it",)
    elif unproved and extra:
        doubts = ("nothing tells whether the older checkpoint is right",)
    elif checkpoint_confirmed or not older_confirmed:
        unknown = [theirs[key] for key in theirs if key not in ours]
        doubts = _doubts(case, older, ours.values(), unknown, has_files=has_files)
        if not (ours and has_files):
            unproved += ("That the commits are as they were written: no checksum confirms them.",)
    if doubt := next(iter(doubts), ""):
        refusal = f"perhaps it is right, and the older files are damaged: {doubt}"
        remedy = f"Compare both with a backup. {_RESTORE}"
        return refused("checkpoint", "DL609", wrong, refusal, remedy)
    operations = _replacement(case, older, checkpoint.files)
    if version != case.listing.checkpoints[-1].version:  # from which readers do not begin
        return Repair("checkpoint", "DL609", wrong, operations, unproved=unproved)
    effect = f"Of live files, readers will see {len(lacking):,} more and {len(extra):,} fewer."
    return Repair("checkpoint", "DL609", wrong, operations, differing, effect, unproved)


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
        document = json_object(case.view.read(f"{version:020d}.crc"))[0] or {}
    except TableError:
        return None
    files, size = document.get("numFiles"), document.get("tableSizeBytes")
    return (files, size) if type(files) is int and type(size) is int else None


def _totals(state: TableState) -> tuple[int, int]:
    return state.counts.get("add", 0), state.bytes


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


# What speaks against commits


class _Commits:
    """
    What all commits tell: of which versions something shows that they were changed (`damaged`), by
    the hashes of paths the first that removes a file (`removed`), and by version, hash and path
    removals of files that no commit had added before (`unknown`).
    """

    def __init__(self, case: Case) -> None:
        self.damaged: dict[int, str] = {}
        self.removed: dict[int, int] = {}
        self.unknown: list[tuple[int, int, str]] = []
        lines, added, first = CommitLines(case.view), set[int](), dict[str | None, int]()

        def hashed(action: Mapping[str, Any]) -> int:
            return hash(canonical_path(str(action.get("path")), case.view.qualifier))

        for file in case.listing.commits:
            version, state = file.number, facts.State(version=file.number)
            said = lines.of(file.path)
            times = facts.CommitTimes.of(file, said)
            fact = facts.CommitFacts(
                file=file, version=version, lines=said, before=state, after=state, times=times
            )
            for _, message in _broken(("DL103", "DL114", "DL128"), fact):
                self.damaged[version] = message.rstrip(".")
            if not said.names:
                self.damaged[version] = "the commit is empty"
            # Of two that are the same to the letter, one has taken the place of another.
            other = first.setdefault(sha256(case.view, file.path), version)
            if other != version:
                self.damaged[version] = f"it is a copy of version {other}"
                self.damaged[other] = f"it is a copy of version {version}"
            added.update(map(hashed, fact.objects("add")))
            for action in fact.objects("remove"):
                path = hashed(action)
                self.removed.setdefault(path, version)
                if path not in added:
                    self.unknown.append((version, path, str(action.get("path"))))


def _commits(case: Case) -> _Commits:
    """What the commits of the log tell, which are read once."""
    found: _Commits = case.commits or _Commits(case)
    case.commits = found
    return found


def _damaged_commits(case: Case, segment: LogSegment) -> Iterator[str]:
    """What shows that a commit of *segment* is not as it was written."""
    damaged = _commits(case).damaged
    for file in segment.commits:
        if file.number in damaged:
            yield f"version {file.number}: {damaged[file.number]}"


def _doubts(
    case: Case,
    older: LogSegment,
    ours: Iterable[LiveRow],
    theirs: Iterable[LiveRow],
    *,
    has_files: bool,
) -> Iterator[str]:
    """
    What speaks against the commits of *older* files, where *ours* are live by them alone and
    *theirs* by the checkpoint alone; of data files, where storage *has_files* of the table.
    """
    yield from _damaged_commits(case, older)
    for row in islice(ours, _LOOKED_UP) if has_files else ():
        if case.store.data_size(row.path) != row.size:
            yield f"{row.path}, which they add, is not in storage with {row.size:,} bytes"
    found, base = _commits(case), older.checkpoint
    first = base.version + 1 if base else 0
    # Removals of what nothing has added, unless the older checkpoint has it.
    unknown = {
        file: f"version {version} removes {path}, which nothing has added"
        for version, file, path in found.unknown
        if first <= version <= older.version
    }
    for row in State(case.view, alone(base)).live_files() if base and unknown else ():
        unknown.pop(hash(row.key[0]), None)
    yield from unknown.values()
    for row in islice(theirs, _LOOKED_UP):
        is_removed = found.removed.get(hash(row.key[0]), older.version + 1) <= older.version
        if not is_removed and not (has_files and case.store.data_size(row.path) is None):
            yield f"none of them adds or removes {row.path}, which the checkpoint has"


# What is done


def _replacement(case: Case, older: LogSegment, files: Sequence[LogFile]) -> tuple[Operation, ...]:
    """Writes the checkpoint of *files* anew, unless there is another, and moves them aside."""
    snapshot, version, names = _snapshot(case, older), older.version, [file.path for file in files]
    alike = [found for found in case.listing.checkpoints if found.version == version]
    is_written = all({*names} & {file.path for file in found.files} for found in alike)
    try:
        require_checkpointable(snapshot)
    except RefusedError:  # the commits say the same without one
        is_written = False
    classic = f"{version:020d}.checkpoint.parquet"
    if is_written and classic in names and not has_v2_checkpoints(snapshot):
        names.remove(classic)
        return rebuild(version, classic), *move_aside(*names)
    return (*([rebuild(version)] if is_written else []), *move_aside(*names))


# What only helps readers: `_last_checkpoint` and version checksums

_LAST: Final = 100
"""Older checksums that are looked at: writers and readers use those of the newest versions."""
_POINTER_RULES: Final = ("DL107", "DL110", "DL108", "DL109", "DL111")
_CHECKSUM_RULES: Final = (
    "DL801", "DL802", "DL803", "DL804", "DL805", "DL806", "DL807", "DL808", "DL809", "DL812",
)  # fmt: skip


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
            adds = pointer.document.get("numOfAddFiles")
            if pointer.document.get("parts") != right.parts or adds not in {None, right.adds}:
                rule, wrong = "DL616", "Its parts or numOfAddFiles are not the checkpoint's."
    if wrong:
        operations = (point(newest),) if checkpoints else move_aside(HINT)
        yield Repair("pointer", rule, wrong, operations)


def find_orphan_sidecars(case: Case) -> Iterator[Repair]:
    """Sidecars that no checkpoint names, which are only reported."""
    infos = {**case.listing.infos, **case.store.list_directory("_sidecars")}
    listing = LogListing.of(case.view.root, infos)
    orphans = orphan_sidecars(case.view, listing) or ()
    if old := sorted(file.path for file in orphans if file.info.modified < case.now - DAY):
        wrong = f"{len(old)} sidecars belong to no checkpoint: {some_of(old)}."
        yield Repair("sidecar", "DL615", wrong)


def find_checksums(case: Case) -> Iterator[Repair]:
    """A checksum of the newest version that is wrong, and others that cannot be read."""
    files = case.listing.of_kind(Kind.CRC)[-_LAST:]
    snapshot = case.view.loaded if files else None
    for file in files if snapshot else ():  # else nothing tells what they should say
        try:
            document, error = json_object(case.view.read(file.path))
        except TableError as unread:
            document, error = None, unread.message.rstrip(".")
        checksum = facts.ChecksumFacts(
            file=file, document=document, error=error, state=facts.State(version=file.number)
        )
        if snapshot and file.number == snapshot.version:
            totals = _recounted(case, snapshot) if _COUNTED & (document or {}).keys() else None
            state = facts.State.of(snapshot)
            checksum = replace(checksum, state=state, snapshot=snapshot, totals=totals)
        elif document is not None:
            continue
        for rule, message in islice(_broken(_CHECKSUM_RULES, checksum), 1):
            wrong = f"The checksum {file.path} is wrong: {message[:1].lower()}{message[1:]}"
            yield Repair("checksum", rule, wrong, move_aside(file.path))


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
