"""Settings of object stores with which no request can be made, found before obstore panics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from deltaadm.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_URLS: Final = frozenset({"endpoint", "endpoint_url", "endpoint_url_s3"})
_WORDS: Final = frozenset({
    "region", "default_region", "access_key_id", "secret_access_key", "session_token", "token",
    "account_name", "account_key", "access_key", "sas_token", "client_id", "tenant_id",
})  # fmt: skip


def require_usable(
    prefix: str, settings: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    """
    Raise `StorageError` for an endpoint that is not a URL, or a word with more than one line.

    Those of *settings* and of the *environment* count whose names begin with the *prefix* of a
    kind of store, such as `aws_`.
    """
    # Messages show names, not values: a value may be a secret, or have one in it.
    own = {name: text for name, text in environment.items() if name.lower().startswith(prefix)}
    for name, value in {**own, **settings}.items():
        key = name.lower().removeprefix(prefix).removeprefix("storage_")
        if key in _URLS and value and not _is_url(value):
            raise StorageError(
                f"{name} is not a URL.",
                remedy="An endpoint looks like https://host or http://host:9000.",
            )
        if key in _WORDS and re.search(r"[^\x21-\x7e]", value):
            raise StorageError(
                f"{name} contains a space, a line break or another invalid character.",
                remedy="Correct it; a line break at the end often comes from the file it was read "
                "from.",
            )


def require_url(location: str) -> None:
    """Raise `StorageError` where no request to a server can be made of the *location*."""
    if not _is_url("/".join(location.split("/", 3)[:3])):
        raise StorageError(
            f"{location} is not a URL.", remedy="It looks like https://host/path/to/table."
        )


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    plain = re.search(r"[\x00-\x20\x7f]", text) is None
    return plain and parts.scheme in {"http", "https"} and bool(host)


def require_bucket(noun: str, name: str, location: str) -> None:
    """Raise `StorageError` for a *location* with the *name* of a bucket that no store has."""
    if re.search(r"[^\w.$-]", name, re.ASCII):
        raise StorageError(
            f"Cannot read {location}: {name!r} is not a valid {noun} name.",
            remedy="Use only letters, digits, hyphens, dots and underscores.",
        )
