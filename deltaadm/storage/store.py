"""Where bytes of a log come from: the interface, and the choice of a store by location."""

from __future__ import annotations

import re

from deltaadm.errors import Refused, StorageError
from deltaadm.limits import LIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO, Final, Protocol

    from deltaadm.domain.model.log_segment import FileInfo
    from deltaadm.limits import Limits
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
        """How much is read at once."""

    @property
    def survives_fork(self) -> bool:
        """Whether a copy of this process could read as well."""

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """The files directly in the log from the names of version *start* on, by their paths."""

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        """The files directly in a directory of the log by their paths, none if it is not there."""

    def read(self, path: str) -> bytes:
        """A whole file; raises `TooLarge` for more bytes than a line may have."""

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


def open_store(location: str, limits: Limits = LIMITS) -> LogStore:
    """
    The store for a table's location: a path, a `file:` URL, or delta.`path`.

    Raises `Refused` for a table name, which needs a catalog, and `StorageError` for a kind of
    store that is not supported. Nothing is read yet.
    """
    place = _unquoted(location)
    if place is None:
        place = location
        if table_name(location) is not None:
            raise _needs_catalog(location)
    scheme, separator, _ = place.partition(":")
    if not separator or not _is_scheme(scheme):
        return _local(place, limits)
    try:
        return _SCHEMES[scheme.lower()](place, limits)
    except KeyError:
        raise _unsupported(place, scheme) from None


def is_remote(location: str) -> bool:
    """Whether *location* is a URL of anything but this machine's file system."""
    scheme, separator, _ = location.partition("://")
    return bool(separator) and _is_scheme(scheme) and scheme.lower() not in _SCHEMES


def require_no_secret(location: str) -> None:
    """
    Raise `Refused` for a URL with a password or a signature in it.

    Locations are shown, saved in plans and journals, and kept by catalogs.
    """
    if not is_remote(location):
        return
    from deltaadm.masking import masked

    if masked(location) != location:
        raise Refused(
            f"{location} has a secret in it, and locations are shown and saved.",
            remedy="Give the location without it. Spark takes credentials from variables such as "
            "AWS_SECRET_ACCESS_KEY, and from settings such as spark.hadoop.fs.s3a.secret.key in "
            "spark-defaults.conf.",
        )


def _local(place: str, limits: Limits) -> LogStore:
    from deltaadm.storage.local import LocalStore

    return LocalStore(place, limits=limits)


def _file_url(place: str, limits: Limits) -> LogStore:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(place, allow_fragments=False)
    if parts.netloc not in {"", "localhost"}:
        raise _foreign_host(place, parts.netloc)
    path = parts.path if not parts.query else f"{parts.path}?{parts.query}"
    from deltaadm.storage.local import LocalStore

    return LocalStore(unquote(path), root=place, limits=limits)


_SCHEMES: Final[Mapping[str, Callable[[str, Limits], LogStore]]] = {"file": _file_url}
"""A store by URL scheme; anything without a scheme is a local path."""


def _is_scheme(text: str) -> bool:
    """Whether *text* is a URL scheme; a single letter is a drive."""
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
_CATALOG_PARTS: Final = (2, 3)


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
    if "." not in location or ("/" in location and "`" not in location):
        return None
    if _unquoted(location) is not None:
        return None
    import os

    parts = [part[1].replace("``", "`") if part[1] else part[2] for part in _parts(location)]
    if len(parts) not in _CATALOG_PARTS or os.path.isdir(location):  # noqa: PTH112 -- costs time
        return None
    return tuple(parts)


def _parts(location: str) -> list[re.Match[str]]:
    """The parts of a name with dots; none unless all of *location* is one."""
    found: list[re.Match[str]] = []
    position = 0
    while position < len(location):
        part = re.compile(_NAME_PART).match(location, position)
        if part is None:
            return []
        found.append(part)
        position = part.end()
    return found


def _needs_catalog(name: str) -> Refused:
    return Refused(
        f"{name} looks like a table name, and no catalog is configured to look it up.",
        remedy="Say where Spark's catalog is, by --remote, --spark-master or --spark-conf, or give "
        f"the table's location; a directory of that name can be written as ./{name}.",
    )


def _foreign_host(place: str, host: str) -> StorageError:
    return StorageError(
        f"{place} names the host {host}, whose files cannot be read.",
        remedy="A file URL of this machine has three slashes: file:///path/to/table.",
    )


def _unsupported(place: str, scheme: str) -> StorageError:
    return StorageError(
        f"Cannot read {place}: without Spark, deltaadm reads no object stores and other remote "
        f"file systems such as {scheme}://.",
        remedy="Let Spark read it with --engine spark, or mount the storage.",
    )
