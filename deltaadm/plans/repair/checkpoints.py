"""Damage of checkpoints, of the pointer to them, and of checksums."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import Any, Final

import deltaadm.rules.checkpoints
import deltaadm.rules.log  # noqa: F401 -- registers its rules
from deltaadm import facts
from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import (
    Checkpoint,
    FileFacts,
    FileInfo,
    Kind,
    LogFile,
    LogListing,
    LogSegment,
    Snapshot,
)
from deltaadm.domain.steps.properties import require_checkpointable
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, RefusedError, TableError, some_of
from deltaadm.paths import is_absolute
from deltaadm.plans.checkpoint import HINT, State, TableState, alone, digests_of, pointer_to
from deltaadm.plans.repair.repair import Case, Files, Repair, computed_once, refused, sha256
from deltaadm.replay.checkpoints import CheckpointReader
from deltaadm.replay.commit_lines import CommitLines
from deltaadm.replay.embedded import Replay, live_files
from deltaadm.replay.examine import checksum_facts, read_pointer
from deltaadm.replay.examine_checkpoints import CheckpointExaminer, LiveRow
from deltaadm.replay.reconcile import Detail, UnreadableCheckpointError, file_key
from deltaadm.replay.totals import TotalsBuilder
from deltaadm.rules.rule import RULES, Severity

_LARGE: Final = 1 << 24
"""Bytes of an older checkpoint of which no more than the structure is looked at."""
_LOOKED_UP: Final = 100
"""Data files that are looked up in storage when commits and a checkpoint differ in them."""
RESTORE: Final = (
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
    try:
        older, _ = _by_older_files(case, files[0].number)
    except TableError as error:
        return _only_source(case, rule, wrong, files[0].number, error)
    if doubt := next(damaged_commits(case, older.commits), ""):
        refusal = f"the commits from which it would be rebuilt are damaged: {doubt}"
        return refused("checkpoint", rule, wrong, refusal, RESTORE)
    made, found = _replacement(case, older, files), proof(case, case.listing, older.version)
    return Repair("checkpoint", rule, wrong, made, (), *found)


def _only_source(case: Case, rule: str, wrong: str, version: int, why: TableError) -> Repair:
    commits = case.listing.commits.until(version - 1)
    bases = [found for found in case.listing.checkpoints if found.version < version]
    right = f"No version before {version} can be loaded any more."
    if commits and (bases or commits[0].number == 0):
        right = f"Versions before {version} that history lists are not affected."
    clause = f"{why.message[:1].lower()}{why.message[1:].rstrip('.')}"
    refusal = f"it is the only source of version {version}, since {clause}"
    return refused("checkpoint", rule, wrong, refusal, f"{RESTORE} {right}")


def _judged(case: Case, checkpoint: Checkpoint) -> Iterator[Repair]:
    """The repair of a whole checkpoint; none where it is right, as far as can be told."""
    version, itself = checkpoint.version, alone(checkpoint)
    compared: Comparison | None = None
    counted: FileFacts | None = None
    try:
        reader = CheckpointReader(case, checkpoint)
        size = sum(file.info.size for file in checkpoint.files)
        if size > _LARGE and checkpoint != case.listing.checkpoints[-1]:
            reader.columns([file.path for file in checkpoint.files])
            return
        for name in reader.file_paths():
            reader.require_whole(name)
        _snapshot(case, itself)  # which must be there
        flaws = [*_flaws(case, checkpoint, reader)]
        try:
            older = case.listing.segment(version, before=version)
        except TableError:  # to count is quicker than to compare with nothing
            counted = _snapshot(case, itself, Detail.STATE).files
        else:
            compared = Comparison(case, itself, older)
            if (twice := (reader.adds() or 0) - compared.actual.counts["add"]) > 0:
                text = f"it has {twice:,} live files twice, and delta-rs reads both"
                flaws.append(("DL609", text))
    except TableError as error:
        wrong = f"A checkpoint cannot be used: {error.message}"
        yield _unusable(case, "DL612", wrong, checkpoint.files)
        return
    found: list[Repair] = []
    try:
        found = [*_unlike_older(case, checkpoint, compared)] if compared else []
    except TableError as error:
        compared = None
        if not isinstance(error, UnreadableCheckpointError):
            wrong = f"{error.message} Readers begin with the checkpoint of version {version}, but "
            wrong += f"older versions may need it. {RESTORE}"
            found = [Repair("commit", "DL103", wrong)]
    if compared:
        flaws = [] if found else flaws
    elif counted and not _has_sums(_checksum(case, version), counted.files, counted.bytes):
        text = "the checksum of the version has other numbers of live files or bytes"
        flaws.append(("DL609", text))
    for rule, flaw in flaws[:1]:
        wrong = f"The checkpoint of version {version} is wrong: {flaw}."
        yield _unusable(case, rule, wrong, checkpoint.files)
    yield from found


def _flaws(
    case: Case, checkpoint: Checkpoint, reader: CheckpointReader
) -> Iterator[tuple[str, str]]:
    """What is wrong with the small actions of a *checkpoint* and with its sidecars, by rules."""
    infos = {file.path: file.info for file in checkpoint.files}
    listing = LogListing.of(case.root, {**infos, **case.sidecars})
    for fact in CheckpointExaminer(store=case, reader=lambda _: reader, listing=listing).facts():
        yield from _broken(("DL608", "DL604", "DL605", "DL606"), fact)


def _unlike_older(case: Case, checkpoint: Checkpoint, compared: Comparison) -> Iterator[Repair]:
    """The repair of a checkpoint that can be read, and is not in the state of older files."""
    version, older = checkpoint.version, compared.ours
    expected, actual = compared.expected, compared.actual
    differing = expected.differences(actual)
    if "txn" in differing:
        stored = _snapshot(case, older).metadata.configuration
        if "delta.setTransactionRetentionDuration" in stored:  # they may have expired
            differing = tuple(part for part in differing if part != "txn")
    if not differing:
        return
    ours, theirs = compared.rows_of_ours, compared.rows_of_theirs
    lacking, extra = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
    wrong = f"The checkpoint of version {version} differs from the older files in "
    wrong += f"{', '.join(differing)}."
    others = sorted(path for path, _ in ours.keys() & theirs.keys())
    if ours or theirs:
        paths = sorted(path for path, _ in ours.keys() | theirs.keys())
        wrong += f" Of live files, it lacks {len(lacking):,}, has {len(extra):,} too many, and "
        wrong += f"says something else of {len(others):,}: {some_of(paths)}."
    witness, unproved = proof(case, case.listing, version)
    ours_wrong, theirs_wrong = compared.contradicted
    doubts: Iterable[str] = ()
    if unproved and (ours_wrong or not theirs_wrong.issuperset(differing)):
        doubts = chain(compared.doubts(), _removed(case, checkpoint, ours))
        more = {of for of in differing if actual.counts.get(of, 0) >= expected.counts.get(of, 0)}
        if others:
            doubts = chain(doubts, [f"nothing tells which is right about {some_of(others)}"])
        elif (extra or more) and any(_unproved_base(case, older)):
            doubts = chain(doubts, ["nothing tells whether the older checkpoint is right"])
    if doubt := next(iter(doubts), ""):
        refusal = f"perhaps it is right, and the older files are damaged: {doubt}"
        yield refused("checkpoint", "DL609", wrong, refusal, f"Compare with a backup. {RESTORE}")
        return
    effect = f"Of live files, readers will see {len(lacking):,} more and {len(extra):,} fewer."
    if version != case.listing.checkpoints[-1].version:  # from which readers do not begin
        differing, effect = (), ""
    made, effect = _replacement(case, older, checkpoint.files), f"{effect} {witness}".strip()
    yield Repair("checkpoint", "DL609", wrong, made, differing, effect, unproved)


class Comparison:
    """
    Of *theirs*, a checkpoint or compacted commits, with *ours*, the older files.

    `actual` is the state by `theirs`, and `expected` that by `ours`. Once this is known, too,
    `rows_of_ours` and `rows_of_theirs` are the live files that are not the same for the other.
    """

    def __init__(self, case: Case, theirs: LogSegment, ours: LogSegment) -> None:
        self._case, self.theirs, self.ours = case, theirs, ours
        self.rows_of_ours: dict[tuple[str, str | None], LiveRow] = {}
        self._hashes = set[int]()  # of what `theirs` say of each of these files
        self._agreed: str | None = None  # the path of a file that both have
        self.actual = case.state(theirs, lambda row: self._hashes.add(hash(row[3])))

    @computed_once
    def expected(self) -> TableState:
        """The state by `ours`; reads them."""
        return self._case.state(self.ours, self._take)

    def _take(self, row: LiveRow) -> None:
        path, key, _, said = row
        if (hashed := hash(said)) in self._hashes:
            self._hashes.discard(hashed)
            self._agreed = self._agreed or path
        else:
            self.rows_of_ours[key] = row

    @computed_once
    def rows_of_theirs(self) -> dict[tuple[str, str | None], LiveRow]:
        """Those that only `theirs` have, which are read again."""
        rows = State(self._case, self.theirs).live_files() if self._hashes else ()
        return {row[1]: row for row in rows if hash(row[3]) in self._hashes}

    @computed_once
    def contradicted(self) -> tuple[set[str], ...]:
        """What the checksum of the version states otherwise than `ours`, and than `theirs`."""
        return tuple(_by_checksum(self._case, of)[1] for of in (self.expected, self.actual))

    def doubts(self) -> Iterator[str]:
        """What speaks against the commits of `ours`."""
        version = self.expected.version  # with which the rows are read
        ours_wrong, theirs_wrong = self.contradicted
        if ours_wrong - theirs_wrong:
            self._case.witnesses.add(version)
            yield f"the checksum of version {version} agrees with it"
        ours, theirs = self.rows_of_ours, self.rows_of_theirs
        unknown = [theirs[key] for key in theirs if key not in ours]
        yield from _doubts_about(self._case, self.ours, ours.values(), unknown, [self._agreed])


# Where the state comes from


def _by_older_files(case: Case, version: int) -> tuple[LogSegment, TableState]:
    """The older files that make *version*, and its state; raises `TableError` if none do."""
    older = case.listing.segment(version, before=version)
    return older, case.state(older)


AS_WRITTEN: Final = "That the commits are as they were written"
UNCONFIRMED: Final = f"{AS_WRITTEN}: no checksum confirms them."


def proof(case: Case, listing: LogListing, version: int) -> tuple[str, tuple[str, ...]]:
    """What proves what older files say of *version*; or nothing, and what nobody can prove."""
    try:
        segment = listing.segment(version, before=version)
        is_confirmed, contradicted = _by_checksum(case, case.state(segment))
    except TableError:
        return "", (UNCONFIRMED,)
    if is_confirmed:
        return f"The checksum of version {version} confirms it.", ()
    otherwise = f"{AS_WRITTEN}: the checksum of version {version} says otherwise."
    return "", (otherwise if contradicted else UNCONFIRMED, *_unproved_base(case, segment))


def _unproved_base(case: Case, segment: LogSegment) -> Iterator[str]:
    """That a checkpoint which *segment* begins with is what all commits before it say."""
    if (base := segment.checkpoint) is None:
        return
    with suppress(TableError):
        older, expected = _by_older_files(case, base.version)
        if not (any(_unproved_base(case, older)) or expected.differences(case.state(alone(base)))):
            return
    right = f"That the checkpoint of version {base.version} is right, from which the state comes"
    yield f"{right}: the commits before it are gone."


def _checksum(case: Case, version: int) -> Mapping[str, Any]:
    """The checksum of a *version*; empty where there is none that can be read."""
    file = LogFile.of(FileInfo(f"{version:020d}.crc"))
    return checksum_facts(case, file, facts.State(version=version)).document or {}


def _has_sums(checksum: Mapping[str, Any], files: int, size: int) -> bool:
    """Whether a *checksum* has so many live files and bytes, or does not say."""
    return (checksum.get("numFiles", files), checksum.get("tableSizeBytes", size)) == (files, size)


def _by_checksum(case: Case, state: TableState) -> tuple[bool, set[str]]:
    """Whether the checksum of its version confirms a *state*, and the parts it contradicts."""
    checksum = _checksum(case, state.version)
    stated = {**digests_of(checksum, case.qualifier, lambda _: None)}
    if "delta.setTransactionRetentionDuration" in str(checksum.get("metadata")):
        stated.pop("txn", None)  # since transactions may have expired
    wrong = {part for part in stated if stated[part] != state.digests.get(part)}
    if not _has_sums(checksum, state.counts["add"], state.bytes):
        wrong.add("add")
    return not wrong and state.digests.keys() <= stated.keys(), wrong


def _snapshot(case: Case, segment: LogSegment, detail: Detail = Detail.PROTOCOL) -> Snapshot:
    """Protocol and metadata, or all of the state, by the log alone."""
    return Replay(case, replace(segment, crc=None)).outcome(detail)


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
        lines, added, first = CommitLines(case), set[int](), dict[str | None, int]()
        for file in case.listing.commits:
            version, state = file.number, facts.State(version=file.number)
            said = lines.of(file.path)
            times = facts.CommitTimes.of(file, said)
            fact = facts.CommitFacts(
                file=file, version=version, lines=said, before=state, after=state, times=times
            )
            for _, message in _broken(("DL103", "DL114", "DL117", "DL128"), fact):
                self.damaged[version] = message
            for document in fact.objects("metaData"):
                try:
                    Metadata.from_wire(document).schema.fields  # noqa: B018 -- which parses it
                except DeltaadmError as error:
                    self.damaged[version] = error.message.rstrip(".")
            if not said.names:
                self.damaged[version] = "the commit is empty"
            # Of two that are the same to the letter, one has taken the place of another.
            other = first.setdefault(sha256(case, file.path), version)
            if other != version:
                self.damaged[version] = f"it is a copy of version {other}"
                self.damaged[other] = f"it is a copy of version {version}"
            added |= {hash(file_key(action, case.qualifier)[0]) for action in fact.objects("add")}
            for action in fact.objects("remove"):
                path = hash(file_key(action, case.qualifier)[0])
                self.removed.setdefault(path, version)
                if path not in added:
                    self.unknown.append((version, path, str(action.get("path"))))


def _commits(case: Case) -> _Commits:
    """What the commits of the log tell, which are read once."""
    found: _Commits = case.commits or _Commits(case)
    case.commits = found
    return found


def damaged_commits(case: Case, files: Iterable[LogFile]) -> Iterator[str]:
    """What shows that one of these commits is not as it was written."""
    damaged = _commits(case).damaged
    for file in files:
        if file.number in damaged:
            yield f"version {file.number}: {damaged[file.number]}"


def _removed(case: Case, checkpoint: Checkpoint, ours: Container[Any]) -> Iterator[str]:
    """Files that are live for commits alone, and of which the *checkpoint* has the removal."""
    for tombstone in State(case, alone(checkpoint)).tombstones() if ours else ():
        if file_key(tombstone, case.qualifier) in ours:
            yield f"{tombstone.get('path')} is removed by it, and not only missing"


Rows = Iterable[LiveRow]


def _doubts_about(
    case: Case, older: LogSegment, ours: Rows, theirs: Rows, both: Iterable[str | None]
) -> Iterator[str]:
    """
    What speaks against the commits of *older* files, where *ours* are live by them alone and
    *theirs* by the checkpoint alone. Storage tells nothing of data files without any of *both*.
    """
    yield from damaged_commits(case, older.commits)
    known = (path for path in both if path is not None and not is_absolute(path))
    has_files = any(case.store.data_size(path) is not None for path in known)
    for path, _, size, _ in islice(ours, _LOOKED_UP) if has_files else ():
        if not is_absolute(path) and case.store.data_size(path) != size:
            yield f"{path}, which they add, is not in storage with the size that they state"
    found, base = _commits(case), older.checkpoint
    first = base.version + 1 if base else 0
    # Removals of what nothing has added, unless the older checkpoint has it.
    unknown = {
        file: f"version {version} removes {path}, which nothing has added"
        for version, file, path in found.unknown
        if first <= version <= older.version
    }
    for _, key, _, _ in State(case, alone(base)).live_files() if base and unknown else ():
        unknown.pop(hash(key[0]), None)
    yield from unknown.values()
    for path, key, _, _ in islice(theirs, _LOOKED_UP):
        is_removed = found.removed.get(hash(key[0]), older.version + 1) <= older.version
        is_inside = has_files and not is_absolute(path)  # where a clone has not all of its files
        if not is_removed and not (is_inside and case.store.data_size(path) is None):
            yield f"none of them adds or removes {path}, which the other has"


# What is done


def _replacement(case: Case, older: LogSegment, files: Sequence[LogFile]) -> Files:
    """The checkpoint of *files* made anew, unless there is another, and the old one moved aside."""
    first, *others = [file.path for file in files]
    alike = [found for found in case.listing.checkpoints if found.version == older.version]
    is_made = all({first, *others} & {file.path for file in found.files} for found in alike)
    try:
        require_checkpointable(_snapshot(case, older))
    except RefusedError:  # the commits say the same without one
        is_made = False
    if is_made:
        return {first: older.version, **dict.fromkeys(others)}
    # Before them the pointer, so that it never names what is gone; the next one is written last.
    hint = {HINT} & case.listing.infos.keys()
    return dict.fromkeys((*hint, first, *others))


# What only helps readers: `_last_checkpoint` and version checksums

_LAST: Final = 100
"""Older checksums that are looked at: writers and readers use those of the newest versions."""
_POINTER_RULES: Final = ("DL107", "DL110", "DL108", "DL109", "DL111")
_CHECKSUM_RULES: Final = (
    "DL801", "DL802", "DL803", "DL804", "DL805", "DL806", "DL807", "DL808", "DL809", "DL812",
)  # fmt: skip


def find_pointer(case: Case) -> Iterator[Repair]:
    """A pointer that is missing, cannot be read, or says what is not so."""
    checkpoints, pointer = case.listing.checkpoints, read_pointer(case)
    newest = max((found.version for found in checkpoints), default=-1)
    yet_to_come = [what for what in case.files.values() if isinstance(what, int)]
    if max(yet_to_come, default=-1) > newest:
        return  # who writes the newest checkpoint has the pointer follow
    state = facts.State(version=newest)
    log = facts.LogFacts(listing=case.listing, pointer=pointer, state=state, now=case.now)
    rule, wrong = next(_broken(_POINTER_RULES, log), ("", ""))
    files: Files = {HINT: None}
    if checkpoints:
        try:
            right = pointer_to(case, checkpoints[-1])
        except TableError:  # which is the damage of the checkpoint
            return
        files, said = {HINT: right.body}, (pointer and pointer.document) or {}
        adds_agree = said.get("numOfAddFiles") in (None, right.adds)
        if not (wrong or (adds_agree and said.get("parts") == right.parts)):
            rule, wrong = "DL616", "its parts or numOfAddFiles are not the checkpoint's"
    if wrong:
        yield Repair("pointer", rule, f"{wrong[:1].upper()}{wrong[1:]}.", files)


def find_checksums(case: Case) -> Iterator[Repair]:
    """A checksum of the newest version that is wrong, and others that cannot be read."""
    files, snapshot = case.listing.of_kind(Kind.CRC)[-_LAST:], case.loaded
    if snapshot is None or (segment := snapshot.segment) is None:
        return  # nothing tells what they should say
    for file in files:
        checksum = checksum_facts(case, file, facts.State(version=file.number))
        document = checksum.document
        if file.number == snapshot.version:
            totals = None
            if _COUNTED & (document or {}).keys():
                builder = TotalsBuilder(snapshot.files or FileFacts(), case.qualifier)
                for add in live_files(case, segment):
                    builder.add(add)
                totals = builder.totals(partial(live_files, case, segment))
            state, info = facts.State.of(snapshot), snapshot.commit_info
            inside = info.in_commit_timestamp if info else None
            times = facts.CommitTimes(file.number, inside, None, 0)
            checksum = replace(
                checksum, state=state, commit=times, snapshot=snapshot, totals=totals
            )
        elif document is not None:
            continue
        for rule, message in islice(_broken(_CHECKSUM_RULES, checksum), 1):
            wrong = f"The checksum {file.path} is wrong: {message}."
            # Three rules find a checksum wrong whatever the log says; others may tell of a loss.
            told = (f"{AS_WRITTEN}: {file.path} says otherwise ({message}).",)
            unproved = () if rule in {"DL801", "DL805", "DL808"} else told
            if unproved and (doubt := next(_against_log(case, segment, rule), "")):
                refusal = f"perhaps it is right, and the log is damaged: {doubt}"
                remedy = f"Compare with a backup. If the log is right, move {file.path} out of it."
                yield refused("checksum", rule, wrong, refusal, remedy)
            else:
                yield Repair("checksum", rule, wrong, {file.path: None}, unproved=unproved)


def _against_log(case: Case, segment: LogSegment, rule: str) -> Iterator[str]:
    """What speaks against the log where its newest checksum differs, by a *rule*."""
    if segment.version in case.witnesses:
        yield "a checkpoint or a compacted file agrees with it"
    if rule in {"DL804", "DL812"} and segment.checkpoint and any(_unproved_base(case, segment)):
        version = segment.checkpoint.version
        yield f"nothing but it tells whether the checkpoint of version {version} is right"
    theirs, ours = dict[tuple[str, str | None], LiveRow](), list[LiveRow]()
    checksum = _checksum(case, segment.version)
    digests_of(checksum, case.qualifier, lambda row: theirs.update({row[1]: row}))
    for row in State(case, segment).live_files():
        theirs.pop(row[1], None)
        ours += [row] if len(ours) < _LOOKED_UP else []
    yield from _doubts_about(case, segment, ours, theirs.values(), (row[0] for row in ours))


_COUNTED: Final = {
    "allFiles", "numDeletedRecordsOpt", "numDeletionVectorsOpt", "deletedRecordCountsHistogramOpt",
}  # fmt: skip
"""What of a checksum takes a look at every file to judge."""


def _broken(codes: Iterable[str], fact: facts.Facts) -> Iterator[tuple[str, str]]:
    """The rules that find something, and what they say; of checksums, no mere warnings."""
    for code in codes:
        for problem in RULES[code].check(fact):
            if not (isinstance(fact, facts.ChecksumFacts) and problem.severity is Severity.WARNING):
                text = problem.message.rstrip(".")
                yield code, f"{text[:1].lower()}{text[1:]}"
