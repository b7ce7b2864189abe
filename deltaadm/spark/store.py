"""A table's log on Hadoop's file systems, as the session's own JVM sees it."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple
from urllib.parse import unquote

from deltaadm.domain.snapshot import (
    LOG_DIRECTORY,
    FileInfo,
    Kind,
    LogFile,
    listing_prefix,
    no_table,
)
from deltaadm.errors import DeltaadmError, EngineError, MissingFileError, StorageError, TableError
from deltaadm.limits import LIMITS
from deltaadm.paths import is_absolute, require_inside
from deltaadm.replay import commits
from deltaadm.replay.embedded import repeated_action
from deltaadm.replay.reconcile import STATE, canonical_path, has_num_records, vector_id
from deltaadm.spark.errors import FILE_SYSTEM_REMEDY, NO_FILE_SYSTEM, error_text, sentence
from deltaadm.spark.executor import address
from deltaadm.storage.discover import not_listed
from deltaadm.storage.local import missing, too_large

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Document = dict[str, Any]
    Named = tuple[str, Document]
    Row = tuple[Any, ...]


# What workers do

FACTS: Final = (
    "high long, low long, with_vector boolean, without_stats boolean, without_records boolean, "
    "without_row_id boolean, partition_keys array<string>"
)
"""
The columns that say what `FileFacts` counts of one file.

Its size is in two: a log may claim one that no long holds, and a sum of longs would overflow.
"""

ROW: Final = (
    "log string, kind string, name string, key string, vector string, age string, line int, "
    f"document string, {FACTS}"
)
"""
The columns of one action: by `kind`, `name`, `key` and `vector` it replaces older ones.

The higher its `age` the newer is its file, and the lower its `line` the newer it is in there. An
action on a file has no `document`, and all others nothing after it.
"""

QUALIFIER: Final = r"^[A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*(?=/))?"
"""Scheme and authority of a qualified path, for Python and for Java."""

FILE: Final = "file"
ACTION: Final = "action"
WARNING: Final = "warning"
FAILURE: Final = "failure"

CHECKPOINTED: Final = ""
"""The age of what a checkpoint says: below that of every commit."""

_MOST: Final = (1 << 94) - 1
"""Bytes beyond which Spark cannot hold what a log claims."""
_NO_FACTS: Final = (None,) * 7
_LAST: Final = (1 << 31) - 1
_ON_FILES: Final = frozenset({"add", "remove"})
_PASSED_OVER: Final = frozenset({"cdc", "checkpointMetadata"})
_IN_CHECKPOINTS: Final = frozenset({"add", *STATE, "txn", "domainMetadata", "sidecar"})
_KEYS: Final = {"txn": "appId", "domainMetadata": "domain", "sidecar": "path"}
_DOCUMENTED: Final = frozenset({*STATE, "commitInfo", *_KEYS})


def age(version: int | None) -> str:
    """The age of a commit, comparable as text, whatever the number of digits."""
    return f"{version or 0:040d}"


def log_of(path: str) -> str:
    """The log that a file, or a sidecar, belongs to."""
    return path.rpartition("/")[0].removesuffix("/_sidecars")


def qualifier_of(log: str) -> str:
    """
    Scheme and authority of a log, see `LogStore`.

    >>> qualifier_of("file:/t/_delta_log"), qualifier_of("hdfs://nn:8020/t/_delta_log")
    ('file:', 'hdfs://nn:8020')
    """
    match = re.match(QUALIFIER, log)
    return match[0] if match else ""


OTHER_FORM: Final = r"^/|//|\./|/\.|%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])"
"""What is in each path that `canonical_path` changes, for Python and for Java."""


def key_of(path: str, log: str) -> str:
    """The form under which a file of a log is compared."""
    return canonical_path(path, qualifier_of(log))


def rows_of_file(path: str, content: bytes) -> list[Row]:
    """The rows of a JSON file of a log; where it cannot be read on, the last one says why."""
    return list(_rows(path, content, state=False))


def state_rows_of_file(path: str, content: bytes) -> list[Row]:
    """Likewise for a commit, with protocol and metaData alone; other lines stay unparsed."""
    return list(_rows(path, content, state=True))


class _Source(NamedTuple):
    """The file that actions come from: its log, its name there, and how new it is."""

    log: str
    name: str
    age: str


def _newest_first(source: _Source, content: bytes, *, state: bool) -> Iterator[Named]:
    if state:
        yield from reversed(commits.state_actions(content, source.name))
    elif source.age == CHECKPOINTED:
        actions = list(commits.checkpoint_actions(content, source.name))
        yield from (each for each in actions[::-1] if each[0] in _IN_CHECKPOINTS)
    else:
        yield from commits.actions_reversed(content, source.name)


def _rows(path: str, content: bytes, *, state: bool) -> Iterator[Row]:
    file = LogFile.of(FileInfo(path.rpartition("/")[2]))
    made_by = file.version if file.end is None else file.end
    newness = CHECKPOINTED if file.kind.is_checkpoint else age(made_by)
    source = _Source(log_of(path), file.path, newness)
    counts: Counter[str] = Counter()
    try:
        for name, document in _newest_first(source, content, state=state):
            line = counts.total()
            counts[name] += 1
            if name in _ON_FILES:
                if document.get("path") is not None:
                    yield _file_row(source, line, name, document)
            # Delta passes over metadata without an id.
            elif name not in _PASSED_OVER and (name != "metaData" or document.get("id")):
                key = str(document.get(_KEYS[name])) if name in _KEYS else ""
                text = json.dumps(document) if name in _DOCUMENTED else "null"
                yield _row(source, ACTION, name, key, line, text)
    except TableError as error:
        text = json.dumps([error.message, error.remedy, error.delta_error_class])
        yield _row(source, FAILURE, "", source.name, counts.total(), text)
        return
    # Behind all actions of the file: rows of a file are taken in the order of their lines.
    for place, name in enumerate(STATE, start=-len(STATE)):
        if counts[name] > 1 and source.age != CHECKPOINTED:
            text = json.dumps(repeated_action(source.name, counts[name], name))
            yield _row(source, WARNING, name, source.name, _LAST + place, text)


def _row(  # noqa: PLR0917 -- in the order of the columns
    source: _Source, kind: str, name: str, key: str, line: int, document: str
) -> Row:
    return (source.log, kind, name, key, "", source.age, line, document, *_NO_FACTS)


def _file_row(source: _Source, line: int, name: str, document: Document) -> Row:
    """Without its name: an `add` and a `remove` of a file replace each other."""
    stats, size = document.get("stats"), document.get("size")
    vector = document.get("deletionVector")
    key = key_of(str(document.get("path")), source.log)
    start = (source.log, FILE, "", key, vector_id(vector) or "", source.age, line, None)
    if name == "remove":
        return (*start, *_NO_FACTS)
    return (
        *start,
        *divmod(max(-_MOST, min(size, _MOST)) if isinstance(size, int) else 0, 1 << 32),
        bool(vector),
        stats is None,
        not has_num_records(stats),
        document.get("baseRowId") is None,
        sorted(document.get("partitionValues") or ()),
    )


# The store


def pattern(path: str) -> str:
    """A path for where Hadoop takes it for a pattern."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


class Hadoop:
    """
    The file systems of a *session*, by which it opens stores; the `Directories` on all of them.

    Raises `EngineError` for a session on Spark Connect, which has none to offer.
    """

    def __init__(self, session: SparkSession) -> None:
        if not hasattr(session, "_jvm"):
            raise EngineError(
                "On Spark Connect, only executors can read logs, for inspect, validate and plans "
                "that are not carried out at once; this command reads the log by way of the JVM.",
                remedy="Use --spark-master instead of --remote, or omit --engine spark.",
            )
        self.session = session
        jvm: Any = session._jvm
        # The session's, not the context's: what was set in the session is in there as well.
        self._conf: Any = session._jsparkSession.sessionState().newHadoopConf()
        self.path = jvm.org.apache.hadoop.fs.Path  # every step of such a name is a call
        self.array_to_string = jvm.org.apache.commons.lang3.ArrayUtils.toString
        self._bytes = jvm.org.apache.commons.io.IOUtils.toByteArray

    def open_store(self, location: str) -> HadoopStore:
        """The store for a table's location, given as everywhere, or in a scheme that Spark has."""
        return HadoopStore(self, location)

    def system_of(self, place: str) -> Any:
        """The file system that a place is on."""
        return self.path(place).getFileSystem(self._conf)

    def is_directory(self, place: str) -> bool:
        try:
            with _failures(place):
                return bool(self.system_of(place).getFileStatus(self.path(place)).isDirectory())
        except MissingFileError:
            return False

    def identity(self, place: str) -> str:
        """See `Directories`; no links are known of."""
        return place

    def look(self, place: str) -> Iterable[str] | None:
        """See `Directories`; a table, which may hold any number of files, is not listed."""
        if self.is_directory(self.join(place, LOG_DIRECTORY)):
            return None
        try:
            statuses = self.system_of(place).listStatusIterator(self.path(place))
            names = []
            while statuses.hasNext():  # Hadoop has a page at a time
                status = statuses.next()
                if status.isDirectory():
                    names.append(str(status.getPath().getName()))
        except java_errors() as error:
            raise not_listed(place, sentence(error_text(error))[0].rstrip(".")) from error
        return names

    def join(self, place: str, name: str) -> str:
        return f"{place.rstrip('/')}/{name}"

    def content(self, stream: Any, size: int | None = None) -> bytes:
        """The next *size* bytes of a stream, or all of them."""
        return bytes(self._bytes(stream) if size is None else self._bytes(stream, size))


class HadoopStore:
    """
    Lists and reads by way of a session; see `LogStore`.

    `log` is where the log is, as Spark tells it of files in there.
    """

    limits = LIMITS
    local_path = None
    survives_fork = False  # the connection to the JVM is not copied
    at_once = 1
    storage_options: Mapping[str, str] = {}
    catalog_state = None

    def __init__(self, hadoop: Hadoop, location: str) -> None:
        self.root = location
        self._hadoop = hadoop
        try:
            location.encode()
        except UnicodeEncodeError:
            raise StorageError(
                f"Cannot pass {location!r} to Spark: it is not valid Unicode.",
                remedy="Use a link with another name, or omit --engine spark.",
            ) from None
        with _failures(location):
            place = f"{address(location)}/{LOG_DIRECTORY}"
            self._system = hadoop.system_of(place)
            self.log = str(self._system.makeQualified(hadoop.path(place)).toString())

    @property
    def qualifier(self) -> str:
        return qualifier_of(self.log)

    def path(self, name: str) -> str:
        """The path of a file of the log, according to Spark."""
        return f"{self.log}/{name}"

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        first = listing_prefix(start) if start else ""
        files = self._list(self.log)
        if files is None:
            raise no_table(self.root)
        # Hadoop's `FileSystem` lists whole directories, none from a name on.
        return {file.path: file for file in files if file.path >= first}

    def list_short_log(self) -> None:
        """See `LogStore`; Hadoop does not tell how many requests a listing takes."""

    def read_ahead(self, paths: Iterable[str]) -> None:
        """See `LogStore`; the connection to the JVM has one request at a time."""

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        files = self._list(self.path(name)) or ()
        listed = (FileInfo(f"{name}/{file.path}", file.size, file.modified) for file in files)
        return {file.path: file for file in listed}

    def list_data(self) -> Iterator[FileInfo]:
        """A directory at a time: Hadoop's listing of all would be a call for each file."""
        pending = [""]
        while pending:
            below = pending.pop()
            for file in self._statuses(f"{self.log.removesuffix(LOG_DIRECTORY)}{below}") or ():
                path = f"{below}{file.path}"
                if file.regular:
                    yield FileInfo(path, file.size, file.modified)
                elif path != LOG_DIRECTORY:
                    pending.append(f"{path}/")

    def read(self, path: str) -> bytes:
        place = self.path(path)
        with _failures(place):
            where = self._hadoop.path(place)
            if not self._system.exists(where):  # which costs less than an exception
                raise missing(place)
            with closing(self._system.open(where)) as stream:
                size = int(stream.available())
                if size > self.limits.line:
                    raise too_large(place, size, self.limits.line)
                return self._hadoop.content(stream)

    def open(self, path: str) -> BinaryIO:
        return self._open(self._system, self.path(path))

    def data_size(self, path: str) -> int | None:
        place = self._data_path(path)
        try:
            with _failures(place):
                system = self._hadoop.system_of(place)
                status = system.getFileStatus(self._hadoop.path(place))
                return int(status.getLen()) if status.isFile() else None
        except MissingFileError:
            return None

    def open_data(self, path: str) -> BinaryIO:
        place = self._data_path(path)
        return self._open(self._hadoop.system_of(place), place)

    def _data_path(self, path: str) -> str:
        plain, root = unquote(path), self.log.removesuffix(LOG_DIRECTORY)
        if not is_absolute(path):
            place = f"{root}{plain}"
        else:
            # As Hadoop names the table itself: a path of this store may lack its authority.
            scheme = re.escape(self.qualifier.partition(":")[0])
            place = re.sub(rf"(?si)^(?:{scheme}:(?://)?)?(?=/(?!/))", self.qualifier, plain)
        return require_inside(path, place, [root])

    def _list(self, directory: str) -> list[FileInfo] | None:
        """The files directly in a directory, by their names; None if there is none."""
        entries = self._statuses(directory)
        # A directory may be in the place of a file of the log.
        return entries and [
            file for file in entries if file.regular or Kind.of(file.path) is not Kind.UNKNOWN
        ]

    def _statuses(self, directory: str) -> list[FileInfo] | None:
        """The same with the directories in it."""
        try:
            with _failures(directory):
                statuses = self._system.listStatus(self._hadoop.path(directory))
                # Each attribute of a status would be a call over a socket; the text of all is one.
                infos = list(_STATUS.finditer(str(self._hadoop.array_to_string(statuses))))
                # A status that wraps another has no text of its own: then each is asked by itself.
                if len(infos) != len(statuses) or (
                    infos and infos[0]["path"] != str(statuses[0].getPath().toString())
                ):
                    return list(map(_info, statuses))
                return list(map(_parsed_info, infos))
        except MissingFileError:
            return None

    def _open(self, system: Any, place: str) -> BinaryIO:
        with _failures(place):
            where = self._hadoop.path(place)
            size = int(system.getFileStatus(where).getLen())
            file = _HadoopFile(place, system.open(where), size, self._hadoop)
        # Without a buffer each small read is a call to the JVM.
        return io.BufferedReader(file, 1 << 20)


_STATUS: Final = re.compile(
    r"Status\{path=(?P<path>[^;]*); isDirectory=(?P<directory>false|true)"
    r"(?:; length=(?P<length>\d+); replication=\d+; blocksize=\d+)?"
    r"; modification_time=(?P<modified>\d+)"
)
"""A file in the words of Hadoop's `FileStatus.toString`: one call for a whole directory."""


def _info(status: Any) -> FileInfo:
    name, regular = str(status.getPath().getName()), bool(status.isFile())
    size = status.getLen() if regular else 0
    return FileInfo(name, size, status.getModificationTime(), regular)


def _parsed_info(status: re.Match[str]) -> FileInfo:
    name, regular = status["path"].rpartition("/")[2], status["directory"] == "false"
    size = int(status["length"]) if regular else 0
    return FileInfo(name, size, int(status["modified"]), regular)


class _HadoopFile(io.RawIOBase):
    """A file on a Hadoop file system, seekable."""

    def __init__(self, place: str, stream: Any, size: int, hadoop: Hadoop) -> None:
        self._place, self._stream, self._size, self._hadoop = place, stream, size, hadoop
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, start + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), self._size - self._position)
        if size <= 0:
            return 0
        with _failures(self._place):
            self._stream.seek(self._position)
            piece = self._hadoop.content(self._stream, size)
        buffer[:size] = piece
        self._position += size
        return size

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def java_errors() -> tuple[type[Exception], ...]:
    """The exceptions by which Spark, Hadoop and the way to them say that something is wrong."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return Py4JError, PySparkException, OSError


@contextmanager
def _failures(path: str) -> Iterator[None]:
    """Raises, for an exception of Spark or Hadoop in the block, the error that it amounts to."""
    try:
        yield
    except java_errors() as error:
        raise failure(path, error) from error


_NOT_FOUND: Final = ("PATH_NOT_FOUND", "FILE_NOT_EXIST", "FileNotFoundException", "NoSuchFile")


def failure(path: str, error: Exception) -> DeltaadmError:
    """The error that an exception of Spark or Hadoop about a file amounts to."""
    text = error_text(error)
    thrown = getattr(error, "java_exception", None)
    named = text if thrown is None else f"{thrown.getClass().getName()} {text}"
    cause = sentence(text)[0].rstrip(".")
    if any(word in named for word in _NOT_FOUND):
        return missing(path)
    if any(word in named for word in NO_FILE_SYSTEM):
        message = f"Spark has no file system for {path}: {cause}."
        return StorageError(message, remedy=FILE_SYSTEM_REMEDY)
    return StorageError(
        f"Spark cannot read {path}: {cause}.", remedy="Check the location and Spark's access to it."
    )
