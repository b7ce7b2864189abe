"""Writing a checkpoint of a version from our own replay; deltalake and Spark have no part in it."""

from __future__ import annotations

import json
import time
from collections import Counter
from hashlib import blake2b
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple
from uuid import uuid4

from deltaadm.commit.checkpoint_columns import Columns, exact
from deltaadm.dataclass import replace
from deltaadm.domain.model.json_checksum import checksums
from deltaadm.domain.model.json_values import compact
from deltaadm.domain.model.log_segment import (
    Checkpoint,
    Kind,
    LogFiles,
    LogListing,
    choose,
)
from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.model.properties import kept_for
from deltaadm.domain.model.protocol import Protocol
from deltaadm.domain.steps.write_checkpoint import require_checkpointable
from deltaadm.errors import (
    CommitError,
    DeltaadmError,
    Refused,
    StorageError,
    TableError,
    UnknownWrite,
)
from deltaadm.replay.checkpoints import CheckpointReader, documents
from deltaadm.replay.engine import UnreadableCheckpoint, hint_of
from deltaadm.replay.load import Attempt, locate
from deltaadm.replay.reconcile import canonical_path, vector_id
from deltaadm.replay.whole_state import WholeState
from deltaadm.storage.local import unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.log_segment import LogSegment
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.storage.store import WritableStore

    Named = tuple[str, dict[str, Any]]

HINT: Final = "_last_checkpoint"

_GROUP: Final = 1 << 14
"""Actions that are held at a time, and make up a row group of the file."""
_GROUP_TEXT: Final = 1 << 24
"""Characters of their paths and statistics, at most about."""


def write_checkpoint(store: WritableStore, snapshot: Snapshot) -> bool:
    """
    See to it that there is a checkpoint of the version that *snapshot* is, whatever comes later.

    Answers whether this call has written it; one that is there is kept. It holds what the log says
    and nothing else: it is read back and compared before anybody else can see it. Nothing that
    others can see is ever removed or replaced, except that `_last_checkpoint` is moved forward.

    Raises `Refused` where the log or its protocol has something that we do not know, `CommitError`
    where a file is in the way or the version is not the one that was planned, `TableError` where it
    cannot be loaded, and `StorageError`.
    """
    require_checkpointable(snapshot)
    if store.obstacle:
        raise Refused(
            f"deltaadm cannot write a checkpoint of this table: {store.obstacle}.",
            remedy="Have a writer that is made for this store write it.",
        )
    existing = _existing(store, snapshot)
    if existing is None:
        pointer = _written(store, snapshot)
        if pointer is not None:
            _move_pointer(store, pointer)
            return True
        existing = _existing(store, snapshot)  # which somebody has written meanwhile
    if existing is None:
        raise StorageError(
            f"The store of {store.root} says that there is a checkpoint of version "
            f"{snapshot.version}, and does not find it.",
            remedy="Try again.",
        )
    _move_pointer(store, existing)
    return False


class _Pointer(NamedTuple):
    """What `_last_checkpoint` says of a checkpoint."""

    version: int
    size: int
    bytes: int
    adds: int
    parts: int | None = None


# A new one


def _written(store: WritableStore, snapshot: Snapshot) -> _Pointer | None:
    """What is to be said of a new checkpoint; None where another has its name."""
    attempt = Attempt(store, locate(store, snapshot.version))
    while True:
        try:
            return _written_from(store, snapshot, attempt.segment)
        except UnreadableCheckpoint as error:
            attempt.answer(error)  # goes back to an older one, or raises
        except OSError as error:
            raise unwritable(f"the checkpoint of version {snapshot.version}", error) from error


def _written_from(store: WritableStore, snapshot: Snapshot, segment: LogSegment) -> _Pointer | None:
    import pyarrow.parquet as pq

    version = snapshot.version
    columns = Columns.of(snapshot)
    is_v2 = columns.is_v2
    # A V2 checkpoint without sidecars: a single file, which is there whole or not at all.
    unique = f"{uuid4()}." if is_v2 else ""
    name = f"{version:020d}.checkpoint.{unique}parquet"
    with store.draft(name) as draft:
        expected = _Digest()
        with pq.ParquetWriter(
            draft,
            columns.schema,
            compression="snappy",
            use_dictionary=columns.repetitive,
            write_page_checksum=True,
            store_schema=False,
        ) as writer:
            actions = _actions(WholeState(store, segment), snapshot, columns)
            for group in _groups(actions):
                for action, document in group:
                    expected.take(action, document)
                writer.write_batch(columns.batch(group))
        _require_same(draft, version, expected)
        size = draft.seek(0, 2)
        try:
            is_new = store.publish(draft, name)
        except UnknownWrite as error:
            if store.local_path is not None or name not in store.list_log(version):
                raise StorageError(error.message, remedy=error.remedy) from error
            is_new = True
    counts = expected.counts
    return _Pointer(version, counts.total(), size, counts["add"]) if is_new else None


def _actions(state: WholeState, snapshot: Snapshot, columns: Columns) -> Iterator[Named]:
    """The actions of the checkpoint; raises `Refused` where it could not hold all that is known."""
    oldest = _oldest_tombstone(snapshot)
    for name, document in state.file_actions():
        action = exact(name, document)
        # What Delta writes: a checkpoint is no commit, in which data would have changed.
        action["dataChange"] = False
        if name == "add":
            yield name, columns.with_statistics(action)
        elif action.get("deletionTimestamp", 0) > oldest:
            for key in ("stats", "tags"):  # which tombstones of checkpoints do not have
                action.pop(key, None)
            yield name, action
    for name in sorted(state.unknown):
        raise Refused(
            f"A checkpoint would lose what the log says: it has an action {name}, which deltaadm "
            "does not know.",
            remedy="Have the writer that knows it write the checkpoint, or use a newer deltaadm.",
        )
    for name, document in state.other_actions():
        yield name, exact(name, document)
        _require_planned(snapshot, name, document)
    if columns.is_v2:
        yield "checkpointMetadata", {"version": snapshot.version}


def _require_planned(snapshot: Snapshot, name: str, document: dict[str, Any]) -> None:
    if (name == "protocol" and Protocol.from_wire(document) != snapshot.protocol) or (
        name == "metaData" and not Metadata.from_wire(document).says_the_same_as(snapshot.metadata)
    ):
        raise CommitError(
            f"Version {snapshot.version} of the table has a different {name} than when the "
            "checkpoint was planned.",
            remedy="Plan again on the current table.",
        )


def _oldest_tombstone(snapshot: Snapshot) -> float:
    """The time in ms up to which tombstones have expired."""
    if snapshot.timestamp is None:
        return -inf
    # By the newest commit, unless this machine's clock is behind: one that is ahead must not take
    # the tombstones of files that VACUUM has to spare.
    now = min(time.time_ns() // 1_000_000, snapshot.timestamp)
    stored = snapshot.metadata.configuration.get(_RETENTION, "interval 1 week")
    return now - kept_for(stored) / 1_000


_RETENTION: Final = "delta.deletedFileRetentionDuration"


def _groups(actions: Iterator[Named]) -> Iterator[list[Named]]:
    """The actions in groups that are not too large to be held."""
    for first in actions:
        group, left = [first], _GROUP_TEXT
        for named in islice(actions, _GROUP - 1):
            group.append(named)
            left -= len(named[1].get("path", "")) + len(named[1].get("stats", ""))
            if left < 0:
                break
        yield group


class _Digest:
    """What a number of actions say, in whatever order they come."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._sums: Counter[str] = Counter()

    def take(self, name: str, document: Any) -> None:
        """Take in an action, of which every field counts."""
        text = _CANONICAL.encode(document)
        hashed = blake2b(text.encode(errors="surrogatepass"), digest_size=_HASH).digest()
        self.counts[name] += 1
        # A sum does not depend on the order, and unlike an exclusive or not on pairs either.
        self._sums[name] = (self._sums[name] + int.from_bytes(hashed)) % (1 << 8 * _HASH)

    def differences(self, other: _Digest) -> list[str]:
        """The names of the actions that are not the same in *other*."""
        return [
            name
            for name in sorted({*self.counts, *other.counts})
            if (self.counts[name], self._sums[name]) != (other.counts[name], other._sums[name])
        ]


_HASH: Final = 32
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, default=str)


def _require_same(draft: BinaryIO, version: int, expected: _Digest) -> None:
    """Read a draft back, and raise `CommitError` unless it says what was to be written."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found = _Digest()
    try:
        file = pq.ParquetFile(draft, page_checksum_verification=True)
        for index in range(file.num_row_groups):
            group = file.read_row_group(index)
            for name, column in zip(group.column_names, group.columns, strict=True):
                for document in documents(column):
                    found.take(name, document)
        differences = expected.differences(found)
    except (pa.ArrowException, OSError) as error:
        differences = [str(error)]
    if differences:
        raise CommitError(
            f"The checkpoint of version {version} was not published: read back, it "
            f"differs from the table in {', '.join(differences)}.",
            remedy="Check the memory and the disk of this machine, then try again. If it happens "
            "again, report it, and have Delta Spark write the checkpoint.",
        )


# One that is there


def _existing(store: WritableStore, snapshot: Snapshot) -> _Pointer | None:
    """
    What is to be said of the checkpoint of the version, if there is one.

    Raises `CommitError` for a file that is in the way, and for a checkpoint that is wrong.
    """
    version = snapshot.version
    listing = LogListing.of(store.root, store.list_log(version), version)
    present = [found for found in listing.checkpoints if found.version == version]
    if not present:
        name = f"{version:020d}.checkpoint.parquet"
        if name in listing.infos and not Columns.of(snapshot).is_v2:
            raise _in_the_way(name, "it is not a regular file with content")
        return None
    checkpoint = present[-1]
    last = checkpoint.files[-1].path
    segment = locate(store, version).segment
    none = LogFiles((), listing.infos)
    theirs = replace(segment, checkpoint=checkpoint, commits=none, deltas=none)
    try:
        digest, small = _essence(store, theirs)
    except UnreadableCheckpoint as error:
        raise _in_the_way(last, error.message.rstrip(".")) from error
    try:
        whole = LogListing.of(store.root, store.list_log(0))
        by_commits, expected = _essence(store, choose(whole, version, before=version))
    except TableError:  # older files are gone or unreadable: nothing but the checkpoint tells
        by_commits, expected = digest, small
    wrong = [name for name in ("protocol", "domainMetadata") if small[name] != expected[name]]
    if not small["metaData"].says_the_same_as(expected["metaData"]):
        wrong.append("metaData")
    if wrong := [*wrong, *digest.differences(by_commits)]:
        raise CommitError(
            f"There is a checkpoint of version {version} already, {last}, and its "
            f"{', '.join(wrong)} differ from those of the commits. It was left as it is.",
            remedy="Find out what wrote it: deltaadm validate TABLE --deep.",
        )
    reader = CheckpointReader(store, checkpoint)
    sizes = [file.info.size for file in checkpoint.files]
    sizes += [
        document.get("sizeInBytes", 0) for name, document in reader.small_actions(("sidecar",))
    ]
    parts = len(checkpoint.files) if checkpoint.kind is Kind.MULTIPART else None
    return _Pointer(version, reader.size(), sum(sizes), digest.counts["add"], parts)


def _essence(store: WritableStore, segment: LogSegment) -> tuple[_Digest, dict[str, Any]]:
    """What all checkpoints of a version agree about, whoever has written them."""
    state, digest = WholeState(store, segment), _Digest()
    for name, document in state.file_actions():
        if name == "add":
            path = canonical_path(document["path"], store.qualifier)
            vector = vector_id(document.get("deletionVector"))
            digest.take("add", (path, vector, document.get("size")))
    # Transactions may have expired for one writer and not for the other.
    small: dict[str, Any] = {"protocol": None, "metaData": None, "domainMetadata": {}}
    for name, document in state.other_actions():
        if name == "protocol":
            small[name] = Protocol.from_wire(document)
        elif name == "metaData":
            small[name] = Metadata.from_wire(document)
        elif name == "domainMetadata":
            small[name][document.get("domain")] = document.get("configuration")
    return digest, small


def _in_the_way(name: str, cause: str) -> CommitError:
    return CommitError(
        f"{name} already exists and cannot be read as a checkpoint: {cause}. It was left as it is.",
        remedy="Move the file out of the log, then plan again.",
    )


# The pointer


def _move_pointer(store: WritableStore, pointer: _Pointer) -> None:
    """Point `_last_checkpoint` to a checkpoint, unless there is a newer one."""
    document = {
        "version": pointer.version,
        "size": pointer.size,
        **({} if pointer.parts is None else {"parts": pointer.parts}),
        "sizeInBytes": pointer.bytes,
        "numOfAddFiles": pointer.adds,
    }
    (checksum,) = checksums(compact(document))
    body = compact({**document, "checksum": checksum}).encode()
    if _newer(store, pointer.version) is None:
        store.overwrite(HINT, body)
    # Another writer may have moved it forward in between.
    newer = _newer(store, pointer.version)
    if newer is not None and _pointed_to(store) == pointer.version:
        reader = CheckpointReader(store, newer)
        parts = f',"parts":{len(newer.files)}' if newer.kind is Kind.MULTIPART else ""
        text = f'{{"version":{newer.version},"size":{reader.size()}{parts}}}'
        store.overwrite(HINT, text.encode())


def _newer(store: WritableStore, version: int) -> Checkpoint | None:
    """The newest complete checkpoint after *version*."""
    listing = LogListing.of(store.root, store.list_log(version + 1), version + 1)
    return listing.checkpoints[-1] if listing.checkpoints else None


def _pointed_to(store: WritableStore) -> object:
    try:
        return hint_of(store.read(HINT)).get("version")
    except DeltaadmError:
        return None
