"""
Examining checkpoints and compacted commits: what they hold, and whether the commits agree.

A checkpoint may hold millions of files. Rows are taken batch by batch, and what must be
remembered of a file, so as to compare two sets of them, is a hash of 64 bits.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any, Final

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Checkpoint, Kind, LogFile, LogListing
from deltaadm.domain.wire import Metadata
from deltaadm.errors import TableError
from deltaadm.facts import (
    CheckpointFacts,
    CompactionFacts,
    Difference,
    Pointer,
    SidecarFacts,
    State,
)
from deltaadm.json_values import integer
from deltaadm.replay import commits
from deltaadm.replay.checkpoints import SMALL, CheckpointReader, sidecar_path
from deltaadm.replay.reconcile import STATE, canonical_path, file_key, vector_id
from deltaadm.storage.store import LogStore

Document = dict[str, Any]
Hashed = tuple[int, str]


_KEY_FIELDS: Final = {
    "txn": "appId", "add": "path", "remove": "path", "metaData": "id", "cdc": "path",
    "protocol": "minReaderVersion", "domainMetadata": "domain", "checkpointMetadata": "version",
    "sidecar": "path",
}  # fmt: skip
"""The field of each action that a checkpoint's row has whenever it has the action at all."""

_COUNTED_FIELDS: Final = {name: (f"{name}.{key}",) for name, key in _KEY_FIELDS.items()} | {
    "add": ("add.path", "add.deletionVector")
}
"""The fields read of each action's column, to count the rows and to compare live files."""

_FEW_COMMITS: Final = 100
_FEW_BYTES: Final = 16 << 20
"""The commits that are read only to see whether a checkpoint can be right."""

_NAMED_PATHS: Final = 3
"""The number of paths of a difference that are reported."""


def state_after(before: State, version: int, actions: Iterable[tuple[str, Any]]) -> State:
    """The state once *actions* count; those that cannot be decoded do not."""
    protocol, metadata = before.protocol, before.metadata
    for name, document in actions:
        if name not in STATE or commits.mismatches(name, document)[0]:
            continue
        if name == "protocol":
            protocol = Protocol.from_wire(document)
        elif document.get("id") is not None:
            metadata = Metadata.from_wire(document)
    return State(version=version, protocol=protocol, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class CheckpointExaminer:
    """
    Makes the facts about the checkpoints of a log.

    Without `deep` only the newest complete checkpoint and the `chosen` one are opened, and no
    more of them is read than their small actions, unless the number of files in the chosen one
    cannot be right. A replay reads more of a checkpoint: what kept it from one is in `unreadable`.
    """

    store: LogStore
    reader: Callable[[Checkpoint], CheckpointReader]
    listing: LogListing
    pointer: Pointer | None = None
    chosen: Checkpoint | None = None
    unreadable: Mapping[Checkpoint, str] = field(default_factory=dict)
    deep: bool = False

    def facts(self) -> Iterator[CheckpointFacts]:
        """One for each checkpoint, the oldest first."""
        complete = self.listing.checkpoints
        reads_all = self.deep or self._is_miscounted()
        opened = complete if reads_all else (*complete[-1:], self.chosen)
        groups: list[tuple[int, tuple[LogFile, ...], Checkpoint | None]] = [
            (each.version, each.files, each) for each in complete
        ]
        groups += [(files[0].number, files, None) for files in self.listing.incomplete_checkpoints]
        groups.sort(key=lambda group: (group[0], group[1][0].path))
        fit: list[Checkpoint] = []
        for version, files, checkpoint in groups:
            known = CheckpointFacts(
                version=version,
                files=files,
                checkpoint=checkpoint,
                chosen=checkpoint is not None and checkpoint == self.chosen,
                pointer=self.pointer,
                listing=self.listing,
                state=State(version=version),
            )
            if checkpoint is not None:
                if checkpoint in opened:
                    known = self._opened(known, checkpoint, fit if reads_all else None)
                if known.difference in (None, Difference()):
                    fit.append(checkpoint)
                # That a sidecar is missing is a fact of its own.
                if not known.error and all(of.size is not None for of in known.sidecars):
                    known = replace(known, error=self.unreadable.get(checkpoint, ""))
            yield known

    @cached_property
    def _commits(self) -> dict[int, LogFile]:
        return {commit.number: commit for commit in self.listing.commits}

    def _is_miscounted(self) -> bool:
        """
        Whether the chosen checkpoint cannot have all live files: those of the one before, and what
        the few commits between them have added and removed, are more or fewer than it has.

        A writer that adds a file again gives cause to look closer, and no more than that.
        """
        chosen = self.chosen
        if chosen is None:
            return False
        older = [each for each in self.listing.checkpoints if each.version < chosen.version][-1:]
        first = older[0].version + 1 if older else 0
        between = chosen.version + 1 - first
        few = range(first, chosen.version + 1) if between <= _FEW_COMMITS else ()
        files = [self._commits[number] for number in few if number in self._commits]
        if len(files) < between or sum(file.info.size for file in files) > _FEW_BYTES:
            return False
        touched: dict[tuple[str, str | None], tuple[str, str]] = {}
        try:
            for file in files:
                for name, document in commits.read_lines(self.store, file.path).actions():
                    if name in {"add", "remove"}:
                        key = file_key(document, self.store.qualifier)
                        touched[key] = (touched.get(key, (name,))[0], name)
            counts = [self.reader(each).adds() for each in (*older, chosen)]
        except TableError:  # which is a finding of its own
            return False
        new, gone = (list(touched.values()).count((name, name)) for name in ("add", "remove"))
        known = [count for count in counts if count is not None]
        return len(known) == len(counts) and known[-1] != sum(known[:-1]) + new - gone

    def _opened(
        self, known: CheckpointFacts, checkpoint: Checkpoint, older: Sequence[Checkpoint] | None
    ) -> CheckpointFacts:
        """What is *known*, and what it holds: all of it where *older* ones tell what it must."""
        sizes = {file.path: file.info.size for file in self.listing.of_kind(Kind.SIDECAR)}
        found: dict[str, Any] = {}
        try:
            reader = self.reader(checkpoint)
            names = (*SMALL, "checkpointMetadata", "commitInfo", "cdc")
            small = [*reader.small_actions(names)][::-1]
            sidecars = [document for name, document in small if name == "sidecar"]
            paths = [sidecar_path(sidecar) for sidecar in sidecars]
            state = state_after(known.state, known.version, small)
            found |= {"opened": True, "small": tuple(small), "state": state}
            found["sidecars"] = tuple(
                SidecarFacts(
                    str(sidecar.get("path")), integer(sidecar.get("sizeInBytes")), sizes.get(path)
                )
                for sidecar, path in zip(sidecars, paths, strict=True)
            )
            present = [path for path in paths if path in sizes]
            files = [file.path for file in checkpoint.files]
            found["columns"] = reader.columns([*files, *present[:1]])
            if older is not None and len(present) == len(paths):
                # Everything is read, and compared with older files.
                expected = self._expected(checkpoint.version, older)
                counts: Counter[str] = Counter()
                for path in (*files, *paths):
                    if path.endswith(".parquet"):
                        reader.check_pages(path)
                    prefix = "" if path in files else "sidecar."
                    for adds in _hashed_adds(reader, path, self.store, counts, prefix):
                        if expected is not None:
                            expected.cross_off(adds)
                difference = None if expected is None else expected.difference(small)
                found |= {"counts": dict(counts), "difference": difference}
        except TableError as error:
            found["error"] = error.message
        return replace(known, **found)

    def _expected(self, version: int, older: Sequence[Checkpoint]) -> _Expected | None:
        """The state of *version* by its commits, on top of the nearest fit checkpoint if any."""
        bases = [checkpoint for checkpoint in reversed(older) if checkpoint.version < version]
        for base in (*bases, None):
            first = 0 if base is None else base.version + 1
            if any(number not in self._commits for number in range(first, version + 1)):
                continue
            files = [self._commits[number] for number in range(version, first - 1, -1)]
            with suppress(TableError):
                reader = None if base is None else self.reader(base)
                expected = _Expected(self.store, reader, files)
                if expected.complete:
                    return expected
        return None


class _Expected:
    """
    What a version must hold by its commits, newest first, on top of an older checkpoint.

    Raises `TableError` if one of the files cannot be read.
    """

    def __init__(
        self, store: LogStore, base: CheckpointReader | None, files: Sequence[LogFile]
    ) -> None:
        self._store = store
        self._base = base
        self._files = files
        self._small: dict[tuple[str, ...], Any] = {}
        self._missing = {digest for digest, _ in self._live()}
        self._unexpected = 0
        self._paths: list[str] = []
        for name, document in base.small_actions() if base is not None else ():
            _take(self._small, name, document)
        self.complete = {*STATE} <= {name for name, *_ in self._small}

    def cross_off(self, adds: Iterable[Hashed]) -> None:
        """Take in live files that were found."""
        for hashed, path in adds:
            if hashed in self._missing:
                self._missing.discard(hashed)
            else:
                self._unexpected += 1
                if len(self._paths) < _NAMED_PATHS:
                    self._paths.append(path)

    def difference(self, small: Sequence[tuple[str, Document]]) -> Difference:
        """How *small* actions, the newest last, and the files crossed off differ from all this."""
        ours, theirs = self._small, dict[tuple[str, ...], Any]()
        for name, document in reversed(small):
            _take(theirs, name, document)
        odd = (key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key))
        # What a checkpoint must have, and has not, is a fact of its own; transactions may expire.
        lacking = {name for name in STATE if (name, "") not in theirs}
        expiring = {"txn"} if "delta.setTransactionRetentionDuration" in str(ours) else set()
        parts = {name for name, *_ in odd} - lacking - expiring
        gone = (path for hashed, path in self._live() if hashed in self._missing)
        return Difference(
            parts=tuple(sorted(parts)),
            only_in_checkpoint=self._unexpected,
            only_in_commits=len(self._missing),
            paths=(*self._paths, *(islice(gone, _NAMED_PATHS) if self._missing else ())),
        )

    def _live(self) -> Iterator[Hashed]:
        touched: set[int] = set()
        for file in self._files:
            for name, document in commits.read_lines(self._store, file.path).actions_reversed():
                _take(self._small, name, document)
                if name in {"add", "remove"}:
                    hashed = hash(file_key(document, self._store.qualifier))
                    if hashed not in touched:
                        touched.add(hashed)
                        if name == "add":
                            yield hashed, str(document.get("path"))
        if self._base is not None:
            for path in self._base.file_paths():
                for adds in _hashed_adds(self._base, path, self._store, Counter()):
                    yield from ((hashed, name) for hashed, name in adds if hashed not in touched)


def _hashed_adds(
    reader: CheckpointReader, path: str, store: LogStore, counts: Counter[str], prefix: str = ""
) -> Iterator[Iterable[Hashed]]:
    """The `add` actions in a file of a checkpoint; *counts* adds up all that it has."""
    if path.endswith(".json"):
        for name, action in reader.json_actions(path):
            counts[f"{prefix}{name}"] += 1
            if name == "add":
                yield [(hash(file_key(action, store.qualifier)), str(action.get("path")))]
        return
    from deltaadm.replay.adds import hashed_rows, require_short_paths, valid_rows

    with reader.decoding(path):
        for batch in reader.batches(path, _COUNTED_FIELDS):
            for name in batch.schema.names:
                column = batch.column(name)
                if rows := valid_rows(column, _KEY_FIELDS.get(name)):
                    counts[f"{prefix}{name}"] += rows
                    if name == "add":
                        require_short_paths(column, store.limits)
                        yield hashed_rows(column, store.qualifier)


def compaction_facts(
    store: LogStore, listing: LogListing, *, compared: Collection[LogFile]
) -> Iterator[CompactionFacts]:
    """One for each file of compacted commits; those *compared* are read, and so are the commits."""
    files = listing.of_kind(Kind.COMPACTED)
    by_version = {commit.number: commit for commit in listing.commits} if files else {}
    for file in files:
        first, last = file.number, -1 if file.end is None else file.end
        error = difference = ""
        if file in compared and first <= last:
            # A name may claim any range.
            few = range(last, first - 1, -1) if last - first < len(by_version) else ()
            known = [by_version[number] for number in few if number in by_version]
            try:
                ours = _winners(store, [file])
            except TableError as unread:
                error, known = unread.message, []
            if len(known) == last - first + 1:
                with suppress(TableError):
                    theirs = _winners(store, known)
                    # What came and went within the range need not be mentioned.
                    gone = {key for key, what in theirs.items() if what == "remove"} - ours.keys()
                    oldest = _winners(store, known[::-1]) if gone else {}
                    gone = {key for key in gone if oldest[key] != "remove"}
                    keys = sorted((ours.keys() | theirs.keys()) - gone, key=str)
                    odd = (" ".join(key) for key in keys if ours.get(key, 0) != theirs.get(key, 0))
                    difference = next((f"they differ in {key.rstrip()}" for key in odd), "")
        yield CompactionFacts(file=file, listing=listing, error=error, difference=difference)


def _winners(store: LogStore, files: Sequence[LogFile]) -> dict[tuple[str, ...], Any]:
    """The action that counts of each key, the files being the newest first."""
    winners: dict[tuple[str, ...], Any] = {}
    for file in files:
        for name, document in commits.read_lines(store, file.path).actions_reversed():
            if name in {"add", "remove"}:
                row = [document.get(field) for field in FIELDS]
                _, (path, vector), _, said = live_row(row, store.qualifier)
                winners.setdefault(("file", path, vector or ""), said if name == "add" else name)
            _take(winners, name, document)
    return winners


_NAMED: Final = {"protocol": "", "metaData": "", "txn": "appId", "domainMetadata": "domain"}
"""The field by which actions of a kind are told apart, where there may be several."""


def _take(found: dict[tuple[str, ...], Any], name: str, document: Document) -> None:
    """Take in what an action that is not about a file says, unless a newer one has been found."""
    if name in _NAMED and not (name == "metaData" and document.get("id") is None):
        said = None if document.get("removed") is True else essence(name, document)
        found.setdefault((name, str(document.get(_NAMED[name], ""))), said)


def essence(name: str, document: Mapping[str, Any]) -> Any:
    """What an action says about the state of the table, however its writer spells it."""
    if name == "protocol":
        return Protocol.from_wire(dict(document)).to_wire()
    if name == "metaData":
        # Writers leave out what is null, or do not, and checkpoints cannot tell these apart.
        known = {key: value for key, value in document.items() if value is not None}
        wire = Metadata.from_wire(known).to_wire()
        try:
            return {**wire, "schemaString": json.loads(wire.get("schemaString") or "null")}
        except (TypeError, ValueError, RecursionError):  # what is no schema stands as it is
            return wire
    keys = ("appId", "version") if name == "txn" else ("domain", "configuration")
    return [document.get(key) for key in keys]


LiveRow = tuple[str, tuple[str, str | None], Any, str]
"""The path of a live file, the key that it is known by, its size, and all that is said of it."""
FIELDS: Final = (
    "path", "deletionVector", "size", "partitionValues", "baseRowId", "defaultRowCommitVersion",
)  # fmt: skip
"""What tells of a live file, whoever has written it."""


def live_row(row: Sequence[Any], qualifier: str) -> LiveRow:
    """What the `FIELDS` of a live file tell; *qualifier* completes absolute paths."""
    path, vector, size, values, row_id, since = row
    key = canonical_path(str(path), qualifier), vector_id(vector)
    named = dict(values).items() if values else ()
    pairs = sorted([(name, of or None) for name, of in named]) if named else ()
    # As Python writes values, each ends before the next; the path ends it all.
    said = f"{size!r} {pairs!r} {key[1]!r} {row_id!r} {since!r} {key[0]}"
    return path, key, size, said
