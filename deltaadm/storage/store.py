"""Access to the bytes of a log: the interface, and the choice of a store by location."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from deltaadm.domain.snapshot import FileInfo
from deltaadm.errors import RefusedError, StorageError
from deltaadm.limits import LIMITS, Limits
from deltaadm.masking import masked
from deltaadm.storage.local import LocalStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import BinaryIO, Final, Protocol

    from deltaadm.catalog_table import CatalogState
    from deltaadm.storage.object_store import BucketDirectories, Connections, RenewedCredentials
else:
    Protocol = object


class LogStore(Protocol):
    """
    Reading access to one table's `_delta_log`; paths are relative to it, except those of data.

    `root` is the location as the user gave it. `qualifier` is what an absolute path of the
    log lacks to be complete, such as `file:`. Trouble is a `StorageError`; a log or file that
    is not there is a `TableError`.
    """

    @property
    def root(self) -> str:
        """The table's location, for messages and reports."""

    @property
    def local_path(self) -> str | None:
        """The table's directory in this machine's file system; None for any other store."""

    @property
    def qualifier(self) -> str:
        """Scheme (and authority) of this store."""

    @property
    def limits(self) -> Limits:
        """The number of bytes that are read at once."""

    @property
    def survives_fork(self) -> bool:
        """Whether a copy of this process could read as well."""

    @property
    def at_once(self) -> int:
        """The number of files that are best looked at in parallel; 1 where there is no waiting."""

    @property
    def storage_options(self) -> Mapping[str, str]:
        """The settings that another program needs to reach it, besides the environment."""

    @property
    def catalog_state(self) -> CatalogState | None:
        """The catalog's entry for the table; None where no catalog was asked."""

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """The files directly in the log from the names of version *start* on, by their paths."""

    def list_short_log(self) -> Mapping[str, FileInfo] | None:
        """
        All files directly in the log, where a single request tells of them.

        None where that takes more, or where `_last_checkpoint` is as quickly read as listed.
        """

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Expect that *paths* are read next, in this order; where that pays they are fetched."""

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        """The files directly in a directory of the log by their paths, none if it is not there."""

    def list_data(self) -> Iterator[FileInfo]:
        """The files of the table outside its log, by their plain paths below it, as they come."""

    def read(self, path: str) -> bytes:
        """A whole file; raises `TooLargeError` for more bytes than a line may have."""

    def open(self, path: str) -> BinaryIO:
        """A seekable file, for formats that are read in pieces; the caller closes it."""

    def data_size(self, path: str) -> int | None:
        """
        The size of a file of the table outside its log; None if there is no such file.

        *path* is as the log has it: percent-encoded, relative to the table, absolute or a URL.
        Raises `StorageError` also for a URL that leads to another kind of store.
        """

    def open_data(self, path: str) -> BinaryIO:
        """Such a file, seekable; the caller closes it."""


class WritableStore(LogStore, Protocol):
    """A store that also writes; commits go through `create` alone."""

    @property
    def obstacle(self) -> str:
        """
        Why commits to it are not safe, as a clause; empty where they are.

        They need a store that writes a file only where there is none, and other writers that rely
        on nothing else.
        """

    def create(self, path: str, body: bytes) -> bool:
        """
        Write a whole file unless there is one by that name; whether this call has written it.

        Nobody ever sees a part of it, and it is on the disk when this returns. Raises
        `UnknownWriteError` where the storage does not say, and `StorageError` where nothing was
        written.
        """

    def draft(self, path: str) -> AbstractContextManager[BinaryIO]:
        """
        A file of this machine to be written in pieces, read back and published as *path*.

        No reader of the log sees it, and nothing is left of it in the end. Writing it may raise
        `OSError`.
        """

    def publish(self, draft: BinaryIO, path: str) -> bool:
        """Make a draft the file *path* of the log, as `create` does."""

    def overwrite(self, path: str, body: bytes) -> None:
        """Write a whole file; whoever reads it meanwhile sees the old or the new one."""

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""

    def replace(self, draft: BinaryIO, path: str) -> bool:
        """
        Give a draft the name of a file that has been opened; whoever reads it sees one of the two.

        False where others have replaced or removed it since, as far as the store can tell.
        """

    def beside(self, directory: str) -> WritableStore:
        """The same for a *directory* of the table beside its log, made when it is written to."""


class ObjectStores:
    """
    The object stores of a run, which share connections.

    *options* is called when the first is opened; it returns a function from a location to the
    options for it besides the environment. *credentials* returns those given for a location.
    """

    def __init__(
        self,
        options: Callable[[], Callable[[str], Mapping[str, str]]] | None = None,
        credentials: Callable[[str], RenewedCredentials | None] | None = None,
    ) -> None:
        self._options = options
        self._credentials = credentials
        self._options_for: Callable[[str], Mapping[str, str]] | None = None

    def __getstate__(self) -> dict[str, object]:
        """Another process gets what is set, and makes connections of its own."""
        self.options_for("")
        return {"_options": None, "_credentials": None, "_options_for": self._options_for}

    def options_for(self, location: str) -> Mapping[str, str]:
        """The options set for *location* besides the environment."""
        if self._options_for is None and self._options is not None:
            self._options_for = self._options()
        return {} if self._options_for is None else self._options_for(location)

    @cached_property
    def connections(self) -> Connections:
        """The connections, made when they are first needed."""
        from deltaadm.storage.object_store import Connections

        return Connections(self.options_for, self._credentials)

    def open(self, location: str, limits: Limits = LIMITS) -> WritableStore:
        """The store for the *location* of a table."""
        from deltaadm.storage.object_store import ObjectStore

        return ObjectStore(self.connections, location, limits)

    def directories(self) -> BucketDirectories:
        """The directories in them."""
        from deltaadm.storage.object_store import BucketDirectories

        return BucketDirectories(self.connections)


def open_store(
    location: str, limits: Limits = LIMITS, object_stores: ObjectStores | None = None
) -> WritableStore:
    """
    The store for a table's location: a path, a URL, or delta.`path`.

    *object_stores* say how those of the clouds are reached; otherwise the environment does.
    Raises `RefusedError` for a table name, which needs a catalog, and `StorageError` for a kind of
    store that is not supported. Nothing is read yet.
    """
    place = _unquoted(location)
    if place is None:
        place = location
        if table_name(location) is not None:
            if os.path.isfile(location):  # noqa: PTH113 -- costs time
                raise RefusedError(
                    f"{location} is a file, not a Delta table.",
                    remedy="Use the directory that contains _delta_log.",
                )
            raise RefusedError(
                f"{location} looks like a table name, but no catalog is configured.",
                remedy="Use --unity URL for Unity Catalog, or --remote, --spark-master or "
                "--spark-conf for Spark's catalog, or the table's location. If it is a directory, "
                f"write ./{location}.",
            )
    scheme, separator, _ = place.partition(":")
    if not separator or not _is_scheme(scheme):
        return _local(place, limits)
    if scheme.lower() == "file":
        from urllib.parse import unquote, urlsplit

        try:
            # Names of directories may have # and ? in them.
            parts = urlsplit(place, allow_fragments=False)
        except ValueError:
            raise _foreign_host(place, place.partition("//")[2].partition("/")[0]) from None
        if parts.netloc not in {"", "localhost"}:
            raise _foreign_host(place, parts.netloc)
        path = parts.path if not parts.query else f"{parts.path}?{parts.query}"
        return _local(unquote(path), limits, place)
    if is_in_object_store(place):
        _require_path(place, str.encode)
        return (object_stores or ObjectStores()).open(place, limits)
    known = ", ".join(f"{name}://" for name in sorted(OBJECT_STORES - {"memory"}))
    raise StorageError(
        f"Cannot read {place}: it is not a URL that deltaadm supports without Spark.",
        remedy=f"It supports {known} and local paths; Spark can read others with --engine spark.",
    )


OBJECT_STORES: Final = frozenset(
    {"s3", "s3a", "gs", "az", "adl", "abfs", "abfss", "http", "https", "memory"}
)
"""The schemes of stores that are reached without Spark."""


def scheme_of(location: str) -> str:
    """The scheme of a URL in lower case; empty for a path."""
    scheme, separator, _ = location.partition("://")
    return scheme.lower() if separator and _is_scheme(scheme) else ""


def is_in_object_store(location: str) -> bool:
    """Whether *location* is a URL of an object store that is reached without Spark."""
    return scheme_of(location) in OBJECT_STORES


def is_remote(location: str) -> bool:
    """Whether *location* is a URL of anything but this machine's file system."""
    return scheme_of(location) not in {"", "file"}


def require_no_secret(location: str) -> None:
    """
    Raise `RefusedError` for a URL with a password or a signature in it.

    Locations are shown, saved in plans and journals, and kept by catalogs.
    """
    place = _unquoted(location) or location
    scheme, separator, rest = place.partition(":")
    if not separator or not _is_scheme(scheme):
        return
    from urllib.parse import unquote

    # What stands before an @ may be a login without a scheme, too.
    url = unquote(place if rest.startswith("/") else f"://{place}")
    if masked(url) != url:
        raise RefusedError(
            f"{masked(url)} contains a secret, and locations are displayed and saved.",
            remedy="Remove it from the location. Credentials come from variables, for example "
            "AWS_SECRET_ACCESS_KEY or from --storage-options-file FILE; Spark also takes them from "
            "settings, for example spark.hadoop.fs.s3a.secret.key in spark-defaults.conf.",
        )


def _local(path: str, limits: Limits, root: str | None = None) -> WritableStore:
    _require_path(path, os.fsencode)
    return LocalStore(path, root, limits)


def _require_path(path: str, encode: Callable[[str], bytes]) -> None:
    """Raise `StorageError` for a *path* that no request to a system can have in it."""
    try:
        is_one = b"\0" not in encode(path)
    except UnicodeEncodeError:
        is_one = False
    if not is_one:
        raise StorageError(
            f"Cannot access {path}: it contains a character that paths cannot have.",
            remedy="Check the location.",
        )


def _is_scheme(text: str) -> bool:
    # A single letter is a drive of Windows.
    plain = text.replace("+", "").replace("-", "").replace(".", "")
    return len(text) > 1 and text[0].isalpha() and plain.isascii() and plain.isalnum()


def _unquoted(location: str) -> str | None:
    """The path in delta.`path`, in which a doubled backtick stands for one; None otherwise."""
    prefix, quote, rest = location.partition("`")
    if prefix.lower() != "delta." or not quote or not rest.endswith("`"):
        return None
    inner = rest[:-1].replace("``", "")
    return None if "`" in inner else rest[:-1].replace("``", "`")


_NAME_PART: Final = r"(?:`((?:[^`]|``)+)`|(\w+))(?:\.(?=.)|$)"


def table_name(location: str) -> tuple[str, ...] | None:
    """
    The parts of *location* if it can only be `schema.table` or `catalog.schema.table`.

    Parts with other characters than letters, digits and underscores need backticks; None for
    anything else, for the name of a directory that is there, and for delta.`path`.

    >>> table_name("main.sales.`order lines`"), table_name("./main.sales")
    (('main', 'sales', 'order lines'), None)
    >>> table_name("delta.`sales`"), table_name("delta.sales")
    (None, ('delta', 'sales'))
    """
    # A slash makes it a path, except inside backticks, where names may have any character.
    if "." not in location or ("/" in location and "`" not in location):
        return None
    if _unquoted(location) is not None:
        return None
    parts: list[str] = []
    position = 0
    while position < len(location):
        part = re.compile(_NAME_PART).match(location, position)
        if part is None:
            return None
        parts.append(part[1].replace("``", "`") if part[1] else part[2])
        position = part.end()
    # A directory that is there wins: it needs no catalog.
    if len(parts) not in {2, 3} or os.path.isdir(location):  # noqa: PTH112 -- costs time
        return None
    return tuple(parts)


def _foreign_host(place: str, host: str) -> StorageError:
    return StorageError(
        f"{place} names the host {host}, whose files cannot be read.",
        remedy="A file URL for this machine has three slashes: file:///path/to/table.",
    )
