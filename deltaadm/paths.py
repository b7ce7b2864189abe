"""Paths in logs: what they stand for, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from deltaadm.errors import StorageError

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")
_NOT_IN_URI: Final = re.compile(r'[\x00-\x20"<>[\\\]^`{|}\x7f]|%(?![0-9A-Fa-f]{2})')
_COLON_FIRST: Final = re.compile("[^/:]*:")
_PLAIN: Final = re.compile(r"(?!/)[-A-Za-z0-9_.~/=]*")

PLAIN_PATH: Final = (
    r"(?:\.?(?:[^\x00-\x20\"<>\[\\\]^`{|}\x7f%:.]"
    r"|%(?:[013-9A-Fa-f][0-9A-Fa-f]|2[0-9A-DFa-df])))*\.?"
)
"""A pattern for ordinary paths; with two characters or more they have no flaw for `path_flaw`."""

PLAIN_CHARACTERS: Final = "".join(sorted(set(map(chr, range(0x21, 0x7F))) - set('"<>[\\]^`{|}%:.')))
"""Characters that may be anywhere in a path without making it unusual."""

ABSOLUTE: Final = r"/|[A-Za-z][A-Za-z0-9+.-]*:"
"""The beginning of a path for which `is_absolute` is true."""


def is_absolute(path: str) -> bool:
    """
    Whether *path* stands for itself, and not for a place below the table.

    >>> is_absolute("a/b"), is_absolute("/a"), is_absolute("s3://bucket/a")
    (False, True, True)
    """
    return path.startswith("/") or (":" in path and _SCHEME.match(path) is not None)


def with_upper_escapes(path: str) -> str:
    """
    *path* with its percent-encoding in capitals, as URIs are compared.

    >>> with_upper_escapes("caf%c3%a9")
    'caf%C3%A9'
    """
    return _ESCAPE.sub(lambda escape: escape[0].upper(), path) if "%" in path else path


PARTS: Final = r"(?s)^((?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#]*)?)([^?#]*)(.*)$"
"""Scheme and authority, path, and what follows it, for Python and for Java."""


def normalized(path: str) -> str:
    """
    *path* without empty parts, `.` and `..`, as Java normalizes URIs.

    >>> normalized("./x"), normalized("y//x"), normalized("s3://b/y/../x"), normalized("y/./")
    ('x', 'y/x', 's3://b/x', 'y/')
    """
    head, place, rest = re.split(PARTS, path)[1:4]
    kept: list[str] = []
    for part in place.split("/"):
        if part == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif part not in ("", "."):
            kept.append(part)
    start = "/" if place.startswith("/") else ""
    if kept and ":" in kept[0] and not head and not start:
        start = "./"
    last = place.rpartition("/")[2]
    is_open = last in ("", ".") or (last == ".." and kept[-1:] != [".."])
    return f"{head}{start}{'/'.join(kept)}{'/' if kept and is_open else ''}{rest}"


def without_file_scheme(path: str) -> str | None:
    """
    The part of *path* that a file system knows; None for a URL of something else.

    >>> without_file_scheme("a%20b"), without_file_scheme("file:///a"), without_file_scheme("s3:/a")
    ('a%20b', '/a', None)
    """
    if not is_absolute(path) or path.startswith("/"):
        return path
    scheme, _, rest = path.partition(":")
    if scheme.lower() != "file":
        return None
    authority, slash, place = rest.removeprefix("//").partition("/")
    if rest.startswith("//"):
        return f"/{place}" if slash and authority in ("", "localhost") else None
    return rest


def require_inside(path: str, place: str, roots: Collection[str], separator: str = "/") -> str:
    """
    The *place* that *path* of a log leads to.

    Raises `StorageError` unless it is below one of *roots*: a log may be hostile, and must not
    lead to what its reader can see and its writer cannot.
    """
    beginnings = [root.rstrip(separator) for root in roots]
    if ".." not in place.split(separator) and any(
        not root or f"{place}{separator}".startswith(f"{root}{separator}") for root in beginnings
    ):
        return place
    raise StorageError(
        f"{path} is outside the table, where deltaadm does not look.",
        remedy="Check that file by other means; a shallow clone has the files of its source.",
    )


def path_flaw(path: str) -> str:
    """
    Return the flaw of a path in the log, in words; empty if it has none.

    >>> path_flaw("part-0.parquet"), path_flaw("a b"), path_flaw("x/../../y")
    ('', "it has the character ' ', which must be encoded", 'it points outside the table')
    """
    if ".." not in path and "%2" not in path and _PLAIN.fullmatch(path):
        return "" if path else "it is empty"
    flaw = uri_flaw(path)
    if flaw or is_absolute(path):
        return flaw
    from urllib.parse import unquote

    depth = 0
    for part in unquote(path).split("/"):
        depth += (part not in ("", ".", "..")) - (part == "..")
        if depth < 0:
            return "it points outside the table"
    return ""


def uri_flaw(path: str) -> str:
    """
    Why Java takes *path* for no URI, in words; empty if it does.

    >>> uri_flaw("../a%20b"), uri_flaw("a:b")
    ('', 'it has a colon before its first slash, which must be encoded')
    """
    if match := _NOT_IN_URI.search(path):
        if match[0] == "%":
            return "it has a % that does not start an escape"
        return f"it has the character {match[0]!r}, which must be encoded"
    colon = _COLON_FIRST.match(path)
    if colon and not (is_absolute(path) and path.startswith("/", colon.end())):
        return "it has a colon before its first slash, which must be encoded"
    return ""
