"""Reading which files the versions of a table need, and looking which of them are there."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, groupby
from math import inf
from typing import Any, Final
from urllib.parse import unquote

from deltaadm.domain.actions import DeletionVectorDescriptor
from deltaadm.domain.file_facts import INLINE, RELATIVE, descriptor_flaw, relative_path
from deltaadm.domain.properties import kept_for, switch
from deltaadm.domain.snapshot import FileFacts, FileInfo, LogListing
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError
from deltaadm.facts import effective
from deltaadm.paths import is_absolute
from deltaadm.plans.checkpoint import State
from deltaadm.replay.commits import read_lines
from deltaadm.replay.embedded import commit_time
from deltaadm.replay.load import load_snapshot, raised_times
from deltaadm.replay.reconcile import canonical_path
from deltaadm.reports.history import Clone, RestorableReport, Span
from deltaadm.runs.context import RunContext, answer_time
from deltaadm.runs.places import tables_below
from deltaadm.runs.target import Target, resolve

_DAY: Final = 86_400_000
_THERE, _TAKEN = -1, -2
"""What stands for the time of a tombstone once its file was seen, and VACUUM keeps or takes it."""


class Needs:
    """
    The files that the versions of the table at *location* need, of those that its log can rebuild.

    There may be millions, so they are known by the hashes of their places: `live` are those of the
    newest version with the version since which they are needed, `past` those that only older ones
    need with the time of their tombstone, and `buried` those that no version needs whose tombstones
    are left. `outside` are the directories of those that are not below the table.
    Raises `TableError` where no version can be rebuilt.
    """

    def __init__(self, context: RunContext, location: str) -> None:
        self.store = store = context.open_store(location)
        self.root = _uri(location if ":" in location else f"file:{location}")
        self.live: dict[int, int] = {}
        self.past: dict[int, int] = {}
        self.buried: dict[int, int] = {}
        self.outside: dict[int, str] = {}
        self._vectors: dict[int, int] = {}  # where that of a live file is
        self._file_of = lru_cache(1 << 14)(self._vector_file)  # which is the same for many
        self._times: dict[int, int] = {}  # one value for all that were removed at a time
        self._places, self._firsts, self._lasts = array("q"), array("q"), array("q")
        self.listing = LogListing.of(store.root, store.list_log(0))
        versions = self.listing.recreatable_versions
        if versions is None:
            raise self.listing.version_not_found(load_snapshot(store, context.engine).version)
        self.first, self.last = versions
        base = load_snapshot(store, context.engine, version=self.first)
        self.metadata, self.times = base.metadata, [base.timestamp or 0]
        segment = base.segment
        if segment is None or segment.checkpoint is None:
            self.times.clear()
        else:
            state = State(store, segment)
            # Before the files: one that was given a vector has a tombstone without it.
            for document in state.tombstones():
                self._remove(document, self.first)
            for path, vector in state.live_rows(("path", "deletionVector")):
                self._add(path, vector, self.first)
        later = self.listing.commits.after(self.first - 1 + len(self.times))
        store.read_ahead(later.names)
        for file in later:
            self._read(file.number, file.path, file.info)
        # Vectors are files like any other; several may be in one.
        for place, where in self._vectors.items():
            since = self.live[place]
            self.live[where] = min(since, self.live.get(where, since))
        self._vectors.clear()

    def intervals(self) -> Iterator[tuple[int, int, int]]:
        """Each file with the first and the last version of a time for which it was needed."""
        yield from zip(self._places, self._firsts, self._lasts, strict=True)
        for place, first in self.live.items():
            yield place, first, self.last

    def _read(self, version: int, path: str, info: FileInfo) -> None:
        added, inside = list[tuple[Any, Any]](), None
        # A file gets a vector by its removal without one, which may come later in the commit.
        for name, document in read_lines(self.store, path).actions():
            if name == "remove":
                self._remove(document, version)
            elif name == "add" and document.get("path") is not None:
                added.append((document["path"], document.get("deletionVector")))
            elif name == "metaData" and document.get("id") is not None:
                self.metadata = Metadata.from_wire(document)
            elif name == "commitInfo":
                inside = document.get("inCommitTimestamp")
        for file, vector in added:
            self._add(file, vector, version)
        self.times.append(commit_time(inside, self.metadata, info.modified))

    def _add(self, path: Any, vector: Any, version: int) -> None:
        place = self.place(str(path))
        self.live.setdefault(place, version)
        if (where := self._vector_place(vector)) is not None:
            self._vectors[place] = where

    def _remove(self, document: Mapping[str, Any], version: int) -> None:
        if (path := document.get("path")) is None:
            return
        place, time = self.place(str(path)), document.get("deletionTimestamp") or 0
        since = self.live.pop(place, None)
        self._end(place, since, version, time)
        where = self._vectors.pop(place, self._vector_place(document.get("deletionVector")))
        if where is not None:
            self._end(where, since, version, time)

    def _end(self, place: int, since: int | None, version: int, time: int) -> None:
        if since is None or since == version:
            self.buried[place] = time
            return
        time = max(time, self.past.get(place, 0))
        self.past[place] = self._times.setdefault(time, time)
        self._places.append(place)
        self._firsts.append(since)
        self._lasts.append(version - 1)

    def _vector_place(self, vector: Any) -> int | None:
        if not isinstance(vector, dict):
            return None
        kind, text = vector.get("storageType"), vector.get("pathOrInlineDv")
        return self._file_of(str(kind), str(text or ""))

    def _vector_file(self, kind: str, text: str) -> int | None:
        descriptor = DeletionVectorDescriptor(kind, text, offset=0)
        if kind == INLINE or descriptor_flaw(descriptor):
            return None
        if kind == RELATIVE:
            return _key(f"{self.root}/{relative_path(descriptor)}")
        return self.place(text)

    def place(self, path: str) -> int:
        """The hash of the place that *path* of the log leads to."""
        if "%" in path or "/." in path or "./" in path or "//" in path:
            path = unquote(canonical_path(path, self.store.qualifier))
        if not is_absolute(path):
            return _key(f"{self.root}/{path}")
        place = _uri(canonical_path(path, self.store.qualifier))
        key = _key(place)
        if not place.startswith(f"{self.root}/"):
            self.outside[key] = sys.intern(place.rpartition("/")[0])
        return key

    def outside_in(self, root: str) -> list[int]:
        """Those of the files outside the table that are in the one at *root*."""
        return [key for key, at in self.outside.items() if f"{at}/".startswith(f"{root}/")]


def _key(place: str) -> int:
    return hash(place) >> 4


def _uri(location: str) -> str:
    """*location* in the one form of the schemes of S3."""
    return re.sub("^s3[an]:", "s3:", location.rstrip("/"))


def read_restorable(
    context: RunContext, target: Target, directories: Sequence[str] | None
) -> RestorableReport:
    """What can be restored of *target*, with tables below *directories* that share its files."""
    now = answer_time()
    needs = Needs(context, target.location)
    configuration = needs.metadata.configuration
    kept = _milliseconds(configuration, "delta.deletedFileRetentionDuration")
    looked = _Looked(needs, now, kept)
    roots: list[str] = []
    clones: list[Clone] = []
    unread: list[str] = []
    failed: list[DeltaadmError] = []
    for root in directories or ():
        for text in tables_below(context, root, failed.append):
            try:
                other = resolve(context, text)
                if other.location != target.location:
                    theirs = Needs(context, other.location)
                    if needs.outside_in(theirs.root):
                        for info in theirs.store.list_data():
                            looked.found(_key(f"{theirs.root}/{info.path}"))
                        roots.append(theirs.root)
                    if shared := theirs.outside_in(needs.root):
                        ending = len(looked.taken.intersection(shared))
                        clones.append(Clone(text, len(shared), ending))
            except DeltaadmError as error:
                unread.append(error.message)
    unread += [error.message for error in failed]
    unknown = set(needs.outside).difference(*(needs.outside_in(root) for root in roots))
    spans, missing = looked.spans(unknown)
    cleaned_at, cleaned_to = _cleanup(needs)
    oldest = next(of.first for of in spans if of.allowed)
    until = None
    if oldest < needs.last and kept is not None:
        until = needs.times[oldest - needs.first] + kept
    return RestorableReport(
        table=target.text,
        location=target.location,
        name=target.name,
        spans=spans,
        **looked.counts,
        missing=missing,
        outside=len(needs.outside),
        cleaned_at=cleaned_at,
        cleaned_to=cleaned_to,
        allowed_until=until,
        vacuum_at=looked.vacuum_at,
        clones=None if directories is None else tuple(clones),
        unread=tuple(unread),
    )


class _Looked:
    """What a listing of the table shows of the files that it needs, and of all others."""

    def __init__(self, needs: Needs, now: int, kept: int | None) -> None:
        self._needs = needs
        self._cutoff = -1 if kept is None else now - kept
        self.taken: set[int] = set()
        self.vacuum_at: int | None = None
        counts = {name: [0, 0] for name in ("live", "history", "vacuum")}  # files, and their bytes
        # What VACUUM passes over, in the paths of files (DeltaTableUtils.isHiddenDirectory).
        columns = (re.escape(f"{name}=") for name in needs.metadata.partition_columns)
        pattern = rf"(?:^|/)(?!{'|'.join(('_delta_index', '_change_data', *columns))})[._]"
        if "iceberg" in needs.metadata.configuration.get(
            "delta.universalFormat.enabledFormats", ""
        ):
            pattern += "|(?:^|/)metadata(?:/|$)"
        hidden = re.compile(pattern)
        for info in needs.store.list_data():
            key = _key(f"{needs.root}/{info.path}")
            buried = max(needs.past.get(key, 0), needs.buried.get(key, 0))
            was_past = key in needs.past
            if self.found(key):
                _count(counts["live"], info)
                continue
            if was_past:
                _count(counts["history"], info)
            if hidden.search(info.path):
                continue
            # VACUUM spares what is newer than its retention, by its tombstone or by itself.
            since = max(buried, info.modified)
            if since < self._cutoff:
                _count(counts["vacuum"], info)
                self.taken.add(key)
                if was_past:
                    needs.past[key] = _TAKEN
            elif kept is not None:
                self.vacuum_at = min(since + kept + 1, self.vacuum_at or sys.maxsize)
        self.counts = {name: FileFacts(files=n, bytes=size) for name, (n, size) in counts.items()}

    def found(self, key: int) -> bool:
        """Note that a file is there; whether the newest version needs it."""
        if key in self._needs.past:
            self._needs.past[key] = _THERE
        return self._needs.live.pop(key, None) is not None

    def spans(self, unknown: Collection[int]) -> tuple[tuple[Span, ...], int]:
        """The versions by what is true of them, and how many files are missing."""
        needs = self._needs
        first, last = needs.first, needs.last
        lacking, asked, ending = (array("q", bytes(8 * (last - first + 2))) for _ in range(3))
        for key, since, until in needs.intervals():
            state = needs.past.get(key, 0 if key in needs.live else _THERE)
            flags = ending if state == _TAKEN else asked if key in unknown else lacking
            if state == _THERE:
                continue
            flags[since - first] += 1
            flags[until + 1 - first] -= 1
        counts = (map(bool, accumulate(flags)) for flags in (lacking, asked, ending))
        judged = []
        for version, lacks, asks, ends, time in zip(
            range(first, last + 1), *counts, needs.times, strict=False
        ):
            opened = False if lacks else None if asks else True
            allowed = time >= self._cutoff or version == last
            judged.append((version, opened, allowed, ends and not lacks))
        alike = (list(group) for _, group in groupby(judged, lambda row: row[1:]))
        past = (key for key, at in needs.past.items() if at >= 0 and key not in needs.live)
        missing = sum(key not in unknown for key in chain(needs.live, past))
        return tuple(Span(group[0][0], *group[-1]) for group in alike), missing


def _count(amount: list[int], info: FileInfo) -> None:
    amount[0] += 1
    amount[1] += info.size


def _milliseconds(configuration: Mapping[str, str], key: str) -> int | None:
    kept = kept_for(effective(configuration, key) or "")
    return None if kept == inf else int(kept) // 1000


def _cleanup(needs: Needs) -> tuple[int | None, int | None]:
    """
    When log cleanup may first end versions, and which is the oldest one then.

    It removes commits up to a checkpoint once the last of them is older than the retention on the
    day before, in UTC (MetadataCleanup.scala).
    """
    configuration, listing = needs.metadata.configuration, needs.listing
    kept = _milliseconds(configuration, "delta.logRetentionDuration")
    following = next((of.version for of in listing.checkpoints if of.version > needs.first), None)
    on = switch(configuration, "delta.enableExpiredLogCleanup")
    if kept is None or following is None or on is False:
        return None, None
    older = listing.commits.until(following - 1)
    *_, time = raised_times(file.info.modified for file in older)
    return -(-time // _DAY) * _DAY + kept, following
