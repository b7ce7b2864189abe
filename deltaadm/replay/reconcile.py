"""
Newest wins: folding the actions of a log into the state of a table.

The rules are those of PROTOCOL.md (Action Reconciliation). Actions come as they stand in the
log, JSON objects under their names, from the newest to the oldest.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache

from deltaadm.domain.snapshot import FileFacts, LogSegment, Snapshot
from deltaadm.errors import TableError
from deltaadm.limits import LIMITS, load_json
from deltaadm.storage.store import LogStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import blake2b
    from typing import Any, Final, Never, Protocol, TypeVar

    Document = Mapping[str, Any]
    Found = TypeVar("Found")
    Key = tuple[str, str]
else:
    Protocol = object


class Reconciliation:
    """
    The state so far. Offer actions from the newest to the oldest; the first of a key stays.

    `domains` includes tombstones, which hide older entries; `unknown` counts the actions that
    this version does not know, by name. Like Delta, it passes over a metaData without `id`, and
    an add or remove without `path`.
    *qualifier* completes absolute paths, see `LogStore`. Transactions and domains may take *most*
    bytes of memory.
    """

    def __init__(self, qualifier: str = "", most: int = LIMITS.state) -> None:
        self.protocol: Document | None = None
        self.metadata: Document | None = None
        self.transactions: dict[str, Document] = {}
        self.domains: dict[str, Document] = {}
        self.unknown: dict[str, int] = {}
        self._qualifier = qualifier
        self._most = self._left = most
        self._seen: set[str | Key] = set()

    @property
    def complete(self) -> bool:
        return self.protocol is not None and self.metadata is not None

    @property
    def lacking(self) -> frozenset[str]:
        """Which of protocol and metaData are still to be found."""
        found = zip(STATE, (self.protocol, self.metadata), strict=True)
        return frozenset(name for name, document in found if document is None)

    def offer(self, name: str, document: Document) -> bool:
        """Take in one action; true if it is an `add` whose file is alive."""
        return self.survives(name, document) and name == "add"

    def survives(self, name: str, document: Document) -> bool:
        """Take in one action; true if it is the newest one of its file, a tombstone or not."""
        if name in {"add", "remove"}:
            # A tombstone hides older entries of its file, and nothing else.
            path = document.get("path")
            if path is None:
                return False
            path = _short(canonical_path(str(path), self._qualifier))
            vector = vector_id(document.get("deletionVector"))
            # PROTOCOL.md: with another deletion vector it is another entry.
            key = path if vector is None else (path, _short(vector))
            if key in self._seen:
                return False
            self._seen.add(key)
            return True
        if name == "protocol":
            self.protocol = document if self.protocol is None else self.protocol
        elif name == "metaData":
            if self.metadata is None and document.get("id") is not None:
                self.metadata = document
        elif name == "txn":
            self._keep(self.transactions, str(document.get("appId")), document)
        elif name == "domainMetadata":
            self._keep(self.domains, str(document.get("domain")), document)
        elif name not in _STATELESS:
            self.unknown[name] = self.unknown.get(name, 0) + 1
        return False

    def _keep(self, kept: dict[str, Document], key: str, document: Document) -> None:
        if key in kept:
            return
        values = document.values()
        # Half a kilobyte beside its texts: it is held twice for a time.
        self._left -= 512 + sum(len(text) for text in values if isinstance(text, str))
        if self._left < 0:
            raise TableError(
                f"The table has more than {len(self.transactions):,} transaction identifiers and "
                f"{len(self.domains):,} domains, which take more than the {self._most:,} bytes "
                "that deltaadm holds of them.",
                remedy="Have the writers reuse their identifiers; Delta removes old ones by "
                "delta.setTransactionRetentionDuration.",
            )
        # json makes the names anew for each document; a log may have very many transactions.
        kept[key] = {sys.intern(name): value for name, value in document.items()}

    def touched_paths(self) -> Iterator[str]:
        """The canonical paths of all files offered so far, but for those longer than `LONG`."""
        return (key if isinstance(key, str) else key[0] for key in self._seen)


LONG: Final = 1 << 10
"""Longer names of files are held as hashes, since a log may have very many of them."""


def _short(name: str) -> str:
    return name if len(name) <= LONG else f"blake2b:{digest(name, 64).hex()}"


def digest(name: str, size: int) -> bytes:
    """A hash of a file's *name*, the same in each process."""
    return _blake2b()(name.encode("utf-8", "surrogatepass"), digest_size=size).digest()


@cache
def _blake2b() -> type[blake2b]:
    from hashlib import blake2b  # it loads OpenSSL, and few tables need it

    return blake2b


STATE: Final = ("protocol", "metaData")
"""The actions of which a table has one each."""

_STATELESS: Final = frozenset({"commitInfo", "cdc", "checkpointMetadata", "sidecar"})


def canonical_path(path: str, qualifier: str = "") -> str:
    """
    A path of the log in the one form under which files are compared.

    As in Delta Spark, which compares URIs: absolute paths are completed, `./x` and `y//x` are
    normalized, and percent-encoding may be in capitals or not, but is not undone.

    >>> canonical_path("a%c3%a9"), canonical_path("/x", "file:"), canonical_path("file:///x")
    ('a%C3%A9', 'file:/x', 'file:/x')
    """
    is_odd = "//" in path or "./" in path or "/." in path
    if is_odd or "%" in path:
        from deltaadm.paths import normalized, with_upper_escapes

        path = with_upper_escapes(path)
        path = normalized(path) if is_odd else path
    if path.startswith("/"):
        return f"{qualifier}{path}"
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*:)//(?=/)", r"\1", path) if ":///" in path else path


def vector_id(vector: Any) -> str | None:
    """
    A deletion vector's part of a file's key (PROTOCOL.md, Deletion Vector Descriptor).

    None without one; checkpoints have a struct whose fields are all null for that.
    """
    if not isinstance(vector, dict) or vector.get("storageType") is None:
        return None
    start = f"{vector.get('storageType')}{vector.get('pathOrInlineDv')}"
    offset = vector.get("offset")
    return start if offset is None else f"{start}@{offset}"


def file_key(document: Mapping[str, Any], qualifier: str) -> tuple[str, str | None]:
    """What the file of an `add` or `remove` action is known by."""
    path = canonical_path(str(document.get("path")), qualifier)
    return path, vector_id(document.get("deletionVector"))


def count_files(documents: Iterable[Document]) -> FileFacts:
    """The facts about the live files of the `add` actions in *documents*."""
    files = total = vectors = purged = without_stats = without_records = without_row_id = 0
    keys: set[tuple[str, ...]] = set()
    for document in documents:
        stats, size = document.get("stats"), document.get("size")
        size = size if isinstance(size, int) else 0
        files += 1
        total += size
        if document.get("deletionVector"):
            vectors += 1
            purged += size
        without_stats += stats is None
        without_records += not has_num_records(stats)
        without_row_id += document.get("baseRowId") is None
        keys.add(tuple(sorted(document.get("partitionValues") or ())))
    return FileFacts(
        files=files,
        bytes=total,
        with_deletion_vector=vectors,
        bytes_with_deletion_vector=purged,
        without_stats=without_stats,
        without_num_records=without_records,
        without_base_row_id=without_row_id,
        partition_keys=frozenset(keys),
    )


NUM_RECORDS_FIRST: Final = r'^\s*\{\s*"numRecords"\s*:\s*\d'
"""Statistics that begin with the number of records, as nearly all do."""
PLAINLY_COUNTED: Final = tuple(f'{{"numRecords":{digit}'.encode() for digit in range(10))
"""Their usual beginnings; checking a prefix is much faster than a pattern."""


def has_num_records(stats: Any) -> bool:
    """Whether the JSON text of a file's statistics says how many records it has."""
    if not isinstance(stats, str):
        return False
    if re.match(NUM_RECORDS_FIRST, stats):
        return True
    if "numRecords" not in stats:
        return False
    try:
        document = load_json(stats)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("numRecords") is not None


# What an engine gives


class Detail(Enum):
    """How much of a snapshot to load; more costs more."""

    PROTOCOL = "protocol"
    """Protocol and metadata; reading stops when both are known."""
    STATE = "state"
    """Also transactions, domains and facts about the live files; reads the whole segment."""


class ReplayEngine(Protocol):
    """Whatever can turn a segment into a snapshot."""

    def replay(self, store: LogStore, segment: LogSegment, detail: Detail) -> Snapshot:
        """
        The state that *segment* describes, whether or not its features are supported.

        Raises `UnreadableCheckpointError` if only the segment's checkpoint is at fault, and
        `TableError` where no snapshot can be built.
        """


class ExaminingEngine(ReplayEngine, Protocol):
    """One that may have processes of its own to look at the files of a checkpoint."""

    def looked_at(
        self, store: LogStore, paths: Sequence[str], look: Callable[[Iterable[Any]], Found]
    ) -> Sequence[Found] | None:
        """
        The answers of *look* on batches of the `add` actions in files of Parquet, part by part.

        They are in the order of the files. None where the caller has to read the files: there are
        no such processes, or they find something wrong.
        """


class UnreadableCheckpointError(TableError):
    """A checkpoint that cannot be used; the table may still load from older files."""


# Statistics of a scan


PARALLEL_THRESHOLD: Final = 2_000
"""So many files that starting processes for them pays."""

_TURN: Final = 128
"""Files that a process looks into at a time."""

_PREFIX: Final = 8
"""Bytes that say how long an answer is."""


def scan(
    store: LogStore, paths: Sequence[str], look: Callable[[str], Found]
) -> Iterator[tuple[str, Found]]:
    """
    Each path of *store* with what *look* finds there, in their order, as long as more is asked for.

    Where there are many, *look* is called in copies of this process, which has its own work with
    the answers: nothing may depend on what it leaves behind. Answers that cannot be sent between
    processes are found here, and so is what it raises.
    """
    store.read_ahead(paths)
    turns = [paths[start : start + _TURN] for start in range(0, len(paths), _TURN)]
    is_worth_it = len(paths) >= PARALLEL_THRESHOLD and store.survives_fork and can_fork()
    processes = processors() if is_worth_it else 1
    crew = range(processes if processes > 1 else 0)
    helpers = [_Helper(turns[number::processes], look) for number in crew]
    try:
        for number, turn in enumerate(turns):
            answers = helpers[number % processes].answers() if helpers else None
            yield from zip(turn, map(look, turn) if answers is None else answers, strict=True)
    finally:
        for helper in helpers:
            helper.end()


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_UNFORKABLE: Final = frozenset({"pyarrow", "deltalake", "obstore", "pyspark"})
"""Packages whose threads do not survive a fork."""


def can_fork() -> bool:
    """Whether a copy of this process is sound: threads, for one, are not copied."""
    threads = sys.modules.get("threading")
    return (
        hasattr(os, "fork")
        and sys.platform != "darwin"  # its system libraries use threads of their own
        and _UNFORKABLE.isdisjoint(sys.modules)
        and (threads is None or threads.active_count() == 1)
    )


class _Helper:
    """A process that takes some of the turns, and its answers."""

    def __init__(self, turns: Sequence[Sequence[str]], look: Callable[[str], Found]) -> None:
        answers, tell = os.pipe()
        self._process = os.fork()
        if not self._process:
            os.close(answers)
            _work(turns, look, tell)
        os.close(tell)
        self._answers = os.fdopen(answers, "rb")

    def answers(self) -> list[Any] | None:
        """The results of its next turn; None if the process failed or has ended."""
        length = int.from_bytes(self._answers.read(_PREFIX))
        body = self._answers.read(length)
        return marshal.loads(body) if length and len(body) == length else None  # noqa: S302 -- ours

    def end(self) -> None:
        self._answers.close()
        # Killed at once: a helper only reads, so there is nothing to clean up.
        os.kill(self._process, 9)
        os.waitpid(self._process, 0)


def _work(turns: Sequence[Sequence[str]], look: Callable[[str], Found], tell: int) -> Never:
    """Write what is found in each turn to *tell*; nothing where it fails."""
    try:
        with os.fdopen(tell, "wb") as out:
            for turn in turns:
                try:
                    # Faster than pickle; both ends are the same Python.
                    body = marshal.dumps([look(path) for path in turn])
                except Exception:  # noqa: BLE001 -- raised again where it can be dealt with
                    body = b""
                out.write(len(body).to_bytes(_PREFIX))
                out.write(body)
                out.flush()
    finally:
        # Exit handlers and unwritten output belong to the process that was forked.
        os._exit(0)
